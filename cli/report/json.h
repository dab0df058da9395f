/*
 * json.h - one JSON object a line
 *
 * Strings are printed as valid UTF-8 whatever bytes they hold. The decimal point is '.'.
 */
#ifndef CLI_REPORT_JSON_H
#define CLI_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    bool comma; /* the next member needs one before it */
};

struct json json_begin(FILE *out); /* "{" */
void json_end(struct json *j);     /* "}\n", and flush */
/* value NULL gives null. */
void json_string(struct json *j, const char *key, const char *value);
void json_integer(struct json *j, const char *key, uint64_t value);
/* Three decimals; null when not finite. */
void json_number(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);
/* "key":{, closed by json_close_element() */
void json_open_object(struct json *j, const char *key);
/* "key":[ and its elements { ... } */
void json_open_list(struct json *j, const char *key);
void json_open_element(struct json *j);
void json_close_element(struct json *j);
void json_close_list(struct json *j);

#endif
