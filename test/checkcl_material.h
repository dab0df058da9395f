/* checkcl_material.h - kernels, images and problems for the checks */
#ifndef CHECKCL_MATERIAL_H
#define CHECKCL_MATERIAL_H

#include "checkcl.h"
#include "solver/solver.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum taps {
    INTEGER,
    POSITIVE,
    REAL,
    RANK1_INTEGER,
    RANK1_REAL,
    SYMMETRIC,
    ANTISYMMETRIC, /* integers: columns mirror each other with opposite sign, and rank 1 */
    RANK1_FLOAT,   /* rank 1 but for the rounding of its taps to floats */
    RANK2_REAL,    /* the second term one tap smaller on each side */
    RANK3_REAL,
    IDENTITY, /* rank 1 and one tap more */
    GAUSSIAN, /* of a tenth of the sides: smooth enough for a coarse grid */
    FLAT,     /* all the same; the next two are that with signs */
    CHECKER,
    STEP,
    RINGS /* an ellipse of ones, and in it another of -3: few runs a row, and a sum of about 0 */
};

enum picture {
    MIXED, /* random samples with stretches of both extremes, which is where sums overflow */
    NOISE,
    BLACK,
    WHITE,
    HALVES, /* black and white */
    GRATING,
    CHESS,  /* the same, a pixel a field, in blocks of several amplitudes */
    DIM,    /* noise below 256: of 16 bits only the low ones */
    SIGNED, /* noise of both signs, as a pass leaves it; floats alone */
    PICTURES
};

struct shape {
    int width, height, channels;
};

/* One check. */
struct kase {
    struct shape shape;
    enum imf_sample in, out;
    int kw, kh;
    enum taps taps;
    int magnitude;
    int epilogue; /* variant */
    enum imf_edge edge;
    enum picture picture;
    int gain, scale; /* FLAT and on, or REAL and not 0: of each tap, of the kernel */
};

/* What it is done with; want is the reference's float64 result. */
struct material {
    struct imf_kernel *kernel[2];
    struct imf_problem p;
    struct imf_surface in, want;
};

/* The value that constant edges hold. */
#define CHECKCL_CONSTANT 77

void checkcl_fill(const struct imf_surface *s, enum picture picture, uint64_t *random);
/* Host storage, zeroed. */
struct imf_surface checkcl_surface(enum imf_sample sample, struct shape z, struct imf_margin m);
double checkcl_sample(const struct imf_surface *s, int y, size_t i);

/* Copy a host surface to a new buffer, and the buffer s->mem back. */
struct imf_buffer *checkcl_upload(struct checkcl *c, const struct imf_surface *s);
bool checkcl_download(struct checkcl *c, const struct imf_surface *s);

/* What surfaces are full of before solvers write to them, and bytes outside the pixels and their slack
 * that no longer hold it. */
#define CHECKCL_CANARY 0xa5
unsigned long checkcl_broken(const struct imf_surface *s);

/* Kernels and problem only. */
void checkcl_problem(struct material *m, const struct kase *k, uint64_t *random);
/* All of it. */
void checkcl_prepare(struct material *m, const struct kase *k, uint64_t seed);
void checkcl_release(struct material *m);
/* One phrase, in static storage. */
const char *checkcl_describe(const struct kase *k);
/* "direct/5x5/rank1-real/u8-u8/3ch": what a case compiles, whatever its shape and edge. Static. */
const char *checkcl_variant(const struct imf_solver *s, const struct kase *k);
/* Samples that differ from the reference by more than the contract allows. */
unsigned long checkcl_wrong(const struct material *m, const struct imf_surface *got);

/* A proposal on a problem whose input is filled: what is run, how its result is judged, and what it is called. */
struct checkcl_run {
    const struct imf_proposal *proposal;
    const struct imf_problem *p;
    struct imf_surface *in;
    int times; /* more than one: nothing of one image may be left for the next */
    unsigned long (*wrong)(const struct checkcl_run *r, const struct imf_surface *got);
    const void *want;
    const char *what, *name; /* of the case, and of the variant that is timed */
    enum picture picture;    /* that it is timed with */
};
/* Run it into a surface full of canaries, compare and, for the benchmark, time it. */
void checkcl_run(struct checkcl *c, const struct checkcl_run *r);

/* Run a solver on a case, if it is able to do it, and compare. */
void checkcl_solver(struct checkcl *c, const struct imf_solver *s, const struct kase *k,
                    uint64_t seed);
/* The solver by its file's name. */
const char *checkcl_name(const struct imf_solver *s);
/* Time a problem that was found right on an image of the benchmark's size, if its name is new. */
void checkcl_time(struct checkcl *c, const struct imf_solver *s, const char *name,
                  const struct imf_problem *checked, enum picture picture);
/* The device as that solver needs it: those for GPUs run anywhere, if slowly. */
struct imf_device checkcl_device(const struct checkcl *c, const struct imf_solver *s);

/* The definition of the edge modes, one step at a time; -1: the constant. */
int checkcl_walk(enum imf_edge edge, int i, int n);

#endif
