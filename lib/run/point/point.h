/*
 * point.h - point passes: each output pixel from the same pixel of one or two surfaces
 */
#ifndef IMF_RUN_POINT_POINT_H
#define IMF_RUN_POINT_POINT_H

#include "plan/chain.h"

/* What a pixel's steps read besides the pixel. */
struct imf_point_more {
    const double *second; /* the pass's second input: unsharp's blurred pixel, blend's image */
    double weight;        /* of blend */
    double low, high;     /* the range that normalize stretches */
};

/* The pass's second input is the image, of image_channels, or that with other colours under alpha 0. */
static inline bool imf_point_reads_image(const struct imf_point *p) {
    return p->take_alpha || p->blend || p->put;
}

/* Run the steps on one pixel in place; v has room for in_channels values and for out_channels. */
void imf_point_pixel(const struct imf_point *p, double *v, const struct imf_point_more *more);

/* The least and the largest colour of a surface. */
void imf_point_range(const struct imf_point *p, const struct imf_surface *in, double *low,
                     double *high);

/* The surfaces of a point pass, whose row 0 is row `row` of the image. `second` is read only by
 * unsharp and blend, and may be NULL without them. */
struct imf_point_io {
    const struct imf_surface *in, *second, *out;
    int row;
};

/* The reference, in double precision. Surfaces hold any sample type. Float outputs are neither
 * rounded nor clamped. */
void imf_point_run_host(const struct imf_point *p, const struct imf_point_io *io);

/* The same, vectorised and on several threads. Made once for images of so many pixels and surfaces
 * of these samples; coarse: floats are too coarse for the steps. *rows is a struct
 * imf_point_rows. */
enum imf_status imf_point_rows_make(void **rows, const struct imf_point *p, enum imf_sample in,
                                    enum imf_sample out, double pixels, bool coarse,
                                    struct imf_error *err);
void imf_point_rows_run(const void *rows, const struct imf_point_io *io);
/* As imf_solver's: the range that normalize stretches. Without it a run is of all rows. */
enum imf_status imf_point_rows_measure(void *rows, const struct imf_surface *in,
                                       struct imf_error *err);
/* Let runs use the threads of `pool`, which they borrow. */
void imf_point_rows_use_pool(void *rows, struct imf_pool *pool);
void imf_point_rows_free(void **rows);

/* The same on a device; made once for an image's shape. */
struct imf_point_job;
enum imf_status imf_point_make(struct imf_point_job **out, struct imf_queue *queue,
                               const struct imf_point *p, enum imf_sample in,
                               enum imf_sample out_sample, int height, struct imf_error *err);
enum imf_status imf_point_run(struct imf_point_job *job, const struct imf_point_io *io,
                              struct imf_error *err);
void imf_point_free(struct imf_point_job **job);

/* Copy alpha, the last channel of both surfaces, multiplied by rescale. */
void imf_alpha_copy_host(const struct imf_surface *in, const struct imf_surface *out,
                         double rescale);
struct imf_alpha_job;
enum imf_status imf_alpha_make(struct imf_alpha_job **out, struct imf_queue *queue,
                               const struct imf_chain *chain, struct imf_error *err);
enum imf_status imf_alpha_run(struct imf_alpha_job *job, const struct imf_surface *in,
                              const struct imf_surface *out, struct imf_error *err);
void imf_alpha_free(struct imf_alpha_job **job);

#endif
