/*
 * encoder.h - what an encoder must offer, and what it can call
 *
 * An encoder is a table of functions that work on the public writer object, with their own state
 * behind `state`. codec/writer.c owns what formats share: counting rows, what cannot be stored,
 * EXIF orientation, and flushing.
 */
#ifndef IMF_CODEC_ENCODER_H
#define IMF_CODEC_ENCODER_H

#include "base/error.h"
#include "base/image/orientation.h"
#include "codec/metadata/items.h"

#include <stdio.h>

struct imf_codec;
struct imf_palette;
struct imf_reader;

#define IMF_STRIPPED "--strip"
#define IMF_HIDDEN "it would show what a region, a mask or a blur hides"

struct imf_writer {
    const struct imf_codec *codec;
    FILE *stream;
    FILE *file; /* NULL, or the caller's: the stream is in memory, see imf_writer_hold() */
    char *held; /* its bytes, once it is released */
    size_t held_size;
    struct imf_info info; /* of the file */
    size_t row_bytes;
    struct imf_info input;              /* of the caller's rows */
    size_t input_bytes;                 /* of one of them */
    struct imf_orientation orientation; /* from input to info */
    bool out_of_memory;                 /* some metadata could not be written: no memory */
    bool reoriented;                    /* the metadata and the file differ in orientation */
    unsigned char *rows; /* the caller's, buffered until all are there to be reoriented */
    unsigned char *data; /* imf_writer_data()'s */
    unsigned char *xmp;  /* imf_writer_xmp()'s */
    struct imf_meta_item
        *made_icc;    /* a profile that replaces what the format cannot hold, or NULL */
    bool says_colors; /* the profile, if the file has one, says what the metadata do */
    struct imf_encode encode;
    const struct imf_metadata *metadata; /* borrowed until the writer is finished; may be NULL */
    struct imf_jpeg_source jpeg;         /* from the metadata, oriented like the file */
    int row;                             /* of the caller's, written so far */
    int channel;                         /* of info.spectral, whose rows they are */
    enum imf_status failed;
    uint64_t written; /* bytes, by imf_writer_put() */
    int error;        /* errno of a failed write, which codec/writer.c reports */
    uint64_t memory;  /* bytes that encoding takes beside the rows */
    struct imf_writer_loss {
        const struct imf_meta_item *item; /* NULL: `name` is a part of one */
        const char *name, *why;
        uint64_t bytes;
    } * losses; /* owned */
    size_t loss_count;
    size_t known;    /* items when it was opened */
    int page, pages; /* this one, from 1 on, and how many there will be; 0: it is the only one */
    const struct imf_reader
        *source;            /* NULL, or says when it is finished whether another page follows */
    uint64_t later;         /* bytes of the pixels of those that follow, at most */
    const char *no_trailer; /* why what follows a JPEG's first image is not written, or NULL */
    char warning[640];
    void *state; /* the encoder's */
};

/*
 * state: bytes of it, which are zeros before open and freed after close. open: begin the file. rows:
 * encode rows of info's shape. finish: NULL, or complete the page and, unless more follow, the file. turn: NULL: it
 * holds one page, or give up what is the page's, before open is called again for the next one. close: free what state
 * owns, also after a failed open. palette: NULL, or called before the first row to say that rows are indices, a byte
 * a pixel.
 */
struct imf_encoder {
    size_t state;
    enum imf_status (*open)(struct imf_writer *w, struct imf_error *err);
    enum imf_status (*rows)(struct imf_writer *w, const unsigned char *src, size_t stride, int rows,
                            struct imf_error *err);
    enum imf_status (*finish)(struct imf_writer *w, struct imf_error *err);
    void (*close)(struct imf_writer *w);
    enum imf_status (*palette)(struct imf_writer *w, const struct imf_palette *palette,
                               struct imf_error *err);
    void (*turn)(struct imf_writer *w);
};

/* Write bytes of the file; after an error nothing more is written. */
void imf_writer_put(struct imf_writer *w, const void *bytes, size_t size);
/* Where the stream stands, or -1: it cannot be written to in any order. */
off_t imf_writer_position(const struct imf_writer *w);
/* Keep what is put from now on in memory. */
enum imf_status imf_writer_hold(struct imf_writer *w, struct imf_error *err);
/* Put bytes to the file again. */
void imf_writer_release(struct imf_writer *w);
/* Set the bytes that encoding takes. IMF_ERR_LIMIT: more than max_memory. */
enum imf_status imf_writer_memory(struct imf_writer *w, uint64_t bytes, const char *what,
                                  struct imf_error *err);
/* Add a remark. */
void imf_writer_warn(struct imf_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* An item is not written, though the format could hold it; or, item NULL, so many bytes of one are not.
 * The texts are static. */
void imf_writer_lose(struct imf_writer *w, const struct imf_meta_item *item, const char *name,
                     uint64_t bytes, const char *why);

/* Pack the upper `bits` (1, 2 or 4) of `count` samples, several to a byte, the first in its upper
 * bits. A sample has `depth` bits: 16, or in a byte 8 or fewer. */
void imf_pack_bits(unsigned char *to, const unsigned char *row, int count, int depth, int bits);

/* Why this item is not to be written, or NULL. *consent: it is stripped, or may hold a copy of the image,
 * which would show what the filter hides. */
const char *imf_writer_refuses(const struct imf_writer *w, const struct imf_meta_item *item,
                               bool *consent);
bool imf_writer_wants(const struct imf_writer *w, const struct imf_meta_item *item);
/* The item's bytes, with the file's orientation and without thumbnails; NULL without memory. Valid until the next call. */
const unsigned char *imf_writer_data(struct imf_writer *w, const struct imf_meta_item *item);
/* An XMP item's packet: upright, with its extension where the format has no segments for that, without
 * what is hidden and references to a trailer that is not written. NULL: it is no XML, or there is no
 * memory. Valid until the next call. */
const unsigned char *imf_writer_xmp(struct imf_writer *w, const struct imf_meta_item *item,
                                    size_t *size);
/* The profile that the file gets, or NULL. */
const struct imf_meta_item *imf_writer_icc(const struct imf_writer *w);
/* Make a profile where the metadata's own is for other colours, or chunks that only a PNG holds name the
 * colours, and one can be made. */
enum imf_status imf_writer_make_icc(struct imf_writer *w, struct imf_error *err);
/* Is what this item says of colours in the file's profile, or needs none? */
bool imf_writer_rebuilds(const struct imf_writer *w, const struct imf_meta_item *item);
/* Density of the file's pixels, of unit NONE where it is unknown or not to be written. */
struct imf_density imf_writer_density(const struct imf_writer *w);

#endif
