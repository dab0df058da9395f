#!/bin/sh
# gmic-cuts-off.sh - gmic cuts off what is behind the point when it writes 8 or 16 bits
#
# Expected: samples are floats in between; written as integers, they are rounded, as ImageMagick and OpenCV do it.
# Behaviour: 99.99 is written as 99. Whatever ends with a filter loses half a level in the mean, and a blur of a flat picture,
# whose float sum ends a hair below, a whole one.
. "$(dirname "$0")/setup"
packages gmic=2.9.4-4+b4

inside gmic -v -1 '(0.4,0.6,99.5,99.99)' -o out.pgm
verdict '0.4 0.6 99.5 99.99 as PGM' '0 1 100 100' "$(tail -c 4 out.pgm | od -A n -t u1 | xargs)" '0 0 99 99'
