/*
 * mask.h - masks: how much of a combination each pixel takes, from a picture
 *
 * A gray picture's samples are weights, of which full scale is 1; a colour picture's luma is taken.
 * Alpha is taken where it is all that a picture has: where it is not opaque everywhere, and all pixels that are not
 * transparent have the same colour.
 */
#ifndef IMF_FILTER_MASK_H
#define IMF_FILTER_MASK_H

#include "base/image/orientation.h"
#include "base/image/surface.h"

#include <pthread.h>
#include <stdatomic.h>

#define IMF_NOTE 160 /* characters of a remark on a filter or its file */

/* The mask for pixels that are stored in an EXIF orientation, blurred by a Gaussian. */
struct imf_mask_plane {
    struct imf_mask_plane *next;
    int orientation;
    double feather;         /* the Gaussian's sigma in pixels; 0: it is not blurred */
    int width, height;      /* as stored */
    enum imf_sample sample; /* IMF_U8 or IMF_U16 */
    void *at;               /* owned: rows without gaps; NULL: nobody needed them yet */
};

/* Filters share it, and threads. */
struct imf_mask {
    atomic_int users;
    char *name; /* owned: the picture's file */
    pthread_mutex_t lock;
    struct imf_mask_plane *planes; /* owned; the last is the picture, upright. Added and made with
                                      the lock held, and kept */
};

/* Read a picture. IMF_ERR_SPEC: it cannot be opened, or is no mask; what readers return. `held` bytes
 * count for max_memory beside its own. The texts name the file; note becomes a remark on it, or
 * stays. */
enum imf_status imf_mask_read(struct imf_mask **out, const char *path,
                              const struct imf_limits *limits, uint64_t held, char note[IMF_NOTE],
                              struct imf_error *err);
/* Add a reference, which the new owner drops with imf_mask_free(); NULL for NULL. */
struct imf_mask *imf_mask_keep(struct imf_mask *mask);
void imf_mask_free(struct imf_mask **mask);

/* The upright picture. */
const struct imf_mask_plane *imf_mask_picture(const struct imf_mask *mask);
/* The plane of an orientation, 0 being 1, and a feather; NULL: there is none yet. The caller holds the lock. */
struct imf_mask_plane *imf_mask_find(const struct imf_mask *mask, int orientation, double feather);
/* Add the planes that an orientation and a feather need, without samples, unless they are there: a plan
 * counts their bytes, and runs make them. Threads may call it at once. IMF_ERR_MEMORY. */
enum imf_status imf_mask_plan(struct imf_mask *mask, int orientation, double feather,
                              struct imf_error *err);
/* That plane, which was planned. Threads may call it at once. */
const struct imf_mask_plane *imf_mask_planned(struct imf_mask *mask, int orientation,
                                              double feather);
/* Make *out the upright plane as an orientation stores it, or with `back` the stored plane upright;
 * false without memory. The caller frees its samples. */
bool imf_mask_turn(struct imf_mask_plane *out, const struct imf_mask_plane *plane, int orientation,
                   bool back);
/* Bytes of a plane's samples, and of all planes, made or planned. */
double imf_mask_plane_bytes(const struct imf_mask_plane *plane);
double imf_mask_bytes(struct imf_mask *mask);

#endif
