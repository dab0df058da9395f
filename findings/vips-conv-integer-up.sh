#!/bin/sh
# vips-conv-integer-up.sh - vips conv --precision integer adds a quarter of a level to a box of 3x3
#
# Expected: with an integer mask and its scale the sum is divided and rounded: off by 0.5 at most, by 0 in the mean.
# Behaviour: of bytes it is rounded up more often than down: on noise results are off by up to 0.89, and brighter by 0.27 in the
# mean. The same samples as 16 bits are rounded as expected.
. "$(dirname "$0")/setup"
packages libvips-tools=8.14.1-3+deb12u3

printf '3 3 9 0\n1 1 1\n1 1 1\n1 1 1\n' >box.mat
awk 'BEGIN { printf "P2\n64 64\n255\n"; s = 1; for (i = 0; i < 4096; i++) { s = (s * 1103515245 + 12345) % 2147483648; print int(s / 65536) % 256 } }' >in.pgm
sed '3s/255/65535/' in.pgm >deep.pgm
error() { # FILE: the largest and the mean difference from sum / 9, inside
    inside vips conv "$1" out.pgm box.mat --precision integer
    inside vips copy out.pgm out.csv
    awk -v sums="$1" 'BEGIN { while ((getline line < sums) > 0) if (++n > 3) v[n - 4] = line }
        { y = NR - 1; split($0, got, "\t"); for (x = 1; x < 63 && y > 0 && y < 63; x++) {
            s = 0; for (dy = -1; dy < 2; dy++) for (dx = -1; dx < 2; dx++) s += v[64 * (y + dy) + x + dx]
            d = got[x + 1] - s / 9; most = d > most ? d : -d > most ? -d : most; sum += d; k++ } }
        END { printf "%.2f %.2f", most, sum / k < 0 ? -sum / k : sum / k }' out.csv
}
verdict 'largest and mean error of 16-bit samples' '0.44 0.00' "$(error deep.pgm)" '0.44 0.00'
verdict 'the same of bytes' '0.44 0.00' "$(error in.pgm)" '0.89 0.27'
