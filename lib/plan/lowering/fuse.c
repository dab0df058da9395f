/*
 * fuse.c - operations become passes
 *
 * A solver's work is a pass. Operations on points that follow each other are one, as long as nothing
 * else reads what is between them and they read one surface besides; functions of single colours join the epilogue of the solver
 * before them. What is left between passes is samples of the image's depth where these hold the
 * values, and floats elsewhere.
 */
#include "plan/lowering/operations.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static struct imf_pass *append(struct imf_chain *c, const struct imf_operation *op, int source,
                               int channels) {
    struct imf_pass *pass = &c->passes[c->count++];
    *pass = (struct imf_pass){
        .kind = IMF_PASS_POINT, .channels_in = channels, .source = source, .second = -2};
    if (op->kind == IMF_SOLVE) {
        pass->kind = IMF_PASS_CONVOLVE;
        pass->problem = op->problem;
        return pass;
    }
    pass->point = (struct imf_point){.in_channels = channels,
                                     .full = c->full,
                                     .hidden = c->hidden,
                                     .image = c->in,
                                     .low = c->open ? -FLT_MAX : 0,
                                     .high = c->open ? FLT_MAX : c->full,
                                     .curve = c->curve};
    return pass;
}

/* Append |v|, then multiply and offset, then threshold, if e has no later step yet. */
static bool extend(struct imf_epilogue *e, const struct imf_epilogue *more) {
    if (e->threshold || (more->absolute && (e->absolute || e->multiply != 1 || e->offset != 0)))
        return false;
    e->absolute |= more->absolute;
    e->offset = e->offset * more->multiply + more->offset;
    e->multiply *= more->multiply;
    e->threshold = more->threshold;
    e->level = more->level;
    e->full = more->full;
    return true;
}

/* Can the pass, whose last operation is `last`, go on with an operation that alone reads its result? */
static bool join(const struct imf_operations *o, struct imf_pass *pass,
                 const struct imf_operation *last, const struct imf_operation *op) {
    if (pass->kind == IMF_PASS_CONVOLVE)
        return op->kind == IMF_SCALAR && !o->alpha_apart && pass->problem.kind != IMF_FILLING &&
               extend(&pass->problem.epilogue, &op->scalar);
    /* The range of a stretch, and alpha that pixels are weighed by, are those of a pass's input; it has one plane of
     * weights, and one jump, whose values --verify knows. */
    bool apart = op->kind == IMF_SOLVE || op->kind == IMF_NORMALIZE ||
                 last->kind == IMF_TAKE_ALPHA ||
                 (isfinite(op->jump) && isfinite(imf_pass_jump(pass))) ||
                 (op->kind == IMF_BLEND && imf_point_find(&pass->point, IMF_BLEND));
    return !apart && (op->second == -2 || pass->second == -2 || last->second == op->second);
}

/* Passes of the operations; made[i] becomes the one that has operation i's result. */
static void gather(struct imf_chain *c, struct imf_operations *o, int *made) {
    const struct imf_operation *last = NULL; /* of the last pass, */
    int last_index = -1;
    for (int i = 0; i < o->count; i++) {
        struct imf_operation *op = &o->list[i];
        int source = op->source < 0 ? -1 : made[op->source];
        bool goes_on = last && op->source == last_index &&
                       imf_operations_readers(o, last_index) == 1 &&
                       join(o, &c->passes[c->count - 1], last, op);
        int channels = op->source < 0 ? c->channels_in : o->list[op->source].channels;
        struct imf_pass *pass =
            goes_on ? &c->passes[c->count - 1] : append(c, op, source, channels);
        if (pass->kind == IMF_PASS_POINT) {
            struct imf_point *p = &pass->point;
            p->alpha = o->alpha;
            p->steps = p->count ? p->steps : op;
            p->count++;
            p->second_light |= (op->kind == IMF_BLEND || op->kind == IMF_PUT) && op->blend.light;
            if (op->second >= -1) {
                pass->second = op->second < 0 ? -1 : made[op->second];
                p->second_channels = op->second < 0 ? c->channels_in : o->list[op->second].channels;
            }
        }
        pass->stage = op->stage;
        pass->channels_out = op->channels;
        pass->value = op->value;
        if (op->kind == IMF_SOLVE) {
            pass->kernel = op->kernel;
            op->kernel = NULL;
        }
        made[i] = c->count - 1;
        last = op;
        last_index = i;
    }
}

/* ---- what surfaces between passes hold ------------------------------------------------------- */

/* What it counts were made 16 bits (lower.c). */
static bool in_words(const struct imf_chain *c, const struct imf_problem *p) {
    return imf_problem_decides(p) && p->unit != c->full;
}

/* Integer samples cannot hold what is beyond the edge. */
static bool reads_fractions(const struct imf_problem *p) {
    bool is = false;
    for (int i = 0; i < p->channels; i++)
        is = is || !imf_is_integer(p->outside[i]);
    return is && p->edge == IMF_EDGE_CONSTANT;
}

/* Is a pass the same of rounded samples as of what they were rounded from? Histograms are, of which
 * a bin is a sample's value; local thresholds, which round them; and ranks whose result becomes
 * samples, since rounding and clipping keep the order: the median of rounded samples is the rounded
 * median. */
static bool reads_rounded(const struct imf_chain *c, const struct imf_pass *pass) {
    const struct imf_problem *p = &pass->problem;
    const struct imf_epilogue *e = &p->epilogue;
    if (pass->kind == IMF_PASS_POINT)
        return false;
    if (p->kind == IMF_HISTOGRAM_OP) /* alpha that is filtered goes on as it is */
        return p->colors == p->channels || c->keep_alpha;
    if (p->kind == IMF_CLAHE)
        return true;
    for (int i = 0; i < p->channels; i++)
        if (p->outside[i] < 0 || p->outside[i] > p->unit || !imf_is_integer(p->outside[i]))
            return false;
    if (p->kind == IMF_LOCAL_THRESHOLD)
        return true;
    return imf_problem_selects(p) && pass->out == c->in && !e->absolute && e->multiply == 1 &&
           e->offset == 0 && !e->threshold;
}

static int readers(const struct imf_chain *c, int index) {
    int count = 0;
    for (int i = 0; i < c->count; i++)
        count += (c->passes[i].source == index) + (c->passes[i].second == index);
    return count;
}

/* Let passes whose only reader sees no difference leave samples instead of floats, which take four
 * times as long to filter. */
static void round_early(struct imf_chain *c) {
    for (int i = c->count - 1; i > 0; i--) {
        struct imf_pass *pass = &c->passes[i], *before = &c->passes[imf_max(pass->source, 0)];
        bool words = in_words(c, &pass->problem), floats = c->in == IMF_F32 || c->in == IMF_F64;
        double full = pass->problem.unit;
        if (pass->source < 0 || !reads_rounded(c, pass) || readers(c, pass->source) > 1 ||
            (floats && !words))
            continue;
        before->out = pass->in = pass->problem.in = words ? IMF_U16 : c->in;
        before->rounded = !before->value.integer;
        before->value.integer = pass->problem.positive = true;
        before->value.bound = pass->problem.in_max = full;
        if (imf_problem_selects(&pass->problem)) {
            pass->problem.exact = pass->value.integer = true;
            pass->value.bound = full;
        }
    }
}

static void set_samples(struct imf_chain *c, const struct imf_operations *o) {
    for (int i = 0; i < c->count; i++) {
        struct imf_pass *pass = &c->passes[i];
        struct imf_pass *before = pass->source < 0 ? NULL : &c->passes[pass->source];
        bool solves = pass->kind == IMF_PASS_CONVOLVE;
        pass->out = !pass->value.stored                     ? IMF_F32
                    : solves && in_words(c, &pass->problem) ? IMF_U16
                                                            : c->in;
        if (!solves && imf_point_find(&pass->point, IMF_COMBINE)) /* as point passes read it */
            c->passes[pass->second].out = IMF_F32;
        if (solves && before && reads_fractions(&pass->problem))
            before->out = IMF_F32;
        /* Samples are what it counts: no float in between moves a value across a tie. */
        bool words = solves && in_words(c, &pass->problem);
        bool samples = !o->alpha_apart || c->missing; /* which is 0 or full scale here */
        if (solves && before && before->kind == IMF_PASS_POINT && samples &&
            (words || pass->problem.kind == IMF_HISTOGRAM_OP))
            before->out = words ? IMF_U16 : c->in;
    }
    c->passes[c->count - 1].out = c->out;
    for (int i = 0; i < c->count; i++) {
        struct imf_pass *pass = &c->passes[i];
        pass->in = pass->source < 0 ? c->in : c->passes[pass->source].out;
        if (pass->kind == IMF_PASS_CONVOLVE)
            pass->problem.in = pass->in;
    }
    round_early(c);
    for (int i = 0; i < c->count; i++)
        c->passes[i].problem.out = c->passes[i].out;
}

bool imf_fuse(struct imf_chain *c, struct imf_operations *o) {
    int *made = calloc((size_t)o->count, sizeof *made);
    c->passes = calloc((size_t)o->count, sizeof *c->passes);
    bool enough = made && c->passes;
    if (enough) {
        gather(c, o, made);
        set_samples(c, o);
        c->channels_out = c->passes[c->count - 1].channels_out;
        c->operations = o->list;
        o->list = NULL;
        o->count = 0;
    }
    free(made);
    return enough;
}
