// transfer.cl - shared by programs of transfer functions: gaps behind the image, and gains

// Mirrored by struct imf_blend of solver/fft/extend.h: a sample of the gap between the image and its
// repetition.
struct blend {
    int first, second; // positions within the image, or -1: the constant
    float weight;      // of the second
    float wave[4];     // times c and s, of the line's end, then of its beginning
};

// Squared frequencies are integers in units of 2^-62, so that comparisons with an ideal cutoff do not
// depend on rounding, and differences from a band's centre keep their digits.
#define UNIT 0x1p-62f
typedef V(long) vlong;

// Mirrored by struct imf_spectral_gain of solver/fft/args.h; see lib/filter/transfer.c for the formulas.
struct gain {
    long least, most; // ideal: squared frequencies that pass
    long centre;      // band: low * high
    float inverse;    // 1 / cutoff^2, or 1 / (high - low)^2; notch: 1 / radius^2
    float norm;       // 1 / (2 nx ny)
    int type;         // 0 gaussian, 1 butterworth, 2 ideal
    int order;        // butterworth
    int band;         // how it is normalised
    int notch;        // two gaussian pits that keep frequency 0
    int reject;       // 1 - the prototype
    int keeps_mean;   // gain 1 at frequency 0
};

static vfloat low_pass(vlong q, struct gain g)
{
    if (g.type == 2)
        return select((vfloat)0.0f, (vfloat)1.0f, TO(int)(q >= g.least && q <= g.most));
    vfloat f = TO(float)(q) * UNIT, d = TO(float)(q - g.centre) * UNIT;
    vfloat square = g.band ? d * d / f * g.inverse : f * g.inverse;
    if (g.type == 0)
        return exp(-0.5f * square);
    vfloat power = 1.0f;
    for (int n = g.order; n > 0; n >>= 1, square *= square)
        power *= n & 1 ? square : (vfloat)1.0f;
    return 1.0f / (1.0f + power);
}

static vfloat prototype(vlong q, struct gain g)
{
    vfloat pass = low_pass(q, g), mean = g.reject ? 0.0f : 1.0f;
    return g.keeps_mean ? select(pass, mean, TO(int)(q == 0)) : pass;
}

// Squared distances of a frequency along an axis: from 0, and from a notch's two centres.
#define SQUARES 3

// The gain of a frequency whose squared distances along both axes add up to these.
static vfloat gain_of(const vlong *square, struct gain g)
{
    if (!g.notch) {
        vfloat pass = prototype(square[0], g);
        return g.reject ? 1.0f - pass : pass;
    }
    vfloat mean = TO(float)(square[0]) * UNIT, near = g.inverse + 1.0f / (g.inverse * mean * mean);
    vfloat first = exp(-0.5f * TO(float)(square[1]) * UNIT * near);
    return (1.0f - first) * (1.0f - exp(-0.5f * TO(float)(square[2]) * UNIT * near));
}
