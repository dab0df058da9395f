# Filters of floats: what they leave as it is, full scale, and samples that are missing
load helper

# A gray PFM, rows from the top down; nan and inf are numbers, too.
make_pfm() { # FILE WIDTHxHEIGHT NUMBER...
    python3 - "$@" <<'PY'
import struct, sys
width, height = (int(n) for n in sys.argv[2].split("x"))
numbers = [float(v) for v in sys.argv[3:]]
rows = [numbers[y * width:(y + 1) * width] for y in range(height)][::-1]
data = b"".join(struct.pack("<%df" % width, *row) for row in rows)
open(sys.argv[1], "wb").write(b"Pf\n%d %d\n-1.0\n" % (width, height) + data)
PY
}

# Its numbers, of six digits, from the top down.
numbers() { # FILE
    python3 - "$1" <<'PY'
import struct, sys
head, size, scale, data = open(sys.argv[1], "rb").read().split(b"\n", 3)
width, height = (int(n) for n in size.split())
order = "<" if float(scale) < 0 else ">"
v = struct.unpack("%s%d%s" % (order, width * height, "f"), data)
print(*["%.6g" % x for y in range(height)[::-1] for x in v[y * width:(y + 1) * width]])
PY
}

@test "floats are neither clipped nor shown by a range, unless it is asked for" {
    make_pfm a.pfm 4x1 0 -2 300.5 0.25
    imf -f kernel:2 a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "0 -4 601 0.5" ]
    imf -f kernel:-1,0,1 a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "-2 300.5 2.25 -300.25" ]
    imf -f kernel:2 --range=clip a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "0 0 1 0.5" ]
    imf -f kernel:-1,0,1 --range=offset a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "-1.5 301 2.75 -299.75" ]
    imf -f kernel:1 --range=normalize a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "0.00661157 0 1 0.00743802" ]
    imf -f invert -f laplacian -f dilate:1 a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "2 602.75 602.75 602.75" ]
}

@test "full scale: of thresholds, of 8 bits, and the picture's own largest sample" {
    make_pfm a.pfm 4x1 10 2000 4095 5000
    imf -q -f threshold:0.5 --full=4095 a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "0 0 4095 4095" ]
    imf -q -f kernel:1 --full=4095 --depth=8 a.pfm -o b.pgm
    [ "$(tail -c 4 b.pgm | od -An -tu1 | tr -s ' ')" = " 1 125 255 255" ]
    imf -q -f kernel:1 --full=auto --depth=8 a.pfm -o b.pgm
    [ "$(tail -c 4 b.pgm | od -An -tu1 | tr -s ' ')" = " 1 102 209 255" ]
    run imf -f kernel:1 --full=4095 a.pfm -o b.pfm
    [ "$status" -eq 0 ]
    [[ $output == *"samples up to 5000 are above full scale (--full=4095), and kept"* ]]
    [ "$(numbers b.pfm)" = "10 2000 4095 5000" ]
    run imf -f kernel:1 --full=auto - -o b.pfm < <(cat a.pfm)
    [ "$status" -eq 1 ]
    [[ $output == *"--full=auto reads it twice, which needs a file"* ]]
    printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nab' >a.pam
    run imf -f kernel:1 --full=100 a.pam -o b.pam
    [ "$status" -eq 1 ]
    [[ $output == *"it has alpha, whose full scale is that of its samples"* ]]
    imf -f kernel:1 --full=255 a.pam -o b.pam
    run imf -f kernel:1 --full=0 a.pfm -o b.pfm
    [ "$status" -eq 2 ]
}

@test "floats come from bytes, and go to words, by full scale" {
    printf 'P2 4 1 255\n0 51 204 255\n' >a.pgm
    imf -q -f kernel:1 a.pgm -o b.pfm
    [ "$(numbers b.pfm)" = "0 0.2 0.8 1" ]
    imf -q -f kernel:1 --depth=16 b.pfm -o c.pgm
    [ "$(tail -c 8 c.pgm | od -An --endian=big -tu2 | tr -s ' ')" = " 0 13107 52428 65535" ]
    imf -q -f equalize --depth=float a.pgm -o d.tif --json >json
    grep -q '"depth":32,"type":"float"' json
    run imf -f kernel:1 b.pfm -o b.png
    [ "$status" -eq 1 ]
    [[ $output == *"PNG cannot hold floats (use --depth=16, or choose --format="* ]]
}

@test "a missing sample is left out of means and ranks, and stays missing" {
    make_pfm a.pfm 5x1 1 2 nan 4 5
    imf -f kernel:1,1,1:scale=3 a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "1.33333 1.5 nan 4.5 4.66667" ]
    imf -f kernel:1,1,1:scale=1 a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "4 4.5 nan 13.5 14" ]
    imf -f kernel:-1,-1,-1 a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "-4 -4.5 nan -13.5 -14" ]
    imf -f kernel:1,1,1:scale=-3 a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "-1.33333 -1.5 nan -4.5 -4.66667" ]
    imf -f dilate:1 a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "2 2 nan 5 5" ]
    imf -f invert a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "0 -1 nan -3 -4" ]
    imf --verify -f blur:1 a.pfm
}

@test "nothing is known of a gradient beside a missing sample" {
    make_pfm a.pfm 7x1 1 2 4 nan 7 11 16
    imf -f kernel:-1,0,1 a.pfm -o b.pfm
    [ "$(numbers b.pfm)" = "1 3 nan nan nan 9 5" ]
    imf -f kernel:-1,0,1 -f kernel:-1,0,1 a.pfm -o b.pfm
    [ "$(numbers b.pfm | tr ' ' '\n' | grep -c nan)" -eq 5 ]
    make_pfm c.pfm 5x1 nan 2 4 7 1
    imf -f kernel:-1,0,1 c.pfm -o b.pfm --edge=wrap
    [ "$(numbers b.pfm)" = "nan nan 5 -3 nan" ]
    for filter in sobel phase; do
        imf -f "$filter" a.pfm -o b.pfm
        [ "$(numbers b.pfm | tr ' ' '\n' | grep -c nan)" -eq 3 ]
    done
}

@test "what cannot be without a sample says so, and infinity is none" {
    make_pfm a.pfm 3x2 1 2 3 nan 5 6
    run imf -f highpass:0.1 a.pfm -o b.pfm
    [ "$status" -eq 1 ]
    [[ $output == *"it has NaN, and transfer functions, descreen and deblur take all samples at once"* ]]
    [ ! -e b.pfm ]
    run imf -f blur:1 - -o b.pfm < <(cat a.pfm)
    [ "$status" -eq 1 ]
    [[ $output == *"column 0 of row 1 has NaN"* ]]
    run imf -f blur:1 --depth=8 a.pfm -o b.pgm
    [ "$status" -eq 0 ]
    [[ $output == *"missing samples (NaN) become 0"* ]]
    run imf --spectrum=s.png a.pfm
    [ "$status" -eq 1 ]
    [[ $output == *"it has NaN or infinity, of which there is no spectrum"* ]]
    make_pfm k.pfm 3x1 1 nan 1
    run imf -f kernel:@k.pfm c.pfm -o b.pfm
    [ "$status" -eq 2 ]
    make_pfm a.pfm 3x2 1 2 inf 4 5 6
    run imf -f blur:1 a.pfm -o b.pfm
    [ "$status" -eq 1 ]
    [[ $output == *"column 2 of row 0 has an infinity, which is no sample (--nan takes it for a missing one)"* ]]
    make_pfm b.pfm 3x2 1 -inf inf 4 5 6
    make_pfm c.pfm 3x2 1 nan nan 4 5 6
    for filter in blur:1 median:1 sobel equalize; do
        imf -f $filter --nan b.pfm -o d.pfm
        imf -f $filter c.pfm -o e.pfm
        cmp d.pfm e.pfm
        imf -f $filter --nan --verify b.pfm -o d.pfm
    done
    imf -f kernel:1 --nan b.pfm -o d.pfm
    [ "$(numbers d.pfm)" = "1 nan nan 4 5 6" ]
}

@test "what is missing of a large picture, whose rows stream, is what is missing of one in memory" {
    python3 - <<'PY'
import random, struct
random.seed(5)
hole = struct.pack("<f", float("nan"))
with open("large.pfm", "wb") as out:
    out.write(b"Pf\n1100 1300\n-1.0\n")
    for y in range(1300):
        row = bytearray(random.randbytes(4400))
        row[3::4] = bytes(60 + (b & 3) for b in row[3::4])  # from 2^-7 to 2^2
        for x in random.sample(range(1100), 9):
            row[4 * x:4 * x + 4] = hole
        out.write(row)
PY
    for filter in laplacian erode:1 blur:1.5; do
        imf -f "$filter" large.pfm -o streams.pfm
        imf -f "$filter" --verify large.pfm -o whole.pfm
        cmp streams.pfm whole.pfm
    done
    imf -f erode:1 large.pfm --format=pfm -o - >piped.pfm
    imf -f erode:1 large.pfm -o streams.pfm
    cmp piped.pfm streams.pfm
}

@test "a sample may be missing of one page, and one colour of a pixel" {
    make_pfm a.pfm 3x1 1 2 3
    make_pfm b.pfm 3x1 1 nan 3
    cat a.pfm b.pfm a.pfm >three.pfm
    run imf -f kernel:1,1,1:scale=3 --pages three.pfm -o page%d.pfm
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ "$(numbers page2.pfm)" = "1 nan 3" ]
    [ "$(numbers page3.pfm)" = "1.33333 2 2.66667" ]
    imf -f kernel:1,1,1:scale=3 three.pfm -o all.pfm
    cat page1.pfm page2.pfm page3.pfm | cmp - all.pfm
    cp three.pfm place.pfm
    imf -i -f kernel:1,1,1:scale=3 place.pfm
    cmp place.pfm all.pfm
    python3 -c 'import struct
open("colour.pfm", "wb").write(b"PF\n2 1\n-1.0\n" + struct.pack("<6f", 1, float("nan"), 3, 4, 5, 6))'
    run imf -f invert colour.pfm -o out.pfm
    [ "$status" -eq 0 ]
    [[ $output == *"warning: pixels that lack one colour (NaN) are missing in all"* ]]
}
