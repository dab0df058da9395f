/*
 * items.h - the metadata of an image
 *
 * EXIF, XMP and ICC are kept in the form that all formats share (a TIFF stream, a packet, a
 * profile), so that any writer can store any reader's metadata. What only one format can store (PNG
 * chunks, JPEG segments) is kept as raw bytes for that format.
 */
#ifndef IMF_CODEC_METADATA_ITEMS_H
#define IMF_CODEC_METADATA_ITEMS_H

#include "imfilter.h"

/* Bytes of all items together, at most. */
#define IMF_METADATA_MAX ((size_t)64 << 20)
/* The part of IMF_STRIP_ALL that has no name of its own: comments, text, resolution, gamma. */
#define IMF_STRIP_OTHER 8u

/* The identifiers that EXIF and XMP begin with in a JPEG's segment or a PNG's text, each with its
 * terminating NUL; EXIF's has a second one (JEITA CP-3451; XMP part 3, 1.1.3). */
#define IMF_EXIF_PREFIX "Exif\0"
#define IMF_XMP_PREFIX "http://ns.adobe.com/xap/1.0/"
#define IMF_XMP_EXTENSION_PREFIX "http://ns.adobe.com/xmp/extension/"

enum imf_meta_kind {
    IMF_META_EXIF,          /* TIFF stream, from its "II" or "MM" on */
    IMF_META_XMP,           /* XMP packet */
    IMF_META_ICC,           /* ICC profile */
    IMF_META_COMMENT,       /* text, as JPEG's COM holds it */
    IMF_META_IRB,           /* Photoshop's image resources, which hold IPTC's record */
    IMF_META_EXIF_TEXT,     /* EXIF that stands in a PNG's text, beside an eXIf chunk or alone */
    IMF_META_PNG_CHUNK,     /* data of the chunk `tag`, for PNG only */
    IMF_META_JPEG_MPF,      /* JPEG's list of the images after the first, a TIFF stream */
    IMF_META_JPEG_TRAILER,  /* what follows the first image of a JPEG, which refers to it */
    IMF_META_TRAILER,       /* a whole file that follows the image */
    IMF_META_JPEG_SEGMENT,  /* data of the marker `tag`, for JPEG only */
    IMF_META_XMP_EXTENSION, /* the same, of a piece of what the XMP's packet has no room for */
    IMF_META_TIFF_TAGS,     /* tags of programs, a TIFF stream, for TIFF only */
    IMF_META_PNM_COMMENT,   /* a line behind its '#', for PNM only */
    IMF_META_TIFF_OVERVIEW, /* codec/ifd/subfiles.h: a smaller copy that is made anew, for TIFF only */
    IMF_META_TIFF_MASK,     /* the same of a transparency mask, which is copied */
    IMF_META_KINDS
};

struct imf_account; /* of the file that metadata are from */
struct imf_meta_item {
    struct imf_meta_item *next;
    enum imf_meta_kind kind;
    unsigned strip;     /* the imf_strip bit that removes it */
    uint32_t tag;       /* PNG: the chunk's name, big-endian; JPEG: marker code */
    unsigned iptc_type; /* of a TIFF's tag that has IPTC's record alone, or 0 */
    bool derived;       /* from another item, with which it is written to a PNG */
    bool needs_trailer; /* it refers to what follows the first image of a JPEG */
    bool entered;       /* it has a part of the account */
    size_t number;      /* of the items before it */
    size_t size;
    unsigned char data[];
};

enum imf_density_unit {
    IMF_DENSITY_NONE,
    IMF_DENSITY_ASPECT, /* only the ratio of x and y means something */
    IMF_DENSITY_INCH,
    IMF_DENSITY_CM,
    IMF_DENSITY_METRE
};

struct imf_density {
    enum imf_density_unit unit;
    uint32_t x, y; /* pixels per unit */
};

/* How the source JPEG was made. */
struct imf_jpeg_source {
    int components; /* 0: the source is not a JPEG, or its tables are not known */
    bool progressive;
    int color_space; /* libjpeg's J_COLOR_SPACE */
    int h[4], v[4];  /* sampling factors of each component */
    int table[4];    /* quantisation table of each component */
    bool has_table[4];
    uint16_t quant[4][64];              /* natural order */
    struct imf_jpeg_original *original; /* codec/jpeg/blocks.h; borrowed, or NULL */
};

struct imf_metadata {
    struct imf_meta_item *first, *last;
    struct imf_meta_item *of[IMF_META_KINDS]; /* the first of each kind */
    size_t total;                             /* bytes of all items, structs included */
    size_t count;
    unsigned inflated;                 /* PNG: deflated items so far */
    unsigned colors;                   /* PNG: set of the colour chunks so far */
    unsigned png_form;                 /* PNG: imf_png_form() of its pixels */
    bool out_of_memory;                /* an item is missing for that */
    const struct imf_account *account; /* NULL: they are of no file; borrowed */
    struct imf_density density;
    struct imf_jpeg_source jpeg;
    bool lossless;   /* the source is a WebP or an AVIF without loss */
    int subsampling; /* an AVIF's, as struct imf_encode has it; 0: it is another or has no chroma */
    bool compressed; /* a TIFF: it is */
    bool fax;        /* a TIFF: by CCITT's Group 3 or 4 */
    bool splits_floats; /* a TIFF: by predictor 3 */
    struct imf_channel_roles {
        int photometric; /* a TIFF's number, of the leading `colors` channels */
        int colors;
        int alpha;       /* that channel is; 0: none */
    } roles;             /* of info.spectral channels */
    char icc_name[80];   /* a PNG's, of the ICC profile */
    char pfm_scale[32];  /* a PFM's third number, without its sign, or "" */
    bool late;           /* items may be added until its last row was read */
    bool needs_trailer;  /* an item does */
    uint64_t mpf_at;     /* JPEG: position of IMF_META_JPEG_MPF's data in the file */
    uint64_t trailer_at; /* of IMF_META_JPEG_TRAILER's */
};

/* Append a copy; EXIF, XMP and ICC only when there is none yet. NULL without memory (out_of_memory is
 * set then), where IMF_METADATA_MAX does not allow it, and for a second EXIF, XMP or ICC. */
struct imf_meta_item *imf_metadata_add(struct imf_metadata *metadata, enum imf_meta_kind kind,
                                       unsigned strip, const void *data, size_t size);
/* The first item of that kind, or NULL; metadata may be NULL. */
const struct imf_meta_item *imf_metadata_find(const struct imf_metadata *metadata,
                                              enum imf_meta_kind kind);
void imf_metadata_clear(struct imf_metadata *metadata);
/* IMF_ERR_MEMORY when metadata are incomplete because memory ran out: an image that silently lacks
 * its profile or its orientation is worse than none. */
enum imf_status imf_metadata_complete(bool out_of_memory, struct imf_error *err);
/* Does the ICC profile describe pixels of this colour model? */
bool imf_icc_fits(const struct imf_meta_item *icc, enum imf_color color);

/* EXIF's orientation, 1..8; 1 if there is none. metadata may be NULL. */
int imf_metadata_orientation(const struct imf_metadata *metadata);
/* Offset of the two bytes of EXIF orientation's value, 0 when there is none; *big: their order. */
size_t imf_exif_orientation_at(const unsigned char *exif, size_t size, bool *big);
/* Bytes of EXIF's thumbnail, 0 if there is none. */
size_t imf_exif_thumbnail(const unsigned char *exif, size_t size);
/* A copy of an EXIF item for filtered pixels: the thumbnail, which shows the image as it was, is cleared,
 * and if `hides`, whatever begins like a JPEG, in a maker's note, say. `upright`: they were turned:
 * orientation 1; width and height, also of resolutions, exchanged if `swap`. NULL: no memory. */
unsigned char *imf_exif_edit(const struct imf_meta_item *exif, bool upright, bool swap, bool hides);

/* Exchange x and y, for pixels whose rows become columns. */
void imf_jpeg_source_transpose(struct imf_jpeg_source *source);
/* The same density in another unit (INCH or METRE; ASPECT stays). x or y 0: not representable. */
struct imf_density imf_density_convert(struct imf_density from, enum imf_density_unit unit);

#endif
