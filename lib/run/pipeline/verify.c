/* verify.c - compare an output with the reference, by the contract's exactness */
#include "run/pipeline/verify.h"

#include "plan/lowering/operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which differences the contract allows. */
struct allowance {
    double max;   /* a sample's largest value */
    bool words;   /* of 16 bits, of which the contract allows whole steps */
    double error; /* imf_contract_choices(), in steps of the output; 0: nothing may differ; */
    double near;  /* in steps of what a pass computes with */
    double hidden,
        least; /* below this alpha there are no colours; likewise of what a pass computes with */
    double stretch; /* of colours, over IMF_HIGH_GAIN */
    bool divided;   /* colours, by the last channel: alpha */
    int channels;
    int compared; /* of them, the leading ones */
    /* Of a jump, what it was decided by: float64, or of no channels. */
    struct imf_surface values;
    double level;
    bool
        alone; /* it is a threshold, and nothing follows in its pass: samples are 0 or the largest */
    /* Likewise of colours that vanish before a blend changes their alpha: it is the last channel. */
    struct imf_surface straight;
    /* Of results that are floats: a factor of the error of each pixel, of one channel; or of none. */
    struct imf_surface local;
};

/* The contract allows this difference (imf_contract_choices()). */
static bool excused(const struct allowance *a, double want, double have, enum imf_sample sample,
                    double times) {
    double error = a->error * times;
    if (sample != IMF_U8 && sample != IMF_U16)
        return fabs(have - want) <= error;
    return a->words ? fabs(have - rint(want)) <= error : fabs(have - want) <= 0.5 + error;
}

/* A value of this pixel is so near the jump that it may lie on either side. */
static bool undecided(const struct allowance *a, const double *values, int channel, double have,
                      double times) {
    bool near = false;
    for (int c = 0; c < a->values.channels; c++)
        near =
            near || ((c == channel || !a->alone) && fabs(values[c] - a->level) <= a->near * times);
    return near && (!a->alone || have == 0 || have == a->max);
}

static void compare_row(const struct allowance *a, const double *want, const double *values,
                        const double *straight, const double *local, const void *got,
                        enum imf_sample sample, int width, struct imf_report *r) {
    int colors = a->channels - a->divided;
    for (int i = 0; i < width * a->channels; i++) {
        int x = i / a->channels, channel = i % a->channels;
        const double *pixel = want + x * a->channels;
        double alpha = a->divided ? fmin(fmax(pixel[colors] / a->max, 0), 1) : 1;
        bool color = channel < colors, rounded = sample == IMF_U8 || sample == IMF_U16;
        double have = imf_sample_get(got, sample, i);
        double clamped = rounded ? fmin(fmax(want[i], 0), a->max) : want[i];
        double difference = fabs(have - (rounded ? rint(clamped) : clamped));
        if (difference == 0 || channel >= a->compared)
            continue;
        double times = (color ? a->stretch / alpha : 1) * (local ? local[x] : 1);
        bool vanishes = color && a->divided && fabs(pixel[colors] - a->hidden) <= a->error;
        if (color && straight)
            vanishes |= fabs(straight[(x + 1) * a->straight.channels - 1] - a->least) <= a->near;
        r->verify_differing++;
        r->verify_max = fmax(r->verify_max, difference);
        r->verify_unexcused +=
            a->error == 0 || !(vanishes || excused(a, clamped, have, sample, times) ||
                               undecided(a, values + x * a->values.channels, channel, have, times));
    }
}

static const void *row_of(const struct imf_rows *rows, int y) {
    return rows->at + (size_t)y * rows->stride;
}

static bool opaque(const struct imf_chain *c, const struct imf_rows *image) {
    for (int y = 0; y < c->height; y++)
        for (int x = 1; x <= c->width; x++)
            if (imf_sample_get(row_of(image, y), c->in, (ptrdiff_t)x * c->channels_in - 1) !=
                c->full)
                return false;
    return true;
}

/* Of the output of the pass before `end`. */
static struct allowance allowance_of(const struct imf_chain *c, int end,
                                     const struct imf_exec *reference, bool exact) {
    bool last = end == c->count;
    enum imf_sample made = c->passes[end - 1].out;
    bool integer = made == IMF_U8 || made == IMF_U16;
    int channels = c->passes[end - 1].channels_out;
    double scale = last ? c->rescale : 1, near = imf_contract_choices(c) / c->rescale;
    if (c->relative)
        near = IMF_FLOAT_ERROR * c->passes[end - 1].value.bound / scale;
    near = exact ? 0 : near;
    struct allowance a = {
        .max = last      ? c->full * c->rescale
               : integer ? imf_sample_max(made)
                         : c->full,
        .words = !c->relative && (last ? c->out : c->in) != IMF_U8,
        .error = near * scale,
        .near = near,
        .hidden = c->hidden * scale,
        .least = c->hidden,
        .stretch = fmax(imf_exec_stretch(reference, end, near / IMF_HIGH_GAIN) / IMF_HIGH_GAIN, 1),
        .channels = channels,
        .compared = channels - (c->keep_alpha && !last)};
    for (int i = 0; i < end; i++)
        a.divided = a.divided || imf_point_find(&c->passes[i].point, IMF_UNPREMULTIPLY);
    return a;
}

/* The least factor: what is added to a sum is rounded, too. */
#define LEAST_LOCAL 0x1p-6

/* v[0], v[step], ... v[(n - 1) * step] become the largest of those up to `before` before and `behind` behind. `spare`
 * has room for n. */
static void spread(double *v, int n, size_t step, int before, int behind, double *spare) {
    for (int reach = 1; before > 0 || behind > 0; reach *= 2) {
        int left = imf_min(reach, before), right = imf_min(reach, behind);
        for (int i = 0; i < n; i++)
            spare[i] = v[(size_t)i * step];
        for (int i = 0; i < n; i++) {
            double most = spare[i];
            most = i >= left ? fmax(most, spare[i - left]) : fmax(most, spare[0]);
            most = n - 1 - i >= right ? fmax(most, spare[i + right]) : fmax(most, spare[n - 1]);
            v[(size_t)i * step] = most;
        }
        before -= left;
        behind -= right;
    }
}

/* What results that are floats may be off by grows with the largest sample that each of them reads: set a->local. */
static enum imf_status find_local(const struct imf_chain *c, const struct imf_rows *image,
                                  struct allowance *a, struct imf_error *err) {
    const struct imf_margin none = {0, 0, 0, 0};
    bool wraps = c->edge == IMF_EDGE_WRAP;
    struct imf_margin m =
        wraps ? (struct imf_margin){c->width, c->width, c->height, c->height} : c->reach;
    if (!c->relative)
        return IMF_OK;
    double *spare = malloc((size_t)imf_max(c->width, c->height) * sizeof *spare);
    enum imf_status st = imf_surface_layout(&a->local, IMF_F64, c->width, c->height, 1, none, err);
    st = st ? st : imf_surface_alloc(&a->local, err);
    if (!spare || st) {
        free(spare);
        return st ? st : imf_fail_memory(err, sizeof *spare);
    }
    for (int y = 0; y < c->height; y++) {
        double *v = imf_surface_row(&a->local, y);
        for (int i = 0; i < c->width * c->channels_in; i++) {
            double sample = fabs(imf_sample_get(row_of(image, y), c->in, i)) / c->full;
            int x = i / c->channels_in;
            v[x] = fmax(i % c->channels_in ? v[x] : LEAST_LOCAL, sample);
        }
        spread(v, c->width, 1, m.left, m.right, spare);
    }
    for (int x = 0; x < c->width; x++)
        spread((double *)imf_surface_row(&a->local, 0) + x, c->height, a->local.pitch, m.top,
               m.bottom, spare);
    free(spare);
    return IMF_OK;
}

/* ---- decisions ------------------------------------------------------------------------------- */

struct judge {
    const struct imf_chain *chain;
    struct imf_pass *passes; /* the reference's, owned: without the thresholds of inexact sums */
    struct verdict {
        bool exact;   /* not off, but by what was off at an earlier check */
        bool checked; /* compared with what the result's solvers made, which then takes its place */
    } * verdict;      /* of each pass; owned */
    const struct imf_rows *image, *result;
    const struct imf_witness *witness;
    struct imf_exec *reference;
    uint64_t unexcused;
};

/* False: the chain decides nothing by values that are off. */
static bool find_checks(struct judge *j) {
    const struct imf_chain *c = j->chain;
    bool found = false;
    for (int i = 0; i < c->count; i++) {
        const struct imf_pass *pass = &c->passes[i];
        struct verdict *v = &j->verdict[i];
        v->exact = pass->exact;
        for (int k = 0; k < 2; k++) {
            int from = k ? pass->second : pass->source;
            v->exact = v->exact && (from < 0 || j->verdict[from].exact || j->verdict[from].checked);
        }
        bool decides = !v->exact && imf_chain_decides(c, i);
        v->checked = decides || i == c->count - 1;
        found = found || decides;
        if (decides && pass->kind == IMF_PASS_CONVOLVE)
            j->passes[i].problem.epilogue.threshold = false;
    }
    return found;
}

/* What pass i has after so many steps, or a solver has made. */
static enum imf_status make_values(const struct judge *j, int i, int steps,
                                   const struct imf_surface *output, struct imf_surface *values,
                                   struct imf_error *err) {
    const struct imf_pass *pass = &j->chain->passes[i];
    const struct imf_point *p = &pass->point;
    const struct imf_margin none = {0, 0, 0, 0};
    bool point = pass->kind == IMF_PASS_POINT;
    int channels = !point  ? output->channels
                   : steps ? p->steps[steps - 1].channels
                           : p->in_channels;
    enum imf_status st =
        imf_surface_layout(values, IMF_F64, output->width, output->height, channels, none, err);
    st = st ? st : imf_surface_alloc(values, err);
    if (!st && point)
        imf_exec_compared(j->reference, i, steps, values);
    else if (!st)
        imf_surface_copy(values, output);
    return st;
}

/* Set a->values, and put what the reference decides by them in its output's place. */
static enum imf_status take_values(const struct judge *j, int i, const struct imf_surface *output,
                                   struct allowance *a, struct imf_error *err) {
    const struct imf_pass *pass = &j->chain->passes[i];
    bool point = pass->kind == IMF_PASS_POINT;
    int at = imf_point_jump(&pass->point), last = pass->point.count - 1;
    a->level = imf_pass_jump(pass);
    a->alone = !point || (at == last && pass->point.steps[at].kind == IMF_SCALAR);
    enum imf_status st = make_values(j, i, at, output, &a->values, err);
    for (int y = 0; y < output->height && !st && !point; y++) {
        double *v = imf_surface_row(output, y);
        for (int x = 0; x < output->width * output->channels; x++)
            v[x] = v[x] >= a->level ? pass->problem.epilogue.full : 0;
    }
    return st;
}

/* Compare the reference's output of pass i with `rows`, and let them take its place. */
static enum imf_status check(struct judge *j, int i, const struct imf_surface *output,
                             const struct imf_rows *rows, enum imf_sample sample,
                             struct imf_error *err) {
    bool exact = j->verdict[i].exact;
    const struct imf_pass *pass = &j->chain->passes[i];
    struct allowance a = allowance_of(j->chain, i + 1, j->reference, exact);
    struct imf_report r = {0};
    enum imf_status st = find_local(j->chain, j->image, &a, err);
    if (!st && !exact && isfinite(imf_pass_jump(pass)))
        st = take_values(j, i, output, &a, err);
    if (!exact && !st && imf_pass_hides(pass))
        st = make_values(j, i, imf_pass_hides(pass), output, &a.straight, err);
    for (int y = 0; y < output->height && !st; y++) {
        double *want = imf_surface_row(output, y);
        const double *values = a.values.channels ? imf_surface_row(&a.values, y) : want;
        const double *straight = a.straight.channels ? imf_surface_row(&a.straight, y) : NULL;
        const double *local = a.local.channels ? imf_surface_row(&a.local, y) : NULL;
        compare_row(&a, want, values, straight, local, row_of(rows, y), sample, output->width, &r);
        imf_samples_widen(want, row_of(rows, y), sample, 0,
                          (size_t)output->width * (size_t)output->channels);
    }
    imf_surface_free(&a.values);
    imf_surface_free(&a.straight);
    imf_surface_free(&a.local);
    j->unexcused += r.verify_unexcused;
    return st;
}

static enum imf_status judge_pass(void *data, int i, const struct imf_surface *output,
                                  struct imf_error *err) {
    struct judge *j = data;
    struct imf_chain first = *j->chain;
    struct imf_exec *again = NULL;
    struct imf_rows rows;
    if (!j->verdict[i].checked)
        return IMF_OK;
    if (i == first.count - 1)
        return check(j, i, output, j->result, first.out, err);
    first.out = imf_chain_sample(j->chain, i + 1, j->witness->float64);
    first.count = i + 1;
    first.channels_out = first.passes[i].channels_out;
    first.keep_alpha = false;
    enum imf_status st = j->witness->make(j->witness->data, &first, &again, err);
    if (!st)
        st = imf_exec_filter(again, j->image, &rows, err);
    if (!st)
        st = check(j, i, output, &rows, first.out, err);
    if (!st)
        st = imf_exec_unmap_output(again, 0, err);
    imf_exec_free(&again);
    return st;
}

/* Count the samples that decisions do not excuse either. */
static enum imf_status judge(struct judge *j, struct imf_report *r, struct imf_error *err) {
    struct imf_chain chain = *j->chain;
    size_t bytes = (size_t)chain.count * sizeof *j->passes;
    struct imf_rows made;
    j->passes = malloc(bytes);
    j->verdict = calloc((size_t)chain.count, sizeof *j->verdict);
    enum imf_status st = j->passes && j->verdict ? IMF_OK : imf_fail_memory(err, bytes);
    if (!st) {
        memcpy(j->passes, chain.passes, bytes);
        chain.passes = j->passes;
    }
    if (!st && find_checks(j)) {
        st = imf_exec_make_host(&j->reference, &chain, IMF_F64, err);
        if (!st) {
            imf_exec_set_watch(j->reference, (struct imf_exec_watch){judge_pass, j});
            st = imf_exec_filter(j->reference, j->image, &made, err);
        }
        imf_exec_free(&j->reference);
        r->verify_unexcused = j->unexcused;
    }
    free(j->passes);
    free(j->verdict);
    return st;
}

enum imf_status imf_verify(const struct imf_chain *c, const struct imf_rows *image,
                           const struct imf_rows *result, const struct imf_witness *witness,
                           struct imf_report *r, struct imf_error *err) {
    struct imf_exec *reference = NULL;
    struct imf_rows want;
    enum imf_status st = imf_exec_make_host(&reference, c, IMF_F64, err);
    if (!st)
        st = imf_exec_filter(reference, image, &want, err);
    bool exact = c->exact || (c->exact_if_opaque && opaque(c, image));
    struct allowance a = {0};
    if (!st) {
        a = allowance_of(c, c->count, reference, exact);
        st = find_local(c, image, &a, err);
    }
    if (!st) {
        r->verified = true;
        r->verify_max = 0;
        r->verify_differing = r->verify_unexcused = 0;
        r->verify_samples = (uint64_t)c->width * (uint64_t)c->channels_out * (uint64_t)c->height;
        for (int y = 0; y < c->height; y++) {
            const double *row = row_of(&want, y);
            const double *local = a.local.channels ? imf_surface_row(&a.local, y) : NULL;
            compare_row(&a, row, row, NULL, local, row_of(result, y), c->out, c->width, r);
        }
    }
    imf_surface_free(&a.local);
    imf_exec_free(&reference);
    if (!st && !exact && witness && r->verify_unexcused) {
        struct judge j = {.chain = c, .image = image, .result = result, .witness = witness};
        st = judge(&j, r, err);
    }
    r->verify_ok = !st && r->verify_unexcused == 0;
    return st;
}
