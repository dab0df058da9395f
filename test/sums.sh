#!/bin/sh
# sums.sh - is every sample the same here as everywhere? sums.sh [--write] [OPTION]...
#
# test/sums.txt has SHA-256 sums of what filters that are exact make of the test pictures, as binary
# PNM: one table for all processors, drivers, devices and backends. OPTIONs go to imfilter, as
# --device=1 or --backend=direct; a filter that it refuses by --backend or --device is not counted.
# EVERY=N takes each Nth line of the table only. --write makes the table anew, by the plain
# reference. The last line is "sums: N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
imfilter=${IMFILTER:-${BUILD:-build}/imfilter}
table=test/sums.txt

# Filters and other options, separated by spaces.
filters='sharpen sharpen:2 box:3 box:9 box:31 disk:2 disk:5 disk:15 motion:9:0 sobel sobel:dir=x
prewitt scharr:dir=y laplacian emboss gray invert levels:0.1:0.9:gamma=1.5 levels:0.2:0.7 gamma:2.2 gamma:0.45 levels:auto levels:auto:2%:5%:gamma=1.4 curve:0,0/0.3,0.5/1,1 threshold:0.4 threshold:otsu threshold:local:7:0.04
threshold:sauvola:9 equalize clahe clahe:tiles=3x5:limit=1.5 fill despeckle:5 despeckle:40:light
median:1 median:2 median:3 median:7 median:20 median:6:shape=disk median:3:shape=cross median:9x4
percentile:10:1 percentile:75:4 percentile:40:15:shape=disk erode:1 erode:15 erode:7:shape=disk
dilate:2 dilate:40 dilate:3x12 open:2 open:6:shape=disk close:3 close:5:shape=cross gradient:1
tophat:7 blackhat:4:shape=disk kernel:1,2,1/2,4,2/1,2,1:scale=16 kernel:3,-1,2,-5,4,7:scale=-9:bias=1
sharpen+sobel box:5+median:2 median:1+threshold:otsu gray+equalize open:1+close:1+threshold:0.5'
pictures='noise-rgb siemens alpha gradient16 text'

sum() { # PICTURE FILTERS OPTION...
    picture=$1
    specs=$2
    shift 2
    for spec in $(echo "$specs" | tr + ' '); do
        set -- "$@" -f "$spec"
    done
    "$imfilter" -q "$@" --format=pnm --alpha=keep "testdata/$picture.png" -o "$out" 2>"$out.why" || return
    sha256sum <"$out" | cut -d' ' -f1
}

out=$(mktemp) || exit 1
trap 'rm -f "$out" "$out.why"' EXIT
trap 'exit 130' INT TERM

if [ "${1:-}" = --write ]; then
    for filter in $filters; do
        for picture in $pictures; do
            for edge in clamp mirror; do
                line=$(sum "$picture" "$filter" --backend=cpu --edge=$edge) || { cat "$out.why" >&2; exit 1; }
                echo "$line $picture $edge $filter"
            done
        done
    done >"$table.new" && mv "$table.new" "$table"
    exit
fi

passed=0
failed=0
refused=0
line=0
while read -r want picture edge filter; do
    line=$((line + 1))
    [ $((line % ${EVERY:-1})) -eq 0 ] || continue
    got=$(sum "$picture" "$filter" --edge="$edge" "$@")
    status=$?
    if [ $status -eq 2 ] && grep -q -e --backend -e --device "$out.why"; then
        refused=$((refused + 1))
    elif [ "$got" = "$want" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "sums: $filter, $picture, --edge=$edge${*:+, $*}: $([ $status -eq 0 ] && echo other samples || cat "$out.why")"
    fi
done <"$table"
[ $refused -eq 0 ] || echo "sums: $refused not applicable"
echo "sums: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
