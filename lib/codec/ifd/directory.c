/* directory.c - directories of TIFF and BigTIFF, and copying EXIF between them */
#include "codec/ifd/directory.h"

#include "codec/metadata/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = 19, IFD_TYPE = IMF_TIFF_LAST + 1, REDUCED = 1 };
static const unsigned char sizes[TYPES] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
/* Of the numbers that a value consists of: a rational is two. */
static const unsigned char units[TYPES] = {0, 1, 1, 2, 4, 4, 1, 1, 2, 4, 4, 4, 8, 4, 0, 0, 8, 8, 8};

/* Bytes of an offset, which is also how many an entry holds itself. */
static int width(bool wide) {
    return wide ? 8 : 4;
}

/* ---- reading --------------------------------------------------------------------------------- */

uint64_t imf_tiff_header(struct imf_tiff_input *in) {
    unsigned char head[16];
    if (!imf_bytes_get(&in->bytes, 0, head, 8) || head[0] != head[1] ||
        (head[0] != 'I' && head[0] != 'M'))
        return 0;
    in->big_endian = head[0] == 'M';
    uint64_t version = imf_get(head + 2, 2, in->big_endian);
    in->wide = version == 43;
    if (in->wide && imf_bytes_get(&in->bytes, 0, head, sizeof head))
        return imf_get(head + 8, 8, in->big_endian);
    return version == 42 ? imf_get(head + 4, 4, in->big_endian) : 0;
}

void imf_tiff_unload(struct imf_tiff_directory *directory) {
    free(directory->entries);
    *directory = (struct imf_tiff_directory){.entries = NULL};
}

bool imf_tiff_load(struct imf_tiff_directory *out, struct imf_tiff_input *in, uint64_t at,
                   bool *out_of_memory) {
    bool big = in->big_endian;
    int offset = width(in->wide), counter = in->wide ? 8 : 2, entry = 4 + 2 * offset;
    unsigned char head[8];
    *out = (struct imf_tiff_directory){.entries = NULL, .at = at};
    if (at == 0 || !imf_bytes_get(&in->bytes, at, head, (size_t)counter))
        return false;
    uint64_t count = imf_get(head, counter, big);
    size_t bytes = (size_t)entry * (count <= UINT16_MAX ? (size_t)count : 0) + (size_t)offset;
    unsigned char *block = malloc(bytes);
    out->entries =
        calloc((size_t)count <= UINT16_MAX ? (size_t)count + 1 : 1, sizeof *out->entries);
    bool enough = block && out->entries;
    *out_of_memory |= !enough;
    if (enough && count <= UINT16_MAX &&
        imf_bytes_get(&in->bytes, at + (uint64_t)counter, block, bytes)) {
        out->count = (size_t)count;
        out->next = imf_get(block + bytes - offset, offset, big);
    }
    for (size_t i = 0; i < out->count; i++) {
        const unsigned char *from = block + i * (size_t)entry;
        struct imf_tiff_entry *e = &out->entries[i];
        e->tag = (uint16_t)imf_get(from, 2, big);
        e->type = (uint16_t)imf_get(from + 2, 2, big);
        e->count = imf_get(from + 4, offset, big);
        memcpy(e->value, from + 4 + offset, (size_t)offset);
    }
    free(block);
    if (out->count == 0)
        imf_tiff_unload(out);
    return out->count > 0;
}

const struct imf_tiff_entry *imf_tiff_entry(const struct imf_tiff_directory *d, unsigned tag) {
    for (size_t i = 0; i < d->count; i++)
        if (d->entries[i].tag == tag)
            return &d->entries[i];
    return NULL;
}

uint64_t imf_tiff_key(const struct imf_tiff_input *in, const struct imf_tiff_directory *d,
                      size_t i) {
    return d->at + (in->wide ? 8 : 2) + i * (4 + 2 * (size_t)width(in->wide));
}

bool imf_tiff_extent(const struct imf_tiff_input *in, const struct imf_tiff_entry *e, uint64_t *at,
                     uint64_t *bytes) {
    uint64_t each = e->type < TYPES ? sizes[e->type] : 0, held = (uint64_t)width(in->wide);
    *at = 0;
    if (each == 0 || __builtin_mul_overflow(e->count, each, bytes))
        return false;
    if (*bytes <= held)
        return true;
    *at = imf_get(e->value, (int)held, in->big_endian);
    return *at > 0 && *at <= in->bytes.size && *bytes <= in->bytes.size - *at;
}

bool imf_tiff_number(struct imf_tiff_input *in, const struct imf_tiff_entry *e, uint64_t i,
                     uint64_t *number) {
    unsigned char bytes[8];
    uint64_t at, size;
    int unit = e->type < TYPES && e->type != IMF_TIFF_RATIONAL ? sizes[e->type] : 0;
    if (unit == 0 || i >= e->count || !imf_tiff_extent(in, e, &at, &size))
        return false;
    if (!at)
        memcpy(bytes, e->value + i * (size_t)unit, (size_t)unit);
    else if (!imf_bytes_get(&in->bytes, at + i * (uint64_t)unit, bytes, (size_t)unit))
        return false;
    *number = imf_get(bytes, unit, in->big_endian);
    return true;
}

uint64_t imf_tiff_number_of(struct imf_tiff_input *in, const struct imf_tiff_directory *d,
                            unsigned tag) {
    const struct imf_tiff_entry *e = imf_tiff_entry(d, tag);
    uint64_t value = 0;
    return e && imf_tiff_number(in, e, 0, &value) ? value : 0;
}

bool imf_tiff_is_reduced(struct imf_tiff_input *in, const struct imf_tiff_directory *d) {
    return imf_tiff_number_of(in, d, IMF_TIFF_SUBFILE) & REDUCED;
}

uint64_t imf_tiff_strip_bytes(struct imf_tiff_input *in, const struct imf_tiff_directory *d) {
    enum { WIDTH = 256, HEIGHT, BITS, SAMPLES = 277, ROWS, TILE_WIDTH = 322, TILE_HEIGHT };
    static const unsigned tags[][2] = {
        {TILE_WIDTH, WIDTH}, {TILE_HEIGHT, ROWS}, {SAMPLES, SAMPLES}};
    const uint64_t most = (uint64_t)1 << 60, height = imf_tiff_number_of(in, d, HEIGHT);
    uint64_t bytes = imf_tiff_number_of(in, d, BITS) > 16 ? sizeof(uint64_t) : sizeof(uint16_t);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        const struct imf_tiff_entry *e = imf_tiff_entry(d, tags[i][0]);
        e = e ? e : imf_tiff_entry(d, tags[i][1]);
        uint64_t value = e ? 0 : 1;
        if (e)
            imf_tiff_number(in, e, 0, &value);
        if (tags[i][1] == ROWS && height && (!e || value > height))
            value = height; /* of the whole image */
        if (__builtin_mul_overflow(bytes, value, &bytes) || bytes > most)
            return most;
    }
    return bytes;
}

unsigned char *imf_tiff_value(struct imf_tiff_input *in, const struct imf_tiff_entry *e,
                              size_t most, size_t *size, bool *out_of_memory) {
    uint64_t at, bytes;
    if (e->count == 0 || (in->untrue && e->tag == in->untrue) ||
        !imf_tiff_extent(in, e, &at, &bytes) || bytes > most)
        return NULL;
    *size = (size_t)bytes;
    unsigned char *value = malloc(*size);
    *out_of_memory |= !value;
    if (value && !at) {
        memcpy(value, e->value, *size);
    } else if (value && !imf_bytes_get(&in->bytes, at, value, *size)) {
        free(value);
        return NULL;
    }
    return value;
}

/* ---- writing --------------------------------------------------------------------------------- */

size_t imf_tiff_make_header(unsigned char header[16], bool big_endian, bool wide,
                            uint64_t directory) {
    size_t at = wide ? 8 : 4;
    memset(header, big_endian ? 'M' : 'I', 2);
    imf_put(header + 2, 2, wide ? 43 : 42, big_endian);
    if (wide)
        imf_put(header + 4, 4, big_endian ? 8 << 16 : 8, big_endian); /* an offset's size, and 0 */
    imf_put(header + at, width(wide), directory, big_endian);
    return 2 * at;
}

/* Append bytes at an even offset, which is returned; 0: no memory. */
static uint64_t append(struct imf_tiff_output *out, const void *bytes, size_t size) {
    size_t at = out->size + out->size % 2;
    if (at + size > out->capacity) {
        size_t capacity = 2 * (at + size);
        unsigned char *data = realloc(out->data, capacity);
        out->out_of_memory |= !data;
        if (!data)
            return 0;
        out->data = data;
        out->capacity = capacity;
    }
    if (at > out->size)
        out->data[out->size] = 0;
    memcpy(out->data + at, bytes, size);
    out->size = at + size;
    return out->base + at;
}

/* A place for the tag, in their order; NULL: it is taken, or there is no memory. */
static struct imf_tiff_entry *place(struct imf_tiff_directory *d, struct imf_tiff_output *out,
                                    unsigned tag) {
    size_t at = 0;
    while (at < d->count && d->entries[at].tag < tag)
        at++;
    if (at < d->count && d->entries[at].tag == tag)
        return NULL;
    struct imf_tiff_entry *entries = realloc(d->entries, (d->count + 1) * sizeof *entries);
    out->out_of_memory |= !entries;
    if (!entries)
        return NULL;
    d->entries = entries;
    memmove(entries + at + 1, entries + at, (d->count++ - at) * sizeof *entries);
    entries[at] = (struct imf_tiff_entry){.tag = (uint16_t)tag};
    return &entries[at];
}

/* Add `size` bytes, which are in the output's order. */
static void add(struct imf_tiff_directory *d, struct imf_tiff_output *out, unsigned tag,
                unsigned type, const unsigned char *bytes, size_t size) {
    struct imf_tiff_entry *e = place(d, out, tag);
    if (!e)
        return;
    e->type = (uint16_t)type;
    e->count = size / sizes[type];
    if (size <= (size_t)width(out->wide))
        memcpy(e->value, bytes, size);
    else
        imf_put(e->value, width(out->wide), append(out, bytes, size), out->big_endian);
}

void imf_tiff_add(struct imf_tiff_directory *d, struct imf_tiff_output *out, unsigned tag,
                  enum imf_tiff_type type, size_t count, const uint64_t *numbers) {
    size_t unit = units[type], size = count * unit;
    unsigned char *bytes = malloc(size + 1);
    out->out_of_memory |= !bytes;
    for (size_t i = 0; bytes && i < count; i++)
        imf_put(bytes + i * unit, (int)unit, numbers[i], out->big_endian);
    if (bytes)
        add(d, out, tag, type, bytes, size);
    free(bytes);
}

void imf_tiff_add_bytes(struct imf_tiff_directory *d, struct imf_tiff_output *out, unsigned tag,
                        enum imf_tiff_type type, const void *data, size_t size) {
    size_t whole = (size + sizes[type] - 1) / sizes[type] * sizes[type];
    unsigned char *bytes = calloc(1, whole + 1);
    out->out_of_memory |= !bytes;
    if (bytes && size)
        add(d, out, tag, type, memcpy(bytes, data, size), whole);
    free(bytes);
}

uint64_t imf_tiff_store(const struct imf_tiff_directory *d, struct imf_tiff_output *out) {
    bool big = out->big_endian;
    size_t offset = (size_t)width(out->wide), counter = out->wide ? 8 : 2, entry = 4 + 2 * offset;
    size_t size = counter + d->count * entry + offset; /* the next one's offset is 0 */
    unsigned char *block = calloc(1, size);
    out->out_of_memory |= !block;
    if (!block)
        return 0;
    imf_put(block, (int)counter, d->count, big);
    for (size_t i = 0; i < d->count; i++) {
        unsigned char *to = block + counter + i * entry;
        imf_put(to, 2, d->entries[i].tag, big);
        imf_put(to + 2, 2, d->entries[i].type, big);
        imf_put(to + 4, (int)offset, d->entries[i].count, big);
        memcpy(to + 4 + offset, d->entries[i].value, offset);
    }
    uint64_t at = append(out, block, size);
    free(block);
    return at;
}

/* ---- EXIF ------------------------------------------------------------------------------------ */

/* Tags of the image's directory that EXIF shares with TIFF, those of TIFF/EP, titles and ratings of
 * Windows, and of GeoTIFF. What describes the pixels is not here. */
static const uint16_t kept[][2] = {
    {269, 272},     {274, 274},     {282, 283},     {285, 287},     {296, 296},     {305, 306},
    {315, 316},     {318, 319},     {18246, 18249}, {33432, 33434}, {33437, 33437}, {33550, 33550},
    {33922, 33922}, {34264, 34264}, {34665, 34665}, {34735, 34737}, {34850, 34867}, {36864, 37510},
    {40091, 40095}, {42016, 42037}, {42112, 42113}};
/* The result has its own. */
static const uint16_t storage[][2] = {{254, 259}, {262, 268}, {273, 273},    {277, 281},
                                      {284, 284}, {288, 289}, {292, 293},    {297, 297},
                                      {317, 317}, {320, 332}, {334, 334},    {338, 347},
                                      {512, 532}, {559, 559}, {32995, 32998}};
/* What other items hold; and what holds offsets, or speaks of other pictures in the file: MetaMorph's
 * planes, Zeiss' LSM, layers. */
static const uint16_t not_private[][2] = {{270, 270},     {301, 301},     {700, 700},
                                          {33628, 33631}, {33723, 33723}, {34377, 34377},
                                          {34412, 34412}, {34675, 34675}, {37724, 37724}};
static const uint16_t no_offsets[][2] = {{50838, 50838}}; /* of type LONG: ImageJ's sizes */
/* Directories of the camera, of its position, and (in the first) of what readers may rely on. */
static const uint16_t pointers[] = {34665, 34853, 40965};
#define NESTED 2
#define EXIF_MAX ((size_t)16 << 20)

static bool is_among(unsigned tag, const uint16_t (*ranges)[2], size_t size) {
    for (size_t i = 0; i < size / sizeof *ranges; i++)
        if (tag >= ranges[i][0] && tag <= ranges[i][1])
            return true;
    return false;
}
#define AMONG(tag, ranges) is_among(tag, ranges, sizeof(ranges))

bool imf_tiff_is_storage(unsigned tag) {
    return AMONG(tag, storage);
}

bool imf_tiff_belongs(unsigned tag, unsigned type, enum imf_tiff_set set) {
    bool exif = AMONG(tag, kept) || imf_tiff_is_pointer(tag);
    bool numbers = type == IMF_TIFF_LONG || type == 9 || type >= IFD_TYPE;
    return set == IMF_TIFF_EXIF ? exif
                                : !exif && !AMONG(tag, storage) && !AMONG(tag, not_private) &&
                                      (!numbers || AMONG(tag, no_offsets));
}

bool imf_tiff_is_pointer(unsigned tag) {
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
        if (tag == pointers[i])
            return true;
    return false;
}

bool imf_tiff_copy_value(struct imf_tiff_directory *to, struct imf_tiff_output *out,
                         struct imf_tiff_input *in, const struct imf_tiff_entry *e) {
    size_t size;
    unsigned char *value =
        e->type < IFD_TYPE && out->size < EXIF_MAX
            ? imf_tiff_value(in, e, EXIF_MAX - out->size, &size, &out->out_of_memory)
            : NULL;
    int unit = value ? units[e->type] : 0;
    for (size_t i = 0; value && in->big_endian != out->big_endian && i < size; i += (size_t)unit)
        imf_put(value + i, unit, imf_get(value + i, unit, in->big_endian), out->big_endian);
    if (value)
        add(to, out, e->tag, e->type, value, size);
    free(value);
    return unit > 0;
}

static void copy(struct imf_tiff_directory *to, struct imf_tiff_output *out,
                 struct imf_tiff_input *in, uint64_t at, enum imf_tiff_set set, int depth) {
    struct imf_tiff_directory from;
    imf_tiff_load(&from, in, at, &out->out_of_memory);
    for (size_t i = 0; i < from.count; i++) {
        const struct imf_tiff_entry *e = &from.entries[i];
        if ((depth == 0 && !imf_tiff_belongs(e->tag, e->type, set)) || imf_tiff_entry(to, e->tag))
            continue;
        if (!imf_tiff_is_pointer(e->tag)) {
            if (imf_tiff_copy_value(to, out, in, e) && out->account)
                imf_account_claim(out->account, imf_tiff_key(in, &from, i), NULL);
            continue;
        }
        struct imf_tiff_directory sub = {.entries = NULL};
        uint64_t below;
        if (depth < NESTED && imf_tiff_number(in, e, 0, &below))
            copy(&sub, out, in, below, set, depth + 1);
        if (sub.count)
            imf_tiff_add(to, out, e->tag, out->wide ? IMF_TIFF_LONG8 : IMF_TIFF_LONG, 1,
                         (uint64_t[]){imf_tiff_store(&sub, out)});
        imf_tiff_unload(&sub);
    }
    imf_tiff_unload(&from);
}

void imf_tiff_copy(struct imf_tiff_directory *directory, struct imf_tiff_output *out,
                   struct imf_tiff_input *in, uint64_t at, enum imf_tiff_set set) {
    copy(directory, out, in, at, set, 0);
}
