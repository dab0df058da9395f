/*
 * chain_digits.c - sums of premultiplied colours that outgrow floats, exactly
 *
 * A sample of 16 bits times alpha has 32 bits; floats hold integers of 24. But convolution is
 * linear: where an integer kernel's sums of products are too large, its sums of the products'
 * digits, to the base 2^bits, are not. So a device gets another chain. Premultiplication writes
 * digits, as channels, the convolutions filter these like any small integers, and what divides by
 * alpha first puts the sums together again, in 64 bits, and rounds the only quotient
 * (cl/digits.cl). On the host float64 holds the sums as they are.
 */
#include "base/rounding.h"
#include "plan/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BITS_LEAST 4      /* of a digit: IMF_CHANNELS_MAX hold all of them */
#define SCALE_MAX 0x1p40  /* of a kernel: times full scale it fits 64 bits */
#define AROUND_MAX 0x1p24 /* of offset and level: so they do times a sum of alpha */

/* Integers from 0 to full scale to the products of colours and alpha. */
static bool splits(const struct imf_pass *pass) {
    const struct imf_point *p = &pass->point;
    return pass->kind == IMF_PASS_POINT && pass->whole && p->premultiply && !p->digits &&
           !p->linearize && !p->unsharp && !p->unpremultiply && !p->gray && !p->normalize &&
           !p->delinearize && p->rescale == 1;
}

/* Sums of products, and nothing after them. */
static bool sums(const struct imf_pass *pass) {
    const struct imf_problem *p = &pass->problem;
    const struct imf_epilogue *e = &p->epilogue;
    return pass->kind == IMF_PASS_CONVOLVE && pass->whole && p->kind == IMF_CONVOLUTION &&
           fabs(e->scale) == 1 && e->add == 0 && !e->absolute && e->multiply == 1 &&
           e->offset == 0 && !e->threshold;
}

static bool is_whole(double v) {
    return v == rint(v);
}

/* To straight colours; what follows the quotient keeps its denominator. */
static bool joins(const struct imf_pass *pass, bool last) {
    const struct imf_point *p = &pass->point;
    const struct imf_epilogue *e = &p->e;
    return pass->kind == IMF_PASS_POINT && p->unpremultiply && !p->unsharp && !p->gray &&
           !p->normalize && !p->premultiply && !p->delinearize && p->rescale == 1 &&
           is_whole(p->alpha_scale) && p->alpha_scale <= SCALE_MAX && fabs(e->multiply) == 1 &&
           is_whole(e->offset) && fabs(e->offset) + fabs(e->level) <= AROUND_MAX &&
           (e->threshold || last) && (!e->threshold || is_whole(e->level * IMF_LEVEL_PARTS));
}

/* The passes that split and join, with sums alone between them. */
static bool find(const struct imf_chain *c, int *first, int *last) {
    int i = 0;
    while (i < c->count && !splits(&c->passes[i]))
        i++;
    *first = i;
    for (i++; i < c->count && sums(&c->passes[i]) && c->passes[i].source == i - 1; i++)
        ;
    *last = i;
    return i > *first + 1 && i < c->count && c->passes[i].source == i - 1 &&
           joins(&c->passes[i], i == c->count - 1);
}

/* As few digits as have sums that floats hold, all of as many bits; 0: none have. */
static int widest(const struct imf_chain *c, int first, int last) {
    double gain = 1;
    int product = c->full > 255 ? 32 : 16;
    for (int i = first + 1; i < last; i++)
        gain *= c->passes[i].problem.facts[0].abs_sum;
    for (int places = product / 16; places <= product / BITS_LEAST; places++) {
        int bits = (product - 1) / places + 1;
        if ((exp2(bits) - 1) * gain <= IMF_WHOLE_FLOATS)
            return bits;
    }
    return 0;
}

int imf_chain_digits(const struct imf_chain *c) {
    int first, last;
    bool held = true;
    if (!find(c, &first, &last))
        return 0;
    for (int i = first + 1; i < last; i++)
        held = held && c->passes[i].problem.exact;
    return held ? 0 : widest(c, first, last);
}

struct imf_places imf_point_places(const struct imf_point *p) {
    int bits = p->full > 255 ? 16 : 8;
    struct imf_places n = {.color = (2 * bits - 1) / p->digits + 1,
                           .alpha = (bits - 1) / p->digits + 1};
    return n;
}

/* The pixel beyond the edge, whose samples are times full scale. */
static void split_outside(struct imf_problem *p, const struct imf_point *point, int colors) {
    struct imf_places n = imf_point_places(point);
    double whole[4], base = exp2(point->digits);
    memcpy(whole, p->outside, sizeof whole);
    whole[colors] /= point->full;
    for (int c = 0, at = 0; c <= colors; c++)
        for (int k = 0; k < (c < colors ? n.color : n.alpha); k++, at++) {
            p->outside[at] = fmod(whole[c], base);
            whole[c] = floor(whole[c] / base);
        }
}

static void split(struct imf_chain *c, int first, int last, int digits) {
    struct imf_pass *from = &c->passes[first], *to = &c->passes[last];
    int colors = from->channels_in - 1;
    double largest = exp2(digits) - 1;
    from->point.digits = to->point.digits = digits;
    struct imf_places n = imf_point_places(&from->point);
    int channels = colors * n.color + n.alpha;
    from->out = digits > 8 ? IMF_U16 : IMF_U8;
    from->bound = largest;
    from->channels_out = from->point.out_channels = channels;
    to->channels_in = to->point.in_channels = channels;
    for (int i = first + 1; i < last; i++) {
        struct imf_pass *pass = &c->passes[i];
        struct imf_problem *p = &pass->problem;
        pass->channels_in = pass->channels_out = p->channels = channels;
        pass->in = p->in = c->passes[i - 1].out;
        p->in_max = c->passes[i - 1].bound;
        p->exact = true;
        pass->bound = p->in_max * p->facts[0].abs_sum;
        split_outside(p, &from->point, colors);
    }
}

enum imf_status imf_chain_split(struct imf_chain *chain, struct imf_error *err) {
    int first, last, digits = imf_chain_digits(chain);
    if (!digits)
        return IMF_OK;
    size_t bytes = (size_t)chain->count * sizeof *chain->passes;
    struct imf_chain *c = malloc(sizeof *c);
    struct imf_pass *passes = malloc(bytes);
    if (!c || !passes) {
        free(c);
        free(passes);
        return imf_fail_memory(err, bytes);
    }
    *c = *chain;
    c->passes = memcpy(passes, chain->passes, bytes);
    c->curve = imf_curve_keep(chain->curve);
    find(c, &first, &last);
    split(c, first, last, digits);
    imf_chain_settle(c);
    chain->split = c;
    return IMF_OK;
}

const struct imf_chain *imf_chain_on_device(const struct imf_chain *chain) {
    return chain->split ? chain->split : chain;
}
