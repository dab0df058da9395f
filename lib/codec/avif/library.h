/*
 * library.h - libavif, which is loaded when a first AVIF is read or written
 *
 * It brings codecs that take longer to load than a small picture takes to be filtered.
 */
#ifndef IMF_CODEC_AVIF_LIBRARY_H
#define IMF_CODEC_AVIF_LIBRARY_H

#include "base/error.h"

#include <avif/avif.h>

#define IMF_AVIF_CALLS(F)                                                                          \
    F(DecoderCreate)                                                                               \
    F(DecoderDestroy)                                                                              \
    F(DecoderNextImage)                                                                            \
    F(DecoderParse)                                                                                \
    F(DecoderSetIOMemory)                                                                          \
    F(DecoderSetSource)                                                                            \
    F(EncoderCreate)                                                                               \
    F(EncoderDestroy)                                                                              \
    F(EncoderWrite)                                                                                \
    F(ImageCreate)                                                                                 \
    F(ImageDestroy)                                                                                \
    F(ImageRGBToYUV)                                                                               \
    F(ImageSetMetadataExif)                                                                        \
    F(ImageSetMetadataXMP)                                                                         \
    F(ImageSetProfileICC)                                                                          \
    F(ImageYUVToRGB)                                                                               \
    F(ResultToString)                                                                              \
    F(RGBImageSetDefaults)                                                                         \
    F(RWDataFree)

struct imf_avif_calls {
#define IMF_AVIF_CALL(name) __typeof__(avif##name) *name;
    IMF_AVIF_CALLS(IMF_AVIF_CALL)
#undef IMF_AVIF_CALL
};

/* IMF_ERR_FORMAT: it is not installed, or lacks a call. */
enum imf_status imf_avif_load(struct imf_avif_calls *calls, struct imf_error *err);
/* What a failed call returned, as an error: of memory, of what the library lacks, or else this one. */
enum imf_status imf_avif_failure(const struct imf_avif_calls *calls, avifResult result,
                                 enum imf_status other, const char *what, struct imf_error *err);

#endif
