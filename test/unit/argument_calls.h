/*
 * argument_calls.h - calls of public functions with one struct each, for test_arguments.c
 *
 * Each returns the status, and checks that an output is made or NULL.
 */
#ifndef ARGUMENT_CALLS_H
#define ARGUMENT_CALLS_H

#include "check.h"
#include "imfilter.h"

#include <stdio.h>

static struct imf_context *context;
static struct imf_filter *filter;
static struct imf_workspace *workspace;

static const struct imf_info info = {.width = 6,
                                     .height = 5,
                                     .channels = 3,
                                     .depth = 8,
                                     .color = IMF_COLOR_RGB,
                                     .format = IMF_FORMAT_PNM};
static const struct imf_settings settings = {.backend = IMF_BACKEND_CPU};
static const struct imf_limits limits = {.max_pixels = 1 << 20, .max_memory = 1 << 26};
static const double taps[9] = {0, 1, 0, 1, 4, 1, 0, 1, 0};
static const struct imf_coefficients kernel = {.width = 3, .height = 3, .values = taps};
static const struct imf_region region = {.width = 2, .height = 2, .x = 1, .y = 1};
static const struct imf_fft_shape shape = {.nx = 8, .ny = 4};
static const struct imf_run_options run_options = {.threads = 1};
static const struct imf_encode encode = {.quality = 50};
static const struct imf_context_options context_options = {.cache_dir = ""};
static const struct imf_context_options by_index = {.device = IMF_DEVICE_INDEX, .cache_dir = ""};

#define NOTHING ((void *)&info) /* what an output pointer was before */

static enum imf_status call_plan(const struct imf_info *i, const struct imf_settings *s) {
    struct imf_plan *plan = NOTHING;
    enum imf_status st = imf_plan_create(&plan, context, filter, i, s, NULL);
    CHECK(!st == (plan != NULL), "status %d, but a plan", st);
    imf_plan_free(&plan);
    return st;
}

static enum imf_status plan_info(const void *given) {
    return call_plan(given, &settings);
}

static enum imf_status plan_settings(const void *given) {
    return call_plan(&info, given);
}

static enum imf_status plan_region(const void *given) {
    struct imf_settings s = settings;
    s.regions = given;
    s.region_count = 1;
    return call_plan(&info, &s);
}

static enum imf_status call_writer(const struct imf_info *i, const struct imf_encode *e) {
    struct imf_writer *writer = NOTHING;
    FILE *f = tmpfile();
    enum imf_status st = imf_writer_open(&writer, f, i, e, NULL, NULL);
    CHECK(!st == (writer != NULL), "status %d, but a writer", st);
    imf_writer_close(&writer);
    fclose(f);
    return st;
}

static enum imf_status writer_info(const void *given) {
    return call_writer(given, &encode);
}

static enum imf_status writer_encode(const void *given) {
    return call_writer(&info, given);
}

/* Of formats, each of which has members of its own. */
static enum imf_status writers_encode(const void *given) {
    enum imf_status all = IMF_OK;
    for (int format = IMF_FORMAT_PNG; format <= IMF_FORMAT_LAST; format++) {
        if (!imf_format_doc((enum imf_format)format))
            continue;
        struct imf_info i = info;
        i.format = (enum imf_format)format;
        enum imf_status st = call_writer(&i, given);
        all = st == IMF_ERR_ARGUMENT || all ? (all ? all : st) : IMF_OK;
        CHECK(format == IMF_FORMAT_PNG || (st == IMF_ERR_ARGUMENT) == (all == IMF_ERR_ARGUMENT),
              "format %d: %d, others %d", format, st, all);
    }
    return all;
}

static enum imf_status reader_limits(const void *given) {
    static const char picture[] = "P5 2 2 255\n1234";
    struct imf_reader *reader = NOTHING;
    FILE *f = tmpfile();
    fwrite(picture, 1, sizeof picture - 1, f);
    rewind(f);
    enum imf_status st = imf_reader_open(&reader, f, given, NULL);
    CHECK(!st == (reader != NULL), "status %d, but a reader", st);
    imf_reader_close(&reader);
    fclose(f);
    return st;
}

static enum imf_status parse_limits(const void *given) {
    struct imf_filter *out = NOTHING;
    enum imf_status st = imf_filter_parse_limited(&out, &(const char *){"blur:1"}, 1, given, NULL);
    CHECK(!st == (out != NULL), "status %d, but a filter", st);
    imf_filter_free(&out);
    return st;
}

/* There is no such file, which is another error. */
static enum imf_status mask_limits(const void *given) {
    struct imf_filter *out = NOTHING;
    enum imf_status st = imf_filter_from_mask(&out, "/nowhere/mask.png", given, NULL);
    CHECK(st && !out, "status %d", st);
    return st == IMF_ERR_ARGUMENT ? st : IMF_OK;
}

static enum imf_status from_kernel(const void *given) {
    struct imf_filter *out = NOTHING;
    enum imf_status st = imf_filter_from_kernel(&out, given, NULL);
    CHECK(!st == (out != NULL), "status %d, but a filter", st);
    imf_filter_free(&out);
    return st == IMF_ERR_LIMIT ? IMF_ERR_ARGUMENT : st;
}

static enum imf_status context_create(const void *given) {
    struct imf_context *out = NOTHING;
    enum imf_status st = imf_context_create(&out, given, NULL);
    CHECK(!st == (out != NULL), "status %d, but a context", st);
    imf_context_free(&out);
    return st;
}

/* The shape is looked at before a device is. */
static enum imf_status fft_create(const void *given) {
    struct imf_fft *out = NOTHING;
    struct imf_context *none;
    const struct imf_context_options nobody = {
        .device = IMF_DEVICE_NAME, .name = "no such device", .cache_dir = ""};
    CHECK(!imf_context_create(&none, &nobody, NULL), "a context");
    enum imf_status st = imf_fft_create(&out, none, given, NULL);
    CHECK(st && !out, "status %d", st);
    imf_context_free(&none);
    return st == IMF_ERR_NO_DEVICE ? IMF_OK : st;
}

static enum imf_status run_memory(const void *given) {
    unsigned char in[90] = {0}, out[90];
    return imf_workspace_run_memory(workspace, in, 18, out, 18, given, NULL, NULL);
}

static enum imf_status curve_info(const void *given) {
    static const char picture[] = "P5 2 2 255\n1234";
    struct imf_curve *curve = NOTHING;
    struct imf_reader *reader = NULL;
    FILE *f = tmpfile();
    fwrite(picture, 1, sizeof picture - 1, f);
    rewind(f);
    CHECK(!imf_reader_open(&reader, f, NULL, NULL), "a reader");
    enum imf_status st = imf_curve_read(&curve, imf_reader_metadata(reader), given, NULL);
    CHECK(!curve, "a PNM has no curve");
    imf_reader_close(&reader);
    fclose(f);
    return st;
}

#endif
