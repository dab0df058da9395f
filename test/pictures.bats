# --show-kernel and --spectrum
load helper

# A cosine along u with 8 columns a period, amplitude 100 around 128, 64x64.
make_cosine() { # FILE
    printf 'P2\n64 64\n255\n' >"$1"
    for _ in $(seq 512); do echo 228 199 128 57 28 57 128 199; done >>"$1"
}

picture_size() { # FILE: "WIDTH HEIGHT" of a picture, by way of PNM
    imf -q -f kernel:1 --format=pnm "$1" -o - | sed -n 2p
}

@test "--show-kernel prints the coefficients, without an image" {
    imf_run -f sharpen --show-kernel </dev/null
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "${lines[0]}" = sharpen ]
    [[ $output == *"size 3x3, origin at column 2, row 2"* ]]
    [[ $output == *"scale 1, bias 0, sum 1, sum of |taps| 9"* ]]
    [[ $output == *"not separable"* ]]
    [[ $output == *"gain 1 at frequency 0, 5 at (0.5, 0), 5 at (0, 0.5), 9 at (0.5, 0.5)"* ]]
    [[ $output == *$'\n   0 -1  0\n  -1  5 -1\n   0 -1  0'* ]]
    [ "$(ls)" = "" ]
}

@test "both kernels of a gradient, every stage of a chain, point operations" {
    imf_run -f sobel -f gray -f box:3 --show-kernel
    [ "$status" -eq 0 ]
    for text in "stage 1 of 3: sobel" gx: gy: "separable: a column" "stage 2 of 3: gray" \
        "point operation" "stage 3 of 3: box:3" "scale 9"; do
        echo "$text"
        [[ $output == *"$text"* ]]
    done
}

@test "a transfer function has a table of gains" {
    imf_run -f highpass:0.1:type=ideal --show-kernel
    [ "$status" -eq 0 ]
    [[ $output == *"highpass, ideal, cutoff 0.1 cycles a pixel"* ]]
    [[ $output == *"dB"* ]]
    grep -qE '^ +0\.05 +20 +0 +-inf$' <<<"$output"
    grep -qE '^ +0\.25 +4 +1 +0\.00$' <<<"$output"
}

@test "a wide kernel is cut, -v prints it whole" {
    imf_run -f motion:40:30 --show-kernel
    [[ $output == *"... "* && $output == *"-v prints all"* ]]
    imf_run -f motion:40:30 --show-kernel -v
    [[ $output != *"..."* && $output != *"-v prints"* ]]
    imf_run -f blur:3 --show-kernel
    [[ $output == *"row:"* && $output == *"column:"* && $output == *"-v prints it"* ]]
    imf_run -f disk:10 --show-kernel
    [[ $output != *"..."* ]]
}

@test "--show-kernel=FILE draws, and prints too" {
    imf_run -f sharpen --show-kernel=k.png
    [ "$status" -eq 0 ]
    [[ $output == *sharpen* ]]
    [ "$(file_kind k.png)" = png ]
    read -r width height < <(picture_size k.png)
    [ "$width" -gt 512 ] && [ "$height" -gt 256 ]
    imf -f sharpen -f blur:1 --show-kernel=two.png >text
    read -r width height < <(picture_size two.png)
    [ "$height" -gt 1200 ]
    imf -f sharpen --show-kernel=k.jpg >text
    [ "$(file_kind k.jpg)" = jpeg ]
    imf -f sharpen --show-kernel=- >k2.png 2>text
    cmp k.png k2.png
    grep -q 'sum of' text
    no_temporaries
}

@test "--show-kernel beside filtering" {
    make_pgm a.pgm
    imf -f sharpen --show-kernel a.pgm -o b.pgm >text
    grep -q sharpen text
    [ -e b.pgm ]
    imf -f sharpen --show-kernel a.pgm -o - 2>text >c.pgm
    cmp b.pgm c.pgm
    grep -q 'sum of' text
}

@test "--show-kernel --json is one object" {
    [ "$(imf -f sharpen --show-kernel --json | json '(o["filter"], "3x3" in o["kernel"])')" = \
        "('sharpen', True)" ]
}

@test "--spectrum of an image alone" {
    make_cosine a.pgm
    imf_run --spectrum=s.png a.pgm
    [ "$status" -eq 0 ]
    [ -z "$output$stderr" ]
    [ "$(file_kind s.png)" = png ]
    read -r width height < <(picture_size s.png)
    [ "$width" -gt 256 ] && [ "$width" -lt 512 ]
    no_temporaries
}

@test "--spectrum with a filter is a pair, and -o still writes the result" {
    make_cosine a.pgm
    imf -f blur:2 --spectrum=s.png a.pgm
    read -r width height < <(picture_size s.png)
    [ "$width" -gt 512 ]
    [ "$(ls)" = "$(printf 'a.pgm\ns.png')" ]
    imf -f blur:2 --spectrum=s.png a.pgm -o b.pgm --verify --json >object
    imf -f blur:2 a.pgm -o c.pgm
    cmp b.pgm c.pgm
    [ "$(json '(o["spectrum"], o["verify_ok"], o["output"])' <object)" = "('s.png', True, 'b.pgm')" ]
    imf -f blur:2 --spectrum=t.png - -o d.pgm <a.pgm
    cmp c.pgm d.pgm
    cmp s.png t.png
}

@test "--spectrum of images of every shape and kind" {
    make_ppm a.ppm
    imf --spectrum=s.png a.ppm
    make_flat b.pgm 1 1
    imf --spectrum=s.png b.pgm
    make_flat b.pgm 1 700
    imf -f invert --spectrum=s.png b.pgm
    make_flat b.pgm 1300 900
    imf --spectrum=s.png b.pgm
    read -r width height < <(picture_size s.png)
    [ "$width" -ge 1024 ] && [ "$width" -lt 1200 ]
    imf -f invert --depth=16 --spectrum=s.png "$TESTDATA/alpha.png"
}

@test "mistakes" {
    make_pgm a.pgm
    make_pgm b.pgm
    imf_run -f sharpen --spectrum=s.png a.pgm b.pgm
    [ "$status" -eq 2 ]
    one_line "--spectrum draws one image"
    imf_run --spectrum=a.pgm a.pgm
    [ "$status" -eq 2 ]
    one_line "is an input"
    imf_run -f sharpen --spectrum=c.pgm a.pgm -o c.pgm
    [ "$status" -eq 2 ]
    one_line "is an output"
    imf_run -f sharpen --spectrum=- a.pgm -o -
    [ "$status" -eq 2 ]
    one_line "only one image"
    imf_run -f sharpen --show-kernel=x.gif
    [ "$status" -eq 2 ]
    one_line "no known format"
    imf_run -f sharpen --show-kernel=none/x.png
    [ "$status" -eq 1 ]
    [[ $stderr == "imfilter: none/x.png: cannot write: No such file"* ]]
    imf_run --show-kernel
    [ "$status" -eq 2 ]
    one_line "no filter given"
    imf_run --spectrum=s.png a.pgm -o b.png
    [ "$status" -eq 2 ]
    one_line "no filter given"
    echo junk >c.pgm
    imf_run --spectrum=s.png c.pgm
    [ "$status" -eq 1 ]
    [ ! -e s.png ]
    no_temporaries
}

@test "--dry-run and --no-clobber leave the pictures alone" {
    make_pgm a.pgm
    imf -n -f sharpen --show-kernel=k.png --spectrum=s.png a.pgm >text
    [ ! -e k.png ] && [ ! -e s.png ]
    echo old >s.png
    imf_run --no-clobber --spectrum=s.png a.pgm
    [ "$status" -eq 1 ]
    [ "$(cat s.png)" = old ]
}
