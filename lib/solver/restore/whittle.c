/*
 * whittle.c - noise, scene and blur of a picture, by the likelihood of its spectrum
 *
 * Spectra of natural scenes fall as A f^-beta (Field 1987), a blur multiplies them by |K|^2, and noise
 * adds the same everywhere: the expected power at a frequency is S = A f^-beta |K|^2 + N. Powers of a
 * picture scatter around it as exponential variables, nearly independent ones, so that
 *
 *      sum of ln S + P / S
 *
 * is least where the picture is most likely (Whittle 1953). Fisher's scoring finds ln A, beta and ln N: steps
 * of weighted least squares in which P / S - 1 has variance 1. Where |K| is small only noise is left, so
 * that N is found within a hundredth; of a sharp picture's finest band it cannot be told apart as well.
 */
#include "solver/restore/whittle.h"

#include "fourier/half_plane.h"
#include "solver/restore/powers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 60
#define SLOPE 2.4 /* of scenes, to begin with */
#define SLOPE_LEAST 1
#define SLOPE_MOST 5
#define MIDDLE 0.1 /* frequency at which power and slope hardly depend on each other */
#define FEWEST IMF_WHITTLE_FEWEST
#define FEW_POWER 0.05 /* of the picture's, as if all of it were at a frequency of 0.3 */

/* ---- the fit --------------------------------------------------------------------------------- */

/* Solve a x = b of n equations, symmetric and positive, in place. */
static void solve(double a[3][3], double *b, int n) {
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double f = a[j][i] / a[i][i];
            for (int k = i; k < n; k++)
                a[j][k] -= f * a[i][k];
            b[j] -= f * b[i];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
}

/* One step of the scoring: changes of ln A, ln N and beta in `change`. Returns the sum that is least at
 * the end, for the model before. */
static double score(const struct imf_powers *p, const struct imf_deblur_model *m, int parameters,
                    const int *which, double *change) {
    double gradient[3] = {0}, matrix[3][3] = {{0}}, fit = 0, log_a = log(m->power);
    const double middle = log(MIDDLE);
    for (int i = 0; i < p->count; i++) {
        double scene = p->blur[i] * exp(log_a - m->slope * (p->log_f[i] - middle)),
               s = scene + m->noise;
        double all[3] = {scene / s, m->noise / s, (middle - p->log_f[i]) * scene / s};
        double excess = p->power[i] / s - 1, w = p->weight[i];
        fit += w * (log(s) + excess);
        for (int j = 0; j < parameters; j++) {
            gradient[j] += w * excess * all[which[j]];
            for (int k = 0; k <= j; k++)
                matrix[j][k] += w * all[which[j]] * all[which[k]];
        }
    }
    double trace = matrix[0][0] + matrix[1][1] + matrix[2][2];
    for (int j = 0; j < parameters; j++) {
        for (int k = 0; k < j; k++)
            matrix[k][j] = matrix[j][k];
        matrix[j][j] += 1e-9 * trace + 1e-300;
    }
    solve(matrix, gradient, parameters);
    /* Shorter as a whole, since parts of it alone may lead uphill. */
    double longest = 1;
    for (int j = 0; j < parameters; j++)
        longest = fmax(longest, fabs(gradient[j]));
    for (int j = 0; j < parameters; j++)
        change[which[j]] = gradient[j] / longest;
    return fit;
}

/* Bounds of a model, in the order of the parameters' changes: power, noise, slope. */
struct bounds {
    double low[3], high[3];
};

/* The step from a model. A parameter that is to leave its bounds stays, and the others move as they then do. */
static double propose(double *change, const struct imf_powers *p, const struct imf_deblur_model *m,
                      const struct bounds *bounds) {
    const double at[3] = {m->power, m->noise, m->slope};
    int which[3] = {0}, count = 0;
    double fit = 0;
    for (int i = 0; i < 3; i++)
        if (bounds->low[i] < bounds->high[i])
            which[count++] = i;
    for (bool leaves = true; leaves;) {
        memset(change, 0, 3 * sizeof *change);
        fit = score(p, m, count, which, change);
        leaves = false;
        for (int i = count - 1; i >= 0 && !leaves; i--) {
            int k = which[i];
            leaves = (at[k] <= bounds->low[k] && change[k] < 0) ||
                     (at[k] >= bounds->high[k] && change[k] > 0);
            if (leaves) {
                memmove(&which[i], &which[i + 1], (size_t)(count - i - 1) * sizeof *which);
                count--;
            }
        }
    }
    return fit;
}

static struct imf_deblur_model moved(const struct imf_deblur_model *m, const double *change,
                                     double part, const struct bounds *b) {
    return (struct imf_deblur_model){
        .power = fmin(fmax(m->power * exp(part * change[0]), b->low[0]), b->high[0]),
        .noise = fmin(fmax(m->noise * exp(part * change[1]), b->low[1]), b->high[1]),
        .slope = fmin(fmax(m->slope + part * change[2], b->low[2]), b->high[2])};
}

/* Fit; `noise` negative: that too; `sloped`: the slope, which begins at `slope`. Returns the sum. Of a picture that was not
 * blurred so the likeliest scene is without bounds: its power at the middle frequency is full scale's square at most. */
double imf_whittle_model(struct imf_deblur_model *m, const struct imf_powers *p, double noise,
                         const struct imf_whittle_scale *scale, double slope, bool sloped) {
    double high = 0, highs = 0, scene = 0, squares = 0, change[3], part = 1;
    double least = scale->least * scale->least, most = scale->unit * scale->unit;
    for (int i = 0; i < p->count; i++) {
        double w = p->weight[i];
        if (p->log_f[i] > log(0.3))
            high += w * p->power[i], highs += w;
        scene += w * p->blur[i] * p->power[i] * exp(slope * (p->log_f[i] - log(MIDDLE)));
        squares += w * p->blur[i] * p->blur[i];
    }
    double given = noise < 0 ? high / fmax(highs, 1) : noise * noise;
    *m = (struct imf_deblur_model){.noise = fmin(fmax(given, least), most), .slope = slope};
    if (p->count < FEWEST) {
        m->noise = noise < 0 ? least : m->noise;
        m->power = fmax(FEW_POWER * p->mean, m->noise);
        return INFINITY;
    }
    const struct bounds bounds = {
        .low = {least * 1e-6, noise < 0 ? least : m->noise, sloped ? SLOPE_LEAST : slope},
        .high = {most, noise < 0 ? most : m->noise, sloped ? SLOPE_MOST : slope}};
    m->power = fmin(fmax(scene / fmax(squares, 1e-12), bounds.low[0]), most);
    double fit = propose(change, p, m, &bounds);
    for (int i = 0; i < STEPS; i++) {
        double further[3],
            step = part * fmax(fmax(fabs(change[0]), fabs(change[1])), fabs(change[2]));
        struct imf_deblur_model next = moved(m, change, part, &bounds);
        double next_fit = propose(further, p, &next, &bounds);
        if (next_fit <= fit) {
            *m = next;
            fit = next_fit;
            part = fmin(1.25 * part, 1);
            memcpy(change, further, sizeof change);
        } else {
            part /= 2; /* it went too far */
        }
        if (step < 1e-6)
            break;
    }
    m->power *= pow(MIDDLE, m->slope);
    return fit;
}

/* ---- a known blur ---------------------------------------------------------------------------- */

struct taps {
    const struct imf_kernel *kernel;
    double sum;
    int width, height;
};

static void kernel_row(void *user, int y, double *row) {
    const struct taps *t = user;
    const struct imf_kernel *k = t->kernel;
    for (int x = 0; x < t->width; x++)
        row[x] = 0;
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width && i % t->height == y; j++)
            row[j % t->width] += k->taps[(size_t)i * (size_t)k->width + (size_t)j] / t->sum;
}

enum imf_status imf_whittle_fit(struct imf_deblur_model *out, const struct imf_surface *in,
                                int colors, const struct imf_kernel *blur, double noise,
                                struct imf_whittle_scale scale, struct imf_pool *pool,
                                struct imf_error *err) {
    struct imf_windows w;
    struct imf_powers p = {0};
    struct imf_half_plane spectrum;
    double *sums;
    enum imf_status status = imf_windows_powers(&sums, &w, in, colors, pool, err);
    if (status != IMF_OK)
        return status;
    struct taps taps = {blur, imf_kernel_sum(blur), w.width, w.height};
    status = imf_powers_open(&p, (size_t)(w.width / 2 + 1) * (size_t)w.height, err);
    if (status == IMF_OK)
        status = imf_half_plane_make(&spectrum, w.width, w.height, kernel_row, &taps, pool, err);
    const double *power = sums;
    for (int ky = 0; ky < w.height && status == IMF_OK; ky++)
        for (int kx = 0; kx <= w.width / 2; kx++, power++) {
            double weight, f = imf_windows_frequency(&w, kx, ky, &weight);
            struct imf_complex k = imf_half_plane_at(&spectrum, kx, ky);
            p.mean += *power / ((double)(w.width / 2 + 1) * w.height);
            if (weight == 0)
                continue;
            p.power[p.count] = *power;
            p.log_f[p.count] = log(f);
            p.blur[p.count] = k.re * k.re + k.im * k.im;
            p.weight[p.count++] = weight;
        }
    if (status == IMF_OK) {
        imf_half_plane_free(&spectrum);
        imf_whittle_model(out, &p, noise, &scale, SLOPE, true);
    }
    free(p.power);
    free(sums);
    return status;
}
