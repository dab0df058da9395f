#!/bin/sh
# files.sh - whole processes, file to file: time, CPU seconds, memory and sizes beside vips and sharp
#
#   BUILD=build ROUNDS=7 [PHOTO=photo.jpg] [BASE=older/imfilter] [ONLY='jpeg12 sharpen'] [FEW=1] sh test/bench/files.sh
#
# Writes $BUILD/bench/files.md. Who is compared runs in turns, ROUNDS times, the page cache warm, so that
# ratios hold on a machine that is shared; medians. hyperfine times, and GNU time asks for the peak of
# memory. vips takes integers (--precision integer); sharp is timed inside a process that is warm, by
# itself, with as many threads as there are cores (NODE_PATH says where it is: npm install sharp).
# BASE is an imfilter to compare CPU seconds with. A peer that is not installed is left out. FEW=1 leaves
# out what takes minutes: vips' disk:31, and 400 megapixels.
#
# The picture is photo.c's; PHOTO is brought to the same sizes.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
ROUNDS=${ROUNDS:-7}
PHOTO=${PHOTO:-}
BASE=${BASE:-}
ONLY=${ONLY:-}
FEW=${FEW:-}
dir=$BUILD/bench
imfilter=$BUILD/imfilter
table=$dir/files.md
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$(cd "$BUILD" && pwd)/cache}"
mkdir -p "$XDG_CACHE_HOME"

command -v hyperfine >/dev/null 2>&1 || { echo "files.sh: needs hyperfine" >&2; exit 1; }
time=$(command -v time) && [ -x "$time" ] || time=/usr/bin/time
[ -x "$time" ] || { echo "files.sh: needs GNU time" >&2; exit 1; }
vips=$(command -v vips) || { vips=; echo "vips is left out (not installed)"; }
sharp=
if command -v node >/dev/null 2>&1 && node -e 'require("sharp")' 2>/dev/null; then
    sharp="node test/bench/sharp.cjs $(nproc)"
else
    echo "sharp is left out (not installed; NODE_PATH says where it is)"
fi

work=$(mktemp -d "${TMPDIR:-/var/tmp}/imfilter-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# ---- inputs ----------------------------------------------------------------------------------

pnm() { # WIDTH HEIGHT > FILE
    if [ -n "$PHOTO" ]; then
        vips thumbnail "$PHOTO" "$work/scaled.ppm" "$1" --height "$2" --size force
        cat "$work/scaled.ppm"
        rm "$work/scaled.ppm"
    else
        "$dir/photo" "$1" "$2"
    fi
}

# A JPEG of quality 90 with halved chroma, as cameras write, and a PNG of level 6, made by others where
# they are here, so that imfilter's own change of mind changes no input.
encode() { # PPM FILE
    case $2 in
    *.jpg)
        if command -v cjpeg >/dev/null 2>&1; then
            cjpeg -quality 90 -sample 2x2 "$1" > "$2"
        else
            "$imfilter" -q -f kernel:1 --quality=90 --subsampling=420 "$1" -o "$2"
        fi ;;
    *.png)
        if [ -n "$vips" ]; then
            vips copy "$1" "$2[compression=6,filter=all]"
        else
            "$imfilter" -q -f kernel:1 "$1" -o "$2"
        fi ;;
    esac
}

# Makes $work/NAME.EXT unless it is there.
input() { # NAME
    case $1 in
    png64) set -- "$1" 64 64 png ;;
    jpeg512) set -- "$1" 512 512 jpg ;;
    jpeg2) set -- "$1" 1600 1200 jpg ;;
    jpeg12) set -- "$1" 4000 3000 jpg ;;
    png12) set -- "$1" 4000 3000 png ;;
    ppm12) set -- "$1" 4000 3000 ppm ;;
    jpeg24) set -- "$1" 6000 4000 jpg ;;
    ppm400) set -- "$1" 20000 20000 ppm ;;
    esac
    in=$work/$1.$4
    [ ! -e "$in" ] || return 0
    if [ "$4" = ppm ]; then
        pnm "$2" "$3" > "$in"
    else
        pnm "$2" "$3" > "$work/drawn.ppm"
        encode "$work/drawn.ppm" "$in"
        rm "$work/drawn.ppm"
    fi
}

# ---- measuring -------------------------------------------------------------------------------

median() { # < numbers
    sort -n | awk '{ v[NR] = $1 } END { if (NR) printf "%.6g\n", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2; else print "-" }'
}

# One run of a command: "milliseconds CPU-seconds", or nothing where it fails.
once() { # COMMAND
    hyperfine -N --runs 1 --style none --export-csv "$work/run.csv" "$1" >/dev/null 2>&1 || return 0
    awk -F, 'END { printf "%.2f %.4f\n", 1000 * $(NF - 4), $(NF - 3) + $(NF - 2) }' "$work/run.csv"
}

peak_mb() { # COMMAND...
    "$time" -f %M -o "$work/peak" "$@" >/dev/null 2>&1 || { echo -; return; }
    awk 'END { printf "%.0f", $1 * 1024 / 1e6 }' "$work/peak"
}

over() { # A B FORMAT: A / B, or "-"
    awk -v a="$1" -v b="$2" -v f="$3" 'BEGIN { if (a + 0 && b + 0) printf f, a / b; else print "-" }'
}

megabytes() { # FILE
    if [ -s "$1" ]; then wc -c < "$1" | awk '{ printf "%.2f", $1 / 1e6 }'; else echo -; fi
}

vips_command() { # SPEC IN OUT: nothing where vips has no such filter
    # vips would leave the chroma whole from quality 90.
    case $3 in *.jpg) set -- "$1" "$2" "$3[Q=90,subsample_mode=on]" ;; esac
    case $1 in
    sharpen)
        printf '3 3 1 0\n0 -1 0\n-1 5 -1\n0 -1 0\n' > "$work/sharpen.mat"
        echo "$vips conv $2 $3 $work/sharpen.mat --precision integer" ;;
    disk:*)
        awk -v r="${1#disk:}" 'BEGIN { n = 2 * r + 1
            for (y = -r; y <= r; y++) for (x = -r; x <= r; x++) s += x * x + y * y <= r * r
            print n, n, s, 0
            for (y = -r; y <= r; y++) { for (x = -r; x <= r; x++)
                printf "%d ", x * x + y * y <= r * r; print "" } }' > "$work/disk.mat"
        echo "$vips conv $2 $3 $work/disk.mat --precision integer" ;;
    blur:*) echo "$vips gaussblur $2 $3 ${1#blur:} --precision integer" ;;
    esac
}

# What is compared in turns; results are left in files of $work: ours, base, vips, sharp.
turns() { # SPEC IN OUT-EXTENSION ROUNDS
    rm -f "$work"/*.times
    : > "$work/sharp.times"
    own="$imfilter -q -f $1 $2 -o $work/ours.$3"
    before=${BASE:+"$BASE -q -f $1 $2 -o $work/base.$3"}
    theirs=
    [ -z "$vips" ] || theirs=$(vips_command "$1" "$2" "$work/vips.$3")
    # Warms the cache of files and that of kernels. A disk takes vips half a minute: once is enough.
    once "$own" >/dev/null
    [ -z "$before" ] || once "$before" >/dev/null
    round=0
    while [ $round -lt "$4" ]; do
        round=$((round + 1))
        once "$own" >> "$work/ours.times"
        [ -z "$before" ] || once "$before" >> "$work/base.times"
        case $1:$FEW:$round in
        disk:*::1 | [!d]*) [ -z "$theirs" ] || once "$theirs" >> "$work/vips.times" ;;
        esac
        case $1:$3 in
        sharpen:ppm | disk:*) ;; # it reads no PNM and has no kernel of that size
        *) [ -z "$sharp" ] || $sharp 1 "$1" "$2" "$work/sharp.$3" >> "$work/sharp.times" ;;
        esac
    done
    touch "$work/base.times" "$work/vips.times"
}

# A target is what the ratio may be at most; "-" where there is none.
row() { # INPUT SPEC VIPS-TARGET SHARP-TARGET
    case " $ONLY " in *" $1 $2 "* | '  ') ;; *) return 0 ;; esac
    input "$1"
    turns "$2" "$in" "${in##*.}" "$ROUNDS"
    ms=$(cut -d' ' -f1 "$work/ours.times" | median)
    cpu=$(cut -d' ' -f2 "$work/ours.times" | median)
    base=$(cut -d' ' -f2 "$work/base.times" | median)
    vips_ms=$(cut -d' ' -f1 "$work/vips.times" | median)
    sharp_ms=$(median < "$work/sharp.times")
    ext=${in##*.}
    peak=$(peak_mb "$imfilter" -q -f "$2" "$in" -o "$work/ours.$ext")
    line="| $1 $2 | $(printf '%.1f' "$ms")"
    line="$line | $vips_ms | $(over "$ms" "$vips_ms" %.3f) | $3"
    line="$line | $sharp_ms | $(over "$ms" "$sharp_ms" %.2f) | $4"
    line="$line | $cpu | $base | $(over "$cpu" "$base" %.2f) | $peak"
    echo "$line | $(megabytes "$work/ours.$ext") | $(megabytes "$work/vips.$ext") | $(megabytes "$work/sharp.$ext") |" |
        tee -a "$table"
    rm -f "$work"/ours.* "$work"/base.* "$work"/vips.* "$work"/sharp.*
}

memory() { # INPUT SPEC TARGET-MB
    case " $ONLY " in *" $1 $2 "* | '  ') ;; *) return 0 ;; esac
    input "$1"
    out=$work/ours.${in##*.}
    set -- "$1" "$2" "$3" --max-pixels=1G -q -f "$2" "$in" -o "$out"
    spec=$2 name=$1 target=$3
    shift 3
    # Compiling kernels takes more than filtering: they are in the cache after the first run.
    seconds=$( { "$time" -f %e "$imfilter" "$@"; } 2>&1 >/dev/null | tail -n 1)
    peak=$(peak_mb "$imfilter" "$@")
    before=-
    [ -z "$BASE" ] || before=$(peak_mb "$BASE" "$@")
    echo "| $name $spec | $peak | $target | $before | $seconds |" | tee -a "$table"
    rm -f "$out"
}

[ -x "$dir/photo" ] || { echo "files.sh: no $dir/photo (make bench builds it)" >&2; exit 1; }
{
    echo "imfilter $("$imfilter" --version | sed -n '1s/.* //p') on $(uname -m), $(nproc) cores, whole processes," \
        "medians of $ROUNDS in turns; sharp: its own time, $(nproc) threads; targets are of the ratios"
    echo
    echo '| work | ms | vips ms | ratio | target | sharp ms | ratio | target | CPU s | CPU s before | ratio | peak MB | file MB | vips | sharp |'
    echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|'
} > "$table"
cat "$table"
row png64 sharpen - -
row jpeg512 sharpen - -
row jpeg2 sharpen 0.60 0.70
row jpeg12 sharpen 0.40 0.50
row jpeg12 blur:2 - 0.60
row jpeg12 blur:10 - 0.60
row jpeg12 disk:31 0.01 -
row png12 sharpen 0.25 0.40
row ppm12 sharpen 0.45 -
{
    echo
    echo '| memory | peak MB | at most | before | s |'
    echo '|---|---|---|---|---|'
} | tee -a "$table"
memory jpeg24 sharpen 120
memory ppm12 highpass:0.04 "$((4 * 36 + 100))"
if [ -z "$FEW" ]; then
    rm -f "$work"/*12.* "$work"/jpeg24.*
    memory ppm400 sharpen 160
    memory ppm400 disk:31 160
fi
echo "table: $table"
