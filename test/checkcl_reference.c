/*
 * checkcl_reference.c - the reference itself, against loops written from the definition
 */
#include "checkcl_material.h"

#include "solver/common/edge.h"

#include <math.h>

/* ---- edges ---- */

static const char *const edge_name[] = {"clamp", "reflect", "mirror", "wrap", "constant"};

/* The definition, one step at a time. */
int checkcl_walk(enum imf_edge edge, int i, int n) {
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

/* Beyond the edge under "constant". */
static const double outside[IMF_CHANNELS_MAX] = {77, 12, 255, 0};

static bool margins_right(const struct imf_surface *s, struct imf_margin m, enum imf_edge edge) {
    for (int y = -m.top; y < s->height + m.bottom; y++)
        for (int x = -m.left; x < s->width + m.right; x++) {
            int fx = checkcl_walk(edge, x, s->width), fy = checkcl_walk(edge, y, s->height);
            for (int c = 0; c < s->channels; c++) {
                int want = fx < 0 || fy < 0
                               ? (int)outside[c]
                               : ((const uint8_t *)imf_surface_row(s, fy))[fx * s->channels + c];
                if (((const uint8_t *)imf_surface_row(s, y))[x * s->channels + c] != want)
                    return false;
            }
        }
    return true;
}

void checkcl_edges(struct checkcl *c) {
    static const struct shape shapes[] = {{1, 1, 1}, {1, 7, 3}, {5, 1, 2}, {13, 11, 4}, {6, 5, 2}};
    struct imf_margin m = {9, 4, 3, 12};
    uint64_t r = 1;
    for (int edge = IMF_EDGE_CLAMP; edge <= IMF_EDGE_CONSTANT; edge++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            struct imf_surface s = checkcl_surface(IMF_U8, shapes[i], m);
            checkcl_fill(&s, MIXED, &r);
            if (c->queue) {
                struct imf_edge_job *job = NULL;
                struct imf_error err = {.text = ""};
                s.mem = checkcl_upload(c, &s);
                bool ok = !imf_edge_make(&job, c->queue, &s, m, (enum imf_edge)edge, outside, &err);
                for (int y = 0; y < s.height && ok; y += 3) {
                    struct imf_surface band = s;
                    band.origin += (size_t)y * s.pitch;
                    band.height = s.height - y < 3 ? s.height - y : 3;
                    ok = !imf_edge_run(job, &band, y, &err);
                }
                ok = ok && checkcl_download(c, &s) && margins_right(&s, m, (enum imf_edge)edge);
                checkcl_result(c, ok, "device margins %s %dx%dx%d %s", edge_name[edge], s.width,
                               s.height, s.channels, err.text);
                imf_edge_free(&job);
                imf_buffer_free(&s.mem);
            }
            imf_edge_fill_host(&s, m, (enum imf_edge)edge, outside);
            checkcl_result(c, margins_right(&s, m, (enum imf_edge)edge), "host margins %s %dx%dx%d",
                           edge_name[edge], s.width, s.height, s.channels);
            imf_surface_free(&s);
        }
}

/* ---- the reference against the definition ---- */

static double defined_sum(const struct kase *k, const struct material *m,
                          const struct imf_kernel *kernel, int x, int y, int c) {
    double sum = 0;
    for (int i = 0; i < kernel->height; i++)
        for (int j = 0; j < kernel->width; j++) {
            int fx = checkcl_walk(k->edge, x + j - kernel->cx, k->shape.width);
            int fy = checkcl_walk(k->edge, y + i - kernel->cy, k->shape.height);
            double v = fx < 0 || fy < 0
                           ? 77
                           : checkcl_sample(&m->in, fy, (size_t)(fx * k->shape.channels + c));
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
        {{1, 1, 1}, IMF_U8, IMF_U8, 3, 3, INTEGER, 0, 0, IMF_EDGE_CLAMP, MIXED, 0, 0},
        {{7, 5, 3}, IMF_U8, IMF_U8, 4, 2, REAL, 0, 1, IMF_EDGE_REFLECT, MIXED, 0, 0},
        {{6, 9, 4}, IMF_U16, IMF_U16, 5, 5, REAL, 0, 2, IMF_EDGE_MIRROR, MIXED, 0, 0},
        {{11, 3, 2}, IMF_U8, IMF_U8, 13, 9, POSITIVE, 0, 3, IMF_EDGE_WRAP, MIXED, 0, 0},
        {{8, 8, 1}, IMF_F32, IMF_F32, 3, 5, INTEGER, 0, 4, IMF_EDGE_CONSTANT, MIXED, 0, 0},
        {{9, 4, 3}, IMF_U8, IMF_U8, 3, 3, INTEGER, 1, 0, IMF_EDGE_CLAMP, MIXED, 0, 0},
        {{5, 5, 1}, IMF_U8, IMF_U8, 1, 1, INTEGER, 0, 5, IMF_EDGE_CLAMP, MIXED, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct kase *k = &cases[i];
        struct material m;
        checkcl_prepare(&m, k, 100 + i);
        double worst = 0;
        for (int y = 0; y < k->shape.height; y++)
            for (int x = 0; x < k->shape.width; x++)
                for (int ch = 0; ch < k->shape.channels; ch++)
                    worst = fmax(worst, fabs(defined_pixel(k, &m, x, y, ch) -
                                             checkcl_sample(&m.want, y,
                                                            (size_t)(x * k->shape.channels + ch))));
        checkcl_result(c, worst <= 1e-9, "reference %s: off by %g", checkcl_describe(k), worst);
        checkcl_release(&m);
    }
}
