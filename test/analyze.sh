#!/bin/sh
# analyze.sh - static analysis of lib/ and cli/: gcc -fanalyzer, clang-tidy (.clang-tidy has its checks), cppcheck
#
# A finding is mended, or answered by a line of test/analyze.txt: FILE | CHECK | FRAGMENT | REASON, where FRAGMENT is
# a part of the line of code that the tool names. A finding without an answer fails, and so does an answer without a
# finding. FILE * is any. Answers are for Debian 12's versions (gcc 12, LLVM 14, cppcheck 2.10). $BUILD/analyze/findings has all.
set -u
cd "$(dirname "$0")/.." || exit 1
out=${BUILD:-build}/analyze

# analyze.sh one TOOL FILE: its findings to $out/TOOL/, as FILE:LINE: CHECK: MESSAGE.
one() {
    log=$out/$1/$(echo "$2" | tr / _)
    case $1 in
    cppcheck)
        # Without headers of the system and of libraries, of which it has its own descriptions.
        # shellcheck disable=SC2046 # a list of options
        cppcheck $(head -n 1 "$out/commands" | grep -o ' -D[A-Z0-9_=]*') -Ilib -Icli --file-list="$out/files" --quiet \
            --enable=warning,portability,performance --template='{file}:{line}: cppcheck-{id}: {message}' 2>&1 ;;
    gcc)
        command=$(grep -F -- " -c $2" "$out/commands") &&
            eval "LC_ALL=C timeout 600 $command -o /dev/null -fanalyzer -fdiagnostics-path-format=none" 2>&1 ;;
    tidy)
        clang-tidy --quiet -p "$out" "$2" 2>/dev/null ;;
    esac >"$log.raw"
    status=$?
    sed -n "s|^$PWD/||; s/:\([0-9]*\):[0-9]*: warning: \(.*\) \[-W\(analyzer-[a-z-]*\)\]\$/:\1: \3: \2/p
        s/:\([0-9]*\):[0-9]*: [a-z]*: \(.*\) \[\([a-z0-9.-]*\),*.*\]\$/:\1: \3: \2/p
        /^[^ ]*:[0-9]*: cppcheck-/p" "$log.raw" >"$log"
    [ $status -eq 0 ] || echo "$2:0: $1-failed: exit status $status" >>"$log"
}
if [ "${1:-}" = one ]; then
    one "$2" "$3"
    exit 0
fi

rm -rf "$out"
mkdir -p "$out/gcc" "$out/tidy" "$out/cppcheck"
# How each file is compiled; those that are compiled once more, in floats, once.
env -u MAKEFLAGS make -n -B V=1 CC=gcc BUILD="$out/none" CFLAGS=-O1 LOOP_FLAGS= "$out/none/imfilter" |
    sed -n '/_f32\.o \|embed\.c$/d; s/ -MMD -MP -c -o [^ ]*\.o / -c /p' >"$out/commands"
sed 's/.* //' "$out/commands" >"$out/files"
{
    echo '['
    while read -r command; do
        text=$(printf '%s' "$command" | sed 's/["\\]/\\&/g')
        echo "{\"directory\": \"$PWD\", \"file\": \"${command##* }\", \"command\": \"$text\"},"
    done <"$out/commands" | sed '$s/,$//'
    echo ']'
} >"$out/compile_commands.json"

{
    echo 'cppcheck all'
    sed 's/^/gcc /; p; s/^gcc/tidy/' "$out/files"
} | nice xargs -P"$(nproc)" -L1 sh test/analyze.sh one
find "$out/gcc" "$out/tidy" "$out/cppcheck" ! -name '*.raw' -type f -exec cat {} + | sort -u >"$out/findings"

awk -F ' [|] ' '
    function code(file, number, line, i) {
        line = ""
        for (i = 0; i < number && (getline line <file) > 0; i++)
            ;
        close(file)
        return line
    }
    NR == FNR {
        if (!/^#/ && NF != 4)
            problem("not FILE | CHECK | FRAGMENT | REASON: " $0)
        else if (!/^#/)
            answers[++n] = $0
        next
    }
    function problem(text) { print text; failed++ }
    {
        split($0, part, ":")
        check = substr(part[3], 2)
        line = code(part[1], part[2])
        answered = 0
        for (i = 1; i <= n; i++) {
            split(answers[i], a, " [|] ")
            if ((a[1] == part[1] || a[1] == "*") && a[2] == check && index(line, a[3]))
                answered = used[i] = 1
        }
        if (answered)
            passed++
        else
            problem($0 "\n    " line)
    }
    END {
        for (i = 1; i <= n; i++)
            if (!used[i])
                problem("no finding has the answer: " answers[i])
        print FILENAME ": " passed " findings answered, " failed + 0 " problems"
        exit failed > 0
    }' test/analyze.txt "$out/findings"
