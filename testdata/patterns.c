/* patterns.c - the field's test patterns as functions of a point */
#include "patterns.h"

#include <math.h>
#include <stdbool.h>

#define PI 3.14159265358979323846

double hash01(int32_t a, int32_t b, int32_t c) {
    uint32_t h = (uint32_t)a * 0x9e3779b1u ^ (uint32_t)b * 0x85ebca77u ^ (uint32_t)c * 0xc2b2ae3du;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return (h ^ h >> 16) / 4294967296.0;
}

static double clamp01(double v) {
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* Frequency grows linearly from the centre to Nyquist at the nearest edge. */
double zone_plate(int x, int y, int c, int w, int h) {
    double dx = x - w / 2, dy = y - h / 2, r = (w < h ? w : h) / 2.0;
    (void)c;
    return 0.5 + 0.5 * cos(PI * (dx * dx + dy * dy) / (2 * r));
}

/* 36 cycles around the centre, each pixel the mean of 8x8 points so that spokes do not alias. */
double siemens_star(int x, int y, int c, int w, int h) {
    double sum = 0, r = (w < h ? w : h) * 0.47;
    (void)c;
    for (int i = 0; i < 64; i++) {
        double dx = x + (i % 8 + 0.5) / 8 - w / 2.0, dy = y + (i / 8 + 0.5) / 8 - h / 2.0;
        sum += hypot(dx, dy) > r ? 0.5 : sin(36 * atan2(dy, dx)) > 0 ? 0.92 : 0.08;
    }
    return sum / 64;
}

/* An edge five degrees off the vertical (ISO 12233), its area coverage exact to 1/16 pixel. */
double slanted_edge(int x, int y, int c, int w, int h) {
    double sum = 0;
    (void)c;
    for (int i = 0; i < 16; i++) {
        double dx = x + (i + 0.5) / 16 - w / 2.0, dy = y + 0.5 - h / 2.0;
        sum += dx + dy * tan(5 * PI / 180) < 0 ? 0.15 : 0.85;
    }
    return sum / 16;
}

/* 5x7 letters, a row a byte, leftmost pixel in bit 4: enough for a pangram. */
static const struct {
    char letter;
    unsigned char row[7];
} font[] = {
    {'A', {14, 17, 17, 31, 17, 17, 17}}, {'B', {30, 17, 17, 30, 17, 17, 30}},
    {'C', {14, 17, 16, 16, 16, 17, 14}}, {'D', {30, 17, 17, 17, 17, 17, 30}},
    {'E', {31, 16, 16, 30, 16, 16, 31}}, {'F', {31, 16, 16, 30, 16, 16, 16}},
    {'G', {14, 17, 16, 23, 17, 17, 15}}, {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'I', {14, 4, 4, 4, 4, 4, 14}},      {'J', {7, 2, 2, 2, 2, 18, 12}},
    {'K', {17, 18, 20, 24, 20, 18, 17}}, {'L', {16, 16, 16, 16, 16, 16, 31}},
    {'M', {17, 27, 21, 21, 17, 17, 17}}, {'N', {17, 25, 21, 19, 17, 17, 17}},
    {'O', {14, 17, 17, 17, 17, 17, 14}}, {'P', {30, 17, 17, 30, 16, 16, 16}},
    {'Q', {14, 17, 17, 17, 21, 18, 13}}, {'R', {30, 17, 17, 30, 20, 18, 17}},
    {'S', {15, 16, 16, 14, 1, 1, 30}},   {'T', {31, 4, 4, 4, 4, 4, 4}},
    {'U', {17, 17, 17, 17, 17, 17, 14}}, {'V', {17, 17, 17, 17, 17, 10, 4}},
    {'W', {17, 17, 17, 21, 21, 27, 17}}, {'X', {17, 17, 10, 4, 10, 17, 17}},
    {'Y', {17, 17, 10, 4, 4, 4, 4}},     {'Z', {31, 1, 2, 4, 8, 16, 31}},
};

double text_page(int x, int y, int c, int w, int h) {
    static const char line[] = "SPHINX OF BLACK QUARTZ JUDGE MY VOW ";
    /* Upper half at 1 pixel a dot, lower half at 2. */
    int size = y < h / 2 ? 1 : 2, column = x / (6 * size), row = y / (10 * size);
    int i = x / size % 6, j = y / size % 10 - 1;
    char want = line[(column + row * 7) % (int)(sizeof line - 1)];
    (void)c, (void)w;
    if (i < 5 && j >= 0 && j < 7)
        for (unsigned k = 0; k < sizeof font / sizeof *font; k++)
            if (font[k].letter == want && (font[k].row[j] >> (4 - i) & 1))
                return 0.05;
    return 0.95;
}

/* The page as a bad photograph: its ink with holes, specks between the letters, and light that falls
 * off to the lower right, where paper is as dark as ink in the light. */
double scanned_page(int x, int y, int c, int w, int h) {
    double light = 1 - 0.4 * x / w - 0.4 * y / h, grain = 0.1 * (hash01(x, y, 7) - 0.5);
    bool ink = text_page(x / 2, y / 2, c, w / 2, h / 2) < 0.5, worn = hash01(x, y, 5) < 0.04;
    return clamp01((ink != worn ? 0.2 : 0.95) * light + grain);
}

/* Salt and pepper: a tenth of the pixels is black or white. */
double speckled_scene(int x, int y, int c, int w, int h) {
    double speck = hash01(x, y, 3), v = scene(x, y, c, w, h);
    return speck < 0.05 ? 0 : speck > 0.95 ? 1 : v;
}

/* Grain: normal noise of 0.1 in each colour (Box and Muller). */
double grainy_scene(int x, int y, int c, int w, int h) {
    double u = hash01(x, y, 11 + 2 * c), v = hash01(x, y, 12 + 2 * c);
    return clamp01(scene(x, y, c, w, h) + 0.1 * sqrt(-2 * log(u + 1e-9)) * cos(2 * PI * v));
}

/* A screen as a camera sees it: the grids of both make two fringes, a sum of cosines. */
double moire_scene(int x, int y, int c, int w, int h) {
    double fringes = cos(2 * PI * (0.17 * x + 0.06 * y)) + cos(2 * PI * (-0.05 * x + 0.21 * y));
    return clamp01(0.1 + 0.8 * scene(x, y, c, w, h) + 0.09 * fringes);
}

/* Printed in cyan, magenta and yellow, a screen at an angle for each, and scanned: a dot's area is the tone. */
double printed_scene(int x, int y, int c, int w, int h) {
    static const double angle[] = {15, 75, 45};
    enum { GRID = 8 }; /* samples over two pixels each way, which the scanner's lens mixes */
    double tone = 0.05 + 0.9 * scene(x, y, c, w, h), light = 0;
    double turn = angle[c % 3] * PI / 180, cosine = cos(turn) / 4.4, sine = sin(turn) / 4.4;
    for (int i = 0; i < GRID * GRID; i++) {
        double dx = x + 2 * (i % GRID + 0.5) / GRID, dy = y + 2 * (i / GRID + 0.5) / GRID;
        double u = dx * cosine + dy * sine, v = dy * cosine - dx * sine;
        double apart = fabs(u - rint(u)) + fabs(v - rint(v)); /* from a dot's middle, 0 to 1 */
        double share = apart < 0.5 ? 2 * apart * apart : 1 - 2 * (1 - apart) * (1 - apart);
        light += share > 1 - tone;
    }
    return 0.06 + 0.88 * light / (GRID * GRID);
}

double white_noise(int x, int y, int c, int w, int h) {
    (void)w, (void)h;
    return hash01(x, y, c);
}

double gray_gradient(int x, int y, int c, int w, int h) {
    (void)c;
    return clamp01(((double)x / (w > 1 ? w - 1 : 1) + (double)y / (h > 1 ? h - 1 : 1)) / 2);
}

/* Six ramps, black to full: red, green, blue, cyan, magenta, yellow; a gray one below. */
double colour_ramps(int x, int y, int c, int w, int h) {
    static const unsigned char mask[] = {1, 2, 4, 6, 5, 3, 7};
    double v = (double)x / (w > 1 ? w - 1 : 1);
    return mask[y * 7 / h] >> c & 1 ? v : 0;
}

/* Single bright pixels: a filter's answer to them is its own kernel. */
double impulse_grid(int x, int y, int c, int w, int h) {
    (void)c;
    return (x - w / 2) % 64 == 0 && (y - h / 2) % 64 == 0 ? 1 : 0;
}

/* Vertical bars, then horizontal ones, of 1, 2, 3... pixels. */
double bars(int x, int y, int c, int w, int h) {
    int at = y < h / 2 ? x : y - h / 2, width = 1, start = 0;
    (void)c, (void)w;
    while (start + 2 * width <= at) {
        start += 2 * width;
        width++;
    }
    return at - start < width ? 0.1 : 0.9;
}

/* Colours below a soft-edged disc of opacity; alpha is the last channel. */
double colour_card(int x, int y, int c, int w, int h) {
    double u = (double)x / w, v = (double)y / h;
    bool check = (x / 4 + y / 4) % 2 == 0;
    double colour[3] = {u, v, 1 - u};
    return clamp01(colour[c % 3] * (check ? 1 : 0.7));
}

double alpha_disc(int x, int y, int c, int w, int h) {
    double r = hypot(x - w / 2.0, y - h / 2.0) / (w < h ? w : h);
    return c == 3 || c == 1 ? clamp01((0.5 - r) * 6) : colour_card(x, y, c, w, h);
}
