/* verify.c - compare an output with the reference, by the contract's exactness */
#include "run/pipeline/verify.h"

#include <math.h>

/* Which differences the contract allows. */
struct allowance {
    double max;     /* a sample's largest value */
    double error;   /* imf_contract_choices(), in steps of the output; 0: nothing may differ */
    double stretch; /* of colours, over IMF_HIGH_GAIN */
    bool divided;   /* colours, by the last channel: alpha */
    int channels;
};

/* The contract allows this difference (imf_contract_choices()). */
static bool excused(const struct allowance *a, double want, double have, double times) {
    double error = a->error * times;
    return a->max > 255 ? fabs(have - rint(want)) <= error : fabs(have - want) <= 0.5 + error;
}

static void compare_row(const struct allowance *a, const double *want, const void *got,
                        enum imf_sample sample, int width, struct imf_report *r) {
    int colors = a->channels - a->divided;
    for (int i = 0; i < width * a->channels; i++) {
        const double *pixel = want + i / a->channels * a->channels;
        double alpha = a->divided ? fmin(fmax(pixel[colors] / a->max, 0), 1) : 1;
        bool color = i % a->channels < colors;
        double clamped = fmin(fmax(want[i], 0), a->max), have = imf_sample_get(got, sample, i);
        double difference = fabs(have - rint(clamped));
        if (difference == 0)
            continue;
        bool vanishes = color && a->divided && fabs(pixel[colors] - 0.5) <= a->error;
        r->verify_differing++;
        r->verify_max = fmax(r->verify_max, difference);
        r->verify_unexcused +=
            a->error == 0 ||
            !(vanishes || excused(a, clamped, have, color ? a->stretch / alpha : 1));
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

static struct allowance allowance_of(const struct imf_chain *c, const struct imf_exec *reference,
                                     const struct imf_rows *image) {
    bool exact = c->exact || (c->exact_if_opaque && opaque(c, image));
    struct allowance a = {.max = imf_sample_max(c->out),
                          .error = exact ? 0 : imf_contract_choices(c),
                          .stretch = fmax(imf_exec_stretch(reference) / IMF_HIGH_GAIN, 1),
                          .channels = c->channels_out};
    for (int i = 0; i < c->count; i++)
        a.divided =
            a.divided || (c->passes[i].kind == IMF_PASS_POINT && c->passes[i].point.unpremultiply);
    return a;
}

enum imf_status imf_verify(const struct imf_chain *c, const struct imf_rows *image,
                           const struct imf_rows *result, struct imf_report *r,
                           struct imf_error *err) {
    struct imf_exec *reference = NULL;
    struct imf_rows want;
    enum imf_status st = imf_exec_make_host(&reference, c, IMF_F64, err);
    if (!st)
        st = imf_exec_filter(reference, image, &want, err);
    if (!st) {
        const struct allowance a = allowance_of(c, reference, image);
        r->verified = true;
        r->verify_max = 0;
        r->verify_differing = r->verify_unexcused = 0;
        r->verify_samples = (uint64_t)c->width * (uint64_t)c->channels_out * (uint64_t)c->height;
        for (int y = 0; y < c->height; y++)
            compare_row(&a, row_of(&want, y), row_of(result, y), c->out, c->width, r);
        r->verify_ok = r->verify_unexcused == 0;
    }
    imf_exec_free(&reference);
    return st;
}
