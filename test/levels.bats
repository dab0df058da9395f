# Levels, gamma and curves
load helper

@test "samples between BLACK and WHITE take all of the scale, others its ends" {
    printf 'P2\n9 1\n255\n0 25 26 64 128 200 229 230 255\n' >a.pgm
    imf -f levels:10%:0.9 a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 0 1 48 128 218 254 255 255" ]
    imf -f levels:10%:0.9:gamma=2 a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 0 13 111 181 236 255 255 255" ]
    imf -f levels:0.25:1.25 a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 0 0 0 64 136 165 166 191" ]
    imf -f gamma:2 a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 80 81 128 181 226 242 242 255" ]
    imf -f gamma:0.5 a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 2 3 16 64 157 206 207 255" ]
}

@test "a WHITE below BLACK inverts" {
    imf -f levels:1:0 "$TESTDATA/noise-rgb.png" -o a.ppm
    imf -f invert "$TESTDATA/noise-rgb.png" -o b.ppm
    cmp a.ppm b.ppm
    printf 'P2\n3 1\n255\n64 128 192\n' >a.pgm
    imf -f levels:75%:25% a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "254 126 0" ] # of ties the even one
}

@test "a curve goes through its points, and is flat beyond them" {
    printf 'P2\n9 1\n255\n0 25 51 64 102 153 204 230 255\n' >a.pgm
    imf -f curve:0.2,0.4/0.4,0.2/0.6,0.8/0.8,0.8 a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "102 102 102 87 51 204 204 204 204" ]
    printf '# points\r\n0.2 0.4\n0.4,0.2\n\n0.6, 0.8\n.8 .8' >points.txt
    imf -f curve:@points.txt a.pgm -o c.pgm
    cmp b.pgm c.pgm
    imf -f curve:20%,40%/0.4,20%/60%,0.8/0.8,80% a.pgm -o c.pgm
    cmp b.pgm c.pgm
    imf -f curve:0,0/0.3,0.3/1,1 "$TESTDATA/noise-rgb.png" -o a.ppm
    imf -f kernel:1 "$TESTDATA/noise-rgb.png" -o b.ppm
    cmp a.ppm b.ppm
    printf '1 2 1\n' >kernel.txt
    imf_run -f curve:@kernel.txt a.pgm -o d.pgm
    [ "$status" -eq 2 ]
    one_line 'is no list of points X,Y'
}

# In float64, on the host and on a device, in files small and large enough for tables, of odd sizes.
@test "numpy gives the same samples of 8 and 16 bits on each backend, and alpha stays" {
    need_python numpy
    python3 - "$IMFILTER" <<'END'
import subprocess, sys
import numpy as np
random = np.random.default_rng(48)
def levels(x, black, white, gamma):
    x = (x - black) / (white - black)
    return np.copysign(np.abs(x) ** (1 / gamma), x)
def curve(x, points, slopes):
    (x0, y0), (x1, y1), (x2, y2) = points
    t, u = np.clip((x - x0) / (x1 - x0), 0, 1), np.clip((x - x1) / (x2 - x1), 0, 1)
    hermite = lambda t, w, a, b, m, n: ((2 * t - 3) * t * t * (a - b) + a + w * t * ((t - 1) ** 2 * m + t * (t - 1) * n))
    return np.where(x < x1, hermite(t, x1 - x0, y0, y1, *slopes[:2]), hermite(u, x2 - x1, y1, y2, *slopes[1:]))
bent = (0.1, 0.9), (0.5, 0.7), (0.9, 0.1)
cases = (("curve:0.1,0.9/0.5,0.7/0.9,0.1", bent, (-0.5, -1, -1.5)), ("levels:10%:90%:gamma=1.5", 0.1, 0.9, 1.5), ("levels:0.13:0.71", 0.13, 0.71, 1), ("levels:0.8:-0.1:gamma=0.7", 0.8, -0.1, 0.7),
         ("gamma:2.2", 0, 1, 2.2), ("gamma:0.45", 0, 1, 0.45), ("gamma:100", 0, 1, 100), ("gamma:0.01", 0, 1, 0.01))
for full, dtype in ((255, "u1"), (65535, ">u2")):
    for width, height, channels in ((1, 1, 1), (37, 23, 3), (31, 17, 2), (29, 31, 4), (1023, 513, 1)):
        a = random.integers(0, full + 1, (height, width, channels)).astype(dtype)
        a.flat[:2] = 0, full
        kind = ("GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA")[channels - 1]
        head = "P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n" % (width, height, channels, full, kind)
        with open("a.pam", "wb") as f:
            f.write(head.encode() + a.tobytes())
        for spec, *numbers in cases:
            real, seen = np.clip((curve if spec[0] == "c" else levels)(a / full, *numbers), 0, 1) * full, []
            if channels % 2 == 0:
                real[:, :, -1] = a[:, :, -1]
            for backend in "cpu", "direct":
                out = subprocess.run([sys.argv[1], "-q", "-f", spec, "--backend=" + backend, "a.pam", "--format=pam", "-o", "-"],
                                     check=True, capture_output=True).stdout
                got = np.frombuffer(out.split(b"ENDHDR\n", 1)[1], dtype).reshape(a.shape)
                seen.append(got)
                wrong = np.abs(got - real) > 0.5 + 1e-9  # how a tie in decimals rounds, binary fractions decide
                if wrong.any() or (got != seen[0]).any():
                    sys.exit("%s, %s, %dx%d, %d channels of %d: %d samples differ" % (
                        spec, backend, width, height, channels, full, wrong.sum()))
END
}

@test "nothing is clipped between stages, nor of floats" {
    imf -f levels:0.4:0.6 -f levels:-2:3 "$TESTDATA/noise-rgb.png" -o a.ppm
    imf -f kernel:1 "$TESTDATA/noise-rgb.png" -o b.ppm
    cmp a.ppm b.ppm
    imf -f levels:0.4:0.6 -f gamma:2 -f gamma:0.5 -f levels:-2:3 "$TESTDATA/noise-rgb.png" -o a.ppm
    cmp a.ppm b.ppm
    need_python numpy
    python3 - "$IMFILTER" <<'END'
import subprocess, sys
import numpy as np
a = np.array([[-4, -0.25, -0.0, 0.25, 0.5, 1, 4, 900]], "<f4")
for specs, want in (("gamma:2", np.copysign(np.abs(a.astype(float)) ** 0.5, a)), ("levels:0.25:0.75", (a - 0.25) / 0.5),
                    ("levels:-1:3:gamma=0.5", np.copysign(((a.astype(float) + 1) / 4) ** 2, a + 1)), ("gamma:3 gamma:1/3", a),
                    ("curve:-1,-1/1,1/10,10", np.clip(a, -1, 10))):
    for backend in "cpu", "direct":
        with open("a.pfm", "wb") as f:
            f.write(b"Pf\n8 1\n-1\n" + a.tobytes())
        words = [w for spec in specs.replace("1/3", "0.3333333333333333").split() for w in ("-f", spec)]
        subprocess.run([sys.argv[1], "-q", *words, "--backend=" + backend, "a.pfm", "-o", "b.pfm"], check=True)
        got = np.frombuffer(open("b.pfm", "rb").read()[-32:], "<f4").reshape(a.shape)
        if not np.allclose(got, want, 4e-6, 1e-7):
            sys.exit("%s, %s: %s, not %s" % (specs, backend, got, want))
END
}

@test "levels between filters keep to the contract" {
    for picture in noise-rgb alpha gradient16; do
        for chain in "blur:1.5 gamma:2.2" "dog:1:2 gamma:2.2" "highpass:0.1 levels:0.3:0.7:gamma=1.5" "sharpen levels:0.1:0.9" \
            "gamma:2.2 blur:2 gamma:0.4545" "blur:2 curve:0,0.1/0.3,0.6/1,0.9" "levels:0.2:0.8 median:1"; do
            for backend in auto direct; do # near 0 a power asks for more than float32 of signed sums
                [ $backend = auto ] || [[ $chain != dog* && $chain != highpass* ]] || continue
                imf_run --backend=$backend -f "${chain%% *}" -f "$(cut -d' ' -f2 <<<"$chain")" --verify "$TESTDATA/$picture.png" -o out.png
                echo "$picture, $chain, $backend: $output"
                [ "$status" -eq 0 ]
            done
        done
    done
}

@test "what is steep magnifies no rounding of what it reads" {
    need_python numpy
    python3 -c '
import numpy as np
random = np.random.default_rng(7)
open("a.pfm", "wb").write(b"Pf\n64 64\n-1.0\n" + (0.68 + 0.04 * random.random((64, 64))).astype("<f4").tobytes())
open("a.ppm", "wb").write(b"P6\n64 64\n65535\n" + (65535 * (0.69 + 0.02 * random.random((64, 64, 3)))).astype(">u2").tobytes())'
    for f in curve:0.7,0/0.701,1 curve:0,0/0.7,0/0.700001,1/1,1 levels:0.7:0.701; do
        imf -f "$f" --verify a.pfm -o b.pfm
        imf -f gaussian:1 -f "$f" --verify a.pfm -o b.pfm
        imf -f gray -f "$f" --verify a.ppm -o b.pgm
    done
}

@test "levels:auto counts percentages as they are written" {
    { printf 'P5\n10 10\n255\n' && printf '\12%.0s' {1..29} && printf 'd%.0s' {1..31} && printf '\310%.0s' {1..40}; } >a.pgm
    imf -f levels:auto:29%:0 a.pgm -o b.pgm
    [ "$(samples b.pgm | tr ' ' '\n' | sort | uniq -c | xargs)" = "60 0 40 255" ]
    imf -f levels:auto:28%:0 a.pgm -o b.pgm
    [ "$(samples b.pgm | tr ' ' '\n' | sort | uniq -c | xargs)" = "29 0 31 121 40 255" ]
}

@test "levels are a point operation: what is shown, and how they fuse" {
    imf_run -f invert -f levels:0.1:0.9 -f gamma:2 --explain "$TESTDATA/noise-rgb.png"
    [ "$status" -eq 0 ]
    [ "$(grep -c pointwise <<<"$output")" -ge 1 ]
    imf_run -f levels:10%:0.9:gamma=2 --show-kernel
    [[ $output == *"((x - 0.1) / (0.9 - 0.1)) ^ (1 / 2), of full scale"* ]]
    imf_run --help levels
    [[ $output == *"levels:BLACK:WHITE[:gamma=1]"*"BLACK as a fraction of full scale"*"gamma from 0.01 to 100"* ]]
}
