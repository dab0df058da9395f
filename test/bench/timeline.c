/*
 * timeline.c - what an image's stages do when: timeline CHART.png SPEC INPUT OUTPUT
 *
 * Stages down, milliseconds across; a bar is a band, of two shades in turns, and what is blank waits.
 * The process is new, so that setting a device up is seen, and does what imfilter does for one file.
 * The linker puts the wrappers below between the library's stream and what it calls: nothing in the
 * library is there for the chart's sake. An image that does not stream has its times one after another.
 */
#include "base/clock.h"
#include "chart.h"
#include "imfilter.h"
#include "picture/picture.h"
#include "run/pipeline/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum stage { OPEN, SET_UP, DECODE, UPLOAD, FILTER, DOWNLOAD, ENCODE, CLOSE, STAGES };
static const char *const names[STAGES] = {"open",   "set up",   "decode", "upload",
                                          "filter", "download", "encode", "close"};
enum { SPANS = 4096 };

/* A stage's spans are added by one thread. */
static struct span_list {
    int count;
    double begin[SPANS], end[SPANS];
} spans[STAGES];
static double origin; /* the process's begin */
static bool streamed;

static double now(void) {
    return imf_now_ms() - origin;
}

static void add(enum stage stage, double begin, double end) {
    struct span_list *l = &spans[stage];
    if (l->count == SPANS)
        l->end[SPANS - 1] = end; /* the last one is the rest */
    else {
        l->begin[l->count] = begin;
        l->end[l->count++] = end;
    }
}

static void die(const char *text) {
    fprintf(stderr, "timeline: %s\n", text);
    exit(1);
}

/* ---- wrappers ------------------------------------------------------------------------------- */

#define REAL(name) __real_##name
#define WRAP(name) __wrap_##name
enum imf_status REAL(imf_stream)(struct imf_stream_run *, struct imf_report *, struct imf_error *);
enum imf_status WRAP(imf_stream)(struct imf_stream_run *, struct imf_report *, struct imf_error *);
enum imf_status REAL(imf_pixel_io_read)(struct imf_pixel_io *, const struct imf_rows *,
                                        struct imf_error *);
enum imf_status WRAP(imf_pixel_io_read)(struct imf_pixel_io *, const struct imf_rows *,
                                        struct imf_error *);
enum imf_status REAL(imf_pixel_io_write)(struct imf_pixel_io *, const struct imf_rows *, bool,
                                         struct imf_error *);
enum imf_status WRAP(imf_pixel_io_write)(struct imf_pixel_io *, const struct imf_rows *, bool,
                                         struct imf_error *);
enum imf_status REAL(imf_exec_submit_input)(struct imf_exec *, int, struct imf_error *);
enum imf_status WRAP(imf_exec_submit_input)(struct imf_exec *, int, struct imf_error *);
enum imf_status REAL(imf_exec_run_band)(struct imf_exec *, int, struct imf_error *);
enum imf_status WRAP(imf_exec_run_band)(struct imf_exec *, int, struct imf_error *);
enum imf_status REAL(imf_exec_map_output)(struct imf_exec *, int, struct imf_rows *,
                                          struct imf_error *);
enum imf_status WRAP(imf_exec_map_output)(struct imf_exec *, int, struct imf_rows *,
                                          struct imf_error *);

enum imf_status REAL(imf_exec_wait)(struct imf_exec *, int, struct imf_report *,
                                    struct imf_error *);
enum imf_status WRAP(imf_exec_wait)(struct imf_exec *, int, struct imf_report *,
                                    struct imf_error *);

static double run_begin;

enum imf_status WRAP(imf_pixel_io_read)(struct imf_pixel_io *io, const struct imf_rows *rows,
                                        struct imf_error *err) {
    double begin = now();
    enum imf_status st = REAL(imf_pixel_io_read)(io, rows, err);
    add(DECODE, begin, now());
    return st;
}

enum imf_status WRAP(imf_pixel_io_write)(struct imf_pixel_io *io, const struct imf_rows *rows,
                                         bool last, struct imf_error *err) {
    double begin = now();
    enum imf_status st = REAL(imf_pixel_io_write)(io, rows, last, err);
    add(ENCODE, begin, now());
    return st;
}

enum imf_status WRAP(imf_stream)(struct imf_stream_run *run, struct imf_report *r,
                                 struct imf_error *err) {
    add(SET_UP, run_begin, now());
    streamed = true;
    return REAL(imf_stream)(run, r, err);
}

enum imf_status WRAP(imf_exec_submit_input)(struct imf_exec *x, int n, struct imf_error *err) {
    double begin = now();
    enum imf_status st = REAL(imf_exec_submit_input)(x, n, err);
    add(UPLOAD, begin, now());
    return st;
}

enum imf_status WRAP(imf_exec_run_band)(struct imf_exec *x, int n, struct imf_error *err) {
    double begin = now();
    enum imf_status st = REAL(imf_exec_run_band)(x, n, err);
    add(FILTER, begin, now());
    return st;
}

enum imf_status WRAP(imf_exec_map_output)(struct imf_exec *x, int n, struct imf_rows *rows,
                                          struct imf_error *err) {
    double begin = now();
    enum imf_status st = REAL(imf_exec_map_output)(x, n, rows, err);
    add(DOWNLOAD, begin, now());
    return st;
}

/* On a GPU: waiting for the three, of which fetching ends last. */
enum imf_status WRAP(imf_exec_wait)(struct imf_exec *x, int n, struct imf_report *r,
                                    struct imf_error *err) {
    double begin = now();
    enum imf_status st = REAL(imf_exec_wait)(x, n, r, err);
    add(DOWNLOAD, begin, now());
    return st;
}

/* ---- the image ------------------------------------------------------------------------------ */

static void spread(const struct imf_report *r) { /* an image that was whole */
    const double took[] = {r->setup_ms,   r->decode_ms,   r->upload_ms,
                           r->compute_ms, r->download_ms, r->encode_ms};
    const enum stage stages[] = {SET_UP, DECODE, UPLOAD, FILTER, DOWNLOAD, ENCODE};
    double at = run_begin;
    for (int i = 0; i < 6; at += took[i++])
        add(stages[i], at, at + took[i]);
}

static double filter(const char *spec, FILE *in, FILE *out, enum imf_format format, char *words,
                     size_t size) {
    struct imf_error err;
    struct imf_context_options context = {.device = IMF_DEVICE_AUTO};
    struct imf_encode encode = {0};
    struct imf_settings settings = {0};
    struct imf_run_options options = {0};
    struct imf_limits limits = {0};
    struct imf_report report = {0};
    struct imf_context *ctx = NULL;
    struct imf_filter *f = NULL;
    struct imf_plan *plan = NULL;
    struct imf_reader *reader = NULL;
    struct imf_writer *writer = NULL;
    struct imf_workspace *ws = NULL;
    if (imf_filter_parse(&f, &spec, 1, &err) || imf_context_create(&ctx, &context, &err) ||
        imf_reader_open(&reader, in, &limits, &err))
        die(err.text);
    double opened = now();
    add(OPEN, 0, opened);
    settings.held = imf_reader_held(reader);
    settings.whole = !imf_reader_in_order(reader);
    if (imf_plan_create(&plan, ctx, f, imf_reader_info(reader), &settings, &err))
        die(err.text);
    struct imf_info info = *imf_plan_output(plan);
    info.format = format ? format : imf_reader_info(reader)->format;
    if (imf_writer_open(&writer, out, &info, &encode, imf_reader_metadata(reader), &err))
        die(err.text);
    add(SET_UP, opened, now());
    run_begin = now();
    if (imf_workspace_create(&ws, plan, &err) ||
        imf_workspace_run(ws, reader, writer, &options, &report, &err))
        die(err.text);
    if (!streamed)
        spread(&report);
    double ran = now();
    const struct imf_choice *choice = imf_plan_choice(plan);
    snprintf(words, size, "%s, %dx%d: %s on %s", spec, info.width, info.height,
             choice->chosen->algorithm, choice->device);
    imf_writer_close(&writer);
    imf_reader_close(&reader);
    fclose(out);
    imf_workspace_free(&ws);
    imf_plan_free(&plan);
    imf_context_free(&ctx);
    imf_filter_free(&f);
    add(CLOSE, ran, now());
    return now();
}

/* ---- the chart ------------------------------------------------------------------------------ */

enum { LEFT = 120, RIGHT = 110, TOP = 80, BAR = 28, ROW = 44, WIDE = 1000, STEPS = 10 };

static double busy(enum stage stage) {
    double sum = 0;
    for (int i = 0; i < spans[stage].count; i++)
        sum += spans[stage].end[i] - spans[stage].begin[i];
    return sum;
}

static struct imf_picture *draw(const char *words, double total) {
    static const int shades[2] = {IMF_BLUE, IMF_ORANGE};
    struct imf_picture *p = NULL;
    struct imf_error err;
    char text[IMF_FITTED], fitted[IMF_FITTED];
    if (imf_picture_create(&p, LEFT + WIDE + RIGHT, TOP + STAGES * ROW + 50, &err))
        die(err.text);
    double step = imf_plot_step(total, STEPS), scale = WIDE / total;
    imf_picture_text(p, LEFT, 16, IMF_INK, imf_picture_fit(fitted, words, WIDE + RIGHT));
    imf_picture_text_right(p, LEFT + WIDE + RIGHT - 10, 50, IMF_GRAY, "busy, ms");
    for (int i = 0; i * step <= total; i++) {
        int x = LEFT + (int)(i * step * scale);
        imf_picture_rect(p, x, TOP - 8, 1, STAGES * ROW + 8, IMF_PALE);
        snprintf(text, sizeof text, "%g", i * step);
        imf_picture_text_middle(p, x, TOP + STAGES * ROW + 6, IMF_INK, text);
    }
    imf_picture_text_middle(p, LEFT + WIDE / 2, TOP + STAGES * ROW + 28, IMF_INK, "milliseconds");
    for (int s = 0; s < STAGES; s++) {
        int y = TOP + s * ROW;
        imf_picture_text_right(p, LEFT - 12, y + BAR / 2 - IMF_TEXT_MIDDLE, IMF_INK, names[s]);
        for (int i = 0; i < spans[s].count; i++) {
            int x = (int)(spans[s].begin[i] * scale), end = (int)(spans[s].end[i] * scale + 0.5);
            imf_picture_rect(p, LEFT + x, y, end > x ? end - x : 1, BAR, shades[i & 1]);
        }
        snprintf(text, sizeof text, "%.1f", busy((enum stage)s));
        imf_picture_text_right(p, LEFT + WIDE + RIGHT - 10, y + BAR / 2 - IMF_TEXT_MIDDLE, IMF_GRAY,
                               text);
    }
    return p;
}

int main(int argc, char **argv) {
    origin = imf_now_ms();
    if (argc != 5) {
        fprintf(stderr, "usage: timeline CHART.png SPEC INPUT OUTPUT\n");
        return 2;
    }
    char words[400];
    const char *dot = strrchr(argv[4], '.');
    FILE *in = fopen(argv[3], "rb"), *out = fopen(argv[4], "wb");
    if (!in || !out)
        die("cannot open the input or the output");
    double total = filter(argv[2], in, out, dot ? imf_format_from_name(dot + 1) : IMF_FORMAT_NONE,
                          words, sizeof words);
    fclose(in);
    struct imf_picture *p = draw(words, total);
    struct imf_error err;
    if (chart_write(p, argv[1], &err))
        die(err.text);
    imf_picture_free(&p);
    printf("%s\n%.1f ms; busy:", words, total);
    for (int s = 0; s < STAGES; s++)
        printf("%s %s %.1f", s ? "," : "", names[s], busy((enum stage)s));
    printf("; %d bands\n", spans[FILTER].count);
    return 0;
}
