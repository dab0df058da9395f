/* fuzz_tiff.c - any bytes as a TIFF file */
#define FIRST_BYTES "IM"
#include "reader.h"
