# Overviews of a TIFF's pages, which are made anew, and transparency masks, which are copied
load helper

# A TIFF of overviews.py
made() { # WORD...
    python3 "$BATS_TEST_DIRNAME/overviews.py" make a.tif "$@"
}

checked() { # FILE...
    python3 "$BATS_TEST_DIRNAME/overviews.py" check a.tif "$1"
}

listed() {
    python3 "$BATS_TEST_DIRNAME/overviews.py" list "$1" | xargs
}

@test "overviews are means of the filtered page, in the same places, and masks are the input's" {
    for words in "" below mask "mask below" "mask two" "mask two below big" "mask wide" "mask wide big tiles" \
        "mask tiles sparse deflate" "mask gray16 big" "two below page alpha" "bit mask"; do
        # shellcheck disable=SC2086 # words
        made overviews $words
        imf_run --json -f median:1 a.tif -o b.tif
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [[ $output == *'"lost":[]'* ]]
        checked b.tif
        imf -f median:1 - -o - <a.tif >c.tif
        cmp b.tif c.tif
        [[ $(cat a.tif | imf -f median:1 - -o - | cat | cksum) == "$(cksum <b.tif)" ]]
        cp a.tif d.tif
        imf -f median:1 --strip -i d.tif
        [ "$(listed d.tif)" = "$(listed a.tif)" ]
        cp a.tif d.tif
        imf -f median:1 --max-memory=64M -i d.tif
        cmp b.tif d.tif
    done
}

@test "a mean leaves out what is missing" {
    made overviews float
    imf -f median:1 a.tif -o b.tif
    checked b.tif
    imf -f median:1 --compression=5 a.tif -o c.tif
    checked c.tif
    # Each is rounded to what the file holds.
    made overviews gray16
    imf -f blur:1 --depth=8 a.tif -o b.tif
    checked b.tif
    imf -f blur:1 --depth=float a.tif -o b.tif
    checked b.tif
    imf -f threshold:0.5 --depth=1 --compression=6 a.tif -o b.tif
    checked b.tif
}

@test "what is no overview is left out by name, and not in place if it is as large as the picture" {
    for words in same larger; do
        made $words
        cp a.tif b.tif
        imf_run -f median:1 -i b.tif
        [ "$status" -eq 1 ]
        one_line "these would be lost: picture 2 of 2 ("
        cmp a.tif b.tif
    done
    # A thumbnail of another shape shows nothing that the picture does not.
    made overviews mask odd
    imf_run --json -f median:1 a.tif -o b.tif
    [ "$status" -eq 0 ]
    [[ $output == *'"lost":[{"name":"smaller copy of the picture",'* ]]
    [ "$(listed b.tif)" = "page chain 61x47 mask chain 61x47 overview chain 31x24 overview chain 16x12 overview chain 9x7 mask chain 31x24 mask chain 16x12" ]
    # All overviews of a page have as many pixels as it has, at most.
    made many
    imf -f median:1 a.tif -o b.tif
    [ "$(listed b.tif)" = "page chain 61x47 overview chain 60x46" ]
    # What hangs below a page that is not the first is compared, too.
    made two below larger
    imf_run -f median:1 -i a.tif
    [ "$status" -eq 1 ]
    one_line "these would be lost: picture below the first ("
}

@test "--pages counts pages, and takes what belongs to them" {
    made overviews mask two
    imf_run --json -f median:1 --pages=2 a.tif -o b.tif
    [ "$status" -eq 0 ]
    [[ $output == *'"page":2,"pages":2,'* ]]
    [ "$(listed b.tif)" = "page chain 40x64 mask chain 40x64 overview chain 20x32 overview chain 10x16 overview chain 6x10 mask chain 20x32 mask chain 10x16" ]
    imf_run -f median:1 --pages=3 a.tif -o b.tif
    one_line "a.tif: has no page 3 of --pages (it has 2)"
    imf -q -f median:1 --pages a.tif -o c%d.tif
    [ "$(listed c2.tif)" = "$(listed b.tif)" ]
    imf -f median:1 --pages=2,1 a.tif -o b.tif
    [ "$(listed b.tif | grep -o 'page [a-z]* [0-9x]*' | xargs)" = "page chain 40x64 page chain 61x47" ]
}

@test "where the output is no TIFF they are named" {
    made overviews mask
    imf_run --json -f median:1 a.tif -o b.png
    [ "$status" -eq 0 ]
    one_line "left out: transparency mask ("
    [[ $output == *'{"name":"overview","bytes":'*',"why":"it shows the picture as it was"}'* ]]
    [[ $output == *'{"name":"transparency mask","bytes":'*',"why":"the format cannot hold it"}'* ]]
    imf --parts a.tif >parts
    grep -q ' rebuilt    overview$' parts
    grep -q ' kept       transparency mask$' parts
}

@test "a picture that is turned has its overviews turned, and no masks" {
    command -v exiftool >/dev/null || skip "exiftool writes the orientation"
    made overviews mask
    exiftool -q -overwrite_original -n -Orientation=6 a.tif
    imf_run -f median:1 --orient=apply a.tif -o b.tif
    [ "$status" -eq 0 ]
    one_line "left out: transparency mask ("
    [[ $stderr == *"it is not turned)" ]]
    [ "$(listed b.tif)" = "page chain 47x61 overview chain 24x31 overview chain 12x16 overview chain 7x9" ]
    cp a.tif c.tif
    imf_run -f median:1 --orient=apply -i c.tif
    [ "$status" -eq 1 ]
    one_line "these would be lost: transparency mask ("
    cmp a.tif c.tif
    imf -f median:1 -i c.tif
    checked c.tif
}

@test "directories that lead in circles or out of the file are named, and do no harm" {
    made overviews circle
    imf -f median:1 a.tif -o b.tif
    [ "$(listed b.tif)" = "page chain 61x47 overview chain 31x24 overview chain 16x12 overview chain 9x7" ]
    made overviews below lost
    imf_run -f median:1 a.tif -o b.tif
    [ "$status" -eq 0 ]
    one_line "left out: picture below the first (16 bytes: damaged)"
    [ "$(listed b.tif)" = "page chain 61x47 overview below 31x24 overview below 16x12 overview below 9x7" ]
    # An overview is not read, so that it may be damaged; a mask may not.
    made outside
    imf_run -f median:1 a.tif -o b.tif
    [ "$(listed b.tif)" = "page chain 61x47 overview chain 30x23" ]
    made mask outside
    imf_run -f median:1 a.tif -o b.tif
    one_line "left out: "
    [[ $stderr == *"picture 2 of 5 ("* ]]
    [ "$(listed b.tif)" = "page chain 61x47 overview chain 30x23" ]
}

@test "other programs' pyramids are read, and ours by them" {
    command -v vips >/dev/null || skip "vips is not installed"
    for options in "" --subifd "--subifd --bigtiff"; do
        # shellcheck disable=SC2086 # options
        vips tiffsave "$TESTDATA/noise.png" a.tif --pyramid --tile --tile-width=64 --tile-height=64 --compression=deflate $options
        imf_run --json -f blur:2 a.tif -o b.tif
        [[ $output == *'"lost":[]'* ]]
        checked b.tif
        level="[page=1]"
        [ -z "$options" ] || level="[subifd=0]"
        [ "$(vipsheader -f width "a.tif$level")" = "$(vipsheader -f width "b.tif$level")" ]
        vips avg "b.tif$level" >got
        vips avg b.tif >want
        awk 'NR == FNR { want = $1; next } { exit !($1 - want < 1 && want - $1 < 1) }' want got
    done
    command -v tiffinfo >/dev/null || skip "tiffinfo is not installed"
    imf -f blur:2 a.tif -o b.tif
    run tiffinfo b.tif
    [ "$status" -eq 0 ]
    [[ $output != *arning* ]]
}
