/* walk.c - chunks enter the account as the file's bytes are read */
#include "codec/png/walk.h"

#include "codec/metadata/bytes.h"
#include "codec/png/chunks.h"

void imf_png_walk(struct imf_png_walk *w, struct imf_reader *r, const unsigned char *data,
                  size_t size) {
    enum { SIGNATURE = 8, HEAD = 8, CRC = 4 };
    uint64_t end = imf_source_position(&r->source), fresh = end > w->at ? end - w->at : 0;
    if (size > fresh) {
        data += size - fresh;
        size = (size_t)fresh;
    }
    while (size > 0) {
        size_t n = 1;
        if (w->at < SIGNATURE || w->left > 0) {
            uint64_t left = w->left > 0 ? w->left : SIGNATURE - w->at;
            n = size < left ? size : (size_t)left;
            if (w->at == 0)
                imf_account_add(&r->account, 0, SIGNATURE, IMF_STRUCTURE, 0, "signature");
            w->left -= w->left > 0 ? n : 0;
        } else {
            w->head[w->have++] = *data;
            if (w->have == HEAD) {
                w->chunk = w->at + 1 - HEAD;
                w->have = 0;
                w->left = (uint64_t)imf_get32(w->head) + CRC;
                imf_png_enter_chunk(r, w->chunk, (const char *)w->head + 4, HEAD + w->left);
            }
        }
        w->at += n;
        data += n;
        size -= n;
    }
}
