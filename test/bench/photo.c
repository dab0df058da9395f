/*
 * photo.c - a picture with a photograph's statistics as PNM: photo WIDTH HEIGHT [gray|rgb] [8|16] > FILE
 *
 * Codecs care for what photographs are like, and picture.c's waves are like none. Here amplitudes
 * fall with frequency as in nature (octaves of smooth noise), contours part regions of different
 * brightness and colour, some regions are out of focus, and a sensor adds noise of a level or two.
 * Rows are drawn from top to bottom in memory for a few, so that any size can be had.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DETAIL = 8,
    LARGEST = 10
}; /* octaves: cells of 2^1 to 2^DETAIL, and of 2^LARGEST for regions */

static uint32_t hash(uint32_t x, uint32_t y, uint32_t seed) {
    uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ seed * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

/* Smooth noise in [-1, 1] with a value a cell, between them blended: two rows of the lattice. */
struct octave {
    int cell, line; /* side in pixels, the lattice's row in low */
    uint32_t seed;
    float *low, *high, *blend; /* of the cells across and two more */
    float *ease;               /* weight of the right-hand value at each pixel of a cell */
};

static float *floats(size_t count) {
    float *p = calloc(count, sizeof *p);
    if (!p) {
        fprintf(stderr, "photo: not enough memory\n");
        exit(1);
    }
    return p;
}

static float ease(int at, int cell) {
    float t = ((float)at + 0.5f) / (float)cell;
    return t * t * (3 - 2 * t);
}

static struct octave octave_make(int bits, uint32_t seed, int width) {
    size_t cells = ((size_t)width >> bits) + 2;
    struct octave o = {1 << bits,
                       -1,
                       seed,
                       floats(cells),
                       floats(cells),
                       floats(cells),
                       floats((size_t)1 << bits)};
    for (int i = 0; i < o.cell; i++)
        o.ease[i] = ease(i, o.cell);
    return o;
}

static void octave_free(struct octave *o) {
    free(o->low);
    free(o->high);
    free(o->blend);
    free(o->ease);
}

/* Adds row y, times the amplitude, to the row. */
static void octave_add(struct octave *o, int y, float amplitude, float *row, int width) {
    int line = y / o->cell, cells = width / o->cell + 2;
    if (line != o->line) {
        float *old = o->low;
        o->low = o->high;
        o->high = old;
        for (int i = 0; i < cells; i++) {
            if (o->line < 0)
                o->low[i] = (float)hash((uint32_t)i, (uint32_t)line, o->seed) / 0x1p31f - 1;
            o->high[i] = (float)hash((uint32_t)i, (uint32_t)line + 1, o->seed) / 0x1p31f - 1;
        }
        o->line = line;
    }
    float down = ease(y % o->cell, o->cell);
    for (int i = 0; i < cells; i++)
        o->blend[i] = amplitude * (o->low[i] + (o->high[i] - o->low[i]) * down);
    for (int i = 0, x = 0; x < width; i++) {
        float value = o->blend[i], step = o->blend[i + 1] - value;
        int count = width - x < o->cell ? width - x : o->cell;
        for (int k = 0; k < count; k++)
            row[x + k] += value + step * o->ease[k];
        x += count;
    }
}

struct scene {
    struct octave detail[DETAIL], shape[3], focus, tint[2];
    float *light, *texture, *regions, *sharp, *hue[2];
};

static void scene_row(struct scene *s, int y, int width) {
    size_t bytes = (size_t)width * sizeof(float);
    float *rows[] = {s->light, s->texture, s->regions, s->sharp, s->hue[0], s->hue[1]};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        memset(rows[i], 0, bytes);
    for (int i = 0; i < DETAIL; i++) /* amplitude falls almost as the frequency rises */
        octave_add(&s->detail[i], y, 0.8f * powf(2, 0.75f * (float)(i - DETAIL)),
                   i < 3 ? s->texture : s->light, width);
    octave_add(&s->shape[0], y, 2.0f, s->regions, width);
    octave_add(&s->shape[1], y, 0.7f, s->regions, width);
    octave_add(&s->shape[2], y, 0.35f, s->regions, width);
    octave_add(&s->focus, y, 1.5f, s->sharp, width);
    for (int c = 0; c < 2; c++)
        octave_add(&s->tint[c], y, 0.12f, s->hue[c], width);
    for (int x = 0; x < width; x++) {
        float near = fminf(fmaxf(s->sharp[x] + 0.6f, 0), 1), region = floorf(s->regions[x]);
        s->light[x] = 0.45f + 0.13f * region + 0.35f * s->light[x] + 4.5f * near * s->texture[x];
        s->hue[0][x] += 0.05f * region;
        s->hue[1][x] -= 0.03f * region;
    }
}

/* Noise of a sensor: about normal, of standard deviation 1, the same wherever it is asked for. */
static inline float noise(uint32_t x, uint32_t y, uint32_t channel) {
    uint32_t h = hash(x, y, 77 + channel);
    int sum = (int)(h & 255) + (int)(h >> 8 & 255) + (int)(h >> 16 & 255) + (int)(h >> 24);
    return (float)(sum - 510) / 147.8f;
}

static bool draw(int width, int height, int channels, int depth) {
    struct scene s = {0};
    for (int i = 0; i < DETAIL; i++)
        s.detail[i] = octave_make(i + 1, (uint32_t)i, width);
    for (int i = 0; i < 3; i++)
        s.shape[i] = octave_make(LARGEST - 2 * i, 20 + (uint32_t)i, width);
    s.focus = octave_make(LARGEST - 1, 30, width);
    for (int c = 0; c < 2; c++)
        s.tint[c] = octave_make(LARGEST - 2, 40 + (uint32_t)c, width);
    float **rows[] = {&s.light, &s.texture, &s.regions, &s.sharp, &s.hue[0], &s.hue[1]};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        *rows[i] = floats((size_t)width);

    size_t samples = (size_t)width * (size_t)channels, bytes = samples * (size_t)(depth / 8);
    uint8_t *out = malloc(bytes);
    float full = depth == 16 ? 65535 : 255;
    bool ok =
        out && printf("P%c\n%d %d\n%.0f\n", channels == 3 ? '6' : '5', width, height, full) > 0;
    for (int y = 0; ok && y < height; y++) {
        scene_row(&s, y, width);
        for (int c = 0; c < channels; c++)
            for (int x = 0; x < width; x++) {
                float hue = channels == 1 ? 0 : c == 0 ? s.hue[0][x] : c == 2 ? s.hue[1][x] : 0;
                float v =
                    s.light[x] + hue + noise((uint32_t)x, (uint32_t)y, (uint32_t)c) / 255 * 2.0f;
                int value = (int)(fminf(fmaxf(v, 0), 1) * full + 0.5f);
                size_t at = (size_t)x * (size_t)channels + (size_t)c;
                if (depth == 16) {
                    out[2 * at] = (uint8_t)(value >> 8);
                    out[2 * at + 1] = (uint8_t)value;
                } else {
                    out[at] = (uint8_t)value;
                }
            }
        ok = fwrite(out, 1, bytes, stdout) == bytes;
    }
    free(out);
    for (int i = 0; i < DETAIL; i++)
        octave_free(&s.detail[i]);
    for (int i = 0; i < 3; i++)
        octave_free(&s.shape[i]);
    octave_free(&s.focus);
    for (int c = 0; c < 2; c++)
        octave_free(&s.tint[c]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        free(*rows[i]);
    return ok && !fflush(stdout);
}

int main(int argc, char **argv) {
    int width = argc > 2 ? atoi(argv[1]) : 0, height = argc > 2 ? atoi(argv[2]) : 0, depth = 8;
    int channels = 3;
    bool fits = width > 0 && height > 0;
    for (int i = 3; i < argc; i++)
        if (!strcmp(argv[i], "gray") || !strcmp(argv[i], "rgb"))
            channels = argv[i][0] == 'g' ? 1 : 3;
        else if (!strcmp(argv[i], "8") || !strcmp(argv[i], "16"))
            depth = atoi(argv[i]);
        else
            fits = false;
    if (!fits) {
        fprintf(stderr, "usage: photo WIDTH HEIGHT [gray|rgb] [8|16]\n");
        return 2;
    }
    return draw(width, height, channels, depth) ? 0 : 1;
}
