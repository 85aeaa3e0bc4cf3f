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
names=$(jq -r '.host_name // empty' "$options")
if [ -n "$names" ]; then
    BEEMED_HOST_NAME=$names
    export BEEMED_HOST_NAME
fi
# Ingress connects from this address alone, and has signed its users in.
exec /usr/bin/beemed-relay serve --listen 0.0.0.0:2336 --ingress-proxy 172.30.32.2
