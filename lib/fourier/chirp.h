/*
 * chirp.h - transforms along an axis with a large prime factor, line by line, as convolutions
 */
#ifndef IMF_FOURIER_CHIRP_H
#define IMF_FOURIER_CHIRP_H

#include "device/program.h"

struct imf_fft_chirp;

/* The lines of an axis, counted in complex values: line l of set s begins at s * set + l * line. */
struct imf_fft_lines {
    int length, lines, sets;
    int64_t element, line, set;
};

/* struct product of cl/fft_chirp.cl. */
struct imf_fft_product {
    imf_long from, from_step, to, to_step;
    int32_t given, wanted, exchange_first, exchange_last;
};

enum imf_status imf_fft_chirp_make(struct imf_fft_chirp **out, struct imf_queue *queue,
                                   const struct imf_fft_lines *lines, struct imf_error *err);
void imf_fft_chirp_free(struct imf_fft_chirp **chirp);

/* Transform all lines of `data` in place; backwards: the inverse. */
enum imf_status imf_fft_chirp_run(struct imf_fft_chirp *chirp, struct imf_buffer *data,
                                  bool backwards, struct imf_error *err);

#endif
