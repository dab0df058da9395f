/*
 * calls.h - the used part of EGL 1.4 and OpenGL ES 2.0, by the names and values of their standards
 *
 * The libraries are loaded on demand, so that neither they nor their headers need to be installed: a
 * call is a member of struct imf_gles_calls, found by its name.
 */
#ifndef IMF_GLES_CALLS_H
#define IMF_GLES_CALLS_H

#define EGL_NONE 0x3038
#define EGL_SURFACE_TYPE 0x3033
#define EGL_PBUFFER_BIT 0x0001
#define EGL_RENDERABLE_TYPE 0x3040
#define EGL_OPENGL_ES2_BIT 0x0004
#define EGL_OPENGL_ES_API 0x30A0
#define EGL_CONTEXT_CLIENT_VERSION 0x3098
#define EGL_EXTENSIONS 0x3055
#define EGL_WIDTH 0x3057
#define EGL_HEIGHT 0x3056
#define EGL_DRAW 0x3059
#define EGL_READ 0x305A
#define EGL_PLATFORM_SURFACELESS_MESA 0x31DD

#define GL_NO_ERROR 0
#define GL_OUT_OF_MEMORY 0x0505
#define GL_FALSE 0
#define GL_FLOAT 0x1406
#define GL_UNSIGNED_BYTE 0x1401
#define GL_LUMINANCE 0x1909
#define GL_RGBA 0x1908
#define GL_DITHER 0x0BD0
#define GL_UNPACK_ALIGNMENT 0x0CF5
#define GL_PACK_ALIGNMENT 0x0D05
#define GL_MAX_TEXTURE_SIZE 0x0D33
#define GL_MAX_VIEWPORT_DIMS 0x0D3A
#define GL_MAX_FRAGMENT_UNIFORM_VECTORS 0x8DFD
#define GL_RENDERER 0x1F01
#define GL_VERSION 0x1F02
#define GL_TEXTURE_2D 0x0DE1
#define GL_TEXTURE0 0x84C0
#define GL_TEXTURE_MAG_FILTER 0x2800
#define GL_TEXTURE_MIN_FILTER 0x2801
#define GL_TEXTURE_WRAP_S 0x2802
#define GL_TEXTURE_WRAP_T 0x2803
#define GL_NEAREST 0x2600
#define GL_CLAMP_TO_EDGE 0x812F
#define GL_FRAMEBUFFER 0x8D40
#define GL_COLOR_ATTACHMENT0 0x8CE0
#define GL_FRAMEBUFFER_COMPLETE 0x8CD5
#define GL_VERTEX_SHADER 0x8B31
#define GL_FRAGMENT_SHADER 0x8B30
#define GL_COMPILE_STATUS 0x8B81
#define GL_LINK_STATUS 0x8B82
#define GL_HIGH_FLOAT 0x8DF2
#define GL_TRIANGLE_STRIP 0x0005

/* C(result, name, parameters) of each library. Handles of EGL are pointers, its booleans unsigned. */
#define IMF_EGL_CALLS(C)                                                                           \
    C(void *, GetProcAddress, (const char *name))                                                  \
    C(void *, GetDisplay, (void *native))                                                          \
    C(unsigned, Initialize, (void *display, int *major, int *minor))                               \
    C(const char *, QueryString, (void *display, int name))                                        \
    C(unsigned, QueryAPI, (void))                                                                  \
    C(unsigned, BindAPI, (unsigned api))                                                           \
    C(unsigned, ChooseConfig,                                                                      \
      (void *display, const int *wanted, void **configs, int size, int *count))                    \
    C(void *, CreateContext, (void *display, void *config, void *share, const int *wanted))        \
    C(unsigned, DestroyContext, (void *display, void *context))                                    \
    C(void *, CreatePbufferSurface, (void *display, void *config, const int *wanted))              \
    C(unsigned, DestroySurface, (void *display, void *surface))                                    \
    C(unsigned, MakeCurrent, (void *display, void *draw, void *read, void *context))               \
    C(void *, GetCurrentDisplay, (void))                                                           \
    C(void *, GetCurrentSurface, (int which))                                                      \
    C(void *, GetCurrentContext, (void))

#define IMF_GL_CALLS(C)                                                                            \
    C(unsigned, GetError, (void))                                                                  \
    C(void, GetIntegerv, (unsigned name, int *out))                                                \
    C(const unsigned char *, GetString, (unsigned name))                                           \
    C(void, GetShaderPrecisionFormat,                                                              \
      (unsigned shader, unsigned precision, int *range, int *bits))                                \
    C(void, Disable, (unsigned what))                                                              \
    C(void, PixelStorei, (unsigned name, int value))                                               \
    C(unsigned, CreateShader, (unsigned type))                                                     \
    C(void, ShaderSource,                                                                          \
      (unsigned shader, int count, const char *const *text, const int *length))                    \
    C(void, CompileShader, (unsigned shader))                                                      \
    C(void, GetShaderiv, (unsigned shader, unsigned name, int *out))                               \
    C(void, GetShaderInfoLog, (unsigned shader, int size, int *length, char *out))                 \
    C(void, DeleteShader, (unsigned shader))                                                       \
    C(unsigned, CreateProgram, (void))                                                             \
    C(void, AttachShader, (unsigned program, unsigned shader))                                     \
    C(void, BindAttribLocation, (unsigned program, unsigned index, const char *name))              \
    C(void, LinkProgram, (unsigned program))                                                       \
    C(void, GetProgramiv, (unsigned program, unsigned name, int *out))                             \
    C(void, GetProgramInfoLog, (unsigned program, int size, int *length, char *out))               \
    C(void, DeleteProgram, (unsigned program))                                                     \
    C(void, UseProgram, (unsigned program))                                                        \
    C(int, GetUniformLocation, (unsigned program, const char *name))                               \
    C(void, Uniform1i, (int at, int value))                                                        \
    C(void, Uniform2f, (int at, float x, float y))                                                 \
    C(void, Uniform4fv, (int at, int count, const float *values))                                  \
    C(void, GenTextures, (int count, unsigned *out))                                               \
    C(void, DeleteTextures, (int count, const unsigned *textures))                                 \
    C(void, ActiveTexture, (unsigned unit))                                                        \
    C(void, BindTexture, (unsigned target, unsigned texture))                                      \
    C(void, TexParameteri, (unsigned target, unsigned name, int value))                            \
    C(void, TexImage2D,                                                                            \
      (unsigned target, int level, int inside, int width, int height, int border, unsigned format, \
       unsigned type, const void *from))                                                           \
    C(void, TexSubImage2D,                                                                         \
      (unsigned target, int level, int x, int y, int width, int height, unsigned format,           \
       unsigned type, const void *from))                                                           \
    C(void, GenFramebuffers, (int count, unsigned *out))                                           \
    C(void, DeleteFramebuffers, (int count, const unsigned *framebuffers))                         \
    C(void, BindFramebuffer, (unsigned target, unsigned framebuffer))                              \
    C(void, FramebufferTexture2D,                                                                  \
      (unsigned target, unsigned attachment, unsigned kind, unsigned texture, int level))          \
    C(unsigned, CheckFramebufferStatus, (unsigned target))                                         \
    C(void, Viewport, (int x, int y, int width, int height))                                       \
    C(void, EnableVertexAttribArray, (unsigned index))                                             \
    C(void, VertexAttribPointer,                                                                   \
      (unsigned index, int size, unsigned type, unsigned char normalized, int stride,              \
       const void *values))                                                                        \
    C(void, DrawArrays, (unsigned mode, int first, int count))                                     \
    C(void, ReadPixels,                                                                            \
      (int x, int y, int width, int height, unsigned format, unsigned type, void *to))

#define IMF_GLES_MEMBER(result, name, parameters) result(*name) parameters;
struct imf_gles_calls {
    struct imf_egl_calls {
        IMF_EGL_CALLS(IMF_GLES_MEMBER)
    } egl;
    struct imf_gl_calls {
        IMF_GL_CALLS(IMF_GLES_MEMBER)
    } gl;
};
#undef IMF_GLES_MEMBER

#endif
