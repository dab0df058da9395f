#!/bin/sh
# build.sh - fuzz targets for an engine, as OSS-Fuzz builds them: build.sh [TARGET...] (all)
#
# Environment: CC, CXX, CFLAGS with its sanitizers, LIB_FUZZING_ENGINE (flags or a library to link), WORK for what is
# built on the way, SRC where this file was copied out of $SRC/imfilter. $OUT gets, of each target, TARGET,
# TARGET.dict if it has words, and TARGET_seed_corpus.zip; and in lib/ the libraries that TARGET is linked to.
set -eu
root=$(dirname "$0")/../..
cd "$([ -f "$root/test/fuzz/targets.sh" ] && echo "$root" || echo "$SRC/imfilter")"
. test/fuzz/targets.sh
build=${WORK:-build}/fuzzing
names=${*:-$(fuzz_targets)}

# Inner loops, which no target gets to but readers' shortest, are not optimised: clang takes 10 s of processor time
# for vector_rows.c, and beyond 260 s and 2.4 GB with -O1.
# shellcheck disable=SC2046,SC2086 # lists of targets
make -j"$(nproc)" BUILD="$build" CC="$CC" CFLAGS="$CFLAGS" LOOP_FLAGS=-O0 LDFLAGS="-Wl,-rpath,'\$\$ORIGIN/lib',--disable-new-dtags" \
    FUZZ_LINKER="$CXX" ENGINE="$LIB_FUZZING_ENGINE" $(printf "$build/fuzz/%s " $names)

mkdir -p "$OUT/lib"
for name in $names; do
    cp "$build/fuzz/$name" "$OUT/$name"
    # Where it runs there are the C and C++ libraries, but maybe no others.
    ldd "$build/fuzz/$name" | sed -n 's/.* => \(\/.*\) (.*/\1/p' | grep -vE '/(libc|libm|libgcc_s|libstdc\+\+|ld-linux[^/]*)\.so' |
        xargs -r cp -t "$OUT/lib"
    fuzz_dictionary "$name" >"$OUT/$name.dict"
    [ -s "$OUT/$name.dict" ] || rm "$OUT/$name.dict"
    # shellcheck disable=SC2046 # a list of folders
    python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" $(fuzz_seeds "$name")
done
