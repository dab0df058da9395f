/* codec_pnm_write.c - PNM encoder: raw PGM and PPM, and PAM for what they cannot hold */
#include "codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *pnm_fits(const struct imf_info *info) {
    (void)info;
    return NULL;
}

static enum imf_status write_failed(struct imf_error *err) {
    return imf_fail_io(err, errno);
}

static enum imf_status pnm_open(struct imf_writer *w, struct imf_error *err) {
    static const char *const tuple[][2] = {
        [IMF_COLOR_GRAY] = {"GRAYSCALE", "GRAYSCALE_ALPHA"},
        [IMF_COLOR_RGB] = {"RGB", "RGB_ALPHA"},
        [IMF_COLOR_CMYK] = {"CMYK", ""},
    };
    const struct imf_info *i = &w->info;
    unsigned maxval = i->depth == 16 ? 65535 : 255;
    if (i->depth == 16 && !(w->state = malloc(w->row_bytes)))
        return imf_fail_memory(err, w->row_bytes);
    errno = 0;
    int written =
        i->alpha || i->color == IMF_COLOR_CMYK
            ? fprintf(w->stream,
                      "P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
                      i->width, i->height, i->channels, maxval, tuple[i->color][i->alpha])
            : fprintf(w->stream, "P%c\n%d %d\n%u\n", i->color == IMF_COLOR_RGB ? '6' : '5',
                      i->width, i->height, maxval);
    return written < 0 ? write_failed(err) : IMF_OK;
}

/* Samples of 16 bits are big-endian in the file. */
static const void *big_endian(unsigned char *to, const unsigned char *src, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 2) {
        uint16_t value;
        memcpy(&value, src + i, sizeof value);
        to[i] = (unsigned char)(value >> 8);
        to[i + 1] = (unsigned char)value;
    }
    return to;
}

static enum imf_status pnm_rows(struct imf_writer *w, const unsigned char *src, size_t stride,
                                int rows, struct imf_error *err) {
    errno = 0;
    for (int y = 0; y < rows; y++) {
        const void *row = src + (size_t)y * stride;
        if (w->state)
            row = big_endian(w->state, row, w->row_bytes);
        if (fwrite(row, 1, w->row_bytes, w->stream) != w->row_bytes)
            return write_failed(err);
    }
    return IMF_OK;
}

static enum imf_status pnm_finish(struct imf_writer *w, struct imf_error *err) {
    (void)w, (void)err;
    return IMF_OK;
}

static void pnm_close(struct imf_writer *w) {
    free(w->state);
}

const struct imf_encoder imf_pnm_encoder = {0, pnm_fits, pnm_open, pnm_rows, pnm_finish, pnm_close};
