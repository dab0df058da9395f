/*
 * solver.h - one algorithm a file, each behind the same table
 *
 * A solver is asked what it proposes for a problem on a device: whether it can, what that takes,
 * how it would be done. What is estimated, explained, limited and run is this one proposal. The
 * solver computes a filtering pass: it reads a surface whose margins are filled and writes every
 * pixel of another surface.
 */
#ifndef IMF_SOLVER_SOLVER_H
#define IMF_SOLVER_SOLVER_H

#include "base/parallel.h"
#include "solver/problem.h"

#include <stddef.h>

#define IMF_WHY 160
#define IMF_PHRASE 64

/* Bytes of the largest shape, and of one that another solver's is made of. */
#define IMF_SHAPE 512
#define IMF_SHAPE_PART 96

/* In how many bands a pass may be run. */
enum imf_bands_wish {
    IMF_BANDS_MANY,
    IMF_BANDS_FEW,  /* low ones cost more */
    IMF_BANDS_WHOLE /* only one, of the problem's height */
};

/* Where a pass is done: on the host's cores, on its memory, or on an OpenCL device. */
enum imf_place { IMF_PLACE_HOST, IMF_PLACE_DEVICE, IMF_PLACES };

/* A value: what a solver would do; it owns nothing. */
struct imf_proposal {
    const struct imf_solver *solver; /* NULL: of a point pass */
    enum imf_backend backend;
    enum imf_place place;
    bool able;               /* within the exactness asked for; */
    char why[IMF_WHY];       /* when not, why not */
    double ms;               /* of a run on pixels that are on the device, estimated; or INFINITY */
    double bytes;            /* that make and run allocate, but for a table at most */
    double largest;          /* of these, in one buffer; 0: it is small */
    size_t local;            /* bytes of local memory that a work-group takes */
    double error;            /* results may be off by, before they are rounded to samples */
    char phrase[IMF_PHRASE]; /* "direct 3x3, exact, 16-bit integers", "fft tiles 256x256" */
    int height;              /* of the problem */
    enum imf_bands_wish bands;
    struct imf_gles
        *gles; /* that a solver of IMF_BACKEND_GLES makes it on: whoever has it made says */
    int step;  /* bands may end at multiples of so many rows: results do not depend on them then */
    union {
        max_align_t align;
        unsigned char bytes[IMF_SHAPE];
    } shape; /* the solver's own */
};

struct imf_solver {
    const char *name; /* "direct", "separable", "fft", "vector", "cpu" */
    enum imf_backend backend;
    const char *program; /* its file of cl/, without the ending, if a driver crashes in it */
    unsigned kinds;      /* of problems: a set of 1u << enum imf_problem_kind */
    /* Answer for a problem of these kinds; `out` comes as imf_propose() prepares it. d is NULL for
     * host solvers. */
    void (*propose)(const struct imf_problem *p, const struct imf_device *d,
                    struct imf_proposal *out);
    /* Compile what was proposed for this problem; *job is the solver's own. queue is NULL for host
     * solvers, and those of OpenGL ES. What p borrows must outlive the job. */
    enum imf_status (*make)(void **job, const struct imf_problem *p,
                            const struct imf_proposal *proposal, struct imf_queue *queue,
                            struct imf_error *err);
    /* Enqueue (or on the host: do) the work, on surfaces of the problem's width and, unless the
     * proposal's bands are IMF_BANDS_WHOLE, of any height up to its own. in has at least the
     * problem's reach as margins, filled. Writes pixels of `out` and nothing else of it but up to
     * IMF_SLACK samples behind each row. */
    enum imf_status (*run)(void *job, const struct imf_surface *in, const struct imf_surface *out,
                           struct imf_error *err);
    void (*destroy)(void **job);
    /* Let the job's runs use the threads of `pool`, which they borrow; NULL: they use none. */
    void (*use_pool)(void *job, struct imf_pool *pool);
};

/* Every solver, a NULL behind the last; of equally cheap ones the first is taken. */
extern const struct imf_solver *const imf_solvers[];

/* Those of sums of products and transfer functions, which others name too; solver/registry.c lists
 * all. */
extern const struct imf_solver imf_solver_direct_gpu, imf_solver_direct, imf_solver_separable_gpu,
    imf_solver_separable, imf_solver_fft_gpu, imf_solver_fft, imf_solver_frequency_gpu,
    imf_solver_frequency, imf_solver_multirate, imf_solver_runs, imf_solver_vector, imf_solver_host,
    imf_solver_host_frequency, imf_solver_vector_frequency, imf_solver_phase,
    imf_solver_table_vector, imf_solver_table, imf_solver_gles;

/* What a solver proposes: not able, and why, until it says otherwise. */
void imf_propose(struct imf_proposal *out, const struct imf_solver *solver,
                 const struct imf_problem *p, const struct imf_device *d);
/* A proposal again for a band, of as many rows as p has; not able where the device lacks room even
 * for that. What an image needs at once is only asked of those whose bands are IMF_BANDS_WHOLE. */
void imf_propose_band(struct imf_proposal *out, const struct imf_problem *p,
                      const struct imf_device *d);
/* The cheapest of a host backend's, or the last one's why not. */
void imf_propose_backend(struct imf_proposal *out, enum imf_backend backend,
                         const struct imf_problem *p);
/* The same of the host's solver of problems of this kind. */
void imf_propose_host(struct imf_proposal *out, const struct imf_problem *p);
/* Those that need no OpenCL device: its solvers get none, and work in the host's memory. */
bool imf_backend_is_host(enum imf_backend backend);
/* The solver takes problems of this kind. */
bool imf_solver_takes(const struct imf_solver *solver, enum imf_problem_kind kind);
/* For solvers: why a problem cannot be done. */
void imf_proposal_refuse(struct imf_proposal *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
