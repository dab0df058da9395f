/* denoise.c - what the solvers that remove noise share */
#include "solver/denoise/denoise.h"

#include "solver/common/channels.h"
#include "solver/denoise/noise.h"

#include <math.h>

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

bool imf_denoise_floats_do(const struct imf_problem *p, struct imf_proposal *out) {
    out->error = IMF_DENOISE_ERROR * p->in_max * fabs(p->epilogue.multiply);
    if (out->error > p->tolerance)
        imf_proposal_refuse(out, "blocks like these need more than float32");
    return out->error <= p->tolerance;
}

void imf_denoise_tell(const struct imf_job *job, char *text, size_t size) {
    double sigma = imf_denoise_sigma(job), part = sigma / job->p.unit;
    if (job->p.denoise->sigma < 0)
        snprintf(text, size, "noise of sigma %.3g of full scale (%.3g of %g)", part, sigma,
                 job->p.unit);
}

enum imf_status imf_denoise_measure(struct imf_job *job, const struct imf_surface *in,
                                    struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    const struct imf_denoise *d = p->denoise;
    double *sigma = job->own;
    *sigma = d->sigma * p->unit;
    return d->sigma < 0 ? imf_noise_sigma(sigma, in, p->colors, p->weigh, p->unit, d->first_x,
                                          d->first_y, err)
                        : IMF_OK;
}

enum imf_status imf_denoise_run(struct imf_job *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    struct imf_problem all = job->p; /* the epilogue is for alpha, too */
    enum imf_status st = imf_denoise_measure(job, in, err);
    all.colors = all.channels;
    if (!st && imf_denoise_sigma(job) > 0)
        return imf_job_strips(job, in, out, err);
    if (!st)
        imf_channels_copy(&all, in, out, 0, job->pool);
    return st;
}
