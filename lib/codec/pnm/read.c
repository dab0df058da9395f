/*
 * read.c - PNM decoder: PBM, PGM and PPM, plain and raw, PAM and PFM
 *
 * Samples are brought to the full range of 8 bits (maxval up to 255) or 16 bits (above), exactly
 * rounded: v * full / maxval. A bitmap's 1 is black and becomes 0. See pbm(5) ... pam(5) of Netpbm.
 */
#include "base/number.h"
#include "codec/pnm/pfm.h"
#include "codec/pnm/recognise.h"
#include "codec/table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define COMMENT_MAX 4096

struct pnm {
    uint64_t entered; /* bytes of the file that have a part */
    bool in_raster;
    bool plain, bits; /* text instead of bytes; a bitmap (inverted, one bit a sample) */
    bool floats;      /* a PFM */
    struct imf_pfm_source pfm;
    unsigned maxval, full;
    size_t packed;       /* bytes of a raw row in the file */
    unsigned char *line; /* a raw bitmap's row */
    uint8_t scaled[256]; /* maxval <= 255: the value for each sample */
};

enum token { TOKEN_OK, TOKEN_END, TOKEN_BAD, TOKEN_HUGE };

static bool is_space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Enter all up to `end` that was not entered yet. */
static void enter(struct imf_reader *r, uint64_t end, enum imf_becomes becomes, const char *name) {
    struct pnm *p = r->state;
    if (end > p->entered)
        imf_account_add(&r->account, p->entered, end - p->entered, becomes,
                        becomes == IMF_LOST ? IMF_STRIP_OTHER : 0, name);
    p->entered = end;
}

static void enter_read(struct imf_reader *r, uint64_t end) {
    const struct pnm *p = r->state;
    enter(r, end, p->in_raster ? IMF_PIXELS : IMF_STRUCTURE, p->in_raster ? "pixels" : "header");
}

/* A comment, behind its '#', up to the end of its line, which is returned. */
static int comment(struct imf_reader *r) {
    struct imf_source *s = &r->source;
    uint64_t begin = imf_source_position(s) - 1;
    char text[COMMENT_MAX];
    size_t size = 0;
    int c = imf_source_getc(s);
    for (; c != '\n' && c != '\r' && c != EOF; c = imf_source_getc(s), size++)
        if (size < sizeof text)
            text[size] = (char)c;
    size_t skip = size > 0 && *text == ' ';
    enter_read(r, begin);
    enter(r, imf_source_position(s), IMF_LOST, "comment");
    r->at = begin;
    if (size > sizeof text)
        return c;
    imf_reader_add_metadata(r, IMF_META_PNM_COMMENT, IMF_STRIP_OTHER, text, size);
    imf_reader_add_metadata(r, IMF_META_COMMENT, IMF_STRIP_OTHER, text + skip, size - skip);
    return c;
}

/* The next byte; a comment counts as the newline that ends it. */
static int next(struct imf_reader *r) {
    int c = imf_source_getc(&r->source);
    return c == '#' ? comment(r) : c;
}

/* Read a number and the byte after it. */
static enum token number(struct imf_reader *r, unsigned *out) {
    int c = next(r);
    while (is_space(c))
        c = next(r);
    if (c == EOF)
        return TOKEN_END;
    if (c < '0' || c > '9')
        return TOKEN_BAD;
    uint64_t value = 0;
    for (; c >= '0' && c <= '9'; c = next(r))
        if ((value = value * 10 + (unsigned)(c - '0')) > INT_MAX)
            return TOKEN_HUGE;
    *out = (unsigned)value;
    return c == EOF || is_space(c) ? TOKEN_OK : TOKEN_BAD;
}

/* Read a PFM's third number and the byte after it. */
static enum token scale(struct imf_reader *r) {
    struct pnm *p = r->state;
    char *text = r->metadata.pfm_scale;
    size_t size = 0;
    double value;
    int c = next(r);
    while (is_space(c))
        c = next(r);
    p->pfm.big_endian = c != '-';
    if (c == '-' || c == '+')
        c = imf_source_getc(&r->source);
    for (; c != EOF && !is_space(c) && size + 1 < sizeof r->metadata.pfm_scale;
         c = imf_source_getc(&r->source))
        text[size++] = (char)c;
    text[size] = '\0';
    bool bad =
        !is_space(c) || imf_number_parse((struct imf_span){text, size}, &value) || value <= 0;
    return c == EOF ? TOKEN_END : bad ? TOKEN_BAD : TOKEN_OK;
}

/* Digits of a plain bitmap need no space between them. */
static enum token digit(struct imf_reader *r, unsigned *out) {
    int c = next(r);
    while (is_space(c))
        c = next(r);
    *out = c == '1';
    return c == '0' || c == '1' ? TOKEN_OK : c == EOF ? TOKEN_END : TOKEN_BAD;
}

/* ---- header ------------------------------------------------------------------------------- */

static enum imf_status bad_header(const struct imf_reader *r, enum token token, const char *what,
                                  struct imf_error *err) {
    static const char *const how[] = {"is wrong", "is cut off", "is not a number", "is too large"};
    if (r->source.error)
        return imf_fail_io(err, r->source.error);
    return imf_fail(err, IMF_ERR_DAMAGED, "damaged PNM header (%s %s)", what, how[token]);
}

static enum imf_status pnm_header(struct imf_reader *r, unsigned size[2], struct imf_error *err) {
    static const char *const name[] = {"width", "height"};
    struct pnm *p = r->state;
    enum token token;
    for (int i = 0; i < 2; i++)
        if ((token = number(r, &size[i])))
            return bad_header(r, token, name[i], err);
    p->maxval = 1;
    if (p->floats && (token = scale(r)))
        return bad_header(r, token, "scale", err);
    if (!p->bits && !p->floats && (token = number(r, &p->maxval)))
        return bad_header(r, token, "maxval", err);
    return IMF_OK;
}

struct pam {
    unsigned width, height, depth, maxval;
    char tuple[64];
};

static const struct tuple {
    const char *name;
    unsigned depth;
    enum imf_color color;
    bool alpha;
} tuples[] = {
    {"GRAYSCALE", 1, IMF_COLOR_GRAY, false},
    {"GRAYSCALE_ALPHA", 2, IMF_COLOR_GRAY, true},
    {"RGB", 3, IMF_COLOR_RGB, false},
    {"RGB_ALPHA", 4, IMF_COLOR_RGB, true},
    {"CMYK", 4, IMF_COLOR_CMYK, false},
    {"BLACKANDWHITE", 1, IMF_COLOR_GRAY, false},
    {"BLACKANDWHITE_ALPHA", 2, IMF_COLOR_GRAY, true},
};

/* Read a word, and the byte after it in *c; a word that is too long is cut. */
static void word(struct imf_source *s, int *c, char *dst, size_t size) {
    size_t n = 0;
    while (*c == ' ' || *c == '\t')
        *c = imf_source_getc(s);
    for (; *c != EOF && !is_space(*c); *c = imf_source_getc(s))
        if (n + 1 < size)
            dst[n++] = *c > ' ' && *c < 0x7f ? (char)*c : '?'; /* it may be printed to a terminal */
    dst[n] = 0;
}

static void end_line(struct imf_source *s, int c) {
    while (c != '\n' && c != EOF)
        c = imf_source_getc(s);
}

/* Read "KEY value" lines until ENDHDR; unknown keys are an error, as in Netpbm. */
static enum imf_status pam_header(struct imf_reader *r, struct pam *pam, struct imf_error *err) {
    struct imf_source *s = &r->source;
    const struct {
        const char *key;
        unsigned *value;
    } fields[] = {{"WIDTH", &pam->width},
                  {"HEIGHT", &pam->height},
                  {"DEPTH", &pam->depth},
                  {"MAXVAL", &pam->maxval}};
    enum { FIELDS = 4 };
    char key[16];
    end_line(s, imf_source_getc(s));
    for (;;) {
        int c = imf_source_getc(s);
        if (c == EOF)
            return bad_header(r, TOKEN_END, "PAM header", err);
        if (c == '#')
            c = comment(r);
        if (is_space(c) || c == EOF) {
            end_line(s, c);
            continue;
        }
        word(s, &c, key, sizeof key);
        size_t i = 0;
        while (i < FIELDS && strcmp(key, fields[i].key) != 0)
            i++;
        if (i < FIELDS) {
            enum token token = c == '\n' ? TOKEN_BAD : number(r, fields[i].value);
            if (token)
                return bad_header(r, token, key, err);
            continue; /* number() took the newline */
        }
        if (strcmp(key, "ENDHDR") == 0) {
            end_line(s, c);
            return IMF_OK;
        }
        if (strcmp(key, "TUPLTYPE") != 0)
            return bad_header(r, TOKEN_OK, "a PAM keyword", err);
        word(s, &c, pam->tuple, sizeof pam->tuple);
        end_line(s, c);
    }
}

static enum imf_status find_tuple(const struct pam *pam, const struct tuple **out,
                                  struct imf_error *err) {
    enum { COUNT = sizeof tuples / sizeof tuples[0] };
    for (size_t i = 0; i < COUNT; i++)
        if ((!pam->tuple[0] || strcmp(pam->tuple, tuples[i].name) == 0) &&
            pam->depth == tuples[i].depth) {
            *out = &tuples[i];
            return IMF_OK;
        }
    return imf_fail(err, IMF_ERR_FORMAT,
                    "a PAM of type \"%s\" and depth %u cannot be read (GRAYSCALE, RGB, each with "
                    "_ALPHA, BLACKANDWHITE and CMYK can)",
                    pam->tuple, pam->depth);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Samples as the file has them, but a raw bitmap's: of 16 bits the upper byte first. */
static enum token plain_row(struct imf_reader *r, unsigned char *dst, size_t samples) {
    struct pnm *p = r->state;
    for (size_t i = 0; i < samples; i++) {
        unsigned value;
        enum token token = p->bits ? digit(r, &value) : number(r, &value);
        if (token)
            return token;
        if (value > p->maxval)
            return TOKEN_HUGE;
        if (p->full > 255)
            *dst++ = (unsigned char)(value >> 8);
        *dst++ = (unsigned char)value;
    }
    return TOKEN_OK;
}

static enum token raw_row(struct imf_reader *r, unsigned char *dst, size_t samples) {
    struct pnm *p = r->state;
    if (imf_source_read(&r->source, p->line ? p->line : dst, p->packed) < p->packed)
        return TOKEN_END;
    for (size_t i = 0; p->line && i < samples; i++)
        dst[i] = p->scaled[p->line[i / 8] >> (7 - i % 8) & 1];
    return TOKEN_OK;
}

/* Scale in place; false where a sample is over the maxval. */
static bool scale_narrow(const struct pnm *p, unsigned char *row, size_t samples) {
    unsigned over = 0;
    if (p->maxval == 255)
        return true;
    for (size_t i = 0; i < samples; i++) {
        over |= row[i] > p->maxval;
        row[i] = p->scaled[row[i]];
    }
    return !over;
}

static bool scale_wide(const struct pnm *p, unsigned char *row, size_t samples) {
    unsigned over = 0;
    for (size_t i = 0; i < samples; i++, row += 2) {
        unsigned value = (unsigned)row[0] << 8 | row[1];
        over |= value > p->maxval;
        if (p->maxval != 65535)
            value = (unsigned)(((uint64_t)value * 65535 + p->maxval / 2) / p->maxval);
        uint16_t native = (uint16_t)value;
        memcpy(row, &native, sizeof native);
    }
    return !over;
}

static enum imf_status read_row(struct imf_reader *r, unsigned char *dst, int row,
                                struct imf_error *err) {
    const struct pnm *p = r->state;
    size_t samples = (size_t)r->info.width * (size_t)r->info.channels;
    char text[80] = "truncated";
    enum token token = (p->plain ? plain_row : raw_row)(r, dst, samples);
    if (!token && !p->line && !(p->full > 255 ? scale_wide : scale_narrow)(p, dst, samples))
        token = TOKEN_HUGE;
    if (!token)
        return IMF_OK;
    if (token == TOKEN_HUGE)
        snprintf(text, sizeof text, "damaged (a sample is over the maxval of %u)", p->maxval);
    return imf_reader_damaged(r, row, token == TOKEN_BAD ? "damaged (not a number)" : text, err);
}

/* ---- decoder ------------------------------------------------------------------------------ */

static enum imf_status set_maxval(struct pnm *p, struct imf_error *err) {
    if (p->maxval < 1 || p->maxval > 65535)
        return imf_fail(err, IMF_ERR_DAMAGED, "damaged PNM header (maxval %u is not 1..65535)",
                        p->maxval);
    p->full = p->maxval > 255 ? 65535 : 255;
    for (unsigned v = 0; p->full == 255 && v <= p->maxval; v++)
        p->scaled[p->bits ? 1 - v : v] = (uint8_t)((v * 255 + p->maxval / 2) / p->maxval);
    return IMF_OK;
}

/* How few bits hold the samples: imf_info.bits. */
static int used_bits(const struct imf_reader *r, unsigned maxval) {
    if (r->info.channels > 1)
        return 0;
    return maxval == 1 ? 1 : maxval == 3 ? 2 : maxval == 15 ? 4 : 0;
}

static enum imf_status pnm_open(struct imf_reader *r, struct imf_error *err) {
    static const struct tuple gray = {"", 1, IMF_COLOR_GRAY, false},
                              rgb = {"", 3, IMF_COLOR_RGB, false};
    struct pnm *p = r->state;
    imf_source_getc(&r->source); /* 'P', and the digit: both were recognised */
    char type = (char)imf_source_getc(&r->source);
    p->plain = type <= '3';
    p->bits = type == '1' || type == '4';
    struct pam pam = {.tuple = ""};
    p->floats = type == 'f' || type == 'F';
    const struct tuple *tuple = type == '3' || type == '6' || type == 'F' ? &rgb : &gray;
    enum imf_status status;
    if (type == '7') {
        status = pam_header(r, &pam, err);
        if (status == IMF_OK)
            status = find_tuple(&pam, &tuple, err);
        p->maxval = pam.maxval;
    } else {
        unsigned size[2];
        status = pnm_header(r, size, err);
        pam.width = size[0];
        pam.height = size[1];
    }
    if (status || (status = set_maxval(p, err)))
        return status;
    enter_read(r, imf_source_position(&r->source));
    p->in_raster = true;
    status = imf_reader_shape(r, pam.width, pam.height, tuple->color, tuple->alpha,
                              p->floats       ? 32
                              : p->full > 255 ? 16
                                              : 8,
                              err);
    if (status || p->floats)
        return status ? status : imf_pfm_source_open(r, &p->pfm, err);
    r->info.bits = used_bits(r, p->maxval);
    if (!p->bits && p->maxval != p->full)
        r->info.maxval = (int)p->maxval;
    p->packed = r->row_bytes;
    if (p->bits && !p->plain) {
        p->packed = ((size_t)r->info.width + 7) / 8;
        if (!(p->line = malloc(p->packed)))
            return imf_fail_memory(err, p->packed);
    }
    return IMF_OK;
}

static enum imf_status pnm_rows(struct imf_reader *r, unsigned char *dst, size_t stride, int rows,
                                int *done, struct imf_error *err) {
    struct pnm *p = r->state;
    enum imf_status status = IMF_OK;
    if (p->floats)
        return imf_pfm_source_rows(r, &p->pfm, dst, stride, rows, done, err);
    while (*done < rows && !(status = read_row(r, dst + (size_t)*done * stride, *done, err)))
        ++*done;
    return status;
}

/* More images may follow; only the first is read. */
static enum imf_status pnm_end(struct imf_reader *r, struct imf_error *err) {
    struct imf_source *s = &r->source;
    (void)err;
    enter_read(r, imf_source_position(s));
    int c = imf_source_getc(s);
    while (is_space(c))
        c = imf_source_getc(s);
    enter(r, imf_source_position(s) - (c != EOF), IMF_STRUCTURE, "space");
    if (c == 'P')
        imf_account_add(&r->account, imf_source_position(s) - 1, UINT64_MAX, IMF_LOST, 0,
                        "further pictures");
    return IMF_OK;
}

static void pnm_close(struct imf_reader *r) {
    struct pnm *p = r->state;
    free(p->line);
    free(p->pfm.held);
}

/* ---- format ------------------------------------------------------------------------------- */

static bool pnm_part(size_t i, struct imf_part_kind *kind) {
    snprintf(kind->name, sizeof kind->name, "%s", i == 0 ? "comment" : "further pictures");
    kind->items = i == 0 ? 1 << IMF_META_PNM_COMMENT | 1 << IMF_META_COMMENT : 0;
    return i < 2;
}

static const struct imf_decoder decoder = {sizeof(struct pnm), pnm_open, pnm_rows, pnm_end,
                                           pnm_close,          pnm_part, NULL};

const struct imf_codec imf_pnm_codec = {
    .doc = {"pnm", "PNM", {"pnm", "pbm", "pgm", "ppm", "pam", "pfm"}, {NULL}},
    .recognise = imf_pnm_recognise,
    .plausible = imf_pnm_plausible,
    .colors = 1 << IMF_COLOR_GRAY | 1 << IMF_COLOR_RGB | 1 << IMF_COLOR_CMYK,
    .alpha = 8 | 16,
    .depths = 8 | 16 | 32,
    .few_bits = 1 << 1,
    .side_max = INT_MAX,
    .metadata_max = {[IMF_META_PNM_COMMENT] = COMMENT_MAX},
    .adapt = imf_pnm_adapt,
    .decoder = &decoder,
    .encoder = &imf_pnm_encoder,
};
