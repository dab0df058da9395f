#!/bin/sh
# run.sh - imfilter beside what a user would pick instead, in one run
#
#   BUILD=build WIDTH=4000 HEIGHT=3000 REPEATS=9 sh test/bench/run.sh
#
# Writes $BUILD/bench/table.md and, with gnuplot, $BUILD/bench/kernel-size.svg. For each filter the
# peers and imfilter run one after the other, so that the ratio holds on a machine that is shared.
# OpenCV and imfilter are timed in process, pixels in memory; vips and gm as whole processes, PPM to
# PPM. A peer that is not installed is left out.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
WIDTH=${WIDTH:-4000}
HEIGHT=${HEIGHT:-3000}
REPEATS=${REPEATS:-9}
DEVICE=${DEVICE:-auto}
dir=$BUILD/bench
imfilter=$BUILD/imfilter
mkdir -p "$dir"

"$dir/picture" "$WIDTH" "$HEIGHT" > "$dir/picture.ppm"
"$dir/picture" "$WIDTH" "$HEIGHT" 16 > "$dir/picture16.ppm"
[ -x "$dir/opencv" ] || echo "OpenCV is left out (libopencv-dev is not installed)"
for peer in vips gm; do
    command -v $peer >/dev/null 2>&1 || echo "$peer is left out (not installed)"
done

# An unstructured N x N kernel, the same as opencv.cc's: integer taps plus OFFSET, over 16.
custom() { # N OFFSET
    awk -v n="$1" -v o="$2" 'BEGIN { for (i = 0; i < n * n; i++)
        printf "%s%g", i == 0 ? "kernel:" : i % n ? "," : "/", (i * 7) % 11 - 5 + o; print ":scale=16" }'
}

# Median and minimum compute milliseconds, backend and algorithm of imfilter, as words.
ours() { # BACKEND SPEC FILE
    "$imfilter" --bench="$REPEATS" --json --device="$DEVICE" --backend="$1" -f "$2" "$3" 2>/dev/null |
        sed -n 's/.*"backend":"\([^"]*\)".*"algorithm":"\([^"]*\)".*"compute_min_ms":\([0-9.]*\).*"compute_median_ms":\([0-9.]*\).*/\4 \3 \1 \2/p'
}

# Milliseconds of a whole process, the best of three.
process() {
    best=
    for _ in 1 2 3; do
        begin=$(date +%s%N)
        "$@" >/dev/null 2>&1 || { echo -; return; }
        took=$((($(date +%s%N) - begin) / 1000000))
        if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
    done
    echo "$best"
}

vips_ms() { # SPEC
    command -v vips >/dev/null 2>&1 || { echo -; return; }
    case $1 in
    sharpen)
        printf '3 3 1 0\n0 -1 0\n-1 5 -1\n0 -1 0\n' > "$dir/mask.mat"
        process vips conv "$dir/picture.ppm" "$dir/peer.ppm" "$dir/mask.mat" --precision integer ;;
    disk:50 | disk:100) echo - ;; # minutes
    disk:*)
        awk -v r="${1#disk:}" 'BEGIN { n = 2 * r + 1
            for (y = -r; y <= r; y++) for (x = -r; x <= r; x++) s += x * x + y * y <= r * r
            print n, n, s, 0
            for (y = -r; y <= r; y++) { for (x = -r; x <= r; x++)
                printf "%d ", x * x + y * y <= r * r; print "" } }' > "$dir/mask.mat"
        process vips conv "$dir/picture.ppm" "$dir/peer.ppm" "$dir/mask.mat" --precision integer ;;
    blur:*) process vips gaussblur "$dir/picture.ppm" "$dir/peer.ppm" "${1#blur:}" ;;
    sobel) process vips sobel "$dir/picture.ppm" "$dir/peer.ppm" ;;
    *) echo - ;;
    esac
}

gm_ms() { # SPEC
    command -v gm >/dev/null 2>&1 || { echo -; return; }
    case $1 in
    sharpen) process gm convert "$dir/picture.ppm" -convolve 0,-1,0,-1,5,-1,0,-1,0 "$dir/peer.ppm" ;;
    blur:*) process gm convert "$dir/picture.ppm" -blur "0x${1#blur:}" "$dir/peer.ppm" ;;
    *) echo - ;;
    esac
}

opencv_ms() { # SPEC
    if [ -x "$dir/opencv" ]; then
        "$dir/opencv" "$dir/picture.ppm" "$REPEATS" "$1" | awk '{ print $3 }'
    else
        echo -
    fi
}

table=$dir/table.md
{
    echo "imfilter $("$imfilter" --version | sed -n '1s/.* //p') on $(uname -m), ${WIDTH}x$HEIGHT RGB, 8 bit," \
        "medians of $REPEATS, milliseconds"
    echo
    echo '| filter | imfilter | OpenCV | ratio | chosen | vips, process | gm, process | imfilter, process |'
    echo '|---|---|---|---|---|---|---|---|'
} > "$table"
cat "$table"

row() { # SPEC [BACKEND]
    spec=$1
    case $spec in
    custom:*) filter=$(custom "${spec#custom:}" 0) ;;
    real:*) filter=$(custom "${spec#real:}" 0.3) ;;
    alltaps:*) filter=blur:${spec#alltaps:} ;; # OpenCV with as many taps, where it takes fewer
    copy) filter=kernel:1 ;;
    *) filter=$spec ;;
    esac
    peer=$(opencv_ms "$spec")
    # shellcheck disable=SC2046 # words
    set -- $(ours "${2:-auto}" "$filter" "$dir/picture.ppm")
    median=${1:--}
    shift 3 || :
    ratio=$(awk -v a="$median" -v b="$peer" 'BEGIN { if (a + 0 && b + 0) printf "%.2f", a / b; else print "-" }')
    whole=$(process "$imfilter" -q -f "$filter" "$dir/picture.ppm" -o "$dir/ours.ppm")
    echo "| $spec | $median | $peer | $ratio | $* | $(vips_ms "$spec") | $(gm_ms "$spec") | $whole |" |
        tee -a "$table"
}

for spec in ${SPECS:-copy sharpen custom:5 custom:7 custom:9 real:5 real:7 real:9 disk:2 disk:3 disk:4 disk:5 disk:7 disk:15 \
    disk:31 disk:50 disk:100 blur:2 alltaps:2 blur:5 alltaps:5 blur:20 \
    blur:50 box:9 sobel}; do
    row "$spec"
done

{
    echo
    echo '| 16 bit | imfilter | times the 8-bit time |'
    echo '|---|---|---|'
    for spec in sharpen disk:3 disk:5 blur:2 sobel disk:15; do
        # shellcheck disable=SC2046 # words
        set -- $(ours auto "$spec" "$dir/picture.ppm") -
        eight=$1
        # shellcheck disable=SC2046 # words
        set -- $(ours auto "$spec" "$dir/picture16.ppm") -
        echo "| $spec | $1 | $(awk -v a="$1" -v b="$eight" 'BEGIN { printf "%.2f", a / b }') |"
    done
} | tee -a "$table"

# Time over kernel size, each backend and OpenCV.
curve=$dir/kernel-size.dat
echo '# size direct fft auto opencv' > "$curve"
for radius in ${RADII:-1 2 3 5 7 10 15 22 31 50 75 100}; do
    direct=nan
    if [ "$radius" -le 15 ]; then
        direct=$(ours direct "disk:$radius" "$dir/picture.ppm" | cut -d' ' -f1)
    fi
    fft=$(ours fft "disk:$radius" "$dir/picture.ppm" | cut -d' ' -f1)
    auto=$(ours auto "disk:$radius" "$dir/picture.ppm" | cut -d' ' -f1)
    peer=$(opencv_ms "disk:$radius" | sed 's/^-$/nan/')
    echo "$((2 * radius + 1)) ${direct:-nan} ${fft:-nan} ${auto:-nan} $peer" >> "$curve"
done
if command -v gnuplot >/dev/null 2>&1; then
    gnuplot <<EOF
set terminal svg size 800,500 font 'sans,13' background 'white'
set output '$dir/kernel-size.svg'
set logscale xy
set xlabel 'kernel width (disk), pixels'
set ylabel 'milliseconds, ${WIDTH}x$HEIGHT RGB'
set xtics (3, 5, 7, 11, 15, 21, 31, 45, 63, 101, 151, 201)
set grid
set key top left
plot '$curve' using 1:5 with linespoints lw 2 title 'OpenCV filter2D', \
     '$curve' using 1:2 with linespoints lw 2 title 'imfilter direct', \
     '$curve' using 1:3 with linespoints lw 2 title 'imfilter FFT', \
     '$curve' using 1:4 with lines lw 3 dt 2 title 'imfilter, as planned'
EOF
    echo "chart: $dir/kernel-size.svg"
else
    echo "no chart (gnuplot is not installed); its numbers: $curve"
fi
echo "table: $table"
