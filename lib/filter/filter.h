/*
 * filter.h - a parsed filter: a chain of stages
 *
 * Between stages samples are real numbers on the scale of the input image (0..255 or 0..65535) and
 * unclamped.
 */
#ifndef IMF_FILTER_H
#define IMF_FILTER_H

#include "filter/kernel/taps.h"
#include "filter/kinds.h"
#include "filter/mask.h"
#include "filter/spline.h"

enum imf_transfer_kind { IMF_LOWPASS, IMF_HIGHPASS, IMF_BANDPASS, IMF_BANDSTOP, IMF_NOTCH };
enum imf_transfer_type { IMF_GAUSSIAN, IMF_BUTTERWORTH, IMF_IDEAL };

/* A real, even transfer function of frequency in cycles per pixel. */
struct imf_transfer {
    enum imf_transfer_kind kind;
    enum imf_transfer_type type;
    double low, high; /* cutoffs; low-, highpass use low only */
    double u, v;      /* notch centre +-(u, v) */
    double radius;    /* notch radius */
    bool keeps_mean;  /* high- and bandpass: the gain at frequency 0 alone is 1 */
    int order;        /* butterworth */
};
/* Gain at frequency (u, v), each -0.5..0.5. */
double imf_transfer_gain(const struct imf_transfer *t, double u, double v);

/*
 * A window operation: each channel's sample becomes a function of the samples in a window around it.
 * Only solvers know the function; planners know these properties.
 */
struct imf_window_op {
    enum imf_problem_kind kind; /* of windows: the function */
    const char *words;          /* "the median of the samples in the element below"; not owned */
    const char *noun;           /* "a median", for messages; likewise */
    int width, height;          /* of the window */
    int cx, cy;                 /* column and row of it that lies on the output's pixel */
    const struct imf_kernel *element; /* structuring element: nonzero taps count; NULL: all do */
    bool turned; /* element rotated by 180 degrees; `cx` and `cy` are those after it */
    /* The function's parameter: a percentile, bilateral's sigma, guided's eps, a threshold's OFFSET or k. */
    double value;
    double range; /* bilateral's, a fraction of full scale like guided's eps */
    bool spread;  /* a threshold by the mean and the spread, not by the mean alone */
    bool selects; /* the result is one of the samples: it keeps integers, bounds and flat parts */
    bool bilevel; /* the result is full scale or 0, of samples rounded to the image's depth */
    double gain;  /* factor by which it may magnify errors of the samples; 0 means 1 */
};

/* What becomes of a stage's two window operations, f and then g; x is the stage's input. */
enum imf_compound {
    IMF_ALONE, /* f(x): there is no g */
    IMF_AFTER, /* g(f(x)) */
    IMF_APART, /* g(x) - f(x) */
    IMF_ABOVE, /* x - g(f(x)) */
    IMF_BELOW, /* g(f(x)) - x */
    IMF_PART   /* x / mean(g(f(x))), the mean in f's element, as a share of full scale */
};

/*
 * Colours are rounded to samples of the image's depth, ties to even, and counted in one histogram of
 * all channels; from it follows a table that maps each value.
 */
enum imf_histogram_op {
    IMF_HISTOGRAM_EQUALIZE, /* by the cumulative histogram */
    IMF_HISTOGRAM_OTSU,     /* full scale or 0, on either side of Otsu's threshold */
    IMF_HISTOGRAM_LEVELS /* as levels, from the sample that black of all are below to that which white are above */
};

/*
 * Canny's edges: full scale on edges, 0 elsewhere. Thresholds are relative to the gradient of a step
 * from 0 to full scale along rows or columns.
 */
struct imf_canny {
    double low, high, sigma; /* sigma 0: not smoothed */
    int aperture;            /* 3, 5 or 7 */
    bool squares;            /* gradients by their L2 norm, otherwise L1 */
    /* Of equal gradients along a row (column) the left (upper) one is the edge: 1; the other: -1. */
    int first_x, first_y;
};

/* Removal of the periodic patterns that the image is found to have. */
struct imf_descreen {
    double strength; /* more follows a pattern that varies more closely, and takes more detail */
    bool harmonics;  /* also those of a pattern's waves that do not stand out */
};

/* Contrast-limited adaptive histogram equalization: tiles across and down, the largest count of a
 * value in a tile over the mean count (0: any), and the sides at which tiles begin: 1 for the left and
 * the upper one, -1 for the others. */
struct imf_clahe {
    int across, down;
    double limit;
    int first_x, first_y;
    bool turned; /* the upright picture's rows are stored as columns */
};

/*
 * Pixels of alpha 0 take the colour of the nearest that is visible. Of equally near ones that is the leftmost of the
 * upright picture, and of these the uppermost; first_x, first_y: 1 where that is the left and the upper one of the stored
 * picture, or else -1; turned: its rows are stored as columns.
 */
struct imf_fill {
    int reach; /* pixels that are further away do not count: without one, colours are 0; IMF_FILL_ANY: all do */
    int first_x, first_y;
    bool turned;
    bool all; /* whatever a filter reads around visible pixels, all hidden ones are filled */
};
#define IMF_FILL_ANY 0

/* What is darker than all around it, or lighter, and has less than `area` pixels goes. */
struct imf_despeckle {
    int area;
    bool light;
};

/*
 * What becomes of the backdrop's colour b and the source's colour s: the chain's input and what the
 * chain has so far. The formulas and their source stand in run/point/steps.cl.
 */
enum imf_blend_mode {
    IMF_BLEND_NORMAL,
    IMF_BLEND_OVERLAY,
    IMF_BLEND_SOFTLIGHT,
    IMF_BLEND_HARDLIGHT,
    IMF_BLEND_MULTIPLY,
    IMF_BLEND_SCREEN,
    IMF_BLEND_LIGHTEN,
    IMF_BLEND_DARKEN,
    IMF_BLEND_DIFFERENCE,
    IMF_BLEND_ADD,
    IMF_BLEND_SUBTRACT,
    IMF_BLEND_HUE, /* from here on of all colours at once */
    IMF_BLEND_SATURATION,
    IMF_BLEND_COLOR,
    IMF_BLEND_LUMINOSITY
};

/* Removal of white noise. */
struct imf_denoise {
    double sigma; /* of the noise, a fraction of full scale; IMF_DENOISE_AUTO: measured */
    bool groups;  /* of blocks that are alike, instead of each block by itself */
    /* Blocks are laid, and searched for, from the picture's left (upper) side on: 1; from the other: -1. */
    int first_x, first_y;
    bool turned; /* the upright picture's rows are stored as columns */
};
#define IMF_DENOISE_AUTO (-1)
/* Coefficients below the first of these times sigma are noise, from the second on they are kept; in
 * between a part of them is: the result is a continuous function of the image. The slope there is up to 9, but of a
 * block's coefficients few are there: independent errors of samples grow by less than the third. */
#define IMF_DENOISE_NOISE 2.6
#define IMF_DENOISE_KEPT 3.0
#define IMF_DENOISE_GAIN 2

/* Which blocks of IMF_DENOISE_BLOCK x IMF_DENOISE_BLOCK pixels it works on. */
#define IMF_DENOISE_BLOCK 8
struct imf_denoise_grid {
    int step;   /* a block at each so many pixels of so many rows, from the picture's first on */
    int search; /* blocks like it begin up to so many pixels before it, and less than that after */
    int count;  /* so many blocks, itself included, are a group */
};
const struct imf_denoise_grid *imf_denoise_grid(const struct imf_denoise *denoise);
/* Pixels around one that it depends on; a multiple of the step. */
int imf_denoise_reach(const struct imf_denoise_grid *grid);

/* How a blur is undone, the picture's outside being unknown. */
enum imf_deblur_method {
    IMF_DEBLUR_WIENER, /* least squares */
    IMF_DEBLUR_TV,     /* least total variation */
    IMF_DEBLUR_RL      /* Richardson-Lucy */
};

struct imf_deblur {
    enum imf_deblur_method method;
    const struct imf_kernel *kernel; /* the blur, whose sum is not 0; NULL: found in the picture */
    double
        noise; /* standard deviation as a fraction of full scale; negative: found in the picture */
    int iterations; /* 0: as many as the method needs */
    /* Gradients are differences from a pixel to the next one in its row (column): 1, or to the one before: -1. */
    int first_x, first_y;
};

/* The most parameters that a filter has. */
#define IMF_PARAMETERS 5

struct imf_stage {
    enum imf_op op;
    struct imf_kernel *kernel[2]; /* owned; a window's element is the first */
    struct imf_mask *mask;        /* shared, of blend, or NULL */
    struct imf_spline *spline;    /* owned, of curve, or NULL */
    enum imf_blend_mode blend;
    double amount;    /* unsharp, blend */
    double threshold; /* unsharp, threshold: fraction of full scale */
    union {
        double number[IMF_PARAMETERS]; /* a map's parameters, in the spec's order */
        /* Levels: two fractions of full scale, which may be any way round; or of samples. */
        struct {
            double black, white, gamma;
        };
    };
    struct imf_transfer transfer;
    struct imf_window_op window_op, second;
    enum imf_compound compound;
    enum imf_histogram_op histogram_op;
    struct imf_canny canny;
    struct imf_clahe clahe;
    struct imf_denoise denoise;
    struct imf_descreen descreen;
    struct imf_deblur deblur;
    struct imf_despeckle despeckle;
    enum imf_range range; /* how the response is shown where it is seen */
    bool seen;            /* it is the stage that is shown, or the last before a blend */
    bool unscaled;        /* a user's kernel without a scale */
};

/* What follows from a filter's stages. */
struct imf_form {
    /* The stage whose response settings->range is for: the last that filters; of point operations alone the last that is
     * no blend; of blends alone the last. */
    size_t shown;
    size_t around; /* from this stage on none reads the pixels around */
    bool filters;  /* a stage is more than a point operation; those leave alpha */
    bool fills;    /* one reads the pixels around, so that colours under alpha 0 matter */
    bool
        keeps_alpha; /* whatever the user asks: one reads colours that are not premultiplied, or none filters */
    enum imf_alpha alpha; /* where nothing is asked: IMF_ALPHA_KEEP or IMF_ALPHA_PREMULTIPLY */
};

struct imf_filter {
    struct imf_stage *stages; /* owned, count of them, at least 1 */
    size_t count;
    bool borrows;         /* it is another one, turned, whose splines it has */
    struct imf_form form; /* set by imf_filter_find_form() */
    char *text;           /* owned: specs joined by " | " */
    char *note;           /* owned, or NULL */
    char *
        bright_note; /* note for results that are not normalized, if mid-grey turns white; or NULL */
};

/* The filter for pixels stored in an EXIF orientation, without text and note; *out is NULL if they
 * are upright. The caller frees it, before that filter. */
enum imf_status imf_filter_orient(struct imf_filter **out, const struct imf_filter *filter,
                                  int orientation, struct imf_error *err);

/* Frees its kernels, and lets its mask go. */
void imf_stage_clear(struct imf_stage *stage);

/* What holds of a stage's kind: IMF_IS_POINT... */
unsigned imf_op_holds(enum imf_op op);
bool imf_op_is_point(enum imf_op op);
/* Set what follows from the stages: filter->form, and which stages are seen. */
void imf_filter_find_form(struct imf_filter *filter);

/*
 * What reads files of kernels and masks that are no text: formats of pictures are not this module's.
 * *out becomes the kernel, of scale 1, or NULL if the bytes are to be read as text; note becomes a
 * remark on the file, or stays. Errors are phrases that follow the file's name.
 */
struct imf_kernel_files {
    enum imf_status (*read)(struct imf_kernel **out, char note[IMF_NOTE], const void *bytes,
                            size_t size, const struct imf_limits *limits, uint64_t held,
                            struct imf_error *err);
    const struct imf_limits *limits; /* or NULL */
    uint64_t held;                   /* bytes that count for max_memory beside a file's */
};
/* imf_filter_parse() with such a reader. What earlier specs hold counts for later ones. */
enum imf_status imf_filter_parse_with(struct imf_filter **out, const char *const *specs,
                                      size_t count, const struct imf_kernel_files *files,
                                      struct imf_error *err);

#endif
