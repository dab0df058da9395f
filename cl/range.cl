// range.cl - the least and the largest colour of an image, which point.cl stretches to the full scale

#ifndef C_IN
#define C_IN 1
#endif
#ifndef ALPHA
#define ALPHA 0 // the last channel is alpha
#endif
#ifndef WEIGH
#define WEIGH 0 // pixels without alpha do not count
#endif
#ifndef HIDDEN
#define HIDDEN 0.5f // alpha of at most this is none
#endif
#define COLORS (C_IN - ALPHA)

// Of each row, from the second pair of `rows` on; FLT_MAX and -FLT_MAX where nothing counts.
__kernel void range_rows(__global const IN_T *in, long origin, int pitch, int width,
                         __global float *rows)
{
    long y = get_global_id(0);
    __global const IN_T *p = in + origin + y * pitch;
    float low = FLT_MAX, high = -FLT_MAX;
    for (int x = 0; x < width; x++, p += C_IN) {
#if WEIGH
        if ((float)p[COLORS] <= HIDDEN)
            continue;
#endif
        for (int c = 0; c < COLORS; c++) {
            low = fmin(low, (float)p[c]);
            high = fmax(high, (float)p[c]);
        }
    }
    rows[2 * y + 2] = low;
    rows[2 * y + 3] = high;
}

// Of all rows; 0 and 0 where nothing counts.
__kernel void range_all(__global float *rows, int height)
{
    float low = rows[2], high = rows[3];
    for (int y = 1; y < height; y++) {
        low = fmin(low, rows[2 * y + 2]);
        high = fmax(high, rows[2 * y + 3]);
    }
    rows[0] = low > high ? 0.0f : low;
    rows[1] = low > high ? 0.0f : high;
}
