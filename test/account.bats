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
    make_pgm two.pgm
    make_pgm more.pgm
    cat more.pgm >>two.pgm
    refused two.pgm "further pictures"
    splice sub a.png sub.tif
    refused sub.tif "picture below the first"
    splice planes a.png planes.tif
    refused planes.tif "planes (MetaMorph)"
    splice raw a.png raw.tif
    refused raw.tif "notes of the maker (MakerNote)"
    splice film a.jpg film.jpg
    refused film.jpg "film behind the end (MP4)"
    splice signed a.jpg signed.jpg
    refused signed.jpg "signature or other box (JUMBF)"
    splice chunks a.png chunks.png
    refused chunks.png "unknown chunk unSF"
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

@test "--strip is consent for what it names, and a picture is not named by it" {
    make_png a.png
    make_jpeg a.jpg
    for name in signed film; do
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
