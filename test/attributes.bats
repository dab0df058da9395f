# A file that is replaced keeps its owner, rights and attributes, and nobody gets more than before.
load helper

need_acl() {
    command -v setfacl >/dev/null || skip "setfacl sets access control lists"
    : >probe
    setfacl -m u:65533:r probe 2>/dev/null || skip "this file system has no access control lists"
    rm probe
}

need_xattr() {
    command -v setfattr >/dev/null || skip "setfattr sets extended attributes"
    : >probe
    setfattr -n user.probe -v x probe 2>/dev/null || skip "this file system has no attributes"
    rm probe
}

acl() { # FILE
    getfacl -cEn "$1" | tr '\n' ' '
}

@test "an access control list is kept, in place and by -o" {
    need_acl
    for rights in u:65533:rw,g::-,m::rw,o::- u:65533:-,g:65533:r,g::rw,m::rw,o::r; do
        rm -f -- *.pgm*
        make_pgm a.pgm
        setfacl -m $rights a.pgm
        acl a.pgm >before
        imf_run -f invert -i.bak a.pgm
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [ "$(acl a.pgm)" = "$(cat before)" ]
        [ "$(acl a.pgm.bak)" = "$(cat before)" ]
        imf -f invert a.pgm.bak -o a.pgm
        [ "$(acl a.pgm)" = "$(cat before)" ]
    done
}

@test "a directory's default list makes the rights of a new file" {
    need_acl
    make_pgm a.pgm
    mkdir d
    setfacl -d -m u::rw,g::r,o::-,u:65533:rw d
    (umask 022 && imf -f invert a.pgm -o d/b.pgm && touch d/c)
    [ "$(acl d/b.pgm)" = "$(acl d/c)" ]
    [[ "$(acl d/b.pgm)" == *"other::--- "* ]]
}

@test "a directory's default list adds nothing to a file that had none" {
    need_acl
    mkdir d
    make_pgm d/a.pgm
    chmod 640 d/a.pgm
    acl d/a.pgm >before
    setfacl -d -m u:65533:rwx,m::rwx,o::rwx d
    imf -f invert -i.bak d/a.pgm
    [ "$(acl d/a.pgm)" = "$(cat before)" ]
    [ "$(acl d/a.pgm.bak)" = "$(cat before)" ]
}

# Where the list cannot be set, its mask must not become the group's rights, nor a name's denial be lost.
@test "a list that cannot be kept gives nobody more, and has a warning" {
    need_acl
    need_faults
    while read -r rights mode; do
        rm -f -- *.pgm*
        make_pgm a.pgm
        setfacl -m "$rights" a.pgm
        faulty FAULT_FAIL=fsetxattr FAULT_ERROR=95 -- -f invert -i a.pgm
        [ "$status" -eq 0 ]
        one_line "a.pgm: warning: its access control list could not be kept"
        echo "$rights: $(stat -c %a a.pgm)"
        [ "$(stat -c %a a.pgm)" = "$mode" ]
    done <<'LIST'
u::rw,u:65533:rw,g::-,m::rw,o::- 600
u::rw,u:65533:rw,g::r,m::rw,o::r 644
u::rw,u:65533:-,g::rw,m::rw,o::r 600
u::rw,g:65533:r,g::rw,m::rw,o::rw 644
u::rw,u:65533:rw,g::rw,m::r,o::r 644
LIST
}

@test "extended attributes are kept, also where the backup is a copy" {
    need_xattr
    need_faults
    for calls in '' linkat; do
        rm -f -- *.pgm*
        make_pgm a.pgm
        setfattr -n user.comment -v 'of a person' a.pgm
        setfattr -n user.empty a.pgm
        chmod 444 a.pgm
        faulty FAULT_FAIL=$calls -- -f invert -i.bak a.pgm
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        for name in a.pgm a.pgm.bak; do
            [ "$(getfattr --only-values -n user.comment $name)" = "of a person" ]
            [ "$(getfattr -d $name | grep -c user)" -eq 2 ]
            [ "$(stat -c %a $name)" = 444 ]
        done
    done
    make_pgm b.pgm
    setfattr -n user.comment -v x b.pgm
    faulty FAULT_FAIL=fsetxattr FAULT_ERROR=28 -- -f invert -i b.pgm
    [ "$status" -eq 0 ]
    one_line "b.pgm: warning: its extended attributes could not be kept"
}

@test "hard links to what is replaced have a warning" {
    make_pgm a.pgm
    cp a.pgm original.pgm
    ln a.pgm b.pgm
    imf_run -f invert -i.bak a.pgm
    [ "$status" -eq 0 ]
    one_line "a.pgm: warning: its other hard links still name the old image"
    cmp b.pgm original.pgm
    ln a.pgm c.pgm
    imf_run -f invert -i --json a.pgm
    [[ $output == *'"warning":"its other hard links still name the old image"'* ]]
    ln a.pgm d.pgm
    imf_run -q -f invert -i d.pgm
    [ -z "$stderr" ]
    imf_run -f invert -i d.pgm
    [ -z "$stderr" ]
}

@test "the group is kept where the owner cannot be" {
    [ "$(id -u)" -eq 0 ] || skip "only root gives files away"
    need_unprivileged --groups=65533
    make_pgm a.pgm
    chown 0:65533 a.pgm
    chmod 664 a.pgm
    chmod 777 .
    imf_run_unprivileged -f invert -i a.pgm
    [ "$status" -eq 0 ]
    one_line "a.pgm: warning: its owner could not be kept"
    [ "$(stat -c '%u:%g %a' a.pgm)" = "65534:65533 664" ]
}

@test "another group gets no more than the old one and others had" {
    [ "$(id -u)" -eq 0 ] || skip "only root gives files away"
    need_unprivileged
    chmod 777 .
    while read -r before after; do
        rm -f a.pgm
        make_pgm a.pgm
        chown 0:65533 a.pgm
        chmod "$before" a.pgm
        imf_run_unprivileged -f invert -i a.pgm
        [ "$status" -eq 0 ]
        one_line "a.pgm: warning: its owner and group could not be kept"
        echo "$before: $(stat -c '%u:%g %a' a.pgm)"
        [ "$(stat -c '%u:%g %a' a.pgm)" = "65534:65534 $after" ]
    done <<'LIST'
664 644
4755 755
2674 644
LIST
    if command -v setfacl >/dev/null; then
        make_pgm a.pgm
        chown 0:65533 a.pgm
        setfacl -m g::rw,g:65532:rwx,m::rwx,o::r a.pgm
        imf_run_unprivileged -f invert -i a.pgm
        [[ "$(acl a.pgm)" == "user::rw- group::r-- group:65532:rwx mask::rwx other::r-- "* ]]
    fi
}
