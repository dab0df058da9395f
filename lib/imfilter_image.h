/*
 * imfilter_image.h - libimfilter's errors, and images in files: readers, writers, formats, curves
 *
 * imfilter.h includes it; a program that only reads and writes images may include it alone. What
 * imfilter.h says of errors, ownership, threads and sizes of structs holds here, too.
 */
#ifndef IMFILTER_IMAGE_H
#define IMFILTER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif
/* As in imfilter.h. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum imf_status {
    IMF_OK = 0,
    IMF_ERR_ARGUMENT,  /* an argument is out of its range, or does not fit the others */
    IMF_ERR_SPEC,      /* a filter spec or .flt file is wrong; imf_error.column says where */
    IMF_ERR_IO,        /* reading or writing failed; errno's message is in the text */
    IMF_ERR_FORMAT,    /* the format is unknown, or cannot hold or be filtered as asked */
    IMF_ERR_DAMAGED,   /* an image is truncated or corrupt */
    IMF_ERR_LIMIT,     /* a limit that the caller set, or a largest size, would be exceeded */
    IMF_ERR_MEMORY,    /* an allocation failed */
    IMF_ERR_NO_DEVICE, /* there is no such device, or it cannot be used */
    IMF_ERR_DEVICE,    /* an OpenCL call failed; imf_error.cl_code is its code */
    IMF_ERR_CANCELLED  /* imf_run_options.progress ended the run */
};

struct imf_error {
    enum imf_status status;
    int cl_code;    /* OpenCL error code, or 0 */
    size_t column;  /* IMF_ERR_SPEC: of the offending character in the spec, from 1 on; or 0 */
    char text[512]; /* one line, without a newline */
    uint64_t reserved[2];
};

/* A library may lack some, and have more, up to IMF_FORMAT_LAST: see imf_format_doc(). */
enum imf_format {
    IMF_FORMAT_NONE,
    IMF_FORMAT_PNG,
    IMF_FORMAT_JPEG,
    IMF_FORMAT_PNM,
    IMF_FORMAT_TIFF,
    IMF_FORMAT_WEBP,
    IMF_FORMAT_HEIF, /* is only read */
    IMF_FORMAT_AVIF,
    IMF_FORMAT_LAST = 31
};
enum imf_color { IMF_COLOR_GRAY, IMF_COLOR_RGB, IMF_COLOR_CMYK }; /* CMYK: 0 is no ink */

/* What numbers a file has, where rows have the same values as floats. */
enum imf_type {
    IMF_TYPE_ROWS,  /* what rows have: imf_info.depth says all */
    IMF_TYPE_FLOAT, /* floats of type_bits: 16 or 24; a writer limits finite ones to the largest */
    IMF_TYPE_UNSIGNED, /* integers of type_bits, 1 to 32; a writer rounds to them, ties to even, and limits */
    IMF_TYPE_SIGNED
};

/* The shape of an image. Rows go from top to bottom; a pixel's samples are neighbours. */
struct imf_info {
    int width, height; /* pixels, from 1 on */
    int channels;      /* 1..4, alpha included */
    int depth;         /* bits a sample, in native byte order: 8, 16 (unsigned), 32 or 64 (float) */
    enum imf_color color;
    bool alpha; /* the last channel is straight (not premultiplied) alpha */
    enum imf_format format;
    int bits;        /* gray without alpha of 1, 2 or 4 bits in the file, scaled to depth; else 0 */
    int orientation; /* EXIF's, 1 (upright) to 8, of the rows; 0: as the metadata say */
    int maxval;      /* of samples in a PNM, scaled to depth; 0: all that depth has */
    unsigned char type;      /* enum imf_type; of floats in rows */
    unsigned char type_bits; /* 0 where it is IMF_TYPE_ROWS */
    /* Of a multispectral picture its channels, alpha included: rows are of one of them, as gray with the picture's alpha,
     * and all follow each other (imf_reader_channel()). 0: rows have all channels. */
    unsigned short spectral;
    int reserved[2];
};
/* The sample that white has: 255, 65535, 1 of floats, the largest one of other types. */
double imf_info_full(const struct imf_info *info);

/* Which of a file's pages are read: the first, and others are lost; or all of them, or some, one after the other by
 * imf_reader_turn(). What describes all of them together is kept where all are. */
enum imf_pages { IMF_PAGES_FIRST, IMF_PAGES_ALL, IMF_PAGES_SOME };

struct imf_limits { /* NULL: the defaults below, and no others */
    size_t size;
    uint64_t max_pixels; /* width * height; 0: no limit */
    uint64_t max_memory; /* bytes of pixels and working buffers; 0: no limit */
    int max_scans;       /* of a progressive JPEG; 0: no limit */
    bool lenient;        /* read damaged images as far as possible; see imf_reader_rows() */
    /* A JPEG is held, so that where a writer makes a JPEG of the same size and settings of the rows, blocks
     * whose samples did not change keep their coefficients. The reader is closed after the writer. */
    bool keep_blocks;
    unsigned char pages;   /* enum imf_pages */
    bool infinity_missing; /* infinite samples of floats are read as NaN */
    bool spectral; /* channels that are no colours are read, see imf_info.spectral; or are lost */
};
#define IMF_DEFAULT_MAX_PIXELS 268435456u
#define IMF_DEFAULT_MAX_SCANS 100

/* EXIF, XMP, ICC, comments, resolution, gamma; of a JPEG also quantisation and subsampling. */
struct imf_metadata;
/* Rows that are not upright: keep them, with an EXIF tag that says so, or turn them upright. */
enum imf_orient { IMF_ORIENT_KEEP, IMF_ORIENT_APPLY };
enum imf_strip { IMF_STRIP_EXIF = 1, IMF_STRIP_XMP = 2, IMF_STRIP_ICC = 4, IMF_STRIP_ALL = 15 };
enum imf_pnm { IMF_PNM_ANY, IMF_PNM_PBM, IMF_PNM_PGM, IMF_PNM_PPM, IMF_PNM_PAM, IMF_PNM_PFM };
#define IMF_COMPRESSION_NONE (-1)
#define IMF_COMPRESSION_LZW 10    /* TIFF */
#define IMF_COMPRESSION_GROUP4 11 /* TIFF of 1 bit; IMF_ERR_FORMAT: another */

/* Of compression 0: floats in a TIFF are stored, unless they are from one that is compressed; 1 bit stays Group 3 or 4,
 * as Group 4. */
struct imf_encode {
    size_t size;
    int quality;         /* JPEG, WebP, AVIF, 1..100; 0: the source's (a JPEG's, lossless), or 92 */
    int subsampling;     /* JPEG, AVIF, 444, 422 or 420; 0: the source's, or 420 */
    int compression;     /* PNG, TIFF: 1 (fast) .. 9 (small) or IMF_COMPRESSION_NONE; 0: 6 */
    unsigned strip;      /* metadata not to write: enum imf_strip, or-ed */
    bool optimize;       /* JPEG: Huffman tables for this image; its coefficients are held */
    uint64_t max_memory; /* bytes of the encoder's buffers; 0: no limit */
    enum imf_orient orient; /* KEEP turns, too, where the file will have no EXIF tag */
    enum imf_pnm pnm;       /* ANY: the smallest that holds the image */
    int threads;            /* that may encode at once; 0: as many as cores */
};

/* Read the header of an image, and its metadata, from a stream that stands at its first byte. The
 * stream is borrowed until the reader is closed. It is not seeked, so that a pipe will do. */
struct imf_reader;
enum imf_status imf_reader_open(struct imf_reader **out, FILE *stream,
                                const struct imf_limits *limits, struct imf_error *err);
void imf_reader_close(struct imf_reader **reader);
/* Pages that imf_reader_turn() goes to: 1 unless limits.pages is set. Of PNM that follow each other, plain or in a stream
 * that is no file, it is one more each time the last row of a page is read and another follows; there only pages behind
 * the present one can be gone to. */
int imf_reader_pages(const struct imf_reader *reader);
/* Go to a page, from 1 on. Info and metadata become the page's; no writer has those before any more. After a failure
 * the reader can be turned again, or closed. */
enum imf_status imf_reader_turn(struct imf_reader *reader, int page, struct imf_error *err);
/* Of a page of which info.spectral says that there are several: go to the first row of a channel, from 0 on. Those behind
 * the present one are the fastest. */
enum imf_status imf_reader_channel(struct imf_reader *reader, int channel, struct imf_error *err);
const struct imf_info *imf_reader_info(const struct imf_reader *reader);
const struct imf_metadata *imf_reader_metadata(const struct imf_reader *reader);
/* Read the next `rows` rows into dst, `stride` bytes apart, at least width * channels * depth / 8.
 * Palettes, transparent colours and depths below 8 are expanded. IMF_ERR_DAMAGED, also for damage
 * behind the last row; a lenient reader returns what the codec recovers, or 0, and warns. */
enum imf_status imf_reader_rows(struct imf_reader *reader, void *dst, size_t stride, int rows,
                                struct imf_error *err);
/* Bytes that the decoder holds beside the rows, as of interlaced or progressive images. */
uint64_t imf_reader_held(const struct imf_reader *reader);
/* Rows are decoded as they are asked for. False: the whole image is decoded before the first. */
bool imf_reader_in_order(const struct imf_reader *reader);
/* The stream is a file that can be read twice. A run does so where the plan's settings say `twice`. */
bool imf_reader_seeks(const struct imf_reader *reader);
const char *imf_reader_warning(const struct imf_reader *reader); /* of survived damage, or NULL */

/* Begin an image on a stream, which is borrowed until the writer is closed; a TIFF's is seeked, if
 * it can be. info is the shape of the rows that imf_writer_rows() will get; info->format chooses the
 * codec. metadata, which may be NULL, is borrowed until the writer is finished. IMF_ERR_FORMAT: the
 * format cannot hold such an image; the text says which can. A writer that turns rows holds them,
 * unless they come at once. */
struct imf_writer;
enum imf_status imf_writer_open(struct imf_writer **out, FILE *stream, const struct imf_info *info,
                                const struct imf_encode *encode,
                                const struct imf_metadata *metadata, struct imf_error *err);
enum imf_status imf_writer_rows(struct imf_writer *writer, const void *src, size_t stride, int rows,
                                struct imf_error *err);
/* Complete the image after its last row and flush the stream; where info.spectral says that there are several channels,
 * the first calls complete one each, which another's rows follow. Of alpha's channel alpha is written, of the others the
 * gray. */
enum imf_status imf_writer_finish(struct imf_writer *writer, struct imf_error *err);
void imf_writer_close(struct imf_writer **writer);
/* Before the last row: this is a page of so many, from 1 on, in a format that holds pages; `bytes`: what pixels of all that
 * follow take at most, before they are compressed (beyond 4 GB a TIFF becomes a BigTIFF). */
void imf_writer_page(struct imf_writer *writer, int page, int pages, uint64_t bytes);
/* After a finished page that others follow: begin the next one, of the same format. info and metadata are as for
 * imf_writer_open(); the warning is the new page's. */
enum imf_status imf_writer_turn(struct imf_writer *writer, const struct imf_info *info,
                                const struct imf_metadata *metadata, struct imf_error *err);
/* What of the metadata or the image could not be written, or NULL. */
const char *imf_writer_warning(const struct imf_writer *writer);

struct imf_format_doc {        /* in static storage */
    const char *name, *title;  /* "jpeg", "JPEG" */
    const char *extensions[8]; /* without the dot, the usual one first; NULL after the last */
    const char *options[8];    /* members of imf_encode that it obeys; NULL after the last */
};
/* NULL for IMF_FORMAT_NONE and formats that this library does not have. */
const struct imf_format_doc *imf_format_doc(enum imf_format format);
/* By an extension without the dot, in any case of letters. IMF_FORMAT_NONE: there is none. */
enum imf_format imf_format_from_name(const char *name);
bool imf_format_is_written(enum imf_format format);  /* or only read */
bool imf_format_holds_pages(enum imf_format format); /* its files may have several */
const char *imf_format_name(enum imf_format format); /* imf_format_doc.name, or "none" */

/* How samples encode light, and how colours count in luminance. NULL stands for the sRGB curve and
 * Rec. 709's luma. */
struct imf_curve;
/* From cICP of a PNG, else the ICC profile, else sRGB or gAMA and cHRM of a PNG, else sRGB, for
 * which *out is NULL. IMF_ERR_FORMAT or IMF_ERR_DAMAGED: what the metadata name cannot be used. */
enum imf_status imf_curve_read(struct imf_curve **out, const struct imf_metadata *metadata,
                               const struct imf_info *info, struct imf_error *err);
void imf_curve_free(struct imf_curve **curve);
bool imf_curve_same(const struct imf_curve *a, const struct imf_curve *b); /* either may be NULL */

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
