/*
 * devices.c - --list-devices and --tune: what the machine has, and the rates that plans go by
 */
#include "options/devices.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/escape.h"
#include "report/json.h"
#include "report/message.h"

enum { DEVICES_MAX = 64 };

/* ---- --list-devices ------------------------------------------------------------------------- */

static void print_device(FILE *out, const struct imf_device_info *d) {
    const char *kind = d->gpu ? "gpu" : "cpu";
    bool gles = d->index < 0;
    if (gles)
        fprintf(out, "gles  %s  (%s%s%s", d->name, *d->version ? kind : "not opened",
                *d->version ? ", " : "", d->version);
    else
        fprintf(out, "%d  %s  (%s, %u compute units, %.1f GiB, %s", d->index, d->name, kind,
                d->compute_units, (double)d->global_memory / (1 << 30), d->platform);
    if (d->usable)
        fputs(")\n", out);
    else
        fprintf(out, ") not usable: %s\n", d->why);
    if (d->automatic)
        fputs("   auto: taken for what is estimated to be faster there than on the host\n", out);
    else if (d->usable)
        fprintf(out, "   auto: passed over: %s\n", d->why);
    if (d->lacks[0])
        fprintf(out, "   lacks: %s\n", d->lacks);
    fprintf(out, "   rates: %s\n",
            gles       ? "as shipped (--tune measures OpenCL's)"
            : d->tuned ? "measured on this device (--tune)"
                       : "as shipped (--tune measures them)");
}

/* Of OpenGL ES only this much is known, and null for an index that --device could take. */
static void print_gles_json(struct json *j, const struct imf_device_info *d) {
    json_string(j, "index", NULL);
    json_string(j, "backend", "gles");
    json_string(j, "name", d->name);
    json_string(j, "kind", !*d->version ? NULL : d->gpu ? "gpu" : "cpu");
    json_string(j, "platform", d->platform);
    json_string(j, "version", d->version);
}

static void print_opencl_json(struct json *j, const struct imf_device_info *d) {
    json_integer(j, "index", (uint64_t)d->index);
    json_string(j, "name", d->name);
    json_string(j, "kind", d->gpu ? "gpu" : "cpu");
    json_string(j, "platform", d->platform);
    json_string(j, "driver", d->driver);
    json_string(j, "version", d->version);
    json_integer(j, "compute_units", d->compute_units);
    json_integer(j, "global_memory", d->global_memory);
    json_integer(j, "local_memory", d->local_memory);
    json_integer(j, "max_buffer", d->max_buffer);
    json_integer(j, "max_group", d->max_group);
    json_bool(j, "unified", d->unified);
    json_bool(j, "float64", d->float64);
}

static void print_device_json(FILE *out, const struct imf_device_info *d) {
    struct json j = json_begin(out);
    if (d->index < 0)
        print_gles_json(&j, d);
    else
        print_opencl_json(&j, d);
    json_string(&j, "lacks", d->lacks);
    json_bool(&j, "tuned", d->tuned);
    json_bool(&j, "usable", d->usable);
    json_bool(&j, "auto", d->automatic);
    if (!d->automatic)
        json_string(&j, "why", d->why);
    json_end(&j);
}

enum imf_status devices_context(struct imf_context **out, const struct options *o,
                                struct imf_error *err) {
    enum imf_status status = imf_context_create(out, &o->context, err);
    if (status == IMF_OK)
        imf_context_guard(*out, &o->guard);
    return status;
}

int devices_list(const struct options *o) {
    struct imf_device_info list[DEVICES_MAX] = {{0}};
    struct imf_context *context;
    struct imf_error error;
    enum imf_status status = devices_context(&context, o, &error);
    if (status == IMF_OK)
        status = imf_context_prepare(context, &error);
    if (status != IMF_OK)
        complain("%s", error.text);
    /* OpenGL ES may be there all the same. */
    size_t count = context ? imf_context_devices(context, list, DEVICES_MAX) : 0;
    for (size_t i = 0; i < count && i < DEVICES_MAX; i++)
        (o->report.json ? print_device_json : print_device)(stdout, &list[i]);
    if (status == IMF_OK && !o->report.json && (!count || list[0].index < 0))
        printf("no OpenCL device; %s\n(without one, filters run in plain C on the host)\n",
               strstr(imf_built(false), "OpenCL")
                   ? "this imfilter was built without OpenCL"
                   : "a driver such as the package pocl-opencl-icd provides one");
    imf_context_free(&context);
    return status == IMF_OK ? EXIT_DONE : EXIT_FAILED;
}

/* ---- --tune --------------------------------------------------------------------------------- */

static void show_progress(void *data, double part) {
    (void)data;
    fprintf(stderr, "\rmeasuring the device: %3.0f %%", 100 * part);
    fflush(stderr);
}

int devices_tune(const struct options *o) {
    struct imf_context *context = NULL;
    struct imf_error error;
    char *text = NULL;
    bool measure = o->action == ACTION_TUNE,
         progress = measure && isatty(2) && o->report.verbosity >= 0;
    if (o->all_devices) {
        complain("--tune is for one device (choose it with --device)");
        return EXIT_USAGE;
    }
    enum imf_status status = devices_context(&context, o, &error);
    if (status == IMF_OK && measure)
        status = imf_context_tune(context, progress ? show_progress : NULL, NULL, &error);
    if (progress)
        fputs("\r\033[K", stderr);
    if (status == IMF_OK)
        status = imf_context_rates(&text, context, &error);
    imf_context_free(&context);
    if (status != IMF_OK)
        complain("%s", error.text);
    for (char *line = text, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        escape_print(stdout, line);
        putchar('\n');
    }
    free(text);
    return status == IMF_OK              ? EXIT_DONE
           : status == IMF_ERR_NO_DEVICE ? EXIT_NO_DEVICE
                                         : EXIT_FAILED;
}
