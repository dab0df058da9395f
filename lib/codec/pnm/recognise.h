/* recognise.h - whether bytes are a PNM's first ones */
#ifndef IMF_CODEC_PNM_RECOGNISE_H
#define IMF_CODEC_PNM_RECOGNISE_H

#include <stdbool.h>
#include <stddef.h>

/* Of struct imf_codec. */
bool imf_pnm_recognise(const unsigned char *head, size_t size);
bool imf_pnm_plausible(const unsigned char *head, size_t size);

#endif
