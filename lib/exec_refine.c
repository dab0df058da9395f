/* exec_refine.c - a run whose floats were not precise enough, again with float64 sums on the host
 */
#include "exec.h"

#include <stdlib.h>
#include <string.h>

static enum imf_status run_again(struct imf_exec *x, const struct imf_chain *chain,
                                 struct imf_error *err) {
    struct imf_exec *host = NULL;
    enum imf_status st = imf_exec_make_host(&host, chain, chain->out, err);
    if (!st)
        st = imf_exec_copy_input(x, host, err);
    if (!st)
        st = imf_exec_run(host, err);
    if (!st)
        st = imf_exec_write_output(x, imf_exec_map_output(host, err), err);
    imf_exec_free(&host);
    return st;
}

enum imf_status imf_exec_refine(struct imf_exec *x, const struct imf_chain *chain,
                                struct imf_error *err) {
    if (imf_exec_precise(x))
        return IMF_OK;
    struct imf_chain factored = *chain;
    size_t bytes = (size_t)chain->count * sizeof *chain->passes;
    if (!(factored.passes = malloc(bytes)))
        return imf_fail_memory(err, bytes);
    memcpy(factored.passes, chain->passes, bytes);
    for (int i = 0; i < chain->count; i++)
        factored.passes[i].problem.factors = true;
    enum imf_status st = run_again(x, &factored, err);
    free(factored.passes);
    return st;
}
