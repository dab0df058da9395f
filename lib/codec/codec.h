/*
 * codec.h - a file format
 *
 * A format is one struct imf_codec: its names, how it is recognised, what it can store, and how it
 * is read and written. codec/table.c lists them.
 */
#ifndef IMF_CODEC_H
#define IMF_CODEC_H

#include "codec/decoder.h"
#include "codec/encoder.h"

struct imf_codec {
    struct imf_format_doc doc;
    /* Does a file that begins with these bytes have this format? */
    bool (*recognise)(const unsigned char *head, size_t size);
    /* NULL, or a stricter test for files without the name of an image; 512 bytes are enough. */
    bool (*plausible)(const unsigned char *head, size_t size);
    unsigned colors;   /* a set of 1 << enum imf_color that it can store */
    unsigned alpha;    /* depths with alpha beside gray and RGB */
    bool repeats_gray; /* gray is stored as colours */
    bool names_colors; /* by H.273's numbers, as a PNG's cICP */
    unsigned depths;   /* a set of bits a sample: 8 | 16 | 32 | 64 */
    int rounds;        /* of 16 bits it has so many, which a warning says; 0: all */
    unsigned few_bits; /* a set of 1 << imf_info.bits */
    int side_max;      /* rows or columns */
    bool resolution;   /* it says how many pixels an inch has */
    bool spectral;     /* it stores info.spectral channels */
    bool late;         /* its encoder writes what was read behind the pixels */
    size_t metadata_max[IMF_META_KINDS]; /* bytes of an item; 0: it stores none */
    /* NULL, or change the image's description as the options demand. */
    void (*adapt)(struct imf_info *info, const struct imf_encode *encode);
    const struct imf_decoder *decoder;
    const struct imf_encoder *encoder; /* NULL: it is only read */
};

/* Equal but for the case of a's ASCII letters? Not strcasecmp(), which follows the locale. */
static inline bool imf_same_word(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if ((*a >= 'A' && *a <= 'Z' ? *a + 32 : *a) != *b)
            return false;
    return *a == *b;
}

/* What the writer makes of an item, NULL: of the resolution; w may be NULL. */
enum imf_becomes imf_writer_fate(const void *w, const struct imf_meta_item *item,
                                 struct imf_part *part);

/* The colours of an indexed image. */
struct imf_palette {
    int count; /* 1..256 */
    unsigned char rgba[256][4];
};

/* The palette of the reader's pixels, or NULL; before the first row. NULL also when lenient: rows
 * that are missing would have no index. */
const struct imf_palette *imf_reader_palette(const struct imf_reader *r);
/* From now on rows are indices, a byte a pixel. Some may be beyond the palette. */
void imf_reader_take_indices(struct imf_reader *r);
/* Read the same image again, from its first row on, once r has read its last. The stream is r's. */
enum imf_status imf_reader_again(struct imf_reader **out, const struct imf_reader *r,
                                 struct imf_error *err);
/* The largest value of a sample in the file, from which samples were scaled to the full range of
 * their depth: round(sample * this / full) is what stands there. */
unsigned imf_reader_maxval(const struct imf_reader *r);
/* Keep no further picture: of a filter that changes parts only, it would show what they were. */
void imf_writer_keep_no_pictures(struct imf_writer *w);
/* Write indices, a byte a pixel, instead of the pixels that the writer was opened for. */
bool imf_writer_takes_indices(const struct imf_writer *w);
enum imf_status imf_writer_palette(struct imf_writer *w, const struct imf_palette *palette,
                                   struct imf_error *err);

/* Pass the caller's next rows to the encoder, reordered by their EXIF orientation. */
enum imf_status imf_writer_orient(struct imf_writer *w, const unsigned char *src, size_t stride,
                                  int rows, struct imf_error *err);

#endif
