/* test_verify.c - --verify fails on wrong pixels: how far from the result, and how near a tie */
#include "chain_util.h"
#include "noise.h"
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
    const struct imf_info info = {
        .width = WIDTH, .height = 1, .channels = 1, .depth = k->depth, .color = IMF_COLOR_GRAY};
    const struct imf_settings settings = {0};
    struct chain_case c = chain_make(k->spec, &info, &settings);
    struct imf_surface in = surface(c.chain->in), out = surface(c.chain->out);
    const struct imf_rows image = {.at = imf_surface_row(&in, 0), .count = 1};
    const struct imf_rows result = {.at = imf_surface_row(&out, 0), .count = 1};
    struct imf_report first = {0}, r = {0};
    for (int x = 0; x < WIDTH; x++)
        put(&in, x, (int)k->input);
    /* All wrong: what verify says of them tells nothing about the reference, only that it looks. */
    for (int x = 0; x < WIDTH; x++)
        put(&out, x, 0);
    CHECK(!imf_verify(c.chain, &image, &result, NULL, &first, NULL), "%s", k->spec);
    CHECK(first.verified && !first.verify_ok && first.verify_differing == WIDTH &&
              first.verify_samples == WIDTH && first.verify_max >= k->input / 3,
          "%s: %llu of %llu differ", k->spec, (unsigned long long)first.verify_differing,
          (unsigned long long)first.verify_samples);
    int right = (int)first.verify_max;
    for (int x = 0; x < WIDTH; x++)
        put(&out, x, x == WIDTH / 2 ? k->output : right);
    CHECK(!imf_verify(c.chain, &image, &result, NULL, &r, NULL), "%s", k->spec);
    CHECK(r.verify_ok == k->ok && r.verify_unexcused == (k->ok ? 0 : 1),
          "%s of %g, %d bits: %d is %s, %llu of them unexcused", k->spec, k->input, k->depth,
          k->output, r.verify_ok ? "ok" : "wrong", (unsigned long long)r.verify_unexcused);
    CHECK(r.verify_differing == (k->output != right), "%s: %llu differ", k->spec,
          (unsigned long long)r.verify_differing);
    imf_surface_free(&in);
    imf_surface_free(&out);
    chain_drop(&c);
}

/* ---- decisions ------------------------------------------------------------------------------- */

enum { SIDE = 40 };

/* A chain is verified with the result of another one, whose first stage is a little off. */
struct decision {
    const char *first, *off, *then;
    int touched; /* added to a sample of the result */
    bool ok;
};

/* A sum of 402 becomes 100.490, 100.425 or 100.508: the first and the last lie within 1/32 of each other
 * and of the tie. */
#define RIGHT "kernel:1,2,1:scale=4.0004"
#define FAR "kernel:1,2,1:scale=4.003"
#define OFF "kernel:1,2,1:scale=3.9997"

static const struct decision decisions[] = {
    {RIGHT, OFF, "equalize", 0, true},
    {RIGHT, OFF, "equalize", 1, false},
    {FAR, OFF, "equalize", 0, false},
    {RIGHT, OFF, "clahe:tiles=2x2", 0, true},
    {RIGHT, OFF, "clahe:tiles=2x2", -1, false},
    {RIGHT, OFF, "equalize+kernel:0.77", 0, true},
    {RIGHT, OFF, "equalize+kernel:0.77", 1, false},
    {RIGHT, OFF, "threshold:local:2:0.004", 0, true},
    {FAR, OFF, "threshold:local:2:0.004", 0, false},
    /* It reads sixteenths of a level. */
    {"kernel:1,2,1:scale=4.0704", "kernel:1,2,1:scale=4.0697", "canny:0.02:0.03:sigma=0", 0, true},
    {"kernel:1,2,1:scale=4.0704", "kernel:1,2,1:scale=4.0697", "canny:0.02:0.03:sigma=0", 255,
     false},
    {"kernel:1,2,1:scale=4.073", "kernel:1,2,1:scale=4.0697", "canny:0.02:0.03:sigma=0", 0, false},
    /* At 100.495. */
    {RIGHT, OFF, "threshold:0.3941", 0, true},
    {RIGHT, OFF, "threshold:0.3941", 17, false},
    {FAR, OFF, "threshold:0.3941", 0, false},
    {RIGHT, OFF, "threshold:0.3941+dilate:1", 0, true},
    {RIGHT, OFF, "threshold:0.3941+dilate:1", 1, false},
    {RIGHT, OFF, "threshold:0.3941+blend:multiply:0.5", 0, true},
    {FAR, OFF, "threshold:0.3941+blend:multiply:0.5", 0, false},
    {RIGHT, OFF, "blend:darken+threshold:0.3941", 0, true},
    {FAR, OFF, "blend:darken+threshold:0.3941", 0, false},
};
/* Of 16 bits, of which a step is 1/257 of what is compared. */
static const struct decision deep[] = {
    {"kernel:1,2,1:scale=4.0002", OFF, "blend:darken+threshold:0.3941", 0, true},
    {FAR, OFF, "blend:darken+threshold:0.3941", 0, false},
};

static enum imf_status make_first(void *data, const struct imf_chain *first, struct imf_exec **out,
                                  struct imf_error *err) {
    static struct imf_chain made; /* which the executor borrows */
    made = *(const struct imf_chain *)data;
    made.count = first->count;
    made.out = first->out;
    made.channels_out = first->channels_out;
    return imf_exec_make_host(out, &made, made.out, err);
}

static void check_decision(const struct decision *k, int depth, bool float64) {
    char right[99], off[99];
    snprintf(right, sizeof right, "%s+%s", k->first, k->then);
    snprintf(off, sizeof off, "%s+%s", k->off, k->then);
    const struct imf_info info = chain_info(SIDE, SIDE, 1, 8);
    const struct imf_settings settings = {.depth = depth};
    struct chain_case a = chain_make(right, &info, &settings);
    struct chain_case b = chain_make(off, &info, &settings);
    const struct imf_witness witness = {make_first, b.chain, float64};
    struct imf_exec *exec = NULL;
    struct imf_report r = {0};
    struct imf_rows result;
    uint8_t pixels[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (uint8_t)(90 + noise() % 21);
    const struct imf_rows image = {(char *)pixels, SIDE, 0, SIDE};
    bool made = !imf_exec_make_host(&exec, b.chain, b.chain->out, NULL) &&
                !imf_exec_filter(exec, &image, &result, NULL);
    CHECK(made, "%s", k->off);
    if (!made)
        return;
    ((uint8_t *)result.at)[0] = (uint8_t)(((uint8_t *)result.at)[0] + k->touched);
    CHECK(!imf_verify(a.chain, &image, &result, &witness, &r, NULL), "%s", k->then);
    CHECK(r.verify_ok == k->ok && r.verify_differing > 0 && r.verify_max > 0,
          "%s of %s by %s, %d: %llu differ, %llu of them unexcused", k->then, k->first, k->off,
          k->touched, (unsigned long long)r.verify_differing,
          (unsigned long long)r.verify_unexcused);
    CHECK(!k->touched || r.verify_unexcused == 1, "%s: %llu", k->then,
          (unsigned long long)r.verify_unexcused);
    imf_exec_free(&exec);
    chain_drop(&a);
    chain_drop(&b);
}

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
    for (int float64 = 0; float64 < 2; float64++) {
        for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++)
            check_decision(&decisions[i], 8, float64);
        for (size_t i = 0; i < sizeof deep / sizeof *deep; i++)
            check_decision(&deep[i], 16, float64);
    }
    return check_done("test_verify");
}
