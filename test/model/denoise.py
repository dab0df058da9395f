"""Removal of noise: cosine transforms of blocks, or of groups of them, kept above the noise, then by Wiener's filter"""
import numpy as np

SIDE = 8
REACH = {False: 2 * 7, True: 2 * (7 + 15)}  # from a pixel to blocks, to where groups begin, to their blocks: twice
ROTATION = np.array([[1, 1, 1] / np.sqrt(3), [1, 0, -1] / np.sqrt(2), [1, -2, 1] / np.sqrt(6)])
k, x = np.mgrid[:SIDE, :SIDE]
BASIS = np.sqrt(np.where(k > 0, 2, 1) / SIDE) * np.cos((2 * x + 1) * k * np.pi / 16)
WALSH = np.array([[(-1) ** bin(i & j).count("1") for j in range(16)] for i in range(16)]) / 4


def measured(planes, full, seen):
    """The standard deviation of the noise: the median of second differences along both axes, by integers: in steps of 8 or
    16 bits, or as 16 bits where full scale is not theirs"""
    height, width, _ = planes.shape
    unit = 1 if full in (255, 65535) else 65535 / full
    planes, full = planes * unit, full * unit
    if height < 3 or width < 3:
        return 0.0
    rows = [planes[i:height - 2 + i:2] for i in range(3)]
    at = [row[:, j:width - 2 + j:2] for row in rows for j in range(3)]
    size = sum(w * v for w, v in zip((1, -2, 1, -2, 4, -2, 1, -2, 1), at))
    inside = np.all([(v > 0) & (v < full) for v in at], axis=0)
    inside &= np.all([seen[i:height - 2 + i:2, j:width - 2 + j:2] for i in range(3) for j in range(3)], axis=0)[:, :, None]
    count = np.bincount(np.rint(np.abs(size[inside])).astype(int).ravel(), minlength=1)
    below = np.cumsum(count) - count
    n = count.sum()
    middle = np.argmax(2 * (below + count) > n)
    return (middle - 0.5 + (n / 2 - below[middle]) / count[middle]) / (6 * 0.6744897501960817 * unit) if n and middle else 0.0


def likeness(guide, ys, xs, near):
    """Of each block at ys, xs the squared differences of those around: itself comes first, then those behind, then those
    before it; and how far away these are"""
    offsets = np.r_[0:near, -near:0]
    wide, apart = np.pad(guide, near), []
    for i in offsets:
        for j in offsets:
            apart_here = (wide[near + i:near + i + guide.shape[0], near + j:near + j + guide.shape[1]] - guide) ** 2
            sums = np.pad(apart_here.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))  # integers
            low, high = sums[ys], sums[ys + SIDE]
            apart.append(high[:, xs + SIDE] - high[:, xs] - low[:, xs + SIDE] + low[:, xs])
    return np.stack(apart, axis=2), offsets


def estimate(image, first, guide, sigma, groups, inset, origin):
    """One of the two estimates of wide planes; `inset` pixels at their sides are in no block"""
    height, width, channels = image.shape
    step, near = (4, 8) if groups else (2, 0)
    before, after = inset + near, inset + max(near - 1, 0) + SIDE
    ys, xs = (np.arange(before + (origin - before) % step, size - after + 1, step) for size in (height, width))
    total, weights = np.zeros((channels, height * width)), np.zeros((channels, height * width))
    blocks = np.lib.stride_tricks.sliding_window_view(image, (SIDE, SIDE), (0, 1))
    pilots = None if first is None else np.lib.stride_tricks.sliding_window_view(first, (SIDE, SIDE), (0, 1))
    within = (np.arange(SIDE)[:, None] * width + np.arange(SIDE)).ravel()
    if groups:
        apart, offsets = likeness(guide, ys, xs, near)
    for row, y in enumerate(ys):
        top, left = np.full((len(xs), 1), y), xs[:, None]
        if groups:
            order = np.argsort(apart[row], axis=1, kind="stable")[:, :16]
            top, left = y + offsets[order // 16], left + offsets[order % 16]

        def across(of):
            return np.einsum("mn,xn...->xm...", WALSH, of) if groups else of
        found = across(BASIS @ blocks[top, left] @ BASIS.T)  # of each block along the row, group, channel
        if first is None:
            part = np.clip(((found / sigma) ** 2 - 2.6 ** 2) / (3 ** 2 - 2.6 ** 2), 0, 1)
        else:
            power = across(BASIS @ pilots[top, left] @ BASIS.T) ** 2
            part = power / (power + sigma ** 2)
        part[:, 0, :, 0, 0] = 1
        weight = 1 / (part ** 2).sum(axis=(1, 3, 4))
        made = BASIS.T @ across(found * part) @ BASIS
        at = ((top * width + left)[:, :, None] + within).ravel()
        for c in range(channels):
            each = np.repeat(weight[:, c], top.shape[1] * SIDE * SIDE)
            total[c] += np.bincount(at, made[:, :, c].ravel() * each, height * width)
            weights[c] += np.bincount(at, each, height * width)
    return (total / np.where(weights > 0, weights, 1)).T.reshape(image.shape)


def denoised(wide, sigma, groups, unit):
    """wide: planes with REACH pixels around, of which the middle is returned"""
    reach, image = REACH[groups], wide
    if sigma == 0:
        return wide[reach:-reach, reach:-reach]
    colours = image.shape[2] >= 3
    # Likeness is decided in float32, so that it is decided alike everywhere.
    planes, root = image.astype(np.float32), np.sqrt(3) if colours else 1
    luma = planes[:, :, 0] + (planes[:, :, 1] + planes[:, :, 2]) if colours else planes[:, :, 0]
    scale = np.float32(min(8 / sigma, 511 / (root * unit)) / root)
    guide = np.rint(np.clip(luma * scale, 0, 511)).astype(float)
    if colours:
        image = np.concatenate([image[:, :, :3] @ ROTATION.T, image[:, :, 3:]], axis=2)
    first = estimate(image, None, guide, sigma, groups, 0, reach)
    result = estimate(image, first, guide, sigma, groups, reach // 2, reach)
    if colours:
        result = np.concatenate([result[:, :, :3] @ ROTATION, result[:, :, 3:]], axis=2)
    return result[reach:-reach, reach:-reach]
