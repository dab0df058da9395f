/* encoder.c - what encoders call */
#include "codec/encoder.h"

#include "codec/codec.h"
#include "codec/metadata/bytes.h"
#include "codec/metadata/coding.h"
#include "codec/metadata/irb.h"
#include "codec/metadata/profile.h"
#include "codec/metadata/xmp.h"
#include "imfilter_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void imf_writer_put(struct imf_writer *w, const void *bytes, size_t size) {
    errno = 0;
    if (!w->error && fwrite(bytes, 1, size, w->stream) != size)
        w->error = errno ? errno : EIO;
    w->written += size;
}

off_t imf_writer_position(const struct imf_writer *w) {
    int flags = fcntl(fileno(w->stream), F_GETFL);
    off_t at = flags >= 0 && !(flags & O_APPEND) ? ftello(w->stream) : -1;
    return at >= 0 && fseeko(w->stream, at, SEEK_SET) == 0 ? at : -1;
}

enum imf_status imf_writer_hold(struct imf_writer *w, struct imf_error *err) {
    FILE *memory = open_memstream(&w->held, &w->held_size);
    if (!memory)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    w->file = w->stream;
    w->stream = memory;
    return IMF_OK;
}

void imf_writer_release(struct imf_writer *w) {
    if (!w->file)
        return;
    if (fclose(w->stream) != 0 || !w->held) /* glibc does not tell of the latter */
        w->error = ENOMEM;
    w->stream = w->file;
    w->file = NULL;
}

enum imf_status imf_writer_memory(struct imf_writer *w, uint64_t bytes, const char *what,
                                  struct imf_error *err) {
    w->memory = bytes;
    return imf_memory_fits(w->encode.max_memory, bytes, what, err);
}

void imf_writer_warn(struct imf_writer *w, const char *format, ...) {
    size_t used = strlen(w->warning);
    if (used && used + 2 < sizeof w->warning)
        used += (size_t)snprintf(w->warning + used, sizeof w->warning - used, "; ");
    va_list args;
    va_start(args, format);
    vsnprintf(w->warning + used, sizeof w->warning - used, format, args);
    va_end(args);
}

void imf_writer_lose(struct imf_writer *w, const struct imf_meta_item *item, const char *name,
                     uint64_t bytes, const char *why) {
    struct imf_writer_loss *losses = reallocarray(w->losses, w->loss_count + 1, sizeof *losses);
    w->out_of_memory |= !losses;
    if (!losses)
        return;
    w->losses = losses;
    losses[w->loss_count++] = (struct imf_writer_loss){item, name, why, bytes};
}

/* EXIF is written without its thumbnail, if it has one. */
static void lose_thumbnail(struct imf_writer *w, const struct imf_meta_item *exif) {
    size_t bytes = imf_exif_thumbnail(exif->data, exif->size);
    for (size_t i = 0; i < w->loss_count; i++)
        if (!w->losses[i].item && strcmp(w->losses[i].name, "thumbnail") == 0)
            return;
    if (bytes > 0)
        imf_writer_lose(w, NULL, "thumbnail", bytes, NULL);
}

void imf_pack_bits(unsigned char *to, const unsigned char *row, int count, int depth, int bits) {
    unsigned packed = 0;
    int held = 0;
    for (int x = 0; x < count; x++) {
        uint16_t sample = row[x];
        if (depth == 16)
            memcpy(&sample, row + 2 * (size_t)x, sizeof sample);
        packed = packed << bits | (unsigned)sample >> (depth - bits);
        held += bits;
        if (held == 8) {
            *to++ = (unsigned char)packed;
            held = 0;
        }
    }
    if (held)
        *to = (unsigned char)(packed << (8 - held));
}

/* What the file's profile has to be for. */
static enum imf_color profile_color(const struct imf_writer *w) {
    static const enum imf_color spectral[] = {[3] = IMF_COLOR_RGB, [4] = IMF_COLOR_CMYK};
    bool repeated = w->info.color == IMF_COLOR_GRAY && w->codec->repeats_gray;
    if (w->info.spectral && w->metadata && w->metadata->roles.colors >= 3)
        return spectral[w->metadata->roles.colors];
    return repeated ? IMF_COLOR_RGB : w->info.color;
}

/* Is it a PNG's chunk of one of these names, one behind the other? */
static bool is_chunk(const struct imf_meta_item *item, const char *names) {
    while (*names && item->tag != imf_get32(names))
        names += 4;
    return item->kind == IMF_META_PNG_CHUNK && *names;
}

/* Chunks of numbers, and texts that are no profile. */
static bool is_plain_chunk(const struct imf_meta_item *item) {
    static const char *const profiles[] = {"raw profile", "xml:"};
    bool text = is_chunk(item, "tEXtzTXtiTXt");
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        size_t n = strlen(profiles[i]);
        text = text &&
               !(item->size >= n && strncasecmp((const char *)item->data, profiles[i], n) == 0);
    }
    return text || is_chunk(item, "gAMAcHRMsRGBcICPmDCVmDCvcLLIcLLibKGDsBITtIMEoFFspCALsCAL");
}

const char *imf_writer_refuses(const struct imf_writer *w, const struct imf_meta_item *item,
                               bool *consent) {
    static const bool opaque[IMF_META_KINDS] = {
        [IMF_META_JPEG_SEGMENT] = true, [IMF_META_XMP_EXTENSION] = true,
        [IMF_META_JPEG_MPF] = true,     [IMF_META_JPEG_TRAILER] = true,
        [IMF_META_TRAILER] = true,      [IMF_META_TIFF_TAGS] = true};
    size_t most = w->codec->metadata_max[item->kind];
    bool stripped = w->encode.strip & item->strip;
    bool copy = opaque[item->kind] || (item->kind == IMF_META_PNG_CHUNK && !is_plain_chunk(item));
    *consent = stripped || (copy && (w->encode.strip & IMF_STRIP_PICTURES));
    bool fits = item->kind != IMF_META_ICC || imf_icc_fits(item, profile_color(w));
    return stripped            ? IMF_STRIPPED
           : *consent          ? IMF_HIDDEN
           : !most             ? IMF_NOT_HELD
           : item->size > most ? "too large for the format"
           : !fits             ? "it is for other colours"
                               : NULL;
}

bool imf_writer_wants(const struct imf_writer *w, const struct imf_meta_item *item) {
    bool consent;
    return !imf_writer_refuses(w, item, &consent);
}

const struct imf_meta_item *imf_writer_icc(const struct imf_writer *w) {
    const struct imf_meta_item *icc = imf_metadata_find(w->metadata, IMF_META_ICC);
    return w->made_icc ? w->made_icc : icc && imf_writer_wants(w, icc) ? icc : NULL;
}

/* Of cICP, does the file have its numbers? It says that samples have all of their range. */
static bool names(const struct imf_writer *w, const struct imf_meta_item *cicp) {
    return w->codec->names_colors && cicp && cicp->data[3] == 1;
}

enum imf_status imf_writer_make_icc(struct imf_writer *w, struct imf_error *err) {
    const struct imf_meta_item *icc = imf_metadata_find(w->metadata, IMF_META_ICC);
    enum imf_color color = profile_color(w);
    struct imf_error why = {0};
    enum imf_status status = IMF_OK;
    w->says_colors = true;
    if (!w->codec->metadata_max[IMF_META_ICC] || (w->encode.strip & IMF_STRIP_ICC))
        return IMF_OK;
    bool named = names(w, imf_chunk_find(w->metadata, "cICP"));
    bool chunks = !named && !w->codec->metadata_max[IMF_META_PNG_CHUNK] && color != IMF_COLOR_CMYK;
    if (icc && !imf_icc_fits(icc, color) && w->info.color == IMF_COLOR_GRAY)
        status = imf_profile_convert(&w->made_icc, icc, color, &why);
    else if (!icc && chunks)
        status = imf_profile_of_chunks(&w->made_icc, w->metadata, color, &why);
    w->says_colors = status == IMF_OK;
    return status == IMF_ERR_MEMORY ? imf_fail(err, status, "%s", why.text) : IMF_OK;
}

bool imf_writer_rebuilds(const struct imf_writer *w, const struct imf_meta_item *item) {
    const size_t *most = w->codec->metadata_max;
    bool icc = imf_metadata_find(w->metadata, IMF_META_ICC); /* cICP counts without one */
    if (item->kind == IMF_META_ICC && !imf_writer_wants(w, item))
        return w->made_icc;
    if (is_chunk(item, "cICP") && names(w, item))
        return true;
    return is_chunk(item, icc ? "sRGBgAMAcHRM" : "cICPsRGBgAMAcHRM") && !most[IMF_META_PNG_CHUNK] &&
           w->says_colors && most[IMF_META_ICC];
}

const unsigned char *imf_writer_data(struct imf_writer *w, const struct imf_meta_item *item) {
    bool exif = item->kind == IMF_META_EXIF, irb = item->kind == IMF_META_IRB;
    if (!exif && !irb && !(item->kind == IMF_META_XMP && w->reoriented))
        return item->data;
    if (exif)
        lose_thumbnail(w, item);
    free(w->data);
    w->data = exif  ? imf_exif_edit(item, w->reoriented, w->orientation.swap,
                                    w->encode.strip & IMF_STRIP_PICTURES)
              : irb ? imf_irb_edit(item->data, item->size)
                    : imf_xmp_upright(item);
    w->out_of_memory |= !w->data;
    return w->data;
}

struct imf_density imf_writer_density(const struct imf_writer *w) {
    struct imf_density d = {0};
    if (w->metadata && !(w->encode.strip & IMF_STRIP_OTHER))
        d = w->metadata->density;
    return w->orientation.swap ? (struct imf_density){d.unit, d.y, d.x} : d;
}

const unsigned char *imf_writer_xmp(struct imf_writer *w, const struct imf_meta_item *item,
                                    size_t *size) {
    const unsigned char *data = imf_writer_data(w, item);
    const size_t *most = w->codec->metadata_max;
    unsigned char *joined = NULL, *removed = NULL;
    *size = item->size;
    bool hides = w->encode.strip & IMF_STRIP_PICTURES;
    bool alone = w->no_trailer || !most[IMF_META_JPEG_TRAILER];
    unsigned parts = (item->needs_trailer && alone ? IMF_XMP_TRAILER_REFS : 0) |
                     (hides ? IMF_XMP_EXTENSION_NOTE | IMF_XMP_PICTURES : 0);
    if (data && !most[IMF_META_XMP_EXTENSION] && !hides &&
        imf_metadata_find(w->metadata, IMF_META_XMP_EXTENSION)) {
        joined = imf_xmp_join(w->metadata, data, item->size, size, &w->out_of_memory);
        if (joined)
            data = joined;
        else
            imf_writer_lose(w, NULL, "extension of the XMP", 0, "damaged");
    }
    if (data && parts) {
        removed = imf_xmp_remove(data, *size, parts, size, &w->out_of_memory);
        data = removed;
        free(joined);
        joined = NULL;
    }
    free(w->xmp);
    w->xmp = removed ? removed : joined;
    return data;
}
