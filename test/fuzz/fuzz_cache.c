/*
 * fuzz_cache.c - what the cache directory gives back when it was damaged, or made by somebody else
 *
 * The first byte chooses what is read. It is stored as the program does it, and then changed as
 * the input says: in its content before it is stored, so that the checksum holds, or in its file.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cache.h"
#include "device/fit.h"
#include "device/open/last_device.h"
#include "device/open/probe.h"
#include "device/quarantine.h"
#include "device/rates.h"
#include "imfilter.h"

enum { MOST_BYTES = 1 << 16 };

static char directory[64];
static const char *const drivers[] = {"/nonexistent/imfilter", "probe", NULL};

static void remove_all(void) {
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

static void at_exit(void) {
    remove_all();
    rmdir(directory);
}

static void start(void) {
    const char *where = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.40s/fuzz-XXXXXX", where ? where : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        abort();
    }
    atexit(at_exit);
    /* A directory without drivers: no device opens. */
    setenv("OCL_ICD_VENDORS", directory, 1);
    unsetenv("OCL_ICD_FILENAMES");
}

/* ---- damage ---------------------------------------------------------------------------------- */

struct input {
    const uint8_t *at;
    size_t left;
};

static unsigned take(struct input *in) { /* a byte, 0 at the end */
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->at++;
}

static unsigned take_two(struct input *in) {
    unsigned high = take(in);
    return high << 8 | take(in);
}

/* A number of changes, each of an offset and a length of bytes that follow; 0: all from there on
 * goes. */
static size_t damage(uint8_t *bytes, size_t size, struct input *in) {
    for (unsigned changes = take(in) % 16; changes > 0 && size > 0; changes--) {
        size_t at = take_two(in) % size, length = take(in);
        if (length == 0)
            size = at;
        for (; length > 0 && at < size && in->left > 0; length--)
            bytes[at++] = (uint8_t)take(in);
    }
    return size;
}

static size_t read_file(int fd, uint8_t bytes[MOST_BYTES]) {
    ssize_t n = pread(fd, bytes, MOST_BYTES, 0);
    FUZZ_ASSERT(n >= 0 && n < MOST_BYTES);
    return (size_t)n;
}

/* Change the directory's file that has the suffix; *bytes: what it holds then. */
static size_t damage_file(const char *suffix, uint8_t bytes[MOST_BYTES], struct input *in) {
    size_t size = 0;
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name), m = strlen(suffix);
        if (n < m || strcmp(e->d_name + n - m, suffix) != 0)
            continue;
        int fd = openat(dirfd(d), e->d_name, O_RDWR | O_CLOEXEC);
        FUZZ_ASSERT(fd >= 0);
        size = damage(bytes, read_file(fd, bytes), in);
        FUZZ_ASSERT(pwrite(fd, bytes, size, 0) == (ssize_t)size && ftruncate(fd, (off_t)size) == 0);
        close(fd);
    }
    if (d)
        closedir(d);
    return size;
}

/* ---- what is read ---------------------------------------------------------------------------- */

/* What an entry gives is what its file ends with. */
static void read_entry(struct input *in) {
    static uint8_t file[MOST_BYTES];
    uint8_t content[256] = {0};
    struct imf_cache_key key;
    size_t size = 1 + take(in), got;
    for (size_t i = 0; i < size; i++)
        content[i] = (uint8_t)take(in);
    imf_cache_key_start(&key);
    FUZZ_ASSERT(imf_cache_store(directory, &key, content, size));
    size_t left = damage_file(IMF_CACHE_SUFFIX, file, in);
    void *data = imf_cache_load(directory, &key, &got);
    FUZZ_ASSERT(!data || (got <= left && memcmp(data, file + left - got, got) == 0));
    free(data);
}

static void plan(unsigned choice) {
    static const char *const specs[] = {
        "disk:12",  "blur:9",          "median:9",      "unsharp:sigma=2", "sobel",
        "equalize", "bilateral:2:0.2", "canny:0.1:0.2", "open:5",          "lowpass:0.1"};
    const char *spec = specs[choice % (sizeof specs / sizeof *specs)];
    struct imf_info info = {.width = 8000,
                            .height = choice & 128 ? 10 : 6000,
                            .channels = 3,
                            .color = IMF_COLOR_RGB,
                            .depth = choice & 64 ? 16 : 8};
    struct imf_settings settings = {.size = sizeof settings};
    struct imf_context_options where = {.size = sizeof where, .cache_dir = directory};
    struct imf_error err = {0};
    struct imf_filter *filter = NULL;
    struct imf_context *context = NULL;
    struct imf_plan *p = NULL;
    enum imf_status status = imf_filter_parse(&filter, &spec, 1, &err);
    if (status == IMF_OK)
        status = imf_context_create(&context, &where, &err);
    if (status == IMF_OK)
        status = imf_plan_create(&p, context, filter, &info, &settings, &err);
    if (status != IMF_OK)
        fprintf(stderr, "%s: %s\n", spec, err.text);
    /* The host does what a device that does not open was expected to do faster. */
    FUZZ_ASSERT(status == IMF_OK || status == IMF_ERR_MEMORY);
    imf_plan_free(&p);
    imf_context_free(&context);
    imf_filter_free(&filter);
}

/* The rates of a device: none but plausible ones, which are the same when they are stored again. */
static void read_rates(const struct imf_device *d, struct input *in) {
    static uint8_t file[MOST_BYTES];
    struct imf_tuning rates = *imf_tuning(d), again;
    FUZZ_ASSERT(imf_rates_store(directory, d, &rates));
    damage_file(".rates", file, in);
    if (!imf_rates_load(directory, d, &rates))
        return;
    FUZZ_ASSERT(imf_rates_store(directory, d, &rates) && imf_rates_load(directory, d, &again));
    for (const struct imf_rate_row *row = imf_rate_rows(d); row->name; row++) {
        double rate = *imf_rate_of(&rates, row);
        FUZZ_ASSERT(rate > 0 && isfinite(rate) && fabs(*imf_rate_of(&again, row) - rate) < 2e-6);
    }
}

/* The device that was opened last: plans that expect it do not fail. */
static void read_device(struct input *in) {
    unsigned choice = take(in);
    struct imf_device d, cpu = {.name = "llvmpipe (LLVM 15.0.6, 256 bits)",
                                .driver = "22.3.6",
                                .unified = true,
                                .compute_units = 4,
                                .clock_mhz = 2000,
                                .vector_width = 8,
                                .max_group = 4096,
                                .local_memory = 1 << 19,
                                .global_memory = (uint64_t)8 << 30,
                                .max_alloc = (uint64_t)2 << 30,
                                .fp64 = true};
    if (choice & 32)
        cpu.gpu = true, cpu.unified = false, cpu.open_ms = 100, cpu.compute_units = 100;
    struct imf_cache_key key = imf_last_device_key();
    uint8_t bytes[sizeof d];
    memcpy(bytes, &cpu, sizeof d);
    imf_cache_store(directory, &key, bytes, damage(bytes, sizeof d, in));
    if (!imf_last_device_load(directory, &key, &d))
        return;
    size_t size = take(in);
    char *text = malloc(size > 0 ? size : 1);
    if (text)
        imf_quarantine_list(&d, text, size);
    FUZZ_ASSERT(!text || size == 0 || memchr(text, '\0', size));
    free(text);
    imf_quarantine(&d, "fft");
    read_rates(&d, in);
    plan(choice);
}

/* How a trial of drivers ended. */
static void read_trial(struct input *in) {
    uint8_t bytes[72] = {0}; /* a time and a text */
    struct imf_error err = {0};
    struct imf_cache_key key;
    enum imf_probe_of of = take(in) & 1 ? IMF_PROBE_GLES : IMF_PROBE_OPENCL;
    imf_drivers_key(&key, of, drivers);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)take(in);
    imf_cache_store(directory, &key, bytes, sizeof bytes);
    enum imf_status status = imf_probe(directory, of, drivers, 1, &err);
    FUZZ_ASSERT(status == IMF_OK || (status == IMF_ERR_NO_DEVICE && err.text[0] != '\0'));
}

/* ---- what is stored -------------------------------------------------------------------------- */

enum { COSTS = 6, TIMES = 12 };
struct times {
    double measured[TIMES], cost[TIMES][COSTS];
};
static double estimate(void *data, size_t i, const double *factor) {
    const struct times *t = data;
    double sum = 1e-3;
    for (size_t j = 0; j < COSTS; j++)
        sum += t->cost[i][j] * factor[j];
    return sum;
}
static uint32_t uses(void *data, size_t i) {
    const struct times *t = data;
    uint32_t set = 0;
    for (size_t j = 0; j < COSTS; j++)
        set |= (uint32_t)(t->cost[i][j] > 0) << j;
    return set;
}

/* Factors of rates, whatever the times: what they give can be loaded again. */
static void fit_times(struct input *in) {
    struct times t;
    struct imf_fit fit = {.costs = COSTS,
                          .times = take(in) % (TIMES + 1),
                          .measured = t.measured,
                          .estimate = estimate,
                          .uses = uses,
                          .data = &t};
    double factor[COSTS], before;
    uint32_t determined;
    for (size_t i = 0; i < TIMES; i++) {
        t.measured[i] = ldexp(1 + take(in), (int)take(in) % 64 - 32);
        for (size_t j = 0; j < COSTS; j++)
            t.cost[i][j] = take(in);
    }
    double after = imf_fit_costs(&fit, factor, &before, &determined);
    FUZZ_ASSERT(after >= 1 && before >= 1 && determined < 1u << COSTS);
    for (size_t j = 0; j < COSTS; j++)
        FUZZ_ASSERT(factor[j] > 0.019 && factor[j] < 51);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const read[])(struct input *) = {read_entry, read_device, read_trial, fit_times};
    struct input in = {data, size};
    if (!directory[0])
        start();
    remove_all();
    read[take(&in) % (sizeof read / sizeof *read)](&in);
    return 0;
}
