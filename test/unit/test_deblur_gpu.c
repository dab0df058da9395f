/*
 * test_deblur_gpu.c - undoing a blur as GPUs do it, on any device, beside the host's float64: sizes of every
 * kind, samples of every type, alpha, a blur that is found
 */
#include "deblur_util.h"
#include "filter/filter.h"

static void test_sizes(struct imf_queue *queue) {
    static const struct {
        int width, height, channels;
    } sizes[] = {{1, 1, 1}, {31, 29, 4}, {106, 141, 3}, {1, 19, 2}, {23, 1, 1}, {130, 201, 1}};
    struct imf_kernel *k = kernel_of(7, 6);
    size_t count = sizeof sizes /
                   sizeof *sizes; /* each is compiled; planes of the tests below are like these */
    for (size_t z = 0; z < (check_thorough() ? count : 3); z++)
        for (int m = 0; m < 3; m++) {
            const struct imf_deblur d = {methods[m], k, -1, 0, 1, 1};
            int channels = sizes[z].channels, colors = channels - (channels % 2 == 0);
            const struct imf_problem p =
                problem_of(&d, sizes[z].width, sizes[z].height, channels, colors, IMF_U8, IMF_F32);
            compare(queue, &imf_solver_deblur_gpu, &p, names[m]);
        }
    imf_kernel_free(&k);
}

static void test_samples(struct imf_queue *queue) {
    static const enum imf_sample in[] = {IMF_U8, IMF_U16, IMF_F32},
                                 out[] = {IMF_U8, IMF_U16, IMF_U8};
    struct imf_kernel *k = kernel_of(4, 5);
    for (int i = 0; i < 3; i++) {
        const struct imf_deblur d = {methods[i], k, 0.01, i == 2 ? 7 : 2, 1, 1};
        struct imf_problem p = problem_of(&d, 34, 30, 2, 1, in[i], out[i]);
        p.epilogue.multiply = -1;
        p.epilogue.offset = p.unit;
        compare(queue, &imf_solver_deblur_gpu, &p, names[i]);
    }
    imf_kernel_free(&k);
}

/* Steps are sharp, so that nothing is undone, or little. */
static void test_found(struct imf_queue *queue) {
    const struct imf_deblur d = {.method = IMF_DEBLUR_WIENER, .noise = -1};
    const struct imf_problem p = problem_of(&d, 31, 72, 2, 1, IMF_U8, IMF_F32);
    compare(queue, &imf_solver_deblur_gpu, &p, "auto");
}

/* What is left to the host. */
static void test_refused(struct imf_queue *queue) {
    struct imf_kernel *k = kernel_of(3, 3);
    struct imf_device device = *imf_queue_device(queue);
    struct imf_proposal proposal;
    struct imf_deblur d = {IMF_DEBLUR_WIENER, k, -1, 0, 1, 1};
    struct imf_problem p = problem_of(&d, 60, 50, 3, 3, IMF_U8, IMF_U8);
    device.gpu = false;
    imf_propose(&proposal, &imf_solver_deblur_gpu, &p, &device);
    CHECK(!proposal.feasible && strstr(proposal.why, "for GPUs"), "%s", proposal.why);
    device.gpu = true;
    imf_propose(&proposal, &imf_solver_deblur_gpu, &p, &device);
    CHECK(proposal.feasible && proposal.ms > 0 && proposal.bytes > 0, "%s", proposal.why);
    p.width = 20000;
    imf_propose(&proposal, &imf_solver_deblur_gpu, &p, &device);
    CHECK(!proposal.feasible && strstr(proposal.why, "local memory"), "%s", proposal.why);
    d.noise = 1e-4;
    imf_propose(&proposal, &imf_solver_deblur_gpu, &p, &device);
    CHECK(!proposal.feasible && strstr(proposal.why, "float64"), "%s", proposal.why);
    imf_kernel_free(&k);
}

int main(void) {
    struct imf_context_options options = {0};
    struct imf_runtime *rt = NULL;
    struct imf_queue *queue = NULL;
    struct imf_error err;
    if (imf_runtime_open(&rt, &options, NULL, &err) || imf_queue_open(&queue, rt, &err)) {
        CHECK(!queue, "no queue");
        printf("test_deblur_gpu: no device was asked: %s\n", err.text);
    } else if (imf_queue_device(queue)->max_group < 256) {
        printf("test_deblur_gpu: groups are too small\n");
        CHECK(queue != NULL, "a queue");
    } else {
        test_refused(queue);
        test_sizes(queue);
        test_samples(queue);
        test_found(queue);
    }
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
    return check_done("test_deblur_gpu");
}
