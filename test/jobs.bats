#!/usr/bin/env bats
# Batches: several images at once, their order, interruptions.

load helper

# Eighteen inputs of all sorts, with failures among them, below in/; names in their order in $inputs.
make_mixture() {
    mkdir in
    inputs=()
    for i in 1 2 3; do
        make_pgm in/$i-a.pgm
        make_ppm in/$i-b.ppm
        make_jpeg in/$i-c.jpg
        make_png in/$i-d.png
        echo junk >in/$i-e.pgm
        make_flat in/$i-f.pgm $((i * 300)) 200
        inputs+=("in/$i-"{a.pgm,b.ppm,c.jpg,d.png,e.pgm,f.pgm,none.pgm})
    done
}

@test "several at once give the same bytes, reports and status as one at a time" {
    make_mixture
    for filter in blur:1 'gray invert' unsharp:sigma=3; do
        options=()
        for f in $filter; do options+=(-f "$f"); done
        for jobs in 1 4; do
            imf_run "${options[@]}" --jobs=$jobs --json "${inputs[@]}" -o out$jobs/
            [ "$status" -eq 1 ]
            json 'o["input"], o["status"], o.get("output", "").replace("out4", "out1"), o.get("backend")' \
                <<<"$(head -n -1 <<<"$output")" >json$jobs
            sed 's/out4/out1/g' <<<"$stderr" >stderr$jobs
        done
        [ "$(wc -l <json4)" -eq 21 ]
        [ "$(wc -l <stderr4)" -eq 7 ]
        diff json1 json4
        diff stderr1 stderr4
        diff -r out1 out4
        rm -r out1 out4
    done
    no_temporaries
}

@test "reports come in the order of the inputs, whatever is done first" {
    mkfifo slow.pgm
    for i in 1 2 3 4 5; do make_pgm $i.pgm; done
    imf -f invert -j2 -v --json slow.pgm [1-5].pgm -o out/ >json 2>stderr 3>&- &
    pid=$!
    for i in 1 2 3 4 5; do wait_for out $i.pgm; done
    [ ! -s json ]
    make_pgm fast.pgm
    cat fast.pgm >slow.pgm
    wait $pid
    [ "$(json 'o["input"]' <json | tr '\n' ' ')" = "slow.pgm 1.pgm 2.pgm 3.pgm 4.pgm 5.pgm " ]
    [ "$(sed -n 's/^imfilter: \([^ ]*\) .*/\1/p' stderr | tr '\n' ' ')" = "slow.pgm: 1.pgm: 2.pgm: 3.pgm: 4.pgm: 5.pgm: 6 " ]
}

@test "hundreds of tiny files, also in place" {
    mkdir in
    make_ppm in/0.ppm
    tee in/{1..300}.ppm <in/0.ppm >/dev/null
    imf -f invert -r -j4 in -o out/
    [ "$(ls out | wc -l)" -eq 301 ]
    [ "$(cat out/*.ppm | sha256sum)" = "$(printf 'out/0.ppm %.0s' {0..300} | xargs cat | sha256sum)" ]
    [ "$(samples out/7.ppm)" = "254 253 252 251 250 249 248 247 246 245 235 225 215 205 195 185 175 0" ]
    imf -f invert -r -j4 -i.bak in
    cmp in/0.ppm out/0.ppm
    [ "$(cat in/*.ppm | sha256sum)" = "$(cat out/*.ppm | sha256sum)" ]
    [ "$(ls in/*.bak | wc -l)" -eq 301 ]
    no_temporaries
}

@test "in a batch, too, a file is on the disk before it has its name" {
    need_faults
    for i in $(seq 20); do make_pgm $i.pgm; done
    faulty FAULT_LOG=../log -- -f invert -j3 ./*.pgm -o out/
    [ "$status" -eq 0 ]
    [ "$(ls out | wc -l)" -eq 20 ]
    # Those of one file, in order: fsync .../.imfilter-1.pgm.XXXXXX, renameat .../1.pgm
    grep -e ^fsync -e ^rename ../log | sed 's|[^ ]*/||; s|\.imfilter-||; s|pgm\..*|pgm|' | sort -s -k2 | paste -d' ' - - | sort -u >calls
    [ "$(wc -l <calls)" -eq 20 ]
    [ "$(grep -c '^fsync \([0-9]*.pgm\) renameat \1$' calls)" -eq 20 ]
    # In place names change together, and then their directory is flushed.
    faulty FAULT_LOG=../log2 -- -f invert -j3 -i ./*.pgm
    [ "$status" -eq 0 ]
    [ "$(grep -e ^fsync -e ^rename ../log2 | tail -n 1)" = "fsync $(pwd -P)" ]
    # A disk that fails leaves nothing behind.
    faulty FAULT_FAIL=fsync FAULT_ERROR=5 -- -f invert -j3 ./*.pgm -o failed/
    [ "$status" -eq 1 ]
    [ "${#stderr_lines[@]}" -eq 21 ]
    [ -z "$(ls -A failed)" ]
}

@test "a name that appears meanwhile fails that image alone" {
    mkfifo slow.pgm
    for i in 1 2 3; do make_pgm $i.pgm; done
    imf -f invert -j2 --no-clobber slow.pgm [1-3].pgm -o out/ 2>stderr 3>&- &
    pid=$!
    wait_for out 3.pgm
    echo theirs >out/slow.pgm
    cp 1.pgm fast.pgm
    cat fast.pgm >slow.pgm
    wait $pid
    [ "$(cat out/slow.pgm)" = theirs ]
    no_temporaries
}

@test "a signal drops what is under way, says how far it came, and is what ends the program" {
    for name in HUP:129 INT:130 TERM:143; do
        for jobs in 1 3; do
            signal=${name%:*}
            rm -rf out slow.pgm
            mkfifo slow.pgm
            for i in 1 2 3; do make_pgm $i.pgm; done
            last=$((jobs == 1 ? 2 : 3))
            env --default-signal="$signal" "$IMFILTER" -f invert -j$jobs 1.pgm 2.pgm slow.pgm 3.pgm -o out/ \
                2>stderr >json --json 3>&- &
            pid=$!
            exec 9>slow.pgm
            { printf 'P5\n1000 1000\n255\n' && head -c 500000 /dev/zero; } >&9
            wait_for out '.imfilter-slow.pgm.??????'
            for i in $(seq $last); do wait_for out $i.pgm; done
            kill -"$signal" $pid
            status=0
            wait $pid || status=$?
            exec 9>&-
            echo "$name $jobs: $status $(cat stderr)"
            [ "$status" -eq "${name#*:}" ]
            [ "$(cat stderr)" = "imfilter: interrupted: $last of 4 images done (--skip-existing filters the others)" ]
            [ "$(wc -l <json)" -eq $((last + 1)) ]
            [ "$(tail -n 1 json | json '(o["summary"]["filtered"], o["summary"]["interrupted"])')" = "($last, True)" ]
            [ "$(ls -A out | wc -l)" -eq $last ]
            imf -f invert --skip-existing 1.pgm 2.pgm 3.pgm -o out/ --json >json
            [ "$(grep -c '"status":"skipped"' json)" -eq $last ]
        done
    done
}

@test "a second signal, which timeout sends, leaves nothing behind either" {
    for round in 1 2 3 4 5 6 7 8; do
        rm -rf out slow.pgm
        mkfifo slow.pgm
        make_pgm 1.pgm
        "$IMFILTER" -f invert -j2 1.pgm slow.pgm -o out/ 2>stderr 3>&- &
        pid=$!
        exec 9>slow.pgm
        { printf 'P5\n1000 1000\n255\n' && head -c 500000 /dev/zero; } >&9
        wait_for out '.imfilter-slow.pgm.??????'
        wait_for out 1.pgm
        kill -TERM $pid && kill -TERM $pid || true
        status=0
        wait $pid || status=$?
        exec 9>&-
        echo "$round: $status $(cat stderr) $(ls -A out)"
        [ "$status" -eq 143 ]
        [[ $(cat stderr) == "imfilter: interrupted: 1 of 2 images done"* ]]
        [ "$(ls -A out)" = 1.pgm ]
    done
}

@test "no variable is new to the environment while threads run, which would move it" {
    ! grep -q __asan_init "$IMFILTER" || skip "a preloaded library comes before the sanitizer's"
    command -v cc >/dev/null || skip "no compiler"
    cat >new.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static int threads;
int pthread_create(void *a, const void *b, void *(*c)(void *), void *d) {
    int (*real)(void *, const void *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    threads = 1;
    return real(a, b, c, d);
}
int setenv(const char *name, const char *value, int over) {
    int (*real)(const char *, const char *, int) = dlsym(RTLD_NEXT, "setenv");
    FILE *log = fopen(threads && !getenv(name) ? "new" : "seen", "a");
    fprintf(log, "%s\n", name);
    fclose(log);
    return real(name, value, over);
}
C
    cc -shared -fPIC -w -o new.so new.c -ldl
    for i in 1 2 3 4; do make_pgm $i.pgm; done
    env -u HWLOC_PLUGINS_PATH -u POCL_CACHE_DIR LD_PRELOAD=./new.so \
        "$IMFILTER" -q -f sharpen --backend=direct -j2 ?.pgm -o out/ || skip "no device"
    [ -s seen ]
    [ ! -e new ] || { cat new && false; }
}

@test "--jobs takes a number of images" {
    make_pgm a.pgm
    for jobs in 0 -1 x 257 ''; do
        imf_run -f invert --jobs="$jobs" a.pgm -o b.pgm
        [ "$status" -eq 2 ]
        one_line "--jobs: \"$jobs\" is not valid (1..256)"
    done
    imf -f invert -j 256 a.pgm -o b.pgm
}

@test "ended at a dozen moments, a batch goes on where it was (kills.sh has hundreds)" {
    run sh "$BATS_TEST_DIRNAME/kills.sh" 12 40
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "all images at once keep within --max-memory, and one alone may always run" {
    for i in 1 2 3 4; do make_flat $i.pgm 3000 2000; done
    # Stretched to their own range, images are whole in memory.
    options=(-f sobel:dir=x --range=normalize --backend=cpu)
    one=$(($(imf "${options[@]}" --explain --json -n 1.pgm |
        json 'o["memory_bytes"]') / 1048576))
    free=$(peak "$IMFILTER" "${options[@]}" -j4 [1-4].pgm -o free/)
    tight=$(peak "$IMFILTER" "${options[@]}" -j4 --max-memory=$((one + one / 2))M [1-4].pgm -o tight/)
    echo "one image: $one MiB; four at once: $free, limited: $tight"
    diff -r free tight
    ! grep -q __asan_init "$IMFILTER" || skip "the sanitizer takes memory of its own"
    [ "$tight" -le $((one + one / 2)) ]
}
