/*
 * canny_vector.c - edges on the host's cores
 *
 * The bytes are those of canny.c. A band of rows goes through steps 1 to 3 in strips, row by row
 * (canny_rows.c); edges are followed within it (canny_trace.c) and stored. The map, a byte for each
 * pixel, is kept for the whole image; after all bands edges are followed across their borders.
 */
#include "device/tuning.h"
#include "solver/edges/canny_rows.h"
#include "solver/edges/canny_trace.h"
#include "solver/solver.h"

#include <math.h>

#define BAND_BYTES 262144
#define BAND_ROWS 32

enum { MAP }; /* the buffer: the map with a border of one pixel */

struct own {
    struct imf_canny_parameters n;
    struct imf_canny_map map;
    struct imf_levels levels;
};

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    (void)shape;
    return imf_size_mul((size_t)p->width + 2, (size_t)p->height + 2, &bytes[MAP]);
}

/* Edges are few: fill the row with the sample of no edge, then store the edges. */
#define STORE(type, member)                                                                        \
    do {                                                                                           \
        type *to = row, none = own->levels.as.member[0], edge = own->levels.as.member[1];          \
        for (int i = 0; i < n; i++)                                                                \
            to[i] = none;                                                                          \
        for (at = map; (at = imf_canny_next(at, end, IMF_CANNY_EDGE)) < end; at++)                 \
            for (int c = 0; c < colors; c++)                                                       \
                to[(at - map) * step + c] = edge;                                                  \
    } while (0)

static void store_row(const struct imf_host_strip *s, int y) {
    const struct imf_problem *p = &s->job->p;
    const struct own *own = s->job->own;
    unsigned char *map = own->map.pixel + (size_t)y * own->map.pitch, *end = map + p->width, *at;
    const void *from = imf_surface_row(s->in, y);
    void *row = imf_surface_row(s->out, y);
    enum imf_sample in = s->in->sample, out = s->out->sample;
    int step = p->channels, colors = p->colors, n = p->width * step;
    IMF_EACH_SAMPLE(out, STORE);
    for (ptrdiff_t x = colors; colors < step && x < n; x += step)
        imf_sample_put(row, out, x, imf_sample_get(from, in, x));
}

static void canny_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    const struct own *own = s->job->own;
    const struct imf_canny_rows find = {p, &own->n, s->in, own->map.pixel, own->map.pitch};
    int step = IMF_CANNY_STRIP / p->channels;
    struct imf_strip_area at = s->at;
    for (at.x = 0; at.x < p->width; at.x += step) {
        at.n = imf_min(step, p->width - at.x);
        imf_canny_strip(&find, at);
    }
    imf_canny_search(&own->map, at.y, at.end);
    for (int y = at.y; y < at.end; y++)
        store_row(s, y);
}

/* Store an edge that was followed from another band. */
static void store_pixel(void *data, int x, int y) {
    const struct imf_host_strip *s = data;
    const struct imf_problem *p = &s->job->p;
    for (int c = 0; c < p->colors; c++)
        imf_sample_put(imf_surface_row(s->out, y), s->out->sample, (ptrdiff_t)x * p->channels + c,
                       ((const struct own *)s->job->own)->levels.v[1]);
}

/* Low bands compute more gradients of their first rows twice; the map of high bands leaves the cache
 * before edges are followed in it. */
static struct imf_strips canny_cut(const struct imf_job *job, int height) {
    int rows = imf_max(BAND_BYTES / job->p.width, BAND_ROWS);
    rows = imf_min(rows, imf_max((height - 1) / imf_cores() + 1, 1));
    return imf_strips_rows(job->p.width, height, rows);
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
    (void)d;
    if (!imf_proposal_buffers(out, p))
        return;
    imf_proposal_strips(out, p, cost(p), p->width);
    out->error = 0;
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "vector edges of %dx%d gradients, %d bits",
             p->canny->aperture, p->canny->aperture, imf_canny_narrow(p) ? 16 : 32);
}

static enum imf_status vector_canny_prepare(struct imf_job *job, struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    struct own *own = job->own;
    size_t pitch = (size_t)p->width + 2;
    (void)err;
    imf_canny_parameters(&own->n, p);
    imf_levels_make(&own->levels, p, p->out);
    own->map = (struct imf_canny_map){(unsigned char *)job->memory[MAP] + pitch + 1, pitch,
                                      p->width, p->height};
    return IMF_OK;
}

static enum imf_status vector_canny_run(struct imf_job *job, const struct imf_surface *in,
                                        const struct imf_surface *out, struct imf_error *err) {
    const struct own *own = job->own;
    struct imf_host_strip all = {.job = job, .in = in, .out = out};
    enum imf_status st = imf_job_strips(job, in, out, err);
    imf_canny_join(&own->map, canny_cut(job, out->height).rows, store_pixel, &all);
    return st;
}

const struct imf_solver imf_solver_canny_vector = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .float64 = true,
    .kinds = 1u << IMF_CANNY,
    .propose = vector_canny_propose,
    .own = sizeof(struct own),
    .sizes = sizes,
    .prepare = vector_canny_prepare,
    .cut = canny_cut,
    .strip = canny_strip,
    .run = vector_canny_run,
};
