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
targets=${FRESH_TARGETS:-demo check}
[ $# -gt 0 ] || set -- bookworm trixie

. test/root.sh

unpack() { # TAR
    unpack_root "$1" && git clone -q --no-hardlinks . "$root/imfilter" || return 1
    [ -z "${FRESH_KERNELS:-}" ] ||
        { mkdir "$root/imfilter/build" && cp -R "$FRESH_KERNELS" "$root/imfilter/build/cache"; }
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
