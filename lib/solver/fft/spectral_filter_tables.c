/*
 * spectral_filter_tables.c - shared by the solvers of transfer functions on devices
 *
 * Accuracy. The error of a transform is spread evenly over its outputs, with a root mean square of
 * 0.6 eps sqrt(log2 N) times the signal's, eps = 2^-24 (error.c). A forward and an inverse transform,
 * with gains of at most 1, have 0.85 eps sqrt(log2 N) rms(x); on noise, black and white the largest
 * error of 10^7 pixels was under six times that. The gains are rounded, by 2 eps and for Butterworth by
 * eps times the order, and so is the mean. A continued wave is about as large as the samples.
 */
#include "solver/fft/error.h"
#include "solver/fft/extend.h"
#include "solver/fft/spectral_filter.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

bool imf_spectral_accurate(struct imf_proposal *out, const struct imf_problem *p,
                           double doublings) {
    double size = p->in == IMF_F32 ? p->in_max : imf_fft_middle(p->in);
    double gains = p->transfer->type == IMF_BUTTERWORTH ? 2 + p->transfer->order : 2;
    double error = FLT_EPSILON / 2 * size * (6 * 0.85 * sqrt(doublings) + gains + 1);
    out->error = error * fabs(p->epilogue.multiply / p->epilogue.scale);
    if (out->error <= p->tolerance)
        return true;
    imf_proposal_refuse(out, "float32 transforms leave an error of %.2g, over the %.2g allowed",
                        out->error, p->tolerance);
    return false;
}

static int64_t square(double f) {
    f -= rint(f);
    return llrint(f * f * 0x1p62);
}

void imf_frequency_squares(int64_t out[IMF_SQUARES], double f, double centre) {
    out[0] = square(f);
    out[1] = square(f - centre);
    out[2] = square(f + centre);
}

/* The bounds of an ideal filter include a frequency that equals the cutoff, whatever the rounding, as in
 * filter/transfer.c. */
void imf_spectral_gain_set(struct imf_spectral_gain *g, const struct imf_transfer *t,
                           double points) {
    bool band = t->kind == IMF_BANDPASS || t->kind == IMF_BANDSTOP;
    double high = band ? t->high : t->kind == IMF_NOTCH ? t->radius : t->low;
    double low = band ? t->low : 0, slack = 2e-12 * (high - low) / (high + low);
    g->least = band ? (int64_t)(low * low * (1 - slack) * 0x1p62) - 2 : 0;
    g->most = (int64_t)(high * high * (1 + slack) * 0x1p62) + 2;
    g->centre = band ? llrint(low * high * 0x1p62) : 0;
    g->inverse = (float)fmin(1 / ((high - low) * (high - low)), 1e30);
    g->norm = (float)(0.5 / points);
    g->type = (int32_t)t->type;
    g->order = t->order;
    g->band = band;
    g->notch = t->kind == IMF_NOTCH;
    g->reject = t->kind != IMF_LOWPASS && t->kind != IMF_BANDPASS;
    g->keeps_mean = t->keeps_mean;
}

void imf_spectral_values(const struct imf_problem *p, float *middle, float *mean,
                         float outside[4]) {
    double m = imf_fft_middle(p->in);
    *middle = (float)m;
    *mean = (float)(m * imf_transfer_gain(p->transfer, 0, 0));
    for (int c = 0; c < p->channels; c++)
        outside[c] = (float)(p->outside[c] - m);
}

enum imf_status imf_spectral_gaps(const struct imf_job *job, struct imf_buffer **blends,
                                  struct imf_buffer **taps, int32_t count[2], int nx, int ny,
                                  struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    struct imf_wave x = imf_extend_wave(p->transfer, p->transfer->u, p->width, p->edge);
    struct imf_wave y = imf_extend_wave(p->transfer, p->transfer->v, p->height, p->edge);
    size_t gap_x = (size_t)(nx - p->width),
           gap_y = (size_t)(ny - p->height); /* tables are never empty */
    size_t most = 2 * (size_t)(x.taps + y.taps) + 1;
    struct imf_blend *b = calloc(gap_x + gap_y + 1, sizeof *b);
    float *t = calloc(most, sizeof *t);
    double *wide = calloc(most, sizeof *wide);
    if (b && t && wide) {
        imf_extend_blends(b, p->width, nx, p->edge, x);
        imf_extend_blends(b + gap_x, p->height, ny, p->edge, y);
        imf_extend_taps(wide, x);
        imf_extend_taps(wide + 2 * x.taps, y);
        for (size_t i = 0; i < most; i++)
            t[i] = (float)wide[i];
    }
    enum imf_status st = wide ? IMF_OK : imf_fail_memory(err, most * sizeof *wide);
    free(wide);
    count[0] = x.taps;
    count[1] = y.taps;
    if (!st)
        st = imf_job_table(job, taps, t, most * sizeof *t, err);
    else
        free(t);
    if (!st)
        st = imf_job_table(job, blends, b, (gap_x + gap_y + 1) * sizeof *b, err);
    else
        free(b);
    return st;
}
