/*
 * file_ref.c - a reference to a file: its directory's descriptor, and its name there
 */
#include "input/file_ref.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* O_PATH: a directory may be searchable and not readable. It cannot be flushed then. */
static int open_directory(int at, const char *path, int more) {
    int flags = O_DIRECTORY | O_CLOEXEC | more;
    int fd = openat(at, path, O_RDONLY | flags);
    return fd < 0 && errno == EACCES ? openat(at, path, O_PATH | flags) : fd;
}

/* Split path at its last slash, and open the directory. */
static bool split(struct file_ref *p, const char *path) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    char *directory = !slash ? strdup(".") : length ? strndup(path, length) : strdup("/");
    *p = (struct file_ref){.directory = -1, .name = strdup(slash ? slash + 1 : path)};
    if (directory && p->name)
        p->directory = open_directory(AT_FDCWD, directory, 0);
    free(directory);
    if (p->directory >= 0)
        return true;
    int error = errno;
    file_ref_close(p);
    errno = error;
    return false;
}

/* realpath() follows links that open() may refuse (fs.protected_symlinks), so that the file it names is
 * compared with the one that was opened. ESTALE: they differ, or the file has just been replaced. */
static bool find_file(struct file_ref *p, const char *path, int fd) {
    struct stat opened, named;
    char *real = realpath(path, NULL);
    bool found = real && split(p, real);
    if (found && (fstat(fd, &opened) != 0 || !file_ref_stat(p, p->name, &named) ||
                  !stat_same_file(&opened, &named))) {
        file_ref_close(p);
        errno = ESTALE;
        found = false;
    }
    free(real);
    return found;
}

bool file_ref_resolve(struct file_ref *p, const char *path) {
    struct stat st;
    bool found = false, replaced = true;
    *p = (struct file_ref){.directory = -1};
    for (int tries = 0; replaced && tries < 100; tries++) {
        int fd = open(path, O_PATH | O_CLOEXEC);
        /* No file has the name, which may be created. A dangling link is an error. */
        if (fd < 0)
            return errno == ENOENT && lstat(path, &st) != 0 && split(p, path);
        found = find_file(p, path, fd);
        int error = errno;
        replaced = !found && error == ESTALE;
        close(fd);
        errno = error;
    }
    return found;
}

/* Open a directory that is no link; make: create it if it is missing. -1 with errno (ELOOP: a link). */
static int open_below(int at, const char *name, bool make) {
    struct stat st;
    int fd = open_directory(at, name, O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT && make && (mkdirat(at, name, 0777) == 0 || errno == EEXIST))
        fd = open_directory(at, name, O_NOFOLLOW);
    if (fd < 0 && errno == ENOTDIR)
        errno = fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode) ? ELOOP
                                                                                        : ENOTDIR;
    return fd;
}

bool file_ref_resolve_below(struct file_ref *p, const char *path, const char *below, bool make,
                            size_t *link) {
    size_t length = strlen(path) - strlen(below);
    char *root = length ? strndup(path, length) : strdup("."), *rest = strdup(below);
    *p = (struct file_ref){.directory = -1};
    int fd = root && rest ? open_directory(AT_FDCWD, root, 0) : -1;
    char *name = rest;
    for (char *slash; fd >= 0 && (slash = strchr(name, '/')) != NULL; name = slash + 1) {
        *slash = '\0';
        int next = open_below(fd, name, make);
        int error = errno;
        close(fd);
        *link = length + (size_t)(slash - rest);
        errno = error;
        fd = next;
    }
    if (fd >= 0)
        *p = (struct file_ref){.directory = fd, .name = strdup(name)};
    int error = errno;
    free(root);
    free(rest);
    if (fd >= 0 && !p->name)
        close(fd);
    errno = error;
    return p->name != NULL;
}

void file_ref_close(struct file_ref *p) {
    if (p->name && p->directory >= 0)
        close(p->directory);
    free(p->name);
    *p = (struct file_ref){.directory = -1};
}

int file_ref_open(struct file_ref *p) {
    /* O_NONBLOCK: opening a FIFO would wait for its other end. Only a lease of another process on a
     * regular file is waited for. */
    const int flags = O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
    int fd = openat(p->directory, p->name, flags | O_NONBLOCK);
    if (fd < 0 && errno == EWOULDBLOCK && file_ref_stat(p, p->name, &p->file) &&
        S_ISREG(p->file.st_mode))
        fd = openat(p->directory, p->name, flags);
    if (fd < 0 || (fstat(fd, &p->file) == 0 && S_ISREG(p->file.st_mode)))
        return fd;
    close(fd);
    errno = S_ISDIR(p->file.st_mode) ? EISDIR : EINVAL;
    return -1;
}

bool file_ref_stat(const struct file_ref *p, const char *name, struct stat *st) {
    return fstatat(p->directory, name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool file_ref_may_remove(const struct file_ref *p, const struct stat *st) {
    struct stat directory;
    uid_t user = geteuid();
    return user == 0 || st->st_uid == user || fstat(p->directory, &directory) != 0 ||
           !(directory.st_mode & S_ISVTX) || directory.st_uid == user;
}

bool stat_same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool file_ref_sync(const struct file_ref *p) {
    /* EBADF: opened with O_PATH. The others: the file system cannot flush directories. */
    return fsync(p->directory) == 0 || errno == EBADF || errno == EINVAL || errno == EROFS ||
           errno == ENOTSUP;
}
