/*
 * program.h - OpenCL programs of cl/: their text, and launches
 *
 * A program's text is its "#define" lines, then parts of cl/parts/ in the order of a list, then a
 * file of cl/. The runtime caches builds, in memory and on disk, by a hash of all of
 * that text, the device and the driver; if several threads ask for the same text it is built once.
 */
#ifndef IMF_DEVICE_PROGRAM_H
#define IMF_DEVICE_PROGRAM_H

#include "device/buffer.h"

/* ---- text --------------------------------------------------------------------------------- */

/* A string builder for "#define" lines; grows as needed; `failed` is set when memory ran out. */
struct imf_defines {
    char *text;
    size_t length, capacity;
    bool failed;
};
void imf_define(struct imf_defines *d, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Never pass a float to imf_define: printf's decimal point is the locale's. */
void imf_define_float(struct imf_defines *d, const char *name, double value);
/* "#define name v,v,v": floats as exact hexadecimal with an f suffix, integers as decimal. */
void imf_define_floats(struct imf_defines *d, const char *name, const double *values, size_t n);
void imf_define_ints(struct imf_defines *d, const char *name, const double *values, size_t n);
void imf_defines_free(struct imf_defines *d);

struct imf_program_source {
    const char *file;                  /* "direct.cl" */
    const char *const *parts;          /* {"common.cl", NULL}; NULL: none */
    const struct imf_defines *defines; /* or NULL */
    const char *more;                  /* text that a test appends to the file, or NULL */
};

/* ---- programs ----------------------------------------------------------------------------- */

/* A kernel of a built text, for one thread at a time. All programs of the same text share its build. */
struct imf_program;

/*
 * The kernel `entry` of `source`, built or from the cache. IMF_ERR_MEMORY also if the defines failed:
 * files have defaults, so that without a line they would build and compute something else.
 * IMF_ERR_ARGUMENT: there is no such file or part; IMF_ERR_DEVICE: it does not build, and the
 * compiler's first error.
 */
enum imf_status imf_program_make(struct imf_program **out, struct imf_queue *queue,
                                 const struct imf_program_source *source, const char *entry,
                                 struct imf_error *err);
void imf_program_free(struct imf_program **program);

/* ---- launches ----------------------------------------------------------------------------- */

/* Work-groups across and down, each of `group` work-items in a row. */
struct imf_grid {
    size_t across, down, group;
};

/* Enough groups across for at least `items` work-items in a row. */
static inline struct imf_grid imf_grid_over(size_t items, size_t down, size_t group) {
    return (struct imf_grid){(items + group - 1) / group, down, group};
}

enum imf_arg_kind {
    IMF_ARG_BUFFER, /* __global T * */
    IMF_ARG_INT,    /* int */
    IMF_ARG_SIZE,   /* long or ulong */
    IMF_ARG_FLOAT,  /* float */
    IMF_ARG_BLOCK,  /* a struct, copied at launch */
};

struct imf_arg {
    enum imf_arg_kind kind;
    union {
        const struct imf_buffer *buffer;
        int32_t i;
        uint64_t n;
        float f;
        const void *block;
    } value;
    size_t size; /* of a block */
};

static inline struct imf_arg imf_arg_buffer(const struct imf_buffer *buffer) {
    return (struct imf_arg){.kind = IMF_ARG_BUFFER, .value.buffer = buffer};
}
static inline struct imf_arg imf_arg_int(int32_t i) {
    return (struct imf_arg){.kind = IMF_ARG_INT, .value.i = i};
}
static inline struct imf_arg imf_arg_size(size_t n) {
    return (struct imf_arg){.kind = IMF_ARG_SIZE, .value.n = n};
}
static inline struct imf_arg imf_arg_float(float f) {
    return (struct imf_arg){.kind = IMF_ARG_FLOAT, .value.f = f};
}
static inline struct imf_arg imf_arg_block(const void *block, size_t size) {
    return (struct imf_arg){.kind = IMF_ARG_BLOCK, .value.block = block, .size = size};
}

/* A long within a struct that is an argument: OpenCL aligns it to 8 bytes, while the ABI of 32-bit
 * x86 gives 4. */
typedef int64_t imf_long __attribute__((aligned(8)));

/* Launch with `args`, an array of as many arguments as the kernel takes, in its order. */
#define imf_program_launch(queue, program, grid, args, err)                                        \
    imf_program_start(queue, program, grid, args, sizeof(args) / sizeof *(args), err)
enum imf_status imf_program_start(struct imf_queue *queue, struct imf_program *program,
                                  struct imf_grid grid, const struct imf_arg *args, size_t count,
                                  struct imf_error *err);

#endif
