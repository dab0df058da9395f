/*
 * parts.c - the parts of an image's file, as a table and for programs
 */
#include "report/parts.h"

#include <inttypes.h>
#include <string.h>

#include "report/escape.h"

#define PART_COLUMN 40

static const char *const becomes[] = {[IMF_PIXELS] = "pixels",
                                      [IMF_STRUCTURE] = "structure",
                                      [IMF_KEPT] = "kept",
                                      [IMF_REBUILT] = "rebuilt",
                                      [IMF_LOST] = "lost"};

void parts_print(FILE *out, const char *input, int page, const struct imf_parts *parts) {
    escape_print(out, input);
    if (page > 1)
        fprintf(out, ", page %d\n", page);
    else
        fprintf(out, ": %" PRIu64 " bytes\n", parts->size);
    fprintf(out, "  %12s %12s  %-9s  %s\n", "offset", "bytes", "becomes", "part");
    for (size_t i = 0; i < parts->count + parts->besides; i++) {
        const struct imf_part *p = &parts->list[i];
        if (i < parts->count)
            fprintf(out, "  %12" PRIu64, p->offset);
        else
            fprintf(out, "  %12s", "within");
        fprintf(out, " %12" PRIu64 "  %-9s  ", p->bytes, becomes[p->becomes]);
        escape_print(out, p->name);
        if (p->becomes == IMF_LOST && p->why)
            fprintf(out, " (%s)", p->why);
        putc('\n', out);
    }
}

static void json_part(struct json *j, const struct imf_part *p, bool whole) {
    json_open_element(j);
    if (whole)
        json_integer(j, "offset", p->offset);
    if (whole)
        json_integer(j, "bytes", p->bytes);
    json_string(j, "name", p->name);
    if (!whole)
        json_integer(j, "bytes", p->bytes);
    if (whole)
        json_string(j, "becomes", becomes[p->becomes]);
    if (p->becomes == IMF_LOST && p->why)
        json_string(j, "why", p->why);
    json_close_element(j);
}

void parts_json(struct json *j, const struct imf_parts *parts) {
    json_open_list(j, "parts");
    for (size_t i = 0; i < parts->count; i++)
        json_part(j, &parts->list[i], true);
    json_close_list(j);
}

void parts_json_lost(struct json *j, const struct imf_parts *parts) {
    json_open_list(j, "lost");
    for (size_t i = 0; i < parts->count + parts->besides; i++)
        if (parts->list[i].becomes == IMF_LOST)
            json_part(j, &parts->list[i], false);
    json_close_list(j);
}

/* ---- by format ------------------------------------------------------------------------------- */

/* Those that this build has. */
#define FORMATS(f)                                                                                 \
    for (enum imf_format f = IMF_FORMAT_NONE; f <= IMF_FORMAT_LAST; f = (enum imf_format)(f + 1))  \
        if (imf_format_doc(f))

#define WRITTEN(f) FORMATS(f) if (imf_format_is_written(f))

#define FORMAT_COLUMN 8

/* A cell, after what the one before it has left of its column; returns what this one leaves. */
static int put_cell(FILE *out, int left, const char *text) {
    fprintf(out, "%*s%s", left, "", text);
    return FORMAT_COLUMN - (int)strlen(text);
}

/* Of the first format that loses the part, why, unless it is that this format cannot hold it. */
static const char *put_row(FILE *out, struct json *j, const struct imf_part fates[]) {
    const char *why = NULL;
    int left = 0;
    if (!j)
        fprintf(out, "  %-*s", PART_COLUMN - 2, fates[IMF_FORMAT_NONE + 1].name);
    WRITTEN(to) {
        const struct imf_part *p = &fates[to];
        bool lost = p->becomes == IMF_LOST;
        if (j)
            json_string(j, imf_format_name(to), becomes[p->becomes]);
        else
            left = put_cell(out, left, lost && p->allowed ? "(lost)" : becomes[p->becomes]);
        if (lost && p->why && strcmp(p->why, IMF_NOT_HELD) != 0)
            why = p->why;
    }
    return why;
}

static void put_kind(FILE *out, bool json, enum imf_format from, const struct imf_part fates[]) {
    if (json) {
        struct json j = json_begin(out);
        json_string(&j, "format", imf_format_name(from));
        json_string(&j, "name", fates[IMF_FORMAT_NONE + 1].name);
        json_open_object(&j, "becomes");
        const char *why = put_row(out, &j, fates);
        json_close_element(&j);
        if (why)
            json_string(&j, "why", why);
        json_end(&j);
        return;
    }
    const char *why = put_row(out, NULL, fates);
    if (why)
        fprintf(out, "\n      %s", why);
    putc('\n', out);
}

bool parts_list(FILE *out, bool json) {
    FORMATS(from) {
        struct imf_part fates[IMF_FORMAT_LAST + 1] = {{.offset = 0}};
        char last[sizeof fates->name] = "";
        if (!json) {
            fprintf(out, "%s%-*s", from > IMF_FORMAT_NONE + 1 ? "\n" : "", PART_COLUMN,
                    imf_format_doc(from)->title);
            int left = 0;
            WRITTEN(to)
            left = put_cell(out, left, imf_format_doc(to)->title);
            putc('\n', out);
        }
        for (size_t i = 0;; i++) {
            enum imf_status status = IMF_OK;
            WRITTEN(to)
            status = status ? status : imf_part_fate(&fates[to], from, i, to);
            if (status == IMF_ERR_MEMORY)
                return false;
            if (status)
                break;
            const char *name = fates[IMF_FORMAT_NONE + 1].name;
            if (*name && strcmp(name, last) != 0)
                put_kind(out, json, from, fates);
            memcpy(last, name, sizeof last);
        }
    }
    return true;
}
