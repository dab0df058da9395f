#!/bin/sh
# run.sh - run the tests in $BUILD and count: run.sh [GROUP]... (make check's: bats programs sums layers)
#
# Groups: unit checkcl spatial gles transforms chains bats rest (of bats) fuzz layers sums faults leaks programs
# (unit, fuzz and checkcl), and each by its name, as test_fft or png.bats.
#
# THOROUGH=1: also what takes long: more of checkcl's draws (CHECKCL_OPTIONS chooses), a few command lines.
#
# Every test program ends with a line "name: N passed, N failed"; one that ends without it, or with
# a status that contradicts it, counts as one failure. bats speaks TAP. The last line is the sum.
set -u

BUILD=${BUILD:-build}
cd "$(dirname "$0")/.." || exit 1
. test/fuzz/targets.sh
[ -d "$BUILD" ] || { echo "run.sh: no directory $BUILD: build first" >&2; exit 1; }
build=$(cd "$BUILD" && pwd)
# What the tests find in their environment: the program, and a cache of compiled kernels of their own.
export IMFILTER="$build/imfilter" BUILD="$build" XDG_CACHE_HOME="$build/cache" LC_ALL=C.UTF-8
checkcl_options=${CHECKCL_OPTIONS-$([ -n "${THOROUGH:-}" ] || echo --quick)}
# Kernels are compiled as cli/options/device_trial.c has it.
export POCL_WORK_GROUP_SPECIALIZATION=0
mkdir -p "$XDG_CACHE_HOME/quick"
log=$(mktemp "$build/log.XXXXXX")
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

passed=0
failed=0

count() { # NAME PASSED FAILED
    passed=$((passed + $2))
    failed=$((failed + $3))
    echo "$1: $2 passed, $3 failed"
}

# Whether the leak checker itself crashed; its status is 99, as .ci/run has it, its reports $REPORTS.*.
leak_check_crashed() {
    [ "$1" -eq 99 ] && grep -q 'LeakSanitizer has encountered a fatal error' "${REPORTS:-/}".* 2>/dev/null &&
        ! grep -h -v -e 'AddressSanitizer failed to allocate' -e 'Tracer caught signal' \
            -e 'LeakSanitizer has encountered a fatal error' -e '==HINT: ' "$REPORTS".* &&
        rm -f "$REPORTS".*
}

program() { # NAME COMMAND...: believe its last line and its status
    name=$1
    shift
    "$@" >"$log" 2>&1
    status=$?
    if leak_check_crashed "$status"; then
        "$@" >"$log" 2>&1
        status=$?
    fi
    line=$(sed -n 's/^.*: \([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed.*$/\1 \2/p' "$log" | tail -n 1)
    p=${line% *}
    f=${line#* }
    if [ -z "$line" ]; then
        p=0 f=1
        echo "$name: no result (exit status $status)" >>"$log"
    elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
        echo "$name: exit status $status" >>"$log"
    fi
    [ "$f" -eq 0 ] || tail -n 60 "$log" | sed 's/^/    /'
    count "$name" "$p" "$f"
}

# Most of the time goes into compiling kernels. Without THOROUGH, unit tests alone compile them as users have them, but for
# those of $unoptimised; other tests do without optimising, in a cache of their own.
kernels_quickly() { # COMMAND...
    if [ -n "${THOROUGH:-}" ]; then
        "$@"
    else
        env POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable XDG_CACHE_HOME="$XDG_CACHE_HOME/quick" "$@"
    fi
}

# shellcheck disable=SC2086 # a list of options
checkcl_part() {
    program "checkcl-$1" kernels_quickly "$build/checkcl" --part="$1" $checkcl_options
}
checkcl_parts() { # none in a build without OpenCL
    "$build/imfilter" --version | grep -q '^built without: .*OpenCL' || echo spatial gles transforms chains
}
run_spatial() { checkcl_part spatial; }
run_gles() { checkcl_part gles; }
run_transforms() { checkcl_part transforms; }
run_chains() { checkcl_part chains; }
run_fuzz() {
    for name in $(fuzz_targets); do
        # shellcheck disable=SC2046 # a list of folders
        program "replay $name" "$build/fuzz/$name" $(fuzz_seeds "$name")
    done
}

run_bats_file() { # FILE
    kernels_quickly bats --formatter tap "test/$1" >"$log" 2>&1
    status=$?
    skip=$(grep -c '^ok .* # skip' "$log")
    p=$(($(grep -c '^ok ' "$log") - skip))
    f=$(grep -c '^not ok ' "$log")
    plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | head -n 1)
    missing=$((${plan:-1} - p - f - skip))
    [ "$missing" -le 0 ] || f=$((f + missing))
    [ "$status" -eq 0 ] || [ "$f" -gt 0 ] || f=1
    [ "$f" -eq 0 ] || grep -v '^ok ' "$log" | head -n 200 | sed 's/^/    /'
    grep '^ok .* # skip' "$log" | sed 's/^ok [0-9]*/  skipped:/'
    count "$1" "$p" "$f"
}

run_layers() {
    program layers sh test/layers.sh
}

# The same samples as everywhere.
run_sums() {
    program sums sh test/sums.sh
}

# Not among "all": only worth its time with a leak checker.
run_leaks() {
    program leaks sh test/leaks.sh
}

# Not among "all": a failure at each of thousands of calls takes a minute or two.
run_faults() {
    program faults sh test/faults/run.sh
}

units() {
    for test in "$build"/test/test_*; do
        [ ! -x "$test" ] || [ ! -f "$test" ] || basename "$test"
    done
}

# What is in bats under THOROUGH=1 alone, and a step of .ci/run: it takes long, and few changes reach it.
rest='all_devices.bats drivers.bats install.bats jobs.bats readme.bats recipes.bats tune.bats'

bats_files() {
    for file in test/*.bats; do
        case " $rest " in
        *" $(basename "$file") "*) [ -z "${THOROUGH:-}" ] || basename "$file" ;;
        *) basename "$file" ;;
        esac
    done
}

# What takes longest, first: no core waits for it at the end.
slowest='chains spatial transforms colour.bats linear.bats all_devices.bats drivers.bats devices.bats canny.bats smooth.bats'
slowest="$slowest in_place.bats test_stream streaming.bats test_fallback two_runs.bats pictures.bats phase.bats test_memory"

# Each in a process of its own, one more at a time than there are cores, as some wait; what they say comes in order.
together() { # GROUP...
    first=''
    for group in $slowest; do
        case " $* " in *" $group "*) first="$first $group" ;; esac
    done
    logs=$(mktemp -d "$build/logs.XXXXXX")
    # shellcheck disable=SC2086 # words
    printf '%s\n' $first "$@" | awk '!seen[$0]++' | xargs -P "$(($(nproc) + 1))" -I '{}' \
        sh -c 'sh test/run.sh --one "$1" >"$2/$1" 2>&1; :' sh '{}' "$logs"
    for group; do
        sed '$d' "$logs/$group"
        line=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$logs/$group")
        [ -n "$line" ] || line="0 1"
        passed=$((passed + ${line% *}))
        failed=$((failed + ${line#* }))
    done
    rm -rf "$logs"
}

# Unit tests that say nothing of how kernels round.
unoptimised='test_mirrors test_fallback test_threads test_programs'

one() { # GROUP
    case $1 in
    test_*)
        case " $unoptimised " in
        *" $1 "*) program "$1" kernels_quickly "$build/test/$1" ;;
        *) program "$1" "$build/test/$1" ;;
        esac
        ;;
    *.bats) run_bats_file "$1" ;;
    *) "run_$1" ;;
    esac
}

several() { # GROUP...
    words=''
    for group; do
        case $group in
        unit) words="$words $(units)" ;;
        checkcl) words="$words $(checkcl_parts)" ;;
        programs) words="$words $(units) $(checkcl_parts) fuzz" ;;
        bats) words="$words $(bats_files)" ;;
        rest) words="$words $rest" ;;
        test_* | *.bats) words="$words $group" ;;
        *)
            command -v "run_$group" >/dev/null || { echo "run.sh: no group $group" >&2; exit 1; }
            words="$words $group"
            ;;
        esac
    done
    # shellcheck disable=SC2086 # words
    together $words
}

if [ "${1:-}" = --one ]; then
    one "$2"
elif [ $# -gt 0 ]; then
    several "$@"
else
    several bats programs sums layers
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
