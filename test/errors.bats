# What goes wrong: the message, the status, and what is left.
load helper

@test "spec errors: status 2, one line with the spec and a column, nothing written" {
    make_pgm a.pgm
    for spec in blur blur:x blur:0 blur:-1 blur:nan blur:inf blur:1e999 blur:1:2 nosuchfilter '' : \
        sharpen:1,5 sobel:dir=up kernel:1,2/3 kernel: kernel:1,foo,3 kernel:@missing.txt \
        threshold:x highpass:0.8 lowpass:0.1:type=square bandstop:0.3:0.2; do
        imf_run -f "$spec" a.pgm -o out.pgm
        echo "$spec"
        [ "$status" -eq 2 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ ${stderr_lines[0]} == "imfilter: "* ]]
        [ ! -e out.pgm ]
    done
    imf_run -f blur:x a.pgm -o out.pgm
    one_line "column 6"
}

@test "a band without width is refused" {
    make_pgm a.pgm
    for spec in bandpass:0.2:0.2 bandstop:0.2:0.2; do
        imf_run -f "$spec" a.pgm -o out.pgm
        [ "$status" -eq 2 ]
        one_line "LOW must be below HIGH"
        [ ! -e out.pgm ]
    done
    imf -f bandpass:0.2:0.2000001 --edge=wrap a.pgm -o out.pgm
}

@test "the second spec of a chain is checked before anything is written" {
    make_pgm a.pgm
    imf_run -f invert -f blur:x a.pgm -o out/
    [ "$status" -eq 2 ]
    [ "$(ls)" = a.pgm ]
}

@test "a missing input" {
    imf_run -f invert missing.png -o out.png
    [ "$status" -eq 1 ]
    one_line "missing.png: cannot open: No such file or directory"
    [ ! -e out.png ]
}

@test "a file that is no image, an empty one, a directory" {
    echo 'this is no image' >text.png
    : >empty.png
    mkdir dir
    for name in text.png empty.png dir; do
        imf_run -f invert $name -o out.png
        [ "$status" -eq 1 ]
        one_line "$name: "
        [ ! -e out.png ]
    done
}

@test "truncated images fail, and --lenient accepts what is readable" {
    awk 'BEGIN { print "P2 64 64 255"; for (i = 0; i < 4096; i++) print i * i * 7 % 251 }' >a.pgm
    imf -f invert a.pgm -o full.png
    imf -f invert a.pgm -o full.jpg
    imf -f invert a.pgm -o full.pgm
    for f in png jpg pgm; do
        size=$(stat -c %s full.$f)
        head -c $((size * 3 / 4)) full.$f >cut.$f
        imf_run -f invert cut.$f -o out.$f
        echo $f
        [ "$status" -eq 1 ]
        one_line "cut.$f: "
        [ ! -e out.$f ]
        imf_run -f invert --lenient cut.$f -o out.$f
        [ "$status" -eq 0 ]
        one_line "cut.$f: warning: "
        [ -e out.$f ]
        rm out.$f
    done
    no_temporaries
}

@test "an unreadable input" {
    need_unprivileged
    make_pgm a.pgm
    chmod 0 a.pgm
    chmod 777 .
    for out in '-o out.pgm' -i -i.bak; do
        # shellcheck disable=SC2086 # one word or two
        imf_run_unprivileged -f invert a.pgm $out
        [ "$status" -eq 1 ]
        one_line "a.pgm: cannot open: Permission denied"
        [ "$(ls)" = a.pgm ]
    done
}

@test "an output in a directory that is missing, or whose name is a directory's" {
    make_pgm a.pgm
    imf_run -f invert a.pgm -o no/such/out.pgm
    [ "$status" -eq 1 ]
    one_line "no/such/out.pgm: cannot write: No such file or directory"
    mkdir -p out/a.pgm
    imf_run -f invert a.pgm -o out
    [ "$status" -eq 1 ]
    one_line "out/a.pgm: cannot write: Is a directory"
}

@test "a directory that cannot be written" {
    need_unprivileged
    make_pgm a.pgm
    mkdir locked
    chmod 555 locked
    imf_run_unprivileged -f invert a.pgm -o locked/out.pgm
    [ "$status" -eq 1 ]
    one_line "locked/out.pgm: cannot write: Permission denied"
}

@test "a device that is not there: status 3, nothing written" {
    need_opencl
    make_pgm a.pgm
    for device in 999 'no such device'; do
        imf_run -f blur:2 --device="$device" a.pgm -o out.pgm
        [ "$status" -eq 3 ]
        one_line "--list-devices"
        [ ! -e out.pgm ]
    done
    if ! imf --list-devices --json | grep -q '"kind":"gpu"'; then
        imf_run -f blur:2 --device=gpu a.pgm -o out/
        [ "$status" -eq 3 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [ ! -e out ]
    fi
}

@test "without any OpenCL driver filters still run on the host" {
    make_pgm a.pgm
    OCL_ICD_VENDORS="$PWD/none" imf_run -f blur:1 a.pgm -o out.pgm
    [ "$status" -eq 0 ]
    OCL_ICD_VENDORS="$PWD/none" imf_run -f blur:1 --device=cpu a.pgm -o two.pgm
    [ "$status" -eq 3 ]
}

@test "a format that cannot hold the image says which can" {
    printf 'P2\n2 1\n65535\n1 65535\n' >a.pgm
    imf_run -f kernel:1 a.pgm -o out.jpg
    [ "$status" -eq 1 ]
    one_line "imfilter: a.pgm: cannot be written as out.jpg: JPEG cannot hold 16-bit samples (use --depth=8, or choose --format=png, --format=pnm or --format=tiff)"
    [ ! -e out.jpg ]
    # Of those that hold CMYK one does not hold 16 bits.
    printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE CMYK\nENDHDR\naabbccdd' >b.pam
    imf_run -f kernel:1 b.pam -o out.png
    [ "$status" -eq 1 ]
    one_line "imfilter: b.pam: cannot be written as out.png: PNG cannot hold CMYK (choose --format=pnm or --format=tiff, or --depth=8 and --format=jpeg; or convert it to RGB first)"
    imf_run -f kernel:1 --depth=8 b.pam -o out.png
    one_line "b.pam: cannot be written as out.png: PNG cannot hold CMYK (choose --format=jpeg, --format=pnm or --format=tiff; or convert it to RGB first)"
    imf -f kernel:1 --depth=8 a.pgm -o out.jpg
    no_temporaries
}

@test "what is meant is guessed, and said with the spelling that does" {
    need_opencl
    make_pgm a.pgm
    make_pgm b.pgm
    while IFS='|' read -r spec options said; do
        spec=${spec//;;/|}
        echo "$spec"
        # shellcheck disable=SC2086
        imf_run -f "$spec" a.pgm $options
        [ "$status" -eq 2 ]
        one_line "$said"
        [ "$(ls)" = "$(printf 'a.pgm\nb.pgm')" ]
    done <<'LIST'
blur:2,sobel|-o c.pgm|one -f takes one filter; repeat -f for a chain (-f blur:2 -f sobel)
blur:2 ;; sobel|-o c.pgm|repeat -f for a chain (-f blur:2 -f sobel)
sobel blur:2|-o c.pgm|repeat -f for a chain (-f sobel -f blur:2)
median:1 + blur:2 + sobel|-o c.pgm|repeat -f for a chain (-f median:1 -f blur:2 ...)
kernel:@none.txt ;; sobel|-o c.pgm|repeat -f for a chain (-f kernel:@none.txt -f sobel)
blur:2 -f sobel|-o c.pgm|repeat -f for a chain (-f blur:2 -f sobel)
0,-1,0/-1,5,-1/0,-1,0|-o c.pgm|is a kernel: write kernel:0,-1,0/-1,5,-1/0,-1,0
0,-1,0;-1,5,-1;0,-1,0|-o c.pgm|is MATLAB's way: here it is kernel:0,-1,0/-1,5,-1/0,-1,0
[[1,2],[3,4]]|-o c.pgm|is NumPy's way: here it is kernel:1,2/3,4
blur:2, 3|-o c.pgm|"2, 3" at column 6 is not a number
sauvola|-o c.pgm|(did you mean "threshold:sauvola"?)
nlmeans|-o c.pgm|(did you mean "denoise"?)
bwareaopen|-o c.pgm|(did you mean "despeckle"?)
despeckle|-o c.pgm|AREA
despeckle:0|-o c.pgm|AREA in pixels, 1 to 1000000000
despeckle:2.5|-o c.pgm|AREA
despeckle:9:black|-o c.pgm|TONE dark or light
contrast|-o c.pgm|(levels:auto stretches the picture's samples to full scale, levels:BLACK:WHITE what is between them; clahe is local contrast)
normalize|-o c.pgm|(did you mean "levels:auto"?)
levels:0.5|-o c.pgm|WHITE is missing
levels:0.5:50%|-o c.pgm|BLACK and WHITE must differ by 0.000001 or more
levels:0:1:2|-o c.pgm|one argument too many
levels:0:1:gamma=0|-o c.pgm|gamma from 0.01 to 100
levels:0:2000|-o c.pgm|is out of range
curves|-o c.pgm|unknown filter "curves" (did you mean "curve"?)
curve:0,0/0.5,1/0.5,0|-o c.pgm|does not go from left to right: each X must be above the one before
curve:0.5,0.5|-o c.pgm|is one point: a curve has two or more
gamma|-o c.pgm|G is missing
gamma:0|-o c.pgm|G from 0.01 to 100
brightness|-o c.pgm|(gamma:G brightens, kernel:1:bias=B adds B, a fraction of full scale)
saturation|-o c.pgm|(none of those built in does that; --list-filters lists them)
deconvolve|-o c.pgm|(did you mean "deblur"?)
bleed|-o c.pgm|(did you mean "fill"?)
rotate|-o c.pgm|unknown filter "rotate" (--orient=apply turns a picture as its EXIF says; vips rot IN OUT d90 and
crop:10:10|-o c.pgm|unknown filter "crop" (--region=WxH+X+Y filters a part and keeps the rest; vips crop
resize:50%|-o c.pgm|unknown filter "resize" (a picture keeps its size here: vips resize IN OUT SCALE changes it)
inpaint|-o c.pgm|(none of those built in does that; --list-filters lists them)
median:2|--backend=fft -o c.pgm|--backend=fft cannot do this: a median is not linear
erode:2|--backend=fft -o c.pgm|an erosion is not linear
percentile:40:2|--backend=fft -o c.pgm|a percentile is not linear
bilateral:2:0.1|--backend=fft -o c.pgm|a bilateral filter is not linear
invert|c.pgm|no output given (if "c.pgm" is the output, write -o c.pgm; else -o DIR/)
invert|b.pgm|no output given (if "b.pgm" is the output, write -o b.pgm; else -o DIR/)
threshold:5%%|-o c.pgm|"5%%" at column 11 is not a number
threshold:101%|-o c.pgm|is out of range
threshold:%|-o c.pgm|is not a number
blur:5%|-o c.pgm|is not a number
LIST
}

@test "a kernel that turns mid-grey white warns, others do not" {
    make_pgm a.pgm
    sum16=kernel:1,2,1/2,4,2/1,2,1
    said="the kernel's coefficients add up to 16, which turns mid-grey white (:scale=auto divides by their sum, :scale=1 says that it is meant)"
    imf_run -f $sum16 a.pgm -o b.pgm
    [ "$status" -eq 0 ]
    one_line "warning: $said"
    printf '1 1\n0 1\n1 1\n' >file.txt
    imf_run -f kernel:@file.txt a.pgm -o b.pgm
    [[ $stderr == *"add up to 5,"* ]]
    imf_run -f $sum16 -f box:3 a.pgm -o b.pgm
    one_line "$said"
    while read -r words; do
        echo "$words"
        # shellcheck disable=SC2086
        imf_run $words a.pgm -o b.pgm
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
    done <<LIST
-f $sum16:scale=16
-f $sum16:scale=auto
-f $sum16:scale=1
-f $sum16:bias=-0.5
-q -f $sum16
-f $sum16 --range=normalize
-f $sum16 -f $sum16:scale=256
-f $sum16 -f highpass:0.1
-f kernel:3
-f kernel:0.2,0.6,0.2
-f kernel:0,-1,0/-1,5,-1/0,-1,0
-f kernel:-1,-1,-1/-1,8,-1/-1,-1,-1
-f kernel:-1,0,1
-f sobel
-f sharpen:5
LIST
}

@test "an even size is half a pixel off, and says so" {
    make_pgm a.pgm
    imf_run -f box:4 a.pgm -o b.pgm
    [ "$status" -eq 0 ]
    one_line "warning: box is 4x4: its origin is column 3, row 3, half a pixel off its centre"
    imf_run -q -f box:4 a.pgm -o b.pgm
    [ -z "$stderr" ]
    imf_run -f box:5 a.pgm -o b.pgm
    [ -z "$stderr" ]
}

@test "a percentage is read where a fraction is" {
    make_ppm a.ppm
    while read -r percent fraction; do
        echo "$percent"
        # shellcheck disable=SC2086
        imf -f ${percent//+/ } a.ppm -o a.pam
        # shellcheck disable=SC2086
        imf -f ${fraction//+/ } a.ppm -o b.pam
        cmp a.pam b.pam
    done <<'LIST'
threshold:50% threshold:0.5
canny:5%:12.5% canny:0.05:0.125
bilateral:2:10% bilateral:2:0.1
guided:2:1% guided:2:0.01
unsharp:threshold=10%:2 unsharp:threshold=0.1:2
kernel:1:bias=-12% kernel:1:bias=-0.12
box:3+--edge=constant:40% box:3+--edge=constant:0.4
LIST
    imf_run -n --explain -f threshold:50% a.ppm
    [[ ${lines[0]} == *"threshold:50% on "* ]]
}

@test "an output's name and --format that disagree" {
    make_ppm a.ppm
    imf_run -f invert a.ppm -o x.png --format=jpeg
    [ "$status" -eq 0 ]
    one_line 'x.png: warning: written as --format says, although its name ends in .png'
    [ "$(file_kind x.png)" = jpeg ]
    imf_run -f invert a.ppm -o x.ppm --format=pam
    one_line 'x.ppm: warning: '
    imf_run -q -f invert a.ppm -o x.png --format=jpeg
    [ -z "$stderr" ]
    for quiet in 'x.jpeg --format=jpg' 'x.ppm --format=pnm' 'x.pnm --format=ppm' 'x --format=png' \
        'x.PNG --format=png' 'x.1 --format=png' 'dir/ --format=png'; do
        echo "$quiet"
        # shellcheck disable=SC2086
        imf_run -f invert a.ppm -o $quiet
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
    done
}

@test "--format=pam names x.pam, and so on" {
    make_ppm x.ppm
    make_png y.png
    for format in pam pnm ppm jpeg; do
        imf -q -f invert --format=$format x.ppm y.png -o $format/
    done
    [ "$(cd pam && echo *)" = "x.pam y.pam" ]
    [ "$(cd pnm && echo *)" = "x.ppm y.pnm" ]
    [ "$(cd ppm && echo *)" = "x.ppm y.ppm" ]
    [ "$(cd jpeg && echo *)" = "x.jpg y.jpg" ]
    [ "$(head -c 2 pam/x.pam)" = P7 ]
}

@test "--help FILTER prints that one" {
    imf_run --help unsharp
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "unsharp[:sigma=1][:amount=1][:threshold=0]" ]
    [[ $output == *"    Unsharp mask"* ]]
    [[ $output == *"sigma in pixels > 0 and <= 511.75 (1 if not given)"* ]]
    imf_run --help gaussian:2
    [ "${lines[0]}" = blur:SIGMA ]
    imf_run --help lowpass
    [[ $output == *"type gaussian, butterworth or ideal (gaussian if not given)"* ]]
    # What is out of a value's bounds stands for a word, or is told in words.
    for name in denoise deblur rl; do
        imf_run --help $name
        [[ $output == *" or auto (auto if not given)"* ]]
        [[ $output != *"(-1 "* && $output != *"(0 if"* ]]
    done
    [[ $output == *"iterations at most, 1 to 1000 (30 if not given)"* ]]
    imf_run --help deblur
    [[ $output == *"iterations from 1 to 1000 (4 of wiener and 10 of tv if not given)"* ]]
    imf_run --help kernel
    [[ $output == *"kernel:A,B,C"*"kernel:@FILE"* ]]
    imf_run -h sobel
    [[ $output == "sobel[:dir=mag|x|y]"* ]]
    imf --help -f sobel | grep -q '^usage:'
    printf 'summary My relief\n-1 0\n0 1\n' >mine.flt
    IMFILTER_PATH=$PWD imf_run --help mine
    [[ $output == mine*"My relief"* ]]
    IMFILTER_PATH=$PWD imf_run --help ./mine.flt
    [[ $output == ./mine.flt* ]]
    imf_run --help histeq
    [ "$status" -eq 2 ]
    one_line '(did you mean "equalize"?)'
    # Every filter has its page, of lines that fit.
    for name in $(imf --list-filters | sed -n 's/^\([a-z]*\).*/\1/p' | sort -u); do
        imf --help "$name" >page
        grep -q "^$name" page
        [ -z "$(awk 'length > 100' page)" ]
    done
}

@test "--explain names a long kernel by its beginning" {
    make_pgm a.pgm
    ones=$(printf '1,%.0s' {1..51})
    rows=$(printf "${ones%,}/%.0s" {1..51})
    imf -n -f "kernel:${rows%/}:scale=auto" -f invert --explain a.pgm >plan
    [ "$(head -n 1 plan | wc -c)" -lt 140 ]
    grep -q '^a.pgm: .* kernel:1,1,.*\.\.\.:scale=auto | invert on ' plan
    imf -n -f invert -f "kernel:${rows%/}:scale=auto" -f "kernel:${rows%/}:scale=auto" --explain a.pgm >plan
    grep -q '^a.pgm: .* invert | kernel:1,1,.*\.\.\.:scale=auto | kernel:1,1,.*\.\.\.:scale=auto on ' plan
    imf -n -f "kernel:${rows%/}:scale=auto" --explain --json a.pgm | grep -qF "\"filter\":\"kernel:${rows%/}:scale=auto\""
}
