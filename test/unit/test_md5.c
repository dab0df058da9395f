/* test_md5.c - the digests of RFC 1321's suite, and of lengths around a block's */
#include "check.h"
#include "codec/metadata/md5.h"

#include <string.h>

static void check(const char *text, size_t size, const char *want) {
    unsigned char digest[16];
    char got[33];
    imf_md5(digest, text, size);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(got + 2 * i, 3, "%02x", digest[i]);
    CHECK(strcmp(got, want) == 0, "%zu bytes: %s", size, got);
}

int main(void) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char same[65];
    memset(same, 'a', sizeof same);
    check("", 0, "d41d8cd98f00b204e9800998ecf8427e");
    check("a", 1, "0cc175b9c0f1b6a831c399e269772661");
    check("abc", 3, "900150983cd24fb0d6963f7d28e17f72");
    check(letters, 62, "d174ab98d277d9f5a5611c2c9f419d9f");
    check(same, 55, "ef1772b6dff9a122358552954ad0df65");
    check(same, 56, "3b0c8ac703f828b04c6c197006d17218");
    check(same, 64, "014842d480b571495a4a0363793f7367");
    check(same, 65, "c743a45e0d2e6a95cb859adae0248435");
    return check_done("test_md5");
}
