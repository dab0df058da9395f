"""header.py - what the public headers declare, for abi.py and api.py: functions, structs, enums and macros"""
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
HEADERS = [os.path.join(ROOT, "lib", name) for name in ("imfilter_image.h", "imfilter.h")]


def text(path):
    """A header without comments and preprocessor lines."""
    with open(path, encoding="utf-8") as file:
        bare = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
    bare = re.sub(r"^#.*(\\\n.*)*$", "", bare, flags=re.M)
    return re.sub(r'extern "C" \{', "", bare)


def member_name(declarator):
    """The name in "width", "*const *list", "text[512]" or "(*progress)(void *data)"."""
    pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)", declarator)
    return pointer.group(1) if pointer else re.search(r"(\w+)\s*(\[[^]]*\])?\s*$", declarator).group(1)


def split_commas(line):
    """At the commas outside of parentheses."""
    return re.split(r",(?![^()]*\))", line)


def structs():
    """Names of structs with the names of their members, in the order of the headers."""
    for path in HEADERS:
        for name, body in re.findall(r"\bstruct (imf_\w+) \{(.*?)\n?\};", text(path), re.S):
            yield name, [member_name(part) for line in body.split(";") if line.strip() for part in split_commas(line)]


def enumerators():
    for path in HEADERS:
        for body in re.findall(r"\benum (?:imf_\w+ )?\{(.*?)\}", text(path), re.S):
            yield from (part.split("=")[0].strip() for part in body.split(",") if part.strip())


def macros():
    """Names of constants; include guards and macros with arguments are none."""
    for path in HEADERS:
        with open(path, encoding="utf-8") as file:
            yield from re.findall(r"^#define (IMF_\w+)[ ]\S", re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S), re.M)


def functions():
    """(return type, name, [parameters])"""
    for path in HEADERS:
        bare = re.sub(r"\{[^{}]*\}", "{}", text(path))
        for kind, name, parameters in re.findall(r"(?:^|;|\})\s*((?:const )?[\w ]+?[ *]+)(imf_\w+)\(((?:[^()]|\([^()]*\))*)\)\s*(?=;)",
                                                 bare, re.S):
            parts = [" ".join(part.split()) for part in split_commas(parameters)]
            yield " ".join(kind.split()), name, [] if parts == ["void"] else parts
