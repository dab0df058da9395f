/* parse.h - filter specs, "name[:arg]...[:key=value]...", to stages */
#ifndef IMF_FILTER_SPEC_PARSE_H
#define IMF_FILTER_SPEC_PARSE_H

#include "filter/filter.h"
#include "filter/flt/file.h"

/*
 * Parse one spec into a stage; its kernels are the caller's, to be freed with imf_stage_clear. note
 * becomes a remark that the user should see, or "". Errors begin with the spec and have a column.
 */
enum imf_status imf_spec_parse(struct imf_stage *out, char note[IMF_NOTE], const char *spec,
                               const struct imf_kernel_files *files, struct imf_error *err);
/* Move the kernels of `flt` to a zeroed stage. axis is 1 (x) or 2 (y) to move one of two, or 0. */
void imf_stage_take(struct imf_stage *stage, struct imf_flt *flt, int axis);
/* A remark on a kernel without a pixel at its centre; otherwise `note` stays. k may be NULL. */
void imf_kernel_remark(const struct imf_kernel *k, const char *name, char note[IMF_NOTE]);

#endif
