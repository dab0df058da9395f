# clahe: adaptive histogram equalization of tiles, limited
load helper

@test "gray of 8 bits is OpenCV's, to the last sample, and 16 bits the same, whether tiles divide the image or not" {
    need_python numpy cv2
    python3 - <<'END'
import os, subprocess
import cv2
import numpy as np
random = np.random.default_rng(5)

def filtered(image, full, spec, backend):
    open("a.pgm", "wb").write(b"P5 %d %d %d\n" % (image.shape[1], image.shape[0], full) +
                              image.astype("u1" if full == 255 else ">u2").tobytes())
    subprocess.run([os.environ["IMFILTER"], "-q", "-f", spec, "--backend=" + backend, "a.pgm", "-o", "b.pgm"], check=True)
    samples = np.frombuffer(open("b.pgm", "rb").read(), "u1" if full == 255 else ">u2", offset=len(b"P5\n%d %d\n%d\n" % (
        image.shape[1], image.shape[0], full)))
    return samples.reshape(image.shape).astype(int)

for width, height, across, down, limit in ((64, 48, 8, 8, 3), (83, 61, 8, 8, 3), (64, 61, 8, 8, 2), (61, 64, 4, 8, 40),
                                           (9, 9, 8, 8, 3), (3, 5, 8, 8, 1), (1, 1, 8, 8, 3), (200, 120, 5, 3, 0),
                                           (333, 111, 4, 7, 2.5), (2300, 7, 2, 2, 3)):
    y, x = np.mgrid[:height, :width]
    noise = random.normal(0, 0.03, (height, width))
    image = np.clip((0.3 + 0.3 * np.sin(x / 9) + 0.2 * np.cos(y / 7) + noise) * 255, 0, 255).astype(np.uint8)
    want = cv2.createCLAHE(limit, (across, down)).apply(image)
    for backend in ("vector", "cpu"):
        spec = "clahe:tiles=%dx%d:limit=%g" % (across, down, limit)
        got = filtered(image, 255, spec, backend)
        assert (got == want).all(), (spec, backend, (got != want).sum())
        # 8 bits round three times by half a step at most: maps, their mean, which leaves it, and the result.
        deep = filtered(image.astype(int) * 257, 65535, spec, backend)
        assert np.abs(deep / 257 - want).max() <= 1.01, (spec, backend, np.abs(deep / 257 - want).max())
END
}

@test "a limit holds flat paper's noise down alike at 8 and 16 bits" {
    awk 'BEGIN { srand(7); print "P2 256 256 65535"; for (i = 0; i < 65536; i++) {
        s = -6; for (k = 0; k < 12; k++) s += rand()
        print int((150 + s) * 257 + 0.5) } }' >fine.pgm
    imf -q -f kernel:1 --depth=8 fine.pgm -o coarse.pgm
    spread() { samples "$1" | tr ' ' '\n' | awk 'NF { s += $1; q += $1 * $1; n++ } END { printf "%.3f\n", sqrt(q / n - (s / n) ^ 2) }'; }
    for limit in 1 2 3 10; do
        imf -q -f clahe:limit=$limit --backend=vector fine.pgm -o fine-vector.pgm
        imf -q -f clahe:limit=$limit --backend=cpu fine.pgm -o fine-cpu.pgm
        cmp fine-vector.pgm fine-cpu.pgm
        imf -q -f clahe:limit=$limit coarse.pgm -o coarse-clahe.pgm
        a=$(spread fine-cpu.pgm) b=$(spread coarse-clahe.pgm)
        echo "limit $limit: noise of 1 becomes $a of 255 at 16 bits, $b at 8"
        awk -v a=$a -v b=$b -v l=$limit 'BEGIN { exit !(a > b - 1 && a < b + 1 && a < 1.1 * (l + 1)) }'
    done
}

@test "what else a picture's histogram or extremes decide is the same at 8 and 16 bits" {
    imf -q -f gray -f blur:1.5 -f kernel:0.6 "$TESTDATA/noise-rgb.png" -o a.pgm
    { echo "P2 $(sed -n 2p a.pgm) 65535" && samples a.pgm | tr ' ' '\n' | awk 'NF { print $1 * 257 }'; } >deep.pgm
    while read -r options; do
        imf -q $options a.pgm -o b.pgm
        imf -q $options deep.pgm -o c.pgm
        samples b.pgm | tr ' ' '\n' | grep . >b
        samples c.pgm | tr ' ' '\n' | grep . | paste b - | awk -v o="$options" '{ d = $2 - $1; if (d < 0) d = -d; if (d > most) most = d }
            END { print o ": " NR " samples, " most + 0; exit !(NR && most <= 1) }'
    done <<'END'
-f clahe
-f clahe:limit=1
-f clahe:tiles=3x2:limit=0
-f equalize
-f threshold:otsu
-f threshold:sauvola:5
-f kernel:1 --range=normalize
-f laplacian --range=normalize
-f canny:10%:20%
-f denoise
-f flatten:5
END
}

@test "colours keep their hue, and their luma is that of gray" {
    # Of saturated and pale colours, dark on the left.
    awk 'BEGIN { print "P3 64 64 255"; for (y = 0; y < 64; y++) for (x = 0; x < 64; x++) { s = y * 64 + x
        v = 20 + 2 * x + (s * 7919) % 23; print (y % 3 ? v : 255), int(v * 0.6), int(v * (x % 5) / 4) } }' >a.ppm
    imf -f clahe a.ppm -o b.ppm
    imf -q -f kernel:1 a.ppm -o a.pnm --format=ppm
    samples a.ppm | tr ' ' '\n' | grep . | paste - - - >before
    samples b.ppm | tr ' ' '\n' | grep . | paste - - - >after
    # Differences of colours are in the same proportion, but for rounding; some shrink, none grows.
    paste before after | awk '
        { for (i = 1; i <= 3; i++) { d = $i - $(i % 3 + 1); e = $(i + 3) - $(i % 3 + 4); D[i] = d; E[i] = e
            if (e * e > d * d) grows++ }
          for (i = 1; i <= 3; i++) { j = i % 3 + 1; c = D[i] * E[j] - D[j] * E[i]
            if (c * c > 4 * (D[i] ^ 2 + D[j] ^ 2)) turns++ }
          if (D[1] != E[1]) shrinks++ }
        END { print NR, grows + 0, turns + 0, shrinks + 0; exit !(NR == 4096 && !grows && !turns && shrinks > 20) }'
    # The luma, halves up, alone, becomes what the colours have then.
    awk 'BEGIN { print "P2 64 64 255" } { print int((2126 * $1 + 7152 * $2 + 722 * $3 + 5000) / 10000) }' before >luma.pgm
    imf -f clahe luma.pgm -o gray.pgm
    samples gray.pgm | tr ' ' '\n' | grep . >gray
    paste gray after | awk '{ l = int((2126 * $2 + 7152 * $3 + 722 * $4 + 5000) / 10000); if (l < $1 - 1 || l > $1 + 1) wrong++ }
        END { exit wrong > 0 }'
}

@test "it brings out what a global equalization leaves flat" {
    # Two halves, dark and bright, with texture of 4 steps each.
    awk 'BEGIN { print "P2 128 64 255"; for (y = 0; y < 64; y++) for (x = 0; x < 128; x++) print (x < 64 ? 20 : 220) + (x * 7 + y * 3) % 5 }' >a.pgm
    imf -f clahe:tiles=2x1:limit=0 a.pgm -o b.pgm
    samples b.pgm | tr ' ' '\n' | awk 'NF { i = NR - 1; x = i % 128; if (x < 16) { if ($1 < low || !low) low = $1; if ($1 > high) high = $1 } }
        END { exit !(high - low > 150) }'
}

@test "alpha is kept, a chain rounds first, and bits are those of samples" {
    need_opencl
    printf 'P7\nWIDTH 3\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\144\0\372\377\144\200' >a.pam
    for alpha in auto premultiply filter keep; do
        imf -q -f clahe --alpha=$alpha a.pam -o b.pam
        [ "$(tail -c 6 b.pam | od -An -tu1 | awk '{print $2, $4, $6}')" = '0 255 128' ]
    done
    imf -q -f blur:1 -f clahe -f sharpen --linear --verify "$TESTDATA/noise-rgb.png"
    imf -q -f clahe --range=normalize --edge=constant:0.3 --verify "$TESTDATA/alpha.png"
    imf -q -f gray -f clahe --depth=16 --verify "$TESTDATA/noise-rgb.png"
    imf -f threshold:0.5 "$TESTDATA/text.png" -o bits.pbm
    imf_run -f clahe bits.pbm -o b.pbm
    [ "$status" -ne 0 ]
    imf_run --explain -f clahe:tiles=5x4 "$TESTDATA/noise-rgb.png"
    [[ $output == *"* 1     vector  "*"5x4 tiles of "* ]]
    imf_run --backend=fft -f clahe a.pam -o b.pam
    one_line 'what histograms decide is not linear'
}

@test "a file's rows stream twice, with the bytes of an image that is held" {
    filtered() { # TEXT FILE OPTION...: the plan says TEXT, and the result is that of a pipe
        imf "${@:3}" --explain "$2" -o streamed.pam >plan
        cat plan
        grep -q "^  $1" plan
        cat "$2" | "$IMFILTER" "${@:3}" --max-memory=0 --format=pam - -o held.pam
        cmp streamed.pam held.pam
    }
    awk 'BEGIN { print "P3 701 903 255"; for (i = 0; i < 701 * 903; i++) { v = int(i / 701) / 8 + i % 701 / 12
        print int(v + (i * 7919) % 31), int(v / 2 + (i * 31) % 47), int((i * 104729) % 64) } }' >a.ppm
    imf -f kernel:1 --depth=16 a.ppm -o wide.ppm
    imf -f kernel:1 a.ppm -o a.png
    imf -f kernel:1 --format=tiff a.ppm -o a.tif
    for filter in clahe clahe:tiles=5x7:limit=1.5 equalize; do
        filtered "rows stream" a.ppm -f $filter
        filtered "rows stream" wide.ppm -f $filter -f blur:1
        filtered "rows stream" a.png -f $filter -f sharpen --max-memory=10M
        filtered "rows stream" a.tif -f gray -f blur:2 -f $filter -f blend:overlay:0.4 --edge=mirror --max-memory=11M
    done
    filtered "rows stream" a.png -f laplacian -f gray --range=normalize --max-memory=11M
    filtered "the whole image" a.png -f clahe
    filtered "the whole image" a.ppm -f blur:1 -f clahe
    filtered "the whole image" a.ppm -f clahe -f equalize
    filtered "the whole image" a.ppm -f clahe -f blur:1 --edge=wrap
}

@test "a file that is cut short fails before anything is written, and what is there can be had" {
    awk 'BEGIN { print "P2 1200 900 255"; for (i = 0; i < 1200 * 900; i++) print int(i / 9000 + (i * 7919) % 31) }' >a.pgm
    imf -f kernel:1 a.pgm -o b.pgm
    head -c 700000 b.pgm >cut.pgm
    imf_run -f clahe cut.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "cut.pgm: truncated after row 583 of 900 (accept the readable part with --lenient)"
    [ ! -e out.pgm ]
    imf_run --lenient -f clahe cut.pgm -o out.pgm
    [ "$status" -eq 0 ]
    one_line "the last 317 rows are missing"
    cat cut.pgm | "$IMFILTER" -q --lenient -f clahe - -o held.pgm
    cmp out.pgm held.pgm
}

@test "devices give the same bytes" {
    need_opencl
    imf --list-devices | grep -q . || skip "there is no device"
    for file in gradient16 alpha; do
        imf -q -f clahe:tiles=3x4 --backend=direct "$TESTDATA/$file.png" -o b.png
        imf -q -f clahe:tiles=3x4 --backend=cpu "$TESTDATA/$file.png" -o c.png
        cmp b.png c.png
    done
}

@test "tiles that are no size, and other images, are refused" {
    make_ppm a.ppm
    for spec in clahe:8x8 clahe:tiles=8 clahe:tiles=65x1 clahe:tiles=1x0 clahe:limit=-1 clahe:limit=70000; do
        imf_run -f $spec a.ppm -o b.ppm
        [ "$status" -eq 2 ]
        one_line 'at column'
    done
    imf --help clahe >help
    grep -q 'tiles across and down, 1x1 to 64x64 (8x8 if not given)' help
    { printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n' && printf '\1\2\3\4'; } >c.pam
    imf_run -f clahe c.pam -o b.pam
    [ "$status" -ne 0 ]
    one_line 'clahe needs a gray or RGB image, this is CMYK'
}
