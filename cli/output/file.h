/*
 * file.h - output files that are complete or absent
 *
 * A file is written under a temporary name in its own directory and renamed at the end. Until then
 * a failure, or a signal that ends the process, removes it. Standard output and special files
 * (devices, FIFOs) are written directly.
 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "input/file_ref.h"
#include "output/temporary.h"

struct output_rules {
    bool make_directories; /* create missing ones */
    bool no_clobber;       /* never replace a file, even if it appeared meanwhile */
    bool clobber_backup;   /* replace an older backup */
    const char *below;     /* the end of the name, where no link is followed; NULL: they are */
    const char *backup;    /* in place: keep the original under its name and this suffix, or NULL */
    bool keep_times;       /* give it the modification time of `input`, if that is a file */
    int input;
};

enum { OUTPUT_WHY = 512 };

struct output {
    FILE *stream;
    char *buffer;        /* the stream's, once it is open */
    struct file_ref ref; /* the final name; none: it is written directly */
    struct temporary temporary;
    int old_file; /* owned: the file that it replaces, or -1 */
    bool replaces, in_place;
    struct stat old; /* of that file; in place as it was when it was opened for reading */
    struct output_rules rules;
    char why[OUTPUT_WHY];  /* after a failure: "cannot write: No space left on device" */
    char note[OUTPUT_WHY]; /* after success: what could not be kept, or "" */
};

/* Make a stream that nothing was read from or written to use a large buffer, which the caller frees when
 * the stream is closed; NULL: it keeps its own. */
char *file_buffer(FILE *stream);

/* Open the output called name ("-": standard output). */
bool output_open(struct output *out, const char *name, const struct output_rules *rules);
/* The same to replace the file that was opened there for `input`; takes over the reference. */
bool output_open_in_place(struct output *out, struct file_ref *ref, FILE *input,
                          const struct output_rules *rules);
/* Has the file that was opened there an older backup? Then why says so. */
bool output_backup_exists(const struct file_ref *ref, const char *suffix, char why[OUTPUT_WHY]);

/* Complete the file under its temporary name, and start writing it to the disk. */
bool output_finish(struct output *out);
/* Flush finished files to the disk, rename them, and flush the directories where files were replaced.
 * For many files together this takes little more time than for one. A failure leaves no new file. */
enum output_result {
    OUTPUT_DONE,
    OUTPUT_EXISTS,
    OUTPUT_BACKUP_EXISTS, /* an older backup: why */
    OUTPUT_FAILED
};
void output_commit_all(struct output *const *outputs, enum output_result *results, size_t count);
/* Finish and commit one. */
enum output_result output_commit(struct output *out);
/* Remove the temporary and free; harmless after a commit. */
void output_abandon(struct output *out);

#endif
