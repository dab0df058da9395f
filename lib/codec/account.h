/*
 * account.h - what becomes of each part of a file
 *
 * A reader enters every part as it meets it. An item of metadata claims the part that it was read from,
 * by the part's key, in any order; the writer says what becomes of the item. A part that nobody claims,
 * and bytes that nobody entered, are lost: what was not thought of is told by itself.
 */
#ifndef IMF_CODEC_ACCOUNT_H
#define IMF_CODEC_ACCOUNT_H

#include "codec/metadata/items.h"
#include "codec/source.h"
#include "imfilter_program.h"

struct imf_account_entry {
    struct imf_part part;
    uint64_t key;   /* the part's offset, or another position that is its own */
    unsigned strip; /* the imf_strip bit that consents to its loss; 0: it is a picture */
};

struct imf_account {
    struct imf_account_entry *entries;
    size_t count, capacity;
    struct imf_claim {
        uint64_t key;
        const struct imf_meta_item *item;
    } * claims;
    size_t claim_count, claim_capacity;
    uint64_t size; /* of the file, or so much of it as was read; once it is closed */
    bool closed, out_of_memory;
};

/* Enter a part, whose key is its offset; lost: unless an item claims it. One that continues the last
 * part (pixels, structure, another picture) is joined to it. NULL: that, or no memory. The name is cut
 * to fit. */
struct imf_account_entry *imf_account_add(struct imf_account *account, uint64_t offset,
                                          uint64_t bytes, enum imf_becomes becomes, unsigned strip,
                                          const char *name);
/* The last part entered with this key, or NULL. */
struct imf_account_entry *imf_account_find(struct imf_account *account, uint64_t key);
/* The key of the part that the item claims; UINT64_MAX: none. */
uint64_t imf_account_key(const struct imf_account *account, const struct imf_meta_item *item);
/* item NULL: the picture's resolution. */
void imf_account_claim(struct imf_account *account, uint64_t key, struct imf_meta_item *item);
/* Of the whole file: put the parts in order, and enter what is between and behind them. NULL: the account is of a page
 * only, and other bytes are not its own. */
void imf_account_close(struct imf_account *account, struct imf_bytes *file);
/* What a whole file that others put behind an image is called, by its first and its last bytes; or NULL. */
const char *imf_account_behind(const unsigned char head[8], const unsigned char tail[4]);
void imf_account_free(struct imf_account *account);

/* The parts, with what `fate` says of items; false: no memory. */
bool imf_account_parts(struct imf_parts *out, const struct imf_account *account,
                       enum imf_becomes (*fate)(const void *data, const struct imf_meta_item *item,
                                                struct imf_part *part),
                       const void *data);
/* What becomes of it by one of the items that claim it; `as` has why. */
void imf_part_settle(struct imf_part *part, enum imf_becomes becomes, const struct imf_part *as);
/* Why a part of this name is lost, and whether it may be. */
void imf_part_explain(struct imf_part *part);
/* Add a lost part that is no part of the file as such: an item of metadata, or a part of one. */
bool imf_parts_add_lost(struct imf_parts *parts, const char *name, uint64_t bytes, const char *why);

#endif
