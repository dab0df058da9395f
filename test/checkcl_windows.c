/*
 * checkcl_windows.c - every device solver of windows against the host's plain one, sample by sample
 *
 * What a device compiles depends on the window, the samples and their channels: each such variant is
 * run on every shape, with the edges in turn.
 */
#include "checkcl_material.h"
#include "solver/common/edge.h"

#include <string.h>

extern const struct imf_solver imf_solver_erode_dilate_gpu, imf_solver_erode_dilate_runs_gpu,
    imf_solver_rank_bits_gpu, imf_solver_rank_histogram_gpu, imf_solver_rank_device;

/* Of windows, by their files' names; the ones for GPUs run anywhere, if slowly. */
static const struct {
    const struct imf_solver *solver;
    const char *name;
    bool gpu;
    unsigned least;       /* of the specs below it is able to do at least */
    const char *quick[4]; /* of these the quick run's: each part of its program is compiled */
} solvers[] = {
    {&imf_solver_erode_dilate_gpu, "erode_dilate_gpu", true, 8, {"dilate:9x1", "erode:40x3"}},
    {&imf_solver_erode_dilate_runs_gpu,
     "erode_dilate_runs_gpu",
     true,
     10,
     {"erode:4x6", "erode:2x150", "dilate:9:shape=disk"}},
    {&imf_solver_rank_bits_gpu,
     "rank_bits_gpu",
     true,
     9,
     {"median:2:shape=disk", "percentile:10:7x2"}},
    {&imf_solver_rank_histogram_gpu,
     "rank_histogram_gpu",
     true,
     20,
     {"percentile:30:1", "median:15:shape=disk"}},
    {&imf_solver_rank_device,
     "rank_device",
     false,
     20,
     {"erode:40x3", "median:2:shape=disk", "median:1x21"}}};

static const char *const specs[] = {"erode:1",
                                    "dilate:2x2",
                                    "erode:1x9",
                                    "dilate:9x1",
                                    "erode:4x6",
                                    "dilate:15",
                                    "erode:40x3",
                                    "erode:2x150",
                                    "dilate:300x2",
                                    "erode:1:shape=cross",
                                    "dilate:9:shape=disk",
                                    "median:1",
                                    "median:2",
                                    "median:3",
                                    "median:2:shape=disk",
                                    "percentile:30:1",
                                    "percentile:80:4x3",
                                    "percentile:10:7x2",
                                    "median:1x6",
                                    "median:9x8",
                                    "median:1x21",
                                    "median:15:shape=disk",
                                    "percentile:90:17x40",
                                    "median:2x257"};

static const struct shape shapes[] = {{1, 1, 0},   {1, 17, 0},   {23, 1, 0},  {2, 3, 0},
                                      {31, 29, 0}, {130, 75, 0}, {700, 5, 0}, {67, 139, 0}};

static const struct {
    enum imf_sample in, out;
} samples[] = {{IMF_U8, IMF_U8},   {IMF_U16, IMF_U16}, {IMF_U8, IMF_U8},
               {IMF_F32, IMF_F32}, {IMF_U8, IMF_F32},  {IMF_U16, IMF_U8}};

struct window {
    const char *spec;
    const struct imf_filter *filter;
    struct imf_problem p;
    enum picture picture;
};

/* What is compiled: window, samples, channels. */
static struct window window(const char *spec, const struct imf_filter *f, size_t turn) {
    size_t t = turn % COUNT(samples);
    double full = samples[t].in == IMF_U8 ? 255 : 65535;
    bool inverts = turn % 7 == 3;
    struct window w = {.spec = spec,
                       .filter = f,
                       .picture = turn % 4 == 3 ? HALVES : MIXED,
                       .p = {.channels = 1 + (int)(turn / 2 + turn) % 4,
                             .in = samples[t].in,
                             .out = samples[t].out,
                             .epilogue = {.scale = 1,
                                          .multiply = inverts ? -1 : 1,
                                          .offset = inverts ? full : 0,
                                          .full = full},
                             .in_max = full,
                             .exact = true}};
    return w;
}

static void name_of(char text[160], const char *solver, const struct window *w) {
    static const char *const sample[] = {"u8", "u16", "f32", "f64"};
    snprintf(text, 160, "%s/%s/%s-%s/%dch%s", solver, w->spec, sample[w->p.in], sample[w->p.out],
             w->p.channels, w->p.epilogue.offset > 0 ? "/negative" : "");
}

static unsigned long differing(const struct checkcl_run *r, const struct imf_surface *b) {
    const struct imf_surface *a = r->want;
    size_t row = (size_t)a->width * (size_t)a->channels * imf_sample_size(a->sample);
    unsigned long rows = 0;
    for (int y = 0; y < a->height; y++)
        rows += memcmp(imf_surface_row(a, y), imf_surface_row(b, y), row) != 0;
    return rows;
}

/* Whether the solver is able to do it. */
static bool check_one(struct checkcl *c, size_t which, struct window *w, struct shape shape,
                      uint64_t seed) {
    const struct imf_solver *s = solvers[which].solver;
    struct imf_problem *p = &w->p;
    struct imf_device device = *imf_queue_device(c->queue);
    struct imf_proposal one, host;
    struct imf_error err = {.text = ""};
    char name[160];
    name_of(name, solvers[which].name, w);
    p->width = shape.width;
    p->height = shape.height;
    p->edge = (enum imf_edge)(seed % 5);
    imf_problem_window_op(p, &w->filter->stages[0].window_op);
    device.gpu = device.gpu || solvers[which].gpu;
    imf_propose(&one, s, p, &device);
    if (!one.feasible) {
        checkcl_skip(c, "%s on %dx%d: %s", name, p->width, p->height, one.why);
        return false;
    }
    shape.channels = p->channels;
    struct imf_margin none = {0, 0, 0, 0};
    struct imf_surface in = checkcl_surface(p->in, shape, p->reach);
    struct imf_surface want = checkcl_surface(p->out, shape, none);
    checkcl_fill(&in, w->picture, &seed);
    imf_edge_fill_host(&in, p->reach, p->edge, (const double[4]){77, 77, 77, 77});
    struct imf_job *plain = NULL;
    imf_propose_host(&host, p);
    if (imf_job_make(&plain, p, &host, NULL, &err) || imf_job_run(plain, &in, &want, &err))
        checkcl_result(c, false, "%s: %s", name, err.text);
    imf_job_free(&plain);
    checkcl_run(c, &(struct checkcl_run){&one, p, &in, 1, differing, &want, name, name, NOISE});
    imf_surface_free(&in);
    imf_surface_free(&want);
    return true;
}

/* A window's variants, and on a processor few of those for GPUs: it compiles them for long. */
static bool check_window(struct checkcl *c, size_t which, size_t k, const struct imf_filter *f) {
    bool slow = solvers[which].gpu && !imf_queue_device(c->queue)->gpu, able = false;
    size_t variants = c->full ? 2 * COUNT(samples) : c->bench ? 2 : slow || c->quick ? 1 : 3;
    for (size_t v = 0; v < variants; v++) {
        struct window w = window(specs[k], f, c->bench ? v : k + 5 * v + which);
        char name[160];
        if (c->bench)
            w.p.channels = 3;
        name_of(name, solvers[which].name, &w);
        if (!checkcl_wanted(c, name)) {
            able = true; /* nobody asked */
            continue;
        }
        for (size_t z = c->bench ? 4 : 0; z < (c->bench ? 5 : COUNT(shapes)); z += c->tiny ? 4 : 1)
            able = check_one(c, which, &w, shapes[z], 700 + z + v + k) || able;
    }
    return able;
}

static bool is_quick(size_t which, const char *spec) {
    for (const char *const *q = solvers[which].quick; *q; q++)
        if (!strcmp(*q, spec))
            return true;
    return false;
}

void checkcl_windows(struct checkcl *c) {
    for (size_t which = 0; which < COUNT(solvers); which++) {
        bool slow = solvers[which].gpu && !imf_queue_device(c->queue)->gpu;
        if (c->bench && slow && !c->only)
            continue;
        unsigned able = 0;
        for (size_t k = 0; k < COUNT(specs); k += c->tiny ? 5 : 1) {
            struct imf_filter *f = NULL;
            struct imf_error err;
            if (c->quick && !c->tiny && !is_quick(which, specs[k]))
                continue;
            if (imf_filter_parse(&f, &specs[k], 1, &err))
                checkcl_result(c, false, "%s: %s", specs[k], err.text);
            else
                able += check_window(c, which, k, f);
            imf_filter_free(&f);
        }
        if (c->full && !c->tiny && !c->bench && !c->lacking)
            checkcl_result(c, able >= solvers[which].least, "%s: %u windows", solvers[which].name,
                           able);
    }
}
