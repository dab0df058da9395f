/* table.c - the table of built-in filters */
#include "filter/builtin/table.h"

#include "base/number.h"
#include "filter/builtin/element.h"

#include <math.h>

/* ---- the table ------------------------------------------------------------------------------ */

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
    [IMF_BLEND_SUBTRACT] = "subtract",     NULL};
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

static const struct imf_builtin builtins[] = {
    {.name = "sharpen",
     .doc = {"sharpen[:AMOUNT=1]", "Sharpen with the 3x3 Laplacian"},
     .design = {imf_design_sharpen},
     .parameter = {AMOUNT}},
    {.name = "unsharp",
     .doc = {"unsharp[:sigma=1][:amount=1][:threshold=0]",
             "Unsharp mask: add what a Gaussian blur takes away"},
     .design = {imf_design_unsharp},
     .setup = imf_setup_unsharp,
     .parameter = {{.name = "SIGMA",
                    .meaning = "sigma in pixels > 0 and <= 511.75",
                    .high = IMF_GAUSSIAN_LARGEST,
                    .fallback = 1,
                    .above = true},
                   AMOUNT,
                   {.name = "THRESHOLD",
                    .meaning = "threshold as a fraction of full scale, 0 to 1",
                    .high = 1,
                    .fraction = true}}},
    {.name = "blur",
     .alias = "gaussian",
     .doc = {"blur:SIGMA", "Gaussian blur, SIGMA in pixels (also called gaussian)"},
     .design = {imf_design_gaussian},
     .parameter = {SIGMA("SIGMA")}},
    {.name = "box",
     .doc = {"box:N", "Mean of NxN pixels"},
     .design = {imf_design_box},
     .parameter = {NUMBER("N", " in pixels, 1 to 4095", 1, IMF_KERNEL_MAX, NAN, .whole = true)}},
    {.name = "disk",
     .doc = {"disk:RADIUS", "Lens blur: mean of the pixels within RADIUS"},
     .design = {imf_design_disk},
     .parameter = {NUMBER("RADIUS", " in pixels, 0.5 to 2047", 0.5, 2047, NAN, .above = false)}},
    {.name = "motion",
     .doc = {"motion:LENGTH:ANGLE",
             "Motion blur along LENGTH pixels at ANGLE degrees, counter-clockwise"},
     .design = {imf_design_motion},
     .parameter = {NUMBER("LENGTH", " in pixels, 1 to 4094", 1, 4094, NAN, .above = false),
                   ANGLE(NAN)}},
    {.name = "sobel",
     .doc = {"sobel[:dir=mag|x|y]", "Sobel gradient"},
     .source = IMF_SOURCE_FLT,
     .parameter = {AXIS}},
    {.name = "prewitt",
     .doc = {"prewitt[:dir=mag|x|y]", "Prewitt gradient"},
     .source = IMF_SOURCE_FLT,
     .parameter = {AXIS}},
    {.name = "scharr",
     .doc = {"scharr[:dir=mag|x|y]", "Scharr gradient"},
     .source = IMF_SOURCE_FLT,
     .parameter = {AXIS}},
    {.name = "phase",
     .doc = {"phase", "Direction of the Sobel gradient, counter-clockwise, a turn as full scale"},
     .stage = {.op = IMF_OP_PHASE},
     .design = {imf_design_across, imf_design_down}},
    {.name = "canny",
     .doc = {"canny:LOW:HIGH[:sigma=1][:aperture=3|5|7][:norm=l1|l2]",
             "Edges after Canny, white on black, by gradients from LOW to HIGH"},
     .stage = {.op = IMF_OP_CANNY},
     .setup = imf_setup_canny,
     .parameter = {GRADIENT("LOW"), GRADIENT("HIGH"),
                   NUMBER("sigma", " in pixels, 0 to 16", 0, IMF_CANNY_SIGMA, 1, .above = false),
                   WORD("aperture", " 3, 5 or 7", aperture_words),
                   WORD("norm", " l1 or l2", norm_words)},
     .check = imf_check_canny},
    {.name = "laplacian",
     .doc = {"laplacian", "Laplacian of the four neighbours"},
     .source = IMF_SOURCE_FLT},
    {.name = "log",
     .doc = {"log:SIGMA", "Laplacian of a Gaussian"},
     .stage = {.range = IMF_RANGE_ABS},
     .design = {imf_design_log},
     .parameter = {NUMBER("SIGMA", " in pixels, 0.3 to 409.4", 0.3, IMF_LOG_LARGEST, NAN,
                          .above = false)}},
    {.name = "dog",
     .doc = {"dog:S1:S2", "Difference of Gaussians, sigma S1 minus sigma S2"},
     .stage = {.range = IMF_RANGE_ABS},
     .design = {imf_design_dog},
     .parameter = {SIGMA("S1"), SIGMA("S2")},
     .check = imf_check_dog},
    {.name = "emboss",
     .doc = {"emboss[:ANGLE=135]", "Relief lit from ANGLE degrees, counter-clockwise"},
     .stage = {.range = IMF_RANGE_OFFSET},
     .design = {imf_design_emboss},
     .parameter = {ANGLE(135)}},
    {.name = "highpass",
     .doc = {"highpass:CUTOFF[:type=gaussian|butterworth|ideal][:order=2][:mean=remove|keep]",
             "Remove frequencies below CUTOFF cycles per pixel"},
     .stage = {TRANSFER(IMF_HIGHPASS), .range = IMF_RANGE_OFFSET},
     .setup = imf_setup_transfer,
     .parameter = {CUTOFF("CUTOFF"), TYPE, ORDER, MEAN}},
    {.name = "lowpass",
     .doc = {"lowpass:CUTOFF[:type=gaussian|butterworth|ideal][:order=2]",
             "Remove frequencies above CUTOFF cycles per pixel"},
     .stage = {TRANSFER(IMF_LOWPASS)},
     .setup = imf_setup_transfer,
     .parameter = {CUTOFF("CUTOFF"), TYPE, ORDER}},
    {.name = "bandpass",
     .doc = {"bandpass:LOW:HIGH[:type=gaussian|butterworth|ideal][:order=2][:mean=remove|keep]",
             "Keep frequencies from LOW to HIGH cycles per pixel"},
     .stage = {TRANSFER(IMF_BANDPASS), .range = IMF_RANGE_OFFSET},
     .setup = imf_setup_transfer,
     .parameter = {CUTOFF("LOW"), CUTOFF("HIGH"), TYPE, ORDER, MEAN},
     .check = imf_check_band},
    {.name = "bandstop",
     .doc = {"bandstop:LOW:HIGH[:type=gaussian|butterworth|ideal][:order=2]",
             "Remove frequencies from LOW to HIGH cycles per pixel"},
     .stage = {TRANSFER(IMF_BANDSTOP)},
     .setup = imf_setup_transfer,
     .parameter = {CUTOFF("LOW"), CUTOFF("HIGH"), TYPE, ORDER},
     .check = imf_check_band},
    {.name = "notch",
     .doc = {"notch:U:V:RADIUS", "Remove the frequency pair +-(U,V), cycles per pixel"},
     .stage = {TRANSFER(IMF_NOTCH)},
     .setup = imf_setup_transfer,
     .parameter = {FREQUENCY("U"), FREQUENCY("V"), CUTOFF("RADIUS")},
     .check = imf_check_notch},
    {.name = "notch",
     .variant = "auto",
     .doc = {"notch:auto", "Remove the waves that cover the image: interference, stripes, moire"},
     .stage = {.op = IMF_OP_DESCREEN, .descreen = {.strength = 1}}},
    {.name = "descreen",
     .doc = {"descreen[:STRENGTH=1]", "Find and remove the dots of a scanned print"},
     .stage = {.op = IMF_OP_DESCREEN},
     .setup = imf_setup_descreen,
     .parameter = {NUMBER("STRENGTH", " from 0.1 to 10", 0.1, 10, 1, .above = false)}},
    {.name = "median",
     .doc = {"median:R|WxH|@MASK[:shape=square|disk|cross]",
             "Median of the window: removes specks, preserves edges"},
     .stage = {RANK(50, "a median", "the median of the samples in the element below")},
     .setup = imf_setup_window,
     .parameter = {WINDOW}},
    {.name = "percentile",
     .doc = {"percentile:P:R|WxH|@MASK[:shape=square|disk|cross]", "Percentile P of the window"},
     .stage = {RANK(0, "a percentile", "the percentile of the samples in the element below")},
     .setup = imf_setup_percentile,
     .parameter = {NUMBER("P", " from 0 to 100", 0, 100, NAN, .above = false), WINDOW}},
    {.name = "erode",
     .doc = {"erode:R|WxH|@MASK[:shape=square|disk|cross]", "Minimum of the window"},
     .stage = {RANK(0, "an erosion", "the minimum of the samples in the element below")},
     .setup = imf_setup_window,
     .parameter = {WINDOW}},
    {.name = "dilate",
     .doc = {"dilate:R|WxH|@MASK[:shape=square|disk|cross]", "Maximum of the window"},
     .stage = {RANK(100, "a dilation", "the maximum of the samples in the element below")},
     .setup = imf_setup_window,
     .parameter = {WINDOW}},
    {.name = "open",
     .doc = {"open:R|WxH|@MASK[:shape=square|disk|cross]",
             "Erode, then dilate: remove what is bright and small"},
     .stage = {RANK(0, "an erosion", "opening: erode, then dilate, in the element below"),
               .compound = IMF_AFTER},
     .setup = imf_setup_window,
     .parameter = {WINDOW}},
    {.name = "close",
     .doc = {"close:R|WxH|@MASK[:shape=square|disk|cross]",
             "Dilate, then erode: remove what is dark and small"},
     .stage = {RANK(100, "a dilation", "closing: dilate, then erode, in the element below"),
               .compound = IMF_AFTER},
     .setup = imf_setup_window,
     .parameter = {WINDOW}},
    {.name = "gradient",
     .doc = {"gradient:R|WxH|@MASK[:shape=square|disk|cross]", "Dilated minus eroded"},
     .stage = {RANK(0, "an erosion",
                    "morphological gradient: dilated - eroded, in the element below"),
               .compound = IMF_APART},
     .setup = imf_setup_window,
     .parameter = {WINDOW}},
    {.name = "tophat",
     .doc = {"tophat:R|WxH|@MASK[:shape=square|disk|cross]", "What an opening removes"},
     .stage = {RANK(0, "an erosion", "top hat: x - opened, in the element below"),
               .compound = IMF_ABOVE},
     .setup = imf_setup_window,
     .parameter = {WINDOW}},
    {.name = "blackhat",
     .doc = {"blackhat:R|WxH|@MASK[:shape=square|disk|cross]", "What a closing adds"},
     .stage = {RANK(100, "a dilation", "black hat: closed - x, in the element below"),
               .compound = IMF_BELOW},
     .setup = imf_setup_window,
     .parameter = {WINDOW}},
    {.name = "bilateral",
     .doc = {"bilateral:SIGMA:RANGE",
             "Edge-preserving smoothing over SIGMA pixels, of differences below RANGE"},
     .stage = {WINDOWED(.kind = IMF_BILATERAL, .noun = "a bilateral filter",
                        .words =
                            "bilateral: the mean of the colours around, by distance and likeness")},
     .setup = imf_setup_bilateral,
     .parameter = {NUMBER("SIGMA", " in pixels > 0 and <= 170", 0, 170, NAN, .above = true),
                   FRACTION("RANGE")}},
    {.name = "guided",
     .doc = {"guided:R:EPS", "Smooth, but keep edges stronger than EPS"},
     .stage = {WINDOWED(.kind = IMF_GUIDED, .noun = "a guided filter",
                        .words =
                            "guided by itself: the mean of lines fitted to the samples in windows",
                        .gain = 1.5)},
     .setup = imf_setup_guided,
     .parameter = {NUMBER("R", " in pixels, 0 to 511", 0, 511, NAN, .whole = true),
                   FRACTION("EPS")}},
    {.name = "denoise",
     .doc = {"denoise[:SIGMA=auto][:quality=fast|best]",
             "Remove noise of standard deviation SIGMA, or as much as is found"},
     .stage = {.op = IMF_OP_DENOISE},
     .setup = imf_setup_denoise,
     .parameter = {{.name = "SIGMA",
                    .meaning =
                        "SIGMA as a fraction of full scale, 0 to 1 (25 of 255 is 0.098), or auto",
                    .high = 1,
                    .fallback = IMF_DENOISE_AUTO,
                    .words = auto_words,
                    .fraction = true},
                   WORD("quality", " fast or best", effort_words)}},
    {.name = "deblur",
     .doc = {"deblur:KERNEL|auto[:noise=auto][:prior=wiener|tv][:iterations=N][:background=B]",
             "Undo the blur KERNEL: gaussian:SIGMA, disk:R, motion:LENGTH:ANGLE, @FILE"},
     .stage = {.op = IMF_OP_DEBLUR},
     .setup = imf_setup_deblur,
     .parameter = {BLUR("KERNEL a spec of one kernel, @FILE with the picture of a point, or auto",
                        .positive = false),
                   NOISE, WORD("prior", " wiener or tv", prior_words),
                   NUMBER("iterations", " from 1 to 1000 (4 of wiener and 10 of tv if not given)",
                          1, 1000, 0, .whole = true),
                   BACKGROUND}},
    {.name = "rl",
     .doc = {"rl:KERNEL[:noise=auto][:iterations=N][:background=B]",
             "Undo the blur KERNEL as Richardson and Lucy do: points of light"},
     .stage = {.op = IMF_OP_DEBLUR},
     .setup = imf_setup_rl,
     .parameter = {BLUR("KERNEL a spec of one kernel, or @FILE with the picture of a point",
                        .positive = true),
                   NOISE,
                   NUMBER("iterations", " at most, 1 to 1000 (30 if not given)", 1, 1000, 0,
                          .whole = true),
                   BACKGROUND}},
    {.name = "kernel",
     .doc = {"kernel:A,B,C/D,E,F/G,H,I[:scale=S][:bias=B][:flip]",
             "Custom kernel, any size from 1x1 to 4095x4095"},
     .source = IMF_SOURCE_KERNEL,
     .parameter = {SCALE, BIAS}},
    {.name = "kernel",
     .doc = {"kernel:@FILE[:scale=S][:bias=B][:flip]",
             "Custom kernel from a text, a gray picture or PFM, see imfilter(5)"},
     .source = IMF_SOURCE_KERNEL,
     .parameter = {SCALE, BIAS}},
    {.name = "gray",
     .doc = {"gray", "Rec. 709 luma of a colour image"},
     .stage = {.op = IMF_OP_GRAY}},
    {.name = "invert",
     .doc = {"invert", "Full scale minus the sample"},
     .stage = {.op = IMF_OP_INVERT}},
    {.name = "levels",
     .doc = {"levels:BLACK:WHITE[:gamma=1]",
             "Stretch BLACK to WHITE, fractions of full scale, over all of it"},
     .stage = {.op = IMF_OP_LEVELS},
     .setup = imf_setup_levels,
     .parameter = {LEVEL("BLACK"), LEVEL("WHITE"), GAMMA("gamma", 1)},
     .check = imf_check_levels},
    {.name = "gamma",
     .doc = {"gamma:G", "The sample to the power 1/G: above 1 brightens, below it darkens"},
     .stage = {.op = IMF_OP_LEVELS, .white = 1},
     .setup = imf_setup_gamma,
     .parameter = {GAMMA("G", NAN)}},
    {.name = "curve",
     .doc = {"curve:X,Y/X,Y/...", "A smooth curve through points, fractions of full scale"},
     .source = IMF_SOURCE_CURVE,
     .stage = {.op = IMF_OP_CURVE}},
    {.name = "curve",
     .doc = {"curve:@FILE", "The same of the points in a text, one a line"},
     .source = IMF_SOURCE_CURVE,
     .stage = {.op = IMF_OP_CURVE}},
    {.name = "threshold",
     .doc = {"threshold:T|otsu",
             "White from T upwards, a fraction of full scale; otsu picks the threshold"},
     .stage = {.op = IMF_OP_THRESHOLD},
     .setup = imf_setup_threshold,
     .parameter = {{.name = "T",
                    .meaning = "T as a fraction of full scale, 0 to 1, or otsu, local or sauvola",
                    .high = 1,
                    .fallback = NAN,
                    .words = level_words,
                    .fraction = true}}},
    {.name = "threshold",
     .variant = "local",
     .doc = {"threshold:local:R:OFFSET",
             "White above the mean of the samples within R, minus OFFSET: for uneven light"},
     .stage =
         {WINDOWED(.kind = IMF_LOCAL_THRESHOLD, .noun = "a local threshold",
                   .words =
                       "full scale where x is above the window's mean less OFFSET, 0 elsewhere",
                   .bilevel = true)},
     .setup = imf_setup_window,
     .parameter = {REACH, NUMBER("OFFSET", " as a fraction of full scale, -1 to 1", -1, 1, NAN,
                                 .fraction = true)}},
    {.name = "threshold",
     .variant = "sauvola",
     .doc = {"threshold:sauvola:R[:k=0.34]",
             "White above Sauvola's threshold, by the mean and the spread within R"},
     .stage = {WINDOWED(.kind = IMF_LOCAL_THRESHOLD, .noun = "a local threshold",
                        .words = "full scale where x is above m (1 + k (s / half scale - 1)), of "
                                 "the window's mean m and spread s, 0 elsewhere",
                        .bilevel = true, .spread = true)},
     .setup = imf_setup_window,
     .parameter = {REACH,
                   NUMBER("k", " from 0 to 1: larger keeps less ink", 0, 1, 0.34, .above = false)}},
    {.name = "flatten",
     .doc = {"flatten:R", "Divide by the colour of the paper within R: even light, white paper"},
     .stage =
         {RANK(100, "a dilation",
               "x / mean of what closing leaves: dilated, eroded, the mean, in the element below"),
          .compound = IMF_PART},
     .design = {imf_design_square},
     .setup = imf_setup_window,
     .parameter = {REACH}},
    {.name = "equalize",
     .doc = {"equalize", "Histogram equalization: spread the values evenly over the full scale"},
     .stage = {.op = IMF_OP_HISTOGRAM, .histogram_op = IMF_HISTOGRAM_EQUALIZE}},
    {.name = "clahe",
     .doc = {"clahe[:tiles=8x8][:limit=3]",
             "Local contrast: adaptive histogram equalization of tiles, limited"},
     .stage = {.op = IMF_OP_CLAHE},
     .setup = imf_setup_clahe,
     .parameter = {NUMBER("tiles", " across and down, 1x1 to 64x64", 1, 64, 8 * IMF_SIZE + 8,
                          .size = true),
                   NUMBER("limit", " of counts over their mean, 0 (none) to 65536", 0,
                          65536, 3, .above = false)}},
    {.name = "blend",
     .doc = {"blend:MODE[:AMOUNT|@MASK]", "Mix the filtered picture with the original"},
     .stage = {.op = IMF_OP_BLEND},
     .setup = imf_setup_blend,
     .parameter = {{.name = "MODE",
                    .meaning = "MODE normal, overlay, softlight, hardlight, multiply, screen, "
                               "lighten, darken, difference, add or subtract",
                    .fallback = NAN,
                    .words = blend_words},
                   {.name = "AMOUNT",
                    .meaning = "AMOUNT from 0 to 1, of normal to 100, or @MASK, a picture",
                    .high = 100,
                    .fallback = 1,
                    .fraction = true,
                    .mask = true}},
     .check = imf_check_blend},
};

static const struct imf_builtin user = {
    .name = "NAME",
    .doc = {"NAME[:dir=mag|x|y]", "A filter from NAME.flt, see imfilter(5)"},
    .source = IMF_SOURCE_FLT,
    .parameter = {AXIS}};

const struct imf_builtin *imf_builtin_at(size_t index) {
    return index < sizeof builtins / sizeof *builtins ? &builtins[index] : NULL;
}

const struct imf_builtin *imf_builtin_user(void) {
    return &user;
}
