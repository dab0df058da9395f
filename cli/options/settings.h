/*
 * settings.h - what the command line asks for
 */
#ifndef CLI_OPTIONS_SETTINGS_H
#define CLI_OPTIONS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "imfilter_program.h"
#include "report/outcome.h"

/* Exit status, as imfilter(1) lists it. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_DEVICE = 3 };

enum action {
    ACTION_FILTER,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_LIST_FILTERS,
    ACTION_LIST_DEVICES,
    ACTION_LIST_PARTS,
    ACTION_TUNE,
    ACTION_SHOW_RATES,
    ACTION_COMPLETION
};
enum sandbox_mode { SANDBOX_AUTO, SANDBOX_ON, SANDBOX_OFF };
enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };
enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH };
enum { JOBS_MAX = 256 };

struct options {
    enum action action;
    enum shell shell;   /* of ACTION_COMPLETION */
    const char *topic;  /* of ACTION_HELP: the filter, or NULL */
    const char **specs; /* owned array of borrowed strings, as are the inputs */
    size_t spec_count;
    const char **inputs;
    size_t input_count;

    const char *output; /* NULL: none given */
    const char *suffix;
    const char *backup; /* --in-place's SUFFIX, or NULL */
    const char *files_from;
    bool in_place, recursive, null_separated, no_clobber, skip_existing, dry_run;
    bool clobber_backup, allow_loss;
    bool parts; /* with dry_run */
    bool file_times;
    bool keep_blocks;
    bool paged;             /* --pages is given: */
    const char *pages;      /* a list of them, or NULL for all */
    uint64_t shard, shards; /* this run's share of the inputs: 1..shards; 0: all of them */
    enum imf_format format; /* IMF_FORMAT_NONE: as the name or the input says */

    char strength[64];          /* --strength as a spec, or "" */
    const char *mask;           /* the picture of --mask, or NULL */
    struct imf_region *regions; /* owned: the settings' */
    struct imf_settings settings;
    bool full_auto; /* full scale is each picture's largest sample */
    struct imf_limits limits;
    struct imf_encode encode;
    bool memory_given; /* max_memory of these three is --max-memory, not the machine's memory */
    struct imf_context_options context;
    struct imf_driver_guard guard;
    bool all_devices;
    const char *device;        /* as --device has it, or NULL */
    const char *trial[4];      /* the command that tries it */
    const char *gles_trial[3]; /* and OpenGL ES */

    enum sandbox_mode sandbox;
    int jobs; /* 0: one a core */
    bool verify;
    bool show_kernel;
    const char *kernel_file; /* the picture of --show-kernel, or NULL */
    enum progress_mode progress;
    struct report_options report;
};

/* Set all of *o; false after one line on standard error that says what is wrong. options_free() takes
 * either. */
bool options_parse(struct options *o, int argc, char **argv);
void options_free(struct options *o);

/* Of settings, limits and encode alike; 0: no limit. */
void options_set_memory(struct options *o, uint64_t bytes);
/* Is there enough memory to spend some where it only saves time? */
bool options_spare_memory(const struct options *o);

/* Bits of a sample in rows that --depth asks for; 0: the input's. */
static inline int options_rows_depth(const struct options *o) {
    return o->settings.depth == 1 ? 8 : o->settings.depth;
}

/* Append to a growing array of borrowed strings; false after a message without memory. */
bool options_append(const char ***list, size_t *count, const char *text);

#endif
