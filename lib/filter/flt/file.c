/* file.c - finding and reading .flt files, and other files that hold a kernel */
#include "filter/flt/file.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Read to the end of the stream: it may be a pipe. */
static enum imf_status read_all(FILE *f, const char *path, const struct imf_kernel_files *files,
                                char **text, size_t *size, struct imf_error *err) {
    size_t capacity = 0;
    *text = NULL;
    *size = 0;
    for (;;) {
        if (*size == capacity) {
            size_t wider = capacity ? capacity * 2 : 16384;
            enum imf_status status =
                imf_memory_fits(files->limits->max_memory, files->held + wider, path, err);
            if (status != IMF_OK)
                return status;
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
        *size += got;
        if (*size > IMF_FLT_LARGEST)
            return imf_fail(err, IMF_ERR_SPEC, "%s: larger than 256 MiB, too large for a filter",
                            path);
    }
}

/* Numbers are read into an array that doubles as it grows, and are then copied to a kernel. */
static enum imf_status numbers_fit(const char *path, const struct imf_kernel_files *files,
                                   const char *text, size_t size, struct imf_error *err) {
    uint64_t numbers = 0;
    bool inside = false;
    for (size_t i = 0; i < size; i++) {
        bool part = !strchr(" \t\r\n,", text[i]);
        numbers += part && !inside;
        inside = part;
    }
    return imf_memory_fits(files->limits->max_memory,
                           files->held + size + 3 * numbers * sizeof(double), path, err);
}

/* A file that is no text, if it is none. */
static enum imf_status read_other(struct imf_flt *out, const char *path, const char *bytes,
                                  size_t size, const struct imf_kernel_files *files,
                                  char note[IMF_NOTE], struct imf_error *err) {
    struct imf_error why = {0};
    char remark[IMF_NOTE] = "";
    enum imf_status status =
        files->read(&out->kernel[0], remark, bytes, size, files->limits, files->held, &why);
    if (status != IMF_OK)
        return imf_fail(err, status, "%s: %s", path, why.text);
    if (remark[0])
        snprintf(note, IMF_NOTE, "%.50s: %.100s", path, remark);
    if (out->kernel[0])
        out->scaling =
            (struct imf_scaling){.scale_given = true, .scale_auto = true, .rounding = FLT_EPSILON};
    return IMF_OK;
}

enum imf_status imf_flt_load(struct imf_flt *out, const char *path,
                             const struct imf_kernel_files *files, bool other, char note[IMF_NOTE],
                             struct imf_error *err) {
    char *text;
    size_t size;
    *out = (struct imf_flt){0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return imf_fail(err, IMF_ERR_SPEC, "cannot open %s: %s", path, strerror(errno));
    enum imf_status status = read_all(f, path, files, &text, &size, err);
    fclose(f);
    if (status == IMF_OK && other)
        status = read_other(out, path, text, size, files, note, err);
    else if (status == IMF_OK && memchr(text, '\0', size))
        status =
            imf_fail(err, IMF_ERR_SPEC,
                     "%s: NUL byte: this is not a text file (kernel:@FILE reads pictures)", path);
    bool parse = status == IMF_OK && !out->kernel[0];
    if (parse)
        status = numbers_fit(path, files, text, size, err);
    if (parse && status == IMF_OK)
        status = imf_flt_parse(out, path, text, size, err);
    free(text);
    return status;
}

/* Two texts as one; the caller frees it. */
static enum imf_status joined(char **out, const char *a, size_t length, const char *b,
                              struct imf_error *err) {
    size_t size = length + strlen(b) + 1;
    if (!(*out = malloc(size)))
        return imf_fail_memory(err, size);
    memcpy(*out, a, length);
    strcpy(*out + length, b);
    return IMF_OK;
}

enum imf_status imf_flt_directory(char **path, size_t index, struct imf_error *err) {
    const char *list = getenv("IMFILTER_PATH"), *config = getenv("XDG_CONFIG_HOME"),
               *home = getenv("HOME");
    *path = NULL;
    while (list && *list) {
        size_t length = strcspn(list, ":");
        /* An empty entry is no directory: a filter is not to come from wherever one stands. */
        if (length > 0 && index-- == 0)
            return joined(path, list, length, "", err);
        list += length;
        list += *list == ':';
    }
    if (index > 0)
        return IMF_OK;
    if (config && config[0] == '/') /* the XDG specification: relative paths are ignored */
        return joined(path, config, strlen(config), "/imfilter", err);
    return home && *home ? joined(path, home, strlen(home), "/.config/imfilter", err) : IMF_OK;
}

/* DIRECTORY/NAME.flt into *path when it is there; *path stays NULL when it is not. */
static enum imf_status try_path(char **path, const char *directory, const char *name,
                                struct imf_error *err) {
    struct stat st;
    size_t size = strlen(directory) + strlen(name) + sizeof "/.flt";
    char *candidate = malloc(size);
    if (!candidate)
        return imf_fail_memory(err, size);
    snprintf(candidate, size, "%s/%s.flt", directory, name);
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
    enum imf_status status = IMF_OK;
    char *directory = NULL;
    *path = NULL;
    if (is_path(name))
        return (*path = strdup(name)) ? IMF_OK : imf_fail_memory(err, strlen(name) + 1);
    for (size_t i = 0; !*path && status == IMF_OK; i++) {
        status = imf_flt_directory(&directory, i, err);
        if (!directory)
            break;
        status = try_path(path, directory, name, err);
        free(directory);
    }
    return status;
}
