# Kernels and masks in pictures and PFM files, and PFM that --show-kernel writes.
load helper

FOREIGN=$TESTDATA/foreign

# The rows of testdata/foreign/kernel-*.pfm, as the spec of a text and as a picture.
ROWS=1,2,3,4,100/6,7,8,9,10/0,50,0,0,99
SUM=299
make_kernel() { # FILE [MAXVAL]
    printf 'P2\n5 3\n%d\n%s\n' "${2:-100}" "$(tr ,/ '  ' <<<$ROWS)" >"$1"
}

# Gray noise that shows where each coefficient comes from.
make_noise() { # FILE
    awk 'BEGIN { srand(7); print "P2 61 43 255"; for (i = 0; i < 61 * 43; i++) print int(256 * rand()) }' >"$1"
}

# Two specs give the same bytes.
same_result() { # SPEC SPEC [OPTION...]
    local first=$1 second=$2
    shift 2
    echo "$first $second $*"
    imf -q -f "$first" "$@" noise.pgm -o first.pgm
    imf -q -f "$second" "$@" noise.pgm -o second.pgm
    cmp first.pgm second.pgm
}

# Coefficients of 24 bits: samples differ by 1, and only near ties.
near() { # FILE FILE
    python3 -c '
import sys
a, b = (open(name, "rb").read() for name in sys.argv[1:])
differ = [abs(x - y) for x, y in zip(a, b) if x != y]
print(len(differ), "samples differ")
sys.exit(len(a) != len(b) or len(differ) > 20 or max(differ, default=0) > 1)' "$1" "$2"
}

# The coefficients as --show-kernel prints them, in one line.
shown() { # SPEC [OPTION...]
    imf -q --show-kernel -f "$@" | sed '1,/^$/d' | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# A gray PNG of 5x3 with these samples, as a camera held in that orientation would store it.
make_oriented() { # FILE ORIENTATION
    python3 -c '
import struct, sys, zlib
rows = [[int(v) for v in row.split(",")] for row in sys.argv[3].split("/")]
n = int(sys.argv[2])
if n in (2, 3, 6, 7): rows = [row[::-1] for row in rows] if n in (2, 3) else rows
if n == 3 or n == 4: rows = rows[::-1]
if n >= 5: rows = [list(column) for column in zip(*rows)]
if n in (6, 7): rows = rows[::-1]
if n in (7, 8): rows = [row[::-1] for row in rows]
def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
exif = b"MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1" + struct.pack(">HH", n, 0) + b"\0\0\0\0"
open(sys.argv[1], "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0))
    + chunk(b"eXIf", exif) + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))) + chunk(b"IEND", b""))' "$1" "$2" $ROWS
}

@test "a picture is the kernel that its samples are, divided by their sum" {
    make_noise noise.pgm
    make_kernel k.pgm
    for backend in auto cpu vector ${THOROUGH:+direct fft}; do
        same_result kernel:@k.pgm kernel:$ROWS:scale=$SUM --backend=$backend
        same_result kernel:@k.pgm:scale=1 kernel:$ROWS:scale=1 --backend=$backend
        same_result kernel:@k.pgm:scale=400:bias=0.25:flip kernel:$ROWS:scale=400:bias=0.25:flip --backend=$backend
    done
    # Neither a scale of the file's nor a warning that there is none.
    imf_run -f kernel:@k.pgm noise.pgm -o out.pgm
    [ -z "$stderr" ]
    imf_run -f kernel:@k.pgm:scale=1 noise.pgm -o out.pgm
    [ -z "$stderr" ]
}

@test "coefficients are the samples that the file holds, of any depth" {
    make_kernel k.pgm
    wanted=$(tr ,/ '  ' <<<$ROWS)
    [ "$(shown kernel:@k.pgm)" = "$wanted" ]
    make_kernel k8.pgm 255
    make_kernel k16.pgm 65535
    make_kernel odd.pgm 1000
    imf -f kernel:1 k8.pgm -o k8.png
    imf -f kernel:1 k16.pgm -o k16.png
    [ "$(od -An -tu1 -j24 -N2 k8.png | tr -d ' ')" = 80 ] # 8 bits, gray
    [ "$(od -An -tu1 -j24 -N2 k16.png | tr -d ' ')" = 160 ]
    for file in k8.pgm k16.pgm odd.pgm k8.png k16.png; do
        echo "$file"
        [ "$(shown kernel:@$file)" = "$wanted" ]
    done
    printf 'P1\n3 3\n1 0 1\n0 0 0\n1 0 1\n' >bits.pbm # black is 1 in a PBM and gives 0
    imf -f kernel:1 bits.pbm -o bits.png
    [ "$(od -An -tu1 -j24 -N1 bits.png | tr -d ' ')" = 1 ]
    for file in bits.pbm bits.png; do
        [ "$(shown kernel:@$file)" = "0 1 0 1 1 1 0 1 0" ]
    done
    # The type is told by the first bytes, whatever the name.
    cp k16.png k.txt
    [ "$(shown kernel:@k.txt)" = "$wanted" ]
    printf '1 2 1\n' >text.png
    [ "$(shown kernel:@text.png)" = "1 2 1" ]
    [ "$(shown kernel:@/dev/fd/9 9< <(cat k16.png))" = "$wanted" ]
}

@test "a JPEG, a palette and RGB of equal channels are gray, too" {
    printf 'P2\n3 1\n255\n128 255 128\n' >flat.pgm
    imf -f kernel:1 --quality=100 flat.pgm -o k.jpg
    [ "$(shown kernel:@k.jpg)" = "128 255 128" ]
    printf 'P3\n3 1\n100\n1 1 1 2 2 2 3 3 3\n' >k.ppm
    [ "$(shown kernel:@k.ppm)" = "1 2 3" ]
    imf -f kernel:1 --range=clip "$FOREIGN/png-pal8.png" -o colour.png
    imf -f gray "$FOREIGN/png-pal8.png" -o gray.png
    imf_run --show-kernel -f kernel:@colour.png
    [ "$status" -eq 2 ]
    one_line "colour.png: is in colour, and coefficients are gray (imfilter -f gray makes it so)"
    imf --show-kernel -f kernel:@gray.png | grep -q 'size 13x7, origin at column 7, row 4'
}

@test "a picture is taken as it stands upright" {
    wanted=$(tr ,/ '  ' <<<$ROWS)
    for n in 1 2 3 4 5 6 7 8; do
        make_oriented "o$n.png" $n
        # So that the test's own turning is imfilter's.
        [ "$(samples <(imf -f kernel:1 --orient=apply --format=pnm "o$n.png" -o -))" = "$wanted" ]
        echo "$n"
        [ "$(shown kernel:@o$n.png)" = "$wanted" ]
    done
}

@test "PFM of other programs: both orders of bytes, the bottom row first" {
    make_noise noise.pgm
    make_kernel k.pgm
    for file in big little; do
        [ "$(shown "kernel:@$FOREIGN/kernel-$file.pfm")" = \
            "0.01 0.02 0.03 0.04 1 0.06 0.07 0.08 0.09 0.1 0 0.5 0 0 0.99" ]
        imf -f "kernel:@$FOREIGN/kernel-$file.pfm" noise.pgm -o out.pgm
        imf -f kernel:@k.pgm noise.pgm -o want.pgm
        near out.pgm want.pgm
    done
    # Integers as floats are exact.
    same_result "kernel:@$FOREIGN/kernel-opencv.pfm" kernel:@k.pgm
    same_result "kernel:@$FOREIGN/kernel-opencv.pfm:scale=2" kernel:$ROWS:scale=2
    # The parts of a header may be parted by any white space, and its number's size does not count.
    printf 'Pf 3\t1\r-4.5e2\n\0\0\200\077\0\0\0\100\0\0\100\300' >spaces.pfm
    [ "$(shown kernel:@spaces.pfm:scale=1)" = "1 2 -3" ]
    imf --show-kernel -f kernel:@spaces.pfm | grep -q 'scale 1, ' # their sum is 0
    printf 'PF\n# gray\n1 1\n-1\n\0\0\200\077\0\0\200\077\0\0\200\077\n' >gray.pfm # and a line's end
    [ "$(shown kernel:@gray.pfm)" = 1 ]
}

@test "masks may be pictures: what is not black counts" {
    make_noise noise.pgm
    printf 'P1\n3 3\n1 0 1\n0 0 0\n1 0 1\n' >cross.pbm
    printf 'P2\n5 3\n255\n0 0 0 0 0  1 1 255 3 0  0 0 0 0 0\n' >line.pgm
    printf '0 0 0 0 0\n1 1 1 1 0\n0 0 0 0 0\n' >line.txt
    same_result median:@cross.pbm median:1:shape=cross
    same_result open:@line.pgm open:@line.txt
    imf -f median:2:shape=disk --show-kernel=disk.pfm >text
    same_result dilate:@disk.pfm dilate:2:shape=disk
    make_flat large.pgm 257 1
    imf -f invert large.pgm -o white.pgm
    imf_run -f erode:@white.pgm noise.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "a mask is at most 255x255"
}

@test "pictures that are no kernel are refused, with what would change it" {
    make_png rgb.png
    printf 'P2\n4 3\n255\n1 2 3 4 5 6 7 8 9 10 11 12\n' >even.pgm
    make_flat black.pgm 5 5
    printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\1\377' >alpha.pam
    printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n\1\1\1\1' >cmyk.pam
    printf 'P3\n1 1\n255\n1 2 3\n' >colour.ppm
    printf 'BM\0\0\0\0' >bitmap.bmp
    printf 'PF\n1 1\n-1\n\0\0\0\0\0\0\200\077\0\0\0\0' >colour.pfm
    printf 'Pf\n1 1\n-1\n\0\0\300\177' >nan.pfm
    printf 'Pf\n1 1\n-1\n\377\377\177\177' >large.pfm
    printf 'Pf\n3 1\n-1\n\0\0\200\077' >short.pfm
    printf 'Pf\n-1 1\n-1\n' >negative.pfm
    printf 'Pf\n1 1.5\n-1\n\0\0\200\077' >half.pfm
    printf 'Pf\n1 1\n0\n\0\0\200\077' >unit.pfm
    printf 'Pf\n4000000000 4000000000\n1\n' >huge.pfm
    printf 'Pf\n3 2\n1\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >even.pfm
    printf 'P5\n4096 1\n255\n' >wide.pgm
    while IFS='|' read -r file text; do
        for spec in "kernel:@$file" "median:@$file"; do
            imf_run --show-kernel -f "$spec"
            echo "$file"
            [ "$status" -eq 2 ]
            one_line "$spec: $file: $text"
        done
    done <<'END'
rgb.png|is 3x2, and both must be odd, as the origin is the middle pixel (crop it, or add a row or column of black)
even.pgm|is 4x3, and both must be odd
even.pfm|is 3x2, and both must be odd
black.pgm|is black all over: a kernel needs a sample that is not 0
alpha.pam|has an alpha channel, which coefficients have not (convert FILE -alpha off GRAY.png removes it)
cmyk.pam|is in colour, and coefficients are gray (imfilter -f gray makes it so)
colour.ppm|is in colour, and coefficients are gray
bitmap.bmp|is neither text nor PNG, JPEG
colour.pfm|is in colour, and coefficients are gray
nan.pfm|the sample in row 1, column 1 is not a number up to 1e30
large.pfm|the sample in row 1, column 1 is not a number up to 1e30
short.pfm|truncated after row 0 of 1: no row of it can be read
negative.pfm|damaged PNM header (width is not a number)
half.pfm|damaged PNM header (height is not a number)
unit.pfm|damaged PNM header (scale is not a number)
huge.pfm|damaged PNM header (width is too large)
END
    imf_run --show-kernel -f kernel:@wide.pgm
    one_line "wide.pgm: is 4096x1, and both must be odd"
    imf_run --show-kernel -f ./even.pgm
    [ "$status" -eq 2 ]
    imf_run --show-kernel -f ./rgb.png
    [ "$status" -eq 2 ]
    one_line "./rgb.png: NUL byte: this is not a text file (kernel:@FILE reads pictures)"
}

@test "limits and damage of pictures are those of images" {
    make_kernel k.pgm
    make_noise noise.pgm
    for file in k.pgm "$FOREIGN/kernel-big.pfm"; do
        imf_run --max-pixels=14 --show-kernel -f "kernel:@$file"
        [ "$status" -eq 2 ]
        one_line "15 pixels is over the limit of 14 pixels (raise it with --max-pixels)"
        imf --max-pixels=15 --show-kernel -f "kernel:@$file" >text
    done
    head -n 4 k.pgm | cut -c 1-20 >cut.pgm
    imf_run -f kernel:@cut.pgm noise.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "cut.pgm: truncated after row 1 of 3 (accept the readable part with --lenient)"
    [ ! -e out.pgm ]
    imf_run --lenient -f kernel:@cut.pgm noise.pgm -o out.pgm
    [ "$status" -eq 0 ]
    one_line "warning: cut.pgm: truncated after row 1 of 3: the last 2 rows are missing"
    [ "$(shown kernel:@cut.pgm --lenient)" = "1 2 3 4 100 0 0 0 0 0 0 0 0 0 0" ]
}

@test "the largest picture is 4095x4095" {
    { printf 'P5\n4095 4095\n255\n' && head -c $((4095 * 4095 - 1)) /dev/zero && printf '\7'; } >k.pgm
    imf --show-kernel -f kernel:@k.pgm >text
    grep -q 'size 4095x4095, origin at column 2048, row 2048' text
    grep -q 'scale 7, ' text
    make_flat wide.pgm 4097 1
    imf_run --show-kernel -f kernel:@wide.pgm
    [ "$status" -eq 2 ]
    one_line "wide.pgm: a 4097x1 kernel is over the limit of 4095x4095"
}

# ---- written --------------------------------------------------------------------------------------

# The samples of a little-endian PFM in one line, the top row first, after its width and height.
pfm_samples() { # FILE
    python3 -c '
import struct, sys
kind, size, unit, data = open(sys.argv[1], "rb").read().split(b"\n", 3)
assert (kind, unit) == (b"Pf", b"-1.0"), (kind, unit)
width, height = map(int, size.split())
values = struct.unpack("<%df" % (width * height), data)
print(width, height, *("%g" % v for y in reversed(range(height)) for v in values[y * width:(y + 1) * width]))' "$1"
}

@test "--show-kernel=FILE.pfm writes the kernel as it is applied" {
    while IFS='|' read -r spec wanted; do
        imf -f "$spec" --show-kernel=k.pfm >text
        echo "$spec"
        [ -s text ]
        [ "$(pfm_samples k.pfm)" = "$wanted" ]
    done <<'END'
kernel:1,2,3/4,5,6/7,8,9|3 3 1 2 3 4 5 6 7 8 9
kernel:1,2,3/4,5,6/7,8,9:scale=-2:bias=0.5|3 3 -0.5 -1 -1.5 -2 -2.5 -3 -3.5 -4 -4.5
kernel:1,2/3,4|3 3 1 2 0 3 4 0 0 0 0
kernel:1,2/3,4:flip|3 3 0 0 0 0 4 3 0 2 1
box:2|3 3 0.25 0.25 0 0.25 0.25 0 0 0 0
sobel:dir=y|3 3 -1 -2 -1 0 0 0 1 2 1
unsharp:sigma=0.01:threshold=0.1|3 3 -0 -0 -0 -0 1 -0 -0 -0 -0
median:1:shape=cross|3 3 0 1 0 1 1 1 0 1 0
guided:1:0.1|5 5 0.0123457 0.0246914 0.037037 0.0246914 0.0123457 0.0246914 0.0493827 0.0740741 0.0493827 0.0246914 0.037037 0.0740741 0.111111 0.0740741 0.037037 0.0246914 0.0493827 0.0740741 0.0493827 0.0246914 0.0123457 0.0246914 0.037037 0.0246914 0.0123457
END
    imf -f sharpen --show-kernel=UPPER.PFM >text
    [ "$(pfm_samples UPPER.PFM)" = "3 3 0 -1 0 -1 5 -1 0 -1 0" ]
    no_temporaries
}

@test "what is written reads back as the same filter" {
    make_noise noise.pgm
    # Sums of 1, and of 0 but for the rounding of floats.
    for spec in sharpen disk:3 box:4 blur:1.5 motion:9:30 log:1 dog:1:2 sobel:dir=x; do
        imf -f "$spec" --show-kernel=k.pfm >text
        imf -f "$spec" --range=clip noise.pgm -o want.pgm
        imf -f kernel:@k.pfm noise.pgm -o got.pgm
        echo "$spec"
        near want.pgm got.pgm
    done
    same_result sharpen kernel:@<(imf -f sharpen --show-kernel=k.pfm >text; cat k.pfm)
}

@test "other programs read it" {
    # Without -maxval, which netpbm 11.1 refuses in one run of four: findings/pfmtopam-maxval.sh.
    command -v pfmtopam >/dev/null || skip "netpbm reads it"
    imf -f "kernel:$ROWS:scale=255" --show-kernel=k.pfm >text
    pfmtopam k.pfm | pamtopnm -plain >got
    [ "$(tail -n +4 got | tr -s ' \n' ' ' | sed 's/ $//')" = "$(tr ,/ '  ' <<<$ROWS)" ]
}

@test "a PFM holds one kernel" {
    make_noise noise.pgm
    echo precious >k.pfm
    while IFS='|' read -r words text; do
        # shellcheck disable=SC2086 # words
        imf_run $words --show-kernel=k.pfm noise.pgm -o out.pgm
        [ "$status" -eq 1 ]
        one_line "k.pfm: cannot write: $text"
        [ "$(cat k.pfm)" = precious ]
        [ ! -e out.pgm ]
    done <<'END'
-f sobel|a PFM holds one kernel, and this filter has two (of gradients :dir=x or :dir=y chooses one)
-f blur:1 -f sharpen|a PFM holds one kernel, and the filter has 2 stages (give one -f)
-f gray|this filter has no kernel (name it .png)
-f lowpass:0.1|this filter has no kernel (name it .png)
END
    imf_run -f sharpen --no-clobber --show-kernel=k.pfm
    [ "$status" -eq 1 ]
    [ "$(cat k.pfm)" = precious ]
    imf_run -f sharpen --spectrum=s.foo noise.pgm
    [ "$status" -eq 2 ]
    one_line '"foo" is not a known format of a picture (name it .png, .pfm or .csv)'
    imf_run -f sharpen --show-kernel=s.csv
    [ "$status" -eq 2 ]
    imf_run -f sharpen --show-kernel=s.foo
    [ "$status" -eq 2 ]
    one_line '"foo" is not a known format of a picture (name it .png, or .pfm)'
    no_temporaries
}
