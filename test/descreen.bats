# descreen and notch:auto: patterns that are found, and pictures that have none
load helper

# A scene of gradients, disks and grain, and the same with a pattern: "waves", "dots" at 45 degrees, or "rosette", in
# colours, dots at an angle for each.
make_scene() { # CLEAN NOISY WIDTH HEIGHT PATTERN
    python3 - "$@" <<'END'
import math
import random
import sys
clean, noisy, width, height, pattern = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
channels = 3 if pattern == "rosette" else 1
random.seed(1)
turns = [2 * math.pi * f for f in (0.1371, 0.0512, 0.2013, -0.1177)]
def dots(x, y, period, angle):
    c, s = (2 * math.pi * f(math.radians(angle)) / period for f in (math.cos, math.sin))
    return 18 * math.tanh(3 * (math.cos(c * x + s * y) + math.cos(c * y - s * x)))
def added(x, y, channel):
    if pattern == "waves":
        return 14 * (math.cos(turns[0] * x + turns[1] * y) + math.cos(turns[2] * x + turns[3] * y + 1))
    return dots(x, y, 6.3, 45) if pattern == "dots" else dots(x, y, 5.2, (15, 45, 75)[channel])
files = [bytearray(b"P%d\n%d %d\n255\n" % (6 if channels == 3 else 5, width, height)) for _ in range(2)]
for y in range(height):
    for x in range(width):
        value = 115 + 30 * math.sin(x / 60) + 20 * math.cos(y / 45 + x / 90) + random.gauss(0, 2)
        for i in range(9):
            if math.hypot(x - 71 * i % width, y - 47 * i % height) < 9 + 2 * i:
                value += 12 * (-1) ** i
        for channel in range(channels):
            files[0].append(round(value))
            files[1].append(min(max(round(value + added(x, y, channel)), 0), 255))
for name, data in zip((clean, noisy), files):
    with open(name, "wb") as file:
        file.write(data)
END
}

# By how many dB B is nearer to CLEAN than A: in all, and in the outer 16 pixels.
gain() { # CLEAN A B
    python3 - "$@" <<'END'
import math
import sys
def read(name):
    with open(name, "rb") as file:
        kind, size, full, data = file.read().split(b"\n", 3)
    return (3 if kind == b"P6" else 1, *(int(n) for n in size.split()), data)
(channels, width, height, clean), a, b = (read(name) for name in sys.argv[1:])
sums = [[0, 0], [0, 0]]
for i, (c, p, q) in enumerate(zip(clean, a[3], b[3])):
    x, y = i // channels % width, i // channels // width
    for part in range(1 + (min(x, y, width - 1 - x, height - 1 - y) < 16)):
        sums[part][0] += (c - p) ** 2
        sums[part][1] += (c - q) ** 2
print(*(round(10 * math.log10(before / after), 1) for before, after in sums))
END
}

@test "patterns go, up to the borders: 10 dB and more" {
    for pattern in waves dots rosette; do
        name=p.$([ $pattern = rosette ] && echo ppm || echo pgm)
        make_scene "c$name" "$name" 260 210 $pattern
        for spec in descreen descreen:0.3 notch:auto; do
            imf -f $spec --verify "$name" -o "o$name"
            read -r all border <<<"$(gain "c$name" "$name" "o$name")"
            echo "$pattern, $spec: $all dB, at the borders $border"
            awk -v a="$all" -v b="$border" 'BEGIN { exit !(a >= 10 && b >= 10) }'
        done
    done
}

@test "a picture without a pattern stays as it is" {
    make_scene clean.pgm noisy.pgm 260 210 waves
    for file in clean.pgm "$TESTDATA"/still.jpg "$TESTDATA"/speckled.png "$TESTDATA"/scan.png "$TESTDATA"/text.png \
        "$TESTDATA"/readme-page.png "$TESTDATA"/noise.png "$TESTDATA"/noise-rgb.png "$TESTDATA"/gradient16.png \
        "$TESTDATA"/zoneplate.png "$TESTDATA"/siemens.png "$TESTDATA"/readme-clean.jpg "$TESTDATA"/bars.png; do
        imf -f kernel:1 --alpha=keep "$file" -o want.pam
        for spec in descreen descreen:10 notch:auto; do
            echo "$file $spec"
            imf -f $spec "$file" -o out.pam
            cmp want.pam out.pam
        done
    done
    for size in 1x1 1x200 200x1 63x300 64x64; do
        make_flat flat.pgm "${size%x*}" "${size#*x}"
        imf -f descreen flat.pgm -o out.pgm
        cmp flat.pgm out.pgm
    done
}

# Clean paper of 480x440 with a printed tint in the middle, of 200x200, and grain; or, from a picture, its print: white
# or ink by a threshold that goes round each dot, as a scanner sees it.
make_print() { # OUT PERIOD [PICTURE]
    python3 - "$@" <<'END'
import math
import random
import sys
out, period = sys.argv[1], float(sys.argv[2])
random.seed(1)
width, height, data = 480, 440, None
if len(sys.argv) > 3:
    with open(sys.argv[3], "rb") as file:
        kind, size, full, data = file.read().split(b"\n", 3)
    width, height = (int(n) for n in size.split())
f = 2 * math.pi / period * math.sqrt(0.5)
cosine = [math.cos(f * n / 3) for n in range(3 * (width + height))]
def level(i, j):  # cos f (x + y) + cos f (x - y), in thirds of a pixel
    return cosine[i + j] + cosine[abs(i - j)]
order = sorted(level(7 * i % 480, 11 * i % 431) for i in range(4001))
plane = []
for y in range(height):
    for x in range(width):
        if data is not None:
            tone = order[min(int((255 - data[y * width + x]) / 255 * 4001), 4000)] if data[y * width + x] else 3
        else:
            tone = 0.3 if 140 <= x < 340 and 120 <= y < 320 else -3
        ink = sum(level(3 * x + i, 3 * y + j) < tone for j in range(3) for i in range(3))
        plane.append(240 - 25 * ink)
with open(out, "wb") as file:
    file.write(b"P5\n%d %d\n255\n" % (width, height))
    for y in range(height):
        for x in range(width):  # the scanner's blur
            around = [plane[min(max(y + j, 0), height - 1) * width + min(max(x + i, 0), width - 1)] * (2 - abs(i)) * (2 - abs(j))
                      for j in (-1, 0, 1) for i in (-1, 0, 1)]
            grain = 0 if data is not None else random.gauss(0, 2)
            file.write(bytes([min(max(round(sum(around) / 16 + grain), 0), 255)]))
END
}

@test "a tint goes from the paper around it, and the paper stays" {
    make_print tint.pgm 5.2
    for spec in descreen notch:auto; do
        imf -f $spec tint.pgm -o out.pgm
        python3 - $spec <<'END'
import sys
def deviation(name, inside):
    with open(name, "rb") as file:
        data = file.read().split(b"\n", 3)[3]
    values = [data[y * 480 + x] for y in range(440) for x in range(480) if inside(max(abs(x - 239.5) - 100, abs(y - 219.5) - 100))]
    mean = sum(values) / len(values)
    return (sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5
near, tint = lambda d: 5 < d < 35, lambda d: d < -12
before, after = deviation("tint.pgm", near), deviation("out.pgm", near)
print(sys.argv[1], "paper", before, after, "tint", deviation("tint.pgm", tint), deviation("out.pgm", tint))
assert abs(after - before) < 0.3
assert deviation("tint.pgm", tint) > 50 and deviation("out.pgm", tint) < 4
END
    done
}

@test "a print is nearer to its picture than a blur makes it" {
    imf -f gray "$TESTDATA/still.jpg" -o full.pgm
    python3 - <<'END'
with open("full.pgm", "rb") as file:
    kind, size, full, data = file.read().split(b"\n", 3)
width, height = (int(n) for n in size.split())
with open("picture.pgm", "wb") as file:
    file.write(b"P5\n320 300\n255\n")
    for y in range(300):
        file.write(data[(y + 100) * width + 200:][:320])
with open("picture.pgm", "rb") as file:
    data = file.read().split(b"\n", 3)[3]
with open("truth.pgm", "wb") as file:
    file.write(b"P5\n320 300\n255\n" + bytes(round(15 + v * 225 / 255) for v in data))
END
    for period in 4.1 6.3 10; do
        make_print print.pgm $period picture.pgm
        imf -f descreen print.pgm -o out.pgm
        imf -f "blur:$(awk -v p=$period 'BEGIN { print 0.4 * p }')" print.pgm -o blurred.pgm
        read -r dots _ <<<"$(gain truth.pgm print.pgm out.pgm)"
        read -r better _ <<<"$(gain truth.pgm blurred.pgm out.pgm)"
        echo "$period: $dots dB nearer than the print, $better dB than the blur"
        awk -v a="$dots" -v b="$better" 'BEGIN { exit !(a > 8 && b > 0.5) }'
    done
}

@test "-v and --json tell what was found" {
    make_scene clean.pgm noisy.pgm 260 210 waves
    imf_run -v -f descreen noisy.pgm -o out.pgm
    [ "$status" -eq 0 ]
    grep -q '^imfilter: noisy.pgm: a pattern of 2 waves, the strongest at 0\.[0-9]*, -\{0,1\}0\.[0-9]* cycles per pixel$' <<<"$stderr"
    imf_run --json -f descreen clean.pgm -o out.pgm
    [[ $output == *'"found":"no pattern to remove"'* ]]
}

@test "every backend gives the same bytes, or says why it cannot" {
    need_opencl
    make_scene clean.ppm noisy.ppm 200 150 rosette
    imf -f descreen --backend=cpu noisy.ppm -o cpu.ppm
    imf -f descreen --backend=vector noisy.ppm -o vector.ppm
    cmp cpu.ppm vector.ppm
    imf_run -f descreen --backend=fft noisy.ppm -o fft.ppm
    [ "$status" -ne 0 ]
    one_line "patterns are found on the host"
    imf -f blur:0.5 -f descreen -f sharpen --verify noisy.ppm -o chain.ppm
    imf_run --explain -f descreen noisy.ppm
    [[ $output == *"waves of four fft 100x75, float64"* ]]
    [[ $output == *"the whole image is in memory"* ]]
}

@test "alpha and depth are kept" {
    make_scene clean.pgm noisy.pgm 120 100 dots
    python3 - <<'END'
with open("noisy.pgm", "rb") as file:
    data = file.read().split(b"\n", 3)[3]
with open("noisy.pam", "wb") as file:
    file.write(b"P7\nWIDTH 120\nHEIGHT 100\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n")
    file.write(bytes(n for i, v in enumerate(data) for n in (v, 1 + i % 255)))
END
    imf -f descreen noisy.pgm -o gray.pgm
    imf -f descreen noisy.pam -o out.pam
    python3 - <<'END'
with open("gray.pgm", "rb") as file:
    gray = file.read().split(b"\n", 3)[3]
with open("out.pam", "rb") as file:
    out = file.read().split(b"ENDHDR\n", 1)[1]
assert out[::2] == gray and out[1::2] == bytes(1 + i % 255 for i in range(12000))
END
    imf -f descreen --depth=16 noisy.pgm -o deep.pgm
    imf -f kernel:1 --depth=8 deep.pgm -o back.pgm
    cmp gray.pgm back.pgm
}

@test "--spectrum marks what would go, within half a step" {
    make_scene clean.pgm noisy.pgm 260 210 waves
    imf --spectrum=s.png --json noisy.pgm >object
    cat object
    for wave in 0.1371:0.0512 0.2013:-0.1177; do
        [ "$(json "any(max(abs(float(u) - s * ${wave%:*}) * 260, abs(float(v) - s * ${wave#*:}) * 210) < 0.5
                       for u, v in (w['at'].split(':') for w in o['waves']) for s in (1, -1))" <object)" = True ]
    done
    [ "$(json 'len(o["waves"])' <object)" = 2 ]
    [ "$(json 'all(abs(w["db"] + 19.2) < 0.3 for w in o["waves"])' <object)" = True ]
    imf --spectrum=t.png --json clean.pgm >object
    [ "$(json 'o["waves"]' <object)" = "[]" ]
}

@test "what the specs may say" {
    make_flat a.pgm 8 8
    while IFS='|' read -r spec message; do
        imf_run -f "$spec" a.pgm -o b.pgm
        [ "$status" -eq 2 ]
        one_line "$message"
    done <<'END'
descreen:0|0.1 to 10
descreen:1:2|is one argument too many
notch:auto:0.1|is one argument too many
notch:0.1|V is missing
notch:none|U in cycles per pixel
halftone|(did you mean "descreen"?)
moire|(did you mean "notch:auto"?)
END
    imf_run --help notch
    [[ $output == *"notch:auto"* ]]
}
