/*
 * real.h - the number type of the host's transforms
 *
 * The files of the host's transforms, and those that use them in both types, are compiled twice (the Makefile's list
 * BOTH): in double precision and, with IMF_FFT_FLOAT defined, in floats. What they export has one name in the text
 * and two in programs and debuggers, which end in _f64 and _f32.
 * A batch has the same bytes in both, so that whatever fits a cache does so in both.
 */
#ifndef IMF_FOURIER_REAL_H
#define IMF_FOURIER_REAL_H

#ifdef IMF_FFT_FLOAT
typedef float imf_real;
#define IMF_FFT_BATCH 16
#define IMF_REAL_NAME(name) name##_f32
#else
typedef double imf_real;
#define IMF_FFT_BATCH 8
#define IMF_REAL_NAME(name) name##_f64
#endif

#define imf_fft_host IMF_REAL_NAME(imf_fft_host)
#define imf_half_plane IMF_REAL_NAME(imf_half_plane)
#define imf_fft_host_create IMF_REAL_NAME(imf_fft_host_create)
#define imf_fft_host_free IMF_REAL_NAME(imf_fft_host_free)
#define imf_fft_host_work IMF_REAL_NAME(imf_fft_host_work)
#define imf_fft_host_positions IMF_REAL_NAME(imf_fft_host_positions)
#define imf_fft_host_forward IMF_REAL_NAME(imf_fft_host_forward)
#define imf_fft_host_backward IMF_REAL_NAME(imf_fft_host_backward)
#define imf_fft_host_run IMF_REAL_NAME(imf_fft_host_run)
#define imf_fft_host_prime IMF_REAL_NAME(imf_fft_host_prime)
#define imf_fft_host_prime_free IMF_REAL_NAME(imf_fft_host_prime_free)
#define imf_fft_host_stage IMF_REAL_NAME(imf_fft_host_stage)
#define imf_fft_host_definition IMF_REAL_NAME(imf_fft_host_definition)
#define imf_fft_host_twiddle IMF_REAL_NAME(imf_fft_host_twiddle)
#define imf_half_plane_blocks IMF_REAL_NAME(imf_half_plane_blocks)
#define imf_half_plane_bytes IMF_REAL_NAME(imf_half_plane_bytes)
#define imf_half_plane_open IMF_REAL_NAME(imf_half_plane_open)
#define imf_half_plane_free IMF_REAL_NAME(imf_half_plane_free)
#define imf_half_plane_load IMF_REAL_NAME(imf_half_plane_load)
#define imf_half_plane_store IMF_REAL_NAME(imf_half_plane_store)
#define imf_half_plane_turn IMF_REAL_NAME(imf_half_plane_turn)
#define imf_half_plane_each IMF_REAL_NAME(imf_half_plane_each)
#define imf_half_plane_make IMF_REAL_NAME(imf_half_plane_make)
#define imf_half_plane_at IMF_REAL_NAME(imf_half_plane_at)

#endif
