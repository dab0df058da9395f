/*
 * program.h - shader programs, compiled once for all passes with the same source
 *
 * A batch has a pass for each size of its images, and a driver takes longer to compile a shader than
 * to draw a small image by it.
 */
#ifndef IMF_GLES_PROGRAM_H
#define IMF_GLES_PROGRAM_H

#include "gles/pass.h"

/* The other uniforms are set once, from the source. */
struct imf_gles_program {
    unsigned name;        /* OpenGL's */
    int size_at, made_at; /* of the uniforms `texel` and `made` */
    /* The cache's: */
    struct imf_gles_program *next;
    int users;
    char *defines;
    float *taps;
    const char *text;
    int vectors;
};

/* All but the last need the context to be current. A program of the same source is reused.
 * IMF_ERR_DEVICE: the compiler's message. */
enum imf_status imf_gles_program_acquire(struct imf_gles_program **out, struct imf_gles *gles,
                                         const struct imf_gles_source *source,
                                         struct imf_error *err);
/* It stays cached, unless many unused ones are. */
void imf_gles_program_release(struct imf_gles_program **program, struct imf_gles *gles);
/* After the context was destroyed. */
void imf_gles_programs_free(struct imf_gles *gles);

#endif
