/* test_xmp.c - XMP packets cut, joined and split */
#include "codec/metadata/xmp.h"
#include "codec_util.h"

/* An extension's name is its MD5 digest: RFC 1321, A.5, and lengths about a block's end. */
static void test_guid(void) {
    static const struct {
        const char *text, *digest;
    } cases[] = {
        {"", "D41D8CD98F00B204E9800998ECF8427E"},
        {"abc", "900150983CD24FB0D6963F7D28E17F72"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "D174AB98D277D9F5A5611C2C9F419D9F"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57EDF4A22BE3C955AC49DA2E2107B67A"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct imf_xmp_split split;
        const unsigned char *text = (const unsigned char *)cases[i].text;
        imf_xmp_split(&split, text, strlen(cases[i].text));
        CHECK(strcmp(split.guid, cases[i].digest) == 0, "\"%s\": %s", cases[i].text, split.guid);
    }
}

#define GAIN "http://ns.adobe.com/hdr-gain-map/1.0/"
#define CONTAINER "http://ns.google.com/photos/1.0/container/"
#define CAMERA "http://ns.google.com/photos/1.0/camera/"
#define NOTE "http://ns.adobe.com/xmp/note/"

static void test_without(void) {
    static const struct {
        unsigned parts;
        const char *xmp, *want; /* want NULL: no XML */
    } cases[] = {
        {IMF_XMP_TRAILER_REFS, "", ""},
        {IMF_XMP_TRAILER_REFS, "text", "text"},
        {IMF_XMP_TRAILER_REFS, "<a b='1'/>", "<a b='1'/>"},
        {IMF_XMP_TRAILER_REFS, "<a xmlns:h='" GAIN "' h:V=\"1\" b='2'/>", "<a b='2'/>"},
        {IMF_XMP_TRAILER_REFS, "<a xmlns:h = \"" GAIN "\" b='h:V'><h:V>1</h:V>x</a>",
         "<a b='h:V'>x</a>"},
        {IMF_XMP_TRAILER_REFS,
         "<a xmlns:C='" CONTAINER "'><C:D><b><C:D/></b><!-- </C:D> --><c d='>'/></C:D>e</a>",
         "<a>e</a>"},
        {IMF_XMP_TRAILER_REFS, "<a xmlns:C='" CONTAINER "item/' C:D='1'/>",
         "<a xmlns:C='" CONTAINER "item/' C:D='1'/>"},
        {IMF_XMP_TRAILER_REFS, "<a xmlns:g='" CAMERA "' g:MicroVideo='1' g:Mode='2'/>",
         "<a xmlns:g='" CAMERA "' g:Mode='2'/>"},
        {IMF_XMP_EXTENSION_NOTE, "<a xmlns:n='" NOTE "' n:HasExtendedXMP='0'/>",
         "<a xmlns:n='" NOTE "'/>"},
        {IMF_XMP_EXTENSION_NOTE, "<a xmlns:n='" NOTE "'><n:HasExtendedXMP>0</n:HasExtendedXMP></a>",
         "<a xmlns:n='" NOTE "'></a>"},
        {IMF_XMP_EXTENSION_NOTE, "<a xmlns:h='" GAIN "' h:V='1'/>",
         "<a xmlns:h='" GAIN "' h:V='1'/>"},
        {IMF_XMP_TRAILER_REFS, "<?p <h:V> ?><!-- <h:V> --><![CDATA[<h:V>]]><a xmlns:h='" GAIN "'/>",
         "<?p <h:V> ?><!-- <h:V> --><![CDATA[<h:V>]]><a/>"},
        {IMF_XMP_TRAILER_REFS, "<a xmlns:h='" GAIN "'><h:V>", NULL},
        {IMF_XMP_TRAILER_REFS, "<a b='", NULL},
        {IMF_XMP_TRAILER_REFS, "<", NULL},
        {IMF_XMP_TRAILER_REFS, "<!--", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool out_of_memory = false;
        size_t length = strlen(cases[i].xmp), size = 0;
        unsigned char *exact = malloc(length + 1); /* a byte too far is seen by a sanitizer */
        memcpy(exact, cases[i].xmp, length);
        unsigned char *got = imf_xmp_remove(exact, length, cases[i].parts, &size, &out_of_memory);
        CHECK(cases[i].want
                  ? got && size == strlen(cases[i].want) && memcmp(got, cases[i].want, size) == 0
                  : !got,
              "case %zu: %.*s", i, (int)size, got ? (char *)got : "");
        free(got);
        free(exact);
    }
}

#define GUID "0123456789ABCDEF0123456789ABCDEF"
#define MAIN                                                                                       \
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='r'><rdf:Description xmlns:n='" NOTE   \
    "' n:HasExtendedXMP='" GUID "'/></rdf:RDF></x:xmpmeta>"
#define MORE                                                                                       \
    "<x:xmpmeta xmlns:x='x'><rdf:RDF xmlns:rdf='r'><p:q xmlns:p='p'/></rdf:RDF></x:xmpmeta>"
#define JOINED                                                                                     \
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='r'><rdf:Description xmlns:n='" NOTE   \
    "'/><p:q xmlns:p='p'/></rdf:RDF></x:xmpmeta>"

static void add_piece(struct imf_metadata *m, const char *guid, const char *text, size_t from,
                      size_t size, size_t full) {
    unsigned char segment[400] = "http://ns.adobe.com/xmp/extension/";
    memcpy(segment + 35, guid, 32);
    for (int i = 0; i < 4; i++) {
        segment[67 + i] = (unsigned char)(full >> (24 - 8 * i));
        segment[71 + i] = (unsigned char)(from >> (24 - 8 * i));
    }
    memcpy(segment + 75, text + from, size);
    imf_metadata_add(m, IMF_META_XMP_EXTENSION, IMF_STRIP_XMP, segment, 75 + size);
}

/* Pieces in any order; a missing one, another packet's, or a length that is not true: none. */
static void test_joined(void) {
    enum { FULL = sizeof MORE - 1 };
    static const struct {
        struct {
            size_t from, size, full;
        } pieces[3];
        const char *guid;
        bool joins;
    } cases[] = {
        {{{0, FULL, FULL}}, GUID, true},
        {{{0, 30, FULL}, {30, FULL - 30, FULL}}, GUID, true},
        {{{30, FULL - 30, FULL}, {0, 30, FULL}}, GUID, true},
        {{{50, FULL - 50, FULL}, {0, 30, FULL}}, GUID, false},
        {{{0, FULL, FULL - 1}}, GUID, false},
        {{{0, FULL, 0xffffffff}}, GUID, false},
        {{{1, FULL - 1, FULL}, {0, 0, FULL}}, GUID, false},
        {{{0, FULL, FULL}}, "0123456789ABCDEF0123456789ABCDEE", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct imf_metadata m = {0};
        for (int k = 0; k < 3; k++)
            if (cases[i].pieces[k].full)
                add_piece(&m, cases[i].guid, MORE, cases[i].pieces[k].from, cases[i].pieces[k].size,
                          cases[i].pieces[k].full);
        bool out_of_memory = false;
        size_t size = 0;
        unsigned char *got =
            imf_xmp_join(&m, (const unsigned char *)MAIN, sizeof MAIN - 1, &size, &out_of_memory);
        CHECK(cases[i].joins ? got && size == sizeof JOINED - 1 && memcmp(got, JOINED, size) == 0
                             : !got,
              "case %zu: %.*s", i, (int)size, got ? (char *)got : "");
        free(got);
        imf_metadata_clear(&m);
    }
}

int main(void) {
    test_guid();
    test_without();
    test_joined();
    return check_done("test_xmp");
}
