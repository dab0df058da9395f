/*
 * bash.c - the script for bash
 *
 * readline ends words at '=', ':' and '@' where COMP_WORDBREAKS says so. The script puts them
 * together again and takes off what readline keeps, so that it needs no other package.
 */
#include "completion/words.h"

static const char opening[] =
    "# bash completion for imfilter, printed by `imfilter --completion=bash`\n"
    "\n"
    "# What an option's value is: $kind, and $words that it may be; $attached: only behind '='.\n"
    "_imfilter_value() {\n"
    "    kind='' words='' attached=''\n"
    "    case $1 in\n";

static const char middle[] =
    "    esac\n"
    "}\n"
    "\n"
    "# $words that may follow the name of a filter.\n"
    "_imfilter_keys() {\n"
    "    words=''\n"
    "    case $1 in\n";

static const char closing[] =
    "    esac\n"
    "}\n"
    "\n"
    "# The option that a word is, or of its letters the first that takes a value: $kind and so "
    "on;\n"
    "# $value_here: the value is in the same word, behind $lead.\n"
    "_imfilter_split() {\n"
    "    local letters=${1#-}\n"
    "    kind='' lead='' value_here='' attached=''\n"
    "    case $1 in\n"
    "    --*=*) lead=${1%%=*}= value_here=yes && _imfilter_value \"${1%%=*}\" ;;\n"
    "    --*) _imfilter_value \"$1\" ;;\n"
    "    -?*)\n"
    "        lead=-\n"
    "        while [[ -z $kind && -n $letters ]]; do\n"
    "            lead+=${letters:0:1}\n"
    "            _imfilter_value \"-${letters:0:1}\"\n"
    "            letters=${letters:1}\n"
    "        done\n"
    "        [[ -z $kind || -z $letters ]] || value_here=yes\n"
    "        ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_imfilter() {\n"
    "    local IFS=$' \\t\\n' rest=${COMP_LINE:0:COMP_POINT} list=() i piece\n"
    "    local token value lead kind words attached value_here word\n"
    "    COMPREPLY=()\n"
    "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "        word=${rest#\"${rest%%[![:blank:]]*}\"}\n"
    "        piece=${COMP_WORDS[i]}\n"
    "        ((i < COMP_CWORD)) || piece=$word\n"
    "        if ((i == 0)) || [[ $word != \"$rest\" ]]; then\n"
    "            list+=(\"$piece\")\n"
    "        else\n"
    "            list[${#list[@]} - 1]+=$piece\n"
    "        fi\n"
    "        rest=${word#\"$piece\"}\n"
    "    done\n"
    "    token=${list[${#list[@]} - 1]}\n"
    "    unset \"list[${#list[@]} - 1]\"\n"
    "\n"
    "    # The value of an option, behind $lead in the same word or alone.\n"
    "    _imfilter_split \"${list[${#list[@]} - 1]}\"\n"
    "    value=$token\n"
    "    if [[ \" ${list[*]} \" == *' -- '* ]]; then\n"
    "        kind='file' lead=''\n"
    "    elif [[ -z $kind || -n $value_here || -n $attached ]]; then\n"
    "        _imfilter_split \"$token\"\n"
    "        if [[ -n $value_here ]]; then\n"
    "            value=${token#\"$lead\"}\n"
    "        elif [[ $token == -* ]]; then\n"
    "            kind='word' words=$_imfilter_options lead=''\n"
    "        else\n"
    "            kind='file'\n"
    "        fi\n"
    "    else\n"
    "        lead=''\n"
    "    fi\n"
    "\n"
    "    if [[ $kind == spec && $value == *:* ]]; then\n"
    "        kind=word\n"
    "        _imfilter_keys \"${value%%:*}\"\n"
    "        lead+=${value%:*}:\n"
    "        value=${value##*:}\n"
    "        for word in $words; do\n"
    "            [[ $word != *@ || $value != \"$word\"* ]] || kind='file' "
    "value=${value#\"$word\"}\n"
    "        done\n"
    "    elif [[ $kind == spec ]]; then\n"
    "        kind='word' words=\"$_imfilter_filters $(\"$1\" --list-filters --json 2>/dev/null |\n"
    "            sed -n 's/^{\"usage\":\"\\([^\":[]*\\).*\"own\":true.*/\\1/p')\"\n"
    "    fi\n"
    "\n"
    "    case $kind in\n"
    "    file)\n"
    "        # readline's own way with names, unless it takes more for the word than the name.\n"
    "        if [[ $value == *\"$2\" ]]; then\n"
    "            compopt -o default 2>/dev/null\n"
    "        else\n"
    "            while IFS= read -r word; do\n"
    "                [[ ! -d $word ]] || word+=/\n"
    "                COMPREPLY+=(\"${2%\"$value\"}$(printf %q \"$word\")\")\n"
    "            done < <(compgen -f -- \"$value\")\n"
    "        fi\n"
    "        ;;\n"
    "    word)\n"
    "        for word in $words; do\n"
    "            [[ $word != *=* || $lead != *:${word%%=*}=* ]] || continue\n"
    "            [[ $word != \"$value\"* ]] || COMPREPLY+=(\"$lead$word\")\n"
    "        done\n"
    "        lead=${token%\"$2\"}\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"$lead\"}\")\n"
    "        ;;\n"
    "    esac\n"
    "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=@/] ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "complete -F _imfilter imfilter\n";

static void print_pattern(FILE *out, const struct option_row *row) {
    fputs("    ", out);
    if (row->letter)
        fprintf(out, "-%c | ", row->letter);
    fprintf(out, "--%s) ", row->name);
}

static void print_value(FILE *out, const struct option_row *row) {
    static const char *const kinds[] = {[COMPLETION_NONE] = "none",
                                        [COMPLETION_FILE] = "file",
                                        [COMPLETION_SPEC] = "spec",
                                        [COMPLETION_WORD] = "word"};
    char text[COMPLETION_WORDS];
    if (row->argument == ARGUMENT_NONE)
        return;
    enum completion kind = completion_kind(row);
    print_pattern(out, row);
    fprintf(out, "kind='%s'", kinds[kind]);
    if (kind == COMPLETION_WORD)
        fprintf(out, " words='%s'", completion_values(row, text));
    fprintf(out, "%s ;;\n", row->argument == ARGUMENT_REQUIRED ? "" : " attached=yes");
}

static void print_option(FILE *out, const struct option_row *row) {
    if (row->argument == ARGUMENT_NONE || row->argument == ARGUMENT_OPTIONAL)
        fprintf(out, " --%s", row->name);
    if (row->argument != ARGUMENT_NONE)
        fprintf(out, " --%s=", row->name);
}

static void print_filter(FILE *out, const char *word, const char *summary) {
    (void)summary;
    fprintf(out, " %s", word);
}

void completion_bash(FILE *out) {
    fputs(opening, out);
    completion_each_option(out, print_value);
    fputs(middle, out);
    completion_print_keys(out, "    ", ") words='", "' ;;");
    fputs(closing, out);
    fputs("_imfilter_options='", out);
    completion_each_option(out, print_option);
    fputs("'\n_imfilter_filters='", out);
    completion_each_filter(out, print_filter);
    fputs("'\n", out);
}
