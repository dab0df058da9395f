"""What each filter spec means, as numbers: imfilter(1) and imfilter(5) put into numpy.

parse() gives a stage: Kernel, Gradient, Unsharp, Deblur, Transfer, Rank, Ranks, Bilateral, Guided, LocalThreshold, Flatten, Clahe,
Fill, Despeckle, Point or Blend. Nothing here knows about images.
"""
import math
from fractions import Fraction

import numpy as np


class Kernel:
    """sum(coefs * pixels around the origin) / scale + bias * full scale"""

    def __init__(self, coefs, scale=1, bias=0, shown="clip", column=None, row=None):
        self.coefs = np.asarray(coefs, float)
        self.origin = (self.coefs.shape[0] // 2, self.coefs.shape[1] // 2)
        self.scale, self.bias, self.shown = float(scale), float(bias), shown
        self.factors = None if column is None else (np.asarray(column, float), np.asarray(row, float))
        self.integer = bool(np.all(self.coefs == np.rint(self.coefs))) and self.scale == int(self.scale)
        self.integer = self.integer and self.bias == int(self.bias)

    def at(self, origin):
        self.origin = origin
        return self

    def flipped(self):
        self.coefs = self.coefs[::-1, ::-1].copy()
        self.origin = tuple(n - 1 - o for n, o in zip(self.coefs.shape, self.origin))
        return self

    def gain(self):
        return self.coefs.sum() / self.scale

    def magnifies(self):
        """How much larger than its input's a difference of the output's can be"""
        return np.abs(self.coefs).sum() / abs(self.scale)


class Gradient:
    """The magnitude of two kernels' responses"""

    def __init__(self, x, y):
        self.x, self.y, self.shown, self.bias = Kernel(x), Kernel(y), "clip", 0.0
        self.integer = self.x.integer and self.y.integer

    def gain(self):
        return math.hypot(self.x.gain(), self.y.gain())

    def magnifies(self):
        return math.hypot(self.x.magnifies(), self.y.magnifies())


class Phase(Gradient):
    """The direction of two kernels' responses, counter-clockwise from the right, a turn as full scale"""

    def __init__(self, x, y):
        super().__init__(x, y)
        self.integer = False  # no sum is the result


class Canny:
    """Edges: full scale where the gradient is large and the largest across itself, or leads there"""

    integer, shown, bias, scale = True, "clip", 0.0, 1.0

    def __init__(self, low, high, sigma, aperture, norm):
        self.low, self.high, self.sigma, self.aperture, self.norm = low, high, sigma, aperture, norm

    def gain(self):
        return 0.0

    def magnifies(self):
        return 1.0

    def taps(self):
        """Of a Gaussian, whose sums from the ends on are whole"""
        reach = math.ceil(4 * self.sigma)
        bell = [math.exp(-(i / self.sigma) ** 2 / 2) for i in range(1, reach + 1)]
        tails = [round(4096 * math.fsum(bell[i:]) / (1 + 2 * math.fsum(bell))) for i in range(reach)] + [0]
        side = [a - b for a, b in zip(tails, tails[1:])]
        return side[::-1] + [4096 - 2 * tails[0]] + side

    def kernels(self):
        """Sobel's: binomials, smooth across and differences along"""
        smooth, derived = [1, 2, 1], [-1, 0, 1]
        while len(smooth) < self.aperture:
            smooth, derived = (np.convolve(v, [1, 2, 1]) for v in (smooth, derived))
        return np.array(smooth), np.array(derived)


class Descreen:
    """The image without its periodic patterns (pattern.py)"""

    integer, shown, bias = False, "clip", 0.0

    def __init__(self, strength, harmonics):
        self.strength, self.harmonics = strength, harmonics

    def gain(self):
        return 0.0

    def magnifies(self):
        return 2.0


class Deblur:
    """A blur is undone: `kernel` is the blur, `noise` a fraction of full scale or None, iterations 0 as many as usual"""

    integer, shown, bias = False, "clip", 0.0

    def __init__(self, method, kernel, noise, iterations):
        self.method, self.kernel, self.noise, self.iterations = method, kernel, noise, iterations

    def gain(self):
        return 0.0

    def magnifies(self):
        return 10.0


class Unsharp:
    """x + amount * soft(x - blur(x)), where soft takes the threshold off the size of a difference"""

    integer, shown, bias = False, "clip", 0.0

    def __init__(self, sigma, amount, threshold):
        self.blur, self.amount, self.threshold = gaussian(sigma), amount, threshold

    def gain(self):
        return 1.0

    def magnifies(self):
        return 1 + 2 * abs(self.amount)


class Transfer:
    """gain(u, v), of frequencies in cycles per pixel; tail(u, v) is the part that spreads; wave, of a notch: what it
    removes, as a frequency along the columns, one along the rows, and its radius"""

    integer, bias = False, 0.0

    def __init__(self, gain, tail, shown, ideal, wave=None):
        self.response, self.tail, self.shown, self.ideal, self.wave = gain, tail, shown, ideal, wave

    def gain(self):
        return float(self.response(np.zeros((1, 1)), np.zeros((1, 1)))[0, 0])

    def magnifies(self):
        return 2.0


class Rank:
    """The sample of a rank among those that the element, of ones and zeros, leaves of a window"""

    integer, shown, bias = True, "clip", 0.0

    def __init__(self, percent, element):
        self.element = np.asarray(element) != 0
        self.origin = (self.element.shape[0] // 2, self.element.shape[1] // 2)
        count = int(self.element.sum())
        self.rank = math.floor(Fraction(percent) / 100 * (count - 1) + Fraction(1, 2))

    def gain(self):
        return 0.0  # it is no kernel: alpha is kept

    def magnifies(self):
        return 1.0


class Ranks:
    """Two ranks: the second of the first, what one is above the other, or what both are from the image"""

    integer, shown, bias = True, "clip", 0.0

    def __init__(self, first, second, compound):
        self.first, self.second, self.compound = first, second, compound

    def gain(self):
        return 0.0

    def magnifies(self):
        return 1.0 if self.compound == "after" else 2.0


class Bilateral:
    """The mean of the pixels around, weighed by how near and how much alike in all channels they are"""

    integer, shown, bias = False, "clip", 0.0

    def __init__(self, sigma, range_):
        self.sigma, self.range, self.reach = sigma, range_, math.ceil(3 * sigma)

    def gain(self):
        return 0.0  # it is no kernel: alpha is kept

    def magnifies(self):
        return 2 + 2 * math.log(2 * self.reach + 1)


class Denoise:
    """What blocks of pixels have in common is kept: sigma is a fraction of full scale, or None: measured"""

    integer, shown, bias = False, "clip", 0.0

    def __init__(self, sigma, quality):
        self.sigma, self.groups = sigma, quality == "best"

    def gain(self):
        return 0.0

    def magnifies(self):
        return 9.0


class Guided:
    """Means of lines fitted in windows"""

    integer, shown, bias = False, "clip", 0.0

    def __init__(self, reach, eps):
        self.reach, self.eps = int(reach), eps

    def gain(self):
        return 0.0

    def magnifies(self):
        return 2.0 * (2 * self.reach + 1)


class LocalThreshold:
    """Full scale or 0: samples against the mean of the window around, and its spread if there is a k"""

    integer, shown, bias = True, "clip", 0.0

    def __init__(self, reach, offset=None, k=None):
        self.reach, self.offset, self.k = int(reach), offset, k

    def gain(self):
        return 0.0  # it is no kernel: alpha is kept

    def magnifies(self):
        return 1.0


class Flatten:
    """Samples as a share of the mean of the closed image"""

    integer, shown, bias = False, "clip", 0.0

    def __init__(self, reach):
        self.reach = int(reach)
        self.closed = pair("100", "after", str(self.reach), "square")

    def gain(self):
        return 0.0

    def magnifies(self):
        return 32.0


class Fill:
    """Colours under alpha 0 become the nearest visible ones"""

    integer, shown, bias = True, "clip", 0.0

    def gain(self):
        return 0.0

    def magnifies(self):
        return 1.0


class Despeckle:
    """Components of fewer pixels, dark or light ones, take the level around them"""

    integer, shown, bias = True, "clip", 0.0

    def __init__(self, area, tone="dark"):
        self.area, self.light = int(area), tone == "light"

    def gain(self):
        return 0.0

    def magnifies(self):
        return 1.0

    def of(self, plane):
        """From the extreme level on, components grow; their pixels get the level at which they have become large enough"""
        height, width = plane.shape
        values = (-plane if self.light else plane).ravel()
        result = np.full(values.shape, values.max())  # of an image that is smaller than that
        component, members, size = [None] * values.size, {}, {}  # members: those without a result
        for i in np.argsort(values, kind="stable"):
            y, x = divmod(int(i), width)
            around = {component[j * width + k] for j in range(max(y - 1, 0), min(y + 2, height))
                      for k in range(max(x - 1, 0), min(x + 2, width))} - {None}
            mine = max(around, key=lambda c: len(size[c]), default=int(i))
            members.setdefault(mine, []).append(int(i))
            size.setdefault(mine, []).append(int(i))
            for c in around - {mine}:
                members[mine] += members.pop(c)
                for k in size[c]:
                    component[k] = mine
                size[mine] += size.pop(c)
            component[i] = mine
            if len(size[mine]) >= self.area:
                result[members[mine]] = values[i]
                members[mine] = []
        return (-result if self.light else result).reshape(plane.shape)


class Clahe:
    """Local contrast: tiles across and down, and the largest count over the mean"""

    integer, shown, bias = True, "clip", 0.0

    def __init__(self, tiles="8x8", limit="3"):
        self.across, self.down = (int(n) for n in tiles.split("x"))
        self.limit = float(limit)

    def gain(self):
        return 0.0

    def magnifies(self):
        return 1.0


class Point:
    """gray, invert, threshold, equalize or otsu"""

    integer = True

    def __init__(self, kind, level=None):
        self.kind, self.level = kind, level


class Levels(Point):
    """A share of full scale from black..white to 0..1, then to the power 1 / gamma; below 0 likewise, negative"""

    integer = False

    def __init__(self, black, white, gamma):
        super().__init__("levels")
        self.black, self.by, self.power = black, 1 / (white - black), 1 / gamma

    def of(self, share):
        share = (share - self.black) * self.by
        return np.copysign(np.abs(share) ** self.power, share)

    def steepest(self, share):
        """The largest slope up to this share; a power below 1 has none"""
        most = np.abs((share - self.black) * self.by).max(initial=0)
        return np.inf if self.power < 1 else abs(self.by) * self.power * most ** (self.power - 1)


class AutoLevels(Point):
    """Levels between the samples below which there are `black` of all, and above which `white` are"""

    def __init__(self, black, white, gamma):
        super().__init__("auto")
        self.black, self.white, self.gamma = black, white, gamma

    def table(self, values, full):
        """What becomes of each of them that occurs"""
        known, counts = np.unique(values, return_counts=True)
        below = np.cumsum(counts)
        black = next((v for v, n in zip(known, below) if n > self.black * len(values.flat)), full)
        white = next((v for v, n in zip(known[::-1], np.cumsum(counts[::-1])) if n > self.white * len(values.flat)), 0)
        share = np.clip((known - black) / max(white - black, 1), 0, 1)
        made = known if black >= white else np.rint(full * share if self.gamma == 1 else full * share ** (1 / self.gamma))
        if self.gamma == 1 and black < white:
            exact = [Fraction(int(min(max(v, black), white) - black) * int(full), int(white - black)) for v in known]
            made = np.array([float(round(v)) for v in exact])
        return dict(zip(known, made)), black, white


class Curve(Point):
    """A share of full scale by cubics through points, of Hermite's form, whose slopes are Fritsch's and Carlson's; flat
    beyond them"""

    integer, power = False, 1

    def __init__(self, points):
        super().__init__("levels")
        self.x, self.y = np.array([[float(n) for n in point.split(",")] for point in points.split("/")]).T
        secants = np.diff(self.y) / np.diff(self.x)
        beside = np.concatenate((secants[:1], secants)), np.concatenate((secants, secants[-1:]))
        self.m = np.where(beside[0] * beside[1] > 0, (beside[0] + beside[1]) / 2, 0)
        for k, secant in enumerate(secants):
            a, b = self.m[k:k + 2] / secant if secant else (np.inf, np.inf)
            if a * a + b * b > 9:
                self.m[k:k + 2] = 3 * secant / np.hypot(a, b) * np.array((a, b)) if secant else 0

    def of(self, share):
        k = np.clip(np.searchsorted(self.x, share, "right") - 1, 0, len(self.x) - 2)
        wide = self.x[k + 1] - self.x[k]
        t = np.clip((share - self.x[k]) / wide, 0, 1)
        return ((1 + 2 * t) * (1 - t) ** 2 * self.y[k] + t * (1 - t) ** 2 * wide * self.m[k] +
                t * t * (3 - 2 * t) * self.y[k + 1] + t * t * (t - 1) * wide * self.m[k + 1])

    def steepest(self, share=None):
        return 3 * np.abs(np.diff(self.y) / np.diff(self.x)).max()


OF_ALL_COLOURS = ("hue", "saturation", "color", "luminosity")


def of_all_colours(b, s):
    """W3C, Compositing and Blending Level 1, 10.2, pixel by pixel as it is written there; gray has no hue"""
    colours = b.shape[2]
    b, s = (np.repeat(v, 3, axis=2) if v.shape[2] == 1 else v for v in (b, s))
    lum = lambda c: (0.3 * c[..., 0] + 0.59 * c[..., 1] + 0.11 * c[..., 2])[..., None]
    least, most = lambda c: c.min(axis=2, keepdims=True), lambda c: c.max(axis=2, keepdims=True)
    sat = lambda c: most(c) - least(c)

    def set_lum(c, l):
        c = c + (l - lum(c))
        l, n, x = lum(c), least(c), most(c)
        with np.errstate(divide="ignore", invalid="ignore"):
            c = np.where(n < 0, l + (c - l) * l / (l - n), c)
            return np.where(x > 1, l + (c - l) * (1 - l) / (x - l), c)

    def set_sat(c, wide):
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(sat(c) > 2.0 ** -13, (c - least(c)) * wide / sat(c), 0)

    made = {"hue": set_lum(set_sat(s, sat(b)), lum(b)), "saturation": set_lum(set_sat(b, sat(s)), lum(b)),
            "color": set_lum(s, lum(b)), "luminosity": set_lum(b, lum(s))}
    return {name: made[name][:, :, :colours] for name in made}


class Blend(Point):
    """What W3C's "Compositing and Blending Level 1" makes of a backdrop, the chain's input, and a source, what the
    chain has so far, both 0..1; amount of it, or as much as a mask says, replaces the backdrop"""

    def __init__(self, mode, amount=1.0):
        super().__init__("blend")
        self.mode, self.amount, self.mask = mode, amount, None
        self.integer = self.keeps = amount == 1 and mode in ("normal", "lighten", "darken", "difference", "add", "subtract")

    def formula(self, b, s):
        if self.mode == "normal":
            return s
        s = np.clip(s, 0, 1)
        if self.mode in OF_ALL_COLOURS:
            return of_all_colours(b, s)[self.mode]
        with np.errstate(invalid="ignore"):
            curve = np.where(b <= 0.25, ((16 * b - 12) * b + 4) * b, np.sqrt(np.maximum(b, 0)))
        return {
            "multiply": b * s,
            "screen": b + s - b * s,
            "overlay": hardlight(s, b),
            "darken": np.minimum(b, s),
            "lighten": np.maximum(b, s),
            "hardlight": hardlight(b, s),
            "softlight": np.where(s <= 0.5, b - (1 - 2 * s) * b * (1 - b), b + (2 * s - 1) * (curve - b)),
            "difference": np.abs(b - s),
            "add": np.minimum(1, b + s),
            "subtract": np.maximum(0, b - s),
        }[self.mode]


def hardlight(b, s):
    twice = 2 * s - 1
    return np.where(s <= 0.5, b * 2 * s, b + twice - b * twice)


def fraction(text):
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def gaussian(sigma):
    reach = min(math.ceil((4 if sigma < 5 else 5) * sigma), 2047)
    row = np.exp(-np.arange(-reach, reach + 1.0) ** 2 / (2 * sigma * sigma))
    row /= row.sum()
    return Kernel(np.outer(row, row), column=row, row=row)


def squares(reach):
    y, x = np.mgrid[-reach:reach + 1, -reach:reach + 1]
    return (x * x + y * y).astype(float)


def box(count):
    ones = np.ones(count)
    return Kernel(np.outer(ones, ones), scale=count * count, column=ones, row=ones)


def disk(radius):
    ones = squares(math.floor(radius)) <= radius * radius
    return Kernel(ones, scale=ones.sum())


def motion(length, angle):
    dx, dy = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
    # Columns and rows less than one from the segment's
    across, down = (math.ceil(round((length - 1) / 2 * abs(d), 9)) for d in (dx, dy))
    y, x = np.mgrid[-down:down + 1, -across:across + 1].astype(float)
    along = np.clip(x * dx + y * dy, -(length - 1) / 2, (length - 1) / 2)
    weights = np.maximum(0, 1 - np.hypot(x - along * dx, y - along * dy))
    return Kernel(weights / weights.sum())


def log(sigma):
    r2 = squares(math.ceil(5 * sigma))
    g = np.exp(-r2 / (2 * sigma * sigma))
    g /= g.sum()
    return Kernel((r2 - (r2 * g).sum()) / sigma ** 4 * g, shown="abs")


def dog(one, two):
    a, b = gaussian(one).coefs, gaussian(two).coefs
    size = max(len(a), len(b))
    both = [np.pad(k, (size - len(k)) // 2) for k in (a, b)]
    return Kernel(both[0] - both[1], shown="abs")


def emboss(angle):
    ring = [-1, -1, 0, 1, 1, 1, 0, -1]
    places = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0)]
    turn = (135 - angle) / 45
    whole, part = math.floor(turn), turn - math.floor(turn)
    rows = np.zeros((3, 3))
    for i, place in enumerate(places):
        rows[place] = (1 - part) * ring[(i - whole) % 8] + part * ring[(i - whole - 1) % 8]
    return Kernel(rows, shown="offset")


def gradient(across, direction):
    x = np.outer(across, [-1, 0, 1])
    if direction == "mag":
        return Gradient(x, x.T)
    return Kernel(x if direction == "x" else x.T, shown="offset")


def sharpen(amount):
    a = amount
    return Kernel([[0, -a, 0], [-a, 1 + 4 * a, -a], [0, -a, 0]])


def lowpass_of(kind, order, x):
    """The gain at x of a lowpass with its edge at 1. Bins that lie on the edge of `ideal` pass."""
    if kind == "ideal":
        return (x <= 1 + 1e-12).astype(float)
    with np.errstate(over="ignore"):
        return np.exp(-x * x / 2) if kind == "gaussian" else 1 / (1 + x ** (2 * order))


def radial(name, edges, kind, order, keeps=False):
    def low(u, v):
        d = np.hypot(u, v)
        if len(edges) == 1:
            x = d / edges[0]
        else:
            with np.errstate(divide="ignore"):
                x = np.abs(d * d - edges[0] * edges[1]) / (d * (edges[1] - edges[0]))
        return lowpass_of(kind, order, x)

    removes = name in ("highpass", "bandstop")
    shown = "offset" if name in ("highpass", "bandpass") and not keeps else "clip"

    def gain(u, v):
        passed = 1 - low(u, v) if removes else low(u, v)
        return np.where(keeps & (u == 0) & (v == 0), 1, passed)

    return Transfer(gain, low, shown, kind == "ideal")


def notch(u0, v0, radius):
    def square(u, v):
        # Frequencies of samples repeat every cycle a pixel: -0.5 and 0.5 are one.
        return (u - np.rint(u)) ** 2 + (v - np.rint(v)) ** 2

    def pit(u, v, sign):
        with np.errstate(divide="ignore"):
            narrower = radius ** 2 / square(u, v) ** 2
        return 1 - np.exp(-square(u - sign * u0, v - sign * v0) / 2 * (1 / radius ** 2 + narrower))

    def both(u, v):
        return pit(u, v, 1) * pit(u, v, -1)

    return Transfer(both, lambda u, v: 1 - both(u, v), "clip", False, (v0, u0, radius))


def drawn(name):
    """WxH.SEED[f][g] names a filter file: W x H integers that the seed draws, flipped, or two as a gradient.
    Returns its kernels and the lines that stand for them."""
    size, _, rest = name.partition(".")
    columns, rows = (int(n) for n in size.split("x"))
    seed = int(rest.rstrip("fg"))
    random = np.random.default_rng(seed)
    tables = [random.integers(-9, 10, (rows, columns)) * (random.random((rows, columns)) < 0.7)
              for _ in range(2 if "g" in rest else 1)]
    end = ("\n", "\r\n")[seed % 2]
    lines = ["# drawn", "summary Drawn"] + ["flip"] * ("f" in rest) + ["combine magnitude"] * ("g" in rest)
    for table, axis in zip(tables, "xy"):
        lines += ["", "kernel " + axis] if len(tables) > 1 else []
        lines += [(" ", ", ", "\t")[seed % 3].join("%d" % v for v in row) for row in table]
    kernels = [Kernel(table).flipped() if "f" in rest else Kernel(table) for table in tables]
    return kernels, end.join(lines) + end * (seed % 5 > 0)


def pictured(name):
    """WxH.SEEDp names a picture of that size, of a kind and with samples that the seed draws. Returns its samples, and
    the file's bytes."""
    size, _, rest = name.partition(".")
    columns, rows = (int(n) for n in size.split("x"))
    seed = int(rest.rstrip("p"))
    random = np.random.default_rng(seed)
    if seed % 2:  # PFM: the bottom row first, in either order of bytes, with both signs
        order = "<" if seed % 4 == 1 else ">"
        table = random.normal(1, 2, (rows, columns)).astype("f4")
        head = "Pf\n%d %d\n%s\n" % (columns, rows, "-1.0" if order == "<" else "2.5")
        return table.astype(float), head.encode() + table[::-1].astype(order + "f4").tobytes()
    top = (1, 15, 100, 255, 1000, 65535)[seed // 2 % 6]
    table = random.integers(0, top + 1, (rows, columns))
    table[0, 0] = 1  # not black all over
    head = "P5 %d %d %d\n" % (columns, rows, top)
    return table, head.encode() + table.astype(">u2" if top > 255 else "u1").tobytes()


def file_bytes(name):
    return pictured(name)[1] if name[-1] == "p" else drawn(name)[1].encode()


def from_picture(name, options):
    table = pictured(name)[0]
    kernel = Kernel(table, float(Fraction(options["scale"])) if "scale" in options else table.sum())
    return kernel.flipped() if "flip" in options else kernel


def from_file(name, options):
    if name[-1] == "p":
        return from_picture(name, options)
    kernels = drawn(name)[0]
    if len(kernels) == 2:
        pair = Gradient(kernels[0].coefs, kernels[1].coefs)
        pair.x, pair.y = kernels
        return pair
    kernel = kernels[0]
    return Kernel(kernel.coefs, float(Fraction(options.get("scale", "1"))), 0).at(kernel.origin)


def custom(rows, options):
    if rows[0] == "@":
        return from_file(rows[1:], options)
    table = [[Fraction(value) for value in row.split(",")] for row in rows.split("/")]
    scale = options.get("scale", "1")
    if scale == "auto":
        scale = sum(map(sum, table)) or 1
    kernel = Kernel([[float(value) for value in row] for row in table], float(Fraction(scale)),
                    float(Fraction(options.get("bias", "0"))))
    return kernel.flipped() if "flip" in options else kernel


def element(size, shape):
    if size[0] == "@":
        kernel = Kernel(pictured(size[1:])[0]) if size[-1] == "p" else drawn(size[1:])[0][0]
        return kernel.coefs, kernel.origin
    if "x" in size:
        columns, rows = (int(n) for n in size.split("x"))
        return np.ones((rows, columns)), (rows // 2, columns // 2)
    reach = int(size)
    y, x = np.mgrid[-reach:reach + 1, -reach:reach + 1]
    kinds = {"square": x == x, "disk": x * x + y * y <= reach * reach, "cross": (x == 0) | (y == 0)}
    return kinds[shape], (reach, reach)


def rank(percent, size, shape):
    ones, origin = element(size, shape)
    found = Rank(percent, ones)
    found.origin = origin
    return found


def pair(first, compound, size, shape):
    both = [rank(percent, size, shape) for percent in (first, str(100 - int(first)))]
    if compound != "apart":  # a true opening: the second element is the first, turned
        both[1].element = both[1].element[::-1, ::-1]
        both[1].origin = tuple(n - 1 - o for n, o in zip(both[1].element.shape, both[1].origin))
    return Ranks(*both, compound)


PAIRS = {"open": ("0", "after"), "close": ("100", "after"), "gradient": ("0", "apart"), "tophat": ("0", "above"),
         "blackhat": ("100", "below")}
RANKS = {"median": "50", "erode": "0", "dilate": "100"}
ACROSS = {"sobel": [1, 2, 1], "prewitt": [1, 1, 1], "scharr": [3, 10, 3]}


def parse(spec):
    name, *parts = spec.split(":")
    options = dict((p.split("=", 1) + [""])[:2] for p in parts if "=" in p or p == "flip")
    args = [p for p in parts if "=" not in p and p != "flip"]
    if name == "kernel":
        return custom(args[0], options)
    if name in RANKS:
        return rank(RANKS[name], args[0], options.get("shape", "square"))
    if name in PAIRS:
        return pair(*PAIRS[name], args[0], options.get("shape", "square"))
    if name == "percentile":
        return rank(args[0], args[1], options.get("shape", "square"))
    if name in ("deblur", "rl"):
        own = {key: options.pop(key) for key in ("noise", "prior", "iterations") if key in options}
        point = args[0][0] == "@"  # the picture of one
        options = {"flip": ""} if point else options
        kernel = parse(":".join(["kernel"] * point + args + ["%s=%s" % pair if pair[1] else pair[0] for pair in options.items()]))
        noise = own.get("noise", "auto")
        return Deblur("rl" if name == "rl" else own.get("prior", "wiener"), kernel,
                      None if noise == "auto" else float(fraction(noise)), int(own.get("iterations", 0)))
    if name == "canny":
        return Canny(Fraction(args[0]), Fraction(args[1]), float(options.get("sigma", 1)),
                     int(options.get("aperture", 3)), options.get("norm", "l1"))
    if name == "descreen":
        return Descreen(float(args[0]) if args else 1.0, True)
    if name == "notch" and args[0] == "auto":
        return Descreen(1.0, False)
    if name == "phase":
        x = np.outer(ACROSS["sobel"], [-1, 0, 1])
        return Phase(x, x.T)
    if name in ACROSS:
        return gradient(ACROSS[name], options.get("dir", "mag"))
    if name in ("highpass", "lowpass", "bandpass", "bandstop"):
        return radial(name, [float(a) for a in args], options.get("type", "gaussian"), int(options.get("order", 2)),
                      options.get("mean") == "keep")
    if name == "clahe":
        return Clahe(**options)
    if name == "threshold" and args[0] == "local":
        return LocalThreshold(args[1], offset=Fraction(args[2]))
    if name == "threshold" and args[0] == "sauvola":
        return LocalThreshold(args[1], k=float(options.get("k", 0.34)))
    if name == "threshold":
        return Point("otsu") if args[0] == "otsu" else Point(name, Fraction(args[0]))
    if name == "denoise":
        return Denoise(None if not args or args[0] == "auto" else fraction(args[0]), options.get("quality", "fast"))
    if name == "levels" and args[0] == "auto":
        return AutoLevels(*[fraction(a) for a in (args[1:] + ["0.1%"] * 2)[:2]], float(options.get("gamma", 1)))
    if name == "levels":
        return Levels(fraction(args[0]), fraction(args[1]), float(options.get("gamma", 1)))
    if name == "despeckle":
        return Despeckle(*args)
    if name == "fill":
        return Fill()
    if name == "curve":
        return Curve(args[0])
    if name == "gamma":
        return Levels(0.0, 1.0, float(args[0]))
    if name == "blend":
        return Blend(args[0], *(fraction(a) for a in args[1:]))
    if name in ("gray", "invert", "equalize"):
        return Point(name)
    if name == "laplacian":
        return Kernel([[0, 1, 0], [1, -4, 1], [0, 1, 0]], shown="abs")
    if name == "unsharp":
        return Unsharp(*(float(options.get(key, usual)) for key, usual in
                         (("sigma", 1), ("amount", 1), ("threshold", 0))))
    if name == "box":
        return box(int(args[0]))
    numbers = [float(a) for a in args]
    if name == "emboss":
        return emboss(*(numbers or [135.0]))
    if name == "sharpen":
        return sharpen(*(numbers or [1.0]))
    return {"bilateral": Bilateral, "guided": Guided, "flatten": Flatten,
            "blur": gaussian, "gaussian": gaussian, "disk": disk, "motion": motion, "log": log, "dog": dog,
            "notch": notch}[name](*numbers)
