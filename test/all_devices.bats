# A batch on every device at once, and devices that fail.
load helper

# A layer before OpenCL that counts the kernels that each device was given, in the file `counts`, and
# lets those fail whose device is one of $BROKEN, a set of bits, after $GOOD of them. Devices are
# numbered as they are first used. A kernel of one of $SLOW waits until the other devices have had
# three times as many, or 0.6 s where they never have. The file `most` says how many queues there
# were at once.
need_two_devices() {
    command -v cc >/dev/null || skip "no compiler"
    ! grep -q __asan_init "$IMFILTER" || skip "a preloaded library comes before the sanitizer's"
    export POCL_DEVICES='pthread pthread'
    [ "$(imf --list-devices | grep -c 'Portable Computing')" -ge 2 ] || skip "needs PoCL"
    cat >layer.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
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
    const char *broken = getenv("BROKEN"), *good = getenv("GOOD"), *slow = getenv("SLOW");
    pthread_mutex_lock(&lock);
    int i = queue_count - 1;
    while (queues[i].queue != queue)
        i--;
    int device = queues[i].device, count = kernels[device]++;
    pthread_mutex_unlock(&lock);
    if (broken && atoi(broken) >> device & 1 && count >= (good ? atoi(good) : 0))
        return -5;
    bool waits = slow && atoi(slow) >> device & 1;
    for (int ms = 0; waits && ms < 600; ms++) {
        pthread_mutex_lock(&lock);
        int others = 0;
        for (i = 0; i < device_count; i++)
            others += i == device ? 0 : kernels[i];
        waits = others < 3 * (count + 1);
        pthread_mutex_unlock(&lock);
        usleep(1000);
    }
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
    run --separate-stderr env LD_PRELOAD="$PWD/layer.so" "$IMFILTER" --device=all -f sharpen:2 "$@"
    echo "$status $stderr $(paste -sd' ' counts)"
}

same() {
    for i in 1 2 3 4 5 6 7 8; do
        cmp want/$i.pgm out/$i.pgm
    done
}

@test "--device=all: each device has a part of a batch, and pixels are the same" {
    need_two_devices
    for jobs in 1 2 5; do
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
    needs=$(imf --device=0 -f sharpen:2 --explain in/1.pgm | sed -n 's/^\* .* \([0-9]*\)  cheapest .*/\1/p')
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

@test "--device=all: one device is measured, and one that is not there is missing" {
    imf_run --device=all --tune
    [ "$status" -eq 2 ]
    [[ $stderr == *--device* ]]
    OCL_ICD_VENDORS="$PWD/none" imf_run --device=all -f sharpen "$TESTDATA/gradient.png" -o out.png
    echo "$status $stderr"
    [ "$status" -eq 3 ]
    [ ! -e out.png ]
}

# An image large enough to be shared, as each format.
make_large() {
    need_two_devices
    { printf 'P5\n4000 2200\n255\n' && seq 1 2000000 | head -c 8800000; } >large.pgm
    imf -f sharpen:2 --device=0 large.pgm -o want.pgm
}

pixels_are() { # WANTED FILE
    imf -f invert "$1" -o wanted.pgm
    imf -f invert "$2" -o got.pgm
    cmp wanted.pgm got.pgm
}

shares() { # of standard output's JSON: bands, those of each device
    sed -n 's/.*"bands":\([0-9]*\),"overlap_ms".*"shares":\[{[^}]*"bands":\([0-9]*\)},{[^}]*"bands":\([0-9]*\)}\].*/\1 \2 \3/p'
}

@test "--device=all: the bands of one large image go to each device, and pixels are the same" {
    make_large
    imf -f invert -f invert large.pgm -o large.png
    imf -f invert -f invert --quality=95 large.pgm -o large.jpg
    for kind in pgm png jpg; do
        imf -f sharpen:2 --device=0 large.$kind -o want.$kind
        rm -f counts
        all --json large.$kind -o out.$kind
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [ "$(grep -vcx 0 counts)" -eq 2 ]
        read -r bands first second < <(shares <<<"$output")
        [ "$first" -gt 0 ]
        [ "$second" -gt 0 ]
        [ "$((first + second))" -eq "$bands" ]
        pixels_are want.$kind out.$kind
    done
    # From a stream to a stream, and what people are told.
    LD_PRELOAD="$PWD/layer.so" imf --device=all -v --explain -f sharpen:2 - -o out.pgm <large.pgm >said 2>told
    cmp want.pgm out.pgm
    [ "$(grep -c '^  [0-9]* of [0-9]* bands on device [01] (.*)$' said)" -eq 2 ]
    [ "$(grep -c ': [0-9]* of [0-9]* bands on device [01] (.*)$' told)" -eq 2 ]
}

@test "--device=all: of two devices the faster one has more of the bands" {
    make_large
    for slow in 1 2; do
        SLOW=$slow all --json large.pgm -o out.pgm
        [ "$status" -eq 0 ]
        cmp want.pgm out.pgm
        read -r bands first second < <(shares <<<"$output")
        [ "$((first + second))" -eq "$bands" ]
        run -0 sort -n counts
        [ "${lines[1]}" -ge $((2 * lines[0])) ]
    done
}

@test "--device=all: a device that fails in the middle of an image is left, and its bands go elsewhere" {
    make_large
    cp large.pgm again.pgm
    for broken in 1 2; do
        for good in 0 1 2; do
            [ -n "${THOROUGH:-}" ] || [ $((broken + good)) -eq 2 ] || [ $broken$good = 22 ] || continue
            BROKEN=$broken GOOD=$good all - -o - <large.pgm >/dev/null
            [ "$status" -eq 0 ]
            BROKEN=$broken GOOD=$good all --jobs=1 large.pgm again.pgm -o out/
            [ "$status" -eq 0 ]
            [ "${#stderr_lines[@]}" -eq 1 ]
            [[ $stderr == *'device '*' is not used any more: '*CL_OUT_OF_RESOURCES* ]]
            cmp want.pgm out/large.pgm
            cmp want.pgm out/again.pgm
            rm -r out
        done
    done
    for good in 0 2; do
        BROKEN=3 GOOD=$good all large.pgm -o out.pgm
        [ "$status" -eq 1 ]
        [[ $stderr == *CL_OUT_OF_RESOURCES* ]]
        [ "$(grep -c 'is not used any more' <<<"$stderr")" -eq 1 ]
        [ ! -e out.pgm ]
    done
}

@test "--device=all: what is not shared is done by one device" {
    make_large
    for options in '-f lowpass:0.2' '-f sharpen --max-memory=120M' '-f sharpen --edge=wrap'; do
        rm -f counts
        run --separate-stderr env LD_PRELOAD="$PWD/layer.so" "$IMFILTER" --device=all --json $options large.pgm -o out.pgm
        echo "$options: $status $stderr $output"
        [ "$status" -eq 0 ]
        [[ $output != *'"shares"'* ]]
        [ "$(grep -vcx 0 counts)" -eq 1 ]
    done
    # The host, where devices have too little memory, is not one of them.
    imf_run --device=all --json -f sobel --max-memory=60M large.pgm -o out.pgm
    [ "$status" -eq 0 ]
    [[ $output == *'"device":"host"'* ]]
    [[ $output != *'"shares"'* ]]
}

@test "--device=all: an image is shared where all devices' memory is within --max-memory together" {
    make_large
    # Two need 181 MiB, rows on the host included; without the second one's buffers it were 157.
    all --json --max-memory=170M large.pgm -o out.pgm
    [ "$status" -eq 0 ]
    [[ $output != *'"shares"'* && $output != *'"device":"host"'* ]]
    cmp want.pgm out.pgm
    all --json --max-memory=200M large.pgm -o out.pgm
    [ "$status" -eq 0 ]
    [[ $output == *'"shares":[{'* ]]
    cmp want.pgm out.pgm
}

@test "--device=all: shares are the image's own, not those of one that was shared before" {
    need_two_devices
    # One picture, as colours and as indices into a palette, whose colours alone are filtered.
    python3 - <<'PY'
import struct, zlib
width, height = 2000, 2200
row = bytes(x * 7 % 256 for x in range(width))
palette = [bytes((i, 255 - i, i // 2)) for i in range(256)]
def png(name, kind, line, *more):
    with open(name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, data in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)), *more,
                           (b"IDAT", zlib.compress((b"\0" + line) * height, 1)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))
png("a.png", 2, b"".join(palette[i] for i in row))
png("b.png", 3, row, (b"PLTE", b"".join(palette)))
PY
    # Slow enough that none can do all of it before the other begins.
    run --separate-stderr env LD_PRELOAD="$PWD/layer.so" SLOW=3 "$IMFILTER" --device=all --json -j1 -f invert a.png b.png -o out/
    echo "$status $stderr $output"
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == *'"input":"a.png"'*'"shares":[{'* ]]
    [[ ${lines[1]} == *'"input":"b.png"'* ]]
    [[ ${lines[1]} != *'"shares"'* ]]
    for name in a b; do
        imf -f invert out/$name.png -o $name.ppm
    done
    cmp a.ppm b.ppm
}
