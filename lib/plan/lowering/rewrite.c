/* rewrite.c - operations that are cheaper, or more exact, as others */
#include "plan/lowering/operations.h"

#include "base/image/rounding.h"

#include <float.h>
#include <math.h>

/*
 * A large unsharp mask, difference or Laplacian of Gaussians is no product of a column and a row, but
 * the sum of two, which can be decimated; the whole takes transforms, on a device.
 *
 * From these sides on, decimated blurs and a point pass are cheaper than all taps: of an unsharp
 * mask, and of two products. Whole processes of 12 megapixels, by transforms and so: dog:6:9 134 and
 * 146 ms, log:14 147 and 144, dog:10:20 166 and 134, dog:30:50 289 and 161, log:40 271 and 174.
 */
#define MASK_SIDE 33
#define DIFFERENCE_SIDE 129

/* Let operation i combine the result of `source` with that of `from`, and what read that read this. */
static void combine_after(struct imf_operations *o, int from, int i, int source, double amount,
                          bool difference) {
    struct imf_operation *op = imf_operations_insert(o, i, IMF_COMBINE);
    if (o->no_memory)
        return;
    op->stage = o->list[from].stage;
    op->channels = o->list[from].channels;
    op->source = source;
    op->second = from;
    op->combine.amount = amount;
    op->combine.difference = difference;
    imf_operations_redirect(o, from, i, i);
}

static void negate(struct imf_kernel *k) {
    for (int i = 0; i < k->width * k->height; i++)
        k->taps[i] = -k->taps[i];
}

static void convolve(struct imf_operation *op, struct imf_kernel *own) {
    imf_operation_convolve(&op->problem, own, NULL);
    op->kernel = own;
}

static void split_kernel(struct imf_operations *o, int i) {
    struct imf_operation *op = &o->list[i];
    struct imf_kernel *outer, *inner;
    if (op->kind != IMF_SOLVE || op->problem.kind != IMF_CONVOLUTION || op->kernel)
        return;
    const struct imf_kernel *k = op->problem.kernel[0];
    int side = imf_min(k->width, k->height), source = op->source;
    if (side < MASK_SIDE || imf_kernel_is_integer(k) || !imf_kernel_split(k, &outer, &inner))
        return;
    bool mask = inner->width * inner->height == 1;
    negate(outer);
    double amount = inner->taps[0] / k->scale - 1;
    if (mask && amount != 0) {
        /* (c x + r(x)) / s = x + a (x - B(x)) with a = c / s - 1 and B = -r / (s a). */
        outer->scale *= amount;
        convolve(op, outer);
        combine_after(o, i, i + 1, source, amount, false);
        outer = NULL;
    } else if (!mask && side >= DIFFERENCE_SIDE) { /* inner(x) - B(x) with B = -outer */
        convolve(op, outer);
        outer = NULL;
        struct imf_operation *more = imf_operations_insert(o, i + 1, IMF_SOLVE);
        if (!o->no_memory) {
            *more = o->list[i];
            convolve(more, inner);
            inner = NULL;
            combine_after(o, i, i + 2, i + 1, 1, true);
        }
    }
    imf_kernel_free(&outer);
    imf_kernel_free(&inner);
}

/* The operation whose result i reads as its source, if it is of that kind and nothing else reads it. */
static struct imf_operation *before(struct imf_operations *o, int i, enum imf_operation_kind kind) {
    int source = o->list[i].source;
    bool is = source >= 0 && o->list[source].kind == kind && imf_operations_readers(o, source) == 1;
    return is ? &o->list[source] : NULL;
}

/*
 * Mixing what a blend has left with the image once more only lowers the blend's weights:
 *
 *     b + v (b + w (f(b, x) - b) - b) = b + v w (f(b, x) - b)
 *
 * so that the strength, the mask and the stage before them are one operation.
 */
static void join_blends(struct imf_operations *o, int i) {
    struct imf_operation *op = &o->list[i];
    struct imf_operation *first = op->kind == IMF_BLEND ? before(o, i, IMF_BLEND) : NULL;
    if (!first || op->blend.mode != IMF_BLEND_NORMAL || first->second != op->second)
        return;
    struct imf_weights w = first->blend.weights, *more = &op->blend.weights;
    if ((w.mask && more->mask) || (w.regions && more->regions))
        return;
    w.amount *= more->amount;
    if (more->mask) {
        w.mask = more->mask;
        w.invert = more->invert;
    }
    w.regions = imf_max(w.regions, more->regions);
    *more = w;
    op->blend.mode = first->blend.mode;
    op->source = first->source;
}

/* Before a division by alpha an integer kernel leaves out its scale, by which alpha alone is divided
 * then: until there both are sums of integers. */
static void divide_once(struct imf_operations *o, int i) {
    struct imf_operation *op = &o->list[i];
    struct imf_operation *sums = op->kind == IMF_UNPREMULTIPLY ? before(o, i, IMF_SOLVE) : NULL;
    if (!sums || sums->problem.kind != IMF_CONVOLUTION || !sums->problem.whole_if_opaque)
        return;
    double *scale = &sums->problem.epilogue.scale;
    op->number = fabs(*scale);
    *scale = copysign(1, *scale);
}

/* Before a stretch an integer kernel leaves out what only shifts and scales its sums, but not the
 * sign, so that integers are stretched. */
static void stretch_sums(struct imf_operations *o, int i) {
    struct imf_operation *op = &o->list[i];
    if (op->kind != IMF_NORMALIZE)
        return;
    double scale = 0, least = o->chain->in == IMF_U8 ? 1.0 / 32 : o->chain->integer ? 1 : FLT_MIN;
    int at = i; /* of what reads the sums */
    struct imf_operation *alpha = before(o, i, IMF_TAKE_ALPHA);
    at = alpha ? op->source : at;
    struct imf_operation *shift = before(o, at, IMF_SCALAR);
    bool shifts =
        shift && !shift->scalar.absolute && !shift->scalar.threshold && shift->scalar.multiply == 1;
    struct imf_operation *sums = before(o, shifts ? o->list[at].source : at, IMF_SOLVE);
    if (sums && sums->problem.exact && sums->problem.kind == IMF_CONVOLUTION) {
        struct imf_epilogue *e = &sums->problem.epilogue;
        scale = fabs(e->scale);
        e->scale = copysign(1, e->scale);
        e->add = 0;
        if (shifts)
            o->list[at].source = shift->source;
    } else {
        /* One of an integer kernel's results, or of the samples, or their difference. */
        const struct imf_value *v = op->source < 0 ? NULL : &o->list[op->source].value;
        scale = !v || (v->integer && v->bound <= IMF_WHOLE_FLOATS);
    }
    op->normalize.whole = scale > 0;
    op->normalize.flat = least * (scale > 0 ? scale : 1);
    op->normalize.alpha_scale = scale > 0 && o->alpha_apart ? scale : 1;
}

void imf_rewrite(struct imf_operations *o) {
    static void (*const rules[])(struct imf_operations * o, int i) = {split_kernel, join_blends,
                                                                      divide_once, stretch_sums};
    for (size_t k = 0; k < sizeof rules / sizeof *rules && !o->no_memory; k++) {
        imf_bound(o);
        for (int i = 0; i < o->count && !o->no_memory; i++)
            rules[k](o, i);
        imf_operations_sweep(o);
    }
}
