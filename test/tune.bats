# --tune: the rates that plans go by are measured, kept, shown, and used only where they belong.
load helper

need_device() {
    "$IMFILTER" --list-devices | grep -q '^0 ' || skip "there is no OpenCL device"
}

@test "--tune measures, keeps the rates, and later runs say so" {
    need_thorough
    need_device
    export XDG_CACHE_HOME=$PWD/cache
    make_pgm a.pgm
    imf_run --tune=show
    [ "$status" -eq 0 ]
    [[ $output == *": rates as shipped"* ]]
    imf_run -f blur:2 --explain --device=0 a.pgm
    [[ $output != *--tune* ]]

    imf_run --tune
    echo "$output $stderr"
    if [ "$status" -ne 0 ]; then
        one_line "too slow, or too busy"
        skip "the device is too busy to be measured"
    fi
    [ -z "$stderr" ]
    [[ $output == *": rates measured here"* ]]
    [[ $output == *"times were taken"* ]]
    rates=(cache/imfilter/*.rates)
    [ "${#rates[@]}" -eq 1 ]

    imf_run -f blur:2 --explain --device=0 a.pgm
    [ "$status" -eq 0 ]
    [ "$(grep -c 'measured on this device (--tune)' <<<"$output")" -eq 1 ]
    imf_run -f blur:2 --explain --json --device=0 a.pgm
    [ "$(json 'o["measured"]' <<<"$output")" = True ]
    imf_run --tune=show
    [[ $output == *": rates measured here"* ]]

    # A damaged file, one for another driver, and one that others can write are ignored.
    cp "${rates[0]}" kept
    head -c 300 kept >"${rates[0]}"
    imf_run --tune=show
    [ "$status" -eq 0 ]
    [[ $output == *": rates as shipped"* ]]
    sed 's/^driver /driver 9/' kept >"${rates[0]}"
    imf_run --tune=show
    [[ $output == *": rates as shipped"* ]]
    cp kept "${rates[0]}"
    chmod 666 "${rates[0]}"
    imf_run --tune=show
    [[ $output == *": rates as shipped"* ]]
    chmod 600 "${rates[0]}"
    imf_run --tune=show
    [[ $output == *": rates measured here"* ]]
    imf_run --list-devices
    [[ $output == *"rates: measured on this device"* ]]
}

@test "--tune where nothing can be kept or there is no device" {
    imf_run --tune=fast
    [ "$status" -eq 2 ]
    one_line "show"
    OCL_ICD_VENDORS=/nonexistent imf_run --tune
    [ "$status" -eq 3 ]
    one_line "OpenCL device"
    imf_run --tune=show --device=nonesuch
    [ "$status" -eq 3 ]
}
