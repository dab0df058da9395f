/* flt_file.c - finding and reading .flt files */
#include "flt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Read to the end of the stream: it may be a pipe. */
static enum imf_status read_all(FILE *f, const char *path, char **text, size_t *size,
                                struct imf_error *err) {
    size_t capacity = 0;
    *text = NULL;
    *size = 0;
    for (;;) {
        if (*size == capacity) {
            size_t wider = capacity ? capacity * 2 : 16384;
            char *moved = realloc(*text, wider);
            if (!moved)
                return imf_fail_memory(err, wider);
            *text = moved;
            capacity = wider;
        }
        size_t got = fread(*text + *size, 1, capacity - *size, f);
        if (got == 0 && ferror(f))
            return imf_fail(err, errno == EISDIR ? IMF_ERR_SPEC : IMF_ERR_IO, "cannot read %s: %s",
                            path, strerror(errno));
        if (got == 0)
            return IMF_OK;
        if (memchr(*text + *size, '\0', got))
            return imf_fail(err, IMF_ERR_SPEC, "%s: NUL byte: this is not a text file", path);
        *size += got;
        if (*size > IMF_FLT_LARGEST)
            return imf_fail(err, IMF_ERR_SPEC, "%s: larger than 256 MiB, too large for a filter",
                            path);
    }
}

enum imf_status imf_flt_load(struct imf_flt *out, const char *path, struct imf_error *err) {
    char *text;
    size_t size;
    *out = (struct imf_flt){0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return imf_fail(err, IMF_ERR_SPEC, "cannot open %s: %s", path, strerror(errno));
    enum imf_status status = read_all(f, path, &text, &size, err);
    fclose(f);
    if (status == IMF_OK)
        status = imf_flt_parse(out, path, text, size, err);
    free(text);
    return status;
}

/* DIRECTORY[/MIDDLE]/NAME.flt into *path when it is there; *path stays NULL when it is not. */
static enum imf_status try_path(char **path, struct imf_span directory, const char *middle,
                                const char *name, struct imf_error *err) {
    struct stat st;
    size_t size = directory.length + strlen(middle) + strlen(name) + sizeof "/.flt";
    char *candidate = malloc(size);
    if (!candidate)
        return imf_fail_memory(err, size);
    memcpy(candidate, directory.text, directory.length);
    snprintf(candidate + directory.length, size - directory.length, "%s/%s.flt", middle, name);
    /* A file that exists but cannot be reached is reported when it is opened. */
    if (stat(candidate, &st) == 0 || (errno != ENOENT && errno != ENOTDIR))
        *path = candidate;
    else
        free(candidate);
    return IMF_OK;
}

static bool is_path(const char *name) {
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 4 && strcmp(name + length - 4, ".flt") == 0);
}

enum imf_status imf_flt_find(char **path, const char *name, struct imf_error *err) {
    const char *list = getenv("IMFILTER_PATH"), *config = getenv("XDG_CONFIG_HOME"),
               *home = getenv("HOME");
    enum imf_status status = IMF_OK;
    *path = NULL;
    if (is_path(name))
        return (*path = strdup(name)) ? IMF_OK : imf_fail_memory(err, strlen(name) + 1);
    while (list && *list && !*path && status == IMF_OK) {
        struct imf_span directory = {list, strcspn(list, ":")};
        /* An empty entry is no directory: a filter is not to come from wherever one stands. */
        if (directory.length > 0)
            status = try_path(path, directory, "", name, err);
        list += directory.length;
        list += *list == ':';
    }
    if (*path || status != IMF_OK)
        return status;
    if (config && config[0] == '/') /* the XDG specification: relative paths are ignored */
        return try_path(path, (struct imf_span){config, strlen(config)}, "/imfilter", name, err);
    if (home && *home)
        return try_path(path, (struct imf_span){home, strlen(home)}, "/.config/imfilter", name,
                        err);
    return IMF_OK;
}
