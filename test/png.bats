# PNG: what other readers see in it, and how few bits the result takes.
load helper

FOREIGN=$TESTDATA/foreign

png_form() { # FILE: bit depth and colour type of its header
    local form
    read -ra form < <(od -An -tu1 -j 24 -N 2 "$1")
    echo "${form[*]}"
}

raster() { # PAM
    sed '1,/^ENDHDR$/d' "$1" | od -An -v -tu1
}

# Size and pixels as 8-bit RGBA, whatever the form.
rgba() { # FILE
    local pam=.rgba.$BASHPID.pam
    imf -q -f kernel:1 --alpha=keep --depth=8 "$1" -o "$pam"
    sed -n '2,3p' "$pam"
    raster "$pam" | tr -s ' ' '\n' | grep . | awk -v n="$(sed -n 's/^DEPTH //p' "$pam")" '
        { v[(NR - 1) % n] = $1 }
        NR % n == 0 { print v[0], v[(n > 2) * 1], v[(n > 2) * 2], (n % 2 ? 255 : v[n - 1]) }'
}

# Files of the same names in both directories show the same, as 8-bit RGBA.
same_pictures() { # DIRECTORY DIRECTORY
    local directory
    for directory; do
        imf -q -f kernel:1 --alpha=keep --depth=8 --format=pam "$directory"/* -o "$directory.pam/"
    done
    python3 -c '
import os, sys
def rgba(name):
    head, data = open(name, "rb").read().split(b"ENDHDR\n", 1)
    lines = dict(line.split(b" ", 1) for line in head.splitlines()[1:])
    n, count = int(lines[b"DEPTH"]), len(data)
    colours = [data[c::n] for c in ((0, 1, 2) if n > 2 else (0, 0, 0))]
    return lines[b"WIDTH"], lines[b"HEIGHT"], colours, data[n - 1::n] if n % 2 == 0 else b"\xff" * (count // n)
one, other = sys.argv[1:]
assert os.listdir(one) and sorted(os.listdir(one)) == sorted(os.listdir(other))
for name in os.listdir(one):
    assert rgba(one + "/" + name) == rgba(other + "/" + name), (one, name)' "$1.pam" "$2.pam"
}

@test "palettes, few bits and tRNS read as other readers read them" {
    for png in "$FOREIGN"/png-*.png; do
        imf -f kernel:1 --alpha=keep "$png" -o got.pam
        echo "$png"
        diff <(raster "${png%.png}.pam") <(raster got.pam)
    done
}

@test "they read the same where the palette alone is filtered" {
    mkdir want
    cp "$FOREIGN"/png-*.pam want
    imf -q -f kernel:1 --alpha=keep "$FOREIGN"/png-*.png -o copy/
    imf -q -f invert -f invert "$FOREIGN"/png-*.png -o twice/
    same_pictures want copy
    rm -r want.pam
    same_pictures want twice
}

@test "point operations keep 1, 2 and 4 bits of gray and their number of bytes" {
    for bits in 1 2 4; do
        for spec in invert gray kernel:1; do
            imf -f "$spec" "$FOREIGN/png-gray$bits.png" -o out.png
            [ "$(png_form out.png)" = "$bits 0" ]
            imf -f "$spec" --depth=8 "$FOREIGN/png-gray$bits.png" -o eight.png
            [ "$(png_form eight.png)" = "8 0" ]
            [ "$(samples out.png)" = "$(samples eight.png)" ]
        done
        imf -f blur:1 "$FOREIGN/png-gray$bits.png" -o out.png
        [ "$(png_form out.png)" = "8 0" ]
        imf -f invert --range=offset -f kernel:1 "$FOREIGN/png-gray$bits.png" -o out.png
        [ "$(png_form out.png)" = "8 0" ]
        imf -f kernel:1:scale=2 "$FOREIGN/png-gray$bits.png" -o out.png
        [ "$(png_form out.png)" = "8 0" ]
    done
    imf -f invert --linear "$FOREIGN/png-gray4.png" -o out.png
    [ "$(png_form out.png)" = "8 0" ]
    imf -f invert --linear "$FOREIGN/png-gray1.png" -o out.png
    [ "$(png_form out.png)" = "1 0" ]
}

@test "filters that select samples keep 1, 2 and 4 bits, in any chain of them" {
    while read -r want bits options; do
        # shellcheck disable=SC2086 # several options
        imf $options "$FOREIGN/png-gray$bits.png" -o out.png
        # shellcheck disable=SC2086
        imf $options --depth=8 "$FOREIGN/png-gray$bits.png" -o eight.png
        echo "$bits $options: $(png_form out.png), $(png_form eight.png)"
        [ "$(png_form out.png)" = "$want 0" ]
        [ "$(png_form eight.png)" = "8 0" ]
        [ "$(samples out.png)" = "$(samples eight.png)" ]
    done <<'LIST'
1 1 -f median:1
2 2 -f median:1
4 4 -f percentile:30:2:shape=disk -f invert
1 1 -f erode:1 -f dilate:2 --backend=cpu
1 1 -f open:1 -f close:5x3 --linear
2 2 -f gradient:1
4 4 -f tophat:1 -f blackhat:1
1 1 -f gradient:1 --linear
8 2 -f gradient:1 --linear
1 1 -f dilate:1 --edge=constant:1
2 2 -f dilate:1 --edge=constant:0.333333
4 4 -f erode:1 --edge=constant:0.2
8 1 -f dilate:1 --edge=constant:0.333333
8 4 -f dilate:1 --edge=constant:0.3
8 1 -f median:1 --range=offset
8 1 -f median:1 -f box:3
1 4 -f blur:1 -f threshold:0.5 -f open:1
LIST
    imf -f threshold:0.5 "$FOREIGN/png-gray4.png" -o bitmap.pbm
    imf -f open:1 bitmap.pbm -o opened.pnm
    [ "$(head -c 2 opened.pnm)" = P4 ]
}

@test "a threshold of gray is one bit, also of 16, behind a blur and before an inversion" {
    imf -f gray "$FOREIGN/png-rgb16-key.png" --alpha=keep -o alpha16.png
    while read -r want file specs; do
        # shellcheck disable=SC2086 # several options
        imf $specs "$FOREIGN/png-$file.png" -o out.png
        # shellcheck disable=SC2086
        imf $specs --depth=8 "$FOREIGN/png-$file.png" -o eight.png
        echo "$file $specs: $(png_form out.png)"
        [ "$(png_form out.png)" = "${want/-/ }" ]
        diff <(rgba out.png) <(rgba eight.png)
    done <<'LIST'
1-0 gray4 -f threshold:0.5
1-0 gray4 -f blur:1 -f threshold:0.5 -f invert
1-0 gray4 -f sobel -f threshold:0.1 --range=abs
8-0 gray4 -f threshold:0.5 -f blur:1
8-4 gray16-key --depth=8 -f threshold:0.5
1-0 pal8 -f gray -f threshold:0.5
8-3 pal8 -f threshold:0.5
8-3 pal8 -f threshold:0.5 -f gray
LIST
    printf 'P5\n3 1\n65535\n\0\1\177\377\200\0' >wide.pgm
    imf -f threshold:0.5 wide.pgm -o out.png
    [ "$(png_form out.png)" = "1 0" ]
    [ "$(samples out.png)" = "0 0 255" ]
}

@test "a palette is filtered itself: as many colours, tRNS, and as few bits" {
    local spec name
    for spec in invert gray kernel:1:bias=0.1 threshold:0.3; do
        imf -q -f "$spec" "$FOREIGN"/png-{pal1,pal2,pal4,pal8,pal8-alpha}.png -o "$spec/"
        imf -q -f "$spec" --depth=8 "$FOREIGN"/png-{pal1,pal2,pal4,pal8,pal8-alpha}.png -o "$spec-8/"
        for name in pal1 pal2 pal4 pal8 pal8-alpha; do
            echo "$spec $name"
            [ "$(png_form "$spec/png-$name.png")" = "$(tr -dc 0-9 <<<"${name%%-*}") 3" ]
        done
        same_pictures "$spec" "$spec-8"
    done
    # Gray of which one level is transparent has no palette.
    imf -f invert "$FOREIGN/png-gray4-key.png" -o out.png
    [ "$(png_form out.png)" = "8 4" ]
    imf -f box:3 "$FOREIGN/png-pal8.png" -o out.png
    [ "$(png_form out.png)" = "8 2" ]
    imf -f invert "$FOREIGN/png-pal8.png" -o out.ppm
    [ "$(head -c 2 out.ppm)" = P6 ]
    imf -f kernel:2:scale=2 --range=normalize "$FOREIGN/png-pal8.png" -o out.png
    [ "$(png_form out.png)" = "8 2" ]
}

@test "other readers read what is written of few bits and palettes" {
    command -v pngtopam >/dev/null && command -v pngcheck >/dev/null ||
        skip "needs pngtopam and pngcheck"
    for name in gray1 gray2 gray4 pal1 pal2 pal4 pal8 pal8-alpha gray4-key; do
        imf -f invert "$FOREIGN/png-$name.png" -o out.png
        pngcheck -q out.png
        pngtopam -alphapam out.png | pamdepth 255 >theirs.pam
        imf -f invert --depth=8 "$FOREIGN/png-$name.png" -o eight.png
        pngtopam -alphapam eight.png | pamdepth 255 >want.pam
        cmp theirs.pam want.pam
    done
}

@test "an inverted bitmap or palette is about as large as it was" {
    imf -f threshold:0.5 -f gray "$TESTDATA/text.png" -o scan.png
    imf -f invert scan.png -o out.png
    [ "$(wc -c <out.png)" -le "$(($(wc -c <scan.png) * 11 / 10))" ]
    imf -f invert "$FOREIGN/png-pal8-alpha.png" -o out.png
    [ "$(wc -c <out.png)" -le "$(($(wc -c <"$FOREIGN/png-pal8-alpha.png") * 11 / 10))" ]
}

@test "a palette's picture is turned upright by its indices" {
    command -v exiftool >/dev/null || skip "exiftool writes the tag"
    for name in pal1 pal4; do
        exiftool -q -o turned.png -Orientation#=8 "$FOREIGN/png-$name.png" 2>err || { cat err; false; }
        imf -f invert --orient=apply turned.png -o out.png
        imf -f invert --orient=apply --depth=8 turned.png -o eight.png
        [ "$(png_form out.png)" = "$(tr -dc 0-9 <<<"$name") 3" ]
        diff <(rgba out.png) <(rgba eight.png)
        rm turned.png
    done
}

@test "--json tells the bits that are written, and that the palette was filtered" {
    imf_run --json -f threshold:0.5 "$FOREIGN/png-gray4.png" -o out.png
    [[ $output == *'"depth":1,'* ]]
    imf_run --json -f threshold:0.5 "$FOREIGN/png-gray4.png" -o out.pgm
    [[ $output == *'"depth":8,'* ]]
    imf_run --json -f invert "$FOREIGN/png-pal4.png" -o out.png
    [[ $output == *'"backend":"cpu","algorithm":"plain C on the palette","device":"host",'* ]]
}

@test "--verify and --bench look at pixels, also where a palette would do" {
    imf_run --json --verify -f invert "$FOREIGN/png-pal8.png" -o out.png
    [[ $output == *'"verify_ok":true,"verify_samples":273,'* ]]
    diff <(rgba out.png) <(imf -f invert "$FOREIGN/png-pal8.png" -o plain.png && rgba plain.png)
}

@test "a damaged palette image: refused, or its readable part with black" {
    command -v pnmtopng >/dev/null || skip "needs pnmtopng"
    { printf 'P6\n300 300\n255\n'
      imf -q -f kernel:1 --format=pnm "$TESTDATA/still.jpg" -o - | tail -c 270000; } >a.ppm
    pnmquant 256 a.ppm 2>/dev/null | pnmtopng >whole.png 2>/dev/null
    [ "$(png_form whole.png)" = "8 3" ]
    head -c 30000 whole.png >cut.png
    imf_run -f invert cut.png -o out.png
    [ "$status" -eq 1 ]
    one_line "truncated"
    imf -q --lenient -f kernel:1 cut.png -o out.png
    [ "$(rgba out.png | tail -n 1)" = "0 0 0 255" ]
    [ "$(rgba out.png | sed -n 3p)" = "$(rgba whole.png | sed -n 3p)" ]
}

# As imfilter writes it at LEVEL, each INPUT is sound and holds its pixels.
written_at() { # LEVEL INPUT...
    local in
    for in in "${@:2}"; do
        echo "$in at level $1"
        imf -q -f kernel:1 --alpha=keep --compression="$1" "$in" -o out.png
        pngcheck -q out.png
        [ "$(convert "$in" -depth 16 rgba:- | md5sum)" = "$(convert out.png -depth 16 rgba:- | md5sum)" ]
        pngtopnm -alphapam out.png >/dev/null
    done
}

@test "pngcheck, ImageMagick and netpbm read what every level wrote" {
    command -v pngcheck >/dev/null && command -v convert >/dev/null && command -v pngtopnm >/dev/null ||
        skip "needs pngcheck, ImageMagick and netpbm"
    { printf 'P6\n1000 700\n255\n'
      for _ in 1 2 3 4 5 6 7 8; do
          imf -q -f kernel:1 --format=pnm "$TESTDATA/still.jpg" -o - | tail -c 270000
      done | head -c 2100000; } >wide.ppm
    [ "$(wc -c <wide.ppm)" -eq 2100016 ]
    every=("$TESTDATA"/types/{1x1,17x1,1x17,gray1,gray4,gray16,ga8,pal4,pal8-trns,rgb8,rgb16,rgba16}.png wide.ppm)
    written_at 6 "${every[@]}"
    [ -n "${THOROUGH:-}" ] || every=("$TESTDATA"/types/{1x17,gray1,pal8-trns,rgba16}.png wide.ppm)
    written_at 1 "${every[@]}"
    written_at 9 "${every[@]}"
}

@test "a palette stands behind what must stand before it" {
    command -v pngcheck >/dev/null || skip "needs pngcheck"
    imf -q -f invert "$FOREIGN/png-pal4.png" -o plain.png
    # A gamma of 1/2.2 before the palette.
    { head -c 33 plain.png
      printf '\0\0\0\4gAMA\0\0\261\217\13\374\141\5'
      tail -c +34 plain.png; } >in.png
    pngcheck -q in.png
    imf -q -f invert in.png -o out.png
    pngcheck -v out.png | grep 'chunk gAMA'
    pngcheck -q out.png
}
