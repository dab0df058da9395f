# How far a batch is: a line on a terminal, lines in a log, the last word.
#
# script(1) makes the terminal and keeps what is written on it. A FIFO among the inputs holds the batch
# where the test wants it.
load helper

# in_terminal COLUMNS COMMAND: in the background; its screen is the file screen, its terminal the file tty.
in_terminal() {
    command -v script >/dev/null || skip "script(1) makes the terminal"
    : >screen
    TERM=xterm script -qefc "stty cols $1 rows 24; tty >tty; echo \$\$ >pid; exec $2" screen \
        </dev/null >/dev/null 2>&1 3>&- &
    terminal=$!
    terminals+=("$terminal")
}

# What a failed test leaves waits for its FIFO.
teardown() {
    local of
    for of in "${terminals[@]}" $(cat pid */pid 2>/dev/null); do
        kill "$of" 2>/dev/null || true
    done
}

wait_until() { # COMMAND...: for at most ten seconds
    local end=$((SECONDS + 10))
    looked_at=
    while [ $SECONDS -lt $end ]; do
        ! "$@" || return 0
        sleep 0.05
    done
    echo "waited in vain for: $*"
    frames | tail -n 3
    return 1
}

drawn() { # REGEX: the line last drawn matches
    local size
    size=$(stat -c %s screen)
    [ "$size" != "$looked_at" ] || return 1
    looked_at=$size
    frames | tail -n 1 | grep -qE "$1"
}

# Each line of progress as it was drawn, after its width in columns.
frames() {
    python3 -c '
import re
text = open("screen", "rb").read().decode()
for part in re.split(r"[\r\n]", text.replace("\033[J", "").replace("\033[K", "")):
    if re.match(r"\d+/\d+", part):
        print(len(part), part)'
}

# What is to be seen at the end.
final_screen() {
    python3 -c '
import re
lines, x = [[]], 0
text = open("screen", "rb").read().decode()
text = re.sub(r"^Script started.*\n|\n\nScript done.*|\nScript done.*", "", text)
i = 0
while i < len(text):
    if text.startswith("\033[J", i) or text.startswith("\033[K", i):
        del lines[-1][x:]
        i += 2
    elif text[i] == "\r":
        x = 0
    elif text[i] == "\n":
        lines.append([])
    else:
        lines[-1][x:x + 1] = text[i]
        x += 1
    i += 1
print("\n".join("".join(line) for line in lines).rstrip())'
}

feed() { # FILE FIFO
    timeout 10 cp "$1" "$2"
}

@test "a line with count, time left and pace; a message goes above it; at the end the last word" {
    make_pgm a.pgm
    echo junk >junk
    mkfifo one.pgm two.pgm
    in_terminal 80 "'$IMFILTER' --jobs=1 -f invert a.pgm one.pgm two.pgm -o out/"
    wait_until drawn '^[0-9]+ 1/3, [0-9:]+ left, [0-9.]+ MP/s$'
    feed junk one.pgm
    wait_until drawn ' 2/3, [0-9:]+ left, 1 failed, [0-9.]+ MP/s$'
    feed a.pgm two.pgm
    wait "$terminal" || [ $? -eq 1 ]
    final_screen
    [ "$(final_screen | sed 's/;.*//')" = "imfilter: one.pgm: $(unknown)
imfilter: 3 images: 2 filtered, 0 skipped, 1 failed
imfilter: 1 of 3 images failed: one.pgm" ]
    [ "$(samples out/two.pgm)" = "255 245 235 225 215 205 195 185 175 165 155 0" ]
}

@test "in a narrow terminal the line has fewer parts" {
    make_pgm a.pgm
    run_at=()
    while read -r columns shown; do
        mkdir "$columns"
        cd "$columns"
        mkfifo slow.pgm
        in_terminal "$columns" "'$IMFILTER' --jobs=1 -f invert ../a.pgm slow.pgm -o out/"
        cd ..
        run_at+=("$columns $terminal $shown")
    done <<'LIST'
4 ^3 1/2$
12 ^3 1/2$
16 ^14 1/2, [0-9:]+ left$
24 ^14 1/2, [0-9:]+ left$
28 ^25 1/2, [0-9:]+ left, 0.00 MP/s$
200 ^25 1/2, [0-9:]+ left, 0.00 MP/s$
LIST
    for each in "${run_at[@]}"; do
        read -r columns terminal shown <<<"$each"
        cd "$columns"
        wait_until drawn "$shown"
        feed ../a.pgm slow.pgm
        wait "$terminal"
        frames | while read -r width rest; do [ "$width" -lt "$columns" ] || { echo "$columns: $width $rest"; exit 1; }; done
        [ "$(final_screen | sed 's/;.*//')" = "imfilter: 2 images: 2 filtered, 0 skipped" ]
        cd ..
    done
}

@test "it follows the terminal's size" {
    make_pgm a.pgm
    mkfifo slow.pgm
    in_terminal 80 "'$IMFILTER' --jobs=1 -f invert a.pgm slow.pgm -o out/"
    wait_until drawn 'MP/s$'
    stty -F "$(cat tty)" cols 20
    wait_until drawn 'left$'
    stty -F "$(cat tty)" cols 5
    wait_until drawn '1/2$'
    stty -F "$(cat tty)" cols 120
    wait_until drawn 'MP/s$'
    feed a.pgm slow.pgm
    wait "$terminal"
    # On a line that has been broken or cut what is erased goes to the end of the screen.
    grep -q $'\r\033\\[J1/2' screen
}

@test "a signal erases it and says how far the batch came" {
    make_pgm a.pgm
    mkfifo slow.pgm
    in_terminal 80 "'$IMFILTER' --jobs=1 -f invert a.pgm slow.pgm -o out/"
    wait_until drawn '1/2, .* MP/s$'
    kill -TERM "$(cat pid)"
    wait "$terminal" || [ $? -eq 143 ]
    [ "$(final_screen)" = "imfilter: interrupted: 1 of 2 images done (--skip-existing filters the others)" ]
}

@test "none for one image, with -q, --progress=never, on a terminal that cannot erase, into a pipe of results" {
    make_pgm a.pgm
    local n silent=()
    mkfifo shown.pgm
    while read -r command; do
        n=${#silent[@]}
        mkdir $n
        cd $n
        mkfifo slow.pgm go
        in_terminal 80 "$command"
        silent+=("$terminal")
        # It is past the beginning when it opens its last image.
        timeout 30 sh -c 'exec >slow.pgm && : >opened && cat go ../a.pgm' 3>&- &
        cd ..
    done <<LIST
'$IMFILTER' -f invert slow.pgm -o out.pgm
'$IMFILTER' -q -f invert ../a.pgm slow.pgm -o out/
'$IMFILTER' --progress=never -f invert ../a.pgm slow.pgm -o out/
env TERM=dumb '$IMFILTER' -f invert ../a.pgm slow.pgm -o out/
env -u TERM '$IMFILTER' -f invert ../a.pgm slow.pgm -o out/
sh -c "'$IMFILTER' --json -f invert ../a.pgm slow.pgm -o out/ | cat"
LIST
    for n in "${!silent[@]}"; do
        wait_until test -e $n/opened
    done
    # Where one that begins after them has its line, they would have had theirs.
    in_terminal 80 "'$IMFILTER' --jobs=1 -f invert a.pgm shown.pgm -o out/"
    wait_until drawn '1/2, .* MP/s$'
    feed a.pgm shown.pgm
    wait "$terminal"
    for n in "${!silent[@]}"; do
        : >$n/go
        wait "${silent[n]}"
        cat $n/screen
        run ! grep -q $'\033' $n/screen
        [ -s $n/out.pgm ] || [ -s $n/out/slow.pgm ]
    done
    for options in '' '-v'; do
        # shellcheck disable=SC2086 # none or one
        imf $options -f invert a.pgm a.pgm --verify 2>err >/dev/null
        run ! grep -q '/2' err
    done
}

@test "--progress=always: on a terminal at once, elsewhere a line at the beginning" {
    make_pgm a.pgm
    mkfifo slow.pgm
    in_terminal 80 "'$IMFILTER' --progress=always -f invert slow.pgm -o out.pgm"
    wait_until drawn ' 0/1$'
    feed a.pgm slow.pgm
    wait "$terminal"
    [ -z "$(final_screen)" ]
    imf --progress=always -f invert a.pgm slow.pgm -o out/ 2>log 3>&- &
    wait_until grep -qE '^imfilter: [01] of 2 images' log
    feed a.pgm slow.pgm
    wait $!
    # The last line says how it ended, also where no summary follows.
    grep -qE '^imfilter: 2 of 2 images, [0-9.]+ MP/s$' log
    imf_run --progress=always -f invert a.pgm -o out.pgm
    [[ ${stderr_lines[-1]} =~ ^'imfilter: 1 of 1 images, '[0-9.]+' MP/s'$ ]]
    cp a.pgm b.pgm
    imf_run --progress=always -q -f invert a.pgm b.pgm -o out/
    [[ ${stderr_lines[-1]} =~ ^'imfilter: 2 of 2 images, '[0-9.]+' MP/s'$ ]]
    grep -qE '^imfilter: 2 images: 2 filtered, 0 skipped; 0\.0 MP in [0-9.]+ s, [0-9.]+ MP/s$' log
    run ! grep -q $'[\r\033]' log
    imf_run --progress=sometimes -f invert a.pgm -o out.pgm
    [ "$status" -eq 2 ]
    one_line '"sometimes" is not valid (auto, always or never)'
}

@test "--progress=always: a line every ten seconds in a log" {
    need_thorough
    make_pgm a.pgm
    mkfifo slow.pgm
    imf --progress=always --jobs=1 -f invert a.pgm slow.pgm -o out/ 2>log 3>&- &
    wait_until grep -qE '^imfilter: [01] of 2 images' log
    sleep 5
    wait_until grep -qE '^imfilter: 1 of 2 images, 0:1[01] left, 0.00 MP/s$' log
    feed a.pgm slow.pgm
    wait $!
    [ "$(grep -c ' of 2 images' log)" -eq 3 ]
}

@test "--json: a batch ends with an object of its own" {
    mkdir in
    make_pgm in/a.pgm
    make_ppm in/b.ppm
    echo junk >in/c.png
    printf 'GIF89a' >in/d
    imf_run --json -r -f invert in -o out/
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 4 ]
    last='(s["images"], s["filtered"], s["skipped"], s["failed"], s["pixels"], s["interrupted"], s["others"])'
    [ "$(tail -n 1 <<<"$output" | json "(s := o['summary']) and $last")" = \
        "(3, 2, 0, 1, 18, False, [{'kind': 'GIF', 'count': 1}])" ]
    [ "$(tail -n 1 <<<"$output" | json 'o["summary"]["total_ms"] > 0')" = True ]
    # Of what could have been a batch, too; of one image there is none.
    imf_run --json -r --shard=9/9 -f invert in -o out/
    [ "$(json 'o["summary"]["images"]' <<<"$output")" = 0 ]
    imf_run --json -f invert in/a.pgm -o out/
    [ "${#lines[@]}" -eq 1 ]
    [ "$(json '"summary" in o' <<<"$output")" = False ]
    # Without the device that was asked for, too: the first image fails, the others are not begun.
    run --separate-stderr env OCL_ICD_VENDORS=/nowhere "$IMFILTER" --json -r -f blur:2 --device=99 in -o no/
    [ "$status" -eq 3 ]
    [ "$(tail -n 1 <<<"$output" | json "(s := o['summary']) and $last")" = \
        "(3, 0, 0, 1, 0, False, [{'kind': 'GIF', 'count': 1}])" ]
}

@test "--json: a dry run ends with what is planned, not filtered" {
    mkdir photos
    make_ppm photos/a.ppm
    imf_run -r -n --json -f gray photos -o out/
    [ "$status" -eq 0 ]
    [[ ${lines[1]} == '{"summary":{"images":1,"planned":1,"skipped":0,"failed":0,"pixels":0,'* ]]
    [ ! -e out ]
}
