/*
 * calls.c - the system calls that a confined run does without, argument by argument
 *
 * Landlock decides which files can be opened, made, renamed and removed, and not what else a call can
 * reach: another process, the terminal, the network, a file's attributes, the machine. What is left
 * after these rules reaches the process itself and what it has open:
 *
 *   allowed                       why                                 arguments that are looked at
 *   read, write, seek, sync...    images, on open descriptors         none: a descriptor is what was opened
 *   open*, stat*, access*,        inputs, outputs, cache: those that  paths: by Landlock. stat() and access()
 *   rename*, link*, unlink*,      Landlock has rules for              tell of any file whether it is there;
 *   mkdir*, mknod*, readlink*                                         mknod makes none
 *   fchmod, fchown, f*xattr,      an output's attributes are its      none: a path is refused where no
 *   utimensat(fd, NULL)           input's                             linker is run, which needs chmod()
 *   fcntl                         close-on-exec, locks, flags         command: no signals to others, no leases
 *   ioctl                         is it a terminal, and how wide;     request: those five, so that none fakes
 *                                 a file's flags                      input (TIOCSTI, TIOCLINUX) or sets one up
 *   mmap, mprotect, brk, futex    memory, threads                     none: the process's own
 *   clone                         threads; with drivers the trial     flags: no namespaces; without drivers
 *                                 and a linker                        threads only
 *   clone3                        as clone, which glibc falls back on ENOSYS: its flags are in memory
 *   fork, vfork, execve           with drivers: as clone              paths: by Landlock
 *   kill, tgkill                  abort(); with drivers: the end of   process: itself; with drivers of kill()
 *                                 a trial that hangs                  SIGKILL to a group. From Linux 6.12 on
 *                                                                     Landlock lets no signal out
 *   tkill                         abort() of C libraries but glibc    as tgkill's, where it is refused
 *   prlimit64, sched_set*,        its own limits and affinity, which  process: 0, itself
 *   setpgid, *_pages              PoCL's hwloc sets for a moment
 *   prctl                         names of threads, the end with the  option: but PR_SCHED_CORE, which takes a
 *                                 parent                              process
 *   clocks, timers, signals,      the process's own                   none
 *   rlimits, ids, poll, pipes
 *
 * A 64-bit program's calls of other architectures, and those that are newer than these rules and take
 * a path, are refused or Landlock's.
 */
#include "sandbox/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

/* Calls that headers may lack; the numbers are the same on all architectures but alpha. */
enum {
    PIDFD_SEND_SIGNAL = 424,
    IO_URING_SETUP,
    IO_URING_ENTER,
    IO_URING_REGISTER,
    OPEN_TREE,
    MOVE_MOUNT,
    FSOPEN,
    FSCONFIG,
    FSMOUNT,
    FSPICK,
    PIDFD_OPEN,
    CLONE3,
    PIDFD_GETFD = 438,
    PROCESS_MADVISE = 440,
    MOUNT_SETATTR = 442,
    QUOTACTL_FD = 443,
    PROCESS_MRELEASE = 448,
    FCHMODAT2 = 452,
    SETXATTRAT = 463,
    REMOVEXATTRAT = 466,
    FILE_SETATTR = 469
};
#define TCGETS2_REQUEST 0x802c542a
#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif
#define NAMESPACES                                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET)
#ifdef __s390x__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif

/* Leaks are looked for by a process that traces this one. */
#if defined __SANITIZE_ADDRESS__
#define SANITIZED
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

#define REFUSE(call)                                                                               \
    { SYS_##call, CALLS_REFUSE, 0, 0, CALLS_ALWAYS, 0 }
#define REFUSE_NEW(call)                                                                           \
    { call, CALLS_REFUSE, 0, 0, CALLS_ALWAYS, 0 }
#define NO_DRIVERS(call)                                                                           \
    { SYS_##call, CALLS_REFUSE, 0, 0, CALLS_NO_DRIVERS, 0 }
#define OF_ITSELF(call)                                                                            \
    { SYS_##call, CALLS_REFUSE_UNLESS, 0, 0, CALLS_ALWAYS, 0 }
#define IF(call, argument, value)                                                                  \
    { SYS_##call, CALLS_REFUSE_IF, argument, (uint32_t)(value), CALLS_ALWAYS, 0 }
#define OWN 0x80000000U /* stands for this process in what follows */

static const struct calls_rule rules[] = {
/* The network, also on descriptors that the parent left open, and what makes sockets otherwise. */
#ifdef SYS_socket
    REFUSE(socket),
    REFUSE(socketpair),
    REFUSE(bind),
    REFUSE(connect),
    REFUSE(listen),
    REFUSE(accept4),
    REFUSE(sendto),
    REFUSE(sendmsg),
    REFUSE(sendmmsg),
    REFUSE(recvfrom),
    REFUSE(recvmsg),
    REFUSE(recvmmsg),
    REFUSE(setsockopt),
    REFUSE(shutdown),
#endif
#ifdef SYS_accept
    REFUSE(accept),
#endif
#ifdef SYS_send
    REFUSE(send),
    REFUSE(recv),
#endif
#ifdef SYS_socketcall
    REFUSE(socketcall),
#endif
    REFUSE_NEW(IO_URING_SETUP),
    REFUSE_NEW(IO_URING_ENTER),
    REFUSE_NEW(IO_URING_REGISTER),

    /* The terminal. */
    {SYS_ioctl, CALLS_ALLOW_IF, 1, TCGETS, CALLS_ALWAYS, 0},
    {SYS_ioctl, CALLS_ALLOW_IF, 1, TCGETS2_REQUEST, CALLS_ALWAYS, 0},
    {SYS_ioctl, CALLS_ALLOW_IF, 1, TIOCGWINSZ, CALLS_ALWAYS, 0},
    {SYS_ioctl, CALLS_ALLOW_IF, 1, FIONREAD, CALLS_ALWAYS, 0},
    {SYS_ioctl, CALLS_ALLOW_IF, 1, (uint32_t)FS_IOC_GETFLAGS, CALLS_ALWAYS, 0},
    REFUSE(ioctl),
    REFUSE(vhangup),

    /* Other processes: their limits, scheduling, memory, descriptors, signals. */
    OF_ITSELF(prlimit64),
    OF_ITSELF(sched_setaffinity),
    OF_ITSELF(sched_setscheduler),
    OF_ITSELF(sched_setparam),
    OF_ITSELF(sched_setattr),
    OF_ITSELF(setpgid),
    OF_ITSELF(migrate_pages),
    OF_ITSELF(move_pages),
    IF(prctl, 0, PR_SCHED_CORE),
    REFUSE(setpriority),
    REFUSE(ioprio_set),
    REFUSE(process_vm_readv),
    REFUSE(process_vm_writev),
    REFUSE(kcmp),
    REFUSE(perf_event_open),
    REFUSE(rt_sigqueueinfo),
    REFUSE(rt_tgsigqueueinfo),
    REFUSE_NEW(PIDFD_SEND_SIGNAL),
    REFUSE_NEW(PIDFD_OPEN),
    REFUSE_NEW(PIDFD_GETFD),
    REFUSE_NEW(PROCESS_MADVISE),
    REFUSE_NEW(PROCESS_MRELEASE),
    IF(fcntl, 1, F_SETOWN),
    IF(fcntl, 1, F_SETOWN_EX),
    IF(fcntl, 1, F_SETSIG),
    IF(fcntl, 1, F_SETLEASE),
    IF(fcntl, 1, F_NOTIFY),
#ifdef SYS_fcntl64
    IF(fcntl64, 1, F_SETOWN),
    IF(fcntl64, 1, F_SETOWN_EX),
    IF(fcntl64, 1, F_SETSIG),
    IF(fcntl64, 1, F_SETLEASE),
    IF(fcntl64, 1, F_NOTIFY),
#endif
#ifndef SANITIZED
    REFUSE(ptrace),
    {SYS_clone, CALLS_REFUSE_WITHOUT, CLONE_FLAGS, CLONE_THREAD, CALLS_NO_DRIVERS, 0},
    {SYS_kill, CALLS_REFUSE_UNLESS, 0, OWN, CALLS_NO_DRIVERS, 0},
    {SYS_tgkill, CALLS_REFUSE_UNLESS, 0, OWN, CALLS_NO_DRIVERS, 0},
#ifdef __GLIBC__
    REFUSE(tkill),
#endif
#endif
    {SYS_kill, CALLS_REFUSE_UNLESS, 1, SIGKILL, CALLS_DRIVERS, 0},
    {SYS_kill, CALLS_REFUSE_IF, 0, UINT32_MAX, CALLS_DRIVERS, 0},
    {SYS_kill, CALLS_REFUSE_WITHOUT, 0, UINT32_C(1) << 31, CALLS_DRIVERS, 0},

    /* Programs, and processes that outlive this one. */
    NO_DRIVERS(execve),
    NO_DRIVERS(execveat),
#ifdef SYS_fork
    NO_DRIVERS(fork),
    NO_DRIVERS(vfork),
#endif
    {SYS_clone, CALLS_REFUSE_BITS, CLONE_FLAGS, NAMESPACES, CALLS_ALWAYS, 0},
    {CLONE3, CALLS_REFUSE, 0, 0, CALLS_ALWAYS, ENOSYS},
    REFUSE(unshare),
    REFUSE(setns),

/* What Landlock does not see: attributes by path, what happens in directories, files by handles,
     * memory and queues that processes share. Before Linux 6.2 it does not see truncate(). */
#ifdef SYS_chmod
    NO_DRIVERS(chmod),
    NO_DRIVERS(chown),
    NO_DRIVERS(lchown),
    NO_DRIVERS(utimes),
    NO_DRIVERS(futimesat),
#endif
#ifdef SYS_utime
    NO_DRIVERS(utime),
#endif
#ifdef SYS_chown32
    NO_DRIVERS(chown32),
    NO_DRIVERS(lchown32),
#endif
#ifdef SYS_utimensat_time64
    {SYS_utimensat_time64, CALLS_REFUSE_UNLESS, 1, 0, CALLS_NO_DRIVERS, 0},
#endif
    NO_DRIVERS(fchmodat),
    NO_DRIVERS(truncate),
#ifdef SYS_truncate64
    NO_DRIVERS(truncate64),
#endif
    {FCHMODAT2, CALLS_REFUSE, 0, 0, CALLS_NO_DRIVERS, 0},
    NO_DRIVERS(fchownat),
    {SYS_utimensat, CALLS_REFUSE_UNLESS, 1, 0, CALLS_NO_DRIVERS, 0},
    REFUSE(setxattr),
    REFUSE(lsetxattr),
    REFUSE(removexattr),
    REFUSE(lremovexattr),
    REFUSE_NEW(SETXATTRAT),
    REFUSE_NEW(REMOVEXATTRAT),
    REFUSE_NEW(FILE_SETATTR),
    REFUSE(inotify_add_watch),
    REFUSE(fanotify_init),
    REFUSE(open_by_handle_at),
    REFUSE(mq_open),
    REFUSE(mq_unlink),
#ifdef SYS_shmget
    REFUSE(shmget),
    REFUSE(shmat),
    REFUSE(shmctl),
    REFUSE(semget),
    REFUSE(semctl),
    REFUSE(msgget),
    REFUSE(msgsnd),
    REFUSE(msgrcv),
    REFUSE(msgctl),
#endif
#ifdef SYS_semop
    REFUSE(semop),
#endif
#ifdef SYS_semtimedop
    REFUSE(semtimedop),
#endif
#ifdef SYS_semtimedop_time64
    REFUSE(semtimedop_time64),
#endif
#ifdef SYS_ipc
    REFUSE(ipc),
#endif
    REFUSE(add_key),
    REFUSE(request_key),
    REFUSE(keyctl),

    /* The machine, where the user is root, and parts of the kernel that no image needs. */
    REFUSE(bpf),
    REFUSE(userfaultfd),
    REFUSE(mount),
    REFUSE(umount2),
    REFUSE(pivot_root),
    REFUSE(chroot),
    REFUSE_NEW(OPEN_TREE),
    REFUSE_NEW(MOVE_MOUNT),
    REFUSE_NEW(FSOPEN),
    REFUSE_NEW(FSCONFIG),
    REFUSE_NEW(FSMOUNT),
    REFUSE_NEW(FSPICK),
    REFUSE_NEW(MOUNT_SETATTR),
    REFUSE(swapon),
    REFUSE(swapoff),
    REFUSE(quotactl),
    REFUSE_NEW(QUOTACTL_FD),
    REFUSE(acct),
    REFUSE(syslog),
    REFUSE(reboot),
    REFUSE(kexec_load),
    REFUSE(init_module),
    REFUSE(finit_module),
    REFUSE(delete_module),
    REFUSE(sethostname),
    REFUSE(setdomainname),
    REFUSE(settimeofday),
    REFUSE(clock_settime),
    REFUSE(adjtimex),
    REFUSE(clock_adjtime),
#ifdef SYS_clock_settime64
    REFUSE(clock_settime64),
    REFUSE(clock_adjtime64),
#endif
#ifdef SYS_iopl
    REFUSE(iopl),
    REFUSE(ioperm),
#endif
};

struct calls_rule *calls_rules(bool drivers, size_t *count) {
    struct calls_rule *list = malloc(sizeof rules);
    *count = 0;
    for (size_t i = 0; list && i < sizeof rules / sizeof *rules; i++) {
        struct calls_rule rule = rules[i];
        if (rule.when == (drivers ? CALLS_NO_DRIVERS : CALLS_DRIVERS))
            continue;
        if (rule.test == CALLS_REFUSE_UNLESS && rule.value == OWN)
            rule.value = (uint32_t)getpid();
        list[(*count)++] = rule;
    }
    return list;
}
