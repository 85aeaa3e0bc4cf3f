#!/usr/bin/env bash
# Has systemd read the units that 'service install' makes, and say how far the service of the machine
# is from what it may do. Wants systemd's tools, not systemd itself.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/version.sh
need systemd-analyze=systemd
program=$PWD/.build/dist/beemed-relay
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for scope in system user; do
    "$program" service install --$scope --print > "$folder/beemed-relay.service"
    XDG_RUNTIME_DIR="$folder" SYSTEMD_LOG_LEVEL=warning systemd-analyze --$scope --man=no verify "$folder/beemed-relay.service" 2>&1 \
        | grep -F beemed-relay && { echo "the $scope unit has faults" >&2; exit 1; }
    [ $scope = user ] || systemd-analyze security --offline=true --threshold=20 \
        "$folder/beemed-relay.service" | tail -n1
done
echo "both units are well formed"
