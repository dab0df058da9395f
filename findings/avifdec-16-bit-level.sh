#!/bin/sh
# avifdec-16-bit-level.sh - of the 1024 grays of a 10-bit AVIF, avifdec -d 16 rounds one up that should go down
#
# Expected: a level v of 10 bits becomes the nearest of 16, round(v * 65535 / 1023), as the PNG has it that it was made from.
# Behaviour: level 820, whose value is 52530.499, becomes 52531: it is scaled in float32, which rounds it to 52530.5 first. A
# comparison by bytes of a lossless file with its source fails for that one gray.
. "$(dirname "$0")/setup"
packages libavif-bin=0.11.1-1+deb12u1 netpbm=2:11.01.00-2

awk 'BEGIN { print "P2\n32 32\n65535"; for (i = 0; i < 1024; i++) printf "%d\n", i * 65535 / 1023 + 0.5 }' >levels.pgm
inside pnmtopng -force levels.pgm >levels.png 2>/dev/null
inside avifenc -d 10 -y 400 --min 0 --max 0 -r full levels.png levels.avif >/dev/null 2>&1
inside avifdec -d 16 levels.avif back.png >/dev/null
inside pngtopnm -plain back.png 2>/dev/null | tail -n +4 | tr -s ' ' '\n' | grep . | awk 'NR % 3 == 1' >back # the red ones
tail -n +4 levels.pgm | paste - back | awk '$1 != $2 { print NR - 1, $1, $2 }' >other
verdict 'levels that do not come back, with what they were and became' '' "$(xargs <other)" '820 52530 52531'
