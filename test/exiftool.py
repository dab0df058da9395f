#!/usr/bin/env python3
"""exiftool.py - what exiftool sees go is in "lost": [--drawn=N] [--seed=N] FILE...

Files, and others drawn by splicing tags, chunks and segments into them, are filtered in place. Each tag that
exiftool reads before and not after belongs to a part that "lost" of --json names. Without --allow-loss a file
either stays as it is, or loses what may be lost without a word. $IMFILTER is the program.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import splices

IMFILTER = os.path.abspath(os.environ.get("IMFILTER", "build/imfilter"))

# What exiftool says of the file, and of how its pixels are stored, which are those of the result.
OWN = re.compile(
    r"(ExifTool|System|Composite):|File:(?!Comment)|JFIF:JFIFVersion|Adobe:|APP14:|\w+:XMPToolkit|"
    r"PNG:(BitDepth|ColorType|Compression|Filter|Interlace|Palette|Transparency)$|"
    r"RIFF:(VP8Version|Horizontal|Vertical|WebP_Flags|Image|Alpha)|"
    r"IFD0:(SubfileType|OldSubfileType|ImageWidth|ImageHeight|BitsPerSample|Compression|PhotometricInterpretation|FillOrder|"
    r"Strip\w+|Tile\w+|RowsPerStrip|SamplesPerPixel|PlanarConfiguration|Predictor|SampleFormat|ExtraSamples|T[46]Options|"
    r"ColorMap|InkSet|JPEGTables|YCbCr\w+|ReferenceBlackWhite|M\w\wSampleValue|PageNumber|Thresholding|CellWidth|CellLength|PreviewImage\w*)$|"
    r"(IFD[1-9]|SubIFD\d*):(Strip\w+|Tile\w+|RowsPerStrip|Compression|PlanarConfiguration|Predictor)$|"  # of pages and overviews
    r"\w+:(Thumbnail|Preview)Offset$|MPF\d*:|MPImage\d:|"  # where things are
    r"PNG:RawProfileType|"  # what it holds is read, too
    r"XMP-GCamera:MicroVideo|"  # of a film that may not be there: if it is, it is a part
    r"RIFF:Unknown_0x0000"  # zeros behind the end
)
# Of exiftool's group and name, with the tag's number, keyword or chunk: what the part is called.
PARTS = (
    (r"(IFD\d+|JFXX|SubIFD\d*):|\w+:Thumbnail|Photoshop:Photoshop\w*Thumbnail", "thumbnail|smaller copy|overview|transparency mask|picture |first picture"),
    (r"PNG:Animation", "frames of an animation"),
    (r"PNG:Subject", "unknown chunk sCAL"),
    (r"PNG-pHYs:", "resolution"),
    (r"PNG-cICP:", "coding of colours"),
    (r"ICC[-_]", "ICC profile"),
    (r"JUMBF|C2PA", "signature"),
    (r"PNG:", 'text "{0}"|unknown chunk {0}'),
    (r"IFD0:", "tag {0}$"),
    (r"(ExifIFD|GPS|InteropIFD):", "EXIF tag {0}$"),
)


def names():
    "What parts are called, by a TIFF's number or a PNG's chunk"
    found = {}
    for path in ("ifd/parts.c", "png/chunks.c"):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib/codec", path)) as file:
            found.update(re.findall(r'\{"?(\w+)"?, (?:IMF_LOST, )?\w+, "([^"]+)"', file.read()))
    return found


NAMES = names()


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **more)


def tags_of(folder):
    "For each file the set of tags that exiftool reads: name, number and value"
    done = run("exiftool", "-j", "-D", "-G1:4", "-a", "-u", "-n", "-b", folder)
    found = {}
    for entry in json.loads(done.stdout or b"[]"):
        name = os.path.basename(entry.pop("SourceFile"))
        found[name] = {(re.sub(r"(:Copy|(?<=^IPTC))\d+:", ":", key), str(tag["id"]), json.dumps(tag["val"])) for key, tag in entry.items()}
    return found


def filtered(folder, *options):
    "What --json says of each file"
    names = sorted(os.listdir(folder))
    done = run(IMFILTER, "--json", "-q", "-f", "sharpen", "-i", *options, "--", *names, cwd=folder)
    found = {}
    for o in map(json.loads, done.stdout.splitlines()):
        if "input" in o:  # of several pages all that they lose
            lost = found.get(o["input"], {}).get("lost", [])
            found[o["input"]] = {**o, "lost": lost + o["lost"]} if "lost" in o else o
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--drawn", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="leave the files there")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        top = options.keep or scratch
        before, loose, strict = (os.path.join(top, name) for name in ("before", "loose", "strict"))
        os.makedirs(before)
        for i, path in enumerate(options.files):
            shutil.copyfile(path, os.path.join(before, f"{i:04}-{os.path.basename(path)}"))
        if options.drawn:
            draw(before, options.drawn, random.Random(options.seed))
        for folder in (loose, strict):
            shutil.copytree(before, folder)
        loosely, strictly = filtered(loose, "--allow-loss"), filtered(strict)
        tags, after = tags_of(before), tags_of(loose)
        wrong = checked = gone = refused = 0
        for name, old in sorted(tags.items()):
            if "lost" not in loosely.get(name, {}):  # it cannot be filtered
                continue
            found = check((before, loose, strict), old, after.get(name, set()), loosely[name], strictly[name], name)
            for text in found:
                print(f"{name}: {text}")
            checked += 1
            gone += len([tag for tag, _, _ in old - after.get(name, set()) if not is_own(tag, after.get(name, set()))])
            refused += not same(os.path.join(strict, name), os.path.join(loose, name))
            wrong += len(found)
        print(f"{checked} files, {sum(map(len, tags.values()))} tags, {gone} went by name; {refused} files stay without --allow-loss")
        sys.exit(wrong > 0 or checked == 0)


def explained(tag, number, lost):
    if NAMES.get(number) in lost:
        return True
    for pattern, part in PARTS:
        if re.match(pattern, tag) and any(re.match(part.format(re.escape(number)), name) for name in lost):
            return True
    return False


def recoloured(tag, old, new):
    "Is it of a profile that was made for other colours?"
    def colours(tags):
        return [value for name, _, value in tags if name == "ICC-header:ColorSpaceData"]
    return tag.startswith(("ICC", "PNG:ProfileName")) and colours(new) and colours(new) != colours(old)


def is_own(tag, new):
    "Does it say how pixels are stored, of a page that is there?"
    page = re.match(r"IFD\d+:", tag)
    return OWN.match(tag) or (page and OWN.match("IFD0:" + tag[page.end():]) and any(n.startswith(page[0]) for n, _, _ in new))


def silent(old, new, lost):
    "Tags that went, and that nothing names"
    return [(tag, number, value) for tag, number, value in old - new
            if not is_own(tag, new) and not explained(tag, number, lost) and not recoloured(tag, old, new)]


def same(a, b):
    with open(a, "rb") as one, open(b, "rb") as other:
        return one.read() == other.read()


def check(folders, old, new, loose, strict, name):
    "What is wrong with what became of a file"
    before, allowed, asked = (os.path.join(folder, name) for folder in folders)
    lost = [part["name"] for part in loose["lost"]]
    wrong = [f"silent: {tag} ({number}) {value[:60]}, lost are {lost}" for tag, number, value in silent(old, new, lost)]
    if "lost" not in strict or strict.get("error"):
        if not same(before, asked):
            wrong.append("refused, and another file now")
        if not lost:
            wrong.append("refused, and nothing is lost")
    elif not same(allowed, asked):
        wrong.append("-i and -i --allow-loss differ")
    return wrong


# ---- drawn files ----

VALUES = ("7", "2", "some words", "2001:02:03 04:05:06", "1 2 3", "12.5", "Jörg", "0.25 0.5")
TEXTS = ("Title", "Author", "Comment", "Software", "Warning", "My key", "XML:com.adobe.xmp", "Raw profile type iptc")
CHUNKS = {
    b"tIME": b"\x07\xd1\2\3\4\5\6", b"sPLT": b"few\0\x08" + bytes(range(6)), b"oFFs": bytes(8) + b"\1", b"sTER": b"\1",
    b"pCAL": b"units\0" + bytes(8) + b"\0\2km\0001\0002", b"sCAL": b"\x011.5\0002.5", b"vpAg": bytes(9), b"gIFg": b"\1\0\5",
    b"gAMA": b"\0\0\xb1\x8f", b"cICP": b"\x09\x10\0\1", b"sRGB": b"\1", b"caBX": b"\0\0\0\x20jumb" + bytes(24),
    b"acTL": b"\0\0\0\2\0\0\0\0", b"iDOT": bytes(28), b"pHYs": b"\0\0\x2e\x23\0\0\x2e\x23\1", b"fRAc": bytes(9),
    b"dSIG": bytes(20), b"prVt": bytes(20), b"biBi": bytes(20), b"xxXx": bytes(20), b"cLLi": bytes(8),
}
SEGMENTS = (
    (0xFE, b"a comment"), (0xE0, b"JFXX\0\x10" + splices.pixels(40)), (0xE1, b"FLIR\0\1\0\0" + splices.pixels(80)),
    (0xE1, b"QVCI\0" + splices.pixels(200)), (0xE2, b"FPXR\0\0\1" + splices.pixels(40)), (0xE3, b"_JPSJPS_" + splices.pixels(20)),
    (0xE3, b"Meta\0\0II*\0\x08\0\0\0\0\0\0\0"), (0xE4, b"SCALADO\0" + splices.pixels(40)), (0xE5, b"RMETA\0" + splices.pixels(40)),
    (0xE5, b"ssuniqueid\0abcdefgh"), (0xE6, b"EPPIM\0II*\0\x08\0\0\0\0\0\0\0"), (0xE6, b"NITF\0" + splices.pixels(20)),
    (0xE7, b"HUAWEI\0\0" + splices.pixels(40)), (0xE8, b"SPIFF\0\1\2\0\3" + bytes(20)), (0xE9, b"Media Jukebox\0" + splices.pixels(40)),
    (0xEA, b"UNICODE\0\0h\0i"), (0xEB, b"HDR_RI ver=1.2\nln0=1, ln1=2"), (0xEB, b"JP\0\1\0\0\0\1" + b"\0\0\0\x20jumb" + bytes(24)),
    (0xEC, b"[picture info]\r\nResolution=2\r\nFlash=1\r\n"), (0xEC, b"Ducky\0\1\0\4\0\0\0\x3c\0\0"), (0xED, b"Adobe_CM\0" + splices.pixels(20)),
    (0xEF, b"Q 87"), (0xE7, b"Own\0" + splices.pixels(99)),
)
# Numbers, types, of a TIFF's tags, each with a value of eight numbers of that type.
TAGS = (269, 270, 271, 285, 305, 315, 316, 700, 33432, 33550, 33922, 34735, 34736, 34737, 37724, 40091, 42112, 42113, 50838, 50839,
        34412, 33628, 34377, 65000, 65001, 48129, 34118, 330, 532, 297, 301, 318, 333, 51123)


def draw_tiff(random):
    "A gray picture with tags of all kinds"
    sizes = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
    values, entries = splices.pixels(48), []
    for tag in random.sample(TAGS, random.randint(1, 9)):
        kind = random.choice(sorted(sizes))
        value = splices.pixels(8 * sizes[kind] - 1) + b"\0"
        entries.append((tag, kind, 8, 8 + len(values)))
        values += value
    return splices.tiff(8 + len(values), values, splices.directory(8, 6, 8, *entries))


def splice(random, extension, data):
    for _ in range(random.randint(0, 4)):
        if extension == "png":
            name = random.choice([*CHUNKS, b"tEXt", b"zTXt", b"iTXt"])
            text = random.choice(TEXTS).encode() + b"\0"
            body = CHUNKS.get(name) or {b"tEXt": text + b"words", b"zTXt": text + b"\0" + zlib.compress(b"more words"),
                                        b"iTXt": text + b"\0\0\0\0" + b"w\xc3\xb6rter"}[name]
            late = name in (b"tEXt", b"zTXt", b"iTXt", b"tIME", b"xxXx") and random.random() < 0.3
            data = (splices.before_end if late else splices.behind_head)(data, [splices.chunk(name, body)])
        elif extension == "jpg":
            at = random.choice((2, data.index(b"\xff\xdb")))  # behind SOI, or before tables
            data = data[:at] + splices.segment(*random.choice(SEGMENTS)) + data[at:]
    if random.random() < 0.1:
        data = splices.CASES[random.choice(("film", "sef", "bytes", "zeros"))](data)
    return data


def writable():
    "Arguments that name the tags which exiftool writes"
    tags = []
    for group in ("EXIF", "GPS", "IPTC", "PNG", "Photoshop", "XMP-dc", "XMP-xmp", "XMP-photoshop", "XMP-tiff", "XMP-exif", "XMP-xmpRights",
                  "XMP-GCamera", "XMP-iptcCore", "Ducky", "JFIF"):
        listed = run("exiftool", "-listw", f"-{group}:all").stdout.decode().split("\n", 1)[1]
        tags += [f"-{group}:{tag}=" for tag in listed.split() if tag != "ResolutionUnit"]
    return tags


def draw(folder, count, random):
    "Files that begin like those in the folder"
    bases = [name for name in sorted(os.listdir(folder)) if name.endswith((".png", ".jpg", ".webp", ".tif")) and
             os.path.getsize(os.path.join(folder, name)) < 20000]
    tags, arguments = writable(), []
    profile = [os.path.join(folder, name) for name in bases if name.endswith("-icc.jpg")]
    for name in ("sub", "copy", "planes", "leaf", "imacon", "behind", "tags"):
        with open(os.path.join(folder, f"case-{name}.tif"), "wb") as file:
            file.write(splices.CASES[name](b""))
    for i in range(count):
        base = random.choice(bases)
        extension = base.rsplit(".", 1)[1]
        path = os.path.join(folder, f"drawn-{i:05}.{extension}")
        with open(os.path.join(folder, base), "rb") as file:
            data = file.read()
        if extension == "tif" and random.random() < 0.7:
            data = draw_tiff(random)
        with open(path, "wb") as file:
            file.write(splice(random, extension, data))
        arguments += ["-q", "-q", "-m", "-overwrite_original", "-n"]
        arguments += [tag + random.choice(VALUES) for tag in random.sample(tags, random.randint(0, 24))]
        if profile and random.random() < 0.2:
            arguments += ["-tagsfromfile", profile[0], "-icc_profile"]
        arguments += [path, "-execute"]
    run("exiftool", "-charset", "UTF8", "-@", "-", input="\n".join(arguments).encode())


if __name__ == "__main__":
    main()
