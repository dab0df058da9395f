#!/bin/sh
# scipy-uniform-tail.sh - one missing sample spoils SciPy's uniform_filter to the picture's right and lower edges
#
# Expected: a mean over 3x3 pixels is wrong where its window holds a NaN, an infinity or a star, in 9 pixels; so are
# gaussian_filter's in its own window, and OpenCV's blur().
# Behaviour: a sum runs along each row, and then each column; what came in is taken out again, which NaN and infinity never are and
# a star only as far as the digits go. All pixels to the right and below are NaN; in the star's rows they lose their own value.
. "$(dirname "$0")/setup"
packages python3-scipy=1.10.1-2

cat >tail.py <<'END'
import numpy
from scipy import ndimage
def spoiled(value, filtered):
    picture = numpy.ones((20, 30))
    picture[5, 8] = value
    return numpy.count_nonzero(numpy.abs(filtered(picture) - 1)[:, 10:] < 1e-6), 20 * 20
for value in (numpy.nan, numpy.inf, 1e17):
    print("%d of %d" % spoiled(value, lambda p: ndimage.uniform_filter(p, 3)))
print("%d of %d" % spoiled(numpy.nan, lambda p: ndimage.convolve(p, numpy.full((3, 3), 1 / 9))))
END
verdict 'pixels right of the window of a NaN, an infinity, a star of 1e17 that are right; of a NaN, by convolve()' \
    '400 of 400, 400 of 400, 400 of 400, 400 of 400' "$(inside python3 -W ignore tail.py | paste -sd, | sed 's/,/, /g')" \
    '80 of 400, 80 of 400, 340 of 400, 400 of 400'
