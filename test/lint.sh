#!/bin/sh
# lint.sh - checks of the sources as text: lint.sh [kernels|man|shell|bats|format]... (all)
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

# Each kernel file is whole: it compiles as OpenCL C 1.2 with its own defaults, behind the parts that
# the library puts before it. Of a part not every function is used everywhere.
lint_kernel() { # OPTION... FILE
    clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only -Wall -Werror \
        -Wno-unused-function "$@" || status=1
}

lint_kernels() {
    for file in cl/*.cl cl/parts/*.cl; do
        case $file in
        cl/parts/common.cl | cl/parts/fft_stages.cl | cl/parts/fft_gpu_butterflies.cl | cl/edge.cl | cl/fft_chirp.cl)
            set -- ;;
        cl/fft.cl) set -- -include cl/parts/fft_stages.cl -include cl/parts/fft_transpose.cl -include cl/parts/common.cl \
            -include cl/parts/fft_channels.cl ;;
        cl/parts/fft_primes.cl | cl/parts/fft_transpose.cl) set -- -include cl/parts/fft_stages.cl ;;
        cl/fft_transform.cl | cl/spectral_filter.cl)
            set -- -include cl/parts/fft_stages.cl -include cl/parts/fft_primes.cl -include cl/parts/common.cl \
                -include cl/parts/fft_channels.cl -include cl/parts/transfer.cl ;;
        cl/direct_gpu.cl) set -- -include cl/parts/direct_gpu_sums.cl -include cl/parts/common.cl ;;
        cl/erode_dilate_gpu.cl | cl/rank_bits_gpu.cl) set -- -include cl/parts/subword.cl -include cl/parts/common.cl ;;
        cl/point.cl) set -- -include cl/parts/common.cl -include lib/run/point/steps.cl ;;
        cl/guided.cl | cl/local_threshold.cl) set -- -include cl/parts/common.cl -include cl/parts/column_sums.cl ;;
        cl/parts/fft_gpu_lines.cl | cl/parts/fft_gpu_planes.cl) set -- -include cl/parts/fft_gpu_butterflies.cl ;;
        cl/fft_gpu.cl)
            set -- -include cl/parts/fft_gpu_butterflies.cl -include cl/parts/fft_gpu_lines.cl \
                -include cl/parts/common.cl ;;
        cl/deblur_gpu.cl)
            set -- -include cl/parts/fft_gpu_butterflies.cl -include cl/parts/fft_gpu_planes.cl ;;
        cl/spectral_filter_gpu.cl)
            set -- -include cl/parts/fft_gpu_butterflies.cl -include cl/parts/fft_gpu_planes.cl \
                -include cl/parts/common.cl -include cl/parts/transfer.cl ;;
        *) set -- -include cl/parts/common.cl ;;
        esac
        lint_kernel "$@" "$file"
    done
    # What their defaults leave out.
    for set in -DMAGNITUDE=1 '-DMAGNITUDE=1 -DEXACT=1' '-DSPLIT=1 -DEXACT=1 -DIN=16 -DWIDE=1'; do
        # shellcheck disable=SC2086 # a list of options
        lint_kernel $set -include cl/parts/fft_stages.cl -include cl/parts/fft_transpose.cl \
            -include cl/parts/common.cl -include cl/parts/fft_channels.cl cl/fft.cl
    done
    for set in '-DIN=16 -DOUT=16' '-DPLAIN=0'; do
        for file in cl/erode_dilate_gpu.cl cl/rank_bits_gpu.cl; do
            # shellcheck disable=SC2086 # a list of options
            lint_kernel $set -include cl/parts/subword.cl -include cl/parts/common.cl "$file"
        done
    done
    for set in '-DALPHA=1 -DC_IN=4 -DC_SECOND=4 -DMASK=8 -DREGIONS=1 -DSECOND=8 -DSECOND_LIGHT=1' '-DCURVES=1 -DVEC=4'; do
        # shellcheck disable=SC2086 # a list of options
        lint_kernel $set -include cl/parts/common.cl -include lib/run/point/steps.cl cl/point.cl
    done
    lint_kernel -DSAUVOLA=1 -include cl/parts/common.cl -include cl/parts/column_sums.cl cl/local_threshold.cl
    lint_kernel -DFP64=1 -include cl/parts/fft_stages.cl -include cl/parts/fft_primes.cl \
        -include cl/parts/common.cl cl/fft_transform.cl
}

# mandoc looks cross-references up among installed pages: ours are installed for that, elsewhere.
lint_man() {
    tree=$(mktemp -d)
    for page in man/*.[1-8]; do
        mkdir -p "$tree/man${page##*.}"
        cp "$page" "$tree/man${page##*.}"
    done
    makewhatis "$tree" 2>/dev/null
    for page in man/*.[1-8]; do
        MANPATH="$tree:" mandoc -Tlint -Wstyle "$page" || status=1
    done
    rm -rf "$tree"
}

lint_shell() {
    shellcheck -S warning .ci/run lib/*/*.sh test/*.sh test/*/*.sh testdata/*.sh findings/* || status=1
    # bats files are bash with @test; bats sets $stderr and $stderr_lines.
    shellcheck -S warning --exclude=SC2154,SC2034 test/*.bats test/*.bash || status=1
}

# A command before && does not end a bats test when it fails: two assertions are two lines.
lint_bats() {
    if grep -nE '^ *(!? *(\[|\[\[|test|grep|cmp|diff|imf) .*) && (\[|\[\[|test|!|grep|cmp|diff|rm) ' test/*.bats; then
        echo "an assertion before && cannot fail its test: write two lines" >&2
        status=1
    fi
}

lint_format() {
    find lib cli test testdata -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror || status=1
}

[ $# -gt 0 ] || set -- kernels man shell bats format
for group; do
    "lint_$group"
done
exit $status
