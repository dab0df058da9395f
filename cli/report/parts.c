/*
 * parts.c - the parts of an image's file, as a table and for programs
 */
#include "report/parts.h"

#include <inttypes.h>

#include "report/escape.h"

static const char *const becomes[] = {[IMF_PIXELS] = "pixels",
                                      [IMF_STRUCTURE] = "structure",
                                      [IMF_KEPT] = "kept",
                                      [IMF_REBUILT] = "rebuilt",
                                      [IMF_LOST] = "lost"};

void parts_print(FILE *out, const char *input, const struct imf_parts *parts) {
    escape_print(out, input);
    fprintf(out, ": %" PRIu64 " bytes\n  %12s %12s  %-9s  %s\n", parts->size, "offset", "bytes",
            "becomes", "part");
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
