# Limits: refused early, with the option that raises them.
load helper

@test "--max-pixels: the message names the option" {
    make_flat a.pgm 100 100
    imf_run -f invert --max-pixels=9999 a.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "--max-pixels"
    [ ! -e out.pgm ]
    imf -f invert --max-pixels=10000 a.pgm -o out.pgm
    imf -f invert --max-pixels=10K a.pgm -o out.pgm
    imf -f invert --max-pixels=0 a.pgm -o out.pgm
    imf_run -f invert --max-pixels=9k a.pgm -o out2.pgm
    [ "$status" -eq 1 ]
}

@test "a header that promises 900 million pixels is refused at once" {
    printf 'P5\n30000 30000\n255\n' >huge.pgm
    imf_run -f invert huge.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "huge.pgm: "
    [[ $stderr == *--max-pixels* ]]
}

@test "sizes that overflow are refused" {
    need_opencl
    for size in '2147483647 2147483647' '4294967296 1' '99999999999999999999 1' '0 5' '-1 5'; do
        printf 'P5\n%s\n255\n' "$size" >huge.pgm
        imf_run -f invert --max-pixels=0 huge.pgm -o out.pgm
        echo "$size"
        [ "$status" -eq 1 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [ ! -e out.pgm ]
    done
}

@test "sides that an int does not hold with margins are refused, or filtered in parts" {
    for size in '2147483647 1' '1 2147483647' '2147483000 1' '700000000 1'; do
        printf 'P6\n%s\n255\n' "$size" >long.ppm
        printf 'P5\n%s\n255\n' "$size" >long.pgm
        for filter in disk:12 unsharp:3 blur:40 box:301 median:9 erode:20 canny:0.1:0.2 highpass:0.1 guided:8:0.1 \
            denoise:3% deblur:disk:3 bilateral:2:0.1 clahe sobel; do
            for file in long.ppm long.pgm; do
                imf_run -f $filter --max-pixels=0 --max-memory=0 --explain $file
                echo "$size $filter $file"
                [ "$status" -le 2 ]
            done
        done
    done
}

@test "a list of names that memory does not hold is an error" {
    ! grep -q __asan_init "$IMFILTER" || skip "the sanitizer takes memory of its own"
    run --separate-stderr sh -c 'ulimit -v 400000; yes | tr -d "\n" | "$1" --backend=cpu -f invert --files-from=- -o out/' - "$IMFILTER"
    [ "$status" -eq 2 ]
    [[ $stderr == *"cannot read: Cannot allocate memory"* ]]
}

@test "what takes long has a warning beforehand" {
    printf 'P6 300 200 255\n' >a.ppm
    imf_run -f bilateral:170:0.1 --explain a.ppm
    one_line "filtering an image takes an estimated "
    imf_run -f bilateral:5:0.1 --explain a.ppm
    [ -z "$stderr" ]
}

@test "--max-memory: the message names the option" {
    make_flat a.pgm 1000 1000
    imf_run -f blur:3 --max-memory=100K a.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "--max-memory"
    [ ! -e out.pgm ]
    imf -f blur:3 --backend=cpu --max-memory=2G a.pgm -o out.pgm
}

@test "--max-memory counts buffers and driver, and is refused before they are there" {
    make_flat a.pgm 2000 1500
    imf_run -f highpass:0.05 --max-memory=40M a.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "a.pgm: filtering needs "
    [[ $stderr == *" MiB, over the limit of 40 MiB (raise it with --max-memory)" ]]
    needs=${stderr#*needs } needs=${needs%% *}
    [ "$needs" -gt 40 ]
    [ "$needs" -lt 2000 ]
    [ ! -e out.pgm ]
    # As much as it says is enough, and --explain says as much.
    imf -f highpass:0.05 --max-memory="$((needs + 1))M" a.pgm -o out.pgm
    imf_run -f highpass:0.05 --max-memory="$((needs + 1))M" --explain a.pgm
    grep -q "^  all .* $needs MiB$" <<<"$output"
}

@test "--max-memory takes a way that fits, if there is one" {
    make_flat a.pgm 2000 1500
    # The host's solvers have no driver to hold: 6 MB of pixels and 5 of everything else.
    imf_run -f box:31 --max-memory=30M --explain a.pgm -o out.pgm
    [ "$status" -eq 0 ]
    grep -q '^\* [0-9]*  *vector ' <<<"$output"
    imf_run -f sharpen --backend=direct --max-memory=30M a.pgm -o out2.pgm
    [ "$status" -eq 1 ]
    one_line "over the limit of 30 MiB (raise it with --max-memory)"
}

# The chosen solvers of --explain's table.
ways() {
    grep '^\*' <<<"$output" | tr -s ' ' | sed 's/ [0-9.]* cheapest.*//'
}

@test "--max-memory lowers bands first, then takes another way, and says so under -v" {
    awk 'BEGIN { printf "P2 1600 1200 255 "; for (i = 0; i < 1600 * 1200; i++) print (i * i + int(i / 1600) * 7) % 251 }' |
        imf -q -f invert - --format=pgm -o a.pgm
    for filter in '-f box:61 -f box:91' '-f erode:40 -f laplacian -f disk:30'; do
        imf_run -v $filter --explain a.pgm -o free.pgm
        [[ $stderr != *--max-memory* ]]
        needs=$(sed -n 's/^  all .* \([0-9]*\) MiB$/\1/p' <<<"$output")
        way=$(ways)
        imf_run -v $filter --max-memory="$((needs - 1))M" --explain a.pgm -o bands.pgm
        echo "$filter"
        [ "$(ways)" = "$way" ]
        [[ $stderr != *--max-memory* ]]
        cmp free.pgm bands.pgm
    done
    imf_run -v -f blur:20 --explain a.pgm -o free.pgm
    way=$(ways)
    # No band of that solver fits.
    least=$(imf -v -f blur:20 --max-memory=1M a.pgm -o none.pgm 2>&1 | sed 's/.* needs \([0-9]*\).*/\1/')
    imf_run -v -f blur:20 --max-memory="$((least + 1))M" --explain a.pgm -o other.pgm
    [ "$status" -eq 0 ]
    [ "$(ways)" != "$way" ]
    [[ $stderr == *"a.pgm: warning: --max-memory leads to vector "*" MiB it would be vector "* ]]
    grep -q '^  --max-memory leads to vector ' <<<"$output"
    imf_run -f blur:20 --max-memory="$((least + 1))M" a.pgm -o other.pgm
    [ -z "$stderr" ]
    # No sample is off by more than 1.
    [ "$(cmp -l free.pgm other.pgm | awk '{ a = $2 % 10 + int($2 / 10) % 10 * 8 + int($2 / 100) * 64;
        b = $3 % 10 + int($3 / 10) % 10 * 8 + int($3 / 100) * 64; if (a - b > 1 || b - a > 1) n++ } END { print n + 0 }')" = 0 ]
}

@test "--max-memory that leaves only what is very slow says so, and what would do" {
    make_flat a.pgm 2000 1500
    awk 'BEGIN { print "scale 1000\nkernel"; for (y = 0; y < 141; y++) { for (x = 0; x < 141; x++)
        printf "%g ", (x * 7 + y * y * 5) % 11 - 4.7; print "" } }' >rough.flt
    imf_run -f rough.flt --max-memory=60M --explain a.pgm
    [ "$status" -eq 0 ]
    grep -q '^\* [0-9]*  *vector .*141x141, float64' <<<"$output"
    one_line "--max-memory leaves vector "
    limited=$stderr
    imf_run -f rough.flt --explain a.pgm
    [[ $stderr != *--max-memory* ]]
    needs=$(sed -n 's/^  all .* \([0-9]*\) MiB$/\1/p' <<<"$output")
    [[ $limited == *" s; with $needs MiB it would be "*" and "* ]]
    imf_run -f rough.flt --backend=cpu --max-memory=60M --explain a.pgm
    [[ $stderr != *--max-memory* ]]
}

@test "--max-memory that forbids one way of the host says so" {
    printf 'P5 8000 6000 255\n' >a.pgm
    imf_run -f percentile:31:51 --explain a.pgm
    grep -q '^\* [0-9]*  *vector .*histograms of columns' <<<"$output"
    # What its lowest bands need is not there.
    imf_run -f percentile:31:51 --backend=vector --max-memory=1M --explain a.pgm
    needs=${stderr#*needs } needs=${needs%% *}
    for less in $(seq -10 60); do
        imf_run -f percentile:31:51 --max-memory="$(awk "BEGIN { printf \"%dK\", $needs * 1024 - $less * 20 }")" --explain a.pgm
        grep -q '^\* .*histograms of columns' <<<"$output" || break
    done
    [ "$status" -eq 0 ]
    one_line "--max-memory leaves rank "
    [[ $stderr == *"103x103, incremental bisection, an estimated "*" it would be rank "*"103x103, histograms of columns and "* ]]
}

@test "--max-memory of next to nothing has a message that can be read" {
    make_pgm a.pgm
    imf_run -f blur:2 --max-memory=1 a.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "needs 4 bytes, over the limit of 1 bytes (raise it with --max-memory)"
    imf_run -f blur:2 --max-memory=1500K a.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "needs 7.2 MiB, over the limit of 1.5 MiB (raise it with --max-memory)"
}

@test "one image over a limit does not stop the batch" {
    make_flat big.pgm 100 100
    make_pgm small.pgm
    imf_run -f invert --max-pixels=100 big.pgm small.pgm -o out/
    [ "$status" -eq 1 ]
    [ "$(ls out)" = small.pgm ]
}

# A PNG of zeros, 64x64, with so many zero bytes behind its last row, cut off within them or whole.
surplus_png() { # FILE BYTES INTERLACE whole|cut
    python3 - "$@" <<'PYTHON'
import struct, sys, zlib
name, surplus, interlace, form = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
rows = 64 * 65
if interlace:
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = sum(len(range(y, 64, dy)) * (1 + len(range(x, 64, dx))) for x, y, dx, dy in passes)
data = zlib.compress(bytes(rows + surplus), 9)
def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, interlace)) +
       chunk(b"IDAT", data) + chunk(b"IEND", b""))
open(name, "wb").write(png if form == "whole" else png[:-40])
PYTHON
}

@test "a PNG with zeros without end behind its last row is not inflated to their end" {
    for interlace in 0 1; do
        for form in whole cut; do
            echo "$interlace $form"
            surplus_png endless.png $((64 << 20)) $interlace $form
            imf_run -f invert endless.png -o out.pgm
            [ "$status" -eq 0 ]
            one_line "image data continue after the last row"
            [ "$(samples out.pgm | tr ' ' '\n' | sort | uniq -c | tr -s ' ')" = " 4096 255" ]
        done
        surplus_png few.png 4000 $interlace whole
        imf_run -f invert few.png -o out.pgm
        [ "$status" -eq 0 ]
        one_line "Too much image data"
        surplus_png few.png 4000 $interlace cut
        imf_run -f invert few.png -o out.pgm
        [ "$status" -eq 1 ]
    done
}

# An 8x8 PNG of 200 whose last row's data have that many empty IDAT before them, or are missing.
empty_idats_png() { # FILE COUNT INTERLACE whole|cut
    python3 - "$@" <<'PYTHON'
import struct, sys, zlib
name, count, interlace, form = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
passes = [(1, 1), (1, 1), (1, 2), (2, 2), (2, 4), (4, 4), (4, 8)] if interlace else [(8, 8)]
data = b"".join((b"\0" + b"\xc8" * width) * rows for rows, width in passes)
deflate = zlib.compressobj()
first = deflate.compress(data[:-9]) + deflate.flush(zlib.Z_SYNC_FLUSH)
last = deflate.compress(data[-9:]) + deflate.flush()
def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
open(name, "wb").write(
    b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, interlace)) +
    chunk(b"IDAT", first) + count * chunk(b"IDAT", b"") +
    (chunk(b"IDAT", last) if form == "whole" else b"") + chunk(b"IEND", b""))
PYTHON
}

@test "a PNG's empty IDAT before its last row do not cost that row" {
    for interlace in 0 1; do
        echo "$interlace"
        empty_idats_png whole.png 10000 $interlace whole
        imf_run -f invert whole.png -o out.pgm
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [ "$(samples out.pgm | tr ' ' '\n' | sort | uniq -c | tr -s ' ')" = " 64 55" ]
        empty_idats_png cut.png 10000 $interlace cut
        imf_run -f invert cut.png -o cut.pgm
        [ "$status" -eq 1 ]
        one_line "cut.png: damaged"
        [ ! -e cut.pgm ]
    done
}

@test "--max-memory: masks, kernels and filter files that are too large are refused before they are read" {
    make_flat mask.pgm 3000 2000
    make_flat kernel.pgm 2001 2001
    make_pgm a.pgm
    awk 'BEGIN { for (i = 0; i < 601; i++) { for (j = 0; j < 601; j++) printf "%d ", (i * j) % 9; print "" } }' | tee k.txt >k.flt
    { printf 'Pf\n601 601\n-1.0\n' && head -c $((4 * 601 * 601)) /dev/zero; } >k.pfm
    for filter in --mask=mask.pgm --filter=blend:normal:@mask.pgm --filter=kernel:@kernel.pgm --filter=kernel:@k.txt \
        --filter=./k.flt --filter=kernel:@k.pfm; do
        imf_run --backend=cpu -f invert "$filter" --max-memory=4M a.pgm -o out.pgm
        echo "$filter"
        [ "$status" -eq 2 ]
        one_line "over the limit of 4.0 MiB (raise it with --max-memory)"
        [ ! -e out.pgm ]
    done
}
