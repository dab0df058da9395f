# Outputs and links that lead elsewhere: followed where the user named them, and nowhere else.
load helper

make_tree() {
    mkdir -p in/sub/deep out elsewhere
    make_pgm in/a.pgm
    cp in/a.pgm in/sub/b.pgm
    cp in/a.pgm in/sub/deep/c.pgm
}

# The linked directory holds what it held.
nothing_elsewhere() {
    local found
    found=$(find elsewhere -mindepth 1)
    [ -z "$found" ] || { echo "written elsewhere: $found"; return 1; }
}

@test "-r -o DIR follows no link below DIR" {
    make_tree
    ln -s ../elsewhere out/sub
    imf_run -f invert -r in -o out
    [ "$status" -eq 1 ]
    [ "${stderr_lines[0]}" = 'imfilter: out/sub/b.pgm: "out/sub" is a symbolic link, and below an output directory none is followed (remove it, or name the directory that it leads to with -o)' ]
    [[ ${stderr_lines[1]} == 'imfilter: out/sub/deep/c.pgm: "out/sub" is '* ]]
    [ -e out/a.pgm ]
    nothing_elsewhere
    rm out/sub
    mkdir out/sub
    ln -s ../../elsewhere out/sub/deep
    imf_run -f invert -r in -o out/
    [[ ${stderr_lines[0]} == 'imfilter: out/sub/deep/c.pgm: "out/sub/deep" is '* ]]
    [ -e out/sub/b.pgm ]
    nothing_elsewhere
}

@test "... nor one to a file, nor one below inputs that have a suffix" {
    make_tree
    cp in/a.pgm victim.pgm
    ln -s ../victim.pgm out/a.pgm
    imf_run -f invert -r in -o out
    [ "$status" -eq 1 ]
    [[ ${stderr_lines[0]} == 'imfilter: out/a.pgm: "out/a.pgm" is a symbolic link, '* ]]
    cmp victim.pgm in/a.pgm
    ln -s ../../victim.pgm in/sub/b-new.pgm
    imf_run -f invert -r in --suffix=-new
    [ "$status" -ne 0 ]
    cmp victim.pgm in/a.pgm
}

@test "DIR itself may be a link, and what is missing below is made" {
    make_tree
    ln -s elsewhere link
    imf -f invert -r in -o link
    cmp elsewhere/a.pgm elsewhere/sub/deep/c.pgm
    imf -f invert -r in -o link/new/er/
    cmp elsewhere/a.pgm elsewhere/new/er/sub/deep/c.pgm
    imf -f invert in/a.pgm -o link/new/another/
    cmp elsewhere/a.pgm elsewhere/new/another/a.pgm
}

@test "a directory of the output tree that becomes a link at any moment redirects nothing" {
    need_faults
    make_tree
    rm -r in/a.pgm in/sub/deep
    mkdir out/sub
    faulty FAULT_LOG=../log -- -f invert -r in -o out/
    count=$(wc -l <../log)
    [ "$count" -gt 4 ]
    escaped=0
    for ((n = 1; n <= count; n++)); do
        rm -rf out away && mkdir -p out/sub
        swap='mv out/sub away; ln -s ../elsewhere out/sub'
        faulty FAULT_AT=$n FAULT_RUN="$swap" -- -f invert -r in -o out
        echo "swapped before call $n of $count: $status, $stderr"
        [ -z "$(ls elsewhere)" ] || escaped=$((escaped + 1))
        rm -f elsewhere/*
        [ "$status" -eq 1 ] || [ -e away/b.pgm ] || [ "$escaped" -gt 0 ]
    done
    echo "$escaped of $count escaped"
    [ "$escaped" -eq 0 ]
}

@test "a link that the system does not follow is not followed" {
    need_faults
    make_pgm a.pgm
    cp a.pgm victim.pgm
    ln -s victim.pgm link.pgm
    for options in '-o link.pgm' '--no-clobber -o link.pgm' '--skip-existing -o link.pgm'; do
        faulty FAULT_DENY=link.pgm -- -f invert $options a.pgm
        [ "$status" -eq 1 ]
        one_line "link.pgm: cannot write: Permission denied"
    done
    faulty FAULT_DENY=link.pgm -- -f invert -i link.pgm
    [ "$status" -eq 1 ]
    one_line "link.pgm: cannot open: Permission denied"
    cmp a.pgm victim.pgm
    [ -L link.pgm ]
    no_temporaries
}

@test "a name that cannot be looked at is no new file" {
    make_pgm a.pgm
    imf_run -f invert a.pgm -o a.pgm/b.pgm
    [ "$status" -eq 1 ]
    one_line "a.pgm/b.pgm: cannot write: Not a directory"
}

@test "what belongs to another in a directory with the sticky bit gets no second name" {
    [ "$(id -u)" -eq 0 ] || skip "only root gives files away"
    need_unprivileged
    chmod 1777 .
    for option in -i.bak -i; do
        make_pgm a.pgm
        chmod 666 a.pgm
        imf_run_unprivileged -f invert $option a.pgm
        [ "$status" -eq 1 ]
        one_line "a.pgm: belongs to another user, and its directory's sticky bit lets its owner alone replace it (write elsewhere with -o)"
        [ "$(ls -A)" = a.pgm ]
    done
    imf_run_unprivileged -f invert a.pgm -o b.pgm
    [ "$status" -eq 0 ]
    imf_run_unprivileged -f invert b.pgm -o a.pgm
    one_line "a.pgm: belongs to another user"
    cp a.pgm b.pgm.bak
    chmod 666 b.pgm.bak
    imf_run_unprivileged -f invert -i.bak --clobber-backup b.pgm
    [ "$status" -eq 1 ]
    one_line "b.pgm: cannot keep a backup: Operation not permitted"
    [ "$(ls -A | tr '\n' ' ')" = "a.pgm b.pgm b.pgm.bak " ]
    chown 65534 b.pgm.bak
    imf_run_unprivileged -f invert -i.bak --clobber-backup b.pgm
    [ "$status" -eq 0 ]
}
