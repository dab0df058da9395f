# Files of several pages
load helper

# A TIFF, as stacks are written by hand: pages of WxH gray samples, "8" or "16" bits, or "c" for complex ones, that all have
# VALUE, each with a description.
stack() { # FILE WxHxBITS=VALUE...
    python3 - "$@" <<'END'
import struct, sys
out, before = bytearray(b"II*\0" + bytes(4)), 4
for i, page in enumerate(sys.argv[2:]):
    shape, value = page.split("=")
    width, height, bits = shape.split("x")
    kind = {"8": "B", "16": "H", "c": "q"}[bits]
    pixels = struct.pack("<" + kind, int(value)) * (int(width) * int(height))
    text = b"page of %s\0" % value.encode()
    at = len(out)
    out += pixels + text + bytes((len(pixels) + len(text)) % 2)
    rows = [(256, 4, 1, int(width)), (257, 4, 1, int(height)), (258, 3, 1, struct.calcsize(kind) * 8), (259, 3, 1, 1),
            (262, 3, 1, 1), (270, 2, len(text), at + len(pixels)), (273, 4, 1, at), (277, 3, 1, 1), (278, 4, 1, int(height)),
            (279, 4, 1, len(pixels)), (339, 3, 1, 5 if kind == "q" else 1), (65001, 3, 1, 7)]
    struct.pack_into("<I", out, before, len(out))
    out += struct.pack("<H", len(rows)) + b"".join(struct.pack("<HHII", *row) for row in rows) + bytes(4)
    before = len(out) - 4
open(sys.argv[1], "wb").write(out)
END
}

# Width, height, bits, smallest and largest sample and description of each page, as imfilter's own reader does not see them.
pages() {
    python3 - "$1" <<'END'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
order = {b"II": "<", b"MM": ">"}[data[:2]]
at = struct.unpack_from(order + "I", data, 4)[0]
while at:
    count = struct.unpack_from(order + "H", data, at)[0]
    tags = {}
    for i in range(count):
        tag, kind, n = struct.unpack_from(order + "HHI", data, at + 2 + 12 * i)
        size = {1: "B", 2: "B", 3: "H", 4: "I", 5: "Q", 7: "B"}[kind]
        place = at + 10 + 12 * i
        if n * struct.calcsize(size) > 4:
            place = struct.unpack_from(order + "I", data, place)[0]
        tags[tag] = struct.unpack_from(f"{order}{n}{size}", data, place)
    samples = []
    for start, length in zip(tags[273], tags[279]):
        strip = data[start:start + length]
        strip = zlib.decompress(strip) if tags[259][0] == 8 else strip
        kind = "H" if tags[258][0] == 16 else "B"
        values = list(struct.unpack(f"{order}{len(strip) // struct.calcsize(kind)}{kind}", strip))
        for i in range(len(values)):  # differences with the left neighbour
            if 317 in tags and i % tags[256][0]:
                values[i] = (values[i] + values[i - 1]) % (1 << tags[258][0])
        samples += values
    print(tags[256][0], tags[257][0], tags[258][0], min(samples), max(samples), bytes(tags.get(270, b"\0")[:-1]).decode())
    at = struct.unpack_from(order + "I", data, at + 2 + 12 * count)[0]
END
}

@test "each page is filtered by itself, and keeps its size, depth and description" {
    stack a.tif 40x30x8=0 40x30x8=255 20x70x16=0 33x1x16=65535
    want=$(pages a.tif)
    for filter in blur:4 median:3 highpass:0.1:mean=keep equalize; do
        for compression in 0 6; do
            imf -f $filter --compression=$compression a.tif -o b.tif
            [ "$(pages b.tif)" = "$want" ]
            imf -f $filter - --compression=$compression -o - <a.tif >c.tif
            cmp b.tif c.tif
        done
    done
    cp a.tif c.tif
    imf -f blur:4 -i.bak c.tif
    [ "$(pages c.tif)" = "$want" ]
    cmp a.tif c.tif.bak
    run "$IMFILTER" -q --verify -f blur:4 a.tif
    [ "$status" -eq 0 ]
    imf -f blur:1 --depth=16 --verify a.tif -o b.tif
    [ "$(pages b.tif | cut -d' ' -f3 | xargs)" = "16 16 16 16" ]
}

@test "a page of a stack is what it would be alone" {
    for i in 1 2 3; do
        "$IMFILTER" -f "kernel:1:bias=0.$i" "$TESTDATA/types/gray$((8 << i % 2)).png" -o $i.tif
    done
    tiffcp 1.tif 2.tif 3.tif all.tif 2>/dev/null || skip "tiffcp is not installed"
    imf -f unsharp --range=normalize all.tif -o out.tif
    for i in 1 2 3; do
        imf -f unsharp --range=normalize $i.tif -o want.ppm
        imf --pages=$i -f kernel:1 out.tif -o got.ppm
        cmp want.ppm got.ppm
    done
}

@test "--pages takes some, in its order" {
    stack a.tif 5x4x8=10 5x4x8=20 5x4x8=30 5x4x8=40
    taken() { imf -f median:1 --pages="$1" a.tif -o b.tif && pages b.tif | cut -d' ' -f4 | xargs; }
    [ "$(taken 2)" = 20 ]
    [ "$(taken 3,1)" = "30 10" ]
    [ "$(taken 2-4)" = "20 30 40" ]
    [ "$(taken -1,1-2)" = "40 10 20" ]
    [ "$(taken 2--2)" = "20 30" ]
    [ "$(taken -3--1)" = "20 30 40" ]
    imf -f median:1 --pages=-2 a.tif -o b.pgm
    [ "$(tail -c 1 b.pgm | od -An -tu1 | xargs)" = 30 ]
    for list in 5 0-2 1-9 -5 3-2,1; do
        rm -f b.tif
        imf_run -f median:1 --pages=$list a.tif -o b.tif
        [[ $status -eq 1 || $status -eq 2 ]]
        [ ! -e b.tif ]
    done
    imf_run -f median:1 --pages=2-5 a.tif -o b.tif
    one_line "a.tif: has no pages 2-5 of --pages (it has 4)"
    imf_run -f median:1 --pages=3--3 a.tif -o b.tif
    one_line "a.tif: has no pages 3--3 of --pages (it has 4)"
    imf_run -f median:1 --pages=5 a.tif -o b.tif
    one_line "a.tif: has no page 5 of --pages (it has 4)"
    for list in '' ',' '1,' 1,,2 x 1-x 1.5 +1 99999999999; do
        imf_run -f median:1 --pages=$list a.tif -o b.tif
        [ "$status" -eq 2 ]
        one_line '--pages: "'
    done
    imf_run -f median:1 --pages=2 -i a.tif
    [ "$status" -eq 2 ]
    one_line "--in-place keeps all pages"
}

@test "a format of one picture gets the first page, with a warning, or the one that is asked for" {
    stack a.tif 5x4x8=10 5x4x8=20
    for type in png jpg; do
        imf_run -f median:1 a.tif -o b.$type
        [ "$status" -eq 0 ]
        one_line "left out: "
        [[ $stderr == *"picture 2 of 2 ("* ]]
        imf_run -f median:1 --pages=2 a.tif -o b.$type
        [ "$status" -eq 0 ]
        [[ $stderr != *picture* ]]
        imf_run -f median:1 --pages=1,2 a.tif -o c.$type
        [ "$status" -eq 1 ]
        one_line "a.tif: has several pages, of which the output's format holds one"
        [ ! -e c.$type ]
    done
    imf_run -f median:1 --bench=2 a.tif -o b.tif
    [ "$status" -eq 1 ]
    one_line "a.tif: has several pages; --spectrum and --bench take one"
    imf_run -f median:1 --pages=2 "$TESTDATA/noise.png" -o b.png
    one_line "has no page 2 of --pages (it has 1)"
}

@test "a page that cannot be read is named, and nothing of the file is written" {
    stack a.tif 5x4x8=10 5x4xc=20 5x4x8=30
    imf_run --json -f median:1 a.tif -o b.tif
    [ "$status" -eq 1 ]
    [[ $stderr == *"a.tif: page 2: a TIFF of complex samples cannot be read"* ]]
    [ "$(grep -c '"status"' <<<"$output")" = 1 ]
    [[ $output == *'"status":"error"'* ]]
    [ ! -e b.tif ]
    cp a.tif c.tif
    imf_run -f median:1 -i c.tif
    [ "$status" -eq 1 ]
    cmp a.tif c.tif
    imf -f median:1 --pages=1,3 a.tif -o b.tif
    [ "$(pages b.tif | cut -d' ' -f4 | xargs)" = "10 30" ]
}

@test "--json has an object a page, and a warning that pages share comes once" {
    stack a.tif 5x4x8=10 6x4x8=20 7x4x16=30
    imf_run --json -f median:1 a.tif -o b.tif
    [ "$(python3 -c 'import json, sys
print(*((o["page"], o["pages"], o["width"], o["depth"], len(o["lost"])) for o in map(json.loads, sys.stdin)))' <<<"$output")" = \
        "(1, 3, 5, 8, 0) (2, 3, 6, 8, 0) (3, 3, 7, 16, 0)" ]
    [ -z "$stderr" ]
    imf_run -f blur:1 a.tif -o b.tif
    one_line "a.tif: warning: left out: tag 65001 ("
    imf_run -v -f median:1 a.tif -o b.tif
    [ "$(grep -c 'page [123] of 3, ' <<<"$stderr")" = 3 ]
    imf_run --explain -f median:1 --pages=2-3 a.tif
    [[ $output == "a.tif, page 2 of 3: 6x4 gray, 8 bits: median:1 on "* ]]
    run "$IMFILTER" -f median:1 -n --pages=2-3 a.tif -o b.tif
    [ "$output" = "a.tif -> b.tif" ]
}

@test "a stack that breaks off, or has more pages than are read, is named" {
    stack a.tif 5x4x8=10 5x4x8=20 5x4x8=30
    cut=$(($(stat -c %s a.tif) - 156)) # the third directory
    head -c $cut a.tif >b.tif
    imf_run -f median:1 b.tif -o c.tif
    [ "$status" -eq 0 ]
    one_line "b.tif: warning: left out: "
    [[ $stderr == *"directory of the next picture (0 bytes: damaged)"* ]]
    [ "$(pages c.tif | cut -d' ' -f4 | xargs)" = "10 20" ]
    cp b.tif c.tif
    imf_run -f median:1 -i c.tif
    [ "$status" -eq 1 ]
    one_line "directory of the next picture (0 bytes: damaged)"
    cmp b.tif c.tif
    imf_run -f median:1 b.tif -o c.png
    [[ $stderr == *"directory of the next picture (0 bytes: damaged)"* ]]
    # Pixels that are not there are damage, as of one picture, and the page is named.
    python3 -c '
import struct
data = bytearray(open("a.tif", "rb").read())
at = len(data) - 156
struct.pack_into("<I", data, at + 2 + 12 * 6 + 8, len(data) - 5)
open("d.tif", "wb").write(data)'
    imf_run -f median:1 d.tif -o c.tif
    [ "$status" -eq 1 ]
    [[ $stderr == *" of page 3: no row of it can be read"* ]]
    # Time is in proportion to the pages.
    args=()
    for i in $(seq 4098); do args+=("1x1x8=7"); done
    stack e.tif "${args[@]}"
    imf_run -f median:1 e.tif -o c.tif
    one_line "directory of the next picture (0 bytes: more than 4096 are not read)"
    [ "$(pages c.tif | sort | uniq -c | xargs)" = "4096 1 1 8 7 7 page of 7" ]
}

@test "--pages with %d in the output's name writes a file a page, in any format" {
    stack a.tif 5x4x8=10 6x4x8=20 7x4x16=30
    imf_run --json -f median:1 --pages a.tif -o 'b%03d.png'
    [ "$status" -eq 0 ]
    [ "$(echo b*)" = "b001.png b002.png b003.png" ]
    [ "$(python3 -c 'import json, sys
print(*((o["output"], o["page"], o["pages"], o["width"], o["depth"]) for o in map(json.loads, sys.stdin)))' <<<"$output")" = \
        "('b001.png', 1, 3, 5, 8) ('b002.png', 2, 3, 6, 8) ('b003.png', 3, 3, 7, 16)" ]
    imf -q -f median:1 --pages=-1,2 - -o 'c%d.pgm' <a.tif
    [ "$(echo c*)" = "c2.pgm c3.pgm" ]
    [ "$(tail -c 1 c2.pgm | od -An -tu1 | xargs) $(tail -c 1 c3.pgm | od -An -tu1 | xargs)" = "20 30" ]
    imf -q -f median:1 --pages a.tif -o 'd%d.tif'
    [ "$(pages d2.tif)" = "6 4 8 20 20 page of 20" ]
    # A picture without pages has one.
    imf -f invert --pages "$TESTDATA/noise.png" -o 'f%d.png'
    imf -f invert "$TESTDATA/noise.png" -o f.png
    cmp f1.png f.png
    imf -q --pages -f median:1 a.tif -o 'g%%%d%%.tif'
    [ "$(echo g*)" = "g%1%.tif g%2%.tif g%3%.tif" ]
    # Without --pages a name is a name.
    imf -q -f median:1 a.tif -o 'h%d.tif'
    [ "$(echo h*)" = "h%d.tif" ]
    run "$IMFILTER" -f median:1 -n --pages a.tif -o 'i%d.tif'
    [ "$output" = "a.tif -> i%d.tif" ]
}

@test "--suffix numbers pages of several files, beside them and in directories" {
    mkdir tree tree/sub
    stack tree/a.tif 5x4x8=10 5x4x8=20
    stack tree/sub/50%d.tif 5x4x8=30 5x4x8=40
    imf -q -r -f median:1 --pages --suffix=-%02d --format=pgm tree -o out/
    [ "$(find out -type f | sort | xargs)" = "out/a-01.pgm out/a-02.pgm out/sub/50%d-01.pgm out/sub/50%d-02.pgm" ]
    [ "$(tail -c 1 out/sub/50%d-02.pgm | od -An -tu1 | xargs)" = 40 ]
    imf -q -f median:1 --pages --suffix=.%d tree/a.tif
    [ "$(pages tree/a.2.tif | cut -d' ' -f4)" = 20 ]
    imf_run -r -f median:1 --pages --suffix=.%d tree
    [ "$status" -eq 2 ]
    one_line "pages that have their numbers in a tree go to a directory"
}

@test "numbers in names that collide or are wrong are refused" {
    stack a.tif 5x4x8=10 5x4x8=20
    for name in 'b%3d.png' 'b%.png' 'b%d%d.png' 'b%x.png' '%d/b.png' 'b%0d.png' b%; do
        imf_run -f median:1 --pages --format=png a.tif -o "$name"
        [ "$status" -eq 2 ]
        one_line "with --pages "
    done
    imf_run -f median:1 --pages=1,2,-1 a.tif -o b%d.png
    [ "$status" -eq 1 ]
    one_line "a.tif: gets a file for each page, and --pages names one twice"
    imf_run -f median:1 --pages 1,2 a.tif -o b%d.png
    [ "$status" -eq 2 ]
    one_line '"1,2" is no input that exists (the list follows without a space: --pages=1,2)'
    imf_run -f median:1 --pages -1 a.tif -o b%d.png
    one_line '"-1" is no input that exists'
    imf_run -f median:1 --pages -i a.tif
    one_line "--in-place keeps all pages"
    imf_run -f median:1 --pages a.tif -o b.png
    [ "$status" -eq 1 ]
    one_line "a.tif: has several pages, of which the output's format holds one"
    [ "$(echo *)" = a.tif ]
    # A number that makes an input, this one or another, fails for its page alone.
    cp a.tif b2.tif
    cp a.tif want.tif
    imf_run -f median:1 --pages b2.tif -o b%d.tif
    [ "$status" -eq 1 ]
    [[ $stderr == *"b2.tif: page 2: is both the input and the output of a page"* ]]
    [ "$(echo b*)" = "b1.tif b2.tif" ]
    rm b1.tif
    cp a.tif a1.tif
    imf_run -q -j1 -f median:1 --pages --suffix=%d a.tif a1.tif
    [ "$status" -eq 1 ]
    [[ $stderr == *'a1.tif: page 1: is an input, and the output of "a.tif" too'* ]]
    cmp a1.tif want.tif
    [ "$(echo a*)" = "a.tif a1.tif a11.tif a12.tif a2.tif" ]
    # Page 11 of a.tif is page 1 of a1.tif.
    pages=()
    for i in $(seq 11); do pages+=("1x1x8=$i"); done
    stack c.tif "${pages[@]}"
    mkdir d
    stack d/c1.tif 1x1x8=99
    imf_run -q -j1 -f median:1 --pages --suffix=%d c.tif d/c1.tif -o out/
    [ "$status" -eq 1 ]
    [[ $stderr == *'out/c11.tif: is the output of "c.tif" and would be that of "d/c1.tif" too'* ]]
    [ "$(pages out/c11.tif | cut -d' ' -f4)" = 11 ]
    imf_run -f median:1 --pages --suffix=-%d c.tif ./c.tif -o out/
    [ "$status" -eq 2 ]
}

@test "a page that fails leaves no file, and the others are written" {
    stack a.tif 5x4x8=10 5x4xc=20 5x4x8=30
    imf_run --json -f median:1 --pages a.tif -o b%d.png
    [ "$status" -eq 1 ]
    [[ $stderr == *"a.tif: page 2: a TIFF of complex samples cannot be read"* ]]
    [ "$(echo *)" = "a.tif b1.png b3.png" ]
    [ "$(grep -o '"status":"[a-z]*"' <<<"$output" | xargs)" = "status:ok status:error status:ok" ]
    imf_run --json -f median:1 --pages --no-clobber a.tif -o b%d.png
    [ "$status" -eq 1 ]
    [ "$(grep -o '"status":"[a-z]*"' <<<"$output" | xargs)" = "status:skipped status:error status:skipped" ]
    imf_run --json -f median:1 --pages=1,3 --skip-existing a.tif -o b%d.png
    [ "$status" -eq 0 ]
    [ "$(grep -o '"status":"[a-z]*"' <<<"$output" | xargs)" = "status:skipped status:skipped" ]
    # One that cannot be written is named by its file.
    mkdir b2.png
    stack a.tif 5x4x8=10 5x4x8=20 5x4x8=30
    rm b1.png b3.png
    imf_run -q -f median:1 --pages a.tif -o b%d.png
    [ "$status" -eq 1 ]
    one_line "b2.png: page 2: cannot write: Is a directory"
    [ "$(echo *)" = "a.tif b1.png b2.png b3.png" ]
    # Damage in the pixels, at the end of the file.
    python3 -c '
import struct
data = bytearray(open("a.tif", "rb").read())
at = len(data) - 156
struct.pack_into("<I", data, at + 2 + 12 * 6 + 8, len(data) - 5)
open("d.tif", "wb").write(data)'
    imf_run -f median:1 --pages d.tif -o e%d.png
    [ "$status" -eq 1 ]
    [[ $stderr == *" of page 3: no row of it can be read"* ]]
    [ "$(echo e*)" = "e1.png e2.png" ]
}

# Pictures of every kind, one behind the other, with comments, and what netpbm's tools see in such a stream.
stream() {
    printf 'P5 # gray\n4 3 255\nabcdefghijklP6 2 1 65535\nabcdefghijkl\nP4\n9 2\nabcd'
    printf 'P2 3 1 7\n1 2 3 P1 2 2 1 0 01\nP7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nxy'
    printf 'P5 40 50 100\n%02000d' 0
}

@test "PNM that follow each other are pages, from a file and from a pipe" {
    stream >a.pnm
    imf -f kernel:1 a.pnm -o b.pnm
    stream | imf -f kernel:1 - -o - >c.pnm
    cmp b.pnm c.pnm
    for i in 1 2 3 4 5 6 7; do imf -f kernel:1 --pages=$i a.pnm -o -; done | cmp - b.pnm
    for i in 1 2 3 4 5 6 7; do stream | imf -f kernel:1 --pages=$i - -o -; done | cmp - b.pnm
    imf -f kernel:1 b.pnm -o - | cmp - b.pnm
    [ "$(head -c 17 b.pnm)" = $'P5\n# gray\n4 3\n255' ]
    if command -v pamfile >/dev/null; then
        [ "$(pamfile -allimages b.pnm | sed 's/.*:\t//; s/ raw//; s/  */ /g')" = "$(pamfile -allimages a.pnm |
            sed 's/.*:\t//; s/ raw//; s/ plain//; s/  */ /g')" ]
    fi
    # Pages do not depend on each other, and each is what it would be alone, in one pass and in two.
    for filter in blur:4 equalize clahe highpass:0.1 "invert --range=normalize"; do
        imf -f $filter a.pnm -o b.pnm
        stream | imf -f $filter - -o - | cmp - b.pnm
        for i in 1 2 3 4 5 6 7; do imf -f $filter --pages=$i a.pnm -o -; done | cmp - b.pnm
    done
    imf -f invert --pages=-1,2-3,1 a.pnm -o b.pnm
    imf -f kernel:1 --pages=-1,2-3,1 a.pnm -o - | imf -f invert - -o - | cmp - b.pnm
    cp a.pnm e.pnm
    imf -f invert -i e.pnm
    imf -f invert -i e.pnm
    imf -f kernel:1 a.pnm -o - | cmp - e.pnm
}

@test "pages from a pipe: what is taken, and what is told" {
    stream >a.pnm
    imf -f invert --pages=1-3,6,7 a.pnm -o b.pnm # raw ones are counted beforehand
    imf_run --json -f invert - -o c.pnm <b.pnm
    [ "$(python3 -c 'import json, sys
print(*((o["page"], o.get("pages"), o["width"], o["depth"]) for o in map(json.loads, sys.stdin)))' <<<"$output")" = \
        "(1, 5, 4, 8) (2, 5, 2, 16) (3, 5, 9, 1) (4, 5, 1, 8) (5, 5, 40, 8)" ]
    piped() { stream | "$IMFILTER" "$@"; }
    run --separate-stderr piped --json -f invert - -o b.pnm
    [ "$(python3 -c 'import json, sys
print(*((o["page"], o.get("pages"), o["width"], o["depth"]) for o in map(json.loads, sys.stdin)))' <<<"$output")" = \
        "(1, None, 4, 8) (2, None, 2, 16) (3, None, 9, 1) (4, None, 3, 8) (5, None, 2, 1) (6, None, 1, 8) (7, 7, 40, 8)" ]
    run --separate-stderr piped -f invert --pages=2,5-7 - -o b.pnm
    [ "$status" -eq 0 ]
    imf -f invert --pages=2,5-7 a.pnm -o - | cmp - b.pnm
    rm b.pnm
    run --separate-stderr piped -f invert --pages=3,2 - -o b.pnm
    [ "$status" -eq 1 ]
    one_line "standard input: page 2: from a pipe pages come in their order, and this one is past (give the file by its name)"
    run --separate-stderr piped -f invert --pages=2--1 - -o b.pnm
    one_line "standard input: --pages cannot count from the end of a pipe (give the file by its name)"
    run --separate-stderr piped -f invert --pages=6-8 - -o b.pnm
    one_line "standard input: there is no page 8 (it has 7)"
    run --separate-stderr piped -f invert --pages - -o b.png
    one_line "standard input: has several pages, of which the output's format holds one"
    [ ! -e b.pnm ]
    [ ! -e b.png ]
    run --separate-stderr piped -q -f invert --pages - -o p%d.png
    [ "$status" -eq 0 ]
    [ "$(echo p*)" = "p1.png p2.png p3.png p4.png p5.png p6.png p7.png" ]
    # From and to stacks.
    imf -q -f kernel:1 a.pnm -o b.tif
    run --separate-stderr piped -q -f kernel:1 --format=tiff - -o c.tif
    imf -q -f kernel:1 b.tif -o b.pnm
    imf -q -f kernel:1 --format=pnm c.tif -o - | cmp - b.pnm
    run python3 -c '
import struct
for name in "bc":
    data = open(name + ".tif", "rb").read()
    at, pages = struct.unpack_from("<I", data, 4)[0], []
    while at:
        count = struct.unpack_from("<H", data, at)[0]
        pages += [struct.unpack_from("<HH", data, at + 10 + 12 * i) for i in range(count) if struct.unpack_from("<H", data, at + 2 + 12 * i)[0] == 297]
        at = struct.unpack_from("<I", data, at + 2 + 12 * count)[0]
    print(pages)'
    # The number of all of them is 0 where it is not known beforehand.
    [ "${lines[1]}" = "[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0)]" ]
}

@test "a damaged picture among PNM is named" {
    { printf 'P5 2 2 255\nabcd'; printf 'P5 2 2 3\nabcd'; printf 'P5 2 2 255\nefgh'; } >a.pgm
    imf_run -f invert a.pgm -o b.pgm
    [ "$status" -eq 1 ]
    [[ $stderr == *"damaged (a sample is over the maxval of 3) after row 0 of 2 of page 2"* ]]
    [ ! -e b.pgm ]
    imf_run -f invert --pages a.pgm -o b%d.pgm
    [ "$status" -eq 1 ]
    [ "$(echo b*)" = "b1.pgm b3.pgm" ]
    imf -f invert --pages=1,3 a.pgm -o c.pgm
    cat b1.pgm b3.pgm | cmp - c.pgm
    { printf 'P5 2 2 255\nabcd'; printf 'P5 2 x 255\nabcd'; } >a.pgm
    for from in a.pgm -; do
        run --separate-stderr bash -c 'cat a.pgm | "$0" -f invert "$1" -o b.pgm' "$IMFILTER" $from
        [ "$status" -eq 1 ]
        [[ $stderr == *": page 2: damaged PNM header (height is not a number)"* ]]
    done
    { printf 'P5 2 2 255\nabcd'; printf 'P5 2 2 255\nabc'; } >a.pgm
    imf_run -f invert a.pgm -o b.pgm
    [[ $stderr == *"truncated after row 1 of 2 of page 2"* ]]
    imf_run -f invert --lenient a.pgm -o b.pgm
    [ "$status" -eq 0 ]
    [ "$(tail -c 4 b.pgm | od -An -tu1 | xargs)" = "158 157 255 255" ]
    # What begins like one, and is none, is bytes.
    printf 'P5 2 2 255\nabcdPhoto' >a.pgm
    imf_run -f invert a.pgm -o b.pgm
    [ "$status" -eq 0 ]
    one_line "a.pgm: warning: left out: bytes behind the end (5 bytes"
}

# Planes that one directory describes, as ImageJ writes large stacks (big-endian, "images=N") and MetaMorph all of its own (33629).
planes() { # FILE imagej|stk N
    python3 - "$@" <<'END'
import struct, sys
name, kind, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
order, width, height = (">" if kind == "imagej" else "<"), 40, 30
text = b"ImageJ=1.53t\nimages=%d\nslices=%d\nunit=micron\nspacing=0.5\nmin=0.0\nmax=9000.0\n\0" % (n, n)
text = text if kind == "imagej" else bytes(8 * n)
plane = 2 * width * height
strips = 1 if kind == "imagej" else 3
rows = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 16), (259, 3, 1, 1), (262, 3, 1, 1), (270, 2, len(text), 8),
        (273, 4, strips, 0), (277, 3, 1, 1), (278, 4, 1, height // strips), (279, 4, strips, plane)]
if kind == "stk":
    rows = [r for r in rows if r[0] != 270] + [(33628, 4, 1, 0), (33629, 5, n, 8)]
directory = 8 + len(text) + len(text) % 2
pixels = directory + 2 + 12 * len(rows) + 4 + 8 * strips
if strips > 1:
    at = pixels - 8 * strips
    rows = [(t, k, c, at if t == 273 else at + 4 * strips if t == 279 else v) for t, k, c, v in rows]
else:
    rows = [(t, k, c, pixels if t == 273 else v) for t, k, c, v in rows]
out = (b"MM\0*" if order == ">" else b"II*\0") + struct.pack(order + "I", directory) + text + bytes(len(text) % 2)
out += struct.pack(order + "H", len(rows))
for tag, k, count, value in rows:
    out += struct.pack(order + "HHI", tag, k, count) + (struct.pack(order + "HH", value, 0) if k == 3 else struct.pack(order + "I", value))
out += bytes(4)
if strips > 1:
    out += struct.pack(f"{order}{strips}I", *(pixels + plane // strips * i for i in range(strips)))
    out += struct.pack(f"{order}{strips}I", *[plane // strips] * strips)
out += bytes(pixels - len(out))
for i in range(n):
    out += struct.pack(f"{order}{width * height}H", *[1000 * (i + 1) + x // width for x in range(width * height)])
open(name, "wb").write(out)
END
}

shapes() { # FILE
    pages "$1" | grep '^40 ' | cut -d' ' -f1-5 | paste -sd' '
}

@test "planes of one directory (ImageJ's, MetaMorph's) are pages" {
    for kind in imagej stk; do
        planes $kind.tif $kind 5
        imf_run --json -f kernel:1 $kind.tif -o b.tif
        [ "$status" -eq 0 ]
        [ "$(grep -c '"pages":5' <<<"$output")" = 5 ]
        [ "$(shapes b.tif)" = \
            "40 30 16 1000 1029 40 30 16 2000 2029 40 30 16 3000 3029 40 30 16 4000 4029 40 30 16 5000 5029" ]
        imf -q -f kernel:1 - -o - <$kind.tif | cmp - b.tif
        cat $kind.tif | imf -q -f kernel:1 - -o - | cmp - b.tif
        imf -q -f kernel:1 --pages=-1,2 $kind.tif -o c.tif
        [ "$(shapes c.tif)" = "40 30 16 5000 5029 40 30 16 2000 2029" ]
        # In two passes.
        imf -q -f equalize --format=pnm $kind.tif -o d.pnm
        imf -q -f equalize --format=pnm b.tif -o - | cmp - d.pnm
        imf_run -f kernel:1 $kind.tif -o e.png
        [[ $stderr == *"planes of the picture's directory (9,600 bytes: one picture is filtered)"* ]]
        # A file that breaks off has one picture, and bytes behind it.
        head -c -1 $kind.tif >f.tif
        imf_run -f kernel:1 f.tif -o g.tif
        [ "$status" -eq 0 ]
        [[ $stderr == *"left out: "*"bytes behind the end ("* ]]
        [ "$(shapes g.tif)" = "40 30 16 1000 1029" ]
    done
    # ImageJ reads its description of all pages, which is kept with them, and not with some.
    imf_run -f kernel:1 imagej.tif -o b.tif
    [ -z "$stderr" ]
    grep -qa $'ImageJ=1.53t\nimages=5\nslices=5\nunit=micron' b.tif
    cp imagej.tif h.tif
    imf -f kernel:1 -i h.tif
    cmp h.tif b.tif
    imf_run -f kernel:1 --pages=1,2 imagej.tif -o c.tif
    one_line "left out: description ("
    run -1 grep -a images= c.tif
    # What MetaMorph says of its planes is not.
    imf_run -f kernel:1 stk.tif -o b.tif
    one_line "left out: planes (MetaMorph) (2 times, "
}
