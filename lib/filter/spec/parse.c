/*
 * parse.c - the parser of filter specs
 *
 * A spec is cut at its colons. The first piece is the filter's name; the others are arguments, by
 * position or as key=value. builtin/table.c defines them; only "kernel", whose argument is a matrix
 * or a file, is read here.
 */
#include "filter/spec/parse.h"

#include "base/embed.h"
#include "filter/builtin/element.h"
#include "filter/flt/coefficients.h"
#include "filter/flt/foreign.h"
#include "filter/spec/arguments.h"
#include "filter/spec/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels -------------------------------------------------------------------------------- */

/* "A,B,C/D,E,F" */
static enum imf_status read_matrix(const struct imf_spec *s, struct imf_span text,
                                   struct imf_rows *rows) {
    const char *p = text.text, *end = p + text.length, *row = p;
    char why[IMF_ROWS_WHY];
    bool memory;
    for (;;) {
        struct imf_span cell = {p, 0};
        while (p < end && *p != ',' && *p != '/')
            p++;
        cell.length = (size_t)(p - cell.text);
        if (cell.length == 0)
            return imf_spec_fail(s, cell.text, NULL, "the coefficient at column %zu is empty",
                                 imf_span_column(s->text, cell.text));
        const char *wrong = imf_rows_add(rows, cell, &memory);
        if (memory)
            return imf_fail_memory(s->err, rows->count * sizeof(double));
        if (wrong)
            return imf_spec_fail_value(s, cell, NULL, wrong);
        if (p == end || *p == '/') {
            if (!imf_rows_end(rows, why))
                return imf_spec_fail(s, row, NULL, "%s at column %zu", why,
                                     imf_span_column(s->text, row));
            row = p + 1;
        }
        if (p == end)
            return IMF_OK;
        p++;
    }
}

static enum imf_status read_coefficients(const struct imf_spec *s, struct imf_span text,
                                         bool fractions, struct imf_flt *flt) {
    if (text.text[0] == '@')
        return imf_spec_load(s, text, flt);
    struct imf_rows rows = {.fractions = fractions};
    enum imf_status status = read_matrix(s, text, &rows);
    if (status == IMF_OK)
        status = imf_rows_kernel(&rows, &flt->kernel[0], s->err);
    imf_rows_free(&rows);
    return status;
}

/* The arguments of "kernel", in any order: coefficients, scale=, bias=, flip. */
static enum imf_status read_kernel(const struct imf_spec *s, const char *cursor,
                                   struct imf_flt *flt) {
    struct imf_span matrix = {NULL, 0};
    struct imf_scaling scaling = {0};
    struct imf_argument a;
    char foreign[IMF_FOREIGN_WHY];
    if (*cursor == ':') {
        struct imf_span all = {cursor + 1, strlen(cursor + 1)};
        if (imf_foreign_matrix(all, foreign))
            return imf_spec_fail_value(s, all, NULL, foreign);
    }
    while (imf_argument_next(&cursor, &a)) {
        const char *wrong = NULL;
        bool scale = imf_argument_key_is(a.key, "scale"), bias = imf_argument_key_is(a.key, "bias");
        if (a.key.length > 0 && !scale && !bias)
            return imf_argument_fail_key(s, a.key);
        if ((scale && scaling.scale_given) || (bias && scaling.bias_given))
            return imf_spec_fail_value(s, a.key, NULL, "is given twice");
        if (scale)
            wrong = imf_scaling_read_scale(&scaling, a.value);
        else if (bias)
            wrong = imf_scaling_read_bias(&scaling, a.value);
        else if (imf_span_is(a.value, "flip"))
            scaling.flip = true;
        else if (matrix.text)
            wrong = "is one argument too many";
        else
            matrix = a.value;
        if (wrong)
            return imf_spec_fail_value(s, a.value, NULL, wrong);
    }
    if (matrix.length == 0)
        return imf_spec_fail(s, matrix.text ? matrix.text : cursor, NULL,
                             "the coefficients are missing at column %zu",
                             imf_span_column(s->text, matrix.text ? matrix.text : cursor));
    enum imf_status status = read_coefficients(s, matrix, false, flt);
    const char *wrong = status == IMF_OK ? imf_flt_scale(flt, &scaling) : NULL;
    return wrong ? imf_spec_fail(s, matrix.text, NULL, "%s", wrong) : status;
}

/* The points of "curve". */
static enum imf_status read_curve(const struct imf_spec *s, const char *cursor, struct imf_flt *flt,
                                  struct imf_spline **out) {
    struct imf_argument a = {.value = {cursor, 0}}, more;
    bool given = imf_argument_next(&cursor, &a);
    if (a.value.length == 0)
        return imf_spec_fail(s, a.value.text, NULL, "the points are missing at column %zu",
                             imf_span_column(s->text, a.value.text));
    if (given && a.key.length > 0)
        return imf_argument_fail_key(s, a.key);
    if (imf_argument_next(&cursor, &more))
        return imf_spec_fail_value(s, more.value, NULL, "is one argument too many");
    enum imf_status status = read_coefficients(s, a.value, true, flt);
    const struct imf_scaling *other = &flt->scaling;
    const char *wrong = NULL;
    if (!status &&
        (flt->kernel[1] || flt->range || other->scale_given || other->bias_given || other->flip))
        wrong = "is a filter, no list of points X,Y";
    if (!status && !wrong)
        status = imf_spline_make(out, flt->kernel[0], &wrong, s->err);
    return wrong ? imf_spec_fail_value(s, a.value, NULL, wrong) : status;
}

/* ---- .flt filters --------------------------------------------------------------------------- */

static enum imf_status load_embedded(const struct imf_spec *s, struct imf_flt *flt) {
    char name[32];
    snprintf(name, sizeof name, "%s.flt", s->builtin->name);
    for (const struct imf_embedded *e = imf_embedded_flt; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return imf_flt_parse(flt, e->name, e->text, strlen(e->text), s->err);
    return imf_spec_fail(s, s->text, NULL, "this build of the library lacks %s", name);
}

/* A filter that is not built in. */
static enum imf_status load_user(const struct imf_spec *s, const char *name, struct imf_flt *flt) {
    char *path, quote[IMF_QUOTE];
    struct imf_spec nameless = {.text = s->text,
                                .err = s->err}; /* the usage of NAME would not help */
    struct imf_span all = {s->text, strlen(name)};
    char foreign[IMF_FOREIGN_WHY];
    if (imf_foreign_bare(name, foreign))
        return imf_spec_fail_value(&nameless, all, NULL, foreign);
    enum imf_status status = imf_flt_find(&path, name, s->err);
    if (status != IMF_OK)
        return status;
    if (path) {
        status = imf_flt_load(flt, path, s->files, false, NULL, s->err);
        free(path);
        return status == IMF_OK ? IMF_OK : imf_spec_fail_file(s, s->text, status);
    }
    imf_span_quote(quote, (struct imf_span){name, strlen(name)});
    const char *nearest = imf_builtin_nearest(name);
    if (nearest && !*nearest)
        return imf_spec_fail(&nameless, s->text, NULL,
                             "unknown filter \"%s\" (none of those built in does that; "
                             "--list-filters lists them)",
                             quote);
    if (nearest && *nearest == ' ')
        return imf_spec_fail(&nameless, s->text, NULL, "unknown filter \"%s\" (%s)", quote,
                             nearest + 1);
    if (nearest)
        return imf_spec_fail(&nameless, s->text, NULL,
                             "unknown filter \"%s\" (did you mean \"%s\"?)", quote, nearest);
    return imf_spec_fail(
        &nameless, s->text, NULL,
        "unknown filter \"%s\" (--list-filters lists those built in; a file %s.flt is "
        "looked for in $IMFILTER_PATH and ~/.config/imfilter)",
        quote, quote);
}

void imf_stage_take(struct imf_stage *stage, struct imf_flt *flt, int axis) {
    stage->unscaled =
        !flt->scaling.scale_given && flt->kernel[0]->width * flt->kernel[0]->height > 1;
    stage->range = flt->range == IMF_RANGE_DEFAULT ? IMF_RANGE_CLIP : flt->range;
    stage->op = IMF_OP_LINEAR;
    if (axis > 0) {
        stage->kernel[0] = flt->kernel[axis - 1];
        flt->kernel[axis - 1] = NULL;
        stage->range = IMF_RANGE_OFFSET;
        return;
    }
    for (int i = 0; i < 2; i++) {
        stage->kernel[i] = flt->kernel[i];
        flt->kernel[i] = NULL;
    }
    if (stage->kernel[1])
        stage->op = IMF_OP_MAGNITUDE;
}

static enum imf_status read_flt(const struct imf_spec *s, const char *name, const char *cursor,
                                struct imf_flt *flt, int *axis) {
    struct imf_values v;
    enum imf_status status =
        s->builtin == imf_builtin_user() ? load_user(s, name, flt) : load_embedded(s, flt);
    if (status == IMF_OK)
        status = imf_arguments_read(s, cursor, &v);
    if (status != IMF_OK)
        return status;
    if (v.at[0] && !flt->kernel[1])
        return imf_spec_fail(s, v.at[0], NULL, "dir at column %zu needs a filter of two kernels",
                             imf_span_column(s->text, v.at[0]));
    *axis = v.at[0] ? (int)v.value[0] : 0;
    const char *wrong = imf_flt_scale(flt, &(struct imf_scaling){0});
    return wrong ? imf_spec_fail(s, s->text, NULL, "%s", wrong) : IMF_OK;
}

/* ---- one spec ------------------------------------------------------------------------------- */

/* Where a parameter was given, or NULL; and its value. */
static const char *given(const struct imf_builtin *b, const struct imf_values *v, const char *name,
                         double *value) {
    *value = NAN;
    for (size_t i = 0, n = imf_parameter_count(b); i < n; i++)
        if (strcmp(b->parameter[i].name, name) == 0) {
            *value = v->value[i];
            return v->at[i];
        }
    return NULL;
}

void imf_kernel_remark(const struct imf_kernel *k, const char *name, char note[IMF_NOTE]) {
    if (k && (k->width % 2 == 0 || k->height % 2 == 0))
        snprintf(note, IMF_NOTE,
                 "%.40s is %dx%d: its origin is column %d, row %d, half a pixel off its centre",
                 name, k->width, k->height, k->width / 2 + 1, k->height / 2 + 1);
}

static void remark(const struct imf_spec *s, const struct imf_stage *stage,
                   const struct imf_values *v, const char *name, char *note) {
    double order;
    imf_kernel_remark(stage->kernel[0], name, note);
    if (given(s->builtin, v, "order", &order) && stage->transfer.type != IMF_BUTTERWORTH)
        snprintf(note, IMF_NOTE, "%s: order has no effect without type=butterworth", name);
    imf_smooth_remark(stage, note, IMF_NOTE);
}

/* Why a stage is no blur, or NULL. */
static const char *blur_wrong(const struct imf_stage *stage, bool positive) {
    const struct imf_kernel *k = stage->kernel[0];
    if (stage->op != IMF_OP_LINEAR || !k || stage->kernel[1])
        return "is no kernel";
    double sum = imf_kernel_sum(k);
    if (!(fabs(sum) > 0))
        return "is no blur: the sum of its coefficients is 0";
    if (k->bias != 0)
        return "is no blur: it has a bias";
    for (size_t i = 0, count = (size_t)k->width * (size_t)k->height; positive && i < count; i++)
        if (k->taps[i] / sum < 0)
            return "has negative coefficients, which deblur alone takes";
    return NULL;
}

/* Take the background off the picture of a point; k is what a file has, or NULL. */
static enum imf_status clear_background(const struct imf_spec *s, const struct imf_values *v,
                                        struct imf_kernel *k) {
    double level;
    const char *at = given(s->builtin, v, "background", &level);
    bool picture = k && k->picture;
    if (!picture && level >= -IMF_BACKGROUND_LARGEST)
        return imf_spec_fail(s, at, NULL, "the background at column %zu is for @FILE, a picture",
                             imf_span_column(s->text, at));
    if (!picture || level == IMF_BACKGROUND_KEEP)
        return IMF_OK;
    enum imf_status status =
        imf_kernel_take_background(k, level == IMF_BACKGROUND_AUTO ? NAN : level, s->err);
    if (status == IMF_OK && !imf_kernel_nonzero(k))
        return imf_spec_fail(s, at, NULL,
                             "nothing in the picture is above the background at column %zu",
                             imf_span_column(s->text, at));
    return status;
}

/* The kernel of a spec that is a value: a blur. Of a file it is the picture of a point. */
static enum imf_status read_blur(const struct imf_spec *s, const struct imf_values *v,
                                 struct imf_kernel **out) {
    const char *at = v->at[0], *nested = v->nested;
    struct imf_stage stage = {.op = IMF_OP_LINEAR};
    bool file = nested[0] == '@', positive = s->builtin->parameter[0].positive;
    char note[IMF_NOTE] = "", name[32], *text = NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(nested, ":"), nested);
    const struct imf_builtin *b = imf_builtin_find(name);
    const char *wrong = b && b->parameter[0].nested ? "is no kernel"
                        : strcmp(name, "auto") == 0 ? "is for deblur alone"
                                                    : NULL;
    if (!wrong && asprintf(&text, "%s%s%s", file ? "kernel:" : "", nested,
                           file ? ":flip:scale=auto" : "") < 0)
        return imf_fail_memory(s->err, strlen(nested));
    enum imf_status status = text ? imf_spec_parse(&stage, note, text, s->files, s->err) : IMF_OK;
    free(text);
    if (status != IMF_OK)
        return status;
    if (!wrong)
        status = clear_background(s, v, file ? stage.kernel[0] : NULL);
    if (!wrong && status == IMF_OK)
        wrong = blur_wrong(&stage, positive);
    if (!wrong && status == IMF_OK) {
        *out = stage.kernel[0];
        return IMF_OK;
    }
    imf_stage_clear(&stage);
    char quote[IMF_QUOTE];
    struct imf_span value = {nested, strlen(nested)};
    return wrong ? imf_spec_fail(s, at, NULL, "\"%s\" at column %zu %s",
                                 imf_span_quote(quote, value), imf_span_column(s->text, at), wrong)
                 : status;
}

/* The filter's window, of the shape that the parameter behind it says, and what is done in it. */
static enum imf_status read_stage(const struct imf_spec *s, struct imf_values *v,
                                  struct imf_stage *out) {
    const struct imf_builtin *b = s->builtin;
    for (size_t i = 0; i + 1 < imf_parameter_count(b); i++) {
        if (!b->parameter[i].window)
            continue;
        enum imf_element shape = (enum imf_element)v->value[i + 1];
        if (v->at[i + 1] && !v->window.radius)
            return imf_spec_fail(s, v->at[i + 1], b->parameter[i].meaning,
                                 "a shape at column %zu needs a radius",
                                 imf_span_column(s->text, v->at[i + 1]));
        enum imf_status status = imf_window_element(&out->kernel[0], &v->window, shape, s->err);
        if (status != IMF_OK)
            return status;
    }
    if (v->nested) {
        bool known = b->parameter[0].positive || strcmp(v->nested, "auto") != 0;
        enum imf_status status =
            known ? read_blur(s, v, &out->kernel[0]) : clear_background(s, v, NULL);
        if (status != IMF_OK)
            return status;
    }
    enum imf_status status = IMF_OK;
    for (int i = 0; i < 2 && b->design[i] && !status; i++)
        status = b->design[i](&out->kernel[i], v->value, s->err);
    if (!b->setup)
        memcpy(out->number, v->value, sizeof out->number);
    else if (!status)
        b->setup(out, v->value);
    return status;
}

static enum imf_status read_spec(struct imf_spec *s, const char *name, const char *cursor,
                                 struct imf_stage *out, char *note) {
    struct imf_flt flt = {0};
    struct imf_values v = {0};
    enum imf_status status;
    int axis = 0;
    s->builtin = imf_builtin_find(name);
    if (!s->builtin)
        s->builtin = imf_builtin_user();
    s->builtin = imf_builtin_variant(s->builtin, &cursor);
    *out = s->builtin->stage;
    out->range = out->range ? out->range : IMF_RANGE_CLIP;
    switch (s->builtin->source) {
    case IMF_SOURCE_KERNEL:
        status = read_kernel(s, cursor, &flt);
        break;
    case IMF_SOURCE_CURVE:
        status = read_curve(s, cursor, &flt, &out->spline);
        imf_flt_free(&flt);
        break;
    case IMF_SOURCE_FLT:
        status = read_flt(s, name, cursor, &flt, &axis);
        break;
    default:
        status = imf_arguments_read(s, cursor, &v);
        if (status == IMF_OK)
            status = read_stage(s, &v, out);
        imf_kernel_free(&v.window.mask);
        free(v.nested);
        if (status == IMF_OK)
            out->mask = v.mask;
        else
            imf_mask_free(&v.mask);
    }
    if (status == IMF_OK && flt.kernel[0])
        imf_stage_take(out, &flt, axis);
    imf_flt_free(&flt);
    if (status == IMF_OK)
        remark(s, out, &v, name, note);
    return status;
}

enum imf_status imf_spec_parse(struct imf_stage *out, char note[IMF_NOTE], const char *spec,
                               const struct imf_kernel_files *files, struct imf_error *err) {
    struct imf_spec s = {.text = spec, .err = err, .files = files, .note = note};
    const char *cursor = spec + strcspn(spec, ":");
    *out = (struct imf_stage){.op = IMF_OP_LINEAR};
    note[0] = '\0';
    char quote[IMF_QUOTE];
    if (cursor == spec)
        return imf_spec_fail(&s, spec, NULL,
                             "the filter's name is missing in \"%s\" (name[:arg]...)",
                             imf_span_quote(quote, (struct imf_span){spec, strlen(spec)}));
    char *name = strndup(spec, (size_t)(cursor - spec));
    if (!name)
        return imf_fail_memory(err, (size_t)(cursor - spec) + 1);
    enum imf_status status = read_spec(&s, name, cursor, out, note);
    free(name);
    if (status == IMF_OK)
        return IMF_OK;
    imf_stage_clear(out);
    s.builtin = NULL;
    return status == IMF_ERR_MEMORY ? status : imf_spec_fail_chain(&s, status);
}
