/*
 * generate.c - draw testdata/: generate DIRECTORY
 *
 * Patterns of the field (zone plate, Siemens star, slanted edge, ...), every depth and colour type
 * of every format, damaged files, and a picture to look at. The same files on every machine, but
 * for the last bit of libm and the version of the encoders.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "patterns.h"
#include "write.h"

enum format { PNG, JPEG, PNM };

struct entry {
    const char *path;
    pattern_fn *draw;
    int width, height, channels;
    enum format format;
    struct png_form png;
    struct jpeg_form jpeg;
    char kind; /* PNM */
    int maxval;
};

#define P8 .format = PNG, .png = {.depth = 8}
#define ODD(draw, channels) draw, 37, 29, channels

static const struct entry entries[] = {
    /* Patterns */
    {"zoneplate.png", zone_plate, 256, 256, 1, P8},
    {"siemens.png", siemens_star, 256, 256, 1, P8},
    {"edge.png", slanted_edge, 128, 128, 1, P8},
    {"text.png", text_page, 216, 120, 1, P8},
    {"noise.png", white_noise, 96, 96, 1, P8},
    {"noise-rgb.png", white_noise, 67, 53, 3, P8},
    {"gradient.png", gray_gradient, 200, 100, 1, P8},
    {"gradient16.png", gray_gradient, 200, 100, 1, .format = PNG, .png = {.depth = 16}},
    {"ramps.png", colour_ramps, 256, 70, 3, P8},
    {"impulse.png", impulse_grid, 129, 129, 1, P8},
    {"bars.png", bars, 128, 128, 1, P8},
    {"alpha.png", alpha_disc, 96, 96, 4, P8},
    {"scan.png", scanned_page, 432, 240, 1, .format = PNG, .png = {.depth = 4}},
    {"speckled.png", speckled_scene, 320, 214, 3, P8},
    {"grainy.jpg", grainy_scene, 320, 214, 3, .format = JPEG,
     .jpeg = {.quality = 95, .h = 1, .v = 1}},
    {"moire.jpg", moire_scene, 320, 214, 3, .format = JPEG,
     .jpeg = {.quality = 90, .h = 1, .v = 1}},
    {"print.jpg", printed_scene, 320, 214, 3, .format = JPEG,
     .jpeg = {.quality = 85, .h = 1, .v = 1}},
    {"still.jpg", scene, 640, 427, 3, .format = JPEG, .jpeg = {.quality = 90, .h = 2, .v = 2}},

    /* PNG: each depth and colour type */
    {"types/gray1.png", ODD(gray_gradient, 1), .format = PNG, .png = {.depth = 1}},
    {"types/gray2.png", ODD(gray_gradient, 1), .format = PNG, .png = {.depth = 2}},
    {"types/gray4.png", ODD(gray_gradient, 1), .format = PNG, .png = {.depth = 4}},
    {"types/gray8.png", ODD(white_noise, 1), P8},
    {"types/gray16.png", ODD(white_noise, 1), .format = PNG, .png = {.depth = 16}},
    {"types/ga8.png", ODD(alpha_disc, 2), P8},
    {"types/ga16.png", ODD(alpha_disc, 2), .format = PNG, .png = {.depth = 16}},
    {"types/rgb8.png", ODD(colour_card, 3), P8},
    {"types/rgb16.png", ODD(colour_card, 3), .format = PNG, .png = {.depth = 16}},
    {"types/rgba8.png", ODD(alpha_disc, 4), P8},
    {"types/rgba16.png", ODD(alpha_disc, 4), .format = PNG, .png = {.depth = 16}},
    {"types/pal1.png", ODD(gray_gradient, 1), .format = PNG, .png = {.depth = 1, .palette = true}},
    {"types/pal2.png", ODD(gray_gradient, 1), .format = PNG, .png = {.depth = 2, .palette = true}},
    {"types/pal4.png", ODD(colour_card, 3), .format = PNG, .png = {.depth = 4, .palette = true}},
    {"types/pal8.png", ODD(colour_card, 3), .format = PNG, .png = {.depth = 8, .palette = true}},
    {"types/pal8-trns.png", ODD(colour_card, 3), .format = PNG,
     .png = {.depth = 8, .palette = true, .trns = true}},
    {"types/gray1-trns.png", ODD(gray_gradient, 1), .format = PNG,
     .png = {.depth = 1, .trns = true}},
    {"types/rgb8-trns.png", ODD(colour_ramps, 3), .format = PNG, .png = {.depth = 8, .trns = true}},
    {"types/gray1-interlaced.png", ODD(gray_gradient, 1), .format = PNG,
     .png = {.depth = 1, .interlaced = true}},
    {"types/rgb8-interlaced.png", ODD(colour_card, 3), .format = PNG,
     .png = {.depth = 8, .interlaced = true}},
    {"types/rgba16-interlaced.png", ODD(alpha_disc, 4), .format = PNG,
     .png = {.depth = 16, .interlaced = true}},
    {"types/metadata.png", ODD(colour_card, 3), .format = PNG,
     .png = {.depth = 8, .metadata = true}},
    {"types/1x1.png", white_noise, 1, 1, 3, P8},
    {"types/1x17.png", white_noise, 1, 17, 1, P8},
    {"types/17x1.png", white_noise, 17, 1, 3, P8},

    /* JPEG */
    {"types/gray.jpg", ODD(gray_gradient, 1), .format = JPEG, .jpeg = {.quality = 90}},
    {"types/444.jpg", ODD(colour_card, 3), .format = JPEG, .jpeg = {.quality = 85, .h = 1, .v = 1}},
    {"types/422.jpg", ODD(colour_card, 3), .format = JPEG, .jpeg = {.quality = 85, .h = 2, .v = 1}},
    {"types/420.jpg", ODD(colour_card, 3), .format = JPEG, .jpeg = {.quality = 85, .h = 2, .v = 2}},
    {"types/440.jpg", ODD(colour_card, 3), .format = JPEG, .jpeg = {.quality = 85, .h = 1, .v = 2}},
    {"types/progressive.jpg", ODD(colour_card, 3), .format = JPEG,
     .jpeg = {.quality = 85, .scans = 1}},
    {"types/restart.jpg", ODD(colour_card, 3), .format = JPEG,
     .jpeg = {.quality = 85, .restart = 1}},
    {"types/arithmetic.jpg", ODD(colour_card, 3), .format = JPEG,
     .jpeg = {.quality = 85, .arithmetic = true}},
    {"types/cmyk.jpg", ODD(colour_card, 3), .format = JPEG, .jpeg = {.quality = 85, .cmyk = true}},
    {"types/ycck.jpg", ODD(colour_card, 3), .format = JPEG, .jpeg = {.quality = 85, .ycck = true}},
    {"types/orientation6.jpg", ODD(colour_card, 3), .format = JPEG,
     .jpeg = {.quality = 85, .orientation = 6}},
    {"damaged/scans190.jpg", colour_card, 16, 16, 3, .format = JPEG,
     .jpeg = {.quality = 85, .scans = 190}},

    /* PNM */
    {"types/p1.pbm", ODD(gray_gradient, 1), .format = PNM, .kind = '1', .maxval = 1},
    {"types/p2.pgm", ODD(gray_gradient, 1), .format = PNM, .kind = '2', .maxval = 255},
    {"types/p2-1000.pgm", ODD(gray_gradient, 1), .format = PNM, .kind = '2', .maxval = 1000},
    {"types/p3.ppm", ODD(colour_card, 3), .format = PNM, .kind = '3', .maxval = 255},
    {"types/p4.pbm", ODD(gray_gradient, 1), .format = PNM, .kind = '4', .maxval = 1},
    {"types/p5.pgm", ODD(white_noise, 1), .format = PNM, .kind = '5', .maxval = 255},
    {"types/p5-16.pgm", ODD(white_noise, 1), .format = PNM, .kind = '5', .maxval = 65535},
    {"types/p6.ppm", ODD(colour_card, 3), .format = PNM, .kind = '6', .maxval = 255},
    {"types/p6-15.ppm", ODD(colour_card, 3), .format = PNM, .kind = '6', .maxval = 15},
    {"types/p6-16.ppm", ODD(colour_card, 3), .format = PNM, .kind = '6', .maxval = 65535},
    {"types/p7-gray.pam", ODD(white_noise, 1), .format = PNM, .kind = '7', .maxval = 255},
    {"types/p7-ga.pam", ODD(alpha_disc, 2), .format = PNM, .kind = '7', .maxval = 255},
    {"types/p7-rgb.pam", ODD(colour_card, 3), .format = PNM, .kind = '7', .maxval = 255},
    {"types/p7-rgba16.pam", ODD(alpha_disc, 4), .format = PNM, .kind = '7', .maxval = 65535},
};

/* Parts of sound files: `keep` bytes in a thousand, the byte at `flip` in a thousand inverted. */
static const struct {
    const char *path, *source;
    int keep, flip;
} damaged[] = {
    {"damaged/empty.png", "types/rgb8.png", 0, 0},
    {"damaged/cut.png", "noise.png", 500, 0},
    {"damaged/no-end.png", "types/rgb8.png", 990, 0},
    {"damaged/crc.png", "noise.png", 1000, 500},
    {"damaged/header.png", "types/rgb8.png", 1000, 30},
    {"damaged/interlaced-cut.png", "types/rgb8-interlaced.png", 600, 0},
    {"damaged/cut.jpg", "types/420.jpg", 850, 0},
    {"damaged/header.jpg", "types/420.jpg", 300, 0},
    {"damaged/progressive-cut.jpg", "types/progressive.jpg", 850, 0},
    {"damaged/cut.ppm", "types/p6.ppm", 500, 0},
    {"damaged/cut-ascii.pgm", "types/p2.pgm", 500, 0},
    {"damaged/header.pam", "types/p7-rgb.pam", 10, 0},
};

/* Headers that promise more than a computer holds, and other lies. */
static const struct {
    const char *path, *text;
} liars[] = {
    {"damaged/huge.ppm", "P6\n2000000000 2000000000\n255\n"},
    {"damaged/large.pgm", "P5\n30000 30000\n255\n"},
    {"damaged/zero.pgm", "P5\n0 10\n255\n"},
    {"damaged/negative.pgm", "P5\n-5 10\n255\nxxxxx"},
    {"damaged/maxval.pgm", "P5\n2 2\n70000\nxxxxxxxx"},
    {"damaged/over-maxval.pgm", "P2\n2 2\n100\n1 2 3 101\n"},
    {"damaged/letters.pgm", "P2\n2 2\n255\n1 2 three 4\n"},
    {"damaged/depth.pam", "P7\nWIDTH 2\nHEIGHT 2\nDEPTH 9\nMAXVAL 255\nENDHDR\nxxxxxxxxxxxx"},
    {"damaged/not-an-image.png", "This is text, whatever its name says.\n"},
};

static const char *in(const char *directory, const char *path) {
    static char full[2][4096];
    static int turn;
    char *buffer = full[turn ^= 1];
    if ((size_t)snprintf(buffer, sizeof *full, "%s/%s", directory, path) >= sizeof *full)
        die(path, "name too long");
    return buffer;
}

static void make_directory(const char *path) {
    if (mkdir(path, 0777) && errno != EEXIST)
        die(path, "cannot make the directory");
}

static void make(const struct entry *e, const char *directory) {
    struct picture p = {e->width, e->height, e->channels, NULL};
    const char *path = in(directory, e->path);
    uint16_t *s = p.samples = malloc(sizeof *s * p.width * p.height * p.channels);
    if (!s)
        die(path, "out of memory");
    for (int y = 0; y < p.height; y++)
        for (int x = 0; x < p.width; x++)
            for (int c = 0; c < p.channels; c++)
                *s++ = (uint16_t)lrint(e->draw(x, y, c, p.width, p.height) * 65535);
    if (e->format == PNG)
        write_png(path, &p, e->png);
    else if (e->format == JPEG)
        write_jpeg(path, &p, e->jpeg);
    else
        write_pnm(path, &p, e->kind, e->maxval);
    free(p.samples);
}

int main(int argc, char **argv) {
    const char *directory = argv[1];
    if (argc != 2) {
        fprintf(stderr, "usage: generate DIRECTORY\n");
        return 2;
    }
    make_directory(directory);
    make_directory(in(directory, "types"));
    make_directory(in(directory, "damaged"));
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        make(&entries[i], directory);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        write_damaged(in(directory, damaged[i].path), in(directory, damaged[i].source),
                      damaged[i].keep, damaged[i].flip);
    for (size_t i = 0; i < sizeof liars / sizeof *liars; i++) {
        const char *path = in(directory, liars[i].path);
        FILE *f = fopen(path, "wb");
        if (!f || fputs(liars[i].text, f) < 0 || fclose(f))
            die(path, "cannot write");
    }
    return 0;
}
