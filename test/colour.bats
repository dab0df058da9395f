# Colours and alpha: what filters, point operations, --range and --edge=constant make of them.
load helper

make_rgba() { # FILE WIDTH HEIGHT SAMPLES...: in decimal, repeated until the image is full
    local file=$1 count=$(($2 * $3 * 4)) i
    printf 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' "$2" "$3" >"$file"
    shift 3
    for ((i = 0; i < count; i += $#)); do
        # shellcheck disable=SC2059 # the format is the bytes
        printf "$(printf '\\%03o' "$@")" >>"$file"
    done
}

# The last COUNT 8-bit samples that imfilter gives for the arguments.
result() { # COUNT ARGUMENT...
    local count=$1
    shift
    imf -q "$@" --format=pnm -o - | tail -c "$count" | od -An -v -tu1 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# WANT is what cpu gives for the arguments, and a device with THOROUGH; --verify agrees.
gives() { # WANT ARGUMENT...
    gives_on "cpu $direct" "$@"
}

everywhere() { # WANT ARGUMENT...
    gives_on "cpu direct" "$@"
}

gives_on() { # BACKENDS WANT ARGUMENT...
    local backends=$1 want=$2 got backend
    shift 2
    for backend in $backends; do
        got=$(result "$(echo "$want" | wc -w)" --backend=$backend --verify "$@")
        echo "$backend $*: $got, expected $want"
        [ "$got" = "$want" ]
    done
}

@test "point operations after a filter act on straight colours" {
    need_opencl
    make_rgba a.pam 6 6 100 100 100 128
    gives "155 155 155 128" -f blur:1 -f invert a.pam
    gives "155 155 155 128" -f sharpen -f invert a.pam
    gives "255 255 255 128" -f blur:1 -f threshold:0.35 a.pam
    gives "0 0 0 128" -f box:3 -f threshold:0.45 a.pam
    everywhere "155 155 155 128" -f blur:1 -f invert -f box:3 a.pam
    make_rgba b.pam 6 6 200 100 0 128
    gives "114 128" -f box:3 -f gray b.pam
}

@test "--range is for the last point operation where nothing else filters, but not for what blends" {
    printf 'P2 4 1 255 50 100 150 200\n' >a.pgm
    printf 'P3 2 1 255 200 10 10 20 40 60\n' >c.ppm
    made() { imf -q "$@" -o out.pnm && samples out.pnm; }
    for backend in auto cpu; do
        [ "$(made --backend=$backend -f invert --range=normalize a.pgm)" = "255 170 85 0" ]
        [ "$(made --backend=$backend -f invert --range=offset a.pgm)" = "255 255 233 183" ]
        [ "$(made --backend=$backend -f gray --range=normalize c.ppm)" = "255 0" ]
        [ "$(made --backend=$backend -f threshold:0.5 --range=offset a.pgm)" = "128 128 255 255" ]
        [ "$(made --backend=$backend -f equalize --range=offset a.pgm)" = "128 213 255 255" ]
        [ "$(made --backend=$backend -f threshold:otsu -f invert --range=clip a.pgm)" = "255 255 0 0" ]
        # Before a blend, as a filter's; of blends alone behind them.
        [ "$(made --backend=$backend -f invert --strength=0.5 --range=normalize a.pgm)" = "152 135 118 100" ]
        [ "$(made --backend=$backend -f blend:difference --range=offset a.pgm)" = "128 128 128 128" ]
        [ "$(made --backend=$backend -f blend:multiply --range=normalize a.pgm)" = "0 51 136 255" ]
        # A chain that filters has it where it was.
        [ "$(made --backend=$backend -f kernel:-1 -f invert --range=abs a.pgm)" = "205 155 105 55" ]
        [ "$(made --backend=$backend -f invert --range=normalize --region=2x1+0+0 a.pgm)" = "255 170 150 200" ]
    done
    # A palette, bits and alpha.
    imf -q -f kernel:1 --format=png a.pgm -o a.png
    [ "$(made -f invert --range=normalize a.png)" = "255 170 85 0" ]
    imf -q -f threshold:0.5 --range=offset a.png -o b.png
    [ "$(samples b.png)" = "128 128 255 255" ]
    imf -q -f threshold:0.5 a.png -o bits.png
    imf -q -f invert --range=offset bits.png -o b.png
    [ "$(samples b.png)" = "255 255 128 128" ]
    printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\144\100\310\377' >a.pam
    imf -q -f invert --range=normalize a.pam -o b.pam
    [ "$(tail -c 4 b.pam | od -An -tu1 | xargs)" = "255 64 0 255" ]
    imf -q -f gray --range=normalize --verify "$TESTDATA/noise-rgb.png"
    imf -q -f invert --range=normalize --linear --verify "$TESTDATA/alpha.png"
    imf -q -f equalize --range=normalize --channels=luma --verify "$TESTDATA/noise-rgb.png"
}

@test "--range and a bias act on straight colours and leave alpha" {
    make_rgba a.pam 6 6 100 100 100 128
    gives "228 228 228 128" -f blur:1 --range=offset a.pam
    gives "164 164 164 128" --alpha=premultiply -f kernel:1:bias=0.25 a.pam
    gives "164 164 164 128" --alpha=filter -f kernel:1:bias=0.25 a.pam
    make_rgba b.pam 2 1 10 10 10 255 60 60 60 51
    # Quotients by alpha are stretched in float64, which no device does.
    gives_on cpu "0 0 0 255 255 255 255 51" --alpha=premultiply -f kernel:1 --range=normalize b.pam
}

@test "point operations do not keep --alpha=auto from premultiplying" {
    make_rgba a.pam 2 1 50 50 50 255 255 255 255 0
    gives "50 255 50 128" -f gray -f kernel:1,1:scale=2 a.pam
    gives "205 205 205 255 205 205 205 128" -f invert -f kernel:1,1:scale=2 a.pam
    gives "205 205 205 255 205 205 205 128" -f kernel:1,1:scale=2 -f invert a.pam
}

@test "--alpha=auto keeps alpha where a kernel has a bias or changes brightness" {
    make_rgba a.pam 2 1 50 50 50 255 100 100 100 1
    gives "75 75 75 1" -f kernel:1,1:scale=2:bias=0.0 --alpha=keep a.pam
    gives "76 76 76 1" -f kernel:1,1:scale=2:bias=0.004 a.pam
    gives "150 150 150 1" -f kernel:1,1 a.pam
    gives "50 50 50 128" -f kernel:1,1:scale=2 a.pam
    # a colour under alpha 0 is that of the pixel beside it
    make_rgba a.pam 2 1 50 50 50 255 100 100 100 0
    gives "75 75 75 0" -f kernel:1,1:scale=2:bias=0.0 --alpha=keep a.pam
    gives "51 51 51 0" -f kernel:1,1:scale=2:bias=0.004 a.pam
    gives "100 100 100 0" -f kernel:1,1 a.pam
    gives "50 50 50 128" -f kernel:1,1:scale=2 a.pam
    make_rgba b.pam 1 1 200 200 200 100
    gives "190 190 190 100" -f kernel:19:scale=20 b.pam
}

# --alpha=auto gives what --alpha=MODE does, and another one does not.
chooses() { # MODE ARGUMENT...
    local mode=$1 other
    [ "$mode" = keep ] && other=premultiply || other=keep
    shift
    imf -q --alpha=auto "$@" -o auto.pam
    imf -q --alpha="$mode" "$@" -o same.pam
    imf -q --alpha=$other "$@" -o other.pam
    echo "$mode: $*"
    cmp auto.pam same.pam
    ! cmp -s auto.pam other.pam || return 1
}

@test "--alpha=auto takes a gain within 1/1000 of 1 for 1" {
    make_rgba a.pam 16 9 50 50 50 255 200 100 0 100 7 90 30 9
    # A notch keeps frequency 0.
    for radius in 0.05 0.08 0.3; do
        chooses premultiply -f notch:0.2:0.2:$radius a.pam
    done
    # on either side of the tolerance, below 1 and above
    chooses premultiply -f kernel:0.333,0.333,0.3331 a.pam
    chooses keep -f kernel:0.333,0.333,0.3329 a.pam
    chooses premultiply -f kernel:1001,1001,1001:scale=3000.3 a.pam
    chooses keep -f kernel:1001,1001,1001.9:scale=3000.3 a.pam
    # every kernel of the chain by itself
    chooses premultiply -f kernel:0.9992 -f kernel:0.3333,0.3333,0.3333 -f kernel:0.9992 a.pam
    chooses keep -f blur:1 -f kernel:0.9 a.pam
    # opaque pixels stay opaque
    make_rgba b.pam 16 9 50 50 50 255 200 100 0 255
    [ "$(result 576 -f kernel:0.333,0.333,0.3331 b.pam | tr ' ' '\n' | awk 'NR % 4 == 0' | sort -u)" = 255 ]
}

@test "an unsharp mask with a threshold sharpens alpha with the colours" {
    need_opencl
    make_rgba a.pam 3 1 200 100 50 255 200 100 50 100 200 100 50 255
    # each first times alpha; alpha 100 becomes 11.9, and 20000 in red 223.5 times that
    gives_on cpu "223 166 138 12 199 97 46 255" -f unsharp:sigma=1:amount=1:threshold=0.02 a.pam
    imf -q -f unsharp:sigma=1:amount=1:threshold=0.02 --backend=direct --verify a.pam -o b.pam
}

@test "--edge=constant is an opaque grey pixel" {
    need_opencl
    make_rgba a.pam 1 1 100 100 100 128
    # (100 * 128 + 8 * 51 * 255) / (128 + 8 * 255), (128 + 8 * 255) / 9
    gives "54 54 54 241" -f box:3 --edge=constant:0.2 a.pam
    gives "56 56 56 128" -f box:3 --edge=constant:0.2 --alpha=keep a.pam
    # (155 * 128 + 8 * 51 * 255) / (128 + 8 * 255): every filter sees the same pixel beyond the edge
    everywhere "57 57 57 241" -f invert -f box:3 --edge=constant:0.2 a.pam
    gives "201 201 201 241" -f box:3 -f invert --edge=constant:0.2 a.pam
}

@test "--edge=constant in linear light is the pixel of its value" {
    make_rgba a.pam 3 3 5 5 5 255
    gives "5 5 5 255" --linear -f box:3 --edge=constant:0.02 a.pam
    make_rgba b.pam 3 3 128 128 128 255
    gives "128 128 128 255" --linear -f box:3 --edge=constant:0.5 b.pam
    gives "128 128 128 255" --linear -f lowpass:0.1 --backend=cpu --edge=constant:0.5 b.pam
}

@test "--edge=constant in linear light is not rounded between stages" {
    need_opencl
    local backend
    printf 'P5\n3 1\n255\n\377\377\377' >a.pgm
    printf 'P5\n3 1\n65535\n\377\377\377\377\377\377' >b.pgm
    make_rgba c.pam 3 1 255 255 255 255
    # 0.03 of 255 is 8, of 65535 is 1966: 0.6 and 152.2 in linear light
    for backend in vector direct cpu; do
        [ "$(result 3 --backend=$backend --linear -f threshold:otsu -f box:3 --edge=constant:0.03 a.pgm)" = "130 157 130" ]
    done
    for backend in vector $direct cpu; do
        echo "$backend"
        [ "$(result 3 --backend=$backend --linear -f threshold:otsu -f erode:1 --edge=constant:0.03 a.pgm)" = "8 8 8" ]
        [ "$(result 3 --backend=$backend --linear -f equalize -f open:1 --edge=constant:0.03 a.pgm)" = "8 8 8" ]
        [ "$(result 4 --backend=$backend --linear -f threshold:otsu -f median:1 --edge=constant:0.03 c.pam)" = "8 8 8 255" ]
        [ "$(result 6 --backend=$backend --linear -f equalize -f erode:1 --edge=constant:0.03 b.pgm)" = "7 174 7 174 7 174" ]
    done
}

@test "integer kernels are exact on premultiplied colours too" {
    need_opencl
    make_rgba a.pam 4 1 10 20 30 2 11 21 31 2 200 100 50 255 1 2 3 1
    # colours 10.5, 20.5, 30.5: ties to even
    [ "$(result 16 --backend=direct -f kernel:1,1:scale=2 a.pam | cut -d' ' -f5-8)" = "10 20 30 2" ]
    [ "$(result 16 --backend=cpu -f kernel:1,1:scale=2 a.pam | cut -d' ' -f5-8)" = "10 20 30 2" ]
}

# RGB noise of MAXVAL in FILE.ppm, and in FILE.pam the same with an alpha that is opaque.
make_opaque() { # FILE MAXVAL
    python3 - "$@" <<'PY'
import sys
name, full = sys.argv[1], int(sys.argv[2])
width, height, size, state = 61, 43, 1 if full < 256 else 2, 1

def noise():
    global state
    state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
    return ((state >> 33) % (full + 1)).to_bytes(size, "big")

pixels = [b"".join(noise() for c in range(3)) for i in range(width * height)]
with open(name + ".ppm", "wb") as out:
    out.write(b"P6\n%d %d\n%d\n" % (width, height, full) + b"".join(pixels))
with open(name + ".pam", "wb") as out:
    out.write(b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL %d\nTUPLTYPE RGB_ALPHA\nENDHDR\n" % (width, height, full))
    out.write(b"".join(pixel + full.to_bytes(size, "big") for pixel in pixels))
PY
}

# Whether the colours of RGBA are the samples of RGB, and alpha is full.
same_colours() { # PAM PPM MAXVAL
    python3 - "$@" <<'PY'
import sys
full, size = int(sys.argv[3]), 1 if int(sys.argv[3]) < 256 else 2
rgba = open(sys.argv[1], "rb").read().split(b"ENDHDR\n", 1)[1]
rgb = open(sys.argv[2], "rb").read().split(b"\n", 3)[3]
colours = b"".join(rgba[i:i + 3 * size] for i in range(0, len(rgba), 4 * size))
alphas = {rgba[i + 3 * size:i + 4 * size] for i in range(0, len(rgba), 4 * size)}
sys.exit(colours != rgb or alphas != {full.to_bytes(size, "big")})
PY
}

@test "an opaque alpha changes no byte of what integer kernels give" {
    need_opencl
    for full in 255 65535; do
        make_opaque a $full
        for chain in sharpen box:4 sobel disk:3 kernel:1,2,1:scale=4 "sharpen box:3" "laplacian box:5" "invert box:4"; do
            specs=()
            for spec in $chain; do specs+=(-f "$spec"); done
            imf -q "${specs[@]}" --backend=cpu a.ppm -o want.ppm
            # Compiled for a device: one of them, unless it may take long.
            [ "$chain" = box:4 ] && device=direct || device=$direct
            for backend in cpu vector $device $separable; do
                imf_run -q "${specs[@]}" --backend=$backend --verify a.pam -o out.pam
                echo "$chain of $full on $backend: $stderr"
                [ "$status" -eq 0 ] || [[ $status -eq 2 && $stderr == *"cannot do this"* && $backend != cpu ]]
                [ "$status" -ne 0 ] || same_colours out.pam want.ppm $full
                rm -f out.pam
            done
        done
    done
}

@test "sums of an opaque image that floats do not hold take float64" {
    need_opencl
    make_opaque a 65535
    imf -q -f box:17 a.ppm -o want.ppm
    imf -q -f box:17 --verify a.pam -o out.pam
    same_colours out.pam want.ppm 65535
    imf_run -f box:17 --backend=direct a.pam -o no.pam
    [ "$status" -eq 2 ]
    [[ $stderr == *"floats between passes are too coarse"* ]]
    # A negative scale is put off like a positive one: thirds would not keep 2.5, 8.5 and 12.5. Of colours that
    # hardly show no other backend promises a tie.
    make_rgba b.pam 3 1 2 8 12 1 3 9 13 1 0 0 0 0
    gives_on cpu "2 8 12 1 2 8 12 1 0 0 0 0" -f kernel:-1,-1,-1:scale=-3 b.pam
}

# Gray noise of LEVELS values from 100 on, the same every time.
make_noise() { # FILE WIDTH HEIGHT LEVELS
    awk -v w="$2" -v h="$3" -v n="$4" 'BEGIN {
        printf "P2\n%d %d\n255\n", w, h
        for (i = 0; i < w * h; i++) { s = (s * 1103 + 12345) % 65536; print 100 + int(s / 65536 * n) }
    }' >"$1"
}

@test "normalize: a flat response is flat, whatever rounding leaves" {
    awk 'BEGIN { print "P2 64 48 255"; for (i = 0; i < 64 * 48; i++) print 117 }' >a.pgm
    for spec in log:6 dog:1:2 bandpass:0.1:0.2 highpass:0.1 blur:3; do
        for backend in cpu auto $fft; do
            got=$(imf -q -f $spec --range=normalize --backend=$backend a.pgm --format=pnm -o - |
                tail -c 3072 | tr -d '\000' | wc -c)
            echo "$spec on $backend: $got samples are not 0"
            [ "$got" -eq 0 ]
        done
    done
}

@test "normalize: a response of little contrast is as exact as others" {
    make_noise a.pgm 200 150 4
    for case in "blur:9-auto" "disk:9-$direct" "dog:2:3-auto" "disk:9-$fft"; do
        spec=${case%-*}
        for backend in ${case#*-}; do
            imf_run -f $spec --range=normalize --backend=$backend --verify a.pgm -o out.pgm
            echo "$spec on $backend: $stderr"
            [ "$status" -eq 0 ]
        done
    done
    # Floats that were stretched a thousand times: of a blur that was rounded before, all samples would differ.
    imf -f blur:9 --range=normalize --backend=cpu a.pgm -o want.pgm
    imf -f blur:9 --range=normalize a.pgm -o got.pgm
    [ "$(cmp -l want.pgm got.pgm | wc -l)" -le 1000 ]
}

@test "normalize: an integer kernel's response is rounded exactly, ties too" {
    need_opencl
    awk 'BEGIN {
        print "P2 100 75 65535"
        for (i = 0; i < 7500; i++) { s = (s * 1103 + 12345) % 65536; print s }
    }' >a.pgm
    for case in "kernel:1,0,1/0,2,0/1,0,1:scale=3 $direct $fft" "kernel:1,2,-1:scale=-7:bias=2 direct $fft"; do
        read -r spec devices <<<"$case"
        imf -f "$spec" --range=normalize --backend=cpu a.pgm -o want.pgm
        for backend in $devices; do
            imf_run -f "$spec" --range=normalize --backend="$backend" --verify a.pgm -o got.pgm
            echo "$spec on $backend: $stderr"
            [ "$status" -eq 0 ]
            cmp want.pgm got.pgm
        done
    done
}

@test "--verify: where alpha rounds to 0 by a hair, colours may vanish or not" {
    python3 - <<'PY'
with open("a.pam", "wb") as out:
    out.write(b"P7\nWIDTH 40\nHEIGHT 30\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n")
    for i in range(40 * 30):
        out.write(bytes([i * 37 % 256, (i + i // 40) % 2]))
PY
    for options in --depth=8 --depth=16 --strength=0.5 "-f blend:multiply:0.5 -f blend:screen:0.5"; do
        imf -q -f blur:5 $options --backend=vector --verify a.pam -o out.pam
        rm out.pam
    done
}

@test "--verify: a response that is flat by a hair may be stretched or not" {
    printf 'P2\n4 1\n255\n100 101 100 101\n' >a.pgm
    for taps in 0.0312499999 0.0312500001; do
        imf -q -f kernel:$taps --range=normalize --backend=vector --verify a.pgm -o out.pgm
        rm out.pgm
    done
}

@test "normalize: colours that are divided by small alphas are stretched like the others" {
    python3 - <<'PY'
with open("a.pam", "wb") as out:
    out.write(b"P7\nWIDTH 61\nHEIGHT 40\nDEPTH 2\nMAXVAL 65535\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n")
    for i in range(61 * 40):
        alpha = 65535 if i % 61 < 40 else 1
        out.write((0 if i % 47 else 65535).to_bytes(2, "big") + alpha.to_bytes(2, "big"))
PY
    for backend in cpu auto; do
        echo "$backend"
        imf -q -f box:4 --range=normalize --backend=$backend --verify a.pam -o out.pam
        rm out.pam
    done
}

@test "normalize: dark colours of linear light are stretched like the others" {
    for backend in cpu auto; do
        imf_run -f blur:3 --linear --range=normalize --backend=$backend --verify "$TESTDATA/ramps.png"
        echo "$backend: $stderr"
        [ "$status" -eq 0 ]
    done
}

@test "a threshold looks at a gradient's magnitude, not at a rounded one" {
    need_opencl
    for case in "cpu $direct $fft|-f sobel -f threshold:0.2" "cpu direct $fft|-f sobel -f invert -f threshold:0.2" \
        "cpu $direct $fft|-f prewitt -f threshold:0.4 -f box:3"; do
        chain=${case#*|}
        for backend in ${case%%|*}; do
            # shellcheck disable=SC2086 # words
            imf_run $chain --backend=$backend --verify "$TESTDATA/noise-rgb.png"
            echo "$chain on $backend: $stderr"
            [ "$status" -eq 0 ]
        done
    done
}

@test "high gain after a blur takes float64" {
    need_opencl
    make_noise a.pgm 128 96 100
    for backend in direct auto; do
        for chain in "-f blur:2 -f laplacian -f kernel:300" "-f blur:1 -f sharpen:300" \
            "-f kernel:1:bias=1000000 -f kernel:1:bias=-1000000" \
            "-f box:3 -f kernel:1:bias=100000 -f kernel:3:bias=-300000"; do
            # shellcheck disable=SC2086 # words
            imf_run $chain --backend=$backend --verify a.pgm -o out.pgm
            echo "$chain on $backend: $stderr"
            # A backend that cannot be as exact says so.
            [ "$status" -eq 0 ] || [[ $backend == direct && $stderr == *"--backend=direct cannot do this"* ]]
        done
    done
    imf -f kernel:1:bias=1000000 -f kernel:1:bias=-1000000 a.pgm -o out.pgm
    [ "$(samples out.pgm)" = "$(samples a.pgm)" ]
}

@test "a 16-bit magnitude next to a tie rounds exactly" {
    # sqrt(946^2 + 1826^2) = 2056.49994
    printf 'P2\n3 3\n65535\n0 0 0\n0 0 946\n0 1826 0\n' >a.pgm
    for backend in cpu vector $direct; do
        imf -f prewitt --edge=constant --backend=$backend a.pgm -o out.pgm
        [ "$(tail -c 18 out.pgm | od -An -v -tu1 | tr -s ' \n' ' ' | cut -d' ' -f10,11)" = "8 8" ]
    done
}

@test "magnitudes of sums whose squares floats do not hold" {
    need_opencl
    for power in 25 17 -12 -25; do
        printf 'combine magnitude\nscale 4e%d\nkernel x\n-1.1e%d 0 1.1e%d\n-2e%d 0 2e%d\n-1e%d 0 1e%d\nkernel y\n-1.1e%d -2e%d -1e%d\n0 0 0\n1e%d 2e%d 1.1e%d\n' \
            $power $power $power $power $power $power $power $power $power $power $power $power $power >big.flt
        [ $power = 25 ] && device=direct || device=$direct
        for backend in auto vector $device; do
            imf_run -f big.flt --backend=$backend --verify "$TESTDATA/noise.png"
            echo "$power $backend: $stderr"
            [ "$status" -eq 0 ]
        done
    done
}
