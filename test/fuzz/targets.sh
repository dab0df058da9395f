# targets.sh - the fuzz targets, and what each begins with; sourced in the tree's root
# shellcheck shell=sh

fuzz_targets() {
    basename -s .c test/fuzz/fuzz_*.c | sed 's/^fuzz_//'
}

# Folders of inputs, besides those in which it found something.
fuzz_seeds() { # TARGET
    [ ! -d "test/fuzz/corpus/$1" ] || echo "test/fuzz/corpus/$1"
    case $1 in
    png | jpeg | pnm | tiff | webp | heif | avif | mask) echo testdata ;;
    flt) echo filters ;;
    esac
}

# Words of its inputs' language; those that read pictures of any format have all formats'.
fuzz_dictionary() { # TARGET
    case $1 in
    mask | metadata) (cd test/fuzz/dictionaries && cat png jpeg pnm tiff webp heif avif) ;;
    *) [ ! -f "test/fuzz/dictionaries/$1" ] || cat "test/fuzz/dictionaries/$1" ;;
    esac
}
