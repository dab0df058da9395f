# --tune: the rates that plans go by are measured, kept, shown, and used only where they belong.
load helper

need_device() {
    "$IMFILTER" --list-devices | grep -q '^0 ' || skip "there is no OpenCL device"
}

@test "--tune measures, keeps the rates, and later runs say so" {
    need_thorough
    need_device
    export XDG_CACHE_HOME=$PWD/cache
    make_pgm a.pgm
    imf_run --tune=show
    [ "$status" -eq 0 ]
    [[ $output == *": rates as shipped"* ]]
    [ "$(grep -c '  as shipped  ' <<<"$output")" -ge 10 ]
    [[ $output != *" measured "* ]]
    imf_run -f blur:2 --explain --device=0 a.pgm
    [[ $output != *--tune* ]]

    imf_run --tune
    echo "$output $stderr"
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ $output == *": rates measured here"* ]]
    [[ $output == *"times were taken"* ]]
    rates=(cache/imfilter/*.rates)
    [ "${#rates[@]}" -eq 1 ]

    imf_run -f blur:2 --explain --device=0 a.pgm
    [ "$status" -eq 0 ]
    [ "$(grep -c 'measured on this device (--tune)' <<<"$output")" -eq 1 ]
    imf_run -f blur:2 --explain --json --device=0 a.pgm
    [ "$(json 'o["measured"]' <<<"$output")" = True ]
    imf_run --tune=show
    [[ $output == *": rates measured here"* ]]

    # A damaged file, one for another driver, and one that others can write are ignored.
    cp "${rates[0]}" kept
    head -c 300 kept >"${rates[0]}"
    imf_run --tune=show
    [ "$status" -eq 0 ]
    [[ $output == *": rates as shipped"* ]]
    sed 's/^driver /driver 9/' kept >"${rates[0]}"
    imf_run --tune=show
    [[ $output == *": rates as shipped"* ]]
    cp kept "${rates[0]}"
    chmod 666 "${rates[0]}"
    imf_run --tune=show
    [[ $output == *": rates as shipped"* ]]
    chmod 600 "${rates[0]}"
    imf_run --tune=show
    [[ $output == *": rates measured here"* ]]
    imf_run --list-devices
    [[ $output == *"rates: measured on this device"* ]]
}

# A clock that goes on by three seconds between the filters that are timed: they are as slow as ever, but there is
# time for few of them, as where others keep the machine busy. And no memory for the program once
# they are SECONDS, but for the first ALLOCATIONS. The machine's own time counts as SLOWER times less.
make_clock() { # SECONDS [ALLOCATIONS [SLOWER]]
    need_device
    ! grep -q __asan_init "$IMFILTER" || skip "a preloaded library comes before the sanitizer's"
    command -v cc >/dev/null || skip "no compiler"
    cat >clock.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static atomic_long late;
static atomic_int full, spared = SPARED;
int clock_gettime(clockid_t clock, struct timespec *now) {
    long status = syscall(SYS_clock_gettime, clock, now);
    static atomic_long start;
    long none = 0, ns = now->tv_sec % 1000000 * 1000000000L + now->tv_nsec;
    if (clock == CLOCK_MONOTONIC) {
        atomic_compare_exchange_strong(&start, &none, ns);
        ns = start + (ns - start) / SLOWER;
        *now = (struct timespec){ns / 1000000000L + late, ns % 1000000000L};
    }
    return (int)status;
}
void *clCreateCommandQueue(void *context, void *device, unsigned long properties, int *code) {
    void *(*real)(void *, void *, unsigned long, int *) = dlsym(RTLD_NEXT, "clCreateCommandQueue");
    late += 3;
    return real(context, device, properties, code);
}
int clReleaseCommandQueue(void *queue) {
    int (*real)(void *) = dlsym(RTLD_NEXT, "clReleaseCommandQueue");
    int code = real(queue);
    full = late >= SECONDS;
    return code;
}
void *calloc(size_t count, size_t size) {
    Dl_info from;
    int ours = full && dladdr(__builtin_return_address(0), &from) && strstr(from.dli_fname, PROGRAM);
    void *zeros = ours && spared-- <= 0 ? NULL : malloc(count * size);
    return zeros ? memset(zeros, 0, count * size) : NULL;
}
C
    cc -shared -fPIC -fno-builtin -w -DSECONDS="$1" -DSPARED="${2:-0}" -DSLOWER="${3:-1}" -DPROGRAM="\"/${IMFILTER##*/}\"" -o clock.so clock.c -ldl
}

@test "--tune with time for a few filters keeps these and marks the other rates" {
    make_clock 1000
    export XDG_CACHE_HOME=$PWD/cache
    LD_PRELOAD=./clock.so imf_run --tune
    echo "$output $stderr"
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ $output == *": rates measured here"* ]]
    [[ $output =~ ([0-9]+)" of "([0-9]+)" times were taken" ]]
    [ "${BASH_REMATCH[1]}" -ge 1 ]
    [ "${BASH_REMATCH[1]}" -lt 12 ]
    [[ $output == *"the device is slow or busy: rates that these times do not determine are the shipped ones"* ]]
    [ "$(grep -c '  measured  ' <<<"$output")" -ge 1 ]
    [ "$(grep -c '  shipped x ' <<<"$output")" -ge 1 ]
    grep ' x \| measured ' <<<"$output" | cut -c1-60 >tuned
    imf_run --tune=show
    [ "$status" -eq 0 ]
    # what is kept has six decimals
    grep ' x \| measured ' <<<"$output" | awk 'NR == FNR { rate[$1] = $2; next }
        { if (!($1 in rate) || ($2 - rate[$1]) ^ 2 > (1e-3 * $2) ^ 2) { print; wrong = 1 }; delete rate[$1] }
        END { for (name in rate) wrong = 1; exit wrong }' tuned -
}

@test "--tune without memory for plans, for the fit or for its estimates keeps nothing" {
    export XDG_CACHE_HOME=$PWD/cache
    for full in '6 0' '18 0' '18 1'; do
        # shellcheck disable=SC2086 # two words; however busy the machine is, the time of a trial is what counts
        make_clock $full 64
        LD_PRELOAD=./clock.so imf_run --tune
        echo "$output $stderr"
        [ "$status" -eq 1 ]
        one_line "memory"
        [ -z "$(find cache -name '*.rates')" ]
    done
}

@test "--tune where nothing can be kept or there is no device" {
    imf_run --tune=fast
    [ "$status" -eq 2 ]
    one_line "show"
    OCL_ICD_VENDORS=/nonexistent imf_run --tune
    [ "$status" -eq 3 ]
    one_line "OpenCL device"
    imf_run --tune=show --device=nonesuch
    [ "$status" -eq 3 ]
}
