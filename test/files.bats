# One image: names, formats, modes, links, in place.
load helper

@test "identity keeps the pixels, through PNM and PNG" {
    make_ppm a.ppm
    imf -f kernel:1 a.ppm -o b.png
    [ "$(file_kind b.png)" = png ]
    [ "$(samples b.png)" = "1 2 3 4 5 6 7 8 9 10 20 30 40 50 60 70 80 255" ]
}

@test "a chain applies in order" {
    make_pgm a.pgm
    imf -f invert -f threshold:0.9 a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "255 255 255 0 0 0 0 0 0 0 0 0" ]
    imf -f threshold:0.9 -f invert a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "255 255 255 255 255 255 255 255 255 255 255 0" ]
}

@test "sharpen is the contract's kernel with the edge clamped" {
    printf 'P2\n3 3\n255\n10 10 10\n10 20 10\n10 10 10\n' >a.pgm
    imf -f sharpen a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "10 0 10 0 60 0 10 0 10" ]
    imf -f sharpen:0 a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "10 10 10 10 20 10 10 10 10" ]
}

@test "a kernel is applied as written; flip turns it" {
    printf 'P2\n3 1\n255\n10 20 40\n' >a.pgm
    imf -f kernel:0,0,1 a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "20 40 40" ]
    imf -f kernel:0,0,1:flip a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "10 10 20" ]
}

@test "each edge mode supplies its own pixels" {
    printf 'P2\n3 1\n255\n10 20 40\n' >a.pgm
    while read -r mode want; do
        imf -f kernel:1,0,0,0,0 --edge="$mode" a.pgm -o b.pgm
        echo "$mode"
        [ "$(samples b.pgm)" = "$want" ]
    done <<'LIST'
clamp 10 10 10
reflect 20 10 10
mirror 40 20 10
wrap 20 40 10
constant 0 0 10
constant:1 255 255 10
LIST
}

@test "the output's format: --format, its extension, the input's" {
    make_png a.png
    imf -f kernel:1 a.png -o b.jpg
    [ "$(file_kind b.jpg)" = jpeg ]
    imf -f kernel:1 a.png -o b.JPEG
    [ "$(file_kind b.JPEG)" = jpeg ]
    imf -f kernel:1 a.png -o b.pnm
    [ "$(file_kind b.pnm)" = pnm ]
    imf -f kernel:1 a.png -o b.PPM
    [ "$(file_kind b.PPM)" = pnm ]
    imf -f kernel:1 a.png -o noextension
    [ "$(file_kind noextension)" = png ]
    imf -f kernel:1 a.png -o c.png --format=jpeg
    [ "$(file_kind c.png)" = jpeg ]
}

@test "an unknown extension is a usage error that lists the known ones" {
    make_png a.png
    imf_run -f kernel:1 a.png -o b.gif
    [ "$status" -eq 2 ]
    one_line "gif"
    [[ $stderr == *png*jp*pnm*--format* ]]
    [ ! -e b.gif ]
    imf -f kernel:1 a.png -o b.gif --format=png
    [ "$(file_kind b.gif)" = png ]
}

@test "the input's format is what it holds, not what it is called" {
    make_png a.png
    mv a.png a.jpg
    imf -f kernel:1 a.jpg -o b.ppm
    [ "$(samples b.ppm)" = "1 2 3 4 5 6 7 8 9 10 20 30 40 50 60 70 80 255" ]
}

@test "--depth=16 gives two bytes a sample" {
    make_pgm a.pgm
    imf -f kernel:1 --depth=16 a.pgm -o b.pgm
    [ "$(sed -n 3p b.pgm)" = 65535 ]
    [ "$(tail -c 2 b.pgm | od -An -tu1 | tr -s ' ')" = " 255 255" ]
    imf -f kernel:1 --depth=8 b.pgm -o c.pgm
    [ "$(samples c.pgm)" = "$(samples a.pgm)" ]
}

@test "names with spaces, newlines, tabs and a leading dash" {
    for name in 'a b.pgm' $'a\nb.pgm' $'a\tb.pgm' ' .pgm' $'\xff.pgm'; do
        make_pgm "$name"
        imf -f kernel:1 -o out.pgm "$name"
        imf -f kernel:1 out.pgm -o "x$name"
        cmp out.pgm "x$name"
    done
    make_pgm ./-dash.pgm
    imf -f kernel:1 -o out.pgm -- -dash.pgm
    imf -f kernel:1 --output=-out.pgm -- out.pgm
    cmp out.pgm ./-out.pgm
}

@test "what follows -- is an input" {
    make_pgm ./-o
    imf -f kernel:1 -o out.pgm -- -o
    [ -e out.pgm ]
}

@test "a name with a newline stays on one line of a message" {
    imf_run -f kernel:1 $'no\nsuch.png' -o out.png
    [ "$status" -eq 1 ]
    one_line 'no\nsuch.png'
}

# C1 controls as UTF-8 and as bytes, DEL, an override of direction; umlauts and emoji stay.
@test "a name cannot command the terminal" {
    imf_run -f kernel:1 $'a\xc2\x9b31m\x9b\x7f\e\xe2\x80\xae\xe0\x80\x80\xffgr\xc3\xbc\xc3\x9f\xf0\x9f\x98\x80.png' -o out.png
    one_line 'a\302\23331m\233\177\033\342\200\256\340\200\200\377grüß😀.png: cannot open'
    make_pgm $'\x9b.pgm'
    mkdir $'d\xc2\x85' && make_pgm $'d\xc2\x85/b.pgm'
    for options in --dry-run -v --explain --timing '--verify --json' --show-kernel; do
        # shellcheck disable=SC2086 # one word or two
        "$IMFILTER" -r -f invert $options $'\x9b.pgm' $'d\xc2\x85' -o $'out\xc2\x9c/' >log 2>&1
        echo "$options"
        [ -s log ]
        if LC_ALL=C grep -aP '[\x80-\x9f]' log; then return 1; fi
    done
    printf '1 0 1\n' >$'k\x9b.txt'
    imf -f kernel:@$'k\x9b.txt' --explain --show-kernel $'\x9b.pgm' >log 2>&1
    [ -s log ]
    if LC_ALL=C grep -aP '[\x80-\x9f]' log; then return 1; fi
}

@test "a new file has the mode that the umask leaves" {
    make_pgm a.pgm
    (umask 027 && imf -f kernel:1 a.pgm -o b.pgm)
    [ "$(stat -c %a b.pgm)" = 640 ]
    (umask 0 && imf -f kernel:1 a.pgm -o c.pgm)
    [ "$(stat -c %a c.pgm)" = 666 ]
}

@test "an overwritten file keeps its mode" {
    make_pgm a.pgm
    echo old >b.pgm
    chmod 604 b.pgm
    imf -f kernel:1 a.pgm -o b.pgm
    [ "$(stat -c %a b.pgm)" = 604 ]
    [ "$(samples b.pgm)" = "$(samples a.pgm)" ]
}

@test "a symbolic link as output stays one; its target is replaced" {
    make_pgm a.pgm
    mkdir real
    echo old >real/b.pgm
    ln -s real/b.pgm link.pgm
    imf -f kernel:1 a.pgm -o link.pgm
    [ -L link.pgm ]
    [ "$(samples real/b.pgm)" = "$(samples a.pgm)" ]
}

@test "a dangling symbolic link is not written through" {
    make_pgm a.pgm
    ln -s nowhere.pgm link.pgm
    imf_run -f kernel:1 a.pgm -o link.pgm
    [ "$status" -eq 1 ]
    one_line "link.pgm"
    [ ! -e nowhere.pgm ]
}

@test "a link that leads to itself is not called dangling" {
    make_pgm a.pgm
    ln -s loop.pgm loop.pgm
    imf_run -f kernel:1 a.pgm -o loop.pgm
    [ "$status" -eq 1 ]
    one_line "loop.pgm: cannot write: Too many levels of symbolic links"
    imf_run -f kernel:1 -i loop.pgm
    one_line "loop.pgm: cannot open: Too many levels of symbolic links"
}

@test "in place: the file is replaced, its mode and links to it stay" {
    make_pgm a.pgm
    chmod 640 a.pgm
    ln -s a.pgm link.pgm
    imf -f invert -i link.pgm
    [ -L link.pgm ]
    [ "$(stat -c %a a.pgm)" = 640 ]
    [ "$(samples a.pgm)" = "255 245 235 225 215 205 195 185 175 165 155 0" ]
    no_temporaries
}

@test "in place with a suffix keeps the original" {
    make_pgm a.pgm
    cp a.pgm original.pgm
    imf -f invert -i.bak a.pgm
    cmp original.pgm a.pgm.bak
    imf -f invert --in-place=~ a.pgm
    [ "$(samples a.pgm)" = "$(samples original.pgm)" ]
    [ "$(samples a.pgm~)" = "255 245 235 225 215 205 195 185 175 165 155 0" ]
    imf -f invert -i=.eq a.pgm
    [ "$(samples a.pgm.eq)" = "$(samples original.pgm)" ]
    no_temporaries
}

@test "in place keeps the format, whatever the name says" {
    make_png a.jpg
    imf -f invert -i a.jpg
    [ "$(file_kind a.jpg)" = png ]
}

@test "in place of a damaged file leaves it as it is" {
    make_png a.png
    head -c 50 a.png >b.png
    cp b.png copy.png
    imf_run -f sharpen -i.bak b.png
    [ "$status" -eq 1 ]
    one_line b.png
    cmp b.png copy.png
    [ ! -e b.png.bak ]
    no_temporaries
}

@test "output over the input needs --in-place, by whatever name" {
    make_pgm a.pgm
    cp a.pgm copy.pgm
    ln -s a.pgm link.pgm
    ln a.pgm hard.pgm
    for name in a.pgm ./a.pgm link.pgm hard.pgm; do
        imf_run -f invert a.pgm -o "$name"
        [ "$status" -eq 2 ]
        one_line "--in-place"
    done
    imf_run -f invert a.pgm -o .
    [ "$status" -eq 2 ]
    one_line "--in-place"
    cmp a.pgm copy.pgm
}

@test "--no-clobber leaves an existing output alone" {
    make_pgm a.pgm
    echo old >b.pgm
    imf_run -f invert --no-clobber a.pgm -o b.pgm
    [ "$status" -eq 0 ]
    [ "$(cat b.pgm)" = old ]
    imf -f invert --no-clobber a.pgm -o c.pgm
    [ -e c.pgm ]
    no_temporaries
}

@test "a directory in an output's place is no output that exists" {
    make_pgm a.pgm
    mkdir -p out/a.pgm
    for option in --no-clobber --skip-existing -q; do
        imf_run -f invert $option a.pgm -o out/
        [ "$status" -eq 1 ]
        one_line "out/a.pgm: cannot write: Is a directory"
    done
}

@test "--skip-existing skips only what is newer than its input" {
    make_pgm a.pgm
    imf -f invert --skip-existing a.pgm -o b.pgm
    echo mark >b.pgm
    imf -f invert --skip-existing a.pgm -o b.pgm
    [ "$(cat b.pgm)" = mark ]
    touch -d '2001-01-01' b.pgm
    imf -f invert --skip-existing a.pgm -o b.pgm
    [ "$(file_kind b.pgm)" = pnm ]
}

@test "--dry-run names the outputs and writes nothing" {
    make_pgm a.pgm
    imf_run -f invert -n a.pgm -o out/
    [ "$status" -eq 0 ]
    [ "$output" = "a.pgm -> out/a.pgm" ]
    [ "$(ls)" = a.pgm ]
    imf_run -f invert -n missing.pgm -o out.pgm
    [ "$status" -eq 1 ]
}

@test "numbers have a decimal point in every locale" {
    make_pgm a.pgm
    LC_ALL=de_DE.UTF-8 imf -f kernel:0.5 a.pgm -o b.pgm
    [ "$(samples b.pgm)" = "0 5 10 15 20 25 30 35 40 45 50 128" ]
    LC_ALL=de_DE.UTF-8 imf_run -f kernel:1 --json a.pgm -o b.pgm
    [[ $output =~ \"total_ms\":[0-9]+\.[0-9]+ ]]
}

@test "-v and --timing are lines on standard error" {
    make_pgm a.pgm
    imf_run -f kernel:1 -v a.pgm -o b.pgm
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ "$(head -n 1 <<<"$stderr" | cut -d, -f1)" = "imfilter: a.pgm: -> b.pgm: 4x3" ]
    [ "$(sed 1d <<<"$stderr" | tr -s ' ')" = "$(printf '%s\n' 'a.pgm: 48 bytes' ' offset bytes becomes part' ' 0 11 structure header' ' 11 37 pixels pixels')" ]
    imf_run -f kernel:1 --timing a.pgm -o b.pgm
    one_line "decode"
    [ -z "$output" ]
    imf_run -f kernel:1 a.pgm -o b.pgm
    [ -z "$output$stderr" ]
}

@test "--skip-existing: an output as old as its input counts as newer" {
    make_ppm a.ppm
    imf -f invert a.ppm -o out.ppm
    cp out.ppm before
    touch -d '2020-02-03 04:05:06.789' a.ppm out.ppm
    imf_run -v -f blur:2 --skip-existing a.ppm -o out.ppm
    [ "$status" -eq 0 ]
    [[ $stderr == *"its output is newer"* ]]
    cmp before out.ppm
    touch -d '2020-02-03 04:05:06.790' a.ppm
    imf -f blur:2 --skip-existing a.ppm -o out.ppm
    ! cmp -s before out.ppm
}

@test "a name that begins with its only dot has no extension" {
    make_ppm a.ppm
    imf -f invert a.ppm -o .png
    [ "$(file_kind .png)" = pnm ]
    imf -f invert a.ppm -o .a.png
    [ "$(file_kind .a.png)" = png ]
}
