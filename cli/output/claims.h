/*
 * claims.h - what the jobs of a run read and write, where that is known only as they come
 */
#ifndef CLI_OUTPUT_CLAIMS_H
#define CLI_OUTPUT_CLAIMS_H

#include "input/job_list.h"

enum claim { CLAIM_INPUT, CLAIM_OUTPUT, CLAIM_BACKUP, CLAIM_NONE };
enum { CLAIM_WHY = 700 };

struct claims;
struct claims *claims_new(void); /* NULL: no memory */
void claims_free(struct claims **claims);
/* The job is to read or write this file. False: another one reads what it would write, or writes it, and why says so. A job may
 * claim a file again. Any thread may call this. */
bool claims_take(struct claims *claims, const struct job *job, const char *path, enum claim use,
                 char why[CLAIM_WHY]);
/* The job failed, and wrote nothing there. */
void claims_drop(struct claims *claims, const struct job *job, const char *path);

#endif
