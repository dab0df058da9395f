/* state.c - making the context current, and what failed */
#include "gles/state.h"

enum imf_status imf_gles_enter(struct imf_gles *g, struct imf_gles_saved *saved,
                               struct imf_error *err) {
    const struct imf_egl_calls *egl = &g->call.egl;
    pthread_mutex_lock(&g->lock);
    *saved = (struct imf_gles_saved){egl->QueryAPI(), egl->GetCurrentDisplay(),
                                     egl->GetCurrentSurface(EGL_DRAW),
                                     egl->GetCurrentSurface(EGL_READ), egl->GetCurrentContext()};
    if (egl->BindAPI(EGL_OPENGL_ES_API) &&
        egl->MakeCurrent(g->display, g->surface, g->surface, g->context))
        return IMF_OK;
    egl->BindAPI(saved->api);
    pthread_mutex_unlock(&g->lock);
    return imf_fail(err, IMF_ERR_DEVICE, "OpenGL ES: the context is lost");
}

void imf_gles_leave(struct imf_gles *g, const struct imf_gles_saved *saved) {
    bool had = saved->context != NULL;
    g->call.egl.MakeCurrent(had ? saved->display : g->display, saved->draw, saved->read,
                            saved->context);
    g->call.egl.BindAPI(saved->api);
    pthread_mutex_unlock(&g->lock);
}

enum imf_status imf_gles_failed(const struct imf_gles *g, const char *what, unsigned code,
                                struct imf_error *err) {
    return imf_fail(err, code == GL_OUT_OF_MEMORY ? IMF_ERR_MEMORY : IMF_ERR_DEVICE,
                    "OpenGL ES: %s failed on %.60s (error 0x%x)", what, g->name, code);
}

enum imf_status imf_gles_check(const struct imf_gles *g, const char *what, struct imf_error *err) {
    unsigned code = g->call.gl.GetError();
    return code == GL_NO_ERROR ? IMF_OK : imf_gles_failed(g, what, code, err);
}
