"""Periodic patterns: descreen and notch:auto as imfilter(1) and the files' introductions have them, by whole matrices.

remove(planes, strength, harmonics, full) gives the planes without their pattern. Where a decision hangs on rounding it
raises Close.
"""
import math

import numpy as np

APART, COARSEST, MOST = 0.02, 0.03, 64


class Close(Exception):
    """Two numbers that are compared are nearly equal"""


def over(a, b):
    """a > b, which rounding must not decide"""
    if abs(a - b) <= 1e-7 * max(abs(a), abs(b)):
        raise Close
    return a > b


def quarter(size):
    """The longest product of 2, 3, 5 and 7 that is no longer than half of it, at least 32"""
    for n in range(size // 2, 31, -1):
        rest = n
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return n
    return 0


class Search:
    """A channel's four quarters"""

    def __init__(self, plane):
        self.height, self.width = plane.shape
        self.w, self.h = quarter(self.width), quarter(self.height)
        lobe = [np.sin(np.pi * (np.arange(n) + 0.5) / n) ** 2 for n in (self.h, self.w)]
        window = np.outer(*lobe)
        self.corner = [(y, x) for y in (0, self.height - self.h) for x in (0, self.width - self.w)]
        self.z = np.array([np.fft.fft2(plane[y:y + self.h, x:x + self.w] * window) for y, x in self.corner])
        self.z *= 2 / window.sum()
        self.power = np.abs(self.z) ** 2
        self.low = np.sort(self.power, axis=0)[1]

    def at(self, x, y):
        """The four powers at frequencies in steps"""
        return self.power[:, np.mod(y, self.h), np.mod(x, self.w)]

    def noise(self):
        """The picture's own variance at a wave"""
        rings, turns = 64, 180
        f = (np.arange(rings) + 0.5)[:, None] * math.sqrt(0.5) / rings
        angle = np.pi * np.arange(turns) / turns
        power = self.at(np.rint(f * np.cos(angle) * self.w).astype(int),
                        np.rint(f * np.sin(angle) * self.h).astype(int)).mean(axis=0)
        middle = np.sort(power, axis=1)[:, turns // 2]
        ring = middle / 0.918 * self.w * self.h / 9
        excess = np.sort(power / np.maximum(middle, 1e-300)[:, None], axis=0)[rings // 2]

        def at(u, v):
            near = min(int(math.hypot(u, v) / 0.7071067811865476 * rings), rings - 1)
            return ring[near] * max(excess[int(np.rint(math.atan2(v, u) / np.pi * turns)) % turns], 1)
        return at

    def stands_out(self, x, y):
        """In three quarters, near an axis in all, by 13 dB over the medians of the square's and the line's parts, nearer
        to frequency 0 and farther away; of what may be rows, over those of both as one"""
        square = [(i, j) for j in range(-12, 13) for i in range(-12, 13) if max(abs(i), abs(j)) > 4]
        length = math.hypot(x, y)
        steps = [d / 2 for d in range(-24, 25) if abs(d / 2) > 4 and length + d / 2 > 1]
        line = [(int(np.rint(d * x / length)), int(np.rint(d * y / length))) for d in steps]
        whole = rows(x / self.w, y / self.h, max(1 / self.w, 1 / self.h))
        if not whole and length < 6:
            return False
        fails = np.zeros(4, bool)
        for around, beyond in ((line, np.array(steps) > 0), (square, np.array([i * x + j * y > 0 for i, j in square]))):
            i, j = np.array(around).T
            near = self.at(x + i, y + j) * 20 >= self.at(x, y)[:, None]
            for part in (np.ones(len(around), bool),) if whole else (beyond, ~beyond):
                fails |= 2 * near[:, part].sum(axis=1) >= max(part.sum(), 0.5)
        axis = x <= 1 or abs(y) <= 1 or self.w - 2 * x <= 2 or self.h - 2 * abs(y) <= 2
        return fails.sum() <= (0 if axis else 1)

    def vertex(self, x, y, dx, dy):
        a, b, c = (math.log(max(self.at(x + k * dx, y + k * dy).sum(), 1e-300)) for k in (-1, 0, 1))
        bend = a - 2 * b + c
        return min(max(0.5 * (a - c) / bend, -0.5), 0.5) if bend < 0 else 0.0

    def wave(self, x, y):
        """(u, v, amplitude), or None if the quarters' waves are out of step"""
        w, h, dx, dy = self.w, self.h, self.width - self.w, self.height - self.h
        z = self.z[:, y % h, x % w] * np.exp(1j * np.pi * (x * (w - 1) / w + y * (h - 1) / h))
        u, v = (x + self.vertex(x, y, 1, 0)) / w, (y + self.vertex(x, y, 0, 1)) / h
        across = z[1] * np.conj(z[0]) + z[3] * np.conj(z[2])
        down = z[2] * np.conj(z[0]) + z[3] * np.conj(z[1])
        late = [np.angle(across * np.exp(-2j * np.pi * u * dx)), np.angle(down * np.exp(-2j * np.pi * v * dy))]
        u, v = u + late[0] / (2 * np.pi * dx), v + late[1] / (2 * np.pi * dy)
        total = abs(sum(z[q] * np.exp(-2j * np.pi * (u * left + v * top)) for q, (top, left) in enumerate(self.corner)))
        if over(abs(late[0]), 0.785) or over(abs(late[1]), 0.785) or over(0.9 * np.abs(z).sum(), total):
            return None
        lobe = [1 if abs(d) < 1e-6 else math.sin(np.pi * d) / (np.pi * d * (1 - d * d)) for d in (u * w - x, v * h - y)]
        return u, v, total / 4 / lobe[0] / lobe[1]

    def waves(self, least):
        w, h = self.w, self.h
        for y in range(-((h - 1) // 2), h // 2 + 1):
            for x in range(w // 2 + 1):
                power = self.low[y % h, x]
                if (x in (0, w / 2) and y < 0) or power < least ** 2 or math.hypot(x / w, y / h) < 0.01:
                    continue
                around = [self.low[(y + j) % h, (x + i) % w] for j in (-1, 0, 1) for i in (-1, 0, 1) if i or j]
                if max(around) > power * (1 + 1e-9) or not self.stands_out(x, y):
                    continue
                found = self.wave(x, y)
                if found:
                    yield found


def folded(u, v):
    u, v = u - np.rint(u), v - np.rint(v)
    half = np.rint(2 * u) / 2, np.rint(2 * v) / 2
    if math.hypot(u - half[0], v - half[1]) < APART:
        u, v = abs(half[0]), abs(half[1])
    return (-u, -v) if u < 0 or (u == 0 and v < 0) else (u, v)


class Waves:
    """[u, v, amplitude in each channel], the same one once"""

    def __init__(self):
        self.list = []

    def add(self, u, v, amplitude):
        u, v = folded(u, v)
        for there in self.list:
            for sign in (1, -1):
                du, dv = u - sign * there[0], v - sign * there[1]
                if math.hypot(du - np.rint(du), dv - np.rint(dv)) < APART:
                    there[2] = np.maximum(there[2], amplitude)
                    return False
        if math.hypot(u, v) >= COARSEST and len(self.list) < MOST:
            self.list.append([u, v, amplitude])
        return True


def rows(u, v, step):
    """What lines of text have, too"""
    length = math.hypot(u, v)
    return length < 0.1 and min(abs(u), abs(v)) <= max(1.5 * step, 0.05 * length)


def join(out, peaks, step):
    """Add a window's, without the picture's own rows; the strongest first"""
    peaks = sorted(peaks, key=lambda p: -p[2].max())
    own = [p for p in peaks if rows(p[0], p[1], step)]
    for u, v, amplitude in peaks:
        for r in own:
            length = math.hypot(*r[:2])
            times = (u * r[0] + v * r[1]) / length ** 2
            if abs(times - np.rint(times)) * length < step / 2:
                break
        else:
            out.add(u, v, amplitude)
    out.list.sort(key=lambda w: -w[2].max())


def windows(size):
    """Where those that are searched begin, and how long they are"""
    length = max(256, size // 8)
    if size < length * 3 // 2:
        return [0], size
    count = (2 * size - 1) // length
    return [(size - length) * i // (count - 1) for i in range(count)], length


def found(planes, full):
    """The waves, and each channel's noise"""
    height, width, channels = planes.shape
    out, noise = Waves(), []
    across, down = windows(width), windows(height)
    places = [(0, 0, height, width)]
    if len(across[0]) * len(down[0]) > 1:
        places += [(top, left, down[1], across[1]) for top in down[0] for left in across[0]]
    for top, left, h, w in places:
        peaks = []
        for c in range(channels):
            search = Search(planes[top:top + h, left:left + w, c])
            if len(noise) < channels:
                noise.append(search.noise())
            for u, v, amplitude in search.waves(0.5 / 255 * full):
                peaks.append((u, v, amplitude * (np.arange(4) == c)))
        join(out, peaks, max(1 / quarter(w), 1 / quarter(h)))
    return out, noise


def with_harmonics(waves):
    out, none = Waves(), np.zeros(4)
    for k, a in enumerate(waves.list):
        partner, most = None, 0.6
        for b in waves.list[k + 1:]:
            longest = max(math.hypot(*a[:2]), math.hypot(*b[:2]))
            area = abs(a[0] * b[1] - a[1] * b[0]) / longest ** 2
            if area > most:
                partner, most = b, area
        if not out.add(*a):
            continue
        b = partner or (0, 0)
        if partner:
            out.add(*partner)
        for m in range(5):
            for n in range(m - 4, 5 - m) if partner else (0,):
                if m > 0 or n > 0:
                    out.add(m * a[0] + n * b[0], m * a[1] + n * b[1], none)
    return out


def axis(size, spacing):
    """The nodes' functions along an axis, as columns, and those of coarser levels as sums of them"""
    cells = (size - 1) // spacing + 1
    start = (cells * spacing - size) // 2
    at = (np.arange(size)[:, None] + start + 0.5) / spacing - np.arange(cells + 1)
    levels = []
    for part in (1, 2, 4, 8, None):
        coarse = int(np.rint(cells / part)) if part else 0
        apart = np.arange(cells + 1)[:, None] * coarse / cells - np.arange(coarse + 1)
        levels.append(bell(apart) if coarse else np.ones((cells + 1, 1)))
    return bell(at), levels


def bell(t):
    return np.where(np.abs(t) < 1, 0.5 + 0.5 * np.cos(np.pi * t), 0)


def fitted(plane, waves, spacing, noise=None, caution=0.0):
    """The waves' sum, each fitted by least squares (noise None: as finely as can be); those that are there; the energy that
    one amplitude for each explains, and what the finest explain beyond that"""
    (across, levels_x), (down, levels_y) = (axis(n, spacing) for n in plane.shape[::-1])
    result, kept, even, varying = np.zeros(plane.shape), [], 0.0, 0.0
    for u, v, amplitude in waves:
        turn_x, turn_y = (np.exp(2j * np.pi * f * np.arange(n))[:, None] for f, n in zip((u, v), plane.shape[::-1]))
        best, most, there = 0, 0.0, noise is None
        tries = []
        for level in range(5):
            x, y = across @ levels_x[level], down @ levels_y[level]
            right = (y * turn_y).conj().T @ plane @ (x * turn_x).conj()
            value = np.linalg.solve(x.T @ x, np.linalg.solve(y.T @ y, right).T).T
            energy = (right.conj() * value).sum().real
            cost = caution * value.size * noise(u, v) if noise else 0
            tries.append((x, y, value, energy))
            if noise:
                there = over(energy, (1 if amplitude else 8) * cost) or there
            if noise and over(energy - cost, most):
                best, most = level, energy - cost
        if there:
            x, y, value, _ = tries[best]
            wave = ((y * turn_y) @ value @ (x * turn_x).T).real
            result += wave * (1 if u in (0, 0.5) and v in (0, 0.5) else 2)
            kept.append((u, v))
            even += tries[4][3]
            varying += tries[0][3] - tries[4][3] - (tries[0][2].size * noise(u, v) if noise else 0)
    return result, kept, even, varying


def screened(plane, waves, share):
    """What Wiener's filter for dots that follow the tone takes, of a plane that is reflected"""
    periods = []
    for n in plane.shape:
        period = n + 128
        while period % 2 or quarter(2 * period) != period:
            period += 1
        periods.append(period)
    wide = np.pad(plane, [(0, (p - n) // 2) for p, n in zip(periods, plane.shape)], "symmetric")
    wide = np.pad(wide, [(0, p - n) for p, n in zip(periods, wide.shape)])
    for ax, (p, n) in enumerate(zip(periods, plane.shape)):
        at = np.arange(p)
        at = np.where(at < (n + p) // 2, at, at - p)
        at = np.where(at < 0, -1 - at, at) % (2 * n)
        wide = np.take(wide, np.where(at < n, at, 2 * n - 1 - at), axis=ax)
    v, u = np.fft.fftfreq(periods[0])[:, None], np.fft.fftfreq(periods[1])[None, :]
    ratio = np.zeros(wide.shape)
    for a, b in waves:
        for sign in (1,) if a in (0, 0.5) and b in (0, 0.5) else (1, -1):
            du, dv = (d - np.rint(d) for d in (u - sign * a, v - sign * b))
            ratio += share * math.hypot(*waves[0]) / math.hypot(a, b) * (u * u + v * v) / (du * du + dv * dv + 1e-12)
    return np.fft.ifft2(np.fft.fft2(wide) * ratio / (1 + ratio)).real[:plane.shape[0], :plane.shape[1]]


def confined(taken, period):
    """0 where it has less than a hundredth of the largest energy, over cells of half a period"""
    cell = max(int(np.rint(period / 2)), 2)
    energy = taken ** 2
    for ax, n in enumerate(taken.shape):
        begin = np.arange(0, n, cell)
        count = np.diff(np.append(begin, n))
        energy = np.moveaxis(np.add.reduceat(energy, begin, axis=ax), ax, -1) / count
        energy = np.moveaxis(energy, -1, ax)
    for ax in (1, 0):
        padded = np.pad(energy, [(1, 1) if k == ax else (0, 0) for k in (0, 1)], "edge")
        n = energy.shape[ax]
        energy = sum(f * np.take(padded, np.arange(n) + k, axis=ax) for k, f in enumerate((0.25, 0.5, 0.25)))
    least = 0.01 * energy.max()
    for ax, n in enumerate(taken.shape):
        at = np.clip((np.arange(n) + 0.5) / cell - 0.5, 0, energy.shape[ax] - 1)
        first = at.astype(int)
        part = (at - first).reshape((-1, 1) if ax == 0 else (1, -1))
        energy = (1 - part) * np.take(energy, first, axis=ax) + \
            part * np.take(energy, np.minimum(first + 1, energy.shape[ax] - 1), axis=ax)
    return taken * energy ** 2 / (energy ** 2 + least ** 2 + 1e-300)


def remove(planes, strength, harmonics, full):
    height, width, channels = planes.shape
    if not quarter(width) or not quarter(height):
        return planes
    waves, noise = found(planes, full)
    if harmonics:
        waves = with_harmonics(waves)
    if not waves.list:
        return planes
    out = planes.copy()
    for c in range(channels):
        plane = planes[:, :, c]
        here = [(u, v, amplitude[c]) for u, v, amplitude in waves.list]
        strongest = max(w[2] for w in here)
        low, _, _, tones = fitted(plane, [(0, 0, 1)], 24)
        rest, kept, even, varying = plane - low, [], 0.0, 0.0
        for part in ([w for w in here if w[2] > 0 and w[2] >= strongest / 4],
                     [w for w in here if 0 < w[2] < strongest / 4], [w for w in here if w[2] == 0]):
            wave, there, steady, more = fitted(rest, part, 16, noise[c], 4.0 / strength)
            rest, kept, even, varying = rest - wave, kept + there, even + steady, varying + more
        taken = plane - low - rest
        if kept and over(varying, max(0.01 * tones, 0.001 * even)):
            taken = taken + screened(plane - taken, kept, 0.15 * strength)
        out[:, :, c] -= confined(taken, 1 / math.hypot(*kept[0]) if kept else 1)
    return out
