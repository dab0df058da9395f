/*
 * account.h - the parts of a HEIF or an AVIF, and the metadata in them
 */
#ifndef IMF_CODEC_BMFF_ACCOUNT_H
#define IMF_CODEC_BMFF_ACCOUNT_H

#include "codec/bmff/items.h"
#include "codec/decoder.h"

/* Enter the file's parts and add its metadata. Rows are as the file shows the picture: what EXIF and XMP say of
 * its orientation no longer holds, and is set to upright. */
void imf_bmff_read_parts(struct imf_reader *r, const struct imf_bmff *b);
/* In the account as what they are: alphas that a library leaves out. */
void imf_bmff_leave_out_alpha(struct imf_bmff *b);
/* Of a decoder: the kinds of parts, as struct imf_decoder's `part`. */
bool imf_bmff_part(size_t i, struct imf_part_kind *kind);

/* How the picture is turned and mirrored to be shown, as EXIF's orientation of the coded rows. */
int imf_bmff_orientation(const struct imf_bmff *b);
/* Read all of the file, which a pipe may have more of behind it. */
enum imf_status imf_bmff_read_file(struct imf_reader *r, const char *what, unsigned char **file,
                                   size_t *size, struct imf_error *err);

#endif
