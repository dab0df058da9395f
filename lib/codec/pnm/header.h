/* header.h - headers of PNM, and what a reader of pictures that follow each other knows of them */
#ifndef IMF_CODEC_PNM_HEADER_H
#define IMF_CODEC_PNM_HEADER_H

#include "codec/decoder.h"
#include "codec/pnm/pfm.h"

#define IMF_PNM_COMMENT_MAX 4096

struct imf_pnm_reader {
    char type;        /* of the picture whose header is or was read: '1' to '7', 'f', 'F' */
    bool begun;       /* "P" and that digit are read, the rest of the header is not */
    int at;           /* the number of that picture */
    uint64_t *starts; /* owned: where pictures begin, as far as that is known */
    int count, capacity;
    /* of the page: */
    uint64_t entered; /* bytes of the file that have a part */
    bool in_raster;
    bool plain, bits; /* text instead of bytes; a bitmap (inverted, one bit a sample) */
    bool floats;      /* a PFM */
    struct imf_pfm_source pfm;
    unsigned maxval, full;
    size_t packed;       /* bytes of a raw row in the file */
    unsigned char *line; /* a raw bitmap's row */
    uint8_t scaled[256]; /* maxval <= 255: the value for each sample */
};

struct imf_pnm_shape {
    unsigned width, height, channels;
    enum imf_color color;
    bool alpha;
};

enum imf_pnm_token { IMF_PNM_OK, IMF_PNM_END, IMF_PNM_BAD, IMF_PNM_HUGE };

static inline bool imf_pnm_is_space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Enter all up to `end` that was not entered yet; as what is being read. */
void imf_pnm_enter(struct imf_reader *r, uint64_t end, enum imf_becomes becomes, const char *name);
void imf_pnm_enter_read(struct imf_reader *r, uint64_t end);
/* Read a number, and the byte after it. */
enum imf_pnm_token imf_pnm_number(struct imf_reader *r, unsigned *out);
/* Read a plain bitmap's digit, which needs no space behind it. */
enum imf_pnm_token imf_pnm_digit(struct imf_reader *r, unsigned *out);
/* Read what follows "P" and the type. */
enum imf_status imf_pnm_header(struct imf_reader *r, struct imf_pnm_shape *shape,
                               struct imf_error *err);

#endif
