/*
 * bands.c - which rows each pass of a chain makes in which band
 *
 * In band n a segment's last output is made down to row (n + 1) * advance - (largest lead), rounded
 * up to a multiple of its step, and every other surface as far down as its readers reach. A
 * surface's lead is the sum of what its readers, and theirs, reach below a row.
 *
 * A bottom margin repeats rows that are still in the window when the image's last row is made: a
 * reader that reaches m rows down needs rows from height - m on, and edges repeat no row above
 * height - 1 - m. Wrapped edges do, so a chain is cut before a pass that reads across them.
 */
#include "plan/bands.h"

#include "solver/common/edge.h"

#include <limits.h>
#include <stdlib.h>

static bool reads(const struct imf_pass *pass, int index) {
    return pass->source == index - 1 || pass->second == index - 1;
}

/* A surface that a segment writes and that no other segment reads is a window. */
static bool is_window(const struct imf_bands *b, const struct imf_segment *s, int index) {
    if (index == 0 || index == b->chain->count)
        return b->streams;
    if (index <= s->first || index > s->end)
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
    struct imf_margin m = pass->problem.reach;
    return i == 0 || wish[i] == IMF_BANDS_WHOLE || wish[i - 1] == IMF_BANDS_WHOLE ||
           (c->edge == IMF_EDGE_WRAP && pass->source >= 0 && m.top + m.bottom > 0);
}

/* How many rows of a surface, from the top, its top margin repeats. */
static int repeated(const struct imf_chain *c, int index) {
    enum imf_edge edge = imf_chain_edge(c, index);
    int rows = 0;
    for (int y = -imf_chain_margin(c, index).top; y < 0; y++)
        rows = imf_max(rows, imf_edge_index(edge, y, c->height) + 1);
    return rows;
}

/* The first surface that moves with a segment's bands. */
static int lowest(const struct imf_bands *b, const struct imf_segment *s) {
    return b->streams ? 0 : s->first + 1;
}

static int round_up(int rows, int step) {
    int64_t up = ((int64_t)rows + step - 1) / step * step;
    return up < INT_MAX ? (int)up : INT_MAX;
}

/* Set lead and least, from the segment's last output back. */
static void set_leads(struct imf_bands *b, const struct imf_segment *s) {
    const struct imf_chain *c = b->chain;
    for (int index = s->end; index >= lowest(b, s); index--) {
        struct imf_window *w = &b->window[index];
        w->lead = w->least = 0;
        for (int i = index; i < s->end; i++) {
            const struct imf_window *made = &b->window[i + 1];
            int below = c->passes[i].problem.reach.bottom;
            if (!reads(&c->passes[i], index))
                continue;
            if (c->passes[i].kind == IMF_PASS_CONVOLVE)
                w->least = imf_max(w->least, repeated(c, index - 1));
            w->lead = imf_max(w->lead, made->lead + below);
            w->least = imf_max(w->least, made->least + below);
        }
        w->least = round_up(w->least, w->step);
    }
}

static int largest_lead(const struct imf_bands *b, const struct imf_segment *s) {
    int lead = 0;
    for (int index = lowest(b, s); index <= s->end; index++)
        lead = imf_max(lead, b->window[index].lead);
    return lead;
}

/* *bytes: of one row of all windows of a segment; *kept: of the rows of their margins; *most: the
 * most rows of margins that one has. */
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

/* OpenCL kernels compute blocks of at most ROW_BLOCK rows, a multiple of ROW_STEP. With a few rows
 * more in a band, one processor would get the tall blocks and another the short ones. */
#define ROW_BLOCK 64
#define ROW_STEP 8
/* Windows are larger by this factor where bands should be few. */
#define FEW 4
/* For rows that stream: the bytes of a band's image and result, which stay in the cache from the
 * decoder to the encoder; the least number of bands, with fewer of which decoding the first and
 * encoding the last is most of the work; the most; and the least bytes that are worth the
 * threads. */
#define IO_BAND_BYTES ((size_t)3 << 20)
#define IO_BANDS 8
#define IO_BANDS_MOST 65536
#define IO_LEAST_BYTES ((size_t)1 << 20)

/* The least common multiple of the passes' steps, or the largest step if that exceeds `most`. */
static int common_step(const struct imf_bands *b, const struct imf_segment *s, size_t most) {
    int64_t common = 1, largest = 1;
    for (int index = s->first + 1; index <= s->end; index++) {
        int64_t x = common, y = b->window[index].step;
        largest = y > largest ? y : largest;
        while (y) {
            int64_t rest = x % y;
            x = y;
            y = rest;
        }
        common = common / x * b->window[index].step;
        if (common > (int64_t)most)
            return (int)largest;
    }
    return (int)common;
}

/* How many rows a band has by the image and the result alone. */
static enum imf_status fit_io(const struct imf_bands *b, size_t all, bool few, size_t *fit,
                              struct imf_error *err) {
    const struct imf_chain *c = b->chain;
    const struct imf_margin none = {0, 0, 0, 0};
    struct imf_surface in, out;
    enum imf_status st = imf_surface_layout(&in, c->in, c->width, 1, c->channels_in, none, err);
    if (!st)
        st = imf_surface_layout(&out, c->out, c->width, 1, c->channels_out, none, err);
    if (st)
        return st;
    size_t row = imf_surface_bytes(&in) + imf_surface_bytes(&out); /* of both together */
    *fit = IO_BAND_BYTES * (few ? FEW / 2 : 1) / row;
    *fit = *fit < all / IO_BANDS ? *fit : all / IO_BANDS;
    *fit = *fit > all / IO_BANDS_MOST ? *fit : all / IO_BANDS_MOST;
    *fit = *fit > 0 ? *fit : 1;
    if (row * (size_t)c->height < IO_LEAST_BYTES)
        *fit = all; /* not worth the threads */
    return IMF_OK;
}

static enum imf_status choose_bands(struct imf_bands *b, struct imf_segment *s,
                                    const struct imf_bands_options *options,
                                    struct imf_error *err) {
    size_t row, kept, all = (size_t)b->chain->height + (size_t)largest_lead(b, s);
    int most, advance = options->form.advance, halved = options->form.halved;
    enum imf_status st = measure_row(b, s, &row, &kept, &most, err);
    s->bands = 1;
    if (st || (!row && !b->streams))
        return st;
    bool few = false;
    for (int i = s->first; i < s->end; i++)
        few = few || options->wish[i] == IMF_BANDS_FEW;
    size_t fit = all, io = all;
    if (row)
        fit = options->budget > kept ? (options->budget - kept) / row : 0;
    if (few && fit < all)
        fit *= FEW;
    if (b->streams && (st = fit_io(b, all, few, &io, err)))
        return st;
    fit = fit < io ? fit : io;
    if (fit >= all && advance == 0 && !halved)
        return IMF_OK;
    fit = fit > 2 * (size_t)most ? fit : 2 * (size_t)most;
    if (halved)
        fit = (fit < all ? fit : all) >> halved;
    fit =
        fit >= ROW_BLOCK ? fit / ROW_BLOCK * ROW_BLOCK : (fit + ROW_STEP - 1) / ROW_STEP * ROW_STEP;
    fit = fit ? fit : 1; /* a row exceeds the budget */
    size_t step = (size_t)common_step(b, s, all);
    if (step > 1)
        fit = fit > step ? fit / step * step : step;
    if (advance > 0)
        fit = (size_t)advance;
    if (fit >= all)
        return IMF_OK;
    if (few && step == 1 && advance == 0) { /* of equal height, as proposals assume */
        size_t bands = (all - 1) / fit + 1;
        fit = ((all - 1) / bands + ROW_STEP) / ROW_STEP * ROW_STEP;
    }
    s->advance = (int)fit;
    s->bands = (int)((all - 1) / fit) + 1;
    return IMF_OK;
}

/* The first row that readers of a window still need. */
static int oldest(const struct imf_bands *b, const struct imf_segment *s, int index) {
    const struct imf_chain *c = b->chain;
    int row = INT_MAX;
    for (int i = index; i < s->end; i++)
        if (reads(&c->passes[i], index))
            row = imf_min(row, b->window[i + 1].before - c->passes[i].problem.reach.top);
    if (index == 0)
        row = imf_min(row, b->window[c->count].before - b->back);
    if (index == c->count)
        row = b->window[index].before;
    return imf_max(row, -imf_chain_margin(c, index - 1).top);
}

int imf_bands_end(const struct imf_bands *b, int index, int rows) {
    const struct imf_chain *c = b->chain;
    return rows < c->height ? rows : rows + imf_chain_margin(c, index - 1).bottom;
}

/* How many rows of a surface its readers need for the rows that they have made after this band;
 * `target` if only other segments read it. */
static int needed(const struct imf_bands *b, const struct imf_segment *s, int index, int target) {
    const struct imf_chain *c = b->chain;
    bool read = false;
    int rows = 0;
    for (int i = index; i < s->end; i++) {
        int made = b->window[i + 1].done;
        if (!reads(&c->passes[i], index))
            continue;
        read = true;
        if (made > 0)
            rows =
                imf_max(rows, made < c->height ? made + c->passes[i].problem.reach.bottom : made);
    }
    return read ? rows : target;
}

void imf_bands_go(struct imf_bands *b, const struct imf_segment *s, int band) {
    const struct imf_chain *c = b->chain;
    int target = c->height;
    if (b->slice)
        return;
    if (band < s->bands - 1)
        target = (band + 1) * s->advance - largest_lead(b, s);
    for (int index = c->count; index >= 0; index--) {
        struct imf_window *w = &b->window[index];
        w->before = band ? w->done : 0;
        w->done = c->height;
        if (index >= lowest(b, s) && index <= s->end) {
            int rows = needed(b, s, index, target);
            w->done = rows <= 0 ? 0 : imf_max(round_up(rows, w->step), w->least);
            w->done = imf_min(w->done, c->height);
        }
    }
    for (int index = lowest(b, s); index <= s->end; index++) {
        struct imf_window *w = &b->window[index];
        int kept = w->rows ? oldest(b, s, index) : 0;
        w->moved = band ? kept - w->kept : 0;
        w->kept = kept;
    }
}

/* Go through all bands for the most rows that are made and stored. */
static void measure(struct imf_bands *b, const struct imf_segment *s) {
    for (int index = lowest(b, s); index <= s->end; index++)
        b->window[index].rows = s->bands > 1 && is_window(b, s, index);
    for (int band = 0; band < s->bands; band++) {
        imf_bands_go(b, s, band);
        for (int index = lowest(b, s); index <= s->end; index++) {
            struct imf_window *w = &b->window[index];
            w->tallest = imf_max(w->tallest, w->done - w->before);
            if (w->rows)
                w->rows = imf_max(w->rows, imf_bands_end(b, index, w->done) - w->kept);
        }
    }
}

/* How many rows of the image, above and below a row of the result, it depends on. */
static int whole_reach(const struct imf_bands *b) {
    const struct imf_chain *c = b->chain;
    int rows = 0;
    for (int i = 0; i < c->count; i++) {
        struct imf_margin m = c->passes[i].problem.reach;
        rows += m.top + m.bottom;
    }
    return rows;
}

/* Why rows cannot stream through the chain, or NULL. They can through a single segment that reads
 * no rows from the image's other end. */
static const char *find_whole_image_reason(const struct imf_bands *b,
                                           const struct imf_bands_options *options) {
    const struct imf_chain *c = b->chain;
    if (!options->form.streams)
        return "it is read, written or looked at as a whole";
    for (int i = 0; i < c->count; i++) {
        struct imf_margin m = c->passes[i].problem.reach;
        if (options->wish[i] == IMF_BANDS_WHOLE)
            return "the filter takes all of it at once";
        if (c->edge == IMF_EDGE_WRAP && m.top + m.bottom > 0)
            return "--edge=wrap joins its first and last rows";
    }
    return b->count > 1 || c->height >= INT_MAX / 4 ? "it is too high" : NULL;
}

static enum imf_status plan_segment(struct imf_bands *b, struct imf_segment *s,
                                    const struct imf_bands_options *options,
                                    struct imf_error *err) {
    set_leads(b, s);
    enum imf_status st = choose_bands(b, s, options, err);
    if (!st && b->streams && s->bands == 1) {
        b->streams = false;
        b->whole_image_reason = "it is small, or not much higher than the filter reaches";
        return plan_segment(b, s, options, err);
    }
    if (!st)
        measure(b, s);
    return st;
}

enum imf_status imf_bands_open(struct imf_bands **out, const struct imf_chain *c,
                               struct imf_error *err) {
    struct imf_bands *b = *out = calloc(1, sizeof *b);
    if (!b)
        return imf_fail_memory(err, sizeof *b);
    b->chain = c;
    b->segment = calloc((size_t)c->count, sizeof *b->segment);
    b->window = calloc((size_t)c->count + 1, sizeof *b->window);
    if (b->segment && b->window)
        return IMF_OK;
    imf_bands_free(out);
    return imf_fail_memory(err, ((size_t)c->count + 1) * sizeof(struct imf_window));
}

enum imf_status imf_bands_make(struct imf_bands **out, const struct imf_chain *c,
                               const struct imf_bands_options *options, struct imf_error *err) {
    enum imf_status st = imf_bands_open(out, c, err);
    if (st)
        return st;
    struct imf_bands *b = *out;
    for (int i = 0; i < c->count; i++) {
        if (cut(c, i, options->wish))
            b->segment[b->count++].first = i;
        b->segment[b->count - 1].end = i + 1;
    }
    for (int i = 0; i <= c->count; i++)
        b->window[i].step = i && options->step ? options->step[i - 1] : 1;
    b->whole_image_reason = find_whole_image_reason(b, options);
    b->streams = !b->whole_image_reason;
    b->back = whole_reach(b);
    for (int k = 0; k < b->count && !st; k++)
        st = plan_segment(b, &b->segment[k], options, err);
    if (st)
        imf_bands_free(out);
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
