/*
 * decoder.h - what a decoder must offer, and what it can call
 *
 * A decoder is a table of functions that work on the public reader object, with their own state
 * behind `state`. codec/reader.c owns what formats share: recognising, limits, counting rows, what
 * "lenient" means.
 */
#ifndef IMF_CODEC_DECODER_H
#define IMF_CODEC_DECODER_H

#include "base/error.h"
#include "codec/account.h"
#include "codec/metadata/items.h"
#include "codec/source.h"

struct imf_codec;
struct imf_palette;

struct imf_reader {
    const struct imf_codec *codec; /* NULL: not recognised */
    struct imf_limits limits;
    int page;        /* that is read, from 1 on; 0: the first, or the file's only one */
    int pages;       /* that the file has; 0: it is read as one picture */
    bool pages_open; /* so many are known, and more may follow them */
    bool aside;      /* read beside another reader of the page: it holds little */
    uint64_t
        page_at; /* where the page begins, if the decoder wants to know when it is read again */
    struct imf_pages_size {
        uint64_t samples, bytes; /* of all pages, at most, as they are decoded */
    } pages_size;
    void *state; /* the decoder's */
    struct imf_source source;
    /* The page's, from here on, which are zeros before it is opened. */
    struct imf_info info;
    size_t row_bytes;            /* of a decoded row */
    struct imf_palette *palette; /* owned, or NULL */
    bool indices;                /* rows are indices into the palette */
    int channel;                 /* of info.spectral, that is read */
    struct imf_metadata metadata;
    int row;                /* rows decoded so far */
    bool broken;            /* lenient: rows from here on are zeros */
    bool recoverable;       /* a damaged image has something to show when lenient */
    enum imf_status failed; /* of the read that failed; later ones fail alike */
    uint64_t memory;        /* bytes that decoding takes beside the rows */
    bool buffered;          /* they hold the whole image: see imf_reader_buffer() */
    uint64_t blocks; /* bytes that limits.keep_blocks takes beside these; 0: it is not done */
    char warning[320];
    struct imf_account account; /* of the file's parts; of later pages: of the page's alone */
    uint64_t at;                /* key of the part that metadata are added from */
};

/* Check the number of pixels against the limits. */
enum imf_status imf_limits_check(const struct imf_limits *limits, uint64_t width, uint64_t height,
                                 struct imf_error *err);
/* A kind of part that files of a format have beside the picture. */
struct imf_part_kind {
    char name[64];
    unsigned items;     /* a set of 1 << imf_meta_kind; IMF_META_KINDS stands for the resolution */
    uint32_t tag;       /* the items' */
    unsigned strip;     /* the items' */
    bool needs_trailer; /* the items' */
    bool page;          /* a picture that is filtered, too, where the format holds pages */
};

/*
 * state: bytes of it, which are zeros before open and freed after close. open: read the header, call
 * imf_reader_shape(), fill metadata. rows: decode `rows` rows; *done counts the good ones. end: NULL, or
 * check what follows the last row. close: free what state owns, also after a failed open. A failed rows
 * or end with IMF_ERR_DAMAGED becomes a warning when lenient. turn: NULL, or give up the page, so that open,
 * called again, opens that of number `page`; the state has what is the file's. Of info.spectral channels, which open sets,
 * rows are those of number `channel`, from row 0 on whenever that changes. part: set the kind of number i, which is
 * all zeros, unless this number has none; false: there are no more.
 */
struct imf_decoder {
    size_t state;
    enum imf_status (*open)(struct imf_reader *r, struct imf_error *err);
    enum imf_status (*rows)(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                            int *done, struct imf_error *err);
    enum imf_status (*end)(struct imf_reader *r, struct imf_error *err);
    void (*close)(struct imf_reader *r);
    bool (*part)(size_t i, struct imf_part_kind *kind);
    void (*turn)(struct imf_reader *r);
};

/* Check the shape and a row's memory against the limits, then set info (but format) and
 * row_bytes. */
enum imf_status imf_reader_shape(struct imf_reader *r, uint64_t width, uint64_t height,
                                 enum imf_color color, bool alpha, int depth,
                                 struct imf_error *err);
/* The decoder holds the whole image, in `bytes`, before it has the first row (interlaced,
 * progressive). IMF_ERR_LIMIT: more than max_memory. */
enum imf_status imf_reader_buffer(struct imf_reader *r, uint64_t bytes, const char *what,
                                  struct imf_error *err);
/* Add an item to the reader's metadata. NULL: it is too large (with a warning), there is no memory,
 * or it is a second EXIF, XMP or ICC. */
struct imf_meta_item *imf_reader_add_metadata(struct imf_reader *r, enum imf_meta_kind kind,
                                              unsigned strip, const void *data, size_t size);
/* Add EXIF, without the identifier that some writers put before it. */
void imf_reader_add_exif(struct imf_reader *r, const void *data, size_t size);
/* Read the stream to its end, or `most` bytes, into memory that is freed with free().
 * IMF_ERR_LIMIT: more than max_memory. */
enum imf_status imf_reader_read_all(struct imf_reader *r, size_t most, const char *what,
                                    unsigned char **data, size_t *size, struct imf_error *err);
/* Add what follows the image, at the stream's position, if an item refers to it or it is a whole file. */
void imf_reader_add_trailer(struct imf_reader *r);
/* Of the part at r->at: its name (NULL: as it is), and why it is lost if nothing claims it. `why` is
 * static. */
void imf_reader_lose(struct imf_reader *r, const char *name, const char *why);
/* Note a problem that does not matter to the pixels; the first is kept. */
void imf_reader_warn(struct imf_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Enter what is before and behind the parts so far; done after the last row, unless a decoder knows
 * all of them earlier. */
void imf_reader_close_account(struct imf_reader *r);
/* IMF_ERR_DAMAGED "WHAT after row N of M", or IMF_ERR_IO if the stream could not be read. */
enum imf_status imf_reader_damaged(const struct imf_reader *r, int done, const char *what,
                                   struct imf_error *err);

#endif
