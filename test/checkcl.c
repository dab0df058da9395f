/*
 * checkcl.c - every solver and variant against the reference; with --bench, times the same variants
 */
#include "checkcl.h"

#include "device/open/context.h"
#include "device/opencl.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void tell(const char *how, const char *format, va_list args) {
    printf("%s ", how);
    vprintf(format, args);
    putchar('\n');
    fflush(stdout);
}

void checkcl_result(struct checkcl *c, bool ok, const char *format, ...) {
    va_list args;
    va_start(args, format);
    *(ok ? &c->passed : &c->failed) += 1;
    if (!ok || c->verbose)
        tell(ok ? "ok" : "not ok", format, args);
    va_end(args);
}

void checkcl_skip(struct checkcl *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    c->skipped++;
    if (c->verbose)
        tell("--", format, args);
    va_end(args);
}

void checkcl_refused(struct checkcl *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    *(c->lacking ? &c->skipped : &c->failed) += 1;
    if (!c->lacking || c->verbose)
        tell(c->lacking ? "--" : "not ok", format, args);
    va_end(args);
}

uint64_t checkcl_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* What is run, in this order. */
enum needs { A_HOST, A_DEVICE, VARIANTS /* a device; each case has a name */, HOST_VARIANTS };
static const struct group {
    const char *name, *part;
    void (*check)(struct checkcl *c);
    enum needs needs;
} groups[] = {{"edges", "spatial", checkcl_edges, A_HOST},
              {"reference", "spatial", checkcl_reference, A_HOST},
              {"solvers", "spatial", checkcl_spatial, VARIANTS},
              {"windows", "spatial", checkcl_windows, VARIANTS},
              {"filters", "spatial", checkcl_filters, VARIANTS},
              {"gles", "gles", checkcl_gles, HOST_VARIANTS},
              {"solvers", "transforms", checkcl_fft, VARIANTS},
              {"exact", "transforms", checkcl_exact, A_DEVICE},
              {"spectral_filter", "transforms", checkcl_spectral_filter, VARIANTS},
              {"chains", "chains", checkcl_chains, A_DEVICE},
              {"bands", "chains", checkcl_bands, A_DEVICE}};

static void check(struct checkcl *c, const struct group *g, const char *part) {
    const char *only = c->only;
    bool variants = g->needs == VARIANTS || g->needs == HOST_VARIANTS;
    bool host = g->needs == A_HOST || g->needs == HOST_VARIANTS;
    if ((part && strcmp(part, g->part) != 0) || (!host && !c->queue) || (c->bench && !variants) ||
        (c->tiny && (g->check == checkcl_exact || g->check == checkcl_gles)))
        return;
    if (!variants) {
        if (!checkcl_wanted(c, g->name))
            return;
        c->only = NULL;
    }
    g->check(c);
    c->only = only;
}

static const char help[] =
    "checkcl [OPTION]...: every solver and variant against the reference\n"
    "  --part=NAME      spatial, gles, transforms or chains only\n"
    "  --only=PATTERN   cases whose name, or its beginning up to a '/', matches: edges, "
    "reference,\n"
    "                   exact, chains, bands, or SOLVER/WxH/TAPS/IN-OUT/CHANNELS, as in "
    "'direct/5x5',\n"
    "                   '*/rank1-real/u8-u8', 'spectral_filter/notch-*'\n"
    "  --bench[=WxH]    time each variant once it is right, on an image of that size (2000x1500):\n"
    "                   its name, milliseconds, nanoseconds a sample (a median), and how;\n"
    "                   solvers for GPUs on a GPU, or where --only asks for them\n"
    "  --quick          a diagonal of the matrix of cases: few programs, each on every shape\n"
    "  --full           more draws from it\n"
    "  --oclgrind       a handful of small cases\n"
    "  --device=WHICH   auto, cpu, gpu, an index or part of a name\n"
    "  --host           no device\n"
    "  --verbose        also print what passes and what does not apply\n";

static void choose_device(struct imf_context_options *options, const char *text) {
    char *end;
    long index = strtol(text, &end, 10);
    options->name = text;
    options->index = (int)index;
    options->device = end > text && !*end     ? IMF_DEVICE_INDEX
                      : !strcmp(text, "auto") ? IMF_DEVICE_AUTO
                      : !strcmp(text, "cpu")  ? IMF_DEVICE_CPU
                      : !strcmp(text, "gpu")  ? IMF_DEVICE_GPU
                                              : IMF_DEVICE_NAME;
}

static bool parse(struct checkcl *c, struct imf_context_options *options, const char **part,
                  bool *host, const char *arg) {
    static const char *const parts[] = {"spatial", "gles", "transforms", "chains"};
    int end = 0;
    if (!strcmp(arg, "--quick"))
        c->quick = true;
    else if (!strcmp(arg, "--full"))
        c->full = true;
    else if (!strcmp(arg, "--oclgrind"))
        c->quick = c->tiny = true;
    else if (!strcmp(arg, "--host"))
        *host = true;
    else if (!strncmp(arg, "--device=", 9))
        choose_device(options, arg + 9);
    else if (!strcmp(arg, "--verbose"))
        c->verbose = true;
    else if (!strncmp(arg, "--only=", 7))
        c->only = arg + 7;
    else if (!strncmp(arg, "--part=", 7)) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (!strcmp(arg + 7, parts[i]))
                *part = parts[i];
        return *part;
    } else if (!strncmp(arg, "--bench", 7)) {
        c->bench = true;
        c->bench_width = 2000;
        c->bench_height = 1500;
        if (arg[7])
            return sscanf(arg, "--bench=%5dx%5d%n", &c->bench_width, &c->bench_height, &end) == 2 &&
                   !arg[end] && c->bench_width > 0 && c->bench_height > 0;
    } else
        return false;
    return true;
}

int main(int argc, char **argv) {
    struct checkcl c = {0};
    const char *part = NULL;
    bool host = false;
    struct imf_context_options options = {0};
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help")) {
            fputs(help, stdout);
            return 0;
        } else if (!parse(&c, &options, &part, &host, argv[i])) {
            fprintf(stderr, "checkcl: %s: no such option (--help lists them)\n", argv[i]);
            return 2;
        }
    struct imf_error err;
    if (imf_context_create(&c.ctx, &options, &err)) {
        fprintf(stderr, "checkcl: %s\n", err.text);
        return 1;
    }
    if (!host) {
        /* A cache of its own would hide what a compiler does with today's source. */
        if (imf_runtime_open(&c.rt, &options, NULL, &err) || imf_queue_open(&c.queue, c.rt, &err)) {
            fprintf(stderr, "checkcl: %s\n", err.text);
            return 1;
        }
        const struct imf_device *d = imf_queue_device(c.queue);
        c.lacking = !d->fp64 || d->max_group < IMF_GPU_GROUP || d->local_memory < IMF_GPU_LOCAL;
        printf("checkcl on %s\n", d->name);
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        check(&c, &groups[i], part);
    if (c.only && !c.met)
        fprintf(stderr, "checkcl: no case matches --only=%s\n", c.only);
    struct imf_runtime *shared = NULL; /* of the public interface */
    if (!host && !imf_context_runtime(c.ctx, &shared, NULL)) {
        printf("checkcl compiled %u programs\n", c.rt->compiled + shared->compiled);
        if (c.rt->refused + shared->refused > 0) {
            printf("not ok: %u of them call what cl/parts/builtins.cl does not declare\n",
                   c.rt->refused + shared->refused);
            c.failed++;
        }
    }
    printf("checkcl: %lu passed, %lu failed, %lu not applicable\n", c.passed, c.failed, c.skipped);
    for (size_t i = 0; i < c.timed_count; i++)
        free(c.timed[i]);
    free(c.timed);
    imf_queue_close(&c.queue);
    imf_runtime_close(&c.rt);
    imf_context_free(&c.ctx);
    return c.failed != 0 || (c.only && !c.met);
}
