/* program.c - shader programs, compiled once for all passes with the same source */
#include "gles/program.h"

#include "gles/state.h"

#include <stdlib.h>
#include <string.h>

/* Unused programs that stay cached: those of a chain, of images with other channels. */
#define IDLE_MOST 16

static const char vertex_text[] =
    "attribute vec2 corner;\n"
    "uniform vec2 made;\n"
    "varying vec2 at;\n"
    "void main() {\n"
    "    at = corner * made;\n"
    "    gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);\n"
    "}\n";

/* ---- compiling ------------------------------------------------------------------------------ */

/* Fail with the first line of the compiler's message. */
static enum imf_status refused(const char *text, struct imf_error *err) {
    return imf_fail(err, IMF_ERR_DEVICE, "OpenGL ES does not compile: %.*s",
                    (int)strcspn(text, "\n"), text);
}

static enum imf_status attach(const struct imf_gles *g, unsigned program, unsigned type,
                              const char *const text[2], struct imf_error *err) {
    const struct imf_gl_calls *gl = &g->call.gl;
    unsigned shader = gl->CreateShader(type);
    int done = 0;
    char log[160] = "";
    if (!shader)
        return imf_gles_failed(g, "making a shader", gl->GetError(), err);
    gl->ShaderSource(shader, 2, text, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done)
        gl->AttachShader(program, shader);
    else
        gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    gl->DeleteShader(shader); /* the program keeps it */
    return done ? IMF_OK : refused(log, err);
}

static enum imf_status compile(struct imf_gles_program *p, const struct imf_gles *g,
                               struct imf_error *err) {
    const struct imf_gl_calls *gl = &g->call.gl;
    const char *const vertex[2] = {"", vertex_text}, *const fragment[2] = {p->defines, p->text};
    int done = 0;
    char log[160] = "";
    p->name = gl->CreateProgram();
    if (!p->name)
        return imf_gles_failed(g, "making a program", gl->GetError(), err);
    enum imf_status st = attach(g, p->name, GL_VERTEX_SHADER, vertex, err);
    if (!st)
        st = attach(g, p->name, GL_FRAGMENT_SHADER, fragment, err);
    if (st)
        return st;
    gl->BindAttribLocation(p->name, 0, "corner");
    gl->LinkProgram(p->name);
    gl->GetProgramiv(p->name, GL_LINK_STATUS, &done);
    if (!done) {
        gl->GetProgramInfoLog(p->name, sizeof log, NULL, log);
        return refused(log, err);
    }
    gl->UseProgram(p->name);
    gl->Uniform1i(gl->GetUniformLocation(p->name, "image"), 0);
    gl->Uniform4fv(gl->GetUniformLocation(p->name, "tap"), p->vectors, p->taps);
    p->size_at = gl->GetUniformLocation(p->name, "texel");
    p->made_at = gl->GetUniformLocation(p->name, "made");
    return imf_gles_check(g, "setting up a program", err);
}

/* ---- keeping -------------------------------------------------------------------------------- */

static size_t taps_bytes(int vectors) {
    return (size_t)vectors * 4 * sizeof(float);
}

static bool is_of(const struct imf_gles_program *p, const struct imf_gles_source *s) {
    return p->text == s->text && p->vectors == s->vectors && !strcmp(p->defines, s->defines) &&
           !memcmp(p->taps, s->taps, taps_bytes(s->vectors));
}

static void free_program(struct imf_gles_program *p) {
    free(p->defines);
    free(p->taps);
    free(p);
}

enum imf_status imf_gles_program_acquire(struct imf_gles_program **out, struct imf_gles *g,
                                         const struct imf_gles_source *s, struct imf_error *err) {
    struct imf_gles_program **at = &g->programs;
    while (*at && !is_of(*at, s))
        at = &(*at)->next;
    struct imf_gles_program *p = *out = *at;
    if (p) {
        *at = p->next; /* to the front: the least recently used one is freed first */
    } else {
        p = calloc(1, sizeof *p);
        if (!p)
            return imf_fail_memory(err, sizeof *p);
        p->text = s->text;
        p->vectors = s->vectors;
        p->defines = strdup(s->defines);
        p->taps = malloc(taps_bytes(s->vectors));
        enum imf_status st = IMF_ERR_MEMORY;
        if (p->defines && p->taps) {
            memcpy(p->taps, s->taps, taps_bytes(s->vectors));
            st = compile(p, g, err);
        } else {
            imf_fail_memory(err, taps_bytes(s->vectors));
        }
        if (st) {
            g->call.gl.DeleteProgram(p->name);
            free_program(p);
            return st;
        }
    }
    p->next = g->programs;
    g->programs = p;
    p->users++;
    *out = p;
    return IMF_OK;
}

void imf_gles_program_release(struct imf_gles_program **program, struct imf_gles *g) {
    struct imf_gles_program **last = NULL;
    int idle = 0;
    if (!*program)
        return;
    (*program)->users--;
    *program = NULL;
    for (struct imf_gles_program **at = &g->programs; *at; at = &(*at)->next)
        if (!(*at)->users) {
            idle++;
            last = at;
        }
    if (idle <= IDLE_MOST)
        return;
    struct imf_gles_program *p = *last;
    *last = p->next;
    g->call.gl.DeleteProgram(p->name);
    free_program(p);
}

void imf_gles_programs_free(struct imf_gles *g) {
    while (g->programs) {
        struct imf_gles_program *p = g->programs;
        g->programs = p->next;
        free_program(p);
    }
}
