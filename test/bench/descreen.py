#!/usr/bin/env python3
"""descreen.py - patterns added to pictures, or printed and scanned ones, and what filters leave of them

  python3 test/bench/descreen.py PICTURE...      [SPECS='descreen notch:auto'] [KEEP=folder]

PICTURE: whatever imfilter reads. Each is degraded in seven ways: two waves; dots at 45 degrees; dots at 15, 75 and 45
degrees, one angle for each colour, all of them added; and prints in colours, dots whose size is the tone, as a scanner
sees them at 4.1, 6.3, 8 and 10 pixels for a dot. In SPECS, P is the dots' distance. Of each filter it prints by how many dB the result is nearer to the picture
than the degraded one, in brackets in the outer 20 pixels; and last whether it leaves the picture itself as it is.
KEEP: where the pictures go. It needs numpy.
"""
import functools
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../model"))
import pixels  # noqa: E402

IMFILTER = os.environ.get("IMFILTER", os.path.join(os.environ.get("BUILD", "build"), "imfilter"))
SPECS = os.environ.get("SPECS", "descreen descreen:3 notch:auto blur:1.5 blur:0.4P").split()
FINE = 4  # parts of a scanner's pixel, each way


def wave(y, x, period, angle):
    turn = 2 * math.pi / period
    return np.cos(turn * (x * math.cos(math.radians(angle)) + y * math.sin(math.radians(angle))))


def dots(y, x, period, angle):
    """From -2 to 2"""
    return wave(y, x, period, angle) + wave(y, x, period, angle + 90)


def waves(picture):
    y, x = np.mgrid[:picture.shape[0], :picture.shape[1]]
    return picture + 14 * (wave(y, x, 7.3, 23) + wave(y, x, 4.3, -61))[:, :, None]


def screen(picture):
    y, x = np.mgrid[:picture.shape[0], :picture.shape[1]]
    return picture + 20 * np.tanh(3 * dots(y, x, 7.3, 45))[:, :, None]


def screens(picture):
    y, x = np.mgrid[:picture.shape[0], :picture.shape[1]]
    return picture + 8 * np.stack([dots(y, x, 6.1, a) for a in (15, 75, 45)][:picture.shape[2]], axis=2)


def blurred(plane, sigma):
    taps = np.exp(-(np.arange(-9, 10) / sigma) ** 2 / 2)
    for _ in range(2):
        plane = np.apply_along_axis(np.convolve, 0, np.pad(plane, ((9, 9), (0, 0)), "edge"), taps / taps.sum(), "valid").T
    return plane


def printed(picture, period):
    """White or ink by a threshold that goes round each dot; all shares of ink are equally often"""
    height, width, channels = picture.shape
    y, x = (np.mgrid[:height * FINE, :width * FINE] + 0.5) / FINE
    planes = []
    for c in range(channels):
        level = dots(y, x, period, (15, 75, 45)[c] if channels > 1 else 45)
        order = np.sort(level.ravel()[::97])
        tone = np.repeat(np.repeat(picture[:, :, c] / 255, FINE, axis=0), FINE, axis=1)
        ink = tone <= np.searchsorted(order, level) / len(order)
        scanned = blurred(np.where(ink, 15.0, 240.0), 0.55 * FINE)
        planes.append(scanned.reshape(height, FINE, width, FINE).mean(axis=(1, 3)))
    return np.stack(planes, axis=2)


KINDS = {"waves": (waves, 7.3), "dots 45": (screen, 7.3), "three angles": (screens, 6.1)}
KINDS.update(("print %g" % period, (functools.partial(printed, period=period), period)) for period in (4.1, 6.3, 8, 10))


def read(path):
    with open(path, "rb") as file:
        return pixels.read_pnm(file.read()).astype(float)


def filtered(spec, name, folder):
    out = os.path.join(folder, "out.ppm")
    subprocess.run([IMFILTER, "-q", "-f", spec, name, "-o", out], check=True)
    return read(out)


def error(a, b):
    square = (a - b) ** 2
    outer = np.ones(square.shape, bool)
    outer[20:-20, 20:-20] = False
    return square.mean(), square[outer].mean()


def measure(path, folder):
    name = os.path.basename(path)
    clean = os.path.join(folder, "clean.ppm")
    subprocess.run([IMFILTER, "-q", "-f", "kernel:1", "--depth=8", "--format=pnm", path, "-o", clean], check=True)
    picture = read(clean)
    picture = picture[:, :, :1] if picture.shape[2] == 2 else picture[:, :, :3]
    pixels.write_pnm(clean, picture.astype(np.uint8))
    for kind, (degrade, period) in KINDS.items():
        bad = os.path.join(folder, "%s, %s.ppm" % (name, kind))
        pixels.write_pnm(bad, np.clip(np.rint(degrade(picture)), 0, 255).astype(np.uint8))
        wanted = picture if not kind.startswith("print") else picture * (225 / 255) + 15
        before = error(wanted, read(bad))
        cells = []
        for spec in SPECS:
            exact = re.sub(r"([0-9.]+)P", lambda m: "%g" % (float(m[1]) * period), spec)
            after = error(wanted, filtered(exact, bad, folder))
            cells.append("%.1f (%.1f)" % tuple(10 * math.log10(b / a) for a, b in zip(after, before)))
        print("| %s | %s | %s |" % (name, kind, " | ".join(cells)), flush=True)
    same = [(filtered(spec.replace("P", ""), clean, folder) == picture).all() for spec in SPECS]
    print("| %s | unchanged | %s |" % (name, " | ".join("yes" if s else "no" for s in same)), flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print("| picture | pattern | %s |\n|---|---|%s" % (" | ".join(SPECS), "---|" * len(SPECS)))
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.environ.get("KEEP", scratch)
        os.makedirs(folder, exist_ok=True)
        for path in sys.argv[1:]:
            measure(path, folder)


main()
