#!/bin/sh
# deps.sh - install those of the named Debian packages that are missing; nothing to do: no network
set -eu

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "make deps knows Debian's packages only; on this system install the likes of: $*" >&2
    exit 1
fi

missing=
for package; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || :)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root() { env DEBIAN_FRONTEND=noninteractive "$@"; }
elif command -v sudo >/dev/null 2>&1; then
    as_root() { sudo env DEBIAN_FRONTEND=noninteractive "$@"; }
else
    echo "missing packages, and no sudo to install them with; as root: apt-get install$missing" >&2
    exit 1
fi

echo "installing:$missing"
as_root apt-get update -q
# shellcheck disable=SC2086 # a list of words
as_root apt-get install -q -y --no-install-recommends $missing
