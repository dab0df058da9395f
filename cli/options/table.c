/*
 * table.c - every option: its name, its line of --help, and how its value is stored
 */
#include "options/table.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "options/pages.h"
#include "report/message.h"

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
static const struct choice channels[] = {
    {"rgb", IMF_CHANNELS_RGB},     {"luma", IMF_CHANNELS_LUMA},
    {"r", IMF_CHANNELS_RED},       {"g", IMF_CHANNELS_GREEN},
    {"b", IMF_CHANNELS_BLUE},      {"chroma", IMF_CHANNELS_CHROMA},
    {"alpha", IMF_CHANNELS_ALPHA}, {0}};
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
static const struct choice chroma[] = {{"keep", 0}, {"444", 444}, {"422", 422}, {"420", 420}, {0}};
static const struct choice depths[] = {{"keep", 0}, {"1", 1},      {"8", 8},
                                       {"16", 16},  {"float", 32}, {0}};
static const struct choice compressions[] = {
    {"lzw", IMF_COMPRESSION_LZW}, {"group4", IMF_COMPRESSION_GROUP4}, {0}};
static const struct choice strips[] = {{"all", IMF_STRIP_ALL},
                                       {"exif", IMF_STRIP_EXIF},
                                       {"xmp", IMF_STRIP_XMP},
                                       {"icc", IMF_STRIP_ICC},
                                       {0}};
static const struct choice turns[] = {{"keep", IMF_ORIENT_KEEP}, {"apply", IMF_ORIENT_APPLY}, {0}};
static const struct choice tunes[] = {{"show", ACTION_SHOW_RATES}, {0}};
static const struct choice progresses[] = {
    {"auto", PROGRESS_AUTO}, {"always", PROGRESS_ALWAYS}, {"never", PROGRESS_NEVER}, {0}};
static const struct choice shells[] = {
    {"bash", SHELL_BASH}, {"zsh", SHELL_ZSH}, {"fish", SHELL_FISH}, {0}};

/* ---- setters: of one member ---------------------------------------------------------------- */

_Static_assert(sizeof(enum imf_edge) == sizeof(int), "enumerators are stored as int");

static void store(struct options *o, const struct option_row *row, int value) {
    memcpy((char *)o + row->offset, &value, sizeof value);
}

static bool set_flag(struct options *o, const struct option_row *row, const char *value) {
    (void)value;
    *(bool *)((char *)o + row->offset) = true;
    return true;
}

static bool set_constant(struct options *o, const struct option_row *row, const char *value) {
    (void)value;
    store(o, row, row->low);
    return true;
}

static bool set_choice(struct options *o, const struct option_row *row, const char *value) {
    int chosen;
    if (!choose(row->name, value, row->choices, &chosen))
        return false;
    store(o, row, chosen);
    return true;
}

/* A number of a range, or a word. */
static bool set_number(struct options *o, const struct option_row *row, const char *value) {
    int number;
    uint64_t n;
    if (!row->choices || !find_choice(value, row->choices, &number)) {
        if (!parse_count(value, 0, (uint64_t)row->high, &n) || n < (uint64_t)row->low)
            return bad_number(row->name, value, row->choices, row->low, row->high);
        number = (int)n;
    }
    store(o, row, number);
    return true;
}

static bool set_compression(struct options *o, const struct option_row *row, const char *value) {
    if (!set_number(o, row, value))
        return false;
    if (o->encode.compression == 0) /* the library's default, for which this option has no word */
        o->encode.compression = IMF_COMPRESSION_NONE;
    return true;
}

/* ---- setters: of more ---------------------------------------------------------------------- */

static bool set_filter(struct options *o, const struct option_row *row, const char *value) {
    (void)row;
    return options_append(&o->specs, &o->spec_count, value);
}

static bool set_output(struct options *o, const struct option_row *row, const char *value) {
    (void)row;
    if (o->output)
        return complain("-o is given twice (\"%s\" and \"%s\"); one run has one output", o->output,
                        value);
    if (!*value)
        return complain("-o: the output's name is empty");
    o->output = strcmp(value, "/dev/stdout") == 0 ? "-" : value;
    return true;
}

static bool set_in_place(struct options *o, const struct option_row *row, const char *value) {
    o->in_place = true;
    /* -i=.bak is meant as --in-place=.bak. */
    if (value && *value == '=')
        value++;
    if (value && strchr(value, '/'))
        return bad_value(row->name, value, "a suffix without \"/\"");
    if (value && *value)
        o->backup = value;
    return true;
}

static bool set_suffix(struct options *o, const struct option_row *row, const char *value) {
    if (!*value || strchr(value, '/'))
        return bad_value(row->name, value, "text without \"/\", such as -sharp");
    o->suffix = value;
    return true;
}

static bool set_files_from(struct options *o, const struct option_row *row, const char *value) {
    if (o->files_from)
        return complain("--%s is given twice; join the lists", row->name);
    o->files_from = value;
    return true;
}

static bool set_shard(struct options *o, const struct option_row *row, const char *value) {
    const char *slash = strchr(value, '/');
    char share[24] = "";
    if (slash && (size_t)(slash - value) < sizeof share)
        memcpy(share, value, (size_t)(slash - value));
    return (parse_count(share, 0, UINT64_MAX, &o->shard) &&
            parse_count(slash + 1, 0, UINT64_MAX, &o->shards) && o->shard >= 1 &&
            o->shard <= o->shards) ||
           bad_value(row->name, value, "K/N with K from 1 to N, such as 2/8");
}

static bool set_pages(struct options *o, const struct option_row *row, const char *value) {
    o->paged = true;
    o->pages = value;
    return !value || (*value && pages_valid(value)) ||
           bad_value(row->name, value, "pages and ranges, such as 1,3-5,-1 where -1 is the last");
}

static bool set_full(struct options *o, const struct option_row *row, const char *value) {
    o->full_auto = strcmp(value, "auto") == 0;
    bool number = !o->full_auto && parse_fraction(value, FLT_MAX, &o->settings.full);
    return o->full_auto || (number && o->settings.full >= FLT_MIN) ||
           bad_value(row->name, value, "a number above 0, or auto");
}

static bool set_format(struct options *o, const struct option_row *row, const char *value) {
    o->format = imf_format_from_name(value);
    o->encode.pnm = imf_pnm_from_name(value);
    char of[FORMATS_TEXT];
    return imf_format_is_written(o->format) || bad_value(row->name, value, formats_names(of, NULL));
}

static bool set_edge(struct options *o, const struct option_row *row, const char *value) {
    double *shade = &o->settings.edge_value;
    if (strncmp(value, "constant", 8) != 0 || (value[8] && value[8] != ':'))
        return set_choice(o, row, value);
    o->settings.edge = IMF_EDGE_CONSTANT;
    *shade = 0;
    return !value[8] || parse_fraction(value + 9, 1, shade) ||
           bad_value(row->name, value, "VALUE is a fraction of full scale, 0..1");
}

/* Kept as a spec, in the user's own digits. */
static bool set_strength(struct options *o, const struct option_row *row, const char *value) {
    double amount;
    if (!parse_fraction(value, 100, &amount) || strlen(value) > 40)
        return bad_value(row->name, value, "0 to 1, to 100 to exaggerate, or a percentage");
    snprintf(o->strength, sizeof o->strength, "blend:normal:%s", value);
    return true;
}

static bool set_mask(struct options *o, const struct option_row *row, const char *value) {
    if (!*value)
        return bad_value(row->name, value, "the name of a picture");
    o->mask = value;
    return true;
}

/* Read a number or a percentage at *text, up to `end`; *bits gets `bit` for a percentage. */
static bool read_length(const char **text, char end, double *out, unsigned bit, unsigned *bits) {
    char *rest;
    size_t digits = strspn(*text, "0123456789.");
    if (!digits)
        return false;
    *out = strtod(*text, &rest);
    if (rest != *text + digits)
        return false;
    if (*rest == '%') {
        *bits |= bit;
        rest++;
    } else if (*out != (double)(int)*out) {
        return false;
    }
    *text = rest + 1;
    return *rest == end && *out <= 1e9;
}

static bool set_region(struct options *o, const struct option_row *row, const char *value) {
    struct imf_region r = {.percent = 0};
    const char *at = value;
    size_t count = o->settings.region_count;
    if (!(read_length(&at, 'x', &r.width, IMF_PERCENT_WIDTH, &r.percent) &&
          read_length(&at, '+', &r.height, IMF_PERCENT_HEIGHT, &r.percent) &&
          read_length(&at, '+', &r.x, IMF_PERCENT_X, &r.percent) &&
          read_length(&at, '\0', &r.y, IMF_PERCENT_Y, &r.percent)))
        return bad_value(row->name, value,
                         "WxH+X+Y in pixels or percentages, such as 200x100+50%+0");
    struct imf_region *grown = reallocarray(o->regions, count + 1, sizeof *grown);
    if (!grown)
        return complain("out of memory");
    grown[count] = r;
    o->settings.regions = o->regions = grown;
    o->settings.region_count = count + 1;
    return true;
}

static bool set_feather(struct options *o, const struct option_row *row, const char *value) {
    double *sigma = &o->settings.mask_feather;
    return (parse_fraction(value, 511.75, sigma) && !strchr(value, '%')) ||
           bad_value(row->name, value, "a sigma in pixels, 0 to 511.75");
}

static bool set_device(struct options *o, const struct option_row *row, const char *value) {
    struct imf_context_options *c = &o->context;
    uint64_t index = 0;
    int kind = IMF_DEVICE_INDEX;
    bool digits = !value[strspn(value, "0123456789")];
    if (!find_choice(value, row->choices, &kind)) {
        if (!*value || (digits && !parse_count(value, 0, INT_MAX, &index)))
            return bad_value(row->name, value,
                             "auto, cpu, gpu, all, an index or part of a name of --list-devices");
        kind = digits ? IMF_DEVICE_INDEX : IMF_DEVICE_NAME;
        c->index = (int)index;
        c->name = value;
    }
    o->device = value;
    o->all_devices = kind == ALL_DEVICES;
    c->device = o->all_devices ? IMF_DEVICE_AUTO : (enum imf_device_kind)kind;
    return true;
}

/* Words with commas between them; repeated options add up. */
static bool set_strip(struct options *o, const struct option_row *row, const char *value) {
    for (const char *c = value ? value : "all";; c++) {
        char word[8] = "";
        size_t length = strcspn(c, ",");
        int kind;
        if (length < sizeof word)
            memcpy(word, c, length);
        if (!choose(row->name, *word ? word : value, row->choices, &kind))
            return false;
        o->encode.strip |= (unsigned)kind;
        c += length;
        if (!*c)
            return true;
    }
}

static bool set_parts(struct options *o, const struct option_row *row, const char *value) {
    (void)row, (void)value;
    return o->parts = o->dry_run = true;
}

static bool set_bench(struct options *o, const struct option_row *row, const char *value) {
    return set_number(o, row, value ? value : "10");
}

static bool set_tune(struct options *o, const struct option_row *row, const char *value) {
    int action = ACTION_TUNE;
    if (value && !find_choice(value, row->choices, &action))
        return bad_value(row->name, value, "show, or no value to measure");
    o->action = (enum action)action;
    return true;
}

static bool set_picture(struct options *o, const struct option_row *row, const char *value) {
    if (value && !*value)
        return bad_value(row->name, value, "the name of a picture to write");
    if (value)
        memcpy((char *)o + row->offset, &value, sizeof value);
    return true;
}

static bool set_show_kernel(struct options *o, const struct option_row *row, const char *value) {
    o->show_kernel = true;
    return set_picture(o, row, value);
}

static bool set_completion(struct options *o, const struct option_row *row, const char *value) {
    o->action = ACTION_COMPLETION;
    return set_choice(o, row, value);
}

static bool set_max_pixels(struct options *o, const struct option_row *row, const char *value) {
    return parse_count(value, 1000, UINT64_MAX, &o->limits.max_pixels) ||
           bad_value(row->name, value, "a number with K, M or G for thousands; 0: no limit");
}

static bool set_max_memory(struct options *o, const struct option_row *row, const char *value) {
    uint64_t bytes;
    if (!parse_count(value, 1024, UINT64_MAX, &bytes))
        return bad_value(row->name, value, "bytes, with K, M or G for 1024s; 0: no limit");
    o->memory_given = true;
    options_set_memory(o, bytes);
    return true;
}

/* ---- the table ---------------------------------------------------------------------------- */

#define NONE ARGUMENT_NONE
#define REQUIRED ARGUMENT_REQUIRED
#define OPTIONAL ARGUMENT_OPTIONAL
#define ATTACHED ARGUMENT_ATTACHED
#define HEADING(text)                                                                              \
    { NULL, 0, NONE, NULL, text, NULL, 0, NULL, 0, 0 }
/* The end of a row: how the value is stored, and where. */
#define AT(member) offsetof(struct options, member)
#define FLAG(member) set_flag, AT(member), NULL, 0, 0
#define CONSTANT(member, value) set_constant, AT(member), NULL, value, 0
#define CHOICE(member, words) set_choice, AT(member), words, 0, 0
#define NUMBER(member, words, low, high) set_number, AT(member), words, low, high
#define CALL(function) function, 0, NULL, 0, 0

/* clang-format off */
const struct option_row option_rows[] = {
    HEADING("Files"),
    {"output", 'o', REQUIRED, "FILE|DIR|-", "where the result goes", CALL(set_output)},
    {"recursive", 'r', NONE, NULL, "filter the images below directories", FLAG(recursive)},
    {"in-place", 'i', OPTIONAL, "SUFFIX", "replace inputs; SUFFIX keeps the originals", CALL(set_in_place)},
    {"files-from", 0, REQUIRED, "FILE", "read names of inputs from FILE, -: as they come", CALL(set_files_from)},
    {"null", '0', NONE, NULL, "names in FILE end in NUL, not in a newline", FLAG(null_separated)},
    {"suffix", 0, REQUIRED, "TEXT", "put TEXT before the extension of output names", CALL(set_suffix)},
    {"no-clobber", 0, NONE, NULL, "keep outputs (-iSUFFIX: backups) that exist", FLAG(no_clobber)},
    {"clobber-backup", 0, NONE, NULL, "let -iSUFFIX replace older backups", FLAG(clobber_backup)},
    {"allow-loss", 0, NONE, NULL, "let -i lose what cannot be kept", FLAG(allow_loss)},
    {"file-times", 0, NONE, NULL, "give outputs the times of their inputs", FLAG(file_times)},
    {"skip-existing", 0, NONE, NULL, "skip if the output is newer (-iSUFFIX: exists)", FLAG(skip_existing)},
    {"shard", 0, REQUIRED, "K/N", "filter every Nth input of the sorted list", CALL(set_shard)},
    {"pages", 0, OPTIONAL, "LIST", "take these pages (1,3-5,-1), all without LIST", CALL(set_pages)},
    {"dry-run", 'n', NONE, NULL, "say what would be done", FLAG(dry_run)},
    {"format", 0, REQUIRED, NULL, "the output's format", CALL(set_format)},
    HEADING("Filter"),
    {"filter", 'f', REQUIRED, "SPEC", "apply SPEC; repeat it for a chain", CALL(set_filter)},
    {"edge", 0, REQUIRED, "MODE", "clamp, reflect, mirror, wrap, constant[:VALUE]",
     set_edge, AT(settings.edge), edges, 0, 0},
    {"range", 0, REQUIRED, "MODE", "response: clip, abs, offset or normalize", CHOICE(settings.range, ranges)},
    {"alpha", 0, REQUIRED, "MODE", "alpha: auto, premultiply, filter or keep", CHOICE(settings.alpha, alphas)},
    {"full", 0, REQUIRED, "V", "the sample that is white: a number, or auto", CALL(set_full)},
    {"nan", 0, NONE, NULL, "take infinity for NaN, a missing sample", FLAG(limits.infinity_missing)},
    {"linear", 0, NONE, NULL, "filter in linear light", FLAG(settings.linear)},
    {"channels", 0, REQUIRED, "NAME", "filter rgb, luma, r, g, b, chroma or alpha", CHOICE(settings.channels, channels)},
    {"strength", 0, REQUIRED, "A", "mix in the input: 0 none of the filter .. 1 all", CALL(set_strength)},
    {"mask", 0, REQUIRED, "FILE", "filter where this picture is white", CALL(set_mask)},
    {"mask-feather", 0, REQUIRED, "SIGMA", "blur masks and regions by SIGMA pixels", CALL(set_feather)},
    {"mask-invert", 0, NONE, NULL, "filter where masks are black", FLAG(settings.mask_invert)},
    {"region", 0, REQUIRED, "WxH+X+Y", "filter these pixels only; repeat it for more", CALL(set_region)},
    HEADING("Compute"),
    {"backend", 0, REQUIRED, "NAME", "auto, direct, separable, fft, gles, vector, cpu",
     CHOICE(settings.backend, backends)},
    {"jobs", 'j', REQUIRED, "N", "filter N images at once (default: one a core)", NUMBER(jobs, NULL, 1, JOBS_MAX)},
    {"device", 0, REQUIRED, "DEVICE", "auto, cpu, gpu, all, an index or part of a name",
     set_device, 0, devices, 0, 0},
    {"list-devices", 0, NONE, NULL, "list the devices, and OpenGL ES's", CONSTANT(action, ACTION_LIST_DEVICES)},
    {"tune", 0, OPTIONAL, "show", "measure the device for better plans, or show it", set_tune, 0, tunes, 0, 0},
    {"explain", 0, NONE, NULL, "show each backend's cost and the choice", FLAG(report.explain)},
    {"verify", 0, NONE, NULL, "compare the result with the reference", FLAG(verify)},
    HEADING("Encode"),
    {"quality", 0, REQUIRED, "N", "JPEG, WebP and AVIF quality: keep or 1..100", NUMBER(encode.quality, qualities, 1, 100)},
    {"subsampling", 0, REQUIRED, "N", "JPEG and AVIF chroma: keep, 444, 422 or 420", CHOICE(encode.subsampling, chroma)},
    {"depth", 0, REQUIRED, "N", "bits a sample: keep, 1, 8, 16 or float", CHOICE(settings.depth, depths)},
    {"compression", 0, REQUIRED, "N", "0 stored, 1 .. 9 small (6); TIFF: lzw, group4",
     set_compression, AT(encode.compression), compressions, 0, 9},
    {"optimize", 0, NONE, NULL, "JPEG: Huffman tables for this image", FLAG(encode.optimize)},
    {"keep-blocks", 0, NONE, NULL, "JPEG: copy blocks that do not change", FLAG(keep_blocks)},
    {"strip", 0, OPTIONAL, "KIND", "drop metadata: all, exif, xmp or icc", set_strip, 0, strips, 0, 0},
    {"orient", 0, REQUIRED, "MODE", "EXIF orientation: keep the tag, or apply it", CHOICE(encode.orient, turns)},
    HEADING("Report"),
    {"verbose", 'v', NONE, NULL, "say what is done", CONSTANT(report.verbosity, 1)},
    {"quiet", 'q', NONE, NULL, "no warnings", CONSTANT(report.verbosity, -1)},
    {"progress", 0, REQUIRED, "WHEN", "show how far a batch is: auto, always or never", CHOICE(progress, progresses)},
    {"json", 0, NONE, NULL, "print one JSON object a line for each image", FLAG(report.json)},
    {"parts", 0, NONE, NULL, "list the parts of each file, and what -o keeps", CALL(set_parts)},
    {"list-parts", 0, NONE, NULL, "list what formats keep of each other's parts", CONSTANT(action, ACTION_LIST_PARTS)},
    {"timing", 0, NONE, NULL, "print how long each step took", FLAG(report.timing)},
    {"bench", 0, OPTIONAL, "N", "filter N times (10) and print the times",
     set_bench, AT(report.bench), NULL, 1, 1000000},
    {"show-kernel", 0, OPTIONAL, "FILE", "print the coefficients; draw them, or save .pfm",
     set_show_kernel, AT(kernel_file), NULL, 0, 0},
    {"spectrum", 0, ATTACHED, "FILE.png", "draw the spectrum, or in FILE.csv as numbers",
     set_picture, AT(report.spectrum), NULL, 0, 0},
    {"list-filters", 0, NONE, NULL, "list the built-in filters", CONSTANT(action, ACTION_LIST_FILTERS)},
    {"completion", 0, REQUIRED, "SHELL", "print completions for bash, zsh or fish",
     set_completion, AT(shell), shells, 0, 0},
    {"help", 'h', NONE, NULL, "print this help; --help FILTER: of one filter", CONSTANT(action, ACTION_HELP)},
    {"version", 'V', NONE, NULL, "print the version", CONSTANT(action, ACTION_VERSION)},
    HEADING("Limits"),
    {"lenient", 0, NONE, NULL, "accept the readable part of a damaged image", FLAG(limits.lenient)},
    {"max-pixels", 0, REQUIRED, "N[K|M|G]", "refuse images with more pixels (268 million)", CALL(set_max_pixels)},
    {"max-memory", 0, REQUIRED, "BYTES[K|M|G]", "use no more memory (default: what there is)", CALL(set_max_memory)},
    {"max-scans", 0, REQUIRED, "N", "refuse JPEG images with more scans (100)",
     NUMBER(limits.max_scans, NULL, 0, INT_MAX)},
    {"sandbox", 0, NONE, NULL, "fail if the run cannot be confined to its files", CONSTANT(sandbox, SANDBOX_ON)},
    {"no-sandbox", 0, NONE, NULL, "leave the run unconfined", CONSTANT(sandbox, SANDBOX_OFF)},
};
/* clang-format on */
const size_t option_row_count = COUNT(option_rows);

const char *option_value(const struct option_row *row, char text[FORMATS_TEXT]) {
    return row->metavar ? row->metavar : formats_names(text, "|");
}
