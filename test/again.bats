# A second run over the same tree: what the first one made is no input.
load helper

make_tree() {
    mkdir -p in/sub
    make_pgm in/x.pgm
    make_png in/sub/y.png
}

files() {
    (cd "$1" && find . -type f | sort | tr '\n' ' ')
}

@test "-r --suffix twice with --skip-existing does nothing the second time" {
    make_tree
    imf -r -f invert --suffix=-s --skip-existing in
    [ "$(files in)" = "./sub/y-s.png ./sub/y.png ./x-s.pgm ./x.pgm " ]
    stat -c %Y.%i in/x-s.pgm >before
    imf_run -r -v -f invert --suffix=-s --skip-existing in
    [ "$status" -eq 0 ]
    echo "$stderr"
    [[ $stderr == *'in/x-s.pgm: skipped: the output of "in/x.pgm"'* ]]
    [[ $stderr == *"2 images: 0 filtered, 2 skipped"* ]]
    stat -c %Y.%i in/x-s.pgm | cmp before
    # What is missing, and no more.
    rm in/sub/y-s.png
    imf_run -r -f invert --suffix=-s --skip-existing in/
    [ -z "$stderr" ]
    [ "$(files in)" = "./sub/y-s.png ./sub/y.png ./x-s.pgm ./x.pgm " ]
}

@test "-r --suffix --format twice, and --format into the tree itself" {
    make_tree
    for i in 1 2; do imf -r -f invert --suffix=-s --format=png --skip-existing in; done
    [ "$(files in)" = "./sub/y-s.png ./sub/y.png ./x-s.png ./x.pgm " ]
    rm in/*-s.png in/sub/y-s.png in/sub/y.png
    make_pgm in/sub/y.pgm
    for i in 1 2; do imf -r -f invert --format=png --no-clobber in -o in; done
    [ "$(files in)" = "./sub/y.pgm ./sub/y.png ./x.pgm ./x.png " ]
}

@test "-r --suffix twice without --skip-existing is refused: it might replace an original" {
    make_tree
    imf -r -f invert --suffix=-s in
    imf_run -r -f invert --suffix=-s in
    [ "$status" -eq 2 ]
    one_line "--skip-existing"
    [ "$(files in)" = "./sub/y-s.png ./sub/y.png ./x-s.pgm ./x.pgm " ]
}

@test "an original that has an output's name is not replaced, whatever is skipped" {
    mkdir in
    make_pgm in/x-s.pgm
    make_pgm in/x.pgm
    touch -d 2020-01-01 in/x-s.pgm
    cp in/x-s.pgm before
    imf_run -r -f invert --suffix=-s --skip-existing in
    echo "$stderr"
    [ "$status" -eq 2 ]
    one_line "or move it away if it is an older result"
    cmp before in/x-s.pgm
}

@test "a file with the suffix and no original is an input" {
    mkdir in
    make_pgm in/x-s.pgm
    imf -r -f invert --suffix=-s --skip-existing in
    [ "$(files in)" = "./x-s-s.pgm ./x-s.pgm " ]
}

@test "files that are named keep being inputs" {
    make_pgm x.pgm
    make_pgm x-s.pgm
    imf_run -f invert --suffix=-s --skip-existing x.pgm x-s.pgm
    [ "$status" -eq 2 ]
    one_line "x-s.pgm"
    [ ! -e x-s-s.pgm ]
}

@test "-r -iSUFFIX twice takes no backup for an image" {
    make_tree
    imf -r -f invert -i.orig in
    [ "$(files in)" = "./sub/y.png ./sub/y.png.orig ./x.pgm ./x.pgm.orig " ]
    imf_run -r -v -f invert -i.orig --skip-existing in
    [ "$status" -eq 0 ]
    [[ $stderr == *'in/x.pgm.orig: skipped: the backup of "in/x.pgm"'* ]]
    imf -r -f invert -i.orig --clobber-backup in
    [ "$(files in)" = "./sub/y.png ./sub/y.png.orig ./x.pgm ./x.pgm.orig " ]
    imf_run -r -f invert -i.orig in
    [ "$status" -eq 1 ]
    [[ ${stderr_lines[2]} == *"2 of 2 images failed"* ]]
}

@test "shares of a tree stay the same while others write into it" {
    make_tree
    cp in/x.pgm in/a.pgm
    imf -r -f invert --suffix=-s --skip-existing --shard=1/2 in
    [ "$(files in)" = "./a-s.pgm ./a.pgm ./sub/y.png ./x-s.pgm ./x.pgm " ]
    imf -r -f invert --suffix=-s --skip-existing --shard=2/2 in
    [ "$(files in)" = "./a-s.pgm ./a.pgm ./sub/y-s.png ./sub/y.png ./x-s.pgm ./x.pgm " ]
}

@test "-r -i with another suffix, or with none, takes no backup for an image" {
    mkdir photos
    make_ppm photos/a.ppm
    cp photos/a.ppm original
    imf -r -i.orig -f invert photos
    cp photos/a.ppm photos/a.ppm~
    for suffix in "" .bak; do
        imf_run -r -i$suffix -f invert photos
        [ "$status" -eq 0 ]
        [[ $stderr == *"2 backup skipped"* ]]
        cmp photos/a.ppm.orig original
        [ ! -e photos/a.ppm.orig.bak ]
    done
    # A name that no image has is an image by its content.
    mv photos/a.ppm.orig photos/b.orig
    imf -r -i -f invert photos
    ! cmp -s photos/b.orig original
}
