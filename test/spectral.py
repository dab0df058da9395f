"""spectral.py - TIFF of many channels, written as other programs do, and read without imfilter's reader"""
import random
import struct
import zlib

KINDS = {"u8": ("B", 1), "u16": ("H", 1), "i16": ("h", 2), "f32": ("f", 3), "f64": ("d", 3)}

def write(path, kind, width, height, channels, how="", extra=None, colors=1, more=()):
    """channels: lists of samples; how: "planes", "tiles", "deflate", "big" (order of bytes), "strips" of 5 rows."""
    order = ">" if "big" in how else "<"
    code, sort = KINDS[kind]
    n, size = len(channels), struct.calcsize(code)
    tile = 16 if "tiles" in how else 0
    across, down = (tile, tile) if tile else (width, int(how.split("rows")[1]) if "rows" in how else 5 if "strips" in how else height)
    cells = []
    for group in [[c] for c in channels] if "planes" in how else [channels]:
        for top in range(0, height, down):
            rows = down if tile else min(down, height - top)
            for left in range(0, width, across):
                cell = b"".join(struct.pack(order + code, c[y * width + x] if x < width and y < height else 0)
                                for y in range(top, top + rows) for x in range(left, left + across) for c in group)
                cells.append(zlib.compress(cell) if "deflate" in how else cell)
    out = bytearray((b"MM" if order == ">" else b"II") + struct.pack(order + "HI", 42, 0))
    offsets = []
    for cell in cells:
        offsets.append(len(out))
        out += cell + bytes(len(cell) % 2)
    sizes = [len(cell) for cell in cells]
    tags = [(256, "H", [width]), (257, "H", [height]), (258, "H", [8 * size] * n), (259, "H", [8 if "deflate" in how else 1]),
            (262, "H", [1 if colors == 1 else 2]), (277, "H", [n]), (284, "H", [2 if "planes" in how else 1]),
            (338, "H", extra or [0] * (n - colors)), (339, "H", [sort] * n)]
    tags += [(322, "H", [tile]), (323, "H", [tile]), (324, "I", offsets), (325, "I", sizes)] if tile else \
        [(273, "I", offsets), (278, "H", [down]), (279, "I", sizes)]
    entries = b""
    tags = sorted([t for t in tags if t[2]] + list(more))
    for tag, form, values in tags:
        value = struct.pack("%s%d%s" % (order, len(values), form), *values)
        place = value.ljust(4, b"\0")
        if len(value) > 4:
            place = struct.pack(order + "I", len(out))
            out += value + bytes(len(value) % 2)
        entries += struct.pack(order + "HHI", tag, {"B": 1, "H": 3, "I": 4, "d": 12}[form], len(values)) + place
    struct.pack_into(order + "I", out, 4, len(out))
    out += struct.pack(order + "H", len(tags)) + entries + bytes(4)
    open(path, "wb").write(out)

def read(path, page=0):
    """Tags and channels of a file of strips whose compression is none or Deflate, with predictor 2 or none."""
    data = open(path, "rb").read()
    order = {b"II": "<", b"MM": ">"}[data[:2]]
    at = struct.unpack_from(order + "I", data, 4)[0]
    for _ in range(page):
        at = struct.unpack_from(order + "I", data, at + 2 + 12 * struct.unpack_from(order + "H", data, at)[0])[0]
    tags = {}
    for i in range(struct.unpack_from(order + "H", data, at)[0]):
        tag, form, count = struct.unpack_from(order + "HHI", data, at + 2 + 12 * i)
        form = {1: "B", 2: "B", 3: "H", 4: "I", 5: "Q", 7: "B", 12: "d"}[form]
        place = at + 10 + 12 * i
        if count * struct.calcsize(form) > 4:
            place = struct.unpack_from(order + "I", data, place)[0]
        tags[tag] = list(struct.unpack_from("%s%d%s" % (order, count, form), data, place))
    width, height, n = tags[256][0], tags[257][0], tags[277][0]
    sort = tags.get(339, [1])[0]
    code = next(c for c, s in KINDS.values() if s == sort and 8 * struct.calcsize(c) == tags[258][0])
    data = b"".join(zlib.decompress(data[a:a + b]) if tags[259][0] == 8 else data[a:a + b]
                    for a, b in zip(tags[273], tags[279]))
    planes = n > 1 and tags[284][0] == 2
    samples = list(struct.unpack("%s%d%s" % (order, width * height * n, code), data))
    apart = 1 if planes or n == 1 else n
    for i in range(len(samples)) if tags.get(317, [1])[0] == 2 else ():
        if i % (width * apart) >= apart:
            samples[i] = (samples[i] + samples[i - apart]) % (1 << tags[258][0])
    return tags, [samples[c * width * height:(c + 1) * width * height] if planes else samples[c::n] for c in range(n)]

def join(names, to):
    """One file of several, little-endian and in strips, whose headers but the first are nothing then."""
    out, last = bytearray(), 4
    for name in names:
        data, shift = bytearray(open(name, "rb").read()), len(out)
        at = struct.unpack_from("<I", data, 4)[0]
        count = struct.unpack_from("<H", data, at)[0]
        for i in range(count):
            tag, form, n = struct.unpack_from("<HHI", data, at + 2 + 12 * i)
            place = at + 10 + 12 * i
            if n * {1: 1, 3: 2, 4: 4}[form] > 4:
                value = struct.unpack_from("<I", data, place)[0]
                struct.pack_into("<I", data, place, value + shift)
                place = value
            for k in range(n if tag == 273 else 0):
                offset = struct.unpack_from("<I", data, place + 4 * k)[0]
                struct.pack_into("<I", data, place + 4 * k, offset + shift)
        out += data
        struct.pack_into("<I", out, last, at + shift)
        last = shift + at + 2 + 12 * count
    open(to, "wb").write(out)

def draw(kind, width, height, n, seed=7):
    r = random.Random(seed)
    top = {"u8": 255, "u16": 4095}.get(kind, 900)
    def one(c):
        v = top * (0.5 + 0.3 * r.random()) * (1 if c % 2 else 0.3)
        return [v / 900 if kind[0] == "f" else int(v) - (400 if kind == "i16" else 0) for v in
                (v * r.random() for _ in range(width * height))]
    return [[struct.unpack("f", struct.pack("f", v))[0] if kind[0] == "f" else v for v in one(c)] for c in range(n)]
