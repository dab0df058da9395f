# A control group's quota of processor time counts in the default number of jobs, its limit of memory is that of a run.
load helper

# A layer that claims eight processors, shows files of a directory instead of those below /proc and
# /sys/fs/cgroup, and counts threads in the file `threads`.
need_groups() {
    export IMFILTER_SANDBOX=0 # the layer reads what stands for /sys elsewhere
    command -v cc >/dev/null || skip "no compiler"
    ! grep -q __asan_init "$IMFILTER" || skip "a preloaded library comes before the sanitizer's"
    cat >layer.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
static atomic_int threads;
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
    memset(set, 0, size);
    for (int i = 0; i < 8; i++)
        CPU_SET(i, set);
    return 0;
}
static FILE *open_as(const char *call, const char *path, const char *mode) {
    FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, call);
    char other[4096];
    if (strcmp(path, "/proc/self/cgroup") && strncmp(path, "/sys/fs/cgroup", 14))
        return real(path, mode);
    snprintf(other, sizeof other, "root%s", path);
    return real(other, mode);
}
FILE *fopen(const char *path, const char *mode) { return open_as("fopen", path, mode); }
FILE *fopen64(const char *path, const char *mode) { return open_as("fopen64", path, mode); }
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *data) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    atomic_fetch_add(&threads, 1);
    return real(thread, how, run, data);
}
__attribute__((destructor)) static void tell(void) {
    FILE *f = fopen("threads", "w");
    fprintf(f, "%d\n", threads);
    fclose(f);
}
C
    cc -shared -fPIC -w -o layer.so layer.c -ldl
    mkdir in
    for i in 1 2 3 4 5 6 7 8 9; do
        printf 'P2 2 1 255 %d 0\n' $i >in/$i.pgm
    done
}

limits() { # PATH TEXT, below /sys/fs/cgroup
    mkdir -p "$(dirname "root/sys/fs/cgroup/$1")"
    echo "$2" >"root/sys/fs/cgroup/$1"
}

# Jobs at once are the calling thread and others; one more names the outputs, one waits for signals.
jobs_are() { # NUMBER TEXT-OF-/proc/self/cgroup
    mkdir -p root/proc/self
    echo "$2" >root/proc/self/cgroup
    rm -rf out threads
    LD_PRELOAD=$PWD/layer.so imf --backend=cpu -f invert -r in -o out/
    echo "$2: $(cat threads) for $1 jobs"
    [ "$(cat threads)" -eq $(($1 > 1 ? $1 + 1 : 1)) ]
}

@test "a group's quota of processor time is the number of jobs, rounded up" {
    need_groups
    jobs_are 8 0::/
    limits cpu.max 'max 100000'
    limits a/cpu.max '250000 100000'
    limits a/b/cpu.max '600000 100000'
    limits c/cpu.max '200000 50000'
    limits d/cpu.max '9000000 100000'
    limits e/cpu.max '1 100000'
    jobs_are 8 0::/
    jobs_are 3 0::/a
    jobs_are 3 0::/a/b
    jobs_are 4 0::/c
    jobs_are 4 0::/c/none
    jobs_are 8 0::/d
    jobs_are 1 0::/e
}

@test "a quota of the first version of groups counts likewise" {
    need_groups
    limits cpu/cpu.cfs_quota_us -1
    limits cpu/cpu.cfs_period_us 100000
    limits cpu/docker/cpu.cfs_quota_us 350000
    limits cpu/docker/cpu.cfs_period_us 100000
    limits memory/docker/memory.limit_in_bytes 9223372036854771712
    jobs_are 4 '4:cpu,cpuacct:/docker'
    jobs_are 4 '4:cpuacct,cpu:/docker/other'
    jobs_are 8 '4:cpuset,cpuacct:/docker'
    jobs_are 8 '4:cpu,cpuacct:/'
}

# ---- memory ----------------------------------------------------------------------------------

in_group() { # TEXT-OF-/proc/self/cgroup OPTION...: the whole image at once, in plain C
    mkdir -p root/proc/self
    echo "$1" >root/proc/self/cgroup
    shift
    LD_PRELOAD=$PWD/layer.so imf_run --backend=cpu -f lowpass:0.1 "$@" --explain a.pgm
}

@test "a group's limit of memory is a run's, unless --max-memory says otherwise" {
    need_groups
    printf 'P5 2000 1500 255\n' >a.pgm
    limits memory.max max
    limits a/memory.max $((30 << 20))
    limits a/b/memory.max $((1 << 40))
    limits memory/docker/memory.limit_in_bytes $((30 << 20))
    for group in 0::/a 0::/a/b 0::/a/b/c 4:memory:/docker 4:memory:/docker/other; do
        in_group "$group"
        echo "$group: $stderr"
        [ "$status" -eq 1 ]
        one_line "over the limit of 30 MiB (raise it with --max-memory)"
        in_group "$group" --max-memory=0
        [ "$status" -eq 0 ]
        in_group "$group" --max-memory=1G
        [ "$status" -eq 0 ]
    done
    for group in 0::/ 4:cpu:/docker; do
        in_group "$group"
        [ "$status" -eq 0 ]
    done
}

# A group of this machine's, where one may be made.
need_memory_group() { # BYTES
    local root
    for root in /sys/fs/cgroup/memory /sys/fs/cgroup; do
        memory_group=$root/imfilter-test-$$
        mkdir "$memory_group" 2>/dev/null || continue
        for limit in memory.limit_in_bytes memory.max; do
            if [ -e "$memory_group/$limit" ] && echo "$1" >"$memory_group/$limit"; then
                [ ! -e "$memory_group/memory.swap.max" ] || echo 0 >"$memory_group/memory.swap.max"
                return
            fi
        done
        rmdir "$memory_group"
    done
    memory_group=
    skip "no group with a limit of memory may be made"
}

teardown() {
    [ -z "${memory_group:-}" ] || rmdir "$memory_group"
}

@test "what does not fit into a group's memory is refused, not killed" {
    ! grep -q __asan_init "$IMFILTER" || skip "the sanitizer takes memory of its own"
    need_memory_group $((60 << 20))
    { printf 'P6 4000 3000 255\n' && head -c 36000000 /dev/zero; } >a.ppm
    # Where nothing is cached yet, and a driver would be tried first.
    export XDG_CACHE_HOME=$PWD/cache IMFILTER_TRIAL_SECONDS=20
    for options in '--backend=cpu -f lowpass:0.1' '--backend=fft -f blur:20' '--backend=direct -f sharpen' \
        '-f lowpass:0.1'; do
        # shellcheck disable=SC2086 # a list of options
        run sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$memory_group" "$IMFILTER" $options a.ppm -o out.ppm
        echo "$options: $status, $output"
        [ "$status" -eq 1 ]
        [[ $output == *"over the limit of 60 MiB (raise it with --max-memory)"* ]]
        [ ! -e out.ppm ]
    done
    run sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$memory_group" "$IMFILTER" -f blur:20 a.ppm -o out.ppm
    [ "$status" -eq 0 ]
}
