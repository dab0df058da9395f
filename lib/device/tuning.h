/* tuning.h - what differs between devices: shapes of work, and rates */
#ifndef IMF_DEVICE_TUNING_H
#define IMF_DEVICE_TUNING_H

#include "base/image/surface.h"
#include "device/runtime.h"

/* The largest needs of kernels for GPUs: work-items of transforms, local memory of histograms. */
#define IMF_GPU_GROUP 256
#define IMF_GPU_LOCAL 49152

/* The type of sums, which bounds the speed of arithmetic. */
enum imf_width { IMF_WIDTH_16, IMF_WIDTH_32, IMF_WIDTH_INT, IMF_WIDTH_64, IMF_WIDTHS };

/* Rates of kernels for GPUs: direct_gpu.cl, windows, fft_gpu.cl. */
struct imf_gpu_rates {
    double instructions; /* direct: 1e9 a second and unit */
    double bandwidth;    /* direct: GB a second, whole device */
    /* Instructions: of a product with words of four taps, pairs of fp16, packed integers, floats;
     * of loading and widening a sample, packed, as a float, as a float from 16 bits; of the end of
     * a sample, of one kernel, of pairs, of a magnitude. */
    double dot, pair, packed, real;
    double load_packed, load_real, load_wide;
    double end, end_pairs, end_magnitude;
    /* Windows, in instructions. Bit planes: for a sample of a word of bits, for a sum of these, for
     * transposing a sample's byte into planes and back. Histograms: for a run of steps, for a sample
     * of the first window, for the search of a rank. Erosion: for a word of two samples along a row,
     * for a byte down a column and row of a block, for a byte of a run. */
    double bits_sample, bits_sum, bits_transpose;
    double histogram_run, histogram_first, histogram_rank;
    double erode_dilate_row, erode_dilate_column, erode_dilate_run;
    double wait; /* clocks an instruction takes in a work-item without others to hide it */
    double wait_plain,
        wait_loop; /* the same in direct.cl: of a product or operand; of a tap in memory */
    /* Data that one kernel writes and the next reads costs `uncached` times as much above cache_bytes. */
    double uncached, cache_bytes;
    /* fft: nanoseconds of a unit for an element of a line, along y in two kernels and along x in
     * one; factors for each doubling of a column above 256, and for rows above 256. */
    double column, row, long_column, long_row;
    double plane;    /* whole images: nanoseconds of a unit for an element and kernel */
    double fft_ms;   /* fft: launching its kernels, and waiting for the last groups */
    double again_ms; /* fft: launching the kernel that sums again, for every exact problem */
    /* fft: nanoseconds of a unit for a tap of a pixel that is summed again directly; by runs: for a
     * sample of the prefix sums, and for an end of a run of such a pixel. */
    double again, sum, step;
};

/* Filters that are neither sums of products nor ranks: nanoseconds of a unit. */
struct imf_filter_rates {
    double count, count_wide;    /* counting and looking up a sample of 256 values, or of more */
    double clahe, clahe_map;     /* a pixel of one channel; a byte of all maps */
    double guided;               /* a sample, whatever the radius */
    double threshold;            /* local: the same */
    double weight, weight_color; /* bilateral: a pixel's weight; each channel that it weighs */
    double canny, canny_tap;     /* a sample; a tap of the Gaussian */
};

struct imf_tuning {
    const char *name;
    bool measured; /* on this device; false: shipped */
    uint32_t
        determined; /* if measured: bits of the rows of imf_rate_rows() that were determined; the others follow them */
    /* Right after measuring: the number of times measured, and wanted; the mean factor between times
     * and estimates, with these rates and with the shipped ones. */
    unsigned times, wanted;
    double off, shipped_off;
    /* Shapes. */
    int vec[IMF_WIDTHS];           /* samples a work-item, by type of the sums */
    int separable_vec[IMF_WIDTHS]; /* the same for separable kernels, one register */
    int registers;        /* sums of vec samples that fit in registers; with more, vec halves */
    int kept[IMF_WIDTHS]; /* direct: rows of sums, by their type, that stay in registers */
    int group;            /* work-items a work-group, along a row */
    int least_rows;       /* output rows a work-item computes, for the lowest kernels */
    int rows;             /* and at most */
    bool two_passes; /* separable: rows and columns are two kernels with a buffer between them */
    double groups_per_unit; /* work-groups that keep a compute unit busy */
    size_t band_bytes;      /* surfaces between passes, in all; 0: whatever memory holds */
    unsigned clock_mhz;     /* clock of the rates; 0: they hold for any clock */
    /* Rates: 1e9 samples (times taps) a second and compute unit. */
    double product[IMF_WIDTHS];        /* direct: multiply-adds with operands in registers */
    double operand[IMF_WIDTHS];        /* direct: loading and widening a sample or mirrored pair */
    double row_product[IMF_WIDTHS];    /* separable: multiply-adds along the rows */
    double column_product[IMF_WIDTHS]; /* separable: and down the columns */
    double term;                       /* separable: a sample of each term but the first */
    double term_product;               /* cost of its products relative to the first term's */
    double middle;       /* separable: writing a sample to the buffer and reading it */
    double loop_product; /* multiply-adds with taps from memory */
    double finish;       /* scaling, rounding, saturating and storing a sample */
    double divide;       /* exact division by a scale that is not 1 */
    double root;         /* square roots of magnitudes */
    double turn;         /* arc tangents of directions */
    double bandwidth;    /* GB a second to and from memory, whole device */
    double point;        /* a pass of point operations */
    double launch_ms;    /* launching one kernel, and waiting for it */
    double next_ms;      /* launching another after it */
    /* Factors of the time of the same work. */
    double spill; /* direct: unrolled, with sums that do not fit in registers */
    double wide;  /* direct: taps from memory, sums of 64 bits */
    /* Transforms: nanoseconds of a compute unit. */
    double fft_stages; /* times imf_fft_stage_ns, for each element */
    double fft_output; /* loading, transposing and storing an output sample */
    double fft_exact;  /* proving an exact sum in integers and dividing it, an output sample */
    double fft_start;  /* a channel of a pair of tiles: cache lines and pages touched first */
    double fft_miss;   /* cache misses of an element, by the megabytes of a plane above the first */
    double fft_miss_most;
    double fft_again; /* a tap of a pixel that is summed again directly */
    /* Whole-image transforms: nanoseconds a sample and unit. */
    double spectral_doubling; /* of the number of elements */
    double spectral_sample;
    struct imf_filter_rates filters;
    /* Costs besides arithmetic. */
    double open_ms;           /* the platform, a context */
    double program_ms;        /* loading a stored program */
    double link;              /* GB a second between the host and a device with its own memory */
    double driver_bytes;      /* host memory of the driver in this process */
    struct imf_gpu_rates gpu; /* of programs for GPUs only */
};

/* Host memory that a driver takes, once, to compile a kernel that is not in the cache: nine programs by PoCL
 * 3.1, 143 to 161 MiB more than when they are. */
#define IMF_COMPILE_BYTES 173e6

/* The host solver's nanoseconds, on one core. */
struct imf_host_rates {
    double bilateral;   /* a weight, and the samples that it weighs */
    double denoise[2];  /* a sample: by blocks, by groups of them */
    double window;      /* a sample of a window: gathering it and selecting the rank */
    double sample, tap; /* a sample: conversion, epilogue and rounding; each tap */
    double point;       /* a pass of point operations, a sample */
    double doubling,
        values; /* transforms, forward and back: a point for each doubling of the length; loading and storing a
                                sample */
    double gain;                    /* the transfer function's value of a frequency */
    double table;                   /* counting and looking up a sample */
    double phase;                   /* an arc tangent */
    double canny, canny_tap;        /* a sample; a pair of smoothing taps */
    double descreen, descreen_wave; /* a sample's search for patterns; each wave that is fitted */
    double component;               /* a sample that is sorted and joins what touches it */
};
extern const struct imf_host_rates imf_host_rates;

/* The same of solver/convolution/vector.c and the other solvers of the host's vectors. */
struct imf_vector_rates {
    double end, floats; /* a sample's epilogue, with loads and stores; what floats add to it */
    double narrow;      /* a product in 16 bits */
    double real, pair;  /* a product in floats, of a sample or of a mirrored pair */
    double middle, middle_pair; /* the same of the sums between the column and the row */
    double dense, dense_sample; /* a product of a dense kernel; a sample of it */
    double move;                /* a sample of the coarse grid's interpolation or decimation */
    double divide, root;        /* a sample's exact quotient, its magnitude's root */
    double phase;               /* the direction of a byte; 1.5 times that for other samples */
    double canny, canny_wide;   /* a sample of 8 bits; of 16 bits or more */
    double canny_tap;           /* a pair of taps of the Gaussian */
    double map, point,
        curve; /* point passes: a sample through a table, through arithmetic, through a curve */
    double clahe, clahe_color; /* a pixel of one channel; each further channel */
    double clahe_map;          /* a byte of all tiles' maps */
    double table, wide_table;  /* counting and looking up a byte, or another sample */
    double run,
        run_group; /* large kernels by runs: both ends of a run, a byte; the sum of a group */
    double run_prefix, run_end; /* a prefix sum; a sample's epilogue */
    double run_part;            /* a part's sum in float64 */
    double start_ms;            /* milliseconds to start threads */
    /* Windows, measured as processor time of 12 Mpixel of noisy RGB less that of a 1x1 window.
     * A byte of a sample: its epilogue; the minimum with another row. */
    double window_end, erode_dilate;
    double network3, network5, bisection; /* a median of 3x3, of 5x5; any rank: a bit of a sample */
    double incremental; /* a rank that is updated from row to row, besides such bits */
    double tiles_sample,
        tiles_store; /* sorting networks of tiles: interleaving a byte, a comparison writing one */
    double edge;     /* a sample that enters or leaves a window that is not a rectangle */
    /* Sorting a digit of a sample; searching a sample in a part, and an ordinal. */
    double sorted, sorted_look, sorted_ordinal;
    double histogram, histogram_column; /* a sample's rank; its column's histogram */
    double weight, weight_color; /* a weight of a pair of pixels; each channel that it weighs */
    double weight_float64; /* a weight of a pixel in float64, and the samples that it weighs */
    double guided;         /* a sample, whatever the radius */
    double threshold;      /* local: the same */
    double denoise[2];     /* a sample: by blocks, by groups of them */
    double lanes;          /* interleaving a sample for vectors, and back */
    double window_finish;  /* converting a sample to another type or value */
};
extern const struct imf_vector_rates imf_vector_rates;

/* Of solver/convolution/gles.c: nanoseconds of a core where the processor draws. A GPU is assumed
 * to take half of them for a fetch (not measured). */
struct imf_gles_rates {
    double texel;        /* upload, download and epilogue of a texel */
    double fetch;        /* reading a texel, with its products */
    double run_ms;       /* milliseconds: setting up a band, waiting for it */
    double open_ms;      /* the libraries, a context, a program */
    double driver_bytes; /* host memory of the driver in this process */
    double program_bytes,
        vector_bytes; /* more while it compiles: a program, and each vector of taps */
};
extern const struct imf_gles_rates imf_gles_rates;

/* Nanoseconds of a core for one element of a stage of the radix, in a tile that fits the cache. */
enum { IMF_FFT_RADIX_MOST = 16 };
extern const double imf_fft_stage_ns[IMF_FFT_RADIX_MOST + 1];
/* Lines of any length that go through memory: the factor of imf_fft_stage_ns; nanoseconds for loading
 * and storing a value; nanoseconds, times the prime, for a prime radix by the definition. */
#define IMF_FFT_LINE 2.0
#define IMF_FFT_MEMORY_NS 0.8
#define IMF_FFT_DEFINITION_NS 0.085

/* The device's measured rates, or the shipped ones of its kind. Threads may call this while others
 * publish. */
const struct imf_tuning *imf_tuning(const struct imf_device *d);

/* Set the device's rates, which must stay valid as long as the device; NULL: the shipped ones. */
void imf_tuning_publish(struct imf_device *d, const struct imf_tuning *tuning);

/* Milliseconds that opening it takes. */
double imf_tuning_open_ms(const struct imf_device *d);

/* Compute units, scaled by their clock relative to that of the rates. */
double imf_tuning_units(const struct imf_device *d);

/* GHz of a GPU. */
double imf_tuning_clock(const struct imf_device *d);

/* A whole device's GB a second, scaled to a GPU's units, clock and kind of memory. */
double imf_tuning_bandwidth(const struct imf_device *d, double rate);

/* Bytes of each of `samples` samples that pass from kernel to kernel, weighted for cache misses. */
double imf_tuning_passed(const struct imf_tuning *t, enum imf_sample sample, double samples);
/* Work-items a work-group, as the device allows. */
size_t imf_tuning_group(const struct imf_device *d);

/* Samples a work-item should take when it keeps `sums` sums of each. */
int imf_tuning_vec(const struct imf_tuning *t, enum imf_width width, int sums);

/* Output rows a work-item should take, so that a small image still occupies every unit.
 * groups: work-groups across; reach: input rows of an output row. */
int imf_tuning_rows(const struct imf_tuning *t, const struct imf_device *d, size_t groups,
                    int height, int reach);

/* Bytes that the surfaces between passes may take in all. */
size_t imf_tuning_band_bytes(const struct imf_device *d);

#endif
