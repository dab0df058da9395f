/*
 * overviews.c - smaller copies of a page, and its masks, as they are written
 *
 * An overview is made of the page's rows as they come, and its strips are written between the page's, so that only a
 * few rows of each are held. Masks follow the last of them.
 */
#include "codec/tiff/overviews.h"

#include "codec/ifd/subfiles.h"
#include "codec/tiff/shrink.h"

#include <stdlib.h>

struct subfile {
    struct imf_tiff_subfile source;
    bool is_mask;
    struct imf_tiff_strips strips; /* an overview's */
    struct imf_tiff_mask mask;
};

struct imf_tiff_overviews {
    struct imf_writer *writer;
    struct imf_shrink shrink;
    struct imf_shrunk smaller[IMF_TIFF_SUBFILES_MAX];
    struct subfile list[IMF_TIFF_SUBFILES_MAX];
    int count, below;
    uint64_t memory;
};

static enum imf_status take_row(void *data, const unsigned char *row, struct imf_error *err) {
    return imf_tiff_strips_rows(data, row, 0, 1, err);
}

/* Those below the page, or those behind it, of a picture of this size; a mask that would have to be turned is not
 * written. */
static void list(struct imf_tiff_overviews *o, bool below) {
    struct imf_writer *w = o->writer;
    bool turned = !imf_orientation_is_upright(w->orientation);
    for (const struct imf_meta_item *i = w->metadata->first; i; i = i->next) {
        bool is_mask = i->kind == IMF_META_TIFF_MASK;
        if ((!is_mask && i->kind != IMF_META_TIFF_OVERVIEW) || o->count == IMF_TIFF_SUBFILES_MAX)
            continue;
        struct subfile subfile = {.source = imf_tiff_subfile_of(i), .is_mask = is_mask};
        if (subfile.source.below != below)
            continue;
        if ((int)subfile.source.page_width != w->input.width ||
            (int)subfile.source.page_height != w->input.height)
            imf_writer_lose(w, i, NULL, 0, "the picture has another size");
        else if (is_mask && turned)
            imf_writer_lose(w, i, NULL, 0, "it is not turned");
        else
            o->list[o->count++] = subfile;
    }
}

static enum imf_status open_overview(struct imf_tiff_overviews *o, struct subfile *subfile,
                                     const struct imf_tiff_strips *page, struct imf_error *err) {
    bool swap = o->writer->orientation.swap;
    struct imf_info info = page->info;
    info.width = (int)(swap ? subfile->source.height : subfile->source.width);
    info.height = (int)(swap ? subfile->source.width : subfile->source.height);
    o->smaller[o->shrink.count++] = (struct imf_shrunk){
        .width = info.width, .height = info.height, .take = take_row, .data = &subfile->strips};
    enum imf_status status =
        imf_tiff_strips_open(&subfile->strips, o->writer, &info, page->big_endian, page->pool, err);
    o->memory += subfile->strips.memory;
    return status;
}

enum imf_status imf_tiff_overviews_open(struct imf_tiff_overviews **out, struct imf_writer *w,
                                        const struct imf_tiff_strips *page, struct imf_error *err) {
    *out = NULL;
    if (!imf_metadata_find(w->metadata, IMF_META_TIFF_OVERVIEW) &&
        !imf_metadata_find(w->metadata, IMF_META_TIFF_MASK))
        return IMF_OK;
    struct imf_tiff_overviews *o = calloc(1, sizeof *o);
    *out = o;
    if (!o)
        return imf_fail_memory(err, sizeof *o);
    *o =
        (struct imf_tiff_overviews){.writer = w, .shrink.smaller = o->smaller, .memory = sizeof *o};
    list(o, true);
    o->below = o->count;
    list(o, false);
    enum imf_status status = IMF_OK;
    for (int i = 0; i < o->count && !status; i++)
        if (!o->list[i].is_mask)
            status = open_overview(o, &o->list[i], page, err);
    if (!status)
        status = imf_shrink_open(&o->shrink, &page->info, err);
    o->memory += o->shrink.memory;
    return status;
}

uint64_t imf_tiff_overviews_memory(const struct imf_tiff_overviews *o) {
    return o ? o->memory : 0;
}

enum imf_status imf_tiff_overviews_rows(struct imf_tiff_overviews *o, const unsigned char *src,
                                        size_t stride, int rows, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    for (int y = 0; o && o->shrink.count && y < rows && !status && !o->writer->error; y++)
        status = imf_shrink_row(&o->shrink, src + (size_t)y * stride, err);
    return status;
}

enum imf_status imf_tiff_overviews_finish(struct imf_tiff_overviews *o, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    for (int i = 0; o && i < o->count && !status; i++)
        if (o->list[i].is_mask)
            status = imf_tiff_mask_copy(&o->list[i].mask, o->writer, &o->list[i].source, err);
    return status;
}

int imf_tiff_overviews_count(const struct imf_tiff_overviews *o, int *below) {
    *below = o ? o->below : 0;
    return o ? o->count : 0;
}

void imf_tiff_overviews_add(const struct imf_tiff_overviews *o, int i, struct imf_tiff_directory *d,
                            struct imf_tiff_output *out) {
    enum { REDUCED = 1 };
    const struct subfile *subfile = &o->list[i];
    if (subfile->is_mask) {
        imf_tiff_mask_add(&subfile->mask, &subfile->source, d, out);
        return;
    }
    imf_tiff_add(d, out, IMF_TIFF_SUBFILE, IMF_TIFF_LONG, 1, (uint64_t[]){REDUCED});
    imf_tiff_strips_add(&subfile->strips, d, out);
}

void imf_tiff_overviews_close(struct imf_tiff_overviews **overviews) {
    struct imf_tiff_overviews *o = *overviews;
    for (int i = 0; o && i < o->count; i++) {
        imf_tiff_strips_close(&o->list[i].strips);
        free(o->list[i].mask.offsets);
        free(o->list[i].mask.sizes);
    }
    if (o)
        imf_shrink_close(&o->shrink);
    free(o);
    *overviews = NULL;
}
