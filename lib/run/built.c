/* built.c - what the library was built with */
#include "imfilter_program.h"

#ifdef IMF_WITH_OPENCL
#define OPENCL(with, without) with
#else
#define OPENCL(with, without) without
#endif
#ifdef IMF_WITH_TIFF
#define TIFF(with, without) with
#else
#define TIFF(with, without) without
#endif
#ifdef IMF_WITH_WEBP
#define WEBP(with, without) with
#else
#define WEBP(with, without) without
#endif
#ifdef IMF_WITH_HEIF
#define HEIF(with, without) with
#else
#define HEIF(with, without) without
#endif
#ifdef IMF_WITH_AVIF
#define AVIF(with, without) with
#else
#define AVIF(with, without) without
#endif
#ifdef IMF_WITH_LCMS2
#define LCMS2(with, without) with
#else
#define LCMS2(with, without) without
#endif

/* OpenGL ES takes no header and no library: it is loaded where there is one. */
const char *imf_built(bool with) {
    static const char has[] = OPENCL(", OpenCL", "") ", OpenGL ES" TIFF(", TIFF", "")
        WEBP(", WebP", "") HEIF(", HEIF", "") AVIF(", AVIF", "") LCMS2(", Little CMS", "");
    static const char lacks[] = OPENCL("", ", OpenCL") TIFF("", ", TIFF") WEBP("", ", WebP")
        HEIF("", ", HEIF") AVIF("", ", AVIF") LCMS2("", ", Little CMS");
    const char *text = with ? has : lacks;
    return *text ? text + 2 : text;
}
