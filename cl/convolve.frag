// convolve.frag - an integer kernel and its epilogue, for OpenGL ES 2
//
// Samples are bytes, sums are floats that hold integers: below 2^24 every partial sum is exact, whatever
// the device's rounding. Divisions and roots, which devices only approximate, are corrected with
// products.
//
// The host puts "#define" lines before this file; it has the defaults of those that it may set.

#ifndef WIDTH
#define WIDTH 3 // of the kernel
#endif
#ifndef HEIGHT
#define HEIGHT 3
#endif
#ifndef KERNELS
#define KERNELS 1 // 2: the result is the magnitude of both
#endif
#ifndef CHANNELS
#define CHANNELS 1 // samples of a pixel
#endif
#ifndef SINGLE
#define SINGLE 0 // 0: a texel is four bytes of a row, in the input and the output; 1: one sample
#endif
#ifndef PACKED
#define PACKED 0 // SINGLE: an integer with sign in four bytes is read, else a byte
#endif
#ifndef WHOLE
#define WHOLE 0 // SINGLE: the numerator is made, unrounded, likewise; else a byte, in the first one
#endif

// The epilogue, on numerators: n = sum * X_SIGN + X_ADD; E_ABS: n = |n|; n = n * X_SIGN2 + X_ADD2;
// E_THRESHOLD: n >= X_LEVEL; the result is n / X_SCALE, rounded to nearest, ties to even.
#ifndef X_SIGN
#define X_SIGN 1.0
#endif
#ifndef X_ADD
#define X_ADD 0.0
#endif
#ifndef E_ABS
#define E_ABS 0
#endif
#ifndef X_SIGN2
#define X_SIGN2 1.0
#endif
#ifndef X_ADD2
#define X_ADD2 0.0
#endif
#ifndef E_THRESHOLD
#define E_THRESHOLD 0
#endif
#ifndef X_LEVEL
#define X_LEVEL 0.0
#endif
#ifndef X_SQUARE
#define X_SQUARE 0.0 // of magnitudes: from this square on they pass, or with X_SIGN2 < 0 fail
#endif
#ifndef E_FULL
#define E_FULL 255.0
#endif
#ifndef SCALED
#define SCALED 0 // X_SCALE is not 1
#endif
#ifndef X_SCALE
#define X_SCALE 1.0
#endif
#ifndef X_MOST
#define X_MOST 255.0 // numerators above give the same byte
#endif
// Longer magnitudes are clamped to this: the result saturates.
#define LONG 2047.0

precision highp float;
precision highp int;

#define GROUPS ((WIDTH + 3) / 4) // of four taps of a row; beyond the kernel they are 0

uniform sampler2D image;
uniform vec2 texel;
uniform vec4 tap[KERNELS * HEIGHT * GROUPS];
varying vec2 at;

#if SINGLE
#define V float
#else
#define V vec4
#endif

vec4 bytes(vec2 p) {
    return floor(texture2D(image, p * texel) * 255.0 + 0.5);
}

#if SINGLE
float value(vec2 p) {
    vec4 b = bytes(p);
#if PACKED
    return (b.r * 65536.0 + b.g * 256.0 + b.b) * (b.a > 127.0 ? -1.0 : 1.0);
#else
    return b.r;
#endif
}
#endif

// The sum, or of two kernels the square of their magnitude. Taps of a row are CHANNELS samples apart.
// Array indices are constant expressions of loop variables: OpenGL ES 2 guarantees no others.
V sum(vec2 from) {
    V total = V(0.0);
    for (int k = 0; k < KERNELS; k++) {
        V s = V(0.0);
        for (int i = 0; i < HEIGHT; i++) {
            vec2 p = from + vec2(0.0, float(i));
#if !SINGLE
            vec4 a = bytes(p), b, c, d; // texels side by side
#endif
            for (int g = 0; g < GROUPS; g++) {
                vec4 w = tap[(k * HEIGHT + i) * GROUPS + g];
#if SINGLE
                s += w.x * value(p) + w.y * value(p + vec2(CHANNELS, 0.0)) +
                     w.z * value(p + vec2(2 * CHANNELS, 0.0)) +
                     w.w * value(p + vec2(3 * CHANNELS, 0.0));
                p.x += float(4 * CHANNELS);
#else
                b = bytes(p + vec2(1.0, 0.0));
#if CHANNELS > 1
                c = bytes(p + vec2(2.0, 0.0));
#endif
#if CHANNELS > 2
                d = bytes(p + vec2(3.0, 0.0));
#endif
                p.x += float(CHANNELS);
#if CHANNELS == 1
                s += w.x * a + w.y * vec4(a.yzw, b.x) + w.z * vec4(a.zw, b.xy) +
                     w.w * vec4(a.w, b.xyz);
                a = b;
#elif CHANNELS == 2
                s += w.x * a + w.y * vec4(a.zw, b.xy) + w.z * b + w.w * vec4(b.zw, c.xy);
                a = c;
#elif CHANNELS == 3
                s += w.x * a + w.y * vec4(a.w, b.xyz) + w.z * vec4(b.zw, c.xy) +
                     w.w * vec4(c.yzw, d.x);
                a = d;
#else
                s += w.x * a + w.y * b + w.z * c + w.w * d;
                a = bytes(p);
#endif
#endif
            }
        }
#if KERNELS == 2
        s = min(abs(s), V(LONG));
        total += s * s;
#else
        total = s;
#endif
    }
    return total;
}

// The nearest integer to the root of s: r with r^2 - r < s <= r^2 + r.
V root(V s) {
    V r = floor(sqrt(max(s, V(0.0625))) + 0.5);
    r += 1.0 - step(s, r * r + r);
    r -= step(s, r * r - r);
    return max(r, V(0.0));
}

// n / X_SCALE from an approximate quotient: the remainder decides whether its neighbour is nearer.
V quotient(V n) {
    V q = floor(n * (1.0 / X_SCALE) + 0.5);
    V twice = 2.0 * (n - q * X_SCALE), odd = q - 2.0 * floor(0.5 * q);
    return q + step(X_SCALE + 1.0 - odd, twice) - step(twice, odd - 1.0 - X_SCALE);
}

V end(V n) {
#if KERNELS == 2 && E_THRESHOLD
    V pass = step(X_SQUARE, n);
    return E_FULL * (X_SIGN2 < 0.0 ? 1.0 - pass : pass);
#else
#if KERNELS == 2
    n = root(n);
#else
    n = n * X_SIGN + X_ADD;
#endif
#if E_ABS
    n = abs(n);
#endif
    n = n * X_SIGN2 + X_ADD2;
#if E_THRESHOLD
    return E_FULL * step(X_LEVEL, n);
#elif WHOLE
    return n;
#else
    n = clamp(n, 0.0, X_MOST);
#if SCALED
    n = quotient(n);
#endif
    return n;
#endif
#endif
}

void main() {
    vec2 from = floor(at) + 0.5;
    V v = end(sum(from));
    // Devices round or truncate when they store a byte: adding a quarter makes both the same.
#if SINGLE && WHOLE
    float a = abs(v), high = floor(a / 65536.0), low = a - 65536.0 * high, middle = floor(low / 256.0);
    gl_FragColor = (vec4(high, middle, low - 256.0 * middle, v < 0.0 ? 255.0 : 0.0) + 0.25) / 255.0;
#else
    gl_FragColor = vec4((v + 0.25) / 255.0);
#endif
}
