#!/bin/sh
# run.sh - fuzz targets with libFuzzer for $SECONDS_EACH seconds: run.sh [TARGET...] (all); findings go to
# $BUILD/fuzzing/TARGET-*
set -eu
cd "$(dirname "$0")/../.."
. test/fuzz/targets.sh
BUILD=${BUILD:-build}
CLANG=${CLANG:-clang}
out=$BUILD/fuzzing/out
names=${*:-$(fuzz_targets)}

if ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return !d && n; }' |
    "$CLANG" -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null; then
    echo "make fuzz needs clang with libFuzzer (Debian: clang libclang-rt-14-dev)" >&2
    exit 1
fi
# shellcheck disable=SC2086 # a list of targets
CC=$CLANG CXX=$CLANG++ OUT=$out WORK=$BUILD LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
    CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
    sh test/fuzz/build.sh $names

# The targets' temporary files, which one that crashes leaves.
mkdir -p "$out/tmp"
TMPDIR=$(cd "$out/tmp" && pwd)
export TMPDIR
failed=0
for name in $names; do
    corpus=$BUILD/fuzzing/corpus-$name seeds=$out/seeds-$name
    mkdir -p "$corpus"
    rm -rf "$seeds"
    python3 -m zipfile -e "$out/${name}_seed_corpus.zip" "$seeds"
    set -- "$corpus" "$seeds"
    [ ! -f "$out/$name.dict" ] || set -- "-dict=$out/$name.dict" "$@"
    echo "== $name, ${SECONDS_EACH:-60} s"
    "$out/$name" -max_total_time="${SECONDS_EACH:-60}" -max_len=20000 -timeout=20 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$BUILD/fuzzing/$name-" "$@" || failed=1
done
rm -rf "$TMPDIR"
exit $failed
