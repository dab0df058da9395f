/*
 * fish.c - the script for fish
 *
 * A line of `complete` for each option; filters have a function, which prints whole words.
 */
#include "completion/words.h"

#include <string.h>

static const char opening[] =
    "# fish completion for imfilter, printed by `imfilter --completion=fish`\n"
    "\n"
    "function __imfilter_specs\n"
    "    set -l spec (string replace -r '^(--[a-z-]+=|-[a-z])' '' -- (commandline -ct))\n"
    "    if not string match -q '*:*' -- $spec\n"
    "        printf '%s\\t%s\\n'";

static const char middle[] =
    "\n"
    "        set -l program (commandline -opc)[1]\n"
    "        command -q $program; and $program --list-filters --json 2>/dev/null |\n"
    "            string replace -rf '^\\{\"usage\":\"([^\":[]*).*\"own\":true.*' '$1'\n"
    "        return\n"
    "    end\n"
    "    set -l list\n"
    "    switch (string replace -r ':.*' '' -- $spec)\n";

static const char closing[] =
    "    end\n"
    "    set -l head (string replace -r '[^:]*$' '' -- $spec)\n"
    "    set -l last (string replace -r '.*:' '' -- $spec)\n"
    "    for word in $list\n"
    "        set -l key (string replace -r '=.*' '=' -- $word)\n"
    "        if string match -q '*@' -- $word; and string match -q \"$word*\" -- $last\n"
    "            for path in (__fish_complete_path (string replace -r '.*@' '' -- $last))\n"
    "                echo $head$word$path\n"
    "            end\n"
    "        else if not string match -q '*=' -- $key; or not string match -q \"*:$key*\" -- "
    "$head\n"
    "            echo $head$word\n"
    "        end\n"
    "    end\n"
    "end\n"
    "\n";

/* Within single quotes. */
static void print_escaped(FILE *out, const char *text) {
    for (; *text; text++)
        fprintf(out, strchr("'\\", *text) ? "\\%c" : "%c", *text);
}

static void print_filter(FILE *out, const char *word, const char *summary) {
    fprintf(out, " \\\n            %s '", word);
    print_escaped(out, summary);
    putc('\'', out);
}

static void print_option(FILE *out, const struct option_row *row) {
    enum completion kind = completion_kind(row);
    char text[COMPLETION_WORDS];
    fputs("complete -c imfilter", out);
    if (row->letter)
        fprintf(out, " -s %c", row->letter);
    fprintf(out, " -l %s", row->name);
    if (row->argument == ARGUMENT_REQUIRED)
        fputs(kind == COMPLETION_FILE ? " -r -F" : " -x", out);
    if (kind == COMPLETION_SPEC)
        fputs(" -a '(__imfilter_specs)'", out);
    else if (kind == COMPLETION_WORD)
        fprintf(out, " -a '%s'", completion_values(row, text));
    fputs(" -d '", out);
    print_escaped(out, row->help);
    fputs("'\n", out);
}

void completion_fish(FILE *out) {
    fputs(opening, out);
    completion_each_filter(out, print_filter);
    fputs(middle, out);
    completion_print_keys(out, "        case ", "\n            set list ", "");
    fputs(closing, out);
    completion_each_option(out, print_option);
}
