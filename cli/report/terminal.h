/*
 * terminal.h - one line at the bottom of a terminal that changes in place
 *
 * It is on standard error. Whoever prints anything else there, or on standard output, does it
 * between terminal_pause() and terminal_resume(), so that the line is out of the way. Any thread may
 * call any of these.
 */
#ifndef CLI_REPORT_TERMINAL_H
#define CLI_REPORT_TERMINAL_H

#include <stdbool.h>

/* Standard error is a terminal that can erase a line. */
bool terminal_is_usable(void);
/* As many columns as a line may take, now. */
int terminal_columns(void);

/* Lines may be shown from now on. */
void terminal_begin(void);
/* Show a line of at most so many columns in place of the last one; not while somebody prints, nor
 * while the program is in the background. True once it is there. */
bool terminal_show(const char *line, int columns);
/* Erase the line until the next is shown. Pairs nest. */
void terminal_pause(void);
void terminal_resume(void);
/* Erase the line, and show none any more. */
void terminal_end(void);

#endif
