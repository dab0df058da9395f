/*
 * rows.c - point passes on the host's cores
 *
 * Results are those of point.c. If each output sample depends on one input sample alone, it is
 * looked up in a table that imf_point_pixel() fills; otherwise strips of pixels go through loops
 * that compilers vectorise (strip.c).
 */
#include "run/point/rows.h"

#include "base/byte_map.h"
#include "base/clones.h"
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

struct imf_point_rows {
    struct imf_point point;
    int merged; /* channels of the image that are one of `point` */
    struct imf_point_steps steps;
    struct imf_pool *pool;         /* borrowed, or NULL */
    bool measured;                 /* the steps have the range of all rows */
    bool floats;                   /* are enough for its strips */
    bool mapped;                   /* by a table: */
    struct imf_byte_map *bytes;    /* from bytes to bytes, */
    void *map[2];                  /* or from samples to output samples, of colours and of alpha */
    double *linear;                /* otherwise: steps.linear, */
    struct imf_point_curve *curve; /* and steps.curve; all are owned or NULL */
};

/* ---- tables ---------------------------------------------------------------------------------- */

static double value_of(const struct imf_point *p, int v, bool alpha) {
    double x[4] = {v, v, v, v};
    imf_point_pixel(p, x, &(struct imf_point_more){.weight = 0});
    return x[alpha ? p->in_channels - 1 : 0];
}

static enum imf_status make_map(struct imf_point_rows *j, double samples, struct imf_error *err) {
    const struct imf_point *p = &j->point;
    enum imf_sample out = j->steps.out;
    int values = (int)imf_sample_max(j->steps.in) + 1;
    size_t bytes = (size_t)values * imf_sample_size(out);
    for (int k = 0; k <= p->alpha; k++) {
        j->map[k] = malloc(bytes);
        if (!j->map[k])
            return imf_fail_memory(err, bytes);
        for (int v = 0; v < values; v++)
            imf_sample_put(j->map[k], out, v, value_of(p, v, k));
    }
    if (j->steps.in != IMF_U8 || out != IMF_U8)
        return IMF_OK;
    j->bytes = malloc(sizeof *j->bytes);
    if (!j->bytes)
        return imf_fail_memory(err, sizeof *j->bytes);
    memcpy(j->bytes->to, j->map[0], sizeof j->bytes->to);
    imf_byte_map_make(j->bytes, p->in_channels, p->in_channels - p->alpha, samples);
    return IMF_OK;
}

static enum imf_status make_curves(struct imf_point_rows *j, struct imf_error *err) {
    const struct imf_point *p = &j->point;
    int count = imf_curve_count(p->curve);
    if (p->linearize || p->image_light) { /* samples of the image */
        size_t values = (size_t)p->full + 1, bytes = values * sizeof *j->linear;
        j->steps.linear = j->linear = malloc((size_t)count * bytes);
        if (!j->linear)
            return imf_fail_memory(err, (size_t)count * bytes);
        for (size_t i = 0; i < (size_t)count * values; i++)
            j->linear[i] = p->full * imf_curve_to_light(p->curve, (int)(i / values),
                                                        (double)(i % values) / p->full);
    }
    if (p->delinearize && j->steps.out == IMF_U8) {
        j->steps.curve = j->curve = malloc((size_t)count * sizeof *j->curve);
        if (!j->curve)
            return imf_fail_memory(err, (size_t)count * sizeof *j->curve);
        for (int i = 0; i < count; i++)
            imf_point_curve_make(&j->curve[i], p, i);
    }
    return IMF_OK;
}

/* All channels of a pixel are treated alike and apart: samples may be pixels of one channel, which
 * need not be split into planes: unsharp:sigma=20 of 12 megapixels takes 61 ms instead of 68. */
static bool merges_channels(const struct imf_point *p) {
    bool alike = !p->alpha || (!p->epilogue && !p->normalize);
    bool blends =
        p->put || (p->blend && (p->alpha || p->in_channels != p->image_channels || p->image_light));
    return alike && !p->take_alpha && !p->linearize && !p->unpremultiply && !p->gray && !blends &&
           !p->premultiply && !p->delinearize;
}

enum imf_status imf_point_rows_make(void **rows, const struct imf_point *p, enum imf_sample in,
                                    enum imf_sample out, double pixels, bool coarse,
                                    struct imf_error *err) {
    struct imf_point_rows *j = *rows = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    double samples = pixels * p->in_channels;
    j->point = *p;
    j->merged = merges_channels(p) ? p->in_channels : 1;
    if (j->merged > 1) {
        j->point.in_channels = j->point.out_channels = j->point.image_channels = 1;
        j->point.alpha = false;
    }
    j->steps = (struct imf_point_steps){
        .point = &j->point, .merged = j->merged, .in = in, .out = out, .most = imf_sample_max(out)};
    for (int i = 0; i < IMF_POINT_STRIP; i++)
        j->steps.even[i] = (float)p->weights.amount;
    j->floats = !coarse && in != IMF_F64 && out != IMF_F64 && imf_point_takes_floats(p);
    j->mapped = imf_point_is_map(p) && out != IMF_F64 &&
                (in == IMF_U8 || (in == IMF_U16 && samples >= WORDS_WORTH));
    enum imf_status st = j->mapped ? make_map(j, samples, err) : make_curves(j, err);
    if (st)
        imf_point_rows_free(rows);
    return st;
}

void imf_point_rows_free(void **rows) {
    struct imf_point_rows *j = *rows;
    if (j) {
        free(j->bytes);
        free(j->map[0]);
        free(j->map[1]);
        free(j->linear);
        free(j->curve);
    }
    free(j);
    *rows = NULL;
}

void imf_point_rows_use_pool(void *rows, struct imf_pool *pool) {
    ((struct imf_point_rows *)rows)->pool = pool;
}

/* ---- running --------------------------------------------------------------------------------- */

struct pass {
    const struct imf_point_rows *job;
    const struct imf_point_io *io;
    int rows; /* an item's */
    struct imf_point_steps steps;
    pthread_mutex_t lock; /* of their range */
};

/* ---- the range that is stretched ---- */

#define WIDEN(type)                                                                                \
    do {                                                                                           \
        const type *v = row;                                                                       \
        int first = 0;                                                                             \
        while (weigh && first < samples && v[first + colors] <= (type)0.5)                         \
            first += step;                                                                         \
        if (first == samples)                                                                      \
            return; /* nothing is visible */                                                       \
        type least = v[first], most = v[first];                                                    \
        for (int i = first; i < samples; i += step)                                                \
            for (int c = i; c < i + colors; c++) {                                                 \
                type x = weigh && v[i + colors] <= (type)0.5 ? least : v[c];                       \
                least = x < least ? x : least;                                                     \
                most = x > most ? x : most;                                                        \
            }                                                                                      \
        *low = fmin(*low, (double)least);                                                          \
        *high = fmax(*high, (double)most);                                                         \
    } while (0)

/* weigh: pixels whose alpha, after the colours, rounds to 0 do not count. */
IMF_CLONES static void widen_range(const void *row, enum imf_sample sample, int samples, int step,
                                   int colors, bool weigh, double *low, double *high) {
    if (sample == IMF_U8)
        WIDEN(uint8_t);
    else if (sample == IMF_U16)
        WIDEN(uint16_t);
    else if (sample == IMF_F32)
        WIDEN(float);
    else
        WIDEN(double);
}

static void measure_item(void *data, int item) {
    struct pass *pass = data;
    const struct imf_point *p = &pass->job->point;
    int n = p->in_channels, end = imf_min((item + 1) * pass->rows, pass->io->in->height);
    int step = p->alpha ? n : 1; /* without alpha all samples count alike */
    int width = pass->io->in->width * pass->job->merged;
    double low = INFINITY, high = -INFINITY;
    for (int y = item * pass->rows; y < end; y++)
        widen_range(imf_surface_row(pass->io->in, y), pass->job->steps.in, width * n, step,
                    step - p->alpha, p->weigh, &low, &high);
    pthread_mutex_lock(&pass->lock);
    pass->steps.low = fmin(pass->steps.low, low);
    pass->steps.high = fmax(pass->steps.high, high);
    pthread_mutex_unlock(&pass->lock);
}

/* ---- rows ------------------------------------------------------------------------------------ */

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

static void map_row(const struct imf_point_rows *j, const void *from, void *to, int samples) {
    int channels = j->point.in_channels;
    enum imf_sample out = j->steps.out;
    if (j->bytes)
        imf_byte_map_row(j->bytes, to, from, (size_t)samples);
    else if (j->steps.in == IMF_U8 && out == IMF_U16)
        LOOK_UP(uint8_t, uint16_t);
    else if (j->steps.in == IMF_U8)
        LOOK_UP(uint8_t, float);
    else if (out == IMF_U8)
        LOOK_UP(uint16_t, uint8_t);
    else if (out == IMF_U16)
        LOOK_UP(uint16_t, uint16_t);
    else
        LOOK_UP(uint16_t, float);
}

static void run_row(const struct pass *pass, int y) {
    const struct imf_point_rows *j = pass->job;
    const struct imf_point_io *io = pass->io;
    int n = j->point.in_channels, m = j->point.out_channels, width = io->in->width * j->merged;
    int others = imf_point_reads_image(&j->point) ? j->point.image_channels : n;
    struct imf_point_strip at = {.from = imf_surface_row(io->in, y),
                                 .second = io->second ? imf_surface_row(io->second, y) : NULL,
                                 .to = imf_surface_row(io->out, y),
                                 .y = io->row + y};
    if (j->mapped) {
        map_row(j, at.from, at.to, width * n);
        return;
    }
    size_t pixel = (size_t)n * imf_sample_size(j->steps.in);
    size_t other = (size_t)others * imf_sample_size(pass->steps.second);
    size_t made = (size_t)m * imf_sample_size(j->steps.out);
    /* Whole pixels of the image, and whole vectors. */
    int strip = IMF_POINT_STRIP - IMF_POINT_STRIP % (j->merged * IMF_SLACK);
    for (; at.x < width; at.x += strip) {
        int count = imf_min(strip, width - at.x);
        (j->floats ? imf_point_strip_float : imf_point_strip)(&pass->steps, &at, count);
        at.from += pixel * (size_t)count;
        at.second = at.second ? at.second + other * (size_t)count : NULL;
        at.to += made * (size_t)count;
    }
}

static void run_item(void *data, int item) {
    const struct pass *pass = data;
    int end = imf_min((item + 1) * pass->rows, pass->io->in->height);
    for (int y = item * pass->rows; y < end; y++)
        run_row(pass, y);
}

static struct pass pass_of(const struct imf_point_rows *j, const struct imf_point_io *io) {
    return (struct pass){.job = j,
                         .io = io,
                         .rows = imf_max(1, ITEM / (io->in->width * io->in->channels)),
                         .steps = j->steps,
                         .lock = PTHREAD_MUTEX_INITIALIZER};
}

static int items_of(const struct pass *pass) {
    return (pass->io->in->height - 1) / pass->rows + 1;
}

/* Widen the range, or begin it with the image's first row. */
static void measure(struct pass *pass) {
    if (pass->io->row == 0) {
        pass->steps.low = INFINITY;
        pass->steps.high = -INFINITY;
    }
    imf_parallel(pass->job->pool, items_of(pass), measure_item, pass);
}

enum imf_status imf_point_rows_measure(void *rows, const struct imf_surface *in,
                                       struct imf_error *err) {
    struct imf_point_rows *j = rows;
    const struct imf_point_io io = {.in = in, .row = in->row};
    struct pass pass = pass_of(j, &io);
    (void)err;
    measure(&pass);
    j->steps.low = pass.steps.low;
    j->steps.high = pass.steps.high;
    j->measured = true;
    return IMF_OK;
}

void imf_point_rows_run(const void *rows, const struct imf_point_io *io) {
    const struct imf_point_rows *j = rows;
    struct pass pass = pass_of(j, io);
    pass.steps.second = io->second ? io->second->sample : IMF_F32;
    if (j->point.normalize && !j->measured)
        measure(&pass);
    imf_parallel(j->pool, items_of(&pass), run_item, &pass);
}
