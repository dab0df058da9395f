/* network_run.c - the inner loops of solver/rank/network.h: steps on rows of samples */
#include "base/clones.h"
#include "solver/rank/network.h"

#define VECTOR 64 /* bytes; rows are a multiple of it */

/* A step writes no row that it reads. n is whole vectors: the loop needs no scalar remainder. One loop,
 * not one over vectors around one over lanes, of which gcc makes shuffles for floats. */
#define RUN(name, T)                                                                               \
    static inline __attribute__((always_inline)) void name##_step(                                 \
        T *restrict lesser, T *restrict greater, const T *a, const T *b, int n) {                  \
        for (int k = 0; k < (n & -(VECTOR / (int)sizeof(T))); k++) {                               \
            T x = a[k], y = b[k];                                                                  \
            lesser[k] = x < y ? x : y;                                                             \
            greater[k] = x < y ? y : x;                                                            \
        }                                                                                          \
    }                                                                                              \
    IMF_CLONES static void name(const struct imf_network_step *s, int count, void *const *rows,    \
                                int n) {                                                           \
        for (const struct imf_network_step *end = s + count; s < end; s++)                         \
            name##_step(rows[s->lesser], rows[s->greater], rows[s->a], rows[s->b], n);             \
    }
RUN(run_bytes, uint8_t)
RUN(run_words, uint16_t)
RUN(run_floats, float)
RUN(run_doubles, double)

void imf_network_run(const struct imf_network *net, enum imf_sample sample, void *const *rows,
                     int n) {
    if (sample == IMF_U8)
        run_bytes(net->steps, net->count, rows, n);
    else if (sample == IMF_U16)
        run_words(net->steps, net->count, rows, n);
    else if (sample == IMF_F64)
        run_doubles(net->steps, net->count, rows, n);
    else
        run_floats(net->steps, net->count, rows, n);
}
