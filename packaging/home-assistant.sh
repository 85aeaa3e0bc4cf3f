#!/usr/bin/env bash
# Writes Home Assistant's repository of the app into a folder: the files of packaging/home-assistant, with
# the name of the released image, which Home Assistant then loads instead of building one.
#   packaging/home-assistant.sh FOLDER
# Environment: GITHUB_SERVER_URL, GITHUB_REPOSITORY.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/version.sh
folder=$1

mkdir -p "$folder"
cp -R packaging/home-assistant/. "$folder"
rm "$folder/beemed-relay/Dockerfile" "$folder/beemed-relay/run.sh"
echo "image: $image-home-assistant" >> "$folder/beemed-relay/config.yaml"
echo "url: ${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}" >> "$folder/repository.yaml"
