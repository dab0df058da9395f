# TIFF: what other programs write and read, what a file carries, pages, pipes.
load helper

FOREIGN=$TESTDATA/foreign

setup_file() {
    "$IMFILTER" --version | grep -q tiff || skip "built without libtiff"
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

gray() { # FILE WIDTH HEIGHT: that does not repeat, up to 64 KiB
    { printf 'P5\n%d %d\n255\n' "$2" "$3"; seq 30000 | head -c $(($2 * $3)); } >"$1"
}

@test "TIFFs of other programs read as others read them, from a file and from a pipe" {
    for tif in "$FOREIGN"/tiff-*.tif; do
        [ -e "${tif%.tif}.pam" ] || continue
        echo "$tif"
        imf -f kernel:1 --alpha=keep "$tif" --format=pam -o got.pam
        diff <(raster "${tif%.tif}.pam") <(raster got.pam)
        # shellcheck disable=SC2002 # a pipe
        cat "$tif" | imf -f kernel:1 --alpha=keep - --format=pam -o piped.pam
        cmp got.pam piped.pam
    done
}

@test "a TIFF keeps gray, alpha, CMYK, 16 bits and few bits, through any compression" {
    for tif in "$FOREIGN"/tiff-{g4,white,alpha,cmyk,planes}.tif; do
        imf -f kernel:1 --alpha=keep "$tif" --format=pam -o want.pam
        for level in 0 1 6 9; do
            imf -f kernel:1 --alpha=keep --compression=$level "$tif" -o out.tif
            [ "$(file_kind out.tif)" = tiff ]
            imf -f kernel:1 --alpha=keep out.tif --format=pam -o got.pam
            echo "$tif $level"
            cmp want.pam got.pam
        done
    done
    imf -f kernel:1 --depth=8 "$FOREIGN/tiff-planes.tif" -o out.tif
    [ "$(imf --json -n --explain -f invert out.tif | json 'o["depth"]')" = 8 ]
}

@test "--compression is TIFF's too, and --quality has no effect" {
    imf -f blur:1 "$TESTDATA/zoneplate.png" -o a.tif --compression=0
    imf -f blur:1 "$TESTDATA/zoneplate.png" -o b.tif --compression=1
    imf -f blur:1 "$TESTDATA/zoneplate.png" -o c.tif
    [ "$(stat -c %s a.tif)" -gt "$(stat -c %s b.tif)" ]
    [ "$(stat -c %s b.tif)" -ge "$(stat -c %s c.tif)" ]
    imf -f kernel:1 a.tif -o a.pgm
    imf -f kernel:1 c.tif -o c.pgm
    cmp a.pgm c.pgm
    imf_run -f invert a.tif -o d.tif --quality=5
    one_line "warning: --quality had no effect"
    imf_run -f invert a.tif -o d.tif --compression=3
    [ -z "$stderr" ]
}

@test "the same bytes for any number of threads, to a file, a pipe, behind other bytes and appended" {
    imf -f blur:1 "$TESTDATA/still.jpg" -o want.tif
    taskset -c 0 "$IMFILTER" -f blur:1 "$TESTDATA/still.jpg" -o one.tif 2>/dev/null || cp want.tif one.tif
    cmp want.tif one.tif
    imf -f blur:1 "$TESTDATA/still.jpg" --format=tiff -o - | cat >pipe.tif
    cmp want.tif pipe.tif
    imf -f blur:1 "$TESTDATA/still.jpg" --format=tiff -o - >file.tif
    cmp want.tif file.tif
    { echo before; imf -f blur:1 "$TESTDATA/still.jpg" --format=tiff -o -; echo behind; } >among
    tail -c +8 among | head -c -7 | cmp want.tif
    echo before >appended
    imf -f blur:1 "$TESTDATA/still.jpg" --format=tiff -o - >>appended
    tail -c +8 appended | cmp want.tif
    { read -r line; imf -f invert - -o behind.tif; } <among
    imf -f invert want.tif -o invert.tif
    cmp behind.tif invert.tif
}

@test "all pages are read, of 1 bit in CCITT and of 8 bits" {
    cp "$FOREIGN/tiff-pages.tif" a.tif
    imf_run -f invert a.tif -o b.tif
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    imf -f invert "$FOREIGN/tiff-g4.tif" -o first.tif
    imf -f kernel:1 first.tif -o first.pbm
    imf -f kernel:1 --pages=1 b.tif -o b.pbm
    cmp first.pbm b.pbm
    imf -f invert --pages=2 a.tif -o second.pam
    imf -f kernel:1 --alpha=filter --pages=2 b.tif -o b.pam
    cmp second.pam b.pam
    imf -f invert -i.bak a.tif
    cmp a.tif b.tif
    cmp "$FOREIGN/tiff-pages.tif" a.tif.bak
    imf_run -f invert "$FOREIGN/tiff-pages.tif" -o b.png
    one_line "tiff-pages.tif: warning: left out: picture 2 of 2 ("
}

@test "a TIFF has what a JPEG carries, by exiftool's word, and gives it back" {
    need exiftool
    cp "$FOREIGN/icc.jpg" in.jpg
    exiftool -q -overwrite_original -EXIF:Artist='Jörg' -EXIF:Make=Maker -EXIF:ExposureTime=1/200 \
        -EXIF:GPSLatitude=12.5 -EXIF:GPSLatitudeRef=S -EXIF:ImageDescription='A picture' -EXIF:UserComment=said \
        -EXIF:XResolution=72.5 -EXIF:YResolution=144 -EXIF:Orientation#=3 -EXIF:InteropIndex=R98 \
        -XMP-dc:Title=Titled -IPTC:Keywords=one -IPTC:Keywords=two in.jpg
    carried() { # FILE...
        exiftool -s -G1 -Artist -Make -ExposureTime -GPSLatitude -ImageDescription -UserComment -XResolution \
            -YResolution -ResolutionUnit -Orientation -InteropIndex -XMP-dc:Title -IPTC:Keywords -ICC_Profile:all "$1" | sort
    }
    carried in.jpg >want
    [ "$(grep -c . want)" -gt 20 ]
    imf -f sharpen in.jpg -o a.tif
    imf -f sharpen a.tif -o b.tif
    imf -f sharpen b.tif -o c.jpg
    imf -f sharpen b.tif -o d.png
    imf -f sharpen d.png -o e.tif
    for out in a.tif b.tif c.jpg d.png e.tif; do
        echo "$out"
        carried "$out" | diff want -
        [ -z "$(exiftool -warning "$out")" ]
    done
    # In the other byte order, too.
    exiftool -q -overwrite_original -all= -tagsfromfile @ -all:all -unsafe -icc_profile -ExifByteOrder=MM in.jpg
    imf -f sharpen in.jpg -o a.tif
    [ "$(head -c 2 a.tif)" = MM ]
    carried a.tif | diff want -
    imf -f sharpen --strip a.tif -o bare.tif
    [ -z "$(exiftool -s -EXIF:Artist -GPS:all -XMP:all -IPTC:all -ICC_Profile:all -XResolution bare.tif)" ]
    imf -f sharpen --strip=exif a.tif -o bare.tif
    [ -z "$(exiftool -s -EXIF:Artist -GPS:all bare.tif)" ]
    [ "$(exiftool -s3 -XMP-dc:Title bare.tif)" = Titled ]
    [ "$(exiftool -s3 -IFD0:ImageDescription bare.tif)" = 'A picture' ]
}

@test "a description and a resolution go between PNG, JPEG and TIFF" {
    need exiftool
    imf -f sharpen "$TESTDATA/types/metadata.png" -o a.png
    exiftool -q -overwrite_original -PNG:Comment='What it is' -PNG-pHYs:PixelsPerUnitX=11811 \
        -PNG-pHYs:PixelsPerUnitY=11811 a.png
    imf -q -f sharpen a.png -o a.tif
    [ "$(exiftool -s3 -IFD0:ImageDescription a.tif)" = 'What it is' ]
    [ "$(exiftool -s3 -IFD0:XResolution -IFD0:ResolutionUnit a.tif | xargs)" = '300 inches' ]
    imf -q -f sharpen a.tif -o b.jpg
    [ "$(exiftool -s3 -File:Comment b.jpg)" = 'What it is' ]
    [ "$(exiftool -s3 -JFIF:XResolution b.jpg)" = 300 ]
}

@test "IPTC that another program changed in a TIFF is what counts, beside Photoshop's copy" {
    need exiftool
    cp "$FOREIGN/tiff-alpha.tif" a.tif
    exiftool -q -overwrite_original -Photoshop:URL=http://example.org -IPTC:Keywords=old a.tif
    imf -f invert a.tif -o b.tif
    exiftool -q -overwrite_original -IFD0:IPTC:Keywords=new b.tif 2>/dev/null ||
        exiftool -q -overwrite_original -IPTC:Keywords=new b.tif
    imf -f invert b.tif -o c.tif
    [ "$(exiftool -s3 -IPTC:Keywords c.tif)" = new ]
    [ "$(exiftool -s3 -Photoshop:URL c.tif)" = http://example.org ]
}

@test "orientation: kept as a tag, or applied" {
    for n in 1 2 3 4 5 6 7 8; do
        imf -q -f kernel:1 "$FOREIGN/orient-$n.png" -o kept.tif
        imf -q -f kernel:1 --orient=apply kept.tif --format=pgm -o up.pgm
        imf -q -f kernel:1 --orient=apply "$FOREIGN/orient-$n.png" --format=pgm -o want.pgm
        cmp up.pgm want.pgm
        imf -q -f kernel:1 --strip kept.tif -o bare.tif
        imf -q -f kernel:1 bare.tif --format=pgm -o bare.pgm
        cmp bare.pgm want.pgm
    done
}

@test "libtiff, Pillow and ImageMagick read the same from our TIFFs" {
    need tiffcp convert tiffinfo
    gray a.pgm 301 200
    printf 'P6\n61 50\n65535\n' >b.ppm
    seq 9000 | head -c 18300 >>b.ppm
    for level in 0 6; do
        for file in a.pgm b.ppm; do
            imf -f kernel:1 --compression=$level $file -o out.tif
            [ -z "$(tiffinfo -D out.tif 2>&1 >/dev/null)" ]
            tiffcp -c none out.tif plain.tif
            imf -f kernel:1 plain.tif --format=pnm -o plain
            cmp plain $file
        done
    done
    convert out.tif -depth 16 converted.ppm
    cmp converted.ppm b.ppm
}

splice() { # NAME OUT
    python3 "$BATS_TEST_DIRNAME/splices.py" "$1" /dev/null "$2"
}

@test "camera raws that begin like a TIFF are told by their bytes, not by their names" {
    mkdir in in/more
    make_pgm a.pgm
    cp a.pgm in/more/
    i=0
    for name in "phase one" sensor leaf imacon; do
        splice "$name" in/$((++i)).tif
    done
    imf -f kernel:1 a.pgm -o in/dng.tif
    exiftool -q -overwrite_original -DNGVersion='1 4 0 0' in/dng.tif
    cp -r in before
    imf_run -r -i -f kernel:1 in
    [ "$status" -eq 0 ]
    one_line "5 camera raw skipped"
    for file in in/*.tif; do
        imf_run -f invert "$file" -o x.png
        [ "$status" -eq 1 ]
        one_line "$file: is camera raw, which imfilter does not read (try: dcraw -c FILE"
        imf_run -i -f invert "$file"
        [ "$status" -eq 1 ]
        imf_run -f invert - -o x.png <"$file"
        one_line "standard input: is camera raw"
    done
    rm in/more/a.pgm before/more/a.pgm
    diff -r before in
    # Pixels alone, each of the value of a letter, are no raw.
    printf 'P5\n4 1\n255\nIIII' >a.pgm
    imf -f kernel:1 a.pgm -o in/dng.tif
    imf_run -r -f invert in -o out/
    [ "$(ls out)" = dng.tif ]
}

@test "the largest picture is read where it hangs below the first, and never replaces the file" {
    for name in sub behind; do
        splice $name $name.tif
        cp $name.tif before
        imf_run -f kernel:1 -i $name.tif
        [ "$status" -eq 1 ]
        one_line "$name.tif: in place, these would be lost: first picture (48 bytes: one picture is filtered) ("
        cmp before $name.tif
        imf_run -f kernel:1 $name.tif -o out.tif
        [ "$status" -eq 0 ]
        one_line "$name.tif: warning: read is the largest picture (40 x 30), below or behind the first; left out: first picture (48 bytes: one picture is filtered)"
        imf -q -f kernel:1 - -o piped.tif <$name.tif
        cmp piped.tif out.tif
        imf -q -f kernel:1 $name.tif -o out.pgm
        tail -c +9 $name.tif | head -c 1200 >want
        tail -c 1200 out.pgm | cmp - want
    done
    [ "$(exiftool -s3 -Artist out.tif)" = "a painter" ]
    # vips writes smaller copies below it.
    command -v vips >vips || skip "without vips"
    vips gaussnoise noise.v 300 200
    vips cast noise.v noise.png uchar
    vips tiffsave noise.png pyramid.tif --tile --pyramid --subifd
    imf_run -i -f kernel:1 pyramid.tif
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(identify -format '%w %h\n' pyramid.tif)" = "300 200" ]
}

@test "camera raw files are named, not read as what their first page shows" {
    mkdir in
    { printf 'MM\0*\0\0\0\010\0\001\0\376\0\004\0\0\0\001\0\0\0\001\0\0\0\0'; } >in/a.nef
    { printf 'II*\0\010\0\0\0\001\0\376\0\004\0\001\0\0\0\001\0\0\0\0\0\0\0'; } >in/a.dng
    make_pgm in/b.pgm
    imf_run -r -f invert in -o out/
    [ "$status" -eq 0 ]
    one_line "2 camera raw skipped"
    # Wherever the directory is, the reason is the same.
    { printf 'II*\0\020\0\0\0aaaaaaaa\001\0\376\0\004\0\001\0\0\0\001\0\0\0\0\0\0\0'; } >far.tif
    { printf 'II+\0\010\0\0\0\020\0\0\0\0\0\0\0\001\0\0\0\0\0\0\0\376\0\004\0\001\0\0\0\0\0\0\0\001\0\0\0\0\0\0\0'
        printf '\0\0\0\0\0\0\0\0'; } >big.tif
    for file in in/a.nef in/a.dng far.tif big.tif; do
        imf_run -f invert "$file" -o x.png
        [ "$status" -eq 1 ]
        one_line "$file: its first image is marked as a smaller copy of another (NewSubfileType 1), as in camera raw files (dcraw develops those; tiffset -s 254 0 FILE marks it as the image)"
        imf_run -f invert - -o x.png <"$file"
        one_line "standard input: its first image is marked as a smaller copy"
    done
}

# 4x2 pixels of two samples' bytes each: a TIFF of this many bits, sample format, colours and samples a pixel.
make_odd_tiff() { # FILE BITS FORMAT PHOTOMETRIC SAMPLES COMPRESSION
    /usr/bin/env python3 - "$@" <<'END'
import struct
import sys
bits, sort, photometric, samples, compression = map(int, sys.argv[2:])
size = 4 * 2 * samples * bits // 8 if photometric != 6 else 2 * 6
fields = [(256, 4, 4), (257, 4, 2), (259, 3, compression), (262, 3, photometric), (277, 3, samples), (278, 4, 2),
          (279, 4, size), (284, 3, 1)]
if photometric == 6:
    fields.append((530, 3, 2 | 2 << 16))
at = 8 + 2 + 12 * (len(fields) + 3) + 4
fields += [(258, 3, bits if samples == 1 else at), (339, 3, sort if samples == 1 else at + 2 * samples),
           (273, 4, at + 4 * samples)]
out = b"II*\0" + struct.pack("<IH", 8, len(fields))
for tag, kind, value in sorted(fields):
    count = samples if tag in (258, 339) else 2 if tag == 530 else 1
    out += struct.pack("<HHII", tag, kind, count, value)
out += struct.pack("<I", 0) + struct.pack("<%dH" % samples, *[bits] * samples)
out += struct.pack("<%dH" % samples, *[sort] * samples) + bytes((16 * i) % 256 for i in range(size))
open(sys.argv[1], "wb").write(out)
END
}

@test "a TIFF that cannot be read is told with the program that changes it, which does" {
    can='(gray and RGB of floats and up to 32 bits, palette and CMYK of up to 16 can'
    while IFS='|' read -r form said; do
        # shellcheck disable=SC2086 # words
        make_odd_tiff a.tif $form
        imf_run -f invert a.tif -o b.png
        echo "$form: $stderr"
        [ "$status" -eq 1 ]
        one_line "a.tif: a TIFF of $said"
        way=${said#*can; }
        way=${way%% makes *}
        way=${way//IN/a.tif}
        way=${way//OUT/c}
        # Samples as they are do for no compression here.
        if [ "$way" = "$said" ] || [ "${form##* }" != 1 ] || ! command -v "${way%% *}" >/dev/null; then continue; fi
        rm -f c c.*
        sh -c "$way" 2>/dev/null
        imf -f invert c* -o b.png
    done <<LIST
64 5 1 1 1|complex samples cannot be read $can)
64 1 1 1 1|unsigned samples of 64 bits cannot be read $can)
40 3 1 1 1|floating-point samples of 40 bits cannot be read $can)
32 3 5 4 1|CMYK but for unsigned samples of 8 and 16 bits cannot be read $can)
8 1 6 3 1|YCbCr, but for JPEG's, cannot be read $can; tiff2rgba -n IN OUT makes RGB of it)
8 1 8 3 1|3 samples a pixel and photometric interpretation 8 cannot be read $can; vips copy IN OUT.png makes RGB of it)
8 1 6 3 6|old-style JPEG compression cannot be read $can; tiff2rgba -n IN OUT makes RGB of it)
1 1 1 1 34661|JBIG compression, whose library can end the program, cannot be read $can; tiffcp -c zip IN OUT deflates it instead)
32 3 2 3 34676|LogLuv compression cannot be read $can; OpenCV stores floats if IMWRITE_TIFF_COMPRESSION is 1)
8 1 1 1 4711|compression 4711 cannot be read $can)
LIST
}

@test "a damaged TIFF is one line, without libtiff's" {
    imf -f blur:1 --compression=6 "$TESTDATA/still.jpg" -o a.tif
    size=$(stat -c %s a.tif)
    head -c $((size / 2)) a.tif >cut.tif
    imf_run -f invert cut.tif -o b.png
    [ "$status" -eq 1 ]
    one_line "cut.tif: damaged"
    { head -c 400 a.tif; printf 'xxxxxxxxxx'; tail -c +411 a.tif; } >changed.tif
    imf_run -f invert changed.tif -o b.png
    [ "$status" -eq 1 ]
    one_line "changed.tif: damaged ("
    [ ! -e b.png ]
}

@test "limits hold for TIFFs, also in pipes" {
    make_flat flat.pgm 4000 4000
    imf -f invert --compression=0 flat.pgm -o a.tif
    imf_run -f invert --max-pixels=15M a.tif -o b.tif
    one_line "16 Mpixel is over the limit of 15 Mpixel (raise it with --max-pixels)"
    run --separate-stderr sh -c 'cat a.tif | "$1" -f invert --max-memory=15M - --format=pgm -o b.pgm' - "$IMFILTER"
    one_line "a TIFF from a pipe needs"
    run --separate-stderr sh -c '"$1" -f invert --max-memory=15M --compression=0 a.tif --format=tiff -o - | cat >b.tif' - "$IMFILTER"
    one_line "a TIFF to a pipe needs"
    [ ! -s b.tif ]
}

@test "beyond 4 GB a TIFF is a BigTIFF" {
    need_thorough
    { printf 'P5\n70000 64000\n255\n'; head -c 4480000000 /dev/zero; } |
        imf -f invert --compression=0 --max-pixels=0 - -o a.tif
    [ "$(head -c 4 a.tif | od -An -tx1)" = " 49 49 2b 00" ]
    [ "$(stat -c %s a.tif)" -gt 4480000000 ]
    imf -f kernel:1 --max-pixels=0 a.tif --format=pgm -o - | tail -c 4480000000 | tr -d '\377' | cmp - /dev/null
}
