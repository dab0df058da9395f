/*
 * tuning.c - the table of devices' shapes and rates
 *
 * CPU: measured with PoCL 3.1 on two cores of a shared AMD EPYC (Zen 3, AVX2), CPU time for 36
 * million 8-bit samples (4000x3000 RGB) over two:
 *
 *   sharpen 3x3 (16-bit) 2.1 ms; Sobel magnitude 8.8; copy of the pixels 1.9
 *   disk 5x5 15 ms, 7x7 25, 9x9 38, 11x11 47 (15, 26, 39, 55 products and 3 to 6 operands a sample)
 *   disk 31x31 of 1000x750 with taps in memory 29 ms (961 products)
 *   separable, real: 9 + 9 taps 12.0 ms, 17 + 17 19.6, 41 + 41 45.5
 *   sums of products: 9 + 9 and a single tap 14.7 ms, 25 + 25 and a single tap 31.2, 17 + 17 and
 *   9 + 9 33.5, twice 21 + 21 60
 *   separable, 16-bit with a division: 3 + 3 13.5 ms, 5 + 5 14.4, 7 + 7 15.8
 *   transforms, vectors of eight: disks of radius 7 to 100, Gaussians up to sigma 50, each with
 *   several sizes of tiles: most come within 12 %, all within 20 % of the rates below
 *   directions 3x3 0.8 ns of a core a sample (on Zen 4, of 18 million bytes)
 *   whole-image transforms 4 to 6 ns a sample; a point pass 0.7; a tap that is summed again 0.25
 *   loading the platform and a stored program 22 to 40 ms, leaving it 15, a stored program and
 *   its first run 5 to 30
 *
 * The host's float64 sums, on one core with AVX-512: 0.14 to 0.18 ns a tap and 1.25 a sample (with
 * SSE2 0.7 to 1.3, and 6); processor time of transforms there and back 0.3 to 0.42 ns a point and doubling (twice that with
 * SSE2), a gain 48 (gaussian) to 72 (butterworth); in time on two cores that share memory a third more.
 *
 * Vectors of the host: processor time on an AMD EPYC (Zen 4), gcc 12, of 36 million 8-bit samples:
 * sharpen 11 ms, 3x3 with nine taps 15, with a scale of 16 25, box:3 29, box:5 31, Sobel magnitude
 * 34, blur:1 (9 + 9 taps) 44, blur:2 (17 + 17) 65, 41 + 41 taps 150, disk:2 33; on a coarse grid
 * blur:5 103, blur:10 77, blur:20 68, of which moves along rows take 7 to 10. AVX2 takes a
 * tenth longer; SSE2 1.3 times as long in 16 bits and twice in floats. Disks by runs, of 32 million
 * samples: radii of 5, 15, 31 and 60 of bytes 75, 112, 157 and 345 ms, of 15, 31, 60 and 100 of 16 bits
 * 157, 242, 425 and 828.
 *
 * CPU whose vectors hold 16 floats: PoCL 3.1 on two cores of an AMD EPYC (Zen 4, AVX-512), as fitted
 * by --tune: the means of two runs of 50 times each, from which estimates differ by 7 and 8 %. The
 * same filters differ by 37 to 46 % from the rates above. Kernels of 11 rows of 16-bit sums
 * and of 13 of floats take four times as long a product as those of 9 and 11 (2000x1500 RGB: 10.6
 * and 2.9 ms, 27.8 and 7.0). Large tiles miss the cache as on Zen 3, more than the fit says (0.2):
 * blur:20 takes 72 ms in tiles of 512x672 and 90 in those of 512x960.
 * Vectors have 16 samples, two AVX2 registers of floats: wider strips halve the loads a product. 8
 * samples are used where the sums of 16 would not fit the 16 registers. A work-item that computes
 * h^2 output rows of a kernel h rows high spends 1/h of its time on rows that its neighbour also
 * reads; low kernels are bound by memory and prefer few rows, whose cache lines are still warm.
 *
 * Bands: ms for 12 megapixels by megabytes between passes, on an AMD EPYC with 32 MB of last-level
 * cache, two cores; the last column is one band, of 144 MB a surface:
 *
 *                                  4     8    12    16    24    32    64   all
 *   --linear blur:2             48.0  45.6  45.3  44.0  44.1  45.5  46.9  46.6
 *   --linear unsharp:sigma=2    53.1  49.5  49.4  48.8  48.1  50.0  51.2  51.1
 *   blur:2, sobel               82.2  81.8  81.6  82.7  83.0  83.2  83.6  83.2
 *
 * GPU: measured on an NVIDIA H200 (132 units) for 4096x3072 RGB: sharpen 0.084 ms, Sobel magnitude
 * 0.10, disks 5x5 0.090 ms, 7x7 0.110, 11x11 0.177, 15x15 0.289; 31x31 with taps in memory 7.5;
 * highpass (whole-image transforms as for a CPU) 35.6; opening a context 145, transfers not pinned 10
 * GB a second; tiles made for a CPU take 50 times as long as on one of its cores. separable 9 + 9
 * taps 0.50 ms, 17 + 17 0.56, 41 + 41 0.76. One sample a work-item: neighbours' loads coalesce at any
 * alignment, while a vector load at an odd address would be split into bytes.
 */
#include "device/tuning.h"

#include <math.h>

/* Of the 48 megapixels below: dense 3x3 0.083 ms, 5x5 0.113, 7x7 0.170, 9x9 0.24 (words of four
 * taps), dense real 5x5 0.173 and 7x7 0.36, disks of 5, 7, 11 and 15 taps a side 0.093, 0.111,
 * 0.146 and 0.19, sobel 0.085; a copy takes 0.072. A unit starts 128 instructions a clock, products
 * of integers at half that rate; the model is within a sixth of these. Float kernels of 9x9 to 33x33
 * on 24 megapixels take 0.106 to 0.84, within a quarter; with 65536 samples a kernel of little work
 * takes 0.018, one behind it 0.003, the three or four of a transform 0.022 and 0.030, and 25x25 to
 * 33x33 floats 0.030 to 0.056. Floats between two kernels take 1.6 times as long once they are more
 * than the 50 MB of the cache. The rates are those that fit 472 cases of pixels on the device best,
 * each by up to three ways: of those measured times, the cheapest by the rates has one within 1.1 of
 * the least in 98.7 %, and never beyond 1.23 of it.
 * Windows of 38 million bytes (4096x3072 RGB), with edges: medians 3x3 0.065 to 0.075 ms, 5x5 0.13, 7x7
 * 0.19, of 16 bits 0.12 and 0.36; by histograms 9x9 0.88, 31x31 2.7, a disk of that size 2.9, 71x71 8.0;
 * erosion by 31x1 0.067, 1x31 0.057, 31x31 0.10, 101x101 0.19, 301x301 0.43, disks of 15 and 31 a side
 * 0.36 and 0.64. The rates were fitted to these by hand. That of a direction is an estimate.
 * Transforms of kernels of 15x15 to 201x201: 0.97 to 1.05 ns along y, 0.53 to 0.64 along x with
 * lines of 128 and 256. Longer ones take a stage more, 0.70 along x; along y fewer of them lie side
 * by side in a group and share memory's sectors: 1.37 at 512, 2.1 at 1024. Edges, launches and
 * waiting take 0.015 to 0.02 ms and a kernel with little to do some 0.005. Of disk:200 in 38 million
 * samples: along y 1.60 to 1.71 at 1024, and 4.54 at 2048, where two columns are less than a sector.
 * Summed again, 9479 to 17021 pixels of 160801 taps take 0.07 a tap; by 802 ends of runs 1.34 an end,
 * and the sums of rows 0.18 to 0.19 a sample.
 * Whole images of RGB, five kernels: 4096x3072 0.62 ms (rows 0.17 and 0.15, columns 0.085, 0.113 and
 * 0.085, of which a copy of the plane would take 0.084), 6000x4000 1.29, 1000x750 0.068: 0.78 to 0.87 ns
 * an element and kernel. cuFFT takes 0.75 there and back for 3 planes of 4096x3072, without gains and
 * bytes. */
#define GPU_RATES                                                                                  \
    {                                                                                              \
        .instructions = 240, .bandwidth = 3250, .dot = 1.6, .pair = 0.35, .packed = 0.544,         \
        .real = 1.38, .load_packed = 2.1, .load_real = 2.18, .load_wide = 6.63, .end = 7.37,       \
        .end_pairs = 8, .end_magnitude = 12, .bits_sample = 10, .bits_sum = 16,                    \
        .bits_transpose = 6, .histogram_run = 70, .histogram_first = 60, .histogram_rank = 100,    \
        .erode_dilate_row = 45, .erode_dilate_column = 0.8, .erode_dilate_run = 14, .wait = 6.57,  \
        .wait_plain = 4.03, .wait_loop = 93, .uncached = 1.64, .cache_bytes = 45e6,                \
        .column = 0.98, .row = 0.471, .plane = 0.8, .long_column = 1.3, .long_row = 1.51,          \
        .fft_ms = 0.0218, .again_ms = 0.009, .again = 0.08, .sum = 0.185, .step = 1                \
    }

/* Measured with PoCL on two cores of an AMD EPYC (Zen 4), processor time of 18 million bytes of noise,
 * where no two values in a row are alike: equalize 75 ms, of 16 bits 120; guided 336 and 280 with radii
 * of 2 and 100; bilateral:2:0.1 8.9 s, 13 ns for each of 114 weights; canny 610 with a Gaussian of nine taps. */
#define CPU_FILTERS                                                                                \
    {                                                                                              \
        .count = 4.2, .count_wide = 6.7, .clahe = 12, .clahe_map = 2, .guided = 17,                \
        .threshold = 9, .weight = 10, .weight_color = 1, .canny = 26, .canny_tap = 1               \
    }
/* Measured on an NVIDIA H200, of 38 million samples (4096x3072 RGB) of a photograph: equalize 0.47 ms, of
 * 16 bits 3.1; guided 2.6 and 2.8 with radii of 8 and 50; bilateral 3.25 and 20.8 with 255 and 1811
 * weights; canny 1.5 with a Gaussian of nine taps, 2.0 without, where more edges are followed. */
#define GPU_FILTERS                                                                                \
    {                                                                                              \
        .count = 1.5, .count_wide = 10, .clahe = 3, .clahe_map = 1, .guided = 9, .threshold = 4,   \
        .weight = 0.07, .weight_color = 0.018, .canny = 5, .canny_tap = 0.1                        \
    }

/* Values that no device overrides so far; CPUs need `gpu` for tests of programs for GPUs. */
#define EVERY_DEVICE .group = 64, .least_rows = 8, .term_product = 1.4, .wide = 2, .gpu = GPU_RATES
/* Values of all CPUs. */
#define EVERY_CPU                                                                                  \
    EVERY_DEVICE, .vec = {16, 16, 16, 8}, .separable_vec = {16, 8, 8, 4}, .registers = 6,          \
                  .rows = 512, .groups_per_unit = 4, .band_bytes = (size_t)16 << 20,               \
                  .middle = 0.3, .finish = 20, .turn = 1, .point = 1.4, .launch_ms = 0.03,         \
                  .next_ms = 0.03, .fft_miss = 0.32, .fft_miss_most = 10.7, .fft_again = 0.25,     \
                  .spectral_doubling = 0.12, .spectral_sample = 2.5, .filters = CPU_FILTERS,       \
                  .open_ms = 45, .program_ms = 5, .driver_bytes = 77e6

enum { CPU, CPU_16, GPU };

static const struct imf_tuning table[] =
    {
        [CPU] =
            {
                EVERY_CPU,
                .name = "CPU",
                .kept = {12, 12, 12, 12},
                .product = {100, 27, 10, 5},
                .operand = {40, 10, 10, 5},
                .row_product = {70, 33, 10, 4},
                .column_product = {90, 36, 10, 5},
                .term = 7,
                .loop_product = 32,
                .divide = 2,
                .root = 3,
                .bandwidth = 36,
                .spill = 2,
                .fft_stages = 1,
                .fft_output = 1.8,
                .fft_exact = 1,
                .fft_start = 6000,
            },
        [CPU_16] =
            {
                EVERY_CPU,
                .name = "CPU, vectors of 16 floats",
                .kept = {10, 12, 12, 12},
                .product = {150, 42, 15, 7},
                .operand = {92, 85, 20, 7},
                .row_product = {138, 30.5, 13, 5},
                .column_product = {166, 57, 15, 7},
                .term = 16,
                .loop_product = 42,
                .divide = 3.6,
                .root = 6.7,
                .bandwidth = 47,
                .spill = 4.2,
                .fft_stages = 1.17,
                .fft_output = 0.84,
                .fft_exact = 1.5,
                .fft_start = 4360,
            },
        [GPU] =
            {
                EVERY_DEVICE,
                .name = "GPU",
                .program_ms = 1.5,
                .vec = {1, 1, 1, 1},
                .separable_vec = {1, 1, 1, 1},
                .registers = 64,
                .kept = {128, 128, 128, 128},
                .rows = 32,
                .two_passes = true,
                .groups_per_unit = 32,
                .clock_mhz = 1980,
                .product = {220, 200, 190, 5},
                .operand = {16, 25.9, 38, 3},
                .row_product = {53, 66, 30, 3},
                .column_product = {53, 35, 30, 3},
                .term = 7,
                .middle = 1.97,
                .loop_product = 36,
                .finish = 12,
                .divide = 5,
                .root = 16,
                .turn = 10,
                .bandwidth = 2500,
                .point = 1.5,
                .launch_ms = 0.0178,
                .next_ms = 0.0029,
                .spill = 2,
                .fft_stages = 50,
                .fft_output = 90,
                .fft_exact = 50,
                .fft_start = 300000,
                .fft_miss = 16,
                .fft_miss_most = 535,
                .fft_again = 12.5,
                .spectral_doubling = 2.9,
                .spectral_sample = 60,
                .filters = GPU_FILTERS,
                .open_ms = 150,
                .link = 10,
                .driver_bytes = 200e6,
            },
};

const struct imf_host_rates imf_host_rates = {.bilateral = 7,
                                              .denoise = {1000, 8000},
                                              .window = 30,
                                              .sample = 2,
                                              .tap = 0.2,
                                              .point = 25,
                                              .doubling = 0.48,
                                              .values = 2,
                                              .gain = 70,
                                              .phase = 17,
                                              .descreen = 15,
                                              .descreen_wave = 1,
                                              .component = 30,
                                              .canny = 300,
                                              .canny_tap = 12,
                                              .table = 24};

const struct imf_vector_rates imf_vector_rates = {.end = 0.15,
                                                  .narrow = 0.023,
                                                  .floats = 0.2,
                                                  .real = 0.058,
                                                  .pair = 0.083,
                                                  .middle = 0.042,
                                                  .middle_pair = 0.062,
                                                  .dense = 0.0225,
                                                  .dense_sample = 0.2,
                                                  .move = 0.4,
                                                  .divide = 0.2,
                                                  .root = 0.2,
                                                  .phase = 1.5,
                                                  .canny = 1.3,
                                                  .canny_wide = 3,
                                                  .canny_tap = 0.1,
                                                  .map = 0.25,
                                                  .point = 0.5,
                                                  .curve = 3,
                                                  .table = 0.6,
                                                  .wide_table = 1.5,
                                                  .run = 0.0175,
                                                  .run_group = 0.1,
                                                  .run_prefix = 0.5,
                                                  .run_end = 1.2,
                                                  .run_part = 0.15,
                                                  .start_ms = 0.05,
                                                  .window_end = 0.1,
                                                  .erode_dilate = 0.03,
                                                  .network3 = 0.25,
                                                  .network5 = 0.7,
                                                  .bisection = 0.0105,
                                                  .incremental = 6.5,
                                                  .tiles_sample = 0.5,
                                                  .tiles_store = 0.02,
                                                  .edge = 1.6,
                                                  .sorted = 4,
                                                  .sorted_look = 0.3,
                                                  .sorted_ordinal = 25,
                                                  .histogram = 10,
                                                  .histogram_column = 3,
                                                  .weight = 0.25,
                                                  .weight_color = 0.1,
                                                  .weight_float64 = 3,
                                                  .clahe = 2.2,
                                                  .clahe_color = 4,
                                                  .clahe_map = 1.2,
                                                  .guided = 6,
                                                  .threshold = 2.7,
                                                  .denoise = {18, 290},
                                                  .lanes = 3,
                                                  .window_finish = 2};

/* Mesa 22.3's llvmpipe on two cores of an EPYC, processor time: 1000x750 pixels of one and three
 * channels, kernels of 3x1 to 15x15, which this meets within an eighth but for the smallest in
 * colour, where it is a third too long; 0.06 ms for 8x8 pixels; 57 ms and 92 MB more than a process
 * in plain C, with shaders from Mesa's cache. Of new ones 3x3 took 12 MB, 15x15 (60 vectors) 18,
 * 31x31 (248 vectors) 30, a chain of two 3x3 19. */
const struct imf_gles_rates imf_gles_rates = {.texel = 12,
                                              .fetch = 5,
                                              .run_ms = 0.06,
                                              .open_ms = 60,
                                              .driver_bytes = 9.2e7,
                                              .program_bytes = 1.2e7,
                                              .vector_bytes = 8e4};

const double imf_fft_stage_ns[IMF_FFT_RADIX_MOST + 1] = {
    [2] = 0.076, [3] = 0.115, [4] = 0.113, [5] = 0.15, [7] = 0.25, [8] = 0.172, [16] = 0.226};

const struct imf_tuning *imf_tuning(const struct imf_device *d) {
    const struct imf_tuning *own = __atomic_load_n(&d->tuning, __ATOMIC_ACQUIRE);
    return own ? own : &table[d->gpu ? GPU : d->vector_width >= 16 ? CPU_16 : CPU];
}

void imf_tuning_publish(struct imf_device *d, const struct imf_tuning *tuning) {
    __atomic_store_n(&d->tuning, tuning, __ATOMIC_RELEASE);
}

double imf_tuning_units(const struct imf_device *d) {
    unsigned clock = imf_tuning(d)->clock_mhz;
    double units = d->compute_units > 0 ? d->compute_units : 1;
    return clock && d->clock_mhz ? units * d->clock_mhz / clock : units;
}

double imf_tuning_clock(const struct imf_device *d) {
    unsigned mhz = d->clock_mhz ? d->clock_mhz : imf_tuning(d)->clock_mhz;
    return mhz > 0 ? mhz * 1e-3 : 1;
}

/* Units of the GPU that was measured. Other GPUs may lack its stacked memory: which ones, and how much
 * slower theirs is for their units and clock, is a guess; --tune replaces it. */
#define RATED_UNITS 132
#define STACKED_BYTES ((uint64_t)32 << 30)
#define NOT_STACKED 0.5

double imf_tuning_bandwidth(const struct imf_device *d, double rate) {
    if (!d->gpu || __atomic_load_n(&d->tuning, __ATOMIC_ACQUIRE))
        return rate;
    rate *= imf_tuning_units(d) / RATED_UNITS;
    return d->global_memory < STACKED_BYTES ? rate * NOT_STACKED : rate;
}

double imf_tuning_passed(const struct imf_tuning *t, enum imf_sample sample, double samples) {
    double bytes = (double)imf_sample_size(sample);
    bool cached = sample != IMF_F32 || samples * bytes <= t->gpu.cache_bytes;
    return cached ? bytes : bytes * t->gpu.uncached;
}

double imf_tuning_open_ms(const struct imf_device *d) {
    return d->open_ms > 0 ? d->open_ms : imf_tuning(d)->open_ms;
}

size_t imf_tuning_group(const struct imf_device *d) {
    size_t group = (size_t)imf_tuning(d)->group;
    return group < d->max_group ? group : d->max_group;
}

int imf_tuning_vec(const struct imf_tuning *t, enum imf_width width, int sums) {
    int vec = t->vec[width];
    return sums > t->registers && width != IMF_WIDTH_16 && vec > 1 ? vec / 2 : vec;
}

int imf_tuning_rows(const struct imf_tuning *t, const struct imf_device *d, size_t groups,
                    int height, int reach) {
    double wanted = t->groups_per_unit * d->compute_units / (double)groups; /* top to bottom */
    double rows = wanted <= 1 ? height : height / wanted;
    rows = fmax(rows, reach); /* shorter walks spend most of their time on shared rows */
    rows = fmin(rows, fmax(t->least_rows, (double)reach * reach));
    return (int)fmax(1, fmin(rows, t->rows));
}

size_t imf_tuning_band_bytes(const struct imf_device *d) {
    size_t bytes = imf_tuning(d)->band_bytes;
    uint64_t most = d->max_alloc < d->global_memory ? d->max_alloc : d->global_memory;
    most /= 4; /* for a solver's own buffers are up to four times as large as a surface */
    return bytes && bytes < most ? bytes : (size_t)most;
}
