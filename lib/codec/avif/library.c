/* library.c - libavif, which is loaded when a first AVIF is read or written */
#include "base/error.h"

#ifdef IMF_WITH_AVIF
#include "codec/avif/library.h"

#include <dlfcn.h>
#include <string.h>

/* Whose structs are those of the headers. From 1.0 on calls fail that did not, and tiles have alpha of their own. */
#if AVIF_VERSION >= 1000000
#error "only libavif 0.11 is known"
#endif
#define NAME "libavif.so.15"

enum imf_status imf_avif_load(struct imf_avif_calls *calls, struct imf_error *err) {
    /* It stays: each file of a batch would load it again. */
    void *library = dlopen(NAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), *symbol;
    const char *missing = NULL;
    if (!library)
        return imf_fail(err, IMF_ERR_FORMAT, "AVIF needs %s, which cannot be loaded (%.150s)", NAME,
                        dlerror());
#define LOAD(call)                                                                                 \
    symbol = dlsym(library, "avif" #call);                                                         \
    memcpy(&calls->call, &symbol, sizeof symbol);                                                  \
    missing = symbol ? missing : #call;
    IMF_AVIF_CALLS(LOAD)
    dlclose(library);
    return missing ? imf_fail(err, IMF_ERR_FORMAT, "AVIF cannot be used: %s lacks avif%s()", NAME,
                              missing)
                   : IMF_OK;
}

enum imf_status imf_avif_failure(const struct imf_avif_calls *calls, avifResult result,
                                 enum imf_status other, const char *what, struct imf_error *err) {
    bool none = result == AVIF_RESULT_NO_CODEC_AVAILABLE || result == AVIF_RESULT_NOT_IMPLEMENTED ||
                result == AVIF_RESULT_UNSUPPORTED_DEPTH;
    if (result == AVIF_RESULT_OUT_OF_MEMORY)
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    return imf_fail(err, none ? IMF_ERR_FORMAT : other, "%s (libavif: %.200s)", what,
                    calls->ResultToString(result));
}
#endif
