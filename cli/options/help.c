/*
 * help.c - what --help, --version and the --list options print
 */
#include "options/help.h"

#include "imfilter_program.h"

#include <stdlib.h>
#include <string.h>

#include "options/table.h"
#include "report/escape.h"
#include "report/json.h"
#include "report/message.h"

#define HELP_COLUMN 33
/* --list-filters: where summaries stand, beside the usage or below it. */
#define FILTER_COLUMN 29
#define FILTER_INDENT 4

void help_short_usage(FILE *out) {
    fputs(
        "usage: imfilter [OPTION]... -f SPEC [-f SPEC]... [--] INPUT... -o OUTPUT\n"
        "       imfilter --help | --list-filters | --list-devices | --version\n",
        out);
}

static void print_row(FILE *out, const struct option_row *row) {
    char left[64], formats[FORMATS_TEXT];
    int used = row->letter ? snprintf(left, sizeof left, "  -%c, ", row->letter)
                           : snprintf(left, sizeof left, "      ");
    if (row->argument == ARGUMENT_NONE)
        snprintf(left + used, sizeof left - (size_t)used, "--%s", row->name);
    else
        snprintf(left + used, sizeof left - (size_t)used,
                 row->argument == ARGUMENT_OPTIONAL ? "--%s[=%s]" : "--%s=%s", row->name,
                 option_value(row, formats));
    if (strlen(left) + 2 > HELP_COLUMN)
        fprintf(out, "%s\n%*s%s\n", left, HELP_COLUMN, "", row->help);
    else
        fprintf(out, "%-*s%s\n", HELP_COLUMN, left, row->help);
}

void help_print(FILE *out) {
    fputs(
        "usage: imfilter [OPTION]... -f SPEC [-f SPEC]... [--] INPUT... -o OUTPUT\n"
        "\n"
        "Filter images. INPUT is a file, a directory (with -r) or - for standard input,\n"
        "which is also read when no INPUT is given and it is not a terminal. OUTPUT is\n"
        "a file, a directory (it exists or its name ends in /) or - for standard output.\n"
        "\n"
        "  imfilter -f sharpen photo.jpg -o sharp.jpg\n"
        "  imfilter -f blur:2 -f sobel scan.png -o edges.png\n"
        "  imfilter -r -f unsharp:sigma=1.5:amount=0.8 photos/ -o out/\n",
        out);
    for (size_t i = 0; i < option_row_count; i++) {
        if (option_rows[i].name)
            print_row(out, &option_rows[i]);
        else
            fprintf(out, "\n%s\n", option_rows[i].help);
    }
    fputs(
        "\nExit status: 0 all done, 1 some input failed, 2 usage or spec error, 3 no such\n"
        "device. The manual is imfilter(1); --list-filters lists what SPEC can be.\n",
        out);
}

void help_version(FILE *out) {
    char formats[FORMATS_TEXT];
    fprintf(out, "imfilter %s\nformats: %s\nbuilt with: %s\n", imf_version(), formats_read(formats),
            imf_built(true));
    if (*imf_built(false))
        fprintf(out, "built without: %s\n", imf_built(false));
}

/* The summary is beside the usage if both fit into 80 columns, else on the next line. */
static void print_doc(FILE *out, bool json, const struct imf_filter_doc *doc, const char *own) {
    if (json) {
        struct json j = json_begin(out);
        json_string(&j, "usage", doc->usage);
        json_string(&j, "summary", doc->summary);
        if (own)
            json_bool(&j, "own", true);
        json_end(&j);
        return;
    }
    bool fits = strlen(doc->usage) < FILTER_COLUMN && strlen(doc->summary) < 80 - FILTER_COLUMN;
    escape_print(out, doc->usage);
    if (fits)
        fprintf(out, "%*s", (int)(FILTER_COLUMN - strlen(doc->usage)), "");
    else
        fprintf(out, "\n%*s", FILTER_INDENT, "");
    escape_print(out, doc->summary);
    putc('\n', out);
}

bool help_list_filters(FILE *out, bool json) {
    const struct imf_filter_doc *doc;
    struct imf_filter_doc *own;
    size_t count;
    for (size_t i = 0; (doc = imf_filter_doc(i)) != NULL; i++)
        print_doc(out, json, doc, NULL);
    if (imf_filter_docs_own(&own, &count, NULL) != IMF_OK)
        return false;
    if (count && !json)
        fputs("\nYour own (imfilter(5)):\n", out);
    for (size_t i = 0; i < count; i++)
        print_doc(out, json, &own[i], "own");
    imf_filter_docs_free(&own, count);
    return true;
}

bool help_filter(FILE *out, const char *name) {
    char *text = imf_filter_help(name);
    if (text) {
        fputs(text, out);
        free(text);
        return true;
    }
    /* One of the user's own, or why there is none. */
    struct imf_filter_doc *own,
        doc = {.usage = name, .summary = "A filter of your own, see imfilter(5)"};
    struct imf_filter *filter;
    struct imf_error error;
    size_t count;
    if (imf_filter_parse(&filter, &name, 1, &error) != IMF_OK ||
        imf_filter_docs_own(&own, &count, &error) != IMF_OK) {
        imf_filter_free(&filter);
        return complain("%s; --help alone lists the options", error.text);
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(own[i].usage, name) == 0)
            doc.summary = own[i].summary;
    print_doc(out, false, &doc, NULL);
    imf_filter_docs_free(&own, count);
    imf_filter_free(&filter);
    return true;
}
