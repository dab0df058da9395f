/* picture.c - a large test picture as PPM: picture WIDTH HEIGHT [DEPTH] > FILE */
#include "waves.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int width = argc > 2 ? atoi(argv[1]) : 0, height = argc > 2 ? atoi(argv[2]) : 0;
    int depth = argc > 3 ? atoi(argv[3]) : 8;
    if (width < 1 || height < 1 || (depth != 8 && depth != 16)) {
        fprintf(stderr, "usage: picture WIDTH HEIGHT [8|16]\n");
        return 2;
    }
    printf("P6\n%d %d\n%d\n", width, height, depth == 16 ? 65535 : 255);
    uint64_t state = 42;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 3; c++) {
                unsigned v = wave(&state, x, y, c);
                if (depth == 16)
                    putchar((int)(v >> 8));
                putchar(depth == 16 ? (int)(v & 0xff) : (int)(v >> 8));
            }
    return fflush(stdout) || ferror(stdout);
}
