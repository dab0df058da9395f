/*
 * pictures.c - --show-kernel and --spectrum: pictures that explain a filter or an image
 */
#include "output/pictures.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/path.h"
#include "output/file.h"
#include "report/clock.h"
#include "report/escape.h"
#include "report/json.h"
#include "report/message.h"

static bool is_standard(const char *name) {
    return name && strcmp(name, "-") == 0;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Also if neither exists yet. */
static bool same_file(const char *a, const char *b) {
    return a && b && !is_standard(a) && (strcmp(a, b) == 0 || path_same_file(a, b));
}

static bool is_called(const char *name, const char *wanted) {
    const char *extension = path_extension(name);
    return extension && strcasecmp(extension, wanted) == 0;
}

/* Numbers instead of a picture. */
static bool is_numbers(const char *name) {
    return is_called(name, "pfm") || is_called(name, "csv");
}

static bool check_name(const char *name, const char *option, const struct options *o,
                       const struct job_list *b) {
    bool kernel = name == o->kernel_file;
    const char *extension = name ? path_extension(name) : NULL;
    if (extension && o->format == IMF_FORMAT_NONE &&
        imf_format_from_name(extension) == IMF_FORMAT_NONE && !is_called(name, "pfm") &&
        (kernel || !is_numbers(name)))
        return complain_about(name, "\"%s\" is not a known format of a picture (name it .png, %s)",
                              extension, kernel ? "or .pfm" : ".pfm or .csv");
    for (size_t i = 0; name && i < b->count; i++) {
        bool input = same_file(name, b->jobs[i].input);
        if (input || same_file(name, b->jobs[i].output))
            return complain_about(name, "is %s, and the picture of %s too (choose another name)",
                                  input ? "an input" : "an output", option);
    }
    return true;
}

bool pictures_check(const struct options *o, const struct job_list *b) {
    if (!o->report.spectrum && !o->kernel_file)
        return true;
    if (o->report.spectrum && b->count != 1)
        return complain("--spectrum draws one image, and %zu are given", b->count);
    int standard =
        is_standard(o->output) + is_standard(o->report.spectrum) + is_standard(o->kernel_file);
    if (standard > 1)
        return complain("only one image can go to standard output");
    if (standard && !o->dry_run && isatty(STDOUT_FILENO))
        return complain(
            "standard output is a terminal; an image is not written there (name a file)");
    if (o->report.spectrum && same_file(o->report.spectrum, o->kernel_file))
        return complain("--spectrum and --show-kernel name the same file");
    return check_name(o->report.spectrum, "--spectrum", o, b) &&
           check_name(o->kernel_file, "--show-kernel", o, b);
}

/* ---- files ---------------------------------------------------------------------------------- */

static enum imf_format format_of(const struct options *o, const char *name) {
    const char *extension = path_extension(name);
    enum imf_format format = extension ? imf_format_from_name(extension) : IMF_FORMAT_NONE;
    if (format == IMF_FORMAT_NONE)
        format = o->format;
    return format == IMF_FORMAT_NONE ? IMF_FORMAT_PNG : format;
}

/* What a file gets: a picture, or as PFM the kernel of a filter. */
struct content {
    const struct imf_picture *picture;
    const struct imf_filter *filter;
    bool csv;
};

static enum imf_status encode(FILE *stream, enum imf_format format, const struct content *content,
                              struct imf_error *err) {
    const struct imf_picture *picture = content->picture;
    if (!picture)
        return imf_filter_write_pfm(stream, content->filter, err);
    if (picture->power)
        return imf_spectrum_write(stream, picture, content->csv, err);
    const struct imf_info info = {.width = picture->width,
                                  .height = picture->height,
                                  .channels = 3,
                                  .depth = 8,
                                  .color = IMF_COLOR_RGB,
                                  .format = format};
    const struct imf_encode how = {.subsampling = 444};
    struct imf_writer *writer;
    enum imf_status status = imf_writer_open(&writer, stream, &info, &how, NULL, err);
    if (status == IMF_OK)
        status =
            imf_writer_rows(writer, picture->rgb, 3 * (size_t)picture->width, picture->height, err);
    if (status == IMF_OK)
        status = imf_writer_finish(writer, err);
    imf_writer_close(&writer);
    return status;
}

static const char *write_file(const struct options *o, const char *name,
                              const struct content *content, char why[PICTURES_WHY]) {
    const struct output_rules rules = {.no_clobber = o->no_clobber};
    struct output output;
    struct imf_error error;
    if (!output_open(&output, name, &rules)) {
        snprintf(why, PICTURES_WHY, "%s", output.why);
        return why;
    }
    if (encode(output.stream, format_of(o, name), content, &error) != IMF_OK) {
        bool bare = strncmp(error.text, "cannot", 6) != 0;
        snprintf(why, PICTURES_WHY, "%s%s", bare ? "cannot write: " : "", error.text);
        output_abandon(&output);
        return why;
    }
    switch (output_commit(&output)) {
    case OUTPUT_DONE:
        return NULL;
    case OUTPUT_EXISTS:
        return "exists, and --no-clobber leaves it alone";
    default:
        snprintf(why, PICTURES_WHY, "%s", output.why);
        return why;
    }
}

const char *pictures_write(const struct options *o, const char *name,
                           const struct imf_picture *picture, char why[PICTURES_WHY]) {
    return write_file(o, name, &(struct content){picture, NULL, is_called(name, "csv")}, why);
}

/* ---- --show-kernel -------------------------------------------------------------------------- */

static bool draw_kernel(const struct options *o, const struct imf_filter *filter) {
    struct imf_picture *picture = NULL;
    struct imf_error error;
    char why[PICTURES_WHY];
    if (!is_called(o->kernel_file, "pfm") && imf_filter_picture(&picture, filter, &error) != IMF_OK)
        return complain("%s", error.text);
    const struct content content = {.picture = picture, .filter = filter};
    const char *failed = write_file(o, o->kernel_file, &content, why);
    imf_picture_free(&picture);
    if (failed)
        complain_about(is_standard(o->kernel_file) ? "standard output" : o->kernel_file, "%s",
                       failed);
    return !failed;
}

bool pictures_show_kernel(const struct reporter *r, const struct options *o,
                          const struct imf_filter *filter) {
    struct imf_error error;
    char *text;
    if (imf_filter_print(&text, filter, o->report.verbosity > 0, &error) != IMF_OK)
        return complain("%s", error.text);
    if (o->report.json) {
        struct json j = json_begin(r->out);
        json_string(&j, "filter", imf_filter_text(filter));
        json_string(&j, "kernel", text);
        json_end(&j);
    } else {
        for (char *line = text, *rest = text; (line = strsep(&rest, "\n")) && (*line || rest);) {
            escape_print(r->out, line);
            putc('\n', r->out);
        }
        fflush(r->out);
    }
    free(text);
    return !o->kernel_file || o->dry_run || draw_kernel(o, filter);
}

/* ---- --spectrum ----------------------------------------------------------------------------- */

/* Allocate an image's pixels; the caller frees *data. */
static enum imf_status allocate_pixels(struct imf_pixels *pixels, void **data,
                                       const struct imf_info *info, struct imf_error *err) {
    size_t stride = (size_t)info->width * (size_t)info->channels * (size_t)(info->depth / 8), size;
    bool fits = !__builtin_mul_overflow(stride, (size_t)info->height, &size);
    *data = fits ? malloc(size) : NULL;
    *pixels = (struct imf_pixels){info, *data, stride};
    if (*data)
        return IMF_OK;
    err->status = IMF_ERR_MEMORY;
    snprintf(err->text, sizeof err->text,
             "--spectrum needs %.0f MB for the pixels, more than there is",
             (double)stride * info->height / 1e6);
    return IMF_ERR_MEMORY;
}

uint64_t pictures_bytes(const struct imf_info *info, const struct options *o) {
    double pixels = (double)info->width * info->height;
    if (!o->report.spectrum)
        return 0;
    double samples = pixels * info->channels, depth = info->depth;
    if (o->spec_count)
        samples += samples * (o->settings.depth ? options_rows_depth(o) : depth) / depth;
    return (uint64_t)(samples * depth / 8 +
                      imf_spectrum_bytes(info, is_numbers(o->report.spectrum)));
}

/* Without a filter there is no plan that keeps to the limit. */
static enum imf_status check_memory(const struct imf_reader *reader, const struct options *o,
                                    struct imf_error *err) {
    const double process = 7.5e6;
    uint64_t limit = o->limits.max_memory;
    double bytes = process + (double)imf_reader_held(reader) +
                   (double)pictures_bytes(imf_reader_info(reader), o);
    if (!limit || bytes <= (double)limit)
        return IMF_OK;
    err->status = IMF_ERR_LIMIT;
    snprintf(err->text, sizeof err->text,
             "--spectrum needs %.0f MiB, over the limit of %.0f MiB (raise it with --max-memory)",
             bytes / 1048576, (double)limit / 1048576);
    return err->status;
}

static enum imf_status filter_pixels(struct imf_pixels *after, void **data,
                                     struct imf_workspace *workspace,
                                     const struct imf_pixels *before, struct imf_writer *writer,
                                     const struct options *o, struct imf_report *report,
                                     struct imf_error *err) {
    const struct imf_run_options options = {.bench = o->report.bench, .verify = o->verify};
    enum imf_status status =
        allocate_pixels(after, data, imf_plan_output(imf_workspace_plan(workspace)), err);
    if (status == IMF_OK)
        status = imf_workspace_run_memory(workspace, before->data, before->stride, *data,
                                          after->stride, &options, report, err);
    double start = now_ms();
    if (status == IMF_OK && writer)
        status = imf_writer_rows(writer, *data, after->stride, after->info->height, err);
    if (status == IMF_OK && writer)
        status = imf_writer_finish(writer, err);
    report->encode_ms += now_ms() - start;
    return status;
}

enum imf_status pictures_run(struct imf_picture **out, struct imf_workspace *workspace,
                             struct imf_reader *reader, struct imf_writer *writer,
                             const struct options *o, struct outcome *outcome,
                             struct imf_error *err) {
    struct imf_report *report = &outcome->report;
    struct imf_pixels before, after;
    void *in = NULL, *filtered = NULL;
    double start = now_ms();
    *out = NULL;
    enum imf_status status = workspace ? IMF_OK : check_memory(reader, o, err);
    if (status == IMF_OK)
        status = allocate_pixels(&before, &in, imf_reader_info(reader), err);
    if (status == IMF_OK)
        status = imf_reader_rows(reader, in, before.stride, before.info->height, err);
    double decode_ms = now_ms() - start;
    if (status == IMF_OK && workspace)
        status = filter_pixels(&after, &filtered, workspace, &before, writer, o, report, err);
    report->decode_ms += decode_ms;
    if (status == IMF_OK && is_numbers(o->report.spectrum))
        status = imf_spectrum_numbers(out, workspace ? &after : &before, &outcome->peaks, err);
    else if (status == IMF_OK)
        status =
            imf_spectrum_picture(out, &before, workspace ? &after : NULL,
                                 is_standard(outcome->input) ? "standard input" : outcome->input,
                                 outcome->filter, &outcome->peaks, err);
    free(in);
    free(filtered);
    return status;
}
