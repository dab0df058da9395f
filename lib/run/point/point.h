/*
 * point.h - point passes: each output pixel from the same pixel of one or two surfaces
 */
#ifndef IMF_RUN_POINT_POINT_H
#define IMF_RUN_POINT_POINT_H

#include "plan/lowering/chain.h"

/* The least and the largest colour of a surface that is stretched. */
void imf_point_range(const struct imf_point *p, const struct imf_surface *in, double *low,
                     double *high);

/* The surfaces of a point pass, whose row 0 is row `row` of the image. `second` may be NULL if the pass
 * reads none. */
struct imf_point_io {
    const struct imf_surface *in, *second, *out;
    int row;
};

/* The reference: the text that all of these share (steps.cl), compiled in doubles, so that it checks their floats
 * and fast paths, not the arithmetic, of which test/model has a text of its own. Surfaces hold any sample
 * type. Float outputs are neither rounded nor clamped. */
void imf_point_run_host(const struct imf_point *p, const struct imf_point_io *io);

/* What a pass that maps samples makes of each integer sample of a colour, or of alpha: 0 and up, as many as there are. The
 * caller frees *map. */
enum imf_status imf_point_map(void **map, const struct imf_point *p, enum imf_sample in,
                              enum imf_sample out, bool alpha, struct imf_error *err);

/* The same, vectorised and on several threads. Made once for images of so many pixels and surfaces
 * of these samples; coarse: floats are too coarse for the steps. */
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
