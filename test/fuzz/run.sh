#!/bin/sh
# run.sh - fuzz each target with libFuzzer for $SECONDS_EACH seconds; findings go to $BUILD/fuzz-*
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
CLANG=${CLANG:-clang}

if ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return !d && n; }' |
    "$CLANG" -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null; then
    echo "make fuzz needs clang with libFuzzer (Debian: clang libclang-rt-14-dev)" >&2
    exit 1
fi

# The library once more, with coverage for the engine. Inner loops, which no target gets to but readers' shortest,
# are not optimised: clang takes 10 s of processor time for vector_rows.c, and beyond 260 s and 2.4 GB with -O1.
flags='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all'
make BUILD="$BUILD/fuzzing" CC="$CLANG" CFLAGS="$flags" LOOP_FLAGS=-O0 "$BUILD/fuzzing/libimfilter.a"
for source in test/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    # shellcheck disable=SC2046 # lists of options
    "$CLANG" -std=c17 -D_GNU_SOURCE -Ilib $(pkg-config --cflags libpng libjpeg zlib OpenCL) -O1 -g \
        -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all "$source" \
        "$BUILD/fuzzing/libimfilter.a" $(pkg-config --libs libpng libjpeg zlib OpenCL) -pthread -lm \
        -o "$BUILD/fuzzing/$name"
    corpus=$BUILD/fuzzing/corpus-$name
    mkdir -p "$corpus"
    seeds=test/fuzz/corpus/$name
    case $name in
    reader) seeds="$seeds testdata/types testdata/damaged" ;;
    flt) seeds="$seeds filters" ;;
    esac
    echo "== $name, ${SECONDS_EACH:-60} s"
    # shellcheck disable=SC2086 # a list of directories
    "$BUILD/fuzzing/$name" -max_total_time="${SECONDS_EACH:-60}" -max_len=20000 -timeout=20 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$BUILD/fuzzing/$name-" \
        "$corpus" $seeds
done
