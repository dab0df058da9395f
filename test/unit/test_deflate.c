/* test_deflate.c - the library's deflate is read back by zlib, whatever the data */
#include "check.h"
#include "codec/deflate/encode.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SIZE_MAX_ 400000

static uint32_t state = 7;
static unsigned random_bits(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 16;
}

enum kind { ZEROS, NOISE, NARROW, TEXT, SKEWED, CHANGING, DISTANT, KINDS };

static void fill(unsigned char *p, size_t size, enum kind kind) {
    static const char words[] = "every word of this is written again and again, here or there; ";
    for (size_t i = 0; i < size; i++)
        switch (kind) {
        case ZEROS:
            p[i] = 0;
            break;
        case NOISE:
            p[i] = (unsigned char)random_bits();
            break;
        case NARROW: /* what remains of a photograph */
            p[i] = (unsigned char)((random_bits() & 3) + (random_bits() & 3) - 3);
            break;
        case TEXT:
            p[i] = (unsigned char)words[(i + i / 1000 * 7) % (sizeof words - 1)];
            break;
        case SKEWED: /* so skewed that Huffman's codes would be longer than deflate's may be */
            p[i] = (unsigned char)__builtin_ctz(random_bits() | 1u << 15 | random_bits() << 16);
            break;
        case CHANGING:
            p[i] = (unsigned char)(i / 50000 % 2 ? random_bits() : random_bits() & 1);
            break;
        case DISTANT: /* the same at the far end of the window */
            p[i] =
                i < IMF_DEFLATE_WINDOW ? (unsigned char)random_bits() : p[i - IMF_DEFLATE_WINDOW];
            break;
        case KINDS:
            break;
        }
}

/* Inflate a block that follows `before` bytes, and compare. */
static bool same(const unsigned char *data, size_t before, size_t size, bool last,
                 const unsigned char *deflated, size_t deflated_size) {
    static unsigned char back[SIZE_MAX_ + 1];
    size_t window = before < IMF_DEFLATE_WINDOW ? before : IMF_DEFLATE_WINDOW;
    z_stream z = {0};
    inflateInit2(&z, -MAX_WBITS);
    inflateSetDictionary(&z, data - window, (uInt)window);
    z.next_in = (Bytef *)(uintptr_t)deflated;
    z.avail_in = (uInt)deflated_size;
    z.next_out = back;
    z.avail_out = sizeof back;
    int status = inflate(&z, Z_SYNC_FLUSH);
    bool good = status == (last ? Z_STREAM_END : Z_OK) && z.avail_in == 0 && z.total_out == size &&
                memcmp(back, data, size) == 0;
    inflateEnd(&z);
    return good;
}

static void test_round_trips(void) {
    static const size_t sizes[] = {1, 2, 17, 300, 4096, 32768, 32769, 65536, 131073, 350000};
    unsigned char *data = malloc(SIZE_MAX_), *to = malloc(imf_deflate_bound(SIZE_MAX_) + 8);
    struct imf_deflate *d = malloc(imf_deflate_bytes);
    for (int kind = 0; kind < KINDS; kind++) {
        fill(data, SIZE_MAX_, (enum kind)kind);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t shift = 1; shift <= 3; shift++) {
                size_t before = s % 3 == 0 ? 0 : s % 3 == 1 ? 1000 : 40000, size = sizes[s];
                size_t pixel = 1 + (s + shift) % 8, bound = imf_deflate_bound(size);
                bool last = (s + shift) % 2;
                memset(to, 0xa5, bound + 8);
                size_t n = imf_deflate_block(d, data + before, before, size, pixel, last, to);
                CHECK(n <= bound && same(data + before, before, size, last, to, n),
                      "kind %d, %zu bytes behind %zu, pixels of %zu", kind, size, before, pixel);
                CHECK(memcmp(to + bound, "\xa5\xa5\xa5\xa5\xa5\xa5\xa5\xa5", 8) == 0,
                      "kind %d, %zu bytes: written beyond the bound", kind, size);
            }
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int last = 0; last < 2; last++) {
                size_t n = imf_deflate_stored(data, sizes[s], last, to);
                CHECK(n >= sizes[s] && n <= imf_deflate_bound(sizes[s]) &&
                          same(data, 0, sizes[s], last, to, n),
                      "stored, %zu bytes", sizes[s]);
            }
    }
    free(d);
    free(data);
    free(to);
}

/* What came before in the scratch memory does not matter, and noise becomes less than by zlib. */
static void test_noise(void) {
    enum { SIZE = 200000 };
    unsigned char *data = malloc(SIZE), *a = malloc(imf_deflate_bound(SIZE));
    unsigned char *b = malloc(imf_deflate_bound(SIZE));
    struct imf_deflate *d = malloc(imf_deflate_bytes), *other = malloc(imf_deflate_bytes);
    fill(data, SIZE, TEXT);
    (void)imf_deflate_block(d, data, 0, SIZE, 3, true, a);
    fill(data, SIZE, NARROW);
    size_t first = imf_deflate_block(d, data, 0, SIZE, 3, true, a);
    size_t again = imf_deflate_block(other, data, 0, SIZE, 3, true, b);
    CHECK(first == again && memcmp(a, b, first) == 0, "used memory gives other bytes");
    uLongf zlib = imf_deflate_bound(SIZE);
    compress2(b, &zlib, data, SIZE, 6);
    CHECK(first < zlib, "noise: %zu bytes, zlib %lu", first, (unsigned long)zlib);
    free(d);
    free(other);
    free(data);
    free(a);
    free(b);
}

/* Of a few bytes a table would take more than it spares: they are stored. */
static void test_few_bytes(void) {
    static const unsigned char data[] = "a few words";
    unsigned char to[512];
    size_t size = sizeof data - 1;
    struct imf_deflate *d = malloc(imf_deflate_bytes);
    size_t n = imf_deflate_block(d, data, 0, size, 1, true, to);
    CHECK(same(data, 0, size, true, to, n), "a few words");
    CHECK((to[0] & 6) == 0 && n == size + 5, "%zu bytes of %zu, block %d", n, size, to[0] & 7);
    free(d);
}

int main(void) {
    test_round_trips();
    test_noise();
    test_few_bytes();
    return check_done("test_deflate");
}
