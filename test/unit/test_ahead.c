/*
 * test_ahead.c - rows that are read ahead are the rows, errors and warnings of a reader that does
 * not; what may stall, or is to be had otherwise, is not read ahead
 */
#include "check.h"
#include "codec/codec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 700
#define HEIGHT 900

static const struct imf_info shape = {
    .width = WIDTH, .height = HEIGHT, .channels = 3, .depth = 8, .color = IMF_COLOR_RGB};
static unsigned char pixels[HEIGHT][WIDTH * 3];

/* The picture in a file, as a stream at its beginning. */
static FILE *write_file(enum imf_format format) {
    struct imf_info info = shape;
    struct imf_encode encode = {.compression = 1};
    struct imf_writer *w = NULL;
    FILE *f = tmpfile();
    info.format = format;
    if (!f || imf_writer_open(&w, f, &info, &encode, NULL, NULL) ||
        imf_writer_rows(w, pixels, sizeof *pixels, HEIGHT, NULL) || imf_writer_finish(w, NULL))
        abort();
    imf_writer_close(&w);
    rewind(f);
    return f;
}

struct outcome {
    enum imf_status status;
    int rows; /* that were read */
    char text[512], warning[320];
    unsigned char pixels[HEIGHT][WIDTH * 3];
};

/* Read so many rows at a time; ahead: bytes, or 0. */
static void read_all(struct outcome *o, FILE *f, size_t ahead, int step, bool lenient) {
    struct imf_limits limits = {.lenient = lenient};
    struct imf_reader *r = NULL;
    struct imf_error err = {.text = ""};
    memset(o, 0, sizeof *o);
    rewind(f);
    o->status = imf_reader_open(&r, f, &limits, &err);
    if (!o->status && ahead)
        imf_reader_ahead(r, ahead);
    for (int y = 0; y < HEIGHT && !o->status; y += step) {
        int n = step < HEIGHT - y ? step : HEIGHT - y;
        o->status = imf_reader_rows(r, o->pixels[y], sizeof *o->pixels, n, &err);
        o->rows += o->status ? 0 : n;
    }
    CHECK(!r || imf_reader_rows(r, o->pixels, sizeof *o->pixels, HEIGHT + 1, NULL), "no such rows");
    snprintf(o->text, sizeof o->text, "%s", err.text);
    if (r && imf_reader_warning(r))
        snprintf(o->warning, sizeof o->warning, "%s", imf_reader_warning(r));
    imf_reader_close(&r);
}

static void compare(FILE *f, const char *what, bool lenient) {
    static struct outcome want, got;
    static const size_t bytes[] = {1, WIDTH * 3, 100000, 1500000, (size_t)64 << 20};
    static const int steps[] = {1, 7, 333, HEIGHT};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        read_all(&want, f, 0, steps[s], lenient);
        for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
            read_all(&got, f, bytes[b], steps[s], lenient);
            bool same = got.status == want.status && !strcmp(got.text, want.text) &&
                        !strcmp(got.warning, want.warning) && got.rows == want.rows &&
                        !memcmp(got.pixels, want.pixels, (size_t)got.rows * sizeof *got.pixels);
            CHECK(same, "%s, %zu bytes, %d rows: status %d for %d, %d rows for %d, %s", what,
                  bytes[b], steps[s], (int)got.status, (int)want.status, got.rows, want.rows,
                  got.text);
        }
    }
}

static void test(enum imf_format format) {
    const char *name = imf_format_name(format);
    FILE *f = write_file(format);
    struct imf_reader *r = NULL;
    compare(f, name, false);
    rewind(f);
    if (imf_reader_open(&r, f, NULL, NULL))
        abort();
    imf_reader_ahead(r, 1000000);
    CHECK(r->ahead, "%s is not read ahead", name);
    imf_reader_close(&r); /* nobody wants them */
    /* Cut short at a third and near the end. */
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    if (ftruncate(fileno(f), size - 40))
        abort();
    compare(f, name, false);
    compare(f, name, true);
    if (ftruncate(fileno(f), size / 3))
        abort();
    compare(f, name, false);
    compare(f, name, true);
    fclose(f);
}

/* A stream that is no file, and a file of few pixels. */
static void test_others(void) {
    struct imf_reader *r = NULL;
    char *data = malloc(sizeof pixels + 100);
    size_t size = (size_t)sprintf(data, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    memcpy(data + size, pixels, sizeof pixels);
    FILE *f = fmemopen(data, size + sizeof pixels, "rb");
    if (!f || imf_reader_open(&r, f, NULL, NULL))
        abort();
    imf_reader_ahead(r, 1000000);
    CHECK(!r->ahead, "a stream is read ahead");
    imf_reader_close(&r);
    fclose(f);
    free(data);
    f = tmpfile();
    fputs("P2 3 2 255\n1 2 3\n4 5 6\n", f);
    rewind(f);
    if (imf_reader_open(&r, f, NULL, NULL))
        abort();
    imf_reader_ahead(r, 1000000);
    CHECK(!r->ahead, "a small image is read ahead");
    imf_reader_close(&r);
    fclose(f);
}

int main(void) {
    unsigned seed = 3;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH * 3; x++) {
            seed = seed * 1664525u + 1013904223u;
            pixels[y][x] = (unsigned char)(x / 7 + y / 3 + (seed >> 29));
        }
    test(IMF_FORMAT_PNM);
    test(IMF_FORMAT_PNG);
    test(IMF_FORMAT_JPEG);
    test_others();
    return check_done("ahead");
}
