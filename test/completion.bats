# --completion: what real shells make of a line, with the scripts printed by the program.
load helper

TYPE=$BATS_TEST_DIRNAME/completion/type.py
HERE=$BATS_TEST_DIRNAME

prepare() { # SHELL
    command -v "$1" >/dev/null || skip "there is no $1"
    imf --completion="$1" >"script.$1"
    mkdir bin out
    ln -s "$IMFILTER" bin/imfilter
    PATH=$PWD/bin:$PATH
    export HOME=$PWD XDG_CONFIG_HOME=$PWD
    touch photo.png 'a b.png' psf.txt
    mkdir own
    echo '1' >own/my-own.flt
    export IMFILTER_PATH=$PWD/own
}

# What TAB makes of each line of standard input, which has that behind "=>"; "|" shows a space at the end.
becomes() { # SHELL SETUP
    sed 's/ *=> .*//' >lines
    mapfile -t lines <lines
    "$TYPE" "$1" "$2" "${lines[@]/#/imfilter }" | sed 's/^imfilter //' | paste -d '~' lines - | sed 's/~/ => /' >got
    diff wanted got
}

# Lines alike in bash and zsh.
common() {
    cat <<'END'
-f blu => -f blur:|
-fblu => -fblur:|
-rf blu => -rf blur:|
-qrfblu => -qrfblur:|
-i ph => -i photo.png |
-fgray ph => -fgray photo.png |
--filter=blu => --filter=blur:|
-f inver => -f invert |
-f my-o => -f my-own |
-f unsharp:si => -f unsharp:sigma=|
-f unsharp:2:am => -f unsharp:2:amount=|
-f unsharp:sigma=1:amount=2: => -f unsharp:sigma=1:amount=2:threshold=|
--filter=bandpass:0.1:0.2:type=bu => --filter=bandpass:0.1:0.2:type=butterworth |
-f blend:soft => -f blend:softlight |
--mask=ph => --mask=photo.png |
-f kernel:@ps => -f kernel:@psf.txt |
-f kernel:fl => -f kernel:flip |
-f median:@ps => -f median:@psf.txt |
-f median:2:shape=d => -f median:2:shape=disk |
-f blur:2 -f emb => -f blur:2 -f emboss|
--edge=cl => --edge=clamp |
--edge cl => --edge clamp |
--edge=co => --edge=constant|
--device=g => --device=gpu |
--format=j => --format=jpeg |
--strip=ex => --strip=exif |
--strip ph => --strip photo.png |
--lin => --linear |
--ran => --range=|
--list-f => --list-filters |
ph => photo.png |
a => a\ b.png |
a\ b.png -f blu => a\ b.png -f blur:|
"a b.png" -f blu => "a b.png" -f blur:|
-f invert ph => -f invert photo.png |
-o ou => -o out/|
--output=ou => --output=out/|
--output=ph => --output=photo.png |
-oou => -oou|
-- ph => -- photo.png |
END
}

@test "bash completes options, values, filters, keys and files" {
    prepare bash
    common | sed 's/^-oou => .*/-oou => -oout\/|/' >wanted
    becomes bash '. ./script.bash' <wanted
}

@test "bash does so with bash-completion, which finds the script by itself" {
    prepare bash
    [ -e /usr/share/bash-completion/bash_completion ] || skip "there is no bash-completion"
    common | sed 's/^-oou => .*/-oou => -oout\/|/' >wanted
    mkdir -p bash-completion/completions
    mv script.bash bash-completion/completions/imfilter
    becomes bash ". /usr/share/bash-completion/bash_completion; BASH_COMPLETION_USER_DIR=$PWD/bash-completion" <wanted
}

@test "bash does so whatever ends its words" {
    prepare bash
    common | sed 's/^-oou => .*/-oou => -oout\/|/' >wanted
    becomes bash $'COMP_WORDBREAKS=$\' \\t\\n"\\\'><;|&(\'; . ./script.bash' <wanted
}

@test "zsh completes options, values, filters, keys and files" {
    prepare zsh
    common | sed 's/^-oou => .*/-oou => -oout\/|/' >wanted
    becomes zsh 'autoload -Uz compinit && compinit -u -D; . ./script.zsh' <wanted
}

@test "zsh finds the script by its name" {
    prepare zsh
    mkdir functions
    mv script.zsh functions/_imfilter
    printf '%s\n' '-f blu => -f blur:|' '--edge=cl => --edge=clamp |' >wanted
    becomes zsh 'fpath=($PWD/functions $fpath)' <wanted
}

# The first words of fish's completions, in one line.
fish_offers() { # LINE
    fish --no-config -c 'source script.fish; complete -C $argv[1]' "imfilter $1" | cut -f 1 | sort | paste -s -d ' '
}

@test "fish completes options, values, filters, keys and files" {
    prepare fish
    while IFS= read -r line; do
        echo "$line; got: $(fish_offers "${line%% => *}")"
        [ "$(fish_offers "${line%% => *}")" = "${line##* => }" ]
    done <<'END'
-f blu => blur:
-fblu => -fblur:
-rf blu => blur:
-i ph => photo.png
--filter=blu => --filter=blur:
-f my-o => my-own
-f sharp => sharpen sharpen:
-f unsharp:si => unsharp:sigma=
--filter=unsharp:sigma=1:amount=2: => --filter=unsharp:sigma=1:amount=2:threshold=
-f bandpass:0.1:0.2:type=bu => bandpass:0.1:0.2:type=butterworth
-f kernel:@ps => kernel:@psf.txt
-f threshold: => threshold:local threshold:otsu threshold:sauvola threshold:t=
-f threshold:sauvola:3: => threshold:sauvola:3:k= threshold:sauvola:3:r=
--edge=c => --edge=clamp --edge=constant --edge=constant:
--edge cl => clamp
--device=g => --device=gpu
--format=j => --format=jpeg
--strip=ex => --strip=exif
--strip ph => photo.png
--lin => --linear
-f invert ph => photo.png
--output=ou => --output=out/
-- ph => photo.png
END
    fish --no-config -c 'source script.fish; complete -C "imfilter -f blu"' | grep -F 'Gaussian blur'
}

options() {
    imf --help | grep -o -- '^ \{2,6\}\(-[a-zA-Z0], \)\?--[a-z-]*' | grep -o -- '--[a-z-]*$' | sort -u
}

offered() { # WORD...: the candidates for the last one
    imf --complete "$@" | sed '1d; s/\t.*//'
}

@test "every option of --help is offered" {
    prepare bash
    diff <(options) <(offered -- | sed 's/=$//' | sort -u)
    command -v fish >/dev/null || skip "there is no fish"
    imf --completion=fish >script.fish
    diff <(options) <(fish_offers -- | tr ' ' '\n' | sed 's/=$//' | sort -u)
}

@test "every word that a refused value's message lists is offered" {
    count=0
    for option in $(options); do
        imf_run "$option=no-such-value" -f invert </dev/null
        # "(clamp, reflect, mirror, wrap or constant[:VALUE])": nothing but words and commas.
        words=$(sed -n 's/.* is not valid (\([^ ,]*\(, [^ ,]*\)* or [^ ,]*\)).*/\1/p' <<<"$stderr" | sed 's/, / /g; s/ or / /')
        [ -n "$words" ] || continue
        count=$((count + 1))
        for word in $words; do
            echo "$option $word"
            [[ $word != *..* ]] || continue # a range of numbers
            offered "$option=" | grep -qxF -- "$option=${word%%[*}"
        done
    done
    echo "$count options with words"
    [ "$count" -ge 8 ]
}

@test "no filter is offered twice" {
    offered -f '' >words
    [ "$(wc -l <words)" -ge 30 ]
    [ -z "$(sort words | uniq -d)" ]
}

@test "every key that is offered is one that its filter takes" {
    local count=0
    for filter in $(offered -f '' | grep ':$') threshold:local: threshold:sauvola:; do
        for spec in $(offered -f "$filter"); do
            count=$((count + 1))
            imf_run -f "$spec" --show-kernel
            echo "$spec $stderr"
            [[ $stderr != *'unknown key'* ]]
        done
    done
    [ "$count" -ge 15 ]
}

@test "a shell that is not known is refused" {
    imf_run --completion=csh
    [ "$status" -eq 2 ]
    one_line '"csh" is not valid (bash, zsh or fish)'
}
