/*
 * attributes.h - what a file has besides its bytes and its name
 */
#ifndef CLI_OUTPUT_ATTRIBUTES_H
#define CLI_OUTPUT_ATTRIBUTES_H

#include <sys/stat.h>

/*
 * Give the new file `to` the owner, the group, the mode, the access control list and the extended
 * attributes of the file `from` (-1: it could not be opened), of which `old` is the stat. Nobody
 * gets more rights than before: where a group cannot be kept, the new one and others get what both
 * had. Returns what could not be kept, in words, or NULL.
 */
const char *attributes_copy(int from, const struct stat *old, int to);

#endif
