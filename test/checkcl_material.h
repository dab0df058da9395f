/* checkcl_material.h - kernels, images and problems for the checks */
#ifndef CHECKCL_MATERIAL_H
#define CHECKCL_MATERIAL_H

#include "checkcl.h"
#include "solver.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum taps {
    INTEGER,
    POSITIVE,
    REAL,
    RANK1_INTEGER,
    RANK1_REAL,
    SYMMETRIC,
    RANK2_REAL, /* the second term one tap smaller on each side */
    RANK3_REAL,
    IDENTITY /* rank 1 and one tap more */
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
};

/* What it is done with; want is the reference's float64 result. */
struct material {
    struct imf_kernel *kernel[2];
    struct imf_problem p;
    struct imf_surface in, want;
};

/* The value that constant edges hold. */
#define CHECKCL_CONSTANT 77

/* Random samples with stretches of both extremes, which is where sums overflow. */
void checkcl_fill(const struct imf_surface *s, uint64_t *random);
/* Host storage, zeroed. */
struct imf_surface checkcl_surface(enum imf_sample sample, struct shape z, struct imf_margin m);
double checkcl_sample(const struct imf_surface *s, int y, size_t i);

/* Copy a host surface to a new buffer, and the buffer s->mem back. */
cl_mem checkcl_upload(struct checkcl *c, const struct imf_surface *s);
bool checkcl_download(struct checkcl *c, const struct imf_surface *s);

void checkcl_prepare(struct material *m, const struct kase *k, uint64_t seed);
void checkcl_release(struct material *m);
/* One phrase, in static storage. */
const char *checkcl_describe(const struct kase *k);
/* Samples that differ from the reference by more than the contract allows. */
unsigned long checkcl_wrong(const struct material *m, const struct imf_surface *got);

/* The definition of the edge modes, one step at a time; -1: the constant. */
int checkcl_walk(enum imf_edge edge, int i, int n);

#endif
