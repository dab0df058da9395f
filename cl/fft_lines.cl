// fft_lines.cl - separate one-dimensional transforms in natural order

// Transforms of `count` separate lines of axis.length values, planar, in natural order: order[i] is
// the frequency at scrambled position i. backwards: the inverse, not divided by the length. Each
// work-item has `spare` elements behind its line.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fft_lines(__global float *restrict re, __global float *restrict im,
          const __global float *restrict twiddles, const __global int *restrict order,
          __global vfloat *restrict scratch, struct fft_axis axis, int spare, int count,
          int backwards)
{
    int n = axis.length;
    __global vfloat *work = ELEMENT(scratch, (long)get_group_id(0) * (n + spare));
    __global float *w = (__global float *)work;
    int line = get_group_id(0) * VEC, lines = min(VEC, count - line);
    re += (long)line * n;
    im += (long)line * n;
    for (int i = 0; i < n; i++) {
        int from = backwards ? order[i] : i;
        for (int l = 0; l < VEC; l++) {
            w[(2 * i) * VEC + l] = l < lines ? re[l * n + from] : 0.0f;
            w[(2 * i + 1) * VEC + l] = l < lines ? im[l * n + from] : 0.0f;
        }
    }
    if (backwards)
        INVERSE(work, &axis, twiddles, ELEMENT(work, n));
    else
        FORWARD(work, &axis, twiddles, ELEMENT(work, n));
    for (int i = 0; i < n; i++) {
        int to = backwards ? i : order[i];
        for (int l = 0; l < lines; l++) {
            re[l * n + to] = w[(2 * i) * VEC + l];
            im[l * n + to] = w[(2 * i + 1) * VEC + l];
        }
    }
}
