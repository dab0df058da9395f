#!/bin/sh
# vips-rank-8-bits.sh - `vips rank` of 8-bit pictures gives another rank in windows above 3x3
#
# Expected: `vips rank in.pgm out.pgm 5 5 12` is the median of 25 samples, at every depth, as `vips median in.pgm out.pgm 5` says.
# Behaviour: of 16-bit samples it is; of 8-bit ones it is another sample, on a photograph by up to 156. The minimum, the maximum
# and windows of 3x3 are right, so that small tests pass.
. "$(dirname "$0")/setup"
packages libvips-tools=8.14.1-3+deb12u3

awk 'BEGIN { printf "P2\n9 9\n255\n"; for (y = 0; y < 9; y++) for (x = 0; x < 9; x++) print (x * 37 + y * 91 + x * y * 13) % 251 }' >in.pgm
sed 's/^255$/65535/' in.pgm >deep.pgm
median=$(awk 'NR > 3 { i = NR - 4; x = i % 9; y = (i - x) / 9; if (x > 1 && x < 7 && y > 1 && y < 7) print }' in.pgm | sort -n | sed -n 13p)
middle() { # FILE: its sample at (4, 4)
    inside vips getpoint "$1" 4 4 | xargs
}
for depth in in deep; do
    inside vips rank $depth.pgm $depth-rank.pgm 5 5 12
done
inside vips rank in.pgm small.pgm 3 3 4
small=$(awk 'NR > 3 { i = NR - 4; x = i % 9; y = (i - x) / 9; if (x > 2 && x < 6 && y > 2 && y < 6) print }' in.pgm | sort -n | sed -n 5p)
verdict 'the median of 25 samples of 16 bits' "$median" "$(middle deep-rank.pgm)" "$median"
verdict 'the same of 8 bits' "$median" "$(middle in-rank.pgm)" 120
verdict 'the median of 9 samples of 8 bits' "$small" "$(middle small.pgm)" "$small"
