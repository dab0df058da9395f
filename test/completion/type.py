#!/usr/bin/env python3
"""Type a line into a real bash or zsh in a terminal, complete it, and print what it has become.

type.py bash|zsh SETUP [--all] LINE...: SETUP is read by the shell first; --all inserts every
completion instead of what TAB does. An exit status of 3 says that the shell did not answer.
"""
import os
import pty
import select
import signal
import sys
import tempfile
import time

BASH = r"""
PS1='> '
bind 'set bell-style none'
bind 'set completion-query-items 0'
bind 'set page-completions off'
bind '"\C-xi": insert-completions'
bind -x '"\C-xp": printf "%s\n" "$READLINE_LINE" >"$ANSWER.new"; mv "$ANSWER.new" "$ANSWER"'
"""

ZSH = r"""
PS1='> '
autoload -Uz compinit && compinit -u -D
zle -C all-matches complete-word _generic
bindkey '^Xi' all-matches
zstyle ':completion:all-matches:*' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert true
zstyle ':completion:*' list-prompt ''
LISTMAX=10000
answer() { print -r -- "$BUFFER" >$ANSWER.new; mv $ANSWER.new $ANSWER }
zle -N answer
bindkey '^Xp' answer
"""

COMMANDS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}


class Shell:
    def __init__(self, name, setup):
        self.answer = os.path.join(tempfile.mkdtemp(), "answer")
        rc = self.answer + ".rc"
        with open(rc, "w") as f:
            f.write(setup + "\n" + {"bash": BASH, "zsh": ZSH}[name] + "\n: >$ANSWER\n")
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(ANSWER=self.answer, TERM="dumb" if name == "bash" else "vt100",
                              HISTFILE="/dev/null")
            os.execvp(COMMANDS[name][0], COMMANDS[name])
        self.write(". %s\r" % rc)
        self.wait()

    def write(self, text):
        os.write(self.fd, text.encode())

    def wait(self):
        """Read what the shell shows until it has answered, for at most 30 seconds."""
        shown = b""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if os.path.exists(self.answer):
                with open(self.answer) as f:
                    text = f.read()
                os.unlink(self.answer)
                return text
            if select.select([self.fd], [], [], 0.02)[0]:
                try:
                    shown += os.read(self.fd, 65536)
                except OSError:
                    break
        sys.stderr.write("no answer; the terminal shows:\n" + shown.decode(errors="replace") + "\n")
        self.close()
        sys.exit(3)

    def complete(self, line, key):
        self.write("\x15" + line + key + "\x18p")
        return self.wait()

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def main():
    name, setup, *lines = sys.argv[1:]
    key = "\t"
    if lines[0] == "--all":
        key = "\x18i"
        del lines[0]
    shell = Shell(name, setup)
    for line in lines:
        sys.stdout.write(shell.complete(line, key).rstrip("\n") + "|\n")
    shell.close()


main()
