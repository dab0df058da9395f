// fft_chirp.cl - lines of complex values times factors, from one buffer to another

// Mirrored by struct imf_fft_product of fourier/chirp.h; positions and steps count complex values.
struct product {
    long from, from_step, to, to_step;
    int given, wanted; // values read; values written: the others are 0 times their factor
    int exchange_first, exchange_last; // real and imaginary parts, before and after the product
};

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fft_chirp(const __global float2 *in, __global float2 *out, const __global float2 *factors,
          struct product p)
{
    long group = get_group_id(0), groups = get_num_groups(0);
    int end = p.wanted * (group + 1) / groups;
    for (int i = p.wanted * group / groups; i < end; i++) {
        float2 v = i < p.given ? in[p.from + i * p.from_step] : (float2)(0.0f, 0.0f);
        float2 f = i < p.given ? factors[i] : (float2)(0.0f, 0.0f);
        v = p.exchange_first ? v.yx : v;
        float2 product = (float2)(v.x * f.x - v.y * f.y, v.x * f.y + v.y * f.x);
        out[p.to + i * p.to_step] = p.exchange_last ? product.yx : product;
    }
}
