# The sandbox: a decoder that a file has taken over reads, writes, connects to and runs nothing else; all else works as without.
load helper

# A JPEG reader that, when it sees a header, tries what $EVIL says and prints how that went.
setup_file() {
    cat >"$BATS_FILE_TMPDIR/evil.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(const char *path) {
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC))
        return -1;
    pid_t child = fork();
    if (child == 0) {
        execl(path, path, (char *)NULL);
        error = errno;
        _exit(write(report[1], &error, sizeof error) < 0);
    }
    close(report[1]);
    ssize_t n = read(report[0], &error, sizeof error);
    waitpid(child, NULL, 0);
    errno = error;
    return n > 0 ? -1 : 0;
}

static int try(const char *what, const char *path) {
    if (!strcmp(what, "read"))
        return open(path, O_RDONLY);
    if (!strcmp(what, "write"))
        return open(path, O_WRONLY | O_CREAT, 0600);
    if (!strcmp(what, "truncate"))
        return truncate(path, 0);
    if (!strcmp(what, "remove"))
        return unlink(path);
    if (!strcmp(what, "rename"))
        return rename(path, "renamed");
    if (!strcmp(what, "socket"))
        return socket(atoi(path), SOCK_STREAM, 0);
    if (!strcmp(what, "io_uring"))
        return (int)syscall(425, 1, NULL);
    if (!strcmp(what, "kill"))
        return kill(atoi(path), 0);
    return run(path);
}

int jpeg_read_header(void *cinfo, int require) {
    int (*next)(void *, int) = (int (*)(void *, int))dlsym(RTLD_NEXT, "jpeg_read_header");
    int got = try(getenv("EVIL"), getenv("EVIL_PATH"));
    fprintf(stderr, "evil: %s\n", got >= 0 ? "success" : strerror(errno));
    return next(cinfo, require);
}
END
    ${CC:-cc} -shared -fPIC -o "$BATS_FILE_TMPDIR/evil.so" "$BATS_FILE_TMPDIR/evil.c" -ldl
}

need_landlock() {
    make_ppm .probe.ppm
    imf_run --sandbox --backend=cpu -f kernel:1 .probe.ppm -o .probe.out.ppm
    [ "$status" -ne 2 ] || skip "${stderr#*--sandbox: }"
}

# What the decoder tries there ends like this.
evil() { # RESULT WHAT PATH OPTION...
    local result=$1 what=$2 path=$3
    shift 3
    run --separate-stderr env EVIL="$what" EVIL_PATH="$path" LD_PRELOAD="$BATS_FILE_TMPDIR/evil.so" \
        ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$IMFILTER" "$@"
    echo "$what $path: $stderr"
    [ "$status" -eq 0 ]
    [[ $stderr == *"evil: $result"* ]]
}

make_places() {
    mkdir in out home
    make_jpeg in/a.jpg
    echo secret >home/secret
}

@test "a decoder opens no other file, and writes nowhere else" {
    need_landlock
    make_places
    for backend in vector cpu; do
        run=(--backend="$backend" -f blur:1 in/a.jpg -o out/a.ppm)
        evil 'Permission denied' read "$PWD/home/secret" "${run[@]}"
        evil 'Permission denied' read "$PWD/home" "${run[@]}"
        evil 'Permission denied' write "$PWD/home/new" "${run[@]}"
        evil 'Permission denied' write "$PWD/in/a.jpg" "${run[@]}"
        evil 'Permission denied' truncate "$PWD/home/secret" "${run[@]}"
        evil 'Permission denied' remove "$PWD/home/secret" "${run[@]}"
        evil 'Permission denied' rename "$PWD/home/secret" "${run[@]}"
        evil success read "$PWD/in/a.jpg" "${run[@]}"
        evil success write "$PWD/out/b.ppm" "${run[@]}"
    done
    [ "$(cat home/secret)" = secret ]
    [ ! -e home/new ]
    # Without the sandbox it does, so that the test sees what it looks for.
    for off in --no-sandbox -q; do
        [ "$off" = --no-sandbox ] || export IMFILTER_SANDBOX=0
        evil success read "$PWD/home/secret" "$off" "${run[@]}"
        evil success write "$PWD/home/new" "$off" "${run[@]}"
    done
    # What is asked for on the command line has the last word.
    evil 'Permission denied' read "$PWD/home/secret" --sandbox "${run[@]}"
}

@test "a decoder makes no socket and runs no program" {
    make_places
    for backend in vector cpu; do
        run=(--backend="$backend" -f blur:1 in/a.jpg -o out/a.ppm)
        for family in 1 2 10 16; do
            evil 'Permission denied' socket "$family" "${run[@]}"
        done
        evil 'Permission denied' io_uring - "${run[@]}"
        evil 'Permission denied' run /bin/true "${run[@]}"
        evil success run /bin/true --no-sandbox "${run[@]}"
        evil success socket 1 --no-sandbox "${run[@]}"
    done
}

@test "a decoder signals no other process (Linux 6.12)" {
    need_landlock
    [ "$(printf '6.12\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.12 ] || skip "this is Linux $(uname -r)"
    make_places
    evil 'Operation not permitted' kill $$ --backend=cpu -f invert in/a.jpg -o out/a.ppm
    evil success kill $$ --no-sandbox --backend=cpu -f invert in/a.jpg -o out/a.ppm
}

@test "masks, pictures of kernels, spectra and images of a batch are decoded inside, too" {
    need_landlock
    make_places
    make_ppm plain.ppm
    cp in/a.jpg in/b.jpg
    cp in/a.jpg mask.jpg
    evil 'Permission denied' read "$PWD/home/secret" --backend=cpu -f invert --mask=mask.jpg plain.ppm -o out/m.ppm
    printf 'P2\n3 3\n255\n0 9 0 9 90 9 0 9 0\n' >odd.pgm
    imf -f kernel:1 odd.pgm -o odd.jpg
    evil 'Permission denied' read "$PWD/home/secret" --backend=cpu -f kernel:@odd.jpg plain.ppm -o out/k.ppm
    evil 'Permission denied' read "$PWD/home/secret" --spectrum=out/s.png in/a.jpg
    for jobs in 1 2; do
        evil 'Permission denied' read "$PWD/home/secret" -q -j "$jobs" --backend=cpu -f invert -r in -o out/
        [ "$(grep -c 'Permission denied' <<<"$stderr")" -eq 2 ]
    done
}

@test "with PoCL a decoder opens no other file and makes no socket; programs are the system's" {
    need_landlock
    need_pocl
    make_places
    printf '#!/bin/sh\n' >out/mine && chmod +x out/mine
    run=(--sandbox --device=0 -f blur:1 in/a.jpg -o out/a.ppm)
    evil 'Permission denied' read "$PWD/home/secret" "${run[@]}"
    evil 'Permission denied' write "$PWD/home/new" "${run[@]}"
    evil 'Permission denied' socket 2 "${run[@]}"
    evil 'Permission denied' run "$PWD/out/mine" "${run[@]}"
    evil success run /bin/true "${run[@]}"
    # A cache that is new, and the trial of the driver in a child process.
    XDG_CACHE_HOME=$PWD/cold IMFILTER_TRIAL_SECONDS=20 evil 'Permission denied' read "$PWD/home/secret" "${run[@]}" \
        --backend=direct --json
    grep -q '"backend": *"direct"' <<<"$output"
}

@test "everything ordinary works inside" {
    need_landlock
    make_ppm a.ppm
    make_png b.png
    mkdir -p tree/below elsewhere
    cp a.ppm tree/below/c.ppm
    ln -s ../elsewhere/real.ppm tree/link.ppm
    cp a.ppm elsewhere/real.ppm
    printf '0 1 0\n1 2 1\n0 1 0\n' >k.txt
    export IMFILTER_PATH=$PWD/filters XDG_CONFIG_HOME=$PWD/config
    mkdir -p filters config/imfilter
    printf '1 2 1\n' | tee filters/one.flt config/imfilter/two.flt >named.flt
    set -- --sandbox --backend=vector
    imf "$@" -f invert -r tree -o made/tree/
    [ -e made/tree/below/c.ppm ]
    imf "$@" -f invert -i.bak a.ppm b.png
    [ -e a.ppm.bak ]
    imf "$@" -f invert -i -r tree
    imf "$@" -f invert --suffix=-x a.ppm
    imf "$@" -f invert -i tree/link.ppm
    [ -h tree/link.ppm ]
    imf "$@" -f invert - -o - <a.ppm >piped.ppm
    imf "$@" -f invert /dev/stdin -o /dev/stdout <a.ppm | cmp - piped.ppm
    imf "$@" -f invert <(cat a.ppm) -o - | cmp - piped.ppm
    imf "$@" -f invert a.ppm -o /dev/null --format=ppm
    printf '%s\n' a.ppm b.png | imf "$@" -f invert --files-from=- -j 2 -o list/
    imf "$@" -f kernel:@k.txt:scale=auto -f blur:1 -f ./named.flt a.ppm -o k.ppm
    imf "$@" -f median:@k.txt -f "blend:normal:@b.png" a.ppm -o m.ppm
    imf "$@" -f one a.ppm -o one.ppm
    imf "$@" -f two a.ppm -o two.ppm
    imf "$@" -f blur:1 --mask=b.png a.ppm -o mask.ppm
    imf "$@" -f blur:1 --show-kernel=kernel.png a.ppm -o blur.ppm >/dev/null
    imf "$@" -f blur:1 --show-kernel=- >pfm.png
    imf "$@" -f blur:1 --spectrum=spectrum.png --verify --bench=1 --explain --timing -v a.ppm
    imf --sandbox --spectrum=other.png a.ppm >/dev/null
    imf "$@" -f blur:1 --progress=always a.ppm b.png -o progress/
    [ -s kernel.png ]
    [ -s spectrum.png ]
    cp "$IMFILTER" elsewhere/imfilter
    elsewhere/imfilter "$@" -f invert a.ppm -o moved.ppm
}

@test "PoCL gives the same pixels inside, from a cold cache and from a warm one" {
    need_landlock
    need_pocl
    make_ppm a.ppm
    export XDG_CACHE_HOME=$PWD/cold
    imf --sandbox --device=0 --backend=direct -f sharpen a.ppm -o cold.ppm
    imf --sandbox --device=0 --backend=direct -f sharpen a.ppm -o warm.ppm
    imf --no-sandbox --device=0 --backend=direct -f sharpen a.ppm -o without.ppm
    cmp cold.ppm without.ppm
    cmp warm.ppm without.ppm
    [ -n "$(ls "$XDG_CACHE_HOME/imfilter/pocl")" ]
}

@test "drivers that may need more are left alone, and -v says so" {
    make_ppm a.ppm
    mkdir vendors
    echo libother.so.1 >vendors/other.icd
    export OCL_ICD_VENDORS=$PWD/vendors/
    imf_run -v -f invert a.ppm -o out.ppm
    [ "$status" -eq 0 ]
    [[ $stderr == *"no sandbox: the OpenCL driver libother.so.1 may need more than it allows (--backend=vector does without drivers)"* ]]
    imf_run -f invert a.ppm -o out.ppm
    [ -z "$stderr" ]
    imf_run --sandbox -f invert a.ppm -o out2.ppm
    [ "$status" -eq 2 ]
    one_line "--sandbox: the OpenCL driver libother.so.1 "
    [ ! -e out2.ppm ]
    imf_run -v --backend=vector -f invert a.ppm -o out3.ppm
    [[ $stderr != *"OpenCL driver"* ]]
}

@test "where the kernel has no Landlock: --sandbox is an error, and sockets are refused all the same" {
    make_places
    cat >deny.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, code};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program, 0, 0))
        return 99;
    execv(argv[1], argv + 1);
    return 98;
}
END
    ${CC:-cc} -o deny deny.c
    run --separate-stderr ./deny "$IMFILTER" --sandbox --backend=cpu -f invert in/a.jpg -o out/a.ppm
    [ "$status" -eq 2 ]
    one_line "--sandbox: this system has no Landlock, which Linux has from 5.13 on"
    [ ! -e out/a.ppm ]
    run --separate-stderr ./deny "$IMFILTER" -v --backend=cpu -f invert in/a.jpg -o out/a.ppm
    [ "$status" -eq 0 ]
    [[ $stderr == *"no sandbox: this system has no Landlock"* ]]
    run --separate-stderr ./deny "$(command -v env)" EVIL=socket EVIL_PATH=2 LD_PRELOAD="$BATS_FILE_TMPDIR/evil.so" \
        ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$IMFILTER" --backend=cpu -f invert in/a.jpg -o out/a.ppm
    [[ $stderr == *"evil: Permission denied"* ]]
}
