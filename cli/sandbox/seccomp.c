/*
 * seccomp.c - system calls that this process may not make any more
 *
 * A filter made of the rules of calls.c, which the kernel runs before each call. Calls of another
 * architecture, as a 64-bit program may make them of a 32-bit one, have other numbers: all of them
 * fail.
 */
#include "sandbox/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "sandbox/calls.h"

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

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(offset))
#define RETURN_ERROR(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)(error))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* Skip so many instructions where it holds, or else. */
#define JUMP(test, value, then, otherwise)                                                         \
    BPF_JUMP(BPF_JMP | (test) | BPF_K, (value), (then), (otherwise))
#define X32 0x40000000U /* the third architecture of x86_64 counts from here */
#define PER_RULE 5

/* Where the lower half of an argument is. */
static size_t argument_at(int i) {
    const size_t lower = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
    return offsetof(struct seccomp_data, args) + (size_t)i * sizeof(uint64_t) + lower;
}

/* The call's number is loaded before and after; at most PER_RULE instructions. */
static size_t add_rule(struct sock_filter *to, const struct calls_rule *rule) {
    const struct sock_filter end =
        rule->test == CALLS_ALLOW_IF
            ? (struct sock_filter)ALLOW
            : (struct sock_filter)RETURN_ERROR(rule->error ? rule->error : EACCES);
    const unsigned bits = BPF_JSET, equal = BPF_JEQ;
    bool ends_if = rule->test != CALLS_REFUSE_UNLESS && rule->test != CALLS_REFUSE_WITHOUT;
    unsigned test =
        rule->test == CALLS_REFUSE_BITS || rule->test == CALLS_REFUSE_WITHOUT ? bits : equal;
    const struct sock_filter plain[] = {JUMP(equal, (uint32_t)rule->call, 0, 1), end};
    const struct sock_filter tested[] = {JUMP(equal, (uint32_t)rule->call, 0, 4),
                                         LOAD(argument_at(rule->argument)),
                                         JUMP(test, rule->value, ends_if ? 0 : 1, ends_if ? 1 : 0),
                                         end, LOAD(offsetof(struct seccomp_data, nr))};
    bool by_argument = rule->test != CALLS_REFUSE;
    memcpy(to, by_argument ? tested : plain, by_argument ? sizeof tested : sizeof plain);
    return (by_argument ? sizeof tested : sizeof plain) / sizeof *to;
}

bool seccomp_enforce(bool drivers) {
    static const struct sock_filter begin[] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        JUMP(BPF_JEQ, ARCHITECTURE, 1, 0),
        RETURN_ERROR(ENOSYS),
        LOAD(offsetof(struct seccomp_data, nr)),
#ifdef __x86_64__
        JUMP(BPF_JGE, X32, 0, 1),
        RETURN_ERROR(ENOSYS),
#endif
    };
    size_t count, length = sizeof begin / sizeof *begin;
    struct calls_rule *rules = calls_rules(drivers, &count);
    struct sock_filter *code =
        rules ? malloc((length + count * PER_RULE + 1) * sizeof *code) : NULL;
    bool done = code != NULL;
    if (done) {
        memcpy(code, begin, sizeof begin);
        for (size_t i = 0; i < count; i++)
            length += add_rule(code + length, &rules[i]);
        code[length++] = (struct sock_filter)ALLOW;
        const struct sock_fprog program = {(unsigned short)length, code};
        done = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }
    int error = errno;
    free(code);
    free(rules);
    errno = error;
    return done;
}

#else

bool seccomp_enforce(bool drivers) {
    (void)drivers;
    errno = ENOSYS;
    return false;
}

#endif
