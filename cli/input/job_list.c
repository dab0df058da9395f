/*
 * job_list.c - the images of a run
 */
#include "input/job_list.h"

#include <stdlib.h>
#include <string.h>

#include "report/message.h"

bool job_list_add(struct job_list *b, const char *input, const char *name, char *error,
                  bool in_tree) {
    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? b->capacity * 2 : 16;
        struct job *grown = reallocarray(b->jobs, capacity, sizeof *grown);
        if (!grown) {
            free(error);
            return complain("out of memory");
        }
        b->jobs = grown;
        b->capacity = capacity;
    }
    struct job *job = &b->jobs[b->count++];
    b->has_tree = b->has_tree || in_tree;
    *job = (struct job){.input = strdup(input),
                        .name = strdup(name),
                        .error = error,
                        .in_tree = in_tree,
                        .number = b->count};
    if (!job->input || !job->name)
        return complain("out of memory");
    return true;
}

void job_free(struct job *job) {
    free(job->input);
    free(job->output);
    free(job->name);
    free(job->error);
}

void job_list_remove(struct job_list *b, const bool *which) {
    size_t kept = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (which[i])
            job_free(&b->jobs[i]);
        else
            b->jobs[kept++] = b->jobs[i];
    }
    b->count = kept;
}

void job_list_free(struct job_list *b) {
    for (size_t i = 0; i < b->count; i++)
        job_free(&b->jobs[i]);
    free(b->jobs);
    *b = (struct job_list){0};
}
