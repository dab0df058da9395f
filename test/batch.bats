# Several inputs: directories, lists, mirrored trees, collisions, summaries.
load helper

make_tree() {
    mkdir -p in/sub/deep in/empty
    make_pgm in/a.pgm
    make_pgm in/sub/b.pgm
    make_png in/sub/deep/c.png
    echo text >in/notes.txt
    echo text >in/sub/README
}

@test "several inputs go to a directory that exists, or one whose name ends in /" {
    make_pgm a.pgm
    make_pgm b.pgm
    mkdir there
    imf -f invert a.pgm b.pgm -o there
    imf -f invert a.pgm b.pgm -o made/of/parts/
    for d in there made/of/parts; do
        [ "$(samples $d/a.pgm)" = "255 245 235 225 215 205 195 185 175 165 155 0" ]
        [ -e $d/b.pgm ]
    done
}

@test "several inputs with a file as output: refused before anything is written" {
    make_pgm a.pgm
    make_pgm b.pgm
    imf_run -f invert a.pgm b.pgm -o c.pgm
    [ "$status" -eq 2 ]
    one_line "directory"
    imf_run -f invert a.pgm b.pgm -o -
    [ "$status" -eq 2 ]
    one_line "directory"
    echo x >plain
    imf_run -f invert a.pgm b.pgm -o plain/
    [ "$status" -ne 0 ]
    [ ! -e c.pgm ]
}

@test "-r mirrors the tree and takes images only" {
    make_tree
    imf_run -r -f invert in -o out/
    [ "$status" -eq 0 ]
    [ -z "$output$stderr" ]
    [ "$(cd out && find . -type f | sort | tr '\n' ' ')" = "./a.pgm ./sub/b.pgm ./sub/deep/c.png " ]
    [ "$(file_kind out/sub/deep/c.png)" = png ]
    imf -r -f invert in/ -o other/
    diff -r out other
}

@test "-r -v says what it left out" {
    make_tree
    imf_run -r -v -f invert in -o out/
    [ "$status" -eq 0 ]
    [[ $stderr == *"in/notes.txt: skipped"* ]]
    [[ $stderr == *"3 images: 3 filtered, 0 skipped"* ]]
}

@test "-r into a directory inside the input does not eat its own outputs" {
    make_tree
    imf -r -f invert in -o in/out/
    imf -r -f invert in -o in/out/
    [ "$(find in/out -type f | wc -l)" -eq 3 ]
}

@test "-r needs a directory as output, and a directory needs -r" {
    make_tree
    imf_run -r -f invert in -o out.pgm
    [ "$status" -eq 2 ]
    one_line "directory"
    imf_run -f invert in -o out/
    [ "$status" -eq 1 ]
    one_line "-r"
}

@test "-r does not follow links to directories, so loops end" {
    make_tree
    ln -s .. in/sub/loop
    ln -s a.pgm in/link.pgm
    imf -r -f invert in -o out/
    [ "$(find out -type f | wc -l)" -eq 4 ]
    [ ! -L out/link.pgm ]
}

@test "an empty directory is a warning" {
    mkdir in
    imf_run -r -f invert in -o out/
    [ "$status" -eq 0 ]
    one_line "warning: no image"
    imf_run -q -r -f invert in -o out/
    [ -z "$stderr" ]
}

@test "-r -i filters a tree in place" {
    make_tree
    imf -r -i.orig -f invert in
    [ "$(samples in/sub/b.pgm)" = "255 245 235 225 215 205 195 185 175 165 155 0" ]
    [ -e in/sub/b.pgm.orig ]
    [ -e in/sub/deep/c.png.orig ]
    no_temporaries
}

@test "--format changes the extension in a directory" {
    make_tree
    cp in/a.pgm in/x.y
    imf -r -f invert --format=png in -o out/
    [ "$(cd out && find . -type f | sort | tr '\n' ' ')" = "./a.png ./sub/b.png ./sub/deep/c.png ./x.y.png " ]
    imf -f invert --format=jpeg in/x.y in/a.pgm -o out/
    [ "$(file_kind out/x.y.jpg)" = jpeg ]
    [ "$(file_kind out/a.jpg)" = jpeg ]
    imf -f invert --format=pnm in/a.pgm -o out/
    [ -e out/a.pgm ]
}

@test "--suffix goes before the extension, beside the input or in a directory" {
    make_pgm a.b.pgm
    mkdir d
    make_pgm d/c.pgm
    imf -f invert --suffix=-inv a.b.pgm d/c.pgm
    [ -e a.b-inv.pgm ]
    [ -e d/c-inv.pgm ]
    imf -f invert --suffix=_x --format=png a.b.pgm -o out/
    [ "$(file_kind out/a.b_x.png)" = png ]
    imf_run -f invert --suffix=-inv a.b.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "--suffix"
}

@test "--files-from: lines, NUL with -0, standard input" {
    make_pgm a.pgm
    make_pgm 'b c.pgm'
    make_pgm $'d\ne.pgm'
    printf 'a.pgm\n\nb c.pgm' >list
    imf -f invert --files-from=list -o one/
    [ "$(ls one | wc -l)" -eq 2 ]
    printf 'a.pgm\0d\ne.pgm\0' | imf -f invert --files-from=- -0 -o two/
    [ -e two/a.pgm ]
    [ -e $'two/d\ne.pgm' ]
    imf -f invert --files-from=list -o three/ $'d\ne.pgm'
    [ "$(find three -name '*.pgm' -print0 | tr -dc '\0' | wc -c)" -eq 3 ]
}

@test "--files-from: an empty list is a warning, a missing one an error" {
    : >list
    imf_run -f invert --files-from=list -o out/ </dev/null
    [ "$status" -eq 0 ]
    one_line "warning"
    imf_run -f invert --files-from=missing -o out/
    [ "$status" -eq 2 ]
    one_line "missing"
    imf_run -f invert -0 -o out/
    [ "$status" -eq 2 ]
}

@test "two inputs with one output: refused before anything is written" {
    mkdir x y
    make_pgm x/a.pgm
    make_pgm y/a.pgm
    imf_run -f invert x/a.pgm y/a.pgm -o out/
    [ "$status" -eq 2 ]
    one_line "out/a.pgm"
    [ ! -e out ]
    make_png x/a.png
    imf_run -f invert x/a.pgm x/a.png --format=png -o out/
    [ "$status" -eq 2 ]
    one_line 'out/a.png: would be the output of both "x/a.pgm" and "x/a.png"'
    [ "$(find . -type f | wc -l)" -eq 3 ]
}

@test "an input that is named twice is told so" {
    mkdir x
    make_pgm x/a.pgm
    ln -s a.pgm x/link.pgm
    for to in '-o out/' '--suffix=-s' '-i'; do
        # shellcheck disable=SC2086 # two words
        imf_run -f invert x/a.pgm x/a.pgm $to
        [ "$status" -eq 2 ]
        one_line "x/a.pgm: is named twice (name each input once)"
        # shellcheck disable=SC2086 # two words
        imf_run -f invert x/a.pgm x/../x/a.pgm $to
        [ "$status" -eq 2 ]
        one_line 'x/../x/a.pgm: is the same file as "x/a.pgm" (name each input once)'
    done
    imf_run -f invert -i x/a.pgm x/link.pgm
    [ "$status" -eq 2 ]
    one_line 'x/link.pgm: is the same file as "x/a.pgm" (name each input once)'
    imf_run -r -f invert x x/a.pgm -o out/
    [ "$status" -eq 2 ]
    one_line "x/a.pgm: is named twice"
    [ "$(find . -type f | wc -l)" -eq 1 ]
}

@test "one name in a directory and in a directory below it are two files" {
    mkdir -p a/b
    make_pgm a/b/x.pgm
    make_pgm a/x.pgm
    for order in 'a/b/x.pgm a/x.pgm' 'a/x.pgm a/b/x.pgm'; do
        # shellcheck disable=SC2086 # two words
        imf_run --suffix=-s -f kernel:1 $order
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        rm a/x-s.pgm a/b/x-s.pgm
    done
}

@test "names that differ in case alone are one file where the file system has it so" {
    make_pgm a.pgm
    make_pgm A.PGM
    make_pgm b.pgm
    ${CC:-cc} -shared -fPIC -o case.so "$BATS_TEST_DIRNAME/faults/case.c" -ldl
    on_kind() { # KIND OPTION...
        local kind=$1
        shift
        run --separate-stderr env CASE_KIND="$kind" LD_PRELOAD="$PWD/case.so" \
            ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$IMFILTER" "$@"
    }
    for kind in 0x4d44 0x2011bab0 0xff534d42; do
        for out in out/ made/of/parts/; do
            on_kind $kind -f invert a.pgm b.pgm A.PGM -o $out
            [ "$status" -eq 2 ]
            one_line 'would be the output of both "a.pgm" and "A.PGM": its file system ignores the case of letters'
        done
    done
    [ ! -e out ]
    on_kind 0x4d44 -f invert --suffix=-s a.pgm b.pgm
    [ "$status" -eq 0 ]
    on_kind 0xef53 -f invert a.pgm b.pgm A.PGM -o out/
    [ "$status" -eq 0 ]
    [ "$(ls out | wc -l)" -eq 3 ]
}

@test "an output that is another input: refused" {
    make_pgm a.pgm
    make_pgm a-s.pgm
    imf_run -f invert --suffix=-s a.pgm a-s.pgm
    [ "$status" -eq 2 ]
    one_line "a-s.pgm"
    [ "$(ls | wc -l)" -eq 2 ]
}

@test "one bad input among many: the others are done, one line each and a summary" {
    make_pgm a.pgm
    echo junk >b.pgm
    make_pgm c.pgm
    imf_run -f invert a.pgm b.pgm c.pgm missing.pgm -o out/
    [ "$status" -eq 1 ]
    [ "$(ls out | tr '\n' ' ')" = "a.pgm c.pgm " ]
    [ "${#stderr_lines[@]}" -eq 3 ]
    [[ ${stderr_lines[0]} == "imfilter: b.pgm: "* ]]
    [[ ${stderr_lines[1]} == "imfilter: missing.pgm: "* ]]
    [ "${stderr_lines[2]}" = "imfilter: 2 of 4 images failed: b.pgm, missing.pgm" ]
}

@test "images of one shape and of others follow each other correctly" {
    for i in 1 2 3; do make_pgm $i.pgm; done
    make_ppm 2x.ppm
    imf -f invert 1.pgm 2.pgm 2x.ppm 3.pgm -o out/
    for i in 1 2 3; do
        [ "$(samples out/$i.pgm)" = "255 245 235 225 215 205 195 185 175 165 155 0" ]
    done
    [ "$(samples out/2x.ppm)" = "254 253 252 251 250 249 248 247 246 245 235 225 215 205 195 185 175 0" ]
}

@test "-r: what cannot be read is a failure, with its own cause" {
    need_unprivileged
    make_tree
    ln -s loop.pgm in/loop.pgm
    ln -s nowhere.pgm in/dangling.pgm
    ln -s nowhere.txt in/other.txt
    ln -s ../locked/d.pgm in/locked.pgm
    mkdir locked in/closed in/listed
    make_pgm locked/d.pgm
    make_pgm in/listed/e.pgm
    chmod 0 locked in/closed
    chmod 744 in/listed
    chmod 777 .
    imf_run_unprivileged -r -f invert in -o out/
    [ "$status" -eq 1 ]
    [ "$(cd out && find . -type f | sort | tr '\n' ' ')" = "./a.pgm ./sub/b.pgm ./sub/deep/c.png " ]
    cat >expected <<'LIST'
imfilter: in/closed: cannot read the directory: Permission denied
imfilter: in/dangling.pgm: is a dangling symbolic link
imfilter: in/listed/e.pgm: cannot read: Permission denied
imfilter: in/locked.pgm: cannot read: Permission denied
imfilter: in/loop.pgm: cannot read: Too many levels of symbolic links
imfilter: 5 of 8 images failed: in/closed, in/dangling.pgm, in/listed/e.pgm, in/locked.pgm, in/loop.pgm
LIST
    diff expected - <<<"$stderr"
    chmod 755 locked in/closed in/listed
    imf_run -r -f invert -i in
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
}

make_cmyk() { # FILE
    { printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n' && printf '\1\2\3\4'; } >"$1"
}

@test "an image that does not suit is that image's failure, in any order" {
    make_pgm a.pgm
    make_cmyk b.pam
    for order in 'a.pgm b.pam' 'b.pam a.pgm'; do
        for options in '-f gray' '-f invert --linear'; do
            rm -rf out
            # shellcheck disable=SC2086 # lists
            imf_run $options $order -o out/
            echo "$order $options: $status $stderr"
            [ "$status" -eq 1 ]
            [[ ${stderr_lines[0]} == "imfilter: b.pam: "*" is CMYK"* ]]
            [ "${stderr_lines[1]}" = "imfilter: 1 of 2 images failed: b.pam" ]
            [ "$(ls out)" = a.pgm ]
        done
    done
    imf_run -f gray b.pam -o out.pam
    [ "$status" -eq 1 ]
    one_line "b.pam: gray needs a gray or RGB image, this is CMYK"
}

@test "options that suit no image are a usage error" {
    need_opencl
    make_pgm a.pgm
    make_ppm b.ppm
    imf_run -f disk:3 --backend=separable a.pgm b.ppm -o out/
    [ "$status" -eq 2 ]
    [[ ${stderr_lines[0]} == "imfilter: a.pgm: --backend=separable cannot do this"* ]]
    [ ! -e out ]
    echo junk >c.pgm
    for order in 'c.pgm a.pgm' 'a.pgm c.pgm'; do
        # shellcheck disable=SC2086 # a list
        imf_run -f disk:3 --backend=separable $order -o out/
        [ "$status" -eq 2 ]
    done
}

@test "options that suit some of the images are the others' failure, in any order" {
    need_opencl
    make_pgm a.pgm
    imf -f kernel:1 --depth=16 a.pgm -o b.pgm
    for order in 'a.pgm b.pgm' 'b.pgm a.pgm'; do
        rm -rf out
        # shellcheck disable=SC2086 # a list
        imf_run -f box:301 --backend=separable $order -o out/
        [ "$status" -eq 1 ]
        [[ ${stderr_lines[0]} == "imfilter: b.pgm: --backend=separable cannot do this"* ]]
        [ "$(ls out)" = a.pgm ]
    done
}

@test "--files-from: names that end in NUL are not taken for one name" {
    make_pgm a.pgm
    printf 'a.pgm\0b.pgm\0' >list
    imf_run -f invert --files-from=list -o out/
    [ "$status" -eq 2 ]
    one_line "add -0"
}

@test "the end of a batch names what failed" {
    make_pgm a.pgm
    for i in 0 1 2 3 4 5 6 7 8 9 A B; do echo junk >$i.pgm; done
    imf_run -f invert ./*.pgm -o out/
    [ "$status" -eq 1 ]
    [ "${stderr_lines[12]}" = "imfilter: 12 of 13 images failed: ./0.pgm, ./1.pgm, ./2.pgm, ./3.pgm, ./4.pgm, \
./5.pgm, ./6.pgm, ./7.pgm, ./8.pgm, ./9.pgm and 2 more" ]
}
