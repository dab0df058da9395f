/*
 * kinds.h - what filters are made of, a row each: stages, operations on points, problems for solvers
 *
 * A spec's stages become operations (plan/lowering/lower.c): those on points, and problems, of which solvers take a kind each. A
 * column is read where it says; one that is an expression is compiled there.
 */
#ifndef IMF_FILTER_KINDS_H
#define IMF_FILTER_KINDS_H

/* What holds of a stage. */
enum {
    IMF_IS_POINT = 1, /* a point operation: those leave alpha */
    IMF_RESPONDS = 2, /* each of its kernels, or its transfer function, has a frequency response, */
    IMF_CHAINS = 4,   /* by which it multiplies that of a chain of luma */
    IMF_OF_COLORS = 8 /* of straight colours, which are the scene's: no weighted sum of them */
};

/*
 * The stages: ROW(name, what holds, words...)
 *
 * `words` are what --show says of stage `s`: a format and what it prints (picture/response.c). Maps come first, each an
 * operation of the same name, which gets the stage's numbers: alpha stays. A new one has a row here and below, what it does to
 * a value in plan/lowering/bound.c, its step in run/point/steps.cl and its spec in builtin/table.c.
 */
#define IMF_MAP_STAGES(ROW)                                                                        \
    ROW(LEVELS, IMF_IS_POINT, "point operation: ((x - %g) / (%g - %g)) ^ (1 / %g), of full scale", \
        s->black, s->white, s->black, s->gamma)                                                    \
    ROW(CURVE, IMF_IS_POINT, /* `spline` */                                                        \
        "point operation: a monotone cubic through %d points, flat beyond them",                   \
        s->spline->pieces + 1)

#define IMF_STAGES(ROW)                                                                            \
    ROW(LINEAR, IMF_RESPONDS | IMF_CHAINS, "%s", "") /* kernel[0] */                               \
    /* sqrt(kernel[0]^2 + kernel[1]^2); both have the same size and origin */                      \
    ROW(MAGNITUDE, IMF_RESPONDS, "gradient magnitude: sqrt(gx^2 + gy^2) of two kernels")           \
    /* the direction of (kernel[0], kernel[1]), likewise; alpha stays */                           \
    ROW(PHASE, IMF_RESPONDS | IMF_OF_COLORS,                                                       \
        "gradient direction: the angle of (gx, -gy), a turn as full scale")                        \
    ROW(CANNY, IMF_OF_COLORS, /* alpha stays */                                                    \
        "edges: %dx%d gradients above %g, and above %g where they touch those, after sigma %g",    \
        s->canny.aperture, s->canny.aperture, s->canny.high, s->canny.low, s->canny.sigma)         \
    ROW(CLAHE, IMF_OF_COLORS, /* alpha stays */                                                    \
        "adaptive histogram equalization: %dx%d tiles, counts up to %g times the mean",            \
        s->clahe.across, s->clahe.down, s->clahe.limit)                                            \
    ROW(DENOISE, 0, "%s", denoise_words(more, &s->denoise))                                        \
    /* d = x - kernel[0](x), shrunk by threshold towards 0; x + amount * d */                      \
    ROW(UNSHARP, IMF_RESPONDS | IMF_CHAINS,                                                        \
        "unsharp mask: x + %g d; d = x - its blur, nearer to 0 by %g of full scale", s->amount,    \
        s->threshold)                                                                              \
    ROW(TRANSFER, IMF_RESPONDS | IMF_CHAINS, "%s", transfer_words(more, &s->transfer))             \
    ROW(DESCREEN, 0, "less the periodic patterns found in the image%s",                            \
        s->descreen.harmonics ? ", with their harmonics" : "")                                     \
    ROW(WINDOW, 0, "%s", s->window_op.words) /* and `second`: no sums of products */               \
    ROW(GRAY, IMF_IS_POINT | IMF_CHAINS,     /* RGB to one channel; gray stays; alpha stays */     \
        "point operation: Rec. 709 luma, 0.2126 R + 0.7152 G + 0.0722 B")                          \
    ROW(INVERT, IMF_IS_POINT | IMF_CHAINS, "point operation: full scale - x") /* alpha stays */    \
    /* alpha stays, and below */                                                                   \
    ROW(THRESHOLD, IMF_IS_POINT, "point operation: full scale where x >= %g of it, 0 elsewhere",   \
        s->threshold)                                                                              \
    IMF_MAP_STAGES(ROW)                                                                            \
    ROW(HISTOGRAM, IMF_IS_POINT, "%s", histogram_words(more, s)) /* all pixels' */                 \
    /* of x and of what the chain began with */                                                    \
    ROW(BLEND, IMF_IS_POINT, "blend: the chain's input, and %g%s of what x makes of it",           \
        s->amount, s->mask ? " times the mask" : "")                                               \
    ROW(FILL, IMF_OF_COLORS, /* alpha stays */                                                     \
        "pixels of alpha 0 take the colour of the nearest that is visible")                        \
    ROW(DESPECKLE, 0, "area %s: %s components of %d pixels or more stay",                          \
        s->despeckle.light ? "opening" : "closing", s->despeckle.light ? "light" : "dark",         \
        s->despeckle.area)                                                                         \
    ROW(DEBLUR, IMF_OF_COLORS, "deconvolution by %s, the outside unknown, of %s",                  \
        deblur_method(&s->deblur),                                                                 \
        s->deblur.kernel ? "the blur below" : "a blur found in the picture")

enum imf_op {
#define IMF_STAGE_OP(name, ...) IMF_OP_##name,
    IMF_STAGES(IMF_STAGE_OP)
#undef IMF_STAGE_OP
};

/* What holds of an operation on points; a pass is slower without. */
enum {
    IMF_ALIKE = 1,     /* all colours are treated alike, each by itself, */
    IMF_ALPHA_TOO = 2, /* and so is alpha */
    IMF_MAPS = 4,      /* a result depends on nothing but the sample */
    IMF_FLOATS = 8,    /* may be computed in floats where these are not too coarse */
    IMF_EXACT = 16,    /* of integers floats are exact */
    IMF_TABLE = 32,    /* of integers they are not always: devices look up what the host computes */
    IMF_BOUNDED = 64,  /* the result does not grow with the slope */
    IMF_ROOT = 128     /* there is no steepest slope: at 0 an error is no longer in proportion */
};
#define IMF_MAPS_ALIKE (IMF_ALIKE | IMF_MAPS)
/* A stage that is a map. */
#define IMF_MAP (IMF_MAPS_ALIKE | IMF_FLOATS | IMF_TABLE)

/* The slope of levels, before the power. */
#define IMF_LEVELS_BY(number) (1 / ((number)[1] - (number)[0]))

/*
 * The operations on points: ROW(kind, name, what holds, value, step, numbers...)
 *
 * `value` is a function of plan/lowering/bound.c: what it does to what is known of a value. A step is a function of
 * run/point/steps.cl, which computes it on the host and on devices; its numbers are those of operation `op`
 * (plan/lowering/operations.h) in point pass `p`.
 */
#define IMF_POINT_OPERATIONS(ROW)                                                                  \
    ROW(TAKE_ALPHA, "take alpha", IMF_FLOATS | IMF_EXACT, kept, take_alpha, p->full)               \
    ROW(LINEARIZE, "linearize", imf_curve_count(p->curve) == 1 ? IMF_MAPS_ALIKE : 0, curved,       \
        linearize, p->full)                                                                        \
    ROW(COMBINE, "sharpen",                                                                        \
        IMF_ALIKE | IMF_ALPHA_TOO | IMF_FLOATS | (op->combine.difference ? IMF_EXACT : 0),         \
        combined, combine, p->full, op->combine.amount, op->combine.level, op->combine.difference, \
        op->combine.quotient, p->full / IMF_LIFT, p->low, p->high)                                 \
    ROW(UNPREMULTIPLY, "unpremultiply", IMF_FLOATS, unpremultiplied, unpremultiply, p->full,       \
        op->number, p->hidden)                                                                     \
    ROW(GRAY, "gray", IMF_FLOATS | IMF_EXACT, grayed, gray, p->full, op->gray,                     \
        imf_curve_luma(p->curve)[1], imf_curve_luma(p->curve)[2])                                  \
    ROW(NORMALIZE, "normalize", IMF_ALIKE, limited, normalize, p->full, op->normalize.flat,        \
        op->normalize.whole, op->normalize.alpha_scale)                                            \
    ROW(SCALAR, "scalar", op->scalar.threshold ? IMF_MAPS_ALIKE : IMF_MAPS_ALIKE | IMF_FLOATS,     \
        scaled, scalar, p->full, op->scalar.absolute, op->scalar.multiply, op->scalar.offset,      \
        op->scalar.threshold, op->scalar.level)                                                    \
    ROW(LEVELS, "levels", op->map.number[2] > 1 ? IMF_MAP | IMF_ROOT : IMF_MAP, leveled, levels,   \
        p->full, IMF_LEVELS_BY(op->map.number),                                                    \
        -op->map.number[0] * IMF_LEVELS_BY(op->map.number) * p->full, 1 / op->map.number[2])       \
    ROW(CURVE, "curve", IMF_MAP | IMF_BOUNDED, splined, spline, p->full, op - p->steps,            \
        op->map.spline->pieces)                                                                    \
    ROW(BLEND, "blend",                                                                            \
        IMF_FLOATS | IMF_EXACT |                                                                   \
            (op->blend.pick || op->blend.mode >= IMF_BLEND_HUE ||                                  \
                     p->in_channels < p->second_channels ||                                        \
                     (p->second_light && imf_curve_count(p->curve) > 1)                            \
                 ? 0                                                                               \
                 : IMF_ALIKE),                                                                     \
        blended, blend, p->full, op->blend.mode, op->blend.pick, imf_curve_luma(p->curve)[1],      \
        imf_curve_luma(p->curve)[2], op->blend.apart, p->hidden)                                   \
    ROW(PUT, "put back", IMF_FLOATS | IMF_EXACT, put_back, put, p->full, op->blend.pick,           \
        imf_curve_luma(p->curve)[1], imf_curve_luma(p->curve)[2], p->high > p->full)               \
    ROW(PREMULTIPLY, "premultiply", IMF_FLOATS, premultiplied, premultiply, p->full)               \
    ROW(DELINEARIZE, "delinearize", imf_curve_count(p->curve) == 1 ? IMF_MAPS_ALIKE : 0,           \
        delinearized, delinearize, p->full)                                                        \
    ROW(CLIP, "clip", IMF_MAPS_ALIKE | IMF_FLOATS, clipped, clip, p->full)                         \
    ROW(RESCALE, "rescale", IMF_MAPS_ALIKE | IMF_ALPHA_TOO | (op->rescale.whole ? 0 : IMF_FLOATS), \
        rescaled, rescale, p->full, op->rescale.by)

enum imf_operation_kind {
    IMF_SOLVE, /* a solver's work */
#define IMF_KIND(kind, ...) IMF_##kind,
    IMF_POINT_OPERATIONS(IMF_KIND)
#undef IMF_KIND
};

/*
 * The problems: ROW(kind, name, extent, value, gain, why)
 *
 * `extent` is what a pixel of the result depends on (plan/lowering/reach.c), `value` as above, `gain` by how much it may magnify
 * errors (plan/lowering/tolerances.c; 0: as its kernels do), both of problem `p`; `why` is said by solvers of other kinds
 * (solver/proposal.c; NULL: that the window operation's noun is not linear).
 */
#define IMF_PROBLEMS(ROW)                                                                          \
    /* kernel[0] */                                                                                \
    ROW(CONVOLUTION, "convolve", NEARBY, convolved, 0, "there is no transfer function")            \
    /* of kernel[0] and kernel[1], which have the same size and origin */                          \
    ROW(MAGNITUDE, "magnitude", NEARBY, convolved, 0, "a magnitude takes two kernels at once")     \
    /* the gradient's direction, counter-clockwise, 0..2 pi as 0..full scale; kernels are odd */   \
    ROW(PHASE, "phase", NEARBY, turned, 0, "a gradient's direction is not linear")                 \
    /* the whole image, made periodic, times a transfer function */                                \
    ROW(TRANSFER, "transfer", SPREADS, ringing, 1, "frequency-domain filters need the FFT")        \
    /* the whole image less the periodic patterns found in it */                                   \
    ROW(DESCREEN, "descreen", SPREADS, ringing, 1, "patterns are found on the host")               \
    /* of the samples in a window, the one of this rank */                                         \
    ROW(RANK, "rank", NEARBY, ranked, 1, NULL)                                                     \
    /* means in windows that keep edges */                                                         \
    ROW(BILATERAL, "bilateral", NEARBY, averaged, p->window_op->gain, NULL)                        \
    ROW(GUIDED, "guided", NEARBY, averaged, p->window_op->gain, NULL)                              \
    /* white or black, by the mean of a window and perhaps its spread */                           \
    ROW(LOCAL_THRESHOLD, "threshold", NEARBY, decided, 1, NULL)                                    \
    /* edges after Canny; needs the whole image */                                                 \
    ROW(CANNY, "canny", SPREADS, decided, 1, "following edges is not linear")                      \
    /* noise removed from blocks of pixels; it may be measured in all of them */                   \
    ROW(DENOISE, "denoise", p->denoise->sigma < 0 ? MEASURES : NEARBY, ringing, IMF_DENOISE_GAIN,  \
        "removing noise is not linear")                                                            \
    /* a map of sample values, made of the whole image's histogram */                              \
    ROW(HISTOGRAM_OP, "histogram", MEASURES, decided, 1, "what a histogram decides is not linear") \
    /* maps of the lumas of tiles, made of their histograms */                                     \
    ROW(CLAHE, "clahe", MEASURES, decided, 1, "what histograms decide is not linear")              \
    /* a blur is undone; needs the whole image */                                                  \
    ROW(DEBLURRING, "deblur", SPREADS, deblurred, IMF_HIGH_GAIN,                                   \
        "undoing a blur needs the whole image")                                                    \
    /* colours under alpha 0 become those nearby */                                                \
    ROW(FILLING, "fill", p->fill.reach == IMF_FILL_ANY ? MEASURES : NEARBY, filled, 1,             \
        "the host fills what alpha hides")                                                         \
    /* components of too few pixels take the level of what is around them */                       \
    ROW(DESPECKLE, "despeckle", SPREADS, ranked, 1, "components are followed on the host")

enum imf_problem_kind {
#define IMF_KIND(kind, ...) IMF_##kind,
    IMF_PROBLEMS(IMF_KIND)
#undef IMF_KIND
        IMF_PROBLEM_KINDS
};

#endif
