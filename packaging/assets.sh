#!/usr/bin/env bash
# Gathers the files of a release in .build/release-assets: the artifacts of all machines (.build/artifacts/*/), the
# sources, Homebrew's formula with address and checksum of the sources, and SHA256SUMS.
# Environment: GITHUB_SERVER_URL, GITHUB_REPOSITORY.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/version.sh

release=.build/release-assets
rm -rf "$release"
mkdir -p "$release"
for folder in .build/artifacts/*/; do
    find "$folder" -maxdepth 1 -type f \( -name '*.tar.gz' -o -name '*.deb' \) \
        -exec cp {} "$release/" \;
done
[ -n "$(ls "$release")" ] || { echo "there are no artifacts in .build/artifacts" >&2; exit 1; }

sources="beemed-relay-$version.tar.gz"
git archive --format=tar.gz --prefix="beemed-relay-$version/" -o "$release/$sources" HEAD
place="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"
checksum=$(sha256sum "$release/$sources" | cut -d' ' -f1)
sed -e "/^#/d" -e "s,^  homepage .*,  homepage \"$place\"," \
    -e "s,^  url .*,  url \"$place/releases/download/v$version/$sources\"," \
    -e "s,^  sha256 .*,  sha256 \"$checksum\"," \
    packaging/homebrew/beemed-relay.rb > "$release/beemed-relay.rb"
(cd "$release" && sha256sum -- * > ../SHA256SUMS && mv ../SHA256SUMS .)
cat "$release/SHA256SUMS"
