#!/bin/sh
# readme.sh - make the pictures of README.md with the program itself: testdata/readme.sh
set -eu
cd "$(dirname "$0")/.."
IMFILTER=${IMFILTER:-build/imfilter}

make_one() { # NAME FILTER OPTION...
    name=$1
    shift
    "$IMFILTER" -q "$@" testdata/still.jpg -o "testdata/readme-$name.jpg" --quality=85
}

make_one sharp -f unsharp:sigma=1.5:amount=1.2
make_one lens -f disk:9 --linear
make_one edges -f gray -f sobel
make_one highpass -f highpass:0.04
make_one emboss -f gray -f emboss
ls -l testdata/readme-*.jpg
