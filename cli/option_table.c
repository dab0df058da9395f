/*
 * option_table.c - every option: its name, its line of --help, and what its value may be
 */
#include "options.h"

#include <limits.h>
#include <string.h>

#include "jobs.h"
#include "option_values.h"
#include "report.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* ---- words that values may be --------------------------------------------------------------- */

static const struct choice edges[] = {
    {"clamp", IMF_EDGE_CLAMP}, {"reflect", IMF_EDGE_REFLECT},           {"mirror", IMF_EDGE_MIRROR},
    {"wrap", IMF_EDGE_WRAP},   {"constant[:VALUE]", IMF_EDGE_CONSTANT}, {0}};
static const struct choice ranges[] = {{"clip", IMF_RANGE_CLIP},
                                       {"abs", IMF_RANGE_ABS},
                                       {"offset", IMF_RANGE_OFFSET},
                                       {"normalize", IMF_RANGE_NORMALIZE},
                                       {0}};
static const struct choice alphas[] = {{"auto", IMF_ALPHA_AUTO},
                                       {"premultiply", IMF_ALPHA_PREMULTIPLY},
                                       {"filter", IMF_ALPHA_FILTER},
                                       {"keep", IMF_ALPHA_KEEP},
                                       {0}};
static const struct choice backends[] = {{"auto", IMF_BACKEND_AUTO},
                                         {"direct", IMF_BACKEND_DIRECT},
                                         {"separable", IMF_BACKEND_SEPARABLE},
                                         {"fft", IMF_BACKEND_FFT},
                                         {"gles", IMF_BACKEND_GLES},
                                         {"vector", IMF_BACKEND_VECTOR},
                                         {"cpu", IMF_BACKEND_CPU},
                                         {0}};
enum { ALL_DEVICES = -1 };
static const struct choice devices[] = {{"auto", IMF_DEVICE_AUTO},
                                        {"cpu", IMF_DEVICE_CPU},
                                        {"gpu", IMF_DEVICE_GPU},
                                        {"all", ALL_DEVICES},
                                        {0}};
static const struct choice qualities[] = {{"keep", 0}, {0}};
static const struct choice subsamplings[] = {
    {"keep", 0}, {"444", 444}, {"422", 422}, {"420", 420}, {0}};
static const struct choice depths[] = {{"keep", 0}, {"8", 8}, {"16", 16}, {0}};
static const struct choice strips[] = {{"all", IMF_STRIP_ALL},
                                       {"exif", IMF_STRIP_EXIF},
                                       {"xmp", IMF_STRIP_XMP},
                                       {"icc", IMF_STRIP_ICC},
                                       {0}};
static const struct choice orients[] = {
    {"keep", IMF_ORIENT_KEEP}, {"apply", IMF_ORIENT_APPLY}, {0}};
static const struct choice tunes[] = {{"show", ACTION_SHOW_RATES}, {0}};
static const struct choice progresses[] = {
    {"auto", PROGRESS_AUTO}, {"always", PROGRESS_ALWAYS}, {"never", PROGRESS_NEVER}, {0}};
static const struct choice shells[] = {
    {"bash", SHELL_BASH}, {"zsh", SHELL_ZSH}, {"fish", SHELL_FISH}, {0}};

/* ---- setters ------------------------------------------------------------------------------ */

static bool set_filter(struct options *o, const char *value) {
    return options_append(&o->specs, &o->spec_count, value);
}

static bool set_output(struct options *o, const char *value) {
    if (o->output) {
        complain("-o is given twice (\"%s\" and \"%s\"); one run has one output", o->output, value);
        return false;
    }
    if (!*value) {
        complain("-o: the output's name is empty");
        return false;
    }
    o->output = strcmp(value, "/dev/stdout") == 0 ? "-" : value;
    return true;
}

static bool set_in_place(struct options *o, const char *value) {
    o->in_place = true;
    /* -i=.bak is meant as --in-place=.bak. */
    if (value && *value == '=')
        value++;
    if (value && strchr(value, '/'))
        return bad_value("in-place", value, "a suffix without \"/\"");
    if (value && *value)
        o->backup = value;
    return true;
}

static bool set_suffix(struct options *o, const char *value) {
    if (!*value || strchr(value, '/'))
        return bad_value("suffix", value, "text without \"/\", such as -sharp");
    o->suffix = value;
    return true;
}

static bool set_files_from(struct options *o, const char *value) {
    if (o->files_from) {
        complain("--files-from is given twice; join the lists");
        return false;
    }
    o->files_from = value;
    return true;
}

static bool set_shard(struct options *o, const char *value) {
    const char *slash = strchr(value, '/');
    char share[24] = "";
    if (slash && (size_t)(slash - value) < sizeof share)
        memcpy(share, value, (size_t)(slash - value));
    return (parse_count(share, 0, UINT64_MAX, &o->shard) &&
            parse_count(slash + 1, 0, UINT64_MAX, &o->shards) && o->shard >= 1 &&
            o->shard <= o->shards) ||
           bad_value("shard", value, "K/N with K from 1 to N, such as 2/8");
}

static bool set_format(struct options *o, const char *value) {
    o->format = imf_format_from_name(value);
    o->encode.pnm = imf_pnm_from_name(value);
    char valid[FORMATS_TEXT];
    return o->format != IMF_FORMAT_NONE || bad_value("format", value, formats_names(valid, NULL));
}

static bool set_edge(struct options *o, const char *value) {
    if (strncmp(value, "constant", 8) == 0 && (!value[8] || value[8] == ':')) {
        o->settings.edge = IMF_EDGE_CONSTANT;
        o->settings.edge_value = 0;
        return !value[8] || parse_fraction(value + 9, &o->settings.edge_value) ||
               bad_value("edge", value, "VALUE is a fraction of full scale, 0..1");
    }
    int edge;
    if (!choose("edge", strchr(value, '[') ? "" : value, edges, &edge))
        return false;
    o->settings.edge = (enum imf_edge)edge;
    return true;
}

static bool set_range(struct options *o, const char *value) {
    int range;
    if (!choose("range", value, ranges, &range))
        return false;
    o->settings.range = (enum imf_range)range;
    return true;
}

static bool set_alpha(struct options *o, const char *value) {
    int alpha;
    if (!choose("alpha", value, alphas, &alpha))
        return false;
    o->settings.alpha = (enum imf_alpha)alpha;
    return true;
}

static bool set_backend(struct options *o, const char *value) {
    int backend;
    if (!choose("backend", value, backends, &backend))
        return false;
    o->settings.backend = (enum imf_backend)backend;
    return true;
}

static bool set_device(struct options *o, const char *value) {
    static const char valid[] = "auto, cpu, gpu, all, an index or part of a name of --list-devices";
    if (!*value)
        return bad_value("device", value, valid);
    o->device = value;
    int kind = 0;
    bool word = find_choice(value, devices, &kind);
    o->all_devices = kind == ALL_DEVICES;
    if (word) {
        o->context.device = o->all_devices ? IMF_DEVICE_AUTO : (enum imf_device_kind)kind;
        return true;
    }
    uint64_t index;
    if (value[strspn(value, "0123456789")]) {
        o->context.device = IMF_DEVICE_NAME;
        o->context.name = value;
        return true;
    }
    if (!parse_count(value, 0, INT_MAX, &index))
        return bad_value("device", value, valid);
    o->context.device = IMF_DEVICE_INDEX;
    o->context.index = (int)index;
    return true;
}

static bool set_quality(struct options *o, const char *value) {
    return find_choice(value, qualities, &o->encode.quality) ||
           int_in("quality", value, 1, 100, "keep or 1..100", &o->encode.quality);
}

static bool set_subsampling(struct options *o, const char *value) {
    return choose("subsampling", value, subsamplings, &o->encode.subsampling);
}

static bool set_depth(struct options *o, const char *value) {
    return choose("depth", value, depths, &o->settings.depth);
}

static bool set_compression(struct options *o, const char *value) {
    return int_in("compression", value, 0, 9, "0..9", &o->encode.compression);
}

/* One kind, or several with commas between them; repeated options add up. */
static bool set_strip(struct options *o, const char *value) {
    for (const char *c = value ? value : "all";; c++) {
        char word[8] = "";
        size_t length = strcspn(c, ",");
        int kind;
        if (length < sizeof word)
            memcpy(word, c, length);
        if (!choose("strip", *word ? word : value, strips, &kind))
            return false;
        o->encode.strip |= (unsigned)kind;
        c += length;
        if (!*c)
            return true;
    }
}

static bool set_orient(struct options *o, const char *value) {
    int orient;
    if (!choose("orient", value, orients, &orient))
        return false;
    o->encode.orient = (enum imf_orient)orient;
    return true;
}

static bool set_jobs(struct options *o, const char *value) {
    return int_in("jobs", value, 1, JOBS_MOST, "1..256", &o->jobs);
}

static bool set_progress(struct options *o, const char *value) {
    int mode;
    if (!choose("progress", value, progresses, &mode))
        return false;
    o->progress = (enum progress_mode)mode;
    return true;
}

static bool set_bench(struct options *o, const char *value) {
    int n = 10;
    if (value && !int_in("bench", value, 1, 1000000, "1..1000000", &n))
        return false;
    o->bench = (unsigned)n;
    return true;
}

static bool set_tune(struct options *o, const char *value) {
    int action = ACTION_TUNE;
    if (value && !find_choice(value, tunes, &action))
        return bad_value("tune", value, "show, or no value to measure");
    o->action = (enum action)action;
    return true;
}

static bool set_show_kernel(struct options *o, const char *value) {
    if (value && !*value)
        return bad_value("show-kernel", value, "the name of a picture to write");
    o->show_kernel = true;
    o->kernel_file = value ? value : o->kernel_file;
    return true;
}

static bool set_spectrum(struct options *o, const char *value) {
    if (!*value)
        return bad_value("spectrum", value, "the name of a picture to write");
    o->spectrum = value;
    return true;
}

static bool set_completion(struct options *o, const char *value) {
    o->action = ACTION_COMPLETION;
    return choose("completion", value, shells, &o->shell);
}

static bool set_max_pixels(struct options *o, const char *value) {
    return parse_count(value, 1000, UINT64_MAX, &o->limits.max_pixels) ||
           bad_value("max-pixels", value, "a number with K, M or G for thousands; 0: no limit");
}

static bool set_max_memory(struct options *o, const char *value) {
    uint64_t bytes;
    if (!parse_count(value, 1024, UINT64_MAX, &bytes))
        return bad_value("max-memory", value, "bytes, with K, M or G for 1024s; 0: no limit");
    o->memory_given = true;
    options_set_memory(o, bytes);
    return true;
}

static bool set_max_scans(struct options *o, const char *value) {
    return int_in("max-scans", value, 0, INT_MAX, "0..2147483647; 0: no limit",
                  &o->limits.max_scans);
}

/* Options that only switch something on. */
#define SWITCH(function, statement)                                                                \
    static bool function(struct options *o, const char *value) {                                   \
        (void)value;                                                                               \
        statement;                                                                                 \
        return true;                                                                               \
    }
SWITCH(set_recursive, o->recursive = true)
SWITCH(set_null, o->null_separated = true)
SWITCH(set_no_clobber, o->no_clobber = true)
SWITCH(set_skip_existing, o->skip_existing = true)
SWITCH(set_clobber_backup, o->clobber_backup = true)
SWITCH(set_dry_run, o->dry_run = true)
SWITCH(set_linear, o->settings.linear = true)
SWITCH(set_optimize, o->encode.optimize = true)
SWITCH(set_explain, o->explain = true)
SWITCH(set_verify, o->verify = true)
SWITCH(set_verbose, o->verbosity = 1)
SWITCH(set_quiet, o->verbosity = -1)
SWITCH(set_json, o->json = true)
SWITCH(set_timing, o->timing = true)
SWITCH(set_lenient, o->limits.lenient = true)
SWITCH(set_list_filters, o->action = ACTION_LIST_FILTERS)
SWITCH(set_list_devices, o->action = ACTION_LIST_DEVICES)
SWITCH(set_help, o->action = ACTION_HELP)
SWITCH(set_version, o->action = ACTION_VERSION)

/* ---- the table ---------------------------------------------------------------------------- */

#define NONE ARGUMENT_NONE
#define REQUIRED ARGUMENT_REQUIRED
#define OPTIONAL ARGUMENT_OPTIONAL
#define ATTACHED ARGUMENT_ATTACHED
#define HEADING(text)                                                                              \
    { NULL, 0, NONE, NULL, text, NULL }

/* clang-format off */
const struct option_row option_rows[] = {
    HEADING("Files"),
    {"output", 'o', REQUIRED, "FILE|DIR|-", "where the result goes", set_output},
    {"recursive", 'r', NONE, NULL, "filter the images below directories", set_recursive},
    {"in-place", 'i', OPTIONAL, "SUFFIX", "replace inputs; SUFFIX keeps the originals", set_in_place},
    {"files-from", 0, REQUIRED, "FILE", "read names of inputs from FILE, one a line", set_files_from},
    {"null", '0', NONE, NULL, "names in FILE end in NUL, not in a newline", set_null},
    {"suffix", 0, REQUIRED, "TEXT", "put TEXT before the extension of output names", set_suffix},
    {"no-clobber", 0, NONE, NULL, "keep outputs (-iSUFFIX: backups) that exist", set_no_clobber},
    {"clobber-backup", 0, NONE, NULL, "let -iSUFFIX replace older backups", set_clobber_backup},
    {"skip-existing", 0, NONE, NULL, "skip if the output is newer (-iSUFFIX: exists)", set_skip_existing},
    {"shard", 0, REQUIRED, "K/N", "filter every Nth input of the sorted list", set_shard},
    {"dry-run", 'n', NONE, NULL, "say what would be done", set_dry_run},
    {"format", 0, REQUIRED, NULL, "the output's format", set_format},
    HEADING("Filter"),
    {"filter", 'f', REQUIRED, "SPEC", "apply SPEC; repeat it for a chain", set_filter},
    {"edge", 0, REQUIRED, "MODE", "clamp, reflect, mirror, wrap, constant[:VALUE]", set_edge},
    {"range", 0, REQUIRED, "MODE", "response: clip, abs, offset or normalize", set_range},
    {"alpha", 0, REQUIRED, "MODE", "alpha: auto, premultiply, filter or keep", set_alpha},
    {"linear", 0, NONE, NULL, "filter in linear light", set_linear},
    HEADING("Compute"),
    {"backend", 0, REQUIRED, "NAME", "auto, direct, separable, fft, gles, vector, cpu", set_backend},
    {"jobs", 'j', REQUIRED, "N", "filter N images at once (default: one a core)", set_jobs},
    {"device", 0, REQUIRED, "DEVICE", "auto, cpu, gpu, all, an index or part of a name", set_device},
    {"list-devices", 0, NONE, NULL, "list the devices, and OpenGL ES's", set_list_devices},
    {"tune", 0, OPTIONAL, "show", "measure the device for better plans, or show it", set_tune},
    {"explain", 0, NONE, NULL, "show each backend's cost and the choice", set_explain},
    {"verify", 0, NONE, NULL, "compare the result with the reference", set_verify},
    HEADING("Encode"),
    {"quality", 0, REQUIRED, "N", "JPEG quality: keep or 1..100", set_quality},
    {"subsampling", 0, REQUIRED, "N", "JPEG chroma: keep, 444, 422 or 420", set_subsampling},
    {"depth", 0, REQUIRED, "N", "bits a sample: keep, 8 or 16", set_depth},
    {"compression", 0, REQUIRED, "N", "PNG: 0 stored, 1 fast .. 9 small; default 6", set_compression},
    {"optimize", 0, NONE, NULL, "JPEG: Huffman tables for this image", set_optimize},
    {"strip", 0, OPTIONAL, "KIND", "drop metadata: all, exif, xmp or icc", set_strip},
    {"orient", 0, REQUIRED, "MODE", "EXIF orientation: keep the tag, or apply it", set_orient},
    HEADING("Report"),
    {"verbose", 'v', NONE, NULL, "say what is done", set_verbose},
    {"quiet", 'q', NONE, NULL, "no warnings", set_quiet},
    {"progress", 0, REQUIRED, "WHEN", "show how far a batch is: auto, always or never", set_progress},
    {"json", 0, NONE, NULL, "print one JSON object a line for each image", set_json},
    {"timing", 0, NONE, NULL, "print how long each step took", set_timing},
    {"bench", 0, OPTIONAL, "N", "filter N times (10) and print the times", set_bench},
    {"show-kernel", 0, OPTIONAL, "FILE.png", "print the filter's coefficients, or draw them", set_show_kernel},
    {"spectrum", 0, ATTACHED, "FILE.png", "draw the spectrum, print its peaks as notches", set_spectrum},
    {"list-filters", 0, NONE, NULL, "list the built-in filters", set_list_filters},
    {"completion", 0, REQUIRED, "SHELL", "print completions for bash, zsh or fish", set_completion},
    {"help", 'h', NONE, NULL, "print this help; --help FILTER: of one filter", set_help},
    {"version", 'V', NONE, NULL, "print the version", set_version},
    HEADING("Limits"),
    {"lenient", 0, NONE, NULL, "accept the readable part of a damaged image", set_lenient},
    {"max-pixels", 0, REQUIRED, "N[K|M|G]", "refuse images with more pixels (268 million)", set_max_pixels},
    {"max-memory", 0, REQUIRED, "BYTES[K|M|G]", "use no more memory (default: what there is)", set_max_memory},
    {"max-scans", 0, REQUIRED, "N", "refuse JPEG images with more scans (100)", set_max_scans},
};
/* clang-format on */
const size_t option_row_count = COUNT(option_rows);

const char *option_value(const struct option_row *row, char text[FORMATS_TEXT]) {
    return row->metavar ? row->metavar : formats_names(text, "|");
}

/* What completions offer; a row of each setter that knows words. */
static const struct {
    bool (*set)(struct options *o, const char *value);
    const struct choice *choices;
} words[] = {
    {set_edge, edges},
    {set_range, ranges},
    {set_alpha, alphas},
    {set_backend, backends},
    {set_device, devices},
    {set_quality, qualities},
    {set_subsampling, subsamplings},
    {set_depth, depths},
    {set_strip, strips},
    {set_orient, orients},
    {set_tune, tunes},
    {set_progress, progresses},
    {set_completion, shells},
};

const char *option_word(const struct option_row *row, size_t index) {
    for (size_t i = 0; i < COUNT(words); i++) {
        const struct choice *c = words[i].choices;
        for (size_t n = 0; words[i].set == row->set && c[n].name; n++) {
            if (n == index)
                return c[n].name;
        }
    }
    return NULL;
}
