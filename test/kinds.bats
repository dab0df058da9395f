# What -r takes for an image: its content, not its name.
load helper

listed() { # what -r takes below DIR, a name a line
    imf -n -q -r -f invert "$1" -o "$BATS_TEST_TMPDIR/nowhere/" | sed "s|^$1/||; s| -> .*||" | tr '\n' ' '
}

@test "-r finds images whatever they are called, and names the results alike" {
    mkdir in
    make_pgm in/IMG_0001
    make_png in/scan.tmp
    make_jpeg in/photo.jpg.part
    cp in/IMG_0001 in/.hidden
    imf -r -f invert in -o out/
    [ "$(ls -A out | tr '\n' ' ')" = ".hidden IMG_0001 photo.jpg.part scan.tmp " ]
    [ "$(samples out/IMG_0001)" = "255 245 235 225 215 205 195 185 175 165 155 0" ]
    [ "$(file_kind out/IMG_0001) $(file_kind out/scan.tmp) $(file_kind out/photo.jpg.part)" = "pnm png jpeg" ]
    imf -r -f invert --suffix=-s in
    [ -e in/IMG_0001-s ]
    [ -e in/scan-s.tmp ]
}

@test "an output's format follows its extension, also where the input's content is another" {
    mkdir in
    make_jpeg in/x.png
    imf -r -f invert in -o out/
    [ "$(file_kind out/x.png)" = png ]
    imf -r -f invert -i in
    [ "$(file_kind in/x.png)" = jpeg ]
}

@test "text that begins like an image is none, and not mentioned" {
    mkdir in
    printf 'P5\n' >in/p5
    printf 'P2 Monday\n' >in/p2
    printf 'P2 3\n' >in/short
    printf 'P3 3 2 255 is a header\n' >in/p3
    printf 'P6#1: the first of the notes\n' >in/p6
    printf 'P7 332\n#XVVERSION\n' >in/xv
    printf 'P7\nThe seventh\n' >in/p7
    printf 'P4 3x2\n' >in/p4
    printf '\377\330 two bytes of a JPEG' >in/jpeg
    printf '<html>\n<body><svg></svg></body>' >in/page
    printf 'BMW and other cars' >in/bmw
    printf 'II. The second chapter' >in/ii
    imf_run -r -f invert in -o out/
    [ "$status" -eq 0 ]
    one_line "warning: no image was found"
    [ ! -e out ]
    imf_run -r -v -f invert in -o out/
    [ "${#stderr_lines[@]}" -eq 13 ]
    [[ $stderr == *"in/p2: skipped: no image"* ]]
}

@test "PNM of every kind, with comments, is an image without a name" {
    mkdir in
    printf 'P1\n3 1\n010' >in/p1
    printf 'P2 # gray\n# 3 by\n3 1\n9\n1 2\n# last\n3\n' >in/p2
    printf 'P3\r\n1 1\r\n255\r\n1 2 3' >in/p3
    printf 'P4 3 1\n\240' >in/p4
    printf 'P5\n1 1 # one\n255\n\001' >in/p5
    { printf 'P6\n#'; head -c 600 /dev/zero | tr '\0' x; printf '\n1 1\n255\n\001\002\003'; } >in/p6
    printf 'P7\n# a map\nTUPLTYPE GRAYSCALE\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n\001' >in/p7
    [ "$(listed in)" = "p1 p2 p3 p4 p5 p6 p7 " ]
    imf_run -r -f kernel:1 in -o out/
    [ "$status" -eq 0 ]
}

@test "what only its name calls an image is a failure, not passed over" {
    mkdir in
    make_pgm in/a.pgm
    : >in/empty.jpg
    echo junk >in/junk.PNG
    printf 'P5 junk' >in/b.pgm
    imf_run -r -f invert in -o out/
    [ "$status" -eq 1 ]
    [ "$(ls out)" = a.pgm ]
    [ "${#stderr_lines[@]}" -eq 4 ]
    [[ $stderr == *"in/empty.jpg: empty file"* ]]
    [[ $stderr == *"in/junk.PNG: $(unknown)"* ]]
    [[ ${stderr_lines[3]} == *"3 of 4 images failed"* ]]
}

# The bytes are those of the formats' specifications.
make_others() { # in DIR
    printf 'GIF87a\1\0\1\0' >"$1/called.jpg"
    printf 'GIF89a\1\0\1\0' >"$1/d"
    printf 'BM\146\0\0\0\0\0\0\0\066\0\0\0\050\0\0\0' >"$1/e"
    printf '\0\0\0\034ftypavio\0\0\0\0' >"$1/f"
    printf '\0\0\0\030ftypmif1\0\0\0\0' >"$1/g"
    printf '\377\012\372\037\001' >"$1/h"
    printf '\0\0\0\014JXL \015\012\207\012' >"$1/i"
    printf '\0\0\0\014jP  \015\012\207\012' >"$1/j"
    printf 'v/1\1\2\0\0\0' >"$1/k"
    printf '8BPS\0\1' >"$1/l"
    printf 'II*\0\020\0\0\0CR\2\0' >"$1/n.cr2"
    printf '\0\0\0\030ftypcrx \0\0\0\1' >"$1/o.cr3"
    printf '\0\005\026\007\0\2\0\0' >"$1/._photo.jpg"
}

@test "images of kinds that cannot be read are counted by kind" {
    mkdir in
    make_others in
    make_pgm in/z.pgm
    imf_run -r -f invert in -o out/
    [ "$status" -eq 0 ]
    [ "$(ls out)" = z.pgm ]
    one_line " skipped"
    sorted=$(sed 's/imfilter: \(.*\) skipped/\1/; s/, /\n/g' <<<"$stderr" | sort | tr '\n' ,)
    [ "$sorted" = "1 AVIF,1 AppleDouble,1 BMP,1 HEIF,1 JPEG 2000,1 OpenEXR,1 PSD,2 GIF,2 JPEG XL,2 camera raw," ]
    imf_run -r -q -f invert in -o out/
    [ -z "$stderr" ]
    imf_run -r -v -f invert in -o out/
    [[ $stderr == *"imfilter: in/called.jpg: skipped: GIF"* ]]
    imf -n --json -r -f invert in -o out/ 2>err
    grep -q 'GIF' err
}

@test "a kind that cannot be read is named, with the pipe that converts it" {
    mkdir in
    make_others in
    while IFS='|' read -r name said; do
        imf_run -f invert "in/$name" -o x.png
        echo "$name"
        [ "$status" -eq 1 ]
        one_line "imfilter: in/$name: is $said"
    done <<'LIST'
called.jpg|GIF, which imfilter does not read (try: giftopnm in/called.jpg |
d|GIF, which imfilter does not read (try: giftopnm in/d | imfilter ... - -o OUTPUT)
n.cr2|camera raw, which imfilter does not read (try: convert in/n.cr2 png:- | imfilter ... - -o OUTPUT)
e|BMP, which imfilter does not read (try: bmptopnm in/e |
g|HEIF, which imfilter does not read (try: vips copy in/g .png | imfilter ... - -o OUTPUT)
LIST
    cp in/d 'a b.gif'
    imf_run -f invert 'a b.gif' -o x.png
    one_line "a b.gif: is GIF, which imfilter does not read (try: giftopnm FILE |"
    imf_run -f invert - -o x.png <in/d
    one_line "standard input: is GIF, which imfilter does not read (try: giftopnm FILE |"
    imf_run -f invert in/._photo.jpg -o x.png
    one_line "in/._photo.jpg: $(unknown)"
    [ ! -e x.png ]
}

@test "the pipes that are told read what other programs write" {
    command -v convert >/dev/null || skip "ImageMagick writes the files"
    make_ppm a.ppm
    for kind in gif bmp sgi pcx ras xpm tga dds fits; do
        convert a.ppm "b.$kind" || continue
        imf_run -f invert "b.$kind" -o b.png
        try=${stderr#*(try: }
        try=${try%% | imfilter*}
        command -v "${try%% *}" >/dev/null || continue
        $try 2>/dev/null | imf -f invert - -o b.png
        echo "$kind: $try"
        [ "$(imf --json -n --explain -f invert b.png | json 'o["width"]')" = "$(imf --json -n --explain -f invert a.ppm | json 'o["width"]')" ]
        rm b.png
    done
}

@test "a file that cannot be read is a failure, whatever it is called" {
    need_unprivileged
    mkdir in
    make_pgm in/a.pgm
    make_pgm in/b
    make_pgm in/c.pgm
    chmod 0 in/b in/c.pgm
    chmod 777 .
    imf_run_unprivileged -r -f invert in -o out/
    [ "$status" -eq 1 ]
    [ "${stderr_lines[0]}" = "imfilter: in/b: cannot open: Permission denied" ]
    [ "${stderr_lines[1]}" = "imfilter: in/c.pgm: cannot open: Permission denied" ]
    [ "${stderr_lines[2]}" = "imfilter: 2 of 3 images failed: in/b, in/c.pgm" ]
    [ "$(ls out)" = a.pgm ]
    imf_run_unprivileged --json -r -f invert in -o out/
    [ "$(tail -n 1 <<<"$output" | json '(s := o["summary"]) and (s["filtered"], s["failed"])')" = "(1, 2)" ]
}

@test "an output that another run is writing is no input" {
    mkdir in
    make_pgm in/a.pgm
    cp in/a.pgm in/.imfilter-b.pgm.aB3dE9
    [ "$(listed in)" = "a.pgm " ]
}

# Other programs' files, of every format that this machine's ImageMagick writes.
@test "what other programs write is told by its first bytes" {
    command -v convert >/dev/null || skip "ImageMagick writes the files"
    make_ppm a.ppm
    convert a.ppm -resize 64x48! b.png
    mkdir in
    while read -r format name; do
        ! imf --version | grep '^formats:' | grep -q -i -w "$name" || continue # it is read
        convert b.png "$format:in/$format" 2>/dev/null && [ -s "in/$format" ] || { rm -f "in/$format"; continue; }
        imf -r -v -n -f invert in -o out/ >got 2>&1 || true
        echo "$format: $(cat got)"
        grep -qx "imfilter: in/$format: skipped: $name" got
        rm -f "in/$format"
    done <<'LIST'
GIF GIF
GIF87 GIF
BMP BMP
BMP2 BMP
BMP3 BMP
AVIF AVIF
HEIC HEIF
JXL JPEG XL
JP2 JPEG 2000
J2K JPEG 2000
PSD PSD
PSB PSD
PDF PDF
ICO ICO
HDR Radiance HDR
LIST
    for format in PNG JPEG PBM PGM PPM PAM PFM TIFF TIFF64 PTIF WEBP; do
        convert b.png "$format:in/$format"
    done
    [ "$(listed in)" = "JPEG PAM PBM PFM PGM PNG PPM PTIF TIFF TIFF64 WEBP " ]
}
