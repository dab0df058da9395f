/*
 * test_mirrors.c - structs that the host hands to programs lie there as they lie here
 *
 * A device is asked for the size of each struct of cl/ that says "Mirrored by", and where its fields
 * are. A struct that says so and is not in the table fails, too.
 */
#include "base/embed.h"
#include "check.h"
#include "fourier/chirp.h"
#include "fourier/pass.h"
#include "fourier/tables.h"
#include "solver/denoise/denoise.h"
#include "solver/fft/args.h"
#include "solver/fft/extend.h"
#include "solver/restore/device.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS 24

struct field {
    const char *name;
    size_t at;
};

struct mirror {
    const char *host, *device; /* names */
    const char *file;          /* where it can be seen */
    const char *const *parts;
    size_t size;
    struct field field[FIELDS + 1]; /* a NULL name ends them */
};

static const char *const common[] = {"common.cl", NULL};
static const char *const stages[] = {"fft_stages.cl",   "fft_primes.cl", "common.cl",
                                     "fft_channels.cl", "transfer.cl",   NULL};
static const char *const tiles[] = {"fft_stages.cl", "fft_transpose.cl", "common.cl",
                                    "fft_channels.cl", NULL};
static const char *const gpu_lines[] = {"fft_gpu_butterflies.cl", "fft_gpu_lines.cl", "common.cl",
                                        NULL};
static const char *const gpu_whole[] = {"fft_gpu_butterflies.cl", "fft_gpu_planes.cl", "common.cl",
                                        "transfer.cl", NULL};

static const char *const gpu_planes[] = {"fft_gpu_butterflies.cl", "fft_gpu_planes.cl", NULL};

#define STRUCT(name) .host = #name, .size = sizeof(struct name)
#define F(name, field)                                                                             \
    { #field, offsetof(struct name, field) }

static const struct mirror mirrors[] = {
    {STRUCT(imf_fft_axis), .device = "fft_axis", .file = "fft_transform.cl", .parts = stages,
     .field = {F(imf_fft_axis, length), F(imf_fft_axis, valid), F(imf_fft_axis, origin),
               F(imf_fft_axis, taps), F(imf_fft_axis, stages), F(imf_fft_axis, radix),
               F(imf_fft_axis, twiddles), F(imf_fft_axis, primes), F(imf_fft_axis, prime_tables)}},
    {STRUCT(imf_fft_prime), .device = "fft_prime", .file = "fft_transform.cl", .parts = stages,
     .field = {F(imf_fft_prime, radix), F(imf_fft_prime, orders), F(imf_fft_prime, factors),
               F(imf_fft_prime, axis)}},
    {STRUCT(imf_fft_layout), .device = "fft_layout", .file = "fft_transform.cl", .parts = stages,
     .field = {F(imf_fft_layout, line), F(imf_fft_layout, element), F(imf_fft_layout, outer)}},
    {STRUCT(imf_fft_pass), .device = "fft_pass", .file = "fft_transform.cl", .parts = stages,
     .field = {F(imf_fft_pass, from), F(imf_fft_pass, to), F(imf_fft_pass, axis),
               F(imf_fft_pass, lines), F(imf_fft_pass, outer), F(imf_fft_pass, from_temp),
               F(imf_fft_pass, to_temp), F(imf_fft_pass, order), F(imf_fft_pass, steps),
               F(imf_fft_pass, grain)}},
    {STRUCT(imf_fft_transform), .device = "fft_transform", .file = "fft_transform.cl",
     .parts = stages,
     .field = {F(imf_fft_transform, pass), F(imf_fft_transform, passes),
               F(imf_fft_transform, batch), F(imf_fft_transform, size), F(imf_fft_transform, work),
               F(imf_fft_transform, backwards)}},
    {STRUCT(imf_fft_product), .device = "product", .file = "fft_chirp.cl", .parts = common,
     .field = {F(imf_fft_product, from), F(imf_fft_product, from_step), F(imf_fft_product, to),
               F(imf_fft_product, to_step), F(imf_fft_product, given), F(imf_fft_product, wanted),
               F(imf_fft_product, exchange_first), F(imf_fft_product, exchange_last)}},
    {STRUCT(imf_fft_sizes), .device = "fft_sizes", .file = "fft.cl", .parts = tiles,
     .field = {F(imf_fft_sizes, in_origin), F(imf_fft_sizes, in_pitch),
               F(imf_fft_sizes, out_origin), F(imf_fft_sizes, out_pitch),
               F(imf_fft_sizes, middle_sum), F(imf_fft_sizes, middle), F(imf_fft_sizes, error),
               F(imf_fft_sizes, shift), F(imf_fft_sizes, width), F(imf_fft_sizes, height),
               F(imf_fft_sizes, tiles_x), F(imf_fft_sizes, pairs), F(imf_fft_sizes, last_row),
               F(imf_fft_sizes, last_column), F(imf_fft_sizes, x), F(imf_fft_sizes, y)}},
    {STRUCT(imf_fft_gpu_sizes), .device = "fft_gpu_sizes", .file = "fft_gpu.cl", .parts = gpu_lines,
     .field = {F(imf_fft_gpu_sizes, in_start),   F(imf_fft_gpu_sizes, out_start),
               F(imf_fft_gpu_sizes, middle_sum), F(imf_fft_gpu_sizes, middle),
               F(imf_fft_gpu_sizes, error),      F(imf_fft_gpu_sizes, in_pitch),
               F(imf_fft_gpu_sizes, out_pitch),  F(imf_fft_gpu_sizes, width),
               F(imf_fft_gpu_sizes, height),     F(imf_fft_gpu_sizes, columns),
               F(imf_fft_gpu_sizes, last_row),   F(imf_fft_gpu_sizes, pitch_in),
               F(imf_fft_gpu_sizes, pitch_out),  F(imf_fft_gpu_sizes, rows_length),
               F(imf_fft_gpu_sizes, tiles_x),    F(imf_fft_gpu_sizes, valid_x),
               F(imf_fft_gpu_sizes, valid_y),    F(imf_fft_gpu_sizes, taps_w),
               F(imf_fft_gpu_sizes, taps_h),     F(imf_fft_gpu_sizes, pair),
               F(imf_fft_gpu_sizes, lines),      F(imf_fft_gpu_sizes, capacity)}},
    {STRUCT(imf_blend), .device = "blend", .file = "spectral_filter.cl", .parts = stages,
     .field = {F(imf_blend, first), F(imf_blend, second), F(imf_blend, weight),
               F(imf_blend, wave)}},
    {STRUCT(imf_spectral_filter_sizes), .device = "spectral_filter_sizes",
     .file = "spectral_filter.cl", .parts = stages,
     .field = {F(imf_spectral_filter_sizes, in_origin), F(imf_spectral_filter_sizes, in_pitch),
               F(imf_spectral_filter_sizes, out_origin), F(imf_spectral_filter_sizes, out_pitch),
               F(imf_spectral_filter_sizes, middle), F(imf_spectral_filter_sizes, mean),
               F(imf_spectral_filter_sizes, outside), F(imf_spectral_filter_sizes, width),
               F(imf_spectral_filter_sizes, height), F(imf_spectral_filter_sizes, channel),
               F(imf_spectral_filter_sizes, bands), F(imf_spectral_filter_sizes, work),
               F(imf_spectral_filter_sizes, taps), F(imf_spectral_filter_sizes, x),
               F(imf_spectral_filter_sizes, y)}},
    {STRUCT(imf_spectral_gain), .device = "gain", .file = "spectral_filter.cl", .parts = stages,
     .field = {F(imf_spectral_gain, least), F(imf_spectral_gain, most),
               F(imf_spectral_gain, centre), F(imf_spectral_gain, inverse),
               F(imf_spectral_gain, norm), F(imf_spectral_gain, type), F(imf_spectral_gain, order),
               F(imf_spectral_gain, band), F(imf_spectral_gain, notch),
               F(imf_spectral_gain, reject)}},
    {STRUCT(imf_denoise_sizes), .device = "denoise_sizes", .file = "denoise_gpu.cl",
     .parts = common,
     .field = {F(imf_denoise_sizes, in_origin), F(imf_denoise_sizes, in_pitch),
               F(imf_denoise_sizes, out_origin), F(imf_denoise_sizes, out_pitch),
               F(imf_denoise_sizes, width), F(imf_denoise_sizes, height),
               F(imf_denoise_sizes, reach), F(imf_denoise_sizes, out_width),
               F(imf_denoise_sizes, across), F(imf_denoise_sizes, down),
               F(imf_denoise_sizes, first_x), F(imf_denoise_sizes, first_y),
               F(imf_denoise_sizes, before_x), F(imf_denoise_sizes, before_y)}},
    {STRUCT(imf_denoise_order), .device = "denoise_order", .file = "denoise_gpu.cl",
     .parts = common,
     .field = {F(imf_denoise_order, shift_x), F(imf_denoise_order, shift_y),
               F(imf_denoise_order, own)}},
    {STRUCT(imf_shrink), .device = "denoise_shrink", .file = "denoise_gpu.cl", .parts = common,
     .field = {F(imf_shrink, scale), F(imf_shrink, shift), F(imf_shrink, power)}},
    {STRUCT(imf_deblur_sizes), .device = "deblur_sizes", .file = "deblur.cl", .parts = common,
     .field = {F(imf_deblur_sizes, in_origin), F(imf_deblur_sizes, in_pitch),
               F(imf_deblur_sizes, out_origin), F(imf_deblur_sizes, out_pitch),
               F(imf_deblur_sizes, nx), F(imf_deblur_sizes, ny), F(imf_deblur_sizes, width),
               F(imf_deblur_sizes, height), F(imf_deblur_sizes, channel),
               F(imf_deblur_sizes, first_x), F(imf_deblur_sizes, first_y),
               F(imf_deblur_sizes, mean), F(imf_deblur_sizes, step), F(imf_deblur_sizes, bound)}},
    {STRUCT(imf_deblur_gpu_sizes), .device = "deblur_gpu_sizes", .file = "deblur_gpu.cl",
     .parts = gpu_planes,
     .field = {F(imf_deblur_gpu_sizes, nx), F(imf_deblur_gpu_sizes, ny),
               F(imf_deblur_gpu_sizes, pitch), F(imf_deblur_gpu_sizes, x),
               F(imf_deblur_gpu_sizes, outer), F(imf_deblur_gpu_sizes, inner)}},
    {STRUCT(imf_gpu_axis), .device = "gpu_axis", .file = "spectral_filter_gpu.cl",
     .parts = gpu_whole,
     .field = {F(imf_gpu_axis, length), F(imf_gpu_axis, stages), F(imf_gpu_axis, first)}},
    {STRUCT(imf_spectral_filter_gpu_sizes), .device = "spectral_filter_gpu_sizes",
     .file = "spectral_filter_gpu.cl", .parts = gpu_whole,
     .field = {F(imf_spectral_filter_gpu_sizes, in_origin),
               F(imf_spectral_filter_gpu_sizes, in_pitch),
               F(imf_spectral_filter_gpu_sizes, out_origin),
               F(imf_spectral_filter_gpu_sizes, out_pitch),
               F(imf_spectral_filter_gpu_sizes, middle), F(imf_spectral_filter_gpu_sizes, mean),
               F(imf_spectral_filter_gpu_sizes, outside), F(imf_spectral_filter_gpu_sizes, width),
               F(imf_spectral_filter_gpu_sizes, height), F(imf_spectral_filter_gpu_sizes, gap),
               F(imf_spectral_filter_gpu_sizes, pitch), F(imf_spectral_filter_gpu_sizes, taps),
               F(imf_spectral_filter_gpu_sizes, x), F(imf_spectral_filter_gpu_sizes, outer),
               F(imf_spectral_filter_gpu_sizes, inner)}},
};
#define MIRRORS (sizeof mirrors / sizeof *mirrors)

/* Every struct that says it is mirrored is in the table. */
static void test_complete(void) {
    static const char says[] = "Mirrored by struct ";
    size_t found = 0;
    for (const struct imf_embedded *e = imf_embedded_cl; e->name; e++)
        for (const char *p = e->text; (p = strstr(p, says)); found++) {
            p += strlen(says);
            size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz_"), i = 0;
            while (i < MIRRORS &&
                   (strlen(mirrors[i].host) != n || strncmp(mirrors[i].host, p, n) != 0))
                i++;
            CHECK(i < MIRRORS, "%s: struct %.*s is not in the table", e->name, (int)n, p);
        }
    CHECK(found == MIRRORS, "%zu structs say so, %zu are in the table", found, MIRRORS);
}

static int count_fields(const struct mirror *m) {
    int count = 0;
    while (m->field[count].name)
        count++;
    return count;
}

/* A kernel for each struct of a file, so that each file is built once. */
static void write_kernels(char *text, size_t size, const char *file) {
    for (const struct mirror *m = mirrors; m < mirrors + MIRRORS; m++) {
        if (strcmp(m->file, file) != 0)
            continue;
        int used = snprintf(text, size,
                            "__kernel void mirror_%s(__global int *out)\n{\n    struct %s s;\n"
                            "    out[0] = sizeof s;\n",
                            m->device, m->device);
        for (int i = 0; i < count_fields(m); i++)
            used += snprintf(text + used, size - (size_t)used,
                             "    out[%d] = (int)((char *)&s.%s - (char *)&s);\n", i + 1,
                             m->field[i].name);
        used += snprintf(text + used, size - (size_t)used, "}\n");
        text += used;
        size -= (size_t)used;
    }
}

static void test_mirror(struct imf_queue *queue, const struct mirror *m) {
    char text[8192], entry[64];
    int32_t got[FIELDS + 1] = {0};
    int count = count_fields(m);
    write_kernels(text, sizeof text, m->file);
    snprintf(entry, sizeof entry, "mirror_%s", m->device);
    const struct imf_program_source source = {.file = m->file, .parts = m->parts, .more = text};
    const struct imf_grid one = {1, 1, 1};
    struct imf_program *program = NULL;
    struct imf_buffer *out = NULL;
    struct imf_error err = {.text = ""};
    bool ok = !imf_program_make(&program, queue, &source, entry, &err) &&
              !imf_buffer_make(&out, queue, IMF_BUFFER_WORK, sizeof got, &err);
    if (ok) {
        const struct imf_arg args[] = {imf_arg_buffer(out)};
        ok = !imf_program_launch(queue, program, one, args, &err) &&
             !imf_buffer_download(queue, out, 0, got, sizeof got, &err);
    }
    CHECK(ok, "struct %s: %s", m->device, err.text);
    CHECK((size_t)got[0] == m->size, "struct %s has %d bytes on the device, struct %s %zu",
          m->device, (int)got[0], m->host, m->size);
    for (int i = 0; i < count; i++)
        CHECK((size_t)got[i + 1] == m->field[i].at, "struct %s, %s: at %d on the device, not %zu",
              m->device, m->field[i].name, (int)got[i + 1], m->field[i].at);
    imf_buffer_free(&out);
    imf_program_free(&program);
}

int main(void) {
    struct imf_context_options options = {0};
    struct imf_runtime *rt = NULL;
    struct imf_queue *queue = NULL;
    struct imf_error err;
    test_complete();
    if (imf_runtime_open(&rt, &options, NULL, &err) || imf_queue_open(&queue, rt, &err))
        printf("mirrors: no device was asked: %s\n", err.text);
    for (size_t i = 0; queue && i < MIRRORS; i++)
        test_mirror(queue, &mirrors[i]);
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
    return check_done("mirrors");
}
