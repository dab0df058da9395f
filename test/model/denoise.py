"""Removal of noise: cosine transforms of blocks, or of groups of them, kept above the noise, then by Wiener's filter"""
import numpy as np

SIDE = 8
REACH = {False: 2 * 7, True: 2 * (7 + 15)}  # from a pixel to blocks, to where groups begin, to their blocks: twice
ROTATION = np.array([[1, 1, 1] / np.sqrt(3), [1, 0, -1] / np.sqrt(2), [1, -2, 1] / np.sqrt(6)])
k, x = np.mgrid[:SIDE, :SIDE]
BASIS = np.sqrt(np.where(k > 0, 2, 1) / SIDE) * np.cos((2 * x + 1) * k * np.pi / 16)
WALSH = np.array([[(-1) ** bin(i & j).count("1") for j in range(16)] for i in range(16)]) / 4


def measured(planes, full, seen):
    """The standard deviation of the noise: the median of second differences along both axes, by integers"""
    height, width, _ = planes.shape
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
    return (middle - 0.5 + (n / 2 - below[middle]) / count[middle]) / 6 / 0.6744897501960817 if n and middle else 0.0


def estimate(image, first, guide, sigma, groups, inset, origin):
    """One of the two estimates of wide planes; `inset` pixels at their sides are in no block"""
    height, width, channels = image.shape
    step, near = (4, 8) if groups else (2, 0)
    before, after = inset + near, inset + max(near - 1, 0) + SIDE
    total, weights = np.zeros(image.shape), np.zeros(image.shape)
    blocks = np.lib.stride_tricks.sliding_window_view(image, (SIDE, SIDE), (0, 1))
    pilots = None if first is None else np.lib.stride_tricks.sliding_window_view(first, (SIDE, SIDE), (0, 1))
    guides = np.lib.stride_tricks.sliding_window_view(guide, (SIDE, SIDE))
    for y in range(before + (origin - before) % step, height - after + 1, step):
        for x in range(before + (origin - before) % step, width - after + 1, step):
            ys, xs = np.array([y]), np.array([x])
            if groups:
                around = guides[y - near:y + near, x - near:x + near]
                apart = ((around - guides[y, x]) ** 2).sum(axis=(2, 3))
                # Of equal ones itself comes first, then those behind it, then those before it.
                order = np.argsort(np.roll(apart, (-near, -near), (0, 1)), axis=None, kind="stable")[:16]
                ys, xs = ((order // 16 + near) % 16 + y - near), ((order % 16 + near) % 16 + x - near)
            across = WALSH if groups else np.ones((1, 1))

            def transform(of):
                return np.einsum("mn,vy,ux,ncyx->mcvu", across, BASIS, BASIS, of[ys, xs], optimize=True)
            found = transform(blocks)
            if first is None:
                part = np.clip(((found / sigma) ** 2 - 2.6 ** 2) / (3 ** 2 - 2.6 ** 2), 0, 1)
            else:
                power = transform(pilots) ** 2
                part = power / (power + sigma ** 2)
            part[0, :, 0, 0] = 1
            weight = 1 / (part ** 2).sum(axis=(0, 2, 3))
            made = np.einsum("mn,vy,ux,mcvu->nyxc", across, BASIS, BASIS, found * part, optimize=True) * weight
            for n, (top, left) in enumerate(zip(ys, xs)):
                total[top:top + SIDE, left:left + SIDE] += made[n]
                weights[top:top + SIDE, left:left + SIDE] += weight
    return total / np.where(weights > 0, weights, 1)


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
