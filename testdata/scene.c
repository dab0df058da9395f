/*
 * scene.c - a still life, ray traced: fruit, steel and marble on a table before a wall with lamps
 *
 * One ray a sample, a shadow ray, and reflections; 5x5 samples a pixel. It is there to be looked
 * at: fine texture (wood, brick, peel) for sharpening, contours for gradients, lamps for lens blur.
 */
#include "patterns.h"

#include <math.h>
#include <stdbool.h>

struct vec {
    double x, y, z;
};

static struct vec add(struct vec a, struct vec b) {
    return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static struct vec mul(struct vec a, double k) {
    return (struct vec){a.x * k, a.y * k, a.z * k};
}
static struct vec tint(struct vec a, struct vec b) {
    return (struct vec){a.x * b.x, a.y * b.y, a.z * b.z};
}
static double dot(struct vec a, struct vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static struct vec unit(struct vec a) {
    return mul(a, 1 / sqrt(dot(a, a)));
}
static struct vec mix(struct vec a, struct vec b, double t) {
    return add(mul(a, 1 - t), mul(b, t));
}

/* Value noise in three dimensions, and its sum over octaves. */
static double noise3(double x, double y, double z) {
    int i = (int)floor(x), j = (int)floor(y), k = (int)floor(z);
    double f[3] = {x - i, y - j, z - k}, sum = 0;
    for (int a = 0; a < 3; a++)
        f[a] = f[a] * f[a] * (3 - 2 * f[a]);
    for (int c = 0; c < 8; c++) {
        double weight =
            (c & 1 ? f[0] : 1 - f[0]) * (c & 2 ? f[1] : 1 - f[1]) * (c & 4 ? f[2] : 1 - f[2]);
        sum += weight * hash01(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
    }
    return sum;
}

static double turbulence(double x, double y, double z, int octaves) {
    double sum = 0, size = 0.5;
    for (int i = 0; i < octaves; i++, size /= 2, x *= 2, y *= 2, z *= 2)
        sum += size * noise3(x, y, z);
    return sum;
}

enum material { WALL, TABLE, ORANGE, STEEL, MARBLE, LIME, LAMP };

struct sphere {
    struct vec centre;
    double radius;
    enum material material;
};

enum { FRUIT = 5, LAMPS = 11, SPHERES = FRUIT + LAMPS };

static const struct sphere fruit[FRUIT] = {
    {{-1.25, 0.72, 0.6}, 0.72, ORANGE}, {{0.3, 0.95, 1.5}, 0.95, STEEL},
    {{1.45, 0.6, 0.2}, 0.6, MARBLE},    {{-0.3, 0.42, -0.5}, 0.42, LIME},
    {{-2.5, 0.55, 2.0}, 0.55, MARBLE},
};

/* Lamps hang along a curve in front of the wall. */
static struct sphere sphere_at(int i) {
    if (i < FRUIT)
        return fruit[i];
    double t = (i - FRUIT) / (double)(LAMPS - 1), x = -4.6 + 9.2 * t;
    double sag = 0.9 * sin(3 * 3.14159265 * t) * sin(3 * 3.14159265 * t);
    return (struct sphere){{x, 3.5 - sag - 0.2 * t, 4.4}, 0.075, LAMP};
}

struct hit {
    double t;
    enum material material;
    struct vec point, normal;
};

static bool trace(struct vec from, struct vec dir, struct hit *hit) {
    int nearest = -1;
    hit->t = 1e9;
    for (int i = 0; i < SPHERES; i++) {
        struct sphere s = sphere_at(i);
        struct vec o = add(from, mul(s.centre, -1));
        double b = dot(o, dir), c = dot(o, o) - s.radius * s.radius, d = b * b - c;
        if (d <= 0)
            continue;
        double t = -b - sqrt(d);
        if (t > 1e-4 && t < hit->t) {
            hit->t = t;
            nearest = i;
        }
    }
    if (dir.y < 0 && -from.y / dir.y > 1e-4 && -from.y / dir.y < hit->t) {
        hit->t = -from.y / dir.y;
        hit->material = TABLE;
        hit->normal = (struct vec){0, 1, 0};
        nearest = -1;
    }
    if (dir.z > 0 && (5.5 - from.z) / dir.z < hit->t) {
        hit->t = (5.5 - from.z) / dir.z;
        hit->material = WALL;
        hit->normal = (struct vec){0, 0, -1};
        nearest = -1;
    }
    if (hit->t >= 1e9)
        return false;
    hit->point = add(from, mul(dir, hit->t));
    if (nearest >= 0) {
        struct sphere s = sphere_at(nearest);
        hit->material = s.material;
        hit->normal = mul(add(hit->point, mul(s.centre, -1)), 1 / s.radius);
    }
    return true;
}

static struct vec wood(struct vec p) {
    double plank = floor(p.x / 0.85 + 100), along = p.z + 7 * hash01((int)plank, 1, 1);
    double inside = p.x / 0.85 + 100 - plank;
    double wave = turbulence(p.x * 3, along * 0.5, plank, 3);
    double ring = 0.5 + 0.5 * sin(60 * (wave + 0.35 * inside));
    double grain = turbulence(p.x * 90, along * 3, plank * 3, 2);
    double tone =
        0.55 + 0.2 * ring + 0.35 * (grain - 0.4) + 0.25 * (hash01((int)plank, 2, 2) - 0.5);
    if (inside < 0.012 || inside > 0.988)
        tone *= 0.25;
    return mul((struct vec){0.72, 0.42, 0.22}, tone);
}

static struct vec brick(struct vec p) {
    double row = floor(p.y / 0.34 + 50), shift = fmod(row, 2) * 0.5;
    double column = floor(p.x / 0.95 + shift + 50);
    double u = p.x / 0.95 + shift + 50 - column, v = p.y / 0.34 + 50 - row;
    double rough = turbulence(p.x * 9, p.y * 9, 3, 4);
    double edge = 0.02 * rough;
    if (u < 0.03 + edge || v < 0.1 + 2 * edge)
        return mul((struct vec){0.5, 0.47, 0.44}, 0.5 + 0.6 * rough);
    double tone = 0.55 + 0.35 * hash01((int)row, (int)column, 5) + 0.5 * (rough - 0.5);
    return mul(mix((struct vec){0.55, 0.26, 0.19}, (struct vec){0.42, 0.25, 0.27},
                   hash01((int)column, (int)row, 9)),
               tone);
}

/* Dimples of the peel tilt the normal. */
static struct vec peel(struct vec n, double scale, double depth) {
    double e = 0.02, x = n.x * scale, y = n.y * scale, z = n.z * scale;
    double at = noise3(x, y, z);
    struct vec slope = {noise3(x + e, y, z) - at, noise3(x, y + e, z) - at,
                        noise3(x, y, z + e) - at};
    return unit(add(n, mul(slope, -depth / e)));
}

static struct vec shade(struct vec from, struct vec dir, double jx, double jy, int depth);

static struct vec surface(const struct hit *h, struct vec dir, double jx, double jy, int depth) {
    static const struct vec sun = {-4.5, 6.5, -4};
    struct vec n = h->normal, p = h->point, colour = {1, 1, 1};
    double gloss = 0, mirror = 0;
    switch (h->material) {
    case LAMP:
        return (struct vec){3.4, 2.9, 1.9};
    case WALL:
        colour = brick(p);
        break;
    case TABLE:
        colour = wood(p);
        break;
    case ORANGE:
        n = peel(n, 26, 0.10);
        colour = (struct vec){1.0, 0.40, 0.04};
        gloss = 0.35;
        break;
    case LIME:
        n = peel(n, 22, 0.06);
        colour = mix((struct vec){0.42, 0.6, 0.08}, (struct vec){0.7, 0.72, 0.2},
                     turbulence(n.x * 3, n.y * 3, n.z * 3, 3));
        gloss = 0.4;
        break;
    case STEEL:
        colour = (struct vec){0.08, 0.08, 0.09};
        mirror = 0.8;
        gloss = 0.9;
        break;
    case MARBLE: {
        double vein = turbulence(p.x * 3, p.y * 3, p.z * 3, 5);
        vein = pow(fabs(sin(5 * p.x + 3 * p.y + 12 * vein)), 0.35);
        colour = mix((struct vec){0.25, 0.3, 0.38}, (struct vec){0.93, 0.92, 0.9}, vein);
        gloss = 0.6;
        mirror = 0.05;
        break;
    }
    }
    /* The lamp is a square: each sample aims at another point of it, which softens shadows. */
    struct vec light = add(add(sun, (struct vec){jx, 0, jy}), mul(p, -1)), to = unit(light);
    struct hit blocker;
    struct vec start = add(p, mul(h->normal, 1e-3));
    bool shadow = trace(start, to, &blocker) && blocker.t < sqrt(dot(light, light));
    double lambert = dot(n, to) > 0 && !shadow ? dot(n, to) : 0;
    double fall = 95 / dot(light, light);
    double sky = 0.16 + 0.1 * n.y - 0.06 * (h->material == WALL);
    /* Contact shadow: less of the room is seen near what stands on the table. */
    if (h->material == TABLE)
        for (int i = 0; i < FRUIT; i++) {
            double dx = p.x - fruit[i].centre.x, dz = p.z - fruit[i].centre.z;
            double r = fruit[i].radius;
            sky *= 1 - 0.75 * exp(-(dx * dx + dz * dz) / (r * r) * 1.8);
        }
    struct vec warm = {1.0, 0.9, 0.76}, cool = {0.75, 0.85, 1.0};
    struct vec out = tint(colour, add(mul(warm, lambert * fall), mul(cool, sky)));
    struct vec mirrored = add(dir, mul(n, -2 * dot(n, dir)));
    if (gloss > 0 && !shadow) {
        double s = dot(mirrored, to);
        out = add(out, mul(warm, s > 0 ? gloss * pow(s, 60) * 1.5 : 0));
    }
    if (mirror > 0 && depth < 4) {
        double grazing = 1 + dot(n, dir), fresnel = mirror + (1 - mirror) * pow(grazing, 5);
        out = mix(out, shade(start, mirrored, jx, jy, depth + 1), fresnel);
    }
    return out;
}

static struct vec shade(struct vec from, struct vec dir, double jx, double jy, int depth) {
    struct hit hit;
    if (!trace(from, dir, &hit)) {
        double up = dir.y > 0 ? dir.y : 0; /* the room behind the camera: a window, high up */
        bool pane = dir.z < 0 && fabs(fmod(fabs(dir.x * 6), 2) - 1) > 0.15 && dir.y > 0.35 &&
                    dir.y < 0.85 && fabs(dir.x) < 0.5;
        return pane ? (struct vec){1.5, 1.6, 1.8} : mul((struct vec){0.2, 0.19, 0.2}, 0.4 + up);
    }
    return surface(&hit, dir, jx, jy, depth);
}

double scene(int x, int y, int c, int w, int h) {
    enum { GRID = 5 };
    static int last_x = -1, last_y = -1;
    static double last[3];
    if (x != last_x || y != last_y) {
        struct vec sum = {0, 0, 0};
        for (int i = 0; i < GRID * GRID; i++) {
            double jx = hash01(x, y, i * 2), jy = hash01(x, y, i * 2 + 1);
            double u = (x + (i % GRID + jx) / GRID - w / 2.0) / w;
            double v = (y + (i / GRID + jy) / GRID - h / 2.0) / w;
            struct vec dir = unit((struct vec){u, -v - 0.17, 0.95});
            /* The part of the lamp that this sample sees: each of 25 parts once a pixel. */
            int part = i * 7 % (GRID * GRID);
            double lx = (part % GRID + jy) / GRID * 2 - 1, ly = (part / GRID + jx) / GRID * 2 - 1;
            struct vec s = shade((struct vec){0.05, 2.15, -4.6}, dir, lx, ly, 0);
            sum = add(sum, s);
        }
        double v[3] = {sum.x, sum.y, sum.z};
        for (int i = 0; i < 3; i++) {
            double linear = v[i] / (GRID * GRID);
            linear = linear / (1 + 0.18 * linear * linear); /* a shoulder for highlights */
            linear = linear > 1 ? 1 : linear;
            last[i] = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
        }
        last_x = x;
        last_y = y;
    }
    return last[c % 3];
}
