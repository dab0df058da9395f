# Linear light: by the curves of the image's ICC profile, PNG's chunks, or sRGB's.
load helper

setup_file() {
    # PNG and JPEG with profiles that nothing of ours made: curves of one gamma each, in the red, green and blue one or
    # in gray's; "clip", white from 95 % on; a table; CMYK.
    export MAKE=$BATS_FILE_TMPDIR/make.py
    cat >"$MAKE" <<'EOF'
import struct, sys, zlib

def curve(gamma):
    if gamma == "clip":
        points = [min(65535, round((i / 1023 / 0.95) ** 2.2 * 65535)) for i in range(1024)]
        return b"curv\0\0\0\0" + struct.pack(">I1024H", 1024, *points)
    return b"curv\0\0\0\0" + struct.pack(">IHH", 1, round(float(gamma) * 256), 0)

def profile(space, tags):
    table, data, at = b"", b"", 128 + 4 + 12 * len(tags)
    for name, body in tags:
        table += name + struct.pack(">II", at + len(data), len(body))
        data += body
    size = at + len(data)
    kind = b"mntr" if space != b"CMYK" else b"prtr"
    head = struct.pack(">I4sI4s4s4s", size, b"none", 0x02100000, kind, space, b"XYZ ")
    head += struct.pack(">6H4s", 2026, 1, 1, 0, 0, 0, b"acsp") + b"\0" * 28
    head += struct.pack(">III", 0xF6D6, 0x10000, 0xD32D) + b"\0" * 48
    return head + struct.pack(">I", len(tags)) + table + data

def icc(words):
    space, *gammas = words.split(",")
    if space == "gray":
        return profile(b"GRAY", [(b"kTRC", curve(gammas[0]))])
    if space == "tables":
        return profile(b"RGB ", [(b"A2B0", b"mft2" + b"\0" * 60)])
    if space == "cmyk":
        return profile(b"CMYK", [(b"A2B0", b"mft2" + b"\0" * 60)])
    tags = [(name, curve(g)) for name, g in zip((b"rTRC", b"gTRC", b"bTRC"), gammas)]
    xyz = (0x6FA2, 0x38F5, 0x0390), (0x6299, 0xB785, 0x18DA), (0x24A0, 0x0F84, 0xB6CF)
    tags += [(n, b"XYZ \0\0\0\0" + struct.pack(">III", *v)) for n, v in zip((b"rXYZ", b"gXYZ", b"bXYZ"), xyz)]
    return profile(b"RGB ", tags)

# make.py FILE gray|rgb|rgba DEPTH [CHUNK=VALUE]... with WIDTHxHEIGHT and samples on standard input
path, kind, depth, *chunks = sys.argv[1:]
width, height, samples = (sys.stdin.readline().split() + [""])[0:3]
width, height = int(width), int(height)
pixels = [int(v) for v in sys.stdin.read().split()]
channels = {"gray": 1, "rgb": 3, "rgba": 4}[kind]
count = width * height * channels
pixels = (pixels * (count // len(pixels) + 1))[:count]
data = b"".join(v.to_bytes(int(depth) // 8, "big") for v in pixels)
row = len(data) // height

def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, int(depth),
                                                       {"gray": 0, "rgb": 2, "rgba": 6}[kind], 0, 0, 0))
for item in chunks:
    name, value = item.split("=")
    if name == "gAMA":
        out += chunk(b"gAMA", struct.pack(">I", int(value)))
    elif name == "sRGB":
        out += chunk(b"sRGB", bytes([int(value)]))
    elif name == "cICP":
        out += chunk(b"cICP", bytes([1, int(value), 0, 1]))
    elif name == "broken":
        out += chunk(b"iCCP", b"p\0\0" + zlib.compress(icc(value)[:170]))
    else:
        out += chunk(b"iCCP", b"p\0\0" + zlib.compress(icc(value)))
out += chunk(b"IDAT", zlib.compress(b"".join(b"\0" + data[y * row:(y + 1) * row] for y in range(height))))
open(path, "wb").write(out + chunk(b"IEND", b""))
EOF
}

setup() {
    [ -x "$IMFILTER" ] || { echo "there is no program $IMFILTER (build first)"; return 1; }
    command -v python3 >/dev/null || skip "there is no python3"
    mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return 1
}

# A step from black to white, four pixels wide.
step() { # FILE KIND [CHUNK=VALUE]...
    local file=$1 kind=$2 samples="0 0 255 255"
    shift 2
    [ "$kind" = gray ] || samples="0 0 0 0 0 0 255 255 255 255 255 255"
    printf '4 1\n%s\n' "$samples" | python3 "$MAKE" "$file" "$kind" 8 "$@"
}

middle() { # FILE [CHANNELS]: the samples of the two pixels in the middle
    local channels=${2:-1}
    imf -q -f kernel:1 "$1" --format=pnm -o - | tail -c $((4 * channels)) | od -An -v -tu1 | tr -s ' \n' ' ' |
        cut -d' ' -f$((channels + 2))-$((3 * channels + 1))
}

# The same of the image's mean over three pixels, which cpu, vector and $devices, or $backends, agree on.
blurred() { # FILE [CHANNELS]
    local first='' got backend
    for backend in ${backends:-cpu ${devices-$direct} vector}; do
        imf -q --verify --linear --backend=$backend -f box:3 "$1" -o blurred.png >/dev/null || return 1
        got=$(middle blurred.png "${2:-1}")
        [ "${first:=$got}" = "$got" ] || { echo "$backend: $got, not $first"; return 1; }
    done
    echo "$first"
}

@test "--linear goes by the ICC profile's curve" {
    step a.png gray icc=gray,1
    [ "$(blurred a.png)" = "85 170" ]
    step b.png rgb icc=rgb,1,1,1
    [ "$(blurred b.png 3)" = "85 85 85 170 170 170" ]
    # 255 * (1 / 3) ^ (1 / 1.8), 255 * (2 / 3) ^ (1 / 1.8)
    step c.png gray icc=gray,1.80078125
    [ "$(blurred c.png)" = "139 204" ]
}

@test "--linear has a curve for each colour" {
    need_opencl
    step a.png rgb icc=rgb,1,1.80078125,2.19921875
    [ "$(devices=direct blurred a.png 3)" = "85 139 155 170 204 212" ]
    for backend in cpu $direct vector; do
        # A gray that is made of them has green's.
        imf -q --linear --backend=$backend -f gray -f box:3 a.png -o b.png
        [ "$(middle b.png)" = "139 204" ]
        # 0.4 of 255 is 102: what lies beyond the edge is three lights, too.
        imf -q --linear --backend=$backend -f erode:9 --edge=constant:0.4 a.png -o c.png
        [ "$(middle c.png 3)" = "0 0 0 0 0 0" ]
        imf -q --linear --backend=$backend -f dilate:1 --edge=constant:0.4 a.png -o d.png
        [ "$(middle d.png 3)" = "255 255 255 255 255 255" ]
    done
    printf '4 1\n%s\n' 200 | python3 "$MAKE" e.png rgb 8 icc=rgb,1,1.80078125,2.19921875
    for backend in cpu $direct vector; do
        imf -q --linear --backend=$backend -f erode:9 --edge=constant:0.4 e.png -o f.png
        [ "$(middle f.png 3)" = "102 102 102 102 102 102" ]
        [[ $backend != direct ]] || continue # floats between its passes are too coarse for what follows
        # 200 * 200 / 255 by each of the curves
        imf -q --linear --verify --backend=$backend -f blur:2 -f blend:multiply -f blur:1 e.png -o g.png
        [ "$(middle g.png 3)" = "157 157 157 157 157 157" ]
    done
}

@test "--linear: filters on every backend agree by any curve" {
    need_opencl
    local words depth filter
    for words in rgb,1,1.8,2.6 rgb,2.2,2.2,2.2 rgb,1,1,1; do
        for depth in 8 16; do
            seq 0 $((depth == 8 ? 3 : 769)) $((depth == 8 ? 255 : 65535)) | sed '1i 37 29' |
                python3 "$MAKE" a.png rgba $depth "icc=$words"
            for filter in blur:1.5 sharpen unsharp:sigma=2 gray equalize 'kernel:1,-1 --range=normalize'; do
                case $direct$words-$depth-$filter in
                direct* | rgb,1,1.8,2.6-8-blur*)
                    # shellcheck disable=SC2086 # options
                    imf_run -q --verify --linear --backend=direct -f $filter a.png -o b.png
                    echo "$words $depth $filter: $stderr"
                    # What a steep curve magnifies is for float64.
                    case $words-$depth-$filter-$status in
                    *-0) ;;
                    rgb,1,1,1-8-*normalize-2 | rgb,1,1,1-16-*-2 | *.*-2) [[ $stderr == *"too coarse"* ]] ;;
                    *) false ;;
                    esac
                    ;;
                esac
                # shellcheck disable=SC2086
                imf -q --verify --linear -f $filter a.png -o c.png
            done
        done
    done
}

@test "--linear gives every sample back, by any curve" {
    need_opencl
    local words backend
    seq 0 65535 | sed '1i 256 256' >all
    seq 0 255 | sed '1i 16 16' >bytes
    for words in gray,1 gray,1.8 gray,2.2 gray,0.5; do
        python3 "$MAKE" a.png gray 16 "icc=$words" <all
        python3 "$MAKE" b.png gray 8 "icc=$words" <bytes
        [ $words = gray,1.8 ] && device=direct || device=$direct
        imf -q -f kernel:1 --format=pgm a.png b.png -o want/
        for backend in cpu $device vector; do
            imf -q --linear --backend=$backend -f kernel:1 --format=pgm a.png b.png -o got/
            cmp got/a.pgm want/a.pgm
            cmp got/b.pgm want/b.pgm
        done
    done
}

@test "--linear: a device does not filter by a curve that clips at white" {
    need_opencl
    local filter
    seq 0 65535 | sed '1i 256 256' | python3 "$MAKE" a.png gray 16 icc=gray,clip
    for filter in gray invert blur:2; do
        imf -q --linear --device=cpu --verify -f $filter a.png -o b.png
    done
    imf_run --linear --backend=direct -f blur:2 a.png -o b.png
    [ "$status" -eq 2 ]
    [[ "$stderr" = *"floats between passes are too coarse for what magnifies them later"* ]]
    for filter in gray blur:2; do
        imf -q --linear --backend=vector --verify -f $filter a.png -o b.png
    done
}

@test "--linear: light that a device counts in a histogram is rounded once" {
    need_opencl
    local filters
    for filters in ${direct:+'-f equalize' '-f equalize -f phase'} \
        '--edge=constant:0.03 -f equalize -f open:1 -f box:3'; do
        # shellcheck disable=SC2086 # options
        imf -q --linear --backend=direct --verify $filters "$TESTDATA/gradient16.png" -o b.png
    done
}

@test "--linear: PNG's cICP comes before iCCP, that before sRGB and gAMA" {
    # Whichever backend: the first tests have all.
    [ -n "${THOROUGH:-}" ] || local backends=auto
    step a.png gray gAMA=100000
    [ "$(blurred a.png)" = "85 170" ]
    step b.png gray gAMA=45455
    [ "$(blurred b.png)" = "155 212" ]
    step c.png gray
    [ "$(blurred c.png)" = "156 213" ]
    step d.png gray sRGB=0 gAMA=100000
    [ "$(blurred d.png)" = "156 213" ]
    step e.png gray icc=gray,1 gAMA=45455
    [ "$(blurred e.png)" = "85 170" ]
    step f.png rgb cICP=8 icc=rgb,2.2,2.2,2.2
    [ "$(blurred f.png 3)" = "85 85 85 170 170 170" ]
    # Unspecified, and one that is not known
    step g.png rgb cICP=2 icc=rgb,1,1,1
    [ "$(blurred g.png 3)" = "85 85 85 170 170 170" ]
    step h.png rgb cICP=9 gAMA=100000
    [ "$(blurred h.png 3)" = "85 85 85 170 170 170" ]
    # PQ, HLG and BT.709's camera curve: the value of a third and of two thirds of white
    step l.png rgb cICP=16 gAMA=100000
    [ "$(blurred l.png 3)" = "225 225 225 244 244 244" ]
    step m.png rgb cICP=18 gAMA=100000
    [ "$(blurred m.png 3)" = "203 203 203 236 236 236" ]
    step n.png rgb cICP=1 gAMA=100000
    [ "$(blurred n.png 3)" = "146 146 146 208 208 208" ]
    step i.png rgb cICP=13 gAMA=100000
    [ "$(blurred i.png 3)" = "156 156 156 213 213 213" ]
    # 2.2 and 2.8
    step j.png gray cICP=4 gAMA=100000
    [ "$(blurred j.png)" = "155 212" ]
    step k.png gray cICP=5 gAMA=100000
    [ "$(blurred k.png)" = "172 221" ]
}

@test "--linear goes by the ICC profile of a JPEG, too" {
    printf '32 8\n%s\n' "$(printf '0 %.0s' {1..16}; printf '255 %.0s' {1..16})" |
        python3 "$MAKE" a.png gray 8 icc=gray,1
    imf -f kernel:1 --quality=100 a.png -o a.jpg
    imf -q --linear -f box:3 a.jpg --format=pgm -o b.pgm
    [ "$(tail -c 256 b.pgm | head -c 18 | tail -c 4 | od -An -tu1 | tr -s ' ')" = " 0 85 170 255" ]
    # The profile goes along.
    imf -q --linear -f kernel:1 a.jpg -o c.png
    grep -aq iCCP c.png
}

@test "--linear: files that other programs wrote" {
    imf -q --linear -f box:3 "$TESTDATA/foreign/gamma.png" --format=pgm -o a.pgm
    [ "$(tail -c 4 a.pgm | od -An -tu1 | tr -s ' ')" = " 0 85 170 255" ]
    # Black to white in the middle of 16 columns
    imf -q --linear -f box:3 "$TESTDATA/foreign/icc.jpg" --format=ppm -o b.ppm
    [ "$(tail -c 27 b.ppm | head -c 6 | od -An -tu1 | tr -s ' ')" = " 85 139 155 170 204 212" ]
}

@test "--linear: a profile that has no curves for the pixels is warned of" {
    local chunk words
    while read -r chunk words; do
        step a.png rgb "$chunk"
        imf_run --linear -f box:3 a.png -o b.png
        echo "$chunk: $status $stderr"
        [ "$status" -eq 0 ]
        misfit=
        [[ $words != *"is not for RGB"* ]] || misfit="left out: ICC profile (*: it is for other colours)"
        # shellcheck disable=SC2053 # a pattern
        [[ $stderr == "imfilter: a.png: warning: $words: --linear takes the sRGB curve"${misfit:+"; "$misfit} ]]
        [ "$(middle b.png 3)" = "156 156 156 213 213 213" ]
        imf_run -f box:3 a.png -o b.png
        # shellcheck disable=SC2053 # a pattern
        [[ $stderr == ${misfit:+"imfilter: a.png: warning: "$misfit} ]]
    done <<EOF
icc=tables the ICC profile has tables instead of curves
icc=gray,1 the ICC profile is not for RGB images
icc=cmyk the ICC profile is not for RGB images
icc=rgb,0,0,0 a curve of the ICC profile falls, or is flat
broken=rgb,1,1,1 the ICC profile is damaged
cICP=9 the transfer function 9 (cICP) is not known
gAMA=1 a gamma of 100000 (gAMA) is not one that images have
EOF
}

@test "--linear: images of one shape and different curves in a batch" {
    mkdir in out
    local i
    for i in 1 2 3 4; do
        step in/a$i.png gray icc=gray,1
        step in/b$i.png gray
        step in/c$i.png gray gAMA=45455
    done
    imf -q -r --jobs=3 --linear -f box:3 in -o out
    for i in 1 2 3 4; do
        [ "$(middle out/a$i.png)" = "85 170" ]
        [ "$(middle out/b$i.png)" = "156 213" ]
        [ "$(middle out/c$i.png)" = "155 212" ]
    done
}

@test "--linear: a palette is filtered by the profile's curve" {
    # PLTE of two colours, which a pointwise filter alone changes: 1 - 100 / 255 is 155 by gamma 1.
    python3 - <<'EOF'
import struct, sys, zlib
def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
open("a.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 1, 8, 3, 0, 0, 0)) +
    chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"PLTE", bytes([10, 20, 30, 100, 110, 120])) +
    chunk(b"IDAT", zlib.compress(bytes([0, 0, 1, 1, 0]))) + chunk(b"IEND", b""))
EOF
    imf --linear -f invert a.png -o b.png
    [ "$(middle b.png 3)" = "155 145 135 155 145 135" ]
}
