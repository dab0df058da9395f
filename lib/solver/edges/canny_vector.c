/*
 * canny_vector.c - edges on the host's cores
 *
 * The bytes are those of canny.c. A band of rows goes through steps 1 to 3 in patches, row by row
 * (canny_rows.c); edges are followed within it (canny_trace.c) and stored. The map, a byte for each
 * pixel, is kept for the whole image; after all bands edges are followed across their borders.
 */
#include "device/tuning.h"
#include "solver/cores.h"
#include "solver/edges/canny_rows.h"
#include "solver/edges/canny_trace.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAND_BYTES 262144
#define BAND_ROWS 32

struct vector_canny {
    struct imf_problem p;
    struct imf_canny_parameters n;
    struct imf_pool *pool; /* borrowed, or NULL */
    unsigned char *store;
    struct imf_canny_map map;
};

struct pass {
    const struct vector_canny *job;
    const struct imf_surface *in, *out;
    struct imf_canny_rows find;
    struct imf_levels levels;
    int rows; /* of a band */
};

/* Bytes of a row of the map and of the map, with a border of one pixel. */
static bool map_size(const struct imf_problem *p, size_t *pitch, size_t *bytes) {
    *pitch = (size_t)p->width + 2;
    return imf_size_mul(*pitch, (size_t)p->height + 2, bytes);
}

/* Edges are few: fill the row with the sample of no edge, then store the edges. */
#define STORE(type, member)                                                                        \
    do {                                                                                           \
        type *to = row, none = pass->levels.as.member[0], edge = pass->levels.as.member[1];        \
        for (int i = 0; i < width * step; i++)                                                     \
            to[i] = none;                                                                          \
        for (int x = next_edge(map, 0, width); x < width; x = next_edge(map, x + 1, width))        \
            for (int c = 0; c < colors; c++)                                                       \
                to[x * step + c] = edge;                                                           \
    } while (0)

/* The first edge from x on, or n. */
static inline int next_edge(const unsigned char *map, int x, int n) {
    const uint64_t edges = 0x0101010101010101u * IMF_CANNY_EDGE;
    for (uint64_t word; x + (int)sizeof word <= n; x += (int)sizeof word) {
        memcpy(&word, map + x, sizeof word);
        if (word & edges)
            break;
    }
    while (x < n && map[x] != IMF_CANNY_EDGE)
        x++;
    return x;
}

static void store_row(const struct pass *pass, int y) {
    const struct imf_problem *p = &pass->job->p;
    const unsigned char *map = pass->job->map.pixel + (size_t)y * pass->job->map.pitch;
    const void *from = imf_surface_row(pass->in, y);
    void *row = imf_surface_row(pass->out, y);
    enum imf_sample in = pass->in->sample, out = pass->out->sample;
    int width = p->width, step = p->channels, colors = p->colors;
    if (out == IMF_U8)
        STORE(uint8_t, u8);
    else if (out == IMF_U16)
        STORE(uint16_t, u16);
    else if (out == IMF_F32)
        STORE(float, f32);
    else
        STORE(double, f64);
    for (ptrdiff_t x = colors; colors < step && x < (ptrdiff_t)width * step; x += step)
        imf_sample_put(row, out, x, imf_sample_get(from, in, x));
}

static void band_item(void *data, int item) {
    const struct pass *pass = data;
    const struct imf_problem *p = &pass->job->p;
    int y = item * pass->rows, end = imf_min(y + pass->rows, p->height);
    int step = IMF_CANNY_STRIP / p->channels;
    for (int x = 0; x < p->width; x += step) {
        struct imf_patch at = {.x = x, .n = imf_min(step, p->width - x), .y = y, .end = end};
        imf_canny_patch(&pass->find, at);
    }
    imf_canny_search(&pass->job->map, y, end);
    for (; y < end; y++)
        store_row(pass, y);
}

/* Store an edge that was followed from another band. */
static void store_pixel(void *data, int x, int y) {
    const struct pass *pass = data;
    const struct imf_problem *p = &pass->job->p;
    for (int c = 0; c < p->colors; c++)
        imf_sample_put(imf_surface_row(pass->out, y), pass->out->sample,
                       (ptrdiff_t)x * p->channels + c, pass->levels.v[1]);
}

/* Low bands compute more gradients of their first rows twice; the map of high bands leaves the cache
 * before edges are followed in it. */
static int band_rows(const struct imf_problem *p) {
    int rows = imf_max(BAND_BYTES / p->width, BAND_ROWS);
    return imf_min(rows, imf_max((p->height - 1) / imf_cores() + 1, 1));
}

/* Milliseconds of one core: samples * (canny + taps * canny_tap) * 1e-6. */
static double cost(const struct imf_problem *p) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    double each = imf_canny_narrow(p) ? r->canny : r->canny_wide;
    double taps = p->canny->sigma > 0 ? 2 * ceil(4 * p->canny->sigma) : 0;
    return (double)p->width * p->height * p->channels * (each + taps * r->canny_tap) * 1e-6;
}

static void vector_canny_propose(const struct imf_problem *p, const struct imf_device *d,
                                 struct imf_proposal *out) {
    size_t pitch, bytes;
    (void)d;
    if ((double)p->width * p->channels > INT32_MAX - 4096 || !map_size(p, &pitch, &bytes)) {
        imf_proposal_refuse(out, "rows are too long");
        return;
    }
    double ms = cost(p);
    int cores = imf_cores();
    out->feasible = true;
    out->error = 0;
    out->bands = IMF_BANDS_WHOLE;
    out->ms = imf_cores_ms(ms, cores);
    out->bytes = (double)bytes;
    snprintf(out->description, sizeof out->description, "vector edges of %dx%d gradients, %d bits",
             p->canny->aperture, p->canny->aperture, imf_canny_narrow(p) ? 16 : 32);
}

static void vector_canny_destroy(void **job) {
    struct vector_canny *j = *job;
    if (j)
        free(j->store);
    free(j);
    *job = NULL;
}

static enum imf_status vector_canny_make(void **job, const struct imf_problem *p,
                                         const struct imf_proposal *proposal,
                                         struct imf_queue *queue, struct imf_error *err) {
    size_t pitch, bytes;
    (void)proposal, (void)queue;
    struct vector_canny *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->p = *p;
    imf_canny_parameters(&j->n, p);
    if (map_size(p, &pitch, &bytes) && (j->store = calloc(bytes, 1))) {
        j->map = (struct imf_canny_map){j->store + pitch + 1, pitch, p->width, p->height};
        return IMF_OK;
    }
    vector_canny_destroy(job);
    return imf_fail_memory(err, bytes);
}

static enum imf_status vector_canny_run(void *job, const struct imf_surface *in,
                                        const struct imf_surface *out, struct imf_error *err) {
    struct vector_canny *j = job;
    const struct imf_problem *p = &j->p;
    struct pass pass = {.job = j,
                        .in = in,
                        .out = out,
                        .find = {p, &j->n, in, j->map.pixel, j->map.pitch},
                        .rows = band_rows(p)};
    (void)err;
    imf_levels_make(&pass.levels, p, out->sample);
    imf_parallel(j->pool, (p->height - 1) / pass.rows + 1, band_item, &pass);
    imf_canny_join(&j->map, pass.rows, store_pixel, &pass);
    return IMF_OK;
}

static void vector_canny_use_pool(void *job, struct imf_pool *pool) {
    ((struct vector_canny *)job)->pool = pool;
}

const struct imf_solver imf_solver_canny_vector = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .float64 = true,
    .kinds = 1u << IMF_CANNY,
    .propose = vector_canny_propose,
    .old_make = vector_canny_make,
    .old_run = vector_canny_run,
    .old_destroy = vector_canny_destroy,
    .old_use_pool = vector_canny_use_pool,
};
