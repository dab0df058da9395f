# root.sh - minimal Debian roots, for scripts that source it in the tree: fresh.sh, package.sh, container.sh
#
# Sets mirror, arch, cache, log, and of the root in use root; both go with the script. A script that cannot make roots
# here ends with one line that says why. $FRESH_CACHE (build/fresh) keeps pristine roots as tar files, roots in use are
# in $TMPDIR (/var/tmp).
# shellcheck shell=sh

BUILD=${BUILD:-build}
cache=${FRESH_CACHE:-$BUILD/fresh}
arch=${FRESH_ARCH:-$(dpkg --print-architecture 2>/dev/null)}
name=$(basename "$0" .sh)

skip() { echo "$name: skipped: $*" && exit 0; }
[ "$(id -u)" = 0 ] || skip "only root may make a root"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
# Mounts and processes in namespaces of their own: the kernel ends both with the script, however it ends.
unshare -m -p -f --propagation private true 2>/dev/null || skip "no namespaces may be made here"
# The mirror and the proxies are those that apt has on this machine.
# shellcheck disable=SC2016 # apt's variables
mirror=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 2>/dev/null |
    sed -n 's/^Debian|Debian|\(http.*\)/\1/p' | head -n 1)
[ -n "$mirror" ] || skip "apt knows no mirror of Debian"

# shellcheck disable=SC2034 # counted by who sources this
passed=0 failed=0
root=
log=$(mktemp)
finish() {
    [ -z "$root" ] || rm -rf --one-file-system "$root"
    rm -f "$log"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# SUITE's pristine root, as a tar file whose name comes when it is complete.
bootstrap() { # SUITE TAR
    packages=git,make
    case $mirror in https:*) packages=$packages,ca-certificates ;; esac
    mkdir -p "$cache" && root=$(mktemp -d "${TMPDIR:-/var/tmp}/imfilter-$name.XXXXXX") || return 1
    debootstrap --arch="$arch" --variant=minbase --include="$packages" "$1" "$root" "$mirror" &&
        rm -rf "$root"/var/cache/apt/archives/*.deb &&
        tar -C "$root" -cf "$2.part" . && mv "$2.part" "$2"
    status=$?
    rm -rf --one-file-system "$root"
    root=
    return $status
}

unpack_root() { # TAR
    root=$(mktemp -d "${TMPDIR:-/var/tmp}/imfilter-$name.XXXXXX") &&
        tar -C "$root" -xpf "$1" && chmod 755 "$root" || return 1 # the tar file has mktemp's mode
    apt-config dump 2>/dev/null | grep -i '^Acquire::.*proxy' >"$root/etc/apt/apt.conf.d/proxy"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
}

drop_root() {
    [ -z "$root" ] || rm -rf --one-file-system "$root"
    root=
}

inside() { # COMMAND...: in the root, with a terminal's few variables
    # shellcheck disable=SC2016 # the inner shell's
    unshare -m -p -f --kill-child --propagation private sh -c '
        root=$1 && shift && mount -t proc proc "$root/proc" &&
            for dir in sys dev; do mount --rbind "/$dir" "$root/$dir" || exit 1; done &&
            exec chroot "$root" "$@"' sh "$root" \
        env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb "$@" </dev/null
}
