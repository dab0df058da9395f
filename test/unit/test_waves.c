/* test_waves.c - waves that are subtracted are a least-squares fit, by any number of threads */
#include "base/thread_pool.h"
#include "pattern_util.h"
#include "solver/restore/waves.h"
#include "solver/solver.h"
#include "solver_check.h"

#include <complex.h>
#include <string.h>

#define WAVES 4

extern const struct imf_solver imf_solver_descreen_vector, imf_solver_descreen_host;

/* ---- fits ------------------------------------------------------------------------------------- */

/* Eight rows at a time, as imf_waves_add() takes them. */
static void add_all(struct imf_waves *w, const struct image *image, imf_wave_rows *rows,
                    imf_wave_rows *work) {
    for (int cell = 0; cell < w->y.cells; cell++) {
        for (int i = 0; i < w->y.spacing; i++)
            for (int x = 0; x < image->width; x++) {
                int y = cell * w->y.spacing - w->y.start + i;
                rows[i / IMF_WAVES_ROWS * image->width + x][i % IMF_WAVES_ROWS] =
                    y >= 0 && y < image->height ? image->v[y * image->width + x] : 0;
            }
        imf_waves_add(w, cell, rows, work);
    }
}

/* exp(2 pi i (u x + v y)) times the functions of node (i,j). */
static double complex element(const struct imf_waves *w, int wave, int x, int y, int i, int j) {
    int at_x = x + w->x.start - i * w->x.spacing, at_y = y + w->y.start - j * w->y.spacing;
    double dx = (at_x + 0.5) / w->x.spacing, dy = (at_y + 0.5) / w->y.spacing;
    if (fabs(dx) >= 1 || fabs(dy) >= 1)
        return 0;
    double turns = w->wave[wave].u * x + w->wave[wave].v * y;
    return (0.5 + 0.5 * cos(PI * dx)) * (0.5 + 0.5 * cos(PI * dy)) * cexp(2 * PI * I * turns);
}

/* Solve by elimination; the matrix is positive definite. */
static void solve(double *m, double complex *right, int n) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double f = m[i * n + k] / m[k * n + k];
            for (int j = k; j < n; j++)
                m[i * n + j] -= f * m[k * n + j];
            right[i] -= f * right[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            right[i] -= m[i * n + j] * right[j];
        right[i] /= m[i * n + i];
    }
}

static void test_fit(int width, int height, int spacing) {
    struct imf_pattern_wave wave[WAVES] = {
        {.u = 0.21, .v = 0.13}, {.u = 0.33, .v = -0.08}, {.v = 0.29}, {.u = 0.5, .v = 0.5}};
    struct image image = image_of(width, height);
    struct imf_waves w;
    imf_wave_rows *rows = aligned_alloc(sizeof *rows, (size_t)(width * spacing) * sizeof *rows);
    CHECK(imf_waves_open(&w, width, height, spacing, wave, WAVES, NULL) == IMF_OK, "open");
    imf_wave_rows *work =
        aligned_alloc(sizeof *work, imf_waves_work(w.x.size, w.x.spacing) * sizeof *work);
    if (!rows || !work)
        abort();
    for (int i = 0; i < width * height; i++)
        image.v[i] = normal();
    add_all(&w, &image, rows, work);
    int nx = w.x.cells + 1, ny = w.y.cells + 1, n = nx * ny;
    double worst = 0, *m = malloc((size_t)(n * n) * sizeof *m);
    double complex *right = calloc((size_t)(WAVES * n), sizeof *right);
    if (!m || !right)
        abort();
    for (int k = 0; k < WAVES; k++)
        for (int i = 0; i < n; i++) {
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++)
                    right[k * n + i] +=
                        image.v[y * width + x] * conj(element(&w, k, x, y, i % nx, i / nx));
            const double *sum = w.sums + 2 * (k * n + i);
            worst = fmax(worst, cabs(right[k * n + i] - (sum[0] + I * sum[1])));
        }
    CHECK(worst < 1e-10, "%dx%d: sums are off by %g", width, height, worst);
    imf_waves_fit(&w, NULL, 0);
    CHECK(w.kept == WAVES, "%d kept", w.kept);
    worst = 0;
    for (int k = 0; k < WAVES; k++) {
        for (int i = 0; i < n * n; i++)
            m[i] = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int p = 0; p < width * height; p++)
                    m[i * n + j] +=
                        creal(conj(element(&w, k, p % width, p / width, i % nx, i / nx)) *
                              element(&w, k, p % width, p / width, j % nx, j / nx));
        solve(m, right + k * n, n);
        for (int i = 0; i < n; i++) {
            const double *a = w.sums + 2 * (k * n + i);
            worst = fmax(worst, cabs(right[k * n + i] - (a[0] + I * a[1])));
        }
    }
    CHECK(worst < 1e-9, "%dx%d: amplitudes are off by %g", width, height, worst);
    /* From rows anywhere, the waves of these amplitudes. */
    worst = 0;
    for (int y = -3; y < height; y += IMF_WAVES_ROWS) {
        for (int x = 0; x < width; x++)
            rows[x] = (imf_wave_rows){0};
        imf_waves_subtract(&w, y, rows, work);
        for (int i = 0; i < IMF_WAVES_ROWS; i++)
            for (int x = 0; x < width && y + i >= 0 && y + i < height; x++) {
                double sum = rows[x][i];
                for (int k = 0; k < WAVES; k++)
                    for (int j = 0; j < n; j++)
                        sum += (k == 3 ? 1 : 2) *
                               creal(right[k * n + j] * element(&w, k, x, y + i, j % nx, j / nx));
                worst = fmax(worst, fabs(sum));
            }
    }
    CHECK(worst < 1e-9, "%dx%d: waves are off by %g", width, height, worst);
    free(m);
    free(right);
    free(rows);
    free(work);
    free(image.v);
    imf_waves_free(&w);
}

/* A wave of one amplitude is fitted by one; one that grows, by more; noise by none. */
static void test_levels(void) {
    struct imf_pattern_wave wave = {.u = 0.21, .v = 0.13, .amplitude = 1};
    for (int turn = 0; turn < 3; turn++) {
        struct image image = image_of(200, 160);
        struct imf_waves w;
        imf_wave_rows *rows = aligned_alloc(sizeof *rows, 200 * 2 * sizeof *rows);
        CHECK(imf_waves_open(&w, 200, 160, 16, &wave, 1, NULL) == IMF_OK, "open");
        imf_wave_rows *work =
            aligned_alloc(sizeof *work, imf_waves_work(w.x.size, w.x.spacing) * sizeof *work);
        if (!rows || !work)
            abort();
        if (turn > 0)
            add_wave(&image, wave.u, wave.v, 6);
        for (int i = 0; i < 200 * 160; i++)
            image.v[i] = image.v[i] * (turn == 2 ? sin(i % 200 / 15.0) : 1) + normal();
        double variance = 1, left = 0, spread = 0;
        add_all(&w, &image, rows, work);
        imf_waves_fit(&w, &variance, 4);
        CHECK(w.kept == (turn > 0), "turn %d: %d", turn, w.kept);
        for (int i = 2; i < 2 * (w.x.cells + 1) * (w.y.cells + 1); i++)
            spread = fmax(spread, fabs(w.sums[i] - w.sums[i % 2]));
        if (turn > 0)
            CHECK((spread < 1e-9) == (turn == 1), "turn %d: amplitudes differ by %g", turn, spread);
        for (int y = 0; y < 160; y += IMF_WAVES_ROWS) {
            for (int i = 0; i < IMF_WAVES_ROWS * 200; i++)
                rows[i % 200][i / 200] = image.v[y * 200 + i];
            imf_waves_subtract(&w, y, rows, work);
            for (int i = 0; i < IMF_WAVES_ROWS * 200; i++)
                left += rows[i % 200][i / 200] * rows[i % 200][i / 200] / (200 * 160);
        }
        CHECK(fabs(left - 1) < 0.1, "turn %d: %g is left of noise of variance 1", turn, left);
        free(rows);
        free(work);
        free(image.v);
        imf_waves_free(&w);
    }
}

/* ---- the solver ------------------------------------------------------------------------------- */

static struct imf_surface result_of(const struct imf_solver *solver, const struct imf_problem *p,
                                    const struct imf_surface *in, int threads) {
    struct imf_surface out = surface(p, p->out);
    struct imf_proposal proposal;
    struct imf_pool *pool = NULL;
    struct imf_job *job = NULL;
    imf_propose(&proposal, solver, p, NULL);
    bool ran = !imf_pool_open(&pool, threads, NULL) && proposal.feasible &&
               !imf_job_make(&job, p, &proposal, NULL, NULL);
    if (ran) {
        job->pool = pool;
        ran = !imf_job_run(job, in, &out, NULL);
        imf_job_free(&job);
    }
    CHECK(ran, "%s", proposal.why);
    imf_pool_close(&pool);
    return out;
}

/* Any number of threads gives the same bytes; alpha stays; without a pattern everything does. */
static void test_solver(void) {
    static const int sizes[][2] = {{1, 1}, {1, 90}, {90, 1}, {70, 66}, {203, 131}};
    struct imf_descreen descreen = {1, true};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int turn = 0; turn < 4; turn++) {
            bool screened = turn % 2, alpha = turn / 2;
            struct imf_problem p = {.width = sizes[s][0],
                                    .height = sizes[s][1],
                                    .channels = alpha ? 4 : 3,
                                    .in = turn == 3 ? IMF_U16 : IMF_U8,
                                    .out = turn == 3 ? IMF_U16 : IMF_U8,
                                    .epilogue = {.scale = 1, .multiply = 1},
                                    .unit = turn == 3 ? 65535 : 255};
            p.epilogue.full = p.in_max = p.unit;
            imf_problem_descreen(&p, &descreen, 3);
            struct imf_surface in = surface(&p, p.in);
            for (int y = 0; y < p.height; y++)
                for (int x = 0; x < p.width * p.channels; x++) {
                    double v = 100 + 3 * normal();
                    if (screened)
                        v += 20 * cos(2 * PI * (0.23 * (x / p.channels) + 0.27 * y));
                    imf_sample_put(imf_surface_row(&in, y), p.in, x, v * p.unit / 255);
                }
            struct imf_surface one = result_of(&imf_solver_descreen_host, &p, &in, 1);
            struct imf_surface three = result_of(&imf_solver_descreen_vector, &p, &in, 3);
            CHECK(!differing(&one, &three), "%dx%d, turn %d", p.width, p.height, turn);
            bool large = imf_min(p.width, p.height) >= 64;
            CHECK((differing(&in, &one) > 0) == (screened && large), "%dx%d, turn %d", p.width,
                  p.height, turn);
            for (int y = 0; y < p.height && alpha; y++)
                for (int x = 3; x < 4 * p.width; x += 4)
                    CHECK(imf_sample_get(imf_surface_row(&in, y), p.in, x) ==
                              imf_sample_get(imf_surface_row(&one, y), p.in, x),
                          "alpha at %d, %d", x / 4, y);
            imf_surface_free(&in);
            imf_surface_free(&one);
            imf_surface_free(&three);
        }
}

int main(void) {
    test_fit(40, 37, 16);
    test_fit(17, 8, 8);
    test_fit(9, 31, 24);
    test_fit(33, 16, 16);
    test_levels();
    test_solver();
    return check_done("test_waves");
}
