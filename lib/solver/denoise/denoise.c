/* denoise.c - what the solvers that remove noise share */
#include "solver/denoise/denoise.h"

#include "solver/common/window.h"
#include "solver/denoise/noise.h"

#include <math.h>
#include <stdlib.h>

#define ROOT2 0.70710678118654757
#define ROOT3 0.57735026918962573
#define ROOT6 0.40824829046386302

const double imf_denoise_colors[3][3] = {
    {ROOT3, ROOT3, ROOT3}, {ROOT2, 0, -ROOT2}, {ROOT6, -2 * ROOT6, ROOT6}};

float imf_denoise_guide(const struct imf_problem *p, double sigma) {
    double luma = p->colors >= 3 ? ROOT3 : 1, most = p->unit / luma;
    return (float)(luma * fmin(IMF_GUIDE_STEPS / sigma, IMF_GUIDE_MOST / most));
}

void imf_denoise_basis(double basis[IMF_BLOCK][IMF_BLOCK]) {
    double turn = acos(-1.0) / (2 * IMF_BLOCK);
    for (int k = 0; k < IMF_BLOCK; k++)
        for (int x = 0; x < IMF_BLOCK; x++)
            basis[k][x] = sqrt((k ? 2.0 : 1.0) / IMF_BLOCK) * cos((2 * x + 1) * k * turn);
}

static struct imf_denoise_side side_of(const struct imf_denoise_grid *grid, int first, int start,
                                       int reach) {
    int least = imf_max(grid->search - 1, 0), before = first < 0 ? least : grid->search;
    return (struct imf_denoise_side){
        .before = before,
        .behind = grid->search + least - before,
        .first = (start + reach - before) % grid->step,
    };
}

struct imf_denoise_sides imf_denoise_sides(const struct imf_problem *p) {
    const struct imf_denoise_grid *grid = imf_denoise_grid(p->denoise);
    return (struct imf_denoise_sides){side_of(grid, p->denoise->first_x, p->grid_x, p->reach.left),
                                      side_of(grid, p->denoise->first_y, p->grid_y, p->reach.left)};
}

int imf_denoise_along(const struct imf_denoise_grid *grid, struct imf_denoise_side side, int n,
                      int inset) {
    return (n - inset - side.first - (side.before + side.behind + IMF_BLOCK)) / grid->step + 1;
}

int imf_denoise_skipped(const struct imf_denoise_grid *grid, struct imf_denoise_side side,
                        int inset) {
    return (imf_max(inset - side.first, 0) + grid->step - 1) / grid->step;
}

struct imf_denoise_order imf_denoise_order_of(const struct imf_denoise *denoise) {
    struct imf_denoise_order o = {
        .shift_x = denoise->turned ? 4 : 0, .shift_y = denoise->turned ? 0 : 4, .own = 0x88};
    if (denoise->first_x < 0)
        o.own ^= 15 << o.shift_x;
    if (denoise->first_y < 0)
        o.own ^= 15 << o.shift_y;
    return o;
}

void imf_denoise_propose(const struct imf_problem *p, struct imf_proposal *out, double ns) {
    const struct imf_denoise_grid *grid = imf_denoise_grid(p->denoise);
    double samples = (double)p->width * p->height * p->colors;
    out->feasible = true;
    out->ms = samples * ns * 1e-6;
    out->bands = p->denoise->sigma < 0 ? IMF_BANDS_WHOLE : IMF_BANDS_FEW;
    out->step = grid->step;
}

enum imf_status imf_denoise_make(void **job, const struct imf_problem *p,
                                 const struct imf_proposal *proposal, struct imf_queue *queue,
                                 struct imf_error *err) {
    (void)proposal, (void)queue;
    struct imf_denoise_job *j = *job = malloc(sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    *j = (struct imf_denoise_job){
        .p = *p, .grid = imf_denoise_grid(p->denoise), .sigma = p->denoise->sigma * p->unit};
    return IMF_OK;
}

void imf_denoise_destroy(void **job) {
    free(*job);
    *job = NULL;
}

void imf_denoise_use_pool(void *job, struct imf_pool *pool) {
    ((struct imf_denoise_job *)job)->pool = pool;
}

void imf_denoise_tell(const void *job, char *text, size_t size) {
    const struct imf_denoise_job *j = job;
    double part = j->sigma / j->p.unit;
    if (j->p.denoise->sigma < 0)
        snprintf(text, size, "noise of sigma %.3g of full scale (%.3g of %g)", part, j->sigma,
                 j->p.unit);
}

static enum imf_status copy(const struct imf_problem *p, const struct imf_surface *in,
                            const struct imf_surface *out, struct imf_error *err) {
    size_t samples = (size_t)p->width * (size_t)p->channels;
    double *row = malloc(samples * sizeof *row);
    if (!row)
        return imf_fail_memory(err, samples * sizeof *row);
    for (int y = 0; y < out->height; y++) {
        imf_samples_widen(row, imf_surface_row(in, y), in->sample, 0, samples);
        imf_window_finish(p, row, imf_surface_row(out, y), samples);
    }
    free(row);
    return IMF_OK;
}

enum imf_status imf_denoise_begin(struct imf_denoise_job *j, const struct imf_surface *in,
                                  const struct imf_surface *out, bool *done,
                                  struct imf_error *err) {
    const struct imf_problem *p = &j->p;
    enum imf_status st = IMF_OK;
    if (p->denoise->sigma < 0)
        st = imf_noise_sigma(&j->sigma, in, p->colors, p->weigh, p->unit, p->denoise->first_x,
                             p->denoise->first_y, err);
    *done = !st && j->sigma == 0;
    return *done ? copy(p, in, out, err) : st;
}
