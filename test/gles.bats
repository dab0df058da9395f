# Kernels by OpenGL ES 2. Mesa draws on the processor where there is no GPU.
load helper

need_gles() {
    make_pgm probe.pgm
    imf_run -q --backend=gles -f sharpen probe.pgm -o probe.out.pgm
    [ "$status" -ne 3 ] || [ -n "${IMFILTER_NEED_GLES:-}" ] || skip "no OpenGL ES 2"
    [ "$status" -eq 0 ]
}

@test "the bytes are the reference's: channels, edges, ranges, chains" {
    need_gles
    local filters=('-f sharpen' '-f kernel:1,-2,0/3,4,-5/0,1,2:scale=7 --edge=mirror'
        '-f emboss --edge=wrap' '-f sobel --edge=constant:0.3' '-f laplacian --range=abs'
        '-f laplacian --range=offset --edge=reflect' '-f box:7' '-f sobel -f threshold:0.4'
        '-f laplacian -f sharpen -f box:3' '-f kernel:1,2,1/2,4,2/1,2,1:scale=-16:bias=1 -f invert')
    local images=(noise.png noise-rgb.png alpha.png) i=0
    for filter in "${filters[@]}"; do
        image=${images[$((i++ % 3))]}
        echo "$image: $filter"
        # shellcheck disable=SC2086 # several words
        imf -q $filter --backend=gles "$TESTDATA/$image" -o got.pam
        # shellcheck disable=SC2086
        imf -q $filter --backend=cpu "$TESTDATA/$image" -o want.pam
        cmp want.pam got.pam
    done
    imf_run -f box:7 --backend=gles --verify "$TESTDATA/alpha.png"
    [[ $output == *": verified: "*", 0 differ, largest difference 0" ]]
}

@test "rows stream through shaders, in a batch on several threads, too" {
    need_gles
    make_flat tall.pgm 100 9000
    printf 'imfilter' | dd of=tall.pgm bs=1 seek=400000 conv=notrunc status=none
    mkdir in
    cp tall.pgm in/a.pgm
    cp tall.pgm in/b.pgm
    cp "$TESTDATA/noise.png" in/c.png
    imf -q -f sharpen -f box:5 --backend=cpu tall.pgm -o want.pgm
    imf -q -f sharpen -f box:5 --backend=gles tall.pgm -o got.pgm
    cmp want.pgm got.pgm
    imf -q -r -j3 -f sharpen -f box:5 --backend=gles in -o out/
    cmp want.pgm out/a.pgm
    cmp want.pgm out/b.pgm
    imf --json -f box:5 --backend=gles tall.pgm -o got.pgm | json 'o["backend"] + " " + o["algorithm"]' >got
    [ "$(cat got)" = "gles shader 5x5, exact, float32" ]
}

@test "what shaders are not for is refused with its reason, and told by --explain" {
    make_flat large.pgm 40 30
    imf -f sharpen --depth=16 large.pgm -o wide.pgm
    local row why
    while IFS='|' read -r row why; do
        echo "$row"
        # shellcheck disable=SC2086 # several words
        imf_run $row --backend=gles -o out.pgm
        [ "$status" -eq 2 ]
        one_line "--backend=gles cannot do this: $why (try --backend=auto)"
        [ ! -e out.pgm ]
        # shellcheck disable=SC2086
        imf_run $row --explain
        grep -qF "  gles       -  " <<<"$output"
        grep -qF "  $why" <<<"$output"
    done <<'END'
-f blur:2 large.pgm|only kernels of integers: shaders promise no rounding
-f box:33 large.pgm|the kernel is larger than 31x31
-f sharpen wide.pgm|only 8-bit images
-f median:1 large.pgm|this is no sum of products
-f lowpass:0.1 large.pgm|frequency-domain filters need the FFT
-f kernel:30000,30000,30000 large.pgm|sums would reach 2^24
END
}

@test "without OpenGL ES asking for it is an error, and nothing else notices" {
    make_pgm a.pgm
    # What Mesa and others are found by.
    export __EGL_VENDOR_LIBRARY_FILENAMES=$PWD/none
    imf_run -f sharpen --backend=gles a.pgm -o out.pgm
    [ "$status" -eq 3 ]
    one_line "no OpenGL ES 2: "
    [ ! -e out.pgm ]
    imf_run -f sharpen --explain a.pgm -o out.pgm
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    grep -q '^  gles  *shader 3x3, exact, float32 ' <<<"$output"
}

@test "left to choose, it is not taken where it draws on the processor" {
    need_gles
    make_flat a.pgm 700 600
    printf 'imfilter' | dd of=a.pgm bs=1 seek=200000 conv=notrunc status=none
    # A magnitude of kernels that have more products than the host's vectors take.
    mkdir -p config/imfilter
    {
        echo 'combine magnitude'
        for name in a b; do
            printf '\nkernel %s\n' $name
            seq 1 961 | awk '{ printf "%d%s", $1 * $1 * 31 % 101 - 50, $1 % 31 ? " " : "\n" }'
        done
    } >config/imfilter/wide.flt
    export XDG_CONFIG_HOME=$PWD/config
    OCL_ICD_VENDORS=$PWD/none imf_run -f wide --explain --json a.pgm -o got.pgm
    [ "$status" -eq 0 ]
    imf -q -f wide --backend=cpu a.pgm -o want.pgm
    cmp want.pgm got.pgm
    # What it would be on a GPU is test_gles.c's.
    imf_run -q -f wide --backend=gles --json a.pgm -o got.pgm
    [[ $output == *'"device":"llvmpipe'* || $output == *'"device":"softpipe'* ]] || skip "this is a GPU"
    OCL_ICD_VENDORS=$PWD/none imf_run -f wide --explain a.pgm -o got.pgm
    grep -q '^  gles .* OpenGL ES draws on the processor here$' <<<"$output"
    grep -q '^\* cpu ' <<<"$output"
    # Nor is it looked for where the host is faster.
    OCL_ICD_VENDORS=$PWD/none imf_run -f box:9 --explain a.pgm
    grep -q '^\* vector ' <<<"$output"
}
