/* parameters.h - parameters of filters, and the words that they may be, as the rows of table.c write them (for it alone) */
#ifndef IMF_FILTER_BUILTIN_PARAMETERS_H
#define IMF_FILTER_BUILTIN_PARAMETERS_H

#include "base/number.h"
#include "filter/builtin/element.h"
#include "filter/builtin/table.h"

#include <math.h>

static const char *const type_words[] = {
    [IMF_GAUSSIAN] = "gaussian", [IMF_BUTTERWORTH] = "butterworth", [IMF_IDEAL] = "ideal", NULL};
static const char *const mean_words[] = {"remove", "keep", NULL};
static const char *const axis_words[] = {"mag", "x", "y", NULL};
static const char *const shape_words[] = {
    [IMF_SQUARE] = "square", [IMF_DISK] = "disk", [IMF_CROSS] = "cross", NULL};
static const char *const aperture_words[] = {"3", "5", "7", NULL};
static const char *const norm_words[] = {"l1", "l2", NULL};
static const char *const auto_words[] = {"auto", NULL};
static const char *const background_words[] = {"auto", "keep", NULL};
static const char *const prior_words[] = {"wiener", "tv", NULL};
static const char *const level_words[] = {"otsu", NULL};
static const char *const blend_words[] = {
    [IMF_BLEND_NORMAL] = "normal",         [IMF_BLEND_OVERLAY] = "overlay",
    [IMF_BLEND_SOFTLIGHT] = "softlight",   [IMF_BLEND_HARDLIGHT] = "hardlight",
    [IMF_BLEND_MULTIPLY] = "multiply",     [IMF_BLEND_SCREEN] = "screen",
    [IMF_BLEND_LIGHTEN] = "lighten",       [IMF_BLEND_DARKEN] = "darken",
    [IMF_BLEND_DIFFERENCE] = "difference", [IMF_BLEND_ADD] = "add",
    [IMF_BLEND_SUBTRACT] = "subtract",     [IMF_BLEND_HUE] = "hue",
    [IMF_BLEND_SATURATION] = "saturation", [IMF_BLEND_COLOR] = "color",
    [IMF_BLEND_LUMINOSITY] = "luminosity", NULL};
static const char *const tone_words[] = {"dark", "light", NULL};
static const char *const effort_words[] = {"fast", "best", NULL};

#define NYQUIST_CORNER 0.70710678118654757 /* 0.5 sqrt(2), the highest frequency of the plane */

/* clang-format off */
#define NUMBER(NAME, MEANING, LOW, HIGH, FALLBACK, ...)                                            \
    {.name = NAME, .meaning = NAME MEANING, .low = LOW, .high = HIGH, .fallback = FALLBACK, __VA_ARGS__}
#define SIGMA(NAME)                                                                                \
    NUMBER(NAME, " in pixels > 0 and <= 511.75", 0, IMF_GAUSSIAN_LARGEST, NAN, .above = true)
#define CUTOFF(NAME)                                                                               \
    NUMBER(NAME, " in cycles per pixel > 0 and <= 0.7071", 0, NYQUIST_CORNER, NAN, .above = true)
#define FREQUENCY(NAME) NUMBER(NAME, " in cycles per pixel, -0.5 to 0.5", -0.5, 0.5, NAN, .above = false)
#define FRACTION(NAME)                                                                             \
    NUMBER(NAME, " as a fraction of full scale, 0.000001 to 100", 1e-6, 100, NAN, .fraction = true)
#define GRADIENT(NAME)                                                                             \
    NUMBER(NAME, " from 0 to 2, in gradients of a full step", 0, 2, NAN, .fraction = true)
#define REACH NUMBER("R", " in pixels, 1 to 511", 1, 511, NAN, .whole = true)
#define ANGLE(FALLBACK)                                                                            \
    NUMBER("ANGLE", " in degrees, counter-clockwise", -1e9, 1e9, FALLBACK, .above = false)
#define LEVEL(NAME)                                                                                \
    NUMBER(NAME, " as a fraction of full scale, -1000 to 1000", -1000, 1000, NAN, .fraction = true)
#define SHARE(NAME)                                                                                \
    NUMBER(NAME, " as a fraction of all samples, 0 to 1", 0, 1, 0.001, .fraction = true)
#define GAMMA(NAME, FALLBACK) NUMBER(NAME, " from 0.01 to 100", 0.01, 100, FALLBACK, .above = false)
#define AMOUNT NUMBER("AMOUNT", " from -1000000 to 1000000", -1e6, 1e6, 1, .above = false)
#define ORDER NUMBER("order", " from 1 to 100", 1, 100, 2, .whole = true)
#define WORD(NAME, MEANING, WORDS) {.name = NAME, .meaning = NAME MEANING, .words = WORDS}
#define TYPE WORD("type", " gaussian, butterworth or ideal", type_words)
#define MEAN WORD("mean", " remove, or keep each channel's", mean_words)
#define AXIS WORD("dir", " mag, x or y", axis_words)
/* Of "kernel", which spec/parse.c reads; "flip" is a word by itself. */
#define SCALE                                                                                      \
    NUMBER("scale", " divides the sum: a number, or auto, the sum of the coefficients", -1e30, 1e30, 1, .above = false)
#define BIAS NUMBER("bias", " as a fraction of full scale", -1e6, 1e6, 0, .fraction = true)
#define BACKGROUND                                                                                 \
    NUMBER("background", " of a point's picture, in its samples' unit, auto or keep", -IMF_BACKGROUND_LARGEST, \
           IMF_BACKGROUND_LARGEST, IMF_BACKGROUND_AUTO, .words = background_words)
/* clang-format on */
#define BLUR(MEANING, ...)                                                                         \
    { .name = "KERNEL", .meaning = MEANING, .fallback = NAN, .nested = true, __VA_ARGS__ }
#define NOISE                                                                                      \
    {                                                                                              \
        .name = "noise",                                                                           \
        .meaning = "noise as a fraction of full scale, 0 to 1 (25 of 255 is 0.098), or auto",      \
        .high = 1, .fallback = -1, .words = auto_words, .fraction = true                           \
    }
#define WINDOW                                                                                     \
    {.name = "R",                                                                                  \
     .meaning = "R in pixels, 0 to 511, or WxH up to 1023x1023, or @MASK",                         \
     .fallback = NAN,                                                                              \
     .window = true},                                                                              \
    {                                                                                              \
        .name = "shape", .meaning = "shape square, disk or cross", .words = shape_words            \
    }

/* Stages of windows: the operation, and with .compound what becomes of it and of the opposite one. */
#define WINDOWED(...) .op = IMF_OP_WINDOW, .window_op = {__VA_ARGS__}
#define RANK(PERCENTILE, NOUN, WORDS)                                                              \
    WINDOWED(.kind = IMF_RANK, .value = PERCENTILE, .selects = true, .noun = NOUN, .words = WORDS)
#define TRANSFER(KIND) .op = IMF_OP_TRANSFER, .transfer = {.kind = KIND}

#endif
