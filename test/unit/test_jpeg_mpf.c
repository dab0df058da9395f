/*
 * test_jpeg_mpf.c - a JPEG's list of images, whose places change with the file
 */
#include "check.h"
#include "codec/jpeg/mpf.h"

#include <stdlib.h>
#include <string.h>

/* Any byte may be wrong: put right or refused, nothing beyond it touched. */
static void test_list_of_images(void) {
    static const unsigned char list[82] =
        "MM\0\x2a\0\0\0\x08\0\x03\xb0\0\0\x07\0\0\0\x04"
        "0100"
        "\xb0\x01\0\x04\0\0\0\x01\0\0\0\x02\xb0\x02\0\x07\0\0\0\x20\0\0\0\x32\0\0\0\0"
        "\0\x03\0\0\0\0\x03\xe8\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x64\0\0\x02\xbc\0\0\0\0";
    const struct imf_mpf_position from = {300, 1000}, to = {400, 3000};
    static const unsigned char values[] = {0, 1, 2, 0x7f, 0xff};
    unsigned char *copy = malloc(sizeof list);
    memcpy(copy, list, sizeof list);
    CHECK(imf_mpf_move(copy, sizeof list, &from, &to, 100), "a good list");
    CHECK(memcmp(copy + 54, "\0\0\x0b\xb8", 4) == 0, "3000 bytes");
    CHECK(memcmp(copy + 74, "\0\0\x0a\x28", 4) == 0, "the second image at 2600");
    memcpy(copy, list, sizeof list);
    CHECK(!imf_mpf_move(copy, sizeof list, &from, &to, 99), "an image is cut short");
    free(copy);
    for (size_t size = 0; size < sizeof list; size++) {
        unsigned char *exact = malloc(size + 1);
        memcpy(exact, list, size);
        CHECK(!imf_mpf_move(exact, size, &from, &to, 100), "%zu bytes of a list", size);
        free(exact);
    }
    for (size_t i = 0; i < sizeof list * sizeof values; i++) {
        unsigned char *exact = malloc(sizeof list);
        memcpy(exact, list, sizeof list);
        exact[i / sizeof values] = values[i % sizeof values];
        if (imf_mpf_move(exact, sizeof list, &from, &to, 100))
            CHECK(memcmp(exact + 54, "\0\0\x0b\xb8", 4) == 0 || exact[0] == 'I', "byte %zu",
                  i / sizeof values);
        free(exact);
    }
}

int main(void) {
    test_list_of_images();
    return check_done("test_jpeg_mpf");
}
