/*
 * imfilter.h - the public interface of libimfilter, for C99 and C++11
 *
 * A filter is parsed from text, or made of a kernel in memory. A plan is made of a filter for one
 * shape of images, and chooses an algorithm and a device for each stage. A workspace runs the plan,
 * from a reader to a writer or from memory to memory.
 *
 * Errors: a function that can fail returns an imf_status and describes the failure in the caller's
 * struct imf_error, which may be NULL. A failed function sets its output pointer to NULL. Any of
 * them may return IMF_ERR_MEMORY; the comments name the other statuses where they are not obvious.
 *
 * Ownership: what a function with _create, _open or _parse in its name returns is the caller's, and
 * goes with the _free or _close that takes its address: that accepts a pointer to NULL, and sets
 * the pointer to NULL. A const pointer that is returned lives as long as the object that was asked.
 * Arguments are borrowed for the call, unless a comment says for how long. Pointers may be NULL
 * only where a comment says so.
 *
 * Threads: filters, plans and curves do not change once they are made, and a context locks what it
 * shares: any number of threads may use one of these at once. Readers, writers, workspaces and
 * transforms serve one thread at a time. Nothing may be freed while it is used. The library never
 * prints, never exits and keeps no global state.
 */
#ifndef IMFILTER_H
#define IMFILTER_H

#include "imfilter_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* The shared library exports what these two headers declare, and nothing else. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* The version of this header. */
#define IMF_VERSION_MAJOR 1
#define IMF_VERSION_MINOR 0
#define IMF_VERSION_PATCH 0
/* For comparisons: 1.0.0 is 10000, 1.2.3 is 10203. */
#define IMF_VERSION_NUMBER (IMF_VERSION_MAJOR * 10000 + IMF_VERSION_MINOR * 100 + IMF_VERSION_PATCH)
#define IMF_VERSION_JOIN(major, minor, patch) #major "." #minor "." #patch
#define IMF_VERSION_TEXT(major, minor, patch) IMF_VERSION_JOIN(major, minor, patch)
#define IMF_VERSION IMF_VERSION_TEXT(IMF_VERSION_MAJOR, IMF_VERSION_MINOR, IMF_VERSION_PATCH)
const char *imf_version(void); /* of the library that runs, "1.0.0"; static storage */

/*
 * Structs whose first member is `size` may get more members at their end in later versions. Set
 * size to sizeof the struct. The library takes members beyond it as 0 and writes none there; 0
 * stands for the members of version 1.0. NULL in place of a struct of options means the defaults,
 * as does a struct that is all zero, but for imf_limits. Other structs keep their size in all of
 * 1.x; `reserved` members are for those to come: leave them 0. Only structs that the library alone
 * makes, imf_choice, imf_filter_doc and imf_format_doc, get new members at their end.
 */

/* ---- filters ------------------------------------------------------------------------------ */

/* Parse `count` specs (imfilter(1), "Filters") into one chain. Names that are not built in are
 * those of .flt files (imfilter(5)). Directions are those of the upright picture. IMF_ERR_SPEC. */
struct imf_filter;
enum imf_status imf_filter_parse(struct imf_filter **out, const char *const *specs, size_t count,
                                 struct imf_error *err);
/* The same, with limits (NULL: the defaults) for "@psf.png", a picture, whose errors are readers'. */
enum imf_status imf_filter_parse_limited(struct imf_filter **out, const char *const *specs,
                                         size_t count, const struct imf_limits *limits,
                                         struct imf_error *err);
/* A kernel in memory; it means what the spec "kernel:" does. The value in row i, column j
 * multiplies the pixel at offset (j - width / 2, i - height / 2). */
struct imf_coefficients {
    size_t size;
    int width, height;    /* 1..4095 */
    const double *values; /* height rows of width, the top one first; magnitudes up to 1e30 */
    double scale;         /* divides the sum; 0: 1, with a note if that makes mid-grey white */
    bool scale_auto;      /* scale is the sum of the values, where that is not 0 */
    double bias;          /* is added after, as a fraction of full scale */
    bool flip;            /* turn the kernel by 180 degrees: convolution, not correlation */
};
/* Make a filter of one kernel, with the text "kernel WxH". IMF_ERR_ARGUMENT, IMF_ERR_LIMIT. */
enum imf_status imf_filter_from_kernel(struct imf_filter **out,
                                       const struct imf_coefficients *coefficients,
                                       struct imf_error *err);
/* Make a filter of one stage, "blend:normal:@FILE": it mixes what the chain has so far with the
 * chain's input, as a picture says; see imfilter(1), --mask. IMF_ERR_SPEC; what readers return. */
enum imf_status imf_filter_from_mask(struct imf_filter **out, const char *path,
                                     const struct imf_limits *limits, struct imf_error *err);
/* Append the stages of *more, which is freed and set to NULL in any case. No plan may have been
 * made of `filter` before. After a failure `filter` can only be freed. */
enum imf_status imf_filter_append(struct imf_filter *filter, struct imf_filter **more,
                                  struct imf_error *err);
void imf_filter_free(struct imf_filter **filter);
const char *imf_filter_text(const struct imf_filter *filter); /* the specs, joined by " | " */

struct imf_filter_doc {
    const char *usage, *summary; /* "blur:SIGMA"; "Gaussian blur, SIGMA in pixels" */
};
/* Of the built-in filter with that index; static storage. NULL: there are no more. */
const struct imf_filter_doc *imf_filter_doc(size_t index);

/* ---- planning and running ----------------------------------------------------------------- */

/* Outside: edge samples, the image mirrored with or without them, its other side, or a value. */
enum imf_edge {
    IMF_EDGE_CLAMP,
    IMF_EDGE_REFLECT,
    IMF_EDGE_MIRROR,
    IMF_EDGE_WRAP,
    IMF_EDGE_CONSTANT
};
/* A rectangle of the upright picture, whose left upper corner is (0, 0). Values are pixels or, by a
 * bit of `percent`, percentages of the picture's width or height. */
enum imf_percent {
    IMF_PERCENT_WIDTH = 1,
    IMF_PERCENT_HEIGHT = 2,
    IMF_PERCENT_X = 4,
    IMF_PERCENT_Y = 8
};
struct imf_region {
    double width, height, x, y;
    unsigned percent;
    unsigned reserved[3];
};
/* How a response becomes samples; see imfilter(1), --range. DEFAULT: as the filter says. */
enum imf_range {
    IMF_RANGE_DEFAULT,
    IMF_RANGE_CLIP,
    IMF_RANGE_ABS,
    IMF_RANGE_OFFSET,
    IMF_RANGE_NORMALIZE
};
/* What is filtered: all colours; their luma, whose change is then put on all colours; one; all, which get the luma
 * back that they had; or alpha. */
enum imf_channels {
    IMF_CHANNELS_RGB,
    IMF_CHANNELS_LUMA,
    IMF_CHANNELS_RED,
    IMF_CHANNELS_GREEN,
    IMF_CHANNELS_BLUE,
    IMF_CHANNELS_CHROMA,
    IMF_CHANNELS_ALPHA
};
enum imf_alpha { IMF_ALPHA_AUTO, IMF_ALPHA_PREMULTIPLY, IMF_ALPHA_FILTER, IMF_ALPHA_KEEP };
/* Which solvers a plan may choose; see imfilter(1), --backend. */
enum imf_backend {
    IMF_BACKEND_AUTO,
    IMF_BACKEND_DIRECT,
    IMF_BACKEND_SEPARABLE,
    IMF_BACKEND_FFT,
    IMF_BACKEND_CPU,
    IMF_BACKEND_VECTOR,
    IMF_BACKEND_GLES
};
/* A remark for the user on the filter, or NULL; the filter's. Under IMF_RANGE_NORMALIZE it does not
 * mention that a kernel brightens the image. */
const char *imf_filter_note(const struct imf_filter *filter, enum imf_range range);

/* May an image be read twice? Rows stream so where all of them are measured first. Pixels in memory
 * may, and readers of which imf_reader_seeks(); a run fails with others. */
enum imf_twice {
    IMF_TWICE_NEVER,
    IMF_TWICE_IF_NEEDED, /* where holding it would exceed max_memory */
    IMF_TWICE_FREELY     /* also where nothing is filtered twice: decoding costs next to nothing */
};

struct imf_settings {
    size_t size;
    enum imf_edge edge;
    double edge_value; /* of IMF_EDGE_CONSTANT: a fraction of full scale, 0..1 */
    enum imf_range range;
    enum imf_alpha alpha;
    bool linear;             /* filter in linear light, */
    struct imf_curve *curve; /* decoded by this curve; NULL: sRGB's. Borrowed for the call */
    enum imf_backend backend;
    /* Of the output: 8, 16, 32 (float), or 1: bytes that are 0 or 255, imf_info.bits 1, of gray without alpha; 0: the
     * input's, and its type. */
    int depth;
    uint64_t max_memory; /* bytes of the process; 0: no limit. IMF_ERR_LIMIT */
    uint64_t held;       /* imf_reader_held(), which counts for max_memory */
    bool whole; /* for images whole in memory: not read in order, turned, timed or verified */
    double mask_feather; /* blur masks by a Gaussian of this sigma in pixels, 0..511.75; 0: no */
    /* Only these pixels change, and mask_feather around them; borrowed for the call. 0: all do. */
    const struct imf_region *regions;
    size_t region_count;
    enum imf_channels channels;
    bool mask_invert; /* masks' white leaves the input, black takes the result */
    enum imf_twice twice;
    /* The sample that counts as full scale, of which fractions in specs are; 0: imf_info_full(). Results of
     * another depth have it as theirs. */
    double full;
    /* Pixels with a NaN are missing: they are left out of means and ranks as pixels of alpha 0 are, and stay NaN;
     * what a kernel of gain 0 makes within its reach of one is NaN. Of floats without alpha; devices are not used.
     * Without it NaN is refused while rows are read. */
    bool missing;
    /* So many pictures are filtered, so many of them at once, by this process: ways are chosen for the time that all
     * of them take, read and written in the input's format, not for one from its start to its end. 0: one. */
    int pictures, workers;
};

enum imf_device_kind {
    IMF_DEVICE_AUTO,
    IMF_DEVICE_CPU,
    IMF_DEVICE_GPU,
    IMF_DEVICE_INDEX,
    IMF_DEVICE_NAME
};

struct imf_context_options { /* copied, strings included */
    size_t size;
    enum imf_device_kind device;
    int index;             /* of IMF_DEVICE_INDEX: imf_device_info.index */
    const char *name;      /* of IMF_DEVICE_NAME: a part of the name, in any case of letters */
    const char *cache_dir; /* NULL: $XDG_CACHE_HOME/imfilter or ~/.cache/imfilter; "": none. Not
                              used if it is a link, another user's or writable by others */
};

/* Holds the device, which is opened when something needs it first. IMF_ERR_NO_DEVICE and
 * IMF_ERR_DEVICE come from what needs it. */
struct imf_context;
enum imf_status imf_context_create(struct imf_context **out,
                                   const struct imf_context_options *options,
                                   struct imf_error *err);
void imf_context_free(struct imf_context **ctx);

struct imf_device_info {
    size_t size; /* in the first of a list: of each of them */
    int index;   /* -1: OpenGL ES, of which no numbers are known */
    char name[128], platform[128], driver[64], version[64];
    bool gpu, unified, float64;                       /* unified: shares the host's memory */
    unsigned compute_units, max_group;                /* max_group: work-items */
    uint64_t global_memory, local_memory, max_buffer; /* bytes */
    bool usable, failed;   /* failed: it is unusable as the driver could not describe it */
    bool automatic, tuned; /* IMF_DEVICE_AUTO chooses it; its rates were measured */
    char why[128];         /* it is not usable or not automatic; else "" */
    char lacks[160];       /* what kernels would use: "float64, unified memory" */
};
/* Describe the first `capacity` devices (0: list may be NULL) of OpenCL; returns how many exist. */
size_t imf_device_list(struct imf_device_info *list, size_t capacity);

/* A table of the rates that estimates use, and of those shipped. *text is freed by free(). */
enum imf_status imf_context_rates(char **text, struct imf_context *ctx, struct imf_error *err);
/* Measure the rates for up to 20 seconds and store them in the cache directory. Later plans use
 * them; no plan may be made meanwhile. progress, which may be NULL, gets the part that is done,
 * 0..1. IMF_ERR_IO: the rates could not be stored. */
enum imf_status imf_context_tune(struct imf_context *ctx, void (*progress)(void *data, double part),
                                 void *data, struct imf_error *err);

/* One backend's way to do a pass of a stage; or the way that the whole chain takes. */
struct imf_candidate {
    int stage;                        /* from 1 on; 0: the whole chain */
    char backend[16], algorithm[128]; /* "direct"; "direct 3x3, exact integer" */
    double estimate_ms;               /* < 0: not eligible */
    double transfer_ms; /* to its place, if it is chosen; whole chain: of the result to the host */
    bool eligible, chosen;
    char why[160]; /* it was chosen, passed over or is not eligible */
    double
        start_ms; /* a picture's share of its device's start, beside the estimate; whole chain: within */
    uint64_t bytes; /* whole chain: of the process: pixels, working buffers and driver */
    const char *whole_image_reason; /* whole chain: it is whole in memory; NULL: its rows stream */
    uint64_t reserved[4];
};

/* How images are filtered. */
struct imf_choice {
    const struct imf_candidate *candidates; /* `count` of them: by pass, then by backend */
    size_t count;
    const struct imf_candidate *chosen; /* the whole chain */
    const char *device;                 /* name of the device in use, or "host" */
    bool measured;                      /* estimates use rates that were measured on the device */
    const char *note;        /* a warning for the user ("no OpenCL platform: ..."), or NULL */
    int x, y, width, height; /* the part of the image, as it is stored, that is computed */
    int pictures, workers;   /* as settings have them, at least 1: what the way was chosen for */
    double
        coding_ms; /* what reading and writing one takes all workers; of several, in chosen->estimate_ms */
    double
        host_pace; /* times the shipped rates' that the host takes, as was measured here once; 1: it was not */
};

/* Plan for images of the input's shape; metadata do not matter, nor does the format to one picture. Context and filter must
 * outlive the plan. IMF_ERR_ARGUMENT: no allowed solver can do it, or no image has such a shape;
 * IMF_ERR_LIMIT, IMF_ERR_NO_DEVICE, IMF_ERR_DEVICE. */
struct imf_plan;
enum imf_status imf_plan_create(struct imf_plan **out, struct imf_context *ctx,
                                const struct imf_filter *filter, const struct imf_info *input,
                                const struct imf_settings *settings, struct imf_error *err);
void imf_plan_free(struct imf_plan **plan);
/* The output's shape, with the input's format: change that in a copy to write another. */
const struct imf_info *imf_plan_output(const struct imf_plan *plan);
const struct imf_choice *imf_plan_choice(const struct imf_plan *plan);

/* The pixels, working buffers, programs and device queue of one image at a time. The first run
 * makes them, later runs use them again. The plan must outlive it. */
struct imf_workspace;
enum imf_status imf_workspace_create(struct imf_workspace **out, const struct imf_plan *plan,
                                     struct imf_error *err);
void imf_workspace_free(struct imf_workspace **workspace);
const struct imf_plan *imf_workspace_plan(const struct imf_workspace *workspace);
/* The plan's choice or, after the device failed in a run, what the host does instead. */
const struct imf_choice *imf_workspace_choice(const struct imf_workspace *workspace);

struct imf_run_options {
    size_t size;
    unsigned bench; /* > 0: filter once, then this many times, and time each */
    bool verify;    /* compare the result with the reference, which is slow */
    int threads; /* at once; 0: as many as cores, if the image is large; 1: the calling thread only */
    /* NULL, or called in the calling thread before each band with the number of rows that have been
     * filtered, and last with all `rows`. Anything but 0 before that ends the run with
     * IMF_ERR_CANCELLED and an incomplete output. An image that is whole in memory is one band. */
    int (*progress)(void *data, int filtered, int rows);
    void *progress_data;
};

struct imf_report {
    size_t size;
    double setup_ms, decode_ms, upload_ms, compute_ms, download_ms, encode_ms, total_ms;
    int bands; /* > 0: the image was filtered in so many, while others were decoded and encoded */
    double decode_wait_ms, compute_wait_ms, encode_wait_ms; /* that one waited for the others */
    double run_ms;                                          /* from begin to end */
    double compute_min_ms, compute_median_ms, upload_median_ms, download_median_ms; /* of bench */
    bool verified;                             /* the next five are set */
    double verify_max;                         /* largest |output - reference|, in samples */
    uint64_t verify_differing, verify_samples; /* that differ, that were compared */
    bool verify_ok;                            /* all differences are within the contract */
    uint64_t verify_unexcused;                 /* differences that are not */
    int palette;     /* > 0: so many colours of a palette were filtered instead of the pixels */
    bool fell_back;  /* the device failed, in this run or before, and the host did the work */
    char found[160]; /* what filters measured in the image, "noise of sigma ...", or nothing */
};

/* Decode the rows of `reader`, filter them and encode them to `writer`, each in its own thread, and
 * finish the writer. writer (the result is dropped), options and report may be NULL. What readers
 * and writers return; IMF_ERR_ARGUMENT: another shape; IMF_ERR_DEVICE, IMF_ERR_CANCELLED. */
enum imf_status imf_workspace_run(struct imf_workspace *workspace, struct imf_reader *reader,
                                  struct imf_writer *writer, const struct imf_run_options *options,
                                  struct imf_report *report, struct imf_error *err);
/* The same from memory to memory, which must not overlap. Strides are the bytes between rows. */
enum imf_status imf_workspace_run_memory(struct imf_workspace *workspace, const void *src,
                                         size_t src_stride, void *dst, size_t dst_stride,
                                         const struct imf_run_options *options,
                                         struct imf_report *report, struct imf_error *err);

/* ---- transforms ----------------------------------------------------------------------------- */

/* Complex discrete Fourier transforms in float32 on a context's device, in natural order:
 *
 *     forward   X(v,u) = sum over y, x of a(y,x) exp(-2 pi i (v y / ny + u x / nx))
 *     inverse   the same with exp(+2 pi i ...)
 *
 * Neither is scaled: forward, then inverse, multiplies by nx * ny. The relative L2 error is at most
 * 0.9 eps sqrt(log2(nx * ny)) with eps = 2^-24; on a device without float64 at most twice that for
 * lengths with a prime factor above 61. A value is a pair of floats, real and imaginary part; rows
 * and the transforms of a batch follow each other without gaps. Lengths go up to 2^22; products of
 * 2, 3, 5 and 7 are the fastest, prime factors above 61 the slowest. */
struct imf_fft_shape {
    int nx, ny, batch; /* columns, rows (1 or 0: one dimension), transforms (0: 1) */
    unsigned radices;  /* allowed: bits 2, 3, 4, 5, 7, 8 and 16; 0: all, and any prime */
    int reserved[4];
};
enum imf_fft_direction { IMF_FFT_FORWARD, IMF_FFT_INVERSE };
/* The length of at least n that is estimated to be the fastest; 0: n is above 2^22. */
int imf_fft_good_length(int n);
/* The context must outlive the result. IMF_ERR_ARGUMENT: a length below 1 or above 2^22, or no
 * product of the radices asked for; IMF_ERR_LIMIT: more than 2^31 - 1 values; IMF_ERR_MEMORY: more
 * than the device holds; IMF_ERR_NO_DEVICE, IMF_ERR_DEVICE. */
struct imf_fft;
enum imf_status imf_fft_create(struct imf_fft **out, struct imf_context *ctx,
                               const struct imf_fft_shape *shape, struct imf_error *err);
void imf_fft_free(struct imf_fft **fft);
/* Transform from memory to memory, each 2 * nx * ny * batch floats; in and out may be the same. */
enum imf_status imf_fft_run(struct imf_fft *fft, const float *in, float *out,
                            enum imf_fft_direction direction, struct imf_error *err);
/* The steps of imf_fft_run(), for data that stay on the device: map its values to read and write
 * them (without a copy on a CPU), unmap them, and transform them in place. */
enum imf_status imf_fft_map(struct imf_fft *fft, float **values, struct imf_error *err);
enum imf_status imf_fft_unmap(struct imf_fft *fft, struct imf_error *err);
enum imf_status imf_fft_transform(struct imf_fft *fft, enum imf_fft_direction direction,
                                  struct imf_error *err);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
