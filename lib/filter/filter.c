/* filter.c - filters: chains of stages */
#include "filter/filter.h"
#include "filter/form.h"
#include "imfilter_program.h"

#include <stdlib.h>

/* Steps and searches are where more gains little (solver/denoise/reference.c). */
const struct imf_denoise_grid *imf_denoise_grid(const struct imf_denoise *denoise) {
    static const struct imf_denoise_grid fast = {.step = 2, .search = 0, .count = 1},
                                         best = {.step = 4, .search = 8, .count = 16};
    return denoise->groups ? &best : &fast;
}

/* Twice from a pixel to the blocks that cover it, to where groups of these begin, and to their other blocks. */
int imf_denoise_reach(const struct imf_denoise_grid *grid) {
    int groups = grid->search ? 2 * grid->search - 1 : 0;
    return 2 * (IMF_DENOISE_BLOCK - 1 + groups);
}

void imf_stage_clear(struct imf_stage *stage) {
    imf_kernel_free(&stage->kernel[0]);
    imf_kernel_free(&stage->kernel[1]);
    imf_mask_free(&stage->mask);
    free(stage->spline);
    stage->spline = NULL;
}

uint64_t imf_filter_held(const struct imf_filter *filter) {
    return (uint64_t)imf_filter_bytes(filter);
}

void imf_filter_free(struct imf_filter **filter) {
    struct imf_filter *f = *filter;
    *filter = NULL;
    if (!f)
        return;
    for (size_t i = 0; i < f->count; i++) {
        if (f->borrows)
            f->stages[i].spline = NULL;
        imf_stage_clear(&f->stages[i]);
    }
    free(f->stages);
    free(f->text);
    free(f->note);
    free(f->bright_note);
    free(f);
}

const char *imf_filter_text(const struct imf_filter *filter) {
    return filter->text;
}

const char *imf_filter_note(const struct imf_filter *filter, enum imf_range range) {
    return range == IMF_RANGE_NORMALIZE || !filter->bright_note ? filter->note
                                                                : filter->bright_note;
}
