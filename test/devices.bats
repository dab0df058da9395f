# What an OpenCL device may be like, and what may go wrong with one.
load helper

need_pocl() {
    "$IMFILTER" --list-devices | grep -qi 'portable computing language' ||
        skip "PoCL's variables are what makes the device"
}

@test "devices whose largest work-group is small" {
    need_pocl
    for group in 1 48; do
        for filter in 'sharpen --edge=wrap' 'blur:2 --linear -f gray' 'sobel --range=normalize' \
            'disk:9' 'highpass:0.1'; do
            [ $group -eq 1 ] || [ "$filter" != highpass:0.1 ] || continue
            echo "$group: $filter"
            # shellcheck disable=SC2086 # several words
            POCL_MAX_WORK_GROUP_SIZE=$group imf_run -f $filter --device=0 --verify --json "$TESTDATA/alpha.png"
            echo "$output $stderr"
            [ "$status" -eq 0 ]
            [[ $output != *'"device":"host"'* ]]
        done
    done
}
