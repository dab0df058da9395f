/*
 * landlock.c - what files this process may still open, by Linux's Landlock
 *
 * By system calls: C libraries have no functions for them. What the interface is made of is written
 * down here, so that the program does not depend on how old the headers are that it is built with.
 */
#include "sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All architectures have the same numbers, but for alpha, which has no Landlock at these. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { VERSION = 1 }; /* a flag of CREATE_RULESET */
enum { PATH_BENEATH = 1 };

/* Rights, in the order of the versions that brought them. */
#define EXECUTE (UINT64_C(1) << 0)
#define WRITE_FILE (UINT64_C(1) << 1)
#define READ_FILE (UINT64_C(1) << 2)
#define READ_DIR (UINT64_C(1) << 3)
#define REMOVE_FILE (UINT64_C(1) << 5)
#define MAKE_DIR (UINT64_C(1) << 7)
#define MAKE_REG (UINT64_C(1) << 8)
#define VERSION_1 ((UINT64_C(1) << 13) - 1)
#define REFER (UINT64_C(1) << 13)     /* version 2: rename and link between directories */
#define TRUNCATE (UINT64_C(1) << 14)  /* 3 */
#define IOCTL_DEV (UINT64_C(1) << 15) /* 5 */
#define OF_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)
#define REMOVE_DIR (UINT64_C(1) << 4)
#define TCP 3    /* version 4: bind and connect */
#define SCOPED 3 /* version 6: abstract sockets of, and signals to, other processes */

struct ruleset {
    uint64_t fs, net, scoped;
};
struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static long version(void) {
    return syscall(CREATE_RULESET, NULL, 0, VERSION);
}

static uint64_t known_rights(long v) {
    return VERSION_1 | (v >= 2 ? REFER : 0) | (v >= 3 ? TRUNCATE : 0) | (v >= 5 ? IOCTL_DEV : 0);
}

int landlock_begin(void) {
    long v = version();
    if (v < 1) {
        errno = v < 0 ? errno : ENOSYS;
        return -1;
    }
    const struct ruleset all = {known_rights(v), v >= 4 ? TCP : 0, v >= 6 ? SCOPED : 0};
    /* An older kernel refuses a struct with members that it does not know, unless they are 0. */
    return (int)syscall(CREATE_RULESET, &all, sizeof all, 0);
}

bool landlock_allow(int rules, const char *path, unsigned use) {
    struct stat st;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return true;
    uint64_t rights = 0;
    if (use & LANDLOCK_READ)
        rights |= READ_FILE | READ_DIR;
    if (use & LANDLOCK_RUN)
        rights |= EXECUTE;
    if (use & LANDLOCK_WRITE)
        rights |= WRITE_FILE | TRUNCATE | MAKE_REG | MAKE_DIR | REMOVE_FILE | REMOVE_DIR | REFER;
    if (fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode))
        rights &= OF_FILES;
    const struct path_beneath rule = {rights & known_rights(version()), fd};
    bool allowed = syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0) == 0;
    int error = errno;
    close(fd);
    errno = error;
    /* EBADFD: a pipe or a socket, which Landlock never refuses. */
    return allowed || error == EBADFD;
}

bool landlock_enforce(int rules) {
    bool done =
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(RESTRICT_SELF, rules, 0) == 0;
    int error = errno;
    close(rules);
    errno = error;
    return done;
}
