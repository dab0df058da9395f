/*
 * device.c - memory, programs and operators of undoing a blur on a GPU
 *
 * A product is five passes over a plane or its spectrum (cl/deblur_gpu.cl). Nothing else takes as long, so that
 * what happens between products is left to kernels of its own (cl/deblur.cl).
 */
#include "solver/restore/device.h"

#include <math.h>
#include <stdlib.h>

#define ELEMENT (2 * sizeof(float))
#define GROUP 256 /* of cl/deblur.cl */
#define PARTS 512 /* groups of kernels for sums */
#define SUMS 2    /* that one leaves at most */
#define ROWS_FIRST IMF_DEBLUR_ROWS_IN
#define COLUMNS_FIRST IMF_DEBLUR_FILL_PENALTY

static const char *const entries[IMF_DEBLUR_ENTRIES] = {
    "sum_channel",  "load",       "store",     "copy",       "place_taps", "begin_gap",
    "residuals",    "curvature",  "move",      "turn",       "gradients",  "divergence",
    "begin_scene",  "guess",      "quotients", "accelerate", "rows_in",    "rows_out",
    "fill_penalty", "columns_in", "middle",    "columns_out"};

/* ---- memory -------------------------------------------------------------------------------- */

bool imf_deblur_device_bytes(struct imf_deblur_bytes *out, const struct imf_problem *p,
                             const struct imf_gpu_plane_layout *l) {
    static const int planes[] = {[IMF_DEBLUR_WIENER] = 4, [IMF_DEBLUR_TV] = 5, [IMF_DEBLUR_RL] = 6};
    enum imf_deblur_method method = p->deblur->method;
    size_t points, plane;
    *out = (struct imf_deblur_bytes){.data = sizeof(float), .penalty = sizeof(float)};
    if (!imf_size_mul((size_t)l->pitch, (size_t)l->ny, &points) ||
        !imf_size_mul(points, ELEMENT, &out->spectrum) ||
        !imf_size_mul((size_t)l->nx * (size_t)l->ny, sizeof(float), &plane))
        return false;
    for (int i = 0; i < planes[method]; i++)
        out->plane[i] = plane;
    if (method == IMF_DEBLUR_TV)
        out->data = out->spectrum;
    if (method != IMF_DEBLUR_RL) {
        out->penalty = points * sizeof(float);
        out->plane[3] -=
            (size_t)p->width * (size_t)p->height * sizeof(float); /* of the gap alone */
    }
    return true;
}

static enum imf_status make_buffers(struct imf_deblur_device *d, struct imf_error *err) {
    struct imf_deblur_bytes bytes;
    if (!imf_deblur_device_bytes(&bytes, &d->p, &d->tables.layout))
        return imf_fail_memory(err, SIZE_MAX);
    struct {
        struct imf_buffer **buffer;
        size_t bytes;
    } all[IMF_DEBLUR_PLANES + 5] = {{&d->spectrum, bytes.spectrum},
                                    {&d->blur, bytes.spectrum},
                                    {&d->data, bytes.data},
                                    {&d->penalty, bytes.penalty},
                                    {&d->parts, SUMS * PARTS * sizeof(float)}};
    for (int i = 0; i < IMF_DEBLUR_PLANES; i++) {
        all[5 + i].buffer = &d->plane[i];
        all[5 + i].bytes = bytes.plane[i];
    }
    enum imf_status status = IMF_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == IMF_OK; i++)
        if (all[i].bytes > 0)
            status = imf_buffer_make(all[i].buffer, d->queue, IMF_BUFFER_WORK, all[i].bytes, err);
    return status;
}

/* Squares of frequencies, and |grad|^2, of each row of the spectrum and then of each column. */
static enum imf_status make_axes(struct imf_deblur_device *d, const int *frequency,
                                 struct imf_error *err) {
    const double pi = 3.14159265358979323846;
    const struct imf_gpu_plane_layout *l = &d->tables.layout;
    int count = l->ny + l->pitch;
    size_t bytes = (size_t)count * sizeof(float);
    float *squares = malloc(2 * bytes);
    if (!squares)
        return imf_fail_memory(err, 2 * bytes);
    float *gains = squares + count;
    for (int i = 0; i < count; i++) {
        bool down = i < l->ny;
        double f = down ? (double)frequency[i] / l->ny : (double)(i - l->ny) / l->nx;
        f = f > 0.5 ? f - 1 : f;
        squares[i] = (float)(f * f);
        gains[i] = (float)(4 * pow(sin(pi * f), 2));
    }
    enum imf_status status = imf_buffer_table(&d->squares, d->queue, squares, bytes, err);
    if (status == IMF_OK)
        status = imf_buffer_table(&d->gains, d->queue, gains, bytes, err);
    free(squares);
    return status;
}

static enum imf_status make_tables(struct imf_deblur_device *d,
                                   const struct imf_gpu_plane_layout *layout,
                                   struct imf_error *err) {
    size_t bytes = (size_t)layout->ny * sizeof(int);
    int *frequency = malloc(bytes);
    if (!frequency)
        return imf_fail_memory(err, bytes);
    enum imf_status status = imf_gpu_plane_make(&d->tables, d->queue, layout, frequency, err);
    if (status == IMF_OK)
        status = make_axes(d, frequency, err);
    free(frequency);
    d->gpu = (struct imf_deblur_gpu_sizes){layout->nx,  layout->ny,      layout->pitch,
                                           d->tables.x, d->tables.outer, d->tables.inner};
    return status;
}

/* ---- programs ------------------------------------------------------------------------------ */

static enum imf_status make_programs(struct imf_deblur_device *d, struct imf_error *err) {
    static const char *const common[] = {"common.cl", NULL};
    static const char *const lines[] = {"fft_gpu_butterflies.cl", "fft_gpu_planes.cl", NULL};
    struct imf_defines points = {0}, rows = {0}, columns = {0};
    imf_problem_defines(&points, &d->p);
    imf_define(&points, "CHANNELS", "%d", d->p.channels);
    imf_define(&points, "COLORS", "%d", d->p.colors);
    imf_gpu_plane_define_rows(&rows, &d->tables.layout);
    imf_gpu_plane_define_columns(&columns, &d->tables.layout);
    const struct imf_program_source sources[] = {
        {.file = "deblur.cl", .parts = common, .defines = &points},
        {.file = "deblur_gpu.cl", .parts = lines, .defines = &rows},
        {.file = "deblur_gpu.cl", .parts = lines, .defines = &columns}};
    enum imf_status status = IMF_OK;
    for (int i = 0; i < IMF_DEBLUR_ENTRIES && status == IMF_OK; i++)
        status = imf_program_make(&d->program[i], d->queue,
                                  &sources[i < ROWS_FIRST      ? 0
                                           : i < COLUMNS_FIRST ? 1
                                                               : 2],
                                  entries[i], err);
    imf_defines_free(&points);
    imf_defines_free(&rows);
    imf_defines_free(&columns);
    return status;
}

enum imf_status imf_deblur_device_make(struct imf_deblur_device *d, const struct imf_problem *p,
                                       const struct imf_gpu_plane_layout *layout,
                                       struct imf_queue *queue, struct imf_error *err) {
    *d = (struct imf_deblur_device){
        .queue = queue,
        .p = *p,
        .sizes = {.nx = layout->nx, .ny = layout->ny, .width = p->width, .height = p->height}};
    enum imf_status status = make_tables(d, layout, err);
    if (status == IMF_OK)
        status = make_buffers(d, err);
    return status == IMF_OK ? make_programs(d, err) : status;
}

void imf_deblur_device_free(struct imf_deblur_device *d) {
    struct imf_buffer **buffers[] = {&d->spectrum, &d->blur,  &d->data, &d->penalty,
                                     &d->squares,  &d->gains, &d->parts};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        imf_buffer_free(buffers[i]);
    for (int i = 0; i < IMF_DEBLUR_PLANES; i++)
        imf_buffer_free(&d->plane[i]);
    for (int i = 0; i < IMF_DEBLUR_ENTRIES; i++)
        imf_program_free(&d->program[i]);
    imf_gpu_plane_free(&d->tables);
}

/* ---- launches ------------------------------------------------------------------------------ */

enum imf_status imf_deblur_start(struct imf_deblur_device *d, enum imf_deblur_entry entry,
                                 enum imf_deblur_range range, const struct imf_arg *args,
                                 size_t count, struct imf_error *err) {
    const struct imf_deblur_sizes *z = &d->sizes;
    const struct imf_grid grids[] = {
        [IMF_DEBLUR_PICTURE] = imf_grid_over((size_t)z->width, (size_t)z->height, GROUP),
        [IMF_DEBLUR_PLANE] = imf_grid_over((size_t)z->nx, (size_t)z->ny, GROUP),
        [IMF_DEBLUR_SUMS] = {PARTS, 1, GROUP}};
    return imf_program_start(d->queue, d->program[entry], grids[range], args, count, err);
}

enum imf_status imf_deblur_sums(struct imf_deblur_device *d, double *sums, int count,
                                struct imf_error *err) {
    float parts[SUMS * PARTS];
    enum imf_status status = imf_buffer_download(d->queue, d->parts, 0, parts,
                                                 (size_t)count * PARTS * sizeof *parts, err);
    for (int s = 0; s < count && status == IMF_OK; s++) {
        sums[s] = 0;
        for (int i = 0; i < PARTS; i++)
            sums[s] += (double)parts[s * PARTS + i];
    }
    return status;
}

static enum imf_status rows(struct imf_deblur_device *d, enum imf_deblur_entry entry,
                            const struct imf_buffer *from, const struct imf_buffer *to,
                            struct imf_error *err) {
    const struct imf_gpu_plane *t = &d->tables;
    const struct imf_arg args[] = {imf_arg_buffer(from),
                                   imf_arg_buffer(to),
                                   imf_arg_buffer(t->twiddles),
                                   imf_arg_buffer(t->stages),
                                   imf_arg_buffer(t->order),
                                   imf_arg_buffer(t->roots_x),
                                   imf_arg_block(&d->gpu, sizeof d->gpu)};
    const struct imf_grid grid = {(size_t)t->layout.ny, 1, (size_t)t->layout.group};
    return imf_program_launch(d->queue, d->program[entry], grid, args, err);
}

static struct imf_grid tiles(const struct imf_gpu_plane_layout *l, int down) {
    return (struct imf_grid){(size_t)(l->pitch / IMF_GPU_PLANE_LINES), (size_t)down,
                             IMF_GPU_PLANE_GROUP};
}

static enum imf_status columns(struct imf_deblur_device *d, enum imf_deblur_entry entry,
                               struct imf_error *err) {
    const struct imf_gpu_plane *t = &d->tables;
    const struct imf_arg args[] = {imf_arg_buffer(d->spectrum), imf_arg_buffer(t->twiddles),
                                   imf_arg_buffer(t->stages), imf_arg_buffer(t->roots_y),
                                   imf_arg_block(&d->gpu, sizeof d->gpu)};
    if (t->layout.outer.length == 1)
        return IMF_OK;
    return imf_program_launch(d->queue, d->program[entry], tiles(&t->layout, t->inner.length), args,
                              err);
}

static enum imf_status middle(struct imf_deblur_device *d, enum imf_deblur_operator of,
                              double weight, struct imf_error *err) {
    const struct imf_gpu_plane *t = &d->tables;
    /* Spectra are twice as large. */
    double scale = 0.5 / ((double)t->layout.nx * t->layout.ny);
    const struct imf_arg args[] = {imf_arg_buffer(d->spectrum),
                                   imf_arg_buffer(d->blur),
                                   imf_arg_buffer(d->data),
                                   imf_arg_buffer(d->penalty),
                                   imf_arg_buffer(d->gains),
                                   imf_arg_buffer(t->twiddles),
                                   imf_arg_buffer(t->stages),
                                   imf_arg_int(of),
                                   imf_arg_float((float)weight),
                                   imf_arg_float((float)scale),
                                   imf_arg_block(&d->gpu, sizeof d->gpu)};
    return imf_program_launch(d->queue, d->program[IMF_DEBLUR_MIDDLE],
                              tiles(&t->layout, imf_max(t->outer.length, 1)), args, err);
}

enum imf_status imf_deblur_multiply(struct imf_deblur_device *d, int from, int to,
                                    enum imf_deblur_operator of, double weight,
                                    struct imf_error *err) {
    enum imf_status status = rows(d, IMF_DEBLUR_ROWS_IN, d->plane[from], d->spectrum, err);
    if (status == IMF_OK)
        status = columns(d, IMF_DEBLUR_COLUMNS_IN, err);
    if (status == IMF_OK)
        status = middle(d, of, weight, err);
    if (status != IMF_OK || of == IMF_DEBLUR_KEEP)
        return status;
    status = columns(d, IMF_DEBLUR_COLUMNS_OUT, err);
    return status == IMF_OK ? rows(d, IMF_DEBLUR_ROWS_OUT, d->spectrum, d->plane[to], err) : status;
}

/* ---- beginning ----------------------------------------------------------------------------- */

static void set_surfaces(struct imf_deblur_device *d, const struct imf_surface *in,
                         const struct imf_surface *out) {
    d->in = in;
    d->out = out;
    d->sizes.in_origin = (int64_t)in->origin;
    d->sizes.in_pitch = (int64_t)in->pitch;
    d->sizes.out_origin = (int64_t)out->origin;
    d->sizes.out_pitch = (int64_t)out->pitch;
}

static enum imf_status set_blur(struct imf_deblur_device *d, const struct imf_kernel *k,
                                struct imf_error *err) {
    size_t count = (size_t)k->width * (size_t)k->height;
    double sum = imf_kernel_sum(k);
    float *taps = malloc(count * sizeof *taps);
    struct imf_buffer *table = NULL;
    if (!taps)
        return imf_fail_memory(err, count * sizeof *taps);
    for (size_t i = 0; i < count; i++)
        taps[i] = (float)(k->taps[i] / sum);
    enum imf_status status = imf_buffer_table(&table, d->queue, taps, count * sizeof *taps, err);
    if (status == IMF_OK)
        status = imf_deblur_launch(d, IMF_DEBLUR_PLACE_TAPS, IMF_DEBLUR_PLANE, err,
                                   imf_arg_buffer(table), imf_arg_buffer(d->plane[0]),
                                   imf_arg_int(k->width), imf_arg_int(k->height),
                                   imf_arg_int(k->cx), imf_arg_int(k->cy));
    imf_buffer_free(&table);
    free(taps);
    return status == IMF_OK ? imf_deblur_multiply(d, 0, 0, IMF_DEBLUR_KEEP, 0, err) : status;
}

static enum imf_status set_penalty(struct imf_deblur_device *d, struct imf_error *err) {
    const struct imf_deblur_model *m = &d->model;
    const struct imf_gpu_plane_layout *l = &d->tables.layout;
    double least = 1.0 / imf_max(l->nx, l->ny), ratio = IMF_DEBLUR_NOISE * m->noise / m->power;
    const struct imf_arg args[] = {imf_arg_buffer(d->penalty),
                                   imf_arg_buffer(d->squares),
                                   imf_arg_float((float)ratio),
                                   imf_arg_float((float)m->slope),
                                   imf_arg_float((float)(least * least)),
                                   imf_arg_block(&d->gpu, sizeof d->gpu)};
    const struct imf_grid grid =
        imf_grid_over((size_t)l->pitch, (size_t)l->ny, IMF_GPU_PLANE_GROUP);
    return imf_program_launch(d->queue, d->program[IMF_DEBLUR_FILL_PENALTY], grid, args, err);
}

enum imf_status imf_deblur_device_begin(struct imf_deblur_device *d, const struct imf_surface *in,
                                        const struct imf_surface *out,
                                        const struct imf_deblur_found *found,
                                        struct imf_error *err) {
    set_surfaces(d, in, out);
    d->model = found->model;
    enum imf_status status = set_blur(d, found->blur, err);
    if (status == IMF_OK && d->p.deblur->method != IMF_DEBLUR_RL)
        status = set_penalty(d, err);
    return status;
}

enum imf_status imf_deblur_device_copy(struct imf_deblur_device *d, const struct imf_surface *in,
                                       const struct imf_surface *out, int first,
                                       struct imf_error *err) {
    set_surfaces(d, in, out);
    if (first >= d->p.channels)
        return IMF_OK;
    return imf_deblur_launch(d, IMF_DEBLUR_COPY, IMF_DEBLUR_PICTURE, err, imf_arg_buffer(in->mem),
                             imf_arg_buffer(out->mem), imf_arg_int(first));
}
