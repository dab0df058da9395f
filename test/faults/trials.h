/* trials.h - the jobs that sweep.c runs while calls fail */
#ifndef TEST_FAULTS_TRIALS_H
#define TEST_FAULTS_TRIALS_H

#include <stddef.h>

#define WORDS 12

/* The device is used; whatever fails there, the host solver takes over; no program is cached. */
enum { DEVICE = 1, FALLS_BACK = 2, COLD = 4 };

/* 41 by 41 ones around a tap so large that, of 16-bit samples, neither floats nor the host's transforms
 * hold the sums: exact, so that the host's pixels are the device's. */
#define TEN "1,1,1,1,1,1,1,1,1,1"
#define ROW TEN "," TEN ",1," TEN "," TEN
#define ROWS5 ROW "/" ROW "/" ROW "/" ROW "/" ROW
#define ROWS20 ROWS5 "/" ROWS5 "/" ROWS5 "/" ROWS5
#define FOR_DEVICES                                                                                \
    "kernel:" ROWS20 "/" TEN "," TEN ",100000000," TEN "," TEN "/" ROWS20 ":scale=100001680"

struct trial {
    const char *name, *input; /* a file of TESTDATA, or NULL: a grey image of 16-bit noise */
    const char *words[WORDS]; /* the arguments before the input's name */
    const char *output;       /* NULL: the input's */
    unsigned flags;
};

static const struct trial trials[] = {
    {"PNG", "types/metadata.png", {"-f", "blur:1", "-f", "sobel", "--backend=cpu"}, "o.png", 0},
    {"PNG, 16 bits", "types/ga16.png", {"-f", "lowpass:.2", "--backend=cpu"}, "o.png", 0},
    {"JPEG", "types/orientation6.jpg", {"-f", "unsharp", "--linear", "--backend=cpu"}, "o.jpg", 0},
    {"profile", "foreign/icc.jpg", {"-f", "blur:1", "--linear", "--backend=cpu"}, "o.jpg", 0},
    {"in place", "types/cmyk.jpg", {"-f", "box:3", "-i", "--backend=cpu"}, NULL, 0},
    {"PNM", "types/p3.ppm", {"-f", "blur:1", "--range=normalize", "--backend=cpu"}, "o.ppm", 0},
    {"TIFF", "foreign/tiff-planes.tif", {"-f", "blur:1", "--backend=cpu"}, "o.tif", 0},
    {"to TIFF", "types/orientation6.jpg", {"-f", "sobel", "--backend=cpu"}, "o.tif", 0},
    {"WebP", "foreign/webp-lossless.webp", {"-f", "blur:1", "--backend=cpu"}, "o.webp", 0},
    {"to WebP", "types/orientation6.jpg", {"-f", "sobel", "--backend=cpu"}, "o.webp", 0},
    {"palette", "foreign/png-pal8-alpha.png", {"-f", "invert", "--backend=cpu"}, "o.png", 0},
    {"one bit", "foreign/png-gray4.png", {"-f", "threshold:.5", "--backend=cpu"}, "o.png", 0},
    {"kernel", "foreign/png-gray4.png", {"-f", "kernel:@png-gray4.png"}, "o.png", 0},
    {"upright", "foreign/orient-camera.jpg", {"-f", "emboss:30", "--backend=cpu"}, "o.pgm", 0},
    {"tag behind", "foreign/orient-behind.png", {"-f", "emboss", "--backend=cpu"}, "o.png", 0},
    {"held until then", "foreign/orient-behind.png", {"-f", "emboss", "--backend=cpu"}, "o.jpg", 0},
    {"verified", "types/p2.pgm", {"-f", "disk:2", "--verify"}, "o.png", 0},
    {"spectrum", "types/gray8.png", {"-f", "blur:1", "--spectrum=s.png"}, "o.png", 0},
    {"direct", "types/metadata.png", {"-f", "sharpen", "--backend=direct"}, "o.png", DEVICE},
    {"two", "types/444.jpg", {"-f", "sobel", "-f", "invert", "--backend=direct"}, "o.jpg", DEVICE},
    {"separable", "types/p3.ppm", {"-f", "blur:2", "--backend=direct"}, "o.ppm", DEVICE},
    {"fft", "types/gray16.png", {"-f", "disk:5", "--backend=fft", "--edge=wrap"}, "o.png", DEVICE},
    {"transfer", "types/rgba8.png", {"-f", "highpass:.1", "--backend=fft"}, "o.png", DEVICE},
    {"smooth", "types/gray16.png", {"-f", "blur:10", "--backend=vector"}, "o.png", 0},
    {"mask",
     "types/ga16.png",
     {"-f", "invert", "--mask=ga16.png", "--mask-feather=12", "--backend=cpu"},
     "o.png",
     0},
    {"streamed", NULL, {"-f", "sharpen"}, "o.pgm", 0},
    {"streamed, PNG", NULL, {"-f", "blur:1", "-f", "sobel", "--backend=direct"}, "o.png", DEVICE},
    {"auto", NULL, {"-f", FOR_DEVICES}, "o.pgm", DEVICE | FALLS_BACK},
    {"auto, cold", NULL, {"-f", FOR_DEVICES}, "o.pgm", DEVICE | FALLS_BACK | COLD},
};
#define TRIALS (int)(sizeof trials / sizeof *trials)

#endif
