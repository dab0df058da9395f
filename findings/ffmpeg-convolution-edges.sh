#!/bin/sh
# ffmpeg-convolution-edges.sh - ffmpeg's convolution goes on differently beyond opposite sides of a picture
#
# Expected: one rule for all sides: the pixel at the side is repeated, or the picture is mirrored, with that pixel or without it.
# Behaviour: beyond the left and the upper side it is mirrored without the pixel at the side, beyond the right and the lower one
# with it. A symmetric kernel on a symmetric picture has a result that is not symmetric.
. "$(dirname "$0")/setup"
packages ffmpeg=7:5.1.9-0+deb12u1

# 200 at all four sides, then 150, then 100.
awk 'function side(i) { return i < 5 ? i : 9 - i }
    BEGIN { printf "P2\n10 10\n255\n"
        for (y = 0; y < 10; y++) for (x = 0; x < 10; x++) {
            d = side(x) < side(y) ? side(x) : side(y); print d == 0 ? 200 : d == 1 ? 150 : 100 } }' >plain.pgm
LC_ALL=C awk 'NR < 4 { next } { printf "%c", $1 + 0 }' plain.pgm >raw
neighbour() { # KERNEL X Y: the sample there
    inside ffmpeg -v error -y -f rawvideo -pix_fmt gray -s 10x10 -i raw -vf "convolution=$1:0rdiv=1" \
        -f rawvideo -pix_fmt gray out.raw
    od -A n -t u1 -j $((10 * $3 + $2)) -N 1 out.raw | xargs
}
seen="$(neighbour '0 0 0 1 0 0 0 0 0' 0 5) $(neighbour '0 1 0 0 0 0 0 0 0' 5 0) $(neighbour '0 0 0 0 0 1 0 0 0' 9 5) \
$(neighbour '0 0 0 0 0 0 0 1 0' 5 9)"
verdict 'what lies beyond the left, upper, right and lower side' '200 200 200 200, or four times 150' "$seen" '150 150 200 200'
