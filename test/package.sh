#!/bin/sh
# package.sh - build Debian's packages in a minimal root, and try them in another: package.sh [SUITE]... (bookworm trixie)
#
# The tarball of `make dist` becomes packages, without git; lintian has to find neither errors nor warnings; they are
# installed where no compiler ever was, debian/tests/ runs with them on PoCL, and purging them leaves nothing behind.
# The packages stay in build/packages/SUITE. The last line is "N passed, N failed". PACKAGE_OPTIONS=nocheck leaves the
# unit tests out. Of roots see root.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- bookworm trixie
options=${PACKAGE_OPTIONS:-}
. test/root.sh
[ -e .git ] || skip "debian/ is taken from a clone"

version=$(sed -n 's/^.define IMF_VERSION_[MP][A-Z]* //p' lib/imfilter.h | paste -sd. -)
# What `make deps` and debian/control name, and the tools of a builder.
tools='build-essential debhelper devscripts fakeroot lintian'

step() { # NAME COMMAND...
    start=$(date +%s)
    label=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "package $suite, $label: ok ($(($(date +%s) - start)) s)"
    else
        failed=$((failed + 1))
        tail -n "${PACKAGE_LINES:-60}" "$log" | sed 's/^/    /'
        echo "package $suite, $label: failed"
        return 1
    fi
}

apt() { # ARGUMENT...
    inside env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@"
}

fresh_root() {
    { [ -f "$cache/$suite-$arch.tar" ] || bootstrap "$suite" "$cache/$suite-$arch.tar"; } &&
        unpack_root "$cache/$suite-$arch.tar" && apt update
}

sources() { # the tarball by the name that dpkg-source looks for, its tree, and debian/
    tarball=$(sh test/dist.sh "$version" "$BUILD") && mkdir -p "$root/src" &&
        cp "$tarball" "$root/src/imfilter_$version.orig.tar.gz" && tar -C "$root/src" --no-same-owner -xf "$tarball" &&
        git archive HEAD debian | tar -C "$root/src/imfilter-$version" --no-same-owner -xf -
}

build() {
    # shellcheck disable=SC2086 # a list of packages
    apt install $tools && apt build-dep "/src/imfilter-$version" &&
        inside sh -c "cd /src/imfilter-$version && DEB_BUILD_OPTIONS='parallel=$(nproc) $options' dpkg-buildpackage -us -uc"
}

lint() {
    inside sh -c 'cd /src && lintian --allow-root --fail-on error,warning --tag-display-limit 0 ./*.changes'
}

keep() {
    rm -rf "$BUILD/packages/$suite" && mkdir -p "$BUILD/packages/$suite" &&
        cp "$root"/src/*.deb "$root"/src/*.dsc "$root"/src/*.tar.* "$root"/src/*.changes "$BUILD/packages/$suite"
}

# Every file but what the package manager and the loader note for themselves.
files() {
    find "$root" -xdev \( -path "$root/var/lib/dpkg" -o -path "$root/var/log" -o -path "$root/var/cache" -o \
        -path "$root/var/lib/apt" -o -path "$root/proc" -o -path "$root/tmp" -o -path "$root/packages" -o \
        -path "$root/src" -o -path "$root/root" \) -prune -o -print | LC_ALL=C sort
}

install_packages() {
    mkdir "$root/packages" && cp "$BUILD/packages/$suite"/*.deb "$root/packages" && rm -f "$root"/packages/*-dbgsym_*
    apt install pocl-opencl-icd gcc g++ libc6-dev pkgconf python3 man-db || return 1
    # What they depend on comes first, so that what is left after the purge is theirs.
    # shellcheck disable=SC2046 # a list of packages
    apt install $(apt -s install $(cd "$root" && echo ./packages/*.deb | sed 's| \./| /|g; s|^\./|/|') |
        sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep -v -e imfilter) || return 1
    files >"$log.before"
    # shellcheck disable=SC2046
    apt install $(cd "$root" && echo ./packages/*.deb | sed 's| \./| /|g; s|^\./|/|')
}

# debian/tests/ as autopkgtest runs it.
try() { # TEST
    rm -rf "$root/tmp/test" && mkdir "$root/tmp/test" &&
        inside sh -c "cd /src/imfilter-$version && AUTOPKGTEST_TMP=/tmp/test sh debian/tests/$1"
}

purge() {
    apt purge imfilter libimfilter1 libimfilter-dev && files >"$log.after" && diff "$log.before" "$log.after"
}

trap 'rm -f "$log.before" "$log.after"; finish' EXIT
for suite; do
    step 'a root' fresh_root && step 'sources' sources && step 'dpkg-buildpackage' build && {
        step 'lintian' lint
        keep
    } && drop_root && step 'another root' fresh_root && sources >/dev/null && step 'install' install_packages && {
        step 'demo on PoCL' try demo
        step 'clients in C, C++ and Python' try client
        step 'purge leaves nothing' purge
    }
    drop_root
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
