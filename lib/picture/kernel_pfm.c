/* kernel_pfm.c - a filter's kernel as Portable FloatMap */
#include "picture/response.h"

#include <stdlib.h>

/* The one kernel of a filter; *own is the caller's if it had to be made. */
static enum imf_status find_kernel(const struct imf_kernel **out, struct imf_kernel **own,
                                   const struct imf_filter *f, struct imf_error *err) {
    const struct imf_stage *s = f->stages;
    enum imf_status status = IMF_OK;
    *own = NULL;
    if (f->count > 1)
        return imf_fail(err, IMF_ERR_ARGUMENT,
                        "a PFM holds one kernel, and the filter has %zu stages (give one -f)",
                        f->count);
    if (s->op == IMF_OP_UNSHARP)
        status = imf_response_unsharp(own, s, err);
    else if (s->op == IMF_OP_WINDOW)
        status = imf_response_flat(own, s, err);
    *out = *own ? *own : s->kernel[0];
    if (status == IMF_OK && s->kernel[1])
        status = imf_fail(err, IMF_ERR_ARGUMENT,
                          "a PFM holds one kernel, and this filter has two (of gradients :dir=x or "
                          ":dir=y chooses one)");
    else if (status == IMF_OK && !*out)
        status = imf_fail(err, IMF_ERR_ARGUMENT, "this filter has no kernel (name it .png)");
    return status;
}

enum imf_status imf_picture_pfm(FILE *stream, int width, int height, const float *values,
                                struct imf_error *err) {
    const struct imf_info info = {
        .width = width, .height = height, .channels = 1, .depth = 32, .format = IMF_FORMAT_PNM};
    const struct imf_encode encode = {.size = sizeof encode, .pnm = IMF_PNM_PFM};
    struct imf_writer *w;
    enum imf_status status = imf_writer_open(&w, stream, &info, &encode, NULL, err);
    if (!status)
        status = imf_writer_rows(w, values, (size_t)width * sizeof *values, height, err);
    if (!status)
        status = imf_writer_finish(w, err);
    imf_writer_close(&w);
    return status;
}

enum imf_status imf_filter_write_pfm(FILE *stream, const struct imf_filter *filter,
                                     struct imf_error *err) {
    struct imf_kernel *own;
    const struct imf_kernel *k = NULL;
    enum imf_status status = find_kernel(&k, &own, filter, err);
    if (status != IMF_OK)
        return status;
    int reach_x = imf_max(k->cx, k->width - 1 - k->cx), width = 2 * reach_x + 1;
    int reach_y = imf_max(k->cy, k->height - 1 - k->cy), height = 2 * reach_y + 1;
    size_t count = (size_t)width * (size_t)height, left = (size_t)(reach_x - k->cx);
    float *values = calloc(count, sizeof *values);
    for (int i = 0; values && i < k->height; i++)
        for (int j = 0; j < k->width; j++)
            values[(size_t)(i + reach_y - k->cy) * (size_t)width + left + (size_t)j] =
                (float)(k->taps[(size_t)i * (size_t)k->width + (size_t)j] / k->scale);
    status = values ? imf_picture_pfm(stream, width, height, values, err)
                    : imf_fail_memory(err, count * sizeof *values);
    free(values);
    imf_kernel_free(&own);
    return status;
}
