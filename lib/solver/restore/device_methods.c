/*
 * device_methods.c - wiener.c, plane.c, tv.c and rl.c in the same steps on a GPU
 *
 * Between two steps the host reads what conjugate gradients, and the rounds of Richardson and Lucy, sum up.
 */
#include "solver/restore/device.h"

#include <math.h>

/* Planes; what is on a line has the same memory, one after the other. The residual is of the gap alone. */
enum { PICTURE, DIRECTION, PRODUCT, RESIDUAL };
enum { DIVERGENCE = PICTURE, ACROSS = DIRECTION, TV_SCENE = PRODUCT, DOWN = 4 };
enum { WORK = 1, RL_SCENE, BEFORE, CHANGE, COVER };

#define PLANE(i) imf_arg_buffer(d->plane[i])
#define PARTS imf_arg_buffer(d->parts)

static enum imf_status load(struct imf_deblur_device *d, struct imf_error *err) {
    return imf_deblur_launch(d, IMF_DEBLUR_LOAD, IMF_DEBLUR_PICTURE, err,
                             imf_arg_buffer(d->in->mem), PLANE(PICTURE), imf_arg_int(d->channel),
                             imf_arg_float((float)d->mean));
}

static enum imf_status store(struct imf_deblur_device *d, int plane, struct imf_error *err) {
    return imf_deblur_launch(d, IMF_DEBLUR_STORE, IMF_DEBLUR_PICTURE, err, PLANE(plane),
                             imf_arg_buffer(d->out->mem), imf_arg_int(d->channel),
                             imf_arg_float((float)d->mean));
}

static enum imf_status find_mean(struct imf_deblur_device *d, struct imf_error *err) {
    double sum, middle = d->p.unit / 2;
    enum imf_status status = imf_deblur_launch(
        d, IMF_DEBLUR_SUM_CHANNEL, IMF_DEBLUR_SUMS, err, imf_arg_buffer(d->in->mem), PARTS,
        imf_arg_int(d->channel), imf_arg_float((float)middle));
    if (status == IMF_OK)
        status = imf_deblur_sums(d, &sum, 1, err);
    if (status == IMF_OK)
        d->mean = (double)(float)middle + sum / ((double)d->p.width * d->p.height);
    return status;
}

/* ---- what lies outside --------------------------------------------------------------------- */

/* The first residual and its square. */
static enum imf_status first_residual(struct imf_deblur_device *d, double *square,
                                      struct imf_error *err) {
    size_t plane = (size_t)d->sizes.nx * (size_t)d->sizes.ny * sizeof(float);
    enum imf_status status = imf_deblur_multiply(d, PICTURE, PRODUCT, IMF_DEBLUR_LEAVE, 0, err);
    if (status == IMF_OK)
        status = imf_buffer_clear(d->queue, d->plane[DIRECTION], 0, plane, err);
    if (status == IMF_OK)
        status = imf_deblur_launch(d, IMF_DEBLUR_RESIDUALS, IMF_DEBLUR_SUMS, err, PLANE(PRODUCT),
                                   PLANE(DIRECTION), PLANE(RESIDUAL), PARTS);
    return status == IMF_OK ? imf_deblur_sums(d, square, 1, err) : status;
}

/* One step of conjugate gradients; *ends: the matrix gives nothing more. */
static enum imf_status step(struct imf_deblur_device *d, double *square, bool *ends,
                            struct imf_error *err) {
    double curvature, next = 0;
    enum imf_status status = imf_deblur_multiply(d, DIRECTION, PRODUCT, IMF_DEBLUR_LEAVE, 0, err);
    if (status == IMF_OK)
        status = imf_deblur_launch(d, IMF_DEBLUR_CURVATURE, IMF_DEBLUR_SUMS, err, PLANE(PRODUCT),
                                   PLANE(DIRECTION), PARTS);
    if (status == IMF_OK)
        status = imf_deblur_sums(d, &curvature, 1, err);
    *ends = status == IMF_OK && curvature <= 0;
    if (status != IMF_OK || *ends)
        return status;
    status = imf_deblur_launch(d, IMF_DEBLUR_MOVE, IMF_DEBLUR_SUMS, err, PLANE(PICTURE),
                               PLANE(PRODUCT), PLANE(DIRECTION), PLANE(RESIDUAL), PARTS,
                               imf_arg_float((float)(*square / curvature)));
    if (status == IMF_OK)
        status = imf_deblur_sums(d, &next, 1, err);
    if (status == IMF_OK)
        status = imf_deblur_launch(d, IMF_DEBLUR_TURN, IMF_DEBLUR_SUMS, err, PLANE(DIRECTION),
                                   PLANE(RESIDUAL), imf_arg_float((float)(next / *square)));
    *square = next;
    return status;
}

static enum imf_status complete(struct imf_deblur_device *d, int steps, struct imf_error *err) {
    double square = 0;
    enum imf_status status = load(d, err);
    if (status == IMF_OK)
        status = imf_deblur_launch(d, IMF_DEBLUR_BEGIN_GAP, IMF_DEBLUR_SUMS, err, PLANE(PICTURE));
    if (status == IMF_OK)
        status = first_residual(d, &square, err);
    double enough = square * 1e-24; /* below rounding */
    bool ends = false;
    for (int i = 0; i < steps && status == IMF_OK && square > enough && !ends; i++)
        status = step(d, &square, &ends, err);
    return status;
}

/* ---- methods ------------------------------------------------------------------------------- */

static enum imf_status wiener(struct imf_deblur_device *d, struct imf_error *err) {
    int steps = d->p.deblur->iterations > 0 ? d->p.deblur->iterations : IMF_DEBLUR_STEPS;
    enum imf_status status = complete(d, steps, err);
    if (status == IMF_OK)
        status = imf_deblur_multiply(d, PICTURE, PRODUCT, IMF_DEBLUR_RESTORE, 0, err);
    return status == IMF_OK ? store(d, PRODUCT, err) : status;
}

static enum imf_status tv_round(struct imf_deblur_device *d,
                                const struct imf_deblur_tv_weights *weights,
                                struct imf_error *err) {
    struct imf_arg limit = imf_arg_float((float)weights->limit);
    struct imf_arg x = imf_arg_int(d->p.deblur->first_x < 0 ? -1 : 1),
                   y = imf_arg_int(d->p.deblur->first_y < 0 ? -1 : 1);
    enum imf_status status =
        imf_deblur_launch(d, IMF_DEBLUR_GRADIENTS, IMF_DEBLUR_PLANE, err, PLANE(TV_SCENE),
                          PLANE(ACROSS), PLANE(DOWN), limit, x, y);
    if (status == IMF_OK)
        status = imf_deblur_launch(d, IMF_DEBLUR_DIVERGENCE, IMF_DEBLUR_PLANE, err, PLANE(ACROSS),
                                   PLANE(DOWN), PLANE(DIVERGENCE), limit, x, y);
    return status == IMF_OK ? imf_deblur_multiply(d, DIVERGENCE, TV_SCENE, IMF_DEBLUR_SOLVE,
                                                  weights->weight, err)
                            : status;
}

static enum imf_status tv(struct imf_deblur_device *d, struct imf_error *err) {
    const struct imf_deblur_tv_weights weights = imf_deblur_tv_weights(&d->model);
    int rounds = d->p.deblur->iterations > 0 ? d->p.deblur->iterations : IMF_DEBLUR_TV_ROUNDS;
    size_t plane = (size_t)d->sizes.nx * (size_t)d->sizes.ny * sizeof(float);
    enum imf_status status = complete(d, IMF_DEBLUR_STEPS, err);
    if (status == IMF_OK)
        status = imf_deblur_multiply(d, PICTURE, TV_SCENE, IMF_DEBLUR_START, 0, err);
    if (status == IMF_OK)
        status = imf_buffer_clear(d->queue, d->plane[ACROSS], 0, plane, err);
    if (status == IMF_OK)
        status = imf_buffer_clear(d->queue, d->plane[DOWN], 0, plane, err);
    for (int i = 0; i < rounds && status == IMF_OK; i++)
        status = tv_round(d, &weights, err);
    return status == IMF_OK ? store(d, TV_SCENE, err) : status;
}

/* ---- Richardson and Lucy ------------------------------------------------------------------- */

struct rl {
    double ahead, least, enough;
    bool ends;
};

static enum imf_status guess(struct imf_deblur_device *d, const struct rl *r,
                             struct imf_error *err) {
    return imf_deblur_launch(d, IMF_DEBLUR_GUESS, IMF_DEBLUR_PLANE, err, PLANE(RL_SCENE),
                             PLANE(BEFORE), PLANE(WORK), imf_arg_float((float)r->ahead),
                             imf_arg_float((float)r->least));
}

static enum imf_status rl_round(struct imf_deblur_device *d, struct rl *r, struct imf_error *err) {
    double square, sums[2];
    enum imf_status status = guess(d, r, err);
    if (status == IMF_OK)
        status = imf_deblur_multiply(d, WORK, WORK, IMF_DEBLUR_BLUR, 0, err);
    if (status == IMF_OK)
        status = imf_deblur_launch(d, IMF_DEBLUR_QUOTIENTS, IMF_DEBLUR_SUMS, err, PLANE(WORK),
                                   PLANE(PICTURE), PARTS, imf_arg_float((float)r->least));
    if (status == IMF_OK)
        status = imf_deblur_sums(d, &square, 1, err);
    r->ends = status == IMF_OK && square <= r->enough;
    if (status != IMF_OK || r->ends)
        return status;
    status = imf_deblur_multiply(d, WORK, WORK, IMF_DEBLUR_CORRELATE, 0, err);
    if (status == IMF_OK)
        status = imf_deblur_launch(d, IMF_DEBLUR_ACCELERATE, IMF_DEBLUR_SUMS, err, PLANE(RL_SCENE),
                                   PLANE(BEFORE), PLANE(CHANGE), PLANE(COVER), PLANE(WORK), PARTS,
                                   imf_arg_float((float)r->ahead), imf_arg_float((float)r->least));
    if (status == IMF_OK)
        status = imf_deblur_sums(d, sums, 2, err);
    if (status == IMF_OK)
        r->ahead = sums[1] > 0 ? fmin(fmax(sums[0] / sums[1], 0), 0.999) : 0;
    return status;
}

static enum imf_status rl(struct imf_deblur_device *d, struct imf_error *err) {
    int rounds = d->p.deblur->iterations > 0 ? d->p.deblur->iterations : IMF_DEBLUR_RL_ROUNDS;
    double mean = fmax(d->mean, d->p.unit * IMF_DEBLUR_RL_DARK);
    double noise = d->model.noise * IMF_DEBLUR_RL_TIGHT * IMF_DEBLUR_RL_TIGHT;
    struct rl r = {.least = IMF_DEBLUR_RL_LEAST * d->p.unit,
                   .enough = noise * d->p.width * d->p.height};
    d->mean = 0; /* values are those of the samples */
    enum imf_status status = load(d, err);
    if (status == IMF_OK)
        status = imf_deblur_launch(d, IMF_DEBLUR_BEGIN_SCENE, IMF_DEBLUR_PLANE, err,
                                   PLANE(RL_SCENE), PLANE(BEFORE), PLANE(CHANGE), PLANE(WORK),
                                   imf_arg_float((float)mean));
    if (status == IMF_OK)
        status = imf_deblur_multiply(d, WORK, COVER, IMF_DEBLUR_CORRELATE, 0, err);
    for (int i = 0; i < rounds && !r.ends && status == IMF_OK; i++)
        status = rl_round(d, &r, err);
    if (!r.ends)
        r.ahead = 0;
    if (status == IMF_OK)
        status = guess(d, &r, err);
    return status == IMF_OK ? store(d, WORK, err) : status;
}

enum imf_status imf_deblur_device_do(struct imf_deblur_device *d, struct imf_error *err) {
    static enum imf_status (*const methods[])(struct imf_deblur_device *, struct imf_error *) = {
        [IMF_DEBLUR_WIENER] = wiener, [IMF_DEBLUR_TV] = tv, [IMF_DEBLUR_RL] = rl};
    enum imf_status status = IMF_OK;
    for (d->channel = 0; d->channel < d->p.colors && status == IMF_OK; d->channel++) {
        status = find_mean(d, err);
        if (status == IMF_OK)
            status = methods[d->p.deblur->method](d, err);
    }
    return status;
}
