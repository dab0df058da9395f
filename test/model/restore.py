"""Undoing a blur, as imfilter(1) says it: deblur and rl of colours, in numpy.

The picture lies in a plane that goes on periodically and is larger; what lies outside of it is unknown.
"""
import math

import numpy as np

SIDE, GRID, SLOPE, LOWEST, FEWEST = 256, 3, 2.4, 0.004, 16


class Unsettled(Exception):
    """What is not certain of a result"""


def is_fast(n):
    for prime in (2, 3, 5, 7):
        while n % prime == 0:
            n //= prime
    return n == 1


def spectrum(kernel, shape):
    """Of the convolution that a correlation with the kernel is, with a sum of 1"""
    plane, (top, left) = np.zeros(shape), kernel.origin
    for (i, j), tap in np.ndenumerate(kernel.coefs):
        plane[(top - i) % shape[0], (left - j) % shape[1]] += tap
    return np.fft.rfft2(plane / kernel.coefs.sum())


def frequencies(shape):
    """In cycles a sample, divided and not multiplied by 1 / n as numpy's are, since 3 / n is a limit"""
    rows, columns = (np.minimum(np.arange(n), n - np.arange(n)) / n for n in shape)
    return np.hypot(rows[:, None], columns[None, :shape[1] // 2 + 1])


def powers(colours):
    """Mean |spectrum|^2 of Hann windows of all colours"""
    sides = [max(n for n in range(1, min(size, SIDE) + 1) if is_fast(n) and not (size > (GRID - 1) * n and (size - n) % 2))
             for size in colours.shape[:2]]
    hann = [np.sin(np.pi * np.arange(1, n + 1) / (n + 1)) ** 2 for n in sides]
    window, sums, count = np.outer(*hann), 0, 0
    starts = []
    for size, side in zip(colours.shape[:2], sides):
        parts = min(GRID, -(-size // side))
        starts.append([(size - side) * i // max(parts - 1, 1) for i in range(parts)])
    for y in starts[0]:
        for x in starts[1]:
            for c in range(colours.shape[2]):
                part = colours[y:y + sides[0], x:x + sides[1], c]
                sums = sums + np.abs(np.fft.rfft2((part - part.mean()) * window)) ** 2
                count += 1
    return sums / count / np.sum(window ** 2)


def fit(colours, kernel, noise, least, full):
    """Power, slope and noise of the picture's model, where the likelihood of its spectrum is largest"""
    power = powers(colours)
    shape = power.shape[0], [max(n for n in range(1, min(colours.shape[1], SIDE) + 1) if is_fast(n))][0]
    f, blur = frequencies(shape), np.abs(spectrum(kernel, shape)) ** 2
    weight = np.full(power.shape, 2.0)
    weight[:, 0] = 1
    if shape[1] % 2 == 0:
        weight[:, -1] = 1
    mean, used = power.mean(), f > max(LOWEST, 3 / max(shape))
    power, log_f, blur, weight = power[used], np.log(f[used]), blur[used], weight[used]
    known = noise is not None
    high = log_f > math.log(0.3)
    n = max(noise ** 2 if known else np.sum((weight * power)[high]) / max(weight[high].sum(), 1), least)
    n = min(n, full ** 2)
    if len(power) < FEWEST:
        n = n if known else least
        return max(0.05 * mean, n), SLOPE, n
    middle = math.log(0.1)
    most = full ** 2
    a = np.sum(weight * blur * power * np.exp(SLOPE * (log_f - middle))) / max(np.sum(weight * blur ** 2), 1e-12)
    a = min(max(a, least * 1e-6), most)
    low = [least * 1e-6, n if known else least, 1]
    high = [most, n if known else most, 5]

    def step(at):
        """How unlikely a model is, and by how much ln a, ln n and b are to move (Fisher's scoring)"""
        scene = blur * np.exp(math.log(at[0]) - at[2] * (log_f - middle))
        total = scene + at[1]
        rows = [scene / total, at[1] / total, (middle - log_f) * scene / total]
        which = [k for k in range(3) if low[k] < high[k]]
        unlikely = np.sum(weight * (np.log(total) + power / total - 1))
        while which:
            use = np.stack([rows[k] for k in which])
            matrix = (use * weight) @ use.T
            matrix += np.eye(len(use)) * (1e-9 * np.trace(matrix) + 1e-300)
            change = np.zeros(3)
            change[which] = np.linalg.solve(matrix, (use * weight * (power / total - 1)).sum(axis=1))
            change /= max(np.abs(change).max(), 1)
            leaving = [k for k in which if (at[k] <= low[k] and change[k] < 0) or (at[k] >= high[k] and change[k] > 0)]
            if not leaving:
                return unlikely, change
            which.remove(leaving[-1])  # it stays at its bound
        return unlikely, np.zeros(3)

    at = [a, n, SLOPE]
    part, (unlikely, change) = 1, step(at)
    for begins in [True] + 59 * [False]:
        moved = [at[0] * math.exp(part * change[0]), at[1] * math.exp(part * change[1]), at[2] + part * change[2]]
        moved = [min(max(v, one), other) for v, one, other in zip(moved, low, high)]
        following, further = step(moved)
        size = part * np.abs(change).max()
        if begins and abs(following - unlikely) < 1e-13 * abs(unlikely) and size > 0.01:
            raise Unsettled("which way the likelihood rises where it is level")
        if following <= unlikely:
            at, unlikely, change, part = moved, following, further, min(1.25 * part, 1)
        else:
            part /= 2
        if size < 1e-6:
            break
    else:
        raise Unsettled("the likeliest model, which many steps have not reached")
    return at[0] * 0.1 ** at[2], at[2], at[1]


class Restored:
    """One colour"""

    def __init__(self, plane, stage, model, full, rounding):
        self.rounding, self.random = rounding, np.random.default_rng(2)  # of transforms, in parts of their values
        self.stage, self.full, self.mean = stage, full, plane.mean()
        self.picture, self.size = plane - self.mean, plane.shape
        self.power, self.slope, self.noise = model
        self.shape = tuple(next(n for n in range(size + side + 7, 10 ** 7) if n % 2 == 0 and is_fast(n))
                           for size, side in zip(plane.shape, stage.kernel.coefs.shape))
        self.blur = spectrum(stage.kernel, self.shape)
        self.outside = np.ones(self.shape)
        self.outside[:self.size[0], :self.size[1]] = 0
        f = np.maximum(frequencies(self.shape), 1 / max(self.shape))
        self.penalty = 1.5 * self.noise / self.power * f ** self.slope

    def times(self, plane, gain):
        product = np.fft.irfft2(np.fft.rfft2(plane) * gain, self.shape)
        if self.rounding:
            product += self.rounding * np.sqrt(np.mean(plane ** 2)) * self.random.normal(size=self.shape)
        return product

    def inner(self, plane):
        return plane[:self.size[0], :self.size[1]]

    def extended(self):
        """The picture, and smooth transitions from each edge to the opposite one"""
        (h, w), (ny, nx) = self.size, self.shape
        plane = np.zeros(self.shape)
        plane[:h, :w] = self.picture
        t = 0.5 - np.cos(np.pi * np.arange(1, nx - w + 1) / (nx - w + 1)) / 2
        plane[:h, w:] = plane[:h, w - 1:w] * (1 - t) + plane[:h, :1] * t
        t = (0.5 - np.cos(np.pi * np.arange(1, ny - h + 1) / (ny - h + 1)) / 2)[:, None]
        plane[h:] = plane[h - 1] * (1 - t) + plane[0] * t
        return plane

    def completed(self, steps):
        """The blurred plane whose outside is that of the scene that it gives, by conjugate gradients"""
        plane, square_of = self.extended(), np.abs(self.blur) ** 2
        gain = square_of / (square_of + self.penalty)
        residual = self.outside * (self.times(plane, gain) - plane)
        direction, square = residual, np.sum(residual ** 2)
        first = square
        for _ in range(steps):
            if square <= first * 1e-24:
                break
            product = direction - self.outside * self.times(direction, gain)
            curvature = np.sum(direction * product)
            if curvature <= 0:
                break
            plane = plane + square / curvature * direction
            residual = residual - square / curvature * product
            following = np.sum(residual ** 2)
            direction, square = residual + following / square * direction, following
        return plane

    def wiener(self, plane):
        return self.times(plane, self.blur.conj() / (np.abs(self.blur) ** 2 + self.penalty))

    def tv(self, rounds):
        """Split Bregman for the total variation"""
        plane = self.completed(4)
        x = self.wiener(plane)
        u, v = ((np.arange(128) + 0.5) / 256)[None], ((np.arange(128) + 0.5) / 256)[:, None]
        variance = self.power * np.mean(4 * (np.sin(np.pi * u) ** 2 + np.sin(np.pi * v) ** 2) *
                                        np.hypot(u, v) ** -self.slope)
        limit, weight = math.sqrt(variance) / 5, self.noise * 5 / variance
        gains = (4 * np.sin(np.pi * np.fft.fftfreq(self.shape[0])) ** 2)[:, None] + \
            4 * np.sin(np.pi * np.fft.rfftfreq(self.shape[1])) ** 2
        data = self.blur.conj() * np.fft.rfft2(plane)
        bx, by = np.zeros(self.shape), np.zeros(self.shape)
        for _ in range(rounds):
            px, py = np.roll(x, -1, 1) - x + bx, np.roll(x, -1, 0) - x + by
            length = np.hypot(px, py)
            part = np.where(length > limit, limit / np.maximum(length, 1e-300), 1)
            bx, by = part * px, part * py
            ex, ey = px - 2 * bx, py - 2 * by
            flow = np.roll(ex, 1, 1) - ex + np.roll(ey, 1, 0) - ey
            x = np.fft.irfft2((data + weight * np.fft.rfft2(flow)) / (np.abs(self.blur) ** 2 + weight * gains), self.shape)
        return x

    def rl(self, rounds):
        """Richardson and Lucy, accelerated, until what is left is the noise"""
        inside, least = 1 - self.outside, 4e-6 * self.full
        given = np.zeros(self.shape)
        given[:self.size[0], :self.size[1]] = np.maximum(self.picture + self.mean, 0)
        cover = self.times(inside, self.blur.conj())
        if (np.abs(cover - 0.01) < 1e-6).any():
            raise Unsettled("whether a pixel was blurred into the picture enough to be changed")
        x = before = np.full(self.shape, max(self.mean, self.full / 512))
        change, ahead = np.zeros(self.shape), 0
        for _ in range(rounds):
            guess = np.maximum(x + ahead * (x - before), least)
            blurred = np.maximum(self.times(guess, self.blur), least)
            left = np.mean(self.inner(given - blurred) ** 2) / (self.noise * 0.98 ** 2)
            if abs(left - 1) < 1e-5:
                raise Unsettled("which round is the last")
            if left <= 1:
                return guess - self.mean
            quotient = np.maximum(self.times(inside * given / blurred, self.blur.conj()), 0)
            following = np.where(cover > 0.01, guess * quotient / np.where(cover > 0.01, cover, 1), guess)
            along, square = np.sum((following - guess) * change), np.sum(change ** 2)
            ahead = min(max(along / square, 0), 0.999) if square > 0 else 0
            change, before, x = following - guess, x, following
        return np.maximum(x, least) - self.mean

    def result(self):
        rounds = self.stage.iterations
        if self.stage.method == "rl":
            plane = self.rl(rounds or 30)
        elif self.stage.method == "tv":
            plane = self.tv(rounds or 10)
        else:
            plane = self.wiener(self.completed(rounds or 4))
        return self.inner(plane) + self.mean


def deblurred(colours, stage, full, whole_samples):
    """Colours without the blur, and what samples of 16 bits may be off by; whole_samples: the step of the image's samples"""
    undone = methods_of(colours, stage, full, whole_samples)
    result = undone(colours)
    other = undone(colours * (1 + 1e-15 * np.random.default_rng(1).uniform(-1, 1, colours.shape)))
    if np.abs(other - result).max() > 1e-7 * full:
        raise Unsettled("an equation of tiny pivots, which rounding decides")
    if stage.method != "rl" or full != 255:
        return result, 0.0
    other = undone(colours, 2e-7)  # samples of 16 bits are computed in float64
    return result, 8 * np.abs(np.clip(other, -full, 2 * full) - np.clip(result, -full, 2 * full)).max()


def methods_of(colours, stage, full, whole_samples):
    """What makes the result of planes like `colours`, whose noise and scene it knows"""
    arithmetic = 1e-5 * full
    noise = None if stage.noise is None else stage.noise * full
    least = max(whole_samples / math.sqrt(12), arithmetic) if noise is None else arithmetic
    model = fit(colours, stage.kernel, noise, least ** 2, full)

    def undone(planes, rounding=0.0):
        return np.stack([Restored(planes[:, :, c], stage, model, full, rounding).result() for c in range(planes.shape[2])],
                        axis=2)
    return undone
