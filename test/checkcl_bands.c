/*
 * checkcl_bands.c - chains run band by band against the same chains run at once
 *
 * Bands of very few rows, so that windows move often, rows are kept over many bands and margins
 * reach over several. Each executor first filters another image, whose rows are then what a window
 * would hold by mistake. Outputs must be equal bit for bit, and that of the whole image agree with the
 * reference.
 */
#include "checkcl_material.h"
#include "plan/proposals.h"
#include "run/executor/exec.h"
#include "run/pipeline/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct band_case {
    const char *spec[4];
    bool linear;
    enum imf_alpha alpha;
    enum imf_range range;
    int depth;
};

static const struct band_case cases[] = {
    {{"blur:1.3", "sobel"}, false, 0, 0, 0},
    {{"blur:1"}, true, 0, 0, 0},
    {{"kernel:1,2,3/4,5,6/7,8,9", "kernel:1,2/3,4/5,6/7,8:scale=36:flip"}, true, 0, 0, 0},
    {{"unsharp:sigma=2:threshold=0.02"}, true, 0, 0, 16},
    {{"sobel", "unsharp:sigma=1", "box:5"}, false, IMF_ALPHA_FILTER, 0, 0},
    {{"disk:3", "gray", "motion:7:40", "laplacian"}, false, IMF_ALPHA_KEEP, IMF_RANGE_ABS, 0},
    {{"kernel:1/0/0/0/0/0/2:scale=3", "scharr"}, true, IMF_ALPHA_PREMULTIPLY, 0, 0},
    {{"blur:1", "laplacian"}, true, 0, IMF_RANGE_NORMALIZE, 0},
    {{"lowpass:0.2", "sharpen", "sobel"}, false, 0, 0, 8},
};

/* Kernels that transforms take, on an image of several of their tiles from top to bottom. */
static const struct band_case tiled[] = {{{"sharpen", "disk:6"}, false, 0, 0, 0},
                                         {{"blur:3", "sharpen"}, false, 0, 0, 16}};
static const struct imf_info tall = SHAPE(33, 333, 3, 8, IMF_COLOR_RGB, false);

static const struct imf_info shapes[] = {
    SHAPE(37, 53, 3, 8, IMF_COLOR_RGB, false),
    SHAPE(23, 41, 2, 16, IMF_COLOR_GRAY, true),
    SHAPE(19, 5, 4, 8, IMF_COLOR_RGB, true), /* lower than most kernels */
    SHAPE(30, 1, 1, 8, IMF_COLOR_GRAY, false),
};

/* Filter an image drawn from `seed`; the output's pixels, or NULL. */
static unsigned char *filter(struct imf_exec *x, const struct imf_chain *c, uint64_t seed,
                             struct imf_error *err) {
    struct imf_surface s;
    const struct imf_margin none = {0, 0, 0, 0};
    if (imf_surface_layout(&s, c->in, c->width, c->height, c->channels_in, none, err) ||
        imf_surface_alloc(&s, err))
        return NULL;
    checkcl_fill(&s, MIXED, &seed);
    const struct imf_rows image = {imf_surface_row(&s, 0), s.pitch * imf_sample_size(s.sample), 0,
                                   c->height};
    size_t row = (size_t)c->width * (size_t)c->channels_out * imf_sample_size(c->out);
    struct imf_rows result;
    unsigned char *pixels = NULL;
    if (!imf_exec_filter(x, &image, &result, err)) {
        pixels = malloc(row * (size_t)c->height);
        for (int y = 0; y < c->height && pixels; y++)
            memcpy(pixels + (size_t)y * row, result.at + (size_t)y * result.stride, row);
    }
    imf_surface_free(&s);
    if (imf_exec_unmap_output(x, 0, err)) {
        free(pixels);
        return NULL;
    }
    return pixels;
}

/* The pixels that x has made of its last image agree with the reference. */
static bool verified(struct imf_exec *x, const struct imf_chain *c, unsigned char *pixels,
                     struct imf_error *err) {
    struct imf_report r = {0};
    struct imf_rows image;
    const struct imf_rows result = {
        (char *)pixels, (size_t)c->width * (size_t)c->channels_out * imf_sample_size(c->out), 0,
        c->height};
    imf_exec_input_rows(x, 0, &image);
    return !imf_verify(c, &image, &result, NULL, &r, err) && r.verify_ok;
}

/* How each convolution is done: by another solver first for another `turn`. *loose: what floats are
 * too coarse for is done all the same, since it has bands, too, but is no result to be verified. */
enum { TILES_GPU = 5 };
static bool choose_solvers(struct imf_chain *chain, size_t turn, const struct imf_device *d,
                           struct imf_proposal *chosen, bool *loose) {
    static const struct imf_solver *const solvers[] = {
        &imf_solver_separable,  &imf_solver_direct, &imf_solver_separable_gpu,
        &imf_solver_direct_gpu, &imf_solver_fft,    &imf_solver_fft_gpu};
    *loose = false;
    for (int i = 0; i < chain->count; i++) {
        struct imf_problem *p = &chain->passes[i].problem;
        chosen[i] = (struct imf_proposal){.feasible = true, .place = IMF_PLACE_DEVICE, .step = 1};
        *loose = *loose || chain->passes[i].coarse;
        chain->passes[i].coarse = false; /* devices have no float64 between passes */
        if (chain->passes[i].kind != IMF_PASS_CONVOLVE)
            continue;
        chosen[i].feasible = false;
        for (size_t k = 0; k < 2 * COUNT(solvers) && !chosen[i].feasible; k++) {
            if (k == COUNT(solvers)) {
                p->tolerance = p->tolerance_even = INFINITY;
                *loose = true;
            }
            if (p->kind == IMF_FILLING) /* the host alone does it */
                imf_propose_backend(&chosen[i], IMF_BACKEND_VECTOR, p);
            else if (p->kind == IMF_TRANSFER)
                imf_propose(&chosen[i], &imf_solver_spectral_filter, p, d);
            else
                imf_propose(&chosen[i], solvers[(k + turn) % COUNT(solvers)], p, d);
        }
        if (!chosen[i].feasible)
            return false;
    }
    return true;
}

static void check_chain(struct checkcl *c, struct imf_chain *chain,
                        const struct imf_chain *reference, size_t turn, const char *what) {
    static const int advances[] = {0, 1, 2, 3, 7, 24}; /* 0: at once */
    struct imf_proposal chosen[16];
    struct imf_device device = *imf_queue_device(c->queue);
    /* Solvers for GPUs run anywhere, if slowly. */
    device.gpu = device.gpu || turn == 2 || turn == 3 || turn == TILES_GPU;
    size_t bytes = (size_t)chain->width * (size_t)chain->height * (size_t)chain->channels_out *
                   imf_sample_size(chain->out);
    struct imf_error err = {.text = ""};
    unsigned char *want = NULL;
    bool loose;
    if (chain->count > 16 || !choose_solvers(chain, turn, &device, chosen, &loose)) {
        checkcl_refused(c, "%s: no solver", what);
        return;
    }
    for (size_t i = 0; i < COUNT(advances); i += c->tiny ? 2 : 1) {
        struct imf_exec *x = NULL;
        struct imf_bands *bands = NULL;
        const struct imf_bands_form form = {.advance = advances[i]};
        bool ok = !imf_proposals_band(&bands, chain, chosen, form, &device, &err) &&
                  !imf_exec_make_device(&x, chain, chosen, form, c->rt, INFINITY, &err);
        if (ok && turn == TILES_GPU && advances[i] > 0)
            checkcl_result(c, bands->segment[0].bands > 1, "%s: all tiles at once", what);
        imf_bands_free(&bands);
        if (ok)
            free(filter(x, chain, 99, &err));
        unsigned char *got = ok ? filter(x, chain, 7, &err) : NULL;
        bool same = got && want && !memcmp(got, want, bytes);
        ok = got && (same || (!want && (loose || verified(x, reference, got, &err))));
        checkcl_result(c, ok, "%s, %d rows a band: %s %s", what, advances[i],
                       want ? "differs" : "fails", err.text);
        imf_exec_free(&x);
        if (want || !got)
            free(got);
        else
            want = got;
    }
    free(want);
}

static void check_case(struct checkcl *c, const struct band_case *k, const struct imf_info *info,
                       enum imf_edge edge, size_t turn) {
    struct imf_error err = {.text = ""};
    struct imf_filter *text = NULL;
    struct imf_chain *chain = NULL;
    size_t specs = 0;
    char what[200];
    while (specs < COUNT(k->spec) && k->spec[specs])
        specs++;
    struct imf_settings settings = {.edge = edge,
                                    .edge_value = 0.3,
                                    .range = k->range,
                                    .alpha = k->alpha,
                                    .linear = k->linear,
                                    .depth = k->depth};
    bool ok = !imf_filter_parse(&text, k->spec, specs, &err) &&
              !imf_chain_build(&chain, text, info, &settings, &err);
    snprintf(what, sizeof what, "chain %s %s...%s %dx%dx%d edge %d", k->spec[0],
             k->spec[1] ? k->spec[1] : "", k->linear ? " linear" : "", info->width, info->height,
             info->channels, (int)edge);
    if (ok)
        check_chain(c, chain, chain, turn, what);
    else
        checkcl_result(c, false, "chain %s: %s", k->spec[0], err.text);
    imf_chain_free(&chain);
    imf_filter_free(&text);
}

void checkcl_bands(struct checkcl *c) {
    size_t first = c->tiny ? 2 : 0, end = c->tiny ? 5 : COUNT(cases);
    for (size_t i = first; i < end; i += c->tiny ? 2 : 1)
        for (size_t z = 0; z < COUNT(shapes); z++)
            for (size_t edge = 0; edge < 5; edge++)
                if (c->quick && !c->tiny ? z == i % COUNT(shapes) && edge == 2 * i % 5
                                         : (i + z + edge) % (c->full   ? 1
                                                             : c->tiny ? 8
                                                                       : 4) ==
                                               0)
                    check_case(c, &cases[i], &shapes[z], (enum imf_edge)edge, (i + z + edge) % 5);
    /* 16 bits show the last bits of what transforms leave. */
    check_case(c, &cases[0], &shapes[1], IMF_EDGE_CLAMP, 4);
    for (size_t i = c->quick ? 1 : 0; i < COUNT(tiled) && !c->tiny; i++)
        check_case(c, &tiled[i], &tall, IMF_EDGE_MIRROR, TILES_GPU);
}
