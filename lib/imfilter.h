/*
 * imfilter.h - the public interface of libimfilter
 *
 * A filter is parsed from text, a plan is made for one image shape, and the plan is run from a
 * reader to a writer. Every function that can fail returns an imf_status and, if the caller passes
 * a struct imf_error, one line that names what is wrong. On failure output pointers are NULL.
 *
 * Threads: a filter, a plan and a curve do not change once made, and a context locks what it
 * shares: any number of threads may use one of these at once. Anything else (reader, writer,
 * workspace, transform) serves one thread at a time. Nothing may be freed while it is used. The
 * library never prints, never exits and keeps no global state.
 */
#ifndef IMFILTER_H
#define IMFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif
/* What follows is what the shared library shows; the rest of it is compiled as hidden. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#define IMF_VERSION "0.2.0"
enum imf_status {
    IMF_OK = 0,
    IMF_ERR_ARGUMENT,  /* the caller passed something that no image could satisfy */
    IMF_ERR_SPEC,      /* a filter spec or .flt file is wrong; imf_error.column says where */
    IMF_ERR_IO,        /* reading or writing failed (errno is in the text) */
    IMF_ERR_FORMAT,    /* an image that cannot be read, filtered so, or written so */
    IMF_ERR_DAMAGED,   /* an image that is truncated or corrupt */
    IMF_ERR_LIMIT,     /* a limit of struct imf_limits would be exceeded */
    IMF_ERR_MEMORY,    /* an allocation failed */
    IMF_ERR_NO_DEVICE, /* the device asked for does not exist */
    IMF_ERR_DEVICE     /* an OpenCL call failed; imf_error.cl_code holds its code */
};

/* Caller-owned detail of a failure; every function accepts NULL in its place. */
struct imf_error {
    enum imf_status status;
    int cl_code;   /* OpenCL error code, or 0 */
    size_t column; /* IMF_ERR_SPEC: 1-based column of the offending character, or 0 */
    char text[512];
};
const char *imf_version(void); /* the library's, "MAJOR.MINOR.PATCH"; static storage */

/* ---- images in files --------------------------------------------------------------------- */

/* Those that this library always has; it may have more (imf_format_doc()). */
enum imf_format {
    IMF_FORMAT_NONE,
    IMF_FORMAT_PNG,
    IMF_FORMAT_JPEG,
    IMF_FORMAT_PNM,
    IMF_FORMAT_LAST = 31
};
enum imf_color { IMF_COLOR_GRAY, IMF_COLOR_RGB, IMF_COLOR_CMYK };

/* The shape of an image. Samples are interleaved, rows top to bottom; alpha is the last channel. */
struct imf_info {
    int width, height; /* pixels, >= 1 */
    int channels;      /* 1..4, alpha included */
    int depth;         /* bits a sample: 8 (uint8_t) or 16 (uint16_t, native byte order) */
    enum imf_color color;
    bool alpha; /* straight (not premultiplied) alpha */
    enum imf_format format;
    int bits; /* of gray without alpha, spread over full scale: 1, 2, 4, or 0: all of depth */
    int orientation; /* how the rows lie: EXIF's 1 (upright) to 8; 0: as the metadata say */
};

struct imf_limits {
    uint64_t max_pixels; /* width * height; 0: no limit */
    uint64_t max_memory; /* bytes for pixels and working buffers; 0: no limit */
    int max_scans;       /* progressive JPEG scans; 0: no limit */
    bool lenient;        /* accept the readable part of a damaged image; the rest stays 0 */
};
#define IMF_DEFAULT_MAX_PIXELS 268435456u
#define IMF_DEFAULT_MAX_SCANS 100

/* EXIF, XMP, ICC, comments, resolution, gamma; of JPEG also quantisation and subsampling. */
struct imf_metadata;
/* Pixels that do not lie upright: leave them, with the EXIF tag that says so, or turn them. */
enum imf_orient { IMF_ORIENT_KEEP, IMF_ORIENT_APPLY };
enum imf_strip { IMF_STRIP_EXIF = 1, IMF_STRIP_XMP = 2, IMF_STRIP_ICC = 4, IMF_STRIP_ALL = 15 };
/* Which of PNM's formats: any that holds the image, the smallest first, or one of them. */
enum imf_pnm { IMF_PNM_ANY, IMF_PNM_PBM, IMF_PNM_PGM, IMF_PNM_PPM, IMF_PNM_PAM };

struct imf_encode {
    int quality;         /* JPEG 1..100; 0: keep the source's, or 92 when there is none */
    int subsampling;     /* JPEG 444, 422 or 420; 0: keep the source's, or 420 when there is none */
    int compression;     /* of PNG, 0 (none), 1 (fast) .. 9 (small); -1: 6 */
    unsigned strip;      /* a set of enum imf_strip: metadata not to write */
    bool optimize;       /* JPEG: Huffman tables for this image; all its coefficients are held */
    uint64_t max_memory; /* bytes for the encoder's buffers; 0: no limit */
    enum imf_orient orient; /* pixels are turned, too, where no tag can be kept (stripped, say) */
    enum imf_pnm pnm;
    int threads; /* that may encode; 0: all cores' */
};

/* Open an image on a stream positioned at its first byte and read its header. The stream stays the
 * caller's and is never seeked, so a pipe will do. ICC, EXIF and the like are available at once. */
struct imf_reader;
enum imf_status imf_reader_open(struct imf_reader **out, FILE *stream,
                                const struct imf_limits *limits, struct imf_error *err);
void imf_reader_close(struct imf_reader **reader);
const struct imf_info *imf_reader_info(const struct imf_reader *reader);
const struct imf_metadata *imf_reader_metadata(const struct imf_reader *reader);
/* Read the next `rows` rows into dst, `stride` bytes apart (>= width * channels * depth / 8).
 * Palettes, tRNS and depths below 8 are expanded; CMYK is 0 = no ink. Damage, also behind the last
 * row: IMF_ERR_DAMAGED; if limits->lenient, what its codec recovers, else zeros, and a warning. */
enum imf_status imf_reader_rows(struct imf_reader *reader, void *dst, size_t stride, int rows,
                                struct imf_error *err);
/* Bytes that decoding holds beside the rows: interlaced pixels, progressive coefficients. */
uint64_t imf_reader_held(const struct imf_reader *reader);
bool imf_reader_in_order(const struct imf_reader *reader); /* and holds none of the rows before */
const char *imf_reader_warning(const struct imf_reader *reader); /* what was survived, or NULL */

/* Start an image on a stream. info is the shape of the rows that are given; its format chooses the
 * codec. What that cannot hold is IMF_ERR_FORMAT with a text that says which can. metadata may be
 * NULL and is borrowed until the writer is finished. One that turns rows upright (encode->orient)
 * holds them all unless they come at once. */
struct imf_writer;
enum imf_status imf_writer_open(struct imf_writer **out, FILE *stream, const struct imf_info *info,
                                const struct imf_encode *encode,
                                const struct imf_metadata *metadata, struct imf_error *err);
/* The shape of what it writes: width and height as turned, orientation as the file will say. */
struct imf_info imf_writer_shape(const struct imf_info *info, const struct imf_encode *encode,
                                 const struct imf_metadata *metadata);
enum imf_status imf_writer_rows(struct imf_writer *writer, const void *src, size_t stride, int rows,
                                struct imf_error *err);
uint64_t imf_writer_held(const struct imf_writer *writer); /* the same of encoding: not baseline */
/* Write what must follow the last row and flush the stream. Close without finish abandons it. */
enum imf_status imf_writer_finish(struct imf_writer *writer, struct imf_error *err);
void imf_writer_close(struct imf_writer **writer);
const char *imf_writer_warning(const struct imf_writer *writer); /* what was left out, or NULL */

struct imf_format_doc {        /* NULL for IMF_FORMAT_NONE and past the last; static storage */
    const char *name, *title;  /* "jpeg", "JPEG" */
    const char *extensions[8]; /* without the dot, that for new names first; NULL past the last */
    const char *options[8];    /* of struct imf_encode, the members that it heeds; likewise */
};
const struct imf_format_doc *imf_format_doc(enum imf_format format);
enum imf_format imf_format_from_name(const char *name); /* an extension, whatever its case */
const char *imf_format_name(enum imf_format format);    /* its doc's, or "none" */
/* What a file is that begins so (512 bytes do): text that starts like an image is told from one. */
enum imf_format imf_format_from_head(const void *head, size_t size);
enum imf_pnm imf_pnm_from_name(const char *name); /* of "pbm" and so on; else IMF_PNM_ANY */
int imf_metadata_orientation(const struct imf_metadata *metadata); /* EXIF's, 1..8; else 1 */
/* How samples stand for light; NULL is the sRGB curve. */
struct imf_curve;
/* By PNG's cICP, else the ICC profile, else PNG's sRGB or gAMA. Free *out by imf_curve_free(); it is
 * NULL with IMF_OK for the sRGB curve, also where none is named. IMF_ERR_FORMAT, IMF_ERR_DAMAGED:
 * none can be used, NULL may stand in; IMF_ERR_MEMORY: nothing was decided. */
enum imf_status imf_curve_read(struct imf_curve **out, const struct imf_metadata *metadata,
                               const struct imf_info *info, struct imf_error *err);
void imf_curve_free(struct imf_curve **curve);
/* Equal in all values; either may be NULL. */
bool imf_curve_same(const struct imf_curve *a, const struct imf_curve *b);

/* ---- filters ------------------------------------------------------------------------------ */

struct imf_filter;
/* Parse `count` specs (imfilter(1), "Filters") into one chain; names that are not built in are .flt
 * files' (imfilter(5)). Directions are the upright picture's, whatever an image's orientation. */
enum imf_status imf_filter_parse(struct imf_filter **out, const char *const *specs, size_t count,
                                 struct imf_error *err);
void imf_filter_free(struct imf_filter **filter);
const char *imf_filter_text(const struct imf_filter *filter); /* specs joined by " | "; its own */
/* One line of the list of built-in filters; static storage. NULL past the last. */
struct imf_filter_doc {
    const char *usage, *summary; /* "blur:SIGMA"; "Gaussian blur, SIGMA in pixels" */
};
const struct imf_filter_doc *imf_filter_doc(size_t index);
char *imf_filter_help(const char *name); /* with its parameters, to be freed; NULL: not built in */
/* The user's own .flt files, or why one cannot be used; the caller frees them. IMF_ERR_MEMORY. */
enum imf_status imf_filter_docs_own(struct imf_filter_doc **docs, size_t *count,
                                    struct imf_error *err);
void imf_filter_docs_free(struct imf_filter_doc **docs, size_t count);

/* ---- planning and running ----------------------------------------------------------------- */

enum imf_edge {
    IMF_EDGE_CLAMP,
    IMF_EDGE_REFLECT,
    IMF_EDGE_MIRROR,
    IMF_EDGE_WRAP,
    IMF_EDGE_CONSTANT
};
enum imf_range { /* DEFAULT: as the filter says */
                 IMF_RANGE_DEFAULT,
                 IMF_RANGE_CLIP,
                 IMF_RANGE_ABS,
                 IMF_RANGE_OFFSET,
                 IMF_RANGE_NORMALIZE
};
/* A remark for the user, or NULL; the filter's own. IMF_RANGE_NORMALIZE, which stretches the range
 * anyway, leaves out that a kernel brightens. */
const char *imf_filter_note(const struct imf_filter *filter, enum imf_range range);
enum imf_alpha { IMF_ALPHA_AUTO, IMF_ALPHA_PREMULTIPLY, IMF_ALPHA_FILTER, IMF_ALPHA_KEEP };
enum imf_backend {
    IMF_BACKEND_AUTO,
    IMF_BACKEND_DIRECT,
    IMF_BACKEND_SEPARABLE,
    IMF_BACKEND_FFT,
    IMF_BACKEND_CPU,
    IMF_BACKEND_VECTOR,
    IMF_BACKEND_GLES
};

struct imf_settings {
    enum imf_edge edge;
    double edge_value; /* IMF_EDGE_CONSTANT: fraction of full scale, 0..1 */
    enum imf_range range;
    enum imf_alpha alpha;
    bool linear;             /* filter in linear light, */
    struct imf_curve *curve; /* which this tells; NULL: sRGB's. A plan keeps it: free it any time */
    enum imf_backend backend;
    int depth;                 /* output depth 8 or 16; 0: the input's */
    uint64_t max_memory, held; /* bytes of the process, 0: no limit; of its codecs, if known */
    bool whole; /* the image will be whole in memory: held by its reader, or benched or verified */
};

enum imf_device_kind {
    IMF_DEVICE_AUTO,
    IMF_DEVICE_CPU,
    IMF_DEVICE_GPU,
    IMF_DEVICE_INDEX,
    IMF_DEVICE_NAME
};

/* Which device, and where programs are kept. Zero-initialised: automatic, default cache. */
struct imf_context_options {
    enum imf_device_kind device;
    int index;             /* IMF_DEVICE_INDEX: as imf_device_list() counts */
    const char *name;      /* IMF_DEVICE_NAME: part of the name, whatever its case */
    const char *cache_dir; /* NULL: $XDG_CACHE_HOME/imfilter or ~/.cache/imfilter; "": none. Not
                              used where it is a link, not ours, or others can write it */
    /* Drivers may abort, hang or crash. A command that uses one, {"/proc/self/exe", "--try", NULL},
     * is run before it is loaded, unless the cache directory has its end: by a signal, IMF_PROBE_WRONG
     * or after probe_seconds (0: 20), IMF_ERR_NO_DEVICE. NULL: trust. Borrowed. */
    const char *const *probe, *const *gles_probe; /* of OpenCL, of OpenGL ES */
    unsigned probe_seconds;
#define IMF_PROBE_WRONG 65 /* the command's exit status where wrong samples were made */
    /* Let PoCL keep its files in the cache directory or else in a temporary one, gone with the
     * context. Unless it is set this sets POCL_CACHE_DIR: not beside threads that read those. */
    bool pocl_cache;
};

struct imf_context; /* holds the device once something needs it; creating one touches none */
enum imf_status imf_context_create(struct imf_context **out,
                                   const struct imf_context_options *options,
                                   struct imf_error *err);
void imf_context_free(struct imf_context **ctx);
/* What it does before it loads OpenCL: for callers of imf_device_list(). */
enum imf_status imf_context_prepare(struct imf_context *ctx, struct imf_error *err);

struct imf_device_info {
    int index; /* -1: it is OpenGL ES's, of which no numbers are known */
    char name[128], platform[128], driver[64], version[64];
    bool gpu, unified, float64; /* unified: it shares the host's memory */
    unsigned compute_units, max_group /* work-items */;
    uint64_t global_memory, local_memory, max_buffer; /* bytes */
    bool usable, failed;   /* failed: not usable since the driver failed to describe the device */
    bool automatic, tuned; /* IMF_DEVICE_AUTO takes this one; its rates were measured */
    char why[128];         /* it is not usable or not automatic; else "" */
    char lacks[160];       /* "float64, unified memory", of what kernels use */
};
/* How many; fills up to `capacity`. The second tries drivers, knows the tuned, adds OpenGL ES's. */
size_t imf_device_list(struct imf_device_info *list, size_t capacity);
size_t imf_context_devices(struct imf_context *ctx, struct imf_device_info *list, size_t capacity);

/* The rates that estimates go by, and those shipped, as a table; *text is the caller's to free(). */
enum imf_status imf_context_rates(char **text, struct imf_context *ctx, struct imf_error *err);
/* Measure them, for up to 20 seconds, and keep them in the cache directory: plans made from now on
 * go by them; none may be made meanwhile. progress may be NULL. IMF_ERR_IO: they were not kept. */
enum imf_status imf_context_tune(struct imf_context *ctx, void (*progress)(void *data, double part),
                                 void *data, struct imf_error *err);

/* What one backend would do in one pass of a filter's stage, and what it is estimated to cost; or
 * the whole chain as it is done. */
struct imf_candidate {
    int stage;                        /* from 1 on; 0: the whole chain */
    char backend[16], algorithm[128]; /* "direct"; "direct 3x3, exact integer" */
    double estimate_ms;               /* < 0 when not eligible */
    double transfer_ms;               /* before it, of the chosen; whole chain: of the result */
    bool eligible, chosen;
    char why[160];   /* why it was chosen, passed over or not eligible */
    double start_ms; /* more that starting its device takes, once */
    /* Of the whole chain. */
    uint64_t bytes;    /* that the process takes: pixels, working buffers, driver */
    const char *whole_image_reason; /* why the whole image is in memory, or NULL: its rows stream */
};

/* How an image is filtered, or was. Owned by whom it was asked of. */
struct imf_choice {
    const struct imf_candidate *candidates; /* of every pass in order, each backend's */
    size_t count;
    const struct imf_candidate *chosen; /* the whole chain */
    const char *device;                 /* that it is done on, or "host" */
    bool measured;                      /* estimates go by rates measured on that device */
    const char *note; /* a warning for the user ("no OpenCL platform: ..."), or NULL */
};

struct imf_plan; /* fits one image shape; may be run many times, while context and filter live */
enum imf_status imf_plan_create(struct imf_plan **out, struct imf_context *ctx,
                                const struct imf_filter *filter, const struct imf_info *input,
                                const struct imf_settings *settings, struct imf_error *err);
void imf_plan_free(struct imf_plan **plan);
/* The output's shape, in the input's format: a copy may have another before a writer is opened. */
const struct imf_info *imf_plan_output(const struct imf_plan *plan);
const struct imf_choice *imf_plan_choice(const struct imf_plan *plan);

struct imf_run_options {
    unsigned bench; /* > 0: after one warm-up filter this many times, and time each */
    bool verify;    /* run the reference too and compare */
    int threads;    /* that may work at once; 0: all cores'; 1: steps do not overlap */
};

struct imf_report {
    double setup_ms, decode_ms, upload_ms, compute_ms, download_ms, encode_ms, total_ms;
    int bands; /* > 0: parts that went through all stages at once; which waited for each other: */
    double decode_wait_ms, compute_wait_ms, encode_wait_ms, run_ms; /* run_ms passed in all */
    double compute_min_ms, compute_median_ms, upload_median_ms, download_median_ms; /* bench */
    bool verified;     /* what follows is known */
    double verify_max; /* largest |output - reference| in output sample units */
    uint64_t verify_differing, verify_samples; /* samples that differ, and that were compared */
    bool verify_ok;                            /* within the contract's exactness */
    uint64_t verify_unexcused; /* samples that differ outside what the contract allows */
    int palette; /* > 0: only the palette's so many colours were filtered, in plain C on the host */
    bool fell_back; /* the device failed, now or in an earlier run, and the host did it */
};

/* Decode every row of `reader`, filter, encode to `writer` (NULL: discard the result; the writer is
 * finished, not closed), each on a thread. The reader's info must equal the plan's input. */
enum imf_status imf_plan_run(const struct imf_plan *plan, struct imf_reader *reader,
                             struct imf_writer *writer, const struct imf_run_options *options,
                             struct imf_report *report, struct imf_error *err);
/* The same from memory to memory: samples as struct imf_info says, strides in bytes. */
enum imf_status imf_plan_run_memory(const struct imf_plan *plan, const void *src, size_t src_stride,
                                    void *dst, size_t dst_stride,
                                    const struct imf_run_options *options,
                                    struct imf_report *report, struct imf_error *err);

/* An image's pixels, working buffers, programs and device queue: made by the first run, kept for the
 * next, for a thread that filters many images of a shape. The plan must outlive it. */
struct imf_workspace;
enum imf_status imf_workspace_create(struct imf_workspace **out, const struct imf_plan *plan,
                                     struct imf_error *err);
void imf_workspace_free(struct imf_workspace **workspace);
const struct imf_plan *imf_workspace_plan(const struct imf_workspace *workspace);
/* The plan's choice, unless the device failed in a run: then what was done instead, and will be. */
const struct imf_choice *imf_workspace_choice(const struct imf_workspace *workspace);
/* As imf_plan_run() and imf_plan_run_memory(). */
enum imf_status imf_workspace_run(struct imf_workspace *workspace, struct imf_reader *reader,
                                  struct imf_writer *writer, const struct imf_run_options *options,
                                  struct imf_report *report, struct imf_error *err);
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
 * lengths with a prime factor above 61. Values are pairs of floats, real and imaginary part, rows
 * without gaps, and the batch's transforms likewise. Any length up to 2^22 will do; products of 2,
 * 3, 5 and 7 are the quickest, prime factors above 61 the slowest. */
struct imf_fft_shape {
    int nx, ny, batch; /* neighbouring values, rows (1 or 0: one dimension), transforms (0: 1) */
    unsigned radices;  /* to build from: bits 2, 3, 4, 5, 7, 8 and 16; 0: all, and any prime */
};
enum imf_fft_direction { IMF_FFT_FORWARD, IMF_FFT_INVERSE };
/* The length from n on that is estimated to be the quickest; 0 when there is none (n > 2^22). */
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
/* The parts of imf_fft_run(), for data that stay on the device: its values, to read and write until
 * they are unmapped (on a CPU, without a copy), and a transform in place, done when it returns. */
enum imf_status imf_fft_map(struct imf_fft *fft, float **values, struct imf_error *err);
enum imf_status imf_fft_unmap(struct imf_fft *fft, struct imf_error *err);
enum imf_status imf_fft_transform(struct imf_fft *fft, enum imf_fft_direction direction,
                                  struct imf_error *err);

/* ---- pictures of filters and images --------------------------------------------------------- */

struct imf_picture { /* rows of 3 * width bytes, red, green, blue: to be written as 8-bit RGB */
    int width, height;
    unsigned char *rgb;
};
void imf_picture_free(struct imf_picture **picture);
/* The coefficients of every stage as text, with size, origin, scale, sums, rank and gains; of a
 * transfer function a table of gains. *text is the caller's to free(). Lines over 160 characters
 * are cut to the part around the origin, unless `whole`. The decimal point is the locale's. */
enum imf_status imf_filter_print(char **text, const struct imf_filter *filter, bool whole,
                                 struct imf_error *err);
/* Stage under stage: coefficients (negative blue, positive orange), magnitude of the frequency
 * response over -0.5..0.5 cycles a pixel, and its sections; last the chain's, if it has one. */
enum imf_status imf_filter_picture(struct imf_picture **out, const struct imf_filter *filter,
                                   struct imf_error *err);

struct imf_pixels { /* in memory, as struct imf_info says; the stride is in bytes; borrowed */
    const struct imf_info *info;
    const void *data;
    size_t stride;
};

/* Periodic patterns at +-(u, v) cycles a pixel, u >= 0, each with the radius of a notch that
 * removes it; the strongest first. 0 dB is a cosine that spans black to white. */
enum { IMF_PEAKS = 8 };
struct imf_peaks {
    size_t count;
    double u[IMF_PEAKS], v[IMF_PEAKS], radius[IMF_PEAKS], decibels[IMF_PEAKS];
};

/* The spectrum of an image's luma, less its mean and under a Hann window, in decibels, and the mean
 * of each ring of frequencies; `after`, if not NULL, beside it. Needs 8 bytes a pixel. name and
 * filter are titles, or NULL; peaks, if not NULL, receives those of `before`. */
enum imf_status imf_spectrum_picture(struct imf_picture **out, const struct imf_pixels *before,
                                     const struct imf_pixels *after, const char *name,
                                     const char *filter, struct imf_peaks *peaks,
                                     struct imf_error *err);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
