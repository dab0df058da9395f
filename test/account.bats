#!/usr/bin/env bats
# account.bats - every part of an input is kept, or named; in place none is lost without consent
load helper

splice() { # NAME BASE OUT
    python3 "$BATS_TEST_DIRNAME/splices.py" "$@"
}

# -i refuses FILE for TEXT, and leaves it as it is; --allow-loss allows it; -o warns.
refused() { # FILE TEXT
    local file=$1 text=$2
    cp "$file" before
    for option in -i -i.bak; do
        imf_run -f median:1 "$option" "$file"
        [ "$status" -eq 1 ]
        one_line "$file: in place, these would be lost: $text ("
        [[ $stderr == *"--allow-loss"* ]]
        cmp before "$file"
        [ ! -e "$file.bak" ]
    done
    imf_run -f median:1 "$file" -o "out.${file##*.}"
    [ "$status" -eq 0 ]
    one_line "$file: warning: left out: $text ("
    imf_run -q -f median:1 "$file" -o "out.${file##*.}"
    [ -z "$stderr" ]
    imf_run -f median:1 -i --allow-loss "$file"
    [ "$status" -eq 0 ]
    cmp "$file" "out.${file##*.}"
}

@test "in place nothing is lost of what stands beside the picture" {
    make_png a.png
    make_jpeg a.jpg
    splice animated a.png animated.png
    refused animated.png "frames of an animation"
    make_pgm more.pgm
    echo P8 >>more.pgm
    refused more.pgm "bytes behind the end"
    splice planes a.png planes.tif
    refused planes.tif "planes (MetaMorph)"
    splice raw a.png raw.tif
    refused raw.tif "notes of the maker (MakerNote)"
    splice signed a.jpg signed.jpg
    refused signed.jpg "signature or other box (JUMBF)"
    # What another item holds of the file does not hide it.
    splice "signed last" "$TESTDATA"/foreign/icc.jpg profile.jpg
    refused profile.jpg "signature or other box (JUMBF)"
    splice author "$TESTDATA"/foreign/orient-app1.png exif.png
    imf_run -f median:1 exif.png -o out.jpg
    one_line ", text \"Author\" (27 bytes), "
    splice chunks a.png chunks.png
    refused chunks.png "unknown chunk unSF"
    splice resolutions a.png resolutions.png
    refused resolutions.png resolution
    splice tags a.png tags.tif
    refused tags.tif "tag 65001"
    splice transfer a.png transfer.tif
    imf_run -f median:1 transfer.tif -o out.tif
    one_line "left out: transfer function (464 bytes: it is for samples as they were stored)"
}

@test "what is kept is there, and what may be lost is lost without a word" {
    make_png a.png
    make_jpeg a.jpg
    for name in thermal private zeros; do
        splice $name a.jpg $name.jpg
        imf_run -f median:1 -i $name.jpg
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
    done
    grep -a -q FLIR thermal.jpg
    grep -a -q Own private.jpg
    splice copy a.png copy.tif
    imf_run -f median:1 -i copy.tif
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    splice tags a.png tags.tif
    imf -q -f kernel:1 tags.tif -o out.tif
    cat >tags.py <<'END'
import struct, sys
d = open(sys.argv[1], "rb").read()
at, = struct.unpack_from("<I", d, 4)
e = {t: (k, n, v) for t, k, n, v in (struct.unpack_from("<HHII", d, at + 2 + 12 * i) for i in range(struct.unpack_from("<H", d, at)[0]))}
k, n, v = e[65000]
assert (k, d[v:v + n]) == (2, b"a program's own words\0"), e
assert e[65002] == (3, 1, 7) and 65001 not in e, e
k, n, v = e[33723]
assert (k, d[v:v + n]) == (7, b"\x1c\2\x19\0\x0cmountain top") and 34377 not in e, e
END
    python3 tags.py out.tif
    imf_run -f kernel:1 tags.tif -o out.jpg
    one_line "left out: tag 65000 (22 bytes), tag 65001 (12 bytes: it may hold offsets), tag 65002 (12 bytes)"
    splice chunks a.png chunks.png
    imf -q -f median:1 chunks.png -o out.png
    grep -a -q saFe out.png
    run ! grep -a -q unSF out.png
    printf 'P2\n# said\n2 1 255\n# among them\n7 9\n' >a.pgm
    imf_run -f kernel:1 a.pgm -o out.pgm
    [ "$status" -eq 0 ]
    one_line "a.pgm: warning: left out: comment (13 bytes: it stands behind the pixels)"
    [ "$(sed -n 2p out.pgm)" = "# said" ]
}

@test "whole files behind a JPEG or a PNG are kept behind it, unless they show what a region hides" {
    make_jpeg a.jpg
    make_png a.png
    { printf '\0\0\0\030ftypmp42\0\0\0\0mp42isom\0\0\1\010mdat' && head -c 256 /dev/urandom; } >film.mp4
    printf 'stored' >word
    python3 -m zipfile -c archive.zip word
    splice sef a.jpg sef.jpg
    size=$(stat -c %s a.jpg)
    tail -c +$((size + 1)) sef.jpg >sef
    exiftool -q -o turned.jpg -n -Orientation=6 -XMP-GCamera:MicroVideo=1 \
        -XMP-GCamera:MicroVideoOffset="$(stat -c %s film.mp4)" a.jpg
    for file in film.mp4 archive.zip a.jpg a.png sef; do
        for type in jpg png; do
            cat a.$type $file >b.$type
            for out in out.jpg out.png; do
                imf_run -f sharpen b.$type -o $out
                [ "$status" -eq 0 ]
                [ -z "$stderr" ]
                imf -f sharpen a.$type -o plain.${out#out.}
                cat plain.${out#out.} $file | cmp - $out
            done
            imf -f sharpen b.$type -o out.$type
            imf_run -i -f sharpen b.$type
            [ "$status" -eq 0 ]
            [ -z "$stderr" ]
            cmp b.$type out.$type
            cat a.$type $file >b.$type
            imf_run -f sharpen b.$type -o out.tif
            one_line "left out: "
            [[ $stderr == *" behind the end ("* ]]
            # A region is blurred to hide what it shows.
            imf_run -f blur:3 --region=8x8+1+1 b.$type -o out.$type
            [[ $stderr == *"left out: "*" behind the end ("*": it would show what a region, a mask or a blur hides)"* ]]
            imf -q -f blur:3 --region=8x8+1+1 a.$type -o plain.$type
            cmp plain.$type out.$type
            for strip in --strip --strip=exif; do
                imf -f sharpen $strip b.$type -o out.$type
                imf -f sharpen $strip a.$type -o plain.$type
                cmp plain.$type out.$type
            done
        done
    done
    for type in jpg png; do
        cat a.$type film.mp4 >b.$type
        from_pipe() { cat b.$type | imf -f sharpen - -o out.$type; }
        run --separate-stderr from_pipe
        [ "$status" -eq 0 ]
        one_line "left out: film behind the end (MP4) (288 bytes: it is kept behind a PNG or a JPEG alone, up to 64 MiB, and not from a pipe)"
    done
    cat turned.jpg film.mp4 >motion.jpg
    imf_run -f sharpen --orient=apply motion.jpg -o out.jpg
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    tail -c "$(exiftool -s3 -MicroVideoOffset out.jpg)" out.jpg | cmp - film.mp4
    [ "$(exiftool -s3 -n -Orientation out.jpg)" = 1 ]
    for type in jpg png; do
        splice bytes a.$type bytes.$type
        refused bytes.$type "bytes behind the end"
    done
}

@test "a description of all pictures of a TIFF does not stay with one" {
    make_png a.png
    for name in imagej "imagej planes" ome shape; do
        splice "$name" a.png a.tif
        for out in out.tif out.jpg out.png; do
            imf_run -f median:1 --pages=1 a.tif -o $out
            [ "$status" -eq 0 ]
            [[ $stderr == *"description ("*" bytes: it tells of pictures that are left out)"* ]]
            run ! grep -a -q 'images=\|OME\|shape' $out
        done
        imf_run -f median:1 -i a.tif
        [[ $name == *planes || $status -eq 0 ]]
        [[ $name != *planes || $status -eq 1 ]]
        grep -a -q 'images=\|OME\|shape' a.tif
    done
    for name in "imagej one" "ome one" "shape one"; do
        splice "$name" a.png a.tif
        imf_run -f median:1 -i a.tif
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        grep -a -q 'images=1\|OME\|shape' a.tif
    done
    splice words a.png a.tif
    imf -q -f median:1 a.tif -o out.tif
    grep -a -q 'images of a walk' out.tif
}

@test "what stands behind the pixels of a PNG reaches a JPEG, from a pipe, too" {
    make_png a.png
    splice late a.png late.png
    said="me a label a comment"
    for out in out.jpg out.png out.tif out.webp; do
        imf -q -f median:1 late.png -o $out
        cat late.png | imf -q -f median:1 - -o pipe.${out#out.}
        for file in $out pipe.${out#out.}; do
            [ "$(exiftool -s3 -Make -Label $file | paste -sd' ')" = "me a label" ]
            [ "$(exiftool -s3 -n -Orientation $file)" = 6 ]
        done
    done
    for file in out.jpg pipe.jpg; do
        [ "$(exiftool -s3 -Make -Label -Comment $file | paste -sd' ')" = "$said" ]
        [[ "$(exiftool -validate -warning -s3 $file)" != *rror* ]]
    done
    imf_run -f median:1 late.png -o out.jpg
    one_line "late.png: warning: left out: text \"Author\" (25 bytes)"
    imf_run -f median:1 - -o out.ppm <late.png
    one_line "EXIF ("
    cat late.png | imf -q -f median:1 --strip=exif - -o out.jpg
    [ "$(exiftool -s3 -Make -Orientation -Label -Comment out.jpg | paste -sd' ')" = "a label a comment" ]
    # It is held no longer than the limit allows, and not at all where nothing follows the pixels.
    { printf 'P5\n3200 3200\n255\n' && head -c 10240000 /dev/urandom; } >a.pgm
    imf -f invert --compression=1 a.pgm -o a.png
    splice late a.png late.png
    for case in a:0 late:1; do
        imf_run -f invert --backend=cpu --quality=100 --max-memory=9M ${case%:*}.png -o out.jpg
        [ "$status" -eq ${case#*:} ]
    done
    one_line "a JPEG that is held until the end of its input needs"
}

@test "what privacy asks to drop is lost by name, and in place, too" {
    make_png a.png
    make_jpeg a.jpg
    for name in film sef thermal private; do splice $name a.jpg $name.jpg; done
    for name in film sef; do splice $name a.png $name.png; done
    for case in film.jpg:film sef.jpg:data film.png:film sef.png:data thermal.jpg:FLIR private.jpg:"unknown APP7"; do
        file=${case%:*}
        for how in "blur:1" "invert --region=2x2+0+0"; do
            cp "$file" "in.${file#*.}"
            # shellcheck disable=SC2086 # words
            imf_run --json -i -f $how "in.${file#*.}"
            [ "$status" -eq 0 ]
            one_line "warning: left out: ${case#*:}"
            [[ $stderr == *"it would show what a region, a mask or a blur hides)" ]]
            [[ $output == *'"lost":[{"name":"'"${case#*:}"* ]]
            [ "$(stat -c %s "in.${file#*.}")" -lt "$(stat -c %s "$file")" ]
        done
    done
    # Not what would be lost anyway.
    for case in "animated a.png:frames" "signed a.jpg:signature" "tags a.png:tag 65001"; do
        type=png
        [[ $case != *a.jpg* ]] || type=jpg
        # shellcheck disable=SC2086 # words
        splice ${case%:*} in.$type
        imf_run -i -f blur:1 in.$type
        [ "$status" -eq 1 ]
        one_line "these would be lost: ${case#*:}"
    done
}

@test "--strip is consent for what it names, and a picture is not named by it" {
    make_png a.png
    make_jpeg a.jpg
    for name in signed bytes; do
        splice $name a.jpg $name.jpg
        imf_run -f median:1 -i --strip $name.jpg
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
    done
    splice signed a.jpg signed.jpg
    imf_run -f median:1 -i --strip=exif signed.jpg
    [ "$status" -eq 1 ]
    splice animated a.png animated.png
    imf_run -f median:1 -i --strip animated.png
    [ "$status" -eq 1 ]
    imf_run -f median:1 --allow-loss a.png -o b.png
    [ "$status" -eq 2 ]
    one_line "--allow-loss is for --in-place"
}

@test "--json lists what is lost" {
    make_jpeg a.jpg
    splice signed a.jpg signed.jpg
    imf --json -q -f median:1 signed.jpg -o out.jpg >out.json
    [ "$(json 'o["lost"]' <out.json)" = "[{'name': 'signature or other box (JUMBF)', 'bytes': 308, 'why': 'what it says of the file no longer holds'}]" ]
    imf --json -f median:1 a.jpg -o out.jpg >out.json
    [ "$(json 'o["lost"]' <out.json)" = "[]" ]
}

@test "parts cover each file, and --list-parts says what becomes of them" {
    make_png a.png
    make_jpeg a.jpg
    mkdir in
    for name in animated chunks late film sef; do splice $name a.png in/$name.png; done
    for name in thermal private signed film bytes sef zeros; do splice $name a.jpg in/$name.jpg; done
    for name in tags sub copy planes raw leaf behind cog ome; do splice $name a.png in/$name.tif; done
    printf 'P2\n# said\n2 1 255\n7 9\nP2 1 1 255 3\n' >in/comment.pgm
    python3 "$BATS_TEST_DIRNAME/parts.py" in/* "$TESTDATA"/*.* "$TESTDATA"/*/*.* "$BATS_TEST_DIRNAME"/fuzz/corpus/*/* >counts
    cat counts
    read -r covered _ settled _ <counts
    [ "$covered" -gt 700 ]
    [ "$settled" -gt 400 ]
}

@test "what exiftool sees go is named" {
    command -v exiftool >/dev/null || skip "exiftool reads the tags"
    exiftool -q -o place.tif -GPS:GPSLatitude=1 -GPS:GPSVersionID='2 3 0 0' "$TESTDATA"/foreign/tiff-alpha.tif
    exiftool -q -o named.png -tagsfromfile "$TESTDATA"/foreign/icc.jpg -icc_profile -PNG:ProfileName='A profile' "$TESTDATA"/types/rgb8.png
    imf -i -f invert named.png
    [ "$(exiftool -s3 -PNG:ProfileName named.png)" = "A profile" ]
    python3 "$BATS_TEST_DIRNAME/exiftool.py" --drawn=8 place.tif named.png "$TESTDATA"/types/metadata.png "$TESTDATA"/foreign/{icc,orient-camera,xmp}.jpg \
        "$TESTDATA"/foreign/{tiff-alpha,tiff-palette,tiff-pages}.tif
}

@test "--parts lists what an output keeps, without a filter, and writes nothing" {
    make_png a.png
    make_jpeg a.jpg
    splice thermal a.jpg thermal.jpg
    splice animated a.png animated.png
    imf --parts thermal.jpg >list
    grep -q '^ *2 *4012  kept       FLIR thermal data$' list
    imf --parts -o x.webp thermal.jpg >list
    grep -q '^ *2 *4012  lost       FLIR thermal data (the format cannot hold it)$' list
    [ ! -e x.webp ]
    imf --parts --strip animated.png - <animated.png >list
    [ "$(grep -c 'lost       frames of an animation' list)" -eq 4 ]
    imf -v -f invert thermal.jpg -o b.jpg 2>list
    grep -q 'kept       FLIR thermal data$' list
}

@test "a TIFF that GDAL lays out for the cloud has no unknown bytes" {
    make_png a.png
    splice cog a.png a.tif
    imf --parts a.tif >list
    grep -q ' 8 *152  structure  layout (GDAL)$' list
    grep -q ' 264  pixels     pixels$' list
    grep -q ' 390  rebuilt    overview$' list
    imf_run -f median:1 -i a.tif
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    splice "cog edited" a.png a.tif
    refused a.tif "unknown bytes"
}

@test "--file-times gives outputs the times of their inputs" {
    make_png a.png
    touch -d '2001-02-03 04:05:06.789' a.png
    imf -f invert --file-times a.png -o b.png
    imf -f invert a.png -o c.png
    [ "$(stat -c %y b.png)" = "$(stat -c %y a.png)" ]
    [ "$(stat -c %y c.png)" != "$(stat -c %y a.png)" ]
    imf -f invert --file-times -i a.png
    [ "$(stat -c %y b.png)" = "$(stat -c %y a.png)" ]
    cmp a.png b.png
    imf -f invert --file-times - -o d.png <a.png
    [ "$(stat -c %y d.png)" = "$(stat -c %y a.png)" ]
    cat a.png | imf -f invert --file-times - -o - >e.png
    cmp d.png e.png
}
