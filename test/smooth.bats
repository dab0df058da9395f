# Smoothing that keeps edges: bilateral and guided
load helper

# A step from 90 to 150 with noise of up to 10 on either side, twice, in three channels.
make_steps() { # FILE WIDTH HEIGHT
    awk -v w="$2" -v h="$3" 'BEGIN {
        printf "P3\n%d %d\n255\n", w, h
            s = 42
        for (i = 0; i < w * h * 3; i++) {
            s = (s * 16807) % 2147483647
            x = int(i / 3) % w
            print (int(x / (w / 4)) % 2 ? 150 : 90) + s % 21 - 10
        }
    }' >"$1"
}

@test "bilateral is OpenCV's on gray, at every edge that both have" {
    need_python numpy cv2
    python3 - <<'END'
import os, subprocess
import cv2
import numpy as np
random = np.random.default_rng(5)
y, x = np.mgrid[:61, :83]
image = np.clip(60 + 90 * ((x // 20 + y // 15) % 2) + random.normal(0, 12, x.shape), 0, 255).astype(np.uint8)
open("a.pgm", "wb").write(b"P5 83 61 255\n" + image.tobytes())
for sigma, range_, edge, border in ((1, 0.1, "clamp", cv2.BORDER_REPLICATE), (3, 0.05, "mirror", cv2.BORDER_REFLECT_101),
                                    (2, 0.3, "reflect", cv2.BORDER_REFLECT), (5, 0.1, "wrap", cv2.BORDER_WRAP)):
    want = cv2.bilateralFilter(image, 6 * sigma + 1, range_ * 255, sigma, borderType=border).astype(int)
    for backend in ("auto", "cpu"):
        subprocess.run([os.environ["IMFILTER"], "-q", "-f", "bilateral:%d:%g" % (sigma, range_), "--edge=" + edge,
                        "--backend=" + backend, "a.pgm", "-o", "b.pgm"], check=True)
        got = np.frombuffer(open("b.pgm", "rb").read()[-83 * 61:], np.uint8).reshape(61, 83).astype(int)
        differ = np.abs(got - want)
        # OpenCV's sums are floats, and may round the other way.
        assert differ.max() <= 1 and (differ > 0).mean() < 0.002, (sigma, edge, backend, differ.max(), (differ > 0).mean())
END
}

@test "guided is that of scipy's means in boxes, at every edge that both have" {
    need_python numpy scipy.ndimage
    python3 - <<'END'
import os, subprocess
import numpy as np
from scipy.ndimage import uniform_filter
random = np.random.default_rng(6)
for full, kind in ((255, np.uint8), (65535, np.dtype(">u2"))):
    image = random.integers(0, full + 1, (45, 58, 3)).astype(kind)
    image[:, 20:] = image[:, 20:] // 8 + full // 2
    open("a.ppm", "wb").write(b"P6 58 45 %d\n" % full + image.tobytes())
    for r, eps, edge, mode in ((2, 0.1, "clamp", "nearest"), (7, 0.02, "mirror", "mirror"), (4, 0.5, "wrap", "wrap"),
                               (5, 0.2, "reflect", "reflect")):
        def mean(v):
            return uniform_filter(v, (2 * r + 1, 2 * r + 1, 1), mode="constant")
        side = 4 * r
        wide = np.pad(image / full, ((side, side), (side, side), (0, 0)),
                      {"nearest": "edge", "mirror": "reflect", "wrap": "wrap", "reflect": "symmetric"}[mode])
        m = mean(wide)
        v = mean(wide * wide) - m * m
        a = v / (v + eps * eps)
        want = (mean(a) * wide + mean((1 - a) * m))[side:-side, side:-side] * full
        for backend in ("auto", "cpu"):
            subprocess.run([os.environ["IMFILTER"], "-q", "-f", "guided:%d:%g" % (r, eps), "--edge=" + edge,
                            "--backend=" + backend, "a.ppm", "-o", "b.ppm"], check=True)
            got = np.frombuffer(open("b.ppm", "rb").read()[-image.nbytes:], kind).reshape(image.shape)
            apart = np.abs(got - want).max()
            assert apart <= (0.501 if full == 255 else 1), (full, r, edge, backend, apart)
END
}

@test "noise goes and the edge stays; what is flat is as it was" {
    make_steps a.ppm 48 30
    for filter in bilateral:2:0.06 guided:3:0.06; do
        imf -f "$filter" a.ppm -o b.ppm
        samples b.ppm | tr ' ' '\n' | awk -v w=48 '
            NF { x = int((NR - 1) / 3) % w; high = int(x / 12) % 2; v = $1 - (high ? 150 : 90); s += v * v
              if (v > 20 || v < -20) far++ }
            END { exit !(s / NR < 18 && far == 0) }' # of 36.7 before
    done
    echo "P2 4 3 255 7 7 7 7 7 7 7 7 7 7 7 7" >flat.pgm
    for filter in bilateral:3:0.1 guided:5:0.000001 guided:0:1; do
        imf -f "$filter" flat.pgm -o b.pgm
        [ "$(samples b.pgm)" = "7 7 7 7 7 7 7 7 7 7 7 7" ]
    done
}

@test "colours are alike or not by all of their channels" {
    # The pixels differ in red alone: green and blue are not mixed across the edge either.
    echo "P3 4 1 255 0 10 10 0 10 10 200 30 30 200 30 30" >a.ppm
    imf -f bilateral:1:0.1 --edge=clamp a.ppm -o b.ppm
    [ "$(samples b.ppm)" = "0 10 10 0 10 10 200 30 30 200 30 30" ]
    # Each by itself they are.
    imf -f guided:1:1 a.ppm -o b.ppm
    [ "$(samples b.ppm | cut -d ' ' -f 5)" -gt 10 ]
}

@test "alpha is kept, or one more channel where it is filtered" {
    printf 'P7\nWIDTH 3\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\144\0\156\377\144\377' >a.pam
    for filter in bilateral:1:0.2 guided:1:1; do
        imf -q -f $filter a.pam -o kept.pam
        [ "$(tail -c 6 kept.pam | od -An -tu1 | awk '{print $2, $4, $6}')" = '0 255 255' ]
        [ "$(tail -c 6 kept.pam | od -An -tu1 | awk '{print ($1 > 100)}')" = 1 ]
    done
    imf -q -f bilateral:1:0.2 --alpha=filter a.pam -o all.pam
    [ "$(tail -c 6 all.pam | od -An -tu1 | awk '{print $1, $2}')" = '100 0' ]
}

@test "the same bytes in bands, at once, for any memory and on one thread" {
    need_opencl
    make_steps a.ppm 500 700
    for filter in bilateral:1.5:0.1 guided:9:0.1; do
        imf -f $filter --verify a.ppm -o whole.ppm
        imf -f $filter a.ppm -o streamed.ppm --max-memory=0
        imf -f $filter a.ppm -o small.ppm --max-memory=24M
        mkdir -p one
        imf -q -j 2 -f $filter a.ppm streamed.ppm -o one
        for other in streamed.ppm small.ppm one/a.ppm; do
            cmp whole.ppm "$other"
        done
    done
    imf_run --explain -f bilateral:1.5:0.1 -f guided:2:0.1 a.ppm
    [[ $output == *"rows stream"* ]]
    [[ $output == *"bilateral"*"guided"* ]]
    imf_run --explain -f bilateral:1.5:0.1 a.ppm
    [[ $output == *"* 1     vector  "*"bilateral, radius 5, pairs of rows"* ]]
    for chain in 'bilateral:3:0.1 -f sharpen' 'guided:8:0.1 -f sharpen' 'blur:1 -f bilateral:3:0.2'; do
        imf_run --explain -f $chain a.ppm # what follows magnifies errors
        [[ $output == *"* 1     vector  "* ]]
    done
    imf_run --backend=separable -f guided:2:0.1 a.ppm -o b.ppm
    [ "$status" -ne 0 ]
    one_line 'a guided filter is not linear'
    imf_run --explain -f guided:2:0.1 a.ppm
    [[ $output == *"* 1     vector  "*"guided, radius 2, running sums"* ]]
}

@test "one pixel is not prepared for as thousands are" {
    printf 'P5 1 1 255 a' >one.pgm
    imf_run -f bilateral:170:0.1 --explain one.pgm
    [ "$status" -eq 0 ]
    grep -q '^\* [0-9]*  *vector .*bilateral, radius 510, float64' <<<"$output"
}

@test "a RANGE or EPS of several times full scale has a warning" {
    make_ppm a.ppm
    imf_run -f bilateral:2:25 a.ppm -o b.ppm
    [ "$status" -eq 0 ]
    one_line 'warning: bilateral: RANGE is 25 times full scale, which keeps no edges (25 of 255 is 0.098)'
    imf_run -f guided:2:3 a.ppm -o b.ppm
    one_line 'warning: guided: EPS is 3 times full scale'
    imf_run -f bilateral:2:2 -f guided:2:2 a.ppm -o b.ppm
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
}

@test "sigmas, ranges and radii out of bounds are refused, and windows larger than the image are not" {
    make_ppm a.ppm
    for spec in bilateral:0:0.1 bilateral:171:0.1 bilateral:3:0 bilateral:3:101 guided:512:0.1 guided:1.5:0.1 guided:3:-1; do
        imf_run -f "$spec" a.ppm -o b.ppm
        [ "$status" -eq 2 ]
        one_line 'at column'
    done
    for spec in bilateral bilateral:2 guided:3; do
        imf_run -f "$spec" a.ppm -o b.ppm
        [ "$status" -eq 2 ]
        one_line 'is missing'
    done
    [ ! -e b.ppm ]
    for edge in clamp reflect mirror wrap constant:0.5; do
        imf -f bilateral:7:0.2 -f guided:30:0.3 --edge=$edge --verify a.ppm -o b.ppm
    done
}

@test "devices do them as exactly" {
    need_opencl
    imf --list-devices | grep -q . || skip "there is no device"
    for filter in bilateral:2:0.1 guided:5:0.1 guided:200:0.01 'guided:0:0.5' 'blur:2 -f guided:3:0.1'; do
        case ${direct:-$filter} in
        direct) files='alpha noise-rgb gradient16' ;;
        bilateral*) files=alpha ;;
        guided:5:*) files=noise-rgb ;;
        guided:200:*) files=gradient16 ;;
        *) files= ;;
        esac
        for file in $files; do
            imf_run -f $filter --backend=direct --edge=mirror --verify "$TESTDATA/$file.png" -o b.png
            echo "$filter $file: $stderr"
            [ "$status" -eq 0 ]
        done
    done
    imf_run -f bilateral:2:0.1 -f guided:5:0.1 --device=0 --max-memory=200M --explain "$TESTDATA/noise-rgb.png"
    [[ $output == *"* 1     direct     bilateral, radius 6 "*"* 2     direct     guided, radius 5, running integer sums "* ]]
}

@test "what lies beyond the edge may be larger than all that lies within" {
    need_opencl
    local backend chain
    for backend in auto direct; do
        [ $backend = auto ] || imf --list-devices | grep -q . || continue
        for chain in "kernel:0.01" "kernel:0.3" "kernel:0 -f dilate:3"; do
            [ "$backend$direct" != direct ] || [ "$chain" = kernel:0.3 ] || continue
            echo "$backend $chain"
            # shellcheck disable=SC2086 # options and their values
            imf -q -f $chain -f guided:5:0.1 --edge=constant:1 --backend=$backend --verify "$TESTDATA/noise.png"
        done
    done
}
