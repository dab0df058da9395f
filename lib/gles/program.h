/*
 * program.h - shaders, compiled once for all passes that are the same
 *
 * A batch has a pass for each size of its images, and a driver takes longer to compile a shader than
 * to draw a small image by it.
 */
#ifndef IMF_GLES_PROGRAM_H
#define IMF_GLES_PROGRAM_H

#include "gles/pass.h"

/* Its uniforms but for these two stay as its source has them. */
struct imf_gles_program {
    unsigned name;        /* OpenGL's */
    int size_at, made_at; /* of the uniforms `texel` and `made` */
    /* The runtime's: */
    struct imf_gles_program *next;
    int users;
    char *defines;
    float *taps;
    const char *text;
    int vectors;
};

/* All with the context, but for the last. What was made of the same source before is taken again.
 * IMF_ERR_DEVICE: what the compiler says. */
enum imf_status imf_gles_program_acquire(struct imf_gles_program **out, struct imf_gles *gles,
                                         const struct imf_gles_source *source,
                                         struct imf_error *err);
/* It is kept for the next who takes it, as long as not many others are. */
void imf_gles_program_release(struct imf_gles_program **program, struct imf_gles *gles);
/* When the context is gone. */
void imf_gles_programs_free(struct imf_gles *gles);

#endif
