/* canny_trace.h - hysteresis: weak pixels that touch an edge become edges */
#ifndef IMF_SOLVER_EDGES_CANNY_TRACE_H
#define IMF_SOLVER_EDGES_CANNY_TRACE_H

#include <stddef.h>

/* A map of bytes (canny_rows.h) surrounded by bytes of 0: one at both ends of each row, a row above and
 * a row below. */
struct imf_canny_map {
    unsigned char *pixel; /* (0, 0) */
    size_t pitch;
    int width, height;
};

/* Follow all edges within rows first..end - 1. Other threads may do the same in other rows. */
void imf_canny_search(const struct imf_canny_map *map, int first, int end);
/* After all bands of `rows` rows: follow edges across their borders. Calls `found` for each pixel that
 * becomes an edge. */
void imf_canny_join(const struct imf_canny_map *map, int rows, void (*found)(void *, int x, int y),
                    void *data);

#endif
