/*
 * pass.h - a fragment shader's pass from one picture to another
 *
 * Both are in the host's memory. Those larger than a texture are processed in tiles.
 */
#ifndef IMF_GLES_PASS_H
#define IMF_GLES_PASS_H

#include "gles/runtime.h"

/*
 * A shader's text, taps and reach. It sees `sampler2D image`, `vec2 texel` (a texel's
 * size in the image's coordinates), `vec4 tap[]` and the varying `vec2 at`: the output texel's position
 * within its tile, whose fraction is ignored. It may read the image's texels from there to `reach_x`
 * to the right and `reach_y` below.
 */
struct imf_gles_source {
    const char *defines, *text;
    const float *taps; /* vectors of four */
    int vectors;
    int texel; /* bytes of an input texel: 1 (in .r) or 4; output texels have 4 */
    int reach_x, reach_y;
};

/* Uniform vectors of a row of taps, and of the textures' sizes, which a pass adds. */
static inline int imf_gles_row_vectors(int taps) {
    return (taps + 3) / 4;
}
#define IMF_GLES_SIZES 2

/* A part of the output, in texels; of the image, the same part with its reach. */
struct imf_gles_tile {
    int x, y, width, height;
};

/* The output's size; load() fills a tile of the image, without gaps between rows, and store() takes
 * a tile of the output. */
struct imf_gles_picture {
    int width, height;
    void (*load)(void *data, unsigned char *to, const struct imf_gles_tile *tile);
    void (*store)(void *data, const unsigned char *from, const struct imf_gles_tile *tile);
    void *data;
};

/* Belongs to a job, one thread at a time; the runtime has to outlive it, the source does not.
 * IMF_ERR_DEVICE: the compiler's message, or a limit of the device. */
struct imf_gles_pass;
enum imf_status imf_gles_pass_make(struct imf_gles_pass **out, struct imf_gles *gles,
                                   const struct imf_gles_source *source, struct imf_error *err);
void imf_gles_pass_free(struct imf_gles_pass **pass);
/* Compute the whole picture; returns when it is stored. */
enum imf_status imf_gles_pass_run(struct imf_gles_pass *pass,
                                  const struct imf_gles_picture *picture, struct imf_error *err);
/* Bytes of host memory that a run takes for tiles, at most. */
double imf_gles_pass_bytes(const struct imf_gles_source *source, double width, double height);

#endif
