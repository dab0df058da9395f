# One bit a sample: --depth=1, Group 4 and LZW
load helper

# Rows of noise, of runs, stripes, a chess board, all black and all white; each a little unlike the row above.
make_bits() { # FILE WIDTH HEIGHT
    python3 - "$@" <<'END'
import random, sys
name, width, height = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(width)
rows, row = [], [0] * width
for y in range(height):
    kind = y // 7 % 6
    if kind == 0:
        row = [random.randrange(2) for x in range(width)]
    elif kind == 1:
        x, color, row = 0, random.randrange(2), []
        while len(row) < width:
            row += [color] * int(random.expovariate(1 / random.choice([2, 20, 300, 3000])) + 1)
            color = 1 - color
        row = row[:width]
    elif kind == 2:
        row = row[1:] + row[:1] if random.randrange(3) else row[-2:] + row[:-2]
    elif kind == 3:
        row = [(x + y) % 2 for x in range(width)]
    elif kind == 4:
        row = [1] * width if y % 3 else [0] * width
    else:
        row = [b ^ (random.random() < 0.02) for b in row]
    rows.append(row[:width])
data = b"".join(int("".join(map(str, r)).ljust((width + 7) // 8 * 8, "0"), 2).to_bytes((width + 7) // 8, "big") for r in rows)
open(name, "wb").write(b"P4\n%d %d\n" % (width, height) + data)
END
}

tiff() {
    "$IMFILTER" --version | grep -q tiff || skip "built without libtiff"
}

tag() { # FILE TAG: a number of the first directory, which is little-endian
    python3 - "$@" <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
at, = struct.unpack_from("<I", data, 4)
for i in range(struct.unpack_from("<H", data, at)[0]):
    tag, kind, count, value = struct.unpack_from("<HHII", data, at + 2 + 12 * i)
    if tag == int(sys.argv[2]):
        print(value)
END
}

@test "bits come back from Group 4, LZW, Deflate and stored, at every width" {
    tiff
    for width in 1 2 7 8 9 31 32 33 63 64 65 200 2561 2623 2624 5300; do
        make_bits in.pbm $width 90
        for by in group4 lzw 6 0; do
            imf -f kernel:1 --compression=$by in.pbm -o t.tif
            imf -f kernel:1 t.tif -o out.pbm
            cmp in.pbm out.pbm
        done
        imf -f kernel:1 --depth=1 in.pbm -o t.tif
        [ "$(tag t.tif 259)" = 4 ]
        [ "$(tag t.tif 262)" = 0 ]
        [ "$(tag t.tif 258)" = 1 ]
    done
}

@test "other programs read Group 4 and LZW" {
    tiff
    command -v tiffcp >/dev/null || skip "libtiff-tools read the files"
    make_bits in.pbm 1001 700
    imf -f kernel:1 --depth=1 in.pbm -o g.tif
    imf -f kernel:1 --depth=1 --compression=0 in.pbm -o want.tif
    tiffcp -c none -r 700 g.tif got.tif 2>err
    [ ! -s err ]
    imf -f kernel:1 --depth=1 got.tif -o got.pbm
    cmp in.pbm got.pbm
    for depth in 8 16 float; do
        imf -f blur:1 --depth=$depth --compression=0 "$TESTDATA/zoneplate.png" -o want.tif
        imf -f blur:1 --depth=$depth --compression=lzw "$TESTDATA/zoneplate.png" -o l.tif
        [ "$(tag l.tif 259)" = 5 ]
        tiffcp -c none l.tif got.tif
        imf -f kernel:1 got.tif -o got.pnm
        imf -f kernel:1 want.tif -o want.pnm
        cmp got.pnm want.pnm
    done
}

@test "strips of Group 4 do not depend on how many are made at once" {
    tiff
    make_bits in.pbm 5300 1500
    imf -f kernel:1 --depth=1 -j 1 in.pbm -o one.tif
    imf -f kernel:1 --depth=1 -j 1 --max-memory=60M in.pbm -o less.tif
    cmp one.tif less.tif
    [ "$(tag one.tif 278)" -lt 1500 ]
    imf -f kernel:1 one.tif -o out.pbm
    cmp in.pbm out.pbm
}

@test "what is Group 4 stays Group 4 while it has two values" {
    tiff
    make_bits in.pbm 300 200
    imf -f kernel:1 --depth=1 in.pbm -o g.tif
    imf -f invert g.tif -o i.tif
    [ "$(tag i.tif 259)" = 4 ]
    imf -f median:1 -i g.tif
    [ "$(tag g.tif 259)" = 4 ]
    imf -f invert --compression=6 g.tif -o d.tif
    [ "$(tag d.tif 259)" = 8 ]
    imf -f invert d.tif -o e.tif # Deflate stays, too
    [ "$(tag e.tif 259)" = 8 ]
    imf -f blur:1 g.tif -o b.tif
    [ "$(tag b.tif 259)" = 8 ]
    [ "$(tag b.tif 258)" = 8 ]
    imf -f blur:1 --depth=1 --json g.tif -o b.tif >line
    grep -q '"depth":1,' line
    [ "$(tag b.tif 259)" = 4 ]
}

@test "--depth=1 rounds: above half of full scale is white" {
    echo "P2 5 1 255 0 127 128 254 255" >a.pgm
    imf -f kernel:1 --depth=1 a.pgm -o a.pbm
    [ "$(tail -c 1 a.pbm | od -An -tx1)" = " c0" ]
    echo "P2 5 1 65535 0 32767 32768 65000 65535" >b.pgm
    imf -f kernel:1 --depth=1 b.pgm -o b.png
    imf -f kernel:1 b.png -o b.pbm
    cmp a.pbm b.pbm
    imf -f kernel:1 --depth=1 --linear a.pgm -o l.pbm # as the file has it, not in light
    cmp a.pbm l.pbm
    # Ties are black, and floats have no limits.
    python3 -c 'import struct; open("f.pfm", "wb").write(b"Pf\n5 1\n-1\n" + struct.pack("<5f", -3, 0.5, 0.50001, 0.9, 7))'
    imf -f kernel:1 --depth=1 f.pfm -o f.pbm
    cmp a.pbm f.pbm
    imf -f kernel:1 --depth=1 --full=2 f.pfm -o f.pbm
    [ "$(tail -c 1 f.pbm | od -An -tx1)" = " f0" ]
    # Of a filter that is no decision, on each backend, as it is told.
    imf -f gray "$TESTDATA/grainy.jpg" -o g.png
    imf -f blur:2 --depth=1 g.png --verify -o z.png
    imf -f kernel:1 z.png -o z.pbm
    imf -f blur:2 --depth=16 g.png -o w.png
    imf -f kernel:1 --depth=1 w.png -o y.pbm
    cmp y.pbm z.pbm
    imf -f blur:2 --depth=1 g.png --backend=separable -o s.pbm
    cmp s.pbm z.pbm
}

@test "--depth=1 holds no colours, no alpha, and not every format holds it" {
    imf_run -f kernel:1 --depth=1 "$TESTDATA/grainy.jpg" -o a.png
    [ "$status" -eq 1 ]
    one_line "one bit a sample holds no colours (put -f gray before what decides what is white, as in -f gray --depth=1)"
    [ ! -e a.png ]
    imf -f gray --depth=1 "$TESTDATA/grainy.jpg" -o a.png
    imf -f gray "$TESTDATA/grainy.jpg" -o g.png
    imf -f kernel:1 --depth=1 g.png -o b.png
    cmp <(imf -f kernel:1 a.png -o - --format=pbm) <(imf -f kernel:1 b.png -o - --format=pbm)
    echo "P7
WIDTH 1
HEIGHT 1
DEPTH 2
MAXVAL 255
TUPLTYPE GRAYSCALE_ALPHA
ENDHDR
ab" >a.pam
    imf_run -f kernel:1 --depth=1 a.pam -o a.png
    [ "$status" -eq 1 ]
    one_line "one bit a sample holds no alpha channel (--depth=8 does)"
    imf_run -f kernel:1 --depth=1 g.png -o a.jpg
    [ "$status" -eq 1 ]
    one_line "JPEG holds no samples of 1 bit (choose --format=png, pbm or tiff)"
    [ ! -e a.jpg ]
    imf_run -f kernel:1 --depth=1 g.png -o a.pgm
    [ "$status" -eq 1 ]
    one_line "of PNM only PBM holds samples of 1 bit (name the output .pbm)"
}

@test "a compression that is not the format's is told" {
    tiff
    imf_run -f kernel:1 --compression=group4 "$TESTDATA/zoneplate.png" -o a.tif
    [ "$status" -eq 1 ]
    one_line "Group 4 compresses black and white alone (add --depth=1)"
    imf_run -f kernel:1 --compression=lzw "$TESTDATA/zoneplate.png" -o a.png
    [ "$status" -eq 0 ]
    one_line "a PNG is deflated, whatever the compression of a TIFF"
    imf_run -f kernel:1 --compression=zip "$TESTDATA/zoneplate.png" -o a.png
    [ "$status" -eq 2 ]
    one_line "\"zip\" is not valid (lzw, group4 or 0..9)"
}

@test "pages become bits, each of its own, in place and elsewhere" {
    tiff
    make_bits a.pbm 100 60
    make_bits b.pbm 37 20
    cat a.pbm b.pbm >ab.pbm
    imf -f kernel:1 --depth=8 ab.pbm -o ab.tif
    imf -f kernel:1 --depth=1 -i ab.tif
    [ "$(tag ab.tif 259)" = 4 ]
    imf -f kernel:1 ab.tif -o back.pbm
    cmp ab.pbm back.pbm
    imf -f kernel:1 --depth=1 ab.pbm -o - --format=tiff | imf -f kernel:1 - -o back.pbm
    cmp ab.pbm back.pbm
}
