/*
 * bands.c - which rows each pass of a chain makes when
 *
 * In band n a segment's last output is made down to row (n + 1) * advance - (largest lead); a
 * surface leads it by what its readers reach below, so that no pass makes more than `advance` rows
 * in a band, but for the first ones when a top margin repeats more.
 *
 * A bottom margin repeats rows that are still there when the image's last row is made: a reader
 * that reaches m rows down has by then not passed row height - m, and edges repeat nothing above
 * row height - 1 - m. Wrapped edges do, so a chain is cut before a pass that reads across them.
 */
#include "plan/bands.h"

#include "device/tuning.h"
#include "solver/edge.h"

#include <limits.h>
#include <stdlib.h>

/* Rows above and below that a pass reads. */
static struct imf_margin reach(const struct imf_pass *pass) {
    struct imf_margin m = {0, 0, 0, 0};
    if (pass->kind != IMF_PASS_CONVOLVE)
        return m;
    m = pass->problem.reach;
    int rim = pass->composition ? imf_composition_reach(pass->composition) : 0;
    m.top += rim;
    m.bottom += rim;
    return m;
}

static bool reads(const struct imf_pass *pass, int index) {
    return pass->source == index - 1 || pass->second == index - 1;
}

/* The surface is a window: written by a pass of a segment and read by that segment only. */
static bool is_window(const struct imf_bands *b, const struct imf_segment *s, int index) {
    if (index <= s->first || index > s->end || index == b->chain->count)
        return false;
    bool read = false;
    for (int i = index; i < b->chain->count; i++) {
        if (reads(&b->chain->passes[i], index) && i >= s->end)
            return false;
        read = read || reads(&b->chain->passes[i], index);
    }
    return read;
}

/* Whether a segment must end before pass i. */
static bool cut(const struct imf_chain *c, int i, const enum imf_bands_wish *wish) {
    const struct imf_pass *pass = &c->passes[i];
    struct imf_margin m = reach(pass);
    return i == 0 || wish[i] == IMF_BANDS_WHOLE || wish[i - 1] == IMF_BANDS_WHOLE ||
           (c->edge == IMF_EDGE_WRAP && pass->source >= 0 && m.top + m.bottom > 0);
}

/* Rows from the top that the top margin of a surface repeats. */
static int repeated(const struct imf_chain *c, int top) {
    int rows = 0;
    for (int y = -top; y < 0; y++)
        rows = imf_max(rows, imf_edge_index(c->edge, y, c->height) + 1);
    return rows;
}

/* How far surfaces lead, from the segment's last output back. */
static void set_leads(struct imf_bands *b, const struct imf_segment *s) {
    const struct imf_chain *c = b->chain;
    for (int index = s->end; index > s->first; index--) {
        struct imf_window *w = &b->window[index];
        for (int i = index; i < s->end; i++) {
            int below = reach(&c->passes[i]).bottom;
            if (!reads(&c->passes[i], index))
                continue;
            if (c->passes[i].kind == IMF_PASS_CONVOLVE)
                w->least = imf_max(w->least, repeated(c, imf_chain_margin(c, index - 1).top));
            w->lead = imf_max(w->lead, b->window[i + 1].lead + below);
            w->least = imf_max(w->least, b->window[i + 1].least + below);
        }
    }
}

static int largest_lead(const struct imf_bands *b, const struct imf_segment *s) {
    int lead = 0;
    for (int index = s->first + 1; index <= s->end; index++)
        lead = imf_max(lead, b->window[index].lead);
    return lead;
}

/* Bytes of a row of all windows of a segment, and the most rows of margins. */
static enum imf_status measure_row(const struct imf_bands *b, const struct imf_segment *s,
                                   size_t *bytes, size_t *kept, int *most, struct imf_error *err) {
    const struct imf_chain *c = b->chain;
    *bytes = *kept = 0;
    *most = 0;
    for (int index = s->first + 1; index < s->end; index++) {
        struct imf_surface one;
        struct imf_margin m = imf_chain_margin(c, index - 1);
        int rows = m.top + m.bottom;
        if (!is_window(b, s, index))
            continue;
        m.top = m.bottom = 0;
        enum imf_status st = imf_surface_layout(&one, c->passes[index - 1].out, c->width, 1,
                                                c->passes[index - 1].channels_out, m, err);
        if (st)
            return st;
        *bytes += imf_surface_bytes(&one);
        *kept += imf_surface_bytes(&one) * (size_t)rows;
        *most = imf_max(*most, rows);
    }
    return IMF_OK;
}

/* Kernels walk over so many rows at most, and over a multiple of STEP: of a few rows more, one
 * processor would get the long walks and another the short ones. */
#define WALK 64
#define STEP 8
/* How much larger windows are where bands should be few. */
#define FEW 4

static enum imf_status choose_bands(struct imf_bands *b, struct imf_segment *s,
                                    const enum imf_bands_wish *wish, size_t budget, int advance,
                                    struct imf_error *err) {
    size_t row, kept, all = (size_t)b->chain->height + (size_t)largest_lead(b, s);
    int most;
    enum imf_status st = measure_row(b, s, &row, &kept, &most, err);
    s->bands = 1;
    if (st || !row)
        return st;
    bool few = false;
    for (int i = s->first; i < s->end; i++)
        few = few || wish[i] == IMF_BANDS_FEW;
    size_t fit = budget > kept ? (budget - kept) / row : 0;
    if (few && fit < all)
        fit *= FEW;
    fit = fit > 2 * (size_t)most ? fit : 2 * (size_t)most;
    fit = fit >= WALK ? fit / WALK * WALK : (fit + STEP - 1) / STEP * STEP;
    if (advance > 0)
        fit = (size_t)advance;
    if (fit >= all)
        return IMF_OK;
    if (few && advance == 0) { /* of equal height, as planned for */
        size_t bands = (all - 1) / fit + 1;
        fit = ((all - 1) / bands + STEP) / STEP * STEP;
    }
    s->advance = (int)fit;
    s->bands = (int)((all - 1) / fit) + 1;
    return IMF_OK;
}

/* The first row that readers of a window still reach. */
static int oldest(const struct imf_bands *b, const struct imf_segment *s, int index) {
    const struct imf_chain *c = b->chain;
    int row = INT_MAX;
    for (int i = index; i < s->end; i++)
        if (reads(&c->passes[i], index))
            row = imf_min(row, b->window[i + 1].before - reach(&c->passes[i]).top);
    return imf_max(row, -imf_chain_margin(c, index - 1).top);
}

int imf_bands_end(const struct imf_bands *b, int index, int rows) {
    const struct imf_chain *c = b->chain;
    return rows < c->height ? rows : rows + imf_chain_margin(c, index - 1).bottom;
}

void imf_bands_go(struct imf_bands *b, const struct imf_segment *s, int band) {
    const struct imf_chain *c = b->chain;
    int target = c->height;
    if (band < s->bands - 1)
        target = (band + 1) * s->advance - largest_lead(b, s);
    for (int index = 0; index <= c->count; index++) {
        struct imf_window *w = &b->window[index];
        w->before = band ? w->done : 0;
        w->done = c->height;
        if (index > s->first && index <= s->end && target < c->height - w->lead) {
            int rows = target + w->lead;
            w->done = rows <= 0 ? 0 : imf_min(imf_max(rows, w->least), c->height);
        }
    }
    for (int index = s->first + 1; index < s->end; index++) {
        struct imf_window *w = &b->window[index];
        int kept = w->rows ? oldest(b, s, index) : 0;
        w->moved = band ? kept - w->kept : 0;
        w->kept = kept;
    }
}

/* Go through all bands and note how many rows are made, and stored, at most. */
static void measure(struct imf_bands *b, const struct imf_segment *s) {
    for (int index = s->first + 1; index <= s->end; index++)
        b->window[index].rows = s->bands > 1 && is_window(b, s, index);
    for (int band = 0; band < s->bands; band++) {
        imf_bands_go(b, s, band);
        for (int index = s->first + 1; index <= s->end; index++) {
            struct imf_window *w = &b->window[index];
            w->tallest = imf_max(w->tallest, w->done - w->before);
            if (w->rows)
                w->rows = imf_max(w->rows, imf_bands_end(b, index, w->done) - w->kept);
        }
    }
}

enum imf_status imf_bands_make(struct imf_bands **out, const struct imf_chain *c,
                               const enum imf_bands_wish *wish, size_t budget, int advance,
                               struct imf_error *err) {
    struct imf_bands *b = *out = calloc(1, sizeof *b);
    if (!b)
        return imf_fail_memory(err, sizeof *b);
    b->chain = c;
    b->segment = calloc((size_t)c->count, sizeof *b->segment);
    b->window = calloc((size_t)c->count + 1, sizeof *b->window);
    enum imf_status st = b->segment && b->window ? IMF_OK : imf_fail_memory(err, sizeof *b->window);
    for (int i = 0; i < c->count && !st; i++) {
        if (cut(c, i, wish))
            b->segment[b->count++].first = i;
        b->segment[b->count - 1].end = i + 1;
    }
    for (int k = 0; k < b->count && !st; k++) {
        set_leads(b, &b->segment[k]);
        st = choose_bands(b, &b->segment[k], wish, budget, advance, err);
        if (!st)
            measure(b, &b->segment[k]);
    }
    if (st)
        imf_bands_free(out);
    return st;
}

enum imf_status imf_bands_plan(struct imf_bands **out, const struct imf_chain *c,
                               const struct imf_proposal *taken, int advance,
                               const struct imf_device *d, struct imf_error *err) {
    enum imf_bands_wish *wish = calloc((size_t)c->count, sizeof *wish);
    *out = NULL;
    if (!wish)
        return imf_fail_memory(err, (size_t)c->count * sizeof *wish);
    for (int i = 0; i < c->count; i++) {
        const struct imf_pass *pass = &c->passes[i];
        if (pass->kind == IMF_PASS_POINT)
            wish[i] = pass->point.normalize ? IMF_BANDS_WHOLE : IMF_BANDS_MANY;
        else
            wish[i] = taken[i].solver ? taken[i].bands : IMF_BANDS_WHOLE;
        /* The host filters rims between bands, while the device waits. */
        if (pass->composition && pass->composition->rim && wish[i] == IMF_BANDS_MANY)
            wish[i] = IMF_BANDS_FEW;
    }
    enum imf_status st = imf_bands_make(out, c, wish, imf_tuning_band_bytes(d), advance, err);
    free(wish);
    return st;
}

enum imf_status imf_bands_whole(struct imf_bands **out, const struct imf_chain *c,
                                struct imf_error *err) {
    enum imf_bands_wish *wish = calloc((size_t)c->count, sizeof *wish);
    *out = NULL;
    if (!wish)
        return imf_fail_memory(err, (size_t)c->count * sizeof *wish);
    for (int i = 0; i < c->count; i++)
        wish[i] = IMF_BANDS_WHOLE;
    enum imf_status st = imf_bands_make(out, c, wish, 0, 0, err);
    free(wish);
    return st;
}

void imf_bands_free(struct imf_bands **bands) {
    if (!*bands)
        return;
    free((*bands)->segment);
    free((*bands)->window);
    free(*bands);
    *bands = NULL;
}
