/*
 * items.h - the items of a HEIF or an AVIF (ISO/IEC 23008-12): pictures, their tiles, and metadata
 */
#ifndef IMF_CODEC_BMFF_ITEMS_H
#define IMF_CODEC_BMFF_ITEMS_H

#include "base/error.h"
#include "codec/bmff/boxes.h"

/* What an item is to the picture that is read. */
enum imf_bmff_role {
    IMF_BMFF_NONE,
    IMF_BMFF_PIXELS, /* the picture, its alpha, and tiles of both */
    IMF_BMFF_THUMBNAIL,
    IMF_BMFF_GAIN_MAP,
    IMF_BMFF_DEPTH,
    IMF_BMFF_AUXILIARY,
    IMF_BMFF_OTHER, /* a further picture */
};

struct imf_bmff_item {
    uint32_t id, type;
    const char *content; /* of type "mime": its content type; or NULL */
    enum imf_bmff_role role;
    bool alpha;             /* of the picture; tiles of it, too */
    bool described;         /* it describes a picture, */
    bool ours;              /* which is the one that is read */
    bool in_idat;           /* its bytes are in the box "idat", not in the file's order */
    bool far;               /* or elsewhere */
    uint64_t base;          /* is added to offsets */
    struct imf_box extents; /* at its list of extents in "iloc" */
    int extent_count;
    struct imf_box numbers; /* at its list of properties in "ipma" */
    int number_count;
};

struct imf_bmff {
    const unsigned char *file; /* borrowed */
    size_t size;
    struct imf_box meta, idat;
    struct imf_bmff_item *items; /* owned, by their numbers */
    size_t count;
    struct imf_bmff_item *primary;
    struct imf_box *properties; /* owned, of "ipco" */
    bool *ours;                 /* owned: of them, those of the picture and its tiles */
    size_t property_count;
    uint64_t part_pixels;    /* of tiles and other parts, each as often as it is referred to, */
    size_t parts;            /* and their number */
    unsigned char coding[4]; /* the stream's own colours, as "nclx" has them; zeros: unknown */
    int offset_bytes, length_bytes, index_bytes; /* of fields in "iloc" */
    int number_bytes;                            /* in "ipma" */
};

/* IMF_ERR_DAMAGED: it is truncated, or has no picture. */
enum imf_status imf_bmff_open(struct imf_bmff *b, const unsigned char *file, size_t size,
                              struct imf_error *err);
void imf_bmff_close(struct imf_bmff *b);
/* IMF_ERR_DAMAGED, "damaged in the header (what)". */
enum imf_status imf_bmff_damaged(struct imf_error *err, const char *what);
/* The next bytes of an item, by an extent of its list; *at counts them, from 0 on. False: there are no more.
 * Where they reach beyond the file, *bytes is what is there, and *cut is set. */
bool imf_bmff_extent(const struct imf_bmff *b, const struct imf_bmff_item *item, int *at,
                     size_t *offset, size_t *bytes, bool *cut);
/* The item's nth property (from 0 on) of a type, or of type 0: of any; false: it has none. */
bool imf_bmff_property(const struct imf_bmff *b, const struct imf_bmff_item *item, uint32_t type,
                       int nth, struct imf_box *out);
/* Its width and height, as they are coded; false: nothing says them. */
bool imf_bmff_size(const struct imf_bmff *b, const struct imf_bmff_item *item, uint32_t *width,
                   uint32_t *height);
/* A file's main brand is this one, or, if that is general, among the others that it names. */
bool imf_bmff_branded(const unsigned char *head, size_t size, const char *const brands[]);

#endif
