/*
 * main.c - imfilter: the flow of a run, and its exit status
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "batch/device_pool.h"
#include "batch/jobs.h"
#include "completion/shells.h"
#include "input/collect.h"
#include "options/device_trial.h"
#include "options/devices.h"
#include "options/formats.h"
#include "options/help.h"
#include "options/machine.h"
#include "output/claims.h"
#include "output/collisions.h"
#include "output/names.h"
#include "output/pictures.h"
#include "output/signals.h"
#include "output/temporary.h"
#include "report/clock.h"
#include "report/message.h"
#include "report/parts.h"
#include "sandbox/sandbox.h"

/* Occupy the descriptors of standard streams that the parent closed, so that no image gets them. Opened
 * in the wrong direction, so that using them still fails. */
static void hold_standard_streams(void) {
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
}

/* Report a failed write to standard output. */
static int close_stdout(int status) {
    bool failed = fflush(stdout) != 0;
    int error = failed ? errno : EIO;
    if (!failed && !ferror(stdout))
        return status;
    if (status == EXIT_DONE) {
        complain("standard output: cannot write: %s", strerror(error));
        status = EXIT_FAILED;
    }
    return status;
}

static int print_information(const struct options *o) {
    switch (o->action) {
    case ACTION_HELP:
        if (!o->topic)
            help_print(stdout);
        else if (!help_filter(stdout, o->topic))
            return EXIT_USAGE;
        break;
    case ACTION_VERSION:
        help_version(stdout);
        break;
    case ACTION_LIST_FILTERS:
        if (!help_list_filters(stdout, o->report.json)) {
            complain("out of memory");
            return EXIT_FAILED;
        }
        break;
    case ACTION_LIST_PARTS:
        if (!parts_list(stdout, o->report.json)) {
            complain("out of memory");
            return EXIT_FAILED;
        }
        break;
    case ACTION_COMPLETION:
        completion_print(stdout, o->shell);
        break;
    case ACTION_TUNE:
    case ACTION_SHOW_RATES:
        return devices_tune(o);
    default:
        return devices_list(o);
    }
    return EXIT_DONE;
}

/* Warn of options of an encoder that was not used. */
static void warn_of_unused_options(const struct session *s) {
    const struct options *o = s->options;
    const struct {
        const char *name;
        bool given;
    } rows[] = {
        {"quality", o->encode.quality > 0},
        {"subsampling", o->encode.subsampling > 0},
        {"optimize", o->encode.optimize},
        {"compression", o->encode.compression != 0},
    };
    char text[80 + FORMATS_TEXT], kinds[FORMATS_TEXT];
    for (size_t i = 0; atomic_load(&s->formats) && i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].given || formats_use(s->formats, rows[i].name, kinds))
            continue;
        snprintf(text, sizeof text, "--%s had no effect: no %s was written", rows[i].name, kinds);
        report_warning(&s->reporter, NULL, text);
    }
}

/* Exit status 2 only if the options were impossible for all images. */
static int filter_batch(struct session *s, struct job_list *b, int jobs) {
    struct tally t;
    bool devices = jobs_run(s, b, jobs, &t);
    if (devices) {
        warn_of_unused_options(s);
        summary_report(&s->reporter, s->options, &t, &b->others);
    } else {
        summary_print_json(&s->reporter, s->options, &t, &b->others, false);
    }
    tally_free(&t);
    if (!devices)
        return EXIT_NO_DEVICE;
    if ((t.bad_usage || t.unread) && t.failed + t.skipped == t.count)
        return EXIT_USAGE;
    return t.failed || t.unread ? EXIT_FAILED : EXIT_DONE;
}

/* Where names come one by one so many are expected: a service, or the output of find. */
#define MANY 100

/* Open the devices, and make what the images of a run share. */
static enum imf_status open_session(struct session *s, size_t pictures, int jobs,
                                    struct imf_error *err) {
    const struct options *o = s->options;
    /* Without --max-memory half of the machine's memory is left to other programs. */
    uint64_t most = o->settings.max_memory ? o->settings.max_memory : machine_memory();
    enum imf_status status = device_pool_open(&s->devices, o, s->filter != NULL, err);
    struct imf_batch batch = {.filter = s->filter,
                              .settings = o->settings,
                              .explain = o->report.explain,
                              .jobs = jobs,
                              .cores = machine_cores(),
                              .memory =
                                  o->memory_given && o->settings.max_memory ? most : most / 2};
    device_pool_lend(&s->devices, &batch);
    if (!o->report.bench) {
        batch.settings.pictures =
            s->streams ? MANY : (int)(pictures < INT_MAX ? pictures : INT_MAX);
        batch.settings.workers = jobs;
    }
    return status == IMF_OK ? imf_plan_cache_create(&s->plans, &batch, err) : status;
}

static int filter_in(struct session *s, struct job_list *b) {
    struct imf_error error;
    const struct tally none = {.count = b->count, .begun = now_ms()};
    int jobs = jobs_at_once(s->options, b), exit_status;
    enum imf_status status = open_session(s, b->count, jobs, &error);
    if (status == IMF_OK) {
        exit_status = filter_batch(s, b, jobs);
    } else {
        complain("%s", error.text);
        summary_print_json(&s->reporter, s->options, &none, &b->others, false);
        exit_status = status == IMF_ERR_NO_DEVICE ? EXIT_NO_DEVICE : EXIT_FAILED;
    }
    imf_plan_cache_free(&s->plans);
    device_pool_close(&s->devices);
    claims_free(&s->claims);
    return exit_status;
}

/* Results go to standard output unless an image goes there. */
static struct reporter make_reporter(const struct options *o) {
    const char *const images[] = {o->output, o->kernel_file, o->report.spectrum};
    bool taken = false;
    for (size_t i = 0; i < sizeof images / sizeof images[0] && !o->dry_run; i++)
        taken = taken || (images[i] && strcmp(images[i], "-") == 0);
    return (struct reporter){taken ? stderr : stdout, stderr, &o->report, taken && o->report.json};
}

/* Files below directories in formats that cannot be read. */
static void report_others(const struct reporter *r, const struct file_type_counts *others) {
    char *text = file_type_counts_text(others);
    if (text && r->options->verbosity >= 0 && !r->json_alone)
        complain("%s skipped", text);
    free(text);
}

static bool make_list(struct job_list *b, const struct options *o) {
    return collect_inputs(b, o) && names_derive(b, o) && collisions_drop_results(b, o) &&
           collisions_check(b, o) && (!o->shards || collect_share(b, o));
}

/* Without inputs --show-kernel only prints. */
static bool filters_images(const struct options *o) {
    return !o->show_kernel || o->input_count || o->files_from || o->output || o->report.spectrum;
}

/* Outputs that are numbered by pages, or whose inputs come one by one, are known as they come: none may be an input. */
static bool claim_inputs(struct session *s, const struct job_list *b) {
    char why[CLAIM_WHY];
    s->streams = b->streams;
    if (!b->streams && (!b->count || !b->jobs->page_size))
        return true;
    bool good = (s->claims = claims_new()) != NULL;
    for (size_t i = 0; i < b->count && good && !b->streams; i++)
        good = claims_take(s->claims, &b->jobs[i], b->jobs[i].input, CLAIM_INPUT, why);
    return good || complain("out of memory");
}

/* filter may be NULL: only spectra are drawn. */
static int filter_with(const struct options *o, const struct imf_filter *filter,
                       struct job_list *batch) {
    struct session s = {.options = o, .reporter = make_reporter(o), .filter = filter};
    char mismatch[NAME_MISMATCH];
    if (!pictures_check(o, batch))
        return EXIT_USAGE;
    if (o->show_kernel && !pictures_show_kernel(&s.reporter, o, filter))
        return EXIT_FAILED;
    if (!filters_images(o))
        return EXIT_DONE;
    if (!claim_inputs(&s, batch))
        return EXIT_FAILED;
    s.make_directories = batch->to_directory;
    report_others(&s.reporter, &batch->others);
    const char *note = filter ? imf_filter_note(filter, o->settings.range) : NULL;
    if (note)
        report_warning(&s.reporter, NULL, note);
    if (names_mismatch(batch, o, mismatch))
        report_warning(&s.reporter, o->output, mismatch);
    return filter_in(&s, batch);
}

/* The chain: the specs, then what --strength and --mask append. */
static enum imf_status make_filter(struct imf_filter **out, const struct options *o,
                                   struct imf_error *err) {
    const char *strength = o->strength;
    struct imf_filter *more;
    *out = NULL;
    if (!o->spec_count)
        return IMF_OK;
    enum imf_status status =
        imf_filter_parse_limited(out, o->specs, o->spec_count, &o->limits, err);
    if (status == IMF_OK && *strength) {
        status = imf_filter_parse(&more, &strength, 1, err);
        status = status == IMF_OK ? imf_filter_append(*out, &more, err) : status;
    }
    return status == IMF_OK && o->mask ? imf_filter_append_mask(*out, o->mask, &o->limits, err)
                                       : status;
}

/* The list comes first: it says which files the sandbox has to allow, and filters may be in files of
 * others, too. Threads inherit the sandbox if they start behind it, as the one does that waits for
 * signals. */
static int filter_images(const struct options *o) {
    struct imf_filter *filter = NULL;
    struct imf_error error;
    struct job_list batch = {0};
    int status = EXIT_USAGE;
    if ((!filters_images(o) || make_list(&batch, o)) && sandbox_enter(o, &batch)) {
        signals_catch(temporary_remove_all, device_mark_crash);
        if (make_filter(&filter, o, &error) == IMF_OK)
            status = filter_with(o, filter, &batch);
        else
            complain("%s", error.text);
    }
    imf_filter_free(&filter);
    job_list_free(&batch);
    return status;
}

int main(int argc, char **argv) {
    if (argc >= 2 && strcmp(argv[1], DEVICE_TRIAL) == 0)
        return device_try(argv[2]);
    if (argc >= 2 && strcmp(argv[1], GLES_TRIAL) == 0)
        return device_try_gles();
    if (argc >= 2 && strcmp(argv[1], COMPLETION_QUERY) == 0) {
        completion_candidates(argv + 2, argc - 2);
        return close_stdout(EXIT_DONE);
    }
    hold_standard_streams();
    if (argc < 2) {
        help_short_usage(stderr);
        return EXIT_USAGE;
    }
    struct options options;
    int status = EXIT_USAGE;
    if (options_parse(&options, argc, argv)) {
        if (!options_spare_memory(&options))
            machine_share_heap();
        device_guard(&options);
        options.guard.opened = signals_catch_again;
        if (options.action == ACTION_FILTER) {
            status = filter_images(&options);
        } else {
            signals_catch(temporary_remove_all, device_mark_crash);
            status = print_information(&options);
        }
    }
    options_free(&options);
    signals_over();
    return close_stdout(status);
}
