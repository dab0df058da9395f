/* cms.h - Little CMS for one thread and one profile: nothing printed, a limit of memory, no locks */
#ifndef IMF_CODEC_METADATA_CMS_H
#define IMF_CODEC_METADATA_CMS_H

#include <lcms2.h>
#include <stdbool.h>

/* Little CMS reports a lack of memory as damage. */
struct imf_cms_heap {
    bool out_of_memory;
};

/* NULL: no memory. heap has to live as long as the context; cmsDeleteContext() ends it. */
cmsContext imf_cms_open(struct imf_cms_heap *heap);

#endif
