# What imfilter-from(7) says of kernels, edges and blends, against ImageMagick. Its lists are run by test/from.py.
load helper

# 16 bits, so that neither program's rounding to 8 matters; no symmetry to hide a flip.
noise() {
    command -v convert >/dev/null && convert -version | grep -q 'ImageMagick 6' ||
        skip "ImageMagick 6 is what it is compared with"
    convert -size 13x11 -seed 7 xc:gray50 +noise Random -colorspace Gray -depth 16 noise.pgm
}

# Largest difference of two images, of 65535.
difference() { # FILE FILE
    { compare -metric PAE "$1" "$2" null: 2>&1 || true; } | sed 's/ .*//; s/\..*//'
}

same() { # IMFILTER-OPTION... -- CONVERT-OPTION...
    local mine=()
    while [ "$1" != -- ]; do
        mine+=("$1")
        shift
    done
    shift
    noise
    imf -q "${mine[@]}" noise.pgm -o mine.pgm
    convert noise.pgm "$@" -depth 16 theirs.pgm
    echo "${mine[*]}, $*: $(difference mine.pgm theirs.pgm)"
    [ "$(difference mine.pgm theirs.pgm)" -le "${most:-2}" ]
}

K=.1,.2,.05/.3,.05,.1/0,.15,.05
THEIRS='3x3:.1,.2,.05 .3,.05,.1 0,.15,.05'

@test "Correlate and Convolve are a kernel as written and its flip" {
    same -f kernel:$K -- -morphology Correlate "$THEIRS"
    same -f kernel:$K:flip -- -morphology Convolve "$THEIRS"
    run ! same -f kernel:$K -- -morphology Convolve "$THEIRS"
}

@test "a kernel of even size has its origin one further, unless begun with zeros" {
    same -f kernel:.5,.3,.1,.1 -- -morphology Correlate 4x1+2+0:.5,.3,.1,.1
    run ! same -f kernel:.5,.3,.1,.1 -- -morphology Correlate 4x1:.5,.3,.1,.1
    same -f kernel:0,.5,.3,.1,.1 -- -morphology Correlate 4x1:.5,.3,.1,.1
    same -f kernel:0,0,0/0,.5,.3/0,.1,.1 -- -morphology Correlate '2x2:.5,.3 .1,.1'
    same -f kernel:0,.5,.3,.1,.1:flip -- -morphology Convolve 4x1:.5,.3,.1,.1
}

@test "the spelling given for ImageMagick's kernel has its pixels, wherever its origin" {
    need_thorough
    noise
    for theirs in '4x1:.5,.3,.1,.1' '2x2:.5,.3 .1,.1' '2x4: .1,.2 .1,.05 .05,.2 .1,.2' '4x1+2+0:.5,.3,.1,.1' \
        '3x1+0+0:.5,.3,.2' '3x3+1+2:.1,.2,.05,.3,.05,.1,0,.15,.05' '1x4+0+3:.5,.3,.1,.1' \
        '3x1+2:.5,.3,.2' '3x3:.4,-,nan .3,.2,- -,-,.1'; do
        imf_run -f "kernel:$theirs" noise.pgm -o mine.pgm
        one_line 'here it is kernel:'
        ours=$(sed 's/.*here it is \(kernel:[^ ]*\).*/\1/' <<<"$stderr")
        same -f "$ours" -- -morphology Correlate "$theirs"
        same -f "$ours:flip" -- -morphology Convolve "$theirs"
    done
}

@test "edge modes under their other names" {
    while read -r mode theirs; do
        same -f kernel:.1,.2,.1,.1,.1,.3,.1 --edge="$mode" -- \
            -virtual-pixel "$theirs" -morphology Correlate 7x1:.1,.2,.1,.1,.1,.3,.1
    done <<EOF
clamp edge
reflect mirror
wrap tile
constant:0 black
constant:1 white
EOF
}

@test "scale=auto and --range=offset under their other names" {
    same -f kernel:1,2,1/2,4,2/1,2,1:scale=auto -- \
        -define convolve:scale=! -morphology Correlate '3x3:1,2,1 2,4,2 1,2,1'
    same -f kernel:1,2,1/2,4,2/1,2,1:scale=auto -- -convolve 1,2,1,2,4,2,1,2,1
    same -f kernel:0,-1,0/-1,4,-1/0,-1,0 --range=offset -- \
        -bias 50% -morphology Correlate '3x3:0,-1,0 -1,4,-1 0,-1,0'
}

@test "a sigma is -gaussian-blur's" {
    for sigma in 1 2 3; do
        most=64 same -f blur:$sigma -- -gaussian-blur 0x$sigma
    done
}

@test "blends are ImageMagick's compositions, to within a step of 8 bits" {
    local mine
    noise
    imf -f kernel:1 "$TESTDATA/still.jpg" -o backdrop.ppm
    imf -f median:3 backdrop.ppm -o source.ppm
    for mode in normal=Src overlay=Overlay softlight=SoftLight hardlight=HardLight multiply=Multiply screen=Screen \
        lighten=Lighten darken=Darken difference=Difference add=Plus subtract=MinusSrc; do
        imf -f median:3 -f "blend:${mode%=*}" backdrop.ppm -o mine.ppm
        convert backdrop.ppm source.ppm -compose "${mode#*=}" -composite -depth 8 theirs.ppm
        echo "$mode: $(difference mine.ppm theirs.ppm)"
        [ "$(difference mine.ppm theirs.ppm)" -le 257 ]
    done
}

@test "a strength and a mask mix as ImageMagick does" {
    noise
    imf -f kernel:1 "$TESTDATA/still.jpg" -o backdrop.ppm
    imf -f median:3 backdrop.ppm -o source.ppm
    imf -f median:3 --strength=30% backdrop.ppm -o mine.ppm
    convert backdrop.ppm source.ppm -compose Blend -define compose:args=30,70 -composite -depth 8 theirs.ppm
    [ "$(difference mine.ppm theirs.ppm)" -le 257 ]
    convert -size 640x427 gradient: -depth 8 mask.pgm
    imf -f median:3 --mask=mask.pgm backdrop.ppm -o mine.ppm
    convert backdrop.ppm source.ppm mask.pgm -composite -depth 8 theirs.ppm
    echo "mask: $(difference mine.ppm theirs.ppm)"
    [ "$(difference mine.ppm theirs.ppm)" -le 257 ]
}
