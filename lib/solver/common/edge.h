/*
 * edge.h - fill the margins around an image by its edge mode
 *
 *   clamp     aaaa|abcd|dddd      reflect   dcba|abcd|dcba     mirror  (d)cb|abcd|cba
 *   wrap      abcd|abcd|abcd      constant  vvvv|abcd|vvvv
 *
 * Margins are filled here, once, before a solver reads the surface.
 */
#ifndef IMF_SOLVER_COMMON_EDGE_H
#define IMF_SOLVER_COMMON_EDGE_H

#include "base/image/surface.h"
#include "device/queue.h"

/* Index within 0..n-1 that coordinate i (any integer) stands for; -1: the constant. */
int imf_edge_index(enum imf_edge edge, int i, int n);

/* Fill `margin` (at most the surface's own) around a host surface. outside: IMF_EDGE_CONSTANT's
 * pixel, a sample for each channel. */
void imf_edge_fill_host(const struct imf_surface *s, struct imf_margin margin, enum imf_edge edge,
                        const double *outside);
/* The same for a band of an image: fills the margins at its sides and, at the image's first and last
 * row, above and below. The rows that those repeat must lie around the surface's rows in its
 * storage. */
struct imf_edge_part {
    int first, height; /* the image's row that is the surface's row 0, and its height */
};
void imf_edge_fill_band(const struct imf_surface *s, struct imf_margin margin,
                        struct imf_edge_part part, enum imf_edge edge, const double *outside);

/* The same on a device. A job is made once for an image's shape and run for each image or band. Row
 * `first` of the image is the band's row 0; margins above and below are filled at the image's first
 * and last row, from rows that must be in the surface. */
struct imf_edge_job;
enum imf_status imf_edge_make(struct imf_edge_job **out, struct imf_queue *queue,
                              const struct imf_surface *s, struct imf_margin margin,
                              enum imf_edge edge, const double *outside, struct imf_error *err);
enum imf_status imf_edge_run(struct imf_edge_job *job, const struct imf_surface *s, int first,
                             struct imf_error *err);
void imf_edge_free(struct imf_edge_job **job);

#endif
