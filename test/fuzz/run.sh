#!/bin/sh
# run.sh - fuzz each target with libFuzzer for $SECONDS_EACH seconds; findings go to $BUILD/fuzzing/TARGET-*
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
CLANG=${CLANG:-clang}

if ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return !d && n; }' |
    "$CLANG" -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null; then
    echo "make fuzz needs clang with libFuzzer (Debian: clang libclang-rt-14-dev)" >&2
    exit 1
fi

# The targets once more, with coverage for the engine. Inner loops, which no target gets to but readers' shortest,
# are not optimised: clang takes 10 s of processor time for vector_rows.c, and beyond 260 s and 2.4 GB with -O1.
flags='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all'
names=$(basename -s .c test/fuzz/fuzz_*.c | sed 's/^fuzz_//')
# shellcheck disable=SC2046,SC2086 # a list of targets
make -j"$(nproc)" BUILD="$BUILD/fuzzing" CC="$CLANG" CFLAGS="$flags" LOOP_FLAGS=-O0 ENGINE=-fsanitize=fuzzer \
    $(printf "$BUILD/fuzzing/fuzz/%s " $names)
failed=0
for name in $names; do
    corpus=$BUILD/fuzzing/corpus-$name
    mkdir -p "$corpus"
    set -- "$corpus"
    case $name in
    png | jpeg | pnm | tiff | webp) seeds='testdata/types testdata/damaged testdata/foreign' ;;
    flt) seeds=filters ;;
    *) seeds= ;;
    esac
    for folder in "test/fuzz/corpus/$name" $seeds; do
        [ ! -d "$folder" ] || set -- "$@" "$folder"
    done
    [ ! -f "test/fuzz/dictionaries/$name" ] || set -- "-dict=test/fuzz/dictionaries/$name" "$@"
    echo "== $name, ${SECONDS_EACH:-60} s"
    "$BUILD/fuzzing/fuzz/$name" -max_total_time="${SECONDS_EACH:-60}" -max_len=20000 -timeout=20 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$BUILD/fuzzing/$name-" "$@" || failed=1
done
exit $failed
