# Floats and integers of other types than unsigned of 8 and 16 bits, in TIFF and PFM
load helper

# A TIFF of gray numbers, by hand: TYPE is Python's letter of struct, ORDER < or >.
make_typed() { # FILE ORDER TYPE WIDTHxHEIGHT NUMBER...
    python3 - "$@" <<'END'
import struct, sys
path, order, kind, size = sys.argv[1:5]
width, height = map(int, size.split("x"))
number = float if kind in "efd" else int
data = struct.pack("%s%d%s" % (order, width * height, kind), *[number(v) for v in sys.argv[5:]])
form = 3 if kind in "efd" else 2 if kind.islower() else 1
rows = [(256, width), (257, height), (258, 8 * struct.calcsize("=" + kind)), (259, 1), (262, 1), (273, 8), (277, 1), (278, height),
        (279, len(data)), (339, form)]
out = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8 + len(data) + len(data) % 2)
out += data + b"\0" * (len(data) % 2) + struct.pack(order + "H", len(rows))
for tag, value in rows:
    out += struct.pack(order + "HHII", tag, 4, 1, value)
open(path, "wb").write(out + bytes(4))
END
}

make_noise() { # FILE
    awk 'BEGIN { srand(7); print "P2 12 9 255"; for (i = 0; i < 12 * 9; i++) print int(256 * rand()) }' >"$1"
}

make_gray_pfm() { # FILE ORDER WIDTHxHEIGHT NUMBER..., rows from the bottom up
    python3 - "$@" <<'END'
import struct, sys
width, height = sys.argv[3].split("x")
numbers = [float(v) for v in sys.argv[4:]]
head = "Pf\n%s %s\n%s1.0\n" % (width, height, "-" if sys.argv[2] == "<" else "")
open(sys.argv[1], "wb").write(head.encode() + struct.pack("%s%df" % (sys.argv[2], len(numbers)), *numbers))
END
}

@test "a kernel is read from floats and signed integers as from text" {
    make_noise noise.pgm
    printf '1 -2 3\n0 40 -5\n6 0 7\n' >k.txt
    imf -q -f kernel:@k.txt:scale=1 noise.pgm -o want.pgm
    numbers="1 -2 3 0 40 -5 6 0 7"
    # shellcheck disable=SC2086 # words
    for form in "< f" "> f" "< d" "> e" "< h" "> i" "> b"; do
        make_typed k.tif $form 3x3 $numbers
        imf -q -f kernel:@k.tif:scale=1 noise.pgm -o got.pgm
        echo "$form"
        cmp want.pgm got.pgm
    done
    for order in "<" ">"; do
        make_gray_pfm k.pfm "$order" 3x3 6 0 7 0 40 -5 1 -2 3
        imf -q -f kernel:@k.pfm:scale=1 noise.pgm -o got.pgm
        cmp want.pgm got.pgm
    done
    make_typed k.tif "<" f 1x1 nan
    imf_run -f kernel:@k.tif noise.pgm -o got.pgm
    [ "$status" -eq 2 ]
    one_line "the sample in row 1, column 1 is not a number up to 1e30"
}

@test "a mask of floats is from 0 to 1, of integers from 0 to their largest" {
    make_noise noise.pgm
    while read -r order type value gray; do
        # shellcheck disable=SC2046 # words
        make_typed mask.tif "$order" "$type" 12x9 $(yes -- "$value" | head -n 108)
        { echo P2 12 9 65535 && yes "$gray" | head -n 108; } >mask.pgm
        imf -f invert --mask=mask.tif noise.pgm -o got.pgm
        imf -f invert --mask=mask.pgm noise.pgm -o want.pgm
        echo "$order $type $value"
        cmp want.pgm got.pgm
    done <<'LIST'
< f 0.5 32768
> d 0.25 16384
> e 0.75 49151
< I 2147483648 32768
> h 16384 32769
> i 1073741824 32768
< f -7 0
< d nan 0
< f 1e30 65535
LIST
}

# The samples of a TIFF of one strip, or of a gray PFM of 4x2, as they stand in the file.
numbers_of() { # FILE TYPE COUNT
    python3 - "$@" <<'END'
import struct, sys
path, kind, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = open(path, "rb").read()
order = ">" if data[:2] == b"MM" else "<"
at = len(b"Pf\n4 2\n-1.0\n")
if data[:2] != b"Pf":
    directory = struct.unpack_from(order + "I", data, 4)[0]
    for i in range(struct.unpack_from(order + "H", data, directory)[0]):
        if struct.unpack_from(order + "H", data, directory + 2 + 12 * i)[0] == 273:
            at = struct.unpack_from(order + "I", data, directory + 10 + 12 * i)[0]
print(*struct.unpack_from("%s%d%s" % (order, count, kind), data, at))
END
}

form_of() { # FILE
    tiffinfo "$1" 2>&1 | grep 'Bits/\|Sample Format'
}

@test "a file of floats or integers stays one of its type, to the bit" {
    while read -r order type numbers; do
        # shellcheck disable=SC2086 # words
        make_typed a.tif "$order" "$type" 4x2 $numbers
        imf -f kernel:1 --compression=0 a.tif -o b.tif
        echo "$order $type"
        [ "$(numbers_of a.tif "$type" 8)" = "$(numbers_of b.tif "$type" 8)" ]
        ! command -v tiffinfo >/dev/null || [ "$(form_of a.tif)" = "$(form_of b.tif)" ]
    done <<'LIST'
< f 0 1 -1 1e-30 1e30 0.1 -1e-30 3
> f 0 1 -1 1e-30 1e30 0.1 -1e-30 3
< d 0 1 -1 1e-300 1e300 0.1 -7 3
> e 0 1 -1 6e-8 65504 0.1 -7 3
< b 0 1 -1 127 -128 5 6 7
> h 0 1 -1 32767 -32768 5 6 7
< i 0 1 -1 2147483647 -2147483648 5 6 7
> I 0 1 2 4294967295 2147483648 5 6 7
LIST
    numbers="0 1 -1 1e-30 1e30 0.1 -7 3"
    # shellcheck disable=SC2086 # words
    make_gray_pfm a.pfm ">" 4x2 $numbers
    # shellcheck disable=SC2086 # words
    make_gray_pfm want.pfm "<" 4x2 $numbers
    imf -f kernel:1 a.pfm -o b.pfm
    cmp want.pfm b.pfm
    imf -f kernel:1 - -o - <a.pfm | cmp want.pfm
    # shellcheck disable=SC2002 # a pipe
    cat a.pfm | imf -f kernel:1 - -o - | cat | cmp want.pfm
    imf -f kernel:1 a.pfm -o b.tif
    [ "$(numbers_of b.tif f 8)" = "$(numbers_of want.pfm f 8 | awk '{ print $5, $6, $7, $8, $1, $2, $3, $4 }')" ]
}

@test "results are rounded to integers, ties to even, and limited" {
    make_typed a.tif ">" h 4x2 1 3 -1 -3 32767 -32768 7 2
    imf -f kernel:0.5:scale=1 --compression=0 a.tif -o b.tif
    [ "$(numbers_of b.tif h 8)" = "0 2 0 -2 16384 -16384 4 1" ]
    imf -q -f kernel:2:scale=1 --compression=0 a.tif -o b.tif
    [ "$(numbers_of b.tif h 8)" = "2 6 -2 -6 32767 -32768 14 4" ]
}

@test "floats are deflated where they were, or where that is asked for" {
    make_typed a.tif "<" f 4x2 0 1 2 3 4 5 6 7
    imf -f kernel:1 a.tif -o b.tif
    imf -f kernel:1 --compression=6 a.tif -o c.tif
    imf -f kernel:1 c.tif -o d.tif
    [ "$(tiffinfo b.tif c.tif d.tif 2>&1 | sed -n 's/.*Scheme: //p' | xargs)" = "None AdobeDeflate AdobeDeflate" ]
    make_typed a.tif "<" h 4x2 0 1 2 3 4 5 6 7
    imf -f kernel:1 a.tif -o b.tif
    tiffinfo b.tif 2>&1 | grep -q AdobeDeflate
}

@test "what does not hold floats is told with the depth and the formats that do" {
    make_typed f.tif "<" f 4x2 0 1 2 3 4 5 6 7
    make_typed h.tif "<" h 4x2 0 1 2 3 4 5 6 7
    make_typed d.tif "<" d 4x2 0 1 2 3 4 5 6 7
    while IFS='|' read -r file to said; do
        imf_run -f blur:1 "$file" -o "$to"
        echo "$file $to"
        [ "$status" -eq 1 ]
        one_line "$file: cannot be written as $to: $said"
        [ ! -e "$to" ]
    done <<'LIST'
f.tif|b.png|PNG cannot hold floats (use --depth=16, or choose --format=pnm or --format=tiff)
h.tif|b.png|PNG cannot hold signed integers of 16 bits (use --depth=16, or choose --format=pnm or --format=tiff)
f.tif|b.jpg|JPEG cannot hold floats (use --depth=8, or choose --format=pnm or --format=tiff)
f.tif|b.pgm|of PNM only PFM holds floats (add --depth=16, or name the output .pfm)
LIST
    imf -f blur:1 --depth=float d.tif -o d.pfm
    imf -f blur:1 --depth=16 f.tif -o f.png
    imf -f blur:1 --depth=8 h.tif -o h.jpg
}

@test "--parts covers files of floats" {
    make_typed a.tif ">" f 3x2 1 2 3 4 5 6
    make_gray_pfm a.pfm "<" 3x2 1 2 3 4 5 6
    imf --parts a.tif | grep -q '^ *8 *24 *pixels'
    imf --parts a.pfm >list
    cat list
    grep -q '^ *0 *12 .*header' list
    grep -q '^ *12 *24 .*pixels' list
}
