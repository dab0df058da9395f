#!/usr/bin/env python3
"""scans.py - what an OCR misreads of pages in uneven light, before and after thresholds

  BUILD=build python3 test/bench/scans.py [WIDTH]

Draws a page of known text under six kinds of light and prints, as a table, characters that Tesseract gets wrong
(Levenshtein's distance): of the page as it is, and behind each way to black and white. It needs python3-numpy,
python3-pil, fonts-dejavu-core, tesseract-ocr and ImageMagick.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image, ImageDraw, ImageFont

IMFILTER = os.environ.get("IMFILTER") or os.path.join(os.environ.get("BUILD", "build"), "imfilter")
WIDTH = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
SIZE = WIDTH // 50  # of a letter
REACH = SIZE // 2  # of windows: they hold a letter and the paper around it
LINES = [
    "Sphinx of black quartz, judge my vow.",
    "The five boxing wizards jump quickly over a lazy dog,",
    "and 1234567890 crates of jugs were packed by them.",
    "How vexingly quick daft zebras jump; bright vixens too!",
    "When light falls from one side, paper in the shade is",
    "darker than ink in the sun: no single threshold can",
    "tell them apart, though every letter remains legible.",
    "Each sample is compared with the mean and the spread",
    "of the samples around it, which follow the light.",
    "Waltz, bad nymph, for quick jigs vex (pages 46 to 58).",
]


def page():
    """Ink on paper, 0..1."""
    image = Image.new("L", (WIDTH, SIZE * 2 * (len(LINES) + 2)), 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.truetype("DejaVuSerif.ttf", SIZE)
    for i, line in enumerate(LINES):
        draw.text((SIZE * 3, SIZE * 2 * (i + 1)), line, font=font, fill=40)
    return np.asarray(image, float) / 255


def lights(shape):
    """Name and light, 0..1, falling off in six ways."""
    y, x = (v / n for v, n in zip(np.mgrid[:shape[0], :shape[1]], shape))
    yield "from the right", 0.15 + 0.85 * x
    yield "from a corner", 0.12 + 0.88 * (1 - np.hypot(x, y) / np.sqrt(2)) ** 1.5
    yield "a lamp", 0.15 + 0.85 * np.exp(-((x - 0.6) ** 2 + (y - 0.4) ** 2) / 0.08)
    yield "a book's gutter", 0.95 - 0.8 * np.exp(-x / 0.15)
    yield "a hand's shadow", 0.95 - 0.75 / (1 + np.exp((np.hypot(x - 0.3, y - 0.6) - 0.35) / 0.01))
    yield "vignetting", np.clip(1 - 1.6 * ((x - 0.5) ** 2 + (y - 0.5) ** 2), 0.1, 1)


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, c in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, d in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (c != d))
    return row[-1]


def read(path):
    text = subprocess.run(["tesseract", path, "-", "--psm", "6"], capture_output=True, text=True, check=True,
                          env=dict(os.environ, OMP_THREAD_LIMIT="1")).stdout
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def imfilter(*filters):
    return lambda page, out: [IMFILTER, "-q"] + [w for f in filters for w in ("-f", f)] + [page, "-o", out]


SIDE = 2 * REACH + 1
WAYS = {
    "as it is": None,
    "otsu": imfilter("threshold:otsu"),
    "-lat": lambda page, out: ["convert", page, "-lat", "%dx%d-5%%" % (SIDE, SIDE), out],
    "-lat, wide": lambda page, out: ["convert", page, "-lat", "%dx%d-5%%" % (2 * SIDE, 2 * SIDE), out],
    "local": imfilter("threshold:local:%d:0.05" % REACH),
    "sauvola": imfilter("threshold:sauvola:%d" % REACH),
    "flatten": imfilter("flatten:%d" % REACH),
    "flatten, otsu": imfilter("flatten:%d" % REACH, "threshold:otsu"),
}


def main():
    paper, random, total = page(), np.random.default_rng(1), dict.fromkeys(WAYS, 0)
    text = "\n".join(LINES)
    print("| characters wrong of %d | %s |" % (len(text), " | ".join(WAYS)))
    print("|---" * (len(WAYS) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        scan, out = (os.path.join(folder, name) for name in ("scan.pgm", "page.png"))
        for name, light in lights(paper.shape):
            noisy = paper * light * 255 + random.normal(0, 3, paper.shape)
            Image.fromarray(np.clip(np.rint(noisy), 0, 255).astype(np.uint8)).save(scan)
            row = []
            for way, command in WAYS.items():
                if command:
                    subprocess.run(command(scan, out), check=True)
                wrong = distance(read(out if command else scan), text)
                total[way] += wrong
                row.append(str(wrong))
            print("| %s | %s |" % (name, " | ".join(row)), flush=True)
    print("| all | %s |" % " | ".join(map(str, total.values())))


main()
