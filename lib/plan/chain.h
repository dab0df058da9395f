/*
 * chain.h - a filter lowered to passes for one image
 *
 * A convolution pass is one solver's work. A point pass computes each pixel from the same pixel of
 * one to two surfaces: light curve, premultiplication, unsharp's combination, gray, the range's
 * mapping, and back. Point operations beside a convolution join its epilogue where they can.
 */
#ifndef IMF_PLAN_CHAIN_H
#define IMF_PLAN_CHAIN_H

#include "base/curve.h"
#include "solver/solver.h"

/* Stages of more gain may leave a 16-bit sample off by 2. */
#define IMF_HIGH_GAIN 8

/* The spread, in sample steps, below which normalize takes a response as flat: all of it is 0. */
#define IMF_FLAT 1e-3

/* The steps of a point pass, done in this order; x is a pixel of the pass's input. */
struct imf_point {
    int in_channels, out_channels;
    bool alpha;           /* the last channel is alpha */
    bool linearize;       /* by the curve to linear light, colours only */
    bool unsharp;         /* x = x + amount * d, d = x - blurred brought nearer to 0 by level */
    double amount, level; /* second input: the blurred surface */
    bool difference;      /* with unsharp, x = amount * d: integers stay integers */
    bool unpremultiply;   /* colours /= alpha / full, 0 where the output's alpha < 0.5 */
    double alpha_scale;   /* divides the output's alpha: a kernel's scale put off till then; also
                             under normalize */
    bool gray;            /* colours to Rec. 709 luma */
    bool normalize;       /* colours: (x - min) * full / (max - min) of the pass's input, */
    double flat;          /* 0 where max - min is below this */
    bool whole;           /* they are integers: ties are those of the exact quotient */
    bool epilogue;        /* colours only: absolute, multiply, offset, threshold */
    struct imf_epilogue e;
    bool premultiply; /* colours *= alpha / full: under an opaque alpha they stay what they are */
    bool delinearize;
    double rescale;                /* every channel, for a change of depth: 257, 1/257 or 1 */
    double full;                   /* of the input's depth */
    const struct imf_curve *curve; /* the chain's */
};

enum imf_pass_kind { IMF_PASS_CONVOLVE, IMF_PASS_POINT };

struct imf_pass {
    enum imf_pass_kind kind;
    int stage; /* of the filter, from 0 on */
    int channels_in, channels_out;
    enum imf_sample in, out; /* between passes IMF_F32 where rounding would change the result; the
                                host may hold IMF_F64 there */
    int source, second;      /* surfaces: -1 the image, k >= 0 the output of pass k */
    double bound;            /* largest |value| of the output, */
    bool whole;              /* all of which are integers; */
    bool whole_if_opaque;    /* or are, if the image's alpha is opaque */
    bool coarse;             /* floats are too coarse for it: it has to be float64; of samples, on
                                which a point pass ends: for its own arithmetic */
    double error;            /* the output is off by this at most where float64 holds all passes */
    double gain, relative; /* later passes magnify an error of the output by this, at most, and one
                              in proportion to the value by that */
    struct imf_problem problem; /* convolve */
    struct imf_kernel *kernel;  /* owned: the problem's, where a rule made it; or NULL */
    struct imf_point point;
};

struct imf_chain {
    int width, height;
    enum imf_sample in, out;
    int channels_in, channels_out;
    enum imf_edge edge;
    double full;             /* input full scale */
    double rescale;          /* output full scale / input full scale */
    bool exact;              /* the whole chain is integer arithmetic, exactly rounded once */
    bool exact_if_opaque;    /* it is for an image whose alpha is opaque all over */
    bool high_gain;          /* a stage's sum of magnitudes exceeds IMF_HIGH_GAIN */
    bool keep_alpha;         /* finally copy the image's alpha into the output */
    struct imf_curve *curve; /* of linear light: NULL is sRGB's; kept */
    struct imf_pass *passes; /* owned */
    int count;
};

enum imf_status imf_chain_build(struct imf_chain **out, const struct imf_filter *filter,
                                const struct imf_info *input, const struct imf_settings *settings,
                                struct imf_error *err);
void imf_chain_free(struct imf_chain **chain);
/* Set output types, exactness and tolerances, once the passes are complete. */
void imf_chain_set_bounds(struct imf_chain *chain);
/* What the contract allows results that are not exact: an 8-bit one may round as it would if it were
 * that far off, a 16-bit one be that many steps off. Of a colour that was divided by alpha that is
 * divided by the result's alpha, 0..1. */
double imf_contract_error(const struct imf_chain *chain);
/* Each colour becomes what it does by itself, whichever it is, and alpha likewise. */
bool imf_point_is_map(const struct imf_point *point);
/* What surface `index` holds (0: the image, i + 1: the output of pass i): between passes floats, or
 * float64 where those are too coarse, or everywhere. */
enum imf_sample imf_chain_sample(const struct imf_chain *chain, int index, bool float64);
/* Margin that surface `index` (-1: the image) needs: the largest of its readers'. */
struct imf_margin imf_chain_margin(const struct imf_chain *chain, int index);

#endif
