# AVIF: what avifenc writes, which way up it is, what a file carries, what is written, and what becomes of it.
load helper

FOREIGN=$TESTDATA/foreign

setup_file() {
    "$IMFILTER" --version | grep -q avif || skip "built without libavif"
    "$IMFILTER" -f kernel:1 "$TESTDATA/foreign/avif-lossy.avif" -o "$BATS_FILE_TMPDIR/a.png" ||
        skip "this machine has no libavif"
}

changed() { # IN OUT CHANGE...
    python3 "$BATS_TEST_DIRNAME/bmff.py" "$@"
}

behind() { # TEXT BYTES FILE: what stands there behind the text, in hexadecimal
    python3 -c 'import sys; d = open(sys.argv[3], "rb").read(); print(d.partition(sys.argv[1].encode())[2][:int(sys.argv[2])].hex())' "$@"
}

pixels() { # FILE: size and samples
    imf -q -f kernel:1 --alpha=keep --orient=apply --format=pam -o - "$1" | sed '1,/^ENDHDR$/{/^WIDTH/p;/^HEIGHT/p;d}' | od -An -v -tu1
}

@test "AVIFs of avifenc read as avifdec reads them, from a file and from a pipe" {
    for avif in "$FOREIGN"/avif-{lossy,alpha,premultiplied,gray}.avif; do
        echo "$avif"
        imf -f kernel:1 --alpha=keep "$avif" --format=pam -o got.pam
        cmp "${avif%.avif}.pam" got.pam
        # shellcheck disable=SC2002 # a pipe
        cat "$avif" | imf -f kernel:1 --alpha=keep - --format=pam -o piped.pam
        cmp got.pam piped.pam
    done
    imf -f kernel:1 "$FOREIGN/avif-lossless.avif" --format=pam -o got.pam
    cmp "$FOREIGN/webp-lossless.pam" got.pam
    # Both tiles have the same gradient.
    imf -f kernel:1 "$FOREIGN/avif-grid.avif" --format=ppm -o grid.ppm
    python3 - <<'PYTHON'
head, size, full, data = open("grid.ppm", "rb").read().split(b"\n", 3)
assert size == b"128 64", size
rows = [data[y * 384:y * 384 + 384] for y in range(64)]
assert all(row[:192] == row[192:] for row in rows) and rows[0] != rows[63]
PYTHON
}

@test "10 and 12 bits are spread over 16, and are the file's in a PNM and in an AVIF" {
    for bits in 10 12; do
        imf -f kernel:1 "$FOREIGN/avif-$bits.avif" -o got.ppm
        imf -f kernel:1 "$FOREIGN/avif-$bits.avif" -o got.png
        imf -f kernel:1 --depth=16 got.png -o wide.ppm
        cmp "$FOREIGN/avif-$bits.ppm" wide.ppm
        imf -f kernel:1 --quality=100 "$FOREIGN/avif-$bits.avif" -o again.avif
        imf -f kernel:1 again.avif -o again.ppm
        cmp got.ppm again.ppm
        grep -a -q "^$(((1 << bits) - 1))$" got.ppm
    done
    imf_run -f kernel:1 wide.ppm -o wide.avif
    [ "$status" -eq 0 ]
    one_line "of 16 bits an AVIF has 12"
}

@test "an AVIF is turned, mirrored and cropped as its properties say, and EXIF's orientation does nothing" {
    imf -f kernel:1 "$FOREIGN/avif-lossy.avif" -o up.png
    command -v exiftool >/dev/null || skip "exiftool says how a PNG is turned"
    while read -r orientation changes; do
        # shellcheck disable=SC2086
        changed "$FOREIGN/avif-lossy.avif" turned.avif $changes
        imf -f kernel:1 turned.avif -o got.png
        exiftool -q -overwrite_original -EXIF:Orientation#="$orientation" up.png
        echo "$orientation: $changes"
        diff <(pixels up.png) <(pixels got.png)
    done <<'LIST'
8 irot=01
3 irot=02
6 irot=03
4 imir=00
5 imir=01 irot=01
LIST
    # What is written is upright, once.
    changed "$FOREIGN/avif-lossless.avif" turned.avif irot=03
    exiftool -q -overwrite_original -EXIF:Orientation#=6 -EXIF:Artist=me turned.avif
    imf -f kernel:1 turned.avif -o got.pam
    imf -i -f kernel:1 turned.avif
    imf -f kernel:1 turned.avif -o again.pam
    cmp got.pam again.pam
    [ "$(exiftool -s3 -n -Orientation -Artist turned.avif | paste -sd' ')" = "1 me" ]
    # 5x3 pixels, two to the left of the centre and one above it.
    changed "$FOREIGN/avif-lossless.avif" cropped.avif \
        clap=00000005000000010000000300000001fffffffe00000001ffffffff00000001
    imf -f kernel:1 cropped.avif --format=ppm -o got.ppm
    python3 - "$FOREIGN/webp-lossless.pam" <<'PYTHON'
import sys
whole = open(sys.argv[1], "rb").read().split(b"ENDHDR\n")[1]
want = b"".join(whole[(y * 13 + 2) * 3:(y * 13 + 7) * 3] for y in range(1, 4))
assert open("got.ppm", "rb").read() == b"P6\n5 3\n255\n" + want
PYTHON
    changed "$FOREIGN/avif-lossless.avif" cropped.avif \
        clap=0000000500000001000000030000000100000005000000010000000000000001
    imf_run -f kernel:1 cropped.avif -o got.ppm
    [ "$status" -eq 1 ]
    one_line "damaged in the header (what of it is shown)"
}

@test "an AVIF is written, with loss and without, and in place" {
    imf -f kernel:1 --alpha=keep --quality=100 "$FOREIGN/webp-alpha.pam" -o a.avif
    [ "$(head -c 12 a.avif | tail -c 8)" = ftypavif ]
    imf -f kernel:1 --alpha=keep a.avif -o a.pam
    cmp "$FOREIGN/webp-alpha.pam" a.pam
    # Without loss stays so; with a number it does not.
    cp a.avif b.avif
    imf -i -f kernel:1 --alpha=keep b.avif
    imf -f kernel:1 --alpha=keep b.avif -o b.pam
    cmp a.pam b.pam
    imf -f kernel:1 --alpha=keep --quality=60 a.avif -o c.avif
    [ "$(stat -c %s c.avif)" -lt "$(stat -c %s a.avif)" ]
    # Sampling: as asked for, or the source's. Of av1C: 01 is half as many columns of chroma, 02 rows.
    sampling() { # FILE
        behind av1C 3 "$1" | cut -c5- | python3 -c 'print(int(input(), 16) >> 2 & 7)'
    }
    imf -f kernel:1 "$TESTDATA/still.jpg" --depth=8 -o d.avif
    [ "$(sampling d.avif)" = 3 ]
    # However many are written at a time.
    cp "$TESTDATA/still.jpg" d.jpg
    cp d.jpg d2.jpg
    imf -j2 --format=avif -f kernel:1 d.jpg d2.jpg -o out/
    cmp d.avif out/d.avif
    imf -f kernel:1 --subsampling=444 d.avif -o e.avif
    [ "$(sampling e.avif)" = 0 ]
    imf -f kernel:1 e.avif -o f.avif
    [ "$(sampling f.avif)" = 0 ]
    imf -f kernel:1 "$FOREIGN/avif-gray.avif" -o g.avif
    [ "$(sampling g.avif)" = 7 ]
    if command -v avifdec >/dev/null; then
        for name in a c d e g; do
            avifdec -d 8 $name.avif peer.png
            diff <(pixels peer.png) <(pixels $name.avif)
        done
    fi
}

@test "what an AVIF holds besides the picture is kept, or named" {
    changed "$FOREIGN/avif-alpha.avif" depth.avif auxC=urn:mpeg:hevc:2015:auxid:2
    changed "$FOREIGN/avif-alpha.avif" gain.avif auxC=urn:com:apple:photo:2020:aux:hdrgainmap
    for name in "depth depth map" "gain HDR picture (gain map)"; do
        imf_run -f invert "${name%% *}.avif" -o out.avif
        [ "$status" -eq 0 ]
        one_line "left out: ${name#* } ("
        imf_run -i -f invert "${name%% *}.avif"
        [ "$status" -eq 1 ]
        one_line "${name#* } ("
    done
    # Colours of BT.2020 and PQ, from AVIF to PNG and back; and a profile.
    sed 's/nclx\x00\x01\x00\x0d\x00\x06/nclx\x00\x09\x00\x10\x00\x06/' "$FOREIGN/avif-lossy.avif" >pq.avif
    imf -f kernel:1 pq.avif -o pq.png
    [ "$(behind cICP 4 pq.png)" = 09100001 ]
    imf -f kernel:1 pq.png -o again.avif
    [ "$(behind nclx 7 again.avif)" = 00090010000680 ]
    imf --parts pq.avif -o again.avif | grep -q 'rebuilt  *colours (nclx)'
    imf -f kernel:1 --strip=all pq.avif -o bare.avif
    [ "$(behind nclx 4 bare.avif)" = 0001000d ]
    # What is behind the end is no box.
    { cat "$FOREIGN/avif-lossy.avif"; printf 'some text, and more'; } >behind.avif
    imf_run -f invert behind.avif -o out.png
    [ "$status" -eq 0 ]
    one_line "left out: bytes behind the end (19 bytes: "
}

@test "limits hold before libavif is entered, and damage is one line" {
    changed "$FOREIGN/avif-lossy.avif" huge.avif ispe=30000x30000
    imf_run -f invert huge.avif -o a.png
    [ "$status" -eq 1 ]
    one_line "900 Mpixel is over the limit of 268 Mpixel"
    # The coded picture is larger than the file says; or is not as it says.
    changed "$FOREIGN/avif-lossy.avif" small.avif ispe=12x7
    imf_run -f invert small.avif -o a.png
    [ "$status" -eq 1 ]
    one_line "damaged in the header (its pictures are larger than it says)"
    sed 's/av1C\x81\x00\x0c/av1C\x81\x00\x4c/' "$FOREIGN/avif-lossy.avif" >deep.avif
    imf_run -f invert deep.avif -o a.png
    [ "$status" -eq 1 ]
    one_line "damaged in the header (its pictures are not as it says)"
    changed "$FOREIGN/avif-lossy.avif" twice.avif twice=meta
    imf_run -f invert twice.avif -o a.png
    [ "$status" -eq 1 ]
    one_line "a box that is there twice"
    imf -f kernel:1 "$TESTDATA/still.jpg" -o still.avif
    imf_run --max-memory=2M -f invert still.avif -o a.png
    [ "$status" -eq 1 ]
    one_line "an AVIF of this size needs"
    imf_run --max-memory=6M -f invert "$TESTDATA/still.jpg" -o a.avif
    [ "$status" -eq 1 ]
    one_line "needs"
    size=$(stat -c %s "$FOREIGN/avif-lossy.avif")
    for at in 20 100 $((size - 20)) $((size - 1)); do
        head -c "$at" "$FOREIGN/avif-lossy.avif" >cut.avif
        imf_run -f invert cut.avif -o a.png
        echo "$at: $stderr"
        [ "$status" -eq 1 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
    done
    [ ! -e a.png ]
}

@test "colours that the stream alone names, damaged EXIF and what cannot be as asked are kept or named" {
    # BT.2020 and PQ in AV1's header, and no nclx.
    python3 - "$FOREIGN/avif-lossy.avif" <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read().replace(b"colrnclx", b"freenclx"))
at = data.index(b"\x12\0\x0a\x08") + 4
header = int.from_bytes(data[at:at + 8], "big")
assert header >> 6 & 0xffffff == 0x010d06
data[at:at + 8] = (header ^ (0x010d06 ^ 0x091006) << 6).to_bytes(8, "big")
open("stream.avif", "wb").write(data)
PYTHON
    imf -f kernel:1 stream.avif -o stream.png
    [ "$(behind cICP 4 stream.png)" = 09100001 ]
    imf_run -f kernel:1 stream.avif -o stream.ppm
    one_line "left out: colours (nclx) ("
    # A PNG with damaged EXIF; and one whose colours are of a narrow range.
    python3 - stream.png <<'PYTHON'
import sys, struct, zlib
data = open(sys.argv[1], "rb").read()
chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
at = data.index(b"cICP") - 4
for name, new in ("exif", data[at:at + 16] + chunk(b"eXIf", b"no TIFF stream")), ("narrow", chunk(b"cICP", b"\x09\x10\0\0")):
    open(name + ".png", "wb").write(data[:at] + new + data[at + 16:])
PYTHON
    imf_run -f kernel:1 exif.png -o exif.avif
    [ "$status" -eq 0 ]
    one_line "left out: EXIF (26 bytes: damaged)"
    imf_run -f kernel:1 narrow.png -o narrow.avif
    [ "$status" -eq 0 ]
    one_line "(cICP) ("
    [ "$(behind nclx 4 narrow.avif)" = 0001000d ]
    # Without loss are all columns of chroma.
    imf_run -f kernel:1 --quality=100 --subsampling=420 exif.png --strip=all -o full.avif
    [ "$status" -eq 0 ]
    one_line "without loss an AVIF has no subsampling"
    # Whether gray had loss is unknown: it has no more.
    imf -f kernel:1 --alpha=keep "$FOREIGN/avif-gray.avif" -o gray.avif
    for name in "$FOREIGN/avif-gray.avif" gray.avif; do pixels "$name" >"$(basename "$name").txt"; done
    cmp avif-gray.avif.txt gray.avif.txt
}

@test "nothing that libavif decodes is passed over by the limits" {
    refused() { # FILE LINE
        imf_run -f invert "$1" -o a.png
        echo "$1: $stderr"
        [ "$status" -eq 1 ]
        one_line "$2"
    }
    # Bytes that are said to be elsewhere are read all the same; and of none, all.
    far() { # FILE ITEM
        python3 - "$@" <<'PYTHON'
import sys
data, item = open(sys.argv[1], "rb").read(), bytes([0, int(sys.argv[2])])
at = data.index(item + bytes(3) + b"\1", data.index(b"iloc") + 11)
open("far.avif", "wb").write(data[:at + 3] + b"\1" + data[at + 4:])
PYTHON
    }
    far "$FOREIGN/avif-lossy.avif" 1
    refused far.avif "damaged in the header (a picture not in it)"
    # Frames: of a redundant header, too.
    python3 - "$FOREIGN/avif-lossy.avif" <<'PYTHON'
import sys
data = open(sys.argv[1], "rb").read()
open("frames.avif", "wb").write(data[:-32] + bytes.fromhex("3a00") * 16)
PYTHON
    refused frames.avif "a picture of 16 frames is not read"
    # A tile is one, whatever else it is said to be before.
    tiles=0000001064696d670001000200020003
    changed "$FOREIGN/avif-grid.avif" thumbnail.avif iref=0000000e74686d62000200010001$tiles
    imf -f invert thumbnail.avif -o a.png
    far thumbnail.avif 2
    refused far.avif "damaged in the header (a picture not in it)"
    sed 's/\x00\x03\x00\x00av01/\x00\x03\x00\x00tmap/' "$FOREIGN/avif-grid.avif" >tmap.avif
    changed tmap.avif gain.avif iref=0000000e64696d67000300010002$tiles
    refused gain.avif "of AVIF only pictures and grids of AV1 can be read"
    # Alpha of a tile is alpha.
    changed "$FOREIGN/avif-grid.avif" tile.avif 3:auxC=00000000"$(printf 'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0' | od -An -v -tx1 | tr -d ' \n')" \
        iref=0000001064696d6700010002000200020000000e6175786c000300010002
    far tile.avif 3
    refused far.avif "damaged in the header (a picture not in it)"
    # What it would not read again is not written.
    { printf 'P4\n32768 8193\n'; head -c $((4096 * 8193)) /dev/zero; } >large.pbm
    imf_run --max-pixels=1000M -f invert large.pbm -o large.avif
    [ "$status" -eq 1 ]
    one_line "libavif reads no AVIF of more than 268 Mpixel"
    # Between pictures are frames.
    python3 - "$FOREIGN/avif-lossy.avif" <<'PYTHON'
import struct, sys
data = open(sys.argv[1], "rb").read()
box = lambda kind, body: struct.pack(">I4s", len(body) + 8, kind) + body
open("film.avif", "wb").write(data[:-52] + box(b"mdat", data[-44:] + bytes(100)) + box(b"moov", bytes(20)) + box(b"mdat", bytes(50)))
PYTHON
    imf --parts film.avif -o a.png | sed -n 's/^ *\([0-9]* *[0-9]*\)  *lost  *frames of an animation .*/\1/p' >frames
    [ "$(paste -sd, frames | tr -s ' ')" = "326 128,462 50" ]
}
