/*
 * chain_builder.h - what a chain consists of, pass by pass (chain.c's own)
 *
 * Point operations gather in a pending point pass until a convolution needs their result, or join
 * the epilogue of the convolution just before them. Colours are premultiplied just before a filter
 * and divided by alpha just before anything that looks at the colours themselves. Bounds of the
 * values and what is known of their being integers travel along, since they decide which solvers
 * are exact enough.
 *
 * Every function returns false (or NULL) when memory ran out.
 */
#ifndef IMF_PLAN_CHAIN_BUILDER_H
#define IMF_PLAN_CHAIN_BUILDER_H

#include "plan/chain.h"

/* The steps of a point pass, in their order. */
enum imf_builder_at {
    IMF_AT_START,
    IMF_AT_LINEARIZE,
    IMF_AT_UNSHARP,
    IMF_AT_UNPREMULTIPLY,
    IMF_AT_GRAY,
    IMF_AT_NORMALIZE,
    IMF_AT_EPILOGUE,
    IMF_AT_PREMULTIPLY,
    IMF_AT_DELINEARIZE,
    IMF_AT_RESCALE
};

struct imf_builder {
    struct imf_chain *chain;
    int capacity;
    int stage; /* of the filter that is lowered */
    int channels;
    int source;              /* surface that holds the present values */
    bool alpha, alpha_apart; /* alpha must not pass through colour arithmetic */
    bool premultiplies;      /* colours are premultiplied for filtering, */
    bool premultiplied;      /* and the present ones are */
    bool positive;           /* the present values are sums of positive ones, times positive taps */
    bool integral;           /* the present values are integers, */
    bool whole_if_opaque;    /* or, premultiplied, are if the image's alpha is opaque */
    double bound;            /* largest |value|; of straight colours as they show, times alpha */
    double outside[4];       /* colours beyond the edge, straight, in the filter's light */
    bool pending;            /* a point pass is being gathered; */
    enum imf_builder_at at;  /* its last step, */
    struct imf_point point;  /* all of them, */
    int second;              /* and the other surface that it reads */
};

static const struct imf_epilogue imf_plain_epilogue = {.scale = 1, .multiply = 1};

/* Emit the pending point pass. */
bool imf_builder_flush(struct imf_builder *b);
/* The pending point pass, ready for a step at position `at`. */
struct imf_point *imf_builder_point(struct imf_builder *b, enum imf_builder_at at);
/* Divide colours by alpha if they are multiplied by it. The scale of an integer kernel just before
 * is left for alpha alone, so that both are sums of integers until then. */
bool imf_builder_straighten(struct imf_builder *b);
/* The colours stretched to the full scale. Nothing is added to or divided from an integer kernel's
 * sums before, so that they are the integers that are stretched. */
bool imf_builder_normalize(struct imf_builder *b);
/* The same to every straight colour: in the last convolution's epilogue, or as a point pass. */
bool imf_builder_scalar(struct imf_builder *b, const struct imf_epilogue *more);
bool imf_builder_gray(struct imf_builder *b);
bool imf_builder_phase(struct imf_builder *b, const struct imf_stage *stage);
bool imf_builder_canny(struct imf_builder *b, const struct imf_canny *canny);
bool imf_builder_histogram_op(struct imf_builder *b, enum imf_histogram_op op);
bool imf_builder_convolve(struct imf_builder *b, const struct imf_stage *stage);
/* One kernel: as it is, or a large unsharp mask as the image and its difference with a blur. */
bool imf_builder_linear(struct imf_builder *b, const struct imf_stage *stage);
/* Of one window operation or two. */
bool imf_builder_windows(struct imf_builder *b, const struct imf_stage *stage);
bool imf_builder_unsharp(struct imf_builder *b, const struct imf_stage *stage);

#endif
