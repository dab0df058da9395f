/* lzw.h - bytes by LZW as TIFF has it */
#ifndef IMF_CODEC_TIFF_LZW_H
#define IMF_CODEC_TIFF_LZW_H

#include <stddef.h>
#include <stdint.h>

enum { IMF_LZW_SLOTS = 1 << 14 };
struct imf_lzw_table {
    uint32_t key[IMF_LZW_SLOTS]; /* 1 + string << 8 + byte; 0: free */
    uint16_t code[IMF_LZW_SLOTS];
};

/* `size`: at least 1. Returns the bytes put to `to`, at most imf_lzw_bound(size). */
size_t imf_lzw(struct imf_lzw_table *table, const unsigned char *data, size_t size,
               unsigned char *to);
/* Codes of 12 bits, each for a byte or more, and one to clear the table after 3836. */
static inline size_t imf_lzw_bound(size_t size) {
    return size + size / 2 + size / 2048 + 16;
}

#endif
