#!/bin/sh
# pillow-kernel-flip.sh - Pillow's ImageFilter.Kernel is applied upside down, but not mirrored
#
# Expected: correlation, as in OpenCV's filter2D (the first row of the kernel multiplies the row above, the first column the
# column to the left), or convolution, as in SciPy's convolve (both turned). A bright pixel then shows the kernel turned by
# half, or as it was written.
# Behaviour: neither: the first row multiplies the row below, the first column the column to the left. Kernels of emboss or of
# gradients in y have the other sign than in every other program; those that are symmetric up and down show nothing.
. "$(dirname "$0")/setup"
packages python3-pil=9.4.0-1.1+deb12u1

cat >show.py <<'END'
from PIL import Image, ImageFilter
picture = Image.new("L", (5, 5))
picture.putpixel((2, 2), 9)
shown = picture.filter(ImageFilter.Kernel((3, 3), range(1, 10), scale=9))
print(" / ".join(" ".join(str(shown.getpixel((x, y))) for x in (1, 2, 3)) for y in (1, 2, 3)))
END
verdict 'a pixel of 9 under the kernel 1 2 3 / 4 5 6 / 7 8 9, scale 9' '9 8 7 / 6 5 4 / 3 2 1, or 1 2 3 / 4 5 6 / 7 8 9' \
    "$(inside python3 show.py)" '3 2 1 / 6 5 4 / 9 8 7'
