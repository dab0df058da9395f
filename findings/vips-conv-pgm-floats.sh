#!/bin/sh
# vips-conv-pgm-floats.sh - `vips conv in.pgm out.pgm mask` writes floats, as PFM, into a file named .pgm
#
# Expected: an output named .pgm is a PGM, with samples rounded or cut to integers, as the same command makes a PNG of 8 bits of it.
# Behaviour: the convolution's result is float, and the writer for .pgm, .ppm and .pnm chooses PFM by the samples, not by the
# name, with the top row first, where PFM has the bottom one. Programs that go by the first bytes read it upside down, programs
# that go by the name refuse it.
. "$(dirname "$0")/setup"
packages libvips-tools=8.14.1-3+deb12u3

printf 'P5\n3 3\n255\n\1\2\3\4\5\6\7\10\11' >in.pgm
printf '3 3 1 0\n0 0 0\n0 1 0\n0 0 0\n' >mask.mat
inside vips conv in.pgm out.pgm mask.mat
inside vips conv in.pgm out.png mask.mat
verdict 'the first bytes of out.pgm' 'P5 or P2' "$(head -c 2 out.pgm)" 'Pf'
verdict 'the first sample of a PFM, which is at the lower left: 7' '7' "$(tail -c 36 out.pgm | od -A n -t f4 -N 4 | xargs)" '1'
verdict 'samples of out.png, of the same result' 'uchar' "$(inside vipsheader -f format out.png | grep -qi uchar && echo uchar || echo others)" 'uchar'
