/*
 * deblur.h - shared by the solvers that undo a blur
 *
 * The picture y is a blur of the scene, with noise, of which y has width x height pixels and the scene
 * more: what lies beyond the edge was blurred into the picture and is not known. Scene and blurred
 * scene are planes of nx x ny values, which go on periodically; the picture is their upper left part,
 * the rest is the gap, at least as wide as the blur and GAP pixels more.
 */
#ifndef IMF_SOLVER_RESTORE_DEBLUR_H
#define IMF_SOLVER_RESTORE_DEBLUR_H

#include "solver/restore/whittle.h"
#include "solver/solver.h"

/* Pixels of the gap beside the blur's: the scene's own correlation fades. */
#define IMF_DEBLUR_GAP 8

/* Steps of conjugate gradients: 8 gain 0.01 dB. */
#define IMF_DEBLUR_STEPS 4
#define IMF_DEBLUR_TV_ROUNDS 10 /* 20 gain 0.05 dB */
#define IMF_DEBLUR_RL_ROUNDS 30
/* What is looked for in the picture before it is restored. */
#define IMF_DEBLUR_TEXT 128
struct imf_deblur_found {
    const struct imf_kernel *blur; /* NULL: there is none to undo, the picture stays as it is */
    struct imf_kernel *owned;      /* the same, if it is not the problem's; the caller frees it */
    struct imf_deblur_model model;
    char text[IMF_DEBLUR_TEXT]; /* for the user */
};
/* In a surface in host memory, of which the windows' rows suffice (powers.h). */
enum imf_status imf_deblur_find(struct imf_deblur_found *out, const struct imf_problem *p,
                                const struct imf_surface *in, struct imf_pool *pool,
                                struct imf_error *err);

/* Sides of the planes, both even: GPUs take them so along x, and a picture on its side has the same plane. Over
 * IMF_FFT_MAX: too long. */
void imf_deblur_plane_size(const struct imf_problem *p, int *nx, int *ny);
/* Transforms there and back, at most, of a colour. */
double imf_deblur_transforms(const struct imf_deblur *b);
/* Do floats suffice? */
bool imf_deblur_floats_do(const struct imf_problem *p);
/* A solver's `tell`, where job->own begins with the text that was found. */
void imf_deblur_tell(const struct imf_job *job, char *text, size_t size);
/* The method's name, what was taken off the kernel, the plane's size and how. */
void imf_deblur_describe(char text[IMF_DESCRIPTION], const struct imf_deblur *b, int nx, int ny,
                         const char *how);

#endif
