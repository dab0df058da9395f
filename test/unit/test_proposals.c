/* test_proposals.c - what solvers propose for a chain's passes, and again for its bands */
#include "chain_util.h"
#include "check.h"
#include "device/quarantine.h"
#include "plan/proposals.h"
#include "solver/fft/tile_gpu.h"

#include <math.h>
#include <string.h>

static const struct imf_info rgb = {
    .width = 4000, .height = 3000, .channels = 3, .depth = 8, .color = IMF_COLOR_RGB};
static const struct imf_device device = {.unified = true,
                                         .compute_units = 4,
                                         .max_group = 4096,
                                         .local_memory = 262144,
                                         .global_memory = UINT64_MAX,
                                         .max_alloc = UINT64_MAX,
                                         .fp64 = true};
static const struct imf_settings plain = {.edge = IMF_EDGE_CLAMP};

struct expectation {
    const char *spec;
    enum imf_backend backend;
    const struct imf_solver *solver; /* the cheapest, or NULL: none is able, */
    const char *why;                 /* because of this */
};

static void check_cheapest(const struct expectation *e) {
    struct chain_case c = chain_make(e->spec, &rgb, &plain);
    struct imf_proposals all;
    CHECK(!imf_proposals_open(&all, c.chain, imf_backend_is_host(e->backend) ? NULL : &device,
                              false, NULL),
          "open");
    const struct imf_proposal *one = imf_proposals_cheapest(&all, 0, e->backend);
    CHECK(one->feasible == (e->solver != NULL), "%s: %s", e->spec, one->why);
    CHECK(!e->solver || one->solver == e->solver, "%s: %s", e->spec, one->description);
    CHECK(e->solver || strcmp(one->why, e->why) == 0, "%s: %s", e->spec, one->why);
    CHECK(isfinite(one->ms) == one->feasible && one->height == 3000, "%s: %g ms", e->spec, one->ms);
    CHECK(imf_proposals_cheapest(&all, 0, e->backend) == one, "asked again");
    imf_proposals_close(&all);
    chain_drop(&c);
}

/* Which solver a GPU takes a transfer function with. */
static void check_whole(struct imf_device d, int width, enum imf_edge edge,
                        const struct imf_solver *solver) {
    struct imf_info info = rgb;
    struct imf_settings settings = plain;
    info.width = width;
    settings.edge = edge;
    struct chain_case c = chain_make("lowpass:0.1", &info, &settings);
    struct imf_proposals all;
    CHECK(!imf_proposals_open(&all, c.chain, &d, false, NULL), "open");
    const struct imf_proposal *one = imf_proposals_cheapest(&all, 0, IMF_BACKEND_FFT);
    CHECK(one->feasible && one->solver == solver, "%d columns: %s%s", width, one->description,
          one->why);
    CHECK(one->local <= d.local_memory, "%zu bytes of local memory", one->local);
    imf_proposals_close(&all);
    chain_drop(&c);
}

/* Rows in local memory, but for lengths that they are not for and devices that have too little. */
static void test_whole(void) {
    struct imf_device d = device;
    d.local_memory = 49152;
    check_whole(d, 4000, IMF_EDGE_CLAMP, &imf_solver_spectral_filter);
    d.gpu = true;
    check_whole(d, 4000, IMF_EDGE_CLAMP, &imf_solver_spectral_filter_gpu);
    check_whole(d, 4000, IMF_EDGE_WRAP, &imf_solver_spectral_filter_gpu);
    check_whole(d, 3998, IMF_EDGE_WRAP, &imf_solver_spectral_filter);   /* 1999 is a prime */
    check_whole(d, 3969, IMF_EDGE_WRAP, &imf_solver_spectral_filter);   /* 63 * 63 is odd */
    check_whole(d, 16000, IMF_EDGE_CLAMP, &imf_solver_spectral_filter); /* too long */
    d.local_memory = 8192;
    check_whole(d, 4000, IMF_EDGE_CLAMP, &imf_solver_spectral_filter);
}

/* A GPU's tiles, and whether doubtful pixels are summed again by ends of runs: only where a kernel
 * has so many taps that this pays for sums of all rows. */
static void test_tiles(void) {
    static const struct {
        const char *spec;
        int nx, ny;
        bool runs;
    } cases[] = {{"disk:31", 256, 256, false},
                 {"disk:63", 1024, 512, true},
                 {"disk:200", 2048, 1024, true},
                 {"blur:50", 2048, 1024, false}};
    struct imf_device d = device;
    struct imf_info info = rgb;
    d.gpu = true;
    d.compute_units = 132;
    d.local_memory = 49152;
    info.width = 4096;
    info.height = 3072;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct chain_case c = chain_make(cases[i].spec, &info, &plain);
        struct imf_proposal one;
        struct imf_fft_gpu_tiling t = {0};
        imf_propose(&one, &imf_solver_fft_gpu, &c.chain->passes[0].problem, &d);
        CHECK(one.feasible, "%s: %s", cases[i].spec, one.why);
        memcpy(&t, one.shape.bytes, sizeof t);
        CHECK(t.nx == cases[i].nx && t.ny == cases[i].ny && !t.steps == !cases[i].runs,
              "%s: tiles %dx%d, %d steps, %g ms", cases[i].spec, t.nx, t.ny, t.steps, t.ms);
        chain_drop(&c);
    }
}

/* Sums of bytes take 16 bits as long as none is beyond 32767: 128 and 129 times 255. */
static void test_narrow(void) {
    static const char *const cases[] = {"kernel:100,28", "kernel:100,29", "kernel:-100,28",
                                        "kernel:-100,29"};
    for (size_t i = 0; i < 4; i++) {
        struct chain_case c = chain_make(cases[i], &rgb, &plain);
        struct imf_proposal one;
        imf_propose(&one, &imf_solver_direct, &c.chain->passes[0].problem, &device);
        bool narrow = strstr(one.description, "16-bit integers");
        CHECK(one.feasible && narrow == (i % 2 == 0), "%s: %s%s", cases[i], one.description,
              one.why);
        chain_drop(&c);
    }
}

/* Every pass is proposed for as many rows as a band makes of it at most, but for what goes by
 * tiles: between those bands end. */
static void test_bands(void) {
    struct chain_case c = chain_make("blur:3+blur:20", &rgb, &plain);
    struct imf_proposals all;
    struct imf_proposal chosen[2];
    struct imf_bands *bands = NULL;
    const struct imf_bands_form form = {.advance = 200};
    struct imf_error err = {.text = ""};
    CHECK(!imf_proposals_open(&all, c.chain, &device, false, NULL) && c.chain->count == 2, "open");
    for (int i = 0; i < 2; i++)
        chosen[i] = *imf_proposals_cheapest(&all, i, IMF_BACKEND_AUTO);
    CHECK(chosen[1].solver == &imf_solver_fft && chosen[1].height == 3000, "%s",
          chosen[1].description);
    CHECK(chosen[0].step == 1 && chosen[1].step > 1, "steps of %d and %d rows", chosen[0].step,
          chosen[1].step);
    if (imf_proposals_band(&bands, c.chain, chosen, form, &device, &err)) {
        CHECK(false, "%s", err.text);
        return;
    }
    CHECK(bands->segment[0].bands > 10, "%d bands", bands->segment[0].bands);
    CHECK(chosen[0].feasible && chosen[0].height == bands->window[1].tallest &&
              chosen[0].height < 1500,
          "%d rows", chosen[0].height);
    CHECK(chosen[1].feasible && chosen[1].height == 3000, "%d rows", chosen[1].height);
    imf_bands_free(&bands);
    imf_proposals_close(&all);
    chain_drop(&c);
}

static bool too_large(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    (void)p, (void)shape, (void)bytes;
    return false;
}

/* Nothing is left of what was considered, but for words. */
static void check_refused(const struct imf_proposal *one, const char *spec, size_t solver) {
    CHECK(!one->feasible && one->ms == INFINITY && *one->why, "%s, solver %zu: %g ms, %s", spec,
          solver, one->ms, one->why);
    CHECK(one->bytes == 0 && one->largest == 0 && one->local == 0 && one->step == 1 &&
              one->bands == IMF_BANDS_MANY,
          "%s, solver %zu: %g bytes, steps of %d rows, %s", spec, solver, one->bytes, one->step,
          one->why);
}

/* Solvers refuse what they could not address the buffers of, on whatever place. */
static void test_sizes(void) {
    static const char *const cases[] = {"blur:3",
                                        "disk:40",
                                        "lowpass:0.1",
                                        "canny:0.1:0.3",
                                        "clahe",
                                        "equalize",
                                        "erode:9",
                                        "erode:9:shape=disk",
                                        "guided:9:0.1",
                                        "denoise",
                                        "threshold:sauvola:9",
                                        "kernel:1e9,1/1,1.5",
                                        "deblur:disk:3"};
    struct imf_device d = device, small;
    unsigned asked = 0;
    d.gpu = true;
    small = d;
    small.max_alloc = small.local_memory = 1000;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct chain_case c = chain_make(cases[i], &rgb, &plain);
        const struct imf_problem *p = &c.chain->passes[0].problem;
        for (size_t k = 0; imf_solvers[k]; k++) {
            struct imf_solver s = *imf_solvers[k];
            struct imf_proposal one;
            bool host = imf_backend_is_host(s.backend);
            imf_propose(&one, &s, p, host ? NULL : &small);
            if (!one.feasible)
                check_refused(&one, cases[i], k);
            if (!s.sizes || !imf_solver_takes(&s, p->kind))
                continue;
            s.sizes = too_large;
            imf_propose(&one, &s, p, host ? NULL : &d);
            check_refused(&one, cases[i], k);
            asked += strcmp(one.why, "rows are too long") == 0;
        }
        chain_drop(&c);
    }
    CHECK(asked == 20, "%u", asked);
}

/* A driver is not given what it was seen to crash in; others, and newer ones of it, are. */
static void test_quarantine(void) {
    static const struct {
        const char *name, *driver;
        bool given;
        const char *list;
    } drivers[] = {
        {"llvmpipe (LLVM 15.0.6, 256 bits)", "22.3.6", false,
         "fft.cl (the driver crashes), spectral_filter.cl (the driver refuses an argument), "
         "canny.cl (the driver makes wrong samples)"},
        {"llvmpipe (LLVM 19.1.7, 256 bits)", "22.4.0", true, ""},
        {"another llvmpipe", "22.3.6", true, ""}};
    struct chain_case c = chain_make("disk:12", &rgb, &plain);
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        struct imf_device d = device;
        struct imf_proposal one;
        char list[160];
        strcpy(d.name, drivers[i].name);
        strcpy(d.driver, drivers[i].driver);
        imf_propose(&one, &imf_solver_fft, &c.chain->passes[0].problem, &d);
        CHECK(one.feasible == drivers[i].given, "%s %s: %s", d.name, d.driver, one.why);
        CHECK(one.feasible ||
                  strstr(one.why, "the driver crashes with this program (fft.cl on llvm"),
              "%s", one.why);
        imf_quarantine_list(&d, list, sizeof list);
        CHECK(strcmp(list, drivers[i].list) == 0, "%s %s: %s", d.name, d.driver, list);
        imf_quarantine_list(&d, list, 8); /* cut, and no further */
        CHECK(strlen(list) < 8, "%s", list);
    }
    chain_drop(&c);
}

int main(void) {
    static const struct expectation cases[] = {
        {"sharpen", IMF_BACKEND_AUTO, &imf_solver_direct, NULL},
        {"blur:3", IMF_BACKEND_AUTO, &imf_solver_separable, NULL},
        {"disk:40", IMF_BACKEND_AUTO, &imf_solver_fft, NULL},
        {"lowpass:0.1", IMF_BACKEND_AUTO, &imf_solver_spectral_filter, NULL},
        {"blur:3", IMF_BACKEND_CPU, &imf_solver_host, NULL},
        {"blur:3", IMF_BACKEND_VECTOR, &imf_solver_vector, NULL},
        {"sobel", IMF_BACKEND_VECTOR, &imf_solver_vector, NULL},
        {"blur:10", IMF_BACKEND_VECTOR, &imf_solver_decimated, NULL},
        {"disk:40", IMF_BACKEND_VECTOR, &imf_solver_runs, NULL},
        {"motion:90:30", IMF_BACKEND_VECTOR, &imf_solver_vector, NULL},
        {"log:30", IMF_BACKEND_VECTOR, &imf_solver_decimated, NULL},
        {"lowpass:0.1", IMF_BACKEND_CPU, &imf_solver_spectral_filter_host, NULL},
        {"lowpass:0.1", IMF_BACKEND_DIRECT, NULL, "frequency-domain filters need the FFT"},
        {"sobel", IMF_BACKEND_SEPARABLE, NULL, "a magnitude takes two kernels at once"},
        {"kernel:1,2,3/4,5,6/7,8,1", IMF_BACKEND_SEPARABLE, NULL,
         "the kernel is not the product of a column and a row"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_cheapest(&cases[i]);
    test_whole();
    test_tiles();
    test_bands();
    test_narrow();
    test_sizes();
    test_quarantine();
    return check_done("test_proposals");
}
