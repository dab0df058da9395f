#!/bin/sh
# libtiff-subdirectory-walk.sh - TIFFSetSubDirectory() reads all directories of the file, though it gets the offset of one
#
# Expected: a directory's offset leads to it at once; TIFFSetDirectory(), which gets its number, is the one that has to walk. Pages of
# a stack whose offsets are known take the same time wherever they are.
# Behaviour: the whole chain of directories is read first, to number the one at the offset: two reads for each directory that the
# file has. A program that opens the file for each page takes time in proportion to the square of the pages.
. "$(dirname "$0")/setup"
packages libtiff6=4.5.0-6+deb12u4 python3=3.11.2-1+b1

cat >reads.py <<'END'
import ctypes as c, struct, sys

pages, page = map(int, sys.argv[1:])
data = bytearray(b"II*\0" + bytes(4))
offsets, before = [], 4
for i in range(pages):  # one gray pixel each
    rows = [(256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 8), (278, 1), (279, 1)]
    offsets.append(len(data))
    struct.pack_into("<I", data, before, len(data))
    data += struct.pack("<H", len(rows)) + b"".join(struct.pack("<HHII", tag, 4 if tag in (273, 279) else 3, 1, v) for tag, v in rows)
    before = len(data)
    data += bytes(4)
at = reads = 0

def read(handle, to, size):
    global at, reads
    reads += 1
    some = bytes(data[at:at + size])
    c.memmove(to, some, len(some))
    at += len(some)
    return len(some)

def seek(handle, offset, whence):
    global at
    at = offset + (0, at, len(data))[whence]
    return at

lib = c.CDLL("libtiff.so.6")
transfer = c.CFUNCTYPE(c.c_ssize_t, c.c_void_p, c.c_void_p, c.c_ssize_t)
calls = (transfer(read), transfer(lambda *_: -1), c.CFUNCTYPE(c.c_uint64, c.c_void_p, c.c_uint64, c.c_int)(seek),
         c.CFUNCTYPE(c.c_int, c.c_void_p)(lambda _: 0), c.CFUNCTYPE(c.c_uint64, c.c_void_p)(lambda _: len(data)))
lib.TIFFClientOpen.restype = c.c_void_p
tif = c.c_void_p(lib.TIFFClientOpen(b"stack", b"rm", None, *calls, None, None))
reads = 0
assert lib.TIFFSetSubDirectory(tif, c.c_uint64(offsets[page - 1])) == 1
print(reads)
END
reads() { # PAGES PAGE
    inside python3 reads.py "$1" "$2"
}
verdict 'more reads for page 2 of 1,000 than for page 2 of 10' 0 "$(($(reads 1000 2) - $(reads 10 2)))" 1980
verdict 'more reads for page 1,000 of 1,000 than for page 10 of 10' 0 "$(($(reads 1000 1000) - $(reads 10 10)))" 1980
