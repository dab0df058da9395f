#!/bin/sh
# readme.sh - make the pictures of README.md with the program itself: testdata/readme.sh
set -eu
cd "$(dirname "$0")/.."
IMFILTER=${IMFILTER:-build/imfilter}

make_one() { # NAME OPTION...
    name=$1
    shift
    "$IMFILTER" -q "$@" testdata/still.jpg -o "testdata/readme-$name.jpg" --quality=85
}
make_png() { # NAME INPUT OPTION...
    name=$1 input=$2
    shift 2
    "$IMFILTER" -q "$@" "testdata/$input" -o "testdata/readme-$name.png"
}

make_one sharp -f unsharp:sigma=1.5:amount=1.2
make_one lens -f disk:9 --linear
make_one edges -f gray -f sobel
make_one highpass -f highpass:0.04
make_one emboss -f gray -f emboss
make_one bilateral -f bilateral:4:0.12
make_png canny still.jpg -f canny:0.05:0.1
make_png median speckled.png -f median:1
make_png scan scan.png -f close:2x2 -f open:2x2 -f threshold:otsu
ls -l testdata/readme-*
