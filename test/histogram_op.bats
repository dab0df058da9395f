# Filters that look at the histogram of the whole image: equalize, levels:auto and threshold:otsu
load helper

same() { # FILE FILE
    cmp "$1" "$2" || { echo "$1 and $2 differ"; return 1; }
}

# What numpy and cv2 make of noise of several sizes and spreads is what imfilter makes of it. Each line:
# OPTIONS = EXPRESSION of a.
compare_opencv() {
    need_python numpy cv2
    python3 -c '
import cv2, numpy as np, subprocess, sys
random = np.random.default_rng(5)
one = lambda f: lambda a: f(a)
for line in sys.stdin.read().splitlines():
    options, expression = line.split(" = ")
    for height, width, mean, spread in ((97, 61, 128, 40), (1, 50, 60, 9), (211, 3, 200, 70), (600, 900, 90, 20),
                                        (40, 40, 77, 0), (30, 30, 0, 0), (64, 64, 250, 2), (1, 1, 9, 0)):
        a = np.clip(np.rint(random.normal(mean, spread, (height, width))), 0, 255).astype(np.uint8)
        cv2.imwrite("a.pgm", a)
        subprocess.run([sys.argv[1], "-q"] + options.split() + ["a.pgm", "-o", "b.pgm"], check=True)
        b, want = cv2.imread("b.pgm", -1), eval(expression)
        if not (b == want).all():
            sys.exit("%s, %dx%d: %d samples differ" % (options, width, height, (b != want).sum()))
' "$IMFILTER"
}

# Its quotients are floats: an exact one that lies within 3e-5 of a tie might be rounded the other way.
@test "--verify holds what is decided to the values that it is decided by" {
    for filter in "-f sharpen:0.7 -f clahe" "-f sharpen:0.7 -f equalize -f blur:1" "-f sharpen:0.7 -f threshold:local:3:0" "-f gray -f equalize --depth=16" \
        "-f sharpen:0.7 -f threshold:0.3137254901960784" "-f sharpen:0.7 -f gray -f threshold:0.3137254901960784 -f blend:multiply:0.5"; do
        imf_run $filter --verify --json "$TESTDATA/noise-rgb.png"
        echo "$filter: $status $output"
        [ "$status" -eq 0 ]
        python3 -c 'import json, sys; o = json.loads(sys.argv[1])
assert o["verify_ok"] and o["verify_unexcused"] == 0, o
assert o["verify_differing"] > 0 or "clahe" not in o["filter"], o' "$output"
    done
    # the first threshold makes 0.46 * 100, on the second one's level
    printf 'P2\n5 1\n255\n50 100 200 30 220\n' >a.pgm
    imf --backend=direct --verify -f threshold:0.9 -f blend:normal:0.54 -f threshold:0.1803921568627451 a.pgm -o b.pgm
}

@test "levels:auto stretches between the shares that it is given" {
    printf 'P2\n10 1\n255\n10 20 20 30 40 60 70 80 90 200\n' >a.pgm
    for backend in vector cpu direct; do
        imf -f levels:auto --backend=$backend a.pgm -o b.pgm
        [ "$(samples b.pgm)" = "0 13 13 27 40 67 81 94 107 255" ]
        imf -f levels:auto:10%:0.1 --backend=$backend a.pgm -o b.pgm
        [ "$(samples b.pgm)" = "0 0 0 36 73 146 182 219 255 255" ]
        imf -f levels:auto:white=10%:black=0.3:gamma=2 --backend=$backend a.pgm -o b.pgm
        [ "$(samples b.pgm)" = "0 0 0 0 104 180 208 233 255 255" ]
    done
    imf -f levels:auto:0:0 a.pgm -o b.pgm
    imf -f kernel:1 --range=normalize a.pgm -o c.pgm
    same b.pgm c.pgm
    printf 'P2\n2 1\n65535\n300 300\n' >flat.pgm
    imf -f levels:auto flat.pgm -o b.pgm
    [ "$(tail -c 4 b.pgm | od -An -tu1 | xargs)" = "1 44 1 44" ]
    printf 'P7\nWIDTH 3\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\12\377\36\377\310\0' >a.pam
    imf -f levels:auto a.pam -o b.pam # the hidden 200 does not count
    [ "$(tail -c 6 b.pam | od -An -tu1 | xargs)" = "0 255 255 255 255 0" ]
    imf_run -f levels:auto:0.6:0.4 a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    one_line 'BLACK and WHITE together must be below 1'
}

@test "OpenCV's equalizeHist gives the same bytes" {
    compare_opencv <<'END'
-f equalize = cv2.equalizeHist(a)
-f equalize --backend=cpu = cv2.equalizeHist(a)
-f invert -f equalize = cv2.equalizeHist(255 - a)
END
}

# It sums means up from value to value, so that equally good thresholds may come out otherwise; what
# lies between them are values that do not occur.
@test "OpenCV's THRESH_OTSU gives the same bytes" {
    compare_opencv <<'END'
-f threshold:otsu = cv2.threshold(a, 0, 255, cv2.THRESH_OTSU)[1]
-f threshold:otsu -f invert = cv2.threshold(a, 0, 255, cv2.THRESH_OTSU + cv2.THRESH_BINARY_INV)[1]
END
}

@test "scikit-image's threshold_otsu divides there, too" {
    need_python numpy skimage.filters
    imf -f blur:2 -f gray "$TESTDATA/noise.png" -o a.pgm
    imf -f threshold:otsu --depth=8 --format=pgm a.pgm -o b.pgm
    python3 -c '
import numpy as np, skimage.filters as f
a, b = (np.frombuffer(open(n, "rb").read(), np.uint8)[-96 * 96:] for n in ("a.pgm", "b.pgm"))
assert ((b == 255) == (a > f.threshold_otsu(a))).all()'
}

# OpenVX 1.2, "Equalize Histogram": of a grayscale image, "so that it will automatically have a
# standardized brightness and contrast".
@test "values become the share of samples that are not above them, of the least and beyond none" {
    printf 'P2\n5 2\n255\n10 10 10 20 20  20 20 30 30 90\n' >a.pgm
    imf -f equalize a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 0 0 146 146 146 146 219 219 255" ] # 255 * 4/7, 6/7, 7/7
    # ties to even: 255 * 1/2 is 127.5
    printf 'P2\n3 1\n255\n1 2 3\n' >a.pgm
    imf -f equalize a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 128 255" ]
    printf 'P2\n4 1\n65535\n1 2 3 65535\n' >a.pgm
    imf -f equalize a.pgm -o b.pgm
    [ "$(tail -c 8 b.pgm | od -An -v -tx1)" = " 00 00 55 55 aa aa ff ff" ]
}

@test "one table is for all colours, so that gray stays gray" {
    printf 'P3\n3 1\n255\n10 10 10  20 30 40  90 90 90\n' >a.ppm
    imf -f equalize a.ppm -o b.ppm
    [ "$(samples b.ppm)" = "0 0 0 42 85 128 255 255 255" ] # 255 * 1/6, 2/6, 3/6
    imf -f threshold:otsu a.ppm -o b.ppm
    [ "$(samples b.ppm)" = "0 0 0 0 0 0 255 255 255" ]
}

@test "alpha is neither counted nor changed, and transparent pixels count with --alpha=keep alone" {
    local pam='P7\nWIDTH 4\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n'
    printf "$pam"'\12\0\24\377\24\7\36\200' >a.pam
    imf -f equalize --alpha=keep a.pam -o b.pam
    [ "$(tail -c 8 b.pam | od -An -v -tu1)" = "   0   0 170 255 170   7 255 128" ]
    imf -f threshold:otsu --alpha=keep a.pam -o b.pam
    [ "$(tail -c 8 b.pam | od -An -v -tu1)" = "   0   0 255 255 255   7 255 128" ]
    for spec in equalize threshold:otsu; do
        imf -f $spec a.pam -o b.pam
        [ "$(tail -c 8 b.pam | od -An -v -tu1)" = "   0   0   0 255   0   7 255 128" ]
    done
    # premultiplied colours are divided first: a blur leaves the only colour as it is, a flat image
    printf "$pam"'\144\0\144\377\144\7\144\200' >a.pam
    imf -f blur:1 -f equalize a.pam -o b.pam
    [ "$(tail -c 8 b.pam | od -An -v -tu1 | awk '{ print $1, $3, $5, $7 }')" = "100 100 100 100" ]
}

@test "samples before are rounded and saturated, whatever made them" {
    printf 'P2\n6 1\n255\n0 60 120 180 240 255\n' >a.pgm
    imf -f kernel:2 a.pgm -o two.pgm
    imf -f equalize two.pgm -o want.pgm
    for backend in auto cpu vector; do
        imf -f kernel:2 -f equalize --backend=$backend a.pgm -o b.pgm
        same b.pgm want.pgm
    done
}

@test "the host does it, without a device" {
    need_opencl
    make_flat a.pgm 40 30
    imf_run --explain -f equalize a.pgm
    [ "$status" -eq 0 ]
    grep -q '^\* [0-9]*  *vector  *vector histogram of 256 values .* starting OpenCL would cost more' <<<"$output"
    [[ $output == *"the whole image is in memory: the filter takes all of it at once"* ]]
    imf_run -f equalize --backend=fft a.pgm -o b.pgm
    [ "$status" -eq 2 ] || [ "$status" -eq 1 ]
    one_line "--backend=fft cannot do this: what a histogram decides is not linear (try --backend=auto)"
}

@test "a chain with it is done where a device was asked for" {
    need_opencl
    imf --list-devices | grep -q . || skip "there is no device"
    imf -f sharpen -f equalize -f sharpen --backend=cpu "$TESTDATA/noise-rgb.png" -o want.ppm
    imf_run -f sharpen -f equalize -f sharpen --device=0 "$TESTDATA/noise-rgb.png" -o b.ppm
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    same b.ppm want.ppm
    imf_run --explain -f sharpen -f equalize -f sharpen --device=0 "$TESTDATA/noise-rgb.png"
    [[ $output == *"* 1     direct     direct 3x3, "*"* 2     direct     histogram of 256 values "*"* 3     direct     direct 3x3, "* ]]
    for option in --depth=8 --depth=16 --edge=wrap; do
        for filter in equalize threshold:otsu; do
            for file in noise-rgb alpha gradient16; do
                [[ $direct$option$file =~ ^direct|8noise-rgb|16gradient16|wrapalpha ]] || continue
                imf -q $option -f $filter --backend=cpu "$TESTDATA/$file.png" -o want.pam
                imf -q $option -f $filter --backend=direct "$TESTDATA/$file.png" -o b.pam
                same b.pam want.pam
            done
        done
    done
}

@test "two values stay one bit, and Otsu's threshold gives one bit" {
    printf 'P2\n4 1\n255\n0 10 200 210\n' >a.pgm
    imf -f threshold:otsu a.pgm -o b.png
    [ "$(head -c 25 b.png | tail -c 1 | od -An -tu1)" -eq 1 ]
    imf -f equalize b.png -o c.png
    [ "$(head -c 25 c.png | tail -c 1 | od -An -tu1)" -eq 1 ]
    [ "$(samples c.png)" = "0 0 255 255" ]
    imf -f threshold:otsu a.pgm -o b.pbm
    # nothing to split
    printf 'P2\n2 1\n255\n9 9\n' >a.pgm
    imf -f threshold:otsu a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "255 255" ]
    printf 'P2\n2 1\n255\n0 0\n' >a.pgm
    imf -f threshold:otsu a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 0" ]
}

@test "neither a palette nor a pixel of it is filtered alone" {
    imf -f equalize "$TESTDATA/foreign/png-pal4.png" -o a.ppm
    imf -f kernel:1 --depth=8 "$TESTDATA/foreign/png-pal4.png" -o b.ppm
    imf -f equalize b.ppm -o c.ppm
    same a.ppm c.ppm
}

@test "linear light has a histogram of its own" {
    printf 'P2\n4 1\n255\n0 90 180 255\n' >a.pgm
    imf -f equalize --linear a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 156 213 255" ] # thirds of light, written
}

@test "what is not a level is told what may be one" {
    make_flat a.pgm 4 4
    for level in osu otsu:1 2 otsu1; do
        imf_run -f threshold:$level a.pgm -o b.pgm
        [ "$status" -eq 2 ]
        one_line "threshold:T|otsu"
    done
    imf_run -f equalize:1 a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    imf_run -f threshold:T=otsu a.pgm -o b.pgm
    [ "$status" -eq 0 ]
}

@test "of thresholds that divide equally well the first is taken" {
    printf 'P2 4 1 255  64 114 114 164' >a.pgm
    for backend in auto cpu; do
        imf -f threshold:otsu --backend=$backend --depth=8 a.pgm -o b.pgm
        [ "$(tail -c 4 b.pgm | od -An -tu1 | tr -s ' ')" = " 0 255 255 255" ]
    done
}
