/* defines.c - "#define" lines for OpenCL programs, in a string that grows */
#include "base/image/surface.h"
#include "device/program.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and a NUL. */
static bool reserve(struct imf_defines *d, size_t more) {
    size_t need;
    if (d->failed || !imf_size_add(d->length, more, &need) || !imf_size_add(need, 1, &need)) {
        d->failed = true;
        return false;
    }
    if (need <= d->capacity)
        return true;
    size_t capacity = need < 512 ? 1024 : need > SIZE_MAX / 2 ? need : need * 2;
    char *text = realloc(d->text, capacity);
    if (!text) {
        d->failed = true;
        return false;
    }
    d->text = text;
    d->capacity = capacity;
    return true;
}

static __attribute__((format(printf, 2, 0))) void append_list(struct imf_defines *d,
                                                              const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0)
        d->failed = true;
    else if (reserve(d, (size_t)n)) {
        vsnprintf(d->text + d->length, (size_t)n + 1, format, again);
        d->length += (size_t)n;
    }
    va_end(again);
}

static __attribute__((format(printf, 2, 3))) void append(struct imf_defines *d, const char *format,
                                                         ...) {
    va_list args;
    va_start(args, format);
    append_list(d, format, args);
    va_end(args);
}

void imf_define(struct imf_defines *d, const char *name, const char *format, ...) {
    va_list args;
    append(d, "#define %s ", name);
    va_start(args, format);
    append_list(d, format, args);
    va_end(args);
    append(d, "\n");
}

/* Exact, and free of the locale's decimal point: 0.75 is 0x3p-2f. */
static void append_float(struct imf_defines *d, float value) {
    int exponent;
    long long mantissa = llrintf(ldexpf(frexpf(value, &exponent), 24));
    for (exponent -= 24; mantissa != 0 && mantissa % 2 == 0; exponent++)
        mantissa /= 2;
    if (mantissa == 0)
        append(d, "0.0f");
    else
        append(d, "%s0x%llxp%df", mantissa < 0 ? "-" : "", llabs(mantissa), exponent);
}

void imf_define_float(struct imf_defines *d, const char *name, double value) {
    imf_define_floats(d, name, &value, 1);
}

void imf_define_floats(struct imf_defines *d, const char *name, const double *values, size_t n) {
    append(d, "#define %s ", name);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            append(d, ",");
        append_float(d, (float)values[i]);
    }
    append(d, "\n");
}

void imf_define_ints(struct imf_defines *d, const char *name, const double *values, size_t n) {
    append(d, "#define %s ", name);
    for (size_t i = 0; i < n; i++)
        append(d, "%s%lld", i ? "," : "", (long long)values[i]);
    append(d, "\n");
}

void imf_defines_free(struct imf_defines *d) {
    free(d->text);
    *d = (struct imf_defines){0};
}
