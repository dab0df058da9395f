/*
 * methods.c - the methods that undo a blur, in operations that the host and a device have (field.h)
 *
 * Least squares. With K the blur's spectrum and R the ratio of noise to scene power, the scene of least squares for
 * a whole periodic blurred plane v is
 *
 *      x = W v,  W = conj K / (|K|^2 + R)                                            (Wiener 1949),
 *
 * and G = K W makes of v what the estimated scene looks like when it is blurred. Of v only the picture
 * is given. The scene that fits the picture alone, whatever the values outside, is that of the v whose
 * outside is explained by its own scene: with z the values outside and P cutting them out,
 *
 *      (1 - P G P) z = P G (picture).
 *
 * That follows from the normal equations of the masked problem: its residual is 0 outside. The matrix is
 * symmetric and positive, so that conjugate gradients solve it (Hestenes and Stiefel 1952). Their vectors
 * have the size of the gap, a product is a transform there and back, and few are needed: the blur
 * mixes what is near the edge alone. Conjugate gradients on the scene itself take the same products,
 * three times as many, and pass five planes each time. The start is a smooth transition from each
 * edge of the picture to the opposite one.
 *
 * Restoring with edges replicated, mirrored or tapered instead costs 1 to 5 dB: the seams ring.
 *
 * Total variation. Least squares lets noise and ringing through in flat parts to keep edges sharp elsewhere. The scene x that
 * minimises |K x - v|^2 / 2 noise + lambda sum |grad x| has flat parts and sharp edges instead (Rudin,
 * Osher and Fatemi 1992). By split Bregman (Goldstein and Osher 2009) gradients become variables d of their
 * own, tied to grad x by a penalty rho/2 |d - grad x - b|^2, and rounds alternate between
 *
 *      p = grad x + b,  d = p shortened by lambda / rho,  b = p - d,
 *      (|K|^2 + noise rho |grad|^2) x = conj K v + noise rho div (b - d),
 *
 * of which the second is a transform there and back. b is p limited to the length lambda / rho, and d - b =
 * p - 2 b: the state is x and p. Gradients go from a pixel to the next in its row and in its column of the upright
 * picture; where that is stored turned, to the one before. v is the completed plane, and the start its restored scene.
 * lambda is WEIGHT over the gradients' standard deviation in the model of the picture: gradients of pictures
 * have tails, so that most are smaller than that.
 *
 * Richardson and Lucy. With y the picture, M the mask of its pixels and K the blur, rounds (Richardson 1972, Lucy 1974)
 *
 *      x <- x * K'(M y / K x) / K' M
 *
 * climb to the scene that is most likely if y counts photons; x never becomes negative. K' M is 1 inside
 * and fades outside, where x extends as far as it was blurred into the picture (Bertero and Boccacci
 * 2005). Each round begins from a guess ahead: x + a (x - the x before), with a from how the last two
 * rounds' corrections agree (Biggs and Andrews 1997), which takes a third of the rounds.
 *
 * Later rounds fit the noise. They end where the residual y - K x is as large as the noise (the
 * discrepancy principle, Morozov 1966), times TIGHT since some of it is fitted already.
 */
#include "solver/restore/field.h"

#include <math.h>

#define TIGHT 0.98 /* 1 costs 0.2 dB, 0.97 as much where there is much noise */
/* Of full scale: a scene is not darker, so that quotients are finite; nor, on the mean, when it begins. */
#define LEAST 4e-6
#define DARK (1 / 512.0)
#define WEIGHT 1.0  /* of lambda: 0.7 leaves 1.5 times the overshoot, 1.4 costs 0.2 dB */
#define PENALTY 5.0 /* of rho, over the gradients' variance: 2 and 10 converge more slowly */

/* After a failure nothing is done, and sums are 0, at which loops end. */
static void finish(struct imf_field *f, enum imf_status status) {
    f->status = status;
    if (status != IMF_OK)
        f->sums[0] = f->sums[1] = 0;
}

static void map(struct imf_field *f, enum imf_map which) {
    if (f->status == IMF_OK)
        finish(f, f->ops->map(f, which));
}

static void product(struct imf_field *f, enum imf_map from, enum imf_operator of, enum imf_map to) {
    if (f->status == IMF_OK)
        finish(f, f->ops->product(f, from, of, to));
}

static int iterations(const struct imf_field *f, int otherwise) {
    return f->iterations > 0 ? f->iterations : otherwise;
}

/* Find what lies outside such that the scene estimated from picture and outside has it. Where G is nearly 1, G times the plane
 * less the plane would be the rounding of floats; a product with 1 - G is not. */
static void complete(struct imf_field *f, int steps) {
    map(f, IMF_MAP_CLEAR);
    map(f, IMF_MAP_LOAD);
    map(f, IMF_MAP_BEGIN_GAP);
    product(f, IMF_MAP_BLURRED, IMF_OPERATOR_LEAVE, IMF_MAP_RESIDUALS);
    double square = f->sums[0], enough = square * 1e-24; /* below rounding */
    for (int i = 0; i < steps && square > enough; i++) {
        product(f, IMF_MAP_DIRECTION, IMF_OPERATOR_LEAVE, IMF_MAP_CURVATURE);
        if (f->sums[0] <= 0)
            return;
        f->step = square / f->sums[0];
        map(f, IMF_MAP_MOVE);
        f->step = f->sums[0] / square;
        square = f->sums[0];
        map(f, IMF_MAP_TURN);
    }
}

static void wiener(struct imf_field *f) {
    complete(f, iterations(f, IMF_DEBLUR_STEPS));
    product(f, IMF_MAP_BLURRED, IMF_OPERATOR_RESTORE, IMF_MAP_RESULT);
}

/* The variance of gradients of scenes with the model's spectrum. */
static double gradient_variance(const struct imf_deblur_model *m) {
    enum { CELLS = 128 };
    const double pi = 3.14159265358979323846;
    double sum = 0;
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            double u = (i + 0.5) / (2 * CELLS), v = (j + 0.5) / (2 * CELLS);
            double gain = 4 * (pow(sin(pi * u), 2) + pow(sin(pi * v), 2));
            sum += gain * exp(-log(u * u + v * v) * m->slope / 2);
        }
    return m->power * sum / (CELLS * CELLS);
}

static void total_variation(struct imf_field *f) {
    double variance = gradient_variance(&f->model);
    complete(f, IMF_DEBLUR_STEPS);
    product(f, IMF_MAP_BLURRED, IMF_OPERATOR_START, IMF_MAP_SCENE);
    map(f, IMF_MAP_CLEAR);
    f->weight = f->model.noise * PENALTY / variance; /* noise * rho */
    f->bound = sqrt(variance) * WEIGHT / PENALTY;    /* lambda / rho */
    for (int i = iterations(f, IMF_DEBLUR_TV_ROUNDS); i > 0; i--) {
        map(f, IMF_MAP_GRADIENTS);
        product(f, IMF_MAP_DIVERGENCE, IMF_OPERATOR_SOLVE, i > 1 ? IMF_MAP_SCENE : IMF_MAP_RESULT);
    }
}

static void richardson_lucy(struct imf_field *f) {
    double enough = f->model.noise * TIGHT * TIGHT * f->p->width * f->p->height;
    f->bound = LEAST * f->p->unit;
    f->step = 0;
    f->mean = fmax(f->mean, f->p->unit * DARK);
    map(f, IMF_MAP_BEGIN_SCENE);
    f->mean = 0; /* values are those of the samples */
    map(f, IMF_MAP_LOAD);
    product(f, IMF_MAP_MASK, IMF_OPERATOR_CORRELATE, IMF_MAP_COVER);
    int rounds = iterations(f, IMF_DEBLUR_RL_ROUNDS);
    for (; rounds > 0; rounds--) {
        product(f, IMF_MAP_GUESS, IMF_OPERATOR_BLUR, IMF_MAP_QUOTIENTS);
        if (f->sums[0] <= enough)
            break;
        product(f, IMF_MAP_KEPT, IMF_OPERATOR_CORRELATE, IMF_MAP_ACCELERATE);
        f->step = f->sums[1] > 0 ? fmin(fmax(f->sums[0] / f->sums[1], 0), 0.999) : 0;
    }
    if (rounds == 0)
        f->step = 0;
    map(f, IMF_MAP_GUESS);
    map(f, IMF_MAP_RESULT);
}

enum imf_status imf_field_restore(struct imf_field *f, struct imf_error *err) {
    static void (*const methods[])(struct imf_field *) = {[IMF_DEBLUR_WIENER] = wiener,
                                                          [IMF_DEBLUR_TV] = total_variation,
                                                          [IMF_DEBLUR_RL] = richardson_lucy};
    f->err = err;
    f->status = IMF_OK;
    for (f->channel = 0; f->channel < f->p->colors; f->channel++) {
        f->mean = (double)(float)(f->p->unit / 2); /* so that sums in floats lose little */
        map(f, IMF_MAP_MEAN);
        f->mean += f->sums[0] / ((double)f->p->width * f->p->height);
        methods[f->p->deblur->method](f);
    }
    return f->status;
}
