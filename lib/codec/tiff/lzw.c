/*
 * lzw.c - bytes by LZW as TIFF has it (TIFF 6.0, section 13)
 *
 * Each code is the longest string that the table has, which then gets it with the byte behind it. Codes have 9 bits
 * at first, and one more as soon as the table's last entry would need it; before it is full it is cleared. Strings
 * are found by hashing.
 */
#include "codec/tiff/lzw.h"

#include <string.h>

enum { CLEAR = 256, END, FIRST, FULL = 4094, FEWEST = 9 };

struct output {
    unsigned char *to;
    uint32_t held; /* the lower `bits` are still to be written */
    int bits, width;
};

static void put(struct output *o, unsigned code) {
    o->held = o->held << o->width | code;
    for (o->bits += o->width; o->bits >= 8; o->bits -= 8)
        *o->to++ = (unsigned char)(o->held >> (o->bits - 8));
}

/* The slot that has the key, or is free for it. */
static size_t find(const struct imf_lzw_table *t, uint32_t key) {
    size_t at = (key * 2654435761u) >> 18;
    while (t->key[at] && t->key[at] != key)
        at = (at + 1) % IMF_LZW_SLOTS;
    return at;
}

/* An entry was made; returns what the next one is called. */
static unsigned made(struct output *o, unsigned next) {
    if (++next == FULL) {
        put(o, CLEAR);
        o->width = FEWEST;
        return FIRST;
    }
    o->width += next == 1u << o->width;
    return next;
}

size_t imf_lzw(struct imf_lzw_table *table, const unsigned char *data, size_t size,
               unsigned char *to) {
    struct output o = {.to = to, .width = FEWEST};
    unsigned next = FIRST, string = data[0];
    memset(table->key, 0, sizeof table->key);
    put(&o, CLEAR);
    for (size_t i = 1; i < size; i++) {
        uint32_t key = 1 + (string << 8 | data[i]);
        size_t slot = find(table, key);
        if (table->key[slot]) {
            string = table->code[slot];
            continue;
        }
        put(&o, string);
        table->key[slot] = key;
        table->code[slot] = (uint16_t)next;
        string = data[i];
        if ((next = made(&o, next)) == FIRST)
            memset(table->key, 0, sizeof table->key);
    }
    put(&o, string);
    made(&o, next);
    put(&o, END);
    if (o.bits)
        *o.to++ = (unsigned char)(o.held << (8 - o.bits));
    return (size_t)(o.to - to);
}
