/* chain.c - a filter from several specs, a stage each */
#include "filter/spec/parse.h"

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

static enum imf_status add_stage(struct imf_filter *f, const char *spec, struct imf_error *err) {
    char note[IMF_NOTE];
    struct imf_stage *stage = &f->stages[f->count];
    enum imf_status status = imf_spec_parse(stage, note, spec, err);
    if (status != IMF_OK)
        return status;
    f->count++;
    if (!append(&f->text, " | ", spec) || (note[0] && !append(&f->note, "; ", note)))
        return imf_fail_memory(err, strlen(spec) + sizeof note);
    return IMF_OK;
}

/*
 * A user's kernel without a scale may lift flat parts beyond full scale: a mistake, unless a later
 * stage lowers them. Kernels with a sum below 2 do not turn mid-grey white; with a bias the response
 * is taken as intended.
 */
static enum imf_status remark_gain(struct imf_filter *f, struct imf_error *err) {
    char note[IMF_NOTE];
    double gain = 1;
    bool unscaled = false;
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

enum imf_status imf_filter_parse(struct imf_filter **out, const char *const *specs, size_t count,
                                 struct imf_error *err) {
    *out = NULL;
    if (count == 0)
        return imf_fail(err, IMF_ERR_ARGUMENT, "no filter is given (-f SPEC)");
    struct imf_filter *f = calloc(1, sizeof *f);
    if (f)
        f->stages = calloc(count, sizeof *f->stages);
    if (!f || !f->stages) {
        imf_filter_free(&f);
        return imf_fail_memory(err, count * sizeof *f->stages);
    }
    for (size_t i = 0; i < count; i++) {
        enum imf_status status = add_stage(f, specs[i], err);
        if (status == IMF_OK && i + 1 == count)
            status = remark_gain(f, err);
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
