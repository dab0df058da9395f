#!/bin/sh
# vips-gray-planes.sh - vips reads wrong samples from planes of a TIFF that is not RGB, in strips of several rows
#
# Expected: channels that are stored one after the other (PlanarConfiguration 2, BlackIsZero), as remote sensing has them, are read as
# libtiff reads them: `tiffcp -p contig` makes pixels of the same samples. With PhotometricInterpretation RGB vips does.
# Behaviour: of each strip the first row is right. The others begin a row of one plane behind each other, not a row of pixels: with three
# channels row 1 begins a third into row 0, so that channels and columns are mixed. There is no message, and the status is 0.
. "$(dirname "$0")/setup"
packages libvips-tools=8.14.1-3+deb12u3 libtiff-tools=4.5.0-6+deb12u4 python3-minimal=3.11.2-1+b1

cat >planes.py <<'END'
import struct
for photometric, name in (1, "gray.tif"), (2, "rgb.tif"):
    out = bytearray(b"II*\0\0\0\0\0")
    out += bytes(100 * c + 10 * y + x for c in range(2) for y in range(8) for x in range(4))
    out += bytes(240 + y + x for y in range(8) for x in range(4))
    out += struct.pack("<3I3I3H2H", 8, 40, 72, 32, 32, 32, 8, 8, 8, 0, 0)
    rows = [(256, 4, 1, 4), (257, 4, 1, 8), (258, 3, 3, 128), (259, 3, 1, 1), (262, 3, 1, photometric), (273, 4, 3, 104),
            (277, 3, 1, 3), (278, 4, 1, 8), (279, 4, 3, 116), (284, 3, 1, 2)] + [(338, 3, 2, 0)] * (photometric == 1)
    struct.pack_into("<I", out, 4, len(out))
    out += struct.pack("<H", len(rows)) + b"".join(struct.pack("<HHII", *row) for row in rows) + bytes(4)
    open(name, "wb").write(out)
END
inside python3 planes.py
inside tiffcp -p contig gray.tif together.tif
pixel() { # FILE ROW: of column 2
    inside vips getpoint "$1" 2 "$2" | xargs
}
for row in 0 1 2; do
    right=$((10 * row + 2))' '$((100 + 10 * row + 2))' '$((240 + row + 2))
    verdict "row $row, RGB" "$right" "$(pixel rgb.tif $row)" "$right"
    verdict "row $row, BlackIsZero, made pixels by tiffcp" "$right" "$(pixel together.tif $row)" "$right"
    case $row in 0) found=$right ;; 1) found='103 243 10' ;; 2) found='241 11 111' ;; esac
    verdict "row $row, BlackIsZero, planes" "$right" "$(pixel gray.tif $row)" "$found"
done
