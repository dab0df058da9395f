#!/bin/sh
# vips-gaussblur-pages.sh - vips gaussblur of all pages of a TIFF blurs each page into its neighbours
#
# Expected: with [n=-1], which loads all pages and keeps their height for the output, each page is filtered by itself: of a black, a
# white and a black page, all of one value, a blur changes nothing.
# Behaviour: the pages are one tall picture: rows on both sides of a boundary are mixed. One page at a time ([page=N]) stays as it is.
. "$(dirname "$0")/setup"
packages libvips-tools=8.14.1-3+deb12u3

for value in 0 255 0; do
    awk -v v=$value 'BEGIN { printf "P2\n16 16\n255\n"; for (i = 0; i < 256; i++) print v }'
done >pages.pgm
for page in 1 2 3; do
    awk -v page=$page '/^P2/ { count++ } count == page' pages.pgm >page.pgm
    inside vips copy page.pgm "$page.tif"
done
inside vips arrayjoin '1.tif 2.tif 3.tif' tall.v --across 1
inside vips copy tall.v 'stack.tif[page-height=16]'
inside vips gaussblur 'stack.tif[n=-1]' blurred.tif 2

range() { # PICTURE: its smallest and its largest sample
    inside vips min "$1" | cut -d. -f1
    inside vips max "$1" | cut -d. -f1
}
of_all() { # FILE
    for page in 0 1 2; do
        range "$1[page=$page]" | paste -sd-
    done | paste -sd' '
}
verdict 'samples of the pages that were made' '0-0 255-255 0-0' "$(of_all stack.tif)" '0-0 255-255 0-0'
verdict 'samples of the three pages, blurred together' '0-0 255-255 0-0' "$(of_all blurred.tif)" '0-100 155-255 0-100'
inside vips gaussblur 'stack.tif[page=1]' one.tif 2
verdict 'samples of the second page, blurred alone' '255-255' "$(range one.tif | paste -sd-)" '255-255'
