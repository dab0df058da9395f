/*
 * calls.h - the system calls that a confined run does without, argument by argument
 */
#ifndef CLI_SANDBOX_CALLS_H
#define CLI_SANDBOX_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum calls_test {
    CALLS_REFUSE,         /* whatever its arguments are; and if one of them */
    CALLS_REFUSE_IF,      /* is the value, */
    CALLS_REFUSE_UNLESS,  /* is another one, */
    CALLS_REFUSE_BITS,    /* has a bit of the value, */
    CALLS_REFUSE_WITHOUT, /* has none of its bits. */
    CALLS_ALLOW_IF        /* is the value: what follows on this call does not matter */
};
enum calls_when { CALLS_ALWAYS, CALLS_NO_DRIVERS, CALLS_DRIVERS };

struct calls_rule {
    long call;
    enum calls_test test;
    int argument; /* from 0 on; its lower 32 bits count, as they do for the kernel */
    uint32_t value;
    enum calls_when when;
    int error; /* 0: EACCES */
};

/* In the order in which they hold; what no rule refuses is allowed. The caller frees them; NULL: no memory. */
struct calls_rule *calls_rules(bool drivers, size_t *count);

#endif
