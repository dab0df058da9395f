/* recognise.c - whether bytes are a PNM's first ones */
#include "codec/pnm/recognise.h"

#include <string.h>

static bool is_space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool imf_pnm_recognise(const unsigned char *head, size_t size) {
    return size >= 3 && head[0] == 'P' && head[1] && strchr("1234567fF", head[1]) && head[2] &&
           strchr(" \t\r\n\v\f#", head[2]);
}

/* The end of the white space and comments that begin at `at`. */
static size_t past_space(const unsigned char *head, size_t size, size_t at) {
    for (bool comment = false; at < size; at++) {
        comment = comment ? head[at] != '\n' && head[at] != '\r' : head[at] == '#';
        if (!comment && !is_space(head[at]))
            break;
    }
    return at;
}

static bool plausible_pam(const unsigned char *head, size_t size, size_t at) {
    static const char *const keys[] = {"WIDTH ", "HEIGHT ", "DEPTH ", "MAXVAL ", "TUPLTYPE "};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t length = strlen(keys[i]);
        if (size - at >= length && memcmp(head + at, keys[i], length) == 0)
            return true;
    }
    return at == size && size >= 512; /* a long comment */
}

/* Text may begin with "P5 ", too. What follows has to be a header and, in a plain format, digits. */
bool imf_pnm_plausible(const unsigned char *head, size_t size) {
    char kind = (char)head[1];
    size_t at = past_space(head, size, 2);
    if (kind == '7')
        return plausible_pam(head, size, at);
    bool floats = kind == 'f' || kind == 'F';
    for (int numbers = kind == '1' || kind == '4' || floats ? 2 : 3; numbers > 0; numbers--) {
        size_t first = at = past_space(head, size, at);
        while (at < size && head[at] >= '0' && head[at] <= '9')
            at++;
        if (at == size)
            return size >= 512;
        if (at == first || (!is_space(head[at]) && head[at] != '#'))
            return false;
    }
    if (floats && (at = past_space(head, size, at)) < size)
        return head[at] && strchr("+-.0123456789", head[at]);
    for (at = past_space(head, size, at); kind < '4' && at < size;
         at = past_space(head, size, at + 1))
        if (head[at] < '0' || head[at] > '9')
            return false;
    return true;
}
