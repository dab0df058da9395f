#!/bin/sh
# imagemagick-float-tiff-status.sh - ImageMagick fails where it has written an uncompressed TIFF of floats
#
# Expected: convert ends with status 0 and says nothing, as it does where the same TIFF is deflated.
# Behaviour: it sets the predictor's tag, which libtiff does not know without a compression that takes one, says "Unknown
# tag 317", and ends with status 1. The file is complete: vips reads all samples. A script that stops at a failure stops here.
. "$(dirname "$0")/setup"
packages imagemagick=8:6.9.11.60+dfsg-1.6+deb12u15 libvips-tools=8.14.1-3+deb12u3

status() { # COMPRESSION
    inside convert-im6.q16 -size 4x4 gradient: -depth 32 -define quantum:format=floating-point -compress "$1" "$1.tif" >messages 2>&1 && echo 0 || echo $?
}
verdict 'exit status: deflated, uncompressed; mean of the latter, as vips reads it' '0 0 0.500000' \
    "$(status zip) $(status none) $(inside vips avg none.tif)" '0 1 0.500000'
