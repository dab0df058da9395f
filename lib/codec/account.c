/* account.c - what becomes of each part of a file */
#include "codec/account.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX 65536 /* what a file has besides is unknown */
#define PIECE 16384

#define ONE_PICTURE "one picture is filtered"
#define OFFSETS "it may hold offsets"
#define BEHIND "it is kept behind a PNG or a JPEG alone, up to 64 MiB, and not from a pipe"

/* Why a part is lost whose name begins so, where nothing else says so; and what may be, without a word. */
static const struct {
    const char *name, *why;
    bool harmless;
} reasons[] = {
    {"thumbnail", "it shows the picture as it was", true},
    {"smaller copy of the picture", "it shows the picture as it was", true},
    {"overview", "it shows the picture as it was", true},
    {"histogram of the palette", "it is that of other pixels", true},
    {"Apple's index of rows (iDOT)", "rows are elsewhere now", true},
    {"background colour", "it is a hint for viewers, in the form of other pixels", true},
    {"significant bits", "it is a hint for viewers, in the form of other pixels", true},
    {"frames of an animation", ONE_PICTURE, false},
    {"further pictures", ONE_PICTURE, false},
    {"first picture", ONE_PICTURE, false},
    {"picture ", ONE_PICTURE, false},
    {"planes (", "it is of planes in one directory", false},
    {"planes", ONE_PICTURE, false},
    {"layers", ONE_PICTURE, false},
    {"suggested palette", "it is for the pixels as they were", false},
    {"HDR picture", "it is a difference to the pixels as they were", false},
    {"depth map", "it is of the pixels as they were", false},
    {"auxiliary picture", "it is of the pixels as they were", false},
    {"signature", "what it says of the file no longer holds", false},
    {"transfer function", "it is for samples as they were stored", false},
    {"tag ", OFFSETS, false},
    {"EXIF tag ", OFFSETS, false},
    {"film ", BEHIND, false},
    {"archive ", BEHIND, false},
    {"data ", BEHIND, false},
    {"whole file", BEHIND, false},
    {"unknown", "it may depend on the pixels", false},
    {"bytes behind", "nothing says what they are", false},
    {"", "damaged or too large", false},
};

/* Files that others put behind an image. */
static const struct {
    size_t at;
    const char *begin, *name;
} behind[] = {
    {4, "ftyp", "film behind the end (MP4)"},
    {0, "PK\3\4", "archive behind the end (ZIP)"},
    {0, "\xff\xd8\xff", "picture behind the end (JPEG)"},
    {0, "\x89PNG", "picture behind the end (PNG)"},
};

const char *imf_account_behind(const unsigned char head[8], const unsigned char tail[4]) {
    for (size_t k = 0; k < sizeof behind / sizeof behind[0]; k++)
        if (memcmp(head + behind[k].at, behind[k].begin, strlen(behind[k].begin)) == 0)
            return behind[k].name;
    return memcmp(tail, "SEFT", 4) == 0 ? "data behind the end (Samsung's SEF)" : NULL;
}

static bool grow(void *list, size_t count, size_t *capacity, size_t size, bool *out_of_memory) {
    void **to = list;
    if (count < *capacity)
        return true;
    size_t larger = *capacity ? 2 * *capacity : 16;
    void *grown = reallocarray(*to, larger, size);
    *out_of_memory |= !grown;
    if (!grown)
        return false;
    *to = grown;
    *capacity = larger;
    return true;
}

static void set_name(struct imf_part *part, const char *name) {
    snprintf(part->name, sizeof part->name, "%s", name);
}

/* Does b continue a, so that they are one part? */
static bool continues(const struct imf_account_entry *a, const struct imf_account_entry *b) {
    return b->part.offset == a->part.offset + a->part.bytes && b->part.becomes == a->part.becomes &&
           (b->part.becomes != IMF_LOST || b->strip == 0) &&
           strcmp(a->part.name, b->part.name) == 0;
}

static struct imf_account_entry *append(struct imf_account *a, uint64_t offset, uint64_t bytes,
                                        enum imf_becomes becomes, unsigned strip,
                                        const char *name) {
    struct imf_account_entry e = {.part = {.offset = offset, .bytes = bytes, .becomes = becomes},
                                  .key = offset,
                                  .strip = strip};
    if (bytes > UINT64_MAX - offset)
        e.part.bytes = UINT64_MAX - offset;
    set_name(&e.part, name);
    struct imf_account_entry *last = a->count ? &a->entries[a->count - 1] : NULL;
    if (last && continues(last, &e)) {
        last->part.bytes += e.part.bytes;
        return NULL;
    }
    if (!grow(&a->entries, a->count, &a->capacity, sizeof e, &a->out_of_memory))
        return NULL;
    a->entries[a->count] = e;
    return &a->entries[a->count++];
}

struct imf_account_entry *imf_account_add(struct imf_account *a, uint64_t offset, uint64_t bytes,
                                          enum imf_becomes becomes, unsigned strip,
                                          const char *name) {
    return a->closed || a->count >= ENTRIES_MAX ? NULL
                                                : append(a, offset, bytes, becomes, strip, name);
}

struct imf_account_entry *imf_account_find(struct imf_account *a, uint64_t key) {
    for (size_t i = a->count; i > 0; i--)
        if (a->entries[i - 1].key == key)
            return &a->entries[i - 1];
    return NULL;
}

uint64_t imf_account_key(const struct imf_account *a, const struct imf_meta_item *item) {
    for (size_t i = 0; i < a->claim_count; i++)
        if (a->claims[i].item == item)
            return a->claims[i].key;
    return UINT64_MAX;
}

void imf_account_claim(struct imf_account *a, uint64_t key, struct imf_meta_item *item) {
    if (item)
        item->entered = true;
    if (grow(&a->claims, a->claim_count, &a->claim_capacity, sizeof *a->claims, &a->out_of_memory))
        a->claims[a->claim_count++] = (struct imf_claim){key, item};
}

void imf_account_free(struct imf_account *a) {
    free(a->entries);
    free(a->claims);
    *a = (struct imf_account){.entries = NULL};
}

/* ---- closing --------------------------------------------------------------------------------- */

static int by_offset(const void *a, const void *b) {
    const struct imf_account_entry *x = a, *y = b;
    return x->part.offset != y->part.offset ? (x->part.offset < y->part.offset ? -1 : 1)
           : x->key != y->key               ? (x->key < y->key ? -1 : 1)
                                            : 0;
}

static bool all_zeros(struct imf_bytes *file, uint64_t at, uint64_t bytes) {
    unsigned char piece[PIECE];
    while (bytes > 0) {
        size_t n = bytes < PIECE ? (size_t)bytes : PIECE;
        if (!imf_bytes_get(file, at, piece, n))
            return false;
        for (size_t i = 0; i < n; i++)
            if (piece[i])
                return false;
        at += n;
        bytes -= n;
    }
    return true;
}

void imf_account_close(struct imf_account *a, struct imf_bytes *file) {
    struct imf_account old = *a;
    uint64_t end = 0, size = file ? file->size : 0;
    if (a->closed || !file) {
        a->closed = true;
        return;
    }
    a->entries = NULL;
    a->count = a->capacity = 0;
    for (size_t i = 1; i < old.count; i++)
        if (by_offset(&old.entries[i - 1], &old.entries[i]) > 0) {
            qsort(old.entries, old.count, sizeof *old.entries, by_offset);
            break;
        }
    for (size_t i = 0; i <= old.count; i++) {
        const struct imf_account_entry last = {.part.offset = size};
        struct imf_account_entry e = i < old.count ? old.entries[i] : last, *entered;
        uint64_t from = e.part.offset < size ? e.part.offset : size;
        if (from > end) {
            unsigned char head[8] = {0};
            unsigned char tail[4] = {0};
            const char *name = NULL;
            if (from == size && from - end >= sizeof head &&
                imf_bytes_get(file, end, head, sizeof head) &&
                imf_bytes_get(file, size - sizeof tail, tail, sizeof tail))
                name = imf_account_behind(head, tail);
            bool zeros = all_zeros(file, end, from - end);
            append(a, end, from - end, zeros ? IMF_STRUCTURE : IMF_LOST, IMF_STRIP_OTHER,
                   zeros          ? "padding"
                   : name         ? name
                   : from == size ? "bytes behind the end"
                                  : "unknown bytes");
            end = from;
        }
        if (i == old.count)
            break;
        /* Bytes that two parts share are the first one's. */
        uint64_t to = size - from < e.part.bytes ? size : from + e.part.bytes;
        from = from > end ? from : end;
        to = to > from ? to : from;
        entered = append(a, from, to - from, e.part.becomes, e.strip, e.part.name);
        if (entered) {
            entered->key = e.key;
            entered->part.why = e.part.why;
        }
        end = to;
    }
    free(old.entries);
    a->size = size;
    a->closed = true;
}

/* ---- the result ------------------------------------------------------------------------------ */

struct keyed {
    uint64_t key;
    size_t part;
};

static int by_key(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : 0;
}

void imf_part_settle(struct imf_part *part, enum imf_becomes becomes, const struct imf_part *as) {
    if (part->becomes == IMF_LOST && (becomes != IMF_LOST || !part->why)) {
        part->becomes = becomes;
        part->why = as->why;
        part->allowed = as->allowed;
    }
}

void imf_part_explain(struct imf_part *part) {
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strncmp(part->name, reasons[i].name, strlen(reasons[i].name)) == 0 &&
            (reasons[i].harmless || !part->why)) {
            part->why = reasons[i].why;
            part->allowed = reasons[i].harmless;
        }
}

bool imf_account_parts(struct imf_parts *out, const struct imf_account *a,
                       enum imf_becomes (*fate)(const void *data, const struct imf_meta_item *item,
                                                struct imf_part *part),
                       const void *data) {
    struct keyed *keys = calloc(a->count + 1, sizeof *keys);
    *out = (struct imf_parts){.list = calloc(a->count + 1, sizeof *out->list), .size = a->size};
    if (!keys || !out->list) {
        free(keys);
        imf_parts_free(out);
        return false;
    }
    out->count = a->count;
    for (size_t i = 0; i < a->count; i++) {
        const struct imf_account_entry *e = &a->entries[i];
        out->list[i] = e->part;
        keys[i] = (struct keyed){e->key, i};
    }
    qsort(keys, a->count, sizeof *keys, by_key);
    for (size_t c = 0; c < a->claim_count; c++) {
        const struct keyed key = {a->claims[c].key, 0};
        struct imf_part as = {.why = NULL};
        const struct keyed *at = bsearch(&key, keys, a->count, sizeof *keys, by_key);
        if (!at)
            continue;
        enum imf_becomes becomes = fate(data, a->claims[c].item, &as);
        while (at > keys && at[-1].key == key.key)
            at--;
        for (; at < keys + a->count && at->key == key.key; at++)
            imf_part_settle(&out->list[at->part], becomes, &as);
    }
    for (size_t i = 0; i < out->count; i++)
        if (out->list[i].becomes == IMF_LOST && !out->list[i].allowed)
            imf_part_explain(&out->list[i]);
    free(keys);
    return true;
}

bool imf_parts_add_lost(struct imf_parts *parts, const char *name, uint64_t bytes,
                        const char *why) {
    struct imf_part *grown =
        reallocarray(parts->list, parts->count + parts->besides + 1, sizeof *grown);
    if (!grown)
        return false;
    struct imf_part *part = &grown[parts->count + parts->besides++];
    *part = (struct imf_part){.bytes = bytes, .becomes = IMF_LOST, .why = why};
    set_name(part, name);
    parts->list = grown;
    imf_part_explain(part);
    return true;
}

void imf_parts_free(struct imf_parts *parts) {
    free(parts->list);
    *parts = (struct imf_parts){.list = NULL};
}

/* ---- in words -------------------------------------------------------------------------------- */

/* "812 bytes", "14,203 bytes", "665 KB". */
static void put_bytes(char text[32], uint64_t bytes) {
    if (bytes < 1000)
        snprintf(text, 32, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
    else if (bytes < 100000)
        snprintf(text, 32, "%" PRIu64 ",%03" PRIu64 " bytes", bytes / 1000, bytes % 1000);
    else
        snprintf(text, 32, "%.0f %s", (double)bytes / (bytes < 100000000 ? 1e3 : 1e6),
                 bytes < 100000000 ? "KB" : "MB");
}

static bool is_loss(const struct imf_part *part) {
    return part->becomes == IMF_LOST && !part->allowed;
}

/* Parts of one name are one, of the first names; of others each is one. */
bool imf_parts_lost(const struct imf_parts *parts, char *text, size_t size) {
    enum { SHOWN = 8 };
    struct {
        const struct imf_part *first;
        uint64_t bytes;
        size_t times;
    } names[SHOWN] = {{NULL, 0, 0}};
    size_t shown = 0, more = 0, used = 0;
    for (size_t i = 0; i < parts->count + parts->besides; i++) {
        const struct imf_part *p = &parts->list[i];
        size_t k = 0;
        if (!is_loss(p))
            continue;
        while (k < shown && strcmp(names[k].first->name, p->name) != 0)
            k++;
        if (k == SHOWN) {
            more++;
            continue;
        }
        if (k == shown)
            names[shown++].first = p;
        names[k].bytes += p->bytes;
        names[k].times++;
    }
    *text = '\0';
    for (size_t k = 0; k < shown; k++) {
        const struct imf_part *p = names[k].first;
        char amount[32], times[32] = "";
        const char *why = p->why && strcmp(p->why, IMF_NOT_HELD) != 0 ? p->why : NULL;
        put_bytes(amount, names[k].bytes);
        if (names[k].times > 1)
            snprintf(times, sizeof times, "%zu times, ", names[k].times);
        used += (size_t)snprintf(text + used, size - used, "%s%s (%s%s%s%s)", k ? ", " : "",
                                 p->name, times, amount, why ? ": " : "", why ? why : "");
        used = used < size ? used : size - 1;
    }
    if (more)
        snprintf(text + used, size - used, " and %zu more", more);
    return shown > 0;
}
