/* canny_trace.h - edges from what may be one */
#ifndef IMF_SOLVER_EDGES_CANNY_TRACE_H
#define IMF_SOLVER_EDGES_CANNY_TRACE_H

#include <stddef.h>

/* A map of bytes (canny_rows.h), with a byte that is 0 before and behind each row, and such a row
 * above the first and below the last. */
struct imf_canny_map {
    unsigned char *pixel; /* (0, 0) */
    size_t pitch;
    int width, height;
};

/* Make an edge of what is strong in rows first..end - 1, and of what is weak and touches one there.
 * Others may do so with other rows meanwhile. */
void imf_canny_search(const struct imf_canny_map *map, int first, int end);
/* Once all rows are done, so many at a time: follow edges from some to the others'. Each pixel that
 * becomes one is told. */
void imf_canny_join(const struct imf_canny_map *map, int rows, void (*found)(void *, int x, int y),
                    void *data);

#endif
