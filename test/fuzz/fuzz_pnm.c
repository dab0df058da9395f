/* fuzz_pnm.c - any bytes as a PNM file */
#define FIRST_BYTES "P"
#include "reader.h"
