/* tuning.h - what differs between devices: shapes of work, and how fast it goes */
#ifndef IMF_DEVICE_TUNING_H
#define IMF_DEVICE_TUNING_H

#include "base/surface.h"
#include "device/runtime.h"

/* What the greediest kernels for GPUs take: transforms' work-items, histograms' local memory. */
#define IMF_GPU_GROUP 256
#define IMF_GPU_LOCAL 49152

/* The type of sums: what bounds the speed of arithmetic. */
enum imf_width { IMF_WIDTH_16, IMF_WIDTH_32, IMF_WIDTH_INT, IMF_WIDTH_64, IMF_WIDTHS };

/* What cl/direct_gpu.cl and cl/fft_gpu.cl take. */
struct imf_gpu_rates {
    double instructions; /* direct: 1e9 a second and unit */
    double bandwidth;    /* direct: GB a second, whole device */
    /* Instructions: of a product with words of four taps, pairs of fp16, packed integers, floats;
     * of loading and widening a sample, packed, as a float, as a float from 16 bits; of the end of
     * a sample, of one kernel, of pairs, of a magnitude. */
    double dot, pair, packed, real;
    double load_packed, load_real, load_wide;
    double end, end_pairs, end_magnitude;
    /* Windows: of a sample of a word of bits and of a sum of these, of turning a sample's byte into
     * planes and back; of a run of a histogram's steps, of a sample of its first window, of a rank
     * that is looked for; of a word of two samples along a row, of a byte down a column for each row of a block, of a byte of a run. */
    double bits_sample, bits_sum, bits_turn;
    double histogram_run, histogram_first, histogram_rank;
    double erode_dilate_row, erode_dilate_column, erode_dilate_run;
    double wait; /* clocks, for a sample's instruction in a work-item that is alone; */
    double wait_plain, wait_loop; /* in direct.cl: a product or operand; a tap in memory */
    /* What passes through memory between two kernels costs `uncached` times as much above
     * cache_bytes. */
    double uncached, cache_bytes;
    /* fft: nanoseconds of a unit for an element of a line, along y in two kernels and along x in
     * one; factors for each doubling of a column above 256, and for rows above 256. */
    double column, row, long_column, long_row;
    double plane;    /* whole images: nanoseconds of a unit for an element and kernel */
    double fft_ms;   /* fft: starting its kernels, and waiting for the last groups */
    double again_ms; /* fft: the kernel for these, which is started for every exact problem */
    /* fft: nanoseconds of a unit for a tap of a pixel that is summed again; or for a sample that is
     * added to those before it in its row, and for an end of a run of a pixel that is summed again. */
    double again, sum, step;
};

/* Filters that are neither sums of products nor ranks: nanoseconds of a unit. */
struct imf_filter_rates {
    double count, count_wide;    /* a sample of 256 values, or more, counted and looked up */
    double guided;               /* a sample of lines, whatever the radius */
    double weight, weight_color; /* bilateral: a pixel's weight; each of what it weighs */
    double canny, canny_tap;     /* a sample among which edges are found, a tap of the Gaussian */
};

struct imf_tuning {
    const char *name;
    bool measured;       /* on this device, not shipped */
    uint32_t determined; /* if so: which of imf_rate_rows(), as bits; others went with these */
    /* Just now: by so many times, of those wanted; by what factor estimates differ from these, and did. */
    unsigned times, wanted;
    double off, shipped_off;
    /* Shapes. */
    int vec[IMF_WIDTHS];           /* samples a work-item, by type of the sums */
    int separable_vec[IMF_WIDTHS]; /* the same for separable kernels: one register */
    int registers;          /* sums of vec samples that fit in registers; with more, vec halves */
    int kept[IMF_WIDTHS];   /* direct: rows of sums, by their type, that do not wait in memory */
    int group;              /* work-items a work-group, along a row */
    int least_rows;         /* output rows a work-item walks over, for the lowest kernels */
    int rows;               /* and at most */
    bool two_passes;        /* separable: through a buffer in memory, not in a work-item */
    double groups_per_unit; /* work-groups that keep a compute unit busy */
    size_t band_bytes;      /* surfaces between passes, in all; 0: whatever memory holds */
    unsigned clock_mhz;     /* that the rates are for; 0: whatever the device's is */
    /* Rates: 1e9 samples (times taps) a second and compute unit. */
    double product[IMF_WIDTHS];        /* direct: multiply-adds of operands in registers */
    double operand[IMF_WIDTHS];        /* direct: loading and widening a sample or mirrored pair */
    double row_product[IMF_WIDTHS];    /* separable: multiply-adds along the rows */
    double column_product[IMF_WIDTHS]; /* separable: and down the columns */
    double term;                       /* separable: a sample of each term but the first */
    double term_product;               /* and its products' cost, in those of the first's */
    double middle;                     /* separable: passing a sample through the buffer */
    double loop_product;               /* multiply-adds with taps from memory */
    double finish;                     /* scaling, rounding, saturating and storing a sample */
    double divide;                     /* exact division by a scale that is not 1 */
    double root;                       /* square roots of magnitudes */
    double turn;                       /* arc tangents of directions */
    double bandwidth;                  /* GB a second to and from memory, whole device */
    double point;                      /* a pass of point operations */
    double launch_ms;                  /* starting one kernel, and waiting for it */
    double next_ms;                    /* starting another behind it */
    /* Factors: times the time of the same work otherwise. */
    double spill; /* direct: unrolled, with sums that wait in memory */
    double wide;  /* direct: taps from memory, sums of 64 bits */
    /* Transforms in a compute unit: its nanoseconds. */
    double fft_stages; /* times imf_fft_stage_ns, for each element */
    double fft_output; /* loading, transposing and storing an output sample */
    double fft_exact;  /* proving an exact sum in integers and dividing it, an output sample */
    double fft_start;  /* a channel of a pair of tiles: lines and pages that none has fetched yet */
    double fft_miss;   /* cache misses of an element, by the megabytes of a plane above the first */
    double fft_miss_most;
    double fft_again; /* a tap of a pixel that is summed again */
    /* Whole-image transforms: nanoseconds a sample and unit. */
    double spectral_doubling; /* of the number of elements */
    double spectral_sample;
    struct imf_filter_rates filters;
    /* What a device costs beside the arithmetic. */
    double open_ms;           /* the platform, a context */
    double program_ms;        /* loading a stored program */
    double link;              /* GB a second between the host and memory that it does not share */
    double driver_bytes;      /* that the driver takes in this process */
    struct imf_gpu_rates gpu; /* of programs for GPUs only */
};

/* The host solver's nanoseconds, on one core. */
struct imf_host_rates {
    double bilateral;        /* a weight, and what it weighs */
    double window;           /* each sample of a window, to gather it and find the rank */
    double sample, tap;      /* widening, the end and rounding of a sample; each tap of it */
    double point;            /* a pass of point operations, a sample */
    double doubling, values; /* transforms, there and back: a point for each doubling of their
                                number; loading and storing a sample */
    double gain;             /* the transfer function's value of a frequency */
    double table;            /* a sample, counted and looked up in a table */
    double phase;            /* an arc tangent */
    double canny, canny_tap; /* a sample among which edges are found, a pair of smoothing taps */
};
extern const struct imf_host_rates imf_host_rates;

/* Of solver/convolution/vector.c, likewise. */
struct imf_vector_rates {
    double end, floats;         /* a sample's end, with its loads and stores; more but in 16 bits */
    double narrow;              /* a product in 16 bits; */
    double real, pair;          /* in floats, of a sample or a pair of the image's; */
    double middle, middle_pair; /* of sums between a column and a row */
    double dense, dense_sample; /* a product of a dense kernel; a sample of it */
    double move;                /* a sample to or from those of its place between coarse ones */
    double divide, root;        /* a sample's exact quotient, its magnitude's root */
    double phase;               /* a byte's direction; half as long again for others */
    double canny, canny_wide;   /* a sample among which edges are found, in 16 bits or more, */
    double canny_tap;           /* and a pair of taps of the Gaussian before */
    double map, point, curve; /* point passes: a sample by a table, by steps, to the light curve */
    double table, wide_table; /* a byte, or another sample, counted and looked up in a table */
    double run, run_group;    /* large kernels: a byte of a run's two ends, of a group's sum; */
    double run_prefix, run_end; /* a prefix sum, a sample's end, */
    double run_part;            /* a part's sum in float64 */
    double start_ms;            /* milliseconds that threads take to start */
    /* Windows, measured as processor time of 12 Mpixel of noisy RGB less that of a 1x1 window.
     * A byte of a sample: its end; a row of which the lesser are taken. */
    double window_end, erode_dilate;
    double network3, network5, bisection; /* a median of 3x3, of 5x5; a sample's bit of any rank */
    double incremental;                   /* a rank from row to row, besides such bits */
    double tiles_sample,
        tiles_store; /* networks of tiles: interleaving a byte, a step writing one */
    double edge;     /* a sample that enters or leaves a window that is no rectangle */
    /* A sample's digit that is sorted; looking for one in a part, and for an ordinal. */
    double sorted, sorted_look, sorted_ordinal;
    double histogram, histogram_column; /* a sample's rank, its column's histogram */
    double weight, weight_color; /* a pixel's weight, for two pixels; each of what it weighs */
    double guided;               /* a sample, whatever the radius */
    double lanes;                /* a sample dealt to lanes, and taken back */
    double window_finish;        /* a sample that becomes one of another type or value */
};
extern const struct imf_vector_rates imf_vector_rates;

/* Of solver/convolution/gles.c, whatever the device: nanoseconds of a core where the processor draws; a fetch half
 * of them, as a GPU that is worth its name is twice as fast at least (measured on none). */
struct imf_gles_rates {
    double texel;                       /* there and back, and its end */
    double fetch;                       /* one that is read, with its products */
    double run_ms;                      /* milliseconds: setting up a band, waiting for it */
    double open_ms;                     /* the libraries, a context, a program */
    double driver_bytes;                /* that the driver takes in this process, */
    double program_bytes, vector_bytes; /* while it compiles a program, for each vector of taps */
};
extern const struct imf_gles_rates imf_gles_rates;

/* Nanoseconds of a core for an element's share of a stage of the radix, in a tile that stays in
 * the cache. */
enum { IMF_FFT_RADIX_MOST = 16 };
extern const double imf_fft_stage_ns[IMF_FFT_RADIX_MOST + 1];
/* Lines of any length that go through memory: times imf_fft_stage_ns; nanoseconds for loading and
 * storing a value; for a prime radix of which the transform is done by its definition, times the
 * prime. */
#define IMF_FFT_LINE 2.0
#define IMF_FFT_MEMORY_NS 0.8
#define IMF_FFT_DEFINITION_NS 0.085

/* The device's own, or what is shipped for its kind. Threads may ask while others publish. */
const struct imf_tuning *imf_tuning(const struct imf_device *d);

/* Rates that stay valid as long as the device; NULL: what is shipped. */
void imf_tuning_publish(struct imf_device *d, const struct imf_tuning *tuning);

/* Milliseconds that opening it takes. */
double imf_tuning_open_ms(const struct imf_device *d);

/* Compute units, each counted by its clock over that of the rates. */
double imf_tuning_units(const struct imf_device *d);

/* GHz of a GPU. */
double imf_tuning_clock(const struct imf_device *d);

/* GB a second that are left of a rate for a whole device: GPUs differ in memory as they do in units
 * and clock. */
double imf_tuning_bandwidth(const struct imf_device *d, double rate);

/* Bytes of each of so many samples, or what takes as long to pass from kernel to kernel. */
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
