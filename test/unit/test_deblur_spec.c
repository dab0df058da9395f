/* test_deblur_spec.c - specs of deblur and rl, which hold another spec */
#include "check.h"
#include "filter/filter.h"

#include <string.h>

static struct imf_filter *filter_of(const char *spec) {
    struct imf_filter *f;
    if (imf_filter_parse(&f, &spec, 1, NULL))
        abort();
    return f;
}

static void test_specs(void) {
    struct imf_filter *f = filter_of("deblur:motion:15:noise=1%:30:prior=tv:iterations=3");
    const struct imf_deblur *d = &f->stages[0].deblur;
    CHECK(f->stages[0].op == IMF_OP_DEBLUR && d->method == IMF_DEBLUR_TV && d->iterations == 3,
          "%d", d->iterations);
    CHECK(d->kernel == f->stages[0].kernel[0] && d->kernel->width > 11 && d->noise == 0.01, "%g",
          d->noise);
    imf_filter_free(&f);
    f = filter_of("deblur:auto");
    CHECK(!f->stages[0].deblur.kernel && f->stages[0].deblur.noise < 0, "auto");
    imf_filter_free(&f);
    f = filter_of("rl:kernel:1,2,1:scale=auto");
    CHECK(f->stages[0].deblur.method == IMF_DEBLUR_RL && f->stages[0].kernel[0]->width == 3, "rl");
    imf_filter_free(&f);
    static const struct {
        const char *spec;
        size_t column;
        const char *said;
    } wrong[] = {{"deblur", 7, "KERNEL is missing"},
                 {"deblur:sobel", 8, "is no kernel"},
                 {"deblur:deblur:disk:2", 8, "is no kernel"},
                 {"deblur:laplacian", 8, "the sum of its coefficients is 0"},
                 {"deblur:kernel:1:bias=1", 8, "it has a bias"},
                 {"deblur:disk:2:noise=-1", 21, "out of range"},
                 {"deblur:disk:2:noise=25", 21, "out of range"},
                 {"deblur:disk:2:noise=1:noise=1", 23, "given twice"},
                 {"deblur:disk:2:prior=l1", 21, "not one of the choices"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct imf_error err = {.text = ""};
        CHECK(imf_filter_parse(&f, &wrong[i].spec, 1, &err) == IMF_ERR_SPEC &&
                  err.column == wrong[i].column && strstr(err.text, wrong[i].said),
              "%s: column %zu, %s", wrong[i].spec, err.column, err.text);
    }
}

int main(void) {
    test_specs();
    return check_done("test_deblur_spec");
}
