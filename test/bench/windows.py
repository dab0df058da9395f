#!/usr/bin/env python3
"""windows.py - filters that are no sums of products, beside OpenCV's, in one run

  BUILD=build ROUNDS=5 [WIDTH=4000 HEIGHT=3000] [ONLY=median] [PICTURE=photo.ppm] python3 test/bench/windows.py

Writes $BUILD/bench/windows.md. Both have their pixels in memory and all cores; they run in turns,
ROUNDS times, and medians are compared. It needs python3-opencv; of python3-skimage what there is.
"""
import json
import os
import subprocess
import sys
import time

try:
    import cv2
    import numpy as np
except ImportError:
    sys.exit("windows.py: needs python3-opencv")
try:
    from skimage.filters import rank
except ImportError:
    rank = None

BUILD = os.environ.get("BUILD", "build")
ROUNDS = int(os.environ.get("ROUNDS", "5"))
WIDTH = int(os.environ.get("WIDTH", "4000"))
HEIGHT = int(os.environ.get("HEIGHT", "3000"))
ONLY = os.environ.get("ONLY", "")
DIRECTORY = os.path.join(BUILD, "bench")


def picture():
    """RGB, 8 bits."""
    path = os.environ.get("PICTURE")
    if not path:
        path = os.path.join(DIRECTORY, "windows.ppm")
        with open(path, "wb") as out:
            subprocess.run([os.path.join(DIRECTORY, "photo"), str(WIDTH), str(HEIGHT)], stdout=out, check=True)
    return cv2.imread(path)


def disk(radius):
    y, x = np.mgrid[-radius:radius + 1, -radius:radius + 1]
    return (x * x + y * y <= radius * radius).astype(np.uint8)


def square(size):
    return np.ones((size, size), np.uint8)


def rows(colours, gray):
    """Name, filter, image, the peer's call (None: it has none), the ratio to reach."""
    for size, most in ((3, 0.9), (5, 0.5), (7, 0.08), (11, 0.15), (21, 0.3), (31, 0.4), (71, 0.7), (151, 0.8)):
        yield (f"median {size}x{size}", f"median:{size // 2}", colours,
               lambda size=size: cv2.medianBlur(colours, size), most)
    deep = colours.astype(np.uint16) * 257
    yield "median 31x31, 16 bits", "median:15", deep, None, None
    if rank:
        yield ("median, disk of 15, gray", "median:15:shape=disk", gray, lambda: rank.median(gray, disk(15)), 0.1)
    for size, most in ((3, 0.8), (31, 0.5), (301, 0.1)):
        yield (f"erode {size}x{size}", f"erode:{size // 2}", colours,
               lambda size=size: cv2.erode(colours, square(size)), most)
    for radius, most in ((7, 0.6), (15, 0.3)):
        yield (f"erode, disk {2 * radius + 1}x{2 * radius + 1}", f"erode:{radius}:shape=disk", colours,
               lambda radius=radius: cv2.erode(colours, disk(radius)), most)
    for sigma in (3, 8):
        yield (f"bilateral, sigma {sigma}", f"bilateral:{sigma}:0.1", colours,
               lambda sigma=sigma: cv2.bilateralFilter(colours, 6 * sigma + 1, 25.5, sigma), 0.3)
    yield "canny, gray", "canny:0.1:0.2:sigma=0", gray, lambda: cv2.Canny(gray, 102, 204), 0.7
    yield "equalize, gray", "equalize", gray, lambda: cv2.equalizeHist(gray), 1.3


def ours(spec, path):
    """Milliseconds, and by what."""
    command = [os.path.join(BUILD, "imfilter"), "--bench=1", "--json", "-f", spec, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr.strip()
    report = json.loads(done.stdout.splitlines()[0])
    return report["compute_median_ms"], report["algorithm"]


def theirs(call):
    begin = time.perf_counter()
    call()
    return (time.perf_counter() - begin) * 1000


def middle(values):
    return sorted(values)[len(values) // 2]


def measure(name, spec, image, call, most):
    path = os.path.join(DIRECTORY, "windows.pnm")
    if not cv2.imwrite(path, image):
        sys.exit(f"windows.py: cannot write {path}")
    here, there = [], []
    if call:
        call()  # the first of a kind takes longer
    for _ in range(ROUNDS):
        took, algorithm = ours(spec, path)
        if took is None:
            return f"| {name} | {algorithm} |"
        here.append(took)
        if call:
            there.append(theirs(call))
    peer, ratio = "-", "-"
    if there:
        peer, ratio = f"{middle(there):.1f}", f"{middle(here) / middle(there):.2f}"
    return f"| {name} | {middle(here):.1f} | {peer} | {ratio} | {most or '-'} | {algorithm} |"


def main():
    colours = picture()
    gray = cv2.cvtColor(colours, cv2.COLOR_BGR2GRAY)
    height, width = gray.shape
    head = [f"{width}x{height}, 8 bits, RGB unless it says gray; milliseconds, medians of {ROUNDS}", "",
            "| filter | imfilter | OpenCV, scikit-image | ratio | to reach | way |", "|---|---|---|---|---|---|"]
    print("\n".join(head), flush=True)
    table = head
    for row in rows(colours, gray):
        if ONLY not in row[0]:
            continue
        line = measure(*row)
        print(line, flush=True)
        table.append(line)
    with open(os.path.join(DIRECTORY, "windows.md"), "w", encoding="utf-8") as out:
        out.write("\n".join(table) + "\n")


main()
