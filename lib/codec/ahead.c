/*
 * ahead.c - rows that a reader decodes before it is asked for them
 *
 * To open a device takes as long as to decode some megapixels. A caller who has that before him lets
 * a thread decode meanwhile. The reader is the thread's until the first call for rows, which waits
 * for the few rows that it is at, and then goes on itself. The image's last row is never read ahead:
 * with it comes what stands behind the pixels, metadata for one, which callers may look at. Nor are
 * rows of a pipe, which may keep the thread waiting when nobody wants them any more.
 */
#include "codec/ahead.h"

#include "base/clock.h"
#include "base/surface.h"
#include "codec/codec.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Decoded before the thread looks whether it is to end; and what is not worth a thread. */
#define STEP_BYTES ((size_t)128 << 10)
#define LEAST_BYTES ((size_t)1 << 20)

struct imf_ahead {
    struct imf_reader *reader;
    unsigned char *rows;
    size_t row_bytes;
    int most; /* rows that there is room for */
    pthread_t thread;
    atomic_bool stop;
    bool ended; /* what follows is the caller's */
    int count, given;
    enum imf_status status;
    struct imf_error error;
    double ms;
};

static void *decode(void *data) {
    struct imf_ahead *a = data;
    double begin = imf_now_ms();
    int step = a->row_bytes < STEP_BYTES ? (int)(STEP_BYTES / a->row_bytes) : 1;
    while (!atomic_load(&a->stop) && a->count < a->most && !a->status) {
        int n = imf_min(step, a->most - a->count);
        a->status = imf_reader_decode(a->reader, a->rows + (size_t)a->count * a->row_bytes,
                                      a->row_bytes, n, &a->error);
        a->count = a->reader->row; /* of rows that fail the good ones, too */
    }
    a->ms = imf_now_ms() - begin;
    return NULL;
}

static bool is_file(FILE *stream) {
    struct stat st;
    int fd = fileno(stream);
    return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

void imf_reader_ahead(struct imf_reader *r, size_t bytes) {
    size_t all = (size_t)r->info.height * r->row_bytes; /* its rows were checked */
    if (r->ahead || r->row || r->whole || r->palette || r->limits.lenient || all < LEAST_BYTES ||
        !is_file(r->source.stream))
        return;
    struct imf_ahead *a = calloc(1, sizeof *a);
    if (!a)
        return; /* it only takes longer */
    size_t rows = bytes / r->row_bytes;
    a->reader = r;
    a->row_bytes = r->row_bytes;
    a->most = rows < (size_t)r->info.height ? (int)rows : r->info.height - 1;
    a->rows = malloc((size_t)a->most * a->row_bytes + 1);
    sigset_t every, before;
    sigfillset(&every);
    bool started = false;
    /* Signals are for the program's own threads. */
    if (a->rows && !pthread_sigmask(SIG_SETMASK, &every, &before)) {
        started = pthread_create(&a->thread, NULL, decode, a) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (started) {
        r->ahead = a;
        return;
    }
    free(a->rows);
    free(a);
}

static void end(struct imf_ahead *a) {
    if (a->ended)
        return;
    atomic_store(&a->stop, true);
    pthread_join(a->thread, NULL);
    a->ended = true;
}

enum imf_status imf_ahead_rows(struct imf_ahead *a, unsigned char *dst, size_t stride, int rows,
                               int *got, struct imf_error *err) {
    end(a);
    *got = imf_min(rows, a->count - a->given);
    for (int y = 0; y < *got; y++)
        memcpy(dst + (size_t)y * stride, a->rows + (size_t)(a->given + y) * a->row_bytes,
               a->row_bytes);
    a->given += *got;
    if (a->given == a->count) {
        free(a->rows);
        a->rows = NULL;
    }
    if (*got == rows || !a->status)
        return IMF_OK;
    if (err)
        *err = a->error;
    return a->status;
}

double imf_ahead_ms(const struct imf_ahead *a) {
    return a && a->ended ? a->ms : 0;
}

void imf_ahead_close(struct imf_ahead **ahead) {
    struct imf_ahead *a = *ahead;
    *ahead = NULL;
    if (!a)
        return;
    end(a);
    free(a->rows);
    free(a);
}
