"""pairs.py - two runs replace one file, each stopped before one of its calls

    pairs.py [--all] [--kill] [--fail=CALL,...] [--older] IMFILTER FILE_CALLS.SO

The first run is stopped before its Nth call that touches files. The second then runs to its end, or
until it waits for the first one's lock, or with --all until before its Mth call, for each N and M.
The first one goes on likewise, and both end. At each of these moments the original has its own name
or its backup's. --kill: the first is killed where it was stopped, and a third, which writes another
file beside it, finds nothing left. --older: there is a backup already, which may go. Prints how many pairs lost it.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ORIGINAL = b"P5\n4 1\n255\n\x00\x40\x80\xff"


class Run:
    """One process, which is stopped before its call number `at`, or never."""

    def __init__(self, args, spec, at, log, output=None):
        self.log = log
        where = ["-o", output] if output else ["-i.bak"] + ["--clobber-backup"] * args.older
        environment = dict(os.environ, LD_PRELOAD=args.faults, FAULT_BELOW=os.getcwd(),
                           IMFILTER_SANDBOX='0',  # the layer's log is elsewhere
                           FAULT_FAIL=args.fail, FAULT_AT=str(at), FAULT_STOP="1", FAULT_LOG=log)
        self.process = subprocess.Popen(
            [args.imfilter, "--backend=cpu", "-f", spec, *where, "a.pgm"],
            env=environment, stderr=subprocess.DEVNULL)

    def calls(self):
        try:
            with open(self.log, encoding="utf-8") as log:
                return [line.split()[0] for line in log]
        except FileNotFoundError:
            return []

    def wait(self, for_lock):
        """Until it has ended or is stopped, or has asked for a lock again and again."""
        while self.process.returncode is None:
            pid, status = os.waitpid(self.process.pid, os.WUNTRACED | os.WNOHANG)
            if pid and os.WIFSTOPPED(status):
                return
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                return
            if for_lock and self.calls()[-3:] == ["flock"] * 3:
                return
            time.sleep(0.002)

    def go_on(self, for_lock):
        if self.process.returncode is None:
            os.kill(self.process.pid, signal.SIGCONT)
            self.wait(for_lock)

    def finish(self):
        while self.process.returncode is None:
            self.go_on(False)

    def has_original(self):
        """It has opened the original, for it has begun to write its result."""
        return "write" in self.calls()


def read(name):
    try:
        with open(name, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def original_is_there():
    return ORIGINAL in (read("a.pgm"), read("a.pgm.bak"))


def try_pair(args, n, m):
    """Whether the original was there throughout, and how the runs ended."""
    for name in os.listdir("."):
        os.remove(name)
    with open("a.pgm", "wb") as file:
        file.write(ORIGINAL)
    if args.older:
        with open("a.pgm.bak", "wb") as file:
            file.write(b"older")
    first = Run(args, "invert", n, "../first")
    first.wait(False)
    begun = first.has_original() and read("a.pgm") == ORIGINAL
    second = Run(args, "threshold:0.4", m, "../second")
    second.wait(True)
    there = original_is_there()
    # What is a result already is the next run's original, and may replace an older backup.
    begun = begun and second.has_original()
    if args.kill and first.process.returncode is None:
        first.process.kill()
    first.go_on(True)
    there = there and original_is_there()
    second.finish()
    first.finish()
    there = there and original_is_there()
    if args.kill:
        Run(args, "invert", 0, os.devnull, "third.pgm").finish()
        there = there and original_is_there()
    calls = len(first.calls())
    for log in ("../first", "../second"):
        if os.path.exists(log):
            os.remove(log)
    codes = (first.process.returncode, second.process.returncode)
    left = [name for name in os.listdir(".") if name.startswith(".")]
    return there or (args.older and not begun), codes, left, calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--older", action="store_true")
    parser.add_argument("--fail", default="")
    parser.add_argument("imfilter")
    parser.add_argument("faults")
    args = parser.parse_args()
    args.imfilter, args.faults = os.path.abspath(args.imfilter), os.path.abspath(args.faults)
    ended = {0, 1, -signal.SIGKILL} if args.kill else {0, 1}
    top = os.path.realpath(tempfile.mkdtemp())
    os.mkdir(top + "/work")
    os.chdir(top + "/work")
    pairs = lost = wrong = 0
    calls = try_pair(args, 0, 0)[3] + 1
    for n in range(1, calls + 1):
        for m in range(1, calls + 1) if args.all else [0]:
            there, codes, left, _ = try_pair(args, n, m)
            pairs += 1
            if not there:
                lost += 1
                print(f"lost: the first run stopped before call {n}, the second before {m}: {codes}")
            elif left or not set(codes) <= ended or (0 not in codes and not args.kill):
                wrong += 1
                print(f"call {n}, call {m}: the runs ended with {codes}, and left {left}")
    os.chdir("/")
    shutil.rmtree(top)
    print(f"{pairs} pairs, {lost} originals lost, {wrong} ended otherwise than done or refused")
    sys.exit(lost + wrong > 0 or pairs < 12)


main()
