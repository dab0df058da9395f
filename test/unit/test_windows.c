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
static void draw(const struct imf_surface *s, const struct imf_problem *p) {
    bool few = noise() % 4 == 0;
    (void)p;
    for (size_t i = 0; i < s->size; i++) {
        uint32_t v = few ? 100 + noise() % 3 : noise() % 65536;
        double value = s->sample >= IMF_F32 ? ((double)v - 30000) / 7 : (double)v;
        if (s->sample == IMF_F64) /* many differ in their last bits alone */
            value += noise() % 3 * 1e-9;
        if (s->sample == IMF_U8)
            value = (int)value % 256;
        imf_sample_put(s->host, s->sample, (ptrdiff_t)i, value);
    }
}

static int runs;

/* From and to samples from number `first` of these on. */
static void check(const char *chains, const int (*shapes)[2], int first, int count, int times) {
    static const enum imf_sample samples[][2] = {
        {IMF_U8, IMF_U8},  {IMF_U16, IMF_U16}, {IMF_F32, IMF_F32}, {IMF_F64, IMF_F64},
        {IMF_U8, IMF_F32}, {IMF_U16, IMF_U8},  {IMF_F32, IMF_F64}, {IMF_F64, IMF_U16}};
    runs += check_filters(&(struct filter_check){.chains = chains,
                                                 .shapes = shapes,
                                                 .samples = samples + first,
                                                 .sample_count = count,
                                                 .times = times,
                                                 .exact = true,
                                                 .draw = draw});
}

static void test_matrix(void) {
    check(
        "erode:1 dilate:2x2+invert erode:1x9 dilate:9x1 erode:4x6 dilate:16x16 "
        "erode:15+invert dilate:40x3 erode:1:shape=cross dilate:3:shape=disk "
        "erode:9:shape=disk+invert dilate:20:shape=cross median:1 median:2+invert median:3 "
        "median:2:shape=disk median:9:shape=disk percentile:20:13:shape=disk+invert "
        "percentile:99:45:shape=cross percentile:30:1 percentile:80:4x3 median:15x17 "
        "percentile:99:30x3 median:1x21 median:31x19+invert percentile:90:17x40 median:2x257 "
        "median:4 median:41x1 percentile:30:21x1+invert percentile:35:5x2 percentile:70:8x13",
        (const int[][2]){
            {1, 1}, {1, 17}, {23, 1}, {2, 3}, {31, 29}, {97, 13}, {130, 7}, {700, 5}, {0, 0}},
        0, 8, check_thorough() ? 4 : 2);
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
    check("percentile:40:257x257 percentile:45:150:shape=disk erode:511 dilate:300:shape=disk",
          (const int[][2]){{9, 5}, {0, 0}}, 0, 1, 1);
    check("median:40:shape=disk percentile:30:50:shape=cross percentile:70:35x51",
          (const int[][2]){{70, 5}, {0, 0}}, 0, 4, 8);
    check("median:150:shape=disk percentile:60:140x120", (const int[][2]){{9, 70}, {0, 0}}, 2, 1,
          1);
    /* Regions whose columns a byte just numbers, and just not. */
    check("percentile:60:255x66", (const int[][2]){{1, 7}, {2, 7}, {3, 7}, {0, 0}}, 1, 1, 1);
    check("percentile:40:250x70", (const int[][2]){{4, 7}, {5, 7}, {6, 7}, {7, 7}, {8, 7}, {0, 0}},
          1, 1, 1);
    /* Several strips of several blocks. */
    check("erode:3x31 dilate:2x97", (const int[][2]){{5, 290}, {0, 0}}, 0, 1, 3);
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
