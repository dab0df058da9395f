/* mask.c - masks, read from pictures */
#include "filter/mask.h"

#include "base/image/info.h"
#include "base/pages.h"
#include "base/sized.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- planes --------------------------------------------------------------------------------- */

const struct imf_mask_plane *imf_mask_picture(const struct imf_mask *mask) {
    const struct imf_mask_plane *plane = mask->planes;
    while (plane->next)
        plane = plane->next;
    return plane;
}

struct imf_mask_plane *imf_mask_find(const struct imf_mask *mask, int orientation, double feather) {
    struct imf_mask_plane *plane = mask->planes;
    while (plane && (plane->orientation != imf_max(orientation, 1) || plane->feather != feather))
        plane = plane->next;
    return plane;
}

static size_t plane_bytes(const struct imf_mask_plane *p) {
    return (size_t)p->width * (size_t)p->height * imf_sample_size(p->sample);
}

/* Add a plane to the mask, and take its samples, also on failure. */
static enum imf_status add(struct imf_mask *mask, const struct imf_mask_plane *plane,
                           struct imf_error *err) {
    struct imf_mask_plane *p = malloc(sizeof *p);
    if (!p) {
        free(plane->at);
        return imf_fail_memory(err, sizeof *p);
    }
    *p = *plane;
    p->next = mask->planes;
    mask->planes = p;
    return IMF_OK;
}

/* Add a plane like `from` without samples, unless it is there. */
static enum imf_status plan(struct imf_mask *mask, const struct imf_mask_plane *from,
                            int orientation, double feather, struct imf_error *err) {
    if (imf_mask_find(mask, orientation, feather))
        return IMF_OK;
    bool swap = imf_orientation_of(orientation).swap;
    return add(mask,
               &(struct imf_mask_plane){.orientation = orientation,
                                        .feather = feather,
                                        .width = swap ? from->height : from->width,
                                        .height = swap ? from->width : from->height,
                                        .sample = feather > 0 ? IMF_U16 : from->sample},
               err);
}

enum imf_status imf_mask_plan(struct imf_mask *mask, int orientation, double feather,
                              struct imf_error *err) {
    pthread_mutex_lock(&mask->lock);
    const struct imf_mask_plane *picture = imf_mask_picture(mask);
    enum imf_status st = plan(mask, picture, 1, feather, err);
    st = st ? st : plan(mask, picture, imf_max(orientation, 1), feather, err);
    pthread_mutex_unlock(&mask->lock);
    return st;
}

const struct imf_mask_plane *imf_mask_planned(struct imf_mask *mask, int orientation,
                                              double feather) {
    pthread_mutex_lock(&mask->lock);
    const struct imf_mask_plane *plane = imf_mask_find(mask, orientation, feather);
    pthread_mutex_unlock(&mask->lock);
    return plane;
}

bool imf_mask_turn(struct imf_mask_plane *out, const struct imf_mask_plane *plane, int orientation,
                   bool back) {
    struct imf_orientation o = imf_orientation_of(orientation);
    *out = *plane;
    out->orientation = back ? 1 : orientation;
    out->width = o.swap ? plane->height : plane->width;
    out->height = o.swap ? plane->width : plane->height;
    if (!(out->at = malloc(plane_bytes(plane))))
        return false;
    const struct imf_mask_plane *upright = back ? out : plane, *stored = back ? plane : out;
    for (int y = 0; y < upright->height; y++)
        for (int x = 0; x < upright->width; x++) {
            int across = x, down = y;
            imf_pixel_to_stored(o, upright->width, upright->height, &across, &down);
            ptrdiff_t here = (ptrdiff_t)y * upright->width + x;
            ptrdiff_t there = (ptrdiff_t)down * stored->width + across;
            imf_sample_put(out->at, out->sample, back ? here : there,
                           imf_sample_get(plane->at, plane->sample, back ? there : here));
        }
    return true;
}

double imf_mask_plane_bytes(const struct imf_mask_plane *plane) {
    return (double)plane_bytes(plane);
}

double imf_mask_bytes(struct imf_mask *mask) {
    double bytes = 0;
    pthread_mutex_lock(&mask->lock);
    for (const struct imf_mask_plane *plane = mask->planes; plane; plane = plane->next)
        bytes += imf_mask_plane_bytes(plane);
    pthread_mutex_unlock(&mask->lock);
    return bytes;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Read all pixels; *at is the caller's to free. */
static enum imf_status read_pixels(struct imf_reader *reader, void **at, uint64_t memory,
                                   uint64_t held, struct imf_error *err) {
    const struct imf_info *info = imf_reader_info(reader);
    size_t row = (size_t)info->width * (size_t)info->channels * (size_t)(info->depth / 8), bytes;
    if (info->color == IMF_COLOR_CMYK)
        return imf_fail(err, IMF_ERR_SPEC, "a mask is a gray or RGB picture, this is CMYK");
    if (!imf_size_mul(row, (size_t)info->height, &bytes))
        return imf_fail_memory(err, row);
    /* Turned upright it is there twice. */
    uint64_t copies = imf_orientation_is_upright(imf_orientation_of(info->orientation)) ? 1 : 2;
    enum imf_status status =
        imf_memory_fits(memory, held + imf_reader_held(reader) + copies * bytes, "this mask", err);
    if (status != IMF_OK)
        return status;
    if (!(*at = malloc(bytes)))
        return imf_fail_memory(err, row);
    imf_use_large_pages(*at, bytes);
    return imf_reader_rows(reader, *at, row, info->height, err);
}

/* Floats become 16 bits of 0 to full scale, where they are. */
static void narrow(void *at, const struct imf_info *info) {
    size_t count = (size_t)info->width * (size_t)info->height * (size_t)info->channels;
    size_t size = (size_t)info->depth / 8;
    double scale = 65535 / imf_info_full(info), v;
    float value;
    for (size_t i = 0; i < count; i++) {
        memcpy(size == sizeof v ? (void *)&v : (void *)&value, (char *)at + i * size, size);
        v = imf_sample_round((size == sizeof v ? v : (double)value) * scale, 65535);
        uint16_t sample = (uint16_t)(int)v;
        memcpy((char *)at + i * sizeof sample, &sample, sizeof sample);
    }
}

/* Alpha is all that the picture has: not all of it is opaque, and what is not transparent has one colour. */
static bool is_all_alpha(const void *at, enum imf_sample sample, ptrdiff_t pixels, int channels) {
    ptrdiff_t first = -1;
    bool opaque = true;
    for (ptrdiff_t i = 0; i < pixels * channels; i += channels) {
        double alpha = imf_sample_get(at, sample, i + channels - 1);
        opaque = opaque && alpha == imf_sample_max(sample);
        if (alpha == 0)
            continue;
        first = first < 0 ? i : first;
        for (int c = 0; c < channels - 1; c++)
            if (imf_sample_get(at, sample, i + c) != imf_sample_get(at, sample, first + c))
                return false;
    }
    return !opaque;
}

/* Reduce pixels to one channel, where they are. */
static void reduce(void *at, enum imf_sample sample, const struct imf_info *info) {
    int channels = info->channels, colors = channels - info->alpha;
    ptrdiff_t pixels = (ptrdiff_t)info->width * info->height;
    bool alpha = info->alpha && is_all_alpha(at, sample, pixels, channels);
    for (ptrdiff_t i = 0; i < pixels && channels > 1; i++) {
        double v[4] = {0};
        for (int c = 0; c < channels; c++)
            v[c] = imf_sample_get(at, sample, i * channels + c);
        double luma = colors == 1 ? v[0] : IMF_LUMA(double, v[0], v[1], v[2]);
        imf_sample_put(at, sample, i, alpha ? v[channels - 1] : luma);
    }
}

/* The mask's first plane: the picture, upright. */
static enum imf_status add_picture(struct imf_mask *mask, struct imf_reader *reader,
                                   uint64_t memory, uint64_t held, struct imf_error *err) {
    const struct imf_info *info = imf_reader_info(reader);
    struct imf_mask_plane turned, plane = {.orientation = 1,
                                           .width = info->width,
                                           .height = info->height,
                                           .sample = info->depth == 8 ? IMF_U8 : IMF_U16};
    enum imf_status status = read_pixels(reader, &plane.at, memory, held, err);
    if (status == IMF_OK) {
        if (info->depth > 16)
            narrow(plane.at, info);
        reduce(plane.at, plane.sample, info);
        void *smaller = realloc(plane.at, plane_bytes(&plane));
        if (smaller)
            plane.at = smaller;
        bool upright = imf_orientation_is_upright(imf_orientation_of(info->orientation));
        bool done = upright || imf_mask_turn(&turned, &plane, info->orientation, true);
        if (done && !upright) {
            free(plane.at);
            plane = turned;
        }
        if (done)
            return add(mask, &plane, err);
        status = imf_fail_memory(err, plane_bytes(&plane));
    }
    free(plane.at);
    return status;
}

static enum imf_status create(struct imf_mask **out, const char *path, struct imf_error *err) {
    struct imf_mask *mask = *out = calloc(1, sizeof *mask);
    if (mask && (mask->name = strdup(path)) && !pthread_mutex_init(&mask->lock, NULL)) {
        atomic_init(&mask->users, 1);
        return IMF_OK;
    }
    if (mask)
        free(mask->name);
    free(mask);
    *out = NULL;
    return imf_fail_memory(err, sizeof *mask);
}

enum imf_status imf_mask_read(struct imf_mask **out, const char *path,
                              const struct imf_limits *limits, uint64_t held, char note[IMF_NOTE],
                              struct imf_error *err) {
    struct imf_reader *reader = NULL;
    struct imf_error why = {.text = ""};
    struct imf_limits all;
    imf_sized_read(&all, sizeof all, limits);
    *out = NULL;
    FILE *f = fopen(path, "rb");
    if (!f)
        return imf_fail(err, IMF_ERR_SPEC, "cannot open %s: %s", path, strerror(errno));
    enum imf_status status = create(out, path, &why);
    if (status == IMF_OK)
        status = imf_reader_open(&reader, f, limits, &why);
    if (status == IMF_OK)
        status = add_picture(*out, reader, all.max_memory, held, &why);
    if (status == IMF_OK && imf_reader_warning(reader))
        snprintf(note, IMF_NOTE, "%.50s: %.100s", path, imf_reader_warning(reader));
    imf_reader_close(&reader);
    fclose(f);
    if (status == IMF_OK)
        return IMF_OK;
    imf_mask_free(out);
    return imf_fail(err, status, "%s: %.300s", path, why.text);
}

struct imf_mask *imf_mask_keep(struct imf_mask *mask) {
    if (mask)
        atomic_fetch_add(&mask->users, 1);
    return mask;
}

void imf_mask_free(struct imf_mask **mask) {
    struct imf_mask *m = *mask;
    *mask = NULL;
    if (!m || atomic_fetch_sub(&m->users, 1) != 1)
        return;
    for (struct imf_mask_plane *next, *plane = m->planes; plane; plane = next) {
        next = plane->next;
        free(plane->at);
        free(plane);
    }
    pthread_mutex_destroy(&m->lock);
    free(m->name);
    free(m);
}
