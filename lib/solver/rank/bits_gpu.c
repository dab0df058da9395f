/*
 * bits_gpu.c - ranks in windows of up to 7x7 on GPUs, bit by bit of the samples
 * (cl/rank_bits_gpu.cl)
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/common/window_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 7    /* of the largest window */
#define WORD 32   /* samples of a work-item */
#define TILE_W 8  /* words of a tile */
#define TILE_H 16 /* and rows */

struct shape {
    struct imf_window_box box;
    int majority;
    int rows[SIDE]; /* the columns of each row's element, as bits */
};
_Static_assert(sizeof(struct shape) <= IMF_SHAPE, "a proposal holds it");

struct bits_job {
    struct imf_queue *queue;
    struct imf_program *program;
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

static bool fits(const struct imf_problem *p, const struct imf_window_box *b) {
    int across = imf_max(abs(b->left), abs(b->right));
    return p->in != IMF_F32 && b->right - b->left < SIDE && b->bottom - b->top < SIDE &&
           across * p->channels < WORD;
}

static void bits_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    struct shape *s = (struct shape *)out->shape.bytes;
    if (!imf_window_for_gpu(p, d, TILE_W * TILE_H, out))
        return;
    *s = (struct shape){.majority = 0};
    if (window->width > 255 || window->height > 255 || !imf_window_box(&s->box, window) ||
        !fits(p, &s->box)) {
        imf_proposal_refuse(out, "this variant is for windows of up to %dx%d and integers", SIDE,
                            SIDE);
        return;
    }
    const struct imf_window w = imf_window_measure(window);
    size_t count = (size_t)w.count, rank = (size_t)w.rank;
    for (struct imf_run r = imf_window_start(window, false); imf_window_next(window, false, &r);)
        for (int x = r.from; x < r.to; x++)
            s->rows[r.line - w.top] |= 1 << (x - w.left);
    s->majority = (int)(count - rank);
    out->feasible = true;
    out->error = 0;
    out->ms = cost(p, d, (double)count);
    out->bytes = 0;
    out->local = (size_t)(TILE_W + 2) * (size_t)(TILE_H + s->box.bottom - s->box.top) * 8 *
                 imf_sample_size(p->in) * sizeof(uint32_t);
    snprintf(out->description, sizeof out->description, "rank %zu of %zu in %dx%d, bit by bit",
             rank + 1, count, window->width, window->height);
}

static void define(struct imf_defines *d, const void *shape) {
    const struct shape *s = shape;
    const int *r = s->rows;
    imf_define(d, "TAPS_W", "%d", s->box.right - s->box.left + 1);
    imf_define(d, "TAPS_H", "%d", s->box.bottom - s->box.top + 1);
    imf_define(d, "ORIGIN_X", "(%d)", -s->box.left);
    imf_define(d, "ORIGIN_Y", "(%d)", -s->box.top);
    imf_define(d, "ELEMENT", "%d, %d, %d, %d, %d, %d, %d", r[0], r[1], r[2], r[3], r[4], r[5],
               r[6]);
    imf_define(d, "MAJORITY", "%d", s->majority);
    imf_define(d, "TILE_W", "%d", TILE_W);
    imf_define(d, "TILE_H", "%d", TILE_H);
}

static void bits_destroy(void **job) {
    struct bits_job *j = *job;
    imf_program_free(&j->program);
    free(j);
    *job = NULL;
}

static enum imf_status bits_make(void **job, const struct imf_problem *p,
                                 const struct imf_proposal *proposal, struct imf_queue *queue,
                                 struct imf_error *err) {
    struct bits_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    return imf_window_program(&j->program, queue, "rank_bits_gpu.cl", "rank_bits", p, define,
                              proposal->shape.bytes, err);
}

static enum imf_status bits_run(void *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    struct bits_job *j = job;
    size_t samples = (size_t)in->width * (size_t)in->channels, across = WORD * TILE_W;
    const struct imf_arg args[] = {imf_arg_buffer(in->mem),   imf_arg_size(in->origin),
                                   imf_arg_size(in->pitch),   imf_arg_buffer(out->mem),
                                   imf_arg_size(out->origin), imf_arg_size(out->pitch),
                                   imf_arg_int((int)samples), imf_arg_int(out->height)};
    const struct imf_grid grid = {(samples + across - 1) / across,
                                  ((size_t)out->height + TILE_H - 1) / TILE_H, TILE_W * TILE_H};
    return imf_program_launch(j->queue, j->program, grid, args, err);
}

const struct imf_solver imf_solver_rank_bits_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_RANK,
    .propose = bits_propose,
    .old_make = bits_make,
    .old_run = bits_run,
    .old_destroy = bits_destroy,
};
