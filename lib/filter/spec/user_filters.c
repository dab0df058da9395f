/* user_filters.c - the user's own filters, for --list-filters */
#include "filter/builtin/table.h"
#include "filter/flt/file.h"
#include "imfilter_program.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

struct list {
    struct imf_filter_doc *doc;
    size_t count, capacity;
};

static bool known(const struct list *l, const char *name) {
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->doc[i].usage, name))
            return true;
    return imf_builtin_find(name) != NULL;
}

/* Takes over both texts, also on failure. */
static enum imf_status append(struct list *l, char *name, char *summary, struct imf_error *err) {
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 16;
        struct imf_filter_doc *grown = realloc(l->doc, capacity * sizeof *grown);
        if (grown) {
            l->doc = grown;
            l->capacity = capacity;
        }
    }
    if (!name || !summary || l->count == l->capacity) {
        free(name);
        free(summary);
        return imf_fail_memory(err, sizeof *l->doc);
    }
    l->doc[l->count++] = (struct imf_filter_doc){.usage = name, .summary = summary};
    return IMF_OK;
}

/* A file that cannot be used is listed with the reason. */
static char *summary_of(const char *directory, const char *file) {
    struct imf_error err = {.text = ""};
    struct imf_flt flt;
    size_t size = strlen(directory) + strlen(file) + 2;
    char *path = malloc(size), *summary = NULL;
    if (!path)
        return NULL;
    snprintf(path, size, "%s/%s", directory, file);
    const struct imf_limits none = {.size = sizeof none};
    const struct imf_kernel_files files = {.limits = &none};
    if (imf_flt_load(&flt, path, &files, false, NULL, &err))
        summary = strdup(err.text);
    else
        summary = strdup(flt.summary ? flt.summary : path);
    imf_flt_free(&flt);
    free(path);
    return summary;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_filter(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 4 && !strcmp(entry->d_name + length - 4, ".flt");
}

static enum imf_status list_directory(struct list *l, const char *directory,
                                      struct imf_error *err) {
    struct dirent **entries;
    enum imf_status st = IMF_OK;
    int count = scandir(directory, &entries, is_filter, by_name);
    for (int i = 0; i < count; i++) {
        const char *file = entries[i]->d_name;
        char *name = strndup(file, strlen(file) - 4);
        if (!st && (!name || !known(l, name)))
            st = append(l, name, summary_of(directory, file), err);
        else
            free(name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return st;
}

void imf_filter_docs_free(struct imf_filter_doc **docs, size_t count) {
    for (size_t i = 0; i < count && *docs; i++) {
        free((char *)(*docs)[i].usage);
        free((char *)(*docs)[i].summary);
    }
    free(*docs);
    *docs = NULL;
}

enum imf_status imf_filter_docs_own(struct imf_filter_doc **docs, size_t *count,
                                    struct imf_error *err) {
    struct list l = {NULL, 0, 0};
    enum imf_status st = IMF_OK;
    char *directory;
    for (size_t i = 0; !st; i++) {
        st = imf_flt_directory(&directory, i, err);
        if (!directory)
            break;
        st = list_directory(&l, directory, err);
        free(directory);
    }
    if (st)
        imf_filter_docs_free(&l.doc, l.count);
    *docs = l.doc;
    *count = st ? 0 : l.count;
    return st;
}
