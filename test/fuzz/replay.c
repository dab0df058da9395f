/*
 * replay.c - run a fuzz target over files, without a fuzzing engine: replay FILE|DIRECTORY...
 *
 * Each file is tried whole, then cut short at a few lengths, then with a few of its bytes changed:
 * a small, fixed part of what an engine does. A file passes when none of these crashes.
 */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 1 << 17, CUTS = 24, CHANGES = 60 };

static unsigned long files;

static void try_copy(const uint8_t *data, size_t size) {
    /* Exactly as large as its content: reading past the end is seen by a sanitizer. */
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (!copy)
        return;
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void try_file(const char *path) {
    static uint8_t data[LARGEST];
    uint32_t random = 2463534242u;
    FILE *f = fopen(path, "rb");
    if (!f)
        return;
    size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    files++;
    try_copy(data, size);
    if (size > 20000) /* a picture to look at; the small ones have all the forms */
        return;
    for (size_t i = 0; i < CUTS; i++)
        try_copy(data, size * i / CUTS);
    for (int i = 0; i < CHANGES && size > 0; i++) {
        random ^= random << 13, random ^= random >> 17, random ^= random << 5;
        /* Every other change lies in the first 64 bytes, where the headers are. */
        size_t at = random % (i % 2 && size > 64 ? 64 : size);
        uint8_t old = data[at];
        data[at] = (uint8_t)(random >> 8);
        try_copy(data, size);
        data[at] = old;
    }
}

static void try_path(const char *path) {
    struct stat st;
    if (stat(path, &st))
        return;
    if (!S_ISDIR(st.st_mode)) {
        try_file(path);
        return;
    }
    struct dirent **list;
    int n = scandir(path, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char child[4096];
        if (list[i]->d_name[0] != '.' &&
            snprintf(child, sizeof child, "%s/%s", path, list[i]->d_name) < (int)sizeof child)
            try_path(child);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        try_path(argv[i]);
    printf("%s: %lu passed, 0 failed\n", argv[0], files);
    return files == 0;
}
