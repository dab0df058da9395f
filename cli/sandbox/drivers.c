/*
 * drivers.c - what OpenCL drivers need of a sandbox
 *
 * PoCL is known: it reads what the system has installed, writes to its cache, and may run a linker.
 * What others need differs between versions, so that they are not restricted.
 */
#include "sandbox/drivers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/path.h"
#include "sandbox/landlock.h"

enum {
    READ = LANDLOCK_READ,
    READ_RUN = LANDLOCK_READ | LANDLOCK_RUN,
    READ_WRITE = LANDLOCK_READ | LANDLOCK_WRITE
};

bool drivers_used(const struct options *o) {
    enum imf_backend b = o->settings.backend;
    return o->spec_count > 0 && b != IMF_BACKEND_CPU && b != IMF_BACKEND_VECTOR;
}

/* ---- which they are ------------------------------------------------------------------------- */

/* The library that an .icd file names. */
static const char *read_name(const char *path, char line[256]) {
    FILE *f = fopen(path, "re");
    line[0] = '\0';
    if (f && !fgets(line, 256, f))
        line[0] = '\0';
    if (f)
        fclose(f);
    line[strcspn(line, "\r\n")] = '\0';
    return path_base(line);
}

static bool is_pocl(const char *library) {
    return strncmp(library, "libpocl", 7) == 0;
}

static bool is_known(const char *path, char line[256]) {
    const char *end = path_extension(path);
    return !end || strcmp(end, "icd") != 0 || is_pocl(read_name(path, line));
}

/* The first file there of a driver that is not known: its library's name is in line. */
static bool has_unknown(const char *vendors, char line[256]) {
    struct stat st;
    if (stat(vendors, &st) != 0)
        return false;
    if (!S_ISDIR(st.st_mode))
        return !is_known(vendors, line);
    DIR *d = opendir(vendors);
    bool unknown = false;
    for (struct dirent *e; d && !unknown && (e = readdir(d));) {
        char *path = format_text("%s/%s", vendors, e->d_name);
        unknown = !path || !is_known(path, line);
        free(path);
    }
    if (d)
        closedir(d);
    return unknown;
}

/* Variables with which the loader finds drivers by other ways. */
static const char *other_way(void) {
    static const char *const names[] = {"OCL_ICD_FILENAMES", "OPENCL_LAYERS", "OCL_ICD_LAYERS",
                                        "OPENCL_VENDOR_PATH"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return names[i];
    }
    return NULL;
}

static const char *vendors_directory(void) {
    const char *vendors = getenv("OCL_ICD_VENDORS");
    return vendors && *vendors ? vendors : "/etc/OpenCL/vendors";
}

const char *drivers_why_not(const struct options *o, char why[DRIVERS_WHY]) {
    char library[256] = "";
    const char *variable = other_way(), *vendors = vendors_directory();
    if (o->settings.backend == IMF_BACKEND_GLES)
        snprintf(why, DRIVERS_WHY, "drivers of OpenGL ES may need more than it allows");
    else if (variable)
        snprintf(why, DRIVERS_WHY, "%s chooses drivers, which may need more than it allows",
                 variable);
    else if (vendors[0] != '/' && access(vendors, F_OK) != 0 && !is_pocl(vendors))
        snprintf(why, DRIVERS_WHY, "the OpenCL driver %.100s may need more than it allows",
                 vendors);
    else if (has_unknown(vendors, library))
        snprintf(why, DRIVERS_WHY,
                 "the OpenCL driver %.100s may need more than it allows (--backend=vector does "
                 "without drivers)",
                 *library ? library : vendors);
    else
        return NULL;
    return why;
}

/* ---- what they need ------------------------------------------------------------------------- */

/* The library's cache, or NULL. The caller frees it. */
static char *cache_directory(const struct options *o) {
    char *cache = NULL;
    if (o->context.cache_dir)
        return *o->context.cache_dir ? strdup(o->context.cache_dir) : NULL;
    return imf_default_cache_dir(&cache) ? cache : NULL;
}

static void make_directories(char *path) {
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
}

bool drivers_allow_cache(int rules, const struct options *o) {
    char *cache = cache_directory(o);
    bool done = !cache || landlock_allow(rules, cache, READ);
    free(cache);
    return done;
}

/* The cache; where there is none that can be written, temporary directories take its place. */
static bool allow_cache(int rules, const struct options *o) {
    char *cache = cache_directory(o);
    const char *pocl = getenv("POCL_CACHE_DIR"), *temporary = getenv("TMPDIR");
    struct stat st;
    if (cache)
        make_directories(cache);
    bool usable = cache && lstat(cache, &st) == 0 && S_ISDIR(st.st_mode) &&
                  st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
                  access(cache, W_OK | X_OK) == 0;
    bool done = !usable || landlock_allow(rules, cache, READ_WRITE);
    free(cache);
    if (done && pocl && *pocl)
        done = landlock_allow(rules, pocl, READ_WRITE);
    if (done && !usable && temporary && *temporary == '/')
        done = landlock_allow(rules, temporary, READ_WRITE);
    return done && (usable || landlock_allow(rules, "/tmp", READ_WRITE));
}

/* Directories of a variable like PATH. */
static bool allow_each(int rules, const char *variable) {
    const char *list = getenv(variable);
    char *copy = strdup(list ? list : ""), *rest = copy;
    bool done = copy != NULL;
    for (char *at; done && (at = strsep(&rest, ":")) != NULL;)
        done = at[0] != '/' || landlock_allow(rules, at, READ);
    free(copy);
    return done;
}

bool drivers_allow(int rules, const struct options *o) {
    /* The program runs itself to try the device first. */
    static const char *const run[] = {"/usr",   "/bin",   "/sbin", "/lib",
                                      "/lib32", "/lib64", "/opt",  "/proc/self/exe"};
    char line[256];
    bool done = landlock_allow(rules, "/etc", READ) &&
                landlock_allow(rules, vendors_directory(), READ) &&
                allow_each(rules, "LD_LIBRARY_PATH") && allow_cache(rules, o);
    for (size_t i = 0; i < sizeof run / sizeof *run && done; i++)
        done = landlock_allow(rules, run[i], READ_RUN);
    /* A driver elsewhere, with what lies beside it. */
    DIR *d = done ? opendir(vendors_directory()) : NULL;
    for (struct dirent *e; d && done && (e = readdir(d));) {
        char *path = format_text("%s/%s", vendors_directory(), e->d_name);
        if (path && e->d_name[0] != '.' && read_name(path, line) != line) {
            *strrchr(line, '/') = '\0';
            done = !*line || landlock_allow(rules, line, READ);
        }
        free(path);
    }
    if (d)
        closedir(d);
    return done;
}
