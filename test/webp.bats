# WebP: what other programs write and read, loss, what a file carries.
load helper

FOREIGN=$TESTDATA/foreign

setup_file() {
    "$IMFILTER" --version | grep -q webp || skip "built without libwebp"
}

raster() { # PAM
    sed '1,/^ENDHDR$/d' "$1" | od -An -v -tu1
}

need() { # PROGRAM...
    local p
    for p; do
        command -v "$p" >/dev/null || skip "$p makes or reads the files"
    done
}

lossless() { # FILE
    grep -a -q VP8L "$1"
}

@test "WebPs of cwebp read as dwebp reads them, from a file and from a pipe" {
    for webp in "$FOREIGN"/webp-{lossy,lossless,alpha,lossless-alpha}.webp; do
        echo "$webp"
        imf -f kernel:1 --alpha=keep "$webp" --format=pam -o got.pam
        diff <(raster "${webp%.webp}.pam") <(raster got.pam)
        # shellcheck disable=SC2002 # a pipe
        cat "$webp" | imf -f kernel:1 --alpha=keep - --format=pam -o piped.pam
        cmp got.pam piped.pam
    done
}

@test "an animated WebP is refused by name" {
    imf_run -f invert "$FOREIGN/webp-animated.webp" -o a.png
    [ "$status" -eq 1 ]
    one_line "webp-animated.webp: an animated WebP cannot be read (webpmux -get frame 1 takes out an image)"
    [ ! -e a.png ]
}

@test "lossy and lossless are what the source was; --quality asks for loss" {
    imf -f kernel:1 --alpha=keep "$FOREIGN/webp-lossless-alpha.webp" -o a.webp
    lossless a.webp
    imf -f kernel:1 --alpha=keep a.webp -o a.pam
    diff <(raster "$FOREIGN/webp-lossless-alpha.pam") <(raster a.pam)
    imf -f invert "$FOREIGN/webp-lossless.webp" -o b.webp --quality=keep
    lossless b.webp
    imf -f invert "$FOREIGN/webp-lossless.webp" -o b.webp --quality=80
    run ! lossless b.webp
    imf -f invert "$FOREIGN/webp-lossy.webp" -o b.webp
    run ! lossless b.webp
    cp "$FOREIGN/webp-lossless.webp" c.webp
    imf -f invert -i c.webp
    [ "$(file_kind c.webp)" = webp ]
    lossless c.webp
    for quality in 92 keep; do
        imf -f blur:1 "$TESTDATA/still.jpg" -o q$quality.webp --quality=$quality
    done
    cmp q92.webp qkeep.webp
    imf -f blur:1 "$TESTDATA/still.jpg" -o q5.webp --quality=5
    [ "$(stat -c %s q5.webp)" -lt "$(stat -c %s q92.webp)" ]
    imf_run -f invert q5.webp -o d.webp --compression=5 --quality=5
    one_line "warning: --compression had no effect: no PNG"
}

@test "gray and alpha go into a WebP's colours, what it cannot hold is refused" {
    imf -f gray "$FOREIGN/webp-alpha.webp" -o a.webp
    imf -f kernel:1 --alpha=keep a.webp -o a.pam
    grep -a -q '^TUPLTYPE RGB_ALPHA' a.pam
    imf_run -f invert --depth=16 "$FOREIGN/webp-lossy.webp" -o b.webp
    [ "$status" -eq 1 ]
    one_line "WebP cannot hold 16-bit samples (use --depth=8, or choose"
    imf_run -f invert "$TESTDATA/types/cmyk.jpg" -o b.webp
    [ "$status" -eq 1 ]
    one_line "WebP cannot hold CMYK"
    [ ! -e b.webp ]
}

@test "a WebP has the metadata of a JPEG, by exiftool's word, and gives it back" {
    need exiftool
    cp "$FOREIGN/icc.jpg" in.jpg
    exiftool -q -overwrite_original -EXIF:Artist='Jörg' -EXIF:ExposureTime=1/200 -EXIF:GPSLatitude=12.5 \
        -EXIF:GPSLatitudeRef=S -EXIF:Orientation#=3 -XMP-dc:Title=Titled in.jpg
    carried() { # FILE
        exiftool -s -G1 -Artist -ExposureTime -GPSLatitude -Orientation -XMP-dc:Title -ICC_Profile:all "$1" | sort
    }
    carried in.jpg >want
    [ "$(grep -c . want)" -gt 15 ]
    imf -f sharpen in.jpg -o a.webp
    imf -f sharpen a.webp -o b.webp
    imf -f sharpen b.webp -o c.jpg
    for out in a.webp b.webp c.jpg; do
        echo "$out"
        carried "$out" | diff want -
        [ -z "$(exiftool -warning "$out")" ]
    done
    imf -f sharpen --strip a.webp -o bare.webp
    [ -z "$(exiftool -s -EXIF:all -XMP:all -ICC_Profile:all bare.webp)" ]
    imf -f sharpen --strip=icc a.webp -o bare.webp
    [ -z "$(exiftool -s -ICC_Profile:all bare.webp)" ]
    [ "$(exiftool -s3 -XMP-dc:Title bare.webp)" = Titled ]
}

@test "dwebp, webpinfo and webpmux take our WebPs" {
    need dwebp webpinfo webpmux exiftool
    imf -f blur:1 "$TESTDATA/still.jpg" -o a.webp
    imf -f kernel:1 "$FOREIGN/webp-lossless.webp" -o b.webp
    imf -f kernel:1 --alpha=keep "$TESTDATA/alpha.png" -o c.webp
    for webp in a.webp b.webp c.webp; do
        exiftool -q -overwrite_original -EXIF:Artist=me $webp
        imf -f kernel:1 --alpha=keep $webp -o d.webp
        webpinfo -quiet d.webp
        webpmux -info d.webp | grep -q EXIF
        dwebp -quiet -pam d.webp -o want.pam
        imf -f kernel:1 --alpha=keep d.webp --format=pam -o got.pam
        if grep -a -q '^DEPTH 3' got.pam; then
            pamchannel -tupletype=RGB 0 1 2 want.pam >rgb.pam 2>/dev/null || continue
            mv rgb.pam want.pam
        fi
        diff <(raster want.pam) <(raster got.pam)
    done
}

@test "orientation: kept as a tag, or applied" {
    need exiftool
    cp "$FOREIGN/webp-lossless.webp" a.webp
    exiftool -q -overwrite_original -EXIF:Orientation#=6 a.webp
    imf -f kernel:1 a.webp -o kept.webp
    [ "$(exiftool -s3 -n -Orientation kept.webp)" = 6 ]
    imf -f kernel:1 --orient=apply kept.webp -o up.webp
    [ "$(exiftool -s3 -n -Orientation up.webp)" = 1 ]
    imf -f kernel:1 a.webp -o want.ppm
    imf -f kernel:1 up.webp -o got.ppm
    [ "$(sed -n 2p got.ppm)" = "7 13" ]
    cmp want.ppm got.ppm
}

@test "a damaged WebP is refused, and read as far as it goes with --lenient" {
    imf -f blur:1 "$TESTDATA/still.jpg" -o a.webp
    head -c $(($(stat -c %s a.webp) / 2)) a.webp >cut.webp
    imf_run -f invert cut.webp -o b.png
    [ "$status" -eq 1 ]
    one_line "cut.webp: truncated after row"
    imf_run -f invert --lenient cut.webp -o b.png
    [ "$status" -eq 0 ]
    one_line "rows are missing"
}
