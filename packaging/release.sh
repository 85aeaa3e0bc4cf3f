#!/usr/bin/env bash
# One binary with the Swift runtime in it, stripped: .build/dist/beemed-relay, and with its manual page and
# completions .build/dist/beemed-relay-VERSION-SYSTEM-MACHINE.tar.gz and its SHA-256. It still uses the system's C library and, from
# its first request on, libcurl (package libcurl4), which it loads itself.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/version.sh
command -v swift >/dev/null || { echo "missing: swift 6.2 or later, see swift.org/install" >&2; exit 1; }
need strip=binutils tar=tar gzip=gzip

name="beemed-relay-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)"
dist=.build/dist
flags=(--configuration release --product beemed-relay)
if [ "$(uname -s)" = Linux ]; then
    flags+=(--static-swift-stdlib --scratch-path .build-release)
fi
swift build "${flags[@]}"
built="$(swift build "${flags[@]}" --show-bin-path)/beemed-relay"
mkdir -p "$dist"
cp "$built" "$dist/beemed-relay"
strip "$dist/beemed-relay"
packaging/manual-page.sh "$dist/beemed-relay" > "$dist/beemed-relay.1"
rm -rf "$dist/completions"
cp -R packaging/completions "$dist/"
tar -C "$dist" -czf "$dist/$name.tar.gz" beemed-relay beemed-relay.1 completions
(cd "$dist" && { sha256sum "$name.tar.gz" || shasum -a 256 "$name.tar.gz"; } > "$name.tar.gz.sha256")
echo "$dist/beemed-relay: $(wc -c < "$dist/beemed-relay") bytes"
cat "$dist/$name.tar.gz.sha256"
