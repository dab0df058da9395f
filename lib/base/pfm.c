/* pfm.c - Portable FloatMap: a picture of 32-bit floats in a file */
#include "base/pfm.h"

#include "base/number.h"
#include "base/surface.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define SAMPLE 4 /* bytes */

static bool is_space(unsigned char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool imf_pfm_recognise(const void *bytes, size_t size) {
    const unsigned char *head = bytes;
    return size >= 3 && head[0] == 'P' && (head[1] == 'f' || head[1] == 'F') && is_space(head[2]);
}

/* The next number, of text that ends at `size`; *at becomes the end of it. */
static bool next_number(const unsigned char *bytes, size_t size, size_t *at, double *out) {
    while (*at < size && is_space(bytes[*at]))
        ++*at;
    struct imf_span word = {(const char *)bytes + *at, 0};
    while (*at < size && !is_space(bytes[*at]))
        ++*at, word.length++;
    return word.length > 0 && !imf_number_parse(word, out);
}

static bool is_side(double v) {
    return v >= 1 && v <= INT_MAX && v == rint(v);
}

enum imf_status imf_pfm_open(struct imf_pfm *out, const void *bytes, size_t size,
                             struct imf_error *err) {
    const unsigned char *all = bytes;
    double number[3]; /* width, height, the sign of which is the order of bytes */
    size_t at = 2, count, wanted;
    for (int i = 0; i < 3; i++)
        if (!next_number(all, size, &at, &number[i]) || (i < 2 ? !is_side(number[i]) : !number[i]))
            return imf_fail(err, IMF_ERR_DAMAGED, "damaged PFM header (the %s is wrong)",
                            (const char *[]){"width", "height", "scale"}[i]);
    if (all[1] == 'F')
        return imf_fail(err, IMF_ERR_FORMAT, "is a PFM in colour (PF): save it in gray (Pf)");
    size_t held = at < size ? size - at - 1 : 0; /* behind one byte of white space */
    if (!imf_size_mul((size_t)number[0], (size_t)number[1], &count) ||
        !imf_size_mul(count, SAMPLE, &wanted) || held != wanted)
        return imf_fail(err, IMF_ERR_DAMAGED,
                        "damaged PFM (%zu bytes of samples, where %.0fx%.0f are 4 bytes each)",
                        held, number[0], number[1]);
    *out = (struct imf_pfm){(int)number[0], (int)number[1], signbit(number[2]) != 0, all + at + 1};
    return IMF_OK;
}

float imf_pfm_sample(const struct imf_pfm *p, int x, int y) {
    size_t row = (size_t)(p->height - 1 - y);
    const unsigned char *b = p->samples + SAMPLE * (row * (size_t)p->width + (size_t)x);
    uint32_t bits = 0;
    float value;
    for (int i = 0; i < SAMPLE; i++)
        bits |= (uint32_t)b[i] << 8 * (p->little ? i : SAMPLE - 1 - i);
    memcpy(&value, &bits, sizeof value);
    return value;
}

enum imf_status imf_pfm_write(FILE *stream, int width, int height, const float *values,
                              struct imf_error *err) {
    fprintf(stream, "Pf\n%d %d\n-1.0\n", width, height);
    for (int y = height - 1; y >= 0; y--)
        for (int x = 0; x < width; x++) {
            uint32_t bits;
            memcpy(&bits, &values[(size_t)y * (size_t)width + (size_t)x], sizeof bits);
            for (int i = 0; i < SAMPLE; i++)
                putc((int)(bits >> 8 * i & 255), stream);
        }
    if (ferror(stream) || fflush(stream))
        return imf_fail(err, IMF_ERR_IO, "cannot write: %s", strerror(errno));
    return IMF_OK;
}
