/*
 * device.c - memory, programs and operators of undoing a blur on a GPU
 *
 * A product is five passes over a plane or its spectrum (cl/deblur_gpu.cl). Nothing else takes as long, so that
 * what happens between products is left to kernels of its own (cl/deblur.cl). Sums are read by the host.
 */
#include "solver/restore/device.h"

#include <math.h>
#include <stdlib.h>

#define ELEMENT (2 * sizeof(float))
#define GROUP 256      /* of cl/deblur.cl */
#define PARTS_EACH 512 /* groups of kernels for sums */
#define SUMS 2         /* that one leaves at most */

/* Buffers; what has two names has the same memory, of different methods or one after the other. The residual is of the
 * gap alone. */
enum {
    END,
    PICTURE,
    DIRECTION,
    PRODUCT,
    RESIDUAL,
    DOWN,
    COVER,
    SPECTRUM,
    BLUR,
    DATA,
    PENALTY,
    SQUARES,
    GAINS,
    PARTS,
    IN, /* surfaces' */
    OUT,
    ACROSS = DIRECTION,
    SCENE = DIRECTION, /* of Richardson and Lucy */
    BEFORE = RESIDUAL,
    CHANGE = DOWN
};
_Static_assert((int)OUT < (int)IMF_DEBLUR_BUFFERS, "an array holds them");

enum {
    COPY = IMF_MAP_COUNT,
    PLACE_TAPS,
    ROWS_IN,
    ROWS_OUT,
    FILL_PENALTY,
    COLUMNS_IN,
    MIDDLE,
    COLUMNS_OUT,
    PROGRAMS
};
_Static_assert((int)PROGRAMS <= (int)IMF_DEBLUR_PROGRAMS, "an array holds them");

/* Where a kernel of cl/deblur.cl works: on the picture, on the plane, or on parts, which it goes through in turn. */
enum range { THE_PICTURE, THE_PLANE, IN_TURN };

static const struct kernel {
    const char *entry; /* NULL: nothing is to be done */
    enum range range;
    unsigned char sums;    /* that it leaves in PARTS, its last buffer */
    unsigned char plane;   /* of a map: that a product begins or ends with */
    unsigned char args[6]; /* its other buffers */
} kernels[PROGRAMS] = {
    [IMF_MAP_MEAN] = {"sum_channel", IN_TURN, 1, END, {IN}},
    [IMF_MAP_LOAD] = {"load", THE_PICTURE, 0, END, {IN, PICTURE}},
    [IMF_MAP_BEGIN_GAP] = {"begin_gap", IN_TURN, 0, END, {PICTURE}},
    [IMF_MAP_BLURRED] = {.plane = PICTURE},
    [IMF_MAP_DIRECTION] = {.plane = DIRECTION},
    [IMF_MAP_RESIDUALS] = {"residuals", IN_TURN, 1, PRODUCT, {PRODUCT, DIRECTION, RESIDUAL}},
    [IMF_MAP_CURVATURE] = {"curvature", IN_TURN, 1, PRODUCT, {PRODUCT, DIRECTION}},
    [IMF_MAP_MOVE] = {"move", IN_TURN, 1, END, {PICTURE, PRODUCT, DIRECTION, RESIDUAL}},
    [IMF_MAP_TURN] = {"turn", IN_TURN, 0, END, {DIRECTION, RESIDUAL}},
    [IMF_MAP_SCENE] = {.plane = PRODUCT},
    [IMF_MAP_RESULT] = {"store", THE_PICTURE, 0, PRODUCT, {PRODUCT, OUT}},
    [IMF_MAP_GRADIENTS] = {"gradients", THE_PLANE, 0, END, {PRODUCT, ACROSS, DOWN}},
    [IMF_MAP_DIVERGENCE] = {"divergence", THE_PLANE, 0, PICTURE, {ACROSS, DOWN, PICTURE}},
    [IMF_MAP_BEGIN_SCENE] = {"begin_scene", THE_PLANE, 0, END, {SCENE, BEFORE, CHANGE, PRODUCT}},
    [IMF_MAP_MASK] = {.plane = PRODUCT},
    [IMF_MAP_COVER] = {.plane = COVER},
    [IMF_MAP_GUESS] = {"guess", THE_PLANE, 0, PRODUCT, {SCENE, BEFORE, PRODUCT}},
    [IMF_MAP_QUOTIENTS] = {"quotients", IN_TURN, 1, PRODUCT, {PRODUCT, PICTURE}},
    [IMF_MAP_KEPT] = {.plane = PRODUCT},
    [IMF_MAP_ACCELERATE] =
        {"accelerate", IN_TURN, 2, PRODUCT, {SCENE, BEFORE, CHANGE, COVER, PRODUCT}},
    [COPY] = {"copy", THE_PICTURE, 0, END, {IN, OUT}},
    [PLACE_TAPS] = {.entry = "place_taps"},
    [ROWS_IN] = {.entry = "rows_in"},
    [ROWS_OUT] = {.entry = "rows_out"},
    [FILL_PENALTY] = {.entry = "fill_penalty"},
    [COLUMNS_IN] = {.entry = "columns_in"},
    [MIDDLE] = {.entry = "middle"},
    [COLUMNS_OUT] = {.entry = "columns_out"}};

/* ---- making -------------------------------------------------------------------------------- */

bool imf_deblur_device_bytes(size_t bytes[IMF_DEBLUR_BUFFERS], const struct imf_problem *p,
                             const struct imf_gpu_plane_layout *l) {
    static const int last[] = {
        [IMF_DEBLUR_WIENER] = RESIDUAL, [IMF_DEBLUR_TV] = DOWN, [IMF_DEBLUR_RL] = COVER};
    enum imf_deblur_method method = p->deblur->method;
    size_t points, plane;
    if (!imf_size_mul((size_t)l->pitch, (size_t)l->ny, &points) ||
        !imf_size_mul(points, ELEMENT, &bytes[SPECTRUM]) ||
        !imf_size_mul((size_t)l->nx * (size_t)l->ny, sizeof(float), &plane))
        return false;
    for (int i = PICTURE; i <= COVER; i++)
        bytes[i] = i <= last[method] ? plane : 0;
    if (method != IMF_DEBLUR_RL)
        bytes[RESIDUAL] -= (size_t)p->width * (size_t)p->height * sizeof(float);
    bytes[BLUR] = bytes[SPECTRUM];
    bytes[DATA] = method == IMF_DEBLUR_TV ? bytes[SPECTRUM] : sizeof(float);
    bytes[PENALTY] = method != IMF_DEBLUR_RL ? points * sizeof(float) : sizeof(float);
    bytes[PARTS] = SUMS * PARTS_EACH * sizeof(float);
    return true;
}

static enum imf_status make_buffers(struct imf_deblur_device *d, struct imf_error *err) {
    size_t bytes[IMF_DEBLUR_BUFFERS] = {0};
    if (!imf_deblur_device_bytes(bytes, d->f.p, &d->tables.layout))
        return imf_fail_memory(err, SIZE_MAX);
    enum imf_status status = IMF_OK;
    for (int i = 0; i < IMF_DEBLUR_BUFFERS && status == IMF_OK; i++)
        if (bytes[i] > 0)
            status = imf_buffer_make(&d->buffer[i], d->queue, IMF_BUFFER_WORK, bytes[i], err);
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
    enum imf_status status = imf_buffer_table(&d->buffer[SQUARES], d->queue, squares, bytes, err);
    if (status == IMF_OK)
        status = imf_buffer_table(&d->buffer[GAINS], d->queue, gains, bytes, err);
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

static enum imf_status make_programs(struct imf_deblur_device *d, struct imf_error *err) {
    static const char *const common[] = {"common.cl", NULL};
    static const char *const lines[] = {"fft_gpu_butterflies.cl", "fft_gpu_planes.cl", NULL};
    const struct imf_problem *p = d->f.p;
    struct imf_defines points = {0}, rows = {0}, columns = {0};
    imf_problem_defines(&points, p);
    imf_define(&points, "CHANNELS", "%d", p->channels);
    imf_define(&points, "COLORS", "%d", p->colors);
    imf_gpu_plane_define_rows(&rows, &d->tables.layout);
    imf_gpu_plane_define_columns(&columns, &d->tables.layout);
    const struct imf_program_source sources[] = {
        {.file = "deblur.cl", .parts = common, .defines = &points},
        {.file = "deblur_gpu.cl", .parts = lines, .defines = &rows},
        {.file = "deblur_gpu.cl", .parts = lines, .defines = &columns}};
    enum imf_status status = IMF_OK;
    for (int i = 0; i < PROGRAMS && status == IMF_OK; i++)
        if (kernels[i].entry)
            status = imf_program_make(&d->program[i], d->queue,
                                      &sources[(i >= ROWS_IN) + (i >= FILL_PENALTY)],
                                      kernels[i].entry, err);
    imf_defines_free(&points);
    imf_defines_free(&rows);
    imf_defines_free(&columns);
    return status;
}

enum imf_status imf_deblur_device_make(struct imf_deblur_device *d, const struct imf_problem *p,
                                       const struct imf_gpu_plane_layout *layout,
                                       struct imf_queue *queue, struct imf_error *err) {
    *d = (struct imf_deblur_device){
        .f = {.p = p, .nx = layout->nx, .ny = layout->ny, .iterations = p->deblur->iterations},
        .queue = queue};
    enum imf_status status = make_tables(d, layout, err);
    if (status == IMF_OK)
        status = make_buffers(d, err);
    return status == IMF_OK ? make_programs(d, err) : status;
}

void imf_deblur_device_free(struct imf_deblur_device *d) {
    for (int i = 0; i < IMF_DEBLUR_BUFFERS; i++)
        imf_buffer_free(&d->buffer[i]);
    for (int i = 0; i < IMF_DEBLUR_PROGRAMS; i++)
        imf_program_free(&d->program[i]);
    imf_gpu_plane_free(&d->tables);
}

/* ---- maps ---------------------------------------------------------------------------------- */

static struct imf_deblur_sizes sizes_of(const struct imf_field *f) {
    return (struct imf_deblur_sizes){.in_origin = (int64_t)f->in->origin,
                                     .in_pitch = (int64_t)f->in->pitch,
                                     .out_origin = (int64_t)f->out->origin,
                                     .out_pitch = (int64_t)f->out->pitch,
                                     .nx = f->nx,
                                     .ny = f->ny,
                                     .width = f->p->width,
                                     .height = f->p->height,
                                     .channel = f->channel,
                                     .first_x = f->p->deblur->first_x < 0 ? -1 : 1,
                                     .first_y = f->p->deblur->first_y < 0 ? -1 : 1,
                                     .mean = (float)f->mean,
                                     .step = (float)f->step,
                                     .bound = (float)f->bound};
}

static struct imf_grid grid_of(const struct imf_field *f, enum range range) {
    return range == IN_TURN     ? (struct imf_grid){PARTS_EACH, 1, GROUP}
           : range == THE_PLANE ? imf_grid_over((size_t)f->nx, (size_t)f->ny, GROUP)
                                : imf_grid_over((size_t)f->p->width, (size_t)f->p->height, GROUP);
}

/* The sums that a kernel left; waits for it. */
static enum imf_status add_up(struct imf_deblur_device *d, int count) {
    float parts[SUMS * PARTS_EACH];
    enum imf_status status = imf_buffer_download(
        d->queue, d->buffer[PARTS], 0, parts, (size_t)count * PARTS_EACH * sizeof *parts, d->f.err);
    for (int s = 0; s < count && status == IMF_OK; s++) {
        d->f.sums[s] = 0;
        for (int i = 0; i < PARTS_EACH; i++)
            d->f.sums[s] += (double)parts[s * PARTS_EACH + i];
    }
    return status;
}

static enum imf_status launch(struct imf_deblur_device *d, int which) {
    const struct kernel *k = &kernels[which];
    const struct imf_deblur_sizes z = sizes_of(&d->f);
    struct imf_arg args[sizeof k->args + 2];
    size_t count = 0;
    for (; count < sizeof k->args && k->args[count] != END; count++)
        args[count] = imf_arg_buffer(k->args[count] == IN    ? d->f.in->mem
                                     : k->args[count] == OUT ? d->f.out->mem
                                                             : d->buffer[k->args[count]]);
    if (k->sums)
        args[count++] = imf_arg_buffer(d->buffer[PARTS]);
    args[count++] = imf_arg_block(&z, sizeof z);
    enum imf_status status = imf_program_start(d->queue, d->program[which],
                                               grid_of(&d->f, k->range), args, count, d->f.err);
    return status == IMF_OK && k->sums ? add_up(d, k->sums) : status;
}

static enum imf_status clear(struct imf_deblur_device *d, struct imf_buffer *buffer) {
    size_t plane = (size_t)d->f.nx * (size_t)d->f.ny * sizeof(float);
    return buffer ? imf_buffer_clear(d->queue, buffer, 0, plane, d->f.err) : IMF_OK;
}

static enum imf_status do_map(struct imf_field *f, enum imf_map map) {
    struct imf_deblur_device *d = (struct imf_deblur_device *)f;
    if (map != IMF_MAP_CLEAR)
        return launch(d, (int)map);
    enum imf_status status = clear(d, d->buffer[DIRECTION]);
    return status == IMF_OK ? clear(d, d->buffer[DOWN]) : status;
}

/* ---- products ------------------------------------------------------------------------------ */

static enum imf_status rows(struct imf_deblur_device *d, int which, const struct imf_buffer *from,
                            const struct imf_buffer *to) {
    const struct imf_gpu_plane *t = &d->tables;
    const struct imf_arg args[] = {imf_arg_buffer(from),
                                   imf_arg_buffer(to),
                                   imf_arg_buffer(t->twiddles),
                                   imf_arg_buffer(t->stages),
                                   imf_arg_buffer(t->order),
                                   imf_arg_buffer(t->roots_x),
                                   imf_arg_block(&d->gpu, sizeof d->gpu)};
    const struct imf_grid grid = {(size_t)t->layout.ny, 1, (size_t)t->layout.group};
    return imf_program_launch(d->queue, d->program[which], grid, args, d->f.err);
}

static struct imf_grid tiles(const struct imf_gpu_plane_layout *l, int down) {
    return (struct imf_grid){(size_t)(l->pitch / IMF_GPU_PLANE_LINES), (size_t)down,
                             IMF_GPU_PLANE_GROUP};
}

static enum imf_status columns(struct imf_deblur_device *d, int which) {
    const struct imf_gpu_plane *t = &d->tables;
    const struct imf_arg args[] = {imf_arg_buffer(d->buffer[SPECTRUM]), imf_arg_buffer(t->twiddles),
                                   imf_arg_buffer(t->stages), imf_arg_buffer(t->roots_y),
                                   imf_arg_block(&d->gpu, sizeof d->gpu)};
    if (t->layout.outer.length == 1)
        return IMF_OK;
    return imf_program_launch(d->queue, d->program[which], tiles(&t->layout, t->inner.length), args,
                              d->f.err);
}

static enum imf_status middle(struct imf_deblur_device *d, enum imf_operator of) {
    const struct imf_gpu_plane *t = &d->tables;
    /* Spectra are twice as large. */
    double scale = 0.5 / ((double)t->layout.nx * t->layout.ny);
    const struct imf_arg args[] = {imf_arg_buffer(d->buffer[SPECTRUM]),
                                   imf_arg_buffer(d->buffer[BLUR]),
                                   imf_arg_buffer(d->buffer[DATA]),
                                   imf_arg_buffer(d->buffer[PENALTY]),
                                   imf_arg_buffer(d->buffer[GAINS]),
                                   imf_arg_buffer(t->twiddles),
                                   imf_arg_buffer(t->stages),
                                   imf_arg_int((int)of),
                                   imf_arg_float((float)d->f.weight),
                                   imf_arg_float((float)scale),
                                   imf_arg_block(&d->gpu, sizeof d->gpu)};
    return imf_program_launch(d->queue, d->program[MIDDLE],
                              tiles(&t->layout, imf_max(t->outer.length, 1)), args, d->f.err);
}

static enum imf_status multiply(struct imf_deblur_device *d, int from, enum imf_operator of,
                                int to) {
    enum imf_status status = rows(d, ROWS_IN, d->buffer[from], d->buffer[SPECTRUM]);
    if (status == IMF_OK)
        status = columns(d, COLUMNS_IN);
    if (status == IMF_OK)
        status = middle(d, of);
    if (status != IMF_OK || of == IMF_OPERATOR_KEEP)
        return status;
    status = columns(d, COLUMNS_OUT);
    return status == IMF_OK ? rows(d, ROWS_OUT, d->buffer[SPECTRUM], d->buffer[to]) : status;
}

static enum imf_status do_product(struct imf_field *f, enum imf_map from, enum imf_operator of,
                                  enum imf_map to) {
    struct imf_deblur_device *d = (struct imf_deblur_device *)f;
    enum imf_status status = kernels[from].entry ? launch(d, (int)from) : IMF_OK;
    if (status == IMF_OK)
        status = multiply(d, kernels[from].plane, of, kernels[to].plane);
    return status == IMF_OK && kernels[to].entry ? launch(d, (int)to) : status;
}

/* ---- a run --------------------------------------------------------------------------------- */

static enum imf_status set_blur(struct imf_deblur_device *d, const struct imf_kernel *k,
                                struct imf_error *err) {
    const struct imf_deblur_sizes z = sizes_of(&d->f);
    size_t count = (size_t)k->width * (size_t)k->height;
    double sum = imf_kernel_sum(k);
    float *taps = malloc(count * sizeof *taps);
    struct imf_buffer *table = NULL;
    if (!taps)
        return imf_fail_memory(err, count * sizeof *taps);
    for (size_t i = 0; i < count; i++)
        taps[i] = (float)(k->taps[i] / sum);
    enum imf_status status = imf_buffer_table(&table, d->queue, taps, count * sizeof *taps, err);
    const struct imf_arg args[] = {imf_arg_buffer(table),      imf_arg_buffer(d->buffer[PICTURE]),
                                   imf_arg_int(k->width),      imf_arg_int(k->height),
                                   imf_arg_int(k->cx),         imf_arg_int(k->cy),
                                   imf_arg_block(&z, sizeof z)};
    if (status == IMF_OK)
        status = imf_program_launch(d->queue, d->program[PLACE_TAPS], grid_of(&d->f, THE_PLANE),
                                    args, err);
    imf_buffer_free(&table);
    free(taps);
    return status == IMF_OK ? multiply(d, PICTURE, IMF_OPERATOR_KEEP, PICTURE) : status;
}

static enum imf_status set_penalty(struct imf_deblur_device *d, struct imf_error *err) {
    const struct imf_deblur_model *m = &d->f.model;
    const struct imf_gpu_plane_layout *l = &d->tables.layout;
    double least = 1.0 / imf_max(l->nx, l->ny), ratio = IMF_DEBLUR_NOISE * m->noise / m->power;
    const struct imf_arg args[] = {
        imf_arg_buffer(d->buffer[PENALTY]),    imf_arg_buffer(d->buffer[SQUARES]),
        imf_arg_float((float)ratio),           imf_arg_float((float)m->slope),
        imf_arg_float((float)(least * least)), imf_arg_block(&d->gpu, sizeof d->gpu)};
    const struct imf_grid grid =
        imf_grid_over((size_t)l->pitch, (size_t)l->ny, IMF_GPU_PLANE_GROUP);
    return imf_program_launch(d->queue, d->program[FILL_PENALTY], grid, args, err);
}

enum imf_status imf_deblur_device_run(struct imf_deblur_device *d, const struct imf_surface *in,
                                      const struct imf_surface *out,
                                      const struct imf_deblur_found *found, struct imf_error *err) {
    static const struct imf_field_ops ops = {do_map, do_product};
    struct imf_field *f = &d->f;
    enum imf_status status = IMF_OK;
    f->ops = &ops;
    f->in = in;
    f->out = out;
    f->err = err;
    f->model = found->model;
    if (found->blur)
        status = set_blur(d, found->blur, err);
    if (found->blur && status == IMF_OK && f->p->deblur->method != IMF_DEBLUR_RL)
        status = set_penalty(d, err);
    if (found->blur && status == IMF_OK)
        status = imf_field_restore(f, err);
    f->channel = found->blur ? f->p->colors : 0;
    return status == IMF_OK && f->channel < f->p->channels ? launch(d, COPY) : status;
}
