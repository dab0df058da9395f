/*
 * memory.c - an example: filter pixels in memory with a kernel of one's own, and watch the run
 *
 *     cc memory.c $(pkg-config --cflags --libs imfilter) -o memory
 */
#include <imfilter.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 400, HEIGHT = 300 };
static unsigned char pixels[HEIGHT][WIDTH], result[HEIGHT][WIDTH];

/* Called in the thread that runs the filter. *limit: the rows after which it is enough. */
static int watch(void *limit, int filtered, int rows) {
    fprintf(stderr, "%d of %d rows\n", filtered, rows);
    return filtered >= *(int *)limit;
}

/* A 3x3 kernel, then a filter that is built in. */
static enum imf_status make_filter(struct imf_filter **filter, struct imf_error *err) {
    static const double sharpen[3][3] = {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}};
    struct imf_coefficients kernel = {.size = sizeof kernel, .width = 3, .height = 3, .scale = 1};
    const char *spec = "invert";
    struct imf_filter *more = NULL;

    kernel.values = sharpen[0];
    enum imf_status status = imf_filter_from_kernel(filter, &kernel, err);
    if (status == IMF_OK)
        status = imf_filter_parse(&more, &spec, 1, err);
    return status == IMF_OK ? imf_filter_append(*filter, &more, err) : status;
}

int main(void) {
    struct imf_info info = {.width = WIDTH, .height = HEIGHT, .channels = 1, .depth = 8};
    struct imf_context_options where = {.size = sizeof where, .cache_dir = ""};
    int limit = HEIGHT + 1;
    struct imf_run_options options = {
        .size = sizeof options, .progress = watch, .progress_data = &limit};
    struct imf_report report = {.size = sizeof report};
    struct imf_error err = {0};
    struct imf_filter *filter = NULL;
    struct imf_context *context = NULL;
    struct imf_plan *plan = NULL;
    struct imf_workspace *workspace = NULL;

    pixels[10][20] = 50; /* a dot */
    enum imf_status status = make_filter(&filter, &err);
    if (status == IMF_OK)
        status = imf_context_create(&context, &where, &err);
    if (status == IMF_OK)
        status = imf_plan_create(&plan, context, filter, &info, NULL, &err);
    if (status == IMF_OK)
        status = imf_workspace_create(&workspace, plan, &err);
    if (status == IMF_OK)
        status = imf_workspace_run_memory(workspace, pixels, WIDTH, result, WIDTH, &options,
                                          &report, &err);
    if (status == IMF_OK &&
        (result[10][20] != 5 || result[10][21] != 255 || report.total_ms <= 0)) {
        snprintf(err.text, sizeof err.text, "wrong pixels: %d", result[10][20]);
        status = IMF_ERR_ARGUMENT;
    }
    limit = 0; /* at once */
    if (status == IMF_OK && imf_workspace_run_memory(workspace, pixels, WIDTH, result, WIDTH,
                                                     &options, NULL, NULL) != IMF_ERR_CANCELLED) {
        snprintf(err.text, sizeof err.text, "the run was not cancelled");
        status = IMF_ERR_ARGUMENT;
    }
    imf_workspace_free(&workspace);
    imf_plan_free(&plan);
    imf_context_free(&context);
    imf_filter_free(&filter);
    if (status != IMF_OK)
        fprintf(stderr, "memory.c: %s\n", err.text);
    else
        printf("%s %s\n", imf_version(),
               strcmp(imf_version(), IMF_VERSION) == 0 ? "ok" : "differs");
    return status == IMF_OK ? 0 : 1;
}
