# ICC profiles that are made: of gray from a profile of colours, of a PNG's chunks for formats that lack them. Little CMS, by
# Pillow, judges what the files' colours are, beside formulas written anew.
load helper

setup_file() {
    export PYTHONPATH=$BATS_FILE_TMPDIR
    cat >"$BATS_FILE_TMPDIR/colours.py" <<'PY'
import io, math, struct, zlib
import numpy as np
from PIL import Image, ImageCms

PATCHES = [(128, 128, 128), (200, 60, 30), (30, 200, 60), (60, 30, 200), (235, 235, 235), (60, 60, 60), (220, 200, 90), (90, 110, 130)]
SIDE = 16

# ---- pictures: patches side by side ----------------------------------------------------------

def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

def gamma(v): return chunk(b"gAMA", struct.pack(">I", v))
def primaries(xy): return chunk(b"cHRM", struct.pack(">8I", *(round(v * 1e5) for v in xy)))
def cicp(p, t, full=1): return chunk(b"cICP", bytes([p, t, 0, full]))

def png(name, chunks, gray=False):
    row = b"\0" + b"".join(bytes(p[:1] if gray else p) * SIDE for p in PATCHES)
    head = struct.pack(">IIBBBBB", SIDE * len(PATCHES), SIDE, 8, 0 if gray else 2, 0, 0, 0)
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunks + chunk(b"IDAT", zlib.compress(row * SIDE)) + chunk(b"IEND", b""))

def icc(g, space=b"RGB "):
    """version 2, as ArgyllCMS and others write them: one gamma, sRGB's primaries"""
    s = lambda v: struct.pack(">i", round(v * 65536))
    xyz = lambda *v: b"XYZ \0\0\0\0" + b"".join(map(s, v))
    curve = b"curv" + bytes(4) + struct.pack(">IH", 1, round(g * 256)) + b"\0\0"
    tags = [(b"desc", b"desc" + bytes(4) + struct.pack(">I", 5) + b"plain" + bytes(79)), (b"cprt", b"text\0\0\0\0CC0\0"), (b"wtpt", xyz(.9642, 1, .8249))]
    if space == b"RGB ":
        tags += [(b"rXYZ", xyz(.4361, .2225, .0139)), (b"gXYZ", xyz(.3851, .7169, .0971)), (b"bXYZ", xyz(.1431, .0606, .7141))]
    tags += [(n, curve) for n in ((b"kTRC",) if space == b"GRAY" else (b"rTRC", b"gTRC", b"bTRC"))]
    at, data, table = 132 + 12 * len(tags), b"", b""
    for name, body in tags:
        table += name + struct.pack(">II", at + len(data), len(body))
        data += body + bytes(-len(body) % 4)
    head = struct.pack(">I", at + len(data)) + b"none" + struct.pack(">I", 0x2100000) + b"mntr" + space + b"XYZ " + struct.pack(">6H", 2026, 1, 1, 0, 0, 0)
    return head + b"acsp" + bytes(28) + s(.9642) + s(1) + s(.8249) + bytes(48) + struct.pack(">I", len(tags)) + table + data

def iccp(profile): return chunk(b"iCCP", b"p\0\0" + zlib.compress(profile))

# ---- what colours are ------------------------------------------------------------------------

def shown(name, profile=None):
    """Lab of each patch in 8 bits, as Little CMS has it by the file's profile; without one, sRGB's"""
    image = Image.open(name)
    profile = profile or image.info.get("icc_profile")
    assert image.mode in ("L", "RGB"), image.mode
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile)) if profile else ImageCms.createProfile("sRGB")
    to = ImageCms.buildTransform(source, ImageCms.createProfile("LAB"), image.mode, "LAB", 1)
    lab = np.asarray(ImageCms.applyTransform(image, to)).astype(int)[SIDE // 2, SIDE // 2::SIDE]
    lab[:, 1:] = (lab[:, 1:] + 128) % 256 - 128
    return lab

BRADFORD = np.array([[.8951, .2664, -.1614], [-.7502, 1.7135, .0367], [.0389, -.0685, 1.0296]])
D50 = np.array([.9642, 1, .8249])

def lab(xy, light):
    """the same by the formulas of CIE 15 and Bradford's adaptation"""
    xyz = lambda x, y: np.array([x / y, 1, (1 - x - y) / y])
    wx, wy, *rgb = xy
    white = xyz(wx, wy)
    m = np.array([xyz(rgb[i], rgb[i + 1]) if rgb[i + 1] else np.array([rgb[i], 0, 1 - rgb[i]]) for i in (0, 2, 4)]).T
    m = m * np.linalg.solve(m, white)
    m = np.linalg.inv(BRADFORD) @ np.diag(BRADFORD @ D50 / (BRADFORD @ white)) @ BRADFORD @ m
    out = []
    for p in PATCHES:
        t = (m @ [light(v / 255) for v in p]) / D50
        f = [v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in t]
        out.append([(116 * f[1] - 16) * 2.55, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
    return np.clip(np.array(out), [0, -128, -128], [255, 127, 127])
PY
}

need_colours() {
    need_python PIL PIL.ImageCms numpy
    local f
    f=$(imf --version | sed -n 's/^formats: //p')
    [[ $f == *tiff*webp* ]] || skip "it was built without TIFF or WebP"
    imf --version | grep -q '^built without: .*Little CMS' && skip "it was built without Little CMS"
    return 0
}

@test "gray of a picture with a profile of colours is as light as before, by Little CMS" {
    need_colours
    python3 -c 'from colours import *; png("a.png", iccp(icc(1.8))); png("g.png", iccp(icc(1.8)), gray=True); png("k.png", iccp(icc(1.8, b"GRAY")), gray=True)'
    for format in png jpg tif webp; do
        imf_run -f gray a.png -o "gray.$format"
        [ -z "$stderr" ]
        imf_run --linear -f gray a.png -o "l.$format"
        [ -z "$stderr" ]
        for from in g k; do # a profile of colours, and one of gray, which WebP stores as colours
            imf_run -f kernel:1 "$from.png" -o "$from-out.$format"
            [ -z "$stderr" ]
        done
    done
    python3 -c '
from colours import *
first = shown("a.png")
neutral = [i for i, p in enumerate(PATCHES) if len(set(p)) == 1]
png("equal.png", iccp(icc(1.8)))
same = PATCHES[:]
PATCHES[:] = [(p[0],) * 3 for p in same]
png("equal.png", iccp(icc(1.8)))
equal = shown("equal.png")
for f in "png", "jpg", "tif", "webp":
    gray, linear = shown("gray." + f), shown("l." + f)
    print(f, gray[:, 0], linear[:, 0], first[:, 0])
    assert abs(gray[neutral] - first[neutral]).max() <= 1
    assert abs(linear[:, 0] - first[:, 0]).max() <= 1 and abs(linear[:, 1:]).max() <= 1
    for name in "g", "k":
        assert abs(shown(name + "-out." + f) - equal).max() <= 1, name'
}

@test "what a PNG's gAMA, cHRM and cICP say is an ICC profile in a JPEG, a TIFF and a WebP" {
    need_colours
    IMFILTER=$IMFILTER python3 -c '
from colours import *
import subprocess, os
IMFILTER = os.environ["IMFILTER"]
D65, C = (.3127, .3290), (.310, .316)
BT709 = D65 + (.64, .33, .30, .60, .15, .06)
P3 = D65 + (.68, .32, .265, .69, .15, .06)
BT2020 = D65 + (.708, .292, .170, .797, .131, .046)
SMPTE = D65 + (.63, .34, .31, .595, .155, .07)
NTSC = C + (.67, .33, .21, .71, .14, .08)
PROPHOTO = (.3457, .3585, .7347, .2653, .1596, .8404, .0366, .0001)
power = lambda g: lambda v: v ** g
srgb = lambda v: v / 12.92 if v <= .04045 else ((v + .055) / 1.055) ** 2.4
camera = lambda v: v / 4.5 if v < .081 else ((v + .099) / 1.099) ** (1 / .45)
smpte240 = lambda v: v / 4 if v < .0912 else ((v + .1115) / 1.1115) ** (1 / .45)
def pq(v):
    e = v ** (32 / 2523)
    return (max(e - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * e)) ** (16384 / 2610)
def hlg(v):
    a = .17883277; b = 1 - 4 * a; c = .5 - a * math.log(4 * a)
    return v * v / 3 if v <= .5 else (math.exp((v - c) / a) + b) / 12
profiles = [(gamma(100000), BT709, power(1)), (gamma(55556), BT709, power(1.8)), (gamma(45455) + primaries(P3), P3, power(2.2)),
    (gamma(55556) + primaries(PROPHOTO), PROPHOTO, power(1.8)), (primaries(P3), P3, srgb), (cicp(12, 13), P3, srgb), (cicp(9, 1), BT2020, camera),
    (cicp(1, 6), BT709, camera), (cicp(9, 14), BT2020, camera), (cicp(9, 15), BT2020, camera), (cicp(4, 4), NTSC, power(2.2)),
    (cicp(5, 5), D65 + (.64, .33, .29, .60, .15, .06), power(2.8)), (cicp(6, 6), SMPTE, camera), (cicp(7, 7), SMPTE, smpte240), (cicp(1, 8), BT709, power(1)),
    (cicp(11, 17), (.314, .351) + P3[2:], power(2.6)), (cicp(22, 1), D65 + (.63, .34, .295, .605, .155, .077), camera),
    (cicp(8, 1), C + (.681, .319, .243, .692, .145, .049), camera), (cicp(10, 8), (1 / 3, 1 / 3, 1, 0, 0, 1, 0, 0), power(1)),
    (cicp(9, 16), BT2020, pq), (cicp(12, 16) + gamma(45455), P3, pq), (cicp(9, 18), BT2020, hlg)]
none = [b"", gamma(45455), gamma(45455) + primaries(BT709), gamma(45450), primaries(BT709), chunk(b"sRGB", b"\0"), chunk(b"sRGB", b"\0") + gamma(45455) + primaries(BT709),
    cicp(1, 13), chunk(b"sRGB", b"\1") + gamma(100000)]
lost = [(cicp(9, 9), ["(cICP)"]), (cicp(2, 16), ["(cICP)"]), (cicp(9, 16, 0), ["(cICP)"]), (gamma(1), ["gamma"]),
    (cicp(9, 16) + chunk(b"mDCV", bytes(24)) + chunk(b"cLLI", bytes(8)), ["(mDCV)", "(cLLI)"]), (iccp(icc(2.2)) + cicp(9, 16), ["(cICP)"])]
def run(chunks, *options):
    png("a.png", chunks)
    said = ""
    for f in "tif", "jpg", "webp", "png":
        done = subprocess.run([IMFILTER, "-f", "kernel:1", "a.png", "-o", "a." + f.replace("png", "again.png"), *options], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert f != "png" or not done.stderr, done.stderr
        said += done.stderr
    found = [Image.open("a." + f).info.get("icc_profile") for f in ("tif", "jpg", "webp")]
    assert found[0] == found[1] == found[2]
    return found[0], said
most = 0
for i, (chunks, xy, light) in enumerate(profiles):
    profile, said = run(chunks)
    assert profile and not said, (i, said)
    off = abs(shown("a.tif") - lab(xy, light)).max()
    assert off <= 1.01, (i, off, shown("a.tif"), lab(xy, light))
    most = max(most, off)
    assert run(chunks, "--strip=icc")[0] is None
for i, chunks in enumerate(none):
    assert run(chunks) == (None, ""), i
for chunks, words in lost:
    profile, said = run(chunks)
    assert said.count("\n") == 3 and all(said.count(w) == 3 for w in words), said
    assert run(chunks, "--strip")[1] == ""
print(len(profiles), len(none), len(lost), most)'
}

@test "a profile for other colours than the pixels' is left out with a warning" {
    need_colours
    python3 -c 'from colours import *; png("a.png", iccp(icc(1.8, b"GRAY"))); png("g.png", iccp(icc(1.8, b"CMYK")), gray=True)'
    for from in a g; do
        for format in png jpg tif webp; do
            imf_run -f kernel:1 $from.png -o "o.$format"
            [ "$status" -eq 0 ]
            one_line "bytes: it is for other colours)"
            [ "$(python3 -c 'import sys; from PIL import Image; print(Image.open(sys.argv[1]).info.get("icc_profile"))' "o.$format")" = None ]
        done
    done
}

@test "--linear: gray takes the weights of luminance from the profile, or from the PNG's primaries" {
    need_colours
    [ -n "${THOROUGH:-}" ] || devices=direct
    python3 -c '
from colours import *
png("0.png", b""); png("1.png", iccp(icc(1.8))); png("2.png", cicp(9, 4)); png("3.png", gamma(55556) + primaries((.3457, .3585, .7347, .2653, .1596, .8404, .0366, .0001)))
png("4.png", cicp(12, 13)); png("5.png", gamma(100000) + primaries((.32168, .33767, .7347, .2653, 0, 1, .0001, -.077 + .077)))'
    for k in 0 1 2 3 4; do
        for backend in cpu $devices vector; do
            imf -q --verify --linear --backend=$backend -f gray $k.png --format=pgm -o "$k-$backend.pgm" >/dev/null
            imf -q --verify --linear --backend=$backend -f kernel:1 -f gray -f kernel:1 $k.png --depth=16 --format=pgm -o "$k-$backend-16.pgm" >/dev/null
        done
        imf -q --verify --linear -f kernel:1 --channels=luma $k.png --format=ppm -o $k.ppm >/dev/null
        imf -f kernel:1 $k.png --format=ppm -o - | cmp - $k.ppm
    done
    python3 -c '
from colours import *
import glob
srgb = (lambda v: v / 12.92 if v <= .04045 else ((v + .055) / 1.055) ** 2.4), (lambda v: 12.92 * v if v <= .0031308 else 1.055 * v ** (1 / 2.4) - .055)
power = lambda g: ((lambda v: v ** g), (lambda v: v ** (1 / g)))
cases = [((.2126, .7152, .0722), srgb), ((.2225, .7169, .0606), power(460.8 / 256)), ((.2627, .6780, .0593), power(2.2)), ((.2880, .7119, .0001), power(1.8)),
    ((.2290, .6917, .0793), srgb)]
for k, (w, (to, back)) in enumerate(cases):
    want = np.array([back(sum(a * to(v / 255) for a, v in zip(w, p)) / sum(w)) for p in PATCHES])
    files = glob.glob("%d-*.pgm" % k)
    assert len(files) >= 4
    for f in files:
        i = np.asarray(Image.open(f)).astype(float)
        got = i[SIDE // 2, SIDE // 2::SIDE] / (65535 if "-16" in f else 255)
        assert abs(got - want).max() * 255 < (.52 if "-16" not in f else .03), (k, f, got * 255, want * 255)'
}
