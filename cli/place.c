/*
 * place.c - where a file is: the descriptor of its directory, and its name there
 */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A directory that may be searched but not read still holds files; it cannot be flushed. */
static int open_directory(int at, const char *path, int more) {
    int flags = O_DIRECTORY | O_CLOEXEC | more;
    int fd = openat(at, path, O_RDONLY | flags);
    return fd < 0 && errno == EACCES ? openat(at, path, O_PATH | flags) : fd;
}

/* Split path at its last slash, and open what is before it. */
static bool split(struct place *p, const char *path) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    char *directory = !slash ? strdup(".") : length ? strndup(path, length) : strdup("/");
    *p = (struct place){.directory = -1, .name = strdup(slash ? slash + 1 : path)};
    if (directory && p->name)
        p->directory = open_directory(AT_FDCWD, directory, 0);
    free(directory);
    if (p->directory >= 0)
        return true;
    int error = errno;
    place_close(p);
    errno = error;
    return false;
}

bool place_find(struct place *p, const char *path) {
    struct stat st;
    *p = (struct place){.directory = -1};
    char *real = realpath(path, NULL);
    if (real) {
        bool found = split(p, real);
        free(real);
        return found;
    }
    /* Where a dangling link leads nothing can be made; a name that is free is a place. */
    if (errno != ENOENT || lstat(path, &st) == 0)
        return false;
    return split(p, path);
}

bool place_find_below(struct place *p, const char *path, const char *below) {
    size_t length = strlen(path) - strlen(below);
    char *root = length ? strndup(path, length) : strdup("."), *rest = strdup(below);
    *p = (struct place){.directory = -1};
    int fd = root && rest ? open_directory(AT_FDCWD, root, 0) : -1;
    char *name = rest;
    for (char *slash; fd >= 0 && (slash = strchr(name, '/')) != NULL; name = slash + 1) {
        *slash = '\0';
        int next = open_directory(fd, name, O_NOFOLLOW);
        int error = errno;
        close(fd);
        errno = error;
        fd = next;
    }
    if (fd >= 0)
        *p = (struct place){.directory = fd, .name = strdup(name)};
    int error = errno;
    free(root);
    free(rest);
    if (fd >= 0 && !p->name)
        place_close(p);
    errno = error;
    return p->name != NULL;
}

void place_close(struct place *p) {
    if (p->name && p->directory >= 0)
        close(p->directory);
    free(p->name);
    *p = (struct place){.directory = -1};
}

int place_open(struct place *p) {
    /* Without blocking: opening a FIFO waits for its other end. Only a file that another process
     * has a lease on is waited for. */
    const int flags = O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
    int fd = openat(p->directory, p->name, flags | O_NONBLOCK);
    if (fd < 0 && errno == EWOULDBLOCK && place_stat(p, p->name, &p->file) &&
        S_ISREG(p->file.st_mode))
        fd = openat(p->directory, p->name, flags);
    if (fd < 0 || (fstat(fd, &p->file) == 0 && S_ISREG(p->file.st_mode)))
        return fd;
    close(fd);
    errno = S_ISDIR(p->file.st_mode) ? EISDIR : EINVAL;
    return -1;
}

bool place_stat(const struct place *p, const char *name, struct stat *st) {
    return fstatat(p->directory, name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool place_same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool place_sync(const struct place *p) {
    /* EBADF: the directory cannot be read. Others: a file system that has nothing to flush. */
    return fsync(p->directory) == 0 || errno == EBADF || errno == EINVAL || errno == EROFS ||
           errno == ENOTSUP;
}
