#!/bin/sh
# dist.sh - pack the tree as imfilter-VERSION.tar.gz: dist.sh VERSION FOLDER
#
# In a clone: what is committed; elsewhere, as in an unpacked tarball: every file but what was built. debian/ stays out,
# as a distribution's packaging goes beside the source that it packages. The same files
# give the same bytes, whatever the folder, time, user, umask and locale. Times are $SOURCE_DATE_EPOCH, or else the
# commit's; without git, CHANGELOG.md's, which the tarball set to that.
set -eu
export LC_ALL=C TZ=UTC
[ $# -eq 2 ] || { echo "usage: dist.sh VERSION FOLDER" >&2; exit 2; }
version=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$tree/imfilter-$version"
if [ -e .git ] && command -v git >/dev/null; then
    git archive HEAD | tar -C "$tree/imfilter-$version" -xf -
    time=$(git log -1 --format=%ct)
else
    # As .gitignore has it, and what dpkg-buildpackage makes.
    tar --exclude=./.git --exclude=./build --exclude='./build-*' --exclude=./imfilter --exclude='*.o' --exclude=./.pc \
        -cf - . |
        tar -C "$tree/imfilter-$version" -xf -
    time=$(stat -c %Y CHANGELOG.md)
fi
rm -rf "$tree/imfilter-$version/debian"
tar -C "$tree" --sort=name --format=ustar --mtime="@${SOURCE_DATE_EPOCH:-$time}" --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go=rX -cf - "imfilter-$version" | gzip -9n >"$folder/imfilter-$version.tar.gz.part"
mv "$folder/imfilter-$version.tar.gz.part" "$folder/imfilter-$version.tar.gz"
echo "$folder/imfilter-$version.tar.gz"
