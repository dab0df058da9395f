/*
 * checkcl.c - every solver and variant against the reference; with --bench, times the same calls
 *
 *   checkcl [--full | --quick | --oclgrind | --host] [--solver=NAME | --part=NAME]
 *           [--verbose] [--bench[=WxH]]
 */
#include "checkcl.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void checkcl_result(struct checkcl *c, bool ok, const char *format, ...) {
    if (ok)
        c->passed++;
    else
        c->failed++;
    if (ok && !c->verbose)
        return;
    va_list args;
    va_start(args, format);
    printf("%s ", ok ? "ok" : "not ok");
    vprintf(format, args);
    putchar('\n');
    fflush(stdout);
    va_end(args);
}

uint64_t checkcl_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

bool checkcl_part(const struct checkcl *c, const char *name) {
    return !c->part || !strcmp(c->part, name);
}

static int usage(const char *arg) {
    fprintf(stderr, "checkcl: %s: unknown option\n", arg);
    return 2;
}

int main(int argc, char **argv) {
    struct checkcl c = {0};
    bool host = false, bench = false;
    int width = 4000, height = 3000;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strcmp(a, "--quick"))
            c.quick = true;
        else if (!strcmp(a, "--full"))
            c.full = true;
        else if (!strcmp(a, "--oclgrind"))
            c.quick = c.tiny = true;
        else if (!strcmp(a, "--host"))
            host = true;
        else if (!strcmp(a, "--verbose"))
            c.verbose = true;
        else if (!strncmp(a, "--solver=", 9))
            c.only = a + 9;
        else if (!strcmp(a, "--part=spatial") || !strcmp(a, "--part=transforms") ||
                 !strcmp(a, "--part=chains"))
            c.part = a + 7;
        else if (!strcmp(a, "--bench") || sscanf(a, "--bench=%dx%d", &width, &height) == 2)
            bench = true;
        else
            return usage(a);
    }
    struct imf_context_options options = {0};
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
        printf("checkcl on %s\n", imf_queue_device(c.queue)->name);
    }
    if (bench && c.queue) {
        checkcl_bench(&c, width, height);
    } else {
        if (!c.only && checkcl_part(&c, "spatial")) {
            checkcl_edges(&c);
            checkcl_reference(&c);
        }
        bool transforms = c.queue && checkcl_part(&c, "transforms");
        if (c.queue)
            checkcl_solvers(&c);
        if (transforms && !c.tiny && (!c.only || !strcmp(c.only, "exact")))
            checkcl_exact(&c);
        if (transforms && (!c.only || !strcmp(c.only, "transfer")))
            checkcl_transfers(&c);
        if (c.queue && !c.only && checkcl_part(&c, "chains")) {
            checkcl_chains(&c);
            checkcl_bands(&c);
        }
        printf("checkcl: %lu passed, %lu failed\n", c.passed, c.failed);
    }
    imf_queue_close(&c.queue);
    imf_runtime_close(&c.rt);
    imf_context_free(&c.ctx);
    return c.failed != 0;
}
