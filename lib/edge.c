/*
 * edge.c - what lies beyond the image's edge
 *
 * Every edge mode is a table: for each column and row of the margin, the column or row of the image
 * that it repeats, or -1 for the constant. Columns are filled first, then whole rows are copied,
 * corners included. The cost grows with the rim only, and no solver carries edge code.
 */
#include "edge.h"

#include <stdlib.h>
#include <string.h>

int imf_edge_index(enum imf_edge edge, int i, int n) {
    if (i >= 0 && i < n)
        return i;
    long period;
    switch (edge) {
    case IMF_EDGE_CLAMP:
        return i < 0 ? 0 : n - 1;
    case IMF_EDGE_CONSTANT:
        return -1;
    case IMF_EDGE_WRAP:
        return (int)(((long)i % n + n) % n);
    case IMF_EDGE_REFLECT:
        period = 2L * n;
        break;
    case IMF_EDGE_MIRROR:
    default:
        if (n == 1)
            return 0;
        period = 2L * n - 2;
        break;
    }
    long m = ((long)i % period + period) % period;
    if (m < n)
        return (int)m;
    return (int)(edge == IMF_EDGE_REFLECT ? period - 1 - m : period - m);
}

static void put(void *row, enum imf_sample sample, ptrdiff_t at, double value) {
    switch (sample) {
    case IMF_U8:
        ((uint8_t *)row)[at] = (uint8_t)value;
        break;
    case IMF_U16:
        ((uint16_t *)row)[at] = (uint16_t)value;
        break;
    case IMF_F32:
        ((float *)row)[at] = (float)value;
        break;
    case IMF_F64:
        ((double *)row)[at] = value;
        break;
    }
}

static void fill_column(const struct imf_surface *s, void *row, int x, enum imf_edge edge,
                        double value) {
    size_t pixel = (size_t)s->channels * imf_sample_size(s->sample);
    int from = imf_edge_index(edge, x, s->width);
    char *base = row;
    if (from >= 0) {
        memcpy(base + x * (ptrdiff_t)pixel, base + from * (ptrdiff_t)pixel, pixel);
        return;
    }
    for (int c = 0; c < s->channels; c++)
        put(row, s->sample, (ptrdiff_t)x * s->channels + c, value);
}

static void fill_row(const struct imf_surface *s, struct imf_margin m, int y, enum imf_edge edge,
                     double value) {
    size_t pixel = (size_t)s->channels * imf_sample_size(s->sample);
    int from = imf_edge_index(edge, y, s->height);
    if (from >= 0) {
        size_t left = (size_t)m.left * pixel;
        memcpy((char *)imf_surface_row(s, y) - left, (char *)imf_surface_row(s, from) - left,
               left + ((size_t)s->width + (size_t)m.right) * pixel);
        return;
    }
    for (ptrdiff_t i = -(ptrdiff_t)m.left * s->channels;
         i < ((ptrdiff_t)s->width + m.right) * s->channels; i++)
        put(imf_surface_row(s, y), s->sample, i, value);
}

void imf_edge_fill_host(const struct imf_surface *s, struct imf_margin m, enum imf_edge edge,
                        double value) {
    for (int y = 0; y < s->height && m.left + m.right; y++) {
        void *row = imf_surface_row(s, y);
        for (int x = -m.left; x < 0; x++)
            fill_column(s, row, x, edge, value);
        for (int x = s->width; x < s->width + m.right; x++)
            fill_column(s, row, x, edge, value);
    }
    for (int y = -m.top; y < 0; y++)
        fill_row(s, m, y, edge, value);
    for (int y = s->height; y < s->height + m.bottom; y++)
        fill_row(s, m, y, edge, value);
}

struct imf_edge_job {
    struct imf_clrt *rt;
    struct imf_margin margin;
    cl_kernel columns, rows;
    cl_mem column_table, row_table;
};

/* Source indices of the `before` coordinates below 0 and the `after` ones from n on. */
static enum imf_status make_table(struct imf_clrt *rt, int before, int after, int n,
                                  enum imf_edge edge, cl_mem *out, struct imf_error *err) {
    size_t count = (size_t)before + (size_t)after;
    cl_int *table = malloc(count * sizeof *table);
    if (!table)
        return imf_fail_memory(err, count * sizeof *table);
    for (int i = 0; i < before; i++)
        table[i] = imf_edge_index(edge, i - before, n);
    for (int i = 0; i < after; i++)
        table[before + i] = imf_edge_index(edge, n + i, n);
    cl_int code;
    *out = clCreateBuffer(imf_clrt_context(rt), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                          count * sizeof *table, table, &code);
    free(table);
    return *out ? IMF_OK : imf_clrt_fail(err, code, "a table of the edge");
}

enum imf_status imf_edge_make(struct imf_edge_job **out, struct imf_clrt *rt,
                              const struct imf_surface *s, struct imf_margin m, enum imf_edge edge,
                              double value, struct imf_error *err) {
    static const char *const type[] = {
        [IMF_U8] = "uchar", [IMF_U16] = "ushort", [IMF_F32] = "float"};
    enum imf_status st = IMF_OK;
    struct imf_defines d = {0};
    struct imf_edge_job *job = *out = calloc(1, sizeof *job);
    if (!job)
        return imf_fail_memory(err, sizeof *job);
    job->rt = rt;
    job->margin = m;
    imf_define(&d, "SAMPLE_T", "%s", type[s->sample]);
    imf_define(&d, "CHANNELS", "%d", s->channels);
    imf_define(&d, "VALUE", "(SAMPLE_T)%af", (double)(float)value);
    if (m.left + m.right)
        st = make_table(rt, m.left, m.right, s->width, edge, &job->column_table, err);
    if (!st && m.left + m.right)
        st = imf_clrt_kernel(rt, "edge.cl", d.text, "edge_columns", &job->columns, err);
    if (!st && m.top + m.bottom)
        st = make_table(rt, m.top, m.bottom, s->height, edge, &job->row_table, err);
    if (!st && m.top + m.bottom)
        st = imf_clrt_kernel(rt, "edge.cl", d.text, "edge_rows", &job->rows, err);
    imf_defines_free(&d);
    if (st)
        imf_edge_free(out);
    return st;
}

enum imf_status imf_edge_run(struct imf_edge_job *job, const struct imf_surface *s,
                             struct imf_error *err) {
    cl_mem mem = s->mem;
    cl_long origin = (cl_long)s->origin;
    cl_int pitch = (cl_int)s->pitch, width = s->width, height = s->height;
    struct imf_margin m = job->margin;
    enum imf_status st = IMF_OK;
    if (job->columns) {
        cl_int left = m.left;
        struct imf_arg args[] = {
            {sizeof mem, &mem},     {sizeof origin, &origin},
            {sizeof pitch, &pitch}, {sizeof width, &width},
            {sizeof left, &left},   {sizeof job->column_table, &job->column_table}};
        size_t global[] = {(size_t)(m.left + m.right), (size_t)height};
        st = imf_clrt_launch(job->rt, job->columns, args, 6, 2, global, NULL, err);
    }
    if (!st && job->rows) {
        cl_int top = m.top, left = m.left * s->channels;
        cl_int count = left + (width + m.right) * s->channels;
        struct imf_arg args[] = {{sizeof mem, &mem},     {sizeof origin, &origin},
                                 {sizeof pitch, &pitch}, {sizeof height, &height},
                                 {sizeof top, &top},     {sizeof job->row_table, &job->row_table},
                                 {sizeof left, &left},   {sizeof count, &count}};
        size_t global[] = {((size_t)count + 63) / 64, (size_t)(m.top + m.bottom)};
        st = imf_clrt_launch(job->rt, job->rows, args, 8, 2, global, NULL, err);
    }
    return st;
}

void imf_edge_free(struct imf_edge_job **job) {
    struct imf_edge_job *j = *job;
    if (!j)
        return;
    if (j->columns)
        clReleaseKernel(j->columns);
    if (j->rows)
        clReleaseKernel(j->rows);
    if (j->column_table)
        clReleaseMemObject(j->column_table);
    if (j->row_table)
        clReleaseMemObject(j->row_table);
    free(j);
    *job = NULL;
}
