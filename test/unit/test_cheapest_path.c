/* test_cheapest_path.c - the cheapest path against all paths, and what limits and options leave of it */
#include "chain_util.h"
#include "device/tuning.h"
#include "plan/cheapest_path.h"

#include <math.h>
#include <string.h>

enum {
    VECTOR = 1 << IMF_BACKEND_VECTOR,
    HOSTS = VECTOR | 1 << IMF_BACKEND_CPU,
    DEVICES = 1 << IMF_BACKEND_DIRECT | 1 << IMF_BACKEND_SEPARABLE | 1 << IMF_BACKEND_FFT,
    PASSES = 10
};

static const struct imf_settings plain = {.edge = IMF_EDGE_CLAMP};

/* The processor as a device, and a card with memory of its own. */
static struct imf_device device_of(bool gpu) {
    return (struct imf_device){.name = "none",
                               .unified = !gpu,
                               .gpu = gpu,
                               .compute_units = gpu ? 32 : 4,
                               .max_group = 1024,
                               .local_memory = 49152,
                               .global_memory = UINT64_MAX,
                               .max_alloc = UINT64_MAX,
                               .fp64 = true};
}

static const struct imf_proposal *cheapest(struct imf_proposals *all, int pass,
                                           enum imf_place place) {
    const struct imf_proposal *best = NULL;
    for (int b = IMF_BACKEND_DIRECT; b <= IMF_BACKEND_GLES; b++) {
        unsigned set = place == IMF_PLACE_HOST ? HOSTS : DEVICES;
        if (!(set >> b & 1))
            continue;
        const struct imf_proposal *one = imf_proposals_cheapest(all, pass, (enum imf_backend)b);
        if (one->feasible && (!best || one->ms < best->ms))
            best = one;
    }
    return best;
}

/* Milliseconds of bringing a surface to the other place. */
static double moved(const struct imf_proposals *all, int index) {
    const struct imf_chain *c = all->chain;
    const struct imf_tuning *t = imf_tuning(all->device);
    if (all->device->unified)
        return index == 0 || index == c->count ? 0 : t->launch_ms;
    int channels = index ? c->passes[index - 1].channels_out : c->channels_in;
    enum imf_sample sample = imf_chain_sample(c, index, false);
    return 1e-6 * c->width * c->height * channels * (double)imf_sample_size(sample) / t->link;
}

/* Each pass on the host or on the device, as the bits of `places` have it. */
static double cost(struct imf_proposals *all, unsigned places) {
    const struct imf_chain *c = all->chain;
    double ms = places ? imf_tuning(all->device)->open_ms : 0;
    for (int i = 0; i < c->count; i++) {
        const struct imf_pass *pass = &c->passes[i];
        unsigned here = places >> i & 1;
        const struct imf_proposal *one = cheapest(all, i, (enum imf_place)here);
        if (!one)
            return INFINITY;
        ms += one->ms;
        const int read[] = {pass->source, pass->second};
        for (int k = 0; k < 2; k++)
            if (read[k] >= -1 && (read[k] < 0 ? 0 : places >> read[k] & 1) != here)
                ms += moved(all, read[k] + 1);
    }
    return ms + (places >> (c->count - 1) & 1 ? moved(all, c->count) : 0);
}

static void check_least(const char *specs, const struct imf_info *info, bool gpu) {
    struct chain_case c = chain_make(specs, info, &plain);
    struct imf_device d = device_of(gpu);
    struct imf_proposals all;
    struct imf_path path;
    const struct imf_path_options ask = {.backends = HOSTS | DEVICES, .limit = INFINITY};
    CHECK(c.chain->count <= PASSES && !imf_proposals_open(&all, c.chain, &d, false, NULL), "open");
    double least = INFINITY;
    for (unsigned places = 1; places < 1u << c.chain->count; places++)
        least = fmin(least, cost(&all, places));
    double host = cost(&all, 0);
    CHECK(!imf_path_find(&path, &all, &ask, NULL) && path.chosen, "%s: %s", specs, path.why);
    double start = imf_tuning(&d)->open_ms;
    /* The start is the same whatever is done there: the search leaves it out until the end. */
    double want = host <= least - start ? host : least;
    CHECK(fabs(path.ms - want) < 1e-9 * want, "%s: %g ms, the least of all is %g", specs, path.ms,
          want);
    double sum = path.start_ms + path.transfer_ms[c.chain->count];
    for (int i = 0; i < c.chain->count; i++)
        sum += cheapest(&all, i, path.chosen[i].place)->ms + path.transfer_ms[i];
    CHECK(fabs(sum - path.ms) < 1e-9 * sum, "%s: parts of %g ms of %g", specs, sum, path.ms);
    imf_path_clear(&path);
    imf_proposals_close(&all);
    chain_drop(&c);
}

/* Milliseconds of the host, of kernels and of transfers. */
static struct imf_spent spent(struct imf_proposals *all, unsigned places) {
    struct imf_spent s = {.start_ms = places ? imf_tuning(all->device)->open_ms : 0};
    for (int i = 0; i < all->chain->count; i++) {
        enum imf_place here = places >> i & 1;
        *(here ? &s.kernels_ms : &s.host_ms) += cheapest(all, i, here)->ms;
    }
    s.copies_ms = cost(all, places) - s.start_ms - s.host_ms - s.kernels_ms;
    return s;
}

/* Of a batch the slower of host and device counts, where the device has memory of its own. */
static void check_batch(const char *specs, const struct imf_info *info, bool gpu,
                        struct imf_throughput t) {
    struct chain_case c = chain_make(specs, info, &plain);
    struct imf_device d = device_of(gpu);
    struct imf_proposals all;
    struct imf_path path;
    const struct imf_path_options ask = {
        .backends = HOSTS | DEVICES, .limit = INFINITY, .throughput = t};
    CHECK(!imf_proposals_open(&all, c.chain, &d, false, NULL), "open");
    double least = INFINITY, alone = INFINITY;
    for (unsigned places = 0; places < 1u << c.chain->count; places++) {
        if (cost(&all, places) == INFINITY)
            continue;
        const struct imf_spent s = spent(&all, places);
        double host = s.host_ms + t.coding_ms, device = s.kernels_ms + s.copies_ms * 2 / 3;
        double ms = gpu && t.workers > 1 ? fmax(host, device) : host + s.kernels_ms + s.copies_ms;
        alone = places ? alone : ms;
        least = fmin(least, ms + s.start_ms / t.pictures);
    }
    CHECK(!imf_path_find(&path, &all, &ask, NULL) && path.chosen, "%s: %s", specs, path.why);
    unsigned places = 0;
    for (int i = 0; i < c.chain->count; i++)
        places |= (path.chosen[i].place == IMF_PLACE_DEVICE) << i;
    const struct imf_spent s = spent(&all, places);
    CHECK(fabs(s.host_ms + s.kernels_ms + s.copies_ms - path.filter_ms) < 1e-9 * path.filter_ms,
          "%s: %g ms of filtering", specs, path.filter_ms);
    /* The planner takes the host's path where that is better with the start. */
    double start = path.on_device ? imf_tuning(&d)->open_ms / t.pictures : 0;
    CHECK(fabs(path.start_ms - start) < 1e-9 && path.ms >= least * 0.99 &&
              fmin(path.ms, alone) <= least * 1.1,
          "%s: %g ms of %d, %d at once, the least of all is %g", specs, path.ms, t.pictures,
          t.workers, least);
    imf_path_clear(&path);
    imf_proposals_close(&all);
    chain_drop(&c);
}

static void test_least(void) {
    static const char *const chains[] = {"sharpen",
                                         "median:15+highpass:0.05",
                                         "blur:2+median:12+disk:20",
                                         "unsharp:5:1:0.1+median:3+gray+blur:9",
                                         "gradient:3+invert+tophat:9+lowpass:0.1",
                                         "gray+equalize+motion:31:20+median:1"};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        for (int k = 0; k < 8; k++) {
            int side = k < 4 ? 300 : 4000;
            const struct imf_info info =
                chain_info(side, side, k / 2 % 2 ? 3 : 1, k % 4 == 3 ? 16 : 8);
            check_least(chains[i], &info, k % 2);
            for (int m = 0; m < 4; m++)
                check_batch(chains[i], &info, k % 2,
                            (struct imf_throughput){m < 2 ? 200 : 3, m % 2 ? 8 : 1, 20});
        }
}

/* A limit takes away what is large, the device first; and what it took is told. */
static void test_limit(void) {
    const struct imf_info info = chain_info(4000, 3000, 3, 8);
    struct chain_case c = chain_make("median:3+lowpass:0.1", &info, &plain);
    struct imf_device d = device_of(false);
    struct imf_proposals all;
    struct imf_path free, limited;
    struct imf_path_options ask = {.backends = HOSTS | DEVICES, .limit = INFINITY};
    CHECK(!imf_proposals_open(&all, c.chain, &d, false, NULL), "open");
    CHECK(!imf_path_find(&free, &all, &ask, NULL) && free.chosen && free.on_device &&
              free.over.ms == INFINITY,
          "without a limit: %s", free.why);
    ask.limit = free.bytes - 1;
    CHECK(!imf_path_find(&limited, &all, &ask, NULL), "find");
    CHECK(!limited.chosen || limited.bytes <= ask.limit, "%g bytes of %g", limited.bytes,
          ask.limit);
    CHECK(limited.over.ms == free.ms && limited.over.bytes == free.bytes &&
              !strcmp(limited.over.backend, "mixed"),
          "over the limit: %g ms, %g bytes, %s", limited.over.ms, limited.over.bytes,
          limited.over.backend);
    imf_path_clear(&limited);
    imf_proposals_close(&all); /* which has refused what is over the limit */
    CHECK(!imf_proposals_open(&all, c.chain, &d, false, NULL), "open");
    ask.limit = 1;
    CHECK(!imf_path_find(&limited, &all, &ask, NULL) && !limited.chosen &&
              limited.over.bytes < INFINITY && strstr(limited.why, "over the limit of 1 bytes"),
          "no room: %s", limited.why);
    imf_path_clear(&free);
    imf_path_clear(&limited);
    imf_proposals_close(&all);
    chain_drop(&c);
}

/* Where a device is preferred the host does only what the device cannot. */
static void test_preference(void) {
    const struct imf_info info = chain_info(64, 64, 1, 8);
    struct chain_case c = chain_make("sharpen+median:3", &info, &plain);
    struct imf_device d = device_of(false);
    struct imf_proposals all;
    struct imf_path path;
    struct imf_path_options ask = {.backends = HOSTS | DEVICES, .limit = INFINITY};
    CHECK(!imf_proposals_open(&all, c.chain, &d, false, NULL), "open");
    CHECK(!imf_path_find(&path, &all, &ask, NULL) && path.chosen && !path.on_device, "small");
    imf_path_clear(&path);
    ask.prefers_device = true;
    CHECK(!imf_path_find(&path, &all, &ask, NULL) && path.chosen && path.on_device &&
              path.chosen[0].place == IMF_PLACE_DEVICE && path.chosen[1].place == IMF_PLACE_DEVICE,
          "on the device");
    CHECK(path.ms < 1e6, "%g ms", path.ms);
    imf_path_clear(&path);
    ask.backends = VECTOR;
    CHECK(!imf_path_find(&path, &all, &ask, NULL) && path.chosen && !path.on_device &&
              path.chosen[0].backend == IMF_BACKEND_VECTOR,
          "vectors alone");
    imf_path_clear(&path);
    imf_proposals_close(&all);
    chain_drop(&c);
}

/* A path keeps to a limit by lower bands before another is taken: its solvers stay. */
static void test_bands_first(void) {
    static const char *const chains[] = {"blur:2",           "sobel",           "median:9",
                                         "blur:2+unsharp:2", "disk:12+gray",    "erode:30+invert",
                                         "guided:20:0.1",    "bilateral:3:0.1", "equalize+blur:1"};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        const struct imf_info info = chain_info(4000, 3000, 3, 8);
        struct chain_case c = chain_make(chains[i], &info, &plain);
        struct imf_proposals all;
        struct imf_path free, limited;
        struct imf_path_options ask = {
            .backends = HOSTS, .limit = INFINITY, .twice = IMF_TWICE_FREELY};
        CHECK(!imf_proposals_open(&all, c.chain, NULL, false, NULL), "open");
        CHECK(!imf_path_find(&free, &all, &ask, NULL) && free.chosen && !free.halved,
              "%s without a limit: %s", chains[i], free.why);
        ask.limit = free.bytes - 1;
        CHECK(!imf_path_find(&limited, &all, &ask, NULL) && limited.chosen, "%s under a limit: %s",
              chains[i], limited.why);
        bool same = limited.chosen && limited.halved > 0 && limited.bytes <= ask.limit &&
                    limited.over.ms == INFINITY;
        for (int k = 0; k < c.chain->count && same; k++)
            same = limited.chosen[k].solver == free.chosen[k].solver;
        CHECK(same, "%s takes another way: %g bytes of %g, halved %d times", chains[i],
              limited.bytes, ask.limit, limited.halved);
        imf_path_clear(&free);
        imf_path_clear(&limited);
        imf_proposals_close(&all);
        chain_drop(&c);
    }
}

int main(void) {
    test_least();
    test_limit();
    test_bands_first();
    test_preference();
    return check_done("test_cheapest_path");
}
