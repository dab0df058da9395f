/*
 * pass.c - the passes over memory that make up a transform of one or two dimensions
 * A line of up to PANEL values takes one pass, if there are enough lines to fill a vector. A longer
 * or single line of n1 * n2 values takes two (the four-step method): the columns of the n1 x n2
 * matrix, then its rows.
 */
#include "fourier/pass.h"

#include "fourier/tables.h"

#include <string.h>

/* Longest line for one pass: VEC of them should stay in the second cache. */
#define PANEL 4096
/* Values that a work-item takes at once where all share a transform. */
#define GRAIN 8192

static bool square_split(int n, unsigned radices, int *n1, int *n2) {
    struct imf_fft_plan plan;
    *n1 = 0;
    /* The nearest to a square; rather one whose rows and columns fill vectors. */
    for (int a = 2; (int64_t)a * a <= n; a++) {
        if (n % a != 0 || !imf_fft_plan_best(&plan, a, radices) ||
            !imf_fft_plan_best(&plan, n / a, radices))
            continue;
        bool full = a % IMF_FFT_VEC == 0 && n / a % IMF_FFT_VEC == 0;
        bool had = *n1 > 0 && *n1 % IMF_FFT_VEC == 0 && *n2 % IMF_FFT_VEC == 0;
        if (full || !had) {
            *n1 = a;
            *n2 = n / a;
        }
    }
    return *n1 > 0;
}

static struct imf_fft_pass *add(struct imf_fft_passes *p, int length, unsigned radices) {
    struct imf_fft_pass *pass = &p->z.pass[p->z.passes];
    struct imf_fft_plan *plan = &p->plan[p->z.passes++];
    *pass = (struct imf_fft_pass){.outer = 1, .steps = -1};
    imf_fft_plan_best(plan, length, radices);
    imf_fft_axis_set(&pass->axis, plan);
    pass->axis.twiddles = (int32_t)p->floats;
    pass->order = (int32_t)p->ints;
    p->floats += 2 * (size_t)plan->twiddles;
    pass->axis.prime_tables = (int32_t)p->floats;
    p->floats += imf_fft_prime_floats(plan);
    p->ints += 4 * (size_t)length;
    p->primes |= plan->primes > 0;
    for (int s = 0; s < plan->primes; s++)
        p->convolutions |= imf_fft_prime_length(plan->radix[s]) > 0;
    pass->grain = GRAIN / length > 8 ? GRAIN / length / 8 : 1;
    int work = length + imf_fft_prime_spare(plan);
    if (work > p->z.work)
        p->z.work = work;
    return pass;
}

/* Four steps along lines of n = n1 n2 neighbours, `outer` of them. */
static void add_steps(struct imf_fft_passes *p, int n1, int n2, int outer, unsigned radices) {
    int64_t n = (int64_t)n1 * n2;
    struct imf_fft_pass *a = add(p, n1, radices);
    a->lines = n2;
    a->outer = outer;
    a->from = a->to = (struct imf_fft_layout){1, n2, n};
    a->to_temp = 1;
    struct imf_fft_pass *b = add(p, n2, radices);
    b->lines = n1;
    b->outer = outer;
    b->from = (struct imf_fft_layout){n2, 1, n};
    b->from_temp = 1;
    b->to = (struct imf_fft_layout){1, n1, n};
    b->steps = (int32_t)p->floats;
    p->floats += 2 * (size_t)n2 * (size_t)(IMF_FFT_VEC + (n1 + IMF_FFT_VEC - 1) / IMF_FFT_VEC);
    p->temp = true;
}

static enum imf_status check(const struct imf_fft_shape_passes *shape, struct imf_error *err) {
    struct imf_fft_plan plan;
    const int length[] = {shape->nx, shape->ny};
    const bool skip[] = {shape->skip_x, shape->skip_y};
    for (int i = 0; i < 2; i++) {
        if (!skip[i] && !imf_fft_plan_best(&plan, length[i], shape->radices))
            return imf_fail(err, IMF_ERR_ARGUMENT,
                            "length %d is not the product of the radices asked for (0 allows all)",
                            length[i]);
    }
    size_t values;
    if (shape->batch < 1)
        return imf_fail(err, IMF_ERR_ARGUMENT, "%d transforms: use at least one", shape->batch);
    if (!imf_size_mul((size_t)shape->nx, (size_t)shape->ny, &values) ||
        !imf_size_mul(values, (size_t)shape->batch, &values) || values > INT32_MAX)
        return imf_fail(err, IMF_ERR_LIMIT, "%d transforms of %dx%d values are too many: use fewer",
                        shape->batch, shape->nx, shape->ny);
    return IMF_OK;
}

enum imf_status imf_fft_passes_make(struct imf_fft_passes *p,
                                    const struct imf_fft_shape_passes *shape,
                                    struct imf_error *err) {
    int nx = shape->nx, ny = shape->ny, batch = shape->batch;
    unsigned radices = shape->radices;
    *p = (struct imf_fft_passes){.z = {.batch = batch, .work = 1}};
    enum imf_status status = check(shape, err);
    if (status != IMF_OK)
        return status;
    int rows = ny, n1, n2;
    bool single = ny == 1, steps = !shape->skip_x && square_split(nx, radices, &n1, &n2);
    if (single && nx <= PANEL && batch >= IMF_FFT_VEC / 2) {
        /* Short lines ride side by side: a batch of them is one set. */
        rows = batch;
        p->z.batch = 1;
    }
    p->z.size = (int64_t)nx * rows;
    if (steps && (nx > PANEL || (rows < IMF_FFT_VEC / 2 && nx >= IMF_FFT_VEC * IMF_FFT_VEC))) {
        add_steps(p, n1, n2, rows, radices);
    } else if (nx > 1 && !shape->skip_x) {
        struct imf_fft_pass *row = add(p, nx, radices);
        row->lines = rows;
        row->from = row->to = (struct imf_fft_layout){nx, 1, 0};
    }
    if (ny > 1 && !shape->skip_y) {
        struct imf_fft_pass *column = add(p, ny, radices);
        column->lines = nx;
        column->from = column->to = (struct imf_fft_layout){1, nx, 0};
    }
    return IMF_OK;
}

/* Lane l holds this line of a panel; lane() of cl/fft_transform.cl is its inverse. */
static int line_of(int lane) {
    return lane / 4 * 2 + lane % 2 + (lane & 2 ? IMF_FFT_VEC / 2 : 0);
}

static void fill_steps(float *out, int n1, int n2) {
    int64_t n = (int64_t)n1 * n2;
    double re, im;
    for (int i = 0; i < n2; i++, out += 2 * IMF_FFT_VEC) {
        for (int l = 0; l < IMF_FFT_VEC; l++) {
            imf_fft_root((int64_t)i * line_of(l) % n, (int)n, &re, &im);
            out[l] = (float)re;
            out[IMF_FFT_VEC + l] = (float)im;
        }
    }
    for (int first = 0; first < n1; first += IMF_FFT_VEC) {
        for (int i = 0; i < n2; i++) {
            imf_fft_root((int64_t)i * first % n, (int)n, &re, &im);
            *out++ = (float)re;
            *out++ = (float)im;
        }
    }
}

enum imf_status imf_fft_passes_tables(const struct imf_fft_passes *p, float *twiddles,
                                      int32_t *orders, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    for (int i = 0; i < p->z.passes; i++) {
        const struct imf_fft_pass *pass = &p->z.pass[i];
        int n = pass->axis.length;
        imf_fft_twiddles(&p->plan[i], twiddles + pass->axis.twiddles);
        if (status == IMF_OK)
            status =
                imf_fft_prime_tables(&p->plan[i], twiddles, (size_t)pass->axis.prime_tables, err);
        if (pass->steps >= 0)
            fill_steps(twiddles + pass->steps, pass->lines, n);
        int32_t *order = orders + pass->order;
        imf_fft_order(&p->plan[i], order);
        /* Backwards: frequency -k instead of k. */
        for (int k = 0; k < n; k++)
            order[2 * n + k] = (n - order[k]) % n;
        for (int k = 0; k < n; k++) {
            order[n + order[k]] = k;
            order[3 * n + order[2 * n + k]] = k;
        }
    }
    return status;
}
