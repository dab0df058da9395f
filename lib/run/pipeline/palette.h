/*
 * palette.h - filtering the colours of a palette instead of the pixels that refer to them
 */
#ifndef IMF_RUN_PIPELINE_PALETTE_H
#define IMF_RUN_PIPELINE_PALETTE_H

#include "codec/codec.h"
#include "filter/filter.h"

/*
 * Filter the reader's palette on the host and pass its indices on: what imf_workspace_run() does, for a
 * filter that is pointwise (form.h), a reader that has a palette and a writer that takes indices.
 */
enum imf_status imf_palette_run(const struct imf_filter *filter,
                                const struct imf_settings *settings, struct imf_reader *reader,
                                struct imf_writer *writer, struct imf_report *report,
                                struct imf_error *err);

#endif
