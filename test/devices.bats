# What an OpenCL device may be like, and what may go wrong with one.
load helper

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
    imf -f kernel:1 --depth=16 "$TESTDATA/still.jpg" -o a.ppm
    large_kernel k.txt
    imf -f kernel:@k.txt:scale=auto -f invert --backend=cpu a.ppm -o want.ppm
    LD_PRELOAD=./fail.so imf_run -f kernel:@k.txt:scale=auto -f invert --json --explain a.ppm -o out.ppm
    echo "$output"
    [ "$status" -eq 0 ]
    one_line "warning: cannot start a kernel: CL_OUT_OF_RESOURCES (-5); filtering on the host"
    cmp want.ppm out.ppm
    [[ $output == *'"backend":"cpu"'* ]]
    [[ $output == *'"device":"host"'* ]]
    [[ $output == *'"warning":"cannot start a kernel'* ]]
    [[ $output == *'"chosen":false,"why":"failed: cannot start a kernel'* ]]
    [[ $output == *'"chosen":true,"transfer_ms":'*'"why":"chosen after the device failed"'* ]]

    # One warning for a batch; what was asked for is not replaced.
    cp a.ppm b.ppm
    LD_PRELOAD=./fail.so imf_run -f kernel:@k.txt:scale=auto -f invert a.ppm b.ppm -o out/
    [ "$status" -eq 0 ]
    one_line "filtering on the host"
    cmp want.ppm out/b.ppm
    for option in --backend=direct --device=0; do
        LD_PRELOAD=./fail.so imf_run -f kernel:@k.txt:scale=auto -f invert $option a.ppm -o asked.ppm
        [ "$status" -eq 1 ]
        one_line "a.ppm: cannot start a kernel: CL_OUT_OF_RESOURCES (-5)"
        [ ! -e asked.ppm ]
    done
}

# The program with a query of the first device that always fails: $LD_PRELOAD=./deaf.so, $QUERY its number.
deaf() {
    ! grep -q __asan_init "$IMFILTER" || skip "a preloaded library comes before the sanitizer's"
    command -v cc >/dev/null || skip "no compiler"
    cat >deaf.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
int clGetDeviceInfo(void *device, unsigned what, size_t size, void *value, size_t *got) {
    static void *first;
    if (!first)
        first = device;
    int (*real)(void *, unsigned, size_t, void *, size_t *) = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    return device == first && what == strtoul(getenv("QUERY"), NULL, 16) ? -6 : real(device, what, size, value, got);
}
C
    cc -shared -fPIC -w -o deaf.so deaf.c -ldl
}

@test "a device that does not tell what it is like is not used, and the query is named" {
    need_pocl
    deaf
    imf -f kernel:1 --depth=16 "$TESTDATA/still.jpg" -o a.ppm
    large_kernel k.txt
    imf -f kernel:@k.txt:scale=auto -f invert --backend=cpu a.ppm -o want.ppm
    for query in TYPE:1000 NAME:102b MAX_COMPUTE_UNITS:1002 MAX_WORK_GROUP_SIZE:1004 MAX_WORK_ITEM_SIZES:1005 \
        MAX_MEM_ALLOC_SIZE:1010 GLOBAL_MEM_SIZE:101f LOCAL_MEM_SIZE:1023 DOUBLE_FP_CONFIG:1032 \
        HOST_UNIFIED_MEMORY:1035 AVAILABLE:1027 COMPILER_AVAILABLE:1028 ENDIAN_LITTLE:1026; do
        echo "$query"
        export QUERY=${query#*:}
        said="clGetDeviceInfo(CL_DEVICE_${query%:*}): CL_OUT_OF_HOST_MEMORY (-6)"
        LD_PRELOAD=./deaf.so imf_run --list-devices
        [ "$status" -eq 0 ]
        [[ $output == "0 "*" not usable: $said"* ]]
        LD_PRELOAD=./deaf.so imf_run -f kernel:1 --device=0 a.ppm -o asked.ppm
        [ "$status" -eq 3 ]
        one_line "is not usable: $said"
        [ ! -e asked.ppm ]
    done
    LD_PRELOAD=./deaf.so imf_run -f kernel:@k.txt:scale=auto -f invert a.ppm -o out.ppm
    [ "$status" -eq 0 ]
    one_line "warning: device 0 "
    [[ $stderr == *" is not usable: $said (see --list-devices); filtering on the host" ]]
    cmp want.ppm out.ppm
    # What kernels are kept by.
    QUERY=102c LD_PRELOAD=./deaf.so imf_run -f kernel:1 --device=0 a.ppm -o asked.ppm
    [ "$status" -ne 0 ]
    one_line "clGetDeviceInfo(CL_DEVICE_VENDOR): CL_OUT_OF_HOST_MEMORY (-6)"
}

@test "another device takes the place of one that does not tell what it is like, with a warning" {
    need_pocl
    deaf
    export POCL_DEVICES="pthread pthread" QUERY=101f
    [ "$(imf --list-devices | grep -c '^[0-9]')" -eq 2 ] || skip "PoCL offers one device only"
    said="clGetDeviceInfo(CL_DEVICE_GLOBAL_MEM_SIZE): CL_OUT_OF_HOST_MEMORY (-6)"
    imf -f kernel:1 "$TESTDATA/still.jpg" -o a.ppm
    imf -f sharpen --backend=cpu a.ppm -o want.ppm
    LD_PRELOAD=./deaf.so imf_run -f sharpen --device=cpu a.ppm -o out.ppm
    [ "$status" -eq 0 ]
    one_line "warning: device 0 "
    [[ $stderr == *" is not usable: $said (see --list-devices); another is used" ]]
    cmp want.ppm out.ppm
    # --device=all takes the same first.
    cp a.ppm b.ppm
    LD_PRELOAD=./deaf.so imf_run -f sharpen --device=all --backend=direct a.ppm b.ppm -o all/
    [ "$status" -eq 0 ]
    [[ $stderr == *"device 0 "*" is not us"*": $said"* ]]
    cmp want.ppm all/a.ppm
    cmp want.ppm all/b.ppm
    # One that was not asked for is nobody's concern.
    LD_PRELOAD=./deaf.so imf_run -f sharpen --device=1 a.ppm -o one.ppm
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
}

@test "of two devices that are alike the first is taken" {
    need_pocl
    POCL_DEVICES='pthread pthread' imf_run --list-devices
    [ "$(grep -c '^[0-9]' <<<"$output")" -eq 2 ] || skip "PoCL offers one device only"
    [[ ${lines[1]} == *"auto: taken for "* ]]
    [[ ${lines[4]} == *"auto: passed over: device 0 comes first" ]]
}

@test "what PoCL keeps is bounded: those programs are removed that were not used for longest" {
    need_pocl
    export XDG_CACHE_HOME=$PWD/cache
    unset POCL_CACHE_DIR
    umask 077
    for days in 3 1 2; do
        mkdir -p cache/imfilter/pocl/AB/$days
        truncate -s 90M cache/imfilter/pocl/AB/$days/program.bc
        touch -d "$days days ago" cache/imfilter/pocl/AB/$days/program.bc
    done
    make_pgm a.pgm
    imf -q -f invert --backend=direct a.pgm -o out.pgm # compiles
    [ "$(ls cache/imfilter/pocl/AB)" = $'1\n2' ]
}

@test "processes that start at once on a cold cache build a program one after the other" {
    need_thorough
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

# A driver whose first function does STATEMENT, in directory DRIVER; `loads` counts how often it came.
make_driver() { # DRIVER STATEMENT
    command -v cc >/dev/null || skip "no compiler"
    mkdir "$1"
    {
        printf '#include <fcntl.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n'
        printf 'void *clGetExtensionFunctionAddress(const char *name) {\n(void)name;\n'
        printf 'int log = open("%s", O_WRONLY | O_APPEND | O_CREAT, 0600);\n' "$PWD/$1/loads"
        printf '(void)!write(log, "x", 1);\nclose(log);\n%s\nreturn 0;\n}\n' "$2"
    } >"$1/driver.c"
    cc -shared -fPIC -w -o "$1/driver.so" "$1/driver.c"
    echo "$PWD/$1/driver.so" >"$1/driver.icd"
}

loads() { # DRIVER
    wc -c <"$1/loads"
}

@test "a driver that aborts, hangs or crashes costs one warning and is tried once" {
    need_opencl
    imf -f kernel:1 --depth=16 "$TESTDATA/still.jpg" -o a.ppm
    large_kernel k.txt
    imf -f kernel:@k.txt:scale=auto -f invert --backend=cpu a.ppm -o want.ppm
    make_driver aborts 'abort();'
    make_driver hangs 'for (;;) pause();'
    drivers="aborts hangs"
    if ! grep -q __asan_init "$IMFILTER"; then # which makes a crash an exit
        make_driver crashes '*(volatile int *)0 = 1;'
        drivers="$drivers crashes"
    fi
    for driver in $drivers; do
        echo "$driver"
        export OCL_ICD_VENDORS=$PWD/$driver IMFILTER_TRIAL_SECONDS=60
        [ $driver != hangs ] || export IMFILTER_TRIAL_SECONDS=1
        [ $driver != aborts ] || expected="was ended by SIGABRT"
        [ $driver != hangs ] || expected="did not end within 1 s"
        [ $driver != crashes ] || expected="was ended by SIGSEGV"
        for _ in first again; do
            imf_run -f kernel:@k.txt:scale=auto -f invert --json a.ppm -o out.ppm
            [ "$status" -eq 0 ]
            one_line "$expected"
            one_line "filtering on the host"
            [[ $output == *'"device":"host"'*'"warning":"the OpenCL driver'* ]]
            cmp want.ppm out.ppm
            [ "$(loads $driver)" -eq 1 ]
        done
        imf_run -f disk:9 --backend=direct a.ppm -o asked.ppm
        [ "$status" -eq 3 ]
        one_line "$expected"
        [ ! -e asked.ppm ]
        imf_run --list-devices
        [ "$status" -eq 1 ]
        one_line "$expected"
    done
    [ "$(loads hangs)" -eq 1 ]
    # Another driver in the same place is tried again.
    cp aborts/driver.so hangs/driver.so
    OCL_ICD_VENDORS=$PWD/hangs imf_run -f kernel:@k.txt:scale=auto -f invert a.ppm -o out.ppm
    one_line "SIGABRT"
    no_temporaries
}

# A driver whose trial ends well, and which does STATEMENT in a run.
make_late_driver() { # DRIVER STATEMENT
    make_driver "$1" "char line[4096] = \"\"; int f = open(\"/proc/self/cmdline\", O_RDONLY);
        (void)!read(f, line, sizeof line - 1); close(f);
        for (int i = 0; line[i]; i++) if (!line[i + 1]) { f = i + 2; break; }
        if (line[f] != '-' || line[f + 1] != '-' || line[f + 2] != 't' || line[f + 3] != 'r') { $2 }"
}

@test "a driver that crashes in a run is left alone by the next one, with a new cache for PoCL" {
    need_opencl
    ulimit -c 0
    unset IMFILTER_TRIAL_SECONDS
    imf -f kernel:1 --depth=16 "$TESTDATA/still.jpg" -o a.ppm
    large_kernel k.txt
    imf -f kernel:@k.txt:scale=auto --backend=cpu a.ppm -o want.ppm
    for end in 'aborts 134 abort();' 'exits 7 exit(7);' 'faults 135 raise(SIGBUS);'; do
        [[ $end != faults* ]] || ! grep -q __asan_init "$IMFILTER" || continue # which handles that one itself
        read -r name code statement <<<"$end"
        echo "$name"
        export XDG_CACHE_HOME=$PWD/cache-$name OCL_ICD_VENDORS=$PWD/$name
        cache=$XDG_CACHE_HOME/imfilter
        make_late_driver "$name" "$statement"
        imf_run -f kernel:@k.txt:scale=auto a.ppm -o out.ppm
        [ "$status" -eq "$code" ]
        no_temporaries
        [ ! -e out.ppm ]
        touch "$cache/pocl/damaged"
        imf_run -f kernel:@k.txt:scale=auto a.ppm -o out.ppm
        [ "$status" -eq 0 ]
        one_line "an earlier run crashed while it was in use (what PoCL had compiled was moved to $cache/pocl.crashed)"
        cmp want.ppm out.ppm
        [ -e "$cache/pocl.crashed/damaged" ]
        [ ! -e "$cache/pocl/damaged" ]
        # It is said once: the driver is tried again, and crashes; now the host does the work for an hour.
        imf_run -f kernel:@k.txt:scale=auto a.ppm -o /dev/null --format=ppm
        [ "$status" -eq "$code" ]
        imf_run -f kernel:@k.txt:scale=auto a.ppm -o out.ppm
        one_line "an earlier run crashed while it was in use"
        for _ in 1 2; do
            imf_run -f kernel:@k.txt:scale=auto a.ppm -o out.ppm
            [ "$status" -eq 0 ]
            one_line "a trial of it ended well, but runs crashed again"
        done
        [ -z "$(find "$cache" -name "in-use*")" ]
        rm out.ppm
    done
}

@test "a run that was killed, and one beside it, say nothing of the driver" {
    need_opencl
    unset IMFILTER_TRIAL_SECONDS
    imf -f kernel:1 --depth=16 "$TESTDATA/still.jpg" -o a.ppm
    large_kernel k.txt
    export XDG_CACHE_HOME=$PWD/cache
    make_late_driver killed 'kill(getpid(), SIGKILL);'
    make_late_driver waits 'if (!access("wait", F_OK)) { for (close(open("waiting", O_CREAT, 0600)); !access("wait", F_OK);) usleep(1000); }'
    OCL_ICD_VENDORS=$PWD/killed imf_run -f kernel:@k.txt:scale=auto a.ppm -o out.ppm
    [ "$status" -eq 137 ]
    [ "$(find cache/imfilter -name "in-use*" | wc -l)" -eq 1 ]
    touch wait cache/imfilter/pocl/mine
    export OCL_ICD_VENDORS=$PWD/waits
    "$IMFILTER" -f kernel:@k.txt:scale=auto a.ppm -o first.ppm 3>&- 2>first.err &
    pid=$!
    wait_for . waiting
    [ "$(find cache/imfilter -name "in-use*" | wc -l)" -eq 1 ]
    cp -r waits beside
    (cd beside && OCL_ICD_VENDORS=$PWD "$IMFILTER" -f kernel:@../k.txt:scale=auto ../a.ppm -o ../out.ppm 2>../beside.err)
    rm wait
    wait $pid
    cat first.err beside.err
    [ "$(cat first.err beside.err | grep -c crashed)" -eq 0 ]
    [ -e cache/imfilter/pocl/mine ]
    [ "$(find cache/imfilter -name "in-use*" | wc -l)" -eq 0 ]
}

@test "where PoCL has put handlers of its own a crash is told all the same, and the run after the next uses it" {
    need_pocl
    ulimit -c 0
    cat >crash.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int clFinish(void *queue) { abort(); }
END
    cc -shared -fPIC -w -o crash.so crash.c
    make_ppm a.ppm
    export XDG_CACHE_HOME=$PWD/cache IMFILTER_TRIAL_SECONDS=0
    run=(--device=0 --backend=direct -f sharpen a.ppm -o out.ppm)
    run --separate-stderr env LD_PRELOAD=./crash.so ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
        "$IMFILTER" "${run[@]}"
    [ "$status" -eq 134 ]
    no_temporaries
    imf_run "${run[@]}"
    [ "$status" -eq 3 ]
    one_line "an earlier run crashed while it was in use"
    [ -d cache/imfilter/pocl.crashed ]
    imf "${run[@]}"
    [ "$(find cache/imfilter -name "in-use*" | wc -l)" -eq 0 ]
}

@test "a driver that passed its trial is not tried again" {
    need_opencl
    unset IMFILTER_TRIAL_SECONDS
    make_driver empty ''
    make_pgm a.pgm
    OCL_ICD_VENDORS=$PWD/empty imf_run --list-devices
    [ "$status" -eq 0 ]
    first=$(loads empty)
    OCL_ICD_VENDORS=$PWD/empty imf_run --list-devices
    [ "$(loads empty)" -eq $((first + first / 2)) ]
    OCL_ICD_VENDORS=$PWD/empty IMFILTER_TRIAL_SECONDS=0 imf_run --list-devices
    [ "$(loads empty)" -eq $((first + first)) ]
    # What a driver's own variables switch on is tried.
    make_driver switched 'if (getenv("RUSTICL_ENABLE")) abort();'
    OCL_ICD_VENDORS=$PWD/switched imf_run --list-devices
    [ "$status" -eq 0 ]
    OCL_ICD_VENDORS=$PWD/switched RUSTICL_ENABLE=llvmpipe imf_run --list-devices
    one_line "was ended by SIGABRT"
}

# A run in the background whose trial hangs: $pid, and the trial's in $trial.
start_hanging() {
    rm -f trial
    touch hangs/driver.so # so that it is tried again
    IMFILTER_TRIAL_SECONDS=60 OCL_ICD_VENDORS=$PWD/hangs "$IMFILTER" --list-devices >/dev/null 2>&1 3>&- &
    pid=$!
    wait_for . trial
    trial=$(cat trial)
}

@test "what a killed trial leaves, or its killed parent, is removed" {
    need_opencl
    make_driver empty ''
    make_driver hangs 'int pid = open("trial.new", O_WRONLY | O_CREAT, 0600);
        dprintf(pid, "%d", getpid()); rename("trial.new", "trial"); for (;;) pause();'
    mkdir tmp cold
    export TMPDIR=$PWD/tmp
    for cache in /dev/null/none "$PWD/cold"; do
        [ "$cache" = /dev/null/none ] && base=tmp || base=cold/imfilter/pocl
        export XDG_CACHE_HOME=$cache
        start_hanging
        [ "$(find $base -name 'tempfile_imfilter_*' | wc -l)" -eq 1 ]
        # Another run leaves what is in use alone, and what belongs to it goes.
        OCL_ICD_VENDORS=$PWD/empty imf_run --list-devices
        [ "$(find $base -name 'tempfile_imfilter_*' | wc -l)" -eq 1 ]
        kill -KILL "$trial"
        wait "$pid" || true
        [ "$(find $base -name 'tempfile_imfilter_*' | wc -l)" -eq 0 ]
        start_hanging
        kill -KILL "$pid"
        wait "$pid" || true
        # The trial ends soon after its parent.
        for _ in $(seq 100); do
            OCL_ICD_VENDORS=$PWD/empty imf_run --list-devices
            [ -n "$(find $base -name 'tempfile_imfilter_*')" ] || break
            sleep 0.05
        done
        [ "$(find $base -name 'tempfile_imfilter_*' | wc -l)" -eq 0 ]
    done
}

@test "PoCL without a linker: a warning, right pixels, nothing left behind" {
    unset IMFILTER_TRIAL_SECONDS
    need_pocl
    imf -f kernel:1 --depth=16 "$TESTDATA/still.jpg" -o a.ppm
    large_kernel k.txt
    imf -f kernel:@k.txt:scale=auto -f invert --backend=cpu a.ppm -o want.ppm
    mkdir tmp
    # The cache is cold, so that the linker would be needed.
    run --separate-stderr env PATH="$PWD/none" TMPDIR="$PWD/tmp" XDG_CACHE_HOME="$PWD/cold" \
        "$IMFILTER" -f kernel:@k.txt:scale=auto -f invert a.ppm -o out.ppm
    echo "$stderr"
    [ "$status" -eq 0 ]
    [ "$(wc -l <<<"$stderr")" -le 1 ]
    cmp want.ppm out.ppm
    [ -z "$(ls tmp)" ]
    no_temporaries
}

@test "PoCL works where no cache directory can be made" {
    need_pocl
    imf -f sharpen --backend=cpu "$TESTDATA/gradient.png" -o want.png
    mkdir tmp
    run --separate-stderr env -u XDG_CACHE_HOME HOME=/proc TMPDIR="$PWD/tmp" \
        "$IMFILTER" -f sharpen --device=0 "$TESTDATA/gradient.png" -o out.png
    echo "$stderr"
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    cmp want.png out.png
    [ -z "$(ls tmp)" ]
}

@test "PoCL's files are in the cache directory, or where the user wants them" {
    need_pocl
    XDG_CACHE_HOME=$PWD/cold imf -f sharpen --device=0 "$TESTDATA/gradient.png" -o out.png
    [ "$(ls cold)" = imfilter ]
    [ -n "$(find cold/imfilter/pocl -name '*.so')" ]
    XDG_CACHE_HOME=$PWD/cold POCL_CACHE_DIR=$PWD/mine imf -f sharpen --device=0 "$TESTDATA/gradient.png" \
        -o out.png
    [ -n "$(find mine -name '*.so')" ]
}
