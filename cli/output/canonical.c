/*
 * canonical.c - one name for each file, whatever paths lead to it
 */
#include "output/canonical.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "input/path.h"

/* The real path of a directory or, where it does not exist yet, of the nearest one above it, and the rest. */
static char *real_directory(const char *given) {
    char *above = strdup(*given ? given : "."), *real = NULL, *whole = NULL;
    size_t length = above ? strlen(above) : 0;
    while (above && !(real = realpath(*above ? above : ".", NULL)) && length > 0) {
        while (length > 0 && above[length - 1] == '/')
            above[--length] = '\0';
        while (length > 0 && above[length - 1] != '/')
            above[--length] = '\0';
    }
    if (real && length < strlen(given))
        whole = format_text("%s/%s", real[1] ? real : "", given + length);
    for (size_t end = whole ? strlen(whole) : 0; end > 1 && whole[end - 1] == '/';)
        whole[--end] = '\0';
    free(above);
    if (!whole)
        return real;
    free(real);
    return whole;
}

static const char *resolve_directory(struct canonical *r, const char *path, const char *base) {
    size_t length = (size_t)(base - path);
    if (!r->given || strncmp(r->given, path, length) != 0 || r->given[length]) {
        free(r->given);
        free(r->real);
        r->given = strndup(path, length);
        r->real = r->given ? real_directory(r->given) : NULL;
    }
    return r->real;
}

char *canonical_path(struct canonical *r, const char *path) {
    struct stat st;
    const char *base = path_base(path);
    if (!*base || (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))) {
        char *whole = realpath(path, NULL);
        if (whole)
            return whole;
    }
    const char *directory = resolve_directory(r, path, base);
    return directory ? format_text("%s/%s", directory[1] ? directory : "", base)
                     : format_text("%s", path);
}

bool canonical_applies(const char *path) {
    struct stat st;
    return strcmp(path, "-") != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

void canonical_free(struct canonical *r) {
    free(r->given);
    free(r->real);
}

/* Does this directory ignore the case of letters in names? Its flags or the file system's type tell. */
static bool directory_folds_case(const char *path) {
    static const uint32_t types[] = {
        MSDOS_SUPER_MAGIC,      0x2011bab0 /* exFAT */, 0xff534d42 /* CIFS */,
        0xfe534d42 /* SMB 2 */, 0x4244 /* HFS */,       0x482b /* HFS+ */,
    };
    struct statfs system;
    int flags = 0, fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
        flags = 0;
    if (fd >= 0)
        close(fd);
    if (flags & FS_CASEFOLD_FL)
        return true;
    for (size_t i = 0; statfs(path, &system) == 0 && i < sizeof types / sizeof *types; i++) {
        if ((uint32_t)system.f_type == types[i])
            return true;
    }
    return false;
}

/* Of the nearest directory above that exists. */
bool canonical_folds_case(const char *path) {
    struct stat st;
    char *directory = strdup(path);
    bool found = false, folds = false;
    for (char *slash; directory && !found && (slash = strrchr(directory, '/')) != NULL;) {
        slash[slash == directory] = '\0';
        found = stat(directory, &st) == 0 || !directory[1];
        folds = found && directory_folds_case(directory);
    }
    free(directory);
    return found ? folds : directory_folds_case(".");
}
