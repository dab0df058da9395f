# --channels: the luma or one colour is filtered, and goes back among the image's colours.
load helper

# The samples of channel CHANNEL, 0 to 2, of an RGB picture.
channel() { # FILE CHANNEL
    samples "$1" | tr ' ' '\n' | awk -v c="$2" 'NR % 3 == (c + 1) % 3'
}

colors() { # FILE
    printf 'P3\n5 1\n255\n100 100 100  255 0 0  0 0 255  0 200 40  255 255 255\n' >"$1"
}

@test "luma: its change is added to every colour" {
    colors a.ppm
    # 255 - 2 Y, where Y is 100, 54.213, 18.411, 145.928 and 255
    imf -f invert --channels=luma a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "155 155 155 255 147 147 218 218 255 0 163 3 0 0 0" ]
    # a luma beyond white is white before it is compared
    imf -f kernel:3 --channels=luma a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "255 255 255 255 108 108 37 37 255 109 255 149 255 255 255" ]
    imf -f threshold:0.5 --channels=luma a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "0 0 0 201 0 0 0 0 237 109 255 149 255 255 255" ]
}

# The 16-bit samples of a pixel a row.
words() { # FILE CHANNELS
    imf -q -f kernel:1 --depth=16 --format=pnm -o - -- "$1" | tail -n +4 | od -An -v -tu2 --endian=big -w$(($2 * 2))
}

# Gray, what it becomes, and the result are rounded once each.
@test "luma is what gray makes of a picture, and is filtered as that is" {
    local filter all
    imf -q -f kernel:1 --depth=16 "$TESTDATA/noise-rgb.png" -o a.ppm
    imf -q -f gray a.ppm -o gray.pgm
    for filter in sharpen "blur:1.5" "median:2 sharpen" sobel laplacian equalize "highpass:0.1" "bilateral:2:0.2" \
        "gray invert" "sharpen gray" "sharpen blend:overlay" "invert blend:normal:2"; do
        all=$(printf -- '-f %s ' $filter)
        imf -q $all --channels=luma a.ppm -o got.ppm
        imf -q $all gray.pgm -o filtered.pgm
        paste <(words got.ppm 3) <(words filtered.pgm 1) <(words gray.pgm 1) <(words a.ppm 3) >all
        awk -v filter="$filter" '{
            for (c = 1; c <= 3; c++) {
                want = $(5 + c) + $4 - $5
                want = want < 0 ? 0 : want > 65535 ? 65535 : want
                if ($c - want > 4 || want - $c > 4) { print filter, NR, c, $c, want; exit bad = 1 } }
            if ($4 != $5) changed = 1 } END { exit bad || !changed }' all
    done
}

@test "a gray picture is its own luma, and has no red" {
    local filter
    for filter in sharpen "blur:2" sobel equalize; do
        imf -f $filter "$TESTDATA/noise.png" -o want.pgm
        imf -f $filter --channels=luma "$TESTDATA/noise.png" -o got.pgm
        cmp want.pgm got.pgm
    done
    imf_run -f sharpen --channels=r "$TESTDATA/noise.png" -o none.pgm
    [ "$status" -eq 1 ]
    one_line "--channels=r, g, b or chroma needs an RGB image, this is gray"
    imf_run -f sharpen --channels=chroma "$TESTDATA/noise.png" -o none.pgm
    [ "$status" -eq 1 ]
    one_line "--channels=r, g, b or chroma needs an RGB image, this is gray"
    imf_run -f sharpen --channels=alpha "$TESTDATA/noise-rgb.png" -o none.pgm
    [ "$status" -eq 1 ]
    one_line "--channels=alpha needs an image with alpha, this has none"
    imf_run -f sharpen --channels=luma "$TESTDATA/types/cmyk.jpg" -o none.jpg
    [ "$status" -eq 1 ]
    one_line "--channels needs a gray or RGB image, this is CMYK"
    imf_run -f sharpen --channels=y "$TESTDATA/noise-rgb.png" -o none.ppm
    [ "$status" -eq 2 ]
    one_line "rgb, luma, r, g, b, chroma or alpha"
    [ "$(find . -name 'none.*')" = "" ]
}

@test "one colour is filtered as without, and the others stay" {
    local filter all n options
    imf -f kernel:1 --depth=16 "$TESTDATA/noise-rgb.png" -o words.ppm
    for options in "$TESTDATA/noise-rgb.png" words.ppm "--linear $TESTDATA/noise-rgb.png" "--edge=wrap $TESTDATA/noise-rgb.png"; do
        for filter in sharpen "blur:1.5" "median:2 sharpen" sobel "laplacian invert" "open:1" "emboss blend:overlay:0.3"; do
            all=$(printf -- '-f %s ' $filter)
            imf -q $all $options -o whole.ppm
            imf -q -f kernel:1 $options -o was.ppm
            imf -q $all --channels=rgb $options -o got.ppm
            cmp whole.ppm got.ppm
            n=0
            for c in r g b; do
                imf -q $all --channels=$c $options -o got.ppm
                for k in 0 1 2; do
                    [ $k = $n ] && want=whole.ppm || want=was.ppm
                    [ "$(channel got.ppm $k)" = "$(channel $want $k)" ]
                done
                n=$((n + 1))
            done
        done
    done
}

# The 8-bit samples of a pixel with alpha a row.
pixels() { # FILE
    imf -q -f kernel:1 --alpha=keep --format=pam -o - -- "$1" | sed 1,/ENDHDR/d | od -An -v -tu1 -w4
}

@test "alpha is filtered, or kept, as without" {
    local alpha
    pixels "$TESTDATA/alpha.png" >was
    for alpha in keep filter premultiply; do
        imf -f blur:1 --alpha=$alpha "$TESTDATA/alpha.png" -o whole.png
        imf -f blur:1 --alpha=$alpha --channels=g "$TESTDATA/alpha.png" -o got.png
        paste -d ' ' <(pixels got.png) <(pixels whole.png) was >all
        # red, green and blue of a visible pixel: its own, the filter's, its own; weighed, one of alpha 0 has none
        awk -v weighed="$([ $alpha = premultiply ] && echo 1 || echo 0)" '
            $4 != $8 || ($4 && $2 != $6) || ($4 && ($12 || !weighed) && ($1 != $9 || $3 != $11)) { print; bad = 1 }
            END { exit bad || !NR }' all
    done
    # It becomes visible with those of the nearest pixel.
    printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\12\24\36\377\310\310\310\0' >two.pam
    imf -f box:3 --channels=g two.pam -o out.pam
    [ "$(pixels out.pam | xargs)" = "10 20 30 170 10 20 30 85" ]
}

@test "strength, mask, region and blends in between are of the luma or the colour alone" {
    colors a.ppm
    imf -f invert --channels=luma --strength=0.5 a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "128 128 128 255 73 73 109 109 255 0 182 22 128 128 128" ]
    imf -f invert --channels=g --strength=0 a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "$(samples a.ppm)" ]
    imf -f invert --channels=b --region=2x1+1+0 a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "100 100 100 255 0 255 0 0 0 0 200 40 255 255 255" ]
    printf 'P2\n5 1\n255\n0 0 255 51 255\n' >m.pgm
    imf -f invert --channels=r --mask=m.pgm a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "100 100 100 255 0 0 255 0 255 51 200 40 0 255 255" ]
    imf -f invert -f blend:lighten -f invert --channels=r a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "100 100 100 0 0 0 0 0 255 0 200 40 0 255 255" ]
}

@test "the result is the reference's on every backend, whatever the bands" {
    need_opencl
    local backend channels
    for backend in vector direct cpu; do
        for channels in luma b; do
            imf -q -f sharpen --channels=$channels --backend=$backend --verify "$TESTDATA/noise-rgb.png" -o $backend-$channels.ppm
        done
        cmp $backend-b.ppm vector-b.ppm
    done
    imf -q -f median:2 -f blur:2 --channels=luma "$TESTDATA/still.jpg" -o streamed.ppm
    imf -q -f median:2 -f blur:2 --channels=luma "$TESTDATA/still.jpg" --verify -o whole.ppm
    cmp streamed.ppm whole.ppm
    imf -f sharpen --channels=luma --explain "$TESTDATA/noise-rgb.png" -o out.ppm >text
    grep -q '^\* 1 .* put back ' text
}

@test "chroma: colours are filtered, and get back the luma that they had" {
    local filter all
    colors a.ppm
    # 255 - each colour, and the luma again, of 155, 200.787, 236.589, 109.072 and 0: colours beyond black or white go
    # towards gray.
    imf -f invert --channels=chroma a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "100 100 100 0 69 69 20 20 0 255 106 225 255 255 255" ]
    imf -f gray --channels=chroma a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "100 100 100 54 54 54 18 18 18 146 146 146 255 255 255" ]
    imf -f kernel:1 --channels=chroma a.ppm -o out.ppm
    [ "$(samples out.ppm)" = "$(samples a.ppm)" ]
    # Whatever the filter, gray makes of the result what it makes of the picture.
    imf -f kernel:1 --depth=16 "$TESTDATA/noise-rgb.png" -o b.ppm
    imf -f gray b.ppm -o was.pgm
    words was.pgm 1 >was
    for filter in "blur:3" sobel "median:2 sharpen" "invert blend:screen:0.5" "highpass:0.1"; do
        all=$(printf -- '-f %s ' $filter)
        imf -q $all --channels=chroma b.ppm -o c.ppm
        imf -f gray c.ppm -o luma.pgm
        words luma.pgm 1 | paste was - | awk -v f="$filter" '$1 - $2 > 2 || $2 - $1 > 2 { print f, NR, $0; exit bad = 1 } END { exit bad || !NR }'
        cmp -s b.ppm c.ppm && false
    done
    imf -f blur:3 --channels=chroma --verify "$TESTDATA/alpha.png" -o out.png
}

@test "alpha: it is filtered as a gray picture, and the colours stay" {
    imf -f kernel:1 --alpha=keep --format=pam -o was.pam "$TESTDATA/alpha.png"
    pixels "$TESTDATA/alpha.png" >was
    awk '{ print $4 }' was >alpha
    { printf 'P2\n%s\n255\n' "$(sed -n 's/WIDTH \|HEIGHT //p' was.pam | xargs)" && cat alpha; } >alpha.pgm
    for filter in "-f erode:2 -f blur:1" "-f invert --linear" "-f box:5 --edge=constant:0.4" "-f equalize" \
        "-f blur:2 -f blend:multiply" "-f erode:1 --region=60x40+3+5" "-f threshold:0.5 --strength=0.3"; do
        for backend in auto cpu; do
            imf $filter --channels=alpha --backend=$backend was.pam -o got.pam
            imf ${filter%--linear} --backend=$backend alpha.pgm -o want.pgm
            paste -d ' ' <(pixels got.pam) was <(samples want.pgm | tr ' ' '\n') >all
            awk -v f="$filter" '$1 != $5 || $2 != $6 || $3 != $7 || $4 != $9 { print f, NR, $0; exit bad = 1 } $4 != $8 { changed = 1 }
                END { exit bad || !changed }' all
        done
    done
}
