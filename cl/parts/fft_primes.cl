// fft_primes.cl - stages of transforms whose radix is a prime above 7
//
// Put after fft_stages.cl if a length has such a factor. These stages come first, so that separate
// transforms of a product of 2, 3, 5 and 7 follow them. A butterfly of p elements is
// gathered in `spare` and done in one of two ways.
//
//   by the definition   p about 60 at most. Elements j and p - j have the same cosine and opposite
//                       sines, so their sum and their difference go through (p - 1) / 2 products
//                       for each of (p - 1) / 2 pairs of outputs; sums are taken SHARE terms at a
//                       time, so that errors grow slowly
//   as a convolution    lib/fourier/rader.h: in the order of a generator's powers, by two transforms
//                       of a length without large factors
//
// The inverse is the forward one with real and imaginary parts exchanged.

#define PRIMES 1

// Mirrored by struct imf_fft_prime of fourier/prime.h; all positions count floats (or ints) from the
// beginning of the twiddle factors.
struct fft_prime {
    int radix;
    int orders;           // radix - 1 positions to gather from, as many to scatter to
    int factors;          // pairs: roots of unity, or the convolution's spectrum as it is scrambled
    struct fft_axis axis; // of the convolution; length 0: by the definition
};

#define SHARE 8 // terms of a partial sum

// How elements of a butterfly are read and written: m apart, element k times the k-th factor of tw
// after the butterfly (or before it, by its conjugate, on the way back).
struct fft_spread {
    long m;
    const __global float *tw;
    int back;
};

static inline void prime_load(__global vec *to, const __global vec *w, int k, struct fft_spread s)
{
    const __global vec *p = ELEMENT(w, k * s.m);
    vec re = p[0], im = p[1];
    if (s.back) {
        float c = k ? s.tw[2 * k - 2] : 1.0f, d = k ? s.tw[2 * k - 1] : 0.0f;
        to[1] = k ? re * c + im * d : re;
        to[0] = k ? im * c - re * d : im;
    } else {
        to[0] = re;
        to[1] = im;
    }
}

static inline void prime_store(__global vec *w, int k, vec re, vec im, struct fft_spread s)
{
    __global vec *p = ELEMENT(w, k * s.m);
    if (s.back) {
        p[0] = im;
        p[1] = re;
    } else {
        float c = k ? s.tw[2 * k - 2] : 1.0f, d = k ? s.tw[2 * k - 1] : 0.0f;
        p[0] = k ? re * c - im * d : re;
        p[1] = k ? re * d + im * c : im;
    }
}

// Two pairs of outputs at once, k and l: half the loads.
NOT_INLINE static void prime_pairs(__global vec *w, const __global vec *spare, int k, int l, int p,
                                   const __global float *root, struct fft_spread s)
{
    int pairs = p / 2, at = 0, bt = 0;
    vec sum[8] = {spare[0], spare[1], 0.0f, 0.0f, spare[0], spare[1], 0.0f, 0.0f};
    for (int first = 1; first <= pairs; first += SHARE) {
        vec part[8] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
        for (int j = first; j < min(first + SHARE, pairs + 1); j++) {
            const __global vec *a = ELEMENT(spare, j), *b = ELEMENT(spare, p - j);
            at = at + k < p ? at + k : at + k - p;
            bt = bt + l < p ? bt + l : bt + l - p;
            float c = root[2 * at], d = root[2 * at + 1], e = root[2 * bt], f = root[2 * bt + 1];
            part[0] += a[0] * c;
            part[1] += a[1] * c;
            part[2] += b[0] * d;
            part[3] += b[1] * d;
            part[4] += a[0] * e;
            part[5] += a[1] * e;
            part[6] += b[0] * f;
            part[7] += b[1] * f;
        }
        _Pragma("unroll") for (int i = 0; i < 8; i++) sum[i] += part[i];
    }
    // Roots are cos and -sin: X(k) = sum of s cos - i d sin.
    prime_store(w, k, sum[0] - sum[3], sum[1] + sum[2], s);
    prime_store(w, p - k, sum[0] + sum[3], sum[1] - sum[2], s);
    if (l != k) {
        prime_store(w, l, sum[4] - sum[7], sum[5] + sum[6], s);
        prime_store(w, p - l, sum[4] + sum[7], sum[5] - sum[6], s);
    }
}

NOT_INLINE static void prime_definition(__global vec *w, __global vec *spare,
                                        const struct fft_prime *q, const __global float *tables,
                                        struct fft_spread s)
{
    int p = q->radix, pairs = p / 2;
    for (int k = 0; k < p; k++)
        prime_load(ELEMENT(spare, k), w, k, s);
    vec zero[2] = {spare[0], spare[1]};
    for (int first = 1; first <= pairs; first += SHARE) {
        vec part[2] = {0.0f, 0.0f};
        for (int j = first; j < min(first + SHARE, pairs + 1); j++) {
            __global vec *a = ELEMENT(spare, j), *b = ELEMENT(spare, p - j);
            _Pragma("unroll") for (int i = 0; i < 2; i++)
            {
                vec u = a[i], v = b[i];
                a[i] = u + v;
                b[i] = u - v;
                part[i] += a[i];
            }
        }
        zero[0] += part[0];
        zero[1] += part[1];
    }
    prime_store(w, 0, zero[0], zero[1], s);
    for (int k = 1; k <= pairs; k += 2)
        prime_pairs(w, spare, k, min(k + 1, pairs), p, tables + q->factors, s);
}

NOT_INLINE static void prime_convolution(__global vec *w, __global vec *spare,
                                         const struct fft_prime *q, const __global float *tables,
                                         struct fft_spread s)
{
    int count = q->radix - 1, n = q->axis.length;
    const __global int *gather = (const __global int *)tables + q->orders, *scatter = gather + count;
    const __global float *h = tables + q->factors;
    vec zero[2];
    __global vec *line = ELEMENT(spare, 1);
    prime_load(spare, w, 0, s);
    for (int i = 0; i < count; i++)
        prime_load(ELEMENT(line, i), w, gather[i], s);
    for (int i = count; i < n; i++)
        ELEMENT(line, i)[0] = ELEMENT(line, i)[1] = 0.0f;
    forward(line, &q->axis, q->axis.stages, tables);
    zero[0] = spare[0];
    zero[1] = spare[1];
    prime_store(w, 0, zero[0] + line[0], zero[1] + line[1], s);
    for (int i = 0; i < n; i++, h += 2) {
        __global vec *e = ELEMENT(line, i);
        vec re = e[0], im = e[1];
        e[0] = re * h[0] - im * h[1];
        e[1] = re * h[1] + im * h[0];
    }
    inverse(line, &q->axis, q->axis.stages, tables);
    for (int i = 0; i < count; i++)
        prime_store(w, scatter[i], zero[0] + ELEMENT(line, i)[0], zero[1] + ELEMENT(line, i)[1], s);
}

// A stage of radix R = q->radix over spans of R * m elements.
static void prime_stage(__global vec *w, int length, long m, const __global float *tw,
                        __global vec *spare, const struct fft_prime *q,
                        const __global float *tables, int back)
{
    int p = q->radix;
    for (long j = 0; j < m; j++, tw += 2 * (p - 1)) {
        struct fft_spread s = {m, tw, back};
        for (long at = j; at < length; at += p * m) {
            if (q->axis.length > 0)
                prime_convolution(ELEMENT(w, at), spare, q, tables, s);
            else
                prime_definition(ELEMENT(w, at), spare, q, tables, s);
        }
    }
}

// The description of stage s: there is one for each prime stage, in order.
static struct fft_prime prime_of(const struct fft_axis *axis, int s, const __global float *tables)
{
    return ((const __global struct fft_prime *)(tables + axis->prime_tables))[s];
}

// After the prime stages: separate transforms of *rest elements each; their twiddle factors follow.
static void prime_rest(struct fft_axis *rest, const struct fft_axis *axis)
{
    *rest = *axis;
    rest->stages -= axis->primes;
    for (int s = 0; s < axis->primes; s++) {
        rest->length /= axis->radix[s];
        rest->twiddles += 2 * rest->length * (axis->radix[s] - 1);
    }
    for (int s = 0; s < rest->stages; s++)
        rest->radix[s] = axis->radix[s + axis->primes];
}

// The prime stages of a forward transform.
NOT_INLINE static void prime_stages(__global vec *w, const struct fft_axis *axis,
                                    const __global float *tables, __global vec *spare)
{
    const __global float *tw = tables + axis->twiddles;
    for (int s = 0, m = axis->length; s < axis->primes; s++) {
        struct fft_prime q = prime_of(axis, s, tables);
        m /= q.radix;
        prime_stage(w, axis->length, m, tw, spare, &q, tables, 0);
        tw += 2 * m * (q.radix - 1);
    }
}

// All stages of a transform, and back; spare: imf_fft_prime_spare() elements.
NOT_INLINE static void forward_any(__global vec *w, const struct fft_axis *axis,
                                   const __global float *tables, __global vec *spare)
{
    struct fft_axis rest;
    prime_rest(&rest, axis);
    prime_stages(w, axis, tables, spare);
    for (int block = 0; rest.length > 1 && block < axis->length; block += rest.length)
        forward(ELEMENT(w, block), &rest, rest.stages, tables);
}

NOT_INLINE static void inverse_any(__global vec *w, const struct fft_axis *axis,
                                   const __global float *tables, __global vec *spare)
{
    struct fft_axis rest;
    prime_rest(&rest, axis);
    for (int block = 0; rest.length > 1 && block < axis->length; block += rest.length)
        inverse(ELEMENT(w, block), &rest, rest.stages, tables);
    const __global float *tw = tables + rest.twiddles;
    for (int s = axis->primes, m = rest.length; s-- > 0;) {
        struct fft_prime q = prime_of(axis, s, tables);
        tw -= 2 * m * (q.radix - 1);
        prime_stage(w, axis->length, m, tw, spare, &q, tables, 1);
        m *= q.radix;
    }
}

#undef FORWARD
#undef INVERSE
#define FORWARD(w, axis, tables, spare) forward_any(w, axis, tables, spare)
#define INVERSE(w, axis, tables, spare) inverse_any(w, axis, tables, spare)
