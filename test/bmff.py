#!/usr/bin/env python3
"""Change a HEIC or an AVIF of one picture: bmff.py IN OUT CHANGE...

    TYPE=HEX          give the main picture another property: irot=01, imir=00, colr=6e636c78...
    ID:TYPE=HEX       give it to the item of this number
    iref=HEX          have these references, a box each, and no others
    auxC=TEXT         rename what every auxiliary picture is
    ispe=WxH          what every picture says of its width and height
    twice=TYPE        have a box, of those in "meta" or the file, twice
"""
import struct
import sys


def boxes(data):
    at = 0
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        size = size or len(data) - at
        yield kind, data[at + 8:at + size]
        at += size


def box(kind, data):
    return struct.pack(">I4s", len(data) + 8, kind) + data


def rebuild(data, changes):
    return b"".join(box(kind, changes[kind](body) if kind in changes else body) for kind, body in boxes(data))


def associate(ipma, item, number):
    """Give the item the property of this number: ids of two bytes, numbers of one."""
    assert ipma[0] == 0 and not ipma[3] & 1
    out, at = ipma[:8], 8
    for _ in range(struct.unpack(">I", ipma[4:8])[0]):
        count = ipma[at + 2]
        entry = ipma[at:at + 3 + count]
        if struct.unpack(">H", entry[:2])[0] == item:
            entry = entry[:2] + bytes([count + 1]) + entry[3:] + bytes([0x80 | number])
        out += entry
        at += 3 + count
    return out


def shifted(iloc, by):
    """Bytes in the file, not those in "idat", stand that much further behind."""
    version, offset, length, base = iloc[0], iloc[4] >> 4, iloc[4] & 15, iloc[5] >> 4
    index = iloc[5] & 15 if version else 0
    data, at = bytearray(iloc), 8 if version < 2 else 10
    for _ in range(int.from_bytes(iloc[6:at], "big")):
        at += 2 if version < 2 else 4
        method = data[at + 1] & 15 if version else 0
        at += (2 if version else 0) + 2
        first = int.from_bytes(data[at:at + base], "big")
        if base and method == 0:
            data[at:at + base] = (first + by).to_bytes(base, "big")
        at += base
        count = int.from_bytes(data[at:at + 2], "big")
        at += 2
        for _ in range(count):
            at += index
            if not base and method == 0:
                value = int.from_bytes(data[at:at + offset], "big")
                data[at:at + offset] = (value + by).to_bytes(offset, "big")
            at += offset + length
    return bytes(data)


def change(data, name, value):
    top = list(boxes(data))
    if name == "twice" and value == "meta":
        return data + box(b"meta", dict(top)[b"meta"])
    meta = dict(top)[b"meta"]
    inner = dict(boxes(meta[4:]))
    iprp = dict(boxes(inner[b"iprp"]))
    primary = struct.unpack(">H", inner[b"pitm"][4:6])[0]
    given = ":" in name
    if given:
        primary, name = int(name.split(":")[0]), name.split(":")[1]
    if name == "auxC" and not given:
        ipco = rebuild(iprp[b"ipco"], {b"auxC": lambda body: body[:4] + value.encode() + b"\0"})
    elif name in ("twice", "iref"):
        ipco = iprp[b"ipco"]
    elif name == "ispe":
        size = struct.pack(">II", *map(int, value.split("x")))
        ipco = rebuild(iprp[b"ipco"], {b"ispe": lambda body: body[:4] + size})
    else:
        ipco = iprp[b"ipco"] + box(name.encode(), bytes.fromhex(value))
    last = len(list(boxes(ipco)))
    added = given or name not in ("auxC", "ispe", "twice", "iref")
    within = {b"ipco": lambda body: ipco,
              b"ipma": lambda body: associate(body, primary, last) if added else body}
    def references(body):
        return body[:4] + bytes.fromhex(value) if name == "iref" else body
    def make(by):
        again = box(value.encode(), inner[value.encode()]) if name == "twice" else b""
        return meta[:4] + again + rebuild(meta[4:], {b"iprp": lambda body: rebuild(body, within),
                                                     b"iref": references,
                                                     b"iloc": lambda body: shifted(body, by)})
    by = len(make(0)) - len(meta)
    return b"".join(box(kind, make(by) if kind == b"meta" else body) for kind, body in top)


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    for text in sys.argv[3:]:
        data = change(data, *text.split("=", 1))
    with open(sys.argv[2], "wb") as file:
        file.write(data)


main()
