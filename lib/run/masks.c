/*
 * masks.c - a filter's masks as an image needs them
 *
 * A feather is a Gaussian blur of the upright mask, to 16 bits, by the host's solver that is the
 * cheapest for it. Planes stay with the mask, so that a batch makes each of them once.
 */
#include "run/masks.h"

#include "filter/builtin/table.h"
#include "filter/form.h"
#include "plan/planner.h"
#include "solver/common/edge.h"

#include <stdlib.h>
#include <string.h>

/* ---- feather -------------------------------------------------------------------------------- */

/* The plane as a surface of 16 bits, and beyond its edges the samples there. */
static enum imf_status make_source(struct imf_surface *s, const struct imf_mask_plane *plane,
                                   struct imf_margin margin, struct imf_error *err) {
    enum imf_status st =
        imf_surface_layout(s, IMF_U16, plane->width, plane->height, 1, margin, err);
    st = st ? st : imf_surface_alloc(s, err);
    for (int y = 0; y < plane->height && !st; y++) {
        uint16_t *to = imf_surface_row(s, y);
        size_t at = (size_t)y * (size_t)plane->width;
        for (int x = 0; x < plane->width; x++)
            to[x] = plane->sample == IMF_U16
                        ? ((const uint16_t *)plane->at)[at + (size_t)x]
                        : (uint16_t)(((const uint8_t *)plane->at)[at + (size_t)x] * 257);
    }
    if (!st)
        imf_edge_fill_band(s, margin, (struct imf_edge_part){0, plane->height}, IMF_EDGE_CLAMP,
                           (const double[IMF_CHANNELS_MAX]){0});
    return st;
}

/* What is left of the limit of memory. */
struct room {
    uint64_t limit; /* 0: there is none */
    double held;    /* the planes themselves, too */
};

static enum imf_status run_solver(const struct imf_proposal *chosen, const struct imf_problem *p,
                                  const struct imf_surface *in, const struct imf_surface *out,
                                  struct imf_error *err) {
    struct imf_job *job;
    enum imf_status st = imf_job_make(&job, p, chosen, NULL, err);
    st = st ? st : imf_job_run(job, in, out, err);
    imf_job_free(&job);
    return st;
}

/* The blur of a plane of 16 bits by a kernel. */
static struct imf_problem problem_of(const struct imf_mask_plane *plane,
                                     const struct imf_kernel *kernel) {
    const double full = imf_sample_max(IMF_U16),
                 tolerance = 31.0 / 32; /* rounded, off by 1 at most */
    struct imf_problem p = {.width = plane->width,
                            .height = plane->height,
                            .channels = 1,
                            .in = IMF_U16,
                            .out = IMF_U16,
                            .epilogue = {.scale = kernel->scale, .multiply = 1, .full = full},
                            .edge = IMF_EDGE_CLAMP,
                            .unit = full,
                            .in_max = full,
                            .positive = true,
                            .tolerance = tolerance,
                            .tolerance_even = tolerance};
    imf_problem_convolve(&p, kernel);
    p.exact = p.facts[0].integer;
    return p;
}

/* Make a plane's samples: those of another, blurred by a kernel. */
static enum imf_status blur(struct imf_mask_plane *out, const struct imf_mask_plane *plane,
                            const struct imf_kernel *kernel, const struct room *room,
                            struct imf_error *err) {
    const struct imf_margin none = {0, 0, 0, 0};
    const struct imf_problem p = problem_of(plane, kernel);
    struct imf_surface in = {.host = NULL}, to = {.host = NULL};
    struct imf_proposal chosen;
    size_t row = (size_t)plane->width * sizeof(uint16_t), bytes = row * (size_t)plane->height;
    imf_propose_backend(&chosen, IMF_BACKEND_VECTOR, &p);
    if (chosen.missing)
        return imf_fail_memory(err, chosen.missing);
    if (!chosen.feasible)
        imf_propose_host(&chosen, &p);
    if (!chosen.feasible)
        return imf_fail(err, IMF_ERR_LIMIT, "the mask cannot be blurred: %s", chosen.why);
    enum imf_status st =
        imf_surface_layout(&in, IMF_U16, plane->width, plane->height, 1, p.reach, err);
    if (!st)
        st = imf_surface_layout(&to, IMF_U16, plane->width, plane->height, 1, none, err);
    if (!st)
        st = imf_memory_fits(room->limit,
                             (uint64_t)(room->held + (double)imf_surface_bytes(&in) +
                                        (double)imf_surface_bytes(&to) - (double)bytes +
                                        chosen.bytes),
                             "blurring this mask", err);
    if (!st)
        st = make_source(&in, plane, p.reach, err);
    if (!st)
        st = imf_surface_alloc(&to, err);
    if (!st)
        st = run_solver(&chosen, &p, &in, &to, err);
    imf_surface_free(&in);
    if (!st && !(out->at = malloc(bytes)))
        st = imf_fail_memory(err, bytes);
    for (int y = 0; y < plane->height && !st; y++)
        memcpy((char *)out->at + (size_t)y * row, imf_surface_row(&to, y), row);
    imf_surface_free(&to);
    return st;
}

static enum imf_status feather(struct imf_mask_plane *out, const struct imf_mask_plane *picture,
                               const struct room *room, struct imf_error *err) {
    struct imf_kernel *kernel = NULL;
    enum imf_status st = imf_design_gaussian(&kernel, &out->feather, err);
    st = st ? st : blur(out, picture, kernel, room, err);
    imf_kernel_free(&kernel);
    return st;
}

/* ---- planes --------------------------------------------------------------------------------- */

static enum imf_status make(const struct imf_mask *mask, int orientation, double sigma,
                            const struct room *room, struct imf_error *err) {
    struct imf_mask_plane *upright = imf_mask_find(mask, 1, sigma), turned,
                          *stored = imf_mask_find(mask, orientation, sigma);
    enum imf_status st = upright->at ? IMF_OK : feather(upright, imf_mask_picture(mask), room, err);
    if (st || stored->at)
        return st;
    if (!imf_mask_turn(&turned, upright, orientation, false))
        return imf_fail_memory(err, (uint64_t)imf_mask_plane_bytes(stored));
    stored->at = turned.at;
    return IMF_OK;
}

enum imf_status imf_masks_make(const struct imf_filter *filter, int orientation,
                               const struct imf_settings *settings, struct imf_error *err) {
    enum imf_status st = IMF_OK;
    for (size_t i = 0; i < filter->count && !st; i++) {
        struct imf_mask *mask = filter->stages[i].mask;
        if (!mask)
            continue;
        const struct room room = {settings->max_memory, IMF_PROCESS_BYTES + (double)settings->held +
                                                            imf_filter_bytes(filter)};
        pthread_mutex_lock(&mask->lock);
        st = make(mask, orientation, settings->mask_feather, &room, err);
        pthread_mutex_unlock(&mask->lock);
    }
    return st;
}
