#!/usr/bin/python3
"""floats.py - compare filters of floats and of other integers with float64, on random cases

    floats.py [--seed=N] [--cases=N | --seconds=S] [CASE...]

Pictures have stars that are up to 10^6 times as bright as what is around them. A result of windows may be off by
2^-18 of the sum of the magnitudes that it is made of, ranks not at all, one of the whole image by 2^-18 of its
largest sample. IMFILTER_LIBRARY names libimfilter.so.
"""
import argparse
import ctypes
import os
import sys
import tempfile
import time
from ctypes import POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_ubyte, c_uint64, c_void_p

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.environ.get("IMFILTER_LIBRARY", os.path.join(HERE, "../../build/libimfilter.so"))

try:
    import numpy as np
except ImportError:
    print("floats: skipped, this python3 has no numpy")
    sys.exit(0)

import cases  # noqa: E402
import filters  # noqa: E402
import model  # noqa: E402
import restoring  # noqa: E402
import tally  # noqa: E402
from float_cases import BACKENDS, EDGES, TYPES, draw, image_of  # noqa: E402

PART = 2.0 ** -18
REFUSED, MISSING = "cannot do this", "it has NaN, and "
ANY = 1e100  # the size of what may be anything, of which a share of 0 is 0


class Error(Structure):
    _fields_ = [("status", c_int), ("cl_code", c_int), ("column", c_size_t), ("text", c_char * 512), ("reserved", c_uint64 * 2)]


class Info(Structure):
    _fields_ = [("width", c_int), ("height", c_int), ("channels", c_int), ("depth", c_int), ("color", c_int), ("alpha", c_bool),
                ("format", c_int), ("bits", c_int), ("orientation", c_int), ("maxval", c_int), ("type", c_ubyte),
                ("type_bits", c_ubyte), ("reserved", c_int * 2)]


class Settings(Structure):
    _fields_ = [("size", c_size_t), ("edge", c_int), ("edge_value", c_double), ("range", c_int), ("alpha", c_int),
                ("linear", c_bool), ("curve", c_void_p), ("backend", c_int), ("depth", c_int), ("max_memory", c_uint64),
                ("held", c_uint64), ("whole", c_bool), ("mask_feather", c_double), ("regions", c_void_p),
                ("region_count", c_size_t), ("channels", c_int), ("mask_invert", c_bool), ("twice", c_int), ("full", c_double),
                ("missing", c_bool)]


class RunOptions(Structure):
    _fields_ = [("size", c_size_t), ("bench", ctypes.c_uint), ("verify", c_bool), ("threads", c_int), ("progress", c_void_p),
                ("data", c_void_p)]


class Library:
    def __init__(self):
        self.lib = ctypes.CDLL(os.path.abspath(LIBRARY))
        self.lib.imf_plan_output.restype = POINTER(Info)
        self.context = c_void_p()
        self.call("imf_context_create", byref(self.context), None)

    def call(self, function, *arguments):
        err = Error()
        if getattr(self.lib, function)(*arguments, byref(err)) != 0:
            raise ValueError(err.text.decode())

    def run(self, specs, image, case):
        height, width, channels = image.shape
        dtype, kind, bits, _ = TYPES[case["type"]]
        info = Info(width=width, height=height, channels=channels, depth=8 * image.dtype.itemsize, color=int(channels == 3),
                    type=kind, type_bits=bits)
        settings = Settings(size=ctypes.sizeof(Settings), edge=EDGES.index(case["edge"]), edge_value=0.25,
                            backend=BACKENDS[case["backend"]], full=float(case.get("full", 0)),
                            missing="missing" in case)
        filter_, plan, workspace = c_void_p(), c_void_p(), c_void_p()
        with tempfile.TemporaryDirectory(prefix="imfilter-model.") as folder:
            names = (c_char_p * len(specs))(*[cases.with_file(spec, folder).encode() for spec in specs])
            self.call("imf_filter_parse", byref(filter_), names, c_size_t(len(specs)))
        try:
            self.call("imf_plan_create", byref(plan), self.context, filter_, byref(info), byref(settings))
            self.call("imf_workspace_create", byref(workspace), plan)
            made = self.lib.imf_plan_output(plan)[0]
            result = np.empty((height, width, made.channels), dtype)
            options = RunOptions(size=ctypes.sizeof(RunOptions), threads=1)
            self.call("imf_workspace_run_memory", workspace, image.ctypes.data_as(c_void_p), c_size_t(image.strides[0]),
                      result.ctypes.data_as(c_void_p), c_size_t(result.strides[0]), byref(options), None)
        finally:
            for name, thing in (("imf_workspace_free", workspace), ("imf_plan_free", plan), ("imf_filter_free", filter_)):
                getattr(self.lib, name).restype = None
                getattr(self.lib, name)(byref(thing))
        return result


class Value:
    """A plane: what it is in float64, and the sum of the magnitudes that it is made of, of which PART may be wrong"""

    def __init__(self, v, size, exact=False, turn=np.inf):
        self.v, self.size, self.exact, self.turn = v, size, exact, turn  # turn: of an angle, which is 0 again


def positive(kernel):
    other = filters.Kernel(np.abs(kernel.coefs), abs(kernel.scale)).at(kernel.origin)
    return other


def correlate(kernel, a, edge, border):
    v = model.correlate(a.v, kernel, edge, border) / kernel.scale
    size = model.correlate(a.size, positive(kernel), edge, abs(border)) / abs(kernel.scale)
    return Value(v, size)


def largest(a, reach, edge):
    """Of the magnitudes in a window around"""
    ones = filters.Rank("100", np.ones((2 * reach + 1,) * 2))
    return model.ranked(a.size, ones, edge, 0.0)


class Filters:
    """What one stage makes of a plane. full: full scale"""

    def __init__(self, full, edge, border, limited=False, step=None):
        self.full, self.edge, self.border = full, edge, border
        self.limited, self.step = limited, step  # limited: to 0..full; step: of the image's samples

    def missing(self, stage, spec, a, holes):
        """The same of a plane with holes: a mean of what is there, or NaN within reach, or the nearest sample"""
        here = np.where(holes, 0.0, 1.0)
        if isinstance(stage, filters.Kernel) and abs(stage.gain()) > 1e-3:
            parts = model.correlate(here, stage, self.edge, 1.0) / stage.scale
            full = Filters(0.0, self.edge, self.border)
            made = full.apply(stage, spec, Value(np.where(holes, 0, a.v), np.where(holes, 0, a.size)))
            with np.errstate(divide="ignore", invalid="ignore"):
                share = stage.gain() / parts
                weights = model.correlate(here, positive(stage), self.edge, 1.0) / abs(stage.scale)
                size = np.abs(share) * made.size + np.abs(made.v * share * weights / parts)
                result = Value(made.v * share + stage.bias * self.full, 2 * size + abs(stage.bias) * self.full)
            unsure = holes | (parts * np.sign(stage.gain()) < 1e-3)  # what is there has no mean
            return Value(np.where(holes, np.nan, result.v), np.where(unsure, np.inf, result.size))
        if isinstance(stage, (filters.Kernel, filters.Gradient)):
            kernel = stage.x if isinstance(stage, filters.Gradient) else stage
            ones = filters.Rank("100", np.ones(kernel.coefs.shape))
            ones.origin = kernel.origin
            lost = model.ranked(holes.astype(float), ones, self.edge, 0.0) > 0
            made = self.apply(stage, spec, Value(np.where(holes, 0, a.v), np.where(holes, 0, a.size)))
            return Value(np.where(lost, np.nan, made.v), made.size, turn=made.turn)
        fill = lambda v: model.filled(v[:, :, None], ~holes)[:, :, 0]
        plane = fill(a.v)
        given = Value(plane, np.abs(plane), True)
        if isinstance(stage, filters.Unsharp):
            there = Value(np.where(holes, 0, a.v), np.where(holes, 0, a.size))  # as of a kernel, whose gain is 1
            made = self.unsharp(stage, there, correlate(stage.blur, there, self.edge, self.border))
            parts = here + stage.amount * (here - model.correlate(here, stage.blur, self.edge, 1.0))
            return Value(np.where(holes, np.nan, made.v / parts), 2 * made.size / np.where(holes, 1, parts))
        made = self.ranks(stage, given, fill) if isinstance(stage, filters.Ranks) else \
            self.flatten(stage, given, fill, here) if isinstance(stage, filters.Flatten) else self.apply(stage, spec, given)
        return Value(np.where(holes, np.nan, made.v), made.size, made.exact)

    def window(self, stage, a):
        v = model.ranked(a.v, stage, self.edge, self.border)
        return Value(v, largest(a, max(stage.element.shape), self.edge) if not a.exact else np.abs(v), a.exact)

    def ranks(self, stage, a, fill=lambda v: v):
        first = self.window(stage.first, a)
        first.v = first.v if stage.compound == "apart" else fill(first.v)  # what is missing is so for the second, too
        second = self.window(stage.second, a if stage.compound == "apart" else first)
        if stage.compound == "after":
            return second
        pair = (second, first) if stage.compound == "apart" else (a, second) if stage.compound == "above" else (second, a)
        return Value(pair[0].v - pair[1].v, pair[0].size + pair[1].size)

    def unsharp(self, stage, a, blurred):
        detail = a.v - blurred.v
        kept = np.sign(detail) * np.maximum(0, np.abs(detail) - stage.threshold * self.full)
        return Value(a.v + stage.amount * kept, a.size + abs(stage.amount) * (a.size + blurred.size))

    def direction(self, x, y):
        with np.errstate(divide="ignore", invalid="ignore"):
            sure = np.hypot(x.size, y.size) / np.hypot(x.v, y.v) / (2 * np.pi)
        sure = np.where(sure * PART < 0.1, sure, ANY)  # too short for a direction
        return Value(np.arctan2(-y.v, x.v) / (2 * np.pi) % 1 * self.full, 2 * sure * self.full + self.full, turn=self.full)

    def flatten(self, stage, a, fill=lambda v: v, here=1.0):
        unit, reach = self.full, stage.reach
        closed = self.ranks(stage.closed, Value(a.v, np.abs(a.v), True), fill)
        wide = lambda v, border: model.means(model.extend(v, (reach, reach), self.edge, border), reach)
        paper = np.maximum(wide(closed.v * here, self.border) / wide(here + 0 * a.v, 1.0), unit / 16)
        share = a.v / paper
        size = np.abs(share) * (1 + wide(np.abs(closed.v), abs(self.border)) / paper) * unit
        share = np.clip(share, 0, 1) if self.limited else share
        return Value(unit * share, size if a.exact else np.full(size.shape, ANY))

    def decided(self, white, unsure):
        v = np.where(white, self.full, 0.0)
        return Value(v, np.where(unsure, ANY, v))

    def counted(self, stage, planes, seen):
        """By one histogram of 16 bits from 0 to full scale: samples on the border of two bins may be in either"""
        words = np.rint(np.clip(np.stack([a.v for a in planes]) / self.full, 0, 1) * 65535).astype(int)
        there = words[:, seen]
        sure = all(a.exact for a in planes)
        if stage.kind == "equalize":
            v = np.vectorize(model.equalized(there, 65535).get)(words) / 65535 * self.full
            size = (4 / there.size + 1 / 65535) * self.full / PART if sure else ANY
            return [Value(plane, np.full(plane.shape, size)) for plane in v]
        if stage.kind == "auto":
            table, black, white = stage.table(there, 65535)
            v = np.vectorize(table.get)(words) / 65535 * self.full
            return [Value(plane, np.full(plane.shape, self.full * 65535 / max(white - black, 1) / 65535 / PART if sure else ANY))
                    for plane in v]
        level = model.otsu(there)
        return [self.decided(w > level, np.abs(a.v / self.full * 65535 - (level + 0.5)) <= (1 if sure else np.inf))
                for w, a in zip(words, planes)]

    def worded(self, stage, a, seen):
        """Of one channel, as 16 bits from 0 to full scale; unsure where another rounding of samples gives something else"""
        border, made = float(np.rint(self.border / self.full * 65535)), []
        for near in 1, 1 - 1e-6, 1 + 1e-6:
            words = np.rint(np.clip(a.v / self.full * near, 0, 1) * 65535)
            if isinstance(stage, filters.LocalThreshold):
                made.append(model.above_threshold(words, stage, 65535, self.edge, border))
            elif isinstance(stage, filters.Canny):
                made.append(model.edges(words[:, :, None], stage, 65535, self.edge, border)[:, :, 0])
            else:
                made.append(model.clahe(words[:, :, None], stage, 65535, seen)[:, :, 0])
        v, unsure = made[0] / 65535 * self.full, (made[0] != made[1]) | (made[0] != made[2])
        few = 0 if not isinstance(stage, filters.Clahe) else 1.01 / 65535 * self.full / PART
        return [Value(v, np.where(unsure if a.exact and not few else not a.exact, ANY, v + few))]

    def joint(self, stage, planes, inputs, holes):
        """What a stage makes of all channels, or None: it takes each by itself"""
        full, kind = self.full, getattr(stage, "kind", "")
        if isinstance(stage, restoring.STAGES):
            return [Value(*made) for made in restoring.made(self, stage, planes, holes)]
        seen = ~holes
        if holes.any():
            values = model.filled(np.stack([a.v for a in planes], axis=2), seen)
            planes = [Value(values[:, :, c], np.abs(values[:, :, c]), True) for c in range(len(planes))]
        if isinstance(stage, (filters.Canny, filters.LocalThreshold, filters.Clahe)):
            return self.worded(stage, planes[0], seen)
        if kind in ("equalize", "otsu", "auto"):
            return self.counted(stage, planes, seen)
        if kind == "gray" and len(planes) == 3:
            weights = model.SHARES["luma"]
            return [Value(sum(w * a.v for w, a in zip(weights, planes)), 2 * sum(w * a.size for w, a in zip(weights, planes)))]
        if kind == "gray":
            return planes
        if isinstance(stage, filters.Bilateral):
            made = model.bilateral(np.stack([a.v for a in planes], axis=2), stage, self.edge, [self.border] * len(planes), full)
            sure = all(a.exact for a in planes)
            return [Value(made[:, :, c], np.where(sure, 4 * largest(a, stage.reach, self.edge) + abs(self.border), ANY))
                    for c, a in enumerate(planes)]
        if isinstance(stage, filters.Blend):
            result = []
            for below, a in zip(inputs, planes if len(planes) == len(inputs) else planes * 3):
                mixed = stage.formula(below.v / full, a.v / full) * full
                result.append(Value(below.v + stage.amount * (mixed - below.v),
                                    below.size + 4 * stage.amount * (a.size * (1 + below.size / full) + below.size + full)))
            return result
        return None

    def apply(self, stage, spec, a):
        full, edge, border = self.full, self.edge, self.border
        if isinstance(stage, filters.Phase):
            return self.direction(*(correlate(k, a, edge, border) for k in (stage.x, stage.y)))
        if isinstance(stage, filters.Flatten):
            return self.flatten(stage, a)
        if isinstance(stage, filters.Point) and stage.kind == "threshold":
            near = np.abs(a.v - stage.level * full) <= (0 if a.exact else PART * a.size)
            return self.decided(a.v > stage.level * full, near)
        if isinstance(stage, filters.Gradient):
            x, y = (correlate(k, a, edge, border) for k in (stage.x, stage.y))
            return Value(np.hypot(x.v, y.v), np.hypot(x.size, y.size))
        if isinstance(stage, filters.Kernel):
            made = correlate(stage, a, edge, border)
            return Value(made.v + stage.bias * full, made.size + abs(stage.bias) * full)
        if isinstance(stage, filters.Unsharp):
            return self.unsharp(stage, a, correlate(stage.blur, a, edge, border))
        if isinstance(stage, filters.Rank):
            return self.window(stage, a)
        if isinstance(stage, filters.Ranks):
            return self.ranks(stage, a)
        if isinstance(stage, filters.Despeckle):
            return Value(stage.of(a.v), np.abs(a.v) if a.exact else np.full(a.v.shape, a.size.max()), a.exact)
        if isinstance(stage, filters.Transfer):
            v = model.transfer(a.v, stage, spec, edge, border, (False, (0, 0)))
            return Value(v, np.full(v.shape, 4 * max(a.size.max(), abs(border))))
        if isinstance(stage, filters.Guided):
            return Value(model.guided(a.v, stage, edge, border, full), 4 * largest(a, 2 * stage.reach, edge) + abs(border))
        if isinstance(stage, filters.Point) and stage.kind == "invert":
            return Value(full - a.v, full + a.size)
        if isinstance(stage, filters.Levels):
            v = stage.of(a.v / full)
            steep = stage.power * np.abs(v) ** (1 - 1 / stage.power) * abs(stage.by)
            return Value(v * full, steep * (a.size + abs(stage.black) * full) + np.abs(v) * full * (stage.power != 1))
        if isinstance(stage, filters.Curve):
            before = (0 if a.exact else stage.steepest()) * a.size
            return Value(stage.of(a.v / full) * full, before + np.abs(stage.y).max() * full)
        raise NotImplementedError(spec)


def expected(case, image):
    full = float(case.get("full", TYPES[case["type"]][3]))
    kind = TYPES[case["type"]][1]
    border = (np.rint(0.25 * full) if kind >= 2 else 0.25 * full) if case["edge"] == "constant" else 0.0
    border = float(image.dtype.type(border))
    holes = np.isnan(image).any(axis=2)
    steps = Filters(full, case["edge"], border, kind == 2, 1 if kind >= 2 else full / 65535)
    specs = [filters.parse(spec) for spec in case["f"].split("|")]
    last = max([i for i, stage in enumerate(specs) if not isinstance(stage, filters.Point)], default=-1)
    planes = []
    for c in range(image.shape[2]):
        plane = np.where(holes, 0.0, image[:, :, c].astype(float))
        planes.append(Value(plane, np.abs(plane), True))
    inputs = planes
    for i, (stage, spec) in enumerate(zip(specs, case["f"].split("|"))):
        made = steps.joint(stage, planes, inputs, holes)
        if made and holes.any():
            made = [Value(np.where(holes, np.nan, a.v), a.size, a.exact) for a in made]
        if made is None:
            made = [steps.missing(stage, spec, a, holes) if holes.any() else steps.apply(stage, spec, a) for a in planes]
        planes = [shown(a, stage.shown, full) if i == last and kind == 2 else a for a in made]
    return planes


def shown(a, mode, full):
    """Of integers without a sign, as of those of 8 and 16 bits"""
    return Value(np.abs(a.v), a.size) if mode == "abs" else Value(a.v + (full + 1) / 2, a.size + full) if mode == "offset" else a


def check(library, case, seen):
    """What is wrong, or None"""
    image, specs = image_of(case), case["f"].split("|")
    refuses = "missing" in case and any(spec.startswith(restoring.WHOLE) for spec in specs)
    try:
        result = library.run(specs, image, case)
    except ValueError as why:
        if not (MISSING if refuses else REFUSED) in str(why):
            return str(why)
        seen.count["NaN refused" if refuses else "refused"] += 1
        return None
    if refuses:
        return "NaN is not refused"
    kind, most = TYPES[case["type"]][1], 0.0
    steps = 0 if kind < 2 else 2 if any(spec.startswith(("deblur", "rl")) for spec in specs) else 1  # of integers
    try:
        wants = expected(case, image)
    except restoring.Undetermined:
        seen.count["undetermined"] += 1
        return None
    for c, want in enumerate(wants):
        got = result[:, :, c].astype(float)
        off = np.where(np.isnan(want.v), np.where(np.isnan(got), 0, np.inf), np.abs(got - want.v))
        off = np.minimum(off, np.abs(want.turn - off)) if want.turn < np.inf else off
        allowed = 0 if want.exact else PART * want.size + steps
        wrong, share = ~(off <= allowed), off / np.maximum(allowed, 1e-300)
        most = max(most, share.max())
        if wrong.any():
            y, x = (int(i) for i in np.argwhere(wrong)[0])
            return "%d of %d samples; at x=%d y=%d channel %d: %.9g gave %.9g, off by %.3g of what is allowed" % (
                wrong.sum(), wrong.size, x, y, c, want.v[y, x], result[y, x, c], share[y, x])
    seen.add(case, most)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--often", type=float, default=0.15, help="the share of cases with a filter of restoring.py")
    parser.add_argument("--table", action="store_true", help="print the cases of each filter, and the largest errors")
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    random, library, seen, start = np.random.default_rng(options.seed), Library(), tally.Tally(), time.monotonic()
    given, count = [dict(word.split("=", 1) for word in text.split()) for text in options.case], seen.count
    if not given:
        print("floats: seed %d" % options.seed, flush=True)
    while given or (not options.case and count["passed"] + count["failed"] < options.cases and
                    time.monotonic() - start < options.seconds):
        case = given.pop(0) if given else draw(random, options.often)
        why = check(library, case, seen)
        if why:
            count["failed"] += 1
            print("FAILED (%s): test/model/floats.py '%s'" % (why, tally.text_of(case)), flush=True)
    print(seen.table() * options.table + "floats: %d refused, %d for NaN; %d undetermined" % (
        count["refused"], count["NaN refused"], count["undetermined"]))
    print("%d passed, %d failed" % (count["passed"], count["failed"]))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
