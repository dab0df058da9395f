/*
 * checkcl_gles.c - kernels of integers by OpenGL ES 2 against the reference, whole and in tiles
 *
 * Each case compiles a shader, which takes half a second where a processor draws: shapes, edges and
 * ends are drawn so that each meets most sizes and numbers of channels; --full has them all.
 */
#include "checkcl_material.h"

#include <stdlib.h>

static const struct shape shapes[] = {{1, 1, 0},   {1, 37, 0},  {41, 1, 0},  {2, 3, 0},
                                      {31, 29, 0}, {97, 61, 0}, {64, 40, 0}, {131, 73, 0}};

static void check(struct checkcl *c, struct kase *k, uint64_t seed) {
    if (k->taps < FLAT)
        k->gain = k->scale = 0;
    checkcl_solver(c, &imf_solver_gles, k, seed);
}

/* Every odd size, some even ones and oblong ones. */
static void check_sizes(struct checkcl *c) {
    static const enum taps taps[] = {INTEGER, POSITIVE, SYMMETRIC, ANTISYMMETRIC, RANK1_INTEGER};
    uint64_t seed = 7000;
    for (int side = 1; side <= 33; side += side == 31 ? 1 : 2)
        for (int channels = 1; channels <= 4; channels++) {
            uint64_t r = ++seed;
            bool oblong = side >= 32;
            if ((side / 2 + channels) % (c->full ? 1 : c->quick ? 8 : 4))
                continue;
            struct kase k = {.shape = shapes[seed % COUNT(shapes)],
                             .in = IMF_U8,
                             .out = IMF_U8,
                             .kw = oblong ? (side == 32 ? 30 : 3) : side,
                             .kh = oblong ? (side == 32 ? 2 : 31) : side,
                             .taps = taps[checkcl_random(&r) % COUNT(taps)],
                             .epilogue = (int)(seed % 6),
                             .edge = (enum imf_edge)(checkcl_random(&r) % 5)};
            k.shape.channels = channels;
            check(c, &k, seed);
        }
}

/* Each shape, number of channels and edge with few kernels, of which some are larger than it. */
static void check_shapes(struct checkcl *c) {
    for (size_t z = 0; z < COUNT(shapes); z++)
        for (int channels = 1; channels <= 4; channels++) {
            struct kase k = {.shape = shapes[z],
                             .in = IMF_U8,
                             .out = IMF_U8,
                             .kw = 5,
                             .kh = 3,
                             .taps = INTEGER,
                             .edge = (enum imf_edge)((z + (size_t)channels) % 5)};
            if (!c->full && (z + (size_t)channels) % 3)
                continue;
            k.shape.channels = channels;
            check(c, &k, 50);
        }
}

/* Quotients: ties and what comes next to them, of either sign, up to sums of nearly 2^24. 1/122 is
 * less than it should be as a float: ties come out below themselves. */
static void check_scales(struct checkcl *c) {
    static const struct {
        int gain, scale;
    } some[] = {{1, 2},    {1, 7},       {1, 122},        {3, -2},
                {250, 16}, {1000, 4095}, {7000, 1000000}, {1, 65536}};
    for (size_t i = 0; i < COUNT(some); i++)
        for (int end = 0; end < 6; end++) {
            if (!c->full && (size_t)end != 2 * i % 6)
                continue;
            struct kase k = {.shape = {61, 43, 1 + (int)i % 4},
                             .in = IMF_U8,
                             .out = IMF_U8,
                             .kw = 3,
                             .kh = 3,
                             .taps = i % 2 ? CHECKER : FLAT,
                             .epilogue = end,
                             .gain = some[i].gain,
                             .scale = some[i].scale};
            check(c, &k, 80 + i);
        }
}

/* Numbers of four bytes, as other passes of a chain leave and want them; magnitudes. */
static void check_others(struct checkcl *c) {
    static const struct kase cases[] = {
        {{31, 29, 3}, IMF_U8, IMF_F32, 5, 5, INTEGER, 0, 0, IMF_EDGE_CLAMP, MIXED, 0, 0},
        {{64, 40, 4}, IMF_F32, IMF_U8, 3, 7, INTEGER, 0, 2, IMF_EDGE_WRAP, SIGNED, 0, 0},
        {{37, 11, 2}, IMF_F32, IMF_F32, 9, 1, SYMMETRIC, 0, 3, IMF_EDGE_MIRROR, SIGNED, 0, 0},
        {{1, 23, 1}, IMF_F32, IMF_F32, 4, 2, ANTISYMMETRIC, 0, 1, IMF_EDGE_REFLECT, SIGNED, 0, 0},
        {{97, 61, 1}, IMF_U8, IMF_U8, 3, 3, ANTISYMMETRIC, 1, 0, IMF_EDGE_CLAMP, MIXED, 0, 0},
        {{130, 75, 3}, IMF_U8, IMF_U8, 5, 5, INTEGER, 1, 2, IMF_EDGE_REFLECT, NOISE, 0, 0},
        {{64, 40, 4}, IMF_U8, IMF_U8, 15, 3, INTEGER, 1, 3, IMF_EDGE_MIRROR, MIXED, 0, 0},
        {{31, 29, 2}, IMF_F32, IMF_U8, 3, 3, INTEGER, 1, 1, IMF_EDGE_CONSTANT, SIGNED, 0, 0},
        {{97, 61, 3}, IMF_U8, IMF_U8, 3, 1, FLAT, 1, 5, IMF_EDGE_CLAMP, NOISE, 1, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct kase k = cases[i];
        check(c, &k, 300 + i);
    }
}

/* The same in tiles of a few texels. */
static void check_tiles(struct checkcl *c) {
    imf_gles_limit(c->gles, 48);
    for (int channels = 1; channels <= 4; channels++)
        for (int floats = 0; floats < 2; floats++) {
            if (c->quick && floats != channels % 2)
                continue;
            struct kase k = {.shape = {257, 101, channels},
                             .in = floats ? IMF_F32 : IMF_U8,
                             .out = IMF_U8,
                             .kw = 7,
                             .kh = 9,
                             .taps = INTEGER,
                             .edge = IMF_EDGE_MIRROR,
                             .picture = floats ? SIGNED : MIXED};
            check(c, &k, 90 + (uint64_t)channels);
        }
}

void checkcl_gles(struct checkcl *c) {
    struct imf_error err;
    enum imf_status st = imf_gles_open(&c->gles, &err);
    if (!st && imf_gles_why_not(c->gles)) {
        st = imf_fail(&err, IMF_ERR_NO_DEVICE, "%s", imf_gles_why_not(c->gles));
        imf_gles_close(&c->gles);
    }
    if (st) {
        if (getenv("IMFILTER_NEED_GLES"))
            checkcl_result(c, false, "it is needed here: %s", err.text);
        else
            printf("checkcl: passed over: %s\n", err.text);
        return;
    }
    printf("checkcl on %s\n", imf_gles_name(c->gles));
    check_sizes(c);
    check_shapes(c);
    check_scales(c);
    check_others(c);
    if (!c->bench)
        check_tiles(c);
    imf_gles_close(&c->gles);
}
