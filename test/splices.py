#!/usr/bin/env python3
"""splices.py - files that carry more than one picture's pixels: NAME BASE OUT

BASE is a PNG or a JPEG of one plain picture for those names that need one, else ignored.
"""
import struct
import sys
import zlib

P = struct.pack


def chunk(name, data):
    return P(">I", len(data)) + name + data + P(">I", zlib.crc32(name + data))


def segment(marker, data):
    return bytes([0xFF, marker]) + P(">H", len(data) + 2) + data


def behind_head(png, chunks):
    """A PNG with these chunks behind its header, or before its end"""
    return png[:33] + b"".join(chunks) + png[33:]


def before_end(png, chunks):
    return png[:-12] + b"".join(chunks) + png[-12:]


def behind_soi(jpeg, *segments):
    return jpeg[:2] + b"".join(segments) + jpeg[2:]


def directory(width, height, at, *more):
    "A directory of a gray picture, whose pixels are at `at`"
    size = width * height
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (262, 3, 1, 1), (273, 4, 1, at)]
    entries += [(277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, size), *more]
    return P("<H", len(entries)) + b"".join(P("<HHII", *e) for e in sorted(entries)) + P("<I", 0)


def tiff(directory_at, *parts):
    return b"II*\0" + P("<I", directory_at) + b"".join(parts)


def pixels(count):
    return bytes(1 + i * 7 % 255 for i in range(count))


def sub_picture(larger):
    "A picture below the first, larger or a smaller copy of it"
    w, h = (40, 30) if larger else (4, 3)
    below = directory(w, h, 8, (254, 4, 1, 0 if larger else 1))
    end = 8 + w * h
    first = directory(8, 6, end + len(below), (254, 4, 1, 0), (330, 4, 1, end))
    return tiff(end + len(below) + 48, pixels(w * h), below, pixels(48), first)


def planes():
    "Five planes below one directory, of which it names the first"
    end = 8 + 5 * 48
    return tiff(end, pixels(5 * 48), directory(8, 6, 8, (33629, 5, 5, 8)))


def raw(phase_one):
    "A camera raw kept in the MakerNote, behind a small picture"
    note = (b"IIIITwaR" if phase_one else b"OwnNote\0") + pixels(20000000 if not phase_one else 200)
    at = 8 + len(note)
    exif = P("<HHHIII", 1, 0x927C, 7, len(note), 8, 0)
    return tiff(at + 48 + len(exif), note, pixels(48), exif, directory(8, 6, at, (34665, 4, 1, at + 48)))


def sensor(tag):
    "A preview, below which a picture of the sensor hangs"
    below = directory(40, 30, 8, (254, 4, 1, 0))
    if tag[0] == 262:
        below = below.replace(P("<HHII", 262, 3, 1, 1), P("<HHII", *tag))
    end = 8 + 1200
    more = [] if tag[0] == 262 else [tag]
    first = directory(8, 6, 8, (254, 4, 1, 0), (330, 4, 1, end), *more)
    return tiff(end + len(below), pixels(1200), below, first)


def behind_copy():
    "A first picture that is marked as a smaller copy, with the artist; the picture is behind it"
    text = b"a painter\0"
    at = 8 + 1200 + 48 + len(text)
    first = directory(8, 6, 8 + 1200, (254, 4, 1, 1), (315, 2, len(text), 8 + 1200 + 48))
    first = first[:-4] + P("<I", at + len(first))
    return tiff(at, pixels(1200), pixels(48), text, first, directory(40, 30, 8))


def described(text, pages):
    "So many pages, of which the first has the description"
    first, out = None, b""
    for page in range(pages):
        at = 8 + len(out)
        block = pixels(48) + (text if page == 0 else b"")
        d = directory(8, 6, at, *([(270, 2, len(text), at + 48)] if page == 0 else []))
        end = at + len(block) + len(d)
        out += block + (d[:-4] + P("<I", end + 48) if page + 1 < pages else d)
        first = first or at + len(block)
    return tiff(first, out)


def cog(good=True):
    "A picture of one tile and a smaller copy of it, as GDAL lays them out: each with its size before, its end behind it"
    lines = b"LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\nBLOCK_TRAILER=LAST_4_BYTES_REPEATED\n"
    lines = b"GDAL_STRUCTURAL_METADATA_SIZE=%06d bytes\n" % len(lines) + lines
    lines += bytes(len(lines) % 2)
    tile = P("<I", 256 if good else 255) + pixels(256) + pixels(256)[-4:]

    def one(width, at, after, *more):
        entries = [(256, 4, 1, width), (257, 4, 1, width), (258, 3, 1, 8), (262, 3, 1, 1), (277, 3, 1, 1), *more]
        entries += [(322, 3, 1, 16), (323, 3, 1, 16), (324, 4, 1, at), (325, 4, 1, 256)]
        return P("<H", len(entries)) + b"".join(P("<HHII", *e) for e in sorted(entries)) + P("<I", after)

    first = 8 + len(lines)
    second = first + len(one(16, 0, 0))
    data = second + len(one(8, 0, 0, (254, 4, 1, 1)))
    directories = one(16, data + len(tile) + 4, second) + one(8, data + 4, 0, (254, 4, 1, 1))
    return tiff(first, lines, directories, tile, tile)


def tags():
    "Tags of programs, of which one may hold an offset, and IPTC alone, of 17 bytes"
    at = 8 + 48
    text, iptc = b"a program's own words\0", b"\x1c\2\x19\0\x0cmountain top"
    more = [(65000, 2, len(text), at), (65001, 4, 1, 8), (65002, 3, 1, 7), (33723, 7, len(iptc), at + len(text))]
    return tiff(at + len(text) + len(iptc), pixels(48), text, iptc, directory(8, 6, 8, *more))


XMP = b"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Label="a label"/></rdf:RDF></x:xmpmeta>"""


def exif_chunk(orientation):
    return chunk(b"eXIf", b"II*\0" + P("<IHHHIIHHIII", 8, 2, 271, 2, 4, 0x00656d, 274, 3, 1, orientation, 0))


IMAGEJ = b"ImageJ=1.54f\nimages=%d\nslices=2\nunit=um\n\0"
OME = b'<?xml version="1.0"?><OME><Image><Pixels SizeX="8" SizeY="6" SizeZ="2"/></Image></OME>\0'
SHAPE = b'{"shape": [2, 6, 8]}\0'
CASES = {
    "imagej": lambda b: described(IMAGEJ % 2, 2),
    "imagej one": lambda b: described(IMAGEJ % 1, 1),
    "imagej planes": lambda b: described(IMAGEJ % 2, 1) + pixels(48),
    "ome": lambda b: described(OME, 2),
    "ome one": lambda b: described(OME, 1),
    "shape": lambda b: described(SHAPE, 2),
    "shape one": lambda b: described(SHAPE, 1),
    "words": lambda b: described(b"images of a walk\0", 2),
    "tags": lambda b: tags(),
    "animated": lambda b: before_end(behind_head(b, [chunk(b"acTL", P(">II", 2, 0))]), [chunk(b"fdAT", P(">I", 1) + b[41:60])]),
    "sub": lambda b: sub_picture(True),
    "transfer": lambda b: tiff(8 + 512, pixels(512), directory(8, 6, 8, (301, 3, 256, 8))),
    "cog": lambda b: cog(),
    "cog edited": lambda b: cog(False),
    "copy": lambda b: sub_picture(False),
    "planes": lambda b: planes(),
    "raw": lambda b: raw(False),
    "phase one": lambda b: raw(True),
    "sensor": lambda b: sensor((262, 3, 1, 32803)),
    "leaf": lambda b: sensor((34310, 1, 1, 0)),
    "imacon": lambda b: sensor((46275, 7, 4, 0)),
    "behind": lambda b: behind_copy(),
    "film": lambda b: b + b"\0\0\0\x18ftypmp42" * 99,
    "bytes": lambda b: b + pixels(99),
    "sef": lambda b: b + pixels(40) + b"SEFH" + P("<II", 107, 0) + P("<I", 12) + b"SEFT",
    "zeros": lambda b: b + bytes(4000),
    "thermal": lambda b: behind_soi(b, segment(0xE1, b"FLIR\0\1\0\0" + pixels(4000))),
    "signed": lambda b: behind_soi(b, segment(0xEB, b"JP\0\1" + pixels(300))),
    "signed last": lambda b: b.replace(b"\xff\xdb", segment(0xEB, b"JP\0\1" + pixels(300)) + b"\xff\xdb", 1),
    "private": lambda b: behind_soi(b, segment(0xE7, b"Own\0" + pixels(808))),
    "late": lambda b: before_end(b, [chunk(b"tEXt", b"Comment\0a comment"), exif_chunk(6), chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + XMP), chunk(b"tEXt", b"Author\0nobody")]),
    "resolutions": lambda b: behind_head(b, [chunk(b"pHYs", P(">IIB", n, n, 1)) for n in (3000, 3000, 4000)]),
    "author": lambda b: b[:b.index(b"IDAT") - 4] + chunk(b"tEXt", b"Author\0somebody") + b[b.index(b"IDAT") - 4:],
    "chunks": lambda b: behind_head(b, [chunk(n, pixels(9)) for n in (b"saFe", b"unSF")]),
}


def main():
    name, base, out = sys.argv[1:]
    with open(base, "rb") as f:
        data = f.read()
    with open(out, "wb") as f:
        f.write(CASES[name](data))


if __name__ == "__main__":
    main()
