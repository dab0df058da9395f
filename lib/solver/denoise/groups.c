/*
 * groups.c - cosine transforms of groups of blocks that are alike, on vectors
 *
 * A group's search looks at 16 x 16 positions: a vector has the distances of a row of them. Distances are sums of squares of
 * integers that floats hold exactly. A distance and the position of its block make an integer of 32 bits, of which the 16
 * least are kept in order.
 *
 * A group is stored by rows of blocks: row y of all its 16 blocks side by side. So vectors along such a row have nothing
 * to do with each other when columns are transformed, and Walsh's transform adds and subtracts whole
 * rows of blocks. Only rows of eight pixels cross lanes: they are products with the transform's matrix.
 *
 * Walsh's transform is not scaled: coefficients are 4 times as large, which the constants of what is
 * kept have in them, and the sums another 4 times.
 */
#include "solver/denoise/groups.h"

#include "base/clones.h"

#define GROUP IMF_GROUP_MOST
#define SIDE 16 /* positions of a search, to either direction */
#define SCALE 4 /* of Walsh's transform: root of the group's blocks */
#define WIDE (GROUP * IMF_BLOCK)

typedef float eight __attribute__((vector_size(32), may_alias));

static int area(int tile, int reach) {
    return tile + 2 * reach;
}

static size_t padded(size_t n) {
    return (n + IMF_LANES - 1) / IMF_LANES * IMF_LANES;
}

size_t imf_groups_floats(const struct imf_problem *p, int width, int height) {
    const struct imf_denoise_grid *grid = imf_denoise_grid(p->denoise);
    int w = area(width, p->reach.left), h = area(height, p->reach.left);
    const struct imf_denoise_sides s = imf_denoise_sides(p);
    size_t size = padded((size_t)w) * (size_t)h;
    return size * (4 * (size_t)p->colors + 1) + padded((size_t)width * (size_t)p->channels) +
           (size_t)imf_denoise_along(grid, s.x, w, 0) * (size_t)imf_denoise_along(grid, s.y, h, 0) *
               GROUP / sizeof(float);
}

void imf_groups_open(struct imf_groups *g, const struct imf_job *job, int width, int height,
                     float *memory) {
    const struct imf_problem *p = &job->p;
    *g = (struct imf_groups){.grid = imf_denoise_grid(p->denoise),
                             .colors = p->colors,
                             .sides = imf_denoise_sides(p),
                             .order = imf_denoise_order_of(p->denoise),
                             .reach = p->reach.left,
                             .width = area(width, p->reach.left),
                             .height = area(height, p->reach.left),
                             .shrink = imf_shrink_of(imf_denoise_sigma(job))};
    g->pitch = padded((size_t)g->width);
    g->size = g->pitch * (size_t)g->height;
    g->shrink.scale /= SCALE * SCALE;
    g->shrink.power *= SCALE * SCALE;
    for (int c = 0; c < g->colors; c++, memory += 4 * g->size) {
        g->image[c] = memory;
        g->estimate[c] = memory + g->size;
        g->sum[c] = memory + 2 * g->size;
        g->weight[c] = memory + 3 * g->size;
    }
    g->guide = memory;
    g->row = g->guide + g->size;
    g->members = (uint8_t *)(g->row + padded((size_t)width * (size_t)p->channels));
    g->across = imf_denoise_along(g->grid, g->sides.x, g->width, 0);
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Distances of the block at `one` from those that begin in the row of positions from `row` on. */
IMF_INLINE void distances(float to[SIDE], const float *one, const float *row, size_t pitch) {
    imf_lanes sum = {0};
    for (size_t y = 0; y < IMF_BLOCK; y++)
        for (size_t x = 0; x < IMF_BLOCK; x++) {
            imf_lanes d = imf_lanes_load(row + y * pitch + x) - one[y * pitch + x];
            sum += d * d;
        }
    imf_lanes_store(to, sum);
}

/* The blocks that are most like the one at `one`. */
IMF_INLINE void search(const struct imf_groups *g, uint8_t members[GROUP], const float *one) {
    const float *corner = one - (size_t)g->sides.y.before * g->pitch - g->sides.x.before;
    const uint32_t shift_x = (uint32_t)g->order.shift_x, shift_y = (uint32_t)g->order.shift_y,
                   own = (uint32_t)g->order.own;
    uint32_t best[GROUP];
    for (int i = 0; i < GROUP; i++)
        best[i] = UINT32_MAX;
    for (uint32_t y = 0; y < SIDE; y++) {
        float distance[SIDE];
        distances(distance, one, corner + y * g->pitch, g->pitch);
        for (uint32_t x = 0; x < SIDE; x++) {
            uint32_t key =
                (uint32_t)(int32_t)distance[x] << 8 | ((y << shift_y | x << shift_x) ^ own);
            int k = GROUP - 1;
            if (key >= best[k])
                continue;
            for (; k > 0 && key < best[k - 1]; k--)
                best[k] = best[k - 1];
            best[k] = key;
        }
    }
    for (int i = 0; i < GROUP; i++)
        members[i] =
            (uint8_t)(((best[i] ^ own) >> shift_y & 15) << 4 | ((best[i] ^ own) >> shift_x & 15));
}

/* ---- transforms of a group ------------------------------------------------------------------- */

typedef float group_rows[IMF_BLOCK][WIDE];

struct matrix {
    eight forward[IMF_BLOCK], back[IMF_BLOCK];
};

static void set_matrix(struct matrix *m) {
    double basis[IMF_BLOCK][IMF_BLOCK];
    imf_denoise_basis(basis);
    for (int i = 0; i < IMF_BLOCK; i++)
        for (int k = 0; k < IMF_BLOCK; k++) {
            m->forward[i][k] = (float)basis[k][i];
            m->back[i][k] = (float)basis[i][k];
        }
}

/* Rows of eight, times a matrix. */
IMF_INLINE eight product(const float *row, const eight matrix[IMF_BLOCK]) {
    eight even = row[0] * matrix[0], odd = row[1] * matrix[1];
    for (int k = 2; k < IMF_BLOCK; k += 2) {
        even += row[k] * matrix[k];
        odd += row[k + 1] * matrix[k + 1];
    }
    return even + odd;
}

/* Walsh's transform across the blocks. */
IMF_INLINE void mix(group_rows z) {
    for (int y = 0; y < IMF_BLOCK; y++) {
        eight v[GROUP];
        memcpy(v, z[y], sizeof v);
        for (int step = 1; step < GROUP; step *= 2)
            for (int n = 0; n < GROUP; n++)
                if (!(n & step)) {
                    eight a = v[n], b = v[n + step];
                    v[n] = a + b;
                    v[n + step] = a - b;
                }
        memcpy(z[y], v, sizeof v);
    }
}

IMF_INLINE void columns(group_rows z, bool back) {
    for (int i = 0; i < WIDE; i += IMF_LANES) {
        imf_lanes x[IMF_BLOCK];
        for (int y = 0; y < IMF_BLOCK; y++)
            x[y] = imf_lanes_load(&z[y][i]);
        if (back)
            imf_cosine_back(x);
        else
            imf_cosine(x);
        for (int y = 0; y < IMF_BLOCK; y++)
            imf_lanes_store(&z[y][i], x[y]);
    }
}

/* The coefficients of a plane's blocks. */
IMF_INLINE void forward(group_rows z, const float *const at[GROUP], size_t pitch,
                        const struct matrix *m) {
    for (int n = 0; n < GROUP; n++)
        for (int y = 0; y < IMF_BLOCK; y++) {
            eight row = product(at[n] + (size_t)y * pitch, m->forward);
            memcpy(&z[y][n * IMF_BLOCK], &row, sizeof row);
        }
    columns(z, false);
    mix(z);
}

/* Keep parts of coefficients; returns the sum of the parts' squares. */
IMF_INLINE float shrink(group_rows z, group_rows first, const struct imf_shrink *s, bool again) {
    imf_lanes squares = {0};
    float sum = 0;
    for (int y = 0; y < IMF_BLOCK; y++)
        for (int i = 0; i < WIDE; i += IMF_LANES) {
            imf_lanes x = imf_lanes_load(&z[y][i]);
            imf_lanes part =
                again ? imf_keep_wiener(imf_lanes_load(&first[y][i]), s) : imf_keep_large(x, s);
            if (y + i == 0)
                part[0] = 1; /* the mean */
            squares += part * part;
            imf_lanes_store(&z[y][i], x * part);
        }
    for (int i = 0; i < IMF_LANES; i++)
        sum += squares[i];
    return sum;
}

/* Estimate a group's blocks of one colour and add them to the sums. */
IMF_INLINE void estimate(const struct imf_groups *g, int c, const size_t start[GROUP],
                         const struct matrix *m, bool again) {
    group_rows z, first;
    const float *at[GROUP];
    for (int n = 0; n < GROUP; n++)
        at[n] = g->image[c] + start[n];
    forward(z, at, g->pitch, m);
    for (int n = 0; n < GROUP && again; n++)
        at[n] = g->estimate[c] + start[n];
    if (again)
        forward(first, at, g->pitch, m);
    float weight = 1 / shrink(z, first, &g->shrink, again);
    float scaled = weight / (SCALE * SCALE);
    mix(z);
    columns(z, true);
    for (int n = 0; n < GROUP; n++)
        for (int y = 0; y < IMF_BLOCK; y++) {
            size_t to = start[n] + (size_t)y * g->pitch;
            eight row = product(&z[y][n * IMF_BLOCK], m->back), sum, all;
            memcpy(&sum, g->sum[c] + to, sizeof sum);
            memcpy(&all, g->weight[c] + to, sizeof all);
            sum += row * scaled;
            all += weight;
            memcpy(g->sum[c] + to, &sum, sizeof sum);
            memcpy(g->weight[c] + to, &all, sizeof all);
        }
}

/* ---- the tile -------------------------------------------------------------------------------- */

/* All groups whose blocks begin at least `inset` pixels inside. */
IMF_INLINE void estimate_all(const struct imf_groups *g, const struct matrix *m, bool again) {
    const struct imf_denoise_side *x = &g->sides.x, *y = &g->sides.y;
    int step = g->grid->step, inset = again ? g->reach / 2 : 0;
    int down = imf_denoise_along(g->grid, *y, g->height, inset),
        across = imf_denoise_along(g->grid, *x, g->width, inset);
    for (int row = imf_denoise_skipped(g->grid, *y, inset); row < down; row++)
        for (int k = imf_denoise_skipped(g->grid, *x, inset); k < across; k++) {
            size_t corner =
                (size_t)(y->first + row * step) * g->pitch + (size_t)(x->first + k * step);
            uint8_t *members = g->members + (row * g->across + k) * GROUP;
            size_t start[GROUP];
            if (!again)
                search(g, members, g->guide + corner + (size_t)y->before * g->pitch + x->before);
            for (int n = 0; n < GROUP; n++)
                start[n] = corner + (size_t)(members[n] >> 4) * g->pitch + (members[n] & 15);
            for (int c = 0; c < g->colors; c++)
                estimate(g, c, start, m, again);
        }
}

IMF_CLONES static void groups_first(const struct imf_groups *g, const struct matrix *m) {
    estimate_all(g, m, false);
}

IMF_CLONES static void groups_again(const struct imf_groups *g, const struct matrix *m) {
    estimate_all(g, m, true);
}

/* Sums over weights; 0 where there is none. */
IMF_CLONES static void groups_divide(float *restrict to, float *restrict sum,
                                     float *restrict weight, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = sum[i] / (weight[i] > 0 ? weight[i] : 1);
    memset(sum, 0, n * sizeof *sum);
    memset(weight, 0, n * sizeof *weight);
}

void imf_groups_run(struct imf_groups *g) {
    struct matrix m;
    set_matrix(&m);
    groups_first(g, &m);
    for (int c = 0; c < g->colors; c++)
        groups_divide(g->estimate[c], g->sum[c], g->weight[c], g->size);
    groups_again(g, &m);
    for (int c = 0; c < g->colors; c++)
        groups_divide(g->estimate[c], g->sum[c], g->weight[c], g->size);
}
