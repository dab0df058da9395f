/*
 * clahe_vector.c - contrast-limited adaptive histogram equalization on the host's cores
 *
 * clahe.h has the definition. Each thread counts the rows that tiles have of a band; then, when all are
 * counted, each takes a band of rows to be mapped. Both take strips of a row: first their lumas, as 16-bit values whatever the samples are, so
 * that counting and looking up are written once. Counts are kept twice, for every second pixel: on a
 * blank page two increments of one counter would wait for each other. Between the centres of
 * neighbouring tiles all pixels look up in the same four maps.
 */
#include "solver/histogram/clahe.h"

#include "base/clones.h"
#include "base/pages.h"
#include "device/tuning.h"
#include "solver/common/edge.h"
#include "solver/common/window.h"
#include "solver/cores.h"

#include <string.h>

#define STRIP 1024 /* pixels */
#define CHANNELS 4

/* A column's tiles; from `end` on they are others. */
struct column {
    int before, behind, end;
};

/* Buffers besides: every second pixel's counts, columns, and columns' weights for the tile behind them. */
enum { ODD = IMF_CLAHE_BUFFERS, COLUMNS, WEIGHTS };

static const struct imf_clahe_grid *grid_of(const struct imf_job *j) {
    return j->own;
}

/* ---- lumas ----------------------------------------------------------------------------------- */

/* For each number of channels a loop, so that compilers see where samples lie. */
#define EACH(loop, type)                                                                           \
    do {                                                                                           \
        if (channels == 1)                                                                         \
            loop(type, 1, 1);                                                                      \
        else if (channels == 2)                                                                    \
            loop(type, 2, 1);                                                                      \
        else if (channels == 3)                                                                    \
            loop(type, 3, 3);                                                                      \
        else                                                                                       \
            loop(type, 4, 3);                                                                      \
    } while (0)

#define LUMAS(type, step, colors)                                                                  \
    do {                                                                                           \
        const type *v = from;                                                                      \
        for (int i = 0; i < n; i++)                                                                \
            to[i] = (uint16_t)(colors == 1 ? v[step * i]                                           \
                                           : imf_clahe_luma(v[step * i], v[step * i + colors / 2], \
                                                            v[step * i + colors - 1]));            \
    } while (0)

IMF_CLONES static void lumas(uint16_t *restrict to, const void *restrict from,
                             enum imf_sample sample, int channels, int n) {
    if (sample == IMF_U8)
        EACH(LUMAS, uint8_t);
    else
        EACH(LUMAS, uint16_t);
}

/* Of n pixels of row y from x on. */
static void load(uint16_t *to, const struct imf_host_strip *s, int x, int y, int n) {
    const struct imf_problem *p = &s->job->p;
    lumas(to, imf_sample_at(s->in, y, (ptrdiff_t)x * p->channels), s->in->sample, p->channels, n);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* The bins of 16-bit lumas, in place. */
IMF_CLONES static void find_bins(uint16_t *v, int n) {
    for (int i = 0; i < n; i++)
        v[i] = (uint16_t)imf_clahe_bin(v[i], IMF_CLAHE_STEP);
}

static void count_values(uint32_t *even, uint32_t *odd, const uint16_t *v, int n) {
    for (int i = 0; i + 1 < n; i += 2) {
        even[v[i]]++;
        odd[v[i + 1]]++;
    }
    if (n % 2)
        even[v[n - 1]]++;
}

/* Leave the first of n values for those of n pixels that are visible, and return how many. */
static int keep_visible(uint16_t *v, const struct imf_host_strip *s, int x, int y, int n) {
    const struct imf_problem *p = &s->job->p;
    const void *from = imf_sample_at(s->in, y, (ptrdiff_t)x * p->channels + p->colors);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        v[kept] = v[i];
        kept += s->in->sample == IMF_U8 ? ((const uint8_t *)from)[i * p->channels] > 0
                                        : ((const uint16_t *)from)[i * p->channels] > 0;
    }
    return kept;
}

/* Columns from..end - 1 of the grid, which may lie beyond the image, in row y of the band. */
static void count_row(const struct imf_host_strip *s, uint32_t *even, uint32_t *odd, int from,
                      int end, int y) {
    const struct imf_problem *p = &s->job->p;
    uint16_t v[STRIP];
    int first = p->clahe->first_x, inside = imf_min(end, p->width), step = grid_of(s->job)->step;
    for (int i = from; i < inside; i += STRIP) {
        int n = imf_min(STRIP, inside - i);
        int x = imf_clahe_from(first > 0 ? i : i + n - 1, p->width, first);
        load(v, s, x, y, n);
        if (p->weigh)
            n = keep_visible(v, s, x, y, n);
        if (step > 1)
            find_bins(v, n);
        count_values(even, odd, v, n);
    }
    for (int i = imf_max(from, inside); i < end; i++) {
        int x = imf_edge_index(IMF_EDGE_MIRROR, i, p->width);
        x = imf_clahe_from(x, p->width, first);
        load(v, s, x, y, 1);
        if (!p->weigh || keep_visible(v, s, x, y, 1))
            even[imf_clahe_bin(*v, step)]++;
    }
}

/* A tile's rows that are in this band; with the image's last row its map. */
static void count_item(void *data, int item) {
    const struct imf_host_strip *s = data;
    const struct imf_problem *p = &s->job->p;
    const struct imf_clahe_grid *g = grid_of(s->job);
    int column = item % g->across, row = item / g->across;
    size_t bins = (size_t)g->bins, first = (size_t)item * bins;
    uint32_t *even = (uint32_t *)s->job->memory[IMF_CLAHE_COUNTS] + first;
    uint32_t *odd = (uint32_t *)s->job->memory[ODD] + first;
    if (s->in->row == 0) {
        memset(even, 0, bins * sizeof *even);
        memset(odd, 0, bins * sizeof *odd);
    }
    for (int i = row * g->height; i < (row + 1) * g->height; i++) {
        int y = imf_edge_index(IMF_EDGE_MIRROR, i, p->height);
        y = imf_clahe_from(y, p->height, p->clahe->first_y) - s->in->row;
        if (y >= 0 && y < s->in->height)
            count_row(s, even, odd, column * g->width, (column + 1) * g->width, y);
    }
    if (s->in->row + s->in->height < p->height)
        return;
    for (size_t v = 0; v < bins; v++)
        even[v] += odd[v];
    imf_clahe_map(g, even, imf_clahe_map_of(s->job, column, row));
}

/* ---- looking up ------------------------------------------------------------------------------ */

/* The means of what four maps make of pixels, by their weights along the row. */
IMF_CLONES static void mix_maps(uint16_t *restrict to, uint16_t near[4][STRIP],
                                const float *restrict weight, float row_weight, bool turned,
                                int full, int n) {
    for (int i = 0; i < n; i++) {
        const float v[] = {near[0][i], near[1][i], near[2][i], near[3][i]};
        to[i] = (uint16_t)imf_clahe_mix(v, weight[i], row_weight, turned, full);
    }
}

/* What the four maps make of the centres of bins. */
static void gather(uint16_t near[4][STRIP], const struct imf_job *j, const uint16_t *restrict bin,
                   int x, int n, struct imf_clahe_place row) {
    const struct column *columns = j->memory[COLUMNS];
    for (int i = 0, end; i < n; i = end) {
        const struct column *c = &columns[x + i];
        const uint16_t *map[4];
        for (int m = 0; m < 4; m++)
            map[m] =
                imf_clahe_map_of(j, m % 2 ? c->behind : c->before, m < 2 ? row.before : row.behind);
        end = imf_min(c->end - x, n);
        for (int k = i; k < end; k++)
            for (int m = 0; m < 4; m++)
                near[m][k] = map[m][bin[k]];
    }
}

/* The bins whose centres are around 16-bit lumas, and how far behind the first of them these are. */
IMF_CLONES static void find_around(uint16_t *restrict below, uint16_t *restrict above,
                                   uint16_t *restrict rest, const uint16_t *restrict luma, int n) {
    for (int i = 0; i < n; i++) {
        below[i] = (uint16_t)(luma[i] / IMF_CLAHE_STEP);
        rest[i] = (uint16_t)(luma[i] - below[i] * IMF_CLAHE_STEP);
        above[i] = (uint16_t)(below[i] + (rest[i] > 0));
    }
}

IMF_CLONES static void interpolate(uint16_t *restrict near, const uint16_t *restrict next,
                                   const uint16_t *restrict rest, int n) {
    for (int i = 0; i < n; i++)
        near[i] = (uint16_t)imf_clahe_between(near[i], next[i], rest[i], IMF_CLAHE_STEP);
}

/* The new lumas of n pixels from column x on. */
static void look_up(const struct imf_job *j, const uint16_t *restrict luma, uint16_t *restrict to,
                    int x, int n, struct imf_clahe_place row) {
    const struct imf_clahe_grid *g = grid_of(j);
    uint16_t near[4][STRIP], next[4][STRIP], below[STRIP], above[STRIP], rest[STRIP];
    if (g->step == 1) {
        gather(near, j, luma, x, n, row);
    } else {
        find_around(below, above, rest, luma, n);
        gather(near, j, below, x, n, row);
        gather(next, j, above, x, n, row);
        for (int m = 0; m < 4; m++)
            interpolate(near[m], next[m], rest, n);
    }
    mix_maps(to, near, (const float *)j->memory[WEIGHTS] + x, row.weight, j->p.clahe->turned,
             g->full, n);
}

/* The colours of a pixel that would leave the range. */
static void shrink(uint16_t made[3], const int off[3], int above, int below, int to, int full) {
    int64_t over, under;
    imf_clahe_shrink(above, below, to, full, &over, &under);
    for (int c = 0; c < 3; c++)
        made[c] = (uint16_t)imf_clahe_color(off[c], to, over, under);
}

/* The new colours of pixels at v. Most stay in range. */
#define RECOLOR(type, channels, colors)                                                            \
    do {                                                                                           \
        const type *v = from;                                                                      \
        for (int i = 0; i < n; i++, v += channels, made += channels) {                             \
            int off[colors], above = 0, below = 0;                                                 \
            for (int c = 0; c < colors; c++) {                                                     \
                off[c] = v[c] - luma[i];                                                           \
                above = imf_max(above, off[c]);                                                    \
                below = imf_max(below, -off[c]);                                                   \
                made[c] = (uint16_t)(off[c] + to[i]);                                              \
            }                                                                                      \
            if (colors == 3 && (above > full - to[i] || below > to[i]))                            \
                shrink(made, off, above, below, to[i], full);                                      \
            if (channels > colors)                                                                 \
                made[colors] = v[colors];                                                          \
        }                                                                                          \
    } while (0)

static void recolor(uint16_t *restrict made, const void *restrict from, enum imf_sample sample,
                    const uint16_t *restrict luma, const uint16_t *restrict to, int channels,
                    int full, int n) {
    if (sample == IMF_U8)
        EACH(RECOLOR, uint8_t);
    else
        EACH(RECOLOR, uint16_t);
}

/* Samples through the epilogue. */
static void store(const struct imf_problem *p, void *row, const uint16_t *made, int n) {
    double wide[STRIP * CHANNELS];
    if (imf_epilogue_is_identity(p) && p->out == IMF_U16) {
        memcpy(row, made, (size_t)n * sizeof *made);
    } else if (imf_epilogue_is_identity(p)) {
        for (int i = 0; i < n; i++)
            ((uint8_t *)row)[i] = (uint8_t)made[i];
    } else {
        imf_samples_widen(wide, made, IMF_U16, 0, (size_t)n);
        imf_window_finish(p, wide, row, (size_t)n);
    }
}

static void clahe_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    const struct imf_clahe_grid *g = grid_of(s->job);
    for (int y = s->at.y; y < s->at.end; y++) {
        int from = imf_clahe_from(s->in->row + y, p->height, p->clahe->first_y);
        struct imf_clahe_place row = imf_clahe_place(from, g->height, g->down);
        for (int x = 0; x < p->width; x += STRIP) {
            uint16_t luma[STRIP], to[STRIP], made[STRIP * CHANNELS];
            int n = imf_min(STRIP, p->width - x);
            ptrdiff_t first = (ptrdiff_t)x * p->channels;
            load(luma, s, x, y, n);
            look_up(s->job, luma, to, x, n, row);
            if (p->channels > 1)
                recolor(made, imf_sample_at(s->in, y, first), p->in, luma, to, p->channels, g->full,
                        n);
            store(p, imf_sample_at(s->out, y, first), p->channels > 1 ? made : to, n * p->channels);
        }
    }
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* Milliseconds of one core. */
static double cost(const struct imf_problem *p) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    return (double)p->width * p->height * (r->clahe + r->clahe_color * (p->channels - 1)) * 1e-6;
}

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    bool good = imf_clahe_sizes(p, shape, bytes);
    bytes[ODD] = bytes[IMF_CLAHE_COUNTS];
    return good && imf_size_mul((size_t)p->width, sizeof(struct column), &bytes[COLUMNS]) &&
           imf_size_mul((size_t)p->width, sizeof(float), &bytes[WEIGHTS]);
}

static void clahe_vector_propose(const struct imf_problem *p, const struct imf_device *d,
                                 struct imf_proposal *out) {
    struct imf_clahe_grid g;
    (void)d;
    if (!imf_clahe_accept(out, p, &g))
        return;
    double ms = cost(p) + imf_clahe_map_bytes(&g) * imf_vector_rates.clahe_map * 1e-6;
    out->ms = imf_cores_ms(ms, imf_cores());
    out->bands = IMF_BANDS_TWICE;
}

static enum imf_status clahe_vector_prepare(struct imf_job *j, struct imf_error *err) {
    const struct imf_problem *p = &j->p;
    const struct imf_clahe_grid *g = grid_of(j);
    struct column *c = j->memory[COLUMNS];
    float *weight = j->memory[WEIGHTS];
    size_t bytes[IMF_JOB_BUFFERS];
    enum imf_status st = imf_clahe_prepare(j, err);
    sizes(p, NULL, bytes);
    for (int i = IMF_CLAHE_COUNTS; i <= ODD; i++)
        imf_use_large_pages(j->memory[i], bytes[i]);
    for (int x = p->width - 1; x >= 0; x--) {
        struct imf_clahe_place at =
            imf_clahe_place(imf_clahe_from(x, p->width, p->clahe->first_x), g->width, g->across);
        c[x] = (struct column){at.before, at.behind, x + 1};
        if (x + 1 < p->width && c[x + 1].before == at.before && c[x + 1].behind == at.behind)
            c[x].end = c[x + 1].end;
        weight[x] = at.weight;
    }
    return st;
}

static int threads_for(const struct imf_job *j) {
    return cost(&j->p) < IMF_ALONE_MS ? 1 : imf_cores();
}

static enum imf_status clahe_vector_measure(struct imf_job *j, const struct imf_surface *in,
                                            struct imf_error *err) {
    struct imf_host_strip s = {.job = j, .in = in};
    (void)err;
    imf_parallel_on(j->pool, threads_for(j), j->p.clahe->across * j->p.clahe->down, count_item, &s);
    return IMF_OK;
}

/* A quarter of what a thread does, or all of it. */
static struct imf_strips clahe_cut(const struct imf_job *j, int height) {
    int threads = threads_for(j);
    return imf_strips_rows(j->p.width, height,
                           threads == 1 ? height : imf_max(1, height / (4 * threads)));
}

const struct imf_solver imf_solver_clahe_vector = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_CLAHE,
    .propose = clahe_vector_propose,
    .own = sizeof(struct imf_clahe_grid),
    .sizes = sizes,
    .prepare = clahe_vector_prepare,
    .measure = clahe_vector_measure,
    .cut = clahe_cut,
    .strip = clahe_strip,
};
