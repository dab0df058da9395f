/*
 * file_type.c - a file's type by its first bytes: an image that can be read, another format, or none
 *
 * The library knows the formats that it reads. The table has the signatures of others, so that people
 * are told why such a file is not filtered.
 */
#include "input/file_type.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARTS 3
#define CAMERA_RAW "camera raw"

static const struct magic {
    const char *name;
    struct {
        size_t at, length;
        const char *bytes;
    } parts[PARTS]; /* all of them; of length 0: no more */
} magics[] = {
    /* Variants of TIFF, so before it. Others begin like one: NEF, ARW, PEF, DNG, IIQ. */
    {CAMERA_RAW, {{0, 4, "II*\0"}, {8, 4, "CR\2\0"}}}, /* Canon CR2 */
    {CAMERA_RAW, {{0, 4, "IIRO"}}},                    /* Olympus ORF */
    {CAMERA_RAW, {{0, 4, "IIRS"}}},
    {CAMERA_RAW, {{0, 4, "MMOR"}}},
    {CAMERA_RAW, {{0, 4, "IIU\0"}}}, /* Panasonic RW2 */
    {CAMERA_RAW, {{0, 16, "FUJIFILMCCD-RAW "}}},
    {CAMERA_RAW, {{0, 4, "\0MRM"}}},               /* Minolta MRW */
    {CAMERA_RAW, {{0, 4, "FOVb"}}},                /* Sigma X3F */
    {CAMERA_RAW, {{4, 8, "ftypcrx "}}},            /* Canon CR3 */
    {CAMERA_RAW, {{6, 8, "HEAPCCDR"}}},            /* Canon CRW */
    {CAMERA_RAW, {{0, 4, "IIII"}, {5, 3, "waR"}}}, /* Phase One */
    {CAMERA_RAW, {{0, 4, "MMMM"}, {4, 3, "Raw"}}},
    /* Where the library is built without them. */
    {"TIFF", {{0, 4, "II*\0"}}}, /* TIFF 6.0 */
    {"TIFF", {{0, 4, "MM\0*"}}},
    {"TIFF", {{0, 4, "II+\0"}}}, /* BigTIFF */
    {"TIFF", {{0, 4, "MM\0+"}}},
    {"WebP", {{0, 4, "RIFF"}, {8, 4, "WEBP"}}},
    {"GIF", {{0, 4, "GIF8"}, {5, 1, "a"}}},
    {"BMP", {{0, 2, "BM"}, {6, 4, "\0\0\0\0"}, {15, 3, "\0\0\0"}}}, /* reserved; header's size */
    {"AVIF", {{4, 7, "ftypavi"}}},                                  /* ISO/IEC 23000-22, 23008-12 */
    {"HEIF", {{4, 7, "ftyphei"}}}, /* heic, heix, heim, heis; hevc, hevx */
    {"HEIF", {{4, 7, "ftyphev"}}},
    {"HEIF", {{4, 8, "ftypmif1"}}},
    {"HEIF", {{4, 8, "ftypmsf1"}}},
    {"JPEG XL", {{0, 2, "\xff\x0a"}}}, /* ISO/IEC 18181-2: a bare codestream, or boxes */
    {"JPEG XL", {{0, 12, "\0\0\0\x0cJXL \r\n\x87\n"}}},
    {"JPEG 2000", {{0, 12, "\0\0\0\x0cjP  \r\n\x87\n"}}},
    {"JPEG 2000", {{0, 4, "\xff\x4f\xff\x51"}}},
    {"OpenEXR", {{0, 4, "v/1\1"}}},
    {"FITS", {{0, 9, "SIMPLE  ="}}},
    {"DDS", {{0, 8, "DDS \x7c\0\0\0"}}},
    {"SGI", {{0, 3, "\x01\xda\0"}, {4, 1, "\0"}}}, /* stored or by runs */
    {"SGI", {{0, 3, "\x01\xda\1"}, {4, 1, "\0"}}},
    {"PCX", {{0, 4, "\x0a\5\1\x08"}, {64, 1, "\0"}}},
    {"PCX", {{0, 4, "\x0a\5\1\1"}, {64, 1, "\0"}}},
    {"Sun raster", {{0, 4, "\x59\xa6\x6a\x95"}}},
    {"XPM", {{0, 9, "/* XPM */"}}},
    {"PSD", {{0, 4, "8BPS"}}},
    {"PDF", {{0, 5, "%PDF-"}}},
    /* TGA has no signature: its kind, no palette or one of 24 bits, bits a pixel. */
    {"TGA", {{1, 7, "\0\2\0\0\0\0\0"}, {16, 1, "\x18"}}},
    {"TGA", {{1, 7, "\0\2\0\0\0\0\0"}, {16, 1, "\x20"}}},
    {"TGA", {{1, 7, "\0\x0a\0\0\0\0\0"}, {16, 1, "\x18"}}},
    {"TGA", {{1, 7, "\0\x0a\0\0\0\0\0"}, {16, 1, "\x20"}}},
    {"TGA", {{1, 7, "\0\3\0\0\0\0\0"}, {16, 1, "\x08"}}},
    {"TGA", {{1, 7, "\0\x0b\0\0\0\0\0"}, {16, 1, "\x08"}}},
    {"TGA", {{1, 4, "\1\1\0\0"}, {7, 1, "\x18"}, {16, 1, "\x08"}}},
    {"TGA", {{1, 4, "\1\x09\0\0"}, {7, 1, "\x18"}, {16, 1, "\x08"}}},
    {"ICO", {{0, 4, "\0\0\1\0"}, {5, 1, "\0"}, {9, 1, "\0"}}}, /* few images; a reserved byte */
    {"ICO", {{0, 4, "\0\0\2\0"}, {5, 1, "\0"}, {9, 1, "\0"}}},
    {"Radiance HDR", {{0, 10, "#?RADIANCE"}}},
    {"Radiance HDR", {{0, 6, "#?RGBE"}}},
    /* macOS writes "._photo.jpg" beside photo.jpg on file systems without attributes. */
    {"AppleDouble", {{0, 4, "\0\5\x16\7"}}},
};

static bool matches(const struct magic *m, const unsigned char *head, size_t size) {
    for (size_t i = 0; i < PARTS && m->parts[i].length; i++) {
        size_t at = m->parts[i].at, length = m->parts[i].length;
        if (size < at + length || memcmp(head + at, m->parts[i].bytes, length) != 0)
            return false;
    }
    return true;
}

/* Camera raw that is a TIFF to the library, which would refuse it, is named as what it is. */
struct file_type file_type_of_head(const unsigned char *head, size_t size) {
    const char *other = NULL;
    for (size_t i = 0; !other && i < sizeof magics / sizeof magics[0]; i++)
        other = matches(&magics[i], head, size) ? magics[i].name : NULL;
    bool raw = other && strcmp(other, CAMERA_RAW) == 0;
    struct file_type type = {.format = raw ? IMF_FORMAT_NONE : imf_format_from_head(head, size)};
    type.other = type.format ? NULL : other;
    return type;
}

struct file_type file_type_of_file(const char *path) {
    /* O_NONBLOCK: the path may name a FIFO by now. Only a lease on a regular file is waited for. */
    const int flags = O_RDONLY | O_NOCTTY | O_CLOEXEC;
    unsigned char head[FILE_TYPE_HEAD];
    int fd = open(path, flags | O_NONBLOCK);
    if (fd < 0 && errno == EWOULDBLOCK)
        fd = open(path, flags);
    ssize_t size = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);
    struct file_type type = {.error = size < 0 ? errno : 0};
    if (size >= 0)
        type = file_type_of_head(head, (size_t)size);
    if (size > 1 && head[0] == head[1] && imf_is_camera_raw(fd))
        type = (struct file_type){.other = CAMERA_RAW};
    if (fd >= 0)
        close(fd);
    return type;
}

/* Programs that convert a file to a format that can be read, on standard output. */
static const struct converter {
    const char *kind, *before, *behind;
} converters[] = {{"TIFF", "tifftopnm ", ""}, /* netpbm */
                  {"GIF", "giftopnm ", ""},
                  {"BMP", "bmptopnm ", ""},
                  {"SGI", "sgitopnm ", ""},
                  {"PCX", "pcxtoppm ", ""},
                  {"Sun raster", "rasttopnm ", ""},
                  {"XPM", "xpmtoppm ", ""},
                  /* Floats from their least to their largest; at 8 bits unless it is told. */
                  {"FITS", "fitstopnm -omaxval 65535 ", ""},
                  /* vips: unlike ImageMagick 6 it keeps both EXIF and profile. */
                  {"HEIF", "vips copy ", " .png"},
                  {"AVIF", "vips copy ", " .png"},
                  {"JPEG XL", "vips copy ", " .png"},
                  {"WebP", "dwebp -quiet -pam ", " -o -"}, /* libwebp */
                  {"TGA", "convert tga:", " png:-"},       /* known by its name only */
                  {NULL, "convert ", " png:-"}};           /* ImageMagick */

void file_type_explain(FILE *file, const char *name, char *text, size_t size) {
    static const char plain[] =
        "/.,_-+0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    unsigned char head[FILE_TYPE_HEAD];
    ssize_t length = pread(fileno(file), head, sizeof head, 0);
    const char *kind = length > 0 ? file_type_of_head(head, (size_t)length).other : NULL;
    /* What the library knows it has refused with a reason of its own. */
    if (!kind || imf_format_from_head(head, (size_t)length) || strcmp(kind, "AppleDouble") == 0)
        return;
    const struct converter *c = converters;
    while (c->kind && strcmp(c->kind, kind) != 0)
        c++;
    bool odd = *name == '-' || strlen(name) > 200 || name[strspn(name, plain)];
    snprintf(text, size,
             "is %s, which imfilter does not read (try: %s%s%s | imfilter ... - -o OUTPUT)", kind,
             c->before, odd ? "FILE" : name, c->behind);
}

/* ---- counting ----------------------------------------------------------------------------- */

void file_type_count(struct file_type_counts *counts, const char *name) {
    for (size_t i = 0; i < FILE_TYPES_MAX; i++) {
        if (counts->list[i].name && strcmp(counts->list[i].name, name) != 0)
            continue;
        counts->list[i].name = name;
        counts->list[i].count++;
        return;
    }
}

char *file_type_counts_text(const struct file_type_counts *counts) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    const char *between = "";
    for (size_t i = 0; i < FILE_TYPES_MAX && counts->list[i].name; i++, between = ", ")
        fprintf(out, "%s%zu %s", between, counts->list[i].count, counts->list[i].name);
    bool empty = ftell(out) == 0;
    if (fclose(out) == 0 && !empty)
        return text;
    free(text);
    return NULL;
}
