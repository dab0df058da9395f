/* pages.h - PNM that follow each other in a stream: its pages */
#ifndef IMF_CODEC_PNM_PAGES_H
#define IMF_CODEC_PNM_PAGES_H

#include "codec/pnm/header.h"

/* Take white space and, where another picture follows, "P" and its type, which *at is the position of. */
bool imf_pnm_next(struct imf_reader *r, uint64_t *at);
/* Of a file: find its pages. Those behind a plain picture, which has to be read for that, are found only if `plain`;
 * otherwise reader->pages_open. */
enum imf_status imf_pnm_list_pages(struct imf_reader *r, bool plain, struct imf_error *err);
/* Another page begins there, which was not known. */
void imf_pnm_add_page(struct imf_reader *r, uint64_t at);
/* Go to the header of reader->page. From a pipe only pages that follow can be gone to. */
enum imf_status imf_pnm_go_to_page(struct imf_reader *r, struct imf_error *err);
/* Give up the page. From a pipe its other rows are read. */
void imf_pnm_leave_page(struct imf_reader *r);

#endif
