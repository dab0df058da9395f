/* palette.h - the colours of an indexed image */
#ifndef IMF_CODEC_PALETTE_H
#define IMF_CODEC_PALETTE_H

struct imf_palette {
    int count; /* 1..256 */
    unsigned char rgba[256][4];
};

#endif
