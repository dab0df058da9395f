/*
 * chain.h - a filter lowered to passes for one image
 *
 * A convolution pass is one solver's work. A point pass computes each pixel from the same pixel of
 * one or two surfaces: light curve, premultiplication, unsharp's combination, gray, the range's
 * mapping. Point operations after a convolution join its epilogue where they can.
 */
#ifndef IMF_PLAN_LOWERING_CHAIN_H
#define IMF_PLAN_LOWERING_CHAIN_H

#include "base/image/curve.h"
#include "plan/lowering/weights.h"
#include "solver/solver.h"

/* Stages of more gain may leave a 16-bit sample off by 2. A stretch by more multiplies what results
 * may be off by: what it magnifies beyond this was there before. */
#define IMF_HIGH_GAIN 8

/* What the contract allows float results. */
#define IMF_FLOAT_ERROR 0x1p-18

/* The most that a quotient brightens. */
#define IMF_LIFT 16

/* What is known of a surface's samples. */
struct imf_value {
    double bound;           /* the largest |sample|; straight colours count times alpha */
    bool integer;           /* samples are integers, */
    bool stored;            /* such that the image's type holds, */
    bool integer_if_opaque; /* or, premultiplied, are integers if the image's alpha is opaque */
    bool positive;          /* sums of products of positive samples and taps: errors are in
                               proportion to the sums */
};

struct imf_operation; /* plan/lowering/operations.h */

/* A point pass: operations, each on the result of the one before. */
struct imf_point {
    const struct imf_operation *steps; /* of the chain's list */
    int count;
    int in_channels, second_channels; /* of the second input; 0: there is none */
    bool second_light;                /* which is put into linear light */
    bool alpha;                       /* the last channel is alpha, of both */
    double full, hidden;              /* of the input's depth; the chain's */
    enum imf_sample image;            /* the image's samples */
    double low, high;                 /* of a share of full scale */
    const struct imf_curve *curve;    /* the chain's */
};

enum imf_pass_kind { IMF_PASS_CONVOLVE, IMF_PASS_POINT };

struct imf_pass {
    enum imf_pass_kind kind;
    int stage; /* of the filter, from 0 on */
    int channels_in, channels_out;
    enum imf_sample in, out; /* between passes IMF_F32 where rounding would change the result; the
                                host may hold IMF_F64 there */
    int source, second;      /* surfaces: -1 the image, k >= 0 the output of pass k */
    struct imf_value value;  /* of the output */
    bool rounded;            /* its values are rounded to samples */
    bool coarse;             /* floats are too coarse for the output, which has to be float64; where
                                the output is samples, for the point pass's arithmetic */
    bool exact;              /* of integers they are computed exactly, and rounded once at most */
    double error;            /* largest error of the output if all passes are stored as float64 */
    double gain, relative; /* later passes magnify an error of the output by at most this, an error
                                in proportion to the value by at most that */
    struct imf_problem problem; /* IMF_PASS_CONVOLVE */
    struct imf_kernel *kernel;  /* owned: the problem's, if a rewriting rule made it, or NULL */
    struct imf_point point;
};

struct imf_chain {
    int width, height;    /* of the part of the image that is computed */
    struct imf_rect part; /* which part; what lies outside does not change */
    double kept_row;      /* bytes of a whole row of the image, where rows are of a part; or 0 */
    double *profiles;     /* owned: of the regions that change, or NULL */
    enum imf_sample in, out;
    int channels_in, channels_out;
    enum imf_edge edge;
    double full;            /* input full scale */
    double rescale;         /* output full scale / input full scale */
    double hidden;          /* alpha of at most this is none */
    double low, high;       /* the image's samples; floats have no limits */
    bool integer;           /* they are integers */
    bool missing;           /* the image's last channel is alpha that stands for what is missing */
    struct imf_margin lost; /* so far from what is missing nothing is known */
    bool open;            /* results may be below 0 and beyond full scale: none is shown by a range
                                unless that is asked for */
    bool relative;        /* results are floats: what they may be off by is a part of the sum of the
                                magnitudes that they are made of (IMF_FLOAT_ERROR) */
    double grain;         /* the least standard deviation of the image's noise, by its format */
    bool exact;           /* the chain is integer arithmetic, correctly rounded once */
    bool exact_if_opaque; /* it is for an image whose alpha is opaque everywhere */
    bool high_gain;       /* a stage's sum of magnitudes exceeds IMF_HIGH_GAIN */
    bool keep_alpha;      /* copy the image's alpha into the result at the end */
    struct imf_margin
        reach; /* how far results read the image, but for what the whole of it decides */
    struct imf_curve *curve; /* of linear light, shared; NULL: sRGB's */
    struct imf_pass *passes; /* owned */
    int count;
    struct imf_operation *operations; /* owned: those that point passes have */
};

/* The shape of results, but for channels, colours and few bits. */
struct imf_info imf_chain_output(const struct imf_info *input, const struct imf_settings *settings);
enum imf_status imf_chain_build(struct imf_chain **out, const struct imf_filter *filter,
                                const struct imf_info *input, const struct imf_settings *settings,
                                struct imf_error *err);
void imf_chain_free(struct imf_chain **chain);
/* The same, with what each step leads to as text, which the caller frees. */
enum imf_status imf_chain_build_steps(struct imf_chain **out, char **text,
                                      const struct imf_filter *filter, const struct imf_info *input,
                                      const struct imf_settings *settings, struct imf_error *err);
/* Set exactness and tolerances, once the passes are complete. */
void imf_chain_set_tolerances(struct imf_chain *chain);
/* What the contract allows results that are not exact: an 8-bit sample may be the rounding of a
 * value that is off by this much, a 16-bit sample may be off by this many steps. For a colour that
 * was divided by alpha it is this over the result's alpha, 0..1; after a stretch by more than
 * IMF_HIGH_GAIN it is this times the stretch over IMF_HIGH_GAIN. */
double imf_contract_error(const struct imf_chain *chain);
/* The same of a chain whose solvers may choose differently: of floats, which blocks are alike is decided by a
 * hair. A group that has another block changes samples by less than 1 of 255. */
double imf_contract_choices(const struct imf_chain *chain);
/* The problem's input is rounded to samples first, and any sample may change any other. */
bool imf_problem_decides(const struct imf_problem *p);
/* Each result is one of the samples, by their order alone. */
bool imf_problem_selects(const struct imf_problem *p);
/* The level at which the result of a pass jumps, of a threshold's for one, or INFINITY. */
double imf_pass_jump(const struct imf_pass *pass);
/* After how many steps of a point pass colours have vanished where alpha rounds to 0, if a blend follows, which
 * changes that alpha; otherwise 0. */
int imf_pass_hides(const struct imf_pass *pass);
/* By the values of pass i samples are decided, there or by a pass that reads them. */
bool imf_chain_decides(const struct imf_chain *chain, int i);
/* The samples of surface `index` (0: the image, i + 1: the output of pass i). Between passes they
 * are floats, or float64 where floats are too coarse or if `float64` is set. */
enum imf_sample imf_chain_sample(const struct imf_chain *chain, int index, bool float64);
/* Margin that surface `index` (-1: the image) needs: the largest of its readers'. */
struct imf_margin imf_chain_margin(const struct imf_chain *chain, int index);
/* How the image goes on in that margin: by its edge mode, but repeated samples would repeat their
 * noise, of which none is removed then: where noise is, clamp means reflect. */
enum imf_edge imf_chain_edge(const struct imf_chain *chain, int index);

#endif
