# -i replaces people's only copy: at every moment a whole file is under its name, and backups stay.
load helper

inverted="255 245 235 225 215 205 195 185 175 165 155 0"

@test "an older backup is never replaced unless --clobber-backup says so" {
    make_pgm a.pgm
    cp a.pgm original.pgm
    imf -f invert -i.bak a.pgm
    imf_run -f invert -i.bak a.pgm
    [ "$status" -eq 1 ]
    one_line 'a.pgm: its backup "a.pgm.bak" exists'
    [[ $stderr == *--skip-existing*--clobber-backup* ]]
    cmp original.pgm a.pgm.bak
    [ "$(samples a.pgm)" = "$inverted" ]
    imf_run -f invert -i.bak --clobber-backup a.pgm
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(samples a.pgm.bak)" = "$inverted" ]
    [ "$(samples a.pgm)" = "$(samples original.pgm)" ]
    no_temporaries
}

@test "--skip-existing and --no-clobber pass over what has a backup" {
    for option in --skip-existing --no-clobber; do
        rm -f -- *.pgm*
        make_pgm a.pgm
        cp a.pgm b.pgm
        cp a.pgm original.pgm
        imf -f invert -i.bak a.pgm
        imf_run -f invert -i.bak $option -v a.pgm b.pgm
        [ "$status" -eq 0 ]
        [[ ${stderr_lines[0]} == "imfilter: a.pgm: skipped: its backup exists" ]]
        [ "$(samples a.pgm)" = "$inverted" ]
        cmp original.pgm a.pgm.bak
        [ "$(samples b.pgm)" = "$inverted" ]
        cmp original.pgm b.pgm.bak
        imf_run -f invert -i $option a.pgm
        [ "$status" -eq 2 ]
        one_line "SUFFIX"
    done
    imf_run -f invert -i --clobber-backup a.pgm
    [ "$status" -eq 2 ]
    imf_run -f invert -i.bak --clobber-backup --no-clobber a.pgm
    [ "$status" -eq 2 ]
}

@test "a backup of an older run that is the original itself is no obstacle" {
    make_pgm a.pgm
    cp a.pgm original.pgm
    ln a.pgm a.pgm.bak
    imf_run -f invert -i.bak --skip-existing a.pgm
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    cmp original.pgm a.pgm.bak
    [ "$(samples a.pgm)" = "$inverted" ]
}

@test "a backup that is a directory stays one" {
    make_pgm a.pgm
    cp a.pgm original.pgm
    mkdir a.pgm.bak
    imf_run -f invert -i.bak --clobber-backup a.pgm
    [ "$status" -eq 1 ]
    one_line "a.pgm: cannot keep a backup: "
    cmp original.pgm a.pgm
    [ -d a.pgm.bak ]
    no_temporaries
}

@test "a backup that would be another input, or another's backup: refused" {
    make_pgm b
    make_pgm b.bak
    cp b original
    imf_run -f invert --in-place=.bak b b.bak
    [ "$status" -eq 2 ]
    one_line "b.bak"
    cmp b original
    cmp b.bak original
    mkdir links
    ln -s ../b links/c
    imf_run -f invert --in-place=.bak links/c b.bak
    [ "$status" -eq 2 ]
    [ "$(ls | tr '\n' ' ')" = "b b.bak links original " ]
}

@test "where there are no hard links the backup is a copy; and without renameat2" {
    need_faults
    for calls in linkat linkat,renameat2 renameat2; do
        rm -f a.pgm*
        make_pgm a.pgm
        touch -d '2001-02-03 04:05:06' a.pgm
        chmod 640 a.pgm
        cp a.pgm original.pgm
        faulty FAULT_FAIL=$calls -- -f invert -i.bak a.pgm
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        cmp original.pgm a.pgm.bak
        [ "$(stat -c '%a %Y' a.pgm.bak)" = "640 $(date -d '2001-02-03 04:05:06' +%s)" ]
        [ "$(samples a.pgm)" = "$inverted" ]
        faulty FAULT_FAIL=$calls -- -f invert -i.bak a.pgm
        [ "$status" -eq 1 ]
        cmp original.pgm a.pgm.bak
        echo first >b.pgm
        faulty FAULT_FAIL=$calls -- -f invert --no-clobber a.pgm -o b.pgm
        [ "$(cat b.pgm)" = first ]
        faulty FAULT_FAIL=$calls -- -f invert --no-clobber a.pgm -o c.pgm
        [ "$(samples c.pgm)" = "$(samples original.pgm)" ]
        rm c.pgm
        no_temporaries
    done
}

@test "when the result cannot be given its name all is as before" {
    need_faults
    make_pgm a.pgm
    cp a.pgm original.pgm
    faulty FAULT_FAIL=renameat,renameat2 -- -f invert -i.bak a.pgm
    [ "$status" -eq 1 ]
    one_line "a.pgm: cannot "
    cmp original.pgm a.pgm
    [ ! -e a.pgm.bak ]
    echo older >a.pgm.bak
    for calls in renameat,renameat2 linkat,renameat,renameat2; do
        faulty FAULT_FAIL=$calls -- -f invert -i.bak --clobber-backup a.pgm
        [ "$status" -eq 1 ]
        cmp original.pgm a.pgm
        [ "$(cat a.pgm.bak)" = older ]
    done
    no_temporaries
}

# What there is afterwards: old or new under the name, and a backup; a failure leaves all as it was.
check_after() { # STATUS
    if cmp -s a.pgm new.pgm; then
        cmp a.pgm.bak old.pgm
    else
        [ "$1" -ne 0 ]
        cmp a.pgm old.pgm
        if [ "$1" -eq 1 ]; then
            [ "$(cat a.pgm.bak 2>/dev/null)" = "$before" ]
        elif [ -n "$before" ]; then
            [ "$(cat a.pgm.bak)" = older ] || cmp a.pgm.bak old.pgm
        fi
    fi
}

# Let each call in turn fail, or the process die before it.
each_call() { # MISSING-CALLS
    need_faults
    make_pgm old.pgm
    imf -f invert old.pgm -o new.pgm
    local before how count n options
    for before in '' older; do
        options=(-i.bak)
        [ -z "$before" ] || options+=(--clobber-backup)
        for how in FAULT_ERROR=5 FAULT_KILL=1; do
            count=1
            for ((n = 1; n <= count + 1; n++)); do
                rm -rf dir log && mkdir dir && cd dir || return 1
                cp ../old.pgm ../new.pgm .
                cp old.pgm a.pgm
                [ -z "$before" ] || echo "$before" >a.pgm.bak
                faulty FAULT_AT=$n $how FAULT_FAIL="$1" FAULT_LOG=../log -- -f invert "${options[@]}" a.pgm
                echo "without $1, backup '$before', $how at $n of $count: $status, $stderr"
                case $status in
                0) ;;
                1)
                    [ "$how" = FAULT_ERROR=5 ]
                    one_line a.pgm
                    ;;
                137) [ "$how" = FAULT_KILL=1 ] ;;
                *) return 1 ;;
                esac
                check_after "$status"
                imf -f kernel:1 old.pgm -o other.pgm
                no_temporaries
                count=$(wc -l <../log)
                cd ..
            done
            [ "$count" -gt 12 ]
            [ "$status" -eq 0 ]
        done
    done
}

@test "whatever call fails, or dies, in place: old or new, and a backup" {
    each_call ''
}

@test "... without hard links and exchanges" {
    need_thorough
    each_call linkat,renameat2
}

# The calls of a run that name or flush files, as words: each temporary is "new".
order_of() { # [MISSING-CALL --] OPTION...
    local missing=
    rm -f ../log
    if [ "$2" = -- ]; then
        missing=$1
        shift 2
    fi
    faulty FAULT_LOG=../log FAULT_FAIL=$missing -- -f invert "$@"
    [ "$status" -eq 0 ]
    order=$(sed -n "s|$(pwd -P)|.|; s|/\.imfilter-[^ ]*|/new|; /^fsync\|^rename\|^link/p" ../log |
        tr '\n' ,)
    echo "$order"
}

@test "a file is on the disk before it has its name, and then the name" {
    need_faults
    make_pgm a.pgm
    order_of -i a.pgm
    [ "$order" = "fsync ./new,renameat2 ./a.pgm,fsync .," ]
    order_of -i.bak a.pgm
    [ "$order" = "fsync ./new,linkat ./new,renameat2 ./a.pgm.bak,fsync .,renameat2 ./a.pgm,fsync .," ]
    rm a.pgm.bak
    order_of linkat -- -i.bak a.pgm
    [ "$order" = "fsync ./new,linkat ./new,fsync ./new,renameat2 ./a.pgm.bak,fsync .,renameat2 ./a.pgm,fsync .," ]
    order_of a.pgm -o b.pgm
    [ "$order" = "fsync ./new,renameat ./b.pgm," ]
    order_of a.pgm -o b.pgm
    [ "$order" = "fsync ./new,renameat ./b.pgm,fsync .," ]
    order_of --no-clobber a.pgm -o c.pgm
    [ "$order" = "fsync ./new,renameat2 ./c.pgm," ]
}

# The number of the first call named CALL in a run over the given inputs.
number_of() { # CALL OPTION...
    local call=$1
    shift
    cp -a . ../rehearsal
    (cd ../rehearsal && faulty FAULT_LOG=../log -- -f invert "$@")
    grep -n "^$call " ../log | head -n 1 | cut -d : -f 1
    rm -r ../rehearsal ../log
}

# Filter INPUT in place and run COMMAND when CALL comes for the first time.
meanwhile() { # CALL COMMAND OPTION...
    local call=$1 command=$2 number
    shift 2
    number=$(number_of "$call" "$@")
    echo "$call is call $number"
    [ -n "$number" ]
    faulty FAULT_AT="$number" FAULT_RUN="$command" -- -f invert "$@"
    echo "$status $stderr"
}

@test "a link that is swapped meanwhile redirects nothing" {
    need_faults
    make_pgm a.pgm
    make_pgm victim.pgm
    cp a.pgm original.pgm
    ln -s a.pgm link.pgm
    meanwhile fsync 'ln -sfn victim.pgm link.pgm' -i.bak link.pgm
    [ "$status" -eq 0 ]
    cmp victim.pgm original.pgm
    [ "$(samples a.pgm)" = "$inverted" ]
    cmp a.pgm.bak original.pgm
    [ ! -e victim.pgm.bak ]
}

@test "a directory that is swapped meanwhile redirects nothing" {
    need_faults
    mkdir d e
    make_pgm d/a.pgm
    cp d/a.pgm e/a.pgm
    cp d/a.pgm original.pgm
    meanwhile fsync 'mv d f && ln -s e d' -i.bak d/a.pgm
    [ "$status" -eq 0 ]
    cmp e/a.pgm original.pgm
    [ "$(ls e)" = a.pgm ]
    [ "$(samples f/a.pgm)" = "$inverted" ]
    cmp f/a.pgm.bak original.pgm
}

@test "a file that is replaced or written meanwhile is left as it is" {
    need_faults
    for call in fsync renameat2; do
        for command in 'mv new.pgm a.pgm' 'ln -sf new.pgm a.pgm' 'rm a.pgm; cp new.pgm a.pgm'; do
            rm -f -- *.pgm*
            make_pgm a.pgm
            echo new >new.pgm
            echo "$call, $command"
            meanwhile $call "$command" -i a.pgm
            [ "$status" -eq 1 ]
            one_line "a.pgm: was changed or replaced by another program meanwhile"
            [ "$(cat a.pgm)" = new ]
            no_temporaries
        done
    done
    for option in -i -i.bak; do
        for command in 'echo new >a.pgm' 'echo >>a.pgm; touch -d @1000000000 a.pgm'; do
            make_pgm a.pgm
            touch -d @1000000000 a.pgm
            meanwhile fsync "$command; cp a.pgm ../wanted" $option a.pgm
            [ "$status" -eq 1 ]
            cmp a.pgm ../wanted
            [ ! -e a.pgm.bak ]
            no_temporaries
        done
    done
}

@test "a backup that appears meanwhile is left alone" {
    need_faults
    for call in fsync renameat2; do
        rm -f -- *.pgm*
        make_pgm a.pgm
        cp a.pgm original.pgm
        meanwhile $call 'echo theirs >a.pgm.bak' -i.bak a.pgm
        [ "$status" -eq 1 ]
        one_line 'a.pgm: its backup "a.pgm.bak" exists'
        [ "$(cat a.pgm.bak)" = theirs ]
        cmp a.pgm original.pgm
        rm a.pgm.bak
        meanwhile $call 'echo theirs >a.pgm.bak' -i.bak --skip-existing a.pgm
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [ "$(cat a.pgm.bak)" = theirs ]
        cmp a.pgm original.pgm
        no_temporaries
    done
}

@test "-r -i follows no link, and none that appears meanwhile" {
    need_faults
    mkdir -p in/a in/b out
    make_pgm in/a/1.pgm
    make_pgm in/b/2.pgm
    make_pgm out/2.pgm
    cp out/2.pgm original.pgm
    ln -s ../../out/2.pgm in/a/link.pgm
    ln -s ../out in/c
    imf_run -f invert -r -i -v in
    [ "$status" -eq 0 ]
    [[ $stderr == *"in/a/link.pgm: skipped: a symbolic link"* ]]
    [ "$(samples in/b/2.pgm)" = "$inverted" ]
    cmp out/2.pgm original.pgm
    meanwhile fsync 'mv in/b away; ln -s ../out in/b' --jobs=1 -r -i in
    [ "$status" -eq 1 ]
    [[ ${stderr_lines[0]} == "imfilter: in/b/2.pgm: cannot open: "* ]]
    cmp out/2.pgm original.pgm
    [ "$(samples in/a/1.pgm)" = "$(samples original.pgm)" ]
}

@test "only regular files are filtered in place" {
    mkfifo pipe
    imf_run -f invert -i pipe
    [ "$status" -eq 1 ]
    one_line "pipe: is not a regular file"
    [ -p pipe ]
}

@test "a signal between the names of the backup and of the result waits for both" {
    need_faults
    make_pgm a.pgm
    cp a.pgm original.pgm
    echo older >a.pgm.bak
    # The thread that waits for signals has it before the last file is done.
    meanwhile renameat2 'kill -TERM $PPID; sleep 0.3' -i.bak --clobber-backup a.pgm
    [ "$status" -eq 143 ]
    [ "$(samples a.pgm)" = "$inverted" ]
    cmp a.pgm.bak original.pgm
    no_temporaries
}

@test "what replaces a file is its owner's alone until it has the file's rights" {
    need_faults
    make_pgm a.pgm
    chmod 640 a.pgm
    meanwhile fchown 'stat -c %a .imfilter-a.pgm.* >../mode' -i a.pgm
    [ "$status" -eq 0 ]
    [ "$(cat ../mode)" = 600 ]
    [ "$(stat -c %a a.pgm)" = 640 ]
}
