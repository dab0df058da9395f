/*
 * test_flt.c - .flt text and files: kernels, errors with line and column, where names are looked up
 */
#include "base/embed.h"
#include "filter/builtin/table.h"
#include "filter/flt/file.h"

#include "spec_check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/imfilter-test-XXXXXX";

static void flt(const char *text, size_t size, int width, int height, const char *error) {
    struct imf_flt f;
    struct imf_error err = {0};
    char *copy = malloc(size + 1); /* its end is the end of the buffer */
    memcpy(copy, text, size);
    char *exact = size ? realloc(copy, size) : copy;
    enum imf_status status = imf_flt_parse(&f, "t.flt", exact, size, &err);
    if (error) {
        CHECK(status == IMF_ERR_SPEC && strstr(err.text, error), "%s: %s", text, err.text);
        CHECK(!f.kernel[0] && !f.kernel[1], "nothing is left");
    } else {
        CHECK(status == IMF_OK, "%s: %s", text, err.text);
        CHECK(status || (f.kernel[0]->width == width && f.kernel[0]->height == height), "%s", text);
    }
    imf_flt_free(&f);
    free(exact);
}

#define GOOD(text, width, height) flt(text, sizeof text - 1, width, height, NULL)
#define BAD(text, error) flt(text, sizeof text - 1, 0, 0, error)

static void test_flt_text(void) {
    GOOD("1 2 3\n4 5 6\n", 3, 2);
    GOOD("1 2 3\r\n4 5 6\r\n", 3, 2);
    GOOD(
        "\xEF\xBB\xBF"
        "1,2\n3 , 4",
        2, 2);
    GOOD("\t1\t2 # two\n\n# none\n 3\t4 \t\n", 2, 2);
    GOOD("summary A thing\nscale auto\nbias 0.5\nrange normalize\nflip\nkernel\n1\n2", 1, 2);
    GOOD("1 2\nscale 3\n3 4", 2, 2);
    GOOD("kernel x\n1 2\nkernel y\n3 4\ncombine magnitude\n", 2, 1);
    BAD("", "t.flt: there are no coefficients");
    BAD("\n# only\n", "no coefficients");
    BAD("1 2 3\n4 5\n", "t.flt:2:1: row 2 has 2 coefficients, row 1 has 3");
    BAD("1 2\n3 x\n", "t.flt:2:3: \"x\" is not a number");
    BAD("1 nan", "t.flt:1:3: \"nan\" is not a number");
    BAD("1 1e999", "is too large");
    BAD("1,,2", "t.flt:1:3: a coefficient is missing");
    BAD("1,2,", "t.flt:1:5: a coefficient is missing");
    BAD(",1", "t.flt:1:1: a coefficient is missing");
    BAD("sclae 3\n1", "t.flt:1:1: \"sclae\" is neither");
    BAD("scale\n1", "t.flt:1:1: \"scale\" has no value (scale NUMBER or scale auto)");
    BAD("scale 0\n1", "t.flt:1:7: \"0\" cannot be the scale");
    BAD("scale 1\nscale 2\n1", "t.flt:2:1: \"scale\" is given twice");
    BAD("bias much\n1", "t.flt:1:6: \"much\" is not a number");
    BAD("range wide\n1", "t.flt:1:7: \"wide\" is not one of clip");
    BAD("flip over\n1", "flip takes no value");
    BAD("combine sum\n1", "is not \"magnitude\"");
    BAD("combine magnitude\n1", "needs 2 kernels");
    BAD("kernel\n1\nkernel\n2", "2 kernels need a line");
    BAD("kernel\n1\nkernel\n2\nkernel\n3\ncombine magnitude", "t.flt:5:1: a file has at most 2");
    BAD("kernel\nkernel\n1", "t.flt:2:1: the kernel before this line has no rows");
    BAD("kernel\n", "no rows");
    BAD("1 2\nkernel\n3 4\n", "t.flt:2:1: the rows above");
    BAD("combine magnitude\nkernel\n1 2\nkernel\n1\n",
        "the second kernel is 1x1, the first is 2x1");
    BAD("combine magnitude\nkernel x\n1\nkernel x\n1\n", "both kernels are named x");
    BAD("1 2\n3 \0 4\n", "t.flt:2:3: NUL byte");
    BAD("\x89PNG\r\n\x1a\n", "is neither a number");
}

static void put(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        abort();
}

static void test_flt_files(void) {
    char spec[160], path[160];
    if (!mkdtemp(directory))
        abort();
    put("mine.flt", "range abs\nscale 4\n1 -2 1\n");
    put("pair.flt", "combine magnitude\nkernel y\n1 2\nkernel x\n3 4\n");
    put("halfx.flt", "combine magnitude\nkernel\n1 2\nkernel x\n3 4\n");
    put("halfy.flt", "combine magnitude\nkernel y\n1 2\nkernel\n3 4\n");
    put("turned.flt", "flip\n1 -2 3 4\n");
    put("sharpen.flt", "7\n");
    put("bad.flt", "1 2\n3\n");
    snprintf(spec, sizeof spec, "kernel:@%s/mine.flt", directory);
    TAPS(spec, 3, 4, IMF_RANGE_ABS, 1, -2, 1);
    snprintf(spec, sizeof spec, "kernel:@%s/mine.flt:scale=8:flip", directory);
    TAPS(spec, 3, 8, IMF_RANGE_ABS, 1, -2, 1);
    snprintf(spec, sizeof spec, "%s/mine.flt", directory);
    TAPS(spec, 3, 4, IMF_RANGE_ABS, 1, -2, 1);
    snprintf(spec, sizeof spec, "%s/mine.flt:dir=x", directory);
    fails(spec, strlen(spec), "needs a filter of two kernels");
    snprintf(spec, sizeof spec, "kernel:@%s/bad.flt", directory);
    fails(spec, 8, "/bad.flt:2:1: row 2 has 1 coefficient, row 1 has 2");
    snprintf(spec, sizeof spec, "kernel:@%s", directory);
    fails(spec, 8, "Is a directory");
    snprintf(spec, sizeof spec, "kernel:@%s/pair.flt:scale=auto", directory);
    fails(spec, 8, "scale auto needs a filter of one kernel");
    snprintf(spec, sizeof spec, "kernel:@%s/pair.flt:bias=0.5", directory);
    fails(spec, 8, "bias needs a filter of one kernel");
    fails("mine", 1, "unknown filter");
    snprintf(path, sizeof path, "/nonexistent::%s", directory);
    setenv("IMFILTER_PATH", path, 1);
    TAPS("mine", 3, 4, IMF_RANGE_ABS, 1, -2, 1);
    TAPS("pair:dir=x", 2, 1, IMF_RANGE_OFFSET, 3, 4);
    TAPS("pair:dir=y", 2, 1, IMF_RANGE_OFFSET, 1, 2);
    /* One name is enough to tell both. */
    TAPS("halfx:dir=x", 2, 1, IMF_RANGE_OFFSET, 3, 4);
    TAPS("halfx:dir=y", 2, 1, IMF_RANGE_OFFSET, 1, 2);
    TAPS("halfy:dir=x", 2, 1, IMF_RANGE_OFFSET, 3, 4);
    TAPS("halfy:dir=y", 2, 1, IMF_RANGE_OFFSET, 1, 2);
    TAPS("turned", 4, 1, IMF_RANGE_CLIP, 4, 3, -2, 1);
    struct imf_filter *turned = parse("turned");
    CHECK(turned->stages[0].kernel[0]->cx == 1, "turned about its origin");
    imf_filter_free(&turned);
    TAPS("sharpen", 3, 1, IMF_RANGE_CLIP, 0, -1, 0, -1, 5, -1, 0, -1, 0);
    struct imf_filter *f = parse("pair");
    CHECK(f->stages[0].op == IMF_OP_MAGNITUDE && f->stages[0].kernel[0]->taps[0] == 3, "pair");
    CHECK(strstr(imf_filter_note(f, IMF_RANGE_DEFAULT), "pair is 2x1"), "%s",
          imf_filter_note(f, IMF_RANGE_DEFAULT));
    imf_filter_free(&f);
    unsetenv("IMFILTER_PATH");
    fails("mine", 1, "unknown filter");
    snprintf(path, sizeof path, "%s/imfilter", directory);
    mkdir(path, 0777);
    put("imfilter/deep.flt", "5\n");
    setenv("XDG_CONFIG_HOME", directory, 1);
    TAPS("deep", 1, 1, IMF_RANGE_CLIP, 5);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    fails("deep", 1, "unknown filter");
    unsetenv("XDG_CONFIG_HOME");
    snprintf(path, sizeof path, "%s/.config", directory);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/.config/imfilter", directory);
    mkdir(path, 0777);
    put(".config/imfilter/home.flt", "6\n");
    setenv("HOME", directory, 1);
    TAPS("home", 1, 1, IMF_RANGE_CLIP, 6);
    const char *made[] = {"mine.flt",  "pair.flt",          "sharpen.flt",
                          "halfx.flt", "halfy.flt",         "turned.flt",
                          "bad.flt",   "imfilter/deep.flt", ".config/imfilter/home.flt",
                          "imfilter",  ".config/imfilter",  ".config",
                          "."};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, made[i]);
        if (strcmp(made[i], ".") == 0)
            snprintf(path, sizeof path, "%s", directory);
        CHECK(remove(path) == 0, "remove %s", path);
    }
}

/* The list of filters is complete, and says of each file what the file says. */
static void test_docs(void) {
    size_t count = 0;
    for (const struct imf_filter_doc *d; (d = imf_filter_doc(count)); count++) {
        CHECK(d->usage && d->summary && strlen(d->summary) > 5, "doc %zu", count);
        const struct imf_builtin *b = imf_builtin_at(count);
        CHECK(strncmp(d->usage, b->name, strlen(b->name)) == 0, "%s", d->usage);
    }
    CHECK(!imf_builtin_at(count), "%zu of the filters are listed", count);
    CHECK(strcmp(imf_filter_doc(0)->usage, "sharpen[:AMOUNT=1]") == 0, "the contract's order");
    for (const struct imf_embedded *e = imf_embedded_flt; e->name; e++) {
        char name[32] = "", line[128];
        memcpy(name, e->name, strlen(e->name) - 4);
        const struct imf_builtin *b = imf_builtin_find(name);
        CHECK(b && b->source == IMF_SOURCE_FLT, "%s is in the table", e->name);
        snprintf(line, sizeof line, "\nsummary %s\n", b ? b->doc.summary : "");
        CHECK(strstr(e->text, line), "%s: %s", e->name, line);
    }
}

int main(void) {
    unsetenv("IMFILTER_PATH");
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/nonexistent", 1);
    test_flt_text();
    test_flt_files();
    test_docs();
    return check_done("test_flt");
}
