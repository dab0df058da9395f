/*
 * bits_gpu.c - ranks in windows of up to 7x7 on GPUs, bit by bit of the samples
 * (cl/rank_bits_gpu.cl)
 */
#include "device/tuning.h"
#include "solver/common/window.h"

#include <stdlib.h>

#define SIDE 7    /* of the largest window */
#define WORD 32   /* samples of a work-item */
#define TILE_W 8  /* words of a tile */
#define TILE_H 16 /* and rows */

struct shape {
    struct imf_window_facts window;
    int rows[SIDE]; /* the columns of each row's element, as bits */
};

/* Instructions of a sample: for each of its bits 1/32 of loading and adding the window's words of bits;
 * and the conversion to bit planes and back. */
static double cost(const struct imf_problem *p, const struct imf_device *d, double count) {
    const struct imf_gpu_rates *g = &imf_tuning(d)->gpu;
    double bytes = (double)imf_sample_size(p->in);
    double each =
        8 * bytes / WORD * (g->bits_sample * count + g->bits_sum) + g->bits_transpose * bytes;
    return imf_window_ms(p, d, each, bytes + (double)imf_sample_size(p->out));
}

static void bits_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_window_op *op = p->window_op;
    const struct imf_window_facts *w = imf_window_propose(out, p);
    struct shape *s = (struct shape *)out->shape.bytes;
    int across = imf_max(abs(w->left), abs(w->right));
    if (p->in == IMF_F32 || w->width > SIDE || w->height > SIDE || across * p->channels >= WORD) {
        imf_proposal_refuse(out, "this variant is for windows of up to %dx%d and integers", SIDE,
                            SIDE);
        return;
    }
    for (struct imf_run r = imf_window_start(op, false); imf_window_next(op, false, &r);)
        for (int x = r.from; x < r.to; x++)
            s->rows[r.line - w->top] |= 1 << (x - w->left);
    imf_window_accept(out, "bit by bit");
    out->ms = cost(p, d, w->count);
    out->local = (size_t)((TILE_W + 2) * (TILE_H + w->height - 1)) * 8 * imf_sample_size(p->in) *
                 sizeof(uint32_t);
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    const struct shape *s = imf_job_shape(job);
    const int *r = s->rows;
    imf_define(d, "TAPS_W", "%d", s->window.width);
    imf_define(d, "TAPS_H", "%d", s->window.height);
    imf_define(d, "ORIGIN_X", "(%d)", -s->window.left);
    imf_define(d, "ORIGIN_Y", "(%d)", -s->window.top);
    imf_define(d, "ELEMENT", "%d, %d, %d, %d, %d, %d, %d", r[0], r[1], r[2], r[3], r[4], r[5],
               r[6]);
    imf_define(d, "MAJORITY", "%d", s->window.count - s->window.rank);
    imf_define(d, "TILE_W", "%d", TILE_W);
    imf_define(d, "TILE_H", "%d", TILE_H);
}

static enum imf_status bits_run(struct imf_job *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    size_t samples = (size_t)in->width * (size_t)in->channels, across = WORD * TILE_W;
    const struct imf_arg args[] = {IMF_ARG_SURFACE(in), IMF_ARG_SURFACE(out),
                                   imf_arg_int((int)samples), imf_arg_int(out->height)};
    const struct imf_grid grid = {(samples + across - 1) / across,
                                  ((size_t)out->height + TILE_H - 1) / TILE_H, TILE_W * TILE_H};
    return imf_job_launch(job, 0, grid, args, err);
}

const struct imf_solver imf_solver_rank_bits_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .group = TILE_W * TILE_H,
    .kinds = 1u << IMF_RANK,
    .propose = bits_propose,
    .program = "rank_bits_gpu",
    .parts = (const char *const[]){"subword.cl", "common.cl", NULL},
    .entries = (const char *const[]){"rank_bits", NULL},
    .floats = true, /* they hold a sample and its epilogue exactly */
    .subword = true,
    .define = define,
    .run = bits_run,
};
