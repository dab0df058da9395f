/*
 * device.h - field.h on a GPU: planes, spectra and what is done to them (cl/deblur.cl, cl/deblur_gpu.cl)
 */
#ifndef IMF_SOLVER_RESTORE_DEVICE_H
#define IMF_SOLVER_RESTORE_DEVICE_H

#include "fourier/gpu_plane.h"
#include "solver/restore/field.h"

/* struct deblur_sizes of cl/deblur.cl. */
struct imf_deblur_sizes {
    imf_long in_origin, in_pitch, out_origin, out_pitch;
    int32_t nx, ny, width, height, channel, first_x, first_y;
    float mean, step, bound;
};

/* struct deblur_gpu_sizes of cl/deblur_gpu.cl. */
struct imf_deblur_gpu_sizes {
    int32_t nx, ny, pitch;
    struct imf_gpu_axis x, outer, inner;
};

/* At most; device.c says of what. */
enum { IMF_DEBLUR_BUFFERS = 16, IMF_DEBLUR_PROGRAMS = 32 };

struct imf_deblur_device {
    struct imf_field f;      /* the first member; of a run */
    struct imf_queue *queue; /* not owned */
    struct imf_gpu_plane tables;
    struct imf_deblur_gpu_sizes gpu;
    struct imf_program *program[IMF_DEBLUR_PROGRAMS];
    struct imf_buffer *buffer[IMF_DEBLUR_BUFFERS];
};

/* Bytes of each buffer. False when a size overflows. */
bool imf_deblur_device_bytes(size_t bytes[IMF_DEBLUR_BUFFERS], const struct imf_problem *p,
                             const struct imf_gpu_plane_layout *l);
/* p: borrowed. Free it on failure, too. */
enum imf_status imf_deblur_device_make(struct imf_deblur_device *d, const struct imf_problem *p,
                                       const struct imf_gpu_plane_layout *layout,
                                       struct imf_queue *queue, struct imf_error *err);
void imf_deblur_device_free(struct imf_deblur_device *d);
/* Restore the colours, or copy them where nothing was found, and copy other channels. */
enum imf_status imf_deblur_device_run(struct imf_deblur_device *d, const struct imf_surface *in,
                                      const struct imf_surface *out,
                                      const struct imf_deblur_found *found, struct imf_error *err);

#endif
