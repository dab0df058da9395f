/* chain.c - a filter as passes for one image, made in the steps of operations.h */
#include "base/orientation.h"
#include "plan/operations.h"
#include "plan/region.h"

#include <math.h>
#include <stdlib.h>

/* Rounding to samples is noise, and what lossy compression leaves out hides that of the picture. */
#define COMPRESSED (2 / 255.0)
static double grain_of(const struct imf_info *input, double full) {
    bool lossy = input->format == IMF_FORMAT_JPEG;
    return lossy ? COMPRESSED * full : sqrt(1 / 12.0);
}

/* What is defined for light, of which ink has none. */
static enum imf_status check_color(const struct imf_filter *filter, const struct imf_info *input,
                                   const struct imf_settings *settings, struct imf_error *err) {
    const char *what = settings->linear ? "--linear" : settings->channels ? "--channels" : NULL;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        if (s->op == IMF_OP_GRAY)
            what = "gray";
        else if (s->op == IMF_OP_CLAHE)
            what = "clahe";
        else if (s->op == IMF_OP_BLEND && s->blend != IMF_BLEND_NORMAL)
            what = "a blend other than normal";
    }
    if (settings->channels > IMF_CHANNELS_LUMA && input->color == IMF_COLOR_GRAY)
        return imf_fail(err, IMF_ERR_FORMAT,
                        "--channels=r, g or b needs an RGB image, this is gray");
    if (!what || input->color != IMF_COLOR_CMYK)
        return IMF_OK;
    return imf_fail(err, IMF_ERR_FORMAT, "%s needs a gray or RGB image, this is CMYK", what);
}

/* Masks are of the upright picture's size. */
static enum imf_status check_masks(const struct imf_filter *filter, const struct imf_info *input,
                                   struct imf_error *err) {
    bool swap = imf_orientation_of(input->orientation).swap;
    int width = swap ? input->height : input->width, height = swap ? input->width : input->height;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_mask *mask = filter->stages[i].mask;
        const struct imf_mask_plane *p = mask ? imf_mask_picture(mask) : NULL;
        if (p && (p->width != width || p->height != height))
            return imf_fail(err, IMF_ERR_ARGUMENT,
                            "the mask %.200s is of %dx%d pixels, and the upright picture of %dx%d "
                            "(resize the mask)",
                            mask->name, p->width, p->height, width, height);
    }
    return IMF_OK;
}

static const char *const samples[] = {
    [IMF_U8] = "8 bits", [IMF_U16] = "16 bits", [IMF_F32] = "floats", [IMF_F64] = "float64"};

static void print_passes(FILE *out, const struct imf_chain *c) {
    fputs("passes:\n", out);
    for (int i = 0; i < c->count; i++) {
        const struct imf_pass *pass = &c->passes[i];
        fprintf(out, "  %2d  %s", i + 1, pass->kind == IMF_PASS_POINT ? "points" : "solver");
        imf_result_print(out, pass->source, pass->second, &pass->value);
        fprintf(out, "; as %s", samples[imf_chain_sample(c, i + 1, false)]);
        if (pass->exact)
            fputs(", exact", out);
        else if (pass->kind == IMF_PASS_CONVOLVE)
            fprintf(out, ", within %.2g", pass->problem.tolerance);
        putc('\n', out);
    }
}

struct request {
    const struct imf_filter *filter;
    const struct imf_info *input;
    const struct imf_settings *settings;
    struct imf_rect *regions; /* as stored */
    size_t region_count;
    FILE *steps; /* print what each step leads to, or NULL */
};

/* The chain for a part of the image. */
static enum imf_status build_part(struct imf_chain **out, const struct request *r,
                                  struct imf_rect part, FILE *steps, struct imf_error *err) {
    const struct imf_info *input = r->input;
    const struct imf_settings *settings = r->settings;
    struct imf_chain *c = *out = calloc(1, sizeof *c);
    if (!c)
        return imf_fail_memory(err, sizeof *c);
    int out_depth = settings->depth ? settings->depth : input->depth;
    c->part = part;
    c->width = part.width;
    c->height = part.height;
    if (part.width != input->width || part.height != input->height)
        c->kept_row = (double)input->width * input->channels * (input->depth / 8);
    c->channels_in = input->channels;
    c->in = input->depth == 16 ? IMF_U16 : IMF_U8;
    c->out = out_depth == 16 ? IMF_U16 : IMF_U8;
    c->full = imf_sample_max(c->in);
    c->rescale = c->in == c->out ? 1 : c->out == IMF_U16 ? 257 : 1 / 257.0;
    c->edge = settings->edge;
    c->grain = grain_of(input, c->full);
    c->curve = settings->linear ? imf_curve_keep(settings->curve) : NULL;
    struct imf_operations o = {.chain = c, .settings = settings};
    imf_lower(&o, c, r->filter, input, r->regions, r->region_count);
    if (!o.no_memory)
        imf_bound(&o);
    c->high_gain = imf_operations_gain(&o);
    if (steps)
        imf_operations_print(steps, "lowered", &o);
    imf_rewrite(&o);
    if (!o.no_memory)
        imf_bound(&o);
    if (steps)
        imf_operations_print(steps, "rewritten", &o);
    bool enough = !o.no_memory && imf_fuse(c, &o);
    imf_operations_free(&o);
    if (!enough) {
        imf_chain_free(out);
        return imf_fail_memory(err, sizeof *c);
    }
    imf_chain_set_tolerances(c);
    if (steps)
        print_passes(steps, c);
    return IMF_OK;
}

static enum imf_status build(struct imf_chain **out, struct request *r, struct imf_error *err) {
    const struct imf_rect all = {0, 0, r->input->width, r->input->height};
    *out = NULL;
    enum imf_status status = check_color(r->filter, r->input, r->settings, err);
    if (status == IMF_OK)
        status = check_masks(r->filter, r->input, err);
    if (status == IMF_OK && r->settings->region_count)
        status = imf_regions_place(&r->regions, &r->region_count, r->settings, r->input, err);
    if (status == IMF_OK)
        status = build_part(out, r, all, r->regions ? NULL : r->steps, err);
    if (status == IMF_OK && r->regions) {
        struct imf_rect part =
            imf_regions_part(*out, r->regions, r->region_count, r->settings->mask_feather);
        imf_chain_free(out);
        status = build_part(out, r, part, r->steps, err);
    }
    free(r->regions);
    return status;
}

enum imf_status imf_chain_build(struct imf_chain **out, const struct imf_filter *filter,
                                const struct imf_info *input, const struct imf_settings *settings,
                                struct imf_error *err) {
    struct request r = {.filter = filter, .input = input, .settings = settings};
    return build(out, &r, err);
}

enum imf_status imf_chain_build_steps(struct imf_chain **out, char **text,
                                      const struct imf_filter *filter, const struct imf_info *input,
                                      const struct imf_settings *settings, struct imf_error *err) {
    size_t size;
    struct request r = {.filter = filter, .input = input, .settings = settings};
    *out = NULL;
    *text = NULL;
    if (!(r.steps = open_memstream(text, &size)))
        return imf_fail_memory(err, 0);
    enum imf_status status = build(out, &r, err);
    bool failed = ferror(r.steps);
    if (fclose(r.steps) || failed || !*text) /* without memory glibc leaves none and returns 0 */
        status = status ? status : imf_fail_memory(err, 0);
    if (status) {
        imf_chain_free(out);
        free(*text);
        *text = NULL;
    }
    return status;
}

void imf_chain_free(struct imf_chain **chain) {
    if (!*chain)
        return;
    for (int i = 0; i < (*chain)->count; i++)
        imf_kernel_free(&(*chain)->passes[i].kernel);
    free((*chain)->passes);
    free((*chain)->profiles);
    imf_curve_free(&(*chain)->curve);
    free(*chain);
    *chain = NULL;
}
