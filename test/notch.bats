# notch: periodic noise, out to the edges of the image
load helper

# A scene of gradients and disks, and the same with a cosine for each U:V:AMPLITUDE.
make_scene() { # CLEAN.pgm NOISY.pgm WIDTH HEIGHT WAVE...
    python3 - "$@" <<'END'
import math
import sys
clean, noisy, width, height = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
waves = [[float(n) for n in wave.split(":")] for wave in sys.argv[5:]]
files = [bytearray(b"P5\n%d %d\n255\n" % (width, height)) for _ in range(2)]
for y in range(height):
    for x in range(width):
        value = 110 + 30 * math.sin(x / 60) + 20 * math.cos(y / 45 + x / 90)
        for i in range(9):
            if math.hypot(x - 71 * i % width, y - 47 * i % height) < 9 + 2 * i:
                value += 12 * (-1) ** i
        files[0].append(round(value))
        value += sum(a * math.cos(2 * math.pi * (u * x + v * y) + u) for u, v, a in waves)
        files[1].append(round(value))
for name, data in zip((clean, noisy), files):
    with open(name, "wb") as file:
        file.write(data)
END
}

# Root mean square differences of two P5 files: in the outer 20 pixels, and inside.
differences() { # A.pgm B.pgm
    python3 - "$@" <<'END'
import sys
def read(name):
    with open(name, "rb") as file:
        kind, size, full, data = file.read().split(b"\n", 3)
    return [int(n) for n in size.split()], data
(width, height), a = read(sys.argv[1])
b = read(sys.argv[2])[1]
sums = [[0, 0], [0, 0]]
for i in range(width * height):
    x, y = i % width, i // width
    part = sums[min(x, y, width - 1 - x, height - 1 - y) >= 20]
    part[0] += (a[i] - b[i]) ** 2
    part[1] += 1
print(*(round((square / count) ** 0.5, 3) for square, count in sums))
END
}

@test "two waves leave no more at the borders than inside" {
    for waves in "0.125:0:20 0.2:0.1:20" "0.1234:-0.0871:40 0.271:0.193:5" "0:0.19:10 0.47:0.02:30"; do
        # shellcheck disable=SC2086
        make_scene clean.pgm noisy.pgm 260 210 $waves
        for radius in 0.005 0.01 0.03; do
            local filters=()
            for wave in $waves; do
                filters+=(-f "notch:${wave%:*}:$radius")
            done
            for backend in auto cpu; do
                imf --backend=$backend "${filters[@]}" noisy.pgm -o out.pgm
                read -r border inside <<<"$(differences out.pgm clean.pgm)"
                echo "$waves, radius $radius, $backend: $border at the borders, $inside inside"
                awk -v b="$border" -v i="$inside" 'BEGIN { exit !(b <= 1.2 * i) }'
                awk -v i="$inside" 'BEGIN { exit !(i < 2) }'
            done
        done
    done
}

@test "every edge mode but clamp is as it is called" {
    make_scene clean.pgm noisy.pgm 120 90 0.125:0:20
    imf -f notch:0.125:0:0.02 noisy.pgm -o clamp.pgm
    read -r best _ <<<"$(differences clamp.pgm clean.pgm)"
    # The wave has 15 whole periods in a row: wrapped, it goes on by itself.
    imf -f notch:0.125:0:0.02 --edge=wrap noisy.pgm -o wrap.pgm
    imf -f notch:0.125:0:0.02 --edge=constant:0 noisy.pgm -o constant.pgm
    read -r wrap _ <<<"$(differences wrap.pgm clean.pgm)"
    read -r constant _ <<<"$(differences constant.pgm clean.pgm)"
    echo "$best $wrap $constant"
    awk -v a="$best" -v b="$wrap" 'BEGIN { exit !(a < 2 && b < 2) }'
    awk -v a="$best" -v b="$constant" 'BEGIN { exit !(b > 3 * a) }'
}

@test "the mean stays, whatever the frequency and the radius" {
    make_scene clean.pgm noisy.pgm 403 301 0:0.03125:12 0.0066:0.01:9
    mean() {
        python3 -c 'import sys; d = open(sys.argv[1], "rb").read().split(b"\n", 3)[3]; print(sum(d) / len(d))' "$1"
    }
    for spec in notch:0:0.03125:0.01 notch:0:0.03125:0.1 notch:0.0066:0.01:0.01 notch:0.1:0.1:0.05 notch:0.3:0.2:0.5; do
        for backend in auto cpu; do
            imf --backend=$backend -f $spec --edge=wrap --verify noisy.pgm -o out.pgm
            awk -v s="$spec" -v a="$(mean noisy.pgm)" -v b="$(mean out.pgm)" \
                'BEGIN { print s, a, b; exit !(a - b < 0.05 && b - a < 0.05) }'
        done
    done
    # What is printed for slow waves removes them, and no more: not even the mean of an edge that is clamped.
    for waves in 0:0.0251:12 0.0149:0.0183:15; do
        make_scene clean.pgm noisy.pgm 403 301 $waves
        imf --spectrum=s.png noisy.pgm >peaks
        mapfile -t filters < <(sed 's/^/-f/' peaks)
        [ "${#filters[@]}" -gt 0 ]
        imf "${filters[@]}" noisy.pgm -o out.pgm
        read -r border inside <<<"$(differences out.pgm clean.pgm)"
        awk -v s="${filters[*]}" -v a="$(mean noisy.pgm)" -v b="$(mean out.pgm)" -v border="$border" -v inside="$inside" \
            'BEGIN { print s, a, b, border, inside; exit !(a - b < 1 && b - a < 1 && inside < 4) }'
    done
}

@test "a flat picture stays as it is, however small" {
    for size in 1x1 2x1 1x3 7x5 64x1 1x300 130x70; do
        make_flat flat.pgm "${size%x*}" "${size#*x}"
        imf -f invert flat.pgm -o white.pgm
        for spec in notch:0.125:0:0.005 notch:0.5:0.5:0.02 notch:0.001:0.3:0.01 notch:0.1:0.1:0.05; do
            echo "$size $spec"
            for backend in auto cpu; do
                imf --backend=$backend -f "$spec" --verify white.pgm -o out.pgm
                cmp white.pgm out.pgm
            done
        done
    done
}
