/* picture.c - a large test picture as PPM: picture WIDTH HEIGHT [DEPTH] > FILE */
#include <stdint.h>
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
                /* Waves of several scales with noise: every gradient, no flat ground. */
                state = state * 6364136223846793005u + 1442695040888963407u;
                uint32_t noise = (uint32_t)(state >> 40) & 0x1fff;
                uint32_t wave = (uint32_t)((x * (c + 3)) ^ (y * 5)) * 96u;
                uint32_t v = (wave + noise * 3u + (uint32_t)(x + y) * 8u) & 0xffff;
                if (depth == 16)
                    putchar((int)(v >> 8));
                putchar(depth == 16 ? (int)(v & 0xff) : (int)(v >> 8));
            }
    return fflush(stdout) || ferror(stdout);
}
