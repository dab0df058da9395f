#!/usr/bin/python3
"""strips.py - parts of huge PNM files, without reading the whole

  strips.py crop IN X Y WIDTH HEIGHT OUT
  strips.py compare WHOLE X Y PART PART-X PART-Y WIDTH HEIGHT TOLERANCE

compare says where WHOLE at X, Y and PART at PART-X, PART-Y differ by more than TOLERANCE levels, if they
do; the exit status is 1 then.
"""
import sys

import numpy as np


def pnm(path):
    """The samples of a binary PGM or PPM as an array of rows x columns x channels, mapped."""
    with open(path, "rb") as file:
        fields = []
        while len(fields) < 4:
            line = file.readline()
            if not line:
                sys.exit(f"strips.py: {path}: no PNM")
            fields += line.split(b"#")[0].split()
        start = file.tell()
    channels = {b"P5": 1, b"P6": 3}[fields[0]]
    width, height, full = map(int, fields[1:])
    kind = np.dtype(">u2" if full > 255 else "u1")
    shape = (height, width, channels)
    return np.memmap(path, kind, "r", start, shape)


def crop(path, x, y, width, height, out):
    part = pnm(path)[y : y + height, x : x + width]
    if part.shape[:2] != (height, width):
        sys.exit(f"strips.py: {path}: not that large")
    with open(out, "wb") as file:
        magic = "P5" if part.shape[2] == 1 else "P6"
        full = 65535 if part.dtype.itemsize == 2 else 255
        file.write(f"{magic}\n{width} {height}\n{full}\n".encode())
        file.write(part.tobytes())


def compare(whole, x, y, part, part_x, part_y, width, height, tolerance):
    a = pnm(whole)[y : y + height, x : x + width].astype(np.int32)
    b = pnm(part)[part_y : part_y + height, part_x : part_x + width].astype(np.int32)
    if a.shape != (height, width, b.shape[2]) or a.shape != b.shape:
        sys.exit(f"strips.py: {whole}, {part}: shapes {a.shape} and {b.shape}")
    wrong = np.abs(a - b)
    bad = np.argwhere(wrong > tolerance)
    if len(bad):
        row, column, channel = bad[0]
        print(
            f"{len(bad)} samples differ, by up to {wrong.max()}, first at {x + column},{y + row} channel {channel}: "
            f"{a[row, column, channel]}, alone {b[row, column, channel]}; rows {y + bad[:, 0].min()} to {y + bad[:, 0].max()}"
        )
        sys.exit(1)
    print(f"{wrong.max()}")


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "crop" and len(rest) == 6:
        crop(rest[0], *map(int, rest[1:5]), rest[5])
    elif what == "compare" and len(rest) == 9:
        compare(rest[0], *map(int, rest[1:3]), rest[3], *map(int, rest[4:9]))
    else:
        sys.exit(__doc__)
