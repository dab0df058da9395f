/* fuzz_avif.c - any bytes as an AVIF file */
#define FIRST_BYTES "\0"
#include "reader.h"
