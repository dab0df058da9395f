/*
 * error.h - errors in specs, and the files that specs name
 */
#ifndef IMF_FILTER_SPEC_ERROR_H
#define IMF_FILTER_SPEC_ERROR_H

#include "base/number.h"
#include "filter/builtin/table.h"
#include "filter/flt/file.h"

struct imf_spec {
    const char *text;
    const struct imf_builtin *builtin; /* NULL until the name is known */
    struct imf_error *err;
    const struct imf_kernel_files *files;
    char *note; /* IMF_NOTE characters, for a remark */
};

/* "SPEC: what is wrong (USAGE, MEANING)"; the error's column is that of `at`. All of these return
 * the error's status. */
enum imf_status imf_spec_fail(const struct imf_spec *s, const char *at, const char *meaning,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
/* "\"VALUE\" at column N WRONG" */
enum imf_status imf_spec_fail_value(const struct imf_spec *s, struct imf_span value,
                                    const char *meaning, const char *wrong);
/* Give an error of a .flt file the spec and the column of the file's name. */
enum imf_status imf_spec_fail_file(const struct imf_spec *s, const char *at,
                                   enum imf_status status);

/* If a failed spec looks like several filters in one, replace the error by one that says so. */
enum imf_status imf_spec_fail_chain(const struct imf_spec *s, enum imf_status status);

/* Read the file of "@FILE": a filter, as text or as a picture; or a mask. */
enum imf_status imf_spec_load(const struct imf_spec *s, struct imf_span text, struct imf_flt *flt);
enum imf_status imf_spec_load_mask(const struct imf_spec *s, struct imf_span text,
                                   struct imf_mask **out);

#endif
