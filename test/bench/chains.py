#!/usr/bin/env python3
"""chains.py - twenty chains beside the sum of their stages alone, as whole processes

  BUILD=build ROUNDS=5 [MEGAPIXELS="2 12"] [PREFIX="taskset -c 0,1"] [CHAINS="blur:2|median:3"] test/bench/chains.py

A chain is planned as one: it should take no longer than its stages one after the other. A ratio
over 1.3 says that a stage's way in the chain is worse than its way alone. PPM to PPM in memory;
the processes take turns, and medians are compared.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("BUILD", "build")
ROUNDS = int(os.environ.get("ROUNDS", "5"))
PROGRAM = os.environ.get("PREFIX", "").split() + [os.path.join(BUILD, "imfilter")]
SIZES = {"2": (1632, 1224), "12": (4000, 3000), "24": (6000, 4000)}
CHAINS = os.environ.get("CHAINS", "").split() or (
    "median:15|highpass:0.05", "bilateral:3:0.1|highpass:0.05", "blur:2|median:12|disk:20", "lowpass:0.2|sharpen",
    "median:3|blur:2|sharpen", "blur:50|blur:50", "unsharp:sigma=20|median:2", "blur:10|sobel",
    "highpass:0.05|median:3", "sharpen|lowpass:0.1|erode:5", "disk:12|median:2", "guided:5:0.01|unsharp:sigma=5",
    "canny:0.1:0.3|blur:3", "dilate:5|lowpass:0.1", "gray|lowpass:0.3|canny:0.1:0.2", "equalize|disk:31",
    "notch:0.1:0.2:0.02|median:1|blur:20", "motion:21:30|sharpen|box:31", "sobel|blur:2|threshold:0.3",
    "highpass:0.02|bilateral:2:0.1|sharpen")
MOST = 1.3


def run(stages, source, result, *options):
    command = PROGRAM + [part for stage in stages for part in ("-f", stage)]
    begin = time.perf_counter()
    done = subprocess.run(command + [*options, source, "-o", result], stdout=subprocess.PIPE, check=True)
    return (time.perf_counter() - begin) * 1e3, done.stdout


def median_ms(stages, source, result):
    return statistics.median(run(stages, source, result, "-q")[0] for _ in range(ROUNDS))


def table(megapixels, folder):
    source, result = os.path.join(folder, megapixels + ".ppm"), os.path.join(folder, "result.ppm")
    with open(source, "wb") as out:
        photo = os.path.join(BUILD, "bench", "photo")
        subprocess.run([photo, *map(str, SIZES[megapixels])], stdout=out, check=True)
    alone, over = {}, 0
    print(f"| chain, {megapixels} MP | ms | stages alone, ms | ratio | way |\n|---|---|---|---|---|")
    for chain in CHAINS:
        stages = chain.split("|")
        plan = json.loads(run(stages, source, result, "--json")[1])
        for stage in stages:
            if stage not in alone:
                alone[stage] = median_ms([stage], source, result)
        took, parts = median_ms(stages, source, result), sum(alone[stage] for stage in stages)
        over += took > MOST * parts
        text = " \\| ".join(stages)
        print(f"| {text} | {took:.0f} | {parts:.0f} | {took / parts:.2f} | {plan['algorithm']} |", flush=True)
    print(f"\nover {MOST}: {over} of {len(CHAINS)}\n")


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        for megapixels in os.environ.get("MEGAPIXELS", "2 12").split():
            table(megapixels, folder)


if __name__ == "__main__":
    sys.exit(main())
