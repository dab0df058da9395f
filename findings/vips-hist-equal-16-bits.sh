#!/bin/sh
# vips-hist-equal-16-bits.sh - vips hist_equal stretches 16 bits to the largest value in the picture, not to full scale
#
# Expected: equalisation makes the brightest pixels white at 16 bits, as it does at 8: the same picture looks the same.
# Behaviour: the histogram of 16-bit samples ends at the picture's largest value, and equalisation maps to 0 up to there. An
# underexposed picture keeps its darkness: of one whose largest sample is an eighth of full scale nothing gets brighter than that.
. "$(dirname "$0")/setup"
packages libvips-tools=8.14.1-3+deb12u3

printf 'P2\n2 2\n255\n4 8\n16 32\n' >dark8.pgm
printf 'P2\n2 2\n65535\n1028 2056\n4112 8224\n' >dark16.pgm
for depth in 8 16; do
    inside vips hist_equal dark$depth.pgm "equal$depth.pgm[ascii]"
done
samples() { # FILE
    grep -v '^#' "$1" | tail -n +4 | xargs
}
verdict '8 bits, 4 8 16 32' '63 127 191 255' "$(samples equal8.pgm)" '63 127 191 255'
verdict '16 bits, 1028 2056 4112 8224: the same picture' '16384 32768 49151 65535 or near' "$(samples equal16.pgm)" '2056 4112 6168 8224'
