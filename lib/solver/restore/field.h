/*
 * field.h - what deconvolution does to planes, as operations that the host and a device have
 *
 * Scene and blurred scene are planes of nx x ny values (deblur.h). A method (methods.c) is a sequence of maps, which change
 * values each by itself, and of products in the frequency domain, which begin with one map and end with another: on the
 * host those are done to rows that are at hand before and behind their transforms.
 */
#ifndef IMF_SOLVER_RESTORE_FIELD_H
#define IMF_SOLVER_RESTORE_FIELD_H

#include "base/thread_pool.h"
#include "solver/restore/deblur.h"

/*
 * What becomes of a point z of a spectrum; K is the blur's, R = noise / scene power, |grad|^2 that of differences between
 * neighbours. The order is that of cl/deblur_gpu.cl.
 */
enum imf_operator {
    IMF_OPERATOR_KEEP,     /* it is the blur's, on a device */
    IMF_OPERATOR_LEAVE,    /* z R / (|K|^2 + R) */
    IMF_OPERATOR_RESTORE,  /* z conj K / (|K|^2 + R) */
    IMF_OPERATOR_START,    /* the same, and data = z conj K is kept */
    IMF_OPERATOR_SOLVE,    /* (data + weight z) / (|K|^2 + weight |grad|^2) */
    IMF_OPERATOR_BLUR,     /* z K */
    IMF_OPERATOR_CORRELATE /* z conj K */
};

/* Values are samples less the channel's mean. methods.c says what they are for. */
enum imf_map {
    IMF_MAP_MEAN,  /* sums[0]: of the channel's samples, less `mean` each */
    IMF_MAP_LOAD,  /* the picture */
    IMF_MAP_CLEAR, /* direction, and p of total variation, are 0 */
    /* What lies outside. */
    IMF_MAP_BEGIN_GAP, /* smooth transitions */
    IMF_MAP_BLURRED,   /* from: the picture and what is outside */
    IMF_MAP_DIRECTION, /* from */
    IMF_MAP_RESIDUALS, /* to: residual and direction are its negative outside; sums[0]: their square */
    IMF_MAP_CURVATURE, /* to: it is the product; sums[0]: times the direction */
    IMF_MAP_MOVE,      /* by `step` along the direction; sums[0]: the residual's square */
    IMF_MAP_TURN,      /* direction = residual + step * direction */
    /* Scenes. */
    IMF_MAP_SCENE,  /* to */
    IMF_MAP_RESULT, /* to; or alone, of GUESS: finish samples and write them */
    /* Total variation: bound is that of b's length. */
    IMF_MAP_GRADIENTS,  /* p = grad scene + b */
    IMF_MAP_DIVERGENCE, /* from: div (p - 2 b) */
    /* Richardson and Lucy: bound is the scene's least value. */
    IMF_MAP_BEGIN_SCENE, /* of `mean` alone; nothing has changed */
    IMF_MAP_MASK,        /* from: 1 in the picture */
    IMF_MAP_COVER,       /* to */
    IMF_MAP_GUESS,       /* from, or alone: the scene, by `step` ahead */
    IMF_MAP_QUOTIENTS, /* to: the picture over it, 0 outside; sums[0]: their differences' square */
    IMF_MAP_KEPT,      /* from: what QUOTIENTS left */
    IMF_MAP_ACCELERATE, /* to: it changes the scene; sums: the change times the one before, that one's square */
    IMF_MAP_COUNT
};

struct imf_field {
    const struct imf_field_ops *ops;
    const struct imf_problem *p;
    const struct imf_surface *in, *out;
    struct imf_pool *pool;         /* borrowed, or NULL */
    const struct imf_kernel *blur; /* as it is applied: a correlation */
    struct imf_deblur_model model; /* of the picture */
    int nx, ny, iterations;
    int channel; /* that is worked on */
    double mean, step, bound, weight;
    double sums[2]; /* that the last map left; 0 where it failed */
    enum imf_status status;
    struct imf_error *err;
};

/* Each waits for what it sums up. */
struct imf_field_ops {
    enum imf_status (*map)(struct imf_field *f, enum imf_map map);
    enum imf_status (*product)(struct imf_field *f, enum imf_map from, enum imf_operator of,
                               enum imf_map to);
};

/* Restore all colours (methods.c). */
enum imf_status imf_field_restore(struct imf_field *f, struct imf_error *err);

/* The same on the host, in float64 and in floats; `ops` is set. */
enum imf_status imf_deblur_do_f64(struct imf_field *f, struct imf_error *err);
enum imf_status imf_deblur_do_f32(struct imf_field *f, struct imf_error *err);

#endif
