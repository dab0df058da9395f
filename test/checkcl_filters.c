/*
 * checkcl_filters.c - every device solver of directions, histograms, edges and means that keep edges
 * against the host's plain one
 *
 * A filter's first pass is taken from its chain, and run from and to each type of sample, in each
 * shape, with the edges in turn. What the solver says that results may be off by is what they are
 * allowed: nothing, for integers.
 */
#include "checkcl_material.h"
#include "plan/lowering/chain.h"
#include "solver/common/edge.h"

#include <math.h>
#include <string.h>

/* The last LARGE of them have windows or transforms that a simulated device takes long for. `quick`: which samples and channels the
 * quick run has, or -1 where another case compiles the same. */
#define LARGE 7
static const struct {
    const char *specs[2];
    int quick;
} cases[] = {
    {{"phase"}, 0},
    {{"phase", "invert"}, 1},
    {{"equalize"}, 2},
    {{"levels:auto:3%:0.05:gamma=1.4"}, -1},
    {{"equalize", "invert"}, 3},
    {{"threshold:otsu"}, 4},
    {{"clahe:tiles=3x2"}, 0},
    {{"clahe:tiles=8x5:limit=1.5", "invert"}, 1},
    {{"guided:0:0.1"}, 5},
    {{"guided:2:0.1"}, -1},
    {{"canny:0.01:0.3:sigma=0"}, -1},
    {{"canny:0.02:0.05:aperture=5", "invert"}, 8},
    {{"canny:0.01:0.1:sigma=2:aperture=7:norm=l2"}, 9},
    {{"bilateral:0.3:0.1"}, 10},
    {{"bilateral:1.5:0.2", "invert"}, 14},
    {{"guided:9:0.02", "invert"}, 12},
    {{"threshold:local:3:0.04", "invert"}, 1},
    {{"threshold:sauvola:2"}, 3},
    {{"threshold:sauvola:9:k=0.2"}, -1},
    {{"guided:60:0.3"}, 13},
    {{"bilateral:7:0.7"}, -1},
    {{"denoise:0.1:quality=best"}, 0},
    {{"deblur:gaussian:1.5:noise=0.01"}, -1},
    {{"deblur:disk:2:noise=0.01:prior=tv:iterations=2", "invert"}, -1},
    {{"rl:motion:3:20:noise=0.01:iterations=3"}, -1},
};

static const struct {
    enum imf_sample in, out;
} samples[] = {{IMF_U8, IMF_U8},   {IMF_U16, IMF_U16}, {IMF_F32, IMF_U8},
               {IMF_U16, IMF_F32}, {IMF_U8, IMF_F32},  {IMF_F32, IMF_F32}};

static const struct shape shapes[] = {{1, 1, 0},   {1, 17, 0},  {23, 1, 0},   {2, 3, 0},
                                      {31, 29, 0}, {67, 73, 0}, {331, 41, 0}, {130, 75, 0}};

/* Floats where rounding to the integers that some solvers count has ties. */
static void fill(const struct imf_surface *s, bool fractions, enum picture picture, uint64_t *r) {
    checkcl_fill(s, picture, r);
    for (int y = 0; s->sample == IMF_F32 && fractions && y < s->height; y++)
        for (ptrdiff_t i = 0; i < (ptrdiff_t)s->width * s->channels; i++)
            ((float *)imf_surface_row(s, y))[i] += (float)(checkcl_random(r) % 32) / 32;
}

/* Samples further from the definition than the proposal allows once they are rounded. */
static unsigned long differing(const struct checkcl_run *r, const struct imf_surface *got) {
    const struct imf_problem *p = r->p;
    double error = r->proposal->error;
    unsigned long wrong = 0;
    for (int y = 0; y < p->height; y++)
        for (size_t i = 0; i < (size_t)p->width * (size_t)p->channels; i++) {
            double v = checkcl_sample(r->want, y, i), have = checkcl_sample(got, y, i);
            if (p->out == IMF_F32) {
                wrong += error > 0 ? !(fabs(have - v) <= error) : have != (double)(float)v;
                continue;
            }
            v = fmin(fmax(v, 0), imf_sample_max(p->out));
            wrong += !(fabs(have - v) <= 0.5 + error) || (error == 0 && have != rint(v));
        }
    return wrong;
}

/* No device but GPUs has a solver. */
static bool for_gpus(enum imf_problem_kind kind) {
    return kind == IMF_DEBLURRING || kind == IMF_DENOISE;
}

/* Each solver of the device that is able to do it; false where there is none. */
static bool check_problem(struct checkcl *c, struct imf_problem *p, const char *name,
                          enum picture picture, uint64_t seed) {
    struct shape shape = {p->width, p->height, p->channels};
    struct imf_margin none = {0, 0, 0, 0};
    struct imf_surface in = checkcl_surface(p->in, shape, p->reach);
    struct imf_surface want = checkcl_surface(IMF_F64, shape, none);
    struct imf_problem reference = *p;
    struct imf_proposal host;
    struct imf_job *plain = NULL;
    bool able = false;
    fill(&in, p->kind != IMF_PHASE, picture, &seed);
    imf_edge_fill_host(&in, p->reach, p->edge, (const double[4]){77, 77, 77, 77});
    reference.out = IMF_F64;
    imf_propose_host(&host, &reference);
    bool ran = host.feasible && !imf_job_make(&plain, &reference, &host, NULL, NULL) &&
               !imf_job_run(plain, &in, &want, NULL);
    for (size_t k = 0; imf_solvers[k] && ran; k++) {
        struct imf_device device = *imf_queue_device(c->queue);
        struct imf_proposal one;
        if (imf_backend_is_host(imf_solvers[k]->backend))
            continue;
        /* In turns in the form for GPUs, whatever this is; always what has no other. */
        device.gpu = device.gpu || (!c->bench && (p->height % 2 || for_gpus(p->kind)));
        imf_propose(&one, imf_solvers[k], p, &device);
        /* Here all of an image is one band. */
        imf_propose_band(&one, p, &device);
        one.feasible = one.feasible && imf_surface_bytes(&in) <= device.max_alloc;
        if (one.feasible)
            checkcl_run(
                c, &(struct checkcl_run){&one, p, &in, 2, differing, &want, name, name, NOISE});
        able = able || one.feasible;
    }
    imf_job_free(&plain);
    imf_surface_free(&in);
    imf_surface_free(&want);
    return able;
}

/* One that is compiled once, in each shape. */
static void check_variant(struct checkcl *c, const struct imf_filter *f, const char *const *spec,
                          size_t turn) {
    static const char *const sample[] = {"u8", "u16", "f32", "f64"};
    size_t t = turn % COUNT(samples), first = c->bench ? 4 : 0;
    int channels = c->bench ? 3 : 1 + (int)(turn / COUNT(samples) + turn) % 4;
    char name[160];
    snprintf(name, sizeof name, "%s%s/%s-%s/%dch", spec[0], spec[1] ? "/negative" : "",
             sample[samples[t].in], sample[samples[t].out], channels);
    for (size_t z = first; checkcl_wanted(c, name) && z < (c->bench ? first + 1 : COUNT(shapes));
         z += c->tiny ? 4 : 1) {
        struct imf_chain *chain = NULL;
        struct imf_info info = {.width = shapes[z].width,
                                .height = shapes[z].height,
                                .channels = channels,
                                .depth = samples[t].in == IMF_U16 ? 16 : 8};
        struct imf_settings settings = {.edge = (enum imf_edge)((z + turn) % 5)};
        if (imf_chain_build(&chain, f, &info, &settings, NULL)) {
            checkcl_result(c, false, "%s: no chain", name);
            return;
        }
        struct imf_problem p = chain->passes[0].problem;
        p.in = samples[t].in;
        bool rounded = p.kind == IMF_CLAHE || p.kind == IMF_LOCAL_THRESHOLD;
        if (rounded && p.in == IMF_F32)
            p.in = chain->in;
        p.out = samples[t].out;
        p.edge = settings.edge;
        /* Their floats are too coarse for the error that 16 bits are allowed. */
        if (p.kind == IMF_DEBLURRING)
            p.tolerance = fmax(p.tolerance, p.unit / 8192);
        if (p.kind != IMF_PHASE && channels % 2 == 0)
            p.colors = channels - 1;
        bool able = check_problem(c, &p, name, turn % 4 == 3 ? HALVES : MIXED, 900 + z + turn);
        if (!able && for_gpus(p.kind) && c->bench)
            checkcl_skip(c, "%s is for GPUs", name);
        else if (!able)
            checkcl_refused(c, "%s on %dx%d: no solver", name, p.width, p.height);
        imf_chain_free(&chain);
    }
}

void checkcl_filters(struct checkcl *c) {
    size_t variants = c->full ? 2 * COUNT(samples) : c->bench ? 2 : c->quick ? 1 : 4;
    bool quick = c->quick && !c->tiny;
    for (size_t k = 0; k < COUNT(cases) - (c->tiny ? LARGE : 0); k++) {
        const char *const *spec = cases[k].specs;
        struct imf_filter *f = NULL;
        struct imf_error err;
        if (quick && cases[k].quick < 0)
            continue;
        if (imf_filter_parse(&f, spec, spec[1] ? 2 : 1, &err))
            checkcl_result(c, false, "%s: %s", spec[0], err.text);
        for (size_t v = 0; f && v < variants; v++)
            check_variant(c, f, spec,
                          c->bench || c->full ? v
                          : quick             ? (size_t)cases[k].quick
                                              : k + 5 * v);
        imf_filter_free(&f);
    }
}
