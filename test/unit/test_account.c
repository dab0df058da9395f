/*
 * test_account.c - what is spliced into a good file is kept or named
 *
 * Chunks, segments, tags and bytes behind the end are drawn, each with a payload of its own. Written in
 * the same format, a payload is in the new file, or the account calls its part lost. SPLICES=10000 draws
 * so many files of each format.
 */
#include "codec_util.h"

#include <zlib.h>

enum { PAYLOAD = 20, MOST = 6, ROOM = 1 << 16 };

struct spliced {
    struct bytes file;
    struct {
        size_t at; /* of the payload */
        unsigned char payload[PAYLOAD];
        size_t size;
    } list[MOST];
    int count;
};

static unsigned draw(unsigned below) {
    return (random_byte() << 16 | random_byte() << 8 | random_byte()) % below;
}

static void put_be32(unsigned char *to, size_t value) {
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void put_le(unsigned char *to, size_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static void insert(struct bytes *file, size_t at, const void *data, size_t size) {
    memmove(file->data + at + size, file->data + at, file->size - at);
    memcpy(file->data + at, data, size);
    file->size += size;
}

/* Draw a payload; `before` bytes precede it in what is inserted at `at`. */
static const unsigned char *payload(struct spliced *s, size_t at, size_t before, size_t inserted) {
    for (int i = 0; i < s->count; i++)
        s->list[i].at += s->list[i].at >= at ? inserted : 0;
    unsigned char *to = s->list[s->count].payload;
    for (int i = 0; i < PAYLOAD; i++)
        to[i] = (unsigned char)('A' + draw(58));
    s->list[s->count].at = at + before;
    s->list[s->count++].size = PAYLOAD;
    return to;
}

/* ---- formats --------------------------------------------------------------------------------- */

static void splice_png(struct spliced *s) {
    static const char *const types[] = {"tEXt", "zTXt", "iTXt", "eXIf", "gAMA", "bKGD",
                                        "sBIT", "tIME", "hIST", "sPLT", "iCCP", "pHYs",
                                        "acTL", "fdAT", "oFFs", "caBX", "cICP", "sTER"};
    static const char *const texts[] = {"",
                                        "Comment",
                                        "Author\0",
                                        "XML:com.adobe.xmp\0\0\0\0",
                                        "Raw profile type exif",
                                        "II*\0\x08\0\0\0"};
    char type[5] = "aaaa";
    unsigned char chunk[200];
    for (int i = 0; i < 4; i++)
        type[i] = (char)((i == 0 || draw(2) ? 'a' : 'A') + draw(26));
    if (draw(3) > 0)
        memcpy(type, types[draw(sizeof types / sizeof *types)], 4);
    size_t text = draw(sizeof texts / sizeof *texts), skip = strlen(texts[text]) + (text > 0);
    skip = text == 2 ? 7 : text == 3 ? 22 : text == 5 ? 8 : skip;
    /* behind the header, or before the end */
    size_t at = draw(2) ? 33 : s->file.size - 12;
    while (memcmp(s->file.data + at + 4, "IEND", 4) != 0 && at > 33)
        at--;
    put_be32(chunk, skip + PAYLOAD);
    memcpy(chunk + 4, type, 4);
    memcpy(chunk + 8, texts[text], skip);
    memcpy(chunk + 8 + skip, payload(s, at, 8 + skip, skip + PAYLOAD + 12), PAYLOAD);
    size_t size = 4 + skip + PAYLOAD;
    put_be32(chunk + 4 + size, crc32(0, chunk + 4, (uInt)size));
    insert(&s->file, at, chunk, size + 8);
}

static void splice_jpeg(struct spliced *s) {
    static const char *const begins[] = {"",
                                         "Exif\0",
                                         "http://ns.adobe.com/xap/1.0/",
                                         "ICC_PROFILE",
                                         "MPF",
                                         "Photoshop 3.0",
                                         "FLIR",
                                         "JP",
                                         "JFXX",
                                         "Ducky",
                                         "urn:iso:std:iso:ts:21496:-1",
                                         "http://ns.adobe.com/xmp/extension/"};
    unsigned char segment[200] = {0xff, 0};
    segment[1] = (unsigned char)(draw(8) ? 0xe0 + draw(16) : 0xfe);
    size_t begin = draw(sizeof begins / sizeof *begins);
    size_t skip = begin == 1 ? 6 : begin > 0 ? strlen(begins[begin]) + 1 : 0, at = 2;
    memcpy(segment + 4, begins[begin], skip);
    if (draw(4) == 0) /* behind the pixels */
        for (at = s->file.size - 2; memcmp(s->file.data + at, "\xff\xd9", 2) != 0;)
            at--;
    segment[3] = (unsigned char)(2 + skip + PAYLOAD);
    memcpy(segment + 4 + skip, payload(s, at, 4 + skip, 4 + skip + PAYLOAD), PAYLOAD);
    insert(&s->file, at, segment, 4 + skip + PAYLOAD);
}

/* The directory is moved to the end, with an entry more. */
static void splice_tiff(struct spliced *s) {
    static const unsigned char sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4};
    static const unsigned tags[] = {270,   271,   305,   306,   700, 33723,
                                    34377, 34675, 37724, 33550, 330};
    unsigned char *d = s->file.data, entry[12];
    size_t old = d[4] | (size_t)d[5] << 8 | (size_t)d[6] << 16,
           count = d[old] | (size_t)d[old + 1] << 8;
    unsigned tag = draw(2) ? 1000 + draw(64000) : tags[draw(sizeof tags / sizeof *tags)];
    unsigned type = 1 + draw(13), unit = sizes[type];
    size_t at = s->file.size + s->file.size % 2, value = at, end;
    d[s->file.size] = 0;
    memcpy(d + value, payload(s, s->file.size, value - s->file.size, 0), PAYLOAD);
    size_t bytes = PAYLOAD / unit * unit;
    s->list[s->count - 1].size = bytes;
    memset(d + value + bytes, 0, PAYLOAD - bytes);
    at = value + PAYLOAD;
    put_le(entry, tag, 2);
    put_le(entry + 2, type, 2);
    put_le(entry + 4, bytes / unit, 4);
    put_le(entry + 8, value, 4);
    size_t before = 0;
    while (before < count &&
           (d[old + 2 + 12 * before] | (unsigned)d[old + 3 + 12 * before] << 8) < tag)
        before++;
    put_le(d + at, count + 1, 2);
    memcpy(d + at + 2, d + old + 2, 12 * before);
    memcpy(d + at + 2 + 12 * before, entry, 12);
    memcpy(d + at + 14 + 12 * before, d + old + 2 + 12 * before, 12 * (count - before) + 4);
    end = at + 2 + 12 * (count + 1) + 4;
    memset(d + old, 0, 2 + 12 * count + 4); /* padding now */
    put_le(d + 4, at, 4);
    s->file.size = end;
}

static void splice_webp(struct spliced *s) {
    static const struct {
        const char *type;
        unsigned flag; /* of VP8X */
    } kinds[] = {{"EXIF", 8}, {"ICCP", 32}, {"XMP ", 4}, {"abcd", 0}, {"efgh", 0}, {"ijkl", 0}};
    unsigned kind = draw(8) ? 3 + draw(3) : draw(3);
    unsigned char chunk[8 + PAYLOAD];
    size_t at =
        draw(2) ? 30 : 8 + (s->file.data[4] | (size_t)s->file.data[5] << 8); /* behind VP8X */
    at = kind == 1 ? 30 : kind == 0 ? 8 + (s->file.data[4] | (size_t)s->file.data[5] << 8) : at;
    s->file.data[20] |= (unsigned char)kinds[kind].flag;
    memcpy(chunk, kinds[kind].type, 4);
    put_le(chunk + 4, PAYLOAD, 4);
    memcpy(chunk + 8, payload(s, at, 8, sizeof chunk), PAYLOAD);
    insert(&s->file, at, chunk, sizeof chunk);
    put_le(s->file.data + 4, (s->file.data[4] | (size_t)s->file.data[5] << 8) + sizeof chunk, 4);
}

static void splice_pnm(struct spliced *s) {
    unsigned char comment[PAYLOAD + 3] = "# ";
    memcpy(comment + 2, payload(s, 3, 2, sizeof comment), PAYLOAD);
    comment[PAYLOAD + 2] = '\n';
    insert(&s->file, 3, comment, sizeof comment);
}

static void splice_behind(struct spliced *s) {
    memcpy(s->file.data + s->file.size, payload(s, s->file.size, 0, 0), PAYLOAD);
    s->file.size += PAYLOAD;
}

/* ---- the check ------------------------------------------------------------------------------- */

static const struct imf_part *part_at(const struct imf_parts *parts, size_t at) {
    for (size_t i = 0; i < parts->count; i++)
        if (at >= parts->list[i].offset && at - parts->list[i].offset < parts->list[i].bytes)
            return &parts->list[i];
    return NULL;
}

/* How many payloads were kept; *lost: how many were named. */
static int check_fates(const struct spliced *s, struct decoded *d, const char *name, int *lost) {
    struct imf_info info = d->info;
    struct imf_writer *w = NULL;
    struct imf_parts parts;
    FILE *f = tmpfile();
    int kept = 0;
    bool good =
        imf_writer_open(&w, f, &info, NULL, imf_reader_metadata(d->reader), NULL) == IMF_OK &&
        imf_writer_rows(w, d->pixels, row_bytes(&info), info.height, NULL) == IMF_OK &&
        imf_writer_finish(w, NULL) == IMF_OK && imf_parts_of(&parts, d->reader, w);
    CHECK(good, "%s: not written", name);
    struct bytes out = slurp(f);
    for (int i = 0; good && i < s->count; i++) {
        const struct imf_part *p = part_at(&parts, s->list[i].at);
        bool there = memmem(out.data, out.size, s->list[i].payload, s->list[i].size) != NULL;
        bool named = p && p->becomes == IMF_LOST;
        CHECK(there || named, "%s: silent: %s at %llu", name, p ? p->name : "no part",
              p ? (unsigned long long)p->offset : 0);
        CHECK(!there || !named, "%s: kept, and called lost: %s (%s)", name, p ? p->name : "no part",
              p && p->why ? p->why : "");
        kept += there;
        *lost += named;
    }
    if (good)
        imf_parts_free(&parts);
    imf_writer_close(&w);
    fclose(f);
    free(out.data);
    return kept;
}

int main(void) {
    static const struct {
        const char *name;
        void (*splice)(struct spliced *s);
    } formats[] = {{"png", splice_png},
                   {"jpeg", splice_jpeg},
                   {"pnm", splice_pnm},
                   {"tiff", splice_tiff},
                   {"webp", splice_webp}};
    const char *asked = getenv("SPLICES");
    int files = asked ? atoi(asked) : 400;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const char *name = formats[k].name;
        enum imf_format format = imf_format_from_name(name);
        int read = 0, kept = 0, lost = 0;
        if (format == IMF_FORMAT_NONE) /* the library is built without it */
            continue;
        struct imf_info i = shape(16, 12, IMF_COLOR_RGB, false, 8, format);
        unsigned char *pixels = smooth_pixels(&i);
        struct imf_metadata m = {0}; /* for which a WebP has its extended form */
        imf_metadata_add(&m, IMF_META_XMP, IMF_STRIP_XMP, "<x:xmpmeta/>", 12);
        bool extended = strcmp(name, "webp") == 0;
        struct bytes good = encode(&i, pixels, NULL, extended ? &m : NULL, NULL);
        for (int n = 0; n < files; n++) {
            struct spliced s = {.file = {malloc(ROOM), good.size}};
            memcpy(s.file.data, good.data, good.size);
            for (unsigned more = 1 + draw(MOST - 1); more > 0; more--)
                formats[k].splice(&s);
            if (draw(4) == 0)
                splice_behind(&s);
            struct decoded d = decode(s.file.data, s.file.size, NULL);
            if (d.status == IMF_OK) {
                read++;
                kept += check_fates(&s, &d, name, &lost);
            }
            done(&d);
            free(s.file.data);
        }
        printf("%s: %d of %d files read, %d splices kept, %d named\n", name, read, files, kept,
               lost);
        CHECK(read > files / 4 && kept > 0 && lost > 0, "%s: %d, %d, %d", name, read, kept, lost);
        free(pixels);
        free(good.data);
        imf_metadata_clear(&m);
    }
    return check_done("test_account");
}
