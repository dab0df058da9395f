/* walks.c - work-items that walk down columns or along rows and keep a window's running sum */
#include "solver/smoothing/walks.h"

/* A third of what a walk reads is its first window. */
struct imf_walks imf_walks_of(struct imf_job *job, int side) {
    return (struct imf_walks){job, imf_max(32, 2 * side)};
}

struct imf_grid imf_walks_down(const struct imf_walks *w, size_t samples, int rows) {
    return imf_job_grid(w->job, samples, (size_t)((rows - 1) / w->length + 1));
}

struct imf_grid imf_walks_along(const struct imf_walks *w, size_t samples, int rows) {
    size_t channels = (size_t)w->job->p.channels;
    size_t items = ((samples / channels - 1) / (size_t)w->length + 1) * channels;
    return imf_job_grid(w->job, items, (size_t)rows);
}

bool imf_walks_sizes(const struct imf_problem *p, int rows, size_t bytes[]) {
    size_t all;
    return imf_size_mul(imf_window_wide(p, p->window_op->cx), (size_t)rows, &all) &&
           imf_size_mul(all, sizeof(int32_t), &bytes[IMF_WALKS_SUMS]) &&
           imf_size_mul(all, p->in == IMF_U8 ? sizeof(uint32_t) : sizeof(int64_t),
                        &bytes[IMF_WALKS_SQUARES]);
}

enum imf_status imf_walks_columns(const struct imf_walks *w, const struct imf_surface *in, int rows,
                                  struct imf_error *err) {
    const struct imf_problem *p = &w->job->p;
    size_t reach = (size_t)p->window_op->cx, all = imf_window_wide(p, p->window_op->cx);
    size_t start = in->origin - reach * in->pitch - reach * (size_t)p->channels;
    return imf_job_then(IMF_OK, w->job, 0, imf_walks_down(w, all, rows), err,
                        imf_arg_buffer(in->mem), imf_arg_size(start), imf_arg_size(in->pitch),
                        IMF_ARG_OF(w->job, IMF_WALKS_SUMS), IMF_ARG_OF(w->job, IMF_WALKS_SQUARES),
                        imf_arg_int((int)all), imf_arg_int(rows), imf_arg_int(w->length));
}
