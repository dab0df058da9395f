// fft_channels.cl - VEC neighbouring samples of one channel, from and to rows of pixels

#ifndef CHANNELS
#define CHANNELS 1 // samples of a pixel
#endif

// VEC samples of one channel. Swizzles of whole loads become byte shuffles.
typedef CAT(IN_T, 16) vin16_any __attribute__((aligned(IN / 8)));

static inline vin gather(const __global IN_T *p)
{
#if CHANNELS == 1
    return load_in(p);
#elif CHANNELS == 2
    CAT(IN_T, 16) a = *(const __global vin16_any *)p;
    return a.even;
#elif CHANNELS == 3
    CAT(IN_T, 16) a = *(const __global vin16_any *)p, b = *(const __global vin16_any *)(p + 8);
    return (vin)(a.s0369, a.scf, b.sad);
#elif CHANNELS == 4
    CAT(IN_T, 16) a = *(const __global vin16_any *)p, b = *(const __global vin16_any *)(p + 16);
    return (vin)(a.s048c, b.s048c);
#endif
}

#if CHANNELS == 3
typedef CAT(OUT_T, 16) vout16_any __attribute__((aligned(OUT / 8)));
#endif

static inline void scatter(__global OUT_T *p, vout v)
{
#if CHANNELS == 1
    store_out(p, v);
#elif CHANNELS == 3 && OUT == 8
    // The other channels' samples between these are read and written back: two vectors, not eight
    // bytes.
    uchar16 a = *(const __global vout16_any *)p;
    uchar8 b = *(const __global vout_any *)(p + 14);
    *(__global vout16_any *)p = (uchar16)(v.s0, a.s12, v.s1, a.s45, v.s2, a.s78, v.s3, a.sab, v.s4,
                                          a.sde, v.s5);
    *(__global vout_any *)(p + 14) = (uchar8)(b.s0, v.s5, b.s23, v.s6, b.s56, v.s7);
#else
    _Pragma("unroll") for (int l = 0; l < VEC; l++)
        p[l * CHANNELS] = ((OUT_T *)&v)[l];
#endif
}
