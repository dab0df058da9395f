#!/usr/bin/env python3
"""memory.py - a run keeps to --max-memory, or is refused before it filters: memory.py [--few] [WORD]...

Each case is a command line; its process may take no more memory at any time than each limit says, or it ends with a
message that names the limit and writes nothing. What is compared is the peak of resident memory that the system counted.
Where a limit leads to a result, that is compared with the one without a limit: the same bytes from exact filters, no
sample off by more than 1 from others. WORD: only cases whose command line has that in it. --few: those of `make check`.
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

PROGRAM = os.path.abspath(os.environ.get("IMFILTER", "build/imfilter"))
MIB = 1 << 20


class Count:
    passed = failed = 0


def check(good, text):
    if good:
        Count.passed += 1
    else:
        Count.failed += 1
        print("FAILED: " + text, flush=True)


# ---- inputs ----------------------------------------------------------------------------------------------------------


def rows_of(width, height, channels, seed):
    """Rows of waves and noise, cheaply: one long row of each, shifted."""
    draw = random.Random(seed)
    count = width * channels
    noise = draw.randbytes(2 * count)
    for y in range(height):
        at = y * 7919 % count
        row = bytearray(noise[at : at + count])
        row[: count // 2] = bytes([y * 255 // height]) * (count // 2)
        yield bytes(row)


def write_pam(name, width, height, channels, seed=1):
    kind = {1: "GRAYSCALE", 3: "RGB", 4: "RGB_ALPHA"}[channels]
    with open(name, "wb") as out:
        out.write(b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL 255\nTUPLTYPE %s\nENDHDR\n"
                  % (width, height, channels, kind.encode()))
        out.writelines(rows_of(width, height, channels, seed))


def write_interlaced_png(name, width, height):
    """All samples of a pass are the same: what counts is that it is interlaced."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    z, data = zlib.compressobj(1), []
    for x, y, across, down in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        row = b"\0" + b"\x80\x90\xa0" * len(range(x, width, across))
        data.extend(z.compress(row) for _ in range(y, height, down))
    data.append(z.flush())
    with open(name, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 1)) +
                  chunk(b"IDAT", b"".join(data)) + chunk(b"IEND", b""))


def write_tiff_of_jpeg(name, jpeg, width, height):
    """One strip of RGB as YCbCr, compressed as that JPEG file."""
    with open(jpeg, "rb") as f:
        data = f.read()
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 3, 0), (259, 3, 1, 7), (262, 3, 1, 6), (273, 4, 1, 0),
               (277, 3, 1, 3), (278, 4, 1, height), (279, 4, 1, len(data)), (284, 3, 1, 1), (530, 3, 2, 2 | 2 << 16)]
    after = 8 + 2 + 12 * len(entries) + 4
    fixed = {258: after, 273: after + 6}
    with open(name, "wb") as out:
        out.write(struct.pack("<2sHIH", b"II", 42, 8, len(entries)))
        for tag, kind, count, value in entries:
            out.write(struct.pack("<HHII", tag, kind, count, fixed.get(tag, value)))
        out.write(struct.pack("<I3H", 0, 8, 8, 8) + data)


def write_pfm_kernel(name, side):
    row = struct.pack("<%df" % side, *(((i * i) % 7 - 2.5) for i in range(side)))
    with open(name, "wb") as out:
        out.write(b"Pf\n%d %d\n-1.0\n" % (side, side))
        for y in range(side):
            out.write(row[4 * (y % 5) :] + row[: 4 * (y % 5)])


def convert(*arguments):
    subprocess.run([PROGRAM, "-q", *arguments], check=True)


# ---- running ---------------------------------------------------------------------------------------------------------


# What the system counts of a process begins with the memory of the one that starts it, which has to be a small one.
MEASURE = """
import posix, sys
_, status, usage = posix.wait4(posix.posix_spawn(sys.argv[2], sys.argv[2:], posix.environ), 0)
with open(sys.argv[1], "w") as out:
    print(posix.waitstatus_to_exitcode(status), usage.ru_maxrss, file=out)
"""


def run(arguments):
    """Exit status, messages and the most bytes that were resident."""
    with open("said", "w+b") as said, open("printed", "wb") as printed:
        subprocess.run([sys.executable, "-I", "-S", "-c", MEASURE, "measured", PROGRAM, *arguments], check=True,
                       stdout=printed, stderr=said)
        said.seek(0)
        with open("measured", encoding="ascii") as file:
            status, kib = map(int, file.read().split())
        return status, said.read().decode(errors="replace"), kib * 1024


def remove(*names):
    for name in names:
        if os.path.isdir(name):
            shutil.rmtree(name)
        else:
            os.remove(name)


def differs(a, b):
    """The largest difference of samples of two PAM files, and how many differ."""
    most = count = 0
    with open(a, "rb") as one, open(b, "rb") as other:
        wide = False
        line = b""
        while line != b"ENDHDR\n":
            line = one.readline()
            if other.readline() != line:
                return 65535, 0
            wide = wide or line == b"MAXVAL 65535\n"
        while True:
            x, y = one.read(MIB // 4), other.read(MIB // 4)
            if len(x) != len(y):
                return 65535, max(len(x), len(y))
            if not x:
                return most, count
            if x != y:
                if wide:
                    x, y = (struct.unpack(">%dH" % (len(v) // 2), v) for v in (x, y))
                off = [abs(p - q) for p, q in zip(x, y) if p != q]
                most, count = max(most, *off), count + len(off)


def bytes_of(limit):
    return int(limit[:-1]) * {"M": MIB, "G": 1024 * MIB}[limit[-1]]


def outputs():
    return [name for name in os.listdir() if name.startswith("out.")]


def try_case(arguments, limits, exact=False):
    """With each limit; the first, which is large, leads to what others are compared with."""
    shown = " ".join(arguments)
    kept = False
    for limit in limits:
        remove(*outputs())
        status, said, peak = run([*arguments, "--max-memory=" + limit])
        line = "%s of %s: status %d, peak %.1f MiB" % (limit, shown, status, peak / MIB)
        if "-v" in sys.argv:
            print(line, said.strip().splitlines()[-1:] if status else "", flush=True)
        check(peak <= bytes_of(limit), line)
        refused = status in (1, 2) and "(raise it with --max-memory" in said
        check(status == 0 or refused, line + ": " + said.strip())
        if refused and "-j4" not in arguments: # of a batch others are done
            check(not outputs(), line + ": an output is left")
        if status == 0 and kept and os.path.exists("out.pam"):
            most, count = differs("out.pam", "first.pam")
            check(most <= (0 if exact else 1), line + ": %d samples differ, by up to %d" % (count, most))
        elif status == 0 and os.path.exists("out.pam"):
            os.replace("out.pam", "first.pam")
            kept = True


# ---- cases -----------------------------------------------------------------------------------------------------------

EXACT = ["sharpen", "median:3", "percentile:20:15", "erode:9", "open:12:shape=disk", "gradient:2", "canny:0.1:0.3",
         "equalize", "threshold:otsu", "invert", "laplacian", "kernel:1,2,3/4,-5,6/7,8,9:scale=7", "gray"]
REAL = ["blur:2", "blur:30", "unsharp:sigma=3", "box:31", "disk:12", "disk:40", "motion:61:30", "sobel", "phase", "log:2",
        "dog:2:4", "emboss", "highpass:0.05", "lowpass:0.02:type=butterworth", "bandstop:0.1:0.2", "notch:0.1:0.1:0.02",
        "notch:auto", "descreen", "bilateral:2:0.1", "guided:8:0.1", "denoise", "denoise:4%:quality=best",
        "deblur:gaussian:1.5", "rl:disk:2:iterations=3", "threshold:local:20:0.05", "threshold:sauvola:20", "flatten:25",
        "clahe", "scharr:dir=x", "blur:8"]


def filters(name, limits):
    """Each filter on a picture, with each limit."""
    for spec in EXACT + REAL:
        yield ["-f", spec, name, "-o", "out.pam"], limits, spec in EXACT


def options(limits, width, height, kernels):
    """What holds a picture besides the filter: by an option, or by a file's form."""
    write_pam("rgb.pam", width, height, 3)
    write_pam("gray.pam", width, height, 1)
    write_pam("tiny.pam", 3, 3, 1)
    write_interlaced_png("interlaced.png", width, height)
    convert("-f", "invert", "rgb.pam", "-o", "baseline.jpg")
    convert("-f", "invert", "rgb.pam", "-o", "plain.tif", "--compression=0")
    subprocess.run(["jpegtran", "-progressive", "-outfile", "progressive.jpg", "baseline.jpg"], check=True)
    write_tiff_of_jpeg("progressive.tif", "progressive.jpg", width, height)
    for side in kernels:
        write_pfm_kernel("k%d.pfm" % side, side)
    masked = ["-f", "blur:2", "rgb.pam", "--mask=gray.pam"]
    many = [word for _ in range(6) for word in ("-f", "kernel:@k%d.pfm:scale=auto" % kernels[0])]
    for arguments in (
        ["-f", "blur:2", "rgb.pam", "--verify"],
        ["-f", "sharpen", "rgb.pam", "--verify", "-o", "out.pam"],
        ["-f", "blur:2", "-f", "threshold:0.5", "rgb.pam", "--verify"],
        ["-f", "blur:2", "rgb.pam", "--bench=1"],
        ["-f", "blur:2", "rgb.pam", "--spectrum=out.png"],
        ["rgb.pam", "--spectrum=out.png"],
        ["-f", "blur:2", "rgb.pam", "--spectrum=out.png", "--verify"],
        [*masked, "-o", "out.pam"],
        [*masked, "--mask-feather=20", "-o", "out.pam"],
        [*masked, "--mask-feather=20", "--verify"],
        ["-f", "blend:multiply:@rgb.pam", "rgb.pam", "-o", "out.pam"],
        ["-f", "blur:2", "rgb.pam", "--region=50%x50%+10+10", "--mask-feather=9", "-o", "out.pam"],
        ["-f", "blur:2", "rgb.pam", "--linear", "--depth=16", "-o", "out.pam"],
        ["-f", "blur:2", "rgb.pam", "--range=normalize", "-o", "out.pam"],
        ["-f", "blur:2", "rgb.pam", "--edge=wrap", "-o", "out.pam"],
        ["-f", "blur:2", "interlaced.png", "-o", "out.pam"],
        ["-f", "blur:2", "progressive.jpg", "-o", "out.pam"],
        ["-f", "blur:2", "progressive.jpg", "-o", "out.jpg"],
        ["-f", "blur:2", "progressive.tif", "-o", "out.pam"],
        ["-f", "blur:2", "plain.tif", "-o", "out.tif"],
        ["-f", "blur:2", "baseline.jpg", "--optimize", "-o", "out.jpg"],
        ["-f", "blur:2", "rgb.pam", "-o", "out.png"],
        ["-f", "blur:2", "rgb.pam", "-o", "out.webp"],
        *(["-f", "kernel:@k%d.pfm:scale=auto" % side, "tiny.pam", "-o", "out.pam"] for side in kernels),
        *(["-f", "kernel:@k%d.pfm:scale=auto" % side, "tiny.pam", "--verify"] for side in kernels),
        [*many, "tiny.pam", "-o", "out.pam"],
        ["-f", "median:@k63.pfm", "gray.pam", "-o", "out.pam"],
        ["-f", "deblur:@k63.pfm", "gray.pam", "-o", "out.pam"],
        ["-f", "blur:2", "-j4", "rgb.pam", "gray.pam", "interlaced.png", "-o", "out.d/"],
    ):
        yield arguments, limits


def main():
    few = "--few" in sys.argv
    words = [a for a in sys.argv[1:] if not a.startswith("-")]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_pam("rgba.pam", 500 if few else 1000, 700, 4)
        write_pfm_kernel("k63.pfm", 63)
        cases = list(filters("rgba.pam", ["1G", "60M", "30M"] if few else ["1G", "60M", "40M", "30M", "24M"]))
        if few:
            cases += options(["1G", "60M", "30M"], 1000, 700, [301, 1023])
        else:
            write_pam("large.pam", 4000, 3000, 3)
            cases += filters("large.pam", ["1G", "200M", "60M"])
            cases += options(["1G", "200M", "60M"], 4000, 3000, [1023, 4095])
        for case in cases:
            if not words or any(w in " ".join(case[0]) for w in words):
                try_case(*case)
        os.chdir("/")
    print("memory.py: %d passed, %d failed" % (Count.passed, Count.failed))
    return Count.failed > 0


if __name__ == "__main__":
    sys.exit(main())
