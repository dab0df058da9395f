"""denoise, deblur, rl, descreen and notch:auto of floats: what to draw, the results, and what these may be off by.

Results are those of denoise.py, restore.py and pattern.py. However many steps a method takes, its result may be off by 2^-18
of the largest sample that it reads, denoise's by that of its own window: no bound of the methods' own is needed where they
keep that. (One by rounds would be none: a round of Richardson's and Lucy's may double what samples are off by.) What is left
open is where the model itself cannot tell: each is computed again of samples that are off by 2^-52 of that largest one, or,
after another stage, by as much as they may be, and 4 times the difference is added.
"""
import numpy as np

import denoise
import filters
import model
import pattern
import restore

STAGES = (filters.Denoise, filters.Deblur, filters.Descreen)
NAMES = ("denoise", "deblur", "rl", "descreen", "notch:auto")
WHOLE = ("deblur", "rl", "descreen", "notch", "highpass", "lowpass", "band")  # which refuse NaN
PART, REPEATED = 2.0 ** -18, 4


class Undetermined(Exception):
    """What the model cannot tell"""


def draw(random):
    """A stage"""
    one = lambda of: of[int(random.integers(len(of)))]
    number = lambda low, high: "%.3g" % random.uniform(low, high)
    name = one(NAMES)
    if name == "denoise":
        return name + one(("", ":0.02", ":5%", ":" + number(0.001, 0.3), ":0")) + one(("", "", ":quality=best"))
    if name in ("deblur", "rl"):
        point = "@%dx%d.%dp" % tuple(2 * random.integers((3, 3, 200)) + (1, 1, 0))  # filters.pictured(), of integers
        blur = one(("gaussian:" + number(0.5, 3), "disk:" + number(1, 5), "motion:%s:%s" % (number(2, 11), number(0, 180)),
                    "kernel:1,2,1/2,4,2/1,2,1", "box:3", "kernel:0,2,1/1,5,0", point))
        own = one(("", "", ":noise=0.008", ":noise=3.5%", ":noise=" + number(0.0001, 0.03)))
        own += one(("", "", ":iterations=%d" % random.integers(1, 40)))
        return "%s:%s%s%s" % (name, blur, one(("", ":prior=tv")) if name == "deblur" else "", own)
    return name + one(("", ":3", ":0.3", ":" + number(0.2, 8))) if name == "descreen" else name


def size(random, spec):
    """Small ones are quick; patterns need 64 pixels"""
    if spec.startswith(("descreen", "notch")):
        return random.integers(64, 160, 2) if random.random() < 0.9 else random.integers(1, 64, 2)
    return random.integers(1, 40 if "best" in spec else 90, 2)


def scene(spec, random, shape, full):
    """Shapes with edges and a slope, blurred as the filter has it, or under waves, or dots that follow the tone; with noise"""
    height, width, channels = shape
    y, x = np.mgrid[:height, :width]
    v = (random.uniform(0, 0.2, channels) + random.uniform(-0.002, 0.002) * x[:, :, None]) * full
    for _ in range(int(random.integers(8))):
        row, column, radius = random.uniform(0, height), random.uniform(0, width), random.uniform(2, 20)
        inside = np.maximum(np.abs(y - row), np.abs(x - column) * random.uniform(0.3, 1)) < radius
        v = v + inside[:, :, None] * random.uniform(0, 0.3, channels) * full
    stage = filters.parse(spec)
    if isinstance(stage, filters.Deblur):
        v = np.stack([model.correlate(v[:, :, c], stage.kernel, "reflect", 0.0) for c in range(channels)], axis=2)
        v /= stage.kernel.coefs.sum()
    elif isinstance(stage, filters.Descreen) and random.random() < 0.9:
        follows = random.random() < 0.4
        for _ in range(int(random.integers(1, 4))):
            f, turn = random.uniform(0.08, 0.45), random.uniform(0, np.pi)
            wave = np.cos(2 * np.pi * f * (x * np.cos(turn) + y * np.sin(turn)) + random.uniform(0, 6))[:, :, None]
            v = v * (1 + random.uniform(0.1, 0.6) * wave) if follows else \
                v + random.uniform(0.004, 0.1) * wave * full * random.uniform(0, 1, channels)
    return v + random.normal(0, full * 10.0 ** random.uniform(-4, -1.2), shape)


def around(plane, reach, edge, border):
    """The largest in each window"""
    wide = model.extend(plane, (reach, reach), edge, border)
    for axis in 0, 1:
        wide = np.lib.stride_tricks.sliding_window_view(wide, 2 * reach + 1, axis).max(axis=2)
    return wide


def denoised(steps, stage, planes, seen):
    reach, edge = denoise.REACH[stage.groups], "reflect" if steps.edge == "clamp" else steps.edge
    wide = np.stack([model.extend(planes[:, :, c], (reach, reach), edge, steps.border) for c in range(planes.shape[2])], axis=2)
    sigma = denoise.measured(planes, steps.full, seen) if stage.sigma is None else stage.sigma * steps.full
    return denoise.denoised(wide, sigma, stage.groups, steps.full)


def deblurred(steps, stage, planes, _):
    return restore.methods_of(planes, stage, steps.full, steps.step)(planes)


def descreened(steps, stage, planes, _):
    return pattern.remove(planes, stage.strength, stage.harmonics, steps.full)


def reached(steps, stage, sizes):
    """The largest sample that a result is made of: of all colours in denoise's window, or of the colour"""
    if isinstance(stage, filters.Denoise):
        near = around(sizes.max(axis=2), denoise.REACH[stage.groups], steps.edge, abs(steps.border))
        return np.repeat(near[:, :, None], sizes.shape[2], axis=2)
    return np.broadcast_to(sizes.max(axis=(0, 1)), sizes.shape)


def made(steps, stage, planes, holes):
    """What a stage makes of planes (floats.Value), and the size that a part of it may be off by, for each"""
    values, sizes = np.stack([a.v for a in planes], axis=2), np.stack([a.size for a in planes], axis=2)
    exact, random = all(a.exact for a in planes), np.random.default_rng(1)
    if holes.any():
        values, sizes = (model.filled(v, ~holes) for v in (values, sizes))
    method = {filters.Denoise: denoised, filters.Deblur: deblurred, filters.Descreen: descreened}[type(stage)]
    largest = reached(steps, stage, sizes)
    off = np.where((values == 0) | (values == steps.full), 0, 2.0 ** -52 * largest) if exact else PART * sizes
    try:
        result = method(steps, stage, values, ~holes)
        other = method(steps, stage, values + off * random.uniform(-1, 1, values.shape), ~holes)
    except (restore.Unsettled, pattern.Close) as why:
        raise Undetermined(str(why)) from why
    size = np.maximum(largest, np.abs(result)) + REPEATED * np.abs(other - result).max() / PART
    result = np.where(holes[:, :, None], np.nan, result)
    return [(result[:, :, c], size[:, :, c]) for c in range(len(planes))]
