/*
 * options.h - argv turned into one struct
 *
 * Every option is one row of a table that names it, documents it and stores its value; --help
 * prints the same table, so the two cannot disagree.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "formats.h"

/* Exit status, as imfilter(1) lists it. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_DEVICE = 3 };

enum action {
    ACTION_FILTER,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_LIST_FILTERS,
    ACTION_LIST_DEVICES,
    ACTION_TUNE,
    ACTION_SHOW_RATES,
    ACTION_COMPLETION
};
enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };
enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH };

struct options {
    enum action action;
    int shell;          /* of ACTION_COMPLETION */
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
    bool clobber_backup;
    uint64_t shard, shards; /* this run's share of the inputs: 1..shards; 0: all of them */
    enum imf_format format; /* IMF_FORMAT_NONE: as the name or the input says */

    struct imf_settings settings;
    struct imf_limits limits;
    struct imf_encode encode;
    bool memory_given; /* max_memory of these three is the user's, not what there is */
    struct imf_context_options context;
    bool all_devices;
    const char *device;        /* as --device has it, or NULL */
    const char *trial[4];      /* the command that tries it */
    const char *gles_trial[3]; /* and OpenGL ES */

    int jobs; /* 0: as many as fit */
    unsigned bench;
    bool explain, verify, json, timing;
    bool show_kernel;
    const char *kernel_file; /* the picture of --show-kernel, or NULL */
    const char *spectrum;    /* the picture of --spectrum, or NULL */
    enum progress_mode progress;
    int verbosity; /* -1 quiet, 0, 1 verbose */
};

/* ATTACHED: required as well, but never the next word. */
enum argument { ARGUMENT_NONE, ARGUMENT_REQUIRED, ARGUMENT_OPTIONAL, ARGUMENT_ATTACHED };

/* A row of the table; one without a name is a heading of --help. */
struct option_row {
    const char *name;
    char letter; /* or 0 */
    enum argument argument;
    const char *metavar; /* NULL: the formats */
    const char *help;
    /* Stores the value (NULL when none was given); false after it printed what is wrong. */
    bool (*set)(struct options *o, const char *value);
};
extern const struct option_row option_rows[];
extern const size_t option_row_count;
/* What its value is called; text is for the formats. */
const char *option_value(const struct option_row *row, char text[FORMATS_TEXT]);
/* A word that its value may be, or NULL past the last: "clamp", "constant[:VALUE]". */
const char *option_word(const struct option_row *row, size_t index);

/* Parse argv; false after one line on standard error said why not. */
bool options_parse(struct options *o, int argc, char **argv);
void options_free(struct options *o);
/* Of settings, limits and encode alike; 0: no limit. */
void options_set_memory(struct options *o, uint64_t bytes);
/* May memory be spent where that only saves time? */
bool options_spare_memory(const struct options *o);

/* Append to a growing array of borrowed strings. */
bool options_append(const char ***list, size_t *count, const char *text);

#endif
