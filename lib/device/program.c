/*
 * program.c - programs: found, built and launched
 * The key of a build is the hash of all its inputs. It is searched in memory, then on disk as a device
 * binary, else built from its text. New builds are stored when the runtime is closed: a driver such
 * as PoCL compiles a kernel at its first launch, and only a later binary contains the machine code.
 */
#include "device/opencl.h"
#include "device/tuning.h"

#include "base/embed.h"

#include <stdlib.h>
#include <string.h>

#define PARTS 9 /* of a text, at most */

struct imf_build {
    struct imf_cache_key key;
    cl_program handle;
    bool ready;   /* false: a thread is building it */
    bool fresh;   /* built from text in this run */
    bool refused; /* it built only without parts/builtins.cl */
    struct imf_build *next;
};

struct imf_program {
    cl_kernel handle;
};

/* ---- texts -------------------------------------------------------------------------------- */

/* What the compiler is given, piece by piece. */
struct text {
    const char *piece[2 + 2 * (PARTS + 1)];
    char line[PARTS + 1][64]; /* "#line" of each file */
    cl_uint count;
};

static enum imf_status add_file(struct text *t, const char *folder, const char *name,
                                struct imf_error *err) {
    size_t files = t->count / 2;
    for (const struct imf_embedded *e = imf_embedded_cl; e->name; e++) {
        if (files > PARTS || strcmp(e->name, name) != 0)
            continue;
        snprintf(t->line[files], sizeof t->line[files], "\n#line 1 \"cl/%s%s\"\n", folder, name);
        t->piece[t->count++] = t->line[files];
        t->piece[t->count++] = e->text;
        return IMF_OK;
    }
    return imf_fail(err, IMF_ERR_ARGUMENT, "there is no program %s in the library", name);
}

static enum imf_status collect(struct text *t, const struct imf_runtime *rt,
                               const struct imf_program_source *source, struct imf_error *err) {
    const struct imf_defines *d = source->defines;
    if (d && d->failed)
        return imf_fail_memory(err, d->capacity);
    t->count = 0;
    enum imf_status st = rt->own_builtins ? add_file(t, "parts/", "builtins.cl", err) : IMF_OK;
    t->piece[t->count++] = d && d->text ? d->text : "";
    for (const char *const *part = source->parts; part && *part && !st; part++)
        st = add_file(t, "parts/", *part, err);
    if (!st)
        st = add_file(t, "", source->file, err);
    if (!st && source->more)
        t->piece[t->count++] = source->more;
    return st;
}

/* ---- builds ------------------------------------------------------------------------------- */

/* Fails with the first line of the build log that is an error, or else its first line. */
static enum imf_status build_failed(struct imf_runtime *rt, cl_program program, cl_int code,
                                    const char *file, struct imf_error *err) {
    char *log = NULL;
    size_t size = 0;
    clGetProgramBuildInfo(program, rt->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    if (size > 0 && (log = calloc(size + 1, 1)))
        clGetProgramBuildInfo(program, rt->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    const char *line = log ? strstr(log, "error:") : NULL;
    while (line && line > log && line[-1] != '\n')
        line--;
    if (!line)
        line = log ? log + strspn(log, "\r\n \t") : "";
    char what[400];
    snprintf(what, sizeof what, "%s does not build on %s: %.*s", file, rt->device.name,
             (int)strcspn(line, "\r\n"), line);
    free(log);
    return imf_cl_fail(err, code, what);
}

static cl_int compile(const struct imf_runtime *rt, cl_program program, bool own_builtins) {
    const char *options =
        own_builtins ? IMF_CL_BUILD_OPTIONS IMF_CL_OWN_BUILTINS : IMF_CL_BUILD_OPTIONS;
    return clBuildProgram(program, 1, &rt->id, options, NULL, NULL);
}

/* A program from the cache's binary, ready to use, or NULL. */
static cl_program load(const struct imf_runtime *rt, const struct imf_cache_key *key) {
    size_t size;
    unsigned char *data = imf_cache_load(rt->cache_dir, key, &size);
    if (!data)
        return NULL;
    cl_int code, binary = CL_INVALID_BINARY;
    const unsigned char *const_data = data;
    cl_program program =
        clCreateProgramWithBinary(rt->context, 1, &rt->id, &size, &const_data, &binary, &code);
    if (code == CL_SUCCESS && binary == CL_SUCCESS)
        code = compile(rt, program, rt->own_builtins);
    else if (code == CL_SUCCESS)
        code = binary;
    free(data);
    if (code != CL_SUCCESS && program) {
        clReleaseProgram(program);
        program = NULL;
    }
    return program;
}

/* own_builtins: with parts/builtins.cl where the text begins with it; or without. */
static enum imf_status build(struct imf_runtime *rt, const struct text *t, const char *file,
                             bool own_builtins, cl_program *out, struct imf_error *err) {
    cl_int code;
    cl_uint skipped = rt->own_builtins && !own_builtins ? 2 : 0;
    cl_program program = clCreateProgramWithSource(rt->context, t->count - skipped,
                                                   (const char **)t->piece + skipped, NULL, &code);
    if (code != CL_SUCCESS)
        return imf_cl_fail(err, code, "cannot make a program");
    code = compile(rt, program, own_builtins);
    if (code != CL_SUCCESS) {
        enum imf_status status = build_failed(rt, program, code, file, err);
        clReleaseProgram(program);
        return status;
    }
    *out = program;
    return IMF_OK;
}

static enum imf_status refuse_to_compile(double spare, struct imf_error *err) {
    char need[IMF_BYTES_TEXT], left[IMF_BYTES_TEXT];
    return imf_fail(
        err, IMF_ERR_LIMIT,
        "compiling an OpenCL kernel takes %s, and %s are left of the limit (raise it with "
        "--max-memory)",
        imf_bytes_text(need, IMF_COMPILE_BYTES), imf_bytes_text(left, spare > 0 ? spare : 0));
}

/*
 * Load or build b. A lock lets one process at a time build a program: PoCL removes and rewrites the
 * entry of its own cache that another process has just written, and a third process, which finds
 * nothing to remove, fails with CL_BUILD_PROGRAM_FAILURE. Without a lock a second try succeeds. It
 * omits parts/builtins.cl, with which another version of PoCL might not build.
 */
static enum imf_status obtain(struct imf_runtime *rt, struct imf_build *b, const struct text *t,
                              const char *file, double spare, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    int lock = imf_cache_lock(rt->cache_dir, &b->key);
    b->handle = load(rt, &b->key);
    if (!b->handle && spare < IMF_COMPILE_BYTES) {
        status = refuse_to_compile(spare, err);
    } else if (!b->handle) {
        b->fresh = true;
        status = build(rt, t, file, rt->own_builtins, &b->handle, err);
        if (status != IMF_OK) {
            status = build(rt, t, file, false, &b->handle, err);
            b->refused = rt->own_builtins && status == IMF_OK;
        }
    }
    imf_cache_unlock(lock);
    return status;
}

/* With the lock held: this key's build, after waiting for a thread that builds it; NULL: none. */
static struct imf_build *find(struct imf_runtime *rt, const struct imf_cache_key *key) {
    struct imf_build *b = rt->builds;
    while (b) {
        if (memcmp(&b->key, key, sizeof *key) != 0) {
            b = b->next;
        } else if (!b->ready) {
            pthread_cond_wait(&rt->built, &rt->lock);
            b = rt->builds; /* it may have been given up */
        } else {
            return b;
        }
    }
    return NULL;
}

/* With the lock held: remove a build that failed. */
static void give_up(struct imf_runtime *rt, struct imf_build *b) {
    struct imf_build **at = &rt->builds;
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    free(b);
}

/* From memory, from disk or built; loading and building are done without the lock. */
static enum imf_status find_or_obtain(struct imf_runtime *rt, const struct text *t,
                                      const char *file, double spare, cl_program *out,
                                      struct imf_error *err) {
    enum imf_status status = IMF_OK;
    struct imf_cache_key key = rt->base;
    for (cl_uint i = 0; i < t->count; i++)
        imf_cache_key_add(&key, t->piece[i]);
    pthread_mutex_lock(&rt->lock);
    struct imf_build *b = find(rt, &key);
    if (!b && !(b = calloc(1, sizeof *b))) {
        status = imf_fail_memory(err, sizeof *b);
    } else if (!b->ready) {
        b->key = key;
        b->next = rt->builds;
        rt->builds = b;
        pthread_mutex_unlock(&rt->lock);
        status = obtain(rt, b, t, file, spare, err);
        pthread_mutex_lock(&rt->lock);
        b->ready = true;
        rt->compiled += b->fresh;
        rt->refused += b->refused;
        if (status)
            give_up(rt, b);
        pthread_cond_broadcast(&rt->built);
    }
    if (!status)
        *out = b->handle;
    pthread_mutex_unlock(&rt->lock);
    return status;
}

/* A program has one device here, so the arrays of the API are single values. */
static void store(const struct imf_runtime *rt, const struct imf_build *b) {
    size_t size = 0;
    if (clGetProgramInfo(b->handle, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    unsigned char *data = malloc(size);
    if (data &&
        clGetProgramInfo(b->handle, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) == CL_SUCCESS)
        imf_cache_store(rt->cache_dir, &b->key, data, size);
    free(data);
}

void imf_builds_free(struct imf_runtime *rt) {
    for (struct imf_build *b = rt->builds, *next; b; b = next) {
        next = b->next;
        if (b->fresh && rt->cache_dir)
            store(rt, b);
        clReleaseProgram(b->handle);
        free(b);
    }
    rt->builds = NULL;
}

/* ---- programs ----------------------------------------------------------------------------- */

enum imf_status imf_program_make(struct imf_program **out, struct imf_queue *queue,
                                 const struct imf_program_source *source, const char *entry,
                                 struct imf_error *err) {
    struct text text;
    cl_program built = NULL;
    *out = NULL;
    enum imf_status status = collect(&text, queue->rt, source, err);
    if (!status)
        status = find_or_obtain(queue->rt, &text, source->file, queue->spare, &built, err);
    if (status)
        return status;
    struct imf_program *p = calloc(1, sizeof *p);
    if (!p)
        return imf_fail_memory(err, sizeof *p);
    cl_int code;
    p->handle = clCreateKernel(built, entry, &code);
    if (code != CL_SUCCESS) {
        free(p);
        return imf_cl_fail(err, code, entry);
    }
    *out = p;
    return IMF_OK;
}

void imf_program_free(struct imf_program **program) {
    if (!*program)
        return;
    clReleaseKernel((*program)->handle);
    free(*program);
    *program = NULL;
}

static cl_int set(cl_kernel kernel, cl_uint i, const struct imf_arg *a) {
    switch (a->kind) {
    case IMF_ARG_BUFFER:
        return clSetKernelArg(kernel, i, sizeof(cl_mem), &a->value.buffer->handle);
    case IMF_ARG_INT:
        return clSetKernelArg(kernel, i, sizeof(cl_int), &a->value.i);
    case IMF_ARG_SIZE:
        return clSetKernelArg(kernel, i, sizeof(cl_ulong), &a->value.n);
    case IMF_ARG_FLOAT:
        return clSetKernelArg(kernel, i, sizeof(cl_float), &a->value.f);
    case IMF_ARG_BLOCK:
    default:
        return clSetKernelArg(kernel, i, a->size, a->value.block);
    }
}

enum imf_status imf_program_start(struct imf_queue *queue, struct imf_program *program,
                                  struct imf_grid grid, const struct imf_arg *args, size_t count,
                                  struct imf_error *err) {
    for (size_t i = 0; i < count; i++) {
        cl_int code = set(program->handle, (cl_uint)i, &args[i]);
        if (code != CL_SUCCESS) {
            char what[64];
            snprintf(what, sizeof what, "kernel argument %zu", i);
            return imf_cl_fail(err, code, what);
        }
    }
    const size_t global[] = {grid.across * grid.group, grid.down}, local[] = {grid.group, 1};
    cl_int code = clEnqueueNDRangeKernel(queue->handle, program->handle, grid.down > 1 ? 2 : 1,
                                         NULL, global, local, 0, NULL, NULL);
    return code == CL_SUCCESS ? IMF_OK : imf_cl_fail(err, code, "cannot start a kernel");
}
