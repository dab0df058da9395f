#!/bin/sh
# opencv-bilateral-colour.sh - OpenCV's bilateralFilter measures the distance of colours by the sum of channels
#
# Expected: sigmaColor is a Euclidean distance in colour space, as in the filter's paper: two steps of the same length, one
# in all channels and one in red alone, are smoothed alike.
# Behaviour: the distance is |dR| + |dG| + |dB|. A step in gray is seen as sqrt(3) times as long as one in red: the same
# sigmaColor keeps the edge of the one and blurs the other.
. "$(dirname "$0")/setup"
packages python3-opencv=4.6.0+dfsg-12

cat >steps.py <<'END'
import cv2, numpy
def left(step): # of a step's length, beside the edge, in hundredths
    picture = numpy.zeros((9, 9, 3), numpy.uint8)
    picture[:, 5:] = step
    return round(100 * numpy.linalg.norm(cv2.bilateralFilter(picture, 9, 40, 4)[4, 5]) / numpy.linalg.norm(step))
print(left((30, 30, 30)), left((0, 0, 52)))
END
verdict 'what is left of a step of 52, sigmaColor 40, in hundredths: in gray, in red' 'the same' \
    "$(inside python3 steps.py)" '93 77'
