/*
 * attributes.h - owner, mode, access control list and extended attributes of a file
 */
#ifndef CLI_OUTPUT_ATTRIBUTES_H
#define CLI_OUTPUT_ATTRIBUTES_H

#include <sys/stat.h>

/*
 * Give the new file `to` the owner, the group, the mode, the access control list and the extended
 * attributes of the file `from` (-1: it could not be opened), whose stat is `old`. Nobody gets more
 * rights than before: where the group cannot be kept, the group and others get the rights that both
 * had. Returns the name of what could not be kept, or NULL.
 */
const char *attributes_copy(int from, const struct stat *old, int to);

#endif
