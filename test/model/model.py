"""An independent model of imfilter: the contract's arithmetic in float64, one plain step after another.

answer() takes an image and options and gives, for each sample of the output, the float64 response
before it is rounded, as a Range of several evaluations: transfer functions see the narrowest extension
that the contract allows, of an even and of an odd length along each axis, since a response that
alternates comes back with one sign or the other, and one more than twice as wide. Without transfer
functions there is one. Sums of integers stay below 2^53, so that float64 holds them exactly and every
division is the last step: rounding the result is then the exact answer.
"""
import math
from fractions import Fraction

import numpy as np

import denoise
import filters
import pattern
import restore
from pixels import full as full_scale

EDGES = ("clamp", "reflect", "mirror", "wrap", "constant")
tails = {}
SHARES = {"luma": np.array([[0.2126], [0.7152], [0.0722]]), "r": np.array([[1.], [0], [0]]), "g": np.array([[0], [1.], [0]]),
          "b": np.array([[0], [0], [1.]])}


class Undetermined(Exception):
    """The contract leaves the result open for this case"""


class Range:
    """What the output's samples may be: the responses, and what is known about them"""

    def __init__(self):
        self.first = None  # float64 responses, height x width x channels, unclamped
        self.low = self.high = None  # the least and the greatest of all evaluations
        self.free = None  # samples whose value hangs on a decision at a threshold, or under no alpha
        self.exact = False  # the exactly rounded result is promised, or else
        self.error = 0.0  # what may be off, in steps of the output: see compare()
        self.loose = 0.0  # samples that may be off in any case
        self.premultiplied = False
        self.full = 0
        self.unit = 1.0  # a step of the image, in those of the output


def positions(count, reach, edge):
    """Index of the sample behind each position from -reach to count - 1 + reach; -1 is the border"""
    at = np.arange(-reach, count + reach)
    if edge == "clamp":
        return np.clip(at, 0, count - 1)
    if edge == "wrap":
        return at % count
    if edge == "reflect":
        at = at % (2 * count)
        return np.where(at < count, at, 2 * count - 1 - at)
    if edge == "mirror":
        period = max(1, 2 * count - 2)
        at = at % period
        return np.where(at < count, at, period - at)
    return np.where((at < 0) | (at >= count), -1, at)


def extend(plane, reach, edge, border, more=(0, 0)):
    """reach: rows and columns to add on each side; more: at the end besides"""
    rows, columns = (positions(n, r + m, edge)[m:] for n, r, m in zip(plane.shape, reach, more))
    wide = plane[np.maximum(rows, 0)][:, np.maximum(columns, 0)]
    wide[rows < 0] = border
    wide[:, columns < 0] = border
    return wide


def correlate(plane, kernel, edge, border):
    """The sum of products alone: neither scale nor bias"""
    height, width = plane.shape
    oy, ox = kernel.origin
    rows, columns = kernel.coefs.shape
    reach = (max(oy, rows - 1 - oy), max(ox, columns - 1 - ox))
    wide = extend(plane, reach, edge, border)
    if kernel.factors:
        column, row = kernel.factors
        part = sum(c * wide[i:i + height] for i, c in enumerate(column))
        return sum(c * part[:, i:i + width] for i, c in enumerate(row))
    total = np.zeros(plane.shape)
    for i, j in np.argwhere(kernel.coefs):
        y, x = i - oy + reach[0], j - ox + reach[1]
        total += kernel.coefs[i, j] * wide[y:y + height, x:x + width]
    return total


def ranked(plane, stage, edge, border):
    """The samples under the element, in order, and of them the one of the rank"""
    height, width = plane.shape
    oy, ox = stage.origin
    rows, columns = stage.element.shape
    reach = (max(oy, rows - 1 - oy), max(ox, columns - 1 - ox))
    wide = extend(plane, reach, edge, border)
    samples = [wide[y:y + height, x:x + width] for y, x in
               np.argwhere(stage.element) + [reach[0] - oy, reach[1] - ox]]
    return np.sort(np.stack(samples), axis=0)[stage.rank]


def bilateral(planes, stage, edge, borders, unit):
    """planes: height x width x channels, all of which count for how much alike two pixels are"""
    height, width, channels = planes.shape
    reach = stage.reach
    wide = np.stack([extend(planes[:, :, c], (reach, reach), edge, borders[c]) for c in range(channels)], axis=2)
    weights, total = np.zeros((height, width, 1)), np.zeros(planes.shape)
    for y in range(-reach, reach + 1):
        for x in range(-reach, reach + 1):
            if x * x + y * y > reach * reach:
                continue
            other = wide[reach + y:reach + y + height, reach + x:reach + x + width]
            apart = (((other - planes) / unit) ** 2).sum(axis=2, keepdims=True)
            weight = np.exp(-(x * x + y * y) / (2 * stage.sigma ** 2) - apart / (2 * stage.range ** 2))
            weights += weight
            total += weight * other
    return total / weights


def means(plane, reach):
    """Of the windows that lie within the plane"""
    side = 2 * reach + 1
    height, width = plane.shape[0] - 2 * reach, plane.shape[1] - 2 * reach
    part = sum(plane[i:i + height] for i in range(side))
    return sum(part[:, i:i + width] for i in range(side)) / side ** 2


def guided(plane, stage, edge, border, unit):
    reach = stage.reach
    wide = extend(plane, (2 * reach, 2 * reach), edge, border)
    mean = means(wide, reach)
    variance = np.maximum(means(wide * wide, reach) - mean * mean, 0)
    slope = variance / (variance + (stage.eps * unit) ** 2)
    return means(slope, reach) * plane + means((1 - slope) * mean, reach)


def above_threshold(plane, stage, full, edge, border):
    """Of whole samples; sums are whole, so that float64 holds them"""
    side = 2 * stage.reach + 1
    wide = extend(plane, (stage.reach, stage.reach), edge, border)

    def sums(values):
        part = sum(values[i:i + plane.shape[0]] for i in range(side))
        return sum(part[:, i:i + plane.shape[1]] for i in range(side))

    if stage.k is None:  # x > mean - offset * full, times side^2: whole numbers and one that need not be
        over = sums(wide) - side ** 2 * plane
        return np.where(over < math.ceil(stage.offset * int(full) * side ** 2), full, 0.0)
    mean = sums(wide) / side ** 2
    spread = np.sqrt(np.maximum(sums(wide * wide) / side ** 2 - mean * mean, 0))
    return np.where(plane > mean * (1 + stage.k * (spread / (full / 2) - 1)), full, 0.0)


def tile_map(tile, seen, limit, full):
    """What the values of a tile become: counts of 256 bins are cut, dealt out, added up; lines between their centres"""
    count, step = tile.size, int(full) // 255
    bins = np.bincount(((tile[seen] + step // 2) // step).ravel(), minlength=256).astype(np.int64)
    sums = np.cumsum(bins) if seen.any() else np.arange(1, 257)
    bins = np.diff(count * sums // sums[-1], prepend=0)  # as many as pixels, also where some are hidden
    if limit > 0:
        most = max(int(limit * count / 256), 1)
        spare = int((bins - np.minimum(bins, most)).sum())
        bins = np.minimum(bins, most) + spare // 256
        rest = spare % 256
        if rest:
            bins[np.arange(rest) * max(256 // rest, 1)] += 1
    scaled = np.cumsum(bins).astype(np.float32) * (np.float32(full) / np.float32(count))
    centres = np.minimum(np.rint(scaled), full)
    return np.rint(np.interp(np.arange(int(full) + 1), np.arange(256) * step, centres))


def between_tiles(count, size, tiles):
    """Of each coordinate the tile whose centre is before it, the one behind, and the weight of the latter"""
    at = np.arange(count, dtype=np.float32) * (np.float32(1) / np.float32(size)) - np.float32(0.5)
    before = np.floor(at)
    weight = at - before
    before = before.astype(int)
    return np.maximum(before, 0), np.minimum(before + 1, tiles - 1), weight


def filled(colours, visible):
    """Pixels that are not visible with the nearest visible colour: of equally near ones the leftmost, then the uppermost"""
    y, x = np.nonzero(visible.T)[::-1]  # in that order
    result = colours.copy()
    for v, u in zip(*np.nonzero(~visible)):
        far = (y - v) ** 2 + (x - u) ** 2
        result[v, u] = colours[y[far.argmin()], x[far.argmin()]] if len(far) else 0
    return result


def clahe(colours, stage, full, seen):
    """Of whole samples"""
    colours = colours.astype(np.int64)
    luma = colours[:, :, 0]
    if colours.shape[2] == 3:
        luma = (colours @ np.array([2126, 7152, 722]) + 5000) // 10000
    height, width = luma.shape
    more = width % stage.across > 0 or height % stage.down > 0
    tall, wide = height // stage.down + more, width // stage.across + more
    rows, columns = (mirrored(n, size) for n, size in ((height, tall * stage.down), (width, wide * stage.across)))
    grown, counts = luma[rows][:, columns], seen[rows][:, columns]
    maps = np.array([[tile_map(grown[i * tall:(i + 1) * tall, j * wide:(j + 1) * wide],
                               counts[i * tall:(i + 1) * tall, j * wide:(j + 1) * wide], stage.limit, full)
                      for j in range(stage.across)] for i in range(stage.down)], np.float32)
    left, right, x = between_tiles(width, wide, stage.across)
    above, below, y = between_tiles(height, tall, stage.down)
    y = y[:, None]

    def row(tiles):
        one = np.float32(1)
        return maps[tiles[:, None], left, luma] * (one - x) + maps[tiles[:, None], right, luma] * x

    mean = row(above) * (np.float32(1) - y) + row(below) * y
    new = np.minimum(np.rint(mean), full).astype(np.int64)
    # Differences from luma shrink where a colour would leave the range.
    result = np.empty(colours.shape)
    off = colours - luma[:, :, None]
    for at in np.ndindex(height, width):
        to, part = int(new[at]), Fraction(1)
        for d in (int(v) for v in off[at]):
            part = min(part, Fraction(full - to, d) if d > 0 else Fraction(to, -d) if d < 0 else part)
        result[at] = [math.floor(to + part * int(d) + Fraction(1, 2)) for d in off[at]]
    return result


def mirrored(count, all_):
    """The samples behind `all_` positions from 0 on"""
    at = np.arange(all_) % max(1, 2 * count - 2)
    return np.where(at < count, at, 2 * count - 2 - at)


def tail_width(stage):
    """The distance at which the spreading part of a response has fallen to 1/1000 of its peak"""
    size = 128
    while True:
        at = np.fft.fftfreq(size)
        response = np.abs(np.fft.ifft2(stage.tail(at[None, :], at[:, None])))
        y, x = np.nonzero(response >= response.max() / 1000)
        distance = int(np.ceil(np.hypot(np.minimum(x, size - x), np.minimum(y, size - y)).max()))
        if 3 * distance < size or size >= 2048:
            return distance
        size *= 2


# How far beyond the narrowest an extension goes: much wider, and samples more at the ends of rows and columns.
EXTENTS = ((False, (0, 0)), (True, (0, 0)), (False, (0, 1)), (False, (1, 0)), (False, (1, 1)))


def continued(plane, before, after, frequency, radius):
    """Rows added before and after a plane's: clamped, but for the wave of a notch, which goes on. In each column it is
    fitted to samples at either end, with a constant, and two rows that keep its sine and cosine small."""
    off = abs(frequency - np.rint(frequency))
    turn = 2 * np.pi * off
    count = int(np.ceil(max(0.5 / radius, 1 / off))) if len(plane) * off >= 2 else 0
    count = min(count, len(plane))

    def terms(at):
        return np.stack([np.ones(len(at)), np.cos(turn * at), np.sin(turn * at)], axis=1)

    def beyond(end, more):
        """end: rows in the order that leads out"""
        small = np.sqrt(count / 1000) * np.eye(3)[1:]
        fit = np.linalg.lstsq(np.concatenate([terms(np.arange(1 - count, 1)), small]),
                              np.concatenate([end[len(end) - count:], np.zeros((2, end.shape[1]))]), rcond=None)[0]
        return end[-1] + (terms(np.arange(1, more + 1)) - terms(np.zeros(1))) @ fit

    if not count:
        return plane[np.clip(np.arange(-before, len(plane) + after), 0, len(plane) - 1)]
    return np.concatenate([beyond(plane[::-1], before)[::-1], plane, beyond(plane, after)])


def transfer(plane, stage, spec, edge, border, extent):
    wider, more = extent
    if edge == "wrap":
        reach, more = (0, 0), (0, 0)
    elif stage.ideal:
        reach = tuple((3 if wider else 1) * max(64, n) for n in plane.shape)
    else:
        if spec not in tails:
            tails[spec] = tail_width(stage)
        reach = (tails[spec] * (3 if wider else 1) + (16 if wider else 0),) * 2
    if stage.wave and edge == "clamp":
        wide = continued(plane.T, reach[1], reach[1] + more[1], stage.wave[1], stage.wave[2]).T
        wide = continued(wide, reach[0], reach[0] + more[0], stage.wave[0], stage.wave[2])
    else:
        wide = extend(plane, reach, edge, border, more)
    v, u = (np.fft.fftfreq(n) for n in wide.shape)
    result = np.fft.ifft2(np.fft.fft2(wide) * stage.response(u[None, :], v[:, None])).real
    return result[reach[0]:reach[0] + plane.shape[0], reach[1]:reach[1] + plane.shape[1]]


def decode_srgb(v):
    return np.where(v <= 0.04045, v / 12.92, ((np.maximum(v, 0.04045) + 0.055) / 1.055) ** 2.4)


def encode_srgb(v):
    v = np.clip(v, 0, 1)
    return np.where(v <= 0.0031308, v * 12.92, 1.055 * np.maximum(v, 0.0031308) ** (1 / 2.4) - 0.055)


def equalized(values, full):
    """What each value becomes: full * (samples up to it, less those of the least) / (all, less those of the least)"""
    occurs, counts = np.unique(values, return_counts=True)
    if len(occurs) == 1:
        return {int(occurs[0]): int(occurs[0])}
    ranks = [int(n) for n in np.cumsum(counts) - counts[0]]
    return {int(v): round(Fraction(full * rank, ranks[-1])) for v, rank in zip(occurs, ranks)}


def otsu(values):
    """The first value after which a cut leaves the greatest variance between both sides"""
    occurs, counts = (np.asarray(a, float) for a in np.unique(values, return_counts=True))
    if len(occurs) == 1:
        return 0
    below, sums = np.cumsum(counts)[:-1], np.cumsum(counts * occurs)[:-1]
    above = counts.sum() - below
    apart = ((counts * occurs).sum() - sums) / above - sums / below
    between = below * above * apart ** 2
    best = np.flatnonzero(between >= between.max() * (1 - 1e-12))
    if len(best) > 1:
        raise Undetermined("two thresholds are as good")
    return occurs[best[0]]


def largest_across(size, gx, gy):
    """Where the gradient's size is above the one before and not below the one behind; neither on diagonals"""
    around = np.pad(size, 1, constant_values=-1)
    height, width = size.shape

    def beside(dx, dy):
        return around[1 + dy:1 + dy + height, 1 + dx:1 + dx + width]

    x, y = np.abs(gx), np.abs(gy)
    flat, steep = 32768 * y < 13573 * x, 32768 * x < 13573 * y
    same = (gx < 0) == (gy < 0)
    return np.select([flat, steep, same],
                     [(size > beside(-1, 0)) & (size >= beside(1, 0)), (size > beside(0, -1)) & (size >= beside(0, 1)),
                      (size > beside(-1, -1)) & (size > beside(1, 1))],
                     (size > beside(1, -1)) & (size > beside(-1, 1)))


def edges(colours, stage, full, edge, border):
    """Canny's, of whole samples"""
    unit = 16 if full == 255 else 1
    taps = np.array(stage.taps(), object) if stage.sigma else None
    smooth, derived = stage.kernels()
    radius, half = (len(taps) // 2 if stage.sigma else 0), stage.aperture // 2
    height, width = colours.shape[:2]
    best = None
    for c in range(colours.shape[2]):
        wide = extend(colours[:, :, c], (radius + half,) * 2, edge, border).astype(np.int64) * unit
        if stage.sigma:
            rows, columns = height + 2 * half, width + 2 * half
            down = sum(int(t) * wide[i:i + rows] for i, t in enumerate(taps))
            wide = (sum(int(t) * down[:, i:i + columns] for i, t in enumerate(taps)) + 2 ** 23) // 2 ** 24

        def response(column, row):
            part = sum(int(t) * wide[i:i + height] for i, t in enumerate(column))
            return sum(int(t) * part[:, i:i + width] for i, t in enumerate(row))

        gx, gy = response(smooth, derived), response(derived, smooth)
        size = gx * gx + gy * gy if stage.norm == "l2" else np.abs(gx) + np.abs(gy)
        if best is None:
            best = [size, gx, gy]
        else:
            over = size > best[0]
            best = [np.where(over, new, old) for new, old in zip((size, gx, gy), best)]
    one = int(smooth.sum() * derived[derived > 0].sum()) * full * unit
    low, high = ((t * one) ** (2 if stage.norm == "l2" else 1) for t in (stage.low, stage.high))
    # Whole numbers are above one where they are above what is whole of it.
    weak = largest_across(*best) & (best[0] > low.numerator // low.denominator)
    found = weak & (best[0] > high.numerator // high.denominator)
    while True:
        wide, more = np.pad(found, 1), found.copy()
        for i in range(9):
            more |= wide[i // 3:i // 3 + height, i % 3:i % 3 + width]
        more &= weak
        if (more == found).all():
            return np.repeat(found[:, :, None], colours.shape[2], axis=2) * float(full)
        found = more


def gray(colours):
    return colours @ SHARES["luma"] if colours.shape[2] == 3 else colours


def feathered(mask, sigma):
    """A mask, blurred to 16 bits"""
    full, bell = full_scale(mask), filters.gaussian(sigma)
    plane = correlate(mask[:, :, 0].astype(float) * (65535 // full), bell, "clamp", 0.0)
    return np.clip(np.rint(plane), 0, 65535).astype(np.uint16)[:, :, None]


def with_luma(colours, luma, full):
    """Moved along the grays to a luma, and then towards its gray as far as black and white ask for"""
    moved = colours + luma - colours @ SHARES["luma"]
    low, high = moved.min(axis=2, keepdims=True), moved.max(axis=2, keepdims=True)
    below, beyond = low < 0, high > full
    by = np.where(below, luma / np.where(below, luma - low, 1), 1) * np.where(beyond, (full - luma) / np.where(beyond, high - luma, 1), 1)
    return luma + by * (moved - luma)


class Run:
    """One evaluation of a chain. Premultiplied colours are colour times alpha, in samples squared."""

    def __init__(self, image, specs, options, extent):
        self.options, self.extent = options, extent
        self.stages = [filters.parse(spec) for spec in specs]
        for stage, spec in zip(self.stages, specs):
            stage.spec = spec
        if options.get("strength") is not None:
            self.stages.append(filters.Blend("normal", options["strength"]))
        if options.get("mask") is not None:
            self.stages.append(self.by_mask(options["mask"]))
        if options.get("regions"):
            self.stages.append(self.by_regions(options["regions"], image.shape))
        self.join(image.shape[2] < 3 or options.get("channels") in SHARES)
        self.full = full_scale(image)
        kernels = [i for i, s in enumerate(self.stages) if not isinstance(s, filters.Point)]
        fills = [i for i in kernels if isinstance(self.stages[i], filters.Fill)]
        responses = [i for i in kernels if i not in fills]
        others = [i for i, s in enumerate(self.stages) if not isinstance(s, filters.Blend) and i not in fills]
        self.last = (responses or kernels or [-1])[-1]
        self.shown_at = (responses or others or [len(self.stages) - 1])[-1]  # what the range is for
        data = image.astype(float)
        alpha = image.shape[2] in (2, 4)
        self.colours, self.alpha = (data[:, :, :-1], data[:, :, -1]) if alpha else (data, None)
        mode = options.get("alpha", "auto")
        self.hides = alpha and mode in ("auto", "premultiply")
        if mode == "auto":
            off = [abs(abs(self.stages[i].gain()) - 1) for i in kernels]
            if alpha and any(abs(one - 1e-3) < 1e-9 for one in off):
                raise Undetermined("whether a gain of nearly 1 keeps brightness")
            bright = max(off, default=0) < 1e-3 and all(self.stages[i].bias == 0 for i in kernels)
            mode = "premultiply" if bright else "keep"
        if not kernels:
            mode = "keep"
        if any(isinstance(s, (filters.Phase, filters.Canny, filters.LocalThreshold, filters.Flatten, filters.Clahe, filters.Deblur, filters.Fill))
               for s in self.stages):
            mode = "keep"
        self.premultiplies = alpha and mode == "premultiply"
        self.premultiplied = False  # until the first kernel
        self.filter_alpha = alpha and mode in ("premultiply", "filter")
        around = [i for i in kernels if not isinstance(self.stages[i], (filters.Clahe, filters.Fill))]
        self.chroma = options.get("channels") == "chroma" and self.colours.shape[2] == 3
        picks = self.chroma or options.get("channels") in SHARES and self.colours.shape[2] == 3
        self.stored = self.colours
        if self.hides and (picks if self.filter_alpha else around):
            self.colours = filled(self.colours, self.alpha > 0)
        self.edge, _, value = options.get("edge", "clamp").partition(":")
        self.border = float(np.rint(float(value or 0) * self.full))
        if options.get("linear"):
            self.colours = decode_srgb(self.colours / self.full) * self.full
            self.stored = decode_srgb(self.stored / self.full) * self.full
            self.border = float(decode_srgb(np.float64(self.border / self.full)) * self.full)
        self.share = SHARES.get(options.get("channels")) if self.colours.shape[2] == 3 else None
        self.whole = self.colours if self.filter_alpha else self.stored
        if self.share is not None:
            self.colours, self.stored = self.colours @ self.share, self.stored @ self.share
        # A blend's backdrop, before other filters and at the end
        self.input = self.colours, self.alpha
        self.backdrop = self.colours if self.filter_alpha and picks else self.stored
        self.free = np.zeros(self.colours.shape, bool)
        self.moved = False  # by something since the last kernel, which colour * alpha 0 forgets
        self.loose = 0.0  # what a transfer function's free extension may move, in samples, at the least
        self.scale = 1.0  # of the last kernel, not yet divided by
        # Magnitudes are roots, and what is divided by alpha is a quotient unless the image is opaque.
        roots = any(isinstance(s, filters.Gradient) for s in self.stages)
        clear = self.premultiplies and (self.alpha != self.full).any()
        target = {8: 255, 16: 65535}.get(options.get("depth"), self.full)
        strong = any(s.magnifies() > 8 for s in self.stages
                     if isinstance(s, (filters.Kernel, filters.Gradient, filters.Unsharp, filters.Flatten, filters.Deblur)))
        self.error = 1 / 32 if target == 255 else 2.0 if strong else 1.0
        self.near = self.error * self.full / target  # in the image's own steps
        self.stretch = 1.0  # of colours, beyond what counts
        strong |= any(isinstance(s, filters.Blend) and s.amount > 8 for s in self.stages)
        self.divided = False  # by alpha, in a blend
        self.exact = (options.get("channels") != "luma" or self.share is None) and not self.chroma
        self.exact = self.exact and not options.get("linear") and not roots and not clear and all(
            s.integer and (i >= self.last or (getattr(s, "scale", 1) == 1 and not isinstance(s, filters.Gradient)))
            for i, s in enumerate(self.stages))

    def by_mask(self, mask):
        """What the option --mask appends"""
        stage = filters.Blend("normal")
        if self.options.get("feather"):
            mask = feathered(mask, self.options["feather"])
        stage.mask = mask.astype(float) / full_scale(mask)
        if self.options.get("invert"):
            stage.mask = 1 - stage.mask
        stage.integer = stage.keeps = False
        return stage

    def by_regions(self, regions, shape):
        """What the option --region appends: all (left, top, right, bottom) together, blurred as a mask is"""
        stage, total = filters.Blend("normal"), np.zeros(shape[:2])
        for left, top, right, bottom in regions:
            total[top:bottom, left:right] = 1
        if self.options.get("feather"):
            total = correlate(total, filters.gaussian(self.options["feather"]), "clamp", 0.0)
        stage.mask = total[:, :, None]
        stage.integer = stage.keeps = not self.options.get("feather")
        return stage

    def join(self, gray):
        """Mixing what a blend has left with the input once more multiplies its weights, and so it does behind a `gray` that
        changes nothing, since there is one colour"""
        stages = []
        for stage in self.stages:
            last = next((s for s in reversed(stages) if not gray or getattr(s, "kind", "") != "gray"), None)
            if isinstance(stage, filters.Blend) and isinstance(last, filters.Blend) and stage.mode == "normal":
                last.amount *= stage.amount
                if stage.mask is not None:
                    last.mask = stage.mask if last.mask is None else last.mask * stage.mask
                last.integer = last.keeps = last.keeps and stage.keeps
            else:
                stages.append(stage)
        self.stages = stages

    def before_blend(self, i):
        """Is stage i the last kernel before a blend?"""
        following = [s for s in self.stages[i + 1:] if isinstance(s, filters.Blend) or not isinstance(s, filters.Point)]
        return bool(following) and isinstance(following[0], filters.Blend)

    def straighten(self):
        if not self.premultiplied:
            return
        alpha = self.alpha[:, :, None]
        self.divided, self.exact = True, self.exact and bool((self.alpha == self.full).all())
        if (np.abs(alpha - 0.5) < 2 * self.near).any():
            raise Undetermined("colours under an alpha of nearly half a step, in the middle")
        self.colours = np.divide(self.colours, alpha, out=np.zeros(self.colours.shape), where=alpha >= 0.5)
        self.premultiplied = False

    def seen(self, scale=1.0):
        """Pixels that count: those whose alpha does not round to 0"""
        return np.rint(self.alpha / scale) > 0 if self.hides else np.ones(self.colours.shape[:2], bool)

    def blend(self, stage):
        """Of straight colours. Where alpha was filtered, the chain's result is a layer of its own: where the input is
        transparent there is no backdrop, and what is mixed is premultiplied."""
        below, under = self.input
        if not any(not isinstance(s, filters.Point) for s in self.stages[self.stages.index(stage) + 1:]):
            below = self.backdrop
        weight = stage.amount * (1.0 if stage.mask is None else stage.mask)
        colours = self.colours + 0 * below  # gray counts as equal colours
        self.free = np.broadcast_to(self.free, colours.shape)
        source = colours if stage.mode == "normal" else np.clip(colours, 0, self.full)
        mixed = stage.formula(below / self.full, colours / self.full) * self.full
        if not self.filter_alpha:
            self.colours = below + weight * (mixed - below)
        else:
            a, s = under[:, :, None] / self.full, self.alpha[:, :, None] / self.full
            mixed = source + a * (mixed - source)
            alpha = a + weight * (s - a)
            if not self.premultiplies:
                self.divided = True
            if (np.abs(alpha * self.full - 0.5) < 2 * self.near).any():
                raise Undetermined("colours under an alpha of nearly half a step")
            whole = np.divide(a * below + weight * (s * mixed - a * below), alpha, out=np.zeros(mixed.shape),
                              where=alpha > 0)
            self.colours = np.where(alpha * self.full >= 0.5, whole, below + weight * (mixed - below))
            self.colours = np.where((a == 0) & (alpha != 0), mixed, self.colours)
            self.alpha = alpha[:, :, 0] * self.full
        if self.options.get("feather"):  # its weights are of 16 bits, one of which may be off
            steepest = 13 if self.options.get("linear") else 1  # of the sRGB curve
            self.loose += np.abs(mixed - below).max() * abs(stage.amount) * steepest / 65000
        self.exact &= stage.keeps and not self.filter_alpha
        self.loose *= 2 * max(1, stage.amount)
        self.moved = True

    def respond(self, plane, i, border, unit):
        stage = self.stages[i]
        if isinstance(stage, filters.Transfer):
            if self.edge != "wrap":
                # `ideal` rings without end: nothing but its size is certain.
                self.loose = max(self.loose, (0.1 if stage.ideal else 1e-6) * self.full)
            return transfer(plane, stage, stage.spec, self.edge, border, self.extent)
        if isinstance(stage, filters.Phase):
            if (plane != np.rint(plane)).any():
                # Sums of rounded values may cancel or not; those of equal ones do.
                other = plane + 1e-9 * self.full * np.sin(1e6 * plane)
                for kernel in stage.x, stage.y:
                    exact, moved = (np.abs(correlate(p, kernel, self.edge, border)) for p in (plane, other))
                    if ((exact < 1e-12 * self.full) & (moved > 1e-12 * self.full)).any():
                        raise Undetermined("the direction of a gradient that rounding decides")
            return self.direction(correlate(plane, stage.x, self.edge, border),
                                  correlate(plane, stage.y, self.edge, border))
        if isinstance(stage, filters.Gradient):
            return np.sqrt(correlate(plane, stage.x, self.edge, border) ** 2 +
                           correlate(plane, stage.y, self.edge, border) ** 2)
        if isinstance(stage, filters.Guided):
            return guided(plane, stage, self.edge, border, unit)
        if isinstance(stage, filters.Flatten):
            closed = [stage.closed.first, stage.closed.second]
            paper = ranked(ranked(plane, closed[0], self.edge, border), closed[1], self.edge, border)
            paper = means(extend(paper, (stage.reach, stage.reach), self.edge, border), stage.reach)
            return np.clip(unit * np.maximum(plane, 0) / np.maximum(paper, unit / 16), 0, unit)
        if isinstance(stage, filters.Rank):
            return ranked(plane, stage, self.edge, border)
        if isinstance(stage, filters.Despeckle):
            return stage.of(plane)
        if isinstance(stage, filters.Ranks):
            first = ranked(plane, stage.first, self.edge, border)
            if stage.compound == "apart":
                return ranked(plane, stage.second, self.edge, border) - first
            both = ranked(first, stage.second, self.edge, border)
            return {"after": both, "above": plane - both, "below": both - plane}[stage.compound]
        if isinstance(stage, filters.Unsharp):
            detail = plane - correlate(plane, stage.blur, self.edge, border)
            kept = np.sign(detail) * np.maximum(0, np.abs(detail) - stage.threshold * unit)
            return plane + stage.amount * kept
        return correlate(plane, stage, self.edge, border)

    def direction(self, right, down):
        """A part of nothing but rounding is 0: whether one just above that is, rounding decides"""
        if self.loose:
            raise Undetermined("the direction of a gradient that another extension changes")
        right, down = (np.where(np.abs(part) < 1e-12 * self.full, 0, part) for part in (right, down))
        for part in right, down:
            if ((part != 0) & (np.abs(part) < 1e-7 * self.full)).any():
                raise Undetermined("the direction of a gradient that may be nothing but rounding")
        turn = np.arctan2(-down + 0.0, right) / (2 * np.pi)  # without a negative 0
        return np.where(turn < 0, turn + 1, turn) * self.full

    def kernel(self, i):
        if self.premultiplies and not self.premultiplied:
            self.colours = self.colours * self.alpha[:, :, None]
            self.premultiplied = True
        stage, unit = self.stages[i], self.full * (self.full if self.premultiplied else 1)
        border = self.border * (self.full if self.premultiplied else 1)
        self.loose *= stage.magnifies()
        if isinstance(stage, (filters.Bilateral, filters.Denoise)):
            self.alike(stage, unit, border)
            return
        if isinstance(stage, filters.Fill):
            if self.alpha is not None:
                self.colours = filled(self.colours, self.alpha > 0)
            return
        if isinstance(stage, filters.Descreen):
            self.without_pattern(stage, unit)
            return
        if isinstance(stage, filters.Deblur):
            try:
                self.colours, off = restore.deblurred(self.colours, stage, self.full, 1)
            except restore.Unsettled as reason:
                raise Undetermined(str(reason)) from reason
            self.loose += off
            self.scale, self.moved = 1.0, False
            if i != self.last and self.before_blend(i):
                self.colours = self.shown(stage.shown, 1.0)
            return
        if isinstance(stage, (filters.Canny, filters.LocalThreshold, filters.Clahe)):
            # Only samples are certain: smoothed ones that may be off make and break edges, or are on either side of
            # a threshold.
            if not all(s.integer for s in self.stages[:i]) or (self.colours != np.rint(self.colours)).any() or \
                    self.border != np.rint(self.border):
                raise Undetermined("edges of what may be nothing but rounding")
            whole = np.clip(self.colours, 0, self.full)
            if isinstance(stage, filters.Canny):
                self.colours = edges(whole, stage, self.full, self.edge, border)
            elif isinstance(stage, filters.Clahe):
                self.colours = clahe(whole, stage, self.full, self.seen())
            else:
                self.colours = np.stack([above_threshold(whole[:, :, c], stage, float(self.full), self.edge, border)
                                         for c in range(whole.shape[2])], axis=2)
            self.scale, self.moved = 1.0, False
            return
        self.colours = np.stack([self.respond(self.colours[:, :, c], i, border, unit)
                                 for c in range(self.colours.shape[2])], axis=2)
        if self.filter_alpha:
            self.alpha = self.respond(self.alpha, i, float(self.full), self.full)
        scale = getattr(stage, "scale", 1.0)
        if i == self.last:
            self.scale = scale  # a bias waits for presented()
            return
        self.colours /= scale
        if self.filter_alpha:
            self.alpha = self.alpha / scale
        self.moved = bool(stage.bias)
        if stage.bias:
            self.drop_hidden()
            self.colours += stage.bias * self.full * (self.alpha[:, :, None] if self.premultiplied else 1)
        if self.before_blend(i):
            self.straighten()
            self.colours = self.shown(stage.shown, 1.0)

    def without_pattern(self, stage, unit):
        if self.loose:
            raise Undetermined("a pattern of what another extension changes")
        planes = self.colours
        if self.filter_alpha:
            planes = np.concatenate([planes, self.alpha[:, :, None] * (unit / self.full)], axis=2)
        try:
            planes = pattern.remove(planes, stage.strength, stage.harmonics, unit)
        except pattern.Close:
            raise Undetermined("a pattern that may be one or not")
        self.colours = planes[:, :, :self.colours.shape[2]]
        if self.filter_alpha:
            self.alpha = planes[:, :, -1] / (unit / self.full)
        self.moved = False

    def alike(self, stage, unit, border):
        """A filter of all that is filtered, together. Alpha has the colours' scale: theirs is its square."""
        planes, borders = self.colours, [border] * self.colours.shape[2]
        if self.filter_alpha:
            scale = unit / self.full
            planes = np.concatenate([planes, self.alpha[:, :, None] * scale], axis=2)
            borders.append(self.full * scale)
        result = (bilateral if isinstance(stage, filters.Bilateral) else self.quiet)(planes, stage, self.edge, borders, unit)
        self.colours = result[:, :, :self.colours.shape[2]]
        if self.filter_alpha:
            self.alpha = result[:, :, -1] / scale
        self.moved = False

    def quiet(self, planes, stage, edge, borders, unit):
        """Where blocks are chosen by floats one of a group may be another."""
        whole = unit == self.full and (planes == np.rint(planes)).all() and all(b == np.rint(b) for b in borders)
        if stage.sigma is None and not whole:
            raise Undetermined("noise that is measured in floats")
        if stage.groups and not whole:
            self.loose += unit / 255
        reach = denoise.REACH[stage.groups]
        edge = "reflect" if edge == "clamp" else edge  # repeated samples would repeat their noise
        wide = np.stack([extend(planes[:, :, c], (reach, reach), edge, borders[c]) for c in range(planes.shape[2])], axis=2)
        seen = self.seen() if not self.filter_alpha else np.ones(planes.shape[:2], bool)
        sigma = denoise.measured(planes, self.full, seen) if stage.sigma is None else float(stage.sigma) * unit
        return denoise.denoised(wide, sigma, stage.groups, unit)

    def shows(self):
        """What an error of one step is in colours: those that are to be divided by alpha have it as they show"""
        return self.full if self.premultiplied else 1.0

    def drop_hidden(self):
        """Before what acts on straight colours: those under alpha below half a step are 0"""
        if self.premultiplied:
            self.colours = np.where(self.alpha[:, :, None] < 0.5, 0, self.colours)

    def point(self, stage, step):
        """step is what one sample step is in colours: a number, or an array under premultiplied colours"""
        if stage.kind == "gray" and self.colours.shape[2] == 3:
            self.exact = False
            self.colours, self.free = gray(self.colours), self.free.any(axis=2, keepdims=True)
        elif stage.kind == "invert":
            self.colours = step * self.full - self.colours
        elif stage.kind == "threshold":
            level = step * float(stage.level * self.full)
            if not self.exact:
                near = self.near if not self.loose else max(self.near, self.loose, 0.01 * self.full)
                near = near * np.maximum(step, self.shows())
                self.free = self.free | (np.abs(self.colours - level) < near)
            over = np.where(step > 0, self.colours >= level, stage.level <= 0)  # hidden colours are 0
            self.colours = step * self.full * over
        elif stage.kind == "levels":
            unit = np.broadcast_to(step * self.full, self.colours.shape)
            share = np.divide(self.colours, unit, out=np.zeros(unit.shape), where=unit != 0)
            if self.loose and stage.power < 1:
                raise Undetermined("a power without a steepest slope")
            self.loose *= stage.steepest(share) if self.loose else 1
            self.colours = unit * stage.of(share)
        elif stage.kind in ("equalize", "otsu", "auto"):
            self.colours = step * self.table(stage, step)
        self.moved = True

    def table(self, stage, step):
        """Straight colours, rounded to samples, as their histogram has them"""
        if self.free.any() or self.loose:
            raise Undetermined("a histogram of samples at a threshold")
        step = np.broadcast_to(step, self.colours.shape)
        if self.moved and (step == 0).any():
            raise Undetermined("a histogram of colours that were moved under no alpha")
        straight = np.divide(self.colours, step, out=np.zeros(self.colours.shape), where=step != 0)
        near = 2 * self.near * np.divide(self.shows(), step, out=np.ones(step.shape), where=step != 0)
        if not self.exact and (self.full == 65535 or (np.abs(straight - np.floor(straight) - 0.5) < near).any()):
            raise Undetermined("a histogram of samples that may round either way")
        values = np.clip(np.rint(straight), 0, self.full)
        counted = values[self.seen()]
        if not len(counted):
            return values
        if stage.kind == "otsu":
            return np.where(values > otsu(counted), float(self.full), 0.0)
        known = equalized(counted, self.full) if stage.kind == "equalize" else stage.table(counted, self.full)[0]
        known.update((v, 0.0) for v in np.unique(values) if v not in known)  # hidden
        return np.vectorize(known.get, otypes=[float])(values)

    def presented(self):
        """The range, on straight colours, which are colours / step: nothing is divided yet. Returns step."""
        sign = np.sign(self.scale)
        if self.premultiplied:
            # Alpha has the same scale, which cancels.
            alpha = (self.alpha * sign)[:, :, None]
            visible = alpha >= 0.5 * abs(self.scale)
            step = np.where(visible, alpha, 1)
            self.colours = np.where(visible, self.colours * sign, 0)
        else:
            step = abs(self.scale)
            self.colours = self.colours * sign
        if self.last >= 0:
            self.colours = self.colours + step * self.stages[self.last].bias * self.full
        if self.exact and np.abs(self.colours).max() >= 2 ** 52:
            raise Undetermined("sums beyond 2^53")
        mode = self.options.get("range") or (self.stages[self.last].shown if self.last >= 0 else "clip")
        self.colours = self.shown(mode, step)
        return self.normalize(step) if mode == "normalize" else step

    def shown(self, mode, step):
        if mode == "abs":
            return np.abs(self.colours)
        return self.colours + step * (128.0 if self.full == 255 else 32768.0) if mode == "offset" else self.colours

    def normalize(self, step):
        self.exact = False
        if self.premultiplied:
            self.colours, step = self.colours / step, 1.0
        seen = self.colours[self.seen(abs(self.scale) if self.filter_alpha else 1.0)]
        least, most = (seen.min(), seen.max()) if len(seen) else (0.0, 0.0)
        if self.premultiplied:
            near = self.near * self.full / np.maximum(np.abs(self.alpha / self.scale)[:, :, None], 0.5)
            if max((self.colours + near).max() - most, least - (self.colours - near).min()) > 2 * self.near:
                raise Undetermined("a stretch to colours under little alpha")
        spread = (most - least) / step
        least_spread = 1 / 32 if self.full == 255 else 1.0
        if 0.9 * least_spread < spread < 1.1 * least_spread and not spread == 1.0:
            raise Undetermined("flat or not")
        flat = spread < least_spread
        if not flat:  # what a stretch by more than 8 magnifies was there before
            self.stretch = max(1.0, self.full / spread / 8)
            self.near *= self.stretch
        self.colours = (self.colours - least) * (0 if flat else self.full)
        return 1.0 if flat else most - least

    def put(self):
        """The channel that was filtered, back among the others; of the luma its change, as it would be shown"""
        if self.chroma:
            self.free = np.broadcast_to(self.free.any(axis=2, keepdims=True), self.whole.shape)
            self.colours = with_luma(np.clip(self.colours, 0, self.full) + 0 * self.whole, self.whole @ SHARES["luma"], self.full)
            return
        one, was = self.colours, self.whole @ self.share
        self.free = np.broadcast_to(self.free, self.whole.shape)
        if self.options["channels"] != "luma":
            self.colours = self.whole * (1 - self.share[:, 0]) + one * self.share[:, 0]
            self.free = self.free & (self.share[:, 0] > 0)
            return
        self.colours = self.whole + np.clip(one, 0, self.full) - was

    def settle(self, step):
        """Straight colours, after the last kernel"""
        self.exact &= abs(self.scale) == 1 and not self.filter_alpha
        alpha = self.alpha / self.scale if self.premultiplied else self.full
        if (np.abs(alpha - 0.5) < 2 * self.near).any():
            raise Undetermined("colours under an alpha of nearly half a step, in the middle")
        self.colours = self.colours / step
        self.alpha = self.alpha / self.scale if self.filter_alpha else self.alpha
        self.divided, self.premultiplied, self.scale = self.divided or self.premultiplied, False, 1.0
        return 1.0

    def finish(self):
        for i, stage in enumerate(self.stages[:self.shown_at + 1]):
            if not isinstance(stage, filters.Point):
                if self.free.any():
                    raise Undetermined("a kernel after a sample at a threshold")
                self.kernel(i)
            elif isinstance(stage, filters.Blend):
                self.straighten()
                self.blend(stage)
            else:
                self.drop_hidden()
                if self.premultiplied and (self.alpha != self.full).any():
                    self.exact = False  # a quotient, in the middle
                self.point(stage, self.alpha[:, :, None] if self.premultiplied else 1.0)
        step = self.presented()
        for stage in self.stages[self.shown_at + 1:]:
            if isinstance(stage, filters.Blend):
                step = self.settle(step)
                self.blend(stage)
            elif isinstance(stage, filters.Fill):
                if self.alpha is not None:
                    self.colours = filled(self.colours, self.alpha > 0)
            else:
                self.point(stage, step)
        if self.share is not None or self.chroma:
            step = self.settle(step)
            self.put()
        if self.options.get("linear"):
            self.colours, step = encode_srgb(self.colours / (step * self.full)) * self.full, 1.0
        target = {8: 255, 16: 65535}.get(self.options.get("depth"), self.full)
        self.exact &= target == self.full  # a conversion multiplies or divides by 257 once more
        more, less = max(1, target // self.full), max(1, self.full // target)
        result = self.colours * more / (step * less)
        if self.alpha is not None:
            below = (self.scale if self.filter_alpha else 1.0) * less
            if self.hides:  # what is left there is not seen
                self.free = self.free | (self.input[1] == 0)[:, :, None] & (self.alpha == 0)[:, :, None]
            alpha = self.alpha[:, :, None] * more / below
            result = np.concatenate([result, alpha], axis=2)
            self.free = np.concatenate([self.free, np.zeros(alpha.shape, bool)], axis=2)
        return result, target


def alpha_alone(image, specs, options):
    """Alpha is filtered as a gray picture, and the colours stay"""
    left = {key: value for key, value in options.items() if key not in ("channels", "linear", "alpha")}
    made = answer(image[:, :, -1:], specs, left)
    colours = image[:, :, :-1].astype(float) * made.full / full_scale(image)
    for name in ("first", "low", "high"):
        setattr(made, name, np.concatenate([colours, getattr(made, name)], axis=2))
    made.free = np.concatenate([np.zeros(colours.shape, bool), made.free], axis=2)
    made.error, made.stretch = made.error * made.stretch, 1.0
    return made


def answer(image, specs, options):
    """options: edge ("constant:V" has a value), range, alpha, linear, depth"""
    if options.get("channels") == "alpha":
        return alpha_alone(image, specs, options)
    range_, runs, results = Range(), [], []
    for extent in EXTENTS:
        runs.append(Run(image, specs, options, extent))
        result, range_.full = runs[-1].finish()
        results.append(result)
        if not any(isinstance(s, filters.Transfer) for s in runs[0].stages) or runs[0].edge == "wrap":
            break
    range_.first = results[0]
    range_.low, range_.high = np.minimum.reduce(results), np.maximum.reduce(results)
    range_.free = np.logical_or.reduce([run.free for run in runs])
    range_.premultiplied = runs[0].premultiplied or runs[0].divided
    range_.error, range_.unit = runs[0].error, range_.full / runs[0].full
    range_.stretch = runs[0].stretch
    range_.exact, range_.loose = runs[0].exact, runs[0].loose * range_.full / runs[0].full
    return range_


def slack(apart):
    """How far another extension may lead from these two: as far as they are apart anywhere at this
    distance from the edges, or deeper in the image, where the edges matter less"""
    height, width, channels = apart.shape
    y, x = np.mgrid[:height, :width]
    depth = np.minimum(np.minimum(y, height - 1 - y), np.minimum(x, width - 1 - x))
    most = np.zeros((depth.max() + 1, channels))
    np.maximum.at(most, depth.ravel(), apart.reshape(-1, channels))
    return np.maximum.accumulate(most[::-1])[::-1][depth]


def compare(range_, output):
    """Samples of the output that the contract does not allow, as a mask; None for a wrong shape"""
    if output.shape != range_.first.shape or full_scale(output) != range_.full:
        return None
    got = output.astype(float)
    low, high = range_.low, range_.high
    if range_.exact:
        # A quotient of integers that is no tie is farther from one than float64's last bits.
        wrong = got != np.clip(np.rint(low), 0, range_.full)
    else:
        # An 8-bit sample may round as if it were off by `error`, a 16-bit one be that many steps off; colours that
        # were divided by alpha are held to that as they show.
        open_ = slack(high - low) + range_.loose
        error = np.full(low.shape, range_.error)
        error[:, :, :-1 if low.shape[2] in (2, 4) else None] *= range_.stretch
        if range_.premultiplied:
            alpha = (low - open_)[:, :, -1:]
            error[:, :, :-1] /= np.clip(alpha / range_.full, 1e-9, 1)
            # Under an alpha that may be 0 no colour is promised.
            range_.free[:, :, :-1] |= alpha < 0.5 * range_.unit + range_.error
        if range_.full == 255:
            least, most = np.rint(low - open_ - error - 1e-9), np.rint(high + open_ + error + 1e-9)
        else:
            least, most = np.rint(low - open_ - 1e-9) - error, np.rint(high + open_ + 1e-9) + error
        wrong = (got < np.clip(least, 0, range_.full)) | (got > np.clip(most, 0, range_.full))
    return wrong & ~range_.free
