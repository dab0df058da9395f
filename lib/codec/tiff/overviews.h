/* overviews.h - smaller copies of a page, and its masks, as they are written */
#ifndef IMF_CODEC_TIFF_OVERVIEWS_H
#define IMF_CODEC_TIFF_OVERVIEWS_H

#include "codec/tiff/strips.h"

/* Those that the metadata of a writer's page list. */
struct imf_tiff_overviews;

/* *out: NULL, there are none. `page`: open, of the writer's page, and as long as these are. */
enum imf_status imf_tiff_overviews_open(struct imf_tiff_overviews **out, struct imf_writer *w,
                                        const struct imf_tiff_strips *page, struct imf_error *err);
/* Bytes that they take beside the page's. */
uint64_t imf_tiff_overviews_memory(const struct imf_tiff_overviews *overviews);
/* Add rows of the page, and write strips that are complete. */
enum imf_status imf_tiff_overviews_rows(struct imf_tiff_overviews *overviews,
                                        const unsigned char *src, size_t stride, int rows,
                                        struct imf_error *err);
/* Write what is no row of the page: masks. */
enum imf_status imf_tiff_overviews_finish(struct imf_tiff_overviews *overviews,
                                          struct imf_error *err);
/* How many there are, which begin with those below the page. */
int imf_tiff_overviews_count(const struct imf_tiff_overviews *overviews, int *below);
/* Add the tags of number i. */
void imf_tiff_overviews_add(const struct imf_tiff_overviews *overviews, int i,
                            struct imf_tiff_directory *directory, struct imf_tiff_output *out);
void imf_tiff_overviews_close(struct imf_tiff_overviews **overviews);

#endif
