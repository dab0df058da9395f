/*
 * terminal.h - a status line at the bottom of a terminal, on standard error
 *
 * All other output to standard error and standard output is printed between terminal_pause() and
 * terminal_resume(), which erase the line first. Any thread may call any of these.
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
/* Show an ASCII line of at most so many columns in place of the last one; not while the program is in
 * the background. True if it was drawn. */
bool terminal_show(const char *line, int columns);
/* Erase the line until the next is shown. Pairs nest. */
void terminal_pause(void);
void terminal_resume(void);
/* Erase the line, and show no more lines. */
void terminal_end(void);

#endif
