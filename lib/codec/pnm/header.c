/*
 * header.c - headers of PNM: PBM, PGM and PPM, plain and raw, PAM and PFM
 *
 * See pbm(5) ... pam(5) of Netpbm.
 */
#include "codec/pnm/header.h"

#include "base/number.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void imf_pnm_enter(struct imf_reader *r, uint64_t end, enum imf_becomes becomes, const char *name) {
    struct imf_pnm_reader *p = r->state;
    if (end > p->entered)
        imf_account_add(&r->account, p->entered, end - p->entered, becomes,
                        becomes == IMF_LOST ? IMF_STRIP_OTHER : 0, name);
    p->entered = end;
}

void imf_pnm_enter_read(struct imf_reader *r, uint64_t end) {
    const struct imf_pnm_reader *p = r->state;
    imf_pnm_enter(r, end, p->in_raster ? IMF_PIXELS : IMF_STRUCTURE,
                  p->in_raster ? "pixels" : "header");
}

/* A comment, behind its '#', up to the end of its line, which is returned. */
static int comment(struct imf_reader *r) {
    struct imf_source *s = &r->source;
    uint64_t begin = imf_source_position(s) - 1;
    char text[IMF_PNM_COMMENT_MAX];
    size_t size = 0;
    int c = imf_source_getc(s);
    for (; c != '\n' && c != '\r' && c != EOF; c = imf_source_getc(s), size++)
        if (size < sizeof text)
            text[size] = (char)c;
    size_t skip = size > 0 && *text == ' ';
    imf_pnm_enter_read(r, begin);
    imf_pnm_enter(r, imf_source_position(s), IMF_LOST, "comment");
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

enum imf_pnm_token imf_pnm_number(struct imf_reader *r, unsigned *out) {
    int c = next(r);
    while (imf_pnm_is_space(c))
        c = next(r);
    if (c == EOF)
        return IMF_PNM_END;
    if (c < '0' || c > '9')
        return IMF_PNM_BAD;
    uint64_t value = 0;
    for (; c >= '0' && c <= '9'; c = next(r))
        if ((value = value * 10 + (unsigned)(c - '0')) > INT_MAX)
            return IMF_PNM_HUGE;
    *out = (unsigned)value;
    return c == EOF || imf_pnm_is_space(c) ? IMF_PNM_OK : IMF_PNM_BAD;
}

/* Read a PFM's third number and the byte after it. */
static enum imf_pnm_token scale(struct imf_reader *r) {
    struct imf_pnm_reader *p = r->state;
    char *text = r->metadata.pfm_scale;
    size_t size = 0;
    double value;
    int c = next(r);
    while (imf_pnm_is_space(c))
        c = next(r);
    p->pfm.big_endian = c != '-';
    if (c == '-' || c == '+')
        c = imf_source_getc(&r->source);
    for (; c != EOF && !imf_pnm_is_space(c) && size + 1 < sizeof r->metadata.pfm_scale;
         c = imf_source_getc(&r->source))
        text[size++] = (char)c;
    text[size] = '\0';
    bool bad = !imf_pnm_is_space(c) || imf_number_parse((struct imf_span){text, size}, &value) ||
               value <= 0;
    return c == EOF ? IMF_PNM_END : bad ? IMF_PNM_BAD : IMF_PNM_OK;
}

enum imf_pnm_token imf_pnm_digit(struct imf_reader *r, unsigned *out) {
    int c = next(r);
    while (imf_pnm_is_space(c))
        c = next(r);
    *out = c == '1';
    return c == '0' || c == '1' ? IMF_PNM_OK : c == EOF ? IMF_PNM_END : IMF_PNM_BAD;
}

/* ---- header ------------------------------------------------------------------------------- */

static enum imf_status bad_header(const struct imf_reader *r, enum imf_pnm_token token,
                                  const char *what, struct imf_error *err) {
    static const char *const how[] = {"is wrong", "is cut off", "is not a number", "is too large"};
    if (r->source.error)
        return imf_fail_io(err, r->source.error);
    return imf_fail(err, IMF_ERR_DAMAGED, "damaged PNM header (%s %s)", what, how[token]);
}

static enum imf_status pnm_header(struct imf_reader *r, unsigned size[2], struct imf_error *err) {
    static const char *const name[] = {"width", "height"};
    struct imf_pnm_reader *p = r->state;
    enum imf_pnm_token token;
    for (int i = 0; i < 2; i++)
        if ((token = imf_pnm_number(r, &size[i])))
            return bad_header(r, token, name[i], err);
    p->maxval = 1;
    if (p->floats && (token = scale(r)))
        return bad_header(r, token, "scale", err);
    if (!p->bits && !p->floats && (token = imf_pnm_number(r, &p->maxval)))
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
    for (; *c != EOF && !imf_pnm_is_space(*c); *c = imf_source_getc(s))
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
            return bad_header(r, IMF_PNM_END, "PAM header", err);
        if (c == '#')
            c = comment(r);
        if (imf_pnm_is_space(c) || c == EOF) {
            end_line(s, c);
            continue;
        }
        word(s, &c, key, sizeof key);
        size_t i = 0;
        while (i < FIELDS && strcmp(key, fields[i].key) != 0)
            i++;
        if (i < FIELDS) {
            enum imf_pnm_token token = c == '\n' ? IMF_PNM_BAD : imf_pnm_number(r, fields[i].value);
            if (token)
                return bad_header(r, token, key, err);
            continue; /* imf_pnm_number() took the newline */
        }
        if (strcmp(key, "ENDHDR") == 0) {
            end_line(s, c);
            return IMF_OK;
        }
        if (strcmp(key, "TUPLTYPE") != 0)
            return bad_header(r, IMF_PNM_OK, "a PAM keyword", err);
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

static enum imf_status set_maxval(struct imf_pnm_reader *p, struct imf_error *err) {
    if (p->maxval < 1 || p->maxval > 65535)
        return imf_fail(err, IMF_ERR_DAMAGED, "damaged PNM header (maxval %u is not 1..65535)",
                        p->maxval);
    p->full = p->maxval > 255 ? 65535 : 255;
    for (unsigned v = 0; p->full == 255 && v <= p->maxval; v++)
        p->scaled[p->bits ? 1 - v : v] = (uint8_t)((v * 255 + p->maxval / 2) / p->maxval);
    return IMF_OK;
}

enum imf_status imf_pnm_header(struct imf_reader *r, struct imf_pnm_shape *shape,
                               struct imf_error *err) {
    static const struct tuple gray = {"", 1, IMF_COLOR_GRAY, false},
                              rgb = {"", 3, IMF_COLOR_RGB, false};
    struct imf_pnm_reader *p = r->state;
    char type = p->type;
    p->plain = type <= '3';
    p->bits = type == '1' || type == '4';
    p->floats = type == 'f' || type == 'F';
    struct pam pam = {.tuple = ""};
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
    if (status == IMF_OK)
        status = set_maxval(p, err);
    imf_pnm_enter_read(r, imf_source_position(&r->source));
    p->in_raster = true;
    *shape =
        (struct imf_pnm_shape){pam.width, pam.height, tuple->depth, tuple->color, tuple->alpha};
    return status;
}
