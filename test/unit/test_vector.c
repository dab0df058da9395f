/*
 * test_vector.c - the host's vectors give the same bytes on every processor, in any bands and on
 * any number of cores
 *
 * The solver's text is compiled once more here, without clones: for the oldest processor.
 */
#define IMF_CLONES
#define imf_vector_rows oldest_rows
#define imf_solver_vector oldest_solver
#include "../../lib/solver/vector.c"
#include "../../lib/solver/vector_rows.c"
#undef imf_solver_vector

#include "chain_util.h"
#include "check.h"

#include <sched.h>

extern const struct imf_solver imf_solver_vector;

static uint32_t noise(void) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* With margins as wide as the problem's reach, all of it noise within the samples' range. */
static struct imf_surface surface(const struct imf_problem *p, enum imf_sample sample,
                                  struct imf_margin margin) {
    struct imf_surface s;
    if (imf_surface_layout(&s, sample, p->width, p->height, p->channels, margin, NULL) ||
        imf_surface_alloc(&s, NULL))
        abort();
    for (size_t i = 0; i < s.size; i++)
        imf_sample_put(s.host, sample, (ptrdiff_t)i,
                       sample == IMF_F32 ? noise() % 100000 * (p->in_max / 100000)
                                         : noise() % 65536);
    return s;
}

/* In bands of so many rows. */
static void run(const struct imf_solver *solver, const struct imf_problem *p,
                const struct imf_surface *in, const struct imf_surface *out, int rows) {
    struct imf_proposal proposal;
    void *job = NULL;
    imf_propose(&proposal, solver, p, NULL);
    bool ran = proposal.able && !solver->make(&job, p, &proposal, NULL, NULL);
    for (int y = 0; y < p->height && ran; y += rows) {
        struct imf_surface from = *in, to = *out;
        from.origin += (size_t)y * in->pitch;
        to.origin += (size_t)y * out->pitch;
        from.height = to.height = imf_min(rows, p->height - y);
        ran = !solver->run(job, &from, &to, NULL);
    }
    CHECK(ran, "%s", proposal.why);
    if (job)
        solver->destroy(&job);
}

static unsigned long differing(const struct imf_surface *a, const struct imf_surface *b) {
    size_t row = (size_t)a->width * (size_t)a->channels * imf_sample_size(a->sample);
    unsigned long rows = 0;
    for (int y = 0; y < a->height; y++)
        rows += memcmp(imf_surface_row(a, y), imf_surface_row(b, y), row) != 0;
    return rows;
}

static void check_pass(const char *what, const struct imf_problem *p) {
    const struct imf_margin none = {0, 0, 0, 0};
    struct imf_surface in = surface(p, p->in, p->reach), want = surface(p, p->out, none);
    run(&oldest_solver, p, &in, &want, p->height);
    static const int bands[] = {1, 7, 1000};
    for (size_t i = 0; i < sizeof bands / sizeof *bands; i++) {
        struct imf_surface got = surface(p, p->out, none);
        run(&imf_solver_vector, p, &in, &got, bands[i]);
        unsigned long rows = differing(&want, &got);
        CHECK(rows == 0, "%s, %d channels, bands of %d: %lu rows differ", what, p->channels,
              bands[i], rows);
        imf_surface_free(&got);
    }
    imf_surface_free(&in);
    imf_surface_free(&want);
}

/* Every pass of a chain. */
static void check_chain(const char *const *specs, const struct imf_settings *settings, int width,
                        int height, int channels, int depth) {
    const struct imf_info info = {.width = width,
                                  .height = height,
                                  .channels = channels,
                                  .depth = depth,
                                  .color = channels < 3 ? IMF_COLOR_GRAY : IMF_COLOR_RGB};
    struct chain_case c = chain_make(specs, &info, settings);
    for (int i = 0; i < c.chain->count; i++) {
        struct imf_proposal proposal;
        if (c.chain->passes[i].kind != IMF_PASS_CONVOLVE)
            continue;
        imf_propose(&proposal, &imf_solver_vector, &c.chain->passes[i].problem, NULL);
        CHECK(proposal.able, "%s, %d bits: %s", specs[0], depth, proposal.why);
        if (proposal.able)
            check_pass(specs[0], &c.chain->passes[i].problem);
    }
    chain_drop(&c);
}

static void check_all(void) {
    static const struct {
        const char *specs[4];
        struct imf_settings settings;
    } cases[] = {
        {{"sharpen"}, {.edge = IMF_EDGE_CLAMP}},
        {{"sharpen", "invert"}, {.edge = IMF_EDGE_WRAP}},
        {{"sobel"}, {.edge = IMF_EDGE_CLAMP}},
        {{"sobel:dir=x"}, {.range = IMF_RANGE_ABS}},
        {{"emboss"}, {.range = IMF_RANGE_OFFSET}},
        {{"box:5"}, {.edge = IMF_EDGE_MIRROR}},
        {{"kernel:1,2,1/2,4,2/1,2,1:scale=auto"}, {.edge = IMF_EDGE_CLAMP}},
        {{"kernel:1,2,3/4,5,6/7,8,1:scale=37", "threshold:0.5"}, {.edge = IMF_EDGE_CLAMP}},
        {{"blur:1"}, {.edge = IMF_EDGE_REFLECT}},
        {{"blur:2", "sobel"}, {.edge = IMF_EDGE_CLAMP}},
        {{"disk:2"}, {.edge = IMF_EDGE_CLAMP}},
        {{"unsharp"}, {.edge = IMF_EDGE_CLAMP}},
        {{"dog:1:2"}, {.edge = IMF_EDGE_CLAMP}},
        {{"blur:2"}, {.depth = 16}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int channels = 1; channels <= 4; channels++) {
            check_chain(cases[i].specs, &cases[i].settings, 37, 11, channels, 8);
            check_chain(cases[i].specs, &cases[i].settings, 1100 / channels, 9, channels, 8);
        }
    check_chain(cases[0].specs, &cases[0].settings, 400, 9, 3, 16);
    check_chain(cases[2].specs, &cases[2].settings, 400, 9, 3, 16);
    check_chain(cases[8].specs, &cases[8].settings, 400, 9, 3, 16);
}

/* Enough work for several threads. */
static void check_shared(void) {
    static const char *const specs[] = {"blur:2", "sobel", NULL};
    check_chain(specs, &(struct imf_settings){.edge = IMF_EDGE_CLAMP}, 1100, 131, 3, 8);
}

int main(void) {
    cpu_set_t all, one;
    check_all();
    check_shared();
    if (!sched_getaffinity(0, sizeof all, &all) && CPU_COUNT(&all) > 1) {
        int first = 0;
        while (!CPU_ISSET(first, &all))
            first++;
        CPU_ZERO(&one);
        CPU_SET(first, &one);
        CHECK(!sched_setaffinity(0, sizeof one, &one), "one core");
        check_shared();
    }
    return check_done("test_vector");
}
