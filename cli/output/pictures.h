/*
 * pictures.h - --show-kernel and --spectrum: pictures that explain a filter or an image
 */
#ifndef CLI_OUTPUT_PICTURES_H
#define CLI_OUTPUT_PICTURES_H

#include "input/job_list.h"
#include "options/settings.h"
#include "report/outcome.h"

/* Can the pictures asked for be written beside what else is? False after saying why not. */
bool pictures_check(const struct options *o, const struct job_list *b);

/* Print the coefficients, and draw them where a file is given. False after saying why not. */
bool pictures_show_kernel(const struct reporter *r, const struct options *o,
                          const struct imf_filter *filter);

/* What imf_workspace_run() does, by way of memory, so that the spectra of the pixels before and
 * after can be drawn. workspace and writer may be NULL: without a plan only the input is read and
 * drawn. */
/* Bytes that pictures_run() takes beside the workspace, if a spectrum is asked for. */
uint64_t pictures_bytes(const struct imf_info *info, const struct options *o);
enum imf_status pictures_run(struct imf_picture **out, struct imf_workspace *workspace,
                             struct imf_reader *reader, struct imf_writer *writer,
                             const struct options *o, struct outcome *outcome,
                             struct imf_error *err);

/* Write a picture to the file called name, whole or not at all. NULL, or why not; the text lives in
 * `why`. */
#define PICTURES_WHY 640
const char *pictures_write(const struct options *o, const char *name,
                           const struct imf_picture *picture, char why[PICTURES_WHY]);

#endif
