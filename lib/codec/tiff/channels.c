/*
 * channels.c - which samples of a TIFF's pixels are read, all at once or one after the other
 */
#include "codec/decoder.h"

#ifdef IMF_WITH_TIFF
#include "base/image/surface.h"
#include "codec/tiff/channels.h"

#include <stdlib.h>

#define USUAL ((uint64_t)64 << 20)

/* Are there channels that are no colours? Of four samples three may be RGB, to which one was added. */
static bool is_spectral(const struct imf_tiff_form *f, const struct imf_tiff_pixels *p) {
    return f->samples > f->colors + p->alpha && !p->palette &&
           f->photometric != PHOTOMETRIC_YCBCR && (f->samples > 4 || f->color == IMF_COLOR_GRAY);
}

/* The one channel that is marked as alpha; 0: none is, or several are, as vips marks all behind the first. */
static int find_alpha(const struct imf_tiff_form *f, const struct imf_tiff_pixels *p) {
    int alpha = 0, count = 0;
    for (int i = 0; i < f->extras && f->colors + i < f->samples; i++)
        if (f->extra[i] == EXTRASAMPLE_ASSOCALPHA || f->extra[i] == EXTRASAMPLE_UNASSALPHA) {
            alpha = f->colors + i;
            count++;
        }
    return count == 1 && f->color != IMF_COLOR_CMYK && !p->palette ? alpha : 0;
}

void imf_tiff_set_channel(struct imf_tiff_pixels *p, const struct imf_reader *r, int channel) {
    const struct imf_channel_roles *s = &r->metadata.roles;
    p->from[0] = s->alpha && channel == s->alpha ? 0 : channel;
    p->from[1] = s->alpha;
    p->inverted = p->white_is_zero && p->from[0] == 0;
}

void imf_tiff_set_channels(struct imf_tiff_pixels *p, struct imf_tiff_form *f,
                           struct imf_reader *r) {
    *p = (struct imf_tiff_pixels){.samples = f->samples,
                                  .bits = f->bits,
                                  .type = f->type,
                                  .separate = f->planar == PLANARCONFIG_SEPARATE,
                                  .from = {0, 1, 2, 3},
                                  .white_is_zero = f->photometric == PHOTOMETRIC_MINISWHITE,
                                  .palette = f->photometric == PHOTOMETRIC_PALETTE};
    int alpha = find_alpha(f, p);
    p->alpha = alpha > 0;
    p->premultiplied = alpha && f->extra[alpha - f->colors] == EXTRASAMPLE_ASSOCALPHA;
    if (alpha)
        p->from[f->colors] = alpha;
    p->inverted = p->white_is_zero;
    p->planes = !p->separate || p->palette ? 1 : f->colors + p->alpha;
    if (r->limits.spectral && is_spectral(f, p)) {
        r->metadata.roles = (struct imf_channel_roles){
            p->white_is_zero ? PHOTOMETRIC_MINISBLACK : f->photometric, f->colors, alpha};
        p->planes = p->separate ? 1 + p->alpha : 1;
        f->color = IMF_COLOR_GRAY;
        imf_tiff_set_channel(p, r, 0);
    } else if (f->samples > f->colors + p->alpha) { /* they are among the pixels */
        imf_account_add(&r->account, 0, 0, IMF_LOST, 0, "channels besides colour and alpha");
    }
}

/* ---- rows of the channels that follow the one that is read ----------------------------------- */

uint64_t imf_tiff_ahead_plan(struct imf_tiff_ahead *a, size_t row, int rows, int channels,
                             uint64_t limit) {
    uint64_t bytes = limit && limit < USUAL ? limit : USUAL;
    if (!imf_size_mul(row, (size_t)rows, &a->plane) || a->plane > bytes)
        return 0;
    a->row = row;
    a->most = (int)(bytes / a->plane);
    a->most = imf_min(a->most, channels);
    return (uint64_t)a->most * a->plane;
}

bool imf_tiff_ahead_begin(struct imf_tiff_ahead *a, int channel, int end, int rows) {
    bool all = a->count > 0 && a->rows == rows;
    if (all && channel >= a->first && channel < a->first + a->count)
        return true;
    if (a->most && !a->held)
        a->held = malloc((size_t)a->most * a->plane);
    a->first = channel + 1;
    a->count = a->held ? imf_min(a->most, end - a->first) : 0;
    a->rows = 0;
    return false;
}

unsigned char *imf_tiff_ahead_row(const struct imf_tiff_ahead *a, int i, int y) {
    return a->held + (size_t)i * a->plane + (size_t)y * a->row;
}
#endif
