#!/bin/sh
# imagemagick-ycbcr-tiff.sh - ImageMagick makes a TIFF in YCbCr with chroma at half size green, and says nothing
#
# Expected: the picture that libtiff's tiff2rgba and GraphicsMagick make of it, by section 21 of TIFF 6.0,
# or a refusal, as vips has ("subsampled images not supported").
# Behaviour: the packed blocks of four Y, a Cb and a Cr are read as pixels of three samples, so that colours are those of other
# samples. The exit status is 0, and there is no warning.
. "$(dirname "$0")/setup"
packages imagemagick=8:6.9.11.60+dfsg-1.6+deb12u15 graphicsmagick=1.4+really1.3.40-4+deb12u1

# 16x16 pixels of one colour, Y 126 Cb 90 Cr 180, in blocks of 2x2: 64 of them.
number() { # BYTES VALUE: little-endian
    printf "\\$(printf %o $(($2 & 255)))\\$(printf %o $(($2 >> 8 & 255)))"
    [ "$1" -eq 2 ] || printf '\0\0'
}
entry() { # TAG TYPE COUNT VALUE
    number 2 "$1" && number 2 "$2" && number 4 "$3" && number 4 "$4"
}
{
    printf 'II*\0' && number 4 8 && number 2 12
    entry 256 4 1 16 && entry 257 4 1 16 && entry 258 3 3 158 && entry 259 3 1 1 && entry 262 3 1 6 && entry 273 4 1 164
    entry 277 3 1 3 && entry 278 4 1 16 && entry 279 4 1 384 && entry 284 3 1 1
    number 2 530 && number 2 3 && number 4 2 && number 2 2 && number 2 2
    entry 531 3 1 1 && number 4 0
    number 2 8 && number 2 8 && number 2 8
    for _ in $(seq 64); do printf '\176\176\176\176\132\264'; done
} >in.tif
middle() { # FILE.ppm: the colour of its last pixel
    tail -c 3 "$1" | od -A n -t u1 | xargs
}
inside gm convert in.tif -depth 8 gm.ppm
inside convert-im6.q16 in.tif -depth 8 im.ppm
status=$?
verdict 'the colour by GraphicsMagick' '199 102 59' "$(middle gm.ppm)" '199 102 59'
verdict 'the colour by ImageMagick, exit status 0' "$(middle gm.ppm)" "$(middle im.ppm), $status" '0 135 0, 0'
