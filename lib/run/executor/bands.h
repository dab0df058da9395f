/*
 * bands.h - running a chain band by band, while the image's rows come and the result's go
 *
 * For band 0, 1, ...: the host writes rows where imf_exec_lend() says and takes back with
 * imf_exec_take(); imf_exec_band() makes rows of the result, imf_exec_result() says where they will
 * be, and the host reads them from imf_exec_settle() to imf_exec_release(). Each end has two storages
 * in turn: those of band n + 1 may be lent once band n is taken and band n - 1 settled, and those of
 * band n + 2's result made once band n's are released. A failure of band n may be told as late as
 * when it settles: what it is made of is still in the host's memory.
 */
#ifndef IMF_RUN_EXECUTOR_BANDS_H
#define IMF_RUN_EXECUTOR_BANDS_H

#include "run/executor/exec.h"

/* Rows of an image in the host's memory, from its row `first` on; stride in bytes. */
struct imf_rows {
    char *at;
    size_t stride;
    int first, count;
};

/* In how many bands rows stream; 1: the image is held whole. */
int imf_exec_bands(const struct imf_exec *exec);
enum imf_status imf_exec_lend(struct imf_exec *exec, int band, struct imf_rows *rows,
                              struct imf_error *err);
enum imf_status imf_exec_take(struct imf_exec *exec, int band, struct imf_error *err);
enum imf_status imf_exec_band(struct imf_exec *exec, int band, struct imf_error *err);
enum imf_status imf_exec_result(struct imf_exec *exec, int band, struct imf_rows *rows,
                                struct imf_error *err);
/* Does it pay to give the device another band before the last one settles? */
bool imf_exec_overlaps(const struct imf_exec *exec);
/* The report's times of uploading, computing and downloading grow by what was waited for. */
enum imf_status imf_exec_settle(struct imf_exec *exec, int band, struct imf_report *report,
                                struct imf_error *err);
enum imf_status imf_exec_release(struct imf_exec *exec, int band, struct imf_error *err);

/* The rows of the band's result; where they are is another question. */
void imf_exec_band_rows(const struct imf_exec *exec, int band, struct imf_rows *rows);

/* After a failure of the device: from now on lend and take need none, and the image as it lies in
 * the host's memory once `band` is taken is all that its result is made of. */
void imf_exec_give_up(struct imf_exec *exec);
void imf_exec_image(struct imf_exec *exec, int band, struct imf_rows *image);

/* Rows first..first + count - 1 of a result by a path of the host's (NULL: the reference), from the
 * image's rows: an executor whose output holds those alone. */
enum imf_status imf_exec_slice(struct imf_exec **out, const struct imf_chain *chain,
                               const struct imf_path *path, const struct imf_rows *image, int first,
                               int count, struct imf_error *err);

#endif
