/*
 * runs.c - large kernels of few distinct taps on the host's cores: disks, masks, rings
 *
 * A run is a row of equal taps. The sum of its samples is the difference of two prefix sums of the
 * input row, however long it is: a disk of radius R takes 2 R + 1 differences for each sample instead
 * of pi R^2 products. The prefix sums of a strip's last rows are kept, as many as the kernel is high.
 *
 * All sums are integers. Prefix sums and their differences are modulo 2^16 for bytes in rows of up to
 * 257 taps, else modulo 2^32: exact as long as the true difference is smaller. A group is runs of one
 * tap whose sum still is; it is added, times the tap, to the sum of a part of the kernel, modulo 2^32:
 * exact as long as that fits 31 bits. The sums of the parts are added in float64, which holds 53 bits.
 * The quotient is the reference's, and so are the bytes.
 *
 * Float samples become multiples of a power of two, the unit, which is so fine that the error, less
 * than a unit for each sample, is a quarter of the tolerance; the error of float prefix sums would grow
 * with the row. In exact problems they are integers, and the unit is 1. A kernel of real taps has a
 * part for each distinct tap, whose sum is multiplied by the tap in float64.
 *
 *      taps      0 1 1 1 0     prefix   0 a b c d e f ...
 *                1 1 1 1 1     the run from b to d = prefix[e] - prefix[b]
 */
#include "device/tuning.h"
#include "solver/convolution/runs_rows.h"
#include "solver/solver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRIP_LEAST 512       /* samples of a strip at least, */
#define STRIP_MOST 2048       /* and at most: */
#define KEPT_BYTES (1 << 20)  /* its kept rows fit this part of the second-level cache */
#define ALL_BYTES 268435456.0 /* all threads' kept rows at most, unless there is one thread */
#define PART_MOST 2147483647.0
#define RUNS_MOST 4096 /* with more cl/direct.cl is faster */

/* Equal taps in columns from..to - 1 of a kernel's row. */
struct run {
    int row, from, to;
    double tap;
    bool last_of_group, last_of_part;
};

/* Part of the tolerance for rounding floats to units. */
#define SHARE 0.25

struct runs {
    double unit;     /* of float samples; 1 for others. This is the proposal's shape. */
    struct run *all; /* owned; sorted by tap */
    int count, groups, parts;
    bool wide; /* prefix sums of 32 bits */
};

static int by_tap(const void *a, const void *b) {
    const struct run *s = a, *t = b;
    if (s->tap != t->tap)
        return s->tap < t->tap ? -1 : 1;
    return s->row != t->row ? s->row - t->row : s->from - t->from;
}

/* Find up to `most` runs of a kernel; `all` may be NULL. Returns their number. */
static int find(const struct imf_kernel *k, struct run *all, int most) {
    int count = 0;
    for (int i = 0; i < k->height; i++) {
        const double *taps = k->taps + (size_t)i * (size_t)k->width;
        for (int from = 0, to; from < k->width && count < most; from = to) {
            for (to = from + 1; to < k->width && taps[to] == taps[from];)
                to++;
            if (taps[from] == 0)
                continue;
            if (all)
                all[count] = (struct run){i, from, to, taps[from], false, false};
            count++;
        }
    }
    return count;
}

/* Whether a row's sum exceeds 16 bits. */
static bool is_wide(const struct imf_problem *p) {
    return p->in != IMF_U8 || p->kernel[0]->width * p->in_max >= 0x1p16;
}

/* Whether taps are integers that multiply sums of 32 bits. */
static bool is_whole(const struct imf_problem *p) {
    return p->exact || p->facts[0].integer;
}

/* The largest |sample|, in units. */
static double most_units(const struct imf_problem *p, double unit) {
    return p->in_max * unit;
}

/* Divide the runs into groups and parts by the size of their sums. */
static void group(struct runs *j, const struct imf_problem *p) {
    struct run *runs = j->all;
    double modulus = j->wide ? 0x1p32 : 0x1p16, sum = 0, part = 0;
    int together = 0, count = j->count;
    j->groups = j->parts = 1;
    for (int i = 0; i < count; i++) {
        double more = most_units(p, j->unit) * (runs[i].to - runs[i].from);
        double weighed = is_whole(p) ? more * fabs(runs[i].tap) : more;
        bool apart = i > 0 && (part + weighed > PART_MOST ||
                               (!is_whole(p) && runs[i].tap != runs[i - 1].tap));
        if (i > 0 && (apart || runs[i].tap != runs[i - 1].tap || sum + more >= modulus ||
                      together == IMF_RUNS_TOGETHER)) {
            runs[i - 1].last_of_group = true;
            sum = 0;
            together = 0;
            j->groups++;
        }
        if (apart) {
            runs[i - 1].last_of_part = true;
            part = 0;
            j->parts++;
        }
        sum += more;
        part += weighed;
        together++;
    }
    if (count > 0)
        runs[count - 1].last_of_group = runs[count - 1].last_of_part = true;
}

static enum imf_status find_all(struct runs *j, const struct imf_problem *p, double unit,
                                struct imf_error *err) {
    int count = find(p->kernel[0], NULL, RUNS_MOST);
    *j = (struct runs){.unit = unit, .count = count, .wide = is_wide(p)};
    j->all = malloc(((size_t)count + 1) * sizeof *j->all);
    if (!j->all)
        return imf_fail_memory(err, ((size_t)count + 1) * sizeof *j->all);
    find(p->kernel[0], j->all, count);
    qsort(j->all, (size_t)count, sizeof *j->all, by_tap);
    group(j, p);
    return IMF_OK;
}

/* Samples of a strip whose kept rows fit a cache. */
static int strip_width(const struct imf_problem *p) {
    const struct imf_kernel *k = p->kernel[0];
    int fit = (int)(KEPT_BYTES / imf_runs_size(is_wide(p))) / k->height - k->width * p->channels;
    return imf_padded(imf_max(imf_min(fit, STRIP_MOST), STRIP_LEAST));
}

/* Bytes from a row of a strip's prefix sums to the next. */
static size_t pitch_of(const struct imf_problem *p, int samples) {
    return (size_t)(imf_padded(samples) + imf_padded(p->kernel[0]->width * p->channels)) *
           imf_runs_size(is_wide(p));
}

/* Bytes of a strip: its sums, and the rows of prefix sums. */
static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int samples) {
    (void)shape;
    return (size_t)imf_padded(samples) *
               (sizeof(double) + sizeof(uint32_t) + imf_runs_size(is_wide(p))) +
           (size_t)p->kernel[0]->height * pitch_of(p, samples);
}

/* Strips at least as high as the kernel, even if cores are idle: each first sums a kernel's rows. */
static struct imf_strips cut(const struct imf_problem *p, int height) {
    int kernel = p->kernel[0]->height;
    struct imf_strips s = imf_strips_cut_by(IMF_SLACK * p->channels, p->width * p->channels, height,
                                            strip_width(p), 2 * kernel);
    return imf_strips_of(s.samples, height, s.width, imf_max(s.rows, imf_min(kernel, height)));
}

/* Units in 1: the least power of two that is fine enough. */
static double choose_unit(const struct imf_problem *p) {
    double loss = p->facts[0].abs_sum / fabs(p->epilogue.scale);
    if (p->in != IMF_F32 || p->exact || loss == 0)
        return 1;
    return exp2(ceil(log2(loss / (SHARE * p->tolerance))));
}

static double real_error(const struct imf_problem *p, double unit) {
    double most = imf_largest_sum(p), scale = fabs(p->epilogue.scale);
    double lost = p->in == IMF_F32 && !p->exact ? p->facts[0].abs_sum / unit : 0;
    return (lost + most * p->facts[0].nonzero * DBL_EPSILON) / scale +
           imf_problem_end_error(p, most);
}

/* Why a problem is refused, or NULL. */
static const char *refusal(const struct imf_problem *p, double unit) {
    const struct imf_kernel *k = p->kernel[0];
    if (find(k, NULL, RUNS_MOST) >= RUNS_MOST)
        return "there are too many different taps";
    /* A part can hold any single run. */
    double largest = is_whole(p) ? fmax(1, fabs(p->facts[0].pivot.tap)) : 1;
    if (!(largest * k->width * most_units(p, unit) <= PART_MOST))
        return "taps are too large";
    if (!p->exact && real_error(p, unit) > p->tolerance)
        return "float32 results would be off by more than is allowed";
    return NULL;
}

/*
 * Milliseconds of one core: samples * ns * 1e-6, where the nanoseconds of a sample are
 *     end + prefix * (1 + part of it in halos) + runs * run + groups * group + parts * part
 * in the rates of struct imf_vector_rates.
 */
static void runs_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    const struct imf_kernel *k = p->kernel[0];
    double unit = choose_unit(p);
    const char *why = refusal(p, unit);
    struct runs j;
    (void)d;
    if (why)
        imf_proposal_refuse(out, "%s", why);
    else if (find_all(&j, p, unit, NULL)) {
        imf_proposal_refuse(out, "out of memory");
        out->missing = ((size_t)j.count + 1) * sizeof *j.all;
    } else {
        struct imf_strips s = cut(p, p->height);
        int strip = imf_min(s.width, s.samples);
        double kept = strip + (double)k->width * p->channels + IMF_SLACK;
        double again = (s.rows + k->height - 1.0) / s.rows;
        double ns = r->run_end + r->run_prefix * again * kept / strip +
                    r->run * (double)imf_runs_size(j.wide) * j.count + r->run_group * j.groups +
                    r->run_part * (j.parts - 1);
        double ms = (double)p->width * p->height * p->channels * ns * 1e-6;
        out->error = p->exact ? 0 : real_error(p, unit);
        memcpy(out->shape.bytes, &unit, sizeof unit);
        out->bands = IMF_BANDS_FEW;
        imf_proposal_strips(out, p, ms, strip);
        snprintf(out->description, sizeof out->description, "%d runs of %dx%d%s", j.count, k->width,
                 k->height, p->exact ? ", exact" : "");
        free(j.all);
    }
}

static enum imf_status runs_prepare(struct imf_job *job, struct imf_error *err) {
    double unit;
    memcpy(&unit, imf_job_shape(job), sizeof unit);
    return find_all(job->own, &job->p, unit, err);
}

static void runs_release(struct imf_job *job) {
    free(((struct runs *)job->own)->all);
}

static struct imf_strips runs_cut(const struct imf_job *job, int height) {
    return cut(&job->p, height);
}

/* ---- running --------------------------------------------------------------------------------- */

/* A strip and its scratch memory. */
struct work {
    const struct runs *j;
    const struct imf_problem *p;
    struct imf_strip_area at;
    char *kept; /* prefix sums of rows, a ring */
    size_t pitch;
    void *spare;
    uint32_t *sum;
    double *all;
};

/* The prefix sums under row `row` of the kernel for output row y. */
static char *prefix_of(const struct work *w, int y, int row) {
    return w->kept + (size_t)((y - w->at.y + row) % w->p->kernel[0]->height) * w->pitch;
}

static void keep(const struct work *w, const struct imf_surface *in, int y, int row) {
    const struct imf_problem *p = w->p;
    const struct imf_kernel *k = p->kernel[0];
    const void *from = imf_sample_at(in, y + row - k->cy, w->at.x - (ptrdiff_t)k->cx * p->channels);
    imf_runs_prefix(p->in, w->j->wide, prefix_of(w, y, row), from, p->channels,
                    w->at.n + (k->width - 1) * p->channels, (float)w->j->unit);
}

static void sum_row(const struct work *w, int y) {
    const struct runs *j = w->j;
    size_t pixel = (size_t)w->p->channels * imf_runs_size(j->wide), n = (size_t)w->at.n;
    struct imf_runs_batch together = {.count = 0};
    bool whole = is_whole(w->p);
    memset(w->all, 0, n * sizeof *w->all);
    memset(w->sum, 0, n * sizeof *w->sum);
    for (const struct run *r = j->all; r < j->all + j->count; r++) {
        const char *prefix = prefix_of(w, y, r->row);
        together.from[together.count] = prefix + (size_t)r->from * pixel;
        together.to[together.count++] = prefix + (size_t)r->to * pixel;
        if (r->last_of_group) {
            int32_t tap = whole ? (int32_t)r->tap : 1;
            imf_runs_add(j->wide, w->sum, &together, tap, w->spare, w->at.n);
            together.count = 0;
        }
        if (r->last_of_part) {
            imf_runs_widen(w->all, w->sum, (whole ? 1 : r->tap) / j->unit, w->at.n);
            memset(w->sum, 0, n * sizeof *w->sum);
        }
    }
}

static void runs_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    struct work w = {.j = s->job->own, .p = p, .at = s->at, .all = s->scratch};
    size_t n = (size_t)imf_padded(w.at.n);
    int last = p->kernel[0]->height - 1;
    w.pitch = pitch_of(p, w.at.n);
    w.sum = (uint32_t *)(w.all + n);
    w.spare = w.sum + n;
    w.kept = (char *)w.spare + n * imf_runs_size(w.j->wide);
    for (int row = 0; row < last; row++)
        keep(&w, s->in, w.at.y, row);
    for (int y = w.at.y; y < w.at.end; y++) {
        keep(&w, s->in, y, last);
        sum_row(&w, y);
        char *out = imf_surface_row(s->out, y);
        imf_epilogue_sums(&p->epilogue, w.all, (size_t)w.at.n);
        imf_samples_narrow(out + (size_t)w.at.x * imf_sample_size(p->out), p->out, w.all,
                           (size_t)w.at.n);
    }
}

const struct imf_solver imf_solver_runs = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_CONVOLUTION,
    .propose = runs_propose,
    .own = sizeof(struct runs),
    .prepare = runs_prepare,
    .release = runs_release,
    .cut = runs_cut,
    .scratch_bytes = scratch_bytes,
    .most_scratch = ALL_BYTES,
    .strip = runs_strip,
};
