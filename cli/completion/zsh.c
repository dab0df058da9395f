/*
 * zsh.c - the script for zsh
 *
 * _arguments knows the options from their specifications; filters have a function of their own.
 */
#include "completion/words.h"

#include <string.h>

static const char opening[] =
    "#compdef imfilter\n"
    "# zsh completion for imfilter, printed by `imfilter --completion=zsh`\n"
    "\n"
    "_imfilter_spec() {\n"
    "    local -a open closed list\n"
    "    local word name=${PREFIX%%:*}\n"
    "    if [[ $PREFIX != *:* ]]; then\n";

static const char middle[] =
    "        closed+=(${(f)\"$(_call_program filters $service --list-filters --json 2>/dev/null |\n"
    "            sed -n 's/^{\"usage\":\"\\([^\":[]*\\).*\"own\":true.*/\\1/p')\"})\n"
    "        _describe filter open -S '' -- closed\n"
    "        return\n"
    "    fi\n"
    "    case $name in\n";

static const char closing[] =
    "    esac\n"
    "    for word in $list; do\n"
    "        if [[ $word == *@ && ${PREFIX##*:} == $word* ]]; then\n"
    "            compset -P '*@'\n"
    "            _files\n"
    "            return\n"
    "        fi\n"
    "        [[ $word == *=* && ${PREFIX%:*}: == *:${word%%=*}=* ]] && list=(${list:#$word})\n"
    "    done\n"
    "    compset -P '*:'\n"
    "    compadd -S '' -- ${(M)list:#*[=@]}\n"
    "    compadd -- ${list:#*[=@]}\n"
    "}\n"
    "\n"
    "_imfilter() {\n"
    "    _arguments -s -S : \\\n";

static const char ending[] =
    "        '*:input:_files'\n"
    "}\n"
    "\n"
    "# Loaded by its name it is called at once; read by `source` it only makes itself known.\n"
    "if [[ $funcstack[1] == _imfilter ]]; then\n"
    "    _imfilter \"$@\"\n"
    "else\n"
    "    compdef _imfilter imfilter\n"
    "fi\n";

/* Within single quotes, what is special there behind a backslash. */
static void print_escaped(FILE *out, const char *text, const char *special) {
    for (; *text; text++) {
        if (strchr(special, *text))
            putc('\\', out);
        fputs(*text == '\'' ? "'\\'" : "", out);
        putc(*text, out);
    }
}

/* A filter that goes on behind a colon, or one that may end with its name. */
static void print_filter(FILE *out, const char *word, const char *summary) {
    bool open = word[strlen(word) - 1] == ':';
    fprintf(out, "        %s+=('", open ? "open" : "closed");
    print_escaped(out, word, ":\\");
    putc(':', out);
    print_escaped(out, summary, "\\");
    fputs("')\n", out);
}

static void print_option(FILE *out, const struct option_row *row) {
    static const char *const behind_letter[] = {"", "+", "-", "-"};
    static const char *const behind_name[] = {"", "=", "=-", "=-"};
    char text[COMPLETION_WORDS], formats[FORMATS_TEXT];
    enum completion kind = completion_kind(row);
    fputs("        ", out);
    if (kind == COMPLETION_SPEC)
        fputs("'*'", out);
    else if (row->letter)
        fprintf(out, "'(-%c --%s)'", row->letter, row->name);
    if (row->letter)
        fprintf(out, "{-%c%s,--%s%s}'", row->letter, behind_letter[row->argument], row->name,
                behind_name[row->argument]);
    else
        fprintf(out, "'--%s%s", row->name, behind_name[row->argument]);
    putc('[', out);
    print_escaped(out, row->help, "[]\\");
    putc(']', out);
    if (row->argument != ARGUMENT_NONE) {
        fputs(row->argument == ARGUMENT_OPTIONAL ? "::" : ":", out);
        print_escaped(out, option_value(row, formats), ":\\");
        putc(':', out);
        if (kind == COMPLETION_WORD) {
            putc('(', out);
            print_escaped(out, completion_values(row, text), "\\:");
            putc(')', out);
        } else {
            fputs(kind == COMPLETION_FILE   ? "_files"
                  : kind == COMPLETION_SPEC ? "_imfilter_spec"
                                            : " ",
                  out);
        }
    }
    fputs("' \\\n", out);
}

void completion_zsh(FILE *out) {
    fputs(opening, out);
    completion_each_filter(out, print_filter);
    fputs(middle, out);
    completion_print_keys(out, "        ", ") list=(", ") ;;");
    fputs(closing, out);
    completion_each_option(out, print_option);
    fputs(ending, out);
}
