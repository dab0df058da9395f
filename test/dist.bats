# make dist: a tarball of the same bytes, whatever the folder, time, locale and umask; it builds without git.
load helper

SOURCE=$BATS_TEST_DIRNAME/..

# Without .git, as a tarball leaves it, and without what was built.
tree() { # FOLDER
    mkdir -p "$1"
    tar -C "$SOURCE" --exclude=./.git --exclude=./build --exclude='./build-*' --exclude=./testdata -cf - . | tar -C "$1" -xf -
}

pack() { # FOLDER VARIABLE=VALUE...
    local folder=$1
    shift
    env "$@" SOURCE_DATE_EPOCH=1790000000 sh "$folder/test/dist.sh" 1.0.0 "$folder/build" >/dev/null
}

@test "two folders, times, locales and umasks give the same bytes" {
    tree one
    tree "it's/another one"
    chmod -R go-rwx one
    find one -exec touch -d 2001-02-03 {} +
    touch one/lib/left.o
    (umask 077 && pack one LC_ALL=C TZ=UTC)
    pack "it's/another one" LC_ALL=C.UTF-8 TZ=Asia/Tokyo
    cmp one/build/imfilter-1.0.0.tar.gz "it's/another one/build/imfilter-1.0.0.tar.gz"
    tar -tzf one/build/imfilter-1.0.0.tar.gz >list
    grep -qx imfilter-1.0.0/Makefile list
    [ -z "$(grep -e '\.o$' -e /debian/ -e /build/ list)" ]
}

@test "what was unpacked builds, and packs to the same bytes again" {
    tree one
    pack one
    tar -xzf one/build/imfilter-1.0.0.tar.gz
    [ ! -e imfilter-1.0.0/.git ]
    env -u MAKEFLAGS -u MAKELEVEL make -s -C imfilter-1.0.0 BUILD=build build/lib/base/number.o
    sh imfilter-1.0.0/test/dist.sh 1.0.0 "$PWD/again" >/dev/null
    cmp one/build/imfilter-1.0.0.tar.gz again/imfilter-1.0.0.tar.gz
}
