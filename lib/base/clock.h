/* clock.h - time that only goes forward, and processor time, for measuring and for names that should not repeat */
#ifndef IMF_BASE_CLOCK_H
#define IMF_BASE_CLOCK_H

#include <stdint.h>

/* Since some moment in the past. */
uint64_t imf_now_ns(void);
double imf_now_ms(void);
/* Processor time of this process, all threads together. */
double imf_processor_ms(void);

#endif
