# --shard=K/N: the inputs divided among runs.
load helper

make_some() { # NAME...
    make_pgm first.pgm
    for name in "$@"; do [ "$name" = first.pgm ] || cp first.pgm "$name"; done
}

@test "the shares are all of the inputs, each once, every Nth of the sorted list" {
    make_some b.pgm a.pgm Z.pgm d.pgm c.pgm
    rm first.pgm
    [ "$(imf -n -f invert --shard=1/2 b.pgm a.pgm Z.pgm d.pgm c.pgm -o out/ | tr '\n' ,)" = \
        "Z.pgm -> out/Z.pgm,b.pgm -> out/b.pgm,d.pgm -> out/d.pgm," ]
    [ "$(imf -n -f invert --shard=2/2 d.pgm Z.pgm a.pgm c.pgm b.pgm -o out/ | tr '\n' ,)" = \
        "a.pgm -> out/a.pgm,c.pgm -> out/c.pgm," ]
    for n in 1 2 3 5 7; do
        for k in $(seq "$n"); do
            imf -n -r -f invert --shard="$k/$n" . -o out/
        done >shares
        [ "$(sort shares)" = "$(imf -n -r -f invert . -o out/ | sort)" ]
    done
    imf -r -f invert --shard=2/3 . -o out/
    [ "$(ls out | tr '\n' ' ')" = "a.pgm d.pgm " ]
}

@test "a share counts its own images, and may be empty" {
    make_some a.pgm b.pgm c.pgm
    echo junk >d.pgm
    imf_run -f invert --shard=2/2 a.pgm b.pgm c.pgm d.pgm -o out/
    [ "$status" -eq 1 ]
    [ "${stderr_lines[1]}" = "imfilter: 1 of 2 images failed: d.pgm" ]
    imf_run -f invert --shard=9/9 a.pgm b.pgm -o none/
    [ "$status" -eq 0 ]
    [ -z "$output$stderr" ]
    [ ! -e none ]
}

@test "two inputs with one output are refused, whatever shares they are in" {
    mkdir x y
    make_some x/a.pgm y/a.pgm
    for k in 1 2; do
        imf_run -f invert --shard=$k/2 x/a.pgm y/a.pgm -o out/
        [ "$status" -eq 2 ]
        one_line "out/a.pgm"
    done
    [ ! -e out ]
}

@test "--shard of a list, but not of standard input" {
    make_some a.pgm b.pgm
    printf 'b.pgm\na.pgm\n' | imf -f invert --files-from=- --shard=1/2 -o out/
    [ "$(ls out)" = a.pgm ]
    imf_run -f invert --shard=1/2 -o - <a.pgm
    [ "$status" -eq 2 ]
    one_line "--shard"
}

@test "what is no share is refused" {
    make_some a.pgm
    for bad in '' 1 / 1/ /2 0/2 3/2 1/0 -1/2 1/2/3 1/x x/2 ' 1/2' 1/99999999999999999999 00000000000000000000000001/2; do
        imf_run -f invert --shard="$bad" a.pgm -o out/
        echo "$bad: $status $stderr"
        [ "$status" -eq 2 ]
        one_line "--shard: \"$bad\" is not valid (K/N with K from 1 to N"
    done
}
