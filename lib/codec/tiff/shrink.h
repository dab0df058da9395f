/* shrink.h - a picture at smaller sizes, by the mean of what each pixel covers */
#ifndef IMF_CODEC_TIFF_SHRINK_H
#define IMF_CODEC_TIFF_SHRINK_H

#include "base/image/info.h"

#include <stddef.h>
#include <stdint.h>

struct imf_shrunk {
    /* Set by the caller: */
    int width, height; /* of the smaller picture, at most the larger one's */
    /* Takes a row of samples like the larger picture's; `data` is the caller's. */
    enum imf_status (*take)(void *data, const unsigned char *row, struct imf_error *err);
    void *data;
    /* The rest is shrink.c's. */
    int from; /* its rows are made of those of this other one; -1: of the picture's */
    int source_width;
    uint64_t across[2], down[2]; /* a pixel covers [0] units of an axis, one of its source [1] */
    double whole;                /* weights of a pixel that lacks nothing */
    uint64_t at;                 /* units down so far */
    double *sums[2];             /* of a row of the source's columns: samples by weights; weights */
    double *means[2];            /* the same of a row's own pixels */
    double *samples;             /* means, */
    unsigned char *row;          /* as they are given */
};

struct imf_shrink {
    struct imf_shrunk *smaller; /* the caller's */
    int count;
    /* The rest is shrink.c's. */
    struct imf_info info; /* of the picture */
    bool weighted;        /* samples may count less, or not at all */
    double *row[2];       /* the present one: samples by weights; weights */
    uint64_t memory;      /* bytes that all this takes */
};

/*
 * A pixel covers a rectangle of the picture, and is its mean; a pixel that it covers in part counts as much as it covers. Colours count
 * by their alpha, NaN does not count. Integers are rounded to what `info` stores, ties to even: of one bit, half is
 * black. IMF_ERR_MEMORY: close all the same.
 */
enum imf_status imf_shrink_open(struct imf_shrink *shrink, const struct imf_info *info,
                                struct imf_error *err);
/* A row of the picture; takers get what it completes. */
enum imf_status imf_shrink_row(struct imf_shrink *shrink, const unsigned char *row,
                               struct imf_error *err);
void imf_shrink_close(struct imf_shrink *shrink);

#endif
