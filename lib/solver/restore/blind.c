/*
 * blind.c - a blur that is not known, by the likelihood of the picture's spectrum
 *
 * The sum that whittle.c makes least compares blurs: gaussians and disks of many sizes, by means over rings of
 * frequencies. The most likely one is taken, if the spectrum is as round as it is.
 */
#include "solver/restore/powers.h"
#include "solver/restore/whittle.h"

#include <math.h>
#include <stdlib.h>

#define BLURRED_SLOPE 2.6 /* of scenes whose blur is not known, which hides it */
#define RINGS 80
#define FEWEST IMF_WHITTLE_FEWEST

static double blur_power(const struct imf_blind *b, double f) {
    const double pi = 3.14159265358979323846;
    double z = 2 * pi * b->size * f;
    if (!b->disk)
        return exp(-z * z);
    double k = z > 0 ? 2 * j1(z) / z : 1;
    return k * k;
}

/* Means over rings. */
static enum imf_status ring_powers(struct imf_powers *p, const struct imf_windows *w,
                                   const double *power, struct imf_error *err) {
    enum imf_status status = imf_powers_open(p, RINGS, err);
    if (status != IMF_OK)
        return status;
    for (int ky = 0; ky < w->height; ky++)
        for (int kx = 0; kx <= w->width / 2; kx++, power++) {
            double weight, f = imf_windows_frequency(w, kx, ky, &weight);
            int ring = (int)(f * 2 * RINGS);
            if (weight == 0 || f < 0.02 || ring >= RINGS)
                continue;
            p->power[ring] += weight * *power;
            p->log_f[ring] += weight * f;
            p->weight[ring] += weight;
        }
    for (int i = 0; i < RINGS; i++) {
        double weight = p->weight[i];
        if (weight == 0)
            continue;
        p->power[p->count] = p->power[i] / weight;
        p->log_f[p->count] = log(p->log_f[i] / weight);
        p->weight[p->count++] = weight;
    }
    return IMF_OK;
}

/* How unlikely a blur is, and the model with it. */
static double unlikely(struct imf_deblur_model *m, struct imf_powers *p, const struct imf_blind *b,
                       const struct imf_whittle_scale *scale) {
    for (int k = 0; k < p->count; k++)
        p->blur[k] = fmax(blur_power(b, exp(p->log_f[k])), 1e-12);
    return imf_whittle_model(m, p, -1, scale, BLURRED_SLOPE, false);
}

/* The most likely blur. */
static void search(struct imf_blind *out, struct imf_powers *p,
                   const struct imf_whittle_scale *scale) {
    const double ratio = 1.03; /* of neighbouring sizes */
    struct imf_deblur_model m;
    double best = INFINITY;
    for (int disk = 0; disk < 2; disk++)
        for (double size = disk ? 1 : 0.3; size <= (disk ? IMF_BLIND_RADIUS : IMF_BLIND_SIGMA);
             size *= ratio) {
            struct imf_blind b = {.disk = disk, .size = size};
            double fit = unlikely(&m, p, &b, scale);
            if (fit < best) {
                best = fit;
                *out = b;
            }
        }
    /* Between the neighbours, in halves of the step. */
    for (double step = sqrt(ratio); step > 1.001; step = sqrt(step))
        for (int side = 0; side < 2; side++) {
            struct imf_blind b = {.disk = out->disk,
                                  .size = side ? out->size * step : out->size / step};
            double fit = unlikely(&m, p, &b, scale);
            if (fit < best) {
                best = fit;
                *out = b;
                break;
            }
        }
}

/* Has the spectrum a direction in which it falls faster? Of sectors of directions the mean logarithm of the power
 * over the model's is compared with that of the sector across, where the scene is above the noise. Along the axes lie
 * the picture's own edges. Scenes, sharp or blurred evenly, have -0.1 to -1.6; motion blurs -2 to -5, and -0.7
 * where the noise hides them. */
static bool is_directed(const struct imf_windows *w, const double *power, const struct imf_blind *b,
                        const struct imf_deblur_model *m) {
    enum { SECTORS = 12, FEW = 20 };
    const double pi = 3.14159265358979323846, axis = 0.008;
    double sum[SECTORS] = {0}, count[SECTORS] = {0}, most = 0;
    for (int ky = 0; ky < w->height; ky++)
        for (int kx = 0; kx <= w->width / 2; kx++, power++) {
            double weight, f = imf_windows_frequency(w, kx, ky, &weight);
            double u = (double)kx / w->width;
            double v = (double)(ky > w->height / 2 ? ky - w->height : ky) / w->height;
            double scene = m->power * pow(f, -m->slope) * blur_power(b, f);
            if (weight == 0 || f < 0.03 || f > 0.45 || u < axis || fabs(v) < axis ||
                scene < 3 * m->noise || *power <= 0)
                continue;
            int sector = (int)((atan2(v, u) / pi + 0.5) * SECTORS) % SECTORS;
            sum[sector] += log(*power / (scene + m->noise));
            count[sector]++;
        }
    for (int i = 0; i < SECTORS; i++) {
        int across = (i + SECTORS / 2) % SECTORS;
        if (count[i] > FEW && count[across] > FEW)
            most = fmax(most, sum[across] / count[across] - sum[i] / count[i]);
    }
    return most > 1.9;
}

enum imf_status imf_whittle_blind(struct imf_blind *out, const struct imf_surface *in, int colors,
                                  struct imf_whittle_scale scale, struct imf_pool *pool,
                                  struct imf_error *err) {
    struct imf_windows w;
    struct imf_powers p;
    struct imf_deblur_model m;
    double *sums;
    *out = (struct imf_blind){.size = 0};
    enum imf_status status = imf_windows_powers(&sums, &w, in, colors, pool, err);
    if (status == IMF_OK && (status = ring_powers(&p, &w, sums, err)) != IMF_OK)
        free(sums);
    if (status != IMF_OK)
        return status;
    if (p.count >= FEWEST) {
        search(out, &p, &scale);
        unlikely(&m, &p, out, &scale);
        out->directed = is_directed(&w, sums, out, &m);
    }
    free(p.power);
    free(sums);
    return IMF_OK;
}
