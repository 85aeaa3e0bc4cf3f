#!/usr/bin/env bash
# A Debian package of the binary that `make release` has built: .build/dist/beemed-relay_*.deb.
# The unit is made by the program itself, the manual page from its help.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/version.sh
need dpkg-deb=dpkg dpkg-shlibdeps=dpkg-dev gzip=gzip md5sum=coreutils xz=xz-utils objdump=binutils

dist=$PWD/.build/dist
program=$dist/beemed-relay
here=$PWD/packaging/debian
[ -x "$program" ] || { echo "missing: $program, which packaging/release.sh makes" >&2; exit 1; }
machine=$(dpkg --print-architecture)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"

install -D -m 755 "$program" "$tree/usr/bin/beemed-relay"
mkdir -p "$tree/lib/systemd/system" "$tree/etc/avahi/services"
(exec -a /usr/bin/beemed-relay "$program" service install --system --print) \
    > "$tree/lib/systemd/system/beemed-relay.service"
install -D -m 644 "$here/default" "$tree/etc/default/beemed-relay"
install -m 644 Sources/BeemedRelay/CEmbedded/service/avahi.service \
    "$tree/etc/avahi/services/beemed-relay.service"
mkdir -p "$tree/usr/share/man/man1" "$tree/usr/share/bash-completion/completions" \
    "$tree/usr/share/zsh/vendor-completions" "$tree/usr/share/fish/vendor_completions.d" \
    "$tree/usr/share/doc/beemed-relay" "$tree/usr/share/lintian/overrides"
packaging/manual-page.sh "$program" | gzip -9n > "$tree/usr/share/man/man1/beemed-relay.1.gz"
shells=$PWD/packaging/completions
install -m 644 "$shells/beemed-relay.bash" "$tree/usr/share/bash-completion/completions/beemed-relay"
install -m 644 "$shells/_beemed-relay" "$tree/usr/share/zsh/vendor-completions/_beemed-relay"
install -m 644 "$shells/beemed-relay.fish" "$tree/usr/share/fish/vendor_completions.d/beemed-relay.fish"
install -m 644 "$here/copyright" "$tree/usr/share/doc/beemed-relay/copyright"
install -m 644 "$here/overrides" "$tree/usr/share/lintian/overrides/beemed-relay"
date=$(date -uR -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}")
printf 'beemed-relay (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n -- %s  %s\n' \
    "$version" "BeemedRelay <nobody@beemed-relay.home.arpa>" "$date" \
    | gzip -9n > "$tree/usr/share/doc/beemed-relay/changelog.gz"

# Which packages the binary's libraries are of, and in which versions. It loads libcurl itself, so
# nothing but this script names that package, which has two names.
mkdir -p "$tree/../depends.$$/debian"
touch "$tree/../depends.$$/debian/control"
log=$(mktemp)
depends=$(cd "$tree/../depends.$$" && dpkg-shlibdeps -O "$tree/usr/bin/beemed-relay" 2>"$log" \
    | sed -n 's/^shlibs:Depends=//p') || { cat "$log" >&2; exit 1; }
rm -rf "$tree/../depends.$$" "$log"

mkdir "$tree/DEBIAN"
for script in postinst prerm postrm; do install -m 755 "$here/$script" "$tree/DEBIAN/"; done
printf '/etc/default/beemed-relay\n/etc/avahi/services/beemed-relay.service\n' \
    > "$tree/DEBIAN/conffiles"
cat > "$tree/DEBIAN/control" <<CONTROL
Package: beemed-relay
Version: $version
Architecture: $machine
Maintainer: BeemedRelay <nobody@beemed-relay.home.arpa>
Installed-Size: $(du -sk --exclude=DEBIAN "$tree" | cut -f1)
Depends: $depends, libcurl4t64 | libcurl4, ca-certificates, tzdata
Recommends: tzdata-legacy, avahi-daemon, systemd-timesyncd | time-daemon
Section: net
Priority: optional
Homepage: https://www.beeminder.com
Description: takes presses of small devices and delivers them to Beeminder
 A small always-on server for the home network. A button, a watch, Home
 Assistant or curl says "+1"; the relay puts it on disk, answers, and delivers
 it to Beeminder exactly once, whenever Beeminder can be reached.
CONTROL
(cd "$tree" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum) \
    > "$tree/DEBIAN/md5sums"
find "$tree" -type d -exec chmod 755 {} +
dpkg-deb --root-owner-group -Zxz --build "$tree" "$dist/beemed-relay_${version}_$machine.deb"
