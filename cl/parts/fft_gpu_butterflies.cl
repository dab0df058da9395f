// fft_gpu_butterflies.cl - transforms of a few complex numbers in a GPU's registers
//
// Bins come out in order. back: the inverse, not divided by the length.

#define EACH(i, n) _Pragma("unroll") for (int i = 0; i < (n); i++)

static inline float2 times(float2 a, float2 w, int back)
{
    return back ? (float2)(a.x * w.x + a.y * w.y, a.y * w.x - a.x * w.y)
                : (float2)(a.x * w.x - a.y * w.y, a.x * w.y + a.y * w.x);
}

// Times -i or (back) i.
static inline float2 quarter(float2 a, int back)
{
    return back ? (float2)(-a.y, a.x) : (float2)(a.y, -a.x);
}

static inline void dft2(float2 *a, float2 *b)
{
    float2 sum = *a + *b;
    *b = *a - *b;
    *a = sum;
}

static inline void dft4(float2 *a, float2 *b, float2 *c, float2 *d, int back)
{
    dft2(a, c);
    dft2(b, d);
    *d = quarter(*d, back);
    dft2(a, b);
    dft2(c, d);
    float2 t = *b; // bins 0 2 1 3
    *b = *c;
    *c = t;
}

#define ROOT_2 0x1.6a09e6p-1f // sqrt(1/2)
#define COS_16 0x1.d906bcp-1f // cos(pi/8)
#define SIN_16 0x1.87de2ap-2f

// Two transforms of 4 over even and odd elements, then 4 of 2.
static inline void dft8(float2 *x, int back)
{
    dft4(x + 0, x + 2, x + 4, x + 6, back);
    dft4(x + 1, x + 3, x + 5, x + 7, back);
    x[3] = times(x[3], (float2)(ROOT_2, -ROOT_2), back);
    x[5] = quarter(x[5], back);
    x[7] = times(x[7], (float2)(-ROOT_2, -ROOT_2), back);
    float2 y[8];
    EACH(k, 4)
    {
        y[k] = x[2 * k] + x[2 * k + 1];
        y[k + 4] = x[2 * k] - x[2 * k + 1];
    }
    EACH(k, 8) x[k] = y[k];
}

// Four transforms of 4, the roots between, and four more.
static inline void dft16(float2 *x, int back)
{
    EACH(n, 4) dft4(x + n, x + n + 4, x + n + 8, x + n + 12, back);
    x[5] = times(x[5], (float2)(COS_16, -SIN_16), back);
    x[6] = times(x[6], (float2)(ROOT_2, -ROOT_2), back);
    x[7] = times(x[7], (float2)(SIN_16, -COS_16), back);
    x[9] = times(x[9], (float2)(ROOT_2, -ROOT_2), back);
    x[10] = quarter(x[10], back);
    x[11] = times(x[11], (float2)(-ROOT_2, -ROOT_2), back);
    x[13] = times(x[13], (float2)(SIN_16, -COS_16), back);
    x[14] = times(x[14], (float2)(-ROOT_2, -ROOT_2), back);
    x[15] = times(x[15], (float2)(-COS_16, SIN_16), back);
    EACH(k, 4) dft4(x + 4 * k, x + 4 * k + 1, x + 4 * k + 2, x + 4 * k + 3, back);
    float2 y[16];
    EACH(k, 16) y[k] = x[k % 4 * 4 + k / 4];
    EACH(k, 16) x[k] = y[k];
}

#define COS_20 0x1.e11f64p-1f
#define SIN_20 0x1.5e3a88p-2f
#define COS_40 0x1.8836fap-1f
#define SIN_40 0x1.491b76p-1f
#define COS_80 0x1.63a1a8p-3f
#define SIN_80 0x1.f838b8p-1f
#define SIN_60 0x1.bb67aep-1f
#define COS_72 0x1.3c6ef4p-2f
#define SIN_72 0x1.e6f0e2p-1f
#define COS_36 0x1.9e377ap-1f
#define SIN_36 0x1.2cf23p-1f

// For odd lengths, sums and differences of elements k and -k.

static inline void dft3(float2 *x, int back)
{
    float2 sum = x[1] + x[2], turned = quarter((x[1] - x[2]) * SIN_60, back);
    float2 middle = x[0] - 0.5f * sum;
    x[0] += sum;
    x[1] = middle + turned;
    x[2] = middle - turned;
}

static inline void dft5(float2 *x, int back)
{
    float2 s = x[1] + x[4], d = x[1] - x[4], t = x[2] + x[3], e = x[2] - x[3];
    float2 a = x[0] + COS_72 * s - COS_36 * t, b = x[0] - COS_36 * s + COS_72 * t;
    float2 c = quarter(SIN_72 * d + SIN_36 * e, back), f = quarter(SIN_36 * d - SIN_72 * e, back);
    x[0] += s + t;
    x[1] = a + c;
    x[2] = b + f;
    x[3] = b - f;
    x[4] = a - c;
}

static inline void dft7(float2 *x, int back)
{
    const float c1 = 0x1.3f3a0ep-1f, c2 = -0x1.c7b90ep-3f, c3 = -0x1.cd4bcap-1f;
    const float s1 = 0x1.904c38p-1f, s2 = 0x1.f329cp-1f, s3 = 0x1.bc4c04p-2f;
    float2 s = x[1] + x[6], d = x[1] - x[6], t = x[2] + x[5], e = x[2] - x[5];
    float2 u = x[3] + x[4], f = x[3] - x[4], z = x[0];
    float2 p = z + c1 * s + c2 * t + c3 * u, q = z + c2 * s + c3 * t + c1 * u;
    float2 r = z + c3 * s + c1 * t + c2 * u;
    float2 v = quarter(s1 * d + s2 * e + s3 * f, back), w = quarter(s2 * d - s3 * e - s1 * f, back);
    float2 y = quarter(s3 * d - s1 * e + s2 * f, back);
    x[0] += s + t + u;
    x[1] = p + v;
    x[2] = q + w;
    x[3] = r + y;
    x[4] = r - y;
    x[5] = q - w;
    x[6] = p - v;
}

// Coprime factors A and B of a length need no roots between (Good and Thomas): elements B a + A b
// become bins CA a + CB b, which are a modulo A and b modulo B.
#define COPRIME(A, B, CA, CB)                                                     \
    static inline void dft_##A##_##B(float2 *x, int back)                         \
    {                                                                             \
        float2 y[A][B];                                                           \
        EACH(a, A)                                                                \
        {                                                                         \
            EACH(b, B) y[a][b] = x[(B * a + A * b) % (A * B)];                    \
            dft##B(y[a], back);                                                   \
        }                                                                         \
        EACH(b, B)                                                                \
        {                                                                         \
            dft##A(&y[0][b], &y[1][b]);                                           \
            EACH(a, A) x[(CA * a + CB * b) % (A * B)] = y[a][b];                  \
        }                                                                         \
    }

COPRIME(2, 3, 3, 4)
COPRIME(2, 5, 5, 6)

// Three transforms of 3, the roots between, and three more.
static inline void dft9(float2 *x, int back)
{
    float2 y[3][3];
    EACH(n, 3)
    {
        EACH(m, 3) y[n][m] = x[n + 3 * m];
        dft3(y[n], back);
    }
    y[1][1] = times(y[1][1], (float2)(COS_40, -SIN_40), back);
    y[1][2] = times(y[1][2], (float2)(COS_80, -SIN_80), back);
    y[2][1] = times(y[2][1], (float2)(COS_80, -SIN_80), back);
    y[2][2] = times(y[2][2], (float2)(-COS_20, -SIN_20), back);
    EACH(m, 3)
    {
        float2 z[3] = {y[0][m], y[1][m], y[2][m]};
        dft3(z, back);
        EACH(n, 3) x[m + 3 * n] = z[n];
    }
}
