/*
 * incremental.c - ranks of bytes in any element, updated from row to row
 *
 * The sample of rank k is the least value v such that more than k samples of the window are <= v.
 * Bisection for it counts all samples once for each bit. But the result mostly equals that of the
 * window above, or nearly. So two counts are kept for each column: samples below the last result, and
 * samples up to it. From a row to the next only the samples that enter and leave the window change
 * them. If they still enclose the rank, the result stays. Otherwise all samples are counted at a
 * distance of 1, 2, 4, 8... from the last result, then between, until all windows of a vector are done.
 */
#include "solver/rank/incremental.h"

#include "base/clones.h"

#include <stdlib.h>
#include <string.h>

#define LANES IMF_INCREMENTAL_LANES
#define VECTOR 32 /* bytes */
#define MOST 255  /* samples that a byte counts */

#define INLINE static inline __attribute__((always_inline))

typedef int8_t samples __attribute__((vector_size(VECTOR), aligned(1), may_alias));
typedef uint8_t counts __attribute__((vector_size(VECTOR), aligned(1), may_alias));

/* ---- runs ------------------------------------------------------------------------------------ */

/* The parts of the runs, which are in order, that no run `shift` rows below covers. */
static int subtract(struct imf_run *to, const struct imf_run *all, int count, int shift) {
    int n = 0, first = 0;
    for (int i = 0; i < count; i++) {
        struct imf_run part = all[i];
        while (first < count && all[first].dy < part.dy + shift)
            first++;
        for (int k = first; k < count && all[k].dy == part.dy + shift; k++) {
            const struct imf_run *r = &all[k];
            if (r->to <= part.from || r->from >= part.to)
                continue;
            if (r->from > part.from)
                to[n++] = (struct imf_run){part.dy, part.from, r->from};
            part.from = r->to;
        }
        if (part.from < part.to)
            to[n++] = part;
    }
    return n;
}

enum imf_status imf_incremental_open(struct imf_incremental *f, const struct imf_run *runs,
                                     int run_count, int top, int left, struct imf_error *err) {
    /* A run of another row splits a run into two parts at most. */
    size_t count = (size_t)run_count, bytes = 5 * count * sizeof *runs;
    f->runs = malloc(bytes);
    if (!f->runs)
        return imf_fail_memory(err, bytes);
    f->run_count = run_count;
    f->fresh = f->runs + count;
    f->old = f->fresh + 2 * count;
    for (int i = 0; i < run_count; i++)
        f->runs[i] = (struct imf_run){runs[i].dy - top + 1, runs[i].from - left, runs[i].to - left};
    f->fresh_count = subtract(f->fresh, f->runs, run_count, 1);
    f->old_count = subtract(f->old, f->runs, run_count, -1);
    for (int i = 0; i < f->old_count; i++)
        f->old[i].dy--;
    return IMF_OK;
}

void imf_incremental_close(struct imf_incremental *f) {
    free(f->runs);
    f->runs = NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Of LANES windows: the last result, the samples below it, and the samples up to it. */
struct state {
    int8_t at[LANES];
    uint16_t below[LANES], upto[LANES];
};

INLINE void add(uint16_t to[LANES], const counts *c0, const counts *c1) {
    uint8_t bytes[LANES];
    memcpy(bytes, c0, sizeof *c0);
    memcpy(bytes + VECTOR, c1, sizeof *c1);
    for (int k = 0; k < LANES; k++)
        to[k] = (uint16_t)(to[k] + bytes[k]);
}

/* Counts the samples of the runs that are above w[]. */
INLINE void count_above(uint16_t to[LANES], const int8_t w[LANES], const struct imf_run *runs,
                        int run_count, const int8_t *const *rows, int step, int x) {
    const samples w0 = *(const samples *)w, w1 = *(const samples *)(w + VECTOR);
    counts c0 = {0}, c1 = {0};
    int room = MOST;
    memset(to, 0, LANES * sizeof *to);
    for (int i = 0; i < run_count; i++) {
        const int8_t *p = rows[runs[i].dy] + x + (ptrdiff_t)runs[i].from * step;
        for (int n, left = runs[i].to - runs[i].from; left > 0; left -= n) {
            if (room == 0) {
                add(to, &c0, &c1);
                c0 = c1 = (counts){0};
                room = MOST;
            }
            n = left < room ? left : room;
            room -= n;
            for (int k = 0; k < n; k++, p += step) {
                c0 -= (counts)(*(const samples *)p > w0);
                c1 -= (counts)(*(const samples *)(p + VECTOR) > w1);
            }
        }
    }
    add(to, &c0, &c1);
}

/* Updates the counts of samples up to w[] by those that enter and leave. */
INLINE void move(uint16_t upto[LANES], const int8_t w[LANES], const struct imf_incremental *f,
                 const int8_t *const *rows, int x) {
    uint16_t fresh[LANES], old[LANES];
    count_above(fresh, w, f->fresh, f->fresh_count, rows, f->step, x);
    count_above(old, w, f->old, f->old_count, rows, f->step, x);
    for (int k = 0; k < LANES; k++)
        upto[k] = (uint16_t)(upto[k] + old[k] - fresh[k]);
}

/* The bytes that may be the result; in 16 bits, as counts are. */
struct range {
    uint16_t low[LANES], high[LANES];
    uint16_t rise[LANES]; /* all bits: search upwards from low; none: downwards from high */
};

#define SIGN 0x80 /* turns a byte into an ordered sample, and back */
#define CHOOSE(mask, a, b) ((uint16_t)(((a) & (mask)) | ((b) & ~(mask))))
#define MASK(condition) ((uint16_t) - (condition))

/* The range of all bytes for the first row, otherwise what the kept counts leave. */
INLINE void begin(struct range *r, struct state *s, uint16_t all, uint16_t rank, bool first) {
    for (int k = 0; k < LANES; k++) {
        const uint16_t at = (uint8_t)s->at[k] ^ SIGN, below = s->below[k], upto = s->upto[k];
        const uint16_t rise = (uint16_t)(MASK(upto <= rank) | MASK(first)),
                       fall = (uint16_t)(MASK(below > rank) & ~rise);
        r->rise[k] = rise;
        r->low[k] = CHOOSE(rise, first ? 0 : at + 1, at & ~fall);
        r->high[k] = CHOOSE(rise, MOST, CHOOSE(fall, at - 1, at));
        s->below[k] = CHOOSE(rise, first ? 0 : upto, below & ~fall);
        s->upto[k] = CHOOSE(rise, all, CHOOSE(fall, below, upto));
    }
}

IMF_CLONES_32 static void update(struct state *s, const struct imf_incremental *f,
                                 const int8_t *const *rows, bool first, int x) {
    const uint16_t all = (uint16_t)f->count, rank = (uint16_t)f->rank;
    struct range r;
    uint16_t above[LANES];
    int8_t w[LANES];
    if (!first) {
        move(s->upto, s->at, f, rows, x);
        for (int k = 0; k < LANES; k++)
            /* Of the least byte this is the greatest, which changes no count. */
            w[k] = (int8_t)(uint8_t)(s->at[k] - 1);
        move(s->below, w, f, rows, x);
    }
    begin(&r, s, all, rank, first);
    for (uint16_t far = first ? 128 : 1;; far = (uint16_t)(far < 128 ? 2 * far : far)) {
        uint16_t wider = 0;
        for (int k = 0; k < LANES; k++)
            wider |= r.low[k] ^ r.high[k];
        if (!wider)
            break;
        for (int k = 0; k < LANES; k++) {
            const uint16_t range = (uint16_t)(r.high[k] - r.low[k]), half = range / 2,
                           rest = (uint16_t)(range - half);
            const uint16_t rise = (uint16_t)(r.low[k] + (half < far - 1 ? half : far - 1)),
                           fall = (uint16_t)(r.high[k] - (rest < far ? rest : far));
            w[k] = (int8_t)(uint8_t)(CHOOSE(r.rise[k], rise, fall) ^ SIGN);
        }
        count_above(above, w, f->runs, f->run_count, rows, f->step, x);
        for (int k = 0; k < LANES; k++) {
            const uint16_t upto = (uint16_t)(all - above[k]), at = (uint8_t)w[k] ^ SIGN;
            const uint16_t more = MASK(upto > rank);
            r.high[k] = CHOOSE(more, at, r.high[k]);
            r.low[k] = CHOOSE(more, r.low[k], at + 1);
            s->upto[k] = CHOOSE(more, upto, s->upto[k]);
            s->below[k] = CHOOSE(more, s->below[k], upto);
        }
    }
    for (int k = 0; k < LANES; k++)
        s->at[k] = (int8_t)(uint8_t)(r.low[k] ^ SIGN);
}

/* The results of all lanes come first, then their states. */
static size_t rounded(int n) {
    return ((size_t)n + LANES - 1) / LANES * LANES;
}

size_t imf_incremental_bytes(int n) {
    return rounded(n) + rounded(n) / LANES * sizeof(struct state);
}

const int8_t *imf_incremental_row(const struct imf_incremental *f, const int8_t *const *rows,
                                  bool first, void *kept, int n) {
    int8_t *at = kept;
    struct state *s = (void *)((char *)kept + rounded(n));
    for (int x = 0; x < n; x += LANES, s++) {
        update(s, f, rows, first, x);
        memcpy(at + x, s->at, LANES);
    }
    return at;
}
