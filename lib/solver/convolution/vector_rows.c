/*
 * vector_rows.c - the inner loops of solver/convolution/vector.c
 *
 * A strip of a row at a time goes through loops over samples that compilers vectorise, with as many
 * taps side by side as stay in registers. Results do not depend on strips or the vectors' width: each
 * sample's operations and their order are the same, and products are not contracted with sums
 * (-ffp-contract=off), so that every clone gives the same bits.
 *
 * Only functions that loop over samples have clones, and they are not inlined: a call for a strip costs
 * little, and inlining them everywhere would take compilers half a minute. Their n is rounded to a
 * multiple of IMF_SLACK, which spares the scalar rest of each loop, two thirds of the code.
 */
#include "solver/convolution/vector_rows.h"

#include "base/clones.h"
#include "solver/strips.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#define STRIP IMF_VECTOR_STRIP /* its buffers take half of a first-level cache */
#define WIDE (STRIP + IMF_VECTOR_REACH + IMF_SLACK)

/* ---- sums ------------------------------------------------------------------------------------ */

#define ONE(k) +by[k] * (WORK)p[k][i]
#define TWO(k) +by[k] * (WORK)(p[k][i] + q[k][i])
#define TIMES2(term) term(0) term(1)
#define TIMES3(term) TIMES2(term) term(2)
#define TIMES4(term) TIMES3(term) term(3)
#define TIMES5(term) TIMES4(term) term(4)
#define TIMES9(term) TIMES5(term) term(5) term(6) term(7) term(8)

/* Add the products of `count` taps to the sums, or set the sums unless `more`. Samples are at p[], the
 * second samples of pairs at q[]. */
#define ADD(sum, type, count, terms)                                                               \
    do {                                                                                           \
        const type *p[count], *q[count];                                                           \
        WORK by[count];                                                                            \
        for (int k = 0; k < (count); k++)                                                          \
            p[k] = at[k], q[k] = other[k], by[k] = tap[k];                                         \
        (void)q;                                                                                   \
        if (more)                                                                                  \
            for (int i = 0; i < n; i++)                                                            \
                (sum)[i] = (SUM)((sum)[i] terms);                                                  \
        else                                                                                       \
            for (int i = 0; i < n; i++)                                                            \
                (sum)[i] = (SUM)(terms);                                                           \
        more = true;                                                                               \
        at += (count), other += (count), tap += (count), left -= (count);                          \
    } while (0)

/* One loop over groups of taps. Nine taps are a 3x3 kernel or, in pairs, half of a row of 17. */
#define ADD_ALL(sum, type, count, term)                                                            \
    for (int left = (count); left > 0;) {                                                          \
        if (left >= 9)                                                                             \
            ADD(sum, type, 9, TIMES9(term));                                                       \
        else if (left >= 5)                                                                        \
            ADD(sum, type, 5, TIMES5(term));                                                       \
        else if (left == 4)                                                                        \
            ADD(sum, type, 4, TIMES4(term));                                                       \
        else if (left == 3)                                                                        \
            ADD(sum, type, 3, TIMES3(term));                                                       \
        else if (left == 2)                                                                        \
            ADD(sum, type, 2, TIMES2(term));                                                       \
        else                                                                                       \
            ADD(sum, type, 1, term(0));                                                            \
    }

#define SUM uint16_t
#define WORK unsigned
#define NARROW_SUMS(name, type)                                                                    \
    IMF_CLONES static void name(uint16_t *restrict sum, const void *const *at,                     \
                                const void *const *other, const struct imf_vector_sum *s, int n) { \
        const uint16_t *tap = s->whole;                                                            \
        n &= -IMF_SLACK;                                                                           \
        bool more = false;                                                                         \
        if (!s->count)                                                                             \
            memset(sum, 0, (size_t)n * sizeof *sum);                                               \
        ADD_ALL(sum, type, s->count, ONE)                                                          \
    }
NARROW_SUMS(narrow_bytes, uint8_t)
NARROW_SUMS(narrow_sums, uint16_t)
#undef SUM
#undef WORK

#define SUM float
#define WORK float
#define FLOAT_SUMS(name, type)                                                                     \
    IMF_CLONES static void name(float *restrict sum, const void *const *at,                        \
                                const void *const *other, const float *tap, int pairs, int count,  \
                                bool more, int n) {                                                \
        n &= -IMF_SLACK;                                                                           \
        if (!more && !count)                                                                       \
            memset(sum, 0, (size_t)n * sizeof *sum);                                               \
        ADD_ALL(sum, type, pairs, TWO)                                                             \
        ADD_ALL(sum, type, count - pairs, ONE)                                                     \
    }
FLOAT_SUMS(float_bytes, uint8_t)
FLOAT_SUMS(float_words, uint16_t)
FLOAT_SUMS(float_floats, float)
#undef SUM
#undef WORK

static void float_sums(float *sum, enum imf_sample sample, const struct imf_vector_taps *t,
                       bool more, int n) {
    (sample == IMF_U8    ? float_bytes
     : sample == IMF_U16 ? float_words
                         : float_floats)(sum, t->at, t->other, t->tap, t->pairs, t->count, more, n);
}

/* ---- the end of a strip ---------------------------------------------------------------------- */

IMF_CLONES static void end_narrow(const struct imf_vector_end *e, uint8_t *restrict out,
                                  const uint16_t *sum, int n) {
    uint16_t add = (uint16_t)(int)e->add, mul2 = (uint16_t)(int)e->mul2;
    uint16_t add2 = (uint16_t)(int)e->add2;
    if (e->absolute)
        for (int i = 0; i < n; i++) {
            int16_t v = (int16_t)(sum[i] + add);
            v = (int16_t)(v < 0 ? -v : v);
            v = (int16_t)((unsigned)v * mul2 + add2);
            v = v < 0 ? 0 : v;
            out[i] = (uint8_t)(v > 255 ? 255 : v);
        }
    else
        for (int i = 0; i < n; i++) {
            int16_t v = (int16_t)(sum[i] + add);
            v = v < 0 ? 0 : v;
            out[i] = (uint8_t)(v > 255 ? 255 : v);
        }
}

/* The nearest integer, ties to even, of 0..65535: floats from 1.5 * 2^23 on have no fraction. */
INLINE unsigned rounded(float v) {
    unsigned bits;
    v += 12582912.0f;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* For a literal `most` gcc 12 masks bytes instead, which takes up to four times as long. */
#define END(name, type)                                                                            \
    INLINE void name(type *restrict out, const float *v, float mul, float add, float most,         \
                     int n) {                                                                      \
        for (int i = 0; i < n; i++) {                                                              \
            float x = v[i] * mul + add;                                                            \
            x = x > 0 ? x : 0;                                                                     \
            x = x < most ? x : most;                                                               \
            out[i] = (type)rounded(x);                                                             \
        }                                                                                          \
    }
END(end_bytes, uint8_t)
END(end_words, uint16_t)

INLINE void end_floats(float *restrict out, const float *v, float mul, float add, int n) {
    for (int i = 0; i < n; i++)
        out[i] = v[i] * mul + add;
}

/* The epilogue of a strip; steps that few epilogues have are loops of their own. */
IMF_CLONES static void end_strip(const struct imf_vector_end *e, enum imf_sample sample, void *out,
                                 float *restrict v, int n) {
    float mul = e->mul, add = e->add, level = e->level, full = e->full, divisor = e->divisor;
    if (e->absolute) {
        for (int i = 0; i < n; i++)
            v[i] = fabsf(v[i] * mul + add);
        mul = e->mul2;
        add = e->add2;
    }
    if (e->divisor != 1 || e->threshold) {
        for (int i = 0; i < n; i++)
            v[i] = v[i] * mul + add;
        mul = 1;
        add = 0;
    }
    if (e->threshold)
        for (int i = 0; i < n; i++)
            v[i] = v[i] >= level ? full : 0;
    else if (e->divisor != 1)
        for (int i = 0; i < n; i++)
            v[i] /= divisor;
    if (sample == IMF_U8)
        end_bytes(out, v, mul, add, e->most, n);
    else if (sample == IMF_U16)
        end_words(out, v, mul, add, e->most, n);
    else
        end_floats(out, v, mul, add, n);
}

IMF_CLONES static void vector_widen(float *restrict to, const uint16_t *sum, float mul, float add,
                                    int n) {
    for (int i = 0; i < n; i++)
        to[i] = (int16_t)sum[i] * mul + add;
}

IMF_CLONES static void lengths(float *restrict a, const float *b, float by, int n) {
    for (int i = 0; i < n; i++) {
        float x = a[i] * by, y = b[i] * by;
        a[i] = sqrtf(x * x + y * y);
    }
}

/* Doubles hold the squares of integers below 2^24, and their sums, exactly. */
IMF_CLONES static void compare_squares(const struct imf_vector_end *e, float *restrict a,
                                       const float *b, int n) {
    double square = e->square;
    float above = e->above, below = e->below;
    for (int i = 0; i < n; i++) {
        double x = (double)a[i], y = (double)b[i];
        a[i] = x * x + y * y >= square ? above : below;
    }
}

/*
 * Rounded roots of integers, for sums below 2^21. The rounded root t of floats is off by at most one,
 * so that the sum of squares is less than 2^24 from t^2: arithmetic modulo 2^32 gives the difference
 * exactly. t is the nearest if the difference is in -t + 1..t.
 */
IMF_CLONES static void whole_lengths(float *restrict a, const float *b, int n) {
    for (int i = 0; i < n; i++) {
        int t = (int)(sqrtf(a[i] * a[i] + b[i] * b[i]) + 0.5f);
        uint32_t x = (uint32_t)(int)a[i], y = (uint32_t)(int)b[i], r = (uint32_t)t;
        int d = (int)(x * x + y * y - r * r);
        a[i] = (float)(t + (d > t) - (d <= -t && t > 0));
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct buffers {
    _Alignas(64) uint16_t whole[2][WIDE];
    _Alignas(64) float v[2][WIDE];
};

/* Sum `s` of the image's samples into buffer k; n is a multiple of IMF_SLACK. */
static void sum_image(const struct imf_vector_rows *w, const struct imf_vector_sum *s,
                      const struct imf_surface *in, int y, int x, struct buffers *b, int k, int n) {
    const void *at[IMF_VECTOR_TAPS], *other[IMF_VECTOR_TAPS];
    for (int t = 0; t < s->count; t++) {
        at[t] = imf_sample_at(in, y + s->at[t].row, (ptrdiff_t)x + s->at[t].sample);
        other[t] = imf_sample_at(in, y + s->other[t].row, (ptrdiff_t)x + s->other[t].sample);
    }
    const struct imf_vector_taps taps = {at, other, s->tap, s->pairs, s->count};
    if (w->narrow)
        narrow_bytes(b->whole[k], at, other, s, n);
    else
        float_sums(b->v[k], w->in, &taps, false, n);
}

/* Sum the row's taps over buffer 0 into buffer 1; of a further term, add them to buffer 1. */
static void sum_middle(const struct imf_vector_rows *w, int term, struct buffers *b, int n) {
    const struct imf_vector_sum *s = &w->sum[2 * term + 1];
    const void *at[IMF_VECTOR_TAPS], *other[IMF_VECTOR_TAPS];
    for (int t = 0; t < s->count; t++) {
        int i = w->left + s->at[t].sample, j = w->left + s->other[t].sample;
        at[t] = w->narrow ? (const void *)(b->whole[0] + i) : b->v[0] + i;
        other[t] = w->narrow ? (const void *)(b->whole[0] + j) : b->v[0] + j;
    }
    const struct imf_vector_taps taps = {at, other, s->tap, s->pairs, s->count};
    if (w->narrow)
        narrow_sums(b->whole[1], at, other, s, n);
    else
        float_sums(b->v[1], IMF_F32, &taps, term > 0, n);
}

static void strip(const struct imf_vector_rows *w, const struct imf_surface *in,
                  const struct imf_surface *out, int y, int x, struct buffers *b) {
    int rest = w->samples - x, some = rest < STRIP ? rest : STRIP, n = imf_padded(some), last = 0;
    void *to = (char *)imf_surface_row(out, y) + (size_t)x * imf_sample_size(w->out);
    if (w->kind == IMF_VECTOR_SEPARABLE) {
        for (int t = 0; t < w->terms; t++) {
            sum_image(w, &w->sum[2 * t], in, y, x - w->left, b, 0,
                      imf_padded(w->left + some + w->right));
            sum_middle(w, t, b, n);
        }
        last = 1;
    } else {
        sum_image(w, &w->sum[0], in, y, x, b, 0, n);
        if (w->kind == IMF_VECTOR_MAGNITUDE)
            sum_image(w, &w->sum[1], in, y, x, b, 1, n);
    }
    if (w->end.narrow) {
        end_narrow(&w->end, to, b->whole[last], n);
        return;
    }
    bool plain = !w->end.absolute && !w->end.threshold && w->end.divisor == 1;
    if (plain && w->narrow && w->out == IMF_F32 && w->kind != IMF_VECTOR_MAGNITUDE) {
        vector_widen(to, b->whole[last], w->end.mul, w->end.add, n);
        return;
    }
    for (int k = 0; k < 2 && w->narrow; k++)
        if (k == last || w->kind == IMF_VECTOR_MAGNITUDE)
            vector_widen(b->v[k], b->whole[k], 1, 0, n);
    if (w->end.squares)
        compare_squares(&w->end, b->v[0], b->v[1], n);
    else if (w->end.root)
        whole_lengths(b->v[0], b->v[1], some); /* behind these may be no numbers */
    else if (w->kind == IMF_VECTOR_MAGNITUDE)
        lengths(b->v[0], b->v[1], w->end.length, n);
    end_strip(&w->end, w->out, to, b->v[last], n);
}

void imf_vector_rows(const struct imf_vector_rows *w, const struct imf_surface *in,
                     const struct imf_surface *out, int first, int end) {
    struct buffers b = {0}; /* the padding of a strip is summed, too */
    for (int y = first; y < end; y++)
        for (int x = 0; x < w->samples; x += STRIP)
            strip(w, in, out, y, x, &b);
}

/* ---- for those who go over rows otherwise ---------------------------------------------------- */

/* The samples after the last whole vector, added in the same order. -0 + x is x for all x. */
static void sum_rest(float *out, enum imf_sample sample, const struct imf_vector_taps *t, int i,
                     int n) {
    for (; i < n; i++) {
        out[i] = t->count ? -0.0f : 0;
        for (int k = 0; k < t->count; k++) {
            float v = (float)imf_sample_get(t->at[k], sample, i);
            if (k < t->pairs)
                v += (float)imf_sample_get(t->other[k], sample, i);
            out[i] += t->tap[k] * v;
        }
    }
}

void imf_vector_sum(float *out, enum imf_sample sample, const struct imf_vector_taps *t, int n) {
    sum_rest(out, sample, t, n & -IMF_SLACK, n);
    float_sums(out, sample, t, false, n);
}

void imf_vector_finish(const struct imf_vector_end *end, enum imf_sample sample, void *out,
                       float *v, int n) {
    end_strip(end, sample, out, v, n);
}
