#!/usr/bin/env python3
"""client.py - an example: filter pixels in memory from Python, by ctypes and nothing else

    client.py [LIBRARY]    (libimfilter.so.1, where the loader finds it)
"""
import ctypes
import sys
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p


class Error(ctypes.Structure):  # struct imf_error
    _fields_ = [("status", c_int), ("cl_code", c_int), ("column", c_size_t), ("text", c_char * 512), ("reserved", c_uint64 * 2)]


class Info(ctypes.Structure):  # struct imf_info
    _fields_ = [("width", c_int), ("height", c_int), ("channels", c_int), ("depth", c_int), ("color", c_int), ("alpha", c_bool),
                ("format", c_int), ("bits", c_int), ("orientation", c_int), ("maxval", c_int), ("reserved", c_int * 3)]


class Settings(ctypes.Structure):  # struct imf_settings; its size says that only its first members are here
    _fields_ = [("size", c_size_t), ("edge", c_int), ("edge_value", c_double), ("range", c_int), ("alpha", c_int),
                ("linear", c_bool), ("curve", c_void_p), ("backend", c_int)]


EDGE_MIRROR, BACKEND_VECTOR = 2, 5


class Library:
    """The functions, of which those that can fail raise ValueError."""

    def __init__(self, name):
        self.lib = ctypes.CDLL(name)
        self.lib.imf_version.restype = c_char_p

    def call(self, function, *arguments):
        err = Error()
        if getattr(self.lib, function)(*arguments, byref(err)) != 0:
            raise ValueError(err.text.decode())

    def run(self, spec, width, height, samples):
        """Filter 8-bit gray samples; returns as many."""
        names = ("imf_workspace_free", "imf_plan_free", "imf_context_free", "imf_filter_free")
        objects = [c_void_p() for _ in names]
        workspace, plan, context, filters = objects
        specs = (c_char_p * 1)(spec.encode())
        info = Info(width=width, height=height, channels=1, depth=8)
        settings = Settings(size=ctypes.sizeof(Settings), edge=EDGE_MIRROR, backend=BACKEND_VECTOR)
        source, result = ctypes.create_string_buffer(samples, len(samples)), ctypes.create_string_buffer(len(samples))
        try:
            self.call("imf_filter_parse", byref(filters), specs, c_size_t(1))
            self.call("imf_context_create", byref(context), None)
            self.call("imf_plan_create", byref(plan), context, filters, byref(info), byref(settings))
            self.call("imf_workspace_create", byref(workspace), plan)
            self.call("imf_workspace_run_memory", workspace, source, c_size_t(width), result, c_size_t(width), None, None)
        finally:
            for name, thing in zip(names, objects):
                function = getattr(self.lib, name)
                function.argtypes, function.restype = [POINTER(c_void_p)], None
                function(byref(thing))
        return result.raw


def main():
    library = Library(sys.argv[1] if len(sys.argv) > 1 else "libimfilter.so.1")
    samples = bytes(range(200))
    if library.run("invert", 20, 10, samples) != bytes(255 - s for s in samples):
        sys.exit("client.py: wrong samples")
    try:
        library.run("blurr:1", 20, 10, samples)
        sys.exit("client.py: a wrong spec was taken")
    except ValueError as error:
        if 'did you mean "blur"' not in str(error):
            raise
    print(library.lib.imf_version().decode(), "ok")


if __name__ == "__main__":
    main()
