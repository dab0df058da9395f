/*
 * gpu_plane.h - whole real planes transformed on a GPU, in local memory: sizes, tables and programs of
 * the passes (cl/parts/fft_gpu_planes.cl)
 */
#ifndef IMF_FOURIER_GPU_PLANE_H
#define IMF_FOURIER_GPU_PLANE_H

#include "device/program.h"
#include "fourier/plan.h"

#define IMF_GPU_PLANE_LINES 32  /* columns of a tile: two lines of memory */
#define IMF_GPU_PLANE_GROUP 128 /* work-items of a group along y */

/* struct gpu_axis of cl/parts/fft_gpu_planes.cl. */
struct imf_gpu_axis {
    int32_t length, stages, first;
};

/* Of a plane of nx x ny samples. A plain value. */
struct imf_gpu_plane_layout {
    int nx, ny, half;
    int pitch;                 /* of the spectrum: half + 1 frequencies, rounded up to a tile */
    int group, work_x, work_y; /* work-items along x; elements of local memory */
    struct imf_fft_plan x, outer, inner; /* of half a row, of ny = outer * inner */
};

/* What all planes of this layout are given. */
struct imf_gpu_plane {
    struct imf_queue *queue; /* not owned */
    struct imf_gpu_plane_layout layout;
    struct imf_gpu_axis x, outer, inner;
    struct imf_buffer *twiddles, *stages, *order, *roots_x, *roots_y; /* owned */
};

/* False where lengths have primes above 7, nx is odd, or lines are too long for local memory. */
bool imf_gpu_plane_fit(struct imf_gpu_plane_layout *l, int nx, int ny);
/* Bytes of local memory of a group. */
size_t imf_gpu_plane_local(const struct imf_gpu_plane_layout *l);

/* Make the tables. frequency: of y, of each row of the spectrum; filled. Free it on failure, too. */
enum imf_status imf_gpu_plane_make(struct imf_gpu_plane *out, struct imf_queue *queue,
                                   const struct imf_gpu_plane_layout *layout, int *frequency,
                                   struct imf_error *err);
void imf_gpu_plane_free(struct imf_gpu_plane *p);

/* The "#define" lines of programs of rows, and of columns. */
void imf_gpu_plane_define_rows(struct imf_defines *d, const struct imf_gpu_plane_layout *l);
void imf_gpu_plane_define_columns(struct imf_defines *d, const struct imf_gpu_plane_layout *l);

#endif
