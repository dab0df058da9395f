/*
 * half_plane.c - transforms of real planes
 *
 * Two real rows a and b go through one complex transform as a + i b: of its output Z the spectra are
 * A(k) = (Z(k) + Z*(-k)) / 2 and B(k) = (Z(k) - Z*(-k)) / 2i, and Z(k) = A(k) + i B(k) on the way
 * back. The pairs of a batch are transformed side by side. Their spectra are stored by column blocks, IMF_FFT_BATCH
 * neighbouring frequencies of all rows one after the other, so that columns are transformed where
 * they lie.
 *
 * Each thread has buffers of its own; an idle thread takes the next group of rows, or block.
 */
#include "fourier/half_plane.h"

#include "base/image/surface.h"
#include "base/pages.h"
#include "base/thread_pool.h"

#include <stdatomic.h>
#include <stdlib.h>

#define BATCH IMF_FFT_BATCH
#define ROWS (2 * BATCH) /* that are transformed at once */
#define CHUNK 64         /* samples of each of these rows: 8 KiB, in the first-level cache */
#define ALIGNMENT 64

/* Work that threads take group by group. */
struct groups {
    struct imf_half_plane *plane;
    int rows, count;
    atomic_int next;
    imf_half_plane_row *row;
    imf_half_plane_columns *columns;
    void *user;
    bool forward, backward; /* the transforms of rows, backward first */
    size_t each;            /* points of scratch memory for every thread */
};

int imf_half_plane_blocks(int width) {
    return width / 2 / BATCH + 1;
}

/* Points that hold ROWS rows, and those of their transform. */
static size_t row_points(size_t width) {
    return 2 * width;
}

double imf_half_plane_bytes(int width, int height, int threads) {
    double points = (double)imf_half_plane_blocks(width) * height;
    int count = threads > 0 ? threads : imf_cores(), groups = (height + ROWS - 1) / ROWS;
    points += (double)row_points((size_t)width) * imf_min(count, groups);
    return points * sizeof(struct imf_fft_batch);
}

enum imf_status imf_half_plane_open(struct imf_half_plane *out, int width, int height,
                                    struct imf_error *err) {
    *out = (struct imf_half_plane){.width = width, .height = height};
    enum imf_status status = imf_fft_host_create(&out->along_x, width, err);
    if (status == IMF_OK)
        status = imf_fft_host_create(&out->along_y, height, err);
    size_t count, bytes;
    if (status == IMF_OK &&
        (!imf_size_mul((size_t)imf_half_plane_blocks(width), (size_t)height, &count) ||
         !imf_size_mul(count, sizeof *out->data, &bytes) ||
         !(out->data = aligned_alloc(ALIGNMENT, bytes))))
        status = imf_fail_memory(err, count);
    if (status == IMF_OK)
        imf_use_large_pages(out->data, bytes);
    else
        imf_half_plane_free(out);
    return status;
}

void imf_half_plane_free(struct imf_half_plane *p) {
    imf_fft_host_free(&p->along_x);
    imf_fft_host_free(&p->along_y);
    free(p->data);
    free(p->scratch);
    p->data = p->scratch = NULL;
    p->scratch_points = 0;
}

/* Rows of `width` values become points, the pairs' first rows their real parts, or the reverse. */
static void interleave(struct imf_fft_batch *points, imf_real *rows, size_t width, bool reverse) {
    for (size_t begin = 0; begin < width; begin += CHUNK) {
        size_t end = begin + CHUNK < width ? begin + CHUNK : width;
        for (size_t l = 0; l < BATCH; l++) {
            imf_real *a = rows + 2 * l * width, *b = a + width;
            if (reverse)
                for (size_t x = begin; x < end; x++)
                    a[x] = points[x].re[l], b[x] = points[x].im[l];
            else
                for (size_t x = begin; x < end; x++)
                    points[x].re[l] = a[x], points[x].im[l] = b[x];
        }
    }
}

/* Spectra of rows y..y + count - 1 to the column blocks. */
static void split(const struct imf_half_plane *p, const struct imf_fft_batch *z, int y, int count) {
    const int *position = imf_fft_host_positions(p->along_x);
    int half = p->width / 2 + 1;
    for (int block = 0; block < imf_half_plane_blocks(p->width); block++) {
        struct imf_fft_batch *to = p->data + (size_t)block * (size_t)p->height + y;
        struct imf_fft_batch spectrum[ROWS];
        for (int c = 0; c < BATCH; c++) {
            int k = block * BATCH + c < half ? block * BATCH + c : 0;
            const struct imf_fft_batch *a = &z[position[k]],
                                       *b = &z[position[k ? p->width - k : 0]];
            for (int l = 0; l < BATCH; l++) {
                spectrum[2 * l].re[c] = (a->re[l] + b->re[l]) / 2;
                spectrum[2 * l].im[c] = (a->im[l] - b->im[l]) / 2;
                spectrum[2 * l + 1].re[c] = (a->im[l] + b->im[l]) / 2;
                spectrum[2 * l + 1].im[c] = (b->re[l] - a->re[l]) / 2;
            }
        }
        for (int r = 0; r < count; r++)
            to[r] = spectrum[r];
    }
}

/* And back. */
static void join(const struct imf_half_plane *p, struct imf_fft_batch *z, int y, int count) {
    const int *position = imf_fft_host_positions(p->along_x);
    int half = p->width / 2 + 1;
    for (int block = 0; block < imf_half_plane_blocks(p->width); block++) {
        const struct imf_fft_batch *from = p->data + (size_t)block * (size_t)p->height + y;
        struct imf_fft_batch spectrum[ROWS] = {{{0}, {0}}};
        for (int r = 0; r < count; r++)
            spectrum[r] = from[r];
        for (int c = 0; c < BATCH && block * BATCH + c < half; c++) {
            int k = block * BATCH + c;
            struct imf_fft_batch *a = &z[position[k]], *b = &z[position[k ? p->width - k : 0]];
            for (int l = 0; l < BATCH; l++) {
                const struct imf_fft_batch *even = &spectrum[2 * l], *odd = &spectrum[2 * l + 1];
                b->re[l] = even->re[c] + odd->im[c];
                b->im[l] = odd->re[c] - even->im[c];
                a->re[l] = even->re[c] - odd->im[c];
                a->im[l] = even->im[c] + odd->re[c];
            }
        }
    }
}

static void do_rows(const struct groups *g, int group, struct imf_fft_batch *scratch) {
    const struct imf_half_plane *p = g->plane;
    size_t width = (size_t)p->width;
    struct imf_fft_batch *points = scratch, *work = points + row_points(width);
    imf_real *rows = (imf_real *)(points + width);
    int y = group * ROWS, count = imf_min(g->rows - y, ROWS);
    if (g->backward) {
        join(p, points, y, count);
        imf_fft_host_backward(p->along_x, points, work);
        interleave(points, rows, width, true);
    }
    for (int r = 0; r < count; r++)
        g->row(g->user, y + r, rows + (size_t)r * width);
    if (!g->forward)
        return;
    for (size_t i = (size_t)count * width; i < ROWS * width; i++)
        rows[i] = 0;
    interleave(points, rows, width, false);
    imf_fft_host_forward(p->along_x, points, work);
    split(p, points, y, count);
}

static void do_groups(void *data, int thread) {
    struct groups *g = data;
    struct imf_fft_batch *scratch = g->plane->scratch + (size_t)thread * g->each;
    for (int i; (i = atomic_fetch_add(&g->next, 1)) < g->count;) {
        if (g->row)
            do_rows(g, i, scratch);
        else
            g->columns(g->user, i, g->plane->data + (size_t)i * (size_t)g->plane->height, scratch);
    }
}

static enum imf_status run_groups(struct groups *g, struct imf_pool *pool, struct imf_error *err) {
    struct imf_half_plane *p = g->plane;
    int count = imf_min(imf_pool_threads(pool), g->count);
    size_t points = (size_t)count * g->each + 1, bytes = points * sizeof *p->scratch;
    if (points > p->scratch_points) {
        free(p->scratch);
        p->scratch_points = 0;
        if (!(p->scratch = aligned_alloc(ALIGNMENT, bytes)))
            return imf_fail_memory(err, bytes);
        p->scratch_points = points;
    }
    imf_parallel(pool, count, do_groups, g);
    return IMF_OK;
}

static enum imf_status run_rows(struct imf_half_plane *p, struct groups g, int rows,
                                struct imf_pool *pool, struct imf_error *err) {
    g.plane = p;
    g.rows = rows;
    g.count = (rows + ROWS - 1) / ROWS;
    g.each = row_points((size_t)p->width) + imf_fft_host_work(p->along_x);
    return run_groups(&g, pool, err);
}

enum imf_status imf_half_plane_load(struct imf_half_plane *p, int rows, imf_half_plane_row *source,
                                    void *user, struct imf_pool *pool, struct imf_error *err) {
    const struct groups g = {.row = source, .user = user, .forward = true};
    return run_rows(p, g, rows, pool, err);
}

enum imf_status imf_half_plane_store(struct imf_half_plane *p, int rows, imf_half_plane_row *sink,
                                     void *user, struct imf_pool *pool, struct imf_error *err) {
    const struct groups g = {.row = sink, .user = user, .backward = true};
    return run_rows(p, g, rows, pool, err);
}

enum imf_status imf_half_plane_turn(struct imf_half_plane *p, imf_half_plane_row *change,
                                    void *user, struct imf_pool *pool, struct imf_error *err) {
    const struct groups g = {.row = change, .user = user, .backward = true, .forward = true};
    return run_rows(p, g, p->height, pool, err);
}

enum imf_status imf_half_plane_each(struct imf_half_plane *p, imf_half_plane_columns *work,
                                    void *user, struct imf_pool *pool, struct imf_error *err) {
    struct groups g = {.plane = p,
                       .count = imf_half_plane_blocks(p->width),
                       .columns = work,
                       .user = user,
                       .each = imf_fft_host_work(p->along_y)};
    return run_groups(&g, pool, err);
}

static void forward_column(void *user, int block, struct imf_fft_batch *points,
                           struct imf_fft_batch *scratch) {
    const struct imf_half_plane *p = user;
    (void)block;
    imf_fft_host_forward(p->along_y, points, scratch);
}

enum imf_status imf_half_plane_make(struct imf_half_plane *out, int width, int height,
                                    imf_half_plane_row *source, void *user, struct imf_pool *pool,
                                    struct imf_error *err) {
    enum imf_status status = imf_half_plane_open(out, width, height, err);
    if (status == IMF_OK)
        status = imf_half_plane_load(out, height, source, user, pool, err);
    if (status == IMF_OK)
        status = imf_half_plane_each(out, forward_column, out, pool, err);
    if (status != IMF_OK)
        imf_half_plane_free(out);
    return status;
}

struct imf_complex imf_half_plane_at(const struct imf_half_plane *p, int kx, int ky) {
    kx = (kx % p->width + p->width) % p->width;
    ky = (ky % p->height + p->height) % p->height;
    bool mirrored = kx > p->width / 2;
    if (mirrored)
        kx = p->width - kx, ky = (p->height - ky) % p->height;
    const struct imf_fft_batch *z =
        p->data + (size_t)(kx / BATCH) * (size_t)p->height + imf_fft_host_positions(p->along_y)[ky];
    double re = (double)z->re[kx % BATCH], im = (double)z->im[kx % BATCH];
    return (struct imf_complex){re, mirrored ? -im : im};
}
