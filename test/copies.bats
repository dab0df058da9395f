# What a filter hides is in nothing that the output carries: not in a gain map, a thumbnail, XMP or a maker's note.
load helper

setup_file() {
    export PYTHONPATH=$BATS_FILE_TMPDIR
    cat >"$BATS_FILE_TMPDIR/plate.py" <<'PY'
import base64, hashlib, io, re, struct, sys, zlib
import numpy as np
from PIL import Image, ImageDraw

PLATE = (200, 200, 400, 250)  # where the plate is, in the picture of 600 by 450
P = struct.pack

def segment(marker, payload): return b"\xff" + bytes([marker]) + P(">H", len(payload) + 2) + payload

def picture():
    im = Image.new("RGB", (600, 450), (90, 110, 130))
    d = ImageDraw.Draw(im)
    d.rectangle(PLATE, fill=(250, 250, 250))
    for i in range(7):
        d.rectangle((210 + 26 * i, 207, 220 + 26 * i + 5 * (i % 3), 242), fill=(10, 10, 10))
    return im

def jpeg(im, quality=90):
    b = io.BytesIO()
    im.save(b, "JPEG", quality=quality)
    return b.getvalue()

def exif(thumbnail, preview):
    """big-endian: a maker's note with a preview, and a directory with the thumbnail"""
    entry = lambda tag, kind, count, value: P(">HHII", tag, kind, count, value)
    note = b"MAKER\0" + preview
    sub = 8 + 2 + 2 * 12 + 4
    note_at = sub + 2 + 12 + 4
    second = note_at + len(note)
    thumbnail_at = second + 2 + 2 * 12 + 4
    return (b"MM\0*\0\0\0\x08" + P(">H", 2) + entry(0x112, 3, 1, 1 << 16) + entry(0x8769, 4, 1, sub) + P(">I", second)
            + P(">H", 1) + entry(0x927c, 7, len(note), note_at) + P(">I", 0) + note
            + P(">H", 2) + entry(0x201, 4, 1, thumbnail_at) + entry(0x202, 4, 1, len(thumbnail)) + P(">I", 0) + thumbnail)

def resource(number, data): return b"8BIM" + P(">HH", number, 0) + P(">I", len(data)) + data + bytes(len(data) % 2)

RDF = ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" %s</rdf:RDF></x:xmpmeta>')

def photo():
    """the file, and the pictures of the plate in it besides the first"""
    im = picture()
    small = lambda n: jpeg(im.resize((600 // n, 450 // n), Image.BOX), 85)
    thumbnail, preview, shop, xmp_one, xmp_two = small(5), small(6), small(4), small(7), small(3)
    gain = jpeg(im.convert("L").resize((300, 225), Image.BOX))
    ext = (RDF % ('xmlns:GImage="http://ns.google.com/photos/1.0/image/" GImage:Mime="image/jpeg" GImage:Data="%s"/>' % base64.b64encode(xmp_two).decode())).encode()
    guid = hashlib.md5(ext).hexdigest().upper()
    item = '<rdf:li rdf:parseType="Resource"><C:Item I:Semantic="%s" I:Mime="image/jpeg"%s/></rdf:li>'
    main = RDF % ('xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" xmlns:C="http://ns.google.com/photos/1.0/container/" xmlns:I="http://ns.google.com/photos/1.0/container/item/"'
        ' xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmpNote:HasExtendedXMP="%s" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:xmpGImg="http://ns.adobe.com/xap/1.0/g/img/" xmp:Rating="4">' % guid
        + "<C:Directory><rdf:Seq>" + item % ("Primary", "") + item % ("GainMap", ' I:Length="%d"' % len(gain)) + "</rdf:Seq></C:Directory>"
        + '<xmp:Thumbnails><rdf:Alt><rdf:li rdf:parseType="Resource"><xmpGImg:format>JPEG</xmpGImg:format><xmpGImg:image>%s</xmpGImg:image></rdf:li></rdf:Alt></xmp:Thumbnails></rdf:Description>' % base64.b64encode(xmp_one).decode())
    ns = b"http://ns.adobe.com/xmp/extension/\0" + guid.encode()
    irb = resource(0x40c, P(">IIIIIIHH", 1, 150, 113, 452, 452 * 113, len(shop), 24, 1) + shop) + resource(0x404, b"\x1c\x02\x78\0\x05hello")
    b = jpeg(im, 95)
    body = b[2 + 2 + struct.unpack(">H", b[4:6])[0]:]
    head = (b[:2] + segment(0xe1, b"Exif\0\0" + exif(thumbnail, preview)) + segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0" + main.encode())
            + segment(0xe1, ns + P(">II", len(ext), 0) + ext) + segment(0xed, b"Photoshop 3.0\0" + irb))
    total, at = len(head) + 90 + len(body), len(head) + 8
    entry = lambda tag, kind, count, value: P(">HHI", tag, kind, count) + value
    list_ = (b"MPF\0MM\0*\0\0\0\x08" + P(">H", 3) + entry(0xb000, 7, 4, b"0100") + entry(0xb001, 4, 1, P(">I", 2)) + entry(0xb002, 7, 32, P(">I", 50)) + P(">I", 0)
             + P(">IIIHH", 0x030000, total, 0, 0, 0) + P(">IIIHH", 0, len(gain), total - at, 0, 0))
    return head + segment(0xe2, list_) + body + gain, dict(gain=gain, thumbnail=thumbnail, preview=preview, shop=shop, xmp_one=xmp_one, xmp_two=xmp_two)

def contents(b):
    """the bytes, what is deflated or written as digits in them, and what base64 says"""
    all_ = [b]
    if b[:4] == b"\x89PNG":
        at = 8
        while at < len(b):
            size, kind = struct.unpack(">I", b[at:at + 4])[0], b[at + 4:at + 8]
            data = b[at + 8:at + 8 + size]
            if kind in (b"zTXt", b"iCCP"):
                data = zlib.decompress(data[data.index(b"\0") + 2:])
                all_.append(data)
                digits = re.sub(rb"\s", b"", data.split(b"\n", 3)[-1])
                if re.fullmatch(rb"[0-9a-f]*", digits) and len(digits) % 2 == 0:
                    all_.append(bytes.fromhex(digits.decode()))
            at += 12 + size
    for data in list(all_):
        for text in re.findall(rb"[A-Za-z0-9+/]{200,}={0,2}", data):
            all_.append(base64.b64decode(text[:len(text) // 4 * 4]))
    return all_

def carried(name):
    """which of the pictures are in the file, by any 20 bytes of their scans; and how much of the plate each JPEG in it shows"""
    b = open(name, "rb").read()
    everything = contents(b)
    found = set()
    for key, jpg in photo()[1].items():
        scan = jpg[jpg.index(b"\xff\xda") + 20:]
        pieces = [scan[i:i + 20] for i in range(0, len(scan) - 20)]
        pieces = [p for p in pieces if len(set(p)) > 14]  # flat parts look alike in all pictures
        if any(p in data for p in pieces for data in everything):
            found.add(key)
    want = np.asarray(picture().convert("L").crop(PLATE).resize((100, 25), Image.BOX)).astype(float).ravel()
    seen = []
    for data in everything:
        for m in re.finditer(rb"\xff\xd8\xff", data):
            try:
                im = Image.open(io.BytesIO(data[m.start():])).convert("L")
            except Exception:
                continue
            got = np.asarray(im.resize((600, 450)).crop(PLATE).resize((100, 25), Image.BOX)).astype(float).ravel()
            seen.append(float(np.corrcoef(want, got)[0, 1]) if got.std() else 0.0)
    return found, seen
PY
}

@test "a region, a mask or a blur: the output shows nothing of it in anything that it carries" {
    need_python PIL numpy
    python3 -c '
from plate import *
open("in.jpg", "wb").write(photo()[0])
mask = Image.new("L", (600, 450)); ImageDraw.Draw(mask).rectangle(PLATE, fill=255); mask.save("mask.png")
found, seen = carried("in.jpg")
assert found == set(photo()[1]) and len(seen) == 7 and min(seen) > .9, (found, seen)'
    imf -f kernel:1 in.jpg -o in.png 2>/dev/null
    for how in '-f blur:12 --region=220x70+190+190' '-f median:20 --mask=mask.png' '-f blur:12' '-f lowpass:0.01' '-f invert --region=220x70+190+190' '-f sharpen -f blend:normal:@mask.png'; do
        for in in in.jpg in.png; do
            for out in jpg png tif webp; do
                # shellcheck disable=SC2086 # words
                imf_run $how $in -o "out.$out"
                [ "$status" -eq 0 ]
                [ "$in" = in.png ] || [[ $stderr == *"left out"* ]]
                python3 -c '
import sys
from plate import *
found, seen = carried(sys.argv[1])
assert not found, found
assert len(seen) == (sys.argv[1] == "out.jpg"), seen' "out.$out"
            done
        done
        cp in.jpg place.jpg
        # shellcheck disable=SC2086 # words
        imf_run -i $how place.jpg
        [ "$status" -eq 0 ]
        [[ $stderr == *"it would show what a region, a mask or a blur hides"* ]]
        cmp place.jpg <(imf -q $how in.jpg --format=jpeg -o -)
    done
    [ "$(exiftool -s3 -XMP-xmp:Rating place.jpg 2>/dev/null || echo 4)" = 4 ]
}

@test "the recipe that hides a number plate" {
    need_python PIL numpy
    python3 -c 'from plate import *; open("photo.jpg", "wb").write(photo()[0])'
    imf -q -f blur:12 --region=220x70+190+190 --strip=exif photo.jpg -o hidden.jpg
    python3 -c '
from plate import *
found, seen = carried("hidden.jpg")
print(found, seen)
assert not found and len(seen) == 1 and abs(seen[0]) < .6
a, b = (np.asarray(Image.open(f).convert("RGB")).astype(int) for f in ("photo.jpg", "hidden.jpg"))
assert abs(a - b)[:180].max() <= 8 and abs(a - b)[PLATE[1]:PLATE[3], PLATE[0]:PLATE[2]].max() > 60'
}

@test "other filters keep a gain map and XMP, but no thumbnail, which would show the picture as it was" {
    need_python PIL numpy
    python3 -c 'from plate import *; open("in.jpg", "wb").write(photo()[0])'
    imf_run -f sharpen in.jpg -o out.jpg
    [ -z "$stderr" ]
    python3 -c '
from plate import *
found, seen = carried("out.jpg")
assert found == {"gain", "preview", "xmp_one", "xmp_two"}, found'
    for format in png tif webp; do
        imf -q -f sharpen in.jpg -o "out.$format"
        python3 -c '
import sys
from plate import *
found, seen = carried(sys.argv[1])
assert not found & {"gain", "thumbnail", "shop"}, found' "out.$format"
    done
    imf_run -f sharpen --strip=exif in.jpg -o out.jpg
    one_line "they repeat the EXIF that --strip=exif drops"
    python3 -c '
from plate import *
found, seen = carried("out.jpg")
assert found == {"xmp_one", "xmp_two"}, found'
}
