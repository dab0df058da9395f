/* chart.h - a chart as a PNG file */
#ifndef BENCH_CHART_H
#define BENCH_CHART_H

#include "imfilter_program.h"

#include <stdio.h>

static enum imf_status chart_write(const struct imf_picture *p, const char *name,
                                   struct imf_error *err) {
    struct imf_writer *writer = NULL;
    const struct imf_encode encode = {0};
    const struct imf_info info = {.width = p->width,
                                  .height = p->height,
                                  .channels = 3,
                                  .depth = 8,
                                  .color = IMF_COLOR_RGB,
                                  .format = IMF_FORMAT_PNG};
    FILE *file = fopen(name, "wb");
    if (!file) {
        *err = (struct imf_error){.status = IMF_ERR_IO, .text = "cannot open the chart's file"};
        return IMF_ERR_IO;
    }
    enum imf_status st = imf_writer_open(&writer, file, &info, &encode, NULL, err);
    if (!st)
        st = imf_writer_rows(writer, p->rgb, 3 * (size_t)p->width, p->height, err);
    if (!st)
        st = imf_writer_finish(writer, err);
    imf_writer_close(&writer);
    fclose(file);
    return st;
}

#endif
