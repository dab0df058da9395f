#!/bin/sh
# timeline.sh - where the time of an image goes: stages over time, and a driver's share by resolution
#
#   BUILD=build [PHOTO=photo.jpg] [SPECS='sharpen disk:31'] [DEVICE=cpu] [REPEATS=20] sh test/bench/timeline.sh
#
# Draws $BUILD/bench/timeline-SPEC.png for one photo (timeline.c; drawn by photo.c, 12 megapixels, unless PHOTO
# says one). Then filters 64x64 to 24 megapixels by OpenCL and writes $BUILD/bench/overhead.md and, with
# gnuplot, overhead.svg: which part of the time computes, and which goes to the driver, in a process that
# filters one image and in one that filters many; and buffers.svg: preparing buffers alone.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
DEVICE=${DEVICE:-cpu}
REPEATS=${REPEATS:-20}
PHOTO=${PHOTO:-}
dir=$BUILD/bench
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$(cd "$BUILD" && pwd)/cache}" POCL_WORK_GROUP_SPECIALIZATION=0
mkdir -p "$XDG_CACHE_HOME"
work=$(mktemp -d "${TMPDIR:-/var/tmp}/imfilter-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

if [ -z "$PHOTO" ]; then
    PHOTO=$work/photo.jpg
    "$dir/photo" 4000 3000 > "$work/photo.ppm"
    "$BUILD/imfilter" -q -f kernel:1 --quality=90 --subsampling=420 "$work/photo.ppm" -o "$PHOTO"
fi
for spec in ${SPECS:-sharpen disk:31}; do
    chart=$dir/timeline-$(echo "$spec" | tr -c 'a-z0-9\n' '-').png
    # Kernels come from the cache the second time.
    "$dir/timeline" "$chart" "$spec" "$PHOTO" "$work/out.${PHOTO##*.}" > /dev/null
    "$dir/timeline" "$chart" "$spec" "$PHOTO" "$work/out.${PHOTO##*.}"
    echo "chart: $chart"
done

# Milliseconds: set-up of a process whose kernels are in the cache; medians of the rest.
measure() { # WIDTH HEIGHT
    "$dir/photo" "$1" "$2" > "$work/in.ppm"
    for _ in 1 2; do
        "$BUILD/imfilter" -q --bench="$REPEATS" --json --device="$DEVICE" --backend=direct -f sharpen "$work/in.ppm" |
            sed -n 's/.*"setup_ms":\([0-9.]*\).*"compute_median_ms":\([0-9.]*\),"upload_median_ms":\([0-9.]*\),"download_median_ms":\([0-9.]*\).*/\1 \3 \2 \4/p'
    done | tail -n 1
}

data=$dir/overhead.dat
table=$dir/overhead.md
echo '# size megapixels setup upload compute download' > "$data"
for size in ${SIZES:-64x64 128x128 256x256 512x512 1024x768 1600x1200 2560x1920 4000x3000 6000x4000}; do
    took=$(measure "${size%x*}" "${size#*x}")
    echo "$size $(echo "$size" | awk -Fx '{ print $1 * $2 / 1e6 }') $took" >> "$data"
done
{
    echo "imfilter $("$BUILD/imfilter" --version | sed -n '1s/.* //p'), sharpen, RGB, 8 bits, OpenCL, device $DEVICE, ms"
    echo
    echo '| size | set-up | upload | compute | download | computes, one image | computes, of many |'
    echo '|---|---|---|---|---|---|---|'
    awk '!/^#/ { printf "| %s | %s | %s | %s | %s | %.1f %% | %.1f %% |\n", $1, $3, $4, $5, $6,
        100 * $5 / ($3 + $4 + $5 + $6), 100 * $5 / ($4 + $5 + $6) }' "$data"
} | tee "$table"
if command -v gnuplot >/dev/null 2>&1; then
    gnuplot <<GNUPLOT
set terminal svg size 1000,450 font 'sans,13' background 'white'
set style data histograms
set style histogram rowstacked
set style fill solid border -1
set boxwidth 0.7
set yrange [0:100]
set ylabel 'share of the time, %'
set xtics rotate by -40
set key below
set output '$dir/overhead.svg'
set multiplot layout 1,2
set title 'one image a process'
total(a, b, c, d) = (a + b + c + d) / 100
plot '$data' using (\$5 / total(\$3, \$4, \$5, \$6)):xtic(1) title 'compute' lc rgb '#1f5fa8', \
     '' using ((\$4 + \$6) / total(\$3, \$4, \$5, \$6)) title 'buffers' lc rgb '#d95f0e', \
     '' using (\$3 / total(\$3, \$4, \$5, \$6)) title 'set-up' lc rgb '#d0d0d0'
set title 'one of many images'
plot '$data' using (\$5 / total(0, \$4, \$5, \$6)):xtic(1) title 'compute' lc rgb '#1f5fa8', \
     '' using ((\$4 + \$6) / total(0, \$4, \$5, \$6)) title 'buffers' lc rgb '#d95f0e'
unset multiplot
set output '$dir/buffers.svg'
unset title
set style data linespoints
set autoscale y
set logscale xy
set ylabel 'ms'
set xlabel 'megapixels'
set xtics auto norotate
set format x '%g'
set format y '%g'
set grid
plot '$data' using 2:4 lw 2 title 'upload: mapping, copying, unmapping', '' using 2:6 lw 2 title 'download: mapping', \
     '' using 2:5 lw 2 title 'compute: launching, running, waiting'
GNUPLOT
    echo "charts: $dir/overhead.svg, $dir/buffers.svg"
else
    echo "no chart of overhead (gnuplot is not installed); its numbers: $data"
fi
echo "table: $table"
