# The command line itself: help, version, lists, and what is refused with status 2.
load helper

@test "no argument at all: a short usage on standard error, status 2" {
    imf_run
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ $stderr == usage:* ]]
}

@test "--help goes to standard output and names every group" {
    imf_run --help
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    for group in Files Filter Compute Encode Report Limits; do
        [[ $output == *$'\n'"$group"$'\n'* ]]
    done
    [ "$(imf -h)" = "$output" ]
    ! grep -q '.\{81\}' <<<"$output"
}

@test "--version prints the name and three numbers, the formats, and what it was built with" {
    imf_run --version
    [ "$status" -eq 0 ]
    [[ ${lines[0]} =~ ^imfilter\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    [[ ${lines[1]} == "formats: png, jpeg, pnm"* ]]
    [[ ${lines[2]} == "built with: "*"OpenGL ES"* ]]
    [ "$(imf -V)" = "$output" ]
}

@test "--help to a full device is a failure" {
    run --separate-stderr sh -c '"$1" --help >/dev/full' - "$IMFILTER"
    [ "$status" -eq 1 ]
    one_line "No space left on device"
}

@test "--list-filters has a line for every filter" {
    imf_run --list-filters
    [ "$status" -eq 0 ]
    for name in sharpen unsharp blur box disk motion sobel prewitt scharr laplacian log dog emboss \
        highpass lowpass bandpass bandstop notch descreen kernel gray invert levels gamma curve threshold flatten equalize clahe fill despeckle phase \
        canny bilateral guided denoise deblur rl; do
        grep -A1 "^$name\b" <<<"$output" | tr -d '\n' | grep -q "^$name.*  [A-Z]"
    done
    [ -z "$(awk 'length > 80' <<<"$output")" ]
}

@test "--list-filters has the user's own, and says why one cannot be used" {
    mkdir own config config/imfilter
    printf 'summary My relief\n-1 0\n0 1\n' >own/mine.flt
    printf '1 2\n3\n' >own/worse.flt
    printf 'summary Hidden\n1\n' >config/imfilter/mine.flt
    printf '1\n' >config/imfilter/sobel.flt
    printf '1 1\n' >config/imfilter/plain.flt
    IMFILTER_PATH=:$PWD/own:$PWD/none XDG_CONFIG_HOME=$PWD/config imf_run --list-filters
    [ "$status" -eq 0 ]
    own=$(sed '1,/^Your own/d' <<<"$output" | tr -s ' \n' ' ')
    [[ $own == "mine My relief worse "*"row 2 has 1 coefficient, row 1 has 2"*" plain "*"plain.flt"* ]]
    [[ $own != *sobel* && $own != *Hidden* ]]
    IMFILTER_PATH=$PWD/own XDG_CONFIG_HOME=$PWD imf_run --list-filters --json
    [ "$(grep -c '"own":true' <<<"$output")" -eq 2 ]
}

@test "kernels as other programs write them are refused with the right spelling" {
    make_pgm a.pgm
    spelled='kernel:0,-1,0/-1,5,-1/0,-1,0'
    for theirs in '3x3:0,-1,0,-1,5,-1,0,-1,0' '3x3+1+1: 0,-1,0  -1,5,-1  0,-1,0' \
        '[0 -1 0;-1 5 -1;0 -1 0]' '[0,-1,0; -1,5,-1; 0,-1,0]' '0,-1,0;-1,5,-1;0,-1,0' \
        '0 -1 0; -1 5 -1; 0 -1 0:flip' '[[0,-1,0],[-1,5,-1],[0,-1,0]]' \
        '[[ 0, -1, 0], [-1, 5, -1], [0, -1, 0]]:bias=0.1'; do
        echo "$theirs"
        imf_run -f "kernel:$theirs" a.pgm -o out.pgm
        [ "$status" -eq 2 ]
        one_line "way: here it is $spelled"
        [ ! -e out.pgm ]
    done
    imf -f "$spelled" a.pgm -o out.pgm
    rm out.pgm
    # Origins elsewhere than ours; then what cannot be said.
    while IFS='|' read -r theirs said; do
        echo "$theirs"
        imf_run -f "kernel:$theirs" a.pgm -o out.pgm
        [ "$status" -eq 2 ]
        one_line " is $said"
        [ ! -e out.pgm ]
    done <<'EOF'
4x1:1,2,3,4|ImageMagick's way: here it is kernel:0,1,2,3,4 (zeros put the origin in its place) (and :flip for
2x2:1,2,3,4|ImageMagick's way: here it is kernel:0,0,0/0,1,2/0,3,4 (zeros
4x1+2+0:1,2,3,4|ImageMagick's way: here it is kernel:1,2,3,4 (and :flip for
3x1+0+0:1,2,3|ImageMagick's way: here it is kernel:0,0,1,2,3 (zeros
1x3+0+2:1,2,3:flip|ImageMagick's way: here it is kernel:1/2/3/0 (zeros
[1 2;3 4]|MATLAB's way: here it is kernel:0,0,0/0,1,2/0,3,4 (zeros
[1 2 1;2 4 2;1 2 1]/16|MATLAB's way: here it is kernel:1,2,1/2,4,2/1,2,1:scale=16 (
[[1,2],[3,4]]|NumPy's way: here it is kernel:1,2/3,4 (kernel:
[[1,2,1]]/4|NumPy's way: here it is kernel:1,2,1:scale=4 (
1,2;3,4|MATLAB's way: here it is kernel:0,0,0/0,1,2/0,3,4 (zeros
3x1+3+0:1,2,3|ImageMagick's way, with its origin outside of 3x1 (
3x1-1+0:1,2,3|ImageMagick's way, with its origin outside of 3x1 (
3x1:1,2|ImageMagick's way, with 2 coefficients where 3x1 needs 3 (
3x1:1,2,three|ImageMagick's way: here rows are 1,2,1/2,4,2 (in a file lines), of plain numbers (
3x1>:1,2,3|ImageMagick's way of several kernels: here each is a filter (
3x1:1,2,3;3x1:1,2,3|ImageMagick's way of several kernels: here each is a filter (
[1 2;3]|MATLAB's way: here rows are 1,2,1/2,4,2 (in a file lines), of plain numbers (
[[1,2],[3]]|NumPy's way: here rows are 1,2,1/2,4,2 (in a file lines), of plain numbers (
[[1,2],[3,4]]*2|NumPy's way: here rows are
1,2;3|MATLAB's way: here rows are
[1 2 1]'|MATLAB's way: here rows are 1,2,1/2,4,2 (in a file lines), of plain numbers (
EOF
    printf '3 3 9 0\n1 1 1\n1 1 1\n1 1 1\n' >vips.mat
    imf_run -f kernel:@vips.mat a.pgm -o out2.pgm
    [ "$status" -eq 2 ]
    one_line 'of a vips matrix leave out the line of width, height, scale and offset'
    # Here the first line could be a row; with a line "kernel" it is one.
    printf '2 2\n1 1\n1 1\n' >small.mat
    imf_run -f kernel:@small.mat a.pgm -o out2.pgm
    [ "$status" -eq 2 ]
    one_line "row 1 may be a vips matrix's line of width and height"
    { echo kernel && cat small.mat; } >row.flt
    imf -q -f ./row.flt a.pgm -o out2.pgm
}

@test "unsharp takes its numbers by place as well" {
    make_ppm a.ppm
    imf -f unsharp:1.5:0.8 a.ppm -o a.out.ppm
    imf -f unsharp:sigma=1.5:amount=0.8 a.ppm -o b.out.ppm
    cmp a.out.ppm b.out.ppm
    imf -f unsharp:2:1:0.01 a.ppm -o a.out.ppm
    imf -f unsharp:threshold=0.01:2 a.ppm -o b.out.ppm
    cmp a.out.ppm b.out.ppm
}

@test "an encoder's option that nothing was written with has had no effect" {
    make_ppm a.ppm
    imf_run -f invert --quality=80 --optimize a.ppm -o a.png
    [ "$status" -eq 0 ]
    [[ "${stderr_lines[0]}" =~ ^"imfilter: warning: --quality had no effect: no JPEG"(, WebP| or WebP)?(" or AVIF")?" was written"$ ]]
    [ "${stderr_lines[1]}" = "imfilter: warning: --optimize had no effect: no JPEG was written" ]
    imf_run -f invert --compression=3 a.png -o a.jpg
    one_line "warning: --compression had no effect: no PNG or TIFF was written"
    imf_run -f invert --quality=80 --compression=3 a.jpg a.png -o out/
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
}

@test "--list-filters speaks the field's terms" {
    imf --list-filters >list
    grep -q 'removes specks, preserves edges$' list
    grep -q '  Edge-preserving smoothing' list
    grep -q '  Histogram equalization: ' list
    grep -q 'otsu picks the threshold$' list
}

@test "--list-devices succeeds with and without a device" {
    imf_run --list-devices
    [ "$status" -eq 0 ]
    [ -n "$output" ]
    OCL_ICD_VENDORS="$PWD/none" run -0 "$IMFILTER" --list-devices
    OCL_ICD_VENDORS="$PWD/none" run -0 "$IMFILTER" --list-devices --json
}

@test "unknown options, also those that other versions may have" {
    for option in --bogus -Z --watch=1; do
        imf_run "$option"
        [ "$status" -eq 2 ]
        one_line "unknown option"
    done
}

@test "an abbreviation is accepted when it is unambiguous" {
    imf_run --vers
    [ "$status" -eq 0 ]
    imf_run --s
    [ "$status" -eq 2 ]
    one_line "ambiguous"
}

@test "an option that writes files is written out, and takes no next word but its own argument" {
    make_ppm a.ppm
    cp a.ppm b.ppm
    while IFS='|' read -r words said; do
        echo "$words"
        # shellcheck disable=SC2086
        imf_run -f invert $words
        [ "$status" -eq 2 ]
        one_line "$said"
        [ "$(ls)" = "$(printf 'a.ppm\nb.ppm')" ]
        cmp a.ppm b.ppm
    done <<'LIST'
--spectrum a.ppm b.ppm|option "--spectrum" needs its value after "=" (--spectrum=FILE.png)
--spectrum|option "--spectrum" needs its value after "=" (--spectrum=FILE.png)
--show-kernel c.ppm a.ppm|no output given
-i .bak a.ppm|".bak" is no input that exists (the suffix of backups follows without a space: -i.bak)
--in-place .bak a.ppm|(the suffix of backups follows without a space: --in-place=.bak)
--in a.ppm|option "--in" is abbreviated; options that write files are spelled out (--in-place)
--in=.bak a.ppm|spelled out (--in-place)
--outp=c.ppm a.ppm|spelled out (--output)
--outp c.ppm a.ppm|spelled out (--output)
--suff=-x a.ppm|spelled out (--suffix)
--show=c.ppm a.ppm|spelled out (--show-kernel)
--sp=c.ppm a.ppm|spelled out (--spectrum)
--in-place=.bak --clob a.ppm|spelled out (--clobber-backup)
LIST
    imf -f invert --output b.ppm a.ppm
    imf --in-place --filter=invert b.ppm
    [ "$(samples b.ppm)" = "$(samples a.ppm)" ]
}

@test "a mistyped option is told the nearest" {
    while read -r typed meant; do
        imf_run "$typed" blur:2
        echo "$typed"
        [ "$status" -eq 2 ]
        one_line "(did you mean \"--$meant\"?)"
    done <<'LIST'
--fliter filter
--fliter=blur:2 filter
--filtr filter
--outptu output
--bakcend backend
--edges=wrap edge
--qualtiy=3 quality
LIST
    for typed in --watch --nothing --x; do
        imf_run "$typed"
        [ "$status" -eq 2 ]
        one_line "(--help lists the options)"
    done
}

@test "an option without its value, and a value for an option without one" {
    imf_run -f
    [ "$status" -eq 2 ]
    one_line "--filter"
    imf_run --depth
    [ "$status" -eq 2 ]
    one_line "--depth"
    imf_run --json=yes
    [ "$status" -eq 2 ]
    one_line "takes no value"
}

@test "no filter: says where the filters are" {
    make_ppm a.ppm
    imf_run a.ppm -o b.ppm
    [ "$status" -eq 2 ]
    one_line "no filter given (use -f SPEC; --list-filters lists them)"
    imf_run blur:2 "$TESTDATA/gradient.png" -o out.png
    [ "$status" -eq 2 ]
    one_line "no filter given (write -f blur:2)"
    [ ! -e b.ppm ]
}

@test "values out of range name the valid ones" {
    make_ppm a.ppm
    while read -r option valid; do
        imf_run -f sharpen a.ppm -o b.ppm "$option"
        echo "$option"
        [ "$status" -eq 2 ]
        one_line "$valid"
        [ ! -e b.ppm ]
    done <<'LIST'
--quality=0 1..100
--quality=101 1..100
--quality=best 1..100
--quality=1e1 1..100
--compression=10 0..9
--compression=-1 0..9
--subsampling=411 420
--depth=12 16
--edge=mirrored mirror
--edge=constant:2 0..1
--edge=constant:nan 0..1
--edge=constant:0x1 0..1
--edge=constant: 0..1
--edge=constant:0,5 0..1
--range=full normalize
--alpha=drop premultiply
--backend=opencl fft
--strip=gps exif
--strip= exif
--format=gif jpeg
--bench=0 1..
--bench=-3 1..
--max-pixels=12X number
--max-pixels=-1 number
--max-pixels=99999999999999999999 number
--max-memory=1T bytes
--max-memory=20000000000G bytes
--max-scans=x 0..
--device= index
--in-place=a/b suffix
--suffix=a/b text
LIST
}

@test "values at the ends of their ranges are accepted" {
    make_ppm a.ppm
    imf -f sharpen a.ppm -o b.png --compression=0
    imf -f sharpen a.ppm -o b.png --compression=9
    imf -f sharpen a.ppm -o b.jpg --quality=1 --subsampling=444
    imf -f sharpen a.ppm -o b.jpg --quality=100 --subsampling=keep --strip --strip=exif,icc
    imf -f sharpen a.ppm -o b.png --edge=constant:0.5 --max-pixels=1G --max-memory=1g --max-scans=0
    imf -f sharpen a.ppm -o b.png --edge=constant --depth=keep --quality=keep --alpha=keep
}

@test "two outputs, and --in-place with an output, are refused" {
    make_ppm a.ppm
    imf_run -f sharpen a.ppm -o b.ppm -o c.ppm
    [ "$status" -eq 2 ]
    one_line "-o is given twice"
    imf_run -f sharpen a.ppm -i -o c.ppm
    [ "$status" -eq 2 ]
    one_line "--in-place"
    [ "$(ls)" = a.ppm ]
}

@test "no output: refused, and says what would do" {
    make_ppm a.ppm
    imf_run -f sharpen a.ppm
    [ "$status" -eq 2 ]
    one_line "no output given"
    imf_run -f sharpen a.ppm -o ''
    [ "$status" -eq 2 ]
    one_line "empty"
}

@test "options may follow inputs, POSIXLY_CORRECT or not" {
    make_ppm a.ppm
    imf a.ppm -f kernel:1 -o b.ppm
    POSIXLY_CORRECT=1 imf -f kernel:1 a.ppm -o c.ppm
    cmp b.ppm c.ppm
}
