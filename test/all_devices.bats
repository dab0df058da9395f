# A batch on every device at once, and devices that fail.
load helper

# A layer before OpenCL that counts the kernels that each device was given, in the file `counts`, and
# lets those fail whose device is one of $BROKEN, a set of bits, after $GOOD of them. Devices are
# numbered as they are first used. The file `most` says how many queues there were at once.
need_two_devices() {
    command -v cc >/dev/null || skip "no compiler"
    ! grep -q __asan_init "$IMFILTER" || skip "a preloaded library comes before the sanitizer's"
    export POCL_DEVICES='pthread pthread'
    [ "$(imf --list-devices | grep -c 'Portable Computing')" -ge 2 ] || skip "needs PoCL"
    cat >layer.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { void *queue; int device; } queues[4096];
static void *devices[64];
static int queue_count, device_count, kernels[64], open_now, most;
void *clCreateCommandQueue(void *context, void *device, unsigned long properties, int *code) {
    void *(*real)(void *, void *, unsigned long, int *) = dlsym(RTLD_NEXT, "clCreateCommandQueue");
    void *queue = real(context, device, properties, code);
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < device_count && devices[i] != device)
        i++;
    if (i == device_count)
        devices[device_count++] = device;
    most = ++open_now > most ? open_now : most;
    queues[queue_count].queue = queue;
    queues[queue_count++].device = i;
    pthread_mutex_unlock(&lock);
    return queue;
}
int clReleaseCommandQueue(void *queue) {
    int (*real)(void *) = dlsym(RTLD_NEXT, "clReleaseCommandQueue");
    pthread_mutex_lock(&lock);
    open_now--;
    pthread_mutex_unlock(&lock);
    return real(queue);
}
int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned n, const void *a, const void *b, const void *c,
                           unsigned m, const void *d, void *e) {
    int (*real)(void *, void *, unsigned, const void *, const void *, const void *, unsigned, const void *, void *) =
        dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    const char *broken = getenv("BROKEN"), *good = getenv("GOOD");
    pthread_mutex_lock(&lock);
    int i = queue_count - 1;
    while (queues[i].queue != queue)
        i--;
    int device = queues[i].device, count = kernels[device]++;
    pthread_mutex_unlock(&lock);
    if (broken && atoi(broken) >> device & 1 && count >= (good ? atoi(good) : 0))
        return -5;
    return real(queue, kernel, n, a, b, c, m, d, e);
}
__attribute__((destructor)) static void tell(void) {
    FILE *f = device_count ? fopen("counts", "w") : NULL;
    for (int i = 0; f && i < device_count; i++)
        fprintf(f, "%d\n", kernels[i]);
    if (f)
        fclose(f);
    f = fopen("most", "w");
    if (f) {
        fprintf(f, "%d\n", most);
        fclose(f);
    }
}
C
    cc -shared -fPIC -w -o layer.so layer.c -ldl
    mkdir in
    for i in 1 2 3 4 5 6 7 8; do # two shapes
        width=$((400 + i % 2 * 50))
        { printf 'P5\n%d 300\n255\n' $width && seq "$i" 99999 | head -c $((width * 300)); } >in/$i.pgm
    done
    imf -f sharpen:2 --backend=direct -r in -o want/
}

all() { # OPTION...
    run --separate-stderr env LD_PRELOAD="$PWD/layer.so" "$IMFILTER" --device=all -f sharpen:2 --backend=direct "$@"
    echo "$status $stderr $(paste -sd' ' counts)"
}

same() {
    for i in 1 2 3 4 5 6 7 8; do
        cmp want/$i.pgm out/$i.pgm
    done
}

@test "--device=all: each device has a part of a batch, and pixels are the same" {
    need_two_devices
    for jobs in 2 5; do
        all --jobs=$jobs -r in -o out/
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [ "$(wc -l <counts)" -eq 2 ]
        run ! grep -x 0 counts
        same
        rm -r out
    done
    # All that there are is one, too.
    POCL_DEVICES=pthread imf --device=all -f sharpen:2 -r in -o out/
    same
}

@test "--device=all: --max-memory is one budget of all devices" {
    need_two_devices
    needs=$(imf --device=0 -f sharpen:2 --explain in/1.pgm | sed -n 's/^  all .* \([0-9]*\) MiB$/\1/p')
    echo "$needs MiB"
    all --jobs=2 -r in -o out/ # a queue of each workspace
    [ "$(cat most)" -eq 2 ]
    rm -r out
    all --jobs=2 --max-memory=$((needs + needs / 2))M -r in -o out/
    [ "$(cat most)" -eq 1 ]
    same
}

@test "--device=all: a device that fails is left with one warning, and its images go elsewhere" {
    need_two_devices
    for jobs in 1 4; do
        for good in 0 1; do
            BROKEN=1 GOOD=$good all --jobs=$jobs -r in -o out/
            [ "$status" -eq 0 ]
            [ "${#stderr_lines[@]}" -eq 1 ]
            [[ $stderr == *' is not used any more: '*CL_OUT_OF_RESOURCES* ]]
            same
            rm -r out
        done
    done
    # In place and with --json likewise.
    cp -r in out
    BROKEN=2 all --jobs=2 --json -r -i out
    [ "$status" -eq 0 ]
    [ "$(grep -c '"status":"ok"' <<<"$output")" -eq 8 ]
    same
}

@test "--device=all: the last device's failures are the images', and streams are read once" {
    need_two_devices
    BROKEN=3 all --jobs=2 -r in -o out/
    [ "$status" -eq 1 ]
    [ "$(grep -c 'is not used any more' <<<"$stderr")" -eq 1 ]
    [ "$(grep -c '^imfilter: in/.*CL_OUT_OF_RESOURCES' <<<"$stderr")" -ge 8 ]
    [ -z "$(find out -type f)" ]
    BROKEN=1 all - -o out/x.pgm <in/1.pgm
    [ "$status" -eq 1 ]
    [[ ${stderr_lines[1]} == *CL_OUT_OF_RESOURCES* ]]
    [ -z "$(find out -type f)" ]
}

@test "--device=all: one device is measured, and without any the host filters" {
    imf_run --device=all --tune
    [ "$status" -eq 2 ]
    [[ $stderr == *--device* ]]
    OCL_ICD_VENDORS="$PWD/none" imf_run --device=all -f sharpen "$TESTDATA/gradient.png" -o out.png
    echo "$status $stderr"
    [ "$status" -eq 0 ]
    imf -f sharpen --backend=vector "$TESTDATA/gradient.png" -o want.png
    cmp want.png out.png
}

@test "--device=all: what the host does sooner is done there, and no device is opened" {
    need_two_devices
    mkdir few
    cp in/1.pgm in/2.pgm few
    rm -f counts
    LD_PRELOAD="$PWD/layer.so" imf --device=all -f sharpen:2 -r few -o out/
    [ ! -e counts ]
    cmp want/1.pgm out/1.pgm
    imf --device=all -f sharpen:2 --explain -n -r few -o out/ | grep '^  all   vector'
}

@test "--device=all: an image that is alone is done by one device, and by another where that fails" {
    need_two_devices
    all in/1.pgm -o out.pgm
    [ "$status" -eq 0 ]
    [ "$(grep -vcx 0 counts)" -eq 1 ]
    cmp want/1.pgm out.pgm
    BROKEN=1 GOOD=0 all in/1.pgm -o out.pgm
    [ "$status" -eq 0 ]
    [ "$(grep -c 'is not used any more' <<<"$stderr")" -eq 1 ]
    [ "$(grep -vcx 0 counts)" -eq 2 ]
    cmp want/1.pgm out.pgm
}
