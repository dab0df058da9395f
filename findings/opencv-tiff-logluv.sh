#!/bin/sh
# opencv-tiff-logluv.sh - OpenCV writes float colours to TIFF by LogLuv, gray floats as they are
#
# Expected: imwrite() of 32-bit floats to a .tif and imread() give back the same floats, in colour as in gray.
# Behaviour: colours are compressed by SGI's LogLuv unless IMWRITE_TIFF_COMPRESSION is given: a logarithm of luminance and
# two chromaticities of 8 bits. All samples come back as others, off by a hundredth.
. "$(dirname "$0")/setup"
packages python3-opencv=4.6.0+dfsg-12

cat >floats.py <<'END'
import cv2, numpy
colour = numpy.array([[[0.2, 0.5, 0.9], [0.7, 0.25, 1.5]]], numpy.float32)
for picture, name in (colour[:, :, 0].copy(), "gray.tif"), (colour, "colour.tif"):
    cv2.imwrite(name, picture)
    back = cv2.imread(name, cv2.IMREAD_UNCHANGED)
    print("same" if (back == picture).all() else "%d of %d differ, by %.2f" % ((back != picture).sum(), back.size, abs(back - picture).max()))
cv2.imwrite("stored.tif", colour, [cv2.IMWRITE_TIFF_COMPRESSION, 1])
print("same" if (cv2.imread("stored.tif", cv2.IMREAD_UNCHANGED) == colour).all() else "other")
END
verdict 'floats that come back: gray, colours, colours with compression 1' 'same same same' \
    "$(inside python3 floats.py | paste -sd' ')" 'same 6 of 6 differ, by 0.01 same'
