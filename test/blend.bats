# blend, --strength and --mask: a chain's result, combined with its input.
load helper

gradient() {
    printf 'P2\n6 1\n255\n0 51 102 153 204 255\n' >b.pgm
}

combined() { # MODE: of b and its inverse
    imf -f invert -f "blend:$1" b.pgm -o "${2:-out.pgm}" && samples "${2:-out.pgm}"
}

@test "each mode has W3C's formula" {
    gradient
    [ "$(combined normal)" = "255 204 153 102 51 0" ]
    [ "$(combined multiply)" = "0 41 61 61 41 0" ]
    [ "$(combined screen)" = "255 214 194 194 214 255" ]
    [ "$(combined overlay)" = "0 82 122 133 173 255" ]
    [ "$(combined hardlight)" = "255 173 133 122 82 0" ]
    [ "$(combined softlight)" = "0 89 114 141 180 255" ]
    [ "$(combined lighten)" = "255 204 153 153 204 255" ]
    [ "$(combined darken)" = "0 51 102 102 51 0" ]
    [ "$(combined difference)" = "255 153 51 51 153 255" ]
    [ "$(combined add)" = "255 255 255 255 255 255" ]
    [ "$(combined subtract)" = "0 0 0 51 153 255" ]
}

@test "hue, saturation, color and luminosity take all colours of a pixel" {
    local mode gray
    printf 'P3\n4 1\n255\n200 100 50  10 200 90  100 100 100  0 0 255\n' >c.ppm
    colors() { imf -f invert -f levels:0:0.8 -f "blend:$1" c.ppm -o c.out.ppm && samples c.out.ppm; }
    [ "$(colors hue)" = "49 149 199 248 58 199 100 100 100 32 32 0" ]
    [ "$(colors saturation)" = "218 94 32 12 199 91 100 100 100 0 0 255" ]
    [ "$(colors color)" = "30 155 217 246 60 197 100 100 100 32 32 0" ]
    [ "$(colors luminosity)" = "238 138 88 19 209 99 194 194 194 223 223 255" ]
    gradient # of gray there is luminosity alone
    for mode in hue saturation color; do
        [ "$(combined $mode)" = "0 51 102 153 204 255" ]
    done
    [ "$(combined luminosity)" = "255 204 153 102 51 0" ]
    imf -f "levels:0:0.5" -f blend:color c.ppm --channels=luma -o out.ppm
    [ "$(samples out.ppm)" = "$(samples c.ppm)" ]
    for mode in hue saturation color luminosity; do
        imf -q -f median:2 -f "blend:$mode:0.7" --verify "$TESTDATA/alpha.png" -o out.png
        imf -q -f median:2 -f "blend:$mode:0.7" --alpha=filter --linear --verify "$TESTDATA/alpha.png" -o out.png
    done
}

@test "an amount mixes what the mode makes with the input, and normal goes beyond" {
    gradient
    [ "$(combined normal:0)" = "0 51 102 153 204 255" ]
    [ "$(combined normal:50%)" = "128 128 128 128 128 128" ]
    [ "$(combined multiply:0.5)" = "0 46 82 107 122 128" ]
    [ "$(combined normal:1.5)" = "255 255 178 76 0 0" ]
    imf_run -f invert -f blend:screen:1.5 b.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "AMOUNT must not be above 1"
}

@test "the input is the chain's, wherever the blend stands; two in a row multiply" {
    gradient
    imf -f invert -f blend:normal:0.5 -f blend:normal:0.5 b.pgm -o a.pgm
    [ "$(samples a.pgm)" = "64 89 115 140 166 191" ]
    imf -f threshold:0.5 -f blend:difference -f invert b.pgm -o a.pgm
    [ "$(samples a.pgm)" = "255 204 153 153 204 255" ]
}

@test "a response is what would be seen, mid-grey added or the sign gone, before it is blended" {
    printf 'P2\n3 1\n255\n50 50 50\n' >flat.pgm
    imf -f emboss -f blend:normal:0.5 flat.pgm -o a.pgm
    [ "$(samples a.pgm)" = "89 89 89" ]
    imf -f emboss -f blend:overlay flat.pgm -o a.pgm
    [ "$(samples a.pgm)" = "50 50 50" ]
    imf -f kernel:-1 --range=abs -f blend:normal:0.5 flat.pgm -o a.pgm
    [ "$(samples a.pgm)" = "50 50 50" ]
}

@test "gray is combined with the colours" {
    make_ppm a.ppm
    imf -f gray -f blend:normal:0 a.ppm -o same.ppm
    [ "$(samples same.ppm)" = "$(samples a.ppm)" ]
    imf -f gray -f threshold:0 -f blend:subtract a.ppm -o black.ppm
    [ "$(samples black.ppm)" = "$(printf '0 %.0s' $(seq 18) | sed 's/ $//')" ]
}

@test "--strength is the last stage, and half of sharpen is sharpen:0.5" {
    for file in noise-rgb.png gradient16.png; do
        imf -f sharpen --strength=50% "$TESTDATA/$file" -o a.pam
        imf -f sharpen:0.5 "$TESTDATA/$file" -o b.pam
        cmp a.pam b.pam
    done
    imf -f sharpen --strength=0.5 --json "$TESTDATA/noise.png" -o a.png >json
    [ "$(json 'o["filter"]' <json)" = "sharpen | blend:normal:0.5" ]
    for wrong in -1 101 x 5%% ''; do
        imf_run -f sharpen --strength="$wrong" "$TESTDATA/noise.png" -o a.png
        [ "$status" -eq 2 ]
        one_line '--strength: "'
    done
}

# Columns of black, gray and white.
columns() { # FILE
    printf 'P2\n3 2\n255\n0 51 255\n0 51 255\n' >"$1"
}

@test "--mask filters where it is white" {
    make_ppm a.ppm
    columns m.pgm
    imf -f invert a.ppm -o inverted.ppm
    imf -f invert --mask=m.pgm a.ppm -o out.ppm
    read -ra was <<<"$(samples a.ppm)"
    read -ra all <<<"$(samples inverted.ppm)"
    read -ra got <<<"$(samples out.ppm)"
    for i in 0 1 2 9 10 11; do [ "${got[i]}" = "${was[i]}" ]; done
    for i in 6 7 8 15 16 17; do [ "${got[i]}" = "${all[i]}" ]; done
    [ "${got[3]}" = 53 ] # 4 + 0.2 (251 - 4)
    imf -f invert --mask=m.pgm --mask-invert a.ppm -o other.ppm
    read -ra got <<<"$(samples other.ppm)"
    for i in 0 1 2 9 10 11; do [ "${got[i]}" = "${all[i]}" ]; done
    for i in 6 7 8 15 16 17; do [ "${got[i]}" = "${was[i]}" ]; done
    imf -f invert -f blend:normal:@m.pgm a.ppm -o spec.ppm
    cmp spec.ppm out.ppm
    imf -f invert --mask=m.pgm --json a.ppm -o spec.ppm >json
    [ "$(json 'o["filter"]' <json)" = "invert | blend:normal:@m.pgm" ]
}

@test "a mask is gray, a colour's luma, or alpha where the visible colours are one; of 8 or 16 bits" {
    make_pgm a.pgm
    columns m.pgm
    cp a.pgm all.pgm
    printf 'P2\n3 2\n65535\n0 13107 65535\n0 13107 65535\n' >words.pgm
    printf 'P3\n3 2\n255\n0 0 0 51 51 51 255 255 255\n0 0 0 51 51 51 255 255 255\n' >rgb.ppm
    {
        printf 'P7\nWIDTH 3\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
        printf '\1\2\3\0\t\t\t\63\t\t\t\377\1\2\3\0\t\t\t\63\t\t\t\377'
    } >alpha.pam
    {
        printf 'P7\nWIDTH 3\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n'
        printf '\0\377\63\1\377\377\0\377\63\377\377\377'
    } >both.pam
    make_ppm a.ppm
    imf -f invert --mask=m.pgm a.ppm -o want.ppm
    for mask in words.pgm rgb.ppm alpha.pam both.pam; do
        echo "$mask"
        imf -f invert --mask=$mask a.ppm -o got.ppm
        cmp want.ppm got.ppm
    done
}

@test "alpha that is opaque everywhere is no mask" {
    gray=$'P2 4 1 255 10 20 30 40\n'
    printf '%s' "$gray" >a.pgm
    rgba() { # R G B ALPHA, four times over
        printf 'P7\nWIDTH 4\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
        printf "\\x$(printf %x "$1")\\x$(printf %x "$2")\\x$(printf %x "$3")\\x$(printf %x "$4")%.0s" 1 2 3 4
    }
    masked() { imf -q -f invert --mask=mask.pam a.pgm -o out.pgm && samples out.pgm; }
    rgba 0 0 0 255 >mask.pam
    [ "$(masked)" = "10 20 30 40" ]
    rgba 255 255 255 255 >mask.pam
    [ "$(masked)" = "245 235 225 215" ]
    rgba 51 51 51 255 >mask.pam
    [ "$(masked)" = "57 63 69 75" ]
    rgba 0 0 0 0 >mask.pam
    [ "$(masked)" = "10 20 30 40" ]
    rgba 0 0 0 51 >mask.pam
    [ "$(masked)" = "57 63 69 75" ]
    # Gray with alpha, 16 bits.
    printf 'P7\nWIDTH 4\nHEIGHT 1\nDEPTH 2\nMAXVAL 65535\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\0\0\377\377\0\0\377\377\0\0\377\377\0\0\377\377' >mask.pam
    [ "$(masked)" = "10 20 30 40" ]
    printf 'P7\nWIDTH 4\nHEIGHT 1\nDEPTH 2\nMAXVAL 65535\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\0\0\377\377\0\0\377\377\0\0\0\0\0\0\377\377' >mask.pam
    [ "$(masked)" = "245 235 30 215" ]
}

@test "a mask that does not fit, or is none, is told with both sizes" {
    make_pgm a.pgm
    columns m.pgm
    imf_run -f invert --mask=m.pgm a.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "a.pgm: the mask m.pgm is of 3x2 pixels, and the upright picture of 4x3"
    [ ! -e out.pgm ]
    imf_run -f invert --mask=none.pgm a.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "cannot open none.pgm: No such file"
    echo text >t.pgm
    imf_run -f invert -f blend:normal:@t.pgm a.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "blend:normal:@t.pgm: t.pgm: not a PNG"
    imf_run -f invert --mask-feather=2 a.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "--mask-feather needs a mask or a region"
    imf_run -f invert --mask-invert a.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line "--mask-invert needs a mask"
    imf_run -f invert --mask=m.pgm --mask-feather=600 a.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line '--mask-feather: "600" is not valid (a sigma in pixels, 0 to 511.75)'
}

@test "a mask is read within the limits of images, and leniently if they are" {
    local option
    make_pgm a.pgm
    imf -f kernel:1 a.pgm --depth=16 -o whole.pgm
    head -c -10 whole.pgm >m.pgm
    for option in --mask=m.pgm "-f blend:screen:@m.pgm"; do
        imf_run -f invert $option a.pgm -o out.pgm
        [ "$status" -eq 2 ]
        one_line "m.pgm: truncated after row 1 of 3"
        imf_run -f invert $option --lenient a.pgm -o out.pgm
        [ "$status" -eq 0 ]
        one_line "warning: m.pgm: truncated after row 1 of 3"
        imf_run -f invert ${option/m.pgm/whole.pgm} --max-pixels=11 a.pgm -o out.pgm
        [ "$status" -eq 2 ]
        one_line "whole.pgm: 12 pixels is over the limit of 11 pixels (raise it with --max-pixels)"
    done
}

@test "of a batch, images of other sizes fail, and the mask's are filtered by any number of jobs" {
    make_ppm a.ppm
    cp a.ppm b.ppm
    cp a.ppm c.ppm
    make_pgm other.pgm
    columns m.pgm
    imf_run -j 3 -f invert --mask=m.pgm a.ppm b.ppm c.ppm other.pgm -o out/
    [ "$status" -eq 1 ]
    [[ $stderr == *"other.pgm: the mask m.pgm is of 3x2 pixels"* ]]
    imf -f invert --mask=m.pgm a.ppm -o want.ppm
    for name in a b c; do cmp want.ppm out/$name.ppm; done
}

@test "a feather is a Gaussian blur of the mask" {
    make_flat black.pgm 60 40
    imf -f invert black.pgm -o white.pgm
    { printf 'P5\n60 40\n255\n' && for _ in $(seq 40); do printf '\0%.0s' $(seq 30) && printf '\377%.0s' $(seq 30); done; } >half.pgm
    imf -f invert --mask=half.pgm --mask-feather=4 black.pgm -o got.pgm
    imf -f blur:4 half.pgm -o want.pgm
    [ "$(samples got.pgm)" = "$(samples want.pgm)" ]
}

@test "a mask is in the upright picture's coordinates, whatever its orientation or the picture's" {
    local n m
    printf 'P2\n6 4\n255\n' >m.pgm
    for n in $(seq 24); do echo $((n * 10)); done >>m.pgm
    imf -q -f kernel:1 "$TESTDATA/foreign/orient-1.png" -o upright.pgm
    imf -f blur:1 --mask=m.pgm upright.pgm -o want.pgm
    for n in 1 2 3 4 5 6 7 8; do
        imf -q -f blur:1 --mask=m.pgm "$TESTDATA/foreign/orient-$n.png" -o "$n.pgm"
        [ "$(samples "$n.pgm")" = "$(samples want.pgm)" ]
        imf -q -f blur:1 --mask=m.pgm "$TESTDATA/foreign/orient-$n.png" -o "$n.png"
        [ "$(imf -q -f kernel:1 "$n.png" -o - --format=pgm | tail -c 24 | cksum)" = "$(tail -c 24 want.pgm | cksum)" ]
        imf -q -f invert --mask="$TESTDATA/foreign/orient-$n.png" upright.pgm -o "by-$n.pgm"
        cmp by-1.pgm "by-$n.pgm"
    done
}

@test "the results of devices and the host are the reference's, whatever the bands" {
    need_opencl
    imf -f kernel:1 "$TESTDATA/gradient.png" -o m.pgm
    for backend in vector direct cpu; do
        imf -f sharpen -f blend:softlight -f blur:1 --mask=m.pgm --mask-feather=2 --backend=$backend --verify \
            "$TESTDATA/gradient.png" -o $backend.pgm
    done
    imf -q -f gray -f blur:3 -f blend:overlay:0.5 "$TESTDATA/still.jpg" -o streamed.ppm
    imf -q -f gray -f blur:3 -f blend:overlay:0.5 "$TESTDATA/still.jpg" --verify -o whole.ppm
    cmp streamed.ppm whole.ppm
}

pixels() { # FILE: the samples of two pixels with alpha
    tail -c 4 "$1" | od -An -tu1 | xargs
}

@test "alpha: kept it stays, and colours are combined alone" {
    gray_alpha() { # FILE
        printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n'
    }
    { gray_alpha && printf '\310\377\62\7'; } >a.pam
    printf 'P5\n2 1\n255\n\310\62' >a.pgm
    imf -f sharpen --alpha=keep -f blend:multiply a.pam -o kept.pam
    imf -f sharpen -f blend:multiply a.pgm -o gray.pgm
    read -r one two <<<"$(samples gray.pgm)"
    [ "$(pixels kept.pam)" = "$one 255 $two 7" ]
}

@test "alpha: filtered, the result is a layer of its own, with no backdrop where the input is transparent" {
    {
        printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n'
        printf '\310\377\62\0'
    } >a.pam
    # The mean of both pixels has half the alpha of the first, and its colour.
    imf -f kernel:0,1,1:scale=2 --edge=wrap a.pam -o mean.pam
    [ "$(pixels mean.pam)" = "200 128 200 128" ]
    imf -f kernel:0,1,1:scale=2 --edge=wrap -f blend:multiply a.pam -o layer.pam
    [ "$(pixels layer.pam)" = "157 128 200 128" ]
    # Half of it: premultiplied means of 200 at 255 and 200 at 128, of nothing and 200 at 128.
    imf -f kernel:0,1,1:scale=2 --edge=wrap --strength=0.5 a.pam -o half.pam
    [ "$(pixels half.pam)" = "200 191 200 64" ]
    imf -f kernel:0,1,1:scale=2 --edge=wrap --strength=0 a.pam -o none.pam
    [ "$(pixels none.pam)" = "200 255 50 0" ]
}

@test "--explain names the blend; a dry run writes nothing; in place and --bench work" {
    make_ppm a.ppm
    columns m.pgm
    imf -f blur:1 -f blend:overlay --backend=vector --explain -n a.ppm -o b.ppm >plan
    grep -q '^\* 2  *vector  *blend ' plan
    imf -f blur:1 --mask=m.pgm --backend=vector --explain -n a.ppm -o b.ppm >plan
    grep -q '^\* 2  *vector  *blend by a mask ' plan
    [ ! -e b.ppm ]
    imf -f invert --mask=m.pgm a.ppm -o want.ppm
    imf -f invert --mask=m.pgm --bench=2 a.ppm >bench
    grep -q 'compute min' bench
    imf -i -f invert --mask=m.pgm a.ppm
    cmp want.ppm a.ppm
}

@test "inks are mixed, but have no other mode" {
    imf -q -f blur:1 --strength=0.5 "$TESTDATA/types/cmyk.jpg" -o out.jpg
    imf_run -f blur:1 -f blend:screen "$TESTDATA/types/cmyk.jpg" -o out.jpg
    [ "$status" -ne 0 ]
    one_line "a blend other than normal needs a gray or RGB image, this is CMYK"
}
