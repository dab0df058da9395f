/*
 * imfilter_program.h - what the program uses beside imfilter.h
 *
 * Not part of the interface: it is not installed, the shared library hides it, and it may change at
 * any time. The program links to the static library.
 */
#ifndef IMFILTER_PROGRAM_H
#define IMFILTER_PROGRAM_H

#include "imfilter.h"

#include <stdatomic.h>

/* ---- drivers ------------------------------------------------------------------------------ */

/* Precautions against drivers that abort, hang or crash. Zero-initialised: none. */
struct imf_driver_guard {
    /* A command, {"/proc/self/exe", "--try", NULL}, that uses the driver. It is run before the
     * driver is loaded, unless the cache directory has the result of an earlier run. If it ends by
     * a signal, with IMF_PROBE_WRONG or not within probe_seconds, the driver is not loaded and its
     * use fails with IMF_ERR_NO_DEVICE. NULL: the driver is trusted. Borrowed by the context. */
    const char *const *probe, *const *gles_probe; /* of OpenCL, of OpenGL ES */
    unsigned probe_seconds;                       /* 0: 20 */
    /* PoCL keeps its files in the cache directory, or else in a temporary one that goes with the
     * context. This sets the environment variable POCL_CACHE_DIR unless it is set: no other thread
     * may read the environment meanwhile. */
    bool pocl_cache;
    /* -1, or the descriptor of a file in the cache directory that a context holds while its driver is
     * in use: who ends by a crash takes from its owner the right to write it. The next context then sets
     * PoCL's cache aside, and fails once with IMF_ERR_NO_DEVICE. NULL: crashes are not told. */
    atomic_int *mark;
    void (*opened)(
        void); /* NULL, or called when a driver was loaded: it may have set signal handlers */
};
#define IMF_PROBE_WRONG 65 /* exit status of a probe that got wrong samples */

/* Call it before anything else uses the context. The struct is copied. */
void imf_context_guard(struct imf_context *ctx, const struct imf_driver_guard *guard);
/* Run the probe of OpenCL and set PoCL's cache, once, without loading OpenCL: before
 * imf_device_list(). IMF_ERR_NO_DEVICE: the probe failed. */
enum imf_status imf_context_prepare(struct imf_context *ctx, struct imf_error *err);
/* imf_device_list(), but without drivers that failed their probe, with `tuned`, and with OpenGL ES
 * at its end. */
size_t imf_context_devices(struct imf_context *ctx, struct imf_device_info *list, size_t capacity);

/* $XDG_CACHE_HOME/imfilter, else ~/.cache/imfilter, which the caller frees; NULL in *out when neither
 * is known. False: out of memory. */
bool imf_default_cache_dir(char **out);

/* What the library was built with, or `with` = false: without: "OpenCL, TIFF", or "". */
const char *imf_built(bool with);

/* Which way max_memory keeps the plan from, with how much memory it would be taken; or NULL. Bands that
 * are lower than they would be without the limit do not count. */
const char *imf_plan_limited(const struct imf_plan *plan);
/* The operations that the filter was lowered to, what they were rewritten to, and the passes, a line each; NULL
 * unless the plan was made to be explained. */
const char *imf_plan_steps(const struct imf_plan *plan);

/* imf_plan_create() for runs with these options, so that the plan's bytes include what verifying
 * takes. Other runs that verify fail where that exceeds max_memory. explain: candidates are those of
 * the device that a run would open. */
enum imf_status imf_plan_create_for(struct imf_plan **out, struct imf_context *ctx,
                                    const struct imf_filter *filter, const struct imf_info *input,
                                    const struct imf_settings *settings,
                                    const struct imf_run_options *runs, bool explain,
                                    struct imf_error *err);
/* Append what imf_filter_from_mask() makes; what the filter holds counts for max_memory. */
enum imf_status imf_filter_append_mask(struct imf_filter *filter, const char *path,
                                       const struct imf_limits *limits, struct imf_error *err);
/* Bytes of the filter's kernels and masks, which the bytes of its plans include. Masks may grow when a
 * plan is made. */
uint64_t imf_filter_held(const struct imf_filter *filter);

/* ---- batches -------------------------------------------------------------------------------- */

/*
 * Plans by device and shape of the image, and their workspaces, shared by the jobs of a batch.
 *
 * There is one plan for each shape of image on each device. Workspaces are handed out in the order of
 * the requests as long as their sum stays within the memory limit; a request that would exceed it
 * waits for a release. A request is always granted when no workspace is in use: the plan itself
 * keeps to the limit.
 *
 * An image goes to the device that will have filtered it first: by estimates, which are corrected by what images took
 * there lately, and the images that it has already. Other devices than the first are opened once a plan uses that.
 * Images that a device failed at go to the others.
 */
struct imf_plan_cache;

/* What the cache is made for; all that it points to is borrowed. */
struct imf_batch {
    struct imf_context *const *contexts; /* devices of them, at least 1, */
    int devices, most_devices;           /* and room for so many */
    /* Add contexts of other devices, and return how many there are then; NULL: there is only this one. */
    int (*open_others)(void *pool);
    void *pool;
    const struct imf_filter *filter;
    struct imf_settings settings;
    bool explain;
    int jobs, cores; /* images at once; cores that they share */
    uint64_t memory; /* bytes of all workspaces and of the filter */
};

/* What a plan is made for. */
struct imf_plan_key {
    struct imf_info info;
    uint64_t held; /* by the reader */
    bool whole;    /* the image will be whole in memory */
    bool verify;   /* and be verified */
    enum imf_twice twice;
    double full;             /* as settings have it, */
    bool missing;            /* this, too */
    int depth;               /* this, too, where the settings have none */
    struct imf_curve *curve; /* of linear light, as settings have it; the plan keeps it */
};

/* What one job has while it runs. */
struct imf_lease {
    struct imf_plan_entry *entry;
    int device;
    const struct imf_plan *plan;
    struct imf_workspace *workspace;
    int threads;             /* for this image: all jobs together fill the cores */
    bool reused;             /* the workspace has been used before */
    bool done;               /* for the job to set: the image was filtered */
    double begun, queued_ms; /* when it was handed out; its estimate on the device */
};

enum imf_status imf_plan_cache_create(struct imf_plan_cache **out, const struct imf_batch *batch,
                                      struct imf_error *err);
void imf_plan_cache_free(struct imf_plan_cache **cache);
/* Choose a device, and wait until there is enough memory. lease->device is set even on failure. */
enum imf_status imf_plan_cache_acquire(struct imf_plan_cache *cache, const struct imf_plan_key *key,
                                       struct imf_lease *lease, struct imf_error *err);
/* Harmless for a lease that was released, or not acquired. */
void imf_plan_cache_release(struct imf_plan_cache *cache, struct imf_lease *lease);

/* After this failure of a device: if there are others, it gets no more images. */
enum imf_drop {
    IMF_DROP_NOT,   /* the failure is not the device's, or there is no other */
    IMF_DROP_FIRST, /* from now on */
    IMF_DROP_AGAIN
};
enum imf_drop imf_plan_cache_drop(struct imf_plan_cache *cache, int device,
                                  const struct imf_error *failure);

/* ---- formats and help ----------------------------------------------------------------------- */

/* Before the first row: do without limits.keep_blocks, with a warning. False: nothing was held for it. */
bool imf_reader_drop_blocks(struct imf_reader *reader);
/* By the first bytes of a file, of which 512 are enough. IMF_FORMAT_NONE: another file, or a text
 * that begins like an image. */
enum imf_format imf_format_from_head(const void *head, size_t size);
/* Is the regular file a TIFF that has previews of a camera raw? */
bool imf_is_camera_raw(int fd);
enum imf_pnm imf_pnm_from_name(const char *name); /* "pbm" and so on; else IMF_PNM_ANY */
/* The shape that the file would have: turned, perhaps, with its bits and orientation. */
struct imf_info imf_writer_shape(const struct imf_info *info, const struct imf_encode *encode,
                                 const struct imf_metadata *metadata);
/* Read the page once more, before its first row, of a reader of which imf_reader_seeks(). */
struct imf_measured {
    double most; /* the largest sample but alpha, if that is asked for; -INFINITY: there is none */
    bool missing, partly; /* some samples are NaN; of a pixel that has others */
};
enum imf_status imf_reader_measure(struct imf_reader *reader, struct imf_measured *measured,
                                   bool most, struct imf_error *err);
/* Bytes of the pixels of all pages, at most, at so many bits a sample, or 0: as they are decoded. */
uint64_t imf_reader_bytes_of_pages(const struct imf_reader *reader, int depth);
/* More pages may follow those that imf_reader_pages() counts: of PNM from a pipe, or plain, it knows the next one when the
 * last row is read. */
bool imf_reader_pages_open(const struct imf_reader *reader);
/* imf_writer_page() where the reader, which is borrowed until the page is finished, will say whether a page follows. */
void imf_writer_page_of(struct imf_writer *writer, int page, const struct imf_reader *reader);
/* A part of a file, and what becomes of it. */
enum imf_becomes {
    IMF_PIXELS,
    IMF_STRUCTURE, /* headers, tables, padding: written anew for the result */
    IMF_KEPT,
    IMF_REBUILT, /* kept, but for what became untrue: orientation, sizes, offsets */
    IMF_LOST
};
struct imf_part {
    uint64_t offset, bytes; /* 0 bytes: it shares those of an earlier part */
    char name[64];
    enum imf_becomes becomes;
    const char *why; /* it is lost; static, or NULL */
    bool allowed;    /* lost, but no harm, or asked for */
};
#define IMF_NOT_HELD "the format cannot hold it"
struct imf_parts {
    struct imf_part *list; /* they cover the file, from its first byte to the last */
    size_t count;
    size_t besides; /* lost ones behind those, which are within parts */
    uint64_t size;  /* of the file, or so much of it as was read */
};
/* After the last row; with the writer that the reader's metadata went to, after it was finished, or
 * NULL. False: no memory. */
bool imf_parts_of(struct imf_parts *out, const struct imf_reader *reader,
                  const struct imf_writer *writer);
void imf_parts_free(struct imf_parts *parts);
/* The parts that are lost and not allowed to be, in words; false: none. */
bool imf_parts_lost(const struct imf_parts *parts, char *text, size_t size);
/* What becomes of a kind of part that files of one format may have beside the picture, by its number from
 * 0 on, in a file of another; without a name: it has none of that number. IMF_ERR_ARGUMENT: there are no
 * more. Those of the same name follow each other. */
enum imf_status imf_part_fate(struct imf_part *out, enum imf_format from, size_t i,
                              enum imf_format to);
/* Of imf_encode.strip: gain maps and other copies of the image, which would show what a filter hides. */
#define IMF_STRIP_PICTURES 16u
/* May it be meant to hide something? It has a mask, or it blurs. */
bool imf_filter_hides(const struct imf_filter *filter);
/* Does a mask keep parts of the picture? */
bool imf_filter_masks(const struct imf_filter *filter);
/* Usage, summary and parameters of the built-in filter that a spec or its name begins with; the
 * caller frees it by free(). NULL: there is none, or no memory. */
char *imf_filter_help(const char *name);
/* Words that the first argument of a built-in filter may be, and NULL; NULL: it takes none. */
const char *const *imf_filter_words(const char *name);
/* The .flt files that the user has. A file that cannot be used has the reason as its summary. */
enum imf_status imf_filter_docs_own(struct imf_filter_doc **docs, size_t *count,
                                    struct imf_error *err);
void imf_filter_docs_free(struct imf_filter_doc **docs, size_t count);

/* ---- pictures of filters and images --------------------------------------------------------- */

struct imf_picture { /* rows of 3 * width bytes, red, green, blue: to be written as 8-bit RGB */
    int width, height;
    unsigned char *rgb;
    float *power; /* NULL, or instead of rgb imf_spectrum_numbers()'s */
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

/* Write the kernel of a filter of one stage as gray PFM, divided by its scale; of unsharp, bilateral,
 * guided, ranks and morphology what imf_filter_print() prints. It is padded with zeros so that the
 * origin is the middle. IMF_ERR_ARGUMENT: more stages, two kernels, or none. */
enum imf_status imf_filter_write_pfm(FILE *stream, const struct imf_filter *filter,
                                     struct imf_error *err);

struct imf_pixels { /* in memory, as struct imf_info says; the stride is in bytes; borrowed */
    const struct imf_info *info;
    const void *data;
    size_t stride;
};

/* Periodic patterns at +-(u, v) cycles a pixel, u >= 0, each with the radius of a notch that
 * removes it; the strongest first. 0 dB is a cosine that spans black to white. Waves are what
 * "notch:auto" removes, and "descreen" with their harmonics. */
enum { IMF_PEAKS = 8, IMF_WAVES = 64 };
struct imf_peaks {
    size_t count;
    double u[IMF_PEAKS], v[IMF_PEAKS], radius[IMF_PEAKS], decibels[IMF_PEAKS];
    size_t waves;
    double wave_u[IMF_WAVES], wave_v[IMF_WAVES], wave_decibels[IMF_WAVES];
};

/* The spectrum of an image's luma, less its mean and under a Hann window, in decibels, and the mean
 * of each ring of frequencies. `after`, unless NULL, is shown beside `before`. Needs 8 bytes a
 * pixel. name and filter are titles, or NULL; *peaks, unless NULL, receives those of `before`. */
double imf_spectrum_bytes(const struct imf_info *info,
                          bool numbers); /* that this, or numbers, take beside the pixels */
enum imf_status imf_spectrum_picture(struct imf_picture **out, const struct imf_pixels *before,
                                     const struct imf_pixels *after, const char *name,
                                     const char *filter, struct imf_peaks *peaks,
                                     struct imf_error *err);
/* The same spectrum as a plane of powers, of the image's size or with zeros up to one that transforms quickly,
 * frequency 0 at (width / 2, height / 2): white noise of variance v, full scale being 1, has v at every frequency. */
enum imf_status imf_spectrum_numbers(struct imf_picture **out, const struct imf_pixels *pixels,
                                     struct imf_peaks *peaks, struct imf_error *err);
/* Write such a plane as PFM, or as CSV its mean over rings as wide as the grid is fine: a line "frequency,power,bins",
 * then one a ring, from 0 to the corners' 0.707 cycles a pixel. */
enum imf_status imf_spectrum_write(FILE *stream, const struct imf_picture *plane, bool csv,
                                   struct imf_error *err);

#endif
