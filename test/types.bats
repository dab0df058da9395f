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

@test "PFM takes floats alone" {
    make_pgm a.pgm
    for words in "-o b.pfm" "--format=pfm -o b"; do
        # shellcheck disable=SC2086 # words
        imf_run -f blur:1 a.pgm $words
        [ "$status" -eq 1 ]
        one_line "PFM holds floats, without alpha or CMYK (add --depth=float, or name the output .pnm)"
        [ ! -e b.pfm ]
        [ ! -e b ]
    done
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
