/* library.c - libheif, which is loaded when a first HEIF is read */
#include "base/error.h"

#ifdef IMF_WITH_HEIF
#include "codec/heif/library.h"

#include <dlfcn.h>
#include <string.h>

enum imf_status imf_heif_load(struct imf_heif_calls *calls, struct imf_error *err) {
    static const char name[] = "libheif.so.1";
    /* It stays: each file of a batch would load it again. */
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), *symbol;
    const char *missing = NULL;
    if (!library)
        return imf_fail(err, IMF_ERR_FORMAT, "HEIF is read by %s, which cannot be loaded (%.150s)",
                        name, dlerror());
#define LOAD(call)                                                                                 \
    symbol = dlsym(library, "heif_" #call);                                                        \
    memcpy(&calls->call, &symbol, sizeof symbol);                                                  \
    missing = symbol ? missing : #call;
    IMF_HEIF_CALLS(LOAD)
    dlclose(library);
    return missing ? imf_fail(err, IMF_ERR_FORMAT, "HEIF cannot be read: %s lacks heif_%s()", name,
                              missing)
                   : IMF_OK;
}
#endif
