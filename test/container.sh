#!/bin/sh
# container.sh - build the Containerfile and filter a picture in it, as a user other than root, on PoCL
#
# With podman or buildah where they are; else its instructions are carried out in roots that debootstrap makes, which
# tries packages, build and user, but not the image. The last line is "N passed, N failed". Of roots see root.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0

# What is to hold in the container; run in it as its user.
trial='set -e; test "$(id -u)" -ne 0; imfilter --version; imfilter --list-devices | grep -q "^ *0 .*cpu"
imfilter --backend=direct --device=cpu --verify -f sharpen /tmp/still.jpg -o /tmp/sharp.png; test -s /tmp/sharp.png'

verdict() { # STATUS HOW LOG
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "container, $2: ok"
    else
        failed=$((failed + 1))
        tail -n 40 "$3" | sed 's/^/    /'
        echo "container, $2: failed"
    fi
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

if command -v podman >/dev/null || command -v buildah >/dev/null; then
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if command -v podman >/dev/null; then
        podman build -t imfilter-test . >"$log" 2>&1 && podman run --rm -v "$PWD/testdata/still.jpg:/tmp/still.jpg:ro" \
            --entrypoint sh imfilter-test -c "$trial" >>"$log" 2>&1
        verdict $? podman "$log"
    else
        buildah build -t imfilter-test . >"$log" 2>&1 && name=$(buildah from imfilter-test) &&
            buildah copy "$name" testdata/still.jpg /tmp/still.jpg >>"$log" 2>&1 &&
            buildah run "$name" -- sh -c "$trial" >>"$log" 2>&1
        status=$?
        [ -z "${name:-}" ] || buildah rm "$name" >/dev/null
        verdict $status buildah "$log"
    fi
    exit
fi

. test/root.sh
kept=
trap '[ -z "$kept" ] || rm -rf --one-file-system "$kept"; finish' EXIT
user=root

# shellcheck disable=SC2154 # root.sh sets cache and arch
from() { # debian:SUITE-slim
    suite=${1##*:}
    suite=${suite%-slim}
    # There is one stage before the last: what it built is copied from it.
    kept=$root
    root=
    { [ -f "$cache/$suite-$arch.tar" ] || bootstrap "$suite" "$cache/$suite-$arch.tar"; } && unpack_root "$cache/$suite-$arch.tar"
}

copy() { # [--from=STAGE] SOURCE TARGET
    mkdir -p "$root$(dirname "${3:-$2}")"
    case $1 in
    --from=*) cp -R "$kept$2" "$root$3" ;;
    *) mkdir -p "$root$2" && { git archive HEAD 2>/dev/null || tar --exclude=./build -cf - .; } | tar -C "$root$2" --no-same-owner -xf - ;;
    esac
}

follow() {
    while read -r instruction rest; do
        case $instruction in
        '' | '#'* | ENTRYPOINT) ;;
        FROM) from "${rest%% AS *}" || return 1 ;;
        RUN) inside env DEBIAN_FRONTEND=noninteractive sh -c "$rest" || return 1 ;;
        COPY)
            # shellcheck disable=SC2086 # words
            copy $rest || return 1
            ;;
        USER) user=$rest ;;
        WORKDIR) mkdir -p "$root$rest" ;;
        *) echo "container.sh: $instruction is not known here" && return 1 ;;
        esac
    done <Containerfile
    cp testdata/still.jpg "$root/tmp/still.jpg" && inside su "$user" -s /bin/sh -c "$trial"
}

follow >"$log" 2>&1
verdict $? debootstrap "$log"
