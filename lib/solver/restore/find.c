/* find.c - what a picture tells of its noise, its scene and, if that is asked, its blur */
#include "filter/builtin/table.h"
#include "solver/restore/deblur.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of full scale: noise that the arithmetic of floats has of itself. */
#define ARITHMETIC 1e-5

static enum imf_status find_model(struct imf_deblur_found *f, const struct imf_problem *p,
                                  const struct imf_surface *in, struct imf_pool *pool,
                                  struct imf_error *err) {
    double noise = p->deblur->noise < 0 ? -1 : p->deblur->noise * p->unit;
    const struct imf_whittle_scale scale = {fmax(noise < 0 ? p->grain : 0, ARITHMETIC * p->unit),
                                            p->unit};
    enum imf_status status =
        imf_whittle_fit(&f->model, in, p->colors, f->blur, noise, scale, pool, err);
    size_t used = strlen(f->text);
    double part = sqrt(f->model.noise) / p->unit;
    if (status == IMF_OK)
        snprintf(f->text + used, sizeof f->text - used,
                 "%snoise of sigma %.3g of full scale (%.3g of %g)", used ? ", " : "", part,
                 part * p->unit, p->unit);
    return status;
}

static enum imf_status find_blur(struct imf_deblur_found *f, const struct imf_problem *p,
                                 const struct imf_surface *in, struct imf_pool *pool,
                                 struct imf_error *err) {
    const struct imf_whittle_scale scale = {fmax(p->grain, ARITHMETIC * p->unit), p->unit};
    struct imf_blind blind;
    enum imf_status status = imf_whittle_blind(&blind, in, p->colors, scale, pool, err);
    if (status != IMF_OK)
        return status;
    if (blind.directed)
        return imf_fail(err, IMF_ERR_FORMAT,
                        "the blur has a direction, as of motion, which deblur:auto does not find "
                        "(deblur:motion:LENGTH:ANGLE undoes it)");
    if (blind.size < IMF_BLIND_SHARP) {
        snprintf(f->text, sizeof f->text, "no blur to undo");
        return IMF_OK;
    }
    snprintf(f->text, sizeof f->text, "a blur like %s:%.2f", blind.disk ? "disk" : "gaussian",
             blind.size);
    status = (blind.disk ? imf_design_disk : imf_design_gaussian)(&f->owned, &blind.size, err);
    f->blur = f->owned;
    return status;
}

enum imf_status imf_deblur_find(struct imf_deblur_found *out, const struct imf_problem *p,
                                const struct imf_surface *in, struct imf_pool *pool,
                                struct imf_error *err) {
    *out = (struct imf_deblur_found){.blur = p->deblur->kernel};
    enum imf_status status = out->blur ? IMF_OK : find_blur(out, p, in, pool, err);
    return status == IMF_OK && out->blur ? find_model(out, p, in, pool, err) : status;
}
