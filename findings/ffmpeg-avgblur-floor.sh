#!/bin/sh
# ffmpeg-avgblur-floor.sh - ffmpeg's avgblur rounds every mean down
#
# Expected: the mean of 3x3 samples is rounded to the nearest one, as by any box blur of integers.
# Behaviour: it is cut off: 8 of 9 become 0, and a picture is darker by 0.44 in the mean after each run.
. "$(dirname "$0")/setup"
packages ffmpeg=7:5.1.9-0+deb12u1

box() { # MIDDLE: the mean of eight samples of 1 and this one
    { printf '\001%.0s' 1 2 3 4; printf %b "$1"; printf '\001%.0s' 1 2 3 4; } >raw
    inside ffmpeg -v error -y -f rawvideo -pix_fmt gray -s 3x3 -i raw -vf avgblur=sizeX=1 -f rawvideo -pix_fmt gray out.raw
    od -A n -t u1 -j 4 -N 1 out.raw | xargs
}
verdict '9 / 9, 8 / 9 and 17 / 9' '1 1 2' "$(box '\001') $(box '\000') $(box '\011')" '1 0 1'
