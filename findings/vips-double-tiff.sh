#!/bin/sh
# vips-double-tiff.sh - vips writes floats of 64 bits to TIFF, and refuses to read them
#
# Expected: what `vips tiffsave` writes with status 0, `vips` reads: the same samples, as of 32 bits.
# Behaviour: the file is a good TIFF of IEEE floats of 64 bits, as libtiff says, and vips itself ends with "samples out of range",
# since its reader takes 32 bits a sample at most. A double is what its own means, sums and Fourier transforms give.
. "$(dirname "$0")/setup"
packages libvips-tools=8.14.1-3+deb12u3 libtiff-tools=4.5.0-6+deb12u4

printf 'P2\n4 2\n255\n0 1 2 3\n50 100 200 255\n' >in.pgm
for type in float double; do
    inside vips cast in.pgm $type.v $type
    inside vips tiffsave $type.v $type.tif
done
form() { # FILE
    inside tiffinfo "$1" 2>/dev/null | sed -n 's/^ *Bits.Sample: *//p; s/^ *Sample Format: *//p' | paste -sd' '
}
read_again() { # FILE: its sample at (2, 1), or the message
    inside vips getpoint "$1" 2 1 2>&1 | sed 's/ *$//' | tail -n 1
}
verdict 'the form of both files' '32 IEEE floating point, 64 IEEE floating point' "$(form float.tif), $(form double.tif)" \
    '32 IEEE floating point, 64 IEEE floating point'
verdict 'a sample of 32 bits' 200 "$(read_again float.tif)" 200
verdict 'the same of 64 bits' 200 "$(read_again double.tif)" 'tiff2vips: samples out of range'
