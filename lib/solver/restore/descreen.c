/*
 * descreen.c - periodic patterns found and subtracted, on the host, in double precision
 *
 * The waves are found in all channels together (fourier/pattern.h), and fitted to each channel on nodes
 * 16 samples apart or farther (waves.h). At the border half of a node's function is missing, and with it
 * what keeps frequencies apart: a strong wave would pass for a weak one. So the channel is
 * fitted in layers, the strongest first, each to what the ones before leave:
 *
 *     the lowest frequencies, as a wave of frequency 0 on nodes 24 samples apart
 *     waves of at least a quarter of the strongest's amplitude
 *     other waves that stand out
 *     harmonics, and what stands out in other channels alone
 *
 * The plane itself is not kept: rows are read again for each layer. What all layers but the first take is subtracted,
 * where there is a pattern (screen.h).
 *
 * Dots of a print follow the tones, more finely than nodes can. Then the energy that the amplitudes vary by is
 * a certain part of that of the tones, which the first layer has: 0.05 to 0.4 in prints of photographs at 4 to 10
 * pixels for a dot, at most 0.004 where a pattern was added to photographs, 0.008 where white cut it off. A filter
 * takes more of what they leave (screen.h). They end with the image, and so leave little of dots at its borders.
 *
 * An image without a pattern is copied: its samples stay as they are.
 *
 * Results do not depend on the number of threads: cells of rows next to each other add to the same
 * sums, so that every other cell is worked on, then those in between.
 *
 * It is the reference (backend cpu) and, on all cores, the host's solver (vector).
 */
#include "device/tuning.h"
#include "fourier/pattern.h"
#include "solver/common/channels.h"
#include "solver/cores.h"
#include "solver/restore/screen.h"
#include "solver/restore/waves.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>

#define ROWS IMF_WAVES_ROWS
#define SPACING 16     /* of nodes: half a period of the largest variation that is followed */
#define LOW_SPACING 24 /* so far apart frequencies up to 0.02 cycles per pixel are the picture's */
#define CAUTION 4.0 /* at strength 1: energy that an amplitude has to explain, over the picture's */

#define FOLLOWS                                                                                    \
    0.01 /* of the tones' changes: so much in the amplitudes' is dots that follow them */
#define STEADY 0.001 /* of an even pattern's energy: less is rounding */
#define SHARE 0.15   /* at strength 1: of a tone's changes around the strongest wave */

enum { LOW, STRONG, WEAK, HARMONICS, LAYERS };

/* A channel, and threads that take groups of its rows, one after the other. */
struct work {
    const struct imf_problem *p;
    const struct imf_surface *in, *out;
    struct imf_pool *pool;             /* borrowed, or NULL */
    const struct imf_pattern *pattern; /* job->own: what the last run found */
    int channel;
    struct imf_waves layer[LAYERS];
    int layers;      /* that are open; the last one is added to, */
    bool takes;      /* or what they take is stored */
    int first, step; /* of the groups that are taken */
    float *taken;    /* of the channel, width x height: what is removed */
    struct imf_screen_area area;
};

static void read_row(void *user, int channel, int y, int x, double *row, int count) {
    const struct work *w = user;
    imf_channel_read(row, w->in, channel, y, x, count);
}

/* ---- groups of rows --------------------------------------------------------------------------- */

/* Columns of eight rows from y on; rows outside the image are any. */
static void load(const struct work *w, int y, imf_wave_rows *to, double *row) {
    for (int i = 0; i < ROWS; i++) {
        read_row((void *)w, w->channel, imf_max(imf_min(y + i, w->p->height - 1), 0), 0, row,
                 w->p->width);
        for (int x = 0; x < w->p->width; x++)
            to[x][i] = row[x];
    }
}

/* What the layers but the first take of eight rows, which `rows` holds. */
static void take(const struct work *w, int y, imf_wave_rows *rows, imf_wave_rows *scratch,
                 double *row) {
    const struct imf_problem *p = w->p;
    for (int k = 1; k < w->layers; k++)
        imf_waves_subtract(&w->layer[k], y, rows, scratch);
    for (int i = 0; i < ROWS && y + i < p->height; i++) {
        float *to = w->taken + (size_t)(y + i) * (size_t)p->width;
        read_row((void *)w, w->channel, y + i, 0, row, p->width);
        for (int x = 0; x < p->width; x++)
            to[x] = (float)(row[x] - rows[x][i]);
    }
}

static void store_row(void *data, int y) {
    enum { STRIP = 1024 };
    const struct work *w = data;
    const struct imf_problem *p = w->p;
    double strip[STRIP];
    float *taken = w->taken + (size_t)y * (size_t)p->width;
    imf_screen_area_confine(&w->area, y, taken, p->width);
    for (int x = 0; x < p->width; x += STRIP) {
        int count = imf_min(STRIP, p->width - x);
        read_row(data, w->channel, y, x, strip, count);
        for (int i = 0; i < count; i++)
            strip[i] -= (double)taken[x + i];
        imf_channel_finish(p, w->out, w->channel, y, x, strip, count);
    }
}

static void clear_outside(const struct work *w, int y, imf_wave_rows *rows) {
    for (int i = 0; i < ROWS; i++)
        if (y + i < 0 || y + i >= w->p->height)
            for (int x = 0; x < w->p->width; x++)
                rows[x][i] = 0;
}

/* Add a cell of rows to the sums. */
static void add_cell(struct work *w, int cell, imf_wave_rows *rows, double *row,
                     imf_wave_rows *scratch) {
    struct imf_waves *last = &w->layer[w->layers - 1];
    const struct imf_wave_axis *axis = &last->y;
    int top = cell * axis->spacing - axis->start;
    for (int i = 0; i < axis->spacing; i += ROWS) {
        imf_wave_rows *to = rows + (size_t)(i / ROWS) * (size_t)w->p->width;
        load(w, top + i, to, row);
        for (int k = 0; k + 1 < w->layers; k++)
            imf_waves_subtract(&w->layer[k], top + i, to, scratch);
        clear_outside(w, top + i, to);
    }
    imf_waves_add(last, cell, rows, scratch);
}

/* Memory: a cell of rows, what the finest nodes need, and a row. */
static void do_group(void *data, int item, void *memory) {
    struct work *w = data;
    imf_wave_rows *rows = memory, *scratch = rows + LOW_SPACING / ROWS * w->p->width;
    double *row = (double *)(scratch + imf_waves_work(w->p->width, SPACING));
    int group = w->first + w->step * item;
    if (!w->takes) {
        add_cell(w, group, rows, row, scratch);
    } else {
        load(w, group * ROWS, rows, row);
        take(w, group * ROWS, rows, scratch, row);
    }
}

static enum imf_status run_groups(struct work *w, int count, int first, int step,
                                  struct imf_error *err) {
    size_t width = (size_t)w->p->width;
    size_t elements = LOW_SPACING / ROWS * width + imf_waves_work(w->p->width, SPACING);
    w->first = first;
    w->step = step;
    return imf_work(w->pool, (count - first + step - 1) / step,
                    elements * sizeof(imf_wave_rows) + width * sizeof(double), do_group, w, err);
}

/* ---- channels --------------------------------------------------------------------------------- */

/* Open a layer, sum up and fit it. */
static enum imf_status add_layer(struct work *w, int spacing, const struct imf_pattern_wave *wave,
                                 int count, struct imf_error *err) {
    const struct imf_problem *p = w->p;
    struct imf_waves *layer = &w->layer[w->layers];
    double noise[IMF_PATTERN_WAVES];
    enum imf_status status = imf_waves_open(layer, p->width, p->height, spacing, wave, count, err);
    if (status != IMF_OK)
        return status;
    w->layers++;
    for (int k = 0; k < count; k++)
        noise[k] = imf_pattern_noise_at(&w->pattern->noise[w->channel], &wave[k]);
    for (int i = 0; i < 2 && status == IMF_OK; i++)
        status = run_groups(w, layer->y.cells, i, 2, err);
    if (status == IMF_OK)
        imf_waves_fit(layer, spacing == SPACING ? noise : NULL, CAUTION / p->descreen->strength);
    return status;
}

/* What is left of a row. */
static void rest_row(void *user, int y, double *row) {
    const struct work *w = user;
    const float *taken = w->taken + (size_t)y * (size_t)w->p->width;
    read_row(user, w->channel, y, 0, row, w->p->width);
    for (int x = 0; x < w->p->width; x++)
        row[x] -= (double)taken[x];
}

/* What is removed of a channel, and where: the layers, and a screen's bands if they follow the tones. */
static enum imf_status take_pattern(struct work *w, struct imf_error *err) {
    const struct imf_problem *p = w->p;
    struct imf_pattern_wave kept[LAYERS * IMF_PATTERN_WAVES];
    int count = 0;
    double even = 0, varying = 0;
    for (int i = 1; i < w->layers; i++) {
        const struct imf_waves *layer = &w->layer[i];
        for (int k = 0; k < layer->kept; k++)
            kept[count++] = layer->wave[layer->index[k]];
        even += layer->even;
        varying += layer->varying;
    }
    double period = count ? 1 / hypot(kept[0].u, kept[0].v) : 1;
    enum imf_status status = run_groups(w, (p->height - 1) / ROWS + 1, 0, 1, err);
    if (status == IMF_OK && count && varying > fmax(FOLLOWS * w->layer[LOW].varying, STEADY * even))
        status = imf_screen_take(w->taken, p->width, p->height, kept, count,
                                 SHARE * p->descreen->strength, rest_row, w, w->pool, err);
    if (status == IMF_OK)
        status =
            imf_screen_area_make(&w->area, w->taken, p->width, p->height, period, w->pool, err);
    return status;
}

static int layer_of(const struct imf_pattern_wave *w, double strongest) {
    return w->amplitude == 0 ? HARMONICS : w->amplitude >= strongest / 4 ? STRONG : WEAK;
}

static enum imf_status filter_channel(struct work *w, struct imf_error *err) {
    static const struct imf_pattern_wave mean = {0};
    const struct imf_problem *p = w->p;
    struct imf_pattern_wave waves[LAYERS][IMF_PATTERN_WAVES];
    int count[LAYERS] = {0};
    double strongest = 0;
    for (int k = 0; k < w->pattern->count; k++)
        strongest = fmax(strongest, w->pattern->wave[k].in[w->channel]);
    for (int k = 0; k < w->pattern->count; k++) {
        struct imf_pattern_wave wave = w->pattern->wave[k];
        wave.amplitude = wave.in[w->channel];
        int layer = layer_of(&wave, strongest);
        waves[layer][count[layer]++] = wave;
    }
    w->layers = 0;
    w->takes = false;
    enum imf_status status = add_layer(w, LOW_SPACING, &mean, 1, err);
    for (int i = STRONG; i < LAYERS && status == IMF_OK; i++)
        if (count[i])
            status = add_layer(w, SPACING, waves[i], count[i], err);
    w->takes = true;
    if (status == IMF_OK)
        status = take_pattern(w, err);
    while (w->layers > 0)
        imf_waves_free(&w->layer[--w->layers]);
    if (status == IMF_OK)
        imf_parallel(w->pool, p->height, store_row, w);
    imf_screen_area_free(&w->area);
    return status;
}

static enum imf_status descreen_run(struct imf_job *job, const struct imf_surface *in,
                                    const struct imf_surface *out, struct imf_error *err) {
    struct imf_pattern *pattern = job->own;
    const struct imf_problem *p = &job->p;
    struct work w = {.p = p, .in = in, .out = out, .pool = job->pool, .pattern = pattern};
    const struct imf_pattern_source source = {p->width, p->height, p->colors,
                                              p->unit,  read_row,  &w};
    enum imf_status status = imf_pattern_find(pattern, &source, job->pool, err);
    if (status != IMF_OK)
        return status;
    imf_channels_copy(p, in, out, pattern->count ? p->colors : 0, job->pool);
    if (!pattern->count)
        return IMF_OK;
    if (p->descreen->harmonics)
        imf_pattern_add_harmonics(pattern);
    size_t plane = (size_t)p->width * (size_t)p->height * sizeof *w.taken;
    if (!(w.taken = malloc(plane)))
        return imf_fail_memory(err, plane);
    for (; status == IMF_OK && w.channel < p->colors; w.channel++)
        status = filter_channel(&w, err);
    free(w.taken);
    return status;
}

/* ---- the solver ------------------------------------------------------------------------------- */

/* How many waves a price is for: a screen has so many that matter. */
#define TYPICAL_WAVES 16

/* Milliseconds of one core: samples * (doublings * doubling / 2 + descreen + waves * descreen_wave)
 * * 1e-6. */
static void descreen_propose(const struct imf_problem *p, const struct imf_device *d,
                             struct imf_proposal *out) {
    const struct imf_host_rates *r = &imf_host_rates;
    int w = imf_pattern_quarter(p->width), h = imf_pattern_quarter(p->height);
    double samples = (double)p->width * p->height * p->channels;
    double doublings = w && h ? log2((double)w * h) : 0;
    (void)d;
    out->feasible = !w || !h || imf_screen_bytes(p->width, p->height) > 0;
    if (!out->feasible) {
        imf_proposal_refuse(out, "no transform is as long as %dx%d pixels need", p->width,
                            p->height);
        return;
    }
    out->ms = samples *
              (doublings * r->doubling / 2 + r->descreen + TYPICAL_WAVES * r->descreen_wave) *
              1e-6 / imf_cores();
    double fit = imf_waves_bytes(p->width, p->height, SPACING, IMF_PATTERN_WAVES) +
                 imf_waves_bytes(p->width, p->height, LOW_SPACING, 1);
    double plane = (double)p->width * p->height * sizeof(float);
    fit += plane + imf_screen_bytes(p->width, p->height);
    out->bytes =
        fmax(imf_pattern_bytes(p->width, p->height), w && h ? fit : 0) + sizeof(struct imf_pattern);
    out->bands = IMF_BANDS_WHOLE;
    if (w && h)
        snprintf(out->description, sizeof out->description, "waves of four fft %dx%d, float64", w,
                 h);
    else
        snprintf(out->description, sizeof out->description, "copy: too small for a pattern");
}

static void descreen_tell(const struct imf_job *job, char *text, size_t size) {
    const struct imf_pattern *found = job->own;
    int waves = 0;
    for (int i = 0; i < found->count; i++)
        waves += found->wave[i].amplitude > 0; /* the others are harmonics */
    if (waves)
        snprintf(text, size, "a pattern of %d wave%s, the strongest at %.3g, %.3g cycles per pixel",
                 waves, waves > 1 ? "s" : "", found->wave[0].u, found->wave[0].v);
    else
        snprintf(text, size, "no pattern to remove");
}

#define SOLVER(called, of)                                                                         \
    {                                                                                              \
        .name = called, .backend = of, .float64 = true, .kinds = 1u << IMF_DESCREEN,               \
        .propose = descreen_propose, .own = sizeof(struct imf_pattern), .run = descreen_run,       \
        .tell = descreen_tell                                                                      \
    }

const struct imf_solver imf_solver_descreen_vector = SOLVER("vector", IMF_BACKEND_VECTOR);
const struct imf_solver imf_solver_descreen_host = SOLVER("cpu", IMF_BACKEND_CPU);
