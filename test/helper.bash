# helper.bash - what the command line's tests share
#
# A test runs in an empty directory of its own. Images are made by printf as PNM text and become
# PNG or JPEG through the program itself, so that no test depends on another's files.

bats_require_minimum_version 1.5.0

IMFILTER=${IMFILTER:-$BATS_TEST_DIRNAME/../build/imfilter}
TESTDATA=${TESTDATA:-$BATS_TEST_DIRNAME/../testdata}
case $IMFILTER in /*) ;; *) IMFILTER=$PWD/$IMFILTER ;; esac
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$BATS_RUN_TMPDIR/cache}
unset POSIXLY_CORRECT
# No trial of the drivers in a child process first, which compiles a kernel; tests of the trial set a limit.
export IMFILTER_TRIAL_SECONDS=0

setup() {
    [ -x "$IMFILTER" ] || { echo "there is no program $IMFILTER (build first)"; return 1; }
    mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return 1
}

imf() {
    "$IMFILTER" "$@"
}

# run, with standard output and standard error apart: $output and $stderr, $stderr_lines
imf_run() {
    run --separate-stderr "$IMFILTER" "$@"
}

# A kernel that devices are for, on images of 16 bits: large, of many different integers, no sum of few products, whose
# sums are too large for floats and for transforms.
large_kernel() { # FILE
    awk 'BEGIN { for (i = 0; i < 61; i++) { for (j = 0; j < 61; j++) printf "%d ", 400000 + (i * i * 7 + j * j * j * 3 + i * j) % 4999 - j % 2 * 700000; print "" } }' >"$1"
}

# The same as a user whom modes bind: for root that is another one.
imf_run_unprivileged() {
    run --separate-stderr "${unprivileged[@]}" "$IMFILTER" "$@"
}

need_unprivileged() { # SETPRIV-OPTION...
    unprivileged=()
    [ "$(id -u)" -eq 0 ] || return 0
    command -v setpriv >/dev/null || skip "root may do everything, and there is no setpriv"
    [ $# -gt 0 ] || set -- --clear-groups
    unprivileged=(setpriv --reuid=65534 --regid=65534 "$@")
    "${unprivileged[@]}" true 2>/dev/null || skip "root may do everything, and become nobody else"
    # Whatever directories the program and this one are in, the other user gets there.
    chmod 711 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" && chmod 755 .
    [ ! -d "$BATS_RUN_TMPDIR/test" ] || chmod 711 "$BATS_RUN_TMPDIR/test"
    cp "$IMFILTER" "$BATS_TEST_TMPDIR/imfilter"
    IMFILTER=$BATS_TEST_TMPDIR/imfilter
    "${unprivileged[@]}" "$IMFILTER" --version >/dev/null && "${unprivileged[@]}" test -r .
}

# A shared object under which calls that change files fail; see there.
need_faults() {
    FAULTS=$BATS_RUN_TMPDIR/file_calls.so
    [ -e "$FAULTS" ] ||
        { ${CC:-cc} -shared -fPIC -o "$FAULTS.$$" "$BATS_TEST_DIRNAME/faults/file_calls.c" -ldl &&
            mv "$FAULTS.$$" "$FAULTS"; }
}

# Unconfined: the layer writes its log and runs commands.
faulty() { # NAME=VALUE... -- OPTION...
    local settings=()
    while [ "$1" != -- ]; do
        settings+=("$1")
        shift
    done
    shift
    run --separate-stderr env IMFILTER_SANDBOX=0 FAULT_BELOW="$(pwd -P)" "${settings[@]}" LD_PRELOAD="$FAULTS" \
        ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$IMFILTER" "$@"
}

need_opencl() {
    ! "$IMFILTER" --version | grep -q '^built without: .*OpenCL' || skip "it was built without OpenCL"
}

# What the shell's python3 does not have the system's may.
need_python() { # MODULE...
    local all
    all=$(IFS=,; echo "$*")
    python3 -c "import $all" 2>/dev/null || PATH=/usr/bin:$PATH
    python3 -c "import $all" 2>/dev/null || skip "$all is what it is compared with"
}

# A program for a device takes up to a second to compile: of a claim's cases these backends do one or two always, and
# the others with THOROUGH.
direct=${THOROUGH:+direct} separable=${THOROUGH:+separable} fft=${THOROUGH:+fft}

need_thorough() {
    [ -n "${THOROUGH:-}" ] || skip "takes long (THOROUGH=1 runs it)"
}

need_pocl() {
    "$IMFILTER" --list-devices | grep -qi 'portable computing language' ||
        skip "PoCL's variables are what makes the device"
}

make_ppm() { # FILE: 3x2 RGB
    printf 'P3\n3 2\n255\n1 2 3  4 5 6  7 8 9\n10 20 30  40 50 60  70 80 255\n' >"$1"
}

make_pgm() { # FILE: 4x3 gray
    printf 'P2\n4 3\n255\n0 10 20 30\n40 50 60 70\n80 90 100 255\n' >"$1"
}

make_flat() { # FILE WIDTH HEIGHT: black gray image of any size
    { printf 'P5\n%d %d\n255\n' "$2" "$3" && head -c $(($2 * $3)) /dev/zero; } >"$1"
}

make_png() { # FILE
    make_ppm .make.ppm && imf -f kernel:1 .make.ppm -o "$1" --format=png && rm .make.ppm
}

make_jpeg() { # FILE
    make_ppm .make.ppm && imf -f kernel:1 .make.ppm -o "$1" --format=jpeg && rm .make.ppm
}

# The 8-bit samples of an image, as decimals in one line.
samples() { # FILE
    imf -q -f kernel:1 --depth=8 --format=pnm -o - -- "$1" | tail -n +4 | od -An -v -tu1 | tr -s ' \n' ' ' |
        sed 's/^ //; s/ $//'
}

file_kind() { # FILE: its format by its first bytes
    case $(head -c 2 "$1" | od -An -tx1 | tr -d ' ') in
    8950) echo png ;;
    ffd8) echo jpeg ;;
    4949 | 4d4d) echo tiff ;;
    5249) echo webp ;;
    50*) echo pnm ;;
    *) echo unknown ;;
    esac
}

# What a file of no known format is told.
unknown() {
    echo "not a $(imf --version | sed -n 's/^formats: //p' |
        sed 's/png/PNG/; s/jpeg/JPEG/; s/pnm/PNM/; s/tiff/TIFF/; s/webp/WebP/; s/avif, heif (only read)/HEIF, avif/; s/avif/AVIF/; s/heif (only read)/HEIF/; s/\(.*\), /\1 or /') image"
}

# No temporary file is left anywhere below the test's directory.
no_temporaries() {
    local found
    found=$(find . -name '.*.??????' ! -name .)
    [ -z "$found" ] || { echo "left behind: $found"; return 1; }
}

# Standard error is one line, "imfilter: ..." with TEXT in it.
one_line() { # TEXT
    echo "stderr: $stderr"
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ ${stderr_lines[0]} == "imfilter: "* ]]
    [[ ${stderr_lines[0]} == *"$1"* ]]
}

# Wait for a file that matches PATTERN in DIR, for at most thirty seconds.
wait_for() { # DIR PATTERN
    local i
    for i in $(seq 1500); do
        [ -z "$(find "$1" -name "$2" 2>/dev/null)" ] || return 0
        sleep 0.02
    done
    return 1
}

# Each line of standard input is one JSON value; prints EXPRESSION of each, where o is the object.
# The most memory that a command takes at once.
peak() { # COMMAND...: MiB
    python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$@"
}

json() { # EXPRESSION
    python3 -c '
import json, sys
for line in sys.stdin.buffer.read().decode("utf-8").splitlines():
    o = json.loads(line)
    print(eval(sys.argv[1]))' "$1"
}
