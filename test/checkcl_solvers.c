/*
 * checkcl_solvers.c - every solver against the reference at odd shapes
 *
 * The reference solver is itself held against a loop written from the definition. Device solvers
 * write into a surface full of a pattern; whatever lies outside the pixels and the slack that they
 * may use must still hold it.
 */
#include "checkcl.h"

#include "edge.h"
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct imf_solver *const solvers[] = {&imf_solver_direct, &imf_solver_separable,
                                                   &imf_solver_fft};

#define CANARY 0xa5

/* ---- material ---- */

enum taps { INTEGER, POSITIVE, REAL, RANK1_INTEGER, RANK1_REAL, SYMMETRIC };
static const char *const taps_name[] = {"integer",       "positive",   "real",
                                        "rank1 integer", "rank1 real", "symmetric"};

static double uniform(uint64_t *r) {
    return (double)(checkcl_random(r) >> 11) / 9007199254740992.0;
}

static struct imf_kernel *make_kernel(int w, int h, enum taps kind, uint64_t *r) {
    struct imf_kernel *k;
    if (imf_kernel_create(&k, w, h, NULL))
        abort();
    size_t n = (size_t)w * (size_t)h;
    double *row = malloc((size_t)w * sizeof *row), *column = malloc((size_t)h * sizeof *column);
    bool whole = kind == INTEGER || kind == RANK1_INTEGER || kind == SYMMETRIC;
    for (int j = 0; j < w; j++)
        row[j] = whole ? (double)(checkcl_random(r) % 9) - 4 : uniform(r) - 0.3;
    for (int i = 0; i < h; i++)
        column[i] = whole ? (double)(checkcl_random(r) % 9) - 4 : uniform(r) - 0.3;
    row[w / 2] = column[h / 2] = 2; /* never all zero */
    for (size_t i = 0; i < n; i++) {
        size_t y = i / (size_t)w, x = i % (size_t)w;
        switch (kind) {
        case INTEGER:
            k->taps[i] = (double)(checkcl_random(r) % 17) - 8;
            break;
        case POSITIVE:
            k->taps[i] = (double)(checkcl_random(r) % 2);
            break;
        case REAL:
            k->taps[i] = 2 * uniform(r) - 1;
            break;
        case SYMMETRIC:
            k->taps[i] = (double)((x < (size_t)w - 1 - x ? x : (size_t)w - 1 - x) +
                                  2 * (y < (size_t)h - 1 - y ? y : (size_t)h - 1 - y)) -
                         1;
            break;
        default:
            k->taps[i] = column[y] * row[x];
        }
    }
    k->taps[(size_t)(h / 2) * (size_t)w + (size_t)(w / 2)] += kind == POSITIVE || kind == INTEGER;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(k->taps[i]);
    k->scale = kind == POSITIVE ? fmax(1, sum) : whole ? 1 + (double)(checkcl_random(r) % 5) : sum;
    free(row);
    free(column);
    return k;
}

/* Random samples with stretches of both extremes, which is where sums overflow. */
static void fill_image(const struct imf_surface *s, uint64_t *r) {
    size_t n = (size_t)s->width * (size_t)s->channels;
    for (int y = 0; y < s->height; y++)
        for (size_t i = 0; i < n; i++) {
            uint64_t v = checkcl_random(r);
            unsigned mode = (unsigned)(v >> 60);
            void *row = imf_surface_row(s, y);
            uint16_t x = mode < 3 ? 0 : mode < 6 ? 65535 : (uint16_t)v;
            if (s->sample == IMF_U8)
                ((uint8_t *)row)[i] = (uint8_t)(x >> 8);
            else if (s->sample == IMF_U16)
                ((uint16_t *)row)[i] = x;
            else
                ((float *)row)[i] = (float)(x >> 8);
        }
}

struct shape {
    int width, height, channels;
};

static struct imf_surface host_surface(enum imf_sample sample, struct shape z,
                                       struct imf_margin m) {
    struct imf_surface s;
    if (imf_surface_layout(&s, sample, z.width, z.height, z.channels, m, NULL) ||
        imf_surface_alloc(&s, NULL))
        abort();
    memset(s.host, 0, imf_surface_bytes(&s));
    return s;
}

/* ---- edges ---- */

static const char *const edge_name[] = {"clamp", "reflect", "mirror", "wrap", "constant"};

/* The definition, one step at a time. */
static int walk(enum imf_edge edge, int i, int n) {
    while (i < 0 || i >= n) {
        switch (edge) {
        case IMF_EDGE_CLAMP:
            i = i < 0 ? 0 : n - 1;
            break;
        case IMF_EDGE_WRAP:
            i += i < 0 ? n : -n;
            break;
        case IMF_EDGE_REFLECT:
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
            break;
        case IMF_EDGE_MIRROR:
            i = n == 1 ? 0 : i < 0 ? -i : 2 * n - 2 - i;
            break;
        case IMF_EDGE_CONSTANT:
            return -1;
        }
    }
    return i;
}

static bool margins_right(const struct imf_surface *s, struct imf_margin m, enum imf_edge edge) {
    for (int y = -m.top; y < s->height + m.bottom; y++)
        for (int x = -m.left; x < s->width + m.right; x++) {
            int fx = walk(edge, x, s->width), fy = walk(edge, y, s->height);
            for (int c = 0; c < s->channels; c++) {
                int want = fx < 0 || fy < 0
                               ? 77
                               : ((const uint8_t *)imf_surface_row(s, fy))[fx * s->channels + c];
                if (((const uint8_t *)imf_surface_row(s, y))[x * s->channels + c] != want)
                    return false;
            }
        }
    return true;
}

static cl_mem upload(struct checkcl *c, const struct imf_surface *s) {
    cl_mem mem = NULL;
    if (imf_clrt_buffer(c->rt, CL_MEM_READ_WRITE, imf_surface_bytes(s), &mem, NULL) ||
        clEnqueueWriteBuffer(imf_clrt_queue(c->rt), mem, CL_TRUE, 0, imf_surface_bytes(s), s->host,
                             0, NULL, NULL))
        abort();
    return mem;
}

static bool download(struct checkcl *c, const struct imf_surface *s) {
    return !clEnqueueReadBuffer(imf_clrt_queue(c->rt), s->mem, CL_TRUE, 0, imf_surface_bytes(s),
                                s->host, 0, NULL, NULL);
}

void checkcl_edges(struct checkcl *c) {
    static const struct shape shapes[] = {{1, 1, 1}, {1, 7, 3}, {5, 1, 2}, {13, 11, 4}};
    struct imf_margin m = {9, 4, 3, 12};
    uint64_t r = 1;
    for (int edge = IMF_EDGE_CLAMP; edge <= IMF_EDGE_CONSTANT; edge++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            struct imf_surface s = host_surface(IMF_U8, shapes[i], m);
            fill_image(&s, &r);
            if (c->rt) {
                struct imf_edge_job *job = NULL;
                struct imf_error err = {.text = ""};
                s.mem = upload(c, &s);
                bool ok = !imf_edge_make(&job, c->rt, &s, m, (enum imf_edge)edge, 77, &err) &&
                          !imf_edge_run(job, &s, &err) && download(c, &s) &&
                          margins_right(&s, m, (enum imf_edge)edge);
                checkcl_result(c, ok, "device margins %s %dx%dx%d %s", edge_name[edge], s.width,
                               s.height, s.channels, err.text);
                imf_edge_free(&job);
                clReleaseMemObject(s.mem);
            }
            imf_edge_fill_host(&s, m, (enum imf_edge)edge, 77);
            checkcl_result(c, margins_right(&s, m, (enum imf_edge)edge), "host margins %s %dx%dx%d",
                           edge_name[edge], s.width, s.height, s.channels);
            imf_surface_free(&s);
        }
}

/* ---- problems ---- */

struct kase {
    struct shape shape;
    enum imf_sample in, out;
    int kw, kh;
    enum taps taps;
    int magnitude;
    int epilogue; /* variant */
    enum imf_edge edge;
};

static struct imf_problem make_problem(const struct kase *k,
                                       const struct imf_kernel *const *kernel) {
    double full = k->in == IMF_U16 ? 65535 : 255;
    struct imf_problem p = {.width = k->shape.width,
                            .height = k->shape.height,
                            .channels = k->shape.channels,
                            .in = k->in,
                            .out = k->out,
                            .kernel = {kernel[0], kernel[1]},
                            .epilogue = {.scale = kernel[0]->scale, .multiply = 1, .full = full},
                            .edge = k->edge,
                            .in_max = full,
                            .tolerance = full > 255 ? 0.25 : 1e-3};
    bool whole = imf_kernel_is_integer(kernel[0]) &&
                 (!kernel[1] || (imf_kernel_is_integer(kernel[1]) && kernel[0]->scale == 1));
    p.exact = whole;
    switch (k->epilogue) {
    case 1:
        p.epilogue.absolute = true;
        break;
    case 2:
        p.epilogue.offset = (full + 1) / 2;
        break;
    case 3:
        p.epilogue.multiply = -1;
        p.epilogue.offset = full;
        break;
    case 4:
        p.epilogue.add = kernel[1] ? 0 : full;
        p.epilogue.absolute = true;
        p.epilogue.multiply = -1;
        p.epilogue.offset = full;
        break;
    case 5: /* a threshold turns the last bit of a real sum into full scale: exact sums only */
        p.epilogue.threshold = whole && k->out != IMF_F32;
        p.epilogue.level = 0.3 * full;
        break;
    }
    return p;
}

static const char *describe(const struct kase *k) {
    static char text[160];
    static const char *const sample[] = {"u8", "u16", "f32", "f64"};
    snprintf(text, sizeof text, "%dx%dx%d %s->%s %s%s %dx%d %s epilogue %d", k->shape.width,
             k->shape.height, k->shape.channels, sample[k->in], sample[k->out], taps_name[k->taps],
             k->magnitude ? " magnitude" : "", k->kw, k->kh, edge_name[k->edge], k->epilogue);
    return text;
}

struct material {
    struct imf_kernel *kernel[2];
    struct imf_problem p;
    struct imf_surface in, want; /* want: F64 */
};

static void prepare(struct material *m, const struct kase *k, uint64_t seed) {
    uint64_t r = seed;
    m->kernel[0] = make_kernel(k->kw, k->kh, k->taps, &r);
    m->kernel[1] = k->magnitude ? make_kernel(k->kw, k->kh, k->taps, &r) : NULL;
    if (k->magnitude)
        m->kernel[0]->scale = m->kernel[1]->scale =
            imf_kernel_is_integer(m->kernel[0]) ? 1 : m->kernel[0]->scale;
    m->p = make_problem(k, (const struct imf_kernel *const *)m->kernel);
    struct imf_margin margin = imf_problem_margin(&m->p), none = {0, 0, 0, 0};
    m->in = host_surface(k->in, k->shape, margin);
    m->want = host_surface(IMF_F64, k->shape, none);
    fill_image(&m->in, &r);
    imf_edge_fill_host(&m->in, margin, k->edge, 77);
    struct imf_problem p = m->p;
    p.out = IMF_F64;
    void *job;
    if (imf_solver_host.make(&job, &p, NULL, NULL) ||
        imf_solver_host.run(job, &m->in, &m->want, NULL))
        abort();
    imf_solver_host.destroy(&job);
}

static void release(struct material *m) {
    imf_kernel_free(&m->kernel[0]);
    imf_kernel_free(&m->kernel[1]);
    imf_surface_free(&m->in);
    imf_surface_free(&m->want);
}

static double sample_at(const struct imf_surface *s, int y, size_t i) {
    const void *row = imf_surface_row(s, y);
    switch (s->sample) {
    case IMF_U8:
        return ((const uint8_t *)row)[i];
    case IMF_U16:
        return ((const uint16_t *)row)[i];
    case IMF_F32:
        return (double)((const float *)row)[i];
    default:
        return ((const double *)row)[i];
    }
}

/* Samples that differ from the reference by more than the contract allows. */
static unsigned long wrong_samples(const struct material *m, const struct imf_surface *got) {
    unsigned long wrong = 0;
    const struct imf_problem *p = &m->p;
    for (int y = 0; y < p->height; y++)
        for (size_t i = 0; i < (size_t)p->width * (size_t)p->channels; i++) {
            double want = sample_at(&m->want, y, i), have = sample_at(got, y, i);
            if (p->out == IMF_F32) {
                /* floats between stages: the tolerance, or float's own resolution */
                double slack = fmax(p->exact ? 0 : p->tolerance, fabs(want) * 2.4e-7);
                wrong += !(fabs(have - want) <= slack);
                continue;
            }
            double clamped = fmin(fmax(want, 0), imf_sample_max(p->out));
            double difference = fabs(have - rint(clamped));
            double from_tie = fabs(clamped - floor(clamped) - 0.5);
            bool excused = !p->exact && difference <= 1 &&
                           (p->out == IMF_U16 || p->in == IMF_U16 || from_tie <= 1e-3);
            wrong += difference != 0 && !excused;
        }
    return wrong;
}

/* Bytes outside the pixels and their slack that no longer hold the pattern. */
static unsigned long broken_canaries(const struct imf_surface *s) {
    size_t size = imf_sample_size(s->sample);
    unsigned char *bytes = s->host;
    for (int y = 0; y < s->height; y++) {
        char *row = imf_surface_row(s, y);
        memset(row, CANARY, ((size_t)s->width * (size_t)s->channels + IMF_SLACK) * size);
    }
    unsigned long broken = 0;
    for (size_t i = 0; i < imf_surface_bytes(s); i++)
        broken += bytes[i] != CANARY;
    return broken;
}

static void check_solver(struct checkcl *c, const struct imf_solver *s, const struct kase *k,
                         uint64_t seed) {
    struct material m;
    prepare(&m, k, seed);
    char why[IMF_WHY] = "";
    struct imf_error err = {.text = ""};
    if (s->applicable(&m.p, imf_clrt_device(c->rt), why)) {
        /* wider than the slack, so that writing before a row or past its slack shows */
        struct imf_margin around = {80, 80, 2, 2};
        struct imf_surface out = host_surface(k->out, k->shape, around);
        memset(out.host, CANARY, imf_surface_bytes(&out));
        m.in.mem = upload(c, &m.in);
        out.mem = upload(c, &out);
        void *job = NULL;
        bool ran = !s->make(&job, &m.p, c->rt, &err) && !s->run(job, &m.in, &out, &err) &&
                   !imf_clrt_finish(c->rt, &err) && download(c, &out);
        unsigned long wrong = ran ? wrong_samples(&m, &out) : 0;
        unsigned long broken = ran ? broken_canaries(&out) : 0;
        checkcl_result(c, ran && !wrong && !broken,
                       "%s %s seed %llu: %lu samples wrong, %lu bytes overwritten %s", s->name,
                       describe(k), (unsigned long long)seed, wrong, broken, err.text);
        if (job)
            s->destroy(&job);
        clReleaseMemObject(m.in.mem);
        clReleaseMemObject(out.mem);
        imf_surface_free(&out);
    } else if (c->verbose) {
        printf("-- %s %s: %s\n", s->name, describe(k), why);
    }
    release(&m);
}

/* ---- the reference against the definition ---- */

static double defined_sum(const struct kase *k, const struct material *m,
                          const struct imf_kernel *kernel, int x, int y, int c) {
    double sum = 0;
    for (int i = 0; i < kernel->height; i++)
        for (int j = 0; j < kernel->width; j++) {
            int fx = walk(k->edge, x + j - kernel->cx, k->shape.width);
            int fy = walk(k->edge, y + i - kernel->cy, k->shape.height);
            double v =
                fx < 0 || fy < 0 ? 77 : sample_at(&m->in, fy, (size_t)(fx * k->shape.channels + c));
            sum += v * kernel->taps[i * kernel->width + j];
        }
    return sum / kernel->scale;
}

static double defined_pixel(const struct kase *k, const struct material *m, int x, int y, int c) {
    const struct imf_epilogue *e = &m->p.epilogue;
    double v = defined_sum(k, m, m->kernel[0], x, y, c) + e->add;
    if (m->kernel[1]) {
        double a = defined_sum(k, m, m->kernel[0], x, y, c);
        double b = defined_sum(k, m, m->kernel[1], x, y, c);
        v = sqrt(a * a + b * b);
    }
    if (e->absolute)
        v = fabs(v);
    v = v * e->multiply + e->offset;
    return e->threshold ? v >= e->level ? e->full : 0 : v;
}

void checkcl_reference(struct checkcl *c) {
    static const struct kase cases[] = {
        {{1, 1, 1}, IMF_U8, IMF_U8, 3, 3, INTEGER, 0, 0, IMF_EDGE_CLAMP},
        {{7, 5, 3}, IMF_U8, IMF_U8, 4, 2, REAL, 0, 1, IMF_EDGE_REFLECT},
        {{6, 9, 4}, IMF_U16, IMF_U16, 5, 5, REAL, 0, 2, IMF_EDGE_MIRROR},
        {{11, 3, 2}, IMF_U8, IMF_U8, 13, 9, POSITIVE, 0, 3, IMF_EDGE_WRAP},
        {{8, 8, 1}, IMF_F32, IMF_F32, 3, 5, INTEGER, 0, 4, IMF_EDGE_CONSTANT},
        {{9, 4, 3}, IMF_U8, IMF_U8, 3, 3, INTEGER, 1, 0, IMF_EDGE_CLAMP},
        {{5, 5, 1}, IMF_U8, IMF_U8, 1, 1, INTEGER, 0, 5, IMF_EDGE_CLAMP},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct kase *k = &cases[i];
        struct material m;
        prepare(&m, k, 100 + i);
        double worst = 0;
        for (int y = 0; y < k->shape.height; y++)
            for (int x = 0; x < k->shape.width; x++)
                for (int ch = 0; ch < k->shape.channels; ch++)
                    worst = fmax(worst,
                                 fabs(defined_pixel(k, &m, x, y, ch) -
                                      sample_at(&m.want, y, (size_t)(x * k->shape.channels + ch))));
        checkcl_result(c, worst <= 1e-9, "reference %s: off by %g", describe(k), worst);
        release(&m);
    }
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

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void check_one_solver(struct checkcl *c, const struct imf_solver *s) {
    uint64_t seed = 1000;
    size_t kinds = SYMMETRIC + 1, max_sizes = c->tiny ? 4 : c->quick ? 9 : COUNT(sizes);
    for (size_t k = 0; k < max_sizes; k++)
        for (size_t kind = 0; kind < kinds; kind++) {
            if (s == &imf_solver_separable && kind != RANK1_INTEGER && kind != RANK1_REAL)
                continue;
            /* The rest of the matrix is drawn so that every value of every axis is met. */
            size_t draws = c->tiny ? 1 : c->quick ? 2 : 4;
            for (size_t d = 0; d < draws; d++) {
                uint64_t r = ++seed;
                size_t z = c->tiny ? d + k % 5 : checkcl_random(&r) % COUNT(shapes);
                size_t t = d < 2 ? d : checkcl_random(&r) % COUNT(samples);
                struct kase q = {.shape = shapes[z],
                                 .in = samples[t].in,
                                 .out = samples[t].out,
                                 .kw = sizes[k].w,
                                 .kh = sizes[k].h,
                                 .taps = (enum taps)kind,
                                 .magnitude = checkcl_random(&r) % 5 == 0,
                                 .epilogue = (int)(checkcl_random(&r) % 6),
                                 .edge = (enum imf_edge)(checkcl_random(&r) % 5)};
                check_solver(c, s, &q, seed);
            }
        }
    if (c->tiny)
        return;
    /* Each shape, channel count and edge with one integer and one real kernel. */
    for (size_t z = 0; z < COUNT(shapes); z++)
        for (int edge = 0; edge < 5; edge++)
            for (int channels = 1; channels <= 4; channels++) {
                struct kase q = {.shape = shapes[z],
                                 .in = IMF_U8,
                                 .out = IMF_U8,
                                 .kw = 5,
                                 .kh = 3,
                                 .taps = edge % 2 ? RANK1_REAL : RANK1_INTEGER,
                                 .edge = (enum imf_edge)edge};
                q.shape.channels = channels;
                check_solver(c, s, &q, (uint64_t)(50 + edge % 2)); /* two kernels: few compilations */
            }
    /* Kernels larger than the image. */
    struct kase big = {.shape = {5, 4, 3},
                       .in = IMF_U8,
                       .out = IMF_U8,
                       .kw = 23,
                       .kh = 31,
                       .taps = RANK1_INTEGER,
                       .edge = IMF_EDGE_REFLECT};
    check_solver(c, s, &big, 7);
    big.taps = RANK1_REAL;
    big.edge = IMF_EDGE_WRAP;
    check_solver(c, s, &big, 8);
}

void checkcl_solvers(struct checkcl *c) {
    for (size_t i = 0; i < COUNT(solvers); i++)
        if (!c->only || !strcmp(c->only, solvers[i]->name))
            check_one_solver(c, solvers[i]);
}
