/*
 * parse.c - the getopt_long loop over the table, and which options exclude each other
 */
#include "options/settings.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/machine.h"
#include "options/pages.h"
#include "options/table.h"
#include "report/message.h"

#define LONG_CODE 256 /* code of row i when it has no letter: LONG_CODE + i */
#define MAX_ROWS 80

/* The length of the longer word without the common beginning and the common end. */
static size_t difference(const char *a, size_t length, const char *b) {
    size_t other = strlen(b), front = 0;
    while (front < length && front < other && a[front] == b[front])
        front++;
    while (length > front && other > front && a[length - 1] == b[other - 1])
        length--, other--;
    return (length > other ? length : other) - front;
}

/* The option that differs from this word by two letters at most, or NULL. */
static const char *nearest_option(const char *word, size_t length) {
    const char *nearest = NULL;
    size_t least = length > 4 ? 3 : 2;
    for (size_t i = 0; i < option_row_count; i++) {
        const char *name = option_rows[i].name;
        size_t off = name ? difference(word, length, name) : least;
        if (off < least) {
            nearest = name;
            least = off;
        }
    }
    return nearest;
}

/* Explain a '?' of getopt_long(): it does not tell ambiguous options from unknown ones. */
static bool complain_unknown(const char *word) {
    if (strncmp(word, "--", 2) != 0)
        return complain("unknown option \"-%c\" (--help lists the options)", optopt);
    size_t length = strcspn(word + 2, "="), matches = 0;
    const char *nearest = nearest_option(word + 2, length);
    char names[256] = "";
    for (size_t i = 0; i < option_row_count; i++) {
        const char *name = option_rows[i].name;
        if (name && strncmp(name, word + 2, length) == 0) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s--%s", matches++ ? ", " : "", name);
        }
    }
    if (optopt)
        return complain("option \"%.*s\" takes no value", (int)length + 2, word);
    if (matches > 1)
        return complain("option \"%.*s\" is ambiguous (%s)", (int)length + 2, word, names);
    if (nearest)
        return complain("unknown option \"%.*s\" (did you mean \"--%s\"?)", (int)length + 2, word,
                        nearest);
    return complain("unknown option \"%.*s\" (--help lists the options)", (int)length + 2, word);
}

/* Options that write or replace files must not be given by mistake, so they have no abbreviations. */
static bool writes_files(const struct option_row *row) {
    static const char *const names[] = {"output",     "in-place",    "suffix",  "clobber-backup",
                                        "allow-loss", "show-kernel", "spectrum"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(row->name, names[i]) == 0)
            return true;
    return false;
}

/* "-i .bak": the suffix would be taken for an input, and the inputs be replaced without backups. */
static bool is_suffix(const struct option_row *row, const char *value, const char *next) {
    return row->letter == 'i' && !value && next && *next == '.' && !strchr(next, '/') &&
           access(next, F_OK) != 0;
}

/* "--pages 1,2": the list would be taken for an input. */
static bool is_list(const struct option_row *row, const char *value, const char *next) {
    return strcmp(row->name, "pages") == 0 && !value && next && *next && pages_valid(next) &&
           access(next, F_OK) != 0;
}

/* Options that write files are spelled out, and take no separate word as an optional value. */
static bool is_deliberate(const struct option_row *row, const char *word, const char *value,
                          const char *next) {
    char formats[FORMATS_TEXT];
    size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : strlen(row->name);
    if (writes_files(row) && length < strlen(row->name))
        complain("option \"%.*s\" is abbreviated; options that write files are spelled out (--%s)",
                 (int)length + 2, word, row->name);
    else if (row->argument == ARGUMENT_ATTACHED && !value)
        complain("option \"--%s\" needs its value after \"=\" (--%s=%s)", row->name, row->name,
                 option_value(row, formats));
    else if (is_suffix(row, value, next))
        complain(
            "\"%s\" is no input that exists (the suffix of backups follows without a space: "
            "%s%s)",
            next, word[1] == '-' ? "--in-place=" : "-i", next);
    else if (is_list(row, value, next))
        complain("\"%s\" is no input that exists (the list follows without a space: --pages=%s)",
                 next, next);
    else
        return true;
    return false;
}

static const struct option_row *row_of(int code) {
    if (code >= LONG_CODE)
        return &option_rows[code - LONG_CODE];
    for (size_t i = 0; i < option_row_count; i++) {
        if (option_rows[i].letter == code)
            return &option_rows[i];
    }
    return NULL;
}

/*
 * The short options start with '-': operands are returned in order as code 1, so that options may
 * follow inputs even where POSIXLY_CORRECT is set. ':' turns getopt's messages off.
 */
static void build_getopt_tables(char *letters, struct option *longs) {
    *letters++ = '-';
    *letters++ = ':';
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (!row->name)
            continue;
        int argument = row->argument == ARGUMENT_ATTACHED ? optional_argument : (int)row->argument;
        *longs++ = (struct option){row->name, argument, NULL,
                                   row->letter ? row->letter : LONG_CODE + (int)i};
        if (row->letter) {
            *letters++ = row->letter;
            for (int colons = argument; colons > 0; colons--)
                *letters++ = ':';
        }
    }
    *letters = '\0';
    *longs = (struct option){0};
}

/* Suggest -f if an operand is a filter. */
static bool complain_no_filter(const struct options *o) {
    for (size_t i = 0; i < o->input_count; i++) {
        struct imf_filter *filter;
        /* Parsing "@FILE" would read the file, which may be a pipe. */
        if (!strchr(o->inputs[i], '@') &&
            imf_filter_parse(&filter, &o->inputs[i], 1, NULL) == IMF_OK) {
            imf_filter_free(&filter);
            return complain("no filter given (write -f %s)", o->inputs[i]);
        }
    }
    return complain("no filter given (use -f SPEC; --list-filters lists them)");
}

/* Options that exclude or need each other. */
static bool check(const struct options *o) {
    /* Only a spectrum needs no filter. */
    bool only_spectrum = o->report.spectrum && !o->output && !o->in_place && !o->suffix &&
                         !o->report.bench && !o->verify && !o->report.explain && !o->show_kernel;
    if (!o->spec_count && !only_spectrum && !o->parts)
        return complain_no_filter(o);
    bool masked = o->mask != NULL;
    for (size_t i = 0; i < o->spec_count; i++)
        masked = masked || (strncmp(o->specs[i], "blend:", 6) == 0 && strstr(o->specs[i], ":@"));
    const struct {
        bool wrong;
        const char *text;
    } rules[] = {
        {o->in_place && o->output, "--in-place and -o exclude each other"},
        {o->in_place && o->suffix, "--in-place and --suffix exclude each other"},
        {o->in_place && o->format != IMF_FORMAT_NONE,
         "--in-place keeps each file's format; to change it use --format with -o DIR/"},
        {o->in_place && !o->backup && (o->no_clobber || o->skip_existing),
         "--in-place replaces its inputs, so --no-clobber and --skip-existing need a SUFFIX there"},
        {o->in_place && o->paged, "--in-place keeps all pages; to take some use --pages with -o"},
        {o->clobber_backup && !o->backup,
         "--clobber-backup needs a backup's SUFFIX (-iSUFFIX or --in-place=SUFFIX)"},
        {o->allow_loss && !o->in_place,
         "--allow-loss is for --in-place; with -o what is lost is told"},
        {o->clobber_backup && (o->no_clobber || o->skip_existing),
         "--clobber-backup excludes --no-clobber and --skip-existing"},
        {o->in_place && o->report.bench, "--bench and --in-place exclude each other"},
        {o->dry_run && (o->report.bench || o->verify),
         "--dry-run and --parts filter nothing, so --bench and --verify exclude them"},
        {!masked && o->settings.mask_invert,
         "--mask-invert needs a mask (--mask=FILE, or blend:MODE:@FILE)"},
        {!masked && !o->regions && o->settings.mask_feather > 0,
         "--mask-feather needs a mask or a region (--mask=FILE, blend:MODE:@FILE, "
         "--region=WxH+X+Y)"},
        {o->null_separated && !o->files_from, "-0 needs --files-from"},
        {o->settings.backend == IMF_BACKEND_GLES &&
             (o->all_devices || o->context.device != IMF_DEVICE_AUTO),
         "--device chooses an OpenCL device, of which --backend=gles uses none"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].wrong)
            return complain("%s", rules[i].text);
    }
    return true;
}

/* --strip without a filter: the picture stays as it is, colours under alpha 0 too. */
static bool strip_alone(struct options *o) {
    if (o->spec_count || !o->encode.strip || !(o->output || o->in_place || o->suffix))
        return true;
    o->keep_blocks = true;
    o->settings.alpha = IMF_ALPHA_FILTER;
    return options_append(&o->specs, &o->spec_count, "kernel:1");
}

/* A PFM holds floats alone. */
static void imply_depth(struct options *o) {
    const char *dot = o->output ? strrchr(o->output, '.') : NULL;
    bool named = dot && o->format == IMF_FORMAT_NONE && imf_pnm_from_name(dot + 1) == IMF_PNM_PFM;
    if (!o->settings.depth && (named || o->encode.pnm == IMF_PNM_PFM))
        o->settings.depth = 32;
}

static void set_defaults(struct options *o) {
    *o = (struct options){0};
    options_set_memory(o, machine_memory());
    o->limits.max_pixels = IMF_DEFAULT_MAX_PIXELS;
    o->limits.max_scans = IMF_DEFAULT_MAX_SCANS;
}

bool options_parse(struct options *o, int argc, char **argv) {
    set_defaults(o);
    char letters[3 * MAX_ROWS + 3];
    struct option longs[MAX_ROWS + 1];
    if (option_row_count > MAX_ROWS)
        abort();
    build_getopt_tables(letters, longs);
    opterr = 0;
    for (int code, at = 1; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;
         at = optind) {
        const struct option_row *row;
        if (code == 1) {
            if (!options_append(&o->inputs, &o->input_count, optarg))
                return false;
        } else if (code == ':') {
            row = row_of(optopt);
            char formats[FORMATS_TEXT];
            return complain("option \"--%s\" needs a value (%s)", row ? row->name : "?",
                            row ? option_value(row, formats) : "");
        } else if (code == '?') {
            return complain_unknown(argv[optind - 1]);
        } else {
            row = row_of(code);
            if (!row || !is_deliberate(row, argv[at], optarg, argv[optind]) ||
                !row->set(o, row, optarg))
                return false;
            bool help = o->action == ACTION_HELP;
            if (help && optind < argc && argv[optind][0] != '-')
                o->topic = argv[optind];
            if (help || o->action == ACTION_VERSION)
                return true;
        }
    }
    for (; optind < argc; optind++) {
        if (!options_append(&o->inputs, &o->input_count, argv[optind]))
            return false;
    }
    imply_depth(o);
    return o->action != ACTION_FILTER || (strip_alone(o) && check(o));
}
