/* test_verify.c - --verify fails on wrong pixels: how far from the result, and how near a tie */
#include "chain_util.h"
#include "run/pipeline/verify.h"

#include <string.h>

#define WIDTH 5

struct verify_case {
    const char *spec;
    int depth;
    double input; /* of every sample */
    int output;   /* of the middle one; the others are the reference's */
    bool ok;
};

static const struct verify_case cases[] = {
    /* Integers: nothing else will do. */
    {"kernel:1", 8, 100, 100, true},
    {"kernel:1", 8, 100, 101, false},
    {"kernel:1", 16, 1000, 1001, false},
    {"kernel:1:scale=2", 8, 5, 3, false}, /* a tie, to even */
    /* 100.45: far from a tie. */
    {"kernel:1.0045", 8, 100, 100, true},
    {"kernel:1.0045", 8, 100, 101, false},
    {"kernel:1.0045", 8, 100, 99, false},
    /* 100.6, then on the wrong side of the tie by 1/32 and a little more or less. */
    {"kernel:1.006", 8, 100, 101, true},
    {"kernel:1.006", 8, 100, 100, false},
    {"kernel:1.005314", 8, 100, 100, false},
    {"kernel:1.005311", 8, 100, 100, true},
    {"kernel:1.004689", 8, 100, 101, true},
    {"kernel:1.004686", 8, 100, 101, false},
    /* By two samples, however near. */
    {"kernel:1.005009", 8, 100, 99, false},
    {"kernel:1.005009", 8, 100, 102, false},
    /* 16 bits: by one anywhere, by two nowhere. */
    {"kernel:1.0001", 16, 1000, 1001, true},
    {"kernel:1.0001", 16, 1000, 999, true},
    {"kernel:1.0001", 16, 1000, 1002, false},
    {"kernel:1.0001", 16, 1000, 998, false},
    /* By two after a gain of more than 8. */
    {"kernel:8.2", 16, 1000, 8202, true},
    {"kernel:8.2", 16, 1000, 8203, false},
    /* What saturates is compared as it saturates. */
    {"kernel:3.3", 8, 100, 255, true},
    {"kernel:3.3", 8, 100, 254, false},
};

static struct imf_surface surface(enum imf_sample sample) {
    struct imf_surface s;
    struct imf_margin none = {0, 0, 0, 0};
    if (imf_surface_layout(&s, sample, WIDTH, 1, 1, none, NULL) || imf_surface_alloc(&s, NULL))
        abort();
    return s;
}

static void put(const struct imf_surface *s, int x, int v) {
    if (s->sample == IMF_U8)
        ((uint8_t *)imf_surface_row(s, 0))[x] = (uint8_t)v;
    else
        ((uint16_t *)imf_surface_row(s, 0))[x] = (uint16_t)v;
}

static void check_case(const struct verify_case *k) {
    const char *const specs[] = {k->spec, NULL};
    const struct imf_info info = {
        .width = WIDTH, .height = 1, .channels = 1, .depth = k->depth, .color = IMF_COLOR_GRAY};
    const struct imf_settings settings = {0};
    struct chain_case c = chain_make(specs, &info, &settings);
    struct imf_surface in = surface(c.chain->in), out = surface(c.chain->out);
    const struct imf_rows image = {.at = imf_surface_row(&in, 0), .count = 1};
    const struct imf_rows result = {.at = imf_surface_row(&out, 0), .count = 1};
    struct imf_report first = {0}, r = {0};
    for (int x = 0; x < WIDTH; x++)
        put(&in, x, (int)k->input);
    /* All wrong: what verify says of them tells nothing about the reference, only that it looks. */
    for (int x = 0; x < WIDTH; x++)
        put(&out, x, 0);
    CHECK(!imf_verify(c.chain, &image, &result, &first, NULL), "%s", k->spec);
    CHECK(first.verified && !first.verify_ok && first.verify_differing == WIDTH &&
              first.verify_samples == WIDTH && first.verify_max >= k->input / 3,
          "%s: %llu of %llu differ", k->spec, (unsigned long long)first.verify_differing,
          (unsigned long long)first.verify_samples);
    int right = (int)first.verify_max;
    for (int x = 0; x < WIDTH; x++)
        put(&out, x, x == WIDTH / 2 ? k->output : right);
    CHECK(!imf_verify(c.chain, &image, &result, &r, NULL), "%s", k->spec);
    CHECK(r.verify_ok == k->ok && r.verify_unexcused == (k->ok ? 0 : 1),
          "%s of %g, %d bits: %d is %s, %llu of them unexcused", k->spec, k->input, k->depth,
          k->output, r.verify_ok ? "ok" : "wrong", (unsigned long long)r.verify_unexcused);
    CHECK(r.verify_differing == (k->output != right), "%s: %llu differ", k->spec,
          (unsigned long long)r.verify_differing);
    imf_surface_free(&in);
    imf_surface_free(&out);
    chain_drop(&c);
}

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
    return check_done("test_verify");
}
