/*
 * chain_builder.h - appending passes to a chain (for chain.c alone)
 *
 * Point operations gather in a pending point pass until a convolution needs their result, or join
 * the epilogue of the convolution just before them. Colours are premultiplied just before a filter
 * and divided by alpha just before anything that reads the colours themselves. The builder tracks
 * the bounds of the values and whether they are integers, which decide which solvers are exact
 * enough.
 *
 * Every function returns false (or NULL) when memory ran out.
 */
#ifndef IMF_PLAN_CHAIN_BUILDER_H
#define IMF_PLAN_CHAIN_BUILDER_H

#include "plan/chain.h"

/* The steps of a point pass, in their order. */
enum imf_builder_at {
    IMF_AT_START,
    IMF_AT_ALPHA,
    IMF_AT_LINEARIZE,
    IMF_AT_UNSHARP,
    IMF_AT_UNPREMULTIPLY,
    IMF_AT_GRAY,
    IMF_AT_NORMALIZE,
    IMF_AT_EPILOGUE,
    IMF_AT_BLEND,
    IMF_AT_PUT,
    IMF_AT_PREMULTIPLY,
    IMF_AT_DELINEARIZE,
    IMF_AT_RESCALE
};

struct imf_builder {
    struct imf_chain *chain;
    const struct imf_info *input;
    const struct imf_settings *settings;
    const struct imf_rect *regions; /* as stored */
    size_t region_count;
    enum imf_channels pick; /* of the image's colours, if it has three */
    int capacity;
    int stage; /* of the filter, being lowered */
    int channels;
    int source;       /* surface that holds the current values: -1 the image, or a pass's output */
    bool alpha;       /* the last channel is alpha, */
    bool alpha_apart; /* which must not pass through colour arithmetic */
    bool hides;       /* colours under alpha 0 do not count */
    /* What the current values have as alpha is no longer the image's, which is to stay. */
    bool alpha_filtered;
    int filled;           /* surface that holds the image with colours under alpha 0, or -1 */
    int backdrop;         /* which of these what is combined with the image reads */
    bool premultiplies;   /* colours are premultiplied for filtering, */
    bool premultiplied;   /* and the current ones are */
    bool positive;        /* the current values are sums of products of positive values and taps */
    bool integral;        /* the current values are integers, */
    bool whole_if_opaque; /* or, premultiplied, are if the image's alpha is opaque */
    double bound;         /* largest |value|; straight colours count times alpha */
    double outside[4];    /* colours beyond the edge, straight, in the filter's light */
    bool pending;         /* a point pass is being gathered: */
    enum imf_builder_at at; /* its last step, */
    struct imf_point point; /* all steps, */
    int second;             /* and the second surface that it reads, or -2 */
};

static const struct imf_epilogue imf_plain_epilogue = {.scale = 1, .multiply = 1};

/* Emit the pending point pass. */
bool imf_builder_flush(struct imf_builder *b);
/* The pending point pass, ready for a step at position `at`. */
struct imf_point *imf_builder_point(struct imf_builder *b, enum imf_builder_at at);
/* Multiply colours by alpha if the chain filters them so and it is not done. */
bool imf_builder_premultiply(struct imf_builder *b);
/* Divide premultiplied colours by alpha. An integer kernel just before loses its scale, by which
 * alpha alone is divided later: until then both are sums of integers. */
bool imf_builder_straighten(struct imf_builder *b);
/* Stretch the colours to the full scale. An integer kernel just before loses its scale and bias, so
 * that integers are stretched. */
bool imf_builder_normalize(struct imf_builder *b);
/* Apply an epilogue to every straight colour, in the last convolution's epilogue or as a point
 * pass. */
bool imf_builder_scalar(struct imf_builder *b, const struct imf_epilogue *more);
/* Append a pass for a solver, or return NULL; the caller completes its problem. */
struct imf_pass *imf_builder_problem(struct imf_builder *b);
/* Let colours under alpha 0 be the nearest visible ones; the first pass. */
bool imf_builder_fill(struct imf_builder *b);
/* Set its reach, once all passes are there. False without memory. */
bool imf_builder_bound_fill(struct imf_chain *chain);
/* Let the current values have the alpha that pixels are weighed by: the image's, if it is to stay. */
bool imf_builder_alpha(struct imf_builder *b);
/* Reduce colours to one; gray stays. */
bool imf_builder_gray(struct imf_builder *b, enum imf_channels which);
/* Go on with b->pick alone. */
bool imf_builder_pick(struct imf_builder *b);
/* Put what was picked of the image's colours back into them. */
bool imf_builder_put(struct imf_builder *b);
/* Leave the image as it is outside the regions. */
bool imf_builder_regions(struct imf_builder *b);
/* Set the colours beyond the edge to those of the image. */
void imf_builder_border(struct imf_builder *b);
/* Combine the current values with the image. */
bool imf_builder_blend(struct imf_builder *b, const struct imf_stage *stage);
bool imf_builder_phase(struct imf_builder *b, const struct imf_stage *stage);
bool imf_builder_descreen(struct imf_builder *b, const struct imf_descreen *descreen);
bool imf_builder_canny(struct imf_builder *b, const struct imf_canny *canny);
bool imf_builder_denoise(struct imf_builder *b, const struct imf_denoise *denoise);
bool imf_builder_deblur(struct imf_builder *b, const struct imf_deblur *deblur);
bool imf_builder_histogram_op(struct imf_builder *b, enum imf_histogram_op op);
bool imf_builder_clahe(struct imf_builder *b, const struct imf_clahe *clahe);
bool imf_builder_bilevel(struct imf_builder *b, const struct imf_window_op *window);
bool imf_builder_convolve(struct imf_builder *b, const struct imf_stage *stage);
/* Append a point pass: the current values minus those of another surface, or swapped. */
bool imf_builder_subtract(struct imf_builder *b, int other, bool swapped);
/* A convolution with one kernel, or cheaper passes that make the same of it (chain_rewrite.c). */
bool imf_builder_linear(struct imf_builder *b, const struct imf_stage *stage);
/* Of one window operation or two. */
bool imf_builder_windows(struct imf_builder *b, const struct imf_stage *stage);
bool imf_builder_unsharp(struct imf_builder *b, const struct imf_stage *stage);

#endif
