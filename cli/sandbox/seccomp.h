/*
 * seccomp.h - system calls that this process may not make any more
 */
#ifndef CLI_SANDBOX_SECCOMP_H
#define CLI_SANDBOX_SECCOMP_H

#include <stdbool.h>

/* Refuse to this thread, and to all that it starts later, what calls.h lists: such calls fail with
 * EACCES. False with errno (ENOSYS: not on this architecture). */
bool seccomp_enforce(bool drivers);

#endif
