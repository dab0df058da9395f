/* test_factors.c - kernels taken apart by the host give the reference's sums */
#include "chain_util.h"
#include "run/executor/exec.h"

#include <math.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003) */
static uint8_t byte(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint8_t)(state >> 32);
}

/* The response, in doubles that the caller frees. */
static double *response(const struct imf_chain *c, const uint8_t *pixels, size_t row) {
    struct imf_exec *x = NULL;
    CHECK(!imf_exec_make_host(&x, c, IMF_F64, NULL), "an executor");
    const struct imf_surface *s = imf_exec_map_input(x, NULL);
    for (int y = 0; y < c->height; y++)
        memcpy(imf_surface_row(s, y), pixels + (size_t)y * row, row);
    CHECK(!imf_exec_run(x, NULL), "a run");
    double *values = malloc(row * (size_t)c->height * sizeof *values);
    if (!values)
        abort();
    s = imf_exec_map_output(x, NULL);
    for (int y = 0; y < c->height; y++)
        memcpy(values + (size_t)y * row, imf_surface_row(s, y), row * sizeof *values);
    imf_exec_free(&x);
    return values;
}

static void check(const char *spec, int width, int height, int channels, enum imf_edge edge) {
    const char *const specs[] = {spec, NULL};
    const struct imf_info info = {.width = width,
                                  .height = height,
                                  .channels = channels,
                                  .depth = 8,
                                  .color = channels == 3 ? IMF_COLOR_RGB : IMF_COLOR_GRAY};
    const struct imf_settings settings = {.edge = edge, .edge_value = 0.7};
    struct chain_case c = chain_make(specs, &info, &settings);
    size_t row = (size_t)width * (size_t)channels, n = row * (size_t)height;
    uint8_t *pixels = malloc(n);
    if (!pixels)
        abort();
    for (size_t i = 0; i < n; i++)
        pixels[i] = byte();
    double *want = response(c.chain, pixels, row);
    for (int i = 0; i < c.chain->count; i++)
        c.chain->passes[i].problem.factors = true;
    double *got = response(c.chain, pixels, row), worst = 0;
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(got[i] - want[i]));
    CHECK(worst < 1e-10, "%s on %dx%dx%d, edge %d: off by %g", spec, width, height, channels,
          (int)edge, worst);
    free(want);
    free(got);
    free(pixels);
    chain_drop(&c);
}

int main(void) {
    /* One product, two, three; none; integers; long and thin ones; a scale and a bias. */
    static const char *const specs[] = {"blur:2",
                                        "log:2",
                                        "dog:1:2",
                                        "disk:3",
                                        "box:5",
                                        "kernel:1,2,3/2,4,6:scale=7:bias=0.25",
                                        "kernel:0,0,0/0,2,0/0,0,1",
                                        "kernel:1/2/3/4",
                                        "motion:9:30"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int edge = IMF_EDGE_CLAMP; edge <= IMF_EDGE_CONSTANT; edge++) {
            check(specs[i], 23, 17, 1, (enum imf_edge)edge);
            check(specs[i], 3, 29, 3, (enum imf_edge)edge);
        }
    return check_done("test_factors");
}
