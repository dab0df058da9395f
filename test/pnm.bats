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
    one_line "b.pbm: PBM holds black and white alone (add -f threshold:otsu, or name the output .pgm)"
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
    imf_run -f invert two.pgm -o c.pgm
    [ "$status" -eq 0 ]
    one_line "two.pgm: warning: left out: further pictures ("
    cmp <(samples a.pgm) <(samples c.pgm)
    cat a.pgm a.pgm >two.pgm
    imf_run -f invert two.pgm -o c.pgm
    one_line "left out: further pictures ("
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
