#!/usr/bin/env bash
# Makes and pushes the two images of this machine's processor, from the binary that release.sh has made: the
# relay's, and Home Assistant's app.
#   packaging/image.sh amd64|arm64
# Environment: GITHUB_REPOSITORY, GITHUB_ACTOR, GH_TOKEN. DRY_RUN=1 prints the commands.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/version.sh
machine=$1
run() { if [ -n "${DRY_RUN:-}" ]; then echo "$*"; else "$@"; fi; }
[ -n "${DRY_RUN:-}" ] || need docker=docker.io

chmod 755 .build/dist/beemed-relay
# The folder takes the place of the Dockerfile's first stage, which would build the program again.
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
mkdir -p "$built/source/.build/dist"
cp .build/dist/beemed-relay "$built/source/.build/dist/"
cp -R packaging/home-assistant/beemed-relay "$built/app"
cp .build/dist/beemed-relay "$built/app/"

[ -n "${DRY_RUN:-}" ] || docker login ghcr.io --username "$GITHUB_ACTOR" --password-stdin <<<"$GH_TOKEN"
run docker buildx build --build-context "build=$built" --file packaging/Dockerfile \
    --provenance=false --tag "$image:$version-$machine" --push .
run docker buildx build --provenance=false --tag "$image-home-assistant:$version-$machine" --push \
    "$built/app"
