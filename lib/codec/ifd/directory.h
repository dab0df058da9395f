/*
 * directory.h - directories of TIFF and BigTIFF, and copying EXIF between them
 *
 * TIFF 6.0 has offsets of 4 bytes, BigTIFF of 8, with wider entries. EXIF is a TIFF of its own
 * (metadata/exif.c) and, in a TIFF file, part of the image's directory, which points to another one
 * with the camera's tags and to one with a position. libtiff gives up tags that it does not know, so
 * that these are copied here, byte by byte.
 */
#ifndef IMF_CODEC_IFD_DIRECTORY_H
#define IMF_CODEC_IFD_DIRECTORY_H

#include "codec/account.h"

enum imf_tiff_tag {
    IMF_TIFF_SUBFILE = 254,
    IMF_TIFF_DESCRIPTION = 270,
    IMF_TIFF_X_RESOLUTION = 282,
    IMF_TIFF_Y_RESOLUTION = 283,
    IMF_TIFF_UNIT = 296,
    IMF_TIFF_SUB_IFD = 330,
    IMF_TIFF_XMP = 700,
    IMF_TIFF_IPTC = 33723,
    IMF_TIFF_IRB = 34377,
    IMF_TIFF_ICC = 34675
};
enum imf_tiff_type {
    IMF_TIFF_BYTE = 1,
    IMF_TIFF_ASCII = 2,
    IMF_TIFF_SHORT = 3,
    IMF_TIFF_LONG = 4,
    IMF_TIFF_RATIONAL = 5,
    IMF_TIFF_UNDEFINED = 7,
    IMF_TIFF_LAST = 12, /* of TIFF 6.0 */
    IMF_TIFF_LONG8 = 16
};

#define IMF_TIFF_SAMPLES_MAX 4096 /* of a pixel that is read */

/* ---- reading --------------------------------------------------------------------------------- */

struct imf_tiff_input {
    struct imf_bytes bytes;
    bool big_endian, wide;
    unsigned untrue; /* a tag whose values are not given, or 0 */
};

/* Read the header; the first directory's offset, or 0: this is no TIFF. */
uint64_t imf_tiff_header(struct imf_tiff_input *in);

struct imf_tiff_entry {
    uint16_t tag, type;
    uint64_t count;
    unsigned char value[8]; /* or its offset */
};
struct imf_tiff_directory {
    struct imf_tiff_entry *entries; /* owned */
    size_t count;
    uint64_t at;   /* its own offset */
    uint64_t next; /* offset of the next directory, or 0 */
};

/* False: damaged (an empty directory is left), or no memory (*out_of_memory is set). */
bool imf_tiff_load(struct imf_tiff_directory *out, struct imf_tiff_input *in, uint64_t at,
                   bool *out_of_memory);
void imf_tiff_unload(struct imf_tiff_directory *directory);
/* NULL: there is none. */
const struct imf_tiff_entry *imf_tiff_entry(const struct imf_tiff_directory *directory,
                                            unsigned tag);
/* Offset of an entry; of the next directory's offset for their number. */
uint64_t imf_tiff_key(const struct imf_tiff_input *in, const struct imf_tiff_directory *d,
                      size_t i);
/* Where a value is, at 0: in its entry; false: not in the file, or of no known type. */
bool imf_tiff_extent(const struct imf_tiff_input *in, const struct imf_tiff_entry *entry,
                     uint64_t *at, uint64_t *bytes);
/* Number i of a value; false: it has no such, or is damaged. */
bool imf_tiff_number(struct imf_tiff_input *in, const struct imf_tiff_entry *entry, uint64_t i,
                     uint64_t *number);
/* The first number of the tag's value; 0: there is none. */
uint64_t imf_tiff_number_of(struct imf_tiff_input *in, const struct imf_tiff_directory *d,
                            unsigned tag);
/* Does the tag say how pixels are stored, so that the result has its own? */
bool imf_tiff_is_storage(unsigned tag);
/* Does the tag point to another directory of EXIF's? */
bool imf_tiff_is_pointer(unsigned tag);
/* Is its subfile type that of a smaller copy of another image? */
bool imf_tiff_is_reduced(struct imf_tiff_input *in, const struct imf_tiff_directory *d);
/* Bytes of a decoded strip or tile, of 16 bits a sample, or of 64 where it has more; at most 2^60. */
uint64_t imf_tiff_strip_bytes(struct imf_tiff_input *in, const struct imf_tiff_directory *d);
/* The bytes of a value, at most `most`; NULL: damaged, more, or no memory. Freed with free(). */
unsigned char *imf_tiff_value(struct imf_tiff_input *in, const struct imf_tiff_entry *entry,
                              size_t most, size_t *size, bool *out_of_memory);

/* ---- writing --------------------------------------------------------------------------------- */

/* A part of a TIFF stream in memory. */
struct imf_tiff_output {
    bool big_endian, wide;
    uint64_t base; /* its offset in the stream, even */
    unsigned char *data;
    size_t size, capacity;
    bool out_of_memory;
    struct imf_account
        *account; /* NULL, or imf_tiff_copy() claims what it copies, for no item yet */
};

/* Add `count` numbers of type SHORT, LONG, LONG8 or RATIONAL (pairs of them), unless the directory has
 * the tag. */
void imf_tiff_add(struct imf_tiff_directory *directory, struct imf_tiff_output *out, unsigned tag,
                  enum imf_tiff_type type, size_t count, const uint64_t *numbers);
/* Add bytes (BYTE, ASCII, UNDEFINED, or a LONG's as they are), unless the directory has the tag. */
void imf_tiff_add_bytes(struct imf_tiff_directory *directory, struct imf_tiff_output *out,
                        unsigned tag, enum imf_tiff_type type, const void *data, size_t size);
/* Add a value of TIFF 6.0's types, unless the directory has the tag. False: it is damaged, or of another type. */
bool imf_tiff_copy_value(struct imf_tiff_directory *directory, struct imf_tiff_output *out,
                         struct imf_tiff_input *in, const struct imf_tiff_entry *entry);
enum imf_tiff_set {
    IMF_TIFF_EXIF,   /* what is EXIF's, or describes the image to people */
    IMF_TIFF_PRIVATE /* what no other item holds: programs' own tags, but for those with offsets */
};
/* Is a tag of that type among them? */
bool imf_tiff_belongs(unsigned tag, unsigned type, enum imf_tiff_set set);
/* Add tags of the directory at `at` and, of EXIF, of those that it points to. The tags of pixels are not
 * copied. */
void imf_tiff_copy(struct imf_tiff_directory *directory, struct imf_tiff_output *out,
                   struct imf_tiff_input *in, uint64_t at, enum imf_tiff_set set);
/* The 8 bytes that begin a stream with its first directory there, or a BigTIFF's 16; returns which. */
size_t imf_tiff_make_header(unsigned char header[16], bool big_endian, bool wide,
                            uint64_t directory);
/* Write the directory, and return its offset in the stream; 0: no memory. */
uint64_t imf_tiff_store(const struct imf_tiff_directory *directory, struct imf_tiff_output *out);

#endif
