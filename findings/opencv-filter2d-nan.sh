#!/bin/sh
# opencv-filter2d-nan.sh - one NaN spoils a whole picture in OpenCV's filter2D, where the kernel is larger than 11x11
#
# Expected: a sample depends on its window: a NaN in a float picture makes 11x11 results NaN with a kernel of 11x11, and 13x13
# with one of 13x13.
# Behaviour: from 12x12 on filter2D takes Fourier transforms of tiles, each of which the NaN fills: all of 64x64 are lost.
. "$(dirname "$0")/setup"
packages python3-opencv=4.6.0+dfsg-12

cat >nan.py <<'END'
import cv2, numpy
picture = numpy.zeros((64, 64), numpy.float32)
picture[32, 32] = numpy.nan
for side in (11, 13):
    kernel = numpy.ones((side, side), numpy.float32)
    print(numpy.isnan(cv2.filter2D(picture, -1, kernel)).sum(), end=' ')
END
verdict 'NaN behind kernels of 11x11 and 13x13, of 4096 samples with one' '121 169 ' \
    "$(inside python3 nan.py)" '121 4096 '
