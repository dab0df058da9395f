/* error.c - filling a caller's struct imf_error */
#include "base/error.h"

#include <stdarg.h>
#include <string.h>

const char *imf_version(void) {
    return IMF_VERSION;
}

enum imf_status imf_fail(struct imf_error *err, enum imf_status status, const char *format, ...) {
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    memset(err, 0, sizeof *err);
    err->status = status;
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return status;
}

enum imf_status imf_fail_memory(struct imf_error *err, size_t bytes) {
    return imf_fail(err, IMF_ERR_MEMORY, "out of memory (%zu bytes wanted)", bytes);
}

enum imf_status imf_fail_io(struct imf_error *err, int number) {
    return imf_fail(err, IMF_ERR_IO, "%s", number ? strerror(number) : "input/output error");
}

const char *imf_bytes_text(char text[IMF_BYTES_TEXT], double bytes) {
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t u = 0;
    for (; bytes >= 1000 && u + 1 < sizeof unit / sizeof *unit; u++)
        bytes /= 1024;
    snprintf(text, IMF_BYTES_TEXT, "%.*f %s", u && bytes < 9.95 ? 1 : 0, bytes, unit[u]);
    return text;
}

enum imf_status imf_memory_fits(uint64_t limit, uint64_t bytes, const char *what,
                                struct imf_error *err) {
    char need[IMF_BYTES_TEXT], most[IMF_BYTES_TEXT];
    if (limit == 0 || bytes <= limit)
        return IMF_OK;
    return imf_fail(err, IMF_ERR_LIMIT,
                    "%s needs %s, over the limit of %s (raise it with --max-memory)", what,
                    imf_bytes_text(need, (double)bytes), imf_bytes_text(most, (double)limit));
}
