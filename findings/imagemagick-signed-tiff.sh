#!/bin/sh
# imagemagick-signed-tiff.sh - ImageMagick moves signed samples of 16 bits in a TIFF to the middle, and takes others for unsigned
#
# Expected: signed integers of each depth are mapped in one way: -1 is below 0 and 0 below 1 at 8 and 32 bits as at 16.
# Behaviour: at 16 bits half of the range is added, so that 0 is mid-gray. At 8 and at 32 bits SampleFormat is ignored: 0 is black
# and -1 is white. There is no warning.
. "$(dirname "$0")/setup"
packages imagemagick=8:6.9.11.60+dfsg-1.6+deb12u15

entry() { # TAG VALUE: of the type SHORT, or LONG
    printf "\\$(printf %o $(($1 & 255)))\\$(printf %o $(($1 >> 8)))\\4\\0\\1\\0\\0\\0\\$(printf %o "$2")\\0\\0\\0"
}
# One row of -1, 0 and 1.
for bits in 8 16 32; do
    case $bits in
    8) samples='\377\0\1' ;;
    16) samples='\377\377\0\0\1\0' ;;
    32) samples='\377\377\377\377\0\0\0\0\1\0\0\0' ;;
    esac
    {
        printf 'II*\0\10\0\0\0\12\0'
        entry 256 3 && entry 257 1 && entry 258 $bits && entry 259 1 && entry 262 1 && entry 273 134
        entry 277 1 && entry 278 1 && entry 279 $((bits / 8 * 3)) && entry 339 2
        # shellcheck disable=SC2059 # escapes
        printf '\0\0\0\0' && printf "$samples"
    } >$bits.tif
done
gray() { # BITS: of -1, 0 and 1, of 65535
    inside convert-im6.q16 "$1.tif" -depth 16 gray:- | od -A n -v -t u2 | xargs
}
verdict '-1, 0 and 1 of 16 bits' '32767 32768 32769' "$(gray 16)" '32767 32768 32769'
verdict 'the same of 8 bits' '32639 32896 33153' "$(gray 8)" '65535 0 257'
verdict 'the same of 32 bits' '32767 32768 32768' "$(gray 32)" '65535 0 0'
