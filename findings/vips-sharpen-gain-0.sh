#!/bin/sh
# vips-sharpen-gain-0.sh - vips sharpen with gains of 0 changes most samples of a gray picture of 16 bits
#
# Expected: m1 and m2 are the slopes for flat and jagged areas; with both 0 nothing is added, and the picture stays as it is, as it
# does at 8 bits of gray.
# Behaviour: the picture goes through LABS, whose lightness has 15 bits, and back: 6 of 10 samples of a ramp come out otherwise, by
# up to 3 levels. So much is lost at any gain.
. "$(dirname "$0")/setup"
packages libvips-tools=8.14.1-3+deb12u3

seq 0 255 | awk 'BEGIN { print "P2\n256 1\n65535" } { print $1 * 257 }' >ramp.pgm
inside vips sharpen ramp.pgm 'same.pgm[ascii]' --m1 0 --m2 0
tail -n +4 ramp.pgm >before
tr -s ' \n' '\n\n' <same.pgm | grep -v '^#' | tail -n 256 >after
verdict 'samples of 256 that differ, and by how much at most' '0 0' \
    "$(paste before after | awk '{ d = $1 - $2; d = d < 0 ? -d : d; n += d > 0; m = d > m ? d : m } END { print n, m }')" '155 3'
