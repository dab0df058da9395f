#!/usr/bin/env python3
"""abi.py - the library's binary interface: abi.py [--write] LIBIMFILTER.SO

Symbols with their versions, sizes and offsets of public structs, and values of enumerators, as a compiler sees them,
are compared with test/abi.txt, of which 1.x may lose or change no line. What is new there is written by --write. The
numbers are those of 64 bits; elsewhere only symbols and enumerators are compared.
"""
import os
import struct
import subprocess
import sys
import tempfile

import header

RECORD = os.path.join(header.ROOT, "test", "abi.txt")


def symbols(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    for line in listed.splitlines():
        _, kind, name = line.split()
        if kind != "A":
            yield "symbol " + name.replace("@@", " ")


def program():
    """A program in C that prints sizes, offsets and values."""
    yield '#include "imfilter.h"\n#include <stdio.h>\nint main(void) {\n'
    for name, members in header.structs():
        yield f'printf("struct {name} %zu\\n", sizeof(struct {name}));\n'
        for member in members:
            yield (f'printf("member {name}.{member} at %zu, %zu\\n", offsetof(struct {name}, {member}), '
                   f'sizeof(((struct {name} *)0)->{member}));\n')
    for name in header.enumerators():
        yield f'printf("value {name} %d\\n", (int){name});\n'
    yield "return 0; }\n"


def layout():
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "abi.c"), os.path.join(folder, "abi")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(program())
        compiler = os.environ.get("CC", "cc").split()
        subprocess.run([*compiler, "-std=c99", "-I" + os.path.join(header.ROOT, "lib"), "-o", binary, source], check=True)
        return subprocess.run([binary], check=True, capture_output=True, text=True).stdout.splitlines()


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    if len(arguments) != 1:
        sys.exit("usage: abi.py [--write] LIBIMFILTER.SO")
    found = sorted(symbols(arguments[0])) + layout()
    if "--write" in sys.argv:
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write("# The binary interface of 1.x on 64-bit machines, by test/abi.py --write build/libimfilter.so\n")
            file.writelines(line + "\n" for line in found)
        return
    with open(RECORD, encoding="utf-8") as file:
        recorded = [line.rstrip("\n") for line in file if not line.startswith("#")]
    if struct.calcsize("P") != 8:
        recorded, found = ([line for line in lines if line.startswith(("symbol ", "value "))] for lines in (recorded, found))
    lost = [line for line in recorded if line not in set(found)]
    new = [line for line in found if line not in set(recorded)]
    for line in lost:
        print(f"lost or changed: {line}")
    for line in new:
        print(f"not in test/abi.txt (test/abi.py --write adds it): {line}")
    print(f"{len(recorded)} lines, {len(lost)} lost, {len(new)} new")
    sys.exit(1 if lost or new else 0)


if __name__ == "__main__":
    main()
