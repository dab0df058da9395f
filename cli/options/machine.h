/* machine.h - the cores and the memory that this process may use */
#ifndef CLI_OPTIONS_MACHINE_H
#define CLI_OPTIONS_MACHINE_H

#include <stdint.h>

/* At least 1: the cores that the process may run on, or fewer where a control group has a quota of
 * processor time. */
int machine_cores(void);
/* Bytes: the machine's memory, or less where a control group has a limit. */
uint64_t machine_memory(void);
/* Let all threads share one heap. Call before there are threads. */
void machine_share_heap(void);

#endif
