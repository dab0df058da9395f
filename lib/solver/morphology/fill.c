/*
 * fill.c - pixels of alpha 0 take the colour of the nearest that is visible (nearest.h)
 *
 * What is visible is copied, and the rest has no colour of its own: so a filter that cannot weigh pixels by their alpha
 * reads what would be there if the picture went on. Rows without a hidden pixel are only copied.
 *
 * Within a reach, a row depends on so many rows above and below it alone: on whatever bands rows come in, results are the
 * same. This is the reference, too: all of it is integers, and copies of samples.
 */
#include "base/clones.h"
#include "device/tuning.h"
#include "solver/morphology/nearest.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

/* Rows that are searched at once are so many at least, and as many as those around them. */
#define ROWS 256
#define COPIED 32 /* rows of an item for a thread */

/* A search within rows first..end - 1 of the input, whose row 0 is a row of the image. */
struct search {
    const struct imf_job *job;
    const struct imf_surface *in, *out;
    unsigned char *hides; /* for each row of the output: it has a hidden pixel */
    int first, end;
    int32_t *near;
};

/* ---- what is hidden -------------------------------------------------------------------------- */

/* Pixels of integers, read as one word each: alpha is the word's last sample in memory. */
#define ANY_HIDDEN(name, pixel)                                                                    \
    static bool name(const void *row, const void *alpha, int width) {                              \
        pixel mask, one, hidden = 0;                                                               \
        memcpy(&mask, alpha, sizeof mask);                                                         \
        for (int x = 0; x < width; x++) {                                                          \
            memcpy(&one, (const char *)row + (size_t)x * sizeof one, sizeof one);                  \
            hidden |= (one & mask) == 0;                                                           \
        }                                                                                          \
        return hidden;                                                                             \
    }

IMF_CLONES ANY_HIDDEN(any_of_2_bytes, uint16_t)
IMF_CLONES ANY_HIDDEN(any_of_4_bytes, uint32_t)
IMF_CLONES ANY_HIDDEN(any_of_8_bytes, uint64_t)

    /* What has no alpha. */
    static bool is_hidden(const struct search *search, const void *row, ptrdiff_t x) {
    const struct imf_surface *s = search->in;
    return imf_sample_get(row, s->sample, x * s->channels + s->channels - 1) <=
           search->job->p.hidden;
}

static bool any_hidden(const struct search *search, const void *row) {
    const struct imf_surface *s = search->in;
    static const uint8_t bytes[][4] = {{0, 255}, {0, 0, 0, 255}};
    static const uint16_t words[][4] = {{0, 65535}, {0, 0, 0, 65535}};
    bool color = s->channels == 4;
    if (s->sample == IMF_U8)
        return (color ? any_of_4_bytes : any_of_2_bytes)(row, bytes[color], s->width);
    if (s->sample == IMF_U16)
        return (color ? any_of_8_bytes : any_of_4_bytes)(row, words[color], s->width);
    for (int x = 0; x < s->width; x++)
        if (is_hidden(search, row, x))
            return true;
    return false;
}

static void mark_row(void *data, int y) {
    const struct search *s = data;
    const void *row = imf_surface_row(s->in, s->first + y);
    int32_t *near = s->near + (size_t)y * (size_t)s->in->width;
    for (int x = 0; x < s->in->width; x++)
        near[x] = is_hidden(s, row, x) ? IMF_NEAREST_NONE : 0;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void copy_samples(const struct imf_surface *out, void *to, const struct imf_surface *in,
                         const void *from, size_t count) {
    enum { SOME = 512 };
    double v[SOME];
    size_t size = imf_sample_size(in->sample);
    if (in->sample == out->sample) {
        memcpy(to, from, count * size);
        return;
    }
    for (size_t i = 0; i < count; i += SOME) {
        size_t n = count - i < SOME ? count - i : SOME;
        imf_samples_widen(v, from, in->sample, (ptrdiff_t)i, n);
        imf_samples_narrow((char *)to + i * imf_sample_size(out->sample), out->sample, v, n);
    }
}

static void copy_rows(void *data, int item) {
    const struct search *s = data;
    int end = imf_min((item + 1) * COPIED, s->out->height);
    for (int y = item * COPIED; y < end; y++) {
        const void *row = imf_surface_row(s->in, y);
        copy_samples(s->out, imf_surface_row(s->out, y), s->in, row,
                     (size_t)s->in->width * (size_t)s->in->channels);
        s->hides[y] = any_hidden(s, row);
    }
}

static char *pixel_at(const struct imf_surface *s, int x, int y) {
    size_t pixel = (size_t)s->channels * imf_sample_size(s->sample);
    return (char *)imf_surface_row(s, y) + (size_t)x * pixel;
}

static void take(const void *data, int x, int y, int from_x, int from_y) {
    const struct search *s = data;
    size_t colors = (size_t)s->job->p.colors;
    char *to = pixel_at(s->out, x, s->first + y);
    if (from_x < 0)
        memset(to, 0, colors * imf_sample_size(s->out->sample)); /* of every sample type it is 0 */
    else
        copy_samples(s->out, to, s->in, pixel_at(s->in, from_x, s->first + from_y), colors);
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* Fill rows y..end - 1 of the output. */
static enum imf_status fill_rows(struct search *s, int y, int end, struct imf_error *err) {
    const struct imf_problem *p = &s->job->p;
    int above = s->in->row, below = p->height - above - s->in->height, reach = p->fill.reach;
    while (y < end && !s->hides[y])
        y++;
    while (y < end && !s->hides[end - 1])
        end--;
    if (y == end)
        return IMF_OK;
    s->first = 0;
    s->end = s->in->height;
    if (reach != IMF_FILL_ANY) {
        s->first = imf_max(y - reach, -above);
        s->end = imf_min(end + reach, s->in->height + below);
    }
    size_t bytes;
    if (!imf_size_mul((size_t)(s->end - s->first) * sizeof *s->near, (size_t)s->in->width,
                      &bytes) ||
        !(s->near = malloc(bytes)))
        return imf_fail_memory(err, (size_t)s->in->width * sizeof *s->near);
    imf_parallel(s->job->pool, s->end - s->first, mark_row, s);
    const struct imf_nearest n = {.fill = p->fill,
                                  .width = s->in->width,
                                  .height = s->end - s->first,
                                  .near = s->near,
                                  .first = y - s->first,
                                  .end = end - s->first,
                                  .take = take,
                                  .data = s};
    enum imf_status st = imf_nearest_find(&n, s->job->pool, err);
    free(s->near);
    return st;
}

static int rows_at_once(const struct imf_problem *p) {
    return p->fill.reach == IMF_FILL_ANY ? p->height : imf_max(ROWS, 2 * p->fill.reach);
}

static enum imf_status fill_run(struct imf_job *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    struct search s = {.job = job, .in = in, .out = out};
    int rows = rows_at_once(&job->p);
    enum imf_status st = IMF_OK;
    s.hides = malloc((size_t)in->height);
    if (!s.hides)
        return imf_fail_memory(err, (size_t)in->height);
    imf_parallel(job->pool, (in->height + COPIED - 1) / COPIED, copy_rows, &s);
    for (int y = 0; y < in->height && !st; y += rows)
        st = fill_rows(&s, y, imf_min(y + rows, in->height), err);
    free(s.hides);
    return st;
}

/* Milliseconds of one core: samples * imf_vector_rates.map * 1e-6, as if nothing were hidden. */
static void fill_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    (void)d;
    int rows = imf_min(rows_at_once(p) + 2 * p->fill.reach, p->height);
    out->feasible = true;
    out->error = 0;
    out->ms =
        (double)p->width * p->height * p->channels * imf_vector_rates.map * 1e-6 / imf_cores();
    out->bytes = (double)p->width * rows * sizeof(int32_t);
    out->bands = p->fill.reach == IMF_FILL_ANY ? IMF_BANDS_WHOLE : IMF_BANDS_MANY;
    snprintf(out->description, sizeof out->description, "nearest colours under alpha 0");
}

#define FILL(word, where)                                                                          \
    {                                                                                              \
        .name = word, .backend = where, .float64 = true, .kinds = 1u << IMF_FILLING,               \
        .propose = fill_propose, .run = fill_run                                                   \
    }
const struct imf_solver imf_solver_fill = FILL("vector", IMF_BACKEND_VECTOR),
                        imf_solver_fill_host = FILL("cpu", IMF_BACKEND_CPU);
