#!/bin/sh
# demo.sh - filter pictures into $OUT, and show which backend is chosen and where the time goes
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

# What the plan for 12 megapixels estimates for each filter, in milliseconds.
choices() { # "OPTION" FILTER...
    option=$1
    shift
    printf '\n  %-34s %8s %8s %8s   %s\n' "$option" direct fft vector chosen
    for filter; do
        plan=$("$IMFILTER" -q --explain --json ${option:+"$option"} -f "$filter" "$OUT/large.ppm" 2>&1) || {
            printf '  %s\n' "$plan"
            return 0
        }
        printf '%s\n' "$plan" | tr '{' '\n' | awk -v filter="${filter#kernel:@"$OUT"/}" -F '[:,]' '
            /^"stage"/ {
                gsub(/"/, "")
                ms = "-"
                for (i = 2; i < NF; i++) {
                    if ($i == "estimate_ms" && $(i + 1) != "null") ms = sprintf("%.1f", $(i + 1))
                    if ($i == "chosen" && $(i + 1) == "true") chosen = $4
                }
                estimate[$4] = ms
            }
            END {
                printf "  %-34s %8s %8s %8s   %s\n", filter, estimate["direct"], estimate["fft"],
                    estimate["vector"], chosen
            }'
    done
}

cp "$photo" "$OUT/original.jpg"
show -f unsharp:sigma=1.5:amount=1.2 "$photo" -o "$OUT/sharp.jpg"
show -f disk:9 --linear "$photo" -o "$OUT/lens.jpg"
show -f gray -f sobel "$photo" -o "$OUT/edges.png"
show -f highpass:0.04 "$photo" -o "$OUT/highpass.png"
cp testdata/moire.jpg "$OUT/moire.jpg"
show --spectrum="$OUT/spectrum.png" "$OUT/moire.jpg"
show -f notch:0.17:0.06:0.02 -f notch:0.05:-0.21:0.02 "$OUT/moire.jpg" -o "$OUT/clean.jpg"

# Of the large picture only the header is looked at. The kernel has no structure that saves work.
printf 'P6\n4000 3000\n255\n' > "$OUT/large.ppm"
truncate -s +36000000 "$OUT/large.ppm"
awk 'BEGIN { for (i = 0; i < 25 * 25; i++) printf "%g%s", i * 7 % 11 + 0.3, i % 25 == 24 ? "\n" : " " }' > "$OUT/25x25"

printf '\nThe cheapest backend for a filter is chosen by estimates, here in ms for 12 megapixels. On an\n'
printf 'OpenCL device (for PoCL: the processor) small kernels are convolved directly, large ones by FFT:\n'
choices --device=cpu motion:3:30 motion:9:30 motion:25:30 motion:75:30
printf '\nWith everything allowed OpenCL has to be worth its start, some 30 ms in these estimates. Small\n'
printf 'kernels are done sooner by vectorised C; where there is much to compute, the FFT is chosen:\n'
choices '' motion:3:30 motion:9:30 motion:25:30 motion:75:30 \
    motion:101:30 disk:12 disk:120 log:14 "kernel:@$OUT/25x25:scale=auto"
rm -f "$OUT/large.ppm" "$OUT/25x25"

printf '\nThe whole table for one of them'
show -f motion:75:30 --explain "$photo"
printf '\nWhere the time goes'
show -f motion:75:30 --timing "$photo" -o "$OUT/timed.jpg"
rm -f "$OUT/timed.jpg"

printf '\nThe pictures:\n'
ls "$OUT"/*.jpg "$OUT"/*.png
