/*
 * test_deblur.c - undoing a blur: against the equations that it solves, solved densely; what is found in a
 * picture; pictures of every size; floats beside float64
 */
#include "deblur_util.h"
#include "filter/filter.h"
#include "solver/restore/field.h"

/* ---- the equations --------------------------------------------------------------------------- */

enum { SIDE = 24, PLANE = 36, POINTS = PLANE * PLANE };

/* Element (row, column) of the blur, on the periodic plane. */
static double blur_at(const struct imf_kernel *k, double total, int row, int column) {
    int dy = (column / PLANE - row / PLANE + k->cy + PLANE) % PLANE;
    int dx = (column % PLANE - row % PLANE + k->cx + PLANE) % PLANE;
    return dy < k->height && dx < k->width ? k->taps[dy * k->width + dx] / total : 0;
}

static bool inside(int point) {
    return point / PLANE < SIDE && point % PLANE < SIDE;
}

/* The penalty's first row: the inverse transform of R. */
static void penalty_row(double *to, const struct imf_deblur_model *m) {
    const double turn = 2 * acos(-1.0) / PLANE;
    for (int i = 0; i < POINTS; i++) {
        double sum = 0;
        for (int k = 0; k < POINTS; k++) {
            int u = k % PLANE, v = k / PLANE;
            double f = hypot(u > PLANE / 2 ? u - PLANE : u, v > PLANE / 2 ? v - PLANE : v);
            double r = IMF_DEBLUR_NOISE * m->noise / m->power * pow(fmax(f, 1) / PLANE, m->slope);
            sum += r * cos(turn * (u * (i % PLANE) + v * (i / PLANE)));
        }
        to[i] = sum / POINTS;
    }
}

/* Solve a x = b of POINTS equations, symmetric and positive, in place. */
static void solve(double *a, double *b) {
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = i + 1; j < POINTS; j++) {
            double f = a[j * POINTS + i] / a[i * POINTS + i];
            if (f == 0)
                continue;
            for (size_t k = i; k < POINTS; k++)
                a[j * POINTS + k] -= f * a[i * POINTS + k];
            b[j] -= f * b[i];
        }
    for (size_t i = POINTS; i-- > 0;) {
        for (size_t k = i + 1; k < POINTS; k++)
            b[i] -= a[i * POINTS + k] * b[k];
        b[i] /= a[i * POINTS + i];
    }
}

/* (K' M K + R) x = K' M picture, less the picture's mean. */
static double *solve_densely(const struct imf_surface *in, const struct imf_kernel *k,
                             const struct imf_deblur_model *m, double mean) {
    double *blur = calloc((size_t)POINTS * POINTS, sizeof *blur),
           *row = malloc(POINTS * sizeof *row);
    double *a = calloc((size_t)POINTS * POINTS, sizeof *a), *x = calloc(POINTS, sizeof *x);
    double total = imf_kernel_sum(k);
    penalty_row(row, m);
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++)
            blur[(size_t)i * POINTS + (size_t)j] = blur_at(k, total, i, j);
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++) {
            int dy = (j / PLANE - i / PLANE + PLANE) % PLANE,
                dx = (j % PLANE - i % PLANE + PLANE) % PLANE;
            a[(size_t)i * POINTS + (size_t)j] = row[dy * PLANE + dx];
        }
    for (int q = 0; q < POINTS; q++) {
        const double *of = blur + (size_t)q * POINTS;
        for (int i = 0; inside(q) && i < POINTS; i++)
            for (int j = 0; of[i] != 0 && j < POINTS; j++)
                a[(size_t)i * POINTS + (size_t)j] += of[i] * of[j];
        for (int i = 0; inside(q) && i < POINTS; i++)
            x[i] += of[i] * (value(in, q % PLANE, q / PLANE) - mean);
    }
    solve(a, x);
    free(blur);
    free(row);
    free(a);
    return x;
}

/* Least squares of the masked blur, which conjugate gradients reach by completing the outside. */
static void test_dense(void) {
    struct imf_kernel *k = kernel_of(3, 5);
    const struct imf_deblur d = {.method = IMF_DEBLUR_WIENER, .kernel = k};
    struct imf_problem p = problem_of(&d, SIDE, SIDE, 1, 1, IMF_F64, IMF_F64);
    struct imf_surface in = surface(&p, IMF_F64), out = surface(&p, IMF_F64);
    struct imf_field r = {.p = &p,
                          .in = &in,
                          .out = &out,
                          .blur = k,
                          .model = {.power = 900, .slope = 2, .noise = 1},
                          .nx = PLANE,
                          .ny = PLANE,
                          .iterations = 3000};
    double mean = 0, most = 0;
    draw(&in, 255);
    for (int i = 0; i < SIDE * SIDE; i++)
        mean += value(&in, i % SIDE, i / SIDE) / (SIDE * SIDE);
    double *want = solve_densely(&in, k, &r.model, mean);
    CHECK(!imf_deblur_do_f64(&r, NULL), "run");
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            most = fmax(most, fabs(value(&out, x, y) - mean - want[y * PLANE + x]));
    CHECK(most < 255e-6, "off by %g", most);
    free(want);
    imf_kernel_free(&k);
    imf_surface_free(&in);
    imf_surface_free(&out);
}

/* ---- Richardson and Lucy --------------------------------------------------------------------- */

/* K x, or its adjoint: the same matrix's columns. */
static void multiply(double *to, const double *x, const struct imf_kernel *k, bool adjoint) {
    double total = imf_kernel_sum(k);
    memset(to, 0, POINTS * sizeof *to);
    for (int i = 0; i < POINTS; i++)
        for (int t = 0; t < k->width * k->height; t++) {
            int y = (i / PLANE + t / k->width - k->cy + PLANE) % PLANE;
            int column = (i % PLANE + t % k->width - k->cx + PLANE) % PLANE, j = y * PLANE + column;
            double tap = k->taps[t] / total;
            to[adjoint ? j : i] += tap * x[adjoint ? i : j];
        }
}

/* Rounds as methods.c says, by sums of products. */
static void lucy(double *x, const struct imf_surface *in, const struct imf_kernel *k, double mean,
                 int rounds) {
    static double before[POINTS], guess[POINTS], blurred[POINTS], part[POINTS], cover[POINTS],
        change[POINTS];
    double ahead = 0;
    for (int i = 0; i < POINTS; i++)
        x[i] = before[i] = mean, change[i] = 0, part[i] = inside(i);
    multiply(cover, part, k, true);
    for (int n = 0; n < rounds; n++) {
        double along = 0, square = 0;
        for (int i = 0; i < POINTS; i++)
            guess[i] = fmax(x[i] + ahead * (x[i] - before[i]), 255 * 4e-6);
        multiply(blurred, guess, k, false);
        for (int i = 0; i < POINTS; i++)
            blurred[i] = inside(i) ? value(in, i % PLANE, i / PLANE) / blurred[i] : 0;
        multiply(part, blurred, k, true);
        for (int i = 0; i < POINTS; i++) {
            double to = cover[i] > 0.01 ? guess[i] * part[i] / cover[i] : guess[i];
            along += (to - guess[i]) * change[i];
            square += change[i] * change[i];
            change[i] = to - guess[i];
            before[i] = x[i];
            x[i] = to;
        }
        ahead = square > 0 ? fmin(fmax(along / square, 0), 0.999) : 0;
    }
}

/* The logarithm of the likelihood of counts, but for a constant. */
static double likelihood(const struct imf_surface *in, const double *x,
                         const struct imf_kernel *k) {
    static double blurred[POINTS];
    double sum = 0;
    multiply(blurred, x, k, false);
    for (int i = 0; i < POINTS; i++)
        if (inside(i))
            sum += value(in, i % PLANE, i / PLANE) * log(blurred[i]) - blurred[i];
    return sum;
}

static void test_lucy(void) {
    struct imf_kernel *k = kernel_of(5, 3);
    const struct imf_deblur d = {.method = IMF_DEBLUR_RL, .kernel = k};
    struct imf_problem p = problem_of(&d, SIDE, SIDE, 1, 1, IMF_F64, IMF_F64);
    struct imf_surface in = surface(&p, IMF_F64), out = surface(&p, IMF_F64);
    static double want[POINTS], a[POINTS], b[POINTS];
    double mean = 0, before = -INFINITY, ab = 0, ba = 0;
    draw(&in, 255);
    for (int i = 0; i < SIDE * SIDE; i++)
        mean += value(&in, i % SIDE, i / SIDE) / (SIDE * SIDE);
    for (int rounds = 1; rounds <= 12; rounds++) {
        struct imf_field r = {.p = &p,
                              .in = &in,
                              .out = &out,
                              .blur = k,
                              .nx = PLANE,
                              .ny = PLANE,
                              .model = {.power = 900, .slope = 2, .noise = 0},
                              .iterations = rounds};
        double most = 0;
        lucy(want, &in, k, mean, rounds);
        CHECK(!imf_deblur_do_f64(&r, NULL), "run");
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                most = fmax(most, fabs(value(&out, x, y) - want[y * PLANE + x]));
        CHECK(most < 255e-6, "%d rounds: off by %g", rounds, most);
        double now = likelihood(&in, want, k);
        CHECK(now > before, "round %d: less likely, %.9g after %.9g", rounds, now, before);
        before = now;
    }
    /* <M K a, b> = <a, K' M b>, of the products that the rounds above agree with */
    for (int i = 0; i < POINTS; i++)
        a[i] = noise() % 100, b[i] = noise() % 100;
    multiply(want, a, k, false);
    for (int i = 0; i < POINTS; i++) {
        b[i] = inside(i) ? b[i] : 0;
        ab += want[i] * b[i];
    }
    multiply(want, b, k, true);
    for (int i = 0; i < POINTS; i++)
        ba += a[i] * want[i];
    CHECK(fabs(ab - ba) < 1e-9 * fabs(ab), "%g and %g", ab, ba);
    imf_kernel_free(&k);
    imf_surface_free(&in);
    imf_surface_free(&out);
}

/* ---- every size ------------------------------------------------------------------------------ */

/* A picture whose blur has one tap: with no noise that picture. Constants stay; alpha is copied. */
static void test_kept(int width, int height) {
    char found[128] = "";
    struct imf_kernel *one = kernel_of(1, 1), *k = kernel_of(4, 3);
    for (int m = 0; m < 3; m++) {
        const struct imf_deblur d = {.method = methods[m], .kernel = one},
                                b = {methods[m], k, -1, 0, 1, 1};
        struct imf_problem p = problem_of(&d, width, height, 4, 3, IMF_F64, IMF_F64),
                           q = problem_of(&b, width, height, 4, 3, IMF_F64, IMF_F64);
        struct imf_surface in = surface(&p, IMF_F64), out = surface(&p, IMF_F64);
        draw(&in, 255);
        run_on(NULL, &imf_solver_deblur_host, &p, &in, &out, found, sizeof found);
        CHECK(difference(&in, &out, 0, 3) < 0.01, "%s of one tap, %dx%d: %g", names[m], width,
              height, difference(&in, &out, 0, 3));
        CHECK(difference(&in, &out, 3, 4) == 0, "alpha");
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width * 4; x++)
                imf_sample_put(imf_surface_row(&in, y), IMF_F64, x, 30 + 20 * (x % 4));
        run_on(NULL, &imf_solver_deblur_host, &q, &in, &out, found, sizeof found);
        CHECK(difference(&in, &out, 0, 4) < 0.01, "%s of a constant, %dx%d: %g", names[m], width,
              height, difference(&in, &out, 0, 4));
        imf_surface_free(&in);
        imf_surface_free(&out);
    }
    imf_kernel_free(&one);
    imf_kernel_free(&k);
}

/* Floats are as near to float64 as results of 8 bits have to be, and write their pixels alone. */
static void test_floats(int width, int height, int channels) {
    struct imf_kernel *k = kernel_of(7, 6);
    for (int m = 0; m < 3; m++) {
        const struct imf_deblur d = {methods[m], k, -1, 0, 1, 1};
        const struct imf_problem p =
            problem_of(&d, width, height, channels, channels, IMF_U8, IMF_F32);
        compare(NULL, &imf_solver_deblur, &p, names[m]);
    }
    imf_kernel_free(&k);
}

/* Two steps of 16 bits with sign are less than floats may be off by, two of 12 bits more; `local`: of samples that may
 * exceed full scale. */
static void test_promise(int bits, bool local, const char *how) {
    struct imf_kernel *k = kernel_of(3, 3);
    for (int m = 0; m < 3; m++) {
        const struct imf_deblur d = {methods[m], k, 0.035, 0, 1, 1};
        struct imf_problem p = problem_of(&d, 20, 10, 1, 1, IMF_F32, IMF_F32);
        struct imf_proposal proposal;
        p.unit = p.in_max = p.epilogue.full = exp2(bits) - 1;
        p.tolerance = p.tolerance_even = 2 - 1.0 / 32;
        p.local = local;
        imf_propose(&proposal, &imf_solver_deblur, &p, NULL);
        CHECK(strstr(proposal.description, how), "%s of %d bits: %s", names[m], bits,
              proposal.description);
    }
    imf_kernel_free(&k);
}

/* ---- what is found --------------------------------------------------------------------------- */

/* Normal, of variance 1. */
static double normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (noise() % 65536 + 0.5) / 65536;
    return sum;
}

/* A scene of disks in front of each other, of many sizes, as natural ones are; blurred, with noise. */
static void scene(const struct imf_surface *s, const struct imf_kernel *k, double sigma) {
    enum { WIDE = 320 };
    static double sharp[WIDE * WIDE];
    for (int i = 0; i < 4000; i++) {
        double radius = 60 / sqrt(1 + noise() % 3600), color = noise() % 256;
        int cx = (int)(noise() % WIDE), cy = (int)(noise() % WIDE), r = (int)radius + 1;
        for (int y = imf_max(cy - r, 0); y < imf_min(cy + r, WIDE); y++)
            for (int x = imf_max(cx - r, 0); x < imf_min(cx + r, WIDE); x++)
                if (hypot(x - cx, y - cy) < radius)
                    sharp[y * WIDE + x] = color;
    }
    double total = imf_kernel_sum(k);
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            double sum = 0;
            for (int v = 0; v < k->height; v++)
                for (int u = 0; u < k->width; u++)
                    sum += k->taps[v * k->width + u] * sharp[(y + v) * WIDE + x + u];
            imf_sample_put(imf_surface_row(s, y), s->sample, x, sum / total + sigma * normal());
        }
}

static struct imf_filter *filter_of(const char *spec) {
    struct imf_filter *f;
    if (imf_filter_parse(&f, &spec, 1, NULL))
        abort();
    return f;
}

/* Noise is measured within a twentieth, a blur within a tenth; what has a direction is told. */
static void test_found(void) {
    static const struct {
        const char *spec;
        double sigma, size;
        bool disk, directed;
    } cases[] = {{"gaussian:2", 1, 2, false, false},
                 {"gaussian:3", 4, 3, false, false},
                 {"disk:5", 1, 5, true, false},
                 {"motion:13:20", 1, 0, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct imf_filter *f = filter_of(cases[i].spec);
        const struct imf_deblur d = {.kernel = f->stages[0].kernel[0]};
        struct imf_problem p = problem_of(&d, 256, 256, 1, 1, IMF_F64, IMF_F64);
        struct imf_surface in = surface(&p, IMF_F64);
        struct imf_deblur_model m;
        struct imf_blind b;
        const struct imf_whittle_scale scale = {0.3, 255};
        scene(&in, d.kernel, cases[i].sigma);
        CHECK(!imf_whittle_fit(&m, &in, 1, d.kernel, -1, scale, NULL, NULL), "fit");
        CHECK(cases[i].directed || fabs(sqrt(m.noise) / cases[i].sigma - 1) < 0.05,
              "%s: noise %g, not %g", cases[i].spec, sqrt(m.noise), cases[i].sigma);
        CHECK(!imf_whittle_fit(&m, &in, 1, d.kernel, 3, scale, NULL, NULL) && m.noise == 9,
              "given: %g", m.noise);
        CHECK(!imf_whittle_blind(&b, &in, 1, scale, NULL, NULL), "blind");
        CHECK(b.directed == cases[i].directed, "%s has %sdirection", cases[i].spec,
              b.directed ? "a " : "no ");
        CHECK(b.directed || (b.disk == cases[i].disk && fabs(b.size / cases[i].size - 1) < 0.1),
              "%s: %s:%g", cases[i].spec, b.disk ? "disk" : "gaussian", b.size);
        imf_filter_free(&f);
        imf_surface_free(&in);
    }
}

/* ---- specs ------------------------------------------------------------------------------------ */

/* They hold another spec. */
static void test_specs(void) {
    struct imf_filter *f = filter_of("deblur:motion:15:noise=1%:30:prior=tv:iterations=3");
    const struct imf_deblur *d = &f->stages[0].deblur;
    CHECK(f->stages[0].op == IMF_OP_DEBLUR && d->method == IMF_DEBLUR_TV && d->iterations == 3,
          "%d", d->iterations);
    CHECK(d->kernel == f->stages[0].kernel[0] && d->kernel->width > 11 && d->noise == 0.01, "%g",
          d->noise);
    imf_filter_free(&f);
    f = filter_of("deblur:auto");
    CHECK(!f->stages[0].deblur.kernel && f->stages[0].deblur.noise < 0, "auto");
    imf_filter_free(&f);
    f = filter_of("rl:kernel:1,2,1:scale=auto");
    CHECK(f->stages[0].deblur.method == IMF_DEBLUR_RL && f->stages[0].kernel[0]->width == 3, "rl");
    imf_filter_free(&f);
    static const struct {
        const char *spec;
        size_t column;
        const char *said;
    } wrong[] = {{"deblur", 7, "KERNEL is missing"},
                 {"deblur:sobel", 8, "is no kernel"},
                 {"deblur:deblur:disk:2", 8, "is no kernel"},
                 {"deblur:laplacian", 8, "the sum of its coefficients is 0"},
                 {"deblur:kernel:1:bias=1", 8, "it has a bias"},
                 {"deblur:disk:2:noise=-1", 21, "out of range"},
                 {"deblur:disk:2:noise=25", 21, "out of range"},
                 {"deblur:disk:2:noise=1:noise=1", 23, "given twice"},
                 {"deblur:disk:2:prior=l1", 21, "not one of the choices"},
                 {"deblur:disk:2:background=3", 26, "is for @FILE, a picture"},
                 {"deblur:auto:background=-1e3", 24, "is for @FILE, a picture"},
                 {"rl:disk:2:background=none", 22, "is not a number"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct imf_error err = {.text = ""};
        CHECK(imf_filter_parse(&f, &wrong[i].spec, 1, &err) == IMF_ERR_SPEC &&
                  err.column == wrong[i].column && strstr(err.text, wrong[i].said),
              "%s: column %zu, %s", wrong[i].spec, err.column, err.text);
    }
}

int main(void) {
    static const int sizes[][2] = {{1, 1}, {1, 17}, {23, 1}, {2, 3}, {31, 29}, {61, 40}};
    test_dense();
    test_lucy();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_kept(sizes[i][0], sizes[i][1]);
        test_floats(sizes[i][0], sizes[i][1], 1 + (int)i % 4);
    }
    test_promise(15, false, "float64");
    test_promise(12, false, "floats");
    test_promise(12, true, "float64");
    test_found();
    test_specs();
    return check_done("test_deblur");
}
