#!/usr/bin/python3
"""run.py - compare imfilter with the model, on random cases or on given ones

    run.py [--seed=N] [--seconds=S | --cases=N] [--backend=NAME]   random cases
    run.py --file=FILE...                                          the cases in a file, one a line
    run.py CASE...                                                 these cases

Each case that fails prints one line, which is also how to run it again. IMFILTER names the program.
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(os.environ.get("IMFILTER", os.path.join(HERE, "../../build/imfilter")))
REFUSED = "cannot do this"

try:
    import numpy as np
except ImportError:
    print("model: skipped, this python3 has no numpy")
    sys.exit(0)

import cases  # noqa: E402
import model  # noqa: E402
import pixels  # noqa: E402


class Tally:
    def __init__(self):
        self.count = collections.Counter()
        self.algorithms = collections.Counter()
        self.failures = []

    def failed(self, case, what):
        self.failures.append(case)
        self.count["failed"] += 1
        print("FAILED %s: test/model/run.py '%s'" % (what, case), flush=True)


def filter_all(group, folder):
    """Run the program on the images of cases that share their options; returns status, text, results by name"""
    inputs = []
    for i, case in enumerate(group):
        path = os.path.join(folder, "%d%s" % (i, case.suffix()))
        write = pixels.write_png if case.kind == "png" else pixels.write_pnm
        write(path, case.image())
        inputs.append(path)
    out = os.path.join(folder, "out")
    os.mkdir(out)
    command = [PROGRAM, *group[0].arguments(folder), "--json", *inputs, "-o", out + "/"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    results = [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]
    return done.returncode, done.stderr.decode("utf-8", "replace"), inputs, out, {r.get("input"): r for r in results}


def check(case, expected, path, result, tally):
    if result is None or result.get("status") != "ok":
        text = (result or {}).get("error", "no result")
        if REFUSED in text:
            tally.count["refused"] += 1
        else:
            tally.failed(case, "(%s)" % text)
        return
    tally.algorithms[result.get("backend", "?")] += 1
    if isinstance(expected, model.Undetermined):
        tally.count["undetermined"] += 1
        return
    output = pixels.read(path)
    if path.endswith(".ppm") and expected.first.shape[2] == 1 and (output == output[:, :, :1]).all():
        output = output[:, :, :1]  # gray is repeated in a PPM
    if output.dtype == bool:  # a bitmap, of whatever depth
        output = (output * expected.full).astype(np.uint8 if expected.full == 255 else np.uint16)
    wrong = model.compare(expected, output)
    tally.count["cases"] += 1
    tally.count["samples"] += output.size
    tally.count["exact samples"] += output.size if expected.exact else 0
    if wrong is None:
        tally.failed(case, "(shape %s)" % (output.shape,))
    elif wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        most = np.abs(output - np.clip(np.rint(expected.first), 0, expected.full))[wrong].max()
        tally.failed(case, "(%d of %d samples, by up to %d; at x=%d y=%d channel %d: %.6f gave %d)" % (
            wrong.sum(), wrong.size, most, at[1], at[0], at[2], expected.first[at], output[at]))
    else:
        tally.count["passed"] += 1


def run_group(texts, known, tally):
    """known: the model's answers by text without backend, so that each is worked out once"""
    group = [cases.Case(text) for text in texts]
    with tempfile.TemporaryDirectory(prefix="imfilter-model.") as folder:
        try:
            status, text, inputs, out, results = filter_all(group, folder)
        except (subprocess.TimeoutExpired, ValueError) as error:
            tally.failed(group[0], "(%s)" % error)
            return
        if status == 2 and REFUSED in text:
            tally.count["refused"] += len(group)
            return
        if status not in (0, 1):
            tally.failed(group[0], "(status %d: %s)" % (status, text.strip()))
            return
        for case, path in zip(group, inputs):
            key = " ".join(w for w in str(case).split() if not w.startswith("backend="))
            if key not in known:
                try:
                    known[key] = model.answer(case.image(), case.specs, case.model_options())
                except model.Undetermined as error:
                    known[key] = error
            made = glob.glob(os.path.join(glob.escape(out), os.path.basename(path).split(".")[0] + ".*"))
            check(case, known[key], made[0] if made else "", results.get(path), tally)


def random_groups(options, tally):
    draw, start = cases.Draw(options.seed), time.monotonic()
    while True:
        texts, known = draw.group(), {}
        for backend in draw.backends(cases.Case(texts[0]).specs):
            if options.backend and backend != options.backend:
                continue
            run_group([text + " backend=" + backend for text in texts], known, tally)
            spent = time.monotonic() - start
            if tally.count["cases"] >= options.cases or spent >= options.seconds:
                return


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--backend")
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    tally = Tally()
    given = list(options.case)
    for name in options.file:
        with open(name) as file:
            given += [line.strip() for line in file if line.strip() and line[0] != "#"]
    for text in given:
        run_group([text], {}, tally)
    if not given:
        if options.cases is None and options.seconds is None:
            options.seconds = 60
        options.cases, options.seconds = options.cases or 1 << 60, options.seconds or 1e9
        print("model: seed %d" % options.seed, flush=True)
        random_groups(options, tally)
    count = tally.count
    print("model: %d cases, %d samples (%d promised exact), %d refused, %d undetermined; by backend: %s" % (
        count["cases"], count["samples"], count["exact samples"], count["refused"], count["undetermined"],
        ", ".join("%s %d" % pair for pair in sorted(tally.algorithms.items())) or "none"))
    print("%d passed, %d failed" % (count["passed"], count["failed"]))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
