#!/usr/bin/env python3
"""denoise.py - noise added to pictures and removed again, beside other programs, in one run

  BUILD=build [SIGMA=25] [ROUNDS=3] [SCALE=1] python3 test/bench/denoise.py PICTURE...

Prints a table: for each method and picture the decibels (PSNR, 8 bits) of what it makes of the picture with white
noise of SIGMA of 255, and the median of its seconds; and which sigma `denoise` finds. All have their pixels in memory,
imfilter as a process of `--bench`. SCALE makes pictures larger first, for times. Peers are those of
python3-opencv, python3-skimage and gmic that are there; they are told SIGMA.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import cv2
    import numpy as np
except ImportError:
    sys.exit("denoise.py: needs python3-opencv")
try:
    from skimage import restoration
except ImportError:
    restoration = None

BUILD = os.environ.get("BUILD", "build")
SIGMA = float(os.environ.get("SIGMA", "25"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
SCALE = float(os.environ.get("SCALE", "1"))
PROGRAM = os.path.abspath(os.path.join(BUILD, "imfilter"))


def ours(spec):
    def run(noisy, folder):
        source, result = (os.path.join(folder, name) for name in ("in.png", "out.png"))
        cv2.imwrite(source, noisy)
        out = subprocess.run([PROGRAM, "--json", "--bench=%d" % ROUNDS, "-f", spec, source, "-o", result],
                             stdout=subprocess.PIPE, check=True).stdout
        report = json.loads(out)
        return cv2.imread(result, cv2.IMREAD_UNCHANGED), report["compute_median_ms"] / 1000, report.get("found", "")
    return run


def peer(function):
    def run(noisy, _):
        times = []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            result = function(noisy)
            times.append(time.perf_counter() - begin)
        return result, sorted(times)[ROUNDS // 2], ""
    return run


def nlm(noisy):
    if noisy.ndim == 3:
        return cv2.fastNlMeansDenoisingColored(noisy, None, SIGMA, SIGMA, 7, 21)
    return cv2.fastNlMeansDenoising(noisy, None, SIGMA, 7, 21)


def skimage(function, **options):
    def run(noisy):
        axis = -1 if noisy.ndim == 3 else None
        return np.clip(np.rint(255 * function(noisy / 255, channel_axis=axis, **options)), 0, 255)
    return peer(run)


def gmic(command):
    def run(noisy, folder):
        source, result = (os.path.join(folder, name) for name in ("in.png", "gmic.png"))
        cv2.imwrite(source, noisy)
        begin = time.perf_counter()
        subprocess.run(["gmic", "-v", "-", source, *command.split(), "-c", "0,255", "-o", result], check=True)
        return cv2.imread(result, cv2.IMREAD_UNCHANGED), time.perf_counter() - begin, ""
    return run


def methods():
    part = SIGMA / 255
    yield "as it is", peer(lambda noisy: noisy)
    for spec in ("denoise", "denoise:quality=best", "denoise:%.4f" % part, "denoise:%.4f:quality=best" % part):
        yield spec, ours(spec)
    yield "bilateral:2:%.3g" % (2 * part), ours("bilateral:2:%.3g" % (2 * part))
    yield "OpenCV, non-local means", peer(nlm)
    if restoration:
        yield "scikit-image, non-local means", skimage(restoration.denoise_nl_means, h=0.8 * part, sigma=part,
                                                       patch_size=5, patch_distance=6)
        yield "scikit-image, wavelets", skimage(restoration.denoise_wavelet, rescale_sigma=True)
        yield "scikit-image, total variation", skimage(restoration.denoise_tv_chambolle, weight=1.1 * part)
    if shutil.which("gmic"):
        yield "gmic, denoise_patchpca", gmic("denoise_patchpca %g" % SIGMA)


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__.split("\n\n")[1])
    rows = {}
    for path in sys.argv[1:]:
        clean = cv2.imread(path, cv2.IMREAD_UNCHANGED)
        if clean is None:
            sys.exit("denoise.py: %s: cannot be read" % path)
        clean = clean[:, :, :3] if clean.ndim == 3 else clean
        if SCALE != 1:
            clean = cv2.resize(clean, None, fx=SCALE, fy=SCALE, interpolation=cv2.INTER_CUBIC)
        noise = np.random.default_rng(1).normal(0, SIGMA, clean.shape)
        noisy = np.clip(np.rint(clean + noise), 0, 255).astype(np.uint8)
        with tempfile.TemporaryDirectory() as folder:
            for name, run in methods():
                result, seconds, found = run(noisy, folder)
                decibels = -10 * np.log10(((result.astype(float) - clean) ** 2).mean() / 255 ** 2)
                rows.setdefault(name, []).append("%.2f | %.3f" % (decibels, seconds))
                if found:
                    print("%s: %s" % (os.path.basename(path), found), file=sys.stderr)
    print("| sigma %g |" % SIGMA + "".join(" %s dB | s |" % os.path.basename(p) for p in sys.argv[1:]))
    print("|---|" + "---|---|" * len(sys.argv[1:]))
    for name, cells in rows.items():
        print("| %s | %s |" % (name, " | ".join(cells)))


if __name__ == "__main__":
    main()
