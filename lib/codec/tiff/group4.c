/*
 * group4.c - rows of bits by CCITT Group 4 (ITU-T T.6; TIFF 6.0, section 11)
 *
 * A row is where its colour changes, told by the changes of the row above: by at most 3 pixels beside one (vertical), as
 * two runs (horizontal), or not yet (pass). The row above the first is white. A run is a number of 64s,
 * each 2560 of them a code of their own, and the rest.
 */
#include "codec/tiff/group4.h"

#include <string.h>

#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Of runs of white and black: 0 to 63, then 64, 128 to 2560. A code follows its word's uppermost 1. */
enum { MAKE_UP = 64, LONGEST = 2560 };
static const uint16_t runs[2][MAKE_UP + LONGEST / 64] = {
    {0x135,  0x47,   0x17,   0x18,   0x1b,   0x1c,   0x1e,   0x1f,  0x33,  0x34,  0x27,   0x28,
     0x48,   0x43,   0x74,   0x75,   0x6a,   0x6b,   0xa7,   0x8c,  0x88,  0x97,  0x83,   0x84,
     0xa8,   0xab,   0x93,   0xa4,   0x98,   0x102,  0x103,  0x11a, 0x11b, 0x112, 0x113,  0x114,
     0x115,  0x116,  0x117,  0x128,  0x129,  0x12a,  0x12b,  0x12c, 0x12d, 0x104, 0x105,  0x10a,
     0x10b,  0x152,  0x153,  0x154,  0x155,  0x124,  0x125,  0x158, 0x159, 0x15a, 0x15b,  0x14a,
     0x14b,  0x132,  0x133,  0x134,  0x3b,   0x32,   0x57,   0xb7,  0x136, 0x137, 0x164,  0x165,
     0x168,  0x167,  0x2cc,  0x2cd,  0x2d2,  0x2d3,  0x2d4,  0x2d5, 0x2d6, 0x2d7, 0x2d8,  0x2d9,
     0x2da,  0x2db,  0x298,  0x299,  0x29a,  0x58,   0x29b,  0x808, 0x80c, 0x80d, 0x1012, 0x1013,
     0x1014, 0x1015, 0x1016, 0x1017, 0x101c, 0x101d, 0x101e, 0x101f},
    {0x437,  0xa,    0x7,    0x6,    0xb,    0x13,   0x12,   0x23,   0x45,   0x44,   0x84,   0x85,
     0x87,   0x104,  0x107,  0x218,  0x417,  0x418,  0x408,  0x867,  0x868,  0x86c,  0x837,  0x828,
     0x817,  0x818,  0x10ca, 0x10cb, 0x10cc, 0x10cd, 0x1068, 0x1069, 0x106a, 0x106b, 0x10d2, 0x10d3,
     0x10d4, 0x10d5, 0x10d6, 0x10d7, 0x106c, 0x106d, 0x10da, 0x10db, 0x1054, 0x1055, 0x1056, 0x1057,
     0x1064, 0x1065, 0x1052, 0x1053, 0x1024, 0x1037, 0x1038, 0x1027, 0x1028, 0x1058, 0x1059, 0x102b,
     0x102c, 0x105a, 0x1066, 0x1067, 0x40f,  0x10c8, 0x10c9, 0x105b, 0x1033, 0x1034, 0x1035, 0x206c,
     0x206d, 0x204a, 0x204b, 0x204c, 0x204d, 0x2072, 0x2073, 0x2074, 0x2075, 0x2076, 0x2077, 0x2052,
     0x2053, 0x2054, 0x2055, 0x205a, 0x205b, 0x2064, 0x2065, 0x808,  0x80c,  0x80d,  0x1012, 0x1013,
     0x1014, 0x1015, 0x1016, 0x1017, 0x101c, 0x101d, 0x101e, 0x101f},
};
/* The row's change is 3 to the left of that above, .., 3 to the right. */
static const uint16_t vertical[] = {0x82, 0x42, 0xa, 0x3, 0xb, 0x43, 0x83};
enum { PASS = 0x11, HORIZONTAL = 0x9, END_OF_LINE = 0x1001, NEAR = 3 };

struct output {
    unsigned char *to;
    uint64_t held; /* the lower `bits` are still to be written */
    int bits;
};

static void put(struct output *o, unsigned code) {
    int length = 31 - __builtin_clz(code);
    o->held = o->held << length | (code - (1u << length));
    for (o->bits += length; o->bits >= 8; o->bits -= 8)
        *o->to++ = (unsigned char)(o->held >> (o->bits - 8));
}

static void put_run(struct output *o, int64_t length, int color) {
    for (; length >= LONGEST + 64; length -= LONGEST)
        put(o, runs[color][MAKE_UP + LONGEST / 64 - 1]);
    if (length >= 64)
        put(o, runs[color][MAKE_UP + length / 64 - 1]);
    put(o, runs[color][length % 64]);
}

/* The first pixel from `at` on that has not this colour, or `width`. */
static int64_t skip(const unsigned char *row, int64_t at, int64_t width, int color) {
    while (at < width) {
        uint64_t bits;
        memcpy(&bits, row + at / 8, sizeof bits);
        bits = BIG_ENDIAN_HOST ? bits : __builtin_bswap64(bits);
        bits = (color ? ~bits : bits) << at % 8;
        if (bits)
            return at + __builtin_clzll(bits) < width ? at + __builtin_clzll(bits) : width;
        at += 64 - at % 8;
    }
    return width;
}

static void put_row(struct output *o, const unsigned char *above, const unsigned char *row,
                    int64_t width) {
    int color = 0;
    int64_t at = 0, change = skip(row, 0, width, 0), other = skip(above, 0, width, 0);
    while (
        at <
        width) { /* `other`: of the row above, the first change to the other colour behind `at` */
        int64_t next = skip(above, other, width, !color);
        int64_t off = change - other;
        if (next < change) {
            put(o, PASS);
            at = next;
        } else if (off >= -NEAR && off <= NEAR) {
            put(o, vertical[off + NEAR]);
            at = change;
            color = !color;
        } else {
            int64_t end = skip(row, change, width, !color);
            put(o, HORIZONTAL);
            put_run(o, change - at, color);
            put_run(o, end - change, !color);
            at = end;
        }
        change = skip(row, at, width, color);
        other = skip(above, skip(above, at, width, !color), width, color);
    }
}

size_t imf_group4(const unsigned char *rows, size_t stride, int width, int count,
                  const unsigned char *white, unsigned char *to) {
    struct output o = {.to = to};
    for (int y = 0; y < count; y++, rows += stride)
        put_row(&o, y ? rows - stride : white, rows, width);
    put(&o, END_OF_LINE);
    put(&o, END_OF_LINE);
    if (o.bits)
        *o.to++ = (unsigned char)(o.held << (8 - o.bits));
    return (size_t)(o.to - to);
}
