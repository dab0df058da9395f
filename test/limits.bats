# Limits: refused early, with the option that raises them.
load helper

@test "--max-pixels: the message names the option" {
    make_flat a.pgm 100 100
    imf_run -f invert --max-pixels=9999 a.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "--max-pixels"
    [ ! -e out.pgm ]
    imf -f invert --max-pixels=10000 a.pgm -o out.pgm
    imf -f invert --max-pixels=10K a.pgm -o out.pgm
    imf -f invert --max-pixels=0 a.pgm -o out.pgm
    imf_run -f invert --max-pixels=9k a.pgm -o out2.pgm
    [ "$status" -eq 1 ]
}

@test "a header that promises 900 million pixels is refused at once" {
    printf 'P5\n30000 30000\n255\n' >huge.pgm
    imf_run -f invert huge.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "huge.pgm: "
    [[ $stderr == *--max-pixels* ]]
}

@test "sizes that overflow are refused" {
    for size in '2147483647 2147483647' '4294967296 1' '99999999999999999999 1' '0 5' '-1 5'; do
        printf 'P5\n%s\n255\n' "$size" >huge.pgm
        imf_run -f invert --max-pixels=0 huge.pgm -o out.pgm
        echo "$size"
        [ "$status" -eq 1 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [ ! -e out.pgm ]
    done
}

@test "--max-memory: the message names the option" {
    make_flat a.pgm 1000 1000
    imf_run -f blur:3 --max-memory=100K a.pgm -o out.pgm
    [ "$status" -eq 1 ]
    one_line "--max-memory"
    [ ! -e out.pgm ]
    imf -f blur:3 --backend=cpu --max-memory=2G a.pgm -o out.pgm
}

@test "one image over a limit does not stop the batch" {
    make_flat big.pgm 100 100
    make_pgm small.pgm
    imf_run -f invert --max-pixels=100 big.pgm small.pgm -o out/
    [ "$status" -eq 1 ]
    [ "$(ls out)" = small.pgm ]
}
