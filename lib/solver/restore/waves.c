/*
 * waves.c - waves whose amplitudes vary slowly, fitted to a plane by least squares
 *
 * A plane f is a sum of waves and of what they do not explain:
 *
 *     f(x,y) = sum over waves of 2 Re(a(x,y) exp(2 pi i (u x + v y))) + rest
 *
 * with complex amplitudes a that are given at nodes (waves_axis.h). Since a wave's magnitude is 1, the
 * equations of least squares of each wave are those of a plain function, apart along x and y, on the
 * right-hand side the sums of f exp(-2 pi i (u x + v y)) times the node's functions. Different waves
 * are almost orthogonal and fitted apart; so is a wave and its conjugate, but where that is the same wave: it is
 * real then, and its factor 1.
 *
 * Sums are over the image alone, so that the fit at the border knows nothing of what lies beyond: a
 * transform would have to assume it.
 *
 * How closely nodes follow each other is chosen for each wave (after C. L. Mallows, "Some comments on
 * Cp", 1973): n amplitudes explain E = r' G^-1 r of the plane's energy, but of a picture that has
 * no such wave, and the variance s around its frequency, they would explain n s as well, and what
 * they take of that is an error. So E - caution n s is largest for the best distance; the
 * amplitude of an even pattern is one number for the whole image, that of a printed screen, whose dots
 * grow with the ink, follows it closely; and a wave for which it is negative is none.
 *
 * Four waves and eight rows are worked on at once: of a cell's columns, two nodes' sums of real and
 * imaginary parts are kept in registers.
 */
#include "solver/restore/waves.h"

#include "base/clones.h"
#include "base/image/surface.h"

#include <math.h>
#include <stdlib.h>

#define TOGETHER 4   /* waves */
#define HARMONIC 8.0 /* a wave that does not stand out has to explain so much more to be there */
#define ROWS IMF_WAVES_ROWS

static const double two_pi = 6.283185307179586;

static size_t node_values(const struct imf_waves *w) {
    return 2 * ((size_t)w->x.cells + 1) * ((size_t)w->y.cells + 1);
}

size_t imf_waves_work(int width, int spacing) {
    return ((size_t)width / (size_t)spacing + 2) * 2 * TOGETHER;
}

double imf_waves_bytes(int width, int height, int spacing, int count) {
    double nodes = (width / spacing + 2.0) * (height / spacing + 2.0);
    return ((count + 3) * nodes + (double)count * width) * 2 * sizeof(double);
}

enum imf_status imf_waves_open(struct imf_waves *out, int width, int height, int spacing,
                               const struct imf_pattern_wave *wave, int count,
                               struct imf_error *err) {
    *out = (struct imf_waves){.count = count, .wave = wave};
    enum imf_status status = imf_wave_axis_make(&out->x, width, spacing, err);
    if (status == IMF_OK)
        status = imf_wave_axis_make(&out->y, height, spacing, err);
    size_t line = 2 * (size_t)width, waves = (size_t)count;
    if (status == IMF_OK) {
        out->phase = malloc(line * waves * sizeof *out->phase);
        out->sums = calloc(node_values(out) * waves, sizeof *out->sums);
        out->scratch = malloc(3 * node_values(out) * sizeof *out->scratch);
        if (!out->phase || !out->sums || !out->scratch)
            status = imf_fail_memory(err, (size_t)imf_waves_bytes(width, height, spacing, count));
    }
    if (status != IMF_OK) {
        imf_waves_free(out);
        return status;
    }
    for (size_t k = 0; k < waves; k++)
        for (int x = 0; x < width; x++) {
            double turns = wave[k].u * x;
            turns = two_pi * (turns - rint(turns));
            out->phase[k * line + 2 * (size_t)x] = cos(turns);
            out->phase[k * line + 2 * (size_t)x + 1] = -sin(turns);
        }
    return IMF_OK;
}

void imf_waves_free(struct imf_waves *w) {
    imf_wave_axis_free(&w->x);
    imf_wave_axis_free(&w->y);
    free(w->phase);
    free(w->sums);
    free(w->scratch);
    w->phase = w->sums = w->scratch = NULL;
}

/* exp(2 pi i v y) of eight rows, times the weights of the nodes before and behind a cell; 0 in other
 * cells' rows: real and imaginary part of one, then of the other. */
static void factors(imf_wave_rows out[4], const struct imf_wave_axis *axis, double v, int y,
                    int cell) {
    for (int i = 0; i < ROWS; i++) {
        int at = y + i + axis->start - cell * axis->spacing;
        double turns = v * (y + i), first = 0, second = 0;
        turns = two_pi * (turns - rint(turns));
        if (at >= 0 && at < axis->spacing) {
            first = axis->weight[at];
            second = 1 - first;
        }
        out[0][i] = first * cos(turns);
        out[1][i] = first * sin(turns);
        out[2][i] = second * cos(turns);
        out[3][i] = second * sin(turns);
    }
}

/* ---- sums ------------------------------------------------------------------------------------- */

/* Sums along x of four waves: for each node and wave a real and an imaginary part of eight rows. */
IMF_CLONES static void sum_columns(imf_wave_rows *to, const imf_wave_rows *rows,
                                   const double *const phase[TOGETHER],
                                   const struct imf_wave_axis *axis) {
    enum { NODE = 2 * TOGETHER };
    for (int i = 0; i < NODE; i++)
        to[i] = (imf_wave_rows){0};
    for (int cell = 0; cell < axis->cells; cell++, to += NODE) {
        imf_wave_rows first[NODE] = {{0}}, second[NODE] = {{0}};
        int from = cell * axis->spacing - axis->start;
        int begin = imf_max(-from, 0), end = imf_min(axis->spacing, axis->size - from);
        for (int i = begin; i < end; i++) {
            imf_wave_rows a = rows[from + i] * axis->weight[i], b = rows[from + i] - a;
            for (int k = 0; k < TOGETHER; k++) {
                const double *z = phase[k] + 2 * (from + i);
                first[2 * k] += a * z[0];
                first[2 * k + 1] += a * z[1];
                second[2 * k] += b * z[0];
                second[2 * k + 1] += b * z[1];
            }
        }
        for (int i = 0; i < NODE; i++) {
            to[i] += first[i];
            to[NODE + i] = second[i];
        }
    }
}

static inline void add_total(double *to, const imf_wave_rows *v) {
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += (*v)[i];
    *to += sum;
}

/* Sums along y: of wave k of the four to node rows `cell` and `cell` + 1. */
IMF_CLONES static void sum_rows(double *to, const imf_wave_rows *from, const imf_wave_rows by[4],
                                size_t nodes) {
    for (size_t j = 0; j < nodes; j++, from += 2 * TOGETHER) {
        const imf_wave_rows v[4] = {
            from[0] * by[0] + from[1] * by[1], from[1] * by[0] - from[0] * by[1],
            from[0] * by[2] + from[1] * by[3], from[1] * by[2] - from[0] * by[3]};
        for (size_t i = 0; i < 4; i++)
            add_total(to + 2 * (i / 2 * nodes + j) + i % 2, &v[i]);
    }
}

void imf_waves_add(struct imf_waves *w, int cell, const imf_wave_rows *rows, imf_wave_rows *work) {
    size_t nodes = (size_t)w->x.cells + 1, line = 2 * (size_t)w->x.size;
    int top = cell * w->y.spacing - w->y.start;
    for (int y = top; y < top + w->y.spacing; y += ROWS, rows += w->x.size)
        for (int k = 0; k < w->count; k += TOGETHER) {
            const double *phase[TOGETHER];
            for (int i = 0; i < TOGETHER; i++)
                phase[i] = w->phase + (size_t)imf_min(k + i, w->count - 1) * line;
            sum_columns(work, rows, phase, &w->x);
            for (int i = 0; i < TOGETHER && k + i < w->count; i++) {
                imf_wave_rows by[4];
                factors(by, &w->y, w->wave[k + i].v, y, cell);
                sum_rows(w->sums + (size_t)(k + i) * node_values(w) + 2 * (size_t)cell * nodes,
                         work + 2 * i, by, nodes);
            }
        }
}

/* ---- amplitudes ------------------------------------------------------------------------------- */

/* Solve for a level's amplitudes, and the energy that they explain. */
static double explain(const struct imf_waves *w, int level, const double *sums, double *right,
                      double *values) {
    size_t nx = (size_t)w->x.level[level].nodes, ny = (size_t)w->y.level[level].nodes;
    size_t fine = (size_t)w->x.cells + 1;
    double energy = 0;
    imf_wave_gather(&w->y, level, values, sums, 1, 2 * fine);
    imf_wave_gather(&w->x, level, right, values, ny, 2);
    for (size_t i = 0; i < 2 * nx * ny; i++)
        values[i] = right[i];
    imf_wave_solve(&w->y, level, values, 1, 2 * nx);
    imf_wave_solve(&w->x, level, values, ny, 2);
    for (size_t i = 0; i < 2 * nx * ny; i++)
        energy += right[i] * values[i];
    return energy;
}

void imf_waves_fit(struct imf_waves *w, const double *noise, double caution) {
    size_t all = node_values(w);
    double *right = w->scratch, *values = right + all, *between = values + all;
    w->kept = 0;
    w->even = w->varying = 0;
    for (int k = 0; k < w->count; k++) {
        double *sums = w->sums + (size_t)k * all, most = 0;
        double doubt = w->wave[k].amplitude > 0 ? 1 : HARMONIC;
        bool there = !noise;
        int best = 0;
        for (int i = 0; noise && i < IMF_WAVE_LEVELS; i++) {
            double count = (double)w->x.level[i].nodes * w->y.level[i].nodes;
            double energy = explain(w, i, sums, right, values), cost = caution * count * noise[k];
            there = there || energy > doubt * cost;
            if (energy - cost > most) {
                most = energy - cost;
                best = i;
            }
        }
        if (!there)
            continue;
        double nodes = (double)w->x.level[0].nodes * w->y.level[0].nodes;
        double even = explain(w, IMF_WAVE_LEVELS - 1, sums, right, values);
        w->even += even;
        w->varying += explain(w, 0, sums, right, values) - even - (noise ? nodes * noise[k] : 0);
        explain(w, best, sums, right, values);
        imf_wave_spread(&w->x, best, between, values, (size_t)w->y.level[best].nodes, 2);
        imf_wave_spread(&w->y, best, sums, between, 1, 2 * ((size_t)w->x.cells + 1));
        w->index[w->kept++] = k;
    }
}

/* ---- the waves -------------------------------------------------------------------------------- */

/* Of a wave of the four, amplitudes along eight rows at each node of x. */
IMF_CLONES static void spread_rows(imf_wave_rows *to, const double *from, const imf_wave_rows by[4],
                                   size_t nodes) {
    for (size_t j = 0; j < nodes; j++, to += 2 * TOGETHER) {
        const double *a = from + 2 * j, *b = from + 2 * (nodes + j);
        to[0] += by[0] * a[0] - by[1] * a[1] + by[2] * b[0] - by[3] * b[1];
        to[1] += by[0] * a[1] + by[1] * a[0] + by[2] * b[1] + by[3] * b[0];
    }
}

IMF_CLONES static void subtract_columns(imf_wave_rows *rows, const imf_wave_rows *from,
                                        const double *const phase[TOGETHER],
                                        const struct imf_wave_axis *axis) {
    enum { NODE = 2 * TOGETHER };
    for (int cell = 0; cell < axis->cells; cell++, from += NODE) {
        int left = cell * axis->spacing - axis->start;
        int begin = imf_max(-left, 0), end = imf_min(axis->spacing, axis->size - left);
        for (int i = begin; i < end; i++) {
            double weight = axis->weight[i];
            imf_wave_rows v = rows[left + i];
            for (int k = 0; k < TOGETHER; k++) {
                const double *z = phase[k] + 2 * (left + i);
                double re = z[0] * weight, im = z[1] * weight;
                v -= from[2 * k] * re + from[2 * k + 1] * im;
                v -= from[NODE + 2 * k] * (z[0] - re) + from[NODE + 2 * k + 1] * (z[1] - im);
            }
            rows[left + i] = v;
        }
    }
}

void imf_waves_subtract(const struct imf_waves *w, int y, imf_wave_rows *rows,
                        imf_wave_rows *work) {
    size_t nodes = (size_t)w->x.cells + 1, line = 2 * (size_t)w->x.size;
    int first = imf_max(y + w->y.start, 0) / w->y.spacing;
    int last = imf_min(y + ROWS - 1 + w->y.start, w->y.cells * w->y.spacing - 1) / w->y.spacing;
    for (int k = 0; k < w->kept; k += TOGETHER) {
        const double *phase[TOGETHER];
        for (size_t i = 0; i < nodes * 2 * TOGETHER; i++)
            work[i] = (imf_wave_rows){0};
        for (int i = 0; i < TOGETHER; i++) {
            int index = w->index[imf_min(k + i, w->kept - 1)];
            const struct imf_pattern_wave *wave = &w->wave[index];
            const double *amplitude = w->sums + (size_t)index * node_values(w);
            phase[i] = w->phase + (size_t)index * line;
            for (int cell = first; cell <= last && k + i < w->kept; cell++) {
                imf_wave_rows by[4];
                factors(by, &w->y, wave->v, y, cell);
                for (int part = 0; part < 4; part++)
                    by[part] *= imf_pattern_is_real(wave) ? 1.0 : 2.0;
                spread_rows(work + 2 * i, amplitude + 2 * (size_t)cell * nodes, by, nodes);
            }
        }
        subtract_columns(rows, work, phase, &w->x);
    }
}
