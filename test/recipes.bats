# imfilter-batch(7) and imfilter-recipes(7): every recipe is run as it is printed, by the real programs.
#
# Of a batch workers are killed on the way by test/faults/file_calls.c, before a certain call that changes files;
# the recipe is then run again and has to give the pixels of one run that nobody disturbed.
load helper

MANUALS="$BATS_TEST_DIRNAME/../man/imfilter-batch.7 $BATS_TEST_DIRNAME/../man/imfilter-recipes.7"

# What stands behind the comment "recipe: NAME".
recipe() { # NAME
    # shellcheck disable=SC2086 # files
    sed -n "/^\.\\\\\" recipe: $1\$/,/^\.Ed\$/p" $MANUALS | sed '1,2d; $d; s/\\e/\\/g' >"recipe.$1"
    [ -s "recipe.$1" ] && cat "recipe.$1"
}

needs() { # PROGRAM...
    local program
    for program; do
        command -v "$program" >/dev/null || skip "there is no $program"
    done
}

# Twelve photos, what is to become of them, and `imfilter` in the path.
prepare() {
    local i
    mkdir raw bin
    for i in 01 02 03 04 05 06 07 08 09 10 11 12; do
        { printf 'P5\n64 48\n255\n' && tail -c "+${i}000" "$TESTDATA/still.jpg" | head -c 3072; } >"raw/$i.pgm"
    done
    imf -q -r -f invert --format=jpeg raw/ -o photos/
    imf -q -r -f unsharp photos/ -o wanted/
    need_faults
    # Whichever worker removes this directory is killed under way.
    cat >bin/imfilter <<END
#!/bin/sh
if rmdir "$PWD/kill-one" 2>/dev/null; then
    export LD_PRELOAD="$FAULTS" FAULT_BELOW="$PWD" FAULT_KILL=1
    FAULT_AT=\$(cat "$PWD/kill-at")
    export FAULT_AT ASAN_OPTIONS="\${ASAN_OPTIONS:-}:verify_asan_link_order=0"
fi
exec "$IMFILTER" "\$@"
END
    chmod +x bin/imfilter
    PATH=$PWD/bin:$PATH
}

kill_a_worker() { # CALL
    echo "$1" >kill-at
    mkdir kill-one
}

results() {
    find sharp -name '[!.]*.jpg' 2>/dev/null | wc -l
}

# The pixels of every photo are those that one process makes.
same_pixels() {
    no_temporaries
    rm -rf pixels
    imf -q -r -f kernel:1 --format=pnm wanted/ -o pixels/wanted/
    imf -q -r -f kernel:1 --format=pnm sharp/ -o pixels/sharp/
    diff -r pixels/wanted pixels/sharp
}

# What is printed does the work; with a worker killed it comes short, and does the rest when run again.
survives() { # COMMAND...
    timeout 100 "$@"
    same_pixels
    rm -rf sharp
    kill_a_worker "${KILL_AT:-7}"
    run timeout 100 "$@"
    echo "$output"
    echo "status $status, $(results) of 12 are there"
    [ ! -e kill-one ]
    [ "$(results)" -lt 12 ] || [ -n "${RETRIES:-}" ]
    timeout 100 "$@"
    same_pixels
}

@test "the manuals show the recipes as the tests run them" {
    needs mandoc col
    for manual in $MANUALS; do
        mandoc -Tascii "$manual"
    done | col -bx | sed 's/^ *//' >shown
    # shellcheck disable=SC2086 # files
    names=$(sed -n 's/^\.\\" recipe: //p' $MANUALS)
    [ "$(wc -w <<<"$names")" -ge 30 ]
    [ -z "$(sort <<<"$names" | uniq -d)" ]
    for name in $names; do
        recipe "$name"
        while IFS= read -r line; do
            line=${line#"${line%%[! ]*}"}
            [ -z "$line" ] || grep -qxF -e "$line" shown
        done <"recipe.$name"
        grep -qE "(recipe|everyday|softened) $name\b" "$BATS_TEST_FILENAME" || { echo "no test runs $name"; return 1; }
    done
}

@test "a tree" {
    prepare
    recipe tree
    survives sh recipe.tree
}

@test "find" {
    prepare
    recipe find
    mv photos/02.jpg 'photos/a b.jpg'
    mv wanted/02.jpg 'wanted/a b.jpg'
    survives sh recipe.find
}

# Pictures further down, of which one has a name that another has: none of them may come to a result.
look_alikes() {
    mkdir photos/older
    cp photos/02.jpg photos/older/01.jpg
    cp photos/02.jpg photos/older/13.jpg
}

@test "xargs -P" {
    prepare
    look_alikes
    recipe xargs
    mv photos/02.jpg 'photos/a b.jpg'
    mv wanted/02.jpg 'wanted/a b.jpg'
    survives sh recipe.xargs
}

@test "GNU parallel" {
    needs parallel
    prepare
    look_alikes
    recipe parallel
    mv photos/02.jpg "photos/a 'b.jpg"
    mv wanted/02.jpg "wanted/a 'b.jpg"
    RETRIES=1 survives sh recipe.parallel
    # Killed and started again in the same run.
    rm -rf sharp
    kill_a_worker 7
    sh recipe.parallel
    same_pixels
}

@test "make -j" {
    needs make
    prepare
    recipe make
    cp recipe.make Makefile
    KILL_AT=3 survives env -u MAKEFLAGS -u MAKELEVEL make -j2
    run env -u MAKEFLAGS -u MAKELEVEL make -j2
    [[ $output == *"Nothing to be done"* ]]
}

# ---- more than one machine -------------------------------------------------------------------

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# This machine under the names node1 and node2, for `ssh`, with keys and settings of the test's own.
start_sshd() {
    local port sshd=/usr/sbin/sshd
    needs ssh ssh-keygen
    [ -x $sshd ] || skip "there is no sshd"
    mkdir ssh
    ssh-keygen -q -t ed25519 -N '' -f ssh/host
    ssh-keygen -q -t ed25519 -N '' -f ssh/user
    port=$(free_port)
    cat >ssh/sshd_config <<END
Port $port
ListenAddress 127.0.0.1
HostKey $PWD/ssh/host
AuthorizedKeysFile $PWD/ssh/user.pub
PidFile $PWD/ssh/pid
StrictModes no
UsePAM no
PasswordAuthentication no
SetEnv PATH=$PATH HOME=$PWD/ssh XDG_CACHE_HOME=$XDG_CACHE_HOME
END
    cat >ssh/config <<END
Host node1 node2
HostName 127.0.0.1
Port $port
IdentityFile $PWD/ssh/user
IdentitiesOnly yes
UserKnownHostsFile $PWD/ssh/known
StrictHostKeyChecking no
LogLevel ERROR
ConnectTimeout 10
END
    printf '#!/bin/sh\nexec %s -F %s/ssh/config "$@"\n' "$(command -v ssh)" "$PWD" >bin/ssh
    chmod +x bin/ssh
    # Where root's sshd puts itself; at a machine's start that is made by its service.
    [ "$(id -u)" -ne 0 ] || [ -d /run/sshd ] || mkdir -p /run/sshd 2>/dev/null ||
        skip "sshd needs /run/sshd, which cannot be made"
    $sshd -f "$PWD/ssh/sshd_config" -E "$PWD/ssh/log" || skip "sshd does not start: $(tail -n 1 ssh/log)"
    wait_for ssh pid || skip "sshd does not start: $(tail -n 1 ssh/log)"
    timeout 20 ssh node1 true || skip "sshd lets nobody in: $(tail -n 1 ssh/log)"
}

@test "ssh, with a share for each machine" {
    need_thorough
    prepare
    start_sshd
    recipe ssh-shards
    # The last line does what is missing.
    RETRIES=1 survives sh recipe.ssh-shards
}

@test "GNU parallel over ssh" {
    need_thorough
    needs parallel
    prepare
    look_alikes
    start_sshd
    recipe parallel-ssh
    RETRIES=1 survives sh recipe.parallel-ssh
    [ ! -e kill-one ]
}

@test "an image there and back over ssh" {
    prepare
    start_sshd
    recipe ssh
    cp photos/01.jpg photo.jpg
    imf -f disk:5 photo.jpg -o wanted.jpg
    timeout 60 sh recipe.ssh
    cmp <(samples soft.jpg) <(samples wanted.jpg)
    # Damaged on the way: no result.
    rm soft.jpg
    head -c 700 photos/01.jpg >photo.jpg
    run timeout 60 sh recipe.ssh
    [ "$status" -eq 1 ]
    [ ! -e soft.jpg ]
}

start_slurm() {
    local dir=$PWD/slurm user host plugin
    PATH=$PATH:/usr/sbin
    needs munged slurmctld slurmd sbatch sinfo
    user=$(id -un)
    host=$(hostname -s)
    mkdir -p slurm/state slurm/spool
    head -c 1024 /dev/urandom >slurm/key
    chmod 600 slurm/key
    munged --force --key-file="$dir/key" --socket="$dir/socket" --pid-file="$dir/munged.pid" \
        --log-file="$dir/munged.log" --seed-file="$dir/seed" || skip "munged does not start: $(tail -n 1 slurm/munged.log)"
    cat >slurm/slurm.conf <<END
ClusterName=recipes
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$dir/socket
CredType=cred/munge
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=here NodeHostname=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=5 State=UP
END
    export SLURM_CONF=$dir/slurm.conf
    slurmctld -f "$SLURM_CONF" || skip "slurmctld does not start: $(tail -n 1 slurm/slurmctld.log)"
    # Where there are no cgroups it needs to be told; older ones do not know "disabled".
    for plugin in autodetect disabled cgroup/v1 none; do
        [ "$plugin" != none ] || skip "slurmd does not start: $(tail -n 1 slurm/slurmd.log)"
        echo "CgroupPlugin=$plugin" >slurm/cgroup.conf
        ! slurmd -N here -f "$SLURM_CONF" || break
    done
    for _ in $(seq 100); do
        [ "$(timeout 5 sinfo -h -o %T 2>/dev/null)" != idle ] || return 0
        sleep 0.2
    done
    tail -n 20 slurm/*.log
    skip "Slurm's node does not come up"
}

@test "a job array of Slurm" {
    need_thorough
    prepare
    start_slurm
    recipe slurm
    cp recipe.slurm sharpen.sh
    survives sbatch --wait sharpen.sh
    grep -l . sharpen-[1-4].log || :
}

# Daemons end with their test, whatever became of it.
teardown() {
    local pid
    [ ! -e watch.pid ] || kill -- "-$(cat watch.pid)" 2>/dev/null || :
    # What a job runs outlives slurmd.
    [ ! -e slurm/slurmd.pid ] || timeout 10 scancel --me || :
    for pid in $(cat slurm/slurmd.pid slurm/slurmctld.pid slurm/munged.pid ssh/pid 2>/dev/null); do
        kill "$pid" 2>/dev/null || continue
        for _ in $(seq 50); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null || :
    done
}

# ---- as pictures arrive, before a commit -------------------------------------------------------

@test "a loop with inotifywait" {
    needs inotifywait setsid
    prepare
    recipe watch
    mv photos arriving
    mkdir photos
    setsid sh -c 'echo $$ >watch.pid; exec sh recipe.watch' >watch.log 2>&1 3>&- &
    # It watches when a picture comes through.
    cp wanted/01.jpg wanted/00.jpg
    for _ in $(seq 100); do
        cp arriving/01.jpg photos/00.jpg
        [ ! -e sharp/00.jpg ] || break
        sleep 0.1
    done
    for file in arriving/*; do
        mv "$file" photos/
    done
    for _ in $(seq 200); do
        [ "$(results)" -lt 13 ] || break
        sleep 0.05
    done
    kill -- "-$(cat watch.pid)"
    cat watch.log
    same_pixels
}

@test "units of systemd" {
    needs systemd-analyze
    prepare
    mkdir units
    recipe sharpen.path
    recipe sharpen.service
    recipe sharpen.timer
    for kind in path service timer; do
        cp "recipe.sharpen.$kind" "units/sharpen.$kind"
    done
    export XDG_RUNTIME_DIR=$PWD HOME=$PWD
    run systemd-analyze --user --man=no --recursive-errors=no verify "$PWD"/units/sharpen.*
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    # Something wrong is found: also in what keeps systemd from giving up after five starts.
    for wrong in path:PathChanged service:StartLimitIntervalSec timer:OnUnitInactiveSec; do
        kind=${wrong%:*} key=${wrong#*:}
        sed "s/^$key=/Not&/" "recipe.sharpen.$kind" >"units/sharpen.$kind"
        run systemd-analyze --user --man=no verify "$PWD/units/sharpen.$kind"
        [[ $output == *"Not$key"* ]]
    done
    sed -n "s|%h|$PWD|g; s/^ExecStart=//p" recipe.sharpen.service >start.sh
    survives sh start.sh
}

@test "a check before a commit" {
    needs git
    prepare
    export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
    recipe pre-commit
    git init -q repository
    cd repository
    mkdir -p .git/hooks
    cp ../recipe.pre-commit .git/hooks/pre-commit
    chmod +x .git/hooks/pre-commit
    cp ../photos/01.jpg 'a b.jpg'
    cp ../photos/02.jpg ä.jpg
    git add .
    git commit -q -m whole
    head -c 700 ../photos/03.jpg >ä.jpg
    git add .
    cp ../photos/02.jpg ä.jpg # what is staged counts
    run git commit -q -m damaged
    [ "$status" -eq 1 ]
    [[ $output == *"ä.jpg: not committed"* ]]
    git add .
    git rm -q 'a b.jpg'
    git commit -q -m removed
}

# ---- everyday tasks ----------------------------------------------------------------------------

# The inputs that the recipes name: part of the still life, as it is, with noise, and with specks of three pixels; a
# page, as it is, as a scan with specks, and in uneven light; stars on a sky that is not black; a pattern; and a kernel.
prepare_pictures() {
    mkdir inputs inputs/photos bin
    ln -s "$IMFILTER" bin/imfilter
    cp "$TESTDATA/moire.jpg" inputs/print.jpg
    imf -f kernel:1 "$TESTDATA/still.jpg" -o still.ppm
    imf -f threshold:0.5 --depth=8 "$TESTDATA/text.png" -o text.pgm
    python3 -c '
import random
drawn = random.Random(1)
def read(name):
    head, size, top, data = open(name, "rb").read().split(b"\n", 3)
    width, height = map(int, size.split())
    return width, height, data
def write(name, kind, width, height, data):
    data = bytes(min(255, max(0, round(v))) for v in data)
    open(name, "wb").write(b"%s\n%d %d\n255\n" % (kind, width, height) + data)
width, height, data = read("still.ppm")
data = b"".join(data[3 * width * y + 600:3 * width * y + 1500] for y in range(150, 370))
width, height = 300, 220
write("photo.ppm", b"P6", width, height, data)
write("noisy.ppm", b"P6", width, height, (v + drawn.gauss(0, 12) for v in data))
dusty = bytearray(data)
for i in range(150):
    x, y = drawn.randrange(width - 3), drawn.randrange(height - 3)
    for row in range(y, y + 3):
        dusty[3 * (width * row + x):3 * (width * row + x + 3)] = bytes(9 * [drawn.choice((5, 250))])
write("dusty.ppm", b"P6", width, height, dusty)
width, height, text = read("text.pgm")
width, height = 2 * width, 2 * height
page = bytes(text[i // width // 2 * (width // 2) + i % width // 2] for i in range(width * height))
write("page.pgm", b"P5", width, height, page)
write("scan.pgm", b"P5", width, height, (drawn.choice((20, 240)) if drawn.random() < 0.01 else 60 + v * 0.5 + drawn.gauss(0, 9)
                                         for v in page))
print("P7\nWIDTH 60\nHEIGHT 40\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR", file=open("cutout.pam", "w"))
open("cutout.pam", "ab").write(bytes(v for y in range(40) for x in range(60)
                                     for v in (4 * x, 6 * y, 90, 255 * (10 <= x < 50 and 10 <= y < 30))))
write("shaded.pgm", b"P5", width, height, (v * (0.3 + 0.7 * (i % width) / width) for i, v in enumerate(page)))
stars = [20 + 100 * x / 200 + y / 4 for y in range(120) for x in range(200)]
for i in range(40):
    at = 200 * drawn.randrange(8, 112) + drawn.randrange(8, 192)
    for d in (0, 1, 200, 201):
        stars[at + d] = 250
write("stars.pgm", b"P5", 200, 120, stars)'
    for name in noisy dusty; do
        imf -f kernel:1 $name.ppm -o inputs/$name.png
    done
    imf -f threshold:0.5 page.pgm -o inputs/page.png
    imf -f kernel:1 --alpha=keep cutout.pam -o inputs/cutout.png
    for name in scan shaded stars; do
        imf -f kernel:1 $name.pgm -o inputs/$name.png
    done
    imf -f kernel:1 --quality=95 photo.ppm -o inputs/photo.jpg
    cp inputs/photo.jpg inputs/photos
    printf 'P2\n5 3\n255\n0 0 255 0 0\n255 255 0 255 255\n0 0 0 0 255\n' >psf.pgm
    imf -f kernel:1 psf.pgm -o inputs/psf.png
}

# A module for Python: tiff.write(FILE, "H" or "f", columns, pages of samples), and tiff.read(FILE) of a gray PFM.
prepare_tiff() {
    cat >tiff.py <<'END'
import struct


def write(name, kind, width, pages):
    """Integers of 16 bits or floats of 32, gray, uncompressed."""
    out, before = bytearray(b"II*\0" + bytes(4)), 4
    for samples in pages:
        height, at = len(samples) // width, len(out)
        out += struct.pack("<%d%s" % (len(samples), kind), *samples)
        rows = [(256, width), (257, height), (258, 16 if kind == "H" else 32), (259, 1), (262, 1), (273, at), (277, 1),
                (278, height), (279, len(out) - at), (339, 1 if kind == "H" else 3)]
        struct.pack_into("<I", out, before, len(out))
        out += struct.pack("<H", len(rows)) + b"".join(struct.pack("<HHII", tag, 4, 1, v) for tag, v in rows) + bytes(4)
        before = len(out) - 4
    open(name, "wb").write(out)


def read(name):
    """Columns and samples of a gray PFM, whose rows begin with the last one."""
    _, size, scale, data = open(name, "rb").read().split(b"\n", 3)
    width, height = map(int, size.split())
    found = struct.unpack("%s%df" % ("<" if float(scale) < 0 else ">", width * height), data)
    return width, [v for y in range(height) for v in found[width * (height - 1 - y):][:width]]
END
}

# Run a recipe on inputs of its own in run.NAME: standard error has no line but those that match.
everyday() { # NAME [PATTERN]
    recipe "$1"
    cp -r inputs "run.$1"
    (cd "run.$1" && PATH=$PWD/../bin:$PATH bash -euo pipefail "../recipe.$1") >printed 2>complaints </dev/null ||
        { cat complaints; return 1; }
    cat printed complaints
    if grep -v -- "${2:-^\$}" complaints; then return 1; fi
}

# The mean of an image's samples in gray, 0 to 255, after filters.
mean() { # IMAGE [SPEC...]
    local image=$1 spec filters=()
    shift
    for spec; do
        filters+=(-f "$spec")
    done
    imf -q -f gray "${filters[@]}" --depth=8 --format=pgm -o - "$image" | python3 -c '
import sys
data = sys.stdin.buffer.read().split(b"\n", 3)[3]
print(sum(data) / len(data))'
}

holds() { # EXPRESSION of numbers
    echo "$*"
    awk "BEGIN { exit !($*) }"
}

# How much an image differs from another: the mean difference of samples, and the share of those above 60.
difference() { # IMAGE IMAGE
    imf -q -f kernel:1 --format=ppm "$1" -o one.ppm
    imf -q -f kernel:1 --format=ppm "$2" -o two.ppm
    python3 -c '
a, b = (open(name, "rb").read().split(b"\n", 3)[3] for name in ("one.ppm", "two.ppm"))
d = [abs(x - y) for x, y in zip(a, b)]
print(sum(d) / len(d), sum(v > 60 for v in d) / len(d))'
}

black() { # IMAGE: its black pixels
    samples "$1" | tr ' ' '\n' | grep -cx 0
}

differing() { # IMAGE IMAGE: of black and white; pixels
    paste -d ' ' <(samples "$1" | tr ' ' '\n') <(samples "$2" | tr ' ' '\n') | awk '$1 != $2 { n++ } END { print n + 0 }'
}

@test "the table of tasks has each section, which has a recipe" {
    local manual=${MANUALS#* }
    sed -n '/^\.It Em Task/d; s/^\.It \(.*\) Ta .*/\1/p' "$manual" >table
    sed -n 's/^\.Ss //p' "$manual" >sections
    [ "$(wc -l <sections)" -ge 25 ]
    diff table sections
    awk '/^\.Ss / { if (name != "" && !found) { print name; bad = 1 } name = $0; found = 0 }
        /recipe: / { found = 1 } END { exit bad || !found }' "$manual"
}

@test "sharpening: web" {
    prepare_pictures
    cp "$TESTDATA/types/orientation6.jpg" inputs/tagged.jpg
    everyday web
    [ "$(file_kind run.web/web.jpg)" = jpeg ]
    holds "$(mean run.web/web.jpg laplacian) > 1.1 * $(mean inputs/photo.jpg laplacian)"
    holds "$(wc -c <run.web/web.jpg) < 0.8 * $(wc -c <inputs/photo.jpg)"
    # EXIF is dropped.
    cp inputs/tagged.jpg inputs/photo.jpg
    rm -r run.web
    everyday web
    grep -q Exif inputs/photo.jpg
    if grep -q Exif run.web/web.jpg; then return 1; fi
}

# A recipe leaves less than PART of the detail, and the brightness.
softened() { # NAME OUTPUT PART
    everyday "$1"
    holds "$(mean "run.$1/$2" laplacian) < $3 * $(mean inputs/photo.jpg laplacian)"
    holds "($(mean "run.$1/$2") - $(mean inputs/photo.jpg)) ^ 2 < 36"
}

@test "blurring: soft-focus, lens-blur, motion-blur, picture-kernel" {
    prepare_pictures
    softened soft-focus soft.jpg 0.7
    softened lens-blur lens.jpg 0.4
    softened motion-blur moved.jpg 0.5
    softened picture-kernel out.jpg 0.8
    # Sharp contours remain in the mixture.
    holds "$(mean run.soft-focus/soft.jpg laplacian) > 1.5 * $(mean run.lens-blur/lens.jpg laplacian)"
    # A point becomes the kernel's picture as it stands.
    printf 'P2\n9 7\n255\n%s\n' "$(printf '0 %.0s' $(seq 31)) 255 $(printf '0 %.0s' $(seq 31))" >point.pgm
    imf -f kernel:1 point.pgm -o inputs/photo.jpg
    recipe picture-kernel
    sed 's/photo.jpg/point.pgm/; s/out.jpg/out.pgm/; s/ --linear//' recipe.picture-kernel >recipe.point
    cp point.pgm inputs
    (cd inputs && PATH=$PWD/../bin:$PATH sh ../recipe.point)
    [ "$(samples inputs/out.pgm | tr ' ' '\n' | sed -n '19,45p' | sed 's/^[1-9].*/1/' | paste -sd ' ')" = \
        "0 0 0 0 1 0 0 0 0 0 0 1 1 0 1 1 0 0 0 0 0 0 0 0 1 0 0" ]
}

@test "noise, dust and patterns: denoise, colour-noise, choke, dust, pattern" {
    prepare_pictures
    everyday denoise
    read -r before _ < <(difference inputs/noisy.png photo.ppm)
    read -r after _ < <(difference run.denoise/smooth.png photo.ppm)
    holds "$after < 0.5 * $before"
    everyday colour-noise
    read -r after _ < <(difference run.colour-noise/calm.png photo.ppm)
    holds "$after < 0.9 * $before"
    imf -f gray run.colour-noise/calm.png -o after.pgm
    imf -f gray inputs/noisy.png -o before.pgm
    paste -d ' ' <(samples after.pgm | tr ' ' '\n') <(samples before.pgm | tr ' ' '\n') |
        awk '$1 - $2 > 1 || $2 - $1 > 1 { exit bad = 1 } END { exit bad || !NR }'
    everyday choke
    imf -f kernel:1 --alpha=keep --format=pam -o - run.choke/soft.png | tail -c 9600 | od -An -v -tu1 -w4 >got
    tail -c 9600 cutout.pam | od -An -v -tu1 -w4 | paste -d ' ' got - | awk '
        $1 != $5 || $2 != $6 || $3 != $7 || $4 > $8 + 8 { exit bad = 1 } $4 > 0 && $4 < 255 { soft++ } $4 == 255 { opaque++ }
        END { exit bad || soft < 100 || opaque > 40 * 20 - 200 || opaque < 150 }'
    everyday dust
    read -r _ before < <(difference inputs/dusty.png photo.ppm)
    read -r _ after < <(difference run.dust/clean.png photo.ppm)
    holds "$after < 0.25 * $before"
    everyday pattern
    # What the second command has is what the first one printed.
    sort -t : -n -k 2 printed | sed 's/\(\.[0-9]\{3\}\)[0-9]*/\1/g' >told
    grep -o 'notch:[^ ]*' recipe.pattern | sort -t : -n -k 2 | sed 's/\(\.[0-9]\{3\}\)[0-9]*/\1/g' >typed
    diff told typed
    [ -s run.pattern/spectrum.png ]
    imf --spectrum=s.png run.pattern/clean.jpg >peaks
    [ ! -s peaks ]
}

@test "edges and relief: drawing, emboss" {
    prepare_pictures
    everyday drawing
    holds "$(mean run.drawing/drawing.png) > 200"
    holds "$(mean run.drawing/drawing.png threshold:0.5) < 254"
    everyday emboss
    holds "($(mean run.emboss/relief.png) - 128) ^ 2 < 4"
    holds "$(mean run.emboss/relief.png laplacian) > 10"
}

@test "scans and text: page, specks, thicken, background" {
    prepare_pictures
    everyday specks
    [ "$(od -An -tu1 -j24 -N2 run.specks/clean.png | tr -d ' ')" = 10 ] # 1 bit, gray
    imf -f threshold:otsu inputs/scan.png -o specked.png
    holds "$(differing run.specks/clean.png inputs/page.png) < 0.5 * $(differing specked.png inputs/page.png)"
    everyday page
    [ "$(od -An -tu1 -j24 -N2 run.page/page.png | tr -d ' ')" = 10 ] # 1 bit, gray
    holds "$(differing run.page/page.png inputs/page.png) < 0.05 * $(black inputs/page.png)"
    everyday thicken
    holds "$(black run.thicken/bold.png) > 1.3 * $(black inputs/page.png)"
    # No black pixel of the page became white.
    paste -d ' ' <(samples inputs/page.png | tr ' ' '\n') <(samples run.thicken/bold.png | tr ' ' '\n') >pairs
    if grep -qx '0 255' pairs; then return 1; fi
    everyday background
    # Stars of the same brightness, and nothing between them; letters as on the page.
    samples run.background/cells.png | tr ' ' '\n' | sort -n | uniq -c | awk '$2 < 10 { dark += $1 } $2 > 100 { stars += $1 }
        END { print dark, stars; exit !(dark + stars == 24000 && stars > 120 && stars <= 160) }'
    imf -f threshold:0.85 run.background/text.png -o letters.png
    holds "$(differing letters.png inputs/page.png) < 0.05 * $(black inputs/page.png)"
}

@test "many files, and pipes: photo-tree, backup, pipe" {
    prepare_pictures
    everyday photo-tree
    [ -s run.photo-tree/out/photo.jpg ]
    before=$(stat -c %i run.photo-tree/out/photo.jpg)
    (cd run.photo-tree && PATH=$PWD/../bin:$PATH sh ../recipe.photo-tree) >again
    [ "$(stat -c %i run.photo-tree/out/photo.jpg)" = "$before" ]
    everyday backup
    cmp run.backup/photo.jpg.orig inputs/photo.jpg
    holds "$(mean run.backup/photo.jpg laplacian) > 1.1 * $(mean inputs/photo.jpg laplacian)"
    cmp run.backup/print.jpg.orig inputs/print.jpg
    printf '#!/bin/sh\n[ "$*" = "-s https://example.org/photo.jpg" ] && cat photo.jpg\n' >bin/curl
    chmod +x bin/curl
    everyday pipe
    imf -f blur:4 inputs/photo.jpg -o wanted.jpg
    cmp <(samples run.pipe/blurred.jpg) <(samples wanted.jpg)
}

@test "checking and measuring: reference, time" {
    prepare_pictures
    everyday reference
    grep -q 'verified: .* samples' printed
    [ -s run.reference/out.jpg ]
    everyday time '^imfilter: photo.jpg: setup .* total .* ms$'
    grep -q 'compute min .* of 10 ' printed
    grep -q . complaints
    [ -s run.time/out.jpg ]
}

# What two images of a size differ by inside and outside of a rectangle: mean differences of samples, in luma and in red
# minus blue.
apart() { # IMAGE IMAGE X Y WIDTH HEIGHT: luma inside, outside, red minus blue
    imf -q -f kernel:1 --format=ppm "$1" -o one.ppm
    imf -q -f kernel:1 --format=ppm "$2" -o two.ppm
    python3 -c '
import sys
left, top, width, height = map(int, sys.argv[1:])
(size, a), (_, b) = (open(name, "rb").read().split(b"\n", 3)[1::2] for name in ("one.ppm", "two.ppm"))
columns = int(size.split()[0])
sums = {True: [0, 0], False: [0, 0]}
chroma = 0
for i in range(len(a) // 3):
    p, q = a[3 * i:3 * i + 3], b[3 * i:3 * i + 3]
    inside = left <= i % columns < left + width and top <= i // columns < top + height
    sums[inside][0] += abs(0.2126 * (p[0] - q[0]) + 0.7152 * (p[1] - q[1]) + 0.0722 * (p[2] - q[2]))
    sums[inside][1] += 1
    chroma += abs((p[0] - p[2]) - (q[0] - q[2]))
print(*(s / max(n, 1) for s, n in (sums[True], sums[False])), chroma / (len(a) // 3))' "${@:3}"
}

@test "sharpening a part, by layers: half, masked, overlay, lightness, local-contrast" {
    prepare_pictures
    detail=$(mean inputs/photo.jpg laplacian)
    everyday half
    imf -f unsharp:sigma=2:amount=1.5 inputs/photo.jpg -o full.jpg
    read -r whole _ < <(difference full.jpg inputs/photo.jpg)
    read -r part _ < <(difference run.half/half.jpg inputs/photo.jpg)
    holds "$part > 0.35 * $whole && $part < 0.65 * $whole"
    { printf 'P5\n300 220\n255\n' && for _ in $(seq 220); do
        printf '\377%.0s' $(seq 150) && printf '\0%.0s' $(seq 150)
    done; } >mask.pgm
    imf -f kernel:1 mask.pgm -o inputs/mask.png
    everyday masked
    imf -f unsharp:sigma=1.5 inputs/photo.jpg -o full.jpg
    read -r left right _ < <(apart run.masked/part.jpg inputs/photo.jpg 0 0 150 220)
    holds "$left > 2 * $right"
    read -r left right _ < <(apart run.masked/part.jpg full.jpg 0 0 150 220)
    holds "$right > 2 * $left"
    everyday overlay
    holds "$(mean run.overlay/crisp.jpg laplacian) > 1.1 * $detail"
    holds "($(mean run.overlay/crisp.jpg) - $(mean inputs/photo.jpg)) ^ 2 < 36"
    everyday lightness
    read -r changed _ chroma < <(apart run.lightness/luma.jpg inputs/photo.jpg 0 0 300 220)
    read -r _ _ usual < <(apart full.jpg inputs/photo.jpg 0 0 300 220)
    holds "$changed > 1 && $chroma < 0.7 * $usual"
    everyday local-contrast
    holds "$(mean run.local-contrast/vivid.jpg laplacian) > 1.2 * $detail"
}

@test "blurring a part: hide" {
    prepare_pictures
    everyday hide
    read -r inside outside _ < <(apart run.hide/hidden.jpg inputs/photo.jpg 120 80 90 70)
    holds "$inside > 4 * $outside"
    imf -f blur:12 inputs/photo.jpg -o blurred.jpg
    read -r inside outside _ < <(apart run.hide/hidden.jpg blurred.jpg 120 80 90 70)
    holds "$outside > 4 * $inside"
}

@test "scans in uneven light: uneven" {
    prepare_pictures
    everyday uneven
    holds "$(differing run.uneven/letters.png inputs/page.png) < 0.05 * $(black inputs/page.png)"
    imf -f threshold:0.6 run.uneven/even.png -o letters.png
    holds "$(differing letters.png inputs/page.png) < 0.05 * $(black inputs/page.png)"
}

# Samples as they are in the file, as floats in FILE.pfm.
numbers() { # FILE...
    local file
    for file; do
        imf -q -f kernel:1 --full=1 --depth=float "$file" -o "$file.pfm"
    done
}

@test "microscopes and telescopes: measured, hot, subtract" {
    prepare_pictures
    prepare_tiff
    # Cells, as they are and blurred by a gaussian of sigma 2; a point under a camera of offset 1000 and noise 60, blurred
    # likewise; cells on uneven light; and hot pixels, on a dark frame and on these.
    PYTHONPATH=. python3 -c '
import math, random, tiff
drawn = random.Random(7)
width, height = 160, 120
def paint(sigma, peak, at):
    out = [0.0] * (width * height)
    for u, v in at:
        for y in range(max(0, v - 25), min(height, v + 26)):
            for x in range(max(0, u - 25), min(width, u + 26)):
                out[width * y + x] += peak * math.exp(-((x - u) ** 2 + (y - v) ** 2) / (2 * sigma ** 2))
    return out
at = [(x + drawn.randrange(7), y + drawn.randrange(7)) for y in range(10, 110, 20) for x in range(10, 150, 20)]
def cells(blur):
    return paint((9 + blur) ** 0.5, 9e3 * 9 / (9 + blur), at)
write = lambda name, samples, columns=width: tiff.write(name, "H", columns, [[round(min(max(v, 0), 65535)) for v in samples]])
write("sharp.tif", [2000 + v for v in cells(0)])
write("blurred.tif", [2000 + v + drawn.gauss(0, 20) for v in cells(4)])
write("inputs/psf.tif", [1000 + drawn.gauss(0, 60) + 9000 * math.exp(-((i % 33 - 16) ** 2 + (i // 33 - 16) ** 2) / 8)
                         for i in range(33 * 33)], 33)
light = [3000 + 20 * (i % width) + 2000 * math.exp(-((i % width - 60) ** 2 + (i // width - 60) ** 2) / 5000) for i in
         range(width * height)]
write("uneven.tif", [a + b + drawn.gauss(0, 60) for a, b in zip(light, cells(0))])
write("alone.tif", cells(0))
hot = drawn.sample(range(width * height), 80)
for name, samples in ("inputs/dark.tif", [300.0] * len(light)), ("hot.tif", [a + b for a, b in zip(light, cells(0))]):
    samples = [v + drawn.gauss(0, 30) for v in samples]
    for i in hot:
        samples[i] += 4000 + 300 * (i % 97)
    write(name, samples)
print(*sorted(hot), file=open("hot", "w"))'
    cp blurred.tif inputs/cells.tif
    everyday measured 'kernel less \(99[0-9]\|100[0-9]\)\|^ \|cells.tif: '
    imf -f deblur:@inputs/psf.tif:background=keep blurred.tif -o kept.tif
    numbers sharp.tif blurred.tif kept.tif run.measured/sharp.tif run.measured/points.tif
    PYTHONPATH=. python3 -c '
import tiff
want = tiff.read("sharp.tif.pfm")[1]
def off(name):
    return (sum((a - b) ** 2 for a, b in zip(want, tiff.read(name + ".pfm")[1])) / len(want)) ** 0.5
blurred, kept, restored, points = map(off, ("blurred.tif", "kept.tif", "run.measured/sharp.tif", "run.measured/points.tif"))
print("off by", blurred, kept, restored, points)
assert restored < 0.25 * blurred and points < 0.3 * blurred and kept > blurred'
    cp hot.tif inputs/cells.tif
    everyday hot
    numbers hot.tif run.hot/clean.tif
    PYTHONPATH=. python3 -c '
import tiff
before, after = (tiff.read(name + ".pfm")[1] for name in ("hot.tif", "run.hot/clean.tif"))
changed = [i for i, (a, b) in enumerate(zip(before, after)) if a != b]
assert changed == list(map(int, open("hot").read().split())), changed'
    # In colours, too, with what the page says to append.
    imf -f blur:2 inputs/photo.jpg -o smooth.ppm
    python3 -c '
data = bytearray(open("smooth.ppm", "rb").read())
for at in 15000, 90001, 150002: # a red, a green and a blue one
    at -= 3 * 300 * 220 - len(data)
    data[at] = 0 if data[at] > 127 else 255
open("spoilt.ppm", "wb").write(data)'
    chain=$(sed -n 's/^.Ql \(-f gray -f threshold:5%\)$/\1/p' "${MANUALS#* }")
    [ -n "$chain" ]
    # shellcheck disable=SC2086 # a chain
    imf -f median:1 -f blend:difference -f threshold:30% $chain spoilt.ppm -o hot.png
    [ "$(imf -f kernel:1 --format=pgm --depth=8 hot.png -o - | tail -c 66000 | tr -d '\0' | wc -c)" -eq 3 ]
    cp uneven.tif inputs/cells.tif
    everyday subtract
    numbers uneven.tif alone.tif run.subtract/flat.tif run.subtract/even.tif
    PYTHONPATH=. python3 -c '
import tiff
want = tiff.read("alone.tif.pfm")[1]
def off(name):
    found = tiff.read(name + ".pfm")[1]
    around = sorted(a for a, b in zip(found, want) if b < 1)
    inside = [a - b for a, b in zip(found, want) if b > 6000]
    return around[len(around) // 2], sum(inside) / len(inside)
print(off("uneven.tif"), off("run.subtract/flat.tif"), off("run.subtract/even.tif"))
(floor, _), (level, rest) = off("run.subtract/flat.tif"), off("run.subtract/even.tif")
assert 50 < floor < 400 and level < 60 and -300 < rest < 300'
}

@test "microscopes and telescopes: band-pass, spots, power" {
    prepare_pictures
    prepare_tiff
    # Waves that a mirrored picture has alone: each is multiplied by the gain of the definition, of which 40 and 3 pixels are
    # (1 - exp(-(2 40 f)^2)) exp(-(2 3 f)^2), f in cycles per pixel; the mean stays.
    cat >waves.py <<'END'
import math, sys, tiff
width, height = 192, 128
waves = [(2, 1), (5, 0), (0, 9), (13, 11), (40, 3), (70, 60), (150, 2)]
samples = [20000.0] * (width * height)
for u, v in waves:
    f2 = (u / (2 * width)) ** 2 + (v / (2 * height)) ** 2
    gain = (1 - math.exp(-(80 ** 2) * f2)) * math.exp(-(6 ** 2) * f2) if sys.argv[1] == "band" else 1
    rows = [2500 * gain * math.cos(math.pi * v * (y + 0.5) / height) for y in range(height)]
    line = [math.cos(math.pi * u * (x + 0.5) / width) for x in range(width)]
    samples = [a + rows[i // width] * line[i % width] for i, a in enumerate(samples)]
if sys.argv[1] == "waves":
    tiff.write("inputs/cells.tif", "H", width, [[round(v) for v in samples]])
else:
    off = max(abs(a - b) for a, b in zip(samples, tiff.read("run.band-pass/band.tif.pfm")[1]))
    print("off by", off)
    assert off < 15
END
    PYTHONPATH=. python3 waves.py waves
    everyday band-pass
    numbers run.band-pass/band.tif
    PYTHONPATH=. python3 waves.py band
    # One spot of height 0.3 on the first page, two on the second, on a slope, with noise.
    PYTHONPATH=. python3 -c '
import math, random, tiff
drawn = random.Random(3)
pages = [[0.2 + 0.001 * x + drawn.gauss(0, 0.01) + sum(0.3 * math.exp(-((x - u) ** 2 + (y - 24) ** 2) / 8) for u in spots)
          for y in range(48) for x in range(96)] for spots in ((30,), (30, 64))]
tiff.write("inputs/frames.tif", "f", 96, pages)'
    everyday spots
    for page in 1 2; do
        imf -q -f kernel:1 --pages=$page run.spots/response.tif -o response$page.pfm
        imf -q -f kernel:1 --pages=$page --depth=float run.spots/spots.tif -o spots$page.pfm
    done
    PYTHONPATH=. python3 -c '
import tiff
for page in 1, 2:
    width, response = tiff.read("response%d.pfm" % page)
    _, spots = tiff.read("spots%d.pfm" % page)
    assert abs(response[24 * width + 30] / 0.3 - 0.22) < 0.03 and min(response) < -0.003, response[24 * width + 30]
    assert [v > 0 for v in spots] == [v >= 0.03 for v in response]
    white = [i for i, v in enumerate(spots) if v]
    near = [u for u in (30, 64) if any((i % width - u) ** 2 + (i // width - 24) ** 2 < 25 for i in white)]
    print(page, len(white), near)
    assert near == [30, 64][:page] and 3 * page < len(white) < 25 * page'
    [ "$(imf -f kernel:1 --json run.spots/spots.tif -o o.tif | head -n 1 | json 'o["depth"]')" = 1 ]
    # The noise of the luma of three colours that have sigma 12 each.
    everyday power
    holds "$(cat printed) > 8 && $(cat printed) < 10.5"
    head -n 1 run.power/power.csv | grep -qx frequency,power,bins
}

@test "other formats: tiff, webp" {
    prepare_pictures
    prepare_tiff
    imf -f blur:0.7 --depth=16 inputs/photo.jpg -o inputs/negative.tif
    everyday tiff
    [[ $(head -c 4 run.tiff/sharp.tif | od -An -tx1 | tr -d ' ') =~ ^(49492a00|4d4d002a)$ ]]
    [ "$(imf -f kernel:1 --json run.tiff/sharp.tif -o o.png | json 'o["depth"]')" = 16 ]
    holds "$(mean run.tiff/sharp.tif laplacian) > 1.1 * $(mean inputs/negative.tif laplacian)"
    # Three pages of 16 bits, each with one spot more than the one before it.
    PYTHONPATH=. python3 -c '
import tiff
pages = []
for page in range(3):
    samples = [1000] * 64 * 48
    for spot in range(page + 1):
        for k in range(16):
            samples[(10 + k // 4) * 64 + 10 + 16 * spot + k % 4] = 9000
    pages.append(samples)
tiff.write("inputs/stack.tif", "H", 64, pages)'
    everyday stack
    for page in 1 2 3; do # the middle of each spot is bright
        imf -f threshold:0.53 --depth=8 --pages=$page run.stack/spots.tif -o spots.pgm
        white=$(tail -c 3072 spots.pgm | tr -d '\0' | wc -c)
        holds "$white % $page == 0 && $white > 3 * $page"
    done
    imf -f median:1 --pages=3 inputs/stack.tif -o last.png
    cmp last.png run.stack/last.png
    cmp last.png run.stack/page003.png
    PYTHONPATH=. python3 -c '
import math, tiff
sky = [[100 + x / 8 + 3 * (x * 7 + y * 13) % 5 for x in range(64)] for y in range(48)]
for x, y, peak in (10, 9, 3e4), (40, 30, 5e5):
    for v in range(48):
        for u in range(64):
            sky[v][u] += peak * math.exp(-((u - x) ** 2 + (v - y) ** 2) / 2)
sky[20][20] = math.nan
tiff.write("inputs/sky.tif", "f", 64, [sum(sky, [])])'
    everyday floats 'sky.tif: warning: missing samples (NaN) become 0$'
    imf -q -f threshold:0.5 --full=20000 run.floats/stars.tif -o stars.pfm # as bright as both were
    imf -q -f threshold:0.9 run.floats/sky.png -o white.pgm
    [ "$(tail -c 12288 stars.pfm | tr -d '\0' | wc -c)" -gt 20 ]
    [ "$(tail -c 3072 white.pgm | tr -d '\0' | wc -c)" -ge 1 ]
    imf -f kernel:1 --range=clip run.floats/slope.tif -o rises.pfm
    if cmp -s <(tail -c 12288 rises.pfm) <(imf -f kernel:1 --format=pfm run.floats/slope.tif -o - | tail -c 12288); then
        return 1
    fi
    imf -f kernel:1 inputs/photo.jpg -o inputs/photo.webp
    everyday webp
    [ "$(head -c 12 run.webp/sharp.webp | tail -c 4)" = WEBP ]
    holds "$(mean run.webp/sharp.webp laplacian) > 1.1 * $(mean inputs/photo.webp laplacian)"
}

@test "bubblewrap: the pictures of a run outside, and nothing else is there" {
    needs bwrap
    bwrap --unshare-all --ro-bind / / true 2>/dev/null || skip "user namespaces are refused"
    prepare
    ln -sf "$IMFILTER" bin/imfilter
    imf -q --backend=vector -r -f unsharp photos/ -o vector/
    recipe bubblewrap
    bash -e recipe.bubblewrap
    diff -r vector sharp
}
