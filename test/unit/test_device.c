/* test_device.c - the device module: devices, defines, the program cache and its damage */
#include "base/clock.h"
#include "check.h"
#include "device/opencl.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void remove_entries(const char *dir) {
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' || strncmp(e->d_name, ".tmp", 4) == 0)
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

/* What a device or platform says of itself, or what a test has it say. */
static cl_uint overridden;
static bool mute;
static cl_int answer(cl_uint what, size_t size, void *value, size_t *length) {
    static const char text[] = "OpenCL 3.0 of another make";
    if (mute || size < sizeof text || what != overridden)
        return CL_INVALID_VALUE;
    memcpy(value, text, sizeof text);
    *length = sizeof text;
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                       size_t *length) {
    union {
        void *object;
        cl_int (*f)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    } real = {dlsym(RTLD_NEXT, "clGetDeviceInfo")};
    return what == overridden ? answer(what, size, value, length)
                              : real.f(id, what, size, value, length);
}

cl_int clGetPlatformInfo(cl_platform_id id, cl_platform_info what, size_t size, void *value,
                         size_t *length) {
    union {
        void *object;
        cl_int (*f)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
    } real = {dlsym(RTLD_NEXT, "clGetPlatformInfo")};
    return what == overridden ? answer(what, size, value, length)
                              : real.f(id, what, size, value, length);
}

/* Path of the only entry and the number of entries. */
/* Calls that a test has fail, or counts. */
static bool no_callback;
static int finished;
cl_int clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *f)(cl_mem, void *),
                                        void *data) {
    union {
        void *object;
        cl_int (*f)(cl_mem, void(CL_CALLBACK *)(cl_mem, void *), void *);
    } real = {dlsym(RTLD_NEXT, "clSetMemObjectDestructorCallback")};
    return no_callback ? CL_OUT_OF_HOST_MEMORY : real.f(mem, f, data);
}

cl_int clFinish(cl_command_queue queue) {
    union {
        void *object;
        cl_int (*f)(cl_command_queue);
    } real = {dlsym(RTLD_NEXT, "clFinish")};
    finished++;
    return real.f(queue);
}

static int entries(const char *dir, char path[512]) {
    DIR *d = opendir(dir);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strstr(e->d_name, ".clbin"))
            continue;
        snprintf(path, 512, "%s/%s", dir, e->d_name);
        n++;
    }
    if (d)
        closedir(d);
    return n;
}

static void test_defines(void) {
    struct imf_defines d = {0};
    const double floats[] = {0.0, 1.0, -0.75, 0.1, 1e-30, 3e38, -8.0};
    const double ints[] = {0, -1, 2147483647.0};
    imf_define(&d, "VEC", "%d", 16);
    imf_define_floats(&d, "F", floats, sizeof floats / sizeof *floats);
    imf_define_ints(&d, "N", ints, 3);
    CHECK(!d.failed, "out of memory");
    CHECK(strncmp(d.text, "#define VEC 16\n#define F 0.0f,0x1p0f,-0x3p-2f,", 46) == 0, "%s",
          d.text);
    CHECK(strstr(d.text, "#define N 0,-1,2147483647\n"), "%s", d.text);
    const char *p = strstr(d.text, "F ") + 2;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        char *end;
        float v = strtof(p, &end);
        CHECK(v == (float)floats[i] && *end == 'f', "value %zu: %a", i, v);
        p = end + 2;
    }
    imf_defines_free(&d);
    CHECK(!d.text && !d.capacity, "not freed");
    for (int i = 0; i < 3000; i++)
        imf_define(&d, "LONG", "%d", i);
    CHECK(!d.failed && strlen(d.text) == d.length, "length %zu", d.length);
    imf_defines_free(&d);
}

static void test_errors(void) {
    struct imf_error err;
    CHECK(imf_cl_fail(&err, CL_OUT_OF_RESOURCES, "x") == IMF_ERR_DEVICE, "status");
    CHECK(strcmp(err.text, "x: CL_OUT_OF_RESOURCES (-5)") == 0, "%s", err.text);
    CHECK(err.cl_code == -5, "%d", err.cl_code);
    CHECK(imf_cl_fail(&err, CL_OUT_OF_HOST_MEMORY, "x") == IMF_ERR_MEMORY, "status");
    CHECK(imf_cl_fail(NULL, -12345, "x") == IMF_ERR_DEVICE, "no error struct");
}

static bool loads(const char *dir, const struct imf_cache_key *key) {
    size_t size;
    void *data = imf_cache_load(dir, key, &size);
    free(data);
    return data != NULL;
}

/* Only what is ours, that nobody else can write and no link leads to. */
static void test_trust(const char *dir) {
    char cache[300], link[320], path[512], moved[540];
    struct imf_cache_key key;
    imf_cache_key_start(&key);
    imf_cache_key_add(&key, "trust");
    snprintf(cache, sizeof cache, "%s/trust", dir);
    snprintf(link, sizeof link, "%s/link", dir);
    CHECK(imf_cache_store(cache, &key, "binary", 6) && loads(cache, &key), "stored");
    entries(cache, path);
    CHECK(symlink(cache, link) == 0, "symlink");
    CHECK(!loads(link, &key) && !imf_cache_store(link, &key, "binary", 6), "a link to it");
    strcat(link, "/");
    CHECK(!loads(link, &key), "a link with a slash");
    link[strlen(link) - 1] = '\0';
    for (int i = 0; i < 2; i++) {
        const char *what = i ? path : cache;
        mode_t mode = i ? 0600 : 0700;
        CHECK(chmod(what, mode | 020) == 0 && !loads(cache, &key), "%s: its group", what);
        CHECK(chmod(what, mode | 002) == 0 && !loads(cache, &key), "%s: everybody", what);
        CHECK(i || !imf_cache_store(cache, &key, "binary", 6), "storing where all can");
        CHECK(chmod(what, mode | 044) == 0 && loads(cache, &key), "%s: who reads may", what);
        if (geteuid() == 0) {
            CHECK(chown(what, 65534, (gid_t)-1) == 0 && !loads(cache, &key), "%s: owner", what);
            CHECK(chown(what, 0, (gid_t)-1) == 0 && loads(cache, &key), "%s: ours again", what);
        }
    }
    snprintf(moved, sizeof moved, "%s.moved", path);
    CHECK(rename(path, moved) == 0 && symlink(moved, path) == 0, "rename");
    CHECK(!loads(cache, &key), "an entry that is a link");
    CHECK(imf_cache_store(cache, &key, "binary", 6) && loads(cache, &key), "replaced");
    CHECK(access(moved, F_OK) == 0, "what the link led to is left alone");
    unlink(moved);
    unlink(path);
    unlink(link);
    remove_entries(cache);
    rmdir(cache);
}

/* By bytes, and what writers left behind that were killed. */
static void test_prune(const char *dir) {
    static char data[(size_t)8 << 20];
    char cache[300], path[512], fresh[320], stale[320];
    struct imf_cache_key key;
    imf_cache_key_start(&key);
    snprintf(cache, sizeof cache, "%s/bytes", dir);
    const struct timespec old[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    for (int i = 0; i < 9; i++) {
        imf_cache_key_add(&key, "x");
        CHECK(imf_cache_store(cache, &key, data, sizeof data), "store %d", i);
        if (i == 0 && entries(cache, path)) /* others are less than a second apart */
            utimensat(AT_FDCWD, path, old, 0);
    }
    CHECK(access(path, F_OK) != 0, "the oldest is removed");
    int kept = entries(cache, path);
    CHECK(kept >= 4 && kept <= 8, "%d entries of 8 MB are kept", kept);
    CHECK(loads(cache, &key), "the newest is kept");
    snprintf(stale, sizeof stale, "%s/.tmpstale", cache);
    snprintf(fresh, sizeof fresh, "%s/.tmpfresh", cache);
    close(open(stale, O_CREAT | O_WRONLY, 0600));
    close(open(fresh, O_CREAT | O_WRONLY, 0600));
    utimensat(AT_FDCWD, stale, old, 0);
    CHECK(imf_cache_store(cache, &key, "binary", 6), "store");
    CHECK(access(stale, F_OK) != 0 && access(fresh, F_OK) == 0, "temporaries");
    remove_entries(cache);
    rmdir(cache);
}

static void test_key(void) {
    struct imf_cache_key key;
    imf_cache_key_start(&key);
    imf_cache_key_add(&key, "imfilter"); /* FNV-1a of 128 bits, by its definition */
    CHECK(key.high == 0xa487e8e37805e85au && key.low == 0xf0d505a282cfce5fu && key.length == 9,
          "%llx %llx", (unsigned long long)key.high, (unsigned long long)key.low);
}

static void test_cache(const char *dir) {
    char deep[300], path[512];
    snprintf(deep, sizeof deep, "%s/a/b", dir);
    struct imf_cache_key key, other;
    imf_cache_key_start(&key);
    other = key;
    imf_cache_key_add(&key, "ab");
    imf_cache_key_add(&key, "c");
    imf_cache_key_add(&other, "a");
    imf_cache_key_add(&other, "bc");
    CHECK(memcmp(&key, &other, sizeof key) != 0, "keys must differ");
    size_t size;
    CHECK(!imf_cache_load(deep, &key, &size), "empty cache");
    CHECK(!imf_cache_load(NULL, &key, &size) && !imf_cache_store(NULL, &key, "x", 1), "no cache");
    const char data[] = "a device binary of some length";
    CHECK(imf_cache_store(deep, &key, data, sizeof data), "store");
    struct stat st;
    CHECK(stat(deep, &st) == 0 && (st.st_mode & 0777) == 0700, "mode %o", (unsigned)st.st_mode);
    CHECK(entries(deep, path) == 1, "one file");
    char *got = imf_cache_load(deep, &key, &size);
    CHECK(got && size == sizeof data && memcmp(got, data, size) == 0, "what was stored");
    free(got);
    CHECK(!imf_cache_load(deep, &other, &size), "another key");

    /* Flip each byte in turn, and cut the file at every length. */
    FILE *f = fopen(path, "rb");
    char image[512];
    size_t n = f ? fread(image, 1, sizeof image, f) : 0;
    if (f)
        fclose(f);
    CHECK(n > sizeof data && n < sizeof image, "%zu bytes", n);
    for (size_t i = 0; i < 2 * n; i++) {
        char bad[512];
        memcpy(bad, image, n);
        bad[i % n] ^= 0x10;
        if ((f = fopen(path, "wb"))) {
            fwrite(i < n ? bad : image, 1, i < n ? n : i - n, f);
            fclose(f);
        }
        void *survived = imf_cache_load(deep, &key, &size);
        CHECK(!survived, "damage %zu was not noticed", i);
        free(survived);
    }
    image[n] = '\0';
    if ((f = fopen(path, "wb"))) {
        fwrite(image, 1, n + 1, f);
        fclose(f);
    }
    CHECK(!imf_cache_load(deep, &key, &size), "a byte behind the entry was not noticed");
    CHECK(imf_cache_store(deep, &key, data, sizeof data), "store over a damaged entry");
    free(got = imf_cache_load(deep, &key, &size));
    CHECK(got != NULL, "load after repair");
    CHECK(!imf_cache_store("/proc/nowhere", &key, data, sizeof data), "unwritable");
    for (int i = 0; i < 420; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        imf_cache_key_add(&other, text);
        imf_cache_store(deep, &other, data, sizeof data);
    }
    int kept = entries(deep, path);
    CHECK(kept >= 300 && kept <= 400, "%d entries are kept", kept);
    free(got = imf_cache_load(deep, &other, &size));
    CHECK(got != NULL, "the newest entry is kept");
    remove_entries(deep);
    rmdir(deep);
    snprintf(deep, sizeof deep, "%s/a", dir);
    rmdir(deep);
}

static void test_selection(void) {
    struct imf_error err;
    struct imf_runtime *rt = (void *)&err;
    struct imf_context_options o = {.device = IMF_DEVICE_INDEX, .index = 999};
    CHECK(imf_runtime_open(&rt, &o, NULL, &err) == IMF_ERR_NO_DEVICE && !rt, "device 999");
    o = (struct imf_context_options){.device = IMF_DEVICE_NAME, .name = "no such name"};
    CHECK(imf_runtime_open(&rt, &o, NULL, &err) == IMF_ERR_NO_DEVICE && !rt, "by name");
    struct imf_device_info list[64] = {{0}};
    size_t n = imf_device_list(list, 64);
    for (size_t i = 0; i < n && i < 64; i++)
        CHECK(list[i].index == (int)i && list[i].name[0], "device %zu", i);
}

static enum imf_status make(struct imf_program **out, struct imf_queue *queue, const char *file,
                            const struct imf_defines *defines, const char *entry,
                            struct imf_error *err) {
    static const char *const parts[] = {"common.cl", NULL};
    const struct imf_program_source source = {.file = file, .parts = parts, .defines = defines};
    return imf_program_make(out, queue, &source, entry, err);
}

static bool open_device(struct imf_runtime **rt, struct imf_queue **queue, const char *dir) {
    struct imf_error err = {0};
    struct imf_context_options o = {0};
    bool ok = !imf_runtime_open(rt, &o, dir, &err) && !imf_queue_open(queue, *rt, &err);
    if (!ok)
        fprintf(stderr, "%s\n", err.text);
    return ok;
}

/* Build, from the file or from the cache. */
static bool build_once(const char *dir, bool *from_source, double *ms) {
    struct imf_error err = {0};
    struct imf_runtime *rt;
    struct imf_queue *queue;
    struct imf_program *p;
    char path[512];
    int before = entries(dir, path);
    if (!open_device(&rt, &queue, dir))
        return false;
    double start = imf_now_ms();
    struct imf_defines taps = {0}, broken = {0};
    imf_define(&taps, "TAPS_X", "1");
    imf_define(&broken, "BROKEN", "1\n#error broken here");
    CHECK(make(&p, queue, "direct.cl", &taps, "no_such_kernel", &err) == IMF_ERR_DEVICE && !p,
          "missing kernel");
    bool ok = make(&p, queue, "direct.cl", &taps, "direct", &err) == IMF_OK;
    CHECK(ok, "%s", err.text);
    *ms = imf_now_ms() - start;
    imf_program_free(&p);
    CHECK(make(&p, queue, "absent.cl", NULL, "x", &err) == IMF_ERR_ARGUMENT, "absent");
    CHECK(make(&p, queue, "direct.cl", &broken, "direct", &err) == IMF_ERR_DEVICE,
          "a broken build");
    CHECK(strstr(err.text, "broken here") && !strchr(err.text, '\n'), "%s", err.text);
    taps.failed = true; /* what is there still builds, but a line is missing */
    CHECK(make(&p, queue, "direct.cl", &taps, "direct", &err) == IMF_ERR_MEMORY && !p,
          "defines that memory was too short for");
    imf_defines_free(&taps);
    imf_defines_free(&broken);
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
    CHECK(!rt && !queue, "closed");
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
    *from_source = entries(dir, path) > before;
    return ok;
}

static void test_programs(const char *dir) {
    struct imf_device_info info;
    if (imf_device_list(&info, 1) == 0) {
        printf("device: no OpenCL device, programs not tested\n");
        return;
    }
    bool fresh;
    double cold, warm, after;
    char path[512];
    if (!build_once(dir, &fresh, &cold))
        return;
    CHECK(fresh, "the first build is kept");
    build_once(dir, &fresh, &warm);
    CHECK(!fresh && entries(dir, path) == 1, "the second is not built");
    FILE *f = fopen(path, "r+b");
    if (f) {
        fseek(f, 200, SEEK_SET);
        fputs("damage", f);
        fclose(f);
    }
    build_once(dir, &fresh, &after);
    CHECK(entries(dir, path) == 1, "a damaged entry is replaced");
    printf("device: program from source %.1f ms, from the cache %.1f ms\n", cold, warm);
    /* A binary serves only the driver that made it. */
    static const cl_uint identity[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                       CL_DRIVER_VERSION, CL_PLATFORM_VERSION};
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++) {
        overridden = identity[i];
        build_once(dir, &fresh, &after);
        CHECK(fresh, "the cache's key lacks property %#x", (unsigned)overridden);
        struct imf_error told = {0};
        struct imf_context_options any = {0};
        struct imf_runtime *none;
        mute = true;
        CHECK(imf_runtime_open(&none, &any, dir, &told) != IMF_OK && !none &&
                  strstr(told.text, "Info(CL_") && strstr(told.text, "CL_INVALID_VALUE (-30)"),
              "opened without property %#x: '%s'", (unsigned)overridden, told.text);
        mute = false;
    }
    overridden = 0;
    struct imf_error err;
    struct imf_runtime *rt;
    struct imf_queue *queue;
    struct imf_buffer *buffer;
    CHECK(open_device(&rt, &queue, "/proc/nowhere"), "unwritable cache");
    CHECK(imf_buffer_make(&buffer, queue, IMF_BUFFER_WORK, SIZE_MAX / 2, &err) == IMF_ERR_MEMORY &&
              !buffer,
          "a buffer larger than the device");
    CHECK(imf_queue_finish(queue, &err) == IMF_OK, "%s", err.text);
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
}

/* Memory is freed only when the device has done what was queued, as an unmap of it. */
static void test_memory_of_host(void) {
    struct imf_runtime *rt;
    struct imf_queue *queue;
    struct imf_buffer *buffer;
    size_t bytes = (size_t)8 << 20;
    void *memory = aligned_alloc(4096, bytes);
    CHECK(open_device(&rt, &queue, "") && memory, "a device");
    no_callback = true;
    finished = 0;
    CHECK(imf_buffer_over(&buffer, queue, memory, bytes, NULL) != IMF_OK && !buffer &&
              finished == 1,
          "%d times waited for the device", finished);
    no_callback = false;
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
}

int main(void) {
    char dir[] = "/tmp/imf-device-XXXXXX";
    if (!mkdtemp(dir))
        return 1;
    test_defines();
    test_errors();
    test_key();
    test_cache(dir);
    test_trust(dir);
    test_prune(dir);
    test_selection();
    test_programs(dir);
    test_memory_of_host();
    remove_entries(dir);
    rmdir(dir);
    return check_done("device");
}
