/* checkcl_material.c - kernels, images and problems for the checks */
#include "checkcl_material.h"

#include "solver/common/edge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const taps_name[] = {"integer",
                                        "positive",
                                        "real",
                                        "rank1 integer",
                                        "rank1 real",
                                        "symmetric",
                                        "antisymmetric",
                                        "rank1 float",
                                        "rank2 real",
                                        "rank3 real",
                                        "rank1 real and identity",
                                        "gaussian",
                                        "flat",
                                        "checker",
                                        "step",
                                        "rings"};
static const char *const edge_name[] = {"clamp", "reflect", "mirror", "wrap", "constant"};

static double uniform(uint64_t *r) {
    return (double)(checkcl_random(r) >> 11) / 9007199254740992.0;
}

/* Adds a term of rank 1 that leaves a rim as it is. */
static void add_term(struct imf_kernel *k, int rim, uint64_t *r) {
    double row[64], column[64];
    for (int i = 0; i < 64; i++) {
        row[i] = uniform(r) - 0.3;
        column[i] = uniform(r) - 0.3;
    }
    for (int y = rim; y < k->height - rim; y++)
        for (int x = rim; x < k->width - rim; x++)
            k->taps[(size_t)y * (size_t)k->width + (size_t)x] += column[y % 64] * row[x % 64];
}

/* Does tap (x, y) lie in the ellipse that fills the kernel, shrunk so many times? */
static bool within(size_t x, size_t y, int w, int h, double shrunk) {
    double dx = (2 * (double)x + 1) / w - 1, dy = (2 * (double)y + 1) / h - 1;
    return (dx * dx + dy * dy) * shrunk * shrunk <= 1;
}

static struct imf_kernel *make_kernel(int w, int h, enum taps kind, uint64_t *r) {
    struct imf_kernel *k;
    if (imf_kernel_create(&k, w, h, NULL))
        abort();
    size_t n = (size_t)w * (size_t)h;
    double *row = malloc((size_t)w * sizeof *row), *column = malloc((size_t)h * sizeof *column);
    bool whole =
        kind == INTEGER || kind == RANK1_INTEGER || kind == SYMMETRIC || kind == ANTISYMMETRIC;
    for (int j = 0; j < w; j++)
        row[j] = whole ? (double)(checkcl_random(r) % 9) - 4 : uniform(r) - 0.3;
    for (int i = 0; i < h; i++)
        column[i] = whole ? (double)(checkcl_random(r) % 9) - 4 : uniform(r) - 0.3;
    row[w / 2] = column[h / 2] = 2; /* never all zero */
    for (int j = 0; kind == GAUSSIAN && j < w; j++)
        row[j] = exp(-50.0 * (j - w / 2) * (j - w / 2) / ((double)w * w));
    for (int i = 0; kind == GAUSSIAN && i < h; i++)
        column[i] = exp(-50.0 * (i - h / 2) * (i - h / 2) / ((double)h * h));
    for (int j = 0; kind == ANTISYMMETRIC && j < (w + 1) / 2; j++)
        row[w - 1 - j] = 2 * j == w - 1 ? 0 : -row[j];
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
        case FLAT:
        case CHECKER:
        case STEP:
            k->taps[i] =
                (kind == CHECKER && (x + y) % 2) || (kind == STEP && 2 * x > (size_t)w) ? -1 : 1;
            break;
        case RINGS:
            k->taps[i] = within(x, y, w, h, 1) ? within(x, y, w, h, 2) ? -3 : 1 : 0;
            break;
        default:
            k->taps[i] = column[y] * row[x];
            k->taps[i] = kind == RANK1_FLOAT ? (double)(float)k->taps[i] : k->taps[i];
        }
    }
    if (kind == RANK2_REAL || kind == RANK3_REAL)
        add_term(k, 1, r);
    if (kind == RANK3_REAL)
        add_term(k, 0, r);
    k->taps[(size_t)(h / 2) * (size_t)w + (size_t)(w / 2)] +=
        kind == POSITIVE || kind == INTEGER || kind == IDENTITY;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(k->taps[i]);
    k->scale = kind == POSITIVE ? fmax(1, sum) : whole ? 1 + (double)(checkcl_random(r) % 5) : sum;
    free(row);
    free(column);
    return k;
}

static uint16_t sample_at(enum picture picture, int x, int y, int width, uint64_t *r) {
    uint64_t v = checkcl_random(r);
    unsigned mode = (unsigned)(v >> 60);
    int amplitude = (x / 16 + y / 16 * 2) % 5 * 16000;
    switch (picture) {
    case MIXED:
        return mode < 3 ? 0 : mode < 6 ? 65535 : (uint16_t)v;
    case BLACK:
        return 0;
    case WHITE:
        return 65535;
    case HALVES:
        return x < width / 2 ? 0 : 65535;
    case GRATING:
        return (x / 3 + y / 5) % 2 ? 0 : 65535;
    case CHESS:
        return (uint16_t)((x + y) % 2 ? 65535 - amplitude : amplitude);
    case DIM:
        return (uint16_t)(v & 255);
    default:
        return (uint16_t)v;
    }
}

void checkcl_fill(const struct imf_surface *s, enum picture picture, uint64_t *r) {
    size_t n = (size_t)s->width * (size_t)s->channels;
    for (int y = 0; y < s->height; y++)
        for (size_t i = 0; i < n; i++) {
            void *row = imf_surface_row(s, y);
            uint16_t x = sample_at(picture, (int)(i / (size_t)s->channels), y, s->width, r);
            if (s->sample == IMF_U8)
                ((uint8_t *)row)[i] = (uint8_t)(x >> 8);
            else if (s->sample == IMF_U16)
                ((uint16_t *)row)[i] = x;
            else
                ((float *)row)[i] = (float)(picture == SIGNED && x & 1 ? -(x >> 8) : x >> 8);
        }
}

struct imf_surface checkcl_surface(enum imf_sample sample, struct shape z, struct imf_margin m) {
    struct imf_surface s;
    if (imf_surface_layout(&s, sample, z.width, z.height, z.channels, m, NULL) ||
        imf_surface_alloc(&s, NULL))
        abort();
    memset(s.host, 0, imf_surface_bytes(&s));
    return s;
}

static struct imf_problem make_problem(const struct kase *k,
                                       const struct imf_kernel *const *kernel) {
    double full = k->in == IMF_U16 ? 65535 : 255;
    struct imf_problem p = {.width = k->shape.width,
                            .height = k->shape.height,
                            .channels = k->shape.channels,
                            .in = k->in,
                            .out = k->out,
                            .epilogue = {.scale = kernel[0]->scale, .multiply = 1, .full = full},
                            .edge = k->edge,
                            .in_max = full,
                            .tolerance = full > 255 ? 31.0 / 32 : 1.0 / 32};
    p.tolerance_even = p.tolerance;
    if (kernel[1])
        imf_problem_magnitude(&p, kernel[0], kernel[1]);
    else
        imf_problem_convolve(&p, kernel[0]);
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
        p.epilogue.level = 0.4 * full; /* a whole number, which values may lie on */
        break;
    }
    return p;
}

static const char *const sample[] = {"u8", "u16", "f32", "f64"};

const char *checkcl_variant(const struct imf_solver *s, const struct kase *k) {
    static const char *const epilogue[] = {"",          "/absolute", "/offset",
                                           "/negative", "/folded",   "/threshold"};
    static char text[200];
    snprintf(text, sizeof text, "%s/%dx%d/%s%s/%s-%s/%dch%s", checkcl_name(s), k->kw, k->kh,
             taps_name[k->taps], k->magnitude ? "-magnitude" : "", sample[k->in], sample[k->out],
             k->shape.channels, epilogue[k->epilogue]);
    for (char *c = text; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    return text;
}

const char *checkcl_describe(const struct kase *k) {
    static const char *const picture[] = {"mixed",   "noise", "black", "white", "halves",
                                          "grating", "chess", "dim",   "signed"};
    static char text[200];
    snprintf(text, sizeof text, "%dx%dx%d %s %s->%s %s%s %dx%d gain %d scale %d %s epilogue %d",
             k->shape.width, k->shape.height, k->shape.channels, picture[k->picture], sample[k->in],
             sample[k->out], taps_name[k->taps], k->magnitude ? " magnitude" : "", k->kw, k->kh,
             k->gain, k->scale, edge_name[k->edge], k->epilogue);
    return text;
}

void checkcl_problem(struct material *m, const struct kase *k, uint64_t *random) {
    m->kernel[0] = make_kernel(k->kw, k->kh, k->taps, random);
    if (k->taps >= FLAT || (k->taps == REAL && k->gain)) {
        for (int i = 0; i < k->kw * k->kh; i++)
            m->kernel[0]->taps[i] *= k->gain;
        m->kernel[0]->scale = k->scale;
    }
    m->kernel[1] = k->magnitude ? make_kernel(k->kw, k->kh, k->taps, random) : NULL;
    if (k->magnitude)
        m->kernel[0]->scale = m->kernel[1]->scale =
            imf_kernel_is_integer(m->kernel[0]) ? 1 : m->kernel[0]->scale;
    m->p = make_problem(k, (const struct imf_kernel *const *)m->kernel);
}

void checkcl_prepare(struct material *m, const struct kase *k, uint64_t seed) {
    uint64_t r = seed;
    checkcl_problem(m, k, &r);
    struct imf_margin margin = m->p.reach, none = {0, 0, 0, 0};
    m->in = checkcl_surface(k->in, k->shape, margin);
    m->want = checkcl_surface(IMF_F64, k->shape, none);
    checkcl_fill(&m->in, k->picture, &r);
    imf_edge_fill_host(&m->in, margin, k->edge, (const double[4]){77, 77, 77, 77});
    struct imf_problem p = m->p;
    p.out = IMF_F64;
    struct imf_job *job;
    struct imf_proposal host;
    imf_propose_host(&host, &p);
    if (imf_job_make(&job, &p, &host, NULL, NULL) || imf_job_run(job, &m->in, &m->want, NULL))
        abort();
    imf_job_free(&job);
}

void checkcl_release(struct material *m) {
    imf_kernel_free(&m->kernel[0]);
    imf_kernel_free(&m->kernel[1]);
    imf_surface_free(&m->in);
    imf_surface_free(&m->want);
}

double checkcl_sample(const struct imf_surface *s, int y, size_t i) {
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
unsigned long checkcl_wrong(const struct material *m, const struct imf_surface *got) {
    unsigned long wrong = 0;
    const struct imf_problem *p = &m->p;
    for (int y = 0; y < p->height; y++)
        for (size_t i = 0; i < (size_t)p->width * (size_t)p->channels; i++) {
            double want = checkcl_sample(&m->want, y, i), have = checkcl_sample(got, y, i);
            if (p->out == IMF_F32) {
                /* floats between stages: the tolerance, and the resolution of a float of the
                 * magnitude before an offset */
                double slack = fmax(p->exact ? 0 : p->tolerance, fabs(want) * 2.4e-7);
                if (p->kind == IMF_MAGNITUDE)
                    slack += 2.4e-7 * p->in_max * imf_kernel_abs_sum(p->kernel[0]);
                wrong += !(fabs(have - want) <= slack);
                continue;
            }
            double clamped = fmin(fmax(want, 0), imf_sample_max(p->out));
            double difference = fabs(have - rint(clamped));
            double from_tie = fabs(clamped - floor(clamped) - 0.5);
            bool excused = !p->exact && difference <= 1 &&
                           (p->out == IMF_U16 || p->in == IMF_U16 || from_tie <= 1.0 / 32);
            wrong += difference != 0 && !excused;
        }
    return wrong;
}

struct imf_buffer *checkcl_upload(struct checkcl *c, const struct imf_surface *s) {
    size_t bytes = imf_surface_bytes(s);
    struct imf_buffer *buffer;
    if (imf_buffer_make(&buffer, c->queue, IMF_BUFFER_WORK, bytes, NULL) ||
        imf_buffer_upload(c->queue, buffer, 0, s->host, bytes, NULL))
        abort();
    return buffer;
}

bool checkcl_download(struct checkcl *c, const struct imf_surface *s) {
    return !imf_buffer_download(c->queue, s->mem, 0, s->host, imf_surface_bytes(s), NULL);
}

/* ---- running ---------------------------------------------------------------------------------- */

/* A solver writes into a surface full of a pattern; whatever lies outside the pixels and the slack that it may use must still
 * hold it. */
unsigned long checkcl_broken(const struct imf_surface *s) {
    size_t size = imf_sample_size(s->sample);
    unsigned char *bytes = s->host;
    for (int y = 0; y < s->height; y++) {
        char *row = imf_surface_row(s, y);
        memset(row, CHECKCL_CANARY, ((size_t)s->width * (size_t)s->channels + IMF_SLACK) * size);
    }
    unsigned long broken = 0;
    for (size_t i = 0; i < imf_surface_bytes(s); i++)
        broken += bytes[i] != CHECKCL_CANARY;
    return broken;
}

void checkcl_run(struct checkcl *c, const struct checkcl_run *r) {
    const struct imf_problem *p = r->p;
    struct imf_error err = {.text = ""};
    struct imf_margin around = {80, 80, 2, 2}; /* wider than the slack: writing past it shows */
    struct shape shape = {p->width, p->height, p->channels};
    struct imf_surface got = checkcl_surface(p->out, shape, around);
    bool host = imf_backend_is_host(r->proposal->backend);
    struct imf_job *job = NULL;
    memset(got.host, CHECKCL_CANARY, imf_surface_bytes(&got));
    r->in->mem = host ? NULL : checkcl_upload(c, r->in);
    got.mem = host ? NULL : checkcl_upload(c, &got);
    bool ran = !imf_job_make(&job, p, r->proposal, host ? NULL : c->queue, &err);
    for (int i = 0; i < r->times && ran; i++)
        ran = !imf_job_run(job, r->in, &got, &err);
    ran = ran && (host || (!imf_queue_finish(c->queue, &err) && checkcl_download(c, &got)));
    unsigned long wrong = ran ? r->wrong(r, &got) : 0, broken = ran ? checkcl_broken(&got) : 0;
    checkcl_result(c, ran && !wrong && !broken,
                   "%s on %dx%d edge %d: %lu samples wrong, %lu bytes overwritten %s", r->what,
                   p->width, p->height, (int)p->edge, wrong, broken, err.text);
    imf_job_free(&job);
    if (c->bench && ran && !wrong && !broken)
        checkcl_time(c, r->proposal->solver, r->name, p, r->picture);
    imf_buffer_free(&r->in->mem);
    imf_buffer_free(&got.mem);
    imf_surface_free(&got);
}
