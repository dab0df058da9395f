/*
 * state.h - the JPEG decoder's state, and the functions of its files
 *
 * libjpeg's callbacks find the state in client_data. They report an error by longjmp, so that they are
 * called by guarded() in codec/jpeg/read.c only.
 */
#ifndef IMF_CODEC_JPEG_STATE_H
#define IMF_CODEC_JPEG_STATE_H

#include "codec/decoder.h"
#include "codec/jpeg/blocks.h"
#include "codec/jpeg/markers.h"

#include <jpeglib.h>

#include <jerror.h>
#include <setjmp.h>

/* How far the file's segments were followed. */
struct imf_jpeg_walk {
    enum {
        IMF_WALK_BETWEEN, /* segments */
        IMF_WALK_HEAD,
        IMF_WALK_DATA,
        IMF_WALK_SCAN,
        IMF_WALK_ENDED
    } state;
    bool after_ff; /* between segments or in a scan */
    int marker;
    uint64_t at;            /* bytes so far */
    uint64_t start;         /* of the segment */
    uint64_t key;           /* where its length is */
    uint64_t scanned;       /* where the scan's data begin */
    size_t left;            /* of the segment */
    size_t have;            /* bytes of its head */
    unsigned char head[48]; /* its length, and what says whose it is */
};

struct imf_jpeg {
    struct jpeg_decompress_struct c;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    struct imf_reader *reader;
    struct imf_jpeg_walk walk;
    uint64_t received;   /* bytes of the stream that libjpeg received */
    const JOCTET *begin; /* of the bytes in its buffer */
    uint64_t zeros;      /* before them, but for 0xff of a marker that `begin` splits */
    bool in_header;
    bool buffered; /* several scans: decoded whole before the first row */

    /* limits */
    struct imf_error limit_error; /* of status IMF_OK: none was passed */
    uint64_t samples;             /* samples of all scans so far */
    int scan;                     /* the last scan counted in it */
    int seen;                     /* set of components whose scan has begun */

    /* damage */
    bool damaged, truncated;         /* pixels are missing; the file ended early */
    char what[JMSG_LENGTH_MAX + 40]; /* the damage in words */
    int damaged_scan, intact;        /* where damage was found; rows above it */

    /* decoding starts once, for some images with the header */
    bool started;
    struct imf_error start_error;

    unsigned char *profile; /* room for its pieces, one behind the other */
    struct {
        size_t size;
        uint64_t at;             /* of its segment; 0: it is missing */
    } icc[IMF_ICC_SEGMENTS + 1]; /* the pieces, from 1 on */
    unsigned icc_count;
    bool bad_icc;
    unsigned char segment[IMF_SEGMENT_MAX]; /* the current marker segment */

    struct imf_jpeg_original *original; /* owned, or NULL */
    unsigned char *dst;                 /* rows wanted */
    size_t stride;
    int rows, done;
};

/* ---- codec/jpeg/source.c ---- */

/* Give libjpeg the reader's stream. */
void imf_jpeg_open_source(struct imf_jpeg *j);
/* Bytes of the stream that libjpeg has consumed. */
static inline uint64_t imf_jpeg_position(const struct imf_jpeg *j) {
    return j->received - (j->truncated ? 0 : j->source.bytes_in_buffer);
}
/* How many zero bytes precede `at` in the stream. */
uint64_t imf_jpeg_zeros_before(const struct imf_jpeg *j, const JOCTET *at);

/* ---- codec/jpeg/parts.c ---- */

/* The file's next bytes, whose parts enter the account. */
void imf_jpeg_enter(struct imf_jpeg *j, const unsigned char *data, size_t size);

/* ---- codec/jpeg/markers.c ---- */

/* Enter the segment at which the walk is, of so many bytes, by those of its data that the head has. */
void imf_jpeg_enter_segment(struct imf_jpeg *j, size_t head, uint64_t bytes);

/* Add the header's segments to the metadata, each in constant time. */
void imf_jpeg_handle_markers(struct imf_jpeg *j);
/* The header is complete: join what it holds in parts. */
void imf_jpeg_finish_markers(struct imf_jpeg *j);

/* ---- codec/jpeg/damage.c ---- */

/* libjpeg's message routine: tells harmless warnings from damage. */
void imf_jpeg_on_message(j_common_ptr common, int level);
/* Keep libjpeg's current message as the damage in words. */
void imf_jpeg_describe(struct imf_jpeg *j);
/* IMF_ERR_DAMAGED with what was found and where; when lenient, with what replaces it. */
enum imf_status imf_jpeg_damaged(const struct imf_jpeg *j, struct imf_error *err);
/* Has a buffered image all of its components, in full precision? */
bool imf_jpeg_is_complete(const struct imf_jpeg *j);
/* Of a buffered image whose file ended early: is more missing than its end? */
void imf_jpeg_check_complete(struct imf_jpeg *j);
/* Of struct imf_decoder. */
bool imf_jpeg_part(size_t i, struct imf_part_kind *kind);

#endif
