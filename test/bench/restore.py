#!/usr/bin/python3
"""restore.py - how well blurred, noisy pictures are restored: gain in PSNR and overshoot

    restore.py [--noise=1,4] [--only=WORD] [--peers] [--keep=DIR] ORIGINAL...

Each original, a picture that is sharp, becomes gray, is blurred by the program itself at 16 bits, cut to 448 x 448
pixels in the middle, so that the blur has brought in what lies beyond the edge, gets white noise of known
sigma and is rounded to 8 bits. PSNR is against the original's same part, "gain" is that over the degraded
picture's. Overshoot is by how much samples leave the range of the original's 3 x 3 neighbourhood, on
average. --peers: scikit-image's deconvolutions, too. IMFILTER names the program.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../model"))
import pixels  # noqa: E402

PROGRAM = os.environ.get("IMFILTER", os.path.join(HERE, "../../build/imfilter"))
BLURS = ["gaussian:1.5", "gaussian:3", "disk:3", "disk:7", "motion:15:30"]
METHODS = ["deblur:%s", "deblur:%s:prior=tv", "rl:%s", "deblur:auto", "unsharp"]
SIDE = 448


def run(folder, image, maximum, *options):
    """The picture after imfilter, as floats of the scale that was written"""
    source, result = os.path.join(folder, "in.pgm"), os.path.join(folder, "out.pgm")
    pixels.write_pnm(source, image.reshape(image.shape + (1,)).astype(np.uint16 if maximum > 255 else np.uint8))
    done = subprocess.run([PROGRAM, *options, source, "-o", result], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip()
    return pixels.read(result)[..., 0].astype(float), done.stderr.strip()


def gray(folder, path):
    result = os.path.join(folder, "gray.pgm")
    subprocess.run([PROGRAM, "-f", "gray", "--depth=16", path, "-o", result], check=True)
    return pixels.read(result)[..., 0].astype(float)


def middle(image, margin=16):
    """The middle part, with at least `margin` pixels around it"""
    h, w = (min(SIDE, n - 2 * margin) for n in image.shape)
    y, x = (image.shape[0] - h) // 2, (image.shape[1] - w) // 2
    return image[y:y + h, x:x + w]


def degrade(folder, original, blur, sigma, seed):
    """The part that is to be restored, as it was and as it is given, 0..255"""
    blurred, _ = run(folder, original, 65535, "-f", blur)
    noise = np.random.default_rng(seed).normal(0, sigma, middle(original).shape)
    given = np.clip(np.rint(middle(blurred) / 257 + noise), 0, 255)
    return middle(original) / 257, given


def psnr(want, have):
    return 10 * np.log10(255 ** 2 / np.mean((np.clip(np.rint(have), 0, 255) - want) ** 2))


def overshoot(want, have):
    around = np.pad(want, 1, mode="edge")
    views = [around[i:i + want.shape[0], j:j + want.shape[1]] for i in range(3) for j in range(3)]
    low, high = np.minimum.reduce(views), np.maximum.reduce(views)
    return np.mean(np.maximum(have - high, 0) + np.maximum(low - have, 0))


def kernel(folder, blur):
    """A blur's taps: its picture of a point"""
    point = np.zeros((63, 63))
    point[31, 31] = 65535
    taps, _ = run(folder, point, 65535, "-f", blur)
    return taps[::-1, ::-1] / taps.sum()


def peers(given, taps):
    from skimage import restoration
    y = given / 255
    yield "skimage wiener .1", restoration.wiener(y, taps, 0.1, clip=False) * 255
    yield "skimage unsupervised", restoration.unsupervised_wiener(
        y, taps, clip=False, user_params={"max_num_iter": 30})[0] * 255
    yield "skimage rl 10", restoration.richardson_lucy(y, taps, 10, clip=False) * 255


def score(options, folder, totals):
    for number, path in enumerate(options.originals):
        original = gray(folder, path)
        for blur in BLURS:
            for sigma in options.noise:
                want, given = degrade(folder, original, blur, sigma, number)
                base = psnr(want, given)
                results = [("degraded", given)]
                for method in METHODS:
                    spec = method % blur if "%s" in method else method
                    if options.only and not any(word in spec for word in options.only.split(",")):
                        continue
                    have, said = run(folder, given, 255, "-v", "-f", spec)
                    if options.only:
                        print(os.path.basename(path), blur, sigma, spec, "%.2f" % (
                            psnr(want, given if have is None else have) - base), said, flush=True)
                    results.append((method.replace("%s", "KERNEL"), given if have is None else have))
                if options.peers:
                    results += peers(given, kernel(folder, blur))
                for name, have in results:
                    totals.setdefault(name, {}).setdefault(sigma, []).append(
                        (psnr(want, have) - base, overshoot(want, have)))
                    if options.keep:
                        os.makedirs(options.keep, exist_ok=True)
                        name = "%s %s %g %s.pgm" % (os.path.basename(path), blur, sigma, name.replace("/", "_"))
                        rounded = np.clip(np.rint(have), 0, 255).astype(np.uint8)
                        pixels.write_pnm(os.path.join(options.keep, name), rounded[..., None])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("originals", nargs="+")
    parser.add_argument("--noise", type=lambda text: [float(v) for v in text.split(",")], default=[1.0, 4.0])
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    totals = {}
    with tempfile.TemporaryDirectory() as folder:
        score(options, folder, totals)
    print("%-36s %s" % ("method", "   ".join("noise %g: gain  worst  overshoot" % n for n in options.noise)))
    for name, by_noise in totals.items():
        row = ["%13.2f %6.2f %10.2f" % (np.mean([g for g, _ in v]), min(g for g, _ in v), np.mean([o for _, o in v]))
               for v in by_noise.values()]
        print("%-36s %s" % (name, "   ".join(row)))


if __name__ == "__main__":
    main()
