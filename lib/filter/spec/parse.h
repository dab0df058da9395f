/* parse.h - filter specs, "name[:arg]...[:key=value]...", to stages */
#ifndef IMF_FILTER_SPEC_PARSE_H
#define IMF_FILTER_SPEC_PARSE_H

#include "filter/filter.h"

/*
 * Parse one spec into a stage; its kernels are the caller's, to be freed with imf_stage_clear. note
 * becomes a remark that the user should see, or "". Errors begin with the spec and have a column.
 */
enum imf_status imf_spec_parse(struct imf_stage *out, char note[IMF_NOTE], const char *spec,
                               struct imf_error *err);

#endif
