#!/bin/sh
# leaks.sh - ways through the program, good and bad, under a leak checker: $IMFILTER is built with one
#
# Each line is an exit status and arguments. The checker itself crashes now and then, once in some
# hundreds of runs, where a driver's threads are about: its status (99, as .ci/run has it) and nothing
# but its own crash in the reports $REPORTS.* says so, and the line is run again.
set -u
cd "$(dirname "$0")/.." || exit 1
# The sanitizer writes its reports beside the build, where a run in its sandbox may not.
export IMFILTER_SANDBOX=0
data=$PWD/testdata
IMFILTER=${IMFILTER:-build/imfilter}
case $IMFILTER in /*) ;; *) IMFILTER=$PWD/$IMFILTER ;; esac
REPORTS=${REPORTS:-/nonexistent/report}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1
passed=0
failed=0

checker_crashed() {
    cat "$REPORTS".* 2>/dev/null | grep -q 'LeakSanitizer has encountered a fatal error' &&
        ! cat "$REPORTS".* | grep -q -v -e 'AddressSanitizer failed to allocate' -e 'Tracer caught signal' \
            -e 'LeakSanitizer has encountered a fatal error' -e '==HINT: '
}

while read -r expected line; do
    case $expected in '' | '#'*) continue ;; esac
    cp "$data/still.jpg" "$data/text.png" "$data/alpha.png" .
    for attempt in 1 2 3 4; do
        # shellcheck disable=SC2086 # words
        (set -f && exec "$IMFILTER" -q $line) >out.txt 2>err.txt
        status=$?
        [ "$status" -eq 99 ] && [ "$attempt" -lt 4 ] && checker_crashed || break
        rm -f "$REPORTS".*
    done
    if [ "$status" -eq "$expected" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "leaks: $line: status $status, not $expected"
        tail -n 5 err.txt
    fi
done <<LINES
0 --version
0 --help
0 --list-devices
0 --list-filters
0 --list-parts
2 -f nosuch still.jpg -o o.png
2 -f kernel:1,2,x still.jpg -o o.png
1 -f sharpen nosuch.png -o o.png
0 -f sharpen still.jpg -o o.jpg
0 -f sharpen still.jpg -o o.png --backend=cpu
0 -f sharpen -i.bak still.jpg
0 -f blur:3 -f sobel text.png -o o.pgm
0 -f disk:20 --backend=fft still.jpg -o o.png --timing
0 -f disk:20 --backend=direct still.jpg -o o.png
0 -f blur:4 --backend=separable --verify still.jpg -o o.ppm
0 -f highpass:0.05 still.jpg -o o.png --explain
0 -f lowpass:0.1 --edge=wrap text.png -o o.png
0 -f sobel -f threshold:0.2 --backend=fft --verify text.png -o o.png
0 -f blur:2 --linear --alpha=premultiply --json alpha.png -o o.png
0 -f box:4 --range=normalize alpha.png -o o.png
0 -f unsharp --depth=16 --orient=apply still.jpg -o o.png
0 -f invert --format=pam alpha.png -o -
0 -f sharpen --optimize --subsampling=420 --strip still.jpg -o o.jpg
0 -f sharpen --max-memory=60M still.jpg -o o.jpg
1 -f sharpen --max-pixels=10 still.jpg -o o.jpg
1 -f sharpen $data/damaged/cut.png -o o.png
0 -f sharpen --lenient $data/damaged/cut.png -o o.png
1 -f sharpen $data/damaged/cut.jpg -o o.png
0 -f sharpen --lenient $data/damaged/cut.jpg -o o.png
0 -f sharpen --suffix=-s still.jpg text.png alpha.png
1 -f sharpen -r $data/types -o out/
0 -f disk:7 --show-kernel=k.png
0 -f unsharp:threshold=0.1 --show-kernel=k.pfm
0 -f kernel:@k.pfm -f median:@$data/foreign/png-gray1.png text.png -o o.png
2 -f kernel:@$data/alpha.png text.png -o o.png
2 -f kernel:@$data/foreign/orient-1.png text.png -o o.png
0 -f blur:2 -f highpass:0.1 --show-kernel
0 --spectrum=s.png still.jpg
0 -f $data/../filters/scharr.flt text.png -o o.png
LINES
echo "leaks: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
