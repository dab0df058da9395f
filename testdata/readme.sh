#!/bin/sh
# readme.sh - make the pictures of README.md here by the commands beside them: testdata/readme.sh
#
# A command that writes `-o sharp.jpg` makes readme-sharp.jpg. The chart is a measurement instead:
# make bench-crossover CHART=testdata/readme-crossover.png
set -eu
cd "$(dirname "$0")/.."
IMFILTER=$(realpath "${IMFILTER:-build/imfilter}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$IMFILTER" -f disk:5 testdata/still.jpg -o testdata/soft.jpg
cp testdata/still.jpg testdata/speckled.png testdata/grainy.jpg testdata/scan.png testdata/moire.jpg testdata/print.jpg testdata/soft.jpg "$work"

run() { # ARGUMENT...: as in testdata/README.md
    (cd "$work" && "$IMFILTER" "$@" </dev/null)
}

# The commands stand in table cells, and need no quoting.
grep '^|' testdata/README.md | grep -o "\`imfilter [^\`]*" | while read -r _ command; do
    # shellcheck disable=SC2086 # words
    run $command
    output=${command##* }
    cp "$work/$output" "testdata/readme-$output"
done

run -f notch:0.17:0.06:0.02 -f notch:0.05:-0.21:0.02 --spectrum=spectrum.png moire.jpg
run -f kernel:1 --quality=50 spectrum.png -o spectrum.jpg
cp "$work/spectrum.jpg" testdata/readme-spectrum.jpg
ls -l testdata/readme-*
