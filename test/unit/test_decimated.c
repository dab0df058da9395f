/*
 * test_decimated.c - large smooth kernels on a coarse grid: the filters' bounds hold, what is not
 * smooth is refused, and the same bytes come out on every processor, in any bands that the proposal
 * allows and on any number of cores
 *
 * The solver's text is compiled once more here, without clones: for the oldest processor.
 */
#define IMF_CLONES
#define imf_vector_rows oldest_rows
#define imf_vector_sum oldest_sum
#define imf_vector_finish oldest_finish
#define imf_solver_decimated oldest_decimated
#define imf_decimated_design own_design
#define imf_decimated_make own_make
#include <stdlib.h>

/* The n-th of the filters' allocations fails; 0: none. */
static int failing, allocations;

static void *sometimes(size_t count, size_t size) {
    return ++allocations == failing ? NULL : calloc(count, size);
}

#define calloc sometimes
#include "../../lib/solver/convolution/decimated_design.c"
#undef calloc
#include "../../lib/solver/convolution/decimated.c"
#include "../../lib/solver/convolution/vector_rows.c"
#undef imf_solver_decimated

#include "solver_check.h"

extern const struct imf_solver imf_solver_decimated;

/* ---- the filters ------------------------------------------------------------------------------ */

/* Of 8-bit samples: half of the contract's thousandth of a step. */
#define ALLOWED (0.5e-3 / 255)

static double *gaussian(double sigma, int reach) {
    double *taps = malloc((2 * (size_t)reach + 1) * sizeof *taps), sum = 0;
    for (int k = -reach; k <= reach; k++)
        sum += taps[reach + k] = exp(-0.5 * k * k / (sigma * sigma));
    for (int k = 0; k <= 2 * reach; k++)
        taps[k] /= sum;
    return taps;
}

/* Tap k of place p, by the definition in the header. */
static double made(const struct imf_decimated *m, int p, int k) {
    double sum = 0;
    for (int j = 0; j < m->count; j++) {
        int t = abs(k - (j - m->before) * m->step + p);
        sum += t <= m->radius ? m->weight[p * m->count + j] * m->window[t] : 0;
    }
    return sum;
}

static void check_design(double sigma) {
    int reach = (int)ceil(5 * sigma);
    double *taps = gaussian(sigma, reach), worst = 0, flat = 0;
    struct imf_decimated m;
    bool found = imf_decimated_design(&m, taps, reach, ALLOWED);
    CHECK(found, "sigma %g", sigma);
    for (int p = 0; p < (found ? m.step : 0); p++) {
        double above = 0, below = 0;
        for (int k = -3 * reach; k <= 3 * reach; k++) {
            double d = made(&m, p, k) - (abs(k) <= reach ? taps[reach + k] : 0);
            above += fmax(d, 0);
            below += fmax(-d, 0);
        }
        worst = fmax(worst, fmax(above, below));
        flat = fmax(flat, fabs(above - below));
    }
    CHECK(found && m.step >= 0.5 * sigma - 1, "sigma %g: every %d", sigma, m.step);
    CHECK(worst <= m.error * 1.001 && m.error <= ALLOWED, "sigma %g: off by %g, not %g", sigma,
          worst, m.error);
    CHECK(flat < 1e-12, "sigma %g: flat images differ by %g", sigma, flat);
    free(m.store);
    free(taps);
}

static void refused(const char *what, double *taps, int reach) {
    struct imf_decimated m;
    CHECK(!imf_decimated_design(&m, taps, reach, ALLOWED) && !m.store, "%s", what);
    free(taps);
}

static void check_refusals(void) {
    refused("cut at 4 sigmas", gaussian(10, 40), 40);
    refused("cut at 2 sigmas", gaussian(20, 40), 40);
    refused("too small", gaussian(2, 10), 10);
    double *box = calloc(61, sizeof *box), *triangle = calloc(63, sizeof *triangle);
    for (int k = 0; k < 61; k++)
        box[k] = 1.0 / 61;
    for (int k = 1; k < 62; k++)
        triangle[k] = (31 - abs(k - 31)) / 961.0;
    refused("a box", box, 30);
    refused("a triangle", triangle, 31);
    refused("nothing", calloc(61, sizeof *box), 30);
}

/* ---- passes ----------------------------------------------------------------------------------- */

static void check_pass(const char *what, const struct imf_problem *p) {
    struct imf_surface in = noisy(p, p->in), want = surface(p, p->out);
    struct imf_proposal proposal;
    imf_propose(&proposal, &imf_solver_decimated, p, NULL);
    run(&oldest_decimated, p, &in, &want, p->height);
    int step = proposal.step;
    check_bands(what, &imf_solver_decimated, p, &in, &want,
                (const int[]){step, 2 * step, 3 * step, 4 * step, 0});
    imf_surface_free(&in);
    imf_surface_free(&want);
}

static void check_chain(const char *spec, int width, int height, int channels, int depth) {
    const struct imf_info info = chain_info(width, height, channels, depth);
    const struct imf_settings settings = {.edge = IMF_EDGE_CLAMP};
    struct chain_case c = chain_make(spec, &info, &settings);
    struct imf_proposal proposal;
    imf_propose(&proposal, &imf_solver_decimated, &c.chain->passes[0].problem, NULL);
    CHECK(proposal.feasible, "%s, %d bits: %s", spec, depth, proposal.why);
    if (proposal.feasible)
        check_pass(spec, &c.chain->passes[0].problem);
    chain_drop(&c);
}

/* Strips and blocks, and what is left at their ends. */
static void check_shared(void) {
    check_chain("blur:5", 2311, 391, 3, 8);
    check_chain("blur:9.3", 2311, 517, 1, 8);
}

/* Of 81x81 taps; floats, also negative ones, as after a difference. */
static struct imf_problem floats(struct imf_kernel **k, int width, int channels, double tolerance) {
    double *taps = gaussian(8, 40);
    if (imf_kernel_create(k, 81, 81, NULL))
        abort();
    for (int i = 0; i < 81 * 81; i++)
        (*k)->taps[i] = taps[i / 81] * taps[i % 81];
    struct imf_problem p = {.width = width,
                            .height = 97,
                            .channels = channels,
                            .in = IMF_F32,
                            .out = IMF_F32,
                            .in_max = 300,
                            .tolerance = tolerance,
                            .tolerance_even = tolerance,
                            .epilogue = {.scale = 1, .multiply = 1, .full = 255}};
    imf_problem_convolve(&p, *k);
    free(taps);
    return p;
}

static struct imf_surface signed_noise(const struct imf_problem *p) {
    struct imf_surface s = noisy(p, IMF_F32);
    for (size_t i = 0; i < s.size; i++) /* runs of one sign, which the bound is for */
        ((float *)s.host)[i] *= i / 7 % 2 ? -1 : 1;
    return s;
}

/* Within the proposal's bound of the reference. */
static void check_floats(int channels, double tolerance) {
    struct imf_kernel *k;
    struct imf_problem p = floats(&k, 211, channels, tolerance);
    struct imf_proposal proposal;
    imf_propose(&proposal, &imf_solver_decimated, &p, NULL);
    CHECK(proposal.feasible && proposal.error <= tolerance, "%s", proposal.why);
    struct imf_surface in = signed_noise(&p), got = surface(&p, IMF_F32),
                       want = exact_sums(&p, &in);
    run(&imf_solver_decimated, &p, &in, &got, p.height);
    double worst = farthest(&got, &want);
    CHECK(worst <= proposal.error, "off by %g, bound %g", worst, proposal.error);
    imf_surface_free(&in);
    imf_surface_free(&got);
    imf_surface_free(&want);
    imf_kernel_free(&k);
}

/* Where there is no memory for a filter the problem is refused, other filters are taken, or the job is not
 * made: what is made has the proposal's filters. */
static void check_memory(void) {
    struct imf_kernel *k;
    struct imf_problem p = floats(&k, 67, 1, 0x1p-5);
    struct imf_surface in = signed_noise(&p), got = surface(&p, IMF_F32),
                       want = exact_sums(&p, &in);
    int first = 0, refused = 0, others = 0, unmade = 0, all = 1;
    for (failing = 0; failing <= all; failing++) {
        struct imf_proposal proposal;
        struct imf_job *job = NULL;
        allocations = 0;
        imf_propose(&proposal, &oldest_decimated, &p, NULL);
        const struct shape *s = (const struct shape *)proposal.shape.bytes;
        refused += !proposal.feasible;
        if (!proposal.feasible)
            continue;
        int coefficients = s->axis[Y].count + s->axis[X].count;
        first = failing ? first : coefficients;
        others += coefficients != first;
        enum imf_status st = imf_job_make(&job, &p, &proposal, NULL, NULL);
        unmade += st == IMF_ERR_MEMORY;
        CHECK(st ? st == IMF_ERR_MEMORY : !imf_job_run(job, &in, &got, NULL), "status %d", st);
        double worst = st ? 0 : farthest(&got, &want);
        CHECK(worst <= proposal.error, "allocation %d: off by %g, bound %g", failing, worst,
              proposal.error);
        imf_job_free(&job);
        all = failing ? all : allocations;
    }
    CHECK(refused + others == AXES && unmade == AXES, "%d refused, %d others, %d not made", refused,
          others, unmade);
    failing = 0;
    imf_surface_free(&in);
    imf_surface_free(&got);
    imf_surface_free(&want);
    imf_kernel_free(&k);
}

int main(void) {
    for (int channels = 1; channels <= 4; channels++)
        check_floats(channels, channels % 2 ? 0x1p-5 : 0x1p-8);
    check_memory();
    static const double sigmas[] = {5, 5.9, 6.4, 7, 8.15, 10, 13, 24.5, 40, 93.9};
    for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++)
        check_design(sigmas[i]);
    check_refusals();
    for (int channels = 1; channels <= 4; channels++) {
        check_chain("blur:5", 37, 11, channels, 8);
        check_chain("blur:10", 131, 40, channels, 16);
        check_chain("blur:20", 1, 77, channels, 8);
    }
    check_on_cores(check_shared);
    return check_done("test_decimated");
}
