/*
 * arguments.c - whether what a caller passed is what the public headers allow
 *
 * A row for each member that can be out of range. Enums are numbers here, so that one which is no
 * enumerator is seen before it reaches a table.
 */
#include "base/arguments.h"
#include "imfilter_program.h"

#include <float.h>
#include <limits.h>
#include <string.h>

#define FFT_LONGEST (1 << 22)

struct member {
    const char *name;
    size_t offset;
    enum { INT, UNSIGNED, BYTE, DOUBLE } type;
    double least, most;
    const int *only; /* NULL, or the values that are allowed, 0 the last of them */
};
#define RANGE(type, of, name, least, most)                                                         \
    { #of "." #name, offsetof(struct of, name), type, least, most, NULL }
#define ONLY(of, name, values)                                                                     \
    { #of "." #name, offsetof(struct of, name), INT, 0, 0, values }
_Static_assert(sizeof(enum imf_edge) == sizeof(int), "enums are numbers");

static bool among(int value, const int *only) {
    while (*only && *only != value)
        only++;
    return *only == value;
}

/* The member's value, and whether it is allowed: NaN is not. */
static bool allowed(const void *at, const struct member *m, double *value) {
    union {
        int i;
        unsigned u;
        unsigned char byte;
        double d;
    } v = {0};
    static const size_t bytes[] = {
        [INT] = sizeof v.i, [UNSIGNED] = sizeof v.u, [BYTE] = 1, [DOUBLE] = sizeof v.d};
    memcpy(&v, (const char *)at + m->offset, bytes[m->type]);
    *value = m->type == INT ? v.i : m->type == UNSIGNED ? v.u : m->type == BYTE ? v.byte : v.d;
    return m->only ? among(v.i, m->only) : *value >= m->least && *value <= m->most;
}

static enum imf_status check(const void *at, const struct member *members, size_t count,
                             struct imf_error *err) {
    double value;
    for (size_t i = 0; i < count; i++) {
        const struct member *m = &members[i];
        if (allowed(at, m, &value))
            continue;
        if (m->only)
            return imf_fail(err, IMF_ERR_ARGUMENT, "%s is %g, which it cannot be", m->name, value);
        return imf_fail(err, IMF_ERR_ARGUMENT, "%s is %g, and has to be from %g to %g", m->name,
                        value, m->least, m->most);
    }
    return IMF_OK;
}
#define CHECK(at, members) check(at, members, sizeof members / sizeof *members, err)

enum imf_status imf_check_info(const struct imf_info *info, struct imf_error *err) {
    static const int bits[] = {1, 2, 4, 0};
    bool floats = info->depth == 32 || info->depth == 64;
    const struct member members[] = {
        RANGE(INT, imf_info, color, IMF_COLOR_GRAY, IMF_COLOR_CMYK),
        RANGE(INT, imf_info, format, IMF_FORMAT_NONE, IMF_FORMAT_LAST),
        ONLY(imf_info, bits, bits),
        RANGE(INT, imf_info, orientation, 0, 8),
        RANGE(INT, imf_info, maxval, 0, 65535),
        RANGE(BYTE, imf_info, type, 0, floats ? IMF_TYPE_SIGNED : 0),
        RANGE(BYTE, imf_info, type_bits, info->type ? 1 : 0, info->type ? 32 : 0),
    };
    if (info->spectral && info->channels != 1 + info->alpha)
        return imf_fail(err, IMF_ERR_ARGUMENT,
                        "rows of one of %d channels have %d channels, not gray alone",
                        info->spectral, info->channels);
    if (info->width < 1 || info->height < 1 || info->channels < 1 + info->alpha ||
        info->channels > 4 || (info->depth != 8 && info->depth != 16 && !floats))
        return imf_fail(err, IMF_ERR_ARGUMENT, "no image has %dx%d pixels of %d %d-bit channels%s",
                        info->width, info->height, info->channels, info->depth,
                        info->alpha ? ", alpha among them" : "");
    return CHECK(info, members);
}

enum imf_status imf_check_limits(const struct imf_limits *limits, struct imf_error *err) {
    static const struct member members[] = {RANGE(INT, imf_limits, max_scans, 0, INT_MAX),
                                            RANGE(BYTE, imf_limits, pages, 0, IMF_PAGES_SOME)};
    return CHECK(limits, members);
}

enum imf_status imf_check_encode(const struct imf_encode *encode, struct imf_error *err) {
    static const int subsampling[] = {444, 422, 420, 0};
    static const struct member members[] = {
        RANGE(INT, imf_encode, quality, 0, 100),
        ONLY(imf_encode, subsampling, subsampling),
        RANGE(INT, imf_encode, compression, IMF_COMPRESSION_NONE, IMF_COMPRESSION_GROUP4),
        RANGE(UNSIGNED, imf_encode, strip, 0, IMF_STRIP_ALL | IMF_STRIP_PICTURES),
        RANGE(INT, imf_encode, orient, IMF_ORIENT_KEEP, IMF_ORIENT_APPLY),
        RANGE(INT, imf_encode, pnm, IMF_PNM_ANY, IMF_PNM_PFM),
        RANGE(INT, imf_encode, threads, 0, INT_MAX),
    };
    return CHECK(encode, members);
}

enum imf_status imf_check_settings(const struct imf_settings *settings, struct imf_error *err) {
    static const int depth[] = {1, 8, 16, 32, 0};
    static const struct member members[] = {
        RANGE(INT, imf_settings, edge, IMF_EDGE_CLAMP, IMF_EDGE_CONSTANT),
        RANGE(DOUBLE, imf_settings, edge_value, 0, 1),
        RANGE(INT, imf_settings, range, IMF_RANGE_DEFAULT, IMF_RANGE_NORMALIZE),
        RANGE(INT, imf_settings, alpha, IMF_ALPHA_AUTO, IMF_ALPHA_KEEP),
        RANGE(INT, imf_settings, backend, IMF_BACKEND_AUTO, IMF_BACKEND_GLES),
        ONLY(imf_settings, depth, depth),
        RANGE(DOUBLE, imf_settings, mask_feather, 0, 511.75),
        RANGE(INT, imf_settings, channels, IMF_CHANNELS_RGB, IMF_CHANNELS_ALPHA),
        RANGE(INT, imf_settings, twice, IMF_TWICE_NEVER, IMF_TWICE_FREELY),
        RANGE(DOUBLE, imf_settings, full, 0, FLT_MAX),
        RANGE(INT, imf_settings, pictures, 0, INT_MAX),
        RANGE(INT, imf_settings, workers, 0, INT_MAX),
    };
    static const struct member region[] = {
        RANGE(DOUBLE, imf_region, width, 0, DBL_MAX),
        RANGE(DOUBLE, imf_region, height, 0, DBL_MAX),
        RANGE(DOUBLE, imf_region, x, -DBL_MAX, DBL_MAX),
        RANGE(DOUBLE, imf_region, y, -DBL_MAX, DBL_MAX),
        RANGE(UNSIGNED, imf_region, percent, 0, 2 * IMF_PERCENT_Y - 1),
    };
    enum imf_status status = CHECK(settings, members);
    if (!status && settings->region_count && !settings->regions)
        return imf_fail(err, IMF_ERR_ARGUMENT, "imf_settings.regions is NULL");
    for (size_t i = 0; i < settings->region_count && !status; i++)
        status = CHECK(&settings->regions[i], region);
    return status;
}

enum imf_status imf_check_run(const struct imf_run_options *options, struct imf_error *err) {
    static const struct member members[] = {RANGE(INT, imf_run_options, threads, 0, INT_MAX)};
    return CHECK(options, members);
}

enum imf_status imf_check_context(const struct imf_context_options *options,
                                  struct imf_error *err) {
    static const struct member members[] = {
        RANGE(INT, imf_context_options, device, IMF_DEVICE_AUTO, IMF_DEVICE_NAME)};
    static const struct member index[] = {RANGE(INT, imf_context_options, index, 0, INT_MAX)};
    enum imf_status status = CHECK(options, members);
    if (!status && options->device == IMF_DEVICE_INDEX)
        status = CHECK(options, index);
    if (!status && options->device == IMF_DEVICE_NAME && !options->name)
        status = imf_fail(err, IMF_ERR_ARGUMENT, "imf_context_options.name is NULL");
    return status;
}

enum imf_status imf_check_fft(const struct imf_fft_shape *shape, struct imf_error *err) {
    static const struct member members[] = {
        RANGE(INT, imf_fft_shape, nx, 1, FFT_LONGEST),
        RANGE(INT, imf_fft_shape, ny, 0, FFT_LONGEST),
        RANGE(INT, imf_fft_shape, batch, 0, INT_MAX),
    };
    const unsigned known = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 16;
    if (shape->radices & ~known)
        return imf_fail(err, IMF_ERR_ARGUMENT,
                        "imf_fft_shape.radices is %#x, and may have bits %#x", shape->radices,
                        known);
    return CHECK(shape, members);
}

enum imf_status imf_check_direction(enum imf_fft_direction direction, struct imf_error *err) {
    if (direction == IMF_FFT_FORWARD || direction == IMF_FFT_INVERSE)
        return IMF_OK;
    return imf_fail(err, IMF_ERR_ARGUMENT, "a transform has no direction %d", (int)direction);
}

enum imf_status imf_check_stride(size_t stride, const struct imf_info *info,
                                 struct imf_error *err) {
    size_t row = (size_t)info->width * (size_t)(info->channels * info->depth / 8);
    if (stride >= row)
        return IMF_OK;
    return imf_fail(err, IMF_ERR_ARGUMENT, "a stride of %zu bytes is less than a row's %zu", stride,
                    row);
}
