/*
 * seccomp.h - system calls that this process may not make any more
 */
#ifndef CLI_SANDBOX_SECCOMP_H
#define CLI_SANDBOX_SECCOMP_H

#include <stdbool.h>

/* Refuse new sockets and, unless `programs`, the execution of programs, to this thread and all that it
 * starts later: such calls fail with EACCES. False with errno (ENOSYS: not on this architecture). */
bool seccomp_enforce(bool programs);

#endif
