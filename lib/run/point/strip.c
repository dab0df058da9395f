/* strip.c - the steps of a point pass in doubles */
#define REAL double
#define NAMED(name) name##_double
#define BITS uint64_t
#define ROUNDER 0x1.8p52
#include "run/point/strip.h"
