/*
 * buffer.h - memory that a device's programs work on
 *
 * Positions and sizes are in bytes. All calls fail with IMF_ERR_DEVICE, or IMF_ERR_MEMORY where
 * memory is short. A buffer may be used through any queue of its
 * runtime, by one thread at a time.
 */
#ifndef IMF_DEVICE_BUFFER_H
#define IMF_DEVICE_BUFFER_H

#include "device/queue.h"

struct imf_buffer;

enum imf_buffer_use {
    IMF_BUFFER_TABLE,  /* programs only read it; the host uploads it once */
    IMF_BUFFER_WORK,   /* programs read and write it */
    IMF_BUFFER_MAPPED, /* programs use it and the host maps it, which should be quick */
};

/* Its content is undefined. A size of 0 will do. */
enum imf_status imf_buffer_make(struct imf_buffer **out, struct imf_queue *queue,
                                enum imf_buffer_use use, size_t bytes, struct imf_error *err);
/* A table with a copy of `data`. */
enum imf_status imf_buffer_table(struct imf_buffer **out, struct imf_queue *queue, const void *data,
                                 size_t bytes, struct imf_error *err);
/* A buffer for reading and writing in the host's memory: `memory`, from malloc(), becomes the
 * buffer's and is freed when nothing on the device uses it any more, or at once on failure. */
enum imf_status imf_buffer_over(struct imf_buffer **out, struct imf_queue *queue, void *memory,
                                size_t bytes, struct imf_error *err);
/* Work in progress with it still completes. */
void imf_buffer_free(struct imf_buffer **buffer);

/* Copy `bytes` from `data` to position `to`, or from position `from` to `data`: done when the call
 * returns. */
enum imf_status imf_buffer_upload(struct imf_queue *queue, struct imf_buffer *buffer, size_t to,
                                  const void *data, size_t bytes, struct imf_error *err);
enum imf_status imf_buffer_download(struct imf_queue *queue, const struct imf_buffer *buffer,
                                    size_t from, void *data, size_t bytes, struct imf_error *err);
/* The same, queued: until it is done the memory must stay valid, and data to upload unchanged. */
enum imf_status imf_buffer_send(struct imf_queue *queue, struct imf_buffer *buffer, size_t to,
                                const void *data, size_t bytes, struct imf_error *err);
enum imf_status imf_buffer_fetch(struct imf_queue *queue, const struct imf_buffer *buffer,
                                 size_t from, void *data, size_t bytes, struct imf_error *err);

/* Set `bytes` from `from` on, multiples of 4, to 0. */
enum imf_status imf_buffer_clear(struct imf_queue *queue, struct imf_buffer *buffer, size_t from,
                                 size_t bytes, struct imf_error *err);
/* Copy from position `from` of one buffer to position `to` of another, or of the same one if the
 * ranges do not overlap. */
enum imf_status imf_buffer_copy(struct imf_queue *queue, struct imf_buffer *target, size_t to,
                                const struct imf_buffer *source, size_t from, size_t bytes,
                                struct imf_error *err);

enum imf_access { IMF_ACCESS_READ = 1, IMF_ACCESS_WRITE = 2, IMF_ACCESS_BOTH = 3 };

/*
 * `bytes` from position `from` on, as the host's memory, from when the call returns until they are
 * unmapped; NULL: *err says why not. Without IMF_ACCESS_WRITE they must not be written. No program
 * may write the buffer meanwhile, nor read what is mapped for writing. On a device that shares the
 * host's memory nothing is copied.
 */
void *imf_buffer_map(struct imf_queue *queue, struct imf_buffer *buffer, enum imf_access access,
                     size_t from, size_t bytes, struct imf_error *err);
/* Work queued after this sees what the host wrote. */
enum imf_status imf_buffer_unmap(struct imf_queue *queue, struct imf_buffer *buffer, void *mapped,
                                 struct imf_error *err);

#endif
