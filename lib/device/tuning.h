/* tuning.h - what differs between devices: shapes of work, and how fast it goes */
#ifndef IMF_DEVICE_TUNING_H
#define IMF_DEVICE_TUNING_H

#include "device/runtime.h"

/* The type of sums: what bounds the speed of arithmetic. */
enum imf_width { IMF_WIDTH_16, IMF_WIDTH_32, IMF_WIDTH_INT, IMF_WIDTH_64, IMF_WIDTHS };

struct imf_tuning {
    const char *name;
    /* Shapes. */
    int vec[IMF_WIDTHS];           /* samples a work-item, by type of the sums */
    int separable_vec[IMF_WIDTHS]; /* the same for separable kernels: one register */
    int registers;          /* sums of vec samples that fit in registers; with more, vec halves */
    int group;              /* work-items a work-group, along a row */
    int least_rows;         /* output rows a work-item walks over, for the lowest kernels */
    int rows;               /* and at most */
    bool two_passes;        /* separable: through a buffer in memory, not in a work-item */
    double groups_per_unit; /* work-groups that keep a compute unit busy */
    size_t band_bytes;      /* surfaces between passes, in all; 0: whatever memory holds */
    /* Rates: 1e9 samples (times taps) a second and compute unit. */
    double product[IMF_WIDTHS];        /* direct: multiply-adds of operands in registers */
    double operand[IMF_WIDTHS];        /* direct: loading and widening a sample or mirrored pair */
    double row_product[IMF_WIDTHS];    /* separable: multiply-adds along the rows */
    double column_product[IMF_WIDTHS]; /* separable: and down the columns */
    double term;                       /* separable: a sample of each term but the first */
    double term_product;               /* and its products' cost, in those of the first's */
    double middle;                     /* separable: passing a sample through the buffer */
    double loop_product;               /* multiply-adds with taps from memory */
    double finish;                     /* scaling, rounding, saturating and storing a sample */
    double divide;                     /* exact division by a scale that is not 1 */
    double root;                       /* square roots of magnitudes */
    double bandwidth;                  /* GB a second to and from memory, whole device */
    double launch_ms;                  /* starting one kernel */
    double driver_bytes;               /* that the driver takes in this process */
};

const struct imf_tuning *imf_tuning(const struct imf_device *d);

/* Work-items a work-group, as the device allows. */
size_t imf_tuning_group(const struct imf_device *d);

/* Samples a work-item should take when it keeps `sums` sums of each. */
int imf_tuning_vec(const struct imf_tuning *t, enum imf_width width, int sums);

/* Output rows a work-item should take, so that a small image still occupies every unit.
 * groups: work-groups across; reach: input rows of an output row. */
int imf_tuning_rows(const struct imf_tuning *t, const struct imf_device *d, size_t groups,
                    int height, int reach);

/* Bytes that the surfaces between passes may take in all. */
size_t imf_tuning_band_bytes(const struct imf_device *d);

#endif
