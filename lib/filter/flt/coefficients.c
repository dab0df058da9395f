/* coefficients.c - a kernel from rows of coefficients as text */
#include "filter/flt/coefficients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *imf_rows_add(struct imf_rows *r, struct imf_span s, bool *memory) {
    double tap;
    *memory = false;
    const char *wrong = (r->fractions ? imf_fraction_parse : imf_number_parse)(s, &tap);
    if (wrong)
        return wrong;
    if (fabs(tap) > IMF_TAP_LARGEST)
        return "is too large (coefficients go up to 1e30)";
    if (r->cells == IMF_KERNEL_MAX)
        return "is one coefficient too many (a kernel is at most 4095x4095)";
    if (r->height == IMF_KERNEL_MAX)
        return "is in one row too many (a kernel is at most 4095x4095)";
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? r->capacity * 2 : 64;
        double *taps = realloc(r->taps, capacity * sizeof *taps);
        *memory = !taps;
        if (!taps)
            return "does not fit: out of memory";
        r->taps = taps;
        r->capacity = capacity;
    }
    r->taps[r->count++] = tap;
    r->cells++;
    return NULL;
}

bool imf_rows_end(struct imf_rows *r, char why[IMF_ROWS_WHY]) {
    size_t cells = r->cells;
    r->cells = 0;
    if (r->height > 0 && cells != r->width) {
        snprintf(why, IMF_ROWS_WHY, "row %zu has %zu coefficient%s, row 1 has %zu", r->height + 1,
                 cells, cells == 1 ? "" : "s", r->width);
        return false;
    }
    r->width = cells;
    r->height++;
    return true;
}

enum imf_status imf_rows_kernel(const struct imf_rows *r, struct imf_kernel **out,
                                struct imf_error *err) {
    enum imf_status status = imf_kernel_create(out, (int)r->width, (int)r->height, err);
    if (status == IMF_OK)
        memcpy((*out)->taps, r->taps, r->count * sizeof *r->taps);
    return status;
}

void imf_rows_free(struct imf_rows *r) {
    free(r->taps);
    *r = (struct imf_rows){0};
}
