"""PNM and PNG files of 1 to 4 channels, read and written without an image library.

An image is an array of height x width x channels, uint8 or uint16; channels 2 and 4 end in alpha.
"""
import struct
import zlib

import numpy as np

TUPLES = {1: "GRAYSCALE", 2: "GRAYSCALE_ALPHA", 3: "RGB", 4: "RGB_ALPHA"}
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}


def full(array):
    return 255 if array.dtype.itemsize == 1 else 65535


def big_endian(array):
    return array.astype(array.dtype.newbyteorder(">")).tobytes()


def write_pnm(path, array):
    height, width, channels = array.shape
    if channels in (1, 3):
        head = "P%d\n%d %d\n%d\n" % (5 if channels == 1 else 6, width, height, full(array))
    else:
        head = "P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n" % (
            width, height, channels, full(array), TUPLES[channels])
    with open(path, "wb") as file:
        file.write(head.encode() + big_endian(array))


def write_png(path, array):
    """Rows take each of the five row filters in turn, so that the reader meets them all."""
    height, width, channels = array.shape
    size = array.dtype.itemsize
    pixel = channels * size
    rows = np.frombuffer(big_endian(array), np.uint8).reshape(height, width * pixel)
    packed = []
    zeros = np.zeros(width * pixel, np.uint8)
    for y in range(height):
        row, above = rows[y].astype(int), (rows[y - 1] if y else zeros).astype(int)
        left = np.concatenate([zeros[:pixel], row[:-pixel]]).astype(int)
        corner = np.concatenate([zeros[:pixel], above[:-pixel]]).astype(int)
        kind = y % 5
        packed.append(bytes([kind]) + (row - predict(kind, left, above, corner)).astype(np.uint8).tobytes())
    header = struct.pack(">IIBBBBB", width, height, 8 * size, PNG_COLOURS[channels], 0, 0, 0)
    with open(path, "wb") as file:
        file.write(PNG_SIGNATURE)
        for name, body in ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(packed), 1)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)))


def predict(kind, left, above, corner):
    if kind == 0:
        return 0 * left
    if kind == 1:
        return left
    if kind == 2:
        return above
    if kind == 3:
        return (left + above) // 2
    estimate = left + above - corner
    a, b, c = abs(estimate - left), abs(estimate - above), abs(estimate - corner)
    return np.where((a <= b) & (a <= c), left, np.where(b <= c, above, corner))


def read_pnm(data):
    if data[:2] in (b"P5", b"P6"):
        words, at = [], 2
        while len(words) < 3:
            while data[at:at + 1].isspace():
                at += 1
            if data[at:at + 1] == b"#":
                at = data.index(b"\n", at)
                continue
            start = at
            while not data[at:at + 1].isspace():
                at += 1
            words.append(int(data[start:at]))
        width, height, largest = words
        channels, body = (1 if data[:2] == b"P5" else 3), data[at + 1:]
    elif data[:2] == b"P7":
        head, body = data.split(b"ENDHDR\n", 1)
        words = dict(line.split(None, 1) for line in head.decode().splitlines()[1:] if line[:1] != "#")
        width, height = int(words["WIDTH"]), int(words["HEIGHT"])
        channels, largest = int(words["DEPTH"]), int(words["MAXVAL"])
        if words["TUPLTYPE"].strip() != TUPLES[channels]:
            raise ValueError("PAM of %d channels is %s" % (channels, words["TUPLTYPE"]))
    else:
        raise ValueError("not a PNM file")
    if largest not in (255, 65535):
        raise ValueError("maxval %d" % largest)
    kind = np.dtype(">u1" if largest == 255 else ">u2")
    if len(body) != width * height * channels * kind.itemsize:
        raise ValueError("%d bytes of pixels" % len(body))
    return np.frombuffer(body, kind).reshape(height, width, channels).astype(kind.newbyteorder("="))


def read_png(data):
    at, packed = 8, b""
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if struct.pack(">I", zlib.crc32(name + body)) != data[at + 8 + size:at + 12 + size]:
            raise ValueError("CRC of " + repr(name))
        if name == b"IHDR":
            width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        elif name == b"IDAT":
            packed += body
        at += 12 + size
    channels = {value: key for key, value in PNG_COLOURS.items()}.get(colour)
    if (bits, colour) == (1, 0) and not interlaced:  # what a threshold of gray leaves
        lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1)
        if lines[:, 0].any():
            raise ValueError("a bitmap with row filters")
        return np.unpackbits(lines[:, 1:], axis=1)[:, :width].reshape(height, width, 1).astype(bool)
    if channels is None or bits not in (8, 16) or interlaced:
        raise ValueError("PNG of colour type %d, %d bits" % (colour, bits))
    pixel = channels * bits // 8
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * pixel)
    rows = np.zeros((height, width * pixel), np.uint8)
    above = np.zeros(width * pixel, np.uint8)
    for y in range(height):
        kind, coded = int(lines[y, 0]), lines[y, 1:]
        if kind == 1:
            row = coded.reshape(width, pixel).cumsum(axis=0, dtype=np.uint8).ravel()
        elif kind < 3:
            row = coded + kind // 2 * above
        else:
            row = unpredict(kind, coded.tolist(), above.tolist(), pixel)
        rows[y] = above = np.asarray(row, np.uint8)
    kind = np.dtype(">u%d" % (bits // 8))
    return np.frombuffer(rows.tobytes(), kind).reshape(height, width, channels).astype(kind.newbyteorder("="))


def unpredict(kind, coded, above, pixel):
    row = [0] * pixel
    above = [0] * pixel + above
    for i, value in enumerate(coded):
        a, b, c = row[i], above[i + pixel], above[i]
        if kind == 3:
            guess = (a + b) // 2
        else:
            pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            guess = a if pa <= pb and pa <= pc else b if pb <= pc else c
        row.append((value + guess) & 255)
    return row[pixel:]


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return read_png(data) if data[:8] == PNG_SIGNATURE else read_pnm(data)
