/*
 * sweep.c - run the program once for each call that can fail
 *
 *     sweep PROGRAM FAULTS.so TESTDATA DIR [SEED]
 *
 * Each trial is a small job. It runs undisturbed, which tells the right result and how often it
 * calls what faults.c intercepts; then once with each of these calls failing, and of every third
 * with all from that one on. Every run has to end in the same picture and status 0, with one
 * warning at most; or in one line, a status of 1 to 3, and the files as they were or as they are
 * to be. A crash, a hang (60 s), a second line, a temporary file, half an output: each fails.
 */
#include "trials.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMES 48
/* Calls of one function that are all tried, and one of how many beyond. */
static struct share { unsigned long all, one_of; } tried, quick = {20, 10}, thorough = {300, 5};
#define SLOTS 8
#define SHOWN 10 /* failures of one trial that are printed */

/* What a run has to leave: a file's content, or none. */
struct content {
    unsigned char *bytes;
    size_t size;
    bool exists;
};

/* One fault of one trial. */
struct fault {
    int trial;
    char spec[NAMES + 24]; /* "clFinish:2+"; empty: none */
};

/* A directory to run in, and who does. */
struct slot {
    pid_t child;
    struct fault fault;
};

static const char *program, *layer, *testdata, *root;
static unsigned long passed, failed;
static unsigned long long seed;

static void die(const char *what) {
    fprintf(stderr, "sweep: %s: %s\n", what, strerror(errno));
    exit(1);
}

__attribute__((format(printf, 1, 2))) static const char *path(const char *format, ...) {
    static char text[4][1024];
    static int turn;
    va_list arguments;
    turn = (turn + 1) % 4;
    va_start(arguments, format);
    vsnprintf(text[turn], sizeof text[turn], format, arguments);
    va_end(arguments);
    return text[turn];
}

static struct content load(const char *name) {
    struct content content = {0};
    struct stat st;
    FILE *file = fopen(name, "rb");
    if (!file)
        return content;
    if (fstat(fileno(file), &st) != 0 || !(content.bytes = malloc((size_t)st.st_size + 1)))
        die(name);
    content.exists = true;
    content.size = fread(content.bytes, 1, (size_t)st.st_size, file);
    content.bytes[content.size] = '\0';
    fclose(file);
    return content;
}

static void save(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        die(name);
}

static bool same(const struct content *a, const struct content *b) {
    return a->exists == b->exists &&
           (!a->exists || (a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0));
}

static unsigned next_random(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33);
}

static const char *input_name(const struct trial *t) {
    return t->input ? strchr(t->input, '/') + 1 : "noise.pgm";
}

static const char *output_name(const struct trial *t) {
    return t->output ? t->output : input_name(t);
}

/* Names in a directory but for the trial's own: what was left behind. Removes all. */
static int clear(const char *directory, const struct trial *own, char *left, size_t size) {
    int count = 0;
    DIR *dir = opendir(directory);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (own && strcmp(name, input_name(own)) != 0 && strcmp(name, output_name(own)) != 0 &&
            strcmp(name, "s.png") != 0 && strcmp(name, "cache") != 0) {
            snprintf(left, size, "%s", name);
            count++;
        }
        const char *full = path("%s/%s", directory, name);
        struct stat st;
        if (lstat(full, &st) == 0 && S_ISDIR(st.st_mode)) {
            char copy[1024];
            snprintf(copy, sizeof copy, "%s", full);
            clear(copy, NULL, NULL, 0);
            rmdir(copy);
        } else {
            unlink(full);
        }
    }
    if (dir)
        closedir(dir);
    return count;
}

static void prepare(int slot, const struct trial *t) {
    char directory[1024];
    snprintf(directory, sizeof directory, "%s/%d", root, slot);
    clear(directory, NULL, NULL, 0);
    if (mkdir(directory, 0700) != 0 && errno != EEXIST)
        die(directory);
    if (t->input) {
        struct content input = load(path("%s/%s", testdata, t->input));
        if (!input.exists)
            die(t->input);
        save(path("%s/%d/%s", root, slot, input_name(t)), input.bytes, input.size);
        free(input.bytes);
        return;
    }
    /* Large enough for OpenCL to pay, and for rows to stream. */
    enum { WIDTH = 1200, HEIGHT = 500 };
    static unsigned char noise[20 + WIDTH * HEIGHT * 2];
    int header = snprintf((char *)noise, 20, "P5\n%d %d\n65535\n", WIDTH, HEIGHT);
    unsigned value = 1;
    for (int i = 0; i < WIDTH * HEIGHT * 2; i++)
        noise[header + i] = (unsigned char)((value = value * 1103515245u + 12345u) >> 20);
    save(path("%s/%d/noise.pgm", root, slot), noise, (size_t)header + WIDTH * HEIGHT * 2);
}

static pid_t start(int slot, const struct trial *t, const char *fault, const char *extra) {
    const char *words[WORDS + 8];
    int count = 0;
    prepare(slot, t);
    unlink(path("%s/%d.count", root, slot));
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child > 0)
        return child;

    words[count++] = program;
    for (int i = 0; i < WORDS && t->words[i]; i++)
        words[count++] = t->words[i];
    if (extra)
        words[count++] = extra;
    words[count++] = input_name(t);
    if (t->output) {
        words[count++] = "-o";
        words[count++] = t->output;
    }
    words[count] = NULL;
    int in = open("/dev/null", O_RDONLY);
    int out = open(path("%s/%d.out", root, slot), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int err = open(path("%s/%d.err", root, slot), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    /* PoCL keeps what it compiled beside our own cache; a cold start is one of ours. */
    setenv("POCL_CACHE_DIR", path("%s/pocl", root), 1);
    setenv("XDG_CACHE_HOME",
           t->flags & COLD ? path("%s/%d/cache", root, slot) : path("%s/cache", root), 1);
    setenv("IMF_FAULT_COUNT", path("%s/%d.count", root, slot), 1);
    setenv("IMF_FAULT", fault, 1);
    char *self = realpath(program, NULL);
    setenv("IMF_FAULT_PROGRAM", self ? self : program, 1);
    setenv("IMFILTER_SANDBOX", "0", 1); /* the layer writes its counts elsewhere */
    setenv("LD_PRELOAD", layer, 1);
    if (chdir(path("%s/%d", root, slot)) != 0)
        _exit(127);
    alarm(60); /* outlives exec, and ends what hangs */
    execv(program, (char **)words);
    _exit(127);
}

/* What was said: at most one warning, and one line where the run failed. NULL: so it is. */
static const char *unclear(struct content *said, int code) {
    int warnings = 0, lines = 0;
    char *next = (char *)said->bytes;
    while (next && *next) {
        char *line = next, *end = strchr(line, '\n');
        if (!end || strncmp(line, "imfilter: ", 10) != 0)
            return "not a line of the program";
        *end = '\0';
        *(strstr(line, "warning: ") ? &warnings : &lines) += 1;
        *end = '\n';
        next = end + 1;
    }
    if (warnings > 1 || lines > 1)
        return "more than one line";
    return lines == (code != 0) ? NULL : code ? "fails without a line" : "a line without failing";
}

/* Right, or what is wrong. */
static const char *verdict(int slot, const struct trial *t, int status, const struct content *right,
                           const struct content *other) {
    static char text[512];
    struct content out = load(path("%s/%d/%s", root, slot, output_name(t)));
    struct content before = load(path("%s/%d/%s", root, slot, input_name(t)));
    struct content said = load(path("%s/%d.err", root, slot));
    struct content original = t->input ? load(path("%s/%s", testdata, t->input)) : before;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    char left[300] = "";
    const char *wrong, *words = unclear(&said, code);

    if (WIFSIGNALED(status))
        wrong = WTERMSIG(status) == SIGALRM ? "hangs" : "crashes";
    else if (code > 3)
        wrong = "unknown exit status";
    else if (words)
        wrong = words;
    else if (code != 0 && (t->flags & FALLS_BACK))
        wrong = "does not fall back";
    else if (code == 0 && !same(&out, right) && !same(&out, other))
        wrong = "wrong pixels";
    else if (code != 0 && t->output && out.exists && !same(&out, right) && !same(&out, other))
        wrong = "half an output";
    else if (!same(&before, &original) && (t->output || !same(&before, right)))
        wrong = "the input has changed";
    else
        wrong = NULL;
    if (clear(path("%s/%d", root, slot), t, left, sizeof left) > 0 && !wrong)
        wrong = "a file is left behind";
    if (wrong)
        snprintf(text, sizeof text, "%s (status 0x%x) %s %.300s", wrong, (unsigned)status, left,
                 said.exists ? (char *)said.bytes : "");
    text[strcspn(text, "\n")] = '\0';
    if (t->input)
        free(original.bytes);
    free(out.bytes);
    free(before.bytes);
    free(said.bytes);
    return wrong ? text : NULL;
}

static struct slot slots[SLOTS];
static struct content right[TRIALS], other[TRIALS];

static void judge(int slot, int status) {
    const struct fault *f = &slots[slot].fault;
    const struct trial *t = &trials[f->trial];
    const char *wrong;
    /* A fault of an allocation may end any run, if it says so. */
    struct trial lenient = *t;
    if (strncmp(f->spec, "cl", 2) != 0)
        lenient.flags &= ~(unsigned)FALLS_BACK;
    wrong = verdict(slot, &lenient, status, &right[f->trial], &other[f->trial]);
    static int trial = -1, shown;
    if (trial != f->trial)
        shown = 0;
    trial = f->trial;
    if (wrong && shown++ < SHOWN)
        printf("%s, %s: %s\n", t->name, f->spec, wrong);
    *(wrong ? &failed : &passed) += 1;
}

/* Wait for a child; the slot that it leaves. */
static int reap(void) {
    int status;
    pid_t child = wait(&status);
    for (int i = 0; i < SLOTS; i++)
        if (child > 0 && slots[i].child == child) {
            judge(i, status);
            slots[i].child = 0;
            return i;
        }
    die("wait");
    return -1;
}

static void run(const struct fault *fault, int parallel) {
    int slot = -1;
    for (int i = 0; i < parallel; i++)
        if (!slots[i].child)
            slot = i;
    if (slot < 0)
        slot = reap();
    slots[slot].fault = *fault;
    slots[slot].child = start(slot, &trials[fault->trial], fault->spec, NULL);
}

static void finish_all(int parallel) {
    for (int i = 0; i < parallel; i++)
        while (slots[i].child)
            reap();
}

/* An undisturbed run to its result. */
static struct content undisturbed(const struct trial *t, const char *extra) {
    int status;
    waitpid(start(0, t, "", extra), &status, 0);
    struct content result = load(path("%s/0/%s", root, output_name(t)));
    if (status != 0 || !result.exists) {
        struct content said = load(path("%s/0.err", root));
        printf("%s: fails undisturbed: %s", t->name, said.exists ? (char *)said.bytes : "\n");
        exit(1);
    }
    return result;
}

/* Faults of each function that the undisturbed run in slot 0 called. */
static void sweep(int trial, int parallel) {
    const struct trial *t = &trials[trial];
    struct {
        char name[NAMES];
        unsigned long calls;
    } called[64];
    int count = 0;
    bool launched = false;
    FILE *file = fopen(path("%s/0.count", root), "r");
    if (!file)
        die("the layer left no counts");
    /* A process that tries the device out has a list of its own: the longer one counts. */
    while (count < 64 && fscanf(file, "%47s %lu", called[count].name, &called[count].calls) == 2) {
        int same_name = 0;
        while (strcmp(called[same_name].name, called[count].name) != 0)
            same_name++;
        if (called[same_name].calls < called[count].calls)
            called[same_name].calls = called[count].calls;
        launched = launched || strcmp(called[count].name, "clEnqueueNDRangeKernel") == 0;
        count += same_name == count;
    }
    fclose(file);
    if (launched != !!(t->flags & DEVICE)) {
        printf("%s: %s\n", t->name, launched ? "uses OpenCL" : "does not use OpenCL");
        failed++;
    }
    for (int i = 0; i < count; i++)
        for (unsigned long n = 1; n <= called[i].calls; n++) {
            struct fault f = {.trial = trial};
            bool sampled = n > tried.all || (t->flags & COLD && n > 1); /* cold runs are slow */
            if (sampled && next_random() % tried.one_of != 0)
                continue;
            snprintf(f.spec, sizeof f.spec, "%.47s:%lu", called[i].name, n);
            run(&f, parallel);
            /* One failure and the rest of the world in order; or from here on all. */
            if (n % 3 != 0)
                continue;
            snprintf(f.spec, sizeof f.spec, "%.47s:%lu+", called[i].name, n);
            run(&f, parallel);
        }
    finish_all(parallel);
}

int main(int argc, char **argv) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int parallel = processors < 1 ? 1 : processors > SLOTS ? SLOTS : (int)processors;
    if (argc < 5) {
        fprintf(stderr, "usage: sweep PROGRAM FAULTS.so TESTDATA DIR [SEED]\n");
        return 2;
    }
    program = argv[1];
    layer = argv[2];
    testdata = argv[3];
    root = argv[4];
    seed = argc > 5 ? strtoull(argv[5], NULL, 10) : (unsigned long long)getpid();
    const char *wanted = getenv("THOROUGH");
    tried = wanted && *wanted ? thorough : quick;
    printf("seed %llu\n", seed);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < TRIALS; i++) {
        /* The first run fills the cache, the last one's calls are counted. */
        unsigned long before = passed, wrong = failed;
        free(undisturbed(&trials[i], NULL).bytes);
        other[i] = undisturbed(&trials[i], trials[i].flags & FALLS_BACK ? "--backend=cpu" : NULL);
        right[i] = undisturbed(&trials[i], NULL);
        sweep(i, parallel);
        printf("%s: %lu faults, %lu failed\n", trials[i].name, passed + failed - before - wrong,
               failed - wrong);
    }
    printf("faults: %lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
