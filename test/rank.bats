# Ranks in windows and morphology: what the manual says of them, and other programs' results.
load helper

# noise.ppm, noise16.pgm and, for those who read it, numpy's array of each as noise.npy
make_noise() { # MODULE: what it is compared with
    need_python numpy "$1"
    python3 -c '
import numpy as np
r = np.random.default_rng(1)
a, b = r.integers(0, 256, (53, 67, 3), np.uint8), r.integers(0, 65536, (41, 38), np.uint16)
open("noise.ppm", "wb").write(b"P6 67 53 255\n" + a.tobytes())
open("noise16.pgm", "wb").write(b"P5 38 41 65535\n" + b.astype(">u2").tobytes())'
}

# Filter noise.ppm and noise16.pgm as each line says and compare with an expression of `a`, a channel.
compare_noise() { # PYTHON-PRELUDE; lines "OPTIONS = EXPRESSION" on standard input
    python3 -c '
import os, subprocess, sys
import numpy as np
exec(sys.argv[1])
def read(name):
    data = open(name, "rb").read()
    head = data.split(None, 4)[:4]
    w, h, top = (int(n) for n in head[1:])
    kind = np.uint8 if top < 256 else np.dtype(">u2")
    depth = 3 if head[0] == b"P6" else 1
    at = len(data) - w * h * depth * np.dtype(kind).itemsize
    return np.frombuffer(data, kind, offset=at).reshape(h, w, depth).astype(int)
bad = 0
for line in sys.stdin:
    options, _, expression = line.strip().partition(" = ")
    for name in ("noise.ppm", "noise16.pgm"):
        out = "out" + name[-4:]
        subprocess.run([os.environ["IMFILTER"], "-q", *options.split(), name, "-o", out], check=True)
        image, got = read(name), read(out)
        kind = np.uint8 if name[-1] == "m" and "16" not in name else np.uint16
        want = np.stack([eval(expression, globals(), {"a": np.ascontiguousarray(image[:, :, c].astype(kind))})
                         for c in range(image.shape[2])], axis=2).astype(int)
        if (got != want).any():
            print(name, line.strip(), "%d samples differ" % (got != want).sum())
            bad += 1
sys.exit(bad > 0)' "$1"
}

@test "medians, percentiles, least and greatest are scipy's, at every edge" {
    make_noise scipy.ndimage
    compare_noise '
import scipy.ndimage as nd
def disk(r):
    y, x = np.mgrid[-r:r + 1, -r:r + 1]
    return x * x + y * y <= r * r
def cross(r):
    y, x = np.mgrid[-r:r + 1, -r:r + 1]
    return (x == 0) | (y == 0)' <<'END'
-f median:1 = nd.median_filter(a, 3, mode="nearest")
-f median:2 --edge=reflect = nd.median_filter(a, 5, mode="reflect")
-f median:3 --edge=mirror = nd.median_filter(a, 7, mode="mirror")
-f median:7x3 --edge=wrap = nd.median_filter(a, (3, 7), mode="wrap")
-f median:4:shape=disk --edge=constant:0 = nd.median_filter(a, footprint=disk(4), mode="constant")
-f median:12 --edge=clamp = nd.median_filter(a, 25, mode="nearest")
-f median:5:shape=cross = nd.median_filter(a, footprint=cross(5), mode="nearest")
-f erode:1 = nd.minimum_filter(a, 3, mode="nearest")
-f erode:15 --edge=mirror = nd.minimum_filter(a, 31, mode="mirror")
-f erode:6:shape=disk --edge=wrap = nd.minimum_filter(a, footprint=disk(6), mode="wrap")
-f dilate:40x1 --edge=reflect = nd.maximum_filter(a, (1, 40), mode="reflect")
-f dilate:5:shape=cross = nd.maximum_filter(a, footprint=cross(5), mode="nearest")
-f dilate:9:shape=disk --edge=constant:0 = nd.maximum_filter(a, footprint=disk(9), mode="constant")
-f percentile:0:3 = nd.minimum_filter(a, 7, mode="nearest")
-f percentile:25:2 = nd.rank_filter(a, 6, 5, mode="nearest")
-f percentile:90:3:shape=disk = nd.rank_filter(a, 25, footprint=disk(3), mode="nearest")
-f open:2 --edge=reflect = nd.grey_opening(a, 5, mode="reflect")
-f close:3:shape=disk --edge=mirror = nd.grey_closing(a, footprint=disk(3), mode="mirror")
-f gradient:2 --edge=wrap = nd.morphological_gradient(a.astype(int), 5, mode="wrap")
-f tophat:3 --edge=reflect = nd.white_tophat(a.astype(int), 7, mode="reflect")
-f blackhat:7x3 --edge=mirror = nd.black_tophat(a.astype(int), (3, 7), mode="mirror")
END
}

@test "least, greatest and medians are OpenCV's" {
    make_noise cv2
    compare_noise 'import cv2
one = np.ones' <<'END'
-f erode:1 = cv2.erode(a, one((3, 3)))
-f dilate:10 = cv2.dilate(a, one((21, 21)))
-f erode:6x5 = cv2.erode(a, one((5, 6)))
-f dilate:4:shape=cross = cv2.dilate(a, cv2.getStructuringElement(cv2.MORPH_CROSS, (9, 9)))
-f median:1 = cv2.medianBlur(a, 3)
-f median:2 = cv2.medianBlur(a, 5)
-f gradient:3 = cv2.morphologyEx(a, cv2.MORPH_GRADIENT, one((7, 7)))
END
}

@test "a mask's coefficients that are not 0 are the samples that count, flipped or not" {
    make_ppm a.ppm
    printf '0 -3\n' >next.flt
    printf 'flip\n0 -3\n' >before.flt
    imf -q -f median:@next.flt --edge=wrap a.ppm -o next.ppm
    imf -q -f kernel:0,1 --edge=wrap a.ppm -o same.ppm
    cmp next.ppm same.ppm
    imf -q -f dilate:@before.flt --edge=wrap a.ppm -o before.ppm
    imf -q -f kernel:0,1:flip --edge=wrap a.ppm -o same.ppm
    cmp before.ppm same.ppm
}

@test "an opening in a mask takes it turned at the second pass, and does nothing when done again" {
    make_pgm a.pgm
    printf '1 0 0\n1 0 1\n' >mask.flt
    imf -q -f open:@mask.flt a.pgm -o once.pgm --edge=wrap
    imf -q -f open:@mask.flt once.pgm -o twice.pgm --edge=wrap
    cmp once.pgm twice.pgm
    run ! cmp -s a.pgm once.pgm
    imf -q -f erode:@mask.flt -f dilate:@mask.flt a.pgm -o other.pgm --edge=wrap
    ! cmp -s once.pgm other.pgm
}

@test "masks that are empty, too large or two kernels, and shapes without a radius, are refused" {
    make_ppm a.ppm
    printf '0 0\n' >zero.flt
    printf 'combine magnitude\nkernel\n1 0\nkernel\n0 1\n' >two.flt
    { printf '1%.0s ' $(seq 256) && echo; } >wide.flt
    for case in 'zero.flt:is empty' 'two.flt:is one' 'wide.flt:at most 255x255' 'none.flt:cannot open'; do
        imf_run -f "erode:@${case%%:*}" a.ppm -o b.ppm
        [ "$status" -eq 2 ]
        one_line "${case#*:}"
    done
    imf_run -f median:3x3:shape=disk a.ppm -o b.ppm
    [ "$status" -eq 2 ]
    one_line 'needs a radius'
    [ ! -e b.ppm ]
}

@test "--show-kernel draws the element, as text and as a picture" {
    imf -f erode:1:shape=cross --show-kernel >text
    grep -q 'size 3x3, origin at column 2, row 2, 5 samples' text
    [ "$(grep -c '^  [01] [01] [01]$' text)" -eq 3 ]
    imf -f erode:9:shape=disk --show-kernel=disk.png
    imf -f invert --show-kernel=none.png
    [ "$(wc -c <disk.png)" -gt "$(wc -c <none.png)" ]
}

@test "alpha is kept, and colours are premultiplied only on request" {
    printf 'P7\nWIDTH 3\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\12\12\12\0\310\310\310\377\144\144\144\377' >a.pam
    imf -q -f dilate:1 a.pam -o kept.pam
    [ "$(tail -c 12 kept.pam | od -An -tu1 | tr -s ' \n' ' ')" = ' 200 200 200 0 200 200 200 255 200 200 200 255 ' ]
    imf -q -f erode:1 --alpha=premultiply a.pam -o all.pam
    [ "$(tail -c 12 all.pam | od -An -tu1 | tr -s ' \n' ' ')" = ' 0 0 0 0 0 0 0 0 100 100 100 255 ' ]
}
