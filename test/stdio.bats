# Pipes: standard input and output.
load helper

@test "- reads standard input and writes standard output" {
    make_ppm a.ppm
    imf -f kernel:1 - -o - <a.ppm >b.ppm
    [ "$(samples b.ppm)" = "$(samples a.ppm)" ]
}

@test "without an input standard input is read" {
    make_ppm a.ppm
    imf -f kernel:1 -o b.png <a.ppm
    [ "$(samples b.png)" = "$(samples a.ppm)" ]
}

@test "pipes of every format, the output's format as the input's" {
    make_png a.png
    make_jpeg a.jpg
    make_pgm a.pgm
    for f in png:png jpg:jpeg pgm:pnm; do
        cat a.${f%:*} | imf -f kernel:1 -o - | cat >out
        [ "$(file_kind out)" = "${f#*:}" ]
    done
    cat a.pgm | imf -f kernel:1 --format=png - -o - | imf -f kernel:1 --format=pnm -o - >out
    [ "$(samples out)" = "$(samples a.pgm)" ]
}

@test "a slow pipe" {
    make_pgm a.pgm
    imf -f kernel:1 a.pgm -o b.png
    { head -c 20 b.png; sleep 0.1; tail -c +21 b.png | head -c 25; sleep 0.1; tail -c +46 b.png; } |
        imf -f kernel:1 - -o out.pgm
    [ "$(samples out.pgm)" = "$(samples a.pgm)" ]
}

@test "a terminal as output is refused" {
    command -v script >/dev/null || skip "script(1) makes the terminal"
    make_pgm a.pgm
    run script -qec "'$IMFILTER' -f invert a.pgm -o -" /dev/null </dev/null
    [ "$status" -eq 2 ]
    [[ $output == *"standard output is a terminal"* ]]
}

@test "a terminal as input is not read unless asked for" {
    command -v script >/dev/null || skip "script(1) makes the terminal"
    run timeout 5 script -qec "'$IMFILTER' -f invert -o out.pgm" /dev/null
    [ "$status" -eq 2 ]
    [[ $output == *"no input given"* ]]
}

@test "an image on standard output has it to itself" {
    make_pgm a.pgm
    imf -f blur:1 a.pgm -o - >plain
    imf -f blur:1 -v --timing --explain --verify a.pgm -o - >reported 2>report
    cmp plain reported
    grep -q 'verified: 12 samples' report
    grep -q '^\* ' report
}

@test "a file called - is ./-" {
    make_pgm ./-
    imf -f kernel:1 ./- -o out.pgm </dev/null
    imf -f invert ./- -o ./-x </dev/null
    [ -e ./-x ]
}

@test "standard input has no name for a directory, and is read once" {
    make_pgm a.pgm
    imf_run -f invert - -o out/ <a.pgm
    [ "$status" -eq 2 ]
    one_line "standard input"
    imf_run -f invert -i - <a.pgm
    [ "$status" -eq 2 ]
    imf_run -f invert - - -o out/ <a.pgm
    [ "$status" -eq 2 ]
    imf_run -f invert - --files-from=- -o out/ </dev/null
    [ "$status" -eq 2 ]
    [ ! -e out ]
}

@test "standard input that ends early" {
    imf_run -f invert - -o out.png </dev/null
    [ "$status" -eq 1 ]
    one_line "standard input: "
    [ ! -e out.png ]
}

@test "/dev/stdout is standard output, /dev/stdin standard input" {
    make_pgm a.pgm
    cat a.pgm | imf -f kernel:1 --json /dev/stdin -o /dev/stdout 2>object >out.pgm
    [ "$(samples out.pgm)" = "$(samples a.pgm)" ]
    [ -s object ]
}

@test "standard input may be the file that the output replaces" {
    make_pgm a.pgm
    imf -f invert - -o a.pgm <a.pgm
    [ "$(samples a.pgm)" = "255 245 235 225 215 205 195 185 175 165 155 0" ]
}

@test "standard input is read once" {
    for arguments in "- -" "- --files-from=-"; do
        # shellcheck disable=SC2086 # words
        imf_run -f invert $arguments --explain </dev/null
        echo "$arguments: $stderr"
        [ "$status" -eq 2 ]
        one_line "standard input is asked for more than once"
    done
}
