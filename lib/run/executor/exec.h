/*
 * exec.h - running a chain on the host or on a device, band by band
 *
 * An image whose rows stream has several bands, any other image has one. For band 0, 1, ...:
 *
 *     imf_exec_map_input()     the host writes the band's new rows of the image there,
 *     imf_exec_submit_input()  and hands them over
 *     imf_exec_run_band()      compute the band's rows of the result, or enqueue that
 *     imf_exec_map_output()    where those rows will be:
 *     imf_exec_wait()          the host may read them from here on,
 *     imf_exec_unmap_output()  until here
 *
 * The image and the result have two buffers each, used in turn: the input of band n + 1 may be
 * mapped once that of band n is submitted and band n - 1 was waited for, and band n + 2 may run
 * once the output of band n is unmapped. A failure of band n is reported by imf_exec_wait() at the
 * latest; until then the rows that the band is made of stay in the host's memory.
 */
#ifndef IMF_RUN_EXECUTOR_EXEC_H
#define IMF_RUN_EXECUTOR_EXEC_H

#include "plan/cheapest_path.h"

struct imf_exec;

/* Rows of an image in the host's memory, from its row `first` on; stride in bytes. */
struct imf_rows {
    char *at;
    size_t stride;
    int first, count;
};

/* Every pass by the reference. out_sample: the chain's own, or IMF_F64 for results that are neither
 * rounded nor clamped. The chain must outlive the executor. */
enum imf_status imf_exec_make_host(struct imf_exec **out, const struct imf_chain *chain,
                                   enum imf_sample out_sample, struct imf_error *err);
/* By a path that needs no device, in bands. */
enum imf_status imf_exec_make_host_bands(struct imf_exec **out, const struct imf_chain *chain,
                                         const struct imf_path *path, struct imf_bands_form form,
                                         struct imf_error *err);
/* By a path of the host, for `count` rows of the result from row `first` on: one band, whose result
 * is those rows. */
enum imf_status imf_exec_make_slice(struct imf_exec **out, const struct imf_chain *chain,
                                    const struct imf_path *path, int first, int count,
                                    struct imf_error *err);
/* On a device, but for the passes whose place is the host. chosen[i] is the proposal that pass i
 * runs by, made for the height of the bands (imf_proposals_band()). spare: see imf_queue_limit(). */
enum imf_status imf_exec_make_device(struct imf_exec **out, const struct imf_chain *chain,
                                     const struct imf_proposal *chosen, struct imf_bands_form form,
                                     struct imf_runtime *rt, double spare, struct imf_error *err);
/* The factor by which the reference has stretched a response (normalize) in its first `passes`; 1 at
 * least; INFINITY: a range is so near the one below which all is 0 that it may lie on either side. */
double imf_exec_stretch(const struct imf_exec *reference, int passes, double near);
/* Have the reference call this with the output of each pass, as float64, once it is made; later passes
 * read what it leaves there. */
struct imf_exec_watch {
    enum imf_status (*made)(void *data, int pass, const struct imf_surface *output,
                            struct imf_error *err);
    void *data;
};
void imf_exec_set_watch(struct imf_exec *reference, struct imf_exec_watch watch);
/* Make the values again that a point pass has after so many steps: `out` gets float64 samples of
 * out->channels, as many as there are then. */
void imf_exec_compared(const struct imf_exec *reference, int pass, int steps,
                       const struct imf_surface *out);
void imf_exec_free(struct imf_exec **exec);

/* Let runs use the threads of `pool`, which they borrow; before that, each pass makes its own. */
void imf_exec_use_pool(struct imf_exec *exec, struct imf_pool *pool);

/* What the last run found in the image: the solvers' phrases, or nothing. */
void imf_exec_tell(const struct imf_exec *exec, char *text, size_t size);

/* In how many bands rows stream; 1: the image is held whole. Where they stream twice the first half has
 * all rows of the image and none of the result. */
int imf_exec_bands(const struct imf_exec *exec);
enum imf_status imf_exec_map_input(struct imf_exec *exec, int band, struct imf_rows *rows,
                                   struct imf_error *err);
enum imf_status imf_exec_submit_input(struct imf_exec *exec, int band, struct imf_error *err);
enum imf_status imf_exec_run_band(struct imf_exec *exec, int band, struct imf_error *err);
enum imf_status imf_exec_map_output(struct imf_exec *exec, int band, struct imf_rows *rows,
                                    struct imf_error *err);
/* Adds the milliseconds that it waited to the report's times of upload, compute and download. */
enum imf_status imf_exec_wait(struct imf_exec *exec, int band, struct imf_report *report,
                              struct imf_error *err);
enum imf_status imf_exec_unmap_output(struct imf_exec *exec, int band, struct imf_error *err);

/* Wait for all that was enqueued. */
enum imf_status imf_exec_finish(struct imf_exec *exec, struct imf_error *err);

/* The device transfers one band's rows while it computes another's: the next band should be
 * submitted before this one is waited for. */
bool imf_exec_overlaps(const struct imf_exec *exec);

/* All rows of the image that a submitted band is made of, in the host's memory. */
void imf_exec_input_rows(const struct imf_exec *exec, int band, struct imf_rows *rows);
/* The most rows of the image that are there and whose result is not, or not yet read: of three bands
 * in a row. */
int imf_exec_open_rows(const struct imf_exec *exec);
/* Which rows of the result a band makes: sets first and count alone. */
void imf_exec_output_range(const struct imf_exec *exec, int band, struct imf_rows *rows);

/* After a failure of the device: map_input and submit_input use the host's memory alone from now
 * on. */
void imf_exec_abandon_device(struct imf_exec *exec);

/* All steps for an executor of one band: copy its rows of the image, which `image` must contain,
 * run, and set *result, which is valid until imf_exec_unmap_output(). */
enum imf_status imf_exec_filter(struct imf_exec *exec, const struct imf_rows *image,
                                struct imf_rows *result, struct imf_error *err);

#endif
