#!/bin/sh
# layers.sh - hold the architecture: includes point downwards, one public header, clean symbols
#
# The table gives each header of lib/ a level; a file may include headers of its own level or lower,
# and every .c file has the level of its header. What is not in the table is an error, so that a new
# file has to find its place.
set -u

cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
passed=0
failed=0

ok() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "layers: $*" >&2
}
# Findings, one a line; none is a pass.
none() { # WHAT FINDINGS
    if [ -z "$2" ]; then
        ok
    else
        echo "$2" >&2
        bad "$1"
    fi
}

# From the bottom up. A star stands for the rest of a name, for files of one family. filter.c is the
# entry to the text room; filter.h only describes what comes out of it.
level() { # FILE
    case ${1##*/} in
    filter.c) echo 5 && return ;;
    esac
    name=${1##*/}
    case ${name%.*} in
    imfilter | embed) echo 0 ;;                                                 # interface
    error) echo 1 ;;                                                            # foundation
    image | orientation) echo 2 ;;
    kernel | kernel_*) echo 3 ;;
    filter | transfer | turn) echo 4 ;;
    text | number | rows | nearest | spec | flt | flt_* | foreign | builtin | design) echo 5 ;; # text
    metadata | codec | codec_*) echo 5 ;;                                       # codecs
    clrt | clrt_* | fft_plan | fft_host | fft_rader) echo 5 ;;                                         # device
    edge | extend | epilogue | rounding | row_program | solver | solver_* | tuning | fft_error | fft_run | fft_prime | fft_tile | fft_pass) echo 6 ;;  # solvers
    context | chain | chain_* | compose | form | offers | bands | point | point_* | exec | exec_* | precision | pipeline) echo 7 ;;                                # top
    planner | palette | verify | fft | fft_chirp | picture | picture_*) echo 8 ;;
    response | show_* | spectrum | spectrum_*) echo 8 ;;
    apply) echo 9 ;;
    *) echo none ;;
    esac
}
# Rooms on one level that must not know each other.
room() { # FILE
    name=${1##*/}
    case ${name%.c} in
    filter) echo text && return ;;
    esac
    case ${name%.*} in
    text | number | rows | nearest | spec | flt | flt_* | foreign | builtin | design) echo text ;;
    metadata | codec | codec_*) echo codecs ;;
    clrt | clrt_* | fft_plan | fft_host | fft_rader) echo device ;;
    esac
}

for file in lib/*.c lib/*.h; do
    own=$(level "$file")
    if [ "$own" = none ]; then
        bad "$file has no level in test/layers.sh"
        continue
    fi
    wrong=0
    for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$file"); do
        below=$(level "$header")
        if [ "$below" = none ] || [ "$below" -gt "$own" ]; then
            bad "$file includes $header, which lies above it"
            wrong=1
        elif [ "$below" = "$own" ] && [ "$(room "$file")" != "$(room "$header")" ]; then
            bad "$file includes $header, which is another room's"
            wrong=1
        fi
    done
    [ "$wrong" = 1 ] || ok
done

# The command line uses the public interface and its own headers.
for file in cli/*.c cli/*.h; do
    [ -e "$file" ] || continue
    wrong=
    for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$file"); do
        [ "$header" = imfilter.h ] || [ -e "cli/$header" ] || wrong="$wrong $header"
    done
    none "$file includes what is not public" "$wrong"
    none "$file knows OpenCL" "$(grep -n 'CL/' "$file")"
done

# One place builds programs; nobody includes a .c file.
none "only lib/clrt.c and its parts build OpenCL programs" "$(
    grep -lE '\<(clBuildProgram|clCompileProgram|clCreateProgramWith[A-Za-z]+)\>' lib/*.c |
        grep -vE '^lib/clrt(_.*)?\.c$'
)"
none "a .c file is included" "$(grep -nE '^#include ".*\.c"' lib/*.[ch] cli/*.[ch])"

# A library does not print, exit, or change what belongs to the process. (Comments are dropped.)
calls='printf|vprintf|puts|putchar|perror|exit|_exit|abort|signal|setlocale'
for file in lib/*.c; do
    none "$file prints or exits" "$(
        sed -e 's|//.*||' -e 's|/\*.*\*/||' -e '/\/\*/,/\*\//d' "$file" |
            grep -nE "(^|[^a-zA-Z_0-9])($calls) *\(|\<(stdout|stderr)\>"
    )"
done

# What the archive shows to the linker carries the prefix, and none of it is writable.
library=$BUILD/libimfilter.a
if [ -f "$library" ]; then
    none "symbols without the prefix imf_" "$(
        nm -g --defined-only "$library" 2>/dev/null |
            awk 'NF == 3 && $3 !~ /^(imf_|__x86\.get_pc_thunk)/ {print $3}'
    )"
    none "writable global or static variables" "$(
        nm --format=sysv --defined-only "$library" 2>/dev/null | awk -F'|' \
            '$7 ~ /^\.(data|bss|tdata|tbss)/ && $7 !~ /rel\.ro/ && $1 !~ /^(\.|__)/ {print $1}'
    )"
    none "calls that print or exit" "$(
        nm -u "$library" 2>/dev/null | awk '{print $NF}' | grep -xE "$calls|stdout|stderr"
    )"
else
    bad "$library is not built"
fi

# Short files: a reader keeps one in mind at a time.
none "files over 450 lines" "$(
    wc -l lib/*.[ch] cli/*.[ch] cl/*.cl test/*.c test/*/*.[ch] testdata/*.[ch] |
        awk '$2 != "total" && $1 > 450 {print $2 " has " $1 " lines"}'
)"

echo "layers: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
