#!/bin/sh
# layers.sh - hold the architecture: includes point downwards, one public header, clean symbols
#
# Modules are folders of lib/; the tables say which others a module may include, and of a module's own
# folders which a folder may. Includes of the library read "module/file.h" or "module/folder/file.h", so that they
# show what they cross.
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

# imfilter.h, the public header, belongs to every module; it includes imfilter_image.h, the other one. imfilter_program.h, what the program uses besides, belongs to these.
may_include_program() { # MODULE
    # Of base, arguments.c, which checks its structs.
    case $1 in base | device | run | picture | filter | codec) true ;; *) false ;; esac
}
may_include() { # MODULE
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

# A folder may include itself and, of its own module's other folders, these. A module's name alone means
# the files at its top.
may_include_inside() { # FOLDER
    case $1 in
    codec) echo codec/metadata ;;
    codec/png) echo codec codec/metadata codec/deflate ;;
    codec/heif | codec/avif) echo codec codec/metadata codec/bmff ;;
    codec/bmff) echo codec codec/metadata ;;
    codec/tiff) echo codec codec/metadata codec/deflate codec/ifd ;;
    codec/ifd) echo codec codec/metadata ;;
    codec/jpeg | codec/pnm | codec/webp) echo codec codec/metadata ;;
    codec/*) ;; # metadata, deflate
    filter) echo filter/kernel ;;
    filter/kernel) ;;
    filter/flt) echo filter filter/kernel ;;
    filter/builtin) echo filter filter/kernel filter/flt ;;
    filter/spec) echo filter filter/kernel filter/flt filter/builtin ;;
    plan) echo plan/lowering ;;
    plan/lowering) ;;
    solver/fft) echo solver solver/common solver/convolution ;;
    solver/*) echo solver solver/common ;;
    run/executor) echo run run/point ;;
    run/pipeline) echo run run/executor ;;
    */*) echo "${1%/*}" ;;
    esac
}

# Folders that are their module's own business.
is_inner() { # FOLDER
    case $1 in
    codec/png | codec/jpeg | codec/pnm | codec/tiff | codec/ifd | codec/webp | codec/heif | codec/avif | codec/bmff | codec/deflate | filter/flt | filter/spec) true ;;
    *) false ;;
    esac
}

sources=$(find lib -mindepth 2 -type f -name '*.[ch]' | LC_ALL=C sort)
for file in $(find lib -type f ! -name '*.sh' ! -path 'lib/imfilter*.h' ! -path lib/imfilter.pc.in ! -path lib/libimfilter.map |
    LC_ALL=C sort); do
    case $file in
    lib/*/*/*/*) bad "$file is in a folder of a folder" && continue ;;
    lib/*/*) ;;
    *) bad "$file is in no module" && continue ;;
    esac
    folder=${file#lib/}
    folder=${folder%/*}
    module=${folder%%/*}
    allowed=$(may_include "$module")
    inside="$folder $(may_include_inside "$folder")"
    if [ "$allowed" = none ]; then
        bad "$file is in a module that test/layers.sh does not know"
        continue
    fi
    wrong=0
    for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$file"); do
        [ "$header" = imfilter.h ] && continue
        [ "$header" = imfilter_program.h ] && may_include_program "$module" && continue
        from=${header%/*}
        if [ "${from%%/*}" = "$module" ]; then
            case " $inside " in *" $from "*) [ -f "lib/$header" ] && continue ;; esac
        elif ! is_inner "$from"; then
            case " $allowed " in *" ${from%%/*} "*) [ -f "lib/$header" ] && continue ;; esac
        fi
        bad "$file includes $header, which is in none of: $inside $allowed"
        wrong=1
    done
    [ "$wrong" = 1 ] || ok
done

# Two public headers, which stand alone.
none "public headers include what is not installed" "$(grep -n '#include "' lib/imfilter.h lib/imfilter_image.h | grep -v '"imfilter_image.h"$')"
none "headers beside the public ones and lib/imfilter_program.h" "$(find lib -maxdepth 1 -name '*.h' | grep -v -e /imfilter.h -e /imfilter_image.h -e /imfilter_program.h)"

# The command line uses the public interface, imfilter_program.h and its own headers, folder by folder.
cli_may_include() { # FOLDER
    case $1 in
    report) echo report ;;
    options) echo report options ;;
    completion) echo report options completion ;;
    input) echo report options input ;;
    output) echo report options input output ;;
    sandbox) echo report options input sandbox ;;
    batch) echo report options input output batch ;;
    main.c) echo report options completion input output sandbox batch ;;
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
        case $header in imfilter.h | imfilter_program.h) continue ;; esac
        case " $allowed " in
        *" ${header%%/*} "*) [ -f "cli/$header" ] && continue ;;
        esac
        wrong="$wrong $header"
    done
    none "$file includes what is not public, or in none of its folders: $allowed" "$wrong"
    none "$file knows OpenCL" "$(grep -n '[<"]CL/' "$file")"
done

# A file and its header are one node: no two of them include each other, by whatever way.
none "files of cli/ include each other in a circle" "$(
    for file in cli/*/*.[ch]; do
        self=${file#cli/}
        sed -n "s|^#include \"\\(.*/.*\\)\\.h\"\$|${self%.*} \\1|p" "$file"
    done | awk '$1 != $2' | tsort 2>&1 >/dev/null
)"

# One module knows OpenCL; nobody includes a .c file.
for file in $sources; do
    case $file in lib/device/*) continue ;; esac
    none "$file knows OpenCL" "$(grep -nE '<CL/|\<cl_[a-z]|\<cl[A-Z][A-Za-z]+\(|\<CL_[A-Z]|device/opencl\.h' "$file")"
done
# shellcheck disable=SC2086 # a list of files
none "a .c file is included" "$(grep -nE '^#include ".*\.c"' $sources cli/*.[ch] cli/*/*.[ch])"

# A library does not print, exit, or change what belongs to the process. (Comments are dropped.)
calls='printf|vprintf|puts|putchar|perror|exit|_exit|abort|signal|setlocale'
for file in $sources; do
    case $file in *.h) continue ;; esac
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

# Debian's package lists what the library exports.
none "lib/libimfilter.map or debian/libimfilter1.symbols alone has" "$(
    { sed -n 's/^ *\(imf_[a-z0-9_]*\);$/\1/p' lib/libimfilter.map; sed -n 's/^ \(imf_[a-z0-9_]*\)@.*/\1/p' debian/libimfilter1.symbols; } |
        sort | uniq -u
)"

# No files depend on each other in a circle: neither headers by what they include, nor sources by what they call.
circles() { # < PAIRS: A file, and one that it depends on
    LC_ALL=C sort -u | tsort 2>&1 >/dev/null | sed -n 's/^tsort: //p' | grep -v 'contains a loop'
}
# shellcheck disable=SC2086 # a list of files
none "headers include each other in a circle" "$(
    grep -H '^#include "' $sources | sed -n 's|^lib/\(.*\.h\):#include "\(.*\)"$|\1 \2|p' | circles
)"
objects=$(tr ' ' '\n' <"$BUILD/files" | grep -E '/(lib|cli)/.*\.o$')
[ -n "$objects" ] || bad "$BUILD/files names no objects"
calls_inside() { # FOLDER: who calls or names a symbol of whom
    echo "$objects" | grep "/$1/" | xargs nm -A | awk '
        { file = $1; sub(/:.*/, "", file); kind = $(NF - 1); sub(/.*:/, "", kind) }
        kind == "U" { used[file, $NF]; next }
        kind ~ /^[A-Z]$/ { by[$NF] = file }
        END {
            for (use in used) {
                split(use, part, SUBSEP)
                if (part[2] in by && by[part[2]] != part[1])
                    print part[1], by[part[2]]
            }
        }'
}
for folder in lib/*/ cli/; do
    folder=${folder%/}
    none "$folder: files depend on each other in a circle" "$(calls_inside "$folder" | circles)"
done

# Short files: a reader keeps one in mind at a time. The public header is looked things up in.
none "files over 450 lines" "$(
    find lib cli cl test testdata \( -name '*.[ch]' -o -name '*.cl' \) -exec wc -l {} + |
        awk '$2 != "total" && $1 > ($2 == "lib/imfilter.h" ? 550 : 450) {print $2 " has " $1 " lines"}'
)"

echo "layers: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
