// fft_transpose.cl - blocks of VEC x VEC elements between lines along y and lines along x
//
// Put after fft_stages.cl; for tiles (fft.cl).

// One step of a transpose: the off-diagonal quarters of each pair of vectors change places.
#if VEC == 16
#define EVEN(a) a.s0, a.s2, a.s4, a.s6, a.s8, a.sa, a.sc, a.se
#define SWAP_8(a, b) (vec)(a.lo, b.lo), (vec)(a.hi, b.hi)
#define SWAP_4(a, b) (vec)(a.s0123, b.s0123, a.s89ab, b.s89ab), \
                     (vec)(a.s4567, b.s4567, a.scdef, b.scdef)
#define SWAP_2(a, b) (vec)(a.s01, b.s01, a.s45, b.s45, a.s89, b.s89, a.scd, b.scd), \
                     (vec)(a.s23, b.s23, a.s67, b.s67, a.sab, b.sab, a.sef, b.sef)
#define SWAP_1(a, b) (vec)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6, \
                              a.s8, b.s8, a.sa, b.sa, a.sc, b.sc, a.se, b.se), \
                     (vec)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7, \
                              a.s9, b.s9, a.sb, b.sb, a.sd, b.sd, a.sf, b.sf)
#elif VEC == 8
#define SWAP_4(a, b) (vec)(a.lo, b.lo), (vec)(a.hi, b.hi)
#define SWAP_2(a, b) (vec)(a.s01, b.s01, a.s45, b.s45), (vec)(a.s23, b.s23, a.s67, b.s67)
#define SWAP_1(a, b) (vec)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6), \
                     (vec)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7)
#elif VEC == 4
#define SWAP_2(a, b) (vec)(a.lo, b.lo), (vec)(a.hi, b.hi)
#define SWAP_1(a, b) (vec)(a.s0, b.s0, a.s2, b.s2), (vec)(a.s1, b.s1, a.s3, b.s3)
#endif

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
#if VEC >= 16
    SWAP_ALL(t, 8)
#endif
#if VEC >= 8
    SWAP_ALL(t, 4)
#endif
    SWAP_ALL(t, 2)
    SWAP_ALL(t, 1)
}

// Spectra of VEC columns from work into the plane, or (back) from the plane into work.
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
