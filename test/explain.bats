# --explain, --verify and --bench: what they print and when an image is written.
load helper

@test "an algorithm of many passes is cut between two of them" {
    make_pgm a.pgm
    imf_run -f gradient:1 --explain a.pgm
    grep -q '^\* 1  *vector  *minimum of 3x3, by blocks and doubling ' <<<"$output"
    grep -q '^\* 1  *vector  *maximum of 3x3, by blocks and doubling ' <<<"$output"
    imf -f open:2 -f close:3 -f open:4 --json a.pgm -o b.pgm | json 'o["algorithm"]' >got
    grep -qE '^[a-z]+ of 5x5, [^+]* \+ ([^+]*\+ )*[0-9] more$' got
}

@test "--explain alone writes nothing and marks one choice" {
    make_pgm a.pgm
    imf_run -f blur:2 --explain a.pgm
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ $output == "a.pgm: 4x3 gray, 8 bits: blur:2 on "* ]]
    [[ $output == *"estimate ms"* ]]
    [ "$(grep -c '^\* ' <<<"$output")" -eq 1 ]
    for backend in direct separable fft vector cpu; do
        grep -q "^[* ] 1  *$backend " <<<"$output"
    done
    # The shape is the input's, whatever the filter makes of it.
    make_ppm ../a.ppm
    imf_run -f gray -f threshold:0.5 --depth=16 --explain ../a.ppm
    [[ $output == "../a.ppm: 3x2 RGB, 8 bits: gray | threshold:0.5 on "* ]]
    [ "$(ls)" = a.pgm ]
}

# The lists of lib/plan: what a filter is lowered to, which rules have changed it, and the passes.
steps() { # OPTION... FILE
    imf_run --explain -v "$@"
    sed -n '/^lowered:$/,$p' <<<"$output"
}

@test "-v --explain shows operations, what they become, and passes" {
    make_pgm a.pgm
    steps -f kernel:1,2,1/2,4,2/1,2,1:scale=16 -f median:1 -f gray a.pgm >got
    diff - got <<'END'
lowered:
   1  convolve 3x3 of the image, up to 255
   2  rank of 1, up to 255
rewritten:
   1  convolve 3x3 of the image, up to 255
   2  rank of 1, up to 255
passes:
   1  solver of the image, up to 255, integers; as 8 bits, exact
   2  solver of 1, up to 255, integers; as 8 bits, exact
END
    # A large difference of Gaussians becomes two blurs.
    steps -f dog:30:50 a.pgm | sed 's/, within .*//' >got
    diff - got <<'END'
lowered:
   1  convolve 501x501 of the image, up to 183.727
   2  scalar of 1, up to 183.727
rewritten:
   1  convolve 501x501 of the image, up to 255
   2  convolve 301x301 of the image, up to 255
   3  subtract of 2 and 1, up to 255
   4  scalar of 3, up to 255
passes:
   1  solver of the image, up to 255; as floats
   2  solver of the image, up to 255; as floats
   3  points of 2 and 1, up to 255; as 8 bits
END
}

@test "an integer kernel leaves its scale to what follows it" {
    make_pgm a.pgm
    steps -f laplacian --range=normalize -f blend:lighten:0.5 -f blend:normal:0.5 a.pgm | sed -n '/^rewritten/,$p' >got
    diff - got <<'END'
rewritten:
   1  convolve 3x3 of the image, up to 2040, integers
   2  normalize of 1, up to 255
   3  blend of 2 and the image, up to 255
passes:
   1  solver of the image, up to 2040, integers; as floats, exact
   2  points of 1 and the image, up to 255; as 8 bits
END
    steps -f box:3 --alpha=premultiply "$TESTDATA/alpha.png" | sed -n '/^lowered/,$p' | sed 's/, within.*//' >got
    diff - got <<'END'
lowered:
   1  premultiply of the image, up to 255, integers if opaque
   2  convolve 3x3 of 1, up to 255
   3  unpremultiply of 2, up to 255
rewritten:
   1  premultiply of the image, up to 255, integers if opaque
   2  convolve 3x3 of 1, up to 2295, integers if opaque
   3  unpremultiply of 2, up to 255
passes:
   1  points of the image, up to 255, integers if opaque; as floats
   2  solver of 1, up to 2295, integers if opaque; as floats
   3  points of 2, up to 255; as 8 bits
END
}

@test "--explain with an output does both" {
    make_pgm a.pgm
    imf_run -f blur:2 --explain a.pgm -o b.pgm
    [[ $output == *"estimate ms"* ]]
    [ -e b.pgm ]
}

@test "--explain --dry-run plans and writes nothing" {
    make_pgm a.pgm
    imf_run -f blur:2 --explain -n a.pgm -o out/
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "a.pgm -> out/a.pgm" ]
    [[ $output == *"estimate ms"* ]]
    [ ! -e out ]
}

@test "--backend=cpu is what --explain then says" {
    make_pgm a.pgm
    imf_run -f blur:2 --explain --backend=cpu a.pgm
    [ "$status" -eq 0 ]
    grep -q '^\* [0-9]*  *cpu ' <<<"$output"
}

@test "a backend that cannot do a filter is refused with its reason" {
    need_opencl
    make_pgm a.pgm
    imf_run -f lowpass:0.1 --backend=direct a.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "a.pgm: "
    [ ! -e out.pgm ]
}

@test "--backend=separable takes products of a column and a row and nothing else" {
    need_opencl
    make_flat a.pgm 40 30
    imf_run -f box:5 -f blur:2 --backend=separable --explain a.pgm
    [ "$status" -eq 0 ]
    grep -q '^\* 1  *separable  *separable 5 + 5' <<<"$output"
    grep -q '^\* 2  *separable  *separable 17 + 17' <<<"$output"
    imf -f box:5 -f blur:2 --backend=separable --verify a.pgm
    imf_run -f disk:3 --backend=separable a.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "--backend=separable cannot do this: the kernel is not the product of a column and a row"
    imf_run -f box:5 --backend=direct --explain a.pgm
    grep -q '^\* [0-9]*  *direct  *direct 5x5' <<<"$output"
}

@test "--explain without OpenCL says so, and not that it would cost more" {
    make_flat flat.pgm 1000 1000
    imf -f kernel:1 --depth=16 flat.pgm -o a.pgm
    large_kernel k.txt
    OCL_ICD_VENDORS=$PWD/none imf_run -f kernel:@k.txt:scale=auto --explain a.pgm
    [ "$status" -eq 0 ]
    grep -q '^\* [0-9]*  *vector .*OpenCL is not usable here$' <<<"$output"
    grep -q '^  [0-9]*  *direct .*passed over: OpenCL is not usable$' <<<"$output"
    make_flat b.pgm 10 10
    imf_run -f log:14 --explain b.pgm
    grep -q '^\* [0-9]*  *vector .*starting OpenCL would cost more$' <<<"$output"
}

@test "--explain says that OpenCL's start decided only where OpenCL could do it" {
    make_flat a.pgm 300 200
    imf_run -f box:31 --explain a.pgm
    grep -q '^\* .*cheapest: starting OpenCL would cost more$' <<<"$output"
    imf_run -f box:31 --max-memory=20M --explain a.pgm
    [ "$status" -eq 0 ]
    grep -q '^  [0-9]*  *direct .*over the limit of 20' <<<"$output"
    grep -q '^\* .*cheapest of those that can do this$' <<<"$output"
}

@test "what a driver that was opened takes is counted, whoever does the work" {
    need_opencl
    make_flat a.pgm 300 200
    mib() { imf -f box:31 --explain "$@" a.pgm | awk '$1 == "all" { print $(NF - 1) }'; }
    closed=$(mib) opened=$(mib --device=cpu) limited=$(mib --device=cpu --max-memory=100M)
    echo "$closed $opened $limited"
    [ "$closed" -lt 20 ]
    [ "$opened" -gt 60 ]
    [ "$limited" -eq "$opened" ]
}

@test "small kernels are filtered on the host's cores, with or without OpenCL" {
    make_flat a.pgm 1000 1000
    make_ppm b.ppm
    for spec in sharpen box:5 sobel laplacian emboss blur:2 kernel:1,2,1/2,4,2/1,2,1:scale=auto; do
        echo "$spec"
        for image in a.pgm b.ppm; do
            imf_run -f $spec --explain $image
            grep -q '^\* [0-9]*  *vector .*starting OpenCL would cost more$' <<<"$output"
            imf -q -f $spec --backend=vector --verify $image -o vector.pnm
            OCL_ICD_VENDORS=$PWD/none imf -q -f $spec $image -o without.pnm
            cmp vector.pnm without.pnm
        done
    done
    for edge in clamp reflect mirror wrap constant:0.4; do
        imf -q -f blur:2 -f sobel --backend=vector --edge=$edge --verify b.ppm
        imf -q -f kernel:1,2,1 -f kernel:1/2/1 -f sobel --backend=vector --edge=$edge --verify a.pgm
    done
    imf_run -f sobel --backend=vector --verify --edge=wrap b.ppm
    [ "$output" = "b.ppm: verified: 18 samples, 0 differ, largest difference 0" ]
}

@test "vectors take every filter, in float64 where floats do not suffice" {
    make_pgm a.pgm
    local spec
    imf -q -f lowpass:0.1 -f log:14 --backend=vector --verify a.pgm
    for spec in "--depth=16 -f laplacian -f scharr -f bilateral:3:0.1" "--linear -f bilateral:2:0.1 -f sharpen:8 -f sharpen:8" \
        "--linear --depth=16 -f guided:2:0.1 -f sharpen:8 -f sharpen:8"; do
        imf -q $spec --backend=vector --verify a.pgm
        imf_run $spec --backend=vector --explain a.pgm
        grep -q '^\* [0-9]*  *vector .*float64' <<<"$output"
    done
    for spec in "-f blur:2 -f disk:20" "-f disk:20 --linear" "-f motion:9:30 -f box:9"; do
        imf -q $spec --backend=vector --verify a.pgm
    done
    for spec in sharpen blackhat:1 sobel:dir=x blur:2 "log:2 -f unsharp"; do
        imf -q -f ${spec} --range=normalize --backend=vector --verify a.pgm
    done
}

@test "--verify prints what it compared, with and without an output" {
    make_pgm a.pgm
    imf_run -f sharpen --verify a.pgm
    [ "$status" -eq 0 ]
    [ "$output" = "a.pgm: verified: 12 samples, 0 differ, largest difference 0" ]
    [ "$(ls)" = a.pgm ]
    imf_run -f sharpen --verify a.pgm -o b.pgm
    [ "$status" -eq 0 ]
    [ -e b.pgm ]
}

@test "gradients' magnitudes go through the frequency domain, exactly" {
    need_opencl
    make_ppm b.ppm
    for spec in sobel scharr prewitt; do
        imf_run -f "$spec" --backend=fft --verify b.ppm -o fft.ppm
        [ "$status" -eq 0 ]
        [[ $output == *" 0 differ, largest difference 0" ]]
        imf -f "$spec" --backend=cpu b.ppm -o cpu.ppm
        cmp fft.ppm cpu.ppm
    done
    # Of sixteen bits the proven bound is too wide to tell integers apart.
    { printf 'P2 67 41 65535\n' && awk 'BEGIN { for (i = 0; i < 67 * 41; i++) print i * 40503 % 65536 }'; } >deep.pgm
    imf_run -f sobel --backend=fft --edge=mirror deep.pgm -o fft.pgm
    [ "$status" -eq 2 ]
    [[ $stderr == *"in sums that must be exact"* ]]
}

@test "a magnitude that transforms cannot sum exactly is refused, and why is said" {
    need_opencl
    printf '%s\n' 'summary strong' 'combine magnitude' '' 'kernel x' '-9000 0 9000' '' 'kernel y' \
        '0 7000 -7000' >strong.flt
    printf 'P2 3 2 65535\n1 2 3 60000 5 6\n' >deep.pgm
    imf_run -f ./strong.flt --explain deep.pgm
    grep -q '^  [0-9]*  *fft .* leave an error of .* in sums that must be exact$' <<<"$output"
    imf_run -f ./strong.flt --backend=fft deep.pgm -o out.pgm
    [ "$status" -ne 0 ]
    [[ $stderr == *"in sums that must be exact"* ]]
}

@test "--verify agrees for convolutions and point operations" {
    make_flat a.pgm 40 30
    make_ppm b.ppm
    for spec in sharpen unsharp blur:1.5 box:3 disk:2 motion:5:30 sobel prewitt:dir=x scharr \
        laplacian log:1 dog:1:2 emboss kernel:1,2,1/2,4,2/1,2,1:scale=auto gray invert \
        threshold:0.5; do
        echo "$spec"
        imf -f "$spec" --verify a.pgm
        imf -f "$spec" --verify b.ppm
    done
}

@test "--verify agrees for frequency-domain filters" {
    make_flat a.pgm 40 30
    make_ppm b.ppm
    for spec in lowpass:0.2 highpass:0.2 bandpass:0.1:0.3 bandstop:0.1:0.3:type=butterworth \
        notch:0.25:0:0.05; do
        echo "$spec"
        imf -f "$spec" --verify a.pgm
        imf -f "$spec" --verify b.ppm
    done
}

@test "--bench prints the times and writes no image" {
    make_pgm a.pgm
    imf_run -f blur:2 --bench=2 a.pgm
    [ "$status" -eq 0 ]
    [[ $output == "a.pgm: compute min "*", median "*" ms; upload median "* ]]
    [ "$(ls)" = a.pgm ]
}

@test "--bench excludes --in-place and --dry-run" {
    make_pgm a.pgm
    cp a.pgm copy.pgm
    imf_run -f blur:2 --bench -i a.pgm
    [ "$status" -eq 2 ]
    imf_run -f blur:2 --bench -n a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    cmp a.pgm copy.pgm
}
