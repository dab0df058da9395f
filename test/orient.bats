# Orientation: the upright picture is filtered, kept by its tag or turned, by other programs' word.
load helper

FOREIGN=$TESTDATA/foreign
UPRIGHT="0 2 8 18 32 50 60 67 78 78 97 120 120 132 133 138 162 175 180 182 188 198 212 230"

ppm_size() { # FILE: WIDTH HEIGHT
    sed -n 2p "$1"
}

@test "each of the eight orientations comes out upright where no tag can say it" {
    for n in 1 2 3 4 5 6 7 8 behind; do
        imf -f kernel:1 "$FOREIGN/orient-$n.png" -o "$n.pgm"
        echo "$n: $(samples "$n.pgm")"
        [ "$(ppm_size "$n.pgm")" = "6 4" ]
        [ "$n" = behind ] || [ "$(samples "$n.pgm")" = "$UPRIGHT" ]
    done
}

@test "--orient=apply turns pixels and tag; keep leaves both; exiftool reads the tag" {
    command -v exiftool >/dev/null || skip "exiftool reads the tags"
    for n in 1 2 3 4 5 6 7 8; do
        imf -f kernel:1 --orient=apply "$FOREIGN/orient-$n.png" -o apply.png
        imf -f kernel:1 --orient=keep "$FOREIGN/orient-$n.png" -o keep.png
        [ "$(exiftool -s3 -n -Orientation -ImageSize apply.png)" = "$(printf '1\n6 4')" ]
        [ "$(exiftool -s3 -n -Orientation keep.png)" = "$n" ]
        [ "$(exiftool -s3 -ImageSize keep.png)" = "$(exiftool -s3 -ImageSize "$FOREIGN/orient-$n.png")" ]
        imf -f kernel:1 --strip keep.png -o bare.png
        [ "$(exiftool -s3 -n -Orientation bare.png)" = "" ]
        for file in apply.png bare.png; do
            [ "$(samples "$file")" = "$UPRIGHT" ]
        done
    done
}

@test "a JPEG turned upright is what ImageMagick's -auto-orient makes of it" {
    need_thorough
    command -v exiftool >/dev/null && command -v convert >/dev/null && command -v cjpeg >/dev/null ||
        skip "needs exiftool, ImageMagick and cjpeg"
    imf -f kernel:1 "$TESTDATA/still.jpg" -o still.ppm
    cjpeg -quality 90 still.ppm >still.jpg
    for n in 1 2 3 4 5 6 7 8; do
        exiftool -q -o "$n.jpg" -Orientation#="$n" still.jpg
        convert "$n.jpg" -auto-orient ppm:want.ppm
        imf -f kernel:1 "$n.jpg" -o got.ppm
        cmp want.ppm got.ppm
    done
}

@test "directions are the upright picture's, kept or applied" {
    for spec in emboss:30 motion:5:20 sobel:dir=x scharr:dir=y kernel:1,2,3/4,-5,6 notch:0.1:0.3:0.1; do
        imf -q -f "$spec" "$FOREIGN/orient-1.png" -o want.pgm
        for n in 2 3 4 5 6 7 8; do
            imf -q -f "$spec" "$FOREIGN/orient-$n.png" -o apply.pgm
            imf -q -f "$spec" "$FOREIGN/orient-$n.png" -o keep.png
            imf -f kernel:1 keep.png -o keep.pgm
            echo "$spec $n"
            cmp want.pgm apply.pgm
            cmp want.pgm keep.pgm
        done
    done
}

@test "every backend turns a kernel alike" {
    for backend in cpu direct fft; do
        for n in 1 6; do
            imf -q -f kernel:1,2,3/4,-5,6 --backend=$backend "$FOREIGN/orient-$n.png" -o "$n.pgm"
        done
        cmp 1.pgm 6.pgm
    done
}

@test "a batch of one shape and several orientations plans for each" {
    for n in 1 2 3 4; do
        imf -f emboss:20 "$FOREIGN/orient-$n.png" -o "alone-$n.png"
        cp "$FOREIGN/orient-$n.png" .
    done
    imf -f emboss:20 orient-1.png orient-2.png orient-3.png orient-4.png -o out/
    for n in 1 2 3 4; do
        cmp "alone-$n.png" "out/orient-$n.png"
    done
}

@test "a spectrum's frequencies are the upright picture's, as a notch's are" {
    for n in 1 6; do
        cp "$FOREIGN/orient-$n.png" a.png
        imf -f notch:0.1:0.3:0.1 --spectrum="$n.png" a.png
    done
    cmp 1.png 6.png
}

@test "in place keeps the tag, and a second run finds it" {
    cp "$FOREIGN/orient-6.png" a.png
    imf -i -f invert a.png
    imf -i -f invert a.png
    [ "$(samples a.png)" = "$UPRIGHT" ]
    imf -f kernel:1 --depth=8 a.png -o b.png
    head -c 24 b.png | tail -c 8 | od -An -tx1 >size
    [ "$(tr -d ' \n' <size)" = 0000000400000006 ]
}

@test "--json has the output's width and height" {
    imf_run --json -f kernel:1 "$FOREIGN/orient-6.png" -o keep.png
    [[ $output == *'"width":4,"height":6,'* ]]
    imf_run --json -f kernel:1 --orient=apply "$FOREIGN/orient-6.png" -o apply.png
    [[ $output == *'"width":6,"height":4,'* ]]
    imf_run --json -f kernel:1 "$FOREIGN/orient-6.png" -o a.pgm
    [[ $output == *'"width":6,"height":4,'* ]]
}

@test "what a camera says of the picture is turned with it" {
    imf -f kernel:1 --orient=apply "$FOREIGN/orient-camera.jpg" -o a.jpg
    imf -f kernel:1 --orient=apply "$FOREIGN/orient-camera.jpg" -o a.png
    for file in a.jpg a.png; do
        grep -a -q "tiff:Orientation='1'" "$file"
    done
    command -v exiftool >/dev/null || skip "exiftool reads the rest"
    for file in a.jpg a.png; do
        [ "$(exiftool -s3 -n -IFD0:Orientation -ExifImageWidth -ExifImageHeight -IFD0:XResolution \
            -IFD0:YResolution -ThumbnailImage "$file")" = "$(printf '1\n48\n32\n150\n300')" ]
    done
    [ "$(exiftool -s3 -n -PixelsPerUnitX -PixelsPerUnitY a.png)" = "$(printf '5906\n11811')" ]
    exiftool -validate -warning -s3 a.jpg | grep -q '^OK'
}

@test "a tag behind the pixels: heeded in a file, said where it comes too late" {
    imf -f kernel:1 "$FOREIGN/orient-behind.png" -o want.pgm
    pipe() { cat "$FOREIGN/orient-behind.png" | imf -f kernel:1 - -o got.pgm; }
    run --separate-stderr pipe
    [ "$status" -eq 0 ]
    one_line "orientation stands behind the pixels"
    [ "$(ppm_size got.pgm)" = "4 6" ]
    imf -f kernel:1 - -o got.pgm <"$FOREIGN/orient-behind.png"
    cmp want.pgm got.pgm
}

@test "--orient: the modes, and nothing else" {
    imf_run -f kernel:1 --orient=upright "$FOREIGN/orient-6.png" -o a.png
    [ "$status" -eq 2 ]
    one_line "keep or apply"
}
