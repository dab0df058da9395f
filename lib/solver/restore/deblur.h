/*
 * deblur.h - shared by the solvers that undo a blur
 *
 * The picture y is a blur of the scene, with noise, of which y has width x height pixels and the scene
 * more: what lies beyond the edge was blurred into the picture and is not known. Scene and blurred
 * scene are planes of nx x ny values, which go on periodically; the picture is their upper left part,
 * the rest is the gap, at least as wide as the blur and GAP pixels more.
 *
 * Files that include fourier/real.h are compiled for float64, which is the reference, and for floats.
 */
#ifndef IMF_SOLVER_RESTORE_DEBLUR_H
#define IMF_SOLVER_RESTORE_DEBLUR_H

#include "solver/restore/whittle.h"
#include "solver/solver.h"

/* Pixels of the gap beside the blur's: the scene's own correlation fades. */
#define IMF_DEBLUR_GAP 8

/* What a run is given. */
struct imf_deblur_run {
    const struct imf_problem *p;
    const struct imf_surface *in, *out;
    struct imf_pool *pool;         /* borrowed, or NULL */
    const struct imf_kernel *blur; /* as it is applied: a correlation */
    struct imf_deblur_model model; /* of the picture */
    int nx, ny, iterations;
};

/* The run, in float64 and in floats. */
enum imf_status imf_deblur_do(const struct imf_deblur_run *run, struct imf_error *err);
enum imf_status imf_deblur_do_f32(const struct imf_deblur_run *run, struct imf_error *err);

#endif
