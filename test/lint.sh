#!/bin/sh
# lint.sh - checks of the sources as text: lint.sh [kernels|man|shell|format]... (all)
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

# Each kernel file is whole: it compiles as OpenCL C 1.2 behind common.cl, with its own defaults.
lint_kernels() {
    for file in cl/*.cl; do
        set -- -include cl/common.cl
        [ "$file" != cl/common.cl ] || set --
        clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only -Wall -Werror \
            "$@" "$file" || status=1
    done
}

lint_man() {
    for page in man/*.[1-8]; do
        mandoc -Tlint -Wstyle "$page" || status=1
    done
}

lint_shell() {
    # bats files are bash with @test, which shellcheck reads since 0.7.
    for script in .ci/run lib/*.sh test/*.sh test/*/*.sh testdata/*.sh test/*.bats test/*.bash; do
        [ -e "$script" ] || continue
        shellcheck -S warning "$script" || status=1
    done
}

lint_format() {
    for file in lib/*.[ch] cli/*.[ch] test/*.[ch] test/*/*.[ch] testdata/*.[ch]; do
        [ -e "$file" ] || continue
        clang-format --dry-run -Werror "$file" || status=1
    done
}

[ $# -gt 0 ] || set -- kernels man shell format
for group; do
    "lint_$group"
done
exit $status
