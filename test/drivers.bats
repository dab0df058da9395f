# Devices that are less than those at hand: drivers/liar.c before a driver lets one lack something.
load helper

need_liar() {
    command -v cc >/dev/null || skip "no compiler"
    "$IMFILTER" --list-devices | grep -q '^0 ' || skip "there is no OpenCL device"
    LIAR=$BATS_RUN_TMPDIR/liar.so
    [ -e "$LIAR" ] ||
        { cc -w -shared -fPIC -o "$LIAR.$$" "$BATS_TEST_DIRNAME/drivers/liar.c" -lpthread 2>cc.log &&
            mv "$LIAR.$$" "$LIAR"; } || skip "no headers for layers of OpenCL"
    OPENCL_LAYERS=$LIAR LIES=gpu "$IMFILTER" --list-devices | grep -q '(gpu)' ||
        skip "the OpenCL loader takes no layers"
}

# The device without what LIES say filters PICTURE as the reference does, with the options of each line of
# standard input: by what stands before them, or not at all for a reason that has those words. Lines that begin
# with + take THOROUGH.
on_less() { # LIES PICTURE
    local words options
    while IFS='|' read -r words options; do
        [[ -n $direct || $words != +* ]] || continue
        words=${words#+}
        # shellcheck disable=SC2086 # several words
        OPENCL_LAYERS=$LIAR LIES=$1 imf_run -q $options --device=0 --verify --json "$2" -o out.png
        echo "$1, $options: $status $output $stderr"
        case $words in
        not:*)
            [ "$status" -eq 2 ]
            one_line "cannot do this: "
            [[ $stderr == *"${words#not:}"* ]]
            ;;
        *)
            [ "$status" -eq 0 ]
            [[ $output == *'"algorithm":"'*"$words"* && $output == *'"verify_ok":true'* ]]
            [[ $output != *'"device":"host"'* ]]
            ;;
        esac
    done
}

@test "a GPU of one work-item a group, without float64" {
    need_liar
    on_less discrete,group:1,no-double "$TESTDATA/alpha.png" <<'END'
direct 3x3|-f sharpen --backend=direct
fft tiles|-f sobel --backend=fft
+two passes|-f box:9 --backend=separable
+rank|-f median:2
fft 112x112|-f highpass:0.1
not:must be exact|-f sharpen --backend=fft
END
}

@test "a GPU works in the frame of the upright picture" {
    need_liar
    for n in 2 5 7; do
        on_less gpu "$TESTDATA/foreign/orient-$n.png" <<'END'
like blocks|-f denoise:3%:quality=best --backend=direct
total variation|-f deblur:disk:1:prior=tv:iterations=5 --backend=fft
END
    done
}

@test "devices whose largest work-group is small" {
    need_pocl
    for group in 1 48; do
        for filter in 'sharpen --edge=wrap' 'blur:2 --linear -f gray' 'sobel:dir=x --range=normalize' \
            'disk:9' 'highpass:0.1'; do
            case $direct$group:$filter in
            direct48:highpass*) continue ;;
            direct* | 1:sharpen* | 1:highpass* | 48:sobel* | 48:disk*) ;;
            *) continue ;;
            esac
            echo "$group: $filter"
            # shellcheck disable=SC2086 # several words
            POCL_MAX_WORK_GROUP_SIZE=$group imf_run -f $filter --device=0 --verify --json "$TESTDATA/alpha.png"
            echo "$output $stderr"
            [ "$status" -eq 0 ]
            [[ $output != *'"device":"host"'* ]]
        done
    done
}

@test "a GPU with little local memory" {
    need_liar
    on_less discrete,local:1024 "$TESTDATA/alpha.png" <<'END'
rank 5 of 9 in 3x3|-f median:1 --backend=direct
+maximum of 15x15, runs|-f dilate:7 --backend=direct
fft tiles|-f sobel --backend=fft
END
}

@test "a GPU whose buffers are small" {
    need_liar
    imf -f kernel:1 "$TESTDATA/still.jpg" -o still.ppm
    on_less discrete,alloc:1048576 still.ppm <<'END'
direct|-f sharpen
not:a buffer of 2 MiB is over the device's limit of 1|-f box:9 --backend=separable
not:more than the device's memory|-f highpass:0.1 --backend=fft
END
    # what is too large for the image at once is not too large for the bands that stream
    python3 -c 'import sys
sys.stdout.buffer.write(b"P5 400 30000 255\n" + bytes(i * i >> 9 & 255 for i in range(400000)) * 30)' >long.pgm
    while IFS='|' read -r words options; do
        # shellcheck disable=SC2086 # several words
        imf ${options% *} --backend=vector long.pgm -o want.pgm
        # shellcheck disable=SC2086
        OPENCL_LAYERS=$LIAR LIES=discrete,alloc:8388608 imf_run $options --device=0 --json long.pgm -o out.pgm
        echo "$options: $status $output $stderr"
        [ "$status" -eq 0 ]
        [[ $output == *'"algorithm":"'*"$words"* && $output != *'"device":"host"'* ]]
        cmp want.pgm out.pgm
    done <<'END'
two passes|-f box:9 --backend=separable
rows, then columns|-f erode:9 --backend=direct
END
}

@test "a device whose memory others have taken: the host takes over, with one warning" {
    need_liar
    imf -f kernel:1 --depth=16 "$TESTDATA/still.jpg" -o still.ppm
    large_kernel k.txt
    imf -f kernel:@k.txt:scale=auto -f invert --backend=cpu still.ppm -o want.ppm
    export OPENCL_LAYERS=$LIAR LIES=taken:100000
    imf_run -f kernel:@k.txt:scale=auto -f invert still.ppm -o out.ppm
    echo "$stderr"
    [ "$status" -eq 0 ]
    one_line "warning: cannot make a buffer of "
    cmp want.ppm out.ppm
    imf_run -f disk:9 --backend=fft still.ppm -o fft.ppm
    [ "$status" -eq 1 ]
    one_line "still.ppm: cannot make a buffer of "
    [ ! -e fft.ppm ]
}

@test "--list-devices says what a device lacks, and what auto does with it" {
    need_liar
    export OPENCL_LAYERS=$LIAR
    LIES=discrete,no-double,local:1024,group:1,alloc:1048576 imf_run --list-devices
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"lacks: float64, unified memory, 48 KiB of local memory, work-groups of 256, buffers of 128 MiB"* ]]
    [[ $output == *"auto: taken"* && $output == *"rates: as shipped"* ]]
    LIES=no-compiler imf_run --list-devices
    output=$(sed '/^gles/,$d' <<<"$output")
    [[ $output == *") not usable: the driver has no compiler"* && $output != *"auto:"* ]]

    POCL_DEVICES='pthread pthread' LIES_OF=1 LIES=gpu imf_run --list-devices --json
    output=$(grep '"index":[0-9]' <<<"$output")
    echo "$output"
    [ "$(wc -l <<<"$output")" -eq 2 ] || skip "needs PoCL alone"
    json 'o["auto"], o.get("why"), o["unified"], o["tuned"], o["max_group"] > 0, o["max_buffer"] > 0' \
        <<<"$output" >said
    cat said
    [ "$(cat said)" = "(False, 'device 1 is a GPU', True, False, True, True)
(True, None, True, False, True, True)" ]
    POCL_DEVICES='pthread pthread' LIES_OF=0 LIES=group:64 imf_run --list-devices
    [[ $output == *"auto: passed over: device 0 comes first"* ]]
}

@test "checkcl counts what a device lacks as not applicable, and finds a device by its name" {
    need_liar
    [ -x "${BUILD:-build}/checkcl" ] || skip "checkcl is not built"
    export OPENCL_LAYERS=$LIAR LIES=no-double
    run "${BUILD:-build}/checkcl" --quick --only='fft*' --device=NO-DOUBLE
    echo "$output"
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == "checkcl on "*"(no-double)" ]]
    [[ ${lines[-1]} =~ ^checkcl:\ [1-9][0-9]*\ passed,\ 0\ failed,\ [1-9][0-9]*\ not\ applicable$ ]]
    run "${BUILD:-build}/checkcl" --oclgrind --only=bands --device=no-such
    [ "$status" -eq 1 ]
    [[ $output == *"no device's name contains 'no-such'"* ]]
}

@test "a row of the table of drivers" {
    need_liar
    [ -x "${BUILD:-build}/checkcl" ] || skip "checkcl is not built"
    export EVERY=300 FILTERS=sharpen
    export CHECKCL_OPTIONS='--oclgrind --only=threshold:otsu*'
    BUILD=${BUILD:-build} run sh "$BATS_TEST_DIRNAME/drivers.sh" less
    echo "$output"
    [ "$status" -eq 0 ]
    [[ ${lines[-1]} == "| less:"*" (discrete,no-double,group:1), driver "*" | "[1-9]", 0 failed | 2, 0 failed, 0 not applicable | 1, 0 failed, 0 not applicable |" ]]
    BUILD=${BUILD:-build} OCL_ICD_VENDORS=/none run sh "$BATS_TEST_DIRNAME/drivers.sh" pocl
    [ "${lines[-1]}" = "| PoCL | no device | | | |" ]
}

# A backend's algorithm and estimate for the first stage, of --explain's table.
candidate() { # BACKEND
    sed 's/^[* ] 1 /  1 /' | awk -F '  +' -v backend="$1" '$2 == 1 && $3 == backend { print $4, $5; exit }'
}

@test "--explain shows what --backend would do on the device that is there, though none is opened for this image" {
    need_liar
    export OPENCL_LAYERS=$LIAR LIES=discrete
    for filter in unsharp:sigma=3 log:2 dog:2:4 blur:3 disk:5; do
        # The device is not known from a run before.
        XDG_CACHE_HOME=$PWD/none-$filter imf_run -f $filter --explain "$TESTDATA/noise-rgb.png"
        grep -q '^\* .* vector ' <<<"$output"
        told=$output
        for backend in direct separable fft; do
            imf_run -f $filter --backend=$backend --explain "$TESTDATA/noise-rgb.png"
            echo "$filter $backend: $(candidate $backend <<<"$told")"
            if [ "$status" -eq 0 ]; then
                [ "$(candidate $backend <<<"$told")" = "$(candidate $backend <<<"$output")" ]
            else
                [ "$(candidate $backend <<<"$told")" = "- -" ]
            fi
        done
    done
}
