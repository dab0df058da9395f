/*
 * network.c - sorting networks that find a rank in all windows of a tile
 *
 * Neighbouring windows share most of their samples. After Adams (2021), "Fast median filters using
 * separable sorting networks", and Sugy (2025), "Fast median filtering with hierarchical tiling":
 *
 * The samples that all windows of a tile of pixels share, its core, are sorted once. The tile is then
 * halved recursively: to the core of a half the columns or rows are added that its windows share
 * beyond those of the tile, until a tile is one pixel and its core the window.
 *
 *      tile of 2x1, windows of 3x3     a c c b       c: the core, 2 columns
 *                                      a c c b       a: the left half's further column
 *                                      a c c b       b: the right half's
 *
 * Added samples are sorted separately, and sorted lists are merged (Batcher's odd-even merge; Knuth
 * 5.3.4 for lists of different lengths). A core's list keeps only the samples that can still be the
 * result: with m of n samples known, the r-th of all is among those from r - (n - m) to r. At the end
 * steps whose results are not read are removed, which reduces each merge to the outputs it needs.
 *
 * The columns of the core's rows come sorted, because neighbouring tiles share them.
 */
#include "solver/rank/network.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_MOST 96 /* columns or rows of a tile's windows */

/* Values are numbered: inputs, then the lesser and the greater of each step. */
struct builder {
    struct imf_network *net;
    const struct imf_network_tile *tile;
    int rank, room; /* for steps */
    int *pool;      /* of lists, as a stack: a call releases what it took */
    size_t used, pool_size;
    bool failed;
    int outputs[SPAN_MOST]; /* values */
};

struct list {
    int *v, n;
};

static struct list new_list(struct builder *b, int n) {
    if (b->used + (size_t)n > b->pool_size) {
        b->failed = true;
        return (struct list){b->pool, 0};
    }
    struct list l = {b->pool + b->used, n};
    b->used += (size_t)n;
    return l;
}

static void step(struct builder *b, int *lesser, int *greater) {
    struct imf_network *net = b->net;
    if (net->count == b->room) {
        int room = b->room ? 2 * b->room : 1024;
        void *more = realloc(net->steps, (size_t)room * sizeof *net->steps);
        if (!more) {
            b->failed = true;
            return;
        }
        net->steps = more;
        b->room = room;
    }
    int value = net->inputs + 2 * net->count;
    net->steps[net->count++] = (struct imf_network_step){*lesser, *greater, value, value + 1};
    *lesser = value;
    *greater = value + 1;
}

/* The elements at even or at odd indices. */
static struct list half(struct builder *b, struct list l, int odd) {
    struct list h = new_list(b, (l.n + 1 - odd) / 2);
    for (int i = 0; i < h.n; i++)
        h.v[i] = l.v[2 * i + odd];
    return h;
}

/* Into to[0..x.n + y.n - 1], which may not be either. */
static void merge_to(struct builder *b, int *to, struct list x, struct list y) {
    size_t used = b->used;
    if (!x.n || !y.n) {
        memcpy(to, x.v, (size_t)x.n * sizeof *to);
        memcpy(to + x.n, y.v, (size_t)y.n * sizeof *to);
        return;
    }
    if (x.n == 1 && y.n == 1) {
        to[0] = x.v[0];
        to[1] = y.v[0];
        step(b, &to[0], &to[1]);
        return;
    }
    int n = x.n + y.n;
    struct list even = new_list(b, (x.n + 1) / 2 + (y.n + 1) / 2);
    struct list odd = new_list(b, x.n / 2 + y.n / 2);
    struct list xe = half(b, x, 0), ye = half(b, y, 0), xo = half(b, x, 1), yo = half(b, y, 1);
    if (b->failed)
        return;
    merge_to(b, even.v, xe, ye);
    merge_to(b, odd.v, xo, yo);
    to[0] = even.v[0];
    for (int i = 1, k = 1; i < n; i += 2, k++) {
        to[i] = odd.n >= k ? odd.v[k - 1] : even.v[k];
        if (i + 1 == n)
            continue;
        to[i + 1] = even.v[k];
        step(b, &to[i], &to[i + 1]);
    }
    b->used = used;
}

static struct list merge(struct builder *b, struct list x, struct list y) {
    struct list to = new_list(b, x.n + y.n);
    if (!b->failed)
        merge_to(b, to.v, x, y);
    return to;
}

static struct list merge_all(struct builder *b, const struct list *lists, int count) {
    if (count == 1)
        return *lists;
    struct list x = merge_all(b, lists, count / 2);
    return merge(b, x, merge_all(b, lists + count / 2, count - count / 2));
}

static struct list sort(struct builder *b, const int *values, int count) {
    struct list ones[SPAN_MOST];
    for (int i = 0; i < count; i++) {
        ones[i] = new_list(b, 1);
        *ones[i].v = values[i];
    }
    return merge_all(b, ones, count);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

struct node {
    int x, y, across, down;
    struct list core;
    int below; /* of the core's samples, those that are left out below the list */
    /* Sorted, of what the core has of them: columns and rows that some windows have. */
    struct list column[SPAN_MOST], row[SPAN_MOST];
};

/* A sample of a row that only some of the root's windows have. */
static int input(const struct builder *b, int x, int y) {
    const struct imf_network_tile *t = b->tile;
    int line = y < t->down - 1 ? y : y - imf_tile_shared(t);
    return line * imf_tile_columns(t) + x;
}

static bool some_have(int i, int first, int count, int size) {
    return (i >= first && i < first + count - 1) ||
           (i >= first + size && i < first + size + count - 1);
}

/* Drop the samples that cannot be the result. */
static void prune(const struct builder *b, struct node *n) {
    const struct imf_network_tile *t = b->tile;
    int known = (t->width - n->across + 1) * (t->height - n->down + 1);
    int more = t->width * t->height - known;
    int first = b->rank - more - n->below, end = b->rank + 1 - n->below;
    if (end < n->core.n)
        n->core.n = end;
    if (first > 0) {
        n->core.v += first;
        n->core.n -= first;
        n->below += first;
    }
}

/* Add to a line its samples in the gained lines that cross it. */
static void lengthen(struct builder *b, struct list *line, int i, bool down, int gained,
                     int count) {
    int values[SPAN_MOST];
    for (int k = 0; k < count; k++)
        values[k] = down ? input(b, i, gained + k) : input(b, gained + k, i);
    *line = merge(b, *line, sort(b, values, count));
}

static void split(struct builder *b, const struct node *n) {
    const struct imf_network_tile *t = b->tile;
    if (b->failed)
        return;
    if (n->across == 1 && n->down == 1) {
        b->outputs[n->y * t->across + n->x] = n->core.v[b->rank - n->below];
        return;
    }
    bool down = n->down > n->across;
    size_t used = b->used;
    struct node *half = malloc(sizeof *half);
    b->failed = b->failed || !half;
    for (int side = 0; side < 2 && !b->failed; side++) {
        *half = *n;
        int *extent = down ? &half->down : &half->across, *at = down ? &half->y : &half->x;
        *extent /= 2;
        int step = *extent, gained = side ? *at + (down ? t->height : t->width) : *at + step - 1;
        *at += side * step;
        struct list *lines = down ? half->row : half->column;
        half->core = merge(b, half->core, merge_all(b, lines + gained, step));
        prune(b, half);
        for (int i = 0; i < imf_tile_columns(t) && down; i++)
            if (some_have(i, half->x, half->across, t->width))
                lengthen(b, &half->column[i], i, true, gained, step);
        for (int i = 0; i < imf_tile_rows(t) && !down; i++)
            if (some_have(i, half->y, half->down, t->height))
                lengthen(b, &half->row[i], i, false, gained, step);
        split(b, half);
        b->used = used;
    }
    free(half);
}

static void build(struct builder *b) {
    const struct imf_network_tile *t = b->tile;
    struct node *root = calloc(1, sizeof *root);
    int shared = imf_tile_shared(t), columns = imf_tile_columns(t);
    if (!root) {
        b->failed = true;
        return;
    }
    *root = (struct node){.across = t->across, .down = t->down};
    for (int x = 0; x < columns; x++) {
        root->column[x] = new_list(b, shared);
        for (int k = 0; k < root->column[x].n; k++)
            root->column[x].v[k] = 2 * (t->down - 1) * columns + x * shared + k;
    }
    for (int y = 0; y < imf_tile_rows(t); y++) {
        int values[SPAN_MOST], count = 0;
        if (!some_have(y, 0, t->down, t->height))
            continue;
        for (int x = t->across - 1; x < t->width; x++)
            values[count++] = input(b, x, y);
        root->row[y] = sort(b, values, count);
    }
    root->core = merge_all(b, root->column + t->across - 1, t->width - t->across + 1);
    prune(b, root);
    split(b, root);
    free(root);
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { DEAD = -1 };

/* Remove steps whose results are not read; last[]: the last step that reads each value. */
static void drop_idle(struct imf_network *net, int *last) {
    int kept = net->count;
    for (int i = net->count - 1; i >= 0; i--) {
        struct imf_network_step s = net->steps[i];
        bool lesser = last[s.lesser] != DEAD, greater = last[s.greater] != DEAD;
        if (!lesser && !greater)
            continue;
        kept--;
        if (last[s.a] == DEAD)
            last[s.a] = kept;
        if (last[s.b] == DEAD)
            last[s.b] = kept;
        net->steps[kept] = s;
        if (!lesser)
            net->steps[kept].lesser = DEAD;
        if (!greater)
            net->steps[kept].greater = DEAD;
    }
    net->count -= kept;
    if (net->count > 0) /* otherwise there may be none at all */
        memmove(net->steps, net->steps + kept, (size_t)net->count * sizeof *net->steps);
    for (int i = 0; i < net->inputs + 2 * (net->count + kept); i++)
        if (last[i] >= kept)
            last[i] -= kept;
}

/* Assign rows to values: to[] is each value's. Results never lie in the rows of their operands. All
 * unread results go to the first row: writing them costs less than a branch that skips them. */
static void assign_rows(struct imf_network *net, const int *last, int *to, int *free_rows) {
    int spare = 0;
    net->slots = 1;
    for (int i = 0; i < net->count; i++) {
        struct imf_network_step *s = &net->steps[i];
        int *made[] = {&s->lesser, &s->greater};
        for (int k = 0; k < 2; k++)
            if (*made[k] == DEAD) {
                *made[k] = 0;
            } else {
                int value = *made[k];
                if (to[value] == DEAD)
                    to[value] = spare ? free_rows[--spare] : net->slots++;
                *made[k] = to[value];
            }
        int a = s->a, b = s->b;
        s->a = to[a];
        s->b = to[b];
        if (last[a] == i && to[a] >= 0)
            free_rows[spare++] = to[a];
        if (last[b] == i && b != a && to[b] >= 0)
            free_rows[spare++] = to[b];
    }
}

static enum imf_status finish(struct builder *b, struct imf_error *err) {
    struct imf_network *net = b->net;
    size_t values = (size_t)net->inputs + 2 * (size_t)net->count;
    int *last = malloc(3 * values * sizeof *last);
    if (b->failed || !last) {
        free(last);
        imf_network_free(net);
        return imf_fail_memory(err, values * sizeof *last);
    }
    int *to = last + values;
    for (size_t i = 0; i < values; i++)
        last[i] = to[i] = DEAD;
    for (int i = 0; i < net->outputs; i++)
        last[b->outputs[i]] = INT32_MAX;
    drop_idle(net, last);
    /* Inputs and outputs below -1 for now: how many rows there are is known only then. */
    for (int i = 0; i < net->inputs; i++)
        to[i] = -2 - i;
    for (int i = 0; i < net->outputs; i++)
        to[b->outputs[i]] = -2 - net->inputs - i;
    assign_rows(net, last, to, to + values);
    for (int i = 0; i < net->count; i++) {
        int *row[] = {&net->steps[i].a, &net->steps[i].b, &net->steps[i].lesser,
                      &net->steps[i].greater};
        for (int k = 0; k < 4; k++)
            if (*row[k] < DEAD)
                *row[k] = net->slots - 2 - *row[k];
    }
    free(last);
    return IMF_OK;
}

static enum imf_status open_builder(struct builder *b, struct imf_network *out,
                                    struct imf_error *err) {
    *out = (struct imf_network){0};
    *b = (struct builder){.net = out, .pool_size = (size_t)1 << 18};
    b->pool = malloc(b->pool_size * sizeof *b->pool);
    return b->pool ? IMF_OK : imf_fail_memory(err, b->pool_size * sizeof *b->pool);
}

enum imf_status imf_network_sort(struct imf_network *out, int count, struct imf_error *err) {
    struct builder b;
    enum imf_status st = open_builder(&b, out, err);
    if (st)
        return st;
    int values[SPAN_MOST];
    out->inputs = out->outputs = count;
    for (int i = 0; i < count; i++)
        values[i] = i;
    struct list sorted = sort(&b, values, count);
    memcpy(b.outputs, sorted.v, (size_t)sorted.n * sizeof *sorted.v);
    st = finish(&b, err);
    free(b.pool);
    return st;
}

enum imf_status imf_network_rank(struct imf_network *out, const struct imf_network_tile *t,
                                 int rank, struct imf_error *err) {
    struct builder b;
    enum imf_status st = open_builder(&b, out, err);
    if (st)
        return st;
    b.tile = t;
    b.rank = rank;
    out->inputs = (2 * (t->down - 1) + imf_tile_shared(t)) * imf_tile_columns(t);
    out->outputs = t->across * t->down;
    build(&b);
    st = finish(&b, err);
    free(b.pool);
    return st;
}

void imf_network_free(struct imf_network *n) {
    free(n->steps);
    *n = (struct imf_network){0};
}
