#!/bin/sh
# ffmpeg-gblur-peak.sh - ffmpeg's gblur of sigma 2 is nearly three times as high in the middle as a Gaussian
#
# Expected: `gblur=sigma=2` makes of a single pixel a Gaussian of that deviation, as other programs' blurs of sigma 2 do.
# Behaviour: with its default of one step it is a decaying exponential on both sides: a peak of 28 instead of 10, and far tails.
# Six steps come near to one.
. "$(dirname "$0")/setup"
packages ffmpeg=7:5.1.9-0+deb12u1

head -c 1089 /dev/zero >raw
printf '\377' | dd of=raw bs=1 seek=544 conv=notrunc 2>/dev/null # the middle of 33x33
row() { # FILTER: five samples from the middle on
    inside ffmpeg -v error -y -f rawvideo -pix_fmt gray -s 33x33 -i raw -vf "$1" -f rawvideo -pix_fmt gray out.raw
    od -A n -t u1 -j 544 -N 5 out.raw | xargs
}
gaussian=$(awk 'BEGIN { for (x = 0; x < 5; x++) printf "%d ", 255 * exp(-x * x / 8) / (8 * 3.14159265) + 0.5 }' | xargs)
verdict 'an impulse of 255, from the middle to the right, one step' "$gaussian" "$(row gblur=sigma=2)" '28 14 7 4 2'
verdict 'the same with six' "$gaussian" "$(row gblur=sigma=2:steps=6)" '13 10 6 3 1'
