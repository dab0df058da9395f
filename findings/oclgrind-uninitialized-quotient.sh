#!/bin/sh
# oclgrind-uninitialized-quotient.sh - Oclgrind's search for uninitialised memory stops at a remainder beside its quotient
#
# Expected: --uninitialized reports what reads memory that nobody wrote, and changes no result of other kernels.
# Behaviour: clang makes one division of i % n and i / n, by LLVM's instruction freeze, which the plug-in does not know. It says so
# and gives the kernel up: results stay what they were before it, here 0. Who only compares them finds a fault of the kernel.
. "$(dirname "$0")/setup"
packages oclgrind=21.10-3

cat >both.cl <<'END'
__kernel void both(__global int *out, int n)
{
    int i = get_global_id(0);
    out[i] = 10 * (i / n) + i % n;
}
END
printf 'both.cl\nboth\n6 1 1\n6 1 1\n<size=24 fill=0 int dump>\n<size=4 int>\n4\n' >both.sim
results() { # OPTION...
    inside oclgrind-kernel "$@" both.sim 2>messages | sed -n 's/.*out\[.*= //p' | xargs
}
verdict 'results without and with --uninitialized, and its reason' '0 1 2 3 10 11, 0 1 2 3 10 11, none' \
    "$(results), $(results --uninitialized), $(sed -n 's/^Unsupported instruction: //p' messages)" '0 1 2 3 10 11, 0 0 0 0 0 0, freeze'
