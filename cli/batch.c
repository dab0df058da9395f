/*
 * batch.c - collecting the inputs: operands, --files-from, and directories with -r
 */
#include "batch.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "naming.h"
#include "report.h"

/* Takes over error; copies the rest. */
static bool add(struct batch *b, const char *input, const char *name, char *error, bool in_tree) {
    if (b->count == b->room) {
        size_t room = b->room ? b->room * 2 : 16;
        struct job *grown =
            room > SIZE_MAX / sizeof *grown ? NULL : realloc(b->jobs, room * sizeof *grown);
        if (!grown) {
            free(error);
            complain("out of memory");
            return false;
        }
        b->jobs = grown;
        b->room = room;
    }
    struct job *job = &b->jobs[b->count++];
    *job = (struct job){strdup(input), NULL, strdup(name), error, in_tree};
    if (!job->input || !job->name) {
        complain("out of memory");
        return false;
    }
    return true;
}

/* ---- directories -------------------------------------------------------------------------- */

struct walk {
    struct batch *batch;
    const struct options *options;
    bool has_output;
    struct stat output; /* the output directory, which is not an input even when it lies inside */
};

struct names {
    char **list;
    size_t count;
};

static void free_names(struct names *names) {
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The entries of a directory in byte order; false with errno. */
static bool read_names(const char *path, struct names *names) {
    *names = (struct names){0};
    DIR *dir = opendir(path);
    if (!dir)
        return false;
    size_t room = 0;
    struct dirent *entry;
    int error;
    while (errno = 0, (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (names->count == room) {
            room = room ? room * 2 : 32;
            char **grown = realloc(names->list, room * sizeof *grown);
            if (!grown)
                break;
            names->list = grown;
        }
        if (!(names->list[names->count] = strdup(entry->d_name)))
            break;
        names->count++;
    }
    error = errno;
    closedir(dir);
    if (error) {
        free_names(names);
        errno = error;
        return false;
    }
    if (names->count)
        qsort(names->list, names->count, sizeof *names->list, by_name);
    return true;
}

static void say_skipped(const struct walk *w, const char *path, const char *why) {
    if (w->options->verbosity > 0)
        complain_about(path, "skipped: %s", why);
}

/* An input that fails, by errno. */
static bool add_failed(struct walk *w, const char *path, const char *below, const char *format) {
    char *error = name_format(format, strerror(errno));
    return error && add(w->batch, path, below, error, true);
}

static bool has_image_name(const char *path) {
    const char *extension = name_extension(path);
    return extension && imf_format_from_name(extension) != IMF_FORMAT_NONE;
}

static bool walk_directory(struct walk *w, const char *path, const char *below);

/* One entry: `path` to reach it, `below` to name it under the output directory. */
static bool walk_entry(struct walk *w, const char *path, const char *below) {
    struct stat link, st;
    if (lstat(path, &link) != 0) {
        if (errno != ENOENT)
            return add_failed(w, path, below, "cannot read: %s");
        say_skipped(w, path, "it is gone");
        return true;
    }
    if (S_ISLNK(link.st_mode) && w->options->in_place) {
        /* What it leads to may lie outside; what lies inside is met under its own name. */
        say_skipped(w, path, "a symbolic link");
        return true;
    }
    if (stat(path, &st) != 0) {
        /* A link, which counts only where it could have led to an image. */
        if (has_image_name(path))
            return add_failed(w, path, below,
                              errno == ENOENT ? "is a dangling symbolic link" : "cannot read: %s");
        say_skipped(w, path, strerror(errno));
        return true;
    }
    if (S_ISDIR(st.st_mode)) {
        if (S_ISLNK(link.st_mode))
            say_skipped(w, path, "a symbolic link to a directory");
        else if (w->has_output && st.st_dev == w->output.st_dev && st.st_ino == w->output.st_ino)
            say_skipped(w, path, "the output directory");
        else
            return walk_directory(w, path, below);
        return true;
    }
    if (!S_ISREG(st.st_mode))
        say_skipped(w, path, "not a regular file");
    else if (!has_image_name(path))
        say_skipped(w, path, "its name has no extension of a known image format");
    else
        return add(w->batch, path, below, NULL, true);
    return true;
}

static bool walk_directory(struct walk *w, const char *path, const char *below) {
    struct names names;
    if (!read_names(path, &names))
        return add_failed(w, path, below, "cannot read the directory: %s");
    bool good = true;
    for (size_t i = 0; good && i < names.count; i++) {
        bool slash = path[strlen(path) - 1] == '/';
        char *inner = name_format("%s%s%s", path, slash ? "" : "/", names.list[i]);
        char *inner_below = name_format("%s%s%s", below, *below ? "/" : "", names.list[i]);
        good = inner && inner_below && walk_entry(w, inner, inner_below);
        free(inner);
        free(inner_below);
    }
    free_names(&names);
    return good;
}

static bool walk_root(struct batch *b, const struct options *o, const char *path) {
    struct walk w = {.batch = b, .options = o};
    w.has_output = o->output && stat(o->output, &w.output) == 0;
    size_t before = b->count;
    if (!walk_directory(&w, path, ""))
        return false;
    if (b->count == before && o->verbosity >= 0)
        complain_about(path, "warning: no image was found in this directory");
    return true;
}

/* ---- operands and lists ------------------------------------------------------------------- */

static bool add_input(struct batch *b, const struct options *o, const char *input) {
    struct stat st;
    if (!*input) {
        complain("the name of an input is empty");
        return false;
    }
    if (o->recursive && strcmp(input, "-") != 0 && stat(input, &st) == 0 && S_ISDIR(st.st_mode))
        return walk_root(b, o, input);
    return add(b, input, name_base(input), NULL, false);
}

static bool add_from(struct batch *b, const struct options *o) {
    const char *list = o->files_from;
    bool standard = strcmp(list, "-") == 0;
    FILE *stream = standard ? stdin : fopen(list, "r");
    if (!stream) {
        complain_about(list, "cannot read: %s", strerror(errno));
        return false;
    }
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int end = o->null_separated ? '\0' : '\n';
    bool good = true;
    while (good && (length = getdelim(&line, &room, end, stream)) > 0) {
        if (line[length - 1] == end)
            line[length - 1] = '\0';
        if (*line)
            good = add_input(b, o, line);
    }
    if (good && ferror(stream)) {
        complain_about(list, "cannot read: %s", strerror(errno));
        good = false;
    }
    free(line);
    if (!standard)
        fclose(stream);
    return good;
}

static bool collect(struct batch *b, const struct options *o) {
    for (size_t i = 0; i < o->input_count; i++) {
        if (!add_input(b, o, o->inputs[i]))
            return false;
    }
    if (o->files_from) {
        if (!add_from(b, o))
            return false;
        if (!b->count && !o->input_count && o->verbosity >= 0)
            complain_about(o->files_from, "warning: the list names no input");
    } else if (!o->input_count) {
        if (isatty(STDIN_FILENO)) {
            complain("no input given (name a file, or - for standard input)");
            return false;
        }
        return add(b, "-", "-", NULL, false);
    }
    size_t standard = o->files_from && strcmp(o->files_from, "-") == 0;
    for (size_t i = 0; i < b->count; i++)
        standard += strcmp(b->jobs[i].input, "-") == 0;
    if (standard > 1) {
        complain("standard input is asked for more than once");
        return false;
    }
    return true;
}

/* ---- shares ------------------------------------------------------------------------------- */

static void free_job(struct job *job) {
    free(job->input);
    free(job->output);
    free(job->name);
    free(job->error);
}

static int by_input(const void *a, const void *b) {
    return strcmp(((const struct job *)a)->input, ((const struct job *)b)->input);
}

/* Every Nth input of the list sorted by name, so that the shares are the same in whatever order the
 * names come. Neighbours, which are likely to be alike, go to different shares. */
static bool take_share(struct batch *b, const struct options *o) {
    size_t kept = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (strcmp(b->jobs[i].input, "-") == 0) {
            complain("--shard divides files among runs, and standard input is none");
            return false;
        }
    }
    if (b->count)
        qsort(b->jobs, b->count, sizeof *b->jobs, by_input);
    for (size_t i = 0; i < b->count; i++) {
        if (i % o->shards == o->shard - 1)
            b->jobs[kept++] = b->jobs[i];
        else
            free_job(&b->jobs[i]);
    }
    b->count = kept;
    return true;
}

bool batch_create(struct batch *b, const struct options *o) {
    memset(b, 0, sizeof *b);
    return collect(b, o) && name_outputs(b, o) && name_check(b, o) &&
           (!o->shards || take_share(b, o));
}

void batch_free(struct batch *b) {
    for (size_t i = 0; i < b->count; i++)
        free_job(&b->jobs[i]);
    free(b->jobs);
    *b = (struct batch){0};
}
