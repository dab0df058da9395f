/*
 * account.c - what becomes of the parts of an image's file
 */
#include "batch/account.h"

#include "output/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct imf_limits account_limits(const struct options *o, const struct imf_filter *filter,
                                 const struct job *job) {
    bool parts = o->settings.region_count || o->settings.channels != IMF_CHANNELS_RGB ||
                 (filter && imf_filter_masks(filter));
    struct imf_limits limits = o->limits;
    bool holds = job->output && imf_format_holds_pages(names_format(o, job, IMF_FORMAT_TIFF));
    limits.pages = o->pages || job->page_size ? IMF_PAGES_SOME
                   : o->paged || holds        ? IMF_PAGES_ALL
                                              : IMF_PAGES_FIRST;
    limits.spectral = true;
    limits.keep_blocks = (parts || o->keep_blocks) && job->output && !o->encode.quality &&
                         !o->encode.subsampling &&
                         names_format(o, job, IMF_FORMAT_JPEG) == IMF_FORMAT_JPEG;
    return limits;
}

const char *account_check(const struct options *o, struct imf_parts *parts,
                          const struct imf_reader *reader, const struct imf_writer *writer,
                          char text[ACCOUNT_TEXT]) {
    char lost[ACCOUNT_TEXT - 120];
    imf_parts_free(parts);
    if (!imf_parts_of(parts, reader, writer))
        return "out of memory";
    if (!o->in_place || o->allow_loss || !imf_parts_lost(parts, lost, sizeof lost))
        return NULL;
    snprintf(text, ACCOUNT_TEXT,
             "in place, these would be lost: %s (allow it with --allow-loss, or write to another "
             "file with -o)",
             lost);
    return text;
}

static ssize_t discard(void *cookie, const char *data, size_t size) {
    (void)cookie, (void)data;
    return (ssize_t)size;
}

static size_t row_bytes(const struct imf_info *info) {
    return (size_t)info->width * (size_t)info->channels * (size_t)info->depth / 8;
}

enum imf_status account_list(struct imf_parts *parts, struct imf_reader *reader,
                             const struct imf_info *info, const struct imf_encode *encode,
                             struct imf_error *err) {
    const struct imf_info *source = imf_reader_info(reader);
    size_t in = row_bytes(source), out = row_bytes(info);
    unsigned char *row = calloc(1, in > out ? in : out);
    FILE *nowhere = fopencookie(NULL, "w", (cookie_io_functions_t){.write = discard});
    struct imf_writer *writer = NULL;
    enum imf_status status = IMF_OK;
    if (!row || !nowhere)
        status = IMF_ERR_MEMORY;
    else
        status = imf_writer_open(&writer, nowhere, info, encode, imf_reader_metadata(reader), err);
    for (int i = 0; i == 0 || (i < info->spectral && !status); i++) {
        if (i > 0)
            status = imf_reader_channel(reader, i, err);
        for (int y = 0; y < source->height && !status; y++)
            status = imf_reader_rows(reader, row, in, 1, err);
        if (row)
            memset(row, 0, in > out ? in : out);
        for (int y = 0; y < info->height && !status; y++)
            status = imf_writer_rows(writer, row, out, 1, err);
        status = status ? status : imf_writer_finish(writer, err);
    }
    if (!status && !imf_parts_of(parts, reader, writer))
        status = IMF_ERR_MEMORY;
    if (status == IMF_ERR_MEMORY)
        *err = (struct imf_error){.status = status, .text = "out of memory"};
    imf_writer_close(&writer);
    if (nowhere)
        fclose(nowhere);
    free(row);
    return status;
}
