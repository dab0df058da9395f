#!/bin/sh
# scipy-gaussian-flat.sh - SciPy's gaussian_filter makes a flat picture of bytes darker
#
# Expected: weights that add up to 1 leave a flat picture as it is; where rounding comes in, by at most half a level.
# Behaviour: results are cut off, not rounded, and that after each axis: where a sum ends at 99.99999, each of the two passes
# takes a level. Whether it does depends on sigma alone: 2 and 3 are right, 1.9 and 2.3 are not.
. "$(dirname "$0")/setup"
packages python3-scipy=1.10.1-2

cat >flat.py <<'END'
import numpy
from scipy import ndimage
flat = numpy.full((32, 32), 100, numpy.uint8)
print(*(",".join(map(str, numpy.unique(ndimage.gaussian_filter(flat, sigma)))) for sigma in (1.9, 2, 2.3, 3)))
END
verdict 'a flat 100 under sigma 1.9, 2, 2.3, 3' '100 100 100 100' "$(inside python3 flat.py)" '98 100 98 100'
