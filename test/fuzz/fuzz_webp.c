/* fuzz_webp.c - any bytes as a WebP file */
#define FIRST_BYTES "R"
#include "reader.h"
