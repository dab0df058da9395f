/*
 * checkcl_exact.c - exact sums by transforms, at the edge of what their error bound allows
 *
 * Kernels whose taps are all of one size, so that errors grow with it as the bound does. The
 * largest that a solver takes must come out exact whatever the picture, and it must refuse a larger
 * one. Pictures that match a kernel's signs make its sums, and their errors, as large as they can
 * be.
 */
#include "checkcl_material.h"

#include <string.h>

static bool able(const struct checkcl *c, const struct imf_solver *s, const struct kase *k,
                 char why[IMF_WHY]) {
    struct material m;
    struct imf_device device = checkcl_device(c, s);
    uint64_t random = 1;
    checkcl_problem(&m, k, &random);
    struct imf_proposal proposal;
    imf_propose(&proposal, s, &m.p, &device);
    imf_kernel_free(&m.kernel[0]);
    memcpy(why, proposal.why, IMF_WHY);
    return proposal.feasible;
}

/* The value of *v nearest to `no` that the solver takes; it takes `yes` and refuses `no`. */
static bool edge_of(struct checkcl *c, const struct imf_solver *s, const struct kase *k, int *v,
                    int yes, int no) {
    char why[IMF_WHY];
    *v = no;
    bool high = able(c, s, k, why);
    *v = yes;
    if (!able(c, s, k, why)) {
        checkcl_refused(c, "%s: the exact transform's edge: %s", checkcl_name(s), why);
        return false;
    }
    checkcl_result(c, !high, "%s takes %s whatever the bound", checkcl_name(s),
                   checkcl_describe(k));
    if (high)
        return false;
    while (yes - no > 1 || no - yes > 1) {
        *v = yes + (no - yes) / 2;
        if (able(c, s, k, why))
            yes = *v;
        else
            no = *v;
    }
    *v = yes;
    return true;
}

/* Kernels of few runs a row: sums are multiples of 20 of which each 400th is a tie, and nearly one
 * pixel in a hundred is summed again. Rows are longer than a group takes at a time, too. */
static void check_runs(struct checkcl *c, bool few) {
    static const struct shape shapes[] = {{157, 121, 3}, {83, 94, 4}, {1203, 41, 1}, {8517, 9, 2}};
    for (size_t i = few ? COUNT(shapes) - 1 : 0; i < COUNT(shapes); i++)
        for (int deep = 0; deep < (few ? 1 : 2); deep++) {
            struct kase k = {.shape = shapes[i],
                             .in = IMF_U8,
                             .out = deep ? IMF_U16 : IMF_U8,
                             .kw = deep ? 142 : 133,
                             .kh = deep ? 87 : 91,
                             .taps = RINGS,
                             .gain = 20,
                             .scale = 8000,
                             .picture = deep ? MIXED : NOISE,
                             .edge = IMF_EDGE_REFLECT};
            checkcl_solver(c, &imf_solver_fft_gpu, &k, 22);
        }
}

void checkcl_exact(struct checkcl *c) {
    /* A processor compiles for long what was written for a GPU. */
    bool few = c->quick && !imf_queue_device(c->queue)->gpu;
    check_runs(c, few);
    static const struct imf_solver *const solvers[] = {&imf_solver_fft, &imf_solver_fft_gpu};
    for (size_t i = 0; i < COUNT(solvers); i++) {
        const struct imf_solver *s = solvers[i];
        /* Integers are told apart while errors stay below one; samples of 16 bits in two parts. */
        for (int n = c->quick; n < 6; n += c->quick ? 2 : 1) {
            bool deep = n % 2;
            struct kase k = {.shape = {157, 121, deep ? 3 : 1},
                             .in = deep ? IMF_U16 : IMF_U8,
                             .out = IMF_F32, /* the sums themselves */
                             .kw = 14,
                             .kh = 14,
                             .taps = (enum taps)(FLAT + n / 2),
                             .gain = 1,
                             .scale = 1,
                             .edge = IMF_EDGE_MIRROR};
            bool found = edge_of(c, s, &k, &k.gain, 1, 1 << 16);
            if (found)
                checkcl_result(c, k.gain > 1, "%s: largest gain for %d bits: %s", checkcl_name(s),
                               deep ? 16 : 8, checkcl_describe(&k));
            for (k.picture = MIXED; found && k.picture < PICTURES; k.picture++)
                if (!few || s != &imf_solver_fft_gpu || n == 1)
                    checkcl_solver(c, s, &k, 20);
        }
        /* Beyond that most sums give the same pixel at both ends of the interval. */
        struct kase k = {.shape = {117, 93, 1},
                         .in = IMF_U8,
                         .out = IMF_U16,
                         .kw = 99,
                         .kh = 103,
                         .taps = FLAT,
                         .gain = 1,
                         .edge = IMF_EDGE_CLAMP};
        bool found = !(few && s == &imf_solver_fft_gpu) && edge_of(c, s, &k, &k.scale, 99 * 103, 1);
        for (k.picture = MIXED; found && k.picture < PICTURES; k.picture++)
            checkcl_solver(c, s, &k, 21);
    }
}
