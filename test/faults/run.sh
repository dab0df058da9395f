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

# Memory that runs out for one image of a batch harms no other: shapes change, so that plans do.
mkdir "$directory/batch"
printf 'P5 3 2 255\nabcdef' >"$directory/a.pgm"
printf 'P5 2 3 255\nabcdef' >"$directory/b.pgm"
cp "$directory/a.pgm" "$directory/c.pgm"
batch() { # ENVIRONMENT...
    env IMFILTER_SANDBOX=0 IMF_FAULT_PROGRAM="$program" "$@" LD_PRELOAD="$layer" "$program" -q -f blur:1 --backend=cpu \
        "$directory/a.pgm" "$directory/b.pgm" "$directory/c.pgm" -o "$directory/batch" >/dev/null 2>&1
}
batch IMF_FAULT_COUNT="$directory/calls"
calls=$(sed -n 's/^malloc //p' "$directory/calls")
for n in $(seq 1 "${calls:-0}"); do
    batch IMF_FAULT="malloc:$n"
    status=$?
    [ "$status" -le 3 ] ||
        { echo "a batch, malloc:$n: status $status" && echo "faults: 0 passed, 1 failed" && exit 1; }
done
[ "${calls:-0}" -gt 0 ] || { echo "no call was counted" && echo "faults: 0 passed, 1 failed" && exit 1; }
rm -r "$directory/batch" "$directory"/?.pgm "$directory/calls"

# What a device was given before it failed may run after that: the host has to wait for it. Only a device
# holds the sums of this kernel, 41 by 41 ones around a large tap.
ones=$(printf '1,%.0s' $(seq 40))1
half=$(printf '1,%.0s' $(seq 20))
kernel=$(printf "$ones/%.0s" $(seq 20))${half}100000000,${half%,}$(printf "/$ones%.0s" $(seq 20)):scale=100001680
{ printf 'P5 1200 500 65535\n' && head -c 1200000 "$program"; } >"$directory/in.pgm"
late() { # FAULT OUTPUT
    env POCL_CACHE_DIR="$build/faults/pocl" XDG_CACHE_HOME="$directory/cache" LATE_US=50 IMF_FAULT="$1" \
        IMF_FAULT_PROGRAM="$program" LD_PRELOAD="$layer $build/faults/late.so" \
        "$program" -q -f "kernel:$kernel" "$directory/in.pgm" -o "$directory/$2"
}
late clMapNothing:1 right.pgm && late clMapNothing:1 right.pgm || exit 1
for n in $(seq 1 18) 10 12 14 16; do
    late "clEnqueueMapBuffer:$n" out.pgm && cmp "$directory/right.pgm" "$directory/out.pgm" ||
        { echo "late copies, clEnqueueMapBuffer:$n: wrong pixels" && echo "faults: 0 passed, 1 failed" && exit 1; }
done
rm -r "$directory/cache" "$directory"/*.pgm

"$build/faults/sweep" "$program" "$layer" "$PWD/testdata" "$directory" "$@"
