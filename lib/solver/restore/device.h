/*
 * device.h - undoing a blur on a GPU: planes, spectra and what is done to them (cl/deblur.cl,
 * cl/deblur_gpu.cl); deblur.h says what they mean
 */
#ifndef IMF_SOLVER_RESTORE_DEVICE_H
#define IMF_SOLVER_RESTORE_DEVICE_H

#include "fourier/gpu_plane.h"
#include "solver/restore/deblur.h"

/* struct deblur_sizes of cl/deblur.cl. */
struct imf_deblur_sizes {
    imf_long in_origin, in_pitch, out_origin, out_pitch;
    int32_t nx, ny, width, height;
};

/* struct deblur_gpu_sizes of cl/deblur_gpu.cl. */
struct imf_deblur_gpu_sizes {
    int32_t nx, ny, pitch;
    struct imf_gpu_axis x, outer, inner;
};

/* The operators of cl/deblur_gpu.cl, in its order. */
enum imf_deblur_operator {
    IMF_DEBLUR_KEEP,
    IMF_DEBLUR_LEAVE,
    IMF_DEBLUR_RESTORE,
    IMF_DEBLUR_START,
    IMF_DEBLUR_SOLVE,
    IMF_DEBLUR_BLUR,
    IMF_DEBLUR_CORRELATE
};

/* Entries: of deblur.cl; of deblur_gpu.cl, of rows and of columns. */
enum imf_deblur_entry {
    IMF_DEBLUR_SUM_CHANNEL,
    IMF_DEBLUR_LOAD,
    IMF_DEBLUR_STORE,
    IMF_DEBLUR_COPY,
    IMF_DEBLUR_PLACE_TAPS,
    IMF_DEBLUR_BEGIN_GAP,
    IMF_DEBLUR_RESIDUALS,
    IMF_DEBLUR_CURVATURE,
    IMF_DEBLUR_MOVE,
    IMF_DEBLUR_TURN,
    IMF_DEBLUR_GRADIENTS,
    IMF_DEBLUR_DIVERGENCE,
    IMF_DEBLUR_BEGIN_SCENE,
    IMF_DEBLUR_GUESS,
    IMF_DEBLUR_QUOTIENTS,
    IMF_DEBLUR_ACCELERATE,
    IMF_DEBLUR_ROWS_IN,
    IMF_DEBLUR_ROWS_OUT,
    IMF_DEBLUR_FILL_PENALTY,
    IMF_DEBLUR_COLUMNS_IN,
    IMF_DEBLUR_MIDDLE,
    IMF_DEBLUR_COLUMNS_OUT,
    IMF_DEBLUR_ENTRIES
};

#define IMF_DEBLUR_PLANES 6

/* Bytes of a job's memory. */
struct imf_deblur_bytes {
    size_t plane[IMF_DEBLUR_PLANES];
    size_t spectrum, data, penalty; /* data, penalty: 4 where the method has none */
};

struct imf_deblur_device {
    struct imf_queue *queue; /* not owned */
    struct imf_problem p;
    struct imf_gpu_plane tables;
    struct imf_deblur_sizes sizes;
    struct imf_deblur_gpu_sizes gpu;
    struct imf_program *program[IMF_DEBLUR_ENTRIES];
    struct imf_buffer *plane[IMF_DEBLUR_PLANES]; /* device_methods.c says of what */
    struct imf_buffer *spectrum, *blur, *data, *penalty, *squares, *gains, *parts;
    /* Of a run: */
    const struct imf_surface *in, *out;
    struct imf_deblur_model model;
    int channel; /* that is worked on */
    double mean; /* of it; planes hold differences from it */
};

/* False when a size overflows. */
bool imf_deblur_device_bytes(struct imf_deblur_bytes *out, const struct imf_problem *p,
                             const struct imf_gpu_plane_layout *l);
/* Free it on failure, too. */
enum imf_status imf_deblur_device_make(struct imf_deblur_device *d, const struct imf_problem *p,
                                       const struct imf_gpu_plane_layout *layout,
                                       struct imf_queue *queue, struct imf_error *err);
void imf_deblur_device_free(struct imf_deblur_device *d);

/* Where a kernel of deblur.cl works: on the picture, on the plane, or for sums. */
enum imf_deblur_range { IMF_DEBLUR_PICTURE, IMF_DEBLUR_PLANE, IMF_DEBLUR_SUMS };
enum imf_status imf_deblur_start(struct imf_deblur_device *d, enum imf_deblur_entry entry,
                                 enum imf_deblur_range range, const struct imf_arg *args,
                                 size_t count, struct imf_error *err);
/* Its last argument, the sizes, is added. */
#define imf_deblur_launch(d, entry, range, err, ...)                                               \
    imf_deblur_start(                                                                              \
        d, entry, range,                                                                           \
        (const struct imf_arg[]){__VA_ARGS__, imf_arg_block(&(d)->sizes, sizeof(d)->sizes)},       \
        sizeof(                                                                                    \
            (const struct imf_arg[]){__VA_ARGS__, imf_arg_block(&(d)->sizes, sizeof(d)->sizes)}) / \
            sizeof(struct imf_arg),                                                                \
        err)
/* The first `count` sums that the last kernel for sums left; waits for it. */
enum imf_status imf_deblur_sums(struct imf_deblur_device *d, double *sums, int count,
                                struct imf_error *err);

/* Begin a run: the surfaces, the blur's spectrum, the penalty. */
enum imf_status imf_deblur_device_begin(struct imf_deblur_device *d, const struct imf_surface *in,
                                        const struct imf_surface *out,
                                        const struct imf_deblur_found *found,
                                        struct imf_error *err);
/* One plane becomes another, or itself, by an operator; weight: of SOLVE. */
enum imf_status imf_deblur_multiply(struct imf_deblur_device *d, int from, int to,
                                    enum imf_deblur_operator of, double weight,
                                    struct imf_error *err);

/* Restore all colours; copy the channels from `first` on. */
enum imf_status imf_deblur_device_do(struct imf_deblur_device *d, struct imf_error *err);
enum imf_status imf_deblur_device_copy(struct imf_deblur_device *d, const struct imf_surface *in,
                                       const struct imf_surface *out, int first,
                                       struct imf_error *err);

#endif
