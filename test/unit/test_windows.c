/*
 * test_windows.c - the host's fast ways with windows against the plain one, sample by sample
 *
 * Every solver of windows that proposes to do a case does it, into a surface full of a
 * pattern: what lies outside of the pixels and their slack must still hold it.
 */
#include "solver/common/window.h"
#include "solver/strips.h"
#include "solver_check.h"

/* Noise of all values, or of few: many equal ones. */
static void fill(const struct imf_surface *s, bool few) {
    for (int y = 0; y < s->height; y++)
        for (int i = 0; i < s->width * s->channels; i++) {
            uint32_t v = few ? 100 + noise() % 3 : noise() % 65536;
            double value = s->sample >= IMF_F32 ? ((double)v - 30000) / 7 : (double)v;
            if (s->sample == IMF_F64) /* many differ in their last bits alone */
                value += noise() % 3 * 1e-9;
            if (s->sample == IMF_U8)
                value = (int)value % 256;
            imf_sample_put(imf_surface_row(s, y), s->sample, i, value);
        }
}

struct image {
    int width, height, channels;
    enum imf_sample in, out;
    enum imf_edge edge;
    bool few, invert;
};

static int runs;

static void check(const char *spec, const struct image *image) {
    struct imf_filter *f = NULL;
    struct imf_error err = {.text = ""};
    CHECK(!imf_filter_parse(&f, &spec, 1, &err), "%s", err.text);
    const double full = image->in == IMF_U8 ? 255 : 65535;
    struct imf_problem p = {.width = image->width,
                            .height = image->height,
                            .channels = image->channels,
                            .in = image->in,
                            .out = image->out,
                            .epilogue = {.scale = 1,
                                         .multiply = image->invert ? -1 : 1,
                                         .offset = image->invert ? full : 0,
                                         .full = full},
                            .edge = image->edge,
                            .in_max = full,
                            .exact = true};
    imf_problem_window_op(&p, &f->stages[0].window_op);
    struct imf_surface in = surface(&p, p.in);
    fill(&in, image->few);
    imf_edge_fill_host(&in, p.reach, p.edge, (const double[4]){77, 77, 77, 77});
    runs += check_solvers(&(struct solver_check){.what = spec,
                                                 .p = &p,
                                                 .in = &in,
                                                 .rows = noise() % 3 ? 0 : 1 + (int)(noise() % 20),
                                                 .slack = IMF_SLACK});
    imf_surface_free(&in);
    imf_filter_free(&f);
}

static const char *const specs[] = {"erode:1",
                                    "dilate:2x2",
                                    "erode:1x9",
                                    "dilate:9x1",
                                    "erode:4x6",
                                    "dilate:16x16",
                                    "erode:15",
                                    "dilate:40x3",
                                    "erode:1:shape=cross",
                                    "dilate:3:shape=disk",
                                    "erode:9:shape=disk",
                                    "dilate:20:shape=cross",
                                    "median:1",
                                    "median:2",
                                    "median:3",
                                    "median:2:shape=disk",
                                    "median:9:shape=disk",
                                    "percentile:20:13:shape=disk",
                                    "percentile:99:45:shape=cross",
                                    "percentile:30:1",
                                    "percentile:80:4x3",
                                    "median:15x17",
                                    "percentile:99:30x3",
                                    "median:1x21",
                                    "median:31x19",
                                    "percentile:90:17x40",
                                    "median:2x257",
                                    "median:4",
                                    "median:41x1",
                                    "percentile:30:21x1",
                                    "percentile:35:5x2",
                                    "percentile:70:8x13"};

static void test_matrix(void) {
    static const struct {
        int width, height;
    } sizes[] = {{1, 1}, {1, 17}, {23, 1}, {2, 3}, {31, 29}, {97, 13}, {130, 7}, {700, 5}};
    static const enum imf_sample samples[] = {IMF_U8, IMF_U16, IMF_F32, IMF_F64};
    unsigned turn = 0;
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
            for (int s = 0; s < 4; s++, turn++) {
                if ((k + z + (size_t)s) % 4 > 1 && !check_thorough())
                    continue; /* each meets all others in some */
                struct image image = {.width = sizes[z].width,
                                      .height = sizes[z].height,
                                      .channels = 1 + (int)(turn % 4),
                                      .in = samples[s],
                                      .out = turn % 5 ? samples[s] : samples[turn % 4],
                                      .edge = (enum imf_edge)(turn % 5),
                                      .few = turn % 4 == 3,
                                      .invert = turn % 7 == 0};
                check(specs[k], &image);
            }
}

/* Which way is the cheapest, by what it is called. */
static void test_ways(void) {
    static const struct {
        const char *spec;
        enum imf_sample sample;
        const char *way;
    } ways[] = {{"median:1", IMF_U8, "sorting network"},
                {"median:3", IMF_U8, "sorting networks of tiles"},
                {"median:5", IMF_U8, "sorting networks of tiles"},
                {"median:8", IMF_U16, "sorting networks of tiles"},
                {"median:40", IMF_U16, "sorted regions"},
                {"median:40", IMF_F32, "sorted regions"},
                {"median:7:shape=disk", IMF_F64, "sorted regions"},
                {"median:200:shape=disk", IMF_U8, "sorted regions"},
                {"median:5", IMF_F32, "sorting networks of tiles"},
                {"median:3:shape=disk", IMF_U8, "bisection"},
                {"median:15:shape=disk", IMF_U8, "incremental bisection"},
                {"median:35", IMF_U8, "histograms of columns"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct imf_filter *f = NULL;
        CHECK(!imf_filter_parse(&f, &ways[i].spec, 1, NULL), "%s", ways[i].spec);
        struct imf_problem p = {.width = 2000,
                                .height = 1500,
                                .channels = 3,
                                .in = ways[i].sample,
                                .out = ways[i].sample,
                                .epilogue = {.scale = 1, .multiply = 1, .full = 255},
                                .exact = true};
        imf_problem_window_op(&p, &f->stages[0].window_op);
        struct imf_proposal one;
        imf_propose_backend(&one, IMF_BACKEND_VECTOR, &p);
        const char *way = strstr(one.description, ", ");
        CHECK(way && !strcmp(way + 2, ways[i].way), "%s: %s", ways[i].spec, one.description);
        imf_filter_free(&f);
    }
}

/* More samples than 16 bits count, rows than 8. */
static void test_large(void) {
    const struct image image = {
        .width = 9, .height = 5, .channels = 3, .in = IMF_U8, .edge = IMF_EDGE_WRAP};
    check("percentile:40:257x257", &image);
    check("percentile:45:150:shape=disk", &image);
    check("erode:511", &image);
    check("dilate:300:shape=disk", &image);
    for (int sample = IMF_U8; sample <= IMF_F64; sample++)
        for (int few = 0; few < 2; few++) {
            const struct image other = {.width = 70,
                                        .height = 5,
                                        .channels = 1 + 2 * few,
                                        .in = (enum imf_sample)sample,
                                        .out = (enum imf_sample)sample,
                                        .edge = IMF_EDGE_MIRROR,
                                        .few = few};
            check("median:40:shape=disk", &other);
            check("percentile:30:50:shape=cross", &other);
            check("percentile:70:35x51", &other);
        }
    const struct image larger = {.width = 9,
                                 .height = 70,
                                 .channels = 1,
                                 .in = IMF_F32,
                                 .out = IMF_F32,
                                 .edge = IMF_EDGE_WRAP};
    check("median:150:shape=disk", &larger);
    check("percentile:60:140x120", &larger);
    /* Regions whose columns a byte just numbers, and just not. */
    for (int width = 1; width < 9; width++) {
        const struct image near = {.width = width,
                                   .height = 7,
                                   .channels = 1,
                                   .in = IMF_U16,
                                   .out = IMF_U16,
                                   .edge = IMF_EDGE_WRAP,
                                   .few = width % 2};
        check(width < 4 ? "percentile:60:255x66" : "percentile:40:250x70", &near);
    }
    /* Several strips of several blocks. */
    const struct image tall = {
        .width = 5, .height = 290, .channels = 3, .in = IMF_U8, .edge = IMF_EDGE_CLAMP};
    check("erode:3x31", &tall);
    check("dilate:2x97", &tall);
}

/* Strips hold whole blocks of rows, and all rows. */
static void test_aligned(void) {
    for (int height = 1; height < 700; height += 37)
        for (int block = 1; block < 310; block += 44) {
            struct imf_strips s = imf_strips_cut(9000, height, 4096, block);
            imf_strips_align(&s, block);
            struct imf_strip_area last = imf_strips_at(&s, s.count - 1);
            CHECK(s.rows <= block || s.rows % block == 0, "%d rows by %d: %d", height, block,
                  s.rows);
            CHECK(last.y < height && last.end == height && last.x + last.n == 9000,
                  "%d rows by %d: %d strips", height, block, s.count);
        }
}

/* Decimal percentiles in windows where many are ties, against integers. */
static void test_percentiles(void) {
    static const size_t counts[] = {1, 2, 9, 121, 251, 376, 1001, 4096, 16769025};
    static const uint64_t tens[] = {1, 10, 100, 1000};
    unsigned wrong = 0, ties = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t places = 0; places < sizeof tens / sizeof *tens; places++)
            for (uint64_t p = 0; p <= 100 * tens[places]; p++) {
                uint64_t part = p * (counts[i] - 1), whole = 100 * tens[places];
                ties += part % whole * 2 == whole;
                wrong += imf_percentile_rank((double)p / (double)tens[places], counts[i]) !=
                         (part + whole / 2) / whole;
            }
    CHECK(wrong == 0, "%u", wrong);
    CHECK(ties > 1000, "%u", ties);
    CHECK(imf_percentile_rank(9.2, 376) == 35, "a tie that no double product is");
    CHECK(imf_percentile_rank(9.1999999999999, 376) == 34, "below it");
    CHECK(imf_percentile_rank(100.0 / 3, 4) == 1, "no short decimal");
    CHECK(imf_percentile_rank(1e-300, 16769025) == 0, "next to nothing");
}

int main(void) {
    test_percentiles();
    test_matrix();
    test_ways();
    test_large();
    test_aligned();
    CHECK(runs > 250, "%d", runs);
    return check_done("test_windows");
}
