# What goes wrong: the message, the status, and what is left.
load helper

@test "spec errors: status 2, one line with the spec and a column, nothing written" {
    make_pgm a.pgm
    for spec in blur blur:x blur:0 blur:-1 blur:nan blur:inf blur:1e999 blur:1:2 nosuchfilter '' : \
        sharpen:1,5 sobel:dir=up kernel:1,2/3 kernel: kernel:1,foo,3 kernel:@missing.txt \
        threshold:x highpass:0.8 lowpass:0.1:type=square bandstop:0.3:0.2; do
        imf_run -f "$spec" a.pgm -o out.pgm
        echo "$spec"
        [ "$status" -eq 2 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ ${stderr_lines[0]} == "imfilter: "* ]]
        [ ! -e out.pgm ]
    done
    imf_run -f blur:x a.pgm -o out.pgm
    one_line "column 6"
}

@test "a band without width is refused" {
    make_pgm a.pgm
    for spec in bandpass:0.2:0.2 bandstop:0.2:0.2; do
        imf_run -f "$spec" a.pgm -o out.pgm
        [ "$status" -eq 2 ]
        one_line "LOW must be below HIGH"
        [ ! -e out.pgm ]
    done
    imf -f bandpass:0.2:0.2000001 --edge=wrap a.pgm -o out.pgm
}

@test "the second spec of a chain is checked before anything is written" {
    make_pgm a.pgm
    imf_run -f invert -f blur:x a.pgm -o out/
    [ "$status" -eq 2 ]
    [ "$(ls)" = a.pgm ]
}

@test "a missing input" {
    imf_run -f invert missing.png -o out.png
    [ "$status" -eq 1 ]
    one_line "missing.png: cannot open: No such file or directory"
    [ ! -e out.png ]
}

@test "a file that is no image, an empty one, a directory" {
    echo 'this is no image' >text.png
    : >empty.png
    mkdir dir
    for name in text.png empty.png dir; do
        imf_run -f invert $name -o out.png
        [ "$status" -eq 1 ]
        one_line "$name: "
        [ ! -e out.png ]
    done
}

@test "truncated images fail, and --lenient accepts what is readable" {
    awk 'BEGIN { print "P2 64 64 255"; for (i = 0; i < 4096; i++) print i * i * 7 % 251 }' >a.pgm
    imf -f invert a.pgm -o full.png
    imf -f invert a.pgm -o full.jpg
    imf -f invert a.pgm -o full.pgm
    for f in png jpg pgm; do
        size=$(stat -c %s full.$f)
        head -c $((size * 3 / 4)) full.$f >cut.$f
        imf_run -f invert cut.$f -o out.$f
        echo $f
        [ "$status" -eq 1 ]
        one_line "cut.$f: "
        [ ! -e out.$f ]
        imf_run -f invert --lenient cut.$f -o out.$f
        [ "$status" -eq 0 ]
        one_line "cut.$f: warning: "
        [ -e out.$f ]
        rm out.$f
    done
    no_temporaries
}

@test "an unreadable input" {
    need_unprivileged
    make_pgm a.pgm
    chmod 0 a.pgm
    chmod 777 .
    for out in '-o out.pgm' -i -i.bak; do
        # shellcheck disable=SC2086 # one word or two
        imf_run_unprivileged -f invert a.pgm $out
        [ "$status" -eq 1 ]
        one_line "a.pgm: cannot open: Permission denied"
        [ "$(ls)" = a.pgm ]
    done
}

@test "an output in a directory that is missing, or whose name is a directory's" {
    make_pgm a.pgm
    imf_run -f invert a.pgm -o no/such/out.pgm
    [ "$status" -eq 1 ]
    one_line "no/such/out.pgm: cannot write: No such file or directory"
    mkdir -p out/a.pgm
    imf_run -f invert a.pgm -o out
    [ "$status" -eq 1 ]
    one_line "out/a.pgm: cannot write: Is a directory"
}

@test "a directory that cannot be written" {
    need_unprivileged
    make_pgm a.pgm
    mkdir locked
    chmod 555 locked
    imf_run_unprivileged -f invert a.pgm -o locked/out.pgm
    [ "$status" -eq 1 ]
    one_line "locked/out.pgm: cannot write: Permission denied"
}

@test "a device that is not there: status 3, nothing written" {
    make_pgm a.pgm
    for device in 999 'no such device'; do
        imf_run -f blur:2 --device="$device" a.pgm -o out.pgm
        [ "$status" -eq 3 ]
        one_line "--list-devices"
        [ ! -e out.pgm ]
    done
    if ! imf --list-devices --json | grep -q '"kind":"gpu"'; then
        imf_run -f blur:2 --device=gpu a.pgm -o out/
        [ "$status" -eq 3 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [ ! -e out ]
    fi
}

@test "without any OpenCL driver filters still run on the host" {
    make_pgm a.pgm
    OCL_ICD_VENDORS="$PWD/none" imf_run -f blur:1 a.pgm -o out.pgm
    [ "$status" -eq 0 ]
    OCL_ICD_VENDORS="$PWD/none" imf_run -f blur:1 --device=cpu a.pgm -o two.pgm
    [ "$status" -eq 3 ]
}

@test "a format that cannot hold the image says which can" {
    printf 'P2\n2 1\n65535\n1 65535\n' >a.pgm
    imf_run -f kernel:1 a.pgm -o out.jpg
    [ "$status" -eq 1 ]
    one_line "out.jpg: JPEG cannot hold 16-bit samples (add --depth=8, or choose --format=png or --format=pnm)"
    [ ! -e out.jpg ]
    # Of those that hold CMYK one does not hold 16 bits.
    printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE CMYK\nENDHDR\naabbccdd' >b.pam
    imf_run -f kernel:1 b.pam -o out.png
    [ "$status" -eq 1 ]
    one_line "out.png: PNG cannot hold CMYK (choose --format=pnm)"
    imf_run -f kernel:1 --depth=8 b.pam -o out.png
    one_line "out.png: PNG cannot hold CMYK (choose --format=jpeg or --format=pnm)"
    imf -f kernel:1 --depth=8 a.pgm -o out.jpg
    no_temporaries
}
