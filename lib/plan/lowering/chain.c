/* chain.c - a filter as passes for one image, made in the steps of operations.h */
#include "base/image/info.h"
#include "base/image/orientation.h"
#include "plan/lowering/operations.h"
#include "plan/lowering/region.h"

#include <math.h>
#include <stdlib.h>

/* Rounding to samples is noise, and what lossy compression leaves out hides that of the picture. */
#define COMPRESSED (2 / 255.0)
static double grain_of(const struct imf_info *input, double full) {
    bool lossy = input->format == IMF_FORMAT_JPEG;
    double step =
        imf_info_integer(input) ? 1 : full / 65535; /* of floats what few cameras do better */
    return lossy ? COMPRESSED * full : step * sqrt(1 / 12.0);
}

/* What is defined for light, of which ink has none. */
static enum imf_status check_color(const struct imf_filter *filter, const struct imf_info *input,
                                   const struct imf_settings *settings, struct imf_error *err) {
    const char *what = settings->linear ? "--linear" : settings->channels ? "--channels" : NULL;
    bool grays = false;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        grays |= s->op == IMF_OP_GRAY;
        if (s->op == IMF_OP_GRAY)
            what = "gray";
        else if (s->op == IMF_OP_CLAHE)
            what = "clahe";
        else if (s->op == IMF_OP_BLEND && s->blend != IMF_BLEND_NORMAL)
            what = "a blend other than normal";
    }
    if (input->spectral && (settings->linear || settings->channels || grays))
        return imf_fail(err, IMF_ERR_FORMAT,
                        "%s needs colours, which %d channels are not (take red, green and blue "
                        "out first, as vips extract_band does)",
                        grays              ? "gray"
                        : settings->linear ? "--linear"
                                           : "--channels",
                        input->spectral);
    if (settings->channels == IMF_CHANNELS_ALPHA && (!input->alpha || settings->missing))
        return imf_fail(err, IMF_ERR_FORMAT,
                        "--channels=alpha needs an image with alpha, this has none");
    if (settings->channels > IMF_CHANNELS_LUMA && settings->channels != IMF_CHANNELS_ALPHA &&
        input->color == IMF_COLOR_GRAY)
        return imf_fail(err, IMF_ERR_FORMAT,
                        "--channels=r, g, b or chroma needs an RGB image, this is gray");
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

/* What takes the whole image at once has no place for what is not there. */
static enum imf_status check_missing(const struct imf_filter *filter,
                                     const struct imf_settings *settings, struct imf_error *err) {
    for (size_t i = 0; i < filter->count; i++) {
        enum imf_op op = filter->stages[i].op;
        if (op == IMF_OP_TRANSFER || op == IMF_OP_DESCREEN || op == IMF_OP_DEBLUR)
            return imf_fail(
                err, IMF_ERR_FORMAT,
                "it has NaN, and transfer functions, descreen and deblur take all samples at once "
                "(replace what is missing first)");
    }
    return settings->region_count
               ? imf_fail(err, IMF_ERR_FORMAT,
                          "it has NaN, which regions cannot leave out (filter it "
                          "all, or replace what is missing first)")
               : IMF_OK;
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

struct imf_info imf_chain_output(const struct imf_info *input,
                                 const struct imf_settings *settings) {
    struct imf_info output = *input;
    if (settings->depth) {
        output.depth = settings->depth == 1 ? 8 : settings->depth;
        output.type = IMF_TYPE_ROWS;
        output.type_bits = 0;
    }
    return output;
}

/* The output's full scale over the input's, if another depth is asked for; floats stay what they are. */
static double scale_of(const struct imf_info *input, const struct imf_info *output, double full) {
    bool floats = !imf_info_integer(input) && !imf_info_integer(output);
    return floats ? 1 : imf_info_full(output) / full;
}

/* What is known of the image's side. */
static struct imf_chain *create(const struct imf_info *input, const struct imf_settings *settings) {
    struct imf_chain *c = calloc(1, sizeof *c);
    const struct imf_info output = imf_chain_output(input, settings);
    double low, high;
    if (!c)
        return NULL;
    c->part = (struct imf_rect){0, 0, input->width, input->height};
    c->width = input->width;
    c->height = input->height;
    c->channels_in = input->channels;
    c->in = imf_info_sample(input);
    c->out = imf_info_sample(&output);
    c->full = settings->full > 0 ? settings->full : imf_info_full(input);
    c->hidden = imf_info_integer(input) ? 0.5 : 0.5 * c->full / imf_sample_max(IMF_U16);
    c->rescale = settings->depth ? scale_of(input, &output, c->full) : 1;
    imf_info_limits(input, &c->low, &c->high);
    c->integer = imf_info_integer(input);
    imf_info_limits(&output, &low, &high);
    c->open = low < 0;
    c->missing = settings->missing;
    c->relative = !imf_info_integer(&output);
    c->edge = settings->edge;
    c->grain = grain_of(input, c->full);
    c->curve = settings->linear ? imf_curve_keep(settings->curve) : NULL;
    return c;
}

/* The four steps; `text`: print what each of them leads to, or NULL. False without memory. */
static bool make_passes(struct imf_operations *o, const struct imf_rect *regions, size_t count,
                        FILE *text) {
    if (!o->no_memory)
        imf_bound(o);
    o->chain->high_gain = imf_operations_gain(o);
    if (text)
        imf_operations_print(text, "lowered", o);
    imf_rewrite(o);
    if (o->no_memory || !imf_operations_place(o, regions, count))
        return false;
    imf_bound(o);
    if (text)
        imf_operations_print(text, "rewritten", o);
    if (!imf_fuse(o->chain, o))
        return false;
    imf_chain_set_tolerances(o->chain);
    if (text)
        print_passes(text, o->chain);
    return true;
}

static enum imf_status build(struct imf_chain **out, FILE *text, const struct imf_filter *filter,
                             const struct imf_info *input, const struct imf_settings *settings,
                             struct imf_error *err) {
    struct imf_rect *regions = NULL;
    size_t count = 0;
    *out = NULL;
    enum imf_status status = check_color(filter, input, settings, err);
    status = status ? status : check_masks(filter, input, err);
    if (!status && settings->missing)
        status = check_missing(filter, settings, err);
    if (!status && settings->region_count)
        status = imf_regions_place(&regions, &count, settings, input, err);
    if (status)
        return status;
    struct imf_operations o = {.chain = create(input, settings), .settings = settings};
    if (o.chain)
        imf_lower(&o, filter, input, count > 0);
    if (o.chain && make_passes(&o, regions, count, text))
        *out = o.chain;
    else {
        imf_chain_free(&o.chain);
        status = imf_fail_memory(err, sizeof **out);
    }
    imf_operations_free(&o);
    free(regions);
    return status;
}

enum imf_status imf_chain_build(struct imf_chain **out, const struct imf_filter *filter,
                                const struct imf_info *input, const struct imf_settings *settings,
                                struct imf_error *err) {
    return build(out, NULL, filter, input, settings, err);
}

enum imf_status imf_chain_build_steps(struct imf_chain **out, char **text,
                                      const struct imf_filter *filter, const struct imf_info *input,
                                      const struct imf_settings *settings, struct imf_error *err) {
    size_t size;
    *out = NULL;
    *text = NULL;
    FILE *steps = open_memstream(text, &size);
    if (!steps)
        return imf_fail_memory(err, 0);
    enum imf_status status = build(out, steps, filter, input, settings, err);
    bool failed = ferror(steps);
    if (fclose(steps) || failed || !*text) /* without memory glibc leaves none and returns 0 */
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
    free((*chain)->operations);
    free((*chain)->profiles);
    imf_curve_free(&(*chain)->curve);
    free(*chain);
    *chain = NULL;
}
