/*
 * probe.c - try the device in a child process, once
 *
 * How the trial ended is kept under a key of all that it may depend on: the machine, the files that
 * name drivers, the linker or the libraries, the variables that drivers read. A good end holds as
 * long as those are the same; a bad one is tried again after an hour.
 */
#include "device/open/probe.h"

#include "base/clock.h"
#include "device/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FORGET_SECONDS 3600
#define VENDORS "/etc/OpenCL/vendors"
#define EGL_VENDORS "/etc/glvnd/egl_vendor.d:/usr/share/glvnd/egl_vendor.d"

extern char **environ;

/* ---- what a result depends on ---------------------------------------------------------------- */

static void add_number(struct imf_cache_key *key, uint64_t n) {
    char text[32];
    snprintf(text, sizeof text, "%llx", (unsigned long long)n);
    imf_cache_key_add(key, text);
}

/* A file's name and identity. */
static void add_file(struct imf_cache_key *key, const char *path) {
    struct stat st;
    imf_cache_key_add(key, path);
    if (stat(path, &st) != 0) {
        imf_cache_key_add(key, "absent");
        return;
    }
    const uint64_t identity[] = {st.st_dev,
                                 st.st_ino,
                                 st.st_mode,
                                 (uint64_t)st.st_size,
                                 (uint64_t)st.st_mtim.tv_sec,
                                 (uint64_t)st.st_mtim.tv_nsec};
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++)
        add_number(key, identity[i]);
}

/* A file that names a driver, and the driver if the name is a path. */
static void add_icd(struct imf_cache_key *key, const char *path) {
    char line[512] = "";
    add_file(key, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, line, sizeof line - 1) : 0;
    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    imf_cache_key_add(key, line);
    if (line[0] == '/')
        add_file(key, line);
}

/* The sum over a directory's files that name drivers, so that their order does not matter. */
static void add_vendors(struct imf_cache_key *key, const char *path, const char *ending,
                        void (*add)(struct imf_cache_key *key, const char *path)) {
    DIR *d = opendir(path);
    if (!d) {
        add(key, path);
        return;
    }
    uint64_t sum[2] = {0, 0};
    for (struct dirent *e; (e = readdir(d));) {
        char *file = NULL;
        struct imf_cache_key one;
        const char *end = strrchr(e->d_name, '.');
        if (!end || strcmp(end, ending) != 0 || asprintf(&file, "%s/%s", path, e->d_name) < 0)
            continue;
        imf_cache_key_start(&one);
        add(&one, file);
        sum[0] += one.high;
        sum[1] += one.low;
        free(file);
    }
    closedir(d);
    add_number(key, sum[0]);
    add_number(key, sum[1]);
}

/* The file of that name which is found first in a path of directories. */
static void add_first(struct imf_cache_key *key, const char *path, const char *name, int mode) {
    for (const char *p = path ? path : ""; *p;) {
        size_t n = strcspn(p, ":");
        char *file = NULL;
        if (n > 0 && asprintf(&file, "%.*s/%s", (int)n, p, name) >= 0) {
            bool found = access(file, mode) == 0;
            if (found)
                add_file(key, file);
            free(file);
            if (found)
                return;
        }
        p += n + (p[n] == ':');
    }
    imf_cache_key_add(key, "absent");
}

/* Each of a list of paths. */
static void add_each(struct imf_cache_key *key, const char *list, bool directories) {
    for (const char *p = list ? list : ""; *p;) {
        size_t n = strcspn(p, ":");
        char *file = strndup(p, n);
        if (file && directories)
            add_vendors(key, file, ".json", add_file);
        else if (file)
            add_file(key, file);
        free(file);
        p += n + (p[n] == ':');
    }
}

/* Files that name drivers, and the linker that PoCL would find. */
static void add_opencl(struct imf_cache_key *key) {
    const char *vendors = getenv("OCL_ICD_VENDORS");
    add_vendors(key, vendors && *vendors ? vendors : VENDORS, ".icd", add_icd);
    add_each(key, getenv("OCL_ICD_FILENAMES"), false);
    imf_cache_key_add(key, access("/sys/devices/system/cpu", X_OK) == 0 ? "sys" : "no sys");
    add_first(key, getenv("PATH"), "ld", X_OK);
}

/* Libraries that are found before the system's, files that name drivers, and the GPUs that may be
 * opened: which drivers are loaded goes by those. */
static void add_gles(struct imf_cache_key *key) {
    static const char *const libraries[] = {"libEGL.so.1", "libEGL.so", "libGLESv2.so.2",
                                            "libGLESv2.so"};
    const char *directories = getenv("__EGL_VENDOR_LIBRARY_DIRS");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        add_first(key, getenv("LD_LIBRARY_PATH"), libraries[i], R_OK);
    add_each(key, directories && *directories ? directories : EGL_VENDORS, true);
    add_each(key, getenv("__EGL_VENDOR_LIBRARY_FILENAMES"), false);
    uint64_t nodes = 0;
    for (int i = 0; i < 16; i++) {
        char node[32];
        snprintf(node, sizeof node, "/dev/dri/renderD%d", 128 + i);
        nodes |= (uint64_t)(access(node, R_OK | W_OK) == 0) << i;
    }
    add_number(key, nodes);
}

/* How the names begin of variables that drivers read. */
static const char *const opencl_prefixes[] = {
    "OCL_",     "OPENCL_",  "POCL_", "LD_",  "CUDA_", "AMD_", "LIBGL",   "MESA_",
    "GALLIUM_", "RUSTICL_", "LP_",   "HSA_", "ROCR_", "ZE_",  "ONEAPI_", NULL};
static const char *const gles_prefixes[] = {"EGL_",     "__EGL_",   "__GL", "LD_",  "LIBGL",
                                            "MESA_",    "GALLIUM_", "LP_",  "DRI_", "VK_",
                                            "DISPLAY=", "WAYLAND_", NULL};
static const struct {
    const char *name, *hint; /* what a bad end is told of, and what may help */
    const char *const *prefixes;
    void (*add)(struct imf_cache_key *key);
} subjects[] = {
    [IMF_PROBE_OPENCL] = {"the OpenCL driver",
                          " (OCL_ICD_VENDORS chooses drivers, --backend=vector does without)",
                          opencl_prefixes, add_opencl},
    [IMF_PROBE_GLES] = {"OpenGL ES", "", gles_prefixes, add_gles},
};

void imf_drivers_key(struct imf_cache_key *key, enum imf_probe_of of, const char *const *argv) {
    struct utsname machine;
    imf_cache_key_start(key);
    imf_cache_key_add(key, "probe " IMF_VERSION);
    if (uname(&machine) == 0) {
        imf_cache_key_add(key, machine.nodename);
        imf_cache_key_add(key, machine.release);
    }
    for (int i = 1; argv[i]; i++)
        imf_cache_key_add(key, argv[i]);
    uint64_t variables = 0;
    for (char **v = environ; v && *v; v++)
        for (const char *const *p = subjects[of].prefixes; *p; p++)
            if (strncmp(*v, *p, strlen(*p)) == 0) {
                struct imf_cache_key one;
                imf_cache_key_start(&one);
                imf_cache_key_add(&one, *v);
                variables += one.low;
            }
    add_number(key, variables);
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_NPROC, RLIMIT_NOFILE};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit = {0};
        getrlimit((unsigned)limits[i], &limit);
        add_number(key, limit.rlim_cur);
    }
    add_file(key, "/etc/ld.so.cache"); /* changes when a library is installed or removed */
    subjects[of].add(key);
}

/* ---- the trial ------------------------------------------------------------------------------- */

/* The environment with another POCL_CACHE_DIR; the caller frees the array only. */
static char **environment_with(char *variable) {
    size_t n = 0, kept = 0;
    while (environ && environ[n])
        n++;
    char **list = malloc((n + 2) * sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        if (strncmp(environ[i], "POCL_CACHE_DIR=", 15) != 0)
            list[kept++] = environ[i];
    if (list) {
        list[kept++] = variable;
        list[kept] = NULL;
    }
    return list;
}

/* In a process group of its own, so that its own children end with it; silent. They hold the lock as
 * well. */
static bool start(pid_t *child, const char *const *argv, char **environment, int lock) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    /* Whatever the caller's thread has blocked is not the child's. */
    sigset_t none;
    sigemptyset(&none);
    bool ok =
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
        posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawn_file_actions_adddup2(&files, 1, 2) == 0 &&
        (lock < 0 || posix_spawn_file_actions_adddup2(&files, lock, lock) == 0) &&
        posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK) ==
            0 &&
        posix_spawn(child, argv[0], &files, &attributes, (char *const *)argv, environment) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return ok;
}

/* Whether the child ended in time; *lost: somebody else was told how. */
static bool wait_for(pid_t child, double seconds, int *status, bool *lost) {
    struct timespec pause = {.tv_nsec = 1000000};
    double end = imf_now_ms() + seconds * 1e3;
    do {
        pid_t got = waitpid(child, status, WNOHANG);
        *lost = got < 0 && errno == ECHILD; /* SIGCHLD is ignored */
        if (got == child || *lost)
            return true;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 16000000)
            pause.tv_nsec *= 2;
    } while (imf_now_ms() < end);
    return false;
}

/* How it ended badly, or "" when it did not; false when that is not known. */
static bool try(const char *const *argv, const char *cache_dir, unsigned seconds, char *text,
                size_t size) {
    static const struct {
        int number;
        const char *name;
    } signals[] = {{SIGABRT, "SIGABRT"}, {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},
                   {SIGILL, "SIGILL"},   {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"}};
    int lock = -1;
    char *directory = imf_temporary_directory(cache_dir, &lock), *variable = NULL;
    if (directory && asprintf(&variable, "POCL_CACHE_DIR=%s", directory) < 0)
        variable = NULL;
    char **environment = environment_with(variable);
    pid_t child;
    int status = 0;
    bool lost = true;
    text[0] = '\0';
    if (start(&child, argv, environment ? environment : environ, lock)) {
        if (!wait_for(child, seconds, &status, &lost)) {
            bool ignored;
            kill(-child, SIGKILL);
            wait_for(child, 1, &status, &ignored); /* a driver may hang where no signal comes */
            snprintf(text, size, "did not end within %u s", seconds);
        } else if (!lost && WIFSIGNALED(status)) {
            snprintf(text, size, "was ended by signal %d", WTERMSIG(status));
            for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
                if (signals[i].number == WTERMSIG(status))
                    snprintf(text, size, "was ended by %s", signals[i].name);
        } else if (!lost && WEXITSTATUS(status) == IMF_PROBE_WRONG) {
            snprintf(text, size, "made wrong samples");
        }
    }
    free(environment);
    free(variable);
    if (directory)
        imf_temporary_remove(directory, lock);
    return !lost;
}

/* ---- results --------------------------------------------------------------------------------- */

struct result {
    int64_t when; /* seconds since 1970 */
    char text[64];
};

static bool known(const char *cache_dir, const struct imf_cache_key *key, struct result *r) {
    size_t size;
    void *data = imf_cache_load(cache_dir, key, &size);
    bool ok = data && size == sizeof *r;
    if (ok) {
        memcpy(r, data, sizeof *r);
        r->text[sizeof r->text - 1] = '\0';
        int64_t now = (int64_t)time(NULL);
        ok = !r->text[0] || (r->when <= now && r->when > now - FORGET_SECONDS);
    }
    free(data);
    return ok;
}

enum imf_status imf_probe(const char *cache_dir, enum imf_probe_of of, const char *const *argv,
                          unsigned seconds, struct imf_error *err) {
    struct imf_cache_key key;
    struct result r;
    imf_drivers_key(&key, of, argv);
    if (!known(cache_dir, &key, &r)) {
        int lock = imf_cache_lock(cache_dir, &key); /* one tries, the others wait for it */
        if (!known(cache_dir, &key, &r)) {
            memset(&r, 0, sizeof r);
            bool told = try(argv, cache_dir, seconds, r.text, sizeof r.text);
            r.when = (int64_t)time(NULL);
            if (told)
                imf_cache_store(cache_dir, &key, &r, sizeof r);
        }
        imf_cache_unlock(lock);
    }
    if (!r.text[0])
        return IMF_OK;
    return imf_fail(err, IMF_ERR_NO_DEVICE, "%s is unusable: a trial of it %s%s", subjects[of].name,
                    r.text, subjects[of].hint);
}

void imf_probe_crashed(const char *cache_dir, enum imf_probe_of of, const char *const *argv,
                       bool refuse) {
    struct imf_cache_key key;
    struct result r = {.when = (int64_t)time(NULL), .text = "ended well, but runs crashed again"};
    imf_drivers_key(&key, of, argv);
    if (refuse)
        imf_cache_store(cache_dir, &key, &r, sizeof r);
    else
        imf_cache_remove(cache_dir, &key);
}
