#!/usr/bin/env python3
"""from.py - what imfilter-from(7) says gives the same picture, by the programs that it names: test/from.py [PROGRAM]...

Every row of the page stands below a comment that names its program. What is printed is what is run, on
testdata/still.jpg in gray, of 8 bits; where the other program's result has floats, imfilter's has 16 bits. A row is right
where neither the largest nor the mean difference exceeds what the page states, and it states no more than twice what was
measured. `--measure` prints the measured rows instead. What is not installed is passed over, by name.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:  # the shell's python3 may lack what the system's has
    if sys.executable == "/usr/bin/python3":
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "man", "imfilter-from.7")
IMFILTER = os.path.abspath(os.environ.get("IMFILTER", os.path.join(ROOT, "build", "imfilter")))


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300, check=False,
                          **more)
    if done.returncode != 0:
        raise ValueError("%s: %s" % (command, (done.stderr or done.stdout).strip()[-400:]))
    return done.stdout


def imfilter(options, source):
    """The samples of 8 or 16 bits that imfilter makes of a file."""
    if not options[0].startswith("-"):
        options = ["-f"] + options
    run([IMFILTER, "-q"] + options + ["--format=pgm", source, "-o", "mine"])
    return read("mine")


def read(name):
    """A picture in gray; what is no PGM is read by imfilter, without a change."""
    with open(name, "rb") as file:
        data = file.read()
    if data[:2] != b"P5":
        run([IMFILTER, "-q", "-f", "gray", "-f", "kernel:1", "--alpha=keep", "--format=pam", name, "-o", "theirs.pam"])
        with open("theirs.pam", "rb") as file:
            head, data = file.read().split(b"ENDHDR\n", 1)
        size = {word: int(value) for word, value in re.findall(rb"(WIDTH|HEIGHT|DEPTH|MAXVAL) (\d+)", head)}
        samples = np.frombuffer(data, ">u2" if size[b"MAXVAL"] > 255 else "u1")
        return samples.reshape(size[b"HEIGHT"], size[b"WIDTH"], size[b"DEPTH"])[:, :, 0]
    width, height, most = map(int, re.match(rb"P5\s+(?:#[^\n]*\n)*(\d+)\s+(\d+)\s+(\d+)\s", data).groups())
    start = re.match(rb"P5\s+(?:#[^\n]*\n)*\d+\s+\d+\s+\d+\s", data).end()
    return np.frombuffer(data[start:], ">u2" if most > 255 else "u1")[:width * height].reshape(height, width)


# ---- other programs --------------------------------------------------------------------------------

def in_shell(line):
    run(["sh", "-c", line])
    names = re.findall(r"\bout\.\w+", line)
    return read(names[-1])


def in_python(line):
    """An expression of the picture a."""
    names = {"np": np, "a": np.load("in.npy"), "mask": np.load("mask.npy")}
    exec("\n".join(text for name, text in MODULES.items() if re.search(r"\b%s\b" % name, line)), names)
    result = np.asarray(eval(line, names))
    return result * np.uint8(255) if result.dtype == bool else result


MODULES = {"cv2": "import cv2", "ndimage": "from scipy import ndimage", "signal": "from scipy import signal",
           "skimage": "import skimage.exposure, skimage.filters, skimage.morphology",
           "convolution": "from astropy import convolution", "Image": "from PIL import Image, ImageFilter"}


def has_module(text):
    try:
        exec(text, {})
    except ImportError:
        return False
    return True


def in_octave(line):
    code = ("pkg load image; a = imread('in.pgm'); r = %s; f = fopen('theirs.raw', 'w'); "
            "if isa(r, 'uint8'), fwrite(f, r', 'uint8'); else fwrite(f, double(r)', 'double'); end; fclose(f);" % line)
    run(["octave", "--no-gui", "-q", "--eval", code])
    shape = read("in.pgm").shape
    raw = np.fromfile("theirs.raw", "u1")
    return (raw if raw.size == shape[0] * shape[1] else raw.view("f8")).reshape(shape)


def in_sharp(line):
    run(["node", "-e", "require('sharp')('in.png')%s.toColourspace('b-w').png().toFile('out.png')"
         ".catch(e => { console.error(e); process.exit(1) })" % line])
    return read("out.png")


def in_imagej(line):
    """A command of ImageJ's menus as a macro has it."""
    with open("run.ijm", "w", encoding="ascii") as file:
        file.write('open("%s/in.pgm");\n%s\nsaveAs("PGM", "%s/out.pgm");\nrun("Quit");\n' % (os.getcwd(), line, os.getcwd()))
    run(["xvfb-run", "-a", "java", "-cp", "/usr/share/java/ij.jar", "ij.ImageJ", "-batch", "run.ijm"])
    return read("out.pgm")


def version_of(*command, says):
    return shutil.which(command[0]) and says in subprocess.run(command, capture_output=True, text=True,
                                                               check=False).stdout


PROGRAMS = {
    "ImageMagick": (in_shell, lambda: version_of("convert", "-version", says="ImageMagick 6.9.11")),
    "GraphicsMagick": (in_shell, lambda: version_of("gm", "version", says="GraphicsMagick 1.")),
    "vips": (in_shell, lambda: version_of("vips", "--version", says="vips-8.14")),
    "gmic": (in_shell, lambda: shutil.which("gmic")),
    "GEGL": (in_shell, lambda: shutil.which("gegl")),
    "ffmpeg": (in_shell, lambda: shutil.which("ffmpeg")),
    "sharp": (in_sharp, lambda: shutil.which("node") and subprocess.run(
        ["node", "-e", "require('sharp')"], capture_output=True, check=False).returncode == 0),
    "OpenCV": (in_python, lambda: has_module("import cv2")),
    "SciPy": (in_python, lambda: has_module("import scipy")),
    "scikit-image": (in_python, lambda: has_module("import skimage")),
    "astropy": (in_python, lambda: has_module("import astropy")),
    "Pillow": (in_python, lambda: has_module("import PIL")),
    "Octave": (in_octave, lambda: version_of("octave", "--no-gui", "-q", "--eval", "pkg list image", says="image")),
    "ImageJ": (in_imagej, lambda: os.path.exists("/usr/share/java/ij.jar") and shutil.which("xvfb-run")
               and shutil.which("java")),
}


# ---- rows ------------------------------------------------------------------------------------------

def rows(text):
    """(program, their line, imfilter's options, largest, mean) of each row."""
    for program, block in re.findall(r'^\.\\" from: (\S+)\n\.Bd [^\n]*\n(.*?)^\.Ed$', text, re.M | re.S):
        lines = [line.replace("\\&", "") for line in block.splitlines()]
        for theirs, mine in zip(lines[::2], lines[1::2]):
            words = mine.split()
            yield program, theirs, words[:-2], float(words[-2]), float(words[-1])
        assert len(lines) % 2 == 0, program


def prepare():
    """in.pgm and in.png, deep.pgm with the same in 16 bits, in.npy, and what rows name besides."""
    run([IMFILTER, "-q", "-f", "gray", os.path.join(ROOT, "testdata", "still.jpg"), "-o", "in.pgm"])
    run([IMFILTER, "-q", "-f", "kernel:1", "in.pgm", "-o", "in.png"])
    run([IMFILTER, "-q", "-f", "kernel:1", "--depth=16", "in.pgm", "-o", "deep.pgm"])
    np.save("in.npy", read("in.pgm"))
    with open("median2.txt", "w", encoding="ascii") as file:
        file.write("0 1 1 1 0\n1 1 1 1 1\n1 1 1 1 1\n1 1 1 1 1\n0 1 1 1 0\n")
    np.save("mask.npy", np.loadtxt("median2.txt") > 0)
    with open("binomial.mat", "w", encoding="ascii") as file:
        file.write("3 3 16 0\n1 2 1\n2 4 2\n1 2 1\n")


def differences(way, theirs, mine):
    for name in glob.glob("out.*"):
        os.remove(name)
    result = way(theirs)
    floats = result.dtype.kind == "f"
    got = imfilter(mine, "deep.pgm" if floats or result.dtype.itemsize == 2 else "in.pgm")
    scale = {1: 1, 2: 257}[got.dtype.itemsize], 1 if floats else {1: 1, 2: 257}[result.dtype.itemsize]
    apart = np.abs(got.astype(float) / scale[0] - np.clip(result.astype(float) / scale[1], 0, 255))
    return apart.max(), apart.mean()


def main():
    parser = argparse.ArgumentParser(description="what imfilter-from(7) says, by the programs that it names")
    parser.add_argument("--measure", action="store_true", help="print what was measured")
    parser.add_argument("--page", default=PAGE)
    parser.add_argument("program", nargs="*", help="only these")
    options = parser.parse_args()
    with open(options.page, encoding="utf-8") as file:
        table = [row for row in rows(file.read()) if not options.program or row[0] in options.program]
    here = os.getcwd()
    there, passed, failed = {}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        for program, theirs, mine, most, mean in table:
            way, installed = PROGRAMS[program]
            if program not in there:
                there[program] = bool(installed())
                if not there[program]:
                    print("from.py: skipped: %s is not installed, or another version" % program)
            if not there[program]:
                continue
            try:
                worst, average = differences(way, theirs, mine)
                good = worst <= most + 1e-9 and average <= mean + 1e-9 and most <= 2 * worst + 0.01 and \
                    mean <= 2 * average + 0.001
                said = "%.4g %.4g" % (worst, average)
            except (ValueError, subprocess.TimeoutExpired, OSError) as error:
                good, said = False, str(error)
            passed, failed = passed + good, failed + (not good)
            if options.measure or not good:
                print("%s: %s = %s: %s, stated %g %g" % (program, theirs, " ".join(mine), said, most, mean), flush=True)
        os.chdir(here)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not table else 0


if __name__ == "__main__":
    sys.exit(main())
