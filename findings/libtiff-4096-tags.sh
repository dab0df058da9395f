#!/bin/sh
# libtiff-4096-tags.sh - libtiff reads no directory of more than 4,096 tags
#
# Expected: a directory's count has 16 bits, and tags are of 16 bits: a valid file may have tens of thousands of them, which a
# reader that does not know them passes over. BigTIFF's count has 64 bits.
# Behaviour: with 4,096 entries the picture is read, with 4,097 the file is refused as if the directory's offset were wrong.
. "$(dirname "$0")/setup"
packages libtiff-tools=4.5.0-6+deb12u4

tiff() { # ENTRIES: one gray pixel, and private tags of one byte from 40000 on
    awk -v n="$1" 'function two(v) { printf "%02x%02x", v % 256, int(v / 256) }
        function entry(tag, type, value) { two(tag); two(type); printf "01000000"; two(value); printf "0000" }
        BEGIN { printf "49492a0008000000"; two(n)
            entry(256, 3, 1); entry(257, 3, 1); entry(258, 3, 8); entry(259, 3, 1); entry(262, 3, 1); entry(273, 3, 8)
            entry(278, 3, 1); entry(279, 3, 1); for (i = 8; i < n; i++) entry(40000 + i, 1, 7)
            printf "00000000" }' | xxd -r -p >in.tif
    inside tiffinfo in.tif 2>&1 | grep -c 'Image Width: 1' || :
}
verdict 'a directory of 4096 entries is read' 1 "$(tiff 4096)" 1
verdict 'one of 4097' 1 "$(tiff 4097)" 0
