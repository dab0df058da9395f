/*
 * table.h - the table of built-in filters, and the designs of their kernels
 *
 * A built-in filter says which parameters it takes; spec/parse.c reads them from text, checks them and
 * hands over their values in the table's order.
 */
#ifndef IMF_FILTER_BUILTIN_TABLE_H
#define IMF_FILTER_BUILTIN_TABLE_H

#include "base/number.h"
#include "filter/filter.h"

/* One number, or one word of a list. */
struct imf_parameter {
    const char *name; /* upper case: by position or as key=value; lower case: as key=value only */
    const char *meaning; /* with its bounds: "SIGMA in pixels > 0 and <= 511.75" */
    double low, high;    /* bounds of the value */
    double fallback;     /* NAN: required */
    bool above;          /* low itself is excluded */
    bool whole;
    /* Instead of a number, or where low < high beside one: NULL-terminated; the value is an index,
     * or low - 1 - index. */
    const char *const *words;
    bool window;   /* instead of a number: R, WxH or @MASK (element.h); its shape comes next */
    bool mask;     /* a picture, @MASK, will do (filter/mask.h) */
    bool fraction; /* a percentage will do */
    bool size; /* instead of a number: WxH, both within the bounds; the value is W * IMF_SIZE + H */
    bool
        nested; /* the first one: a spec, of all arguments that are not for the others, of a blur or auto */
    bool positive; /* beside nested: no coefficient is negative, and there is no auto */
};

#define IMF_SIZE 1024.0

/* Of the parameter "background", a level of samples of which every integer is a double. */
#define IMF_BACKGROUND_LARGEST 1e15
#define IMF_BACKGROUND_AUTO (-IMF_BACKGROUND_LARGEST - 1)
#define IMF_BACKGROUND_KEEP (-IMF_BACKGROUND_LARGEST - 2)

enum imf_source {
    IMF_SOURCE_STAGE,  /* `stage`, for which design() makes a kernel, and setup() the rest */
    IMF_SOURCE_KERNEL, /* the coefficients are in the spec, or in a file that it names */
    IMF_SOURCE_CURVE,  /* its points are, likewise */
    IMF_SOURCE_FLT     /* the text filters/NAME.flt */
};

typedef enum imf_status imf_design(struct imf_kernel **out, const double *values,
                                   struct imf_error *err);
typedef void imf_setup(struct imf_stage *stage, const double *values);
/* An error of values that are each in bounds but do not fit each other, or NULL. */
typedef const char *imf_check(const double *values);

struct imf_builtin {
    const char *name, *alias; /* alias may be NULL */
    const char *variant; /* NULL, or the first argument by which specs mean this row of the name */
    struct imf_filter_doc doc;
    enum imf_source source;
    struct imf_stage stage; /* what all stages of the filter have in common */
    imf_design *design[2];  /* of the stage's kernels, or NULL */
    imf_setup *setup;       /* what follows from them; NULL: values are the stage's numbers */
    struct imf_parameter parameter[IMF_PARAMETERS]; /* up to the first without a name */
    imf_check *check;                               /* or NULL */
};

/* In the order of imfilter(1); NULL past the last. */
const struct imf_builtin *imf_builtin_at(size_t index);
const struct imf_builtin *imf_builtin_find(const char *name);
/* The row that a spec means whose arguments, the first with its colon, are at *cursor: `b`, or one of
 * the same name that the first of them chooses, which *cursor is then moved past. */
const struct imf_builtin *imf_builtin_variant(const struct imf_builtin *b, const char **cursor);
/* The row by which filters of a user's .flt files read their parameters. */
const struct imf_builtin *imf_builtin_user(void);
/* The built-in name closest to a mistyped one; NULL: none is close; "": it names a known operation
 * that no filter does; a blank first: words that tell which do. */
const char *imf_builtin_nearest(const char *name);

/* Kernels; values are as the filter's parameters in table.c. */
imf_design imf_design_sharpen, imf_design_gaussian, imf_design_unsharp, imf_design_box,
    imf_design_square, imf_design_disk, imf_design_motion, imf_design_log, imf_design_dog,
    imf_design_emboss, imf_design_across, imf_design_down;

/* The largest sigma of canny. */
#define IMF_CANNY_SIGMA 16

/* Windows (windows.c): the stage's first kernel is the element; without one the window reaches values[0] pixels, and its
 * value is values[1]. */
imf_setup imf_setup_window, imf_setup_percentile, imf_setup_bilateral, imf_setup_guided;
/* The others (stages.c); a blur that is undone is the first kernel, and none is to be found. */
imf_setup imf_setup_unsharp, imf_setup_transfer, imf_setup_descreen, imf_setup_canny,
    imf_setup_denoise, imf_setup_despeckle, imf_setup_clahe, imf_setup_deblur, imf_setup_rl,
    imf_setup_threshold, imf_setup_gamma, imf_setup_blend;
/* Of values that must fit each other (checks.c). */
imf_check imf_check_band, imf_check_canny, imf_check_dog, imf_check_levels, imf_check_shares,
    imf_check_blend, imf_check_notch;
/* Write a note if RANGE or EPS is implausible. */
void imf_smooth_remark(const struct imf_stage *stage, char *note, size_t size);

/* How far the kernel of "blur" reaches, and its taps along an axis, 2 radius + 1 of them. */
int imf_gaussian_radius(double sigma);
void imf_gaussian_sample(double *taps, int radius, double sigma);

/* Largest sigma whose kernel fits: 4 sigma to either side at least, and 5 for the Laplacian. */
#define IMF_GAUSSIAN_LARGEST 511.75
#define IMF_LOG_LARGEST 409.4

#endif
