/*
 * library.h - libheif, which is loaded when a first HEIF is read
 *
 * It brings codecs that take longer to load than a small picture takes to be filtered.
 */
#ifndef IMF_CODEC_HEIF_LIBRARY_H
#define IMF_CODEC_HEIF_LIBRARY_H

#include "base/error.h"

#include <libheif/heif.h>

#define IMF_HEIF_CALLS(F)                                                                          \
    F(init)                                                                                        \
    F(have_decoder_for_format)                                                                     \
    F(context_alloc)                                                                               \
    F(context_free)                                                                                \
    F(context_set_maximum_image_size_limit)                                                        \
    F(context_read_from_memory_without_copy)                                                       \
    F(context_get_primary_image_handle)                                                            \
    F(image_handle_get_width)                                                                      \
    F(image_handle_get_height)                                                                     \
    F(image_handle_has_alpha_channel)                                                              \
    F(image_handle_is_premultiplied_alpha)                                                         \
    F(image_handle_get_luma_bits_per_pixel)                                                        \
    F(image_handle_release)                                                                        \
    F(decode_image)                                                                                \
    F(image_get_width)                                                                             \
    F(image_get_height)                                                                            \
    F(image_get_bits_per_pixel_range)                                                              \
    F(image_has_channel)                                                                           \
    F(image_get_plane_readonly)                                                                    \
    F(image_release)

struct imf_heif_calls {
#define IMF_HEIF_CALL(name) __typeof__(heif_##name) *name;
    IMF_HEIF_CALLS(IMF_HEIF_CALL)
#undef IMF_HEIF_CALL
};

/* IMF_ERR_FORMAT: it is not installed, or lacks a call. */
enum imf_status imf_heif_load(struct imf_heif_calls *calls, struct imf_error *err);

#endif
