/*
 * sized.h - structs that say their size, so that a later version may append members
 *
 * The first member is `size_t size`. 0 stands for the members of version 1.0, which are all of them
 * today: a change that appends members has to keep that size.
 */
#ifndef IMF_BASE_SIZED_H
#define IMF_BASE_SIZED_H

#include <stddef.h>

/* Copy a caller's struct to the library's, of `size` bytes. Members beyond the caller's size become
 * 0, and all members where `from` is NULL. */
void imf_sized_read(void *to, size_t size, const void *from);
/* Copy the library's struct, of `size` bytes, to a caller's, which may be NULL: as many members as the
 * caller's size covers, but for the size itself. */
void imf_sized_write(void *to, const void *from, size_t size);

#endif
