/*
 * clones.h - functions that are compiled for several processors
 *
 * IMF_CLONES before a static function: the processor chooses when the program starts, where the
 * loader can; that is before the thread sanitizer is there. Not every linker resolves another file's call of a function with
 * clones: such calls go through a plain function.
 *
 * clang makes a global symbol of such a function's name, so that no other file of the library has a
 * function of that name with clones.
 */
#ifndef IMF_BASE_CLONES_H
#define IMF_BASE_CLONES_H

#include <limits.h> /* says whether the library is glibc */

/* gcc would inline a function that is called once, compiled for the oldest processor; clang does
 * not, and has no such attribute. */
#ifdef __clang__
#define IMF_CLONES_APART
#else
#define IMF_CLONES_APART __attribute__((noinline))
#endif

#ifndef IMF_CLONES
#if defined __SANITIZE_THREAD__
#define IMF_CLONES
#elif defined __x86_64__ && defined __GLIBC__ && defined __clang__
#define IMF_CLONES __attribute__((target_clones("avx512bw", "avx2", "default")))
#elif defined __x86_64__ && defined __GLIBC__ && __GNUC__ >= 12
#define IMF_CLONES                                                                                 \
    IMF_CLONES_APART __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define IMF_CLONES
#endif
#endif

/* For vectors of 32 bytes; wider ones gain nothing. */
#ifndef IMF_CLONES_32
#if !defined __SANITIZE_THREAD__ && defined __x86_64__ && defined __GLIBC__
#define IMF_CLONES_32 IMF_CLONES_APART __attribute__((target_clones("avx2", "default")))
#else
#define IMF_CLONES_32
#endif
#endif

#endif
