/*
 * runtime.c - finding EGL and OpenGL ES 2, and a context without a window
 * Mesa's surfaceless platform needs neither a window system nor a surface. Elsewhere the default
 * display provides a surface of one pixel, which is not drawn to: passes draw to textures.
 */
#include "gles/program.h"
#include "gles/state.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits behind the leading one: floats of fewer do not hold all integers below 2^24. */
#define MANTISSA 23

/* ---- libraries ------------------------------------------------------------------------------ */

/* A symbol of the library, or EGL's extension of that name: some drivers export only one of both. */
static void *find(const struct imf_gles *g, void *library, const char *name) {
    void *symbol = dlsym(library, name);
    return symbol || !g->call.egl.GetProcAddress ? symbol : g->call.egl.GetProcAddress(name);
}

/* ISO C has no conversion from what dlsym() gives to a function's address; POSIX promises that they
 * look the same. */
static bool load_calls(struct imf_gles *g, struct imf_error *err) {
    const char *missing = NULL;
#define LOAD_FROM(prefix, library, part, name)                                                     \
    do {                                                                                           \
        void *symbol = find(g, library, prefix #name);                                             \
        memcpy(&g->call.part.name, &symbol, sizeof symbol);                                        \
        missing = symbol ? missing : prefix #name;                                                 \
    } while (0);
#define LOAD_EGL(result, name, parameters) LOAD_FROM("egl", g->egl, egl, name)
#define LOAD_GL(result, name, parameters) LOAD_FROM("gl", g->gl, gl, name)
    IMF_EGL_CALLS(LOAD_EGL)
    if (!missing)
        IMF_GL_CALLS(LOAD_GL)
    if (missing)
        imf_fail(err, IMF_ERR_NO_DEVICE, "no OpenGL ES 2: it lacks %s()", missing);
    return !missing;
}

static bool load(struct imf_gles *g, struct imf_error *err) {
    static const char *const names[2][2] = {{"libEGL.so.1", "libEGL.so"},
                                            {"libGLESv2.so.2", "libGLESv2.so"}};
    void **const libraries[2] = {&g->egl, &g->gl};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2 && !*libraries[i]; k++)
            *libraries[i] = dlopen(names[i][k], RTLD_NOW | RTLD_LOCAL);
        if (!*libraries[i]) {
            imf_fail(err, IMF_ERR_NO_DEVICE, "no OpenGL ES 2: there is no %s", names[i][0]);
            return false;
        }
    }
    return load_calls(g, err);
}

/* ---- context -------------------------------------------------------------------------------- */

/* `name` is one of the words of the list, which may be NULL. */
static bool lists(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* The display is the process's: it stays initialised, for others may have it too. */
static bool open_display(struct imf_gles *g, void *display) {
    static const int wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                 EGL_OPENGL_ES2_BIT, EGL_NONE};
    static const int version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    static const int pixel[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    const struct imf_egl_calls *egl = &g->call.egl;
    int count = 0;
    if (!display || !egl->Initialize(display, NULL, NULL) || !egl->BindAPI(EGL_OPENGL_ES_API) ||
        !egl->ChooseConfig(display, wanted, &g->config, 1, &count) || count < 1)
        return false;
    g->display = display;
    g->context = egl->CreateContext(display, g->config, NULL, version);
    if (!g->context)
        return false;
    if (lists(egl->QueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context"))
        return true;
    g->surface = egl->CreatePbufferSurface(display, g->config, pixel);
    return g->surface != NULL;
}

static void close_display(struct imf_gles *g) {
    if (g->surface)
        g->call.egl.DestroySurface(g->display, g->surface);
    if (g->context)
        g->call.egl.DestroyContext(g->display, g->context);
    g->surface = g->context = NULL;
}

static void *surfaceless(const struct imf_gles *g) {
    void *(*get)(unsigned platform, void *native, const int *attributes);
    if (!lists(g->call.egl.QueryString(NULL, EGL_EXTENSIONS), "EGL_MESA_platform_surfaceless"))
        return NULL;
    void *symbol = find(g, g->egl, "eglGetPlatformDisplayEXT");
    memcpy(&get, &symbol, sizeof symbol);
    return symbol ? get(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL) : NULL;
}

static bool make_context(struct imf_gles *g, struct imf_error *err) {
    if (open_display(g, surfaceless(g)))
        return true;
    close_display(g);
    if (open_display(g, g->call.egl.GetDisplay(NULL)))
        return true;
    imf_fail(err, IMF_ERR_NO_DEVICE, "no OpenGL ES 2: EGL gives no context");
    return false;
}

/* ---- limits --------------------------------------------------------------------------------- */

/* The context is current. */
static enum imf_status look(struct imf_gles *g, struct imf_error *err) {
    const struct imf_gl_calls *gl = &g->call.gl;
    int range[2] = {0, 0}, bits = 0, sides[2] = {0, 0};
    const char *name = (const char *)gl->GetString(GL_RENDERER);
    const char *version = (const char *)gl->GetString(GL_VERSION);
    snprintf(g->name, sizeof g->name, "%s", name && *name ? name : "OpenGL ES 2");
    snprintf(g->version, sizeof g->version, "%s", version ? version : "");
    gl->GetShaderPrecisionFormat(GL_FRAGMENT_SHADER, GL_HIGH_FLOAT, range, &bits);
    g->coarse = bits < MANTISSA || range[1] < MANTISSA + 2;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &g->side);
    gl->GetIntegerv(GL_MAX_VIEWPORT_DIMS, sides);
    for (int i = 0; i < 2; i++)
        g->side = sides[i] < g->side ? sides[i] : g->side;
    gl->GetIntegerv(GL_MAX_FRAGMENT_UNIFORM_VECTORS, &g->vectors);
    return gl->GetError() == GL_NO_ERROR
               ? IMF_OK
               : imf_fail(err, IMF_ERR_NO_DEVICE, "OpenGL ES 2 does not tell its limits");
}

enum imf_status imf_gles_open(struct imf_gles **out, struct imf_error *err) {
    struct imf_gles *g = calloc(1, sizeof *g);
    struct imf_gles_saved saved;
    *out = NULL;
    if (!g || pthread_mutex_init(&g->lock, NULL)) {
        free(g);
        return imf_fail_memory(err, sizeof *g);
    }
    *out = g;
    enum imf_status st = load(g, err) && make_context(g, err) ? IMF_OK : IMF_ERR_NO_DEVICE;
    if (!st && imf_gles_enter(g, &saved, err))
        st = IMF_ERR_NO_DEVICE;
    else if (!st) {
        st = look(g, err);
        imf_gles_leave(g, &saved);
    }
    if (st)
        imf_gles_close(out);
    return st;
}

void imf_gles_close(struct imf_gles **gles) {
    if (!*gles)
        return;
    close_display(*gles);
    imf_gles_programs_free(*gles);
    pthread_mutex_destroy(&(*gles)->lock);
    free(*gles);
    *gles = NULL;
}

const char *imf_gles_name(const struct imf_gles *g) {
    return g->name;
}

const char *imf_gles_version(const struct imf_gles *g) {
    return g->version;
}

const char *imf_gles_why_not(const struct imf_gles *g) {
    return g->coarse ? "it has no floats of 24 bits in fragment shaders" : NULL;
}

int imf_gles_kernel_side(const struct imf_gles *g) {
    int side = IMF_GLES_KERNEL_MOST;
    while (side > 0 && side * imf_gles_row_vectors(side) + IMF_GLES_SIZES > g->vectors)
        side--;
    return side;
}

bool imf_gles_on_processor(const struct imf_gles *g) {
    static const char *const names[] = {"llvmpipe", "softpipe", "SwiftShader",
                                        "Software Rasterizer"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(g->name, names[i]))
            return true;
    return false;
}

void imf_gles_limit(struct imf_gles *g, int side) {
    g->side = side < g->side ? side : g->side;
}
