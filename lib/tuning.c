/*
 * tuning.c - the table of devices' shapes and rates
 */
#include "tuning.h"
#include <math.h>
#include <stdlib.h>

static struct imf_tuning table[] = {
    {.name = "CPU",
     .vec = {16, 16, 16, 8},
     .registers = 6,
     .group = 64,
     .least_rows = 8,
     .rows = 128,
     .two_passes = false,
     .cache = 16384,
     .groups_per_unit = 4,
     .product = {20, 20, 10, 5},
     .operand = {10, 5, 5, 3},
     .row_product = {5,2.5,2,1},
     .column_product = {5,2.5,2,1},
     .loop_product = 6,
     .finish = 2,
     .bandwidth = 10,
     .launch_ms = 0.03},
    {.name = "GPU",
     .vec = {1, 1, 1, 1},
     .registers = 64,
     .group = 64,
     .least_rows = 8,
     .rows = 32,
     .two_passes = true,
     .cache = 0,
     .groups_per_unit = 32,
     .product = {50, 50, 50, 5},
     .operand = {10, 10, 10, 3},
     .row_product = {5,5,5,1},
     .column_product = {5,5,5,1},
     .loop_product = 20,
     .finish = 2,
     .bandwidth = 3000,
     .launch_ms = 0.01},
};
static int ev(const char*n,int d){const char*e=getenv(n);return e?atoi(e):d;}
const struct imf_tuning *imf_tuning(const struct imf_device *d) {
    struct imf_tuning*t= &table[d->gpu || getenv("T_GPU")];
    for(int i=0;i<4;i++) t->vec[i]=ev("T_VEC",t->vec[i]);
    t->group=ev("T_GROUP",t->group);
    t->rows=ev("T_ROWS",t->rows);
    t->cache=ev("T_CACHE",t->cache);t->two_passes=ev("T_TWO",t->two_passes);
    return t;
}

int imf_tuning_vec(const struct imf_tuning *t, enum imf_width width, int sums) {
    int vec = t->vec[width];
    return sums > t->registers && width != IMF_WIDTH_16 && vec > 1 ? vec / 2 : vec;
}

int imf_tuning_rows(const struct imf_tuning *t, const struct imf_device *d, size_t groups,
                    int height, int reach) {
    double wanted = t->groups_per_unit * d->compute_units / (double)groups; /* walks, top to bottom */
    double rows = wanted <= 1 ? height : height / wanted;
    rows = fmax(rows, reach); /* shorter walks spend most of their time on shared rows */
    rows = fmin(rows, fmax(t->least_rows, (double)reach * reach));
    return (int)fmax(1, fmin(rows, t->rows));
}
