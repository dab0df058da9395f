/* fuzz_jpeg.c - any bytes as a JPEG file */
#define FIRST_BYTES "\xff"
#include "reader.h"
