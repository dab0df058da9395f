#!/usr/bin/env python3
"""batches.py - many images in one process: what is chosen beside each way that is forced, and all devices

    IMFILTER=build/imfilter [BEFORE=other/imfilter] [COUNT=200] [SIZE=4000x3000] [ROUNDS=3] [FILTERS='sharpen disk:31']
    test/bench/batches.py

COUNT JPEGs (ten pictures, and links to them) are filtered into a new directory by --device=auto, by each backend
on the host and on each device, and by --device=all, in turns; the page cache and the cache of kernels are warm. One
line a filter: medians in seconds, the best forced way, and both choices as a ratio to it. BEFORE's auto is timed in the
same turns.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

IMFILTER = os.path.abspath(os.environ.get('IMFILTER', 'build/imfilter'))
BEFORE = os.environ.get('BEFORE')
PHOTO = os.path.abspath(os.environ.get('PHOTO', 'build/bench/photo'))
COUNT = int(os.environ.get('COUNT', 200))
WIDTH, HEIGHT = os.environ.get('SIZE', '4000x3000').split('x')
ROUNDS = int(os.environ.get('ROUNDS', 3))
LIMIT = float(os.environ.get('LIMIT', 60))  # seconds of a run, after which it is no competitor
FILTERS = os.environ.get('FILTERS', 'sharpen blur:2 disk:31 highpass:0.05 median:15 bilateral:3:0.1').split()


def devices():
    """Numbers of the devices that are no copy of the host's cores."""
    listed = subprocess.run([IMFILTER, '--list-devices'], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines() if line[:1].isdigit() and '(gpu' in line]


def ways(gpus):
    """Names, and options."""
    if BEFORE:
        yield 'before', []
    yield 'auto', []
    for backend in ('vector', 'separable', 'fft', 'direct'):
        for device in [None] if backend == 'vector' else gpus[:1] or [None]:
            yield (f'{backend}@{device}' if device else backend,
                   [f'--backend={backend}'] + ([f'--device={device}'] if device else []))
    if gpus:
        yield 'device', [f'--device={gpus[0]}']
    yield 'all', ['--device=all']


def inputs(folder):
    for i in range(COUNT):
        name = f'{folder}/{i}.jpg'
        if i >= 10:
            os.link(f'{folder}/{i % 10}.jpg', name)
            continue
        drawn = subprocess.run([PHOTO, WIDTH, HEIGHT], capture_output=True, check=True).stdout
        subprocess.run([IMFILTER, '-q', '-f', f'kernel:1:bias=0.0{i}', '--quality=90', '--format=jpeg', '-', '-o', name],
                       input=drawn, check=True)


def run(program, options, spec, source, work):
    """Seconds; None: it cannot, or takes too long."""
    out = tempfile.mkdtemp(dir=work)
    start = time.monotonic()
    try:
        done = subprocess.run([program, '-q', *options, '-f', spec, '-r', source, '-o', out],
                              capture_output=True, timeout=LIMIT, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        done = False
    took = time.monotonic() - start
    shutil.rmtree(out)
    return took if done else None


def measure(spec, gpus, source, work):
    times = {name: [] for name, _ in ways(gpus)}
    for turn in range(ROUNDS + 1):  # the first compiles kernels
        for name, options in ways(gpus):
            if turn and not times[name]:
                continue
            took = run(BEFORE if name == 'before' else IMFILTER, options, spec, source, work)
            if turn == 0:
                times[name] = [] if took is None else [took]
            elif took is not None:
                times[name].append(took)
    return {name: statistics.median(list_[1:] or list_) for name, list_ in times.items() if list_}


def main():
    gpus = devices()
    work = tempfile.mkdtemp(prefix='imfilter-bench.', dir=os.environ.get('TMPDIR', '/var/tmp'))
    try:
        source = f'{work}/in'
        os.mkdir(source)
        inputs(source)
        print(f'{COUNT} JPEGs of {WIDTH}x{HEIGHT}, {os.cpu_count()} cores, {len(gpus)} GPUs, medians of {ROUNDS}, s')
        for spec in FILTERS:
            found = measure(spec, gpus, source, work)
            forced = {n: t for n, t in found.items() if n not in ('auto', 'before', 'all')}
            best = min(forced, key=forced.get)
            ratios = ', '.join(f'{n} {found[n] / forced[best]:.2f}' for n in ('before', 'auto', 'all') if n in found)
            print(f'{spec}: ' + ', '.join(f'{n} {t:.2f}' for n, t in found.items()) + f'; best {best}, {ratios}', flush=True)
    finally:
        shutil.rmtree(work)
    return 0


if __name__ == '__main__':
    sys.exit(main())
