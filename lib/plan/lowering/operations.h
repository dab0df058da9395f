/*
 * operations.h - a filter as a list of operations on an image
 *
 * A chain is made in four steps, each of them a function of a list:
 *
 *     lower     the filter's stages become operations (lower.c)
 *     rewrite   some operations become others that are cheaper or more exact (rewrite.c)
 *     bound     what is known of the values of each result (bound.c)
 *     fuse      operations become passes (fuse.c)
 *
 * A rule that asks for values has bound() run before it; nothing else is known to a step than the list.
 */
#ifndef IMF_PLAN_LOWERING_OPERATIONS_H
#define IMF_PLAN_LOWERING_OPERATIONS_H

#include "plan/lowering/chain.h"

#include <stdio.h>

struct imf_operation {
    enum imf_operation_kind kind;
    int stage;    /* of the filter */
    int channels; /* of the result */
    int source,
        second; /* whose results it reads: an operation before it, -1: the image, -2: none */
    struct imf_value value; /* of the result, since bound(), as what follows */
    /* An error of what it reads grows by `slope` at most, one in proportion to the value by `part` of that (0: what it
     * leaves is in proportion to nothing). At the value `jump` the result jumps, and an error decides; or INFINITY. */
    double slope, part, jump;
    double gain;            /* of a stage, as a user sees it */
    struct imf_margin need; /* how far the last result reads it beyond a pixel */
    union {
        struct {
            struct imf_problem problem; /* exact, integers and positive are set by bound() */
            struct imf_kernel *kernel;  /* owned: the problem's, if a rule has made it, or NULL */
        };
        struct {                       /* x is the source's sample, y that of `second`: */
            double amount, level;      /* x + amount d; d is x - y, shrunk towards 0 by level */
            bool difference, quotient; /* amount d alone; x / y instead, as a share of full scale:
                                           below full / IMF_LIFT y counts as that */
        } combine;
        /* IMF_UNPREMULTIPLY: alpha is divided by this, which the kernel before has left out, colours by alpha: 0 where
         * it is below 0.5. */
        double number;
        struct {
            double by;
            bool whole; /* the result is counted as integers: nothing is rounded before */
        } rescale;
        struct { /* of a stage that is a map */
            double number[IMF_PARAMETERS];
            const struct imf_spline *spline; /* the filter's */
        } map;
        enum imf_channels gray;
        struct {
            double flat, alpha_scale; /* a range of less is 0; as IMF_UNPREMULTIPLY's */
            bool weigh, whole; /* pixels of alpha 0 do not count; integers, of exact quotients */
        } normalize;
        struct imf_epilogue scalar; /* absolute, multiply, offset, threshold */
        struct { /* b + w (f(b, x) - b) of the image's b, the mode's f and weights w */
            enum imf_blend_mode mode;
            struct imf_weights weights;
            enum imf_channels pick; /* b is this of the image's colours, and x the only one */
            bool light, apart;      /* the image is put into linear light; alpha was filtered */
        } blend;                    /* IMF_PUT: pick and light alone */
    };
};

struct imf_operations {
    struct imf_chain *chain;             /* the image's side: full scale, curve, edge, part */
    const struct imf_settings *settings; /* borrowed */
    bool alpha;                          /* the last channel is alpha, */
    bool alpha_apart;                    /* which must not pass through colour arithmetic */
    struct imf_operation *list;          /* owned */
    int count, capacity;
    struct imf_margin need; /* of the image */
    bool no_memory;         /* an operation is missing; this stands for it */
    struct imf_operation missing;
};

/* The first step of this kind, or of which this holds, or NULL. */
const struct imf_operation *imf_point_find(const struct imf_point *p, enum imf_operation_kind kind);
const struct imf_operation *imf_point_first(const struct imf_point *p, int what);
/* Which step is the first that jumps; p->count: there is none. */
int imf_point_jump(const struct imf_point *p);
/* Does some of this hold of all steps? */
bool imf_point_all(const struct imf_point *p, int what);
/* All channels are treated alike, each by itself: samples may be pixels of one channel. */
bool imf_point_is_alike(const struct imf_point *p);
/* Each output sample depends on the same input sample alone, and all colours do so alike. */
bool imf_point_is_map(const struct imf_point *p);

/* It is such a map, of integers, whose results floats do not always give: devices look up what the host computes. */
bool imf_point_is_table(const struct imf_point *p, enum imf_sample in);

static const struct imf_epilogue imf_plain_epilogue = {.scale = 1, .multiply = 1};

/* Append an operation or, before position `at`, insert it: references to what follows are kept up.
 * Without memory it is one that does not count. */
struct imf_operation *imf_operations_insert(struct imf_operations *o, int at,
                                            enum imf_operation_kind kind);
/* Let all that reads operation `from`, but operation `except`, read operation `to`. */
void imf_operations_redirect(struct imf_operations *o, int from, int to, int except);
/* How many operations read operation i. */
int imf_operations_readers(const struct imf_operations *o, int i);
/* Remove what nothing reads, but the last one. */
void imf_operations_sweep(struct imf_operations *o);
void imf_operations_free(struct imf_operations *o);
/* An operation a line, with its value. */
void imf_operations_print(FILE *out, const char *title, const struct imf_operations *o);
/* What a result is made of, and its value. */
void imf_result_print(FILE *out, int source, int second, const struct imf_value *v);

/* The problem of a convolution with k or, if `other` is not NULL, of the magnitude of both. */
void imf_operation_convolve(struct imf_problem *p, const struct imf_kernel *k,
                            const struct imf_kernel *other);

/* Regions: whether only some change, which imf_operations_place() gets. */
void imf_lower(struct imf_operations *o, const struct imf_filter *filter,
               const struct imf_info *input, bool regions);
/* Let the chain and its operations be of the part of the image that the regions depend on, or of all of it if there
 * are none; rectangles as stored. The chain owns their profiles. False without memory. */
bool imf_operations_place(struct imf_operations *o, const struct imf_rect *regions, size_t count);
void imf_rewrite(struct imf_operations *o);
void imf_bound(struct imf_operations *o);
/* A stage multiplies values by more than IMF_HIGH_GAIN. Asked of the list that was lowered: what a user sees is the
 * gain of a stage, not of the parts that it is rewritten to. */
bool imf_operations_gain(const struct imf_operations *o);
/* Append the passes to the chain, which takes the kernels. False without memory. */
bool imf_fuse(struct imf_chain *chain, struct imf_operations *o);

#endif
