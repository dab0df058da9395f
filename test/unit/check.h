/*
 * check.h - the unit tests' harness: each test program includes it once
 *
 * CHECK(condition, format, ...) counts and, when it fails, prints where and the formatted detail.
 * return check_done("name") from main prints "name: N passed, N failed" and gives the exit status. A test
 * that checked nothing has failed. check_thorough(): cases that are like others are wanted, too (THOROUGH=1).
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long check_passed, check_failed;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (condition) {                                                                           \
            check_passed++;                                                                        \
        } else {                                                                                   \
            check_failed++;                                                                        \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

static inline bool check_thorough(void) {
    const char *v = getenv("THOROUGH");
    return v && *v;
}

static int check_done(const char *name) {
    CHECK(check_passed + check_failed > 0, "nothing was checked");
    printf("%s: %lu passed, %lu failed\n", name, check_passed, check_failed);
    return check_failed != 0;
}

#endif
