# PNM: a name says which of the formats it is, and nothing in a stream is dropped without a word.
load helper

kind() { # FILE
    head -c 2 "$1"
}

@test ".pbm is a bitmap where the result is one" {
    make_pgm a.pgm
    imf -f threshold:0.25 a.pgm -o b.pbm
    [ "$(kind b.pbm)" = P4 ]
    [ "$(samples b.pbm)" = "0 0 0 0 0 0 0 255 255 255 255 255" ]
    imf -f invert b.pbm -o c.pbm
    [ "$(kind c.pbm)" = P4 ]
    [ "$(samples c.pbm)" = "255 255 255 255 255 255 255 0 0 0 0 0" ]
    imf -f threshold:0.25 --depth=16 a.pgm -o d.pgm
    imf -f threshold:0.5 d.pgm -o e.pbm
    cmp b.pbm e.pbm
}

@test ".pbm of anything else is refused with what would do" {
    make_pgm a.pgm
    make_ppm a.ppm
    imf_run -f kernel:1 a.pgm -o b.pbm
    [ "$status" -eq 1 ]
    one_line "b.pbm: PBM holds black and white alone (add -f threshold:otsu or --depth=1, or name the output .pgm)"
    imf_run -f threshold:0.5 a.ppm -o b.pbm
    [ "$status" -eq 1 ]
    one_line "put -f gray before a threshold or canny, as in -f gray -f threshold:otsu, or name the output .ppm"
    imf_run -f threshold:otsu a.ppm -o b.pbm
    [ "$status" -eq 1 ]
    one_line "put -f gray before a threshold"
    imf -f gray -f threshold:otsu a.ppm -o c.pbm
    imf_run -f kernel:1 a.pgm --format=pbm -o b
    [ "$status" -eq 1 ]
    [ ! -e b.pbm ]
    [ ! -e b ]
    no_temporaries
}

@test ".pgm, .ppm and .pam are what they say" {
    make_pgm a.pgm
    make_ppm a.ppm
    imf -f kernel:1 a.pgm -o b.ppm
    [ "$(kind b.ppm)" = P6 ]
    [ "$(tail -c 6 b.ppm | od -An -tu1 | tr -s ' ')" = " 100 100 100 255 255 255" ]
    imf -f kernel:1 --depth=16 a.pgm -o b.ppm
    [ "$(tail -c 12 b.ppm | od -An -tu1 | tr -s ' ')" = " 100 100 100 100 100 100 255 255 255 255 255 255" ]
    imf -f kernel:1 a.ppm -o b.pam
    [ "$(kind b.pam)" = P7 ]
    imf_run -f kernel:1 a.ppm -o b.pgm
    [ "$status" -eq 1 ]
    one_line "PGM holds no colours (add -f gray, or name the output .ppm)"
    imf_run -f kernel:1 "$TESTDATA/alpha.png" -o b.ppm
    [ "$status" -eq 1 ]
    one_line "name the output .pam"
}

@test ".pnm and a pipe take the smallest that holds the result" {
    make_pgm a.pgm
    imf -f threshold:0.5 a.pgm -o b.pnm
    [ "$(kind b.pnm)" = P4 ]
    imf -f invert - -o - <b.pnm >c.pnm
    [ "$(kind c.pnm)" = P4 ]
    imf -f blur:1 b.pnm -o c.pnm
    [ "$(kind c.pnm)" = P5 ]
    imf -f threshold:0.5 --depth=8 a.pgm -o c.pnm
    [ "$(kind c.pnm)" = P5 ]
}

@test "in place a bitmap stays one, or stays as it was" {
    make_pgm a.pgm
    imf -f threshold:0.25 a.pgm -o a.pbm
    imf -i -f invert a.pbm
    [ "$(kind a.pbm)" = P4 ]
    cp a.pbm before.pbm
    imf_run -i -f blur:1 a.pbm
    [ "$status" -eq 1 ]
    one_line "PBM holds black and white alone"
    cmp before.pbm a.pbm
}

@test "netpbm reads our bitmaps, and pixels at the end of a row" {
    command -v pnmtoplainpnm >/dev/null || skip "needs netpbm"
    for width in 1 7 8 9 17; do
        printf 'P2\n%d 2\n255\n' "$width" >a.pgm
        for i in $(seq $((2 * width))); do echo $((i * 37 % 256)); done >>a.pgm
        imf -f threshold:0.5 a.pgm -o b.pbm
        pamthreshold -simple -threshold=0.5 a.pgm | pamtopnm >want.pbm
        pnmtoplainpnm want.pbm >want
        pnmtoplainpnm b.pbm | diff want -
    done
}

@test "a second image in a stream is not dropped without a word" {
    make_pgm a.pgm
    imf -f invert a.pgm -o b.pgm
    cat b.pgm b.pgm >two.pgm
    imf_run -f invert two.pgm -o c.png
    [ "$status" -eq 0 ]
    one_line "two.pgm: warning: left out: further pictures ("
    imf -f kernel:1 c.png -o c.pgm
    cmp <(samples a.pgm) <(samples c.pgm)
    cat a.pgm a.pgm >two.pgm
    imf_run -f invert - -o c.png <two.pgm
    one_line "left out: further pictures ("
    imf_run -f invert --pages=1 two.pgm -o c.png
    [ -z "$stderr" ]
    { cat b.pgm; printf '\n \n'; } >blank.pgm
    imf_run -f invert blank.pgm -o c.pgm
    [ -z "$stderr" ]
}

@test "a maxval that few bits hold makes a PNG of as many" {
    for case in 1:1 3:2 15:4 7:8; do
        printf 'P2\n2 1\n%d\n0 %d\n' "${case%:*}" "${case%:*}" >a.pgm
        imf -f invert a.pgm -o a.png
        echo "$case"
        [ "$(od -An -tu1 -j24 -N1 a.png | tr -d ' ')" = "${case#*:}" ]
    done
}

# What a PNM says of its samples, and these as the file has them.
said() { # FILE
    python3 - "$1" <<'END'
import sys
d = open(sys.argv[1], "rb").read()
if d.startswith(b"P7"):
    head, d = d.split(b"ENDHDR\n", 1)
    maxval = int(head.split(b"MAXVAL ")[1].split()[0])
else:
    head, d = b"\n".join(d.split(b"\n", 3)[:3]), d.split(b"\n", 3)[3]
    maxval = int(head.split()[3])
step = 2 if maxval > 255 else 1
print(head[:2].decode(), maxval, *(int.from_bytes(d[i:i + step], "big") for i in range(0, len(d), step)))
END
}

@test "the maxval stays, in place, too, unless --depth says otherwise" {
    for maxval in 2 7 100 254 255 256 1023 4095 65534 65535; do
        half=$((maxval / 2))
        printf 'P2\n3 1\n%d\n0 %d %d\n' $maxval $half $maxval >a.pgm
        printf 'P3\n1 1\n%d\n0 %d %d\n' $maxval $half $maxval >a.ppm
        imf -f kernel:1 a.pgm -o b.pgm
        [ "$(said b.pgm)" = "P5 $maxval 0 $half $maxval" ]
        imf -f kernel:1 a.ppm -o b.ppm
        [ "$(said b.ppm)" = "P6 $maxval 0 $half $maxval" ]
        imf -f kernel:1 b.pgm -o b.ppm
        [ "$(said b.ppm)" = "P6 $maxval 0 0 0 $half $half $half $maxval $maxval $maxval" ]
        imf -f invert b.pgm -o b.pam
        [ "$(said b.pam)" = "P7 $maxval $maxval $((maxval - half)) 0" ]
        imf -f invert -i b.pgm
        [ "$(said b.pgm)" = "P5 $maxval $maxval $((maxval - half)) 0" ]
        imf -f threshold:0.5 a.pgm -o b.pgm
        [[ "$(said b.pgm)" == "P5 $maxval "* ]]
        cat a.pgm | imf -f blur:1 - -o - >b.pgm
        [[ "$(said b.pgm)" == "P5 $maxval "* ]]
        for depth in 8:255 16:65535; do
            imf -f kernel:1 --depth=${depth%:*} a.pgm -o b.pgm
            [[ "$(said b.pgm)" == "P5 ${depth#*:} 0 "*" ${depth#*:}" ]]
        done
        imf -f kernel:1 a.pgm -o b.png
        imf -f kernel:1 b.png -o b.pgm
        [[ "$(said b.pgm)" == "P5 $((maxval > 255 ? 65535 : 255)) 0 "* ]]
    done
    # Of few bits it is kept as PNG keeps them: where the filter needs no more.
    printf 'P2\n3 1\n15\n0 7 15\n' >a.pgm
    imf -f invert a.pgm -o b.pgm
    [ "$(said b.pgm)" = "P5 15 15 8 0" ]
    imf -f blur:1 a.pgm -o b.pgm
    [[ "$(said b.pgm)" == "P5 255 "* ]]
    # Files of another maxval in a batch have theirs.
    printf 'P2\n3 1\n100\n0 7 100\n' >c.pgm
    printf 'P2\n3 1\n200\n0 7 200\n' >d.pgm
    printf 'P2\n3 1\n255\n0 7 255\n' >e.pgm
    mkdir out
    imf -f kernel:1 -j1 c.pgm d.pgm e.pgm -o out
    [ "$(said out/c.pgm) $(said out/d.pgm) $(said out/e.pgm)" = "P5 100 0 7 100 P5 200 0 7 200 P5 255 0 7 255" ]
}
