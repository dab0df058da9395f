# An output is complete or absent, whatever ends the run.
load helper

@test "a full disk is one line, and status 1" {
    make_flat a.pgm 300 300
    for format in pnm png jpeg; do
        imf_run -f invert a.pgm --format=$format -o /dev/full
        [ "$status" -eq 1 ]
        one_line "/dev/full: cannot write: No space left on device"
    done
    run --separate-stderr sh -c '"$1" -f invert a.pgm -o - >/dev/full' - "$IMFILTER"
    [ "$status" -eq 1 ]
    one_line "standard output: cannot write: No space left on device"
}

@test "a file over the size limit is an error, and leaves nothing" {
    make_flat a.pgm 300 300
    run --separate-stderr bash -c 'ulimit -f 10; exec "$1" -f invert a.pgm -o out.pgm' - "$IMFILTER"
    [ "$status" -eq 1 ]
    one_line "out.pgm: cannot write: File too large"
    [ ! -e out.pgm ]
    no_temporaries
    cp a.pgm copy.pgm
    run bash -c 'ulimit -f 10; exec "$1" -f invert -i.bak a.pgm' - "$IMFILTER"
    [ "$status" -eq 1 ]
    cmp a.pgm copy.pgm
    [ ! -e a.pgm.bak ]
}

# An image of which half has come: the program waits for the rest, its output open.
start_waiting() { # SIGNAL OPTION...
    mkfifo slow
    signal=$1
    shift
    env --default-signal="$signal" "$IMFILTER" -f invert "$@" <slow 3>&- &
    pid=$!
    exec 9>slow
    { printf 'P5\n1000 1000\n255\n' && head -c 500000 /dev/zero; } >&9
}

@test "signals remove the temporary file; the status is 128+n" {
    for name in HUP:129 INT:130 QUIT:131 TERM:143 XCPU:152; do
        signal=${name%:*}
        rm -f slow
        ulimit -c 0
        start_waiting "$signal" - -o out.pgm
        wait_for . '.imfilter-out.pgm.??????'
        kill -"$signal" $pid
        status=0
        wait $pid || status=$?
        exec 9>&-
        echo "$signal: $status"
        [ "$status" -eq "${name#*:}" ]
        [ ! -e out.pgm ]
        no_temporaries
    done
}

# A JPEG library in which an image of 77 pixels' width ends the process once another is almost written.
make_crash() {
    cat >crash.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <jpeglib.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int written;
void jpeg_finish_compress(j_compress_ptr c) {
    void (*next)(j_compress_ptr) = (void (*)(j_compress_ptr))dlsym(RTLD_NEXT, "jpeg_finish_compress");
    for (written = 1; !getenv("FINE");)
        pause();
    next(c);
}
int jpeg_read_header(j_decompress_ptr d, boolean require) {
    int (*next)(j_decompress_ptr, boolean) =
        (int (*)(j_decompress_ptr, boolean))dlsym(RTLD_NEXT, "jpeg_read_header");
    int got = next(d, require), number = getenv("CRASH") ? atoi(getenv("CRASH")) : 0;
    while (number && d->image_width == 77 && !written)
        usleep(1000);
    if (number && d->image_width == 77)
        number == SIGABRT ? abort() : number == SIGFPE ? (void)raise(number)
                                                       : (void)(*(volatile int *)8 = 1);
    return got;
}
END
    ${CC:-cc} -shared -fPIC -w -o crash.so crash.c -ldl
}

@test "a decoder that ends the process leaves no temporary of another image" {
    grep -q __asan_init "$IMFILTER" && skip "the sanitizer handles these signals"
    make_crash
    make_flat other.pgm 77 9
    mkdir in out
    make_jpeg in/a.jpg
    imf -f kernel:1 other.pgm -o in/b.jpg
    ulimit -c 0
    for end in 6:134 11:139 8:136; do
        run env CRASH="${end%:*}" LD_PRELOAD="$PWD/crash.so" "$IMFILTER" -j 2 --backend=cpu -f invert in/a.jpg \
            in/b.jpg -o out/
        echo "$end: $status, $output"
        [ "$status" -eq "${end#*:}" ]
        no_temporaries
        [ -z "$(ls out)" ]
    done
    # Without the crash both are written, so that the test sees what it looks for.
    env FINE=1 LD_PRELOAD="$PWD/crash.so" "$IMFILTER" -j 2 --backend=cpu -f invert in/a.jpg in/b.jpg -o out/
    [ "$(ls out | wc -l)" -eq 2 ]
}

@test "an ignored signal stays ignored" {
    mkfifo slow
    (
        trap '' HUP
        exec "$IMFILTER" -f invert - -o out.pgm <slow 3>&-
    ) &
    pid=$!
    exec 9>slow
    { printf 'P5\n1000 1000\n255\n' && head -c 500000 /dev/zero; } >&9
    wait_for . '.imfilter-out.pgm.??????'
    kill -HUP $pid
    head -c 500000 /dev/zero >&9
    exec 9>&-
    wait $pid
    [ -e out.pgm ]
}

@test "a reader that goes away ends the run by SIGPIPE" {
    make_flat a.pgm 1000 1000
    run bash -c 'env --default-signal=PIPE "$1" -f invert a.pgm -o - | head -c 1 >/dev/null
        exit ${PIPESTATUS[0]}' - "$IMFILTER"
    [ "$status" -eq 141 ]
}

@test "killed in place, the original is whole" {
    make_flat a.pgm 1500 1500
    cp a.pgm copy.pgm
    "$IMFILTER" -f disk:20 --backend=cpu -i.bak a.pgm 3>&- &
    pid=$!
    wait_for . '.imfilter-a.pgm.??????'
    kill -KILL $pid
    wait $pid || true
    cmp a.pgm copy.pgm
    [ ! -e a.pgm.bak ]
}

@test "terminated during a computation, nothing is left" {
    make_flat a.pgm 1500 1500
    "$IMFILTER" -f disk:20 --backend=cpu a.pgm -o out/ 3>&- &
    pid=$!
    wait_for . '.imfilter-a.pgm.??????'
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ "$status" -eq 143 ]
    [ -z "$(ls -A out)" ]
}

@test "what a killed run left is removed by the next one there" {
    start_waiting TERM - -o out.pgm
    wait_for . '.imfilter-out.pgm.??????'
    kill -KILL $pid
    wait $pid || true
    exec 9>&-
    [ "$(find . -name '.imfilter-out.pgm.??????' | wc -l)" -eq 1 ]
    mkdir .imfilter-d.abcdef
    ln -s slow .imfilter-l.abcdef
    touch .imfilter-short .imfilter-abcdef .imfilter-a.abc-ef .out.pgm.abcdef imfilter-a.abcdef
    find . ! -name . ! -name '.imfilter-out*' | sort >../before
    make_pgm a.pgm
    imf -f invert a.pgm -o b.pgm
    find . ! -name . ! -name '[ab].pgm' | sort | diff ../before -
}

@test "however many directories a run writes to, what killed ones left goes" {
    for i in $(seq 300); do
        mkdir -p in/$i out/$i
        echo 'P2 1 1 255 1' >in/$i/a.pgm
        : >out/$i/.imfilter-a.pgm.abcdef
    done
    imf -r -f invert in -o out/
    [ "$(find out -name a.pgm | wc -l)" -eq 300 ]
    no_temporaries
}

@test "what a living run writes is left alone" {
    start_waiting TERM - -o out.pgm
    wait_for . '.imfilter-out.pgm.??????'
    make_pgm a.pgm
    imf -f invert -i.bak a.pgm
    imf -f invert a.pgm -o b.pgm
    wait_for . '.imfilter-out.pgm.??????'
    head -c 500000 /dev/zero >&9
    exec 9>&-
    wait $pid
    [ "$(head -c 2 out.pgm)" = P5 ]
    no_temporaries
}

@test "while a file is replaced, readers see the old one" {
    make_pgm old.pgm
    cp old.pgm out.pgm
    start_waiting TERM - -o out.pgm
    wait_for . '.imfilter-out.pgm.??????'
    cmp old.pgm out.pgm
    head -c 500000 /dev/zero >&9
    exec 9>&-
    wait $pid
    [ "$(head -c 2 out.pgm)" = P5 ]
    no_temporaries
}

@test "special files are written directly" {
    make_pgm a.pgm
    imf -f kernel:1 a.pgm -o /dev/null
    [ -c /dev/null ]
    mkfifo pipe
    cat pipe >got.pgm 3>&- &
    imf -f kernel:1 a.pgm -o pipe
    wait $!
    [ -p pipe ]
    [ "$(samples got.pgm)" = "$(samples a.pgm)" ]
}

@test "--no-clobber does not replace a file that appears meanwhile" {
    start_waiting TERM --no-clobber - -o out.pgm
    wait_for . '.imfilter-out.pgm.??????'
    echo first >out.pgm
    head -c 500000 /dev/zero >&9
    exec 9>&-
    wait $pid
    [ "$(cat out.pgm)" = first ]
    no_temporaries
}

@test "the longest file name" {
    name=$(printf 'x%.0s' $(seq 251)).pgm
    make_pgm "$name"
    imf -f kernel:1 "$name" -o out/
    [ -e "out/$name" ]
}

@test "closed standard streams do not become an image" {
    make_pgm a.pgm
    "$IMFILTER" -f kernel:1 -v a.pgm -o out.pgm <&- >&- 2>&-
    [ "$(samples out.pgm)" = "$(samples a.pgm)" ]
}
