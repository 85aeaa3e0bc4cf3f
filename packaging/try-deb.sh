#!/usr/bin/env bash
# The Debian package in a Debian of its own (chroot): installed, started, pressed, upgraded, removed
# and purged. Wants root, debootstrap and the network.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/version.sh
need debootstrap=debootstrap chroot=coreutils mount=mount curl=curl
[ "$(id -u)" = 0 ] || { echo "run it as root: it makes a Debian of its own" >&2; exit 1; }
package=$(find .build/dist -name "beemed-relay_*_$(dpkg --print-architecture).deb" | sort | tail -n1)
[ -n "$package" ] || { echo "missing: the package, which packaging/deb.sh makes" >&2; exit 1; }
root=$(mktemp -d)
relay=
chmod 755 "$root"
cleanup() {
    if [ -n "$relay" ]; then kill "$relay" 2>/dev/null || true; fi
    umount "$root/proc" 2>/dev/null || true
    rm -rf "$root"
}
trap cleanup EXIT
# The suite and the mirror of this machine: the package is built for its libraries.
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
mirror=$(sed -n 's,^URIs: *\([^ ]*\).*,\1,p; s,^deb \(\[[^]]*\] \)\{0\,1\}\([^ ]*\) .*,\2,p' \
    /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null | head -n1 || true)
debootstrap --variant=minbase "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" >/dev/null
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/"
for file in /etc/apt/apt.conf.d/*proxy*; do [ ! -e "$file" ] || cp "$file" "$root/etc/apt/apt.conf.d/"; done
cp "$package" "$root/relay.deb"
inside() { chroot "$root" /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
inside apt-get -q update >/dev/null
echo "== install"
inside apt-get -q install -y --no-install-recommends /relay.deb >/dev/null
inside useradd --system --home-dir /var/lib/beemed-relay --create-home relay
chmod 700 "$root/var/lib/beemed-relay"

start() {
    rm -f "$root/out"
    chroot --userspec=relay "$root" /usr/bin/env BEEMED_DATA=/var/lib/beemed-relay \
        BEEMINDER_AUTH_TOKEN=x beemed-relay serve --listen 127.0.0.1:0 \
        --beeminder-url http://127.0.0.1:9 > "$root/out" 2> "$root/log" &
    relay=$!
    for _ in $(seq 100); do grep -q '^Listening' "$root/out" && return; sleep 0.1; done
    cat "$root/log"; exit 1
}
stop() { kill "$relay"; wait "$relay"; relay=; }

echo "== start and press"
start
inside beemed-relay log water 2
inside beemed-relay events list | grep 'water.*+2'
echo "== the rest of docs/install.md"
inside beemed-relay owner-link | grep -q '/login?code='
token=$(inside beemed-relay device add kitchen --goals water)
curl -sSf -H "Authorization: Bearer $token" -d '+1' \
    "$(sed -n 's/^Listening on //p' "$root/out")/log/water" | grep '"ok":true'
stop
echo "== upgrade keeps what waits"
inside dpkg -i /relay.deb >/dev/null
start
inside beemed-relay events list | grep 'water.*+2'
stop
echo "== remove keeps the data, purge takes it"
inside apt-get -q remove -y beemed-relay >/dev/null
[ -d "$root/var/lib/beemed-relay/journal" ]
[ ! -e "$root/usr/bin/beemed-relay" ]
inside apt-get -q purge -y beemed-relay >/dev/null
[ ! -e "$root/var/lib/beemed-relay" ]
[ ! -e "$root/etc/default/beemed-relay" ]
echo "all held"
