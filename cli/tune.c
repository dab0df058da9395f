/*
 * tune.c - --tune and --tune=show: the rates that plans go by
 */
#include "tune.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plain.h"
#include "report.h"

static void show_progress(void *data, double part) {
    (void)data;
    fprintf(stderr, "\rmeasuring the device: %3.0f %%", 100 * part);
    fflush(stderr);
}

int tune(const struct options *o) {
    struct imf_context *context = NULL;
    struct imf_error error;
    char *text = NULL;
    bool measure = o->action == ACTION_TUNE, progress = measure && isatty(2) && o->verbosity >= 0;
    if (o->all_devices) {
        complain("--tune is for one device (choose it with --device)");
        return EXIT_USAGE;
    }
    enum imf_status status = imf_context_create(&context, &o->context, &error);
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
        plain_put(stdout, line);
        putchar('\n');
    }
    free(text);
    return status == IMF_OK              ? EXIT_DONE
           : status == IMF_ERR_NO_DEVICE ? EXIT_NO_DEVICE
                                         : EXIT_FAILED;
}
