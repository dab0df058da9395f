#!/usr/bin/env python3
"""hidden.py - do colours under alpha 0 change what is seen? hidden.py PROGRAM [OPTION]...

Pictures are drawn three times, alike but for the colours of the pixels whose alpha is 0. Every filter that PROGRAM lists
is run on them, with each of the words that its usage offers, alone, with options and in chains: where the results' alpha is not 0, they have to be the same.
A line for each filter has the largest change, of 255 or 65535, and the last one is "hidden: N passed, N failed".

Values for what a usage calls SIGMA, R and so on are below; a filter with another name there fails until it has one.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "model"))
import pixels  # noqa: E402

VALUES = {
    "SIGMA": "1.5", "N": "3", "RADIUS": "2.5", "LENGTH": "7", "ANGLE": "30", "LOW": "0.05", "HIGH": "0.2", "S1": "1",
    "S2": "2", "CUTOFF": "0.1", "U": "0.2", "V": "0.1", "RADIUS of notch": "0.05", "R": "2", "WxH": "3x5", "P": "30",
    "RANGE": "0.2", "EPS": "0.1", "KERNEL": "gaussian:1.2", "A,B,C/D,E,F/G,H,I": "1,2,1/2,-7,2/1,2,3", "@FILE": "@kernel.txt",
    "@MASK": "@mask.pgm", "T": "0.4", "OFFSET": "0.02", "MODE": None, "AMOUNT": "0.7", "STRENGTH": "1", "S": "16", "B": "0.1",
    "tiles": "3x2", "limit": "2", "k": "0.3", "order": "3", "sigma": "2", "amount": "2", "threshold": "0.02", "noise": "0.02",
    "SIGMA of denoise": "0.05", "ANGLE of emboss": "60", "iterations": "3", "scale": "16", "bias": "0.1",
    "AREA": "6", "background": "keep", "BLACK": "0.1", "WHITE": "0.9", "G": "1.8", "gamma": "0.6",
    "X,Y/X,Y/...": "0,0.2/0.4,0.3/1,0.9", "@FILE of curve": "@curve.txt",
}
MODES = "normal overlay softlight hardlight multiply screen lighten darken difference add subtract hue saturation color luminosity".split()

# What each spec is run with besides the default: one of these in turn, or with --thorough all.
WAYS = ["--backend=cpu", "--linear", "--channels=luma", "--channels=g", "--channels=chroma", "--region=20x15+8+9",
        "--region=20x15+8+9 --mask-feather=2", "--mask=mask.pgm --strength=0.6", "--channels=luma --region=25x20+5+5",
        "--range=normalize", "--edge=wrap", "--edge=mirror", "--edge=constant:0.5", "--alpha=premultiply",
        "--depth=16 --range=abs", "--backend=vector"]
# Likewise in chains: what one filter leaves under alpha 0 is what the next one reads.
CHAINS = ["{} median:1", "blur:1.5 {}", "sobel {}", "{} equalize", "gray {} threshold:otsu",
          "blur:3 blend:normal:0.5 {} blur:3", "sobel {} clahe:tiles=2x2", "invert {} denoise:quality=fast",
          "blur:3 {} blend:normal blur:3"]


def expand(usage):
    """The specs that a usage stands for."""
    name = re.match(r"[a-z]+", usage).group()
    specs = [name]
    rest = usage[len(name):]
    while rest:
        optional = re.match(r"\[:([^\]]*)\]", rest)
        part = optional.group(1) if optional else re.match(r":([^:\[]*)", rest).group(1)
        rest = rest[len(part) + (3 if optional else 1):]
        if "=" in part and not part.split("=")[0].isupper():
            key, _, words = part.partition("=")
            known = value(key, name)
            choices = [known] if known else [w for w in words.split("|")]
            prefix = ":" + key + "="
        else:
            words = part.partition("=")[0]
            if words == "MODE":
                choices = MODES
            else:
                choices = [value(word, name) or word for word in words.split("|")]
            prefix = ":"
        added = [one + prefix + choice for one in specs[:1] for choice in choices]
        specs = (specs if optional else []) + (added if optional else [one + prefix + c for one in specs for c in choices])
    return specs


def value(word, name):
    return VALUES.get("%s of %s" % (word, name), VALUES.get(word))


def draw(random, height, width, channels, full, dtype, wave):
    """A picture with holes of all sizes, soft edges and an island."""
    y, x = np.mgrid[0:height, 0:width]
    data = np.zeros((height, width, channels))
    for c in range(channels - 1):
        data[:, :, c] = 0.5 + 0.3 * np.sin(x / (5.0 + c) + c) * np.cos(y / 7.0) + 0.04 * random.standard_normal((height, width))
    data[:, :, :-1] += wave * np.sin(2 * np.pi * (x + y / 2) / 4.5)[:, :, None]  # which notch:auto and descreen remove
    far = np.hypot(x - 0.45 * width, y - 0.5 * height) / (0.42 * min(width, height))
    alpha = np.clip(6 * (1 - far), 0, 1)
    alpha[random.random((height, width)) < 0.06] = 0
    alpha[height // 2:height // 2 + 5, width // 3:width // 3 + 6] = 0
    alpha[2:4, width - 3] = 1  # far from the rest
    alpha[height - 1, :3] = 0.3
    data[:, :, -1] = alpha
    return np.clip(np.rint(data * full), 0, full).astype(dtype)


def hide(picture, way, random):
    """The same picture with other colours under alpha 0."""
    made = picture.copy()
    hidden = made[:, :, -1] == 0
    full = pixels.full(made)
    if way == 0:
        made[hidden, :-1] = 0
    elif way == 1:
        made[hidden, :-1] = full
    else:
        made[hidden, :-1] = random.integers(0, full + 1, (int(hidden.sum()), made.shape[2] - 1))
    return made


class Run:
    def __init__(self, program, size, kinds):
        self.program, self.names = program, []
        random = np.random.default_rng(5)
        self.folder = tempfile.mkdtemp(prefix="hidden-")
        os.makedirs(self.path("in"))
        width, height = size
        for channels, depth, wave in kinds:
            dtype = np.uint8 if depth == 8 else np.uint16
            picture = draw(random, height, width, channels, 2 ** depth - 1, dtype, wave)
            for way in range(3):
                name = "%d-%d-%g-%d.pam" % (channels, depth, wave, way)
                pixels.write_pnm(self.path("in", name), hide(picture, way, random))
                self.names.append(name)
        pixels.write_pnm(self.path("mask.pgm"), random.integers(0, 256, (height, width, 1)).astype(np.uint8))
        pixels.write_pnm(self.path("element.pgm"), (random.random((3, 5, 1)) < 0.7).astype(np.uint8) * 255)
        with open(self.path("curve.txt"), "w") as file:
            file.write("0 0.1\n0.5 0.7\n1 0.8\n")
        with open(self.path("kernel.txt"), "w") as file:
            file.write("1 2 1\n0 1 0\n-1 2 1\n")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def change(self, specs, options):
        """The largest change, or why it cannot be said"""
        shutil.rmtree(self.path("out"), ignore_errors=True)
        command = [self.program, "-q", "--no-sandbox"] + [w for s in specs for w in ("-f", s)] + options.split()
        names = [n for n in self.names if not (("--channels=g" in options or "--channels=chroma" in options) and n.startswith("2-"))]
        done = subprocess.run(command + ["in/" + n for n in names] + ["-o", "out/"], cwd=self.folder, capture_output=True)
        made = [os.path.exists(self.path("out", n)) for n in names]
        # What deblur:auto finds no blur in is refused, whatever is hidden.
        if done.returncode > 1 or not any(made) or any(made[i:i + 3] not in ([True] * 3, [False] * 3)
                                                       for i in range(0, len(names), 3)):
            return done.stderr.decode().strip().splitlines()[0]
        most = 0
        for i in [i for i in range(0, len(names), 3) if made[i]]:
            first, *others = [pixels.read(self.path("out", n)).astype(np.int64) for n in names[i:i + 3]]
            for other in others:
                if (first[:, :, -1] != other[:, :, -1]).any():
                    return "alpha differs"
                seen = first[:, :, -1] > 0
                most = max(most, int(np.abs(first - other)[seen].max()))
        return most


def ways(count, thorough):
    """Chains and options for spec number `count`"""
    if thorough:
        return [("{}", "")] + [("{}", way) for way in WAYS] + [(chain, "") for chain in CHAINS]
    return [("{}", ""), ("{}", WAYS[count % len(WAYS)]), (CHAINS[count % len(CHAINS)], "")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--thorough", action="store_true", help="all options and chains with each spec")
    parser.add_argument("--large", action="store_true", help="pictures whose rows stream")
    parser.add_argument("--plain", action="store_true", help="each spec alone, without options")
    parser.add_argument("--with", dest="more", default="", metavar="OPTIONS", help="options for all")
    parser.add_argument("--only", default="", metavar="FILTER")
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    listed = subprocess.run([program, "--list-filters"], capture_output=True, check=True).stdout.decode()
    usages = [line.split()[0] for line in listed.splitlines() if line[:1].strip()]
    kinds = [(4, 8, 0.15), (2, 16, 0)]
    if not args.large:
        kinds += [(2, 8, 0), (4, 8, 0), (4, 16, 0)]
    run = Run(program, (900, 420) if args.large else (53, 41), kinds)
    passed = failed = count = 0
    try:
        for usage in [u for u in usages if u.startswith(args.only)]:
            worst, why = 0, []
            for spec in expand(usage):
                spec = spec if spec.startswith("blend") else spec.replace("@mask.pgm", "@element.pgm")
                for chain, options in [("{}", "")] if args.plain else ways(count, args.thorough):
                    got = run.change(chain.format(spec).split(), options + " " + args.more)
                    worst = max(worst, got) if isinstance(got, int) else worst
                    if got != 0:
                        why.append("%s %s: %s" % (chain.format(spec), options, got))
                count += 1
            passed, failed = passed + (not why), failed + bool(why)
            print("%-62s %5d" % (usage, worst))
            for line in why[:12]:
                print("    " + line)
            sys.stdout.flush()
    finally:
        shutil.rmtree(run.folder)
    print("hidden: %d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
