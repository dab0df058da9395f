# HEIC: what heif-enc writes, which way up it is, what a file carries, what becomes of it.
load helper

FOREIGN=$TESTDATA/foreign

setup_file() {
    "$IMFILTER" --version | grep -q heif || skip "built without libheif"
    "$IMFILTER" -f kernel:1 "$TESTDATA/foreign/heif-lossy.heic" -o "$BATS_FILE_TMPDIR/a.png" ||
        skip "this machine's libheif does not read HEVC"
}

changed() { # IN OUT CHANGE...
    python3 "$BATS_TEST_DIRNAME/bmff.py" "$@"
}

pixels() { # FILE: size and samples
    imf -q -f kernel:1 --alpha=keep --orient=apply --format=pam -o - "$1" | sed '1,/^ENDHDR$/{/^WIDTH/p;/^HEIGHT/p;d}' | od -An -v -tu1
}

@test "HEICs of heif-enc read as heif-convert reads them, from a file and from a pipe" {
    for heic in "$FOREIGN"/heif-{lossy,alpha,gray,444}.heic; do
        echo "$heic"
        imf -f kernel:1 --alpha=keep "$heic" --format=pam -o got.pam
        cmp "${heic%.heic}.pam" got.pam
        # shellcheck disable=SC2002 # a pipe
        cat "$heic" | imf -f kernel:1 --alpha=keep - --format=pam -o piped.pam
        cmp got.pam piped.pam
    done
}

@test "10 and 12 bits are spread over 16, and are the file's in a PNM" {
    for bits in 10 12; do
        imf -f kernel:1 "$FOREIGN/heif-$bits.heic" -o got.ppm
        imf -f kernel:1 "$FOREIGN/heif-$bits.heic" -o got.png
        imf -f kernel:1 --depth=16 got.png -o wide.ppm
        # heif-convert and vips shift them, and leave zeros behind: white is 65472.
        python3 - "$FOREIGN/heif-$bits.ppm" got.ppm wide.ppm $bits <<'PYTHON'
import sys
def samples(name):
    head, size, full, data = open(name, "rb").read().split(b"\n", 3)
    assert (head, size, len(data)) == (b"P6", b"13 7", 546)
    return int(full), [data[i] << 8 | data[i + 1] for i in range(0, len(data), 2)]
(_, want), (full, got), (full_wide, wide) = map(samples, sys.argv[1:4])
bits = int(sys.argv[4])
assert full == (1 << bits) - 1 and full_wide == 65535
assert got == [v >> 16 - bits for v in want]
assert wide == [round(v * 65535 / full) for v in got]
assert max(wide) == 65535
PYTHON
    done
}

@test "a HEIC is turned and mirrored as its properties say, and EXIF's orientation does nothing" {
    imf -f kernel:1 "$FOREIGN/heif-lossy.heic" -o up.png
    # What is done, and EXIF's number for it.
    while read -r orientation changes; do
        # shellcheck disable=SC2086
        changed "$FOREIGN/heif-lossy.heic" turned.heic $changes
        imf -f kernel:1 turned.heic -o got.png
        command -v exiftool >/dev/null || skip "exiftool says how a PNG is turned"
        exiftool -q -overwrite_original -EXIF:Orientation#="$orientation" up.png
        echo "$orientation: $changes"
        diff <(pixels up.png) <(pixels got.png)
    done <<'LIST'
8 irot=01
3 irot=02
6 irot=03
4 imir=00
2 imir=01
5 imir=01 irot=01
7 imir=01 irot=03
LIST
    changed "$FOREIGN/heif-lossy.heic" turned.heic irot=03
    exiftool -q -overwrite_original -EXIF:Orientation#=6 -EXIF:Artist=me -EXIF:ExifImageWidth=13 \
        -EXIF:ExifImageHeight=7 turned.heic
    imf -f kernel:1 turned.heic -o out.jpg
    [ "$(exiftool -s3 -n -Orientation -Artist -ExifImageWidth -ImageWidth -ImageHeight out.jpg | paste -sd' ')" = "1 me 7 7 13" ]
}

@test "a HEIC becomes a .jpg of quality 92 where no format is named" {
    mkdir -p in/deep
    cp "$FOREIGN/heif-lossy.heic" in/deep/IMG_1.HEIC
    cp "$FOREIGN/heif-lossy.heic" in/b
    cp "$FOREIGN/webp-lossless.pam" in/c.pam
    imf_run -r -v -f sharpen in -o out/
    [ "$status" -eq 0 ]
    [ "$(cd out && find . -type f | sort | paste -sd' ')" = "./b ./c.pam ./deep/IMG_1.jpg" ]
    [ "$(file_kind out/deep/IMG_1.jpg)" = jpeg ]
    [ "$(file_kind out/b)" = jpeg ]
    imf -f sharpen --quality=92 in/b -o want.jpg
    cmp want.jpg out/deep/IMG_1.jpg
    imf -f sharpen in/b -o - >piped
    cmp want.jpg piped
    imf -f sharpen --suffix=_s in/deep/IMG_1.HEIC
    cmp want.jpg in/deep/IMG_1_s.jpg
    imf -r -f sharpen --format=png in/deep -o png/
    [ "$(file_kind png/IMG_1.png)" = png ]
}

@test "bits that a JPEG has no room for are named" {
    imf_run -f sharpen "$FOREIGN/heif-10.heic" -o out/
    [ "$status" -eq 0 ]
    one_line "of 10 bits a JPEG has 8 (--format=png keeps them)"
    [ "$(file_kind out/heif-10.jpg)" = jpeg ]
    imf_run -f sharpen "$FOREIGN/heif-10.heic" -o out.png
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
}

@test "a HEIC is not written, nor replaced" {
    cp "$FOREIGN/heif-lossy.heic" a.heic
    cp a.heic b.heic
    imf_run -i -f invert a.heic
    [ "$status" -eq 1 ]
    one_line "a.heic: is of a format that is only read, and cannot be replaced (write another file with -o, and choose its format with --format)"
    cmp a.heic b.heic
    imf_run -f invert a.heic -o c.heic
    [ "$status" -eq 2 ]
    one_line '"heic" is a format that is only read (png, '
    imf_run -f invert a.heic -o c.png --format=heif
    [ "$status" -eq 2 ]
    one_line '--format'
    [ ! -e c.heic ]
    [ ! -e c.png ]
}

@test "what a HEIC holds besides the picture is named" {
    changed "$FOREIGN/heif-alpha.heic" depth.heic auxC=urn:mpeg:hevc:2015:auxid:2
    changed "$FOREIGN/heif-alpha.heic" gain.heic auxC=urn:com:apple:photo:2020:aux:hdrgainmap
    for name in "depth depth map" "gain HDR picture (gain map)"; do
        imf_run -f invert "${name%% *}.heic" -o out.jpg
        [ "$status" -eq 0 ]
        one_line "left out: ${name#* } ("
        [ "$(pixels "${name%% *}.heic" | wc -l)" -gt 1 ]
    done
    if command -v heif-enc >/dev/null; then
        imf -f kernel:1 "$FOREIGN/heif-lossy.heic" -o one.png
        heif-enc one.png one.png -o two.heic
        imf_run -f invert two.heic -o out.jpg
        [ "$status" -eq 0 ]
        one_line "left out: further pictures ("
    fi
    # Colours of BT.2020 and PQ.
    changed "$FOREIGN/heif-lossy.heic" pq.heic colr=6e636c7800090010000980
    imf -f kernel:1 pq.heic -o pq.png
    [ "$(grep -a -o 'cICP....' pq.png | od -An -tx1 | tr -d ' \n')" = 63494350091000010a ]
    imf -f kernel:1 --strip=all pq.heic -o bare.png
    run ! grep -a -q cICP bare.png
    imf --parts pq.heic -o pq.png | grep -q 'kept  *colours (nclx)'
    # PQ of unknown primaries, which no cICP says; and what a second one says.
    changed "$FOREIGN/heif-lossy.heic" part.heic colr=6e636c7800020010000980
    changed pq.heic two.heic colr=6e636c78000c000d000980
    for name in part two; do
        imf_run -f kernel:1 $name.heic -o a.png
        [ "$status" -eq 0 ]
        one_line "left out: colours (nclx)"
        [ "$(grep -a -o cICP a.png | wc -l)" -le 1 ]
    done
}

@test "limits hold before libheif is entered, and damage is one line" {
    changed "$FOREIGN/heif-lossy.heic" huge.heic ispe=30000x30000
    imf_run -f invert huge.heic -o a.png
    [ "$status" -eq 1 ]
    one_line "900 Mpixel is over the limit of 268 Mpixel"
    # The coded picture is larger than the file says.
    imf -q --format=png -f kernel:1 "$TESTDATA/still.jpg" -o still.png
    if command -v heif-enc >/dev/null; then
        heif-enc still.png -o still.heic
        changed still.heic small.heic ispe=64x64
        imf_run -f invert small.heic -o a.png
        [ "$status" -eq 1 ]
        one_line "damaged in the header ("
        imf_run --max-memory=3M -f invert still.heic -o a.png
        [ "$status" -eq 1 ]
        one_line "a HEIF of this size needs"
    fi
    # Readers would take the one or the other.
    for box in meta pitm iinf iloc iprp; do
        changed "$FOREIGN/heif-lossy.heic" twice.heic "twice=$box"
        imf_run -f invert twice.heic -o a.png
        [ "$status" -eq 1 ]
        one_line "damaged in the header (a box that is there twice)"
    done
    size=$(stat -c %s "$FOREIGN/heif-lossy.heic")
    for at in 20 100 300 $((size - 50)) $((size - 1)); do
        head -c "$at" "$FOREIGN/heif-lossy.heic" >cut.heic
        imf_run -f invert cut.heic -o a.png
        echo "$at: $stderr"
        [ "$status" -eq 1 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
    done
    [ ! -e a.png ]
}

@test "a HEIC whose bytes are said to be elsewhere is refused" {
    python3 - "$FOREIGN/heif-lossy.heic" <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.index(b"iloc") + 4
data[at + (12 if data[at] else 10) + 1] = 1
open("far.heic", "wb").write(data)
PYTHON
    imf_run -f invert far.heic -o a.png
    [ "$status" -eq 1 ]
    one_line "damaged in the header (a picture not in it)"
}
