# Orientation: the upright picture is filtered, kept by its tag or turned, by other programs' word.
load helper

FOREIGN=$TESTDATA/foreign
UPRIGHT="0 2 8 18 32 50 60 67 78 78 97 120 120 132 133 138 162 175 180 182 188 198 212 230"

ppm_size() { # FILE: WIDTH HEIGHT
    sed -n 2p "$1"
}

@test "each of the eight orientations comes out upright where no tag can say it" {
    for n in 1 2 3 4 5 6 7 8 behind; do
        imf -f kernel:1 "$FOREIGN/orient-$n.png" -o "$n.pgm"
        echo "$n: $(samples "$n.pgm")"
        [ "$(ppm_size "$n.pgm")" = "6 4" ]
        [ "$n" = behind ] || [ "$(samples "$n.pgm")" = "$UPRIGHT" ]
    done
}

# orient-1 to orient-8, and the like.
eight() { # PREFIX SUFFIX
    printf "$1%s$2\n" 1 2 3 4 5 6 7 8
}

# Every file's pixels are the upright ones; N files.
all_upright() { # FILE...
    imf -q -f kernel:1 --depth=8 --format=pgm --orient=apply "$@" -o up/
    [ "$(samples "up/$(basename "${1%.*}").pgm")" = "$UPRIGHT" ]
    [ "$(ls up | wc -l)" -eq $# ]
    [ "$(sha256sum up/* | cut -d ' ' -f 1 | sort -u | wc -l)" -eq 1 ]
    rm -r up
}

@test "--orient=apply turns pixels and tag; keep leaves both; exiftool reads the tag" {
    command -v exiftool >/dev/null || skip "exiftool reads the tags"
    local original
    mapfile -t original < <(eight "$FOREIGN/orient-" .png)
    imf -q -f kernel:1 --orient=apply "${original[@]}" -o apply/
    imf -q -f kernel:1 --orient=keep "${original[@]}" -o keep/
    imf -q -f kernel:1 --strip keep/*.png -o bare/
    tell() { exiftool -q -s3 -n -p "\$FileName \${Orientation;\$_} \$ImageSize" "$@"; }
    diff <(tell apply/*.png) <(eight orient- '.png 1 6 4')
    [ "$(tell keep/*.png | cut -d ' ' -f 2 | xargs)" = "1 2 3 4 5 6 7 8" ]
    diff <(tell keep/*.png) <(tell "${original[@]}")
    [ "$(exiftool -q -s3 -n -Orientation bare/*.png)" = "" ]
    all_upright apply/*.png
    all_upright bare/*.png
}

@test "a JPEG turned upright is what ImageMagick's -auto-orient makes of it" {
    need_thorough
    command -v exiftool >/dev/null && command -v convert >/dev/null && command -v cjpeg >/dev/null ||
        skip "needs exiftool, ImageMagick and cjpeg"
    imf -f kernel:1 "$TESTDATA/still.jpg" -o still.ppm
    cjpeg -quality 90 still.ppm >still.jpg
    for n in 1 2 3 4 5 6 7 8; do
        exiftool -q -o "$n.jpg" -Orientation#="$n" still.jpg
        convert "$n.jpg" -auto-orient ppm:want.ppm
        imf -f kernel:1 "$n.jpg" -o got.ppm
        cmp want.ppm got.ppm
    done
}

@test "directions are the upright picture's, kept or applied" {
    local spec n
    for spec in emboss:30 motion:5:20 sobel:dir=x scharr:dir=y kernel:1,2,3/4,-5,6 notch:0.1:0.3:0.1 clahe:tiles=4x3; do
        imf -q -f "$spec" --format=pgm "$FOREIGN"/orient-[1-8].png -o apply/
        imf -q -f "$spec" "$FOREIGN"/orient-[2-8].png -o keep/
        imf -q -f kernel:1 --format=pgm keep/*.png -o kept/
        for n in 2 3 4 5 6 7 8; do
            echo "$spec $n"
            cmp apply/orient-1.pgm "apply/orient-$n.pgm"
            cmp apply/orient-1.pgm "kept/orient-$n.pgm"
        done
    done
}

@test "what works on blocks, and on differences to one side, does so in the upright picture" {
    need_python numpy
    python3 - <<'END'
import os, struct, subprocess, zlib
import numpy as np

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

def write(name, upright, orientation):
    "A PNG of 8 bits that is stored in an orientation: rows, then columns, from the other end, and both exchanged"
    flip_x, flip_y, swap = orientation in (2, 3, 6, 7), orientation in (3, 4, 7, 8), orientation > 4
    a = upright[::-1 if flip_y else 1, ::-1 if flip_x else 1]
    a = np.ascontiguousarray(a.swapaxes(0, 1) if swap else a)
    height, width = a.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in a)
    exif = b"MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0" + bytes([orientation]) + bytes(6)
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2 if a.ndim == 3 else 0, 0, 0, 0)) +
                           chunk(b"eXIf", exif) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

random = np.random.default_rng(3)
names = ["%d.png" % n for n in range(1, 9)]
wrong = []
for (width, height), colours in (((61, 47), 1), ((54, 65), 3)):
    y, x = np.mgrid[:height, :width]
    scene = 120 + 60 * np.sin(x / 5) + 40 * (y > x) + random.normal(0, 8, (colours, height, width))
    scene[:, :12, :20] = 255  # equal blocks, too
    upright = np.clip(scene, 0, 255).round().astype(np.uint8).transpose(1, 2, 0)
    upright = upright[:, :, 0] if colours == 1 else upright
    for n, name in enumerate(names):
        write(name, upright, n + 1)
    # How far they may differ, of 65535: twice the contract's error.
    for most, options in ((2, "denoise"), (2, "denoise:3%"), (2, "denoise:3%:quality=best"), (2, "denoise:quality=best"),
                          (2, "denoise:3% --region=23x17+20+15"), (2, "denoise:3%:quality=best --region=21x18+19+14"),
                          (2, "denoise:3%:quality=best --backend=cpu --region=21x18+19+14"), (4, "deblur:disk:2:prior=tv"),
                          (4, "deblur:disk:2"), (4, "rl:disk:2"), (2, "guided:3:0.05"), (2, "bilateral:2:0.1")):
        subprocess.run([os.environ["IMFILTER"], "-q", "--depth=16", "--format=pnm", "-f", *options.split(), *names, "-o", "up/"],
                       check=True)
        made = [np.frombuffer(open("up/%d.pnm" % n, "rb").read()[-2 * upright.size:], ">u2").astype(int) for n in range(1, 9)]
        far = [int(np.abs(m - made[0]).max()) for m in made]
        print(width, height, colours, options, far)
        if max(far) > most or (made[0] == 257 * upright.ravel()).all():
            wrong.append((options, far))
assert not wrong, wrong
END
}

@test "every backend turns a kernel alike" {
    need_opencl
    for backend in cpu direct fft; do
        for n in 1 6; do
            imf -q -f kernel:1,2,3/4,-5,6 --backend=$backend "$FOREIGN/orient-$n.png" -o "$n.pgm"
        done
        cmp 1.pgm 6.pgm
    done
}

@test "a batch of one shape and several orientations plans for each" {
    for n in 1 2 3 4; do
        imf -f emboss:20 "$FOREIGN/orient-$n.png" -o "alone-$n.png"
        cp "$FOREIGN/orient-$n.png" .
    done
    imf -f emboss:20 orient-1.png orient-2.png orient-3.png orient-4.png -o out/
    for n in 1 2 3 4; do
        cmp "alone-$n.png" "out/orient-$n.png"
    done
}

@test "a spectrum's frequencies are the upright picture's, as a notch's are" {
    for n in 1 6; do
        cp "$FOREIGN/orient-$n.png" a.png
        imf -f notch:0.1:0.3:0.1 --spectrum="$n.png" a.png
    done
    cmp 1.png 6.png
}

@test "in place keeps the tag, and a second run finds it" {
    cp "$FOREIGN/orient-6.png" a.png
    imf -i -f invert a.png
    imf -i -f invert a.png
    [ "$(samples a.png)" = "$UPRIGHT" ]
    imf -f kernel:1 --depth=8 a.png -o b.png
    head -c 24 b.png | tail -c 8 | od -An -tx1 >size
    [ "$(tr -d ' \n' <size)" = 0000000400000006 ]
}

@test "--json has the output's width and height" {
    imf_run --json -f kernel:1 "$FOREIGN/orient-6.png" -o keep.png
    [[ $output == *'"width":4,"height":6,'* ]]
    imf_run --json -f kernel:1 --orient=apply "$FOREIGN/orient-6.png" -o apply.png
    [[ $output == *'"width":6,"height":4,'* ]]
    imf_run --json -f kernel:1 "$FOREIGN/orient-6.png" -o a.pgm
    [[ $output == *'"width":6,"height":4,'* ]]
}

@test "what a camera says of the picture is turned with it" {
    imf -f kernel:1 --orient=apply "$FOREIGN/orient-camera.jpg" -o a.jpg
    imf -f kernel:1 --orient=apply "$FOREIGN/orient-camera.jpg" -o a.png
    for file in a.jpg a.png; do
        grep -a -q "tiff:Orientation='1'" "$file"
    done
    command -v exiftool >/dev/null || skip "exiftool reads the rest"
    for file in a.jpg a.png; do
        [ "$(exiftool -s3 -n -IFD0:Orientation -ExifImageWidth -ExifImageHeight -IFD0:XResolution \
            -IFD0:YResolution -ThumbnailImage "$file")" = "$(printf '1\n48\n32\n150\n300')" ]
    done
    [ "$(exiftool -s3 -n -PixelsPerUnitX -PixelsPerUnitY a.png)" = "$(printf '5906\n11811')" ]
    exiftool -validate -warning -s3 a.jpg | grep -q '^OK'
}

@test "a tag behind the pixels: heeded in a file, said where it comes too late" {
    imf -f kernel:1 "$FOREIGN/orient-behind.png" -o want.pgm
    pipe() { cat "$FOREIGN/orient-behind.png" | imf -f kernel:1 - -o got.pgm; }
    run --separate-stderr pipe
    [ "$status" -eq 0 ]
    one_line "orientation follows the pixels, too late to be applied"
    [ "$(ppm_size got.pgm)" = "4 6" ]
    imf -f kernel:1 - -o got.pgm <"$FOREIGN/orient-behind.png"
    cmp want.pgm got.pgm
}

@test "--orient: the modes, and nothing else" {
    imf_run -f kernel:1 --orient=upright "$FOREIGN/orient-6.png" -o a.png
    [ "$status" -eq 2 ]
    one_line "keep or apply"
}

# For each line on standard input, OUT=CHUNK=..., make the EXIF of IN, orientation 6, into chunks, each
# KIND:KEYWORD:ORIENTATION (eXIf: no keyword), before the pixels but those behind a "-"; or tell what each file's chunks
# say, sorted.
exif_chunks() { # make IN | tell FILE...
    python3 /dev/fd/9 "$@" 9<<'PYTHON'
import struct, sys, zlib

def chunks(name):
    data, at = open(name, "rb").read(), 8
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        yield data[at + 4:at + 8], data[at + 8:at + 8 + size]
        at += size + 12

def orientation(exif):
    at = exif.index(b"\x01\x12\x00\x03\x00\x00\x00\x01\x00") + 9
    return at, exif[at]

def text(kind, keyword, orient, exif):
    at, _ = orientation(exif)
    exif = exif[:at] + bytes([orient]) + exif[at + 1:]
    if kind == "eXIf":
        return exif
    digits = (b"Exif\0\0" + exif).hex()
    body = "\n%s\n%8d\n" % (keyword.split()[-1], len(exif) + 6)
    body += "\n".join(digits[i:i + 72] for i in range(0, len(digits), 72)) + "\n"
    head, body = keyword.encode() + b"\0", body.encode()
    return {"tEXt": head + body, "zTXt": head + b"\0" + zlib.compress(body),
            "iTXt": head + b"\1\0\0\0" + zlib.compress(body)}[kind]

if sys.argv[1] == "make":
    old = list(chunks(sys.argv[2]))
    exif = dict(old)[b"eXIf"]
    for line in sys.stdin.read().splitlines():
        path, *words = line.split("=")
        sides, side = [[], []], 0
        for word in words:
            if word == "-":
                side = 1
                continue
            kind, keyword, orient = word.split(":")
            sides[side].append((kind.encode(), text(kind, keyword, int(orient), exif)))
        rest = [c for c in old if c[0] != b"eXIf"]
        with open(path, "wb") as out:
            out.write(b"\x89PNG\r\n\x1a\n")
            for name, data in rest[:1] + sides[0] + rest[1:-1] + sides[1] + rest[-1:]:
                out.write(struct.pack(">I", len(data)) + name + data +
                          struct.pack(">I", zlib.crc32(name + data)))
else:
    for path in sys.argv[2:]:
        said = []
        for name, data in chunks(path):
            if name == b"eXIf":
                said.append("eXIf %d" % orientation(data)[1])
            if name in (b"tEXt", b"zTXt", b"iTXt") and data.startswith(b"Raw profile type "):
                body = data.split(b"\0", 1)[1]
                body = zlib.decompress(body[1:]) if name == b"zTXt" else body
                said.append("text %d" % orientation(bytes.fromhex(body.split(b"\n", 3)[3].decode()))[1])
        print(", ".join(sorted(said)))
PYTHON
}

@test "EXIF as text, as ImageMagick writes it: heeded, and rewritten when the picture is turned" {
    imf -f kernel:1 "$FOREIGN/orient-app1.png" -o upright.pgm
    [ "$(samples upright.pgm)" = "$UPRIGHT" ]
    imf -f kernel:1 --orient=apply "$FOREIGN/orient-app1.png" -o apply.png
    [ "$(samples apply.png)" = "$UPRIGHT" ]
    [ "$(exif_chunks tell apply.png)" = "text 1" ]
    imf -f kernel:1 "$FOREIGN/orient-app1.png" -o keep.png
    [ "$(exif_chunks tell keep.png)" = "text 6" ]
    imf -f emboss:30 "$FOREIGN/orient-app1.png" -o got.pgm
    imf -f emboss:30 "$FOREIGN/orient-6.png" -o want.pgm
    cmp want.pgm got.pgm
    imf --strip=exif -f kernel:1 "$FOREIGN/orient-app1.png" -o bare.png
    [ "$(samples bare.png)" = "$UPRIGHT" ]
    [ "$(exif_chunks tell bare.png)" = "" ]
}

# What the chunks of all files say, once.
all_tell() { # FILE...
    exif_chunks tell "$@" | sort -u
}

@test "EXIF as text of every kind, before the pixels and behind, to a JPEG and from it" {
    local kind keyword place n=0
    for kind in tEXt zTXt iTXt; do
        for keyword in "Raw profile type exif" "Raw profile type APP1"; do
            for place in '' -=; do
                n=$((n + 1))
                echo "$n.png=$place$kind:$keyword:6"
            done
        done
    done | exif_chunks make "$FOREIGN/orient-6.png"
    imf_run -f kernel:1 --format=pgm [1-9]*.png -o upright/
    [ "$status" -eq 0 ]
    [ "$(grep -vc "warning: left out: text \"Raw profile type" <<<"$stderr")" -eq 0 ]
    all_upright upright/*.pgm
    imf -q -f kernel:1 --orient=apply [1-9]*.png -o apply/
    [ "$(all_tell apply/*.png)" = "text 1" ]
    imf -q -f kernel:1 [1-9]*.png -o keep/
    [ "$(all_tell keep/*.png)" = "text 6" ]
    imf -q -f kernel:1 --format=jpeg [1-9]*.png -o jpeg/
    imf -q -f kernel:1 --format=png jpeg/* -o back/
    [ "$(ls back | wc -l)" -eq 12 ]
    [ "$(all_tell back/*.png)" = "eXIf 6" ]
    imf -f kernel:1 - -o got.pgm < <(cat keep/12.png)
    [ "$(samples got.pgm)" = "$UPRIGHT" ]
}

@test "EXIF in a chunk and as text: the chunk's holds, and the text is made to agree" {
    text="zTXt:Raw profile type exif:3"
    exif_chunks make "$FOREIGN/orient-6.png" <<END
1.png=eXIf::6=$text
2.png=$text=eXIf::6
3.png=$text=-=eXIf::6
4.png=-=$text=eXIf::6
END
    imf -q -f kernel:1 --format=pgm [1-4].png -o upright/
    all_upright upright/*.pgm
    imf -q -f kernel:1 [1-4].png -o keep/
    [ "$(all_tell keep/*.png)" = "eXIf 6, text 6" ]
    imf -q -f kernel:1 --orient=apply [1-4].png -o apply/
    all_upright apply/*.png
    [ "$(all_tell apply/*.png)" = "eXIf 1, text 1" ]
}

@test "exiftool reads the orientation that is written as text" {
    command -v exiftool >/dev/null || skip "exiftool reads the tags"
    echo "a.png=zTXt:Raw profile type exif:6" | exif_chunks make "$FOREIGN/orient-6.png"
    imf -f kernel:1 --orient=apply a.png -o apply.png
    [ "$(exiftool -s3 -n -Orientation -ImageSize apply.png)" = "$(printf '1\n6 4')" ]
    imf -f kernel:1 a.png -o keep.png
    [ "$(exiftool -s3 -n -Orientation -ImageSize keep.png)" = "$(printf '6\n4 6')" ]
}

@test "XMP as text is turned with the picture" {
    command -v convert-im6.q16 >/dev/null || skip "needs ImageMagick 6"
    convert-im6.q16 "$FOREIGN/orient-camera.jpg" a.png
    grep -a -q "Raw profile type xmp" a.png
    imf -f kernel:1 --orient=apply a.png -o apply.png
    grep -a -q "tiff:Orientation='1'" apply.png
    run ! grep -a -q "Raw profile type xmp" apply.png
}
