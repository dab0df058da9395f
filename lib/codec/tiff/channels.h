/* channels.h - which samples of a TIFF's pixels are read, all at once or one after the other */
#ifndef IMF_CODEC_TIFF_CHANNELS_H
#define IMF_CODEC_TIFF_CHANNELS_H

#include "codec/decoder.h"
#include "codec/tiff/form.h"
#include "codec/tiff/pixels.h"

/* Choose them: colours stand before the other samples, of which the first that is alpha is read. Where the reader's limits
 * say so and others are no colours, form's color becomes gray, and the metadata's roles are set. */
void imf_tiff_set_channels(struct imf_tiff_pixels *p, struct imf_tiff_form *form,
                           struct imf_reader *r);
/* Of such a picture: convert rows of this channel, with alpha. */
void imf_tiff_set_channel(struct imf_tiff_pixels *p, const struct imf_reader *r, int channel);

/* ---- rows of the channels that follow the one that is read ----------------------------------- */

/*
 * Where a pixel's samples are neighbours, the rows of one channel need all of the file decoded. Those of as many channels
 * as a bounded memory takes are converted at once: of one they are read, of those behind it they are held.
 */
struct imf_tiff_ahead {
    int most;          /* channels that memory is for */
    int first, count;  /* that are held */
    int rows;          /* of each, from row 0 on */
    size_t row, plane; /* bytes of one, of all of a channel's */
    unsigned char *held;
};

/* So many channels of rows of `row` bytes follow the first, of which `limit` bytes hold some; 0: the usual. Returns the
 * bytes. */
uint64_t imf_tiff_ahead_plan(struct imf_tiff_ahead *a, size_t row, int rows, int channels,
                             uint64_t limit);
/* Rows of `channel` are read from row 0 on; true: they are held. If not, those of channels behind it will be, of as many
 * as there are up to `end`. */
bool imf_tiff_ahead_begin(struct imf_tiff_ahead *a, int channel, int end, int rows);
/* Row y of channel first + i. */
unsigned char *imf_tiff_ahead_row(const struct imf_tiff_ahead *a, int i, int y);

#endif
