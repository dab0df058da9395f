/* host_stages.h - the stages of a transform on the host */
#ifndef IMF_FOURIER_HOST_STAGES_H
#define IMF_FOURIER_HOST_STAGES_H

#include "fourier/host.h"

/* exp(-2 pi i k / length), rounded once. */
struct imf_fft_root {
    imf_real re, im;
};

/* Of `blocks` neighbouring transforms of `span` points each: one stage of this radix. */
struct imf_fft_stage {
    int radix, span, blocks;
    const struct imf_fft_root *root; /* exp(-2 pi i k / length), 0 <= k < length */
    int length;
    bool backward;
};

/* Radices 2, 3, 4, 5 and 7. */
void imf_fft_host_stage(const struct imf_fft_stage *s, struct imf_fft_batch *x);

/* Parts of stages of other radices. One butterfly by the definition, of the points x[0], x[step],
 * ...; work: 2 * radix points. */
void imf_fft_host_definition(const struct imf_fft_stage *s, struct imf_fft_batch *x, size_t step,
                             struct imf_fft_batch *work);
/* The points x[0], x[step], ... of butterfly j times their twiddles. */
void imf_fft_host_twiddle(const struct imf_fft_stage *s, struct imf_fft_batch *x, size_t step,
                          size_t j);

#endif
