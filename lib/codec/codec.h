/*
 * codec.h - what a codec is given and what it must offer
 *
 * A format is one struct imf_codec, which describes it and is listed in codec/table.c. reader.c and
 * writer.c own everything that formats share: recognising, limits, row counting, what "lenient"
 * means, what cannot be carried, and flushing. A decoder and an encoder are tables of functions
 * that work on the public reader and writer objects, with their own state behind `state`.
 */
#ifndef IMF_CODEC_H
#define IMF_CODEC_H

#include "base/error.h"
#include "base/orientation.h"
#include "codec/metadata.h"

/* Bytes from a stream, through a buffer whose first filling is what formats are recognised by. */
#define IMF_SOURCE_SIZE 65536
struct imf_source {
    FILE *stream;
    off_t start;    /* of the image in the stream, or -1 */
    size_t at, end; /* unread part of buffer */
    bool ended;     /* end of file or an error was met */
    int error;      /* errno of a failed read, or 0 */
    unsigned char buffer[IMF_SOURCE_SIZE];
};

/* Refill an empty buffer; false at the end or on an error. */
bool imf_source_fill(struct imf_source *s);
/* Up to size bytes; fewer only at the end or on an error. */
size_t imf_source_read(struct imf_source *s, void *dst, size_t size);
/* The next byte, or EOF. */
static inline int imf_source_getc(struct imf_source *s) {
    return s->at < s->end || imf_source_fill(s) ? s->buffer[s->at++] : EOF;
}

/* Colours that an image's samples stand for. */
struct imf_palette {
    int count; /* 1..256 */
    unsigned char rgba[256][4];
    int gray_bits; /* > 0: samples are levels of so many bits, of which `clear` is transparent */
    int clear;
};

struct imf_reader {
    const struct imf_codec *codec; /* NULL: not recognised */
    struct imf_limits limits;
    struct imf_info info;
    size_t row_bytes;            /* of a decoded row */
    struct imf_palette *palette; /* owned, or NULL */
    bool indices;                /* rows are indices into it */
    struct imf_metadata metadata;
    int row;                /* rows decoded so far */
    bool broken;            /* lenient: rows from here on are zeros */
    bool recoverable;       /* a damaged image of which lenient shows something, if no whole row */
    enum imf_status failed; /* a read failed for good */
    uint64_t memory;        /* bytes that decoding takes beside the rows */
    bool whole;             /* of the whole image, before its first row: see imf_reader_hold() */
    char warning[320];
    void *state; /* the decoder's */
    struct imf_source source;
};

struct imf_writer {
    const struct imf_codec *codec;
    FILE *stream;
    struct imf_info info; /* of the file */
    size_t row_bytes;
    struct imf_info given; /* of the caller's rows */
    size_t given_bytes;
    struct imf_turn turn;   /* from those to these */
    bool starved;           /* something of the metadata is missing: there was no memory */
    bool retold;            /* the metadata's orientation is another than the file's */
    unsigned char *held;    /* turned: the caller's rows, when they do not come at once */
    unsigned char *upright; /* imf_writer_data()'s */
    unsigned char *xmp;     /* imf_writer_xmp()'s */
    struct imf_encode encode;
    const struct imf_metadata *metadata; /* borrowed until the writer is finished; may be NULL */
    struct imf_jpeg_source jpeg;         /* the metadata's, turned likewise */
    int row;                             /* rows taken so far */
    enum imf_status failed;
    uint64_t memory; /* bytes that encoding takes beside the rows */
    char warning[320];
    void *state; /* the encoder's */
};

/*
 * open: read the header, call imf_reader_shape(), fill metadata. rows: decode `rows` rows; *done
 * counts the good ones. end: check what follows the last row. close: free state (may be NULL, also
 * after a failed open). A failed rows or end with IMF_ERR_DAMAGED becomes a warning when lenient.
 */
struct imf_decoder {
    enum imf_status (*open)(struct imf_reader *r, struct imf_error *err);
    enum imf_status (*rows)(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                            int *done, struct imf_error *err);
    enum imf_status (*end)(struct imf_reader *r, struct imf_error *err);
    void (*close)(struct imf_reader *r);
};

/* palette: may be NULL; called before the first rows, which are then indices. What was opened holds
 * the image, of which it need not be asked again. */
struct imf_encoder {
    enum imf_status (*open)(struct imf_writer *w, struct imf_error *err);
    enum imf_status (*rows)(struct imf_writer *w, const unsigned char *src, size_t stride, int rows,
                            struct imf_error *err);
    enum imf_status (*finish)(struct imf_writer *w, struct imf_error *err);
    void (*close)(struct imf_writer *w);
    enum imf_status (*palette)(struct imf_writer *w, const struct imf_palette *palette,
                               struct imf_error *err);
};

/* A format: what it is called and told by, what it holds, and how it is read and written. */
struct imf_codec {
    struct imf_format_doc doc;
    /* By a file's first bytes. */
    bool (*recognise)(const unsigned char *head, size_t size);
    /* NULL, or: is it that indeed, and nothing that just begins like it? For files that nobody
     * called an image; as much as 512 bytes tell. */
    bool (*plausible)(const unsigned char *head, size_t size);
    unsigned colors;             /* a set of 1 << enum imf_color */
    bool alpha;                  /* beside gray and RGB */
    unsigned depths;             /* a set of bits a sample: 8 | 16 */
    unsigned few_bits;           /* a set of 1 << imf_info.bits */
    int side_max;                /* rows or columns */
    size_t most[IMF_META_KINDS]; /* bytes of an item of metadata; 0: cannot be carried */
    /* NULL, or: change what the options change about the image that is written. */
    void (*adapt)(struct imf_info *info, const struct imf_encode *encode);
    const struct imf_decoder *decoder;
    const struct imf_encoder *encoder;
};

/* NULL: there is no such format. */
const struct imf_codec *imf_codec_of(enum imf_format format);
/* The format of a file that begins so, or IMF_FORMAT_NONE. */
enum imf_format imf_codec_recognise(const unsigned char *head, size_t size);
/* IMF_ERR_FORMAT, with what the format cannot hold of such an image and which can. */
enum imf_status imf_codec_fits(const struct imf_codec *codec, const struct imf_info *info,
                               struct imf_error *err);
/* "PNG, JPEG or PNM": those that carry such metadata; IMF_META_KINDS: all. */
#define IMF_FORMATS_TEXT 128
void imf_codec_titles(char text[IMF_FORMATS_TEXT], enum imf_meta_kind kind);
/* Equal but for the case of a's ASCII letters? */
bool imf_same_word(const char *a, const char *b);

/* The palette behind the reader's pixels, or NULL; also NULL where damage may be let pass, since
 * what is missing is no index. Before the first row. */
const struct imf_palette *imf_reader_palette(const struct imf_reader *r);
/* From now on rows are indices, a byte a pixel, some of which may be beyond the palette. */
void imf_reader_take_indices(struct imf_reader *r);
/* Write indices, a byte a pixel, instead of the pixels that the writer was opened for. */
bool imf_writer_takes_indices(const struct imf_writer *w);
enum imf_status imf_writer_palette(struct imf_writer *w, const struct imf_palette *palette,
                                   struct imf_error *err);

/* For decoders: check the shape and a row's memory against the limits, then set info (but format)
 * and row_bytes. */
enum imf_status imf_reader_shape(struct imf_reader *r, uint64_t width, uint64_t height,
                                 enum imf_color color, bool alpha, int depth,
                                 struct imf_error *err);
/* For decoders that need `bytes` for the whole image before they have its first row (interlaced,
 * progressive): rows in order are not to be had cheaply. IMF_ERR_LIMIT when that is over
 * max_memory. */
enum imf_status imf_reader_hold(struct imf_reader *r, uint64_t bytes, const char *what,
                                struct imf_error *err);
enum imf_status imf_writer_memory(struct imf_writer *w, uint64_t bytes, const char *what,
                                  struct imf_error *err);
/* The same of any limit; 0: none. */
enum imf_status imf_memory_fits(uint64_t limit, uint64_t bytes, const char *what,
                                struct imf_error *err);
/* Add to the reader's metadata and warn if that is not granted; NULL then, and for a second EXIF,
 * XMP or ICC. */
struct imf_meta_item *imf_reader_keep(struct imf_reader *r, enum imf_meta_kind kind, unsigned strip,
                                      const void *data, size_t size);
/* Note a problem that does not matter to the pixels; the first is kept. */
void imf_reader_warn(struct imf_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* IMF_ERR_DAMAGED "WHAT after row N of M", or IMF_ERR_IO if the stream could not be read. */
enum imf_status imf_reader_damaged(const struct imf_reader *r, int done, const char *what,
                                   struct imf_error *err);
/* IMF_ERR_MEMORY where metadata were lost because memory ran out: better no picture than one that
 * lacks its profile or its orientation, and nobody knows. */
enum imf_status imf_carried(bool starved, struct imf_error *err);
/* IMF_ERR_IO with strerror's text for an errno. */
enum imf_status imf_fail_io(struct imf_error *err, int number);

/* Note what could not be written; several are joined. */
void imf_writer_warn(struct imf_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The warning when imf_metadata's claims have to go, and why. */
#define IMF_BEHIND_LEFT_OUT(why)                                                                   \
    "what stands behind the first image (a gain map, say) was left out: " why
/* For encoders: is this item to be written? Not what the format cannot carry. */
bool imf_writer_wants(const struct imf_writer *w, const struct imf_meta_item *item);
/* The item's bytes, put right where the pixels are turned; NULL without memory. Valid until the
 * next call. */
const unsigned char *imf_writer_data(struct imf_writer *w, const struct imf_meta_item *item);
/* Density of the file's pixels, of unit NONE where it is unknown or not to be written. */
struct imf_density imf_writer_density(const struct imf_writer *w);
/* How the source JPEG was made, for pixels turned like this writer's. */
void imf_jpeg_source_turn(struct imf_jpeg_source *source, struct imf_turn turn);
/* Turn the caller's next rows and pass them to the encoder. */
enum imf_status imf_writer_turn(struct imf_writer *w, const unsigned char *src, size_t stride,
                                int rows, struct imf_error *err);

#endif
