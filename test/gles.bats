# Kernels by OpenGL ES 2. Mesa draws on the processor where there is no GPU.
load helper

need_gles() {
    make_pgm probe.pgm
    imf_run -q --backend=gles -f sharpen probe.pgm -o probe.out.pgm
    [ "$status" -ne 3 ] || [ -n "${IMFILTER_NEED_GLES:-}" ] || skip "no OpenGL ES 2"
    [ "$status" -eq 0 ]
}

@test "the bytes are the reference's: channels, edges, ranges, chains" {
    need_gles
    local filters=('-f sharpen' '-f kernel:1,-2,0/3,4,-5/0,1,2:scale=7 --edge=mirror'
        '-f emboss --edge=wrap' '-f sobel --edge=constant:0.3' '-f laplacian --range=abs'
        '-f laplacian --range=offset --edge=reflect' '-f box:7' '-f sobel -f threshold:0.4'
        '-f laplacian -f sharpen -f box:3' '-f kernel:1,2,1/2,4,2/1,2,1:scale=-16:bias=1 -f invert')
    local images=(noise.png noise-rgb.png alpha.png) i=0
    for filter in "${filters[@]}"; do
        image=${images[$((i++ % 3))]}
        echo "$image: $filter"
        # shellcheck disable=SC2086 # several words
        imf -q $filter --backend=gles "$TESTDATA/$image" -o got.pam
        # shellcheck disable=SC2086
        imf -q $filter --backend=cpu "$TESTDATA/$image" -o want.pam
        cmp want.pam got.pam
    done
    imf_run -f box:7 --backend=gles --verify "$TESTDATA/noise-rgb.png"
    [[ $output == *": verified: "*", 0 differ, largest difference 0" ]]
}

@test "rows stream through shaders, in a batch on several threads, too" {
    need_gles
    make_flat tall.pgm 100 9000
    printf 'imfilter' | dd of=tall.pgm bs=1 seek=400000 conv=notrunc status=none
    mkdir in
    cp tall.pgm in/a.pgm
    cp tall.pgm in/b.pgm
    cp "$TESTDATA/noise.png" in/c.png
    imf -q -f sharpen -f box:5 --backend=cpu tall.pgm -o want.pgm
    imf -q -f sharpen -f box:5 --backend=gles tall.pgm -o got.pgm
    cmp want.pgm got.pgm
    imf -q -r -j3 -f sharpen -f box:5 --backend=gles in -o out/
    cmp want.pgm out/a.pgm
    cmp want.pgm out/b.pgm
    imf --json -f box:5 --backend=gles tall.pgm -o got.pgm | json 'o["backend"] + " " + o["algorithm"]' >got
    [ "$(cat got)" = "gles shader 5x5, exact, float32" ]
}

@test "a batch of many sizes keeps within --max-memory, though shaders are compiled" {
    need_gles
    imf --backend=gles -f sharpen --json "$TESTDATA/noise.png" -o out.png | json 'o["device"]' >name
    grep -q '^llvmpipe (LLVM 15' name || skip "what a driver takes was measured of another"
    ! grep -q __asan_init "$IMFILTER" || skip "the sanitizer takes memory of its own"
    local needs used
    mkdir in
    for i in {16..75}; do
        { printf 'P6\n%d 12\n255\n' "$i" && head -c $((i * 36)) /dev/zero; } >in/$i.ppm
    done
    needs=$(imf -f box:31 --backend=gles --explain --json -n in/75.ppm -o out.ppm |
        json 'o["memory_bytes"]')
    needs=$((needs / 1048576 + 1))
    export XDG_CACHE_HOME=$PWD/cold
    used=$(peak "$IMFILTER" -q -f box:31 --backend=gles -j4 --max-memory=${needs}M -r in -o out/)
    echo "$used of $needs MiB"
    [ "$used" -le "$needs" ]
}

@test "what shaders are not for is refused with its reason, and told by --explain" {
    make_flat large.pgm 40 30
    imf -f sharpen --depth=16 large.pgm -o wide.pgm
    local row why
    while IFS='|' read -r row why; do
        echo "$row"
        # shellcheck disable=SC2086 # several words
        imf_run $row --backend=gles -o out.pgm
        [ "$status" -eq 2 ]
        one_line "--backend=gles cannot do this: $why (try --backend=auto)"
        [ ! -e out.pgm ]
        # shellcheck disable=SC2086
        imf_run $row --explain
        grep -qF "  gles       -  " <<<"$output"
        grep -qF "  $why" <<<"$output"
    done <<'END'
-f blur:2 large.pgm|only kernels of integers: shaders promise no rounding
-f box:33 large.pgm|the kernel is larger than 31x31
-f sharpen wide.pgm|only 8-bit images
-f median:1 large.pgm|a median is not linear
-f lowpass:0.1 large.pgm|frequency-domain filters need the FFT
-f kernel:30000,30000,30000:scale=1 large.pgm|sums would reach 2^24
END
}

@test "without OpenGL ES asking for it is an error, and nothing else notices" {
    make_pgm a.pgm
    # What Mesa and others are found by.
    export __EGL_VENDOR_LIBRARY_FILENAMES=$PWD/none
    imf_run -f sharpen --backend=gles a.pgm -o out.pgm
    [ "$status" -eq 3 ]
    one_line "no OpenGL ES 2: "
    [ ! -e out.pgm ]
    imf_run -f sharpen --explain a.pgm -o out.pgm
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    grep -q '^  [0-9]*  *gles  *shader 3x3, exact, float32 ' <<<"$output"
}

# A library in a directory of its own, which is made of CODE; `loads` counts how often it came.
make_library() { # DIRECTORY NAME CODE
    command -v cc >/dev/null || skip "no compiler"
    mkdir "$1"
    {
        printf '#include <fcntl.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n'
        printf '__attribute__((constructor)) static void come(void) {\n'
        printf 'int log = open("%s", O_WRONLY | O_APPEND | O_CREAT, 0600);\n' "$PWD/$1/loads"
        printf '(void)!write(log, "x", 1);\nclose(log);\n}\n%s\n' "$3"
    } >"$1/library.c"
    cc -shared -fPIC -w -o "$1/$2" "$1/library.c"
}

loads() { # DIRECTORY
    wc -c <"$1/loads"
}

@test "a driver that aborts, hangs, crashes or draws rubbish is refused and tried once" {
    make_flat a.pgm 700 600
    printf 'imfilter' | dd of=a.pgm bs=1 seek=50000 conv=notrunc status=none
    export OCL_ICD_VENDORS=$PWD/none XDG_CACHE_HOME=$PWD/cache
    local driver expected drivers="aborts hangs"
    make_library aborts libEGL.so.1 'void *eglGetProcAddress(const char *name) { abort(); }'
    make_library hangs libEGL.so.1 "void *eglGetProcAddress(const char *name) { for (;;) pause(); }"
    if ! grep -q __asan_init "$IMFILTER"; then # which makes a crash an exit
        make_library crashes libEGL.so.1 'void *eglGetProcAddress(const char *name) { return (void *)16; }'
        drivers="$drivers crashes"
    fi
    # Both libraries are loaded before either is called; the other may not be here.
    for driver in $drivers; do
        cc -shared -o "$driver/libGLESv2.so.2" -x c /dev/null
    done
    make_library draws libGLESv2.so.2 'void glReadPixels(int x, int y, int w, int h, unsigned f, unsigned t, void *to)
{ memset(to, 7, (size_t)w * h * 4); }'
    imf_run -q --backend=gles -f sharpen a.pgm -o out.pgm
    [ "$status" -eq 3 ] || drivers="$drivers draws"
    for driver in $drivers; do
        case $driver in
        aborts) expected="was ended by SIGABRT" ;;
        hangs) expected="did not end within 1 s" ;;
        crashes) expected="was ended by SIGSEGV" ;;
        draws) expected="made wrong samples" ;;
        esac
        # A busy machine may take its time for what does not hang.
        [ $driver = hangs ] && export IMFILTER_TRIAL_SECONDS=1 || export IMFILTER_TRIAL_SECONDS=60
        export LD_LIBRARY_PATH=$PWD/$driver
        for _ in first again; do
            imf_run -f sharpen --backend=gles a.pgm -o asked.pgm
            echo "$driver: $status $stderr"
            [ "$status" -eq 3 ]
            one_line "a.pgm: OpenGL ES is unusable: a trial of it $expected"
            [ ! -e asked.pgm ]
            [ "$(loads $driver)" -eq 1 ]
        done
        # Left to choose, nobody looks for it.
        imf_run -f sharpen a.pgm -o out.pgm
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [ "$(loads $driver)" -eq 1 ]
    done
    # Another driver in the same place is tried again.
    cp aborts/libEGL.so.1 hangs/libEGL.so.1
    LD_LIBRARY_PATH=$PWD/hangs imf_run -f sharpen --backend=gles a.pgm -o out.pgm
    one_line "SIGABRT"
    no_temporaries
}

@test "a driver that passed its trial is not tried again" {
    unset IMFILTER_TRIAL_SECONDS
    need_gles
    make_pgm a.pgm
    make_library counts libGLESv2.so.2 ''
    export LD_LIBRARY_PATH=$PWD/counts XDG_CACHE_HOME=$PWD/cold
    imf -q --backend=gles -f sharpen a.pgm -o out.pgm
    [ "$(loads counts)" -eq 2 ]
    imf -q --backend=gles -f sharpen a.pgm -o out.pgm
    [ "$(loads counts)" -eq 3 ]
    # What a driver's own variables switch on is tried.
    MESA_NO_ERROR=1 imf -q --backend=gles -f sharpen a.pgm -o out.pgm
    [ "$(loads counts)" -eq 5 ]
    IMFILTER_TRIAL_SECONDS=0 MESA_NO_ERROR=0 imf -q --backend=gles -f sharpen a.pgm -o out.pgm
    [ "$(loads counts)" -eq 6 ]
}

@test "what Mesa has to say is not said, unless it is asked for" {
    need_gles
    make_pgm a.pgm
    export LIBGL_DRIVERS_PATH=$PWD/none
    EGL_LOG_LEVEL=warning imf_run -q --backend=gles -f sharpen a.pgm -o out.pgm
    [[ $status -eq 3 && $stderr == *libEGL* ]] || skip "this is no Mesa that looks for drivers there"
    imf_run -q --backend=gles -f sharpen a.pgm -o out.pgm
    [ "$status" -eq 3 ]
    one_line "no OpenGL ES 2: "
}

@test "--list-devices names it, and what auto does with it" {
    need_opencl
    unset IMFILTER_TRIAL_SECONDS
    need_gles
    local name
    imf_run --backend=gles -f sharpen --json "$TESTDATA/noise.png" -o out.png
    name=$(json 'o["device"]' <<<"$output")
    imf_run --list-devices
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"gles  $name  ("*"OpenGL ES "*"   auto: "*"   rates: as shipped (--tune measures OpenCL's)"* ]]
    imf --list-devices --json | grep '"index":null' >object
    [ "$(json 'o["backend"], o["name"], o["usable"], o["tuned"], o["lacks"]' <object)" = "('gles', '$name', True, False, '')" ]
    [[ $name != llvmpipe* ]] || grep -q '"kind":"cpu".*"auto":false,"why":"only with --backend=gles"' object

    # Not one that is not there, but one that is broken; and it where OpenCL's driver is.
    __EGL_VENDOR_LIBRARY_FILENAMES=$PWD/none imf_run --list-devices
    [[ $status -eq 0 && $output != *gles* ]]
    make_library aborts libEGL.so.1 'void *eglGetProcAddress(const char *name) { abort(); }'
    LD_LIBRARY_PATH=$PWD/aborts imf_run --list-devices
    [[ $status -eq 0 && $output == *"gles  OpenGL ES  (not opened) not usable: a trial of it was ended by SIGABRT"* ]]
    make_library opencl driver.so 'void *clGetExtensionFunctionAddress(const char *name) { abort(); }'
    echo "$PWD/opencl/driver.so" >opencl/driver.icd
    OCL_ICD_VENDORS=$PWD/opencl imf_run --list-devices
    [[ $status -eq 1 && $output == "gles  $name"* ]]
    one_line "the OpenCL driver is unusable"
}

@test "--device is OpenCL's" {
    make_pgm a.pgm
    for device in 0 gpu all llvmpipe; do
        imf_run -f sharpen --backend=gles --device=$device a.pgm -o out.pgm
        [ "$status" -eq 2 ]
        one_line "--device chooses an OpenCL device, of which --backend=gles uses none"
        [ ! -e out.pgm ]
    done
    imf_run -f sharpen --backend=gles --device=auto a.pgm -o out.pgm
    [ "$status" -ne 2 ]
}
