/* stream.h - a reader's stream, and libtiff on it */
#ifndef IMF_CODEC_TIFF_STREAM_H
#define IMF_CODEC_TIFF_STREAM_H

#include "codec/decoder.h"
#include "codec/ifd/directory.h"

#include <tiffio.h>

struct imf_tiff_stream {
    struct imf_reader *reader;
    TIFF *tif;
    struct imf_tiff_input in;
    unsigned char *bytes; /* owned: all of them, if it is no file */
    uint64_t at;          /* of the directory that is the first one to libtiff */
    uint64_t position;    /* libtiff's */
    char message[160];    /* libtiff's first error, or */
    bool decoding;        /* while pixels are decoded */
    bool guessed;         /* a warning that some of them are guessed */
};

/* Make the stream's bytes accessible in any order: what is no file is read into memory. */
enum imf_status imf_tiff_open_bytes(struct imf_tiff_stream *s, struct imf_error *err);
/* Open the directory `at` alone. False: libtiff finds none. */
bool imf_tiff_open_library(struct imf_tiff_stream *s, uint64_t at);
/* IMF_ERR_DAMAGED, or IMF_ERR_IO, by libtiff's message. done: as for imf_reader_damaged(), or -1 in
 * the header. */
enum imf_status imf_tiff_failure(struct imf_tiff_stream *s, int done, struct imf_error *err);

#endif
