/*
 * outcome.c - messages for people, and one JSON object an image for programs
 */
#include "report/outcome.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/escape.h"
#include "report/json.h"
#include "report/message.h"
#include "report/parts.h"

/* ---- text ---------------------------------------------------------------------------------- */

/* A message where this reporter's messages go. */
__attribute__((format(printf, 3, 4))) static void say(const struct reporter *r, const char *file,
                                                      const char *format, ...) {
    va_list args;
    va_start(args, format);
    message_print(r->err, file, format, args);
    va_end(args);
}

static const char *color_name(const struct imf_info *info) {
    static const char *const names[] = {"gray", "RGB", "CMYK"};
    return names[info->color];
}

static bool has_algorithm(const struct imf_candidate *c) {
    return *c->algorithm && strcmp(c->algorithm, "-") != 0;
}

static int bits_of(const struct imf_info *info) {
    return info->bits ? info->bits : info->type ? info->type_bits : info->depth;
}

static const char *type_of(const struct imf_info *info) {
    static const char *const types[] = {
        [IMF_TYPE_FLOAT] = "float", [IMF_TYPE_UNSIGNED] = "unsigned", [IMF_TYPE_SIGNED] = "signed"};
    return info->type          ? types[info->type]
           : info->depth <= 16 ? types[IMF_TYPE_UNSIGNED]
                               : types[IMF_TYPE_FLOAT];
}

/* By whom, how and where it was done: by the plan, unless the palette was enough. */
static const char *backend_of(const struct outcome *o) {
    return o->report.palette ? "cpu" : o->choice->chosen->backend;
}

static const char *algorithm_of(const struct outcome *o) {
    return o->report.palette ? "plain C on the palette" : o->choice->chosen->algorithm;
}

static const char *device_of(const struct outcome *o) {
    return o->report.palette ? "host" : o->choice->device;
}

/* Nobody reads a kernel's thousands of coefficients: of a long one its beginning. */
static void put_brief(FILE *out, const char *filter) {
    enum { LONG = 120, SHOWN = 60 };
    char *text = strdup(filter);
    for (char *k = text; k && (k = strstr(k, "kernel:")); k++) {
        size_t length = 7 + strcspn(k + 7, ": ");
        if (length > LONG && k[7] != '@') {
            memcpy(k + SHOWN, "...", 3);
            memmove(k + SHOWN + 3, k + length, strlen(k + length) + 1);
        }
    }
    escape_print(out, text ? text : filter);
    free(text);
}

enum { PAGE_TEXT = 40 };

/* "page 2 of 3", or "" of a picture that is no page. */
static const char *page_text(char text[PAGE_TEXT], const struct outcome *o) {
    *text = '\0';
    if (o->pages > 1)
        snprintf(text, PAGE_TEXT, "page %d of %d", o->page, o->pages);
    else if (o->pages < 0)
        snprintf(text, PAGE_TEXT, "page %d", o->page);
    return text;
}

/* Behind the input's name, where there are several. */
static void print_page(FILE *out, const struct outcome *o) {
    char page[PAGE_TEXT];
    if (o->pages != 1)
        fprintf(out, ", %s", page_text(page, o));
}

static void print_plan(const struct reporter *r, const struct outcome *o) {
    FILE *out = r->out;
    const struct imf_info *info = &o->source;
    escape_print(out, o->input);
    print_page(out, o);
    bool usual = info->depth <= 16;
    fprintf(out, ": %dx%d ", info->width, info->height);
    if (info->spectral)
        fprintf(out, "%d channels", info->spectral);
    else
        fprintf(out, "%s%s", color_name(info), info->alpha ? " with alpha" : "");
    fprintf(out, ", %d bits%s%s: ", bits_of(info), usual ? "" : ", ", usual ? "" : type_of(info));
    put_brief(out, o->filter);
    fprintf(out, " on %s\n", device_of(o));
    const struct imf_choice *c = o->choice;
    const struct imf_candidate *list = c->candidates, *whole = c->chosen;
    int wide = (int)strlen("algorithm");
    for (size_t i = 0; i < c->count; i++) {
        int length = (int)strlen(list[i].algorithm);
        wide = length > wide ? length : wide;
    }
    fprintf(out, "  %-5s %-10s %-*s %12s  %s\n", "stage", "backend", wide, "algorithm",
            "estimate ms", "why");
    if (whole->start_ms > 0)
        fprintf(out, "  %-5s %-10s %-*s %12.3f\n", "", "", wide, "starting the device",
                whole->start_ms);
    for (size_t i = 0; i < c->count; i++) {
        char estimate[32] = "-";
        if (list[i].estimate_ms >= 0)
            snprintf(estimate, sizeof estimate, "%.3f", list[i].estimate_ms);
        if (list[i].transfer_ms > 0)
            fprintf(out, "  %-5d %-10s %-*s %12.3f\n", list[i].stage, "", wide, "transfer",
                    list[i].transfer_ms);
        fprintf(out, "%c %-5d %-10s %-*s %12s  %s\n", list[i].chosen ? '*' : ' ', list[i].stage,
                list[i].backend, wide, has_algorithm(&list[i]) ? list[i].algorithm : "-", estimate,
                list[i].why);
    }
    if (whole->transfer_ms > 0)
        fprintf(out, "  %-5s %-10s %-*s %12.3f\n", "", "", wide, "transfer", whole->transfer_ms);
    fprintf(out, "  %-5s %-10s %-*s %12.3f  %.0f MiB\n", "all", whole->backend, wide, "",
            whole->estimate_ms, (double)whole->bytes / 1048576);
    if (c->width < info->width || c->height < info->height)
        fprintf(out, "  of %dx%d pixels these are computed: %dx%d+%d+%d\n", info->width,
                info->height, c->width, c->height, c->x, c->y);
    if (c->pictures > 1)
        fprintf(out, "  chosen for %d images, %d at once, each read and written in %.3f ms\n",
                c->pictures, c->workers, c->coding_ms);
    if (whole->whole_image_reason)
        fprintf(out, "  the whole image is in memory: %s\n", whole->whole_image_reason);
    else
        fputs("  rows stream: neither the image nor its result is whole in memory\n", out);
    if (o->limited)
        fprintf(out, "  %s\n", o->limited);
    if (r->options->verbosity > 0 && o->steps)
        fputs(o->steps, out);
    if (c->host_pace != 1)
        fprintf(out, "  the host takes %.2f times its shipped rates, as was measured here\n",
                c->host_pace);
    if (c->measured)
        fputs("  estimated by rates that were measured on this device (--tune)\n", out);
}

static void print_verify(FILE *out, const struct outcome *o) {
    const struct imf_report *r = &o->report;
    escape_print(out, o->input);
    print_page(out, o);
    fprintf(out, ": verified: %" PRIu64 " samples, %" PRIu64 " differ, largest difference %g\n",
            r->verify_samples, r->verify_differing, r->verify_max);
}

static void print_bench(FILE *out, const struct outcome *o, unsigned times) {
    const struct imf_report *r = &o->report;
    escape_print(out, o->input);
    fprintf(
        out,
        ": compute min %.3f, median %.3f ms; upload median %.3f, download %.3f; of %u (%s on %s)\n",
        r->compute_min_ms, r->compute_median_ms, r->upload_median_ms, r->download_median_ms, times,
        o->choice->chosen->algorithm, o->choice->device);
}

/* By how much the stages' times are more than the time that passed. */
static double overlapped(const struct imf_report *r) {
    double busy =
        r->setup_ms + r->decode_ms + r->upload_ms + r->compute_ms + r->download_ms + r->encode_ms;
    return busy > r->run_ms ? busy - r->run_ms : 0;
}

static void print_timing(const struct reporter *to, const struct outcome *o) {
    const struct imf_report *r = &o->report;
    say(to, o->input,
        "setup %.1f, decode %.1f, upload %.1f, compute %.1f, download %.1f, encode %.1f, "
        "total %.1f ms",
        r->setup_ms, r->decode_ms, r->upload_ms, r->compute_ms, r->download_ms, r->encode_ms,
        r->total_ms);
    if (r->bands)
        say(to, o->input,
            "%d bands: %.1f ms of that overlapped; decode waited %.1f, compute %.1f, encode "
            "%.1f",
            r->bands, overlapped(r), r->decode_wait_ms, r->compute_wait_ms, r->encode_wait_ms);
}

/* One spec a line, ready for -f. */
static const char *notch_spec(char buffer[64], const struct imf_peaks *p, size_t i) {
    snprintf(buffer, 64, "notch:%g:%g:%g", p->u[i], p->v[i], p->radius[i]);
    return buffer;
}

static void print_peaks(FILE *out, const struct imf_peaks *peaks) {
    char spec[64];
    for (size_t i = 0; i < peaks->count; i++)
        fprintf(out, "%s\n", notch_spec(spec, peaks, i));
}

static void print_done(const struct reporter *r, const struct outcome *o) {
    const struct imf_info *info = &o->shape;
    char page[PAGE_TEXT];
    say(r, o->input, "%s%s%s%s%s%dx%d, %s on %s, %.1f ms", o->output ? "-> " : "",
        o->output ? o->output : "", o->output ? ": " : "", page_text(page, o),
        o->pages == 1 ? "" : ", ", info->width, info->height, algorithm_of(o), device_of(o),
        o->report.total_ms);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void json_plan(struct json *j, const struct imf_choice *choice) {
    const struct imf_candidate *list = choice->candidates;
    json_open_list(j, "plan");
    for (size_t i = 0; i < choice->count; i++) {
        json_open_element(j);
        json_integer(j, "stage", (uint64_t)list[i].stage);
        json_string(j, "backend", list[i].backend);
        json_string(j, "algorithm", has_algorithm(&list[i]) ? list[i].algorithm : NULL);
        json_bool(j, "eligible", list[i].eligible);
        json_number(j, "estimate_ms", list[i].estimate_ms < 0 ? (double)NAN : list[i].estimate_ms);
        json_bool(j, "chosen", list[i].chosen);
        if (list[i].chosen)
            json_number(j, "transfer_ms", list[i].transfer_ms);
        json_string(j, "why", list[i].why);
        json_close_element(j);
    }
    json_close_list(j);
    json_integer(j, "images", (uint64_t)choice->pictures);
    json_integer(j, "at_once", (uint64_t)choice->workers);
    json_number(j, "estimate_ms", choice->chosen->estimate_ms);
    json_number(j, "start_ms", choice->chosen->start_ms);
    json_number(j, "transfer_ms", choice->chosen->transfer_ms);
    json_integer(j, "memory_bytes", choice->chosen->bytes);
    json_string(j, "holds", choice->chosen->whole_image_reason);
}

static void json_verify(struct json *j, const struct imf_report *r) {
    json_bool(j, "verify_ok", r->verify_ok);
    json_integer(j, "verify_samples", r->verify_samples);
    json_integer(j, "verify_differing", r->verify_differing);
    json_integer(j, "verify_unexcused", r->verify_unexcused);
    json_number(j, "verify_max", r->verify_max);
}

static void json_times(struct json *j, const struct report_options *options,
                       const struct imf_report *r) {
    json_number(j, "setup_ms", r->setup_ms);
    json_number(j, "decode_ms", r->decode_ms);
    json_number(j, "upload_ms", r->upload_ms);
    json_number(j, "compute_ms", r->compute_ms);
    json_number(j, "download_ms", r->download_ms);
    json_number(j, "encode_ms", r->encode_ms);
    json_number(j, "total_ms", r->total_ms);
    if (r->bands) {
        json_integer(j, "bands", (uint64_t)r->bands);
        json_number(j, "overlap_ms", overlapped(r));
        json_number(j, "decode_wait_ms", r->decode_wait_ms);
        json_number(j, "compute_wait_ms", r->compute_wait_ms);
        json_number(j, "encode_wait_ms", r->encode_wait_ms);
    }
    if (options->bench) {
        json_integer(j, "bench", options->bench);
        json_number(j, "compute_min_ms", r->compute_min_ms);
        json_number(j, "compute_median_ms", r->compute_median_ms);
        json_number(j, "upload_median_ms", r->upload_median_ms);
        json_number(j, "download_median_ms", r->download_median_ms);
    }
    if (r->verified)
        json_verify(j, r);
}

static void json_peaks(struct json *j, const struct imf_peaks *peaks) {
    char spec[64];
    json_open_list(j, "peaks");
    for (size_t i = 0; i < peaks->count; i++) {
        json_open_element(j);
        json_string(j, "notch", notch_spec(spec, peaks, i));
        json_number(j, "db", peaks->decibels[i]);
        json_close_element(j);
    }
    json_close_list(j);
    json_open_list(j, "waves");
    for (size_t i = 0; i < peaks->waves; i++) {
        json_open_element(j);
        snprintf(spec, sizeof spec, "%.5f:%.5f", peaks->wave_u[i], peaks->wave_v[i]);
        json_string(j, "at", spec);
        json_number(j, "db", peaks->wave_decibels[i]);
        json_close_element(j);
    }
    json_close_list(j);
}

static void json_page(struct json *j, const struct outcome *o) {
    if (o->pages != 1)
        json_integer(j, "page", (uint64_t)o->page);
    if (o->pages > 1)
        json_integer(j, "pages", (uint64_t)o->pages);
}

static void json_outcome(const struct reporter *r, const struct outcome *o, const char *status) {
    struct json j = json_begin(r->out);
    json_string(&j, "input", o->input);
    json_string(&j, "output", o->output);
    json_string(&j, "status", status);
    json_page(&j, o);
    if (r->options->spectrum) {
        json_string(&j, "spectrum", r->options->spectrum);
        json_peaks(&j, &o->peaks);
    }
    if (o->choice) {
        const struct imf_info *info = &o->shape;
        json_integer(&j, "width", (uint64_t)info->width);
        json_integer(&j, "height", (uint64_t)info->height);
        json_integer(&j, "channels", (uint64_t)(info->spectral ? info->spectral : info->channels));
        json_integer(&j, "depth", (uint64_t)bits_of(info));
        json_string(&j, "type", type_of(info));
        if (o->output)
            json_string(&j, "format", imf_format_name(info->format));
        json_string(&j, "filter", o->filter);
        json_string(&j, "backend", backend_of(o));
        json_string(&j, "algorithm", algorithm_of(o));
        json_string(&j, "device", device_of(o));
        json_times(&j, r->options, &o->report);
        if (*o->report.found)
            json_string(&j, "found", o->report.found);
        if (o->warning)
            json_string(&j, "warning", o->warning);
        parts_json_lost(&j, &o->parts);
        if (r->options->explain) {
            json_plan(&j, o->choice);
            json_bool(&j, "measured", o->choice->measured);
        }
    }
    json_end(&j);
}

static void json_error(const struct reporter *r, const char *input, const char *file,
                       const char *text, const struct imf_report *verified) {
    struct json j = json_begin(r->out);
    json_string(&j, "input", input);
    json_string(&j, "status", "error");
    json_string(&j, "error", text);
    if (strcmp(file, input) != 0)
        json_string(&j, "output", file); /* the file that the error is about */
    if (verified)
        json_verify(&j, verified);
    json_end(&j);
}

/* ---- events ------------------------------------------------------------------------------- */

void report_error(const struct reporter *r, const char *input, const char *file, const char *text) {
    if (!r->json_alone)
        say(r, file, "%s", text);
    if (r->options->json)
        json_error(r, input, file, text, NULL);
}

void report_warning(const struct reporter *r, const char *file, const char *text) {
    if (r->options->verbosity >= 0 && !r->json_alone)
        say(r, file, "warning: %s", text);
}

void report_skipped(const struct reporter *r, const char *input, const char *output,
                    const char *why) {
    if (r->options->json) {
        struct json j = json_begin(r->out);
        json_string(&j, "input", input);
        json_string(&j, "output", output);
        json_string(&j, "status", "skipped");
        json_string(&j, "why", why);
        json_end(&j);
    }
    if (r->options->verbosity > 0)
        say(r, input, "skipped: %s", why);
}

void report_parts(const struct reporter *r, const struct outcome *o) {
    if (!r->options->json) {
        parts_print(r->out, o->input, o->page, &o->parts);
        return;
    }
    struct json j = json_begin(r->out);
    json_string(&j, "input", o->input);
    json_page(&j, o);
    parts_json(&j, &o->parts);
    parts_json_lost(&j, &o->parts);
    json_end(&j);
}

void report_planned(const struct reporter *r, const struct outcome *o) {
    if (r->options->json) {
        json_outcome(r, o, "planned");
        return;
    }
    if (o->output) {
        escape_print(r->out, o->input);
        fputs(" -> ", r->out);
        escape_print(r->out, o->output);
        putc('\n', r->out);
    }
    if (o->choice)
        print_plan(r, o);
}

void report_done(const struct reporter *r, const struct outcome *o) {
    const struct report_options *options = r->options;
    if (options->json) {
        json_outcome(r, o, "ok");
    } else {
        if (options->explain)
            print_plan(r, o);
        if (o->report.verified)
            print_verify(r->out, o);
        if (options->bench)
            print_bench(r->out, o, options->bench);
        if (options->spectrum)
            print_peaks(r->out, &o->peaks);
        fflush(r->out);
    }
    if (options->verbosity > 0 && *o->report.found)
        say(r, o->input, "%s", o->report.found);
    if (options->timing && o->ran && !r->json_alone)
        print_timing(r, o);
    if (options->verbosity > 0 && o->ran && !r->json_alone)
        print_done(r, o);
    if (options->verbosity > 0 && o->parts.list && !r->json_alone)
        parts_print(r->err, o->input, o->page, &o->parts);
}

void report_unverified(const struct reporter *r, const struct outcome *o) {
    char text[200];
    snprintf(text, sizeof text,
             "differs from the reference in %" PRIu64 " of %" PRIu64
             " samples by up to %g, more than it may (try --backend=cpu)",
             o->report.verify_differing, o->report.verify_samples, o->report.verify_max);
    if (!r->json_alone)
        say(r, o->input, "%s", text);
    if (r->options->json)
        json_error(r, o->input, o->input, text, &o->report);
}
