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
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Requests that do nothing: of no descriptor, no process, no name. Each is refused before the kernel looks. Of those
 * marked n with a driver not; those marked s are sanitizers' own; those marked u do something where they are not refused, or
 * may be refused by the kernel itself. */
#define NO_ONE 0x7ffffff0L
static const struct request {
    const char *mark, *name;
    long call, args[5];
} requests[] = {
#define AT(mark, call, ...) {mark, #call, SYS_##call, {__VA_ARGS__}},
#define NR(mark, name, number, ...) {mark, name, number, {__VA_ARGS__}},
    AT("", socket, 99) AT("", socketpair, 99) AT("", bind, -1) AT("", connect, -1) AT("", listen, -1) AT("", accept4, -1)
    AT("", sendto, -1) AT("", sendmsg, -1) AT("", sendmmsg, -1) AT("", recvfrom, -1) AT("", recvmsg, -1)
    AT("", recvmmsg, -1) AT("", setsockopt, -1) AT("", shutdown, -1)
    NR("", "io_uring_setup", 425, 0) NR("", "io_uring_enter", 426, -1) NR("", "io_uring_register", 427, -1)
    NR("", "ioctl TIOCSTI", SYS_ioctl, -1, TIOCSTI) NR("", "ioctl TIOCLINUX", SYS_ioctl, -1, TIOCLINUX)
    NR("", "ioctl TIOCSETD", SYS_ioctl, -1, TIOCSETD) NR("", "ioctl TIOCSCTTY", SYS_ioctl, -1, TIOCSCTTY)
    NR("", "ioctl TCSETS", SYS_ioctl, -1, TCSETS) NR("", "ioctl FIOSETOWN", SYS_ioctl, -1, 0x8901)
    NR("", "ioctl", SYS_ioctl, -1, 0) AT("u", vhangup, 0)
    AT("", prlimit64, NO_ONE, RLIMIT_NOFILE) AT("", sched_setaffinity, NO_ONE) AT("", sched_setscheduler, NO_ONE)
    AT("", sched_setparam, NO_ONE) AT("", sched_setattr, NO_ONE) AT("", setpgid, NO_ONE)
    AT("", migrate_pages, NO_ONE) AT("", move_pages, NO_ONE) AT("", setpriority, 0, NO_ONE) AT("", ioprio_set, 1, NO_ONE)
    AT("", process_vm_readv, NO_ONE) AT("", process_vm_writev, NO_ONE) AT("", kcmp, NO_ONE, NO_ONE)
    AT("u", perf_event_open, 0) AT("", rt_sigqueueinfo, NO_ONE) AT("", rt_tgsigqueueinfo, NO_ONE, NO_ONE)
    NR("", "pidfd_send_signal", 424, -1) NR("", "pidfd_open", 434, NO_ONE) NR("", "pidfd_getfd", 438, -1)
    NR("", "process_madvise", 440, -1) NR("", "process_mrelease", 448, -1) NR("", "prctl", SYS_prctl, 62, -1)
    NR("", "fcntl", SYS_fcntl, -1, F_SETOWN) NR("", "fcntl 15", SYS_fcntl, -1, 15) NR("", "fcntl 10", SYS_fcntl, -1, 10)
    NR("", "fcntl 1024", SYS_fcntl, -1, 1024) NR("", "fcntl 1026", SYS_fcntl, -1, 1026)
    AT("s", ptrace, -1, NO_ONE) AT("s", kill, NO_ONE) AT("s", tgkill, NO_ONE, NO_ONE) AT("s", tkill, NO_ONE)
    NR("s", "kill all", SYS_kill, -1, -1)
    AT("nu", execve, 0) AT("n", execveat, -1)
#ifdef SYS_fork
    AT("nu", fork, 0) AT("nu", vfork, 0) AT("n", chmod, (long)"") AT("n", chown, (long)"") AT("n", lchown, (long)"")
    AT("n", utimes, (long)"") AT("n", futimesat, -100, (long)"") AT("n", utime, (long)"")
#endif
    NR("", "clone", SYS_clone, 0x10000000, 0x10000000) AT("", unshare, -1) AT("", setns, -1)
    AT("n", fchmodat, -100, (long)"") AT("n", truncate, (long)"", 0) NR("n", "fchmodat2", 452, -100, (long)"")
    AT("n", fchownat, -100, (long)"") AT("n", utimensat, -100, (long)"")
    AT("", setxattr, (long)"", (long)"user.a") AT("", lsetxattr, (long)"", (long)"user.a")
    AT("", removexattr, (long)"", (long)"user.a") AT("", lremovexattr, (long)"", (long)"user.a")
    NR("", "setxattrat", 463, -1) NR("", "removexattrat", 466, -1) NR("", "file_setattr", 469, -1)
    AT("", inotify_add_watch, -1) AT("", fanotify_init, -1) AT("", open_by_handle_at, -1) AT("", mq_open, 0)
    AT("", mq_unlink, 0)
#ifdef SYS_shmget
    AT("", shmget, NO_ONE) AT("", shmat, -1) AT("", shmctl, -1) AT("", semget, NO_ONE) AT("", semctl, -1)
    AT("", msgget, NO_ONE) AT("", msgsnd, -1) AT("", msgrcv, -1) AT("", msgctl, -1)
#endif
    AT("", add_key, 0) AT("", request_key, 0) AT("", keyctl, -1) AT("", bpf, -1) AT("", userfaultfd, -1)
    AT("", mount, (long)"", (long)"") AT("", umount2, (long)"") AT("", pivot_root, (long)"", (long)"") AT("", chroot, (long)"")
    NR("", "open_tree", 428, -1) NR("", "move_mount", 429, -1) NR("", "fsopen", 430, 0) NR("", "fsconfig", 431, -1)
    NR("", "fsmount", 432, -1) NR("", "fspick", 433, -1) NR("", "mount_setattr", 442, -1)
    AT("", swapon, (long)"") AT("", swapoff, (long)"") AT("", quotactl, -1) NR("", "quotactl_fd", 443, -1) AT("", acct, (long)"")
    AT("", syslog, -1) AT("", reboot, 0) AT("", kexec_load, 0, 0, 0, 0xffff) AT("", init_module, 0)
    AT("", finit_module, -1) AT("", delete_module, 0) AT("", sethostname, 0, -1) AT("", setdomainname, 0, -1)
    AT("", settimeofday, 1, 1) AT("", clock_settime, -1) AT("", adjtimex, 0) AT("", clock_adjtime, -1)
#ifdef SYS_iopl
    AT("", iopl, 9) AT("", ioperm, -1, -1)
#endif
    /* What a run needs is not refused. */
    NR("+", "ioctl TCGETS", SYS_ioctl, -1, TCGETS) NR("+", "ioctl TIOCGWINSZ", SYS_ioctl, -1, TIOCGWINSZ)
    AT("+", prlimit64, 0, RLIMIT_NOFILE) AT("+", sched_setaffinity, 0) AT("+", fcntl, -1, F_GETFD)
    AT("+", utimensat, -1, 0) AT("+", fchmod, -1) AT("+", clone3, 0) NR("+", "prctl", SYS_prctl, -1)
};

/* Print "refused", or how it ended, of each request whose mark is wanted. */
static int request_all(const char *passed_over) {
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const struct request *r = &requests[i];
        if (strpbrk(r->mark, passed_over))
            continue;
        errno = 0;
        long done = syscall(r->call, r->args[0], r->args[1], r->args[2], r->args[3], r->args[4]);
        bool refused = done == -1 && errno == EACCES;
        fprintf(stderr, "request %s%s: %s\n", *r->mark == '+' ? "+" : "", r->name,
                refused ? "refused" : done >= 0 ? "done" : strerror(errno));
    }
    return 0;
}

static int run(const char *path) {
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC))
        return -1;
    pid_t child = fork();
    if (child < 0)
        return -1;
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
    if (!strcmp(what, "requests"))
        return request_all(path);
    if (!strcmp(what, "kill"))
        return kill(strcmp(path, "self") ? atoi(path) : getpid(), 0);
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

# Which requests that calls.c refuses were refused, and which that it allows were not.
check_requests() { # DRIVERS, with what was printed in $stderr
    local passed_over=$1 kind call names not_refused
    grep '^request [^+]' <<<"$stderr" >got
    [ "$(wc -l <got)" -gt 90 ]
    not_refused=$(grep -v ': refused$' got) || true
    echo "$not_refused"
    [ -z "$not_refused" ]
    grep '^request +' <<<"$stderr" >allowed
    [ "$(wc -l <allowed)" -eq 9 ]
    [ "$(grep -c ': refused$' allowed)" -eq 0 ]
    # None that is refused is missing here.
    names=$(sed -nE 's/^ +(REFUSE|REFUSE_NEW|NO_DRIVERS|OF_ITSELF|IF)\(([A-Za-z0-9_]+).*/\1 \2/p' \
        "$BATS_TEST_DIRNAME/../cli/sandbox/calls.c" | tr 'A-Z' 'a-z')
    [ "$(wc -l <<<"$names")" -gt 90 ]
    while read -r kind call; do
        case $call in
        ptrace | tkill) [[ $passed_over != *s* ]] || continue ;;
        accept | send | recv | socketcall | fcntl64 | ipc | semop | semtimedop | truncate64 | chown32 | lchown32 | *_time64 | clock_settime64 | clock_adjtime64) continue ;; # not everywhere
        esac
        [ "$kind" != no_drivers ] || [[ $passed_over != *n* ]] || continue
        grep -q "^request ${call}[ :]" got || { echo "no request of $call"; false; }
    done <<<"$names"
}

@test "a decoder reaches no terminal, no other process and not the machine: requests that do nothing are refused" {
    make_places
    sanitized=x
    ! grep -q __asan_init "$IMFILTER" || sanitized=s
    evil success requests "$sanitized" --backend=cpu -f invert in/a.jpg -o out/a.ppm
    check_requests "$sanitized"
    # Without the sandbox the kernel answers otherwise, so that the test sees what it looks for.
    evil success requests u --no-sandbox --backend=cpu -f invert in/a.jpg -o out/a.ppm
    [ "$(grep -c '^request' <<<"$stderr")" -gt 90 ]
    [ "$(grep -c '^request.*: refused$' <<<"$stderr")" -eq 0 ]
}

@test "with PoCL likewise, but for what a linker and the driver's trial need" {
    need_landlock
    need_pocl
    make_places
    sanitized=n
    ! grep -q __asan_init "$IMFILTER" || sanitized=ns
    evil success requests "$sanitized" --sandbox --device=0 -f blur:1 in/a.jpg -o out/a.ppm
    stderr=$(grep -v -e '^request tgkill' <<<"$stderr") # abort() in a child of the driver's
    check_requests "$sanitized"
}

@test "a decoder signals no other process, but itself" {
    grep -q __asan_init "$IMFILTER" && skip "the sanitizer needs signals"
    make_places
    evil 'Permission denied' kill $$ --backend=cpu -f invert in/a.jpg -o out/a.ppm
    evil 'Permission denied' kill 0 --backend=cpu -f invert in/a.jpg -o out/a.ppm
    evil success kill self --backend=cpu -f invert in/a.jpg -o out/a.ppm
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
    XDG_CACHE_HOME=$PWD/cold IMFILTER_TRIAL_SECONDS=120 evil 'Permission denied' read "$PWD/home/secret" "${run[@]}" \
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
