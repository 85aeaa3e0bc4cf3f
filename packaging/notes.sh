#!/usr/bin/env bash
# Prints the notes of this version: its section of CHANGELOG.md. Fails when there is none, or when the tag
# of the release (GITHUB_REF_NAME) is not the version's.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/version.sh

tag=${GITHUB_REF_NAME:-v$version}
if [ "$tag" != "v$version" ]; then
    echo "the tag is $tag, and the program's version is $version" >&2
    exit 1
fi
notes=$(awk -v heading="## $version" '
    /^## / { inside = ($0 == heading || index($0, heading " (") == 1); next }
    inside' CHANGELOG.md)
if [ -z "${notes//[[:space:]]/}" ]; then
    echo "CHANGELOG.md has no section '## $version' or '## $version (DATE)'" >&2
    exit 1
fi
printf '%s\n' "$notes"
