// edge.cl - fill a surface's margins from tables of source columns and rows (-1: the constant)

#ifndef SAMPLE_T
#define SAMPLE_T uchar
#endif
#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef VALUE
#define VALUE 0 // the constant beyond the edge
#endif

// One work-item a margin pixel of a row: columns -left..-1, then width..width+right-1.
__kernel void edge_columns(__global SAMPLE_T *image, long origin, int pitch, int width, int left,
                           __global const int *table)
{
    int i = get_global_id(0);
    int x = i < left ? i - left : width + i - left;
    int from = table[i];
    __global SAMPLE_T *row = image + origin + (long)get_global_id(1) * pitch;
    for (int c = 0; c < CHANNELS; c++)
        row[x * CHANNELS + c] = from < 0 ? VALUE : row[from * CHANNELS + c];
}

// One work-item 64 samples of a margin row: rows -top..-1, then height..height+bottom-1.
__kernel void edge_rows(__global SAMPLE_T *image, long origin, int pitch, int height, int top,
                        __global const int *table, int left, int count)
{
    int i = get_global_id(1);
    int y = i < top ? i - top : height + i - top;
    int from = table[i];
    __global SAMPLE_T *to = image + origin + (long)y * pitch - left;
    __global const SAMPLE_T *source = image + origin + (long)max(from, 0) * pitch - left;
    int begin = get_global_id(0) * 64, end = min(begin + 64, count);
    for (int k = begin; k < end; k++)
        to[k] = from < 0 ? VALUE : source[k];
}
