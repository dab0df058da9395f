#!/bin/sh
# png.sh - bytes and processor time of PNG files beside those of libpng at its defaults (netpbm's
# pnmtopng): png.sh [IMAGE]..., by default the test pictures
set -eu
cd "$(dirname "$0")/../.."
imfilter=${IMFILTER:-${BUILD:-build}/imfilter}
command -v pnmtopng >/dev/null || { echo "png.sh needs netpbm's pnmtopng" && exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cpu() { # COMMAND...: user and system milliseconds, the least of three
    for _ in 1 2 3; do
        { LC_ALL=C bash -c 'TIMEFORMAT="%U %S"; time "$@"' - "$@" >"$dir/out"; } 2>&1 |
            awk 'END { printf "%.0f\n", ($1 + $2) * 1000 }'
    done | sort -n | head -n 1
}

ours() { # LEVEL: bytes, and milliseconds more than for the same pixels without compression
    ms=$(cpu "$imfilter" -q -f kernel:1 --backend=cpu --alpha=keep --strip --compression="$1" "$image" -o "$dir/out.png")
    printf '%10d %6d' "$(wc -c <"$dir/out.png")" $((ms - base))
}

printf '%-26s %10s %6s %10s %6s %10s %6s %10s %6s\n' "" libpng ms "level 1" ms "level 6" ms "level 9" ms
[ $# -gt 0 ] || set -- testdata/*.png testdata/still.jpg
for image; do
    "$imfilter" -q -f kernel:1 --backend=cpu --format=pnm "$image" -o "$dir/in.pnm" 2>"$dir/error" || continue
    base=$(cpu "$imfilter" -q -f kernel:1 --backend=cpu --alpha=keep --strip --compression=0 "$image" -o "$dir/out.png")
    peer=$(cpu pnmtopng -quiet "$dir/in.pnm")
    printf '%-26s %10d %6d %s %s %s\n' "$(basename "$image")" "$(wc -c <"$dir/out")" "$peer" \
        "$(ours 1)" "$(ours 6)" "$(ours 9)"
done
