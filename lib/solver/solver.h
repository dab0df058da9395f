/*
 * solver.h - one algorithm a file, each behind the same table
 *
 * A solver answers a problem on a device with a proposal: whether it is feasible, its time and
 * memory, and the shape of the work. The proposal is estimated, explained, limited and run. The
 * solver's job computes a filtering pass: it reads a surface whose margins are filled and writes every
 * pixel of another surface.
 */
#ifndef IMF_SOLVER_SOLVER_H
#define IMF_SOLVER_SOLVER_H

#include "base/thread_pool.h"
#include "solver/problem.h"

#include <stddef.h>

#define IMF_WHY 160
#define IMF_DESCRIPTION 64

/* Bytes of the largest shape, and of a shape of which another solver's shape holds two. */
#define IMF_SHAPE 512
#define IMF_SHAPE_PART 96

/* How a pass may be divided into bands. */
enum imf_bands_wish {
    IMF_BANDS_MANY,
    IMF_BANDS_FEW,   /* low bands cost more for each row */
    IMF_BANDS_TWICE, /* many, once `measure` has had all rows; or one */
    IMF_BANDS_WHOLE  /* one band, of the problem's height */
};

/* Where a pass runs: on the host's cores and memory, or on an OpenCL device. */
enum imf_place { IMF_PLACE_HOST, IMF_PLACE_DEVICE, IMF_PLACES };

/* What a solver would do. A plain value that owns nothing. */
struct imf_proposal {
    const struct imf_solver *solver; /* NULL for a pass of point operations */
    enum imf_backend backend;
    enum imf_place place;
    bool feasible;     /* within the exactness that the problem asks for */
    char why[IMF_WHY]; /* the reason, if it is not feasible */
    double ms;      /* estimate of a run on pixels that are at the place; INFINITY: not feasible */
    double bytes;   /* that make and run allocate, except for small tables */
    double largest; /* bytes of the largest buffer; 0: it is small */
    size_t local;   /* bytes of local memory of a work-group */
    double error;   /* bound of a result's error before it is rounded to a sample */
    /* "direct 3x3, exact, 16-bit integers", "fft tiles 256x256" */
    char description[IMF_DESCRIPTION];
    int height; /* the problem's */
    enum imf_bands_wish bands;
    struct imf_gles *gles; /* IMF_BACKEND_GLES: the context; set by the caller of make */
    int step; /* results do not depend on bands that end at multiples of so many rows */
    union {
        max_align_t align;
        unsigned char bytes[IMF_SHAPE];
    } shape; /* private to the solver */
};

struct imf_solver {
    const char *name; /* "direct", "separable", "fft", "vector", "cpu" */
    enum imf_backend backend;
    const char *program; /* its file in cl/ without the suffix, for imf_quarantine(), or NULL */
    bool float64;        /* its samples may be IMF_F64, and others too coarse for it */
    unsigned kinds;      /* of problems that it takes: a set of 1u << enum imf_problem_kind */
    /* Answer a problem of one of these kinds. imf_propose() has prepared `out`. d is NULL for host
     * solvers. */
    void (*propose)(const struct imf_problem *p, const struct imf_device *d,
                    struct imf_proposal *out);
    /* Make a job of a proposal for this problem: compile, upload tables. *job is private to the solver.
     * queue is NULL for host solvers and OpenGL ES. What p borrows must outlive the job. */
    enum imf_status (*make)(void **job, const struct imf_problem *p,
                            const struct imf_proposal *proposal, struct imf_queue *queue,
                            struct imf_error *err);
    /* Enqueue the work, or on the host do it. Surfaces have the problem's width and any height up to
     * the problem's (IMF_BANDS_WHOLE: that height). The margins of `in` are filled and at least the
     * problem's reach. Writes the pixels of `out` and up to IMF_SLACK samples behind each row. */
    enum imf_status (*run)(void *job, const struct imf_surface *in, const struct imf_surface *out,
                           struct imf_error *err);
    /* May be NULL: see IMF_BANDS_TWICE. Take what the maps of samples are made of from the rows of `in`,
     * which begins with the image's row in->row. All rows come, in order, before `run` gets the first
     * band; it measures a surface of the problem's height itself. */
    enum imf_status (*measure)(void *job, const struct imf_surface *in, struct imf_error *err);
    void (*destroy)(void **job);
    /* Lend later runs the threads of `pool`; NULL for OpenCL's solvers. */
    void (*use_pool)(void *job, struct imf_pool *pool);
    /* May be NULL. What the last run found in the image, for the user: a phrase, or nothing. */
    void (*tell)(const void *job, char *text, size_t size);
};

/* All solvers, ended by NULL. The first of equally cheap ones is taken. */
extern const struct imf_solver *const imf_solvers[];

/* The solvers that other code names; solver/registry.c lists all. */
extern const struct imf_solver imf_solver_direct_gpu, imf_solver_direct, imf_solver_separable_gpu,
    imf_solver_separable, imf_solver_fft_gpu, imf_solver_fft, imf_solver_spectral_filter_gpu,
    imf_solver_spectral_filter, imf_solver_decimated, imf_solver_runs, imf_solver_vector,
    imf_solver_host, imf_solver_spectral_filter_host, imf_solver_spectral_filter_vector,
    imf_solver_float64, imf_solver_fft_host, imf_solver_phase, imf_solver_histogram_op_vector,
    imf_solver_histogram_op_host, imf_solver_gles;

/* Ask a solver. The proposal is not feasible if the problem's kind is not the solver's, or the device
 * lacks memory or a usable driver. */
void imf_propose(struct imf_proposal *out, const struct imf_solver *solver,
                 const struct imf_problem *p, const struct imf_device *d);
/* Repeat a proposal for a band of p->height rows; not feasible if the device lacks memory even for
 * that. */
void imf_propose_band(struct imf_proposal *out, const struct imf_problem *p,
                      const struct imf_device *d);
/* The cheapest proposal of a host backend's solvers; if none is feasible, the last refusal. */
void imf_propose_backend(struct imf_proposal *out, enum imf_backend backend,
                         const struct imf_problem *p);
/* The proposal of the plain C solver (backend cpu). */
void imf_propose_host(struct imf_proposal *out, const struct imf_problem *p);
/* The backend needs no OpenCL device: its solvers get none and work in the host's memory. */
bool imf_backend_is_host(enum imf_backend backend);
/* Whether the solver takes problems of this kind. */
bool imf_solver_takes(const struct imf_solver *solver, enum imf_problem_kind kind);
/* For solvers: set the reason why a problem is refused. */
void imf_proposal_refuse(struct imf_proposal *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
