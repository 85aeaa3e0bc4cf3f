# Read by the other scripts: the version of the program, and what a release of this repository is called.
# shellcheck shell=bash disable=SC2034
version=$(sed -n 's/.*static let number = "\(.*\)".*/\1/p' Sources/BeemedRelay/Trunk/Files/Version.swift)
# Names of images are in lower case.
image="ghcr.io/$(tr '[:upper:]' '[:lower:]' <<<"${GITHUB_REPOSITORY:-this/repository}")"

# Ends with the names of the Debian packages to install when commands are missing.
# Arguments: command=package ...
need() {
    local missing=() pair
    for pair in "$@"; do command -v "${pair%%=*}" >/dev/null || missing+=("$pair"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    for pair in "${missing[@]}"; do
        echo "missing: ${pair%%=*}, of Debian's package ${pair#*=}" >&2
    done
    echo "install with: sudo apt install $(printf '%s\n' "${missing[@]#*=}" | sort -u | xargs)" >&2
    exit 1
}
