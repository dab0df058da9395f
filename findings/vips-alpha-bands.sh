#!/bin/sh
# vips-alpha-bands.sh - vips marks each band of a TIFF but the first as alpha
#
# Expected: six bands that are no colours are written as one and five samples of no stated meaning, which TIFF 6.0 has ExtraSamples 0
# for. A reader that knows alpha then leaves them alone.
# Behaviour: all five are unassociated alpha (ExtraSamples 2). Programs that read alpha weigh the first band by the second.
. "$(dirname "$0")/setup"
packages libvips-tools=8.14.1-3+deb12u3 libtiff-tools=4.5.0-6+deb12u4

printf 'P2\n2 1\n255\n100 200\n' >band.pgm
inside vips bandjoin 'band.pgm band.pgm band.pgm band.pgm band.pgm band.pgm' six.tif
five() { # WORD
    printf '5<%s, %s, %s, %s, %s>' "$1" "$1" "$1" "$1" "$1"
}
verdict 'what five of six bands are' "$(five unspecified)" \
    "$(inside tiffinfo six.tif 2>/dev/null | sed -n 's/^ *Extra Samples: *//p')" "$(five unassoc-alpha)"
