#!/usr/bin/env python3
"""api.py - the manual's section 3 has what the public headers declare

Of every function one page has the prototype as the header has it, says what it does, and names the parameters that may
be NULL; every member, enumerator and macro is named; the programs in imfilter(3) are those that the tests compile.
"""
import glob
import os
import re
import sys

import header

MAN = os.path.join(header.ROOT, "man")
failures = []


def check(ok, what):
    if not ok:
        failures.append(what)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def section(page, name):
    found = re.search(r"^\.Sh " + name + r"\n(.*?)(?=^\.Sh |\Z)", page, re.S | re.M)
    return found.group(1) if found else ""


def prototypes(page):
    for kind, name, arguments in re.findall(r"^\.Ft (.*)\n\.Fo (\w+)\n((?:\.Fa .*\n)*)\.Fc$", section(page, "SYNOPSIS"), re.M):
        parts = [line[4:].strip('"') for line in arguments.splitlines()]
        yield name, (kind, [] if parts == ["void"] else parts)


def check_functions(pages):
    declared = {name: (kind, parameters) for kind, name, parameters in header.functions()}
    shown = {}
    for file, page in pages.items():
        items = dict(re.findall(r"^\.It Fn (\w+)\n(.*)$", section(page, "NULL POINTERS"), re.M))
        for name, prototype in prototypes(page):
            check(name not in shown, f"{file}: {name} is in {shown.get(name)}, too")
            shown[name] = file
            check(declared.get(name) == prototype, f"{file}: {name} is not as in the header: {declared.get(name)}")
            check(re.search(rf"^\.Nm {name}\b", section(page, "NAME"), re.M), f"{file}: NAME lacks {name}")
            check(re.search(rf"^\.Fn {name}\b", section(page, "DESCRIPTION"), re.M), f"{file}: nothing is said of {name}")
            pointers = [re.search(r"(\w+)\)?(\(.*\))?$", p.split(")(")[0]).group(1) for p in prototype[1] if "*" in p]
            check(bool(pointers) == (name in items), f"{file}: NULL POINTERS does not fit {name}")
            if name in items and items[name].startswith(".Fa "):
                said = items[name][4:].split(" , ")
                check(set(said) <= set(pointers), f"{file}: {name}: {said} are not all of {pointers}")
                check("err" in said or "err" not in pointers, f"{file}: {name}: err may be NULL")
    for name in declared:
        check(name in shown, f"no page has {name}")


def check_names(pages):
    everything = "\n".join(pages.values())
    words = set(re.findall(r"\bIMF_\w+", everything))
    for name in [*header.enumerators(), *header.macros()]:
        check(name in words, f"no page has {name}")
    for struct, members in header.structs():
        found = re.search(rf"^\.Ss struct {struct}\n(.*?)(?=^\.Ss |^\.Sh )", everything, re.S | re.M)
        check(found, f"no page has struct {struct}")
        said = {word for line in re.findall(r"^\.It Va (.*)$", found.group(1), re.M) for word in line.split(" , ")} if found else set()
        check(said == set(members), f"struct {struct}: {sorted(said ^ set(members))}")


def check_programs(page):
    shown = re.findall(r"^\.Bd -literal\n(/\*\n.*?)^\.Ed$", page, re.S | re.M)
    for name, text in zip(("file.c", "memory.c"), shown):
        plain = re.sub(r"^\\&", "", text, flags=re.M).replace("\\e", "\\")
        check(plain == read(os.path.join(header.ROOT, "test", "install", name)), f"imfilter.3: {name} is another one")
    check(len(shown) == 2, "imfilter.3 has not two programs")


def main():
    pages = {os.path.basename(path): read(path) for path in sorted(glob.glob(os.path.join(MAN, "imfilter_*.3")))}
    check(len(pages) == 8, f"{len(pages)} pages of functions")
    check_functions(pages)
    check_names(pages)
    check_programs(read(os.path.join(MAN, "imfilter.3")))
    print("\n".join(failures) or f"{len(list(header.functions()))} functions: ok")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
