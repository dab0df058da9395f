/*
 * scripts.c - the completion scripts for shells
 *
 * Each asks the program for the candidates, and lets the shell complete the names of files.
 */
#include "completion/shells.h"

/* readline ends words at '=', ':' and '@' where COMP_WORDBREAKS says so. The script joins them again, and
 * removes the part that readline keeps, so that it needs no other package. */
static const char bash[] =
    "# bash completion for imfilter, printed by `imfilter --completion=bash`\n"
    "\n"
    "_imfilter() {\n"
    "    local IFS=$' \\t\\n' rest=${COMP_LINE:0:COMP_POINT} list=() reply=() i piece word token "
    "value\n"
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
    "    mapfile -t reply < <(\"$1\" --complete \"${list[@]:1}\" 2>/dev/null)\n"
    "    if [[ ${reply[0]} == file:* ]]; then\n"
    "        value=${token#\"${reply[0]#file:}\"}\n"
    "        # readline completes names itself, unless its word is more than the name.\n"
    "        if [[ $value == *\"$2\" ]]; then\n"
    "            compopt -o default 2>/dev/null\n"
    "        else\n"
    "            while IFS= read -r word; do\n"
    "                [[ ! -d $word ]] || word+=/\n"
    "                COMPREPLY+=(\"${2%\"$value\"}$(printf %q \"$word\")\")\n"
    "            done < <(compgen -f -- \"$value\")\n"
    "        fi\n"
    "    else\n"
    "        COMPREPLY=(\"${reply[@]:1}\")\n"
    "        COMPREPLY=(\"${COMPREPLY[@]%%$'\\t'*}\")\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"${token%\"$2\"}\"}\")\n"
    "    fi\n"
    "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=@/] ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "complete -F _imfilter imfilter\n";

static const char zsh[] =
    "#compdef imfilter\n"
    "# zsh completion for imfilter, printed by `imfilter --completion=zsh`\n"
    "\n"
    "_imfilter() {\n"
    "    local -a reply open closed\n"
    "    local line word text\n"
    "    reply=(${(f)\"$(_call_program candidates $words[1] --complete \\\n"
    "        ${(q)words[2,CURRENT-1]} \"${(qq)PREFIX}\" 2>/dev/null)\"})\n"
    "    if [[ $reply[1] == file:* ]]; then\n"
    "        word=${reply[1]#file:}\n"
    "        compset -p $#word\n"
    "        _files\n"
    "        return\n"
    "    fi\n"
    "    for line in ${reply[2,-1]}; do\n"
    "        word=${line%%$'\\t'*} text=${line#*$'\\t'}\n"
    "        line=${word//:/\\\\:}${text:+:$text}\n"
    "        [[ $word == *[:=@] ]] && open+=($line) || closed+=($line)\n"
    "    done\n"
    "    _describe candidate open -S '' -- closed\n"
    "}\n"
    "\n"
    "# zsh calls a function of this name when it loads the file; `source` only defines it.\n"
    "if [[ $funcstack[1] == _imfilter ]]; then\n"
    "    _imfilter \"$@\"\n"
    "else\n"
    "    compdef _imfilter imfilter\n"
    "fi\n";

static const char fish[] =
    "# fish completion for imfilter, printed by `imfilter --completion=fish`\n"
    "\n"
    "function __imfilter_candidates\n"
    "    set -l words (commandline -opc)\n"
    "    set -l token (commandline -ct)\n"
    "    set -l reply ($words[1] --complete $words[2..] \"$token\" 2>/dev/null)\n"
    "    if string match -q 'file:*' -- $reply[1]\n"
    "        set -l lead (string replace 'file:' '' -- $reply[1])\n"
    "        set -l start (math (string length -- \"$lead\") + 1)\n"
    "        for path in (__fish_complete_path (string sub -s $start -- \"$token\"))\n"
    "            echo $lead$path\n"
    "        end\n"
    "    else\n"
    "        printf '%s\\n' $reply[2..]\n"
    "    end\n"
    "end\n"
    "complete -c imfilter -f -a '(__imfilter_candidates)'\n";

void completion_print(FILE *out, enum shell shell) {
    static const char *const scripts[] = {
        [SHELL_BASH] = bash, [SHELL_ZSH] = zsh, [SHELL_FISH] = fish};
    fputs(scripts[shell], out);
}
