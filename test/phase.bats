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
    for backend in vector cpu direct; do
        [ "$(directions --backend=$backend)" = "0 64 128 191 " ] # 255 times 0, 1/4, 1/2, 3/4
        [ "$(directions --backend=$backend -f invert)" = "255 191 128 64 " ] # 127.5 to even
    done
    echo "P2 2 2 65535 1 2 1 2" >a.pgm
    imf -f phase a.pgm -o b.pgm
    [ "$(tail -c 8 b.pgm | od -An -v -tx1)" = " 00 00 00 00 00 00 00 00" ]
}

@test "no gradient has the direction 0, between all others" {
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
    grep -q '^\* cpu ' <<<"$output"
    imf -q -f phase --alpha=premultiply "$TESTDATA/alpha.png" -o a.pam
    imf -q -f kernel:1 --alpha=keep "$TESTDATA/alpha.png" -o b.pam
    python3 -c '
def alpha(name):
    head, data = open(name, "rb").read().split(b"ENDHDR\n")
    return data[int(head.split(b"DEPTH ")[1].split()[0]) - 1::int(head.split(b"DEPTH ")[1].split()[0])]
assert alpha("a.pam") == alpha("b.pam") and len(set(alpha("a.pam"))) > 1'
}
