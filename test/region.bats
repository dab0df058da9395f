# --region: only these pixels change.
load helper

# Rows of samples, WIDTH numbers each.
table() { # FILE WIDTH
    samples "$1" | xargs -n "$2"
}

# Of a gray picture of 12x9: what FILE has inside and outside of WxH+X+Y.
inside() { # FILE W H X Y
    table "$1" 12 | sed -n "$(($5 + 1)),$(($5 + $3))p" | cut -d ' ' -f "$(($4 + 1))-$(($4 + $2))"
}
outside() { # FILE W H X Y
    table "$1" 12 | awk -v w="$2" -v h="$3" -v x="$4" -v y="$5" '{
        for (i = 1; i <= NF; i++) if (NR <= y || NR > y + h || i <= x || i > x + w) printf "%s ", $i
        print "" }'
}

noise12() {
    { printf 'P2\n12 9\n255\n' && awk 'BEGIN { srand(7); for (i = 0; i < 108; i++) print int(rand() * 256) }'; } >n.pgm
}

@test "inside is what the filter makes of the whole picture, outside the picture" {
    local filter edge w h x y
    noise12
    while read -r w h x y; do
        for filter in "sharpen" "median:2" "box:3 laplacian" "kernel:1,2,3,4,5/0,0,0,1,2:scale=3" "open:1 sobel" \
            "blur:1 threshold:local:1:0.02" "flatten:1"; do
            for edge in clamp reflect mirror wrap constant:0.4; do
                specs=$(printf -- '-f %s ' $filter)
                imf $specs --edge=$edge n.pgm -o whole.pgm
                imf $specs --edge=$edge --region="${w}x$h+$x+$y" n.pgm -o part.pgm
                [ "$(inside part.pgm $w $h $x $y)" = "$(inside whole.pgm $w $h $x $y)" ]
                [ "$(outside part.pgm $w $h $x $y)" = "$(outside n.pgm $w $h $x $y)" ]
            done
        done
    done <<'END'
3 2 4 5
12 1 0 0
1 9 11 0
12 9 0 0
END
}

@test "regions that overlap or touch are blurred together" {
    { printf 'P2\n40 30\n255\n' && awk 'BEGIN { for (i = 0; i < 1200; i++) print 0 }'; } >black.pgm
    made() { # OPTION...: what becomes white of black
        imf -q -f invert --mask-feather=3 "$@" black.pgm -o made.pgm
        samples made.pgm
    }
    one=$(made --region=12x10+10+8)
    [ "$(echo "$one" | tr ' ' '\n' | sort -n | uniq | wc -l)" -gt 20 ]
    [ "$(made --region=12x10+10+8 --region=12x10+10+8)" = "$one" ]
    [ "$(made --region=12x10+10+8 --region=3x4+15+10 --region=12x10+10+8)" = "$one" ]
    for parts in "5x10+10+8 7x10+15+8" "9x10+10+8 8x10+14+8" "12x7+10+8 12x6+10+12" "12x4+10+8 5x10+10+8 8x8+14+10"; do
        for backend in auto cpu; do
            # shellcheck disable=SC2046 # several options
            made --backend=$backend $(printf -- '--region=%s ' $parts) | tr ' ' '\n' >got
            echo "$one" | tr ' ' '\n' | paste - got | awk '{ d = $1 - $2; if (d * d > 1) far++; if (d) near++ }
                END { print NR, near + 0, far + 0; exit !(NR == 1200 && !far && near < 12) }'
        done
    done
    # What a mask of the same pixels makes, of a shape that no rectangle has.
    { printf 'P2\n40 30\n255\n' && awk 'BEGIN { for (y = 0; y < 30; y++) for (x = 0; x < 40; x++)
        print (x >= 5 && x < 20 && y >= 6 && y < 16) || (x >= 15 && x < 33 && y >= 11 && y < 24) ? 255 : 0 }'; } >mask.pgm
    made --mask=mask.pgm | tr ' ' '\n' >want
    made --region=15x10+5+6 --region=18x13+15+11 | tr ' ' '\n' | paste want - | awk '{ d = $1 - $2; if (d * d > 1) far++; if (d) near++ }
        END { print NR, near + 0, far + 0; exit !(NR == 1200 && !far && near < 12) }'
}

@test "what takes the whole picture still does" {
    local filter
    noise12
    for filter in equalize clahe:tiles=3x2 threshold:otsu canny:0.1:0.2 highpass:0.1 notch:0.25:0.1:0.05 \
        deblur:disk:2 deblur:auto rl:disk:2 denoise descreen; do
        imf -f $filter n.pgm -o whole.pgm
        imf -f $filter --region=4x3+2+5 n.pgm -o part.pgm
        [ "$(inside part.pgm 4 3 2 5)" = "$(inside whole.pgm 4 3 2 5)" ]
        [ "$(outside part.pgm 4 3 2 5)" = "$(outside n.pgm 4 3 2 5)" ]
    done
    imf -f laplacian --range=normalize n.pgm -o whole.pgm
    imf -f laplacian --range=normalize --region=4x3+2+5 n.pgm -o part.pgm
    [ "$(inside part.pgm 4 3 2 5)" = "$(inside whole.pgm 4 3 2 5)" ]
}

@test "regions in percentages, cut off at the sides, several, and what is wrong" {
    noise12
    imf -f invert --region=6x3+3+3 n.pgm -o want.pgm
    imf -f invert --region=50%x33.333%+25%+33.333% n.pgm -o got.pgm
    cmp want.pgm got.pgm
    imf -f invert --region=3x3+3+3 --region=4x3+5+3 n.pgm -o got.pgm
    cmp want.pgm got.pgm
    imf -f invert --region=9x9+9+0 n.pgm -o want.pgm
    imf -f invert --region=100x1000%+9+0 n.pgm -o got.pgm
    cmp want.pgm got.pgm
    imf_run -f invert --region=5x5+12+0 n.pgm -o got.pgm
    [ "$status" -eq 2 ]
    one_line "n.pgm: the region 5x5+12+0 has no pixel of the upright picture of 12x9"
    imf_run -f invert --region=50%x5+100%+7% n.pgm -o got.pgm
    one_line "n.pgm: the region 50%x5+100%+7% has no pixel of the upright picture of 12x9"
    for wrong in 5x5 5x5+1 -5x5+1+1 5.5x5+1+1 x5+1+1 5x5+1+1x 0x5+0+0; do
        imf_run -f invert --region="$wrong" n.pgm -o got.pgm
        [ "$status" -eq 2 ]
        one_line region
    done
}

@test "a feather is that of a mask with the same rectangle" {
    { printf 'P5\n60 40\n255\n' && head -c 2400 /dev/zero | tr '\0' '\100'; } >flat.pgm
    { printf 'P5\n60 40\n255\n' && awk 'BEGIN { for (y = 0; y < 40; y++) for (x = 0; x < 60; x++)
        printf "%s", (x >= 20 && x < 45 && y < 12) ? "A" : "B" }' | tr AB '\377\0'; } >mask.pgm
    imf -f invert --region=25x12+20+0 --mask-feather=3 flat.pgm -o region.pgm
    imf -f invert --mask=mask.pgm --mask-feather=3 flat.pgm -o mask-result.pgm
    cmp region.pgm mask-result.pgm
    [ "$(samples region.pgm | cut -d ' ' -f 32)" = 191 ]
    imf -f invert --region=25x12+20+0 flat.pgm -o hard.pgm
    run ! cmp -s hard.pgm region.pgm
}

@test "a region times a mask times a strength" {
    noise12
    imf -f invert n.pgm -o mask.pgm
    imf -f blur:1 --strength=0.5 --mask=mask.pgm --region=5x5+3+2 --verify n.pgm -o part.pgm
    imf -f blur:1 --strength=0.5 --mask=mask.pgm n.pgm -o whole.pgm
    [ "$(inside part.pgm 5 5 3 2)" = "$(inside whole.pgm 5 5 3 2)" ]
    [ "$(outside part.pgm 5 5 3 2)" = "$(outside n.pgm 5 5 3 2)" ]
}

@test "a region is in the upright picture's coordinates" {
    local n
    imf -q -f kernel:1 "$TESTDATA/foreign/orient-1.png" -o upright.pgm
    imf -f kernel:1,2,0:scale=3 --region=3x2+2+1 upright.pgm -o want.pgm
    for n in 1 2 3 4 5 6 7 8; do
        imf -q -f kernel:1,2,0:scale=3 --region=3x2+2+1 "$TESTDATA/foreign/orient-$n.png" -o "$n.pgm"
        [ "$(samples "$n.pgm")" = "$(samples want.pgm)" ]
    done
}

@test "alpha, colours, depths: what lies outside stays as it is" {
    imf -f kernel:1 "$TESTDATA/alpha.png" -o a.pam
    for options in "-f blur:2" "-f blur:2 --alpha=filter" "-f sharpen --linear" "-f gray -f sobel" "-f gray"; do
        imf $options --region=20x30+40+50 a.pam -o part.pam
        cmp -n "$((70 + 96 * 50 * 4))" a.pam part.pam
        run ! cmp -s a.pam part.pam
    done
    noise12
    imf -f kernel:1 --depth=16 n.pgm -o words.pgm
    imf -f blur:1 --depth=16 --region=3x3+1+1 n.pgm -o part.pgm
    [ "$(tail -c 120 part.pgm | cksum)" = "$(tail -c 120 words.pgm | cksum)" ]
    imf -f blur:1 --linear --depth=8 --region=3x3+1+1 words.pgm -o part.pgm
    [ "$(outside part.pgm 3 3 1 1)" = "$(outside n.pgm 3 3 1 1)" ]
}

@test "gray of few bits keeps them where a region is not feathered" {
    printf 'P1\n8 3\n0 1 0 1 1 1 0 0\n1 1 0 0 1 1 1 0\n1 0 1 0 1 0 1 0\n' >a.pbm
    imf -f median:1 --region=4x3+0+0 a.pbm -o b.png
    [ "$(imf -f kernel:1 --json b.png -o c.png | json 'o["depth"]')" = 1 ]
    imf -f median:1 --region=4x3+0+0 a.pbm -o b.pbm
    imf -f median:1 --region=4x3+0+0 --mask-feather=1 a.pbm -o b.png
    [ "$(imf -f kernel:1 --json b.png -o c.png | json 'o["depth"]')" = 8 ]
}

@test "rows stream past the region, whatever the bands, jobs and formats" {
    imf -q -f kernel:1 "$TESTDATA/still.jpg" -o still.ppm
    imf -f disk:3 still.ppm -o whole.ppm
    for region in 100x200+300+100 640x40+0+387 30x427+610+0 1x1+0+0; do
        imf -f disk:3 --region=$region still.ppm -o part.ppm
        imf -f disk:3 --region=$region --max-memory=40M still.ppm -o low.ppm
        cmp part.ppm low.ppm
        imf -f disk:3 --region=$region --verify still.ppm -o held.ppm
        cmp part.ppm held.ppm
        imf -f disk:3 --region=$region - -o - <still.ppm >piped.ppm
        cmp part.ppm piped.ppm
        imf -f disk:3 --region=$region still.ppm -o part.png
        [ "$(samples part.png | cksum)" = "$(samples part.ppm | cksum)" ]
    done
    imf -f disk:3 --region=100x200+300+100 --explain -n still.ppm -o x.ppm >plan
    grep -q '^  of 640x427 pixels these are computed: 106x206+297+97$' plan
    imf -i -f disk:3 --region=1x1+0+0 still.ppm
    cmp still.ppm part.ppm
}

@test "from memory to memory, and of a palette" {
    imf -f invert --region=30x20+10+5 "$TESTDATA/noise.png" -o want.png
    imf -f invert --region=30x20+10+5 "$TESTDATA/noise.png" --spectrum=s.png -o got.png >peaks
    cmp want.png got.png
    imf -f invert --region=2x2+0+0 "$TESTDATA/foreign/png-pal8.png" -o part.pam --format=pam
    imf -f kernel:1 "$TESTDATA/foreign/png-pal8.png" -o same.pam --format=pam
    imf -f invert "$TESTDATA/foreign/png-pal8.png" -o all.pam --format=pam
    run ! cmp -s part.pam same.pam
    [ "$(samples part.pam | cut -d ' ' -f 1-4)" = "$(samples all.pam | cut -d ' ' -f 1-4)" ]
    [ "$(tail -c 12 part.pam | cksum)" = "$(tail -c 12 same.pam | cksum)" ]
}

@test "a region needs a memory of its own rows, not of the picture" {
    ! grep -q __asan_init "$IMFILTER" || skip "the sanitizer takes memory of its own"
    make_flat large.pgm 6000 6000
    small=$(peak "$IMFILTER" -f guided:40:0.1 --region=50x50+3000+3000 large.pgm -o out.pgm)
    [ "$small" -le 24 ]
    cmp large.pgm out.pgm
}

@test "a damaged picture fails, whether before the region, in it or after" {
    imf -q -f kernel:1 "$TESTDATA/still.jpg" -o still.ppm
    for size in 50000 500000 810000; do
        head -c $size still.ppm >cut.ppm
        imf_run -f blur:1 --region=600x100+20+200 cut.ppm -o out.ppm
        [ "$status" -eq 1 ]
        one_line "cut.ppm: "
        [ ! -e out.ppm ]
        imf_run --lenient -f blur:1 --region=600x100+20+200 cut.ppm -o out.ppm
        [ "$status" -eq 0 ]
        rm out.ppm
    done
    no_temporaries
}
