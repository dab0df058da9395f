/*
 * rows.c - point passes on the host: the reference, and on all cores
 *
 * If each output sample depends on one input sample alone, it is looked up in a table; otherwise strips
 * of pixels go through loops that compilers vectorise (strip.h). The reference is the same in doubles,
 * without tables. Alpha that is kept is copied here, too.
 */
#include "run/point/rows.h"

#include "base/clones.h"
#include "base/image/byte_map.h"
#include "base/thread_pool.h"
#include "run/point/point.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Samples of an item for a thread: about 0.1 ms. */
#define ITEM 131072
/* From this many samples of an image on, a table of 65536 values pays. */
#define WORDS_WORTH 524288.0

struct job {
    struct imf_point_rows rows;
    imf_point_row *run;
    struct imf_pool *pool;      /* borrowed, or NULL */
    bool measured;              /* the rows have the range of all of them */
    struct imf_byte_map *bytes; /* owned or NULL: from bytes to bytes, */
    void *map[2];               /* or from samples to output samples, of colours and of alpha */
};

/* ---- tables ---------------------------------------------------------------------------------- */

static struct imf_point_rows rows_of(const struct imf_point *p, enum imf_sample in,
                                     enum imf_sample out) {
    return (struct imf_point_rows){.point = *p,
                                   .in = in,
                                   .second = IMF_F32,
                                   .out = out,
                                   .colors = p->in_channels - p->alpha,
                                   .alpha = p->alpha,
                                   .others = p->second_channels - p->alpha,
                                   .merged = 1};
}

enum imf_status imf_point_map(void **map, const struct imf_point *p, enum imf_sample in,
                              enum imf_sample out, bool alpha, struct imf_error *err) {
    struct imf_point_rows one = rows_of(p, IMF_F64, out);
    int values = (int)imf_sample_max(in) + 1;
    size_t bytes = (size_t)values * sizeof(double);
    double *all = malloc(bytes);
    *map = malloc(bytes);
    for (int v = 0; v < values && all; v++)
        all[v] = v;
    one.colors = !alpha;
    one.alpha = alpha;
    if (all && *map)
        imf_point_row_double(&one, all, NULL, *map, values, 0);
    free(all);
    return all && *map ? IMF_OK : imf_fail_memory(err, bytes);
}

/* Of colours, and of alpha if there is one. */
static enum imf_status make_map(struct job *j, double samples, struct imf_error *err) {
    const struct imf_point_rows one = j->rows;
    int channels = one.colors + one.alpha;
    enum imf_status st = IMF_OK;
    for (int k = 0; k <= one.alpha && !st; k++)
        st = imf_point_map(&j->map[k], &one.point, one.in, one.out, k, err);
    if (st)
        return st;
    if (j->rows.in != IMF_U8 || one.out != IMF_U8)
        return IMF_OK;
    j->bytes = malloc(sizeof *j->bytes);
    if (!j->bytes)
        return imf_fail_memory(err, sizeof *j->bytes);
    memcpy(j->bytes->to, j->map[0], sizeof j->bytes->to);
    imf_byte_map_make(j->bytes, channels, j->rows.colors, samples);
    return IMF_OK;
}

static double byte_of(const struct imf_point *p, int which, double v) {
    v = 255 / p->full * (p->full * imf_curve_from_light(p->curve, which, v / p->full));
    return rint(fmin(fmax(v, 0), 255));
}

/* The relative distance within which imf_curve_to_light() inverts imf_curve_from_light(). */
#define CLOSE 1e-12

/* Of the pass's curve `which`. */
static void make_curve(struct imf_point_curve *curve, const struct imf_point *p, int which) {
    curve->scale = IMF_CURVE_PARTS / p->full;
    curve->at[0] = 0;
    curve->at[256] = INFINITY;
    for (int b = 1; b < 256; b++) {
        double about = p->full * imf_curve_to_light(p->curve, which, (b - 0.5) / 255);
        double low = about * (1 - CLOSE), high = about * (1 + CLOSE);
        for (double middle; middle = (low + high) / 2, middle > low && middle < high;)
            *(byte_of(p, which, middle) >= b ? &high : &low) = middle;
        curve->at[b] = high;
    }
    curve->dense = false;
    for (int i = 0, b = 0; i < IMF_CURVE_PARTS; i++) {
        while (curve->at[b + 1] <= i / curve->scale)
            b++;
        curve->start[i] = (uint8_t)b;
        curve->dense = curve->dense || (b < 255 && curve->at[b + 2] <= (i + 1) / curve->scale);
    }
}

static enum imf_status make_curves(struct imf_point_rows *r, struct imf_error *err) {
    const struct imf_point *p = &r->point;
    size_t count = (size_t)imf_curve_count(p->curve);
    bool integer = p->image == IMF_U8 || p->image == IMF_U16;
    if (integer && (p->second_light || imf_point_find(p, IMF_LINEARIZE))) { /* of the image */
        size_t values = (size_t)imf_sample_max(p->image) + 1,
               bytes = count * values * sizeof *r->linear;
        if (!(r->linear = malloc(bytes)))
            return imf_fail_memory(err, bytes);
        for (size_t i = 0; i < count * values; i++)
            r->linear[i] = p->full * imf_curve_to_light(p->curve, (int)(i / values),
                                                        (double)(i % values) / p->full);
    }
    const struct imf_operation *rescale = imf_point_find(p, IMF_RESCALE);
    bool bytes =
        r->out == IMF_U8 && fabs(p->full * (rescale ? rescale->rescale.by : 1) - 255) < 1e-9;
    if (imf_point_find(p, IMF_DELINEARIZE) && bytes) {
        if (!(r->curve = malloc(count * sizeof *r->curve)))
            return imf_fail_memory(err, count * sizeof *r->curve);
        for (size_t i = 0; i < count; i++)
            make_curve(&r->curve[i], p, (int)i);
    }
    return IMF_OK;
}

enum imf_status imf_point_rows_make(void **job, const struct imf_point *p, enum imf_sample in,
                                    enum imf_sample out, double pixels, bool coarse,
                                    struct imf_error *err) {
    struct job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    struct imf_point_rows *r = &j->rows;
    double samples = pixels * p->in_channels;
    bool integers = imf_point_is_map(p) && (in == IMF_U8 || in == IMF_U16); /* as in tables */
    bool floats =
        !coarse && in != IMF_F64 && out != IMF_F64 && imf_point_all(p, IMF_FLOATS) && !integers;
    j->run = floats ? imf_point_row_float : imf_point_row_double;
    *r = rows_of(p, in, out);
    bool maps = integers && out != IMF_F64 && (in == IMF_U8 || samples >= WORDS_WORTH);
    /* Samples need not be split into planes: unsharp:sigma=20 of 12 megapixels takes 61 ms instead of 68. */
    if (!maps && imf_point_is_alike(p)) {
        r->merged = p->in_channels;
        r->colors = r->others = 1;
        r->alpha = 0;
    }
    enum imf_status st = maps ? make_map(j, samples, err) : make_curves(r, err);
    if (st)
        imf_point_rows_free(job);
    return st;
}

void imf_point_rows_free(void **job) {
    struct job *j = *job;
    if (j) {
        free(j->bytes);
        free(j->map[0]);
        free(j->map[1]);
        free(j->rows.linear);
        free(j->rows.curve);
    }
    free(j);
    *job = NULL;
}

void imf_point_rows_use_pool(void *job, struct imf_pool *pool) {
    ((struct job *)job)->pool = pool;
}

/* ---- the range that is stretched ------------------------------------------------------------- */

#define WIDEN(type)                                                                                \
    do {                                                                                           \
        const type *v = row;                                                                       \
        int first = 0;                                                                             \
        while (weigh && first < samples && v[first + colors] <= (type)hidden)                      \
            first += step;                                                                         \
        if (first == samples)                                                                      \
            return; /* nothing is visible */                                                       \
        type least = v[first], most = v[first];                                                    \
        for (int i = first; i < samples; i += step)                                                \
            for (int c = i; c < i + colors; c++) {                                                 \
                type x = weigh && v[i + colors] <= (type)hidden ? least : v[c];                    \
                least = x < least ? x : least;                                                     \
                most = x > most ? x : most;                                                        \
            }                                                                                      \
        *low = fmin(*low, (double)least);                                                          \
        *high = fmax(*high, (double)most);                                                         \
    } while (0)

/* weigh: pixels whose alpha, after the colours, rounds to 0 do not count. */
IMF_CLONES static void widen_range(const void *row, enum imf_sample sample, int samples, int step,
                                   int colors, bool weigh, double hidden, double *low,
                                   double *high) {
    if (sample == IMF_U8)
        WIDEN(uint8_t);
    else if (sample == IMF_U16)
        WIDEN(uint16_t);
    else if (sample == IMF_F32)
        WIDEN(float);
    else
        WIDEN(double);
}

/* Widen low..high by the colours of a row of the pass's input. */
static void widen_by(const struct imf_point *p, const struct imf_surface *s, int y, double *low,
                     double *high) {
    int n = s->channels, step = p->alpha ? n : 1; /* without alpha all samples count alike */
    bool weigh = imf_point_find(p, IMF_NORMALIZE)->normalize.weigh;
    widen_range(imf_surface_row(s, y), s->sample, s->width * n, step, step - p->alpha, weigh,
                p->hidden, low, high);
}

void imf_point_range(const struct imf_point *p, const struct imf_surface *s, double *low,
                     double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (int y = 0; y < s->height; y++)
        widen_by(p, s, y, low, high);
}

/* ---- running --------------------------------------------------------------------------------- */

struct pass {
    const struct job *job;
    const struct imf_point_io *io;
    int count; /* an item's rows */
    struct imf_point_rows rows;
    imf_point_row *run;
    pthread_mutex_t lock; /* of their range */
};

static void measure_item(void *data, int item) {
    struct pass *pass = data;
    int end = imf_min((item + 1) * pass->count, pass->io->in->height);
    double low = INFINITY, high = -INFINITY;
    for (int y = item * pass->count; y < end; y++)
        widen_by(&pass->rows.point, pass->io->in, y, &low, &high);
    pthread_mutex_lock(&pass->lock);
    pass->rows.low = fmin(pass->rows.low, low);
    pass->rows.high = fmax(pass->rows.high, high);
    pthread_mutex_unlock(&pass->lock);
}

#define LOOK_UP(from_type, to_type)                                                                \
    do {                                                                                           \
        const from_type *a = from;                                                                 \
        const to_type *color = j->map[0], *alpha = j->map[1];                                      \
        to_type *b = to;                                                                           \
        for (int i = 0; i < samples; i++)                                                          \
            b[i] = color[a[i]];                                                                    \
        for (int i = channels - 1; alpha && i < samples; i += channels)                            \
            b[i] = alpha[a[i]];                                                                    \
    } while (0)

static void map_row(const struct job *j, const void *from, void *to, int samples) {
    int channels = j->rows.colors + j->rows.alpha;
    enum imf_sample out = j->rows.out;
    if (j->bytes)
        imf_byte_map_row(j->bytes, to, from, (size_t)samples);
    else if (j->rows.in == IMF_U8 && out == IMF_U16)
        LOOK_UP(uint8_t, uint16_t);
    else if (j->rows.in == IMF_U8)
        LOOK_UP(uint8_t, float);
    else if (out == IMF_U8)
        LOOK_UP(uint16_t, uint8_t);
    else if (out == IMF_U16)
        LOOK_UP(uint16_t, uint16_t);
    else
        LOOK_UP(uint16_t, float);
}

static void run_row(imf_point_row *run, const struct imf_point_rows *rows,
                    const struct imf_point_io *io, int y) {
    run(rows, imf_surface_row(io->in, y), io->second ? imf_surface_row(io->second, y) : NULL,
        imf_surface_row(io->out, y), io->in->width, io->row + y);
}

static void run_item(void *data, int item) {
    const struct pass *pass = data;
    const struct imf_surface *in = pass->io->in;
    int end = imf_min((item + 1) * pass->count, in->height);
    for (int y = item * pass->count; y < end; y++)
        if (pass->job->map[0])
            map_row(pass->job, imf_surface_row(in, y), imf_surface_row(pass->io->out, y),
                    in->width * in->channels);
        else
            run_row(pass->run, &pass->rows, pass->io, y);
}

static struct pass pass_of(const struct job *j, const struct imf_point_io *io) {
    return (struct pass){.job = j,
                         .io = io,
                         .count = imf_max(1, ITEM / (io->in->width * io->in->channels)),
                         .rows = j->rows,
                         .lock = PTHREAD_MUTEX_INITIALIZER};
}

static int items_of(const struct pass *pass) {
    return (pass->io->in->height - 1) / pass->count + 1;
}

/* Widen the range, or begin it with the image's first row. */
static void measure(struct pass *pass) {
    if (pass->io->row == 0) {
        pass->rows.low = INFINITY;
        pass->rows.high = -INFINITY;
    }
    imf_parallel(pass->job->pool, items_of(pass), measure_item, pass);
}

enum imf_status imf_point_rows_measure(void *job, const struct imf_surface *in,
                                       struct imf_error *err) {
    struct job *j = job;
    const struct imf_point_io io = {.in = in, .row = in->row};
    struct pass pass = pass_of(j, &io);
    (void)err;
    measure(&pass);
    j->rows.low = pass.rows.low;
    j->rows.high = pass.rows.high;
    j->measured = true;
    return IMF_OK;
}

void imf_point_rows_run(const void *job, const struct imf_point_io *io) {
    const struct job *j = job;
    struct pass pass = pass_of(j, io);
    pass.rows.second = io->second ? io->second->sample : IMF_F32;
    imf_point_row *bytes = imf_point_row_bytes(&pass.rows);
    pass.run = bytes && j->run == imf_point_row_float ? bytes : j->run;
    if (imf_point_find(&j->rows.point, IMF_NORMALIZE) && !j->measured)
        measure(&pass);
    imf_parallel(j->pool, items_of(&pass), run_item, &pass);
}

void imf_point_run_host(const struct imf_point *p, const struct imf_point_io *io) {
    struct imf_point_rows rows = rows_of(p, io->in->sample, io->out->sample);
    rows.second = io->second ? io->second->sample : IMF_F32;
    if (imf_point_find(p, IMF_NORMALIZE))
        imf_point_range(p, io->in, &rows.low, &rows.high);
    for (int y = 0; y < io->in->height; y++)
        run_row(imf_point_row_double, &rows, io, y);
}

#define COPY(type)                                                                                 \
    for (ptrdiff_t x = 0; x < in->width; x++)                                                      \
    ((type *)to)[x * m + m - 1] = ((const type *)from)[x * n + n - 1]

void imf_alpha_copy_host(const struct imf_surface *in, const struct imf_surface *out,
                         double rescale) {
    ptrdiff_t n = in->channels, m = out->channels;
    bool same = in->sample == out->sample;
    for (int y = 0; y < in->height; y++) {
        const void *from = imf_surface_row(in, y);
        void *to = imf_surface_row(out, y);
        if (same && in->sample == IMF_U8)
            COPY(uint8_t);
        else if (same && in->sample == IMF_U16)
            COPY(uint16_t);
        else
            for (ptrdiff_t x = 0; x < in->width; x++)
                imf_sample_put(to, out->sample, x * m + m - 1,
                               rescale * imf_sample_get(from, in->sample, x * n + n - 1));
    }
}
