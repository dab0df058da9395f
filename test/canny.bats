# canny: edges, by integers that are the same everywhere
load helper

# Picture WIDTH HEIGHT SAMPLE... to file a.pgm.
picture() {
    echo "P2 $1 $2 255 ${*:3}" >a.pgm
}

# Its edges by SPEC, as 0 and 1.
edges() { # SPEC [OPTION...]
    imf -q -f "canny:$1" "${@:2}" --depth=8 --format=pgm a.pgm -o b.pgm
    samples b.pgm | sed 's/255/1/g'
}

# What OpenCV makes of noise, plateaus and round shapes, with thresholds in gradients: fractions of the
# gradient of a step of 255, which is 4 times that for an aperture of 3 and 48 times for 5.
@test "OpenCV's Canny gives the same bytes where nothing is smoothed" {
    need_python numpy cv2
    python3 -c '
import cv2, numpy as np, subprocess, sys
random = np.random.default_rng(7)
def content(kind, h, w, c):
    y, x = np.mgrid[:h, :w]
    if kind == "noise":
        return random.integers(0, 256, (h, w, c))
    if kind == "steps":
        return (np.stack([x // 5 + y // 7 + i for i in range(c)], 2) % 3) * 100
    round = np.stack([np.sin(x / 9 + i) * np.cos(y / 7) for i in range(c)], 2)
    return np.clip(128 + 90 * round + random.normal(0, 4, (h, w, c)), 0, 255)
for kind, h, w, c in (("noise", 150, 211, 1), ("steps", 90, 140, 1), ("blobs", 300, 400, 1), ("noise", 1, 90, 1),
                      ("noise", 90, 1, 1), ("blobs", 130, 170, 3), ("steps", 60, 80, 3)):
    a = content(kind, h, w, c).astype(np.uint8)
    with open("a.pnm", "wb") as f:
        f.write(b"P%d %d %d 255\n" % (5 if c == 1 else 6, w, h) + a.tobytes())
    for aperture, gain in ((3, 4), (5, 48)):
        for norm in (1, 2):
            for low, high in ((0.05, 0.15), (0.2, 0.5), (0.25, 0.25), (0, 0.1)):
                spec = "canny:%g:%g:sigma=0:aperture=%d:norm=l%d" % (low, high, aperture, norm)
                subprocess.run([sys.argv[1], "-q", "-f", spec, "--depth=8", "a.pnm", "-o", "b.ppm"], check=True)
                b = cv2.imread("b.ppm")
                want = cv2.Canny(a, *(round(v * gain * 255, 6) for v in (low, high)), apertureSize=aperture, L2gradient=norm == 2)
                if not (b == want[:, :, None]).all():
                    sys.exit("%s, %s %dx%dx%d: %d differ" % (spec, kind, w, h, c, (b != want[:, :, None]).sum()))
' "$IMFILTER"
}

# OpenVX 1.2, "Canny Edge Detector", gradient computation: dx and dy by Sobel's kernels of 3, 5 or 7.
# Edge tracing: an edge is what is retained and "above the high threshold". A step has the gradient 1.
@test "a step of full scale has the gradient 1 in every aperture and norm" {
    picture 8 2 0 0 0 0 255 255 255 255 0 0 0 0 255 255 255 255
    for aperture in 3 5 7; do
        for norm in l1 l2; do
            [ "$(edges 0.9:0.9999:sigma=0:aperture=$aperture:norm=$norm)" = "0 0 0 1 0 0 0 0 0 0 0 1 0 0 0 0" ]
            [ "$(edges 0.9:1:sigma=0:aperture=$aperture:norm=$norm)" = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0" ]
        done
    done
}

# Non-maximum suppression: retained if the magnitude is "greater than the pixels in the direction
# perpendicular to its edge orientation". Both sides of a step are equal: there OpenVX retains none,
# imfilter and OpenCV the first.
@test "of equal gradients the left or the upper one remains" {
    for backend in vector cpu; do
        picture 6 1 0 0 0 9 9 9
        [ "$(edges 0.01:0.01:sigma=0 --backend=$backend)" = "0 0 1 0 0 0" ]
        picture 1 6 9 9 9 0 0 0
        [ "$(edges 0.01:0.01:sigma=0 --backend=$backend)" = "0 0 1 0 0 0" ]
    done
}

# Edge tracing: between the thresholds edges are followed from known ones to neighbours, in eight
# directions.
@test "what is above LOW is an edge where it touches one" {
    # A step of 200 that ends as one of 90, and one of 90 alone.
    python3 - <<'END'
rows = [0] * 30 + [200] * 30, [0] * 30 + [90] * 30, [0] * 10 + [90] * 50
data = [rows[0]] * 20 + [rows[1]] * 20 + [[0] * 60] * 9 + [rows[2]] * 20
open("a.pgm", "wb").write(b"P5 60 69 255\n" + bytes(v for row in data for v in row))
END
    edges 0.2:0.6:sigma=0 >two
    edges 0.2:0.2:sigma=0 >low
    edges 0.6:0.6:sigma=0 >high
    python3 - <<'END'
low, high, two = ([int(v) for v in open(name).read().split()] for name in ("low", "high", "two"))
assert len(low) == 60 * 69 and sum(high) < sum(two) < sum(low)
assert all(h <= t <= l for h, t, l in zip(high, two, low))
assert all(two[y * 60 + 29] or two[y * 60 + 30] for y in range(35)) and low[60 * 60 + 9] and not two[60 * 60 + 9]
END
}

@test "edges are the same bytes on every backend, in little memory and on one thread" {
    need_opencl
    imf -q --depth=16 -f blur:1 "$TESTDATA/noise-rgb.png" -o deep.png
    for file in "$TESTDATA/noise-rgb.png" "$TESTDATA/gradient16.png" "$TESTDATA/alpha.png" deep.png; do
        for spec in 0.05:0.2 0.02:0.1:sigma=2:aperture=5:norm=l2 0.1:0.3:sigma=0:aperture=7; do
            imf -q -f "canny:$spec" --edge=reflect --backend=cpu "$file" -o want.pam
            # On a device bytes and words, each with another SPEC.
            case ${file##*/}-$spec in
            noise-rgb.png-*:0.2 | gradient16.png-*norm=l2) device=direct ;;
            *) device=$direct ;;
            esac
            for backend in vector $device; do
                imf -q -f "canny:$spec" --edge=reflect --backend=$backend "$file" -o got.pam
                cmp got.pam want.pam
            done
            imf -q -f "canny:$spec" --edge=reflect -j1 --max-memory=16M "$file" -o got.pam
            cmp got.pam want.pam
        done
    done
}

@test "one strong pixel decides an edge that winds through the whole image" {
    need_opencl
    python3 - <<'END'
width, height, pitch = 150, 130, 10
rows = [[0] * width for _ in range(height)]
for y in range(5, height - 5, pitch):
    turn = width - 8 if y // pitch % 2 == 0 else 5
    for x in range(5, width - 5):
        for k in range(3):
            rows[y + k][x] = 40
    for k in range(pitch if y + pitch < height - 5 else 0):
        rows[y + k][turn : turn + 3] = [40] * 3
weak = [list(row) for row in rows]
rows[5][5] = 255
for name, data in ("a.pgm", rows), ("weak.pgm", weak):
    open(name, "wb").write(b"P5 %d %d 255\n" % (width, height) + bytes(v for row in data for v in row))
END
    for backend in cpu vector direct; do
        imf -f canny:0.05:0.5:sigma=0 --backend=$backend a.pgm -o $backend.pgm
        cmp $backend.pgm cpu.pgm
    done
    imf -f canny:0.05:0.5:sigma=0 weak.pgm -o weak-edges.pgm
    [ "$(samples weak-edges.pgm | tr ' ' '\n' | grep -c 255)" -eq 0 ]
    [ "$(samples cpu.pgm | tr ' ' '\n' | grep -c 255)" -gt 3000 ]
    # its other end
    python3 -c 'd = open("cpu.pgm", "rb").read()[-150 * 20:]; assert d.count(255) > 100'
}

@test "edges are those of the upright picture" {
    for n in 1 2 3 4 5 6 7 8; do
        for spec in canny:0.01:0.05 canny:0:0.01:sigma=0; do
            imf -q -f $spec --orient=apply "$TESTDATA/foreign/orient-$n.png" -o got.ppm
            imf -q -f kernel:1 --orient=apply "$TESTDATA/foreign/orient-$n.png" -o upright.ppm
            imf -q -f $spec upright.ppm -o want.ppm
            cmp got.ppm want.ppm
            samples want.ppm | grep -q 255
        done
    done
}

@test "edges of gray take 1 bit, join what follows, and leave alpha as it is" {
    imf -q -f canny:0.05:0.1 "$TESTDATA/noise.png" -o a.png
    [ "$(od -An -j24 -N1 -tu1 a.png | tr -d ' ')" = 1 ]
    imf -q -f canny:0.05:0.1 -f invert "$TESTDATA/noise.png" -o b.pgm
    imf -q -f canny:0.05:0.1 "$TESTDATA/noise.png" -o c.pgm
    imf -q -f invert c.pgm -o d.pgm
    cmp b.pgm d.pgm
    imf -q -f canny:0.05:0.1 --alpha=premultiply "$TESTDATA/alpha.png" -o a.pam
    imf -q -f kernel:1 --alpha=keep "$TESTDATA/alpha.png" -o b.pam
    python3 -c '
def samples(name):
    head, data = open(name, "rb").read().split(b"ENDHDR\n")
    return data, int(head.split(b"DEPTH ")[1].split()[0])
(a, depth), (b, _) = samples("a.pam"), samples("b.pam")
assert a[depth - 1::depth] == b[depth - 1::depth] and len(set(b[depth - 1::depth])) > 1
assert {v for i, v in enumerate(a) if i % depth != depth - 1} == {0, 255}'
}

@test "--explain and --show-kernel name edges, and wrong thresholds are told" {
    imf_run --explain -f canny:0.1:0.2 "$TESTDATA/noise.png"
    [ "$status" -eq 0 ]
    [[ $output == *"vector edges of 3x3 gradients, 16 bits"* ]]
    imf_run --show-kernel -f canny:0.1:0.2:aperture=5
    [ "$status" -eq 0 ]
    [[ $output == *"5x5 gradients above 0.2"* ]]
    run --separate-stderr "$IMFILTER" -f canny:0.3:0.2 "$TESTDATA/noise.png" -o x.png
    [ "$status" -eq 2 ]
    one_line "LOW must not be above HIGH"
    run --separate-stderr "$IMFILTER" -f canny:0.3 "$TESTDATA/noise.png" -o x.png
    [ "$status" -eq 2 ]
    one_line "HIGH from 0 to 2"
    run --separate-stderr "$IMFILTER" -f canny:0.1:2.5 "$TESTDATA/noise.png" -o x.png
    [ "$status" -eq 2 ]
    one_line "HIGH from 0 to 2"
    for wrong in aperture=4 norm=l3 sigma=17; do
        run --separate-stderr "$IMFILTER" -f "canny:0.1:0.2:$wrong" "$TESTDATA/noise.png" -o x.png
        [ "$status" -eq 2 ]
        one_line "${wrong%%=*}"
    done
    [ ! -e x.png ]
}

@test "values between the samples reach edges wherever they are computed" {
    # A step of 0.433 of 255 in gray, and dark samples that are linear light.
    {
        echo "P3 16 9 255"
        for ((i = 0; i < 144; i++)); do echo "100 100 $((i % 16 < 8 ? 100 : 106))"; done
    } >a.ppm
    for backend in cpu vector auto; do
        imf -f gray -f canny:0.0005:0.001:sigma=0 --backend=$backend --depth=8 --format=pgm a.ppm -o b.pgm
        [ "$(samples b.pgm | grep -o 255 | wc -l)" -eq 9 ]
    done
    {
        echo "P3 40 30 255"
        for ((i = 0; i < 1200; i++)); do echo "$((i % 40 / 2)) $((i / 40)) $((i * 7 % 23))"; done
    } >a.ppm
    imf --verify --linear -f canny:0.0005:0.002 a.ppm -o b.ppm
    imf --verify -f unsharp:1:1:0.01 -f canny:0.02:0.05 a.ppm -o b.ppm
}
