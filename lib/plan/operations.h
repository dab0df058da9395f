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
#ifndef IMF_PLAN_OPERATIONS_H
#define IMF_PLAN_OPERATIONS_H

#include "plan/chain.h"

#include <stdio.h>

/* What holds of an operation on points; a pass is slower without. */
enum {
    IMF_ALIKE = 1,     /* all colours are treated alike, each by itself, */
    IMF_ALPHA_TOO = 2, /* and so is alpha */
    IMF_MAPS = 4,      /* a result depends on nothing but the sample */
    IMF_FLOATS = 8     /* may be computed in floats where these are not too coarse */
};
#define IMF_MAPS_ALIKE (IMF_ALIKE | IMF_MAPS)

/*
 * The operations on points: ROW(kind, name, what holds, step, numbers...)
 *
 * A step is a function of run/point/steps.cl, which computes it on the host and on devices; its numbers are
 * those of operation `op` in point pass `p`.
 */
#define IMF_POINT_OPERATIONS(ROW)                                                                  \
    ROW(TAKE_ALPHA, "take alpha", IMF_FLOATS, take_alpha, p->full)                                 \
    ROW(LINEARIZE, "linearize", imf_curve_count(p->curve) == 1 ? IMF_MAPS_ALIKE : 0, linearize,    \
        p->full)                                                                                   \
    ROW(COMBINE, "sharpen", IMF_ALIKE | IMF_ALPHA_TOO | IMF_FLOATS, combine, p->full,              \
        op->combine.amount, op->combine.level, op->combine.difference, op->combine.quotient,       \
        p->full / IMF_LIFT)                                                                        \
    ROW(UNPREMULTIPLY, "unpremultiply", IMF_FLOATS, unpremultiply, p->full, op->alpha_scale)       \
    ROW(GRAY, "gray", IMF_FLOATS, gray, p->full, op->gray, imf_curve_luma(p->curve)[1],            \
        imf_curve_luma(p->curve)[2])                                                               \
    ROW(NORMALIZE, "normalize", IMF_ALIKE, normalize, p->full, op->normalize.flat,                 \
        op->normalize.whole, op->normalize.alpha_scale)                                            \
    ROW(SCALAR, "scalar", op->scalar.threshold ? IMF_MAPS_ALIKE : IMF_MAPS_ALIKE | IMF_FLOATS,     \
        scalar, p->full, op->scalar.absolute, op->scalar.multiply, op->scalar.offset,              \
        op->scalar.threshold, op->scalar.level)                                                    \
    ROW(BLEND, "blend",                                                                            \
        IMF_FLOATS | (op->blend.pick || p->in_channels < p->second_channels ||                     \
                              (p->second_light && imf_curve_count(p->curve) > 1)                   \
                          ? 0                                                                      \
                          : IMF_ALIKE),                                                            \
        blend, p->full, op->blend.mode, op->blend.pick, imf_curve_luma(p->curve)[1],               \
        imf_curve_luma(p->curve)[2], op->blend.apart)                                              \
    ROW(PUT, "put back", IMF_FLOATS, put, p->full, op->blend.pick, imf_curve_luma(p->curve)[1],    \
        imf_curve_luma(p->curve)[2])                                                               \
    ROW(PREMULTIPLY, "premultiply", IMF_FLOATS, premultiply, p->full)                              \
    ROW(DELINEARIZE, "delinearize", imf_curve_count(p->curve) == 1 ? IMF_MAPS_ALIKE : 0,           \
        delinearize, p->full)                                                                      \
    ROW(RESCALE, "rescale", IMF_MAPS_ALIKE | IMF_ALPHA_TOO | IMF_FLOATS, rescale, p->full,         \
        op->rescale)

enum imf_operation_kind {
    IMF_SOLVE, /* a solver's work */
#define IMF_KIND(kind, name, ...) IMF_##kind,
    IMF_POINT_OPERATIONS(IMF_KIND)
#undef IMF_KIND
};

struct imf_operation {
    enum imf_operation_kind kind;
    int stage;    /* of the filter */
    int channels; /* of the result */
    int source,
        second; /* whose results it reads: an operation before it, -1: the image, -2: none */
    struct imf_value value; /* of the result, since bound() */
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
        /* Alpha is divided by what the kernel before has left out, colours by alpha: 0 where it is below 0.5. */
        double alpha_scale;
        enum imf_channels gray;
        struct {
            double flat, alpha_scale; /* a range of less is 0; as above */
            bool weigh, whole; /* pixels of alpha 0 do not count; integers, of exact quotients */
        } normalize;
        struct imf_epilogue scalar; /* absolute, multiply, offset, threshold */
        struct { /* b + w (f(b, x) - b) of the image's b, the mode's f and weights w */
            enum imf_blend_mode mode;
            struct imf_weights weights;
            enum imf_channels pick; /* b is this of the image's colours, and x the only one */
            bool light, apart;      /* the image is put into linear light; alpha was filtered */
        } blend;                    /* IMF_PUT: pick and light alone */
        double rescale;
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

/* The first step of this kind, or NULL. */
const struct imf_operation *imf_point_find(const struct imf_point *p, enum imf_operation_kind kind);
/* Which step is the first that compares with a threshold; p->count: there is none. */
int imf_point_threshold(const struct imf_point *p);
/* Does this one of what may hold do so of all steps? */
bool imf_point_all(const struct imf_point *p, int holds);
/* All channels are treated alike, each by itself: samples may be pixels of one channel. */
bool imf_point_is_alike(const struct imf_point *p);
/* Each output sample depends on the same input sample alone, and all colours do so alike. */
bool imf_point_is_map(const struct imf_point *p);

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
