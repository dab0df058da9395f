"""A case: a chain, options, and an image that a seed describes. One line of text holds all of it.

    f=blur:2 f=sobel size=31x17 channels=3 bits=8 content=noise seed=7 edge=wrap backend=fft

Cases are drawn in groups of one chain, shape and options, which one run of the program filters.
"""
import os

import numpy as np

import filters
import pixels

FILES = {"pnm": (".pgm", ".pam", ".ppm", ".pam"), "png": (".png",) * 4}
CONTENTS = ("noise", "flat", "low", "steps", "impulses", "ramp", "extremes", "waves", "dots")
ALPHAS = ("any", "opaque", "tiny", "cut")
# What transforms and sums by rows and columns never do
WINDOWS = ("median", "percentile", "erode", "dilate", "open", "close", "gradient", "tophat", "blackhat", "bilateral",
           "guided", "denoise", "canny", "phase", "equalize", "threshold:otsu", "threshold:local", "threshold:sauvola", "flatten",
           "clahe", "fill", "despeckle", "descreen", "notch:auto", "deblur", "rl:")


def with_file(spec, folder):
    """A spec of what is drawn by a name, @WxH.SEED, as the file of that, which is made"""
    if ":@" not in spec:
        return spec
    before, _, after = spec.partition("@")
    name, *options = after.split(":")
    path = os.path.join(folder, name + ".flt")
    with open(path, "wb") as file:
        file.write(filters.file_bytes(name))
    return ":".join([before + "@" + path] + options)


class Case:
    def __init__(self, text):
        self.specs, self.options = [], {}
        for word in text.split():
            key, _, value = word.partition("=")
            if key == "f":
                self.specs.append(value)
            else:
                self.options[key] = value
        width, height = self.options["size"].split("x")
        self.shape = (int(height), int(width), int(self.options.get("channels", 1)))
        self.bits = int(self.options.get("bits", 8))
        self.kind = self.options.get("file", "pnm")

    def __str__(self):
        return " ".join(["f=" + s for s in self.specs] + ["%s=%s" % pair for pair in self.options.items()])

    def suffix(self):
        return FILES[self.kind][self.shape[2] - 1]

    def arguments(self, folder):
        """What the program is given, but for inputs and output; filter files are made in folder"""
        words = []
        for spec in self.specs:
            words += ["-f", with_file(spec, folder)]
        for key in ("edge", "range", "alpha", "depth", "backend", "strength", "mask-feather"):
            if key in self.options:
                words.append("--%s=%s" % (key, self.options[key]))
        if "mask" in self.options:
            path = os.path.join(folder, "mask.pgm")
            pixels.write_pnm(path, self.mask())
            words.append("--mask=" + path)
        if "pick" in self.options:
            words.append("--channels=" + self.options["pick"])
        words += ["--region=" + region for region in self.options.get("region", "").split(",") if region]
        return words + ["--" + key for key in ("linear", "mask-invert") if key in self.options]

    def model_options(self):
        chosen = {key: self.options[key] for key in ("edge", "range", "alpha") if key in self.options}
        chosen["linear"] = "linear" in self.options
        chosen["depth"] = int(self.options["depth"]) if "depth" in self.options else None
        chosen["strength"] = filters.fraction(self.options["strength"]) if "strength" in self.options else None
        chosen["feather"] = float(self.options.get("mask-feather", 0))
        chosen["invert"] = "mask-invert" in self.options
        chosen["channels"] = self.options.get("pick")
        chosen["regions"] = [self.rectangle(region) for region in self.options.get("region", "").split(",") if region]
        chosen["mask"] = self.mask() if "mask" in self.options else None
        return chosen

    def rectangle(self, region):
        """left, top, right, bottom of WxH+X+Y, in pixels or percentages"""
        height, width, _ = self.shape
        size, x, y = region.split("+")
        across, down = ([float(v[:-1]) * all_ / 100 if v[-1] == "%" else float(v) for v in pair]
                        for pair, all_ in (((size.split("x")[0], x), width), ((size.split("x")[1], y), height)))
        # Python rounds halves to even, too.
        left, right = round(across[1]), round(across[1] + across[0])
        top, bottom = round(down[1]), round(down[1] + down[0])
        return max(0, left), max(0, top), min(width, right), min(height, bottom)

    def mask(self):
        """Of the seed that the option mask names, with `w` behind it of 16 bits: smooth, and white and black parts"""
        height, width, _ = self.shape
        words = self.options["mask"].endswith("w")
        random = np.random.default_rng(int(self.options["mask"].rstrip("w")))
        y, x = np.mgrid[:height, :width]
        slope = random.uniform(-3, 3, 2) / max(width, height)
        plane = np.clip(0.5 + slope[0] * (x - width / 2) + slope[1] * (y - height / 2), 0, 1)
        full, kind = (65535, np.uint16) if words else (255, np.uint8)
        return np.rint(plane * full).astype(kind)[:, :, None]

    def image(self):
        height, width, channels = self.shape
        random = np.random.default_rng(int(self.options.get("seed", 0)))
        full = 255 if self.bits == 8 else 65535
        data = content(self.options.get("content", "noise"), random, height, width, channels, full)
        if channels in (2, 4):
            data[:, :, -1] = alpha(self.options.get("opacity", "any"), random, height, width, full)
        return data.astype(np.uint8 if self.bits == 8 else np.uint16)


def content(name, random, height, width, channels, full):
    shape = (height, width, channels)
    if name == "flat":
        return np.broadcast_to(random.integers(0, full + 1, channels), shape).copy()
    if name == "low":
        return random.integers(full // 3, full // 3 + 4, shape)
    if name == "steps":
        y, x = np.mgrid[:height, :width]
        cell = int(random.integers(1, 9))
        colours = random.integers(0, full + 1, (2, channels))
        return colours[(x // cell + y // cell) % 2]
    if name == "impulses":
        return np.where(random.random(shape) < 0.02, full, 0)
    if name == "ramp":
        y, x = np.mgrid[:height, :width]
        plane = (x * int(random.integers(1, full)) // max(1, width) + y * 3) % (full + 1)
        return np.repeat(plane[:, :, None], channels, axis=2)
    if name == "waves":
        y, x = np.mgrid[:height, :width, :1][:2]
        plane = full * (0.4 + 0.2 * np.sin(x / 40 + y / 70)) + random.normal(0, full / 100, shape)
        for u, v in random.uniform((0, -0.5), (0.5, 0.5), (3, 2)):
            plane = plane + full / 12 * np.cos(2 * np.pi * (u * x + v * y)) * random.integers(0, 2, channels)
        return np.clip(np.rint(plane), 0, full).astype(int)
    if name == "dots":  # a print's, in the left two thirds
        y, x = np.mgrid[:height, :width, :1][:2]
        tone = full * (0.5 + 0.3 * np.sin(x / 31 + y / 57) * np.cos(y / 23)) + np.zeros(shape)
        turn = 2 * np.pi / random.uniform(4.5, 9)
        angle = random.uniform(0.2, 1.4) + np.arange(channels)
        dots = sum(np.cos(turn * (x * np.cos(a) + y * np.sin(a))) for a in (angle, angle + np.pi / 2))
        print_ = full * np.clip((tone / full - 0.5) * 4 + dots + 0.5, 0, 1)
        plane = np.where(x < 2 * width / 3, print_, tone) + random.normal(0, full / 100, shape)
        return np.clip(np.rint(plane), 0, full).astype(int)
    if name == "extremes":
        return random.integers(0, 2, shape) * full
    return random.integers(0, full + 1, shape)


def alpha(name, random, height, width, full):
    if name == "opaque":
        return np.full((height, width), full)
    if name == "tiny":
        return random.integers(1, 4, (height, width))
    if name == "cut":
        y, x = np.mgrid[:height, :width]
        return np.where((x // 5 + y // 7) % 2, full, 0)
    return random.choice([0, 1, full // 3, full - 1, full], (height, width))


class Draw:
    """Random groups. Few shapes a filter, since each shape's kernels are compiled anew."""

    sizes = ((1, 1), (1, 37), (53, 1), (2, 2), (3, 5), (7, 7), (16, 16), (31, 17), (64, 64), (61, 127), (128, 96),
             (211, 40), (97, 293), (300, 13))

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def one(self, items):
        return items[int(self.random.integers(len(items)))]

    def chance(self, part):
        return self.random.random() < part

    def number(self, low, high):
        return "%.3g" % self.random.uniform(low, high)

    def kernel(self):
        rows, columns = (int(self.random.integers(1, 8)) for _ in range(2))
        if self.chance(0.1):
            rows, columns = self.one(((1, 41), (33, 1), (15, 15), (21, 20)))
        whole = self.chance(0.6)
        size = self.one((1, 4, 30))
        values = self.random.integers(-size, size + 1, (rows, columns)) if whole else \
            np.round(self.random.normal(0, size / 4, (rows, columns)), 3)
        if self.chance(0.25):  # a product of a column and a row
            values = self.random.integers(-4, 5, (rows, 1)) * self.random.integers(-4, 5, (1, columns))
        if self.chance(0.2):
            values = np.abs(values) + 1
        spec = "kernel:" + "/".join(",".join("%g" % v for v in row) for row in values)
        if self.chance(0.5):
            spec += ":scale=" + self.one(("2", "7", "auto", "-3", "16", "0.5", "2.5"))
        if self.chance(0.3):
            spec += ":bias=" + self.one(("0.5", "1", "-1", "0.25", "2"))
        return spec + (":flip" if self.chance(0.2) else "")

    def file(self):
        width, height = (int(self.random.integers(1, 10)) for _ in range(2))
        if self.chance(0.3):
            width, height = self.one(((45, 51), (64, 3), (32, 32), (1, 99)))
        seed = self.random.integers(1000)
        if self.chance(0.3):
            spec = "kernel:@%dx%d.%dp" % (width | 1, height | 1, seed)
            return spec + self.one(("", "", ":scale=60", ":scale=2.5")) + (":flip" if self.chance(0.2) else "")
        spec = "kernel:@%dx%d.%d" % (width, height, seed) + self.one(("", "f", "g", "fg"))
        return spec + (":scale=" + self.one(("60", "-7", "2.5")) if spec[-1] != "g" and self.chance(0.5) else "")

    def transfer(self):
        name = self.one(("lowpass", "highpass", "bandpass", "bandstop", "notch"))
        if name == "notch":
            return "notch:%s:%s:%s" % (self.number(-0.45, 0.45), self.number(0.1, 0.45), self.number(0.02, 0.08))
        low = self.random.uniform(0.02, 0.3)
        spec = name + ":%.3g" % low
        if name.startswith("band"):
            spec += ":%.3g" % (low + self.random.uniform(0.08, 0.2))
        kind = self.one(("", "", ":type=ideal", ":type=butterworth", ":type=butterworth:order=3"))
        if name in ("highpass", "bandpass") and self.chance(0.3):
            kind += ":mean=keep"
        return spec + kind

    def rank(self):
        name = self.one(("median", "median", "erode", "dilate", "open", "close", "gradient", "tophat",
                         "blackhat", "percentile:" + self.one(("0", "0.1", "10", "37.5", "62.5", "90", "100"))))
        if self.chance(0.2):
            width, height, seed = *self.random.integers(2, 12, 2), self.random.integers(1000)
            if self.chance(0.3):
                return name + ":@%dx%d.%dp" % (width | 1, height | 1, seed)
            return name + ":@%dx%d.%d" % (width, height, seed)
        if self.chance(0.3):
            return name + ":%dx%d" % tuple(self.random.integers(1, 14, 2))
        return name + ":" + self.one("0112234579") + self.one(("", "", ":shape=disk", ":shape=cross"))

    def smooth(self):
        if self.chance(0.2):
            return "denoise:" + self.one(("0.003", "2%", "0.1", "0.3", "0")) + self.one(("", "", ":quality=best"))
        if self.chance(0.5):
            return "guided:%s:%s" % (self.one("012359"), self.one(("0.01", "0.05", "0.2", "1")))
        return "bilateral:%s:%s" % (self.number(0.3, 3), self.one(("0.02", "0.1", "0.3", "5")))

    def canny(self):
        low = self.random.uniform(0, 0.3)
        return "canny:%.3g:%.3g" % (low, low + self.random.uniform(0, 0.4)) + self.one(
            ("", "", ":sigma=0", ":sigma=%.2g" % self.random.uniform(0.2, 4))) + self.one(
                ("", "", ":aperture=5", ":aperture=7")) + self.one(("", ":norm=l2"))

    def scan(self):
        return self.one(("threshold:local:%s:%s" % (self.one("1237"), self.one(("0", "0.04", "-0.1", "0.2"))),
                         "threshold:sauvola:" + self.one("1237") + self.one(("", "", ":k=0.2", ":k=1", ":k=0")),
                         "flatten:" + self.one("1237"),
                         "clahe" + self.one(("", ":tiles=3x2", ":tiles=1x7")) + self.one(("", ":limit=40", ":limit=0"))))

    def deblur(self):
        blur = self.one(("gaussian:" + self.number(0.5, 3), "disk:%d" % self.random.integers(1, 6),
                         "motion:%d:0" % self.one((3, 5, 9, 11)), "kernel:1,2,1/2,4,2/1,2,1", "box:3"))
        own = self.one(("", "", ":noise=0.008", ":noise=3.5%")) + self.one(("", "", ":iterations=3"))
        return self.one(("deblur:%s", "deblur:%s:prior=tv", "rl:%s")) % blur + own

    def spec(self):
        return self.one((
            lambda: self.one(("sharpen", "sharpen:2", "sharpen:0.5", "sharpen:30")),
            lambda: "unsharp:sigma=%s:amount=%s" % (self.number(0.4, 4), self.number(0.2, 4)) +
            self.one(("", ":threshold=0.05")),
            lambda: "blur:" + self.number(0.3, 9),
            lambda: "box:" + self.one(("2", "3", "4", "9", "15", "40")),
            lambda: "disk:" + self.one(("1", "2.5", "6", "9")),
            lambda: "motion:%s:%s" % (self.number(1, 24), self.number(-180, 360)),
            lambda: self.one(("sobel", "prewitt", "scharr")) + self.one(("", "", ":dir=x", ":dir=y")),
            lambda: "laplacian",
            lambda: "log:" + self.number(0.5, 4),
            lambda: "dog:%s:%s" % (self.number(0.4, 2), self.number(2, 5)),
            lambda: "emboss" + self.one(("", ":0", ":90", ":-45", ":30", ":201.5")),
            self.kernel, self.kernel, self.file, self.transfer, self.transfer,
        ))()

    def window(self):
        """What is no kernel: its results depend on what the samples are, and backends find them in other ways"""
        return self.one((self.rank, self.rank, self.rank, self.rank, self.smooth, self.smooth, self.canny, self.scan,
                         lambda: "phase", lambda: "despeckle:" + self.one(("2", "4:light", "9", "30:light", "200:dark")),
                         lambda: self.one(("descreen", "descreen:3", "descreen:0.3", "notch:auto"))))()

    def blend(self):
        mode = self.one(("normal", "normal", "overlay", "softlight", "hardlight", "multiply", "screen", "lighten", "darken",
                         "difference", "add", "subtract", "saturation", "color", "luminosity"))
        return "blend:" + mode + self.one(("", ":0.5", ":30%", ":1", ":0.85") + ((":2.5", ":150%") if mode == "normal" else ()))

    def levels(self):
        return self.one(("gamma:" + self.number(0.2, 5), "levels:%s:%s" % (self.number(-0.2, 0.4), self.number(0.5, 1.3)),
                         "levels:10%:90%:gamma=" + self.number(0.2, 5), "levels:1:0",
                         "levels:auto", "levels:auto:2%:5%", "levels:auto:0:0.01:gamma=" + self.number(0.5, 2),
                         "curve:0,%s/0.25,%s/0.6,%s/1,%s" % tuple(self.number(0, 1) for _ in range(4)), "curve:0.1,0/0.5,0.2/0.9,1"))

    def chain(self):
        stage = lambda: (self.window if self.chance(0.55) else self.spec)()
        specs = [self.deblur() if self.chance(0.05) else stage()]
        while len(specs) < 4 and self.chance(0.3):
            specs.append(stage())
        while self.chance(0.15):
            specs.insert(int(self.random.integers(len(specs) + 1)), self.blend())
        for point in ("gray", "invert", "threshold:" + self.one(("0.5", "0.2", "0.333", "otsu", "otsu")), "equalize", self.levels(), "fill"):
            if self.chance(0.12):
                specs.insert(int(self.random.integers(len(specs) + 1)), point)
        return specs

    def region(self, width, height):
        def span(count):
            length = int(self.random.integers(1, count + 1))
            return length, int(self.random.integers(count))
        (w, x), (h, y) = span(width), span(height)
        if self.chance(0.3):
            return "%d%%x%d+%d+0%%" % (self.random.integers(50, 120), h, x, )
        return "%dx%d+%d+%d" % (w, h, x, y)

    def group(self):
        """Cases that differ in their image's content alone, without a backend"""
        specs = self.chain()
        width, height = self.one(self.sizes)
        options = {"size": "%dx%d" % (width, height), "channels": self.one("1233444"), "bits": self.one(("8", "8", "16"))}
        if self.chance(0.7):
            options["edge"] = self.one(("reflect", "mirror", "wrap", "wrap", "constant", "constant:0.3", "constant:1"))
        if self.chance(0.4):
            options["range"] = self.one(("clip", "abs", "offset", "normalize", "normalize"))
        if options["channels"] in "24" and self.chance(0.4):
            options["alpha"] = self.one(("premultiply", "filter", "keep"))
        if self.chance(0.15):
            options["linear"] = "1"
        if self.chance(0.2):
            options["depth"] = self.one(("8", "16"))
        if self.chance(0.1):
            options["strength"] = self.one(("0", "0.3", "50%", "1", "140%"))
        if self.chance(0.15):
            options["mask"] = "%d" % self.random.integers(1 << 30) + self.one(("", "w"))
            if self.chance(0.3):
                options["mask-invert"] = "1"
        if self.chance(0.15):
            options["pick"] = self.one(("luma", "luma") + (("r", "g", "b", "chroma", "chroma") if options["channels"] in "34" else ()) +
                                       (("alpha", "alpha") if options["channels"] in "24" else ()))
        if self.chance(0.15):
            options["region"] = self.region(width, height) + ("," + self.region(width, height)) * self.chance(0.3)
        if ("mask" in options or "region" in options) and self.chance(0.4):
            options["mask-feather"] = self.number(0.4, 6)
        if self.chance(0.2) and width * height < 8000:
            options["file"] = "png"
        cases = []
        for _ in range(3):
            images = {"content": self.one(CONTENTS), "seed": str(int(self.random.integers(1 << 30)))}
            if options["channels"] in "24":
                images["opacity"] = self.one(ALPHAS)
            cases.append(" ".join(["f=" + s for s in specs] + ["%s=%s" % p for p in {**options, **images}.items()]))
        return cases

    def backends(self, specs):
        """cpu and vector start no device; what does not suit one is refused"""
        others = () if any(spec.startswith(WINDOWS) for spec in specs) else ("fft", "separable")
        return list(dict.fromkeys([self.one(("auto", "direct") + others[:1]),
                                   self.one(("cpu", "vector", "vector", "direct") + others)]))
