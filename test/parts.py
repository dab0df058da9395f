#!/usr/bin/env python3
"""parts.py - what --parts says of files, for every format that they may be written to: FILE...

The parts cover each file, from its first byte to its last, and what becomes of them is what --list-parts
says. A file that cannot be read counts for nothing. $IMFILTER is the program.
"""
import json
import os
import re
import subprocess
import sys

IMFILTER = os.environ.get("IMFILTER", "build/imfilter")
NAMES = (  # of parts, as --list-parts has them
    (r"unknown APP\d+ ", "unknown APPn "),
    (r"unknown chunk ..[A-Z.][a-z]$", "unknown chunk that may be copied"),
    (r"unknown chunk ..[A-Z.][A-Z]$", "unknown chunk that may not be copied"),
    (r"unknown chunk ....$", "unknown chunk"),
    (r"^unknown (box|item|property) ....$", "unknown box, item or property"),
    (r"^further pictures.*", "further pictures"),
    (r"^EXIF tag \d+$", "EXIF tag N"),
    (r"^picture \d+ of \d+$", "picture 2 of 2"),
    (r"^(film|archive|data) behind the end \(.*", "whole file behind the end"),
    (r"^first picture$", "picture below the first"),
)
NOT_HELD = "the format cannot hold it"


def run(*options):
    "Objects that are printed"
    done = subprocess.run([IMFILTER, "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert done.returncode in (0, 1), (options, done.returncode)
    return [json.loads(line) for line in done.stdout.splitlines()]


def rows_of(rows, name):
    "The rows that a part of that name may have"
    if re.match(r"tag \d+$", name):
        return [row for known, row in rows.items() if known.startswith("tag N ")]
    if name.startswith("picture behind the end"):
        return [rows[n] for n in ("whole file behind the end", "pictures that a segment lists") if n in rows]
    for pattern, to in NAMES:
        name = re.sub(pattern, to, name)
    text = name.startswith('text "')
    same = [row for known, row in rows.items() if known.lower() == name.lower()]
    return same + [rows["text"]] if text else same


def format_of(path):
    with open(path, "rb") as file:
        head = file.read(2)
        if file.read(10).endswith(b"ftypavif"):
            return "avif"
    return {b"\x89P": "png", b"\xff\xd8": "jpeg", b"II": "tiff", b"MM": "tiff", b"RI": "webp", b"\0\0": "heif"}.get(head, "pnm")


def check_cover(image, size):
    end = 0
    for part in image["parts"]:
        assert part["offset"] == end, (image["input"], part, end)
        end += part["bytes"]
    assert end == size, (image["input"], end, size)


def check_fate(part, rows, to, profile):
    "Is it what --list-parts says, or is it said why not?"
    found = rows_of(rows, part["name"])
    why = part.get("why", "")
    if not found:
        return part["name"] == "unknown bytes"
    for row in found:
        listed = row["becomes"][to]
        if part["becomes"] == "rebuilt" and listed == "kept":
            return True  # it would be untrue
        if part["becomes"] == "lost" and listed == "rebuilt" and profile:
            return True  # the ICC profile is there already
        if part["becomes"] == listed and (listed != "lost" or why in (row.get("why", NOT_HELD), NOT_HELD)):
            return True
    return part["becomes"] == "lost" and why not in ("", NOT_HELD)


def main():
    files = sys.argv[1:]
    table = {}
    for row in run("--list-parts"):
        table.setdefault(row["format"], {})[row["name"]] = row
    covered = settled = 0
    for to in table["png"]["EXIF"]["becomes"]:  # those that are written
        for image in run("--parts", f"--format={to}", "--", *files):
            if "parts" not in image:
                continue
            if image.get("page", 1) == 1:  # whose account is the file's
                check_cover(image, os.path.getsize(image["input"]))
            covered += 1
            profile = any(part["name"] == "ICC profile" for part in image["parts"])
            rows = table[format_of(image["input"])]
            for part in image["parts"]:
                if part["becomes"] in ("pixels", "structure"):
                    continue
                assert check_fate(part, rows, to, profile), (image["input"], to, part)
                settled += 1
    print(f"{covered} covered, {settled} parts settled")


if __name__ == "__main__":
    main()
