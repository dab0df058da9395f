/*
 * gpu_plane.c - whole real planes transformed on a GPU, in local memory
 *
 * cl/parts/fft_gpu_planes.cl describes the passes. The stages are tables that the programs read, so that one
 * program serves many sizes of planes.
 */
#include "fourier/gpu_plane.h"

#include "base/image/surface.h"
#include "device/tuning.h"

#include <math.h>
#include <stdlib.h>

#define LINES IMF_GPU_PLANE_LINES
#define ELEMENT (2 * sizeof(float))
#define ELEMENTS (IMF_GPU_LOCAL / (int)ELEMENT) /* of local memory */
#define LOCAL_STEP 512  /* sizes are multiples: one program for many sizes */
#define ROWS_MOST 65535 /* groups down */

/* ---- sizes --------------------------------------------------------------------------------- */

/* Elements of local memory of a row, with the gaps of AT in cl/parts/fft_gpu_planes.cl. */
static int padded(int n) {
    return n + n / 16 + n / 256;
}

/* Factor ny = outer * inner, nearly equal, so that tiles fit local memory. */
static bool split(struct imf_gpu_plane_layout *l) {
    int most = ELEMENTS / LINES, inner = 0;
    for (int n = 1; n <= most && n <= l->ny; n++)
        if (l->ny % n == 0 && l->ny / n <= most && (inner == 0 || n <= l->ny / n))
            inner = n;
    if (l->ny <= most / 2) /* one pass is enough */
        inner = l->ny;
    return inner > 0 && imf_fft_plan_local(&l->inner, inner) &&
           imf_fft_plan_local(&l->outer, l->ny / inner);
}

/* Work-items of a row: 8 to 16 elements each, because a unit holds few rows and needs many work-items;
 * the number that leaves fewest idle in the last rounds of the stages. */
static int row_group(const struct imf_fft_plan *x) {
    int first = imf_min(imf_max(imf_round_up(x->length / 16, 32), 64), IMF_GPU_GROUP), best = first;
    double least = INFINITY;
    for (int group = first; group <= imf_min(2 * first, IMF_GPU_GROUP); group += 32) {
        double time = 0;
        for (int s = 0; s < x->stages; s++) {
            int radix = x->radix[s], rounds = (x->length / radix - 1) / group + 1;
            time += (double)rounds * group * (radix + 1);
        }
        if (time < least) {
            least = time;
            best = group;
        }
    }
    return best;
}

bool imf_gpu_plane_fit(struct imf_gpu_plane_layout *l, int nx, int ny) {
    *l = (struct imf_gpu_plane_layout){.nx = nx, .ny = ny, .half = nx / 2};
    if (nx < 2 || nx % 2 || !imf_fft_plan_local(&l->x, l->half) || padded(l->half) > ELEMENTS ||
        ny < 1 || ny > ROWS_MOST || !split(l))
        return false;
    l->pitch = imf_round_up(l->half + 1, LINES);
    l->group = row_group(&l->x);
    l->work_x = imf_round_up(padded(l->half), LOCAL_STEP);
    l->work_y = imf_round_up(LINES * imf_max(l->outer.length, l->inner.length), LOCAL_STEP);
    return true;
}

size_t imf_gpu_plane_local(const struct imf_gpu_plane_layout *l) {
    return (size_t)imf_max(l->work_x, l->work_y) * ELEMENT;
}

/* The radices of a plan's stages: a program of all ten takes long to compile. */
static unsigned radices(const struct imf_fft_plan *plan) {
    unsigned set = 1u << 1;
    for (int s = 0; s < plan->stages; s++)
        set |= 1u << plan->radix[s];
    return set;
}

void imf_gpu_plane_define_rows(struct imf_defines *d, const struct imf_gpu_plane_layout *l) {
    imf_define(d, "GROUP", "%d", l->group);
    imf_define(d, "WORK", "%d", l->work_x);
    imf_define(d, "RADICES", "%u", radices(&l->x));
}

void imf_gpu_plane_define_columns(struct imf_defines *d, const struct imf_gpu_plane_layout *l) {
    imf_define(d, "GROUP", "%d", IMF_GPU_PLANE_GROUP);
    imf_define(d, "LINES", "%d", LINES);
    imf_define(d, "RADICES", "%u", radices(&l->outer) | radices(&l->inner));
    imf_define(d, "WORK", "%d", l->work_y);
}

/* ---- tables --------------------------------------------------------------------------------- */

/* A stage as transform() of cl/parts/fft_gpu_planes.cl reads it. */
struct stage {
    int32_t radix, m;
    float inverse; /* 1 / m */
    int32_t twiddles;
};

/* The stages of the three plans, and their factors. */
static enum imf_status make_stages(struct imf_gpu_plane *p, struct imf_error *err) {
    const struct imf_gpu_plane_layout *l = &p->layout;
    const struct imf_fft_plan *plan[] = {&l->x, &l->outer, &l->inner};
    struct imf_gpu_axis *axis[] = {&p->x, &p->outer, &p->inner};
    struct stage stages[3 * IMF_FFT_STAGES] = {{0}};
    size_t count = (size_t)(l->x.twiddles + l->outer.twiddles + l->inner.twiddles);
    float *twiddles = calloc(count + 1, ELEMENT);
    if (!twiddles)
        return imf_fail_memory(err, (count + 1) * ELEMENT);
    int at = 0, stage = 0;
    for (int i = 0; i < 3; i++) {
        *axis[i] = (struct imf_gpu_axis){plan[i]->length, plan[i]->stages, stage};
        imf_fft_twiddles_across(plan[i], twiddles + 2 * at);
        for (int s = 0, m = plan[i]->length; s < plan[i]->stages; s++) {
            int radix = plan[i]->radix[s];
            m /= radix;
            stages[stage++] = (struct stage){radix, m, 1 / (float)m, at};
            at += m * (radix - 1);
        }
    }
    enum imf_status status =
        imf_buffer_table(&p->twiddles, p->queue, twiddles, (count + 1) * ELEMENT, err);
    if (status == IMF_OK)
        status = imf_buffer_table(&p->stages, p->queue, stages, sizeof stages, err);
    free(twiddles);
    return status;
}

/* Positions of frequencies after a row's stages; roots that separate even and odd samples. */
static enum imf_status make_order(struct imf_gpu_plane *p, struct imf_error *err) {
    const struct imf_gpu_plane_layout *l = &p->layout;
    size_t n = (size_t)l->half, bytes = (n / 2 + 1) * ELEMENT;
    int32_t *positions = malloc(n * sizeof *positions);
    int *order = malloc(n * sizeof *order);
    float *roots = malloc(bytes);
    enum imf_status status = positions && order && roots ? IMF_OK : imf_fail_memory(err, bytes);
    if (status == IMF_OK) {
        imf_fft_order(&l->x, order);
        for (size_t i = 0; i < n; i++)
            positions[order[i]] = (int32_t)i;
        for (size_t k = 0; k <= n / 2; k++) {
            double re, im;
            imf_fft_root((int64_t)k, l->nx, &re, &im);
            roots[2 * k] = (float)re;
            roots[2 * k + 1] = (float)im;
        }
        status = imf_buffer_table(&p->order, p->queue, positions, n * sizeof *positions, err);
    }
    if (status == IMF_OK)
        status = imf_buffer_table(&p->roots_x, p->queue, roots, bytes, err);
    free(positions);
    free(order);
    free(roots);
    return status;
}

/* The roots between the two steps of a column; frequency: of y, of each row of the plane. */
static enum imf_status make_roots(struct imf_gpu_plane *p, int *frequency, struct imf_error *err) {
    const struct imf_gpu_plane_layout *l = &p->layout;
    int inner = l->inner.length, outer = l->outer.length;
    size_t bytes = (size_t)l->ny * ELEMENT;
    int *order = malloc((size_t)(inner + outer) * sizeof *order);
    float *roots = malloc(bytes);
    enum imf_status status = order && roots ? IMF_OK : imf_fail_memory(err, bytes);
    if (status == IMF_OK) {
        int *first = order + inner;
        imf_fft_order(&l->inner, order);
        imf_fft_order(&l->outer, first);
        for (int b = 0; b < outer; b++) {
            for (int i = 0; i < inner; i++) {
                size_t at = (size_t)b * (size_t)inner + (size_t)i;
                double re, im;
                imf_fft_root((int64_t)first[b] * i, l->ny, &re, &im);
                roots[2 * at] = (float)re;
                roots[2 * at + 1] = (float)im;
                frequency[at] = first[b] + outer * order[i];
            }
        }
        status = imf_buffer_table(&p->roots_y, p->queue, roots, bytes, err);
    }
    free(order);
    free(roots);
    return status;
}

enum imf_status imf_gpu_plane_make(struct imf_gpu_plane *out, struct imf_queue *queue,
                                   const struct imf_gpu_plane_layout *layout, int *frequency,
                                   struct imf_error *err) {
    *out = (struct imf_gpu_plane){.queue = queue, .layout = *layout};
    enum imf_status status = make_stages(out, err);
    if (status == IMF_OK)
        status = make_order(out, err);
    return status == IMF_OK ? make_roots(out, frequency, err) : status;
}

void imf_gpu_plane_free(struct imf_gpu_plane *p) {
    struct imf_buffer **buffers[] = {&p->twiddles, &p->stages, &p->order, &p->roots_x, &p->roots_y};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        imf_buffer_free(buffers[i]);
}
