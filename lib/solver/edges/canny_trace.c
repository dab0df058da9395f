/*
 * canny_trace.c - hysteresis: weak pixels that touch an edge become edges
 *
 * Weak pixels that touch an edge by a side or corner become edges, until nothing changes. The result
 * does not depend on the order: edges are followed in bands of rows while these are in a cache, on
 * several threads, and at the end across the bands' borders.
 *
 * Pixels whose neighbours have not been visited are on a stack. If the stack is full they stay strong in
 * the map, and the rows are searched for them again: the memory is bounded for every image.
 */
#include "solver/edges/canny_trace.h"

#include "base/image/surface.h"
#include "solver/edges/canny_rows.h"

#define STACK 4096

/* Only pixels first..end - 1 of the map may be changed. */
struct follow {
    unsigned char *first, *end;
    ptrdiff_t pitch;
    unsigned char *stack[STACK];
    int count;
    bool full; /* some strong pixels are not on the stack */
    const struct imf_canny_map *map;
    void (*found)(void *, int x, int y); /* or NULL */
    void *data;
};

static void tell(const struct follow *f, const unsigned char *at) {
    ptrdiff_t i = at - f->map->pixel;
    f->found(f->data, (int)(i % f->pitch), (int)(i / f->pitch));
}

static inline void reach(struct follow *f, unsigned char *at) {
    if (at < f->first || at >= f->end || *at != IMF_CANNY_WEAK)
        return;
    *at = IMF_CANNY_STRONG;
    if (f->count == STACK)
        f->full = true;
    else
        f->stack[f->count++] = at;
}

/* Follow the edge of a strong pixel. */
static void follow(struct follow *f, unsigned char *at) {
    f->stack[f->count++] = at;
    while (f->count) {
        at = f->stack[--f->count];
        *at = IMF_CANNY_EDGE;
        if (f->found)
            tell(f, at);
        for (ptrdiff_t row = -f->pitch; row <= f->pitch; row += f->pitch) {
            reach(f, at + row - 1);
            reach(f, at + row);
            reach(f, at + row + 1);
        }
    }
}

static void search(struct follow *f) {
    do {
        f->full = false;
        for (unsigned char *at = f->first;
             (at = imf_canny_next(at, f->end, IMF_CANNY_STRONG)) < f->end; at++)
            follow(f, at);
    } while (f->full);
}

static struct follow rows_of(const struct imf_canny_map *map, int first, int end) {
    return (struct follow){.first = map->pixel + (ptrdiff_t)first * (ptrdiff_t)map->pitch,
                           .end = map->pixel + (ptrdiff_t)end * (ptrdiff_t)map->pitch - 1,
                           .pitch = (ptrdiff_t)map->pitch,
                           .map = map};
}

void imf_canny_search(const struct imf_canny_map *map, int first, int end) {
    struct follow f = rows_of(map, first, end);
    search(&f);
}

/* Follow edges of row `from` into the neighbouring row `to`. */
static bool cross(struct follow *f, const struct imf_canny_map *map, int from, int to) {
    const unsigned char *edge = map->pixel + (size_t)from * map->pitch;
    unsigned char *weak = map->pixel + (size_t)to * map->pitch;
    for (int x = 0; x < map->width; x++)
        for (int dx = -1; dx <= 1 && edge[x] == IMF_CANNY_EDGE; dx++)
            if (weak[x + dx] == IMF_CANNY_WEAK) {
                weak[x + dx] = IMF_CANNY_STRONG;
                follow(f, weak + x + dx);
            }
    return f->full;
}

void imf_canny_join(const struct imf_canny_map *map, int rows, void (*found)(void *, int x, int y),
                    void *data) {
    struct follow f = rows_of(map, 0, map->height);
    bool full = false;
    f.found = found;
    f.data = data;
    for (int y = rows; y < map->height; y += rows) {
        full = cross(&f, map, y - 1, y) || full;
        full = cross(&f, map, y, y - 1) || full;
    }
    if (full)
        search(&f);
}
