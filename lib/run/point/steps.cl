// steps.cl - the steps of a point pass: one text for the host and for devices
//
// run/point/strip.h compiles it as C, for floats and for doubles, point.cl as OpenCL C. They define
//
//     REAL           the type of samples; on a device it may be a vector
//     NUMBER         the type of a number that is the same for all samples
//     STEP           before a function
//     STRIP          pixels of a plane
//     EACH           the loop over pixels i, n of them
//     MORE           parameters of their own, for linearize(), normalize() and delinearize(), which are theirs
//     DIVIDE(a, b)   a quotient that is exact where it is a tie between two samples
//     LEAST(a, b), MOST(a, b)
//     SPLINE(step, k) number k of the spline of a pass's step
//
// v has a plane for each channel of a pass's pixels, b for each of its second input, w the weights of a blend.
// A step finds `colors` colours in v, and then alpha if there is one, and leaves `to`; b has `others`, and alpha.

#ifndef REAL // a device

#ifndef DIVIDE_TWICE
#define DIVIDE_TWICE 0
#endif
#ifndef SPLINES
#define SPLINES 0.0f // of all steps, one behind the other
#endif
#ifndef SPLINE_AT
#define SPLINE_AT 0 // of each step, where its own begins
#endif

__constant float splines[] = {SPLINES};
__constant int spline_at[] = {SPLINE_AT};

#define REAL vfloat
#define NUMBER float
#define STEP inline
#define STRIP 1
#define EACH for (int i = 0; i < n; i++)
#define MORE __global const float *table, __global const float *range,
#define DIVIDE(a, b) divide((REAL)(a), (REAL)(b))
#define LEAST(a, b) fmin((REAL)(a), (REAL)(b))
#define SPLINE(step, k) splines[spline_at[(int)(step)] + (k)]
#define MOST(a, b) fmax((REAL)(a), (REAL)(b))

// GPUs' divisions are off by an ulp or two: the remainder is divided once more.
inline vfloat divide(vfloat v, vfloat by)
{
    vfloat q = v / by;
#if DIVIDE_TWICE
    q += fma(-q, by, v) / by;
#endif
    return q;
}

#endif

#define PLANES                                                                                     \
    MORE REAL(*v)[STRIP], REAL(*b)[STRIP], const REAL *w, int n, int colors, int to, int others,   \
        int alpha, NUMBER full

STEP REAL limited(REAL v, NUMBER full)
{
    return LEAST(MOST(v, 0.0f), full);
}

// Alpha becomes the image's.
STEP void take_alpha(PLANES)
{
    EACH v[colors][i] = b[others][i];
}

// The difference to another surface, shrunk towards 0 by level, is added or is all; or the quotient by it,
// of which what is below `least` counts as that: noise is magnified no further. It stays within low and high.
STEP void combine(PLANES, NUMBER amount, NUMBER level, int difference, int quotient, NUMBER least,
                  NUMBER low, NUMBER high)
{
    for (int c = 0; c < colors + alpha; c++) {
        if (quotient)
            EACH v[c][i] = LEAST(full * MOST(v[c][i], low) / MOST(b[c][i], least), high);
        else
            EACH {
                REAL d = v[c][i] - b[c][i];
                d = amount * copysign(MOST(fabs(d) - level, 0.0f), d);
                v[c][i] = difference ? d : v[c][i] + d;
            }
    }
}

// Alpha is divided by the scale that the kernel before has left out.
STEP void unpremultiply(PLANES, NUMBER scale, NUMBER hidden)
{
    for (int c = 0; c < colors; c++)
        EACH v[c][i] = v[colors][i] >= hidden * scale
                           ? DIVIDE(v[c][i], DIVIDE(v[colors][i], full))
                           : (REAL)0;
    EACH v[colors][i] = DIVIDE(v[colors][i], scale);
}

STEP void premultiply(PLANES)
{
    for (int c = 0; c < colors; c++)
        EACH v[c][i] *= DIVIDE(v[colors][i], full); // 1 where it is opaque
}

STEP void scalar(PLANES, int absolute, NUMBER multiply, NUMBER offset, int threshold, NUMBER level)
{
    for (int c = 0; c < colors; c++) {
        if (absolute)
            EACH v[c][i] = fabs(v[c][i]);
        EACH v[c][i] = multiply * v[c][i] + offset;
        if (threshold)
            EACH v[c][i] = v[c][i] >= level ? (REAL)full : (REAL)0;
    }
}

// Below 0 a power is the same, negative: nothing is clipped, and its inverse undoes it.
STEP void levels(PLANES, NUMBER multiply, NUMBER offset, NUMBER exponent)
{
    for (int c = 0; c < colors; c++) {
        EACH v[c][i] = multiply * v[c][i] + offset;
        if (exponent != 1)
            EACH v[c][i] = full * copysign(pow(fabs(v[c][i]) / full, (REAL)exponent), v[c][i]);
    }
}

// The first point's value, and what each piece adds; numbers are shares of full scale.
STEP void spline(PLANES, int step, int pieces)
{
    for (int c = 0; c < colors; c++) {
        REAL y[STRIP];
        EACH y[i] = full * SPLINE(step, 0);
        for (int k = 1; k < 5 * pieces; k += 5) {
            const NUMBER at = full * SPLINE(step, k), width = full * SPLINE(step, k + 1);
            const NUMBER slope = SPLINE(step, k + 2), bend = SPLINE(step, k + 3) / full;
            const NUMBER twist = SPLINE(step, k + 4) / full / full;
            EACH {
                REAL t = LEAST(MOST(v[c][i] - at, 0.0f), width);
                y[i] += t * (slope + t * (bend + t * twist));
            }
        }
        EACH v[c][i] = y[i];
    }
}

STEP void clip(PLANES)
{
    for (int c = 0; c < colors; c++)
        EACH v[c][i] = limited(v[c][i], full);
}

STEP void rescale(PLANES, NUMBER by)
{
    for (int c = 0; c < colors + alpha && by != 1; c++)
        EACH v[c][i] *= by;
}

// ---- channels: 1: the luma, by the weights of green and blue; 2, 3, 4: red, green, blue; 5: colours less their luma;
// 6: alpha, which is then the last of the colours

#define CHROMA 5
#define ALPHA_ALONE 6

STEP void pick(REAL *one, REAL (*v)[STRIP], int n, int which, int colors, NUMBER green, NUMBER blue)
{
    int c = which == 1 ? 0 : which == ALPHA_ALONE ? colors - 1 : which - 2;
    EACH one[i] = which == 1 ? v[0][i] + green * (v[1][i] - v[0][i]) + blue * (v[2][i] - v[0][i])
                             : v[c][i];
}

STEP void gray(PLANES, int which, NUMBER green, NUMBER blue)
{
    pick(v[0], v, n, which, colors, green, blue);
    if (alpha)
        EACH v[1][i] = v[colors][i];
}

// Colours get a luma, and go towards its gray as far as black and white ask for, unless they may be beyond these: SetLum
// and ClipColor of Compositing and Blending Level 1, 10.2.
STEP void set_luma(REAL (*v)[STRIP], const REAL *luma, int n, NUMBER green, NUMBER blue, NUMBER full,
                   int open)
{
    EACH
    {
        const REAL l = luma[i];
        const REAL r = v[0][i], g = v[1][i] - r, b = v[2][i] - r, up = l - (green * g + blue * b);
        const REAL low = up + LEAST(0.0f, LEAST(g, b)), high = up + MOST(0.0f, MOST(g, b));
        const REAL least = low < 0 && !open ? l / (l - low) : (REAL)1;
        const REAL by = high > full && !open ? least * (full - l) / (high - l) : least;
        v[0][i] = l + by * (up - l);
        v[1][i] = l + by * (up + g - l);
        v[2][i] = l + by * (up + b - l);
    }
}

// What was picked of b's colours goes back into them: the luma's change, as it would be shown, is added to all
// of them, and they saturate; colours get b's luma; any other channel replaces its own.
STEP void put(PLANES, int which, NUMBER green, NUMBER blue, int open)
{
    REAL one[STRIP];
    pick(one, b, n, which == CHROMA ? 1 : which, others, green, blue);
    if (which == CHROMA) {
        if (alpha && colors == 1)
            EACH v[3][i] = v[1][i];
        for (int c = 2; c >= 0; c--)
            EACH {
                REAL x = v[colors == 1 ? 0 : c][i];
                v[c][i] = open ? x : limited(x, full);
            }
        set_luma(v, one, n, green, blue, full, open);
        return;
    }
    if (which == ALPHA_ALONE) {
        EACH v[others - 1][i] = limited(v[0][i], full);
        for (int c = 0; c < others - 1; c++)
            EACH v[c][i] = b[c][i];
        return;
    }
    if (alpha)
        EACH v[3][i] = v[1][i];
    EACH one[i] = which == 1 ? limited(v[0][i], full) - one[i] : v[0][i];
    for (int c = 0; c < 3; c++)
        EACH v[c][i] = which == 1 ? b[c][i] + one[i] : c == which - 2 ? one[i] : b[c][i];
}

// ---- blends
//
// W3C, Compositing and Blending Level 1, whose sections are named; `subtract` is not among its modes. Numbers
// are whole, or have few bits, so that they are those of any type.

#define SCREEN(b, s) ((b) + (s) - (b) * (s))
#define SOFT(b) (4 * (b) <= 1 ? ((16 * (b)-12) * (b) + 4) * (b) : sqrt(b))

// Of colours 0..1, and of colours on any scale, of which integers stay so.
#define RATIO(mode, formula)                                                                       \
    case mode:                                                                                     \
        EACH                                                                                       \
        {                                                                                          \
            REAL b = under[i] / full, s = limited(v[i], full) / full;                              \
            v[i] = full * (formula);                                                               \
        }                                                                                          \
        break;
#define SUM(mode, formula)                                                                         \
    case mode:                                                                                     \
        EACH                                                                                       \
        {                                                                                          \
            REAL b = under[i], s = limited(v[i], full);                                            \
            v[i] = formula;                                                                        \
        }                                                                                          \
        break;

// v becomes what the mode of enum imf_blend_mode makes of the backdrop's colours and of v, which is what normal
// takes.
STEP void mix(int mode, REAL *v, const REAL *under, int n, NUMBER full)
{
    switch (mode) {
        RATIO(1, 2 * b <= 1 ? 2 * b * s : SCREEN(2 * b - 1, s)) // overlay, 10.1.4
        RATIO(2, 2 * s <= 1 ? b - (1 - 2 * s) * b * (1 - b)
                            : b + (2 * s - 1) * (SOFT(b) - b))  // softlight, 10.1.10
        RATIO(3, 2 * s <= 1 ? 2 * s * b : SCREEN(b, 2 * s - 1)) // hardlight, 10.1.9
        RATIO(4, b * s)                                         // multiply, 10.1.2
        RATIO(5, SCREEN(b, s))                                  // screen, 10.1.3
        SUM(6, MOST(b, s))                                      // lighten, 10.1.6
        SUM(7, LEAST(b, s))                                     // darken, 10.1.5
        SUM(8, fabs(b - s))                                // difference, 10.1.11
        SUM(9, LEAST(b + s, full))                              // add: "lighter", 9.1.13
        SUM(10, MOST(b - s, 0.0f))                              // subtract
    }
}

// Those of all colours at once, 10.2, whose luminosity is 0.3 red + 0.59 green + 0.11 blue. Of a colour whose parts differ by
// less than 1/32 of a step of 8 bits the hue would be that of rounding: it is gray.
#define HUE 11
#define GRAY_BELOW 0x1p-13f // of full scale

STEP void saturate(REAL (*v)[STRIP], REAL (*by)[STRIP], int n, NUMBER full)
{
    EACH {
        const REAL least = LEAST(v[0][i], LEAST(v[1][i], v[2][i]));
        const REAL spread = MOST(v[0][i], MOST(v[1][i], v[2][i])) - least;
        const REAL wide = MOST(by[0][i], MOST(by[1][i], by[2][i])) -
                          LEAST(by[0][i], LEAST(by[1][i], by[2][i]));
        const REAL part = spread > GRAY_BELOW * full ? wide / spread : (REAL)0;
        for (int c = 0; c < 3; c++)
            v[c][i] = part * (v[c][i] - least);
    }
}

// s becomes what the mode makes of the backdrop and of it, a gray one what is left of that.
STEP void mix_colors(int mode, REAL (*s)[STRIP], REAL (*b)[STRIP], int n, int colors, NUMBER full)
{
    REAL one[3][STRIP], luma[STRIP];
    const int keeps = mode != HUE + 3; // the backdrop's luminosity
    for (int c = 0; c < colors; c++)
        EACH {
            const REAL x = limited(s[c][i], full), y = limited(b[c][i], full);
            s[c][i] = x;
            one[c][i] = y;
            if (colors == 1)
                s[c][i] = keeps ? y : x;
        }
    if (colors == 1)
        return;
    pick(luma, keeps ? one : s, n, 1, 3, 0.59f, 0.11f);
    if (mode == HUE)
        saturate(s, one, n, full);
    if (mode == HUE + 1)
        saturate(one, s, n, full);
    for (int c = 0; c < 3 && (mode == HUE + 1 || !keeps); c++)
        EACH s[c][i] = one[c][i];
    set_luma(s, luma, n, 0.59f, 0.11f, full, 0);
}

// Combine v with b. One colour counts as that many equal ones. Where alpha was filtered (`apart`), v is a layer of
// its own: where the image is transparent, there is no backdrop (section 10), and colours are mixed
// premultiplied. Below half a step of alpha a quotient would say little, and colours are mixed as they are,
// unless one of them is hidden.
STEP void blend(PLANES, int mode, int which, NUMBER green, NUMBER blue, int apart, NUMBER hidden)
{
    REAL f[3][STRIP], picked[STRIP];
    if (which)
        pick(picked, b, n, which, others, green, blue);
    for (int c = to; c > 0 && colors < to; c--)
        if (c < to || alpha)
            EACH v[c][i] = v[c < to ? 0 : colors][i];
    for (int c = 0; c < to && apart; c++)
        EACH f[c][i] = mode ? limited(v[c][i], full) : v[c][i];
    if (mode >= HUE)
        mix_colors(mode, v, which ? &picked : b, n, to, full);
    for (int c = 0; c < to; c++) {
        const REAL *under = which ? picked : b[c], *below = b[others];
        mix(mode, v[c], under, n, full);
        if (apart)
            EACH {
                REAL above = v[to][i], mixed = below[i] + w[i] * (above - below[i]);
                REAL s = f[c][i] + DIVIDE(below[i], full) * (v[c][i] - f[c][i]);
                REAL sum = below[i] * under[i] + w[i] * (above * s - below[i] * under[i]);
                v[c][i] = below[i] == 0 && mixed != 0 ? s
                          : mixed >= hidden           ? DIVIDE(sum, mixed)
                                                      : under[i] + w[i] * (s - under[i]);
            }
        else
            EACH v[c][i] = under[i] + w[i] * (v[c][i] - under[i]);
    }
    if (apart)
        EACH v[to][i] = b[others][i] + w[i] * (v[to][i] - b[others][i]);
}
