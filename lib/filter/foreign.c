/*
 * foreign.c - kernels as other programs write them: told from ours, with the spelling that does
 *
 * ImageMagick has "3x3:0,-1,0,-1,5,-1,0,-1,0", MATLAB "[0 -1 0;-1 5 -1;0 -1 0]", and a matrix file
 * of vips begins with a line of width, height, scale and offset. They are refused rather than read:
 * ImageMagick's Convolve turns its kernel, a matrix file's first line may be a row as well.
 */
#include "filter/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Room for the beginning of the spelling; what is longer ends in "...". */
#define SPELLED 100

static bool add(char *text, size_t *used, char c) {
    if (*used + 5 > SPELLED) {
        memcpy(text + *used, "...", 4);
        return false;
    }
    text[(*used)++] = c;
    text[*used] = '\0';
    return true;
}

static bool is_separator(char c) {
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Numbers of `s`, rows ended by ';' or, width > 0, by their count, as we write them. */
static void spell(char text[SPELLED], struct imf_span s, long width) {
    size_t used = 0;
    long cells = 0;
    bool between = true, more = true; /* behind a separator; room left */
    text[0] = '\0';
    for (size_t i = 0; i < s.length && more; i++) {
        char c = s.text[i];
        bool row = c == ';';
        if (c == '[' || c == ']')
            continue;
        if (!row && !is_separator(c)) {
            if (between && used > 0 && text[used - 1] != '/')
                more = add(text, &used, width > 0 && cells % width == 0 ? '/' : ',');
            cells += between;
            between = false;
            more = more && add(text, &used, c);
            continue;
        }
        between = true;
        if (row && used > 0 && text[used - 1] != '/')
            more = add(text, &used, '/');
    }
}

/* The W of ImageMagick's "WxH", perhaps followed by "+X+Y", or 0. */
static long geometry_width(struct imf_span s) {
    int width = 0, height = 0, end = 0;
    char text[24];
    if (s.length >= sizeof text)
        return 0;
    memcpy(text, s.text, s.length);
    text[s.length] = '\0';
    if (sscanf(text, "%4dx%4d%n", &width, &height, &end) != 2 || width < 1 || height < 1)
        return 0;
    return text[end] == '\0' || text[end] == '+' ? width : 0;
}

bool imf_foreign_matrix(struct imf_span s, char why[IMF_FOREIGN_WHY]) {
    char text[SPELLED];
    const char *colon = memchr(s.text, ':', s.length);
    long width = colon ? geometry_width((struct imf_span){s.text, (size_t)(colon - s.text)}) : 0;
    if (width > 0) {
        struct imf_span cells = {colon + 1, s.length - (size_t)(colon + 1 - s.text)};
        spell(text, cells, width);
        snprintf(
            why, IMF_FOREIGN_WHY,
            "is ImageMagick's way: here it is kernel:%s (and :flip for what its Convolve does, "
            "nothing for its Correlate)",
            text);
        return true;
    }
    if (s.length > 0 && s.text[0] == '[') {
        spell(text, s, 0);
        snprintf(why, IMF_FOREIGN_WHY, "is MATLAB's way: here it is kernel:%s", text);
        return true;
    }
    return false;
}

bool imf_foreign_header(const struct imf_rows *r) {
    return (r->width == 2 || r->width == 4) && r->taps[0] == rint(r->taps[0]) &&
           r->taps[1] == rint(r->taps[1]) && r->taps[0] >= 1 && r->taps[1] >= 1;
}
