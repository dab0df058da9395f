/*
 * settings.c - how a JPEG is encoded
 *
 * "Keep" means the source's quantisation tables, sampling factors, colour space, and whether it is
 * progressive, so that encoding it again loses and grows as little as possible.
 */
#include "codec/jpeg/settings.h"

#define DEFAULT_QUALITY 92
#define MCU_BLOCKS_MAX 10 /* of the standard, B.2.3: in a scan of several components */

/* The source, if its settings suit this output: as many components, or luma for gray. */
static const struct imf_jpeg_source *kept_source(const struct imf_writer *w) {
    const struct imf_jpeg_source *s = &w->jpeg;
    if (s->components == 0)
        return NULL;
    bool luma = w->info.channels == 1 && s->color_space == JCS_YCbCr;
    return luma || s->components == w->info.channels ? s : NULL;
}

static void set_tables(struct jpeg_compress_struct *c, const struct imf_jpeg_source *s) {
    unsigned table[DCTSIZE2];
    for (int t = 0; t < NUM_QUANT_TBLS; t++) {
        for (int i = 0; s->has_table[t] && i < DCTSIZE2; i++)
            table[i] = s->quant[t][i] ? s->quant[t][i] : 1;
        if (s->has_table[t])
            jpeg_add_quant_table(c, t, table, 100, FALSE);
    }
    for (int i = 0; i < c->num_components; i++)
        c->comp_info[i].quant_tbl_no = s->table[i];
}

/* ---- sampling and scans ------------------------------------------------------------------- */

/* Sampling factors of luma and black; the other components have 1. */
static void set_sampling(struct jpeg_compress_struct *c, int asked,
                         const struct imf_jpeg_source *sampled) {
    int h = asked == 444 ? 1 : 2, v = asked == 444 || asked == 422 ? 1 : 2;
    for (int i = 0; i < c->num_components; i++) {
        bool full = i == 0 || i == 3;
        c->comp_info[i].h_samp_factor = sampled ? sampled->h[i] : full ? h : 1;
        c->comp_info[i].v_samp_factor = sampled ? sampled->v[i] : full ? v : 1;
    }
}

static bool interleaves(const struct jpeg_compress_struct *c) {
    int blocks = 0;
    for (int i = 0; i < c->num_components; i++)
        blocks += c->comp_info[i].h_samp_factor * c->comp_info[i].v_samp_factor;
    return blocks <= MCU_BLOCKS_MAX;
}

/* The same scans, but each of one component. */
static void split_scans(struct jpeg_compress_struct *c, jpeg_scan_info script[IMF_JPEG_SCANS]) {
    static const jpeg_scan_info sequential = {4, {0, 1, 2, 3}, 0, DCTSIZE2 - 1, 0, 0};
    const jpeg_scan_info *from = c->scan_info ? c->scan_info : &sequential;
    int scans = c->scan_info ? c->num_scans : 1, n = 0;
    for (int s = 0; s < scans; s++)
        for (int i = 0; i < from[s].comps_in_scan; i++)
            if (from[s].component_index[i] < c->num_components && n < IMF_JPEG_SCANS) {
                script[n] = from[s];
                script[n].comps_in_scan = 1;
                script[n++].component_index[0] = from[s].component_index[i];
            }
    c->scan_info = script;
    c->num_scans = n;
}

void imf_jpeg_set_scans(struct jpeg_compress_struct *c, bool progressive,
                        jpeg_scan_info script[IMF_JPEG_SCANS]) {
    if (progressive)
        jpeg_simple_progression(c);
    if (c->num_components > 1 && !interleaves(c))
        split_scans(c, script);
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void set_encoding(struct jpeg_compress_struct *c, const struct imf_writer *w,
                         jpeg_scan_info script[IMF_JPEG_SCANS]) {
    const struct imf_encode *e = &w->encode;
    const struct imf_jpeg_source *source = kept_source(w);
    const struct imf_jpeg_source *sampled =
        source && e->subsampling == 0 && source->components == c->num_components ? source : NULL;
    if (c->in_color_space == JCS_CMYK)
        jpeg_set_colorspace(c, JCS_YCCK);
    if (sampled && (source->color_space == JCS_RGB || source->color_space == JCS_CMYK))
        jpeg_set_colorspace(c, (J_COLOR_SPACE)source->color_space);
    if (source && e->quality == 0)
        set_tables(c, source);
    else
        jpeg_set_quality(c, e->quality ? e->quality : DEFAULT_QUALITY, TRUE);
    if (c->num_components > 1) /* sampling factors are relative to other components */
        set_sampling(c, e->subsampling, sampled);
    c->optimize_coding = w->encode.optimize;
    imf_jpeg_set_scans(c, w->jpeg.progressive, script);
}

void imf_jpeg_configure(struct jpeg_compress_struct *c, const struct imf_writer *w,
                        jpeg_scan_info script[IMF_JPEG_SCANS]) {
    static const J_COLOR_SPACE space[] = {
        [IMF_COLOR_GRAY] = JCS_GRAYSCALE, [IMF_COLOR_RGB] = JCS_RGB, [IMF_COLOR_CMYK] = JCS_CMYK};
    c->image_width = (JDIMENSION)w->info.width;
    c->image_height = (JDIMENSION)w->info.height;
    c->input_components = w->info.channels;
    c->in_color_space = space[w->info.color];
    jpeg_set_defaults(c);
    c->dct_method = JDCT_ISLOW;
    set_encoding(c, w, script);
}

uint64_t imf_jpeg_coefficient_bytes(const struct jpeg_compress_struct *c) {
    if (!c->optimize_coding && !c->scan_info)
        return 0;
    uint64_t bytes = 0;
    int h = 1, v = 1;
    for (int i = 0; i < c->num_components; i++) {
        h = c->comp_info[i].h_samp_factor > h ? c->comp_info[i].h_samp_factor : h;
        v = c->comp_info[i].v_samp_factor > v ? c->comp_info[i].v_samp_factor : v;
    }
    uint64_t across = (c->image_width + 8u * (unsigned)h - 1) / (8u * (unsigned)h);
    uint64_t down = (c->image_height + 8u * (unsigned)v - 1) / (8u * (unsigned)v);
    for (int i = 0; i < c->num_components; i++)
        bytes += across * (unsigned)c->comp_info[i].h_samp_factor * down *
                 (unsigned)c->comp_info[i].v_samp_factor * sizeof(JBLOCK);
    return bytes;
}
