/*
 * vector.c - removal of noise on the host's cores
 *
 * reference.c has the definition, blocks.c and groups.c what makes it fast. The image is cut into tiles that fit a
 * cache; each is turned into planes, which are estimated twice.
 */
#include "device/tuning.h"
#include "solver/common/float_row.h"
#include "solver/cores.h"
#include "solver/denoise/blocks.h"
#include "solver/denoise/groups.h"
#include "solver/denoise/planes.h"
#include "solver/strips.h"

#include <string.h>

/* Pixels of tiles: of blocks, whose halo is narrow, and of groups. */
#define BLOCKS_WIDTH 512
#define BLOCKS_HEIGHT 128
#define GROUPS_SIDE 512

static bool by_groups(const struct imf_problem *p) {
    return p->denoise->groups;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Planes begin BEFORE pixels before the tile, or one more where blocks begin at odd pixels: that is the first block of
 * the first estimate. The second begins half way, at the first pixel that the first one makes. */
enum { AGAIN = IMF_BLOCK - IMF_BLOCKS_STEP, BEFORE = 2 * AGAIN };

/* Blocks along n pixels of a tile: those that begin at or before the last pixel that an estimate makes. */
static int blocks_along(int n, bool again) {
    int last = again ? n - 1 + AGAIN : n - 1 + IMF_BLOCK - 1 + BEFORE;
    return last / IMF_BLOCKS_STEP + 1;
}

static size_t blocks_plane(int width, int height) {
    int down = blocks_along(height, false);
    size_t rows =
        (size_t)(down - 1) * IMF_BLOCKS_STEP + IMF_BLOCK + 1; /* the last may be read past */
    return imf_blocks_pitch(blocks_along(width, false)) * rows;
}

static size_t blocks_floats(const struct imf_problem *p, int width, int height) {
    return blocks_plane(width, height) * ((size_t)p->colors + 1) +
           imf_blocks_scratch(blocks_along(width, false)) + (size_t)width * (size_t)p->channels;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static size_t tile_floats(const struct imf_problem *p, int width, int height) {
    return by_groups(p) ? imf_groups_floats(p, width, height)
                        : blocks_floats(p, width + p->grid_x, height + p->grid_y);
}

static struct imf_strips cut(const struct imf_problem *p, int height) {
    int step = imf_denoise_grid(p->denoise)->step;
    struct imf_strips s = by_groups(p)
                              ? imf_strips_cut(p->width, height, GROUPS_SIDE, GROUPS_SIDE)
                              : imf_strips_cut(p->width, height, BLOCKS_WIDTH, BLOCKS_HEIGHT);
    int rows = by_groups(p) ? imf_min(s.rows, GROUPS_SIDE) : s.rows;
    return imf_strips_of(p->width, height, s.width, (rows + step - 1) / step * step);
}

/* Planes begin so many pixels, and rows, before their tile. */
struct corner {
    int x, y;
};

/* Rows of the tile at `at`. guide: NULL, or of groups. */
static void load(const struct imf_host_strip *s, float *const *plane, float *guide, size_t pitch,
                 struct corner before, int width, int height) {
    const struct imf_problem *p = &s->job->p;
    float scale = imf_denoise_guide(p, imf_denoise_sigma(s->job));
    ptrdiff_t first = (ptrdiff_t)(s->at.x - before.x) * p->channels;
    for (int y = 0; y < height; y++)
        imf_planes_load(plane, guide, scale, (size_t)y * pitch,
                        imf_sample_at(s->in, s->at.y - before.y + y, first), s->in->sample,
                        p->channels, p->colors, (size_t)width);
}

static void store(const struct imf_host_strip *s, float *const *plane, size_t pitch,
                  struct corner before, float *row) {
    const struct imf_problem *p = &s->job->p;
    for (int y = s->at.y; y < s->at.end; y++) {
        ptrdiff_t first = (ptrdiff_t)s->at.x * p->channels;
        char *to =
            (char *)imf_surface_row(s->out, y) + (size_t)first * imf_sample_size(s->out->sample);
        imf_planes_store(row, plane, (size_t)(y - s->at.y + before.y) * pitch + (size_t)before.x,
                         imf_sample_at(s->in, y, first), s->in->sample, p->channels, p->colors,
                         (size_t)s->at.n);
        imf_float_row_store(to, s->out->sample, row, s->at.n * p->channels, &p->epilogue);
    }
}

static void run_blocks(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    int width = s->at.n + p->grid_x, rows = s->at.end - s->at.y + p->grid_y;
    size_t size = blocks_plane(width, rows);
    float *plane[IMF_CHANNELS_MAX], *memory = s->scratch,
                                    *first = memory + (size_t)p->colors * size;
    struct imf_blocks once = {.across = blocks_along(width, false),
                              .down = blocks_along(rows, false),
                              .shrink = imf_shrink_of(imf_denoise_sigma(s->job)),
                              .scratch = first + size};
    once.pitch = imf_blocks_pitch(once.across);
    struct imf_blocks again = once;
    again.across = blocks_along(width, true);
    again.down = blocks_along(rows, true);
    for (int c = 0; c < p->colors; c++)
        plane[c] = memory + (size_t)c * size;
    const struct corner corner = {BEFORE + p->grid_x, BEFORE + p->grid_y};
    load(s, plane, NULL, once.pitch, corner, (once.across - 1) * IMF_BLOCKS_STEP + IMF_BLOCK,
         (once.down - 1) * IMF_BLOCKS_STEP + IMF_BLOCK);
    size_t inside = AGAIN * once.pitch + AGAIN;
    for (int c = 0; c < p->colors; c++) {
        imf_blocks_estimate(&once, first, plane[c], NULL);
        imf_blocks_estimate(&again, plane[c] + inside, plane[c] + inside, first + inside);
    }
    store(s, plane, once.pitch, corner, once.scratch + imf_blocks_scratch(once.across));
}

static void run_groups(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    struct imf_groups g;
    imf_groups_open(&g, s->job, s->at.n, s->at.end - s->at.y, s->scratch);
    const struct corner corner = {p->reach.left, p->reach.left};
    load(s, g.image, g.guide, g.pitch, corner, g.width, g.height);
    imf_groups_run(&g);
    store(s, g.estimate, g.pitch, corner, g.row);
}

static void run_strip(const struct imf_host_strip *s) {
    memset(s->scratch, 0, tile_floats(&s->job->p, s->at.n, s->at.end - s->at.y) * sizeof(float));
    if (by_groups(&s->job->p))
        run_groups(s);
    else
        run_blocks(s);
}

static struct imf_strips cut_band(const struct imf_job *job, int height) {
    return cut(&job->p, height);
}

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int width) {
    (void)shape;
    return tile_floats(p, width, cut(p, p->height).rows) * sizeof(float);
}

static void propose(const struct imf_problem *p, const struct imf_device *d,
                    struct imf_proposal *out) {
    (void)d;
    if (imf_denoise_floats_do(p, out)) {
        struct imf_strips tiles = cut(p, p->height);
        int halo = by_groups(p) ? p->reach.left : IMF_BLOCK,
            cores = imf_min(imf_cores(), tiles.count);
        double width = imf_min(tiles.width, p->width), rows = imf_min(tiles.rows, p->height);
        double more = (width + halo) * (rows + halo) / (width * rows);
        imf_denoise_propose(p, out, imf_vector_rates.denoise[by_groups(p)] * more);
        out->ms = imf_cores_ms(out->ms, cores);
        out->bytes = cores * sizeof(float) * (double)tile_floats(p, (int)width, (int)rows);
        snprintf(out->description, sizeof out->description, "%s",
                 by_groups(p) ? "cosine transforms of like blocks, groups of 16"
                              : "sliding cosine transforms, 8x8");
    }
}

const struct imf_solver imf_solver_denoise = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_DENOISE,
    .propose = propose,
    .own = sizeof(double),
    .run = imf_denoise_run,
    .cut = cut_band,
    .scratch_bytes = scratch_bytes,
    .strip = run_strip,
    .tell = imf_denoise_tell,
};
