#!/bin/sh
# opencv-clahe-16-bits.sh - OpenCV's CLAHE has no limit at 16 bits, unless the picture is large
#
# Expected: the same picture at 8 and at 16 bits, under the same clip limit, looks the same.
# Behaviour: at 16 bits there are 65,536 bins. The limit is a multiple of their mean height, which is far below 1 for tiles of
# less than 65,536 pixels, and is not taken below 1: so bins of one pixel each are within every limit, and limits from 1 to 40
# give the same bytes: noise of 5 of 255 comes out as what an unlimited equalisation makes of it.
. "$(dirname "$0")/setup"
packages python3-opencv=4.6.0+dfsg-12

cat >noise.py <<'END'
import cv2, numpy
rows, columns = numpy.mgrid[0:256, 0:256]
noise = ((rows * 7919 + columns * 104729 + rows * columns * 31) % 997 / 997 - 0.5) * 0.07 + 0.5 # of 5 levels of 255
for depth, full in (numpy.uint8, 255), (numpy.uint16, 65535):
    picture = numpy.rint(noise * full).astype(depth)
    print(*(round(float(cv2.createCLAHE(limit, (8, 8)).apply(picture).std()) * 255 / full) for limit in (1, 2, 4, 40)))
END
verdict 'deviation of 255, of noise of 5, limits 1 2 4 40: 8 bits, then 16 bits' 'four times the same at both depths' \
    "$(inside python3 noise.py | xargs)" '10 15 24 73 49 49 49 49'
