# A run keeps to --max-memory: the small part of test/memory.py.
load helper

@test "40 filters, and every option that holds a picture, keep to --max-memory or are refused" {
    command -v jpegtran >/dev/null || skip "there is no jpegtran"
    ! grep -q __asan_init "$IMFILTER" || skip "the sanitizer takes memory of its own"
    run python3 "$BATS_TEST_DIRNAME/memory.py" --few
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *" passed, 0 failed" ]]
}

@test "--explain counts what is verified, drawn, masked and read" {
    make_flat a.pgm 1500 1000
    make_flat mask.pgm 1500 1000
    mib() {
        imf -f blur:2 a.pgm --explain "$@" | sed -n 's/^  all .* \([0-9]*\) MiB$/\1/p'
    }
    plain=$(mib)
    # The reference in float64; pixels and a spectrum; a mask of 8 bits, and blurred to 16.
    [ "$(mib --verify)" -ge $((plain + 11)) ]
    [ "$(mib --spectrum=s.png)" -ge $((plain + 12)) ]
    [ "$(mib --mask=mask.pgm --mask-feather=3)" -ge $((plain + 4)) ]
    { printf 'Pf\n1001 1001\n-1.0\n' && head -c $((4 * 1001 * 1001)) /dev/zero | tr '\0' '\77'; } >k.pfm
    imf_run -f kernel:@k.pfm:scale=auto a.pgm --explain --max-memory=20M
    [ "$status" -ne 0 ]
    one_line "over the limit of 20 MiB (raise it with --max-memory)"
}

@test "where compiling a kernel would exceed --max-memory, OpenCL is passed over" {
    need_opencl
    make_flat a.pgm 600 400
    export XDG_CACHE_HOME=$PWD/cold POCL_CACHE_DIR=$PWD/pocl
    imf_run -f sharpen --backend=direct --max-memory=200M a.pgm -o b.pgm
    [ "$status" -eq 1 ]
    one_line "a.pgm: compiling an OpenCL kernel takes "
    [[ $stderr == *" are left of the limit (raise it with --max-memory)" ]]
    [ ! -e b.pgm ]
    imf -f sharpen --backend=direct --max-memory=400M a.pgm -o b.pgm
    # Now it is in the cache.
    imf -f sharpen --backend=direct --max-memory=200M a.pgm -o c.pgm
    cmp b.pgm c.pgm
}

@test "a mask that takes too much to blur is refused before anything is written" {
    make_flat mask.pgm 1500 1000
    make_flat a.pgm 1500 1000
    imf_run -f invert --mask=mask.pgm --mask-feather=40 --max-memory=18M a.pgm -o - --format=pnm
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [[ $stderr == *"blurring this mask needs "*" MiB, over the limit of 18 MiB"* ]]
    imf -f invert --mask=mask.pgm --mask-feather=40 --max-memory=32M a.pgm -o b.pgm
}

@test "kernels and masks count together" {
    make_flat a.pgm 30 30
    awk 'BEGIN { for (i = 0; i < 301; i++) { for (j = 0; j < 301; j++) printf "%d ", (i * j) % 9; print "" } }' >k.txt
    imf -q --backend=cpu -f kernel:@k.txt a.pgm -o b.pgm --max-memory=12M
    many=()
    for _ in 1 2 3 4 5 6 7 8; do many+=(-f kernel:@k.txt:scale=auto); done
    imf_run -q --backend=cpu "${many[@]}" a.pgm -o c.pgm --max-memory=12M
    [ "$status" -ne 0 ]
    one_line "over the limit of 12 MiB (raise it with --max-memory)"
    [ ! -e c.pgm ]
}

@test "progressive JPEG in TIFF is read as baseline JPEG is, and its scans are limited" {
    command -v jpegtran >/dev/null || skip "there is no jpegtran"
    make_ppm a.ppm
    imf -q -f invert a.ppm -o a.jpg
    jpegtran -progressive -outfile p.jpg a.jpg
    read -r width height < <(sed -n '/^[0-9]/{p;q}' a.ppm)
    for name in a p; do
        python3 -c "import sys; sys.path.insert(0, '$BATS_TEST_DIRNAME'); import memory
memory.write_tiff_of_jpeg('$name.tif', '$name.jpg', $width, $height)"
    done
    imf -f invert a.tif -o a.pam
    imf_run -f invert p.tif -o p.pam
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    cmp a.pam p.pam
    imf_run -f invert p.tif --max-scans=3 -o q.pam
    [ "$status" -eq 1 ]
    one_line "p.tif: more than 3 progressive scans (raise it with --max-scans)"
    imf -f invert a.tif --max-scans=1 -o q.pam
}
