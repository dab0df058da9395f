/*
 * grid_chart.h - where each backend is the fastest, and which one was chosen
 *
 * Kernel size across, image size up; a cell has the colour of the fastest backend, its middle that
 * of the choice. So a cell of one colour is a choice that was right; a grey rim says that two
 * backends are within a tenth of each other, where it does not matter.
 */
#ifndef BENCH_GRID_CHART_H
#define BENCH_GRID_CHART_H

#include "grid.h"
#include "picture/picture.h"

enum { CELL = 40, MARK = 12, LEFT = 110, TOP = 70, GAP_X = 40, GAP_Y = 74 };

static const int chart_colors[WAYS + 1] = {IMF_BLUE, IMF_GREEN, IMF_ORANGE, IMF_INK};

static void chart_cell(struct imf_picture *p, int x, int y, const struct grid_result *r) {
    bool close = false;
    for (int w = 0; w < WAYS; w++)
        close = close || (w != r->best && r->ms[w] > 0 && r->ms[w] <= 1.1 * r->ms[r->best]);
    imf_picture_rect(p, x, y, CELL - 1, CELL - 1, close ? IMF_PALE : chart_colors[r->best]);
    imf_picture_rect(p, x + 4, y + 4, CELL - 9, CELL - 9, chart_colors[r->best]);
    if (r->chosen_ms > 1.1 * r->ms[r->best]) /* stands out */
        imf_picture_rect(p, x + (CELL - MARK) / 2 - 3, y + (CELL - MARK) / 2 - 3, MARK + 5,
                         MARK + 5, IMF_PAPER);
    imf_picture_rect(p, x + (CELL - MARK) / 2, y + (CELL - MARK) / 2, MARK - 1, MARK - 1,
                     chart_colors[r->chosen]);
}

/* The colours, and what the parts of a cell mean. */
static void chart_key(struct imf_picture *p, int x, int y) {
    static const char *const names[] = {"direct", "separable", "fft", "mixed"};
    for (int w = 0; w <= WAYS; w++) {
        imf_picture_rect(p, x, y, CELL / 2, CELL / 2, chart_colors[w]);
        imf_picture_text(p, x + CELL / 2 + 6, y + 2, IMF_INK, names[w]);
        x += CELL + 12 + imf_picture_text_width(names[w]);
    }
    imf_picture_text(p, x, y + 2, IMF_INK,
                     "cell: fastest, pale rim: two are close; middle: chosen");
}

/* One family of filters at one number of channels and bits. */
static void chart_panel(struct imf_picture *p, int left, int top, const char *title,
                        enum family family, const struct grid_result *results, size_t count,
                        int channels, int depth) {
    int column = 0;
    imf_picture_text(p, left, top - 24, IMF_INK, title);
    for (int f = 0; f < COUNT(filters); f++) {
        if (filters[f].family != family || !filters[f].charted)
            continue;
        char number[16];
        snprintf(number, sizeof number, "%d", filters[f].size);
        int x = left + column++ * CELL;
        imf_picture_text_middle(p, x + CELL / 2, top + COUNT(sizes) * CELL + 6, IMF_INK, number);
        for (int s = 0; s < COUNT(sizes); s++) {
            int y = top + (COUNT(sizes) - 1 - s) * CELL;
            imf_picture_frame(p, x, y, CELL - 1, CELL - 1, IMF_PALE);
            for (size_t i = 0; i < count; i++) {
                const struct grid_result *r = &results[i];
                if (r->done && r->filter == f && r->size == s && r->channels == channels &&
                    r->depth == depth)
                    chart_cell(p, x, y, r);
            }
        }
    }
    for (int s = 0; s < COUNT(sizes); s++)
        imf_picture_text_right(p, left - 8, top + (COUNT(sizes) - 1 - s) * CELL + 10, IMF_INK,
                               sizes[s].name);
}

/* The caller frees the picture. */
static enum imf_status chart_draw(struct imf_picture **out, const struct grid_result *results,
                                  size_t count, struct imf_error *err) {
    static const char *const names[FAMILIES] = {"disks", "low rank", "separable"};
    static const int channels[] = {1, 3}, depths[] = {8, 16};
    int wide[FAMILIES] = {0}, width = 0, at = 0;
    for (int f = 0; f < COUNT(filters); f++)
        wide[filters[f].family] += filters[f].charted;
    for (int k = 0; k < FAMILIES; k++)
        width += LEFT + wide[k] * CELL + GAP_X;
    enum imf_status st =
        imf_picture_create(out, width, TOP + 4 * (COUNT(sizes) * CELL + GAP_Y), err);
    if (st)
        return st;
    chart_key(*out, LEFT, 16);
    for (int k = 0; k < FAMILIES; k++) {
        for (int i = 0; i < 4; i++) {
            char title[80];
            snprintf(title, sizeof title, "%s, %d x %d bits", names[k], channels[i / 2],
                     depths[i % 2]);
            chart_panel(*out, at + LEFT, TOP + 20 + i * (COUNT(sizes) * CELL + GAP_Y), title,
                        (enum family)k, results, count, channels[i / 2], depths[i % 2]);
        }
        at += LEFT + wide[k] * CELL + GAP_X;
    }
    return IMF_OK;
}

#endif
