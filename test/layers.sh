#!/bin/sh
# layers.sh - hold the architecture: includes point downwards, one public header, clean symbols
#
# Modules are folders of lib/; the table says which others a module may include. Includes of the library
# read "module/file.h", so that they show what they cross.
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

# imfilter.h, the public header, belongs to every module.
may_include() { # ROOM
    case $1 in
    base) echo ;;
    filter | codec | gles) echo base ;;
    device) echo base gles ;;
    fourier) echo base device ;;
    solver) echo base filter gles device fourier ;;
    plan) echo base filter gles device fourier solver ;;
    run) echo base filter codec gles device fourier solver plan ;;
    picture) echo base filter fourier ;;
    *) echo none ;;
    esac
}

for file in lib/*.c lib/*.h lib/*/*; do
    [ -f "$file" ] || continue
    case $file in
    lib/imfilter.h | lib/*/*.sh) continue ;;
    lib/*/*) ;;
    *) bad "$file is in no module" && continue ;;
    esac
    module=${file#lib/}
    module=${module%%/*}
    allowed=$(may_include "$module")
    if [ "$allowed" = none ]; then
        bad "$file is in a module that test/layers.sh does not know"
        continue
    fi
    wrong=0
    for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$file"); do
        [ "$header" = imfilter.h ] && continue
        case " $module $allowed " in
        *" ${header%%/*} "*) [ -f "lib/$header" ] && continue ;;
        esac
        bad "$file includes $header, which is none of its modules': $module $allowed"
        wrong=1
    done
    [ "$wrong" = 1 ] || ok
done

# The command line uses the public interface and its own headers, folder by folder.
cli_may_include() { # FOLDER
    case $1 in
    report) echo report ;;
    options) echo report options ;;
    completion) echo report options completion ;;
    input) echo report options input ;;
    output) echo report options input output ;;
    batch) echo report options input output batch ;;
    main.c) echo report options completion input output batch ;;
    *) echo none ;;
    esac
}

for file in cli/*.[ch] cli/*/*; do
    [ -f "$file" ] || continue
    folder=${file#cli/}
    allowed=$(cli_may_include "${folder%%/*}")
    if [ "$allowed" = none ]; then
        bad "$file is in a folder that test/layers.sh does not know"
        continue
    fi
    wrong=
    for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$file"); do
        [ "$header" = imfilter.h ] && continue
        case " $allowed " in
        *" ${header%%/*} "*) [ -f "cli/$header" ] && continue ;;
        esac
        wrong="$wrong $header"
    done
    none "$file includes what is not public, or in none of its folders: $allowed" "$wrong"
    none "$file knows OpenCL" "$(grep -n 'CL/' "$file")"
done

# A file and its header are one node: no two of them include each other, by whatever way.
none "files of cli/ include each other in a circle" "$(
    for file in cli/*/*.[ch]; do
        self=${file#cli/}
        sed -n "s|^#include \"\\(.*/.*\\)\\.h\"\$|${self%.*} \\1|p" "$file"
    done | awk '$1 != $2' | tsort 2>&1 >/dev/null
)"

# One module knows OpenCL; nobody includes a .c file.
for file in lib/*/*.[ch]; do
    case $file in lib/device/*) continue ;; esac
    none "$file knows OpenCL" "$(grep -nE '<CL/|\<cl_[a-z]|\<cl[A-Z][A-Za-z]+\(|\<CL_[A-Z]|device/opencl\.h' "$file")"
done
none "a .c file is included" "$(grep -nE '^#include ".*\.c"' lib/*/*.[ch] cli/*.[ch] cli/*/*.[ch])"

# A library does not print, exit, or change what belongs to the process. (Comments are dropped.)
calls='printf|vprintf|puts|putchar|perror|exit|_exit|abort|signal|setlocale'
for file in lib/*/*.c; do
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
    wc -l lib/*.h lib/*/*.[ch] cli/*.[ch] cli/*/*.[ch] cl/*.cl cl/parts/*.cl test/*.c test/*/*.[ch] testdata/*.[ch] |
        awk '$2 != "total" && $1 > 450 {print $2 " has " $1 " lines"}'
)"

echo "layers: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
