"""Writes TIFFs with overviews and masks as GDAL, libvips and others lay them out, and checks what was made of them.

overviews.py make FILE KIND...    KIND: big (endian), wide (BigTIFF), below, mask, two (pages), gray16, float, alpha, bit, tiles,
                                  odd (a thumbnail of another shape), same (an "overview" of the page's size), ...: see make()
overviews.py check IN OUT         as many pages and subfiles in the same places, overviews are means of OUT's page, masks IN's
overviews.py list FILE            a line a directory
"""
import random, struct, sys, zlib
from fractions import Fraction

SIZES = {1: "B", 2: "B", 3: "H", 4: "I", 5: "Q", 6: "b", 7: "B", 11: "f", 12: "d", 13: "I", 16: "Q", 18: "Q"}


class File:
    "A TIFF or a BigTIFF as bytes, to be added to"

    def __init__(self, big=False, wide=False):
        self.order, self.wide = "><"[not big], wide
        self.offset = "Q" if wide else "I"
        self.data = bytearray(b"MM" if big else b"II")
        self.data += self.pack("HHHQ", 43, 8, 0, 0) if wide else self.pack("HI", 42, 0)
        self.link = len(self.data) - struct.calcsize(self.offset)

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def put(self, data):
        self.data += bytes(len(self.data) % 2)
        self.data += data
        return len(self.data) - len(data)

    def directory(self, rows, chained=True):
        "(tag, type, values); returns where it is and where its link is"
        room, count = struct.calcsize(self.offset), "Q" if self.wide else "H"
        entries = b""
        for tag, kind, values in sorted(rows):
            value = values if isinstance(values, bytes) else self.pack(f"{len(values)}{SIZES[kind]}", *values)
            place = value.ljust(room, b"\0") if len(value) <= room else self.pack(self.offset, self.put(value))
            entries += self.pack("HH" + self.offset, tag, kind, len(value) // struct.calcsize("=" + SIZES[kind])) + place
        at = self.put(self.pack(count, len(rows)) + entries + bytes(room))
        if chained:
            struct.pack_into(self.order + self.offset, self.data, self.link, at)
            self.link = len(self.data) - room
        return at


def draw(width, height, samples, kind, seed):
    r = random.Random(seed)
    most = {"B": 255, "H": 65535, "1": 1}.get(kind)
    rows = []
    for y in range(height):
        row = [r.randint(0, most) if most else r.uniform(-2, 3) for _ in range(width * samples)]
        if not most:
            row = [float("nan") if r.random() < 0.1 else v for v in row]
        if samples in (2, 4):
            for x in range(width):
                row[x * samples + samples - 1] = r.choice([0, most // 3, most])
                if x < 9 and y < 9:
                    row[x * samples + samples - 1] = 0
        rows.append(row)
    return rows


def packed(f, row, kind):
    if kind != "1":
        return f.pack(f"{len(row)}{kind}", *row)
    bits = "".join(map(str, row)).ljust((len(row) + 7) // 8 * 8, "0")
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def picture(f, width, height, subfile, words, seed):
    "The rows of a picture's directory"
    mask = subfile & 4
    samples = 1 if mask or not "alpha" in words else 4
    kind = "1" if mask or "bit" in words else "H" if "gray16" in words else "f" if "float" in words else "B"
    pixels = draw(width, height, samples, kind, seed)
    rows = [(256, 4, [width]), (257, 4, [height]), (258, 3, [{"1": 1, "B": 8, "H": 16, "f": 32}[kind]] * samples),
            (262, 3, [4 if mask else 2 if samples == 4 else 1]), (277, 3, [samples]), (284, 3, [1])]
    rows += [(338, 3, [2])] * (samples == 4) + [(339, 3, [3])] * (kind == "f") + [(254, 4, [subfile])] * (subfile > 0)
    coded = mask or "deflate" in words
    rows += [(259, 3, [8 if coded else 1])]
    pieces, each = [], 16
    if mask and "tiles" in words:
        for top in range(0, height, each):
            for left in range(0, width, each):
                tile = [[pixels[y][x] if y < height and x < width else 0 for x in range(left, left + each)] for y in range(top, top + each)]
                pieces.append(b"".join(packed(f, row, kind) for row in tile))
        rows += [(322, 3, [each]), (323, 3, [each])]
        tags = 324, 325
    else:
        lines = [packed(f, row, kind) for row in pixels]
        pieces = [b"".join(lines[y:y + each]) for y in range(0, height, each)]
        rows += [(278, 4, [each])]
        tags = 273, 279
    if mask:
        rows += [(266, 3, [1]), (305, 2, b"who wrote it\0")]
    pieces = [zlib.compress(p) if coded else p for p in pieces]
    if mask and "sparse" in words:
        pieces[0] = b""
    offsets = [f.put(p) if p else 0 for p in pieces]
    sizes = [len(p) for p in pieces]
    return rows + [(tags[0], 16 if f.wide else 4, offsets), (tags[1], 4, sizes)]


def make(name, words):
    f = File("big" in words, "wide" in words)
    for page in range(2 if "two" in words else 1):
        width, height = (61, 47) if page == 0 else (40, 64)
        sizes = [(-(-width // n), -(-height // n)) for n in (2, 4, 7)]
        others = []
        if "overviews" in words:
            others += [(1, *s) for s in sizes]
        if "mask" in words:
            others = [(4, width, height)] + others + [(5, *s) for s in sizes[:2]]
        if "odd" in words:
            others += [(1, 20, 20)]
        if "same" in words:
            others += [(1, width, height)]
        if "larger" in words:
            others += [(1, width + 1, height)]
        if "many" in words:
            others += [(1, width - 1, height - 1)] * 3
        if "outside" in words:
            others += [(1, width // 2, height // 2)]
        below = []
        rows = picture(f, width, height, 0, words, page)
        if "below" in words:
            for i, other in enumerate(others):
                below.append(f.directory(picture(f, other[1], other[2], other[0], words, 9 + i), False))
            if "lost" in words:
                below.append(len(f.data) + 99999)
            rows.append((330, 16 if f.wide else 4, below))
        if "page" in words:
            rows.append((297, 3, [page, 2]))
        f.directory(rows)
        if "below" not in words:
            for i, other in enumerate(others):
                rows = picture(f, other[1], other[2], other[0], words, 9 + i)
                if "outside" in words:
                    rows = [(t, k, [v[0] + 99999999] * len(v)) if t in (273, 324) else (t, k, v) for t, k, v in rows]
                at = f.directory(rows)
            if "circle" in words:
                struct.pack_into(f.order + f.offset, f.data, f.link, at)
    open(name, "wb").write(f.data)


# ---- reading --------------------------------------------------------------------------------------------------------


class Picture:
    def __init__(self, data, at, page, place):
        self.order = {b"II": "<", b"MM": ">"}[bytes(data[:2])]
        self.wide = struct.unpack_from(self.order + "H", data, 2)[0] == 43
        offset, count = ("Q", "Q") if self.wide else ("I", "H")
        room = struct.calcsize(offset)
        n = struct.unpack_from(self.order + count, data, at)[0]
        at += struct.calcsize(count)
        self.tags, self.kinds, self.data, self.place = {}, {}, data, place
        for i in range(n):
            tag, kind, values = struct.unpack_from(self.order + "HH" + offset, data, at)
            form = f"{self.order}{values}{SIZES[kind]}"
            where = at + 4 + room
            if struct.calcsize(form) > room:
                where = struct.unpack_from(self.order + offset, data, where)[0]
            self.tags[tag], self.kinds[tag] = struct.unpack_from(form, data, where), kind
            at += 4 + 2 * room
        self.next = struct.unpack_from(self.order + offset, data, at)[0]
        self.width, self.height = self.tags[256][0], self.tags[257][0]
        self.subfile = self.tags.get(254, (0,))[0]
        self.page = self if self.subfile & ~2 == 0 and place == "chain" else page

    def name(self):
        kind = "page" if self.page is self else "mask" if self.subfile & 4 else "overview"
        return f"{kind} {self.place} {self.width}x{self.height}"

    def coded(self):
        "Strips or tiles as they are stored"
        tags = (273, 279) if 273 in self.tags else (324, 325)
        return [bytes(self.data[a:a + n]) for a, n in zip(self.tags[tags[0]], self.tags[tags[1]])]

    def rows(self):
        bits, n = self.tags[258][0], self.tags.get(277, (1,))[0]
        form = self.tags.get(339, (1,))[0]
        raw = b"".join(zlib.decompress(s) if self.tags[259][0] == 8 else s for s in self.coded())
        assert self.tags[259][0] in (1, 8)
        samples, size = self.width * n, (self.width * n * bits + 7) // 8
        kind = {(1, 1): "1", (8, 1): "B", (16, 1): "H", (32, 3): "f"}[bits, form]
        result = []
        for y in range(self.height):
            line = raw[y * size:(y + 1) * size]
            if kind == "1":
                row = [line[x // 8] >> 7 - x % 8 & 1 for x in range(samples)]
            else:
                row = list(struct.unpack(f"{self.order}{samples}{kind}", line))
            if self.tags.get(317, (1,))[0] == 2:
                for x in range(n, samples):
                    row[x] = (row[x] + row[x - n]) % (1 << bits)
            result.append(row)
        return result


def read(name):
    data = open(name, "rb").read()
    wide = struct.unpack_from({b"II": "<", b"MM": ">"}[data[:2]] + "H", data, 2)[0] == 43
    order = {b"II": "<", b"MM": ">"}[data[:2]]
    at = struct.unpack_from(order + ("Q" if wide else "I"), data, 8 if wide else 4)[0]
    result, page, seen = [], None, set()
    while at and at not in seen:
        seen.add(at)
        p = Picture(data, at, page, "chain")
        page = p.page
        result.append(p)
        for below in p.tags.get(330, ()):
            result.append(Picture(data, below, page, "below"))
        at = p.next
    return result


def cover(source, size):
    "Of each pixel which of the source it covers, and by how much"
    for i in range(size):
        low, high = Fraction(i * source, size), Fraction((i + 1) * source, size)
        yield [(j, min(high, j + 1) - max(low, j)) for j in range(int(low), -(-high.numerator // high.denominator))]


def means(rows, width, height, n, alpha):
    columns, result = list(cover(len(rows[0]) // n, width)), []
    for ys in cover(len(rows), height):
        result.append([])
        for xs in columns:
            for c in range(n):
                total = whole = 0
                for y, wy in ys:
                    for x, wx in xs:
                        v = rows[y][x * n + c]
                        if v != v:
                            continue
                        weight = wx * wy * (rows[y][x * n + n - 1] if alpha and c < n - 1 else 1)
                        total += weight * (v if isinstance(v, int) else Fraction(v))
                        whole += weight
                result[-1].append(total / whole if whole else None)
    return result


def check_overview(p, other):
    n, alpha, real = p.tags.get(277, (1,))[0], 338 in p.tags, 339 in p.tags
    for tag in (258, 259, 262, 277, 317, 338, 339):
        assert p.tags.get(tag) == other.tags.get(tag), (tag, p.tags.get(tag), other.tags.get(tag))
    want, got = means(p.rows(), other.width, other.height, n, alpha), other.rows()
    for y in range(other.height):
        for w, g in zip(want[y], got[y]):
            if not real:
                assert g == (0 if w is None else round(w)), (other.name(), y, w, g)
            elif w is None:
                assert g != g
            else:
                assert abs(g - w) <= 1e-6 * max(1, abs(w)), (other.name(), y, float(w), g)


def check(before, after):
    a, b = read(before), read(after)
    assert [p.name() for p in a] == [p.name() for p in b], ([p.name() for p in a], [p.name() for p in b])
    for old, new in zip(a, b):
        if new.page is new:
            continue
        if new.subfile & 4:
            assert old.coded() == new.coded()
            same = lambda p: {t: (v, p.kinds[t]) for t, v in p.tags.items() if t not in (273, 279, 324, 325)}
            assert same(old) == same(new), (same(old), same(new))
        else:
            check_overview(new.page, new)


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3:])
elif sys.argv[1] == "check":
    check(sys.argv[2], sys.argv[3])
else:
    for p in read(sys.argv[2]):
        print(p.name())
