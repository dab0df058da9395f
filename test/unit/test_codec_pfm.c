/* test_codec_pfm.c - PFM: rows from the bottom up, from files and pipes, cut off, and what it does not hold */
#include "codec_util.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 7, HEIGHT = 11 };

/* A PFM by hand, of random bits; the samples as rows from the top are left in `top`. */
static struct bytes make_pfm(const char *head, int channels, bool big, unsigned char *top) {
    size_t size = strlen(head), row = (size_t)(WIDTH * channels) * 4;
    struct bytes file = {malloc(size + row * HEIGHT + 64), size + row * HEIGHT};
    memcpy(file.data, head, size);
    for (size_t i = 0; i < row * HEIGHT; i += 4) {
        uint32_t bits = random_byte() | random_byte() << 8 | random_byte() << 16 |
                        (uint32_t)random_byte() << 24;
        size_t y = HEIGHT - 1 - i / row;
        memcpy(top + y * row + i % row, &bits, 4);
        for (int k = 0; k < 4; k++)
            file.data[size + i + (size_t)k] = (unsigned char)(bits >> 8 * (big ? 3 - k : k));
    }
    return file;
}

/* The bytes from a process that writes them to a pipe. */
static FILE *pipe_of(const void *data, size_t size) {
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        _exit(write(ends[1], data, size) != (ssize_t)size);
    }
    close(ends[1]);
    return fdopen(ends[0], "rb");
}

static void check_read(const char *head, int channels, bool big, bool piped) {
    unsigned char top[WIDTH * HEIGHT * 12];
    struct bytes file = make_pfm(head, channels, big, top);
    size_t pixels = (size_t)(WIDTH * HEIGHT * channels) * 4;
    struct decoded d = piped ? decode_stream(pipe_of(file.data, file.size), NULL)
                             : decode(file.data, file.size, NULL);
    CHECK(!d.status && d.info.width == WIDTH && d.info.height == HEIGHT &&
              d.info.channels == channels && d.info.depth == 32 && !d.info.type && !d.info.alpha &&
              d.info.color == (channels == 3 ? IMF_COLOR_RGB : IMF_COLOR_GRAY),
          "%s: %s", head, d.err.text);
    CHECK(!d.status && memcmp(d.pixels, top, pixels) == 0, "%s, pipe %d: samples", head, piped);
    CHECK(imf_reader_in_order(d.reader) == !piped &&
              (imf_reader_held(d.reader) >= pixels) == piped && !imf_reader_warning(d.reader),
          "%s, pipe %d: held", head, piped);
    done(&d);
    const struct imf_limits small = {.max_memory = pixels - 1};
    d = piped ? decode_stream(pipe_of(file.data, file.size), &small)
              : decode(file.data, file.size, &small);
    CHECK(d.status == (piped ? IMF_ERR_LIMIT : IMF_OK), "%s, limited: %s", head, d.err.text);
    done(&d);
    free(file.data);
    while (piped && wait(NULL) > 0)
        ;
}

static void test_read(void) {
    static const struct {
        const char *head;
        int channels;
        bool big;
    } cases[] = {{"Pf\n7 11\n-1.0\n", 1, false},
                 {"PF\n7 11\n1.0\n", 3, true},
                 {"PF 7\t11\r-4.5e2\n", 3, false},
                 {"Pf\n# a line of vips\n7 11\n1\n", 1, true},
                 {"PF\n7\n11\n+.5\n", 3, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int piped = 0; piped < 2; piped++)
            check_read(cases[k].head, cases[k].channels, cases[k].big, piped);
}

static void test_damaged(void) {
    static const struct {
        const char *text, *says;
        enum imf_status status;
    } cases[] = {{"Pf\n1 1\n0\nabcd", "scale is not a number", IMF_ERR_DAMAGED},
                 {"Pf\n1 1\nnan\nabcd", "scale is not a number", IMF_ERR_DAMAGED},
                 {"Pf\n1 1\n--1\nabcd", "scale is not a number", IMF_ERR_DAMAGED},
                 {"Pf\n1 1\n-1", "scale is cut off", IMF_ERR_DAMAGED},
                 {"Pf\n0 1\n-1\nabcd", "0 x 1", IMF_ERR_DAMAGED},
                 {"Pf\n1.5 1\n-1\nabcd", "width is not a number", IMF_ERR_DAMAGED},
                 {"Pf\n20000 20000\n-1\n", "--max-pixels", IMF_ERR_LIMIT},
                 {"Pf\n1 1\n-1\nabc", "no row of it", IMF_ERR_DAMAGED},
                 {"PG\n1 1\n-1\nabcd", "not a PNG", IMF_ERR_FORMAT}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct decoded d = decode(cases[k].text, strlen(cases[k].text), NULL);
        CHECK(d.status == cases[k].status && strstr(d.err.text, cases[k].says), "%zu: %s", k,
              d.err.text);
        done(&d);
    }
}

/* What is missing of a file that is cut off is at the top. */
static void test_truncation(void) {
    static const char head[] = "PF\n7 11\n-1\n";
    unsigned char top[WIDTH * HEIGHT * 12];
    struct bytes file = make_pfm(head, 3, false, top);
    const struct imf_limits lenient = {.lenient = true};
    size_t row = WIDTH * 12, before = sizeof head - 1;
    for (size_t n = before; n < file.size; n += 5)
        for (int piped = 0; piped < 2; piped++) {
            struct decoded d =
                piped ? decode_stream(pipe_of(file.data, n), NULL) : decode(file.data, n, NULL);
            size_t there = (n - before) / row, missing = HEIGHT - there, wrong = 0;
            CHECK(d.status == IMF_ERR_DAMAGED &&
                      (strstr(d.err.text, "--lenient") != NULL) == (there > 0),
                  "%zu bytes: %s", n, d.err.text);
            done(&d);
            d = piped ? decode_stream(pipe_of(file.data, n), &lenient)
                      : decode(file.data, n, &lenient);
            CHECK(d.status == (there ? IMF_OK : IMF_ERR_DAMAGED), "%zu bytes: %s", n, d.err.text);
            for (size_t i = 0; there && i < row * HEIGHT; i++)
                wrong += d.pixels[i] != (i < missing * row ? 0 : top[i]);
            CHECK(!wrong && (!there || strstr(imf_reader_warning(d.reader), "the first")),
                  "%zu bytes, pipe %d: %zu wrong", n, piped, wrong);
            d.status = IMF_ERR_DAMAGED;
            done(&d);
            while (wait(NULL) > 0)
                ;
        }
    free(file.data);
}

/* What follows is told, of a file as of a pipe; a line's end is nothing. */
static void test_behind(void) {
    static const struct {
        const char *text, *loses;
    } cases[] = {{"", NULL}, {"\n", NULL}, {"P5 1 1 255\nx", "further pictures"}, {"x", ""}};
    unsigned char top[WIDTH * HEIGHT * 12];
    struct bytes file = make_pfm("Pf\n7 11\n-1\n", 1, false, top);
    size_t size = file.size;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int piped = 0; piped < 2; piped++) {
            size_t more = strlen(cases[k].text);
            memcpy(file.data + size, cases[k].text, more);
            struct decoded d = piped ? decode_stream(pipe_of(file.data, size + more), NULL)
                                     : decode(file.data, size + more, NULL);
            CHECK(!d.status && loses(&d, cases[k].loses) == (cases[k].loses != NULL),
                  "case %zu, pipe %d", k, piped);
            if (piped)
                d.status = IMF_ERR_DAMAGED; /* no file to compare with */
            done(&d);
            while (wait(NULL) > 0)
                ;
        }
    free(file.data);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Written to a file that holds something before, one that appends, or a pipe, few rows at a time. */
static struct bytes write_to(const char *way, const struct imf_info *i, const unsigned char *pixels,
                             const struct imf_encode *options, struct imf_error *err) {
    char name[] = "/tmp/test_pfm.XXXXXX";
    int ends[2] = {-1, -1}, fd = mkstemp(name);
    FILE *f = fdopen(fd, "w+b");
    if (strcmp(way, "pipe") == 0 && pipe(ends) == 0)
        f = freopen(name, "w+b", f), fclose(f), f = fdopen(ends[1], "wb");
    else if (strcmp(way, "append") == 0)
        f = freopen(name, "a+b", f);
    else
        fputs("before", f);
    struct imf_writer *w;
    enum imf_status status = imf_writer_open(&w, f, i, options, NULL, err);
    for (int y = 0; y < i->height && !status; y += 3)
        status = imf_writer_rows(w, pixels + (size_t)y * row_bytes(i), row_bytes(i),
                                 i->height - y < 3 ? i->height - y : 3, err);
    if (!status)
        status = imf_writer_finish(w, err);
    imf_writer_close(&w);
    if (ends[1] < 0 && !status)
        fputs("behind", f);
    fclose(f);
    struct bytes out = {NULL, 0};
    f = ends[0] < 0 ? fopen(name, "rb") : fdopen(ends[0], "rb");
    out.data = malloc(1 << 20);
    out.size = status ? 0 : fread(out.data, 1, 1 << 20, f);
    fclose(f);
    unlink(name);
    return out;
}

static void test_write(void) {
    static const char *const ways[] = {"file", "append", "pipe"};
    for (int color = IMF_COLOR_GRAY; color <= IMF_COLOR_RGB; color++)
        for (size_t k = 0; k < 3; k++) {
            struct imf_info i = shape(33, 50, (enum imf_color)color, false, 32, IMF_FORMAT_PNM);
            struct imf_error err = {0};
            unsigned char *pixels = random_pixels(&i);
            const char *head = color ? "PF\n33 50\n-1.0\n" : "Pf\n33 50\n-1.0\n";
            struct bytes out = write_to(ways[k], &i, pixels, NULL, &err);
            size_t before = k == 0 ? 6 : 0, behind = k < 2 ? 6 : 0, wrong = 0;
            CHECK(out.size == before + strlen(head) + image_bytes(&i) + behind &&
                      !memcmp(out.data + before, head, strlen(head)),
                  "%s: %zu bytes, %s", ways[k], out.size, err.text);
            const unsigned char *raster = out.data + before + strlen(head);
            for (size_t n = 0; out.size && n < image_bytes(&i); n += 4) {
                size_t row = row_bytes(&i), at = (49 - n / row) * row + n % row;
                uint32_t bits;
                memcpy(&bits, pixels + at, 4);
                for (int b = 0; b < 4; b++)
                    wrong += raster[n + (size_t)b] != (bits >> 8 * b & 255);
            }
            CHECK(!wrong && (!behind || !memcmp(raster + image_bytes(&i), "behind", 6)),
                  "%s: %zu wrong", ways[k], wrong);
            free(out.data);
            const struct imf_encode small = {.max_memory = image_bytes(&i) - 1};
            out = write_to(ways[k], &i, pixels, &small, &err);
            CHECK((out.size == 0) == (k > 0) && (k == 0 || err.status == IMF_ERR_LIMIT), "%s: %s",
                  ways[k], err.text);
            free(out.data);
            free(pixels);
        }
}

static void test_refused(void) {
    static const struct {
        enum imf_color color;
        bool alpha;
        int depth, type;
        enum imf_pnm pnm;
        const char *says; /* NULL: it is written */
    } cases[] = {
        {IMF_COLOR_GRAY, false, 32, IMF_TYPE_SIGNED, IMF_PNM_ANY, NULL},
        {IMF_COLOR_RGB, false, 32, IMF_TYPE_ROWS, IMF_PNM_PFM, NULL},
        {IMF_COLOR_GRAY, true, 32, IMF_TYPE_ROWS, IMF_PNM_ANY,
         "PNM cannot hold an alpha channel of floats (use --depth=16, or choose --format="},
        {IMF_COLOR_CMYK, false, 32, IMF_TYPE_ROWS, IMF_PNM_ANY, "PNM cannot hold CMYK of floats"},
        {IMF_COLOR_GRAY, false, 64, IMF_TYPE_ROWS, IMF_PNM_ANY,
         "PNM cannot hold floats of 64 bits (use --depth=float, or choose --format="},
        {IMF_COLOR_GRAY, false, 32, IMF_TYPE_ROWS, IMF_PNM_PGM, "only PFM holds floats"},
        {IMF_COLOR_GRAY, false, 32, IMF_TYPE_ROWS, IMF_PNM_PAM, "only PFM holds floats"},
        {IMF_COLOR_GRAY, false, 8, IMF_TYPE_ROWS, IMF_PNM_PFM, "PFM holds floats, without"},
        {IMF_COLOR_RGB, true, 16, IMF_TYPE_ROWS, IMF_PNM_PFM, "PFM holds floats, without"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct imf_info i =
            shape(4, 4, cases[k].color, cases[k].alpha, cases[k].depth, IMF_FORMAT_PNM);
        i.type = (unsigned char)cases[k].type;
        i.type_bits = i.type ? 16 : 0;
        const struct imf_encode options = {.pnm = cases[k].pnm};
        struct imf_error err = {0};
        unsigned char *pixels = random_pixels(&i);
        struct bytes file = encode(&i, pixels, &options, NULL, &err);
        CHECK(cases[k].says ? err.status == IMF_ERR_FORMAT && strstr(err.text, cases[k].says)
                            : file.size > 0,
              "case %zu: %s", k, err.text);
        struct decoded d = decode(file.data, file.size, NULL);
        CHECK(cases[k].says || (!d.status && !d.info.type && !d.info.type_bits &&
                                !memcmp(d.pixels, pixels, image_bytes(&i))),
              "case %zu: %s", k, d.err.text);
        done(&d);
        free(file.data);
        free(pixels);
    }
    CHECK(imf_pnm_from_name("pfm") == IMF_PNM_PFM && imf_format_from_name("PFM") == IMF_FORMAT_PNM,
          "its name");
}

/* The unit goes on, and comments, which few programs read, do not. */
static void test_carried(void) {
    static const char text[] = "Pf\n# c\n1 1\n2.50\n\x3f\x80\0\0",
                      want[] = "Pf\n1 1\n-2.50\n\0\0\x80\x3f";
    struct decoded d = decode(text, sizeof text - 1, NULL);
    struct bytes file = encode(&d.info, d.pixels, NULL, imf_reader_metadata(d.reader), &d.err);
    CHECK(file.size == sizeof want - 1 && !memcmp(file.data, want, file.size), "%zu bytes, %s",
          file.size, d.err.text);
    free(file.data);
    done(&d);
}

/* Pages, of which one has integers: read from a file or pipe and written behind each other. */
static void test_pages(void) {
    unsigned char top[2][WIDTH * HEIGHT * 12];
    struct bytes a = make_pfm("PF\n7 11\n1\n", 3, true, top[0]), all = {malloc(8192), 0};
    struct bytes b = make_pfm("Pf\n7 11\n-1\n", 1, false, top[1]);
    memcpy(all.data, a.data, a.size);
    memcpy(all.data + a.size, "\nP5 1 1 255\nx", 13);
    memcpy(all.data + a.size + 13, b.data, b.size);
    all.size = a.size + 13 + b.size;
    for (int piped = 0; piped < 2; piped++) {
        const struct imf_limits limits = {.pages = IMF_PAGES_ALL};
        struct imf_reader *r;
        struct imf_writer *w = NULL;
        struct imf_error err = {0};
        FILE *in = piped ? pipe_of(all.data, all.size) : stream_of(all.data, all.size);
        FILE *out = tmpfile();
        enum imf_status status = imf_reader_open(&r, in, &limits, &err);
        for (int page = 1; page <= 3 && !status; page++) {
            unsigned char pixels[WIDTH * HEIGHT * 12];
            status = imf_reader_turn(r, page, &err);
            struct imf_info i = *imf_reader_info(r);
            for (int y = 0; y < i.height && !status; y++)
                status =
                    imf_reader_rows(r, pixels + (size_t)y * row_bytes(&i), row_bytes(&i), 1, &err);
            CHECK(!status && i.depth == (page == 2 ? 8 : 32), "page %d: %s", page, err.text);
            CHECK(page == 2 ? *pixels == 'x' : !memcmp(pixels, top[page / 2], image_bytes(&i)),
                  "page %d, pipe %d", page, piped);
            const struct imf_metadata *m = imf_reader_metadata(r);
            if (!status)
                status = w ? imf_writer_turn(w, &i, m, &err)
                           : imf_writer_open(&w, out, &i, NULL, m, &err);
            if (!status)
                imf_writer_page(w, page, 3, 1000);
            if (!status)
                status = imf_writer_rows(w, pixels, row_bytes(&i), i.height, &err);
            if (!status)
                status = imf_writer_finish(w, &err);
            CHECK(!status, "page %d is written: %s", page, err.text);
        }
        imf_writer_close(&w);
        imf_reader_close(&r);
        struct bytes got = slurp(out);
        size_t last = got.size - WIDTH * HEIGHT * 4;
        CHECK(got.size == all.size && !memcmp(got.data, "PF\n7 11\n-1\n", 11) &&
                  !memcmp(got.data + last, b.data + b.size - WIDTH * HEIGHT * 4, got.size - last),
              "pipe %d: %zu bytes of %zu", piped, got.size, all.size);
        free(got.data);
        fclose(out);
        fclose(in);
        while (wait(NULL) > 0)
            ;
    }
    free(a.data);
    free(b.data);
    free(all.data);
}

int main(void) {
    test_pages();
    test_read();
    test_damaged();
    test_truncation();
    test_behind();
    test_write();
    test_refused();
    test_carried();
    return check_done("test_codec_pfm");
}
