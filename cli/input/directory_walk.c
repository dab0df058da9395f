/*
 * directory_walk.c - the images below a directory (-r)
 */
#include "input/directory_walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/path.h"
#include "report/message.h"

struct walk {
    struct job_list *batch;
    const struct options *options;
};

static int is_entry(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void say_skipped(const struct walk *w, const char *path, const char *why) {
    if (w->options->report.verbosity > 0)
        complain_about(path, "skipped: %s", why);
}

/* Add an input that is known to fail, with errno. */
static bool add_failed(struct walk *w, const char *path, const char *below, const char *format) {
    char *error = format_text(format, strerror(errno));
    return error && job_list_add(w->batch, path, below, error, true);
}

/* The output directory is no input even where it lies inside one. It is looked up each time: another
 * run with --shard may have created it since the walk began. */
static bool is_output(const struct walk *w, const struct stat *st) {
    const char *output = w->options->output;
    struct stat made;
    return output && stat(output, &made) == 0 && made.st_dev == st->st_dev &&
           made.st_ino == st->st_ino;
}

static bool has_image_name(const char *path) {
    const char *extension = path_extension(path);
    return extension && imf_format_from_name(extension) != IMF_FORMAT_NONE;
}

/* Is the name that of an image beside it and more, such as photo.jpg.orig or photo.jpg~? In place it may
 * be the only original. collisions.c finds backups with the suffix of this run. */
static bool is_backup(const struct walk *w, const char *path) {
    const struct options *o = w->options;
    size_t length = strlen(path), suffix = o->backup ? strlen(o->backup) : 0;
    struct stat st;
    if (!o->in_place || has_image_name(path) ||
        (suffix && suffix < length && strcmp(path + length - suffix, o->backup) == 0))
        return false;
    bool found = false;
    char *name = strdup(path);
    for (size_t n = length; name && !found && --n > 0 && name[n - 1] != '/';) {
        name[n] = '\0';
        found = has_image_name(name) && lstat(name, &st) == 0 && S_ISREG(st.st_mode);
    }
    free(name);
    return found;
}

/* A regular file is an image by its content. One that has only the name of an image is damaged or empty:
 * it is added, and fails when it is read. A file that cannot be opened fails at once. */
static bool walk_file(struct walk *w, const char *path, const char *below) {
    if (path_is_temporary(path_base(path))) {
        say_skipped(w, path, "an output that is being written");
        return true;
    }
    struct file_type type = file_type_of_file(path);
    if (type.error == ENOENT) {
        say_skipped(w, path, "was removed meanwhile");
    } else if (type.format != IMF_FORMAT_NONE && is_backup(w, path)) {
        say_skipped(w, path, "a backup of the image beside it, by its name");
        file_type_count(&w->batch->others, "backup");
    } else if (type.format != IMF_FORMAT_NONE || (!type.other && has_image_name(path))) {
        return job_list_add(w->batch, path, below, NULL, true);
    } else if (type.error) {
        errno = type.error;
        return add_failed(w, path, below, "cannot open: %s");
    } else if (type.other) {
        say_skipped(w, path, type.other);
        file_type_count(&w->batch->others, type.other);
    } else {
        say_skipped(w, path, "no image");
    }
    return true;
}

static bool walk_into(struct walk *w, const char *path, const char *below);

/* path: to open it; below: its path below the directory that was named. */
static bool walk_entry(struct walk *w, const char *path, const char *below) {
    struct stat link, st;
    if (lstat(path, &link) != 0) {
        if (errno != ENOENT)
            return add_failed(w, path, below, "cannot read: %s");
        say_skipped(w, path, "was removed meanwhile");
        return true;
    }
    if (S_ISLNK(link.st_mode) && w->options->in_place) {
        /* Its target is outside, or found under its own name. */
        say_skipped(w, path, "a symbolic link");
        return true;
    }
    if (stat(path, &st) != 0) {
        /* A link: an error only if its name is that of an image. */
        if (has_image_name(path))
            return add_failed(w, path, below,
                              errno == ENOENT ? "is a dangling symbolic link" : "cannot read: %s");
        say_skipped(w, path, strerror(errno));
        return true;
    }
    if (S_ISDIR(st.st_mode)) {
        if (S_ISLNK(link.st_mode))
            say_skipped(w, path, "a symbolic link to a directory");
        else if (is_output(w, &st))
            say_skipped(w, path, "the output directory");
        else
            return walk_into(w, path, below);
        return true;
    }
    if (S_ISREG(st.st_mode))
        return walk_file(w, path, below);
    say_skipped(w, path, "not a regular file");
    return true;
}

/* In byte order, which is alphasort()'s in the C locale. */
static bool walk_into(struct walk *w, const char *path, const char *below) {
    struct dirent **list;
    int count = scandir(path, &list, is_entry, alphasort);
    if (count < 0)
        return add_failed(w, path, below, "cannot read the directory: %s");
    bool good = true;
    for (int i = 0; i < count; i++) {
        const char *name = list[i]->d_name;
        bool slash = path[strlen(path) - 1] == '/';
        char *inner = good ? format_text("%s%s%s", path, slash ? "" : "/", name) : NULL;
        char *inner_below = good ? format_text("%s%s%s", below, *below ? "/" : "", name) : NULL;
        good = inner && inner_below && walk_entry(w, inner, inner_below);
        free(inner);
        free(inner_below);
        free(list[i]);
    }
    free(list);
    return good;
}

bool directory_walk(struct job_list *b, const struct options *o, const char *path) {
    struct walk w = {b, o};
    size_t before = b->count;
    if (!walk_into(&w, path, ""))
        return false;
    if (b->count == before && o->report.verbosity >= 0)
        complain_about(path, "warning: no image was found in this directory");
    return true;
}
