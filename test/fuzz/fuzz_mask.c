/*
 * fuzz_mask.c - any bytes as a mask's file: what a drawn filter does under it is what the reference does
 *
 * The whole input is the file, and its last bytes are the choices as well: so any picture is a seed.
 */
#include "verified.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "imfilter.h"

enum { CHOICES = 8, LARGEST = 1 << 12 };

/* Those under a mask that differ in how they end: through tables, sums, both kinds of statistics. */
static const char *const specs[] = {"invert",   "sharpen",  "blur:1.5",
                                    "median:1", "equalize", "sobel"};

/* A file of these bytes, which only its path names. */
static int make_file(const uint8_t *data, size_t size, char path[32]) {
    int fd = memfd_create("mask", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        perror("a file in memory");
        abort();
    }
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

/* The picture that the mask's shape fits, or all but; with samples of the mask's bytes. */
static struct imf_info picture(const char *path, const struct imf_limits *limits,
                               const uint8_t *choice) {
    int channels = 1 + choice[0] % 4;
    struct imf_info info = {.width = 16,
                            .height = 16,
                            .channels = channels,
                            .alpha = channels % 2 == 0,
                            .color = channels > 2 ? IMF_COLOR_RGB : IMF_COLOR_GRAY,
                            .depth = choice[0] & 16 ? 16 : 8,
                            .orientation = choice[1] % 9};
    struct imf_reader *reader = NULL;
    FILE *f = fopen(path, "rb");
    if (f && imf_reader_open(&reader, f, limits, NULL) == IMF_OK) {
        const struct imf_info *mask = imf_reader_info(reader);
        bool turned = (mask->orientation >= 5) != (info.orientation >= 5);
        info.width = turned ? mask->height : mask->width;
        info.height = turned ? mask->width : mask->height;
        info.width += choice[0] >= 0xf0;
    }
    imf_reader_close(&reader);
    if (f)
        fclose(f);
    return info;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < CHOICES)
        return -1;
    const uint8_t *choice = data + size - CHOICES;
    const struct imf_limits limits = {
        .max_pixels = LARGEST, .max_memory = 64 << 20, .max_scans = 20, .lenient = choice[2] & 1};
    struct imf_settings settings = {.size = sizeof settings,
                                    .edge = (enum imf_edge)(choice[3] % (IMF_EDGE_CONSTANT + 1)),
                                    .backend = choice[2] & 4 ? IMF_BACKEND_CPU : IMF_BACKEND_VECTOR,
                                    .mask_invert = choice[2] & 2};
    /* A sigma of 510 takes seconds, whatever the picture's size. */
    settings.mask_feather = choice[4] < 64 ? 0 : choice[5] / (choice[4] < 240 ? 64.0 : 8.0);
    char path[32];
    int fd = make_file(data, size, path);
    struct imf_error err = {0};
    struct imf_filter *filter = NULL, *mask = NULL;
    enum imf_status status = imf_filter_from_mask(&mask, path, &limits, &err);
    FUZZ_ASSERT((status == IMF_OK) == (mask != NULL));
    FUZZ_ASSERT(status == IMF_OK || err.text[0] != '\0');
    if (status == IMF_OK) {
        const char *spec = specs[choice[6] % (sizeof specs / sizeof *specs)];
        struct imf_info info = picture(path, &limits, choice);
        size_t bytes = (size_t)info.width * (size_t)info.height * (size_t)info.channels * 2;
        uint8_t *in = malloc(bytes), *out = malloc(bytes);
        for (size_t i = 0; in && i < bytes; i++)
            in[i] = data[i % size];
        status = imf_filter_parse(&filter, &spec, 1, &err);
        FUZZ_ASSERT(status == IMF_OK);
        status = imf_filter_append(filter, &mask, &err);
        if (status == IMF_OK && in && out)
            run_verified(filter, &info, &settings, in, out);
        free(in);
        free(out);
    }
    imf_filter_free(&filter);
    imf_filter_free(&mask);
    close(fd);
    return 0;
}
