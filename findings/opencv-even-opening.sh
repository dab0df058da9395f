#!/bin/sh
# opencv-even-opening.sh - OpenCV's opening with an element of even sides moves the picture
#
# Expected: an opening is what of the picture the element fits into: a square of 4x4 opened by 2x2 stays where it is, no
# sample gets brighter, and a second opening changes nothing, as in SciPy's grey_opening and ImageMagick's -morphology Open.
# Behaviour: MORPH_OPEN dilates with the element and the anchor that it eroded with, not with these turned by 180 degrees. With
# sides of 2 each opening moves the picture by one pixel to the right and down.
. "$(dirname "$0")/setup"
packages python3-opencv=4.6.0+dfsg-12

cat >square.py <<'END'
import cv2, numpy
picture = numpy.zeros((9, 9), numpy.uint8)
picture[3:7, 3:7] = 255
where = []
for opening in range(3):
    rows, columns = numpy.nonzero(picture)
    where.append('%d..%d x %d..%d' % (columns.min(), columns.max(), rows.min(), rows.max()))
    picture = cv2.morphologyEx(picture, cv2.MORPH_OPEN, numpy.ones((2, 2), numpy.uint8))
print(', '.join(where))
END
verdict 'where a square of 4x4 is: before, after one opening by 2x2, after two' '3..6 x 3..6, 3..6 x 3..6, 3..6 x 3..6' \
    "$(inside python3 square.py)" '3..6 x 3..6, 4..7 x 4..7, 5..8 x 5..8'
