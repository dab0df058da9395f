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
#include "device/program.h"
#include "solver/problem.h"
#include "solver/strips.h"

#include <stddef.h>

#define IMF_WHY 160
#define IMF_DESCRIPTION 80

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
    size_t missing;    /* bytes that could not be allocated to find this out, or 0 */
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

/* Programs and buffers of a job, at most. */
#define IMF_JOB_PROGRAMS 8
#define IMF_JOB_BUFFERS 12

/* A proposal at work: what every solver's job has. solver/job.c makes it, lends it threads and frees it. */
struct imf_job {
    const struct imf_solver *solver;
    struct imf_problem p; /* what it borrows outlives the job */
    struct imf_proposal proposal;
    struct imf_pool *pool; /* borrowed, or NULL: all cores, with threads of its own for each run */
    struct imf_queue *queue; /* borrowed; NULL on the host and for OpenGL ES */
    struct imf_program *program[IMF_JOB_PROGRAMS]; /* owned, or NULL */
    struct imf_buffer *buffer[IMF_JOB_BUFFERS];    /* owned, or NULL */
    void *memory[IMF_JOB_BUFFERS];                 /* owned, or NULL: of host solvers, zeroed */
    void *own;                                     /* solver->own bytes, zeroed before `prepare` */
};

/* What one core computes of a pass at a time, and its memory. */
struct imf_host_strip {
    const struct imf_job *job;
    const struct imf_surface *in, *out;
    struct imf_strip_area at;
    void *scratch; /* solver->scratch_bytes() of a strip of strips.width, not cleared */
};

/*
 * A solver is what it proposes and how a band is computed. On the host that is `strip`, of each of the
 * strips that `cut` makes; the frame has their threads, their scratch memory and its failure. On a device it is
 * `run`, with the programs and buffers that the frame has made of the tables. `run` also stands for work on
 * the host that is not cut into strips.
 */
struct imf_solver {
    const char *name; /* "direct", "separable", "fft", "vector", "cpu" */
    enum imf_backend backend;
    const char *program; /* its file in cl/ without the suffix, for imf_quarantine(), or NULL */
    /* Samples may be IMF_F64. Others refuse these, and are not asked where floats between passes are too
     * coarse. */
    bool float64;
    /* It takes problems that are `local`; others refuse these. */
    bool local;
    size_t group;   /* it is for GPUs, with work-groups of so many work-items; 0: for any device */
    unsigned kinds; /* of problems that it takes: a set of 1u << enum imf_problem_kind */
    /* Answer a problem of one of these kinds. imf_propose() has prepared `out`. d is NULL for host
     * solvers. */
    void (*propose)(const struct imf_problem *p, const struct imf_device *d,
                    struct imf_proposal *out);

    /* ---- making; each may be 0 or NULL ---- */
    size_t own; /* bytes of job->own */
    /* Programs: job->program[i] is the kernel entries[i] of `program`.cl with these parts and lines; both
     * lists end with NULL. `floats`: floats hold samples and results exactly, so that EXACT is 0. */
    const char *const *entries, *const *parts;
    bool floats;
    /* `parts` has subword.cl, which PTX tells of a GPU's own instructions. */
    bool subword;
    void (*define)(struct imf_defines *d, const struct imf_job *job);
    /* Buffers: set the bytes of job->buffer[i], or of job->memory[i] on the host; 0: none. False: they exceed
     * a size_t. `shape` is the proposal's. */
    bool (*sizes)(const struct imf_problem *p, const void *shape, size_t bytes[IMF_JOB_BUFFERS]);
    /* What the job needs beside these: tables, and programs that depend on the shape. On failure the frame
     * frees what there is. */
    enum imf_status (*prepare)(struct imf_job *job, struct imf_error *err);
    /* Free what `own` owns, also after `prepare` failed. */
    void (*release)(struct imf_job *job);

    /* ---- running; `run`, or `strip` with `cut` and perhaps scratch_bytes ---- */
    /* Enqueue the work, or on the host do it. Surfaces have the problem's width and any height up to
     * the problem's (IMF_BANDS_WHOLE: that height). The margins of `in` are filled and at least the
     * problem's reach. Writes the pixels of `out` and up to IMF_SLACK samples behind each row. */
    enum imf_status (*run)(struct imf_job *job, const struct imf_surface *in,
                           const struct imf_surface *out, struct imf_error *err);
    /* The strips of a band of so many rows. Proposals are cut too: there is no `own` yet, nor `memory`. */
    struct imf_strips (*cut)(const struct imf_job *job, int height);
    /* Bytes of scratch memory of a strip of so many of the units that `cut` counts; `shape` is the
     * proposal's. */
    size_t (*scratch_bytes)(const struct imf_problem *p, const void *shape, int width);
    void (*strip)(const struct imf_host_strip *s);
    double most_scratch; /* bytes of all threads at most, unless there is one; 0: any */
    /* May be NULL: see IMF_BANDS_TWICE. Take what the maps of samples are made of from the rows of `in`,
     * which begins with the image's row in->row. All rows come, in order, before the first band is run;
     * imf_job_run() has a surface of the problem's height measured. */
    enum imf_status (*measure)(struct imf_job *job, const struct imf_surface *in,
                               struct imf_error *err);
    /* May be NULL. What the last run found in the image, for the user: a phrase, or nothing. */
    void (*tell)(const struct imf_job *job, char *text, size_t size);
};

/*
 * Make a job of a proposal for this problem: compile, upload tables. queue is NULL for host solvers and
 * OpenGL ES. On failure *job is NULL.
 */
enum imf_status imf_job_make(struct imf_job **job, const struct imf_problem *p,
                             const struct imf_proposal *proposal, struct imf_queue *queue,
                             struct imf_error *err);
/* As a solver's `run`; the threads are those of job->pool, which the caller may set. */
enum imf_status imf_job_run(struct imf_job *job, const struct imf_surface *in,
                            const struct imf_surface *out, struct imf_error *err);
void imf_job_free(struct imf_job **job);
/* As a solver's `measure` and `tell`, which it must have (measure) or may have. */
enum imf_status imf_job_measure(struct imf_job *job, const struct imf_surface *in,
                                struct imf_error *err);
void imf_job_tell(const struct imf_job *job, char *text, size_t size);

/* For solvers: add the "#define" lines that common.cl reads: IN, OUT, EXACT, WIDE, E_* and X_*; not VEC,
 * which the solver sets. */
void imf_problem_defines(struct imf_defines *d, const struct imf_problem *p);
/* For solvers: what the proposal decided. */
static inline const void *imf_job_shape(const struct imf_job *job) {
    return job->proposal.shape.bytes;
}
/* For solvers whose programs are not one table: make job->program[first] and the next the kernels `entries`
 * (ended by NULL) of `program`.cl with these parts and lines, which are freed. */
enum imf_status imf_job_programs(struct imf_job *job, int first, const char *const *entries,
                                 const char *const *parts, struct imf_defines *d,
                                 struct imf_error *err);
/* For solvers that pass over an image more than once: make `entries` for another problem than the job's. */
enum imf_status imf_job_entries(struct imf_job *job, int first, const struct imf_problem *p,
                                struct imf_error *err);
/* For solvers: upload a table from malloc(), which is freed; NULL: there was no memory for it. */
enum imf_status imf_job_table(const struct imf_job *job, struct imf_buffer **out, void *table,
                              size_t bytes, struct imf_error *err);
/* For solvers whose `run` does more: its strips, on the host's cores. */
enum imf_status imf_job_strips(struct imf_job *job, const struct imf_surface *in,
                               const struct imf_surface *out, struct imf_error *err);
/* For solvers: start kernel i of the job. */
#define imf_job_launch(job, i, grid, args, err)                                                    \
    imf_program_launch((job)->queue, (job)->program[i], grid, args, err)
/* The same with the arguments that follow, unless `st` is a failure, which it returns. */
#define imf_job_then(st, job, i, grid, err, ...)                                                   \
    ((st) ? (st) : imf_job_launch(job, i, grid, ((const struct imf_arg[]){__VA_ARGS__}), err))
/* A work-item for each of so many items of so many rows, in groups of the device's size. */
struct imf_grid imf_job_grid(const struct imf_job *job, size_t items, size_t rows);
/* An argument of a kernel: buffer i of the job. */
#define IMF_ARG_OF(job, i) imf_arg_buffer((job)->buffer[i])
/* Three arguments of a kernel: a surface's buffer, origin and pitch. */
#define IMF_ARG_SURFACE(s)                                                                         \
    imf_arg_buffer((s)->mem), imf_arg_size((s)->origin), imf_arg_size((s)->pitch)

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
/* For solvers that cut strips: accept a problem that takes one core `ms`; strips are at most `most` of
 * `cut`'s units wide, for their scratch memory. What `cut` reads of the proposal is set before, and so is the
 * error. */
void imf_proposal_strips(struct imf_proposal *out, const struct imf_problem *p, double ms,
                         int most);
/* For solvers with `sizes`: set the bytes of all buffers and of the largest; false, with the refusal,
 * if they exceed a size_t. */
bool imf_proposal_buffers(struct imf_proposal *out, const struct imf_problem *p);

#endif
