# What an OpenCL device may be like, and what may go wrong with one.
load helper

need_pocl() {
    "$IMFILTER" --list-devices | grep -qi 'portable computing language' ||
        skip "PoCL's variables are what makes the device"
}

@test "devices whose largest work-group is small" {
    need_pocl
    for group in 1 48; do
        for filter in 'sharpen --edge=wrap' 'blur:2 --linear -f gray' 'sobel --range=normalize' \
            'disk:9' 'highpass:0.1'; do
            [ $group -eq 1 ] || [ "$filter" != highpass:0.1 ] || continue
            echo "$group: $filter"
            # shellcheck disable=SC2086 # several words
            POCL_MAX_WORK_GROUP_SIZE=$group imf_run -f $filter --device=0 --verify --json "$TESTDATA/alpha.png"
            echo "$output $stderr"
            [ "$status" -eq 0 ]
            [[ $output != *'"device":"host"'* ]]
        done
    done
}

# The program with an OpenCL function that always fails.
without() { # FUNCTION
    ! grep -q __asan_init "$IMFILTER" || skip "a preloaded library comes before the sanitizer's"
    command -v cc >/dev/null || skip "no compiler"
    echo "int $1(void) { return -5; }" >fail.c
    cc -shared -fPIC -o fail.so fail.c
}

@test "a device that fails at its work: one warning, right pixels, and the report says so" {
    need_pocl
    without clEnqueueNDRangeKernel
    imf -f kernel:1 "$TESTDATA/still.jpg" -o a.ppm
    imf -f disk:9 -f invert --backend=cpu a.ppm -o want.ppm
    LD_PRELOAD=./fail.so imf_run -f disk:9 -f invert --json --explain a.ppm -o out.ppm
    echo "$output"
    [ "$status" -eq 0 ]
    one_line "warning: cannot start a kernel: CL_OUT_OF_RESOURCES (-5); using the plain C solver"
    cmp want.ppm out.ppm
    [[ $output == *'"backend":"cpu"'* ]]
    [[ $output == *'"device":"host"'* ]]
    [[ $output == *'"warning":"cannot start a kernel'* ]]
    [[ $output == *'"chosen":false,"why":"failed: cannot start a kernel'* ]]
    [[ $output == *'"chosen":true,"why":"taken after the device failed"'* ]]

    # One warning for a batch; what was asked for is not replaced.
    cp a.ppm b.ppm
    LD_PRELOAD=./fail.so imf_run -f disk:9 -f invert a.ppm b.ppm -o out/
    [ "$status" -eq 0 ]
    one_line "using the plain C solver"
    cmp want.ppm out/b.ppm
    for option in --backend=fft --device=0; do
        LD_PRELOAD=./fail.so imf_run -f disk:9 -f invert $option a.ppm -o asked.ppm
        [ "$status" -eq 1 ]
        one_line "a.ppm: cannot start a kernel: CL_OUT_OF_RESOURCES (-5)"
        [ ! -e asked.ppm ]
    done
}

@test "processes that start at once on a cold cache build a program one after the other" {
    need_pocl
    ! grep -q __asan_init "$IMFILTER" || skip "a preloaded library comes before the sanitizer's"
    command -v cc >/dev/null || skip "no compiler"
    # Builds that overlap show in the log; each takes long enough to.
    cat >slow.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
int clBuildProgram(void *program, unsigned n, void *devices, const char *options, void *f, void *data) {
    int (*real)(void *, unsigned, void *, const char *, void *, void *) = dlsym(RTLD_NEXT, "clBuildProgram");
    int log = open("log", O_WRONLY | O_APPEND | O_CREAT, 0600);
    write(log, "begin\n", 6);
    usleep(200000);
    int code = real(program, n, devices, options, f, data);
    write(log, "end\n", 4);
    close(log);
    return code;
}
C
    cc -shared -fPIC -w -o slow.so slow.c -ldl
    make_pgm a.pgm
    for i in 1 2 3; do
        XDG_CACHE_HOME=$PWD/cold LD_PRELOAD=./slow.so "$IMFILTER" -f kernel:1 -f threshold:0.5 --device=0 \
            a.pgm -o out.$i.pgm 2>err.$i &
    done
    wait
    cat err.? log
    for i in 1 2 3; do
        cmp out.1.pgm out.$i.pgm
    done
    [ "$(grep -c begin log)" -ge 3 ]
    [ "$(grep -c end log)" -eq "$(grep -c begin log)" ]
    ! paste -sd' ' log | grep 'begin begin'
}
