/*
 * rates.c - the rates of a device that can be measured, and where they are kept
 *
 *   imfilter 0.2.0 rates
 *   device NAME
 *   driver VERSION, 2 units
 *   product-16 100.000000
 *   spill 3.000000 undetermined
 *   ...
 *   end
 *
 * Each rate once, in the table's order, in decimals whatever the locale. A later version's model
 * may mean something else by a name, so that the version counts.
 */
#include "device/rates.h"

#include "device/cache.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIRECT (1u << IMF_BACKEND_DIRECT)
#define SEPARABLE (1u << IMF_BACKEND_SEPARABLE)
#define FFT (1u << IMF_BACKEND_FFT)
#define RATE(member) offsetof(struct imf_tuning, member)
#define PER_UNIT "1e9 a second and unit"

/* Not fft_miss: two fits of it were a third too low, so that blur:20 took tiles a quarter slower
 * than without. */
static const struct imf_rate_row cpu_rows[] = {
    {"product-16", PER_UNIT, RATE(product[IMF_WIDTH_16]), false, DIRECT},
    {"product-float", PER_UNIT, RATE(product[IMF_WIDTH_32]), false, DIRECT},
    {"operand-16", PER_UNIT, RATE(operand[IMF_WIDTH_16]), false, DIRECT},
    {"operand-float", PER_UNIT, RATE(operand[IMF_WIDTH_32]), false, DIRECT},
    {"product-memory", PER_UNIT, RATE(loop_product), false, DIRECT},
    {"spill", "times a product's time", RATE(spill), true, DIRECT},
    {"finish", PER_UNIT, RATE(finish), false, DIRECT | SEPARABLE},
    {"divide", PER_UNIT, RATE(divide), false, DIRECT | SEPARABLE},
    {"root", PER_UNIT, RATE(root), false, DIRECT},
    {"row-16", PER_UNIT, RATE(row_product[IMF_WIDTH_16]), false, SEPARABLE},
    {"row-float", PER_UNIT, RATE(row_product[IMF_WIDTH_32]), false, SEPARABLE},
    {"column-16", PER_UNIT, RATE(column_product[IMF_WIDTH_16]), false, SEPARABLE},
    {"column-float", PER_UNIT, RATE(column_product[IMF_WIDTH_32]), false, SEPARABLE},
    {"term", PER_UNIT, RATE(term), false, SEPARABLE},
    {"bandwidth", "GB a second", RATE(bandwidth), false, DIRECT | SEPARABLE},
    {"launch", "ms", RATE(launch_ms), true, DIRECT | SEPARABLE},
    {"fft-stages", "times 0.113 ns for radix 4", RATE(fft_stages), true, FFT},
    {"fft-output", "ns a sample", RATE(fft_output), true, FFT},
    {"fft-exact", "ns a sample", RATE(fft_exact), true, FFT},
    {"fft-start", "ns a tile and channel", RATE(fft_start), true, FFT},
    {"fft-again", "ns a tap", RATE(fft_again), true, FFT},
    {0}};

static const struct imf_rate_row gpu_rows[] = {
    {"instructions", PER_UNIT, RATE(gpu.instructions), false, DIRECT | SEPARABLE},
    {"bandwidth", "GB a second", RATE(gpu.bandwidth), false, DIRECT | SEPARABLE},
    {"product-float", PER_UNIT, RATE(product[IMF_WIDTH_32]), false, DIRECT},
    {"product-memory", PER_UNIT, RATE(loop_product), false, DIRECT},
    {"finish", PER_UNIT, RATE(finish), false, DIRECT | SEPARABLE},
    {"row-float", PER_UNIT, RATE(row_product[IMF_WIDTH_32]), false, SEPARABLE},
    {"column-float", PER_UNIT, RATE(column_product[IMF_WIDTH_32]), false, SEPARABLE},
    {"middle", PER_UNIT, RATE(middle), false, SEPARABLE},
    {"load", "instructions a sample", RATE(gpu.load_real), true, DIRECT | SEPARABLE},
    {"load-16", "instructions a sample", RATE(gpu.load_wide), true, DIRECT | SEPARABLE},
    {"wait", "clocks an instruction", RATE(gpu.wait), true, DIRECT | SEPARABLE},
    {"launch", "ms", RATE(launch_ms), true, DIRECT | SEPARABLE},
    {"launch-next", "ms", RATE(next_ms), true, SEPARABLE},
    {"fft-column", "ns an element", RATE(gpu.column), true, FFT},
    {"fft-row", "ns an element", RATE(gpu.row), true, FFT},
    {"fft-launch", "ms", RATE(gpu.fft_ms), true, FFT},
    {"fft-launch-again", "ms", RATE(gpu.again_ms), true, FFT},
    {"fft-again", "ns a tap", RATE(gpu.again), true, FFT},
    {0}};

const struct imf_rate_row *imf_rate_rows(const struct imf_device *d) {
    return d->gpu ? gpu_rows : cpu_rows;
}

double *imf_rate_of(struct imf_tuning *t, const struct imf_rate_row *row) {
    return (double *)((char *)t + row->offset);
}

/* ---- files ----------------------------------------------------------------------------------- */

#define MOST_BYTES 8192
/* How far a rate may be from the shipped one. */
#define FURTHEST 200.0

static void write_head(FILE *f, const struct imf_device *d) {
    fprintf(f, "imfilter " IMF_VERSION " rates\ndevice %s\ndriver %s, %u units\n", d->name,
            d->driver, d->compute_units);
}

static void file_name(char name[48], const struct imf_device *d) {
    struct imf_cache_key key;
    char units[16];
    imf_cache_key_start(&key);
    imf_cache_key_add(&key, d->name);
    imf_cache_key_add(&key, d->driver);
    snprintf(units, sizeof units, "%u", d->compute_units);
    imf_cache_key_add(&key, units);
    snprintf(name, 48, "%016" PRIx64 "%016" PRIx64 ".rates", key.high, key.low);
}

#define UNDETERMINED " undetermined"

/* "12.500000", and what may follow */
static bool read_value(const char *text, double *out, bool *determined) {
    size_t whole = strspn(text, "0123456789");
    if (whole < 1 || whole > 12 || text[whole] != '.' ||
        strspn(text + whole + 1, "0123456789") != 6)
        return false;
    *determined = !text[whole + 7];
    if (!*determined && strcmp(text + whole + 7, UNDETERMINED) != 0)
        return false;
    *out = (double)strtoull(text, NULL, 10) + (double)strtoull(text + whole + 1, NULL, 10) * 1e-6;
    return true;
}

/* The next line without its end, or NULL. */
static char *next_line(char **text) {
    char *line = *text, *end = line ? strchr(line, '\n') : NULL;
    if (!end)
        return NULL;
    *end = '\0';
    *text = end + 1;
    return line;
}

static bool read_rates(char *text, const struct imf_device *d, struct imf_tuning *t) {
    const struct imf_rate_row *rows = imf_rate_rows(d);
    for (const struct imf_rate_row *row = rows; row->name; row++) {
        bool determined;
        char *line = next_line(&text);
        size_t n = strlen(row->name);
        double *value = imf_rate_of(t, row), shipped = *value;
        if (!line || strncmp(line, row->name, n) != 0 || line[n] != ' ' ||
            !read_value(line + n + 1, value, &determined) || *value > shipped * FURTHEST ||
            *value < shipped / FURTHEST)
            return false;
        t->determined |= (uint32_t)determined << (row - rows);
    }
    char *line = next_line(&text);
    return line && strcmp(line, "end") == 0 && !*text;
}

bool imf_rates_load(const char *dir, const struct imf_device *d, struct imf_tuning *out) {
    char name[48], *text = calloc(MOST_BYTES, 1), *head = NULL;
    size_t head_size = 0, n = 0;
    FILE *f = text ? open_memstream(&head, &head_size) : NULL;
    bool ok = f != NULL;
    if (ok) {
        write_head(f, d);
        ok = fclose(f) == 0 && head; /* without memory glibc leaves none and returns 0 */
    }
    file_name(name, d);
    int dirfd = ok ? imf_cache_open(dir, false) : -1;
    int fd = dirfd >= 0 ? imf_cache_open_file(dirfd, name, O_RDONLY) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (file) {
        n = fread(text, 1, MOST_BYTES - 1, file);
        fclose(file);
    } else if (fd >= 0) {
        close(fd);
    }
    if (dirfd >= 0)
        close(dirfd);
    struct imf_device shipped = *d;
    shipped.tuning = NULL;
    struct imf_tuning t = *imf_tuning(&shipped);
    t.measured = true;
    ok = ok && n > head_size && strlen(text) == n && strncmp(text, head, head_size) == 0 &&
         read_rates(text + head_size, d, &t);
    if (ok)
        *out = t;
    free(head);
    free(text);
    return ok;
}

bool imf_rates_store(const char *dir, const struct imf_device *d, const struct imf_tuning *t) {
    char name[48], *text = NULL;
    size_t size = 0;
    struct imf_tuning copy = *t;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return false;
    write_head(f, d);
    const struct imf_rate_row *rows = imf_rate_rows(d);
    for (const struct imf_rate_row *row = rows; row->name; row++) {
        bool determined = t->determined >> (row - rows) & 1;
        uint64_t millionths = (uint64_t)(*imf_rate_of(&copy, row) * 1e6 + 0.5);
        fprintf(f, "%s %" PRIu64 ".%06" PRIu64 "%s\n", row->name, millionths / 1000000,
                millionths % 1000000, determined ? "" : UNDETERMINED);
    }
    fputs("end\n", f);
    bool ok = fclose(f) == 0 && text;
    int dirfd = ok ? imf_cache_open(dir, true) : -1;
    file_name(name, d);
    ok = dirfd >= 0 && imf_cache_put(dirfd, name, NULL, 0, text, size);
    if (dirfd >= 0)
        close(dirfd);
    free(text);
    return ok;
}
