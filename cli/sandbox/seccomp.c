/*
 * seccomp.c - system calls that this process may not make any more
 *
 * io_uring goes with sockets, since it makes them, and opens files, by no system call of its own. Calls
 * of another architecture, as a 64-bit program may make them of a 32-bit one, have other numbers: all
 * of them fail.
 */
#include "sandbox/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __i386__
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined __aarch64__ && defined __AARCH64EL__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined __arm__ && defined __ARMEL__
#define ARCHITECTURE AUDIT_ARCH_ARM
#elif defined __s390x__
#define ARCHITECTURE AUDIT_ARCH_S390X
#elif defined __riscv && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined __powerpc64__ && defined __LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#endif

#ifdef ARCHITECTURE

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define REFUSE_WITH(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
/* The next instruction is for this number alone. */
#define UNLESS(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1)
#define REFUSE(number) UNLESS(number), REFUSE_WITH(EACCES)
#define X32 0x40000000U /* the third architecture of x86_64 counts from here */
#define IO_URING_SETUP 425

bool seccomp_enforce(bool programs) {
    /* With `programs`, a call that is refused already stands in their place. */
    const unsigned run = programs ? IO_URING_SETUP : SYS_execve;
    const unsigned run_at = programs ? IO_URING_SETUP : SYS_execveat;
    struct sock_filter code[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        REFUSE_WITH(ENOSYS),
        LOAD(nr),
#ifdef __x86_64__
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1),
        REFUSE_WITH(ENOSYS),
#endif
#ifdef SYS_socket
        REFUSE(SYS_socket),
        REFUSE(SYS_socketpair),
#endif
#ifdef SYS_socketcall
        REFUSE(SYS_socketcall),
#endif
        REFUSE(IO_URING_SETUP),
        REFUSE(run),
        REFUSE(run_at),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {(unsigned short)(sizeof code / sizeof *code), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

bool seccomp_enforce(bool programs) {
    (void)programs;
    errno = ENOSYS;
    return false;
}

#endif
