/*
 * spelling.c - the built-in filter that a mistyped name probably means
 *
 * Distance is the number of letters to insert, delete, replace or exchange with their neighbour
 * (optimal string alignment: Damerau 1964, each letter edited at most once). A name is close when
 * about a third of it or less has to change, or when it is the beginning of a filter's name. Names
 * that filters have elsewhere are tried like their own.
 */
#include "filter/builtin/table.h"

#include <string.h>

#define NONE "" /* there is nothing like it */

/* Where several filters may be meant: an answer in words, which begins with a blank. */
#define STRETCH                                                                                    \
    " levels:auto stretches the picture's samples to full scale, levels:BLACK:WHITE what is "      \
    "between them; clahe is local contrast"
#define BRIGHT " gamma:G brightens, kernel:1:bias=B adds B, a fraction of full scale"
/* What other programs do, by the command that does it. */
#define SIZE " a picture keeps its size here: vips resize IN OUT SCALE changes it"
#define TURN                                                                                       \
    " --orient=apply turns a picture as its EXIF says; vips rot IN OUT d90 and vips flip IN OUT "  \
    "horizontal do otherwise, jpegtran -rotate 90 without loss"
#define CUT                                                                                        \
    " --region=WxH+X+Y filters a part and keeps the rest; vips crop IN OUT X Y W H cuts one out, " \
    "jpegtran -crop WxH+X+Y without loss"

/* What filters are called elsewhere: in OpenCV, ImageMagick, vips, MATLAB and scikit-image, and by
 * those who know what they want. */
static const struct {
    const char *name, *means;
} elsewhere[] = {{"erosion", "erode"},
                 {"minimum", "erode"},
                 {"dilation", "dilate"},
                 {"dilatation", "dilate"},
                 {"maximum", "dilate"},
                 {"opening", "open"},
                 {"closing", "close"},
                 {"morphology", "open"},
                 {"whitehat", "tophat"},
                 {"bottomhat", "blackhat"},
                 {"edges", "canny"},
                 {"mean", "box"},
                 {"average", "box"},
                 {"rank", "percentile"},
                 {"areaopen", "despeckle"},
                 {"bwareaopen", "despeckle"},
                 {"areaclose", "despeckle"},
                 {"bokeh", "disk"},
                 {"usm", "unsharp"},
                 {"convolve", "kernel"},
                 {"filter2d", "kernel"},
                 {"grayscale", "gray"},
                 {"greyscale", "gray"},
                 {"luma", "gray"},
                 {"negate", "invert"},
                 {"negative", "invert"},
                 {"binarize", "threshold"},
                 {"otsu", "threshold:otsu"},
                 {"histeq", "equalize"},
                 {"equalizehist", "equalize"},
                 {"contrast", STRETCH},
                 {"sauvola", "threshold:sauvola"},
                 {"lat", "threshold:local"},
                 {"adaptivethreshold", "threshold:local"},
                 {"bm3d", "denoise"},
                 {"nlmeans", "denoise"},
                 {"smooth", "blur"},
                 {"deconvolution", "deblur"},
                 {"deconvolve", "deblur"},
                 {"wiener", "deblur"},
                 {"richardson", "rl"},
                 {"bleed", "fill"},
                 {"inpaint", NONE},
                 {"moire", "notch:auto"},
                 {"halftone", "descreen"},
                 {"resize", SIZE},
                 {"scale", SIZE},
                 {"thumbnail", SIZE},
                 {"rotate", TURN},
                 {"mirror", TURN},
                 {"crop", CUT},
                 {"tone", "curve"},
                 {"normalize", "levels:auto"},
                 {"autocontrast", "levels:auto"},
                 {"autolevel", "levels:auto"},
                 {"brightness", BRIGHT},
                 {"denoising", "denoise"},
                 {"saturation", NONE},
                 {"hue", NONE}};

#define LONGEST 31 /* letters; no filter's name is longer */

static int least(int a, int b) {
    return a < b ? a : b;
}

static int distance(const char *a, const char *b) {
    int d[LONGEST + 1][LONGEST + 1], m = (int)strlen(a), n = (int)strlen(b);
    for (int i = 0; i <= m; i++)
        d[i][0] = i;
    for (int j = 0; j <= n; j++)
        d[0][j] = j;
    for (int i = 1; i <= m; i++)
        for (int j = 1; j <= n; j++) {
            d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                            least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[m][n];
}

/* How far off the name is, which begins one at 1; `most` + 1 if it is not close. */
static int off_by(const char *lower, const char *known, int most) {
    int length = (int)strlen(lower);
    bool begins = length >= 3 && strncmp(lower, known, (size_t)length) == 0;
    int off = strcmp(lower, known) == 0 ? 0 : begins ? 1 : distance(lower, known);
    return off < length && off <= most ? off : most + 1;
}

const char *imf_builtin_nearest(const char *name) {
    const struct imf_builtin *b;
    const char *nearest = NULL;
    char lower[LONGEST + 1];
    size_t length = strlen(name);
    if (length > LONGEST)
        return NULL;
    for (size_t i = 0; i <= length; i++)
        lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
    int allowed = ((int)length + 2) / 3;
    for (size_t i = 0; (b = imf_builtin_at(i)); i++) {
        const char *names[] = {b->name, b->alias};
        for (int j = 0; j < 2 && names[j]; j++) {
            int off = off_by(lower, names[j], allowed);
            if (off <= allowed) {
                nearest = names[j];
                allowed = off - 1;
            }
        }
    }
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        int off = off_by(lower, elsewhere[i].name, allowed);
        if (off <= allowed) {
            nearest = elsewhere[i].means;
            allowed = off - 1;
        }
    }
    return nearest;
}
