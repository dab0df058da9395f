/*
 * test_programs.c - threads that build and launch programs of one runtime at once, each with a queue
 *
 * All threads ask for each of a row of texts, in the same order or in orders of their own, run what
 * they get with arguments of every kind and check the numbers. Each text is built once, whoever came
 * first, and one that does not build is an error for each who asked for it.
 */
#include "check.h"
#include "device/opencl.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, BREAKERS = 2, TEXTS = 5, ROUNDS = 4, VALUES = 1000, GROUP = 10 };

static const char kernel_cl[] =
    "struct block { long a; int b; };\n"
    "__kernel void fill(__global const int *in, __global long *out, int i, long n, float f,\n"
    "                   struct block z)\n"
    "{\n"
    "    int x = get_global_id(0) + get_global_id(1) * get_global_size(0);\n"
    "    out[x] = FACTOR * in[x] + i + n + (long)f + z.a * z.b;\n"
    "}\n"
    "__kernel void twice(__global long *out) { out[get_global_id(0)] *= 2; }\n";

static atomic_int builds;

/* In the loader's place, to count. */
cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *data) {
    union {
        void *object;
        cl_int (*f)(cl_program, cl_uint, const cl_device_id *, const char *,
                    void(CL_CALLBACK *)(cl_program, void *), void *);
    } real = {dlsym(RTLD_NEXT, "clBuildProgram")};
    atomic_fetch_add(&builds, 1);
    return real.f(program, count, devices, options, notify, data);
}

struct worker {
    struct imf_runtime *rt;
    pthread_barrier_t *start;
    int number;
    int wrong, failed, unexpected; /* values, calls, broken texts that were built */
    struct imf_error err;
    pthread_t thread;
};

struct block {
    imf_long a;
    int32_t b;
};

static int32_t input(int x) {
    return x * 3 - 700;
}

static enum imf_status make(struct imf_program **out, struct imf_queue *queue, int text,
                            const char *entry, struct imf_error *err) {
    struct imf_defines d = {0};
    const struct imf_program_source source = {
        .file = "fft_chirp.cl", .defines = &d, .more = kernel_cl};
    imf_define(&d, "FACTOR", text < TEXTS ? "%d" : "broken %d", text + 1);
    enum imf_status st = imf_program_make(out, queue, &source, entry, err);
    imf_defines_free(&d);
    return st;
}

/* out = 2 * (FACTOR * in + 1 + 2^31 + 2 + 5 * 7) */
static enum imf_status run_text(struct worker *w, struct imf_queue *queue, int text,
                                struct imf_buffer *in, struct imf_buffer *out, int64_t *got) {
    const struct block block = {5, 7};
    const struct imf_grid plane = {VALUES / GROUP / 4, 4, GROUP};
    const struct imf_grid row = imf_grid_over(VALUES, 1, GROUP);
    struct imf_program *fill = NULL, *twice = NULL;
    enum imf_status st = make(&fill, queue, text, "fill", &w->err);
    if (!st)
        st = make(&twice, queue, text, "twice", &w->err);
    if (!st) {
        const struct imf_arg args[] = {imf_arg_buffer(in),  imf_arg_buffer(out),
                                       imf_arg_int(1),      imf_arg_size((size_t)1 << 31),
                                       imf_arg_float(2.5f), imf_arg_block(&block, sizeof block)};
        st = imf_program_launch(queue, fill, plane, args, &w->err);
    }
    if (!st) {
        const struct imf_arg args[] = {imf_arg_buffer(out)};
        st = imf_program_launch(queue, twice, row, args, &w->err);
    }
    if (!st)
        st = imf_buffer_download(queue, out, 0, got, VALUES * sizeof *got, &w->err);
    imf_program_free(&fill);
    imf_program_free(&twice);
    return st;
}

static void run_texts(struct worker *w, struct imf_queue *queue, struct imf_buffer *in,
                      struct imf_buffer *out) {
    int64_t got[VALUES];
    for (int i = 0; i < ROUNDS * TEXTS; i++) {
        /* Alike in even rounds, each in an order of its own in odd ones. */
        int text =
            i / TEXTS % 2 ? (i * (w->number % (TEXTS - 1) + 1) + w->number) % TEXTS : i % TEXTS;
        if (run_text(w, queue, text, in, out, got)) {
            w->failed++;
            continue;
        }
        for (int x = 0; x < VALUES; x++)
            w->wrong +=
                got[x] != 2 * ((text + 1) * (int64_t)input(x) + 1 + ((int64_t)1 << 31) + 2 + 5 * 7);
    }
    struct imf_program *broken;
    struct imf_error err;
    if (w->number < BREAKERS)
        w->unexpected += make(&broken, queue, TEXTS, "fill", &err) != IMF_ERR_DEVICE || broken;
}

static void *work(void *user) {
    struct worker *w = user;
    struct imf_queue *queue = NULL;
    struct imf_buffer *in = NULL, *out = NULL;
    int32_t values[VALUES];
    for (int x = 0; x < VALUES; x++)
        values[x] = input(x);
    bool ok = !imf_queue_open(&queue, w->rt, &w->err) &&
              !imf_buffer_table(&in, queue, values, sizeof values, &w->err) &&
              !imf_buffer_make(&out, queue, IMF_BUFFER_WORK, VALUES * sizeof(int64_t), &w->err);
    pthread_barrier_wait(w->start);
    if (ok)
        run_texts(w, queue, in, out);
    else
        w->failed++;
    imf_buffer_free(&in);
    imf_buffer_free(&out);
    imf_queue_close(&queue);
    return NULL;
}

static void test_threads(struct imf_runtime *rt) {
    static struct worker workers[THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.rt = rt, .start = &start, .number = i};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++) {
        struct worker *w = &workers[i];
        pthread_join(w->thread, NULL);
        CHECK(w->failed == 0, "thread %d: %d calls failed: %s", i, w->failed, w->err.text);
        CHECK(w->wrong == 0, "thread %d: %d values are wrong", i, w->wrong);
        CHECK(w->unexpected == 0, "thread %d: a broken text was built", i);
    }
    pthread_barrier_destroy(&start);
}

/* What does not build is tried twice by each who asks for it. */
static void test_builds(void) {
    int count = atomic_load(&builds);
    CHECK(count == TEXTS + 2 * BREAKERS, "%d builds of %d texts and a broken one", count, TEXTS);
}

/* Parts of buffers, and what lies outside of them. */
static void test_buffers(struct imf_queue *queue) {
    unsigned char bytes[256], got[256];
    struct imf_buffer *a = NULL, *b = NULL;
    struct imf_error err = {.text = ""};
    for (int i = 0; i < 256; i++)
        bytes[i] = (unsigned char)(i ^ 90);
    CHECK(!imf_buffer_make(&a, queue, IMF_BUFFER_MAPPED, 256, &err) &&
              !imf_buffer_table(&b, queue, bytes, 256, &err),
          "%s", err.text);
    CHECK(!imf_buffer_upload(queue, a, 0, bytes, 256, &err) &&
              !imf_buffer_clear(queue, a, 64, 32, &err) &&
              !imf_buffer_copy(queue, a, 8, b, 200, 16, &err) &&
              !imf_buffer_copy(queue, a, 128, a, 160, 32, &err),
          "%s", err.text);
    unsigned char *p = imf_buffer_map(queue, a, IMF_ACCESS_BOTH, 16, 100, &err);
    CHECK(p && p[0] == bytes[208] && p[48] == 0 && p[79] == 0 && p[80] == bytes[96], "mapped");
    if (p)
        p[84] = 3;
    CHECK(p && !imf_buffer_unmap(queue, a, p, &err), "%s", err.text);
    CHECK(!imf_buffer_download(queue, a, 1, got + 1, 254, &err), "%s", err.text);
    memmove(bytes + 128, bytes + 160, 32);
    memmove(bytes + 8, bytes + 200, 16);
    memset(bytes + 64, 0, 32);
    bytes[100] = 3;
    CHECK(memcmp(got + 1, bytes + 1, 254) == 0, "the bytes");
    CHECK(imf_buffer_download(queue, a, 250, got, 10, &err) == IMF_ERR_DEVICE, "beyond its end");
    imf_buffer_free(&a);
    imf_buffer_free(&b);
    CHECK(!imf_buffer_table(&a, queue, bytes, 0, &err) && a, "an empty table: %s", err.text);
    imf_buffer_free(&a);
    imf_buffer_free(&a);
}

int main(void) {
    struct imf_context_options options = {0};
    struct imf_runtime *rt = NULL;
    struct imf_queue *queue = NULL;
    struct imf_error err;
    if (imf_runtime_open(&rt, &options, NULL, &err) || imf_queue_open(&queue, rt, &err)) {
        printf("programs: skipped: %s\n", err.text);
    } else {
        test_threads(rt);
        test_builds();
        test_buffers(queue);
    }
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
    return check_done("programs");
}
