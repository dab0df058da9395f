/* operations.c - lists of operations */
#include "plan/lowering/operations.h"

#include <stdlib.h>
#include <string.h>

struct imf_operation *imf_operations_insert(struct imf_operations *o, int at,
                                            enum imf_operation_kind kind) {
    if (o->count == o->capacity) {
        int capacity = o->capacity ? 2 * o->capacity : 16;
        struct imf_operation *grown = realloc(o->list, (size_t)capacity * sizeof *grown);
        if (!grown) {
            o->no_memory = true;
            return &o->missing;
        }
        o->list = grown;
        o->capacity = capacity;
    }
    struct imf_operation *op = &o->list[at];
    memmove(op + 1, op, (size_t)(o->count - at) * sizeof *op);
    o->count++;
    for (int i = at + 1; i < o->count; i++) {
        o->list[i].source += o->list[i].source >= at;
        o->list[i].second += o->list[i].second >= at;
    }
    *op = (struct imf_operation){.kind = kind, .source = -1, .second = -2};
    return op;
}

void imf_operations_redirect(struct imf_operations *o, int from, int to, int except) {
    for (int i = 0; i < o->count; i++) {
        struct imf_operation *op = &o->list[i];
        if (i == except)
            continue;
        op->source = op->source == from ? to : op->source;
        op->second = op->second == from ? to : op->second;
    }
}

int imf_operations_readers(const struct imf_operations *o, int i) {
    int readers = 0;
    for (int k = i + 1; k < o->count; k++)
        readers += (o->list[k].source == i) + (o->list[k].second == i);
    return readers;
}

void imf_operations_sweep(struct imf_operations *o) {
    for (int i = o->count - 2; i >= 0; i--) {
        if (imf_operations_readers(o, i))
            continue;
        o->count--;
        memmove(&o->list[i], &o->list[i + 1], (size_t)(o->count - i) * sizeof *o->list);
        for (int k = i; k < o->count; k++) {
            o->list[k].source -= o->list[k].source > i;
            o->list[k].second -= o->list[k].second > i;
        }
    }
}

void imf_operations_free(struct imf_operations *o) {
    for (int i = 0; i < o->count; i++)
        if (o->list[i].kind == IMF_SOLVE)
            imf_kernel_free(&o->list[i].kernel);
    free(o->list);
    o->list = NULL;
    o->count = o->capacity = 0;
}

/* ---- as text --------------------------------------------------------------------------------- */

#define NAME(kind, name, ...) [IMF_##kind] = name,
static const char *const names[] = {IMF_POINT_OPERATIONS(NAME)};
static const char *const solved[] = {IMF_PROBLEMS(NAME)};

static const char *name_of(const struct imf_operation *op) {
    if (op->kind == IMF_SOLVE)
        return solved[op->problem.kind];
    if (op->kind == IMF_COMBINE && op->combine.quotient)
        return "divide";
    return op->kind == IMF_COMBINE && op->combine.difference ? "subtract" : names[op->kind];
}

void imf_result_print(FILE *out, int source, int second, const struct imf_value *v) {
    const int reads[] = {source, second};
    for (int i = 0; i < 2 && reads[i] >= -1; i++) {
        fputs(i ? " and " : " of ", out);
        if (reads[i] < 0)
            fputs("the image", out);
        else
            fprintf(out, "%d", reads[i] + 1);
    }
    fprintf(out, ", up to %g%s", v->bound,
            v->stored              ? ", samples"
            : v->integer           ? ", integers"
            : v->integer_if_opaque ? ", integers if opaque"
                                   : "");
}

void imf_operations_print(FILE *out, const char *title, const struct imf_operations *o) {
    fprintf(out, "%s:\n", title);
    for (int i = 0; i < o->count; i++) {
        const struct imf_operation *op = &o->list[i];
        fprintf(out, "  %2d  %s", i + 1, name_of(op));
        if (op->kind == IMF_SOLVE && imf_problem_kernels(&op->problem))
            fprintf(out, " %dx%d", op->problem.kernel[0]->width, op->problem.kernel[0]->height);
        imf_result_print(out, op->source, op->second, &op->value);
        putc('\n', out);
    }
}
