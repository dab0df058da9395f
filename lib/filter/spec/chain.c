/* chain.c - filters of several specs, of kernels in memory, and of other filters */
#include "base/arguments.h"
#include "base/sized.h"
#include "filter/form.h"
#include "filter/spec/parse.h"
#include "imfilter_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Append `piece` to *text, separated by `between`; *text may be NULL. False without memory. */
static bool append(char **text, const char *between, const char *piece) {
    size_t length = *text ? strlen(*text) : 0, size;
    if (!imf_size_add(length, strlen(piece), &size) ||
        !imf_size_add(size, strlen(between) + 1, &size))
        return false;
    char *longer = realloc(*text, size);
    if (!longer)
        return false;
    snprintf(longer + length, size - length, "%s%s", length ? between : "", piece);
    *text = longer;
    return true;
}

/* Say which of several specs is wrong. */
static void number_error(struct imf_error *err, size_t index) {
    char text[sizeof err->text];
    size_t column = err->column;
    memcpy(text, err->text, sizeof text);
    imf_fail(err, err->status, "filter %zu: %.*s", index + 1, (int)sizeof text - 40, text);
    err->column = column;
}

static enum imf_status add_stage(struct imf_filter *f, const char *spec,
                                 const struct imf_kernel_files *files, struct imf_error *err) {
    char note[IMF_NOTE];
    struct imf_stage *stage = &f->stages[f->count];
    enum imf_status status = imf_spec_parse(stage, note, spec, files, err);
    if (status != IMF_OK)
        return status;
    f->count++;
    if (!append(&f->text, " | ", spec) || (note[0] && !append(&f->note, "; ", note)))
        return imf_fail_memory(err, strlen(spec) + sizeof note);
    return IMF_OK;
}

/*
 * Find what follows from the stages, and remark on their gain.
 *
 * A user's kernel without a scale may lift flat parts beyond full scale: a mistake, unless a later
 * stage lowers them. Kernels with a sum below 2 do not turn mid-grey white; with a bias the response
 * is taken as intended.
 */
static enum imf_status finish(struct imf_filter *f, struct imf_error *err) {
    char note[IMF_NOTE];
    double gain = 1;
    bool unscaled = false;
    imf_filter_find_form(f);
    for (size_t i = 0; i < f->count; i++) {
        const struct imf_stage *s = &f->stages[i];
        const struct imf_kernel *k = s->kernel[0];
        if (s->op == IMF_OP_LINEAR)
            gain = k->bias != 0 ? 0 : gain * imf_kernel_sum(k) / k->scale;
        else if (s->op == IMF_OP_TRANSFER)
            gain *= imf_transfer_gain(&s->transfer, 0, 0);
        else if (s->op != IMF_OP_UNSHARP && s->op != IMF_OP_GRAY)
            return IMF_OK;
        unscaled |= s->unscaled;
    }
    if (!unscaled || gain < 2)
        return IMF_OK;
    snprintf(note, sizeof note,
             "the kernel's coefficients add up to %g, which turns mid-grey white (:scale=auto "
             "divides by their sum, :scale=1 says that it is meant)",
             gain);
    bool both = !f->note || append(&f->bright_note, "", f->note);
    return both && append(&f->bright_note, "; ", note) ? IMF_OK : imf_fail_memory(err, sizeof note);
}

/* No stages yet, and room for `count`. */
static enum imf_status create(struct imf_filter **out, size_t count, struct imf_error *err) {
    *out = calloc(1, sizeof **out);
    if (*out && ((*out)->stages = calloc(count, sizeof *(*out)->stages)))
        return IMF_OK;
    imf_filter_free(out);
    return imf_fail_memory(err, count * sizeof *(*out)->stages);
}

enum imf_status imf_filter_parse_with(struct imf_filter **out, const char *const *specs,
                                      size_t count, const struct imf_kernel_files *files,
                                      struct imf_error *err) {
    struct imf_filter *f;
    struct imf_kernel_files left = *files;
    *out = NULL;
    if (count == 0)
        return imf_fail(err, IMF_ERR_ARGUMENT, "no filter is given (-f SPEC)");
    if (create(&f, count, err))
        return IMF_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        left.held = files->held + (uint64_t)imf_filter_bytes(f);
        enum imf_status status = add_stage(f, specs[i], &left, err);
        if (status == IMF_OK && i + 1 == count)
            status = finish(f, err);
        if (status == IMF_OK)
            continue;
        if (err && count > 1 && status != IMF_ERR_MEMORY)
            number_error(err, i);
        imf_filter_free(&f);
        return status;
    }
    *out = f;
    return IMF_OK;
}

/* ---- kernels in memory ---------------------------------------------------------------------- */

static enum imf_status read_scaling(struct imf_scaling *scaling, const struct imf_coefficients *c,
                                    struct imf_error *err) {
    const char *wrong = NULL;
    *scaling = (struct imf_scaling){.flip = c->flip};
    if (c->scale_auto)
        scaling->scale_given = scaling->scale_auto = true;
    else if (c->scale != 0)
        wrong = imf_scaling_set_scale(scaling, c->scale);
    if (wrong)
        return imf_fail(err, IMF_ERR_ARGUMENT, "scale %g %s", c->scale, wrong);
    wrong = imf_scaling_set_bias(scaling, c->bias);
    return wrong ? imf_fail(err, IMF_ERR_ARGUMENT, "bias %g %s", c->bias, wrong) : IMF_OK;
}

static enum imf_status read_kernel(struct imf_flt *flt, const struct imf_coefficients *c,
                                   struct imf_error *err) {
    struct imf_scaling scaling;
    enum imf_status status = read_scaling(&scaling, c, err);
    if (status == IMF_OK)
        status = imf_kernel_create(&flt->kernel[0], c->width, c->height, err);
    if (status != IMF_OK)
        return status;
    for (size_t i = 0, count = (size_t)c->width * (size_t)c->height; i < count; i++) {
        if (!(fabs(c->values[i]) <= IMF_TAP_LARGEST))
            return imf_fail(err, IMF_ERR_ARGUMENT,
                            "the coefficient in row %zu, column %zu is not a number up to 1e30",
                            i / (size_t)c->width + 1, i % (size_t)c->width + 1);
        flt->kernel[0]->taps[i] = c->values[i];
    }
    const char *wrong = imf_flt_scale(flt, &scaling);
    return wrong ? imf_fail(err, IMF_ERR_ARGUMENT, "%s", wrong) : IMF_OK;
}

enum imf_status imf_filter_from_kernel(struct imf_filter **out,
                                       const struct imf_coefficients *coefficients,
                                       struct imf_error *err) {
    struct imf_coefficients c;
    struct imf_flt flt = {0};
    char note[IMF_NOTE] = "", text[40];
    *out = NULL;
    imf_sized_read(&c, sizeof c, coefficients);
    if (!c.values)
        return imf_fail(err, IMF_ERR_ARGUMENT, "imf_coefficients.values is NULL");
    enum imf_status status = read_kernel(&flt, &c, err);
    if (status == IMF_OK)
        status = create(out, 1, err);
    if (status == IMF_OK) {
        struct imf_filter *f = *out;
        imf_stage_take(&f->stages[f->count++], &flt, 0);
        imf_kernel_remark(f->stages->kernel[0], "kernel", note);
        snprintf(text, sizeof text, "kernel %dx%d", c.width, c.height);
        bool ok = append(&f->text, "", text) && (!note[0] || append(&f->note, "", note));
        status = ok ? finish(f, err) : imf_fail_memory(err, sizeof text + sizeof note);
        if (status != IMF_OK)
            imf_filter_free(out);
    }
    imf_flt_free(&flt);
    return status;
}

/* ---- masks ---------------------------------------------------------------------------------- */

static enum imf_status from_mask(struct imf_filter **out, const char *path,
                                 const struct imf_limits *limits, uint64_t held,
                                 struct imf_error *err) {
    struct imf_mask *mask;
    char note[IMF_NOTE] = "";
    struct imf_limits checked;
    *out = NULL;
    imf_sized_read(&checked, sizeof checked, limits);
    enum imf_status status = imf_check_limits(&checked, err);
    if (status != IMF_OK)
        return status;
    status = imf_mask_read(&mask, path, limits, held, note, err);
    if (status == IMF_OK)
        status = create(out, 1, err);
    if (status != IMF_OK) {
        imf_mask_free(&mask);
        return status;
    }
    struct imf_filter *f = *out;
    f->stages[f->count++] = (struct imf_stage){
        .op = IMF_OP_BLEND, .blend = IMF_BLEND_NORMAL, .amount = 1, .mask = mask};
    imf_filter_find_form(f);
    bool named = append(&f->text, "", "blend:normal:@") && append(&f->text, "", path);
    if (named && (!note[0] || append(&f->note, "", note)))
        return IMF_OK;
    imf_filter_free(out);
    return imf_fail_memory(err, strlen(path));
}

enum imf_status imf_filter_from_mask(struct imf_filter **out, const char *path,
                                     const struct imf_limits *limits, struct imf_error *err) {
    return from_mask(out, path, limits, 0, err);
}

enum imf_status imf_filter_append_mask(struct imf_filter *filter, const char *path,
                                       const struct imf_limits *limits, struct imf_error *err) {
    struct imf_filter *more;
    enum imf_status status =
        from_mask(&more, path, limits, (uint64_t)imf_filter_bytes(filter), err);
    return status == IMF_OK ? imf_filter_append(filter, &more, err) : status;
}

enum imf_status imf_filter_append(struct imf_filter *f, struct imf_filter **more,
                                  struct imf_error *err) {
    struct imf_filter *m = *more;
    size_t count = f->count + m->count;
    struct imf_stage *stages = reallocarray(f->stages, count, sizeof *stages);
    bool ok = stages != NULL;
    if (ok) {
        f->stages = stages;
        memcpy(stages + f->count, m->stages, m->count * sizeof *stages);
        f->count = count;
        m->count = 0;
        free(f->bright_note);
        f->bright_note = NULL;
        ok = append(&f->text, " | ", m->text) && (!m->note || append(&f->note, "; ", m->note));
    }
    imf_filter_free(more);
    return ok ? finish(f, err) : imf_fail_memory(err, count * sizeof *stages);
}
