#!/bin/sh
# huge.sh - images of 400 megapixels: no seams, bounded memory
#
#   BUILD=build [BUDGET=300] [ALL=1] [SIZES='20000x20000 100000x4000'] [ONLY='rgb 8 png'] [MEMORY=512M] \
#       [TABLE=build/bench/huge.md] sh test/bench/huge.sh
#
# Filters drawn pictures, gray and RGB, of 8 and 16 bits, as PNM, PNG and JPEG (whose sides end at 65500),
# and compares two strips of each result, one from top to bottom, one from left to right, with what
# imfilter makes of these strips alone, cut out with a margin wider than the filter reaches. So
# whatever parts an image is filtered in, their borders are crossed, and those of the image are met.
# Integer kernels have to agree exactly, others within a level. A picture's pixels are what other programs
# (djpeg, vips) decode. Integer kernels' results of a JPEG are JPEG again, and strips, which lie on blocks
# of 16, go through a coder with the same settings, cjpeg; others' are PNM, where a level is a level.
#
# Writes TABLE: seconds and peak memory of each case; where a kernel is compiled
# for the first time, compiling is the peak (run it twice). Without ALL=1 each picture meets
# one filter after the other in turns, for BUDGET seconds. Files (up to 8 GB at a time) lie in TMPDIR or /var/tmp.
# Needs vips or netpbm, GNU time, djpeg and numpy. The status is 1 if a strip differs.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
BUDGET=${BUDGET:-300}
ALL=${ALL:-}
dir=$BUILD/bench
imfilter=$BUILD/imfilter
table=${TABLE:-$dir/huge.md}
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$(cd "$BUILD" && pwd)/cache}"
mkdir -p "$XDG_CACHE_HOME"

time=$(command -v time) && [ -x "$time" ] || time=/usr/bin/time
vips=$(command -v vips) || vips=
for need in "${vips:-pngtopnm}" "${vips:-pnmtopng}" djpeg cjpeg "$time" "$dir/photo"; do
    command -v "$need" >/dev/null 2>&1 || { echo "huge.sh: needs $need" >&2; exit 1; }
done
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "huge.sh: needs python3-numpy" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/var/tmp}/imfilter-huge.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
strips=test/bench/strips.py
STRIP=256  # pixels across a strip, on blocks of 16
MARGIN=112 # around it: further than any filter here reaches, on blocks of 16
RIM=16     # of the margin, kept for the JPEG coder, whose halved chroma looks at a block's neighbours
failed=0 cases=0
begin=$(date +%s)

# ---- pictures ----------------------------------------------------------------------------------

# $work/in.pnm are the pixels, $in the file that imfilter reads.
draw() { # WIDTH HEIGHT gray|rgb DEPTH FORMAT
    rm -f "$work"/in.*
    "$dir/photo" "$1" "$2" "$3" "$4" > "$work/in.pnm"
    in=$work/in.$5
    case $5 in
    pnm) ;;
    png) if [ "$vips" ]; then vips copy "$work/in.pnm" "${in}[compression=1]"
        else pnmtopng -quiet -compression=1 "$work/in.pnm" > "$in"; fi ;;
    jpg)
        cjpeg -quality 90 -sample 2x2 "$work/in.pnm" > "$in"
        djpeg -pnm "$in" > "$work/in.pnm" ;;
    esac
}

decode() { # FILE PNM
    case $1 in
    *.png) if [ "$vips" ]; then vips copy "$1" "$2"; else pngtopnm -quiet "$1" > "$2"; fi ;;
    *.jpg) djpeg -pnm "$1" > "$2" ;;
    esac
}

# ---- strips --------------------------------------------------------------------------------------

least() { if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi; }

# What imfilter makes of a strip alone, against the same place of $whole; prints the largest difference.
strip() { # X Y WIDTH HEIGHT TOLERANCE
    left=$(least "$1" $MARGIN) top=$(least "$2" $MARGIN)
    wide=$((left + $3 + $(least $((width - $1 - $3)) $MARGIN)))
    high=$((top + $4 + $(least $((height - $2 - $4)) $MARGIN)))
    "$strips" crop "$work/in.pnm" $(($1 - left)) $(($2 - top)) $wide $high "$work/cut.pnm"
    # shellcheck disable=SC2086 # words
    "$imfilter" -q --max-pixels=1G $filter "$work/cut.pnm" -o "$work/alone.pnm" || return 1
    part=$work/alone.pnm
    if [ "$result" = jpg ]; then
        # The same coefficients, block by block: the strip with a rim of one block goes through the coder.
        l=$(least $left $RIM) t=$(least $top $RIM)
        w=$((l + $3 + $(least $((wide - left - $3)) $RIM)))
        h=$((t + $4 + $(least $((high - top - $4)) $RIM)))
        "$strips" crop "$part" $((left - l)) $((top - t)) $w $h "$work/rim.pnm"
        cjpeg -quality 90 -sample 2x2 "$work/rim.pnm" > "$work/rim.jpg"
        djpeg -pnm "$work/rim.jpg" > "$work/rim.pnm"
        part=$work/rim.pnm left=$l top=$t
    fi
    "$strips" compare "$whole" "$1" "$2" "$part" $left $top "$3" "$4" "$5"
}

# ---- cases ---------------------------------------------------------------------------------------

words() { # FILTER: as options; a comma parts stages
    echo "-f $1" | sed 's/,/ -f /g'
}

check() { # FILTER
    filter=$(words "$1")
    tolerance=1
    case $1 in sharpen | disk:*) tolerance=0 ;; esac
    result=$format
    [ "$format$tolerance" != jpg1 ] || result=pnm
    out=$work/out.$result
    cases=$((cases + 1))
    # shellcheck disable=SC2086 # words
    if "$time" -f '%e %M' -o "$work/took" "$imfilter" -q --max-pixels=1G \
        ${MEMORY:+--max-memory="$MEMORY"} $filter "$in" -o "$out" 2>"$work/said"; then
        verdict=
    else
        verdict="FAILED: $(head -n 1 "$work/said")"
    fi
    took=$(awk 'END { printf "%.1f | %.0f", $1, $2 * 1024 / 1e6 }' "$work/took")
    if [ -z "$verdict" ]; then
        whole=$out
        if [ "$result" != pnm ]; then
            whole=$work/whole.pnm
            decode "$out" "$whole"
            rm -f "$out"
        fi
        column=$(strip $((width / 3 / 16 * 16)) 0 $STRIP "$height" $tolerance 2>&1) || verdict="COLUMN: $column"
        line=$(strip 0 $((height / 3 / 16 * 16)) "$width" $STRIP $tolerance 2>&1) || verdict="$verdict ROW: $line"
        verdict=${verdict:-"$column, $line"}
    fi
    case $verdict in [0-9]*) ;; *) failed=$((failed + 1)) ;; esac
    echo "| ${width}x$height $channels $depth $format | $1 | $took | $verdict |" | tee -a "$table"
    rm -f "$out" "$work/whole.pnm"
}

filters='sharpen blur:5 disk:31 unsharp sobel blur:2,sobel'
nth() { # NUMBER WORD...
    shift "$1"
    echo "$1"
}

# "WIDTH HEIGHT gray|rgb DEPTH FORMAT", those that differ most first.
pictures() {
    for size in ${SIZES:-20000x20000 100000x4000}; do
        w=${size%x*} h=${size#*x}
        for kind in 'rgb 8 pnm' 'rgb 8 jpg' 'gray 16 png' 'rgb 8 png' 'gray 8 jpg' 'rgb 16 pnm' 'gray 8 png' \
            'gray 16 pnm' 'rgb 16 png' 'gray 8 pnm'; do
            case $kind:$((w > 65500)) in
            *jpg:1) echo "65500 $h $kind" ;;
            *) echo "$w $h $kind" ;;
            esac
        done
    done | grep -F -- "${ONLY:-}"
}

{
    echo "imfilter $("$imfilter" --version | sed -n '1s/.* //p') on $(uname -m), $(nproc) cores, whole processes;" \
        "strips: the largest difference, down and across"
    echo
    echo '| picture | filter | s | peak MB | strips |'
    echo '|---|---|---|---|---|'
} > "$table"
cat "$table"
pictures > "$work/pictures"
turn=0
while read -r width height channels depth format; do
    [ -n "$ALL" ] || [ $(($(date +%s) - begin)) -lt "$BUDGET" ] || break
    draw "$width" "$height" "$channels" "$depth" "$format" < /dev/null
    turn=$((turn % 6 + 1))
    if [ -n "$ALL" ]; then
        for each in $filters; do
            check "$each" < /dev/null
        done
    else
        # shellcheck disable=SC2086 # words
        check "$(nth $turn $filters)" < /dev/null
    fi
done < "$work/pictures"
echo "table: $table"
echo "huge: $((cases - failed)) passed, $failed failed"
[ $failed -eq 0 ]
