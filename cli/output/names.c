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

/* ---- names -------------------------------------------------------------------------------- */

/* The extension that --format asks for: of a PNM the one of its kind. */
static const char *format_extension(const struct options *o) {
    const char *const *e = imf_format_doc(o->format)->extensions;
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

/* path with the suffix before its extension, and the extension of another format if one is asked
 * for. An extension that names no image format is part of the name. */
static char *derive(const char *path, const struct options *o) {
    const char *extension = path_extension(path), *suffix = o->suffix ? o->suffix : "";
    enum imf_format format = extension ? imf_format_from_name(extension) : IMF_FORMAT_NONE;
    bool known = format != IMF_FORMAT_NONE;
    bool keep = agrees(o, extension ? extension : "", IMF_PNM_ANY);
    size_t stem = extension && (known || keep) ? (size_t)(extension - path) - 1 : strlen(path);
    if (keep)
        return format_text("%.*s%s%s", (int)stem, path, suffix, path + stem);
    return format_text("%.*s%s.%s", (int)stem, path, suffix, format_extension(o));
}

static bool is_directory(const char *path) {
    struct stat st;
    return path[strlen(path) - 1] == '/' || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
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
    if (extension && o->format == IMF_FORMAT_NONE &&
        imf_format_from_name(extension) == IMF_FORMAT_NONE &&
        (stat(o->output, &st) != 0 || S_ISREG(st.st_mode))) {
        char known[FORMATS_TEXT];
        return complain_about(o->output,
                              "\"%s\" is not a known format (%s; or name one with --format)",
                              extension, formats_extensions(known));
    }
    return true;
}

bool names_derive(struct job_list *b, const struct options *o) {
    b->to_directory = o->output && strcmp(o->output, "-") != 0 && is_directory(o->output);
    if (!check_options(b, o))
        return false;
    bool slash = o->output && o->output[strlen(o->output) - 1] == '/';
    for (size_t i = 0; i < b->count; i++) {
        struct job *job = &b->jobs[i];
        bool nameless = strcmp(job->input, "-") == 0;
        if (output_missing(o))
            continue;
        if (nameless && (b->to_directory || !o->output))
            return complain(
                "standard input has no name to derive an output from (use -o FILE or -o -)");
        if (o->in_place) {
            job->output = format_text("%s", job->input);
        } else if (b->to_directory) {
            char *name = derive(job->name, o);
            job->output = name ? format_text("%s%s%s", o->output, slash ? "" : "/", name) : NULL;
            free(name);
        } else if (o->output) {
            job->output = format_text("%s", o->output);
        } else {
            job->output = derive(job->input, o);
        }
        if (!job->output)
            return false;
    }
    return true;
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
    if (o->in_place || !job->output || strcmp(job->output, "-") == 0 ||
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
    return o->format != IMF_FORMAT_NONE ? o->format : named != IMF_FORMAT_NONE ? named : input;
}

enum imf_pnm names_pnm(const struct options *o, const struct job *job, int bits) {
    const char *extension = job->output ? path_extension(job->output) : NULL;
    enum imf_pnm named = extension ? imf_pnm_from_name(extension) : IMF_PNM_ANY;
    if (o->encode.pnm != IMF_PNM_ANY)
        return o->encode.pnm;
    bool bitmap = named == IMF_PNM_PBM && bits == 1;
    return !o->in_place || bitmap ? named : IMF_PNM_ANY;
}
