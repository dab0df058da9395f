#!/bin/sh
# libheif-10-bit-white.sh - white of 10 bits is not white in the 16-bit PNG that heif-convert writes
#
# Expected: samples of 10 bits are spread over 16, so that 1023 becomes 65535.
# Behaviour: they are shifted by 6 bits, and the low ones stay 0: white is 65472. What compares with 65535, or blends with a
# picture of 16 bits, sees a gray.
. "$(dirname "$0")/setup"
packages libheif-examples=1.15.1-1+deb12u1 netpbm=2:11.01.00-2

printf 'P2\n16 16\n65535\n%s\n' "$(seq 0 255 | awk '{ print int($1 * 1023 / 255) * 65535 / 1023 }' | cut -d. -f1)" >ramp.pgm
inside pnmtopng -force ramp.pgm >ramp.png 2>/dev/null
inside heif-enc -L -b 10 ramp.png -o ramp.heic >/dev/null 2>&1
inside heif-convert ramp.heic back.png >/dev/null 2>&1
verdict 'the least and the largest sample of a ramp from black to white of 10 bits' '0 65535' \
    "$(inside pngtopnm -plain back.png 2>/dev/null | tail -n +4 | tr -s ' ' '\n' | grep . | sort -n | sed -n '1p;$p' | xargs)" '0 65472'
