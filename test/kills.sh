#!/bin/sh
# kills.sh - end a batch at random moments, look at what is there, and go on
#
#     kills.sh [COUNT [IMAGES]]    200 signals, batches of 300
#
# Killed or terminated, into a directory or in place: every file is whole, the old one or the new one;
# what is there is not done again; a terminated run leaves no temporary, a killed one none that
# outlives the next run. Whole rounds are compared with a run that nobody disturbed.
set -u

count=${1:-200}
images=${2:-300}
cd "$(dirname "$0")/.." || exit 1
top=$PWD
imfilter=${IMFILTER:-$top/build/imfilter}
export LC_ALL=C XDG_CACHE_HOME="${XDG_CACHE_HOME:-$top/build/cache}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1

fail() {
    echo "kills: $*" >&2
    echo "kills: $passed passed, 1 failed"
    exit 1
}
random() { # below $1
    n=$(od -An -N4 -tu4 /dev/urandom)
    echo $((n % $1))
}

passed=0
mkdir in want
inputs=0
while [ $inputs -lt "$images" ]; do
    for picture in "$top"/testdata/*.png "$top"/testdata/*.jpg; do
        [ $inputs -lt "$images" ] || break
        cp "$picture" "in/$inputs-${picture##*/}"
        inputs=$((inputs + 1))
    done
done
begin=$(date +%s%N)
"$imfilter" -q -f blur:1.5 -r in -o want/ || fail "the first run: status $?"
takes=$((($(date +%s%N) - begin) / 1000000))

# What is under a name is whole, and there is no other.
check_into() {
    for file in out/*; do
        [ ! -e "$file" ] || cmp -s "$file" "want/${file##*/}" || fail "$file is not whole"
    done
    ls out >names
}
check_in_place() {
    : >names
    for file in now/*; do
        case $file in *.bak) continue ;; esac
        if cmp -s "$file" "want/${file##*/}"; then
            cmp -s "$file.bak" "in/${file##*/}" || fail "$file: its backup is not the original"
            echo "$file" >>names
        else
            cmp -s "$file" "in/${file##*/}" || fail "$file is neither old nor new"
        fi
    done
}
reset_into() { rm -rf out && mkdir out; }
reset_in_place() { rm -rf now && cp -a in now; }
temporaries() { find . -name '.imfilter-*' | sort; }

rounds=0
signals=$((count - count / 4))
for way in into in_place; do
    reset_$way
    : >names
    case $way in
    into) set -- in -o out/ ;;
    in_place) set -- -i.bak now ;;
    esac
    set -- "$imfilter" -q -f blur:1.5 -r --skip-existing --json "$@"
    while [ $signals -gt 0 ]; do
        before=$(wc -l <names)
        temporaries >old
        signal=$([ "$(random 4)" -eq 0 ] && echo TERM || echo KILL)
        "$@" >json 2>/dev/null &
        pid=$!
        ms=$(random $((takes * 3 / 4 + 5)))
        sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
        kill -$signal $pid 2>/dev/null
        wait $pid 2>/dev/null
        status=$?
        case $status in
        0)
            # It was done before: once more, and everything is passed over.
            [ "$(temporaries)" = '' ] || fail "a whole run left $(temporaries)"
            check_$way
            [ "$(wc -l <names)" -eq "$inputs" ] || fail "a whole run made $(wc -l <names) of $inputs"
            "$@" >json || fail "a run with nothing to do: status $?"
            [ "$(grep -c '"status":"skipped"' json)" -eq "$inputs" ] || fail "a run with nothing to do did something"
            rounds=$((rounds + 1))
            reset_$way
            : >names
            continue
            ;;
        137) ;;
        143)
            # Those of a killed run may be there still, if this one wrote nothing.
            new=$(temporaries | comm -13 old -)
            [ "$new" = '' ] || fail "a terminated run left $new"
            ;;
        *) fail "status $status" ;;
        esac
        check_$way
        # Nothing that was there has gone.
        [ "$(wc -l <names)" -ge "$before" ] || fail "of $before files $(wc -l <names) are left"
        signals=$((signals - 1))
        passed=$((passed + 1))
    done
    "$@" >json || fail "the last run: status $?"
    before=$(wc -l <names)
    [ "$(grep -c '"status":"skipped"' json)" -eq "$before" ] || fail "$before were there, $(grep -c '"status":"skipped"' json) passed over"
    check_$way
    [ "$(wc -l <names)" -eq "$inputs" ] || fail "$(wc -l <names) of $inputs"
    [ "$(temporaries)" = '' ] || fail "left at the end: $(temporaries)"
    signals=$((count / 4))
done
echo "kills: $passed signals in $((rounds + 2)) batches of $inputs, one takes $takes ms"
echo "kills: $passed passed, 0 failed"
