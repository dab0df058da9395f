# Undoing a blur: deblur and rl
load helper

# Squares of some brightness in front of each other: sharp, gray or of three colours that differ.
make_scene() { # FILE CHANNELS
    awk -v c="$2" 'BEGIN {
        printf "P%d\n120 90\n255\n", c == 3 ? 3 : 2
        s = 7
        for (i = 0; i < 120 * 90 * c; i++)
            v[i] = 90
        for (n = 0; n < 90; n++) {
            s = (s * 16807) % 2147483647; x0 = s % 120
            s = (s * 16807) % 2147483647; y0 = s % 90
            s = (s * 16807) % 2147483647; size = 3 + s % 22
            s = (s * 16807) % 2147483647; value = 40 + s % 170
            for (y = y0; y < y0 + size && y < 90; y++)
                for (x = x0; x < x0 + size && x < 120; x++)
                    for (k = 0; k < c; k++)
                        v[(y * 120 + x) * c + k] = value + 15 * k
        }
        for (i = 0; i < 120 * 90 * c; i++)
            print v[i]
    }' >"$1"
}

# The mean absolute difference of two pictures' samples, in hundredths.
apart() { # FILE FILE
    paste <(imf -q -f kernel:1 --format=pnm "$1" -o - | tail -c +16 | od -An -v -tu1 -w1) \
        <(imf -q -f kernel:1 --format=pnm "$2" -o - | tail -c +16 | od -An -v -tu1 -w1) |
        awk '{ d = $1 - $2; sum += d < 0 ? -d : d; n++ } END { printf "%d\n", 100 * sum / n }'
}

@test "what a blur took comes back, by every method, of colours, too" {
    for channels in 1 3; do
        make_scene sharp.pnm $channels
        for blur in gaussian:1.5 disk:3 motion:9:30; do
            imf -f $blur sharp.pnm -o soft.pnm
            for filter in deblur:$blur deblur:$blur:prior=tv rl:$blur; do
                imf -f "$filter" soft.pnm -o back.pnm
                echo "$channels $filter: $(apart soft.pnm sharp.pnm) $(apart back.pnm sharp.pnm)"
                [ "$(apart back.pnm sharp.pnm)" -lt "$(apart soft.pnm sharp.pnm)" ]
            done
        done
    done
}

@test "deblur passes --verify, at 8 and 16 bits, with --linear, in chains" {
    make_scene a.ppm 3
    imf -f gray a.ppm -o a.pgm
    for options in "-f deblur:disk:2" "-f deblur:disk:2:prior=tv" "-f rl:disk:2" "--depth=16 -f deblur:gaussian:1.2" \
        "--linear -f deblur:disk:2" "-f blur:1.5 -f deblur:blur:1.5 -f invert" "-f deblur:auto" "-f deblur:disk:2:noise=0.012" \
        "-f deblur:disk:2:iterations=9" "--channels=luma -f deblur:disk:2" "--region=50x40+20+10 -f deblur:disk:2"; do
        for file in a.ppm a.pgm; do
            echo "$options $file"
            # shellcheck disable=SC2086
            imf --verify $options $file -o b.png
        done
    done
}

@test "the picture of a point is a blur: a convolution" {
    make_scene sharp.pgm 1
    printf 'P2\n3 3\n255\n0 0 0\n0 100 200\n0 50 0\n' >psf.pgm
    imf -f kernel:@psf.pgm:flip:scale=auto sharp.pgm -o soft.pgm
    imf -f deblur:@psf.pgm soft.pgm -o back.pgm
    imf -f deblur:kernel:@psf.pgm:scale=auto soft.pgm -o turned.pgm
    [ $((5 * $(apart back.pgm sharp.pgm))) -lt $((4 * $(apart soft.pgm sharp.pgm))) ]
    [ "$(apart turned.pgm sharp.pgm)" -gt "$(apart soft.pgm sharp.pgm)" ]
}

# A point as a camera gives it: of sigma 2, over a background of 20 and even noise of 3.5 to either side.
measure_point() { # SIZE BACKGROUND
    awk -v n="$1" -v b="$2" 'BEGIN {
        printf "P2\n%d %d\n255\n", n, n
        for (s = i = 0; i < n * n; i++) {
            s = (s * 16807 + 12345) % 2147483647
            x = i % n - int(n / 2); y = int(i / n) - int(n / 2)
            v = b + 200 * exp(-(x * x + y * y) / 8) + (b > 0) * (s / 2147483647 * 7 - 3.5)
            print int(v + 0.5)
        }
    }'
}

@test "the background of a measured point is taken off, and that is said" {
    make_scene sharp.pgm 1
    imf -f gaussian:2 --depth=16 sharp.pgm -o soft.pgm
    measure_point 41 0 >drawn.pgm
    measure_point 41 20 >measured.pgm
    imf -f kernel:1:bias=-0.0784314 measured.pgm -o by-hand.pgm
    for filter in deblur rl; do
        for point in drawn measured by-hand; do
            imf --depth=8 -f $filter:@$point.pgm soft.pgm -o $point-back.pgm
        done
        imf --depth=8 -f $filter:@measured.pgm:background=keep soft.pgm -o kept.pgm
        drawn=$(apart drawn-back.pgm sharp.pgm) measured=$(apart measured-back.pgm sharp.pgm)
        echo "$filter: $drawn, $measured, $(apart by-hand-back.pgm sharp.pgm), $(apart kept.pgm sharp.pgm)"
        [ "$measured" -lt $((drawn + drawn / 10)) ]
        [ "$(apart by-hand-back.pgm sharp.pgm)" -lt $((drawn + drawn / 5)) ]
        [ "$(apart kept.pgm sharp.pgm)" -gt $((2 * drawn)) ]
        # Nothing is taken off what is drawn on black.
        imf --depth=8 -f $filter:@drawn.pgm:background=keep soft.pgm -o kept.pgm
        cmp kept.pgm drawn-back.pgm
    done
    imf_run -v -f deblur:@measured.pgm soft.pgm -o back.pgm
    grep -Eq 'least squares, kernel less (19\.[89]|20\.[0-2]).*, ' <<<"$stderr"
    imf_run --explain -f deblur:@measured.pgm:background=17.5 soft.pgm -o back.pgm
    grep -q 'least squares, kernel less 17.5, ' <<<"$output"
    imf_run -v -f deblur:@drawn.pgm soft.pgm -o back.pgm
    [[ $stderr != *less* ]]
    imf_run -f deblur:@measured.pgm:background=230 soft.pgm -o back2.pgm
    [ "$status" -eq 2 ]
    one_line 'deblur:@measured.pgm:background=230: nothing in the picture is above the background at column 33 (deblur:KERNEL'
    # Floats with noise around 0: rl takes no negative light.
    imf -f kernel:1:bias=-0.0784314 --depth=float measured.pgm -o floats.pfm
    imf_run -f rl:@floats.pfm:background=keep soft.pgm -o back3.pgm
    [ "$status" -eq 2 ]
    imf --depth=8 -f rl:@floats.pfm soft.pgm -o back3.pgm
    [ "$(apart back3.pgm sharp.pgm)" -lt $((drawn + drawn / 10)) ]
    # A kernel in a text, and one by its own name, are as they were written.
    { echo 20 20 20; echo 20 220 20; echo 20 20 20; } >text.txt
    imf_run -v -f deblur:@text.txt soft.pgm -o back.pgm
    [[ $stderr != *less* ]]
    imf_run -v -f deblur:kernel:@measured.pgm soft.pgm -o back.pgm
    [[ $stderr != *less* ]]
    imf_run -f deblur:@text.txt:background=2 soft.pgm -o back4.pgm
    one_line 'the background at column 29 is for @FILE, a picture'
}

@test "deblur:auto says what it found, leaves what is sharp and refuses movement" {
    cp "$TESTDATA/still.jpg" still.jpg
    imf -f gaussian:2.5 still.jpg -o soft.png
    imf_run -v -f deblur:auto soft.png -o back.png
    [ "$status" -eq 0 ]
    grep -Eq 'a blur like gaussian:2\.[4-9][0-9], noise of sigma 0\.00[0-9]+ of full scale \(0\.[0-9]+ of 255\)' <<<"$stderr"
    imf_run --json -f deblur:auto soft.png -o back.png
    grep -q '"found":"a blur like gaussian:2' <<<"$output"
    imf -f motion:13:30 still.jpg -o moved.png
    imf_run -f deblur:auto moved.png -o back2.png
    [ "$status" -eq 1 ]
    one_line "moved.png: the blur has a direction, as of motion, which deblur:auto does not find (deblur:motion:LENGTH:ANGLE undoes it)"
    [ ! -e back2.png ]
    make_pgm tiny.pgm
    imf_run -v -f deblur:auto tiny.pgm -o same.pgm
    [ "$status" -eq 0 ]
    grep -q 'no blur to undo' <<<"$stderr"
    [ "$(apart tiny.pgm same.pgm)" -eq 0 ]
}

@test "deblur keeps alpha and follows EXIF's orientation" {
    make_scene a.pgm 1
    imf -f motion:9:30 a.pgm -o soft.png
    imf -f deblur:motion:9:30 soft.png -o back.png
    need_python PIL
    python3 - <<'END'
from PIL import Image
soft, back = Image.open("soft.png"), Image.open("back.png")
exif = Image.Exif()
exif[0x112] = 6
soft.rotate(90, expand=True).save("turned.png", exif=exif)
wide = Image.merge("LA", (soft, soft.point(lambda v: 255 - v)))
wide.save("alpha.png")
END
    imf -f deblur:motion:9:30 turned.png -o turned-back.png
    imf -f deblur:motion:9:30 alpha.png -o alpha-back.png
    python3 - <<'END'
from PIL import Image, ImageChops
back, soft = Image.open("back.png"), Image.open("soft.png")
turned = Image.open("turned-back.png").rotate(-90, expand=True)
assert max(high for low, high in ImageChops.difference(turned, back).getextrema() and
           [ImageChops.difference(turned, back).getextrema()]) <= 1
gray, alpha = Image.open("alpha-back.png").split()
assert list(alpha.getdata()) == [255 - v for v in soft.getdata()]
assert list(gray.getdata()) == list(back.getdata())
END
}

@test "--explain says that the whole image is held, and --max-memory limits that" {
    make_scene a.pgm 1
    imf_run --explain -f deblur:disk:3 a.pgm -o b.pgm
    [ "$status" -eq 0 ]
    grep -q 'least squares, .*, floats' <<<"$output"
    grep -q 'the whole image is in memory: the filter takes all of it at once' <<<"$output"
    grep -q 'fft .* are for GPUs' <<<"$output"
    imf_run --max-memory=5100000 -f deblur:disk:3 a.pgm -o c.pgm
    [ "$status" -eq 1 ] || [ "$status" -eq 2 ]
    grep -q 'over the limit of' <<<"$stderr"
    [ ! -e c.pgm ]
}

@test "what is no blur is refused" {
    make_pgm a.pgm
    while IFS='|' read -r spec said; do
        imf_run -f "$spec" a.pgm -o b.pgm
        echo "$spec"
        [ "$status" -eq 2 ]
        one_line "$said"
        [ ! -e b.pgm ]
    done <<'LIST'
deblur|KERNEL is missing at column 7
deblur:sobel|deblur:sobel: "sobel" at column 8 is no kernel
deblur:median:2|is no kernel
deblur:laplacian|is no blur: the sum of its coefficients is 0
rl:sharpen|has negative coefficients, which deblur alone takes
rl:auto|"auto" at column 4 is for deblur alone
deblur:disk:2:prior=l1|"l1" at column 21 is not one of the choices
deblur:disk:0.1|disk:0.1: "0.1" at column 6 is out of range
deblur:@none.png|cannot open none.png
LIST
}
