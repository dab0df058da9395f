/*
 * test_bands.c - every row that a pass or a margin reads in a band is there
 *
 * Random chains of convolutions and point passes are walked through in bands, without pixels: which
 * rows of each surface are made, and which of them storage still holds.
 */
#include "plan/bands.h"
#include "solver/common/edge.h"

#include "check.h"

#include <stdlib.h>

#define PASSES 6

static uint64_t state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003) */
static int integer(int low, int high) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int)(state % (uint64_t)(high - low + 1));
}

struct random_chain {
    struct imf_chain chain;
    struct imf_pass pass[PASSES];
    struct imf_kernel *kernel[PASSES];
    enum imf_bands_wish wish[PASSES];
    int step[PASSES];
};

/* Each pass reads the surface before it; point passes may read an earlier one besides. */
static void make_chain(struct random_chain *r) {
    static const enum imf_edge edges[] = {IMF_EDGE_CLAMP, IMF_EDGE_REFLECT, IMF_EDGE_MIRROR,
                                          IMF_EDGE_WRAP, IMF_EDGE_CONSTANT};
    *r = (struct random_chain){.chain = {.width = 5,
                                         .height = integer(1, integer(0, 1) ? 12 : 120),
                                         .channels_in = 1,
                                         .channels_out = 1,
                                         .edge = edges[integer(0, 4)],
                                         .count = integer(1, PASSES),
                                         .passes = r->pass}};
    for (int i = 0; i < r->chain.count; i++) {
        struct imf_pass *p = &r->pass[i];
        *p = (struct imf_pass){.channels_in = 1, .channels_out = 1, .source = i - 1, .second = -2};
        r->wish[i] = integer(0, 9) ? IMF_BANDS_MANY : IMF_BANDS_WHOLE;
        r->step[i] = integer(0, 3) ? 1 : integer(2, 7);
        if (integer(0, 1)) {
            p->kind = IMF_PASS_POINT;
            p->second = integer(0, 2) ? -2 : integer(-1, i - 1);
            continue;
        }
        if (imf_kernel_create(&r->kernel[i], 1, integer(1, 9), NULL))
            abort();
        r->kernel[i]->cy = integer(0, r->kernel[i]->height - 1);
        imf_problem_convolve(&p->problem, r->kernel[i]);
    }
}

/* Rows from..to - 1 of a surface: made (margins: repeating rows that are) and in storage. */
static bool there(const struct imf_bands *b, int index, int from, int to) {
    const struct imf_window *w = &b->window[index];
    for (int y = from; y < to; y++) {
        int row = imf_edge_index(b->chain->edge, y, b->chain->height);
        if (row >= w->done || (w->rows && (y < w->kept || y >= w->kept + w->rows)))
            return false;
    }
    return true;
}

/* Rows that the margin filled in this band repeats. */
static bool margin_there(const struct imf_bands *b, int index) {
    const struct imf_window *w = &b->window[index];
    struct imf_margin m = imf_chain_margin(b->chain, index - 1);
    int height = b->chain->height, last = w->done == height ? height + m.bottom : 0;
    for (int y = w->before ? 0 : -m.top; y < last || y < 0; y++) {
        int row = imf_edge_index(b->chain->edge, y, height);
        if ((y < 0 || y >= height) && row >= 0 && (row >= w->done || (w->rows && row < w->kept)))
            return false;
    }
    return true;
}

static bool band_right(const struct imf_bands *b, const struct imf_segment *s) {
    bool ok = true;
    for (int i = s->first; i < s->end; i++) {
        const struct imf_pass *p = &b->chain->passes[i];
        const struct imf_window *source = &b->window[p->source + 1], *made = &b->window[i + 1];
        struct imf_margin m = {0, 0, 0, 0};
        if (p->kind == IMF_PASS_CONVOLVE)
            m = p->problem.reach;
        if (p->kind == IMF_PASS_CONVOLVE && source->done > source->before)
            ok = ok && margin_there(b, p->source + 1);
        if (made->done > made->before)
            ok = ok && there(b, p->source + 1, made->before - m.top, made->done + m.bottom) &&
                 (p->second < -1 || there(b, p->second + 1, made->before, made->done));
        ok = ok && made->before <= made->done && made->done - made->before <= made->tallest &&
             made->moved >= 0 && (made->done % made->step == 0 || made->done == b->chain->height);
    }
    return ok;
}

/* Of rows that stream: the image's come in order and are there for all that may be made of the
 * band's result, and the result's are all there when it goes. */
static bool ends_right(const struct imf_bands *b, int band) {
    const struct imf_window *in = &b->window[0], *out = &b->window[b->chain->count];
    struct imf_bands *slice = NULL;
    if (!b->streams)
        return in->rows == 0 && out->rows == 0;
    bool ok = in->before <= in->done && out->before <= out->done && out->kept == out->before &&
              out->done - out->before <= out->rows && (band || (!in->before && !out->before)) &&
              there(b, 0, out->before, out->done);
    if (!ok || out->done == out->before)
        return ok;
    ok = !imf_bands_slice(&slice, b->chain, out->before, out->done, NULL) &&
         there(b, 0, slice->window[0].before, slice->window[0].done);
    imf_bands_free(&slice);
    return ok;
}

/* All that the passes of a slice read is there; of no more rows than are asked for. */
static bool slice_right(const struct imf_chain *c) {
    int from = integer(0, c->height - 1), to = integer(from + 1, c->height);
    struct imf_bands *b = NULL;
    bool ok = !imf_bands_slice(&b, c, from, to, NULL) && b->window[c->count].before == from &&
              b->window[c->count].done == to;
    if (ok && c->edge != IMF_EDGE_WRAP) /* whose margins at one end repeat rows of the other */
        ok = band_right(b, &b->segment[0]);
    imf_bands_free(&b);
    return ok;
}

/* What bands carry from one to the next is what passes reach back to, however high a step is. */
static void test_carried(void) {
    struct imf_pass pass = {.channels_in = 1, .channels_out = 1, .source = -1, .second = -2};
    struct imf_chain chain = {.width = 5,
                              .height = 1000,
                              .channels_in = 1,
                              .channels_out = 1,
                              .count = 1,
                              .passes = &pass};
    const enum imf_bands_wish wish = IMF_BANDS_FEW;
    const int step = 100, taps = 31;
    const struct imf_bands_options ask = {&wish, &step, 0, {.advance = step, .streams = true}};
    struct imf_kernel *kernel = NULL;
    struct imf_bands *b = NULL;
    if (imf_kernel_create(&kernel, 1, taps, NULL))
        abort();
    kernel->cy = taps / 2;
    imf_problem_convolve(&pass.problem, kernel);
    bool ok = !imf_bands_make(&b, &chain, &ask, NULL) && b->streams;
    CHECK(ok && b->window[0].rows <= step + 2 * taps, "%d rows of the image are held",
          b ? b->window[0].rows : -1);
    imf_bands_free(&b);
    imf_kernel_free(&kernel);
}

int main(void) {
    int streams = 0;
    test_carried();
    for (int n = 0; n < 20000; n++) {
        struct random_chain r;
        struct imf_bands *b;
        make_chain(&r);
        int advance = integer(1, 20), bands = 0;
        const struct imf_bands_options ask = {
            r.wish, r.step, 0, {.advance = advance, .streams = integer(0, 1)}};
        bool ok = !imf_bands_make(&b, &r.chain, &ask, NULL);
        streams += ok && b->streams;
        for (int k = 0; ok && k < b->count; k++) {
            const struct imf_segment *s = &b->segment[k];
            for (int band = 0; band < s->bands && ok; band++, bands++) {
                imf_bands_go(b, s, band);
                ok = band_right(b, s) && ends_right(b, band);
            }
            for (int i = s->first; i < s->end; i++)
                ok = ok && b->window[i + 1].done == r.chain.height;
        }
        ok = ok && slice_right(&r.chain);
        CHECK(ok, "chain %d: %d passes, %d rows, edge %d, advance %d, in band %d", n, r.chain.count,
              r.chain.height, (int)r.chain.edge, advance, bands);
        imf_bands_free(&b);
        for (int i = 0; i < PASSES; i++)
            imf_kernel_free(&r.kernel[i]);
    }
    CHECK(streams > 1000, "%d chains whose rows stream", streams);
    return check_done("test_bands");
}
