#!/bin/sh
# portability.sh - build with other compilers, libraries and word sizes: portability.sh [CASE]... (all)
#
#     gcc clang     each as it is installed, and gcc-14 and clang-18 where they are: program and unit tests
#     none          without OpenCL, TIFF, WebP, HEIF, AVIF and Little CMS
#     musl m32      without libraries for them, only what needs none: the whole library compiles, and those unit tests
#                   run that link
#
# A case whose compiler is missing is passed over, and said so. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM HUP
[ $# -gt 0 ] || set -- gcc clang gcc-14 clang-18 none musl m32

build() { # ARGUMENT...: of make, quietly
    env -u MAKEFLAGS -u MAKELEVEL make -s -j"$(nproc)" BUILD="$BUILD/port-$name" WERROR=1 "$@" >"$log" 2>&1
}

verdict() { # STATUS TEXT
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "portability $name: ok$2"
    else
        failed=$((failed + 1))
        tail -n 20 "$log" | sed 's/^/    /'
        echo "portability $name: failed$2"
    fi
}

run_units() { # counts in $tests, and returns whether none failed
    tests=0
    bad=0
    for test in "$BUILD/port-$name"/test/test_*; do
        case $test in *.d) continue ;; esac
        [ -x "$test" ] || continue
        tests=$((tests + 1))
        "$test" >"$log.one" 2>&1 && continue
        bad=$((bad + 1))
        tail -n 3 "$log.one" >>"$log"
        echo "$test failed" >>"$log"
    done
    rm -f "$log.one"
    [ "$tests" -gt 0 ] && [ "$bad" -eq 0 ]
}

whole() { # ARGUMENT...
    build "$@" all && build "$@" -k unit-programs && run_units
    verdict $? ", ${tests:-0} unit tests"
}

# Headers of the libraries are this machine's, behind the compiler's own.
without_libraries() { # ARGUMENT...
    set -- OPENCL=0 FORMAT_PACKAGES= LOADED_PACKAGES= LCMS2_PACKAGE= ISAL_PACKAGE= PKG_CFLAGS= PKG_LIBS= "$@"
    build "$@" "$BUILD/port-$name/libimfilter.a" || { verdict 1 '' && return; }
    build "$@" -k unit-programs # those that need libraries do not link
    run_units
    verdict $? ", ${tests:-0} unit tests link without libraries"
}

for name; do
    tests=0
    rm -rf "$BUILD/port-$name/test" # of other sources
    case $name in none | m32) compiler=gcc ;; musl) compiler=musl-gcc ;; *) compiler=$name ;; esac
    if ! command -v "$compiler" >/dev/null; then
        echo "portability $name: passed over, there is no $compiler"
        continue
    fi
    case $name in
    none) whole OPENCL=0 FORMAT_PACKAGES= LOADED_PACKAGES= LCMS2_PACKAGE= ISAL_PACKAGE= ;;
    musl) without_libraries CC="${CCACHE:-} musl-gcc" \
        CPPFLAGS="-idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch)" ;;
    m32)
        echo 'int main(void) { return 0; }' | gcc -m32 -x c -o "$log" - 2>/dev/null || {
            echo "portability m32: passed over, gcc has no libraries of 32 bits"
            continue
        }
        without_libraries CC="${CCACHE:-} gcc -m32" CPPFLAGS="-idirafter /usr/include/$(gcc -print-multiarch)" ;;
    *) whole CC="${CCACHE:-} $compiler" ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
