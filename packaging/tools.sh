#!/usr/bin/env bash
# Installs what release.sh and deb.sh need beside Swift, on Debian and as root.
set -euo pipefail
apt-get -q update
DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
    binutils dpkg-dev gzip libcurl4 xz-utils
