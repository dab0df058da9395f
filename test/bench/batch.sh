#!/bin/sh
# batch.sh - many images in one process: time beside one at a time, sharp, and vips under parallel; memory
#
#   BUILD=build ROUNDS=3 [PHOTOS=200] [TINY=10000] [LARGE=20] sh test/bench/batch.sh
#
# Writes $BUILD/bench/batch.md. PHOTOS JPEGs of 2 megapixels are blurred with sigma 2, TINY PNGs of 64x64
# with sigma 1, LARGE JPEGs of 24 megapixels with sigma 2; 0 leaves a row out. Who is compared runs in
# turns, ROUNDS times, the page cache warm, each into a new directory; medians of seconds and of
# CPU-seconds, and the peak of memory. sharp (where NODE_PATH finds it) is timed inside a warm process
# with as many images at once as there are cores; vips takes integers, and parallel starts a process for
# each image. It needs GNU time.
set -eu

# Called by itself below, to be timed: each filters all of a directory into another.
if [ "${1:-}" = --run ]; then
    who=$2 imfilter=$3 sigma=$4 in=$5 out=$6
    case $who in
    all) exec "$imfilter" -q -f "blur:$sigma" -r "$in" -o "$out" ;;
    one) exec "$imfilter" -q -f "blur:$sigma" -j1 -r "$in" -o "$out" ;;
    vips)
        find "$in" -type f |
            parallel -j"$(nproc)" vips gaussblur {} "$out/{/}[Q=90]" "$sigma" --precision integer
        exit ;;
    esac
fi

cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
ROUNDS=${ROUNDS:-3}
PHOTOS=${PHOTOS:-200}
TINY=${TINY:-10000}
LARGE=${LARGE:-20}
dir=$BUILD/bench
imfilter=$BUILD/imfilter
table=$dir/batch.md
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$(cd "$BUILD" && pwd)/cache}"
cores=$(nproc)
time=$(command -v time) && [ -x "$time" ] || time=/usr/bin/time
[ -x "$time" ] || { echo "batch.sh: needs GNU time" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/var/tmp}/imfilter-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

sharp=
if command -v node >/dev/null 2>&1 && node -e 'require("sharp")' 2>/dev/null; then sharp=1; fi
vips=
if command -v vips >/dev/null 2>&1 && command -v parallel >/dev/null 2>&1; then vips=1; fi

inputs() { # NAME WIDTH HEIGHT EXTENSION COUNT: ten pictures, and links to them
    mkdir "$work/$1"
    i=0
    while [ $i -lt "$5" ]; do
        if [ $i -lt 10 ]; then
            "$dir/photo" "$2" "$3" |
                "$imfilter" -q -f "kernel:1:bias=0.0$i" --quality=90 --format="$4" - -o - > "$work/$1/$i.$4"
        else
            ln "$work/$1/$((i % 10)).$4" "$work/$1/$i.$4"
        fi
        i=$((i + 1))
    done
}

median() { # < numbers
    sort -n | awk '{ v[NR] = $1 } END { printf "%.3f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

measured() { # WHO: a line "seconds CPU-seconds KB" to $work/WHO.times
    # What was just deleted would slow down what is written next, on ext4.
    out=$work/out.$round.$1
    mkdir "$out"
    case $1 in
    sharp) # its own time
        set -- sharp "$(find "$in" -type f -exec node test/bench/sharp_batch.cjs "$cores" "$sigma" "$out" {} +)"
        echo "$2" | awk '{ printf "%.3f - -\n", $1 / 1000 }' >> "$work/sharp.times"
        ;;
    *)
        "$time" -f '%e %U %S %M' -o "$work/time" \
            sh test/bench/batch.sh --run "$1" "$imfilter" "$sigma" "$in" "$out"
        awk 'END { printf "%.3f %.3f %d\n", $1, $2 + $3, $4 }' "$work/time" >> "$work/$1.times"
        ;;
    esac
}

# sharp's, its own time, has neither.
row() { # TITLE SIGMA DIRECTORY COUNT WHO...
    title=$1 sigma=$2 in=$work/$3 count=$4
    shift 4
    rm -f "$work"/*.times
    round=0
    while [ $round -lt "$ROUNDS" ]; do
        for who; do measured "$who"; done
        round=$((round + 1))
    done
    rm -rf "$work"/out.*
    for who; do
        s=$(cut -d' ' -f1 "$work/$who.times" | median)
        c=$(cut -d' ' -f2 "$work/$who.times" | median)
        m=$(cut -d' ' -f3 "$work/$who.times" | median)
        [ "$who" != sharp ] || c=0 m=0
        echo "$s $c $m" | awk -v t="$title" -v w="$who" -v n="$count" \
            '{ printf "| %s | %s | %.2f | %s | %.3f | %s |\n", t, w, $1, $2 + 0 ? sprintf("%.2f", $2) : "-", 1000 * $1 / n,
               $3 + 0 ? sprintf("%.0f", $3 / 1000) : "-" }' | tee -a "$table"
    done
}

echo '| work | by | s | CPU s | ms an image | peak MB |' > "$table"
echo '|---|---|---|---|---|---|' >> "$table"
if [ "$PHOTOS" -gt 0 ]; then
    inputs photos 1632 1224 jpg "$PHOTOS"
    # shellcheck disable=SC2046 # words
    row "$PHOTOS JPEGs of 2 MP, blur:2" 2 photos "$PHOTOS" all one $([ -z "$sharp" ] || echo sharp) $([ -z "$vips" ] || echo vips)
fi
if [ "$TINY" -gt 0 ]; then
    inputs tiny 64 64 png "$TINY"
    row "$TINY PNGs of 64x64, blur:1" 1 tiny "$TINY" all one
fi
if [ "$LARGE" -gt 0 ]; then
    inputs large 6000 4000 jpg "$LARGE"
    row "$LARGE JPEGs of 24 MP, blur:2" 2 large "$LARGE" all
fi
