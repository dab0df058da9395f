/*
 * file.h - .flt files: filters as text, see imfilter(5); and other files that hold a kernel
 *
 * A file of one kernel is a linear filter; a file of two, with "combine magnitude", a gradient.
 */
#ifndef IMF_FILTER_FLT_FILE_H
#define IMF_FILTER_FLT_FILE_H

#include "filter/filter.h"
#include "filter/flt/scaling.h"

#define IMF_FLT_LARGEST ((size_t)256 << 20) /* bytes of a file */

struct imf_flt {
    struct imf_kernel *kernel[2]; /* owned; kernel[1] is NULL in a file of one */
    struct imf_scaling scaling;   /* as the file says; imf_flt_scale() applies it */
    enum imf_range range;         /* IMF_RANGE_DEFAULT: the file does not say */
    char *summary;                /* owned, or NULL */
};

/* Parse size bytes of text. Errors read "NAME:LINE:COLUMN: what". */
enum imf_status imf_flt_parse(struct imf_flt *out, const char *name, const char *text, size_t size,
                              struct imf_error *err);
/* Read and parse the file at path. With `other` it may also be what files->read() reads, whose
 * coefficients are divided by their sum unless the caller's scaling says otherwise; note is its remark.
 * With IMF_ERR_LIMIT reading it would take more memory than files->limits has left. */
enum imf_status imf_flt_load(struct imf_flt *out, const char *path,
                             const struct imf_kernel_files *files, bool other, char note[IMF_NOTE],
                             struct imf_error *err);
void imf_flt_free(struct imf_flt *f);

/* Apply the file's scale, bias and flip to the kernels; those that `over` has override them. Returns
 * a whole sentence on failure, or NULL. */
const char *imf_flt_scale(struct imf_flt *f, const struct imf_scaling *over);

/* The path (the caller frees it) of a user's filter: NAME itself when it has a '/' or ends in
 * .flt, or else NAME.flt in $IMFILTER_PATH or the user's configuration directory. *path is NULL
 * when there is none. */
enum imf_status imf_flt_find(char **path, const char *name, struct imf_error *err);

/* Directory `index` (from 0) of those that are searched; the caller frees it. *path is NULL past the
 * last. */
enum imf_status imf_flt_directory(char **path, size_t index, struct imf_error *err);

#endif
