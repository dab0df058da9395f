# Inputs that come one by one on standard input: a worker
load helper

picture() { # FILE
    printf 'P5 2 2 255\nabc%.1s' "$1" >"$1"
}

# Start the program with these options, and say names to it.
start() {
    coproc WORKER { exec "$IMFILTER" "$@" 2>errors; }
    worker=$WORKER_PID
    # bash closes its own when the program has ended.
    exec {to}>&"${WORKER[1]}" {from}<&"${WORKER[0]}"
    eval "exec ${WORKER[1]}>&-"
}

# Write a name, and read what is said of it, for which there is nothing to wait for but this.
say() {
    printf '%s\n' "$1" >&"$to"
    read -r -t 20 line <&"$from"
}

# End of input: the summary in $line and the exit status in $status.
finish() {
    exec {to}>&-
    read -r -t 20 line <&"$from"
    status=0
    wait "$worker" || status=$?
    exec {from}<&-
}

@test "--files-from=-: each name is filtered as it comes, and reported when it is done" {
    for i in 1 2 3 4; do picture $i.pgm; done
    for jobs in 1 3; do
        start --json -j $jobs -f invert --files-from=- -o out$jobs/
        for i in 1 2 3; do
            say $i.pgm
            [[ $line == '{"input":"'$i'.pgm","output":"out'$jobs'/'$i'.pgm","status":"ok",'* ]]
            [ -s out$jobs/$i.pgm ]
            [ ! -e out$jobs/$((i + 1)).pgm ]
        done
        # One that fails does not end it, and may come again.
        say later.pgm
        [[ $line == '{"input":"later.pgm","status":"error","error":"cannot open: '* ]]
        picture later.pgm
        say later.pgm
        [[ $line == *'"status":"ok"'* ]]
        rm later.pgm
        say 4.pgm
        [[ $line == *'"status":"ok"'* ]]
        finish
        [ "$status" -eq 1 ]
        [[ $line == '{"summary":{"images":6,"filtered":5,"skipped":0,"failed":1,'* ]]
        grep -q "1 of 6 images failed: later.pgm" errors
    done
    diff -r out1 out3
}

@test "--files-from=-: a name that collides with an earlier one fails alone" {
    mkdir a b
    for i in 1.pgm 2.pgm a/1.pgm b/3.pgm; do (cd "$(dirname $i)" && picture "$(basename $i)"); done
    start --json -f invert --files-from=- -o out/
    say 1.pgm
    [[ $line == *'"status":"ok"'* ]]
    cp out/1.pgm want
    say a/1.pgm
    [[ $line == *'"error":"is the output of \"1.pgm\" and would be that of \"a/1.pgm\" too"'* ]]
    say 1.pgm
    [[ $line == *'"error":"is named twice (name each input once)"'* ]]
    say out/../out/1.pgm
    [[ $line == *'"error":"is both the input and the output (to replace it use --in-place)"'* ]]
    say -
    [[ $line == *'"error":"standard input is the list of inputs"'* ]]
    printf '\n' >&"$to" # nothing is said of an empty line
    say 2.pgm
    [[ $line == '{"input":"2.pgm",'*'"status":"ok"'* ]]
    finish
    [ "$status" -eq 1 ]
    cmp out/1.pgm want
}

@test "--files-from=-: in place, beside the input, directories and pages" {
    for i in 1 2; do picture $i.pgm; done
    cp 1.pgm old
    start --json -f invert -i.bak --files-from=-
    say 1.pgm
    [[ $line == *'"status":"ok"'* ]]
    cmp 1.pgm.bak old
    say 1.pgm.bak
    [[ $line == *'"error":"is an input, and the backup of \"1.pgm\" too"'* ]]
    finish
    [ "$status" -eq 1 ]
    start --json -f invert --suffix=-x --files-from=-
    say 1.pgm
    [[ $line == *'"output":"1-x.pgm"'* ]]
    say 1-x.pgm
    [[ $line == *'"error":"is an input, and the output of \"1.pgm\" too"'* ]]
    finish
    mkdir -p tree/sub
    cp old tree/a.pgm
    cp old tree/sub/b.pgm
    cat old old >two.pgm
    start --json -r -j1 -f invert --pages --suffix=-%d --files-from=- -o out/
    say tree
    [[ $line == *'"output":"out/a-1.pgm"'* ]]
    read -r -t 20 line <&"$from"
    [[ $line == *'"output":"out/sub/b-1.pgm"'* ]]
    say two.pgm
    [[ $line == *'"output":"out/two-1.pgm"'*'"page":1'* ]]
    read -r -t 20 line <&"$from"
    [[ $line == *'"output":"out/two-2.pgm"'*'"page":2'* ]]
    finish
    [ "$status" -eq 0 ]
}

@test "--files-from=-: an end without names, and lists that are read first" {
    run --separate-stderr bash -c ': | "$0" -f invert --files-from=- -o out/' "$IMFILTER"
    [ "$status" -eq 0 ]
    one_line "standard input: warning: the list names no input"
    run --separate-stderr bash -c 'printf "a\0b\n" | "$0" -f invert --files-from=- -o out/' "$IMFILTER"
    [ "$status" -eq 2 ]
    one_line "standard input: a name holds a NUL (where names end in NUL, add -0)"
    # A file of names, --shard, and --sandbox: what is wrong is found while nothing has been written.
    picture a.pgm
    printf 'a.pgm\na.pgm\n' >list
    imf_run -f invert --files-from=- -o out/ <list
    [ "$status" -eq 2 ]
    one_line "a.pgm: is named twice"
    for option in --shard=1/1 --sandbox; do
        run --separate-stderr bash -c 'cat list | "$0" -f invert "$1" --files-from=- -o out/' "$IMFILTER" $option
        [ "$status" -eq 2 ]
        one_line "a.pgm: is named twice"
    done
    [ ! -e out ]
    run --separate-stderr bash -c 'echo a.pgm | "$0" -f invert --files-from=- -o b.pgm' "$IMFILTER"
    [ "$status" -eq 0 ]
    [ -s b.pgm ]
}
