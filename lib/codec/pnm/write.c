/*
 * write.c - PNM encoder: raw PBM, PGM and PPM, PAM for what they cannot store, and PFM for floats
 *
 * A file called .pgm is PGM: users can choose one of the formats, and an image that it cannot store is
 * refused. A gray image is written as PPM by repeating its samples.
 */
#include "codec/pnm/pfm.h"
#include "codec/table.h"
#include "imfilter_program.h"

#include <stdlib.h>
#include <string.h>

struct pnm {
    enum imf_pnm kind;
    unsigned char *line; /* a row of the file, where it differs from the caller's */
    size_t line_bytes;   /* of a row in the file */
    unsigned maxval, full;
    struct imf_pfm_target pfm;
};

enum imf_pnm imf_pnm_from_name(const char *name) {
    static const char *const names[] = {[IMF_PNM_PBM] = "pbm",
                                        [IMF_PNM_PGM] = "pgm",
                                        [IMF_PNM_PPM] = "ppm",
                                        [IMF_PNM_PAM] = "pam",
                                        [IMF_PNM_PFM] = "pfm"};
    for (int i = IMF_PNM_PBM; name && i <= IMF_PNM_PFM; i++)
        if (imf_same_word(name, names[i]))
            return (enum imf_pnm)i;
    return IMF_PNM_ANY;
}

void imf_pnm_adapt(struct imf_info *info, const struct imf_encode *encode) {
    if (encode->pnm > IMF_PNM_PBM)
        info->bits = 0;
    if (info->depth == 32) /* PFM has no other numbers */
        info->type = info->type_bits = 0;
}

/* The smallest format that can store the image. */
static enum imf_pnm natural(const struct imf_info *i) {
    return i->depth == 32                           ? IMF_PNM_PFM
           : i->alpha || i->color == IMF_COLOR_CMYK ? IMF_PNM_PAM
           : i->color == IMF_COLOR_RGB              ? IMF_PNM_PPM
           : i->bits == 1                           ? IMF_PNM_PBM
                                                    : IMF_PNM_PGM;
}

/* NULL, or why an image whose natural format is `have` cannot be written as `want`. */
static const char *misfit(enum imf_pnm have, enum imf_pnm want) {
    if (want == IMF_PNM_ANY || want == have)
        return NULL;
    if (have == IMF_PNM_PFM)
        return "of PNM only PFM holds floats (add --depth=16, or name the output .pfm)";
    if (want == IMF_PNM_PFM)
        return "PFM holds floats, without alpha or CMYK (add --depth=float, or name the output "
               ".pnm)";
    if (want > have)
        return NULL;
    if (have == IMF_PNM_PAM)
        return "PBM, PGM and PPM hold neither alpha nor CMYK (name the output .pam)";
    if (want == IMF_PNM_PGM)
        return "PGM holds no colours (add -f gray, or name the output .ppm)";
    return have == IMF_PNM_PPM
               ? "PBM holds black and white alone (put -f gray before a threshold or canny, as in "
                 "-f gray "
                 "-f threshold:otsu, or name the output .ppm)"
               : "PBM holds black and white alone (add -f threshold:otsu or --depth=1, or name the "
                 "output "
                 ".pgm)";
}

static void put_header(struct imf_writer *w, enum imf_pnm kind, unsigned maxval) {
    static const char *const tuple[][2] = {
        [IMF_COLOR_GRAY] = {"GRAYSCALE", "GRAYSCALE_ALPHA"},
        [IMF_COLOR_RGB] = {"RGB", "RGB_ALPHA"},
        [IMF_COLOR_CMYK] = {"CMYK", ""},
    };
    static const char *const types[] = {[IMF_PNM_PBM] = "P4\n",
                                        [IMF_PNM_PGM] = "P5\n",
                                        [IMF_PNM_PPM] = "P6\n",
                                        [IMF_PNM_PAM] = "P7\n",
                                        [IMF_PNM_PFM] = "Pf\n"};
    const struct imf_info *i = &w->info;
    char text[160];
    int size;
    bool colors = i->color == IMF_COLOR_RGB;
    imf_writer_put(w, kind == IMF_PNM_PFM && colors ? "PF\n" : types[kind], strlen(types[kind]));
    for (const struct imf_meta_item *m = w->metadata ? w->metadata->first : NULL; m; m = m->next)
        if (m->kind == IMF_META_PNM_COMMENT && kind == IMF_PNM_PFM) {
            imf_writer_lose(w, m, NULL, 0, "few programs read one in a PFM");
        } else if (m->kind == IMF_META_PNM_COMMENT && imf_writer_wants(w, m)) {
            imf_writer_put(w, "#", 1);
            imf_writer_put(w, m->data, m->size);
            imf_writer_put(w, "\n", 1);
        }
    if (kind == IMF_PNM_PAM)
        size = snprintf(text, sizeof text,
                        "WIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n", i->width,
                        i->height, i->channels, maxval, tuple[i->color][i->alpha]);
    else if (kind == IMF_PNM_PFM)
        size = snprintf(text, sizeof text, "%d %d\n-%s\n", i->width, i->height,
                        w->metadata && *w->metadata->pfm_scale ? w->metadata->pfm_scale : "1.0");
    else if (kind == IMF_PNM_PBM)
        size = snprintf(text, sizeof text, "%d %d\n", i->width, i->height);
    else
        size = snprintf(text, sizeof text, "%d %d\n%u\n", i->width, i->height, maxval);
    imf_writer_put(w, text, (size_t)size);
}

static enum imf_status pnm_open(struct imf_writer *w, struct imf_error *err) {
    struct pnm *p = w->state;
    enum imf_pnm have = natural(&w->info), want = w->encode.pnm;
    if (misfit(have, want))
        return imf_fail(err, IMF_ERR_FORMAT, "%s", misfit(have, want));
    p->kind = want == IMF_PNM_ANY ? have : want;
    if (p->kind == IMF_PNM_PFM) {
        put_header(w, p->kind, 0);
        return imf_pfm_target_open(w, &p->pfm, err);
    }
    unsigned maxval = (unsigned)w->info.maxval;
    p->full = w->info.depth == 16 ? 65535 : 255;
    p->maxval = maxval && maxval <= p->full && (maxval > 255) == (p->full > 255) ? maxval : p->full;
    bool repeated = p->kind == IMF_PNM_PPM && w->info.color == IMF_COLOR_GRAY;
    p->line_bytes = p->kind == IMF_PNM_PBM ? ((size_t)w->info.width + 7) / 8 : w->row_bytes;
    if (repeated && __builtin_mul_overflow(w->row_bytes, (size_t)3, &p->line_bytes))
        return imf_fail(err, IMF_ERR_LIMIT, "%d pixels in a row are too many", w->info.width);
    if ((repeated || p->kind == IMF_PNM_PBM || w->info.depth == 16 || p->maxval != p->full) &&
        !(p->line = malloc(p->line_bytes)))
        return imf_fail_memory(err, p->line_bytes);
    put_header(w, p->kind, p->maxval);
    return IMF_OK;
}

/* A bitmap's 1 is black. */
static void to_bits(unsigned char *line, const struct imf_info *info, const unsigned char *src) {
    size_t step = (size_t)info->depth / 8;
    memset(line, 0, ((size_t)info->width + 7) / 8);
    for (size_t x = 0; x < (size_t)info->width; x++)
        line[x / 8] |= (unsigned char)(src[x * step] < 128 ? 0x80 >> x % 8 : 0);
}

/* Samples of 16 bits are big-endian in the file; each is written `times` times. Of a full scale other than theirs they are
 * scaled. Constants make loops that the compiler vectorises. */
static inline void put_samples(const struct pnm *p, const unsigned char *restrict src,
                               size_t samples, int times, bool wide, bool scaled) {
    unsigned char *restrict line = p->line;
    for (size_t i = 0; i < samples; i++) {
        uint16_t value = src[i];
        if (wide)
            memcpy(&value, src + 2 * i, sizeof value);
        if (scaled)
            value = (uint16_t)((value * p->maxval + p->full / 2) / (wide ? 65535u : 255u));
        if (wide && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
            value = (uint16_t)(value >> 8 | value << 8);
        for (int n = 0; n < times && wide; n++)
            memcpy(line + ((size_t)times * i + (size_t)n) * 2, &value, sizeof value);
        for (int n = 0; n < times && !wide; n++)
            line[(size_t)times * i + (size_t)n] = (unsigned char)value;
    }
}

static void to_samples(const struct pnm *p, const unsigned char *src, size_t samples, int times) {
    bool wide = p->full > 255;
    if (p->maxval != p->full)
        put_samples(p, src, samples, times, wide, true);
    else if (wide && times == 1)
        put_samples(p, src, samples, 1, true, false);
    else if (wide)
        put_samples(p, src, samples, 3, true, false);
    else
        put_samples(p, src, samples, 3, false, false);
}

static enum imf_status pnm_rows(struct imf_writer *w, const unsigned char *src, size_t stride,
                                int rows, struct imf_error *err) {
    struct pnm *p = w->state;
    (void)err;
    if (p->kind == IMF_PNM_PFM) {
        imf_pfm_target_rows(w, &p->pfm, src, stride, rows);
        return IMF_OK;
    }
    for (int y = 0; y < rows && !w->error; y++) {
        const unsigned char *row = src + (size_t)y * stride;
        if (p->line && p->kind == IMF_PNM_PBM)
            to_bits(p->line, &w->info, row);
        else if (p->line)
            to_samples(p, row, w->row_bytes / (p->full > 255 ? 2 : 1),
                       p->line_bytes > w->row_bytes ? 3 : 1);
        imf_writer_put(w, p->line ? p->line : row, p->line_bytes);
    }
    return IMF_OK;
}

/* The next picture follows. */
static void pnm_turn(struct imf_writer *w) {
    struct pnm *p = w->state;
    free(p->line);
    free(p->pfm.rows);
    *p = (struct pnm){.line = NULL};
}

const struct imf_encoder imf_pnm_encoder = {
    .state = sizeof(struct pnm),
    .open = pnm_open,
    .rows = pnm_rows,
    .close = pnm_turn,
    .turn = pnm_turn,
};
