/* test_tuning.c - rates of devices: as shipped, scaled to what a device says of itself, fitted to
 * times, and kept */
#include "check.h"
#include "device/cache.h"
#include "device/fit.h"
#include "device/rates.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static struct imf_device gpu(unsigned units, unsigned mhz, uint64_t memory) {
    return (struct imf_device){
        .gpu = true, .compute_units = units, .clock_mhz = mhz, .global_memory = memory};
}

/* The shipped rates are those of 132 units at 1980 MHz. */
static void test_scaling(void) {
    const uint64_t gib = (uint64_t)1 << 30;
    struct imf_device rated = gpu(132, 1980, 139 * gib), half = gpu(132, 990, 139 * gib);
    struct imf_device small = gpu(20, 1485, 8 * gib), silent = gpu(20, 0, 8 * gib);
    CHECK(near(imf_tuning_units(&rated), 132), "as rated");
    CHECK(near(imf_tuning_units(&half), 66), "half the clock");
    CHECK(near(imf_tuning_units(&small), 15), "20 units of three quarters of the clock");
    CHECK(near(imf_tuning_units(&silent), 20), "a clock that is not told");
    CHECK(near(imf_tuning_bandwidth(&rated, 1000), 1000), "memory as rated");
    CHECK(near(imf_tuning_bandwidth(&half, 1000), 500), "memory keeps up with the clock");
    CHECK(near(imf_tuning_bandwidth(&small, 1000), 1000 * 15 / 132.0 / 2), "memory not stacked");
    struct imf_tuning own = *imf_tuning(&small);
    small.tuning = &own;
    CHECK(near(imf_tuning_bandwidth(&small, 1000), 1000), "a measured device's is its own");
    struct imf_device cpu = {.compute_units = 2, .clock_mhz = 4000};
    CHECK(near(imf_tuning_units(&cpu), 2), "processors count as they are");
    struct imf_device wide = cpu;
    wide.vector_width = 16;
    CHECK(imf_tuning(&wide)->product[IMF_WIDTH_32] > imf_tuning(&cpu)->product[IMF_WIDTH_32],
          "vectors of 16 floats have rates of their own");
    cpu.compute_units = 0;
    CHECK(near(imf_tuning_units(&cpu), 1), "a device that tells of no units");
}

/* ---- fitting --------------------------------------------------------------------------------- */

/* A made-up device: times are sums of work times cost, or what memory takes where that is more. */
enum { COSTS = 5, TIMES = 36, BANDWIDTH = 4 };
struct made_up {
    double work[TIMES][COSTS];
};

static double made_up_time(void *data, size_t i, const double *factor) {
    const struct made_up *m = data;
    double sum = 0;
    for (int j = 0; j < BANDWIDTH; j++)
        sum += m->work[i][j] * factor[j];
    return fmax(sum, m->work[i][BANDWIDTH] * factor[BANDWIDTH]);
}

static uint32_t made_up_uses(void *data, size_t i) {
    (void)data;
    (void)i;
    return (1u << COSTS) - 1;
}

static double random_unit(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

/* Times of the device with these factors, each off by up to `noise`, and every tenth three times as
 * long if `busy`. Returns how far the fitted factors are off, as a factor. */
static double fit_made_up(const double *truth, double noise, bool busy) {
    struct made_up m;
    double measured[TIMES], factor[IMF_FIT_COSTS], before, worst = 1;
    uint32_t state = 7;
    for (int i = 0; i < TIMES; i++)
        for (int j = 0; j < COSTS; j++)
            m.work[i][j] = (j == BANDWIDTH       ? 0.7
                            : i % BANDWIDTH == j ? 1
                                                 : 0.1) *
                           pow(10, 2 * random_unit(&state) - 1);
    for (int i = 0; i < TIMES; i++)
        measured[i] = made_up_time(&m, (size_t)i, truth) *
                      (1 + noise * (2 * random_unit(&state) - 1)) * (busy && i % 10 == 3 ? 3 : 1);
    struct imf_fit f = {COSTS, TIMES, measured, made_up_time, made_up_uses, &m};
    uint32_t determined;
    double off = imf_fit_costs(&f, factor, &before, &determined);
    CHECK(determined == (1u << COSTS) - 1, "all are determined: %#x", (unsigned)determined);
    CHECK(off < before, "estimates off by %g, before by %g", off, before);
    for (int j = 0; j < COSTS; j++)
        worst = fmax(worst, exp(fabs(log(factor[j] / truth[j]))));
    return worst;
}

static void test_fit(void) {
    static const double same[COSTS] = {3, 3, 3, 3, 3}, mixed[COSTS] = {0.5, 2, 1, 0.25, 1.5};
    static const double far[COSTS] = {4, 8, 2, 16, 6};
    double off = fit_made_up(same, 0, false);
    CHECK(off < 1.01, "a third of the speed: off by %g", off);
    off = fit_made_up(mixed, 0, false);
    CHECK(off < 1.02, "mixed: off by %g", off);
    off = fit_made_up(far, 0, false);
    CHECK(off < 1.1, "far: off by %g", off);
    off = fit_made_up(mixed, 0.05, false);
    CHECK(off < 1.1, "noise: off by %g", off);
    off = fit_made_up(mixed, 0.05, true);
    CHECK(off < 1.2, "busy: off by %g", off);
}

/* A cost that no time depends on goes with the others. */
static uint32_t uses_first(void *data, size_t i) {
    (void)data;
    (void)i;
    return 1;
}
static double first_only(void *data, size_t i, const double *factor) {
    return ((const double *)data)[i] * factor[0];
}
static void test_undetermined(void) {
    double work[3] = {1, 2, 5}, measured[3] = {4, 8, 20}, factor[IMF_FIT_COSTS], before;
    struct imf_fit f = {2, 3, measured, first_only, uses_first, work};
    uint32_t determined;
    imf_fit_costs(&f, factor, &before, &determined);
    CHECK(determined == 1, "the first cost alone is determined: %#x", (unsigned)determined);
    CHECK(fabs(factor[0] - 4) < 0.05 && fabs(factor[1] - 4) < 0.05, "%g and %g", factor[0],
          factor[1]);
    CHECK(near(before, 4), "%g before", before);
    f.times = 1; /* is enough for the cost that it is made of */
    imf_fit_costs(&f, factor, &before, &determined);
    CHECK(determined == 1 && fabs(factor[0] - 4) < 0.05, "%#x, %g", (unsigned)determined,
          factor[0]);
    f.times = 0;
    imf_fit_costs(&f, factor, &before, &determined);
    CHECK(determined == 0, "nothing is determined without times");
    CHECK(near(factor[0], 1) && near(factor[1], 1), "without times");
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* The only file of a directory that ends in .rates. */
static bool find_file(const char *dir, char *path, size_t size) {
    DIR *d = opendir(dir);
    int count = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, ".rates")) {
            snprintf(path, size, "%s/%s", dir, e->d_name);
            count++;
        }
    if (d)
        closedir(d);
    return count == 1;
}

static size_t read_file(const char *path, char *text, size_t size) {
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    text[n] = '\0';
    if (f)
        fclose(f);
    return n;
}

static void write_file(const char *path, const char *text, size_t n) {
    FILE *f = fopen(path, "w");
    if (f && fwrite(text, 1, n, f) == n)
        fclose(f);
}

static void test_kept(bool is_gpu) {
    char dir[] = "/tmp/imf_tuning.XXXXXX", path[300], text[8192], changed[8192];
    struct imf_device d = gpu(4, 1000, 1 << 30), other;
    d.gpu = is_gpu;
    snprintf(d.name, sizeof d.name, "A device");
    snprintf(d.driver, sizeof d.driver, "1.2");
    struct imf_tuning rates = *imf_tuning(&d), back;
    rates.launch_ms = 0.0123;
    rates.determined = 5;
    CHECK(mkdtemp(dir) != NULL, "no directory");
    CHECK(!imf_rates_load(dir, &d, &back), "nothing there yet");
    CHECK(imf_rates_store(dir, &d, &rates) && imf_rates_load(dir, &d, &back), "there and back");
    CHECK(back.measured && back.determined == 5, "which of them were determined");
    CHECK(back.measured && near(back.launch_ms, 0.0123) && near(back.finish, rates.finish),
          "what was stored");
    other = d;
    snprintf(other.driver, sizeof other.driver, "1.3");
    CHECK(!imf_rates_load(dir, &other, &back), "another driver");
    other = d;
    other.compute_units = 5;
    CHECK(!imf_rates_load(dir, &other, &back), "another number of units");
    CHECK(find_file(dir, path, sizeof path), "one file");
    size_t n = read_file(path, text, sizeof text);
    /* No byte may go, and the end must be there. */
    for (size_t cut = 0; cut < n; cut++) {
        write_file(path, text, cut);
        CHECK(!imf_rates_load(dir, &d, &back), "cut at %zu", cut);
    }
    static const struct {
        const char *from, *to;
    } changes[] = {{"A device", "B device"},
                   {"driver 1.2", "driver 1.1"},
                   {"launch 0.012300", "launch 0"},
                   {"launch 0.012300", "launch 99.000000"},
                   {"launch 0.012300", "launch nan"},
                   {" undetermined", " determined"},
                   {"launch 0.012300", "launch -0.012300"},
                   {"launch ", "lunch "},
                   {IMF_VERSION, "0.0.1"},
                   {"end\n", "end\nend\n"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *at = strstr(text, changes[i].from);
        CHECK(at != NULL, "%s is not in the file", changes[i].from);
        if (!at)
            continue;
        int length = snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text,
                              changes[i].to, at + strlen(changes[i].from));
        write_file(path, changed, (size_t)length);
        CHECK(!imf_rates_load(dir, &d, &back), "%s instead of %s", changes[i].to, changes[i].from);
    }
    write_file(path, text, n);
    CHECK(imf_rates_load(dir, &d, &back), "as it was");
    chmod(path, 0666);
    CHECK(!imf_rates_load(dir, &d, &back), "a file that others can write");
    chmod(path, 0600);
    chmod(dir, 0777);
    CHECK(!imf_rates_load(dir, &d, &back) && !imf_rates_store(dir, &d, &rates),
          "a directory that others can write");
    chmod(dir, 0700);
    CHECK(!imf_rates_load(NULL, &d, &back) && !imf_rates_store(NULL, &d, &rates), "no directory");
    unlink(path);
    rmdir(dir);
}

int main(void) {
    test_scaling();
    test_fit();
    test_undetermined();
    test_kept(false);
    test_kept(true);
    return check_done("tuning");
}
