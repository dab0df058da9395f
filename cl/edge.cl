// edge.cl - fill a surface's margins from tables of source columns and rows (-1: the constant)

#ifndef SAMPLE_T
#define SAMPLE_T uchar
#endif
#ifndef RUN
#define RUN 16 // pixels of a margin row that a work-item fills
#endif
#ifndef GROUP
#define GROUP 64 // work-items a work-group
#endif

inline void put(__global SAMPLE_T *to, __global const SAMPLE_T *row, int from, int channels,
                __global const int *outside)
{
    for (int c = 0; c < channels; c++)
        to[c] = from < 0 ? (SAMPLE_T)as_float(outside[c]) : row[(long)from * channels + c];
}

// Work-items 0..columns - 1 fill a pixel each, left or right of the image; the others RUN pixels of a
// margin row, corners included. All read only the image, so that one launch suffices. The surface's rows
// are `height` rows of the image from `first` on; top and bottom are 0 if they are not at its edge. Table:
// left + right source columns, then from entry `rows` on top + bottom source rows of the image, then from
// entry `beyond` on the constant's samples as floats. So one program serves any number of channels.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
edge_fill(__global SAMPLE_T *image, long origin, long pitch, int width, int height, int left,
          int right, int top, int bottom, int first, int rows, __global const int *table,
          int channels, int beyond)
{
    __global const int *outside = table + beyond;
    // 64 bits: the sides of a surface can have more pixels than 32 bits count.
    ulong id = get_global_id(0), sides = left + right;
    image += origin;
    if (id < sides * height) {
        long y = id / sides;
        int i = id - y * sides, x = i < left ? i - left : width + i - left;
        __global SAMPLE_T *row = image + y * pitch;
        put(row + (long)x * channels, row, table[i], channels, outside);
        return;
    }
    id -= sides * height;
    ulong runs = (sides + width + RUN - 1) / RUN, r = id / runs;
    if (r >= (ulong)(top + bottom))
        return;
    int y = (int)r < top ? (int)r - top : height + (int)r - top;
    int begin = (int)(id - r * runs) * RUN - left, end = min(begin + RUN, width + right);
    int from = table[rows + r];
    __global SAMPLE_T *to = image + y * pitch;
    __global const SAMPLE_T *source = image + (from < 0 ? 0 : from - first) * pitch;
    if (from >= 0 && begin >= 0 && end <= width) {
        for (int k = begin * channels; k < end * channels; k++)
            to[k] = source[k];
        return;
    }
    for (int x = begin; x < end; x++) {
        int column = x < 0 ? table[x + left] : x < width ? x : table[x - width + left];
        put(to + (long)x * channels, source, from < 0 ? -1 : column, channels, outside);
    }
}
