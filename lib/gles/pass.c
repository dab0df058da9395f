/*
 * pass.c - a picture, tile by tile: a texture of what is read, a rectangle drawn into another, and
 * its texels back
 * OpenGL ES 2 has only bytes in textures and only rows without gaps: tiles are packed, which costs a
 * copy each way.
 */
#include "gles/pass.h"

#include "gles/program.h"
#include "gles/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texels of an input tile: larger ones gain nothing, and take memory on the host and the device. */
#define TILE_TEXELS (1 << 20)

struct imf_gles_pass {
    struct imf_gles *gles;
    int texel, reach_x, reach_y;
    struct imf_gles_program *program;
    unsigned in, out, framebuffer; /* 0: not made */
    int width, height;             /* of the largest output tile that the textures hold; 0: none */
    unsigned char *from, *to;      /* an input and an output tile */
};

enum imf_status imf_gles_pass_make(struct imf_gles_pass **out, struct imf_gles *g,
                                   const struct imf_gles_source *s, struct imf_error *err) {
    struct imf_gles_saved saved;
    *out = NULL;
    if (s->vectors + IMF_GLES_SIZES > g->vectors)
        return imf_fail(err, IMF_ERR_DEVICE,
                        "OpenGL ES: a kernel takes %d vectors, %.60s has room for %d",
                        s->vectors + IMF_GLES_SIZES, g->name, g->vectors);
    if (s->reach_x >= g->side || s->reach_y >= g->side)
        return imf_fail(err, IMF_ERR_DEVICE, "OpenGL ES: textures of %.60s have only %d texels",
                        g->name, g->side);
    struct imf_gles_pass *p = *out = calloc(1, sizeof *p);
    if (!p)
        return imf_fail_memory(err, sizeof *p);
    *p = (struct imf_gles_pass){
        .gles = g, .texel = s->texel, .reach_x = s->reach_x, .reach_y = s->reach_y};
    enum imf_status st = imf_gles_enter(g, &saved, err);
    if (!st) {
        st = imf_gles_program_acquire(&p->program, g, s, err);
        imf_gles_leave(g, &saved);
    }
    if (st)
        imf_gles_pass_free(out);
    return st;
}

static void free_textures(struct imf_gles_pass *p) {
    const struct imf_gl_calls *gl = &p->gles->call.gl;
    gl->DeleteFramebuffers(1, &p->framebuffer);
    gl->DeleteTextures(1, &p->out);
    gl->DeleteTextures(1, &p->in);
    p->framebuffer = p->out = p->in = 0;
    free(p->from);
    free(p->to);
    p->from = p->to = NULL;
    p->width = p->height = 0;
}

void imf_gles_pass_free(struct imf_gles_pass **pass) {
    struct imf_gles_pass *p = *pass;
    struct imf_gles_saved saved;
    if (!p)
        return;
    if (!imf_gles_enter(p->gles, &saved, NULL)) { /* else they were lost with the context */
        free_textures(p);
        imf_gles_program_release(&p->program, p->gles);
        imf_gles_leave(p->gles, &saved);
    }
    free(p->from);
    free(p->to);
    free(p);
    *pass = NULL;
}

/* ---- tiles ---------------------------------------------------------------------------------- */

/* The output tile's size, where textures have at most `side` texels. */
static struct imf_gles_tile tile_size(const struct imf_gles_source *s, int side, double width,
                                      double height) {
    struct imf_gles_tile t = {.width = (int)fmin(width, side - s->reach_x)};
    double rows = floor((double)TILE_TEXELS / (t.width + s->reach_x)) - s->reach_y;
    t.height = (int)fmin(fmin(height, side - s->reach_y), fmax(rows, s->reach_y + 1));
    return t;
}

double imf_gles_pass_bytes(const struct imf_gles_source *s, double width, double height) {
    struct imf_gles_tile t = tile_size(s, INT32_MAX, width, height);
    return (double)(t.width + s->reach_x) * (t.height + s->reach_y) * s->texel +
           4.0 * t.width * t.height;
}

static unsigned make_texture(const struct imf_gl_calls *gl, unsigned format, int width,
                             int height) {
    static const int settings[][2] = {{GL_TEXTURE_MIN_FILTER, GL_NEAREST},
                                      {GL_TEXTURE_MAG_FILTER, GL_NEAREST},
                                      {GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE},
                                      {GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE}};
    unsigned texture = 0;
    gl->GenTextures(1, &texture);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        gl->TexParameteri(GL_TEXTURE_2D, (unsigned)settings[i][0], settings[i][1]);
    gl->TexImage2D(GL_TEXTURE_2D, 0, (int)format, width, height, 0, format, GL_UNSIGNED_BYTE, NULL);
    return texture;
}

/* Textures and memory for tiles of this size. */
static enum imf_status make_textures(struct imf_gles_pass *p, int width, int height,
                                     struct imf_error *err) {
    const struct imf_gl_calls *gl = &p->gles->call.gl;
    size_t wide = (size_t)(width + p->reach_x), high = (size_t)(height + p->reach_y);
    size_t from = wide * high * (size_t)p->texel, to = (size_t)width * (size_t)height * 4;
    free_textures(p);
    p->from = malloc(from);
    p->to = malloc(to);
    if (!p->from || !p->to)
        return imf_fail_memory(err, from + to);
    p->in = make_texture(gl, p->texel == 1 ? GL_LUMINANCE : GL_RGBA, (int)wide, (int)high);
    p->out = make_texture(gl, GL_RGBA, width, height);
    gl->GenFramebuffers(1, &p->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, p->framebuffer);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, p->out, 0);
    bool complete = gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    enum imf_status st = imf_gles_check(p->gles, "making textures", err);
    if (st || !complete)
        return st ? st : imf_gles_failed(p->gles, "drawing into a texture", GL_NO_ERROR, err);
    p->width = width;
    p->height = height;
    return IMF_OK;
}

static enum imf_status run_tile(struct imf_gles_pass *p, const struct imf_gles_picture *picture,
                                const struct imf_gles_tile *t, struct imf_error *err) {
    static const float corners[] = {0, 0, 1, 0, 0, 1, 1, 1};
    const struct imf_gl_calls *gl = &p->gles->call.gl;
    const struct imf_gles_tile read = {t->x, t->y, t->width + p->reach_x, t->height + p->reach_y};
    picture->load(picture->data, p->from, &read);
    gl->BindTexture(GL_TEXTURE_2D, p->in);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, read.width, read.height,
                      p->texel == 1 ? GL_LUMINANCE : GL_RGBA, GL_UNSIGNED_BYTE, p->from);
    gl->Uniform2f(p->program->made_at, (float)t->width, (float)t->height);
    gl->Viewport(0, 0, t->width, t->height);
    gl->VertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    gl->ReadPixels(0, 0, t->width, t->height, GL_RGBA, GL_UNSIGNED_BYTE, p->to);
    enum imf_status st = imf_gles_check(p->gles, "drawing", err);
    if (!st)
        picture->store(picture->data, p->to, t);
    return st;
}

/* The context is current. */
static enum imf_status run(struct imf_gles_pass *p, const struct imf_gles_picture *picture,
                           struct imf_error *err) {
    const struct imf_gl_calls *gl = &p->gles->call.gl;
    const struct imf_gles_source s = {.reach_x = p->reach_x, .reach_y = p->reach_y};
    struct imf_gles_tile most = tile_size(&s, p->gles->side, picture->width, picture->height);
    enum imf_status st = IMF_OK;
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 1);
    gl->Disable(GL_DITHER);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->EnableVertexAttribArray(0);
    if (most.width > p->width || most.height > p->height)
        st = make_textures(p, most.width, most.height, err);
    gl->BindFramebuffer(GL_FRAMEBUFFER, p->framebuffer);
    gl->UseProgram(p->program->name);
    gl->Uniform2f(p->program->size_at, 1.0F / (float)(p->width + p->reach_x),
                  1.0F / (float)(p->height + p->reach_y));
    for (int y = 0; y < picture->height && !st; y += most.height)
        for (int x = 0; x < picture->width && !st; x += most.width) {
            const struct imf_gles_tile tile = {x, y, (int)fmin(most.width, picture->width - x),
                                               (int)fmin(most.height, picture->height - y)};
            st = run_tile(p, picture, &tile, err);
        }
    return st;
}

enum imf_status imf_gles_pass_run(struct imf_gles_pass *p, const struct imf_gles_picture *picture,
                                  struct imf_error *err) {
    struct imf_gles_saved saved;
    enum imf_status st = imf_gles_enter(p->gles, &saved, err);
    if (st)
        return st;
    st = run(p, picture, err);
    imf_gles_leave(p->gles, &saved);
    return st;
}
