/*
 * reference.c - removal of white noise on the host, in float64
 *
 * A block of 8x8 pixels of a picture has few large coefficients in its cosine transform; noise of
 * standard deviation sigma gives each of the 64 that much. So small coefficients are noise. Blocks overlap, and a
 * pixel becomes the weighted mean of what all blocks that cover it make of it (Coifman and Donoho's
 * cycle spinning, 1995; as denoising by sliding cosine transforms Yaroslavsky, Egiazarian and Astola, 2001).
 * This is done twice: first coefficients below 2.6 sigma become 0 and those above 3 sigma stay; then each
 * one of the image is multiplied by b^2 / (b^2 + sigma^2), where b is that of the first estimate,
 * which is Wiener's filter. A block weighs as the inverse of what is left of its noise's variance.
 *
 * With groups (Dabov, Foi, Katkovnik and Egiazarian, IEEE Transactions on Image Processing 16(8), 2007; Lebrun,
 * IPOL 2, 2012) the 16 blocks that are most like one, of those that begin up to 8 pixels around it, are
 * transformed together: their cosine transforms by Walsh's transform across the group, in which what
 * they have in common becomes one coefficient. Unlike there, there are no thresholds of likeness, groups always have
 * 16 blocks, and those of the first estimate serve for the second: on photographs with noise of 5 to 25 of
 * 255 that gains 0.1 to 0.4 dB, and searches that compare integers have one result everywhere. Blocks begin at every second pixel, groups at every fourth: all positions would gain 0.2 dB at
 * four times the cost.
 *
 * Colours are turned into luma and two differences, which is a rotation: noise stays as it is. A
 * further channel is as it is. Luma alone decides which blocks are alike.
 *
 * Everything is a continuous function of the image, but for the choice of the groups' blocks: of these each is
 * one of a hundred that a pixel is made of.
 */
#include "solver/denoise/denoise.h"

#include "device/tuning.h"
#include "solver/common/channels.h"

#include <math.h>
#include <string.h>

#define ROWS 192 /* of a strip, whose neighbours compute up to 88 of them, too */

/* An area of the image with `reach` pixels around: planes of each channel. */
struct area {
    const struct imf_problem *p;
    const struct imf_denoise_grid *grid;
    double sigma, basis[IMF_BLOCK][IMF_BLOCK];
    int reach, width, height;
    size_t size; /* of a plane */
    double *image[IMF_CHANNELS_MAX], *estimate[IMF_CHANNELS_MAX];
    double *sum[IMF_CHANNELS_MAX], *weight[IMF_CHANNELS_MAX], *guide;
};

/* ---- one group ------------------------------------------------------------------------------- */

struct group {
    int count;
    size_t at[IMF_GROUP_MOST]; /* first pixels of its blocks */
};

/* Of two blocks; more than `most`, perhaps less than it is. */
static double distance(const struct area *a, size_t one, size_t other, double most) {
    double sum = 0;
    for (int y = 0; y < IMF_BLOCK && sum <= most; y++)
        for (size_t x = 0; x < IMF_BLOCK; x++) {
            size_t at = (size_t)y * (size_t)a->width + x;
            double d = a->guide[one + at] - a->guide[other + at];
            sum += d * d;
        }
    return sum;
}

/* The i-th step of a search, which begins at the block itself, goes on behind it and ends before it, in the upright
 * picture. */
static int search_step(const struct imf_denoise_grid *grid, int i) {
    return i < grid->search ? i : i - 2 * grid->search;
}

/* The blocks that are most like the one at (x, y), the most alike first; of equal ones the first that is searched. So
 * the block itself is always one of them, and each pixel is in a group. */
static void find_group(struct group *g, const struct area *a, int x, int y) {
    const struct imf_denoise_grid *grid = a->grid;
    size_t one = (size_t)y * (size_t)a->width + (size_t)x;
    double found[IMF_GROUP_MOST];
    bool turned = a->p->denoise->turned;
    g->count = 0;
    if (grid->count == 1)
        g->at[g->count++] = one;
    for (int row = 0; row < 2 * grid->search; row++)
        for (int column = 0; column < 2 * grid->search; column++) {
            int down = search_step(grid, row), along = search_step(grid, column);
            int dx = turned ? down : along, dy = turned ? along : down;
            dx = a->p->denoise->first_x < 0 ? -dx : dx;
            dy = a->p->denoise->first_y < 0 ? -dy : dy;
            size_t other = (size_t)(y + dy) * (size_t)a->width + (size_t)(x + dx);
            bool full = g->count == grid->count;
            double d = distance(a, one, other, full ? found[g->count - 1] : INFINITY);
            int k = g->count < grid->count ? g->count++ : grid->count;
            for (; k > 0 && d < found[k - 1]; k--)
                if (k < grid->count) {
                    found[k] = found[k - 1];
                    g->at[k] = g->at[k - 1];
                }
            if (k < grid->count) {
                found[k] = d;
                g->at[k] = other;
            }
        }
}

/* to = B from B^T, or with `back` B^T from B. */
static void transform(const struct area *a, double to[IMF_BLOCK_AREA], const double *from,
                      size_t pitch, bool back) {
    double half[IMF_BLOCK][IMF_BLOCK];
    for (int y = 0; y < IMF_BLOCK; y++)
        for (int k = 0; k < IMF_BLOCK; k++) {
            half[y][k] = 0;
            for (int x = 0; x < IMF_BLOCK; x++)
                half[y][k] +=
                    from[(size_t)y * pitch + (size_t)x] * (back ? a->basis[x][k] : a->basis[k][x]);
        }
    for (int v = 0; v < IMF_BLOCK; v++)
        for (int k = 0; k < IMF_BLOCK; k++) {
            double sum = 0;
            for (int y = 0; y < IMF_BLOCK; y++)
                sum += half[y][k] * (back ? a->basis[y][v] : a->basis[v][y]);
            to[v * IMF_BLOCK + k] = sum;
        }
}

/* Walsh's transform across the blocks, which is its own inverse. */
static void mix(double (*block)[IMF_BLOCK_AREA], int count) {
    for (int step = 1; step < count; step *= 2)
        for (int n = 0; n < count; n++)
            for (int i = 0; i < IMF_BLOCK_AREA && !(n & step); i++) {
                double u = block[n][i], v = block[n + step][i];
                block[n][i] = (u + v) * sqrt(0.5);
                block[n + step][i] = (u - v) * sqrt(0.5);
            }
}

/* How much of a coefficient is kept. */
static double keep(const struct area *a, double image, const double *estimate) {
    const double low = IMF_DENOISE_NOISE, high = IMF_DENOISE_KEPT;
    double power = (estimate ? *estimate * *estimate : image * image) / (a->sigma * a->sigma);
    if (estimate)
        return power / (power + 1);
    return fmin(fmax((power - low * low) / (high * high - low * low), 0), 1);
}

/* Add a group's estimate to the sums of channel c. */
static void estimate_group(const struct area *a, const struct group *g, int c, bool again) {
    double image[IMF_GROUP_MOST][IMF_BLOCK_AREA], first[IMF_GROUP_MOST][IMF_BLOCK_AREA];
    double weight = 0, made[IMF_BLOCK_AREA];
    for (int n = 0; n < g->count; n++) {
        transform(a, image[n], a->image[c] + g->at[n], (size_t)a->width, false);
        if (again)
            transform(a, first[n], a->estimate[c] + g->at[n], (size_t)a->width, false);
    }
    mix(image, g->count);
    if (again)
        mix(first, g->count);
    for (int n = 0; n < g->count; n++)
        for (int i = 0; i < IMF_BLOCK_AREA; i++) {
            double part = n + i ? keep(a, image[n][i], again ? &first[n][i] : NULL) : 1;
            image[n][i] *= part;
            weight += part * part;
        }
    mix(image, g->count);
    for (int n = 0; n < g->count; n++) {
        transform(a, made, image[n], IMF_BLOCK, true);
        for (int i = 0; i < IMF_BLOCK_AREA; i++) {
            size_t at =
                g->at[n] + (size_t)(i / IMF_BLOCK) * (size_t)a->width + (size_t)(i % IMF_BLOCK);
            a->sum[c][at] += made[i] / weight;
            a->weight[c][at] += 1 / weight;
        }
    }
}

/* ---- an area --------------------------------------------------------------------------------- */

/* Estimate all channels, again from the first estimate. */
static void estimate(const struct area *a, bool again) {
    const struct imf_denoise_grid *grid = a->grid;
    int colors = a->p->colors;
    int inset = again ? a->reach / 2 : 0, after = inset + IMF_BLOCK;
    const struct imf_denoise_sides s = imf_denoise_sides(a->p);
    int first_x = s.x.first + imf_denoise_skipped(grid, s.x, inset) * grid->step + s.x.before;
    int first_y = s.y.first + imf_denoise_skipped(grid, s.y, inset) * grid->step + s.y.before;
    for (int c = 0; c < colors; c++) {
        memset(a->sum[c], 0, a->size * sizeof(double));
        memset(a->weight[c], 0, a->size * sizeof(double));
    }
    for (int y = first_y; y <= a->height - after - s.y.behind; y += grid->step)
        for (int x = first_x; x <= a->width - after - s.x.behind; x += grid->step) {
            struct group g;
            find_group(&g, a, x, y);
            for (int c = 0; c < colors; c++)
                estimate_group(a, &g, c, again);
        }
    for (int c = 0; c < colors; c++)
        for (size_t i = 0; i < a->size; i++)
            a->estimate[c][i] =
                a->weight[c][i] > 0 ? a->sum[c][i] / a->weight[c][i] : a->image[c][i];
}

/* Rotate the first three channels' planes; back: by the inverse. */
static void rotate(double *const *plane, size_t size, bool back) {
    for (size_t i = 0; i < size; i++) {
        double v[3] = {plane[0][i], plane[1][i], plane[2][i]};
        for (int k = 0; k < 3; k++) {
            plane[k][i] = 0;
            for (int c = 0; c < 3; c++)
                plane[k][i] += v[c] * imf_denoise_colors[back ? c : k][back ? k : c];
        }
    }
}

static void load(const struct area *a, const struct imf_surface *in, int y0) {
    const struct imf_problem *p = a->p;
    float scale = imf_denoise_guide(p, a->sigma);
    for (int y = 0; y < a->height; y++)
        for (int c = 0; c < p->colors; c++)
            imf_channel_read(a->image[c] + (size_t)y * (size_t)a->width, in, c, y0 + y - a->reach,
                             -a->reach, a->width);
    for (size_t i = 0; i < a->size; i++) {
        float sum = (float)a->image[0][i];
        if (p->colors >= 3)
            sum += (float)a->image[1][i] + (float)a->image[2][i];
        float product = sum * scale;
        a->guide[i] = rint(fmin(fmax(product, 0), IMF_GUIDE_MOST));
    }
    if (p->colors >= 3)
        rotate(a->image, a->size, false);
}

static void store(const struct area *a, const struct imf_surface *in, const struct imf_surface *out,
                  int y0, int rows) {
    const struct imf_problem *p = a->p;
    struct imf_problem all = *p; /* the epilogue is for alpha, too */
    all.colors = p->channels;
    if (p->colors >= 3)
        rotate(a->estimate, a->size, true);
    for (int y = 0; y < rows; y++)
        for (int c = 0; c < p->channels; c++) {
            double *row = a->sum[0]; /* which is no longer needed */
            if (c < p->colors)
                row = a->estimate[c] + (size_t)(y + a->reach) * (size_t)a->width + a->reach;
            else
                imf_channel_read(row, in, c, y0 + y, 0, p->width);
            imf_channel_finish(&all, out, c, y0 + y, 0, row, p->width);
        }
}

static size_t area_doubles(const struct imf_problem *p, int height) {
    size_t width = (size_t)p->width + 2 * (size_t)p->reach.left;
    return width * ((size_t)height + 2 * (size_t)p->reach.top) * (4 * (size_t)p->colors + 1);
}

static void run_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    int rows = s->at.end - s->at.y;
    struct area a = {.p = p,
                     .grid = imf_denoise_grid(p->denoise),
                     .sigma = imf_denoise_sigma(s->job),
                     .reach = p->reach.left};
    a.width = p->width + 2 * a.reach;
    a.height = rows + 2 * a.reach;
    a.size = (size_t)a.width * (size_t)a.height;
    double *next = s->scratch;
    for (int c = 0; c < p->colors; c++, next += 4 * a.size) {
        a.image[c] = next;
        a.estimate[c] = next + a.size;
        a.sum[c] = next + 2 * a.size;
        a.weight[c] = next + 3 * a.size;
    }
    a.guide = next;
    imf_denoise_basis(a.basis);
    load(&a, s->in, s->at.y);
    estimate(&a, false);
    estimate(&a, true);
    store(&a, s->in, s->out, s->at.y, rows);
}

static struct imf_strips cut(const struct imf_job *job, int height) {
    return imf_strips_rows(job->p.width, height, ROWS);
}

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int width) {
    (void)shape, (void)width;
    return area_doubles(p, ROWS) * sizeof(double);
}

static void propose(const struct imf_problem *p, const struct imf_device *d,
                    struct imf_proposal *out) {
    (void)d;
    imf_denoise_propose(p, out, imf_host_rates.denoise[p->denoise->groups]);
    out->ms /= imf_cores();
    out->bytes = imf_cores() * (double)area_doubles(p, ROWS) * sizeof(double);
    snprintf(out->description, sizeof out->description, "plain C %s, float64",
             p->denoise->groups ? "cosine transforms of like blocks" : "sliding cosine transforms");
}

const struct imf_solver imf_solver_denoise_host = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .float64 = true,
    .kinds = 1u << IMF_DENOISE,
    .propose = propose,
    .own = sizeof(double),
    .run = imf_denoise_run,
    .cut = cut,
    .scratch_bytes = scratch_bytes,
    .strip = run_strip,
    .tell = imf_denoise_tell,
};
