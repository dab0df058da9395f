/*
 * frequency_tables.c - what the solvers of transfer functions on devices share
 *
 * Accuracy. As for tiles (fft_error.c): the error of a transform is spread evenly over its outputs,
 * with a root mean square of 0.6 eps sqrt(log2 N) times the signal's, eps = 2^-24. There and back,
 * for gains of at most 1, that is 0.85 eps sqrt(log2 N) rms(x); measured on noise, black and white
 * the largest of 10^7 pixels is under six times that. The gains themselves are rounded, by 2 eps
 * and for Butterworth by eps times the order, and so is the mean.
 */
#include "solver/extend.h"
#include "solver/fft_error.h"
#include "solver/frequency.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

bool imf_frequency_accurate(struct imf_proposal *out, const struct imf_problem *p,
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

int64_t imf_frequency_square(double f) {
    f -= rint(f);
    return llrint(f * f * 0x1p62);
}

/* What decides between passing and not in an ideal filter takes a cutoff's own frequency in, as
 * filter/transfer.c does, whatever the rounding. */
void imf_frequency_gain_set(struct imf_frequency_gain *g, const struct imf_transfer *t,
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
}

enum imf_status imf_frequency_blends(struct imf_buffer **out, struct imf_queue *queue,
                                     const struct imf_problem *p, int nx, int ny,
                                     struct imf_error *err) {
    int gap_x = nx - p->width, gap_y = ny - p->height;
    size_t bytes = ((size_t)gap_x + (size_t)gap_y + 1) * sizeof(struct imf_blend); /* never 0 */
    struct imf_blend *blends = calloc(1, bytes);
    if (!blends)
        return imf_fail_memory(err, bytes);
    imf_extend_blends(blends, p->width, nx, p->edge);
    imf_extend_blends(blends + gap_x, p->height, ny, p->edge);
    enum imf_status status = imf_buffer_table(out, queue, blends, bytes, err);
    free(blends);
    return status;
}
