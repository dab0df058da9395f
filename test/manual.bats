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

@test "every filter is in the manual" {
    for name in $(imf --list-filters | sed 's/[^a-z].*//' | sort -u); do
        echo "$name"
        grep -q "^\.It Cm $name" "$MANUAL" || grep -q "^\.It Cm .* Cm $name\b" "$MANUAL"
    done
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
