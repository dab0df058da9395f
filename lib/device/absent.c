/*
 * absent.c - in place of OpenCL where the library is built without (make OPENCL=0)
 *
 * There are no devices, so that no runtime is opened. Queues, buffers and programs are made from one:
 * these functions are here for the linker, and those that can fail say the same.
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "device/list.h"
#include "device/program.h"

static enum imf_status absent(struct imf_error *err) {
    return imf_fail(err, IMF_ERR_NO_DEVICE,
                    "this imfilter was built without OpenCL: build it without OPENCL=0");
}

enum imf_status imf_runtime_open(struct imf_runtime **out, const struct imf_context_options *select,
                                 const char *cache_dir, struct imf_error *err) {
    *out = NULL;
    return absent(err);
}

void imf_runtime_close(struct imf_runtime **rt) {
    *rt = NULL;
}

const struct imf_device *imf_runtime_device(const struct imf_runtime *rt) {
    return NULL;
}

bool imf_runtime_compiled(const struct imf_runtime *rt) {
    return false;
}

const char *imf_runtime_passed_over(const struct imf_runtime *rt) {
    return "";
}

void imf_runtime_set_tuning(struct imf_runtime *rt, const struct imf_tuning *tuning) {
}

enum imf_status imf_queue_open(struct imf_queue **out, struct imf_runtime *rt,
                               struct imf_error *err) {
    *out = NULL;
    return absent(err);
}

void imf_queue_limit(struct imf_queue *queue, double spare) {
}

void imf_queue_close(struct imf_queue **queue) {
    *queue = NULL;
}

enum imf_status imf_queue_finish(struct imf_queue *queue, struct imf_error *err) {
    return absent(err);
}

enum imf_status imf_queue_mark(struct imf_queue *queue, struct imf_event **out,
                               struct imf_error *err) {
    *out = NULL;
    return absent(err);
}

enum imf_status imf_queue_after(struct imf_queue *queue, const struct imf_event *event,
                                struct imf_error *err) {
    return absent(err);
}

enum imf_status imf_event_wait(const struct imf_event *event, struct imf_error *err) {
    return absent(err);
}

void imf_event_free(struct imf_event **event) {
    *event = NULL;
}

const struct imf_device *imf_queue_device(const struct imf_queue *queue) {
    return NULL;
}

enum imf_status imf_buffer_make(struct imf_buffer **out, struct imf_queue *queue,
                                enum imf_buffer_use use, size_t bytes, struct imf_error *err) {
    *out = NULL;
    return absent(err);
}

enum imf_status imf_buffer_table(struct imf_buffer **out, struct imf_queue *queue, const void *data,
                                 size_t bytes, struct imf_error *err) {
    *out = NULL;
    return absent(err);
}

enum imf_status imf_buffer_over(struct imf_buffer **out, struct imf_queue *queue, void *memory,
                                size_t bytes, struct imf_error *err) {
    *out = NULL;
    return absent(err);
}

void imf_buffer_free(struct imf_buffer **buffer) {
    *buffer = NULL;
}

enum imf_status imf_buffer_upload(struct imf_queue *queue, struct imf_buffer *buffer, size_t to,
                                  const void *data, size_t bytes, struct imf_error *err) {
    return absent(err);
}

enum imf_status imf_buffer_download(struct imf_queue *queue, const struct imf_buffer *buffer,
                                    size_t from, void *data, size_t bytes, struct imf_error *err) {
    return absent(err);
}

enum imf_status imf_buffer_send(struct imf_queue *queue, struct imf_buffer *buffer, size_t to,
                                const void *data, size_t bytes, struct imf_error *err) {
    return absent(err);
}

enum imf_status imf_buffer_fetch(struct imf_queue *queue, const struct imf_buffer *buffer,
                                 size_t from, void *data, size_t bytes, struct imf_error *err) {
    return absent(err);
}

enum imf_status imf_buffer_clear(struct imf_queue *queue, struct imf_buffer *buffer, size_t from,
                                 size_t bytes, struct imf_error *err) {
    return absent(err);
}

enum imf_status imf_buffer_copy(struct imf_queue *queue, struct imf_buffer *target, size_t to,
                                const struct imf_buffer *source, size_t from, size_t bytes,
                                struct imf_error *err) {
    return absent(err);
}

void *imf_buffer_map(struct imf_queue *queue, struct imf_buffer *buffer, enum imf_access access,
                     size_t from, size_t bytes, struct imf_error *err) {
    absent(err);
    return NULL;
}

enum imf_status imf_buffer_unmap(struct imf_queue *queue, struct imf_buffer *buffer, void *mapped,
                                 struct imf_error *err) {
    return absent(err);
}

enum imf_status imf_program_make(struct imf_program **out, struct imf_queue *queue,
                                 const struct imf_program_source *source, const char *entry,
                                 struct imf_error *err) {
    *out = NULL;
    return absent(err);
}

void imf_program_free(struct imf_program **program) {
    *program = NULL;
}

size_t imf_list_opencl(struct imf_device_info *list, size_t capacity, const char *cache_dir) {
    return 0;
}

enum imf_status imf_program_start(struct imf_queue *queue, struct imf_program *program,
                                  struct imf_grid grid, const struct imf_arg *args, size_t count,
                                  struct imf_error *err) {
    return absent(err);
}
