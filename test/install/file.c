/*
 * file.c - an example: filter an image file with libimfilter
 *
 *     cc file.c $(pkg-config --cflags --libs imfilter) -o file
 *     ./file 'unsharp:sigma=1.5' photo.jpg sharp.png
 */
#include <imfilter.h>
#include <stdio.h>
#include <string.h>

/* What a run needs. All pointers may be NULL when they are closed or freed. */
struct objects {
    struct imf_filter *filter;
    struct imf_context *context;
    struct imf_reader *reader;
    struct imf_plan *plan;
    struct imf_workspace *workspace;
    struct imf_writer *writer;
};

static enum imf_status filter_stream(struct objects *o, const char *spec, FILE *in, FILE *out,
                                     const char *extension, struct imf_error *err) {
    struct imf_settings settings = {.size = sizeof settings, .edge = IMF_EDGE_MIRROR};
    struct imf_encode encode = {.size = sizeof encode, .quality = 90};
    enum imf_status status = imf_filter_parse(&o->filter, &spec, 1, err);

    if (status == IMF_OK)
        status = imf_context_create(&o->context, NULL, err);
    if (status == IMF_OK)
        status = imf_reader_open(&o->reader, in, NULL, err);
    if (status != IMF_OK)
        return status;
    /* The plan is made for the shape of this image. */
    settings.held = imf_reader_held(o->reader);
    settings.whole = !imf_reader_in_order(o->reader);
    status = imf_plan_create(&o->plan, o->context, o->filter, imf_reader_info(o->reader), &settings,
                             err);
    if (status == IMF_OK)
        status = imf_workspace_create(&o->workspace, o->plan, err);
    if (status != IMF_OK)
        return status;
    /* The output has the plan's shape and the input's metadata, in the format of its name. */
    struct imf_info info = *imf_plan_output(o->plan);
    info.format = imf_format_from_name(extension);
    status = imf_writer_open(&o->writer, out, &info, &encode, imf_reader_metadata(o->reader), err);
    if (status == IMF_OK)
        status = imf_workspace_run(o->workspace, o->reader, o->writer, NULL, NULL, err);
    return status;
}

int main(int argc, char **argv) {
    struct objects o = {0};
    struct imf_error err = {0};
    const char *dot = argc == 4 ? strrchr(argv[3], '.') : NULL;
    FILE *in = dot ? fopen(argv[2], "rb") : NULL, *out = in ? fopen(argv[3], "wb") : NULL;

    if (!out) {
        fprintf(stderr,
                dot ? "cannot open the files\n" : "usage: file SPEC INPUT OUTPUT.EXTENSION\n");
        return 2;
    }
    enum imf_status status = filter_stream(&o, argv[1], in, out, dot + 1, &err);
    imf_writer_close(&o.writer);
    imf_workspace_free(&o.workspace);
    imf_plan_free(&o.plan);
    imf_reader_close(&o.reader);
    imf_context_free(&o.context);
    imf_filter_free(&o.filter);
    fclose(in);
    if (fclose(out) != 0 || status != IMF_OK) {
        fprintf(stderr, "%s\n", status == IMF_OK ? "the output cannot be written" : err.text);
        remove(argv[3]);
        return 1;
    }
    return 0;
}
