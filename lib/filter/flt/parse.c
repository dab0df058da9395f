/*
 * parse.c - the parser of .flt text
 *
 * Line by line: a line that starts like a number is a row of coefficients, any other starts with a
 * keyword of the table below. A kernel ends at the next "kernel" line or at the end of the text.
 */
#include "filter/flt/file.h"

#include "filter/flt/coefficients.h"
#include "filter/flt/foreign.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *name; /* of the file */
    struct imf_flt *flt;
    struct imf_error *err;
    struct imf_rows rows;
    char axis[2];       /* 'x' or 'y' where a kernel is named so */
    size_t kernels;     /* complete ones */
    bool titled;        /* a "kernel" line was read */
    bool magnitude;     /* "combine magnitude" was read */
    unsigned seen;      /* keywords, a bit each */
    const char *line;   /* start of the current line */
    size_t line_number; /* 1-based */
};

typedef enum imf_status keyword_function(struct reader *r, struct imf_span value);

static enum imf_status __attribute__((format(printf, 3, 4)))
fail_at(struct reader *r, const char *at, const char *format, ...) {
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return imf_fail(r->err, IMF_ERR_SPEC, "%s:%zu:%zu: %s", r->name, r->line_number,
                    imf_span_column(r->line, at), text);
}

static enum imf_status fail_value(struct reader *r, struct imf_span s, const char *wrong) {
    char quote[IMF_QUOTE];
    return fail_at(r, s.text, "\"%s\" %s", imf_span_quote(quote, s), wrong);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static struct imf_span trim(struct imf_span s) {
    while (s.length > 0 && is_blank(s.text[0])) {
        s.text++;
        s.length--;
    }
    while (s.length > 0 && is_blank(s.text[s.length - 1]))
        s.length--;
    return s;
}

/* ---- kernels ------------------------------------------------------------------------------ */

static enum imf_status end_kernel(struct reader *r) {
    if (r->rows.height == 0)
        return r->titled ? fail_at(r, r->line, "the kernel before this line has no rows") : IMF_OK;
    const struct imf_rows *rows = &r->rows;
    if (!r->titled && imf_foreign_header(rows) && rows->taps[0] == (double)rows->width &&
        rows->taps[1] == (double)rows->height - 1)
        return fail_at(r, r->line,
                       "row 1 may be a vips matrix's line of width and height, not coefficients: "
                       "leave it out, or put a line \"kernel\" before it if it is a row");
    enum imf_status status = imf_rows_kernel(rows, &r->flt->kernel[r->kernels], r->err);
    imf_rows_free(&r->rows);
    r->kernels += status == IMF_OK;
    return status;
}

/* Coefficients are separated by blanks, by a comma, or both. */
static enum imf_status read_row(struct reader *r, struct imf_span line) {
    const char *p = line.text, *end = line.text + line.length;
    char why[IMF_ROWS_WHY], foreign[IMF_FOREIGN_WHY];
    for (;;) {
        const char *start = p;
        bool memory;
        while (p < end && *p != ',' && !is_blank(*p))
            p++;
        struct imf_span cell = {start, (size_t)(p - start)};
        if (cell.length == 0)
            return fail_at(r, start, "a coefficient is missing beside the comma");
        const char *wrong = imf_rows_add(&r->rows, cell, &memory);
        if (memory)
            return imf_fail_memory(r->err, r->rows.count * sizeof(double));
        if (wrong)
            return imf_foreign_matrix(line, foreign) ? fail_value(r, line, foreign)
                                                     : fail_value(r, cell, wrong);
        while (p < end && is_blank(*p))
            p++;
        if (p == end)
            break;
        if (*p == ',')
            p++;
        while (p < end && is_blank(*p))
            p++;
    }
    if (imf_rows_end(&r->rows, why))
        return IMF_OK;
    bool header = r->rows.height == 1 && imf_foreign_header(&r->rows);
    return fail_at(r, line.text, "%s%s", why,
                   header ? " (of a vips matrix leave out the line of width, height, scale and "
                            "offset; write \"scale S\" instead)"
                          : "");
}

/* ---- keywords ----------------------------------------------------------------------------- */

static enum imf_status read_summary(struct reader *r, struct imf_span value) {
    char *summary = r->flt->summary = malloc(value.length + 1);
    if (!summary)
        return imf_fail_memory(r->err, value.length + 1);
    memcpy(summary, value.text, value.length); /* the text has no NUL at its end */
    summary[value.length] = '\0';
    return IMF_OK;
}

static enum imf_status read_scale(struct reader *r, struct imf_span value) {
    const char *wrong = imf_scaling_read_scale(&r->flt->scaling, value);
    return wrong ? fail_value(r, value, wrong) : IMF_OK;
}

static enum imf_status read_bias(struct reader *r, struct imf_span value) {
    const char *wrong = imf_scaling_read_bias(&r->flt->scaling, value);
    return wrong ? fail_value(r, value, wrong) : IMF_OK;
}

static enum imf_status read_range(struct reader *r, struct imf_span value) {
    static const char *const names[] = {[IMF_RANGE_CLIP] = "clip",
                                        [IMF_RANGE_ABS] = "abs",
                                        [IMF_RANGE_OFFSET] = "offset",
                                        [IMF_RANGE_NORMALIZE] = "normalize"};
    for (int range = IMF_RANGE_CLIP; range <= IMF_RANGE_NORMALIZE; range++)
        if (imf_span_is(value, names[range])) {
            r->flt->range = (enum imf_range)range;
            return IMF_OK;
        }
    return fail_value(r, value, "is not one of clip, abs, offset, normalize");
}

static enum imf_status read_flip(struct reader *r, struct imf_span value) {
    if (value.length > 0)
        return fail_value(r, value, "is too much: flip takes no value");
    r->flt->scaling.flip = true;
    return IMF_OK;
}

static enum imf_status read_combine(struct reader *r, struct imf_span value) {
    if (!imf_span_is(value, "magnitude"))
        return fail_value(r, value, "is not \"magnitude\", the one way to combine kernels");
    r->magnitude = true;
    return IMF_OK;
}

static enum imf_status read_kernel(struct reader *r, struct imf_span value) {
    enum imf_status status = end_kernel(r);
    if (status != IMF_OK)
        return status;
    if (r->kernels == 2)
        return fail_at(r, r->line, "a file has at most 2 kernels");
    if (r->kernels == 1 && !r->titled)
        return fail_at(r, r->line, "the rows above need a line \"kernel\" before them");
    r->titled = true;
    r->axis[r->kernels] = '\0';
    if (imf_span_is(value, "x") || imf_span_is(value, "y"))
        r->axis[r->kernels] = value.text[0];
    return IMF_OK;
}

static const struct keyword {
    const char *name;
    keyword_function *read;
    bool repeats;    /* may occur more than once */
    const char *use; /* when a value is required: the line as it should be */
} keywords[] = {
    {"summary", read_summary, false, "summary TEXT"},
    {"scale", read_scale, false, "scale NUMBER or scale auto"},
    {"bias", read_bias, false, "bias NUMBER"},
    {"range", read_range, false, "range clip, abs, offset or normalize"},
    {"flip", read_flip, false, NULL},
    {"combine", read_combine, false, "combine magnitude"},
    {"kernel", read_kernel, true, NULL},
};

static enum imf_status read_keyword(struct reader *r, struct imf_span line) {
    struct imf_span word = line, value;
    for (word.length = 0; word.length < line.length && !is_blank(line.text[word.length]);)
        word.length++;
    value = trim((struct imf_span){line.text + word.length, line.length - word.length});
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        const struct keyword *k = &keywords[i];
        if (!imf_span_is(word, k->name))
            continue;
        if (r->seen & 1u << i && !k->repeats)
            return fail_value(r, word, "is given twice");
        if (k->use && value.length == 0)
            return fail_at(r, word.text, "\"%s\" has no value (%s)", k->name, k->use);
        r->seen |= 1u << i;
        return k->read(r, value);
    }
    return fail_value(r, word,
                      "is neither a number nor one of summary, scale, bias, range, flip, combine, "
                      "kernel");
}

/* ---- the whole text ----------------------------------------------------------------------- */

static enum imf_status read_line(struct reader *r, struct imf_span line) {
    const char *comment = memchr(line.text, '#', line.length);
    if (comment)
        line.length = (size_t)(comment - line.text);
    if (line.length > 0 && line.text[line.length - 1] == '\r')
        line.length--;
    line = trim(line);
    if (line.length == 0)
        return IMF_OK;
    return strchr("+-.,0123456789", line.text[0]) ? read_row(r, line) : read_keyword(r, line);
}

/* What can only be known at the end. */
static enum imf_status check_whole(struct reader *r) {
    struct imf_kernel **k = r->flt->kernel;
    if (r->kernels == 0)
        return imf_fail(r->err, IMF_ERR_SPEC, "%s: there are no coefficients", r->name);
    if (r->magnitude != (r->kernels == 2))
        return imf_fail(r->err, IMF_ERR_SPEC,
                        r->magnitude ? "%s: \"combine magnitude\" needs 2 kernels, there is 1"
                                     : "%s: 2 kernels need a line \"combine magnitude\"",
                        r->name);
    if (r->kernels == 1)
        return IMF_OK;
    if (k[0]->width != k[1]->width || k[0]->height != k[1]->height)
        return imf_fail(r->err, IMF_ERR_SPEC,
                        "%s: the second kernel is %dx%d, the first is %dx%d (they must agree)",
                        r->name, k[1]->width, k[1]->height, k[0]->width, k[0]->height);
    if (r->axis[0] && r->axis[0] == r->axis[1])
        return imf_fail(r->err, IMF_ERR_SPEC, "%s: both kernels are named %c", r->name, r->axis[0]);
    if (r->axis[0] == 'y' || r->axis[1] == 'x') {
        struct imf_kernel *first = k[0];
        k[0] = k[1];
        k[1] = first;
    }
    return IMF_OK;
}

static enum imf_status read_lines(struct reader *r, const char *text, size_t size) {
    const char *p = text, *end = text + size;
    enum imf_status status = IMF_OK;
    for (r->line_number = 1; p < end && status == IMF_OK; r->line_number++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline ? newline : end;
        r->line = p;
        const char *nul = memchr(p, '\0', (size_t)(stop - p));
        if (nul)
            return fail_at(r, nul, "NUL byte: this is not a text file");
        status = read_line(r, (struct imf_span){p, (size_t)(stop - p)});
        p = newline ? newline + 1 : end;
    }
    if (status != IMF_OK)
        return status;
    r->line = end;
    status = end_kernel(r);
    return status == IMF_OK ? check_whole(r) : status;
}

enum imf_status imf_flt_parse(struct imf_flt *out, const char *name, const char *text, size_t size,
                              struct imf_error *err) {
    struct reader r = {.name = name, .flt = out, .err = err};
    *out = (struct imf_flt){0};
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* UTF-8 byte order mark */
        text += 3;
        size -= 3;
    }
    enum imf_status status = read_lines(&r, text, size);
    imf_rows_free(&r.rows);
    if (status != IMF_OK)
        imf_flt_free(out);
    return status;
}

void imf_flt_free(struct imf_flt *f) {
    imf_kernel_free(&f->kernel[0]);
    imf_kernel_free(&f->kernel[1]);
    free(f->summary);
    f->summary = NULL;
}

const char *imf_flt_scale(struct imf_flt *f, const struct imf_scaling *over) {
    struct imf_scaling t = f->scaling = imf_scaling_over(&f->scaling, over);
    /* Both responses of a magnitude share one scale, and their offset would be squared. */
    if (f->kernel[1] && t.scale_auto)
        return "scale auto needs a filter of one kernel (write the scale as a number)";
    if (f->kernel[1] && t.bias_given && t.bias != 0)
        return "bias needs a filter of one kernel";
    const char *wrong = imf_scaling_apply(&t, f->kernel[0]);
    if (!wrong && f->kernel[1])
        wrong = imf_scaling_apply(&t, f->kernel[1]);
    return wrong;
}
