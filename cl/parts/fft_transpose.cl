// fft_transpose.cl - blocks of VEC x VEC elements between lines along y and lines along x
//
// Put after fft_stages.cl; for tiles (fft.cl).

// One step of a transpose: the off-diagonal quarters of each pair of vectors change places.
#define SWAP_4(a, b) (vec)(a.lo, b.lo), (vec)(a.hi, b.hi)
#define SWAP_2(a, b) (vec)(a.s01, b.s01, a.s45, b.s45), (vec)(a.s23, b.s23, a.s67, b.s67)
#define SWAP_1(a, b) (vec)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6), \
                     (vec)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7)

#define SWAP_ALL(t, distance)                                                 \
    _Pragma("unroll") for (int k = 0; k < VEC; k++)                           \
    {                                                                         \
        if ((k & distance) == 0) {                                            \
            vec pair[2] = {SWAP_##distance(t[k], t[k + distance])};        \
            t[k] = pair[0];                                                   \
            t[k + distance] = pair[1];                                        \
        }                                                                     \
    }

static inline void transpose(vec *t)
{
    SWAP_ALL(t, 4)
    SWAP_ALL(t, 2)
    SWAP_ALL(t, 1)
}

// Copy the spectra of VEC columns from work into the plane, or (back) from the plane into work.
NOT_INLINE static void exchange(__global vec *work, __global vec *plane, int nx, int ny, bool back)
{
    for (int y = 0; y < ny; y += VEC, work += 2 * VEC, plane += 2 * nx) {
        for (int part = 0; part < 2; part++) {
            vec t[VEC];
            _Pragma("unroll") for (int l = 0; l < VEC; l++)
                t[l] = ELEMENT(back ? plane : work, l)[part];
            transpose(t);
            _Pragma("unroll") for (int l = 0; l < VEC; l++)
                ELEMENT(back ? work : plane, l)[part] = t[l];
        }
    }
}
