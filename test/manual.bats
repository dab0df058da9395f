# imfilter(1) and --help say the same.
load helper

MANUAL=$BATS_TEST_DIRNAME/../man/imfilter.1

options_of_help() {
    imf --help | grep -o -- '^ \{2,6\}\(-[a-zA-Z0], \)\?--[a-z-]*' | grep -o -- '--[a-z-]*$' | sort -u
}

# The items of the lists of options: ".It Fl o , Fl Fl output Ns = ..."
options_of_manual() {
    grep '^\.It Fl' "$MANUAL" | grep -o 'Fl Fl [a-z-]*' | sed 's/Fl Fl /--/' | sort -u
}

@test "every long option of --help is in the manual, and the other way round" {
    [ "$(options_of_help | wc -l)" -gt 30 ]
    diff <(options_of_help) <(options_of_manual)
}

@test "every short option too" {
    diff <(imf --help | grep -o '^  -[a-zA-Z0],' | tr -d ' ,-' | sort -u) \
        <(grep '^\.It Fl [a-zA-Z0] ' "$MANUAL" | cut -d ' ' -f 3 | sort -u)
}

@test "the manual and --help have the formats and extensions that are known" {
    make_pgm a.pgm
    imf_run -f invert a.pgm -o a.unknown
    known=$(sed 's/.*(\(.*\); or name one.*/\1/' <<<"$stderr")
    manual=$(sed -n '/^Known extensions are/,/\.$/p' "$MANUAL" | xargs)
    manual=${manual#Known extensions are }
    manual=${manual%.}
    [ "${known/ or / and }" = "$manual" ]
    imf_run --format=unknown
    names=$(sed 's/.*(\(.*\))$/\1/; s/, / /g; s/ or / /' <<<"$stderr")
    [ "$(wc -w <<<"$names")" -ge 3 ]
    imf --help | grep -q -- "--format=${names// /|}\( \|$\)"
    grep -q "^\.It Fl Fl format Ns = Ns Cm ${names// / Ns | Ns Cm }\$" "$MANUAL"
}

@test "every filter is in the manual" {
    for name in $(imf --list-filters | sed 's/[^a-z].*//' | sort -u); do
        echo "$name"
        grep -q "^\.It Cm $name" "$MANUAL" || grep -q "^\.It Cm .* Cm $name\b" "$MANUAL"
    done
}

@test "the table of what formats keep in imfilter(5) is that of --list-parts" {
    imf --list-parts >listed
    [ "$(grep -c '^  [a-zA-Z]' listed)" -gt 60 ]
    sed -n '/^\.Sh PARTS OF FILES/,/^\.Ed/p' "${MANUAL%1}5" | sed '1,/^\.Bd/d;/^\.Ed/d' | diff listed -
}

@test "the manual is clean under mandoc -Tlint" {
    command -v mandoc >/dev/null || skip "mandoc checks it"
    run mandoc -Tlint -W warning "$MANUAL"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "every command of the manual's examples and of --help parses" {
    make_png photo.png
    imf -f sharpen photo.png -o photo.jpg
    imf -f blur:2 -f sobel photo.png -o edges.png
    mkdir photos
    mv photo.jpg photos
    imf -r -f unsharp:sigma=1.5:amount=0.8 photos/ -o out/
    [ -e out/photo.jpg ]
}

@test "the origin of an even-sized kernel is where imfilter(5) says, and the note" {
    make_pgm a.pgm
    imf_run -f kernel:1,2,3,4/5,6,7,8 a.pgm -o b.pgm
    [[ "$stderr" == *"its origin is column 3, row 2"* ]]
    imf -q --show-kernel -f kernel:1,2,3,4/5,6,7,8 | grep -q 'origin at column 3, row 2'
    # That coefficient alone leaves the image as it is.
    imf -q -f kernel:0,0,0,0/0,0,1,0 a.pgm -o b.pgm
    imf -q -f kernel:1 a.pgm -o c.pgm
    cmp b.pgm c.pgm
}

@test "mid-grey, a bias and a threshold are in the light that the filter works in" {
    gray_of() { "$IMFILTER" -q "$@" a.pgm -o b.pgm && tail -c 1 b.pgm | od -An -tu1 | tr -d ' '; }
    make_pgm a.pgm
    [ "$(gray_of -f kernel:0 --range=offset)" = 128 ]
    [ "$(gray_of -f kernel:0 --range=offset --linear)" = 188 ]
    [ "$(gray_of -f kernel:0:bias=0.5 --linear)" = 188 ]
    printf 'P5\n1 1\n255\n\273' >a.pgm # 187
    [ "$(gray_of --format=pgm --depth=8 -f threshold:0.5 --linear)" = 0 ]
    printf 'P5\n1 1\n255\n\275' >a.pgm # 189
    [ "$(gray_of --format=pgm --depth=8 -f threshold:0.5 --linear)" = 255 ]
}

@test "limits of a kernel's scale, bias and coefficients" {
    for good in 1:scale=1e30 1e-16:scale=1e-30 1:bias=1e6 1:bias=-1e6 1e30:scale=1e30; do
        imf --show-kernel -f "kernel:$good" >/dev/null
    done
    for bad in 1:scale=1.1e30 1:scale=1e-31 1:bias=1.1e6 1:bias=-1.1e6 1.1e30 1,1:scale=1e-15; do
        imf_run --show-kernel -f "kernel:$bad"
        [ "$status" -eq 2 ]
    done
}

@test "options that the library's messages name are in imfilter_error(3)" {
    cd "$BATS_TEST_DIRNAME/.."
    # shellcheck disable=SC2016
    find lib -name '*.c' ! -path lib/base/embed.sh -exec sed -n 's/^[^/*]*"\(.*\)".*/\1/p' {} + |
        grep -o -e '--[a-z][a-z-]*' | sort -u >"$BATS_TEST_TMPDIR/named"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/named")" -ge 8 ]
    while IFS= read -r option; do
        echo "$option"
        grep -q -- "Fl -\?.*${option#-}\( \|$\)" man/imfilter_error.3
    done <"$BATS_TEST_TMPDIR/named"
}

@test "the manual has every function of the library, as the headers declare it" {
    python3 "$BATS_TEST_DIRNAME/api.py"
}
