// blend.cl - what becomes of the backdrop's colours and the source's: blend modes, and channels apart
//
// W3C, Compositing and Blending Level 1, 10.1; as run/point/blend.h has them.

#ifndef BLEND_MODE
#define BLEND_MODE 0 // of enum imf_blend_mode; 0: normal
#endif
#ifndef PICK
#define PICK 0 // of enum imf_channels: the backdrop's luma, or one of its colours, is all that counts
#endif

// On colours 0..1.
inline float screen(float b, float s)
{
    return b + s - b * s;
}

inline float hardlight(float b, float s)
{
    return 2 * s <= 1 ? 2 * s * b : screen(b, 2 * s - 1);
}

inline float softlight(float b, float s)
{
    float curve = 4 * b <= 1 ? ((16 * b - 12) * b + 4) * b : sqrt(b);
    return 2 * s <= 1 ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (curve - b);
}

// On samples; normal takes the source as it is.
inline float blended(float b, float v)
{
    float s = clamp(v, 0.0f, E_FULL), below = b / E_FULL, above = s / E_FULL;
    switch (BLEND_MODE) {
    case 0:
        return v;
    case 1:
        return E_FULL * hardlight(above, below);
    case 2:
        return E_FULL * softlight(below, above);
    case 3:
        return E_FULL * hardlight(below, above);
    case 4:
        return E_FULL * (below * above);
    case 5:
        return E_FULL * screen(below, above);
    case 6: // lighten
        return fmax(b, s);
    case 7: // darken
        return fmin(b, s);
    case 8: // difference
        return fabs(b - s);
    case 9: // add
        return fmin(b + s, E_FULL);
    default: // subtract
        return fmax(b - s, 0.0f);
    }
}

// As put() of run/point/point.c: put v[0] back into the colours b, of which it was `was`.
inline void put(float *v, const float *b, float was)
{
    float one = v[0], alpha = v[1], change = clamp(one, 0.0f, E_FULL) - was;
    for (int c = 0; c < 3; c++)
        v[c] = PICK == 1 ? b[c] + change : c == PICK - 2 ? one : b[c];
    v[3] = alpha;
}
