/*
 * canny_gradient.h - gradients and non-maximum suppression, for canny_rows.c only
 *
 * Included once for each type PART of the gradient's components with the type SIZE of its size. SIZE is
 * also the type of directions, so that vectors of both have the same width. Therefore there is no
 * include guard.
 */

/* `half` is a constant in every call, so that the loops over taps are unrolled. */
INLINE void NAME(gradients)(const uint16_t *const *row, int n, int step, int half,
                            SIZE *restrict size, SIZE *restrict direction) {
    const int *s = smooth[half - 1], *d = derive[half - 1];
    PART down_smooth[VALUES], down_derived[VALUES];
    for (int i = 0; i < n + 2 * half * step; i++) {
        PART a = 0, b = 0;
        for (int k = 0; k <= 2 * half; k++) {
            a = (PART)(a + s[k] * (PART)row[k][i]);
            b = (PART)(b + d[k] * (PART)row[k][i]);
        }
        down_smooth[i] = a;
        down_derived[i] = b;
    }
    for (int i = 0; i < n; i++) {
        PART gx = 0, gy = 0;
        for (int k = 0; k <= 2 * half; k++) {
            gx = (PART)(gx + d[k] * down_smooth[i + k * step]);
            gy = (PART)(gy + s[k] * down_derived[i + k * step]);
        }
        PART x = (PART)(gx < 0 ? -gx : gx), y = (PART)(gy < 0 ? -gy : gy);
        SIZE diagonal = (gx ^ gy) < 0 ? IMF_CANNY_RISES : IMF_CANNY_FALLS;
        diagonal = BELOW(x, y) ? IMF_CANNY_ALONG_Y : diagonal;
        direction[i] = BELOW(y, x) ? IMF_CANNY_ALONG_X : diagonal;
        size[i] = (SIZE)(SQUARES ? (SIZE)x * (SIZE)x + (SIZE)y * (SIZE)y : (SIZE)(x + y));
    }
}

IMF_CLONES static void NAME(gradient_samples)(const uint16_t *const *row, int n, int step, int half,
                                              SIZE *restrict size, SIZE *restrict direction) {
    if (half == 1)
        NAME(gradients)(row, n, step, 1, size, direction);
    else if (half == 2)
        NAME(gradients)(row, n, step, 2, size, direction);
    else
        NAME(gradients)(row, n, step, 3, size, direction);
}

/* The largest gradient of each pixel's colours; `step` and `colors` are constants in every call. */
INLINE void NAME(largest)(const SIZE *restrict sizes, const SIZE *restrict directions, int pixels,
                          int step, int colors, SIZE *restrict size, SIZE *restrict direction) {
    for (int x = 0; x < pixels; x++) {
        SIZE most = sizes[x * step], to = directions[x * step];
        for (int c = 1; c < colors; c++) {
            SIZE other = sizes[x * step + c], there = directions[x * step + c];
            to = other > most ? there : to;
            most = other > most ? other : most;
        }
        size[x] = most;
        direction[x] = to;
    }
}

IMF_CLONES static void NAME(largest_of)(const SIZE *restrict sizes, const SIZE *restrict directions,
                                        int pixels, int step, int colors, SIZE *restrict size,
                                        SIZE *restrict direction) {
    if (step == 3 && colors == 3)
        NAME(largest)(sizes, directions, pixels, 3, 3, size, direction);
    else if (step == 4 && colors == 3)
        NAME(largest)(sizes, directions, pixels, 4, 3, size, direction);
    else
        NAME(largest)(sizes, directions, pixels, step, colors, size, direction);
}

static void NAME(gradient_pixels)(const struct imf_canny_rows *r, const uint16_t *const *row,
                                  int pixels, SIZE *size, SIZE *direction) {
    int step = r->p->channels;
    SIZE sizes[VALUES], directions[VALUES];
    if (step == 1) {
        NAME(gradient_samples)(row, pixels, 1, r->n->half, size, direction);
        return;
    }
    NAME(gradient_samples)(row, pixels * step, step, r->n->half, sizes, directions);
    NAME(largest_of)(sizes, directions, pixels, step, r->p->colors, size, direction);
}

/* Non-maximum suppression of the row mid. `first` and `last` are its neighbours along a column: a pixel
 * is suppressed if it equals the first, not if it equals the last; `dx` is that order along a row. */
IMF_CLONES static void NAME(thin)(unsigned char *restrict map, const SIZE *up, const SIZE *mid,
                                  const SIZE *down, const SIZE *first, const SIZE *last, int dx,
                                  const SIZE *direction, int n, SIZE low, SIZE high) {
    for (int i = 0; i < n; i++) {
        /* Load all neighbours and select: only so can this be vectorised. */
        SIZE to = direction[i], size = mid[i];
        SIZE up_left = up[i - 1], up_right = up[i + 1], left = mid[i - dx], above = first[i];
        SIZE down_left = down[i - 1], down_right = down[i + 1], right = mid[i + dx];
        SIZE below = last[i];
        SIZE before = to == IMF_CANNY_FALLS ? up_left : up_right;
        SIZE behind = to == IMF_CANNY_FALLS ? down_right : down_left;
        before = to == IMF_CANNY_ALONG_Y ? above : before;
        behind = to == IMF_CANNY_ALONG_Y ? below : behind;
        before = to == IMF_CANNY_ALONG_X ? left : before;
        behind = to == IMF_CANNY_ALONG_X ? right : behind;
        behind = (SIZE)(behind - (to <= IMF_CANNY_ALONG_Y)); /* the one behind may be equal */
        SIZE least = before > behind ? before : behind;
        least = least > low ? least : low;
        map[i] = (unsigned char)(size > least ? size > high ? IMF_CANNY_STRONG : IMF_CANNY_WEAK
                                              : IMF_CANNY_NONE);
    }
}

static void NAME(strip)(const struct imf_canny_rows *r, struct imf_strip_area at) {
    const struct imf_problem *p = r->p;
    const struct imf_canny *canny = p->canny;
    int half = r->n->half, rows = 2 * half + 1, step = p->channels;
    int shift = is_plain(r) ? (SQUARES ? 8 : 4) : 0;
    int first = imf_max(at.x - 1, 0), end = imf_min(at.x + at.n + 1, p->width);
    struct span span = {(first - half) * step, (end - first + 2 * half) * step};
    uint16_t value[IMF_CANNY_APERTURE][VALUES];
    SIZE size[ROWS][PIXELS + 1], direction[ROWS][PIXELS + 1];
    int next = imf_max(at.y - 1, 0) - half;
    memset(size, 0, sizeof size);
    for (int y = at.y - 1; y <= at.end; y++) {
        SIZE *now = size[(y + ROWS) % ROWS];
        if (y >= 0 && y < p->height) {
            const uint16_t *row[IMF_CANNY_APERTURE];
            for (; next <= y + half; next++)
                value_row(r, next, span, value[(next + rows) % rows]);
            for (int k = 0; k < rows; k++)
                row[k] = value[(y - half + k + rows) % rows];
            NAME(gradient_pixels)
            (r, row, end - first, now + 1 + first - at.x, direction[y % ROWS] + 1 + first - at.x);
        } else {
            memset(now, 0, sizeof *size);
        }
        if (y <= at.y)
            continue;
        const SIZE *up = size[(y - 2 + ROWS) % ROWS] + 1, *mid = size[(y - 1) % ROWS] + 1;
        const SIZE *down = now + 1;
        NAME(thin)
        (r->map + (size_t)(y - 1) * r->pitch + at.x, up, mid, down, canny->first_y > 0 ? up : down,
         canny->first_y > 0 ? down : up, canny->first_x, direction[(y - 1) % ROWS] + 1, at.n,
         (SIZE)(r->n->low >> shift), (SIZE)(r->n->high >> shift));
    }
}

#undef NAME
#undef PART
#undef SIZE
#undef BELOW
#undef SQUARES
