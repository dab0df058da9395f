/* pages.c - large pages for large blocks of memory */
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_BLOCK ((size_t)4 << 20) /* bytes: two large pages */

void imf_use_large_pages(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
    size_t page = (size_t)sysconf(_SC_PAGESIZE), skip = (page - (uintptr_t)block % page) % page;
    if (bytes >= LARGE_BLOCK)
        (void)madvise((char *)block + skip, (bytes - skip) / page * page, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}
