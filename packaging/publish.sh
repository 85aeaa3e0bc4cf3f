#!/usr/bin/env bash
# Publishes a release whose files assets.sh has gathered: one image of those of both processors, the branch
# from which Home Assistant installs, and the release page with its notes.
# Environment: GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_REF_NAME, GITHUB_ACTOR, GH_TOKEN.
# DRY_RUN=1 prints the commands.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/version.sh
run() { if [ -n "${DRY_RUN:-}" ]; then echo "$*"; else "$@"; fi; }
[ -n "${DRY_RUN:-}" ] || need docker=docker.io gh=gh git=git

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packaging/notes.sh > "$work/notes.md"
cat >> "$work/notes.md" <<NOTES

The image is $image:$version. The address for Home Assistant is
$GITHUB_SERVER_URL/$GITHUB_REPOSITORY#home-assistant
NOTES

[ -n "${DRY_RUN:-}" ] || docker login ghcr.io --username "$GITHUB_ACTOR" --password-stdin <<<"$GH_TOKEN"
for name in "$image" "$image-home-assistant"; do
    run docker buildx imagetools create --tag "$name:$version" --tag "$name:latest" \
        "$name:$version-amd64" "$name:$version-arm64"
done

packaging/home-assistant.sh "$work/app"
git -C "$work/app" init --quiet --initial-branch home-assistant
git -C "$work/app" add --all
git -C "$work/app" -c user.name=release -c user.email=release@localhost \
    commit --quiet --message "home assistant: the app of $version"
run gh auth setup-git
run git -C "$work/app" push --force "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git" home-assistant

run gh release create "$GITHUB_REF_NAME" --verify-tag --title "$version" --notes-file "$work/notes.md" \
    .build/release-assets/*
