/*
 * executor.h - what running a chain takes of a place: one table of operations for the host
 * (host.c), one for a device (device.c)
 *
 * exec.c walks over segments, bands and passes and knows no place; a place knows its memory and how
 * to do the little that is not a solver's work.
 */
#ifndef IMF_RUN_EXECUTOR_EXECUTOR_H
#define IMF_RUN_EXECUTOR_EXECUTOR_H

#include "device/buffer.h"
#include "plan/bands.h"
#include "run/executor/exec.h"

/* Surfaces are an executor's or views of rows of them. Operations on a device only enqueue, unless
 * their comment says more; what fails is told at the latest by finish. */
struct imf_executor {
    /* Give `s`, a view, a host address at which its rows first..first + count - 1 may be used until
     * it is unmapped, with margins left and right. Waits for what was enqueued. */
    enum imf_status (*map)(struct imf_exec *x, struct imf_surface *s, int first, int count,
                           enum imf_access access, struct imf_error *err);
    enum imf_status (*unmap)(struct imf_exec *x, struct imf_surface *s, struct imf_error *err);
    /* Copy `count` rows of storage within window i; they do not overlap. */
    enum imf_status (*move)(struct imf_exec *x, int i, int from, int to, int count,
                            struct imf_error *err);
    /* The address of storage `which` of the image, all of it, for the host to write rows of it. */
    void *(*lend)(struct imf_exec *x, int which, struct imf_error *err);
    /* Bring `count` rows of that, from row `first` of storage on, to where passes read them. */
    enum imf_status (*take)(struct imf_exec *x, int which, int first, int count,
                            struct imf_error *err);
    /* Copy `count` rows of the other storage, from row `from` on, to the beginning of this one. */
    enum imf_status (*carry)(struct imf_exec *x, int which, int from, int count,
                             struct imf_error *err);
    /* Where the host's memory holds what was lent, and what was carried, whatever becomes of the
     * device. */
    void *(*host)(struct imf_exec *x, int which);
    /* From when settle returned until release, rows 0..count - 1 of s, which is
     * storage `which` of the result, are the host's to read. */
    enum imf_status (*fetch)(struct imf_exec *x, int which, struct imf_surface *s, int count,
                             struct imf_error *err);
    enum imf_status (*release)(struct imf_exec *x, int which, struct imf_surface *s,
                               struct imf_error *err);
    /* Wait until a band that was taken, made and fetched is all done; which: its storages. The
     * report's times of the three grow. */
    enum imf_status (*settle)(struct imf_exec *x, int which, struct imf_report *report,
                              struct imf_error *err);
    /* Fill the margins that pass i reads around `in`, whose row 0 is row `row` of the image. */
    enum imf_status (*fill)(struct imf_exec *x, int i, const struct imf_surface *in, int row,
                            struct imf_error *err);
    /* Pass i, a point pass, on rows from `row` of the image on; second may be NULL. */
    enum imf_status (*point)(struct imf_exec *x, int i, const struct imf_surface *in,
                             const struct imf_surface *second, const struct imf_surface *out,
                             int row, struct imf_error *err);
    enum imf_status (*copy_alpha)(struct imf_exec *x, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err);
    /* Wait for everything. */
    enum imf_status (*finish)(struct imf_exec *x, struct imf_error *err);
    /* All that is the place's own, the surfaces' storage included, and the executor itself. */
    void (*destroy)(struct imf_exec *x);
};

/* surface[0] is the image, surface[i + 1] the output of pass i. A surface's margins are as wide as
 * its widest reader needs and are filled just before the first reader runs. */
struct imf_exec {
    const struct imf_executor *place;
    const struct imf_chain *chain;
    struct imf_bands *bands;
    struct imf_surface *surface; /* chain->count + 1 */
    struct imf_step {
        const struct imf_solver *solver; /* of a convolution */
        void *job;
        bool fills; /* the pass is the first that reads beyond its source's edge */
        bool maps;  /* the host does it, on a device's surfaces, which are mapped meanwhile */
    } * step;       /* chain->count */
    struct imf_exec_stream *stream; /* what the image's and the result's rows lie in */
};

/* Storages of each end's window, taken in turn. */
enum { IMF_ENDS = 2 };
struct imf_exec_stream {
    int storages; /* of each end: one of an image that is held whole */
    struct imf_surface in[IMF_ENDS], out[IMF_ENDS]; /* surface[0] and the last are one of these */
    struct imf_exec_band {
        int kept, before, done;        /* of the image's window */
        int from, to;                  /* rows of the result */
    } * band;                          /* each of the segment's */
    struct imf_surface lent[IMF_ENDS]; /* results that the host reads */
    bool sends;                        /* rows to and fro, while it computes others */
    int ahead;                         /* the band whose rows were lent last */
    bool failed;                       /* the device: it is not used any more */
};

/* Make x->stream, without storage, for x->bands. */
enum imf_status imf_exec_stream_open(struct imf_exec *x, struct imf_error *err);
/* On the host, one band: rows from..to - 1 of the result, which lie at the start of its surface. */
enum imf_status imf_exec_make_slice(struct imf_exec **out, const struct imf_chain *chain,
                                    const struct imf_path *path, int from, int to,
                                    struct imf_error *err);
/* All segments, band by band, and wait for them. */
enum imf_status imf_exec_run_segments(struct imf_exec *x, struct imf_error *err);
/* Steps of a run, for those who go band by band. */
enum imf_status imf_exec_run_band(struct imf_exec *x, const struct imf_segment *s,
                                  struct imf_error *err);
struct imf_surface imf_exec_view(const struct imf_exec *x, int i, int from, int to);

/* Set up what all executors share, but for the bands, in zeroed memory. */
enum imf_status imf_exec_init(struct imf_exec *x, const struct imf_executor *place,
                              const struct imf_chain *chain, struct imf_error *err);

#endif
