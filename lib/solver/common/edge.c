/*
 * edge.c - fill the margins around an image by its edge mode
 *
 * An edge mode is a table: for each column and row of the margin, the column or row of the image that
 * it repeats, or -1 for the constant. The host fills columns first, then copies whole rows with their
 * corners; a device fills all in one kernel (cl/edge.cl). The cost grows with the margin only, and
 * no solver contains edge code.
 */
#include "solver/common/edge.h"

#include "device/program.h"
#include "device/tuning.h"

#include <stdlib.h>
#include <string.h>

int imf_edge_index(enum imf_edge edge, int i, int n) {
    if (i >= 0 && i < n)
        return i;
    int64_t period;
    switch (edge) {
    case IMF_EDGE_CLAMP:
        return i < 0 ? 0 : n - 1;
    case IMF_EDGE_CONSTANT:
        return -1;
    case IMF_EDGE_WRAP:
        return (int)(((int64_t)i % n + n) % n);
    case IMF_EDGE_REFLECT:
        period = 2 * (int64_t)n;
        break;
    case IMF_EDGE_MIRROR:
    default:
        if (n == 1)
            return 0;
        period = 2 * (int64_t)n - 2;
        break;
    }
    int64_t m = ((int64_t)i % period + period) % period;
    if (m < n)
        return (int)m;
    return (int)(edge == IMF_EDGE_REFLECT ? period - 1 - m : period - m);
}

static void fill_column(const struct imf_surface *s, void *row, int x, enum imf_edge edge,
                        const double *outside) {
    size_t pixel = (size_t)s->channels * imf_sample_size(s->sample);
    int from = imf_edge_index(edge, x, s->width);
    char *base = row;
    if (from >= 0) {
        memcpy(base + x * (ptrdiff_t)pixel, base + from * (ptrdiff_t)pixel, pixel);
        return;
    }
    for (int c = 0; c < s->channels; c++)
        imf_sample_put(row, s->sample, (ptrdiff_t)x * s->channels + c, outside[c]);
}

/* Columns x..x + count - 1 of a row's margin, at one side of the image. */
static void fill_side(const struct imf_surface *s, void *row, int x, int count, enum imf_edge edge,
                      const double *outside) {
    size_t pixel = (size_t)s->channels * imf_sample_size(s->sample);
    char *to = (char *)row + x * (ptrdiff_t)pixel;
    bool same = edge == IMF_EDGE_CLAMP || edge == IMF_EDGE_CONSTANT;
    for (int i = 0; i < (same ? imf_min(count, 1) : count); i++)
        fill_column(s, row, x + i, edge, outside);
    /* One pixel is repeated, and margins may be wide: copy, doubling what is copied. */
    for (int done = 1; same && done < count; done *= 2)
        memcpy(to + (size_t)done * pixel, to, (size_t)imf_min(done, count - done) * pixel);
}

static void fill_row(const struct imf_surface *s, struct imf_margin m, int y,
                     struct imf_edge_part part, enum imf_edge edge, const double *outside) {
    size_t pixel = (size_t)s->channels * imf_sample_size(s->sample);
    int from = imf_edge_index(edge, part.first + y, part.height);
    if (from >= 0) {
        size_t left = (size_t)m.left * pixel;
        from -= part.first;
        memcpy((char *)imf_surface_row(s, y) - left, (char *)imf_surface_row(s, from) - left,
               left + ((size_t)s->width + (size_t)m.right) * pixel);
        return;
    }
    for (ptrdiff_t x = -(ptrdiff_t)m.left; x < (ptrdiff_t)s->width + m.right; x++)
        for (int c = 0; c < s->channels; c++)
            imf_sample_put(imf_surface_row(s, y), s->sample, x * s->channels + c, outside[c]);
}

void imf_edge_fill_band(const struct imf_surface *s, struct imf_margin m, struct imf_edge_part part,
                        enum imf_edge edge, const double *outside) {
    for (int y = 0; y < s->height && m.left + m.right; y++) {
        void *row = imf_surface_row(s, y);
        fill_side(s, row, -m.left, m.left, edge, outside);
        fill_side(s, row, s->width, m.right, edge, outside);
    }
    for (int y = -m.top; y < 0 && part.first == 0; y++)
        fill_row(s, m, y, part, edge, outside);
    for (int y = s->height; y < s->height + m.bottom && part.first + s->height == part.height; y++)
        fill_row(s, m, y, part, edge, outside);
}

void imf_edge_fill_host(const struct imf_surface *s, struct imf_margin m, enum imf_edge edge,
                        const double *outside) {
    imf_edge_fill_band(s, m, (struct imf_edge_part){0, s->height}, edge, outside);
}

struct imf_edge_job {
    struct imf_queue *queue;
    struct imf_margin margin;
    int height;
    int constant; /* index of its samples in the table */
    struct imf_program *program;
    struct imf_buffer *table;
};

/* Pixels of a margin row for each work-item: GPUs want many work-items, CPUs long ones. */
#define GPU_RUN 4
#define CPU_RUN 64

static int run_length(const struct imf_queue *queue) {
    return imf_queue_device(queue)->gpu ? GPU_RUN : CPU_RUN;
}

/* Source columns left and right of the image, then source rows above and below, then the constant, a
 * float for each channel. */
static enum imf_status make_table(struct imf_edge_job *job, const struct imf_surface *s,
                                  enum imf_edge edge, const double *outside,
                                  struct imf_error *err) {
    struct imf_margin m = job->margin;
    size_t columns = (size_t)m.left + (size_t)m.right;
    size_t constant = columns + (size_t)m.top + (size_t)m.bottom;
    size_t count = constant + (size_t)s->channels;
    int32_t *table = malloc(count * sizeof *table);
    if (!table)
        return imf_fail_memory(err, count * sizeof *table);
    for (int i = 0; i < m.left + m.right; i++)
        table[i] = imf_edge_index(edge, i < m.left ? i - m.left : s->width + i - m.left, s->width);
    for (int i = 0; i < m.top + m.bottom; i++)
        table[columns + (size_t)i] =
            imf_edge_index(edge, i < m.top ? i - m.top : s->height + i - m.top, s->height);
    for (int c = 0; c < s->channels; c++) {
        float sample = (float)outside[c];
        memcpy(&table[constant + (size_t)c], &sample, sizeof sample);
    }
    job->constant = (int)constant;
    enum imf_status st =
        imf_buffer_table(&job->table, job->queue, table, count * sizeof *table, err);
    free(table);
    return st;
}

enum imf_status imf_edge_make(struct imf_edge_job **out, struct imf_queue *queue,
                              const struct imf_surface *s, struct imf_margin m, enum imf_edge edge,
                              const double *outside, struct imf_error *err) {
    static const char *const type[] = {
        [IMF_U8] = "uchar", [IMF_U16] = "ushort", [IMF_F32] = "float"};
    struct imf_defines d = {0};
    struct imf_edge_job *job = *out = calloc(1, sizeof *job);
    if (!job)
        return imf_fail_memory(err, sizeof *job);
    job->queue = queue;
    job->margin = m;
    job->height = s->height;
    imf_define(&d, "SAMPLE_T", "%s", type[s->sample]);
    imf_define(&d, "RUN", "%d", run_length(queue));
    imf_define(&d, "GROUP", "%zu", imf_tuning_group(imf_queue_device(queue)));
    const struct imf_program_source source = {.file = "edge.cl", .defines = &d};
    enum imf_status st = make_table(job, s, edge, outside, err);
    if (!st)
        st = imf_program_make(&job->program, queue, &source, "edge_fill", err);
    imf_defines_free(&d);
    if (st)
        imf_edge_free(out);
    return st;
}

enum imf_status imf_edge_run(struct imf_edge_job *job, const struct imf_surface *s, int first,
                             struct imf_error *err) {
    struct imf_margin m = job->margin;
    int rows = m.left + m.right;
    if (first > 0) {
        rows += m.top;
        m.top = 0;
    }
    if (first + s->height < job->height)
        m.bottom = 0;
    size_t sides = (size_t)m.left + (size_t)m.right, run = (size_t)run_length(job->queue);
    size_t items = sides * (size_t)s->height + ((size_t)m.top + (size_t)m.bottom) *
                                                   ((sides + (size_t)s->width + run - 1) / run);
    const struct imf_arg args[] = {
        imf_arg_buffer(s->mem),   imf_arg_size(s->origin),   imf_arg_size(s->pitch),
        imf_arg_int(s->width),    imf_arg_int(s->height),    imf_arg_int(m.left),
        imf_arg_int(m.right),     imf_arg_int(m.top),        imf_arg_int(m.bottom),
        imf_arg_int(first),       imf_arg_int(rows),         imf_arg_buffer(job->table),
        imf_arg_int(s->channels), imf_arg_int(job->constant)};
    struct imf_grid grid = imf_grid_over(items, 1, imf_tuning_group(imf_queue_device(job->queue)));
    return items ? imf_program_launch(job->queue, job->program, grid, args, err) : IMF_OK;
}

void imf_edge_free(struct imf_edge_job **job) {
    struct imf_edge_job *j = *job;
    if (!j)
        return;
    imf_program_free(&j->program);
    imf_buffer_free(&j->table);
    free(j);
    *job = NULL;
}
