#!/usr/bin/env python3
"""grid.py - does the planner choose the fastest way?

  BUILD=build BUDGET=300 [LARGEST=24] [DEVICE=auto] [PREFIX="taskset -c 0,1"] test/bench/grid.py

Filters from 3x3 to 201x201 on images from 256x256 to 24 megapixels, of 1 and 3 channels, 8 and 16
bits. Each case runs as whole processes, PNM to PNM in memory: once as the planner chooses, and once
with each --backend that is estimated to take less than three times as long. The processes take
turns, and the least time of each is compared, since noise only adds time. A choice is right when
it takes at most 1.1 times the best way's time, or 3 ms more. The order of the cases spreads any
part of them over the whole grid, so that BUDGET seconds give an even sample.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("BUILD", "build")
BUDGET = float(os.environ.get("BUDGET", "300"))
LARGEST = float(os.environ.get("LARGEST", "24"))
PREFIX = os.environ.get("PREFIX", "").split()
PROGRAM = PREFIX + [os.path.join(BUILD, "imfilter"), "--device=" + os.environ.get("DEVICE", "auto"), "-q"]
BACKENDS = ("direct", "separable", "fft", "vector", "cpu")
SIZES = ((256, 256), (640, 480), (1920, 1080), (4000, 3000), (6000, 4000))
KINDS = ((1, 8), (1, 16), (3, 8), (3, 16))  # channels, bits
RIGHT, WORST, NOISE = 1.1, 1.25, 3  # NOISE: ms
SLOW, START = 3, 30  # a way is left out beyond SLOW times the chosen one's estimate and START ms
ROUNDS, MORE_ROUNDS = 4, 12  # the second where the choice looks wrong


def unstructured(n):
    """n x n real taps that are no sum of few products."""
    rows = [",".join(f"{(y * n + x) * 7 % 11 - 5 + 0.3:.1f}" for x in range(n)) for y in range(n)]
    return "kernel:" + "/".join(rows) + ":scale=16"


FILTERS = (["sharpen", "sobel", "motion:31:30", "unsharp", "dog:3:6", "log:10"]
           + [unstructured(n) for n in (5, 9, 15)]
           + [f"disk:{r}" for r in (1, 2, 3, 4, 5, 7, 10, 16, 24, 50, 100)]
           + [f"unsharp:sigma={s}" for s in (2, 4, 25)]
           + [f"box:{n}" for n in (3, 31)]
           + [f"blur:{s}" for s in (1, 2, 3, 4, 6, 10, 16, 25)])


def name_of(spec):
    rows = spec.count("/") + 1
    return f"unstructured {rows}x{rows}" if spec.startswith("kernel") else spec


def picture(folder, size, channels, bits):
    path = os.path.join(folder, f"{size[0]}x{size[1]}x{channels}x{bits}.pnm")
    if not os.path.exists(path):
        with open(path, "wb") as out:
            colours = subprocess.run([os.path.join(BUILD, "bench", "picture"), *map(str, size), str(bits)],
                                     stdout=subprocess.PIPE, check=True).stdout
            if channels == 1:
                colours = subprocess.run(PROGRAM + ["-f", "gray", "-", "-o", "-", "--format=pgm"], input=colours,
                                         stdout=subprocess.PIPE, check=True).stdout
            out.write(colours)
    return path


def run(spec, backend, source, result):
    """Milliseconds of a process, or None where the backend cannot do it."""
    begin = time.perf_counter()
    done = subprocess.run(PROGRAM + ["--backend=" + backend, "-f", spec, source, "-o", result],
                          stderr=subprocess.DEVNULL, check=False)
    return None if done.returncode else (time.perf_counter() - begin) * 1e3


def estimates(spec, source, result):
    """The chosen backend and its text, its milliseconds as estimated, and those of each backend that can."""
    text = subprocess.run(PROGRAM + ["--explain", "-n", "--json", "-f", spec, source, "-o", result],
                          stdout=subprocess.PIPE, check=True).stdout
    plan = json.loads(text)
    ways = {}
    for way in plan["plan"]:
        if way["eligible"]:
            ways[way["backend"]] = ways.get(way["backend"], 0) + way["estimate_ms"]
    return plan["backend"], plan["algorithm"], plan["estimate_ms"], ways


def is_right(times):
    best = min(times.values())
    return times["auto"] <= max(RIGHT * best, best + NOISE)


def measure(spec, source, result):
    backend, text, chosen, ways = estimates(spec, source, result)
    tried = ["auto"] + [b for b in BACKENDS if b in ways and b != backend and ways[b] <= SLOW * chosen + START]
    times = {}
    for way in tried:
        run(spec, way, source, result)  # compiles kernels, fills caches
    for done in range(MORE_ROUNDS):
        if done >= ROUNDS and is_right(times):
            break
        for way in tried:
            took = run(spec, way, source, result)
            if took is not None:
                times[way] = min(took, times.get(way, took))
    return f"{backend}: {text}", times


def main():
    cases = [(f, s, k) for k in KINDS for s in SIZES for f in FILTERS if s[0] * s[1] <= LARGEST * 1e6]
    begin, rows = time.monotonic(), []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        step = int(len(cases) * 0.6180339887) | 1
        while len({i * step % len(cases) for i in range(len(cases))}) < len(cases):
            step += 2
        for i in range(len(cases)):
            if time.monotonic() - begin > BUDGET:
                break
            spec, size, kind = cases[i * step % len(cases)]
            text, times = measure(spec, picture(folder, size, *kind), os.path.join(folder, "result.pnm"))
            rows.append((times["auto"] / min(times.values()), name_of(spec), size, kind, text, times))
    rows.sort(key=lambda row: (is_right(row[-1]), -row[0]))
    print("| filter | image | ratio | chosen | ms |\n|---|---|---|---|---|")
    for ratio, name, size, kind, text, times in rows[:20]:
        each = ", ".join(f"{b} {ms:.1f}" for b, ms in times.items())
        print(f"| {name} | {size[0]}x{size[1]}, {kind[0]} x {kind[1]} bits | {ratio:.2f} | {text} | {each} |")
    right = sum(is_right(row[-1]) for row in rows)
    over = [row for row in rows if row[0] > WORST and not is_right(row[-1])]
    print(f"\n{len(rows)} of {len(cases)} cases; within {RIGHT} of the best or {NOISE} ms: {right} "
          f"({100 * right / len(rows):.1f} %); over {WORST}: {len(over)}, "
          f"worst {max((row[0] for row in over), default=1):.2f}")


if __name__ == "__main__":
    sys.exit(main())
