#!/bin/sh
# The app's options become settings; its data folder is kept and backed up by Home Assistant.
set -eu
options=/data/options.json
BEEMED_LOG_LEVEL=$(jq -r '.log_level // "info"' "$options")
export BEEMED_LOG_LEVEL
token=$(jq -r '.beeminder_auth_token // empty' "$options")
if [ -n "$token" ]; then
    BEEMINDER_AUTH_TOKEN=$token
    export BEEMINDER_AUTH_TOKEN
fi
# Ingress connects from this address alone, and has signed its users in.
exec /usr/bin/beemed-relay serve --listen 0.0.0.0:2336 --ingress-proxy 172.30.32.2
