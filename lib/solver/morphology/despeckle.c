/*
 * despeckle.c - area openings and closings: what is brighter, or darker, than all around it and too small goes
 *
 * An opening of an area keeps, of the pixels at or above each level, the components of at least so many pixels, which
 * touch by sides or corners: a sample becomes the highest level at which it is in such a one (Vincent, "Morphological
 * area openings and closings for grey-scale images", 1993). A closing is the same of the negative. Beyond the image there
 * is nothing.
 *
 * Pixels are taken from the extreme level on (Meijster and Wilkinson, "A comparison of algorithms for connected set
 * openings and closings", IEEE Transactions on Pattern Analysis and Machine Intelligence 24(4), 2002). Each joins the
 * components around it that are too small, whose root it becomes, so that they have its level; one that is large enough
 * keeps its own, and makes what reaches it large enough. Sorting by digits and union-find take linear time, but for the
 * inverse of Ackermann's function.
 *
 * Of a component of so many pixels none is further than that from another: so strips that read as much around them give
 * what the whole image would, and their pixels stay in a core's cache.
 */
#include "base/image/samples.h"
#include "device/tuning.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

/* Sides of a strip: at least, and as many times what is read around it. */
#define SIDE 256
#define ALL_BYTES 268435456.0 /* of all threads at most, unless there is one thread */
#define TIMES 12

#define DIGIT 256

struct shape {
    int width, height, around; /* of a strip, but for what is read around it */
};

/* One channel of a strip with what is read around it, in a frame of pixels that do not count. */
struct part {
    const struct imf_problem *p;
    struct imf_strip_area at; /* of the image */
    size_t pitch;
    size_t size;    /* bytes of a key */
    double *row;    /* samples, then results */
    void *keys;     /* samples as integers in the order in which pixels are taken */
    int32_t *link;  /* the pixel that this one has joined; or, below 0, so many joined this one */
    int32_t *order; /* pixels as they are taken, */
    int32_t *lower; /* and by one digit less */
    unsigned char *before; /* bits of pixels around that are taken before, one of each group */
};

/* ---- keys ------------------------------------------------------------------------------------ */

/* Samples as integers, and back. */
static uint8_t key8(double v) {
    return (uint8_t)v;
}
static double value8(uint8_t key) {
    return key;
}
static uint16_t key16(double v) {
    return (uint16_t)v;
}
static double value16(uint16_t key) {
    return key;
}

/* IEEE 754's floats are in the order of their bits, those below 0 the other way round. */
#define KEYS_OF_FLOATS(bits, real, sign)                                                           \
    static uint##bits##_t key##bits(double v) {                                                    \
        const real x = (real)v;                                                                    \
        uint##bits##_t key;                                                                        \
        memcpy(&key, &x, sizeof key);                                                              \
        return key & (sign) ? ~key : key | (sign);                                                 \
    }                                                                                              \
    static double value##bits(uint##bits##_t key) {                                                \
        real x;                                                                                    \
        key = key & (sign) ? key & ~(sign) : ~key;                                                 \
        memcpy(&x, &key, sizeof x);                                                                \
        return (double)x;                                                                          \
    }
KEYS_OF_FLOATS(32, float, UINT32_C(1) << 31)
KEYS_OF_FLOATS(64, double, UINT64_C(1) << 63)

/* Expand text(bits) for the keys of a sample type. */
#define EACH_KEY(bytes, text)                                                                      \
    do {                                                                                           \
        if ((bytes) == 1) {                                                                        \
            text(8);                                                                               \
        } else if ((bytes) == 2) {                                                                 \
            text(16);                                                                              \
        } else if ((bytes) == 4) {                                                                 \
            text(32);                                                                              \
        } else {                                                                                   \
            text(64);                                                                              \
        }                                                                                          \
    } while (0)

/* The first pixel of a row of the part. */
static size_t row_of(const struct part *part, int y) {
    return (size_t)(y - part->at.y + 1) * part->pitch + 1;
}

static void load(const struct part *part, const struct imf_surface *in, int channel) {
    size_t count = (size_t)part->at.n;
    for (int y = part->at.y; y < part->at.end; y++) {
        size_t to = row_of(part, y);
        imf_channel_widen(part->row, imf_surface_row(in, y), in->sample,
                          (ptrdiff_t)part->at.x * in->channels + channel, in->channels, count);
#define LOAD(bits)                                                                                 \
    for (size_t x = 0; x < count; x++) {                                                           \
        uint##bits##_t key = key##bits(part->row[x]);                                              \
        ((uint##bits##_t *)part->keys)[to + x] =                                                   \
            (uint##bits##_t)(part->p->despeckle->light ? ~key : key);                              \
    }
        EACH_KEY(part->size, LOAD);
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Pixels of equal keys are taken as they lie. */
#define SORT(bits)                                                                                 \
    static size_t sort##bits(struct part *part) {                                                  \
        const uint##bits##_t *key = part->keys;                                                    \
        size_t taken = 0;                                                                          \
        for (int shift = 0; shift < (bits); shift += 8) {                                          \
            size_t place[DIGIT + 1] = {0};                                                         \
            int32_t *lower = part->order;                                                          \
            part->order = part->lower;                                                             \
            part->lower = lower;                                                                   \
            for (int y = part->at.y; y < part->at.end; y++)                                        \
                for (size_t i = row_of(part, y), n = (size_t)part->at.n; n; i++, n--)              \
                    place[(key[i] >> shift) % DIGIT + 1]++;                                        \
            for (int d = 0; d < DIGIT; d++)                                                        \
                place[d + 1] += place[d];                                                          \
            for (int y = part->at.y; y < part->at.end && !shift; y++)                              \
                for (size_t i = row_of(part, y), n = (size_t)part->at.n; n; i++, n--)              \
                    part->order[place[key[i] % DIGIT]++] = (int32_t)i;                             \
            for (size_t n = 0; n < taken; n++)                                                     \
                part->order[place[(key[lower[n]] >> shift) % DIGIT]++] = lower[n];                 \
            taken = place[DIGIT];                                                                  \
        }                                                                                          \
        return taken;                                                                              \
    }
SORT(8)
SORT(16)
SORT(32)
SORT(64)

/* ---- what touches a pixel -------------------------------------------------------------------- */

/* Bits of the pixels around one, in a ring from the upper left on. */
enum {
    ABOVE = 1 | 2 | 4,
    RIGHT = 4 | 8 | 16,
    BELOW = 16 | 32 | 64,
    LEFT = 64 | 128 | 1,
    AROUND = 8
};
#define SIDES (2 | 8 | 32 | 128) /* which touch the next but one by a corner */

static unsigned turned(unsigned ring, int by) {
    return (ring << by | ring >> (AROUND - by)) % (1u << AROUND);
}

/* Pixels that touch each other have one root, or are of large components both: one of them will do. Set few[ring] to one of each
 * group of a set. */
static void find_few(unsigned char few[1 << AROUND]) {
    for (unsigned ring = 0; ring < 1u << AROUND; ring++) {
        few[ring] = 0;
        for (unsigned rest = ring; rest;) {
            unsigned group = 0, more = rest & -rest;
            few[ring] = (unsigned char)(few[ring] | more);
            while (more != group) {
                group = more;
                more |= turned(group, 1) | turned(group, AROUND - 1);
                more |= turned(group & SIDES, 2) | turned(group & SIDES, AROUND - 2);
                more &= ring;
            }
            rest &= ~group;
        }
    }
}

/* Of the pixels around each those that are taken before it, by that table. */
#define FIND_BEFORE(bits)                                                                          \
    for (int x = 0; x < part->at.n; x++) {                                                         \
        const uint##bits##_t *key = (const uint##bits##_t *)part->keys + first + x;                \
        const uint##bits##_t *above = key - part->pitch, *below = key + part->pitch;               \
        ring[x] = (unsigned char)((above[-1] <= *key) | (above[0] <= *key) << 1 |                  \
                                  (above[1] <= *key) << 2 | (key[1] < *key) << 3 |                 \
                                  (below[1] < *key) << 4 | (below[0] < *key) << 5 |                \
                                  (below[-1] < *key) << 6 | (key[-1] <= *key) << 7);               \
    }

static void find_before(const struct part *part) {
    unsigned char few[1 << AROUND];
    find_few(few);
    for (int y = part->at.y; y < part->at.end; y++) {
        size_t first = row_of(part, y);
        unsigned char *restrict ring = part->before + first;
        EACH_KEY(part->size, FIND_BEFORE);
        unsigned within = y > part->at.y ? ~0u : ~(unsigned)ABOVE;
        within &= y < part->at.end - 1 ? ~0u : ~(unsigned)BELOW;
        ring[0] &= (unsigned char)~LEFT;
        ring[part->at.n - 1] &= (unsigned char)~RIGHT;
        for (int x = 0; x < part->at.n; x++)
            ring[x] = few[ring[x] & within];
    }
}

/* ---- components ------------------------------------------------------------------------------ */

static int32_t root_of(int32_t *link, int32_t i) {
    for (int32_t up = link[i]; up >= 0; up = link[i]) {
        int32_t above = link[up];
        if (above < 0)
            return up;
        link[i] = above;
        i = above;
    }
    return i;
}

static void connect(const struct part *part, size_t taken) {
    const int32_t pitch = (int32_t)part->pitch;
    const int32_t around[AROUND] = {-pitch - 1, -pitch, 1 - pitch, 1,
                                    pitch + 1,  pitch,  pitch - 1, -1};
    const int64_t area = part->p->despeckle->area;
    int32_t *link = part->link;
    for (size_t n = 0; n < taken; n++) {
        const int32_t i = part->order[n];
        int64_t size = 1;
        link[i] = -1;
        for (unsigned ring = part->before[i]; ring; ring &= ring - 1) {
            int32_t root = root_of(link, i + around[__builtin_ctz(ring)]);
            if (root == i)
                continue;
            size -= link[root];
            if (-link[root] < area)
                link[root] = i;
        }
        link[i] = (int32_t) - (size < area ? size : area);
    }
}

static void store(const struct part *part, const struct imf_surface *out, int channel,
                  struct imf_strip_area at) {
    size_t count = (size_t)at.n;
    for (int y = at.y; y < at.end; y++) {
        int32_t first = (int32_t)row_of(part, y) + at.x - part->at.x;
#define STORE(bits)                                                                                \
    for (size_t x = 0; x < count; x++) {                                                           \
        size_t root = (size_t)root_of(part->link, first + (int32_t)x);                             \
        uint##bits##_t key = ((const uint##bits##_t *)part->keys)[root];                           \
        part->row[x] = value##bits((uint##bits##_t)(part->p->despeckle->light ? ~key : key));      \
    }
        EACH_KEY(part->size, STORE);
        imf_epilogue_values(&part->p->epilogue, part->row, count);
        imf_channel_narrow(imf_surface_row(out, y), out->sample,
                           (ptrdiff_t)at.x * out->channels + channel, out->channels, part->row,
                           count);
    }
}

/* ---- the solver ------------------------------------------------------------------------------ */

static int with_around(int side, int around, int all) {
    return (int)fmin(fmin((double)side + 2.0 * around, all), INT32_MAX - 2) + 2;
}

/* Pixels of a part with its frame; a multiple of 16. */
static size_t pixels(const struct imf_problem *p, const struct shape *s) {
    size_t n = (size_t)with_around(s->width, s->around, p->width) *
               (size_t)with_around(s->height, s->around, p->height);
    return (n + 15) / 16 * 16;
}

static size_t despeckle_scratch(const struct imf_problem *p, const void *shape, int width) {
    size_t key = imf_sample_size(p->in);
    (void)width;
    return (size_t)(p->width + 1) * sizeof(double) +
           pixels(p, shape) * (key + 3 * sizeof(int32_t) + 1);
}

static struct imf_strips despeckle_cut(const struct imf_job *job, int height) {
    const struct shape *s = imf_job_shape(job);
    return imf_strips_of(job->p.width, height, s->width, s->height);
}

static void copy(const struct imf_host_strip *s, double *row, int channel) {
    ptrdiff_t first = (ptrdiff_t)s->at.x * s->in->channels + channel;
    for (int y = s->at.y; y < s->at.end; y++) {
        imf_channel_widen(row, imf_surface_row(s->in, y), s->in->sample, first, s->in->channels,
                          (size_t)s->at.n);
        imf_channel_narrow(imf_surface_row(s->out, y), s->out->sample, first, s->out->channels, row,
                           (size_t)s->at.n);
    }
}

static void despeckle_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    const struct shape *shape = imf_job_shape(s->job);
    const size_t n = pixels(p, shape);
    int left = imf_max(s->at.x - shape->around, 0), top = imf_max(s->at.y - shape->around, 0);
    int right = (int)fmin((double)s->at.x + s->at.n + shape->around, p->width);
    int bottom = (int)fmin((double)s->at.end + shape->around, p->height);
    struct part part = {.p = p,
                        .at = {left, right - left, top, bottom},
                        .pitch = (size_t)(right - left) + 2,
                        .size = imf_sample_size(p->in),
                        .row = s->scratch};
    part.keys = part.row + p->width + 1;
    part.link = (int32_t *)(void *)((char *)part.keys + n * part.size);
    part.order = part.link + n;
    part.lower = part.order + n;
    part.before = (unsigned char *)(part.lower + n);
    for (int c = 0; c < p->channels; c++) {
        size_t taken = 0;
        if (c >= p->colors) {
            copy(s, part.row, c);
            continue;
        }
        load(&part, s->in, c);
#define TAKE(bits) taken = sort##bits(&part)
        EACH_KEY(part.size, TAKE);
        find_before(&part);
        connect(&part, taken);
        store(&part, s->out, c, s->at);
    }
}

static int even_parts(int all, int most) {
    return (all - 1) / ((all - 1) / most + 1) + 1;
}

/* Milliseconds of one core: samples with those around strips * imf_host_rates.component * 1e-6. */
static void despeckle_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    int around = p->despeckle->area - 1;
    int side = (int)fmin(fmax(SIDE, (double)TIMES * around), INT32_MAX);
    struct shape *s = (void *)out->shape.bytes;
    (void)d;
    *s = (struct shape){even_parts(p->width, side), even_parts(p->height, side), around};
    double w = with_around(s->width, around, p->width),
           h = with_around(s->height, around, p->height);
    if (w * h > INT32_MAX - 16) {
        imf_proposal_refuse(out, "components are followed in 2^31 pixels at most");
        return;
    }
    out->error = 0;
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "union of pixels, strips of %dx%d",
             s->width, s->height);
    imf_proposal_strips(out, p,
                        (double)p->width * p->height * p->colors * imf_host_rates.component *
                            (w * h / ((double)s->width * s->height)) * 1e-6,
                        s->width);
}

#define DESPECKLE(word, where)                                                                     \
    {                                                                                              \
        .name = word, .backend = where, .float64 = true, .kinds = 1u << IMF_DESPECKLE,             \
        .propose = despeckle_propose, .cut = despeckle_cut, .scratch_bytes = despeckle_scratch,    \
        .most_scratch = ALL_BYTES, .strip = despeckle_strip                                        \
    }
const struct imf_solver imf_solver_despeckle = DESPECKLE("vector", IMF_BACKEND_VECTOR),
                        imf_solver_despeckle_host = DESPECKLE("cpu", IMF_BACKEND_CPU);
