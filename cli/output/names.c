/*
 * names.c - what each output is called, and whether one that exists is kept
 */
#include "output/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/path.h"
#include "options/formats.h"
#include "report/message.h"

/* ---- the numbers of pages ----------------------------------------------------------------- */

/* What a user calls outputs, or puts into their names. With --pages "%d" or "%03d" stands for the number of a page,
 * and "%%" for "%". */
struct pattern {
    char *text;      /* owned: "%%" is "%" */
    size_t at, size; /* of the number; size 0: there is none */
};

/* The length of "%d" or "%03d" at the beginning of the text, or 0. */
static size_t number_size(const char *text) {
    size_t digits = *text == '%' && text[1] == '0' ? strspn(text + 1, "0123456789") : 0;
    return *text == '%' && text[1 + digits] == 'd' && digits != 1 && digits < 4 ? 2 + digits : 0;
}

static bool bad_pattern(const char *text, const char *at) {
    size_t size = number_size(at);
    return size ? complain("with --pages \"%s\" has the page's number twice (write %%%% for %%)",
                           text)
                : complain(
                      "with --pages \"%.2s\" in \"%s\" is neither the page's number (%%d, or "
                      "%%03d for three digits) nor %%%%, a percent sign",
                      at, text);
}

/* False after a message. Only the last name of a path has the number. */
static bool read_pattern(struct pattern *p, const char *text, const struct options *o) {
    char *to = strdup(text);
    *p = (struct pattern){.text = to};
    if (!to)
        return complain("out of memory");
    for (const char *at = text; o->paged && at < path_base(text); at++)
        if (number_size(at))
            return complain("with --pages \"%s\" numbers a directory (number the file in it)",
                            text);
    to += path_base(text) - text;
    for (const char *at = path_base(text); o->paged && *at;) {
        size_t size = number_size(at), length = size ? size : 1;
        if (*at == '%' && (size ? p->size > 0 : at[1] != '%'))
            return bad_pattern(text, at);
        if (size)
            *p = (struct pattern){p->text, (size_t)(to - p->text), size};
        memmove(to, at, length);
        to += length;
        at += !size && *at == '%' ? 2 : length;
        *to = '\0';
    }
    return true;
}

char *names_of_page(const struct job *job, int page) {
    const char *number = job->output + job->page_at;
    int digits = job->page_size > 2 ? atoi(number + 1) : 1;
    return format_text("%.*s%0*d%s", (int)job->page_at, job->output, digits, page,
                       number + job->page_size);
}

/* ---- names -------------------------------------------------------------------------------- */

/* What a format that is only read becomes, unless something else is asked for. */
#define INSTEAD IMF_FORMAT_JPEG

/* The extension that --format asks for: of a PNM the one of its kind. */
static const char *format_extension(const struct options *o) {
    enum imf_format format = o->format == IMF_FORMAT_NONE ? INSTEAD : o->format;
    const char *const *e = imf_format_doc(format)->extensions;
    while (o->encode.pnm != IMF_PNM_ANY && e[1] && imf_pnm_from_name(*e) != o->encode.pnm)
        e++;
    return *e;
}

/* Is the extension one of --format's? pnm: the kind of PNM that ".pnm" stands for. */
static bool agrees(const struct options *o, const char *extension, enum imf_pnm pnm) {
    enum imf_pnm named = imf_pnm_from_name(extension), asked = o->encode.pnm;
    return o->format == IMF_FORMAT_NONE ||
           (o->format == imf_format_from_name(extension) &&
            (asked == IMF_PNM_ANY || (named == IMF_PNM_ANY ? pnm : named) == asked));
}

bool names_mismatch(const struct job_list *b, const struct options *o, char text[NAME_MISMATCH]) {
    const char *extension = o->output && !b->to_directory ? path_extension(o->output) : NULL;
    if (!extension || imf_format_from_name(extension) == IMF_FORMAT_NONE ||
        agrees(o, extension, o->encode.pnm))
        return false;
    snprintf(text, NAME_MISMATCH, "written as --format says, although its name ends in .%.40s",
             extension);
    return true;
}

/* Set the job's output to `before`, path with the suffix before its extension, and the extension of another
 * format if one is asked for. An extension that names no image format is part of the name. */
static void derive(struct job *job, const char *before, const char *path, const struct options *o,
                   const struct pattern *suffix) {
    const char *extension = path_extension(path);
    enum imf_format format = extension ? imf_format_from_name(extension) : IMF_FORMAT_NONE;
    bool known = format != IMF_FORMAT_NONE;
    bool keep = agrees(o, extension ? extension : "", IMF_PNM_ANY) &&
                (!known || imf_format_is_written(format));
    size_t stem = extension && (known || keep) ? (size_t)(extension - path) - 1 : strlen(path);
    job->output = format_text("%s%.*s%s%s%s", before, (int)stem, path, suffix->text,
                              keep ? "" : ".", keep ? path + stem : format_extension(o));
    job->page_at = strlen(before) + stem + suffix->at;
    job->page_size = suffix->size;
}

static bool output_missing(const struct options *o) {
    return !o->output && !o->in_place && !o->suffix;
}

/* Check options against the number of inputs. */
static bool check_options(const struct job_list *b, const struct options *o) {
    struct stat st;
    /* These work without an output. */
    bool optional =
        o->parts || o->verify || o->report.bench || o->report.explain || o->report.spectrum;
    if (output_missing(o)) {
        if (!optional && o->input_count == 2 && b->count == 2)
            complain("no output given (if \"%s\" is the output, write -o %s; else -o DIR/)",
                     o->inputs[1], o->inputs[1]);
        else if (!optional)
            complain("no output given (use -o FILE, -o DIR/, -o - or --in-place)");
        return optional;
    }
    if (!o->output)
        return true;
    bool standard = strcmp(o->output, "-") == 0;
    if (!standard && b->to_directory) {
        if (stat(o->output, &st) == 0 && !S_ISDIR(st.st_mode))
            return complain_about(o->output, "is not a directory");
        return true;
    }
    if (b->count > 1 || b->has_tree)
        return complain(
            "%zu input%s need%s a directory as output, and \"%s\" is none (if it is to be "
            "made, end its name in /)",
            b->count, b->count == 1 ? " of a directory" : "s", b->count == 1 ? "s" : "", o->output);
    if (o->suffix)
        return complain("--suffix names outputs in a directory or beside their inputs, not \"%s\"",
                        o->output);
    if (standard && !o->dry_run && isatty(STDOUT_FILENO))
        return complain(
            "standard output is a terminal; an image is not written there (use -o FILE)");
    const char *extension = standard ? NULL : path_extension(o->output);
    enum imf_format format = extension ? imf_format_from_name(extension) : IMF_FORMAT_NONE;
    if (extension && o->format == IMF_FORMAT_NONE && !imf_format_is_written(format) &&
        (stat(o->output, &st) != 0 || S_ISREG(st.st_mode))) {
        char known[FORMATS_TEXT];
        return complain_about(o->output, "\"%s\" is %s (%s; or name one with --format)", extension,
                              format == IMF_FORMAT_NONE ? "not a known format"
                                                        : "a format that is only read",
                              formats_extensions(known));
    }
    return true;
}

static bool derive_one(struct job *job, const struct job_list *b, const struct options *o,
                       const struct pattern *p) {
    if (!job->error && strcmp(job->input, "-") == 0 && (b->to_directory || !o->output))
        return complain(
            "standard input has no name to derive an output from (use -o FILE or -o -)");
    if (o->in_place) {
        job->output = format_text("%s", job->input);
    } else if (b->to_directory) {
        bool slash = o->output[strlen(o->output) - 1] == '/';
        char *directory = format_text("%s%s", o->output, slash ? "" : "/");
        if (directory)
            derive(job, directory, job->name, o, p);
        free(directory);
    } else if (!o->output) {
        derive(job, "", job->input, o, p);
    } else {
        job->output = format_text("%s", p->text);
        job->page_at = p->at;
        job->page_size = p->size;
    }
    return job->output != NULL;
}

bool names_derive(struct job_list *b, const struct options *o) {
    struct pattern p;
    b->to_directory = o->output && strcmp(o->output, "-") != 0 && path_is_directory(o->output);
    if (!check_options(b, o))
        return false;
    if (output_missing(o))
        return true;
    bool named = o->output && !b->to_directory;
    bool good = read_pattern(&p, named ? o->output : o->suffix ? o->suffix : "", o);
    if (good && p.size && b->has_tree && !b->to_directory)
        good = complain("pages that have their numbers in a tree go to a directory (-o DIR/)");
    for (size_t i = 0; i < b->count && good; i++)
        good = derive_one(&b->jobs[i], b, o, &p);
    free(p.text);
    return good;
}

const char *names_below(const struct job *job) {
    const char *below = path_base(job->output);
    for (const char *at = job->name; (at = strchr(at, '/')) != NULL; at++) {
        do
            below--;
        while (below > job->output && below[-1] != '/');
    }
    return below;
}

const char *names_skip_reason(const struct job *job, const struct options *o) {
    struct stat out;
    if (o->in_place || !job->output || job->page_size || strcmp(job->output, "-") == 0 ||
        stat(job->output, &out) != 0 || S_ISDIR(out.st_mode))
        return NULL;
    if (o->no_clobber)
        return "its output exists";
    if (!o->skip_existing || strcmp(job->input, "-") == 0 || access(job->input, F_OK) != 0)
        return NULL;
    /* Equal times count as newer: the input was there first. */
    return path_is_older(job->output, job->input) ? NULL : "its output is newer";
}

enum imf_format names_format(const struct options *o, const struct job *job,
                             enum imf_format input) {
    const char *extension = job->output ? path_extension(job->output) : NULL;
    enum imf_format named =
        extension && !o->in_place ? imf_format_from_name(extension) : IMF_FORMAT_NONE;
    named = named == IMF_FORMAT_NONE ? input : named;
    return o->format != IMF_FORMAT_NONE   ? o->format
           : imf_format_is_written(named) ? named
                                          : INSTEAD;
}

enum imf_pnm names_pnm(const struct options *o, const struct job *job, int bits) {
    const char *extension = job->output ? path_extension(job->output) : NULL;
    enum imf_pnm named = extension ? imf_pnm_from_name(extension) : IMF_PNM_ANY;
    if (o->encode.pnm != IMF_PNM_ANY)
        return o->encode.pnm;
    bool bitmap = named == IMF_PNM_PBM && bits == 1;
    return !o->in_place || bitmap ? named : IMF_PNM_ANY;
}
