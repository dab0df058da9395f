# Filters for scans in uneven light: threshold:local, threshold:sauvola and flatten
load helper

# Text-like strokes on paper whose light falls off, with noise: 83 x 61.
DRAW='
import os, subprocess
import numpy as np
random = np.random.default_rng(5)
y, x = np.mgrid[:61, :83]
def drawn(full, dtype, channels=()):
    page = 0.25 + 0.6 * x / 83 - 0.4 * ((x // 3 % 4 == 0) & (y // 5 % 2 == 0)) * (x / 83)
    page = page.reshape(page.shape + (1,) * len(channels)) + random.normal(0, 0.03, page.shape + channels)
    page = np.clip(page * full, 0, full).astype(dtype)
    page[:9, :20], page[50:, 60:] = 0, full
    return page
def run(a, *options):
    kind, full = (b"P6", b"P5")[a.ndim == 2], 255 if a.dtype == np.uint8 else 65535
    head = b"%s 83 61 %d\n" % (kind, full)
    open("a.pnm", "wb").write(head + (a if full == 255 else a.astype(">u2")).tobytes())
    subprocess.run([os.environ["IMFILTER"], "-q", *options, "a.pnm", "--format=" + ("ppm", "pgm")[a.ndim == 2], "-o", "b.pnm"], check=True)
    return np.frombuffer(open("b.pnm", "rb").read()[-a.nbytes:], a.dtype if full == 255 else ">u2").reshape(a.shape)
'

@test "sauvola is scikit-image's, to the last sample" {
    need_python numpy skimage.filters
    python3 - <<END
$DRAW
from skimage.filters import threshold_sauvola
for full, dtype in ((255, np.uint8), (65535, np.uint16)):
    a = drawn(full, dtype)
    for r, k in ((1, 0.34), (7, 0.34), (7, 0.2), (20, 0.5), (3, 0), (3, 1)):
        want = np.where(a > threshold_sauvola(a, 2 * r + 1, k), full, 0)
        for backend in ("auto", "cpu"):
            got = run(a, "-f", "threshold:sauvola:%d:k=%g" % (r, k), "--edge=mirror", "--backend=" + backend, "--depth=%d" % (full.bit_length()))
            assert (got == want).all(), (full, r, k, backend, (got != want).sum())
END
}

@test "local is exact where the decimal offset meets the mean" {
    need_python numpy
    python3 - <<END
$DRAW
from fractions import Fraction
from math import ceil
for full, dtype in ((255, np.uint8), (65535, np.uint16)):
    a = drawn(full, dtype)
    a[20:40] = a[20:40] // (full // 5) * (full // 5)
    for r, offset in ((2, "0.04"), (2, "-0.04"), (7, "0"), (2, "0.2"), (7, "0.07"), (1, "1"), (1, "-1")):
        side = 2 * r + 1
        wide = np.pad(a.astype(np.int64), r, "edge")
        sums = sum(wide[i:i + 61, j:j + 83] for i in range(side) for j in range(side))
        # n x > S - n OFFSET full, of integers
        want = np.where(side ** 2 * a.astype(np.int64) - sums + ceil(Fraction(offset) * full * side ** 2) > 0, full, 0)
        for backend in ("auto", "cpu"):
            got = run(a, "-f", "threshold:local:%d:%s" % (r, offset), "--backend=" + backend, "--depth=%d" % (full.bit_length()))
            assert (got == want).all(), (full, r, offset, backend, (got != want).sum())
END
    # 3x3 samples of 10 around 1 more: 9 * 11 - 91 + ceil(9 * OFFSET * 255) is 0 at -8/2295
    echo "P2 3 3 255 10 10 10 10 11 10 10 10 10" >a.pgm
    imf -f threshold:local:1:0 --depth=8 a.pgm -o b.pgm
    [ "$(samples b.pgm | cut -d ' ' -f 1,5)" = "0 255" ]
    echo "P2 3 3 255 102 102 102 102 102 102 102 102 102" >a.pgm
    imf -f threshold:local:1:0 --depth=8 a.pgm -o b.pgm # not above it
    [ "$(samples b.pgm | cut -d ' ' -f 5)" = 0 ]
    imf -f threshold:local:1:0.000001 --depth=8 a.pgm -o b.pgm
    [ "$(samples b.pgm | cut -d ' ' -f 5)" = 255 ]
}

@test "flatten divides by the mean of scipy's closing, each colour by its own" {
    need_python numpy scipy.ndimage
    python3 - <<END
$DRAW
from scipy.ndimage import grey_closing, maximum_filter, minimum_filter, uniform_filter
for full, dtype in ((255, np.uint8), (65535, np.uint16)):
    a = drawn(full, dtype, (3,))
    a[:, :, 2] //= 3
    for r in (1, 4, 9):
        size = (2 * r + 1, 2 * r + 1, 1)
        closed = minimum_filter(maximum_filter(a, size, mode="nearest"), size, mode="nearest")
        paper = np.maximum(uniform_filter(closed.astype(float), size, mode="nearest"), full / 16)
        want = np.minimum(full * a.astype(float) / paper, full)
        for backend in ("auto", "cpu"):
            apart = np.abs(run(a, "-f", "flatten:%d" % r, "--backend=" + backend) - want).max()
            assert apart <= (0.5 + 1 / 32 if full == 255 else 2), (full, r, backend, apart)
END
}

@test "flatten makes paper white whatever its colour, and lifts no more than sixteen times" {
    # Paper of three colours that gets darker, and ink of half of it.
    awk 'BEGIN { print "P3 60 40 255"; for (y = 0; y < 40; y++) for (x = 0; x < 60; x++) {
        v = (200 - 2 * x) * (x % 10 == 5 && y % 4 ? 0.5 : 1); printf "%d %d %d\n", v, v * 0.8, v * 0.6 } }' >a.ppm
    imf -f flatten:6 a.ppm -o b.ppm
    samples b.ppm | tr ' ' '\n' | awk 'NF { x = int((NR - 1) / 3) % 60; y = int((NR - 1) / 180)
        ink = x % 10 == 5 && y % 4; if (ink ? $1 < 115 || $1 > 140 : x < 54 && $1 < 245) wrong++ } END { exit wrong > 0 }'
    echo "P2 3 1 255 0 4 15" >dark.pgm # the mean of a closing of 15 is 15, less than 255 / 16
    imf -f flatten:3 dark.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 64 240" ]
}

@test "an OCR reads pages in uneven light that it could not read, and no worse than behind -lat" {
    command -v tesseract >/dev/null || skip "tesseract reads them"
    command -v convert >/dev/null || skip "ImageMagick's -lat is what it is compared with"
    need_python numpy PIL
    python3 "$BATS_TEST_DIRNAME/bench/scans.py" 1200 >table
    cat table
    wrong() { # COLUMN
        awk -F ' *[|] *' -v name="$1" 'NR == 1 { for (i = 3; i <= NF; i++) if ($i == name) c = i } $2 == "all" { print $c }' table
    }
    [ "$(wrong 'as it is')" -gt 100 ]
    [ "$(wrong sauvola)" -le 5 ]
    [ "$(wrong sauvola)" -le "$(wrong -lat)" ]
    [ "$(wrong 'flatten, otsu')" -le 50 ]
}

@test "they are bitmaps of gray, and alpha is kept" {
    make_pgm a.pgm
    for filter in threshold:local:2:0.05 threshold:sauvola:2; do
        imf -f $filter a.pgm -o b.pbm
        [ "$(head -c 2 b.pbm)" = P4 ]
        imf -f gray -f blur:1 -f $filter -f invert a.pgm -o b.png
        [ "$(od -An -j 24 -N 1 -tu1 b.png | tr -d ' ')" = 1 ]
        imf_run -f $filter -f blur:1 a.pgm -o b.pbm
        [ "$status" -ne 0 ]
    done
    printf 'P7\nWIDTH 3\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\144\0\372\377\144\200' >a.pam
    for filter in threshold:local:1:0 threshold:sauvola:1 flatten:1; do
        for alpha in auto premultiply filter keep; do
            imf -q -f $filter --alpha=$alpha a.pam -o b.pam
            [ "$(tail -c 6 b.pam | od -An -tu1 | awk '{print $2, $3, $4, $6}')" = '0 255 255 128' ]
        done
    done
}

@test "what is no sample is rounded to one first, also beyond the edge" {
    need_python numpy
    python3 - <<END
$DRAW
a = drawn(255, np.uint8, (3,))
def steps(first, then):
    run(run(a, *first), *then)
    return open("b.pnm", "rb").read()
for filter in ("threshold:local:3:0.02", "threshold:sauvola:3"):
    for backend in ("vector", "cpu"):
        then = ["-f", filter, "--edge=constant:0.3", "--backend=" + backend]
        for before in ("box:3", "unsharp", "sharpen:9"):
            at_once = run(a, "-f", before, *then)
            want = run(run(a, "-f", before, "--edge=constant:0.3"), *then)
            assert (at_once == want).mean() > 0.9995, (filter, before, backend)
END
    imf -q -f blur:1 -f threshold:sauvola:4 --linear --edge=constant:0.3 --verify "$TESTDATA/noise-rgb.png"
    imf -q -f threshold:local:4:0.01 -f box:3 --edge=wrap --verify "$TESTDATA/alpha.png"
}

@test "the same bytes in bands, at once and for any memory" {
    need_opencl
    python3 -c '
import sys
sys.stdout.buffer.write(b"P6 500 700 255\n" + bytes((x * x * 7 + y * 13 * c + x * y // 50) % 256 for y in range(700) for x in range(500) for c in range(3)))' >a.ppm
    for filter in threshold:local:9:0.02 threshold:sauvola:9 flatten:9; do
        imf -q -f $filter --verify a.ppm -o whole.ppm
        imf -q -f $filter a.ppm -o streamed.ppm --max-memory=0
        cmp whole.ppm streamed.ppm
    done
    imf_run --explain -f flatten:9 -f threshold:sauvola:20 a.ppm
    [[ $output == *"rows stream"* ]]
    [[ $output == *"* 2     vector  "*"local threshold, radius 20, running sums"* ]]
    imf_run --backend=separable -f threshold:sauvola:2 a.ppm -o b.ppm
    [ "$status" -ne 0 ]
    one_line 'a local threshold is not linear'
}

@test "devices give the same bytes" {
    need_opencl
    imf --list-devices | grep -q . || skip "there is no device"
    imf -q -f threshold:sauvola:6 --backend=direct --edge=mirror "$TESTDATA/gradient16.png" -o b.png
    imf -q -f threshold:sauvola:6 --backend=cpu --edge=mirror "$TESTDATA/gradient16.png" -o c.png
    cmp b.png c.png
    imf -q -f flatten:3 --backend=direct --verify "$TESTDATA/noise-rgb.png"
}

@test "words, radii and offsets that they do not know are refused" {
    make_ppm a.ppm
    for spec in threshold:local:0:0.1 threshold:local:512:0 threshold:local:2.5:0 threshold:local:2:2 threshold:sauvola:3:k=-1 \
        threshold:sauvola:3:r=2:k=0.1 threshold:local:3:0.1:shape=disk flatten:0 flatten:3:4; do
        imf_run -f $spec a.ppm -o b.ppm
        [ "$status" -eq 2 ]
        one_line 'at column'
    done
    for spec in threshold:local threshold:local:3 threshold:sauvola flatten; do
        imf_run -f $spec a.ppm -o b.ppm
        [ "$status" -eq 2 ]
        one_line 'is missing'
    done
    imf_run -f threshold:savuola:3 a.ppm -o b.ppm
    one_line 'otsu, local or sauvola'
    [ ! -e b.ppm ]
    imf --help threshold >help
    grep -q '^threshold:local:R:OFFSET$' help
    grep -q 'k from 0 to 1.*(0.34 if not given)' help
}

# Rows of 12 samples: # is black.
ink() { # FILE
    tail -c 72 "$1" | od -An -v -tu1 -w12 | sed 's/255/./g; s/[0-9][0-9]*/#/g' | tr -d ' ' | xargs
}

@test "despeckle removes what has fewer pixels, and keeps each pixel of the rest" {
    # A speck of 3, a diagonal of 4, a ring around a hole of 1, and a line one pixel wide.
    printf 'P1\n12 6\n1 1 0 0 0 0 0 0 1 1 1 0\n1 0 0 0 0 0 0 0 1 0 1 0\n0 0 0 0 1 0 0 0 1 1 1 0\n0 0 0 1 0 0 0 0 0 0 0 0\n0 0 1 0 0 0 0 0 0 0 0 0\n0 1 0 0 0 0 1 1 1 1 1 1\n' >a.pbm
    imf -f despeckle:4 a.pbm -o b.pbm
    [ "$(head -c 2 b.pbm)" = P4 ]
    imf --depth=8 -f kernel:1 b.pbm -o b.pgm
    [ "$(ink b.pgm)" = "........###. ........#.#. ....#...###. ...#........ ..#......... .#....######" ]
    imf -f despeckle:5 -f despeckle:2:light a.pbm -o b.pbm
    imf --depth=8 -f kernel:1 b.pbm -o b.pgm
    [ "$(ink b.pgm)" = "........###. ........###. ........###. ............ ............ ......######" ]
    # Gray goes to the next level around; beyond the edge there is nothing; NaN is no speck's surroundings.
    printf 'P2\n4 3\n255\n9 9 9 9\n9 3 5 9\n9 9 9 7\n' >g.pgm
    for edge in clamp wrap constant:0; do
        imf -f despeckle:3 --edge=$edge g.pgm -o h.pgm
        [ "$(tail -c 12 h.pgm | od -An -v -tu1 | xargs)" = "9 9 9 9 9 7 7 9 9 9 9 7" ]
    done
    imf -f despeckle:13:light g.pgm -o h.pgm # of fewer pixels all is the darkest
    [ "$(tail -c 12 h.pgm | od -An -v -tu1 | xargs)" = "3 3 3 3 3 3 3 3 3 3 3 3" ]
    printf 'P7\nWIDTH 3\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\310\1\62\2\310\377' >a.pam
    imf -f despeckle:2 a.pam -o b.pam
    [ "$(tail -c 6 b.pam | od -An -tu1 | xargs)" = "200 1 200 2 200 255" ]
    imf_run --backend=fft -f despeckle:2 a.pam -o b.pam
    [ "$status" -eq 2 ]
    one_line "components are followed on the host"
}
