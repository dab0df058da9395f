# make install: both libraries, for C and C++ programs by way of pkg-config; make uninstall.
load helper

SOURCE=$BATS_TEST_DIRNAME/..
BUILD=${BUILD:-$SOURCE/build}
CLIENTS=$BATS_TEST_DIRNAME/install
VERSION=$(sed -n 's/^.define IMF_VERSION_[MP][A-Z]* //p' "$SOURCE/lib/imfilter.h" | paste -sd. -)

# What was built is installed; nothing is built again beside the other tests.
make_quietly() { # TARGET VARIABLE=VALUE...
    env -u MAKEFLAGS -u MAKELEVEL make -s -C "$SOURCE" -o all BUILD="$BUILD" "$@"
}

install_here() {
    make_quietly install PREFIX="$PWD/usr"
    export PKG_CONFIG_PATH=$PWD/usr/lib/pkgconfig
    # A program of others lacks the sanitizers' runtime.
    ! nm -u "$BUILD/libimfilter.a" 2>/dev/null | grep -q -e __asan_ -e __ubsan_ || skip "built with sanitizers"
}

# The static library is taken when the linker is told so: by name, with all that it needs.
static_libs() {
    pkg-config --static --libs imfilter | sed 's/-limfilter/-l:libimfilter.a/'
}

needed() { # PROGRAM: the shared libraries that it asks for
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

both_link() { # COMPILER SOURCE OPTION...
    local compiler=$1 source=$2
    shift 2
    # shellcheck disable=SC2046 # lists of options
    "$compiler" "$@" -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags imfilter) "$source" -o shared \
        $(pkg-config --libs imfilter)
    [ "$(needed shared | grep -x libimfilter.so.1)" ]
    [ -z "$(needed shared | grep -e libpng -e libOpenCL)" ]
    [ "$(LD_LIBRARY_PATH=$PWD/usr/lib ./shared)" = "$VERSION ok" ]
    # shellcheck disable=SC2046
    "$compiler" "$@" $(pkg-config --cflags imfilter) "$source" -o static $(static_libs)
    [ -z "$(needed static | grep libimfilter)" ]
    [ "$(./static)" = "$VERSION ok" ]
}

@test "a C program links to both libraries by pkg-config" {
    install_here
    [ "$(pkg-config --modversion imfilter)" = "$VERSION" ]
    both_link cc "$CLIENTS/memory.c" -std=c99
}

@test "the example of the manual filters files" {
    install_here
    # shellcheck disable=SC2046
    cc -std=c99 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags imfilter) "$CLIENTS/file.c" -o file \
        $(pkg-config --libs imfilter)
    export LD_LIBRARY_PATH=$PWD/usr/lib
    make_ppm a.ppm
    ./file invert a.ppm b.png
    imf -f invert a.ppm -o want.png
    [ "$(samples b.png)" = "$(samples want.png)" ]
    ./file blur:1 b.png c.jpg
    [ "$(head -c 3 c.jpg | od -An -tx1)" = " ff d8 ff" ]
    run ./file blurr:1 a.ppm d.png
    [ "$status" -eq 1 ]
    [[ $output == *'did you mean "blur"'* ]]
    [ ! -e d.png ]
    run ./file invert a.ppm
    [ "$status" -eq 2 ]
}

@test "a C++ program too" {
    install_here
    command -v c++ >/dev/null || skip "there is no C++ compiler"
    both_link c++ "$CLIENTS/memory.cc" -std=c++11
}

# By ctypes, of whose struct of settings only the first members are declared.
@test "a Python program too" {
    install_here
    ! nm -u "$BUILD/libimfilter.so" | grep -q __asan_ || skip "built with sanitizers"
    [ "$(python3 "$CLIENTS/client.py" "$PWD/usr/lib/libimfilter.so.1")" = "$VERSION ok" ]
}

@test "the binary interface is the one of 1.0" {
    python3 "$BATS_TEST_DIRNAME/abi.py" "$BUILD/libimfilter.so"
    # What it would find: a symbol that is gone, a struct that grew.
    mkdir -p tree/lib tree/test
    cp "$SOURCE"/lib/imfilter*.h tree/lib
    cp "$SOURCE"/test/{abi.py,abi.txt,header.py} tree/test
    sed -i 's/    int orientation;/    int orientation, turned;/' tree/lib/imfilter_image.h
    echo 'symbol imf_gone IMFILTER_1' >>tree/test/abi.txt
    run python3 tree/test/abi.py "$BUILD/libimfilter.so"
    [ "$status" -eq 1 ]
    [[ $output == *'lost or changed: symbol imf_gone IMFILTER_1'* ]]
    [[ $output == *'lost or changed: struct imf_info '* ]]
    [[ $output == *'(test/abi.py --write adds it): member imf_info.turned at '* ]]
}

@test "the shared library shows what the public headers declare and nothing else" {
    nm -D --defined-only "$BUILD/libimfilter.so" | awk '$2 != "A" {print $3}' | sort >shown
    sed -e 's|/\*.*\*/||' -e '/\/\*/,/\*\//d' "$SOURCE/lib/imfilter.h" "$SOURCE/lib/imfilter_image.h" |
        grep -o '\<imf_[a-z0-9_]*(' | tr -d '(' | sort -u >declared
    [ "$(wc -l <declared)" -gt 40 ]
    sed -i "s/@.*//" shown
    sed -n "s|^    \(imf_.*\);|\1|p" "$SOURCE/lib/libimfilter.map" | sort >versioned
    diff declared versioned
    diff declared shown
    [ -z "$(grep -e imf_filter_picture -e imf_context_guard shown)" ]
    readelf -d "$BUILD/libimfilter.so" | grep -F 'soname: [libimfilter.so.1]'
}

@test "what is installed is all removed again, below DESTDIR" {
    make_quietly install DESTDIR="$PWD/root" PREFIX=/opt/imfilter LIBDIR=/opt/imfilter/lib/here
    for file in bin/imfilter lib/here/libimfilter.a lib/here/libimfilter.so lib/here/libimfilter.so.1 \
        "lib/here/libimfilter.so.$VERSION" lib/here/pkgconfig/imfilter.pc include/imfilter.h include/imfilter_image.h \
        share/imfilter/sobel.flt share/man/man1/imfilter.1 share/man/man3/imfilter_plan.3 share/man/man5/imfilter.5 \
        share/man/man7/imfilter-batch.7 \
        share/man/man7/imfilter-from.7 \
        share/man/man7/imfilter-recipes.7 \
        share/bash-completion/completions/imfilter share/zsh/site-functions/_imfilter \
        share/fish/vendor_completions.d/imfilter.fish; do
        echo "$file"
        [ -f "root/opt/imfilter/$file" ]
    done
    [ "$(cd root/opt/imfilter/include && echo *)" = "imfilter.h imfilter_image.h" ]
    [ -z "$(grep -F "$PWD" root/opt/imfilter/lib/here/pkgconfig/imfilter.pc)" ]
    grep -x 'libdir=${prefix}/lib/here' root/opt/imfilter/lib/here/pkgconfig/imfilter.pc
    echo mine >root/opt/imfilter/share/imfilter/own.flt
    make_quietly uninstall DESTDIR="$PWD/root" PREFIX=/opt/imfilter LIBDIR=/opt/imfilter/lib/here
    [ "$(find root ! -type d)" = root/opt/imfilter/share/imfilter/own.flt ]
    # Of directories those stay that other programs expect, and who has something in them.
    [ "$(find root/opt/imfilter -mindepth 1 -type d -printf '%P ' | tr ' ' '\n' | sort | xargs)" = \
        "bin include lib lib/here share share/imfilter share/man" ]
}

# Debian's packages say their licence in a file of their own, and others take it from the sources.
@test "no licence is installed" {
    make_quietly install DESTDIR="$PWD/root" PREFIX=/usr
    [ -x root/usr/bin/imfilter ]
    [ -z "$(find root -iname '*licen[sc]e*' -o -iname 'COPYING*')" ]
}

# ---- compiling -------------------------------------------------------------------------------

compile_line() { # FILE VARIABLE=VALUE...: how it would be compiled
    local object=$PWD/none/${1%.c}.o
    shift
    make_quietly -n V=1 BUILD="$PWD/none" "$@" "$object" | grep -e " -o $object"
}

level_of() { # FILE CFLAGS: the -O that counts
    compile_line "$1" CFLAGS="$2" | grep -o -e ' -O[^ ]*' | tail -n 1
}

@test "inner loops are compiled with -O3 whatever the packager's flags, the rest as they say" {
    for file in lib/solver/convolution/vector_rows.c lib/solver/rank/network_run.c lib/solver/convolution/reference.c lib/base/image/samples.c; do
        for flags in '-O2 -g' '-g -O2 -fstack-protector-strong -Wformat' -Os -O3 -g; do
            echo "$file $flags"
            [ "$(level_of "$file" "$flags")" = ' -O3' ]
        done
        for level in -O0 -O1 -Og; do
            echo "$file $level"
            [ "$(level_of "$file" "-O2 -g $level")" = " $level" ]
        done
    done
    [ "$(level_of cli/main.c '-Os -g')" = ' -Os' ]
    [ "$(level_of lib/solver/registry.c -O2)" = ' -O2' ]
    [[ $(compile_line lib/solver/convolution/reference.c CFLAGS='-O1 -g' LOOP_FLAGS=-O0) == *' -O1 -g -O0 '* ]]
}

@test "the program and the library are hardened" {
    for file in imfilter libimfilter.so; do
        echo "$file"
        readelf -hW "$BUILD/$file" | grep -w DYN
        readelf -lW "$BUILD/$file" | grep -w GNU_RELRO
        readelf -dW "$BUILD/$file" | grep -w -e BIND_NOW -e NOW
    done
    ! nm -u "$BUILD/libimfilter.a" 2>/dev/null | grep -q -e __asan_ -e __ubsan_ || skip "built with sanitizers"
    for file in imfilter libimfilter.so; do
        nm -D "$BUILD/$file" | grep -w __stack_chk_fail
        nm -D "$BUILD/$file" | grep -e '__[a-z]*printf_chk'
    done
}

@test "hardening is in the way of no flag of the user's" {
    for compiler in cc clang; do
        command -v "$compiler" || continue
        for flags in '-O2 -D_FORTIFY_SOURCE=3' '-O2 -U_FORTIFY_SOURCE' -O0 -g '-O1 -fsanitize=address'; do
            echo "$compiler $flags"
            make_quietly BUILD="$PWD/none" CC="$compiler" CFLAGS="$flags" WERROR=1 "$PWD/none/lib/base/number.o"
        done
    done
    line=$(compile_line lib/base/number.c CFLAGS='-O2 -fno-stack-protector')
    [[ $line == *-fstack-protector-strong*-fno-stack-protector* ]]
}

@test "two folders build the same bytes" {
    local objects=(build/embed.o build/lib/base/number.o build/lib/solver/registry.o build/cli/report/escape.o)
    for folder in one "it's/another one"; do
        mkdir -p "$folder"
        cp -R "$SOURCE/Makefile" "$SOURCE/lib" "$SOURCE/cli" "$SOURCE/cl" "$SOURCE/filters" "$folder"
        env -u MAKEFLAGS -u MAKELEVEL make -s -C "$folder" BUILD=build "${objects[@]}"
    done
    for object in "${objects[@]}"; do
        cmp "one/$object" "it's/another one/$object"
    done
}

@test "zsh looks where its completions are installed, also below /usr" {
    command -v zsh || skip "there is no zsh"
    make_quietly install DESTDIR="$PWD/root" PREFIX=/usr
    directory=$(find root -name _imfilter -printf '/%P\n')
    zsh -fc 'print -l $fpath' | grep -x "${directory%/*}"
}

# bash-completion and fish look below XDG_DATA_DIRS, zsh along its fpath.
@test "shells find the completions that were installed" {
    make_quietly install PREFIX="$PWD/usr"
    export XDG_DATA_DIRS=$PWD/usr/share:/usr/share HOME=$PWD PATH=$PWD/usr/bin:$PATH found=
    type=$BATS_TEST_DIRNAME/completion/type.py
    if command -v zsh; then
        [ "$("$type" zsh "fpath=($PWD/usr/share/zsh/site-functions \$fpath)" 'imfilter --edge=cl')" = 'imfilter --edge=clamp |' ]
        found="$found zsh"
    fi
    if [ -e /usr/share/bash-completion/bash_completion ]; then
        [ "$("$type" bash '. /usr/share/bash-completion/bash_completion' 'imfilter --edge=cl')" = 'imfilter --edge=clamp |' ]
        found="$found bash"
    fi
    if command -v fish; then
        [[ $(fish -c 'complete -C "imfilter --edge=cl"') == --edge=clamp* ]]
        found="$found fish"
    fi
    [ -n "$found" ] || skip "there is neither zsh nor fish nor bash-completion"
}
