/*
 * pass.h - pictures made of pictures by a fragment shader
 *
 * Both are in the host's memory. Larger ones than the device has go in tiles.
 */
#ifndef IMF_GLES_PASS_H
#define IMF_GLES_PASS_H

#include "gles/runtime.h"

/*
 * What a shader is made of, and what it reads. It sees `sampler2D image`, `vec2 texel` (a texel's
 * size in the image's coordinates), `vec4 tap[]` and the varying `vec2 at`: where within its tile
 * the texel lies that it makes, of which only the whole part counts. It may read the image's texels
 * from there to `reach_x` to the right of it and `reach_y` below.
 */
struct imf_gles_source {
    const char *defines, *text;
    const float *taps; /* vectors of four */
    int vectors;
    int texel; /* bytes of the image's: 1, of which .r is seen, or 4; those that it makes have 4 */
    int reach_x, reach_y;
};

/* Vectors of a row of so many taps, and of what a pass adds: its textures' sizes. */
static inline int imf_gles_row_vectors(int taps) {
    return (taps + 3) / 4;
}
#define IMF_GLES_SIZES 2

/* A part of what is made, in texels; of the image the same with what it reads. */
struct imf_gles_tile {
    int x, y, width, height;
};

/* A picture of so many texels; load() gives those of the image from (x, y) on, without gaps between
 * rows, and store() takes the ones that were made. */
struct imf_gles_picture {
    int width, height;
    void (*load)(void *data, unsigned char *to, const struct imf_gles_tile *tile);
    void (*store)(void *data, const unsigned char *from, const struct imf_gles_tile *tile);
    void *data;
};

/* Belongs to a job, one thread at a time; the runtime has to outlive it, the source does not.
 * IMF_ERR_DEVICE: what the compiler says, or what it takes more of than there is. */
struct imf_gles_pass;
enum imf_status imf_gles_pass_make(struct imf_gles_pass **out, struct imf_gles *gles,
                                   const struct imf_gles_source *source, struct imf_error *err);
void imf_gles_pass_free(struct imf_gles_pass **pass);
/* Make all of the picture, and return when it is stored. */
enum imf_status imf_gles_pass_run(struct imf_gles_pass *pass,
                                  const struct imf_gles_picture *picture, struct imf_error *err);
/* Bytes that a run takes of the host's memory for tiles, at most, whatever the device's limits. */
double imf_gles_pass_bytes(const struct imf_gles_source *source, double width, double height);

#endif
