# --json: one object a line, whatever happens.
load helper

@test "an image's object has every field of the manual" {
    make_ppm a.ppm
    imf_run -f sharpen --json a.ppm -o out.png
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    for key in input output status width height channels depth filter backend algorithm device \
        setup_ms decode_ms upload_ms compute_ms download_ms encode_ms total_ms; do
        [[ $output == *"\"$key\":"* ]]
    done
    [ "$(json '(o["input"], o["output"], o["status"], o["filter"])' <<<"$output")" = \
        "('a.ppm', 'out.png', 'ok', 'sharpen')" ]
    [ "$(json '(o["width"], o["height"], o["channels"], o["depth"])' <<<"$output")" = "(3, 2, 3, 8)" ]
    [ "$(json 'all(o[k] >= 0 for k in o if k.endswith("_ms"))' <<<"$output")" = True ]
    [ "$(json 'o["total_ms"] > 0' <<<"$output")" = True ]
}

@test "a failed image has an object and a line" {
    echo junk >a.png
    imf_run -f sharpen --json a.png -o out.png
    [ "$status" -eq 1 ]
    one_line "a.png: "
    [ "$(json '(o["input"], o["status"], len(o["error"]) > 5)' <<<"$output")" = "('a.png', 'error', True)" ]
    [[ $stderr == "imfilter: a.png: $(json 'o["error"]' <<<"$output")" ]]
}

@test "a batch is one object a line, in order" {
    make_pgm a.pgm
    echo junk >b.pgm
    make_pgm c.pgm
    imf_run -f sharpen --json a.pgm b.pgm c.pgm -o out/
    [ "$status" -eq 1 ]
    [ "$(head -n -1 <<<"$output" | json 'o["input"] + " " + o["status"]' | tr '\n' ,)" = "a.pgm ok,b.pgm error,c.pgm ok," ]
    [ "$(tail -n 1 <<<"$output" | json 'list(o)')" = "['summary']" ]
    imf_run -f sharpen --json --no-clobber a.pgm -o out/
    [ "$(json 'o["status"]' <<<"$output")" = skipped ]
    imf_run -f sharpen --json -n a.pgm -o other/
    [ "$(json '(o["status"], o["output"])' <<<"$output")" = "('planned', 'other/a.pgm')" ]
}

@test "an image on standard output moves the objects to standard error" {
    make_pgm a.pgm
    imf -f sharpen --json a.pgm -o - >image.pgm 2>object
    [ "$(head -c 2 image.pgm)" = P5 ]
    [ "$(json '(o["output"], o["status"])' <object)" = "('-', 'ok')" ]
    echo junk >b.pgm
    run imf -f sharpen --json b.pgm -o - 2>object >/dev/null
    imf -f sharpen --json b.pgm -o - 2>object >/dev/null || true
    [ "$(json 'o["status"]' <object)" = error ]
}

@test "strings are valid JSON and UTF-8, whatever the name" {
    for name in 'quote".pgm' 'back\slash.pgm' $'new\nline.pgm' $'tab\tbell\a.pgm' 'grün.pgm' \
        $'bad\xff\xc3.pgm' $'\x1b[31m.pgm'; do
        make_pgm "$name"
        imf -f kernel:1 --json "$name" -o out.pgm >object
        [ "$(wc -l <object)" -eq 1 ]
        json 'o["input"]' <object >/dev/null
    done
    [ "$(imf -f kernel:1 --json $'bad\xff\xc3.pgm' -o out.pgm | json 'ascii(o["input"])')" = \
        "'bad\\ufffd\\ufffd.pgm'" ]
    make_pgm $'long\xe0\x80\x80\xed\xa0\x80\xc0\xaf.pgm'
    imf -f kernel:1 --json $'long\xe0\x80\x80\xed\xa0\x80\xc0\xaf.pgm' -o out.pgm >object
    [ "$(json 'o["input"].count("\ufffd")' <object)" = 8 ]
    make_pgm $'c1\xc2\x9b\x7f.pgm'
    imf -f kernel:1 --json $'c1\xc2\x9b\x7f.pgm' -o out.pgm >object
    grep -F 'c1\u009b\u007f.pgm' object
    [ "$(imf -f kernel:1 --json $'new\nline.pgm' -o out.pgm | json 'repr(o["input"])')" = "'new\\nline.pgm'" ]
}

@test "no output gives null" {
    make_pgm a.pgm
    [ "$(imf -f sharpen --json --verify a.pgm | json '(o["output"], o["verify_ok"], o["verify_samples"])')" = \
        "(None, True, 12)" ]
}

@test "--bench: four times more, and no image" {
    # Nothing is uploaded to the host, so that the least time is one of computing.
    make_flat a.pgm 300 300
    imf -f blur:1 --json --bench=3 --backend=cpu a.pgm >object
    [ "$(json '0 <= o["upload_median_ms"] < o["compute_min_ms"] <= o["compute_median_ms"]' <object)" = True ]
    [ "$(json 'o["download_median_ms"] >= 0' <object)" = True ]
    [ "$(json '(o["bench"], o["output"])' <object)" = "(3, None)" ]
    [ "$(ls)" = "$(printf 'a.pgm\nobject')" ]
    imf -f blur:1 --json --bench a.pgm -o b.pgm >object
    [ "$(json '(o["bench"], o["output"])' <object)" = "(10, 'b.pgm')" ]
    [ -e b.pgm ]
}

@test "--explain: the plan, one candidate chosen" {
    make_pgm a.pgm
    imf -f blur:1 --json --explain a.pgm >object
    [ "$(json 'sum(c["chosen"] for c in o["plan"])' <object)" = 1 ]
    [ "$(json '[c["backend"] for c in o["plan"] if c["chosen"]] == [o["backend"]]' <object)" = True ]
    [ "$(json 'all(c["why"] and (c["estimate_ms"] is None) == (not c["eligible"]) for c in o["plan"])' <object)" = True ]
}

@test "warnings are in the object when they cannot have a line of their own" {
    make_flat a.pgm 64 64
    head -c 1000 a.pgm >cut.pgm
    imf -f invert --lenient --json cut.pgm -o - >image 2>object
    [ "$(json 'len(o["warning"]) > 5' <object)" = True ]
}

@test "the lists are objects too" {
    imf --list-filters --json | json '(o["usage"], o["summary"])' >/dev/null
    imf --list-devices --json | json '(o["index"], o["name"], o["kind"], o["usable"])' >/dev/null
    imf --list-parts --json | json '(o["format"], o["name"], o["becomes"]["png"])' >/dev/null
    [ "$(imf --list-filters | grep -c '^[^ ]')" -eq "$(imf --list-filters --json | wc -l)" ]
}
