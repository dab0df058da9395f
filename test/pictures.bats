# --show-kernel and --spectrum
load helper

# A cosine along u with 8 columns a period, amplitude 100 around 128, 64x64.
make_cosine() { # FILE
    printf 'P2\n64 64\n255\n' >"$1"
    for _ in $(seq 512); do echo 228 199 128 57 28 57 128 199; done >>"$1"
}

# An uneven scene with noise, and in it a cosine for each triple in WAVES: u, v, amplitude.
make_waves() { # FILE WIDTH HEIGHT "WAVES"
    awk -v W="$2" -v H="$3" -v waves="$4" 'BEGIN {
        pi = atan2(0, -1)
        srand(3)
        n = split(waves, w, " ")
        printf "P2\n%d %d\n255\n", W, H
        for (y = 0; y < H; y++)
            for (x = 0; x < W; x++) {
                s = 90.5 + 40 * x / W + 20 * (y > H / 3 && x > W / 4) + 6 * (rand() - 0.5)
                for (i = 1; i <= n; i += 3)
                    s += w[i + 2] * cos(2 * pi * (w[i] * x + w[i + 1] * y) + i)
                print (s < 0 ? 0 : s > 255 ? 255 : int(s))
            }
    }' >"$1"
}

# Of a cosine in 8-bit samples, by the definition of the transform.
amplitude() { # P5-FILE WIDTH U V
    tail -n +4 "$1" | od -An -v -tu1 | awk -v W="$2" -v u="$3" -v v="$4" '
        BEGIN { pi = atan2(0, -1) }
        { for (i = 1; i <= NF; i++) {
              a = 2 * pi * (u * (k % W) + v * int(k / W))
              re += $i * cos(a)
              im += $i * sin(a)
              k++
          } }
        END { print 2 * sqrt(re * re + im * im) / k }'
}

picture_size() { # FILE: "WIDTH HEIGHT" of a picture, by way of PNM
    imf -q -f kernel:1 --format=pnm "$1" -o - | sed -n 2p
}

@test "--show-kernel prints the coefficients, without an image" {
    imf_run -f sharpen --show-kernel </dev/null
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "${lines[0]}" = sharpen ]
    [[ $output == *"size 3x3, origin at column 2, row 2"* ]]
    [[ $output == *"scale 1, bias 0, sum 1, sum of |taps| 9"* ]]
    [[ $output == *"not separable"* ]]
    [[ $output == *"gain 1 at frequency 0, 5 at (0.5, 0), 5 at (0, 0.5), 9 at (0.5, 0.5)"* ]]
    [[ $output == *$'\n   0 -1  0\n  -1  5 -1\n   0 -1  0'* ]]
    [ "$(ls)" = "" ]
}

@test "both kernels of a gradient, every stage of a chain, point operations" {
    imf_run -f sobel -f gray -f box:3 --show-kernel
    [ "$status" -eq 0 ]
    for text in "stage 1 of 3: sobel" gx: gy: "separable: a column" "stage 2 of 3: gray" \
        "point operation" "stage 3 of 3: box:3" "scale 9"; do
        echo "$text"
        [[ $output == *"$text"* ]]
    done
}

@test "a transfer function has a table of gains" {
    imf_run -f highpass:0.1:type=ideal --show-kernel
    [ "$status" -eq 0 ]
    [[ $output == *"highpass, ideal, cutoff 0.1 cycles a pixel"* ]]
    [[ $output == *"dB"* ]]
    grep -qE '^ +0\.05 +20 +0 +-inf$' <<<"$output"
    grep -qE '^ +0\.25 +4 +1 +0\.00$' <<<"$output"
}

@test "a wide kernel is cut, -v prints it whole" {
    imf_run -f motion:40:30 --show-kernel
    [[ $output == *"... "* && $output == *"-v prints all"* ]]
    imf_run -f motion:40:30 --show-kernel -v
    [[ $output != *"..."* && $output != *"-v prints"* ]]
    imf_run -f blur:3 --show-kernel
    [[ $output == *"row:"* && $output == *"column:"* && $output == *"-v prints it"* ]]
    imf_run -f disk:10 --show-kernel
    [[ $output != *"..."* ]]
}

@test "--show-kernel=FILE draws, and prints too" {
    imf_run -f sharpen --show-kernel=k.png
    [ "$status" -eq 0 ]
    [[ $output == *sharpen* ]]
    [ "$(file_kind k.png)" = png ]
    read -r width height < <(picture_size k.png)
    [ "$width" -gt 1024 ]
    [ "$height" -gt 512 ]
    imf -f sharpen -f blur:1 --show-kernel=two.png >text
    read -r width height < <(picture_size two.png)
    [ "$height" -gt 2400 ]
    imf -f sharpen --show-kernel=k.jpg >text
    [ "$(file_kind k.jpg)" = jpeg ]
    imf -f sharpen --show-kernel=- >k2.png 2>text
    cmp k.png k2.png
    grep -q 'sum of' text
    no_temporaries
}

# Pixels of PPM standard input that are clearly blue, or clearly orange.
count_blue() {
    python3 -c 'import sys
data = sys.stdin.buffer.read().split(b"\n", 3)[3]
print(sum(b > r + 60 for r, b in zip(data[::3], data[2::3])))'
}

@test "the picture of an unsharp mask shows the negative ring beside its bright centre" {
    # The colours' bar and the curve of the sections are blue as well.
    imf -f kernel:1 --show-kernel=none.ppm >text
    none=$(count_blue <none.ppm)
    for spec in unsharp unsharp:sigma=1.5:amount=1:threshold=0.02 highpass:0.1; do
        imf -f "$spec" --show-kernel=k.ppm >text
        ring=$(count_blue <k.ppm)
        echo "$spec: $ring, $none"
        [ "$ring" -gt $((none + 3000)) ]
    done
}

@test "a structuring element is drawn without numbers, sums and a scale of colours" {
    imf -f median:2:shape=cross --show-kernel=k.ppm >text
    imf -f kernel:1 --show-kernel=one.ppm >text
    [ "$(count_blue <one.ppm)" -gt 1000 ]
    [ "$(count_blue <k.ppm)" -eq 0 ]
    # Five squares and four of 25, and the rest; the frame of the origin.
    tail -n +4 k.ppm | od -An -v -tu1 -w3 | awk '
        { n[$1 > $3 + 60 ? "orange" : $1 + $2 + $3 < 150 ? "ink" : "paper"]++ }
        END { print n["orange"], n["ink"]; exit !(n["orange"] > 80000 && n["orange"] < 95000 && n["ink"] < 6000) }'
}

@test "below a stage's title stands what it does, and smoothing is drawn as it is in flat parts" {
    for spec in canny:0.1:0.2 equalize threshold:otsu threshold:sauvola:3 clahe descreen invert; do
        imf -f "$spec" --show-kernel=k.ppm >text
        # Lines of text: runs of rows that have ink.
        read -r width height < <(picture_size k.ppm)
        tail -n +4 k.ppm | od -An -v -tu1 -w$((3 * width)) | awk '
            { ink = 0; for (i = 1; i <= NF && !ink; i++) ink = $i < 50; n += ink && !before; before = ink }
            END { print n; exit n != 2 }'
    done
    for spec in bilateral:3:0.1 guided:2:0.1; do
        imf -f "$spec" --show-kernel=k.ppm >text
        grep -q 'where the image is flat' text
        grep -q 'gain 1 at frequency 0' text
        [ "$(count_blue <k.ppm)" -gt 1000 ] # the section
    done
}

@test "a chain's picture ends with its response, or with why it has none" {
    imf -f blur:1 -f gray -f unsharp -f invert --show-kernel=all.ppm >text
    imf -f blur:1 -f gray -f unsharp --show-kernel=three.ppm >text
    imf -f blur:1 -f gray -f sobel -f unsharp --show-kernel=bent.ppm >text
    imf -f blur:1 -f unsharp --show-kernel=two.ppm >text
    panel=$(picture_size two.ppm)
    panel=${panel#* }
    # Two kernels and the chain's response are three panels; gray is one line, and so is invert.
    three=$(picture_size three.ppm) all=$(picture_size all.ppm) bent=$(picture_size bent.ppm)
    [ $((${three#* } - panel)) -lt 100 ]
    [ $((${three#* } - panel)) -gt 0 ]
    [ $((${all#* } - ${three#* })) -eq $((${three#* } - panel)) ]
    # Four kernels (sobel's are two) and a line instead of a response.
    one=$((panel / 3))
    [ $((${bent#* } - ${three#* })) -gt $((one - 50)) ]
    [ $((${bent#* } - ${three#* })) -lt $((one + 150)) ]
}

@test "--show-kernel beside filtering" {
    make_pgm a.pgm
    imf -f sharpen --show-kernel a.pgm -o b.pgm >text
    grep -q sharpen text
    [ -e b.pgm ]
    imf -f sharpen --show-kernel a.pgm -o - 2>text >c.pgm
    cmp b.pgm c.pgm
    grep -q 'sum of' text
}

@test "--show-kernel --json is one object" {
    [ "$(imf -f sharpen --show-kernel --json | json '(o["filter"], "3x3" in o["kernel"])')" = \
        "('sharpen', True)" ]
}

@test "--spectrum of an image alone" {
    make_cosine a.pgm
    imf_run --spectrum=s.png a.pgm
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ $output == notch:0.125:0:* ]]
    [ "$(file_kind s.png)" = png ]
    read -r width height < <(picture_size s.png)
    [ "$width" -gt 640 ]
    [ "$width" -lt 900 ]
    no_temporaries
}

@test "--spectrum with a filter is a pair, and -o still writes the result" {
    make_cosine a.pgm
    imf -f blur:2 --spectrum=s.png a.pgm
    read -r width height < <(picture_size s.png)
    [ "$width" -gt 1280 ]
    [ "$(ls)" = "$(printf 'a.pgm\ns.png')" ]
    imf -f blur:2 --spectrum=s.png a.pgm -o b.pgm --verify --json >object
    imf -f blur:2 a.pgm -o c.pgm
    cmp b.pgm c.pgm
    [ "$(json '(o["spectrum"], o["verify_ok"], o["output"])' <object)" = "('s.png', True, 'b.pgm')" ]
    imf -f blur:2 --spectrum=t.png - -o d.pgm <a.pgm
    cmp c.pgm d.pgm
    # Every picture names its file and its filter.
    cp a.pgm longer.pgm
    imf -f blur:2 --spectrum=u.png longer.pgm >peaks
    run -1 cmp -s s.png u.png
    imf -f blur:2 -f invert --spectrum=s.png a.pgm >peaks
    imf -f blur:2 -f invert --spectrum=u.png a.pgm >peaks
    cmp s.png u.png
}

@test "--spectrum prints the strongest peaks as notches, which remove them" {
    for size in "300 200" "128 128"; do
        read -r width height <<<"$size"
        make_waves a.pgm "$width" "$height" \
            "0.1234 -0.0871 20 0.271 0.193 8 0.05 0.3333 3 0.5 0.21 5"
        imf -f kernel:1 a.pgm -o before.pgm
        imf_run --spectrum=s.png a.pgm
        echo "$size: $output$stderr"
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [ "${#lines[@]}" -eq 4 ]
        local i=0
        for want in "0.1234 -0.0871" "0.271 0.193" "0.5 0.21" "0.05 0.3333"; do
            read -r u v <<<"$want"
            IFS=: read -r name pu pv radius <<<"${lines[i]}"
            [ "$name" = notch ]
            # (0.5, v) and (0.5, -v) are not the same, but (-0.5, v) and (0.5, v) are.
            awk -v a="$pu" -v b="$pv" -v r="$radius" -v u="$u" -v v="$v" 'function off(d) {
                d = d < 0 ? -d : d
                return d > 0.5 ? 1 - d : d
            } BEGIN {
                near = off(a - u) < 0.002 && off(b - v) < 0.002
                mirrored = off(a + u) < 0.002 && off(b + v) < 0.002
                exit !((near || mirrored) && r > 0 && r < 0.05)
            }'
            imf -f "${lines[i]}" a.pgm -o after.pgm
            awk -v before="$(amplitude before.pgm "$width" "$u" "$v")" \
                -v after="$(amplitude after.pgm "$width" "$u" "$v")" 'BEGIN {
                print before, after
                exit !(before > 2 && after < before / 10)
            }'
            i=$((i + 1))
        done
    done
}

@test "an image without a pattern has no peaks" {
    make_waves a.pgm 200 150 ""
    for file in a.pgm "$TESTDATA/noise.png" "$TESTDATA/edge.png" "$TESTDATA/impulse.png" \
        "$TESTDATA/zoneplate.png"; do
        echo "$file"
        [ "$(imf --spectrum=s.png "$file")" = "" ]
    done
    # The still life has one fine weave, seen head on.
    imf_run --spectrum=s.png "$TESTDATA/still.jpg"
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == notch:0:0.19* ]]
}

@test "peaks go to standard error when an image takes standard output, and into JSON" {
    make_cosine a.pgm
    imf_run --spectrum=s.png a.pgm
    local spec=$output
    [ "$(imf --spectrum=- a.pgm 2>&1 >t.png)" = "$spec" ]
    cmp s.png t.png
    [ "$(imf -f invert --spectrum=s.png a.pgm -o - 2>&1 >b.pgm)" = "$spec" ]
    [ "$(imf --spectrum=s.png --json a.pgm | json 'o["peaks"][0]["notch"]')" = "$spec" ]
    [ "$(imf --spectrum=s.png --json a.pgm | json 'abs(o["peaks"][0]["db"] + 2.1) < 0.3')" = True ]
    make_flat b.pgm 64 64
    [ "$(imf --spectrum=s.png --json b.pgm | json 'o["peaks"]')" = "[]" ]
}

@test "--spectrum of images of every shape and kind" {
    make_ppm a.ppm
    imf --spectrum=s.png a.ppm
    make_flat b.pgm 1 1
    imf --spectrum=s.png b.pgm
    make_flat b.pgm 1 700
    imf -f invert --spectrum=s.png b.pgm
    make_flat b.pgm 1300 900
    imf --spectrum=s.png b.pgm
    read -r width height < <(picture_size s.png)
    [ "$width" -ge 1024 ]
    [ "$width" -lt 1300 ]
    imf -f invert --depth=16 --spectrum=s.png "$TESTDATA/alpha.png"
}

@test "mistakes" {
    make_pgm a.pgm
    make_pgm b.pgm
    imf_run -f sharpen --spectrum=s.png a.pgm b.pgm
    [ "$status" -eq 2 ]
    one_line "--spectrum draws one image"
    imf_run --spectrum=a.pgm a.pgm
    [ "$status" -eq 2 ]
    one_line "is an input"
    imf_run -f sharpen --spectrum=c.pgm a.pgm -o c.pgm
    [ "$status" -eq 2 ]
    one_line "is an output"
    imf_run -f sharpen --spectrum=- a.pgm -o -
    [ "$status" -eq 2 ]
    one_line "only one image"
    imf_run -f sharpen --show-kernel=x.gif
    [ "$status" -eq 2 ]
    one_line "not a known format"
    imf_run -f sharpen --show-kernel=none/x.png
    [ "$status" -eq 1 ]
    [[ $stderr == "imfilter: none/x.png: cannot write: No such file"* ]]
    imf_run --show-kernel
    [ "$status" -eq 2 ]
    one_line "no filter given"
    imf_run --spectrum=s.png a.pgm -o b.png
    [ "$status" -eq 2 ]
    one_line "no filter given"
    echo junk >c.pgm
    imf_run --spectrum=s.png c.pgm
    [ "$status" -eq 1 ]
    [ ! -e s.png ]
    no_temporaries
}

@test "--dry-run and --no-clobber leave the pictures alone" {
    make_pgm a.pgm
    imf -n -f sharpen --show-kernel=k.png --spectrum=s.png a.pgm >text
    [ ! -e k.png ]
    [ ! -e s.png ]
    echo old >s.png
    imf_run --no-clobber --spectrum=s.png a.pgm
    [ "$status" -eq 1 ]
    [ "$(cat s.png)" = old ]
}

@test "--spectrum=FILE.csv and .pfm are numpy's power, of which white noise has its variance" {
    need_python numpy
    python3 - <<'END'
import numpy as np
a = (0.4 + 0.1 * np.random.default_rng(3).normal(size=(80, 96))).astype("<f4")
open("a.pfm", "wb").write(b"Pf\n96 80\n-1\n" + a[::-1].tobytes())
END
    imf -q --spectrum=s.csv a.pfm >peaks
    imf -q --spectrum=s.pfm a.pfm
    imf -q -f blur:2 --spectrum=b.csv a.pfm
    python3 - <<'END'
import numpy as np
def pfm(name):
    head, size, scale, rest = open(name, "rb").read().split(b"\n", 3)
    w, h = map(int, size.split())
    return np.frombuffer(rest, "<f4").reshape(h, w)[::-1].astype(float)
a = pfm("a.pfm")
h, w = a.shape
win = np.outer(*[np.sin(np.pi * (np.arange(n) + 0.5) / n) ** 2 for n in (h, w)])
x = win * (a - (win * a).sum() / win.sum())
power = np.fft.fftshift(abs(np.fft.fft2(x)) ** 2) / (win ** 2).sum()
got = pfm("s.pfm")
assert got.shape == (h, w) and abs(got - power).max() < 1e-4 * power.max(), abs(got - power).max()
u, v = np.meshgrid((np.arange(w) - w // 2) / w, (np.arange(h) - h // 2) / h)
ring = np.rint(np.hypot(u, v) * w).astype(int)
bins = np.bincount(ring.ravel())
mean = np.bincount(ring.ravel(), power.ravel()) / bins
lines = open("s.csv").read().split("\n")
assert lines[0] == "frequency,power,bins" and lines[-1] == ""
f, p, n = np.array([list(map(float, l.split(","))) for l in lines[1:-1]]).T
assert (n == bins).all() and n.sum() == w * h and abs(f - np.arange(len(n)) / w).max() < 1e-8
assert abs(p - mean).max() < 1e-4 * mean.max()
middle = (f > 0.05) & (f < 0.5)
assert abs((p * n)[middle].sum() / n[middle].sum() - 0.01) < 0.001
b = np.array([l.split(",") for l in open("b.csv").read().split("\n")[1:-1]], float)
assert b[len(b) // 2, 1] < 0.01 * p[len(b) // 2]
END
    imf -q --spectrum=- --format=png a.pfm | head -c 4 | grep -q PNG
}
