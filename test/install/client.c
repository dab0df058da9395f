/*
 * client.c - a program in C that knows nothing but the installed library
 *
 * Filters four pixels in memory and says whether they are right. install.bats compiles it by what
 * pkg-config says, against both libraries.
 */
#include <imfilter.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    static const char *const specs[] = {"invert"};
    static const unsigned char pixels[4] = {0, 1, 100, 255}, expected[4] = {255, 254, 155, 0};
    const struct imf_info info = {.width = 2, .height = 2, .channels = 1, .depth = 8};
    const struct imf_settings settings = {.backend = IMF_BACKEND_CPU};
    const struct imf_context_options options = {.cache_dir = ""};
    struct imf_error err = {0};
    struct imf_filter *filter = NULL;
    struct imf_context *context = NULL;
    struct imf_plan *plan = NULL;
    struct imf_workspace *workspace = NULL;
    unsigned char result[4] = {0};
    enum imf_status status = imf_filter_parse(&filter, specs, 1, &err);

    if (status == IMF_OK)
        status = imf_context_create(&context, &options, &err);
    if (status == IMF_OK)
        status = imf_plan_create(&plan, context, filter, &info, &settings, &err);
    if (status == IMF_OK)
        status = imf_workspace_create(&workspace, plan, &err);
    if (status == IMF_OK)
        status = imf_workspace_run_memory(workspace, pixels, 2, result, 2, NULL, NULL, &err);
    imf_workspace_free(&workspace);
    imf_plan_free(&plan);
    imf_context_free(&context);
    imf_filter_free(&filter);
    if (status != IMF_OK || memcmp(result, expected, sizeof result) != 0) {
        fprintf(stderr, "client.c: %s\n", status == IMF_OK ? "wrong pixels" : err.text);
        return 1;
    }
    printf("%s %s\n", imf_version(), strcmp(imf_version(), IMF_VERSION) == 0 ? "ok" : "differs");
    return 0;
}
