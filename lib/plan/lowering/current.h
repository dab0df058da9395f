/*
 * current.h - what stages of a filter have led to so far, and what becomes of alpha in between
 *
 * Colours are premultiplied just before a filter that spreads them, and divided by alpha just before anything that
 * reads the colours themselves.
 */
#ifndef IMF_PLAN_LOWERING_CURRENT_H
#define IMF_PLAN_LOWERING_CURRENT_H

#include "plan/lowering/operations.h"

/* What the operations so far have led to. */
struct imf_lowering {
    struct imf_operations *out;
    const struct imf_chain *chain;
    const struct imf_settings *settings;
    int orientation;        /* the image's */
    bool light;             /* colours are in linear light */
    enum imf_channels pick; /* of the image's colours, if it has three, or of its channels alpha */
    int stage;
    int current; /* the operation whose result it is, or -1: the image */
    int channels;
    bool hides; /* colours under alpha 0 do not count */
    bool
        missing; /* alpha stands for samples that are not there: each stage begins with the image's */
    /* The current alpha is no longer the image's, which is to stay. */
    bool alpha_filtered;
    int filled;                       /* the image with colours under alpha 0, or -1 */
    int backdrop;                     /* which of these what is combined with the image reads */
    bool premultiplies;               /* colours are premultiplied for filtering, */
    bool premultiplied;               /* and the current ones are */
    double outside[IMF_CHANNELS_MAX]; /* colours beyond the edge, straight, in the filter's light */
};

/* Append an operation on the current values, whose result becomes the current one; the caller completes it. */
struct imf_operation *imf_lowering_append(struct imf_lowering *l, enum imf_operation_kind kind);
struct imf_epilogue imf_lowering_plain(const struct imf_lowering *l);
/* A solver's problem, which the caller completes. Beyond the edge there is opaque grey. */
struct imf_problem *imf_lowering_solve(struct imf_lowering *l);
/* Before a filter that spreads colours; before what reads them. */
void imf_lowering_premultiply(struct imf_lowering *l);
void imf_lowering_straighten(struct imf_lowering *l);
/* Let the current values have the alpha that pixels are weighed by: the image's, if it is to stay. */
void imf_lowering_take_alpha(struct imf_lowering *l);
/* Let colours under alpha 0 be the nearest visible ones. */
void imf_lowering_fill(struct imf_lowering *l);
/* Before a filter of pixels around: missing ones are left out by their weight, or are like those nearby. */
void imf_lowering_leave_out(struct imf_lowering *l, bool weighs);
/* Nothing is known where a response may be of what is missing. */
void imf_lowering_lose(struct imf_lowering *l, struct imf_margin m);

#endif
