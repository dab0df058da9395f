/*
 * real.h - the number type of the host's transforms
 *
 * The files of the host's transforms, and those that use them in both types, are compiled twice (the Makefile's list
 * BOTH): in double precision and, with IMF_FFT_FLOAT defined, in floats. Exported names of floats end in _f32, and
 * are used by the same names where IMF_FFT_FLOAT is defined.
 * A batch has the same bytes in both, so that whatever fits a cache does so in both.
 */
#ifndef IMF_FOURIER_REAL_H
#define IMF_FOURIER_REAL_H

#ifdef IMF_FFT_FLOAT
typedef float imf_real;
#define IMF_FFT_BATCH 16
#define IMF_REAL_NAME(name) name##_f32
#define imf_fft_host_create imf_fft_host_create_f32
#define imf_fft_host_free imf_fft_host_free_f32
#define imf_fft_host_work imf_fft_host_work_f32
#define imf_fft_host_positions imf_fft_host_positions_f32
#define imf_fft_host_forward imf_fft_host_forward_f32
#define imf_fft_host_backward imf_fft_host_backward_f32
#define imf_fft_host_run imf_fft_host_run_f32
#define imf_fft_host_prime imf_fft_host_prime_f32
#define imf_fft_host_prime_free imf_fft_host_prime_free_f32
#define imf_fft_host_stage imf_fft_host_stage_f32
#define imf_fft_host_definition imf_fft_host_definition_f32
#define imf_fft_host_twiddle imf_fft_host_twiddle_f32
#define imf_half_plane_blocks imf_half_plane_blocks_f32
#define imf_half_plane_bytes imf_half_plane_bytes_f32
#define imf_half_plane_open imf_half_plane_open_f32
#define imf_half_plane_free imf_half_plane_free_f32
#define imf_half_plane_load imf_half_plane_load_f32
#define imf_half_plane_store imf_half_plane_store_f32
#define imf_half_plane_turn imf_half_plane_turn_f32
#define imf_half_plane_each imf_half_plane_each_f32
#define imf_half_plane_make imf_half_plane_make_f32
#define imf_half_plane_at imf_half_plane_at_f32
#else
typedef double imf_real;
#define IMF_FFT_BATCH 8
#define IMF_REAL_NAME(name) name
#endif

#endif
