/* test_codec_tiff.c - TIFF as libtiff writes it, in every form */
#include "codec_util.h"

#include <unistd.h>

#ifdef IMF_WITH_TIFF
#include <tiffio.h>

/* ---- what libtiff writes --------------------------------------------------------------------- */

/* How a file holds an image. */
struct form {
    int bits, photometric, extra; /* extra: EXTRASAMPLE_*, -1: no such sample */
    int planar, compression, predictor;
    int tile, rows; /* side of tiles, or rows of a strip */
    const char *mode;
    int order; /* of bits in a byte */
};

static bool is_white_zero(const struct form *f) {
    return f->photometric == PHOTOMETRIC_MINISWHITE;
}

/* A value of the file's bits as a sample of the image. */
static unsigned sample_of(const struct form *f, unsigned value) {
    unsigned most = (1u << f->bits) - 1;
    value = is_white_zero(f) ? most - value : value;
    return f->bits < 8 ? value * 255 / most : value;
}

struct picture {
    int width, height, samples;
    unsigned *values; /* as the file has them */
};

static struct picture draw(const struct form *f, int width, int height) {
    static const int colors[] = {
        [PHOTOMETRIC_MINISWHITE] = 1, [PHOTOMETRIC_MINISBLACK] = 1, [PHOTOMETRIC_RGB] = 3,
        [PHOTOMETRIC_PALETTE] = 1,    [PHOTOMETRIC_SEPARATED] = 4,  [PHOTOMETRIC_YCBCR] = 3};
    struct picture p = {width, height, colors[f->photometric] + (f->extra >= 0), NULL};
    size_t count = (size_t)(width * height * p.samples);
    p.values = malloc(count * sizeof *p.values);
    for (size_t i = 0; i < count; i++)
        p.values[i] = (random_byte() << 8 | random_byte()) & ((1u << f->bits) - 1);
    return p;
}

/* Rows y.. and columns x.. of a plane (or of all samples), packed; what is outside is 0. */
static unsigned char *pack(const struct form *f, const struct picture *p, int x, int y, int width,
                           int height, int plane, size_t *size) {
    int step = f->planar == PLANARCONFIG_SEPARATE ? 1 : p->samples;
    size_t row = ((size_t)(width * step * f->bits) + 7) / 8;
    unsigned char *out = calloc(1, *size = row * (size_t)height);
    for (int j = 0; j < height && y + j < p->height; j++)
        for (int i = 0; i < width * step && x * step + i < p->width * step; i++) {
            int at = ((y + j) * p->width + x) * p->samples +
                     (step == 1 && p->samples > 1 ? i * p->samples + plane : i);
            unsigned v = p->values[at];
            uint16_t wide = (uint16_t)v;
            if (f->bits == 16)
                memcpy(out + (size_t)j * row + 2 * (size_t)i, &wide, 2);
            else
                out[(size_t)j * row + (size_t)(i * f->bits / 8)] |=
                    (unsigned char)(v << (8 - f->bits - i * f->bits % 8));
        }
    return out;
}

static void set_fields(TIFF *tif, const struct form *f, const struct picture *p) {
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, p->width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, p->height);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, f->bits);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, p->samples);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, f->photometric);
    TIFFSetField(tif, TIFFTAG_PLANARCONFIG, f->planar);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, f->compression);
    TIFFSetField(tif, TIFFTAG_FILLORDER, f->order);
    if (f->predictor)
        TIFFSetField(tif, TIFFTAG_PREDICTOR, f->predictor);
    if (f->extra >= 0)
        TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, 1, (uint16_t[]){(uint16_t)f->extra});
    if (f->photometric == PHOTOMETRIC_PALETTE) {
        uint16_t map[3][256];
        for (int i = 0; i < 768; i++)
            map[i / 256][i % 256] = (uint16_t)((i * 37 % 256) * 257);
        TIFFSetField(tif, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
    }
    if (f->tile) {
        TIFFSetField(tif, TIFFTAG_TILEWIDTH, f->tile);
        TIFFSetField(tif, TIFFTAG_TILELENGTH, f->tile);
    } else {
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, f->rows);
    }
}

static FILE *write_form(const struct form *f, const struct picture *p) {
    FILE *file = tmpfile();
    TIFF *tif = TIFFFdOpen(dup(fileno(file)), "test", f->mode);
    int planes = f->planar == PLANARCONFIG_SEPARATE ? p->samples : 1;
    set_fields(tif, f, p);
    for (int plane = 0; plane < planes; plane++)
        for (int y = 0; y < p->height; y += f->tile ? f->tile : f->rows)
            for (int x = 0; x < p->width; x += f->tile ? f->tile : p->width) {
                size_t size;
                int left = p->height - y, rows = f->rows < left ? f->rows : left;
                unsigned char *cell = pack(f, p, x, y, f->tile ? f->tile : p->width,
                                           f->tile ? f->tile : rows, plane, &size);
                if (f->tile)
                    TIFFWriteEncodedTile(
                        tif, TIFFComputeTile(tif, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane),
                        cell, (tmsize_t)size);
                else
                    TIFFWriteEncodedStrip(tif, TIFFComputeStrip(tif, (uint32_t)y, (uint16_t)plane),
                                          cell, (tmsize_t)size);
                free(cell);
            }
    TIFFClose(tif);
    rewind(file);
    return file;
}

/* The sample that the reader should give, or the greatest difference that is right. */
static double expected(const struct form *f, const struct picture *p, int pixel, int channel,
                       int channels, double *within) {
    const unsigned *v = p->values + pixel * p->samples;
    double full = f->bits == 16 ? 65535 : 255;
    *within = 0;
    if (f->photometric == PHOTOMETRIC_PALETTE)
        return ((int)v[0] + 256 * channel) * 37 % 256;
    if (f->extra != EXTRASAMPLE_ASSOCALPHA || channel == channels - 1)
        return channel == 0 ? sample_of(f, v[channel]) : v[channel];
    *within = 0.5; /* a straight colour, rounded */
    double straight = v[channels - 1] ? v[channel] * full / v[channels - 1] : 0;
    return straight < full ? straight : full;
}

static void check_form(const struct form *f, int width, int height) {
    struct picture p = draw(f, width, height);
    struct decoded d = decode_stream(write_form(f, &p), NULL);
    bool few = f->bits < 8 && f->photometric < PHOTOMETRIC_RGB;
    int channels = f->photometric == PHOTOMETRIC_PALETTE ? 3
                   : f->extra == EXTRASAMPLE_UNSPECIFIED ? p.samples - 1
                                                         : p.samples;
    bool shaped = d.status == IMF_OK && d.info.channels == channels && d.info.width == width &&
                  d.info.height == height && d.info.depth == (f->bits == 16 ? 16 : 8) &&
                  d.info.bits == (few ? f->bits : 0);
    int wrong = 0;
    for (int i = 0; shaped && i < width * height * channels; i++) {
        double within, want = expected(f, &p, i / channels, i % channels, channels, &within);
        uint16_t got = d.pixels[i];
        if (f->bits == 16)
            memcpy(&got, d.pixels + 2 * i, 2);
        wrong += got > want + within || got < want - within;
    }
    CHECK(shaped && wrong == 0 && imf_reader_in_order(d.reader),
          "%dx%d, %d bits, photometric %d, extra %d, planar %d, compression %d, predictor %d, tile "
          "%d, rows %d, %s, order %d: %d channels, %d samples wrong, %s",
          width, height, f->bits, f->photometric, f->extra, f->planar, f->compression, f->predictor,
          f->tile, f->rows, f->mode, f->order, d.info.channels, wrong, d.err.text);
    bool besides = d.reader && loses(&d, "channels besides");
    CHECK((f->extra == EXTRASAMPLE_UNSPECIFIED) == besides, "channels that are left out");
    done(&d);
    free(p.values);
}

static void test_forms(void) {
    static const struct {
        int bits, photometric, extra;
    } kinds[] = {{1, PHOTOMETRIC_MINISBLACK, -1},
                 {1, PHOTOMETRIC_MINISWHITE, -1},
                 {2, PHOTOMETRIC_MINISBLACK, -1},
                 {4, PHOTOMETRIC_MINISWHITE, -1},
                 {8, PHOTOMETRIC_MINISBLACK, -1},
                 {8, PHOTOMETRIC_MINISWHITE, -1},
                 {16, PHOTOMETRIC_MINISBLACK, -1},
                 {16, PHOTOMETRIC_MINISWHITE, EXTRASAMPLE_UNASSALPHA},
                 {8, PHOTOMETRIC_MINISBLACK, EXTRASAMPLE_UNASSALPHA},
                 {1, PHOTOMETRIC_PALETTE, -1},
                 {4, PHOTOMETRIC_PALETTE, -1},
                 {8, PHOTOMETRIC_PALETTE, -1},
                 {8, PHOTOMETRIC_RGB, -1},
                 {16, PHOTOMETRIC_RGB, -1},
                 {8, PHOTOMETRIC_RGB, EXTRASAMPLE_UNASSALPHA},
                 {16, PHOTOMETRIC_RGB, EXTRASAMPLE_ASSOCALPHA},
                 {8, PHOTOMETRIC_RGB, EXTRASAMPLE_ASSOCALPHA},
                 {8, PHOTOMETRIC_RGB, EXTRASAMPLE_UNSPECIFIED},
                 {8, PHOTOMETRIC_SEPARATED, -1},
                 {16, PHOTOMETRIC_SEPARATED, -1}};
    static const struct {
        int compression, predictor;
    } codes[] = {{COMPRESSION_NONE, 0},          {COMPRESSION_LZW, 0},
                 {COMPRESSION_LZW, 2},           {COMPRESSION_ADOBE_DEFLATE, 2},
                 {COMPRESSION_ADOBE_DEFLATE, 0}, {COMPRESSION_PACKBITS, 0}};
    static const char *const modes[] = {"wl", "wb", "w8l", "w8b"};
    static const int cells[][2] = {{0, 5}, {0, 100}, {16, 0}, {32, 0}}; /* tile, rows of a strip */
    int turn = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
            for (size_t s = 0; s < sizeof cells / sizeof *cells; s++)
                for (int planar = PLANARCONFIG_CONTIG; planar <= PLANARCONFIG_SEPARATE; planar++) {
                    if (codes[c].predictor && kinds[k].bits < 8)
                        continue;
                    turn++;
                    struct form f = {.bits = kinds[k].bits,
                                     .photometric = kinds[k].photometric,
                                     .extra = kinds[k].extra,
                                     .planar = planar,
                                     .compression = codes[c].compression,
                                     .predictor = codes[c].predictor,
                                     .tile = cells[s][0],
                                     .rows = cells[s][1],
                                     .mode = modes[turn % 4],
                                     .order = turn % 3 ? FILLORDER_MSB2LSB : FILLORDER_LSB2MSB};
                    check_form(&f, 37, 23);
                    if (turn % 5 == 0)
                        check_form(&f, turn % 2 ? 1 : 9, turn % 2 ? 40 : 1);
                }
    for (int c = COMPRESSION_CCITTRLE; c <= COMPRESSION_CCITTFAX4; c++)
        check_form(&(struct form){.bits = 1,
                                  .photometric = PHOTOMETRIC_MINISWHITE,
                                  .extra = -1,
                                  .planar = PLANARCONFIG_CONTIG,
                                  .compression = c,
                                  .rows = 8,
                                  .mode = "w",
                                  .order = FILLORDER_MSB2LSB},
                   37, 23);
}

/* Strips and tiles that are large: which are held, and how they count. */
static void test_large(void) {
    static const struct {
        int compression, planar, tile;
        bool held;
    } cases[] = {{COMPRESSION_NONE, PLANARCONFIG_CONTIG, 0, false},
                 {COMPRESSION_NONE, PLANARCONFIG_SEPARATE, 0, false},
                 {COMPRESSION_PACKBITS, PLANARCONFIG_CONTIG, 0, false},
                 {COMPRESSION_PACKBITS, PLANARCONFIG_SEPARATE, 0, true},
                 {COMPRESSION_NONE, PLANARCONFIG_CONTIG, 1504, true}};
    enum { WIDTH = 1000, HEIGHT = 1500, ALL = 3 * WIDTH * HEIGHT };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct form f = {.bits = 8,
                         .photometric = PHOTOMETRIC_RGB,
                         .extra = -1,
                         .planar = cases[k].planar,
                         .compression = cases[k].compression,
                         .tile = cases[k].tile,
                         .rows = HEIGHT,
                         .mode = "w",
                         .order = FILLORDER_MSB2LSB};
        struct picture p = draw(&f, WIDTH, HEIGHT);
        for (int i = 0; i < ALL; i++) /* the coded strip counts, too */
            p.values[i] = i % 7 ? p.values[i - 1] : p.values[i];
        struct decoded d = decode_stream(write_form(&f, &p), NULL);
        size_t wrong = 0;
        for (size_t i = 0; !d.status && i < ALL; i++)
            wrong += d.pixels[i] != p.values[i];
        CHECK(!d.status && !wrong && imf_reader_in_order(d.reader) == !cases[k].held &&
                  (imf_reader_held(d.reader) >= ALL) == cases[k].held,
              "case %zu: %zu wrong, %s", k, wrong, d.err.text);
        done(&d);
        const struct imf_limits small = {.max_memory = ALL - 1};
        d = decode_stream(write_form(&f, &p), &small);
        CHECK(cases[k].held ? d.status == IMF_ERR_LIMIT && strstr(d.err.text, "--max-memory")
                            : !d.status,
              "case %zu, limited: %s", k, d.err.text);
        done(&d);
        free(p.values);
    }
}

int main(void) {
    test_forms();
    test_large();
    return check_done("test_codec_tiff");
}
#else
int main(void) {
    CHECK(imf_format_from_name("tiff") == IMF_FORMAT_NONE, "a format without its library");
    return check_done("test_codec_tiff");
}
#endif
