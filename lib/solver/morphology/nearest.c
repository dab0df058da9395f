/*
 * nearest.c - for each pixel of a window that is not visible the nearest one that is
 *
 * The distance is Euclidean and exact: squares of distances are integers. Two passes take a time that is linear in the
 * number of pixels (Meijster, Roerdink and Hesselink, "A general algorithm for computing distance transforms in linear
 * time", 2000):
 *
 * 1. Along each line of the first axis, forth and back, the nearest visible pixel of that line.
 * 2. Along each line of the second axis, pixel i of it has the squared distance g(i)^2 + (q - i)^2 to pixel q by the pixel
 *    that the first pass has found for i: a parabola. The lower envelope of these is built as a stack, each with the first
 *    q where it is the least, and read from the end.
 *
 * Of equally near pixels both passes keep the first one. So the second axis decides before the first: it is that of the
 * upright picture's rows, and the leftmost pixel wins, then the uppermost.
 */
#include "solver/morphology/nearest.h"

#include "base/image/surface.h"
#include "solver/cores.h"

/* Lines that are done together: neighbours along the rows share cache lines. */
#define LINES 64

/* An axis of the window in `near`: position i of line l is at i * along + l * across. */
struct axis {
    bool down; /* lines are columns */
    int size, lines;
    ptrdiff_t along, across;
    bool backwards; /* the first of equally near pixels is the one with the larger i */
};

struct pass {
    const struct imf_nearest *n;
    struct axis axis;
    int first, end; /* lines */
    int64_t reach;
};

static struct axis axis_of(const struct imf_nearest *n, bool down) {
    const struct imf_fill *f = &n->fill;
    return down ? (struct axis){true, n->height, n->width, n->width, 1, f->first_y < 0}
                : (struct axis){false, n->width, n->height, 1, n->width, f->first_x < 0};
}

/* Position k of a line, counted from where the first one is. */
static ptrdiff_t position(const struct axis *a, int k) {
    return (a->backwards ? a->size - 1 - k : k) * a->along;
}

/* Leave the offset to the nearest visible pixel of the line, in the direction that k counts. */
static void search_lines(void *data, int item) {
    const struct pass *pass = data;
    const struct axis *a = &pass->axis;
    int l0 = item * LINES, count = imf_min(LINES, a->lines - l0);
    int32_t away[LINES], most = (int32_t)(pass->reach < INT32_MAX ? pass->reach : INT32_MAX - 1);
    int32_t *lines = pass->n->near + l0 * a->across;
    for (int l = 0; l < LINES; l++)
        away[l] = most;
    for (int k = 0; k < a->size; k++)
        for (int l = 0; l < count; l++) {
            int32_t *at = &lines[position(a, k) + l * a->across];
            away[l] = *at == 0 ? 0 : away[l] > most ? away[l] : away[l] + 1;
            *at = *at == 0 ? 0 : away[l] > most ? IMF_NEAREST_NONE : -away[l];
        }
    for (int l = 0; l < LINES; l++)
        away[l] = most;
    for (int k = a->size - 1; k >= 0; k--)
        for (int l = 0; l < count; l++) {
            int32_t *at = &lines[position(a, k) + l * a->across];
            away[l] = *at == 0 ? 0 : away[l] > most ? away[l] : away[l] + 1;
            if (away[l] <= most && (*at == IMF_NEAREST_NONE || away[l] < -*at))
                *at = away[l];
        }
}

/* The stack of parabolas of a line, and the line itself. */
struct envelope {
    int32_t *near, *apex, *from; /* each of the line's size */
};

static int64_t square(int64_t v) {
    return v * v;
}

/* The squared distance from pixel q by that of pixel i. */
static int64_t distance(const struct envelope *e, int q, int i) {
    return square(q - i) + square(e->near[i]);
}

/* Returns how many parabolas the envelope has. */
static int build(const struct envelope *e, int size) {
    int top = -1;
    for (int i = 0; i < size; i++) {
        if (e->near[i] == IMF_NEAREST_NONE)
            continue;
        while (top >= 0 && distance(e, e->from[top], e->apex[top]) > distance(e, e->from[top], i))
            top--;
        int64_t from = 0;
        if (top >= 0) { /* the last q for which the one before is as near */
            int64_t last = e->apex[top];
            from = (square(i) - square(last) + square(e->near[i]) - square(e->near[last])) /
                       (2 * (i - last)) +
                   1;
        }
        if (from >= size)
            continue;
        top++;
        e->apex[top] = i;
        e->from[top] = (int32_t)from;
    }
    return top + 1;
}

static void take_line(const struct pass *pass, const struct envelope *e, int line) {
    const struct imf_nearest *n = pass->n;
    const struct axis *a = &pass->axis;
    bool down = a->down;
    int top = build(e, a->size) - 1;
    for (int q = a->size - 1; q >= 0; q--) {
        while (top > 0 && e->from[top] > q)
            top--;
        if (e->near[q] == 0)
            continue;
        int at = a->backwards ? a->size - 1 - q : q;
        int x = down ? line : at, y = down ? at : line, from_x = -1, from_y = -1;
        if (y < n->first || y >= n->end)
            continue;
        if (top >= 0 && distance(e, q, e->apex[top]) <= square(pass->reach)) {
            int i = e->apex[top], to = a->backwards ? a->size - 1 - i : i;
            bool other = down ? n->fill.first_x < 0 : n->fill.first_y < 0;
            int off = other ? -e->near[i] : e->near[i];
            from_x = down ? line + off : to;
            from_y = down ? to : line + off;
        }
        n->take(n->data, x, y, from_x, from_y);
    }
}

static void take_lines(void *data, int item, void *memory) {
    struct pass *pass = data;
    const struct axis *a = &pass->axis;
    int first = pass->first + item * LINES, count = imf_min(LINES, pass->end - first);
    size_t size = (size_t)a->size;
    int32_t *space = memory;
    for (int k = 0; k < a->size; k++)
        for (int l = 0; l < count; l++)
            space[(size_t)l * size + (size_t)k] =
                pass->n->near[position(a, k) + (first + l) * a->across];
    for (int l = 0; l < count; l++) {
        const struct envelope e = {space + (size_t)l * size, space + (size_t)count * size,
                                   space + (size_t)(count + 1) * size};
        take_line(pass, &e, first + l);
    }
}

enum imf_status imf_nearest_find(const struct imf_nearest *n, struct imf_pool *pool,
                                 struct imf_error *err) {
    bool turned = n->fill.turned;
    int64_t reach = n->fill.reach == IMF_FILL_ANY ? INT32_MAX : n->fill.reach;
    struct pass pass = {.n = n, .axis = axis_of(n, !turned), .reach = reach};
    imf_parallel(pool, (pass.axis.lines + LINES - 1) / LINES, search_lines, &pass);
    pass.axis = axis_of(n, turned);
    pass.first = turned ? 0 : n->first;
    pass.end = turned ? n->width : n->end;
    return imf_work(pool, (pass.end - pass.first + LINES - 1) / LINES,
                    (LINES + 2) * (size_t)pass.axis.size * sizeof *n->near, take_lines, &pass, err);
}
