# JPEG: what a file of another program carries, and what is left of it, by other programs' word.
load helper

FOREIGN=$TESTDATA/foreign

@test "XMP in a JPEG, as exiftool writes it, goes to JPEG and to PNG" {
    for out in out.jpg out.png; do
        imf -f sharpen "$FOREIGN/xmp.jpg" -o "$out"
        grep -a -q '<rdf:li>Someone</rdf:li>' "$out"
        imf -f sharpen --strip=xmp "$FOREIGN/xmp.jpg" -o "bare-$out"
        run ! grep -a -q Someone "bare-$out"
    done
    imf -f sharpen out.png -o back.jpg
    grep -a -q '<rdf:li>Someone</rdf:li>' back.jpg
}

@test "XMP: exiftool reads the same from every copy" {
    command -v exiftool >/dev/null || skip "exiftool reads the metadata"
    exiftool -XMP:all -G1 "$FOREIGN/xmp.jpg" >want
    grep -q Someone want
    imf -f sharpen "$FOREIGN/xmp.jpg" -o out.jpg
    imf -f sharpen out.jpg -o out.png
    imf -f sharpen out.png -o back.jpg
    for out in out.jpg out.png back.jpg; do
        exiftool -XMP:all -G1 "$out" | diff want -
    done
}

@test "XMP of more than 64 KiB, in an extension as exiftool writes it, goes through JPEG and PNG" {
    command -v exiftool >/dev/null || skip "exiftool makes and reads the metadata"
    cp "$FOREIGN/xmp.jpg" in.jpg
    seq -f 'history %06.0f' 12000 >long.txt
    exiftool -q -overwrite_original '-XMP-photoshop:History<=long.txt' -XMP-xmp:Nickname=short in.jpg
    grep -a -q http://ns.adobe.com/xmp/extension/ in.jpg
    imf -f sharpen in.jpg -o out.jpg
    imf -f sharpen out.jpg -o out.png
    run ! grep -a -q HasExtendedXMP out.png
    imf -f sharpen out.png -o back.jpg
    imf -f sharpen --strip=xmp in.jpg -o bare.jpg
    run ! grep -a -q 'history 0\|ns.adobe.com' bare.jpg
    for out in in.jpg out.jpg out.png back.jpg; do
        echo "$out"
        exiftool -b -XMP-photoshop:History "$out" | cmp - long.txt
        [ "$(exiftool -s3 -XMP-dc:Creator "$out")" = Someone ]
        [ "$(exiftool -s3 -XMP-xmp:Rating "$out")" = 4 ]
        run exiftool -warning "$out"
        [ -z "$output" ]
    done
}

@test "the IPTC record of a JPEG goes through JPEG and PNG, by exiftool's and ImageMagick's word" {
    command -v exiftool >/dev/null && command -v convert >/dev/null ||
        skip "exiftool and ImageMagick make and read the metadata"
    cp "$FOREIGN/xmp.jpg" in.jpg
    seq -f 'caption %06.0f' 100 >caption.txt
    exiftool -q -overwrite_original -IPTC:Keywords=one -IPTC:Keywords=two \
        '-IPTC:Caption-Abstract<=caption.txt' in.jpg
    imf -f sharpen in.jpg -o out.jpg
    imf -f sharpen out.jpg -o out.png
    imf -f sharpen out.png -o again.png
    imf -f sharpen again.png -o back.jpg
    convert in.jpg other.png
    imf -f sharpen other.png -o other.jpg
    convert out.png 8bim:resources
    grep -a -q 'caption 000100' resources
    for out in in.jpg out.jpg out.png again.png back.jpg other.jpg; do
        echo "$out"
        [ "$(exiftool -s3 -IPTC:Keywords "$out")" = "one, two" ]
        exiftool -b -IPTC:Caption-Abstract "$out" | cmp - caption.txt
        run exiftool -warning "$out"
        [ -z "$output" ]
    done
    imf -f sharpen --strip in.jpg -o bare.png
    [ -z "$(exiftool -IPTC:all bare.png)" ]
}

need() { # PROGRAM...
    local p
    for p; do
        command -v "$p" >/dev/null || skip "$p makes or checks the JPEG"
    done
}

# A PPM with enough in it for its Huffman tables to matter.
still() { # FILE
    imf -f kernel:1 "$TESTDATA/still.jpg" -o "$1"
}

sampling() { # FILE: quality and sampling of each component, as ImageMagick reads them
    identify -format '%Q %[jpeg:sampling-factor] %[interlace]' "$1"
}

@test "quality, sampling and progression of a JPEG that cjpeg made are kept" {
    need cjpeg identify
    still in.ppm
    for s in 1x4 4x1 2x4 4x2 1x2 1x3 3x2 2x1,1x2 1x1,2x2,2x2 2x2,2x1,2x1; do
        for p in -baseline -progressive; do
            cjpeg "$p" -quality 60 -sample "$s" in.ppm >in.jpg
            imf -f kernel:1 in.jpg -o out.jpg
            echo "$s $p: $(sampling in.jpg), $(sampling out.jpg)"
            [ "$(sampling out.jpg)" = "$(sampling in.jpg)" ]
        done
    done
}

@test "components in scans of their own keep sampling that no scan could hold together" {
    need cjpeg identify
    still in.ppm
    printf '%s;\n' 0 1 2 >apart
    printf '%s\n' '0:0-0,0,0;' '1:0-0,0,0;' '2:0-0,0,0;' '0:1-63,0,0;' '1:1-63,0,0;' '2:1-63,0,0;' \
        >progressive
    for s in 4x4 1x1,4x4,4x4 4x2,2x2,2x2; do
        for scans in apart progressive; do
            cjpeg -scans "$scans" -quality 60 -sample "$s" in.ppm >in.jpg
            imf -f kernel:1 in.jpg -o out.jpg
            echo "$s $scans: $(sampling in.jpg), $(sampling out.jpg)"
            [ "$(sampling out.jpg)" = "$(sampling in.jpg)" ]
        done
    done
}

@test "--optimize: an image that is not changed does not grow" {
    need cjpeg djpeg
    still in.ppm
    cjpeg -optimize -quality 75 in.ppm >in.jpg
    imf -f kernel:1 in.jpg -o plain.jpg
    imf -f kernel:1 --optimize in.jpg -o out.jpg
    sizes="$(wc -c <in.jpg) $(wc -c <out.jpg) $(wc -c <plain.jpg)"
    echo "$sizes"
    read -r before after plain <<<"$sizes"
    [ $((after * 100)) -le $((before * 101)) ]
    [ $((plain * 100)) -gt $((after * 102)) ]
    djpeg plain.jpg >plain.ppm
    djpeg out.jpg | cmp - plain.ppm
}

@test "a CMYK JPEG keeps its density" {
    need convert exiftool
    convert -size 16x16 xc:red -colorspace CMYK -units PixelsPerInch -density 300x150 in.jpg
    imf -f sharpen in.jpg -o out.jpg
    exiftool -JFIF:all in.jpg >want
    grep -q 300 want
    exiftool -JFIF:all out.jpg | diff want -
    [ "$(identify -format '%[colorspace]' out.jpg)" = CMYK ]
}

# Colours of a JPEG are told by JFIF's marker, Adobe's with its transform, or the components' identifiers. Files that
# Pillow wrote, with each of these put in the place of its own, and how Pillow reads them (djpeg, ImageMagick, GraphicsMagick,
# vips and OpenCV do alike): inks are inverted, whether a marker of Adobe's says so or not.
@test "markers, transforms and identifiers of a JPEG's components mean what they do to Pillow" {
    need_python PIL numpy
    python3 -c '
import os, struct
from PIL import Image
def segments(b):
    at = 2
    while b[at + 1] != 0xda:
        size = struct.unpack(">H", b[at + 2:at + 4])[0] + 2
        yield b[at:at + size]
        at += size
    yield b[at:]
def made(b, markers, ids):
    out = b[:2] + markers
    for s in segments(b):
        kind, s = s[1], bytearray(s)
        first, step = (10, 3) if kind in (0xc0, 0xc2) else (5, 2)
        for i in range(s[first - 1] if kind in (0xc0, 0xc2, 0xda) else 0):
            s[first + step * i] = ids[i]
        out += b"" if kind & 0xf0 == 0xe0 else s
    return bytes(out)
os.mkdir("in")
JFIF, ADOBE = b"\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0"
for mode, fill in ("RGB", (200, 60, 30)), ("CMYK", (200, 20, 30, 10)):
    image = Image.new(mode, (32, 32), fill)
    image.paste(fill[::-1], (8, 8, 24, 24))
    image.save("one.jpg", quality=98, subsampling=0)
    b = open("one.jpg", "rb").read()
    for jfif in b"", JFIF:
        for transform in None, 0, 1, 2:
            adobe = b"" if transform is None else ADOBE + bytes([transform])
            for ids in bytes([1, 2, 3, 4]), bytes([0, 1, 2, 3]), b"RGBA", b"CMYK":
                name = "%s-%s-%s-%s" % (mode, "jfif" if jfif else "", transform, ids.hex())
                open("in/%s.jpg" % name, "wb").write(made(b, jfif + adobe, ids))
'
    imf -q -r -f kernel:1 in -o tiff/ --format=tiff
    imf -q -r -f kernel:1 in -o again/
    python3 -c '
import glob, os
import numpy as np
from PIL import Image
images, kinds = 0, set()
for name in sorted(glob.glob("in/*.jpg")):
    base = os.path.basename(name)[:-4]
    want, tiff, again = (Image.open(f) for f in (name, "tiff/%s.tif" % base, "again/%s.jpg" % base))
    assert want.mode == tiff.mode == again.mode, (name, tiff.mode, again.mode)
    a, b, c = (np.asarray(i).astype(int) for i in (want, tiff, again))
    assert abs(a - b).max() == 0, (name, a[0, 0], b[0, 0])
    assert abs(a - c).max() <= 3, (name, a[0, 0], c[0, 0])
    images, kinds = images + 1, kinds | {tuple(a[0, 0])}
print(images, len(kinds))
assert (images, len(kinds)) == (64, 4)'
}

# What imfilter makes of FILE is what djpeg does, pixel by pixel.
as_djpeg() { # FILE OPTION...
    djpeg -pnm "$1" >want.pnm 2>/dev/null || : # its status tells of warnings
    imf -q -f kernel:1 "${@:2}" "$1" -o got.pnm
    cmp want.pnm got.pnm
}

@test "a JPEG that lacks only its end marker: --lenient gives what djpeg does" {
    need cjpeg djpeg
    still in.ppm
    for kind in '-sample 2x2' '-sample 1x1' '-sample 1x2' '-sample 1x4' -progressive -grayscale \
        '-restart 3' '-restart 1B' -arithmetic; do
        # shellcheck disable=SC2086 # words
        cjpeg $kind in.ppm >whole.jpg
        echo "$kind"
        as_djpeg whole.jpg
        head -c -2 whole.jpg >cut.jpg
        as_djpeg cut.jpg --lenient
        imf_run -f kernel:1 cut.jpg -o out.pnm
        [ "$status" -eq 1 ]
        one_line "truncated"
        [[ $stderr == *--lenient* ]]
    done
}

@test "a damaged JPEG is refused, and --lenient gives what djpeg does, with a warning" {
    need cjpeg djpeg
    still in.ppm
    warned=0
    for kind in '-sample 2x2' '-sample 1x1' '-restart 1' '-restart 3B' -progressive -grayscale; do
        # shellcheck disable=SC2086 # words
        cjpeg $kind in.ppm >whole.jpg
        python3 -c '
whole = open("whole.jpg", "rb").read()
middle = len(whole) // 2
def write(name, data):
    open(name + ".jpg", "wb").write(data)
write("overwritten", whole[:middle] + b"\x5a\xf1\x07\x80" * 6 + whole[middle + 24:])
write("deleted", whole[:middle] + whole[middle + 24:])
write("zeroed", whole[:middle] + bytes(400) + whole[middle + 400:])
write("restart", whole.replace(b"\xff\xd2", b"\xff\xd6", 1))
write("unmarked", whole.replace(b"\xff\xd3", b"", 1))
'
        for damage in overwritten deleted zeroed restart unmarked; do
            echo "$kind $damage"
            as_djpeg $damage.jpg --lenient
            djpeg -outfile /dev/null $damage.jpg 2>said || :
            [ -s said ] || continue # damage that gives no sign
            warned=$((warned + 1))
            imf_run -f kernel:1 $damage.jpg -o out.pnm
            [ "$status" -eq 1 ]
            one_line "(accept the readable part with --lenient)"
            imf_run -f kernel:1 --lenient $damage.jpg -o out.pnm
            [ "$status" -eq 0 ]
            one_line "warning: damaged"
        done
    done
    [ "$warned" -ge 16 ]
}

@test "a sequential JPEG with the scan header of some cameras decodes as djpeg does" {
    need cjpeg djpeg
    still in.ppm
    cjpeg in.ppm >in.jpg
    sos=$(LC_ALL=C grep -obUaP '\xff\xda' in.jpg | head -n 1)
    printf '\0\0\0' | dd of=in.jpg bs=1 seek=$((${sos%%:*} + 11)) conv=notrunc status=none
    run --separate-stderr djpeg -outfile /dev/null in.jpg
    [[ $stderr == *SOS* ]]
    as_djpeg in.jpg
    imf_run -f kernel:1 in.jpg -o out.png
    [ "$status" -eq 0 ]
    one_line "warning: Invalid SOS"
}

@test "--lenient: an image of which no row can be read is a failure" {
    make_flat a.pgm 64 64
    for format in jpeg png pnm; do
        imf -f invert --format=$format a.pgm -o whole
        case $format in
        jpeg) sos=$(LC_ALL=C grep -obUaP '\xff\xda' whole) && size=$((${sos%%:*} + 12)) ;;
        png) size=60 ;;
        pnm) size=20 ;;
        esac
        head -c "$size" whole >cut.file
        imf_run -f invert --lenient cut.file -o "out.$format"
        [ "$status" -eq 1 ]
        one_line "no row of it can be read"
        [ ! -e "out.$format" ]
    done
}
