/*
 * attributes.c - owner, mode, access control list and extended attributes of a file
 *
 * A POSIX access control list is the extended attribute system.posix_acl_access: a version and
 * entries, little-endian (linux/posix_acl_xattr.h). A file with a list shows its mask where the
 * mode's group bits would be, so a list that is lost would turn the mask into the group's rights.
 */
#include "output/attributes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACL "system.posix_acl_access"
#define ACL_HEADER 4
#define ACL_ENTRY 8
enum { ACL_USER = 0x02, ACL_GROUP_OBJ = 0x04, ACL_GROUP = 0x08, ACL_MASK = 0x10, ACL_OTHER = 0x20 };

#define MAX_VALUE (64 * 1024) /* Linux has no larger lists or values */

/* Descriptors opened with O_PATH have no fgetxattr(); their names under /proc have getxattr(). */
static const char *proc_path(char path[40], int fd) {
    snprintf(path, 40, "/proc/self/fd/%d", fd);
    return path;
}

static ssize_t get_value(int fd, const char *name, void *value, size_t size) {
    char path[40];
    ssize_t length = fgetxattr(fd, name, value, size);
    bool refused = length < 0 && errno == EBADF;
    return refused ? getxattr(proc_path(path, fd), name, value, size) : length;
}

static ssize_t get_names(int fd, char *names, size_t size) {
    char path[40];
    ssize_t length = flistxattr(fd, names, size);
    bool refused = length < 0 && errno == EBADF;
    return refused ? listxattr(proc_path(path, fd), names, size) : length;
}

/* ---- access control lists ----------------------------------------------------------------- */

static unsigned char *acl_rights(unsigned char *list, size_t length, unsigned tag) {
    for (size_t at = ACL_HEADER; at + ACL_ENTRY <= length; at += ACL_ENTRY) {
        if (list[at] == tag && list[at + 1] == 0)
            return list + at + 2;
    }
    return NULL;
}

/* A mode that gives nobody more rights than the list. Users and groups named in the list become
 * members of the group or others, so their rights limit both. */
static mode_t acl_plain_mode(unsigned char *list, size_t length, mode_t mode) {
    const unsigned char *group = acl_rights(list, length, ACL_GROUP_OBJ);
    const unsigned char *mask = acl_rights(list, length, ACL_MASK);
    mode_t all = 7;
    for (size_t at = ACL_HEADER; at + ACL_ENTRY <= length; at += ACL_ENTRY) {
        if (list[at] == ACL_USER || list[at] == ACL_GROUP)
            all &= list[at + 2] & (mask ? *mask : 7U);
    }
    mode_t of_group = group ? *group & (mask ? *mask : 7U) & all : 0;
    return (mode & ~(mode_t)077) | of_group << 3 | (mode & all);
}

/* Reduce the rights of the owning group and of others to `both`. */
static void acl_narrow(unsigned char *list, size_t length, mode_t both) {
    unsigned char *group = acl_rights(list, length, ACL_GROUP_OBJ);
    unsigned char *other = acl_rights(list, length, ACL_OTHER);
    if (group)
        *group = (unsigned char)both;
    if (other)
        *other = (unsigned char)both;
}

/* ---- owner and rights --------------------------------------------------------------------- */

static mode_t intersect(mode_t mode) {
    mode_t both = (mode >> 3) & mode & 7;
    return (mode & ~(mode_t)077) | both << 3 | both;
}

static const char *copy_rights(int from, const struct stat *old, int to) {
    struct stat new;
    mode_t mode = old->st_mode & 07777;
    const char *lost = NULL;
    unsigned char *list = malloc(MAX_VALUE);
    ssize_t length = list && from >= 0 ? get_value(from, ACL, list, MAX_VALUE) : -1;
    bool unknown = length < 0 && (!list || from < 0 || (errno != ENODATA && errno != ENOTSUP));
    bool has_list = length > ACL_HEADER;

    (void)!fchown(to, old->st_uid, old->st_gid);
    bool known = fstat(to, &new) == 0;
    if (known && new.st_gid != old->st_gid && fchown(to, (uid_t)-1, old->st_gid) == 0)
        known = fstat(to, &new) == 0;
    bool same_owner = known && new.st_uid == old->st_uid;
    bool same_group = known && new.st_gid == old->st_gid;
    if (!same_owner || !same_group) {
        mode &= 0777; /* no set-user-ID bit of another owner */
        lost = same_group ? "its owner" : same_owner ? "its group" : "its owner and group";
    }
    /* The mode if the list is lost. With a list the group bits of mode are the list's mask. */
    mode_t plain = mode;
    if (has_list)
        plain = acl_plain_mode(list, (size_t)length, mode);
    if (!same_group || unknown)
        plain = intersect(plain);
    if (has_list && !same_group)
        acl_narrow(list, (size_t)length, plain & 7);
    if (has_list && !same_group)
        mode = (mode & ~(mode_t)07) | (plain & 7);

    if (has_list && fsetxattr(to, ACL, list, (size_t)length, 0) == 0) {
        plain = mode;
    } else {
        /* The new file may have inherited a default list from its directory. */
        bool none = fremovexattr(to, ACL) == 0 || errno == ENODATA || errno == ENOTSUP;
        if (!none)
            plain &= 0700;
        if (has_list || unknown || !none)
            lost = "its access control list";
    }
    /* Some file systems have no modes: not an error. */
    (void)!fchmod(to, plain);
    free(list);
    return lost;
}

/* ---- extended attributes ------------------------------------------------------------------ */

/* Attributes that describe the file. Signatures of its bytes and capabilities are dropped. */
static bool is_kept(const char *name) {
    static const char *const dropped[] = {"security.capability", "security.evm", "security.ima"};
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) {
        if (strcmp(name, dropped[i]) == 0)
            return false;
    }
    return strncmp(name, "user.", 5) == 0 || strncmp(name, "security.", 9) == 0;
}

static bool copy_extended(int from, int to) {
    char *names = malloc(MAX_VALUE), *value = malloc(MAX_VALUE);
    ssize_t length = names && value && from >= 0 ? get_names(from, names, MAX_VALUE) : 0;
    bool all = names && value && from >= 0 && (length >= 0 || errno == ENOTSUP);
    for (const char *name = names; name && name < names + length; name += strlen(name) + 1) {
        if (!is_kept(name))
            continue;
        ssize_t size = get_value(from, name, value, MAX_VALUE);
        /* Security labels need privileges: only a lost user attribute is reported. */
        if ((size < 0 || fsetxattr(to, name, value, (size_t)size, 0) != 0) && *name == 'u')
            all = false;
    }
    free(names);
    free(value);
    return all;
}

const char *attributes_copy(int from, const struct stat *old, int to) {
    /* Before the mode, which may forbid writing. */
    bool extended = copy_extended(from, to);
    const char *lost = copy_rights(from, old, to);
    return lost ? lost : extended ? NULL : "its extended attributes";
}
