/* chain_util.h - chains and surfaces for unit tests */
#ifndef CHAIN_UTIL_H
#define CHAIN_UTIL_H

#include "check.h"
#include "plan/lowering/chain.h"

#include <stdlib.h>
#include <string.h>

struct chain_case {
    struct imf_filter *filter, *stored; /* turned as the picture is stored, or NULL */
    struct imf_chain *chain;
};

/* Gray or RGB, with alpha where channels are 2 or 4 */
static inline struct imf_info chain_info(int width, int height, int channels, int depth) {
    return (struct imf_info){.width = width,
                             .height = height,
                             .channels = channels,
                             .depth = depth,
                             .color = channels < 3 ? IMF_COLOR_GRAY : IMF_COLOR_RGB};
}

/* Stages joined by +, four at most, of the picture as info has it stored. */
static struct chain_case chain_make(const char *stages, const struct imf_info *info,
                                    const struct imf_settings *settings) {
    struct chain_case c = {NULL, NULL, NULL};
    struct imf_error err = {.text = ""};
    char text[256], *next = text;
    const char *specs[4];
    size_t count = 0;
    snprintf(text, sizeof text, "%s", stages);
    while (next && count < 4)
        specs[count++] = strsep(&next, "+");
    CHECK(!next && !imf_filter_parse(&c.filter, specs, count, &err), "%s", err.text);
    CHECK(!imf_filter_orient(&c.stored, c.filter, info->orientation, &err), "%s", err.text);
    CHECK(!imf_chain_build(&c.chain, c.stored ? c.stored : c.filter, info, settings, &err), "%s",
          err.text);
    if (!c.chain)
        abort();
    return c;
}

static void chain_drop(struct chain_case *c) {
    imf_chain_free(&c->chain);
    imf_filter_free(&c->stored);
    imf_filter_free(&c->filter);
}

#endif
