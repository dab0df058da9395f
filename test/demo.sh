#!/bin/sh
# demo.sh - filter the still life four ways into $OUT, with plan and times
set -eu
cd "$(dirname "$0")/.."
IMFILTER=${IMFILTER:-build/imfilter}
OUT=${OUT:-build/demo}
photo=testdata/still.jpg
mkdir -p "$OUT"

show() {
    printf '\n$ imfilter'
    printf ' %s' "$@"
    printf '\n'
    "$IMFILTER" "$@"
}

cp "$photo" "$OUT/original.jpg"
show -f unsharp:sigma=1.5:amount=1.2 "$photo" -o "$OUT/sharp.jpg"
show -f disk:9 --linear "$photo" -o "$OUT/lens.jpg"
show -f gray -f sobel "$photo" -o "$OUT/edges.png"
show -f highpass:0.04 "$photo" -o "$OUT/highpass.png"

printf '\nHow a filter is computed depends on what it costs: a small kernel'
show -f sharpen "$photo" --explain -o "$OUT/plan.png"
printf '\nand a large one'
show -f disk:25 "$photo" --explain -o "$OUT/plan.png"
printf '\nWhere the time goes'
show -f disk:9 "$photo" --timing -o "$OUT/timed.jpg"
rm -f "$OUT/plan.png" "$OUT/timed.jpg"

printf '\nThe pictures:\n'
ls "$OUT"/*.jpg "$OUT"/*.png
