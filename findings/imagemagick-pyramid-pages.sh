#!/bin/sh
# imagemagick-pyramid-pages.sh - ImageMagick writes the levels of a TIFF pyramid as pages of a document
#
# Expected: `convert in.ppm ptif:out.tif` marks each smaller level as a reduced-resolution picture (NewSubfileType 1), as vips and
# GDAL do, so that readers of pages find one picture.
# Behaviour: all levels, the picture itself among them, are marked as pages of a document (NewSubfileType 2). What takes pages
# one by one sees as many pictures as there are levels, and nothing but their sizes says that they are one.
. "$(dirname "$0")/setup"
packages imagemagick=8:6.9.11.60+dfsg-1.6+deb12u15 libvips-tools=8.14.1-3+deb12u3 libtiff-tools=4.5.0-6+deb12u4

{ printf 'P5\n256 256\n255\n' && head -c 65536 /dev/zero; } >in.pgm
inside convert-im6.q16 in.pgm ptif:im.tif
inside vips tiffsave in.pgm vips.tif --pyramid --tile --tile-width 64 --tile-height 64
levels() { # FILE: the number of each, but of the first
    inside tiffinfo "$1" 2>/dev/null | sed -n 's/^ *Subfile Type: .*(\([0-9]*\) .*/\1/p' | paste -sd' '
}
verdict 'types of the smaller levels, by vips' '1 1' "$(levels vips.tif)" '1 1'
verdict 'types of the picture and its levels' '1 1' "$(levels im.tif)" '2 2 2'
