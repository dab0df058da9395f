#!/bin/sh
# fft.sh - the library's transforms beside FFTW, clFFT and VkFFT, in one run
#
#   BUILD=build REPEATS=11 MEGABYTES=64 sh test/bench/fft.sh
#
# Writes $BUILD/bench/fft.md and, with gnuplot, $BUILD/bench/fft.svg: time over length, by the radices
# that stages may have. For each shape all peers run one after the other, so that ratios hold on a
# machine that is shared; complex transforms, batched to MEGABYTES, forward, medians. FFTW has two
# threads and measured plans; the others run on the library's device. A peer that is not installed
# is left out. Then convolutions of a WIDTH x HEIGHT picture beside what FFTW takes for the
# transforms of the same tiles.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
REPEATS=${REPEATS:-11}
MEGABYTES=${MEGABYTES:-64}
WIDTH=${WIDTH:-4000}
HEIGHT=${HEIGHT:-3000}
dir=$BUILD/bench
table=$dir/fft.md
values=$((MEGABYTES * 1048576 / 8))

peers=fft
for peer in fft_fftw fft_clfft fft_vkfft; do
    if [ -x "$dir/$peer" ] && "$dir/$peer" 8 1 8 1 >/dev/null 2>&1; then
        peers="$peers $peer"
    else
        echo "${peer#fft_} is left out (not installed, or it does not run here)"
    fi
done

# Cells of a table: milliseconds, GFLOP/s, error, and how many times the library's time that is.
row() { # NX NY
    batch=$((values / $1 / $2))
    [ "$batch" -gt 0 ] || batch=1
    line="| $1$([ "$2" -eq 1 ] || echo "x$2") | $batch"
    own=
    for peer in $peers; do
        # shellcheck disable=SC2046 # words
        set -- "$1" "$2" $("$dir/$peer" "$1" "$2" "$batch" "$REPEATS" 2>/dev/null || echo - - -)
        own=${own:-$3}
        ratio=$(awk -v a="$3" -v b="$own" 'BEGIN { if (a + 0 && b + 0) printf "%.2f", a / b; else print "-" }')
        line="$line | $3 | $4 | $5"
        [ "$peer" = fft ] || line="$line | $ratio"
    done
    echo "$line |" | tee -a "$table"
}

head='| values | batch'
rule='|---|---'
for peer in $peers; do
    name=${peer#fft_}
    [ "$name" != fft ] || name=imfilter
    head="$head | $name ms | GFLOP/s | error"
    rule="$rule|---|---|---"
    [ "$peer" = fft ] || { head="$head | times ours"; rule="$rule|---"; }
done
{
    echo "Complex float32 transforms, forward, $MEGABYTES MB a batch, medians of $REPEATS; GFLOP/s by 5 N log2 N," \
        "error: relative L2 in eps sqrt(log2 N), eps = 2^-24."
    echo
    echo "$head |"
    echo "$rule|"
} > "$table"
cat "$table"
for n in ${SIZES:-128 256 512 1024}; do
    row "$n" "$n"
done
row 120 120
row 640 480
row 1000 750
for n in ${LENGTHS:-64 100 256 360 1000 1024 4096 10000 65536 1048576}; do
    row "$n" 1
done

# A convolution beside its bound: the tiles that the planner chose, transformed forward and back by
# FFTW, and nothing else. Tiles come in pairs, one below the other.
bound() { # RADIUS
    # shellcheck disable=SC2046 # words
    set -- "$1" $("$BUILD/imfilter" --bench="$REPEATS" --json --backend=fft -f "disk:$1" "$dir/picture.ppm" |
        sed -n 's/.*"algorithm":"fft tiles \([0-9]*\)x\([0-9]*\).*"compute_median_ms":\([0-9.]*\).*/\1 \2 \3/p')
    [ $# -eq 4 ] || return 0 # a device with other tiles
    across=$(((WIDTH - 1) / ($2 - 2 * $1) + 1)) down=$(((HEIGHT - 1) / ($3 - 2 * $1) + 1))
    pairs=$(((down + 1) / 2))
    count=$((across * pairs * 3))
    # shellcheck disable=SC2046 # words
    set -- "$@" $("$dir/fft_bound" "$2" "$3" "$count" "$REPEATS")
    echo "| disk:$1 | $2x$3 | $count | $4 | $5 | $(awk -v a="$4" -v b="$5" 'BEGIN { printf "%.2f", a / b }') |"
}
if [ -x "$dir/fft_bound" ]; then
    [ -s "$dir/picture.ppm" ] || "$dir/picture" "$WIDTH" "$HEIGHT" > "$dir/picture.ppm"
    {
        echo
        echo "| ${WIDTH}x$HEIGHT RGB | tiles | pairs | imfilter | FFTW, transforms alone | ratio |"
        echo '|---|---|---|---|---|---|'
        for radius in 15 31 50; do
            bound "$radius"
        done
    } | tee -a "$table"
fi

# Microseconds of one transform of N values by the radices allowed.
micro() { # N PROGRAM [RADICES]
    batch=$((1048576 / $1))
    n=$1 program=$2
    shift 2
    ms=$("$dir/$program" "$n" 1 "$batch" "$REPEATS" "$@" 2>/dev/null | cut -d' ' -f1)
    awk -v ms="${ms:-nan}" -v b="$batch" 'BEGIN { if (ms + 0) print ms * 1000 / b; else print "nan" }'
}
data=$dir/fft.dat
echo '# length all 2 2,4 2,4,8 FFTW' > "$data"
for n in ${CHART:-16 32 48 64 80 100 128 160 200 256 300 360 400 512 600 640 720 800 1000 1024 1260 1500 1680 2048 \
    2500 3000 3600 4096 5000 6000 7000 8192}; do
    two=nan four=nan eight=nan
    if [ $((n & (n - 1))) -eq 0 ]; then
        two=$(micro "$n" fft 4)
        four=$(micro "$n" fft 20)
        eight=$(micro "$n" fft 276)
    fi
    peer=nan
    case $peers in *fftw*) peer=$(micro "$n" fft_fftw) ;; esac
    echo "$n $(micro "$n" fft) $two $four $eight $peer" >> "$data"
done
if command -v gnuplot >/dev/null 2>&1; then
    gnuplot <<EOF
set terminal svg size 800,500 font 'sans,13' background 'white'
set output '$dir/fft.svg'
set logscale xy 2
set format y '%g'
set xlabel 'length'
set ylabel 'microseconds a transform, batched to 8 MB'
set xtics (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
set grid
set key top left
set datafile missing 'nan'
plot '$data' using 1:(\$3) with linespoints lw 2 title 'radix 2 only', \
     '$data' using 1:(\$4) with linespoints lw 2 title 'radices 2, 4', \
     '$data' using 1:(\$5) with linespoints lw 2 title 'radices 2, 4, 8', \
     '$data' using 1:2 with linespoints lw 3 title 'mixed: 2, 3, 4, 5, 7, 8, 16', \
     '$data' using 1:6 with points pt 6 title 'FFTW'
EOF
    echo "chart: $dir/fft.svg"
else
    echo "no chart (gnuplot is not installed); its numbers: $data"
fi
echo "table: $table"
