/*
 * picture.h - drawing into a struct imf_picture: shapes, text, colour maps, axes
 *
 * Colours are 0xRRGGBB. Whatever lies outside the picture is not drawn.
 */
#ifndef IMF_PICTURE_H
#define IMF_PICTURE_H

#include "base/error.h"
#include "imfilter_program.h"

enum { IMF_INK = 0x202020, IMF_SHADE = 0x808080, IMF_PALE = 0xd0d0d0, IMF_PAPER = 0xffffff };
enum { IMF_BLUE = 0x1f5fa8, IMF_ORANGE = 0xd95f0e, IMF_GREEN = 0x2a8c3c, IMF_MARK = 0x40e0d0 };

/* A white picture. */
enum imf_status imf_picture_create(struct imf_picture **out, int width, int height,
                                   struct imf_error *err);

void imf_picture_rect(struct imf_picture *p, int x, int y, int width, int height, int color);
/* The outline of that rectangle, inside it. */
void imf_picture_frame(struct imf_picture *p, int x, int y, int width, int height, int color);

/* A letter's cell: dots of 2x2 pixels, descenders included. */
enum { IMF_TEXT_DOT = 2, IMF_TEXT_WIDTH = 6 * IMF_TEXT_DOT, IMF_TEXT_HEIGHT = 8 * IMF_TEXT_DOT };
enum { IMF_TEXT_MIDDLE = 7 * IMF_TEXT_DOT / 2 }; /* from the top of a digit */
/* One line, its upper left corner at (x, y). What is not ASCII shows as '?'. */
void imf_picture_text(struct imf_picture *p, int x, int y, int color, const char *text);
int imf_picture_text_width(const char *text);
/* The same, with x at the middle or the right end. */
void imf_picture_text_middle(struct imf_picture *p, int x, int y, int color, const char *text);
void imf_picture_text_right(struct imf_picture *p, int x, int y, int color, const char *text);
/* The text in buffer, cut with "..." to fit in `width` pixels. */
#define IMF_FITTED 160
const char *imf_picture_fit(char buffer[IMF_FITTED], const char *text, int width);

/* Is a dot of the character's 5x8 cell set? */
bool imf_font_dot(unsigned char character, int column, int row);

/* -1 blue, 0 near white, 1 orange-red. */
int imf_color_diverging(double t);
/* 0 black, through violet and orange, 1 pale yellow; lightness grows evenly. */
int imf_color_heat(double t);
/* The colours of a map from `low` below to 1 above, as a bar. */
void imf_picture_bar(struct imf_picture *p, int x, int y, int width, int height, int (*map)(double),
                     double low);

/* A plot of curves over the x axis [x0, x1] and the y axis [y0, y1]. */
struct imf_plot {
    int left, top, width, height; /* pixels */
    double x0, x1, y0, y1;
};
/* Grid lines with numbers: `xs` evenly spaced along the bottom, and along the left in steps that
 * suit the range. */
void imf_plot_axes(struct imf_picture *p, const struct imf_plot *plot, int xs);
/* Ticks and numbers left of and below the frame of a square map over -0.5..0.5 cycles per pixel,
 * u to the right, v downwards; IMF_FREQUENCIES pixels each way, where the axes are named too. */
#define IMF_FREQUENCIES 84
void imf_plot_frequencies(struct imf_picture *p, int left, int top, int side);
void imf_plot_curve(struct imf_picture *p, const struct imf_plot *plot, int color, size_t count,
                    const double *x, const double *y);
/* 1, 2 or 5 times a power of ten: the least that divides range into at most `most` steps. */
double imf_plot_step(double range, int most);

/* Write a gray plane as PFM. */
enum imf_status imf_picture_pfm(FILE *stream, int width, int height, const float *values,
                                struct imf_error *err);

#endif
