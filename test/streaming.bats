# Rows that stream: decoded, filtered and encoded at the same time.
load helper

# Noise, of so many bytes that rows stream: 800 x 500 RGB.
make_noise() { # FILE
    { printf 'P6\n800 500\n255\n' && head -c 2500 "$IMFILTER" >.noise &&
        printf '.noise %.0s' {1..480} | xargs cat; } >"$1"
    rm .noise
}

# In bands of 64 KiB and the rest at once, as pipes have it, the file's first BYTES; then what the
# file descriptor 9 gets.
feed() { # FILE BYTES
    mkfifo slow
    "$IMFILTER" -f sharpen - -o - <slow >out 2>report 3>&- &
    pid=$!
    exec 9>slow
    head -c "$2" "$1" >&9
}

# Wait for up to 30 seconds.
wait_until() { # COMMAND...
    for _ in $(seq 600); do
        "$@" && return 0
        sleep 0.05
    done
    return 1
}

@test "pixels depend neither on memory nor on streaming" {
    need_opencl
    make_noise a.ppm
    for filter in sharpen blur:1.5 disk:5; do
        for backend in auto cpu direct; do
            [ $backend != direct ] || [ $filter = sharpen ] || [ -n "${THOROUGH:-}" ] || continue
            imf -f "$filter" --backend=$backend a.ppm -o streamed.ppm --max-memory=0
            # What is verified is held.
            imf -f "$filter" --backend=$backend --verify a.ppm -o whole.ppm
            cmp streamed.ppm whole.ppm
        done
    done
    # On a coarse grid, whose blocks of rows lie where they lie in the image.
    imf_run -f blur:6 --explain a.ppm
    [[ $output == *"* 1     vector "*"every 3 by 3"* ]]
    [[ $output == *"rows stream"* ]]
    imf -f blur:6 a.ppm -o streamed.ppm
    imf -f blur:6 --verify a.ppm -o whole.ppm
    cmp streamed.ppm whole.ppm
    imf -f sharpen --backend=cpu --max-memory=9M a.ppm -o small.ppm
    imf -f sharpen --backend=cpu a.ppm -o large.ppm
    cmp small.ppm large.ppm
}

@test "an image larger than --max-memory" {
    make_flat a.pgm 4000 5000
    imf -f sharpen --backend=cpu --max-memory=15M a.pgm -o out.pgm
    cmp a.pgm out.pgm
    imf_run -f sharpen --backend=cpu --max-memory=15M --verify a.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "--max-memory"
}

@test "rows leave before the last ones come" {
    make_noise a.ppm
    imf -f sharpen a.ppm -o want.ppm
    feed a.ppm 900000
    wait_until test -s out
    tail -c +900001 a.ppm >&9
    exec 9>&-
    wait $pid
    cmp out want.ppm
}

@test "standard output ends short, with status 1, when the input is damaged on the way" {
    make_noise a.ppm
    imf -f sharpen a.ppm -o want.ppm
    feed a.ppm 900000
    exec 9>&-
    status=0
    wait $pid || status=$?
    cat report
    [ "$status" -eq 1 ]
    grep -q 'standard input: truncated after row 374 of 500' report
    size=$(stat -c %s out)
    [ "$size" -gt 0 ]
    [ "$size" -lt 900000 ]
    cmp -n "$size" out want.ppm
}

@test "an output file is absent when the input is damaged on the way" {
    need_opencl
    make_noise a.ppm
    head -c 900000 a.ppm >cut.ppm
    for backend in auto cpu direct; do
        imf_run -f blur:1.5 --backend=$backend cut.ppm -o out.ppm
        [ "$status" -eq 1 ]
        one_line "cut.ppm: truncated after row 374 of 500 (accept the readable part with --lenient)"
        [ ! -e out.ppm ]
        no_temporaries
    done
    imf_run --lenient -f sharpen cut.ppm -o out.ppm
    [ "$status" -eq 0 ]
    one_line "the last 126 rows are missing"
}

@test "a batch goes on behind a damaged image" {
    need_opencl
    make_noise a.ppm
    head -c 900000 a.ppm >b.ppm
    cp a.ppm c.ppm
    mkdir out
    imf_run -f sharpen --backend=direct a.ppm b.ppm c.ppm -o out
    [ "$status" -eq 1 ]
    [ ! -e out/b.ppm ]
    imf -f sharpen --verify a.ppm -o want.ppm
    cmp out/a.ppm want.ppm
    cmp out/c.ppm want.ppm
}

@test "a disk that is full on the way" {
    need_opencl
    make_noise a.ppm
    # The shell's limit of a file's size stands for the disk's.
    for kilobytes in 1 300 800 1100; do
        run --separate-stderr bash -c 'trap "" XFSZ; ulimit -f "$2"; "$1" -f sharpen a.ppm -o out.ppm' \
            - "$IMFILTER" "$kilobytes"
        [ "$status" -eq 1 ]
        one_line "out.ppm: cannot write: File too large"
        [ ! -e out.ppm ]
        no_temporaries
    done
    run --separate-stderr bash -c '"$1" -f blur:2 --backend=direct a.ppm -o - >/dev/full' - "$IMFILTER"
    [ "$status" -eq 1 ]
    one_line "standard output: cannot write: No space left on device"
}

@test "killed on the way, nothing is left" {
    need_opencl
    make_noise a.ppm
    for signal in INT TERM; do
        rm -f slow
        mkfifo slow
        env --default-signal=$signal "$IMFILTER" -f blur:2 --backend=direct - -o out.ppm <slow 3>&- &
        pid=$!
        exec 9>slow
        head -c 900000 a.ppm >&9
        wait_until sh -c 'test -n "$(find . -name ".imfilter-out.ppm.??????" -size +0)"'
        kill -$signal $pid
        status=0
        wait $pid || status=$?
        exec 9>&-
        [ "$status" -gt 128 ]
        [ ! -e out.ppm ]
        no_temporaries
    done
}

@test "--explain says whether rows stream, and why not" {
    make_noise a.ppm
    holds() { # TEXT OPTION...
        imf -f blur:2 "${@:2}" --explain a.ppm >plan
        cat plan
        grep -q "^  .*$1" plan
    }
    holds "rows stream"
    holds "takes all of it at once" -f lowpass:0.1
    holds "takes all of it at once" --range=normalize
    holds "edge=wrap" --edge=wrap
    holds "looked at as a whole" --verify
    imf -f blur:2 --explain --json --dry-run a.ppm -o b.ppm >plan
    python3 -c 'import json; p = json.load(open("plan"))
assert p["holds"] is None, p'
    make_ppm a.ppm
    holds "it is small"
}

@test "--json and --timing tell how the stages overlapped" {
    make_noise a.ppm
    imf_run -f sharpen --json --timing a.ppm -o b.png
    [[ $stderr == *" bands: "*" ms of that overlapped; decode waited "* ]]
    python3 -c 'import json, sys
o = json.loads(sys.argv[1])
assert o["bands"] >= 8, o
for key in "overlap", "decode_wait", "compute_wait", "encode_wait":
    assert o[key + "_ms"] >= 0, o
busy = sum(o[k + "_ms"] for k in ("setup", "decode", "upload", "compute", "download", "encode"))
assert o["overlap_ms"] <= busy, o' "$output"
    imf_run -f sharpen --json --verify a.ppm -o b.png
    python3 -c 'import json, sys; assert "bands" not in json.loads(sys.argv[1])' "$output"
}

@test "rows wider than what a band may take are filtered" {
    make_flat wide.pgm 1200000 3
    for backend in auto cpu; do
        imf -f kernel:1,2,1 --linear --backend=$backend wide.pgm -o out.pgm
        cmp wide.pgm out.pgm
    done
}

@test "text behind a PNG's pixels stays there, whenever it is read" {
    make_noise noise.ppm
    { printf 'P6\n20000 16\n255\n' && tail -c 960000 noise.ppm; } >a.ppm
    imf -f kernel:1 a.ppm -o a.png
    python3 - <<'PY'
import struct, zlib
png = open("a.png", "rb").read()
end = png.index(b"IEND") - 4
for text in (b"Comment\0one", b"Author\0two"):
    chunk = b"tEXt" + text
    png = png[:end] + struct.pack(">I", len(text)) + chunk + struct.pack(">I", zlib.crc32(chunk)) + png[end:]
    end += len(text) + 12
open("a.png", "wb").write(png)
PY
    for _ in 1 2 3 4 5 6; do
        imf -f sharpen a.png -o out.png
        [ "$(grep -aobE 'IDAT|tEXt' out.png | sed 's/.*://' | uniq | tr '\n' ' ')" = "IDAT tEXt " ]
    done
}

@test "a device that fails where only the host would stream" {
    command -v cc >/dev/null || skip "no compiler"
    ! grep -q __asan_init "$IMFILTER" || skip "a preloaded library comes before the sanitizer's"
    imf --list-devices | grep -q . || skip "no OpenCL device"
    echo 'int clEnqueueNDRangeKernel(void) { return -5; }' >fail.c
    cc -shared -fPIC -o fail.so fail.c
    make_noise noise.ppm
    { printf 'P6\n400 900\n255\n' && tail -c 1080000 noise.ppm; } >a.ppm
    tall() { printf 'kernel:1' && printf '/1%.0s' $(seq 2 "$1") && printf ':scale=%s' "$1"; }
    OCL_ICD_VENDORS=$PWD/none imf -q --linear --edge=mirror --max-memory=90M -f "$(tall 501)" -f "$(tall 201)" a.ppm -o want.ppm
    LD_PRELOAD=./fail.so imf_run --linear --edge=mirror --max-memory=90M -f "$(tall 501)" -f "$(tall 201)" a.ppm -o out.ppm
    echo "$status $stderr"
    [ "$status" -eq 0 ]
    cmp want.ppm out.ppm
}
