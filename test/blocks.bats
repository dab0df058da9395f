# Blocks of a JPEG that do not change keep their coefficients.
load helper

setup() {
    mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return 1
    awk 'BEGIN { srand(3); print "P3 150 110 255"; for (i = 0; i < 150 * 110; i++)
        print int(60 + i % 150 + rand() * 40), int(40 + i / 150 + rand() * 60), int(90 + rand() * 90) }' >photo.ppm
    imf -f kernel:1 photo.ppm -o photo.png
}

# Pixels as libjpeg's own program decodes them; -nosmooth: each of its own blocks alone.
pixels() { # FILE
    djpeg -nosmooth -pnm "$1" | tail -c +16
}
# How many differ in FILES outside of W H X Y, grown to whole MCUs of 16x16.
outside() { # FILE FILE W H X Y
    cmp -l <(pixels "$1") <(pixels "$2") | awk -v w="$3" -v h="$4" -v x="$5" -v y="$6" 'BEGIN {
        x0 = x - x % 16; y0 = y - y % 16; x1 = x + w + 15; x1 -= x1 % 16; y1 = y + h + 15; y1 -= y1 % 16 } {
        p = int(($1 - 1) / 3); px = p % 150; py = int(p / 150)
        if (px < x0 || px >= x1 || py < y0 || py >= y1) n++ } END { print n + 0 }'
}

photos() { # one of each kind
    cjpeg -quality 85 -sample 2x2 photo.ppm >420.jpg
    cjpeg -quality 70 -sample 1x1 -optimize photo.ppm >444.jpg
    cjpeg -quality 80 -sample 2x1 -restart 3B photo.ppm >422.jpg
    cjpeg -quality 80 -progressive photo.ppm >progressive.jpg
    cjpeg -quality 80 -arithmetic photo.ppm >arithmetic.jpg
    cjpeg -quality 80 -rgb photo.ppm >rgb.jpg
}

@test "outside of a region no pixel changes, in one edit and in ten" {
    photos
    for kind in 420 444 422 progressive arithmetic rgb; do
        imf -f blur:3 --region=40x30+50+40 $kind.jpg -o out.jpg
        [ "$(outside $kind.jpg out.jpg 40 30 50 40)" = 0 ]
        ! cmp -s <(pixels $kind.jpg) <(pixels out.jpg)
        cp $kind.jpg many.jpg
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            imf -f sharpen --region=40x30+50+40 -i many.jpg
        done
        [ "$(outside $kind.jpg many.jpg 40 30 50 40)" = 0 ]
    done
}

@test "the region itself is what encoding the picture would give" {
    photos
    imf -f blur:3 --region=48x32+48+40 444.jpg -o got.jpg
    imf -f blur:3 --region=48x32+48+40 444.jpg -o want.ppm
    cjpeg -quality 70 -sample 1x1 want.ppm >want.jpg
    part() { djpeg -pnm "$1" | pnmcut 48 40 48 32; }
    cmp <(part got.jpg) <(part want.jpg)
}

@test "a mask, one channel, and an option for any filter" {
    photos
    awk 'BEGIN { print "P2 150 110 255"; for (i = 0; i < 150 * 110; i++) print (i % 150 < 32 && i / 150 < 32) * 255 }' >mask.pgm
    imf -f blur:2 --mask=mask.pgm 420.jpg -o out.jpg
    [ "$(outside 420.jpg out.jpg 32 32 0 0)" = 0 ]
    imf -f kernel:1 --keep-blocks 420.jpg -o same.jpg
    cmp <(pixels 420.jpg) <(pixels same.jpg)
    # Chroma stays where lightness alone is filtered and no sample leaves its range.
    imf -f unsharp:1:0.3 --channels=luma 444.jpg -o luma.jpg
    ! cmp -s <(pixels 444.jpg) <(pixels luma.jpg)
}

@test "the coding stays: restarts, progression, arithmetic codes, tables" {
    photos
    coding() { djpeg -verbose -verbose "$1" 2>&1 >/dev/null | grep -E 'Start Of Frame|Restart Interval|Component|Arithmetic Scan'; }
    for kind in 420 444 422 progressive arithmetic rgb; do
        imf -f blur:3 --region=40x30+50+40 $kind.jpg -o out.jpg
        [ "$(coding out.jpg)" = "$(coding $kind.jpg)" ]
    done
    imf -f kernel:1 --keep-blocks 444.jpg -o out.jpg
    [ "$(wc -c <out.jpg)" -le "$(wc -c <444.jpg)" ]
}

@test "--quality, --subsampling and turning encode all blocks" {
    photos
    imf -f blur:3 --region=40x30+50+40 420.jpg -o kept.jpg
    imf -f blur:3 --region=40x30+50+40 --quality=85 420.jpg -o quality.jpg
    [ "$(outside 420.jpg kept.jpg 40 30 50 40)" = 0 ]
    [ "$(outside 420.jpg quality.jpg 40 30 50 40)" -gt 0 ]
    imf -f blur:3 --region=40x30+50+40 --subsampling=444 420.jpg -o 444b.jpg
    [ "$(djpeg -verbose -verbose 444b.jpg 2>&1 >/dev/null | grep -c '1hx1v')" = 3 ]
}

@test "a damaged picture is encoded anew" {
    photos
    # A marker that nobody knows ends the scan.
    size=$(($(wc -c <420.jpg) / 2))
    { head -c $size 420.jpg && printf '\xff\x62' && tail -c +$((size + 3)) 420.jpg; } >damaged.jpg
    imf_run -f blur:1 --region=40x30+50+40 damaged.jpg -o out.jpg
    [ "$status" -eq 1 ]
    imf_run --lenient -f blur:1 --region=40x30+50+40 damaged.jpg -o out.jpg
    [ "$status" -eq 0 ]
    djpeg out.jpg >/dev/null
}

@test "from a pipe to a pipe" {
    photos
    cat 420.jpg | imf -f blur:3 --region=40x30+50+40 - -o - | cat >out.jpg
    [ "$(outside 420.jpg out.jpg 40 30 50 40)" = 0 ]
}

@test "--strip without a filter leaves the picture as it is" {
    photos
    cjpeg -quality 85 photo.ppm >plain.jpg
    imf --strip plain.jpg -o out.jpg
    cmp <(pixels plain.jpg) <(pixels out.jpg)
    cp progressive.jpg in_place.jpg
    imf --strip=exif -i in_place.jpg
    cmp <(pixels progressive.jpg) <(pixels in_place.jpg)
    imf --strip photo.png -o out.png
    imf -f kernel:1 photo.png -o want.ppm
    imf -f kernel:1 out.png -o got.ppm
    cmp want.ppm got.ppm
    # colours under alpha 0 are part of it
    { printf 'P7\nWIDTH 4\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
        printf 'abc\0def\377ghi\0jkl\1mno\0pqr\2stu\0vwx\3'; } >clear.pam
    imf --strip clear.pam -o clear.png
    imf --strip clear.png -o got.pam
    cmp <(tail -c 32 clear.pam) <(tail -c 32 got.pam)
    imf_run --strip 444.jpg
    [ "$status" -eq 2 ]
}

@test "where the coefficients do not fit, blocks are encoded anew, with a warning" {
    awk 'BEGIN { print "P5 3000 2000 255"; for (i = 0; i < 2000; i++) printf "%3000s", "" }' >large.pgm
    cjpeg large.pgm >large.jpg
    imf_run -f blur:3 --region=40x30+50+40 --max-memory=28M large.jpg -o out.jpg
    [ "$status" -eq 0 ]
    [[ $stderr == *"blocks that do not change are encoded anew"*"--max-memory"* ]]
}
