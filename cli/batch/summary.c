/*
 * summary.c - the end of a batch: how many images were filtered, skipped and failed
 */
#include "batch/summary.h"

#include <stdlib.h>
#include <string.h>

#include "options/formats.h"
#include "report/clock.h"
#include "report/json.h"
#include "report/message.h"

void tally_free(struct tally *t) {
    for (size_t i = 0; i < sizeof t->failure / sizeof *t->failure; i++)
        free(t->failure[i]);
}

/* ---- for people --------------------------------------------------------------------------- */

/* "a.png, b.jpg and 3 more": inputs that failed, as many as fit. */
static void list_failures(const struct tally *t, char *text, size_t size) {
    const size_t most = sizeof t->failure / sizeof *t->failure, reserve = sizeof " and ..... more";
    size_t i = 0;
    *text = '\0';
    for (; i < t->failed && i < most; i++) {
        if (strlen(text) + strlen(t->failure[i]) + 2 * reserve > size)
            break;
        list_word(text, size, t->failure[i], ", ");
    }
    size_t used = strlen(text);
    if (i < t->failed && i)
        snprintf(text + used, size - used, " and %zu more", t->failed - i);
}

static void time_text(char *text, size_t size, double seconds) {
    unsigned long s = seconds < 1e8 ? (unsigned long)(seconds + 0.5) : 100000000;
    if (seconds < 59.95)
        snprintf(text, size, "%.1f s", seconds);
    else if (s < 3600)
        snprintf(text, size, "%lu min %lu s", s / 60, s % 60);
    else
        snprintf(text, size, "%lu h %lu min", s / 3600, s / 60 % 60);
}

static void print_summary(const struct tally *t, double seconds) {
    char failed[40] = "", took[40], work[100] = "";
    double megapixels = (double)t->pixels / 1e6;
    if (t->failed)
        snprintf(failed, sizeof failed, ", %zu failed", t->failed);
    time_text(took, sizeof took, seconds);
    if (t->pixels)
        snprintf(work, sizeof work, "; %.*f MP in %s, %.*f MP/s", megapixels < 10, megapixels, took,
                 megapixels < 10 * seconds, megapixels / (seconds > 0.001 ? seconds : 0.001));
    complain("%zu images: %zu filtered, %zu skipped%s%s", t->count, t->done, t->skipped, failed,
             work);
}

/* ---- for programs ------------------------------------------------------------------------- */

void summary_print_json(const struct reporter *r, const struct options *o, const struct tally *t,
                        const struct file_type_counts *others, bool interrupted) {
    if (!o->report.json || (t->count == 1 && !o->recursive && !o->files_from && !o->shards))
        return;
    struct json j = json_begin(r->out);
    json_open_object(&j, "summary");
    json_integer(&j, "images", t->count);
    json_integer(&j, o->dry_run ? "planned" : "filtered", t->done);
    json_integer(&j, "skipped", t->skipped);
    json_integer(&j, "failed", t->failed);
    json_integer(&j, "pixels", t->pixels);
    json_number(&j, "total_ms", now_ms() - t->begun);
    json_bool(&j, "interrupted", interrupted);
    json_open_list(&j, "others");
    for (size_t i = 0; i < FILE_TYPES_MAX && others->list[i].name; i++) {
        json_open_element(&j);
        json_string(&j, "kind", others->list[i].name);
        json_integer(&j, "count", others->list[i].count);
        json_close_element(&j);
    }
    json_close_list(&j);
    json_close_element(&j);
    json_end(&j);
}

/* ------------------------------------------------------------------------------------------- */

void summary_report(const struct reporter *r, const struct options *o, const struct tally *t,
                    const struct file_type_counts *others) {
    bool told = o->report.verbosity > 0 || (t->watched && o->report.verbosity == 0);
    char names[800];
    summary_print_json(r, o, t, others, false);
    if (t->count < 2)
        return;
    if (told && !r->json_alone)
        print_summary(t, (now_ms() - t->begun) / 1000);
    list_failures(t, names, sizeof names);
    if (t->failed)
        complain("%zu of %zu images failed%s%s", t->failed, t->count, *names ? ": " : "", names);
}

void summary_interrupted(const struct reporter *r, const struct options *o, const struct tally *t,
                         const struct file_type_counts *others) {
    bool resumes = !o->in_place || o->backup;
    char failed[40] = "";
    if (t->failed)
        snprintf(failed, sizeof failed, ", %zu failed", t->failed);
    summary_print_json(r, o, t, others, true);
    complain("interrupted: %zu of %zu images done%s%s", t->done + t->skipped, t->count, failed,
             resumes ? " (--skip-existing filters the others)" : "");
}
