/* machine.h - what this process may use of the machine */
#ifndef CLI_OPTIONS_MACHINE_H
#define CLI_OPTIONS_MACHINE_H

#include <stdint.h>

/* Cores, at least 1: those that it may run on, or fewer where its cgroup, or one above, has a quota
 * of processor time, as a container may. */
int machine_cores(void);
/* Bytes of memory: the machine's, or less where its cgroup, or one above, has a limit. */
uint64_t machine_memory(void);
/* Let all threads take memory from one heap, before there are any. */
void machine_share_heap(void);

#endif
