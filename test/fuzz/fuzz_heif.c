/* fuzz_heif.c - any bytes as a HEIF file */
#define FIRST_BYTES "\0"
#include "reader.h"
