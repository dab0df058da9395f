"""Cases of floats and of other integers: chains, sample types, and pictures of them"""
import numpy as np

import restoring

EDGES = ("clamp", "reflect", "mirror", "wrap", "constant")
BACKENDS = {"auto": 0, "direct": 1, "separable": 2, "fft": 3, "cpu": 4, "vector": 5}
# The rows' type, and imf_info.type, type_bits and full scale
TYPES = {"half": ("f4", 1, 16, 1.0), "float": ("f4", 0, 0, 1.0), "double": ("f8", 0, 0, 1.0), "int16": ("f4", 3, 16, 32767.0),
         "uint12": ("f4", 2, 12, 4095.0), "uint32": ("f8", 2, 32, 4294967295.0)}


def draw(random, often):
    """often: the share of chains with one of restoring.py's"""
    one = lambda of: of[int(random.integers(len(of)))]
    number = lambda low, high: "%.3g" % random.uniform(low, high)
    file = lambda: "%dx%d.%d" % tuple(random.integers(1, 9, 3)) + one(("", "f", "g", "fg"))  # see filters.drawn()
    stage = lambda: one((
        lambda: one(("sharpen", "sharpen:0.7", "sharpen:30")), lambda: "blur:" + number(0.4, 6), lambda: "box:" + one("23479"),
        lambda: "disk:" + one(("1", "2.5", "6")), lambda: "motion:%s:%s" % (number(2, 12), number(0, 180)),
        lambda: one(("sobel", "prewitt", "scharr")) + one(("", ":dir=x", ":dir=y")), lambda: one(("laplacian", "log:1.5")),
        lambda: "dog:1:2.5", lambda: "emboss", lambda: "kernel:" + one(("1,2,-1/0.5,0,3/2,1,1:bias=0.1:scale=3", "@" + file())),
        lambda: "unsharp:sigma=%s:amount=%s" % (number(0.5, 3), number(0.3, 3)) + one(("", ":threshold=0.05")),
        lambda: "median:" + one(("1", "2", "4", "3x9", "@%dx%d.%d" % (random.integers(1, 7), random.integers(3, 7), random.integers(1, 7)))), lambda: "percentile:%d:%s" % (random.integers(101), one("123")),
        lambda: one(("erode:", "dilate:", "open:", "close:", "gradient:", "tophat:", "blackhat:")) + one("125") +
        one(("", ":shape=disk", ":shape=cross")),
        lambda: "guided:%s:0.1" % one("124"), lambda: one(("invert", "levels:0.1:0.7", "gamma:0.5", "curve:-1,-1/0.1,0.3/1,1/9,4",
                                                                    "curve:0.4,0/0.401,1")),
        lambda: one(("highpass:0.1", "lowpass:0.15", "bandpass:0.05:0.2", "bandstop:0.1:0.2", "notch:0.1:0.2:0.05")),
        lambda: "bilateral:%s:%s" % (one(("0.8", "1.5", "2")), one(("0.05", "0.3"))), lambda: "phase", lambda: "gray",
        lambda: "flatten:" + one("249"), lambda: "threshold:" + one(("0.31", "0.5", "otsu")),
        lambda: one(("equalize", "levels:auto", "levels:auto:3%:0.05")),
        lambda: "despeckle:" + one(("2", "5:light", "60", "9:dark")),
        lambda: one(("canny:0.02:0.06", "canny:0.05:0.1:sigma=0:norm=l2", "clahe", "clahe:tiles=2x3:limit=2", "threshold:local:3:0.05",
                     "threshold:sauvola:4")),
    ))()
    specs = [stage() for _ in range(1 + int(random.random() < 0.3) + int(random.random() < 0.1))]
    restores = random.random() < often
    if restores:
        specs[0 if random.random() < 0.8 else -1] = restored = restoring.draw(random)
        specs = specs if random.random() < 0.4 else [restored]
    if random.random() < 0.1:
        specs.append("blend:" + one(("normal:0.7", "multiply", "screen:0.5", "difference", "add:0.3", "subtract", "darken")))
    specs = specs[:specs.index("phase") + 1] if "phase" in specs else specs  # 0 and a turn are far apart for what follows
    one_channel = any(spec.startswith(("canny", "clahe", "threshold:local", "threshold:sauvola")) for spec in specs)
    case = {"f": "|".join(specs), "type": one(tuple(TYPES)), "size": "%dx%d" % tuple(random.integers(1, 90, 2)),
            "channels": "1" if one_channel else one("113"), "edge": one(EDGES), "backend": one(tuple(BACKENDS)),
            "seed": str(int(random.integers(1 << 30)))}
    if restores:
        case["size"] = "%dx%d" % tuple(restoring.size(random, restored))
        case["backend"] = one(("auto", "cpu", "vector", case["backend"]))
    if any(spec.startswith(("highpass", "lowpass", "band", "notch:0")) for spec in specs):
        case["edge"] = "wrap"  # whatever the extension is elsewhere
    if len(specs) == 1 and TYPES[case["type"]][1] < 2 and random.random() < 0.4 and "wrap" != case["edge"] != "constant" and \
            not (specs[0].startswith("unsharp") and "threshold" in specs[0]):
        case["missing"] = "1"
    if len(specs) == 1 and specs[0].startswith(restoring.WHOLE) and TYPES[case["type"]][1] < 2 and random.random() < 0.15:
        case["missing"] = "1"  # which is refused
    if random.random() < 0.2 and "f" in TYPES[case["type"]][0] and TYPES[case["type"]][1] < 2:
        case["full"] = one(("100", "4095", "0.001"))
    return case


def image_of(case):
    width, height = (int(n) for n in case["size"].split("x"))
    random = np.random.default_rng(int(case["seed"]))
    dtype, kind, bits, full = TYPES[case["type"]]
    shape = (height, width, int(case["channels"]))
    drawn = next((s for s in case["f"].split("|") if s.startswith(restoring.NAMES)), None)
    if drawn and kind >= 2 and random.random() < 0.9:
        low = -full - 1 if kind == 3 else 0
        return np.rint(np.clip(restoring.scene(drawn, random, shape, full), low, full)).astype(dtype)
    if kind >= 2:
        low = -full - 1 if kind == 3 else 0
        return np.rint(random.uniform(low, full, shape)).astype(dtype)
    full = float(case.get("full", full))
    v = random.normal(0.4, 0.3, shape) * full * 10.0 ** random.uniform(-4, 0, shape)
    if drawn and random.random() < 0.9:
        v = restoring.scene(drawn, random, shape, full)
    stars = random.random(shape) < (random.choice((0, 0.003)) if drawn else 0.003)
    v = np.where(stars, full * 10.0 ** random.uniform(0, 4 if kind else 6, shape), v)
    if "missing" in case:
        v = np.where(random.random(shape[:2] + (1,)) < 0.05, np.nan, v)
    return np.clip(v, -60000, 60000).astype("f2").astype(dtype) if kind else v.astype(dtype)
