/* canny_trace.h - hysteresis: weak pixels that touch an edge become edges */
#ifndef IMF_SOLVER_EDGES_CANNY_TRACE_H
#define IMF_SOLVER_EDGES_CANNY_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A map of bytes (canny_rows.h) surrounded by bytes of 0: one at both ends of each row, a row above and
 * a row below. */
struct imf_canny_map {
    unsigned char *pixel; /* (0, 0) */
    size_t pitch;
    int width, height;
};

/* The first byte from `at` on that has this value, a power of 2, or the end. */
static inline unsigned char *imf_canny_next(unsigned char *at, unsigned char *end, int value) {
    const uint64_t values = 0x0101010101010101u * (unsigned)value;
    for (uint64_t word; end - at >= (ptrdiff_t)sizeof word; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        if (word & values)
            break;
    }
    while (at < end && *at != value)
        at++;
    return at;
}

/* Follow all edges within rows first..end - 1. Other threads may do the same in other rows. */
void imf_canny_search(const struct imf_canny_map *map, int first, int end);
/* After all bands of `rows` rows: follow edges across their borders. Calls `found` for each pixel that
 * becomes an edge. */
void imf_canny_join(const struct imf_canny_map *map, int rows, void (*found)(void *, int x, int y),
                    void *data);

#endif
