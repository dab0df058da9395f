/*
 * ops.h - the operations that running a chain needs of a place: the host's (host.c) and a device's
 * (device.c)
 *
 * exec.c walks over segments, bands and passes and knows no place. A place knows its memory and
 * does what no solver does.
 */
#ifndef IMF_RUN_EXECUTOR_OPS_H
#define IMF_RUN_EXECUTOR_OPS_H

#include "device/buffer.h"
#include "plan/bands.h"
#include "run/executor/exec.h"
#include "run/point/point.h"

/* Surfaces are an executor's, or views of rows of them; `slot` is one of the two buffers that the
 * image or the result has. A device's operations only enqueue, unless their comment says more;
 * `finish` or `wait` reports what fails. Those marked so may be NULL: there is nothing to do. */
struct imf_exec_ops {
    /* May be NULL: the address is host_input[slot]. The address of the image's buffer `slot`, for
     * the host to write rows; NULL on failure. */
    void *(*map_input)(struct imf_exec *x, int slot, struct imf_error *err);
    /* May be NULL. Bring `count` rows of that, from row `first` of storage on, to where passes read
     * them. */
    enum imf_status (*submit_input)(struct imf_exec *x, int slot, int first, int count,
                                    struct imf_error *err);
    /* May be NULL. Copy `count` rows of the image's other buffer, from row `from` of storage on, to
     * the start of buffer `slot`, on the device. */
    enum imf_status (*copy_halo)(struct imf_exec *x, int slot, int from, int count,
                                 struct imf_error *err);
    /* May be NULL. Give s, the result's buffer `slot`, a host address at which rows 0..count - 1
     * may be read from `wait` to `unmap_output`. */
    enum imf_status (*map_output)(struct imf_exec *x, int slot, struct imf_surface *s, int count,
                                  struct imf_error *err);
    enum imf_status (*unmap_output)(struct imf_exec *x, struct imf_surface *s,
                                    struct imf_error *err);
    /* May be NULL. Wait until the band in these buffers is uploaded, computed and downloaded; the
     * report's times of the three grow. */
    enum imf_status (*wait)(struct imf_exec *x, int slot, struct imf_report *report,
                            struct imf_error *err);
    /* May be NULL. Wait for everything enqueued. */
    enum imf_status (*finish)(struct imf_exec *x, struct imf_error *err);
    /* Copy `count` rows of storage within window i; the two ranges do not overlap. */
    enum imf_status (*move_rows)(struct imf_exec *x, int i, int from, int to, int count,
                                 struct imf_error *err);
    /* Fill the margins that pass i reads around `in`, whose row 0 is row `row` of the image. */
    enum imf_status (*fill_margin)(struct imf_exec *x, int i, const struct imf_surface *in, int row,
                                   struct imf_error *err);
    /* Run pass i, a point pass. */
    enum imf_status (*run_point)(struct imf_exec *x, int i, const struct imf_point_io *io,
                                 struct imf_error *err);
    /* May be NULL. Make pass i's rows of this band on the host, on the device's surfaces. */
    enum imf_status (*run_on_host)(struct imf_exec *x, int i, struct imf_error *err);
    enum imf_status (*copy_alpha)(struct imf_exec *x, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err);
    /* Free all that is the place's own, the surfaces' storage included, and the executor. */
    void (*destroy)(struct imf_exec *x);
};

/* Buffers of the image, and of the result, of rows that stream. */
enum { IMF_EXEC_SLOTS = 2 };

/* surface[0] is the image, surface[i + 1] the output of pass i. A surface's margins are as wide as
 * its widest reader needs; they are filled just before the first reader runs. */
struct imf_exec {
    const struct imf_exec_ops *ops;
    const struct imf_chain *chain;
    struct imf_bands *bands;
    struct imf_surface *surface; /* chain->count + 1 */
    struct imf_step {
        struct imf_job *job; /* of a solver, or NULL */
        void *rows;   /* of a point pass on the host's cores: imf_point_rows_make(); or NULL */
        bool fills;   /* the pass is the first that reads beyond its source's edge */
        bool on_host; /* the host runs it on a device's surfaces */
    } * step;         /* chain->count */

    int slots; /* 1: the image is held whole */
    /* Owned. surface[0] and the last surface are one of these. */
    struct imf_surface in[IMF_EXEC_SLOTS], out[IMF_EXEC_SLOTS];
    void *host_input[IMF_EXEC_SLOTS]; /* the image's rows, whatever becomes of the device */
    struct imf_surface mapped[IMF_EXEC_SLOTS]; /* results that the host reads */
    struct imf_exec_band {
        int kept, before, done;  /* of the image's window */
        int from, to;            /* rows of the result */
    } * band;                    /* owned; each of the segment's, as often as rows stream */
    bool measures;               /* bands are those of the first time that rows stream */
    int last_input;              /* the band whose input was mapped last */
    bool transfers;              /* rows are copied to a device and back while it computes others */
    struct imf_exec_watch watch; /* of the reference, or none */
    bool abandoned;              /* the device failed and is not used any more */
};

/* Set up what all executors share, but for the bands, in zeroed memory. */
enum imf_status imf_exec_init(struct imf_exec *x, const struct imf_exec_ops *ops,
                              const struct imf_chain *chain, struct imf_error *err);
/* Set x->slots and x->band for x->bands. */
enum imf_status imf_exec_init_bands(struct imf_exec *x, struct imf_error *err);

/* Run all segments, band by band, and finish. */
enum imf_status imf_exec_run_segments(struct imf_exec *x, struct imf_error *err);
/* Run a segment's passes for the band that x->bands is at. */
enum imf_status imf_exec_run_passes(struct imf_exec *x, const struct imf_segment *s,
                                    struct imf_error *err);
/* Surface i with the image's row `from` as its row 0; `to` - `from` rows. */
struct imf_surface imf_exec_view(const struct imf_exec *x, int i, int from, int to);

#endif
