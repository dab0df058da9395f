# TIFF of more channels than colours and alpha
load helper

spectral() { # a program that has the names of spectral.py
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BATS_TEST_DIRNAME IMFILTER=$IMFILTER python3 -c "
import json, os, struct, subprocess
from spectral import KINDS, draw, join, read, write
def imf(*a, ok=True):
    done = subprocess.run([os.environ['IMFILTER'], *a], capture_output=True, text=True)
    assert (done.returncode == 0) == ok, done.stderr
    return done.stdout + done.stderr
$1"
}

@test "each channel is what it is as a gray picture" {
    spectral '
filters = ["blur:2", "median:2", "highpass:0.1", "sobel", "equalize", "bilateral:2:0.1"]
hows = ["", "deflate strips", "planes", "planes deflate strips", "tiles deflate", "planes tiles big", "big strips"]
for i, kind in enumerate(KINDS):
    for k, how in enumerate(hows):
        n = [5, 7, 12][(i + k) % 3]
        channels = draw(kind, 37, 29, n)
        write("a.tif", kind, 37, 29, channels, how)
        for f in [filters[(i + k) % 6], filters[(i + k + 3) % 6]]:
            imf("-f", f, "a.tif", "-o", "b.tif")
            tags, got = read("b.tif")
            assert tags[277] == [n] and tags[284] == [2] and tags[262] == [1] and tags[338] == [0] * (n - 1), tags
            assert tags[258] == [8 * struct.calcsize(KINDS[kind][0])] * n
            for c in (0, 1, n - 1):
                write("g.tif", kind, 37, 29, [channels[c]])
                imf("-f", f, "g.tif", "-o", "h.tif")
                assert read("h.tif")[1][0] == got[c], (kind, how, f, c)
'
}

@test "gray and channels that are not alpha are filtered, too; RGB and one more are as before" {
    spectral '
channels = draw("u16", 20, 10, 4)
write("a.tif", "u16", 20, 10, channels[:2])
imf("-f", "invert", "a.tif", "-o", "b.tif")
assert read("b.tif")[1] == [[65535 - v for v in c] for c in channels[:2]]
write("a.tif", "u16", 20, 10, channels, colors=3)
assert "channels besides colour and alpha" in imf("-f", "invert", "a.tif", "-o", "b.tif")
assert read("b.tif")[0][277] == [3]
'
}

@test "alpha is alpha of all channels" {
    spectral '
channels = draw("u16", 31, 17, 6)
channels[4] = [[0, 30000, 65535][i // 5 % 3] for i in range(31 * 17)]
product = [[v * a // 65535 for v, a in zip(c, channels[4])] for c in channels]
product[4] = channels[4]
for sort, all in (2, channels), (1, product):
    for how in "", "planes":
        write("a.tif", "u16", 31, 17, all, how, [0, 0, 0, sort, 0])
        imf("-f", "blur:2", "a.tif", "-o", "b.tif")
        tags, got = read("b.tif")
        assert tags[338] == [0, 0, 0, 2, 0] and tags[277] == [6]
        for c in 0, 3, 5:
            write("g.tif", "u16", 31, 17, [all[c], all[4]], "", [sort])
            imf("-f", "blur:2", "g.tif", "-o", "h.tif")
            assert read("h.tif")[1] == [got[c], got[4]], (sort, how, c)
'
}

@test "of several channels that are marked as alpha none is" {
    spectral '
for n, colors in (6, 1), (3, 1), (5, 3):
    channels = draw("u16", 31, 17, n)
    for sort in 1, 2:
        write("a.tif", "u16", 31, 17, channels, "", [sort] * (n - colors), colors)
        imf("-f", "blur:2", "a.tif", "-o", "b.tif")
        tags, got = read("b.tif")
        assert tags[338] == [0] * (n - colors) and tags[277] == [n]
        for c in range(n):
            write("g.tif", "u16", 31, 17, [channels[c]])
            imf("-f", "blur:2", "g.tif", "-o", "h.tif")
            assert read("h.tif")[1] == [got[c]], (n, sort, c)
'
}

@test "what the file carries is kept, in place, through pipes, and in one object of JSON" {
    spectral '
geo = [(33550, "d", [10.0, 10.0, 0.0]), (33922, "d", [0.0, 0.0, 0.0, 5e5, 4e6, 0.0]), (34735, "H", [1, 1, 0, 0]),
       (42112, "B", list(b"<GDALMetadata/>\0")), (42113, "B", list(b"-9999\0"))]
write("a.tif", "u16", 40, 30, draw("u16", 40, 30, 7), "deflate", colors=3, more=geo)
line = json.loads(imf("--json", "-f", "blur:1", "a.tif", "-o", "b.tif"))
assert line["channels"] == 7 and line["lost"] == [] and line["depth"] == 16 and "page" not in line
tags, got = read("b.tif")
assert tags[262] == [2] and tags[338] == [0] * 4
for tag, _, values in geo:
    assert tags[tag] == values
assert "7 channels, 16 bits" in imf("--explain", "-f", "blur:1", "a.tif")
assert "verified: 8400 samples, 0 differ" in imf("--backend=cpu", "--verify", "-f", "blur:1", "a.tif")
assert " lost " not in imf("--parts", "a.tif", "-f", "blur:1", "-o", "c.tif")
with open("a.tif") as i, open("c.tif", "w") as o:
    subprocess.run([os.environ["IMFILTER"], "-f", "blur:1", "-", "-o", "-"], stdin=i, stdout=o, check=True)
assert open("b.tif", "rb").read() == open("c.tif", "rb").read()
imf("-i", "-f", "blur:1", "a.tif")
assert open("b.tif", "rb").read() == open("a.tif", "rb").read()
'
}

@test "what needs colours, and what holds none, refuses" {
    spectral '
write("a.tif", "u8", 20, 10, draw("u8", 20, 10, 6))
for what, text in [("-f gray", "gray needs colours"), ("--linear -f blur:1", "--linear needs colours"),
                   ("--channels=luma -f blur:1", "--channels needs colours"),
                   ("--channels=r -f blur:1", "--channels needs colours"), ("--bench=1 -f blur:1", "has 6 channels"),
                   ("--spectrum=s.png -f blur:1", "has 6 channels"),
                   ("--compression=group4 -f threshold:0.5", "Group 4 compresses black and white alone")]:
    said = imf(*what.split(), "a.tif", "-o", "b.tif", ok=False)
    assert said.startswith("imfilter: a.tif: ") and text in said, said
    assert not os.path.exists("b.tif")
for end in "png", "jpg", "ppm":
    said = imf("-f", "blur:1", "a.tif", "-o", "b." + end, ok=False)
    assert "cannot hold 6 channels of one picture (choose --format=tiff)" in said, said
'
}

@test "--full=auto takes all channels, --depth is of each" {
    spectral '
channels = [[c * 100 + i for i in range(200)] for c in range(6)]
write("a.tif", "u16", 20, 10, channels)
imf("--full=auto", "-f", "threshold:0.5", "--depth=8", "a.tif", "-o", "b.tif")
assert read("b.tif")[1] == [[255 if v >= 349.5 else 0 for v in c] for c in channels]
imf("-f", "invert", "--depth=float", "a.tif", "-o", "b.tif")
tags, got = read("b.tif")
assert tags[258] == [32] * 6 and tags[339] == [3] * 6 and abs(got[5][0] - (1 - 500 / 65535)) < 1e-6
'
}

@test "channels that do not fit into memory ahead are decoded again" {
    spectral '
base = draw("u16", 300, 300, 1)[0]
write("a.tif", "u16", 300, 300, [base[c:] + base[:c] for c in range(12)], "deflate strips")
imf("-f", "median:1", "a.tif", "-o", "b.tif")
for limit in "10M", "12M", "20M":
    imf("--backend=cpu", "--max-memory=" + limit, "-f", "median:1", "a.tif", "-o", "c.tif")
    assert open("b.tif", "rb").read() == open("c.tif", "rb").read(), limit
'
}

@test "a page may have many channels, and another few" {
    spectral '
write("1.tif", "u8", 20, 10, draw("u8", 20, 10, 6))
write("2.tif", "u16", 15, 12, draw("u16", 15, 12, 1))
write("3.tif", "f32", 9, 8, draw("f32", 9, 8, 5), "planes")
join(["1.tif", "2.tif", "3.tif"], "a.tif")
said = imf("--json", "-f", "median:1", "a.tif", "-o", "b.tif") # and a warning of bytes that are headers of 2.tif and 3.tif
lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
assert [(line["page"], line["channels"]) for line in lines] == [(1, 6), (2, 1), (3, 5)]
for page in "123":
    imf("-f", "median:1", page + ".tif", "-o", "want.tif")
    imf("--pages=" + page, "-f", "kernel:1", "b.tif", "-o", "got.tif")
    want, got = read("want.tif"), read("got.tif")
    assert want[1] == got[1] and want[0][277] == got[0][277], page
'
}

@test "overviews have the same channels" {
    spectral '
channels = draw("u8", 20, 10, 6)
write("1.tif", "u8", 20, 10, channels)
write("2.tif", "u8", 10, 5, draw("u8", 10, 5, 6), more=[(254, "I", [1])])
join(["1.tif", "2.tif"], "a.tif")
imf("-f", "kernel:1", "a.tif", "-o", "b.tif")
assert read("b.tif")[1] == channels
tags, small = read("b.tif", 1)
assert tags[254] == [1] and tags[277] == [6] and tags[256] == [10]
for c, got in zip(channels, small):
    assert got == [round(sum(c[20 * (2 * y + i // 2) + 2 * x + i % 2] for i in range(4)) / 4) for y in range(5) for x in range(10)]
'
}

@test "damage of one channel leaves the others" {
    spectral '
channels = draw("u8", 40, 20, 6)
write("a.tif", "u8", 40, 20, channels, "planes strips deflate")
at = read("a.tif")[0][273][9]
data = bytearray(open("a.tif", "rb").read())
data[at:at + 20] = b"\xff" * 20
open("a.tif", "wb").write(data)
said = imf("-f", "kernel:1", "a.tif", "-o", "b.tif", ok=False)
assert "of 20 of channel 3 (accept the readable part with --lenient)" in said, said
imf("--lenient", "-f", "kernel:1", "a.tif", "-o", "b.tif")
got = read("b.tif")[1]
assert got[:2] == channels[:2] and got[3:] == channels[3:] and got[2] == channels[2][:200] + [0] * 600
'
}

@test "1000 channels, and more than can be read" {
    spectral '
channels = [[c % 251] * 12 for c in range(1000)]
for how in "", "planes":
    write("a.tif", "u8", 4, 3, channels, how)
    imf("-f", "blur:1", "a.tif", "-o", "b.tif")
    assert read("b.tif")[1] == channels
write("a.tif", "u8", 1, 1, [[c % 251] for c in range(4097)])
assert "4097 samples a pixel" in imf("-f", "blur:1", "a.tif", "-o", "b.tif", ok=False)
'
}

@test "vips reads what is written, and imfilter what vips writes" {
    command -v vips >/dev/null || skip "there is no vips"
    spectral '
channels = draw("u16", 33, 21, 6)
for c, samples in enumerate(channels):
    write("%d.tif" % c, "u16", 33, 21, [samples])
tile = "[tile,tile-width=16,tile-height=16]"
for options in "", tile, "[compression=deflate,predictor=horizontal]", "[compression=lzw]":
    subprocess.run(["vips", "bandjoin", " ".join("%d.tif" % c for c in range(6)), "six.tif" + options], check=True)
    imf("-f", "kernel:1", "six.tif", "-o", "b.tif")
    assert read("b.tif")[1] == channels, options
for c in range(6):
    subprocess.run(["vips", "extract_band", "b.tif", "c.tif", str(c)], check=True)
    assert read("c.tif")[1] == [channels[c]], c
'
}
