/* checkcl_solvers.c - every solver of sums of products against the reference at odd shapes */
#include "checkcl_material.h"

#include <string.h>

/* Those of kernels, by their files' names. What is for GPUs runs anywhere, if slowly. */
static const struct {
    const struct imf_solver *solver;
    const char *name;
    bool gpu;
} solvers[] = {{&imf_solver_direct, "direct", false},
               {&imf_solver_separable, "separable", false},
               {&imf_solver_vector, "vector", false},
               {&imf_solver_decimated, "decimated", false},
               {&imf_solver_runs, "runs", false},
               {&imf_solver_fft, "fft", false},
               {&imf_solver_fft_gpu, "fft_gpu", true},
               {&imf_solver_direct_gpu, "direct_gpu", true},
               {&imf_solver_separable_gpu, "separable_gpu", true}};

const char *checkcl_name(const struct imf_solver *s) {
    for (size_t i = 0; i < COUNT(solvers); i++)
        if (solvers[i].solver == s)
            return solvers[i].name;
    return s->name;
}

struct imf_device checkcl_device(const struct checkcl *c, const struct imf_solver *s) {
    struct imf_device device = {.unified = true};
    if (!c->queue)
        return device; /* of a host's solver, which does not ask */
    device = *imf_queue_device(c->queue);
    for (size_t i = 0; i < COUNT(solvers); i++)
        device.gpu = device.gpu || (solvers[i].solver == s && solvers[i].gpu);
    return device;
}

static unsigned long wrong_in(const struct checkcl_run *r, const struct imf_surface *got) {
    return checkcl_wrong(r->want, got);
}

void checkcl_solver(struct checkcl *c, const struct imf_solver *s, const struct kase *k,
                    uint64_t seed) {
    struct material m;
    const char *name = checkcl_variant(s, k);
    if (!checkcl_wanted(c, name))
        return;
    checkcl_prepare(&m, k, seed);
    struct imf_device device = checkcl_device(c, s);
    struct imf_proposal proposal;
    imf_propose(&proposal, s, &m.p, &device);
    proposal.gles = c->gles;
    if (proposal.feasible) {
        char what[200];
        snprintf(what, sizeof what, "%s %s seed %llu", checkcl_name(s), checkcl_describe(k),
                 (unsigned long long)seed);
        checkcl_run(c, &(struct checkcl_run){.proposal = &proposal,
                                             .p = &m.p,
                                             .in = &m.in,
                                             .times = 1,
                                             .wrong = wrong_in,
                                             .want = &m,
                                             .what = what,
                                             .name = name,
                                             .picture = k->picture});
    } else {
        checkcl_skip(c, "%s %s: %s", checkcl_name(s), checkcl_describe(k), proposal.why);
    }
    checkcl_release(&m);
}

/* ---- the matrix ---- */

static const struct shape shapes[] = {{1, 1, 1},   {1, 17, 3},  {23, 1, 4},  {2, 3, 2},
                                      {31, 29, 3}, {97, 61, 1}, {64, 40, 4}, {130, 75, 3}};
static const struct {
    int w, h;
} sizes[] = {{1, 1}, {3, 3}, {5, 5},   {2, 2},   {4, 7},   {1, 9},  {9, 1},
             {7, 7}, {9, 9}, {11, 11}, {15, 15}, {21, 13}, {31, 31}};
static const struct {
    enum imf_sample in, out;
} samples[] = {{IMF_U8, IMF_U8},  {IMF_U16, IMF_U16}, {IMF_U8, IMF_F32},
               {IMF_F32, IMF_U8}, {IMF_U16, IMF_F32}, {IMF_F32, IMF_F32}};

/* Real kernels that are not separable, but nearly: one product of a column and a row, two and three. */
static void check_ranks(struct checkcl *c, const struct imf_solver *s) {
    static const struct {
        int w, h;
    } some[] = {{5, 4}, {9, 9}, {3, 14}, {25, 7}, {47, 10}, {12, 33}};
    bool few = c->quick && !c->tiny && !imf_backend_is_host(s->backend);
    uint64_t seed = 3000;
    for (size_t i = 0; i < (c->tiny ? 1 : COUNT(some)); i += c->quick ? 3 : 1)
        for (int kind = RANK1_FLOAT; kind <= IDENTITY; kind++) {
            size_t t = ++seed % COUNT(samples);
            if (few && (i > 0 ? kind != RANK3_REAL : kind > RANK2_REAL))
                continue;
            struct kase q = {.shape = shapes[seed % COUNT(shapes)],
                             .in = samples[t].in,
                             .out = samples[t].out,
                             .kw = some[i].w,
                             .kh = some[i].h,
                             .taps = (enum taps)kind,
                             .epilogue = (int)(seed % 6),
                             .edge = (enum imf_edge)(seed % 5)};
            checkcl_solver(c, s, &q, seed);
        }
    if (c->tiny)
        return;
    /* Every shape and edge, and a kernel larger than the image. */
    for (size_t z = 0; z < COUNT(shapes) + 1; z++)
        for (int edge = 0; edge < 5; edge++) {
            bool big = z == COUNT(shapes);
            if (big && few && edge % 2 == 0)
                continue;
            struct kase q = {.shape = big ? (struct shape){5, 4, 3} : shapes[z],
                             .in = IMF_U8,
                             .out = IMF_U8,
                             .kw = big ? 23 : 9,
                             .kh = big ? 31 : 5,
                             .taps = edge % 2 ? RANK3_REAL : IDENTITY,
                             .edge = (enum imf_edge)edge};
            q.shape.channels = 3; /* few compilations */
            checkcl_solver(c, s, &q, (uint64_t)(60 + edge % 2));
        }
}

/* Two kernels as one complex one: exact and real, both depths, every channel count and edge. It
 * must take them all, but for sums that are too coarse to be exact. */
static void check_magnitudes(struct checkcl *c, const struct imf_solver *s) {
    static const struct kase cases[] = {
        {{130, 75, 3}, IMF_U8, IMF_U8, 5, 5, INTEGER, 1, 2, IMF_EDGE_REFLECT, NOISE, 0, 0},
        {{23, 1, 4}, IMF_U8, IMF_U16, 9, 3, INTEGER, 1, 0, IMF_EDGE_MIRROR, MIXED, 0, 0},
        {{64, 40, 2}, IMF_U16, IMF_U16, 7, 3, REAL, 1, 0, IMF_EDGE_WRAP, MIXED, 0, 0},
        {{130, 75, 3}, IMF_U8, IMF_U8, 3, 3, ANTISYMMETRIC, 1, 5, IMF_EDGE_CLAMP, NOISE, 0, 0},
        {{97, 61, 1}, IMF_U8, IMF_U8, 15, 15, REAL, 1, 0, IMF_EDGE_CONSTANT, MIXED, 0, 0},
        {{31, 29, 1}, IMF_U8, IMF_U8, 3, 3, INTEGER, 1, 0, IMF_EDGE_CLAMP, MIXED, 0, 0},
        {{40, 33, 3}, IMF_F32, IMF_U8, 21, 13, REAL, 1, 1, IMF_EDGE_CLAMP, MIXED, 0, 0},
        {{57, 44, 3}, IMF_U8, IMF_U8, 31, 31, POSITIVE, 1, 0, IMF_EDGE_MIRROR, MIXED, 0, 0},
    };
    bool transforms = s->backend == IMF_BACKEND_FFT;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct material m;
        struct imf_device device = checkcl_device(c, s);
        /* The third and the fourth; for direct the first, as sums of 16 bits are its alone. */
        if (c->quick && !c->tiny && i != 2 && i != (transforms ? 3 : 0))
            continue;
        if (!checkcl_wanted(c, checkcl_variant(s, &cases[i])))
            continue;
        checkcl_prepare(&m, &cases[i], 300 + i);
        struct imf_proposal proposal;
        imf_propose(&proposal, s, &m.p, &device);
        if (!proposal.feasible)
            checkcl_refused(c, "%s %s: %s", checkcl_name(s), checkcl_describe(&cases[i]),
                            proposal.why);
        checkcl_release(&m);
        checkcl_solver(c, s, &cases[i], 300 + i);
    }
}

/* Rows that reach further than one pass takes, so that there are two: steps are taken by twos, and
 * the last one of an odd number alone; with taps that mirror each other there are half as many. */
static void check_long_rows(struct checkcl *c) {
    static const struct {
        int width;
        enum taps taps;
    } rows[] = {{1027, RANK1_INTEGER},
                {1028, RANK1_REAL},
                {1031, FLAT},
                {1033, FLAT},
                {1030, ANTISYMMETRIC}};
    for (size_t i = 0; i < COUNT(rows); i += c->quick && i ? 2 : 1) {
        struct kase k = {.shape = {37, 5, 4},
                         .in = IMF_U8,
                         .out = i == 1 ? IMF_U8 : IMF_F32,
                         .kw = rows[i].width,
                         .kh = 3,
                         .taps = rows[i].taps,
                         .gain = 1,
                         .scale = 1,
                         .picture = NOISE,
                         .edge = IMF_EDGE_WRAP};
        checkcl_solver(c, &imf_solver_separable, &k, 400 + i);
    }
}

/* Columns that mirror each other with opposite sign: pairs of samples are subtracted first. */
static void check_antisymmetric(struct checkcl *c, const struct imf_solver *s) {
    static const struct kase cases[] = {
        {{31, 29, 3}, IMF_U8, IMF_U8, 7, 5, ANTISYMMETRIC, 0, 2, IMF_EDGE_CLAMP, MIXED, 0, 0},
        {{64, 40, 4}, IMF_U16, IMF_F32, 6, 3, ANTISYMMETRIC, 0, 0, IMF_EDGE_WRAP, MIXED, 0, 0},
        {{97, 61, 1}, IMF_F32, IMF_U8, 3, 9, ANTISYMMETRIC, 0, 1, IMF_EDGE_MIRROR, MIXED, 0, 0},
        {{130, 75, 2}, IMF_U8, IMF_U8, 5, 4, ANTISYMMETRIC, 1, 0, IMF_EDGE_REFLECT, MIXED, 0, 0},
        {{97, 61, 3}, IMF_U8, IMF_U8, 3, 3, ANTISYMMETRIC, 1, 5, IMF_EDGE_CLAMP, NOISE, 0, 0},
    };
    bool few = c->quick && !c->tiny && !imf_backend_is_host(s->backend);
    if (few && s == &imf_solver_separable_gpu)
        return; /* its programs are direct_gpu's, which has them */
    for (size_t i = 0; i < COUNT(cases); i += few ? 4 : 1)
        checkcl_solver(c, s, &cases[i], 500 + i);
}

/* Gaussians on a coarse grid: each shape, edge, depth and end, images smaller than the kernel, and
 * ones of several blocks of rows and strips of columns. */
static void check_smooth(struct checkcl *c) {
    static const struct shape large[] = {{4100, 9, 1}, {1403, 7, 4}, {61, 411, 2}};
    size_t all = COUNT(shapes) + COUNT(large);
    for (size_t z = 0; z < all; z += c->tiny ? 4 : 1)
        for (int i = 0; i < (z < COUNT(shapes) ? 5 : 2); i++) {
            struct kase q = {.shape = z < COUNT(shapes) ? shapes[z] : large[z - COUNT(shapes)],
                             .in = samples[(z + (size_t)i) % COUNT(samples)].in,
                             .out = samples[(z + (size_t)i) % COUNT(samples)].out,
                             .kw = i % 2 ? 75 : 51,
                             .kh = i % 3 ? 53 : 101,
                             .taps = GAUSSIAN,
                             .epilogue = i,
                             .edge = (enum imf_edge)i};
            checkcl_solver(c, &imf_solver_decimated, &q, 600 + z);
        }
}

/*
 * The quick run: what a case compiles is on a diagonal of the matrix. Samples, epilogues and taps
 * are turned against each other, so that no pair of their values is met twice in 18 rows; of these
 * the solver has as many as it takes to compile each part of its program in every type of sums.
 * Each is then run on every shape, which compiles nothing; but a transform's program depends on its
 * lengths, so there small shapes share one, and others have a row of their own.
 */
static const struct diagonal {
    const struct imf_solver *solver;
    int rows[10]; /* and -1 */
} diagonals[] = {{&imf_solver_direct, {0, 1, 3, 8, 10, 11, 12, 15, 17, -1}},
                 {&imf_solver_separable, {0, 1, 3, 4, 5, -1}},
                 {&imf_solver_fft, {3, 4, 6, -1}},
                 {&imf_solver_fft_gpu, {0, 1, 2, 3, 4, 5, 6, 7, -1}}, /* of GPUs alone */
                 {&imf_solver_direct_gpu, {0, 1, 2, 3, -1}},
                 {&imf_solver_separable_gpu, {0, 1, -1}}};

static void check_diagonal(struct checkcl *c, const struct diagonal *d) {
    static const enum taps products[] = {RANK1_INTEGER, RANK1_REAL};
    const struct imf_solver *s = d->solver;
    bool product = s == &imf_solver_separable || s == &imf_solver_separable_gpu;
    bool lengths = s->backend == IMF_BACKEND_FFT;
    for (const int *row = d->rows; *row >= 0; row++)
        for (size_t z = 0; z < COUNT(shapes); z++) {
            size_t i = (size_t)*row, t = i % COUNT(samples);
            struct kase q = {
                .shape = shapes[(3 * z + 1) % COUNT(shapes)],
                .in = samples[t].in,
                .out = samples[t].out,
                .kw = sizes[(i + 1) % COUNT(sizes)].w,
                .kh = sizes[(i + 1) % COUNT(sizes)].h,
                .taps = product ? products[i % 2]
                                : (enum taps)((5 * t + i / COUNT(samples)) % (SYMMETRIC + 1)),
                .magnitude = !product && i % 5 == 3,
                .epilogue = (int)((i + i / COUNT(samples)) % 6),
                .edge = (enum imf_edge)((i + z) % 5)};
            bool small = q.shape.width + q.kw < 30 && q.shape.height + q.kh < 30;
            q.shape.channels = 1 + (int)(i + i / 4) % 4;
            if (!lengths || z == i || (small && i % 3 == 0))
                checkcl_solver(c, s, &q, 1000 + i);
        }
}

/* The quick run of a solver for GPUs, which takes seconds to compile on a processor. */
static void check_gpu_transform(struct checkcl *c) {
    static const struct kase k = {{145, 9, 3}, IMF_F32, IMF_U8,          400,   3, REAL,
                                  0,           1,       IMF_EDGE_MIRROR, MIXED, 0, 0};
    checkcl_solver(c, &imf_solver_fft_gpu, &k, 9);
}

static void check_matrix(struct checkcl *c, const struct imf_solver *s) {
    uint64_t seed = 1000;
    size_t kinds = SYMMETRIC + 1, max_sizes = c->tiny ? 4 : c->quick ? 8 : COUNT(sizes);
    for (size_t k = 0; k < max_sizes; k++)
        for (size_t kind = 0; kind < kinds; kind++) {
            if ((s == &imf_solver_separable || s == &imf_solver_separable_gpu) &&
                kind != RANK1_INTEGER && kind != RANK1_REAL)
                continue;
            /* Nearly every case is a compilation, slow ones where barriers become loops. */
            size_t every = c->full || c->bench ? 1 : s == &imf_solver_fft_gpu ? 4 : 2;
            if (every > 1 && k > 3 && (k + kind) % every)
                continue;
            /* The rest of the matrix is drawn so that every value of every axis is met. */
            size_t draws = c->full ? 4 : 1;
            for (size_t d = 0; d < draws; d++) {
                uint64_t r = ++seed;
                size_t z = c->tiny ? k % 5 : checkcl_random(&r) % COUNT(shapes);
                size_t t = seed % 3 ? seed % 2 : checkcl_random(&r) % COUNT(samples);
                struct kase q = {.shape = shapes[z],
                                 .in = samples[t].in,
                                 .out = samples[t].out,
                                 .kw = sizes[k].w,
                                 .kh = sizes[k].h,
                                 .taps = (enum taps)kind,
                                 .magnitude = checkcl_random(&r) % 5 == 0,
                                 .epilogue = (int)(checkcl_random(&r) % 6),
                                 .edge = (enum imf_edge)(checkcl_random(&r) % 5)};
                checkcl_solver(c, s, &q, seed);
                if (!c->bench || d > 0)
                    continue;
                /* Of every kernel one that is like the others, to compare. */
                q.shape.channels = 3;
                q.in = q.out = IMF_U8;
                q.magnitude = q.epilogue = 0;
                checkcl_solver(c, s, &q, seed);
            }
        }
}

static void check_one_solver(struct checkcl *c, const struct imf_solver *s) {
    bool quick = c->quick && !c->tiny && !imf_backend_is_host(s->backend);
    bool slow = checkcl_device(c, s).gpu && !imf_queue_device(c->queue)->gpu;
    bool transforms = s->backend == IMF_BACKEND_FFT;
    if (s == &imf_solver_decimated) {
        check_smooth(c);
        return;
    }
    if (quick && slow && transforms) {
        check_gpu_transform(c);
        return;
    }
    if (quick)
        for (size_t i = 0; i < COUNT(diagonals); i++) {
            if (diagonals[i].solver == s)
                check_diagonal(c, &diagonals[i]);
        }
    else
        check_matrix(c, s);
    if (s == &imf_solver_separable || s == &imf_solver_vector)
        check_ranks(c, s);
    if (c->tiny)
        return;
    if (!transforms)
        check_antisymmetric(c, s);
    if (s == &imf_solver_separable)
        check_long_rows(c);
    /* Each shape, channel count and edge with one integer and one real kernel. */
    for (size_t z = 0; z < COUNT(shapes) && !quick; z++)
        for (int edge = 0; edge < (s == &imf_solver_fft_gpu ? 2 : 5); edge++)
            for (int channels = 1; channels <= 4; channels++) {
                struct kase q = {.shape = shapes[z],
                                 .in = IMF_U8,
                                 .out = IMF_U8,
                                 .kw = 5,
                                 .kh = 3,
                                 .taps = edge % 2 ? RANK1_REAL : RANK1_INTEGER,
                                 .edge = (enum imf_edge)edge};
                q.shape.channels = channels;
                checkcl_solver(c, s, &q,
                               (uint64_t)(50 + edge % 2)); /* two kernels: few compilations */
            }
    /* Kernels larger than the image. */
    struct kase big = {.shape = {5, 4, 3},
                       .in = IMF_U8,
                       .out = IMF_U8,
                       .kw = 23,
                       .kh = 31,
                       .taps = RANK1_INTEGER,
                       .edge = IMF_EDGE_REFLECT};
    checkcl_solver(c, s, &big, 7);
    big.taps = RANK1_REAL;
    big.edge = IMF_EDGE_WRAP;
    if (!quick)
        checkcl_solver(c, s, &big, 8);
    if (s == &imf_solver_fft) {
        /* Large scales, where a float decides most pixels: errors below and above one. */
        for (int side = quick ? 141 : 31; side < 200; side += 110)
            for (int channels = quick ? 3 : 1; channels <= 4; channels += 2) {
                struct kase k = {.shape = {77, 58, channels},
                                 .in = IMF_U8,
                                 .out = channels == 1 ? IMF_U16 : IMF_U8,
                                 .kw = side,
                                 .kh = side,
                                 .taps = POSITIVE,
                                 .edge = IMF_EDGE_CLAMP};
                checkcl_solver(c, s, &k, 10);
            }
    }
    if (s == &imf_solver_fft || s == &imf_solver_direct)
        check_magnitudes(c, s);
    if (s != &imf_solver_fft_gpu && s != &imf_solver_fft)
        return;
    /* Kernels that need each of its lengths, along one axis or the other. */
    for (int upright = quick; upright < 2; upright++)
        for (int length = (quick ? 1600 : 100) << upright; length < 4000;
             length *= c->full ? 2 : 4) {
            struct kase k = {.shape = {upright ? 9 : 145, upright ? 145 : 9, 1 + upright * 2},
                             .in = upright ? IMF_F32 : IMF_U8,
                             .out = IMF_U8,
                             .kw = upright ? 3 : length,
                             .kh = upright ? length : 3,
                             .taps = upright ? REAL : POSITIVE,
                             .edge = IMF_EDGE_MIRROR};
            checkcl_solver(c, s, &k, 9);
        }
}

static void check_solvers(struct checkcl *c, bool transforms) {
    bool gpu = imf_queue_device(c->queue)->gpu;
    for (size_t i = 0; i < COUNT(solvers); i++) {
        bool slow = solvers[i].gpu && !gpu; /* times nobody is interested in, unless asked for */
        if ((solvers[i].solver->backend == IMF_BACKEND_FFT) == transforms &&
            !(c->bench && slow && !c->only))
            check_one_solver(c, solvers[i].solver);
    }
}

void checkcl_spatial(struct checkcl *c) {
    check_solvers(c, false);
}

void checkcl_fft(struct checkcl *c) {
    check_solvers(c, true);
}
