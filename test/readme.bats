# The commands of README.md and of the gallery do what is said, on the files that they name.
load helper

README=$BATS_TEST_DIRNAME/../README.md
GALLERY=$BATS_TEST_DIRNAME/../testdata/README.md

# Code blocks, table cells and text: what begins with imfilter, or with curl, without its comment.
commands() {
    cat "$README" "$GALLERY" >pages
    sed -n 's/^    \(\$ \)\?\(imfilter -\|curl \)/\2/p' pages | sed 's/  *# .*//'
    grep -o "\`imfilter -[^\`]*" pages | grep -v '\`imfilter --help' | tr -d '\`'
}

# The tables' commands, of which each stands beside its picture; README.md's are for the folder above.
table() {
    cat "$README" "$GALLERY" | grep '^|' | grep -o "\`imfilter [^\`]*" | tr -d '\`' | sed 's| testdata/| |' | sort -u
}

# A directory with every input that a command names, and programs for its pipe.
inputs() {
    rm -rf run
    mkdir -p run/testdata run/photos/trip bin
    cp "$TESTDATA"/{still.jpg,speckled.png,grainy.jpg,scan.png,moire.jpg,print.jpg,soft.jpg} run
    cp run/still.jpg run/moire.jpg run/testdata
    cp run/still.jpg run/photo.jpg
    cp run/still.jpg run/photos/trip
    imf -q -f kernel:0.4:bias=0.2 run/still.jpg -o run/dull.jpg
    printf 'P2 3 3 9\n1 2 1\n2 9 5\n1 3 1\n' >run/psf.pgm
    imf -q -f kernel:1 run/psf.pgm -o run/psf.png
    imf -q -f gray -f threshold:0.5 run/photo.jpg -o run/background.png
    ln -sf "$IMFILTER" bin/imfilter
    printf '#!/bin/sh\n[ "$*" = "-s URL" ] && cat still.jpg\n' >bin/curl
    printf '#!/bin/sh\ncat >piped.jpg\n' >bin/next-tool
    chmod +x bin/*
}

# What a command leaves behind.
result_of() { # COMMAND
    local name
    case $1 in
    *next-tool) echo piped.jpg ;;
    *' -o out/') echo out/trip/still.jpg ;;
    *' -o '*) echo "${1##* }" ;;
    *-i.orig*) echo photo.jpg.orig ;;
    *--spectrum=*) name=${1#*--spectrum=} && echo "${name%% *}" ;;
    *--explain*) echo ../printed ;;
    esac
}

@test "every command works on the files that it names, without a warning" {
    commands >list
    [ "$(wc -l <list)" -ge 20 ]
    while IFS= read -r command; do
        echo "$command"
        inputs
        (cd run && PATH=$PWD/../bin:$PATH bash -o pipefail -c "$command") >printed 2>complaints </dev/null ||
            { cat complaints; return 1; }
        cat complaints
        [ ! -s complaints ]
        [ -s "run/$(result_of "$command")" ]
    done <list
}

# The mean difference of two images' samples; 255 where their sizes differ.
difference() { # IMAGE IMAGE
    imf -q -f kernel:1 --depth=8 --format=pnm "$1" -o - >one.pnm
    imf -q -f kernel:1 --depth=8 --format=pnm "$2" -o - >two.pnm
    python3 -c '
a, b = (open(name, "rb").read() for name in ("one.pnm", "two.pnm"))
same = len(a) == len(b) and a[:12] == b[:12]
print(sum(abs(x - y) for x, y in zip(a, b)) / len(a) if same else 255)'
}

@test "the pictures are what the commands beside them make" {
    inputs
    table >list
    [ "$(wc -l <list)" -ge 9 ]
    while IFS= read -r command; do
        name=${command##* }
        echo "$command"
        grep -q "(readme-$name) \`$command\`" "$GALLERY"
        (cd run && PATH=$PWD/../bin:$PATH bash -c "$command") </dev/null
        differs=$(difference "run/$name" "$TESTDATA/readme-$name")
        echo "mean difference $differs"
        [ "$(python3 -c "print($differs < 0.5)")" = True ]
    done <list
}

@test "every file that the pages refer to is there" {
    for page in "$README" "$GALLERY"; do
        grep -o '](\([^):#]*\)[)#]' "$page" | sed 's/^](//; s/[)#]$//' | sort -u >list
        [ "$(wc -l <list)" -ge 7 ]
        while IFS= read -r name; do
            echo "$name"
            [ -s "${page%/*}/$name" ]
        done <list
    done
}

# The scanned page is text.png at twice its size: letters in cells of 12x20 and 24x40 pixels. Each
# has to be nearer to itself than to any other letter of the page.
@test "every letter of the scan can be read" {
    command=$(table | grep 'scan.png -o page.png')
    inputs
    (cd run && PATH=$PWD/../bin:$PATH bash -c "$command") </dev/null
    imf -q -f kernel:1 --depth=8 --format=pgm "run/${command##* }" -o page.pgm
    imf -q -f kernel:1 --depth=8 --format=pgm "$TESTDATA/text.png" -o text.pgm
    run python3 - <<'END'
def picture(name):
    _, size, _, samples = open(name, "rb").read().split(b"\n", 3)
    width, height = map(int, size.split())
    return width, height, [s < 128 for s in samples]

tw, th, text = picture("text.pgm")
pw, ph, page = picture("page.pgm")
assert (pw, ph) == (2 * tw, 2 * th)

def cells():
    for half, dot in ((0, 1), (1, 2)):
        for top in range(half * th // 2, (half + 1) * th // 2, 10 * dot):
            for left in range(0, tw - 6 * dot + 1, 6 * dot):
                yield dot, left, top

def letter(dot, left, top):  # 6x10 dots as they should be
    return tuple(text[(top + j * dot) * tw + left + i * dot] for j in range(10) for i in range(6))

def ink(dot, left, top):  # of each dot, its pixels that are black
    side = 2 * dot
    return [sum(page[(2 * top + j * side + y) * pw + 2 * left + i * side + x]
                for y in range(side) for x in range(side)) / side ** 2
            for j in range(10) for i in range(6)]

letters = {letter(*cell) for cell in cells()}
wrong = total = 0
for cell in cells():
    seen = ink(*cell)
    nearest = min(letters, key=lambda l: sum(abs(a - b) for a, b in zip(l, seen)))
    total += 1
    wrong += nearest != letter(*cell)
print(f"{wrong} of {total} letters are taken for others; {len(letters)} different ones")
END
    echo "$output"
    [[ $output == "0 of "*" 27 different ones" ]]
}

@test "the spectrum shows the fringes that the table's notches remove" {
    command=$(table | grep 'moire.jpg')
    imf --spectrum=spectrum.png "$TESTDATA/moire.jpg" >peaks
    [ "$(wc -l <peaks)" -eq 2 ]
    # To two decimals they are the printed ones, up to the sign of the pair.
    sed 's/notch://' peaks | awk -F : '{ s = $1 < 0 ? -1 : 1; printf "%.2f:%.2f\n", s * $1, s * $2 }' | sort >found
    grep -o 'notch:[^ ]*' <<<"$command" | cut -d : -f 2,3 | sort >typed
    diff found typed
    inputs
    (cd run && PATH=$PWD/../bin:$PATH bash -c "$command") </dev/null
    run imf --spectrum=spectrum.png "run/${command##* }"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "the demo shows where the choice turns to the FFT" {
    imf --list-devices | grep -qi cpu || skip "there is no OpenCL device"
    IMFILTER=$IMFILTER OUT=$PWD/demo sh "$BATS_TEST_DIRNAME/demo.sh" >shown 2>timing
    cat shown
    sed -n '/--device=cpu  /,/^$/p' shown | grep '^ *motion' | awk '{ print $NF }' >device
    [ "$(head -n 1 device)" = direct ]
    [ "$(tail -n 1 device)" = fft ]
    sed -n '/^   *direct/,/^$/p' shown | awk '{ print $1, $NF }' >free
    grep -qx 'motion:3:30 vector' free
    grep -qx '25x25:scale=auto fft' free
    [ -s demo/clean.jpg ]
    [ -s demo/spectrum.png ]
}

@test "the libraries that building needs are named where one looks for them" {
    packages=$(sed -n 's/^PACKAGES = //p' "$BATS_TEST_DIRNAME/../Makefile" |
        sed 's/\$(FORMAT_PACKAGES)/libtiff libwebp/; s/\$(ISAL_PACKAGE)/ISA-L/; s/\$(LCMS2_PACKAGE)/lcms2/; s/\$(OPENCL_PACKAGE)/OpenCL/')
    [ "$(wc -w <<<"$packages")" -ge 4 ]
    for package in $packages; do
        echo "$package"
        grep -q -- "$package" "$README"
        grep -q -- "$package" "$BATS_TEST_DIRNAME/../CONTRIBUTING.md"
    done
}
