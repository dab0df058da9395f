/* fuzz_png.c - any bytes as a PNG file */
#define FIRST_BYTES "\x89"
#include "reader.h"
