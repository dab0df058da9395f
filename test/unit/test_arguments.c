/*
 * test_arguments.c - public functions refuse what the headers do not allow
 *
 * Of each struct every member that can be out of range takes values below, above and between what is
 * allowed; then structs are drawn whole. A call with one that is out of range returns IMF_ERR_ARGUMENT and
 * sets its output to NULL; any other returns something and touches nothing that it should not: the
 * sanitizers look on.
 */
#include "argument_calls.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- what is allowed ------------------------------------------------------------------------- */

enum kind { NUMBER, BITS, REAL };
struct member {
    const char *name;
    size_t offset;
    enum kind kind;
    double least, most;
    int but[3]; /* between them, and not allowed; 0: no more */
};
#define AT_BUT(of, name, kind, least, most, ...)                                                   \
    { #name, offsetof(struct of, name), kind, least, most, __VA_ARGS__ }
#define AT(of, name, kind, least, most) AT_BUT(of, name, kind, least, most, {0})

static const struct member of_info[] = {
    AT(imf_info, width, NUMBER, 1, INT_MAX),   AT(imf_info, height, NUMBER, 1, INT_MAX),
    AT(imf_info, channels, NUMBER, 1, 4),      AT_BUT(imf_info, depth, NUMBER, 8, 16, {9, 15, 12}),
    AT(imf_info, color, NUMBER, 0, 2),         AT(imf_info, format, NUMBER, 0, 31),
    AT_BUT(imf_info, bits, NUMBER, 0, 4, {3}), AT(imf_info, orientation, NUMBER, 0, 8),
    AT(imf_info, maxval, NUMBER, 0, 65535),
};
static const struct member of_settings[] = {
    AT(imf_settings, edge, NUMBER, 0, 4),
    AT(imf_settings, edge_value, REAL, 0, 1),
    AT(imf_settings, range, NUMBER, 0, 4),
    AT(imf_settings, alpha, NUMBER, 0, 3),
    AT(imf_settings, backend, NUMBER, 0, 6),
    AT_BUT(imf_settings, depth, NUMBER, 0, 32, {2, 7, 9}),
    AT(imf_settings, mask_feather, REAL, 0, 511.75),
    AT(imf_settings, channels, NUMBER, 0, 6),
    AT(imf_settings, twice, NUMBER, 0, 2),
};
static const struct member of_region[] = {
    AT(imf_region, width, REAL, 0, HUGE_VAL),     AT(imf_region, height, REAL, 0, HUGE_VAL),
    AT(imf_region, x, REAL, -HUGE_VAL, HUGE_VAL), AT(imf_region, y, REAL, -HUGE_VAL, HUGE_VAL),
    AT(imf_region, percent, BITS, 0, 15),
};
static const struct member of_limits[] = {AT(imf_limits, max_scans, NUMBER, 0, INT_MAX)};
static const struct member of_encode[] = {
    AT(imf_encode, quality, NUMBER, 0, 100),
    AT_BUT(imf_encode, subsampling, NUMBER, 0, 444, {1, 421, 443}),
    AT(imf_encode, compression, NUMBER, -1, 11),
    AT(imf_encode, strip, BITS, 0, 31),
    AT(imf_encode, orient, NUMBER, 0, 1),
    AT(imf_encode, pnm, NUMBER, 0, 5),
    AT(imf_encode, threads, NUMBER, 0, INT_MAX),
};
static const struct member of_kernel[] = {
    AT(imf_coefficients, width, NUMBER, 1, 4095),
    AT(imf_coefficients, height, NUMBER, 1, 4095),
    AT(imf_coefficients, scale, REAL, -HUGE_VAL, HUGE_VAL),
    AT(imf_coefficients, bias, REAL, -HUGE_VAL, HUGE_VAL),
};
static const struct member of_context[] = {AT(imf_context_options, device, NUMBER, 0, 4)};
static const struct member of_index[] = {AT(imf_context_options, index, NUMBER, 0, INT_MAX)};
static const struct member of_fft[] = {
    AT(imf_fft_shape, nx, NUMBER, 1, 1 << 22),
    AT(imf_fft_shape, ny, NUMBER, 0, 1 << 22),
    AT(imf_fft_shape, batch, NUMBER, 0, INT_MAX),
    AT(imf_fft_shape, radices, BITS, 0, 0x101bc),
};
static const struct member of_run[] = {AT(imf_run_options, threads, NUMBER, 0, INT_MAX)};

static const struct call {
    const char *name;
    enum imf_status (*call)(const void *given);
    const void *good;
    size_t size;
    const struct member *members;
    size_t count;
    bool drawn; /* whole: no member of it makes large memory */
} calls[] = {
#define CALL(call, good, members, drawn)                                                           \
    { #call, call, &(good), sizeof(good), members, sizeof members / sizeof *members, drawn }
    CALL(plan_info, info, of_info, false),
    CALL(plan_settings, settings, of_settings, true),
    CALL(plan_region, region, of_region, true),
    CALL(writer_info, info, of_info, false),
    CALL(curve_info, info, of_info, true),
    CALL(writer_encode, encode, of_encode, true),
    CALL(writers_encode, encode, of_encode, false),
    CALL(reader_limits, limits, of_limits, true),
    CALL(parse_limits, limits, of_limits, true),
    CALL(mask_limits, limits, of_limits, true),
    CALL(from_kernel, kernel, of_kernel, false),
    CALL(context_create, context_options, of_context, false),
    CALL(context_create, by_index, of_index, true),
    CALL(fft_create, shape, of_fft, true),
    CALL(run_memory, run_options, of_run, false),
};

/* ---- the test -------------------------------------------------------------------------------- */

static void set(void *given, const struct member *m, double value) {
    char *at = (char *)given + m->offset;
    int number = m->kind == NUMBER ? (int)value : 0;
    unsigned bits = m->kind == BITS ? (unsigned)value : 0;
    if (m->kind == REAL)
        memcpy(at, &value, sizeof value);
    else if (m->kind == BITS)
        memcpy(at, &bits, sizeof bits);
    else
        memcpy(at, &number, sizeof number);
}

static void refuses(const struct call *c, const struct member *m, double value) {
    union {
        char bytes[512];
        double align;
    } given;
    memcpy(given.bytes, c->good, c->size);
    set(given.bytes, m, value);
    enum imf_status st = c->call(given.bytes);
    CHECK(st == IMF_ERR_ARGUMENT, "%s: %s = %g gives %d", c->name, m->name, value, st);
}

static void test_each(void) {
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        const struct call *c = &calls[k];
        enum imf_status st = c->call(c->good);
        CHECK(st == IMF_OK, "%s: %d", c->name, st);
        for (size_t i = 0; i < c->count; i++) {
            const struct member *m = &c->members[i];
            if (m->kind == REAL) {
                const double wrong[] = {NAN, -NAN, INFINITY, -INFINITY};
                for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
                    refuses(c, m, wrong[w]);
                if (m->least == 0)
                    refuses(c, m, -1e-9);
                if (m->most < HUGE_VAL)
                    refuses(c, m, m->most * 1.001);
                continue;
            }
            if (m->kind == BITS) {
                for (int bit = 0; bit < 32; bit++)
                    if (!((unsigned)m->most >> bit & 1))
                        refuses(c, m, (double)(1u << bit));
                continue;
            }
            const double below[] = {m->least - 1, m->least - 40, INT_MIN};
            const double above[] = {m->most + 1, m->most + 40, INT_MAX};
            for (int w = 0; w < 3; w++) {
                refuses(c, m, below[w]);
                if (m->most < INT_MAX)
                    refuses(c, m, above[w]);
                if (m->but[w])
                    refuses(c, m, m->but[w]);
            }
        }
    }
}

static uint64_t state = 42;

static uint64_t draw(uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

/* A value, often out of range; false: it is. */
static bool draw_value(const struct member *m, double *value) {
    static const double reals[] = {NAN, INFINITY, -INFINITY, -1, 0, 0.5, 1, 3, 512, 1e300, -1e300};
    if (m->kind == REAL) {
        *value = reals[draw(sizeof reals / sizeof *reals)];
        return isfinite(*value) && *value >= m->least && *value <= m->most;
    }
    if (m->kind == BITS) {
        unsigned bits = draw(2) ? (unsigned)draw(32) : (unsigned)draw((uint64_t)1 << 31) << 1;
        *value = bits;
        return !(bits & ~(unsigned)m->most);
    }
    *value = draw(2) ? (double)draw(6) - 1 : (double)(int32_t)(draw((uint64_t)1 << 31) << 1);
    bool good = *value >= m->least && *value <= m->most;
    /* Those of which only some between are allowed. */
    if (m->but[0] && m->most == 4)
        return good && *value != 3;
    bool small = *value == 0 || (*value == 1 && m->but[0] == 2);
    return m->but[0] ? good && small && *value >= m->least : good;
}

static void test_drawn(void) {
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        const struct call *c = &calls[k];
        for (int n = 0; n < 400 && c->drawn; n++) {
            union {
                char bytes[512];
                double align;
            } given;
            bool good = true;
            memcpy(given.bytes, c->good, c->size);
            for (size_t i = 0; i < c->count; i++) {
                double value;
                if (draw(3))
                    continue;
                good &= draw_value(&c->members[i], &value);
                set(given.bytes, &c->members[i], value);
            }
            enum imf_status st = c->call(given.bytes);
            CHECK(good || st == IMF_ERR_ARGUMENT, "%s, draw %d: %d", c->name, n, st);
        }
    }
}

/* Arguments that are no members. */
static void test_others(void) {
    unsigned char in[90] = {0}, out[90];
    struct imf_info alone = {.width = 2, .height = 2, .channels = 1, .depth = 8, .alpha = true};
    struct imf_coefficients empty = {.width = 1, .height = 1};
    double wrong[1] = {NAN};
    struct imf_context_options nameless = {.device = IMF_DEVICE_NAME, .cache_dir = ""};
    struct imf_settings unknown = {.region_count = 1};
    struct imf_filter *none = NOTHING;
    CHECK(plan_info(&alone) == IMF_ERR_ARGUMENT, "alpha alone");
    CHECK(writer_info(&alone) == IMF_ERR_ARGUMENT, "alpha alone");
    CHECK(from_kernel(&empty) == IMF_ERR_ARGUMENT, "no coefficients");
    empty.values = wrong;
    CHECK(from_kernel(&empty) == IMF_ERR_ARGUMENT, "a coefficient of NaN");
    CHECK(context_create(&nameless) == IMF_ERR_ARGUMENT, "no name");
    CHECK(plan_settings(&unknown) == IMF_ERR_ARGUMENT, "no regions");
    CHECK(imf_filter_parse(&none, NULL, 0, NULL) == IMF_ERR_ARGUMENT && !none, "no specs");
    for (size_t stride = 0; stride < 18; stride++) {
        CHECK(imf_workspace_run_memory(workspace, in, stride, out, 18, NULL, NULL, NULL) ==
                  IMF_ERR_ARGUMENT,
              "rows %zu bytes apart are read", stride);
        CHECK(imf_workspace_run_memory(workspace, in, 18, out, stride, NULL, NULL, NULL) ==
                  IMF_ERR_ARGUMENT,
              "rows %zu bytes apart are written", stride);
    }
    const int formats[] = {INT_MIN, -1, 0, 32, 44, INT_MAX};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        enum imf_format format = (enum imf_format)formats[i];
        CHECK(!imf_format_doc(format) && !strcmp(imf_format_name(format), "none"), "format %d",
              formats[i]);
    }
    CHECK(!imf_filter_note(filter, (enum imf_range)44), "no note");
    CHECK(!imf_filter_doc(SIZE_MAX), "no such filter");
    CHECK(imf_fft_good_length(INT_MIN) == 1 && imf_fft_good_length(INT_MAX) == 0, "lengths");
}

/* Rows and strides of a reader and a writer. */
static void test_rows(void) {
    static const char picture[] = "P5 2 2 255\n1234";
    const struct {
        size_t stride;
        int rows;
    } wrong[] = {{1, 1}, {0, 2}, {2, -1}, {2, 3}, {2, INT_MIN}, {2, INT_MAX}};
    struct imf_info gray = {.width = 2, .height = 2, .channels = 1, .depth = 8};
    struct imf_reader *reader = NULL;
    struct imf_writer *writer = NULL;
    unsigned char rows[8] = {0};
    FILE *from = tmpfile(), *to = tmpfile();
    gray.format = IMF_FORMAT_PNM;
    fwrite(picture, 1, sizeof picture - 1, from);
    rewind(from);
    CHECK(!imf_reader_open(&reader, from, NULL, NULL), "a reader");
    CHECK(!imf_writer_open(&writer, to, &gray, NULL, NULL, NULL), "a writer");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(imf_reader_rows(reader, rows, wrong[i].stride, wrong[i].rows, NULL) ==
                  IMF_ERR_ARGUMENT,
              "case %zu", i);
        CHECK(imf_writer_rows(writer, rows, wrong[i].stride, wrong[i].rows, NULL) ==
                  IMF_ERR_ARGUMENT,
              "case %zu", i);
    }
    CHECK(imf_writer_finish(writer, NULL) == IMF_ERR_ARGUMENT, "no rows yet");
    CHECK(!imf_reader_rows(reader, rows, 2, 2, NULL) && rows[3] == '4', "rows");
    imf_reader_close(&reader);
    imf_writer_close(&writer);
    fclose(from);
    fclose(to);
}

/* Where there is a device. */
static void test_direction(void) {
    struct imf_fft *fft;
    struct imf_error error;
    float values[64] = {0};
    if (imf_fft_create(&fft, context, &shape, &error)) {
        CHECK(error.status == IMF_ERR_NO_DEVICE, "%s", error.text);
        return;
    }
    for (int direction = -1; direction <= 2; direction += 3) {
        enum imf_fft_direction d = (enum imf_fft_direction)direction;
        CHECK(imf_fft_run(fft, values, values, d, NULL) == IMF_ERR_ARGUMENT, "run");
        CHECK(imf_fft_transform(fft, d, NULL) == IMF_ERR_ARGUMENT, "transform");
    }
    CHECK(!imf_fft_run(fft, values, values, IMF_FFT_INVERSE, NULL), "a good one");
    imf_fft_free(&fft);
}

int main(void) {
    struct imf_plan *plan = NULL;
    const char *spec = "blur:1";
    CHECK(!imf_context_create(&context, NULL, NULL) && !imf_filter_parse(&filter, &spec, 1, NULL) &&
              !imf_plan_create(&plan, context, filter, &info, &settings, NULL) &&
              !imf_workspace_create(&workspace, plan, NULL),
          "a workspace");
    test_each();
    test_drawn();
    test_others();
    test_rows();
    test_direction();
    imf_workspace_free(&workspace);
    imf_plan_free(&plan);
    imf_filter_free(&filter);
    imf_context_free(&context);
    return check_done("test_arguments");
}
