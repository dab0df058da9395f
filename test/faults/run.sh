#!/bin/sh
# run.sh - what happens when a call fails? (see faults.c and sweep.c): run.sh [SEED]
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
build=$(cd "$BUILD" && pwd) || exit 1
program=$build/imfilter
layer=$build/faults/faults.so

# A function of OpenCL that the layer does not know would count as ours where it allocates.
defined=$(nm -D --defined-only "$layer" | awk '{print $3}')
for function in $(nm -D --undefined-only "$program" | sed -n 's/.* \(cl[A-Z][A-Za-z]*\).*/\1/p'); do
    echo "$defined" | grep -qx "$function" ||
        { echo "faults.c does not intercept $function" && echo "faults: 0 passed, 1 failed" && exit 1; }
done

directory=$(mktemp -d "$build/faults/run.XXXXXX")
trap 'rm -rf "$directory"' EXIT
trap 'exit 130' INT TERM
"$build/faults/sweep" "$program" "$layer" "$PWD/testdata" "$directory" "$@"
