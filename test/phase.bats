# phase: the gradient's direction
load helper

# A plane that rises to the right, up, left and down: the sample in its middle.
directions() { # OPTION...
    local rows
    for rows in '1 2 3 1 2 3 1 2 3' '3 3 3 2 2 2 1 1 1' '3 2 1 3 2 1 3 2 1' '1 1 1 2 2 2 3 3 3'; do
        echo "P2 3 3 255 $rows" >a.pgm
        imf -q -f phase "$@" a.pgm -o b.pgm
        samples b.pgm | cut -d ' ' -f 5
    done | tr '\n' ' '
}

# OpenVX 1.2, "Phase": phi "is then translated to 0 <= phi < 2 pi. Each phi value is then mapped to the
# range 0 to 255 inclusive". There y grows downwards; here angles are those of all filters.
@test "a quarter of full scale is up, half of it left, and 0 right" {
    need_opencl
    for backend in vector cpu direct; do
        [ "$(directions --backend=$backend)" = "0 64 128 191 " ] # 255 times 0, 1/4, 1/2, 3/4
        [ "$(directions --backend=$backend -f invert)" = "255 191 128 64 " ] # 127.5 to even
    done
    echo "P2 2 2 65535 1 2 1 2" >a.pgm
    imf -f phase a.pgm -o b.pgm
    [ "$(tail -c 8 b.pgm | od -An -v -tx1)" = " 00 00 00 00 00 00 00 00" ]
}

@test "no gradient has the direction 0, between all others" {
    need_opencl
    echo "P2 3 3 255 9 9 9 9 9 9 9 9 9" >a.pgm
    for backend in vector cpu direct; do
        imf -f phase --backend=$backend a.pgm -o b.pgm
        [ "$(samples b.pgm)" = "0 0 0 0 0 0 0 0 0" ]
    done
    # diagonals: an eighth more each
    echo "P2 3 3 255 2 3 4 1 2 3 0 1 2" >a.pgm
    imf -f phase a.pgm -o b.pgm
    [ "$(samples b.pgm | cut -d ' ' -f 5)" = 32 ]
    imf -f phase -f invert a.pgm -o b.pgm
    [ "$(samples b.pgm | cut -d ' ' -f 5)" = 223 ]
}

@test "directions are those of the upright picture" {
    for n in 1 2 3 4 5 6 7 8; do
        imf -q -f phase --orient=apply "$TESTDATA/foreign/orient-$n.png" -o got.ppm
        imf -q -f kernel:1 --orient=apply "$TESTDATA/foreign/orient-$n.png" -o upright.ppm
        imf -q -f phase upright.ppm -o want.ppm
        cmp got.ppm want.ppm
    done
}

@test "a blur before is in float64, and alpha stays whatever is asked for" {
    imf_run --explain -f blur:2 -f phase "$TESTDATA/alpha.png"
    grep -q '^\* 2  *vector .*float64' <<<"$output"
    imf -q -f phase --alpha=premultiply "$TESTDATA/alpha.png" -o a.pam
    imf -q -f kernel:1 --alpha=keep "$TESTDATA/alpha.png" -o b.pam
    python3 -c '
def alpha(name):
    head, data = open(name, "rb").read().split(b"ENDHDR\n")
    return data[int(head.split(b"DEPTH ")[1].split()[0]) - 1::int(head.split(b"DEPTH ")[1].split()[0])]
assert alpha("a.pam") == alpha("b.pam") and len(set(alpha("a.pam"))) > 1'
}

# A gray picture whose sample at x, y is AWK-EXPRESSION.
draw() { # FILE WIDTH HEIGHT MAXVAL AWK-EXPRESSION
    awk -v w="$2" -v h="$3" -v full="$4" "BEGIN {
        print \"P2\", w, h, full
        for (y = 0; y < h; y++) for (x = 0; x < w; x++) print ($5)
    }" >"$1"
}

# Each case's output is a file "WANT, CASE" in got/, which one process looks at in the end.
give() { # WANT ARGUMENT...
    imf -q "${@:2}" --depth=8 --format=pnm -o "got/$1, ${*//\//-}"
}

# The directions in each file are those of its name, and there are N files at least.
given_are_wanted() { # N
    python3 -c '
import os, re, sys
names = sorted(os.listdir("got"))
assert len(names) >= int(sys.argv[1]), len(names)
for name in names:
    data = open("got/" + name, "rb").read().split(b"\n", 3)[3]
    found = " ".join(str(v) for v in sorted(set(data)))
    assert re.fullmatch(name.split(", ")[0], found), (name, found)' "$1"
}

# What imfilter gives on each backend that takes the chain, and on one at least: vector, cpu and $devices.
give_on_all() { # WANT ARGUMENT...
    local want=$1 backend taken=0
    shift
    for backend in vector ${devices-$direct $fft} cpu; do
        if give "$want" --backend=$backend "$@" 2>err; then
            taken=$((taken + 1))
        else
            grep -q 'cannot do this' err
        fi
    done
    [ $taken -ge 1 ]
}

@test "a flat picture has direction 0, whatever rounding a stage before leaves" {
    need_opencl
    mkdir got
    draw a.pgm 24 20 255 105
    draw b.pgm 24 20 65535 10511
    for spec in blur:1.3 blur:5 unsharp motion:7:30 disk:2.5 bilateral:2:0.1 guided:3:0.01 log:1.5 gray highpass:0.1 \
        lowpass:0.1 bandstop:0.1:0.2 notch:0.1:0.1:0.05 lowpass:0.1:type=ideal; do
        give_on_all 0 -f "$spec" -f phase a.pgm
        give_on_all 0 -f "$spec" -f phase --edge=wrap b.pgm
    done
    for spec in sharpen median:2 box:3 sharpen:0.3; do
        [ $spec = sharpen ] && devices=direct || devices="$direct $fft"
        give_on_all 0 -f $spec -f phase a.pgm
        give 0 -f $spec -f phase --linear a.pgm
    done
    draw c.pgm 1 1 255 105
    give_on_all 0 -f lowpass:0.1 -f phase c.pgm
    # prime sides, and several stages
    draw d.pgm 131 67 255 105
    devices="direct fft" give_on_all 0 -f lowpass:0.2 -f unsharp:sigma=3:amount=4 -f highpass:0.02 -f blur:4 -f phase d.pgm
    given_are_wanted 38
}

@test "an edge after an inexact stage points across itself" {
    need_opencl
    mkdir got
    for full in 255 65535; do
        for edge in x y; do
            draw up-$edge-$full.pgm 24 24 $full "int(full * ($edge < 12 ? 0.11 : 0.78))"
            draw down-$edge-$full.pgm 24 24 $full "int(full * ($edge < 12 ? 0.78 : 0.11))"
            # rightwards and leftwards, downwards and upwards
            [ $edge = x ] && want=("0" "0 128") || want=("0 191" "0 64")
            for spec in blur:1.3 disk:2.5 unsharp:amount=0 kernel:0.1,0.2,0.4,0.2,0.1/0.1,0.2,0.4,0.2,0.1:scale=auto; do
                # which a device takes, too
                [ "$full $edge $spec" = "255 y unsharp:amount=0" ] && devices=direct || devices="$direct $fft"
                give_on_all "${want[0]}" -f "$spec" -f phase up-$edge-$full.pgm
                give_on_all "${want[1]}" -f "$spec" -f phase down-$edge-$full.pgm
            done
        done
        # A transfer function rings: across the edge all the same.
        for spec in lowpass:0.1 highpass:0.1 unsharp bandstop:0.1:0.2:type=ideal; do
            give_on_all "0 128" -f $spec -f phase up-x-$full.pgm
            give "(0 )?64 191" -f $spec -f phase up-y-$full.pgm
        done
    done
    given_are_wanted 48
}

@test "the middle of a blurred line has no gradient" {
    draw a.pgm 25 9 255 'x >= 10 && x <= 14 ? 200 : 30'
    for spec in blur:1.3 disk:2.5 lowpass:0.1; do
        imf -q -f $spec -f phase a.pgm -o b.pgm
        samples b.pgm | fold -w 25
        [ "$(samples b.pgm | tr ' ' '\n' | awk 'NR % 25 == 13' | sort -u)" = 0 ]
        [ "$(samples b.pgm | tr ' ' '\n' | awk 'NR % 25 == 16' | sort -u)" = 128 ]
    done
}
