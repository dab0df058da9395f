#!/bin/sh
# fresh.sh - try the committed tree on a fresh, minimal Debian: fresh.sh [SUITE]... (bookworm trixie)
#
# What only a developer's machine has is found on a machine that has nothing: a root made by
# `debootstrap --variant=minbase` with git and make, a clone in it, and the targets $FRESH_TARGETS
# (demo check), each as `make deps TARGET`. The last line is "N passed, N failed", one for each target.
#
# Needs root, debootstrap and apt's mirror, and says so in one line where it has not got them. The
# pristine roots are kept as tar files in $FRESH_CACHE (build/fresh), the roots in use in $TMPDIR
# (/var/tmp). FRESH_ARCH=i386 and the like take another architecture that this processor runs.
# FRESH_KERNELS=build/cache takes compiled kernels along, which saves minutes.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
cache=${FRESH_CACHE:-$BUILD/fresh}
arch=${FRESH_ARCH:-$(dpkg --print-architecture 2>/dev/null)}
targets=${FRESH_TARGETS:-demo check}
[ $# -gt 0 ] || set -- bookworm trixie

skip() { echo "fresh: skipped: $*" && exit 0; }
[ "$(id -u)" = 0 ] || skip "only root may make a root"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
# Mounts and processes in namespaces of their own: the kernel ends both with the script, however it ends.
unshare -m -p -f --propagation private true 2>/dev/null || skip "no namespaces may be made here"
# The mirror and the proxies are those that apt has on this machine.
# shellcheck disable=SC2016 # apt's variables
mirror=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 2>/dev/null |
    sed -n 's/^Debian|Debian|\(http.*\)/\1/p' | head -n 1)
[ -n "$mirror" ] || skip "apt knows no mirror of Debian"

passed=0
failed=0
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
    mkdir -p "$cache" && root=$(mktemp -d "${TMPDIR:-/var/tmp}/imfilter-fresh.XXXXXX") || return 1
    debootstrap --arch="$arch" --variant=minbase --include="$packages" "$1" "$root" "$mirror" &&
        rm -rf "$root"/var/cache/apt/archives/*.deb &&
        tar -C "$root" -cf "$2.part" . && mv "$2.part" "$2"
    status=$?
    rm -rf --one-file-system "$root"
    root=
    return $status
}

unpack() { # TAR
    root=$(mktemp -d "${TMPDIR:-/var/tmp}/imfilter-fresh.XXXXXX") && chmod 755 "$root" &&
        tar -C "$root" -xpf "$1" || return 1
    apt-config dump 2>/dev/null | grep -i '^Acquire::.*proxy' >"$root/etc/apt/apt.conf.d/proxy"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf" && git clone -q --no-hardlinks . "$root/imfilter" || return 1
    [ -z "${FRESH_KERNELS:-}" ] ||
        { mkdir "$root/imfilter/build" && cp -R "$FRESH_KERNELS" "$root/imfilter/build/cache"; }
}

inside() { # COMMAND...: in the root, with a terminal's few variables
    # shellcheck disable=SC2016 # the inner shell's
    unshare -m -p -f --kill-child --propagation private sh -c '
        root=$1 && shift && mount -t proc proc "$root/proc" &&
            for dir in sys dev; do mount --rbind "/$dir" "$root/$dir" || exit 1; done &&
            exec chroot "$root" "$@"' sh "$root" \
        env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb "$@" </dev/null
}

for suite; do
    tar=$cache/$suite-$arch.tar
    if ! { [ -f "$tar" ] || bootstrap "$suite" "$tar"; } >"$log" 2>&1 || ! unpack "$tar" >>"$log" 2>&1; then
        tail -n 20 "$log" | sed 's/^/    /'
        echo "fresh $suite: no root could be made"
        failed=$((failed + 1))
    else
        for target in $targets; do
            start=$(date +%s)
            if inside make -C /imfilter --no-print-directory -j"$(nproc)" deps "$target" >"$log" 2>&1; then
                passed=$((passed + 1))
                echo "fresh $suite, make deps $target: ok ($(tail -n 1 "$log"), $(($(date +%s) - start)) s)"
            else
                failed=$((failed + 1))
                tail -n "${FRESH_LINES:-100}" "$log" | sed 's/^/    /'
                echo "fresh $suite, make deps $target: failed"
            fi
        done
    fi
    [ -z "$root" ] || rm -rf --one-file-system "$root"
    root=
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
