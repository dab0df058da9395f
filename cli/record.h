/*
 * record.h - what is said of one image: at once, or when it is its turn to be printed
 */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "report.h"

struct record {
    struct reporter reporter; /* what is said of the image goes through this */
    bool kept;                /* in memory, until it is printed */
    bool *noted;              /* of the batch: the plan's note has been printed */
    uint64_t pixels;          /* of the image, once they are known */
    char *note;               /* the plan's, if it is to be printed first; owned */
    char *out, *err;          /* what was said; owned */
    size_t out_size, err_size;
};

/* A record of what is said where `to` would say it, kept or not; false without memory. */
bool record_open(struct record *record, const struct reporter *to, bool *noted, bool keep);
/* The plan's remark, which concerns the whole batch, and is printed once. */
void record_note(struct record *record, const char *note);
/* Nothing more will be said; frees what is not needed for printing. */
void record_close(struct record *record);
/* Say what a closed record says, too. */
void record_add(struct record *record, const struct record *said);
/* Print a closed record where `to` says it, and free it. */
void record_print(struct record *record, const struct reporter *to);
void record_free(struct record *record);

#endif
