#!/usr/bin/env bats
# hidden.bats - under --alpha=auto a pixel of alpha 0 has no colour
load helper

table() { # OPTION...
    run python3 "$BATS_TEST_DIRNAME/hidden.py" "$IMFILTER" "$@"
    echo "$output" # the table, if it fails
    [ "$status" -eq 0 ]
    [[ ${lines[-1]} == "hidden: "[1-9]*" passed, 0 failed" ]]
}

# gray alpha, a row: each pixel is a colour and an alpha
row() { # COLOUR ALPHA...
    printf 'P7\nWIDTH %d\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n' $(($# / 2))
    for v in "$@"; do printf "\\x$(printf %x "$v")"; done
}

values() { # FILE
    tail -c "$((2 * ${2:-5}))" "$1" | od -An -v -tu1 | xargs
}

@test "what is seen does not depend on colours under alpha 0, whatever the filter" {
    need_python numpy
    if [ -n "${THOROUGH:-}" ]; then
        table --thorough
    else
        for filter in median canny flatten equalize denoise; do
            table --only="$filter"
        done
    fi
}

@test "nor where rows stream" {
    need_python numpy
    for filter in close ${THOROUGH:+equalize clahe}; do
        table --large --plain --only="$filter"
    done
}

@test "nor on a device" {
    need_python numpy
    "$IMFILTER" --list-devices | grep -q '^0 ' || skip "there is no device"
    if [ -n "${THOROUGH:-}" ]; then table --with=--device=0; fi
    table --plain --only=laplacian --with="--device=0 --range=normalize"
}

@test "a hidden pixel takes the nearest visible colour, the left one of two" {
    row 50 255 9 0 9 0 200 255 9 0 >in.pam
    imf -q -f kernel:0,0,1,0,0:scale=2 in.pam -o out.pam
    [ "$(values out.pam)" = "25 255 25 0 100 0 100 255 100 0" ]
    row 50 255 9 0 200 255 9 0 9 0 >in.pam
    imf -q -f kernel:0,0,1,0,0:scale=2 in.pam -o out.pam
    [ "$(values out.pam)" = "25 255 25 0 100 255 100 0 100 0" ]
    imf -q -f kernel:0,0,1,0,0:scale=2 --alpha=keep in.pam -o out.pam
    [ "$(values out.pam)" = "25 255 4 0 100 255 4 0 4 0" ]
    # What reads no pixel but its own leaves hidden colours hidden: it need not look for others.
    imf -q -f kernel:1:scale=2 in.pam -o out.pam
    [ "$(values out.pam)" = "25 255 4 0 100 255 4 0 4 0" ]
}

@test "histograms and ranges are those of what is visible" {
    row 50 255 0 0 100 255 255 0 75 1 >in.pam
    imf -q -f equalize in.pam -o out.pam
    [ "$(values out.pam | cut -d' ' -f1,5,9)" = "0 255 128" ]
    imf -q -f kernel:2 --range=normalize in.pam -o out.pam
    [ "$(values out.pam | cut -d' ' -f1,5,9)" = "0 255 128" ]
    imf -q -f equalize --alpha=keep in.pam -o out.pam
    [ "$(values out.pam | cut -d' ' -f1,5,9)" = "64 191 128" ]
}

@test "what a mask or a region leaves out keeps its colours, those that are hidden too" {
    row 50 255 9 0 200 255 8 0 7 0 >in.pam
    imf -q -f dilate:1 --region=1x1+0+0 in.pam -o out.pam
    [ "$(values out.pam)" = "50 255 9 0 200 255 8 0 7 0" ]
    imf -q -f dilate:1 --strength=0 in.pam -o out.pam
    cmp in.pam out.pam
}

@test "fill gives hidden pixels the nearest visible colour, and keeps alpha" {
    printf 'P7\nWIDTH 5\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\1\0\310\1\2\0\3\0\62\377' >a.pam
    for options in "" "--alpha=keep" "--alpha=premultiply" "--alpha=filter" "--backend=cpu" "-f fill" "--linear"; do
        imf -f fill $options a.pam -o b.pam
        echo "$options: $(tail -c 10 b.pam | od -An -tu1)"
        [ "$(tail -c 10 b.pam | od -An -tu1 | xargs)" = "200 0 200 1 200 0 50 0 50 255" ]
    done
    imf -f invert -f fill a.pam -o b.pam
    [ "$(tail -c 10 b.pam | od -An -tu1 | xargs)" = "55 0 55 1 55 0 205 0 205 255" ]
    imf -f fill -f invert a.pam -o b.pam
    [ "$(tail -c 10 b.pam | od -An -tu1 | xargs)" = "55 0 55 1 55 0 205 0 205 255" ]
    imf -f fill "$TESTDATA/noise-rgb.png" -o a.ppm # without alpha
    imf -f kernel:1 "$TESTDATA/noise-rgb.png" -o b.ppm
    cmp a.ppm b.ppm
    imf -f fill "$TESTDATA/types/pal4.png" -o a.png # its palette stays, too
    [ "$(od -An -tu1 -j24 -N2 a.png | xargs)" = "4 3" ]
}
